"""Answers: what is asked of the matches in a database as a whole.

In: a connection to a database that has its tables. Out: rows as values. Refuses to know who asks, and writes nothing.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

#: The tables in which FTS5 keeps an index.
_KEPT_BY_AN_INDEX = re.compile(r"(matches|players)_fts_(data|idx|docsize|config)")


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """One fault of form that is kept of what is no match log. ``digest`` is ``None`` where it has none."""

    match_id: str | None
    ruleset: str | None
    digest: str | None
    file: str
    line: int
    clause: str
    pointer: str


@dataclass(frozen=True, slots=True)
class BuildCount:
    """The logs of one ruleset by one build: how many there are, and how many of them show a finding.

    ``example`` is the digest of the first one that shows it. What the producer left out is empty.
    """

    ruleset: str
    name: str
    version: str
    build: str
    platform: str
    matches: int
    showing: int
    example: str | None


def unpacked(packed: Any) -> bytes:
    """A stored text. Raises ``ZstdError`` for what is none any more: a claim to be larger than memory, another type."""
    try:
        return zstandard.decompress(packed)
    except (MemoryError, TypeError) as error:
        raise zstandard.ZstdError("no packed text") from error


def logs(connection: sqlite3.Connection) -> Iterator[bytes]:
    """Every log in its canonical form, in the order of loading."""
    for (packed,) in connection.execute("select json from logs order by match"):
        yield unpacked(packed)


def verdicts(connection: sqlite3.Connection, match_id: str | None) -> Iterator[bytes]:
    """The newest verdict on every match, or on those with an id, as it was stored, in the order of loading."""
    query = """
        select documents.json from documents
        join matches on matches.id = documents.match and matches.auditor = documents.auditor
        where ?1 is null or matches.match_id = ?1
        order by matches.id
        """
    for (packed,) in connection.execute(query, (match_id,)):
        yield unpacked(packed)


def unreadable(connection: sqlite3.Connection) -> Iterator[UnreadableRow]:
    """All faults of form by the newest auditor that told any of the same text, in the order of loading."""
    query = """
        select match_id, ruleset, nullif(digest, ''), file, line, broken, pointer from (
            select unreadable.*, clauses.clause as broken, max(auditor) over (
                partition by file, match_id, digest, case when digest = '' and match_id is null then line end
            ) as newest
            from unreadable join clauses on clauses.id = unreadable.clause
        )
        where auditor = newest
        order by id
        """
    for row in connection.execute(query):
        yield UnreadableRow(*row)


def builds(connection: sqlite3.Connection, clause: str | None, match_id: str | None) -> list[BuildCount]:
    """Of each build and ruleset: all logs (or those of a match id), and those whose newest verdict accuses.

    With a clause only findings that break it count. Logs that name no producer are left out.
    """
    query = """
        select told.ruleset, name, version, build, platform, logs, showing, digest
        from (
            select ruleset, producer, count(*) as logs, count(shown) as showing, min(shown) as first
            from (
                select matches.ruleset, matches.producer, case when exists (
                    select 1 from findings join clauses on clauses.id = findings.clause
                    where findings.match = matches.id and findings.auditor = matches.auditor
                        and (?1 is null or clauses.clause = ?1)
                        and (findings.kind = 'illegal' or findings.kind = 'claim')
                ) then matches.id end as shown
                from matches
                where producer is not null and (?2 is null or match_id = ?2)
            )
            group by ruleset, producer
        ) as told
        join producers on producers.id = told.producer
        left join matches on matches.id = told.first
        order by told.ruleset, name, platform, version, build
        """
    return [BuildCount(*row) for row in connection.execute(query, (clause, match_id))]


def differing_tables(connection: sqlite3.Connection, path: Path) -> list[str]:
    """The tables and views that are not the same here and in another database: what they are made by, or a row.

    Of a search index it is asked which words it finds in which rows; how it keeps them is the library's affair.
    """
    connection.execute("attach ? as other", (f"{path.absolute().as_uri()}?mode=ro",))
    try:
        here, there = (_made(connection, database) for database in ("main", "other"))
        different = {name for name, _, _ in here ^ there}
        for name, kind, sql in here & there:
            if kind == "table":
                table = f"main.[{name}]", f"other.[{name}]"
                if sql.upper().startswith("CREATE VIRTUAL"):
                    table = _words(connection, name)
                if _differ(connection, *table):
                    different.add(name)
        return sorted(different)
    finally:
        connection.execute("detach other")


def _made(connection: sqlite3.Connection, database: str) -> set[tuple[str, str, str]]:
    """Name, kind and definition of all in a database, but for what search indexes keep for themselves."""
    query = f"select name, type, ifnull(sql, '') from {database}.sqlite_master"
    return {row for row in connection.execute(query) if not _KEPT_BY_AN_INDEX.fullmatch(row[0])}


def _words(connection: sqlite3.Connection, name: str) -> tuple[str, str]:
    """Tables of the words that a search index finds, here and there, for as long as the connection is open."""
    tables = (f"temp.[{name}_words_main]", f"temp.[{name}_words_other]")
    for table, database in zip(tables, ("main", "other"), strict=True):
        connection.execute(f"drop table if exists {table}")
        connection.execute(f"create virtual table {table} using fts5vocab({database}, {name}, instance)")
    return tables


def _differ(connection: sqlite3.Connection, one: str, two: str) -> bool:
    counts = {connection.execute(f"select count(*) from {table}").fetchone() for table in (one, two)}
    ways = (f"select * from {a} except select * from {b} limit 1" for a, b in ((one, two), (two, one)))
    return len(counts) > 1 or any(connection.execute(way).fetchone() for way in ways)
