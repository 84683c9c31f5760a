"""Contracts of 7 to 13 tricks: what the rulesets of the Tarneeb family share.

In: bids, hands, tricks taken. Out: whether a bid is in range, what outbids what where bids name a trump, who holds too
many cards of a suit to call, the thirteen tricks of a deal, and the scoring table with the numbers that differ handed
in. Refuses to know which ruleset asks, and what any of them leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import UNSET

from auditor import cards, events
from auditor.deals import in_batches
from auditor.settlement import Reading
from auditor.stage import Fault, RunningOrder
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
VOID = (Reading({}, (0, 0)),)


def tricks(table: Table, leader: int) -> RunningOrder:
    """The thirteen tricks of a deal: ``leader`` leads the first, who took a trick leads the next."""
    trump = cards.SUIT.get(table.trump or "", 0)
    for _ in range(TRICK_COUNT):
        trick = Trick(table, leader, trump)
        yield trick
        leader = trick.winner


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
    for seat, hand in enumerate(table.hands):
        unseen = table.unseen[seat]
        for suit in cards.SUIT.values():
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


# --- Scores -------------------------------------------------------------------------------------------------------

FAILED_13 = -16


def score(
    bid: int, taken: int, *, capot: int = 16, capot_bid: int = 26, sweep: int = 16, doubles_failed_13: bool = False
) -> tuple[int, int]:
    """The scoring table: bidders' and defenders' points for ``bid`` and ``taken`` tricks of the bidding team.

    ``capot`` is for all 13 tricks over a lower bid, ``capot_bid`` for a bid of 13 made, ``sweep`` for all 13 tricks
    against a bid. ``doubles_failed_13``: against a bid of 13 each trick counts twice, a sweep like any other.
    """
    defence = TRICK_COUNT - taken
    if taken >= bid:
        if taken == TRICK_COUNT:
            return (capot_bid if bid == TRICK_COUNT else capot), 0
        return taken, 0
    lost = FAILED_13 if bid == TRICK_COUNT else -bid
    if bid == TRICK_COUNT and doubles_failed_13:
        return lost, 2 * defence
    return lost, sweep if taken == 0 else defence


def by_team(bidders: int, own: int, other: int) -> Numbers:
    """Points of the bidding team and of the other one, in the order of teams."""
    return (own, other) if bidders == 0 else (other, own)
