"""What is told of one document, as far as that needs no other, so that any process can do it; and of a load.

In: what the reader handed on, and the verdict on it; the counts of a load. Out: lines or JSON to print, and rows to
store. Refuses to know where they go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from auditor import report
from auditor.audit import Entry
from auditor.errors import Place
from auditor.log import Log, Unreadable
from auditor.rulebook import Language
from auditor.sources import shown
from auditor.store import Counts, Prepared, Preparer, stored_before
from auditor.verdict import Verdict, to_json, to_pretty_json

_PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "loaded": "{}: {} new matches, {} new verdicts of {} read", "no logs": ", {} of them no match logs",
        "same id": "{}: {} matches have the id of another match with other content",
    },
    "ar": {
        "loaded": "{}: مباريات جديدة: {}، نتائج جديدة: {}، من مقروء: {}", "no logs": "، منها ما ليس سجل مباراة: {}",
        "same id": "{}: مباريات لها معرّف مباراة أخرى بمحتوى آخر: {}",
    },
}  # fmt: skip


class Told(msgspec.Struct, array_like=True):
    """What is told of a document; ``complaint`` says why a file could not be had."""

    place: Place
    status: str
    complaint: str | None
    printed: str
    verdict: Verdict | None
    rows: Prepared | None


@dataclass(frozen=True, slots=True)
class Telling:
    """What is asked for.

    ``form`` is the one in which documents are printed one by one, if they are: ``text``, ``json`` or ``ndjson``; else
    the verdict is told. ``stores``: the rows are wanted.
    """

    form: str | None
    language: Language
    quiet: bool
    stores: bool

    @property
    def kind(self) -> type[Told]:
        return Told

    def __call__(self, entry: Entry, verdict: Verdict, is_known: bool) -> Told:
        place = entry.place
        complaint = None
        if isinstance(entry, Unreadable) and entry.is_no_file:
            complaint = f"{place.file}: {verdict.findings[0].message(None, self.language)}"
        rows = _rows(entry, verdict, is_known) if self.stores else None
        told = verdict if self.form is None else None
        return Told(place, verdict.status, complaint, self._printed(place, verdict), told, rows)

    def _printed(self, place: Place, verdict: Verdict) -> str:
        if self.form == "ndjson":
            return to_json(verdict).decode()
        if self.form == "json":
            return to_pretty_json(verdict).decode().rstrip()
        if self.form == "text" and not (self.quiet and verdict.status == "clean"):
            return "\n".join(line.plain for line in report.match_lines(verdict, place, self.language))
        return ""


def _rows(entry: Entry, verdict: Verdict, is_known: bool) -> Prepared:
    if is_known and isinstance(entry, Log):
        return stored_before(entry)
    return _preparer().prepared(entry if isinstance(entry, Log) else None, verdict)


@cache
def _preparer() -> Preparer:
    """The one of this process."""
    return Preparer()


def load_lines(db: Path, counts: Counts, no_log_count: int, language: Language) -> Iterator[str]:
    """What a load into a database did."""
    say = _PHRASES[language]
    name = shown(str(db))
    no_logs = say["no logs"].format(no_log_count) if no_log_count else ""
    yield say["loaded"].format(name, counts.matches, counts.verdicts, counts.read) + no_logs
    if counts.same_id:
        yield say["same id"].format(name, counts.same_id)
