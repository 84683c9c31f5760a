"""A game of another package can do all that the auditor's own games can, and needs a few files for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from auditor import faults, generate, position, replay, rulebook
from auditor.audit import verdict_on
from auditor.cli import main
from auditor.games import FORMS, GAMES, OWN
from auditor.log import read_bytes
from auditor.verdict import STATUSES, to_pretty_json

from .conftest import PROJECT

ROOT = PROJECT.parent.parent.parent
RULES, RULEBOOK, SCHEMA = (
    PROJECT / "high_card" / name for name in ("__init__.py", "high-card.toml", "high-card.schema.json")
)
LOGS = sorted(path for path in (PROJECT / "fixtures").glob("*.json") if not path.name.endswith(".verdict.json"))


def run(*words: str, code: int = 0, text: str | None = None) -> str:
    result = CliRunner().invoke(main, words, input=text, prog_name="auditor")
    assert result.exit_code == code, result.output
    return result.output


def test_it_is_three_files_and_fixtures() -> None:
    """And what every package has: its pyproject.toml."""
    files = {path for path in PROJECT.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    fixtures = {path for path in files if path.parent == PROJECT / "fixtures"}
    assert files - fixtures == {RULES, RULEBOOK, SCHEMA, PROJECT / "pyproject.toml"}
    assert fixtures == {path for log in LOGS for path in (log, log.with_suffix(".verdict.json"))}


def test_no_line_of_the_auditor_knows_it() -> None:
    for path in (ROOT / "auditor").rglob("*"):
        if path.suffix in (".py", ".toml", ".json", ".yaml"):
            text = path.read_text(encoding="utf-8")
            assert "high-card" not in text, path
            assert "high_card" not in text, path


def test_it_stands_among_the_games(high_card: Path) -> None:
    assert [*GAMES] == [*(game.id for game in OWN), "high-card"]
    assert len(FORMS) == len(GAMES) == len(OWN) + 1
    assert FORMS["high-card"] is GAMES["high-card"].form


def test_without_its_package_it_does_not() -> None:
    assert "high-card" not in GAMES
    assert "found 'high-card'" in run("rules", "high-card", code=2)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_its_logs_give_their_expected_verdicts(log: Path, high_card: Path) -> None:
    said = to_pretty_json(verdict_on(read_bytes(log.read_bytes(), FORMS, log.name)))
    assert said.decode() == log.with_suffix(".verdict.json").read_text(encoding="utf-8")


def test_its_logs_show_every_status_and_clause(high_card: Path) -> None:
    verdicts = [verdict_on(read_bytes(log.read_bytes(), FORMS, log.name)) for log in LOGS]
    assert {said.status for said in verdicts} == set(STATUSES)
    cited = {finding.clause for said in verdicts for finding in said.findings}
    cited |= {line.clause for said in verdicts for deal in said.deals for line in deal.lines}
    assert set(rulebook.book("high-card").entries) - cited == set()


def test_rules(high_card: Path) -> None:
    assert "A seat shows the card that it was dealt.\nsource: The house rules of high card" in run("rules", "high-card")
    assert "الورقة الأعلى" in run("rules", "--lang", "ar")


def test_schema(high_card: Path) -> None:
    one = json.loads(run("schema", "high-card"))
    assert one["title"] == "Match log, version 1: High card"
    every = json.loads(run("schema"))
    assert every["properties"]["ruleset"]["enum"][-1] == "high-card"
    for document in (one, every):
        Draft202012Validator.check_schema(document)
        log = json.loads(LOGS[0].read_bytes())
        assert Draft202012Validator(document).is_valid(log)
        assert not Draft202012Validator(document).is_valid({**log, "options": {"target": 4}})


def test_explain(high_card: Path) -> None:
    shown = run("explain", str(PROJECT / "fixtures" / "card-not-dealt.json"))
    assert "rules: High card" in shown
    assert "Seat 2 showed A♠, which it does not have." in shown
    assert "legal here: 7♦" in shown


def test_generated_matches_audit_clean_by_a_player_who_does_anything_legal(high_card: Path) -> None:
    for ending in ([], ["--option", "target=5"], ["--shuffle-proof"]):
        matches = run("generate", "high-card", "-n", "40", "--seed", "3", *ending)
        assert matches == run("generate", "high-card", "-n", "40", "--seed", "3", *ending)
        assert run("audit", "-", "--format", "ndjson", text=matches).count('"status":"clean"') == 40


@pytest.mark.parametrize(
    "fault", ["wrong-points", "wrong-total", "score-claimed-twice", "wrong-result", "deal-after-the-end"]
)
def test_faults_that_any_game_has_can_be_planted(fault: str, high_card: Path) -> None:
    game = GAMES["high-card"]
    for found in faults.planted(game, generate.matches(game, 10, 1), fault, 1):
        first = replay.audit(game, msgspec.convert(found.document, game.form)).findings[0]
        assert (first.kind, first.clause, first.event) == (found.kind, found.clause, found.event)


def test_a_log_written_from_one_seat(high_card: Path) -> None:
    game = GAMES["high-card"]
    for document in generate.matches(game, 5, 1):
        for event in document["events"]:
            if event["type"] == "deal":
                event["hands"][1:] = [["??"]] * 3
        assert replay.audit(game, msgspec.convert(document, game.form)).status == "clean"


def test_legal_acts_listed_and_judged_agree(high_card: Path) -> None:
    game = GAMES["high-card"]
    match = msgspec.convert(next(generate.matches(game, 1, 1)), game.form)
    for index, event in enumerate(match.events):
        if event.__struct_config__.tag == "play":
            moment = position.before(game, match, index)
            assert moment.legal == [event.card]
            assert moment.turn == event.seat


def test_store(high_card: Path, tmp_path: Path) -> None:
    database = tmp_path / "audit.db"
    run("audit", str(PROJECT / "fixtures"), "--db", str(database), code=1)
    assert json.loads(run("extract", str(database), "clean"))["ruleset"] == "high-card"
    assert rulebook.digest() != digest_without()


def digest_without() -> str:
    """The digest of all books in a process that knows nothing of the package."""
    program = "from auditor import rulebook; print(rulebook.digest())"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_in_a_process_of_its_own(high_card: Path) -> None:
    """What an installer does is enough."""
    program = "from auditor.cli import main; main(prog_name='auditor')"
    paths = os.pathsep.join([str(ROOT), *(path for path in sys.path if path)])
    result = subprocess.run(
        [sys.executable, "-c", program, "audit", str(LOGS[1])],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "high-card" in result.stdout, result.stderr


# --- The page -------------------------------------------------------------------------------------------------------

PAGE = ROOT / "docs" / "adding-a-game.md"


def page_blocks() -> list[Any]:
    from tests.test_docs import blocks

    return list(blocks(PAGE))


@pytest.mark.parametrize("file", [PROJECT / "pyproject.toml", RULES, RULEBOOK, SCHEMA], ids=lambda file: file.name)
def test_the_page_shows_the_file_as_it_is(file: Path) -> None:
    """All of it, in its order, in one block or several; blank lines do not count."""
    name = file.relative_to(PROJECT).as_posix()
    shown = [line for block in page_blocks() if block.name == name for line in block.lines if line]
    assert shown == [line for line in file.read_text(encoding="utf-8").splitlines() if line]


def test_the_page_shows_no_other_file() -> None:
    names = {block.name for block in page_blocks() if block.name}
    logs = {path.relative_to(PROJECT).as_posix() for path in LOGS}
    files = {file.relative_to(PROJECT).as_posix() for file in (PROJECT / "pyproject.toml", RULES, RULEBOOK, SCHEMA)}
    assert files < names <= files | logs
    for block in page_blocks():
        if block.name in logs:
            assert (PROJECT / block.name).read_text(encoding="utf-8").splitlines() == block.lines


def test_the_page_shows_what_the_commands_print(
    high_card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.test_docs import Shell

    shutil.copytree(PROJECT / "fixtures", tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    consoles = [block for block in page_blocks() if block.language == "sh"]
    assert len(consoles) > 2
    for console in consoles:
        Shell().check(console.lines)
