"""Files that are no audit database, and places where none can be written."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditor.errors import CannotAudit
from auditor.store import Store, require

from . import samples


def _other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table matches (id)")


def _text(path: Path) -> None:
    path.write_text('{"format": "match-log/1"}\n' * 20)


def _short(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


def _later_version(path: Path) -> None:
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 7")


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (_other_program, "found another program's SQLite database"),
        (_text, "found a file that is no SQLite database"),
        (_short, "found a file that is no SQLite database"),
        (_later_version, "expected schema 3 or an earlier one, found a later one, 7"),
    ],
)
def test_another_file_is_refused_and_left_as_it_is(path: Path, make: Callable[[Path], None], found: str) -> None:
    make(path)
    before = path.read_bytes()
    for use in (Store.open, require):
        with pytest.raises(CannotAudit, match=found) as refusal:
            use(path)
        assert str(path) in str(refusal.value)
        assert "\n" not in str(refusal.value)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_database_that_was_cut_short_is_refused_and_left_as_it_is(loaded: Path) -> None:
    whole = loaded.read_bytes()
    loaded.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CannotAudit, match="malformed"):
        Store.open(loaded)
    assert loaded.read_bytes() == whole[: len(whole) // 2]


def test_a_damaged_page_stops_the_load_in_one_line(loaded: Path) -> None:
    whole = loaded.read_bytes()
    loaded.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(CannotAudit, match="malformed"), Store.open(loaded) as store:
        store.load(samples.archive(12), samples.FIRST)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotAudit, match="expected an audit database, found: Is a directory"):
        Store.open(tmp_path)


def test_a_missing_folder_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(CannotAudit, match="expected a folder to make the database in"):
        Store.open(tmp_path / "nowhere" / "audit.db")
    assert os.listdir(tmp_path) == []


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    with Store.open(path) as store:
        assert store.load(samples.archive(3), samples.FIRST).matches == 3


def test_a_missing_file_is_no_database_to_show(path: Path) -> None:
    with pytest.raises(CannotAudit, match="expected an audit database, found: No such file"):
        require(path)
    assert not path.exists()


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that this process may not write to, even where the tests run as root."""
    # Not under tmp_path: the folders above that one are closed to whom root becomes here.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    as_root = os.geteuid() == 0
    if as_root:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if as_root:
            os.seteuid(0)
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows folders have no such permissions")
def test_a_read_only_folder_is_said_to_be_one(read_only_folder: Path) -> None:
    with pytest.raises(CannotAudit, match="unable to open database file"):
        Store.open(read_only_folder / "audit.db")
    assert os.listdir(read_only_folder) == []
