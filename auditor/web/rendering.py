"""A page of our own: a template, the speech that it is written in, and the policy that it is sent with.

In: a request, the name of a template and what it shows. Out: the response, also where there is nothing to show.
Refuses to know what the page is about.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from datasette.database import Database, QueryInterrupted
from datasette.utils import path_with_replaced_args
from datasette.utils.asgi import NotFound, Request, Response

from auditor import __version__
from auditor.web import language, paths, security
from auditor.web.language import Speech

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

#: What answers a request: it is given Datasette and the request by these names.
View: TypeAlias = "Callable[[Datasette, Request], Awaitable[Response]]"

#: What the top of each page leads to.
_PAGES = ("builds", "rules", "players", "runs", "audit")
_A_YEAR_SECONDS = 365 * 24 * 60 * 60
#: When to come again where the database was too slow.
_RETRY_SECONDS = "5"


async def page(
    datasette: Datasette,
    request: Request,
    template: str,
    database: Database | None,
    context: Mapping[str, Any],
    status: int = 200,
) -> Response:
    """The page that a template under ``auditor/`` makes of ``context``, in the language of the request.

    Addresses (:mod:`auditor.web.paths`) are those of this database.
    """
    speech = Speech(language.chosen(request))
    always = surroundings(
        speech,
        page_at=partial(paths.page, datasette, database),
        match_at=partial(paths.match, datasette, database),
        languages=_languages(request),
        pages=_PAGES,
    )
    always["database"] = None if database is None else database.name
    text = await datasette.render_template(f"auditor/{template}", {**always, **context}, request=request)
    headers = {security.HEADER: security.STRICT, "vary": "Accept-Language, Cookie"}
    response = Response.html(text, status=status, headers=headers)
    if request.args.get("lang") == speech.language:
        response.set_cookie(language.COOKIE, speech.language, max_age=_A_YEAR_SECONDS, httponly=True)
    return response


def surroundings(
    speech: Speech,
    *,
    page_at: Callable[..., str],
    match_at: Callable[..., str],
    languages: Sequence[tuple[str, str, str]],
    pages: Sequence[str],
) -> dict[str, Any]:
    """What every template is given.

    ``page_at`` and ``match_at`` write addresses, ``languages`` are the code, the name and the address of this page in
    each, and ``pages`` are named at the top of it. A template that is told of no ``database`` links to no table.
    """
    return {
        "speech": speech,
        "say": speech.say,
        "shown": speech.shown,
        "page_at": page_at,
        "match_at": match_at,
        "languages": languages,
        "pages": pages,
        "database": None,
        "version": __version__,
    }


async def nowhere(datasette: Datasette, request: Request) -> Response:
    """An address at which there is no page."""
    raise NotFound("There is no such page here")


def answering(view: View) -> View:
    """The view, with a page of ours, or JSON for a path that asks for it, where it finds nothing to show in time."""

    async def answered(datasette: Datasette, request: Request) -> Response:
        try:
            return await view(datasette, request)
        except NotFound as missing:
            return await _nothing(datasette, request, 404, "missing", str(missing))
        except QueryInterrupted:
            response = await _nothing(datasette, request, 503, "late", "The database took too long to answer.")
            response.headers["retry-after"] = _RETRY_SECONDS
            return response

    return answered


def reading(view: View) -> View:
    """The view, which is only there to be read: other methods are refused."""

    async def read(datasette: Datasette, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            response = refusal(405, "This address is only there to be read.")
            response.headers["allow"] = "GET, HEAD"
            return response
        return await view(datasette, request)

    return read


def refusal(status: int, error: str, **more: Any) -> Response:
    """Why a program gets no answer, as JSON: ``ok`` is false, ``status`` and ``error`` say why."""
    return Response.json({"ok": False, "status": status, "error": error, **more}, status=status)


async def _nothing(datasette: Datasette, request: Request, status: int, kind: str, error: str) -> Response:
    if request.path.endswith(".json"):
        return refusal(status, error)
    return await page(datasette, request, "nothing.html", None, {"kind": kind}, status)


def _languages(request: Request) -> list[tuple[str, str, str]]:
    return [(code, name, path_with_replaced_args(request, {"lang": code})) for code, name in language.NAMES.items()]
