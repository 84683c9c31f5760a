"""Microseconds per event, all in one run: bare typed decoding, and the whole audit from bytes to verdict.

Each measure decodes and drops one match after another. The rounds of all measures take turns, so that a noisy
neighbour troubles them alike; read the ratio rather than the microseconds. With ``--peers`` other engines take their
turns too, on their own games. ``python benchmarks/bench.py --help``.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from auditor import __version__, generate, tricks
from auditor.audit import verdict_on
from auditor.errors import Place
from auditor.game import Game
from auditor.games import FORMS, GAMES
from auditor.log import Log, Reader
from auditor.store import Auditor, Store

TITLES = ("decode", "read", "audit", "with store")
#: So many events of each peer, or a few more, are timed in a round.
PEER_EVENTS = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=27_000, help="events per ruleset, or a few more (default 27000)")
    parser.add_argument("--rounds", type=int, default=15, help="rounds per measure (default 15)")
    parser.add_argument("--peers", metavar="PYTHON", help="a Python that has the other engines (make bench-peers)")
    options = parser.parse_args()
    kind = "compiled" if (tricks.__file__ or "").endswith((".so", ".pyd")) else "pure Python"
    print(f"{kind}, {sys.implementation.name} {sys.version.split()[0]}")
    print(f"{'ruleset':24} {'events':>8}", *(f"{title:>14}" for title in (*TITLES, "audit/decode", "store/decode")))
    with _peers(options.peers) as ask:
        of_peers: list[Mapping[str, float]] = []
        for ruleset, game in GAMES.items():
            event_count, rounds = _rounds(game, options.events, options.rounds, lambda: of_peers.append(ask()))
            columns = list(zip(*rounds, strict=True))
            ratios = [statistics.median(row[column] / row[0] for row in rounds) for column in (2, 3)]
            cells = [*map(_cell, columns), *(f"{ratio:.1f}" for ratio in ratios)]
            print(f"{ruleset:24} {event_count:8}", *(f"{cell:>14}" for cell in cells), flush=True)
    for peer in of_peers[0] if of_peers else ():
        print(f"{peer:24} {PEER_EVENTS:8} {'':>14} {'':>14} {_cell([row[peer] for row in of_peers]):>14}")
    print("Microseconds per event: median and half the distance between the quartiles.")


def _rounds(
    game: Game, least_events: int, round_count: int, between: Callable[[], None]
) -> tuple[int, list[list[float]]]:
    """How many events were measured, and the microseconds of each by round and measure."""
    lines = []
    event_count = 0
    for match in generate.matches(game, None, seed=1):
        lines.append(msgspec.json.encode(match))
        event_count += len(match["events"])
        if event_count >= least_events:
            break
    decoder = msgspec.json.Decoder(game.form)
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        measures = (_decode(decoder), _read(), _audit(), _store(Path(folder), round_count))
        for _ in range(round_count):
            rounds.append([_microseconds(run, lines, event_count) for run in measures])
            between()
    return event_count, rounds


@contextlib.contextmanager
def _peers(python: str | None) -> Iterator[Callable[[], Mapping[str, float]]]:
    """What gives a round of all peers: their microseconds per event, by name; of none where no Python is given."""
    if python is None:
        yield dict
        return
    command = [python, str(Path(__file__).with_name("peers.py")), str(PEER_EVENTS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        versions = json.loads(stdout.readline())

        def ask() -> Mapping[str, float]:
            stdin.write("\n")
            stdin.flush()
            answer = json.loads(stdout.readline())
            return {f"{name} {versions[name]}": answer[name] for name in versions}

        yield ask
        stdin.close()


Measure = Callable[[Sequence[bytes]], None]


def _decode(decoder: msgspec.json.Decoder[object]) -> Measure:
    def decode(lines: Sequence[bytes]) -> None:
        for line in lines:
            decoder.decode(line)

    return decode


def _read() -> Measure:
    reader = Reader(FORMS)

    def read(lines: Sequence[bytes]) -> None:
        for line in lines:
            reader.read(line, Place("bench", 1, 0))

    return read


def _audit() -> Measure:
    reader = Reader(FORMS)

    def audit(lines: Sequence[bytes]) -> None:
        for line in lines:
            verdict_on(reader.read(line, Place("bench", 1, 0)))

    return audit


def _store(folder: Path, rounds: int) -> Measure:
    reader = Reader(FORMS)
    number = itertools.count()

    def store(lines: Sequence[bytes]) -> None:
        entries = (reader.read(line, Place("bench", 1, 0)) for line in lines)
        rows = ((entry if isinstance(entry, Log) else None, verdict_on(entry)) for entry in entries)
        with Store.open(folder / f"{next(number)}.db") as database:
            database.load(rows, Auditor(__version__, "bench"))

    for at in range(rounds):  # making an empty database is no part of loading matches
        Store.open(folder / f"{at}.db").close()
    return store


def _microseconds(measure: Measure, lines: Sequence[bytes], event_count: int) -> float:
    start = time.perf_counter()
    measure(lines)
    return (time.perf_counter() - start) / event_count * 1e6


def _cell(column: Sequence[float]) -> str:
    low, _, high = statistics.quantiles(column, n=4)
    return f"{statistics.median(column):.3f} ±{(high - low) / 2:.3f}"


if __name__ == "__main__":
    main()
