"""``table``: whatever a row holds is carried over, or told with its file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import CannotAudit
from auditor.importers import importers
from auditor.importers.carrying import Tally, carried
from auditor.importers.contract import Source

from .platforms import MAPPINGS, moves_table, played, table
from .running import run

HEAD = '[head.given]\nruleset = "three-stones"\nplayers = ["amal", "basel"]\n'
COLUMNS = ("match", "seq", "type", "seat", "point", "from", "to", "first")
ROWS: list[dict[str, Any]] = [
    {"match": "m", "seq": 1, "type": "round", "first": 0},
    {"match": "m", "seq": 2, "type": "place", "seat": 0, "point": "a1"},
    {"match": "m", "seq": 3, "type": "place", "seat": 1, "point": "b2"},
]
EVENTS = [
    {"type": "round", "first": 0},
    {"type": "place", "seat": 0, "point": "a1"},
    {"type": "place", "seat": 1, "point": "b2"},
]


def lines(*more: str) -> bytes:
    return table(COLUMNS, ROWS) + "".join(f"{line}\r\n" for line in more).encode()


def test_a_table_with_our_own_names_needs_a_head_only(tmp_path: Path) -> None:
    found = run("table", tmp_path, lines(), HEAD)
    assert found.losses == {}
    assert found.documents[0]["events"] == EVENTS
    assert found.documents[0]["players"] == [{"id": "amal"}, {"id": "basel"}]


def test_without_a_head_the_match_is_left_out(tmp_path: Path) -> None:
    assert run("table", tmp_path, lines()).losses == {("no-head", ""): 3}


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (",4,place,0,a2,,,", "no-match"),
        ("m,,place,0,a2,,,", "no-number"),
        ("m,four,place,0,a2,,,", "no-number"),
        ("m,4.0,place,0,a2,,,", "no-number"),
        ("m,-4,place,0,a2,,,", "no-number"),
        ("m,4,,0,a2,,,", "type"),
        ("m,4,place,0,a2", "cells"),
        ("m,4,place,0,a2,,,,", "cells"),
        ('m,4,"pl"ace,0,a2,,,', "row"),
    ],
)
def test_a_row_without_what_is_needed_is_told_with_its_line(row: str, kind: str, tmp_path: Path) -> None:
    found = run("table", tmp_path, lines(row, "m,5,place,0,c3,,,"), HEAD)
    assert kind in {group.kind for group in found.tally.groups} <= {kind, "gap"}
    assert found.place(kind) == ("source.csv", 5)
    assert found.documents[0]["events"] == [*EVENTS, {"type": "place", "seat": 0, "point": "c3"}]


def test_a_quote_that_is_never_closed_is_told_where_it_opens(tmp_path: Path) -> None:
    found = run("table", tmp_path, lines('m,4,"place,0,a2,,,', "m,5,place,0,c3,,,"), HEAD)
    assert found.place("row") == ("source.csv", 5)
    assert found.documents[0]["events"] == EVENTS


def test_lines_are_those_of_the_file_with_blank_ones_and_cells_of_several_lines(tmp_path: Path) -> None:
    columns = "match,seq,type,seat,text\n"
    rows = 'm,1,note,,"one\n\n\ntwo"\n\n\nm,x,note,,\n'
    mapping = HEAD + '[[events]]\nwhen = {type = "note"}\ntype = "note"\nkeys = {text = "text"}\n'
    found = run("table", tmp_path, (columns + rows).encode(), mapping)
    assert found.documents[0]["events"] == [{"type": "note", "text": "one\n\n\ntwo"}]
    assert found.place("no-number") == ("source.csv", 8)


def test_bytes_that_are_no_utf8_are_told_with_their_row(tmp_path: Path) -> None:
    found = run("table", tmp_path, lines() + b"m,4,place,0,\xff,,,\r\n", HEAD)
    assert found.losses == {("encoding", "utf-8"): 1}
    assert found.place("encoding") == ("source.csv", 5)


def test_a_byte_order_mark_and_packed_files(tmp_path: Path) -> None:
    files = {"a.csv.gz": gzip.compress(b"\xef\xbb\xbf" + table(COLUMNS, ROWS[:2])), "b.csv": table(COLUMNS, ROWS[2:])}
    found = run("table", tmp_path, files, HEAD)
    assert found.losses == {}
    assert found.documents[0]["events"] == EVENTS


def test_a_folder_is_its_tables_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "b.csv").write_bytes(table(COLUMNS, ROWS[:1]))
    (tmp_path / "x" / "a.tsv").write_bytes(table(COLUMNS, ROWS[1:]))
    (tmp_path / "x" / "c.json").write_bytes(b"{}")
    source = Source([str(tmp_path / "x")], {"head": {"given": {"ruleset": "three-stones", "players": ["a", "b"]}}})
    tally = Tally()
    assert len(list(carried(importers()["table"], source, tally))) == 1
    assert tally.counts["events"] == 3
    assert tally.counts["late"] == 1


def test_a_column_that_nothing_is_mapped_to_is_told_with_its_count(tmp_path: Path) -> None:
    rows = [{**row, "mood": mood} for row, mood in zip(ROWS, ("", "calm", "wild"), strict=True)]
    text = table((*COLUMNS, "mood"), rows)
    found = run("table", tmp_path, text, HEAD)
    assert found.losses == {("key", "mood"): 2}
    assert found.place("key") == ("source.csv", 3)
    assert run("table", tmp_path, text, 'ignore = ["mood"]\n' + HEAD).losses == {}


def test_a_cell_that_is_no_part_of_its_event_is_told_by_the_reader(tmp_path: Path) -> None:
    found = run("table", tmp_path, table(COLUMNS, [*ROWS[:2], {**ROWS[2], "to": "c3"}]), HEAD)
    assert found.losses == {("invalid", "log.unknown-key"): 1}
    assert found.place("invalid") == ("source.csv", 4)


def test_a_cell_under_a_name_of_theirs_that_a_rule_does_not_use_is_told(tmp_path: Path) -> None:
    rules = '[[events]]\nwhen = {type = "round"}\ntype = "round"\nkeys = {first = "first"}\n'
    rules += '[[events]]\nwhen = {type = "place"}\ntype = "place"\nkeys = {point = "square"}\n'
    rows = [{**row, "square": "a1"} for row in ROWS]
    text = table((*COLUMNS, "square"), [{**row, "point": ""} for row in rows])
    assert run("table", tmp_path, text, HEAD + rules).losses == {("key", "square"): 1}


def test_a_row_that_no_rule_fits(tmp_path: Path) -> None:
    text = moves_table(played("tarneeb-classic", 1)).replace(b",TRICK,", b",TAKEN,")
    found = run("table", tmp_path, text, MAPPINGS / "moves.toml")
    assert [*found.losses] == [("rule", '"TAKEN"')]
    assert all(event["type"] != "trick" for event in found.documents[0]["events"])


def test_a_value_without_a_meaning(tmp_path: Path) -> None:
    text = moves_table(played("tarneeb-classic", 1)).replace("10♥,".encode(), "11♥,".encode())
    found = run("table", tmp_path, text, MAPPINGS / "moves.toml")
    assert found.lines == []
    assert ("value", 'card: "11♥"') in found.losses
    assert {group.kind for group in found.tally.groups} == {"value", "invalid"}


def test_a_player_that_nobody_knows(tmp_path: Path) -> None:
    [document] = played("tarneeb-classic", 1)
    who = document["players"][2]["id"]
    header, *rows = moves_table([document]).decode().splitlines(keepends=True)
    at = next(number for number, row in enumerate(rows) if f",PLAY,{who}," in row)
    rows[at] = rows[at].replace(f",PLAY,{who},", ",PLAY,nobody,")
    found = run("table", tmp_path, (header + "".join(rows)).encode(), MAPPINGS / "moves.toml")
    assert found.losses == {("value", 'seat: "nobody"'): 1, ("invalid", "log.type"): 1}
    assert found.place("value") == found.place("invalid") == ("source.csv", at + 2)


def test_rows_that_contradict_each_other_about_their_match(tmp_path: Path) -> None:
    header, *rows = moves_table(played("tarneeb-classic", 1)).decode().splitlines(keepends=True)
    rows[5] = rows[5].replace("2026-01-01T18:00:00Z", "2026-01-01T19:00:00Z")
    text = (header + "".join(rows)).encode()
    found = run("table", tmp_path, text, MAPPINGS / "moves.toml")
    assert (found.lines, found.losses) == ([], {("head", "started"): 1})
    assert len(run("table", tmp_path, text, MAPPINGS / "moves.toml", conflicts="first").lines) == 1


@pytest.mark.parametrize(
    ("text", "mapping", "expected"),
    [
        (b"match,seq,type,type\n", "", 'expected each column once, found "type" twice'),
        (b"game,seq,type\n", "", 'expected a column "match", found "game", "seq", "type"'),
        (b"match,seq,t\xff\n", "", "expected names of columns in utf-8, found other bytes"),
        (b"match,no,type\n", "", 'expected a column "seq"'),
        (b"match,seq\n", '[[events]]\nwhen = {act = "x"}\ntype = "note"\n', 'expected a column "act"'),
        (b"match,seq\n", '[[events]]\ntype = "play"\nkeys = {card = "c"}\n', 'expected a column "c"'),
        (b"match,seq\n", '[head]\nkeys = {players = ["a", "b"]}\n', 'expected a column "a"'),
    ],
)
def test_columns_that_are_not_there(text: bytes, mapping: str, expected: str, tmp_path: Path) -> None:
    with pytest.raises(CannotAudit) as told:
        run("table", tmp_path, text, mapping)
    assert "source.csv:1: " in str(told.value)
    assert expected in str(told.value)


@pytest.mark.parametrize("name", ["moves.csv", "moves.CSV.gz", "moves.tsv", "moves.txt"])
def test_a_table_whose_name_says_so_is_no_json_whatever_it_begins_with(name: str, tmp_path: Path) -> None:
    text = lines("m,4.0,place,0,a2,,,").replace(b"match", b"[m]", 1)
    files = {name: gzip.compress(text) if name.endswith(".gz") else text}
    found = run("table", tmp_path, files, f'match = "[m]"\n{HEAD}')
    assert found.documents[0]["events"] == EVENTS
    assert found.place("no-number") == (name, 5)


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    tally = Tally()
    assert list(carried(importers()["table"], Source([str(tmp_path / "none.csv")]), tally)) == []
    [group] = tally.groups
    assert (group.kind, group.first[0].place) == ("file", (str(tmp_path / "none.csv"), 1))


def test_an_empty_table(tmp_path: Path) -> None:
    assert run("table", tmp_path, b"", HEAD).losses == {}
    assert run("table", tmp_path, table(COLUMNS, []), HEAD).losses == {}


def test_an_empty_cell_among_players_moves_nobody(tmp_path: Path) -> None:
    mapping = '[head]\nkeys = {players = ["p", "q", "r"]}\ngiven = {ruleset = "rami-tounsi"}\n'
    note = {"match": "m", "seq": 1, "type": "discard", "seat": 0, "card": "2C"}
    columns = (*note, "p", "q", "r")
    whole = run("table", tmp_path, table(columns, [note | {"p": "amal", "q": "dina"}]), mapping)
    assert whole.documents[0]["players"] == [{"id": "amal"}, {"id": "dina"}]
    found = run("table", tmp_path, table(columns, [note | {"p": "amal", "r": "dina"}]), mapping, keeps=True)
    assert found.documents[0]["players"] == [{"id": "amal"}, None, {"id": "dina"}]
    assert ("invalid", "log.type") in found.losses


@pytest.mark.parametrize("delimiter", ["", '"', "\n", ",,"])
def test_a_sign_that_cannot_stand_between_cells(delimiter: str, tmp_path: Path) -> None:
    with pytest.raises(CannotAudit, match="delimiter"):
        run("table", tmp_path, lines(), f"delimiter = {json.dumps(delimiter)}\n")


def test_a_deal_in_rows_of_a_card_each(tmp_path: Path) -> None:
    rules = (
        'seats = "players"\n[head]\nkeys = {players = ["p", "q"]}\ngiven = {ruleset = "rami-tounsi"}\n'
        '[[events]]\nwhen = {type = "card"}\ntype = "deal"\nkeys = {seat = "who", hand = "what", dealer = "by whom"}\n'
    )
    hands = (("amal", "10H"), ("dina", "A♠"), ("amal", "JK"), ("dina", "2C"))
    rows = [
        {
            "match": "m",
            "seq": number,
            "type": "card",
            "who": who,
            "what": what,
            "by whom": "dina",
            "p": "amal",
            "q": "dina",
        }
        for number, (who, what) in enumerate(hands, 1)
    ]
    found = run("table", tmp_path, table(tuple(rows[0]), rows), rules)
    assert found.losses == {}
    assert found.documents[0]["events"] == [{"type": "deal", "dealer": 1, "hands": [["TH", "JK"], ["AS", "2C"]]}]
    rows[3]["by whom"] = "amal"
    found = run("table", tmp_path, table(tuple(rows[0]), rows), rules)
    assert found.losses == {("deal", "dealer"): 1}
    assert found.place("deal") == ("source.csv", 5)
