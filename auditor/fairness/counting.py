"""Counting: what was dealt, many deals at once, beside the laws that it should follow.

In: deals of one deck as arrays. Out: counts by question and subject, each with its laws. Refuses to know logs, and
which count is surprising.

A question asks the same of several subjects, as seats or cards. Every count is the sum over deals of a number whose law
is known before the deal: what the bidding or the score of earlier deals has led to does not touch it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from auditor.fairness.deck import Deck
from auditor.fairness.intake import Batch
from auditor.fairness.laws import Draw, Law, all_hands_between, at_least, longest_at_least
from auditor.fairness.repeats import Counts, Repeats

Numbers: TypeAlias = npt.NDArray[np.int64]
#: Which card, which seat, how many: what a count is about within its question.
Subject: TypeAlias = tuple[str | int, ...]

#: Events that are rarer than this, or less rare than the rest, are not asked about: there would be too many questions.
_RAREST = 1e-3
#: A hand with so many cards of a suit is what players complain of; it is always asked about.
LONG_SUIT = 9


class Row(NamedTuple):
    """Cards that were dealt at once: which deal of which match they were, and whether it followed the row before."""

    batch: Batch
    match: int
    number: int
    follows: bool


@dataclass(frozen=True, slots=True)
class Deals:
    """Deals of one deck. ``hands`` counts cards by deal, seat and kind.

    ``pools`` counts the cards that could be dealt, by deal and kind, for later batches of deals; where it is missing,
    that is the whole pack. ``follows`` says which deals come in the same match after the one before them here;
    ``matches`` and ``numbers`` say which deal of which match each is.
    """

    deck: Deck
    hands: Counts
    dealers: Numbers
    follows: npt.NDArray[np.bool_]
    matches: npt.NDArray[np.uint32]
    numbers: npt.NDArray[np.uint32]
    pools: Counts | None = None


def deals_of(deck: Deck, rows: Sequence[Row]) -> Deals:
    """The deals of some rows, which are all of the whole pack or all of what an earlier batch has left."""
    shape = (len(rows), deck.seat_count, len(deck.kinds))
    pools = [row.batch.pool for row in rows if row.batch.pool is not None]
    return Deals(
        deck=deck,
        hands=np.frombuffer(b"".join(row.batch.hands for row in rows), dtype=np.uint8).reshape(shape),
        dealers=np.array([row.batch.dealer for row in rows], dtype=np.int64),
        follows=np.array([row.follows for row in rows], dtype=bool),
        matches=np.array([row.match for row in rows], dtype=np.uint32),
        numbers=np.array([row.number for row in rows], dtype=np.uint32),
        pools=np.frombuffer(b"".join(pools), dtype=np.uint8).reshape(-1, len(deck.kinds)) if pools else None,
    )


@dataclass(slots=True)
class Count:
    """How often, in how many deals, and under which laws."""

    observed: int = 0
    deal_count: int = 0
    laws: Counter[Law] = field(default_factory=Counter)


class Tally:
    """What was dealt in one ruleset, whatever the number of its players and its options."""

    def __init__(self) -> None:
        #: Deals that were begun; a later batch is no new deal.
        self.deal_count = 0
        self.counts: defaultdict[str, dict[Subject, Count]] = defaultdict(dict)
        self.repeats: dict[Deck, Repeats] = {}

    def add(self, deals: Deals) -> None:
        """Count what these deals have."""
        if len(deals.hands) == 0:
            return
        self._add_cards(deals)
        if deals.pools is not None:
            return
        self.deal_count += len(deals.hands)
        self._add_shapes(deals)
        self._add_previous(deals)
        repeats = self.repeats.setdefault(deals.deck, Repeats(deals.deck))
        repeats.add(deals.hands, deals.matches, deals.numbers)

    # How many marked cards a seat has: sums of draws

    def _add_cards(self, deals: Deals) -> None:
        deck = deals.deck
        seats: list[Subject] = [(seat,) for seat in range(deck.seat_count)]
        sizes = deals.hands.sum(axis=2, dtype=np.int64)
        pools = _whole(deck) if deals.pools is None else _Pools(deals.pools, are_whole=False)
        for question, names, groups in (
            ("card-seat", deck.kinds, [(kind,) for kind in deck.kinds]),
            ("rank-seat", deck.ranks, [deck.of_rank(rank) for rank in deck.ranks]),
            ("suit-seat", deck.suits, [deck.of_suit(suit) for suit in deck.suits]),
        ):
            marks = _marks(deck, groups)
            held, marked = _marked(deals.hands, marks), _marked(pools.cards, marks)
            for at, name in enumerate(names):
                self._add_draws(question, [(name, *it) for it in seats], held[:, :, at], sizes, pools, marked[:, at])
        honours = _marks(deck, [deck.honours])
        held, marked = _marked(deals.hands, honours)[:, :, 0], _marked(pools.cards, honours)[:, 0]
        self._add_draws("honour-seat", seats, held, sizes, pools, marked)
        if deck.has_partners:
            sides: list[Subject] = [(side,) for side in range(deck.side_count)]
            self._add_draws("honour-team", sides, _by_side(held, deck), _by_side(sizes, deck), pools, marked)
        places: list[Subject] = [(place,) for place in range(1, deck.seat_count + 1)]
        turned = (deals.dealers[:, None] + np.arange(1, deck.seat_count + 1)) % deck.seat_count
        from_dealer = [np.take_along_axis(numbers, turned, axis=1) for numbers in (held, sizes)]
        self._add_draws("honour-place", places, from_dealer[0], from_dealer[1], pools, marked)

    def _add_draws(
        self, question: str, subjects: Sequence[Subject], held: Numbers, sizes: Numbers, pools: _Pools, marked: Numbers
    ) -> None:
        """One subject a column of ``held``, which counts marked cards among ``sizes`` that were drawn.

        ``marked`` says how many were marked in each pool.
        """
        pool = pools.cards.sum(axis=1, dtype=np.int64)
        for column, subject in enumerate(subjects):
            count = self.counts[question].setdefault(subject, Count())
            count.observed += int(held[:, column].sum())
            count.deal_count += len(held) if pools.are_whole else 0
            for law, times in _draws(pool, marked, sizes[:, column]):
                count.laws[law] += times

    # What hands look like: yes or no

    def _add_shapes(self, deals: Deals) -> None:
        deck = deals.deck
        honours = _marked(deals.hands, _marks(deck, [deck.honours]))[:, :, 0]
        longest = _marked(deals.hands, _marks(deck, [deck.of_suit(suit) for suit in deck.suits])).max(axis=2, initial=0)
        suits = tuple(deck.count_of(deck.of_suit(suit)) for suit in deck.suits)
        marked = deck.count_of(deck.honours)

        def honours_of(size: int, least: int) -> float:
            return at_least(Draw(deck.size, marked, size), least)

        def suit_of(size: int, least: int) -> float:
            return longest_at_least(deck.size, suits, size, least)

        usual = (deck.hand_size,) * deck.seat_count
        for rows, sizes in _by_sizes(deals.hands):
            for seat, size in enumerate(sizes):
                self._add_hands("honour-hand", seat, honours[rows, seat], size, deck.hand_size, honours_of, ())
                long = (LONG_SUIT,) if deck.hand_size >= LONG_SUIT else ()
                self._add_hands("suit-hand", seat, longest[rows, seat], size, deck.hand_size, suit_of, long)
            fewest, most = honours[rows].min(axis=1), honours[rows].max(axis=1)
            for least in range(1, deck.hand_size + 1):
                if _is_asked(all_hands_between(deck.size, marked, usual, least, deck.size)):
                    chance = all_hands_between(deck.size, marked, sizes, least, deck.size)
                    self._add_chances("honour-deal", (least,), fewest >= least, chance)
                if _is_asked(1 - all_hands_between(deck.size, marked, usual, 0, least - 1)):
                    chance = 1 - all_hands_between(deck.size, marked, sizes, 0, least - 1)
                    self._add_chances("honour-peak", (least,), most >= least, chance)

    def _add_hands(
        self,
        question: str,
        seat: int,
        numbers: Numbers,
        size: int,
        usual: int,
        chance: Callable[[int, int], float],
        always: Sequence[int],
    ) -> None:
        """Hands of a seat with so many or more, for every number that is neither sure nor rare in a usual hand."""
        for least in range(1, usual + 1):
            if _is_asked(chance(usual, least)) or (least in always and chance(usual, least) > 0):
                self._add_chances(question, (least, seat), numbers >= least, chance(size, least))

    def _add_chances(self, question: str, subject: Subject, is_so: npt.NDArray[np.bool_], chance: float) -> None:
        count = self.counts[question].setdefault(subject, Count())
        count.observed += int(is_so.sum())
        count.deal_count += len(is_so)
        count.laws[chance] += len(is_so)

    # What is left of the deal before

    def _add_previous(self, deals: Deals) -> None:
        rows = np.flatnonzero(deals.follows)
        if len(rows) == 0:
            return
        before = (deals.hands[rows - 1] > 0).astype(np.float32)
        hands = deals.hands[rows].astype(np.float32)
        sizes = deals.hands[rows].sum(axis=2, dtype=np.int64)
        kept = np.matmul(before, hands.transpose(0, 2, 1)).astype(np.int64)
        marked = (before @ np.array(deals.deck.copies, dtype=np.float32)).astype(np.int64)
        pools = _whole(deals.deck)
        for seat in range(deals.deck.seat_count):
            subjects: list[Subject] = [(seat, now) for now in range(deals.deck.seat_count)]
            self._add_draws("previous-deal", subjects, kept[:, seat], sizes, pools, marked[:, seat])


@dataclass(frozen=True, slots=True)
class _Pools:
    """What cards were drawn from, by deal and kind, or one row for all: then it is the whole pack, for a new deal."""

    cards: Counts
    are_whole: bool


def _whole(deck: Deck) -> _Pools:
    return _Pools(np.array(deck.copies, dtype=np.uint8)[None], are_whole=True)


def _marks(deck: Deck, groups: Sequence[Sequence[str]]) -> npt.NDArray[np.float32]:
    """Kinds of card by group: 1 where a kind belongs to it."""
    return np.array([[kind in group for group in groups] for kind in deck.kinds], dtype=np.float32)


def _marked(counts: Counts, marks: npt.NDArray[np.float32]) -> Numbers:
    """How many cards of each group are in each hand; the numbers are small, so floats hold them exactly."""
    return (counts.astype(np.float32) @ marks).astype(np.int64)


def _by_side(numbers: Numbers, deck: Deck) -> Numbers:
    return np.stack([numbers[:, side :: deck.side_count].sum(axis=1) for side in range(deck.side_count)], axis=1)


def _draws(pool: Numbers, marked: Numbers, drawn: Numbers) -> Iterator[tuple[Draw, int]]:
    """The different draws, each with how often it was made; a pool that is given once is that of all."""
    codes = (pool << 32) + (marked << 16) + drawn
    for code, times in zip(*np.unique(codes, return_counts=True), strict=True):
        yield Draw(int(code) >> 32, (int(code) >> 16) & 0xFFFF, int(code) & 0xFFFF), int(times)


def _by_sizes(hands: Counts) -> Iterator[tuple[Numbers, tuple[int, ...]]]:
    """Which deals have hands of the same sizes, and these."""
    sizes, group = np.unique(hands.sum(axis=2, dtype=np.int64), axis=0, return_inverse=True)
    for number, size in enumerate(sizes):
        yield np.flatnonzero(group.ravel() == number), tuple(map(int, size))


def _is_asked(chance: float) -> bool:
    return _RAREST <= chance <= 1 - _RAREST
