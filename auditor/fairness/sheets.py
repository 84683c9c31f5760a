"""The sheets of the page: an account laid out as text and points to draw.

In: an account. Out: one sheet a language, and the page of both. Refuses to know HTML.
"""

from __future__ import annotations

from auditor.fairness import words
from auditor.fairness.account import Account, Answer, Part
from auditor.pages.fairness import Game, Point, Question, Sheet, fairness_page
from auditor.rulebook import LANGUAGES, Language


def page_of(account: Account, language: Language) -> str:
    """The account as one page in both languages, which opens in this one."""
    return fairness_page({each: sheet(account, each) for each in LANGUAGES}, language)


def sheet(account: Account, language: Language) -> Sheet:
    """What the page says in a language."""
    return Sheet(
        title=words.phrase("title", language),
        notes=words.notes(account, language),
        columns=words.columns(language),
        plot_note=words.phrase("plot", language),
        details=words.phrase("details", language),
        games=[_game(part, language) for part in account.parts],
    )


def _game(part: Part, language: Language) -> Game:
    return Game(
        ruleset=part.ruleset,
        title=words.title(part, language),
        status=part.status,
        headline=words.headline(part, language),
        alarms=words.alarms(part, language),
        remarks=words.remarks(part, language),
        questions=[_question(row, language) for row in words.rows(part, language)],
    )


def _question(row: words.Row, language: Language) -> Question:
    answer = row.answer
    points = [_point(answer, at, language) for at in range(len(answer.cells))]
    reach = max(abs(end) for point in points for end in (point.low, point.high))
    return Question(
        words.name_of(answer, language), row.texts, answer.standing, points, words.amount(reach, answer.unit)
    )


def _point(answer: Answer, at: int, language: Language) -> Point:
    cell = answer.cells[at]
    return Point(
        label=words.cell_told(answer, cell, language),
        low=cell.low - cell.expected,
        value=cell.observed - cell.expected,
        high=cell.high - cell.expected,
        is_out=not cell.low <= cell.expected <= cell.high,
    )
