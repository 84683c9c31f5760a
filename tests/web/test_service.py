"""The audit service: what is sent is answered with the verdicts of the command line, or with a clear refusal."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
import zstandard
from datasette.utils import StartupError

from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import read_stream
from auditor.verdict import to_json
from auditor.web import auditing
from tests import golden

from . import wire
from .wire import AUDIT, JSON, NDJSON, answer

REVOKE = (golden.FIXTURES / "tarneeb-classic" / "fault-revoke.json").read_bytes()
CLEAN = (golden.FIXTURES / "three-stones" / "clean-slide-3.json").read_bytes()
INVALID = (golden.FIXTURES / "tarneeb-classic" / "invalid.json").read_bytes()


def on_one_line(log: bytes) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(log))


def expected(body: bytes, name: str = "upload") -> list[bytes]:
    """The verdicts that the command line would give on a file of this name."""
    return [to_json(verdict_on(entry)) for entry in read_stream(iter([body]), name, FORMS)]


def refused(found: Any, status: int) -> dict[str, Any]:
    """The document of an answer that must be a refusal with this status, in the one shape that all have."""
    assert found.status_code == status, found.text[:500]
    assert found.headers["content-type"] == "application/json; charset=utf-8"
    document: dict[str, Any] = found.json()
    assert document["ok"] is False
    assert document["status"] == status
    assert document["error"] == document["errors"][0]["message"]
    for error in document["errors"]:
        assert set(error) <= {"clause", "message", "line", "offset", "pointer"}
    return document


# --- Verdicts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", GAMES)
def test_one_match_is_answered_with_the_verdict_of_the_command_line(ruleset: str) -> None:
    paths = [path for path in golden.logs() if path.parent.name == ruleset]
    bodies = [path.read_bytes() for path in paths]

    async def answers() -> list[Any]:
        async with wire.served() as datasette:
            return [await datasette.client.post(AUDIT, content=body, headers=JSON) for body in bodies]

    assert paths
    for body, found in zip(bodies, wire.run(answers), strict=True):
        [verdict] = expected(body)
        if json.loads(verdict)["status"] == "invalid":
            assert refused(found, 400)["verdict"] == json.loads(verdict)
        else:
            assert found.status_code == 200
            assert found.headers["content-type"] == "application/json; charset=utf-8"
            assert found.content == verdict


MANY = b"\n".join(map(on_one_line, (REVOKE, INVALID, CLEAN))) + b'\n\n{"cut": \n' + on_one_line(CLEAN)
ARRAY = b"[" + b",\n".join((REVOKE, INVALID, CLEAN)) + b"]"


@pytest.mark.parametrize(
    ("body", "headers", "name"),
    [
        (MANY, NDJSON, "upload.ndjson"),
        (MANY, {"content-type": "application/jsonl"}, "upload.ndjson"),
        (MANY, {"content-type": "Application/X-NDJSON; charset=utf-8"}, "upload.ndjson"),
        (MANY, JSON, "upload"),
        (MANY, {}, "upload"),
        (ARRAY, JSON, "upload"),
        (b"\xef\xbb\xbf \n" + ARRAY, JSON, "upload"),
        (b"[" + CLEAN + b"]", JSON, "upload"),
        (b"[]", JSON, "upload"),
        (b"[" + CLEAN + b",", JSON, "upload"),
        (on_one_line(CLEAN), NDJSON, "upload.ndjson"),
        (b"nonsense", NDJSON, "upload.ndjson"),
    ],
)
def test_many_matches_are_answered_with_one_verdict_a_line_in_their_order(
    body: bytes, headers: dict[str, str], name: str
) -> None:
    found = answer(content=body, headers=headers)
    assert found.status_code == 200
    assert found.headers["content-type"] == "application/x-ndjson; charset=utf-8"
    assert found.content == b"".join(line + b"\n" for line in expected(body, name))


def test_what_cannot_be_read_in_a_stream_says_where_in_the_upload_it_stands() -> None:
    lines = answer(content=MANY, headers=NDJSON).text.splitlines()
    verdicts = list(map(json.loads, lines))
    assert [verdict["status"] for verdict in verdicts] == ["illegal", "invalid", "clean", "invalid", "clean"]
    place = verdicts[3]["findings"][0]["place"]
    assert (place["file"], place["line"], place["pointer"]) == ("upload.ndjson", 6, "/cut")


@pytest.mark.parametrize("body", [REVOKE, MANY, ARRAY])
@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("GZIP", lambda body: gzip.compress(body[:99], mtime=0) + gzip.compress(body[99:], mtime=0)),
        ("zstd", zstandard.ZstdCompressor().compress),
        ("identity", bytes),
    ],
)
def test_a_packed_body_is_unpacked(body: bytes, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    found = answer(content=pack(body), headers=JSON | {"content-encoding": encoding})
    assert found.status_code == 200
    assert found.content.splitlines() == expected(body)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("one.json", REVOKE),
        ("many.ndjson", MANY),
        ("many.json", ARRAY),
        ("packed.json.gz", gzip.compress(REVOKE, mtime=0)),
        ("packed.ndjson.zst", zstandard.ZstdCompressor().compress(MANY)),
    ],
)
def test_a_program_may_send_a_form(name: str, content: bytes) -> None:
    found = answer(files={"log": (name, content)})
    body = MANY if "ndjson" in name else ARRAY if "many" in name else REVOKE
    assert found.status_code == 200
    assert found.content.splitlines() == expected(body, name)


def test_the_text_of_a_form_may_come_with_the_line_ends_of_a_browser() -> None:
    text = "\r\n".join(MANY.decode().split("\n"))
    found = answer(data={"text": text}, files={"log": ("", b"")})
    assert [json.loads(line)["status"] for line in found.text.splitlines()] == [
        "illegal", "invalid", "clean", "invalid", "clean",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("day-1.json", "day-1.json"),
        ("سجل.json", "سجل.json"),
        ("../../etc/passwd.json", "passwd.json"),
        ("C:\\logs\\x.json", "x.json"),
        ("\u202egnp.exe.json", "\\u202egnp.exe.json"),
        ("<b>x</b>.json", "b>.json"),
        ("<b>.json", "<b>.json"),
        ("x" * 200 + ".json", "x" * 40 + "…" + "x" * 22 + ".json"),
        ("", "upload"),
    ],
)
def test_a_file_is_named_by_its_own_name_made_visible(name: str, shown: str) -> None:
    head = f'--x\r\nContent-Disposition: form-data; name="log"; filename="{name.replace(chr(92), chr(92) * 2)}"\r\n\r\n'
    body = head.encode() + INVALID + b"\r\n--x--\r\n"
    found = answer(content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    finding = refused(found, 400)["verdict"]["findings"][0]
    assert finding["place"]["file"] == shown


# --- What is no match log ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "clause", "place"),
    [
        (b"{", "log.truncated", (1, 1, "")),
        (b'\n {"match":\n "x",\n "events": nonsense}', "log.syntax", (4, 29, "/events")),
        (b'{"match": nonsense,\n "events": []\n}', "log.syntax", (1, 10, "/match")),
        (b"\xff\xfe{}", "log.encoding", (1, 0, "")),
        (REVOKE.replace(b"Idris", b"Idr\xff"), "log.encoding", (6, REVOKE.index(b"Idris") + 3, "/players/2/name")),
        (b"null", "log.type", (1, 0, "")),
        (b'"text"', "log.type", (1, 0, "")),
        (b"1e999", "log.number", (1, 0, "")),
        (CLEAN.replace(b"{", b'{"match": "b",', 1), "log.duplicate-key", (3, CLEAN.index(b'"match":') + 13, "/match")),
        (b'{"extra": ' + b"[" * 101 + b"]" * 101 + b"}", "log.depth", (1, 109, "/extra" + "/0" * 99)),
        (b'{"extra":' * 100_000, "log.depth", (1, 900, "/extra" * 100)),
        (b"\x1f\x8b\x08\x00", "log.file", (1, 0, "")),
        (b"SQLite format 3\x00", "log.file", (1, 0, "")),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_one_body_that_is_no_match_log_is_refused_with_all_that_is_wrong(
    body: bytes, clause: str, place: tuple[int, int, str]
) -> None:
    document = refused(answer(content=body, headers=JSON), 400)
    first = document["errors"][0]
    assert (first["clause"], (first["line"], first["offset"], first["pointer"])) == (clause, place)
    file = document["verdict"]["findings"][0]["place"]["file"]
    assert file in ("upload", "upload.json")
    assert document["verdict"] == json.loads(expected(body, file)[0])
    assert len(document["errors"]) == len(document["verdict"]["findings"])


def test_a_form_is_refused_like_a_body() -> None:
    document = refused(answer(files={"log": ("x.json", INVALID)}), 400)
    assert document["errors"][0]["pointer"] == "/options/target"
    assert document["verdict"]["findings"][0]["place"]["file"] == "x.json"


@pytest.mark.parametrize(
    ("body", "clauses"),
    [
        (gzip.compress(REVOKE, mtime=0)[:-4], {"log.truncated"}),
        (gzip.compress(REVOKE, mtime=0)[:-300], {"log.truncated"}),
        (REVOKE, {"log.compression"}),
        (gzip.compress(REVOKE, mtime=0)[:40] + b"x" * 100, {"log.compression", "log.truncated", "log.syntax"}),
    ],
)
def test_a_packed_body_that_is_damaged_is_refused(body: bytes, clauses: set[str]) -> None:
    document = refused(answer(content=body, headers=JSON | {"content-encoding": "gzip"}), 400)
    assert {error["clause"] for error in document["errors"]} <= clauses
    assert document["verdict"]["status"] == "invalid"


@pytest.mark.parametrize("body", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
@pytest.mark.parametrize("headers", [JSON, NDJSON, {}])
def test_nothing_is_no_match_log(body: bytes, headers: dict[str, str]) -> None:
    packed = {"content-encoding": "gzip"} if body.startswith(b"\x1f") else {}
    assert refused(answer(content=body, headers=headers | packed), 400)["error"].endswith("found nothing.")


# --- Limits ---------------------------------------------------------------------------------------------------------


def parts_of(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), 100):
        yield body[start : start + 100]


async def slowly(body: bytes) -> Any:
    for part in parts_of(body):
        yield part


@pytest.mark.parametrize("content", [lambda: REVOKE, lambda: slowly(REVOKE)], ids=["told", "not told"])
@pytest.mark.parametrize("headers", [JSON, NDJSON], ids=["one", "many"])
def test_a_body_that_is_too_long_is_refused(content: Callable[[], Any], headers: dict[str, str]) -> None:
    most = len(REVOKE)
    assert answer(content=content(), headers=headers, limits={"body_bytes": most}).status_code == 200
    document = refused(answer(content=content(), headers=headers, limits={"body_bytes": most - 1}), 413)
    assert f"{most - 1:,} bytes" in document["error"]


def test_a_body_that_says_it_is_too_long_is_refused_at_once() -> None:
    async def exchanged() -> bytes:
        async with wire.served(limits={"body_bytes": 1000}) as datasette:
            exchange = wire.Exchange(datasette, b"[", b"", headers=JSON | {"content-length": "9" * 40})
            line = await exchange.line()
            exchange.hang_up()
            assert await exchange.rest() == b""
            return line

    assert json.loads(wire.run(exchanged))["status"] == 413


@pytest.mark.parametrize("headers", [JSON, {"content-type": "text/plain"}, {"content-type": "multipart/form-data"}])
def test_whoever_is_refused_may_end_what_he_says(headers: dict[str, str]) -> None:
    async def exchanged() -> tuple[int, bool]:
        async with wire.served(limits={"body_bytes": 1000}) as datasette:
            exchange = wire.Exchange(datasette, b"x" * 1001, b"x" * 1001, b"", headers=headers)
            start = await exchange.message()
            assert json.loads(await exchange.line())["ok"] is False
            await exchange.has_taken_all()
            assert not exchange.task.done()
            exchange.say(b"x", is_last=True)
            await exchange.task
            return start["status"], exchange.has_been_heard_out

    status, has_been_heard_out = wire.run(exchanged)
    assert status in (400, 413, 415)
    assert has_been_heard_out


def test_whoever_says_far_too_much_is_cut_short() -> None:
    async def exchanged() -> bool:
        async with wire.served(limits={"body_bytes": 1000}) as datasette:
            exchange = wire.Exchange(datasette, *[b"x" * 1000] * 10, b"", headers=JSON)
            await exchange.task
            return exchange.has_been_heard_out

    assert not wire.run(exchanged)


def test_whoever_asks_whether_to_send_is_told_no() -> None:
    async def exchanged() -> bytes:
        async with wire.served(limits={"body_bytes": 1000}) as datasette:
            headers = JSON | {"content-length": "5000", "expect": "100-continue"}
            return await wire.Exchange(datasette, headers=headers).rest()

    assert json.loads(wire.run(exchanged))["status"] == 413


@pytest.mark.parametrize("length", ["-5", "x", "", "0", "\u0665"])
def test_a_body_that_lies_about_its_length_is_counted(length: str) -> None:
    async def exchanged() -> bytes:
        async with wire.served(limits={"body_bytes": 1000}) as datasette:
            headers = JSON | {"content-length": length}
            return await wire.Exchange(datasette, b"[" * 600, b"[" * 600, headers=headers).rest()

    assert json.loads(wire.run(exchanged))["status"] == 413


def test_a_form_that_is_too_long_is_refused() -> None:
    refused(answer(files={"log": ("x.json", REVOKE)}, limits={"body_bytes": len(REVOKE)}), 413)
    refused(answer(data={"text": REVOKE.decode()}, files={"x": ("", b"")}, limits={"body_bytes": 1000}), 413)


@pytest.mark.parametrize("start", [b"", b'"', b"[", b"{", b"\n"])
@pytest.mark.parametrize("headers", [JSON, NDJSON], ids=["one", "many"])
def test_a_bomb_is_not_unpacked(start: bytes, headers: dict[str, str]) -> None:
    bomb = gzip.compress(start + b" " * 3_000_000, mtime=0)
    assert len(bomb) < 10_000
    limits = {"unpacked_bytes": 2_000_000}
    document = refused(answer(content=bomb, headers=headers | {"content-encoding": "gzip"}, limits=limits), 413)
    assert "2,000,000 bytes" in document["error"]
    refused(answer(files={"log": ("x.json.gz", bomb)}, limits=limits), 413)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"\n".join([on_one_line(CLEAN)] * 4), (3, 2 * len(on_one_line(CLEAN)) + 2, "")),
        (b"[1,\n[],{}]", (2, 7, "")),
        (b"1\n" * 9, (3, 4, "")),
    ],
)
def test_too_many_matches_are_refused_before_any_verdict(
    body: bytes, place: tuple[int, int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditing, "verdict_on", None)
    [error] = refused(answer(content=body, headers=JSON, limits={"matches": 2}), 413)["errors"]
    assert (error["line"], error["offset"], error["pointer"]) == place
    assert "2 matches" in error["message"]


def test_as_many_matches_as_the_limit_are_audited() -> None:
    body = b"\n".join([on_one_line(CLEAN)] * 3)
    assert len(answer(content=body, headers=JSON, limits={"matches": 3}).content.splitlines()) == 3


# --- What is not served ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "application/xml", "multipart/mixed", "json", "*/*", "é"],
)
def test_another_type_of_body_is_refused(kind: str) -> None:
    found = answer(content=REVOKE, headers={"content-type": kind.encode()})
    assert "application/json" in refused(found, 415)["error"]
    assert "application/x-ndjson" in found.headers["accept"]


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "gzip, identity", "\x00"])
def test_another_encoding_of_a_body_is_refused(encoding: str) -> None:
    found = answer(content=REVOKE, headers=JSON | {"content-encoding": encoding})
    refused(found, 415)
    assert found.headers["accept-encoding"] == "gzip, zstd"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"])
def test_another_method_is_refused(method: str) -> None:
    found = answer(method=method)
    refused(found, 405)
    assert found.headers["allow"] == "GET, HEAD, POST"
    found = answer(method=method, path="/-/auditor/openapi.json")
    assert (found.status_code, found.json()["ok"]) == (405, False)
    assert found.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data", b"--x--"),
        ("multipart/form-data; boundary=", b"--x--"),
        ("multipart/form-data; boundary=x", b""),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data; name=text\r\n\r\n{"),
        ("multipart/form-data; boundary=x", b"--x\r\n" + b"A" * 100_000),
        ("multipart/form-data; boundary=x", b"\xff" * 1000 + b"--x\r\n\r\n\r\n--x--"),
        (
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 50 + b"--x--",
        ),
        (
            "multipart/form-data; boundary=x",
            b"--x\r\nContent-Disposition: form-data; name=log; filename=a\r\n\r\n1\r\n" * 2 + b"--x--",
        ),
        ("multipart/form-data; boundary=x", b"--x--"),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data; name=text\r\n\r\n \r\n--x--"),
    ],
)
def test_half_a_form_is_refused(content_type: str, body: bytes) -> None:
    refused(answer(content=body, headers={"content-type": content_type}), 400)


def test_a_file_and_a_text_are_one_too_many() -> None:
    assert "found both" in refused(answer(files={"log": ("x.json", REVOKE)}, data={"text": "{}"}), 400)["error"]


@pytest.mark.parametrize("flag", ["yes", "2", "true", "01", "%00"])
def test_another_answer_to_whether_to_store_is_refused(flag: str) -> None:
    refused(answer(path=f"{AUDIT}?store={flag}", content=REVOKE, headers=JSON), 400)
    refused(answer(files={"log": ("x.json", REVOKE)}, data={"store": flag}), 400)


def test_a_database_that_is_not_there_is_refused() -> None:
    refused(answer(path=f"{AUDIT}?database=none", content=REVOKE, headers=JSON), 404)


def test_whoever_may_not_see_the_instance_may_not_use_the_service() -> None:
    config = {"permissions": {"view-instance": {"id": "somebody"}}}
    refused(answer(content=REVOKE, headers=JSON, config=config), 403)
    assert answer(method="GET", config=config).status_code == 403
    assert answer(content=REVOKE, headers=JSON, config=config, actor={"id": "somebody"}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://elsewhere.example"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"origin": "http://localhost"}, 200),
        ({}, 200),
    ],
)
def test_a_page_elsewhere_cannot_send_forms_here(headers: dict[str, str], status: int) -> None:
    found = answer(files={"log": ("x.json", REVOKE)}, headers=headers)
    assert found.status_code == status
    assert (b"follow-suit" in found.content) == (status == 200)


# --- Configuration --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"matches": 0}, r"`int` >= 1 - at `\$.matches`"),
        ({"matches": "many"}, r"Expected `int`, got `str` - at `\$.matches`"),
        ({"seconds": -1}, r"at `\$.seconds`"),
        ({"at_once": 1000}, r"at `\$.at_once`"),
        ({"body": 5}, "unknown field `body`"),
        ([], "Expected `object`"),
        ("no", "Expected `object`"),
    ],
)
def test_limits_that_are_none_stop_the_start(limits: Any, complaint: str) -> None:
    async def started() -> None:
        async with wire.served(limits=limits) as datasette:
            await datasette.invoke_startup()

    with pytest.raises(StartupError, match=r"plugins: auditor: limits: .*" + complaint):
        wire.run(started)


def test_limits_that_are_set_are_told() -> None:
    described = answer(path="/-/auditor/openapi.json", method="GET", limits={"matches": 7}).json()
    assert described["info"]["x-limits"] == {
        "body_bytes": 32_000_000, "unpacked_bytes": 256_000_000, "matches": 7, "seconds": 120.0, "at_once": 4,
    }  # fmt: skip


def test_a_log_that_is_damaged_somewhere_is_refused_with_the_place() -> None:
    for at in range(0, len(REVOKE), len(REVOKE) // 10):
        damaged = REVOKE[:at] + b"\x00\xff" + REVOKE[at + 2 :]
        assert refused(answer(content=damaged, headers=JSON), 400)["errors"][0]["offset"] <= at + 1
