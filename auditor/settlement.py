"""Settling a deal: what it is worth line by line, under each reading of what the rules leave open, and the claim of it.

In: the lines of a deal's score and a ``score`` claim, if there is one. Out: totals, and the lines that they come from.
Refuses to know how points are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import msgspec
from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from auditor import events
from auditor.claims import after_claim, wrong, wrong_score
from auditor.stage import Fault, Stage, deal_over, word_for
from auditor.table import Numbers, Table, added
from auditor.verdict import POINTS, Outcome

#: One choice for each open point in question.
Choices: TypeAlias = Mapping[str, Any]


class Line(msgspec.Struct, frozen=True, gc=False):
    """What a side gets, and why.

    ``clause`` is the entry of the rulebook that gives the reason, ``facts`` fill its sentence. ``causes`` brought it
    about, in the order of the log: events, or their indexes, and stages, which stand for the event with which they were
    done.
    """

    side: int
    points: int
    clause: str
    facts: Mapping[str, Any] = MappingProxyType({})
    causes: Sequence[Any] = ()
    unit: str = POINTS


def points_of(lines: Iterable[Line], side_count: int) -> Numbers:
    """What lines come to, one number a side."""
    points = [0] * side_count
    for line in lines:
        if line.unit == POINTS:
            points[line.side] += line.points
    return tuple(points)


class Reading:
    """What a deal scores under one choice for each open point in question: its lines, and one number a side."""

    __slots__ = ("choices", "lines", "points")

    def __init__(self, choices: Choices, lines: Sequence[Line], side_count: int) -> None:
        self.choices = choices
        self.lines = lines
        self.points = points_of(lines, side_count)


def readings(
    score: Callable[[Choices], Sequence[Line]], open_points: Mapping[str, Sequence[Any]], side_count: int
) -> list[Reading]:
    """Every reading of a deal, the default (the first choice of each point) first.

    ``score`` gives the lines under given choices; ``open_points`` lists the choices that nothing has settled.
    """
    if not open_points:
        return [Reading({}, score({}), side_count)]
    combinations = product(*open_points.values())
    choices = (dict(zip(open_points, combination, strict=True)) for combination in combinations)
    return [Reading(choice, score(choice), side_count) for choice in choices]


@mypyc_attr(allow_interpreted_subclasses=True)
class Settlement(Stage):
    """A deal is over and its points are due; the table may claim them before anything else happens.

    A claim that equals any reading is right and that reading is taken. Without a claim the default is taken,
    unless what comes next shows that the table took another. ``ends`` says whether totals end the match, ``cut_short``
    whether the deal ended with cards in hand: a card that is played all the same is told once, and what follows of it
    is not replayed.
    """

    __slots__ = (
        "_ends",
        "_outcomes",
        "_readings",
        "claimed_points",
        "claimed_totals",
        "is_done",
        "is_void",
        "points",
        "table",
    )

    hears: ClassVar[tuple[type, ...]] = events.SCORE_CLAIMS
    quick: ClassVar[tuple[type, ...]] = hears
    closes_deal: ClassVar[bool] = True

    def __init__(
        self,
        table: Table,
        readings: Sequence[Reading],
        ends: Callable[[Numbers], bool],
        is_void: bool = False,
        cut_short: bool = False,
    ) -> None:
        self.table = table
        self.is_void = is_void
        table.is_cut_short = cut_short
        self.is_done = False
        self.points = readings[0].points
        self.claimed_points: Numbers | None = None
        self.claimed_totals: Numbers | None = None
        self._readings = readings
        self._ends = ends
        #: The points and the totals that may come of it, the default first.
        self._outcomes = [
            (reading.points, added(base, reading.points)) for reading in readings for base in table.possible_totals()
        ]

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take the claim of the last trick, and then that of the score."""
        index = after_claim(self.table, log, index)
        return super().take(log, index) if index < len(log) else index

    def judge(self, claim: events.TeamScoreClaim | events.SeatScoreClaim) -> Fault | None:
        points, totals = tuple(claim.deal), tuple(claim.total)
        if self.claimed_points is not None:
            return wrong_score([], points, {})
        if (points, totals) in self._outcomes:
            return None
        agreeing = [outcome for outcome in self._outcomes if outcome[0] == points]
        if agreeing:
            return wrong("claim.total", agreeing[0][1], totals)
        return wrong_score([outcome[0] for outcome in self._outcomes], points, self._basis())

    def _basis(self) -> dict[str, Any]:
        """What the points come from, where there was a contract: the bid, and the tricks of each side."""
        table = self.table
        if table.contract is None:
            return {}
        return {"bid": table.contract.bid, "tricks": [table.tricks_of(side) for side in range(table.side_count)]}

    def apply(self, claim: events.TeamScoreClaim | events.SeatScoreClaim) -> None:
        self.table.closed_trick = None
        if self.claimed_points is not None:
            return
        self.claimed_points = points = tuple(claim.deal)
        self.claimed_totals = totals = tuple(claim.total)
        outcomes = self._outcomes
        self._outcomes = [outcome for outcome in outcomes if outcome[0] == points] or outcomes
        if len(self._outcomes) == 1 or (points, totals) in self._outcomes:
            self._settle(lambda outcome: outcome == (points, totals))
        # Otherwise the claim is wrong, and what comes next may still show which reading the table took.

    def unheard(self, event: Any) -> Fault:
        if self.table.is_cut_short and isinstance(event, events.PLAYS):
            return deal_over(event)
        if self.ends_match:
            return Fault("match.over", False)
        fault = super().unheard(event)
        return replace(fault, facts={**fault.facts, "awaited": word_for(events.OPENERS[0])})

    @property
    def outcome(self) -> Outcome:
        """What is said of the deal once it is settled."""
        return "void" if self.is_void else "scored"

    @property
    def lines(self) -> Sequence[Line]:
        """The lines that the points come from."""
        return self._taken.lines

    @property
    def _taken(self) -> Reading:
        """The reading that was taken: of several with the same points the first."""
        for reading in self._readings:
            if reading.points == self.points:
                return reading
        raise AssertionError("points that no reading gives")

    def leaves_open(self, event: Any) -> bool:
        """Whether some readings of the deal may forbid what others allow: a next deal, or a claim."""
        if isinstance(event, events.OPENERS):
            return any(self._ends(totals) for _, totals in self._outcomes)
        return len(set(self._outcomes)) > 1

    @property
    def ends_match(self) -> bool:
        """Whether the match is over now, however the deal is read."""
        return all(self._ends(totals) for _, totals in self._outcomes)

    def yields_to(self, event: Any) -> bool:
        """A next deal or the result of the match: the points of this deal will not be claimed any more."""
        return isinstance(event, events.RESULT_CLAIMS if self.ends_match else events.OPENERS + events.RESULT_CLAIMS)

    def pass_over(self, event: Any) -> None:
        """Nobody claims. What comes next may show which reading the table took."""
        if isinstance(event, events.RESULT_CLAIMS):
            self._settle(lambda outcome: outcome[1] == tuple(event.total))
        elif isinstance(event, events.OPENERS):
            self._settle(lambda outcome: not self._ends(outcome[1]))
        else:
            self._settle()

    def leaned_on(self) -> Iterator[tuple[str, Any, dict[str, Numbers]]]:
        """Each open point that changes the points: its id, the choice taken, and the points under each choice."""
        if len(self._readings) == 1:
            return
        taken = self._taken.choices
        for point in taken:
            by_choice = {
                str(reading.choices[point]): reading.points
                for reading in self._readings
                if all(reading.choices[other] == taken[other] for other in taken if other != point)
            }
            if len(set(by_choice.values())) > 1:
                yield point, taken[point], by_choice

    def _settle(self, is_meant: Callable[[tuple[Numbers, Numbers]], bool] | None = None) -> None:
        """Take the first outcome that is meant or, where none is, the default; the others stay possible for totals."""
        outcomes = self._outcomes
        if is_meant is not None and len(outcomes) > 1:
            outcomes = [outcome for outcome in outcomes if is_meant(outcome)] or outcomes
        self.is_done = True
        self.points, totals = outcomes[0]
        self.table.set_totals(totals, [other for _, other in outcomes[1:]])
