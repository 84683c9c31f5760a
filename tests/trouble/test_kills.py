"""``kill -9`` at some moments of all that writes; ``benchmarks/kills.py`` tries a hundred."""

from __future__ import annotations

import sys

import pytest

from benchmarks import kills

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")

TASKS = kills.tasks(40)


@pytest.mark.parametrize("name", TASKS)
def test_a_killed_run_loses_nothing_and_another_one_completes_it(name: str) -> None:
    assert kills.tried(*TASKS[name], times=2).killed == 2
