"""The auditor and the oracle say the same of random matches, legal and damaged.

A big run: ``AUDITOR_ORACLE_DEALS=10000 pytest tests/tarneeb_classic/test_against_oracle.py -n 2``.
"""

from __future__ import annotations

import os

import pytest

from tests import comparison
from tests.documents import Document

from . import chances, oracle

DEALS = int(os.environ.get("AUDITOR_ORACLE_DEALS", "600"))
BATCHES = 8


def compare(document: Document, label: str) -> bool:
    return comparison.compare(oracle.judge, document, label)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_legal_matches(batch: int) -> None:
    drawn = comparison.draw(f"legal {batch}", chances.legal_match, DEALS / BATCHES)
    comparison.compare_legal(drawn, oracle.judge, compare)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_matches(batch: int) -> None:
    drawn = comparison.draw(f"damaged {batch}", chances.legal_match, DEALS / BATCHES)
    comparison.compare_damaged(drawn, chances.damaged, compare)
