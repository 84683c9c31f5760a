"""A database whose bytes have changed: it is said in one line, the file stays, and no page takes the service down."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from auditor import generate
from auditor.errors import CannotAudit
from auditor.games import GAMES
from auditor.store import Store
from tests.desks.played import Document, named, run, write
from tests.web import serving

PAGE = 4096
MATCH = "M-0"


def documents() -> list[Document]:
    """Two of each ruleset, each with an id of its own."""
    made = [document for game in GAMES.values() for document in generate.matches(game, 2, 4)]
    return [named(document, f"M-{number}") for number, document in enumerate(made)]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("logs") / "logs.ndjson", *documents())


@pytest.fixture(scope="module")
def whole(logs: Path) -> bytes:
    path = logs.with_name("whole.db")
    assert run("audit", logs, "--db", path, "-q").exit_code == 0
    return path.read_bytes()


def _bits(data: bytes, chance: Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(chance.choice([1, 20, 300])):
        damaged[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def _pages(data: bytes, chance: Random) -> bytes:
    start = chance.randrange(1, len(data) // PAGE) * PAGE
    return data[:start] + chance.randbytes(PAGE) + data[start + PAGE :]


def _zeros(data: bytes, chance: Random) -> bytes:
    start = chance.randrange(1, len(data) // PAGE - 3) * PAGE
    return data[:start] + bytes(3 * PAGE) + data[start + 3 * PAGE :]


def _cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(1, len(data))]


def _head(data: bytes, chance: Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(3):
        damaged[chance.randrange(16, 100)] = chance.randrange(256)
    return bytes(damaged)


WAYS: list[Callable[[bytes, Random], bytes]] = [_bits, _pages, _zeros, _cut, _head]


@pytest.mark.parametrize("way", WAYS)
def test_a_damaged_database_is_told_of_in_one_line_and_stays(
    way: Callable[[bytes, Random], bytes], whole: bytes, logs: Path, tmp_path: Path
) -> None:
    """What is not reached by the damage works as before; nothing else is allowed but one line and exit code 2."""
    refused = 0
    for seed in range(8):
        damaged = way(whole, Random(seed))
        for command in (("audit", logs, "-q", "--db"), ("extract",), ("publish", "-o", tmp_path / "archive")):
            path = tmp_path / "audit.db"
            for old in tmp_path.glob("audit.db*"):
                old.unlink()
            path.write_bytes(damaged)
            result = run(*command, path, *([MATCH] if command[0] == "extract" else []))
            if result.exit_code == 2:
                refused += 1
                assert result.stderr.count("\n") == 1, result.stderr
                assert result.stderr.startswith("auditor: ")
                assert path.stat().st_size >= len(damaged)
                assert not (tmp_path / "archive").exists()
            shutil.rmtree(tmp_path / "archive", ignore_errors=True)
    assert refused > 0


def test_a_single_changed_bit_of_a_stored_log_or_verdict_is_found(whole: bytes, tmp_path: Path) -> None:
    """Wherever in it: what is packed has a sum of its own. (One bit of its fifth byte means nothing.)"""
    path = tmp_path / "audit.db"
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection, connection:
        (log,) = connection.execute("select json from logs where match = 1").fetchone()
        (facts,) = connection.execute("select facts from documents where match = 1").fetchone()
        (digest,) = connection.execute("select digest from matches where id = 1").fetchone()
    for at in range(5, len(log), max(1, len(log) // 50)):
        _put(path, "update logs set json = ? where match = 1", _changed(log, at))
        with Store.look(path) as store:
            with pytest.raises(CannotAudit, match="damaged"):
                store.log(digest)
            with pytest.raises(CannotAudit, match="damaged"):
                list(store.all_logs())
    _put(path, "update logs set json = ? where match = 1", log)
    with Store.look(path) as store:
        (by,) = store.auditors()
        for at in range(5, len(facts), max(1, len(facts) // 50)):
            _put(path, "update documents set facts = ? where match = 1", _changed(facts, at))
            with pytest.raises(CannotAudit, match="damaged"):
                store.known(digest, by)


@pytest.mark.parametrize("stored", [7, "text", b"", b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8])
def test_what_is_no_packed_log_at_all_is_damaged_too(stored: object, whole: bytes, tmp_path: Path) -> None:
    """The last one says of itself that it is larger than any memory."""
    path = tmp_path / "audit.db"
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("pragma writable_schema = on")
        connection.execute("update sqlite_schema set sql = replace(sql, ') STRICT', ')') where name = 'logs'")
    _put(path, "update logs set json = ? where match = 1", stored)
    with Store.look(path) as store, pytest.raises(CannotAudit, match="damaged"):
        list(store.all_logs())


def _changed(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]


def _put(path: Path, statement: str, value: object) -> None:
    """As a disk would that changes what it was given: past the triggers that keep what is stored as it is."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for (name,) in connection.execute("select name from sqlite_schema where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger [{name}]")
        connection.execute(statement, (value,))


def test_pages_of_a_damaged_database_say_so_and_the_others_are_shown(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection, connection:
        (log,) = connection.execute("select json from logs where match = 1").fetchone()
        digests = [digest for (digest,) in connection.execute("select digest from matches order by id limit 2")]
    _put(path, "update logs set json = ? where match = 1", _changed(log, len(log) // 2))
    paths = [f"/-/auditor/match/{digest.removeprefix('sha256:')}" for digest in digests]
    damaged, other = serving.answers(path, *paths)
    assert (damaged.status_code, other.status_code) == (500, 200)
    assert "Traceback" not in damaged.text
