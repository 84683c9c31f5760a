"""Gathering: the audit database that a site is made of.

In: a database, or paths of logs and databases. Out: the path of one database, which is there for as long as it is
needed. Refuses to know pages.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from auditor import __version__, rulebook
from auditor.audit import verdict_on
from auditor.desks.inputs import entries
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.store import SCHEMA, Audited, Auditor, Store, is_database, require


@contextmanager
def gathered(paths: Sequence[str], step: Callable[[], None]) -> Iterator[Path]:
    """A database alone is taken as it is; anything else is audited into a new one, which is gone afterwards.

    A database of an earlier schema is brought up to this version's. ``step`` is called for each log that is audited.
    Raises ``CannotAudit`` for a file that is missing, and for what is no audit database of a schema that is known.
    """
    if len(paths) == 1 and is_database(Path(paths[0])):
        database = Path(paths[0])
        if require(database) < SCHEMA:
            Store.open(database).close()
        yield database
        return
    with tempfile.TemporaryDirectory(prefix="auditor-site-") as folder:
        database = Path(folder) / "audit.db"
        with Store.open(database) as store:
            store.load(_audited(paths, step), Auditor(__version__, rulebook.digest()))
        yield database


def _audited(paths: Sequence[str], step: Callable[[], None]) -> Iterator[Audited]:
    for entry in entries(paths):
        verdict = verdict_on(entry)
        step()
        if isinstance(entry, Log):
            yield entry, verdict
        elif entry.is_no_file:
            raise CannotAudit(f"{entry.place.file}: {verdict.findings[0].message(None)}")
        else:
            yield None, verdict
