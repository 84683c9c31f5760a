"""Frames: parts of a packed file of lines, each of which can be unpacked without the others.

In: a file of several frames of Zstandard, as the seekable format has them and packers that use all cores. Out: runs of
its frames with the lines that begin in them, and the text of a run. Refuses to know what a match is, and who reads
which run.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import FileIO

import zstandard

from auditor.ranges import Range
from auditor.sources import holds_lines

#: A frame that takes more, packed or unpacked, is not shared out.
_LARGEST = 16 * 2**20
#: So much, packed, may a run take with what its last line needs: whoever reads it holds it whole.
_LARGEST_RUN = 2 * _LARGEST
#: Of more frames a run is not made: to look at each would take longer than to unpack them one after another.
_MOST_FRAMES = 4096
_CHUNK = 2**20

#: How a frame begins that holds no text; the last four bits are anything.
_SKIPPABLE = 0x184D2A50
_LONGEST_HEADER = 18
_BLOCK_HEADER = 3
#: The kind of block that is one byte, to be repeated.
_REPEATED = 1
_CHECKSUM = 4


@dataclass(frozen=True, slots=True)
class Run:
    """Some frames of a file: its bytes from ``start`` to before ``end``.

    ``lines`` are those that begin in the run, in places of the file's whole text; where the last of them goes on
    beyond the run, so does ``end``. ``before`` is the byte before the run's text.
    """

    start: int
    end: int
    lines: Range
    before: bytes


def is_of_packed_lines(name: str) -> bool:
    """Whether a file is called like one of packed lines that can be in frames."""
    return holds_lines(name) and name.lower().endswith(".zst")


def runs(stream: FileIO, least: int) -> Iterator[Run]:
    """All frames of a file in runs of ``least`` bytes of text, or a few more.

    Of what is given, all has been unpacked once. Raises ``OSError`` where what comes next is no sound frame, or where
    frames are too large or too small.
    """
    held: list[Run] = []
    at = place = line_feeds = 0
    last = b""
    while at < (whole := os.fstat(stream.fileno()).st_size):
        start, text_start, before, feeds_before = at, place, last, line_feeds
        count = 0
        while place - text_start < least and at < whole:
            count += 1
            _require_at_most(_MOST_FRAMES, count)
            frame = _frame(stream, at)
            for chunk in _chunks(frame):
                place += len(chunk)
                line_feeds += chunk.count(b"\n")
                last = chunk[-1:]
            at += len(frame)
        if line_feeds > feeds_before:  # at the first of them the lines of all that is held have come to their end
            yield from (replace(run, end=at) for run in held)
            held.clear()
        held.append(Run(start, at, Range(text_start, place, feeds_before), before))
        _require_at_most(_LARGEST_RUN, at - held[0].start)
        if last == b"\n":
            yield from held
            held.clear()
    yield from (replace(run, end=at) for run in held)


class Unpacked:
    """The text of a run as a stream; places in it are those of the file's whole text.

    Raises ``OSError`` for what is no sound run any more.
    """

    def __init__(self, stream: FileIO, run: Run) -> None:
        self._run = run
        self._packed = _bytes(stream, run.start, run.end - run.start)
        self._rewind()

    def seek(self, place: int) -> None:
        """Go to a place that is not before the byte before the run."""
        if place < self._place:
            self._rewind()
        while self._place < place and self.read(min(_CHUNK, place - self._place)):
            pass

    def read(self, length: int) -> bytes:
        """Some of the next bytes, ``length`` at most; none at the end."""
        if self._place < self._run.lines.start:
            data = self._run.before
        else:
            with _no_frame():
                data = self._unpacker.read(length)
        self._place += len(data)
        return data

    def _rewind(self) -> None:
        self._unpacker = _unpacker(self._packed)
        self._place = self._run.lines.start - len(self._run.before)


def _frame(stream: FileIO, at: int) -> bytes:
    """The frame that begins here, as it is packed."""
    stream.seek(at)
    start = stream.read(_LONGEST_HEADER)
    if int.from_bytes(start[:4], "little") & ~0xF == _SKIPPABLE:
        length = 8 + int.from_bytes(start[4:8], "little")
        _require_at_most(_LARGEST, length)
        return _bytes(stream, at, length)
    with _no_frame():
        has_checksum = zstandard.get_frame_parameters(start).has_checksum
        end = at + zstandard.frame_header_size(start)
    is_last = False
    while not is_last:
        block = int.from_bytes(_bytes(stream, end, _BLOCK_HEADER), "little")
        is_last = block & 1 == 1
        end += _BLOCK_HEADER + (1 if block >> 1 & 3 == _REPEATED else block >> 3)
        _require_at_most(_LARGEST, end - at)
    return _bytes(stream, at, end - at + (_CHECKSUM if has_checksum else 0))


def _chunks(frame: bytes) -> Iterator[bytes]:
    """The text of a frame."""
    unpacker = _unpacker(frame)
    length = 0
    with _no_frame():
        while chunk := unpacker.read(_CHUNK):
            length += len(chunk)
            _require_at_most(_LARGEST, length)
            yield chunk


def _unpacker(packed: bytes) -> zstandard.ZstdDecompressionReader:
    return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)


def _bytes(stream: FileIO, start: int, length: int) -> bytes:
    stream.seek(start)
    data = stream.read(length)
    if len(data) < length:
        raise OSError(errno.EIO, "the file ends within a frame")
    return data


def _require_at_most(most: int, length: int) -> None:
    if length > most:
        raise OSError(errno.EFBIG, "this is too much to be shared out")


@contextmanager
def _no_frame() -> Iterator[None]:
    try:
        yield
    except zstandard.ZstdError as error:
        raise OSError(errno.EIO, "this is no sound frame") from error
