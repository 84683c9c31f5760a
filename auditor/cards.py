"""Cards as bits.

A card is one bit of an integer and a set of cards is a mask, so that a hand, a pack or what may be played is one
number. Bits stand in pack order (2C 3C … AC, then D, H, S), the joker above them. Where several packs are played
with, a byte takes the place of each bit. Refuses to know any game: what
is high and what is trump is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

SUITS = ("C", "D", "H", "S")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A")

#: Written out, so that they are the very objects that typed events hold: a look-up by the same object is the fastest.
_CODES = (
    *("2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC"),
    *("2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD"),
    *("2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH", "AH"),
    *("2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS"),
    "JK",
)
_NATURALS = _CODES[:-1]
#: The bit of each card code; an unseen card has none.
BIT: Final[Mapping[str, int]] = {code: 1 << index for index, code in enumerate(_CODES)} | {"??": 0}
#: All cards of a suit, by its letter.
SUIT: Final[Mapping[str, int]] = {suit: sum(BIT[rank + suit] for rank in RANKS) for suit in SUITS}
#: All cards of the suit that a card belongs to, by its code.
SUIT_BY_CODE: Final[Mapping[str, int]] = {code: SUIT[code[1]] for code in _NATURALS}
#: The same by its bit. A dictionary looks for a power of two among most of the others, for they all end in the same
#: digits: what is asked for often is a sequence, by the length of the bit, or goes by the code.
SUIT_OF: Final[Mapping[int, int]] = {BIT[code]: SUIT[code[1]] for code in _NATURALS}

#: Where cards have equals, a hand is a number with one byte a card that counts it, and hands can be added up: the
#: number of one card by its code, and the place of its count. An unseen card is not counted.
ONE: Final[Mapping[str, int]] = {code: 1 << 8 * index for index, code in enumerate(_CODES)} | {"??": 0}
PLACE: Final[Mapping[str, int]] = {code: 0xFF * one for code, one in ONE.items()}


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack in pack order, as shuffles and lists use it, and as a set."""

    codes: tuple[str, ...]
    mask: int


def _pack(ranks: Sequence[str]) -> Pack:
    codes = tuple(code for code in _NATURALS if code[0] in ranks)
    return Pack(codes, total(codes))


def by_length(values: Mapping[int, int]) -> Sequence[int]:
    """Values by the length of a card's bit, out of those by the bit; 0 for the other cards."""
    return [0, *(values.get(BIT[code], 0) for code in _CODES)]


def total(codes: Iterable[str]) -> int:
    """The set of the cards named. A card named twice leaves fewer bits than cards, for the bits are added up."""
    return sum(map(BIT.__getitem__, codes))


def codes(cards: int) -> list[str]:
    """The cards of a set by code, in pack order."""
    return [code for code, bit in BIT.items() if cards & bit]


def code(card: int) -> str:
    """The code of one card's bit."""
    return _CODES[card.bit_length() - 1]


def suit(card: int) -> str:
    """The suit letter of one card's bit."""
    return code(card)[1]


def counted(codes: Iterable[str]) -> int:
    """The cards named, of several packs: no card more than 255 times."""
    return sum(map(ONE.__getitem__, codes))


def count(cards: int, code: str) -> int:
    """How many times a card is among counted cards."""
    return (cards & PLACE[code]) // ONE[code]


def listed(cards: int) -> list[str]:
    """Counted cards by code, in pack order, equal ones side by side."""
    counts = cards.to_bytes(len(_CODES), "little")
    return [code for code, times in zip(_CODES, counts, strict=True) if times for _ in range(times)]


def highest(cards: int) -> int:
    """The top card of a set where the pack order is the rank order: the bit of the ace before the king's."""
    return 1 << (cards.bit_length() - 1)


PACK_52 = _pack(RANKS)
#: Seven to ace.
PACK_32 = _pack(RANKS[5:])
