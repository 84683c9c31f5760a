"""The database as Datasette shows it: the words fit the tables, and every page and query answers."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from auditor import serve
from auditor.errors import CannotAudit
from auditor.store import Store
from auditor.web import description

from . import samples
from .samples import rows


@pytest.fixture
def shown(loaded: Path) -> Path:
    """The loaded database with a second log of match 1, and with match 2 cleared by another auditor."""
    log, _ = samples.audited(2)
    with Store.open(loaded) as store:
        store.load([samples.audited(1, 1)], samples.FIRST, ["archive/day-2.ndjson"])
        store.load([(log, samples.opinion(log, samples.CLEAN))], samples.SECOND, ["archive/day-1.ndjson"])
    return loaded


def _pages(database: Path, *paths: str, immutable: bool = False) -> list[Any]:
    async def fetched() -> list[Any]:
        datasette = serve.browser_of(database, immutable)
        try:
            return [await datasette.client.get(path) for path in paths]
        finally:
            datasette.close()

    return asyncio.run(fetched())


def _page_of(name: str = "audit") -> dict[str, Any]:
    page: dict[str, Any] = description.configuration(name)["databases"][name]
    return page


def _schema(database: Path) -> dict[str, list[str]]:
    """Columns of every table and view but those in which SQLite keeps its search index."""
    query = "select name from pragma_table_list where schema = 'main' and (strict or type = 'view')"
    return {
        name: [column for (column,) in rows(database, "select name from pragma_table_info(?)", [name])]
        for (name,) in rows(database, query)
    }


def test_every_table_and_column_is_described_and_no_other(loaded: Path) -> None:
    described = {name: list(table["columns"]) for name, table in _page_of()["tables"].items()}
    assert {name: sorted(columns) for name, columns in described.items()} == {
        name: sorted(columns) for name, columns in _schema(loaded).items()
    }
    for table in _page_of()["tables"].values():
        assert all([table["title"], table["description"], *table["columns"].values()])


def test_facets_labels_and_sort_orders_name_columns_that_exist(loaded: Path) -> None:
    schema = _schema(loaded)
    for name, table in _page_of()["tables"].items():
        used = [*table.get("facets", []), *(table[key] for key in ("label_column", "sort_desc") if key in table)]
        assert set(used) <= set(schema[name]), name


def test_what_other_tables_point_to_has_a_label(loaded: Path) -> None:
    labelled = {name for name, table in _page_of()["tables"].items() if "label_column" in table}
    pointed_to = {
        other
        for name in _schema(loaded)
        for (other, count) in rows(
            loaded, 'select "table", count(*) from pragma_foreign_key_list(?) group by id', [name]
        )
        if count == 1
    }
    assert labelled == pointed_to


QUERY_ROWS: dict[str, list[tuple[Any, ...]]] = {
    "worst_clauses": [
        ("play.follow", "tarneeb-classic", 2, 2),
        ("play.follow", "tarneeb-masrawi", 1, 1),
    ],
    "wrong_scores": [],
    "by_build": [
        ("tarneeb-app", "2.4.1", "780", "ios", 5, 3, 0, 2, 0, 40.0),
        ("table-server", "9", "", "", 4, 3, 0, 1, 0, 25.0),
        ("tarneeb-app", "2.4.0", "771", "android", 4, 3, 1, 0, 0, 0.0),
    ],
    "by_clause": [
        ("m-2026-00001", "tarneeb-classic", "illegal", 9, 2),
        ("m-2026-00011", "tarneeb-masrawi", "illegal", 9, 2),
        ("m-2026-00001", "tarneeb-classic", "illegal", 9, 2),
    ],
    "changed_verdicts": [
        ("m-2026-00002", "tarneeb-classic", "misscored", "claim.deal", "clean", None),
    ],
    "same_id_other_content": [
        ("m-2026-00001", "illegal", "2026-03-02T20:00:00Z", "tarneeb-app 2.4.1 build 780 ios", 118),
        ("m-2026-00001", "illegal", "2026-03-02T20:00:00Z", "tarneeb-app 2.4.1 build 780 ios", 59),
    ],
}


def _query_rows(database: Path, name: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(_page_of()["queries"][name]["sql"], {"clause": "play.follow"}).fetchall()


@pytest.mark.parametrize("name", QUERY_ROWS)
def test_a_canned_query_gives_what_a_small_archive_should(shown: Path, name: str) -> None:
    expected = QUERY_ROWS[name]
    found = _query_rows(shown, name)
    assert [row[: len(line)] for row, line in zip(found, expected, strict=True)] == expected


def test_wrong_scores_stand_beside_the_right_ones(loaded: Path) -> None:
    [(match_id, ruleset, deal, *points, producer, _, line, event, match)] = _query_rows(loaded, "wrong_scores")
    assert (match, match_id, ruleset, deal, event) == (3, "m-2026-00002", "tarneeb-classic", 1, 117)
    assert points == ["[9,0]", "[8,0]", "[16,0]", "[16,0]"]
    assert (producer, line) == ("table-server 9", 3)


def test_by_player_counts_what_was_done_from_the_players_seat(shown: Path) -> None:
    answered = _query_rows(shown, "by_player")
    found = {player: counts for player, _, *counts, _ in answered}
    matches = dict(rows(shown, "select player_id, count(*) from seats join players on players.id = player group by 1"))
    guilty = rows(
        shown,
        """select player_id, count(distinct findings.match), count(*), max(findings.match) from findings
        join seats using (match, seat) join players on players.id = player where kind = 'illegal' group by 1""",
    )
    expected = {player: [count, 0, 0] for player, count in matches.items()}
    for player, *counts, _ in guilty:
        expected[player][1:] = counts
    assert found == expected
    newest = {player: match for player, *_, match in guilty}
    assert {player: match for player, *_, match in answered if match is not None} == newest
    assert sum(counts[2] for counts in found.values()) == 3
    assert list(found) == sorted(found, key=lambda player: (-found[player][2], -found[player][1], player))


def test_the_latest_run_comes_first(shown: Path) -> None:
    found = [(row[0], row[1], *row[4:]) for row in _query_rows(shown, "latest_runs")]
    assert found == [
        (3, "0.2.0 (bbbbbbbb)", 1, 0, 1, 0, 0, '["archive/day-1.ndjson"]', 3),
        (2, "0.1.0 (aaaaaaaa)", 1, 1, 1, 1, 0, '["archive/day-2.ndjson"]', 13),
        (1, "0.1.0 (aaaaaaaa)", 13, 12, 12, 0, 1, '["archive/day-1.ndjson"]', 12),
    ]


@pytest.mark.parametrize("immutable", [False, True])
def test_every_page_answers(shown: Path, immutable: bool) -> None:
    names = [*_schema(shown), *_page_of()["queries"]]
    paths = ["/", "/audit", "/audit/matches/2", "/audit/findings/2,1,0", *(f"/audit/{name}" for name in names)]
    pages = _pages(shown, *paths, immutable=immutable)
    assert {path: page.status_code for path, page in zip(paths, pages, strict=True)} == dict.fromkeys(paths, 200)
    for path, page in zip(paths, pages, strict=True):
        assert "<script>alert" not in page.text, path
        assert "An error occurred" not in page.text, path


def test_the_front_page_of_datasette_alone_leads_to_pages_that_exist_whatever_the_file_is_called(
    shown: Path, tmp_path: Path
) -> None:
    database = shown.rename(shown.with_name("season 3.db"))
    front = _alone(database, tmp_path, "/")
    links = [part.split('"')[0] for part in front.split('href="season+3/')[1:]]
    assert len(links) > 10
    pages = _pages(database, *(f"/season+3/{link}" for link in links))
    assert [page.status_code for page in pages] == [200] * len(links)
    assert 'href="audit/' not in front


def test_internal_tables_are_hidden(loaded: Path) -> None:
    [page] = _pages(loaded, "/audit.json")
    listed = {
        name: [table["name"] for table in page.json()["tables"] if table["hidden"] is name] for name in (True, False)
    }
    assert listed[True] == ["citations", "documents", "logs", "matches_fts", "players_fts", "tallies"]
    assert {*listed[False], "citations", "documents", "logs", "results", "claims", "tallies"} == set(_schema(loaded))


def test_a_match_is_found_by_player_and_by_id_and_its_links_have_names(loaded: Path) -> None:
    paths = [
        "/audit/matches.json?_search=%D8%A7%D8%AD%D9%85%D8%AF&_size=100",
        "/audit/results.json?_search=m-2026-00003",
        "/audit/players.json?_search=sami",
        "/audit/findings.json?_labels=on&match=2",
    ]
    by_player, by_id, player, findings = (page.json()["rows"] for page in _pages(loaded, *paths))
    assert {row["id"] for row in by_player} == {
        match for (match,) in rows(loaded, "select match from seats where name = 'أحمد'")
    }
    assert [row["match_id"] for row in by_id] == ["m-2026-00003"]
    assert [row["player_id"] for row in player] == ["p000"]
    assert findings[0]["clause"]["label"] == "play.follow (tarneeb-classic)"
    assert findings[0]["match"] == {"value": 2, "label": "m-2026-00001"}
    assert findings[0]["auditor"]["label"] == "0.1.0 (aaaaaaaa)"


def test_facets_count_the_statuses(loaded: Path) -> None:
    [page] = _pages(loaded, "/audit/matches.json?_extra=facet_results")
    facets = page.json()["facet_results"]["results"]
    counts = {row["value"]: row["count"] for row in facets["status"]["results"]}
    assert counts == {"clean": 8, "illegal": 2, "misscored": 1, "incomplete": 1}
    assert set(facets) == {"status", "ruleset", "clause", "producer"}


def test_nothing_is_fetched_from_elsewhere(loaded: Path) -> None:
    for page in _pages(loaded, "/", "/audit", "/audit/matches", "/audit/worst_clauses"):
        for tag in ("<script src=", '<link rel="stylesheet" href=', "<img src="):
            for part in page.text.split(tag)[1:]:
                address = part.lstrip('"')
                assert address.startswith(("/-/static/", "/-/static-plugins/auditor/", "data:text/css,")), part[:80]


def _alone(database: Path, folder: Path, path: str) -> str:
    """What a Datasette without plugins answers that is given the printed configuration."""
    file = folder / "shown.json"
    file.write_text(description.configuration_json(database.stem), encoding="utf-8")
    command = [sys.executable, "-m", "datasette", str(database), "-c", str(file), "-m", str(file), "--get", path]
    environment = os.environ | {"DATASETTE_LOAD_PLUGINS": ""}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_datasette_alone_takes_the_printed_configuration(shown: Path, tmp_path: Path) -> None:
    [page] = _pages(shown, "/audit/worst_clauses.json")
    assert json.loads(_alone(shown, tmp_path, "/audit/worst_clauses.json")) == page.json()
    matches = _alone(shown, tmp_path, "/audit/matches")
    assert "The clause that was broken first" in matches
    assert "/-/auditor" not in matches


@pytest.mark.parametrize("immutable", [False, True])
def test_a_database_of_an_earlier_schema_is_brought_up_before_it_is_served(
    path: Path, monkeypatch: pytest.MonkeyPatch, immutable: bool
) -> None:
    monkeypatch.undo()  # it cites the rulebook
    samples.earlier(path, 1)
    front, tallies = _pages(path, "/", "/audit/tallies.json", immutable=immutable)
    assert front.status_code == 200
    assert (
        sum(row["matches"] for row in tallies.json()["rows"])
        == samples.rows(path, "select count(*) from matches")[0][0]
    )


def test_what_a_killed_load_left_in_the_log_is_shown_immutable_too(loaded: Path) -> None:
    reader = Store.open(loaded)  # keeps the write-ahead log from being folded in when the writer closes
    with Store.open(loaded) as store:
        store.load([samples.audited(30)], samples.FIRST)
    copy = loaded.with_name("copy.db")
    for ending in ("", "-wal"):
        copy.with_name(copy.name + ending).write_bytes(loaded.with_name(loaded.name + ending).read_bytes())
    reader.close()
    [page] = _pages(copy, "/copy/matches.json?match_id=m-2026-00030", immutable=True)
    assert len(page.json()["rows"]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send another process an interrupt")
def test_serve_says_where_and_ends_when_interrupted(loaded: Path) -> None:
    program = "import sys, pathlib; from auditor.serve import serve; serve(pathlib.Path(sys.argv[1]), 0, announce=say)"
    say = "say = lambda url: print(url, flush=True); "
    root = Path(__file__).parents[2]
    command: Sequence[str] = [sys.executable, "-c", say + program, str(loaded)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        try:
            with urllib.request.urlopen(f"{url}audit", timeout=20) as answer:
                assert "Audited matches" in answer.read().decode()
        finally:
            server.send_signal(signal.SIGINT)
            _, errors = server.communicate(timeout=20)
    assert (server.returncode, errors) == (0, "")


def test_a_port_that_is_taken_is_said_so(loaded: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotAudit, match=f"127.0.0.1:{port}: expected a free port"):
            serve.serve(loaded, port)


def test_a_database_that_was_cut_short_is_not_served(loaded: Path) -> None:
    whole = loaded.read_bytes()
    loaded.write_bytes(whole[: len(whole) // 2])
    program = "import sys, pathlib; from auditor.serve import serve; serve(pathlib.Path(sys.argv[1]), 0)"
    command = [sys.executable, "-c", program, str(loaded)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=60)
    assert "malformed" in ended.stderr
    assert "CannotAudit" in ended.stderr.splitlines()[-1]


def test_only_an_audit_database_is_served(tmp_path: Path) -> None:
    with pytest.raises(CannotAudit, match="expected an audit database"):
        serve.browser_of(tmp_path / "none.db")
