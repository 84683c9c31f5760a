"""The audit service: a log is sent, the verdicts on it are the answer.

In: a match, or many, as a body or by a form. Out: one verdict as JSON, a stream of them as NDJSON, or a page; where
that cannot be, why not. Refuses to know rules, and how a log is read. Nothing is stored unless that is asked for and
allowed.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio import timeout
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

import msgspec
from datasette.database import Database
from datasette.utils.asgi import Forbidden, NotFound, Request, Response

from auditor.log import Log
from auditor.verdict import document
from auditor.web import access, forms, openapi, paths, rendering
from auditor.web.auditing import Bench, Heard, Place
from auditor.web.intake import FORM_TYPE, Body, Gone, Upload, content_type, taken_in
from auditor.web.limits import Refused, limits_of
from auditor.web.storing import database_to_store_in

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

#: What takes the messages of an answer.
_Send: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[None]]

_JSON = "application/json; charset=utf-8"
_NDJSON = "application/x-ndjson; charset=utf-8"
#: Whoever takes nothing more has so long to take the last line.
_LAST_LINE_SECONDS = 5.0
#: Whoever is refused while he is still sending has so long to end.
_LAST_PART_SECONDS = 30.0

_BENCHES: WeakKeyDictionary[Datasette, Bench] = WeakKeyDictionary()


def bench_of(datasette: Datasette) -> Bench:
    """Where what is sent to this Datasette is audited. Raises ``StartupError`` for limits that are none."""
    if datasette not in _BENCHES:
        _BENCHES[datasette] = Bench(limits_of(datasette))
    return _BENCHES[datasette]


async def audit(datasette: Datasette, request: Request) -> Response:
    """The form, or the verdicts on what was sent."""
    try:
        if not await datasette.allowed(action="view-instance", actor=request.actor):
            raise Forbidden("Permission denied") if _is_for_a_person(request) else Refused(403, "not-allowed")
        shown = await _shown(datasette, request)
        if request.method in ("GET", "HEAD"):
            return await forms.form(datasette, request, shown, bench_of(datasette).limits)
        if request.method != "POST":
            raise Refused(405, "method", headers={"allow": "GET, HEAD, POST"})
    except Refused as refused:
        return _refusal(refused)
    return _Exchange(datasette, request, shown)


async def description(datasette: Datasette, request: Request) -> Response:
    """The OpenAPI document of what answers programs."""
    return _json(openapi.document(str(datasette.urls.path("/")), bench_of(datasette).limits))


ROUTES: Sequence[tuple[str, Callable[..., Any]]] = [
    (r"/-/auditor/audit$", audit),
    (r"/-/auditor/openapi\.json$", rendering.reading(description)),
]


class _Exchange(Response):  # type: ignore[misc]  # Datasette has no types
    """What is sent taken in, and answered while it is audited: each verdict is sent as soon as it is given."""

    def __init__(self, datasette: Datasette, request: Request, shown: Database | None) -> None:
        super().__init__()
        self._datasette = datasette
        self._request = request
        self._shown = shown
        self._limits = bench_of(datasette).limits

    async def asgi_send(self, send: _Send) -> None:
        stream = _Stream(send)
        body = Body(self._request, self._limits)
        try:
            with bench_of(self._datasette).place() as place:
                response = await self._in_time(body, place, stream)
        except Gone:
            return
        except Refused as refused:
            if stream.is_begun:
                await stream.break_off(refused)
            else:
                await (await self._refused(refused)).asgi_send(_after(body, send))
            return
        if response is not None:
            await response.asgi_send(send)

    async def _in_time(self, body: Body, place: Place, stream: _Stream) -> Response | None:
        """The answer, unless its time is over, or nobody waits for it any more."""
        gone = asyncio.Event()
        try:
            async with timeout(self._limits.seconds) as time:
                upload = await taken_in(body, self._limits, place.file)
                async with _watched(self._request, gone, time):
                    return await self._answer(upload, place, stream)
        except TimeoutError:
            if gone.is_set():
                raise Gone from None
            raise Refused(503, "seconds", seconds=f"{self._limits.seconds:g}") from None

    async def _answer(self, upload: Upload, place: Place, stream: _Stream) -> Response | None:
        """One response, or nothing where a stream has been sent."""
        datasette, request = self._datasette, self._request
        database = await database_to_store_in(datasette, request) if upload.is_to_be_stored else None
        survey = await place.survey(upload)
        verdicts = place.verdicts(survey.upload, None if database is None else Path(str(database.path)))
        async with contextlib.aclosing(verdicts) as heard:
            if _is_for_a_person(request):
                return await forms.verdicts(datasette, request, self._shown, database, heard)
            if not survey.is_many:
                return _single(datasette, database, [each async for each in heard])
            stream.headers |= _stored_at(None if database is None else paths.page(datasette, database))
            async for each in heard:
                await stream.write(each.json)
            await stream.end()
            return None

    async def _refused(self, refused: Refused) -> Response:
        if _is_for_a_person(self._request):
            return await forms.form(self._datasette, self._request, self._shown, self._limits, refused)
        return _refusal(refused)


async def _shown(datasette: Datasette, request: Request) -> Database | None:
    """The database that the other pages show; the service is there without one."""
    try:
        return await access.database_for(datasette, request)
    except Forbidden:
        return None
    except NotFound:
        if "database" not in request.args:
            return None
        if _is_for_a_person(request):
            raise
        raise Refused(404, "no-database") from None


def _single(datasette: Datasette, database: Database | None, heard: Sequence[Heard]) -> Response:
    """The verdict on the one match that was sent, or everything that is wrong with what is none."""
    faulty = next((each for each in heard if not isinstance(each.entry, Log)), None)
    if faulty is None:
        address = None if database is None else paths.match(datasette, database, str(heard[0].verdict.log_digest))
        return Response(heard[0].json, headers=_stored_at(address), content_type=_JSON)
    errors = [
        {
            "clause": finding.clause,
            "message": finding.message(each.verdict.ruleset),
            "line": finding.place.line,
            "offset": finding.place.offset,
            "pointer": finding.place.pointer,
        }
        for each in heard
        for finding in each.verdict.findings
        if finding.place is not None
    ]
    refusal = {"ok": False, "status": 400, "error": errors[0]["message"], "errors": errors}
    address = None if database is None else paths.page(datasette, database)
    return _json({**refusal, "verdict": document(faulty.verdict)}, 400, _stored_at(address))


def _refusal(refused: Refused) -> Response:
    return _json(refused.document(), refused.status, refused.headers)


def _json(answer: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(answer), status=status, headers=dict(headers or {}), content_type=_JSON)


def _stored_at(address: str | None) -> dict[str, str]:
    """The header that says where to look at what was stored."""
    return {} if address is None else {"auditor-stored": address}


def _is_for_a_person(request: Request) -> bool:
    """Whether a browser asks; other programs send forms too, and want to be answered like programs."""
    if request.method in ("GET", "HEAD"):
        return True
    return content_type(request) == FORM_TYPE and "text/html" in request.headers.get("accept", "")


@contextlib.asynccontextmanager
async def _watched(request: Request, gone: asyncio.Event, time: asyncio.Timeout) -> AsyncIterator[None]:
    """Ends the ``time`` and sets ``gone`` as soon as whoever sent the request goes away."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        gone.set()
        time.reschedule(0)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.wait({watching})


