"""``auditor load``: a database gets each row once, in the order of the input, or says why not."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import fsspec
import pytest

from auditor.cluster import collecting, manifest
from auditor.log import Log
from auditor.store import Store
from auditor.verdict import Verdict
from tests.cluster.helpers import Here, audited, mixed
from tests.desks.played import matches, run, write


@pytest.fixture(scope="module", autouse=True)
def small_ranges() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("auditor.cluster.shards.RANGE_BYTES", 30_000)
        yield


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed(tmp_path_factory.mktemp("load") / "logs")


@pytest.fixture
def out(logs: Path, tmp_path: Path) -> Path:
    audited([logs], tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture(scope="module")
def alone(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database that one machine makes."""
    path = tmp_path_factory.mktemp("alone") / "audit.db"
    run("audit", logs, "--db", path, "-q")
    return path


def differing(one: Path, other: Path) -> set[str]:
    """The tables that differ, apart from the one that tells when and how a run was made."""
    with Store.look(one) as store:
        return set(store.differing_tables(other)) - {"runs"}


def test_the_database_is_that_of_one_machine(out: Path, alone: Path, tmp_path: Path) -> None:
    result = run("load", out, "--db", tmp_path / "audit.db")
    assert result.exit_code == 0
    with Store.look(alone) as store:
        count = len(store.digests())
    assert f" {count} new matches, {count} new verdicts of " in result.stderr
    assert result.stderr.endswith(" of them no match logs\n")
    assert differing(alone, tmp_path / "audit.db") == set()


def test_loading_twice_changes_nothing(out: Path, alone: Path, tmp_path: Path) -> None:
    run("load", out, "--db", tmp_path / "audit.db")
    result = run("load", out, out, *sorted(out.glob("*.parquet")), "--db", tmp_path / "audit.db")
    assert " 0 new matches, 0 new verdicts of " in result.stderr
    assert differing(alone, tmp_path / "audit.db") == set()


def test_a_load_that_is_stopped_is_completed_by_the_next(
    out: Path, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = collecting.rows

    def stopped(*arguments: object) -> Iterator[tuple[Log | None, Verdict]]:
        for number, row in enumerate(genuine(*arguments)):  # type: ignore[arg-type]
            if number == 30:
                raise KeyboardInterrupt
            yield row

    database = tmp_path / "audit.db"
    monkeypatch.setattr("auditor.store.loading._BATCH_EVENTS", 2000)
    monkeypatch.setattr(collecting, "rows", stopped)
    assert run("load", out, "--db", database).exit_code == 130
    with closing(sqlite3.connect(database)) as connection:
        [(loaded,)] = connection.execute("select count(*) from matches")
    assert 0 < loaded < 30
    monkeypatch.setattr(collecting, "rows", genuine)
    assert run("load", out, "--db", database).exit_code == 0
    assert differing(alone, database) == {"verdicts", "unreadable"}  # they say in which run they came
    with closing(sqlite3.connect(database)) as two, closing(sqlite3.connect(alone)) as one:
        for rows in (
            "select match, auditor, status, clause, totals, winner, over from verdicts",
            "select id, file, line, offset, pointer, clause, message_ar, match_id, ruleset, digest from unreadable",
        ):
            assert list(one.execute(rows)) == list(two.execute(rows))


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_folder_without_its_manifest_is_said(out: Path, alone: Path, tmp_path: Path, language: str) -> None:
    (out / "manifest.json").unlink()
    refused = run("load", out, "--db", tmp_path / "audit.db", "--lang", language)
    assert (refused.exit_code, (tmp_path / "audit.db").exists()) == (2, False)
    assert "manifest.json is missing" in refused.stderr
    partial = run("load", out, "--db", tmp_path / "audit.db", "--partial", "--lang", language)
    assert partial.exit_code == 0
    assert "manifest.json is missing" in partial.stderr
    assert differing(alone, tmp_path / "audit.db") == set()  # the files themselves know their order


@pytest.mark.parametrize("name", ["nothing", "text"])
def test_what_is_no_result_makes_no_database(tmp_path: Path, name: str) -> None:
    (tmp_path / "text").write_text("no results")
    refused = run("load", tmp_path / name, "--db", tmp_path / "audit.db")
    assert refused.exit_code == 2
    assert name in refused.stderr
    assert not (tmp_path / "audit.db").exists()


def test_what_was_loaded_before_a_damaged_result_is_kept_and_said(out: Path, alone: Path, tmp_path: Path) -> None:
    listed = manifest.read(str(out))
    assert listed is not None
    damaged = out / listed.shards[-1].results
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:-8])
    refused = run("load", out, "--db", tmp_path / "audit.db")
    assert refused.exit_code == 2
    assert damaged.name in refused.stderr
    assert "what was loaded before is in" in refused.stderr
    damaged.write_bytes(whole)
    assert run("load", out, "--db", tmp_path / "audit.db").exit_code == 0
    assert differing(alone, tmp_path / "audit.db") <= {"verdicts", "unreadable"}  # which name the run that stored them


