"""Tarneeb, Egyptian: a bid names tricks and trump together, no trump included, and may be doubled and redoubled.

Four seats, teams 0 and 2 against 1 and 3, clockwise, 52 cards, ace high. The running order below is the rules page from
top to bottom; the scoring table is the family's, in ``trick_contracts``.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec import Meta

from auditor import cards, events, trick_contracts
from auditor.auctions import REDOUBLED, Answer, Auction, Confirmation
from auditor.deals import Deal, Shuffle
from auditor.game import Game
from auditor.settlement import Line, Reading, Settlement
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage
from auditor.table import Numbers, Table
from auditor.trick_contracts import DEAL_ORDER, TRICK_COUNT, Played, bid_name, bid_strength, out_of_call, tricks

ID = "tarneeb-masrawi"


#: ``target``: the total that ends the match; ``rounds``: 1 for a quick match of one scored deal.
Options = events.options_form(
    target=Annotated[int, Meta(ge=1, le=events.LARGEST_INTEGER)],
    rounds=Literal[1],
)


DEFAULTS = MappingProxyType({"target": 31})


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: deals until a team's total is at or over the target; the higher total wins, a tie is a draw."""
    is_quick = "rounds" in table.options
    target: int = table.options["target"]

    def ends(totals: Numbers) -> bool:
        return totals != (0, 0) if is_quick else max(totals) >= target  # no scored deal leaves both teams at 0

    dealer = None  # the first deal may have any dealer
    while not ends(table.totals):
        try:
            deal = Deal(table, cards.PACK_52, TRICK_COUNT, DEAL_ORDER, dealer, shuffle)
            yield deal
            dealer = deal.dealer
            assert dealer is not None

            out = out_of_call(table)
            auction = Auction(table, table.after(dealer), BIDS, out.known, out.perhaps, has_double=True)
            if not auction.is_done:  # all four may be out
                yield auction
            if auction.is_void:
                yield Settlement(table, trick_contracts.VOID, ends, is_void=True)
                continue  # the same dealer deals again

            answer = None
            if auction.is_doubled:
                answer = Answer(auction)
                yield answer
            assert auction.standing is not None
            table.trump = auction.standing.trump
            if answer is None:
                yield Confirmation(table, auction.declarer)

            played = yield from tricks(table, auction.standing)

            yield Settlement(table, [Reading({}, score(played, auction, answer), table.side_count)], ends)
            dealer = table.after(dealer)
        except BrokenDeal:
            dealer = None  # anybody may deal after a broken deal

    yield MatchOver(trick_contracts.winner(table.totals))


class _Bids:
    """A bid names 7 to 13 tricks and a trump; more tricks outbid, or as many in a higher suit."""

    def judge(self, bid: events.TricksBid, standing: events.TricksBid | None) -> Fault | None:
        if fault := trick_contracts.judge_range(bid):
            return fault
        if standing is not None and bid_strength(bid) <= bid_strength(standing):
            return trick_contracts.not_outbid(bid, standing)
        return None

    def is_contract(self, bid: events.TricksBid) -> bool:
        return trick_contracts.is_contract(bid)

    def ends_auction(self, bid: events.TricksBid) -> bool:
        return False  # the highest bid of all may still be doubled

    def legal(self, standing: events.TricksBid | None) -> list[str]:
        return [bid_name(bid) for bid in trick_contracts.every_bid(seat=0) if self.judge(bid, standing) is None]

    def name(self, bid: events.TricksBid) -> str:
        return bid_name(bid)


BIDS = _Bids()


def score(played: Played, auction: Auction, answer: Answer | None) -> list[Line]:
    """What the deal scores. A double is for the bidding team, gain or loss: twice its points, redoubled four times."""
    lines = trick_contracts.score(played)
    own = lines[0].points
    if answer is not None:
        lines.append(Line(played.bidders, own, "score.double", played.facts, (auction.double,)))
        if answer.factor == REDOUBLED:
            lines.append(Line(played.bidders, 2 * own, "score.redouble", played.facts, (answer,)))
    return lines


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
        | events.Redouble
        | events.Accept
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
