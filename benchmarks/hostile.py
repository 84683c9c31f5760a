"""Input that is made to be slow, or to fill the memory: what is said of it, in what time and how much memory.

Each is a file that ``auditor audit`` is given alone, in a process of its own. ``python benchmarks/hostile.py --help``.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from auditor.jsontext import MOST_VALUES

PROGRAM = "from auditor.cli import main; main(prog_name='auditor')"
#: Somewhat below the largest match.
SIZE = 16 * 2**20 - 2000


def filled(piece: bytes, start: bytes = b"", end: bytes = b"") -> bytes:
    """As many of the pieces as go into the largest match."""
    return start + piece * ((SIZE - len(start) - len(end)) // len(piece)) + end


HEAD = (
    b'{"format":"match-log/1","match":"m","ruleset":"tarneeb-classic",'
    b'"players":[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}],"events":['
)

#: Named after the file that holds it: what it is, and the clause of its last fault. All are packed to some kilobytes.
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "arrays.json": (lambda: filled(b"[],", b'{"a":[', b"[]]}"), "log.long"),
    "events.ndjson": (lambda: filled(b"{},", HEAD, b"{}]}"), "log.long"),
    "open": (lambda: b"[" * 60_000_000, "log.truncated"),
    "open.json": (lambda: b"[" * SIZE, "log.truncated"),
    "deep.json": (lambda: b'{"a":' * 100_000, "log.depth"),
    "string.json": (lambda: b'{"match":"' + b"x" * 40_000_000 + b'"}', "log.size"),
    "digits.json": (lambda: filled(b"9" * 10_000 + b",", b'{"a":[', b"0]}"), "log.more"),
    "keys.json": (lambda: filled(b'"a":0,', b"{", b'"b":0}'), "log.more"),
    "bytes.ndjson": (lambda: filled(b"\xff"), "log.encoding"),
    "escapes.json": (lambda: filled(rb"\ud800", b'{"match":"', b'"}'), "log.more"),
    "blank.ndjson": (lambda: b" \r\n" * 30_000_000 + b"0", "log.type"),
}


def counted(piece: bytes, values: int, head: bytes = HEAD, end: bytes = b"]}") -> bytes:
    """As many of the pieces, each of so many values, as a match may have; the head has less than a hundred."""
    return head + b",".join([piece] * ((MOST_VALUES - 100) // values)) + end


#: Match logs in form, of nothing but what is wrong, or means nothing: long verdicts.
WORST: dict[str, Callable[[], bytes]] = {
    "passes.ndjson": lambda: counted(b'{"type":"pass","seat":1}', 3),
    "deals.ndjson": lambda: counted(
        b'{"type":"deal","dealer":0,"hands":[[],[],[],[]]}', 8, HEAD.replace(b"tarneeb-classic", b"twenty-nine")
    ),
    "results.ndjson": lambda: counted(b'{"type":"result","winner":0,"total":[1,2]}', 6),
    "notes.ndjson": lambda: counted(b'{"type":"note","a":[[],1.5]}', 5),
    "extra.json": lambda: counted(b"[]", 1, HEAD + b'],"extra":['),
    "signs.json": lambda: counted(
        b'{"type":"result","winner":0,"total":[1,2]}', 6, HEAD + b'{"type":"note","a":"' + b"," * MOST_VALUES + b'"},'
    ),
    "hands.json": lambda: counted(b"[]", 1, HEAD + b'{"type":"deal","dealer":0,"hands":[', b"]}]}"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    makers = {name: make for name, (make, _) in BOMBS.items()} | WORST
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"by default all: {' '.join(makers)}")
    options = parser.parse_args()
    print(f"{'input':20} {'MB':>7} {'MB packed':>10} {'processor':>11} {'memory':>9}  status, last finding")
    for name in options.names or makers:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.gz"
            # In a process of its own: what is started from a large process counts as large for ever.
            with get_context("spawn").Pool(1) as pool:
                size = pool.apply(write, (path, name))
            told, seconds, peak = _measured("audit", str(path), "--format", "ndjson", "--workers", "1")
            sizes = f"{size / 10**6:7.1f} {path.stat().st_size / 10**6:10.3f}"
            print(f"{name:20} {sizes} {seconds:9.1f} s {peak / 2**20:6.0f} MB  {told}", flush=True)


def write(path: Path, name: str) -> int:
    """Writes one of them, packed; gives its size."""
    data = BOMBS[name][0]() if name in BOMBS else WORST[name]()
    path.write_bytes(gzip.compress(data, 1))
    return len(data)


def _measured(*arguments: str) -> tuple[str, float, int]:
    """What the command told, how long it kept the processor, and the most memory that it took."""
    with tempfile.TemporaryFile() as output:
        run = subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], stdout=output)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
        # Some verdicts are longer than what this process may hold.
        output.seek(-min(os.fstat(output.fileno()).st_size, 20_000), os.SEEK_END)
        end = output.read()
    clauses, statuses = re.findall(rb'"clause":"([^"]+)"', end), re.findall(rb'"status":"([^"]+)"', end)
    told = f"{statuses[-1].decode()}, {clauses[-1].decode() if clauses else 'none'}"
    return told, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
