"""The most memory that a process of ``auditor audit`` takes for a large archive.

The archive is never on disk: it comes out of a named pipe, one match a line, generated matches of every ruleset under
ever new ids.

For each way to run it: how much was read, how many matches, the largest of its processes, how long it took.
``python benchmarks/memory.py --help``.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

PROGRAM = "from auditor.cli import main; main(prog_name='auditor')"
#: So many different matches of a ruleset take turns.
_MATCH_COUNT = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=5, help="how much is audited each time (default 5)")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="how many processes (default: 1 2)")
    parser.add_argument("--db", choices=["with", "without", "both"], default="both", help="a database (default: both)")
    parser.add_argument("--long", type=int, metavar="EVENTS", help="matches of so many events each, and no others")
    options = parser.parse_args()
    databases = {"with": [True], "without": [False], "both": [False, True]}[options.db]
    print(
        f"{'GB read':>8} {'workers':>8} {'database':>9} {'matches':>9} {'largest process':>16} {'minutes':>8}",
        flush=True,
    )
    for has_database, workers in itertools.product(databases, options.workers):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--db", f"{folder}/audit.db"] if has_database else []
            size = int(options.gigabytes * 10**9)
            count, peak, seconds = measured(Path(folder), size, options.long, ["--workers", str(workers), *arguments])
        cells = f"{size / 10**9:8.1f} {workers:8} {'yes' if has_database else 'no':>9} {count:9}"
        print(f"{cells} {peak / 2**20:13.0f} MB {seconds / 60:8.1f}", flush=True)


def measured(folder: Path, size: int, event_count: int | None, arguments: list[str]) -> tuple[int, int, float]:
    """How many matches were audited, the bytes that the largest process took, and the seconds."""
    pipe = folder / "archive.ndjson"
    os.mkfifo(pipe)
    # In a process of its own: what is started from a large process counts as large for ever.
    feeder = get_context("spawn").Process(target=feed, args=(pipe, size, event_count))
    feeder.start()
    began = time.monotonic()
    command = [sys.executable, "-c", PROGRAM, "audit", str(pipe), "--quiet", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as audit:
        assert audit.stdout is not None
        last = b""
        for line in audit.stdout:
            last = line
        _, status, usage = os.wait4(audit.pid, 0)
        audit.returncode = os.waitstatus_to_exitcode(status)
    feeder.join()
    told = re.search(rb"[0-9]+", last)
    assert audit.returncode == 0, f"the audit ended with {audit.returncode}"
    assert told is not None
    # Of the process itself and all that it has waited for, the largest.
    return int(told[0]), usage.ru_maxrss * 1024, time.monotonic() - began


def feed(pipe: Path, size: int, event_count: int | None) -> None:
    with contextlib.suppress(BrokenPipeError), pipe.open("wb") as file:
        for line in lines(size, event_count):
            file.write(line)


def lines(size: int, event_count: int | None = None) -> Iterator[bytes]:
    """So many bytes of legal matches, one a line, each with an id of its own."""
    import msgspec

    from auditor import generate
    from auditor.games import GAMES

    pieces = []
    for game in GAMES.values():
        for match in generate.matches(game, _MATCH_COUNT if event_count is None else 1, seed=5):
            if event_count is not None:
                note = {"type": "note", "text": "salam"}
                match["events"] += [note] * (event_count - len(match["events"]))
            start, _, end = msgspec.json.encode(match | {"match": "?"}).partition(b'"match":"?"')
            pieces.append((start + b'"match":"M-', end))
    for number, (start, end) in enumerate(itertools.cycle(pieces)):
        line = b'%b%d"%b\n' % (start, number, end)
        size -= len(line)
        if size < 0:
            return
        yield line


if __name__ == "__main__":
    main()
