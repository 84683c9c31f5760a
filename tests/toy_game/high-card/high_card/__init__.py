"""High card: everybody shows one card, and the higher one scores.

Four seats, teams 0 and 2 against 1 and 3, 52 cards, ace high.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from auditor import cards, events
from auditor.deals import Deal, Shuffle, in_batches
from auditor.game import Game
from auditor.settlement import Line, Reading, Settlement
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage
from auditor.table import Numbers, Table

ID = "high-card"
SEAT_COUNT = 4
HAND_SIZE = 1
DEAL_ORDER = in_batches([HAND_SIZE], SEAT_COUNT)


class Options(msgspec.Struct, forbid_unknown_fields=True, gc=False, kw_only=True, frozen=True):
    """``target``: the points that win the match."""

    target: Literal[3, 5] | UnsetType = UNSET


DEFAULTS = MappingProxyType({"target": 3})


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: deals until a team has the target."""
    target: int = table.options["target"]

    def ends(totals: Numbers) -> bool:
        return max(totals) >= target

    dealer = None  # anybody may deal first
    while not ends(table.totals):
        try:
            deal = Deal(table, cards.PACK_52, HAND_SIZE, DEAL_ORDER, dealer, shuffle)
            yield deal
            assert deal.dealer is not None

            showing = Showing(table, table.after(deal.dealer))
            yield showing

            yield Settlement(table, [Reading({}, score(showing), table.side_count)], ends)
            dealer = table.after(deal.dealer)
        except BrokenDeal:
            dealer = None  # and after a broken deal

    yield MatchOver(int(table.totals[0] < table.totals[1]))


def score(showing: Showing) -> list[Line]:
    """A point for the team with the highest card; none if both have one as high."""
    ranks = {seat: cards.RANKS.index(card[0]) for seat, card in showing.shown.items()}
    highest = [seat for seat, rank in ranks.items() if rank == max(ranks.values())]
    teams = {seat % 2 for seat in highest}
    clause = "score.highest" if len(teams) == 1 else "score.level"
    facts = {"cards": [showing.shown[seat] for seat in highest]}
    return [Line(team, int(teams == {team}), clause, facts, (showing,)) for team in (0, 1)]


class Showing(Stage):
    """The seats show their cards in turn, the one after the dealer first."""

    __slots__ = ("is_done", "shown", "table", "turn")

    hears: ClassVar[tuple[type, ...]] = (events.Play,)
    quick: ClassVar[tuple[type, ...]] = hears

    def __init__(self, table: Table, first: int) -> None:
        self.table = table
        self.turn = first
        self.shown: dict[int, str] = {}
        self.is_done = False

    def judge(self, play: events.Play) -> Fault | None:
        if play.seat != self.turn:
            return Fault("show.turn", False, {"seat": play.seat, "turn": self.turn})
        card = cards.BIT[play.card]
        if not self.table.hands[play.seat] & card and not self.table.may_be_unseen(play.seat, card):
            return Fault("show.card", False, {"seat": play.seat, "card": play.card})
        return None

    def apply(self, play: events.Play) -> None:
        card = cards.BIT[play.card]
        if not self.table.hands[play.seat] & card:  # the log did not show it before
            self.table.show(play.seat, card)
        self.table.hands[play.seat] ^= card
        self.shown[play.seat] = play.card
        self.turn = self.table.after(play.seat)
        self.is_done = len(self.shown) == SEAT_COUNT

    def legal(self) -> list[str]:
        return cards.codes(self.table.hands[self.turn])

    def moves(self) -> Sequence[events.Play]:
        return [events.Play(seat=self.turn, card=card) for card in self.legal()]  # type: ignore[arg-type]


def timeout(stage: Stage, act: Any) -> Fault | None:
    """There is nothing to choose, so the clock can do nothing wrong."""
    return None


GAME = Game(
    ID,
    events.match_form(
        ID,
        events.Deal | events.Play | events.TeamScoreClaim | events.TeamResultClaim | events.Note,
        Options,
    ),
    DEFAULTS,
    running_order,
    timeout,
)
