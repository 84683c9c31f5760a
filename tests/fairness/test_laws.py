"""The laws are exact: each is compared with every deal of a small pack, and sums with sums made the slow way."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from math import comb

import numpy as np
import pytest
from scipy import stats

from auditor.fairness.laws import (
    Draw,
    Law,
    Laws,
    all_hands_between,
    at_least,
    intervals,
    longest_at_least,
    moments,
    pair_interval,
    pair_surprise,
    same_deal,
    same_hand,
    smallest_visible,
    surprises,
)

#: A pack of nine: three suits of three, one of each suit an honour (a 0).
PACK = [(suit, rank) for suit in "xyz" for rank in range(3)]
SIZES = (3, 3)


def deals(sizes: tuple[int, ...] = SIZES) -> Iterable[list[list[tuple[str, int]]]]:
    """Every way to deal hands of these sizes from the pack."""

    def go(left: list[tuple[str, int]], sizes: tuple[int, ...]) -> Iterable[list[list[tuple[str, int]]]]:
        if not sizes:
            yield []
            return
        for hand in itertools.combinations(left, sizes[0]):
            rest = [card for card in left if card not in hand]
            for others in go(rest, sizes[1:]):
                yield [list(hand), *others]

    return go(PACK, sizes)


def share(holds: Iterable[bool]) -> float:
    told = list(holds)
    return sum(told) / len(told)


def honours(hand: list[tuple[str, int]]) -> int:
    return sum(rank == 0 for _, rank in hand)


@pytest.mark.parametrize("least", range(4))
def test_a_draw_has_at_least_so_many(least: int) -> None:
    assert at_least(Draw(9, 3, 3), least) == pytest.approx(share(honours(hands[0]) >= least for hands in deals()))


@pytest.mark.parametrize(("least", "most"), [(0, 3), (1, 3), (1, 1), (0, 1), (2, 3), (0, 0)])
@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (3, 3, 3), (2, 2, 2)])
def test_every_hand_of_a_deal_is_between(least: int, most: int, sizes: tuple[int, ...]) -> None:
    wanted = share(all(least <= honours(hand) <= most for hand in hands) for hands in deals(sizes))
    assert all_hands_between(9, 3, sizes, least, most) == pytest.approx(wanted)


@pytest.mark.parametrize("least", range(1, 5))
@pytest.mark.parametrize("suits", [(3, 3, 3), (3, 3)])
def test_the_longest_suit_is_at_least(least: int, suits: tuple[int, ...]) -> None:
    names = "xyz"[: len(suits)]  # of two suits only, the third are jokers
    wanted = share(
        max(sum(suit == name for suit, _ in hand) for name in names) >= least
        for hand in itertools.combinations(PACK, 3)
    )
    assert longest_at_least(9, suits, 3, least) == pytest.approx(wanted)


def test_two_hands_are_the_same_as_often_as_of_all_pairs_of_hands() -> None:
    pack = ["a", "a", "b", "b", "c", "J", "J", "J"]
    hands = [tuple(sorted(pack[at] for at in places)) for places in itertools.combinations(range(8), 3)]
    wanted = share(first == second for first in hands for second in hands)
    assert same_hand((2, 2, 1, 3), 3) == pytest.approx(wanted)


def test_two_deals_are_the_same_as_often_as_of_all_pairs_of_deals() -> None:
    dealt = [tuple(sorted(map(tuple, hands))) for hands in deals()]
    wanted = share(first == dealt[0] for first in dealt)
    assert same_deal((1,) * 9, SIZES) == pytest.approx(wanted)


def test_of_equal_cards_the_chance_of_the_same_deal_is_an_upper_bound() -> None:
    pack = ["a", "a", "b", "b"]
    hands = [
        tuple(sorted([tuple(sorted(order[:2])), tuple(sorted(order[2:]))])) for order in itertools.permutations(pack)
    ]
    wanted = share(first == second for first in hands for second in hands)
    assert wanted <= same_deal((2, 2), (2, 2))


def test_hands_with_two_honours_at_least_in_every_seat_are_86_of_100_deals() -> None:
    assert all_hands_between(52, 16, (13,) * 4, 2, 13) == pytest.approx(0.8604, abs=1e-4)


def test_nine_cards_of_a_suit_are_one_hand_in_2582() -> None:
    ways = sum(4 * comb(13, count) * comb(39, 13 - count) for count in range(9, 14))
    assert longest_at_least(52, (13,) * 4, 13, 9) == pytest.approx(ways / comb(52, 13))
    assert round(comb(52, 13) / ways) == 2582


# --- Sums -----------------------------------------------------------------------------------------------------------

MIXED: Counter[Law] = Counter({Draw(52, 16, 13): 30, Draw(32, 5, 4): 20})


def slow(laws: Counter[Law]) -> list[float]:
    """The law of the sum, by adding one count after another."""
    chances = np.ones(1)
    for law, times in laws.items():
        assert isinstance(law, Draw)
        counts = range(law.drawn + 1)
        one = [comb(law.marked, it) * comb(law.pool - law.marked, law.drawn - it) for it in counts]
        for _ in range(times):
            chances = np.convolve(chances, np.array(one) / comb(law.pool, law.drawn))
    return list(chances)


@pytest.mark.parametrize("observed", [0, 90, 110, 126, 132, 150, 170])
def test_the_surprise_of_a_sum_is_exact(observed: int) -> None:
    chances = slow(MIXED)
    wanted = min(1.0, 2 * min(sum(chances[: observed + 1]), sum(chances[observed:])))
    [found] = surprises([(observed, MIXED)])
    assert found == pytest.approx(wanted, rel=1e-6) if wanted > 1e-8 else found <= 1e-8


def test_the_moments_of_a_sum_are_those_of_its_law() -> None:
    chances = slow(MIXED)
    mean = sum(count * chance for count, chance in enumerate(chances))
    variance = sum((count - mean) ** 2 * chance for count, chance in enumerate(chances))
    assert moments(MIXED) == pytest.approx((mean, variance))


def test_a_wide_sum_is_as_surprising_by_the_normal_law() -> None:
    """Above the border the normal law is used: there the two agree within a tenth, far out too."""
    laws: Laws = {Draw(52, 16, 13): 1180}  # its variance is just under the border
    mean, variance = moments(laws)
    for z in (1, 2, 3, 4):
        observed = round(mean + z * variance**0.5)
        [exact] = surprises([(observed, laws)])
        assert 2 * stats.norm.sf((observed - 0.5 - mean) / variance**0.5) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize("observed", [0, 3, 10, 40])
def test_the_surprise_of_a_yes_or_no_is_the_binomial_one(observed: int) -> None:
    [found] = surprises([(observed, {0.05: 200})])
    law = stats.binom(200, 0.05)
    assert found == pytest.approx(min(1.0, 2 * min(law.cdf(observed), law.sf(observed - 1))))


def test_what_is_sure_is_no_surprise() -> None:
    assert list(surprises([(13, {Draw(13, 13, 13): 1}), (0, {Draw(13, 0, 4): 9})])) == [1.0, 1.0]


@pytest.mark.parametrize("laws", [{0.1: 80}, {Draw(52, 1, 13): 80}])
def test_an_exact_interval_leaves_out_what_is_a_surprise(laws: dict[Draw | float, int]) -> None:
    """The interval of a count holds a chance if and only if the count is no surprise under it."""
    for observed in (0, 1, 8, 20, 80):
        [ends] = intervals([(observed, laws)], 0.01)
        low, high = (end / 80 for end in ends)
        for chance in (0.001, 0.05, 0.1, 0.3, 0.9):
            [p] = surprises([(observed, {chance: 80})])
            assert (low <= chance <= high) == (p > 0.01)


def test_pairs_follow_the_poisson_law() -> None:
    assert pair_surprise(0, 3.0) == 1.0
    assert pair_surprise(5, 3.0) == pytest.approx(sum(stats.poisson.pmf(range(5, 60), 3.0)))
    low, high = pair_interval(5, 0.05)
    assert pair_surprise(5, low) == pytest.approx(0.025)
    assert stats.poisson.cdf(5, high) == pytest.approx(0.025)
    assert pair_interval(0, 0.05)[0] == 0


def test_a_shift_that_is_visible_is_found_four_times_in_five() -> None:
    laws: Laws = {0.25: 4000}
    shift = smallest_visible(laws, 0.001)
    border = stats.norm.isf(0.0005) * moments(laws)[1] ** 0.5
    assert stats.norm.sf((border - shift) / moments(laws)[1] ** 0.5) == pytest.approx(0.8)
