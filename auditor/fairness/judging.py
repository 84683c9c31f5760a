"""Judging: which counts shuffled cards would hardly give.

In: tallies, and the rate of false alarms that is bearable. Out: one answer a question, corrected for how many were
asked. Refuses to know logs and words.

Every question gets the same part of the rate, and every subject of a question the same part of that (Bonferroni), in
the probabilities and in the intervals alike: an alarm is a count whose interval leaves out what is expected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from auditor.fairness.account import Answer, Cell, Standing, Unit
from auditor.fairness.counting import Count, Subject, Tally
from auditor.fairness.laws import (
    intervals,
    is_yes_or_no,
    moments,
    pair_interval,
    pair_surprise,
    smallest_visible,
    surprises,
)
from auditor.fairness.repeats import Where

#: The questions about counts, in the order in which they are told.
QUESTIONS = (
    "card-seat",
    "rank-seat",
    "suit-seat",
    "honour-seat",
    "honour-team",
    "honour-place",
    "honour-hand",
    "honour-deal",
    "honour-peak",
    "suit-hand",
    "previous-deal",
)
REPEATED_DEALS, REPEATED_HANDS = "repeated-deals", "repeated-hands"
#: A difference of less than this part of what is expected is told as tiny, and is no alarm.
TINY = 0.01


@dataclass(frozen=True, slots=True)
class Judged:
    """What is said of one tally; ``repeated`` are the places of repeated deals, the earlier one first."""

    answers: tuple[Answer, ...]
    visible: float | None
    repeated: Sequence[tuple[Where, Where]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What can be asked of a tally."""

    counts: Mapping[str, Mapping[Subject, Count]]
    pairs: Mapping[str, tuple[int, float]]
    repeated: Sequence[tuple[Where, Where]]

    @property
    def question_count(self) -> int:
        return len(self.counts) + len(self.pairs)


def judged(tallies: Mapping[str, Tally], alpha: float) -> tuple[int, dict[str, Judged]]:
    """How many questions were asked in all, and what is said of each tally.

    A fair archive gives an unusual answer with a probability of ``alpha`` at most, whatever the number of tallies.
    """
    asked = {name: _asked(tally) for name, tally in tallies.items()}
    question_count = sum(it.question_count for it in asked.values())
    return question_count, {name: _judged(it, alpha, question_count) for name, it in asked.items() if it.question_count}


def _asked(tally: Tally) -> _Asked:
    """The questions that this tally can answer; which these are does not hang on what was dealt."""
    counts: dict[str, dict[Subject, Count]] = {}
    for question in QUESTIONS:
        open_counts = {
            it: count
            for it, count in sorted(tally.counts.get(question, {}).items(), key=_subject)
            if moments(count.laws)[1] > 0
        }
        if open_counts:
            counts[question] = open_counts
    pairs: dict[str, tuple[int, float]] = {}
    repeated: list[tuple[Where, Where]] = []
    deals = [repeats.deals() for repeats in tally.repeats.values()]
    if tally.deal_count > 1 and (known := [it for it in deals if it is not None]):
        pairs[REPEATED_DEALS] = (sum(it[0] for it in known), sum(it[1] for it in known))
        repeated = sorted(place for it in known for place in it[2])
    hands = [it for repeats in tally.repeats.values() if (it := repeats.hands()) is not None]
    if tally.deal_count > 1 and hands:
        pairs[REPEATED_HANDS] = (sum(it[0] for it in hands), sum(it[1] for it in hands))
    return _Asked(counts, pairs, repeated)


def _subject(count: tuple[Subject, Count]) -> Subject:
    return count[0]


def _judged(asked: _Asked, alpha: float, question_count: int) -> Judged:
    answers = [_answer(question, counts, alpha, question_count) for question, counts in asked.counts.items()]
    answers += [_pairs(question, *pairs, alpha, question_count) for question, pairs in asked.pairs.items()]
    return Judged(tuple(answers), _visible(asked, alpha / question_count), asked.repeated)


def _answer(question: str, counts: Mapping[Subject, Count], alpha: float, question_count: int) -> Answer:
    tests = question_count * len(counts)
    told = [(count.observed, count.laws) for count in counts.values()]
    far, ends = surprises(told), intervals(told, alpha / tests)
    cells, distances = [], []
    is_event = any(isinstance(law, float) for count in counts.values() for law in count.laws)
    for (subject, count), p, (low, high) in zip(counts.items(), far, ends, strict=True):
        mean, variance = moments(count.laws)
        trials = count.deal_count
        cells.append(Cell(subject, count.observed / trials, mean / trials, low / trials, high / trials, float(p)))
        distances.append(abs(count.observed - mean) / sqrt(variance))
    worst = min(range(len(cells)), key=lambda at: (cells[at].p, -distances[at]))
    cell = cells[worst]
    common = min(cell.expected, 1 - cell.expected) if is_event else cell.expected
    is_tiny = abs(cell.observed - cell.expected) < TINY * common
    p = min(1.0, cell.p * tests)
    unit: Unit = "share" if is_event or all(is_yes_or_no(it.laws) for it in counts.values()) else "mean"
    return Answer(question, unit, tuple(cells), worst, p, _standing(p <= alpha, is_tiny))


def _pairs(question: str, pairs: int, expected: float, alpha: float, question_count: int) -> Answer:
    far = pair_surprise(pairs, expected)
    cell = Cell((), pairs, expected, *pair_interval(pairs, alpha / question_count), far)
    p = min(1.0, far * question_count)
    return Answer(question, "pairs", (cell,), 0, p, _standing(p <= alpha, is_tiny=False))


def _standing(is_far: bool, is_tiny: bool) -> Standing:
    if not is_far:
        return "usual"
    return "tiny" if is_tiny else "unusual"


def _visible(asked: _Asked, doubt: float) -> float | None:
    """The smallest part of its honours by which a seat could be favoured and be found, four times in five."""
    seats = asked.counts.get("honour-seat", {})
    shifts = [smallest_visible(count.laws, doubt / len(seats)) / moments(count.laws)[0] for count in seats.values()]
    return max(shifts, default=None)
