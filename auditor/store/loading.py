"""From logs and verdicts to rows.

In: a connection to a database that has its tables, and batches of logs with their verdicts. Out: rows, each batch
in one transaction. Refuses to know where the file lies and how its tables came about.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeAlias

import msgspec
import zstandard
from msgspec import UNSET, UnsetType

from auditor import events, rulebook, verdict
from auditor.store.tables import NATURAL_KEYS

Row: TypeAlias = dict[str, Any]

#: A batch closes at this many events; a match counts for so many more, for the rows that it has in any case.
_BATCH_EVENTS, _EVENTS_PER_MATCH = 60_000, 100
#: A log that takes more bytes than this an event counts by its bytes.
_BYTES_PER_EVENT = 200
#: Zstandard's fastest also packs logs best: a log of 590 events goes from 30.3 to 2.8 kB (level 3: 3.2), its verdict
#: from 1.65 to 0.47 kB.
_COMPRESSION_LEVEL = 1
#: How a clause that all rulesets share is listed.
_SHARED = "common"
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


@dataclass(frozen=True, slots=True)
class Auditor:
    """Who gives a verdict: the program's version, and the version or digest of its rulebook."""

    version: str
    rules: str

    def __str__(self) -> str:
        return f"{self.version} ({self.rules.removeprefix('sha256:')[:8]})"


