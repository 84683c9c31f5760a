"""The service for a person: the form, the replay of one match, and the list of several."""

from __future__ import annotations

import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from auditor.rulebook import LANGUAGES, Language
from auditor.web import forms, language, matches
from auditor.web.language import Speech
from tests import golden

from . import archives, wire
from .test_service import CLEAN, INVALID, MANY, REVOKE, on_one_line
from .wire import AUDIT, BROWSER, answer


class Controls(HTMLParser):
    """The forms of a page that is sent by POST: each with the address, the type, and its named controls."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[dict[str, Any]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form" and given.get("method") == "post":
            self.forms.append({"action": given["action"], "enctype": given["enctype"]})
        elif tag in ("input", "textarea") and self.forms and given.get("name"):
            self.forms[-1][str(given["name"])] = given.get("value")


def page(status: int = 200, path: str = AUDIT, **request: Any) -> str:
    """The page that a browser is answered with."""
    headers = {**BROWSER, **request.pop("headers", {})}
    found = answer(path=path, headers=headers, **request)
    assert found.status_code == status, found.text[:1000]
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self';" in found.headers["content-security-policy"]
    assert "style=" not in found.text
    return str(found.text)


def sent(content: bytes, name: str = "x.json", status: int = 200, **request: Any) -> str:
    return page(status, files={"log": (name, content)}, **request)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_form_says_what_is_accepted_and_what_happens_with_it(code: Language, audited_database: Path) -> None:
    text = page(path=f"{AUDIT}?lang={code}", method="GET", databases=audited_database, limits={"matches": 77})
    [form] = Controls(text).forms
    assert form == {"action": AUDIT, "enctype": "multipart/form-data", "log": None, "text": None}
    assert f'<html lang="{code}" dir="{language.DIRECTIONS[code]}">' in text
    for phrase in ("title", "accepted-many", "kept-never"):
        assert Speech(code).say(f"audit.{phrase}") in text
    assert "77" in text


@pytest.mark.parametrize(
    "files", [{"log": ("x.json", REVOKE)}, {"log": ("x.ndjson.gz", gzip.compress(on_one_line(REVOKE)))}]
)
def test_one_match_is_shown_as_its_replay(files: Any) -> None:
    text = page(files=files)
    assert "fault-revoke" in text
    assert "play.follow-suit" in text
    assert 'type="application/json"' in text


def test_pasted_text_is_shown_like_a_file() -> None:
    text = page(data={"text": REVOKE.decode().replace("\n", "\r\n")}, files={"log": ("", b"")})
    assert "fault-revoke" in text
    assert 'type="application/json"' in text


def test_several_are_listed_each_with_its_first_fault_and_a_way_to_its_replay() -> None:
    text = sent(MANY, "day.ndjson")
    assert "Seat 2 plays 2♠ while it can follow suit in diamonds." in text
    assert "and 1 further fault" in text
    assert "Seat 2 plays 2♠, which it does not hold." not in text
    assert "<code><bdi>/options/target</bdi></code>" in text
    assert "line 2, byte" in text
    again = Controls(text).forms
    logs = [msgspec.json.decode(form["text"])["match"] for form in again]
    assert logs == ["fault-revoke", "three-stones/clean-slide-3", "three-stones/clean-slide-3"]
    for form in again[:2]:
        replay = page(path=form["action"], files={"text": (None, form["text"])})
        assert 'type="application/json"' in replay


def test_what_is_no_match_log_is_listed_with_its_places() -> None:
    text = sent(INVALID, status=400)
    for pointer in ("/options/target", "/players", "/events/1/seat", "/events/4/sea"):
        assert f"<bdi>{pointer}</bdi>" in text
    assert "line 5, byte 107" in text


def test_of_many_faults_the_first_are_listed() -> None:
    log = msgspec.json.decode(CLEAN) | {"events": [{"type": "x"}] * 100}
    text = sent(msgspec.json.encode(log), status=400)
    assert text.count("/events/") == forms.MOST_FAULTS
    assert f"and {100 - forms.MOST_FAULTS} further faults" in text


def test_of_many_matches_the_first_are_listed_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MOST_MATCHES", 3)
    text = sent(b"\n".join([on_one_line(CLEAN), b"no"] * 4), "x.ndjson")
    assert text.count('<li class="card">') == 3
    assert re.findall(r'<span class="status (\w+)">\w+</span> (\d)', text) == [("invalid", "4"), ("clean", "4")]
    assert "5 more were audited" in text


def test_no_more_logs_come_with_a_page_than_it_can_bear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MOST_LOG_BYTES", 2 * len(on_one_line(CLEAN)))
    text = sent(b"\n".join([on_one_line(CLEAN)] * 4), "x.ndjson")
    assert len(Controls(text).forms) == 2
    assert text.count("Send this match alone to see its replay.") == 2


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", [*archives.HOSTILE, "x.ndjson"])
def test_nothing_that_is_sent_becomes_markup(name: str, code: str) -> None:
    logs = []
    for text in (name, archives.HOSTILE[0]):
        log = msgspec.json.decode(CLEAN) | {"match": text[:200]}
        logs += [msgspec.json.encode(log), msgspec.json.encode({**log, "events": [{"type": text, text: text}]})]
    written = name.replace("\n", " ").replace('"', "%22")
    text = sent(b"\n".join(logs), written, path=f"{AUDIT}?lang={code}")
    for part in ("<script>alert", "<img src=x", "onmouseover='alert", "<!--"):
        assert part not in text
    assert "\u202e" not in re.sub(r'value="[^"]*"', "", text)
    assert "\u0007" not in text


@pytest.mark.parametrize(
    ("request_", "status", "phrase"),
    [
        ({"files": {"log": ("", b"")}, "data": {"text": " "}}, 400, "refused-empty"),
        ({"files": {"log": ("x.json", REVOKE)}, "data": {"text": "{}"}}, 400, "refused-both"),
        ({"files": {"log": ("x.json", REVOKE)}, "data": {"store": "1"}}, 404, "refused-no-database"),
        ({"files": {"log": ("x.json", b"[1,2]")}, "limits": {"matches": 1}}, 413, "refused-matches"),
        ({"files": {"log": ("x.json", REVOKE)}, "limits": {"body_bytes": 10}}, 413, "refused-body"),
        (
            {"files": {"log": ("x.json.gz", gzip.compress(b" " * 999, mtime=0))}, "limits": {"unpacked_bytes": 9}},
            413,
            "refused-unpacked",
        ),
    ],
)
@pytest.mark.parametrize("code", LANGUAGES)
def test_a_person_is_told_why_and_given_the_form_again(
    request_: dict[str, Any], status: int, phrase: str, code: str
) -> None:
    text = page(status, f"{AUDIT}?lang={code}", **request_)
    written: Any = language.phrases()[f"audit.{phrase}"][code]
    start = (written if isinstance(written, str) else written["other"]).split("{")[0]
    assert 'role="alert"' in text
    assert start in text
    assert len(Controls(text).forms) == 1


def test_half_a_form_is_told_of_without_markup() -> None:
    headers = {"content-type": "multipart/form-data; boundary=<b>"}
    text = page(400, content=b"--<b>\r\nContent-Disposition: form-data; name=text\r\n\r\n<b>", headers=headers)
    assert "The form could not be read" in text
    assert "<b>" not in text


def test_a_database_that_is_not_there_has_no_form() -> None:
    assert answer(path=f"{AUDIT}?database=none", method="GET").status_code == 404
    found = answer(path=f"{AUDIT}?database=none", files={"log": ("x.json", REVOKE)}, headers=BROWSER)
    assert found.status_code == 404


def test_the_form_is_there_for_who_sees_no_database(audited_database: Path) -> None:
    config = {"databases": {"audit": {"permissions": {"view-database": False}}}}
    text = page(method="GET", databases=audited_database, config=config)
    assert len(Controls(text).forms) == 1
    assert "/audit/" not in text.replace(AUDIT, "")


def test_a_head_is_answered_like_a_get() -> None:
    assert answer(method="HEAD").status_code == 200


def test_every_fixture_can_be_sent_by_a_person() -> None:
    logs = [path.read_bytes() for path in golden.logs() if path.parent.name in ("rami-tounsi", "twenty-nine")][::9]

    async def exchanged() -> list[Any]:
        async with wire.served() as datasette:
            return [await datasette.client.post(AUDIT, files={"log": ("x.json", log)}, headers=BROWSER) for log in logs]

    assert {found.status_code for found in wire.run(exchanged)} <= {200, 400}


def test_of_a_long_log_that_is_sent_the_tables_begin_at_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "_MOST_EMBEDDED", 10)
    viewer = json.loads(sent(REVOKE).partition('id="viewer">')[2].partition("</script>")[0])
    assert (viewer["count"], viewer["start"], viewer["tables_url"]) == (10, 10, None)
    assert (viewer["tables"]["from"], viewer["tables"]["to"]) == (0, 11)
