"""What Datasette says of an audit database, whoever starts it, and that a person's own words stand before ours."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from datasette.app import Datasette

from auditor.web import description

from . import serving


def _ours(name: str = "audit") -> dict[str, Any]:
    page: dict[str, Any] = description.configuration(name)["databases"][name]
    return page


def _answers(database: Path, *paths: str, **arguments: Any) -> list[Any]:
    """What a Datasette with words or a configuration of a person's own answers."""

    async def fetched() -> list[Any]:
        datasette = Datasette([str(database)], settings=serving.PATIENT, **arguments)
        try:
            return [await datasette.client.get(path) for path in paths]
        finally:
            datasette.close()

    return asyncio.run(fetched())


def test_a_plain_datasette_shows_titles_descriptions_facets_and_queries(audited_database: Path) -> None:
    paths = ["/audit", "/audit/matches", "/audit/matches.json?_extra=facet_results", "/audit/worst_clauses"]
    home, matches, facets, query, queries = serving.answers(audited_database, *paths, "/audit/-/queries")
    assert "Audited matches" in home.text
    assert "One row of <a href=" in home.text
    for name, words in _ours()["queries"].items():
        assert f'href="/audit/{name}"' in queries.text
        assert words["title"] in queries.text
    words = _ours()["tables"]["matches"]
    assert f"<h1>{words['title']}</h1>" in matches.text
    assert words["description"] in matches.text
    for column, meaning in words["columns"].items():
        assert f"<dt>{column}</dt><dd>{meaning.replace(chr(39), '&#39;')}</dd>" in matches.text
    assert list(facets.json()["facet_results"]["results"]) == words["facets"]
    numbers = [row["id"] for row in facets.json()["rows"]]
    assert numbers == sorted(numbers, reverse=True)
    assert _ours()["queries"]["worst_clauses"]["title"] in query.text
    assert query.status_code == 200


def test_tables_that_are_for_programs_are_hidden_in_a_plain_datasette(audited_database: Path) -> None:
    [page] = serving.answers(audited_database, "/audit.json")
    hidden = {table["name"] for table in page.json()["tables"] if table["hidden"]}
    assert hidden >= {name for name, words in _ours()["tables"].items() if words.get("hidden")}
    assert "matches" not in hidden


def test_the_links_in_the_description_lead_to_pages_whatever_the_file_is_called(
    audited_database: Path, tmp_path: Path
) -> None:
    database = serving.copied(audited_database, tmp_path / "season 3 & more.db")
    [front] = serving.answers(database, "/season+3+~26+more")
    links = [part.split('"')[0] for part in front.text.split('<a href="season')[1:]]
    assert len(links) == 4
    pages = serving.answers(database, *(f"/season{link}" for link in links))
    assert [page.status_code for page in pages] == [200] * len(links)


OWN_WORDS = {
    "title": "Our season",
    "description": "Our words",
    "tables": {
        "matches": {"title": "Our matches", "description": "Ours, too", "columns": {"status": "Our status"}},
        "findings": {"description_html": "<b>Our findings</b>"},
    },
}


def test_a_persons_own_metadata_stands_before_ours(audited_database: Path) -> None:
    paths = ["/audit", "/audit/matches", "/audit/findings"]
    home, matches, findings = _answers(audited_database, *paths, metadata={"databases": {"audit": OWN_WORDS}})
    assert "Our season" in home.text
    assert "Our words" in home.text
    assert "One row of <a href=" not in home.text
    assert "<h1>Our matches</h1>" in matches.text
    assert "Ours, too" in matches.text
    assert "<dt>status</dt><dd>Our status</dd>" in matches.text
    assert "<dt>clause</dt><dd>The clause that was broken first" in matches.text
    assert "<b>Our findings</b>" in findings.text
    assert _ours()["tables"]["findings"]["description"] not in findings.text


OWN_CONFIGURATION: dict[str, Any] = {
    "tables": {"matches": {"facets": ["file"], "sort": "events"}, "players": {"hidden": True}},
    "queries": {"by_build": {"sql": "select 'ours' as whose", "title": "Our builds"}},
}


def test_a_persons_own_configuration_stands_before_ours(audited_database: Path) -> None:
    config = {"databases": {"audit": OWN_CONFIGURATION}}
    paths = ["/audit.json", "/audit/matches.json?_extra=facet_results", "/audit/by_build.json", "/audit/by_player.json"]
    home, matches, query, other = _answers(audited_database, *paths, config=config)
    hidden = {table["name"] for table in home.json()["tables"] if table["hidden"]}
    assert {"players", "logs"} <= hidden
    assert list(matches.json()["facet_results"]["results"]) == ["file"]
    counts = [row["events"] for row in matches.json()["rows"]]
    assert counts == sorted(counts)
    assert query.json()["rows"] == [{"whose": "ours"}]
    assert other.json()["rows"]


def test_what_datasette_keeps_between_two_starts_is_not_doubled_and_a_persons_query_stays(
    audited_database: Path, tmp_path: Path
) -> None:
    async def started_twice() -> list[Any]:
        internal = str(tmp_path / "internal.db")
        Path(internal).touch()
        for _ in range(2):
            datasette = Datasette([str(audited_database)], internal=internal, settings=serving.PATIENT)
            await datasette.invoke_startup()
            await datasette.add_query("audit", "by_player", "select 'kept' as whose", source="user", replace=True)
            datasette.close()
        datasette = Datasette([str(audited_database)], internal=internal, settings=serving.PATIENT)
        try:
            return [await datasette.client.get(path) for path in ("/audit/by_player.json", "/audit/by_build.json")]
        finally:
            datasette.close()

    kept, ours = asyncio.run(started_twice())
    assert kept.json()["rows"] == [{"whose": "kept"}]
    assert "faulty_percent" in ours.json()["rows"][0]


@pytest.mark.parametrize("immutable", [False, True])
def test_a_database_that_is_none_of_ours_is_told_nothing(tmp_path: Path, immutable: bool) -> None:
    other = tmp_path / "audit.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("create table matches (id integer primary key, status text)")
    arguments: dict[str, Any] = {"immutables": [str(other)]} if immutable else {"files": [str(other)]}

    async def fetched() -> list[Any]:
        datasette = Datasette(**arguments, settings=serving.PATIENT)
        try:
            return [await datasette.client.get(path) for path in ("/", "/audit", "/audit/matches", "/audit/by_build")]
        finally:
            datasette.close()

    front, home, table, query = asyncio.run(fetched())
    assert [page.status_code for page in (front, home, table, query)] == [200, 200, 200, 404]
    assert "Audited matches" not in front.text + home.text
    assert "One row a log" not in table.text


def test_the_printed_configuration_says_the_same_of_any_name() -> None:
    shown = description.configuration("season 3")
    assert list(shown["databases"]) == ["season 3"]
    assert 'href="audit/' not in str(shown)
    assert 'href="season+3/matches"' in shown["description_html"]
    assert shown["databases"]["season 3"].keys() == _ours().keys()
