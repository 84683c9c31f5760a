"""Inputs: the logs of files, folders and databases alike, one after another.

In: paths. Out: what the reader hands on of each log, readable or not. Refuses to know what is done with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.errors import Place
from auditor.games import FORMS
from auditor.log import Diagnostic, Log, Reader, Unreadable, read
from auditor.store import Store, UnreadableRow, is_database


def entries(paths: Iterable[str]) -> Iterator[Log | Unreadable]:
    """What lies under the paths, in order: match logs, and audit databases with all logs that are stored in them.

    A log out of a database has its place there: the file is the database, and the line is the number of the log. Of
    what was no match log, a database knows the faults and not the text. Raises ``CannotAudit`` for a database that
    cannot be read.
    """
    for path in paths:
        if is_database(Path(path)):
            yield from _stored(Path(path))
        else:
            yield from read([path], FORMS)


def _stored(path: Path) -> Iterator[Log | Unreadable]:
    reader = Reader(FORMS)
    with Store.look(path) as store:
        for number, canonical in enumerate(store.all_logs(), 1):
            yield reader.read(canonical, Place(str(path), number, 0))
        for _, rows in itertools.groupby(store.unreadable(), _text_of):
            yield _unreadable(list(rows))


def _text_of(row: UnreadableRow) -> tuple[str, str | None, str | None, int | None]:
    """What the faults of one text have in common; where only its line tells them apart, the line."""
    is_nameless = row.match_id is None and row.digest is None
    return row.file, row.match_id, row.digest, row.line if is_nameless else None


def _unreadable(rows: list[UnreadableRow]) -> Unreadable:
    first = rows[0]
    return Unreadable(
        Place(first.file, first.line, 0),
        tuple(Diagnostic(row.clause, row.pointer, row.line, 0, {}) for row in rows),
        first.match_id,
        first.ruleset,
        first.digest,
    )
