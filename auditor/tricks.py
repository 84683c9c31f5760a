"""Tricks: one card from each seat, the best one takes them all.

In: ``play`` events. Out: who took the trick. Refuses to know a game: what is trump, which duties bind beside
following suit and what a card is worth is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import UNSET

from auditor import cards, events
from auditor.cards import BIT, SUIT_OF
from auditor.claims import is_right
from auditor.stage import Fault, Stage
from auditor.table import Table

#: The rank of a card's bit where the pack order is the rank order: 0 for a two, 12 for an ace.
NATURAL_RANK: Mapping[int, int] = {BIT[code]: cards.RANKS.index(code[0]) for code in cards.PACK_52.codes}


class Trick(Stage):
    """The leader plays any card; then each seat upwards follows suit if it can, and else plays any card.

    ``trump`` is the mask of the trump suit, 0 for none. ``top`` picks the strongest card out of cards of one suit.
    ``playable`` holds the cards that the seat on turn is known to be free to play.
    """

    __slots__ = (
        "_hands",
        "_led",
        "_seat_count",
        "card_points",
        "is_done",
        "leader",
        "playable",
        "plays",
        "table",
        "top",
        "trump",
        "turn",
        "winner",
    )

    hears: ClassVar[tuple[type, ...]] = (events.Play,)
    quick: ClassVar[tuple[type, ...]] = hears

    def __init__(self, table: Table, leader: int, trump: int, top: Callable[[int], int] = cards.highest) -> None:
        self.table = table
        self.trump = trump
        self.top = top
        self.leader = self.turn = self.winner = leader
        self.is_done = False
        self.card_points = 0
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
            if type(play) is not events.Play or play.seat != turn or play.refused is not UNSET or play.by == "timeout":
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
        return self.top(played & self.trump or played & self._led)

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


def weakest(choice: int, trump: int, rank: Mapping[int, int]) -> int:
    """The weakest of some cards: those of the lowest rank beside the trumps, or the lowest trump of nothing else."""
    plain = choice & ~trump or choice
    by_rank = {bit: rank[bit] for bit in rank if bit & plain}
    lowest = min(by_rank.values())
    return sum(bit for bit, value in by_rank.items() if value == lowest)
