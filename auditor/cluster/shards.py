"""Shards: the parts in which an input is audited, each by itself.

In: files. Out: shards with their names, the line feeds in one, and the documents that begin in one, at the places
that they have in the whole file. Refuses to know what a match is and where a shard is worked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditor import ranges
from auditor.cluster.storage import File, found, info
from auditor.errors import CannotAudit
from auditor.ranges import Range
from auditor.sources import Found, documents_in, unpacked
from auditor.store import Auditor

#: A plain file of lines that is larger is cut into ranges of so many bytes: some two thousand matches.
RANGE_BYTES = 64 * 2**20
_CHUNK = 2**20


@dataclass(frozen=True, slots=True)
class Shard:
    """A file, or the lines of it that begin in a range of its bytes: from ``start`` to before ``end``."""

    file: File
    start: int = 0
    end: int | None = None

    def name(self, by: Auditor) -> str:
        """What its results are called: the digest of all that they follow from."""
        file = self.file
        parts = (file.url, file.name, file.size, file.tag, self.start, self.end, by.version, by.rules)
        return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def shards_of(file: File, range_bytes: int | None = None) -> Sequence[Shard]:
    """The shards of a file. Only a plain file of lines has several: the rest cannot be read from the middle."""
    most = RANGE_BYTES if range_bytes is None else range_bytes
    if file.size is None or file.size <= most or not _can_be_cut(file):
        return [Shard(file)]
    return [Shard(file, start, min(start + most, file.size)) for start in range(0, file.size, most)]


def line_feeds(shard: Shard) -> int:
    """How many line feeds stand in the range of a shard. Raises what the storage raises."""
    assert shard.end is not None
    with opened(shard.file) as stream:
        return ranges.line_feeds(stream, shard.start, shard.end)


def documents(shard: Shard, line_feeds_before: int) -> Iterator[Found]:
    """The documents that begin in a shard, with the places that they have in the file.

    Raises ``CannotAudit`` for a file that is not the one that was cut into shards, and what the storage raises.
    """
    with opened(shard.file) as stream:
        if shard.end is None:
            chunks = iter(partial(stream.read, _CHUNK), b"")
            yield from documents_in(unpacked(chunks, shard.file.name), shard.file.name)
        else:
            yield from ranges.documents(stream, Range(shard.start, shard.end, line_feeds_before), shard.file.name)


def opened(file: File) -> Any:
    """The bytes of a file that must not have changed since it was listed; a context manager."""
    now = info(file.url)
    if (now.size, now.tag) != (file.size, file.tag):
        raise CannotAudit(f"{file.name}: expected the file as it was when the audit began, found it changed")
    system, path = found(file.url)
    return system.open(path, "rb")


def _can_be_cut(file: File) -> bool:
    if not ranges.is_of_plain_lines(file.name):
        return False
    with opened(file) as stream:
        return ranges.begins_with_lines(stream, file.name)
