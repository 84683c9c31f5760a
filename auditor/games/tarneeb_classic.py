"""Tarneeb, classic: the trump is named after the auction.

Four seats, teams 0 and 2 against 1 and 3, anticlockwise, 52 cards, ace high. The running order below is the rules
page from top to bottom; the numbers of the scoring table that are open here stand beneath it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Literal

from msgspec import UNSET

from auditor import cards, events, trick_contracts
from auditor.auctions import Auction, TrumpNaming
from auditor.deals import Deal, Shuffle
from auditor.game import Game
from auditor.settlement import Choices, Line, Reading, Settlement, readings
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage
from auditor.table import Numbers, Table
from auditor.trick_contracts import DEAL_ORDER, LOWEST_BID, TRICK_COUNT, Played, bid_name, tricks
from auditor.tricks import Trick

ID = "tarneeb-classic"


#: ``target``: the total that ends the match; ``defender_sweep``: all 13 tricks against a bid under 13.
Options = events.options_form(
    target=Literal[31, 41, 61],
    defender_sweep=Literal[16, 13],
)


DEFAULTS = MappingProxyType({"target": 31, "defender_sweep": 16})


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: deals until a team's total is at or over the target; the higher total wins, a tie is a draw."""
    target: int = table.options["target"]

    def ends(totals: Numbers) -> bool:
        return max(totals) >= target

    dealer = None  # the first deal may have any dealer
    while not ends(table.totals):
        try:
            deal = Deal(table, cards.PACK_52, TRICK_COUNT, DEAL_ORDER, dealer, shuffle)
            yield deal
            dealer = deal.dealer
            assert dealer is not None

            auction = Auction(table, table.after(dealer), BIDS)
            yield auction
            if auction.is_void:
                yield Settlement(table, trick_contracts.VOID, ends, is_void=True)
                continue  # the same dealer deals again

            assert auction.standing is not None
            yield TrumpNaming(table, auction.declarer)
            played = yield from tricks(table, auction.standing)

            yield Settlement(table, worth(table, played), ends)
            dealer = table.after(dealer)
        except BrokenDeal:
            dealer = None  # anybody may deal after a broken deal

    yield MatchOver(trick_contracts.winner(table.totals))


class _Bids:
    """A bid names 7 to 13 tricks and no trump; more tricks outbid; nobody speaks after a bid of 13."""

    def judge(self, bid: events.TricksBid, standing: events.TricksBid | None) -> Fault | None:
        if not LOWEST_BID <= bid.tricks <= TRICK_COUNT or bid.trump is not UNSET:
            return Fault("auction.range", True, {"seat": bid.seat, "bid": bid_name(bid)})
        if standing is not None and bid.tricks <= standing.tricks:
            return trick_contracts.not_outbid(bid, standing)
        return None

    def is_contract(self, bid: events.TricksBid) -> bool:
        return bid.tricks <= TRICK_COUNT and bid.trump != events.NO_TRUMP

    def ends_auction(self, bid: events.TricksBid) -> bool:
        return bid.tricks == TRICK_COUNT

    def legal(self, standing: events.TricksBid | None) -> list[str]:
        lowest = LOWEST_BID if standing is None else max(LOWEST_BID, standing.tricks + 1)
        return [str(number) for number in range(lowest, TRICK_COUNT + 1)]

    def name(self, bid: events.TricksBid) -> str:
        return bid_name(bid)


BIDS = _Bids()

#: What the source's lost table leaves open, each with its default first: all 13 tricks made over a lower bid, a
#: bid of 13 made, and all 13 tricks taken against a bid under 13.
CAPOT = (16, 13)
CAPOT_BID = (26, 13)
DEFENDER_SWEEP = (16, 13)


def worth(table: Table, played: Played) -> list[Reading]:
    """What the deal scores, under each reading of what is open."""
    open_points: dict[str, tuple[int, ...]] = {}
    if played.taken == TRICK_COUNT:
        open_points["open.capot"] = CAPOT_BID if played.bid == TRICK_COUNT else CAPOT
    elif played.taken == 0 and 0 < played.bid < TRICK_COUNT:
        settled = "defender_sweep" in table.given
        open_points["open.defender-sweep"] = (table.options["defender_sweep"],) if settled else DEFENDER_SWEEP

    def score(choices: Choices) -> list[Line]:
        capot = choices.get("open.capot", 0)
        sweep = choices.get("open.defender-sweep", 0)
        return trick_contracts.score(played, capot=capot, capot_bid=capot, sweep=sweep, doubles_failed_13=True)

    return readings(score, open_points, table.side_count)


def timeout(stage: Stage, act: Any) -> Fault | None:
    """When a clock runs out the system passes, or plays a weakest legal card; naming a trump it is free."""
    if isinstance(stage, Auction) and not isinstance(act, events.Pass):
        return Fault("timeout.policy", True, {"seat": act.seat, "act": BIDS.name(act)}, legal=["pass"])
    if isinstance(stage, Trick):
        return stage.judge_clock(act)
    return None


GAME = Game(
    ID,
    events.match_form(
        ID,
        events.Deal
        | events.TricksBid
        | events.Pass
        | events.NameTrump
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
)
