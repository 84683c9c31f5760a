"""A game that cannot be used stops the auditor with one line that says which and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from auditor import schema
from auditor.cli import main
from auditor.errors import CannotAudit
from auditor.games import GAMES

from .conftest import PROJECT, Install

SOUND = {
    name: (PROJECT / "high_card" / name).read_text(encoding="utf-8")
    for name in ("__init__.py", "high-card.toml", "high-card.schema.json")
}


def put(site: Path, package: str, **changes: str | None) -> None:
    """The package high_card under another name, with other files in place of its own; ``None`` takes one away."""
    names = {"rules": "__init__.py", "rulebook": "high-card.toml", "schema": "high-card.schema.json"}
    (site / package).mkdir()
    for key, name in names.items():
        text = changes.get(key, SOUND[name])
        if text is not None:
            (site / package / name).write_text(text, encoding="utf-8")


def complaint(*words: str) -> str:
    result = CliRunner().invoke(main, words, prog_name="auditor")
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    return line


def test_a_sound_copy_is_fine(install: Install) -> None:
    put(install({"high-card": "high_card_0:GAME"}), "high_card_0")
    assert "high-card" in GAMES


@pytest.mark.parametrize(
    ("package", "changes", "expected"),
    [
        ("broken_1", {"rules": "import no_such_thing"}, "ModuleNotFoundError: No module named 'no_such_thing'"),
        ("broken_2", {"rules": "1 +\n\n"}, "SyntaxError: "),
        ("broken_3", {"rules": "raise ValueError('a\\nb\\x1b[31m')"}, r"ValueError: a\u000ab\u001b[31m"),
        ("broken_4", {"rules": "GAME = 1"}, "expected the record of the game high-card at broken_4:GAME, found 1"),
        ("broken_5", {"rules": ""}, "AttributeError: "),
        ("broken_6", {"rules": SOUND["__init__.py"].replace('"high-card"', '"low-card"')}, "found Game(id='low-card'"),
        ("broken_7", {"rulebook": None}, "FileNotFoundError: "),
        ("broken_8", {"rulebook": "[title"}, "TOMLDecodeError: "),
        ("broken_9", {"rulebook": "order = []\n[title]\nen = 'x'\n"}, "KeyError: 'entries'"),
        ("broken_10", {"rulebook": SOUND["high-card.toml"].replace('"show.turn",', '"show.trun",')}, "KeyError: "),
    ],
)  # fmt: skip
def test_a_broken_game_is_told_in_one_line(
    package: str, changes: dict[str, str | None], expected: str, install: Install
) -> None:
    put(install({"high-card": f"{package}:GAME"}), package, **changes)
    for words in (
        ["audit", "-", "--format", "ndjson"],
        ["rules"],
        ["rules", "three-stones"],
        ["generate", "three-stones"],
        ["explain", "x.json"],
    ):
        line = complaint(*words)
        assert line.startswith("auditor: ")
        assert expected in line
        assert f"{package}:GAME" in line


@pytest.mark.parametrize(
    ("package", "text", "expected"),
    [
        ("broken_11", None, "FileNotFoundError: "),
        ("broken_12", "{", "JSONDecodeError: "),
        ("broken_13", "{}", "ValueError: the schema has no $id"),
    ],
)
def test_a_broken_schema_is_told_where_it_is_needed(
    package: str, text: str | None, expected: str, install: Install
) -> None:
    put(install({"high-card": f"{package}:GAME"}), package, schema=text)
    assert expected in complaint("schema")
    with pytest.raises(CannotAudit, match=package):
        schema.shipped()


def test_a_package_that_is_not_there(install: Install) -> None:
    install({"high-card": "not_there:GAME"})
    assert "the game high-card (not_there:GAME) cannot be used: ModuleNotFoundError" in complaint("rules")


def test_an_entry_point_that_names_nothing(install: Install) -> None:
    install({"high-card": "not a name!"})
    assert "the game high-card (not a name!) cannot be used: " in complaint("rules")


def test_a_module_that_is_no_package_has_no_place_for_files(install: Install) -> None:
    site = install({"high-card": "lonely:GAME"})
    (site / "lonely.py").write_text(SOUND["__init__.py"], encoding="utf-8")
    assert "the game high-card (lonely:GAME) cannot be used: " in complaint("rules")


def test_a_game_in_a_module_of_a_package_has_its_files_there(install: Install) -> None:
    site = install({"high-card": "roomy.high:GAME"})
    put(site, "roomy", rules="")
    (site / "roomy" / "high.py").write_text(SOUND["__init__.py"], encoding="utf-8")
    assert GAMES["high-card"].id == "high-card"
    assert "high-card" in schema.shipped()


def test_the_id_of_one_of_our_own_games_is_taken(install: Install) -> None:
    install({"three-stones": "high_card:GAME"})
    assert "the game three-stones (high_card:GAME) has the id of a game that the auditor has itself" in complaint(
        "rules"
    )


def test_two_packages_with_one_game(install: Install) -> None:
    site = install({"high-card": "one:GAME"})
    other = site / "other-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n", encoding="utf-8")
    (other / "entry_points.txt").write_text("[auditor.games]\nhigh-card = two:GAME\n", encoding="utf-8")
    assert complaint("rules") == "auditor: two packages bring the game high-card: one:GAME and two:GAME"


def test_a_stage_that_lists_no_moves_cannot_be_generated(install: Install) -> None:
    dumb = SOUND["__init__.py"].replace("def moves", "def no_moves")
    put(install({"high-card": "dumb:GAME"}), "dumb", rules=dumb)
    assert complaint("generate", "high-card") == (
        "auditor: nobody can play at Showing: it has no players and lists no moves"
    )
