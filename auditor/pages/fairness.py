"""The page of an examination of deals: plain sentences, plots, and a table a ruleset, in both languages.

In: text by language, and numbers to draw. Out: HTML that stands alone. Refuses to know what is examined and how: it
places points and bars.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditor.pages.evidence import rendered
from auditor.rulebook import Language

#: The height of a plot; what is expected lies in the middle. A part of it at the edges stays free.
_HEIGHT, _MARGIN = 100.0, 6.0
#: A plot of more points than this says by pointing at them only what those are that stand out.
_MOST_NAMED = 60


@dataclass(frozen=True, slots=True)
class Point:
    """One subject of a question: how far what was observed, and the ends of its interval, are from what is expected."""

    label: str
    low: float
    value: float
    high: float
    is_out: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One row of the table, and its plot. ``reach`` writes the largest difference that the plot must show."""

    name: str
    cells: Sequence[str]
    standing: str
    points: Sequence[Point]
    reach: str


@dataclass(frozen=True, slots=True)
class Game:
    """One ruleset: its answer, what is unusual in it, what else there is to say, and its questions."""

    ruleset: str
    title: str
    status: str
    headline: str
    alarms: Sequence[str]
    remarks: Sequence[str]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the page says in one language. ``columns`` are the heads of the tables, what the row is about last."""

    title: str
    notes: Sequence[str]
    columns: Sequence[str]
    plot_note: str
    details: str
    games: Sequence[Game]


@dataclass(frozen=True, slots=True)
class Bar:
    """Where a point and its interval lie in a plot: across, and down from the top."""

    label: str
    x: float
    top: float
    at: float
    bottom: float
    is_out: bool


def fairness_page(sheets: Mapping[Language, Sheet], language: Language = "en") -> str:
    """The page; ``language`` is the one that it opens in, and the other is on it as well."""
    return rendered("fairness.html", language, sheets=sheets, bars=bars)


def bars(points: Sequence[Point]) -> list[Bar]:
    """The points of a plot side by side, in a square of 100; more is up."""
    reach = max((abs(end) for point in points for end in (point.low, point.high, point.value)), default=0.0) or 1.0

    def down(difference: float) -> float:
        return round(_HEIGHT / 2 - difference / reach * (_HEIGHT / 2 - _MARGIN), 2)

    return [
        Bar(
            point.label if point.is_out or len(points) <= _MOST_NAMED else "",
            round((at + 0.5) * 100 / len(points), 2),
            down(point.high),
            down(point.value),
            down(point.low),
            point.is_out,
        )
        for at, point in enumerate(points)
    ]