def _after(body: Body, send: _Send) -> _Send:
    """Sends an answer at once, and ends it when the whole body has come: else many a sender would not hear it."""

    async def held(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            await send({**message, "more_body": True})
            with contextlib.suppress(TimeoutError):
                async with timeout(_LAST_PART_SECONDS):
                    await body.let_pass()
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    return held


class _Stream:
    """An answer that is sent line by line. Its last line says so if it was broken off."""

    def __init__(self, send: _Send) -> None:
        self.headers: dict[str, str] = {"content-type": _NDJSON, "cache-control": "no-store"}
        self.is_begun = False
        self._send = send

    async def write(self, line: bytes) -> None:
        await self._send_body(line + b"\n", more=True)

    async def end(self) -> None:
        await self._send_body(b"", more=False)

    async def break_off(self, refused: Refused) -> None:
        """Says why no more verdicts come, if anybody takes it."""
        with contextlib.suppress(TimeoutError):
            async with timeout(_LAST_LINE_SECONDS):
                await self.write(msgspec.json.encode(refused.document()))
                await self.end()

    async def _send_body(self, body: bytes, more: bool) -> None:
        if not self.is_begun:
            self.is_begun = True
            headers = [(name.encode(), value.encode()) for name, value in self.headers.items()]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": more})
