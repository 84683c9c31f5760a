"""Processes side by side leave none behind, whatever ends the one that started them, and need no room to share."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, process
from pathlib import Path

import pytest

from auditor import generate, portions, workers
from auditor.audit import audited as audited_alone
from auditor.cli.telling import Telling
from auditor.errors import CannotAudit, Place
from auditor.games import GAMES
from auditor.verdict import to_json
from tests.desks.played import FIXTURES, write
from tests.trouble import processes

TELLING = Telling("ndjson", "en", quiet=False, stores=False)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is looked up under /proc")


def children(pid: int) -> Iterator[int]:
    """All processes that a process has started, and those that these have."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from children(int(child))


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def waited_for(holds: object) -> bool:
    assert callable(holds)
    deadline = time.monotonic() + 60
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_one_that_started_it(number: signal.Signals) -> None:
    """The input is without end, so that nothing ends by itself."""
    lines = b"".join(_lines(8))
    # Whoever is stopped from a terminal is stopped with all that it has started.
    audit = processes.started(
        *("audit", "-", "--quiet", "--workers", "2"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    stdin = audit.stdin
    assert stdin is not None

    def feed() -> None:
        try:
            while True:
                stdin.write(lines)
        except OSError:
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    begun: set[int] = set()
    try:
        assert waited_for(lambda: sum(map(is_at_work, children(audit.pid))) >= 2 or audit.poll() is not None)
        begun.update(children(audit.pid))
        if number == signal.SIGINT:
            os.killpg(audit.pid, number)
        else:
            audit.send_signal(number)
        assert waited_for(lambda: audit.poll() is not None)
        assert waited_for(lambda: not any(map(is_alive, begun)))
    finally:
        audit.kill()
        for pid in filter(is_alive, begun):
            os.kill(pid, signal.SIGKILL)
        feeder.join()
        with contextlib.suppress(OSError):
            stdin.close()
    assert audit.stderr is not None
    with audit.stderr:
        errors = audit.stderr.read().decode()
    assert "Traceback" not in errors
    if number == signal.SIGINT:
        assert (audit.returncode, errors) == (130, "auditor: stopped\n")


#: An audit on a cluster that says when it has workers, and then gets no answer.
_ON_CLUSTER = """
import time
from auditor.cli import main
from auditor.cluster.engine import Engine
Engine.answers = lambda self, calls: print("at work", flush=True) or time.sleep(600)
main(prog_name="auditor")
"""


def test_an_interrupt_ends_a_local_cluster_with_one_line(tmp_path: Path) -> None:
    arguments = ("audit", FIXTURES / "three-stones", "--cluster", "local:2", "-o", tmp_path / "out")
    audit = subprocess.Popen(
        [sys.executable, "-c", _ON_CLUSTER, *map(str, arguments)],
        cwd=processes.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with audit:
        assert audit.stdout is not None
        assert audit.stdout.readline() == b"at work\n"
        begun = set(children(audit.pid))
        os.killpg(audit.pid, signal.SIGINT)
        _, errors = audit.communicate(timeout=60)
    assert (audit.returncode, errors.decode()) == (130, "auditor: stopped\n")
    assert len(begun) >= 2
    assert waited_for(lambda: not any(map(is_alive, begun)))


def is_at_work(pid: int) -> bool:
    """Whether a worker has started: from then on a thread of it waits for the end of its parent."""
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1
    except OSError:
        return False


def _lines(count: int) -> Iterator[bytes]:
    import msgspec

    for document in generate.matches(GAMES["tarneeb-classic"], count, 1):
        yield msgspec.json.encode(document) + b"\n"


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(workers, "_WORTH_BYTES", 1)
    return write(tmp_path / "logs.ndjson", *generate.matches(GAMES["three-stones"], 5, 1))


def lost(place: Place) -> None:
    raise AssertionError(f"a document was lost: {place}")


def test_where_there_is_no_room_for_what_processes_share_one_does_it_all(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workers, "ProcessPoolExecutor", refuse)
    found = [told.printed for told in workers.audited([str(logs)], 2, lost, TELLING)]
    assert found == [to_json(verdict).decode() for _, verdict in audited_alone([str(logs)])]
    assert len(found) == 5


def test_where_no_process_can_be_started_that_is_said(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", refuse)
    with pytest.raises(CannotAudit, match="expected to start 2 processes, found: Resource temporarily unavailable;"):
        list(workers.audited([str(logs)], 2, lost, TELLING))


@pytest.mark.parametrize("error", [EOFError("unexpected EOF"), RuntimeError("can't start new thread")])
def test_so_it_is_where_what_starts_them_dies(logs: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def die(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(ProcessPoolExecutor, "submit", die)
    with pytest.raises(CannotAudit, match=f"expected to start 2 processes, found: {error};"):
        list(workers.audited([str(logs)], 2, lost, TELLING))


def test_where_what_hands_out_the_work_dies_nobody_waits_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "logs.ndjson", *generate.matches(GAMES["three-stones"], 20, 1))
    monkeypatch.setattr(workers, "_WORTH_BYTES", 1)
    monkeypatch.setattr(workers, "_PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(portions, "PORTION_BYTES", 2000)
    begun = process._ExecutorManagerThread.run
    died: list[object] = []

    def die_once(self: process._ExecutorManagerThread) -> None:
        if died:
            begun(self)
        died.append(self)

    monkeypatch.setattr(process._ExecutorManagerThread, "run", die_once)
    assert len(list(workers.audited([str(path)], 2, lost, TELLING))) == 20
    assert len(died) > 1


def test_a_file_that_becomes_a_pipe_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "logs.ndjson", *generate.matches(GAMES["three-stones"], 20, 1))
    monkeypatch.setattr(portions, "PORTION_BYTES", 2000)
    [first, *others] = portions.portions([str(path)])
    path.unlink()
    os.mkfifo(path)
    for portion in (first, *others):
        with pytest.raises(FileNotFoundError):
            list(portions.documents(pickle.loads(pickle.dumps(portion))))
    assert sum(len(list(portions.documents(portion))) for portion in (first, *others)) == 20


def test_a_pipe_that_is_cut_is_told_of_and_what_came_before_counts() -> None:
    line = next(_lines(1))
    run = processes.started(
        "audit", "-", "--workers", "2", "--format", "ndjson", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    output, _ = run.communicate(line * 3 + line[: len(line) // 2], timeout=120)
    assert run.returncode == 1
    assert [row.count(b'"status":"clean"') for row in output.splitlines()] == [1, 1, 1, 0]
    assert b"log.truncated" in output.splitlines()[-1]
