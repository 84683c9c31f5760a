"""However a source is damaged, an import ends with matches and losses, or with one line that says why it cannot."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from auditor.errors import CannotAudit
from auditor.games import FORMS
from auditor.importers.form import faults
from auditor.importers.mapping import TableMapping
from auditor.log import Log, read_bytes

from .platforms import MAPPINGS, club_lines, emitted, mixed, moves_table, played, text_of
from .running import run

CLUB = text_of(list(club_lines(played("tarneeb-classic", 1)[0]))[:90])
EVENTS = text_of(mixed(emitted(played("rami-tounsi", 1)[0])[:70], 1, 5))
MOVES = b"".join(moves_table(played("belote-contree", 1)).splitlines(keepends=True)[:60])
SOURCES: dict[str, tuple[bytes, str | Path]] = {
    "events": (EVENTS, ""),
    "club": (CLUB, MAPPINGS / "club.toml"),
    "table": (MOVES, MAPPINGS / "moves.toml"),
}
PIECES = (
    b"", b"\n", b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\x00", b"\xff", b"\xed\xa0\x80", b"null", b"true",
    b"1e999", b"-1", b"99999999999999999999", b"1.5", b'""', b"{}", b"[]", b'{"a":{"b":1}}', b"\r", b"\t", b";",
    b'"match"', b'"seq"', b'"type"', b'"note"', "♥".encode(), b"\xef\xbb\xbf", b'["x",1]',
)  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(data) + 1)
        end = at + rng.choice((0, 1, 1, 3, 30, 400))
        data = data[:at] + rng.choice((*PIECES, data[at : at + 50], data[:at][-80:])) + data[end:]
    return data


@pytest.mark.parametrize("name", SOURCES)
def test_damaged_sources(name: str, tmp_path: Path) -> None:
    content, mapping = SOURCES[name]
    rng = random.Random(4)
    kinds: set[str] = set()
    for number in range(150):
        try:
            found = run(
                "table" if name == "table" else "events",
                tmp_path,
                damaged(content, rng),
                mapping,
                conflicts=("leave-out", "first")[number % 2],
            )
        except CannotAudit:
            continue
        kinds |= {group.kind for group in found.tally.groups}
        assert msgspec.json.encode(found.tally.document("it", []))
        for line in found.lines:
            assert isinstance(read_bytes(line, FORMS), Log)
    assert len(kinds) > 5


def odd(rng: random.Random, depth: int = 0) -> Any:
    simple = (None, True, 0, 1, -1, 2**70, 1.5, "", "note", "place", "a1", "player-1", "♥10", "JK:", ":", "10H 2C")
    if depth > 3 or rng.random() < 0.5:
        return rng.choice(simple)
    keys = (
        "type",
        "seat",
        "card",
        "hands",
        "hand",
        "winner",
        "players",
        "id",
        "kind",
        "player",
        "value",
        "squares",
        "to",
    )
    if rng.random() < 0.5:
        return [odd(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(keys): odd(rng, depth + 1) for _ in range(rng.randrange(6))}


@pytest.mark.parametrize("mapping", ["", MAPPINGS / "club.toml", 'event = ""\nseats = "players"\nnumbering = "none"'])
def test_sound_lines_that_say_odd_things(mapping: str | Path, tmp_path: Path) -> None:
    rng = random.Random(6)
    lines = []
    for _ in range(3000):
        body = odd(rng)
        keys = ("match", "seq", "event", "head", "payload", "opened", "sequence")
        line = {key: odd(rng) for key in keys if rng.random() < 0.3}
        line |= {"match": f"m{rng.randrange(200)}", "table": {"game": f"m{rng.randrange(200)}"}}
        line |= {"seq": rng.randrange(5), "sequence": rng.randrange(5)} if rng.random() < 0.9 else {}
        line |= {"event": {"type": "note", "x": body}, "payload": body} if rng.random() < 0.5 else {"event": body}
        lines.append(line)
    for conflicts in ("leave-out", "first"):
        found = run("events", tmp_path, text_of(lines), mapping, keeps=True, conflicts=conflicts)
        assert found.tally.groups


def test_damaged_mappings(tmp_path: Path) -> None:
    text = (MAPPINGS / "moves.toml").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    rng = random.Random(8)
    outcomes = set()
    for _ in range(150):
        changed = list(lines)
        for _ in range(rng.choice((1, 1, 3))):
            at = rng.randrange(len(changed))
            other = ("", "x = 1\n", "[values]\n", "seats = 1.0\n", 'delimiter = ""\n', rng.choice(lines))
            changed[at] = rng.choice((*other, changed[at].replace('"', "", 2)))
        try:
            content = tomllib.loads("".join(changed))
        except tomllib.TOMLDecodeError:
            continue
        try:
            msgspec.convert(content, TableMapping)
            has_form = True
        except msgspec.ValidationError:
            has_form = False
        assert has_form is (next(faults(content, msgspec.inspect.type_info(TableMapping)), None) is None)
        try:
            run("table", tmp_path, MOVES, "".join(changed))
            outcomes.add("carried")
        except CannotAudit:
            outcomes.add("told")
    assert outcomes == {"carried", "told"}
