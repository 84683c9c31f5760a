"""The first page: how the matches came out, what is new, and a search.

In: counts, the newest rows, and what somebody searches for. Out: the page. Refuses to know how a chart is laid out.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from datasette.database import Database
from datasette.utils.asgi import Forbidden, Request, Response

from auditor.verdict import STATUSES
from auditor.web import access, charts, paths, queries, rendering
from auditor.web.builds import UNNAMED, filter_of
from auditor.web.queries import Tally
from auditor.web.rules import FAULTY, title

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

_TABLES = (
    "tallies",
    "citations",
    "matches",
    "findings",
    "clauses",
    "producers",
    "players",
    "seats",
    "runs",
    "auditors",
)
#: What a match can be, in the order of the parts of a bar; what is no match log is counted by its faults.
_STATUSES = tuple(status for status in STATUSES if status != "invalid")
_MOST_BUILDS, _MOST_CLAUSES, _MOST_RUNS, _MOST_MATCHES, _MOST_FOUND = 8, 10, 5, 10, 20

Key = TypeVar("Key", bound=Hashable)


async def home(datasette: Datasette, request: Request) -> Response:
    """The root of the server: the overview, or Datasette's own list where the audit databases are not to be seen."""
    try:
        return await front(datasette, request)
    except Forbidden:
        return Response.redirect(datasette.urls.path("/-/"))


async def front(datasette: Datasette, request: Request) -> Response:
    """The overview, and above it what ``?q=`` finds."""
    database = await access.database_for(datasette, request, *_TABLES)
    text = (request.args.get("q") or "").strip()
    tallies, days, builds, found, others = await asyncio.gather(
        queries.tallies(database),
        queries.days(database),
        queries.builds(database),
        _found(database, text),
        _others(datasette, request, database),
    )
    broken, unreadable, runs, newest = await asyncio.gather(
        queries.most_broken(database, _MOST_CLAUSES),
        queries.unreadable_count(database),
        queries.runs(database, _MOST_RUNS),
        queries.faulty_matches(database, _MOST_MATCHES),
    )
    by_status = _counted(tallies, lambda tally: tally.status)
    named = {build.number: build for build in builds}
    by_build = charts.bars(_counted(tallies, lambda tally: named.get(tally.producer, UNNAMED)), _STATUSES)
    by_day: dict[str, Counter[str]] = {}
    for tally in days:
        by_day.setdefault(tally.day, Counter())[tally.status] += tally.matches
    context = {
        "q": text,
        "found": found,
        "most_found": _MOST_FOUND,
        "statuses": _STATUSES,
        "total": sum(tally.matches for tally in tallies),
        "faulty": sum(tally.matches for tally in tallies if tally.status in FAULTY),
        "unreadable": unreadable,
        "by_status": charts.bars({status: by_status.get(status, {}) for status in _STATUSES}, _STATUSES),
        "by_ruleset": charts.bars(_counted(tallies, lambda tally: tally.ruleset), _STATUSES),
        "by_build": by_build[:_MOST_BUILDS],
        "more_builds": len(by_build) - _MOST_BUILDS,
        "filter_of": filter_of,
        "by_day": charts.timeline(by_day, _STATUSES),
        "broken": broken,
        "runs": runs.rows,
        "newest": newest,
        "others": others,
        "page_of": partial(paths.page, datasette),
        "title": title,
    }
    return await rendering.page(datasette, request, "front.html", database, context)


def _counted(tallies: Iterable[Tally], key: Callable[[Tally], Key]) -> Mapping[Key, Mapping[str, int]]:
    """The matches by a key and by status."""
    found: dict[Key, Counter[str]] = {}
    for tally in tallies:
        found.setdefault(key(tally), Counter())[tally.status] += tally.matches
    return found


async def _found(database: Database, text: str) -> Mapping[str, Sequence[Any]] | None:
    """What the text finds, with one row more of each kind than is shown, where there are more."""
    if not text:
        return None
    matches, players = await asyncio.gather(
        queries.found_matches(database, text, _MOST_FOUND + 1), queries.found_players(database, text, _MOST_FOUND + 1)
    )
    return {"matches": matches, "players": players}


async def _others(datasette: Datasette, request: Request, database: Database) -> list[str]:
    """The names of the other audit databases that are served here and may be seen."""
    others = [each for each in access.audit_databases(datasette) if each.name != database.name]
    return [each.name for each in others if await access.may_see(datasette, request, each)]


ROUTES: Sequence[tuple[str, Callable[..., Any]]] = [(r"/-/auditor/?$", front)]
