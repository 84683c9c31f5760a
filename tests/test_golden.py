"""Every fixture gives the verdict that is written beside it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from auditor.games import GAMES
from auditor.verdict import STATUSES
from tests import golden


@pytest.mark.parametrize("log", golden.logs(), ids=lambda log: log.stem)
def test_fixture_gives_its_expected_verdict(log: Path) -> None:
    assert golden.verdict_bytes(log).decode() == golden.expected_path(log).read_text(encoding="utf-8")


def test_every_expected_verdict_has_its_log() -> None:
    expected = {golden.expected_path(log) for log in golden.logs()}
    assert expected == set(golden.FIXTURES.rglob("*.verdict.json"))


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_fixtures_of_a_ruleset_show_every_status_and_clause(ruleset: str) -> None:
    verdicts = [msgspec.json.decode(golden.expected_path(log).read_bytes()) for log in golden.logs()]
    own = [verdict for verdict in verdicts if verdict["ruleset"] == ruleset]
    cited = {finding["clause"] for verdict in own for finding in verdict["findings"]}
    cited |= {line["clause"] for verdict in own for deal in verdict["deals"] for line in deal["lines"]}
    assert {verdict["status"] for verdict in own} == set(STATUSES)
    from auditor import rulebook

    assert set(rulebook.book(ruleset).entries) - cited == set()
