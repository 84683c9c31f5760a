"""One match: its typed form and its digest, or every fault with its place."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import msgspec
import pytest
import rfc8785
from msgspec import UNSET

from auditor import events, jsontext, log, schema
from auditor.errors import Place
from auditor.games import FORMS

from .builders import PLAY, READER, accepted, faults, match, read, refused, text

#: Depths at which extra's own value and a value in a note stand.
IN_EXTRA, IN_NOTE = 2, 4


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def note(**keys: Any) -> dict[str, Any]:
    return {"type": "note", **keys}


# --- Accepted -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        match(),
        match(events=[]),
        match('لاعب: \U0001f600 \u2028\x7f\x00"\\'),
        match(events=[{**PLAY, "at": "2024-05-01T20:15:00Z"}, {**PLAY, "at": 5, "refused": False}]),
        match(started="2024-05-01T20:15:00Z", ended="2024-05-01T21:15:00+03:00", options={"target": 41}),
        match(events=[note(), note(text="gg: wp", at="whenever")]),
        match(events=[note(ping=35.25, big=1e21, small=1e-7, zero=-0.0)]),
        match(events=[note(**{"ي": 1, "\U0001f600": 2, "\uffff": 3, "a": 4})]),
        match(extra={"b": [1, {"a": None}], "a": -0.0, "\ue000": 1, "\U0001f600": 2}),
        match(extra=None),
        match(extra=2**53 - 1),
        match(extra=nested(jsontext.DEEPEST - IN_EXTRA + 1)),
        match(events=[note(a=nested(jsontext.DEEPEST - IN_NOTE + 1))], extra=1.5),
    ],
)
@pytest.mark.parametrize("escapes", [True, False])
def test_the_digest_is_that_of_the_canonical_form(document: dict[str, Any], escapes: bool) -> None:
    entry = accepted(json.dumps(document, ensure_ascii=escapes, indent=1).encode())
    assert entry.canonical == rfc8785.dumps(document)
    assert entry.digest == "sha256:" + hashlib.sha256(rfc8785.dumps(document)).hexdigest()
    assert entry.match.match == document["match"]
    assert entry.place == Place("a.json", 1, 0)


def test_what_was_left_out_is_not_filled_in() -> None:
    entry = accepted(text())
    assert (entry.match.options, entry.match.extra, entry.match.events[0].by) == (UNSET, UNSET, UNSET)


def test_the_way_a_log_is_written_does_not_change_its_digest() -> None:
    plain = accepted(text(extra={"a": 100, "b": "é/"}))
    odd = text(extra={"a": 100, "b": "é/"}).replace(b": 100", b" :\r\n1e2").replace("é/".encode(), b"\\u00E9\\/")
    odd = odd.replace(b'"seat": 0', b'"\\u0073eat":-0')
    assert accepted(odd).digest == plain.digest


def test_typed_events_are_those_of_the_form() -> None:
    assert isinstance(accepted(text()).match.events[0], events.Play)
    assert isinstance(accepted(text(events=[note(x=1)])).match.events[0], events.Note)


# --- Keys that stand twice --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("once", "twice", "pointer"),
    [
        ('"match": "m-1"', '"match": "m-1", "match": "m-1"', "/match"),
        ('"match": "m-1"', '"match": "m-1", "m\\u0061tch": "m-2"', "/match"),
        ('"format": "match-log/1"', '"format": "match-log/1", "format": "match-log/1"', "/format"),
        ('"ruleset": "tarneeb-classic"', '"ruleset": "tarneeb-classic", "ruleset": "tarneeb-classic"', "/ruleset"),
        ('"type": "play"', '"type": "play", "type": "play"', "/events/0/type"),
        ('"seat": 0', '"seat": 0, "seat": 0', "/events/0/seat"),
        ('"id": "p0"', '"id": "p0", "id": "p0"', "/players/0/id"),
        # What would make up for the colon that is lost.
        ('"id": "p0"', '"id": "p0", "id": "\\u003a"', "/players/0/id"),
        ('"id": "p0"', '"id": "\\u003A", "id": "p0"', "/players/0/id"),
        ('"id": "p0"', '"id": "p0:", "id": "p0"', "/players/0/id"),
        ('"events": [', '"events": [{"type": "note", "a": 1, "a": 1}, ', "/events/0/a"),
        ('"events": [', '"events": [{"type": "note", "type": "note"}, ', "/events/0/type"),
        ('"events": [', '"events": [{"type": "note", "a": {"b": 1, "b": 2}}, ', "/events/0/a/b"),
        ('"events": [', '"events": [{"type": "note", "a": {"b": 1.5, "b": "\\u003a"}}, ', "/events/0/a/b"),
        ('"events": [', '"extra": {"a:b": 1, "a:b": 2}, "events": [', "/extra/a:b"),
        ('"events": [', '"extra": [{"a": 1, "": {"a": 1, "\\u0061": 2.5}}], "events": [', "/extra/0//a"),
        ('"events": [', '"extra": 1, "extra": 1, "events": [', "/extra"),
        ('"events": [', '"events": [], "events": [', "/events"),
    ],
)  # fmt: skip
def test_a_key_that_stands_twice_is_refused(once: str, twice: str, pointer: str) -> None:
    data = text().decode()
    assert once in data
    assert faults(data.replace(once, twice, 1).encode()) == [("log.duplicate-key", pointer)]


def test_a_missing_key_does_not_make_up_for_one_that_is_lost() -> None:
    """With one form only, a decoder could do without the ruleset, and write it where the note's key was lost."""
    without = match(events=[note(a=1)])
    del without["ruleset"]
    reader = log.Reader({"tarneeb-classic": FORMS["tarneeb-classic"]})
    entry = reader.read(json.dumps(without).encode(), Place("", 1, 0))
    assert isinstance(entry, log.Unreadable)
    assert [fault.clause for fault in entry.diagnostics] == ["log.missing-key"]


