"""Addresses of the pages.

In: what a page shows. Out: its path on this server. Refuses to know what the page is made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from datasette.database import Database

from auditor.web import access

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette


def page(datasette: Datasette, database: Database | str | None, place: str = "") -> str:
    """The address of a page under ``/-/auditor``: ``place`` begins with a slash, or is empty for the front page.

    It names the database only where Datasette serves several audit databases.
    """
    path = str(datasette.urls.path(f"/-/auditor{place}"))
    if database is None or len(access.audit_databases(datasette)) < 2:
        return path
    name = database if isinstance(database, str) else database.name
    return f"{path}?database={quote_plus(name)}"


def match(datasette: Datasette, database: Database | str | None, key: int | str, event: int | None = None) -> str:
    """The address of a match, by the number of its row or by its digest, and of one of its events."""
    return page(datasette, database, f"/match/{str(key).removeprefix('sha256:')}") + (
        "" if event is None else f"#e{event}"
    )
