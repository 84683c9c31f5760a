"""What the pages read: the same as a plain count, in pages that leave nothing out, and never a whole large table."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from datasette.app import Datasette

from auditor.audit import verdict_on
from auditor.games import FORMS
from auditor.log import Log, read_bytes
from auditor.store import Auditor, Store
from auditor.verdict import Verdict, status
from auditor.web import queries

from . import archives, serving

FAULTY, CLEAN = "three-stones/fault-slid-too-far", "three-stones/clean-slide-3"


def asked(path: Path, question: Callable[[Any], Awaitable[Any]]) -> Any:
    """The answer to a question that is put to the database."""

    async def answered() -> Any:
        datasette = Datasette([str(path)], settings=serving.PATIENT)
        try:
            return await question(datasette.get_database(path.stem))
        finally:
            datasette.close()

    return asyncio.run(answered())


def rows(path: Path, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, parameters).fetchall()


def named(number: int, *players: tuple[str, str], fixture: str = CLEAN, **keys: Any) -> dict[str, Any]:
    """The log of a fixture as match ``number``, with other players, (id, name) each."""
    seated = [{"id": key, "name": name} for key, name in players]
    return {**archives.fixture(fixture), "match": f"m-{number:03}", "players": seated, **keys}


# --- Counts ---------------------------------------------------------------------------------------------------------


def test_tallies_are_what_a_count_of_the_matches_gives(audited_database: Path) -> None:
    counted = rows(
        audited_database, "select ruleset, ifnull(producer, 0), status, count(*) from matches group by 1, 2, 3"
    )
    found = asked(audited_database, queries.tallies)
    assert sorted(map(dataclasses.astuple, found)) == sorted(counted)


def test_days_are_what_a_count_of_the_matches_gives(audited_database: Path) -> None:
    query = "select substr(ifnull(started, ''), 1, 10), status, count(*) from matches group by 1, 2"
    found = asked(audited_database, queries.days)
    assert sorted(map(dataclasses.astuple, found)) == sorted(rows(audited_database, query))


def test_first_clauses_are_what_a_count_of_the_matches_gives(audited_database: Path) -> None:
    query = "select ifnull(producer, 0), clause, count(*) from matches where clause is not null group by 1, 2"
    found = asked(audited_database, queries.first_clauses)
    assert sorted(map(dataclasses.astuple, found)) == sorted(rows(audited_database, query))


def test_most_broken_leaves_out_what_accuses_nobody(audited_database: Path) -> None:
    query = """
        select clause, kind, count(*), count(distinct match) from findings
        where kind in ('illegal', 'claim') group by 1, 2"""
    found = asked(audited_database, lambda database: queries.most_broken(database, 1000))
    assert sorted((row.clause.number, row.kind, row.findings, row.matches) for row in found) == sorted(
        rows(audited_database, query)
    )
    assert [row.matches for row in found] == sorted((row.matches for row in found), reverse=True)


def test_unreadable_count_is_the_number_of_rows(audited_database: Path) -> None:
    [(count,)] = rows(audited_database, "select count(*) from unreadable")
    assert asked(audited_database, queries.unreadable_count) == count > 0


# --- The newest -----------------------------------------------------------------------------------------------------


def test_faulty_matches_come_newest_first_each_with_its_first_fault(audited_database: Path) -> None:
    query = """
        select matches.id, clauses.clause, findings.event, min(findings.number) from matches
        join findings on findings.match = matches.id and findings.kind in ('illegal', 'claim')
        join clauses on clauses.id = findings.clause
        where status in ('illegal', 'misscored') group by matches.id order by matches.id desc"""
    expected = [(number, clause, event) for number, clause, event, _ in rows(audited_database, query)]
    for most in (1, 7, 1000):
        found = asked(audited_database, partial(queries.faulty_matches, most=most))
        assert [(row.match.number, row.clause, row.event) for row in found] == expected[:most]


def _judged(document: dict[str, Any]) -> tuple[Log, Verdict]:
    log = read_bytes(msgspec.json.encode(document), FORMS, "sent.json")
    assert isinstance(log, Log)
    return log, verdict_on(log)


def _cleared(verdict: Verdict) -> Verdict:
    return dataclasses.replace(verdict, findings=(), status=status((), over=True))


def test_a_finding_that_the_newest_auditor_took_back_is_not_among_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    first, second = (_judged(named(number, ("p", "P"), ("q", "Q"), fixture=FAULTY)) for number in (1, 2))
    with Store.open(path) as store:
        store.load([first, second], Auditor("1", "a"))
        store.load([(second[0], _cleared(second[1]))], Auditor("2", "b"))
    [(clause,)] = rows(path, "select id from clauses where clause = 'move.adjacent'")
    found = asked(path, lambda database: queries.newest_findings(database, clause, 5))
    assert {row.match.match_id for row in found} == {"m-001"}
    [faulty] = asked(path, lambda database: queries.faulty_matches(database, 5))
    assert faulty.match.match_id == "m-001"
    of_player = asked(path, lambda database: queries.findings_of(database, 1, 5))
    assert {row.finding.match.match_id for row in of_player.rows} == {"m-001"}


# --- Page after page ------------------------------------------------------------------------------------------------


def _whole(path: Path, question: Callable[[Any, int | None], Awaitable[queries.Stretch[Any]]]) -> list[Any]:
    """All rows of a list, stretch after stretch."""

    async def answered(database: Any) -> list[Any]:
        found: list[Any] = []
        stretch = await question(database, None)
        found += stretch.rows
        while stretch.following is not None:
            stretch = await question(database, stretch.following)
            found += stretch.rows
        return found

    all_rows: list[Any] = asked(path, answered)
    return all_rows


@pytest.mark.parametrize("most", [1, 7, 109, 10_000])
def test_the_pages_of_players_hold_each_once_by_name(audited_database: Path, most: int) -> None:
    found = _whole(audited_database, lambda database, after: queries.players(database, most, after))
    query = """
        select id, player_id, name, (select count(*) from seats where player = players.id) from players
        order by name, id"""
    assert list(map(dataclasses.astuple, found)) == rows(audited_database, query)


@pytest.mark.parametrize("most", [1, 7, 10_000])
def test_the_pages_of_a_player_hold_each_match_once_the_newest_first(audited_database: Path, most: int) -> None:
    found = _whole(audited_database, lambda database, before: queries.matches_of(database, 1, most, before))
    expected = rows(audited_database, "select match, seat from seats where player = 1 order by match desc, seat")
    assert [(played.match.number, played.seat) for played in found] == expected
    for played in found:
        [own] = [seated for seated in played.seats if seated.seat == played.seat]
        assert own.player == 1
        assert {seated.seat for seated in (own, *played.partners, *played.opponents)} == set(range(len(played.seats)))
        assert all(seated.side == own.side for seated in played.partners)
        assert all(seated.side != own.side for seated in played.opponents)


@pytest.mark.parametrize("most", [1, 7, 10_000])
def test_the_pages_of_a_player_hold_each_match_with_findings_once(audited_database: Path, most: int) -> None:
    found = _whole(audited_database, lambda database, before: queries.findings_of(database, 1, most, before))
    query = """
        select findings.match, findings.event, findings.message_en from findings
        join seats on seats.match = findings.match and seats.seat = findings.seat and seats.player = 1
        order by findings.match desc, findings.number"""
    expected = rows(audited_database, query)
    got = [(row.finding.match.number, row.finding.event, row.finding.message["en"]) for row in found]
    if most > 1:
        assert got == expected
    else:  # of a match with more findings than fit, the first ones are told
        assert [match for match, *_ in got] == list(dict.fromkeys(match for match, *_ in expected))
        assert set(got) <= set(expected)


def test_findings_are_searched_for_behind_many_matches_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MATCHES_SEARCHED", 3)
    documents = [named(0, ("p", "P"), ("q", "Q"), fixture=FAULTY)]
    documents += [named(number, ("p", "P"), ("q", "Q")) for number in range(1, 8)]
    path = archives.of_documents(tmp_path / "audit.db", documents)
    first = asked(path, lambda database: queries.findings_of(database, 1, 5))
    assert first.rows == ()
    assert first.following is not None
    found = _whole(path, lambda database, before: queries.findings_of(database, 1, 5, before))
    assert {row.finding.match.match_id for row in found} == {"m-000"}


@pytest.mark.parametrize("most", [1, 2, 10])
def test_the_pages_of_runs_hold_each_once_the_newest_first(tmp_path: Path, most: int) -> None:
    path = tmp_path / "audit.db"
    for number in range(5):
        archives.of_documents(path, [named(number, ("p", "P"), ("q", "Q"))])
    found = _whole(path, lambda database, before: queries.runs(database, most, before))
    assert [(run.number, run.read, run.matches) for run in found] == [(number, 1, 1) for number in (5, 4, 3, 2, 1)]


# --- Search ---------------------------------------------------------------------------------------------------------

NAMES = (
    ("p-1", "أحمد"),
    ("p-2", "احمد"),
    ("p-3", "مؤمن"),
    ("p-4", "محمّد"),
    ("p-5", "Noé"),
    ("p-6", 'O\'Hara "x"'),
    ("p-7", "AND OR NOT"),
    ("p-8", "<script>"),
    ("p/9", "عبد الرحمن"),
    ("p-10", "😀"),
)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Match n is played by the players 2n and 2n + 1 of the names above."""
    documents = [named(number, *NAMES[2 * number : 2 * number + 2]) for number in range(len(NAMES) // 2)]
    documents[1]["match"] = "a/b'c\"d"
    documents[2]["match"] = "--"
    return archives.of_documents(tmp_path_factory.mktemp("searched") / "audit.db", documents)


def _players(path: Path, text: str) -> set[str]:
    found = asked(path, lambda database: queries.found_players(database, text, 20))
    return {player.player_id for player in found}


def _matches(path: Path, text: str) -> list[str]:
    found = asked(path, lambda database: queries.found_matches(database, text, 20))
    return [match.match_id for match in found]


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("أحمد", {"p-1", "p-2"}),
        ("احمد", {"p-1", "p-2"}),
        ("إحمد", {"p-1", "p-2"}),
        ("اح", {"p-1", "p-2"}),
        ("أحـــمد", {"p-1", "p-2"}),
        ("مومن", {"p-3"}),
        ("مؤ", {"p-3"}),
        ("محمد", {"p-4"}),
        ("مُحَمَّد", {"p-4"}),
        ("noe", {"p-5"}),
        ("NOÉ", {"p-5"}),
        ("o'hara", {"p-6"}),
        ('x"', {"p-6"}),
        ("hara o", {"p-6"}),
        ("AND OR NOT", {"p-7"}),
        ("NOT", {"p-7"}),
        ("script", {"p-8"}),
        ("<script>", {"p-8"}),
        ("p-10", {"p-10"}),
        ("p/9", {"p/9"}),
        ("الرح عبد", {"p/9"}),
        ("o hara", {"p-6"}),
        ("n", set()),
        ("nobody", set()),
    ],
)
def test_players_are_found_by_beginnings_whatever_the_marks(searched: Path, text: str, players: set[str]) -> None:
    assert _players(searched, text) == players


