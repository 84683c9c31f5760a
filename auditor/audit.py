"""From a log to its verdict, whichever ruleset it is of.

In: what the reader hands on, readable or not. Out: one verdict each, in the same order. Refuses to know files and
rules: it brings the reader's matches, the list of games and the replay together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from auditor.errors import Place
from auditor.games import FORMS, GAMES
from auditor.log import Log, Unreadable, read
from auditor.replay import audit as replay
from auditor.verdict import Finding, Verdict

Entry: TypeAlias = Log | Unreadable


def audited(paths: Iterable[str]) -> Iterator[tuple[Entry, Verdict]]:
    """Every match under the paths, in order, with its verdict."""
    for entry in read(paths, FORMS):
        yield entry, verdict_on(entry)


def verdict_on(entry: Entry) -> Verdict:
    """The verdict on one match, or of status ``invalid`` on what is no match log."""
    if isinstance(entry, Unreadable):
        return _invalid(entry)
    return replay(GAMES[entry.match.ruleset], entry.match, entry.digest)


def _invalid(entry: Unreadable) -> Verdict:
    file = entry.place.file
    findings = tuple(
        Finding(
            "schema",
            fault.clause,
            _event_index(fault.pointer),
            facts=fault.facts,
            place=Place(file, fault.line, fault.offset, fault.pointer),
        )
        for fault in entry.diagnostics
    )
    return Verdict(
        match=entry.match,
        ruleset=entry.ruleset,
        options={},
        producer=None,
        log_digest=entry.digest,
        status="invalid",
        findings=findings,
    )


def _event_index(pointer: str) -> int | None:
    """The index of the event that a JSON pointer into a match leads to."""
    match pointer.split("/"):
        case ["", "events", index, *_] if index.isascii() and index.isdecimal():
            return int(index)
    return None
