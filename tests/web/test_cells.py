"""One click from any row of Datasette's tables and ready queries to the match that it speaks of."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import verdict_on
from auditor.store import Auditor, Store
from auditor.web import description

from . import archives, pages, serving

_LINK = re.compile(r'<a href="/-/auditor/match/(\d+)(\.json|/log\.json)?(?:#e(\d+))?">([^<]*)</a>')
_LATER = Auditor("9.9.9", "sha256:9999999999999999")


@pytest.fixture(scope="module")
def database(audited_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixtures; besides, another log with the id of one, and one that a later auditor finds clean."""
    copy = serving.copied(audited_database, tmp_path_factory.mktemp("cells") / "audit.db")
    document = archives.fixture("tarneeb-classic/fault-revoke")
    archives.of_documents(copy, [{**document, "started": "2031-01-01T00:00:00Z"}])
    log = pages.log_of("tarneeb-classic/fault-revoke")
    with Store.open(copy) as store:
        store.load([(log, replace(verdict_on(log), findings=(), status="clean"))], _LATER)
    return copy


def _links(page: Any) -> list[tuple[int, str | None, int | None, str]]:
    """Of each link to a match: its number, the kind of document, the event, and what the cell shows."""
    return [
        (int(match), kind or None, int(event) if event else None, text)
        for match, kind, event, text in _LINK.findall(page.text)
    ]


def _rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize(
    ("path", "columns", "order"),
    [
        ("matches", "id, null, null, match_id", "id desc"),
        ("results?_sort=match", "match, null, null, match_id", "match"),
        ("claims?_sort=match", "match, null, null, match_id", "match, deal, side"),
        ("findings", "match, null, event, event", "match, auditor, number"),
        ("deals", "match, null, first_event, deal", "match, auditor, deal"),
        ("verdicts?_sort=match", "match, null, null, status", "match, auditor"),
        ("seats", "match, null, null, seat", "match, seat"),
        ("logs", "match, '/log.json', null, 'log'", "match"),
    ],
)
def test_each_row_of_a_table_leads_to_its_match(database: Path, path: str, columns: str, order: str) -> None:
    table = path.partition("?")[0]
    [page] = serving.answers(database, f"/audit/{path}")
    found = _rows(database, f"select {columns} from {table} order by {order} limit 100")
    assert found
    assert _links(page) == [(*numbers, str(text)) for *numbers, text in found]


def test_the_bytes_of_a_verdict_are_a_link_to_it_where_it_is_the_newest(database: Path) -> None:
    [(match,)] = _rows(database, "select match from verdicts group by match having count(*) > 1")
    both, other = serving.answers(database, f"/audit/documents?match={match}", f"/audit/documents?match={match - 1}")
    assert _links(both) == [(match, ".json", None, "verdict")]
    assert both.text.count("blob-download") == 3  # the facts of both, and the earlier verdict
    assert _links(other) == [(match - 1, ".json", None, "verdict")]
    assert other.text.count("blob-download") == 1


def test_the_links_to_logs_and_verdicts_answer_with_them(database: Path) -> None:
    paths = ["/-/auditor/match/1.json", "/-/auditor/match/1/log.json"]
    verdict, log = serving.answers(database, *paths, follow_redirects=True)
    [(match_id,)] = _rows(database, "select match_id from matches where id = 1")
    assert (verdict.json()["match"], log.json()["match"]) == (match_id, match_id)


def test_a_finding_that_stands_at_no_event_leads_to_its_match(database: Path, tmp_path: Path) -> None:
    copy = serving.copied(database, tmp_path / "audit.db")
    with closing(sqlite3.connect(copy)) as connection, connection:
        columns = (
            "match, auditor, 99, kind, clause, null, seat, message_en, message_ar, expected, found, legal, readings"
        )
        connection.execute(f"insert into findings select {columns} from findings limit 1")
    [page] = serving.answers(copy, "/audit/findings?number=99")
    [(match,)] = _rows(copy, "select match from findings where number = 99")
    assert _links(page) == [(match, None, None, "–")]


def test_the_page_of_a_row_leads_to_its_match_too(database: Path) -> None:
    [(match, auditor, number, event)] = _rows(database, "select match, auditor, number, event from findings limit 1")
    of_match, of_finding = serving.answers(
        database, f"/audit/matches/{match}", f"/audit/findings/{match},{auditor},{number}"
    )
    [(match_id,)] = _rows(database, f"select match_id from matches where id = {match}")
    assert _links(of_match) == [(match, None, None, match_id)]
    assert _links(of_finding) == [(match, None, event, str(event))]


def test_what_a_column_points_to_is_still_shown_by_its_name(database: Path) -> None:
    [page] = serving.answers(database, "/audit/findings?_labels=on")
    [(match, match_id)] = _rows(database, "select id, match_id from matches join findings on match = id limit 1")
    assert f'<a href="/audit/matches/{match}">{match_id}</a>&nbsp;<em>{match}</em>' in page.text


@pytest.mark.parametrize("name", description.configuration("audit")["databases"]["audit"]["queries"])
def test_each_row_of_a_ready_query_leads_to_a_match(database: Path, name: str) -> None:
    query = "?clause=play.follow-suit" if name == "by_clause" else ""
    data, page = serving.answers(database, f"/audit/{name}.json{query}", f"/audit/{name}{query}")
    expected = [(row["match"], row.get("event")) for row in data.json()["rows"] if row["match"] is not None]
    assert expected
    links = [(match, event) for match, _, event, _ in _links(page)]
    assert set(links) == set(expected)
    assert len(links) >= len(expected)


def test_the_match_of_a_query_that_a_person_wrote_is_a_link(database: Path) -> None:
    query = "select+'x'+as+match_id,+7+as+match,+3+as+event"
    [page] = serving.answers(database, f"/audit/-/query?sql={query}")
    assert _links(page) == [(7, None, 3, "x"), (7, None, 3, "7")]


@pytest.mark.parametrize("columns", ["'7' as match", "7.5 as match", "null as match", "7 as matches", "7 as id"])
def test_what_is_no_number_of_a_match_is_no_link(database: Path, columns: str) -> None:
    [page] = serving.answers(database, f"/audit/-/query?sql=select+{columns.replace(' ', '+')}")
    assert page.status_code == 200
    assert _links(page) == []


def test_another_database_has_no_links(database: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.executescript(
            "create table matches (id integer primary key, match_id text); insert into matches values (1, 'm');"
            "create table logs (match integer primary key, json blob); insert into logs values (1, x'00');"
        )
    found = serving.answers(
        [database, other], "/other/matches", "/other/logs", "/other/-/query?sql=select+1+as+match", "/audit/matches"
    )
    assert ["/-/auditor/match/" in page.text for page in found] == [False, False, False, True]


def test_with_two_audit_databases_a_link_names_the_one_that_it_means(database: Path, tmp_path: Path) -> None:
    other = serving.copied(database, tmp_path / "season 2.db")
    [page, log] = serving.answers([database, other], "/season+2/matches", "/season+2/logs")
    assert re.search(r'href="/-/auditor/match/\d+\?database=season\+2"', page.text)
    assert re.search(r'href="/-/auditor/match/\d+/log\.json\?database=season\+2"', log.text)


def test_what_a_log_calls_itself_is_text(tmp_path: Path) -> None:
    database = archives.of_hostile_logs(tmp_path / "audit.db")
    for page in serving.answers(database, "/audit/matches", "/audit/results", "/audit/claims", "/audit/by_clause"):
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img src=x" not in page.text
        assert "\u202e" not in "".join(text for *_, text in _links(page))