def test_the_player_whose_id_was_typed_comes_first(searched: Path) -> None:
    found = asked(searched, lambda database: queries.found_players(database, "p-1", 20))
    assert [player.player_id for player in found] == ["p-1", "p-10"]


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("m-000", ["m-000"]),
        ("m-00", ["m-004", "m-003", "m-000"]),
        ("M-000", ["m-000"]),
        ("أحمد", ["m-000"]),
        ("احم", ["m-000"]),
        ("a/b'c\"d", ["a/b'c\"d"]),
        ("--", ["--"]),
        (" -- ", ["--"]),
        ("m-000 m-004", []),
        ("m-000 ahmad", []),
    ],
)
def test_matches_are_found_by_id_and_by_player(searched: Path, text: str, matches: list[str]) -> None:
    assert _matches(searched, text) == matches


def test_a_match_is_found_by_the_beginning_of_its_digest(searched: Path) -> None:
    for digest, match in rows(searched, "select digest, match_id from matches"):
        for text in (digest, digest.removeprefix("sha256:"), digest[:15], digest[7:15].upper(), f" {digest[:20]} "):
            assert match in _matches(searched, text)
    assert _matches(searched, "sha256:" + "0" * 64) == []


def test_the_match_whose_id_was_typed_comes_before_newer_ones(tmp_path: Path) -> None:
    people = ("p", "P"), ("q", "Q")
    documents = [named(1, *people, match="cup"), named(2, *people, match="cup-2"), named(3, *people, match="cup-3")]
    path = archives.of_documents(tmp_path / "audit.db", documents)
    assert _matches(path, "cup") == ["cup", "cup-3", "cup-2"]


