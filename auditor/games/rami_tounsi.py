"""Tunisian rami: draw, lay melds, discard; the opening is 51, and the lowest total wins.

Two to four seats, each for itself, two packs of 52 and jokers. The running order below is the rules page from top to
bottom; what a round scores stands beneath it. The turns are in ``turns``, what a run and a set are in ``melds``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import sub
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta
from msgspec.structs import replace

from auditor import cards, events
from auditor.claims import wrong, wrong_score
from auditor.deals import Shuffle
from auditor.events import JOKER, LARGEST_INTEGER, Whole
from auditor.game import Game
from auditor.melds import hand_points
from auditor.settlement import Choices, Line, Reading, Settlement, points_of, readings
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage
from auditor.stock import Spread, StockDeal
from auditor.table import Numbers, Table, added
from auditor.turns import Turns
from auditor.verdict import Outcome

ID = "rami-tounsi"
FEWEST_SEATS, MOST_SEATS = 2, 4
PACK_COUNT = 2


#: ``classic`` openings rise, and closing takes a tierce; penalties are for cards left in hand.
Options = events.options_form(
    variant=Literal["classic", "simple"],
    target=Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)],
    opening=Literal[51, 61, 71],
    jokers=Literal[0, 1, 2, 3, 4],
    hand_size=Literal[13, 14],
    ace_penalty=Literal[1, 10, 11],
    joker_penalty=Whole,
)


DEFAULTS = MappingProxyType(
    {
        "variant": "classic",
        "target": 500,
        "opening": 51,
        "jokers": 4,
        "hand_size": 14,
        "ace_penalty": 10,
        "joker_penalty": 10,
    }
)


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: rounds until a total has reached the target and one seat alone has the lowest; that seat wins."""
    options = table.options
    pack = cards.PACK_52.codes * PACK_COUNT + (JOKER,) * options["jokers"]
    is_classic = options["variant"] == "classic"

    def ends(totals: Numbers) -> bool:
        return max(totals) >= options["target"] and totals.count(min(totals)) == 1

    dealer = None  # the first round may have any dealer
    is_known = True  # whether all rounds so far could be scored
    while not (is_known and ends(table.totals)):
        try:
            deal = StockDeal(table, pack, options["hand_size"], dealer, shuffle)
            yield deal
            dealer = deal.dealer
            assert dealer is not None

            # The seat with one card more starts, without a draw.
            must_draw = deal.starter is None
            first = table.after(dealer) if deal.starter is None else deal.starter
            turns = Turns(table, deal.spread, first, must_draw, options["opening"], is_classic)
            yield turns

            held = hands_left(table, deal.spread, turns)
            if turns.is_void:
                score = RoundScore(table, VOID[table.seat_count], ends, is_known, is_void=True)
            elif any(table.unseen[seat] for seat in held):  # cards that count, and that the log does not show
                fewest, most = bounds(table, held, turns)
                score = RoundScore(table, [Reading({}, fewest, table.seat_count)], ends, is_known, most)
            else:
                score = RoundScore(table, worth(table, held, turns), ends, is_known)
            yield score
            is_known = score.are_totals_known
            dealer = table.after(dealer)
        except BrokenDeal:
            dealer = None  # anybody may deal after a broken round

    yield MatchOver(table.totals.index(min(table.totals)))


# The score of a round: penalties, one number a seat

NOTHING_LAID = 100
ZAL3A = 50
#: What a seat still holds; and where the log does not show all of it.
HAND, UNSEEN_HAND = "score.hand", "score.unseen-hand"
#: Hands by seat.
Held: TypeAlias = Mapping[int, Sequence[str]]
#: What a joker left in a hand counts where the table has not said so, the default first.
JOKER_PENALTIES = (10, 20, 25, 30)
VOID = {seats: [Reading({}, (), seats)] for seats in range(FEWEST_SEATS, MOST_SEATS + 1)}


def hands_left(table: Table, spread: Spread, turns: Turns) -> Held:
    """What the seats that have laid a meld in the round still hold, but for the one that closes."""
    return {seat: table.held(seat) for seat in {meld.seat for meld in spread.melds} if seat != turns.turn}


def worth(table: Table, held: Held, turns: Turns) -> list[Reading]:
    """What the round scores, under each reading of what a joker counts."""
    is_open = "joker_penalty" not in table.given and any(JOKER in hand for hand in held.values())

    def lines(choices: Choices) -> list[Line]:
        return score(table, held, turns, choices.get("open.joker-penalty", table.options["joker_penalty"]))

    return readings(lines, {"open.joker-penalty": JOKER_PENALTIES} if is_open else {}, table.seat_count)


def score(table: Table, held: Held, turns: Turns, joker: int, unseen: Sequence[int] = ()) -> list[Line]:
    """The seat that closes 0, one that laid a meld what it still holds, one that laid nothing 100; zal3a on top.

    ``unseen`` are penalties of the cards that the log does not show, from which those of each hand are taken.
    """
    ace: int = table.options["ace_penalty"]
    lines = []
    for seat in range(table.seat_count):
        if seat == turns.turn:
            lines.append(Line(seat, 0, "score.closed", {"seat": seat}, (turns,)))
        elif seat in held:
            hand = held[seat]
            points = sum([hand_points(card, ace, joker) for card in hand]) + sum(unseen[: table.unseen[seat]])
            clause = UNSEEN_HAND if table.unseen[seat] else HAND
            lines.append(Line(seat, points, clause, {"seat": seat, "cards": hand}, (turns,)))
        else:
            lines.append(Line(seat, NOTHING_LAID, "score.nothing-laid", {"seat": seat}, (turns,)))
        if turns.lost is not None and seat == turns.lost.seat:
            lines.append(Line(seat, ZAL3A, "score.zal3a", {"seat": seat}, (turns.lost, turns)))
    return lines


