"""What the database counts beforehand: after any load it is what a count of the rows would give."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.store import Auditor, Store

from . import samples
from .samples import FIRST, SECOND, rows

AUDITORS = (FIRST, SECOND, Auditor("0.3.0", "sha256:cccccccccccccccc"))


def assert_counted(path: Path) -> None:
    day = "substr(coalesce(started, ended, ''), 1, 10)"
    assert rows(path, "select * from tallies order by ruleset, producer, day, status, clause") == rows(
        path,
        f"select ruleset, ifnull(producer, 0), {day}, status, ifnull(clause, 0), count(*) from matches "
        "group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5",
    )
    assert rows(path, "select * from citations order by clause, kind") == rows(
        path,
        "select findings.clause, kind, count(*), count(distinct match) from findings "
        "join matches on matches.id = findings.match and matches.auditor = findings.auditor "
        "group by 1, 2 order by 1, 2",
    )


def _document(number: int) -> dict[str, object]:
    """A match log of which some name no build, some no start, and some no time at all."""
    made = samples.document(number, 1)
    for left_out, every in (("producer", 5), ("started", 3), ("ended", 6)):
        if number % every == 0:
            del made[left_out]
    return made


def _random_loads(path: Path, chance: random.Random) -> None:
    """Loads by auditors old and new in any order, who differ about the same matches."""
    logs = [samples.log(_document(number)) for number in range(12)]
    for _ in range(6):
        by = chance.choice(AUDITORS)
        batch = chance.sample(logs, chance.randint(1, len(logs)))
        with Store.open(path) as store:
            store.load([(log, samples.opinion(log, chance.randrange(5))) for log in batch], by)


@pytest.mark.parametrize("seed", range(8))
def test_tallies_and_citations_are_what_a_recount_gives(path: Path, seed: int) -> None:
    _random_loads(path, random.Random(seed))
    assert_counted(path)
    assert rows(path, "select count(distinct auditor) from verdicts") > [(1,)]


def test_what_is_not_given_is_tallied_under_nought_or_nothing(path: Path) -> None:
    bare = samples.document(0, 1)
    del bare["producer"], bare["started"], bare["ended"]
    only_ended = samples.document(6, 1)
    del only_ended["started"]
    logs = [samples.log(bare), samples.log(only_ended)]
    with Store.open(path) as store:
        store.load([(log, samples.opinion(log, samples.CLEAN)) for log in logs], FIRST)
    assert rows(path, "select * from tallies order by day") == [
        ("tarneeb-classic", 0, "", "clean", 0, 1),
        ("tarneeb-classic", 1, "2026-03-07", "clean", 0, 1),
    ]


def test_a_newer_auditor_moves_the_counts_and_an_older_one_does_not(path: Path) -> None:
    log = samples.log(samples.document(0, 1))
    illegal, clean = samples.opinion(log, samples.ILLEGAL), samples.opinion(log, samples.CLEAN)
    statuses, cited = "select status, matches from tallies", "select kind, findings, matches from citations order by 1"
    with Store.open(path) as store:
        store.load([], FIRST)
        store.load([(log, clean)], SECOND)
        assert (rows(path, statuses), rows(path, cited)) == ([("clean", 1)], [])
        store.load([(log, illegal)], FIRST)
        assert (rows(path, statuses), rows(path, cited)) == ([("clean", 1)], [])
        store.load([(log, illegal)], AUDITORS[2])
        assert (rows(path, statuses), rows(path, cited)) == ([("illegal", 1)], [("illegal", 1, 1), ("note", 1, 1)])


def test_a_clause_cited_twice_in_a_match_is_cited_in_one_match(path: Path) -> None:
    log = samples.log(samples.document(0))
    opinion = samples.opinion(log, samples.ILLEGAL)
    twice = replace(opinion, findings=(*opinion.findings, opinion.findings[0]))
    with Store.open(path) as store:
        store.load([(log, twice), samples.audited(1)], FIRST)
    assert rows(path, "select kind, findings, matches from citations order by 1") == [("illegal", 3, 2), ("note", 2, 2)]


@pytest.mark.parametrize("first", ["findings", "matches"])
def test_what_is_taken_out_by_hand_is_counted_out(loaded: Path, first: str) -> None:
    with closing(sqlite3.connect(loaded)) as connection, connection:
        steps = ["delete from findings where match % 3 = 0", "delete from matches where id % 3 = 0"]
        for step in steps if first == "findings" else reversed(steps):
            connection.execute(step)
    assert_counted(loaded)
    assert rows(loaded, "select sum(matches) from tallies") == [(8,)]


def test_processes_that_load_at_once_count_each_match_once(path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.store.writer", str(path)]
    orders = [("0", "40", "1"), ("39", "-1", "-1")]
    writers = [subprocess.Popen([*command, *order], cwd=root) for order in orders]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert_counted(path)
    assert rows(path, "select sum(matches) from tallies") == [(40,)]
