"""From a log and its verdict to rows, as far as that needs no database.

In: a log with its verdict. Out: their rows, without the numbers that the database gives. Refuses to know which
database it is, so that any process can do it. What comes out can be sent from one to another.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

import msgspec
import zstandard
from msgspec import UNSET, UnsetType

from auditor import events, verdict

Row: TypeAlias = dict[str, Any]

#: A log that takes more bytes than this an event counts by its bytes.
_BYTES_PER_EVENT = 200
#: Zstandard's fastest also packs logs best: a log of 590 events goes from 30.3 to 2.8 kB (level 3: 3.2), its verdict
#: from 1.65 to 0.47 kB.
_COMPRESSION_LEVEL = 1
_TATWEEL = "\u0640"


class AuditedLog(Protocol):
    """What the store needs of a log: the typed match, its digest, its canonical bytes and where it was read."""

    @property
    def match(self) -> events.Match: ...
    @property
    def digest(self) -> str: ...
    @property
    def canonical(self) -> bytes: ...
    @property
    def place(self) -> verdict.Place: ...


#: A log with its verdict; ``None`` for what could not be read as a log, whose verdict says why and where.
Audited: TypeAlias = tuple[AuditedLog | None, verdict.Verdict]


class LogRows(msgspec.Struct, array_like=True):
    """The rows of a log and its ``packed`` bytes. A row of ``seats`` comes after the player's id and listed name."""

    match: Row
    producer: Row | None
    seats: list[tuple[str, str, Row]]
    packed: bytes


class VerdictRows(msgspec.Struct, array_like=True):
    """The rows of a verdict. Clauses are named, ``clause`` is the one that was broken first."""

    ruleset: str | None
    clause: str | None
    verdict: Row
    documents: Row
    deals: list[Row]
    findings: list[Row]


class Prepared(msgspec.Struct, array_like=True):
    """All rows of one document.

    A log that the database has with this verdict has none. What is no log has no ``digest``, and nothing but
    ``unreadable`` rows. ``size`` is about how many events it has.
    """

    digest: str = ""
    size: int = 0
    log: LogRows | None = None
    verdict: VerdictRows | None = None
    unreadable: list[Row] = []


class Preparer:
    """Makes rows; each thread needs its own."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(_COMPRESSION_LEVEL, write_checksum=True)

    def prepared(self, log: AuditedLog | None, opinion: verdict.Verdict) -> Prepared:
        if log is None:
            return Prepared(unreadable=list(_unreadable(opinion)))
        return Prepared(log.digest, _size(log), self._log_rows(log, opinion), self._verdict_rows(opinion))

    def _log_rows(self, log: AuditedLog, opinion: verdict.Verdict) -> LogRows:
        head = log.match
        names = [_given(player.name) or player.id for player in head.players]
        match = {
            "match_id": head.match,
            "ruleset": head.ruleset,
            "status": opinion.status,
            "players": ", ".join(names),
            "started": _given(head.started),
            "ended": _given(head.ended),
            "events": len(head.events),
            "options": _json({} if head.options is UNSET else head.options),
            "file": log.place.file,
            "line": log.place.line,
            "offset": log.place.offset,
            "digest": log.digest,
        }
        side_count = len(opinion.totals) if opinion.totals else None
        seats = [
            (
                player.id,
                name,
                {
                    "seat": seat,
                    "side": seat % side_count if side_count else None,
                    "name": _given(player.name),
                    "bot": int(player.bot is True),
                },
            )
            for seat, (player, name) in enumerate(zip(head.players, names, strict=True))
        ]
        producer = None if head.producer is UNSET else _producer(head.producer)
        return LogRows(match, producer, seats, self._compressor.compress(log.canonical))

    def _verdict_rows(self, opinion: verdict.Verdict) -> VerdictRows:
        row = {
            "status": opinion.status,
            "totals": _json(opinion.totals),
            "winner": opinion.winner,
            "over": int(opinion.over),
        }
        texts = {"json": verdict.to_json(opinion), "facts": verdict.to_facts(opinion)}
        packed = {column: self._compressor.compress(text) for column, text in texts.items()}
        fault = opinion.first_fault
        clause = None if fault is None else fault.clause
        deals = [_deal(deal) for deal in opinion.deals]
        findings = [_finding(number, finding, opinion.ruleset) for number, finding in enumerate(opinion.findings)]
        return VerdictRows(opinion.ruleset, clause, row, packed, deals, findings)


def stored_before(log: AuditedLog) -> Prepared:
    """What is to be written of a log that the database has with its verdict: nothing. It counts like any other."""
    return Prepared(log.digest, _size(log))


def searched(name: str) -> str:
    """A name as the search index has it: as it is and, if that differs, without marks."""
    if name.isascii():
        return name
    bare = unmarked(name)
    return name if bare == name else f"{name} {bare}"


def unmarked(name: str) -> str:
    """A name without hamza, vowel and accent marks and without lengthening strokes, as the search index has it."""
    parts = unicodedata.normalize("NFKD", name.replace(_TATWEEL, ""))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _size(log: AuditedLog) -> int:
    return max(len(log.match.events), len(log.canonical) // _BYTES_PER_EVENT)


def _producer(producer: events.Producer) -> Row:
    name, version = producer.name, _given(producer.version) or ""
    build, platform = _given(producer.build) or "", _given(producer.platform) or ""
    label = " ".join(word for word in (name, version, build and f"build {build}", platform) if word)
    return {"label": label, "name": name, "version": version, "build": build, "platform": platform}


def _deal(deal: verdict.DealResult) -> Row:
    return {
        "deal": deal.index,
        "outcome": deal.outcome,
        "first_event": deal.events[0],
        "last_event": deal.events[1],
        "points": _json(deal.points),
        "totals": _json(deal.totals),
        "claimed_points": _json(deal.claimed_points),
        "claimed_totals": _json(deal.claimed_totals),
        "agrees": _agrees(deal),
    }


def _agrees(deal: verdict.DealResult) -> int | None:
    """Whether the claimed score is the computed one; ``None`` where nothing was claimed or can be computed."""
    points = tuple(0 for _ in deal.totals) if deal.outcome == "void" else deal.points
    if deal.claimed_points is None or points is None:
        return None
    return int(deal.claimed_points == points and deal.claimed_totals == deal.totals)


def _finding(number: int, finding: verdict.Finding, ruleset: str | None) -> Row:
    return {
        "number": number,
        "kind": finding.kind,
        "clause": finding.clause,
        "event": finding.event,
        "seat": finding.seat,
        "message_en": finding.message(ruleset, "en"),
        "message_ar": finding.message(ruleset, "ar"),
        "expected": _json(finding.expected),
        "found": _json(finding.found),
        "legal": _json(finding.legal),
        "readings": _json(finding.readings),
    }


def _unreadable(opinion: verdict.Verdict) -> Iterator[Row]:
    for finding in opinion.findings:
        place = finding.place or verdict.Place("", 0, 0, "")
        yield {
            "file": place.file,
            "line": place.line,
            "offset": place.offset,
            "pointer": place.pointer,
            "clause": finding.clause,
            "message_en": finding.message(opinion.ruleset, "en"),
            "message_ar": finding.message(opinion.ruleset, "ar"),
            "match_id": opinion.match,
            "ruleset": opinion.ruleset,
            "digest": opinion.log_digest or "",
        }


def _given(text: str | UnsetType) -> str | None:
    return None if text is UNSET else text


_ENCODER = msgspec.json.Encoder(order="sorted")


def _json(value: object) -> str | None:
    return None if value is None else _ENCODER.encode(value).decode()
