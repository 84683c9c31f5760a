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

from . import builders, chances, oracle
from .builders import Document

ROUNDS = int(os.environ.get("AUDITOR_ORACLE_DEALS", "800"))
BATCHES = 8


def compare(document: Document, label: str) -> bool:
    """Compare all that is said; where the rules do not settle it, only what comes before. True if all was compared."""
    expected: dict[str, Any] = oracle.judge(document)
    said = builders.verdict(document)
    found = builders.findings(said)
    wanted: list[tuple[str, str, int | None, int | None]] = [tuple(row) for row in expected["findings"]]
    if expected["doubts"]:
        first = min(at for at, _ in expected["doubts"])
        found = [row for row in found if row[2] is not None and row[2] < first and row[0] != "open"]
        wanted = [row for row in wanted if row[2] is not None and row[2] < first and row[0] != "open"]
        assert found == wanted, f"{label}: findings before event {first}"
        return False
    assert found == wanted, f"{label}: findings"
    deals = [(row["outcome"], row["points"] and tuple(row["points"]), tuple(row["totals"])) for row in said["deals"]]
    assert deals == [(row["outcome"], row["points"], row["totals"]) for row in expected["deals"]], f"{label}: rounds"
    for key in ("winner", "over", "status"):
        assert said[key] == expected[key], f"{label}: {key}"
    assert tuple(said["totals"]) == expected["totals"], f"{label}: totals"
    return True


def matches(batch: int, word: str) -> Iterator[tuple[str, random.Random, Document]]:
    """Random legal matches of one batch, until it has its share of the rounds."""
    rounds = number = 0
    while rounds < ROUNDS / BATCHES:
        label = f"{word} {batch} {number}"
        rng = random.Random(label)
        document = chances.legal_match(rng)
        rounds += max(1, sum(event["type"] == "round" for event in document["events"]))
        number += 1
        yield label, rng, document


@pytest.mark.parametrize("batch", range(BATCHES))
def test_legal_matches(batch: int) -> None:
    for label, _, document in matches(batch, "legal"):
        assert not oracle.judge(document)["doubts"], label
        assert {row[0] for row in builders.findings(builders.verdict(document))} <= {"open"}, label
        assert compare(document, label)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_matches(batch: int) -> None:
    whole = count = 0
    for label, rng, document in matches(batch, "damaged"):
        for again in range(4):
            count += 1
            whole += compare(chances.damaged(rng, document), f"{label} {again}")
    assert whole > count / 2, "too few of the damaged matches are settled by the rules"


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
