"""A file that is written whole or not at all.

In: a path and bytes. Out: the file. Refuses to know what is in it.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Writes the bytes beside the path and puts them in its place, so that it never holds a part of them.

    Raises ``OSError`` where that cannot be done; what was there before stays.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
