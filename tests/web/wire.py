"""Requests to a served database that are not done with one GET: bodies, forms, and answers that come bit by bit.

In: what is sent. Out: what is answered, whole or message by message. Refuses to know what it is about.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from datasette.app import Datasette

from . import serving

T = TypeVar("T")

AUDIT = "/-/auditor/audit"
JSON = {"content-type": "application/json"}
NDJSON = {"content-type": "application/x-ndjson"}
#: What a browser sends along with a form.
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@asynccontextmanager
async def served(databases: Path | Sequence[Path] = (), **options: Any) -> AsyncIterator[Datasette]:
    """A Datasette of these files; ``options`` are arguments of its own, and ``limits`` and ``permissions``."""
    files = [databases] if isinstance(databases, Path) else databases
    config = options.pop("config", {})
    if "permissions" in options:
        config = {**config, "permissions": options.pop("permissions")}
    if "limits" in options:
        config = {**config, "plugins": {"auditor": {"limits": options.pop("limits")}}}
    options["settings"] = {**serving.PATIENT, **options.get("settings", {})}
    datasette = Datasette([str(file) for file in files], config=config, **options)
    try:
        yield datasette
    finally:
        datasette.close()


def run(test: Callable[[], Awaitable[T]]) -> T:
    """What an asynchronous function gives."""

    async def patient() -> T:
        return await asyncio.wait_for(test(), timeout=60)

    return asyncio.run(patient())


def answer(databases: Path | Sequence[Path] = (), path: str = AUDIT, method: str = "POST", **request: Any) -> Any:
    """What is answered to one request; see ``served`` for what may be set, and ``Datasette.client`` for the rest."""
    options = {
        name: request.pop(name)
        for name in ("limits", "permissions", "config", "immutables", "settings")
        if name in request
    }

    async def answered() -> Any:
        async with served(databases, **options) as datasette:
            return await datasette.client.request(method, path, **request)

    return run(answered)


class Exchange:
    """One request to an application, message by message."""

    def __init__(
        self, datasette: Datasette, *parts: bytes, path: str = AUDIT, headers: Mapping[str, str] = NDJSON
    ) -> None:
        """``parts`` of the body are sent at once; more may follow if the last of them is ``b""``."""
        plain, _, query = path.partition("?")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": plain,
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        self._incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outgoing: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        for number, part in enumerate(parts, 1):
            is_last = number == len(parts) and part != b""
            self._incoming.put_nowait({"type": "http.request", "body": part, "more_body": not is_last})
        self.takes = asyncio.Event()
        self.takes.set()
        self._wants_more = asyncio.Event()
        self.task = asyncio.create_task(datasette.app()(scope, self._receive, self._send))

    async def message(self) -> Mapping[str, Any]:
        """The next message of the answer."""
        return await self._outgoing.get()

    async def line(self) -> bytes:
        """The next part of the answer's body."""
        message = await self.message()
        return bytes(message["body"] if message["type"] == "http.response.body" else (await self.message())["body"])

    async def rest(self) -> bytes:
        """The rest of the answer's body, once the application has ended."""
        await self.task
        body = b""
        while not self._outgoing.empty():
            body += self._outgoing.get_nowait().get("body", b"")
        return body

    async def has_taken_all(self) -> None:
        """Waits until the application wants more than was sent."""
        await self._wants_more.wait()

    def say(self, part: bytes, is_last: bool = False) -> None:
        """Sends a further part of the body."""
        self._wants_more.clear()
        self._incoming.put_nowait({"type": "http.request", "body": part, "more_body": not is_last})

    def hang_up(self) -> None:
        self._incoming.put_nowait({"type": "http.disconnect"})

    @property
    def has_been_heard_out(self) -> bool:
        """Whether everything that was sent has been taken."""
        return self._incoming.empty()

    @property
    def is_answered(self) -> bool:
        """Whether there are messages of the answer that were not looked at."""
        return not self._outgoing.empty()

    async def _receive(self) -> dict[str, Any]:
        if self._incoming.empty():
            self._wants_more.set()
        return await self._incoming.get()

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self.takes.wait()
        self._outgoing.put_nowait(message)
