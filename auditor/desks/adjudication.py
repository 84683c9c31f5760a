"""Adjudication: one log under several rulesets and options, and what the score would be under each open reading.

In: a log, rulesets, options. Out: one opinion for each of them: the verdict, or why the log cannot be read there, and
what each reading of the open points that it leaned on would make of the score. Refuses to know rules: it has the log
read and replayed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from auditor.audit import verdict_on
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.log import Log, Unreadable, read_bytes
from auditor.table import Numbers
from auditor.verdict import Finding, Verdict
from auditor.verdict import document as verdict_document


@dataclass(frozen=True, slots=True)
class DealReading:
    """What a deal (by index) would score, one number a side, if the point is read so; ``event`` is where it came up."""

    deal: int
    event: int
    points: Numbers


@dataclass(frozen=True, slots=True)
class PointReading:
    """One reading of an open point: the deals that it is about, and the totals at the end if all are read so.

    All else stays as it was taken: other open points, and which deals were played.
    """

    reading: str
    is_taken: bool
    deals: tuple[DealReading, ...]
    totals: Numbers


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """An open point that the log leaned on; without ``readings`` it changed nothing of the score."""

    clause: str
    events: tuple[int, ...]
    readings: tuple[PointReading, ...]


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one ruleset with its options says of a log.

    ``options`` are those put to it, and ``left_out`` the log's own that this ruleset does not have. The ``verdict``
    names the log by the digest of its own text. ``is_readable``: the ruleset knows all that the log tells; if not, the
    log is accused of nothing, and the first finding of the verdict says what it does not know.
    """

    ruleset: str
    options: Mapping[str, Any]
    left_out: tuple[str, ...]
    is_own: bool
    verdict: Verdict
    open_points: tuple[OpenPoint, ...]

    @property
    def is_readable(self) -> bool:
        return self.verdict.status != "invalid"

    @property
    def fault(self) -> Finding | None:
        """The first thing wrong under these rules."""
        return self.verdict.first_fault if self.is_readable else None


def adjudicated(
    log: Log, rulesets: Sequence[str] = (), option_sets: Sequence[Mapping[str, Any]] = ()
) -> tuple[Opinion, ...]:
    """The log as it says itself, and then under each of the rulesets (its own, if none is named) with each option set.

    Options of the log are kept where a ruleset has them; those of a set go before them. A set that a ruleset does not
    have is passed over there. Raises ``CannotAudit`` for a set that none of the rulesets has.
    """
    own = _given(log)
    asked = [(ruleset, chosen) for ruleset in rulesets or [log.match.ruleset] for chosen in option_sets or [{}]]
    for chosen in option_sets:
        if not any(_fit(ruleset, chosen) for ruleset, other in asked if other == chosen):
            raise CannotAudit(" ".join(_unfit(ruleset, chosen) for ruleset in dict(asked)))
    opinions = [_opinion(log, log.match.ruleset, own, ())]
    for ruleset, chosen in asked:
        if not _fit(ruleset, chosen):
            continue
        kept = {key: value for key, value in own.items() if key in chosen or _fit(ruleset, {key: value})}
        options = {**kept, **chosen}
        if all((other.ruleset, other.options) != (ruleset, options) for other in opinions):
            opinions.append(_opinion(log, ruleset, options, tuple(key for key in own if key not in kept)))
    return tuple(opinions)


def document(log: Log, opinions: Sequence[Opinion]) -> dict[str, Any]:
    """The opinions as a plain document."""
    return {
        "format": "adjudication/1",
        "match": log.match.match,
        "log_digest": log.digest,
        "opinions": [
            {
                "ruleset": opinion.ruleset,
                "options": opinion.options,
                "left_out": opinion.left_out,
                "own": opinion.is_own,
                "readable": opinion.is_readable,
                "verdict": verdict_document(opinion.verdict),
                "open_points": opinion.open_points,
            }
            for opinion in opinions
        ],
    }


def _opinion(log: Log, ruleset: str, options: Mapping[str, Any], left_out: tuple[str, ...]) -> Opinion:
    own = _given(log)
    is_own = ruleset == log.match.ruleset and options == own
    entry = log if is_own else _reread(log, ruleset, options)
    verdict = replace(verdict_on(entry), match=log.match.match, ruleset=ruleset, log_digest=log.digest)
    return Opinion(ruleset, options, left_out, is_own, verdict, tuple(_open_points(verdict)))


def _reread(log: Log, ruleset: str, options: Mapping[str, Any]) -> Log | Unreadable:
    """The log as one of another ruleset with other options; nothing else in it is touched."""
    text = msgspec.json.decode(log.canonical, type=dict[str, msgspec.Raw])
    text["ruleset"] = msgspec.Raw(msgspec.json.encode(ruleset))
    text["options"] = msgspec.Raw(msgspec.json.encode(options))
    return read_bytes(msgspec.json.encode(text, order="sorted"), FORMS, log.place.file)


def _given(log: Log) -> Mapping[str, Any]:
    """The options that the log names."""
    given: Mapping[str, Any] = msgspec.to_builtins(log.match.options) if log.match.options is not msgspec.UNSET else {}
    return given


def _fit(ruleset: str, options: Mapping[str, Any]) -> bool:
    """Whether a ruleset has these options, with these values."""
    form = next(field.type for field in msgspec.structs.fields(GAMES[ruleset].form) if field.name == "options")
    try:
        msgspec.convert(dict(options), form)
    except msgspec.ValidationError:
        return False
    return True


def _unfit(ruleset: str, options: Mapping[str, Any]) -> str:
    """The first thing wrong with options that a ruleset does not have, as it is told of a log without events."""
    document = {"format": "match-log/1", "match": "x", "ruleset": ruleset, "options": options, "events": []}
    findings = verdict_on(read_bytes(msgspec.json.encode(document), FORMS)).findings
    return next(
        f"{ruleset}: {finding.place.pointer}: {finding.message(ruleset)}"
        for finding in findings
        if finding.place is not None and finding.place.pointer.startswith("/options")
    )


def _open_points(verdict: Verdict) -> Iterator[OpenPoint]:
    leaned: dict[str, list[Finding]] = {}
    for finding in verdict.findings:
        if finding.kind == "open":
            leaned.setdefault(finding.clause, []).append(finding)
    for clause, findings in leaned.items():
        events = tuple(finding.event for finding in findings if finding.event is not None)
        yield OpenPoint(clause, events, tuple(_readings(verdict, findings)))


def _readings(verdict: Verdict, findings: Sequence[Finding]) -> Iterator[PointReading]:
    """Each reading of one point, in the order in which they come up."""
    scored = [row for finding in findings for row in _deals(verdict, finding)]
    for reading in dict.fromkeys(reading for reading, _, _ in scored):
        rows = [(deal, taken) for other, deal, taken in scored if other == reading]
        totals = verdict.totals or ()
        for deal, taken in rows:
            totals = tuple(total + points - was for total, points, was in zip(totals, deal.points, taken, strict=True))
        is_taken = all(deal.points == taken for deal, taken in rows)
        yield PointReading(reading, is_taken, tuple(deal for deal, _ in rows), totals)


def _deals(verdict: Verdict, finding: Finding) -> Iterator[tuple[str, DealReading, Numbers]]:
    """For each reading of a finding what the deal would score, and what it was scored."""
    for deal in verdict.deals:
        first, last = deal.events
        if finding.event is None or deal.points is None or not first <= finding.event <= last:
            continue
        for reading, points in (finding.readings or {}).items():
            yield reading, DealReading(deal.index, finding.event, tuple(points)), deal.points
