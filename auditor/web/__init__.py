"""The face: a Datasette plugin that shows audited matches to people and audits logs over HTTP.

In: what Datasette asks its plugins. Out: routes, links, policies and descriptions, each from the module that makes
it. Refuses to know rules: it asks the replay, and shows what the store holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pluggy
from datasette.permissions import Action
from datasette.utils.asgi import Request
from jinja2 import Environment

from auditor.web import (
    access,
    builds,
    cells,
    description,
    front,
    matches,
    people,
    rendering,
    rules,
    runs,
    security,
    service,
)
from auditor.web.language import Speech, chosen

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

hook = pluggy.HookimplMarker("datasette")


@hook
def register_routes(datasette: Datasette) -> Sequence[tuple[str, Callable[..., Any]]]:
    pages = (front, builds, rules, people, runs, matches)
    routes = [(path, rendering.reading(view)) for page in pages for path, view in page.ROUTES]
    if access.audit_databases(datasette):
        routes.append(("/$", rendering.reading(front.home)))
    routes += service.ROUTES
    routes.append(("/-/auditor/.*$", rendering.nowhere))
    return [(path, rendering.answering(view)) for path, view in routes]


@hook
def register_actions() -> list[Action]:
    return [access.STORE]


@hook
async def startup(datasette: Datasette) -> None:
    security.keep_refusals_quiet()
    service.bench_of(datasette)
    for database in access.audit_databases(datasette):
        await description.describe(datasette, database.name)


@hook
def prepare_jinja2_environment(env: Environment) -> None:
    security.mark_scripts(env)


@hook
def asgi_wrapper() -> Callable[[Any], Any]:
    return security.with_policies


@hook
def extra_css_urls() -> list[str]:
    return ["/-/static-plugins/auditor/datasette.css"]


@hook
def menu_links(datasette: Datasette, request: Request | None) -> list[dict[str, str]]:
    if request is None or not access.audit_databases(datasette):
        return []
    say = Speech(chosen(request)).say
    pages = (("front", ""), ("builds", "/builds"), ("rules", "/rules"), ("players", "/players"), ("runs", "/runs"))
    return [{"href": datasette.urls.path(f"/-/auditor{path}"), "label": say(f"site.{name}")} for name, path in pages]


@hook
def render_cell(
    row: Any, value: Any, column: str, table: str | None, database: str, datasette: Datasette, request: Request | None
) -> Any:
    return cells.linked(datasette, database, table, column, row, value)
