"""The package high-card as if it were installed: its project on the path, and beside it what an installer writes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from auditor import games, plugins, rulebook, schema

PROJECT = Path(__file__).parent / "high-card"

Install = Callable[[Mapping[str, str]], Path]


def forget() -> None:
    """What was found out about the games that there are is found out again."""
    for found in (plugins.brought, games._games, games._forms, schema.shipped):
        found.cache_clear()
    for read in (rulebook.book, rulebook.digest, rulebook._words, rulebook._page):
        read.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package of these entry points; returns the folder, in which more of the package can be put."""
    site = tmp_path / "site"

    def install(points: Mapping[str, str]) -> Path:
        about = site / "toy-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n", encoding="utf-8")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (about / "entry_points.txt").write_text("\n".join(["[auditor.games]", *lines, ""]), encoding="utf-8")
        monkeypatch.syspath_prepend(str(site))
        forget()
        return site

    yield install
    monkeypatch.undo()
    forget()


@pytest.fixture
def high_card(install: Install, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The game high-card, installed; its project folder."""
    monkeypatch.syspath_prepend(str(PROJECT))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(project["entry-points"]["auditor.games"])
    return PROJECT
