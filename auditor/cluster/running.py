"""Running: a whole audit on a cluster, from paths to the manifest.

In: paths, a folder for results, an engine. Out: the results of each shard and the manifest in the folder; what was
there before is not made again. Refuses to know which engine it is and what is told to whom.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from auditor.cluster import manifest, results, storage, work
from auditor.cluster.engine import Call, Engine
from auditor.cluster.manifest import Manifest
from auditor.cluster.results import Summary
from auditor.cluster.shards import Shard, line_feeds, shards_of
from auditor.errors import CannotAudit
from auditor.sources import shown
from auditor.store import Auditor

Answer = TypeVar("Answer")

#: Told of each shard that is done or given up.
Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Run:
    """An audit that came to its end: its manifest, how many shards were not there before, and what is not of it.

    ``others`` are results in the folder that belong to no shard: those of an earlier state of the input, say.
    """

    manifest: Manifest
    new_count: int
    others: Sequence[str]


def planned(paths: Iterable[str], folder: str) -> Sequence[Shard]:
    """The shards of all logs under the paths, in order. Raises ``CannotAudit`` where there are none."""
    paths = list(paths)
    shards = [shard for file in storage.logs(paths, folder) for shard in _cut(file)]
    if not shards:
        raise CannotAudit(f"{', '.join(map(shown, paths))}: expected match logs, found none")
    return shards


def require_same(engine: Engine, address: str, by: Auditor) -> int:
    """How many workers there are. Raises ``CannotAudit`` where one is of another auditor: it would say other things."""
    workers = engine.workers(work.who)
    for where, theirs in {"the scheduler": engine.scheduler(work.who), **workers}.items():
        if theirs != by:
            who = storage.plain(theirs) if isinstance(theirs, BaseException) else theirs
            raise CannotAudit(f"{address}: expected auditor {by} on all machines, found {who} at {where}")
    return len(workers)


def run(engine: Engine, shards: Sequence[Shard], paths: Sequence[str], folder: str, by: Auditor, step: Step) -> Run:
    """Audits what is not there yet, and writes the manifest. ``paths`` are told in it."""
    system, path = storage.found(folder)
    with storage.asking(folder):
        system.makedirs(path, exist_ok=True)
    there_before = _listed(folder)
    before = _line_feeds_before(engine, shards, there_before, by)
    outcomes: dict[int, Summary | str] = {number: why for number, why in before.items() if isinstance(why, str)}
    ready = [number for number in range(len(shards)) if number not in outcomes]
    calls = (_call("audit", work.audit, shards[number], before[number], by, folder) for number in ready)
    for at, answer in engine.answers(calls):
        outcomes[ready[at]] = answer if isinstance(answer, Summary) else _why(answer)
        step()
    there = _listed(folder)
    parts = []
    for number, shard in enumerate(shards):
        outcome = outcomes[number]
        name = f"{shard.name(by)}{results.SUFFIX}"
        if isinstance(outcome, Summary) and name not in there:
            outcome = "a worker wrote its results, and they are not here: the folder must be the same on all machines"
        parts.append(manifest.part_of(shard, by, outcome))
    made = manifest.made(by, [shown(path) for path in paths], parts)
    manifest.write(folder, made)
    own = {part.results for part in parts}
    done = {part.results for part in parts if part.summary is not None}
    _sweep(folder, there, done)
    others = sorted(name for name in there - own if name.endswith(results.SUFFIX))
    return Run(made, len(done - there_before), others)


def _cut(file: storage.File) -> Sequence[Shard]:
    with storage.asking(file.name):
        return shards_of(file)


def _line_feeds_before(
    engine: Engine, shards: Sequence[Shard], there: set[str], by: Auditor
) -> Mapping[int, int | str]:
    """How many line feeds stand in its file before each shard, by number, or why that cannot be told.

    This is a first pass over files that are cut; one of which all results are there is not read again.
    """
    before: dict[int, int | str] = dict.fromkeys(range(len(shards)), 0)
    files = [list(group) for _, group in groupby(range(len(shards)), key=lambda number: shards[number].file.url)]
    cut = [
        numbers
        for numbers in files
        if any(f"{shards[number].name(by)}{results.SUFFIX}" not in there for number in numbers[1:])
    ]
    counted = [number for numbers in cut for number in numbers[:-1]]
    counts: dict[int, int | str] = {}
    for at, answer in engine.answers(_call("count", line_feeds, shards[number]) for number in counted):
        counts[counted[at]] = answer if isinstance(answer, int) else _why(answer)
    for numbers in cut:
        so_far: int | str = 0
        for number in numbers:
            before[number] = so_far
            so_far = _sum(so_far, counts.get(number, 0))
    return before


def _sum(one: int | str, other: int | str) -> int | str:
    """A sum, or why there is none: the first reason."""
    if isinstance(one, str):
        return one
    return other if isinstance(other, str) else one + other


def _call(what: str, function: Callable[..., Answer], shard: Shard, *arguments: object) -> Call[Answer]:
    """A call with a name that says all that its answer follows from: two runs that want the same share it."""
    told = hashlib.sha256(repr((shard, arguments)).encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return Call(f"auditor-{what}-{told}", function, (shard, *arguments))


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, CannotAudit) else storage.plain(error)


def _listed(folder: str) -> set[str]:
    """The names of what lies in the folder."""
    system, path = storage.found(folder)
    with storage.asking(folder):
        system.invalidate_cache()
        if not system.exists(path):
            return set()
        return {name.rstrip("/").rpartition("/")[2] for name in system.ls(path, detail=False)}


def _sweep(folder: str, there: set[str], done: set[str]) -> None:
    """Removes what killed workers began to write of shards that are done."""
    system, path = storage.found(folder)
    with storage.asking(folder):
        for name in sorted(there):
            if name.endswith(results.PART_SUFFIX) and f"{name.partition('.')[0]}{results.SUFFIX}" in done:
                system.rm(f"{path}/{name}")