@pytest.mark.parametrize("name", ["a\\u003ab", "\\u003c\\u003e\\u0026", "\\\\u003a", "\\u0041\\n"])
def test_escapes_are_no_fault(name: str) -> None:
    data = text().replace(b'"p0"', f'"{name}"'.encode())
    assert accepted(data).canonical == rfc8785.dumps(json.loads(data))


# --- Refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"5", [("log.type", "")]),
        (b'{"a": 1, "a": 2', [("log.duplicate-key", "/a"), ("log.truncated", "")]),
        (text(extra={"a": 2**53}), [("log.number", "/extra/a")]),
        (text(extra=-(2**53)), [("log.number", "/extra")]),
        (text(extra=[10**400]), [("log.number", "/extra/0")]),
        (text(events=[note(a=[2**53])]), [("log.number", "/events/0/a/0")]),
        (text(events=[{**PLAY, "seat": 2**64}]), [("log.number", "/events/0/seat")]),
        (text(extra=0).replace(b'"extra": 0', b'"extra": 1e999'), [("log.number", "/extra")]),
        (text(events=[note(a=0)]).replace(b'"a": 0', b'"a": 1e999'), [("log.number", "/events/0/a")]),
        (text(events=[note(a=0)]).replace(b'"a": 0', b'"a": "\xff"'), [("log.encoding", "/events/0/a")]),
        (text(events=[note(a=0)]).replace(b'"a": 0', b'"a": "\\ud800"'), [("log.surrogate", "/events/0/a")]),
        (text(events=[note(a=0)]).replace(b'"a": 0', b'"\xff": 0'), [("log.encoding", "/events/0/\ufffd")]),
        (text("\x01").replace(b"\\u0001", b"\x01"), [("log.control", "/match")]),
        (text(extra=nested(jsontext.DEEPEST - IN_EXTRA + 2)), [("log.depth", "/extra" + "/0" * 99)]),
        (text(events=[note(a=nested(jsontext.DEEPEST - IN_NOTE + 2))]), [("log.depth", "/events/0/a" + "/0" * 97)]),
        (text(events=[{**PLAY, "seat": nested(300)}]), [("log.depth", "/events/0/seat" + "/0" * 97)]),
        (text(events=[{**PLAY, "at": "2024-05-01"}]), [("log.time", "/events/0/at")]),
        (text(ended="2024-05-01"), [("log.time", "/ended")]),
        (text(events=[{**PLAY, "seat": 1.0}]), [("log.integer", "/events/0/seat")]),
        (text(events=[{**PLAY, "seat": 7}, PLAY, {"type": "play", "seat": 0}]), [
            ("log.range", "/events/0/seat"), ("log.missing-key", "/events/2")]),
        (b"\xef\xbb\xbf" + text(), [("log.syntax", "")]),
        (text() + b"x", [("log.syntax", "")]),
        (text() + text(), [("log.syntax", "")]),
    ],
)  # fmt: skip
def test_every_fault_is_told_with_its_pointer(data: bytes, expected: list[tuple[str, str]]) -> None:
    assert faults(data) == expected


def test_what_is_wrong_as_text_is_not_told_again_as_form() -> None:
    data = text(events=[{**PLAY, "seat": 0, "card": 0, "x": 0}])
    data = data.replace(b'"seat": 0', b'"seat": NaN').replace(b'"x": 0', b'"\\ud800": 0')
    assert faults(data) == [
        ("log.number", "/events/0/seat"),
        ("log.value", "/events/0/card"),
        ("log.surrogate", "/events/0/\ufffd"),
    ]


def test_line_and_offset_are_those_of_the_value() -> None:
    data = b'{\r\n "match": "",\n\n "ruleset": "tarneeb-classic", "format": "x",\n "events": [],\n "players":\n[]\n}'
    entry = READER.read(data, Place("a.json", 10, 1000))
    assert isinstance(entry, log.Unreadable)
    assert [(fault.pointer, fault.line, fault.offset) for fault in entry.diagnostics] == [
        (f"/{key}", 10 + data[:at].count(b"\n"), 1000 + at)
        for key, at in (("match", data.index(b'""')), ("format", data.index(b'"x"')), ("players", data.index(b"[]\n}")))
    ]


