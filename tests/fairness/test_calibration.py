"""Fair cards raise no more false alarms than is stated, and unfair dealers are caught; seeds make each run the same.

``benchmarks/fairness.py`` does the same for a thousand archives.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from math import sqrt

import numpy as np
import pytest

from auditor.fairness.account import Answer
from auditor.fairness.counting import Count, Tally
from auditor.fairness.dealers import UNFAIR, Dealer, dealt, fair
from auditor.fairness.deck import deck_of
from auditor.fairness.judging import judged
from auditor.fairness.laws import Draw, moments
from auditor.games import GAMES
from tests.fairness.archives import deck

CARD_GAMES = [ruleset for ruleset, game in GAMES.items() if deck_of(game, max(game.seat_counts), {}) is not None]
TWICE_DEALT = "twenty-nine"
ARCHIVES, DEALS = 60, 120


@cache
def tally(ruleset: str, dealer: Dealer, count: int, seed: int) -> Tally:
    counted = Tally()
    for deals in dealt(deck(ruleset), dealer, count, seed, ruleset == TWICE_DEALT):
        counted.add(deals)
    return counted


def answers(ruleset: str, dealer: Dealer, count: int, seed: int, alpha: float = 0.01) -> dict[str, Answer]:
    _, said = judged({ruleset: tally(ruleset, dealer, count, seed)}, alpha)
    return {answer.question: answer for answer in said[ruleset].answers}


def unusual(ruleset: str, dealer: Dealer, count: int, seed: int, alpha: float = 0.01) -> set[str]:
    return {name for name, it in answers(ruleset, dealer, count, seed, alpha).items() if it.standing == "unusual"}


def test_there_are_six_card_games_and_one_without() -> None:
    assert len(CARD_GAMES) == len(GAMES) - 1
    assert deck_of(GAMES["three-stones"], 2, {}) is None


@pytest.mark.parametrize("ruleset", ["tarneeb-classic", "rami-tounsi", "twenty-nine"])
def test_fair_archives_raise_false_alarms_at_most_at_the_stated_rate(ruleset: str) -> None:
    """At a rate of one in five 12 of 60 may; at one in a hundred 3 would be too many (the chance of that is 2 %)."""
    least = [min(it.p for it in answers(ruleset, fair, DEALS, seed).values()) for seed in range(ARCHIVES)]
    assert sum(p <= 0.2 for p in least) <= 12
    assert sum(p <= 0.01 for p in least) < 3


@pytest.mark.parametrize("ruleset", ["tarneeb-classic", "rami-tounsi", "twenty-nine"])
def test_fair_counts_lie_about_what_is_expected_as_widely_as_they_should(ruleset: str) -> None:
    """Of each question: the mean distance is 0 and its spread 1, counted in the deviations of the exact law."""
    distances = defaultdict(list)
    for seed in range(ARCHIVES):
        for question, counts in tally(ruleset, fair, DEALS, seed).counts.items():
            for count in counts.values():
                mean, variance = moments(count.laws)
                if variance > 1:
                    distances[question].append((count.observed - mean) / sqrt(variance))
    assert set(distances) >= {"card-seat", "honour-seat", "honour-hand", "honour-deal", "suit-hand", "previous-deal"}
    for question, found in distances.items():
        # Subjects of a question hang together, as two teams do; archives do not.
        assert abs(np.mean(found)) < 4 / sqrt(ARCHIVES), question
        assert 0.75 < np.std(found) < 1.25, question


@pytest.mark.parametrize("ruleset", CARD_GAMES)
@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("redeals until each hand has two honours", "honour-deal"),
        ("favours seat 0 with aces", "rank-seat"),
        ("repeats deals", "repeated-deals"),
    ],
)
def test_an_unfair_dealer_is_caught_at_5000_deals(ruleset: str, name: str, question: str) -> None:
    assert question in unusual(ruleset, UNFAIR[name], 5000, 2)


def test_the_unfair_dealers_are_all_tried() -> None:
    assert len(UNFAIR) == 3


def test_who_levels_honours_is_told_with_what_is_expected() -> None:
    answer = answers("tarneeb-classic", UNFAIR["redeals until each hand has two honours"], 5000, 2)["honour-deal"]
    worst = answer.cells[answer.worst]
    assert worst.subject == (2,)
    assert (worst.observed, round(worst.expected, 2)) == (1.0, 0.86)
    assert worst.low > worst.expected


def test_who_favours_a_seat_with_aces_is_named_with_the_rank() -> None:
    answer = answers("belote-contree", UNFAIR["favours seat 0 with aces"], 5000, 2)["rank-seat"]
    worst = answer.cells[answer.worst]
    assert worst.subject == ("A", 0)
    assert worst.low > worst.expected


def test_a_pack_that_is_dealt_again_unshuffled_is_seen_in_what_is_left_of_the_deal_before() -> None:
    """Every second deal is the one before with five cards changed about: no deal comes twice."""

    def lazy(deck_: object, seats: np.ndarray, chance: np.random.Generator) -> np.ndarray:
        packs = fair(deck("tarneeb-classic"), seats, chance)
        for row in range(1, len(packs), 2):
            packs[row] = packs[row - 1]
            packs[row, :5] = np.roll(packs[row, :5], 1)
        return packs

    assert "previous-deal" in unusual("tarneeb-classic", lazy, 400, 1)


# --- How much was asked, and how much there is ----------------------------------------------------------------------


def huge(share_of_seat_0: float, deal_count: int) -> Tally:
    """An archive of so many deals in which seat 0 has this many honours a deal."""
    found = Tally()
    found.deal_count = deal_count
    for seat in range(4):
        mean = share_of_seat_0 if seat == 0 else (16 - share_of_seat_0) / 3
        count = Count(round(mean * deal_count), deal_count)
        count.laws[Draw(52, 16, 13)] = deal_count
        found.counts["honour-seat"][seat,] = count
    return found


@pytest.mark.parametrize(
    ("mean", "standing"), [(4.0, "usual"), (4.001, "usual"), (4.02, "tiny"), (4.039, "tiny"), (4.05, "unusual")]
)
def test_in_a_huge_archive_a_tiny_difference_is_told_as_tiny(mean: float, standing: str) -> None:
    _, said = judged({"tarneeb-classic": huge(mean, 1_000_000)}, 0.01)
    [answer] = said["tarneeb-classic"].answers
    assert answer.standing == standing


def test_the_correction_counts_all_questions_of_all_rulesets_and_their_subjects() -> None:
    alone = answers("tarneeb-classic", fair, DEALS, 0)
    questions, together = judged({it: tally(it, fair, DEALS, 0) for it in ("belote-contree", "tarneeb-classic")}, 0.01)
    assert questions == len(alone) + len(together["belote-contree"].answers)
    for answer in together["tarneeb-classic"].answers:
        cell = answer.cells[answer.worst]
        assert answer.p == pytest.approx(min(1.0, cell.p * len(answer.cells) * questions))
        assert cell.p == alone[answer.question].cells[alone[answer.question].worst].p
        assert cell.low <= alone[answer.question].cells[answer.worst].low


def test_an_alarm_and_an_interval_that_leaves_out_what_is_expected_are_the_same() -> None:
    """Where both are exact: for what is so or is not so."""
    for dealer in (fair, UNFAIR["redeals until each hand has two honours"]):
        for answer in answers("tarneeb-classic", dealer, 5000, 2, alpha=0.2).values():
            if answer.question in ("card-seat", "honour-hand", "honour-deal", "honour-peak", "suit-hand"):
                out = [not cell.low <= cell.expected <= cell.high for cell in answer.cells]
                assert any(out) == (answer.p <= 0.2), answer.question
