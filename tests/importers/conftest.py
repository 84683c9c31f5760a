"""Packages with importers as if they were installed: on the path, and beside them what an installer writes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from auditor import importers

PROJECT = Path(__file__).parent / "stone-notes"

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package of these entry points; returns the folder, in which more of the package can be put."""
    site = tmp_path / "site"

    def forget() -> None:
        importers.brought.cache_clear()
        importers.importers.cache_clear()

    def install(points: Mapping[str, str], package: str = "toy") -> Path:
        about = site / f"{package}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (about / "entry_points.txt").write_text("\n".join(["[auditor.importers]", *lines, ""]), encoding="utf-8")
        monkeypatch.syspath_prepend(str(site))
        forget()
        return site

    yield install
    monkeypatch.undo()
    forget()


@pytest.fixture
def stone_notes(install: Install, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The importer stone-notes, installed; its project folder."""
    monkeypatch.syspath_prepend(str(PROJECT))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(project["entry-points"]["auditor.importers"])
    return PROJECT
