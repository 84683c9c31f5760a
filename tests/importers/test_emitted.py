"""``events``: whatever a line holds is carried over, or told with its file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import CannotAudit
from auditor.importers import assembly, importers
from auditor.importers.carrying import Tally, carried
from auditor.importers.contract import Source

from .platforms import Line, emitted, played, text_of
from .running import run

[STONES] = played("three-stones", 1)
LINES = emitted(STONES)


def changed(at: int, **changes: Any) -> list[Line]:
    """The lines with one of them changed; ``None`` takes a key away."""
    line = {key: value for key, value in (LINES[at] | changes).items() if value is not None}
    return [*LINES[:at], line, *LINES[at + 1 :]]


# --- Lines ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"{not json}\n", "text"),
        (b'{"match": "x", "match": "y", "seq": 1, "event": {}}\n', "text"),
        (b'{"match": "\xff"}\n', "text"),
        (b'{"match": "x", "seq": 1, "event": {"type": "note", "n": 1e999}}\n', "text"),
        (b"[1, 2]\n", "no-object"),
        (b"null\n", "no-object"),
        (b'"x"\n', "no-object"),
        (b'{"seq": 4, "event": {"type": "note"}}\n', "no-match"),
        (b'{"match": "", "seq": 4, "event": {"type": "note"}}\n', "no-match"),
        (b'{"match": null, "seq": 4, "event": {"type": "note"}}\n', "no-match"),
        (b'{"match": true, "seq": 4, "event": {"type": "note"}}\n', "no-match"),
        (b'{"match": "%s", "event": {"type": "note"}}\n', "no-number"),
        (b'{"match": "%s", "seq": -1, "event": {"type": "note"}}\n', "no-number"),
        (b'{"match": "%s", "seq": 1.0, "event": {"type": "note"}}\n', "no-number"),
        (b'{"match": "%s", "seq": true, "event": {"type": "note"}}\n', "no-number"),
        (b'{"match": "%s", "seq": 99999999999999999999, "event": {"type": "note"}}\n', "no-number"),
        (b'{"match": "%s", "seq": 4}\n', "no-event"),
        (b'{"match": "%s", "seq": 4, "event": "note"}\n', "no-object"),
        (b'{"match": "%s", "seq": 4, "head": 7}\n', "no-object"),
    ],
)
def test_a_line_that_is_none_is_told_with_its_line(line: bytes, kind: str, tmp_path: Path) -> None:
    line = line.replace(b"%s", STONES["match"].encode())
    found = run("events", tmp_path, text_of(LINES[:3]) + line + text_of(LINES[3:]))
    assert [group.kind for group in found.tally.groups] == [kind]
    assert found.place(kind) == ("source.ndjson", 4)
    assert found.documents[0]["events"] == STONES["events"]


def test_a_number_may_be_written_as_text_and_an_id_as_a_number(tmp_path: Path) -> None:
    lines = [line | {"match": 17, "seq": str(line["seq"])} for line in LINES]
    [document] = run("events", tmp_path, text_of(lines)).documents
    assert document == STONES | {"match": "17"}


def test_a_file_that_breaks_off(tmp_path: Path) -> None:
    packed = gzip.compress(text_of(LINES))
    found = run("events", tmp_path, {"a.ndjson.gz": packed[: len(packed) // 2]})
    assert found.group("text").first[-1].clause in ("log.truncated", "log.compression")
    events = found.documents[0]["events"]
    assert events == STONES["events"][: len(events)]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert not run("events", tmp_path, {"a.ndjson": text_of(LINES)}).tally.is_file_missing
    tally = Tally()
    source = Source([str(tmp_path / "none.ndjson"), str(tmp_path / "a.ndjson")])
    assert len(list(carried(importers()["events"], source, tally))) == 1
    assert tally.is_file_missing


def test_a_key_beside_the_event_is_told_once_with_its_count(tmp_path: Path) -> None:
    lines = [line | {"ts": 5, "node": {"id": 1}} for line in LINES]
    found = run("events", tmp_path, text_of(lines))
    assert found.losses == {("key", "ts"): len(lines), ("key", "node"): len(lines)}
    assert run("events", tmp_path, text_of(lines), 'ignore = ["ts", "node"]').losses == {}
    assert run("events", tmp_path, text_of(lines), 'ignore = ["ts", "node.id"]').losses == {}


# --- Numbers --------------------------------------------------------------------------------------------------------


def test_two_different_events_with_one_number_leave_the_match_out(tmp_path: Path) -> None:
    other = LINES[3] | {"event": {"type": "note", "text": "another"}}
    found = run("events", tmp_path, text_of([*LINES, other]))
    assert (found.lines, found.tally.counts["left_out"]) == ([], 1)
    [loss] = found.group("conflict").first
    assert (loss.match, loss.place.line) == (STONES["match"], len(LINES) + 1)
    assert loss.detail.endswith("source.ndjson:4)")


def test_or_the_first_is_kept_if_somebody_says_so(tmp_path: Path) -> None:
    other = LINES[3] | {"event": {"type": "note", "text": "another"}}
    found = run("events", tmp_path, text_of([*LINES, other]), conflicts="first")
    assert found.documents == [STONES]
    assert found.losses == {("conflict", ""): 1}


def test_the_same_event_with_keys_in_another_order_is_a_duplicate(tmp_path: Path) -> None:
    event = dict(reversed(LINES[3]["event"].items()))
    found = run("events", tmp_path, text_of([*LINES, LINES[3] | {"event": event}]))
    assert found.losses == {}
    assert found.tally.counts["duplicates"] == 1


def test_true_is_not_1(tmp_path: Path) -> None:
    notes = [{"match": "m", "seq": 1, "event": {"type": "note", "n": n}} for n in (1, True)]
    assert run("events", tmp_path, text_of([LINES[0] | {"match": "m"}, *notes])).losses == {("conflict", ""): 1}


def test_missing_numbers_are_told_and_the_match_is_as_it_was_emitted(tmp_path: Path) -> None:
    found = run("events", tmp_path, text_of([*LINES[:4], *LINES[5:8], *LINES[10:]]))
    assert found.losses == {("gap", ""): 3}
    assert [(loss.detail, loss.place.line) for loss in found.group("gap").first] == [("4", 5), ("8–9", 8)]
    assert found.documents[0]["events"] == [*STONES["events"][:3], *STONES["events"][4:7], *STONES["events"][9:]]


def test_numbers_missing_at_the_start(tmp_path: Path) -> None:
    assert run("events", tmp_path, text_of([LINES[0], *LINES[3:]])).losses == {("gap", ""): 2}
    headless = [{"match": "m", "head": LINES[0]["head"]}, {"match": "m", "seq": 3, "event": {"type": "note"}}]
    assert run("events", tmp_path, text_of(headless)).losses == {("gap", ""): 2}


def test_numbers_of_a_whole_server_have_no_gaps(tmp_path: Path) -> None:
    lines = [line | {"seq": line["seq"] * 7 + 100} for line in LINES]
    assert run("events", tmp_path, text_of(lines), 'numbering = "server"').documents == [STONES]


def test_without_numbers_lines_stand_as_they_come(tmp_path: Path) -> None:
    lines = [{key: value for key, value in line.items() if key != "seq"} for line in LINES]
    found = run("events", tmp_path, text_of(lines), 'numbering = "none"')
    assert found.documents == [STONES]
    assert found.losses == {}


# --- The head -------------------------------------------------------------------------------------------------------


def test_a_match_without_a_head(tmp_path: Path) -> None:
    found = run("events", tmp_path, text_of(LINES[1:]))
    assert found.lines == []
    assert found.losses == {("no-head", ""): len(LINES) - 1}
    assert found.place("no-head") == ("source.ndjson", 1)


def test_a_head_in_several_lines(tmp_path: Path) -> None:
    head = dict(LINES[0]["head"])
    ended = {"match": STONES["match"], "seq": len(LINES), "head": {"ended": head.pop("ended")}}
    found = run("events", tmp_path, text_of([LINES[0] | {"head": head}, *LINES[1:], ended]))
    assert found.documents == [STONES]
    assert found.losses == {}


def test_heads_that_contradict_each_other(tmp_path: Path) -> None:
    other = {"match": STONES["match"], "head": {"ended": "2026-01-01T00:00:00Z"}}
    lines = text_of([*LINES, other])
    assert run("events", tmp_path, lines).lines == []
    assert run("events", tmp_path, lines).losses == {("head", "ended"): 1}
    assert run("events", tmp_path, lines, conflicts="first").documents == [STONES]


def test_a_key_of_the_head_that_match_logs_do_not_have(tmp_path: Path) -> None:
    lines = text_of(changed(0, head=LINES[0]["head"] | {"stake": 5, "extra": {"table": 5}}))
    found = run("events", tmp_path, lines)
    assert found.losses == {("key", "head.stake"): 1}
    assert found.documents == [STONES | {"extra": {"table": 5}}]
    for mapping in ('ignore = ["head.stake"]', '[head]\nignore = ["stake"]'):
        assert run("events", tmp_path, lines, mapping).losses == {}


def test_a_head_that_names_its_format(tmp_path: Path) -> None:
    for form, losses in (("match-log/1", {}), ("match-log/2", {("key", "head.format"): 1})):
        found = run("events", tmp_path, text_of(changed(0, head=LINES[0]["head"] | {"format": form})))
        assert (found.documents, found.losses) == ([STONES], losses)


def test_players_as_ids(tmp_path: Path) -> None:
    found = run("events", tmp_path, text_of(changed(0, head=LINES[0]["head"] | {"players": ["amal", 7]})))
    assert found.documents[0]["players"] == [{"id": "amal"}, {"id": "7"}]


def test_what_is_given_for_all_matches_goes_behind_what_the_source_says(tmp_path: Path) -> None:
    head = {"players": LINES[0]["head"]["players"], "ended": "2026-01-02T00:00:00Z"}
    given = '[head.given]\nruleset = "three-stones"\nended = "2026-01-01T00:00:00Z"\n'
    [document] = run("events", tmp_path, text_of(changed(0, head=head)), given).documents
    assert document["ruleset"] == "three-stones"
    assert document["ended"] == "2026-01-02T00:00:00Z"


# --- Form -----------------------------------------------------------------------------------------------------------


def test_what_is_no_match_log_is_told_at_the_line_of_its_event(tmp_path: Path) -> None:
    lines = changed(3, event={"type": "place", "seat": 5, "point": "a1"})
    found = run("events", tmp_path, text_of(lines))
    assert found.lines == []
    assert found.tally.counts["left_out"] == 1
    [loss] = found.group("invalid").first
    assert (loss.detail, loss.place.line, loss.match) == ("/events/2/seat", 4, STONES["match"])


def test_or_written_all_the_same(tmp_path: Path) -> None:
    lines = changed(3, event={"type": "place", "seat": 5, "point": "a1"})
    [document] = run("events", tmp_path, text_of(lines), keeps=True).documents
    assert document["events"][2] == {"type": "place", "seat": 5, "point": "a1"}


def test_an_event_without_a_type(tmp_path: Path) -> None:
    found = run("events", tmp_path, text_of(changed(3, event={"seat": 1})))
    assert found.losses == {("type", ""): 1}
    assert len(found.documents[0]["events"]) == len(STONES["events"]) - 1


@pytest.mark.parametrize("event", [{"type": 5}, {"type": None}, {"type": ["note"]}, {"type": "winner", "winner": {}}])
def test_odd_events_are_diagnostics(event: dict[str, Any], tmp_path: Path) -> None:
    found = run("events", tmp_path, text_of(changed(3, event=event)))
    assert found.lines == []
    assert "invalid" in {group.kind for group in found.tally.groups}


@pytest.mark.parametrize("head", [{}, {"players": 5}, {"ruleset": ["x"]}, {"players": [5, None, {}]}, {"events": []}])
def test_odd_heads_are_diagnostics(head: dict[str, Any], tmp_path: Path) -> None:
    found = run("events", tmp_path, text_of(changed(0, head=head)))
    assert found.lines == []
    assert found.losses


# --- The mapping ----------------------------------------------------------------------------------------------------


def test_an_event_may_be_the_line_itself(tmp_path: Path) -> None:
    lines = [LINES[0], *({"match": line["match"], "seq": line["seq"], **line["event"]} for line in LINES[1:])]
    assert run("events", tmp_path, text_of(lines), 'event = ""').documents == [STONES]


def test_values_that_have_no_meaning_are_told_and_left_as_they_are(tmp_path: Path) -> None:
    found = run("events", tmp_path, text_of(changed(3, event=LINES[3]["event"] | {"seat": 0})), "seats = 1", keeps=True)
    assert found.documents[0]["events"][2]["seat"] == -1
    found = run("events", tmp_path, text_of(changed(3, event=LINES[3]["event"] | {"seat": "left"})), keeps=True)
    assert found.losses == {("value", 'seat: "left"'): 1, ("invalid", "log.type"): 1}


def test_a_key_that_a_rule_does_not_name_is_told(tmp_path: Path) -> None:
    mapping = '[[events]]\nwhen = {type = "place"}\ntype = "place"\nkeys = {point = "point"}\n'
    lines = changed(3, event={"type": "place", "seat": 0, "point": "a1", "sound": "tock", "who": {"mood": 1}})
    found = run("events", tmp_path, text_of(lines), mapping)
    assert found.losses == {("key", "event.sound"): 1, ("key", "event.who"): 1}
    assert found.documents[0]["events"][2] == {"type": "place", "seat": 0, "point": "a1"}


def test_a_rule_for_1_does_not_fit_true(tmp_path: Path) -> None:
    mapping = '[[events]]\nwhen = {type = "note", chat = 1}\ndrop = true\n'
    for chat, count in ((1, len(STONES["events"]) - 1), (True, len(STONES["events"]))):
        found = run("events", tmp_path, text_of(changed(3, event={"type": "note", "chat": chat})), mapping)
        assert len(found.documents[0]["events"]) == count


def test_a_pattern_that_does_not_fit_is_told(tmp_path: Path) -> None:
    mapping = '[[events]]\nwhen = {type = "go"}\ntype = "move"\npatterns = {way = "(?P<from>..)-(?P<to>..)"}\n'
    found = run("events", tmp_path, text_of(changed(3, event={"type": "go", "seat": 0, "way": "a1 a2"})), mapping)
    assert ("value", 'event.way: "a1 a2"') in found.losses


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ('mach = "id"', "/mach: expected one of the keys match, number, numbering, "),
        ("seats = 2", '/seats: expected one of 0, 1, "players", found 2'),
        ("seats = true", '/seats: expected one of 0, 1, "players", found true'),
        ('match = ["a"]', "/match: expected text, found […]"),
        ("ignore = [1979-05-27]", "/ignore/0: expected text, found 1979-05-27"),
        ("events = {}", "/events: expected a list, found {}"),
        ("[values]\nsuit = 1", "/values/suit: expected a table, found 1"),
        ('delimiter = ";"', "/delimiter: expected one of the keys "),
        ("[[events]]\n", "/events/0: expected either a type or drop = true, found neither"),
        ('[[events]]\ntype = "play"\ndrop = true\n', "/events/0: expected either a type or drop = true, found both"),
        ('[[events]]\ntype = "play"\ndrop = 1\n', "/events/0/drop: expected true or false, found 1"),
        ('[[events]]\ntype = "play"\npatterns = {x = "("}\n', "/events/0/patterns/x: expected a regular expression ("),
        ('[[events]]\ntype = "play"\npatterns = {x = "a{9999999999}"}\n', "/patterns/x: expected a regular expression"),
        (
            '[[events]]\ntype = "play"\nkeys = {"a/b" = []}\n',
            "/events/0/keys/a~1b: expected text or a list that is not empty, found []",
        ),
        ('[head.keys]\nplayers = ["a", 1]\n', "/head/keys/players/1: expected text, found 1"),
        ('[head]\nformat = "x"\n', "/head/format: expected one of the keys key, keys, player, given, ignore, found"),
        ('[head.keys]\nmatch = "id"\n', "/head/keys/match: expected a key that the import does not write itself"),
        ('[head.given]\nformat = "x"\n', "/head/given/format: expected a key that the import does not write itself"),
        ('[cards.suits]\nX = "Y"\n', '/cards/suits/X: expected one of "C", "D", "H", "NT", "S", found "Y"'),
        ('[cards.suits]\n"" = "C"\n', '/cards/suits/: expected text that is not empty, found ""'),
        ('[cards]\nseparator = ""\n', '/cards/separator: expected text that is not empty, found ""'),
    ],
)
def test_a_mapping_that_is_not_understood(mapping: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(CannotAudit) as told:
        run("events", tmp_path, text_of(LINES), mapping)
    assert str(told.value).startswith("map.toml: /")
    assert expected in str(told.value)


@pytest.mark.parametrize("options", [{"conflicts": "last"}, {"conflict": "first"}, {"conflicts": 1}])
def test_an_option_that_is_not_understood(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(CannotAudit, match="--option"):
        run("events", tmp_path, text_of(LINES), **options)


def test_a_key_of_the_head_that_there_is_no_room_for(tmp_path: Path) -> None:
    mapping = '[head]\nkeys = {options = "how", "options.target" = "goal"}\n'
    found = run("events", tmp_path, text_of(changed(0, head=LINES[0]["head"] | {"how": "fast", "goal": 5})), mapping)
    assert found.losses[("value", "options.target: 5")] == 1


# --- Much -----------------------------------------------------------------------------------------------------------


def test_losses_are_counted_without_end_and_told_up_to_a_limit(tmp_path: Path) -> None:
    lines = [{"match": "m", "seq": n, "event": {"type": "note"}, f"k{n}": 1, "same": 1} for n in range(3000)]
    found = run("events", tmp_path, text_of([LINES[0] | {"match": "m"}, *lines[1:]]))
    document = found.tally.document("events", [])
    assert sum(group["count"] for group in document["losses"]) == 2 * 2999
    assert len(document["losses"]) == 1001
    assert len(next(group for group in document["losses"] if group.get("subject") == "same")["first"]) == 100
    assert len(json.dumps(document).replace(str(tmp_path), "")) < 200_000


def test_more_than_memory_should_hold_goes_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "_IN_MEMORY", 100)
    assert run("events", tmp_path, text_of(reversed(LINES))).documents == [STONES]
