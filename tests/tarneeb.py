"""Hands of Tarneeb and their play, for the tests of every game of that family.

In: seeds, hands as text. Out: hands, and the events of their play. Refuses to know auctions and scores; who takes a
trick comes from an oracle.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from .documents import Event, Hands, filled_up, play, shuffled_out, trick
from .tarneeb_classic.oracle import PACK, RANKS, SUITS, winner_of

#: Seat 0 all spades, 1 all hearts, 2 all diamonds, 3 all clubs.
ONE_SUIT_A_SEAT: Hands = [[rank + suit for rank in RANKS] for suit in "SHDC"]


def shuffled(rng: random.Random) -> Hands:
    """Thirteen random cards a seat."""
    return shuffled_out(rng, PACK)


def from_text(*hands: str) -> Hands:
    """Hands from texts such as ``"AS KS 2H"``; what the last seats leave out is dealt in pack order."""
    return filled_up(hands, PACK)


Policy = Callable[[list[str], str, str | None], str]


def plain_policy(hand: list[str], trump: str, led: str | None) -> str:
    """Lead the highest trump, or else the highest card; follow with the lowest card of the suit, discard the lowest."""
    legal = [card for card in hand if card[1] == led] or hand
    weakest_first = sorted(legal, key=lambda card: (card[1] == trump, RANKS.index(card[0]), SUITS.index(card[1])))
    return weakest_first[-1] if led is None else weakest_first[0]


def chance(rng: random.Random) -> Policy:
    """Any legal card."""

    def choose(hand: list[str], trump: str, led: str | None) -> str:
        return rng.choice([card for card in hand if card[1] == led] or hand)

    return choose


def play_out(
    hands: Hands, leader: int, trump: str, policy: Policy = plain_policy, *, claimed: bool = False
) -> tuple[list[Event], list[int]]:
    """All that is left in these hands, played legally, with trick claims if wanted; and the tricks of each team."""
    left = [list(hand) for hand in hands]
    events: list[Event] = []
    taken = [0, 0]
    for _ in range(len(hands[0])):
        table: list[tuple[int, str]] = []
        for seat in (leader, (leader + 1) % 4, (leader + 2) % 4, (leader + 3) % 4):
            card = policy(left[seat], trump, table[0][1][1] if table else None)
            left[seat].remove(card)
            table.append((seat, card))
            events.append(play(seat, card))
        leader = winner_of(table, trump)
        taken[leader % 2] += 1
        if claimed:
            events.append(trick(leader))
    return events, taken


def after(hands: Hands, plays: Iterable[Event]) -> Hands:
    """What is left in the hands after these plays."""
    gone = [event["card"] for event in plays]
    return [[card for card in hand if card not in gone] for hand in hands]


def with_trick_claims(rng: random.Random, events: Iterable[Event], share: float, trump: str) -> list[Event]:
    """The same events of one deal with right claims of some of its tricks."""
    plays: list[tuple[int, str]] = []
    claimed: list[Event] = []
    for event in events:
        claimed.append(event)
        if event["type"] == "play" and not event.get("refused"):
            plays.append((event["seat"], event["card"]))
            if len(plays) % 4 == 0 and rng.random() < share:
                claimed.append(trick(winner_of(plays[-4:], trump)))
    return claimed
