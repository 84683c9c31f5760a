"""Portions: what is handed to a process that audits, some hundred matches at a time.

In: paths. Out: portions of what lies there, in its order: whole documents and gaps, or, of a large file of lines that
is plain or packed in frames, where they are, to be read by whoever works at them. Refuses to know what a match is, and
processes.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import FileIO
from typing import TypeAlias

from auditor import frames, ranges
from auditor.errors import Place
from auditor.frames import Run, Unpacked
from auditor.ranges import Range, Text, begins_with_lines, is_of_plain_lines
from auditor.sources import Document, Found, Gap, documents_of, files, reason, shown

#: A portion closes at so many bytes: a hundred matches and more, some tenths of a second.
PORTION_BYTES = 4 * 2**20
#: A packed file may hold so many times its own bytes.
_PACKED_TIMES = 16

#: What no two files have in common that are there at the same time.
Inode: TypeAlias = tuple[int, int]


class _Kept(FileIO):
    """A file that is open for reading as long as somebody has it."""

    def __del__(self) -> None:
        self.close()


class Lines:
    """The documents that begin in a part of a file. ``stream`` is the file, where it is open.

    Another process is told where they are, and finds them as long as the file is in its place.
    """

    def __init__(self, path: str, part: Range | Run, inode: Inode, stream: _Kept | None = None) -> None:
        self._path = path
        self._part = part
        self._inode = inode
        self._stream = stream

    def __reduce__(self) -> tuple[type[Lines], tuple[object, ...]]:
        return Lines, (self._path, self._part, self._inode)

    @property
    def range(self) -> Range:
        """The part of the file's text."""
        return self._part.lines if isinstance(self._part, Run) else self._part

    def documents(self) -> Iterator[Found]:
        """The documents. Raises ``OSError`` in another process, where they cannot be had; here that makes a gap."""
        if self._stream is None:
            yield from self._found_elsewhere()
            return
        try:
            yield from self._found(self._stream)
        except OSError as error:
            place = Place(shown(self._path), 1 + self.range.line_feeds, self.range.start)
            yield Gap("log.file", place, {"reason": reason(error)})

    def _found_elsewhere(self) -> Iterator[Found]:
        self._require_same(os.stat(self._path))  # another thing in its place may not even be to be opened
        stream = _Kept(self._path)
        self._require_same(os.fstat(stream.fileno()))
        yield from self._found(stream)

    def _found(self, stream: _Kept) -> Iterator[Found]:
        return ranges.documents(_text(stream, self._part), self.range, shown(self._path))

    def _require_same(self, status: os.stat_result) -> None:
        if _inode(status) != self._inode:
            raise FileNotFoundError(errno.ENOENT, "another file is in its place", self._path)


Portion: TypeAlias = Sequence[Found | Lines]


def portions(paths: Iterable[str]) -> Iterator[Portion]:
    """All that lies under the paths. A gap stays with the document before it, which it may be the end of."""
    portion: list[Found | Lines] = []
    size = 0
    for part in _parts(paths):
        if size >= PORTION_BYTES and not isinstance(part, Gap):
            yield portion
            portion, size = [], 0
        portion.append(part)
        size += _part_size(part)
    if portion:
        yield portion


def size(portion: Portion) -> int:
    """How many bytes the documents take."""
    return sum(map(_part_size, portion))


def documents(portion: Portion) -> Iterator[Found]:
    """All that is in a portion. Raises ``OSError`` in another process, where lines cannot be had."""
    for part in portion:
        if isinstance(part, Lines):
            yield from part.documents()
        else:
            yield part


def one_each(found: Iterable[Found]) -> Iterator[Sequence[Found]]:
    """Each document with the gaps behind it."""
    part: list[Found] = []
    for each in found:
        if part and isinstance(each, Document):
            yield part
            part = []
        part.append(each)
    if part:
        yield part


def _parts(paths: Iterable[str]) -> Iterator[Found | Lines]:
    for file in files(paths):
        if isinstance(file, Gap):
            yield file
        else:
            yield from _parts_of_file(file)


def _parts_of_file(file: str) -> Iterator[Found | Lines]:
    """Where the documents of a file are, if it is a large one that can be cut; else the documents."""
    told = 0
    with suppress(OSError):
        for lines in _cut(file):
            yield lines
            told = lines.range.end
        if told:
            return
    # Of what cannot be read to its end, the rest is read as any other file, which says why.
    for found in documents_of(file):
        if found.place.offset >= told:
            yield found


def _cut(file: str) -> Iterator[Lines]:
    """Where the documents are, as far as the file can be cut. Raises ``OSError`` where it cannot any more."""
    is_packed = frames.is_of_packed_lines(file)
    least = PORTION_BYTES // _PACKED_TIMES if is_packed else PORTION_BYTES
    if not (is_packed or is_of_plain_lines(file)) or not os.path.isfile(file) or os.path.getsize(file) <= least:
        return
    stream = _Kept(file)
    inode = _inode(os.fstat(stream.fileno()))
    parts: Iterator[Range | Run] = frames.runs(stream, PORTION_BYTES) if is_packed else _ranges(stream)
    for number, part in enumerate(parts):
        if number == 0 and not begins_with_lines(_text(stream, part), file):
            return
        yield Lines(file, part, inode, stream)


def _ranges(stream: _Kept) -> Iterator[Range]:
    end = line_feeds = 0
    while end < (whole := os.fstat(stream.fileno()).st_size):
        start, end = end, min(end + PORTION_BYTES, whole)
        count = ranges.line_feeds(stream, start, end)
        yield Range(start, end, line_feeds)
        line_feeds += count


def _text(stream: _Kept, part: Range | Run) -> Text:
    return Unpacked(stream, part) if isinstance(part, Run) else stream


def _part_size(part: Found | Lines) -> int:
    if isinstance(part, Lines):
        return part.range.end - part.range.start
    return len(part.data) if isinstance(part, Document) else 0


def _inode(status: os.stat_result) -> Inode:
    return status.st_dev, status.st_ino
