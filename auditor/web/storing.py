"""Whether what is sent to the audit service may be kept, and in which database.

In: a request. Out: the database, or why there is none for it. Refuses to know what is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette.database import Database
from datasette.utils.asgi import Request

from auditor.web import access
from auditor.web.limits import Refused

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette


async def database_to_store_in(datasette: Datasette, request: Request) -> Database:
    """The audit database that ``?database=`` names, or else the first that the actor may store in.

    Raises ``Refused`` where there is none such, where the file is served as one that does not change, and where the
    actor may not.
    """
    wanted = request.args.get("database")
    databases = [each for each in access.audit_databases(datasette) if wanted in (None, each.name)]
    if not databases:
        raise Refused(404, "no-database")
    for database in databases:
        if await access.may_store(datasette, request, database):
            return database
    if not any(database.is_mutable for database in databases):
        raise Refused(403, "immutable")
    raise Refused(403, "may-not-store")


async def may_store(datasette: Datasette, request: Request) -> bool:
    """Whether anything that the actor sends may be kept."""
    try:
        await database_to_store_in(datasette, request)
    except Refused:
        return False
    return True
