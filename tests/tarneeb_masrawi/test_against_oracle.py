"""The auditor and the oracle say the same of random matches, legal and damaged.

A big run: ``AUDITOR_ORACLE_DEALS=10000 pytest tests/tarneeb_masrawi/test_against_oracle.py -n 2``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests import comparison
from tests.documents import Document

from . import builders, chances, oracle

DEALS = int(os.environ.get("AUDITOR_ORACLE_DEALS", "600"))
BATCHES = 4


def compare(document: Document, label: str) -> bool:
    return comparison.compare(oracle.judge, document, label, in_order=False)


def draw(ruleset: str, batch: int, word: str) -> Iterator[comparison.Drawn]:
    return comparison.draw(
        f"{word} {ruleset} {batch}", lambda rng: chances.legal_match(rng, ruleset), DEALS / BATCHES / 2
    )


@pytest.mark.parametrize("ruleset", [builders.MASRAWI, builders.DAKAK])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_legal_matches(ruleset: str, batch: int) -> None:
    comparison.compare_legal(draw(ruleset, batch, "legal"), oracle.judge, compare)


@pytest.mark.parametrize("ruleset", [builders.MASRAWI, builders.DAKAK])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_matches(ruleset: str, batch: int) -> None:
    comparison.compare_damaged(draw(ruleset, batch, "damaged"), chances.damaged, compare, least_settled=1 / 3)
