"""What the auditor says of a match: frozen values and their one JSON form.

In: findings, deals and totals from a replay, or diagnostics from the reader. Out: ``verdict/1`` as plain
documents and as bytes that are the same on every machine. Refuses to know how it is shown or stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from auditor import rulebook
from auditor.errors import Place as Place  # callers find it beside the finding that holds it

Status: TypeAlias = Literal["invalid", "illegal", "misscored", "incomplete", "clean"]
Kind: TypeAlias = Literal["illegal", "claim", "open", "schema", "note"]
Outcome: TypeAlias = Literal["scored", "void", "broken", "unfinished"]
Numbers: TypeAlias = tuple[int, ...]

#: The unit of lines that count; lines of any other unit only explain how these come about.
POINTS = "points"

STATUSES: tuple[Status, ...] = ("invalid", "illegal", "misscored", "incomplete", "clean")


class Finding(msgspec.Struct, frozen=True, gc=False):
    """One thing to say about one event.

    ``facts`` fill the clause's sentence in either language; ``legal`` lists codes of what would have been legal;
    ``readings`` gives, for an open point, each reading's points, one number a side; ``place`` is for faults of form.
    ``against`` are the lines of the deal, by index, that a wrong claim of its score contradicts; ``follows`` is the
    index of the earlier finding that this one follows from.
    """

    kind: Kind
    clause: str
    event: int | None
    seat: int | None = None
    facts: Mapping[str, Any] = {}
    legal: Sequence[str] | None = None
    expected: Any = None
    found: Any = None
    readings: Mapping[str, Numbers] | None = None
    place: Place | None = None
    against: Sequence[int] | None = None
    follows: int | None = None

    def message(self, ruleset: str | None, language: str = "en") -> str:
        """One sentence with the facts of the case."""
        return rulebook.sentence(ruleset, self.clause, self.facts, language)


class LedgerLine(msgspec.Struct, frozen=True, gc=False):
    """What a side gets in a deal, and why; ``events`` are the indexes of the events that brought it about.

    The lines of unit ``points`` add up to what the deal scores; the others explain how these come about. ``facts`` fill
    the clause's sentence in either language.
    """

    side: int
    points: int
    unit: str
    clause: str
    facts: Mapping[str, Any]
    events: tuple[int, ...]

    def message(self, ruleset: str | None, language: str = "en") -> str:
        """The reason, with the facts of the case."""
        return rulebook.sentence(ruleset, self.clause, self.facts, language)


class DealResult(msgspec.Struct, frozen=True, gc=False):
    """One deal (or round) of the match. ``events`` are the first and last index; points hold one number a side.

    ``lines`` are what the points of a scored deal come from, in the order of the rules page.
    """

    index: int
    events: tuple[int, int]
    outcome: Outcome
    points: Numbers | None
    totals: Numbers
    claimed_points: Numbers | None = None
    claimed_totals: Numbers | None = None
    lines: tuple[LedgerLine, ...] = ()

    def claims(self, finding: Finding) -> bool:
        """Whether a finding is about the claim of this deal's score."""
        return (
            finding.clause in ("claim.score", "claim.total")
            and finding.expected is not None
            and finding.event is not None
            and self.events[0] <= finding.event <= self.events[1]
            and finding.found in (self.claimed_points, self.claimed_totals)
        )

    def contradicted(self) -> list[int]:
        """The lines that count, by index, of the sides for which other points are claimed."""
        if self.points is None or self.claimed_points is None:
            return []
        return [
            number
            for number, line in enumerate(self.lines)
            if line.unit == POINTS and self.points[line.side] != self.claimed_points[line.side]
        ]


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


def linked(findings: Sequence[Finding], deals: Sequence[DealResult]) -> tuple[Finding, ...]:
    """The findings, in log order, with what ties those about claims to lines of a deal and to each other.

    A wrong score is against the lines of the sides that it is wrong about. Totals that are wrong by as much as those
    claimed before them follow from the finding that first showed this difference.
    """
    found = list(findings)
    steps = [(finding.event or 0, False, number) for number, finding in enumerate(found) if finding.kind == "claim"]
    if not steps:
        return tuple(found)
    #: By how much claimed totals differ from computed ones, and the finding that showed it first.
    difference: Numbers | None = None
    origin: int | None = None
    in_deal: list[int] = []
    for _, is_deal, number in sorted([*steps, *((deal.events[1], True, deal.index) for deal in deals)]):
        if not is_deal:
            if found[number].clause == "claim.result" and origin is not None and _is_off_by(found[number], difference):
                found[number] = replace(found[number], follows=origin)
            in_deal.append(number)
            continue
        deal = deals[number]
        claim = next((number for number in in_deal if deal.claims(found[number])), None)
        in_deal.clear()
        if claim is not None and found[claim].clause == "claim.score":
            found[claim] = replace(found[claim], against=deal.contradicted() or None)
        if deal.claimed_totals is None:
            continue
        off = tuple(map(sub, deal.claimed_totals, deal.totals))
        if not any(off):
            difference = origin = None
        elif off != difference:
            difference, origin = off, claim
        elif claim is not None and origin is not None and found[claim].clause == "claim.total":
            found[claim] = replace(found[claim], follows=origin)
    return tuple(found)


def _is_off_by(finding: Finding, difference: Numbers | None) -> bool:
    """Whether the totals of a result are wrong by this difference, and its winner is not wrong."""
    if finding.expected is None or finding.found["winner"] != finding.expected["winner"]:
        return False
    return tuple(map(sub, finding.found["total"], finding.expected["total"])) == difference


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
        "deals": [_deal(deal, verdict.ruleset) for deal in verdict.deals],
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


def to_facts(verdict: Verdict) -> bytes:
    """The verdict with the facts that its sentences are made of: for programs of this version, to be read back."""
    return _FACTS_ENCODER.encode(verdict)


def from_facts(data: bytes) -> Verdict:
    """The verdict that :func:`to_facts` wrote; sequences may have become lists. Raises ``ValueError``."""
    return _FACTS_DECODER.decode(data)


_ENCODER = msgspec.json.Encoder(order="sorted")
_FACTS_ENCODER = msgspec.msgpack.Encoder()  # readings keep their order
_FACTS_DECODER = msgspec.msgpack.Decoder(Verdict)


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
    if finding.against is not None:
        row["against"] = finding.against
    if finding.follows is not None:
        row["follows"] = finding.follows
    return row


def _deal(deal: DealResult, ruleset: str | None) -> dict[str, Any]:
    return {
        "index": deal.index,
        "events": deal.events,
        "outcome": deal.outcome,
        "points": deal.points,
        "totals": deal.totals,
        "claimed_points": deal.claimed_points,
        "claimed_totals": deal.claimed_totals,
        "lines": [_line(line, ruleset) for line in deal.lines],
    }


def _line(line: LedgerLine, ruleset: str | None) -> dict[str, Any]:
    return {
        "side": line.side,
        "points": line.points,
        "unit": line.unit,
        "clause": line.clause,
        "message": line.message(ruleset),
        "events": line.events,
    }
