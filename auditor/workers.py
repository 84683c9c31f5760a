"""Workers: processes that audit side by side.

In: paths. Out: what the reader hands on and the verdict on it, in the order of the input, as from one process. Refuses
to know rules and what becomes of a verdict.

One process reads, unpacks and cuts the input into batches of whole documents, so that every kind of input is shared
out: files, the lines of one file, packed ones, elements of an array, a pipe. The others make typed matches and verdicts
of them. A process that dies takes nothing with it: what was not finished is given to others.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TypeAlias

import msgspec

from auditor.audit import Entry, verdict_on
from auditor.errors import CannotAudit, Place
from auditor.games import FORMS
from auditor.log import Log, Reader, Unreadable, entries
from auditor.sources import Document, Found, documents
from auditor.store import Auditor, Store
from auditor.verdict import Verdict

#: A batch closes at so many bytes: some dozen matches, a few hundredths of a second.
_BATCH_BYTES = 2**20
#: Input of fewer bytes is audited sooner than processes have started.
_WORTH_BYTES = 12 * 2**20
#: How often it is looked whether a process has died of which an answer is awaited.
_PATIENCE_SECONDS = 2.0
#: So many batches a worker are on their way: one in work, one that waits.
_AHEAD = 2

Batch: TypeAlias = Sequence[Found]


class _Told(msgspec.Struct, array_like=True):
    """What a worker says of one document; ``canonical`` are the bytes of a readable log, where they are asked for."""

    verdict: Verdict
    place: Place
    unreadable: Unreadable | None = None
    canonical: bytes | None = None


def available() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # a system that cannot tell
        return os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Known:
    """A database, and the auditor whose verdicts in it hold: a log that has one is not audited again."""

    database: Path
    by: Auditor


def audited(
    paths: Iterable[str],
    workers: int,
    lost: Callable[[Place], None],
    keeps_logs: bool = True,
    known: Known | None = None,
) -> Iterator[tuple[Entry | Place, Verdict]]:
    """Every match under the paths, in order, with its verdict.

    ``lost`` hears of a document on which a process died twice: there is no verdict on it. Without ``keeps_logs`` a
    readable log may come as its place alone. ``known`` is a database that is there.
    """
    batches = _batches(documents(paths))
    first: list[Batch] = []
    size = 0
    for batch in batches:
        first.append(batch)
        size += _size(batch)
        if workers == 1 or size >= _WORTH_BYTES:
            break
    pool = None
    if workers > 1 and size >= _WORTH_BYTES:
        # Where the system has no room for what processes share, one does it all.
        with suppress(OSError):
            pool = _Pool(workers, keeps_logs, lost, known)
    if pool is None:
        with _judge(known) as verdict:
            for entry in entries(itertools.chain.from_iterable(itertools.chain(first, batches)), Reader(FORMS)):
                yield entry, verdict(entry)
        return
    decoder = msgspec.msgpack.Decoder(list[_Told])
    with pool:
        for answer in pool.answers(itertools.chain(first, batches)):
            for told in decoder.decode(answer):
                yield _entry(told), told.verdict


def _batches(found: Iterable[Found]) -> Iterator[Batch]:
    """Portions of what was found. A gap stays with the document before it, which it may be the end of."""
    batch: list[Found] = []
    size = 0
    for each in found:
        if size >= _BATCH_BYTES and isinstance(each, Document):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += len(each.data) if isinstance(each, Document) else 0
    if batch:
        yield batch


def _size(batch: Batch) -> int:
    return sum(len(found.data) for found in batch if isinstance(found, Document))


def _entry(told: _Told) -> Entry | Place:
    if told.unreadable is not None:
        return told.unreadable
    if told.canonical is None:
        return told.place
    assert told.verdict.ruleset is not None
    assert told.verdict.log_digest is not None
    match = msgspec.json.decode(told.canonical, type=FORMS[told.verdict.ruleset])
    return Log(match, told.verdict.log_digest, told.canonical, told.place)


class _Pool:
    """The processes, and the batches that they are at."""

    def __init__(self, workers: int, keeps_logs: bool, lost: Callable[[Place], None], known: Known | None) -> None:
        self._workers = workers
        self._keeps_logs = keeps_logs
        self._lost = lost
        self._known = known
        self._executor = self._started(workers)

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def answers(self, batches: Iterator[Batch]) -> Iterator[bytes]:
        """What is said of each batch, in their order."""
        pending: deque[tuple[Batch, Future[bytes]]] = deque()
        for batch in itertools.islice(batches, self._workers * _AHEAD):
            pending.append((batch, self._submitted(batch)))
        while pending:
            try:
                answer = self._answer(pending[0][1])
            except BrokenProcessPool:
                unfinished = [batch for batch, _ in pending]
                pending.clear()
                yield from self._one_by_one(unfinished)
            else:
                pending.popleft()
                yield answer
            for batch in itertools.islice(batches, self._workers * _AHEAD - len(pending)):
                pending.append((batch, self._submitted(batch)))

    def _started(self, workers: int) -> ProcessPoolExecutor:
        # A forked process could inherit a lock that some thread holds.
        return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent)

    def _submitted(self, batch: Batch) -> Future[bytes]:
        try:
            with _interrupts_wait():
                return self._executor.submit(_audit, batch, self._keeps_logs, self._known)
        except BrokenProcessPool as error:
            broken: Future[bytes] = Future()
            broken.set_exception(error)
            return broken
        except OSError as error:
            found = f"{error.strerror}; one process alone (--workers 1) starts no other"
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
                if all(process.is_alive() for process in processes):
                    continue
            for process in processes:
                process.kill()
            self._executor._result_queue._writer.close()  # type: ignore[attr-defined]  # so that it waits no longer

    def _one_by_one(self, batches: Iterable[Batch]) -> Iterator[bytes]:
        """Goes through what was unfinished when a process died, so that a document that kills is found."""
        self._restart()
        for batch in batches:
            answer = self._tried(batch)
            if answer is not None:
                yield answer
                continue
            for part in _parts(batch):
                answer = self._tried(part)
                if answer is None:
                    self._lost(part[0].place)
                else:
                    yield answer

    def _tried(self, batch: Batch) -> bytes | None:
        """What is said of a batch; ``None`` where the process dies of it."""
        try:
            return self._answer(self._submitted(batch))
        except BrokenProcessPool:
            self._restart()
            return None

    def _restart(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = self._started(self._workers)


def _parts(batch: Batch) -> Iterator[Batch]:
    """Each document of a batch with the gaps behind it."""
    part: list[Found] = []
    for found in batch:
        if part and isinstance(found, Document):
            yield part
            part = []
        part.append(found)
    if part:
        yield part


@cache
def _reader() -> Reader:
    """The one reader of a process."""
    return Reader(FORMS)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """What is started meanwhile never hears an interrupt: it ends with its parent, which hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which, where it has to start, lets interrupts through again
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


def _audit(batch: Batch, keeps_logs: bool, known: Known | None) -> bytes:
    """Runs in a worker."""
    told = []
    with _judge(known) as verdict:
        for entry in entries(batch, _reader()):
            if isinstance(entry, Unreadable):
                told.append(_Told(verdict(entry), entry.place, entry))
            else:
                told.append(_Told(verdict(entry), entry.place, None, entry.canonical if keeps_logs else None))
    return _ENCODER.encode(told)


@contextmanager
def _judge(known: Known | None) -> Iterator[Callable[[Entry], Verdict]]:
    """What gives a verdict: the database, if it has one, or the audit."""
    if known is None:
        yield verdict_on
        return
    with Store.look(known.database) as store:

        def verdict(entry: Entry) -> Verdict:
            found = store.known(entry.digest, known.by) if isinstance(entry, Log) else None
            return verdict_on(entry) if found is None else found

        yield verdict
