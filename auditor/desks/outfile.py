"""Files and folders that are written whole or not at all.

In: a path, and bytes or somebody who fills the folder. Out: the file or folder. Refuses to know what is in it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from auditor.errors import CannotAudit

try:
    import fcntl
except ImportError:  # a system without such locks: two runs must not make the same folder at once there
    fcntl = None  # type: ignore[assignment]

#: Where names stand for what a program has open, and not for files.
_DEVICES = Path("/dev")


def write_whole(path: Path, data: bytes) -> None:
    """Writes the bytes beside the path and puts them in its place, so that it never holds a part of them.

    A link is followed, and a file keeps its permissions; what is no file (a pipe, a terminal) is written to. Raises
    ``OSError`` where that cannot be done; what was there before stays.
    """
    with whole(path) as stream:
        stream.write(data)


@contextlib.contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes take the place of the path at the end, as with :func:`write_whole`."""
    if path.parent == _DEVICES or (path.exists() and not path.is_file()):
        with path.open("wb") as stream:
            yield stream
        return
    target = path.resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    is_there = target.exists()
    if is_there and not target.stat().st_mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    with _part_of(target, path) as part:
        with part.open("wb") as stream:
            yield stream
        if is_there:
            shutil.copymode(target, part)
        part.replace(target)


def require_new(path: Path) -> None:
    """Raises ``CannotAudit`` where a file is; what is none (a pipe, a terminal) may be written to."""
    if path.is_file() and path.parent != _DEVICES:
        raise CannotAudit(f"{path}: expected no file of this name yet, found one")


@contextlib.contextmanager
def new_folder(path: Path, what: str) -> Iterator[Path]:
    """Gives a folder to fill, which becomes the one at ``path`` if all goes well, and is gone if it does not.

    What a killed run left of it is removed by the next one. ``what`` says in a refusal what was to be made. Raises
    ``CannotAudit`` where there is something at the path, where it cannot be written, and while another run fills it.
    """
    with _new(path, what) as part:
        part.mkdir()
        yield part
        part.rename(path)


def new_file(path: Path, data: bytes, what: str) -> None:
    """Writes a file where there is nothing yet, whole or not at all; refuses what :func:`new_folder` refuses."""
    with _new(path, what) as part:
        part.write_bytes(data)
        os.link(part, path)  # to rename it would take the place of what has come there meanwhile


@contextlib.contextmanager
def _new(path: Path, what: str) -> Iterator[Path]:
    if os.path.lexists(path):
        raise CannotAudit(f"{path}: expected nothing here yet, found something; {what} is never overwritten")
    absolute = path.absolute()
    if not absolute.parent.is_dir():
        raise CannotAudit(f"{path}: expected a folder to make it in, found none")
    try:
        with _part_of(absolute, path) as part:
            yield part
    except OSError as error:
        raise CannotAudit(f"{error.filename or path}: expected to write here, found: {error.strerror}") from error


@contextlib.contextmanager
def _part_of(target: Path, wanted: Path) -> Iterator[Path]:
    """The path beside the target where it is made. What a killed run left there is removed, and so is the part."""
    part = target.with_name(f".{target.name}.part")
    with _lock(target.with_name(f".{target.name}.lock"), wanted):
        try:
            _remove(part)
            yield part
        finally:
            with contextlib.suppress(OSError):
                _remove(part)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _lock(path: Path, wanted: Path) -> Iterator[None]:
    """Keeps other runs out; the system lets go of it when a run ends, however it ends. The file is gone in the end."""
    with path.open("ab") as file:  # nothing is cut off, wherever a link of this name leads
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CannotAudit(f"{wanted}: expected nobody at work here, found another run that is making it") from error
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
