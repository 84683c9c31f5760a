"""What ``auditor audit`` tells of one document, as far as that needs no other: whichever process audits it does this.

In: what the reader handed on, and the verdict on it. Out: the lines or the JSON to print, the rows to store. Refuses to
know where they go.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import msgspec

from auditor import report
from auditor.audit import Entry
from auditor.errors import Place
from auditor.log import Log, Unreadable
from auditor.rulebook import Language
from auditor.store import Prepared, Preparer
from auditor.verdict import Verdict, to_json, to_pretty_json


class Told(msgspec.Struct, array_like=True):
    """What is told of a document; ``complaint`` says why a file could not be had."""

    place: Place
    status: str
    complaint: str | None
    printed: bytes
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

    def _printed(self, place: Place, verdict: Verdict) -> bytes:
        if self.form == "ndjson":
            return to_json(verdict)
        if self.form == "json":
            return to_pretty_json(verdict).rstrip()
        if self.form == "text" and not (self.quiet and verdict.status == "clean"):
            lines = (line.plain for line in report.match_lines(verdict, place, self.language))
            return "\n".join(lines).encode("utf-8", "backslashreplace")
        return b""


def _rows(entry: Entry, verdict: Verdict, is_known: bool) -> Prepared:
    if is_known and isinstance(entry, Log):
        return Prepared(entry.digest)
    return _preparer().prepared(entry if isinstance(entry, Log) else None, verdict)


@cache
def _preparer() -> Preparer:
    """The one of this process."""
    return Preparer()
