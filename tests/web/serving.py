"""A database served by Datasette, as ``auditor serve`` does it: over a port for a browser, or page by page.

In: the path of a database. Out: an address, or responses. Refuses to know what is on the pages.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from datasette.app import Datasette

from auditor import serve

#: Longer than any start takes; a server that does not start is a fault and not a matter of time.
_PATIENCE_SECONDS = 60
#: What a test's Datasette is told, so that no query of it is broken off because the machine is busy.
PATIENT: Mapping[str, Any] = {
    "sql_time_limit_ms": 1000 * _PATIENCE_SECONDS,
    "facet_time_limit_ms": 1000 * _PATIENCE_SECONDS,
}


@contextmanager
def serving(database: Path, permissions: Mapping[str, Any] | None = None) -> Iterator[str]:
    """Serves the database on a free port; yields the address, without a slash at its end.

    ``permissions`` are those of a Datasette configuration, such as ``{"auditor-store": True}``.
    """
    datasette = serve.browser_of(database)
    if permissions is not None:
        datasette.config["permissions"] = dict(permissions)
    server = _Server(uvicorn.Config(datasette.app(), lifespan="on", log_level="warning"))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="served")
    thread.start()
    try:
        assert server.has_tried.wait(_PATIENCE_SECONDS), f"{database}: expected a server, found none"
        assert server.started, f"{database}: expected a server that starts, found what its error says"
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(_PATIENCE_SECONDS)
        listener.close()
        datasette.close()


def copied(database: Path, path: Path) -> Path:
    """A copy that may be written to."""
    shutil.copyfile(database, path)
    return path


def answers(databases: Path | Sequence[Path], *paths: str, config: Any = None, **request: Any) -> list[Any]:
    """What a ``PATIENT`` Datasette answers to a GET of each path, with its plain configuration or with ``config``.

    ``request`` are further arguments of its client, such as ``headers``, ``cookies`` or ``actor``.
    """
    files = [databases] if isinstance(databases, Path) else databases

    async def fetched() -> list[Any]:
        datasette = Datasette([str(file) for file in files], config=config, settings=PATIENT)
        try:
            return [await datasette.client.get(path, **request) for path in paths]
        finally:
            datasette.close()

    return asyncio.run(fetched())


class _Server(uvicorn.Server):
    """Says when it has tried to start."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_tried = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.has_tried.set()
