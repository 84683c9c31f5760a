"""Frames: the lines of a packed file, in frames that can be unpacked one without another.

In: lines. Out: a file of Zstandard frames one after another, each of whole lines, which every reader of Zstandard takes
for one stream. Refuses to know what the lines say.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import zstandard

#: A frame closes at so many bytes: large enough to be packed well, small enough to share a file out among workers.
_FRAME_BYTES = 4 * 2**20
_LEVEL = 10


class Frames:
    """A file that lines are written to; ``offset`` is where the next one begins, in unpacked bytes."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._compressor = zstandard.ZstdCompressor(_LEVEL)
        self._lines: list[bytes] = []
        self._size = 0
        self.offset = 0
        self.line_count = 0

    def __enter__(self) -> Frames:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._close_frame()
        finally:
            self._file.close()

    def write(self, line: bytes) -> None:
        """Adds a line; the line feed is ours."""
        self._lines.append(line + b"\n")
        self._size += len(line) + 1
        self.offset += len(line) + 1
        self.line_count += 1
        if self._size >= _FRAME_BYTES:
            self._close_frame()

    def _close_frame(self) -> None:
        if self._lines:
            self._file.write(self._compressor.compress(b"".join(self._lines)))
            self._lines.clear()
            self._size = 0
