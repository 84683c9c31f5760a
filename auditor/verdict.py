"""What the auditor says of a match: frozen values and their one JSON form.

In: findings, deals and totals from a replay, or diagnostics from the reader. Out: ``verdict/1`` as plain
documents and as bytes that are the same on every machine. Refuses to know how it is shown or stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

from auditor import rulebook
from auditor.errors import Place as Place  # callers find it beside the finding that holds it

Status: TypeAlias = Literal["invalid", "illegal", "misscored", "incomplete", "clean"]
Kind: TypeAlias = Literal["illegal", "claim", "open", "schema", "note"]
Outcome: TypeAlias = Literal["scored", "void", "broken", "unfinished"]
Numbers: TypeAlias = tuple[int, ...]

STATUSES: tuple[Status, ...] = ("invalid", "illegal", "misscored", "incomplete", "clean")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about one event.

    ``facts`` fill the clause's sentence in either language; ``legal`` lists codes of what would have been legal;
    ``readings`` gives, for an open point, each reading's points, one number a side; ``place`` is for faults of form.
    """

    kind: Kind
    clause: str
    event: int | None
    seat: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    legal: Sequence[str] | None = None
    expected: Any = None
    found: Any = None
    readings: Mapping[str, Numbers] | None = None
    place: Place | None = None

    def message(self, ruleset: str | None, language: str = "en") -> str:
        """One sentence with the facts of the case."""
        return rulebook.sentence(ruleset, self.clause, self.facts, language)


class DealResult(msgspec.Struct, frozen=True, gc=False):
    """One deal (or round) of the match. ``events`` are the first and last index; points hold one number a side."""

    index: int
    events: tuple[int, int]
    outcome: Outcome
    points: Numbers | None
    totals: Numbers
    claimed_points: Numbers | None = None
    claimed_totals: Numbers | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything said of one match; ``winner`` is a side, or ``None`` for a draw or while it is not over."""

    match: str | None
    ruleset: str | None
    options: Mapping[str, Any]
    producer: Mapping[str, Any] | None
    log_digest: str | None
    status: Status
    findings: tuple[Finding, ...]
    deals: tuple[DealResult, ...] = ()
    totals: Numbers | None = None
    winner: int | None = None
    over: bool = False

    @property
    def first_fault(self) -> Finding | None:
        """The first finding that makes the match not clean."""
        return next((f for f in self.findings if f.kind in ("schema", "illegal", "claim")), None)


def status(findings: Sequence[Finding], over: bool) -> Status:
    """The first that applies: illegal, misscored, incomplete, clean. (A log that is no match log is invalid.)"""
    kinds = {finding.kind for finding in findings}
    if "schema" in kinds:
        return "invalid"
    if "illegal" in kinds:
        return "illegal"
    if "claim" in kinds:
        return "misscored"
    return "clean" if over else "incomplete"


def document(verdict: Verdict) -> dict[str, Any]:
    """The verdict as a ``verdict/1`` document. ``points``, totals and claims that do not exist are ``None``."""
    return {
        "format": "verdict/1",
        "match": verdict.match,
        "ruleset": verdict.ruleset,
        "options": dict(verdict.options),
        "producer": verdict.producer,
        "log_digest": verdict.log_digest,
        "status": verdict.status,
        "findings": [_finding(finding, verdict.ruleset) for finding in verdict.findings],
        "deals": [msgspec.structs.asdict(deal) for deal in verdict.deals],
        "totals": verdict.totals,
        "winner": verdict.winner,
        "over": verdict.over,
    }


def to_json(verdict: Verdict) -> bytes:
    """The verdict on one line, keys sorted: the same bytes from every run."""
    return _ENCODER.encode(document(verdict))


def to_pretty_json(verdict: Verdict) -> bytes:
    """The same, indented for people, with a line feed at the end."""
    return msgspec.json.format(to_json(verdict), indent=2) + b"\n"


_ENCODER = msgspec.json.Encoder(order="sorted")


def _finding(finding: Finding, ruleset: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": finding.kind,
        "clause": finding.clause,
        "event": finding.event,
        "message": finding.message(ruleset),
    }
    if finding.seat is not None:
        row["seat"] = finding.seat
    if finding.legal is not None:
        row["legal"] = finding.legal
    if finding.expected is not None or finding.found is not None:
        row["expected"] = finding.expected
        row["found"] = finding.found
    if finding.readings is not None:
        row["readings"] = finding.readings
    if finding.place is not None:
        row["place"] = {
            "file": finding.place.file,
            "line": finding.place.line,
            "offset": finding.place.offset,
            "pointer": finding.place.pointer,
        }
    return row
