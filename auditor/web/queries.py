"""What the pages read from an audit database: the one place with SQL outside the store.

In: a Datasette database. Out: frozen rows. Refuses to know how they are shown, and who may see them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import zstandard
from datasette.database import Database

from auditor.rulebook import Language
from auditor.store import unmarked
from auditor.verdict import STATUSES
from auditor.web.findings import Words

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """One match as it is stored: the bytes of its log in canonical form, and those of the newest verdict on it."""

    number: int
    digest: str
    log: bytes
    verdict: bytes
    auditor: str
    file: str
    line: int
    #: Other matches that bear its id, with other content.
    same_id: tuple[int, ...]
    #: The number of the player at each seat.
    players: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many matches of one ruleset, written by one build, have one status. ``producer`` 0: no build is named."""

    ruleset: str
    producer: int
    status: str
    matches: int


@dataclass(frozen=True, slots=True)
class DayTally:
    """How many matches of one day have one status. The day is as the logs write it, and empty where they do not."""

    day: str
    status: str
    matches: int


@dataclass(frozen=True, slots=True)
class FirstClause:
    """How many matches of a build broke a clause before any other. ``clause`` is the number of its row."""

    producer: int
    clause: int
    matches: int


@dataclass(frozen=True, slots=True)
class Build:
    """What wrote logs; an empty text where a log does not say it. ``label`` is all of it in one line."""

    number: int
    label: str
    name: str
    version: str
    build: str
    platform: str


@dataclass(frozen=True, slots=True)
class Clause:
    number: int
    ruleset: str
    id: str
    rule: Mapping[Language, str]


@dataclass(frozen=True, slots=True)
class Citation:
    """How often the newest verdicts cite a clause in findings of one kind, and in how many matches."""

    clause: Clause
    kind: str
    findings: int
    matches: int


@dataclass(frozen=True, slots=True)
class ListedMatch:
    """One row of a list of matches. ``day`` is empty where the log says none."""

    number: int
    match_id: str
    ruleset: str
    status: str
    players: str
    day: str


@dataclass(frozen=True, slots=True)
class Digest:
    """What a match is called everywhere (``sha256:…``), beside the number of its row."""

    number: int
    ruleset: str
    digest: str


@dataclass(frozen=True, slots=True)
class ListedFinding:
    """One finding of the newest verdict on a match."""

    match: ListedMatch
    clause: str
    kind: str
    event: int | None
    message: Mapping[Language, str]


@dataclass(frozen=True, slots=True)
class Run:
    """One load. ``finished`` is ``None`` for one that was stopped, or still goes on."""

    number: int
    auditor: str
    started: str
    finished: str | None
    arguments: tuple[str, ...]
    read: int
    matches: int
    verdicts: int
    same_id: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class Player:
    """``name`` is the one that the player was first seen with."""

    number: int
    player_id: str
    name: str
    matches: int


@dataclass(frozen=True, slots=True)
class Seated:
    """Who sat at a seat of a match, under which name; ``side`` is ``None`` where nobody knows it."""

    seat: int
    side: int | None
    player: int
    name: str


@dataclass(frozen=True, slots=True)
class Played:
    """A match that a player sat in. ``mark`` is its place in the list of that player's matches."""

    mark: int
    seat: int
    match: ListedMatch
    seats: tuple[Seated, ...]

    @property
    def partners(self) -> list[Seated]:
        return [other for other in self.seats if other.seat != self.seat and other.side == self._side]

    @property
    def opponents(self) -> list[Seated]:
        return [other for other in self.seats if other.side != self._side]

    @property
    def _side(self) -> int | None:
        return next(own.side for own in self.seats if own.seat == self.seat)


@dataclass(frozen=True, slots=True)
class PlayerFinding:
    """A finding that speaks of the seat of a player; ``mark`` as in :class:`Played`."""

    mark: int
    finding: ListedFinding


@dataclass(frozen=True, slots=True)
class Stretch(Generic[Row]):
    """Some rows of a longer list; ``following`` says where the next ones begin, and is ``None`` at its end."""

    rows: tuple[Row, ...]
    following: int | None


