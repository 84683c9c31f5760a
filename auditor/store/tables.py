"""The tables of the database, and the steps by which one schema becomes the next.

In: an open database. Out: the same with the tables, indexes and views of a later schema. Refuses to know how rows
come in. ``auditor/web/datasette.yaml`` says what each table and column means.

Of one log there is one row of ``matches``, with its bytes in ``logs`` and its players in ``seats``. Each auditor
adds one row of ``verdicts``, with its bytes in ``documents``, its ``deals`` and its ``findings``. Whoever wants the
newest of these joins on ``matches.auditor``. Bytes stand in tables of their own, to keep the others quick to scan.

``tallies`` and ``citations`` count what a page would else have to count each time that it is asked for. Triggers
keep them right, whoever writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import sqlite_utils

from auditor.verdict import STATUSES

#: What a table's rows are known by, besides their number.
NATURAL_KEYS: Mapping[str, Sequence[str]] = {
    "auditors": ("version", "rules"),
    "producers": ("name", "version", "build", "platform"),
    "players": ("player_id",),
    "clauses": ("ruleset", "clause"),
    "matches": ("digest",),
    "unreadable": ("auditor", "file", "line", "offset", "pointer", "clause", "message_en", "digest"),
}

#: A column, or several together, and the table whose primary key they hold.
Link: TypeAlias = tuple[str | tuple[str, ...], str]
_OF_A_MATCH: list[Link] = [("match", "matches")]
_OF_A_VERDICT: list[Link] = [*_OF_A_MATCH, ("auditor", "auditors"), (("match", "auditor"), "verdicts")]


def _first_schema(db: sqlite_utils.Database) -> None:
    _first_tables(db)
    _first_indexes(db)
    _first_views(db)


def _second_schema(db: sqlite_utils.Database) -> None:
    _tallies(db)
    _citations(db)
    _second_claims(db)
    _second_indexes(db)


def _third_schema(db: sqlite_utils.Database) -> None:
    """Verdicts with all facts beside their JSON, so that one that is there need not be given again."""
    db.execute("alter table documents add column facts blob")


#: Step n makes schema n of schema n - 1; the file's ``user_version`` counts the steps that it has taken.
MIGRATIONS: tuple[Callable[[sqlite_utils.Database], None], ...] = (_first_schema, _second_schema, _third_schema)


def _first_tables(db: sqlite_utils.Database) -> None:
    def table(
        name: str,
        columns: Mapping[str, type],
        pk: str | tuple[str, ...] = "id",
        links: Sequence[Link] = (),
        may_be_null: str = "",
    ) -> None:
        not_null = set(columns) - set(may_be_null.split())
        # A table that points to itself is not there yet, so sqlite-utils cannot look its key up.
        keys = [(*link, "id") if link[1] == name else link for link in links]
        db.create_table(name, dict(columns), pk=pk, foreign_keys=keys, not_null=not_null, strict=True)

    table("auditors", {"id": int, "name": str, "version": str, "rules": str})
    table(
        "runs",
        {"id": int, "auditor": int, "started": str, "finished": str, "arguments": str}
        | {"read": int, "matches": int, "verdicts": int, "same_id": int, "unreadable": int},
        links=[("auditor", "auditors")],
        may_be_null="finished",
    )
    table("producers", {"id": int, "label": str, "name": str, "version": str, "build": str, "platform": str})
    table("players", {"id": int, "player_id": str, "name": str})
    table(
        "clauses",
        {"id": int, "label": str, "ruleset": str, "clause": str, "rule_en": str, "rule_ar": str, "source": str},
    )
    table(
        "matches",
        {"id": int, "match_id": str, "ruleset": str, "status": str, "clause": int, "players": str, "producer": int}
        | {"started": str, "ended": str, "events": int, "same_id_as": int, "auditor": int, "options": str}
        | {"file": str, "line": int, "offset": int, "digest": str},
        links=[
            ("clause", "clauses"),
            ("producer", "producers"),
            ("same_id_as", "matches"),
            ("auditor", "auditors"),
        ],
        may_be_null="clause producer started ended same_id_as",
    )
    table("logs", {"match": int, "json": bytes}, pk="match", links=_OF_A_MATCH)
    table(
        "seats",
        {"match": int, "seat": int, "player": int, "side": int, "name": str, "bot": int},
        pk=("match", "seat"),
        links=[*_OF_A_MATCH, ("player", "players")],
        may_be_null="side name",
    )
    table(
        "verdicts",
        {"match": int, "auditor": int, "status": str, "clause": int, "totals": str, "winner": int, "over": int}
        | {"run": int},
        pk=("match", "auditor"),
        links=[*_OF_A_MATCH, ("auditor", "auditors"), ("clause", "clauses"), ("run", "runs")],
        may_be_null="clause totals winner",
    )
    table(
        "documents",
        {"match": int, "auditor": int, "json": bytes},
        pk=("match", "auditor"),
        links=_OF_A_VERDICT,
    )
    table(
        "deals",
        {"match": int, "auditor": int, "deal": int, "outcome": str, "first_event": int, "last_event": int}
        | {"points": str, "totals": str, "claimed_points": str, "claimed_totals": str, "agrees": int},
        pk=("match", "auditor", "deal"),
        links=_OF_A_VERDICT,
        may_be_null="points claimed_points claimed_totals agrees",
    )
    table(
        "findings",
        {"match": int, "auditor": int, "number": int, "kind": str, "clause": int, "event": int, "seat": int}
        | {"message_en": str, "message_ar": str, "expected": str, "found": str, "legal": str, "readings": str},
        pk=("match", "auditor", "number"),
        links=[*_OF_A_VERDICT, ("clause", "clauses")],
        may_be_null="event seat expected found legal readings",
    )
    # What is no match log is no match, and may have no digest: it is known by its place and by what is wrong there.
    table(
        "unreadable",
        {"id": int, "file": str, "line": int, "offset": int, "pointer": str, "clause": int}
        | {"message_en": str, "message_ar": str, "match_id": str, "ruleset": str, "digest": str}
        | {"auditor": int, "run": int},
        links=[("clause", "clauses"), ("auditor", "auditors"), ("run", "runs")],
        may_be_null="match_id ruleset",
    )


def _first_indexes(db: sqlite_utils.Database) -> None:
    for table, columns in NATURAL_KEYS.items():
        db.table(table).create_index(columns, index_name=f"{table}_key", unique=True)
    for table, column in (
        ("matches", "match_id"),
        ("matches", "producer"),
        ("seats", "player"),
        ("verdicts", "run"),
        ("findings", "clause"),
    ):
        db.table(table).create_index([column], index_name=f"{table}_{column}")
    # What is rare and often asked for. SQLite takes such an index for ``status = 'illegal'`` only because that
    # very term stands in its condition.
    not_clean = " or ".join(f"status = '{status}'" for status in STATUSES if status != "clean")
    fault = "kind = 'illegal' or kind = 'claim'"
    for name, columns_sql, condition in (
        ("matches_not_clean", "matches (status)", not_clean),
        ("matches_clause", "matches (clause)", "clause is not null"),
        ("matches_same_id", "matches (same_id_as)", "same_id_as is not null"),
        ("deals_disagreeing", "deals (match)", "agrees = 0"),
        ("findings_faults", "findings (clause, match, auditor, seat)", fault),
    ):
        db.execute(f"create index {name} on {columns_sql} where {condition}")
    db.table("matches").enable_fts(["match_id", "players"])
    db.table("players").enable_fts(["player_id", "name"])
    for name in ("logs", "verdicts", "documents", "deals", "findings"):
        db.execute(
            f"create trigger {name}_stay before update on {name} "
            "begin select raise(abort, 'a stored verdict is never changed'); end"
        )


def _first_views(db: sqlite_utils.Database) -> None:
    db.create_view(
        "results",
        """
        select matches.id as match, matches.match_id, matches.ruleset, matches.status, clauses.clause,
            verdicts.totals, verdicts.winner, verdicts.over, matches.players, producers.name as producer,
            producers.version, producers.build, producers.platform, matches.started, matches.ended, matches.events,
            auditors.name as auditor, matches.file, matches.line, matches.digest
        from matches
        join verdicts on verdicts.match = matches.id and verdicts.auditor = matches.auditor
        join auditors on auditors.id = matches.auditor
        left join clauses on clauses.id = matches.clause
        left join producers on producers.id = matches.producer
        """,
    )
    db.create_view(
        "claims",
        """
        select match, match_id, ruleset, deal, side, claimed_points, points, claimed_total, total,
            claimed_points = points and claimed_total = total as agrees
        from (
            select deals.match, matches.match_id, matches.ruleset, deals.deal, claimed.key as side,
                claimed.value as claimed_points,
                case deals.outcome when 'void' then 0
                    else json_extract(deals.points, '$[' || claimed.key || ']') end as points,
                json_extract(deals.claimed_totals, '$[' || claimed.key || ']') as claimed_total,
                json_extract(deals.totals, '$[' || claimed.key || ']') as total
            from deals
            join matches on matches.id = deals.match and matches.auditor = deals.auditor
            join json_each(deals.claimed_points) as claimed
        )
        """,
    )


def _tallies(db: sqlite_utils.Database) -> None:
    """How many matches share ruleset, build, day, status and first clause; nought or nothing stands for none."""
    keys = ("ruleset", "producer", "day", "status", "clause")

    def key(row: str) -> tuple[str, ...]:
        day = f"substr(coalesce({row}.started, {row}.ended, ''), 1, 10)"
        return f"{row}.ruleset", f"ifnull({row}.producer, 0)", day, f"{row}.status", f"ifnull({row}.clause, 0)"

    def counted(row: str) -> str:
        values = ", ".join(key(row))
        return f"insert into tallies values ({values}, 1) on conflict do update set matches = matches + 1;"

    def discounted(row: str) -> str:
        same = " and ".join(f"{column} = {value}" for column, value in zip(keys, key(row), strict=True))
        return (
            f"update tallies set matches = matches - 1 where {same}; delete from tallies where {same} and matches = 0;"
        )

    db.execute(
        "create table tallies (ruleset text not null, producer integer not null, day text not null, "
        "status text not null, clause integer not null, matches integer not null, "
        f"primary key ({', '.join(keys)})) strict, without rowid"
    )
    db.execute(f"insert into tallies select {', '.join(key('matches'))}, count(*) from matches group by 1, 2, 3, 4, 5")
    counted_by = "ruleset, producer, started, ended, status, clause"
    for event, work in (
        ("insert", counted("new")),
        ("delete", discounted("old")),
        (f"update of {counted_by}", discounted("old") + counted("new")),
    ):
        name = f"matches_tallied_after_{event.split()[0]}"
        db.execute(f"create trigger {name} after {event} on matches begin {work} end")


def _citations(db: sqlite_utils.Database) -> None:
    """How many findings of the newest verdicts cite a clause, and in how many matches.

    A finding counts while its match names its auditor as the newest, so it comes and goes with that name too.
    """

    def recounted(match: str, auditor: str, sign: str) -> str:
        """Counts all findings of one verdict in, or out."""
        return (
            f"insert into citations select clause, kind, {sign}count(*), {sign}1 from findings "
            f"where match = {match} and auditor = {auditor} group by clause, kind {added} {emptied}"
        )

    def counted(row: str, sign: str) -> str:
        """Counts one finding in or out; its match only if no other finding there says the same of the clause."""
        first = (
            f"not exists (select 1 from findings where match = {row}.match and auditor = {row}.auditor "
            f"and number <> {row}.number and clause = {row}.clause and kind = {row}.kind)"
        )
        return (
            f"insert into citations select {row}.clause, {row}.kind, {sign}1, {sign}({first}) from matches "
            f"where id = {row}.match and auditor = {row}.auditor {added} {emptied}"
        )

    added = "on conflict do update set findings = findings + excluded.findings, matches = matches + excluded.matches;"
    emptied = "delete from citations where findings = 0;"
    db.execute(
        "create table citations (clause integer not null references clauses(id), kind text not null, "
        "findings integer not null, matches integer not null, primary key (clause, kind)) strict, without rowid"
    )
    db.execute(
        "insert into citations select findings.clause, kind, count(*), count(distinct match) from findings "
        "join matches on matches.id = findings.match and matches.auditor = findings.auditor group by 1, 2"
    )
    for event, work in (
        ("insert on findings", counted("new", "")),
        ("delete on findings", counted("old", "-")),
        (
            "update of auditor on matches",
            recounted("old.id", "old.auditor", "-") + recounted("new.id", "new.auditor", ""),
        ),
        ("delete on matches", recounted("old.id", "old.auditor", "-")),
    ):
        name = f"{event.split()[-1]}_cited_after_{event.split()[0]}"
        db.execute(f"create trigger {name} after {event} begin {work} end")


def _second_claims(db: sqlite_utils.Database) -> None:
    """The view of the first schema, but only deals where something differs are compared side by side.

    Each column has a type: else a filter ``agrees=0`` would look for a text.
    """

    def number_of(column: str) -> str:
        return f"cast(json_extract(deals.{column}, '$[' || claimed.key || ']') as integer)"

    points = f"case deals.outcome when 'void' then cast(0 as integer) else {number_of('points')} end"
    same = f"claimed.value = {points} and {number_of('claimed_totals')} = {number_of('totals')}"
    db.create_view(
        "claims",
        " union all ".join(
            f"""
            select deals.match, matches.match_id, matches.ruleset, deals.deal, cast(claimed.key as integer) as side,
                cast(claimed.value as integer) as claimed_points, cast({points} as integer) as points,
                {number_of("claimed_totals")} as claimed_total, {number_of("totals")} as total,
                cast({agrees} as integer) as agrees
            from deals
            join matches on matches.id = deals.match and matches.auditor = deals.auditor
            join json_each(deals.claimed_points) as claimed
            where deals.agrees {condition}
            """
            for condition, agrees in (("= 0", same), ("= 1", "1"), ("is null", "null"))
        ),
        replace=True,
    )


def _second_indexes(db: sqlite_utils.Database) -> None:
    """Indexes that hold all that a filter, its facets and the order of its page need, whatever the filter lets pass.

    Without the order, SQLite would read and sort every row of a status that most have.
    """
    facets = {"status", "ruleset", "producer", "clause"}
    for facet in facets:
        db.execute(f"drop index if exists matches_{facet}")
    for name in ("matches_not_clean", "findings_clause", "findings_faults"):
        db.execute(f"drop index {name}")
    for name, columns_sql, condition in (
        *(
            (f"matches_{facet}", f"matches ({facet}, id, {', '.join(sorted(facets - {facet}))})", "")
            for facet in ("status", "ruleset", "producer")
        ),
        ("matches_clause", "matches (clause, id, producer, ruleset, status)", "where clause is not null"),
        ("findings_kind", "findings (kind, match, auditor, number, clause, seat)", ""),
        ("findings_clause", "findings (clause, match, auditor, number, kind)", ""),
        ("deals_outcome", "deals (outcome, match, auditor, deal, agrees)", ""),
        ("verdicts_status", "verdicts (status, match, auditor)", ""),
    ):
        db.execute(f"create index {name} on {columns_sql} {condition}")
