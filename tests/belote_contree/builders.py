"""Small functions that lay out matches of belote-contree for tests, as the plain dicts of a log.

In: seeds, hands, an auction in one line. Out: events, and documents around them.
Refuses to know what the auditor knows: what is legal and what is won comes from the oracle.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
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
    shuffled_out,
    trick,
    with_claims,
)

from . import oracle
from .oracle import PACK

# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], **keys: Any) -> Document:
    """A match of four players around these events; ``keys`` are further keys of the match object."""
    return match_of("belote-contree", events, **keys)


# --- Hands ----------------------------------------------------------------------------------------------------------

#: Seat 0 all spades, 1 all hearts, 2 all diamonds, 3 all clubs.
ONE_SUIT_A_SEAT: Hands = [[rank + suit for rank in "789TJQKA"] for suit in "SHDC"]


def shuffled(rng: random.Random) -> Hands:
    """Eight random cards a seat."""
    return shuffled_out(rng, PACK)


def from_text(*hands: str) -> Hands:
    """Hands from texts such as ``"AS KS 7H"``; what is left out is dealt in pack order."""
    return filled_up(hands, PACK)


# --- Events ---------------------------------------------------------------------------------------------------------


def bid(seat: int, height: int | str, trump: str, **keys: Any) -> Event:
    """A bid of points, or of ``"capot"``."""
    named: dict[str, Any] = {"capot": True} if height == "capot" else {"points": height}
    return {"type": "bid", "seat": seat, "trump": trump, **named, **keys}


def double(seat: int, **keys: Any) -> Event:
    return {"type": "double", "seat": seat, **keys}


def redouble(seat: int, **keys: Any) -> Event:
    return {"type": "redouble", "seat": seat, **keys}


def accept(seat: int, **keys: Any) -> Event:
    return {"type": "accept", "seat": seat, **keys}


def auction(calls: str, dealer: int = 0) -> list[Event]:
    """Calls from a line such as ``"pass 90H pass contre surcontre"``, from the seat after the dealer on."""
    events: list[Event] = []
    seat = (dealer + 1) % 4
    bidder = seat
    for call in calls.split():
        if call == "pass":
            events.append(passes(seat))
        elif call == "contre":
            events.append(double(seat))
            seat = bidder - 1
        elif call in ("accept", "surcontre"):
            events.append(accept(seat) if call == "accept" else redouble(seat))
        else:
            height = call[:-1]
            events.append(bid(seat, height if height == "capot" else int(height), call[-1]))
            bidder = seat
        seat = (seat + 1) % 4
    return events


# --- Play -----------------------------------------------------------------------------------------------------------

Policy = Callable[[list[str], str, "oracle.Trick", int], str]


def plain_policy(legal: list[str], trump: str, table: oracle.Trick, seat: int) -> str:
    """Lead the strongest card; follow with the weakest that is legal."""
    weakest_first = sorted(legal, key=lambda card: (card[1] == trump, oracle.rank_of(card, trump), card))
    return weakest_first[-1] if not table else weakest_first[0]


def chance(rng: random.Random) -> Policy:
    """Any legal card."""
    return lambda legal, trump, table, seat: rng.choice(legal)


def helpful(team: int) -> Policy:
    """One team plays its best cards, and the other its worst."""

    def choose(legal: list[str], trump: str, table: oracle.Trick, seat: int) -> str:
        order = sorted(legal, key=lambda card: (card[1] == trump, oracle.rank_of(card, trump), card))
        return order[-1] if seat % 2 == team else order[0]

    return choose


def play_out(
    hands: Hands,
    leader: int,
    trump: str,
    policy: Policy = plain_policy,
    *,
    undertrump: str = "required",
    says: bool = True,
) -> list[Event]:
    """All that is in these hands, played legally to the last card; with the words of belote if wanted."""
    left = [list(hand) for hand in hands]
    both = [{"K" + trump, "Q" + trump} <= set(hand) for hand in hands]
    events: list[Event] = []
    for _ in range(len(hands[0])):
        table: oracle.Trick = []
        for seat in (leader, (leader + 1) % 4, (leader + 2) % 4, (leader + 3) % 4):
            legal = sorted(oracle.legal_cards(set(left[seat]), seat, table, trump, undertrump))
            card = policy(legal, trump, table, seat)
            left[seat].remove(card)
            table.append((seat, card))
            events.append(play(seat, card))
            if says and both[seat] and card in ("K" + trump, "Q" + trump):
                is_second = not {"K" + trump, "Q" + trump} & set(left[seat])
                events[-1]["announce"] = "rebelote" if is_second else "belote"
        leader = oracle.winner_of(table, trump)
    return events


def played(
    hands: Hands,
    calls: str,
    dealer: int = 0,
    policy: Policy = plain_policy,
    *,
    says: bool = True,
    options: dict[str, Any] | None = None,
) -> list[Event]:
    """A deal without claims that is played out after this auction, as far as the contract lets it."""
    call_events = auction(calls, dealer)
    trump = next(event["trump"] for event in reversed(call_events) if event["type"] == "bid")
    undertrump = (options or {}).get("undertrump", "required")
    plays = play_out(hands, (dealer + 1) % 4, trump, policy, undertrump=undertrump, says=says)
    return cut([deal(hands, dealer), *call_events, *plays], options)


def cut(events: list[Event], options: dict[str, Any] | None = None) -> list[Event]:
    """One deal up to the event that ends it."""
    said = oracle.judge(match(events, options=options or {}))
    over = [found.event for found in said["findings"] if found.clause == "deal.over"]
    return events[: over[0]] if over else events


def with_trick_claims(events: list[Event], share: float = 1, rng: random.Random | None = None) -> list[Event]:
    """The same events of one deal with right trick claims, each with its points."""
    rng = rng or random.Random(0)
    bids = [event for event in events if event["type"] == "bid" and not event.get("refused")]
    trump = bids[-1]["trump"] if bids else ""
    table: oracle.Trick = []
    claimed: list[Event] = []
    for event in events:
        claimed.append(event)
        if event["type"] == "play" and not event.get("refused"):
            table.append((event["seat"], event["card"]))
            if len(table) == 4:
                if rng.random() < share:
                    points = sum(oracle.points_of(card, trump) for _, card in table)
                    claimed.append(trick(oracle.winner_of(table, trump), points=points))
                table = []
    return claimed


def void(dealer: int = 0, seed: int = 1) -> list[Event]:
    """Four passes."""
    return [deal(shuffled(random.Random(seed)), dealer), *auction("pass pass pass pass", dealer)]


def claims(document: Document) -> Document:
    """The same match with a right score claim after every deal that is over, and a right result at the end."""
    return with_claims(document, oracle.judge)
