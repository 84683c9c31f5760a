"""Uploads are audited beside everything else: a long one holds up nobody, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from datasette.app import Datasette

from auditor.audit import Entry, verdict_on
from auditor.verdict import Verdict
from auditor.web import auditing, service
from tests import golden

from . import wire
from .wire import AUDIT, JSON, NDJSON

LOG = (golden.FIXTURES / "three-stones" / "clean-slide-3.json").read_bytes()
LINE = msgspec.json.encode(msgspec.json.decode(LOG)) + b"\n"


class Gate:
    """Lets audits begin one by one: as many as ``open`` was called for, or all."""

    def __init__(self) -> None:
        self._open = threading.Semaphore(0)
        self.arrived = threading.Semaphore(0)

    def __call__(self, entry: Entry) -> Verdict:
        self.arrived.release()
        assert self._open.acquire(timeout=60)
        return verdict_on(entry)

    def open(self, count: int = 1) -> None:
        self._open.release(count)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    monkeypatch.setattr(auditing, "verdict_on", gate)
    yield gate
    gate.open(1000)


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> list[auditing.Place]:
    """The places that were taken."""
    taken = []
    make = auditing.Place.__init__

    def noted(self: auditing.Place, *arguments: Any) -> None:
        make(self, *arguments)
        taken.append(self)

    monkeypatch.setattr(auditing.Place, "__init__", noted)
    return taken


async def ended(datasette: Datasette) -> None:
    """Waits until the threads have done all that they were at. Only for a bench with one place."""
    await asyncio.wrap_future(service.bench_of(datasette)._threads.submit(int))


def has_free_place(datasette: Datasette) -> bool:
    free = service.bench_of(datasette)._free
    if not free.acquire(blocking=False):
        return False
    free.release()
    return True


def test_other_requests_are_answered_and_verdicts_come_as_they_are_given(gate: Gate, audited_database: Path) -> None:
    async def exchanged() -> None:
        async with wire.served(audited_database) as datasette:
            exchange = wire.Exchange(datasette, LINE * 3)
            for _ in range(3):
                # Here a match is being audited, which does not end before the gate is opened.
                await asyncio.to_thread(gate.arrived.acquire)
                for path in ("/-/auditor", "/-/auditor/audit", "/audit/matches.json?_size=1"):
                    assert (await datasette.client.get(path)).status_code == 200
                assert not exchange.is_answered
                gate.open()
                assert json.loads(await exchange.line())["status"] == "clean"
            assert await exchange.rest() == b""

    wire.run(exchanged)


def test_a_short_one_does_not_wait_for_the_end_of_a_long_one(gate: Gate) -> None:
    async def exchanged() -> None:
        async with wire.served() as datasette:
            long = wire.Exchange(datasette, LINE * 50)
            await asyncio.to_thread(gate.arrived.acquire)
            short = wire.Exchange(datasette, LINE)
            while not service.bench_of(datasette).turns.waiting_count:
                await asyncio.sleep(0)
            while not short.task.done():
                gate.open()
                await asyncio.to_thread(gate.arrived.acquire)
            assert len((await short.rest()).splitlines()) == 1
            assert not long.task.done()
            gate.open(100)
            assert len((await long.rest()).splitlines()) == 50

    wire.run(exchanged)


def test_so_many_at_once_and_no_more(gate: Gate) -> None:
    async def exchanged() -> None:
        async with wire.served(limits={"at_once": 1}) as datasette:
            exchange = wire.Exchange(datasette, LINE * 2)
            await asyncio.to_thread(gate.arrived.acquire)
            busy = await datasette.client.post(AUDIT, content=LOG, headers=JSON)
            assert (busy.status_code, busy.headers["retry-after"]) == (503, "5")
            assert busy.json()["error"] == "Another request is being audited; try again soon."
            page = await datasette.client.post(AUDIT, files={"log": ("x.json", LOG)}, headers=wire.BROWSER)
            assert (page.status_code, page.headers["retry-after"]) == (503, "5")
            gate.open(3)
            assert len((await exchange.rest()).splitlines()) == 2
            await ended(datasette)
            assert (await datasette.client.post(AUDIT, content=LOG, headers=JSON)).status_code == 200

    wire.run(exchanged)


def test_64_clients_are_answered_or_told_to_come_again() -> None:
    async def exchanged() -> list[Any]:
        async with wire.served() as datasette:
            requests = (datasette.client.post(AUDIT, content=LINE * 5, headers=NDJSON) for _ in range(64))
            answers = await asyncio.gather(*requests)
            assert (await datasette.client.post(AUDIT, content=LOG, headers=JSON)).status_code == 200
            return answers

    answers = wire.run(exchanged)
    assert {answer.status_code for answer in answers} == {200, 503}
    assert len({answer.content for answer in answers if answer.status_code == 200}) == 1
    assert all("retry-after" in answer.headers for answer in answers if answer.status_code == 503)


# --- Time -----------------------------------------------------------------------------------------------------------


class Clock:
    """Ends the time that is given to somebody when ``strike`` is called, and not before."""

    def __init__(self) -> None:
        self._waits: asyncio.Queue[asyncio.Timeout] = asyncio.Queue()

    def timeout(self, seconds: float) -> asyncio.Timeout:
        wait = asyncio.timeout(None)
        self._waits.put_nowait(wait)
        return wait

    async def strike(self) -> None:
        """The next of the waits is over, in the order in which they begin."""
        (await self._waits.get()).reschedule(0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(service, "timeout", clock.timeout)
    return clock


def test_one_match_that_takes_too_long_is_refused(gate: Gate, clock: Clock) -> None:
    async def exchanged() -> None:
        async with wire.served(limits={"seconds": 7.5, "at_once": 1}) as datasette:
            exchange = wire.Exchange(datasette, LOG, headers=JSON)
            await asyncio.to_thread(gate.arrived.acquire)
            await clock.strike()
            start = await exchange.message()
            assert start["status"] == 503
            late = json.loads(await exchange.rest())
            assert late["error"] == "The request took longer than 7.5 seconds and was broken off."
            # The thread is still at it, and so holds its place.
            assert not has_free_place(datasette)
            gate.open()
            await ended(datasette)
            assert has_free_place(datasette)

    wire.run(exchanged)


def test_a_stream_that_takes_too_long_says_so_in_its_last_line(gate: Gate, clock: Clock) -> None:
    async def exchanged() -> None:
        async with wire.served() as datasette:
            exchange = wire.Exchange(datasette, LINE * 3)
            gate.open()
            assert json.loads(await exchange.line())["status"] == "clean"
            await clock.strike()
            last = await exchange.rest()
            assert last.endswith(b"}\n")
            assert json.loads(last)["status"] == 503
            assert json.loads(last)["ok"] is False

    wire.run(exchanged)


def test_a_body_that_never_ends_is_not_waited_for(clock: Clock) -> None:
    async def exchanged() -> None:
        async with wire.served(limits={"at_once": 1}) as datasette:
            exchange = wire.Exchange(datasette, LINE, b"")
            await exchange.has_taken_all()
            await clock.strike()
            assert json.loads(await exchange.line())["status"] == 503
            await clock.strike()
            assert await exchange.rest() == b""
            assert has_free_place(datasette)

    wire.run(exchanged)


def test_whoever_takes_nothing_is_let_go(clock: Clock, places: list[auditing.Place]) -> None:
    async def exchanged() -> None:
        async with wire.served(limits={"at_once": 1}) as datasette:
            exchange = wire.Exchange(datasette, LINE * 100)
            await exchange.line()
            exchange.takes.clear()
            await clock.strike()
            await clock.strike()
            await exchange.task
            await ended(datasette)
            assert has_free_place(datasette)

    wire.run(exchanged)
    assert [place.file.closed for place in places] == [True]


# --- Clients that go away ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [JSON, NDJSON, {"content-type": "multipart/form-data; boundary=x"}])
@pytest.mark.parametrize("sent", [(b"",), (LINE, b""), (b"--x\r\nContent-Disposition: form-data; name=text", b"")])
def test_whoever_goes_while_sending_leaves_nothing(
    headers: dict[str, str], sent: tuple[bytes, ...], places: list[auditing.Place]
) -> None:
    async def exchanged() -> None:
        async with wire.served(limits={"at_once": 1}) as datasette:
            exchange = wire.Exchange(datasette, *sent, headers=headers)
            exchange.hang_up()
            assert await exchange.rest() == b""
            assert not exchange.is_answered
            assert has_free_place(datasette)

    wire.run(exchanged)
    assert [place.file.closed for place in places] == [True]


def test_for_whoever_goes_no_further_match_is_audited(gate: Gate, places: list[auditing.Place]) -> None:
    async def exchanged() -> None:
        async with wire.served(limits={"at_once": 1}) as datasette:
            exchange = wire.Exchange(datasette, LINE * 1000)
            gate.open()
            await exchange.line()
            for _ in range(2):
                await asyncio.to_thread(gate.arrived.acquire)
            exchange.hang_up()
            # Nobody waits for the second match, which is still being audited.
            await exchange.task
            assert not has_free_place(datasette)
            gate.open(1000)
            await ended(datasette)
            assert has_free_place(datasette)
            assert not exchange.is_answered

    wire.run(exchanged)
    assert [place.file.closed for place in places] == [True]
    assert not gate.arrived.acquire(blocking=False)


def test_a_file_that_lay_on_the_disk_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: list[auditing.Place]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    body = LINE * (2_000_000 // len(LINE))
    found = wire.answer(content=body, headers=NDJSON)
    assert len(found.content.splitlines()) == body.count(b"\n")
    [place] = places
    assert place.file._rolled  # type: ignore[attr-defined]
    assert place.file.closed
    assert list(tmp_path.iterdir()) == []
