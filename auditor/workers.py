"""Workers: processes that audit side by side.

In: paths, and what is to be told of a document. Out: what is told of each, in the order of the input, as from one
process. Refuses to know rules, and what becomes of what is told.

One process shares the input out; the others read and audit. A process that dies takes nothing with it: what was not
finished is given to others.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from multiprocessing import resource_tracker
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from auditor import portions
from auditor.audit import Entry, verdict_on
from auditor.errors import CannotAudit, Place
from auditor.games import FORMS
from auditor.log import Log, Reader, entries
from auditor.portions import Portion
from auditor.sources import Found, documents
from auditor.store import Auditor, Store
from auditor.verdict import Verdict

#: Input of fewer bytes is audited sooner than processes have started.
_WORTH_BYTES = 16 * 2**20
#: How often it is looked whether a process has died of which an answer is awaited.
_PATIENCE_SECONDS = 2.0
#: So many portions a worker are on their way: one in work, one that waits.
_AHEAD = 2

Told_co = TypeVar("Told_co", covariant=True)


class Tell(Protocol[Told_co]):
    """What is told of a document. ``is_known`` says that the verdict is the one in the database.

    It is sent to the workers: it, and what it gives, are made of plain data.
    """

    @property
    def kind(self) -> type[Told_co]:
        """The type of what is told."""
        ...

    def __call__(self, entry: Entry, verdict: Verdict, is_known: bool) -> Told_co: ...


def available() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # a system that cannot tell
        return os.cpu_count() or 1


class Known:
    """A database, and the auditor whose verdicts in it hold: a log that has one is not audited again.

    ``store`` is the database as it is open for writing here. No other process is given that.
    """

    def __init__(self, database: Path, by: Auditor, store: Store | None = None) -> None:
        self.by = by
        self._database = database
        self._store = store

    def __reduce__(self) -> tuple[type[Known], tuple[object, ...]]:
        return Known, (self._database, self.by)

    @contextmanager
    def looked_into(self) -> Iterator[Store]:
        if self._store is not None:  # to open and close the file once more would drop the locks that SQLite has on it
            yield self._store
        else:
            with Store.look(self._database) as store:
                yield store


def audited(
    paths: Iterable[str],
    workers: int,
    lost: Callable[[Place], None],
    tell: Tell[Told_co],
    known: Known | None = None,
) -> Iterator[Told_co]:
    """What is told of every match under the paths, in order.

    ``lost`` hears of a document on which a process died twice: nothing is told of it. ``known`` is a database that is
    there.
    """
    if workers == 1:
        yield from _told(documents(paths), Reader(FORMS), tell, known)
        return
    shared = portions.portions(paths)
    first: list[Portion] = []
    size = 0
    for portion in shared:
        first.append(portion)
        size += portions.size(portion)
        if size >= _WORTH_BYTES:
            break
    pool = None
    if size >= _WORTH_BYTES:
        # Where the system has no room for what processes share, one does it all.
        with suppress(OSError):
            pool = _Pool(workers, lost, tell, known)
    if pool is None:
        found = (each for portion in itertools.chain(first, shared) for each in portions.documents(portion))
        yield from _told(found, Reader(FORMS), tell, known)
        return
    decoder = msgspec.msgpack.Decoder(list[tell.kind])  # type: ignore[name-defined]
    with pool:
        for answer in pool.answers(itertools.chain(first, shared)):
            yield from decoder.decode(answer)


class _Pool:
    """The processes, and the portions that they are at."""

    def __init__(self, workers: int, lost: Callable[[Place], None], tell: Tell[object], known: Known | None) -> None:
        self._workers = workers
        self._lost = lost
        self._tell = tell
        self._known = known
        self._executor = self._started(workers)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with interrupts_wait():
            if kind is not None:  # nobody waits for what the workers are at
                self._kill()
            self._executor.shutdown(wait=True, cancel_futures=True)

    def answers(self, shared: Iterator[Portion]) -> Iterator[bytes]:
        """What is told of each portion, in their order."""
        pending: deque[tuple[Portion, Future[bytes]]] = deque()
        for portion in itertools.islice(shared, self._workers * _AHEAD):
            pending.append((portion, self._submitted(portion)))
        while pending:
            try:
                answer = self._answer(pending[0][1])
            except BrokenProcessPool:
                unfinished = [portion for portion, _ in pending]
                pending.clear()
                yield from self._one_by_one(unfinished)
            else:
                portion, _ = pending.popleft()
                if answer:
                    yield answer
                else:
                    loaded = list(portions.documents(portion))
                    pending.appendleft((loaded, self._submitted(loaded)))
            for portion in itertools.islice(shared, self._workers * _AHEAD - len(pending)):
                pending.append((portion, self._submitted(portion)))

    def _started(self, workers: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(workers, _context(self._tell), _end_with_parent)

    def _submitted(self, portion: Portion) -> Future[bytes]:
        try:
            with interrupts_wait():
                return self._executor.submit(_audit, portion, self._tell, self._known)
        except BrokenProcessPool as error:
            broken: Future[bytes] = Future()
            broken.set_exception(error)
            return broken
        except (OSError, EOFError, RuntimeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            found = f"{why}; one process alone (--workers 1) starts no other"
            raise CannotAudit(f"expected to start {self._workers} processes, found: {found}") from error

    def _answer(self, future: Future[bytes]) -> bytes:
        """What comes of a future. Raises ``BrokenProcessPool`` where a process has died.

        The executor sees that itself, unless the process dies in the middle of an answer: then it waits for the rest.
        """
        while True:
            try:
                return future.result(_PATIENCE_SECONDS)
            except TimeoutError:
                processes = list((self._executor._processes or {}).values())
                manager: Any = self._executor._executor_manager_thread
                if not manager.is_alive():
                    self._kill()
                    raise BrokenProcessPool("what hands out the work has died") from None
                if not all(process.is_alive() for process in processes):
                    self._kill()

    def _kill(self) -> None:
        """Ends the processes, and the executor's waiting for the rest of an answer."""
        for process in list((self._executor._processes or {}).values()):
            process.kill()
        self._executor._result_queue._writer.close()  # type: ignore[attr-defined]

    def _one_by_one(self, unfinished: Iterable[Portion]) -> Iterator[bytes]:
        """Goes through what was unfinished when a process died, so that a document that kills is found."""
        self._restart()
        for portion in unfinished:
            loaded = list(portions.documents(portion))
            answer = self._tried(loaded)
            if answer is not None:
                yield answer
                continue
            for part in portions.one_each(loaded):
                answer = self._tried(part)
                if answer is None:
                    self._lost(part[0].place)
                else:
                    yield answer

    def _tried(self, portion: Portion) -> bytes | None:
        """What is told of a portion; ``None`` where the process dies of it."""
        try:
            return self._answer(self._submitted(portion))
        except BrokenProcessPool:
            self._restart()
            return None

    def _restart(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = self._started(self._workers)


def _context(tell: Tell[object]) -> BaseContext:
    """How processes are started. One that is forked from this one could inherit a lock that some thread of it holds."""
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    # A process without threads loads all that a worker needs, once, and the workers are forked from that one.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, type(tell).__module__])
    return context


@cache
def _reader() -> Reader:
    """The one reader of a process."""
    return Reader(FORMS)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """What is started meanwhile never hears an interrupt: it ends with its parent, which hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it would let interrupts through where it had to start later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """Runs in a worker: it ends when the process that started it does, even by a signal that nobody can hear."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


_ENCODER = msgspec.msgpack.Encoder()


def _audit(portion: Portion, tell: Tell[object], known: Known | None) -> bytes:
    """Runs in a worker. The answer is empty where lines cannot be had here."""
    try:
        found = list(portions.documents(portion))
    except OSError:
        return b""
    return _ENCODER.encode(list(_told(found, _reader(), tell, known)))


def _told(found: Iterable[Found], reader: Reader, tell: Tell[Told_co], known: Known | None) -> Iterator[Told_co]:
    """What is told of documents and gaps; a verdict is taken from the database, if it has one."""
    with nullcontext() if known is None else known.looked_into() as store:
        for entry in entries(found, reader):
            stored = store.known(entry.digest, known.by) if store and known and isinstance(entry, Log) else None
            yield tell(entry, verdict_on(entry) if stored is None else stored, stored is not None)
