"""The auditor and the oracle say the same of random matches, legal and damaged.

A big run: ``AUDITOR_ORACLE_DEALS=10000 pytest tests/rami_tounsi/test_against_oracle.py -n 2``.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from tests import comparison, documents
from tests.documents import Document

from . import chances, oracle

ROUNDS = int(os.environ.get("AUDITOR_ORACLE_DEALS", "60"))
BATCHES = 4


def compare(document: Document, label: str) -> bool:
    """Compare all that is said; where the rules do not settle it, only what comes before. True if all was compared."""
    expected = oracle.judge(document)
    said = documents.verdict(document)
    found = sorted(row[:3] for row in documents.findings(said))
    wanted = sorted((row.kind, row.clause, row.event) for row in expected["findings"])
    if expected["doubts"]:
        first = min(at for at, _ in expected["doubts"])
        assert [row for row in found if row[2] < first] == [row for row in wanted if row[2] < first], label
        return False
    assert found == wanted, f"{label}: findings"
    seats = sorted((row[2], row[3]) for row in documents.findings(said) if row[0] == "illegal" and row[3] is not None)
    assert seats == sorted(
        (row.event, row.seat) for row in expected["findings"] if row.kind == "illegal" and row.seat is not None
    ), f"{label}: seats"
    comparison.compare_outcome(said, expected, label)
    return True


def matches(batch: int) -> Iterator[tuple[str, Document]]:
    """Random legal matches of one batch, until it has its share of the rounds."""
    rounds = 0
    for number, document in enumerate(chances.legal_matches(batch)):
        yield f"{batch} {number}", document
        rounds += max(1, sum(event["type"] == "deal" for event in document["events"]))
        if rounds >= ROUNDS / BATCHES:
            return


@pytest.mark.parametrize("batch", range(BATCHES))
def test_legal_matches(batch: int) -> None:
    for label, document in matches(batch):
        assert not oracle.judge(document)["doubts"], label
        assert {row[0] for row in documents.findings(documents.verdict(document))} <= {"open"}, label
        assert compare(document, label)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_matches(batch: int) -> None:
    whole = count = 0
    for label, document in matches(batch):
        for again in range(6):
            count += 1
            whole += compare(chances.damaged(random.Random(f"{label} {again}"), document), f"{label} {again}")
    assert whole > count / 2, "too few of the damaged matches are settled by the rules"
