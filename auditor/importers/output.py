"""The file that matches are written to, line by line, whole or not at all.

In: a path, and lines one after another. Out: the file, packed if its name says so. Refuses to know what the lines are.
"""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Protocol

import zstandard

from auditor.desks.outfile import whole


class _Stream(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> int: ...


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Gives what writes a line. The file takes its place at the end; if it is not come to, what was there stays.

    Packed files bear no time and no name, so that the same lines are the same bytes. Raises ``OSError`` where the file
    cannot be written.
    """
    with whole(path) as stream, _packed(stream, path.name) as packed:
        yield _line_writer(packed)


def _line_writer(stream: _Stream) -> Callable[[bytes], None]:
    def write(line: bytes) -> None:
        stream.write(line)
        stream.write(b"\n")

    return write


@contextlib.contextmanager
def _packed(stream: IO[bytes], name: str) -> Iterator[_Stream]:
    if name.lower().endswith(".gz"):
        with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:
            yield packed
    elif name.lower().endswith(".zst"):
        with zstandard.ZstdCompressor().stream_writer(stream, closefd=False) as packed:
            yield packed
    else:
        yield stream
