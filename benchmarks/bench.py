"""Microseconds per event, all in one run: bare typed decoding, and the whole audit from bytes to verdict.

Each measure decodes and drops one match after another. The rounds of all measures take turns, so that a noisy
neighbour troubles them alike; read the ratio rather than the microseconds. ``python benchmarks/bench.py --help``.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from auditor import __version__, generate
from auditor.audit import verdict_on
from auditor.errors import Place
from auditor.games import FORMS, GAMES
from auditor.log import Log, Reader
from auditor.store import Auditor, Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=60, help="matches per ruleset (default 60)")
    parser.add_argument("--rounds", type=int, default=15, help="rounds per measure (default 15)")
    options = parser.parse_args()
    titles = ("decode", "read", "audit", "with store")
    print(f"{'ruleset':24} {'events':>8}", *(f"{title:>14}" for title in titles), f"{'audit/decode':>13}")
    for ruleset, game in GAMES.items():
        matches = generate.matches(game, options.matches, seed=1)
        lines = [msgspec.json.encode(match) for match in matches]
        decoder = msgspec.json.Decoder(game.form)
        event_count = sum(len(decoder.decode(line).events) for line in lines)
        with tempfile.TemporaryDirectory() as folder:
            measures = (_decode(decoder), _read(), _audit(), _store(Path(folder), options.rounds))
            rounds = [[_microseconds(run, lines, event_count) for run in measures] for _ in range(options.rounds)]
        columns = list(zip(*rounds, strict=True))
        cells = [f"{statistics.median(column):.3f} ±{_spread(column):.3f}" for column in columns]
        ratio = statistics.median(row[2] / row[0] for row in rounds)
        print(f"{ruleset:24} {event_count:8} {cells[0]:>14} {cells[1]:>14} {cells[2]:>14} {cells[3]:>14} {ratio:13.2f}")
    print("Microseconds per event: median and half the distance between the quartiles.")


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


def _spread(column: Sequence[float]) -> float:
    low, _, high = statistics.quantiles(column, n=4)
    return (high - low) / 2


if __name__ == "__main__":
    main()