_LISTED = """matches.id, matches.match_id, matches.ruleset, matches.status, matches.players,
            substr(coalesce(matches.started, matches.ended, ''), 1, 10) as day"""
#: A column for each status: three times as fast as a row for each.
_BY_STATUS = ", ".join(f"sum(matches) filter (where status = '{status}') as {status}" for status in STATUSES)
#: So many of a clause's newest findings are looked at for some that the newest auditor made.
_LOOKED_AT = 200
#: So many matches of one player are searched for findings at a time.
MATCHES_SEARCHED = 5000
#: What is searched for is cut here: nobody types more.
_MOST_LETTERS, _MOST_WORDS = 200, 8
_DIGEST = re.compile("(?:sha256:)?([0-9a-f]{6,64})")


async def digest_of(database: Database, number: int) -> str | None:
    """The digest of the match with this number; ``None`` where there is none."""
    found = await database.execute("select digest from matches where id = ?", [number])
    row = found.first()
    return None if row is None else str(row["digest"])


async def digests(database: Database) -> list[Digest]:
    """Every match, in the order of loading."""
    query = "select id as number, ruleset, digest from matches order by id"
    return [Digest(**row) for row in await _rows(database, query)]


async def listed_matches(
    database: Database, ruleset: str, status: str, most: int, after: ListedMatch | None = None
) -> list[ListedMatch]:
    """Matches of one ruleset with one status by their ids, from the one that follows ``after`` on."""
    query = f"""
        select {_LISTED} from matches
        where ruleset = ?1 and status = ?2 and (?3 is null or (match_id, id) > (?3, ?4))
        order by match_id, id limit ?5"""
    mark = (None, None) if after is None else (after.match_id, after.number)
    return [_listed(row) for row in await _rows(database, query, [ruleset, status, *mark, most])]


async def newest_auditor(database: Database, number: int) -> int | None:
    """The number of the auditor that gave the newest verdict on the match; ``None`` where there is no such match."""
    row = (await database.execute("select auditor from matches where id = ?", [number])).first()
    return None if row is None else int(row["auditor"])


async def stored_match(database: Database, digest: str) -> StoredMatch | None:
    """The match with this digest (``sha256:…``); ``None`` where there is none."""
    query = """
        select matches.id, matches.match_id, matches.file, matches.line, logs.json as log, documents.json as verdict,
            auditors.name as auditor
        from matches
        join logs on logs.match = matches.id
        join documents on documents.match = matches.id and documents.auditor = matches.auditor
        join auditors on auditors.id = matches.auditor
        where matches.digest = ?"""
    row = (await database.execute(query, [digest])).first()
    if row is None:
        return None
    same_id = await database.execute(
        "select id from matches where match_id = ? and id <> ? order by id limit 20", [row["match_id"], row["id"]]
    )
    players = await database.execute("select player from seats where match = ? order by seat", [row["id"]])
    return StoredMatch(
        number=row["id"],
        digest=digest,
        log=zstandard.decompress(row["log"]),
        verdict=zstandard.decompress(row["verdict"]),
        auditor=row["auditor"],
        file=row["file"],
        line=row["line"],
        same_id=tuple(other["id"] for other in same_id),
        players=tuple(seat["player"] for seat in players),
    )


async def words_of_findings(database: Database, number: int, most: int) -> list[Words]:
    """The sentences of the first ``most`` findings of the newest verdict on a match, in the order of the verdict."""
    query = """
        select findings.message_en, findings.message_ar, clauses.rule_en, clauses.rule_ar, clauses.source
        from matches
        join findings on findings.match = matches.id and findings.auditor = matches.auditor
        join clauses on clauses.id = findings.clause
        where matches.id = ?
        order by findings.number limit ?"""
    return [
        Words(
            message={"en": row["message_en"], "ar": row["message_ar"]},
            rule={"en": row["rule_en"], "ar": row["rule_ar"]},
            source=row["source"],
        )
        for row in await database.execute(query, [number, most])
    ]


