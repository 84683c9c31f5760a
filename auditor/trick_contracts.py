"""Contracts of 7 to 13 tricks: what the rulesets of the Tarneeb family share.

In: bids, hands, tricks taken. Out: whether a bid is in range, what outbids what where bids name a trump, who holds too
many cards of a suit to call, the thirteen tricks of a deal, and the scoring table with the numbers that differ handed
in. Refuses to know which ruleset asks, and what any of them leaves open.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from auditor import cards, events
from auditor.deals import in_batches
from auditor.settlement import Line, Reading
from auditor.stage import Fault, Stage
from auditor.table import Numbers, Table
from auditor.tricks import Trick

SEAT_COUNT = 4
TRICK_COUNT = 13
LOWEST_BID = 7
#: A seat with so many cards of one suit is out of call.
TOO_LONG_SUIT = 9
DEAL_ORDER = in_batches([TRICK_COUNT], SEAT_COUNT)
#: What a bid may name as trump, the weakest first.
TRUMPS = ("C", "D", "H", "S", events.NO_TRUMP)

#: A deal without a contract.
VOID = (Reading({}, (), 2),)


def winner(totals: Numbers) -> int | None:
    """The team with the higher total; ``None`` for a draw."""
    first, second = totals
    return None if first == second else int(first < second)


# --- Bids ---------------------------------------------------------------------------------------------------------


def bid_name(bid: events.TricksBid) -> str:
    """A bid as people write it: ``8``, ``8 S``."""
    return str(bid.tricks) if bid.trump is UNSET else f"{bid.tricks} {bid.trump}"


def bid_strength(bid: events.TricksBid) -> tuple[int, int]:
    """Tricks, then the trump's place; a bid that names none goes by its tricks, and any trump is above it."""
    return bid.tricks, -1 if bid.trump is UNSET else TRUMPS.index(bid.trump)


def every_bid(seat: int) -> list[events.TricksBid]:
    """The 35 bids that name a trump, lowest first."""
    return [
        events.TricksBid(seat=seat, tricks=number, trump=trump)  # type: ignore[arg-type]
        for number in range(LOWEST_BID, TRICK_COUNT + 1)
        for trump in TRUMPS
    ]


def judge_range(bid: events.TricksBid) -> Fault | None:
    """A bid names 7 to 13 tricks and a trump."""
    if LOWEST_BID <= bid.tricks <= TRICK_COUNT and bid.trump is not UNSET:
        return None
    return Fault("auction.range", True, {"seat": bid.seat, "bid": bid_name(bid)})


def is_contract(bid: events.TricksBid) -> bool:
    """Whether a deal can be played to a bid: it names a trump, and no more tricks than there are."""
    return bid.tricks <= TRICK_COUNT and bid.trump is not UNSET


def not_outbid(bid: events.TricksBid, standing: events.TricksBid) -> Fault:
    """A bid does not outbid the standing one."""
    return Fault("auction.outbid", True, {"seat": bid.seat, "bid": bid_name(bid), "standing": bid_name(standing)})


@dataclass(frozen=True, slots=True)
class OutOfCall:
    """The seats with nine or more cards of one suit: those known to be, and those of which the log does not show it."""

    known: frozenset[int]
    perhaps: frozenset[int]


def out_of_call(table: Table) -> OutOfCall:
    """Who holds nine or more cards of one suit."""
    known, perhaps = set(), set()
    suits = cards.SUIT.values()
    for seat, hand in enumerate(table.hands):
        unseen = table.unseen[seat]
        for suit in suits:
            held = (hand & suit).bit_count()
            if held >= TOO_LONG_SUIT:
                known.add(seat)
            elif held + unseen >= TOO_LONG_SUIT and held + (table.hidden & suit).bit_count() >= TOO_LONG_SUIT:
                perhaps.add(seat)
    return OutOfCall(frozenset(known), frozenset(perhaps - known))


def has_long_suit(hands: Sequence[Sequence[str]]) -> bool:
    """Whether somebody is dealt nine or more cards of one suit."""
    masks = [cards.total(hand) for hand in hands]
    return any((hand & suit).bit_count() >= TOO_LONG_SUIT for hand in masks for suit in cards.SUIT.values())


# --- Tricks and scores ----------------------------------------------------------------------------------------------

FAILED_13 = -16


class Played(msgspec.Struct, frozen=True, gc=False):
    """A contract and how it went: tricks bid, tricks taken by the bidding team, and what shows it."""

    bid: int
    taken: int
    bidders: int
    facts: Mapping[str, Any]
    causes: Sequence[Any]

    def own(self, points: int, clause: str) -> Line:
        """What the bidding team gets."""
        return Line(self.bidders, points, clause, self.facts, self.causes)

    def other(self, points: int, clause: str) -> Line:
        """What the defenders get."""
        return Line(1 - self.bidders, points, clause, self.facts, self.causes)


def tricks(table: Table, bid: events.TricksBid) -> Generator[Stage, None, Played]:
    """The thirteen tricks of a contract: its bidder leads to the first, who took a trick leads to the next."""
    tricks = Trick(table, bid.seat, cards.SUIT.get(table.trump or "", 0), count=TRICK_COUNT)
    yield tricks

    bidders = table.side(bid.seat)
    taken = table.tricks_of(bidders)
    decisive = bidders if taken >= bid.tricks else 1 - bidders
    causes = (
        bid,
        *[end for winner, end in zip(tricks.winners, tricks.ends, strict=True) if table.side(winner) == decisive],
    )
    facts = {"bid": bid_name(bid), "tricks": taken, "defended": TRICK_COUNT - taken}
    return Played(bid.tricks, taken, bidders, facts, causes)


def score(
    played: Played, *, capot: int = 16, capot_bid: int = 26, sweep: int = 16, doubles_failed_13: bool = False
) -> list[Line]:
    """The scoring table: the line of the bidding team, and that of the defenders.

    ``capot`` is for all 13 tricks over a lower bid, ``capot_bid`` for a bid of 13 made, ``sweep`` for all 13 tricks
    against a bid. ``doubles_failed_13``: against a bid of 13 each trick counts twice, a sweep like any other.
    """
    own, other, bid, taken = played.own, played.other, played.bid, played.taken
    defended = TRICK_COUNT - taken
    if taken >= bid:
        if taken < TRICK_COUNT:
            return [own(taken, "score.made"), other(0, "score.made")]
        if bid < TRICK_COUNT:
            return [own(capot, "score.capot"), other(0, "score.capot")]
        return [own(capot_bid, "score.capot-bid"), other(0, "score.capot-bid")]
    if bid < TRICK_COUNT:
        lost = own(-bid, "score.failed")
    else:
        lost = own(FAILED_13, "score.failed-13")
    if bid == TRICK_COUNT and doubles_failed_13:
        return [lost, other(2 * defended, "score.defended-13")]
    if taken == 0:
        return [lost, other(sweep, "score.defender-sweep")]
    return [lost, other(defended, "score.defended")]
