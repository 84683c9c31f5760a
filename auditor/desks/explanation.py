"""An explanation: one moment of a match with all that is said of it, for programs.

In: a log, its verdict, the table before an event. Out: a document in both languages. Refuses to know how it is shown.
"""

from __future__ import annotations

from typing import Any

import msgspec

from auditor import events, rulebook
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.position import Position
from auditor.rulebook import LANGUAGES
from auditor.verdict import Verdict
from auditor.verdict import document as verdict_document


def document(log: Log, verdict: Verdict, position: Position) -> dict[str, Any]:
    """The moment as a plain document.

    ``act`` is the event as the log has it, ``null`` at the end of the log. ``findings`` are those at this event, each
    as in the verdict, with its ``index`` there, its message and its rule in both languages, and the rule's source;
    ``deal`` is the deal that the event belongs to, as in the verdict, with the lines of its score.
    """
    said = verdict_document(verdict)
    at = position.event
    deals = [
        row for deal, row in zip(verdict.deals, said["deals"], strict=True) if deal.events[0] <= at <= deal.events[1]
    ]
    return {
        "format": "explanation/1",
        "match": verdict.match,
        "ruleset": verdict.ruleset,
        "options": said["options"],
        "log_digest": verdict.log_digest,
        "status": verdict.status,
        "event": at,
        "act": _act(log, at),
        "position": position,
        "legal": position.legal,
        "findings": [
            {
                **row,
                "index": index,
                "messages": {language: finding.message(verdict.ruleset, language) for language in LANGUAGES},
                "rule": _rule(verdict.ruleset, finding.clause),
            }
            for index, (finding, row) in enumerate(zip(verdict.findings, said["findings"], strict=True))
            if finding.event == at
        ],
        "deal": next(iter(deals), None),
    }


def event_of(verdict: Verdict, index: int) -> int:
    """The event of a finding, by its index in the verdict.

    Raises ``CannotAudit`` where there is no such finding, or it is about no event.
    """
    count = len(verdict.findings)
    if index >= count:
        wanted = f"a finding from 0 to {count - 1}" if count else "no finding, for there is none"
        raise CannotAudit(f"{verdict.match}: expected {wanted}, found {index}")
    event = verdict.findings[index].event
    if event is None:
        raise CannotAudit(f"{verdict.match}: expected a finding about an event, found {index}, which is about none")
    return event


def _act(log: Log, index: int) -> Any:
    """The event as it is written, also what a note carries."""
    if index == len(log.match.events):
        return None
    if not isinstance(log.match.events[index], events.Note):
        return log.match.events[index]
    return msgspec.json.decode(log.canonical, type=_Events).events[index]


class _Events(msgspec.Struct):
    events: list[msgspec.Raw]


def _rule(ruleset: str | None, clause: str) -> dict[str, Any]:
    entry = rulebook.entry(ruleset, clause)
    return {**entry.rule, "source": entry.source}
