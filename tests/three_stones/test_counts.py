"""How many ways there are, asked of the stages themselves; and that legal lists, judges and fast paths agree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from auditor import events
from auditor.games import three_stones
from auditor.games.three_stones import BIT, GAME, LINES, POINTS, REACH, Movement, Placement, Turns, winner
from auditor.table import Table

from . import oracle

EVERY_PLACE: list[Any] = [events.Place(seat=seat, point=point) for seat in (0, 1) for point in (*POINTS, "d1", "")]
EVERY_MOVE: list[Any] = [
    events.Move(seat=seat, origin=origin, to=to)
    for seat in (0, 1)
    for origin in (*POINTS, "a0")
    for to in (*POINTS, "x")
]


def table_with(first: int, second: int) -> Table:
    table = GAME.table(2, {})
    table.begin_round(POINTS)
    table.stones = [first, second]
    return table


def stage_for(table: Table, turn: int, placed: int, movement: str) -> Turns:
    return Placement(table, turn) if placed < 6 else Movement(table, turn, REACH[movement])


@cache
def count(movement: str, first: int, second: int, turn: int, placed: int, acts: int) -> int:
    """Sequences of exactly so many acts from a position; a line ends a sequence."""
    table = table_with(first, second)
    if acts == 0:
        return 1
    if winner(table) is not None:
        return 0
    total = 0
    for act in stage_for(table, turn, placed, movement).moves():
        after = table_with(first, second)
        stage_for(after, turn, placed, movement).apply(act)
        total += count(movement, after.stones[0], after.stones[1], 1 - turn, min(6, placed + 1), acts - 1)
    return total


@pytest.mark.parametrize(
    ("movement", "counts"),
    [
        ("slide", [9, 72, 504, 3024, 15120, 54720, 199296, 705312]),
        ("jump", [9, 72, 504, 3024, 15120, 54720, 444528, 3569184]),
    ],
)
def test_sequences_from_an_empty_board(movement: str, counts: list[int]) -> None:
    for turn in (0, 1):
        assert [count(movement, 0, 0, turn, 0, acts) for acts in range(1, 9)] == counts


def every_board(stones: int) -> Iterator[tuple[int, int]]:
    """All ways in which so many stones of each seat can lie."""
    for first in combinations(POINTS, stones):
        for second in combinations([point for point in POINTS if point not in first], stones):
            yield sum(BIT[point] for point in first), sum(BIT[point] for point in second)


def every_stage() -> Iterator[Turns]:
    for first, second in every_board(3):
        for movement in REACH:
            yield Movement(table_with(first, second), 0, REACH[movement])
    for stones in (0, 1, 2):
        for first, second in every_board(stones):
            yield Placement(table_with(first, second), 0)


def test_legal_lists_judges_and_fast_paths_agree_in_every_position() -> None:
    stages = 0
    for stage in every_stage():
        stages += 1
        listed = stage.moves()
        assert [stage.turn] * len(listed) == [act.seat for act in listed]
        judged = [act for act in (*EVERY_PLACE, *EVERY_MOVE) if act.seat == 0 and stage.judge(act) is None]
        assert judged == listed
        names = [act.point if isinstance(act, events.Place) else f"{act.origin}-{act.to}" for act in listed]
        assert stage.legal() == names
        assert [act for act in (*EVERY_PLACE, *EVERY_MOVE) if act.seat == 1 and stage.judge(act) is None] == []
    assert stages == 2 * 1680 + 1 + 72 + 756


def test_a_fast_path_takes_what_is_legal_and_nothing_else() -> None:
    for first, second in list(every_board(3))[::20]:
        listed = Movement(table_with(first, second), 0, REACH["slide"]).moves()
        for act in EVERY_MOVE:
            stage = Movement(table_with(first, second), 0, REACH["slide"])
            assert stage.take([act], 0) == stage.count == (act in listed)


def test_neighbours_are_those_of_the_drawn_lines() -> None:
    for one in POINTS:
        near = [other for other in POINTS if BIT[other] & REACH["slide"][BIT[one]]]
        assert near == [other for other in POINTS if oracle.is_beside(one, other)]
        assert len(near) == (8 if one == "b2" else 3)
        assert REACH["jump"][BIT[one]] == three_stones.ALL_POINTS


def test_there_are_eight_lines() -> None:
    assert {frozenset(line) for line in oracle.LINES} == {frozenset(line.split()) for line in three_stones.DRAWN_LINES}
    assert len(LINES) == 8


def test_no_seat_is_blocked_but_by_a_line() -> None:
    """The rule that a blocked seat loses needs no code: where all ways are barred, the other has three in a row."""
    blocked = [
        (first, second)
        for first, second in every_board(3)
        if not Movement(table_with(first, second), 0, REACH["slide"]).moves()
    ]
    assert len(blocked) > 0
    assert all(second in LINES for _, second in blocked)
