"""Charts without a page: where bars and columns lie, and that nothing is lost between the counts and them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta

import pytest

from auditor.web.charts import MOST_COLUMNS, Part, Timeline, bars, nice_top, timeline

ORDER = ("illegal", "clean")


def _days(first: str, counts: Mapping[int, int]) -> dict[str, dict[str, int]]:
    """So many clean matches so many days after the first day."""
    start = date.fromisoformat(first)
    return {(start + timedelta(days=after)).isoformat(): {"clean": count} for after, count in counts.items()}


def _all_of(found: Timeline) -> int:
    return sum(column.count for column in found.columns) + found.undated + found.earlier + found.later


# --- Bars -----------------------------------------------------------------------------------------------------------


def test_the_longest_bar_comes_first_and_covers_all() -> None:
    found = bars({"a": {"clean": 10}, "b": {"clean": 30, "illegal": 10}, "c": {"illegal": 20}}, ORDER)
    assert [(bar.key, bar.count) for bar in found] == [("b", 40), ("c", 20), ("a", 10)]
    assert [sum(part.length for part in bar.parts) for bar in found] == [100, 50, 25]


def test_the_parts_of_a_bar_lie_one_after_another_in_the_order_given() -> None:
    [bar] = bars({"a": {"clean": 30, "illegal": 10}}, ORDER)
    assert bar.parts == (Part("illegal", 10, 0, 25), Part("clean", 30, 25, 75))


def test_equal_bars_keep_their_order() -> None:
    found = bars({"b": {"clean": 1}, "a": {"clean": 1}, "c": {"clean": 1}}, ORDER)
    assert [bar.key for bar in found] == ["b", "a", "c"]


def test_what_was_not_counted_has_no_part() -> None:
    [first, second] = bars({"a": {"clean": 3, "illegal": 0}, "b": {}}, ORDER)
    assert [part.key for part in first.parts] == ["clean"]
    assert (second.count, second.parts) == (0, ())


def test_nothing_gives_no_bars() -> None:
    assert bars({}, ORDER) == []


# --- Scales ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "top"), [(0, 1), (1, 1), (2, 2), (3, 5), (5, 5), (6, 10), (11, 20), (21, 50), (51, 100), (4_501, 5_000)]
)
def test_a_scale_ends_at_a_round_number(count: int, top: int) -> None:
    assert nice_top(count) == top


# --- Days and months ------------------------------------------------------------------------------------------------


def test_days_without_matches_keep_their_place() -> None:
    found = timeline(_days("2026-02-27", {0: 1, 3: 2}), ORDER)
    assert found.unit == "day"
    assert [(column.period, column.count) for column in found.columns] == [
        ("2026-02-27", 1),
        ("2026-02-28", 0),
        ("2026-03-01", 0),
        ("2026-03-02", 2),
    ]


def test_columns_stand_on_the_ground_and_beside_each_other() -> None:
    found = timeline({"2026-03-01": {"clean": 30, "illegal": 10}, "2026-03-02": {"clean": 5}}, ORDER)
    first, second = found.columns
    assert found.top == 50
    assert first.parts == (Part("illegal", 10, 80, 20), Part("clean", 30, 20, 60))
    assert second.parts == (Part("clean", 5, 90, 10),)
    assert (first.left, first.width) == (5, 40)
    assert (second.left, second.width) == (55, 40)


@pytest.mark.parametrize(("span", "unit"), [(MOST_COLUMNS, "day"), (MOST_COLUMNS + 1, "month")])
def test_more_days_than_fit_are_shown_by_month(span: int, unit: str) -> None:
    found = timeline(_days("2026-01-01", {0: 1, span - 1: 1}), ORDER)
    assert found.unit == unit
    assert len(found.columns) == (span if unit == "day" else 3)


def test_months_run_through_the_turn_of_a_year() -> None:
    found = timeline(_days("2025-11-30", {0: 1, 90: 4}), ORDER)
    assert [(column.period, column.count) for column in found.columns] == [
        ("2025-11", 1),
        ("2025-12", 0),
        ("2026-01", 0),
        ("2026-02", 4),
    ]


def test_one_clock_that_was_wrong_by_years_does_not_bend_the_chart() -> None:
    days = {**_days("2026-01-01", {0: 50, 40: 50, 80: 50}), "1970-01-01": {"clean": 1}, "2106-02-07": {"clean": 2}}
    found = timeline(days, ORDER)
    assert found.unit == "month"
    assert len(found.columns) == MOST_COLUMNS
    assert {"2026-01", "2026-02", "2026-03"} <= {column.period for column in found.columns if column.count}
    assert (found.earlier, found.later) == (1, 2)


def test_what_has_no_day_is_counted_beside_the_chart() -> None:
    found = timeline({"": {"clean": 3, "illegal": 1}, "2026-01-01": {"clean": 1}}, ORDER)
    assert found.undated == 4
    assert [column.count for column in found.columns] == [1]


def test_without_a_day_there_are_no_columns() -> None:
    assert timeline({"": {"clean": 3}}, ORDER).columns == ()
    assert timeline({}, ORDER).columns == ()


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_are_days_too(day: str) -> None:
    [column] = timeline({day: {"clean": 1}}, ORDER).columns
    assert column.period == day


@pytest.mark.parametrize("seed", range(40))
def test_no_match_is_lost_and_no_column_leaves_the_chart(seed: int) -> None:
    chance = random.Random(seed)
    span = chance.choice([1, 10, 61, 62, 63, 400, 4_000, 40_000])
    days: dict[str, dict[str, int]] = {"": {"clean": chance.randrange(3)}}
    for _ in range(chance.randrange(1, 30)):
        day = (date(1990, 1, 1) + timedelta(days=chance.randrange(span))).isoformat()
        days[day] = {status: chance.randrange(1, 100) for status in ORDER}
    found = timeline(days, ORDER)
    assert _all_of(found) == sum(sum(counts.values()) for counts in days.values())
    assert 1 <= len(found.columns) <= MOST_COLUMNS
    for column in found.columns:
        assert sum(part.count for part in column.parts) == sum(column.counts.values()) == column.count
        assert 0 <= column.left <= column.left + column.width <= 100
        assert all(0 <= part.start <= part.start + part.length <= 100.001 for part in column.parts)
