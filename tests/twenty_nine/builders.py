"""Small functions that lay out matches of twenty-nine for tests, as the plain dicts of a log.

In: seeds, hands, an auction in one line. Out: events, and documents around them.
Refuses to know what the auditor knows: what is legal and what is won comes from the oracle.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from tests.documents import (
    Document,
    Event,
    Hands,
    deal,
    filled_up,
    match_of,
    passes,
    play,
    result,
    score,
    shuffled_out,
    trick,
)

from . import oracle
from .oracle import PACK

# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], **keys: Any) -> Document:
    """A match of four players around these events; ``keys`` are further keys of the match object."""
    return match_of("twenty-nine", events, **keys)


def cut(document: Document, at: int) -> Document:
    """The same match, broken off before event ``at``."""
    return document | {"events": document["events"][:at]}


# --- Hands ----------------------------------------------------------------------------------------------------------


def shuffled(rng: random.Random) -> Hands:
    """Eight random cards a seat; the first four are dealt first."""
    return shuffled_out(rng, PACK)


def from_text(*hands: str) -> Hands:
    """Hands from texts such as ``"7S 8S 9H"``, in dealing order; what is left out is dealt in pack order."""
    return filled_up(hands, PACK)


def batches(hands: Hands, dealer: int = 0) -> tuple[Event, Event]:
    """The two deal events of these hands."""
    return deal([hand[:4] for hand in hands], dealer), deal([hand[4:] for hand in hands], dealer)


# --- Events ---------------------------------------------------------------------------------------------------------


def bid(seat: int, points: int, **keys: Any) -> Event:
    return {"type": "bid", "seat": seat, "points": points, **keys}


def redeal(seat: int, **keys: Any) -> Event:
    return {"type": "redeal", "seat": seat, **keys}


def trump(seat: int, card: str, **keys: Any) -> Event:
    return {"type": "trump", "seat": seat, "card": card, **keys}


def reveal(seat: int, suit: str | None = None, **keys: Any) -> Event:
    return {"type": "reveal", "seat": seat, **({"suit": suit} if suit else {}), **keys}


def pair(seat: int, **keys: Any) -> Event:
    return {"type": "pair", "seat": seat, **keys}


def auction(calls: str, dealer: int = 0) -> list[Event]:
    """Calls in turn from a line such as ``"pass 16 18 pass pass"``: the seat after the dealer first."""
    events: list[Event] = []
    passed: set[int] = set()
    seat = (dealer + 1) % 4
    for call in calls.split():
        if call == "pass":
            events.append(passes(seat))
            passed.add(seat)
        else:
            events.append(bid(seat, int(call)))
        seat = next((s % 4 for s in range(seat + 1, seat + 5) if s % 4 not in passed), seat)
    return events


def tricks(*lines: str) -> list[Event]:
    """Plays from lines such as ``"1: 7S 8S reveal 9H KS"``: the leader, and what each seat does in turn.

    ``reveal`` is by the seat on turn, ``pair2`` by seat 2, ``trick3`` claims a trick for seat 3.
    """
    events: list[Event] = []
    for line in lines:
        leader, _, acts = line.partition(":")
        seat = int(leader)
        for act in acts.split():
            if act == "reveal":
                events.append(reveal(seat))
            elif act.startswith("pair"):
                events.append(pair(int(act[4:])))
            elif act.startswith("trick"):
                events.append(trick(int(act[5:])))
            else:
                events.append(play(seat, act))
                seat = (seat + 1) % 4
    return events


# --- Deals and matches of known worth -------------------------------------------------------------------------------

#: Seat 1 holds all hearts, 2 all spades, 3 all clubs, 0 all diamonds; the weakest cards come first.
ONE_SUIT_A_SEAT: Hands = [[rank + suit for rank in oracle.WEAKEST_FIRST] for suit in "DHSC"]


def opened(hands: Hands, calls: str, card: str, dealer: int = 0) -> list[Event]:
    """A deal up to the second four cards."""
    first, second = batches(hands, dealer)
    call_events = auction(calls, dealer)
    declarer = next(event["seat"] for event in reversed(call_events) if event["type"] == "bid")
    return [first, *call_events, trump(declarer, card), second]


def swept(winner_bids: int = 16, dealer: int = 0) -> list[Event]:
    """A deal in which the seat after the dealer bids and takes all eight tricks with one suit that nobody else has."""
    order = [(dealer + step) % 4 for step in (1, 2, 3, 0)]
    hands: Hands = [[], [], [], []]
    for seat, suit in zip(order, "HSCD", strict=True):
        hands[seat] = [rank + suit for rank in oracle.WEAKEST_FIRST]
    declarer = order[0]
    events = opened(hands, f"{winner_bids} pass pass pass", "7H", dealer)
    for n in range(7, -1, -1):
        events += [play(seat, hands[seat][n]) for seat in order]
    assert events[1]["seat"] == declarer
    return events


def lost(dealer: int = 0) -> list[Event]:
    """A deal in which the seat after the dealer bids 28 and, with the other teams' suits led, takes nothing at all."""
    order = [(dealer + step) % 4 for step in (1, 2, 3, 0)]
    hands: Hands = [[], [], [], []]
    hands[order[0]] = ["7H", "7S", "7C", "7D", "8H", "8S", "8C", "8D"]
    hands[order[2]] = ["QH", "QS", "QC", "QD", "KH", "KS", "KC", "KD"]
    hands[order[1]] = ["JH", "JS", "JC", "JD", "9H", "9S", "9C", "9D"]
    hands[order[3]] = ["AH", "AS", "AC", "AD", "TH", "TS", "TC", "TD"]
    first, second = batches(hands, dealer)
    events = [
        first,
        bid(order[0], 28),
        passes(order[1]),
        passes(order[2]),
        passes(order[3]),
        trump(order[0], "7H"),
        second,
    ]
    events += [play(order[0], "7S"), play(order[1], "JS"), play(order[2], "QS"), play(order[3], "AS")]
    leads = ["JC", "JD", "JH", "9S", "9C", "9D", "9H"]
    follow = {
        "JC": ("QC", "AC", "7C"), "JD": ("QD", "AD", "7D"), "JH": ("QH", "AH", "8H"), "9S": ("KS", "TS", "8S"),
        "9C": ("KC", "TC", "8C"), "9D": ("KD", "TD", "8D"), "9H": ("KH", "TH", "7H"),
    }  # fmt: skip
    for lead in leads:
        cards = (lead, *follow[lead])
        events += [play((order[1] + turn) % 4, card) for turn, card in enumerate(cards)]
    return events