async def tallies(database: Database) -> list[Tally]:
    """How the matches came out, by ruleset and build."""
    rows = await _rows(database, f"select ruleset, producer, {_BY_STATUS} from tallies group by 1, 2")
    return [
        Tally(row["ruleset"], row["producer"], status, row[status])
        for row in rows
        for status in STATUSES
        if row[status]
    ]


async def days(database: Database) -> list[DayTally]:
    """How the matches came out, day by day."""
    rows = await _rows(database, f"select day, {_BY_STATUS} from tallies group by 1")
    return [DayTally(row["day"], status, row[status]) for row in rows for status in STATUSES if row[status]]


async def first_clauses(database: Database) -> list[FirstClause]:
    """Which clauses were broken first, by build."""
    query = "select producer, clause, sum(matches) as matches from tallies where clause > 0 group by 1, 2"
    return [FirstClause(**row) for row in await _rows(database, query)]


async def builds(database: Database) -> list[Build]:
    """Every build, in no order that means anything."""
    query = "select id as number, label, name, version, build, platform from producers"
    return [Build(**row) for row in await _rows(database, query)]


async def clauses(database: Database, ruleset: str | None = None) -> dict[int, Clause]:
    """Every clause of a ruleset, or of all, by the number of its row."""
    query = "select id, ruleset, clause, rule_en, rule_ar from clauses where ?1 is null or ruleset = ?1"
    return {row["id"]: _clause(row) for row in await _rows(database, query, [ruleset])}


async def most_broken(database: Database, most: int) -> list[Citation]:
    """The clauses that most matches broke, by the newest verdicts; open points and notes accuse nobody."""
    query = """
        select clauses.*, kind, findings, matches from citations join clauses on clauses.id = citations.clause
        where kind in ('illegal', 'claim')
        order by matches desc, findings desc, clauses.ruleset, clauses.clause limit ?"""
    return [_citation(row) for row in await _rows(database, query, [most])]


async def citations(database: Database, ruleset: str | None = None) -> list[Citation]:
    """How often each clause of a ruleset, or of all, is cited."""
    query = """
        select clauses.*, kind, findings, matches from citations join clauses on clauses.id = citations.clause
        where ?1 is null or clauses.ruleset = ?1"""
    return [_citation(row) for row in await _rows(database, query, [ruleset])]


async def unreadable_count(database: Database) -> int:
    """How many faults of form were met in what is no match log."""
    [row] = await _rows(database, "select ifnull(sum(unreadable), 0) as faults from runs")
    return int(row["faults"])


async def faulty_matches(database: Database, most: int) -> list[ListedFinding]:
    """The newest matches with a fault, each with the first one."""
    query = f"""
        select {_LISTED}, clauses.clause, findings.kind, findings.event, findings.message_en, findings.message_ar
        from (
            select id from (select id from matches where status = 'illegal' order by id desc limit ?1)
            union all
            select id from (select id from matches where status = 'misscored' order by id desc limit ?1)
        ) as faulty
        join matches on matches.id = faulty.id
        join findings on findings.match = matches.id and findings.auditor = matches.auditor and findings.number = (
            select min(number) from findings as faults
            where faults.match = matches.id and faults.auditor = matches.auditor and faults.kind in ('illegal', 'claim')
        )
        join clauses on clauses.id = findings.clause
        order by matches.id desc limit ?1"""
    return [_finding(row) for row in await _rows(database, query, [most])]


async def newest_findings(database: Database, clause: int, most: int) -> list[ListedFinding]:
    """The newest findings of a clause. Where another auditor took back many of them, some may be left out."""
    query = f"""
        select {_LISTED}, clauses.clause, cited.kind, cited.event, cited.message_en, cited.message_ar
        from (
            select * from findings where clause = ? order by match desc, auditor desc, number desc limit {_LOOKED_AT}
        ) as cited
        join matches on matches.id = cited.match and matches.auditor = cited.auditor
        join clauses on clauses.id = cited.clause
        order by cited.match desc, cited.number desc limit ?"""
    return [_finding(row) for row in await _rows(database, query, [clause, most])]


