"""A bisection: the first build whose logs show a finding.

In: a database of audited matches. Out: for each client or server, platform and ruleset, its builds in the order of
versions, with how many of their logs show the finding. Refuses to know rules and printing.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from auditor.audit import verdict_on
from auditor.desks.baseline import accusing
from auditor.errors import CannotAudit
from auditor.games import FORMS
from auditor.jsontext import visible
from auditor.log import Log, read_bytes
from auditor.store import BuildCount, Store, require
from auditor.verdict import Finding, Verdict

#: A text in an order in which people count versions.
Rank: TypeAlias = tuple[tuple[int, int, str], ...]

#: Words that come before the version that they stand behind, the earliest first; other words come after it.
_EARLY = (("dev", "snapshot", "nightly", "canary"), ("a", "alpha"), ("b", "beta"), ("c", "pre", "preview", "rc"))
_EARLY_RANK = {word: rank for rank, words in enumerate(_EARLY) for word in words}
_PART = re.compile(r"[0-9]+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Line:
    """The builds of one producer for one platform that wrote logs of a ruleset, in the order of versions."""

    ruleset: str
    name: str
    platform: str
    builds: tuple[BuildCount, ...]

    @property
    def first_with(self) -> BuildCount | None:
        """The first build whose logs show the finding."""
        return next((build for build in self.builds if build.showing), None)

    @property
    def last_without(self) -> BuildCount | None:
        """The build before it; ``None`` where there is none, or no build shows it."""
        return next((one for one, other in itertools.pairwise(self.builds) if other is self.first_with), None)


@dataclass(frozen=True, slots=True)
class Example:
    """One log that shows a finding, and its verdict as it is given now."""

    log: Log
    verdict: Verdict
    finding: Finding


def bisected(path: Path, clause: str | None, match_id: str | None) -> tuple[list[Line], dict[Line, Example]]:
    """All lines of builds whose logs are in a database, and for those that show the finding its first log.

    The finding is any that breaks the clause or, without one, any that accuses. Raises ``CannotAudit`` where there is
    no database, no such match, or no log that says which build wrote it.
    """
    require(path)
    with Store.open(path) as store:
        counts = store.builds(clause, match_id)
        if not counts:
            wanted = "logs" if match_id is None else f"logs of the match {visible(match_id, 200)!r}"
            raise CannotAudit(f"{path}: expected {wanted} that name the build that wrote them, found none")
        lines = _lines(counts)
        examples = {line: _example(store, line.first_with, clause) for line in lines if line.first_with is not None}
    return lines, {line: example for line, example in examples.items() if example is not None}


def version_rank(text: str) -> Rank:
    """Where a version stands among others: ``3.9`` < ``3.10-rc.1`` < ``3.10`` < ``3.10.1`` < ``3.10.1-hotfix``.

    What stands behind a plus sign counts only between versions that are equal otherwise.
    """
    core, _, further = text.lower().partition("+")
    return (*_rank(core.removeprefix("v")), *_rank(further))


def _rank(text: str) -> Rank:
    """Each number or word; a version that ends stands after what is early and before all else."""
    parts = []
    for part in _PART.findall(text):
        if part[0] in "0123456789":
            digits = part.lstrip("0")
            parts.append((3, len(digits), digits))
        else:
            rank = _EARLY_RANK.get(part)
            parts.append((2, 0, part) if rank is None else (0, rank, part))
    return (*parts, (1, 0, ""))


def _lines(counts: Iterable[BuildCount]) -> list[Line]:
    """Builds of one line together, the lines by name."""

    def line(count: BuildCount) -> tuple[str, str, str]:
        return count.ruleset, count.name, count.platform

    def order(count: BuildCount) -> tuple[Rank, Rank, str, str]:
        return version_rank(count.version), version_rank(count.build), count.version, count.build

    groups = itertools.groupby(sorted(counts, key=line), key=line)
    return [Line(*names, tuple(sorted(builds, key=order))) for names, builds in groups]


def _example(store: Store, build: BuildCount, clause: str | None) -> Example | None:
    """The first log of a build that shows the finding, audited again; ``None`` if it is not found any more."""
    assert build.example is not None
    log = read_bytes(store.log(build.example), FORMS)
    if not isinstance(log, Log):
        return None
    verdict = verdict_on(log)
    finding = next((found for found in accusing(verdict) if clause in (None, found.clause)), None)
    return None if finding is None else Example(log, verdict, finding)
