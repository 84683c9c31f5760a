"""An archive: a set of files as a folder or as a ZIP, written whole, and read back as something that may be hostile.

In: names and bytes, or a path. Out: a folder or a ZIP (the same bytes for the same files, everywhere), or the files
with all that is odd about how they lie there. Refuses to know what is in them.
"""

from __future__ import annotations

import contextlib
import io
import re
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from auditor.desks.outfile import new_file, new_folder
from auditor.errors import CannotAudit

#: ``link``: no plain file or folder; ``name``: a name that no file of ours has, or that stands twice; ``empty``: a
#: folder without files; ``damaged``: its bytes cannot be had; ``packed``: another program has packed the ZIP, which is
#: not unpacked; ``structure``: the ZIP is not as it was written, though its files can be had; ``no zip``: they cannot.
Oddity: TypeAlias = Literal["link", "name", "empty", "damaged", "packed", "structure", "no zip"]

#: More than this is not read.
MOST_BYTES = 2**30
_SUFFIX = ".zip"
#: Folders and files of plain letters, one below another: nothing that leads out, nothing that two systems read apart.
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,3}")
#: The first moment that a ZIP can name: when a case was made is no part of it.
_MOMENT = (1980, 1, 1, 0, 0, 0)
#: What :mod:`zipfile` raises for bytes that are no ZIP, or one that it does not know.
_UNREADABLE = (zipfile.BadZipFile, ValueError, RuntimeError, EOFError, OverflowError, struct.error)
_MODE = (stat.S_IFREG | 0o644) << 16
#: What stands before each file of a ZIP: where there is none of it, there was no ZIP.
_ENTRY = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something odd, and about which file; ``offset`` is the byte of a ZIP at which its structure changed."""

    oddity: Oddity
    file: str
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """What lies in an archive: the bytes of each file by its name, and all that is odd."""

    files: Mapping[str, bytes]
    troubles: tuple[Trouble, ...]


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """Writes a new ZIP, if that is what the path is called, or else a new folder: whole, or not at all.

    Raises ``CannotAudit`` where there is something already, or it cannot be written.
    """
    if path.name.lower().endswith(_SUFFIX):
        new_file(path, packed(files), "a case")
        return
    with new_folder(path, "a case") as part:
        for name, data in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(data)


def packed(files: Mapping[str, bytes]) -> bytes:
    """A ZIP of the files in the order of their names, stored as they are: a packer may change, bytes do not."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.create_system = 3  # wherever it is made
            entry.external_attr = _MODE
            archive.writestr(entry, files[name])
    return stream.getvalue()


def read(path: Path) -> Contents:
    """The files of a folder or a ZIP, with all that is odd. Raises ``CannotAudit`` where there is neither."""
    try:
        if path.is_dir():
            return _folder(path)
        size = path.stat().st_size
        if not path.is_file():
            raise CannotAudit(f"{path}: expected a folder or a ZIP, found something else")
        if size > MOST_BYTES:
            raise CannotAudit(f"{path}: expected at most {MOST_BYTES} bytes, found {size}")
        return _zip(path)
    except OSError as error:
        raise CannotAudit(f"{path}: expected a folder or a ZIP, found: {error.strerror}") from error


def _folder(top: Path) -> Contents:
    files: dict[str, bytes] = {}
    troubles: list[Trouble] = []
    left = MOST_BYTES
    for path, oddity in walk(top):
        name = path.relative_to(top).as_posix()
        if oddity is not None:
            troubles.append(Trouble(oddity, name))
        elif not _NAME.fullmatch(name):
            troubles.append(Trouble("name", name))
        else:
            left -= path.stat().st_size
            if left < 0:
                raise CannotAudit(f"{top}: expected at most {MOST_BYTES} bytes, found more")
            try:
                files[name] = path.read_bytes()
            except OSError:
                troubles.append(Trouble("damaged", name))
    return Contents(files, tuple(troubles))


def walk(folder: Path) -> Iterator[tuple[Path, Oddity | None]]:
    """The files below a folder in the order of their names; what is none comes with what it is instead."""
    pending = [folder]
    while pending:
        here = pending.pop()
        inside = sorted(here.iterdir(), reverse=True)
        if not inside and here != folder:
            yield here, "empty"
        for path in reversed(inside):
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                pending.append(path)
            else:
                yield path, None if stat.S_ISREG(mode) else "link"


def _zip(path: Path) -> Contents:
    data = path.read_bytes()
    files: dict[str, bytes] = {}
    troubles: list[Trouble] = []
    left = len(data)  # entries that lie on one another would be more
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            for entry in entries:
                is_packed = _is_packed(entry)
                name = entry.filename.removesuffix("/") if is_packed else entry.filename
                if name in files or not _NAME.fullmatch(name):
                    troubles.append(Trouble("name", entry.filename))
                elif is_packed:
                    troubles.append(Trouble("packed", ""))
                elif (content := _stored(archive, entry, left)) is None:
                    troubles.append(Trouble("damaged", entry.filename))
                else:
                    files[entry.filename] = content
                    left -= len(content)
    except _UNREADABLE as error:
        if _ENTRY not in data:
            raise CannotAudit(f"{path}: expected a folder or a ZIP, found something else") from error
        return Contents({}, (Trouble("no zip", ""),))
    if not troubles:
        again = packed(files)
        if again != data:
            pairs = enumerate(zip(again, data, strict=False))
            offset = next((at for at, (one, other) in pairs if one != other), min(len(again), len(data)))
            troubles.append(Trouble("structure", "", offset))
    return Contents(files, tuple(dict.fromkeys(troubles)))


def _is_packed(entry: zipfile.ZipInfo) -> bool:
    """Whether other programs write such an entry, and the auditor never does: a packed file, or a folder."""
    return entry.compress_type == zipfile.ZIP_DEFLATED or (entry.is_dir() and entry.file_size == 0)


def _stored(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes | None:
    """The bytes of an entry that is stored as it is, and has ``most`` of them at most; else ``None``."""
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size or entry.file_size > most:
        return None
    with contextlib.suppress(*_UNREADABLE):
        return archive.read(entry)
    return None