@pytest.mark.parametrize(
    "text",
    [
        *('"', "'", '""', '"a', "a*", "*", "^a", "a OR", "AND", "NEAR(a b, 2)", "match_id: a", "{a b}: c", "(", "a )"),
        *("-", "a - b", "+", "\\", "%", "_", "\x00", "a\x00b", "\u202e", "\ufffd", "a\nb", "😀", "١٢", "٫", "ﷺ"),
        *("x" * 5000, "a " * 5000, '"' * 300, "أ" * 300, "sha256:", "sha256:zz", "abcdef" * 20),
    ],
)
def test_any_text_can_be_searched_for(searched: Path, text: str) -> None:
    assert isinstance(_matches(searched, text), list)
    assert isinstance(_players(searched, text), set)


def test_no_more_is_found_than_was_asked_for(audited_database: Path) -> None:
    assert len(asked(audited_database, lambda database: queries.found_matches(database, "fault", 5))) == 5
    assert len(asked(audited_database, lambda database: queries.found_players(database, "pl", 5))) == 5


# --- Plans ----------------------------------------------------------------------------------------------------------

#: Tables that grow with the matches. Players may be scanned for a page by name, tallies and citations for a sum.
LARGE = ("matches", "seats", "verdicts", "findings", "deals", "logs", "documents")


