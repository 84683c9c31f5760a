"""Links from Datasette's own tables and queries to the replay of a match.

In: one cell of a row. Out: a link, or nothing where the cell leads to no match. Refuses to know how the row was found.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from markupsafe import Markup, escape

from auditor.jsontext import visible
from auditor.web import access, paths, queries

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

Row = Mapping[str, Any]


class _Link(NamedTuple):
    """The column that shows the link, the one with the number of the match, and the one with the event to go to."""

    shown: str
    match: str
    event: str = ""


_OF_A_TABLE: Mapping[str, Sequence[_Link]] = {
    "matches": [_Link("match_id", "id")],
    "results": [_Link("match_id", "match")],
    "claims": [_Link("match_id", "match")],
    "findings": [_Link("event", "match", "event")],
    "deals": [_Link("deal", "match", "first_event")],
    "verdicts": [_Link("status", "match")],
    "seats": [_Link("seat", "match")],
}
#: Tables of packed bytes: how the address of their JSON ends, and what the link shows.
_PACKED: Mapping[str, tuple[str, str]] = {"logs": ("/log.json", "log"), "documents": (".json", "verdict")}
#: A query says with its columns what it speaks of. Its match is a link whether or not its id is shown.
_OF_A_QUERY = (_Link("match_id", "match", "event"), _Link("match", "match", "event"))


#: Of each Datasette, by the name of a database and of all that are served: the address of a match, or nothing where
#: the database is none of ours. A page has thousands of cells.
_ADDRESSES: WeakKeyDictionary[Datasette, dict[tuple[str, ...], str | None]] = WeakKeyDictionary()


def linked(
    datasette: Datasette, database: str, table: str | None, column: str, row: Row, value: Any
) -> Markup | Awaitable[Markup | None] | None:
    """The cell as a link to its match, at the event that it speaks of; ``None`` leaves the cell as it is.

    The packed bytes of a log or a verdict become a link to its JSON.
    """
    if table is not None and table in _PACKED:
        return _to_document(datasette, database, table, row) if column == "json" else None
    for link in _OF_A_QUERY if table is None else _OF_A_TABLE.get(table, ()):
        if column == link.shown and link.match in row.keys():  # noqa: SIM118  (a row of SQLite has values in it)
            event = _plain(row[link.event]) if link.event in row.keys() else None  # noqa: SIM118
            address = _address(datasette, database, _plain(row[link.match]), event)
            return None if address is None else _anchor(address, "–" if value is None else str(value))
    return None


async def _to_document(datasette: Datasette, database: str, table: str, row: Row) -> Markup | None:
    """Of the verdicts on a match only the newest has an address; earlier ones stay packed."""
    match = _plain(row["match"])
    ending, text = _PACKED[table]
    address = _address(datasette, database, match, ending=ending)
    if address is None:
        return None
    if table == "documents":
        newest = await queries.newest_auditor(datasette.get_database(database), match)
        if newest != _plain(row["auditor"]):
            return None
    return _anchor(address, text)


def _address(datasette: Datasette, database: str, match: Any, event: Any = None, ending: str = "") -> str | None:
    """Where a match is shown, or nothing where that is no number of a match of ours."""
    if not isinstance(match, int):
        return None
    known = _ADDRESSES.setdefault(datasette, {})
    key = (database, *datasette.databases)
    if key not in known:
        ours = access.is_ours(datasette.get_database(database))
        known[key] = paths.page(datasette, database, "/match/{}") if ours else None
    address = known[key]
    if address is None:
        return None
    return address.format(f"{match}{ending}") + (f"#e{event}" if isinstance(event, int) else "")


def _anchor(address: str, text: str) -> Markup:
    return Markup(f'<a href="{escape(address)}">{escape(visible(text, 200))}</a>')


def _plain(value: Any) -> Any:
    """The value of a cell that Datasette shows with the label of what it points to."""
    return value["value"] if isinstance(value, Mapping) else value
