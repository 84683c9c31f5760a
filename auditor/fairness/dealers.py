"""Dealers: a fair one, and unfair ones that the examination must catch. They serve to measure it.

In: a deck, a number of deals, a seeded generator. Out: deals as they are counted. Refuses to know logs and games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from auditor.fairness.counting import Deals
from auditor.fairness.deck import Deck
from auditor.fairness.repeats import Counts

#: Packs as they lie after the shuffle, one a row, as indexes into the pack.
Packs: TypeAlias = npt.NDArray[np.int64]
Seats: TypeAlias = npt.NDArray[np.int64]
#: From the deck, the seats that deal and a generator to packs.
Dealer: TypeAlias = Callable[[Deck, Seats, np.random.Generator], Packs]

_DEALS_PER_MATCH = 10
#: What the unfair dealers do: so often a seat is helped, and so often a deal comes again.
HELPED, REPEATED = 0.1, 0.01
_HONOURS_EACH = 2


def fair(deck: Deck, seats: Seats, chance: np.random.Generator) -> Packs:
    """Every order is as likely as any other."""
    return chance.permuted(np.tile(np.arange(deck.size), (len(seats), 1)), axis=1)


def levels_honours(deck: Deck, seats: Seats, chance: np.random.Generator) -> Packs:
    """Deals again until each hand has two honours."""
    packs = fair(deck, seats, chance)
    honours = np.isin(deck.kinds, deck.honours)
    while True:
        poor = np.flatnonzero((_hands(deck, packs, seats, 0)[:, :, honours].sum(axis=2) < _HONOURS_EACH).any(axis=1))
        if len(poor) == 0:
            return packs
        packs[poor] = fair(deck, seats[poor], chance)


def favours_seat_0(deck: Deck, seats: Seats, chance: np.random.Generator) -> Packs:
    """In one deal of ten, an ace that another seat was dealt is changed for a card of seat 0."""
    packs = fair(deck, seats, chance)
    is_ace = np.isin(np.repeat(deck.kinds, deck.copies), deck.of_rank("A"))
    size = deck.hand_size
    for row in np.flatnonzero(chance.random(len(seats)) < HELPED):
        start = (-seats[row] - 1) % deck.seat_count * size
        own = np.arange(start, start + size)
        others = np.setdiff1d(np.arange(deck.seat_count * size), own)
        aces, rest = others[is_ace[packs[row, others]]], own[~is_ace[packs[row, own]]]
        if len(aces) and len(rest):
            packs[row, [aces[0], rest[0]]] = packs[row, [rest[0], aces[0]]]
    return packs


def repeats_deals(deck: Deck, seats: Seats, chance: np.random.Generator) -> Packs:
    """One deal of a hundred is an earlier one, dealt from the seat that deals now."""
    packs = fair(deck, seats, chance)
    for row in np.flatnonzero(chance.random(len(seats)) < REPEATED):
        if row:
            packs[row] = packs[chance.integers(row)]
    return packs


#: The unfair dealers, by what they do.
UNFAIR: dict[str, Dealer] = {
    "redeals until each hand has two honours": levels_honours,
    "favours seat 0 with aces": favours_seat_0,
    "repeats deals": repeats_deals,
}


def dealt(deck: Deck, dealer: Dealer, count: int, seed: int, has_second_batch: bool = False) -> list[Deals]:
    """``count`` deals in matches of ten; a second batch is dealt only where somebody's first one is worth a bid."""
    chance = np.random.default_rng(seed)
    number = np.arange(count)
    seats = number % deck.seat_count
    packs = dealer(deck, seats, chance)
    hands = _hands(deck, packs, seats, 0)
    place = (number // _DEALS_PER_MATCH).astype(np.uint32), (number % _DEALS_PER_MATCH).astype(np.uint32)
    batches = [Deals(deck, hands, seats, number % _DEALS_PER_MATCH > 0, *place)]
    if has_second_batch:
        strongest = hands[:, :, np.isin(deck.kinds, deck.honours)].sum(axis=2).max(axis=1)
        bid = np.flatnonzero(strongest > deck.hand_size // 2)
        second = _hands(deck, packs[bid], seats[bid], deck.hand_size * deck.seat_count)
        pools = (np.array(deck.copies, dtype=np.uint8) - hands[bid].sum(axis=1)).astype(np.uint8)
        follows = np.zeros(len(bid), dtype=bool)
        batches.append(Deals(deck, second, seats[bid], follows, place[0][bid], place[1][bid], pools))
    return batches


def _hands(deck: Deck, packs: Packs, seats: Seats, start: int) -> Counts:
    """The hands that come off the packs from index ``start`` on, the seat after the dealer first."""
    kind_of = np.repeat(np.arange(len(deck.kinds)), deck.copies)
    end = start + deck.hand_size * deck.seat_count
    steps = np.repeat(np.arange(1, deck.seat_count + 1), deck.hand_size)
    owner = (seats[:, None] + steps) % deck.seat_count
    cell = (np.arange(len(packs))[:, None] * deck.seat_count + owner) * len(deck.kinds) + kind_of[packs[:, start:end]]
    shape = (len(packs), deck.seat_count, len(deck.kinds))
    return np.bincount(cell.ravel(), minlength=int(np.prod(shape))).astype(np.uint8).reshape(shape)
