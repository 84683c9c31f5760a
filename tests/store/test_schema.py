"""The tables as they stand in a new database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from auditor.store import Store
from auditor.store.tables import MIGRATIONS

from . import samples


def _tables(path: Path) -> list[str]:
    query = "select name from pragma_table_list where type = 'table' and schema = 'main' and name <> 'sqlite_schema'"
    return [name for (name,) in samples.rows(path, query)]


def test_every_table_is_strict(loaded: Path) -> None:
    strict = {name for (name,) in samples.rows(loaded, "select name from pragma_table_list where strict")}
    assert set(_tables(loaded)) == strict
    assert len(strict) == 15


def test_a_number_is_not_taken_for_a_text(loaded: Path) -> None:
    with closing(sqlite3.connect(loaded)) as connection, pytest.raises(sqlite3.IntegrityError, match="cannot store"):
        connection.execute("insert into players values (99, 'p', x'00')")


def test_foreign_keys_hold_and_are_watched(loaded: Path) -> None:
    assert samples.rows(loaded, "pragma foreign_key_check") == []
    keys = {table: samples.rows(loaded, f"pragma foreign_key_list({table})") for table in _tables(loaded)}
    assert {table for table, found in keys.items() if not found} == {
        *("auditors", "producers", "players", "clauses", "tallies")
    }
    with Store.open(loaded) as store:
        orphan = "insert into logs values (999, x'00')"
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            store._connection.execute(orphan)


def test_natural_keys_are_unique_and_rare_rows_have_partial_indexes(loaded: Path) -> None:
    indexes = dict(samples.rows(loaded, "select name, sql from sqlite_schema where type = 'index' and sql is not null"))
    for table in ("auditors", "producers", "players", "clauses", "matches", "unreadable"):
        assert "UNIQUE" in indexes[f"{table}_key"]
    partial = {name for name, sql in indexes.items() if " where " in sql}
    assert partial == {"matches_clause", "matches_same_id", "deals_disagreeing"}


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("select * from matches where status = :value order by id desc", "matches_status"),
        ("select * from matches where ruleset = :value order by id desc", "matches_ruleset"),
        ("select * from matches where clause = :value order by id desc", "matches_clause"),
        ("select * from matches where producer = :value order by id desc", "matches_producer"),
        ("select * from results where status = :value", "matches_status"),
        ("select * from matches where match_id = :value", "matches_match_id"),
        ("select * from matches where same_id_as is not null", "matches_same_id"),
        ("select * from deals where agrees = 0", "deals_disagreeing"),
        ("select * from deals where outcome = :value order by match, auditor, deal", "deals_outcome"),
        ("select * from claims where agrees = 0", "deals_disagreeing"),
        ("select * from findings where match = :value", "sqlite_autoindex_findings_1"),
        ("select * from findings where clause = :value order by match, auditor, number", "findings_clause"),
        ("select * from findings where kind = :value order by match, auditor, number", "findings_kind"),
        ("select * from verdicts where status = :value", "verdicts_status"),
        ("select * from seats where player = :value", "seats_player"),
    ],
)
def test_pages_that_are_often_asked_for_use_an_index(loaded: Path, query: str, index: str) -> None:
    plan = _plan(loaded, query)
    assert any(f"INDEX {index}" in step for step in plan), plan
    assert not any("ORDER BY" in step for step in plan), plan


@pytest.mark.parametrize(
    ("facet", "table", "condition"),
    [
        ("status", "matches", "status is not null"),
        ("clause", "matches", "clause is not null"),
        ("ruleset", "matches", "status = :value"),
        ("producer", "matches", "ruleset = :value"),
        ("clause", "matches", "producer = :value"),
        ("status", "matches", "clause = :value"),
        ("kind", "findings", "kind is not null"),
        ("clause", "findings", "kind = :value"),
        ("kind", "findings", "clause = :value"),
        ("auditor", "findings", "kind = :value"),
        ("outcome", "deals", "outcome is not null"),
        ("agrees", "deals", "outcome = :value"),
        ("status", "verdicts", "status is not null"),
        ("auditor", "verdicts", "status = :value"),
    ],
)
def test_facets_are_counted_in_an_index_alone(loaded: Path, facet: str, table: str, condition: str) -> None:
    rows = f"select * from {table} where {condition}"
    plan = _plan(loaded, f"select {facet}, count(*) from ({rows}) where {facet} is not null group by {facet}")
    assert any("COVERING INDEX" in step for step in plan), plan


def _plan(path: Path, query: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [step[3] for step in connection.execute(f"explain query plan {query}", {"value": "illegal"})]


@pytest.mark.parametrize(
    "change",
    [
        "update verdicts set status = 'clean'",
        "update documents set json = x''",
        "update logs set json = x''",
        "update deals set agrees = 1",
        "update findings set kind = 'note'",
    ],
)
def test_what_was_stored_of_a_verdict_cannot_be_changed(loaded: Path, change: str) -> None:
    with closing(sqlite3.connect(loaded)) as connection, pytest.raises(sqlite3.IntegrityError, match="never changed"):
        connection.execute(change)


def test_the_file_says_whose_it_is_and_which_schema_it_has(loaded: Path) -> None:
    assert samples.rows(loaded, "pragma application_id") == [(0x41756474,)]
    assert samples.rows(loaded, "pragma user_version") == [(len(MIGRATIONS),)]
    assert samples.rows(loaded, "pragma journal_mode") == [("wal",)]


def test_a_later_step_is_taken_once(loaded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = samples.content(loaded)
    later = (*MIGRATIONS, lambda db: db.create_table("extra", {"id": int}, pk="id", strict=True))
    monkeypatch.setattr("auditor.store.MIGRATIONS", later)
    monkeypatch.setattr("auditor.store.SCHEMA", len(later))
    for _ in range(2):
        Store.open(loaded).close()
    assert samples.rows(loaded, "pragma user_version") == [(len(later),)]
    after = samples.content(loaded)
    assert after.pop("extra") == []
    assert after == before


def test_a_step_that_fails_leaves_the_schema_before_it(loaded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half_done(db: object) -> None:
        db.create_table("extra", {"id": int})  # type: ignore[attr-defined]
        raise ZeroDivisionError

    before = samples.content(loaded)
    monkeypatch.setattr("auditor.store.MIGRATIONS", (*MIGRATIONS, half_done))
    with pytest.raises(ZeroDivisionError):
        Store.open(loaded)
    assert samples.content(loaded) == before
    assert samples.rows(loaded, "pragma user_version") == [(len(MIGRATIONS),)]
