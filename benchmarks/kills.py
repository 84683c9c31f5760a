"""``kill -9`` at many moments of a run, and whether anything is lost by it.

A task is run once undisturbed and measured, from its first sign in the folder to its end. Then it is started again and
again and killed after ever more of that time, each time in a new folder; what it left is looked at, and it is run once
more to its end, which must give what the undisturbed run gave. ``python benchmarks/kills.py --help``.
"""

from __future__ import annotations

import argparse
import atexit
import hashlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias

import msgspec

from auditor import generate
from auditor.games import GAMES

PROGRAM = "from auditor.cli import main; main(prog_name='auditor')"

#: What a run made, to be compared: a name with what stands for its content.
Made: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Task:
    """What is run in a folder that holds the input.

    ``target`` is what it makes there, if it makes anything. ``check`` raises ``AssertionError`` for what must not be
    there after a kill, given the folder and what the run had told. ``made`` is all that a finished run has made.
    ``goes_on``: it is run once more even if what it makes is there.
    """

    command: Sequence[str]
    target: str
    check: Callable[[Path, str], None]
    made: Callable[[Path], Made]
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often a run was killed, and how often it came to its end before that."""

    killed: int
    ended: int


def tried(task: Task, prepare: Callable[[Path], None], times: int) -> Outcome:
    """Kills the task so often. Raises ``AssertionError`` where something was lost, or stays of what was half done."""
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        run = _started(task, Path(name))
        start = time.monotonic()
        _finish(run)
        seconds = time.monotonic() - start
        wanted = task.made(Path(name))
    killed = ended = 0
    while killed < times:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            prepare(folder)
            run = _started(task, folder)
            start = time.monotonic()
            try:
                told = run.communicate(timeout=seconds * killed / times)
            except subprocess.TimeoutExpired:
                run.kill()
                told = run.communicate()
            if run.returncode == -signal.SIGKILL:
                killed += 1
            else:
                ended += 1
                seconds = min(0.95 * seconds, time.monotonic() - start)  # this one was quicker: again, and sooner
            task.check(folder, "".join(told))
            if task.goes_on or not (folder / task.target).exists():
                _finish(_started(task, folder))
            assert task.made(folder) == wanted, f"kill {killed} of {times}: another run does not make up for it"
    return Outcome(killed, ended)


def _started(task: Task, folder: Path) -> subprocess.Popen[str]:
    """A run that has begun to write; where it writes nothing, one that has been started."""
    before = _entries(folder)
    command = [sys.executable, "-c", PROGRAM, *task.command]
    run = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while task.target and run.poll() is None and _entries(folder) == before:
        time.sleep(0.001)
    return run


def _entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _finish(run: subprocess.Popen[str]) -> None:
    _, errors = run.communicate()
    assert run.returncode == 0, f"it ended with {run.returncode}: {errors}"


# --- Loading ----------------------------------------------------------------------------------------------------------


def loading(workers: int) -> Task:
    """Logs into a database."""
    command = ("audit", "logs.ndjson", "--db", "audit.db", "--quiet", "--workers", str(workers))

    def made(folder: Path) -> Made:
        with closing(sqlite3.connect(folder / "audit.db")) as connection:
            return {**_row_counts(connection), "content": _content(connection)}

    return Task(command, "audit.db", _check_database, made, goes_on=True)


def _check_database(folder: Path, told: str) -> None:
    database = folder / "audit.db"
    if not database.exists():
        assert "new matches" not in told
        return
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        if connection.execute("pragma user_version").fetchone() == (0,):
            assert "new matches" not in told
            return
        counts = _row_counts(connection)
        for table in ("logs", "verdicts", "documents"):
            assert counts[table] == counts["matches"], f"matches without {table}"
        ((seated, scored),) = connection.execute(
            "select (select count(distinct match) from seats), (select count(distinct match) from deals)"
        )
        assert seated == scored == counts["matches"], "matches without players or deals"
        ((counted,),) = connection.execute("select ifnull(sum(matches), 0) from runs")
        assert counted == counts["matches"], "a run counts other matches than are there"
        if reported := re.search(r"([0-9]+) new matches", told):
            assert int(reported[1]) == counts["matches"], "what was reported as stored is not there"


def _row_counts(connection: sqlite3.Connection) -> dict[str, int]:
    tables = connection.execute("select name from pragma_table_list where strict and name <> 'runs'").fetchall()
    return {table: connection.execute(f"select count(*) from [{table}]").fetchone()[0] for (table,) in tables}


def _content(connection: sqlite3.Connection) -> str:
    """The sum of all logs and verdicts."""
    texts = """
        select digest, logs.json, documents.json, matches.status from matches
        join logs on logs.match = matches.id
        join documents on documents.match = matches.id
        order by digest
        """
    whole = hashlib.sha256()
    for row in connection.execute(texts):
        whole.update(repr(row).encode())
    return whole.hexdigest()


# --- What is there whole or not at all --------------------------------------------------------------------------------


def making(target: str, *command: str) -> Task:
    """A file or folder. Beside it nothing is left of a killed run once another has come to its end."""
    whole: list[Made] = []

    def check(folder: Path, told: str) -> None:
        if (folder / target).exists():
            whole.append(_files(folder / target))
            assert whole[-1] == whole[0], f"{target} is there, and not whole"

    return Task((*command, "-o", target), target, check, _files)


def reading(*command: str) -> Task:
    """What writes nothing: all files stay as they are."""
    return Task(command, "", lambda folder, told: None, _files, goes_on=True)


def _files(path: Path) -> Made:
    """The files under a path and their sums, hidden ones included."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return {str(each.relative_to(path)): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


