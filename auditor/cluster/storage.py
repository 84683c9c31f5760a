"""Storage: files and folders behind URLs, wherever they lie.

In: URLs as fsspec knows them, plain paths among them. Out: file systems, the logs under a URL, and the packages that
all of this takes. Refuses to know what is in a file.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from auditor.errors import CannotAudit
from auditor.sources import holds_lines, shown

#: What a listing calls that which changes when a file does, the surest first.
_TAGS = ("ETag", "etag", "mtime", "LastModified")
_PATTERN_SIGNS = "*?["


@dataclass(frozen=True, slots=True)
class File:
    """A file of logs. ``name`` is what places call it; ``url`` finds it from any machine that sees the same storage.

    ``size`` is in bytes, ``None`` where the storage does not tell; ``tag`` is the storage's word for its content.
    """

    url: str
    name: str
    size: int | None
    tag: str


def package(name: str) -> Any:
    """A module of the extra “cluster”. Raises ``CannotAudit`` where it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise CannotAudit(
            "several machines need the packages of the extra “cluster”: pip install 'auditor[cluster]'"
        ) from error


def is_url(path: str) -> bool:
    """Whether a path names its storage; others lie in the file system of the machine."""
    return "://" in path


def found(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it. Raises ``CannotAudit`` for a kind of storage that is not known."""
    if "::" in url:
        raise CannotAudit(f"{url}: expected the URL of one storage, found one inside another")
    core = package("fsspec.core")
    with asking(url):
        system, path = core.url_to_fs(url)
        return system, str(path)


@contextmanager
def asking(url: str) -> Iterator[None]:
    """Makes one line for the user of what a storage answers: each kind has exceptions of its own."""
    try:
        yield
    except CannotAudit:
        raise
    except Exception as error:
        raise CannotAudit(f"{shown(url)}: expected to read or write here, found: {plain(error)}") from error


def plain(error: BaseException) -> str:
    """An exception on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def absolute(path: str) -> str:
    """A path that means the same on every machine, without a slash at its end."""
    return path.rstrip("/") if is_url(path) else os.path.abspath(path)


def logs(paths: Iterable[str], apart_from: str) -> list[File]:
    """The files of logs under paths and URLs, in the order given, each once; what lies in one folder is left out.

    A folder is read with all folders in it, in the order of names: its files that are called like logs, hidden ones
    and verdicts left out. A name with ``*``, ``?`` or ``[`` that is no file is a pattern. Raises ``CannotAudit`` where
    there is nothing, or the storage cannot be asked.
    """
    files: dict[str, File] = {}
    for path in paths:
        if path == "-":
            raise CannotAudit("-: expected files that every machine can read, found standard input")
        for file in _under_url(path) if is_url(path) else _under_path(path):
            if not file.url.startswith(f"{absolute(apart_from)}/"):
                files.setdefault(file.url, file)
    return list(files.values())


def info(url: str) -> File:
    """What there is to say of one file, which is called as its URL is. Raises what the storage raises."""
    system, path = found(url)
    return _file(system, system.info(path), url, url)


def _under_path(path: str) -> Iterator[File]:
    """Files of this machine, named as the path was typed."""
    matching = [path]
    if not os.path.lexists(path) and any(sign in path for sign in _PATTERN_SIGNS):
        matching = [each for each in sorted(glob.glob(path, recursive=True)) if not _is_verdict(each)]
    if not matching:
        raise CannotAudit(f"{shown(path)}: expected match logs, no file is called so")
    for each in matching:
        system, top = found(os.path.abspath(each))
        for inside, entry in _entries(system, top, path):
            yield _file(system, entry, entry["name"], os.path.join(each, inside) if inside else each)


def _under_url(url: str) -> Iterator[File]:
    system, path = found(url)
    bare = url.rstrip("/")
    # What stands before the path, so that a host that the path leaves out is kept.
    start = bare.removesuffix(path) if bare.endswith(path) else system.unstrip_protocol("")
    tops = [path]
    with asking(url):
        if any(sign in path for sign in _PATTERN_SIGNS) and not system.exists(path):
            tops = [each for each in sorted(system.glob(path)) if not _is_verdict(each)]
    if not tops:
        raise CannotAudit(f"{shown(url)}: expected match logs, no file is called so")
    for top in tops:
        for _, entry in _entries(system, top, url):
            yield _file(system, entry, f"{start}{entry['name']}", f"{start}{entry['name']}")


def _entries(system: Any, top: str, asked: str) -> list[tuple[str, Any]]:
    """The files at or under a path, each with its path inside: in the order of names, folder by folder.

    Raises ``CannotAudit`` for a link to a folder, which no storage but that of one machine follows.
    """
    with asking(asked):
        entry = system.info(top)
        if entry["type"] != "directory":
            return [("", entry)]
        parts = {
            tuple(found["name"].removeprefix(top).strip("/").split("/")): found
            for found in system.find(top, detail=True).values()
        }
        for names, entry in sorted(parts.items(), key=lambda item: item[0]):
            if entry.get("islink") and not _is_hidden(names) and system.exists(entry["name"]):
                parts[names] = system.info(entry["name"])  # of what it leads to
                if parts[names]["type"] == "directory":
                    raise CannotAudit(
                        f"{entry['name']}: expected a file or folder, found a link to a folder; name that"
                    )
    return [("/".join(names), parts[names]) for names in sorted(parts) if _is_log(names)]


def _is_log(names: tuple[str, ...]) -> bool:
    """Whether a file in a folder is called like a log, and neither hidden nor a verdict."""
    name = names[-1]
    return not _is_hidden(names) and not _is_verdict(name) and (_unpacked(name).endswith(".json") or holds_lines(name))


def _is_hidden(names: tuple[str, ...]) -> bool:
    return any(name.startswith(".") for name in names)


def _is_verdict(name: str) -> bool:
    return _unpacked(name).endswith(".verdict.json")


def _unpacked(name: str) -> str:
    return name.lower().removesuffix(".gz").removesuffix(".zst")


def _file(system: Any, entry: Any, url: str, name: str) -> File:
    tag = next((entry[key] for key in _TAGS if entry.get(key)), None)
    if tag is None:
        try:
            tag = system.modified(entry["name"])
        except NotImplementedError:
            tag = ""
    return File(url, shown(name), entry.get("size"), str(tag))
