"""A plain Datasette shows a packed archive with the plugin, also where nothing can be written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from datasette.cli import cli

from auditor.store import Store
from tests.web import archives, pages


@pytest.mark.parametrize("options", [[], ["-i"]])
def test_datasette_shows_a_match_of_an_archive_that_cannot_be_written(tmp_path: Path, options: list[str]) -> None:
    loaded = archives.of_documents(tmp_path / "audit.db", [archives.fixture(pages.MATCHES[0])])
    folder = tmp_path / "published"
    folder.mkdir()
    archive = folder / "archive.db"
    with Store.open(loaded) as store:
        store.pack(archive)
    with closing(sqlite3.connect(archive)) as connection:
        assert connection.execute("pragma journal_mode").fetchone() == ("delete",)
    archive.chmod(0o444)
    folder.chmod(0o555)
    before = archive.read_bytes()
    try:
        address = pages.match_at(pages.MATCHES[0])
        result = CliRunner().invoke(cli, ["serve", *options, str(archive), "--get", address])
        assert result.exit_code == 0, result.output
        assert 'id="replay"' in result.output
        assert "tarneeb-classic" in result.output
        assert [path.name for path in folder.iterdir()] == ["archive.db"]
        assert archive.read_bytes() == before
    finally:
        folder.chmod(0o755)
