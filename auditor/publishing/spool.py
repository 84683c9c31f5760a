"""The spool: logs that wait on disk until all are there, and come back in another order.

In: canonical logs in the order in which they are read. Out: the same, each once, sorted. Refuses to know what is in
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType


class Spool:
    """A file of logs, packed one after another; in memory is only where each begins: some 200 bytes a log."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("w+b")
        self._end = 0
        self._places: dict[str, tuple[str, int, int]] = {}

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._path.unlink()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, part: str, digest: str, canonical: bytes) -> bool:
        """Keeps a log as one of a part; ``False`` for one that is there already."""
        if digest in self._places:
            return False
        self._file.write(canonical)
        self._places[digest] = (part, self._end, len(canonical))
        self._end += len(canonical)
        return True

    def sorted(self) -> Iterator[tuple[str, bytes]]:
        """Each log with its part: by parts, and within one by digest."""
        for _, (part, start, length) in sorted(self._places.items(), key=lambda item: (item[1][0], item[0])):
            self._file.seek(start)
            yield part, self._file.read(length)
