"""``auditor site``: whole or not at all, out of a database or out of logs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from auditor.cli import main
from auditor.site import writing
from tests.golden import FIXTURES
from tests.web import archives, pages

from . import sites

LOGS = [str(FIXTURES / f"{name}.json") for name in (pages.MATCHES[0], pages.MATCHES[-1])]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["site", *map(str, arguments)])


def test_logs_become_the_site_of_their_database(tmp_path: Path) -> None:
    database = tmp_path / "audit.db"
    CliRunner().invoke(main, ["audit", *LOGS, "--db", str(database)])
    assert run(*LOGS, "-o", tmp_path / "logs").exit_code == 0
    assert run(database, "-o", tmp_path / "database").exit_code == 0
    assert sites.files(tmp_path / "logs") == sites.files(tmp_path / "database")


def test_a_database_may_stand_beside_logs(tmp_path: Path) -> None:
    database = archives.of_documents(tmp_path / "audit.db", [archives.fixture(pages.MATCHES[1])])
    result = run(database, LOGS[0], "-o", tmp_path / "site")
    assert result.output.startswith(f"{tmp_path / 'site'}: matches: 2, pages: ")


@pytest.mark.parametrize(("language", "words"), [("en", "matches: 1, pages: "), ("ar", "المباريات: 1، الصفحات: ")])
def test_it_says_what_it_made(tmp_path: Path, language: str, words: str) -> None:
    result = run(LOGS[0], "-o", tmp_path / "site", "--lang", language)
    assert result.exit_code == 0
    assert words in result.output
    assert "index.html" in result.output


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    result = run(LOGS[0], "-o", tmp_path / "site")
    assert result.exit_code == 2
    assert "a site is never overwritten" in result.output
    assert list((tmp_path / "site").iterdir()) == []


def test_nothing_is_left_of_one_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_write_match", fail)
    result = run(LOGS[0], "-o", tmp_path / "site")
    assert result.exit_code == 2
    assert "No space left" in result.output
    assert list(tmp_path.iterdir()) == []


def test_where_no_log_can_be_read_the_input_is_named_and_the_first_fault(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    bad = tmp_path / "bad.ndjson"
    bad.write_bytes(b"no log\n{}\n")
    for name, said in (
        ("folder", "expected match logs, found none"),
        ("bad.ndjson", f"expected match logs, found none (2 unreadable; the first: {bad}:1, byte 0, /, log.syntax: "),
    ):
        result = run(tmp_path / name, "-o", tmp_path / "site")
        assert result.exit_code == 2
        assert result.output.startswith(f"auditor: {tmp_path / name}: {said}")


@pytest.mark.parametrize("content", [None, b"SQLite format 3\0" + bytes(200), b"no log"])
def test_what_holds_no_match_is_refused(tmp_path: Path, content: bytes | None) -> None:
    source = tmp_path / "source.json"
    if content is not None:
        source.write_bytes(content)
    result = run(source, "-o", tmp_path / "site")
    assert result.exit_code == 2
    assert "source.json" in result.output or "expected matches" in result.output
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "JavaScript:1"])
def test_an_address_that_would_run_is_refused(tmp_path: Path, address: str) -> None:
    result = run(LOGS[0], "-o", tmp_path / "site", "--data", address)
    assert result.exit_code == 2
    assert not (tmp_path / "site").exists()


def test_what_is_no_log_is_counted(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ndjson"
    bad.write_bytes(msgspec.json.encode(archives.fixture(pages.MATCHES[0])) + b"\n{}\n")
    assert run(bad, "-o", tmp_path / "site").exit_code == 0
    assert "in what is no match log" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
