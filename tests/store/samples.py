"""Hand-made matches and verdicts, enough to fill every table. No rule is applied: the verdicts are made up."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from auditor import events, rulebook, verdict
from auditor.store import Audited, Auditor

FIRST = Auditor("0.1.0", "sha256:aaaaaaaaaaaaaaaa")
SECOND = Auditor("0.2.0", "sha256:bbbbbbbbbbbbbbbb")

NAMES = ("Sami", "سلمى", "أحمد", "<script>alert(1)</script>", "Noé", "عبد الرحمن", "Lina", 'o\'Hara "x"')
BUILDS = (
    ("tarneeb-app", "2.4.0", "771", "android"),
    ("tarneeb-app", "2.4.1", "780", "ios"),
    ("table-server", "9", "", ""),
)


class Options(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    target: int | msgspec.UnsetType = msgspec.UNSET


Event = events.Deal | events.TricksBid | events.Pass | events.NameTrump | events.Play | events.TeamScoreClaim
EVENTS_PER_DEAL = 59


@cache
def form(ruleset: str) -> type[events.Match]:
    return events.match_form(ruleset, Event, Options)


@dataclass(frozen=True)
class Log:
    match: events.Match
    digest: str
    canonical: bytes
    place: verdict.Place


def log(document: Mapping[str, Any], line: int = 1, file: str = "archive/day-1.ndjson") -> Log:
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    match = msgspec.convert(document, form(document["ruleset"]))
    digest = "sha256:" + hashlib.sha256(canonical).hexdigest()
    return Log(match, digest, canonical, verdict.Place(file, line, 4000 * (line - 1), ""))


def document(number: int, deal_count: int = 2, **keys: Any) -> dict[str, Any]:
    """A well-formed match log; nobody asks whether it is legal. Each deal claims eight points for side 0."""
    chance = random.Random(number)
    names = chance.sample(NAMES, 4)
    build = dict(zip(("name", "version", "build", "platform"), BUILDS[number % 3], strict=True))
    rows: list[dict[str, Any]] = []
    for deal in range(deal_count):
        pack = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
        chance.shuffle(pack)
        rows.append({"type": "deal", "dealer": deal % 4, "hands": [pack[seat::4] for seat in range(4)]})
        rows.append({"type": "bid", "seat": (deal + 1) % 4, "tricks": 7, "at": deal * 90_000})
        rows += [{"type": "pass", "seat": (deal + turn) % 4} for turn in (2, 3, 0)]
        rows.append({"type": "trump", "seat": (deal + 1) % 4, "suit": "H"})
        rows += [{"type": "play", "seat": turn % 4, "card": card, "at": turn * 900} for turn, card in enumerate(pack)]
        rows.append({"type": "score", "deal": [8, 0], "total": [8 * deal + 8, 0]})
    day = f"2026-03-{1 + number % 28:02}"
    return {
        "format": "match-log/1",
        "match": f"m-2026-{number:05}",
        "ruleset": "tarneeb-masrawi" if number % 4 == 3 else "tarneeb-classic",
        "options": {"target": 41},
        "players": [{"id": f"p{NAMES.index(name):03}", "name": name} for name in names],
        "producer": {key: value for key, value in build.items() if value},
        "started": f"{day}T20:00:00Z",
        "ended": f"{day}T20:40:00Z",
        "events": rows,
    } | keys


CLEAN, ILLEGAL, MISSCORED, INCOMPLETE, NEGATIVE = range(5)


def opinion(of: Log, kind: int) -> verdict.Verdict:
    """A verdict of the wanted kind. A misscored match claims nine points for its last deal in place of eight."""
    deal_count = len(of.match.events) // EVENTS_PER_DEAL
    findings: list[verdict.Finding] = []
    facts: dict[str, Any]
    deals: list[verdict.DealResult] = []
    points = (-7, 0) if kind == NEGATIVE else (8, 0)
    for index in range(deal_count):
        first, last = index * EVENTS_PER_DEAL, (index + 1) * EVENTS_PER_DEAL - 1
        totals = (points[0] * (index + 1), 0)
        claimed = points
        if kind == MISSCORED and index == deal_count - 1:
            claimed = (9, 0)
            facts = {"expected": points, "found": claimed}
            findings.append(verdict.Finding("claim", "claim.deal", last, facts=facts, expected=points, found=claimed))
        deals.append(verdict.DealResult(index, (first, last), "scored", points, totals, claimed, totals))
    if kind == ILLEGAL:
        facts = {"seat": 2, "card": "TS"}
        findings.append(verdict.Finding("illegal", "play.follow", 9, 2, facts, legal=["2H", "AH"]))
        findings.append(verdict.Finding("note", "note.unseen", 11, facts={"count": 3}))
    over = kind != INCOMPLETE
    return verdict.Verdict(
        match=of.match.match,
        ruleset=of.match.ruleset,
        options={"target": 41},
        producer=None if of.match.producer is msgspec.UNSET else msgspec.to_builtins(of.match.producer),
        log_digest=of.digest,
        status=verdict.status(findings, over),
        findings=tuple(findings),
        deals=tuple(deals),
        totals=deals[-1].totals if deals else (0, 0),
        winner=0 if over else None,
        over=over,
    )


def audited(number: int, deal_count: int = 2, **keys: Any) -> tuple[Log, verdict.Verdict]:
    """Match ``number`` of an archive; of every ten, those that end in 1, 2, 3 and 4 are of the kind so numbered."""
    made = log(document(number, deal_count, **keys), line=number + 1)
    return made, opinion(made, number % 10 if number % 10 <= NEGATIVE else CLEAN)


def unreadable(line: int, found: str = "1H") -> Audited:
    """What the reader says of a line with a card that does not exist."""
    place = verdict.Place("archive/day-1.ndjson", line, 4000 * (line - 1), "/events/3/card")
    finding = verdict.Finding("schema", "schema.value", None, facts={"found": found}, place=place)
    return None, verdict.Verdict(None, None, {}, None, None, "invalid", (finding,))


def archive(match_count: int, deal_count: int = 2) -> Iterator[Audited]:
    """Matches from number 0 on; after each tenth comes a line that cannot be read."""
    for number in range(match_count):
        yield audited(number, deal_count)
        if number % 10 == 9:
            yield unreadable(number + 2)


_SENTENCES = {
    "log": {
        "schema.value": (
            "The value is one of those listed.",
            "القيمة من القيم المذكورة.",
            "found {found}",
            "وُجد {found}",
        ),
    },
    "common": {
        "note.unseen": ("Unseen cards are not judged.", "لا يُحكم على ورق مخفي.", "{count} checks", "{count} فحوص"),
    },
    "tarneeb": {
        "play.follow": (
            "Whoever holds a card of the suit led plays one.",
            "من معه ورقة من نوع اللعبة يلعبها.",
            "seat {seat} played {card:card} and held a card of the suit led",
            "المقعد {seat} لعب {card:card} ومعه ورقة من نوع اللعبة.",
        ),
        "claim.deal": (
            "The points claimed for a deal are those of its tricks.",
            "نقاط الجولة هي نقاط أكلاتها.",
            "the deal is worth {expected:numbers}, {found:numbers} was claimed",
            "الجولة تساوي {expected:numbers} وسُجّل {found:numbers}.",
        ),
    },
}


@cache
def book(ruleset: str) -> rulebook.Book:
    """Stands in for ``rulebook.book``, so that these tests hold whatever the pages of the rulebook say."""
    entries = {
        key: rulebook.Entry(key, {"en": rule, "ar": rule_ar}, {"en": case, "ar": case_ar}, "made up")
        for key, (rule, rule_ar, case, case_ar) in _SENTENCES[ruleset.split("-")[0]].items()
    }
    return rulebook.Book(ruleset, {"en": ruleset, "ar": ruleset}, entries)


def rows(path: Path, query: str, parameters: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, tuple(parameters)).fetchall()


#: How to name what a number stands for, whatever order it was given out in.
_NAMED_BY = {"auditors": "name", "producers": "label", "players": "player_id", "clauses": "label", "matches": "digest"}
#: Columns that hold such a number, or 0 for none, and so are no foreign keys.
_NUMBERS = {"tallies": {"producer": "producers", "clause": "clauses"}}


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows but the runs, sorted, with names in place of numbers: equal for two databases that say the same."""
    with closing(sqlite3.connect(path)) as connection:
        names: dict[str, dict[Any, Any]] = {
            table: dict(connection.execute(f"select id, {column} from {table}")) for table, column in _NAMED_BY.items()
        }
        strict_tables = connection.execute("select name from pragma_table_list where strict and name <> 'runs'")
        found = {table: _named_rows(connection, table, names) for (table,) in strict_tables.fetchall()}
        found["called احمد"] = connection.execute(
            "select digest from matches join matches_fts on matches_fts.rowid = matches.id "
            "where matches_fts match 'احمد' order by digest"
        ).fetchall()
    return found


def _named_rows(connection: sqlite3.Connection, table: str, names: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    keys = dict(connection.execute(f"""select "from", "table" from pragma_foreign_key_list('{table}')"""))
    keys |= _NUMBERS.get(table, {})
    cursor = connection.execute(f"select * from {table}")
    columns = [column[0] for column in cursor.description]
    named = []
    for row in cursor:
        pairs = [(column, value) for column, value in zip(columns, row, strict=True) if column not in ("id", "run")]
        named.append(tuple(names.get(keys.get(column, ""), {}).get(value, value) for column, value in pairs))
    return sorted(named, key=repr)


def earlier(path: Path, schema: int) -> None:
    """Writes a database as an earlier version of the auditor made it, out of fixtures of two rulesets."""
    packed = (Path(__file__).parent / "earlier" / f"schema-{schema}.db.zst").read_bytes()
    path.write_bytes(zstandard.decompress(packed))
