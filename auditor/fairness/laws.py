"""The laws of shuffled cards: how often something is dealt if every order of the pack is as likely as any other.

In: how many cards a pack has, how many of them are marked, how many are drawn. Out: exact probabilities, and how
surprising a count is under the sum of many such laws. Refuses to know which cards are meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, reduce
from itertools import zip_longest
from math import comb, factorial, fsum, prod, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import fft, stats

Floats: TypeAlias = npt.NDArray[np.float64]


class Draw(NamedTuple):
    """The hypergeometric law: how many of ``marked`` cards are among ``drawn`` cards of a pool of ``pool``."""

    pool: int
    marked: int
    drawn: int


#: A draw, or something that is so or is not, with its probability.
Law: TypeAlias = Draw | float
#: How often each law was at work; their counts are added up.
Laws: TypeAlias = Mapping[Law, int]

#: Up to this variance the law of a sum is computed as it is; above, the normal law is as good.
_WIDE = 2500.0
#: What adding up many small numbers leaves in doubt: smaller probabilities are taken from the normal law.
_FAINT = 1e-10


# --- Exact probabilities --------------------------------------------------------------------------------------------


@cache
def at_least(draw: Draw, least: int) -> float:
    """The probability that a draw has so many marked cards, or more."""
    ways = sum(
        comb(draw.marked, count) * comb(draw.pool - draw.marked, draw.drawn - count)
        for count in range(least, min(draw.marked, draw.drawn) + 1)
    )
    return ways / comb(draw.pool, draw.drawn)


@cache
def all_hands_between(pool: int, marked: int, sizes: tuple[int, ...], least: int, most: int) -> float:
    """The probability that each of the hands dealt at once has ``least`` to ``most`` of the marked cards."""
    rest = pool - sum(sizes)
    hands = [[comb(size, count) if least <= count <= most else 0 for count in range(size + 1)] for size in sizes]
    return _at(reduce(_times, hands, [comb(rest, count) for count in range(rest + 1)]), marked) / comb(pool, marked)


@cache
def longest_at_least(pool: int, suits: tuple[int, ...], drawn: int, least: int) -> float:
    """The probability that so many cards or more of one hand are of one suit; ``suits`` are the sizes of the suits."""
    rest = pool - sum(suits)
    short = [[comb(size, count) for count in range(min(size, least - 1) + 1)] for size in suits]
    ways = reduce(_times, short, [comb(rest, count) for count in range(rest + 1)])
    return 1 - _at(ways, drawn) / comb(pool, drawn)


@cache
def same_hand(copies: tuple[int, ...], drawn: int) -> float:
    """The probability that two hands of two deals show the same cards; ``copies`` counts equal cards of the pack."""
    ways = reduce(_times, ([comb(count, taken) ** 2 for taken in range(count + 1)] for count in copies), [1])
    return _at(ways, drawn) / comb(sum(copies), drawn) ** 2


@cache
def same_deal(copies: tuple[int, ...], sizes: tuple[int, ...]) -> float:
    """At most so probable is it that two deals show the same hands, whichever seats have them."""
    rest = sum(copies) - sum(sizes)
    deals = factorial(sum(copies)) // prod(map(factorial, (*sizes, rest)))
    return min(1.0, factorial(len(sizes)) * prod(map(factorial, copies)) / deals)


def _times(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """The product of two polynomials."""
    rows = ([0] * shift + [factor * term for term in second] for shift, factor in enumerate(first))
    return [sum(column) for column in zip_longest(*rows, fillvalue=0)]


def _at(polynomial: Sequence[int], power: int) -> int:
    return polynomial[power] if power < len(polynomial) else 0


# --- Sums of many ---------------------------------------------------------------------------------------------------


def moments(laws: Laws) -> tuple[float, float]:
    """The mean and the variance of the sum of all counts."""
    each = [(times, *_moments(law)) for law, times in laws.items()]
    return fsum(times * mean for times, mean, _ in each), fsum(times * variance for times, _, variance in each)


def _moments(law: Law) -> tuple[float, float]:
    if not isinstance(law, Draw):
        return law, law * (1 - law)
    share = law.marked / law.pool
    mean = law.drawn * share
    return mean, mean * (1 - share) * (law.pool - law.drawn) / max(law.pool - 1, 1)


def is_yes_or_no(laws: Laws) -> bool:
    """Whether every single count is 0 or 1."""
    return all(law.marked == 1 if isinstance(law, Draw) else True for law in laws)


def surprises(counts: Sequence[tuple[int, Laws]]) -> Floats:
    """For each count: how probable one is that is as far out to its side, or further, twice over; at most 1.

    Yes-or-no counts of different chances are taken as of one chance, their mean: that makes far counts more probable
    and not less (Hoeffding 1956), so it never raises an alarm.
    """
    far = np.ones(len(counts))
    observed = np.array([count for count, _ in counts], dtype=float)
    means, variances = np.array([moments(laws) for _, laws in counts]).reshape(-1, 2).T
    trials = np.array([sum(laws.values()) for _, laws in counts], dtype=float)
    is_plain = np.array([is_yes_or_no(laws) for _, laws in counts], dtype=bool)
    is_open = variances > 0
    plain = is_plain & is_open
    if plain.any():
        law = stats.binom(trials[plain], means[plain] / trials[plain])
        far[plain] = np.minimum(law.cdf(observed[plain]), law.sf(observed[plain] - 1))
    other = ~is_plain & is_open
    if other.any():
        away = np.maximum(np.abs(observed[other] - means[other]) - 0.5, 0)
        far[other] = stats.norm.sf(away / np.sqrt(variances[other]))
    for at in np.flatnonzero(other & (variances <= _WIDE)):
        exact = _tail(*counts[int(at)])
        far[at] = exact if exact > _FAINT else min(far[at], _FAINT)
    doubled: Floats = np.minimum(1.0, 2 * far)
    return doubled


def pair_surprise(pairs: int, expected: float) -> float:
    """How probable so many pairs are, or more, where so many are expected (the Poisson law of rare things)."""
    return float(stats.poisson.sf(pairs - 1, expected))


def intervals(counts: Sequence[tuple[int, Laws]], doubt: float) -> list[tuple[float, float]]:
    """For each count: between which means of the sum it lies with confidence 1 − ``doubt``.

    Exact for yes-or-no counts (Clopper and Pearson); else from the variance that fair cards have.
    """
    observed = np.array([count for count, _ in counts], dtype=float)
    trials = np.array([sum(laws.values()) for _, laws in counts], dtype=float)
    reach = float(stats.norm.isf(doubt / 2)) * np.sqrt([moments(laws)[1] for _, laws in counts])
    low, high = np.maximum(0.0, observed - reach), observed + reach
    plain = np.array([is_yes_or_no(laws) for _, laws in counts], dtype=bool)
    some, all_but = plain & (observed > 0), plain & (observed < trials)
    low[plain], high[plain] = 0.0, trials[plain]
    low[some] = trials[some] * stats.beta.ppf(doubt / 2, observed[some], (trials - observed)[some] + 1)
    high[all_but] = trials[all_but] * stats.beta.isf(doubt / 2, observed[all_but] + 1, (trials - observed)[all_but])
    return list(zip(map(float, low), map(float, high), strict=True))


def pair_interval(pairs: int, doubt: float) -> tuple[float, float]:
    """Between which expected numbers of pairs the real one lies with confidence 1 − ``doubt``."""
    low = 0.0 if pairs == 0 else float(stats.gamma.ppf(doubt / 2, pairs))
    return low, float(stats.gamma.isf(doubt / 2, pairs + 1))


def smallest_visible(laws: Laws, doubt: float, power: float = 0.8) -> float:
    """The smallest shift of the mean of the sum that would be found four times in five, at this level."""
    return float(stats.norm.isf(doubt / 2) + stats.norm.ppf(power)) * sqrt(moments(laws)[1])


def _tail(observed: int, laws: Laws) -> float:
    """The smaller of the two tails of the sum, the count itself in both."""
    draws = {law: times for law, times in laws.items() if isinstance(law, Draw)}
    length = sum(times * min(law.marked, law.drawn) for law, times in draws.items()) + 1
    padded = fft.next_fast_len(length, real=True)
    spectrum = np.ones(padded // 2 + 1, dtype=complex)
    for law, times in sorted(draws.items()):  # in one order: the last digits hang on it
        spectrum *= fft.rfft(_chances(law), padded) ** times
    chances = fft.irfft(spectrum, padded)[:length]
    return float(min(chances[: observed + 1].sum(), chances[observed:].sum()))


@cache
def _chances(law: Draw) -> Floats:
    counts = np.arange(min(law.marked, law.drawn) + 1)
    chances: Floats = stats.hypergeom.pmf(counts, law.pool, law.marked, law.drawn)
    return chances
