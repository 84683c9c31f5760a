"""An export: findings for the tools that people have, one format a module.

In: matches, compared with a baseline or not. Out: findings one by one with their place and their state, and what every
format answers. Refuses to know how a format looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from auditor.desks.baseline import KnownFault, accusing, known_fault
from auditor.desks.comparison import Compared
from auditor.desks.region import Region, Spot, regions
from auditor.verdict import Finding

#: What has become of one finding since the baseline; ``None`` where there is no baseline.
FindingState: TypeAlias = Literal["new", "updated", "unchanged", "absent"]

#: Whether a match makes the exit code 1.
IsFailure: TypeAlias = Callable[[Compared], bool]


class Export(Protocol):
    """A format: it hears of every match, and gives its text in the end."""

    def add(self, match: Compared) -> None: ...
    def end(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Told:
    """One finding of a match; ``finding`` is ``None`` for one that is absent by now."""

    match: Compared
    fault: KnownFault
    state: FindingState | None
    finding: Finding | None

    @property
    def spot(self) -> Spot | None:
        """The event that it is about; ``None`` where it has no place in a file, or its place is known already."""
        is_placed = self.match.place is not None and self.finding is not None and self.finding.place is None
        if not is_placed or self.fault.event is None or self.match.place is None:
            return None
        return self.match.place, self.fault.event

    @property
    def follows(self) -> bool:
        """Whether it is there only because of an earlier finding."""
        return self.finding is not None and self.finding.follows is not None

    def message(self, language: str) -> str:
        """What it says; of what is absent only the clause is known."""
        return self.fault.clause if self.finding is None else self.finding.message(self.match.shown.ruleset, language)


def told(match: Compared) -> Iterator[Told]:
    """The findings of a match that accuse, and then those that a baseline had and that are absent.

    One that came for another of the same clause is updated, and that other one is not told.
    """
    gone = match.gone()
    for finding in () if match.verdict is None else accusing(match.verdict):
        fault = known_fault(finding)
        state: FindingState | None = None
        if match.state is not None:
            state = "new"
            if match.before is not None and fault in match.before.faults:
                state = "unchanged"
            elif (earlier := next((old for old in gone if _is_like(old, fault)), None)) is not None:
                gone.remove(earlier)
                state = "updated"
        yield Told(match, fault, state, finding)
    for fault in gone:
        yield Told(match, fault, "absent", None)


def placed(findings: Iterable[Told]) -> list[tuple[Told, Region | None]]:
    """The findings, each with the region of its event or, for a fault of form, of its own place."""
    listed = list(findings)
    found = regions(spot for finding in listed if (spot := finding.spot) is not None)
    return [(finding, _region(finding, found)) for finding in listed]


def _region(told: Told, found: Mapping[Spot, Region]) -> Region | None:
    place = told.match.place
    if told.finding is not None and told.finding.place is not None:
        return Region(told.finding.place.line, told.finding.place.offset)
    if told.spot is not None and told.spot in found:
        return found[told.spot]
    return None if place is None or told.finding is None else Region(place.line, place.offset)


def _is_like(old: KnownFault, fault: KnownFault) -> bool:
    return (old.kind, old.clause) == (fault.kind, fault.clause)
