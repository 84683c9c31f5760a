"""The auditor and the oracle say the same of random matches, legal and damaged.

A big run: ``AUDITOR_ORACLE_DEALS=10000 pytest tests/belote_contree/test_against_oracle.py -n 2``.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from . import builders, chances, oracle
from .builders import Document

DEALS = int(os.environ.get("AUDITOR_ORACLE_DEALS", "400"))
BATCHES = 8


def compare(document: Document, label: str) -> bool:
    """Compare all that is said; where the rules do not settle it, only what comes before. True if all was compared."""
    expected = oracle.judge(document)
    said = builders.verdict(document)
    found = [row[:3] for row in builders.findings(said)]
    wanted: list[tuple[str, str, int | None]] = [(row.kind, row.clause, row.event) for row in expected["findings"]]
    if expected["doubts"]:
        first = min(at for at, _ in expected["doubts"])
        # What a deal leaned on is said at its last event, when a later one has shown it.
        found = [row for row in found if row[0] != "open" and row[2] is not None and row[2] < first]
        wanted = [row for row in wanted if row[0] != "open" and row[2] is not None and row[2] < first]
        assert found == wanted, f"{label}: findings before event {first}"
        return False
    assert found == wanted, f"{label}: findings"
    seats = [seat for kind, *_, seat in builders.findings(said) if kind == "illegal"]
    assert seats == [row.seat for row in expected["findings"] if row.kind == "illegal"], f"{label}: seats"
    deals = [(row["outcome"], row["points"] and tuple(row["points"]), tuple(row["totals"])) for row in said["deals"]]
    assert deals == [(row["outcome"], row["points"], row["totals"]) for row in expected["deals"]], f"{label}: deals"
    for key in ("winner", "over", "status"):
        assert said[key] == expected[key], f"{label}: {key}"
    assert tuple(said["totals"]) == expected["totals"], f"{label}: totals"
    return True


def matches(batch: int, word: str) -> Any:
    """Random legal matches of one batch, until it has its share of the deals."""
    deals = 0
    number = 0
    while deals < DEALS / BATCHES:
        label = f"{word} {batch} {number}"
        rng = random.Random(label)
        document = chances.legal_match(rng)
        deals += max(1, sum(event["type"] == "deal" for event in document["events"]))
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
