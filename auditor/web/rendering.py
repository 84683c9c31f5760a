"""A page of our own: a template, the speech that it is written in, and the policy that it is sent with.

In: a request, the name of a template and what it shows. Out: the response, also where there is nothing to show.
Refuses to know what the page is about.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from datasette.database import Database
from datasette.utils import path_with_replaced_args
from datasette.utils.asgi import NotFound, Request, Response

from auditor import __version__
from auditor.web import language, paths, security
from auditor.web.language import Speech

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

#: What answers a request: it is given Datasette and the request by these names.
View: TypeAlias = "Callable[[Datasette, Request], Awaitable[Response]]"

_A_YEAR_SECONDS = 365 * 24 * 60 * 60


async def page(
    datasette: Datasette,
    request: Request,
    template: str,
    database: Database | None,
    context: Mapping[str, Any],
    status: int = 200,
) -> Response:
    """The page that a template under ``auditor/`` makes of ``context``, in the language of the request.

    Besides, every template is given ``speech`` (with ``say`` and ``shown``), ``page_at`` and ``match_at``, which
    write addresses (:mod:`auditor.web.paths`) of this database, and ``languages``: each with its code, its name and
    the address of this page in it.
    """
    speech = Speech(language.chosen(request))
    always = {
        "speech": speech,
        "say": speech.say,
        "shown": speech.shown,
        "page_at": partial(paths.page, datasette, database),
        "match_at": partial(paths.match, datasette, database),
        "languages": _languages(request),
        "database": None if database is None else database.name,
        "version": __version__,
    }
    text = await datasette.render_template(f"auditor/{template}", {**always, **context}, request=request)
    headers = {security.HEADER: security.STRICT, "vary": "Accept-Language, Cookie"}
    response = Response.html(text, status=status, headers=headers)
    if request.args.get("lang") == speech.language:
        response.set_cookie(language.COOKIE, speech.language, max_age=_A_YEAR_SECONDS, httponly=True)
    return response


async def nowhere(datasette: Datasette, request: Request) -> Response:
    """An address at which there is no page."""
    raise NotFound("There is no such page here")


def answering(view: View) -> View:
    """The view, with a page of ours, or JSON for a path that asks for it, where it finds nothing to show."""

    async def answered(datasette: Datasette, request: Request) -> Response:
        try:
            return await view(datasette, request)
        except NotFound as missing:
            if request.path.endswith(".json"):
                return refusal(404, str(missing))
            return await page(datasette, request, "missing.html", None, {}, status=404)

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


def _languages(request: Request) -> list[tuple[str, str, str]]:
    return [(code, name, path_with_replaced_args(request, {"lang": code})) for code, name in language.NAMES.items()]