class _Overheard:
    """A database that keeps what it is asked."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self.asked: list[tuple[str, Sequence[Any]]] = []

    async def execute(self, query: str, parameters: Sequence[Any] = (), **more: Any) -> Any:
        self.asked.append((query, parameters))
        return await self._database.execute(query, parameters, **more)


QUESTIONS: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "tallies": queries.tallies,
    "days": queries.days,
    "first_clauses": queries.first_clauses,
    "builds": queries.builds,
    "clauses": queries.clauses,
    "clauses of a ruleset": lambda database: queries.clauses(database, "three-stones"),
    "most_broken": lambda database: queries.most_broken(database, 10),
    "citations": queries.citations,
    "citations of a ruleset": lambda database: queries.citations(database, "three-stones"),
    "unreadable_count": queries.unreadable_count,
    "faulty_matches": lambda database: queries.faulty_matches(database, 10),
    "newest_findings": lambda database: queries.newest_findings(database, 1, 5),
    "runs": lambda database: queries.runs(database, 10, 9),
    "player": lambda database: queries.player(database, 1),
    "players": lambda database: queries.players(database, 10, 3),
    "matches_of": lambda database: queries.matches_of(database, 1, 10, 900),
    "findings_of": lambda database: queries.findings_of(database, 1, 10, 900),
    "found_matches": lambda database: queries.found_matches(database, "fault abcdef", 10),
    "found_players": lambda database: queries.found_players(database, "player", 10),
    "newest_auditor": lambda database: queries.newest_auditor(database, 1),
    "digest_of": lambda database: queries.digest_of(database, 1),
    "stored_match": lambda database: queries.stored_match(database, "sha256:00"),
    "words_of_findings": lambda database: queries.words_of_findings(database, 1, 10),
}

#: What is asked for a site without a server, which has every match on it: nobody waits for these.
OF_A_SITE = {"digests", "listed_matches"}


def _scanned(plan: Iterable[str]) -> set[str]:
    return {found[1] for line in plan if (found := re.match(r"SCAN (\w+)", line)) and found[1] in LARGE}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_question_reads_a_large_table_whole(audited_database: Path, name: str) -> None:
    async def plans(database: Any) -> list[str]:
        overheard = _Overheard(database)
        await QUESTIONS[name](overheard)
        found = []
        for query, parameters in overheard.asked:
            found += [row["detail"] for row in await database.execute(f"explain query plan {query}", parameters)]
        return found

    lines = asked(audited_database, plans)
    assert lines
    assert _scanned(lines) == set(), lines


def test_every_question_is_among_those() -> None:
    functions = {
        name for name, value in vars(queries).items() if asyncio.iscoroutinefunction(value) and not name.startswith("_")
    }
    assert functions == {name.split(" ")[0] for name in QUESTIONS} | OF_A_SITE


def test_a_scan_would_be_seen(audited_database: Path) -> None:
    plan = rows(audited_database, "explain query plan select count(*) from matches where events > 3")
    assert _scanned(detail for *_, detail in plan) == {"matches"}
