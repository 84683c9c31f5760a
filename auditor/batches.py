"""Dealing in two batches, with an auction between them, and the right to ask for a new deal.

In: ``deal`` and ``redeal`` events. Out: hands on the table, in two steps. Refuses to know what is bid and played.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

from auditor import cards, events
from auditor.cards import BIT
from auditor.deals import Deal, DealOrder, Shuffle, in_batches
from auditor.stage import Fault
from auditor.table import Table


@cache
def order_of_batch(number: int, size: int, seat_count: int) -> DealOrder:
    """The deal order of batch ``number``, from 0, of ``size`` cards a seat: they are dealt one after another."""
    one_batch = in_batches([size], seat_count)

    def deal(pack: Sequence[str], dealer: int) -> list[list[str]]:
        return one_batch(pack[number * size * seat_count :], dealer)

    return deal


class FirstBatch(Deal):
    """Each seat is dealt ``size`` cards. Anybody may deal; another than the ``usual_dealers`` is noted.

    Where there are two of those, the rules leave open which of them deals.
    """

    __slots__ = ("is_proven", "usual_dealers")

    deals_more_later: ClassVar[bool] = True

    def __init__(
        self, table: Table, pack: cards.Pack, size: int, usual_dealers: Sequence[int], shuffle: Shuffle | None
    ) -> None:
        expected = usual_dealers[0] if usual_dealers else None
        super().__init__(table, pack, size, order_of_batch(0, size, table.seat_count), None, shuffle, expected)
        self.usual_dealers = usual_dealers
        #: A shuffle that fails is said once a deal.
        self.is_proven = True

    def take(self, log: Sequence[Any], index: int) -> int:
        return self.take_one(self.table, log, index)

    def judge(self, event: events.Deal) -> Fault | None:
        if len(self.usual_dealers) > 1 and not self._is_by_another(event):
            self.table.lean("open.all-pass", dealer=event.dealer)
        fault = super().judge(event)
        self.is_proven = fault is None or fault.clause != "deal.shuffle"
        return fault

    def _is_by_another(self, event: events.Deal) -> bool:
        return bool(self.usual_dealers) and event.dealer not in self.usual_dealers


class SecondBatch(Deal):
    """The dealer of the ``first`` batch deals each seat as many again.

    ``is_in_order``: the log lists these cards as they were dealt. ``dealt`` are the hands of this batch by code, and
    ``known`` and ``known_before`` the cards of this and of the first batch that the log shows, as masks.
    """

    __slots__ = ("dealt", "first", "is_in_order", "known", "known_before", "redeal")

    hears: ClassVar[tuple[type, ...]] = (events.Deal, events.Redeal)
    opens_deal: ClassVar[bool] = False

    def __init__(self, table: Table, first: FirstBatch, redeal: Redeal, is_in_order: bool) -> None:
        size = first.hand_size
        order = order_of_batch(1, size, table.seat_count)
        shuffle = first.shuffle if first.is_proven else None
        super().__init__(table, first.pack, size, order, table.dealer, shuffle)
        self.first = first
        self.redeal = redeal
        self.is_in_order = is_in_order
        self.dealt: Sequence[Sequence[str]] = ()
        self.known: Sequence[int] = ()
        self.known_before: Sequence[int] = ()

    @property
    def number(self) -> int:
        return self.table.deal_count - 1

    def take(self, log: Sequence[Any], index: int) -> int:
        return index if any(self.table.unseen) else super().take(log, index)

    def judge(self, event: events.Deal | events.Redeal) -> Fault | None:
        if isinstance(event, events.Redeal):
            return self.redeal.judge(event)
        self._hands = self._sorted(event)
        repeated = sum(self._hands or ()) & ~self.table.hidden
        if self._hands is None or repeated:
            self._hands = None
            trouble = " ".join(cards.codes(repeated)) or self._trouble(event)
            return Fault("deal.cards", True, {"trouble": trouble})
        if event.dealer != self.dealer:
            facts = {"dealer": event.dealer, "due": self.dealer}
            return Fault("deal.dealer", True, facts, self.dealer, event.dealer)
        return self._judge_shuffle(event, self._hands) if self.shuffle is not None else None

    def apply(self, event: events.Deal | events.Redeal) -> None:
        self.is_done, self.is_broken = True, False
        if isinstance(event, events.Redeal):
            self.redeal.is_asked = True
            return
        self.is_broken = self._hands is None
        if self._hands is not None:
            self._hand_out(self._hands)
            self.dealt = event.hands

    def legal(self) -> None:
        return None

    def _hand_out(self, hands: list[int]) -> None:
        table = self.table
        self.known, self.known_before = hands, list(table.hands)
        table.hidden ^= sum(hands)
        for seat in range(table.seat_count):
            table.hands[seat] |= hands[seat]
            table.unseen[seat] += self._unseen[seat]
        for seat, card in self._foreseen():
            if table.may_be_unseen(seat, card):
                table.hands[seat] |= card
                table.unseen[seat] -= 1
                table.hidden ^= card

    def _foreseen(self) -> list[tuple[int, int]]:
        """Seats with cards that they will show."""
        foreseen = self.table.foreseen
        return [(seat, BIT[card]) for seat, card in foreseen.shown] if foreseen is not None else []

    def _judge_shuffle(self, event: events.Deal, hands: list[int]) -> Fault | None:
        """The batch comes from the shuffle, and so do the cards of either batch that are only seen later."""
        assert self.shuffle is not None
        pack = self.shuffle.pack(self.pack.codes, self.number)
        fair = self.deal_order(pack, event.dealer)
        all_fair = in_batches([self.hand_size] * 2, self.table.seat_count)(pack, event.dealer)
        later = [(seat, card) for seat, card in self._foreseen() if card & self.table.hidden & ~sum(hands)]
        is_wrong = (
            any(held & ~cards.total(dealt) for held, dealt in zip(hands, fair, strict=True))
            or any(card & ~cards.total(all_fair[seat]) for seat, card in later)
            or (self.is_in_order and any(map(_is_in_other_order, event.hands, fair)))
        )
        if is_wrong:
            return Fault("deal.shuffle", True, {"deal": self.number, "trouble": "other cards"})
        if sum(self._unseen) + sum(self.table.unseen) > len(later):
            self.table.lean("note.unseen", deal=self.number)
        return None


def _is_in_other_order(hand: Sequence[str], dealt: Sequence[str]) -> bool:
    return any(card not in (events.UNSEEN_CARD, fair) for card, fair in zip(hand, dealt, strict=True))


class Redeal:
    """The right of a seat without a point in its first batch to ask for a new deal, where the table plays so.

    ``point_cards`` is the mask of the cards that have points.
    """

    def __init__(self, table: Table, is_allowed: bool, point_cards: int) -> None:
        self.table = table
        self.is_allowed = is_allowed
        self.point_cards = point_cards
        self.is_asked = False
        #: The seats that have made a call.
        self.called: set[int] = set()
        self._held = list(table.hands)
        self._unseen = list(table.unseen)

    def judge(self, event: events.Redeal) -> Fault | None:
        seat = event.seat
        if not self.is_allowed:
            return Fault("deal.redeal", False, {"seat": seat, "why": "the table plays without it"})
        if self._held[seat] & self.point_cards:
            return Fault("deal.redeal", False, {"seat": seat, "why": "it holds a point"})
        if self._unseen[seat]:
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        if seat in self.called:
            self.table.lean("open.redeal-late", seat=seat)
        return None
