"""Settling a deal: what it is worth, under each reading of what the rules leave open, and the claim of it.

In: the points of a deal and a ``score`` claim, if there is one. Out: totals. Refuses to know how points are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar, TypeAlias

import msgspec

from auditor import events
from auditor.claims import wrong
from auditor.stage import Fault, Stage, word_for
from auditor.table import Numbers, Table, added

#: One choice for each open point in question.
Choices: TypeAlias = Mapping[str, Any]


class Reading(msgspec.Struct, frozen=True, gc=False):
    """What a deal scores, one number a side, under one choice for each open point in question."""

    choices: Choices
    points: Numbers


def readings(score: Callable[[Choices], Numbers], open_points: Mapping[str, Sequence[Any]]) -> list[Reading]:
    """Every reading of a deal, the default (the first choice of each point) first.

    ``score`` gives the points under given choices; ``open_points`` lists the choices that nothing has settled.
    """
    if not open_points:
        return [Reading({}, score({}))]
    combinations = product(*open_points.values())
    choices = (dict(zip(open_points, combination, strict=True)) for combination in combinations)
    return [Reading(choice, score(choice)) for choice in choices]


class Settlement(Stage):
    """A deal is over and its points are due; the table may claim them before anything else happens.

    A claim that equals any reading is right and that reading is taken. Without a claim the default is taken,
    unless what comes next shows that the table took another. ``ends`` says whether totals end the match.
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
        self, table: Table, readings: Sequence[Reading], ends: Callable[[Numbers], bool], is_void: bool = False
    ) -> None:
        self.table = table
        self.is_void = is_void
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

    def judge(self, claim: events.TeamScoreClaim | events.SeatScoreClaim) -> Fault | None:
        points, totals = tuple(claim.deal), tuple(claim.total)
        if (points, totals) in self._outcomes:
            return None
        agreeing = [outcome for outcome in self._outcomes if outcome[0] == points]
        if agreeing:
            return wrong("claim.total", agreeing[0][1], totals)
        return wrong("claim.score", self.points, points)

    def apply(self, claim: events.TeamScoreClaim | events.SeatScoreClaim) -> None:
        self.claimed_points = points = tuple(claim.deal)
        self.claimed_totals = totals = tuple(claim.total)
        self._settle(lambda outcome: outcome == (points, totals), lambda outcome: outcome[0] == points)
        self.table.closed_trick = None

    def unheard(self, event: Any) -> Fault:
        if self.ends_match:
            return Fault("match.over", False)
        return Fault("flow.kind", False, {"kind": word_for(type(event)), "awaited": word_for(events.OPENERS[0])})

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
        taken = next(reading for reading in self._readings if reading.points == self.points).choices
        for point in taken:
            by_choice = {
                str(reading.choices[point]): reading.points
                for reading in self._readings
                if all(reading.choices[other] == taken[other] for other in taken if other != point)
            }
            if len(set(by_choice.values())) > 1:
                yield point, taken[point], by_choice

    def _settle(self, *signs: Callable[[tuple[Numbers, Numbers]], bool]) -> None:
        """Take the first outcome that the first sign with any outcome points to; without a sign, the default.

        Where it points to more than one, the others stay possible for the totals.
        """
        outcomes = self._outcomes
        for sign in signs if len(outcomes) > 1 else ():
            if meant := [outcome for outcome in outcomes if sign(outcome)]:
                outcomes = meant
                break
        self.is_done = True
        self.points, self.table.totals = outcomes[0]
        self.table.other_totals = frozenset(totals for _, totals in outcomes[1:]) - {self.table.totals}
