"""A comparison: each match beside what was known of it, and the groups that differences of one kind make.

In: verdicts as they come, and a baseline. Out: the same matches with their state, those that are missing behind them;
counts and groups with one example each; what a new baseline has to say. Refuses to know files and printing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import msgspec

from auditor.audit import Entry
from auditor.desks.baseline import Baseline, KnownFault, KnownMatch, accusing, known, known_fault
from auditor.errors import Place
from auditor.verdict import Finding, Verdict

State: TypeAlias = Literal["new", "changed", "fixed", "unchanged", "missing", "unlisted"]

STATES: tuple[State, ...] = ("new", "changed", "fixed", "missing", "unchanged", "unlisted")
#: These are told of matches without faults, too.
_ALWAYS_TOLD: tuple[State, ...] = ("changed", "missing")


@dataclass(frozen=True, slots=True)
class Compared:
    """One match and its state, which is ``None`` where nothing was compared.

    ``now``, ``place`` (where its log begins) and ``verdict`` are ``None`` for a match that is missing.

    - new: it has faults, and none were known
    - changed: it has a fault that was not known, beside others; or the very same log has another verdict
    - fixed: faults that were known are gone, and none came
    - unchanged: what was known
    - missing: it is known and is not among the logs
    - unlisted: nothing was known of it, and it has no faults
    """

    state: State | None
    now: KnownMatch | None
    before: KnownMatch | None
    place: Place | None = None
    verdict: Verdict | None = None

    @property
    def shown(self) -> KnownMatch:
        """The match as it is now or, where it is missing, as it was."""
        match = self.now or self.before
        assert match is not None
        return match

    @property
    def telling(self) -> KnownFault | None:
        """The fault that a match is grouped by: the first that is new, else gone, else there."""
        came, gone = _difference(self.now, self.before), _difference(self.before, self.now)
        return next(iter((*came, *gone, *self.shown.faults)), None)

    def came(self) -> list[Finding]:
        """The findings that accuse and were not known before, in full."""
        if self.verdict is None:
            return []
        before = () if self.before is None else self.before.faults
        return [finding for finding in accusing(self.verdict) if known_fault(finding) not in before]

    def gone(self) -> list[KnownFault]:
        """The faults that were known and are there no more."""
        return _difference(self.before, self.now)


@dataclass(frozen=True, slots=True)
class Cause:
    """What matches of a group have in common; ``clause`` and ``build`` are ``None`` where there is none."""

    state: State | None
    ruleset: str | None
    clause: str | None
    build: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """Matches of one state whose telling faults break the same clause in logs of the same build."""

    cause: Cause
    count: int
    example: Compared


@dataclass(slots=True)
class Tally:
    """Counts states and forms groups, match by match. Of each group it holds the first match only."""

    states: Counter[State | None] = field(default_factory=Counter)
    _groups: dict[Cause, Group] = field(default_factory=dict)

    def add(self, compared: Compared) -> None:
        self.states[compared.state] += 1
        shown, telling = compared.shown, compared.telling
        cause = Cause(compared.state, shown.ruleset, telling.clause if telling else None, shown.build)
        group = self._groups.get(cause, Group(cause, 0, compared))
        self._groups[cause] = replace(group, count=group.count + 1)

    def groups(self) -> list[Group]:
        """By state; the larger ones first, and then by name. What was without faults and still is makes none."""
        told = (group for group in self._groups.values() if group.cause.clause or group.cause.state in _ALWAYS_TOLD)
        return sorted(told, key=_order)


def compared(rows: Iterable[tuple[Entry, Verdict]], baseline: Baseline) -> Iterator[Compared]:
    """Every match with its state, as it comes, and then those that are missing, by name."""
    for entry, verdict in rows:
        now = known(verdict, entry.place)
        before = baseline.meet(now)
        yield Compared(state_of(now, before), now, before, entry.place, verdict)
    for before in baseline.unmet():
        yield Compared("missing", None, before)


def state_of(now: KnownMatch, before: KnownMatch | None) -> State:
    """How a match stands beside what was known of it, if anything was: see :class:`Compared`."""
    if before is None:
        return "new" if now.faults else "unlisted"
    if _difference(now, before):
        return "changed" if before.faults else "new"
    if _difference(before, now):
        return "fixed"
    is_same_log = now.digest is not None and now.digest == before.digest
    return "changed" if is_same_log and now.says != before.says else "unchanged"


def uncompared(place: Place, verdict: Verdict) -> Compared:
    """A match that nothing is known of, and that nobody asks about; ``place`` is where its log begins."""
    return Compared(None, known(verdict, place), None, place, verdict)


def accepted(results: Iterable[Compared], reason: str, prunes: bool) -> Iterator[KnownMatch]:
    """What the new baseline says: what is there now, and of what is missing what was known, unless it ``prunes``.

    The reason goes with what is new or changed; what is not keeps its own, as long as it has a fault.
    """
    for result in results:
        if result.now is None:
            if not prunes and result.before is not None:
                yield result.before
        elif result.state in ("new", "changed"):
            yield msgspec.structs.replace(result.now, reason=reason)
        else:
            kept = result.before.reason if result.before is not None and result.now.faults else None
            yield msgspec.structs.replace(result.now, reason=kept)


def _difference(match: KnownMatch | None, other: KnownMatch | None) -> list[KnownFault]:
    """The faults of a match that another one does not have."""
    if match is None:
        return []
    return [fault for fault in match.faults if other is None or fault not in other.faults]


def _order(group: Group) -> tuple[int, int, str, str, str]:
    cause = group.cause
    rank = len(STATES) if cause.state is None else STATES.index(cause.state)
    return rank, -group.count, cause.ruleset or "", cause.clause or "", cause.build or ""
