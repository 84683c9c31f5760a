"""A file that is written whole or not at all.

In: a path and bytes. Out: the file. Refuses to know what is in it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from pathlib import Path

#: Where names stand for what a program has open, and not for files.
_DEVICES = Path("/dev")


def write_whole(path: Path, data: bytes) -> None:
    """Writes the bytes beside the path and puts them in its place, so that it never holds a part of them.

    A link is followed, and a file keeps its permissions; what is no file (a pipe, a terminal) is written to. Raises
    ``OSError`` where that cannot be done; what was there before stays.
    """
    if path.parent == _DEVICES or (path.exists() and not path.is_file()):
        path.write_bytes(data)
        return
    target = path.resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    is_there = target.exists()
    if is_there and not target.stat().st_mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        if is_there:
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
