"""The schemas: sound in themselves, whole when they are handed out, and clear about what is wrong with a document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from auditor import jsontext, rulebook, schema, verdict
from auditor.errors import CannotAudit, Place
from auditor.games import FORMS, GAMES

from .builders import PLAY, match

RULES = schema.rules(schema.shipped())
RULESETS = sorted(schema.shipped())
SCHEME, HEX = "hmac-sha256-fisher-yates/1", "pairs of hexadecimal digits"
DEALT = {"type": "deal", "dealer": 0, "hands": [["7H", "??"], []]}
SCORED = {"type": "score", "deal": [7, 0], "total": [-7, 0]}


def found(document: Any) -> list[tuple[str, str, dict[str, Any]]]:
    return [(fault.clause, jsontext.pointer(fault.path), dict(fault.facts)) for fault in schema.faults(document, RULES)]


def event(**keys: Any) -> dict[str, Any]:
    return match(events=[{**PLAY, **keys}])


def one(other: dict[str, Any]) -> dict[str, Any]:
    return match(events=[other])


@pytest.mark.parametrize(
    "document",
    [
        match(),
        match(events=[]),
        match("x" * 200),
        match(options={}),
        match(options={"target": 61, "defender_sweep": 13}),
        match(started="2024-05-01T20:15:00Z", ended="2024-05-01T20:15:00.25+03:00", extra=[2.5, {"type": None}]),
        match(producer={"name": "", "version": "1", "build": "2", "platform": "web"}),
        match(shuffle={"scheme": SCHEME, "commitment": "aB09", "server_seed": "00", "client_seed": ""}),
        event(card="JK", by="bot", refused=False, at=-5),
        event(at="2024-05-01T20:15:00-23:59", by="timeout", refused=True),
        one(DEALT),
        one({"type": "deal", "dealer": 3, "hands": []}),
        one({"type": "bid", "seat": 3, "tricks": 14, "trump": "NT"}),
        one({"type": "bid", "seat": 3, "tricks": -(2**53) + 1}),
        one({"type": "pass", "seat": 1}),
        one({"type": "trump", "seat": 1, "suit": "NT"}),
        one({"type": "trick", "winner": 2, "points": 0}),
        one(SCORED),
        one({"type": "result", "winner": None, "total": [3, 3]}),
        one({"type": "note", "at": "yesterday", "seat": 9.5, "card": "?"}),
    ],
)  # fmt: skip
def test_well_formed_whatever_the_rules_will_say(document: dict[str, Any]) -> None:
    assert found(document) == []


EVENT_TYPES = "deal, bid, pass, trump, play, trick, score, result, note"
CARD, DEALT_CARD = "a card such as 7H", "a card such as 7H, or ?? for one not seen"
WHOLE = {"least": -(2**53) + 1, "most": 2**53 - 1}


@pytest.mark.parametrize(
    ("document", "faults"),
    [
        ([], [("log.type", "", {"expected": "object", "found": "[]"})]),
        ({**match(), "format": "x"}, [("log.value", "/format", {"expected": "match-log/1", "found": '"x"'})]),
        (match(""), [("log.length", "/match", {"expected": "1–200", "count": 0})]),
        (match("x" * 201), [("log.length", "/match", {"expected": "1–200", "count": 201})]),
        (match(ruleset="whist"), [("log.ruleset", "/ruleset", {"expected": ", ".join(RULESETS), "found": '"whist"'})]),
        (match(evnets=[]), [("log.unknown-key", "/evnets", {"key": "evnets"})]),
        (match(started="2024-05-01"), [("log.time", "/started", {"found": '"2024-05-01"'})]),
        (match(ended=5), [("log.type", "/ended", {"expected": "string", "found": "5"})]),
        (match(players=[{"id": "a"}] * 3), [("log.count", "/players", {"expected": "4", "count": 3})]),
        (match(players=[{"id": "a"}] * 3 + [{"Id": "d"}]), [
            ("log.missing-key", "/players/3", {"key": "id"}), ("log.unknown-key", "/players/3/Id", {"key": "Id"})]),
        (match(options=None), [("log.type", "/options", {"expected": "object", "found": "null"})]),
        (match(options={"target": 30}), [("log.value", "/options/target", {"expected": "31, 41, 61", "found": "30"})]),
        (match(options={"target": 31.0}), [("log.integer", "/options/target", {"found": "31.0"})]),
        (match(options={"target": "31"}), [("log.type", "/options/target", {"expected": "integer", "found": '"31"'})]),
        (match(options={"taget": 31}), [("log.unknown-key", "/options/taget", {"key": "taget"})]),
        (match(shuffle={"scheme": 1, "commitment": "abc", "server_seed": "ab\n", "client_seed": ""}), [
            ("log.value", "/shuffle/scheme", {"expected": SCHEME, "found": "1"}),
            ("log.pattern", "/shuffle/commitment", {"expected": HEX, "found": '"abc"'}),
            ("log.pattern", "/shuffle/server_seed", {"expected": HEX, "found": '"ab\\u000a"'})]),
        (match(events={"0": PLAY}), [("log.type", "/events", {"expected": "array", "found": "{…}"})]),
        (match(events=[7]), [("log.type", "/events/0", {"expected": "object", "found": "7"})]),
        (match(events=[{}]), [("log.missing-key", "/events/0", {"key": "type"})]),
        (event(type="plya"), [("log.value", "/events/0/type", {"expected": EVENT_TYPES, "found": '"plya"'})]),
        (event(type="double"), [("log.value", "/events/0/type", {"expected": EVENT_TYPES, "found": '"double"'})]),
        (event(type=None), [("log.value", "/events/0/type", {"expected": EVENT_TYPES, "found": "null"})]),
        (event(card="7h"), [("log.value", "/events/0/card", {"expected": CARD, "found": '"7h"'})]),
        (event(card="??"), [("log.value", "/events/0/card", {"expected": CARD, "found": '"??"'})]),
        (event(card=["7H"]), [("log.value", "/events/0/card", {"expected": CARD, "found": "[…]"})]),
        (event(seat=4), [("log.range", "/events/0/seat", {"least": 0, "most": 3, "found": "4"})]),
        (event(seat=-1), [("log.range", "/events/0/seat", {"least": 0, "most": 3, "found": "-1"})]),
        (event(seat=2.0), [("log.integer", "/events/0/seat", {"found": "2.0"})]),
        (event(seat=-0.0), [("log.integer", "/events/0/seat", {"found": "-0.0"})]),
        (event(seat=2.5), [("log.type", "/events/0/seat", {"expected": "integer", "found": "2.5"})]),
        (event(seat=True), [("log.type", "/events/0/seat", {"expected": "integer", "found": "true"})]),
        (event(crad="7H"), [("log.unknown-key", "/events/0/crad", {"key": "crad"})]),
        (event(by="robot"), [("log.value", "/events/0/by", {"expected": "player, timeout, bot", "found": '"robot"'})]),
        (event(refused=0), [("log.type", "/events/0/refused", {"expected": "boolean", "found": "0"})]),
        (event(at=None), [("log.type", "/events/0/at", {"expected": "integer or string", "found": "null"})]),
        (event(at=1.0), [("log.integer", "/events/0/at", {"found": "1.0"})]),
        (event(at=2**53), [("log.range", "/events/0/at", {**WHOLE, "found": "9007199254740992"})]),
        (event(at="soon"), [("log.time", "/events/0/at", {"found": '"soon"'})]),
        (one({"type": "play"}), [("log.missing-key", "/events/0", {"key": key}) for key in ("seat", "card")]),
        (one({**DEALT, "hands": [["1H"], "7H"], "dealer": "0"}), [
            ("log.type", "/events/0/dealer", {"expected": "integer", "found": '"0"'}),
            ("log.value", "/events/0/hands/0/0", {"expected": DEALT_CARD, "found": '"1H"'}),
            ("log.type", "/events/0/hands/1", {"expected": "array", "found": '"7H"'})]),
        (one({**SCORED, "deal": [7], "total": [1, 2, 3]}), [
            ("log.count", "/events/0/deal", {"expected": "2", "count": 1}),
            ("log.count", "/events/0/total", {"expected": "2", "count": 3})]),
        (one({"type": "result", "winner": 2, "total": [0, 0.5]}), [
            ("log.range", "/events/0/winner", {"least": 0, "most": 1, "found": "2"}),
            ("log.type", "/events/0/total/1", {"expected": "integer", "found": "0.5"})]),
        (one({"type": "trump", "seat": 0, "suit": "X"}), [
            ("log.value", "/events/0/suit", {"expected": "C, D, H, S, NT", "found": '"X"'})]),
    ],
)  # fmt: skip
def test_every_fault_of_form_is_named_with_its_facts(
    document: Any, faults: list[tuple[str, str, dict[str, Any]]]
) -> None:
    assert found(document) == faults


def test_all_faults_are_found_and_none_twice() -> None:
    document = match("", events=[{**PLAY, "seat": 9, "card": "1", "x": 1}, {**PLAY, "at": "x"}], players=[], y=2)
    assert sorted(fault[:2] for fault in found(document)) == [
        ("log.count", "/players"),
        ("log.length", "/match"),
        ("log.range", "/events/0/seat"),
        ("log.time", "/events/1/at"),
        ("log.unknown-key", "/events/0/x"),
        ("log.unknown-key", "/y"),
        ("log.value", "/events/0/card"),
    ]


@pytest.mark.parametrize(
    ("time", "is_one"),
    [
        ("2024-05-01T20:15:00Z", True),
        ("2024-05-01T20:15:00.123456789+14:00", True),
        ("2024-02-29T00:00:00-00:00", True),
        ("2023-02-29T00:00:00Z", False),
        ("2024-05-01 20:15:00Z", False),
        ("2024-05-01t20:15:00z", False),
        ("2024-05-01T20:15:00", False),
        ("2024-05-01T20:15Z", False),
        ("2024-05-01T20:15:00+0300", False),
        ("2024-05-01T20:15:00+03", False),
        ("2024-05-01T20:15:00+24:00", False),
        ("2024-05-01T24:00:00Z", False),
        ("2024-05-01T23:59:60Z", False),
        ("2024-05-01T20:15:00.Z", False),
        ("2024-05-01T20:15:00Z\n", False),
        ("٢٠٢٤-05-01T20:15:00Z", False),
        ("0000-05-01T20:15:00Z", False),
        ("", False),
    ],
)
def test_times_are_rfc_3339_in_one_form(time: str, is_one: bool) -> None:
    assert schema.are_times([time]) is is_one
    assert schema.are_times(["2024-05-01T20:15:00Z", time]) is is_one
    assert (found(match(started=time)) == []) is is_one
    assert (found(event(at=time)) == []) is is_one


def test_every_ruleset_has_its_schema() -> None:
    assert sorted(FORMS) == RULESETS


@pytest.mark.parametrize("ruleset", [None, *RULESETS])
def test_a_schema_that_is_handed_out_needs_no_other(ruleset: str | None) -> None:
    document = json.loads(json.dumps(schema.bundle(ruleset)))
    Draft202012Validator.check_schema(document)
    own = Draft202012Validator(document)
    players = [{"id": "a"}] * (GAMES[ruleset or RULESETS[0]].seat_counts[0])
    sound = {**match(), "ruleset": ruleset or RULESETS[0], "players": players, "events": [], "options": {}}
    assert own.is_valid(sound)
    assert not own.is_valid({**sound, "events": [{"type": "?"}]})
    assert not own.is_valid({**sound, "ruleset": "whist"})


def test_one_rulesets_schema_accepts_no_other_ruleset() -> None:
    known = {"other": {"$id": "urn:x", "title": "Other"}, **schema.shipped()}
    own = schema.rules({"other": known["other"]})
    assert [fault.clause for fault in schema.faults(match(), own)] == ["log.ruleset"]
    assert schema.bundle("other", known)["title"] == "Match log, version 1: Other"


def test_a_schema_of_somebody_elses_game_can_be_handed_in() -> None:
    whist = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:example:whist",
        "properties": {
            "options": {
                "properties": {"p": {"oneOf": [{"const": 1}, {"const": 2}]}},
                "patternProperties": {"^x": True},
            },
            "events": {"items": {"properties": {"n": {"type": "integer", "minimum": 1}}}, "minItems": 1, "maxItems": 2},
        },
    }
    whist["properties"]["options"]["additionalProperties"] = False  # type: ignore[index]
    rules = schema.rules({"whist": whist, **schema.shipped()})
    document = match(ruleset="whist", options={"p": 3, "xy": 0, "y": 0}, events=[{"type": "a", "n": 0}, {}, {}])
    assert [(fault.clause, fault.path, fault.facts) for fault in schema.faults(document, rules)] == [
        ("log.missing-key", ("events", 1), {"key": "type"}),
        ("log.missing-key", ("events", 2), {"key": "type"}),
        ("log.form", ("options", "p"), {"keyword": "oneOf", "found": "3"}),
        ("log.unknown-key", ("options", "y"), {"key": "y"}),
        ("log.range", ("events", 0, "n"), {"least": 1, "most": 2**53 - 1, "found": "0"}),
        ("log.count", ("events",), {"expected": "1–2", "count": 3}),
    ]
    assert list(schema.faults(match(), rules)) == []


def test_a_ruleset_without_a_schema_stops_the_auditor() -> None:
    with pytest.raises(CannotAudit, match=r'no schema for the ruleset "whist"; there is one for: .*tarneeb-classic'):
        schema.bundle("whist")


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _parts(inner)


@pytest.mark.parametrize("document", [schema.output("verdict"), *(schema.bundle(ruleset) for ruleset in RULESETS)])
def test_lists_of_numbers_say_that_they_are_integers(document: dict[str, Any]) -> None:
    for part in _parts(document):
        if any(isinstance(choice, int) for choice in part.get("enum", [])):
            assert part["type"] == "integer"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_chain_of_events_and_its_last_word_agree(ruleset: str) -> None:
    chain = schema.shipped()[ruleset]["$defs"]["event"]
    kinds = []
    while "if" in chain:
        kinds.append(chain["if"]["properties"]["type"]["const"])
        chain = chain["else"]
    assert sorted(kinds) == sorted(chain["properties"]["type"]["enum"])


@pytest.mark.parametrize("ruleset", [None, *RULESETS])
def test_titles_that_sentences_use_are_translated(ruleset: str | None) -> None:
    for part in _parts(schema.bundle(ruleset)):
        if "title" in part and ("enum" in part or "pattern" in part) and "format" not in part:
            assert rulebook.word(part["title"], "ar") != part["title"]


# --- Verdicts -------------------------------------------------------------------------------------------------------


def _full_verdict() -> verdict.Verdict:
    findings = (
        verdict.Finding("illegal", "flow.kind", 3, 1, {"kind": "play", "awaited": "bid"}, legal=("7H",)),
        verdict.Finding(
            "claim",
            "claim.score",
            4,
            facts={"claimed": [7], "computed": [0], "readings": [[0]], "basis": {}},
            expected=[0],
            found=[7],
        ),
        verdict.Finding("open", "match.over", None, readings={"16": (16, 0), "13": (-13, 0)}),
        verdict.Finding("schema", "match.over", None, place=Place("a", 1, 0, "/match")),
    )  # fmt: skip
    deals = (
        verdict.DealResult(0, (0, 60), "scored", (7, 0), (7, 0), (7, 0), (7, 0)),
        verdict.DealResult(1, (61, 70), "broken", None, (7, 0)),
    )
    return verdict.Verdict(
        "m-1", "tarneeb-classic", {"target": 31}, {"name": "app"}, "sha256:" + "a" * 64, "invalid", findings, deals,
        (7, 0), 0, True,
    )  # fmt: skip


NOTHING = verdict.Verdict(None, None, {}, None, None, "invalid", ())


@pytest.mark.parametrize("said", [_full_verdict(), NOTHING])
def test_the_schema_of_verdicts_accepts_what_is_written(said: verdict.Verdict) -> None:
    Draft202012Validator.check_schema(schema.output("verdict"))
    assert list(Draft202012Validator(schema.output("verdict")).iter_errors(json.loads(verdict.to_json(said)))) == []


@pytest.mark.parametrize(
    "change",
    [
        {"format": "verdict/2"},
        {"status": "fine"},
        {"more": 1},
        {"log_digest": "sha256:xyz"},
        {"totals": [1, "2"]},
        {"winner": -1},
        {"findings": [{"kind": "illegal", "clause": "a", "event": 0}]},
        {"findings": [{"kind": "illegal", "clause": "a", "event": 0, "message": "", "expected": 1}]},
        {"deals": [{"index": 0}]},
    ],
)
def test_the_schema_of_verdicts_refuses_what_is_not_written(change: dict[str, Any]) -> None:
    document = {**json.loads(verdict.to_json(_full_verdict())), **change}
    assert not Draft202012Validator(schema.output("verdict")).is_valid(document)