# --- The tasks --------------------------------------------------------------------------------------------------------


def tasks(match_count: int) -> Mapping[str, tuple[Task, Callable[[Path], None]]]:
    """Every task with what prepares a folder for it, by name. They work on so many matches, and are made once."""
    lines = cache(partial(_lines, match_count))

    def with_logs(folder: Path) -> None:
        (folder / "logs.ndjson").write_bytes(lines())

    @cache
    def archive() -> Path:
        folder = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, folder)
        with_logs(folder)
        _finish(_started(making("archive", "publish", "logs.ndjson"), folder))
        return folder / "archive"

    def with_archive(folder: Path) -> None:
        shutil.copytree(archive(), folder / "archive")

    def with_match(folder: Path) -> None:
        (folder / "match.json").write_bytes(lines().partition(b"\n")[0])

    def with_emitted(folder: Path) -> None:
        (folder / "server.log").write_bytes(emitted())

    emitted = cache(lambda: _emitted(lines()))
    return {
        "loading, one process": (loading(1), with_logs),
        "loading, two processes": (loading(2), with_logs),
        "publishing": (making("archive", "publish", "logs.ndjson"), with_logs),
        "verifying": (reading("verify", "archive", "--audit"), with_archive),
        "making a case": (making("case", "case", "make", "match.json"), with_match),
        "making a packed case": (making("case.zip", "case", "make", "match.json"), with_match),
        "importing": (making("matches.ndjson.gz", "import", "events", "server.log"), with_emitted),
    }


def _lines(match_count: int) -> bytes:
    documents = (
        document
        for game in GAMES.values()
        for document in generate.matches(game, -(-match_count // len(GAMES)), seed=3)
    )
    return b"".join(msgspec.json.encode(document) + b"\n" for document in documents)


def _emitted(lines: bytes) -> bytes:
    """The matches as a server emits them: a line for what is said of each, and one for each of its events."""
    emitted = []
    for line in lines.splitlines():
        document = msgspec.json.decode(line)
        match, rows = document["match"], document["events"]
        head = {key: value for key, value in document.items() if key not in ("format", "match", "events")}
        emitted.append({"match": match, "seq": 0, "head": head})
        emitted += [{"match": match, "seq": number, "event": event} for number, event in enumerate(rows, 1)]
    return b"".join(msgspec.json.encode(each) + b"\n" for each in emitted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    names = list(tasks(0))
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"by default all: {'; '.join(names)}")
    parser.add_argument("--times", type=int, default=100, help="how often each is killed (default 100)")
    parser.add_argument("--matches", type=int, default=700, help="how many matches they work on (default 700)")
    options = parser.parse_args()
    print(f"{'task':24} {'killed':>7} {'ended before':>13}", flush=True)
    known = tasks(options.matches)
    for name in options.tasks or names:
        outcome = tried(*known[name], options.times)
        print(f"{name:24} {outcome.killed:7} {outcome.ended:13}", flush=True)


if __name__ == "__main__":
    main()
