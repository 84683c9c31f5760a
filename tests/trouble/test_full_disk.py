"""A disk that is full: it is said in one line, nothing half done stays, and what was stored before is there."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from auditor import generate
from auditor.games import GAMES
from auditor.store import Store
from tests.desks.played import named, run, write
from tests.store import samples
from tests.trouble import processes
from tests.web import wire

KILOBYTES = 1500


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with room for little."""
    disk = tmp_path / "small"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={KILOBYTES}k", "tmpfs", str(disk)]
    if sys.platform != "linux" or subprocess.run(["mount", *options], check=False, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path, left: int) -> None:
    """Leaves so many kilobytes."""
    free = os.statvfs(disk)
    (disk / "ballast").write_bytes(bytes(free.f_bavail * free.f_bsize - left * 1024))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 4 MB of short matches, more than one batch of them."""
    made = generate.matches(GAMES["three-stones"], 500, 2)
    documents = [named(document, f"M-{number}") for number, document in enumerate(made)]
    long = [note | {"text": os.urandom(1500).hex()} for note in [{"type": "note"}] * 2]
    for document in documents:
        document["events"] = [*document["events"], *long]
    return write(tmp_path_factory.mktemp("logs") / "logs.ndjson", *documents)


def complaint(code: int, errors: str) -> str:
    """The one line that is said, with exit code 2."""
    assert code == 2, errors
    assert errors.count("\n") == 1, errors
    assert errors.startswith("auditor: ")
    return errors


def test_a_load_keeps_whole_matches_and_goes_on_when_there_is_room(logs: Path, small: Path, tmp_path: Path) -> None:
    database = small / "audit.db"
    code, _, errors = processes.said("audit", logs, "--quiet", "--db", database)
    assert "full" in complaint(code, errors)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        matches, logs_kept, told = connection.execute(
            "select (select count(*) from matches), (select count(*) from logs), (select sum(matches) from runs)"
        ).fetchone()
    assert matches == logs_kept == told
    subprocess.run(["mount", "-o", "remount,size=100m", str(small)], check=True)
    code, _, errors = processes.said("audit", logs, "--quiet", "--db", database)
    assert (code, errors) == (
        0, f"{database}: {500 - matches} new matches, {500 - matches} new verdicts of 500 read\n",
    )  # fmt: skip
    assert run("audit", logs, "--quiet", "--db", tmp_path / "straight.db").exit_code == 0
    assert samples.content(database) == samples.content(tmp_path / "straight.db")


@pytest.mark.parametrize(
    ("command", "name", "left"),
    [
        (("publish", "-o"), "archive", KILOBYTES),
        (("publish", "-o"), "archive", 40),
        (("publish", "-o"), "archive", 0),
        (("case", "make", "--match", "M-1", "-o"), "case.zip", 8),
        (("case", "make", "--match", "M-1", "-o"), "case", 8),
        (("case", "make", "--match", "M-1", "-o"), "case", 0),
        (("check", "--update-baseline", "--reason", "it is new", "--baseline"), "baseline.json", 8),
    ],
)
def test_what_has_no_room_is_not_begun(command: tuple[str, ...], name: str, left: int, logs: Path, small: Path) -> None:
    fill(small, left)
    code, _, errors = processes.said(*command, small / name, logs)
    assert "No space left on device" in complaint(code, errors) or "full" in errors
    assert [path.name for path in small.iterdir()] == ["ballast"]


@pytest.mark.parametrize("form", ["text", "json", "ndjson", "junit"])
def test_an_output_that_is_full_is_told_of(form: str, logs: Path) -> None:
    with open("/dev/full", "wb") as full:
        run = processes.started("audit", logs, "--format", form, stdout=full)
        _, errors = run.communicate(timeout=120)
    assert "No space left on device" in complaint(run.returncode, errors.decode())


def test_an_upload_that_has_no_room_is_not_told_to_be_stored(logs: Path, small: Path) -> None:
    database = small / "audit.db"
    Store.open(database).close()

    async def posted() -> Any:
        async with wire.served(database, permissions={"auditor-store": True}) as datasette:
            await datasette.client.get("/-/auditor/runs")  # what it needs for itself is made
            fill(small, 100)
            body = b"".join(logs.read_bytes().splitlines(keepends=True)[:100])
            return await datasette.client.post(f"{wire.AUDIT}?store=1", content=body, headers=wire.NDJSON)

    answer = wire.run(posted)
    last = json.loads(answer.content.splitlines()[-1])
    assert (last["ok"], last["status"]) == (False, 503)
    (small / "ballast").unlink()
    with Store.look(database) as store:
        assert store.digests() == []
