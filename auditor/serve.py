"""A database of audited matches in the browser, by Datasette.

In: the path of the database. Out: a web server on this machine. Refuses to know what the pages show.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn
from datasette.app import Datasette

from auditor.errors import CannotAudit
from auditor.store import SCHEMA, Store, require
from auditor.web.access import STORE

#: What suits large tables; everything else Datasette is told by the plugin.
_SETTINGS = {"sql_time_limit_ms": 5000, "facet_time_limit_ms": 1000, "suggest_facets": False, "default_facet_size": 8}


def browser_of(database: Path, immutable: bool = False, accept_uploads: bool = False) -> Datasette:
    """A Datasette that shows the database, with the pages of ``auditor.web``.

    ``immutable`` promises that nobody writes to the file meanwhile: pages are then quicker, and the file may lie
    where nothing can be written, if it has this version's schema; one of an earlier schema is brought up first.
    ``accept_uploads`` lets whoever reaches the pages add to it. Raises ``CannotAudit`` for a file that is no audit
    database, and where both are asked for.
    """
    schema = require(database)
    if immutable and accept_uploads:
        raise CannotAudit(f"{database}: expected a file that does not change or one that takes uploads, found both")
    if schema < SCHEMA:
        Store.open(database).close()
    if immutable:
        _fold_in_what_is_pending(database)
        return Datasette(immutables=[str(database)], settings=_SETTINGS)
    permissions = {STORE.name: True} if accept_uploads else {}
    return Datasette([str(database)], settings=_SETTINGS, config={"permissions": permissions})


def serve(
    database: Path,
    port: int = 8001,
    *,
    host: str = "127.0.0.1",
    immutable: bool = False,
    accept_uploads: bool = False,
    open_browser: bool = False,
    announce: Callable[[str], object] = lambda url: None,
) -> None:
    """Serves the database until it is interrupted. ``announce`` is told the address; port 0 takes a free port.

    Raises ``CannotAudit`` for a file that is no audit database, or a damaged one, and for a port that is taken.
    """
    application = browser_of(database, immutable, accept_uploads).app()
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise CannotAudit(f"{host}:{port}: expected a free port to serve on, found: {error.strerror}") from error
    with listener:
        url = f"http://{host}:{listener.getsockname()[1]}/"
        announce(url)
        if open_browser:
            webbrowser.open(url)
        server = uvicorn.Server(uvicorn.Config(application, lifespan="on", log_level="warning"))
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            asyncio.run(server.serve(sockets=[listener]))
    if not server.started:
        raise CannotAudit(f"{database}: expected a database that Datasette can show, found what its error above says")


def _fold_in_what_is_pending(database: Path) -> None:
    """SQLite reads an immutable file without the log beside it, where a killed load may have left matches."""
    log = database.with_name(database.name + "-wal")
    if log.exists() and log.stat().st_size > 0:
        Store.open(database).close()
