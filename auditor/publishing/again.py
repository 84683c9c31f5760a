"""Again: everything that follows from the logs of an archive, made once more and compared.

In: the payload of an archive and its logs. Out: what differs: verdicts, tables, the database, the counts. Refuses to
know sums and signatures.

With another auditor than the one that made the archive only what the verdicts accuse of is compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from auditor import __version__, rulebook
from auditor.audit import verdict_on
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.publishing import layout
from auditor.publishing.doubts import Doubt, Step
from auditor.publishing.quality import Quality
from auditor.publishing.tables import TABLES, Row, Table, as_read, rows_in
from auditor.store import Auditor, Store
from auditor.verdict import Verdict, document, to_json

_DATABASE = f"{layout.PAYLOAD}/{layout.DATABASE}"
_NO_ROW: Row = ()


def audited_again(payload: Path, logs: Iterable[Log], is_same: bool, step: Step) -> Iterator[Doubt]:
    """Audits every log, and tells what in the archive is not what comes of it.

    ``is_same``: the archive was made by this auditor, with these rules.
    """
    try:
        with Store.look(payload / layout.DATABASE) as store:
            if is_same:
                yield from _everything(payload, store, logs, step)
            else:
                for log in logs:
                    step("audited")
                    yield from _verdict(store, log, verdict_on(log), is_same)
    except CannotAudit as error:
        yield Doubt(_DATABASE, str(error))


def _everything(payload: Path, store: Store, logs: Iterable[Log], step: Step) -> Iterator[Doubt]:
    doubts: list[Doubt] = []
    tables = [_Comparison(payload, table) for table in TABLES]
    quality = Quality()

    def audited() -> Iterator[tuple[Log, Verdict]]:
        for log in logs:
            verdict = verdict_on(log)
            step("audited")
            quality.add(log, verdict)
            doubts.extend(_verdict(store, log, verdict, is_same=True))
            for table in tables:
                table.add(log, verdict)
            yield log, verdict

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / layout.DATABASE
        with Store.open(path) as fresh:
            started = store.started()
            fresh.load(audited(), Auditor(__version__, rulebook.digest()), clock=lambda: started)
        yield from doubts
        for table in store.differing_tables(path):
            yield Doubt(_DATABASE, f"table: {table}")
    for comparison in tables:
        yield from comparison.end()
    yield from _counts(payload, quality)


def _verdict(store: Store, log: Log, verdict: Verdict, is_same: bool) -> Iterator[Doubt]:
    try:
        kept = store.verdict(log.digest)
    except CannotAudit:
        yield Doubt(_DATABASE, f"no verdict: {log.match.match}")
        return
    if kept != to_json(verdict) and (
        is_same or _accusations(msgspec.json.decode(kept)) != _accusations(document(verdict))
    ):
        yield Doubt(_DATABASE, f"other verdict: {log.match.match}")


def _accusations(verdict: dict[str, Any]) -> tuple[str, list[tuple[str, str, int | None]]]:
    """What a verdict says, whatever words the auditor has for it."""
    found = [
        (row["kind"], row["clause"], row["event"]) for row in verdict["findings"] if row["kind"] not in ("note", "open")
    ]
    return verdict["status"], found


class _Comparison:
    """A table of the archive beside the rows that the logs give; it ends where the two part."""

    def __init__(self, payload: Path, table: Table) -> None:
        self._name = f"{layout.TABLES}/{table.name}{layout.TABLE_SUFFIX}"
        self._table = table
        self._rows: Iterator[Row] = rows_in(payload / self._name, table)
        self._count = 0
        self._wrong = ""

    def add(self, log: Log, verdict: Verdict) -> None:
        if not self._wrong:
            self._compare(as_read(self._table.rows(log, verdict)))

    def end(self) -> Iterator[Doubt]:
        if not self._wrong:
            self._compare([_NO_ROW])
        if self._wrong:
            yield Doubt(f"{layout.PAYLOAD}/{self._name}", self._wrong)

    def _compare(self, rows: Iterable[Row]) -> None:
        try:
            for row in rows:
                if next(self._rows, _NO_ROW) != row:
                    self._wrong = f"row: {self._count}"
                    return
                self._count += 1
        except ValueError as error:
            self._wrong = str(error)


def _counts(payload: Path, quality: Quality) -> Iterator[Doubt]:
    """What the quality sheet counts of the logs that are here; what was left out, nobody can count again."""
    name = f"{layout.PAYLOAD}/{layout.QUALITY}"
    try:
        told = msgspec.json.decode((payload / layout.QUALITY).read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        yield Doubt(name, "unreadable")
        return
    counted = quality.document()
    for key, count in counted.items():
        if key not in ("read", "left_out") and told.get(key) != count:
            yield Doubt(name, f"count: {key}")
