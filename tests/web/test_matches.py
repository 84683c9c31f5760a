"""One match as JSON and as a page: the stored bytes, the tables of the replay, and nothing that is forbidden."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from markupsafe import escape

from auditor import position
from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.rulebook import LANGUAGES, Language
from auditor.verdict import to_json
from tests import golden

from . import archives, serving

Client = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def revoke() -> Log:
    entry = read_bytes((golden.FIXTURES / "tarneeb-classic" / "fault-revoke.json").read_bytes(), FORMS)
    assert isinstance(entry, Log)
    return entry


def _path(log: Log, ending: str = "") -> str:
    return f"/-/auditor/match/{log.digest.removeprefix('sha256:')}{ending}"


def test_the_verdict_is_the_one_that_was_given_byte_for_byte(client: Client, revoke: Log) -> None:
    (answer,) = client(_path(revoke, ".json"))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.content == to_json(verdict_on(revoke))


def test_the_log_is_the_one_that_the_digest_is_of(client: Client, revoke: Log) -> None:
    (answer,) = client(_path(revoke, "/log.json"))
    assert "sha256:" + hashlib.sha256(answer.content).hexdigest() == revoke.digest


def test_a_table_is_the_one_of_the_replay(client: Client, revoke: Log) -> None:
    steps = (0, 22, len(revoke.match.events))
    for step, answer in zip(steps, client(*(_path(revoke, f"/table/{step}.json") for step in steps)), strict=True):
        expected = msgspec.json.encode(position.before(GAMES[revoke.match.ruleset], revoke.match, step))
        assert answer.content == expected


def test_tables_come_in_stretches_of_no_more_than_256(client: Client, revoke: Log) -> None:
    end = len(revoke.match.events) + 1
    some, rest, default = client(
        *(_path(revoke, f"/tables.json{query}") for query in ("?from=3&to=5", "?from=20&to=999999", ""))
    )
    assert (some.json()["from"], some.json()["to"], len(some.json()["tables"])) == (3, 5, 2)
    assert rest.json()["to"] == min(end, 20 + 256)
    assert (default.json()["from"], default.json()["to"]) == (0, min(end, 256))


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("/table/999999.json", 404),
        ("/table/-1.json", 404),
        ("/table/x.json", 404),
        ("/tables.json?from=999999", 404),
        ("/tables.json?from=-1", 400),
        ("/tables.json?from=1_0", 400),
        ("/tables.json?from=5&to=5", 404),
        ("/tables.json?from=%D9%A1x", 400),
        ("/tables.json?from=1&to=" + "9" * 5000, 400),
        ("/nothing", 404),
    ],
)
def test_what_is_not_there_is_said_as_json_where_json_was_asked_for(
    client: Client, revoke: Log, ending: str, status: int
) -> None:
    (answer,) = client(_path(revoke, ending))
    assert answer.status_code == status
    if ".json" in ending and "-1" not in ending and "/x" not in ending:
        assert answer.json()["ok"] is False
        assert answer.json()["status"] == status


@pytest.mark.parametrize("ending", ["", ".json", "/log.json", "/tables.json", "/table/0.json"])
def test_an_unknown_match_is_not_found(client: Client, ending: str) -> None:
    keys = ["0", "999999999", "9" * 400, "abc", "0" * 64, "sha256:" + "0" * 64, "%00", "..%2Fx", "<b>"]
    answers = client(*(f"/-/auditor/match/{key}{ending}" for key in keys), follow_redirects=True)
    assert [answer.status_code for answer in answers] == [404] * len(keys)
    assert not any("<b>" in answer.text for answer in answers)


def test_the_number_of_a_row_leads_to_the_digest(audited_database: Path, client: Client, revoke: Log) -> None:
    (number,) = _column(audited_database, "select id from matches where digest = ?", revoke.digest)
    for ending in ("", ".json", "/log.json", "/tables.json?from=1&to=2", "/table/5.json"):
        (answer,) = client(f"/-/auditor/match/{number}{ending}")
        assert answer.status_code == 302
        assert answer.headers["location"] == _path(revoke, ending)


def test_both_ways_to_write_a_digest_are_understood(client: Client, revoke: Log) -> None:
    plain, named, escaped = client(
        _path(revoke, ".json"),
        f"/-/auditor/match/{revoke.digest}.json",
        f"/-/auditor/match/{revoke.digest.replace(':', '%3A')}.json",
    )
    assert plain.content == named.content == escaped.content


@pytest.mark.parametrize("table", ["matches", "logs", "documents", "findings", "seats"])
def test_who_may_not_see_a_table_sees_no_match(audited_database: Path, revoke: Log, table: str) -> None:
    config = {"databases": {"audit": {"tables": {table: {"permissions": {"view-table": {"id": "somebody"}}}}}}}
    paths = [_path(revoke, ending) for ending in ("", ".json", "/log.json", "/table/0.json", "/tables.json")]
    refused = serving.answers(audited_database, *paths, config=config)
    assert [answer.status_code for answer in refused] == [403] * len(paths)
    assert not any("2S" in answer.text for answer in refused)
    allowed = serving.answers(audited_database, *paths, config=config, actor={"id": "somebody"})
    assert [answer.status_code for answer in allowed] == [200] * len(paths)


def test_ready_queries_show_nothing_of_tables_that_may_not_be_seen(audited_database: Path) -> None:
    tables = {name: {"allow": False} for name in ("findings", "seats", "players")}
    config = {"databases": {"audit": {"allow_sql": False, "tables": tables}}}
    queries = ("by_player", "worst_clauses", "wrong_scores", "by_clause")
    answers = serving.answers(audited_database, *(f"/audit/{query}.json?clause=x" for query in queries), config=config)
    assert [answer.status_code for answer in answers] == [403] * len(queries)


def test_where_the_archive_may_not_be_seen_the_root_lists_what_may(tmp_path: Path, audited_database: Path) -> None:
    sqlite3.connect(tmp_path / "other.db").execute("create table t (x)").connection.close()
    config = {"databases": {"audit": {"allow": False}}}
    files = [tmp_path / "other.db", audited_database]
    (answer,) = serving.answers(files, "/", config=config, follow_redirects=True)
    assert answer.status_code == 200
    assert "other" in answer.text
    assert "matches" not in answer.text


def test_of_several_databases_the_one_that_is_named_is_shown(
    tmp_path: Path, audited_database: Path, revoke: Log
) -> None:
    other = archives.of_documents(tmp_path / "other.db", [archives.fixture("tarneeb-classic/fault-revoke")])
    here, there, nowhere = serving.answers(
        [audited_database, other],
        "/-/auditor/match/1?database=audit",
        "/-/auditor/match/1?database=other",
        "/-/auditor/match/1?database=none",
    )
    assert here.headers["location"].endswith("?database=audit")
    assert there.headers["location"] == _path(revoke, "?database=other")
    assert nowhere.status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fixture_has_a_page_with_each_of_its_findings(client: Client, language: Language) -> None:
    entries = [read_bytes(path.read_bytes(), FORMS) for path in golden.logs()]
    logs = [entry for entry in entries if isinstance(entry, Log)]
    answers = client(*(_path(log, f"?lang={language}") for log in logs))
    assert len(answers) > 350
    for log, answer in zip(logs, answers, strict=True):
        assert answer.status_code == 200, log.match.match
        assert ('<html lang="ar" dir="rtl">' in answer.text) == (language == "ar")
        viewer, verdict = _viewer(answer.text), verdict_on(log)
        assert viewer["count"] == len(log.match.events)
        assert [row["clause"] for row in viewer["findings"]] == [finding.clause for finding in verdict.findings]
        for finding in verdict.findings:
            assert str(escape(finding.message(log.match.ruleset, language))) in answer.text


def _viewer(page: str) -> dict[str, Any]:
    text = page.partition('id="viewer">')[2].partition("</script>")[0]
    viewer: dict[str, Any] = json.loads(text)
    return viewer


def _column(path: Path, query: str, *parameters: object) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return [value for (value,) in connection.execute(query, parameters)]
