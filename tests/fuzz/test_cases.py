"""The inputs of the long run: each is made of two numbers, all kinds come up, and a failure is seen as one."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

from . import byte_damage, cases, event_damage, promises


@cache
def benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "fuzz.py"
    spec = importlib.util.spec_from_file_location("fuzz_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_case_is_made_of_its_two_numbers_alone() -> None:
    forwards = [cases.case(7, number) for number in range(60)]
    assert [cases.case(7, number) for number in reversed(range(60))] == forwards[::-1]
    assert [cases.case(8, number) for number in range(60)] != forwards


def test_every_target_every_kind_and_every_way_of_damage_comes_up() -> None:
    found = [cases.case(1, number) for number in range(3000)]
    assert {(case.target, case.kind) for case in found} == {
        (target, kind) for target in cases.TARGETS for kind in cases.KINDS
    }
    ways = {*event_damage.WELL_FORMED, *event_damage.ILL_FORMED, *byte_damage.WAYS}
    assert {way for case in found for way in case.damage} == ways
    endings = {f"{container}{packing}" for container in byte_damage.CONTAINERS for packing in byte_damage.PACKINGS}
    assert {case.name for case in found} == {"match.json", *(f"matches{ending}" for ending in endings)}


def test_damage_leaves_what_it_was_given_as_it_was() -> None:
    before = [cases.written(document) for document in cases.documents()]
    for number in range(300):
        cases.case(2, number)
    assert [cases.written(document) for document in cases.documents()] == before


def broken(data: bytes, name: str) -> NoReturn:
    raise LookupError("a fault of the auditor")


def test_an_exception_is_a_failure_that_tells_how_it_came_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promises, "PROMISES", dict.fromkeys(cases.TARGETS, broken))
    ending, failure = benchmark().outcome(cases.case(1, 5), 5)
    assert ending == "failed"
    assert failure.number == 5
    assert failure.where.startswith("LookupError in test_cases.py:")
    assert "a fault of the auditor" in failure.told


class Ended:
    """A process that has come to its end."""

    def __init__(self, exitcode: int) -> None:
        self.exitcode = exitcode

    def join(self) -> None:
        pass


@pytest.mark.parametrize(
    ("exitcode", "why"),
    [
        (-signal.SIGPROF, "takes more than 5 seconds"),
        (9, "takes more than 300 MB"),
        (-signal.SIGSEGV, f"ends the process with {-signal.SIGSEGV}"),
    ],
)
def test_a_process_that_dies_is_a_failure_of_the_input_that_it_was_at(exitcode: int, why: str) -> None:
    module = benchmark()
    worker = object.__new__(module.Worker)
    worker.limits, worker.process, worker.at = module.Limits(5, 300), Ended(exitcode), type("At", (), {"value": 12})
    failure = worker.failure()
    assert (failure.number, failure.where) == (12, why)


class Mortal:
    """A worker in this process that dies at one input, once; ``pipe`` is itself."""

    def __init__(self, seed: int, limits: object) -> None:
        self.pipe = self

    def begin(self, batch: range) -> None:
        self.batch = batch

    def end(self) -> None:
        pass

    def recv(self) -> object:
        if 4 in self.batch:
            raise EOFError
        return Counter({("audit", "events", "clean"): len(self.batch)}), [], 1.0

    def failure(self) -> object:
        return benchmark().Failure(4, "died", "died")


def test_every_input_counts_once_though_a_process_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    module = benchmark()
    monkeypatch.setattr(module, "Worker", Mortal)
    monkeypatch.setattr(module, "Connection", Mortal)
    monkeypatch.setattr(module, "wait", list)
    monkeypatch.setattr(module, "_BATCH", 6)
    counts, failures = Counter[tuple[str, str, str]](), []
    for more, found, _ in module.batches(1, range(20), 2, module.Limits(5, 300)):
        counts += more
        failures += found
    assert counts.total() == 20
    assert [failure.number for failure in failures] == [4]
    assert sum(count for (_, _, ending), count in counts.items() if ending == "failed") == 1


def test_the_alarm_ends_a_process_even_where_python_is_not_asked() -> None:
    """The long run sets it before each input; a pattern that searches for ever is never interrupted by a handler."""
    child = os.fork()
    if child == 0:  # pragma: no cover
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, 0.05)
        re.search("(a|a)*b", "a" * 60)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGPROF
