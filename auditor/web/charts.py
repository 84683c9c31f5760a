"""Charts: where the parts of a bar and the columns of a timeline lie.

In: counts. Out: geometry, in hundredths of the space that a chart is given, for a template to draw. Refuses to know
colours, words and pages.

Nothing here knows a direction of writing: a bar begins at 0 and a timeline with its first day, and the page turns both
round where its language does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from typing import Generic, Literal, TypeAlias, TypeVar

Key = TypeVar("Key")
Counts: TypeAlias = Mapping[str, int]

#: As many days or months fit beside each other.
MOST_COLUMNS = 62
_MONTHS_A_YEAR = 12
#: How much of its place a column fills.
_FILLED = 0.8


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a bar or column: it covers ``length`` of 100, from ``start`` on."""

    key: str
    count: int
    start: float
    length: float


@dataclass(frozen=True, slots=True)
class Bar(Generic[Key]):
    """What one thing was counted as; its parts lie one after another and cover up to 100."""

    key: Key
    count: int
    counts: Counts
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One day (``2026-03-02``) or month (``2026-03``). Its parts are counted from the top; ``left`` and ``width`` are
    of the 100 of the whole chart."""

    period: str
    count: int
    counts: Counts
    parts: tuple[Part, ...]
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """Columns without a gap. ``top`` is the count that 100 stands for.

    ``undated`` counts what has no day; ``earlier`` and ``later`` count what lies beyond the first and the last column,
    where not all of it fits.
    """

    unit: Literal["day", "month"]
    columns: tuple[Column, ...]
    top: int
    undated: int
    earlier: int
    later: int


def bars(counted: Mapping[Key, Counts], order: Sequence[str]) -> list[Bar[Key]]:
    """A bar for each key, the longest first and equal ones as they come; the longest covers 100."""
    sums = {key: sum(counts.values()) for key, counts in counted.items()}
    longest = max(sums.values(), default=0)
    found = [Bar(key, sums[key], counts, _parts(counts, order, longest)) for key, counts in counted.items()]
    return sorted(found, key=lambda bar: -bar.count)


def timeline(days: Mapping[str, Counts], order: Sequence[str], most: int = MOST_COLUMNS) -> Timeline:
    """Columns of days or, where more than ``most`` lie between the first and the last, of months.

    ``days`` are counts by the text of a day; the empty text stands for what has none. Of months too many, those
    ``most`` in a row are shown that hold the most: one clock that was wrong by years does not bend all the others.
    """
    dated = {day: counts for day, counts in days.items() if day}
    undated = sum(days.get("", {}).values())
    if not dated:
        return Timeline("day", (), 1, undated, 0, 0)
    first, last = date.fromisoformat(min(dated)), date.fromisoformat(max(dated))
    if (last - first).days < most:
        periods = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
        return _laid_out("day", periods, dated, order, undated)
    months: dict[str, Counter[str]] = {}
    for day, counts in dated.items():
        months.setdefault(day[:7], Counter()).update(counts)
    return _laid_out("month", list(_fullest(months, most)), months, order, undated)


def nice_top(count: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50 … that is not below ``count``: where a scale ends."""
    step = 1
    while True:
        for top in (step, 2 * step, 5 * step):
            if top >= count:
                return top
        step *= 10


def _laid_out(
    unit: Literal["day", "month"],
    periods: Sequence[str],
    found: Mapping[str, Counts],
    order: Sequence[str],
    undated: int,
) -> Timeline:
    sums = {period: sum(counts.values()) for period, counts in found.items()}
    top = nice_top(max(sums.get(period, 0) for period in periods))
    width = 100 / len(periods)
    columns = []
    for index, period in enumerate(periods):
        # A column stands on the ground: what comes first in the order lies lowest.
        counts = found.get(period, {})
        parts = [
            Part(part.key, part.count, round(100 - part.start - part.length, 3), part.length)
            for part in _parts(counts, order, top)
        ]
        left = (index + (1 - _FILLED) / 2) * width
        size = round(left, 3), round(_FILLED * width, 3)
        columns.append(Column(period, sums.get(period, 0), counts, tuple(parts), *size))
    earlier = sum(count for period, count in sums.items() if period < periods[0])
    later = sum(count for period, count in sums.items() if period > periods[-1])
    return Timeline(unit, tuple(columns), top, undated, earlier, later)


def _parts(counts: Counts, order: Sequence[str], whole: int) -> tuple[Part, ...]:
    """The parts of what was counted, one after another in ``order``; ``whole`` covers 100."""
    found = [(key, counts[key]) for key in order if counts.get(key)]
    ends = accumulate((count for _, count in found), initial=0)
    return tuple(
        Part(key, count, _share(start, whole), _share(count, whole))
        for (key, count), start in zip(found, ends, strict=False)
    )


def _fullest(months: Mapping[str, Counts], most: int) -> Iterator[str]:
    """All months from the first to the last, or the ``most`` in a row with the greatest sum, the later ones of two."""
    numbers = {_number(month): sum(counts.values()) for month, counts in months.items()}
    last = max(numbers)
    if last - min(numbers) >= most:
        last = max(numbers, key=lambda end: (_sum_of(numbers, end - most + 1, end), end))
    for number in range(max(min(numbers), last - most + 1), last + 1):
        year, month = divmod(number, _MONTHS_A_YEAR)
        yield f"{year:04}-{month + 1:02}"


def _sum_of(numbers: Mapping[int, int], first: int, last: int) -> int:
    return sum(numbers.get(number, 0) for number in range(first, last + 1))


def _number(month: str) -> int:
    return int(month[:4]) * _MONTHS_A_YEAR + int(month[5:7]) - 1


def _share(count: int, whole: int) -> float:
    return round(100 * count / whole, 3)
