"""Tarneeb, Egyptian, with dakak: a poor hand moves the lowest bid of both teams, and no pass is final.

Four seats, teams 0 and 2 against 1 and 3, anticlockwise, 52 cards, ace high. The running order below is the rules page
from top to bottom; the scoring table is the family's, in ``trick_contracts``.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import Any, Literal

from msgspec import UNSET

from auditor import cards, events, trick_contracts
from auditor.circling import CirclingAuction
from auditor.deals import Deal, Shuffle
from auditor.game import Game
from auditor.settlement import Choices, Line, Reading, Settlement, readings
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage
from auditor.table import Numbers, Table
from auditor.trick_contracts import DEAL_ORDER, TRICK_COUNT, Played, bid_name, bid_strength, tricks

ID = "tarneeb-masrawi-dakak"


#: ``target``: the total that ends the match; ``dakak_floor``: the lowest bid against a dakak seat. ``double_applies``:
#: whose points a double is for.
Options = events.options_form(
    target=Literal[31, 41],
    dakak_floor=Literal["5C", "5NT", "6"],
    double_applies=Literal["both", "bidders"],
)


DEFAULTS = MappingProxyType({"target": 31, "dakak_floor": "5C", "double_applies": "both"})


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: deals until a team's total is at or over the target; the higher total wins, a tie is a draw."""
    target: int = table.options["target"]

    def ends(totals: Numbers) -> bool:
        return max(totals) >= target

    dealer = or_dealer = None  # the first deal may have any dealer
    while not ends(table.totals):
        try:
            deal = Deal(table, cards.PACK_52, TRICK_COUNT, DEAL_ORDER, dealer, shuffle, or_dealer=or_dealer)
            yield deal
            dealer, or_dealer = deal.dealer, None
            assert dealer is not None

            bids = SeatBids(table)
            auction = CirclingAuction(table, table.after(dealer), bids, bids.out.known, bids.out.perhaps)
            yield auction
            if auction.is_void:
                yield Settlement(table, trick_contracts.VOID, ends, is_void=True)
                or_dealer = table.after(dealer)  # whether the same seat deals again or the next is open
                continue

            assert auction.standing is not None
            table.trump = auction.standing.trump
            played = yield from tricks(table, auction.standing)

            yield Settlement(table, worth(table, played, auction.double), ends)
            dealer = table.after(dealer)
        except BrokenDeal:
            dealer = or_dealer = None  # anybody may deal after a broken deal

    yield MatchOver(trick_contracts.winner(table.totals))


# --- Bids ---------------------------------------------------------------------------------------------------------

#: The other way to read the order of suits in the source, the weakest first: without no trump on top.
OTHER_ORDER = (events.NO_TRUMP, "D", "H", "S", "C")

#: Honour points; a hand with four or less is dakak.
HONOURS = {"A": 4, "K": 3, "Q": 2, "J": 1}
MOST_HONOUR_POINTS = 4
_POINTS = {sum(cards.BIT[rank + suit] for suit in cards.SUITS): points for rank, points in HONOURS.items()}

Floor = events.TricksBid
LOWEST = Floor(seat=0, tricks=7)
LOWEST_WITH_DAKAK = Floor(seat=0, tricks=8)
#: The lowest bid against a dakak, by the option's value.
LOWEST_AGAINST_DAKAK: Mapping[str, Floor] = {
    "5C": Floor(seat=0, tricks=11),
    "5NT": Floor(seat=0, tricks=11, trump="NT"),
    "6": Floor(seat=0, tricks=12),
}


