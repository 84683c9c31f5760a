"""The table before an event: one replay for many events shows the same as a replay for each."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from auditor import generate, position
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes

from . import golden


def _matches() -> Iterator[Log]:
    for file in golden.logs():
        entry = read_bytes(file.read_bytes(), FORMS)
        if isinstance(entry, Log):
            yield entry


def test_many_tables_of_one_replay_are_those_of_a_replay_for_each() -> None:
    chance = random.Random(29)
    seen = 0
    for entry in _matches():
        game, match = GAMES[entry.match.ruleset], entry.match
        indexes = sorted(chance.choices(range(len(match.events) + 1), k=6))
        for index, table in zip(indexes, position.at(game, match, indexes), strict=True):
            assert table == position.before(game, match, index), (match.match, index)
            seen += 1
    assert seen > 1000


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_table_that_was_handed_out_does_not_change_as_the_replay_goes_on(ruleset: str) -> None:
    game = GAMES[ruleset]
    match = msgspec.convert(next(generate.matches(game, 1, 5)), game.form)
    at_once = [msgspec.json.encode(table) for table in position.at(game, match, range(len(match.events) + 1))]
    kept = [msgspec.json.encode(table) for table in list(position.at(game, match, range(len(match.events) + 1)))]
    assert at_once == kept


@pytest.mark.parametrize("index", [-1, 10_000_000])
def test_there_is_no_table_outside_the_log(index: int) -> None:
    entry = next(_matches())
    with pytest.raises(IndexError):
        position.before(GAMES[entry.match.ruleset], entry.match, index)


def test_what_is_put_aside_leads_to_no_trick() -> None:
    game = GAMES["tarneeb-classic"]
    document = next(generate.matches(game, 1, 3))
    leads = position.leads(game, msgspec.convert(document, game.form))
    card = next(event["card"] for event in document["events"] if event["type"] == "play")
    early = {"type": "play", "seat": 0, "card": card}
    broken = {**document, "events": [document["events"][0], early, *document["events"][1:]]}
    assert position.leads(game, msgspec.convert(broken, game.form)) == [lead + 1 for lead in leads]
    assert len(leads) % 13 == 0


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_table_without_a_card_led_begins_each_trick(ruleset: str) -> None:
    game = GAMES[ruleset]
    match = msgspec.convert(next(generate.matches(game, 1, 8)), game.form)
    for lead in position.leads(game, match):
        assert len(position.before(game, match, lead + 1).trick) == 1
