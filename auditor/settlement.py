"""Settling a deal: what it is worth, under each reading of what the rules leave open, and the claim of it.

In: the points of a deal and a ``score`` claim, if there is one. Out: totals. Refuses to know how points are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar, TypeAlias

import msgspec

from auditor import events
from auditor.stage import Fault, Stage
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
    combinations = product(*open_points.values())
    choices = (dict(zip(open_points, combination, strict=True)) for combination in combinations)
    return [Reading(choice, score(choice)) for choice in choices]


class Settlement(Stage):
    """A deal is over and its points are due; the table may claim them before anything else happens.

    A claim that equals any reading is right and that reading is taken. Without a claim the default is taken,
    unless what comes next shows that the table took another. ``ends`` says whether totals end the match.
    """

    __slots__ = ("_ends", "_readings", "claimed_points", "claimed_totals", "is_void", "points", "table")

    hears: ClassVar[tuple[type, ...]] = (events.TeamScoreClaim,)

    def __init__(
        self, table: Table, readings: Sequence[Reading], ends: Callable[[Numbers], bool], is_void: bool = False
    ) -> None:
        self.table = table
        self.is_void = is_void
        self.points = readings[0].points
        self.claimed_points: Numbers | None = None
        self.claimed_totals: Numbers | None = None
        self._readings = readings
        self._ends = ends

    def judge(self, claim: events.TeamScoreClaim) -> Fault | None:
        claimed = tuple(claim.deal)
        reading = self._reading_of(claimed)
        if reading is None:
            return score_fault(self.points, claimed)
        total = tuple(claim.total)
        if total in (added(base, reading.points) for base in self._bases()):
            return None
        return total_fault(added(self.table.totals, reading.points), total)

    def apply(self, claim: events.TeamScoreClaim) -> bool:
        self.claimed_points = tuple(claim.deal)
        self.claimed_totals = tuple(claim.total)
        reading = self._reading_of(self.claimed_points) or self._readings[0]
        self._settle([reading], lambda totals: totals == self.claimed_totals)
        self.table.closed_trick = None
        return True

    def pass_over(self, event: Any) -> None:
        """Nobody claims; ``event`` comes next (``None`` at the end of the log) and may show which reading was taken."""
        if isinstance(event, events.TeamResultClaim):
            self._settle(self._readings, lambda totals: totals == tuple(event.total))
        elif isinstance(event, events.OPENERS):
            self._settle(self._readings, lambda totals: not self._ends(totals))
        else:
            self._settle(self._readings, lambda totals: True)

    def leaned_on(self) -> Iterator[tuple[str, Any, dict[str, Numbers]]]:
        """Each open point that changes the points: its id, the choice taken, and the points under each choice."""
        taken = next(reading for reading in self._readings if reading.points == self.points).choices
        for point in taken:
            by_choice = {
                str(reading.choices[point]): reading.points
                for reading in self._readings
                if all(reading.choices[other] == taken[other] for other in taken if other != point)
            }
            if len(set(by_choice.values())) > 1:
                yield point, taken[point], by_choice

    def _reading_of(self, points: Numbers) -> Reading | None:
        return next((reading for reading in self._readings if reading.points == points), None)

    def _bases(self) -> tuple[Numbers, ...]:
        return (self.table.totals, *sorted(self.table.other_totals))

    def _settle(self, readings: Sequence[Reading], is_meant: Callable[[Numbers], bool]) -> None:
        """Take the first of the possible totals that the log shows to be meant; if it shows none, the default."""
        possible = [(added(base, reading.points), reading) for reading in readings for base in self._bases()]
        meant = [choice for choice in possible if is_meant(choice[0])] or possible
        self.table.totals, reading = meant[0]
        self.table.other_totals = frozenset(totals for totals, _ in meant) - {self.table.totals}
        self.points = reading.points


def score_fault(points: Numbers | None, claimed: Numbers) -> Fault:
    """A ``score`` claim whose points are wrong, or that has no place where it stands (``points`` is ``None``)."""
    return Fault("claim.score", True, {"computed": points, "claimed": claimed}, points, claimed)


def total_fault(totals: Numbers, claimed: Numbers) -> Fault:
    """A ``score`` claim whose totals are wrong."""
    return Fault("claim.total", True, {"computed": totals, "claimed": claimed}, totals, claimed)
