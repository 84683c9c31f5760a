"""From rows to the database.

In: a connection to a database that has its tables, and batches of prepared rows. Out: the rows with their numbers,
each batch in one transaction. Refuses to know where the file lies and how its tables came about.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import msgspec

from auditor import rulebook
from auditor.store.preparing import LogRows, Prepared, Row, VerdictRows, searched
from auditor.store.tables import NATURAL_KEYS

#: A batch closes at this many events; a match counts for so many more, for the rows that it has in any case.
_BATCH_EVENTS, _EVENTS_PER_MATCH = 60_000, 100
#: How a clause that all rulesets share is listed.
_SHARED = "common"


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


def batches(rows: Iterable[Prepared]) -> Iterator[list[Prepared]]:
    """The rows in the portions in which they are written: some hundred matches, fewer if they are long."""
    batch: list[Prepared] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += row.size + _EVENTS_PER_MATCH
        if size >= _BATCH_EVENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class Loading:
    """One run of an auditor, and the batches that it writes."""

    def __init__(self, connection: sqlite3.Connection, by: Auditor, arguments: Sequence[str], started: str) -> None:
        self._connection = connection
        self._clauses: dict[tuple[str, str], int] = {}
        with transaction(connection):
            self._auditor = self._find_or_add("auditors", {"name": str(by), "version": by.version, "rules": by.rules})
            run = {"auditor": self._auditor, "started": started, "arguments": msgspec.json.encode(arguments).decode()}
            self._run = self._add("runs", run | asdict(Counts()))

    def write(self, batch: Sequence[Prepared]) -> Counts:
        """Stores a batch and counts it in the run."""
        with transaction(self._connection):
            counts = self._write_matches([each for each in batch if each.digest])
            counts += self._write_unreadable([each for each in batch if not each.digest])
            more = asdict(counts)
            added = ", ".join(f"{name} = {name} + :{name}" for name in more)
            self._connection.execute(f"update runs set {added} where id = :run", more | {"run": self._run})
        return counts

    def finish(self, finished: str) -> None:
        """Marks the run as one that came to its end."""
        with transaction(self._connection):
            self._connection.execute("update runs set finished = ? where id = ?", (finished, self._run))

    def _write_matches(self, batch: Sequence[Prepared]) -> Counts:
        ids = self._stored([each.digest for each in batch])
        judged = self._judged(list(ids.values()))
        first_new = next_id = self._connection.execute("select ifnull(max(id), 0) + 1 from matches").fetchone()[0]
        rows: dict[str, list[Row]] = defaultdict(list)
        for each in batch:
            if each.log is None or each.verdict is None:
                continue  # it is there
            match = ids.get(each.digest)
            if match is None:
                match = ids[each.digest] = next_id
                next_id += 1
                self._match_rows(rows, match, each.log, each.verdict)
            if match not in judged:
                judged.add(match)
                self._verdict_rows(rows, match, each.verdict)
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

    def _match_rows(self, rows: Mapping[str, list[Row]], match: int, log: LogRows, opinion: VerdictRows) -> None:
        known = {
            "id": match,
            "clause": self._first_clause(opinion),
            "producer": None if log.producer is None else self._find_or_add("producers", log.producer),
            "auditor": self._auditor,
        }
        rows["matches"].append(known | log.match)
        players = " ".join(searched(listed) for _, listed, _ in log.seats)
        rows["matches_fts"].append({"rowid": match, "match_id": log.match["match_id"], "players": players})
        rows["logs"].append({"match": match, "json": log.packed})
        for player_id, listed, seat in log.seats:
            rows["seats"].append({"match": match, "player": self._player(player_id, listed)} | seat)

    def _verdict_rows(self, rows: Mapping[str, list[Row]], match: int, opinion: VerdictRows) -> None:
        key = {"match": match, "auditor": self._auditor}
        rows["verdicts"].append(key | {"clause": self._first_clause(opinion), "run": self._run} | opinion.verdict)
        rows["documents"].append(key | opinion.documents)
        rows["deals"] += [key | deal for deal in opinion.deals]
        for finding in opinion.findings:
            rows["findings"].append(key | finding | {"clause": self._clause(opinion.ruleset, finding["clause"])})

    def _write_unreadable(self, batch: Sequence[Prepared]) -> Counts:
        known = {"auditor": self._auditor, "run": self._run}
        rows = [
            known | row | {"clause": self._clause(row["ruleset"], row["clause"])}
            for each in batch
            for row in each.unreadable
        ]
        added = self._add_all("unreadable", rows, f"on conflict ({_key('unreadable')}) do nothing")
        return Counts(read=len(batch), unreadable=added)

    def _first_clause(self, opinion: VerdictRows) -> int | None:
        return None if opinion.clause is None else self._clause(opinion.ruleset, opinion.clause)

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

    def _player(self, player_id: str, name: str) -> int:
        """The row of a player, listed under the name that came first; ``seats`` has the name of each match."""
        known = self._find("players", {"player_id": player_id})
        if known is not None:
            return known
        added = self._add("players", {"player_id": player_id, "name": name})
        self._add("players_fts", {"rowid": added, "player_id": player_id, "name": searched(name)})
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
