"""Tricks: one card from each seat, the best one takes them all.

In: ``play`` events. Out: who took the trick. Refuses to know a game: what is trump, which duties bind beside
following suit and what a card is worth is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from msgspec import UNSET

from auditor import cards, events
from auditor.cards import BIT, SUIT_OF
from auditor.claims import is_right
from auditor.stage import Fault, Stage
from auditor.table import Table


class Order:
    """Which of two cards of a suit is stronger, and what a card is worth.

    ``ranks`` stand from the weakest to the strongest; ``points`` gives card points by rank, 0 where it says nothing.
    ``rank`` and ``points`` map a card's bit to its strength, from 0, and to its card points.
    """

    def __init__(self, ranks: Sequence[str], points: Mapping[str, int] | None = None) -> None:
        worth = points or {}
        self.rank = {BIT[rank + suit]: strength for strength, rank in enumerate(ranks) for suit in cards.SUITS}
        self.points = {BIT[rank + suit]: worth.get(rank, 0) for rank in ranks for suit in cards.SUITS}
        self._strongest_first = [sum(BIT[rank + suit] for suit in cards.SUITS) for rank in reversed(ranks)]
        #: The strongest of some cards of one suit.
        self.top: Callable[[int], int] = cards.highest if tuple(ranks) == cards.RANKS else self._top

    def _top(self, suit_cards: int) -> int:
        return next(found for of_rank in self._strongest_first if (found := suit_cards & of_rank))


#: Ace high, two low, no card points.
NATURAL = Order(cards.RANKS)


class Duty(Protocol):
    """A duty beside following suit."""

    clause: str

    def narrow(self, trick: Trick, seat: int, choice: int) -> int:
        """Those of the cards that do the duty; 0 where it does not bind, or cannot be done."""


_PLAYS = (events.Play, events.BelotePlay)


class Trick(Stage):
    """The leader plays any card; then each seat upwards follows suit if it can, does its other duties, and is free.

    ``trump`` is the mask of the trump suit, 0 for none; ``plain`` and ``trumps`` order its cards and all others, and
    ``duties`` bind one after the other. ``playable`` holds the cards that the seat on turn is known to be free to play.
    ``plays`` are the cards that lie on the table, the leader's first.
    """

    __slots__ = (
        "_hands",
        "_led",
        "_seat_count",
        "duties",
        "is_done",
        "leader",
        "plain",
        "playable",
        "plays",
        "table",
        "trump",
        "trumps",
        "turn",
        "winner",
    )

    hears: ClassVar[tuple[type, ...]] = _PLAYS
    quick: ClassVar[tuple[type, ...]] = hears

    def __init__(
        self,
        table: Table,
        leader: int,
        trump: int,
        plain: Order = NATURAL,
        trumps: Order = NATURAL,
        duties: Sequence[Duty] = (),
    ) -> None:
        self.table = table
        self.trump = trump
        self.plain = plain
        self.trumps = trumps
        self.duties = duties
        self.leader = self.turn = self.winner = leader
        self.is_done = False
        self.playable = table.hands[leader]
        self._hands = table.hands
        self._seat_count = table.seat_count
        self._led = 0
        self.plays: list[int] = []

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take the cards of this trick in a row; the claim of the trick before it may come first."""
        table = self.table
        plays = self.plays
        if type(log[index]) is events.TrickClaim and is_right(table.closed_trick, log[index]):
            table.closed_trick = None
            index += 1
        hands = self._hands
        turn, playable, led = self.turn, self.playable, self._led
        for play in log[index : index + self._seat_count - len(plays)]:
            if type(play) not in _PLAYS or play.seat != turn or play.refused is not UNSET or play.by == "timeout":
                break
            card = BIT[play.card]
            if not card & playable:
                break
            hands[turn] ^= card
            if not plays:
                led = SUIT_OF[card]
                table.begin_trick(self.leader, plays)
            plays.append(card)
            turn = (turn + 1) % self._seat_count
            hand = hands[turn]
            playable = hand & led or (0 if table.unseen[turn] else hand)
            for duty in self.duties:
                playable = duty.narrow(self, turn, playable) or playable
            index += 1
        self.turn, self.playable, self._led = turn, playable, led
        if len(plays) == self._seat_count:
            self.winner = winner = (self.leader + plays.index(self.best(sum(plays)))) % self._seat_count
            table.tricks_taken[winner] += 1
            table.closed_trick = self
            self.is_done = True
        return index

    def best(self, played: int) -> int:
        """The card that wins among those played: the highest trump; without one, the highest of the suit led."""
        trumps = played & self.trump
        return self.trumps.top(trumps) if trumps else self.plain.top(played & self._led)

    @property
    def card_points(self) -> int:
        """The points printed on the cards that lie on the table."""
        return sum((self.trumps if card & self.trump else self.plain).points[card] for card in self.plays)

    def judge(self, play: events.Play) -> Fault | None:
        seat = play.seat
        if seat != self.turn:
            return Fault("play.turn", False, {"seat": seat, "turn": self.turn})
        card = BIT[play.card]
        hand = self._hands[seat]
        if card & self.playable:
            return None
        if not hand & card and not self.table.may_be_unseen(seat, card):
            return Fault("play.in-hand", False, {"seat": seat, "card": play.card})
        if hand & self._led and not card & self._led:
            return Fault("play.follow-suit", True, {"seat": seat, "card": play.card, "led": cards.suit(self.plays[0])})
        free = hand & self._led or hand
        for duty in self.duties:
            bound = duty.narrow(self, seat, free)
            if bound and not card & bound:
                return Fault(duty.clause, True, {"seat": seat, "card": play.card})
            free = bound or free
        if not hand & card or not card & self._led:  # is it there; might another unseen card have followed
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        return None

    def apply(self, play: events.Play) -> None:
        card = BIT[play.card]
        if not self._hands[play.seat] & card:
            self.table.show(play.seat, card)
        self.playable |= card  # it was judged; what stands is laid like any other card
        self.take((events.Play(seat=play.seat, card=play.card),), 0)

    def legal(self) -> list[str]:
        return cards.codes(self.playable or self._hands[self.turn])


def weakest(choice: int, trump: int, plain: Order = NATURAL, trumps: Order = NATURAL) -> int:
    """The weakest of some cards: those of the lowest rank beside the trumps, or the lowest trump of nothing else."""
    order, among = (plain, choice & ~trump) if choice & ~trump else (trumps, choice)
    strength = {bit: rank for bit, rank in order.rank.items() if bit & among}
    lowest = min(strength.values())
    return sum(bit for bit, rank in strength.items() if rank == lowest)
