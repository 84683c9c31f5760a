"""Builds beside each other: how their matches came out, which clauses they broke first, what is new in each.

In: counts by build. Out: a page. Refuses to know what a clause means.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from datasette.utils import path_with_replaced_args
from datasette.utils.asgi import NotFound, Request, Response

from auditor.verdict import STATUSES
from auditor.web import access, lists, queries, rendering
from auditor.web.queries import Build, Clause, FirstClause, Tally
from auditor.web.rules import FAULTY, title

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

#: What a match can be; what is no match log has no build.
_COLUMNS = tuple(status for status in STATUSES if status != "invalid")
#: So many lines of builds stand on one page.
_LINES_A_PAGE = 20
#: So many builds and clauses of a line are shown beside the other lines; alone it is shown with more.
_MOST_BUILDS, _MOST_CLAUSES = 8, 12
_MOST_BUILDS_ALONE, _MOST_CLAUSES_ALONE = 200, 1000
#: What a match is counted under whose log names no build.
UNNAMED = Build(0, "", "", "", "", "")
_PIECE = re.compile(r"[0-9]+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the matches of one build came out.

    ``statuses`` and ``clauses`` (by the number of the clause that a match broke first) count matches. ``new`` are the
    clauses that the build before it did not break and this one does, ``gone`` those the other way round; both are
    ``None`` where there is no build before it, else the most first.
    """

    build: Build
    statuses: Mapping[str, int]
    clauses: Mapping[int, int]
    new: tuple[int, ...] | None
    gone: tuple[int, ...] | None

    @property
    def matches(self) -> int:
        return sum(self.statuses.values())

    @property
    def faulty(self) -> int:
        return sum(self.statuses.get(status, 0) for status in FAULTY)


@dataclass(frozen=True, slots=True)
class Line:
    """The builds of one producer on one platform, the newest first, and the clauses that they broke, the worst first.

    ``builds`` and ``clauses`` may be cut; ``all_builds`` and ``all_clauses`` count them all.
    """

    outcomes: tuple[Outcome, ...]
    clauses: tuple[int, ...]
    all_builds: int
    all_clauses: int

    @property
    def build(self) -> Build:
        return self.outcomes[0].build


async def builds(datasette: Datasette, request: Request) -> Response:
    """All builds by producer and platform, or with ``?line=`` the line of one build, with all that is in it."""
    database = await access.database_for(datasette, request, "tallies", "producers", "clauses", "matches")
    found, tallies, first, clauses = await asyncio.gather(
        queries.builds(database), queries.tallies(database), queries.first_clauses(database), queries.clauses(database)
    )
    outcomes = lines(found, tallies, [row for row in first if row.clause in clauses])
    alone = lists.number(request, "line")
    if alone is not None:
        outcomes = [line for line in outcomes if any(each.build.number == alone for each in line)]
        if not outcomes:
            raise NotFound(f"There is no build {alone}")
    start = lists.number(request, "from") or 0
    shown, more = outcomes[start : start + _LINES_A_PAGE], outcomes[start + _LINES_A_PAGE :]
    limits = (_MOST_BUILDS, _MOST_CLAUSES) if alone is None else (_MOST_BUILDS_ALONE, _MOST_CLAUSES_ALONE)
    context = {
        "lines": [_cut(line, clauses, *limits) for line in shown],
        "clauses": clauses,
        "statuses": _COLUMNS,
        "alone": alone,
        "first": lists.first(request, "from"),
        "following": lists.following(request, "from", start + _LINES_A_PAGE if more else None),
        "line_at": lambda number: path_with_replaced_args(request, {"line": str(number), "from": None}),
        "filter_of": filter_of,
        "title": title,
    }
    return await rendering.page(datasette, request, "builds.html", database, context)


def lines(found: Iterable[Build], tallies: Iterable[Tally], first: Iterable[FirstClause]) -> list[list[Outcome]]:
    """The builds of each producer and platform, the newest first; matches without a build come last, as a line."""
    statuses: dict[int, Counter[str]] = {}
    for tally in tallies:
        statuses.setdefault(tally.producer, Counter())[tally.status] += tally.matches
    broken: dict[int, dict[int, int]] = {}
    for row in first:
        broken.setdefault(row.producer, {})[row.clause] = row.matches
    ordered = sorted(found, key=lambda each: (_line(each), version_key(each.version), version_key(each.build)))
    ordered = [build for build in ordered if build.number in statuses]
    made = []
    for _, group in groupby(ordered, _line):
        line: list[Outcome] = []
        for build in group:
            clauses = broken.get(build.number, {})
            before = line[-1].clauses if line else None
            new = None if before is None else _only(clauses, before)
            gone = None if before is None else _only(before, clauses)
            line.append(Outcome(build, statuses[build.number], clauses, new, gone))
        made.append(line[::-1])
    if 0 in statuses:
        made.append([Outcome(UNNAMED, statuses[0], broken.get(0, {}), None, None)])
    return made


def version_key(text: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Orders versions as people count: ``2.9`` before ``2.10``, and ``3.0-beta`` before ``3.0`` before ``3.0.1``."""
    pieces: list[tuple[int, int, str]] = []
    for piece in _PIECE.findall(text.lower().removeprefix("v")):
        if piece[0] in "0123456789":
            digits = piece.lstrip("0")
            pieces.append((2, len(digits), digits))
        else:
            pieces.append((0, 0, piece))
    return (*pieces, (1, 0, "")), text


def filter_of(build: Build) -> Mapping[str, int]:
    """What picks the matches of a build out of the table of matches."""
    return {"producer": build.number} if build.number else {"producer__isnull": 1}


def _only(these: Mapping[int, int], those: Mapping[int, int]) -> tuple[int, ...]:
    """What is counted here and not there, the most first."""
    return tuple(sorted(these.keys() - those.keys(), key=lambda number: (-these[number], number)))


def _line(build: Build) -> tuple[str, str]:
    return build.name, build.platform


def _cut(line: Sequence[Outcome], clauses: Mapping[int, Clause], most_builds: int, most_clauses: int) -> Line:
    shown = tuple(line[:most_builds])
    sums: Counter[int] = Counter()
    for outcome in shown:
        sums.update(outcome.clauses)
    worst = sorted(sums, key=lambda number: (-sums[number], clauses[number].ruleset, clauses[number].id))
    return Line(shown, tuple(worst[:most_clauses]), len(line), len(worst))


ROUTES: Sequence[tuple[str, Callable[..., Any]]] = [(r"/-/auditor/builds$", builds)]
