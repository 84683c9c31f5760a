"""Small functions that lay out matches of twenty-nine for tests, as the plain dicts of a log.

In: seeds, hands, an auction in one line. Out: events, and documents around them; the verdict on such a document.
Refuses to know what the auditor knows: what is legal and what is won comes from the oracle.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from auditor import replay
from auditor import verdict as verdicts
from auditor.games import FORMS, GAMES

from . import oracle
from .oracle import PACK, Event

Document = dict[str, Any]
Hands = list[list[str]]


# --- The auditor, asked ---------------------------------------------------------------------------------------------


def verdict(document: Document) -> dict[str, Any]:
    """What the auditor says of a match, as a document of plain values."""
    match = msgspec.json.decode(msgspec.json.encode(document), type=FORMS[document["ruleset"]])
    said: dict[str, Any] = msgspec.json.decode(verdicts.to_json(replay.audit(GAMES[document["ruleset"]], match)))
    return said


def findings(said: dict[str, Any]) -> list[tuple[str, str, int | None, int | None]]:
    """Kind, clause, event and seat of each finding, in the order of the verdict."""
    return [(row["kind"], row["clause"], row["event"], row.get("seat")) for row in said["findings"]]


# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], **keys: Any) -> Document:
    """A match of four players around these events; ``keys`` are further keys of the match object."""
    return {
        "format": "match-log/1",
        "match": "m-1",
        "ruleset": "twenty-nine",
        "players": [{"id": f"p{seat}"} for seat in range(4)],
        "events": list(events),
        **keys,
    }


def replaced(document: Document, at: int, **fields: Any) -> Document:
    """The same match with other values in event ``at``; ``None`` takes a key out."""
    events = list(document["events"])
    kept = {key: value for key, value in events[at].items() if key not in fields}
    events[at] = kept | {key: value for key, value in fields.items() if value is not None}
    return document | {"events": events}


def inserted(document: Document, at: int, *new: Event) -> Document:
    """The same match with more events before event ``at``."""
    return document | {"events": [*document["events"][:at], *new, *document["events"][at:]]}


def without(document: Document, *gone: int) -> Document:
    """The same match without some of its events."""
    return document | {"events": [event for at, event in enumerate(document["events"]) if at not in gone]}


def swapped(document: Document, at: int, other: int) -> Document:
    """The same match with two of its events in each other's place."""
    events = list(document["events"])
    events[at], events[other] = events[other], events[at]
    return document | {"events": events}


def cut(document: Document, at: int) -> Document:
    """The same match, broken off before event ``at``."""
    return document | {"events": document["events"][:at]}


def where(document: Document, kind: str, nth: int = 0) -> int:
    """The index of the ``nth`` event of a type; a negative ``nth`` counts from the end."""
    return [at for at, event in enumerate(document["events"]) if event["type"] == kind][nth]


# --- Hands ----------------------------------------------------------------------------------------------------------


def shuffled(rng: random.Random) -> Hands:
    """Eight random cards a seat; the first four are dealt first."""
    pack = list(PACK)
    rng.shuffle(pack)
    return [pack[start : start + 8] for start in (0, 8, 16, 24)]


def from_text(*hands: str) -> Hands:
    """Hands from texts such as ``"7S 8S 9H"``, in dealing order; what is left out is dealt in pack order."""
    stated = [text.split() for text in hands] + [[] for _ in range(4 - len(hands))]
    rest = [card for card in PACK if not any(card in hand for hand in stated)]
    for hand in stated:
        missing = 8 - len(hand)
        hand.extend(rest[:missing])
        del rest[:missing]
    return stated


def batches(hands: Hands, dealer: int = 0) -> tuple[Event, Event]:
    """The two deal events of these hands."""
    return deal([hand[:4] for hand in hands], dealer), deal([hand[4:] for hand in hands], dealer)


# --- Events ---------------------------------------------------------------------------------------------------------


def deal(hands: Sequence[Sequence[str]], dealer: int = 0) -> Event:
    return {"type": "deal", "dealer": dealer, "hands": [list(hand) for hand in hands]}


def bid(seat: int, points: int, **keys: Any) -> Event:
    return {"type": "bid", "seat": seat, "points": points, **keys}


def passes(seat: int, **keys: Any) -> Event:
    return {"type": "pass", "seat": seat, **keys}


def redeal(seat: int, **keys: Any) -> Event:
    return {"type": "redeal", "seat": seat, **keys}


def trump(seat: int, card: str, **keys: Any) -> Event:
    return {"type": "trump", "seat": seat, "card": card, **keys}


def play(seat: int, card: str, **keys: Any) -> Event:
    return {"type": "play", "seat": seat, "card": card, **keys}


def reveal(seat: int, suit: str | None = None, **keys: Any) -> Event:
    return {"type": "reveal", "seat": seat, **({"suit": suit} if suit else {}), **keys}


def pair(seat: int, **keys: Any) -> Event:
    return {"type": "pair", "seat": seat, **keys}


def trick(winner: int, **keys: Any) -> Event:
    return {"type": "trick", "winner": winner, **keys}


def score(points: Iterable[int], total: Iterable[int]) -> Event:
    return {"type": "score", "deal": list(points), "total": list(total)}


def result(winner: int | None, total: Iterable[int]) -> Event:
    return {"type": "result", "winner": winner, "total": list(total)}


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


# --- Shuffle proofs -------------------------------------------------------------------------------------------------


def shuffle_proof(server_seed: str = "00ff10", client_seed: str = "dice") -> dict[str, str]:
    return {
        "scheme": "hmac-sha256-fisher-yates/1",
        "commitment": hashlib.sha256(bytes.fromhex(server_seed)).hexdigest(),
        "server_seed": server_seed,
        "client_seed": client_seed,
    }
