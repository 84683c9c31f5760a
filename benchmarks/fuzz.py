"""Damaged inputs without end: none may end in an exception, take more than 5 seconds or more memory than its limit.

Every input is made of the seed and its own number, so that each can be had again alone.
``python benchmarks/fuzz.py --help``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.fuzz import cases, promises, starts  # noqa: E402

#: So many inputs are handed out at a time.
_BATCH = 500
#: The status of a process that took more memory than it may.
_TOO_LARGE = 9
#: More failures that end at the same place are only counted.
_MOST_SHOWN = 3


@dataclass(frozen=True)
class Limits:
    seconds: float
    megabytes: int


@dataclass(frozen=True)
class Failure:
    """One input for which something does not hold; ``where`` is the same for those with the same reason."""

    number: int
    where: str
    told: str


#: What a batch gives: the cells of the table, the failures, and the largest size of the process so far, in MB.
Batch = tuple[Counter[tuple[str, str, str]], list[Failure], float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="how many inputs (default 20000)")
    parser.add_argument("--seed", type=int, default=1, help="other inputs for every seed (default 1)")
    parser.add_argument(
        "--first", type=int, default=0, metavar="NUMBER", help="the number of the first one (default 0)"
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many processes (default: one a core)")
    parser.add_argument("--seconds", type=float, default=5, help="processor time that one input may take (default 5)")
    parser.add_argument("--megabytes", type=int, default=300, help="so large may a process become (default 300)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this input alone, here, with its traceback")
    parser.add_argument("--save", type=Path, metavar="FILE", help="with --only: write the input to a file as well")
    parser.add_argument("--guided", type=Path, metavar="FOLDER", help="let atheris look for inputs with new coverage")
    options, rest = parser.parse_known_args()
    limits = Limits(options.seconds, options.megabytes)
    if options.guided is not None:
        guided(options.guided, rest)
    elif rest:
        parser.error(f"not known: {' '.join(rest)}")
    elif options.only is not None:
        alone(cases.case(options.seed, options.only), options.save)
    else:
        numbers = range(options.first, options.first + options.inputs)
        sys.exit(1 if run(options.seed, numbers, options.workers, limits) else 0)


def alone(case: cases.Case, file: Path | None) -> None:
    print(f"{case.target}, {case.kind}: {' '.join(case.damage) or 'nothing'}; {case.name}, {len(case.data)} bytes")
    if file is not None:
        file.write_bytes(case.data)
    print(promises.PROMISES[case.target](case.data, case.name))


# --- The long run ---------------------------------------------------------------------------------------------------


def run(seed: int, numbers: range, worker_count: int, limits: Limits) -> list[Failure]:
    """All inputs of these numbers, on several processes; prints what came of them and returns the failures."""
    began = time.monotonic()
    counts: Counter[tuple[str, str, str]] = Counter()
    failures: list[Failure] = []
    largest = 0.0
    for number, (more, found, size) in enumerate(batches(seed, numbers, worker_count, limits), 1):
        counts += more
        failures += found
        largest = max(largest, size)
        for failure in found:
            print(f"input {failure.number}: {failure.where}", file=sys.stderr, flush=True)
        if number % 20 == 0:
            minutes = (time.monotonic() - began) / 60
            print(
                f"{counts.total()} inputs, {len(failures)} failures, {minutes:.1f} minutes", file=sys.stderr, flush=True
            )
    show(counts, failures, seed)
    minutes = (time.monotonic() - began) / 60
    print(f"{counts.total()} inputs, {len(failures)} failures; largest process {largest:.0f} MB")
    print(f"{minutes:.1f} minutes on {worker_count} processes; Python {platform.python_version()}")
    return failures


def batches(seed: int, numbers: range, worker_count: int, limits: Limits) -> Iterator[Batch]:
    """What comes of the inputs, batch by batch. A process that dies is a failure of the input that it was at."""
    waiting = [numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)][::-1]
    workers: dict[Connection, Worker] = {}
    while waiting or workers:
        while waiting and len(workers) < worker_count:
            worker = Worker(seed, limits)
            workers[worker.pipe] = worker
            worker.begin(waiting.pop())
        for pipe in wait(list(workers)):
            assert isinstance(pipe, Connection)
            worker = workers[pipe]
            try:
                yield pipe.recv()
            except EOFError:
                del workers[pipe]
                failure = worker.failure()
                # With the process went what had become of the inputs before it: they are taken once more.
                batch = worker.batch
                waiting += filter(None, [range(failure.number + 1, batch.stop), range(batch.start, failure.number)])
                case = cases.case(seed, failure.number)
                yield Counter({(case.target, case.kind, "failed"): 1}), [failure], 0
            else:
                if waiting:
                    worker.begin(waiting.pop())
                else:
                    worker.end()
                    del workers[pipe]


class Worker:
    """A process that takes one batch after another, and where it is."""

    def __init__(self, seed: int, limits: Limits) -> None:
        context = get_context("spawn")  # what is started from a large process counts as large for ever
        self.limits = limits
        self.batch = range(0)
        self.pipe, inner = context.Pipe()
        #: The number of the input that it is at.
        self.at = context.Value("q", 0, lock=False)
        self.process: BaseProcess = context.Process(target=work, args=(seed, limits, inner, self.at), daemon=True)
        self.process.start()
        inner.close()
        self.seed = seed

    def begin(self, batch: range) -> None:
        self.batch = batch
        self.at.value = batch.start
        self.pipe.send(batch)

    def end(self) -> None:
        self.pipe.send(None)
        self.process.join()

    def failure(self) -> Failure:
        """Why the process died, at which input."""
        self.process.join()
        match self.process.exitcode:
            case code if code == -signal.SIGPROF:
                why = f"takes more than {self.limits.seconds:g} seconds"
            case code if code == _TOO_LARGE:
                why = f"takes more than {self.limits.megabytes} MB"
            case code:
                why = f"ends the process with {code}"
        return Failure(self.at.value, why, why)


def work(seed: int, limits: Limits, pipe: Connection, at: object) -> None:
    """Takes batches from a pipe until there are no more.

    The alarm ends the process, whatever it is at. It goes by processor time: on a busy machine, or while the run is
    paused, an input may wait, and nothing that is tried here waits by itself.
    """
    starts.matches()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # What a process may hold before it is told that there is no more, well above what is looked at afterwards.
    resource.setrlimit(resource.RLIMIT_DATA, (2 * limits.megabytes * 2**20,) * 2)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while (batch := pipe.recv()) is not None:
            counts: Counter[tuple[str, str, str]] = Counter()
            failures = []
            for number in batch:
                at.value = number  # type: ignore[attr-defined]
                case = cases.case(seed, number)
                signal.setitimer(signal.ITIMER_PROF, limits.seconds)
                ending, failure = outcome(case, number)
                signal.setitimer(signal.ITIMER_PROF, 0)
                counts[case.target, case.kind, ending] += 1
                if failure is not None:
                    failures.append(failure)
                if megabytes() > limits.megabytes:
                    os._exit(_TOO_LARGE)
            pipe.send((counts, failures, megabytes()))


def outcome(case: cases.Case, number: int) -> tuple[str, Failure | None]:
    try:
        return promises.PROMISES[case.target](case.data, case.name), None
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {Path(last.filename).name}:{last.lineno}"
        return "failed", Failure(number, where, traceback.format_exc())


def megabytes() -> float:
    """The largest that this process has ever been."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def show(counts: Counter[tuple[str, str, str]], failures: Sequence[Failure], seed: int) -> None:
    """A row for each target and kind of damage, and each reason for failures with the first inputs that have it."""
    endings = sorted({ending for _, _, ending in counts})
    rows = sorted({(target, kind) for target, kind, _ in counts})
    print(f"{'target':8} {'damage':8} {'inputs':>9}", *(f"{ending:>11}" for ending in endings))
    for target, kind in rows:
        cells = [counts[target, kind, ending] for ending in endings]
        print(f"{target:8} {kind:8} {sum(cells):9}", *(f"{cell:11}" for cell in cells))
    alike = Counter(failure.where for failure in failures)
    for where, count in alike.most_common():
        print(f"\n{count} × {where}")
        for failure in [failure for failure in failures if failure.where == where][:_MOST_SHOWN]:
            print(f"  python benchmarks/fuzz.py --seed {seed} --only {failure.number}")
        print(next(failure.told for failure in failures if failure.where == where))


# --- Guided by coverage ----------------------------------------------------------------------------------------------


def guided(folder: Path, arguments: Sequence[str]) -> None:
    """Runs atheris (``pip install atheris``) on one match, from bytes to what is told of it, without end.

    Inputs that reach new code are kept in the folder. ``arguments`` are those of libFuzzer: ``-max_total_time=600``.
    """
    import atheris  # type: ignore[import-not-found]

    folder.mkdir(exist_ok=True)
    for number, text in enumerate(starts.corpus()):
        (folder / f"start-{number}").write_bytes(text)
    atheris.instrument_all()

    def one(data: bytes) -> None:
        promises.audit(data, "match.json")

    atheris.Setup([sys.argv[0], str(folder), *arguments], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