async def runs(database: Database, most: int, before: int | None = None) -> Stretch[Run]:
    """The newest runs, or those before the run ``before``."""
    query = """
        select runs.id as number, auditors.name as auditor, started, finished, arguments, read, matches, verdicts,
            same_id, unreadable
        from runs join auditors on auditors.id = runs.auditor
        where ?1 is null or runs.id < ?1
        order by runs.id desc limit ?2"""
    found = [
        Run(**{**row, "arguments": tuple(map(str, json.loads(row["arguments"])))})
        for row in await _rows(database, query, [before, most + 1])
    ]
    return _stretch(found, most, lambda run: run.number)


_PLAYER = """select players.id as number, player_id, name,
            (select count(*) from seats where seats.player = players.id) as matches from players"""


async def player(database: Database, number: int) -> Player | None:
    rows = await _rows(database, f"{_PLAYER} where players.id = ?", [number])
    return Player(**rows[0]) if rows else None


async def players(database: Database, most: int, after: int | None = None) -> Stretch[Player]:
    """Players by name, from the one that follows the player ``after`` on."""
    query = f"""
        {_PLAYER}
        where ?1 is null or (name, id) > (select name, id from players where id = ?1)
        order by name, id limit ?2"""
    found = [Player(**row) for row in await _rows(database, query, [after, most + 1])]
    return _stretch(found, most, lambda row: row.number)


async def matches_of(database: Database, player: int, most: int, before: int | None = None) -> Stretch[Played]:
    """The newest matches of a player, or those before the mark ``before``; a seat a row."""
    query = f"""
        select seats.rowid as mark, seats.seat, {_LISTED}
        from seats join matches on matches.id = seats.match
        where seats.player = ?1 and (?2 is null or seats.rowid < ?2)
        order by seats.rowid desc limit ?3"""
    rows = await _rows(database, query, [player, before, most + 1])
    seated = await _seated(database, [row["id"] for row in rows])
    found = [Played(row["mark"], row["seat"], _listed(row), seated[row["id"]]) for row in rows]
    return _stretch(found, most, lambda played: played.mark)


async def findings_of(database: Database, player: int, most: int, before: int | None = None) -> Stretch[PlayerFinding]:
    """The newest findings that speak of a seat where the player sat: those of whole matches, some ``most`` together.

    At most ``MATCHES_SEARCHED`` matches are looked through at a time, so there may be few rows, or none, and yet
    others that follow.
    """
    searched = "select rowid as mark, match, seat from seats where player = ?1 and (?2 is null or rowid < ?2)"
    searched += " order by rowid desc"
    query = f"""
        select sat.mark, {_LISTED}, clauses.clause, findings.kind, findings.event, findings.message_en,
            findings.message_ar
        from ({searched} limit {MATCHES_SEARCHED}) as sat
        join matches on matches.id = sat.match
        join findings on findings.match = sat.match and findings.auditor = matches.auditor and findings.seat = sat.seat
        join clauses on clauses.id = findings.clause
        order by sat.mark desc, findings.number limit ?3"""
    found = [
        PlayerFinding(row["mark"], _finding(row)) for row in await _rows(database, query, [player, before, most + 1])
    ]
    if len(found) > most:
        last = found[-1].mark
        whole = [row for row in found if row.mark != last] or found[:most]
        return Stretch(tuple(whole), whole[-1].mark)
    end = await _rows(database, f"{searched} limit 2 offset {MATCHES_SEARCHED - 1}", [player, before])
    return Stretch(tuple(found), end[0]["mark"] if len(end) > 1 else None)


