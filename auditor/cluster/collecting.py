"""Collecting: the rows of results, in the order of the input, for a database.

In: folders that hold an audit, and single result files. Out: the URLs of results in order, and their rows. Refuses to
know what a database is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from auditor.cluster import manifest, results, storage
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.store import Auditor
from auditor.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Collection:
    """Result files in the order of the input. ``absent`` says in plain words what should be there and is not."""

    urls: Sequence[str]
    absent: Sequence[str]


def collected(paths: Iterable[str], by: Auditor, is_partial: bool) -> Collection:
    """The results under paths and URLs. A folder is read in the order of its manifest.

    Raises ``CannotAudit`` for a folder that lacks some of its results or the manifest, unless ``is_partial``, and for
    results of another auditor than ``by``.
    """
    urls: list[str] = []
    absent: list[str] = []
    for path in paths:
        url = storage.absolute(path)
        system, inside = storage.found(url)
        with storage.asking(url):
            is_folder = system.isdir(inside)
        if not is_folder:
            if results.head_of(url) is None:
                raise CannotAudit(f"{url}: expected results of an audit, found no such file or folder")
            urls.append(url)
            continue
        found = _in_folder(url, by)
        if found.absent and not is_partial:
            more = f" and {len(found.absent) - 1} more" if len(found.absent) > 1 else ""
            raise CannotAudit(f"{url}: expected all results of an audit, found that {found.absent[0]}{more}")
        urls += found.urls
        absent += found.absent
    return Collection(list(dict.fromkeys(urls)), absent)


def rows(urls: Iterable[str], by: Auditor) -> Iterator[tuple[Log | None, Verdict]]:
    """The rows of result files, one file after another. Raises ``CannotAudit`` for what is none of this auditor."""
    for url in urls:
        yield from results.rows_of(url, by)


def _in_folder(folder: str, by: Auditor) -> Collection:
    system, path = storage.found(folder)
    with storage.asking(folder):
        names = {name.rstrip("/").rpartition("/")[2] for name in system.ls(path, detail=False)}
    listed = manifest.read(folder)
    if listed is None:
        urls = [f"{folder}/{name}" for name in sorted(names) if name.endswith(results.SUFFIX)]
        return Collection(sorted(urls, key=_origin), [f"{manifest.NAME} is missing"])
    results.require_auditor(folder, listed.auditor, by)
    absent = []
    urls = []
    for part in listed.shards:
        if part.results in names:
            urls.append(f"{folder}/{part.results}")
        else:
            absent.append(f"{part.results} is missing ({part.file}: {part.missing or 'it was there'})")
    return Collection(urls, absent)


def _origin(url: str) -> tuple[str, int]:
    """Where the rows of a result file come from: the order that is known without a manifest."""
    head = results.head_of(url)
    if head is None:
        raise CannotAudit(f"{url}: expected results of an audit, found that they have gone")
    return head.file, head.start
