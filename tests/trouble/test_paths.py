"""Folders that loop, names that lead elsewhere, files that change while they are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auditor import log
from auditor.desks import outfile
from auditor.errors import CannotAudit
from auditor.games import FORMS
from tests.reader.builders import lines, text
from tests.trouble import processes


def names(*paths: str) -> list[str]:
    """The files that logs were read from."""
    return [entry.place.file for entry in log.read(paths, FORMS)]


@pytest.fixture
def loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with several links that lead back up: to follow them all again and again has no end."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs" / "a" / "b").mkdir(parents=True)
    (tmp_path / "logs" / "a" / "b" / "x.json").write_bytes(text("x"))
    (tmp_path / "logs" / "y.json").write_bytes(text("y"))
    for number in range(4):
        os.symlink("..", tmp_path / "logs" / "a" / f"up-{number}")
        os.symlink("../..", tmp_path / "logs" / "a" / "b" / f"top-{number}")
        os.symlink(".", tmp_path / "logs" / f"self-{number}")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("logs/**/*.json", ["logs/a/b/x.json", "logs/y.json"]),
        ("**/x.json", ["logs/a/b/x.json"]),
        ("logs/**", ["logs/a/b/x.json", "logs/y.json"]),
        ("logs/**/b/**/*.json", ["logs/a/b/top-0/y.json", "logs/a/b/x.json"]),
        ("logs/*/b/*.json", ["logs/a/b/x.json"]),
        ("./**/y.json", ["./logs/y.json"]),
    ],
)
def test_a_pattern_goes_into_each_folder_once(loops: Path, pattern: str, found: list[str]) -> None:
    assert names(pattern) == found


def test_a_folder_of_loops_is_read_once(loops: Path) -> None:
    assert names("logs") == ["logs/a/b/x.json", "logs/y.json"]


def test_what_is_written_to_a_file_while_it_is_read_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(lines("a", "b"))
    found = []
    for entry in log.read([str(path)], FORMS):
        assert isinstance(entry, log.Log)
        found.append(entry.match.match)
        if len(found) < 4:
            with path.open("ab") as file:
                file.write(lines(f"more-{len(found)}"))
    assert found == ["a", "b", "more-1", "more-2", "more-3"]


def test_a_file_that_is_cut_while_it_is_read_breaks_off_there(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(lines(*(f"m-{number}" for number in range(20_000))))
    entries = log.read([str(path)], FORMS)
    assert isinstance(next(entries), log.Log)
    os.truncate(path, 100)
    rest = list(entries)
    assert all(isinstance(entry, log.Log) for entry in rest[:-1])
    assert isinstance(rest[-1], log.Unreadable)
    assert rest[-1].is_cut_short


@pytest.mark.parametrize("settings", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_arabic_names_in_a_terminal_that_knows_none(settings: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "سجل.ndjson").write_bytes(lines("a"))
    code, output, errors = processes.said("audit", "سجل.ndjson", "--db", "قاعدة.db", cwd=tmp_path, env=settings)
    assert (code, errors) == (1, "قاعدة.db: 1 new matches, 1 new verdicts of 1 read\n")
    assert "سجل.ndjson:1" in output
    code, _, errors = processes.said("audit", "غائب.ndjson", cwd=tmp_path, env=settings)
    assert (code, errors) == (2, "auditor: غائب.ndjson: The file was not read: no file is called so.\n")


def test_a_name_that_leads_elsewhere_is_not_written_through(tmp_path: Path) -> None:
    """Links that lie where the half-done output will lie lose nothing of what they lead to."""
    (tmp_path / "kept").write_bytes(b"kept")
    (tmp_path / "log.json").write_bytes(text("a"))
    for suffix in ("lock", "part"):
        os.symlink("kept", tmp_path / f".case.zip.{suffix}")
    code, _, _ = processes.said("case", "make", "log.json", "-o", "case.zip", cwd=tmp_path)
    assert code == 0
    assert (tmp_path / "kept").read_bytes() == b"kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["case.zip", "kept", "log.json"]


@pytest.mark.parametrize("name", ["case", "case.zip"])
def test_what_a_killed_run_left_is_gone_after_the_next_one(name: str, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_bytes(text("a"))
    (tmp_path / f".{name}.lock").touch()
    if name.endswith(".zip"):
        (tmp_path / f".{name}.part").write_bytes(b"half")
    else:
        (tmp_path / f".{name}.part" / "logs").mkdir(parents=True)
    code, _, _ = processes.said("case", "make", "log.json", "-o", name, cwd=tmp_path)
    assert code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "log.json"])


def test_a_file_that_another_run_is_writing_is_left_to_it(tmp_path: Path) -> None:
    with outfile.whole(tmp_path / "out.json") as stream:
        stream.write(b"first")
        with pytest.raises(CannotAudit, match="another run"):
            outfile.write_whole(tmp_path / "out.json", b"second")
    assert (tmp_path / "out.json").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
