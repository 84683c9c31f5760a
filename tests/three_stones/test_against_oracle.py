"""The auditor and the oracle say the same of random matches, legal and damaged.

A big run: ``AUDITOR_ORACLE_DEALS=20000 pytest tests/three_stones/test_against_oracle.py -n 2``.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from auditor import position
from auditor.games import FORMS, GAMES
from tests import comparison, documents
from tests.documents import Document

from . import chances, oracle

ROUNDS = int(os.environ.get("AUDITOR_ORACLE_DEALS", "800"))
BATCHES = 8


def compare(document: Document, label: str) -> bool:
    """Compare all that is said; where the rules do not settle it, only what comes before. True if all was compared."""
    expected: dict[str, Any] = oracle.judge(document)
    said = documents.verdict(document)
    found = documents.findings(said)
    wanted: list[tuple[str, str, int | None, int | None]] = [tuple(row) for row in expected["findings"]]
    if expected["doubts"]:
        first = min(at for at, _ in expected["doubts"])
        found = [row for row in found if row[2] is not None and row[2] < first and row[0] != "open"]
        wanted = [row for row in wanted if row[2] is not None and row[2] < first and row[0] != "open"]
        assert found == wanted, f"{label}: findings before event {first}"
        return False
    assert found == wanted, f"{label}: findings"
    comparison.compare_outcome(said, expected, label)
    return True


def draw(batch: int, word: str) -> Iterator[comparison.Drawn]:
    return comparison.draw(f"{word} {batch}", chances.legal_match, ROUNDS / BATCHES, begins="round")


@pytest.mark.parametrize("batch", range(BATCHES))
def test_legal_matches(batch: int) -> None:
    comparison.compare_legal(draw(batch, "legal"), oracle.judge, compare)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_matches(batch: int) -> None:
    comparison.compare_damaged(draw(batch, "damaged"), chances.damaged, compare)


@pytest.mark.parametrize("number", range(6))
def test_the_board_after_every_event(number: int) -> None:
    """Both see the same stones, three a seat at most, on nine points."""
    document = chances.legal_match(random.Random(f"board {number}"))
    boards = oracle.judge(document)["boards"]
    match = msgspec.json.decode(msgspec.json.encode(document), type=FORMS["three-stones"])
    for index, board in enumerate(boards):
        moment = position.before(GAMES["three-stones"], match, index)
        seen = {point: seat for seat, points in enumerate(moment.stones) for point in points}
        assert seen == board
        assert all(len(points) <= 3 for points in moment.stones)
        assert len(moment.board) == (9 if index else 0)
