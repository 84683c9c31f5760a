"""Several processes say what one says, in the same order, and what dies takes nothing with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import struct
import subprocess
from collections.abc import Iterator
from concurrent.futures import process
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard

from auditor import portions, workers
from auditor.audit import Entry, verdict_on
from auditor.audit import audited as audited_alone
from auditor.errors import Place
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.portions import Portion
from auditor.sources import Document
from auditor.store import Preparer, Store, stored_before
from auditor.verdict import Verdict, from_facts, to_facts, to_json
from auditor.workers import audited
from tests.desks.played import FIXTURES, matches, run
from tests.trouble import processes

_AUDIT = workers._audit
_DEADLY = b"three-stones-11:2"


class Whole(msgspec.Struct, frozen=True, array_like=True):
    """All that can be told of a document."""

    place: Place
    canonical: bytes | None
    verdict: bytes
    messages: list[str]
    is_known: bool


class Tell:
    """Tells the whole."""

    kind = Whole

    def __call__(self, entry: Entry, verdict: Verdict, is_known: bool) -> Whole:
        canonical = entry.canonical if isinstance(entry, Log) else None
        messages = [finding.message(verdict.ruleset, "ar") for finding in verdict.findings]
        return Whole(entry.place, canonical, to_json(verdict), messages, is_known)


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a little input be shared out among processes."""
    monkeypatch.setattr(workers, "_WORTH_BYTES", 1)
    monkeypatch.setattr(portions, "PORTION_BYTES", 60_000)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every kind of file: lines, packed lines, an array, rubbish, and what breaks off."""
    folder = tmp_path_factory.mktemp("mixed")
    documents = [document for ruleset in GAMES for document in matches(ruleset, 3)]
    lines = b"".join(msgspec.json.encode(document) + b"\n" for document in documents)
    (folder / "a.ndjson").write_bytes(lines + b"rubbish\n\n" + lines[:5000])
    (folder / "b.ndjson.zst").write_bytes(zstandard.compress(lines)[:-200])
    (folder / "c.json").write_bytes(msgspec.json.encode(documents[:9]))
    (folder / "d.json").write_bytes(b"SQLite format 3\0 and more")
    return folder


def no_loss(place: Place) -> None:
    raise AssertionError(f"a document was lost: {place}")


def told(path: Path, count: int) -> Iterator[Whole]:
    return audited([str(path)], count, no_loss, Tell())


def test_two_processes_say_what_one_says(mixed: Path) -> None:
    alone = list(told(mixed, 1))
    assert len(alone) > 50
    assert list(told(mixed, 2)) == alone
    expected = [(entry.place, to_json(verdict)) for entry, verdict in audited_alone([str(mixed)])]
    assert [(each.place, each.verdict) for each in alone] == expected


@pytest.mark.parametrize("options", [("--lang", "ar"), ("--format", "ndjson"), ("--format", "sarif"), ("--quiet",)])
def test_the_program_prints_the_same(options: tuple[str, ...]) -> None:
    one = run("audit", FIXTURES, "--workers", "1", *options)
    two = run("audit", FIXTURES, "--workers", "2", *options)
    assert (two.exit_code, two.output) == (one.exit_code, one.output)


def test_the_database_is_the_same(mixed: Path, tmp_path: Path) -> None:
    for count in "12":
        assert run("audit", mixed, "--workers", count, "--db", tmp_path / f"{count}.db", "-q").exit_code == 2
    with Store.look(tmp_path / "1.db") as one:
        assert one.differing_tables(tmp_path / "2.db") in ([], ["runs"])  # runs tell when they were made


def kill_a_worker() -> None:
    for child in multiprocessing.active_children():
        if child.pid is not None:
            os.kill(child.pid, signal.SIGKILL)
            return


@pytest.mark.parametrize("moment", [0, 1, 5])
def test_a_killed_worker_loses_nothing(mixed: Path, moment: int) -> None:
    alone = list(told(mixed, 1))
    found = []
    for number, row in enumerate(told(mixed, 2)):
        if number == moment:
            kill_a_worker()
        found.append(row)
    assert found == alone


def is_deadly(portion: Portion) -> bool:
    return any(isinstance(found, Document) and _DEADLY in found.data[:300] for found in portions.documents(portion))


def audit_or_die_in_the_middle_of_an_answer(died: Path, portion: Portion, *task: Any) -> bytes:
    """Runs in a worker: the first process that has this document tells half of what it has to say."""
    if is_deadly(portion) and not died.exists():
        died.touch()

        def half(results: Any, *_: object, **__: object) -> None:
            with results._wlock:
                os.write(results._writer.fileno(), struct.pack("!i", 1000) + b"half")
                os.kill(os.getpid(), signal.SIGKILL)

        process._sendback_result = half  # type: ignore[assignment]
    return _AUDIT(portion, *task)


def test_a_worker_that_is_killed_while_it_answers_loses_nothing(
    mixed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    alone = list(told(mixed, 1))
    died = tmp_path / "died"
    monkeypatch.setattr(workers, "_PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(workers, "_audit", partial(audit_or_die_in_the_middle_of_an_answer, died))
    assert list(told(mixed, 2)) == alone
    assert died.exists()


def audit_when_it_is_gone(path: Path, portion: Portion, *task: Any) -> bytes:
    """Runs in a worker: another file has taken the place of the input before anything of it is read here."""
    with suppress(FileNotFoundError):
        path.rename(path.with_suffix(".old"))
    path.write_bytes(b"{}\n")
    return _AUDIT(portion, *task)


def test_an_input_that_is_replaced_meanwhile_is_read_to_its_end(
    mixed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "logs.ndjson"
    path.write_bytes((mixed / "a.ndjson").read_bytes())
    alone = list(told(path, 1))
    monkeypatch.setattr(workers, "_audit", partial(audit_when_it_is_gone, path))
    assert list(told(path, 2)) == alone
    assert path.read_bytes() == b"{}\n"


def audit_or_die(portion: Portion, *task: Any) -> bytes:
    """Runs in a worker: one document kills the process."""
    if is_deadly(portion):
        os.kill(os.getpid(), signal.SIGKILL)
    return _AUDIT(portion, *task)


def test_a_document_that_kills_is_named_and_all_others_are_stored(
    mixed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = mixed / "a.ndjson"
    digests = {entry.place.line: verdict.log_digest for entry, verdict in audited_alone([str(path)])}
    deadly = 1 + next(number for number, line in enumerate(path.read_bytes().splitlines()) if _DEADLY in line[:300])
    monkeypatch.setattr(workers, "_audit", audit_or_die)
    result = run("audit", path, "--workers", "2", "--db", tmp_path / "audit.db", "-q")
    assert result.exit_code == 2
    assert f"a.ndjson:{deadly}," in result.output
    with Store.look(tmp_path / "audit.db") as store:
        stored = set(store.digests())
    assert digests[deadly] not in stored
    assert stored == {digest for line, digest in digests.items() if digest is not None and line != deadly}


# --- What is known already --------------------------------------------------------------------------------------------


def refuse(*_: object) -> None:
    raise AssertionError("it was audited again")


@pytest.mark.parametrize("options", [("--lang", "ar"), ("--format", "ndjson"), ("--format", "junit")])
def test_what_the_database_knows_is_told_from_there(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    database = tmp_path / "audit.db"
    first = run("audit", FIXTURES, mixed, "--workers", "1", "--db", database, *options)
    monkeypatch.setattr("auditor.audit.replay", refuse)
    second = run("audit", FIXTURES, mixed, "--workers", "1", "--db", database, *options)
    assert second.exit_code == first.exit_code
    assert second.stdout == first.stdout
    nothing_new = "مباريات جديدة: 0، نتائج جديدة: 0" if "ar" in options else " 0 new matches, 0 new verdicts"
    assert nothing_new in second.stderr
    with pytest.raises(AssertionError, match="audited again"):
        run("audit", FIXTURES, "--workers", "1", "--db", database, "--again")


def test_asking_the_database_leaves_it_to_no_other_process(tmp_path: Path) -> None:
    """What a process has looked up in its own database must not drop the locks that it has on it."""
    database = tmp_path / "audit.db"
    one, *others = [msgspec.json.encode(document) + b"\n" for document in matches("three-stones", 6)]
    (tmp_path / "one.ndjson").write_bytes(one)
    loader = processes.started(
        *("audit", "-", "--db", str(database), "--format", "ndjson", "--workers", "1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert loader.stdin is not None
    assert loader.stdout is not None
    loader.stdin.write(others[0])
    loader.stdin.flush()
    assert b'"status"' in loader.stdout.readline()  # by now it has asked
    run("audit", tmp_path / "one.ndjson", "--db", database)
    assert (tmp_path / "audit.db-wal").exists()  # or whoever comes next would not see what the loader writes
    loader.communicate(b"".join(others[1:]), timeout=60)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("select count(*) from matches").fetchone() == (6,)
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


def test_what_the_database_has_counts_like_any_other() -> None:
    """So that what is written together does not depend on it."""
    log = read_bytes(msgspec.json.encode(next(iter(matches("three-stones", 1)))), FORMS)
    assert isinstance(log, Log)
    assert stored_before(log).size == Preparer().prepared(log, verdict_on(log)).size > 0


def test_another_auditor_audits_again(mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "audit.db"
    run("audit", mixed, "--workers", "1", "--db", database)
    monkeypatch.setattr("auditor.cli.auditing.__version__", "9.9.9")
    run("audit", mixed, "--workers", "1", "--db", database)
    with Store.look(database) as store:
        assert len(store.auditors()) == 2
    monkeypatch.setattr("auditor.audit.replay", refuse)
    assert run("audit", mixed, "--workers", "1", "--db", database).exit_code == 2  # only the file that is none


def test_processes_ask_the_database_too(mixed: Path, tmp_path: Path) -> None:
    database = tmp_path / "audit.db"
    first = run("audit", mixed, "--workers", "2", "--db", database)
    with closing(sqlite3.connect(database)) as connection:  # a verdict that no audit gives
        packed = connection.execute("select facts from documents where match = 1").fetchone()[0]
        facts = to_facts(replace(from_facts(zstandard.decompress(packed)), totals=(77777, 0)))
        connection.execute("drop trigger documents_stay")
        connection.execute("update documents set facts = ? where match = 1", (zstandard.compress(facts),))
        connection.commit()
    second = run("audit", mixed, "--workers", "2", "--db", database)
    assert "77777" not in first.stdout
    assert "77777" in second.stdout


def test_a_database_of_an_earlier_schema_has_all_audited_once_more(mixed: Path, tmp_path: Path) -> None:
    database = tmp_path / "audit.db"
    run("audit", mixed, "--workers", "1", "--db", database)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("drop trigger documents_stay")
        connection.execute("update documents set facts = null")
        connection.commit()
    result = run("audit", mixed, "--workers", "1", "--db", database)
    assert " 0 new matches, 0 new verdicts" in result.stderr
