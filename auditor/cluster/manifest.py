"""The manifest: which shards an audit had, what is in each, and which of them are missing.

In: shards with their summaries, or the folder of an audit. Out: ``manifest.json``, written whole, and read back.
Refuses to know what a row is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from auditor.cluster.results import PART_SUFFIX, SUFFIX, Summary
from auditor.cluster.shards import Shard
from auditor.cluster.storage import asking, found
from auditor.errors import CannotAudit
from auditor.store import Auditor

NAME = "manifest.json"
_FORMAT = "audited-shards/1"


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """One shard. ``summary`` is of its results; in its stead ``missing`` says why there are none."""

    results: str
    file: str
    size: int | None
    tag: str
    start: int = 0
    end: int | None = None
    summary: Summary | None = None
    missing: str | None = None

    @property
    def title(self) -> str:
        """The shard as people call it."""
        return self.file if self.end is None else f"{self.file}, bytes {self.start} to {self.end}"


class Manifest(msgspec.Struct, frozen=True):
    """All shards in the order of the input; ``statuses`` counts the rows of those that are there."""

    format: str
    version: str
    rules: str
    paths: Sequence[str]
    statuses: dict[str, int]
    shards: Sequence[Part]

    @property
    def missing(self) -> Sequence[Part]:
        return [part for part in self.shards if part.summary is None]

    @property
    def auditor(self) -> Auditor:
        return Auditor(self.version, self.rules)


def part_of(shard: Shard, by: Auditor, outcome: Summary | str) -> Part:
    """A shard with its summary, or with why it has none."""
    file = shard.file
    results = f"{shard.name(by)}{SUFFIX}"
    if isinstance(outcome, Summary):
        return Part(results, file.name, file.size, file.tag, shard.start, shard.end, summary=outcome)
    return Part(results, file.name, file.size, file.tag, shard.start, shard.end, missing=outcome)


def made(by: Auditor, paths: Sequence[str], parts: Sequence[Part]) -> Manifest:
    """The manifest of an audit."""
    statuses: Counter[str] = Counter()
    for part in parts:
        if part.summary is not None:
            statuses.update(part.summary.statuses)
    return Manifest(_FORMAT, by.version, by.rules, paths, dict(sorted(statuses.items())), parts)


def write(folder: str, manifest: Manifest) -> None:
    """Puts the manifest into the folder, in the place of an earlier one. Raises ``CannotAudit`` where it cannot."""
    system, path = found(f"{folder}/{NAME}")
    part = f"{path}{PART_SUFFIX}"
    with asking(folder):
        system.pipe_file(part, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        system.mv(part, path)


def read(folder: str) -> Manifest | None:
    """The manifest of a folder, or ``None``. Raises ``CannotAudit`` for a file that is called so and is none."""
    url = f"{folder}/{NAME}"
    system, path = found(url)
    with asking(url):
        if not system.exists(path):
            return None
        data = system.cat_file(path)
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise CannotAudit(f"{url}: expected the manifest of an audit, found: {error}") from error
    if manifest.format != _FORMAT:
        raise CannotAudit(f"{url}: expected a manifest of the format {_FORMAT}, found {manifest.format!r}")
    return manifest
