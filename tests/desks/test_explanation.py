"""One moment of a match, named by event or by finding, in words, as JSON and as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import verdict_on
from auditor.games import FORMS
from auditor.log import Log, read_bytes
from auditor.verdict import document as verdict_document
from tests import golden
from tests.desks.played import FIXTURES, run

REVOKE = FIXTURES / "tarneeb-classic" / "fault-revoke.json"
POINTS = FIXTURES / "tarneeb-classic" / "fault-wrong-points.json"


def explained(*arguments: str | Path) -> dict[str, Any]:
    result = run("explain", *arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.output)
    return document


def verdict_of(path: Path) -> dict[str, Any]:
    entry = read_bytes(path.read_bytes(), FORMS)
    document: dict[str, Any] = json.loads(json.dumps(verdict_document(verdict_on(entry))))
    return document


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_finding_is_named_by_its_index_in_the_verdict(index: int) -> None:
    finding = verdict_of(REVOKE)["findings"][index]
    document = explained(REVOKE, "--finding", str(index))
    assert document == explained(REVOKE, "--event", str(finding["event"]))
    assert document["event"] == finding["event"]
    assert finding.items() <= next(row for row in document["findings"] if row["index"] == index).items()


def test_json_tells_the_clause_in_both_languages_the_legal_acts_and_the_lines_of_the_score() -> None:
    document = explained(REVOKE, "--finding", "0")
    assert document["act"] == json.loads(REVOKE.read_bytes())["events"][22]
    assert document["legal"] == ["8D", "JD"]
    [finding] = document["findings"]
    assert set(finding["messages"]) == {"en", "ar"}
    assert finding["messages"]["en"] == finding["message"]
    assert set(finding["rule"]) == {"en", "ar", "source"}
    assert document["position"]["trick"] == [{"seat": 1, "card": "QD"}]
    points = explained(POINTS, "--finding", "0")
    assert points["deal"] == verdict_of(POINTS)["deals"][0]
    assert points["deal"]["lines"]


def test_json_keeps_what_a_note_carries(tmp_path: Path) -> None:
    document = json.loads(POINTS.read_bytes())
    document["events"].insert(0, {"type": "note", "text": "hello", "n": 1})
    path = tmp_path / "log.json"
    path.write_text(json.dumps(document))
    assert explained(path, "--event", "0")["act"] == {"type": "note", "text": "hello", "n": 1}


@pytest.mark.parametrize("path", golden.logs()[::9], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_moment_of_every_game_is_a_document(path: Path) -> None:
    entry = read_bytes(path.read_bytes(), FORMS)
    if isinstance(entry, Log):
        for event in (0, len(entry.match.events) // 2, len(entry.match.events)):
            document = explained(path, "--event", str(event))
            assert (document["act"] is None) == (event == len(entry.match.events))


def test_html_is_one_page_that_opens_in_the_language_asked_for() -> None:
    for language in ("en", "ar"):
        result = run("explain", REVOKE, "--finding", "0", "--format", "html", "--lang", language)
        assert result.output.startswith(f'<!doctype html>\n<html lang="{language}"')
        assert result.output.endswith("</html>\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--finding", "3"], "expected a finding from 0 to 2, found 3"),
        (["--finding", "0", "--event", "2"], "give one of them"),
        (["--finding", "0", "--deal", "1"], "give one of them"),
        (["--finding", "-1"], "-1"),
        (["--format", "pdf"], "pdf"),
    ],
)
def test_what_names_no_moment_is_a_wrong_use(arguments: list[str], message: str) -> None:
    result = run("explain", REVOKE, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_log_without_findings_has_none_to_name() -> None:
    result = run("explain", FIXTURES / "tarneeb-classic" / "clean-to-31.json", "--finding", "0")
    assert (result.exit_code, "for there is none" in result.stderr) == (2, True)
