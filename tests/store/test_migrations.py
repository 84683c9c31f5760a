"""Databases of every earlier schema are brought up, with all that is in them, and go on as if they were new."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from auditor import __version__, rulebook
from auditor.audit import audited
from auditor.log import Log
from auditor.store import SCHEMA, Auditor, Store
from tests.desks.played import FIXTURES

from . import samples
from .test_counts import assert_counted

#: Each has its rows at a schema, but for what later steps add.
EARLIER = range(1, SCHEMA)
_KEPT = ("matches", "verdicts", "deals", "findings", "seats", "players", "producers", "clauses", "unreadable", "runs")


@pytest.fixture(autouse=True)
def _real_rulebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()


@pytest.fixture(params=EARLIER)
def earlier(request: pytest.FixtureRequest, path: Path) -> Path:
    samples.earlier(path, request.param)
    assert samples.rows(path, "pragma user_version") == [(request.param,)]
    return path


def kept(path: Path) -> dict[str, list[tuple[object, ...]]]:
    return {table: samples.rows(path, f"select * from {table} order by 1, 2, 3") for table in _KEPT}


def documents(path: Path) -> list[tuple[object, ...]]:
    return samples.rows(path, "select match, auditor, json from documents order by 1, 2")


def test_all_rows_stay(earlier: Path) -> None:
    before, verdicts = kept(earlier), documents(earlier)
    Store.open(earlier).close()
    assert samples.rows(earlier, "pragma user_version") == [(SCHEMA,)]
    assert (kept(earlier), documents(earlier)) == (before, verdicts)
    assert len(verdicts) > 60


def test_what_pages_show_is_counted(earlier: Path) -> None:
    Store.open(earlier).close()
    assert_counted(earlier)
    assert samples.rows(earlier, "select sum(matches) from tallies") == samples.rows(
        earlier, "select count(*) from matches"
    )


def test_it_is_made_like_a_new_one(earlier: Path, tmp_path: Path) -> None:
    """Tables, columns, indexes, views and triggers, whatever the way that led to them."""
    Store.open(earlier).close()
    Store.open(tmp_path / "new.db").close()

    def made(path: Path) -> list[tuple[object, ...]]:
        return samples.rows(
            path, "select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by 1, 2"
        )

    assert made(earlier) == made(tmp_path / "new.db")


def test_a_load_goes_on(earlier: Path) -> None:
    by = Auditor(__version__, rulebook.digest())
    with Store.open(earlier) as store:
        before = store.digests()
        rows = audited([str(FIXTURES / "tarneeb-classic")])
        store.load(((entry if isinstance(entry, Log) else None, verdict) for entry, verdict in rows), by)
        digest = next(iter(before))
        assert msgspec.json.decode(store.verdict(digest))["log_digest"] == digest
    assert_counted(earlier)


def test_an_earlier_database_is_looked_at_as_it_is(earlier: Path) -> None:
    before = earlier.read_bytes()
    with Store.look(earlier) as store:
        assert len(list(store.all_logs())) == len(store.digests()) > 60
        assert list(store.unreadable())
    assert earlier.read_bytes() == before