def bounds(table: Table, held: Held, turns: Turns) -> tuple[list[Line], Numbers]:
    """The least that the round can score where hands have unseen cards, line by line, and the most."""
    given: int = table.options["joker_penalty"]
    jokers = (given,) if "joker_penalty" in table.given else JOKER_PENALTIES
    least, most = min(jokers), max(jokers)
    ace = table.options["ace_penalty"]
    hidden = cards.listed(table.hidden)
    fewest = sorted(hand_points(card, ace, least) for card in hidden)
    dearest = sorted((hand_points(card, ace, most) for card in hidden), reverse=True)
    return (
        score(table, held, turns, least, fewest),
        points_of(score(table, held, turns, most, dearest), table.seat_count),
    )


class RoundScore(Settlement):
    """The points of a round are due. Where the log does not show all cards that count, a claim shows what they are.

    ``most`` are then the most points that there can be, and those of the reading the fewest. ``was_known`` says whether
    the totals before this round are known; otherwise they are at least what they seem to be, and the next claim of
    totals shows them.
    """

    __slots__ = ("_bases", "_most", "_was_known", "are_totals_known", "is_scored")

    def __init__(
        self,
        table: Table,
        readings: Sequence[Reading],
        ends: Callable[[Numbers], bool],
        was_known: bool,
        most: Numbers | None = None,
        is_void: bool = False,
    ) -> None:
        super().__init__(table, readings, ends, is_void)
        self._bases = table.possible_totals()
        self._most = most
        self._was_known = was_known
        self.is_scored = most is None
        self.are_totals_known = self._is_sure

    @property
    def _is_sure(self) -> bool:
        return self._was_known and self._most is None

    @property
    def outcome(self) -> Outcome:
        """A round that nobody claims and that cannot be scored counts as broken."""
        return super().outcome if self.is_scored else "broken"

    @property
    def lines(self) -> Sequence[Line]:
        """A hand with unseen cards counts what the claim gives it."""
        if self._most is None:
            return super().lines
        fewest = self._readings[0]
        learned = tuple(map(sub, self.points, fewest.points))
        return [
            replace(line, points=line.points + learned[line.side]) if line.clause in (HAND, UNSEEN_HAND) else line
            for line in fewest.lines
        ]

    @property
    def ends_match(self) -> bool:
        return self._is_sure and super().ends_match

    def take(self, log: Sequence[Any], index: int) -> int:
        return super().take(log, index) if self._is_sure else index

    def judge(self, claim: events.TeamScoreClaim | events.SeatScoreClaim) -> Fault | None:
        if self._is_sure:
            return super().judge(claim)
        points, totals = tuple(claim.deal), tuple(claim.total)
        if claim.refused is True:
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        if not self._may_score(points):
            return wrong_score([self.points], points, {})
        if not self._may_total(points, totals):
            return wrong("claim.total", added(self._bases[0], points), totals)
        return None

    def apply(self, claim: events.TeamScoreClaim | events.SeatScoreClaim) -> None:
        super().apply(claim)
        if not self._is_sure:
            self._learn(tuple(claim.deal), tuple(claim.total))

    def pass_over(self, event: Any) -> None:
        """Nobody claims. A result shows the totals, and so what the round must have scored."""
        super().pass_over(event)
        if not self._is_sure and isinstance(event, events.RESULT_CLAIMS):
            totals = tuple(event.total)
            if self._was_known:
                for base in self._bases:
                    self._learn(tuple(map(sub, totals, base)), totals)
            elif self._may_total(self.points, totals):
                self.table.totals, self.are_totals_known = totals, True

    def _learn(self, points: Numbers, totals: Numbers) -> None:
        """Take points if they can be right, and totals if they fit them."""
        if self._may_score(points):
            is_sum = self._may_total(points, totals)
            self.points = points
            self.table.totals = totals if is_sum else added(self._bases[0], points)
            self.table.other_totals = frozenset()
            self.is_scored = True
            self.are_totals_known = is_sum or self._was_known

    def _may_score(self, points: Numbers) -> bool:
        if self._most is None:
            return any(reading.points == points for reading in self._readings)
        fewest = self._readings[0].points
        return all(low <= point <= high for low, point, high in zip(fewest, points, self._most, strict=True))

    def _may_total(self, points: Numbers, totals: Numbers) -> bool:
        if self._was_known:
            return totals in [added(base, points) for base in self._bases]
        return all(total >= least for total, least in zip(totals, added(self._bases[0], points), strict=True))

    def leaned_on(self) -> Iterator[tuple[str, Any, dict[str, Numbers]]]:
        if not self._is_sure:
            yield "note.unseen", None, {}
        yield from super().leaned_on()


def timeout(stage: Stage, act: Any) -> Fault | None:
    """When a clock runs out the system may do anything legal."""
    return None


GAME = Game(
    ID,
    events.match_form(
        ID,
        events.Draw
        | events.Discard
        | events.LayMeld
        | events.Add
        | events.Swap
        | events.Return
        | events.RamiDeal
        | events.Reshuffle
        | events.SeatScoreClaim
        | events.SeatResultClaim
        | events.Note,
        Options,
        FEWEST_SEATS,
        MOST_SEATS,
    ),
    DEFAULTS,
    running_order,
    timeout,
    has_partners=False,
    seat_counts=tuple(range(FEWEST_SEATS, MOST_SEATS + 1)),
)
