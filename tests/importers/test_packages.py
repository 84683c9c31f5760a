"""An importer of another package works like the auditor's own, and one that cannot be used is told in one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from auditor.cli import main
from auditor.importers import OWN, importers

from .conftest import PROJECT, Install

ROOT = PROJECT.parent.parent.parent
NOTES = PROJECT / "club.txt"

SOUND = """
from auditor.importers.contract import Imported, Importer
def matches(source):
    yield {body}
IMPORTER = Importer("{name}", {{"en": "a toy", "ar": "لعبة"}}, matches)
"""


def complaint(*words: str) -> str:
    result = CliRunner().invoke(main, words, prog_name="auditor")
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    return line


def test_it_is_one_module() -> None:
    files = {path.name for path in PROJECT.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert files == {"pyproject.toml", "stone_notes.py", "club.txt"}


def test_it_stands_among_the_importers(stone_notes: Path) -> None:
    assert [*importers()] == [*(importer.name for importer in OWN), "stone-notes"]
    listed = CliRunner().invoke(main, ["import", "--list"]).output.splitlines()
    assert listed[-1] == "stone-notes three stones as our club writes them down, a line a match"


def test_without_its_package_it_does_not() -> None:
    assert [*importers()] == [importer.name for importer in OWN] == ["events", "table"]
    result = CliRunner().invoke(main, ["import", "stone-notes", str(NOTES)])
    assert result.exit_code == 2
    assert "'stone-notes' is not one of 'events', 'table'" in result.output


def test_no_line_of_the_auditor_knows_it() -> None:
    for path in (ROOT / "auditor").rglob("*.py"):
        assert "stone_notes" not in path.read_text(encoding="utf-8"), path


def test_its_matches_and_losses(stone_notes: Path) -> None:
    result = CliRunner().invoke(main, ["import", "stone-notes", str(NOTES)], prog_name="auditor")
    assert result.exit_code == 1
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    assert [document["match"] for document in documents] == ["K-7", "K-8"]
    assert documents[0]["events"][:2] == [{"type": "round", "first": 1}, {"type": "place", "seat": 1, "point": "b2"}]
    name = str(NOTES)
    assert result.stderr.splitlines() == [
        "imported: matches 2, events 13, read 4, left out 1",
        "could not be carried over:",
        f"  a remark ×1: {name}:2, match K-8, (she thought long)",
        f"  a line that is no note of a match ×1: {name}:3",
        f"  not the form of a match log ×1: {name}:4, match K-9, /events/2/type, "
        'Expected round, place, move, score, result, note; found "resigns".',
    ]


@pytest.mark.parametrize(
    ("package", "text", "expected"),
    [
        ("lost_1", "import no_such_thing", "ModuleNotFoundError"),
        ("lost_2", "1 +\n\n", "SyntaxError: "),
        ("lost_3", "raise ValueError('a\\nb\\x1b[31m')", r"ValueError: a\u000ab\u001b[31m"),
        ("lost_4", "", "AttributeError: "),
        ("lost_5", "IMPORTER = 1", "expected the record of the importer toy at lost_5:IMPORTER, found 1"),
        ("lost_6", SOUND.format(name="other", body="1"), "expected the record of the importer toy"),
    ],
)
def test_a_broken_importer_is_told_in_one_line(package: str, text: str, expected: str, install: Install) -> None:
    (install({"toy": f"{package}:IMPORTER"}) / f"{package}.py").write_text(text, encoding="utf-8")
    for words in (["import", "--list"], ["import", "events", "x.ndjson"]):
        line = complaint(*words)
        assert expected in line
        assert f"{package}:IMPORTER" in line


@pytest.mark.parametrize(
    ("package", "body", "expected"),
    [
        ("bad_1", "1", "the importer toy gave 1: expected a match or a loss"),
        ("bad_2", "None + 1", "the importer toy (bad_2:IMPORTER) cannot be used: TypeError: "),
        ("bad_3", "Imported({'events': object()}, ('x', 1))", "cannot be used: TypeError: "),
        ("bad_4", "Imported({}, 'x')", "cannot be used: "),
    ],
)
def test_an_importer_that_fails_at_work_is_told_in_one_line(
    package: str, body: str, expected: str, install: Install
) -> None:
    (install({"toy": f"{package}:IMPORTER"}) / f"{package}.py").write_text(
        SOUND.format(name="toy", body=body), encoding="utf-8"
    )
    assert expected in complaint("import", "toy", "x")


def test_the_name_of_one_of_our_own_importers_is_taken(install: Install) -> None:
    install({"table": "x:IMPORTER"})
    assert "the importer table (x:IMPORTER) has the name of one that the auditor has itself" in complaint(
        "import", "--list"
    )


def test_two_packages_with_one_importer(install: Install) -> None:
    install({"toy": "one:IMPORTER"})
    install({"toy": "two:IMPORTER"}, "other")
    assert complaint("import", "--list") == (
        "auditor: two packages bring the importer toy: one:IMPORTER and two:IMPORTER"
    )


def test_other_commands_do_not_ask_for_importers(install: Install) -> None:
    install({"toy": "not_there:IMPORTER"})
    assert CliRunner().invoke(main, ["rules", "three-stones"]).exit_code == 0


# --- The page -------------------------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "importing.md"


@pytest.mark.parametrize("file", ["pyproject.toml", "stone_notes.py", "club.txt"])
def test_the_page_shows_the_file_as_it_is(file: str) -> None:
    """All of it, in its order, in one block or several; blank lines do not count."""
    from tests.test_docs import blocks

    shown = [line for block in blocks(PAGE) if block.name == file for line in block.lines if line]
    assert shown == [line for line in (PROJECT / file).read_text(encoding="utf-8").splitlines() if line]


def test_the_page_shows_what_it_prints(stone_notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.test_docs import Shell, blocks

    shutil.copy(NOTES, tmp_path)
    monkeypatch.chdir(tmp_path)
    consoles = [block for block in blocks(PAGE) if block.language == "sh"]
    assert len(consoles) == 2
    for console in consoles:
        Shell().check(console.lines)
