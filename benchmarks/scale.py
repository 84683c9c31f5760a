"""What an audit on many machines costs: per match on one worker, and what a second worker brings.

Each ruleset is a file of its own and is measured by itself. Times are those of the processor, which a busy machine
troubles little; what a cluster takes is told by the clock too. ``python benchmarks/scale.py --help``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import tracemalloc
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import zstandard
from pyarrow import parquet

from auditor import generate
from auditor.audit import audited
from auditor.cluster import collecting, manifest, running, shards, work
from auditor.cluster.engine import Call, Engine, engine
from auditor.cluster.results import Summary
from auditor.cluster.shards import Shard
from auditor.cluster.storage import File, logs
from auditor.games import GAMES
from auditor.store import Store

_CALLS = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=300, help="matches per ruleset (default 300)")
    parser.add_argument("--shards", type=int, default=100_000, help="shards to plan (default 100000)")
    parser.add_argument("--workers", type=int, default=2, help="workers of the larger cluster (default 2)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        _one_worker(top, _written(top, options.matches), options.matches)
        _planning(options.shards)
        _clusters(top, options.matches * len(GAMES), (1, options.workers))


def _written(top: Path, match_count: int) -> Mapping[str, Path]:
    """A file of lines for each ruleset. No match comes twice: it would be packed as what was there before."""
    (top / "logs").mkdir()
    files = {}
    for ruleset, game in GAMES.items():
        files[ruleset] = top / "logs" / f"{ruleset}.ndjson"
        with files[ruleset].open("wb") as file:
            file.writelines(
                msgspec.json.encode(document) + b"\n" for document in generate.matches(game, match_count, 1)
            )
    return files


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one match: milliseconds of the processor, and bytes."""

    audit: float
    shard: float
    load: float
    log_bytes: float
    packed_bytes: float
    result_bytes: float
    database_bytes: float


def _one_worker(top: Path, files: Mapping[str, Path], match_count: int) -> None:
    titles = ("audit ms", "shard ms", "load ms", "log B", ".zst B", "result B", "database B")
    print(f"{'a match of':24}", *(f"{title:>10}" for title in titles))
    costs = []
    for ruleset, path in files.items():
        cost = _cost(top / ruleset, path, match_count)
        costs.append(cost)
        _row(ruleset, cost)
    fields = Cost.__slots__
    _row("all, as many of each", Cost(*(sum(getattr(cost, name) for cost in costs) / len(costs) for name in fields)))
    size = sum(path.stat().st_size for path in files.values())
    seconds = _seconds(
        lambda: [shards.line_feeds(Shard(file, 0, file.size)) for file in logs([str(top / "logs")], "-")]
    )
    print(f"line feeds are counted at {size / seconds / 2**20:.0f} MB a second of the processor")
    print("of the results:", ", ".join(f"{name} {share:.1%}" for name, share in _shares(top).items()))


def _shares(top: Path) -> Mapping[str, float]:
    """What part of all results each of the large columns takes, and the rest."""
    sizes: Counter[str] = Counter()
    for path in sorted(top.glob("*/*.parquet")):
        data = parquet.read_metadata(path)
        for group in range(data.num_row_groups):
            for number in range(data.num_columns):
                column = data.row_group(group).column(number)
                name = column.path_in_schema
                large = name in ("log", "verdict", "facts")
                sizes[name if large else "all other columns"] += column.total_compressed_size
    return {name: size / sizes.total() for name, size in sizes.most_common()}


def _planning(shard_count: int) -> None:
    """What the client holds of shards, and the manifest of them; nothing is read."""
    by = work.who()
    summary = Summary(2000, {"clean": 1800, "illegal": 150, "misscored": 50})
    tracemalloc.start()
    start = time.process_time()
    name = "s3://club/logs/2026-01-31/tables-of-the-evening.ndjson"
    file = File(name, name, shard_count * shards.RANGE_BYTES, "5f3759df5f3759df5f3759df5f3759df")
    parts = [manifest.part_of(shard, by, summary) for shard in _ranges(file, shard_count)]
    made = msgspec.json.format(msgspec.json.encode(manifest.made(by, [name], parts)), indent=1)
    seconds, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(
        f"{shard_count} shards: {seconds:.1f} s of the processor while memory is watched, {peak / 2**20:.0f}"
        f" MB at most, a manifest of {len(made) / 2**20:.0f} MB"
    )


