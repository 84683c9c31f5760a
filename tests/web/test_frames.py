"""What the viewer of a match is given says the same as the tables themselves."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from auditor import position
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.web import frames
from tests import golden


def _fixture(name: str) -> Log:
    entry = read_bytes((golden.FIXTURES / f"{name}.json").read_bytes(), FORMS)
    assert isinstance(entry, Log)
    return entry


def _one_of_each_ruleset() -> list[Log]:
    found: dict[str, Log] = {}
    for path in golden.logs():
        entry = read_bytes(path.read_bytes(), FORMS)
        if isinstance(entry, Log):
            found.setdefault(entry.match.ruleset, entry)
    return list(found.values())


@pytest.mark.parametrize("entry", _one_of_each_ruleset(), ids=lambda entry: entry.match.ruleset)
def test_tables_put_together_again_are_the_tables(entry: Log) -> None:
    game, match = GAMES[entry.match.ruleset], entry.match
    last = min(len(match.events) + 1, 120)
    table: dict[str, Any] = {}
    for number, changed in enumerate(frames.stretch(game, match, 0, last, "en").tables):
        table |= changed
        assert table == msgspec.to_builtins(position.before(game, match, number))


@pytest.mark.parametrize("entry", _one_of_each_ruleset(), ids=lambda entry: entry.match.ruleset)
def test_a_stretch_begins_with_a_whole_table_and_ends_with_the_log(entry: Log) -> None:
    game, match = GAMES[entry.match.ruleset], entry.match
    end = len(match.events) + 1
    part = frames.stretch(game, match, end - 3, end, "ar")
    assert part.tables[0] == msgspec.to_builtins(position.before(game, match, end - 3))
    assert [act is None for act in part.acts] == [False, False, True]
    assert msgspec.json.decode(msgspec.json.encode(part)).keys() == {"from", "to", "tables", "acts"}


@pytest.mark.parametrize(("first", "end"), [(-1, 3), (3, 3), (5, 2), (0, 10_000)])
def test_there_is_no_stretch_outside_the_log(first: int, end: int) -> None:
    entry = _fixture("tarneeb-classic/fault-revoke")
    with pytest.raises(IndexError):
        frames.stretch(GAMES["tarneeb-classic"], entry.match, first, end, "en")


def test_acts_are_told_in_the_language_that_is_asked_for() -> None:
    match = _fixture("tarneeb-classic/fault-revoke").match
    english, arabic = (
        frames.stretch(GAMES[match.ruleset], match, 22, 23, language).acts[0] for language in ("en", "ar")
    )
    assert english is not None
    assert arabic is not None
    assert (english.kind, english.seat, english.card, english.refused) == ("play", 2, "2S", False)
    assert english.text == "play: seat 2, card 2♠"
    assert arabic.text != english.text
    assert "لعب ورقة" in arabic.text


def test_what_became_of_an_event_that_breaks_a_rule() -> None:
    entry = _fixture("tarneeb-classic/fault-revoke")
    game, match = GAMES[entry.match.ruleset], entry.match
    faults = [22, 28, 29]
    assert frames.consequences(game, match, faults) == {22: "stands", 28: "ignored", 29: "broken"}
