"""Ranges: parts of the text of a file of lines, each of which can be read without the others.

In: a text of lines, and where it is cut: anywhere. Out: the documents that begin in a range, at the places that they
have in the whole file. Refuses to know what a match is, and who reads which range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from auditor.sources import Found, Gap, documents_in, holds_lines

_CHUNK = 2**20
_PACKED = (".gz", ".zst")


class Text(Protocol):
    """A plain file that is open for reading, or what can be read like one."""

    def seek(self, place: int, /) -> object: ...
    def read(self, length: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Range:
    """The lines that begin in a stretch of a text's bytes, from ``start`` to before ``end``.

    Before it stand so many ``line_feeds``.
    """

    start: int
    end: int
    line_feeds: int


def is_of_plain_lines(name: str) -> bool:
    """Whether a file is called like one whose lines can be read from the middle."""
    return holds_lines(name) and not name.lower().endswith(_PACKED)


def begins_with_lines(text: Text, name: str) -> bool:
    """Whether a file that is called so begins as one: not like one that is no log, whatever it is called."""
    text.seek(0)
    start = text.read(_CHUNK)
    first = next(documents_in(iter([start] if start else []), name), None)
    return not (isinstance(first, Gap) and first.clause == "log.file")


def line_feeds(text: Text, start: int, end: int) -> int:
    """How many line feeds stand in a stretch of the bytes."""
    count, at = 0, start
    text.seek(start)
    while at < end and (chunk := text.read(min(_CHUNK, end - at))):
        count += chunk.count(b"\n")
        at += len(chunk)
    return count


def documents(text: Text, lines: Range, name: str) -> Iterator[Found]:
    """The documents that begin in a range, with the places that they have in the file. Raises what reading raises."""
    begin = _first_line(text, lines.start, lines.end)
    if begin is None:
        return
    if begin == 0:
        yield from documents_in(_lines(text, 0, lines.end), name)
        return
    line = 1 + lines.line_feeds + (begin > lines.start)
    # A blank line is put before: what has a meaning at the start of a file has none here.
    for each in documents_in(_after_blank(_lines(text, begin, lines.end)), name):
        place = replace(each.place, line=each.place.line - 2 + line, offset=each.place.offset - 1 + begin)
        yield replace(each, place=place)


def _after_blank(chunks: Iterator[bytes]) -> Iterator[bytes]:
    yield b"\n"
    yield from chunks


def _first_line(text: Text, start: int, end: int) -> int | None:
    """Where the first line begins that begins in the range."""
    if start == 0:
        return 0
    at = start - 1
    text.seek(at)
    while at < end - 1 and (chunk := text.read(min(_CHUNK, end - 1 - at))):
        line_feed = chunk.find(b"\n")
        if line_feed >= 0:
            return at + line_feed + 1
        at += len(chunk)
    return None


def _lines(text: Text, begin: int, end: int) -> Iterator[bytes]:
    """The bytes from a line's begin on, up to the end of the line that is the last to begin before ``end``."""
    at = begin
    text.seek(at)
    while chunk := text.read(_CHUNK):
        line_feed = chunk.find(b"\n", max(end - 1 - at, 0)) if at + len(chunk) >= end else -1
        if line_feed >= 0:
            yield chunk[: line_feed + 1]
            return
        yield chunk
        at += len(chunk)
