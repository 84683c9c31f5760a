"""Which databases the pages read, and who may.

In: a request and the tables that its page reads. Out: the audit database, or one of Datasette's answers: not found,
or forbidden. Refuses to know what is shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from datasette.database import Database
from datasette.permissions import Action
from datasette.resources import DatabaseResource, TableResource
from datasette.utils.asgi import Forbidden, NotFound, Request

from auditor.store import is_current

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

#: Keeping logs that were sent to the service in the database.
STORE = Action(
    name="auditor-store",
    description="Keep match logs that are sent to the audit service, with their verdicts",
    resource_class=DatabaseResource,
)


#: Which of the served databases are audit databases of this version's schema, as far as somebody has asked.
_OURS: WeakKeyDictionary[Database, bool] = WeakKeyDictionary()


def is_ours(database: Database) -> bool:
    """Whether a served database is an audit database of this version's schema."""
    if database not in _OURS:
        _OURS[database] = database.path is not None and is_current(Path(database.path), not database.is_mutable)
    return _OURS[database]


def audit_databases(datasette: Datasette) -> list[Database]:
    """Those of the served databases that are audit databases, in the order of serving."""
    return [database for database in datasette.databases.values() if is_ours(database)]


async def database_for(datasette: Datasette, request: Request, *tables: str) -> Database:
    """The audit database that a page shows: the one that ``?database=`` names, or else the first that may be seen.

    ``tables`` are those that the page reads; the actor must be allowed to see each. Raises ``NotFound`` where there
    is no such database, ``Forbidden`` where it may not be seen.
    """
    wanted = request.args.get("database")
    found = [each for each in audit_databases(datasette) if wanted in (None, each.name)]
    if not found:
        raise NotFound("There is no such audit database here")
    for database in found:
        if await may_see(datasette, request, database, *tables):
            return database
    raise Forbidden("Permission denied: " + ", ".join(tables))


async def may_see(datasette: Datasette, request: Request, database: Database, *tables: str) -> bool:
    """Whether the actor may see the database and each of the tables."""
    for table in tables:
        resource = TableResource(database=database.name, table=table)
        if not await datasette.allowed(action="view-table", resource=resource, actor=request.actor):
            return False
    resource = DatabaseResource(database=database.name)
    return bool(await datasette.allowed(action="view-database", resource=resource, actor=request.actor))


async def may_store(datasette: Datasette, request: Request, database: Database) -> bool:
    """Whether what the actor sends may be kept in a database that he may see. What no rule allows, nobody may."""
    if not database.is_mutable or not await may_see(datasette, request, database):
        return False
    resource = DatabaseResource(database=database.name)
    return bool(await datasette.allowed(action=STORE.name, resource=resource, actor=request.actor))
