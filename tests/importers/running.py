"""Runs importers over bytes, as the command does.

In: a format, the content of files, a mapping. Out: the matches and the tally. Refuses to know what is expected.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from auditor.importers import importers
from auditor.importers.carrying import Group, Tally, carried
from auditor.importers.contract import Source


class Run(NamedTuple):
    """What came of it."""

    lines: list[bytes]
    tally: Tally

    @property
    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    @property
    def losses(self) -> dict[tuple[str, str], int]:
        """The counts of losses by kind and subject."""
        return {(group.kind, group.subject): group.count for group in self.tally.groups}

    def group(self, kind: str) -> Group:
        [group] = [group for group in self.tally.groups if group.kind == kind]
        return group

    def place(self, kind: str) -> tuple[str, int]:
        """The name of the file and the line of the first loss of a kind."""
        place = self.group(kind).first[0].place
        return Path(place.file).name, place.line


def run(
    form: str,
    folder: Path,
    files: dict[str, bytes] | bytes,
    mapping: str | Path = "",
    keeps: bool = False,
    **options: Any,
) -> Run:
    named = {"source.ndjson" if form == "events" else "source.csv": files} if isinstance(files, bytes) else files
    for name, content in named.items():
        (folder / name).write_bytes(content)
    text = mapping.read_text(encoding="utf-8") if isinstance(mapping, Path) else mapping
    source = Source([str(folder / name) for name in named], tomllib.loads(text), "map.toml", options)
    tally = Tally()
    return Run(list(carried(importers()[form], source, tally, keeps)), tally)
