"""A spreadsheet: one row a finding, or a row a pair of logs that part, as comma-separated values.

In: matches, divergences. Out: a CSV text (RFC 4180, UTF-8) with a row of titles. Refuses to know which program opens
it; so nothing that a log says is left to begin as a formula does.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import msgspec

from auditor.desks.comparison import Compared
from auditor.desks.divergence import Divergence
from auditor.desks.export import Told, placed, told
from auditor.desks.region import Region
from auditor.rulebook import Language, seen

TITLES = (
    *("state", "status", "match", "ruleset", "build", "file", "line", "event", "seat"),
    *("kind", "clause", "message", "expected", "found", "legal", "reason"),
)
PARTING_TITLES = (
    *("ruleset", "right", "facts", "clauses", "match_a", "file_a", "line_a", "event_a", "kind_a"),
    *("match_b", "file_b", "line_b", "event_b", "kind_b"),
)
#: What a cell begins with that some program takes for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_LONGEST_CELL = 2000


class Spreadsheet:
    """Rows in the order of the matches; what is clean, or has no faults and is missing, has none."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._told: list[Told] = []

    def add(self, match: Compared) -> None:
        self._told += told(match)

    def end(self) -> str:
        return sheet([TITLES, *(self._row(finding, region) for finding, region in placed(self._told))])

    def _row(self, told: Told, region: Region | None) -> tuple[Any, ...]:
        match, fault = told.match.shown, told.fault
        legal = None if told.finding is None else told.finding.legal
        place = told.match.place
        reason = None if told.match.before is None else told.match.before.reason
        return (
            told.state,
            match.status,
            match.name,
            match.ruleset,
            match.build,
            None if place is None else place.file,
            None if region is None else region.line,
            fault.event,
            fault.seat,
            fault.kind,
            fault.clause,
            told.message(self._language),
            _json(fault.expected),
            _json(fault.found),
            " ".join(legal or ()),
            reason,
        )


def parting(divergence: Divergence) -> tuple[Any, ...]:
    """The row of a pair of logs that part, under ``PARTING_TITLES``."""
    cause = divergence.cause
    sides = (
        (side.log.match.match, side.log.place.file, side.log.place.line, side.index, side.kind)
        for side in (divergence.one, divergence.other)
    )
    return cause.ruleset, cause.right, " ".join(cause.facts), " ".join(cause.clauses), *chain(*sides)


def sheet(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as text, every cell made safe."""
    text = io.StringIO()
    csv.writer(text).writerows(map(cell, row) for row in rows)
    return text.getvalue()


def cell(value: Any) -> str:
    """A value as the text of a cell, with a quote before what would begin a formula; nothing for ``None``."""
    text = "" if value is None else seen(str(value), _LONGEST_CELL)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
