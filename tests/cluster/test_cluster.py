"""A real cluster of two workers: what is killed loses and doubles nothing."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.cluster import manifest
from auditor.cluster.engine import Call, engine
from auditor.cluster.storage import package
from auditor.errors import CannotAudit
from auditor.store import Store
from tests.cluster.deadly import MOMENTS
from tests.cluster.helpers import audited, mixed
from tests.desks.played import run

DISTRIBUTED = package("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with DISTRIBUTED.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
        preload=["tests.cluster.deadly"],
    ) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed(tmp_path_factory.mktemp("cluster") / "logs")


def workers(cluster: Any) -> set[int]:
    with DISTRIBUTED.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        return set(client.run(os.getpid).values())


def test_workers_that_are_killed_lose_and_double_nothing(
    cluster: Any, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.cluster.shards.RANGE_BYTES", 30_000)
    out = tmp_path / "out"
    out.mkdir()
    for moment in MOMENTS:
        (out / moment).touch()
    before = workers(cluster)
    result = run("audit", logs, "--cluster", cluster.scheduler_address, "-o", f"deadly://{out}")
    assert result.exit_code == 2, result.output  # one of the files is none of logs
    assert "d.json: " in result.stderr
    assert [moment for moment in MOMENTS if (out / moment).exists()] == []
    assert len(workers(cluster) - before) == 2

    listed = manifest.read(str(out))
    assert listed is not None
    assert listed.missing == []
    assert {path.name for path in out.iterdir()} == {"manifest.json", *(part.results for part in listed.shards)}
    audited([logs], tmp_path / "here")  # by nobody who is killed
    for part in listed.shards:
        assert (out / part.results).read_bytes() == (tmp_path / "here" / part.results).read_bytes()

    alone = run("audit", logs, "--db", tmp_path / "alone.db", "-q")
    assert result.stdout.splitlines()[-1] == alone.stdout.splitlines()[-1]
    assert run("load", out, "--db", tmp_path / "audit.db").exit_code == 0
    with Store.look(tmp_path / "alone.db") as store:
        assert set(store.differing_tables(tmp_path / "audit.db")) <= {"runs"}


@pytest.mark.parametrize(("name", "options", "code"), [("c.json", (), 0), ("c.json", ("--lang", "ar"), 0)])
def test_a_second_run_finds_all_there(
    cluster: Any, logs: Path, tmp_path: Path, name: str, options: tuple[str, ...], code: int
) -> None:
    address = cluster.scheduler_address
    first = run("audit", logs / name, "--cluster", address, "-o", tmp_path / "out", *options)
    again = run("audit", logs / name, "--cluster", address, "-o", tmp_path / "out", *options)
    assert (first.exit_code, again.exit_code) == (code, code)
    assert first.stdout == again.stdout
    assert first.stderr != again.stderr


def test_findings_make_the_exit_code(cluster: Any, logs: Path, tmp_path: Path) -> None:
    options = ("--cluster", cluster.scheduler_address, "-o", tmp_path / "out")
    assert run("audit", logs / "a.ndjson", *options).exit_code == 1
    assert run("audit", logs / "a.ndjson", *options, "--fail-on", "none").exit_code == 0


def test_a_link_that_leads_nowhere_is_said_and_the_rest_is_audited(
    cluster: Any, logs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "c.json").symlink_to(logs / "c.json")
    (tmp_path / "in" / "gone.json").symlink_to("nowhere")
    result = run("audit", tmp_path / "in", "--cluster", cluster.scheduler_address, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert "gone.json" in result.stderr
    listed = manifest.read(str(tmp_path / "out"))
    assert listed is not None
    assert [part.missing is None for part in listed.shards] == [True, False]


def fail() -> None:
    raise OSError("no storage here")


def test_more_calls_than_fit_at_a_time_are_all_answered(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.cluster.engine._LEAST_AHEAD", 3)
    monkeypatch.setattr("auditor.cluster.engine._AHEAD_PER_THREAD", 1)
    with engine(cluster.scheduler_address) as there:
        assert len(set(there.workers(os.getpid).values())) == 2
        assert [repr(error) for error in there.workers(fail).values()] == ["OSError('no storage here')"] * 2
        answers = dict(there.answers(Call(f"test-{number}", abs, (-number,)) for number in range(40)))
        assert answers == {number: number for number in range(40)}
        [(number, error)] = there.answers([Call("test-fails", fail, ())])
        assert (number, repr(error)) == (0, "OSError('no storage here')")
        assert list(there.answers([])) == []


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "no-such-scheme://x", "local:0"])
def test_no_scheduler_is_said(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.cluster.engine._PATIENCE_SECONDS", 1)
    with pytest.raises(CannotAudit, match="expected a Dask scheduler"), engine(address):
        pass


@pytest.mark.parametrize(
    "options",
    [
        ("--cluster", "local:1"),
        ("-o", "out"),
        ("--cluster", "local:1", "-o", "out", "--db", "audit.db"),
        ("--cluster", "local:1", "-o", "out", "--format", "ndjson"),
        ("--cluster", "local:1", "-o", "out", "--workers", "2"),
    ],
)
def test_options_that_do_not_go_together_are_refused(logs: Path, options: tuple[str, ...]) -> None:
    result = run("audit", logs, *options)
    assert result.exit_code == 2
    assert "--cluster" in result.stderr
