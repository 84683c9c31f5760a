"""Results are there whole or not at all, are the same bytes each time, and say what was read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow
import pytest
from pyarrow import parquet

from auditor.audit import Entry
from auditor.audit import audited as audited_alone
from auditor.cluster import manifest, results, running, work
from auditor.cluster.results import Summary
from auditor.cluster.shards import Shard
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.store import Auditor
from auditor.verdict import Verdict, to_json
from tests.cluster.helpers import Here, audited, mixed


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed(tmp_path_factory.mktemp("cluster") / "logs")


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.cluster.shards.RANGE_BYTES", 30_000)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows(folder: Path) -> list[tuple[Log | None, Verdict]]:
    listed = manifest.read(str(folder))
    assert listed is not None
    return [row for part in listed.shards for row in results.rows_of(f"{folder}/{part.results}", work.who())]


@pytest.mark.usefixtures("small_ranges")
def test_the_rows_are_what_one_process_says(logs: Path, tmp_path: Path) -> None:
    run = audited([logs], tmp_path / "out")
    alone = list(audited_alone([str(logs)]))
    told = rows(tmp_path / "out")
    assert len(run.manifest.shards) > 8
    assert [log for log, _ in told] == [entry if isinstance(entry, Log) else None for entry, _ in alone]
    assert [to_json(verdict) for _, verdict in told] == [to_json(verdict) for _, verdict in alone]
    for language in ("en", "ar"):
        assert [
            [finding.message(verdict.ruleset, language) for finding in verdict.findings] for _, verdict in told
        ] == [[finding.message(verdict.ruleset, language) for finding in verdict.findings] for _, verdict in alone]


@pytest.mark.usefixtures("small_ranges")
def test_the_columns_say_what_the_verdict_says(logs: Path, tmp_path: Path) -> None:
    run = audited([logs], tmp_path / "out")
    seen = 0
    for part in run.manifest.shards:
        table = parquet.read_table(tmp_path / "out" / part.results)
        assert table.column_names == [name for name, _, _ in results.COLUMNS]
        for row in table.to_pylist():
            verdict = msgspec.json.decode(row["verdict"])
            assert (row["digest"], row["match_id"], row["ruleset"], row["status"], row["over"]) == tuple(
                verdict[key] for key in ("log_digest", "match", "ruleset", "status", "over")
            )
            assert row["file"] == part.file
            seen += 1
    assert seen == sum(run.manifest.statuses.values()) == len(list(audited_alone([str(logs)])))


@pytest.mark.usefixtures("small_ranges")
def test_another_run_gives_the_same_bytes(logs: Path, tmp_path: Path) -> None:
    audited([logs], tmp_path / "one")
    audited([logs], tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.usefixtures("small_ranges")
def test_what_is_there_is_neither_read_nor_written_again(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    first = audited([logs], out)
    before = contents(out)
    gone = first.manifest.shards[2].results
    (out / gone).unlink()
    again = audited([logs], out)
    assert (first.new_count, again.new_count) == (len(first.manifest.shards), 1)
    assert contents(out) == before

    def refuse(*_: object) -> None:
        raise AssertionError("it was read again")

    monkeypatch.setattr("auditor.cluster.shards.opened", refuse)
    monkeypatch.setattr("auditor.cluster.shards._can_be_cut", lambda file: True)
    assert audited([logs], out).new_count == 0


def test_results_are_in_their_place_when_they_are_whole(logs: Path, tmp_path: Path) -> None:
    [shard] = running.planned([str(logs / "c.json")], str(tmp_path))
    seen = []

    def watched() -> Iterator[tuple[Entry, Verdict]]:
        for row in work._audited(shard, 0):
            seen.append([path.suffix for path in tmp_path.iterdir()])
            yield row

    results.write(str(tmp_path), shard, work.who(), watched())
    assert seen == [[".part"]] * 9
    assert [path.suffix for path in tmp_path.iterdir()] == [".parquet"]


def test_a_shard_that_breaks_off_leaves_nothing(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = work._audited

    def breaks_off(*arguments: object) -> Iterator[tuple[Entry, Verdict]]:
        yield from list(genuine(*arguments))[:3]  # type: ignore[arg-type]
        raise OSError("the line is cut")

    monkeypatch.setattr(work, "_audited", breaks_off)
    run = audited([logs / "a.ndjson"], tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["manifest.json"]
    assert [part.missing for part in run.manifest.shards] == ["OSError: the line is cut"]


def test_a_shard_that_fails_is_in_the_manifest_and_the_next_run_completes_it(logs: Path, tmp_path: Path) -> None:
    failed = audited([logs], tmp_path / "out", Here(lambda call: "c.json" in repr(call.arguments)))
    assert [(part.file, part.missing) for part in failed.manifest.missing] == [
        (str(logs / "c.json"), "OSError: the storage has gone")
    ]
    complete = audited([logs], tmp_path / "out")
    assert (complete.new_count, complete.manifest.missing) == (1, [])
    assert manifest.read(str(tmp_path / "out")) == complete.manifest


@pytest.mark.usefixtures("small_ranges")
def test_ranges_whose_lines_could_not_be_counted_are_missing(logs: Path, tmp_path: Path) -> None:
    path = logs / "a.ndjson"
    run = audited([path], tmp_path / "out", Here(lambda call: "count" in call.name and "start=30000" in repr(call)))
    present = [part.start for part in run.manifest.shards if part.summary is not None]
    assert present == [0, 30_000]
    assert len(run.manifest.missing) > 3
    alone = [to_json(verdict) for _, verdict in audited_alone([str(path)])]
    audited([path], tmp_path / "out")
    assert [to_json(verdict) for _, verdict in rows(tmp_path / "out")] == alone


def test_what_killed_workers_left_is_removed_and_nothing_else(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = audited([logs], out)
    name = first.manifest.shards[0].results
    (out / f"{name}.elsewhere-17-1.part").write_bytes(b"PAR1")
    (out / "0123.parquet.elsewhere-17-1.part").write_bytes(b"of another run")
    (out / "0123.parquet").write_bytes(b"of another input")
    (out / "notes.txt").write_bytes(b"mine")
    again = audited([logs], out)
    names = set(contents(out))
    assert f"{name}.elsewhere-17-1.part" not in names
    assert names >= {"0123.parquet.elsewhere-17-1.part", "0123.parquet", "notes.txt"}
    assert again.others == ["0123.parquet"]


def test_results_that_only_a_worker_sees_are_missing(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = work.audit

    def elsewhere(shard: Shard, line_feeds_before: int, by: Auditor, folder: str) -> Summary:
        return genuine(shard, line_feeds_before, by, str(tmp_path / "its-own"))

    (tmp_path / "its-own").mkdir()
    monkeypatch.setattr(work, "audit", elsewhere)
    run = audited([logs / "c.json"], tmp_path / "out")
    assert [part.missing for part in run.manifest.shards if "the same on all machines" in str(part.missing)]


def test_a_worker_with_another_auditor_refuses(logs: Path, tmp_path: Path) -> None:
    [shard] = running.planned([str(logs / "c.json")], str(tmp_path))
    with pytest.raises(CannotAudit, match=r"expected a worker with auditor 9\.9\.9"):
        work.audit(shard, 0, Auditor("9.9.9", "sha256:9"), str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_with_another_auditor_is_refused() -> None:
    assert running.require_same(Here(), "tcp://x", work.who()) == 1
    with pytest.raises(CannotAudit, match=r"tcp://x: expected auditor 9\.9\.9 .* at the scheduler"):
        running.require_same(Here(), "tcp://x", Auditor("9.9.9", "sha256:9"))


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (Auditor("9.9.9", "sha256:9"), r"found 9\.9\.9 \(9\) at"),
        (ImportError("no auditor"), "found ImportError: no auditor at"),
    ],
)
def test_one_worker_with_another_auditor_is_named(answer: object, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Here, "workers", lambda self, function: {"tcp://one": function(), "tcp://two": answer})
    with pytest.raises(CannotAudit, match=f"on all machines, {what} tcp://two"):
        running.require_same(Here(), "tcp://x", work.who())


# --- What is none, or damaged -----------------------------------------------------------------------------------------


@pytest.fixture
def result(logs: Path, tmp_path: Path) -> Path:
    run = audited([logs / "c.json"], tmp_path / "out")
    return tmp_path / "out" / run.manifest.shards[0].results


def read(path: Path) -> None:
    list(results.rows_of(str(path), work.who()))


def test_a_damaged_byte_changes_no_row(result: Path) -> None:
    """It is noticed, or stands where no row is read from."""
    data = result.read_bytes()
    genuine = list(results.rows_of(str(result), work.who()))
    refused = 0
    places = range(0, len(data), 997)
    for at in places:
        result.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        try:
            assert list(results.rows_of(str(result), work.who())) == genuine
        except CannotAudit:
            refused += 1
    assert refused > len(places) / 2


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_refused(result: Path, share: float) -> None:
    data = result.read_bytes()
    result.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(CannotAudit, match="none or is damaged"):
        read(result)


def test_a_damaged_result_stops_its_shard_and_is_not_replaced(logs: Path, result: Path) -> None:
    result.write_bytes(b"PAR1")
    run = audited([logs / "c.json"], result.parent)
    assert "none or is damaged" in str(run.manifest.missing[0].missing)
    assert result.read_bytes() == b"PAR1"


def test_another_parquet_file_is_refused(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(CannotAudit, match="found another Parquet file"):
        read(tmp_path / "a.parquet")


def changed(path: Path, column: str, values: list[object]) -> None:
    """The same file with other values in a column, as somebody writes it who means it."""
    with parquet.ParquetFile(path) as file:
        table, head = file.read(), (file.metadata.metadata or {})[b"auditor"]
    at = table.column_names.index(column)
    table = table.set_column(at, table.schema.field(at), pyarrow.array(values, table.schema.field(at).type))
    parquet.write_table(table.replace_schema_metadata({b"auditor": head}), path)


def test_a_log_that_is_not_the_one_of_its_digest_is_refused(result: Path) -> None:
    logs = parquet.read_table(result)["log"].to_pylist()
    changed(result, "log", logs)
    read(result)
    changed(result, "log", [logs[1], *logs[1:]])
    with pytest.raises(CannotAudit, match="expected the log sha256:"):
        read(result)


def test_facts_that_are_none_are_refused(result: Path) -> None:
    facts = parquet.read_table(result)["facts"].to_pylist()
    changed(result, "facts", [b"\xc1", *facts[1:]])
    with pytest.raises(CannotAudit, match="damaged row"):
        read(result)


def test_results_of_another_auditor_are_refused(result: Path) -> None:
    with pytest.raises(CannotAudit, match=r"expected results of this auditor, 9\.9\.9"):
        list(results.rows_of(str(result), Auditor("9.9.9", "sha256:9")))
