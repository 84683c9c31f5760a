"""Several processes at one database, and one that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.store import Store

from . import samples, writer

MATCH_COUNT = 60


def _writer(path: Path, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.writer", str(path), *map(str, arguments)]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True)


def _end(process: subprocess.Popen[str]) -> int:
    _, errors = process.communicate(timeout=60)
    assert errors == ""
    return process.returncode


@pytest.fixture
def straight(tmp_path: Path) -> dict[str, list[tuple[object, ...]]]:
    """What one undisturbed load stores."""
    path = tmp_path / "straight.db"
    with Store.open(path) as store:
        store.load((row for number in range(MATCH_COUNT) for row in writer.both(number)), samples.FIRST)
    return samples.content(path)


def test_processes_that_load_the_same_at_once_store_it_once(
    path: Path, straight: dict[str, list[tuple[object, ...]]]
) -> None:
    orders = [(0, MATCH_COUNT, 1), (MATCH_COUNT - 1, -1, -1), (0, MATCH_COUNT, 1)]
    writers = [_writer(path, *order) for order in orders]
    assert [_end(process) for process in writers] == [0, 0, 0]
    assert samples.content(path) == straight
    counts = samples.rows(path, "select sum(matches), sum(verdicts), sum(unreadable), count(finished) from runs")
    assert counts == [(MATCH_COUNT, MATCH_COUNT, MATCH_COUNT // 10, 3)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("table", ["matches", "deals", "findings", "unreadable"])
def test_a_killed_load_leaves_whole_matches_and_a_second_one_completes_it(
    path: Path, table: str, straight: dict[str, list[tuple[object, ...]]]
) -> None:
    assert _end(_writer(path, 0, MATCH_COUNT, 1, table)) == -signal.SIGKILL
    half = samples.content(path)
    match_count = len(half["matches"])
    assert 0 < match_count < MATCH_COUNT
    assert [len(half[each]) for each in ("logs", "verdicts", "documents")] == [match_count] * 3
    assert len(half["seats"]) == 4 * match_count
    assert len(half["deals"]) == 2 * match_count
    assert samples.rows(path, "select finished, matches from runs") == [(None, match_count)]
    assert _end(_writer(path, 0, MATCH_COUNT, 1)) == 0
    assert samples.content(path) == straight
    assert samples.rows(path, "pragma integrity_check") == [("ok",)]
