"""Dealing: the stage that hands out cards, and the shuffle proof that they may come from.

In: a ``deal`` event. Out: hands on the table. Refuses to know what is played with them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeAlias

from auditor import cards, events
from auditor.stage import Fault, Stage, is_plain
from auditor.table import Table

#: From a pack in shuffled order and the dealer's seat to one list of cards a seat.
DealOrder: TypeAlias = Callable[[Sequence[str], int], list[list[str]]]


class Shuffle:
    """The packs that a shuffle proof binds a platform to (scheme ``hmac-sha256-fisher-yates/1``)."""

    def __init__(self, proof: events.ShuffleProof) -> None:
        self._key = bytes.fromhex(proof.server_seed)
        self._client_seed = proof.client_seed
        #: Whether the commitment published before the match fits the seed published after it.
        self.commitment_holds = hashlib.sha256(self._key).hexdigest() == proof.commitment.lower()

    def pack(self, pack: Sequence[str], deal_number: int) -> list[str]:
        """The pack, given in its stated order, as it lies after the shuffle of deal ``deal_number`` (from 0)."""
        shuffled = list(pack)
        words = self._words(deal_number)
        for last in range(len(shuffled) - 1, 0, -1):
            limit = (1 << 32) // (last + 1) * (last + 1)
            word = next(word for word in words if word < limit)
            pick = word % (last + 1)
            shuffled[last], shuffled[pick] = shuffled[pick], shuffled[last]
        return shuffled

    def _words(self, deal_number: int) -> Iterator[int]:
        block = 0
        while True:
            message = f"{self._client_seed}:{deal_number}:{block}".encode()
            digest = hmac.digest(self._key, message, "sha256")
            for start in range(0, len(digest), 4):
                yield int.from_bytes(digest[start : start + 4], "big")
            block += 1


def in_batches(sizes: Sequence[int], seat_count: int) -> DealOrder:
    """Deal ``sizes`` cards at a time to the seat after the dealer and on round to the dealer."""

    def deal(pack: Sequence[str], dealer: int) -> list[list[str]]:
        hands: list[list[str]] = [[] for _ in range(seat_count)]
        start = 0
        for size in sizes:
            for step in range(1, seat_count + 1):
                hands[(dealer + step) % seat_count] += pack[start : start + size]
                start += size
        return hands

    return deal


class Deal(Stage):
    """Every seat is dealt ``hand_size`` cards of ``pack``; ``dealer`` is who should deal, or ``None`` for anybody."""

    __slots__ = (
        "_hands",
        "_unseen",
        "deal_order",
        "dealer",
        "hand_size",
        "is_broken",
        "is_done",
        "pack",
        "shuffle",
        "table",
    )

    hears: ClassVar[tuple[type, ...]] = (events.Deal,)
    opens_deal: ClassVar[bool] = True

    def __init__(
        self,
        table: Table,
        pack: cards.Pack,
        hand_size: int,
        deal_order: DealOrder,
        dealer: int | None,
        shuffle: Shuffle | None,
    ) -> None:
        self.table = table
        self.pack = pack
        self.hand_size = hand_size
        self.deal_order = deal_order
        self.dealer = dealer
        self.shuffle = shuffle
        self._hands: list[int] | None = None
        self._unseen: list[int] = []

    def take(self, log: Sequence[Any], index: int) -> int:
        event = log[index]
        if type(event) is events.Deal and is_plain(event) and self.judge(event) is None and not any(self._unseen):
            self.apply(event)
            index += 1
        return index

    def judge(self, event: events.Deal) -> Fault | None:
        self._hands = self._sorted(event)
        if self.dealer is not None and event.dealer != self.dealer:
            return Fault("deal.dealer", True, {"dealer": event.dealer, "due": self.dealer}, self.dealer, event.dealer)
        if self._hands is None:
            return Fault("deal.cards", True, {"trouble": self._trouble(event)})
        if self.shuffle is not None:
            return self._judge_shuffle(event, self._hands)
        return None

    def apply(self, event: events.Deal) -> None:
        self.dealer = event.dealer
        self.is_broken = self._hands is None
        hands = self._hands or [0] * self.table.seat_count
        self.table.begin_deal(event.dealer, hands, self._unseen, self.pack.mask)
        self.is_done = True

    def _sorted(self, event: events.Deal) -> list[int] | None:
        """The hands as masks, or ``None`` where they are not a deal of this pack. Counts the unseen cards."""
        hands = [cards.total(hand) for hand in event.hands]
        self._unseen = [self.hand_size - held.bit_count() for held in hands]
        everything = sum(hands)
        is_deal = (
            [len(hand) for hand in event.hands] == [self.hand_size] * self.table.seat_count
            and everything.bit_count() + sum(self._unseen) == self.hand_size * self.table.seat_count
            and (not any(self._unseen) or self._unseen == [hand.count("??") for hand in event.hands])
            and everything & ~self.pack.mask == 0
        )
        return hands if is_deal else None

    def _trouble(self, event: events.Deal) -> str:
        """What is wrong with the cards, by code: counts of cards, then strangers, then cards dealt twice."""
        sizes = [len(hand) for hand in event.hands]
        if sizes != [self.hand_size] * self.table.seat_count:
            return " ".join(str(size) for size in sizes)
        dealt: list[str] = [card for hand in event.hands for card in hand if card != events.UNSEEN_CARD]
        wrong = [card for card in dealt if card not in self.pack.codes] or [
            card for card in self.pack.codes if dealt.count(card) > 1
        ]
        return " ".join(dict.fromkeys(wrong))

    def _judge_shuffle(self, event: events.Deal, hands: list[int]) -> Fault | None:
        assert self.shuffle is not None
        number = self.table.deal_count
        if number == 0 and not self.shuffle.commitment_holds:
            return Fault("deal.shuffle", True, {"deal": number, "trouble": "broken commitment"})
        dealt = self.deal_order(self.shuffle.pack(self.pack.codes, number), event.dealer)
        if any(held & ~cards.total(fair) for held, fair in zip(hands, dealt, strict=True)):
            return Fault("deal.shuffle", True, {"deal": number, "trouble": "other cards"})
        if any(self._unseen):
            self.table.lean("note.unseen", deal=number)
        return None
