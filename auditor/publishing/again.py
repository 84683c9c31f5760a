"""Again: everything that follows from the logs of an archive, made once more and compared.

In: the payload of an archive and its logs. Out: what differs: verdicts, tables, the database, the counts. Refuses to
know sums and signatures.

With another auditor than the one that made the archive only what the verdicts accuse of is compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from auditor import __version__, rulebook
from auditor.audit import verdict_on
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.publishing import description, layout
from auditor.publishing.description import Piece, Terms
from auditor.publishing.doubts import Doubt, Step
from auditor.publishing.layout import Seal
from auditor.publishing.quality import Quality
from auditor.publishing.sheet import sheet
from auditor.publishing.tables import TABLES, Row, Table, as_read, rows_in
from auditor.store import Auditor, Store
from auditor.verdict import Verdict, document, to_json

_DATABASE = f"{layout.PAYLOAD}/{layout.DATABASE}"
_NO_ROW: Row = ()
#: Kinds of findings that accuse of nothing.
_WORDS = ("note", "open")
#: The columns in which two auditors cannot differ, unless one of them is wrong.
_ESSENCE: Mapping[str, Sequence[str]] = {
    "matches": ("digest", "match_id", "status", "clause", "event", "totals", "winner", "over", "file", "line"),
    "deals": ("digest", "deal", "outcome", "points", "totals", "claimed_points", "claimed_totals"),
    "findings": ("digest", "kind", "clause", "event"),
}


def audited_again(payload: Path, logs: Iterable[Log], is_same: bool, step: Step) -> Iterator[Doubt]:
    """Audits every log, and tells what in the archive is not what comes of it.

    ``is_same``: the archive was made by this auditor, with these rules.
    """
    try:
        with Store.look(payload / layout.DATABASE) as store:
            if is_same:
                yield from _everything(payload, store, logs, step)
            else:
                yield from _essence(payload, store, logs, step)
    except CannotAudit as error:
        yield Doubt(_DATABASE, str(error))


def _essence(payload: Path, store: Store, logs: Iterable[Log], step: Step) -> Iterator[Doubt]:
    """What another auditor must have said as well: statuses, faults, scores. Of its words nothing can be said."""
    tables = [_Comparison(payload, table, _ESSENCE[table.name]) for table in TABLES]
    statuses = store.statuses()
    for log in logs:
        verdict = verdict_on(log)
        step("audited")
        yield from _verdict(store, log, verdict, is_same=False)
        first = verdict.first_fault
        if statuses.get(log.digest) != (verdict.status, None if first is None else first.clause):
            yield Doubt(_DATABASE, f"other verdict: {log.match.match}")
        for table in tables:
            table.add(log, verdict)
    for comparison in tables:
        yield from comparison.end()


def _everything(payload: Path, store: Store, logs: Iterable[Log], step: Step) -> Iterator[Doubt]:
    doubts: list[Doubt] = []
    tables = [_Comparison(payload, table, [column.name for column in table.columns]) for table in TABLES]
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


def said_again(payload: Path, seal: Seal, metadata: Callable[[str], str] | None) -> Iterator[Doubt]:
    """Tells which describing files are not what the auditor writes for the counts and terms that the archive names.

    Of the counts themselves :func:`audited_again` has its say.
    """
    try:
        package, counts, changes = (
            msgspec.json.decode((payload / name).read_bytes())
            for name in (layout.DESCRIPTION, layout.QUALITY, layout.CHANGES)
        )
        terms = Terms(
            package["title"],
            package.get("contributors", [{"title": ""}])[0]["title"],
            package.get("licenses", [{"name": ""}])[0]["name"],
            package["version"],
            package.get("created", "")[:10],
        )
        texts = {
            layout.QUALITY_SHEET: sheet(counts, changes, seal.auditor, seal.rules),
            layout.README: description.readme(terms, seal.root, counts),
            layout.CITATION: description.citation(terms),
        }
        if metadata is not None:
            texts[layout.METADATA] = metadata(Path(layout.DATABASE).stem)
        pieces = {
            row["path"]: Piece(row["path"], row["bytes"], row["hash"].removeprefix("sha256:"))
            for row in package["resources"]
        }
        tables = [f"{layout.TABLES}/{table.name}{layout.TABLE_SUFFIX}" for table in TABLES]
        logs = sorted(name for name in pieces if name.startswith(f"{layout.LOGS}/"))
        others = [name for name in pieces if name not in (*tables, *logs)]
        again = description.data_package(
            terms, seal.root, counts, *([pieces[name] for name in names] for names in (logs, tables, others))
        )
    except (OSError, msgspec.DecodeError, LookupError, TypeError, AttributeError, ValueError, RecursionError):
        yield Doubt(f"{layout.PAYLOAD}/{layout.DESCRIPTION}", "unreadable")
        return
    if package != again:
        yield Doubt(f"{layout.PAYLOAD}/{layout.DESCRIPTION}", "written otherwise")
    for name, text in texts.items():
        path = payload / name
        if not path.is_file() or path.read_bytes() != text.encode():
            yield Doubt(f"{layout.PAYLOAD}/{name}", "written otherwise")


def _verdict(store: Store, log: Log, verdict: Verdict, is_same: bool) -> Iterator[Doubt]:
    try:
        kept = store.verdict(log.digest)
    except CannotAudit:
        yield Doubt(_DATABASE, f"no verdict: {log.match.match}")
        return
    if kept != to_json(verdict) and (is_same or _told(kept) != _accusations(document(verdict))):
        yield Doubt(_DATABASE, f"other verdict: {log.match.match}")


def _told(kept: bytes) -> object:
    """What a stored verdict accuses of; nothing where it is none."""
    try:
        return _accusations(msgspec.json.decode(kept))
    except (msgspec.DecodeError, KeyError, TypeError, RecursionError):
        return None


def _accusations(verdict: dict[str, Any]) -> tuple[str, list[tuple[str, str, int | None]]]:
    """What a verdict says, whatever words the auditor has for it."""
    found = [(row["kind"], row["clause"], row["event"]) for row in verdict["findings"] if row["kind"] not in _WORDS]
    return verdict["status"], found


class _Comparison:
    """Columns of a table of the archive beside those that the logs give; it ends where the two part."""

    def __init__(self, payload: Path, table: Table, columns: Sequence[str]) -> None:
        names = [column.name for column in table.columns]
        self._name = f"{layout.TABLES}/{table.name}{layout.TABLE_SUFFIX}"
        self._table = table
        self._places = [names.index(column) for column in columns]
        #: Notes are words of an auditor: only where all columns are compared, all rows are.
        self._kind = names.index("kind") if "kind" in names and len(columns) < len(names) else None
        self._rows = self._compared(rows_in(payload / self._name, table))
        self._count = 0
        self._wrong = ""

    def add(self, log: Log, verdict: Verdict) -> None:
        if not self._wrong:
            self._compare(self._compared(as_read(self._table.rows(log, verdict))))

    def end(self) -> Iterator[Doubt]:
        if not self._wrong:
            self._compare([_NO_ROW])
        if self._wrong:
            yield Doubt(f"{layout.PAYLOAD}/{self._name}", self._wrong)

    def _compared(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            if self._kind is None or row[self._kind] not in _WORDS:
                yield tuple(row[place] for place in self._places)

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
    except (OSError, msgspec.DecodeError, RecursionError):
        yield Doubt(name, "unreadable")
        return
    counted = quality.document()
    for key in sorted(counted.keys() ^ told.keys()):
        yield Doubt(name, f"count: {key}")
    for key, count in counted.items():
        if key not in ("read", "left_out") and told.get(key) != count:
            yield Doubt(name, f"count: {key}")