def test_results_that_are_missing_are_said(logs: Path, out: Path, alone: Path, tmp_path: Path) -> None:
    listed = manifest.read(str(out))
    assert listed is not None
    gone = [part.results for part in listed.shards[1:3]]
    for name in gone:
        (out / name).unlink()
    refused = run("load", out, "--db", tmp_path / "audit.db")
    assert (refused.exit_code, (tmp_path / "audit.db").exists()) == (2, False)
    assert f"{gone[0]} is missing" in refused.stderr
    assert "and 1 more" in refused.stderr
    partial = run("load", out, "--db", tmp_path / "audit.db", "--partial")
    assert partial.exit_code == 0
    assert all(f"{name} is missing" in partial.stderr for name in gone)
    audited([logs], out)
    run("load", out, "--db", tmp_path / "audit.db")
    with Store.look(alone) as one, Store.look(tmp_path / "audit.db") as two:
        assert sorted(one.digests()) == sorted(two.digests())


def test_shards_that_failed_are_said(logs: Path, tmp_path: Path) -> None:
    audited([logs], tmp_path / "out", Here(lambda call: "c.json" in repr(call.arguments)))
    refused = run("load", tmp_path / "out", "--db", tmp_path / "audit.db")
    assert refused.exit_code == 2
    assert "c.json: OSError: the storage has gone" in refused.stderr


def test_results_of_an_earlier_input_are_not_loaded(tmp_path: Path) -> None:
    documents = matches("three-stones", 4)
    path = write(tmp_path / "a.ndjson", *documents[:3])
    audited([path], tmp_path / "out")
    write(path, documents[3])
    assert len(audited([path], tmp_path / "out").others) == 1
    run("load", tmp_path / "out", "--db", tmp_path / "audit.db")
    with Store.look(tmp_path / "audit.db") as store:
        assert len(store.digests()) == 1


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.parquet", b"PAR1 and no more", "none or is damaged"),
        ("a.parquet", b"", "none or is damaged"),
        ("a.parquet", None, "no such file or folder"),
        ("manifest.json", b"{}", "expected the manifest of an audit"),
        ("manifest.json", b"no JSON", "expected the manifest of an audit"),
    ],
)
def test_what_is_none_of_ours_is_refused(tmp_path: Path, name: str, data: bytes | None, what: str) -> None:
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / name
    if data is not None:
        path.write_bytes(data)
    result = run("load", path.parent if name == "manifest.json" else path, "--db", tmp_path / "audit.db")
    assert result.exit_code == 2
    assert what in result.stderr


def test_another_auditor_refuses(out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.cluster.work.__version__", "9.9.9")
    result = run("load", out, "--db", tmp_path / "audit.db")
    assert result.exit_code == 2
    assert "expected results of this auditor, 9.9.9" in result.stderr


def test_logs_and_results_may_lie_behind_urls(logs: Path, tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    for path in sorted(logs.rglob("*.*")):
        system.pipe_file(f"/club/logs/{path.relative_to(logs)}", path.read_bytes())
    try:
        made = audited(["memory://club/logs"], "memory://club/out")
        assert made.manifest.missing == []
        assert run("load", "memory://club/out", "--db", tmp_path / "audit.db").exit_code == 0
    finally:
        system.rm("/club", recursive=True)
    run("audit", logs, "--db", tmp_path / "alone.db", "-q")
    rows = "select match_id, file, line, offset, digest from matches order by id"
    with closing(sqlite3.connect(tmp_path / "audit.db")) as two, closing(sqlite3.connect(tmp_path / "alone.db")) as one:
        for behind_url, here in zip(two.execute(rows), one.execute(rows), strict=True):
            assert behind_url == (here[0], here[1].replace(str(logs), "memory://club/logs"), *here[2:])
        places = "select file, line, offset, pointer from unreadable order by id"
        assert [row[1:] for row in two.execute(places)] == [row[1:] for row in one.execute(places)]
        assert all(row[0].startswith("memory://club/logs/") for row in two.execute(places))