@pytest.mark.parametrize(
    ("data", "head"),
    [
        (text(events=[7]), ("m-1", "tarneeb-classic")),
        (text(events=[7], ruleset="whist"), ("m-1", None)),
        (text(events=[7], ruleset=["whist"]), ("m-1", None)),
        (text("", events=[7]), (None, "tarneeb-classic")),
        (text("x" * 201), (None, "tarneeb-classic")),
        (text()[:-20], ("m-1", "tarneeb-classic")),
        (text()[:30], (None, None)),
        (text("x" * 201)[:-5], (None, "tarneeb-classic")),
        (text().replace(b"m-1", b"m-\xff"), (None, "tarneeb-classic")),
        (text().replace(b'"match":', b'"match": "m-2", "match":'), (None, "tarneeb-classic")),
        (b"[]", (None, None)),
        (b"", (None, None)),
    ],
)
def test_id_and_ruleset_are_given_where_they_could_be_read(data: bytes, head: tuple[str | None, str | None]) -> None:
    entry = refused(data)
    assert (entry.match, entry.ruleset) == head


def test_a_digest_is_given_where_there_is_a_canonical_form() -> None:
    document = match(events=[{"x": 1.0}])
    assert refused(json.dumps(document).encode()).digest == log._digest(rfc8785.dumps(document))
    assert refused(text(extra=2**53)).digest is None
    assert refused(text()[:-1]).digest is None


def test_a_list_of_faults_ends() -> None:
    entry = refused(text(events=[{**PLAY, "seat": 9}] * 2000))
    assert len(entry.diagnostics) == jsontext.MOST_FAULTS + 1
    assert entry.diagnostics[-1].clause == "log.more"


@pytest.mark.parametrize("at_end", [True, False])
def test_only_at_the_end_of_a_file_a_text_can_be_cut_short(at_end: bool) -> None:
    entry = READER.read(text()[:-3], Place("", 1, 0), at_end)
    assert isinstance(entry, log.Unreadable)
    assert entry.diagnostics[-1].clause == ("log.truncated" if at_end else "log.syntax")
    assert entry.is_cut_short is at_end


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_may_begin_with_a_byte_order_mark(mark: bytes) -> None:
    sound = log.read_bytes(mark + text(), FORMS, "b.json")
    assert isinstance(sound, log.Log)
    assert sound.place == Place("b.json", 1, len(mark))
    assert sound.canonical == rfc8785.dumps(match())
    wrong = log.read_bytes(mark + b"5", FORMS)
    assert isinstance(wrong, log.Unreadable)
    assert wrong.diagnostics[0].offset == len(mark)


def test_a_log_is_read_near_the_end_of_the_stack() -> None:
    def deeper(levels: int) -> log.Log | log.Unreadable:
        return deeper(levels - 1) if levels else read(data)

    data = text(extra=nested(99))
    frames = 0
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        frames += 1
    room = sys.getrecursionlimit() - frames
    assert isinstance(deeper(room - 150), log.Log)


def test_somebody_elses_game_is_read_with_its_form_and_schema() -> None:
    class NoOptions(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
        pass

    whist = events.match_form("whist", events.Pass | events.Note, NoOptions)
    base = "urn:auditor:match-log:1#/$defs/"
    own = {
        "$id": "urn:example:whist",
        "properties": {"events": {"items": {"if": {"properties": {"type": {"const": "pass"}}, "required": ["type"]},
            "then": {"$ref": base + "seat-only"}}}}}  # fmt: skip
    both = {**FORMS, "whist": whist}
    schemas = {**schema.shipped(), "whist": own}
    sound = log.read_bytes(text(ruleset="whist", events=[{"type": "pass", "seat": 1}]), both, schemas=schemas)
    assert isinstance(sound, log.Log)
    assert sound.match.ruleset == "whist"
    wrong = log.read_bytes(text(ruleset="whist", events=[{"type": "pass", "seat": 4}]), both, schemas=schemas)
    assert isinstance(wrong, log.Unreadable)
    assert [(fault.clause, fault.pointer) for fault in wrong.diagnostics] == [("log.range", "/events/0/seat")]
    assert wrong.ruleset == "whist"


def test_of_a_long_log_all_faults_are_found_in_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schema is shown few events of a long log; it says the same as of all of them."""
    plays: list[dict[str, Any]] = [{"type": "play", "seat": at % 4, "card": "7H", "at": at} for at in range(40)]
    plays[3]["seat"] = 4
    plays[11] = {"type": "whistle"}
    plays[17]["at"] = "noon"
    plays[39]["crad"] = plays[39].pop("card")
    data = msgspec.json.encode({**match(), "events": plays, "rulse": 1})
    whole = log.read_bytes(data, FORMS)
    monkeypatch.setattr("auditor.log._LONG_LOG", 1)
    assert isinstance(whole, log.Unreadable)
    assert log.read_bytes(data, FORMS) == whole
    assert [fault.pointer for fault in whole.diagnostics] == [
        "/events/3/seat",
        "/events/11/type",
        "/events/17/at",
        "/events/39",
        "/events/39/crad",
        "/rulse",
    ]
