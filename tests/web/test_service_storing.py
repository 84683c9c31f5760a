"""What is sent is stored only if that is asked for and allowed, and then as the command line stores it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from datasette.app import Datasette

from auditor import cli, serve
from auditor.errors import CannotAudit
from auditor.store import Store, loading
from auditor.web import auditing
from tests.store.samples import content, rows

from . import wire
from .test_service import INVALID, MANY, REVOKE, refused
from .test_service_beside import LINE, Clock, Gate, ended
from .test_service_beside import clock as clock
from .test_service_beside import gate as gate
from .wire import AUDIT, BROWSER, JSON, NDJSON, answer

STORE = f"{AUDIT}?store=1"
EVERYBODY = {"auditor-store": True}


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """An audit database with nothing in it."""
    path = tmp_path / "kept.db"
    Store.open(path).close()
    return path


def counts(path: Path) -> list[int]:
    """How many matches, faults of form and runs there are."""
    return [rows(path, f"select count(*) from {table}")[0][0] for table in ("matches", "unreadable", "runs")]


@pytest.mark.parametrize(
    ("body", "headers"), [(REVOKE, JSON), (INVALID, JSON), (MANY, NDJSON)], ids=["one", "none", "many"]
)
def test_what_is_stored_is_what_the_command_line_stores(
    body: bytes, headers: dict[str, str], empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = answer(content=body, headers=headers)
    kept = answer(empty, STORE, content=body, headers=headers, permissions=EVERYBODY)
    assert (kept.status_code, kept.content) == (plain.status_code, plain.content)
    monkeypatch.chdir(tmp_path)
    name = "upload" if headers == JSON else "upload.ndjson"
    Path(name).write_bytes(body)
    CliRunner().invoke(cli.main, ["audit", name, "--db", "other.db"])
    assert content(empty) == content(tmp_path / "other.db")
    [(arguments, finished)] = rows(empty, "select arguments, finished from runs")
    assert json.loads(arguments) == ["upload", name]
    assert finished is not None


def test_what_was_stored_is_found_where_the_answer_says(empty: Path) -> None:
    async def exchanged() -> list[Any]:
        async with wire.served(empty, permissions=EVERYBODY) as datasette:
            kept = await datasette.client.post(STORE, content=REVOKE, headers=JSON)
            address = kept.headers["auditor-stored"]
            return [kept, *[await datasette.client.get(path) for path in (address, f"{address}.json")]]

    kept, page, verdict = wire.run(exchanged)
    assert page.status_code == 200
    assert verdict.content == kept.content


def test_nothing_is_stored_unless_that_is_asked_for(empty: Path) -> None:
    for request in (
        {"content": REVOKE, "headers": JSON},
        {"files": {"log": ("x.json", REVOKE)}, "data": {"store": "0"}},
    ):
        for path in (AUDIT, f"{AUDIT}?store=0", f"{AUDIT}?store="):
            found = answer(empty, path, permissions=EVERYBODY, **request)
            assert found.status_code == 200
            assert "auditor-stored" not in found.headers
    assert counts(empty) == [0, 0, 0]


@pytest.mark.parametrize(
    ("permissions", "actor", "status"),
    [
        ({}, None, 403),
        ({}, {"id": "keeper"}, 403),
        ({"auditor-store": False}, {"id": "keeper"}, 403),
        ({"auditor-store": {"id": "keeper"}}, None, 403),
        ({"auditor-store": {"id": "keeper"}}, {"id": "guest"}, 403),
        ({"auditor-store": {"id": "keeper"}}, {"id": "keeper"}, 200),
        ({"auditor-store": True}, None, 200),
    ],
)
def test_only_who_may_store_stores(permissions: Any, actor: Any, status: int, empty: Path) -> None:
    found = answer(empty, STORE, content=REVOKE, headers=JSON, permissions=permissions, actor=actor)
    assert found.status_code == status
    assert counts(empty) == ([1, 0, 1] if status == 200 else [0, 0, 0])
    form = answer(empty, method="GET", permissions=permissions, actor=actor)
    assert ('name="store"' in form.text) == (status == 200)


def test_nothing_is_stored_in_a_database_that_may_not_be_seen(empty: Path) -> None:
    config = {"permissions": EVERYBODY, "databases": {"kept": {"allow": {"id": "keeper"}}}}
    assert answer(empty, f"{STORE}&database=kept", content=REVOKE, headers=JSON, config=config).status_code == 403
    assert counts(empty) == [0, 0, 0]


def test_pasted_bytes_that_are_no_text_are_not_taken_for_another_alphabet(empty: Path) -> None:
    broken = REVOKE.replace(b"fault-revoke", "سلمى".encode() + b"\xff", 1)
    body = b'--x\r\ncontent-disposition: form-data; name="text"\r\n\r\n' + broken + b"\r\n--x--\r\n"
    headers = {"content-type": "multipart/form-data; boundary=x", "accept": "application/json"}
    found = answer(empty, STORE, content=body, headers=headers, permissions=EVERYBODY)
    assert found.status_code == 400
    assert "UTF-8" in found.json()["error"]
    assert counts(empty) == [0, 0, 0]


@pytest.mark.parametrize("request_", [{"content": REVOKE, "headers": JSON}, {"files": {"log": ("x", REVOKE)}}])
def test_who_may_not_store_is_told_before_anything_is_audited(
    request_: dict[str, Any], empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditing, "verdict_on", None)
    assert "auditor-store" in refused(answer(empty, STORE, **request_), 403)["error"]


def test_the_field_of_a_form_asks_like_the_address(empty: Path) -> None:
    form: dict[str, Any] = {"files": {"log": ("day-1.json", REVOKE)}, "data": {"store": "1"}}
    refused(answer(empty, **form), 403)
    assert answer(empty, permissions=EVERYBODY, **form).status_code == 200
    assert rows(empty, "select file, line from matches") == [("day-1.json", 1)]
    assert rows(empty, "select arguments from runs") == [('["upload","day-1.json"]',)]


def test_nothing_is_stored_in_a_file_that_does_not_change(empty: Path) -> None:
    found = answer([], STORE, content=REVOKE, headers=JSON, permissions=EVERYBODY, immutables=[str(empty)])
    assert "does not change" in refused(found, 403)["error"]
    assert counts(empty) == [0, 0, 0]


def test_without_a_database_there_is_nowhere_to_store() -> None:
    refused(answer(path=STORE, content=REVOKE, headers=JSON, permissions=EVERYBODY), 404)


def test_of_several_databases_the_one_that_is_named_is_stored_in(empty: Path, audited_database: Path) -> None:
    before = counts(audited_database)
    config = {"databases": {"kept": {"permissions": EVERYBODY}}}
    both = [audited_database, empty]
    found = answer(both, f"{STORE}&database=kept", content=REVOKE, headers=JSON, config=config)
    assert found.headers["auditor-stored"].endswith("?database=kept")
    assert counts(empty) == [1, 0, 1]
    # Without a name it is the first of those in which the actor may.
    assert answer(both, STORE, content=INVALID, headers=JSON, config=config).status_code == 400
    assert counts(empty)[1:] == [7, 2]
    refused(answer(both, f"{STORE}&database=audit", content=REVOKE, headers=JSON, config=config), 403)
    refused(answer(both, f"{STORE}&database=none", content=REVOKE, headers=JSON, config=config), 404)
    assert counts(audited_database) == before


def test_storing_twice_changes_nothing(empty: Path) -> None:
    answers = [answer(empty, STORE, content=MANY, headers=NDJSON, permissions=EVERYBODY) for _ in range(2)]
    assert answers[0].content == answers[1].content
    assert counts(empty) == [2, 8, 2]
    assert rows(empty, "select matches from runs order by id") == [(2,), (0,)]


# --- What breaks off ------------------------------------------------------------------------------------------------


def other(number: int) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(LINE) | {"match": str(number)}) + b"\n"


@pytest.mark.parametrize("how", ["time", "gone"])
def test_where_a_stream_breaks_off_whole_matches_stay(
    how: str, empty: Path, gate: Gate, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_BATCH_EVENTS", 1)  # every match is a batch

    async def exchanged() -> None:
        async with wire.served(empty, permissions=EVERYBODY, limits={"at_once": 1}) as datasette:
            exchange = wire.Exchange(datasette, b"".join(map(other, range(4))), path=STORE)
            gate.open(2)
            for _ in range(2):
                await exchange.line()
            for _ in range(3):
                await asyncio.to_thread(gate.arrived.acquire)
            if how == "time":
                await clock.strike()
                assert json.loads(await exchange.rest())["status"] == 503
            else:
                exchange.hang_up()
                await exchange.task
            gate.open(2)
            await ended(datasette)

    wire.run(exchanged)
    assert rows(empty, "select match_id from matches order by id") == [("0",), ("1",)]
    assert rows(empty, "select finished from runs") == [(None,)]
    assert rows(empty, "pragma integrity_check") == [("ok",)]
    assert rows(empty, "select count(*) from matches where id not in (select match from documents)") == [(0,)]


@pytest.mark.parametrize(("body", "headers"), [(REVOKE, JSON), (MANY, NDJSON)], ids=["one", "many"])
def test_a_database_that_cannot_be_written_is_told_of(
    body: bytes, headers: dict[str, str], empty: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_room(*_: object) -> None:
        raise CannotAudit(f"{empty}: the disk is full")

    monkeypatch.setattr(loading.Loading, "write", no_room)
    found = answer(empty, STORE, content=body, headers=headers, permissions=EVERYBODY)
    last = json.loads(found.content.splitlines()[-1])
    assert (last["ok"], last["status"]) == (False, 503)
    assert str(empty) not in found.text
    assert str(empty) in caplog.text
    assert found.status_code == (503 if headers == JSON else 200)


# --- For a person ---------------------------------------------------------------------------------------------------


def test_a_person_is_led_to_the_match_that_was_stored(empty: Path) -> None:
    form: dict[str, Any] = {"files": {"log": ("x.json", REVOKE)}, "data": {"store": "1"}, "headers": BROWSER}
    found = answer(empty, permissions=EVERYBODY, **form)
    [(digest,)] = rows(empty, "select digest from matches")
    assert (found.status_code, found.headers["location"]) == (303, f"/-/auditor/match/{digest.removeprefix('sha256:')}")


def test_a_person_is_given_links_to_several_matches_that_were_stored(empty: Path) -> None:
    form: dict[str, Any] = {"files": {"log": ("x.ndjson", MANY)}, "data": {"store": "1"}, "headers": BROWSER}
    found = answer(empty, permissions=EVERYBODY, **form)
    assert found.status_code == 200
    for (digest,) in rows(empty, "select digest from matches"):
        assert f'href="/-/auditor/match/{digest.removeprefix("sha256:")}"' in found.text
    assert 'name="text"' not in found.text


def test_a_person_who_may_not_store_is_told(empty: Path) -> None:
    found = answer(empty, files={"log": ("x.json", REVOKE)}, data={"store": "1"}, headers=BROWSER)
    assert found.status_code == 403
    assert "You may not store here" in found.text


# --- auditor serve --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("accepts", [False, True])
def test_serve_lets_everybody_store_where_it_was_told_to(accepts: bool, empty: Path) -> None:
    async def exchanged() -> Any:
        datasette: Datasette = serve.browser_of(empty, accept_uploads=accepts)
        try:
            return await datasette.client.post(STORE, content=REVOKE, headers=JSON)
        finally:
            datasette.close()

    assert wire.run(exchanged).status_code == (200 if accepts else 403)
    assert counts(empty)[0] == accepts


def test_a_file_that_does_not_change_takes_no_uploads(empty: Path) -> None:
    with pytest.raises(CannotAudit, match="found both"):
        serve.browser_of(empty, immutable=True, accept_uploads=True)
    result = CliRunner().invoke(cli.main, ["serve", str(empty), "--immutable", "--accept-uploads"])
    assert result.exit_code == 2
    assert "found both" in result.output
