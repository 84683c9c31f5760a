"""The loads that filled the database.

In: the rows of the runs. Out: a page, the newest run first. Refuses to know how a load works.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Request, Response

from auditor.web import access, lists, queries, rendering

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

_RUNS_A_PAGE = 50
#: A run may have been asked for thousands of files.
_MOST_ARGUMENTS = 10


async def runs(datasette: Datasette, request: Request) -> Response:
    """The newest runs, or those before ``?before=``."""
    database = await access.database_for(datasette, request, "runs", "auditors")
    found = await queries.runs(database, _RUNS_A_PAGE, lists.number(request, "before"))
    context = {
        "runs": found.rows,
        "most_arguments": _MOST_ARGUMENTS,
        "following": lists.following(request, "before", found.following),
        "first": lists.first(request, "before"),
    }
    return await rendering.page(datasette, request, "runs.html", database, context)


ROUTES: Sequence[tuple[str, Callable[..., Any]]] = [(r"/-/auditor/runs$", runs)]
