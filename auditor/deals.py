"""Dealing: the stage that hands out cards, and the shuffle proof that they may come from.

In: a ``deal`` event. Out: hands on the table. Refuses to know what is played with them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeAlias

from mypy_extensions import mypyc_attr

from auditor import cards, events
from auditor.stage import Fault, Stage, deal_over, is_plain
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


@mypyc_attr(allow_interpreted_subclasses=True)
class Deal(Stage):
    """Every seat is dealt ``hand_size`` cards of ``pack``; ``dealer`` is who should deal, or ``None`` for anybody.

    Where anybody may deal, ``expected`` is the seat that usually does: another is noted. Where it is open which of two
    seats deals, ``or_dealer`` is the other one: either is noted.
    """

    __slots__ = (
        "_hands",
        "_unseen",
        "deal_order",
        "dealer",
        "expected",
        "hand_size",
        "is_broken",
        "is_done",
        "or_dealer",
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
        expected: int | None = None,
        or_dealer: int | None = None,
    ) -> None:
        self.table = table
        self.pack = pack
        self.hand_size = hand_size
        self.deal_order = deal_order
        self.dealer = dealer
        self.expected = expected
        self.or_dealer = or_dealer
        self.shuffle = shuffle
        self._hands: list[int] | None = None
        self._unseen: list[int] = []

    @property
    def number(self) -> int:
        """The number of this deal, from 0; void deals count."""
        return self.table.deal_count

    def unheard(self, event: Any) -> Fault:
        if self.table.is_cut_short and isinstance(event, events.PLAYS):
            return deal_over(event)
        return super().unheard(event)

    def take(self, log: Sequence[Any], index: int) -> int:
        event = log[index]
        if type(event) is not events.Deal or not is_plain(event):
            return index
        if self._is_by_another(event) or self._is_by_either(event):
            return index
        if self.judge(event) is None and not any(self._unseen):
            self.apply(event)
            index += 1
        return index

    def judge(self, event: events.Deal) -> Fault | None:
        self._hands = self._sorted(event)
        if self._is_by_another(event):
            self.table.lean("open.next-dealer", dealer=event.dealer, due=self.expected)
        if self._is_by_either(event):
            self.table.lean("open.void-dealer", dealer=event.dealer)
        elif self.dealer is not None and event.dealer != self.dealer:
            return Fault("deal.dealer", True, {"dealer": event.dealer, "due": self.dealer}, self.dealer, event.dealer)
        if self._hands is None:
            return Fault("deal.cards", True, {"trouble": self._trouble(event)})
        if self.shuffle is not None:
            return self._judge_shuffle(event, self._hands)
        return None

    def apply(self, event: events.Deal) -> None:
        self.dealer = event.dealer
        self.is_broken = self._hands is None
        if self._hands is None:
            nothing = [0] * self.table.seat_count
            self.table.begin_deal(event.dealer, nothing, nothing, self.pack.mask)
        else:
            self.table.begin_deal(event.dealer, self._hands, self._unseen, self.pack.mask)
        self.is_done = True

    def _is_by_another(self, event: events.Deal) -> bool:
        return self.expected is not None and event.dealer != self.expected

    def _is_by_either(self, event: events.Deal) -> bool:
        return self.or_dealer is not None and event.dealer in (self.dealer, self.or_dealer)

    def _sorted(self, event: events.Deal) -> list[int] | None:
        """The hands as masks, or ``None`` where they are not a deal of this pack. Counts the unseen cards."""
        hands = [cards.total(hand) for hand in event.hands]
        is_sized = [len(hand) for hand in event.hands] == [self.hand_size] * self.table.seat_count
        everything = sum(hands)
        card_count = self.hand_size * self.table.seat_count
        if is_sized and everything.bit_count() == card_count and everything | self.pack.mask == self.pack.mask:
            self._unseen = [0] * self.table.seat_count  # all are there to see, each once
            return hands
        self._unseen = [self.hand_size - held.bit_count() for held in hands]
        is_deal = (
            is_sized
            and everything.bit_count() + sum(self._unseen) == card_count
            and (not any(self._unseen) or self._unseen == [hand.count("??") for hand in event.hands])
            and everything & ~self.pack.mask == 0
        )
        return hands if is_deal else None

    def _trouble(self, event: events.Deal) -> str:
        """What is wrong with the cards, by code: sizes of hands, or else strangers, or else cards dealt twice."""
        sizes = [str(len(hand)) for hand in event.hands]
        if sizes != [str(self.hand_size)] * self.table.seat_count:
            return _some(sizes)
        dealt: list[str] = [card for hand in event.hands for card in hand if card != events.UNSEEN_CARD]
        strangers = [card for card in dealt if card not in self.pack.codes]
        return _some(strangers or [f"{card} ×{dealt.count(card)}" for card in self.pack.codes if dealt.count(card) > 1])

    def _judge_shuffle(self, event: events.Deal, hands: list[int]) -> Fault | None:
        assert self.shuffle is not None
        number = self.number
        if number == 0 and not self.shuffle.commitment_holds:
            return Fault("deal.shuffle", True, {"deal": number, "trouble": "broken commitment"})
        dealt = self.deal_order(self.shuffle.pack(self.pack.codes, number), event.dealer)
        if any(held & ~cards.total(fair) for held, fair in zip(hands, dealt, strict=True)):
            return Fault("deal.shuffle", True, {"deal": number, "trouble": "other cards"})
        if any(self._unseen):
            self.table.lean("note.unseen", deal=number)
        return None


def _some(parts: Sequence[str]) -> str:
    """The first few of some codes."""
    return " ".join(parts[:8]) + (" …" if len(parts) > 8 else "") if parts else "0"
