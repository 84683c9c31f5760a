"""Repeats: deals and hands that came before.

In: hands as counts of cards. Out: how many pairs are equal, how many shuffled cards would give, and where. Refuses to
know what is in a hand: it keeps 16 bytes a deal and 8 a hand, and no card.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from auditor.fairness.deck import Deck
from auditor.fairness.laws import same_deal, same_hand

Words: TypeAlias = npt.NDArray[np.uint64]
Counts: TypeAlias = npt.NDArray[np.uint8]

_DEAL = np.dtype([("key", np.uint64), ("match", np.uint32), ("deal", np.uint32)])
_WEIGHT = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Where(NamedTuple):
    """A deal of the archive: the number of its match among those counted, and its own number there, both from 0."""

    match: int
    deal: int


class Repeats:
    """The deals and hands of one deck, as far as telling them apart says anything."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._weights = np.array([_scattered(at + 1) for at in range(len(deck.kinds))], dtype=np.uint64)
        self._deals: list[npt.NDArray[np.void]] | None = []
        self._hands: list[Words] | None = []
        self._deal_sizes: Counter[tuple[int, ...]] = Counter()
        self._hand_sizes: Counter[int] = Counter()

    def add(self, hands: Counts, matches: npt.NDArray[np.uint32], numbers: npt.NDArray[np.uint32]) -> None:
        """Take deals in: hands by deal, seat and kind of card, and where each deal was."""
        sizes = np.sort(hands.sum(axis=2), axis=1)
        for size, times in zip(*np.unique(sizes, axis=0, return_counts=True), strict=True):
            self._deal_sizes[tuple(map(int, size))] += int(times)
            for each in size:
                self._hand_sizes[int(each)] += int(times)
        keys = _mixed((hands.astype(np.uint64) * self._weights).sum(axis=2, dtype=np.uint64))
        if self._deals is not None:
            rows = np.empty(len(hands), dtype=_DEAL)
            # A sum, so that the same hands are the same deal whichever seats have them.
            rows["key"], rows["match"], rows["deal"] = _mixed(keys.sum(axis=1, dtype=np.uint64)), matches, numbers
            self._deals.append(rows)
            if not self._tells_deals_apart:
                self._deals = None
        if self._hands is not None:
            self._hands.append(keys.ravel())
            if not self._tells_hands_apart:
                self._hands = None

    def deals(self) -> tuple[int, float, list[tuple[Where, Where]]] | None:
        """Pairs of equal deals, how many shuffled cards would give at most, and the first of each with its repeat.

        ``None`` where so many deals were seen of so few that are possible that a repeat says nothing.
        """
        if self._deals is None:
            return None
        rows = np.concatenate([np.empty(0, dtype=_DEAL), *self._deals])
        rows = rows[np.argsort(rows["key"], kind="stable")]
        pairs = _pairs(rows["key"])
        again = np.flatnonzero(rows["key"][1:] == rows["key"][:-1])
        places = sorted((_where(rows[at + 1]), _where(rows[at])) for at in again)
        expected = sum(_pair_count(times) * same_deal(self._deck.copies, it) for it, times in self._deal_sizes.items())
        return pairs, expected, [(first, second) for second, first in places]

    def hands(self) -> tuple[int, float] | None:
        """Pairs of equal hands, and how many shuffled cards would give; ``None`` as for deals."""
        if self._hands is None:
            return None
        keys = np.sort(np.concatenate([np.empty(0, dtype=np.uint64), *self._hands]))
        expected = sum(_pair_count(times) * same_hand(self._deck.copies, it) for it, times in self._hand_sizes.items())
        return _pairs(keys), expected

    # Pairs follow the Poisson law as long as a third equal one is rare.

    @property
    def _tells_deals_apart(self) -> bool:
        return all(same_deal(self._deck.copies, size) ** 2 * times**3 <= 1 for size, times in self._deal_sizes.items())

    @property
    def _tells_hands_apart(self) -> bool:
        return all(same_hand(self._deck.copies, size) ** 2 * times**3 <= 1 for size, times in self._hand_sizes.items())


def _pair_count(count: int) -> int:
    return count * (count - 1) // 2


def _pairs(keys: Words) -> int:
    """How many pairs of keys, which are in order, are equal."""
    _, counts = np.unique(keys, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def _where(row: npt.NDArray[np.void]) -> Where:
    return Where(int(row["match"]), int(row["deal"]))


def _scattered(number: int) -> int:
    """A number of 64 bits that looks like any other (SplitMix64), the same on every machine."""
    number = number * _WEIGHT & _MASK
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 31


def _mixed(words: Words) -> Words:
    """Each word scattered, so that sums of equal parts are not equal."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)
