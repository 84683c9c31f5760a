"""Small functions that lay out matches of tarneeb-classic for tests, as the plain dicts of a log.

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
    match_of,
    passes,
    with_claims,
)
from tests.tarneeb import Policy, plain_policy, play_out, shuffled

from . import oracle
from .oracle import RANKS, SUITS

# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], **keys: Any) -> Document:
    """A match of four players around these events; ``keys`` are further keys of the match object."""
    return match_of("tarneeb-classic", events, **keys)


# --- Hands ----------------------------------------------------------------------------------------------------------


def hands_for(tricks: int, declarer: int, trump: str = "S") -> Hands:
    """Hands with which the declarer's team takes exactly ``tricks`` if he leads his trumps first.

    He holds the highest trumps, one a trick, and the lowest cards of a side suit; the next seat holds the rest of both,
    so that it wins all that is left; the other two hold one suit each and never win.
    """
    side, third, fourth = (suit for suit in SUITS if suit != trump)
    cut = 13 - tricks
    high = [rank + trump for rank in RANKS[cut:]]
    low = [rank + side for rank in RANKS[:cut]]
    hands: Hands = [[], [], [], []]
    hands[declarer] = high + low
    hands[(declarer + 1) % 4] = [rank + trump for rank in RANKS[:cut]] + [rank + side for rank in RANKS[cut:]]
    hands[(declarer + 2) % 4] = [rank + third for rank in RANKS]
    hands[(declarer + 3) % 4] = [rank + fourth for rank in RANKS]
    return hands


# --- Events ---------------------------------------------------------------------------------------------------------


def bid(seat: int, tricks: int, **keys: Any) -> Event:
    return {"type": "bid", "seat": seat, "tricks": tricks, **keys}


def trump(seat: int, suit: str, **keys: Any) -> Event:
    return {"type": "trump", "seat": seat, "suit": suit, **keys}


def auction(calls: str, dealer: int = 0) -> list[Event]:
    """Calls in turn from a line such as ``"pass 7 8 pass pass"``: from the seat after the dealer, passed seats out."""
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


# --- Deals and matches of known worth -------------------------------------------------------------------------------


def played(hands: Hands, calls: str, suit: str, dealer: int = 0, policy: Policy = plain_policy) -> list[Event]:
    """A deal without claims that is played out after this auction."""
    call_events = auction(calls, dealer)
    declarer = next(event["seat"] for event in reversed(call_events) if event["type"] == "bid")
    return [
        deal(hands, dealer),
        *call_events,
        trump(declarer, suit),
        *play_out(hands, declarer, suit, policy)[0],
    ]


def scored(tricks: int, bid_tricks: int, dealer: int = 0, declarer: int | None = None, suit: str = "S") -> list[Event]:
    """A deal without claims: one seat bids, the others pass, and its team takes exactly ``tricks``.

    The declarer is the seat after the dealer unless another is named.
    """
    if declarer is None:
        declarer = (dealer + 1) % 4
    before = (declarer - dealer - 1) % 4
    calls = ["pass"] * before + [str(bid_tricks)] + ["pass"] * (0 if bid_tricks == 13 else 3 - before)
    return played(hands_for(tricks, declarer, suit), " ".join(calls), suit, dealer)


def deals(*wanted: tuple[int, int, int], dealer: int = 0) -> list[Event]:
    """One deal after another, each with its (declarer, bid, tricks of his team); the dealer moves on by one."""
    events: list[Event] = []
    for number, (declarer, bid_tricks, tricks) in enumerate(wanted):
        events += scored(tricks, bid_tricks, (dealer + number) % 4, declarer)
    return events


def void(dealer: int = 0, seed: int = 1) -> list[Event]:
    """Four passes."""
    return [deal(shuffled(random.Random(seed)), dealer), *auction("pass pass pass pass", dealer)]


def claims(document: Document) -> Document:
    """The same match with a right score claim after every deal that is over, and a right result at the end."""
    return with_claims(document, oracle.judge)
