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
from auditor.report import place_of
from auditor.store import SCHEMA, Audited, Auditor, Store, is_database, require


def is_ready(paths: Sequence[str]) -> bool:
    """Whether these are one database alone, of which nothing is audited."""
    return len(paths) == 1 and is_database(Path(paths[0]))


@contextmanager
def gathered(paths: Sequence[str], step: Callable[[], None]) -> Iterator[Path]:
    """A database alone is taken as it is; anything else is audited into a new one, which is gone afterwards.

    A database of an earlier schema is brought up to this version's. ``step`` is called for each log that is audited.
    Raises ``CannotAudit`` for a file that is missing, for what is no audit database of a schema that is known, and
    where no log can be read.
    """
    if is_ready(paths):
        database = Path(paths[0])
        if require(database) < SCHEMA:
            Store.open(database).close()
        yield database
        return
    with tempfile.TemporaryDirectory(prefix="auditor-site-") as folder:
        database = Path(folder) / "audit.db"
        with Store.open(database) as store:
            faults: list[str] = []
            stored = store.load(_audited(paths, step, faults), Auditor(__version__, rulebook.digest()))
        if not stored.matches:
            unreadable = f" ({stored.read} unreadable; the first: {faults[0]})" if faults else ""
            raise CannotAudit(f"{', '.join(paths)}: expected match logs, found none{unreadable}")
        yield database


def _audited(paths: Sequence[str], step: Callable[[], None], faults: list[str]) -> Iterator[Audited]:
    """What the paths hold, with its verdicts; ``faults`` gets the first one of what is no log, in words."""
    for entry in entries(paths):
        verdict = verdict_on(entry)
        step()
        if isinstance(entry, Log):
            yield entry, verdict
        elif entry.is_no_file:
            raise CannotAudit(f"{entry.place.file}: {verdict.findings[0].message(None)}")
        else:
            if not faults:
                first = verdict.findings[0]
                assert first.place is not None
                faults.append(f"{place_of(first.place, 'en')}, {first.clause}: {first.message(entry.ruleset)}")
            yield None, verdict
