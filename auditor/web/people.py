"""Players: who sat in the matches, and what was found at their seats.

In: the rows of players, seats and findings. Out: a list to search, and a page for each player. Refuses to know what a
finding means.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import NotFound, Request, Response

from auditor.web import access, lists, queries, rendering
from auditor.web.rules import title

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

_PLAYERS_A_PAGE = 100
_MOST_FOUND = 100
_MATCHES_A_PAGE, _FINDINGS_A_PAGE = 25, 50


async def players(datasette: Datasette, request: Request) -> Response:
    """All players by name, or those that ``?q=`` finds."""
    database = await access.database_for(datasette, request, "players", "seats")
    text = (request.args.get("q") or "").strip()
    context: dict[str, Any] = {"q": text, "following": None, "first": None, "is_cut": False}
    if text:
        found = await queries.found_players(database, text, _MOST_FOUND + 1)
        context |= {"players": found[:_MOST_FOUND], "is_cut": len(found) > _MOST_FOUND}
    else:
        stretch = await queries.players(database, _PLAYERS_A_PAGE, lists.number(request, "after"))
        context |= {
            "players": stretch.rows,
            "following": lists.following(request, "after", stretch.following),
            "first": lists.first(request, "after"),
        }
    return await rendering.page(datasette, request, "players.html", database, context)


async def player(datasette: Datasette, request: Request) -> Response:
    """One player: the matches, the newest first, and the findings that speak of the player's seat."""
    database = await access.database_for(datasette, request, "players", "seats", "matches", "findings", "clauses")
    number = int(request.url_vars["number"])
    matches_start, findings_start = lists.number(request, "matches"), lists.number(request, "findings")
    found = await queries.player(database, number)
    if found is None:
        raise NotFound(f"There is no player {number}")
    matches, findings = await asyncio.gather(
        queries.matches_of(database, number, _MATCHES_A_PAGE, matches_start),
        queries.findings_of(database, number, _FINDINGS_A_PAGE, findings_start),
    )
    context = {
        "player": found,
        "matches": matches.rows,
        "matches_following": lists.following(request, "matches", matches.following),
        "matches_first": lists.first(request, "matches"),
        "findings": [
            list(group) for _, group in groupby((row.finding for row in findings.rows), lambda row: row.match)
        ],
        "findings_following": lists.following(request, "findings", findings.following),
        "findings_first": lists.first(request, "findings"),
        "searched": queries.MATCHES_SEARCHED,
        "title": title,
    }
    return await rendering.page(datasette, request, "player.html", database, context)


ROUTES: Sequence[tuple[str, Callable[..., Any]]] = [
    (r"/-/auditor/players$", players),
    (r"/-/auditor/players/(?P<number>[0-9]{1,18})$", player),
]
