"""Tricks: one card from each seat, the best one takes them all.

In: ``play`` events. Out: who took the trick. Refuses to know a game: what is trump, which duties bind beside
following suit and what a card is worth is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol, TypeGuard

from msgspec import UNSET
from mypy_extensions import mypyc_attr

from auditor import cards, events
from auditor.cards import BIT, SUIT_BY_CODE
from auditor.claims import after_claim
from auditor.events import BelotePlay, Play
from auditor.rulebook import card_sign
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
        #: All cards of a higher rank, in any suit, by the length of a card's bit.
        self.above = cards.by_length(
            {card: sum(self._strongest_first[: len(ranks) - 1 - rank]) for card, rank in self.rank.items()}
        )
        #: The strongest of some cards of one suit.
        self.top: Callable[[int], int] = cards.highest if tuple(ranks) == cards.RANKS else self._top

    def _top(self, suit_cards: int) -> int:
        for of_rank in self._strongest_first:
            if found := suit_cards & of_rank:
                return found
        raise AssertionError("the top of no cards")


#: Ace high, two low, no card points.
NATURAL = Order(cards.RANKS)


@cache
def card_points(plain: Order, trumps: Order, trump: int) -> Sequence[int]:
    """The points printed on each card, by the length of its bit, where the suit of this mask is trump; 0 for none."""
    return cards.by_length(plain.points | {card: points for card, points in trumps.points.items() if card & trump})


#: By the number of seats: which seat acts after each.
ROUND = {count: tuple((seat + 1) % count for seat in range(count)) for count in range(1, 5)}


class Duty(Protocol):
    """A duty beside following suit: it binds only who may play a trump."""

    clause: str

    def narrow(self, trick: Trick, seat: int, choice: int) -> int:
        """Those of the cards that may be played: all of them where the duty does not bind or cannot be done, and 0
        where only a card that the log does not show could tell."""


class Words(Protocol):
    """The words that are said as some cards are played."""

    def due(self, seat: int, card: int) -> str | None:
        """The word that goes with a card that the seat holds."""

    def judge(self, play: events.BelotePlay) -> Fault | None:
        """The clause that the word said with a card breaks."""

    def hear(self, play: events.BelotePlay) -> None:
        """A word is said with a card that the seat still holds."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Trick(Stage):
    """The leader plays any card; then each seat upwards follows suit if it can, does its other duties, and is free.

    ``trump`` is the mask of the trump suit, 0 for none; ``plain`` and ``trumps`` order its cards and all others,
    ``duties`` bind one after the other, and ``words`` go with some cards. Who takes the trick leads to the next one,
    until ``count`` are played or ``stops`` says so, which is told of each.

    ``playable`` holds the cards that the seat on turn is known to be free to play. ``plays`` are the cards that lie on
    the table, the leader's first, and ``led`` is the mask of the suit led. ``tricks``, ``winners`` and ``ends`` have
    one entry for each trick that was played: its cards, who took it, and the index of the event with which it was
    closed; ``winner`` took the last one.
    """

    __slots__ = (
        "_after",
        "_hands",
        "_kind",
        "_seat_count",
        "_stops",
        "count",
        "duties",
        "ends",
        "is_done",
        "leader",
        "led",
        "plain",
        "playable",
        "plays",
        "table",
        "tricks",
        "trump",
        "trumps",
        "turn",
        "winner",
        "winners",
        "words",
    )

    hears: ClassVar[tuple[type, ...]] = events.PLAYS
    quick: ClassVar[tuple[type, ...]] = hears

    def __init__(
        self,
        table: Table,
        leader: int,
        trump: int,
        plain: Order = NATURAL,
        trumps: Order = NATURAL,
        duties: Sequence[Duty] = (),
        words: Words | None = None,
        count: int = 1,
        stops: Callable[[Trick], bool] | None = None,
    ) -> None:
        self.table = table
        self.trump = trump
        self.plain = plain
        self.trumps = trumps
        self.duties = duties
        self.words = words
        self.count = count
        self.leader = self.turn = self.winner = leader
        self.is_done = False
        self.playable = table.hands[leader]
        self._hands = table.hands
        self._seat_count = table.seat_count
        self._after = ROUND[table.seat_count]
        self._stops = stops
        self._kind: Any = Play if words is None else BelotePlay
        self.led = 0
        self.plays: list[int] = []
        self.tricks: list[list[int]] = []
        self.winners: list[int] = []
        self.ends: list[int] = []
        self.ended_at = -1

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take the cards of these tricks in a row, and the claim of each."""
        taken = self._take_cards(log, index, 0)
        return taken if taken > index else self.take_one(self.table, log, index)

    def _take_cards(self, log: Sequence[Any], index: int, first: int) -> int:
        """The same; ``first`` is where in the match the log begins."""
        table, hands, unseen, duties, kind = self.table, self._hands, self.table.unseen, self.duties, self._kind
        after, seat_count, words, unset = self._after, self._seat_count, self.words, UNSET
        turn, playable, led, plays = self.turn, self.playable, self.led, self.plays
        end, leader = len(log), self.leader
        while index < end:
            if not plays:
                index = after_claim(table, log, index)
            laid = len(plays)
            for play in log[index : index + seat_count - laid]:
                if type(play) is not kind or play.seat != turn or play.refused is not unset:
                    break
                if play.by is not unset and play.by == "timeout":
                    break
                code = play.card
                card = BIT[code]
                if not card & playable:
                    break
                if words is not None and play.announce is not unset:
                    if play.announce != words.due(turn, card):
                        break
                    words.hear(play)
                hands[turn] ^= card
                if not led:
                    self.led = led = SUIT_BY_CODE[code]
                plays.append(card)
                turn = after[turn]
                playable = hands[turn] & led or (0 if unseen[turn] else hands[turn])
                if duties and playable & self.trump and len(plays) < seat_count:
                    for duty in duties:
                        playable = duty.narrow(self, turn, playable)
            index += len(plays) - laid
            if len(plays) < seat_count:
                break
            # All have played: the best card takes the trick, and its seat leads to the next one.
            winner = (leader + plays.index(self.best(sum(plays)))) % seat_count
            table.tricks_taken[winner] += 1
            table.begin_trick(leader, plays)
            table.closed_trick = self
            self.tricks.append(plays)
            self.winners.append(winner)
            self.ends.append(first + index - 1)
            self.winner = turn = winner
            if (self._stops is not None and self._stops(self)) or len(self.ends) == self.count:
                self.is_done = True
                break
            self.leader = leader = winner
            self.led = led = 0
            self.plays = plays = []
            playable = hands[winner]
        if plays and not self.is_done:
            table.begin_trick(leader, plays)
        self.turn, self.playable = turn, playable
        return index

    def best(self, played: int) -> int:
        """The card that wins among those played: the highest trump; without one, the highest of the suit led."""
        trumps = played & self.trump
        return self.trumps.top(trumps) if trumps else self.plain.top(played & self.led)

    @property
    def card_points(self) -> int:
        """The points printed on the cards of the last trick that was played."""
        points_of = card_points(self.plain, self.trumps, self.trump)
        return sum([points_of[card.bit_length()] for card in self.tricks[-1]])

    def judge(self, play: events.Play | events.BelotePlay) -> Fault | None:
        if play.seat != self.turn:
            return Fault("play.turn", False, {"seat": play.seat, "turn": self.turn})
        if not BIT[play.card] & self.playable:
            fault = self._judge_card(play.seat, play.card)
            if fault is not None:
                return fault
        return self.words.judge(play) if self.words is not None and _is_announced(play) else None

    def _judge_card(self, seat: int, code: str) -> Fault | None:
        """The clause that a card breaks that is not known to be playable."""
        card = BIT[code]
        hand = self._hands[seat]
        if not hand & card and not self.table.may_be_unseen(seat, card):
            return Fault("play.in-hand", False, {"seat": seat, "card": code})
        if hand & self.led and not card & self.led:
            return Fault("play.follow-suit", True, {"seat": seat, "card": code, "led": cards.suit(self.plays[0])})
        might_follow = self.table.unseen[seat] > 0 and not card & self.led
        is_known = bool(hand & card) and not might_follow
        held = hand | card
        choice = held & self.led or held
        for duty in () if might_follow else self.duties:
            free = duty.narrow(self, seat, choice)
            if free and not card & free:
                return Fault(duty.clause, True, {"seat": seat, "card": code})
            is_known = is_known and free > 0
            choice = free or choice
        if not is_known:
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        return None

    def apply(self, play: events.Play | events.BelotePlay) -> None:
        card = BIT[play.card]
        if not self._hands[play.seat] & card:
            self.table.show(play.seat, card)
        if self.words is not None and _is_announced(play):
            self.words.hear(play)
        self.playable |= card  # it was judged; what stands is laid like any other card
        self._take_cards((self._kind(seat=play.seat, card=play.card),), 0, self.ended_at)

    def legal(self) -> list[str] | None:
        return None if self.table.unseen[self.turn] else cards.codes(self.playable)

    def judge_clock(self, play: events.Play | events.BelotePlay) -> Fault | None:
        """The fault of an otherwise legal play by the clock that is not of a weakest playable card."""
        card = BIT[play.card]
        weak = weakest(self.playable | card, self.trump, self.plain, self.trumps)
        if not card & weak:
            facts = {"seat": play.seat, "act": card_sign(play.card)}
            return Fault("timeout.policy", True, facts, legal=cards.codes(weak))
        if self.table.unseen[play.seat]:
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        return None


def _is_announced(play: events.Play | events.BelotePlay) -> TypeGuard[events.BelotePlay]:
    return isinstance(play, events.BelotePlay) and play.announce is not UNSET


def weakest(choice: int, trump: int, plain: Order = NATURAL, trumps: Order = NATURAL) -> int:
    """The weakest of some cards: those of the lowest rank beside the trumps, or the lowest trump of nothing else."""
    order, among = (plain, choice & ~trump) if choice & ~trump else (trumps, choice)
    strength = {bit: rank for bit, rank in order.rank.items() if bit & among}
    lowest = min(strength.values())
    return sum(bit for bit, rank in strength.items() if rank == lowest)
