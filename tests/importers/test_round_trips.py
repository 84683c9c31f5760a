"""Matches that are written as platforms write them come back as they were, byte for byte in canonical form."""

from __future__ import annotations

import copy
import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
import zstandard

from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes

from .platforms import MAPPINGS, club_lines, emitted, mixed, moves_table, played, table, text_of
from .running import run

TRICK_GAMES = ("tarneeb-classic", "tarneeb-masrawi", "tarneeb-masrawi-dakak", "twenty-nine", "belote-contree")
ROOT = Path(__file__).parent.parent.parent


def canonical(document: dict[str, Any]) -> bytes:
    entry = read_bytes(json.dumps(document).encode(), FORMS)
    assert isinstance(entry, Log), entry
    return entry.canonical


@pytest.mark.parametrize("ruleset", GAMES)
def test_emitted_lines_mixed_late_and_twice(ruleset: str, tmp_path: Path) -> None:
    documents = played(ruleset, 2, 5, proves_shuffle=ruleset != "three-stones")
    lines = [line for document in documents for line in emitted(document)]
    sent = [*(emitted(document)[0] for document in documents), *mixed(lines, 7)]
    found = run("events", tmp_path, text_of(sent))
    assert found.lines == [canonical(document) for document in documents]
    assert found.losses == {}
    assert found.tally.counts["duplicates"] >= 30
    assert found.tally.counts["late"] > 100


def test_matches_come_in_the_order_of_their_first_lines(tmp_path: Path) -> None:
    first, second = played("three-stones")
    sent = [emitted(second)[3], *emitted(first), *emitted(second)]
    assert run("events", tmp_path, text_of(sent)).lines == [canonical(second), canonical(first)]


def test_every_fixture_that_is_a_match_log(tmp_path: Path) -> None:
    """Illegal matches too: what is wrong at the table is not an importer's affair."""
    logs = []
    for path in sorted((ROOT / "fixtures").rglob("*.json")):
        entry = None if path.name.endswith(".verdict.json") else read_bytes(path.read_bytes(), FORMS)
        if isinstance(entry, Log):
            logs.append(json.loads(entry.canonical) | {"match": f"{entry.match.ruleset}/{path.stem}"})
    lines = [line for log in logs for line in emitted(log)]
    random.Random(1).shuffle(lines)
    found = run("events", tmp_path, text_of(lines))
    assert found.losses == {}
    assert sorted(found.lines) == sorted(map(canonical, logs))
    assert len(logs) > 100


def test_files_packed_and_split_anywhere(tmp_path: Path) -> None:
    documents = played("tarneeb-classic")
    sent = mixed([line for document in documents for line in emitted(document)], 3)
    files = {
        "a.ndjson.gz": gzip.compress(text_of(sent[:300])),
        "b.jsonl.zst": zstandard.compress(text_of(sent[300:500])),
        "c.log": b"\xef\xbb\xbf" + text_of(sent[500:700]),
        "d.json": json.dumps(sent[700:]).encode(),
    }
    found = run("events", tmp_path, files)
    assert sorted(found.lines) == sorted(map(canonical, documents))
    assert found.losses == {}


@pytest.mark.parametrize("ruleset", ["tarneeb-classic", "three-stones"])
def test_a_server_with_names_of_its_own(ruleset: str, tmp_path: Path) -> None:
    documents = played(ruleset)
    lines = [line for document in documents for line in club_lines(document)]
    random.Random(2).shuffle(lines)
    found = run("events", tmp_path, text_of(lines), MAPPINGS / "club.toml")
    for document in documents:
        document["producer"] = {"name": "club-server", "version": "3.2"}
    assert found.losses == {}
    assert sorted(found.lines) == sorted(map(canonical, documents))


@pytest.mark.parametrize("ruleset", TRICK_GAMES)
def test_a_table_of_moves(ruleset: str, tmp_path: Path) -> None:
    documents = played(ruleset, 6)
    found = run("table", tmp_path, moves_table(documents), MAPPINGS / "moves.toml")
    assert found.losses == {}
    for document in documents:
        document["producer"]["version"] = "1"
        for player in document["players"]:
            del player["name"]  # a table has a column for an id
        document.pop("options")
    assert found.lines == [canonical(document) for document in documents]


def test_rows_in_any_order_and_twice(tmp_path: Path) -> None:
    header, *rows = moves_table(played("tarneeb-classic", 1)).splitlines(keepends=True)
    whole = run("table", tmp_path, header + b"".join(rows), MAPPINGS / "moves.toml")
    random.Random(1).shuffle(rows)
    found = run("table", tmp_path, header + b"".join(rows + rows[:9]), MAPPINGS / "moves.toml")
    assert found.lines == whole.lines
    assert found.tally.counts["duplicates"] == 9


def test_three_stones_in_windows_arabic_with_semicolons(tmp_path: Path) -> None:
    documents = played("three-stones", 5)
    columns = (
        "مباراة",
        "أول",
        "ثان",
        "type",
        "seat",
        "point",
        "from",
        "to",
        "first",
        "winner",
        "deal",
        "total",
        "at",
        "by",
    )
    rows = []
    for document in documents:
        first, second = (player["id"] for player in document["players"])
        for event in document["events"]:
            lists = {key: "/".join(map(str, event[key])) for key in ("deal", "total") if key in event}
            rows.append({"مباراة": document["match"], "أول": first, "ثان": second, **event, **lists})
    text = table(columns, rows, ";").decode().encode("cp1256")
    found = run("table", tmp_path, text, MAPPINGS / "stones.toml")
    assert found.losses == {}
    for document in documents:
        for key in ("producer", "started", "ended", "options"):
            document.pop(key)
        for player in document["players"]:
            del player["name"]
    assert found.lines == [canonical(document) for document in documents]


@pytest.mark.parametrize("cards_a_row", [13, 1])
def test_a_deal_in_a_row_a_seat_or_a_card(cards_a_row: int, tmp_path: Path) -> None:
    [document] = played("tarneeb-classic", 1)
    lines: list[dict[str, Any]] = [emitted(document)[0]]
    for event in copy.deepcopy(document["events"]):
        if event["type"] != "deal":
            lines.append({"event": event})
            continue
        hands = event.pop("hands")
        for seat, hand in enumerate(hands):
            parts = [hand[at : at + cards_a_row] for at in range(0, 13, cards_a_row)]
            lines += [{"event": {**event, "seat": seat, "hand": part}} for part in parts]
    for number, line in enumerate(lines):
        line |= {"match": document["match"], "seq": number}
    found = run("events", tmp_path, text_of(lines))
    assert found.losses == {}
    assert found.lines == [canonical(document)]


def test_the_same_bytes_on_every_run(tmp_path: Path) -> None:
    sent = text_of(mixed([line for document in played("rami-tounsi") for line in emitted(document)], 9))
    first, second = (run("events", tmp_path, sent) for _ in range(2))
    assert first.lines == second.lines
    assert first.tally.document("events", []) == second.tally.document("events", [])
