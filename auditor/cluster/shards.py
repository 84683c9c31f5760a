"""Shards: the parts in which an input is audited, each by itself.

In: files. Out: shards with their names, the line feeds in one, and the documents that begin in one, at the places
that they have in the whole file. Refuses to know what a match is and where a shard is worked at.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from auditor.cluster.storage import File, found, info
from auditor.errors import CannotAudit
from auditor.sources import Document, Found, documents_in, holds_lines, unpacked
from auditor.store import Auditor

#: A plain file of lines that is larger is cut into ranges of so many bytes: some two thousand matches.
RANGE_BYTES = 64 * 2**20
_CHUNK = 2**20
_PACKED = (".gz", ".zst")


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
    is_plain = holds_lines(file.name) and not file.name.lower().endswith(_PACKED)
    if file.size is None or file.size <= most or not is_plain or _is_no_text(file):
        return [Shard(file)]
    return [Shard(file, start, min(start + most, file.size)) for start in range(0, file.size, most)]


def line_feeds(shard: Shard) -> int:
    """How many line feeds stand in the range of a shard. Raises what the storage raises."""
    assert shard.end is not None
    count, left = 0, shard.end - shard.start
    with opened(shard.file) as stream:
        stream.seek(shard.start)
        while left and (chunk := stream.read(min(_CHUNK, left))):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


def documents(shard: Shard, line_feeds_before: int) -> Iterator[Found]:
    """The documents that begin in a shard, with the places that they have in the file.

    Raises ``CannotAudit`` for a file that is not the one that was cut into shards, and what the storage raises.
    """
    with opened(shard.file) as stream:
        if shard.end is None:
            yield from documents_in(unpacked(_chunks(stream), shard.file.name), shard.file.name)
            return
        begin = _first_line(stream, shard.start, shard.end)
        if begin is None:
            return
        line = 1 + line_feeds_before + (begin > shard.start)
        if begin == 0:
            yield from documents_in(_lines(stream, 0, shard.end), shard.file.name)
            return
        # A blank line is put before: what has a meaning at the start of a file has none here.
        for each in documents_in(_after_blank(_lines(stream, begin, shard.end)), shard.file.name):
            place = replace(each.place, line=each.place.line - 2 + line, offset=each.place.offset - 1 + begin)
            yield replace(each, place=place)


def opened(file: File) -> Any:
    """The bytes of a file that must not have changed since it was listed; a context manager."""
    now = info(file.url)
    if (now.size, now.tag) != (file.size, file.tag):
        raise CannotAudit(f"{file.name}: expected the file as it was when the audit began, found it changed")
    system, path = found(file.url)
    return system.open(path, "rb")


def _is_no_text(file: File) -> bool:
    """Whether a file begins as one that is no log, whatever it is called: then nothing in it is a line."""
    with opened(file) as stream:
        first = next(documents_in(iter([stream.read(_CHUNK)]), file.name), None)
    return first is not None and not isinstance(first, Document) and first.clause == "log.file"


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _after_blank(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield b"\n"
    yield from chunks


def _first_line(stream: BinaryIO, start: int, end: int) -> int | None:
    """Where the first line begins that begins in the range."""
    if start == 0:
        return 0
    at = start - 1
    stream.seek(at)
    while at < end - 1 and (chunk := stream.read(min(_CHUNK, end - 1 - at))):
        line_feed = chunk.find(b"\n")
        if line_feed >= 0:
            return at + line_feed + 1
        at += len(chunk)
    return None


def _lines(stream: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    """The bytes from a line's begin on, up to the end of the line that is the last to begin before ``end``."""
    at = begin
    stream.seek(at)
    while chunk := stream.read(_CHUNK):
        line_feed = chunk.find(b"\n", max(end - 1 - at, 0)) if at + len(chunk) >= end else -1
        if line_feed >= 0:
            yield chunk[: line_feed + 1]
            return
        yield chunk
        at += len(chunk)
