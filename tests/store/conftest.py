from __future__ import annotations

from pathlib import Path

import pytest

from auditor import rulebook
from auditor.store import Store

from . import samples


@pytest.fixture(autouse=True)
def _made_up_rulebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulebook, "book", samples.book)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.db"


@pytest.fixture
def loaded(path: Path) -> Path:
    """A database of twelve matches and one unreadable line, by the first auditor."""
    with Store.open(path) as store:
        store.load(samples.archive(12), samples.FIRST, ["archive/day-1.ndjson"])
    return path