def void(dealer: int = 0, seed: int = 1) -> list[Event]:
    """Four passes."""
    return [batches(shuffled(random.Random(seed)), dealer)[0], *auction("pass pass pass pass", dealer)]


def claims(document: Document) -> Document:
    """The same match with a right score claim after every deal that is over, and a right result at the end."""
    events: list[Event] = []
    source = [*document["events"], None]
    for at, event in enumerate(source):
        opens = event is not None and event["type"] == "deal" and not oracle.is_second_batch(document["events"], at)
        if event is None or opens:
            said = oracle.judge(document | {"events": events})
            if said["deals"] and said["deals"][-1]["outcome"] != "unfinished":
                events.append(score(said["deals"][-1]["points"] or (0, 0), said["totals"]))
        if event is not None:
            events.append(event)
    said = oracle.judge(document | {"events": events})
    return document | {"events": [*events, result(said["winner"], said["totals"])]}


def hidden(document: Document, *seats: int) -> Document:
    """The same match as somebody logs it who cannot see the cards of these seats; a reveal names the suit."""
    events = []
    suit = ""
    for event in document["events"]:
        if event["type"] == "deal":
            hands = [["??"] * len(hand) if seat in seats else hand for seat, hand in enumerate(event["hands"])]
            event = event | {"hands": hands}
        elif event["type"] == "trump" and not event.get("refused"):
            suit = event["card"][1]
            event = event | {"card": "??" if event["seat"] in seats else event["card"]}
        elif event["type"] == "reveal":
            event = {"suit": suit} | event
        events.append(event)
    return document | {"events": events}
