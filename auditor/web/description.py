"""What Datasette is told of the tables of an audit database: titles, columns, facets and ready queries.

In: the name of a database. Out: the words of ``datasette.yaml`` beside this module, given to Datasette under that
name. Refuses to know what the tables hold: the file says it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

from datasette.utils import parse_metadata, tilde_encode

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

#: The name that ``datasette.yaml`` gives the database; Datasette calls each after its file.
_WRITTEN_NAME = "audit"
#: Whose the ready queries are, among those that Datasette keeps.
_SOURCE = "auditor"
#: Two ways to describe the same; Datasette shows the second where it has both.
_DESCRIPTIONS = {"description", "description_html"}


def configuration(name: str) -> dict[str, Any]:
    """What Datasette is told of a database whose file is called ``name`` (without its ending).

    It is configuration and metadata in one: Datasette takes the one document in both places.
    """
    text = resources.files("auditor.web").joinpath("datasette.yaml").read_text(encoding="utf-8")
    text = text.replace(f'href="{_WRITTEN_NAME}/', f'href="{tilde_encode(name)}/')
    page: dict[str, Any] = parse_metadata(text)
    page["databases"] = {name: page["databases"][_WRITTEN_NAME]}
    return page


def configuration_json(name: str) -> str:
    """The same as text, for a Datasette in which this plugin is not installed."""
    return json.dumps(configuration(name), ensure_ascii=False, indent=2) + "\n"


async def describe(datasette: Datasette, name: str) -> None:
    """Tells a running Datasette of the database ``name``, except what somebody else told it already."""
    ours = configuration(name)["databases"][name]
    theirs = datasette.config.setdefault("databases", {}).setdefault(name, {}).setdefault("tables", {})
    known = await datasette.get_database_metadata(name)
    if "title" not in known:
        await datasette.set_database_metadata(name, "title", ours["title"])
    if not known.keys() & _DESCRIPTIONS:
        await datasette.set_database_metadata(name, "description_html", ours["description_html"])
    for table, words in ours["tables"].items():
        theirs[table] = _settings(words, theirs.get(table, {}))
        await _describe_table(datasette, name, table, words)
    for query, words in ours["queries"].items():
        known_query = await datasette.get_query(name, query)
        if known_query is None or known_query.source == _SOURCE:
            given = {key: words[key] for key in ("title", "description", "hide_sql") if key in words}
            await datasette.add_query(
                name, query, words["sql"], **given, parameters=words.get("params"), source=_SOURCE
            )


def _settings(words: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """How a table is shown; a table that has an order already is given no other."""
    ours = {key: value for key, value in words.items() if key not in ("title", "description", "columns")}
    if theirs.keys() & {"sort", "sort_desc"}:
        ours.pop("sort_desc", None)
    return {**ours, **theirs}


async def _describe_table(datasette: Datasette, database: str, table: str, words: Mapping[str, Any]) -> None:
    known = await datasette.get_resource_metadata(database, table)
    if "title" not in known:
        await datasette.set_resource_metadata(database, table, "title", words["title"])
    if not known.keys() & _DESCRIPTIONS:
        await datasette.set_resource_metadata(database, table, "description", words["description"])
    for column, meaning in words["columns"].items():
        if "description" not in await datasette.get_column_metadata(database, table, column):
            await datasette.set_column_metadata(database, table, column, "description", meaning)