class SeatBids:
    """The bids of a deal: 7 to 13 tricks with a trump, higher than the last, and not under the floor of the team.

    Nobody bids who is out of call.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.out = trick_contracts.out_of_call(table)
        dakak = [is_dakak(table, seat) for seat in range(table.seat_count)]
        #: By team: whether one of its seats is dakak. Both stand where the log does not show it.
        self._dakak = [_any(dakak[team :: table.side_count]) for team in range(table.side_count)]

    def judge(self, bid: events.TricksBid, standing: events.TricksBid | None) -> Fault | None:
        fault = trick_contracts.judge_range(bid)
        if fault is not None:
            return fault
        if standing is not None and not self._outbids(bid, standing):
            return trick_contracts.not_outbid(bid, standing)
        is_above = standing is None or bid_strength(bid) > bid_strength(standing)
        if bid.trump == events.NO_TRUMP or not is_above:
            self.table.lean("open.suit-order", bid=bid_name(bid))
        if bid.seat in self.out.known:
            return Fault("auction.out-of-call", True, {"seat": bid.seat, "bid": bid_name(bid)})
        if bid.seat in self.out.perhaps:
            self._lean_on_unseen()
        return self._judge_floor(bid)

    def is_contract(self, bid: events.TricksBid) -> bool:
        return trick_contracts.is_contract(bid)

    def legal(self, seat: int, standing: events.TricksBid | None) -> list[str]:
        if seat in self.out.known:
            return []
        return [
            bid_name(bid)
            for bid in trick_contracts.every_bid(seat)
            if (standing is None or self._outbids(bid, standing)) and not self._is_under_floor(bid)
        ]

    def name(self, bid: events.TricksBid) -> str:
        return bid_name(bid)

    def _outbids(self, bid: events.TricksBid, standing: events.TricksBid) -> bool:
        """More tricks, or as many in a suit that is higher in one of the two orders."""
        if bid.tricks != standing.tricks or standing.trump is UNSET:
            return bid_strength(bid) > bid_strength(standing)
        orders = (trick_contracts.TRUMPS, OTHER_ORDER)
        return any(order.index(bid.trump) > order.index(standing.trump) for order in orders)

    # The floors

    def _judge_floor(self, bid: events.TricksBid) -> Fault | None:
        if self._is_under_floor(bid):
            lowest = bid_name(self._floor(*self._teams(bid)[0]))
            return Fault("auction.dakak", True, {"seat": bid.seat, "bid": bid_name(bid), "lowest": lowest})
        leanings = {self._leans(bid, own, other) for own, other in self._teams(bid)}
        if len(leanings) > 1:
            self._lean_on_unseen()
            return None
        for point in leanings.pop() or ():
            self.table.lean(point, bid=bid_name(bid))
        return None

    def _is_under_floor(self, bid: events.TricksBid) -> bool:
        """Whether a bid is under the floor of its team, whatever cards the log does not show."""
        return all(_is_under(bid, self._floor(own, other)) for own, other in self._teams(bid))

    def _teams(self, bid: events.TricksBid) -> list[tuple[bool, bool]]:
        """Whether the bidder's team and the other one have a dakak seat: all that may be true."""
        own = self.table.side(bid.seat)
        return list(product(self._dakak[own], self._dakak[1 - own]))

    def _floor(self, own: bool, other: bool) -> Floor:
        if own:
            return LOWEST_WITH_DAKAK
        return LOWEST_AGAINST_DAKAK[self.table.options["dakak_floor"]] if other else LOWEST

    def _leans(self, bid: events.TricksBid, own: bool, other: bool) -> tuple[str, ...] | None:
        """The open points by another reading of which the bid is under the floor; ``None`` where it is in any case."""
        if _is_under(bid, self._floor(own, other)):
            return None
        is_settled = "dakak_floor" in self.table.given
        lowest = LOWEST_AGAINST_DAKAK[self.table.options["dakak_floor"]]
        highest = lowest if is_settled else LOWEST_AGAINST_DAKAK["6"]
        if not other or not _is_under(bid, highest):
            return ()
        both = ("open.dakak-both",) if own else ()
        return both if _is_under(bid, lowest) else (*both, "open.dakak-floor")

    def _lean_on_unseen(self) -> None:
        self.table.lean("note.unseen", deal=self.table.deal_count - 1)


def is_dakak(table: Table, seat: int) -> bool | None:
    """Whether a hand has four honour points or less; ``None`` where the log does not show it."""
    hand, points = table.hands[seat], 0
    for of_rank, worth in _POINTS.items():
        points += worth * (hand & of_rank).bit_count()
        if points > MOST_HONOUR_POINTS:
            return False
    return None if table.unseen[seat] else True


def _any(seats: list[bool | None]) -> tuple[bool, ...]:
    if any(seats):
        return (True,)
    return (False, True) if None in seats else (False,)


def _is_under(bid: events.TricksBid, floor: Floor) -> bool:
    return bid_strength(bid) < bid_strength(floor)


# --- Scores -------------------------------------------------------------------------------------------------------

#: What the source leaves open, each with its default first: the defenders' tricks against a failed 13, counted once or
#: twice, and whom a double is for.
FAILED_13 = ("d", "2 × d")
DOUBLE_APPLIES = ("both", "bidders")


def worth(table: Table, played: Played, double: events.Double | None) -> list[Reading]:
    """What the deal scores, under each reading of what is open."""
    open_points: dict[str, tuple[str, ...]] = {}
    if played.taken < played.bid == TRICK_COUNT:
        open_points["open.failed-13"] = FAILED_13
    if double is not None:
        settled = "double_applies" in table.given
        open_points["open.double-applies"] = (table.options["double_applies"],) if settled else DOUBLE_APPLIES

    def score(choices: Choices) -> list[Line]:
        lines = trick_contracts.score(played, doubles_failed_13=choices.get("open.failed-13") == "2 × d")
        if double is not None:
            is_for_both = choices["open.double-applies"] == "both"
            lines += [
                Line(line.side, line.points, "score.double", played.facts, (double,))
                for line in lines
                if line.points and (is_for_both or line.side == played.bidders)
            ]
        return lines

    return readings(score, open_points, table.side_count)


def timeout(stage: Stage, act: Any) -> Fault | None:
    """When a clock runs out the system may do anything legal."""
    return None


GAME = Game(
    ID,
    events.match_form(
        ID,
        events.Deal
        | events.TricksBid
        | events.Pass
        | events.Double
        | events.Play
        | events.TrickClaim
        | events.TeamScoreClaim
        | events.TeamResultClaim
        | events.Note,
        Options,
    ),
    DEFAULTS,
    running_order,
    timeout,
    is_rare=trick_contracts.has_long_suit,
)
