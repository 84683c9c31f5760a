"""Uploads audited beside the event loop, so that other requests are answered meanwhile.

In: an upload. Out: its verdicts one after another, each as soon as it is given; on request they are stored as well.
Refuses to know HTTP, and how an answer looks.

An upload is audited by one thread. A thread cannot be stopped from outside: at every match, and every so many bytes,
it looks whether somebody still waits for it. Its place is free again, and its file gone, when it has ended. Only one
thread of Python gets on at a time, so they take turns: else the more there were, the longer everybody else would wait.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TypeVar

from auditor import __version__, jsontext, rulebook, sources
from auditor.audit import Entry, verdict_on
from auditor.errors import CannotAudit
from auditor.games import FORMS
from auditor.log import Unreadable, read_stream
from auditor.store import Audited, Auditor, Store
from auditor.verdict import Verdict, to_json
from auditor.web.intake import Upload
from auditor.web.limits import Limits, Refused

T = TypeVar("T")

#: What is not longer lies in memory.
_IN_MEMORY_BYTES = 2**20
#: So many verdicts may be given before the first of them is taken.
_AHEAD = 8
#: In the middle of a match, a turn lasts so long before it is passed on.
_TURN_SECONDS = 0.05
#: What may stand before the first sign of a JSON text.
_BLANK = sources.BYTE_ORDER_MARK + b" \t\r\n"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """One match, or what is none, and the verdict on it, also as JSON on one line."""

    entry: Entry
    verdict: Verdict
    json: bytes


@dataclass(frozen=True, slots=True)
class Survey:
    """An upload under a name that says how matches lie in it, and whether those are many or one, by their form."""

    upload: Upload
    is_many: bool


class Turns:
    """A lock that those who wait for it get in the order in which they came."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._is_taken = False
        self._begun = 0.0

    @property
    def waiting_count(self) -> int:
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._guard:
            if self._is_taken:
                mine = threading.Lock()
                mine.acquire()
                self._waiting.append(mine)
            else:
                self._is_taken = True
                mine = None
        if mine is not None:
            mine.acquire()
        self._begun = time.monotonic()

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False

    def pass_on(self) -> None:
        """Ends a turn that has lasted long enough, if somebody waits for his, and waits for the next."""
        if self._waiting and time.monotonic() - self._begun > _TURN_SECONDS:
            self.__exit__()
            self.__enter__()


class Bench:
    """The places at which uploads are audited."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._free = threading.BoundedSemaphore(limits.at_once)
        self._threads = ThreadPoolExecutor(limits.at_once, "auditor")
        self.turns = Turns()

    @contextmanager
    def place(self) -> Iterator[Place]:
        """A place for one request. Raises ``Refused`` where none is free."""
        if not self._free.acquire(blocking=False):
            raise Refused(503, "busy", headers={"retry-after": "5"}, count=self.limits.at_once)
        place = Place(self.limits, self._threads, self.turns)
        try:
            yield place
        finally:
            place.leave(self._free.release)


class Place:
    """Where one upload is taken in and audited; ``file`` is there to write it into."""

    def __init__(self, limits: Limits, threads: ThreadPoolExecutor, turns: Turns) -> None:
        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115, leave() closes it
        self._limits = limits
        self._threads = threads
        self._turns = turns
        self._jobs: list[Future[object]] = []
        self._loop = asyncio.get_running_loop()
        self._heard: asyncio.Queue[Heard | None] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        self._is_left = False

    async def survey(self, upload: Upload) -> Survey:
        """Looks through an upload before it is audited. Raises ``Refused`` where it is too much, or nothing at all."""
        return await asyncio.wrap_future(self._job(lambda: self._surveyed(upload)))

    async def verdicts(self, upload: Upload, database: Path | None) -> AsyncGenerator[Heard, None]:
        """The verdicts on what an upload holds, in its order. With a ``database`` all is stored there in the end.

        Raises ``Refused`` where the database cannot be written; what it has of the upload by then is whole matches.
        """
        job = self._job(lambda: self._hear(upload, database))
        job.add_done_callback(lambda _: self._put(None))
        while (heard := await self._heard.get()) is not None:
            self._room.release()
            yield heard
        job.result()

    def leave(self, done: Callable[[], object]) -> None:
        """Lets the threads end what they are at; after that the file is gone, and ``done`` is called."""
        self._is_left = True
        self._room.release()

        def after(jobs: Sequence[Future[object]]) -> None:
            if jobs:
                jobs[0].add_done_callback(lambda _: after(jobs[1:]))
            else:
                self.file.close()
                done()

        after(self._jobs)

    def _job(self, work: Callable[[], T]) -> Future[T]:
        job = self._threads.submit(work)
        self._jobs.append(job)  # type: ignore[arg-type]
        return job

    # What follows is done by a thread.

    def _surveyed(self, upload: Upload) -> Survey:
        size, start = 0, b""

        def chunks() -> Iterator[bytes]:
            nonlocal size, start
            for chunk in upload.unpacked(self._go_on):
                size += len(chunk)
                if size > self._limits.unpacked_bytes:
                    raise Refused(413, "unpacked", most=self._limits.unpacked_bytes)
                start = start or chunk.lstrip(_BLANK)[:1]
                yield chunk

        first: sources.Found | None = None
        count = 0
        with self._turns:
            for found in sources.documents_in(chunks(), upload.name):
                first = first or found
                count += isinstance(found, sources.Document)
                if count > self._limits.matches:
                    raise Refused(413, "matches", place=found.place, count=self._limits.matches)
        if first is None and start != b"[":
            raise Refused(400, "empty")
        if upload.is_ndjson or start == b"[" or count < 2:
            return Survey(upload, upload.is_ndjson or start == b"[")
        # Nobody has said that there is one match a line. A text that is broken in its first line is one text.
        is_many = isinstance(first, sources.Document) and jsontext.parse(first.data).complete
        return Survey(upload if is_many else replace(upload, name=f"{upload.name}.json"), is_many)

    def _hear(self, upload: Upload, database: Path | None) -> None:
        rows = self._rows(upload)
        if database is None:
            deque(rows, maxlen=0)
            return
        try:
            with Store.reopen(database) as store:
                store.load(rows, Auditor(__version__, rulebook.digest()), ["upload", upload.name])
        except CannotAudit as error:
            _log.warning("an upload could not be stored: %s", error)
            raise Refused(503, "not-stored") from error

    def _rows(self, upload: Upload) -> Iterator[Audited]:
        entries = read_stream(upload.unpacked(self._go_on), upload.name, FORMS)
        while True:
            with self._turns:
                entry = next(entries, None)
                if entry is None:
                    return
                verdict = verdict_on(entry)
                heard = Heard(entry, verdict, to_json(verdict))
            self._room.acquire()
            self._check()
            self._put(heard)
            yield None if isinstance(entry, Unreadable) else entry, verdict

    def _go_on(self) -> None:
        """Called every so many bytes, in a turn."""
        self._check()
        self._turns.pass_on()

    def _check(self) -> None:
        if self._is_left:
            raise _Left

    def _put(self, heard: Heard | None) -> None:
        with suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._heard.put_nowait, heard)


class _Left(Exception):
    """Nobody waits for what the thread does."""
