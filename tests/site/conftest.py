from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.conftest import chromium as chromium

from . import sites


@pytest.fixture(scope="session")
def site_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small audit database. To be looked at only."""
    return sites.database_at(tmp_path_factory.mktemp("archive") / "audit.db")


@pytest.fixture(scope="session")
def site(site_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of that database. To be looked at only."""
    folder = tmp_path_factory.mktemp("host") / "some" / "where"
    return sites.written(site_database, folder, "The club <2026>", "../files/")
