"""Melds: what a run and a set are, what a joker may stand for in them, and what they are worth.

In: the cards of a meld as a log writes them, a joker as ``JK`` or with the card it stands for (``JK:8H``). Out: the
clause that the meld breaks, its points, whether it takes another card. Refuses to know seats and turns, and when a
meld may be laid.
"""

from __future__ import annotations

from collections.abc import Sequence

from auditor.cards import RANKS, SUITS
from auditor.events import JOKER

FEWEST_CARDS = 3
LONGEST_RUN = 13
LARGEST_SET = 4
FEWEST_NATURALS = 2
MOST_JOKERS = 1
TIERCE_NATURALS = 3

#: Two to ace, the ace high. Low, it is one below the two.
_HEIGHT = {rank: height for height, rank in enumerate("23456789TJQKA", 2)}
_HIGH_ACE, _LOW_ACE = 14, 1
#: By a natural card: its height, the ace high. Nothing else is a natural card.
_HEIGHT_OF = {rank + suit: _HEIGHT[rank] for rank in RANKS for suit in SUITS}
#: By a card of a meld: how it lay in the hand. A joker stands for nothing there.
IN_HAND = {card: card for card in _HEIGHT_OF} | {JOKER: JOKER} | {f"{JOKER}:{card}": JOKER for card in _HEIGHT_OF}
#: Two to ten as printed, court cards and aces ten.
_POINTS = {rank: min(height, 10) for rank, height in _HEIGHT.items()}


def is_joker(card: str) -> bool:
    """Whether a card of a meld is a joker."""
    return card[:2] == JOKER


def in_hand(card: str) -> str:
    """A card of a meld as it lay in the hand."""
    return IN_HAND[card]


def naturals(cards: Sequence[str]) -> list[str]:
    """The cards of a meld that are no jokers."""
    return [card for card in cards if card in _HEIGHT_OF]


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


def is_pure(cards: Sequence[str]) -> bool:
    """Whether there is no joker in a meld."""
    return len(naturals(cards)) == len(cards)


def broken_clause(cards: Sequence[str]) -> str | None:
    """The first clause that a meld breaks by its cards, or ``None`` for a legal meld."""
    natural = naturals(cards)
    runs = _is_run(natural, len(cards))
    if not runs and not _is_set(natural, len(cards)):
        return "meld.shape"
    if len(natural) == len(cards):
        return None
    jokers = [card for card in cards if is_joker(card)]
    if len(natural) < FEWEST_NATURALS or len(jokers) > MOST_JOKERS:
        return "meld.naturals"
    if not all(_stands_rightly(joker, natural, runs) for joker in jokers):
        return "meld.joker"
    return None


def as_laid(cards: Sequence[str]) -> list[str]:
    """A meld on the table: in a set a joker is any missing suit, whatever it was said to be; in a run it is a card."""
    return [in_hand(card) for card in cards] if is_set(cards) else list(cards)


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
    without = sum([_POINTS[card[0]] for card in natural])
    if len(natural) == len(cards):
        return without, without
    silent = _POINTS[natural[0][0]] if natural and is_set(cards) else 10
    jokers = (stands_for(card) for card in cards if is_joker(card))
    return without + sum(_POINTS[card[0]] if card else silent for card in jokers), without


def hand_points(card: str, ace: int, joker: int) -> int:
    """The penalty for a card that is left in a hand."""
    return {"A": ace, JOKER: joker}.get(card if card == JOKER else card[0], _POINTS.get(card[0], 0))


def _stands_rightly(joker: str, natural: Sequence[str], in_run: bool) -> bool:
    """A joker in a run says which card it stands for; in a set it may be any missing suit, said or not."""
    card = stands_for(joker)
    together = [*natural, card] if card else natural
    if in_run:
        return bool(card) and _is_run(together, len(together))
    return _is_set(together, max(len(together), FEWEST_CARDS))


def _is_run(natural: Sequence[str], length: int) -> bool:
    """Whether these cards and jokers make a run of ``length`` cards."""
    if not FEWEST_CARDS <= length <= LONGEST_RUN or len({card[1] for card in natural}) > 1:
        return False
    heights = {_HEIGHT_OF[card] for card in natural}
    if len(heights) < len(natural):
        return False
    if _HIGH_ACE not in heights:
        return not natural or max(heights) - min(heights) < length
    with_low_ace = {_LOW_ACE if height == _HIGH_ACE else height for height in heights}
    return min(max(heights) - min(heights), max(with_low_ace) - min(with_low_ace)) < length


def _is_set(natural: Sequence[str], size: int) -> bool:
    """Whether these cards and jokers make a set of ``size`` cards."""
    is_one_rank = len({card[0] for card in natural}) <= 1
    return is_one_rank and FEWEST_CARDS <= size <= LARGEST_SET and len({card[1] for card in natural}) == len(natural)