def _ranges(file: File, count: int) -> Iterator[Shard]:
    for number in range(count):
        yield Shard(file, number * shards.RANGE_BYTES, (number + 1) * shards.RANGE_BYTES)


def _cost(out: Path, path: Path, match_count: int) -> Cost:
    out.mkdir()
    by = work.who()
    [file] = logs([str(path)], str(out))
    result = out / f"{Shard(file).name(by)}.parquet"
    seconds = (
        _seconds(lambda: [None for _ in audited([str(path)])]),
        _seconds(lambda: work.audit(Shard(file), 0, by, str(out))),
        _seconds(lambda: _load(out / "audit.db", result)),
    )
    packed = zstandard.compress(path.read_bytes())
    with Store.open(out / "audit.db") as store:
        store.pack(out / "packed.db")
    sizes = (path.stat().st_size, len(packed), result.stat().st_size, (out / "packed.db").stat().st_size)
    return Cost(
        *(second / match_count * 1000 for second in seconds),
        *(size / match_count for size in sizes),
    )


def _load(database: Path, result: Path) -> None:
    by = work.who()
    with Store.open(database) as store:
        store.load(collecting.rows([str(result)], by), by)


def _row(name: str, cost: Cost) -> None:
    times = (f"{value:10.3f}" for value in (cost.audit, cost.shard, cost.load))
    sizes = (cost.log_bytes, cost.packed_bytes, cost.result_bytes, cost.database_bytes)
    print(f"{name:24}", *times, *(f"{value:10.0f}" for value in sizes))


def _clusters(top: Path, match_count: int, counts: tuple[int, ...]) -> None:
    """The same input on clusters of this machine, cut so that there is enough to share out."""
    shards.RANGE_BYTES = 2 * 2**20
    by = work.who()
    paths = [str(top / "logs")]
    for count in counts:
        folder = str(top / f"results-{count}")
        with engine(f"local:{count}") as there:
            parts = running.planned(paths, folder)

            def run(there: Engine = there, parts: Sequence[Shard] = parts, folder: str = folder) -> None:
                running.run(there, parts, paths, folder, by, lambda: None)

            def call(there: Engine = there) -> None:
                deque(there.answers(Call(f"nothing-{number}", abs, (number,)) for number in range(_CALLS)), maxlen=0)

            first, again, nothing = (_spent(there, measured) for measured in (run, run, call))
        print(
            f"{count} workers, {match_count} matches in {len(parts)} shards: {first.clock:.1f} s by the clock, "
            f"{first.workers / match_count * 1000:.3f} ms of the workers' processors a match; again, all there: "
            f"{again.workers / len(parts) * 1000:.1f} ms a shard; a call that does nothing: "
            f"{nothing.here / _CALLS * 1000:.2f} ms of the scheduler's and client's processor; "
            f"load average {os.getloadavg()[0]:.1f}"
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock, of all workers' processors, and of this process, which is client and scheduler."""

    clock: float
    workers: float
    here: float


def _spent(there: Engine, measured: Callable[[], None]) -> Spent:
    workers = _processor_seconds(there)
    clock, here = time.perf_counter(), time.process_time()
    measured()
    clock, here = time.perf_counter() - clock, time.process_time() - here
    return Spent(clock, _processor_seconds(there) - workers, here)


def _processor_seconds(there: Engine) -> float:
    return sum(seconds for seconds in there.workers(time.process_time).values() if isinstance(seconds, float))


def _seconds(measured: Callable[[], object]) -> float:
    """Seconds of the processor."""
    start = time.process_time()
    measured()
    return time.process_time() - start


if __name__ == "__main__":
    main()
