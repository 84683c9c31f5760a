"""Small functions that lay out matches of Egyptian Tarneeb for tests, as the plain dicts of a log.

In: seeds, hands, an auction in one line. Out: events, and documents around them.
Refuses to know what the auditor knows: what is legal and what is won comes from the oracle.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable
from functools import cache
from typing import Any

from tests.documents import (
    Document,
    Event,
    Hands,
    Row,
    deal,
    findings,
    match_of,
    play,
    verdict,
    with_claims,
)
from tests.tarneeb import Policy, plain_policy, play_out, shuffled

from . import oracle
from .oracle import RANKS, SUITS

# --- Documents ------------------------------------------------------------------------------------------------------


MASRAWI, DAKAK = "tarneeb-masrawi", "tarneeb-masrawi-dakak"


def match(events: Iterable[Event], ruleset: str = MASRAWI, **keys: Any) -> Document:
    """A match of four players around these events; ``keys`` are further keys of the match object."""
    return match_of(ruleset, events, **keys)


# --- Events ---------------------------------------------------------------------------------------------------------


def bid(seat: int, tricks: int, trump: str | None = "S", **keys: Any) -> Event:
    named = {} if trump is None else {"trump": trump}
    return {"type": "bid", "seat": seat, "tricks": tricks, **named, **keys}


def double(seat: int, **keys: Any) -> Event:
    return {"type": "double", "seat": seat, **keys}


def redouble(seat: int, **keys: Any) -> Event:
    return {"type": "redouble", "seat": seat, **keys}


def accepts(seat: int, **keys: Any) -> Event:
    return {"type": "accept", "seat": seat, **keys}


def auction(calls: str, dealer: int = 0, ruleset: str = MASRAWI) -> list[Event]:
    """Calls in turn from a line such as ``"pass 7S 8NT double accept"``, from the seat after the dealer.

    In masrawi those who passed are skipped, and ``accept`` and ``redouble`` are the standing bidder's.
    """
    events: list[Event] = []
    passed: set[int] = set()
    seat, bidder = (dealer + 1) % 4, 0
    for call in calls.split():
        if call in ("accept", "redouble"):
            events.append({"type": call, "seat": bidder})
            continue
        if call[0].isdigit():
            number = call.rstrip("CDHSNT")
            events.append(bid(seat, int(number), call[len(number) :] or None))
            bidder = seat
        else:
            events.append({"type": call, "seat": seat})
        if call == "pass" and ruleset == MASRAWI:
            passed.add(seat)
        seat = next((s % 4 for s in range(seat + 1, seat + 5) if s % 4 not in passed), seat)
    return events


# --- Deals and matches of known worth -------------------------------------------------------------------------------


def played(
    hands: Hands, calls: str, dealer: int = 0, policy: Policy = plain_policy, ruleset: str = MASRAWI
) -> list[Event]:
    """A deal without claims that is played out after this auction."""
    call_events = auction(calls, dealer, ruleset)
    last = next(event for event in reversed(call_events) if event["type"] == "bid")
    return [deal(hands, dealer), *call_events, *play_out(hands, last["seat"], last["trump"], policy)[0]]


def calls_for(
    bid_tricks: int, dealer: int, declarer: int, suit: str = "S", ruleset: str = MASRAWI, factor: int = 1
) -> list[Event]:
    """Calls after which this seat has this contract; a double is said by the seat after it."""
    before = "pass " * ((declarer - dealer - 1) % 4)
    if ruleset == DAKAK:
        after_it = "pass pass pass" if factor == 1 else "double pass pass"
    elif factor == 1:
        after_it = "pass " * (3 - (declarer - dealer - 1) % 4)
    else:
        after_it = "double accept" if factor == 2 else "double redouble"
    return auction(f"{before} {bid_tricks}{suit} {after_it}", dealer, ruleset)


def scored(
    tricks: int,
    bid_tricks: int,
    dealer: int = 0,
    declarer: int | None = None,
    suit: str = "S",
    ruleset: str = MASRAWI,
    factor: int = 1,
) -> list[Event]:
    """A deal without claims: one seat bids, the others pass or double, and its team takes exactly ``tricks``.

    The declarer is the seat after the dealer unless another is named. Nobody is out of call or dakak.
    """
    if declarer is None:
        declarer = (dealer + 1) % 4
    calls = calls_for(bid_tricks, dealer, declarer, suit, ruleset, factor)
    return [deal(hands_for(tricks, declarer, suit), dealer), *calls, *plays_for(tricks, declarer, suit)]


def called(tricks: int, calls: str, dealer: int = 0, ruleset: str = MASRAWI) -> list[Event]:
    """A deal without claims after an auction in one line; the team that has the last bid takes exactly ``tricks``."""
    events = auction(calls, dealer, ruleset)
    last = next(event for event in reversed(events) if event["type"] == "bid")
    declarer, suit = last["seat"], last["trump"]
    return [deal(hands_for(tricks, declarer, suit), dealer), *events, *plays_for(tricks, declarer, suit)]


def hands_for(tricks: int, declarer: int, suit: str = "S") -> Hands:
    """The hands of :func:`scored`."""
    hands, _ = _steered_deal(tricks, suit)
    return [list(hands[(seat - declarer) % 4]) for seat in range(4)]


def plays_for(tricks: int, declarer: int, suit: str = "S") -> list[Event]:
    """The plays of :func:`scored`."""
    _, plays = _steered_deal(tricks, suit)
    return [event | {"seat": (event["seat"] + declarer) % 4} for event in plays]


@cache
def _steered_deal(tricks: int, suit: str) -> tuple[Hands, list[Event]]:
    """Hands without long suits and poor hands, and plays in which seat 0, who leads, and seat 2 take so many tricks."""
    for seed in itertools.count():
        hands = shuffled(random.Random(f"{tricks} {suit} {seed}"))
        lengths = [sum(card[1] == one for card in hand) for hand in hands for one in SUITS]
        if max(lengths) < 8 and min(oracle.honours(set(hand)) for hand in hands) > 5:
            plays = _steered(hands, tricks, suit)
            if plays is not None:
                return hands, plays
    raise AssertionError("some hands will do")


def _steered(hands: Hands, tricks: int, trump: str) -> list[Event] | None:
    """Plays in which team 0 takes the first ``tricks`` tricks and team 1 the rest; nothing if it does not come out."""
    left = [list(hand) for hand in hands]
    events: list[Event] = []
    leader = 0
    for number in range(13):
        team = 0 if number < tricks else 1
        tries = (_steered_trick(left, leader, lead, trump, team) for lead in left[leader])
        table = next((cards for cards in tries if oracle.winner_of(cards, trump) % 2 == team), None)
        if table is None:
            return None
        for seat, card in table:
            left[seat].remove(card)
            events.append(play(seat, card))
        leader = oracle.winner_of(table, trump)
    return events


def _steered_trick(left: Hands, leader: int, lead: str, trump: str, team: int) -> list[tuple[int, str]]:
    """One side plays its best cards, the other its worst."""
    table = [(leader, lead)]
    for step in (1, 2, 3):
        seat = (leader + step) % 4
        legal = [card for card in left[seat] if card[1] == lead[1]] or left[seat]
        legal = sorted(legal, key=lambda card: (card[1] == trump, RANKS.index(card[0])))
        table.append((seat, legal[-1] if seat % 2 == team else legal[0]))
    return table


def deals(*wanted: tuple[int, int, int], dealer: int = 0, ruleset: str = MASRAWI) -> list[Event]:
    """One deal after another, each with its (declarer, bid, tricks of his team); the dealer moves on by one."""
    events: list[Event] = []
    for number, (declarer, bid_tricks, tricks) in enumerate(wanted):
        events += scored(tricks, bid_tricks, (dealer + number) % 4, declarer, ruleset=ruleset)
    return events


def void(dealer: int = 0, seed: int = 1) -> list[Event]:
    """Four passes."""
    return [deal(shuffled(random.Random(seed)), dealer), *auction("pass pass pass pass", dealer)]


def claims(document: Document) -> Document:
    """The same match with a right score claim after every deal that is over, and a right result at the end."""
    return with_claims(document, oracle.judge)


# --- What is said, in the shape of a table of findings ---------------------------------------------------------------


def illegal(clause: str, event: int, seat: int | None = None) -> Row:
    return ("illegal", clause, event, seat)


def wrong(clause: str, event: int) -> Row:
    return ("claim", clause, event, None)


def note(clause: str, event: int) -> Row:
    """A note is about a deal; whether it names a seat is left to the auditor."""
    return ("note", clause, event, None)


def opened(clause: str, event: int) -> Row:
    """So is an open point."""
    return ("open", clause, event, None)


def said_of(document: Document, with_opens: bool = False) -> list[Row]:
    return [
        row if row[0] in ("illegal", "claim") else (*row[:3], None)
        for row in findings(verdict(document))
        if with_opens or row[0] != "open"
    ]


def expect(document: Document, *rows: Row, totals: list[int] | None = None) -> None:
    """Exactly these findings (open points only if one is among them); with ``totals``, these at the end."""
    assert said_of(document, any(row[0] == "open" for row in rows)) == list(rows)
    if totals is not None:
        assert verdict(document)["totals"] == totals


def outcomes(document: Document) -> list[tuple[str, list[int] | None]]:
    return [(entry["outcome"], entry["points"]) for entry in verdict(document)["deals"]]


def legal_at(document: Document, clause: str) -> list[str]:
    """What would have been legal, as the first finding of this clause lists it."""
    listed: list[str] = next(row for row in verdict(document)["findings"] if row["clause"] == clause)["legal"]
    return listed