async def found_matches(database: Database, text: str, most: int) -> list[ListedMatch]:
    """Matches for what somebody typed: an id, the beginning of a digest, or beginnings of words of an id or of names.

    The match whose id was typed whole comes first, then the newest.
    """
    digest = _DIGEST.fullmatch(text.strip().lower())
    start = f"sha256:{digest[1]}" if digest else ""
    query = f"""
        with found (id, place) as (
            select id, 0 from (select id from matches where match_id = ?1 order by id desc limit ?5)
            union all
            select id, 1 from (select id from matches where digest >= ?2 and digest < ?3 limit ?5)
            union all
            select id, 2
            from (select rowid as id from matches_fts where matches_fts match ?4 order by rowid desc limit ?5)
        )
        select {_LISTED} from found join matches on matches.id = found.id
        group by matches.id order by min(found.place), matches.id desc limit ?5"""
    end = f"{start}g" if start else ""  # no digest has a letter after f
    parameters = [text.strip(), start, end, search_expression(text), most]
    return [_listed(row) for row in await _rows(database, query, parameters)]


async def found_players(database: Database, text: str, most: int) -> list[Player]:
    """Players for what somebody typed: an id, or beginnings of words of an id or a name."""
    query = f"""
        {_PLAYER}
        where id in (
            select id from (select id from players where player_id = ?1)
            union all
            select id from (select rowid as id from players_fts where players_fts match ?2 order by rowid limit ?3)
        )
        order by player_id = ?1 desc, id limit ?3"""
    return [Player(**row) for row in await _rows(database, query, [text.strip(), search_expression(text), most])]


def search_expression(text: str) -> str:
    """What SQLite's full-text search is asked for the words of ``text``: each may be the beginning of a word.

    A single sign stands for itself alone: a tenth of all words may begin with it, and to find them takes long.
    Arabic words are also looked for without marks, since the index has names so too. Nothing in the text is an
    operator. Text without a word gives an expression that finds nothing.
    """
    words = "".join(sign if sign.isprintable() else " " for sign in text[:_MOST_LETTERS]).split()
    wanted = []
    for word in words[:_MOST_WORDS]:
        spellings = dict.fromkeys((word, unmarked(word)))
        quoted = [_quoted(spelling) for spelling in spellings if any(map(str.isalnum, spelling))]
        if quoted:
            wanted.append(f"({' OR '.join(quoted)})")
    return " AND ".join(wanted) or '""'


def _quoted(word: str) -> str:
    doubled = word.replace('"', '""')
    return f'"{doubled}"{"*" if len(word) > 1 else ""}'


async def _seated(database: Database, matches: Sequence[int]) -> dict[int, tuple[Seated, ...]]:
    query = """
        select match, seat, side, player, ifnull(seats.name, players.player_id) as name
        from seats join players on players.id = seats.player
        where match in (select value from json_each(?)) order by match, seat"""
    found: dict[int, tuple[Seated, ...]] = {}
    for row in await _rows(database, query, [json.dumps(matches)]):
        found[row["match"]] = (
            *found.get(row["match"], ()),
            Seated(row["seat"], row["side"], row["player"], row["name"]),
        )
    return found


async def _rows(database: Database, query: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
    return [dict(row) for row in await database.execute(query, parameters)]


def _stretch(found: Sequence[Row], most: int, mark: Callable[[Row], int]) -> Stretch[Row]:
    """The first ``most`` of rows that were asked for with one more, to see whether others follow."""
    rows = tuple(found[:most])
    return Stretch(rows, mark(rows[-1]) if len(found) > most else None)


def _clause(row: Mapping[str, Any]) -> Clause:
    return Clause(row["id"], row["ruleset"], row["clause"], {"en": row["rule_en"], "ar": row["rule_ar"]})


def _citation(row: Mapping[str, Any]) -> Citation:
    return Citation(_clause(row), row["kind"], row["findings"], row["matches"])


def _listed(row: Mapping[str, Any]) -> ListedMatch:
    return ListedMatch(row["id"], row["match_id"], row["ruleset"], row["status"], row["players"], row["day"])


def _finding(row: Mapping[str, Any]) -> ListedFinding:
    message: dict[Language, str] = {"en": row["message_en"], "ar": row["message_ar"]}
    return ListedFinding(_listed(row), row["clause"], row["kind"], row["event"], message)