@dataclass(frozen=True, slots=True)
class Counts:
    """What a load read, and what of it was new to the database.

    ``same_id`` counts new matches whose match id was there with other content; ``unreadable`` counts new
    diagnostics of what is no match log.
    """

    read: int = 0
    matches: int = 0
    verdicts: int = 0
    same_id: int = 0
    unreadable: int = 0

    def __add__(self, other: Counts) -> Counts:
        more = asdict(other)
        return Counts(**{name: count + more[name] for name, count in asdict(self).items()})


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and nobody else writes meanwhile."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def batches(rows: Iterable[Audited]) -> Iterator[list[Audited]]:
    """The rows in the portions in which they are written: some hundred matches, fewer if they are long."""
    batch: list[Audited] = []
    size = 0
    for log, opinion in rows:
        batch.append((log, opinion))
        if log is not None:
            size += max(len(log.match.events), len(log.canonical) // _BYTES_PER_EVENT)
        size += _EVENTS_PER_MATCH
        if size >= _BATCH_EVENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class Loading:
    """One run of an auditor, and the batches that it writes."""

    def __init__(self, connection: sqlite3.Connection, by: Auditor, arguments: Sequence[str], started: str) -> None:
        self._connection = connection
        self._compressor = zstandard.ZstdCompressor(_COMPRESSION_LEVEL, write_checksum=True)
        self._clauses: dict[tuple[str, str], int] = {}
        with transaction(connection):
            self._auditor = self._find_or_add("auditors", {"name": str(by), "version": by.version, "rules": by.rules})
            run = {"auditor": self._auditor, "started": started, "arguments": _json(arguments)}
            self._run = self._add("runs", run | asdict(Counts()))

    def write(self, batch: Sequence[Audited]) -> Counts:
        """Stores a batch and counts it in the run."""
        with transaction(self._connection):
            counts = self._write_matches([(log, opinion) for log, opinion in batch if log is not None])
            counts += self._write_unreadable([opinion for log, opinion in batch if log is None])
            more = asdict(counts)
            added = ", ".join(f"{name} = {name} + :{name}" for name in more)
            self._connection.execute(f"update runs set {added} where id = :run", more | {"run": self._run})
        return counts

    def finish(self, finished: str) -> None:
        """Marks the run as one that came to its end."""
        with transaction(self._connection):
            self._connection.execute("update runs set finished = ? where id = ?", (finished, self._run))

    def _write_matches(self, batch: Sequence[tuple[AuditedLog, verdict.Verdict]]) -> Counts:
        ids = self._stored([log.digest for log, _ in batch])
        judged = self._judged(list(ids.values()))
        first_new = next_id = self._connection.execute("select ifnull(max(id), 0) + 1 from matches").fetchone()[0]
        rows: dict[str, list[Row]] = defaultdict(list)
        for log, opinion in batch:
            match = ids.get(log.digest)
            if match is None:
                match = ids[log.digest] = next_id
                next_id += 1
                self._match_rows(rows, match, log, opinion)
            if match not in judged:
                judged.add(match)
                self._verdict_rows(rows, match, opinion)
        for table in ("matches", "matches_fts", "logs", "seats", "verdicts", "documents", "deals", "findings"):
            self._add_all(table, rows[table])
        self._connection.executemany(
            "update matches set auditor = ?1, status = ?2, clause = ?3 where id = ?4 and auditor < ?1",
            [
                (row["auditor"], row["status"], row["clause"], row["match"])
                for row in rows["verdicts"]
                if row["match"] < first_new
            ],
        )
        same_id = self._flag_same_id(first_new)
        return Counts(len(batch), len(rows["matches"]), len(rows["verdicts"]), same_id)

    def _stored(self, digests: Sequence[str]) -> dict[str, int]:
        query = f"select digest, id from matches where digest in ({_marks(digests)})"
        return dict(self._connection.execute(query, digests))

    def _judged(self, matches: Sequence[int]) -> set[int]:
        query = f"select match from verdicts where auditor = ? and match in ({_marks(matches)})"
        return {match for (match,) in self._connection.execute(query, (self._auditor, *matches))}

    def _flag_same_id(self, first_new: int) -> int:
        """Lets every match whose id stands for several name the first of the others; counts new ones after a first."""
        self._connection.execute(
            """
            update matches set same_id_as = (
                select other.id from matches as other
                where other.match_id = matches.match_id and other.id <> matches.id
                order by other.id limit 1
            )
            where same_id_as is null and match_id in (select new.match_id from matches as new where new.id >= ?)
            """,
            (first_new,),
        )
        query = "select count(*) from matches where id >= ? and same_id_as < id"
        count: int = self._connection.execute(query, (first_new,)).fetchone()[0]
        return count

    def _match_rows(self, rows: Mapping[str, list[Row]], match: int, log: AuditedLog, opinion: verdict.Verdict) -> None:
        head = log.match
        names = [_given(player.name) or player.id for player in head.players]
        row = {
            "id": match,
            "match_id": head.match,
            "ruleset": head.ruleset,
            "status": opinion.status,
            "clause": self._first_clause(opinion),
            "players": ", ".join(names),
            "producer": None if head.producer is UNSET else self._producer(head.producer),
            "started": _given(head.started),
            "ended": _given(head.ended),
            "events": len(head.events),
            "auditor": self._auditor,
            "options": _json({} if head.options is UNSET else head.options),
            "file": log.place.file,
            "line": log.place.line,
            "offset": log.place.offset,
            "digest": log.digest,
        }
        rows["matches"].append(row)
        searched = " ".join(_searched(name) for name in names)
        rows["matches_fts"].append({"rowid": match, "match_id": head.match, "players": searched})
        rows["logs"].append({"match": match, "json": self._compressor.compress(log.canonical)})
        side_count = len(opinion.totals) if opinion.totals else None
        for seat, (player, name) in enumerate(zip(head.players, names, strict=True)):
            row = {
                "match": match,
                "seat": seat,
                "player": self._player(player, name),
                "side": seat % side_count if side_count else None,
                "name": _given(player.name),
                "bot": int(player.bot is True),
            }
            rows["seats"].append(row)

    def _verdict_rows(self, rows: Mapping[str, list[Row]], match: int, opinion: verdict.Verdict) -> None:
        key = {"match": match, "auditor": self._auditor}
        row = {
            "status": opinion.status,
            "clause": self._first_clause(opinion),
            "totals": _json(opinion.totals),
            "winner": opinion.winner,
            "over": int(opinion.over),
            "run": self._run,
        }
        rows["verdicts"].append(key | row)
        texts = {"json": verdict.to_json(opinion), "facts": verdict.to_facts(opinion)}
        packed = {column: self._compressor.compress(text) for column, text in texts.items()}
        rows["documents"].append(key | packed)
        for deal in opinion.deals:
            row = {
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
            rows["deals"].append(key | row)
        for number, finding in enumerate(opinion.findings):
            row = {
                "number": number,
                "kind": finding.kind,
                "clause": self._clause(opinion.ruleset, finding.clause),
                "event": finding.event,
                "seat": finding.seat,
                "message_en": finding.message(opinion.ruleset, "en"),
                "message_ar": finding.message(opinion.ruleset, "ar"),
                "expected": _json(finding.expected),
                "found": _json(finding.found),
                "legal": _json(finding.legal),
                "readings": _json(finding.readings),
            }
            rows["findings"].append(key | row)

    def _write_unreadable(self, batch: Sequence[verdict.Verdict]) -> Counts:
        rows = []
        for opinion in batch:
            for finding in opinion.findings:
                place = finding.place or verdict.Place("", 0, 0, "")
                row = {
                    "file": place.file,
                    "line": place.line,
                    "offset": place.offset,
                    "pointer": place.pointer,
                    "clause": self._clause(opinion.ruleset, finding.clause),
                    "message_en": finding.message(opinion.ruleset, "en"),
                    "message_ar": finding.message(opinion.ruleset, "ar"),
                    "match_id": opinion.match,
                    "ruleset": opinion.ruleset,
                    "digest": opinion.log_digest or "",
                    "auditor": self._auditor,
                    "run": self._run,
                }
                rows.append(row)
        added = self._add_all("unreadable", rows, f"on conflict ({_key('unreadable')}) do nothing")
        return Counts(read=len(batch), unreadable=added)

    def _first_clause(self, opinion: verdict.Verdict) -> int | None:
        fault = opinion.first_fault
        return None if fault is None else self._clause(opinion.ruleset, fault.clause)

    def _clause(self, ruleset: str | None, clause: str) -> int:
        """The row of a clause of the ruleset, or else of what all rulesets share."""
        own = {} if ruleset is None else rulebook.book(ruleset).entries
        owner = ruleset if ruleset is not None and clause in own else _SHARED
        if (owner, clause) not in self._clauses:
            entries = [rulebook.entry(None, clause)] if owner == _SHARED else own.values()
            self._write_clauses(owner, entries)
        return self._clauses[owner, clause]

    def _write_clauses(self, ruleset: str, entries: Iterable[rulebook.Entry]) -> None:
        rows = [
            {
                "label": f"{entry.id} ({ruleset})",
                "ruleset": ruleset,
                "clause": entry.id,
                "rule_en": entry.rule["en"],
                "rule_ar": entry.rule["ar"],
                "source": entry.source,
            }
            for entry in entries
        ]
        newer = "rule_en = excluded.rule_en, rule_ar = excluded.rule_ar, source = excluded.source"
        self._add_all("clauses", rows, f"on conflict ({_key('clauses')}) do update set {newer}")
        found = self._connection.execute("select ruleset, clause, id from clauses where ruleset = ?", (ruleset,))
        self._clauses |= {(owner, clause): number for owner, clause, number in found}

    def _producer(self, producer: events.Producer) -> int:
        name, version = producer.name, _given(producer.version) or ""
        build, platform = _given(producer.build) or "", _given(producer.platform) or ""
        label = " ".join(word for word in (name, version, build and f"build {build}", platform) if word)
        row = {"label": label, "name": name, "version": version, "build": build, "platform": platform}
        return self._find_or_add("producers", row)

    def _player(self, player: events.Player, name: str) -> int:
        """The row of a player, listed under the name that came first; ``seats`` has the name of each match."""
        known = self._find("players", {"player_id": player.id})
        if known is not None:
            return known
        added = self._add("players", {"player_id": player.id, "name": name})
        self._add("players_fts", {"rowid": added, "player_id": player.id, "name": _searched(name)})
        return added

    def _find_or_add(self, table: str, row: Row) -> int:
        known = self._find(table, row)
        return self._add(table, row) if known is None else known

    def _find(self, table: str, row: Row) -> int | None:
        columns = NATURAL_KEYS[table]
        query = f"select id from {table} where " + " and ".join(f"{column} = ?" for column in columns)
        known = self._connection.execute(query, [row[column] for column in columns]).fetchone()
        return None if known is None else known[0]

    def _add(self, table: str, row: Row) -> int:
        added = self._connection.execute(_insert(table, row), tuple(row.values())).lastrowid
        assert added is not None
        return added

    def _add_all(self, table: str, rows: Sequence[Row], conflict: str = "") -> int:
        """Inserts rows that all have the same columns in the same order, and counts those that it wrote."""
        if not rows:
            return 0
        statement = f"{_insert(table, rows[0])} {conflict}"
        return self._connection.executemany(statement, (tuple(row.values()) for row in rows)).rowcount


def _insert(table: str, row: Row) -> str:
    columns = ", ".join(f'"{column}"' for column in row)
    return f"insert into {table} ({columns}) values ({_marks(row)})"


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _key(table: str) -> str:
    return ", ".join(NATURAL_KEYS[table])


def _given(text: str | UnsetType) -> str | None:
    return None if text is UNSET else text


_ENCODER = msgspec.json.Encoder(order="sorted")


def _json(value: object) -> str | None:
    return None if value is None else _ENCODER.encode(value).decode()


def _agrees(deal: verdict.DealResult) -> int | None:
    """Whether the claimed score is the computed one; ``None`` where nothing was claimed or can be computed."""
    points = tuple(0 for _ in deal.totals) if deal.outcome == "void" else deal.points
    if deal.claimed_points is None or points is None:
        return None
    return int(deal.claimed_points == points and deal.claimed_totals == deal.totals)


def unmarked(name: str) -> str:
    """A name without hamza, vowel and accent marks and without lengthening strokes, as the search index has it."""
    parts = unicodedata.normalize("NFKD", name.replace(_TATWEEL, ""))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def _searched(name: str) -> str:
    """A name as the search index has it: as it is and, if that differs, without marks."""
    if name.isascii():
        return name
    bare = unmarked(name)
    return name if bare == name else f"{name} {bare}"
