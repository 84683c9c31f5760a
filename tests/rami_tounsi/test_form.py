"""The form of logs: seats and lists of numbers fit the number of players, for the typed form and for the schema."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from auditor import schema
from auditor.games import FORMS
from tests.documents import Document, Event, result, score

from .builders import acts, match

RULES = schema.rules({"rami-tounsi": schema.shipped()["rami-tounsi"]})


def is_accepted(document: Document) -> bool:
    faults = list(schema.faults(document, RULES))
    try:
        msgspec.json.decode(msgspec.json.encode(document), type=FORMS["rami-tounsi"])
    except msgspec.ValidationError:
        assert faults, document
        return False
    assert not faults, (document, faults)
    return True


@pytest.mark.parametrize("players", range(6))
def test_two_to_four_players(players: int) -> None:
    assert is_accepted(match([], players)) == (2 <= players <= 4)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seat", [-1, 0, 1, 2, 3, 4])
@pytest.mark.parametrize(
    "line", ["0 draw 7C", "0 throw 7C", "0 meld 7C", "0 add 0 7C", "0 swap 0 7C", "0 return", "-0 draw ??"]
)
def test_seats_below_the_number_of_players(line: str, seat: int, players: int) -> None:
    [event] = acts(line)
    assert is_accepted(match([event | {"seat": seat}], players)) == (0 <= seat < players)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seat", [-1, 0, 1, 2, 3, 4])
def test_dealers_and_winners_below_the_number_of_players(seat: int, players: int) -> None:
    dealt: Event = {"type": "deal", "dealer": seat, "hands": []}
    assert is_accepted(match([dealt], players)) == (0 <= seat < players)
    assert is_accepted(match([result(seat, [0] * players)], players)) == (0 <= seat < players)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("count", range(6))
def test_one_number_a_player(count: int, players: int) -> None:
    numbers, right = [1] * count, [1] * players
    for event in (score(numbers, right), score(right, numbers), result(None, numbers)):
        assert is_accepted(match([event], players)) == (count == players)


def test_a_note_may_carry_anything() -> None:
    assert is_accepted(match([{"type": "note", "seat": 9, "dealer": -1, "winner": "x", "deal": [], "total": [1]}]))


@pytest.mark.parametrize(
    ("card", "is_known"),
    [("7H", True), ("JK", True), ("JK:7H", True), ("JK:JK", False), ("JK:", False), ("7X", False), ("??", False)],
)
def test_cards_of_melds(card: str, is_known: bool) -> None:
    assert is_accepted(match([{"type": "meld", "seat": 0, "cards": [card]}])) == is_known
    assert is_accepted(match([{"type": "add", "seat": 0, "meld": 0, "cards": [card]}])) == is_known


@pytest.mark.parametrize(
    ("options", "is_known"),
    [
        ({}, True),
        ({"variant": "simple", "target": 1, "opening": 71, "jokers": 0, "hand_size": 13}, True),
        ({"ace_penalty": 11, "joker_penalty": -7}, True),
        ({"target": 0}, False),
        ({"opening": 52}, False),
        ({"jokers": 5}, False),
        ({"hand_size": 15}, False),
        ({"ace_penalty": 2}, False),
        ({"variant": "sahel"}, False),
        ({"joker_penalty": "10"}, False),
        ({"jokers": True}, False),
        ({"deck": 2}, False),
    ],
)
def test_options(options: dict[str, Any], is_known: bool) -> None:
    assert is_accepted(match([], options=options)) == is_known


@pytest.mark.parametrize("event", [{"type": "pass", "seat": 0}, {"type": "trick", "winner": 0}, {"type": "play"}])
def test_events_of_other_games_are_unknown(event: Event) -> None:
    assert not is_accepted(match([event]))
