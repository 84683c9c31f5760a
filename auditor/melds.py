"""Melds: what a run and a set are, what a joker may stand for in them, and what they are worth.

In: the cards of a meld as a log writes them, a joker as ``JK`` or with the card it stands for (``JK:8H``). Out: the
clause that the meld breaks, its points, whether it takes another card. Refuses to know seats and turns, and when a
meld may be laid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from auditor.cards import BIT, ONE, PACK_52, RANKS, SUIT, SUITS, total
from auditor.events import JOKER

FEWEST_CARDS = 3
LONGEST_RUN = 13
LARGEST_SET = 4
FEWEST_NATURALS = 2
MOST_JOKERS = 1
TIERCE_NATURALS = 3

_NATURALS = PACK_52.codes
#: By a natural card: two to ten as printed, court cards and aces ten. Nothing else is a natural card.
_POINTS = {card: min(RANKS.index(card[0]) + 2, 10) for card in _NATURALS}
#: The same, and for a joker that says what it is the points of that card.
_SHOWN_POINTS = _POINTS | {f"{JOKER}:{card}": points for card, points in _POINTS.items()}
#: By a card of a meld: how it lay in the hand. A joker stands for nothing there.
IN_HAND = {card: card for card in _NATURALS} | {JOKER: JOKER} | {f"{JOKER}:{card}": JOKER for card in _NATURALS}
_ONE_IN_HAND = {card: ONE[held] for card, held in IN_HAND.items()}

_ACE_LOW_OR_HIGH = (RANKS[-1], *RANKS)


def _runs(suit: str, length: int) -> list[int]:
    """All ways to take so many cards of a suit in sequence, the ace low or high."""
    lowest = range(len(_ACE_LOW_OR_HIGH) - length + 1)
    return [total(rank + suit for rank in _ACE_LOW_OR_HIGH[low : low + length]) for low in lowest]


def _of_a_rank(size: int) -> list[int]:
    """All ways to take so many cards of one rank, no suit twice."""
    return [total(rank + suit for suit in suits) for rank in RANKS for suits in combinations(SUITS, size)]


_LENGTHS, _SIZES = range(FEWEST_CARDS, LONGEST_RUN + 1), range(FEWEST_CARDS, LARGEST_SET + 1)
_RUNS_OF: Mapping[str, Mapping[int, Sequence[int]]] = {
    suit: {length: _runs(suit, length) for length in _LENGTHS} for suit in SUITS
}
_FOUR: Mapping[str, int] = {rank: total(rank + suit for suit in SUITS) for rank in RANKS}

#: What the cards of a meld come to: their bits, and beside them a mark for a joker, with the bit of the card that it
#: says it is, or without one.
_SAID, _SILENT = 1 << 57, 1 << 54
_SHOWN = {card: BIT[card] for card in _NATURALS} | {JOKER: _SILENT}
_SHOWN |= {f"{JOKER}:{card}": BIT[card] + _SAID for card in _NATURALS}

#: The length of each meld by what its cards come to; where a card is there twice, they come to fewer bits.
_RUNS = {run: length for suit in SUITS for length in _LENGTHS for run in _RUNS_OF[suit][length]}
_SETS = {cards: size for size in _SIZES for cards in _of_a_rank(size)}
_LEGAL = (
    (_RUNS | _SETS)
    # In a run a joker says which missing card it is. In a set it is any suit that is missing and may say nothing.
    | {meld + _SAID: length for meld, length in (_RUNS | _SETS).items()}
    | {cards + _SILENT: size for size in _SIZES for cards in _of_a_rank(size - 1)}
)


def is_joker(card: str) -> bool:
    """Whether a card of a meld is a joker."""
    return card[:2] == JOKER


def in_hand(card: str) -> str:
    """A card of a meld as it lay in the hand."""
    return IN_HAND[card]


def counted_in_hand(cards: Sequence[str]) -> int:
    """The cards of melds, counted as they lay in the hand."""
    return sum(map(_ONE_IN_HAND.__getitem__, cards))


def naturals(cards: Sequence[str]) -> list[str]:
    """The cards of a meld that are no jokers."""
    return [card for card in cards if card in _POINTS]


def is_run(cards: Sequence[str]) -> bool:
    """Three to thirteen cards of one suit in sequence, the ace low or high; a joker may be any card that is missing."""
    return _is_run(naturals(cards), len(cards))


def is_set(cards: Sequence[str]) -> bool:
    """Three or four cards of one rank, no suit twice; a joker may be any suit that is missing."""
    return _is_set(naturals(cards), len(cards))


def is_tierce(cards: Sequence[str]) -> bool:
    """A run with three natural cards or more, and perhaps a joker beside them."""
    natural = naturals(cards)
    return len(natural) >= TIERCE_NATURALS and _is_run(natural, len(cards))


def is_pure_tierce(cards: Sequence[str]) -> bool:
    """A run without a joker."""
    return _RUNS.get(_shown(cards)) == len(cards)


def broken_clause(cards: Sequence[str]) -> str | None:
    """The first clause that a meld breaks by its cards, or ``None`` for a legal meld."""
    if _LEGAL.get(_shown(cards)) == len(cards):
        return None
    natural = naturals(cards)
    if not _is_run(natural, len(cards)) and not _is_set(natural, len(cards)):
        return "meld.shape"
    if len(natural) < FEWEST_NATURALS or len(cards) - len(natural) > MOST_JOKERS:
        return "meld.naturals"
    return "meld.joker"


def as_laid(cards: Sequence[str]) -> list[str]:
    """A meld on the table: in a set a joker is any missing suit, whatever it was said to be; in a run it is a card."""
    natural = naturals(cards)
    is_told = len(natural) == len(cards) or not _is_set(natural, len(cards))
    return list(cards) if is_told else [IN_HAND[card] for card in cards]


def place_of_joker(cards: Sequence[str], natural: str) -> int | None:
    """Which card of a meld is the joker that a natural card may be put in the place of."""
    completed = [*naturals(cards), natural]
    fits_set = not is_joker(natural) and is_set(cards) and _is_set(completed, len(cards))
    for index, card in enumerate(cards):
        if is_joker(card) and (fits_set or stands_for(card) == natural):
            return index
    return None


def joker_of(cards: Sequence[str]) -> int | None:
    """Where the first joker of a meld lies."""
    return next((index for index, card in enumerate(cards) if is_joker(card)), None)


def stands_for(joker: str) -> str:
    """The card that a joker says it stands for, or nothing."""
    return joker[3:]


def points(cards: Sequence[str]) -> tuple[int, int]:
    """What a meld is worth: with its jokers counted as the cards they stand for, and with nothing for them.

    A joker that does not say what it is counts as the cards around it in a set, and as much as a card can in a run.
    """
    natural = naturals(cards)
    without = sum([_POINTS[card] for card in natural])
    if len(natural) == len(cards):
        return without, without
    silent = _POINTS[natural[0]] if JOKER in cards and natural and _is_set(natural, len(cards)) else 10
    return sum([_SHOWN_POINTS.get(card, silent) for card in cards]), without


def hand_points(card: str, ace: int, joker: int) -> int:
    """The penalty for a card that is left in a hand."""
    if card == JOKER:
        return joker
    return ace if card[0] == "A" else _POINTS[card]


def _shown(cards: Sequence[str]) -> int:
    """What the cards of a meld come to."""
    return sum(map(_SHOWN.__getitem__, cards))


def _is_run(natural: Sequence[str], length: int) -> bool:
    """Whether these cards and jokers make a run of ``length`` cards."""
    suit = natural[0][1] if natural else SUITS[0]
    cards, runs = total(natural), _RUNS_OF[suit].get(length, ())
    if cards | SUIT[suit] != SUIT[suit] or cards.bit_count() < len(natural):  # another suit, or a card twice
        return False
    return any(cards & run == cards for run in runs)


def _is_set(natural: Sequence[str], size: int) -> bool:
    """Whether these cards and jokers make a set of ``size`` cards."""
    cards = total(natural)
    is_one_rank = not natural or cards | _FOUR[natural[0][0]] == _FOUR[natural[0][0]]
    return is_one_rank and FEWEST_CARDS <= size <= LARGEST_SET and cards.bit_count() == len(natural)
