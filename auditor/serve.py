"""A database of audited matches in the browser, by Datasette.

In: the path of the database. Out: a web server on this machine, and the configuration that it shows the tables with.
Refuses to know what the tables hold: ``datasette.yaml`` beside this module says it in words.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import webbrowser
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import uvicorn
from datasette.app import Datasette
from datasette.utils import parse_metadata, tilde_encode

from auditor.errors import CannotAudit
from auditor.store import Store, require

#: The name that ``datasette.yaml`` gives the database; Datasette calls each after its file.
_WRITTEN_NAME = "audit"


def configuration(name: str) -> dict[str, Any]:
    """What Datasette is told of a database whose file is called ``name`` (without its ending).

    It is configuration and metadata in one: Datasette takes the one document in both places.
    """
    text = resources.files("auditor").joinpath("datasette.yaml").read_text(encoding="utf-8")
    text = text.replace(f'href="{_WRITTEN_NAME}/', f'href="{tilde_encode(name)}/')
    page: dict[str, Any] = parse_metadata(text)
    page["databases"] = {name: page["databases"][_WRITTEN_NAME]}
    return page


def configuration_json(database: Path) -> str:
    """The same as text, for ``datasette DATABASE -c FILE -m FILE`` without this program."""
    return json.dumps(configuration(database.stem), ensure_ascii=False, indent=2) + "\n"


def browser_of(database: Path, immutable: bool = False) -> Datasette:
    """A Datasette that shows the database as ``datasette.yaml`` describes it.

    ``immutable`` promises that nobody writes to the file meanwhile: pages are then quicker, and the file may lie
    where nothing can be written. Raises ``CannotAudit`` for a file that is no audit database.
    """
    require(database)
    page = configuration(database.stem)
    if immutable:
        _fold_in_what_is_pending(database)
        return Datasette(immutables=[str(database)], config=page, metadata=page)
    return Datasette([str(database)], config=page, metadata=page)


def serve(
    database: Path,
    port: int = 8001,
    *,
    host: str = "127.0.0.1",
    immutable: bool = False,
    open_browser: bool = False,
    announce: Callable[[str], object] = lambda url: None,
) -> None:
    """Serves the database until it is interrupted. ``announce`` is told the address; port 0 takes a free port.

    Raises ``CannotAudit`` for a file that is no audit database, or a damaged one, and for a port that is taken.
    """
    application = browser_of(database, immutable).app()
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
