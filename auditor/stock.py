"""A deal with a stock: hands, the stock face down, a discard pile that may begin with an upcard.

In: a ``deal`` event of a game played with several packs. Out: hands and a :class:`Spread` on the table, and who
starts. Refuses to know what is done with the cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from operator import countOf
from typing import Any, ClassVar

from msgspec import UNSET

from auditor import cards, events
from auditor.deals import Shuffle
from auditor.events import UNSEEN_CARD
from auditor.stage import Fault, Stage, is_plain
from auditor.table import Table


class Meld:
    """A meld on the table. ``laid`` are the cards with which ``seat`` laid it, ``cards`` those that lie there now."""

    __slots__ = ("cards", "laid", "seat")

    def __init__(self, seat: int, laid: Sequence[str]) -> None:
        self.seat = seat
        self.laid = laid
        self.cards = list(laid)


class Spread:
    """What lies on the table of a round, and what it has come to.

    ``stock`` and ``discards`` have their top card last; an unseen card of the stock is ``??``. ``hand_sizes``,
    ``opened``, ``swapped_jokers`` (those taken out of melds that a seat may still hold) and ``drew_unseen`` (whether a
    seat has drawn a card that the log does not show) hold one entry a seat. ``thrown`` is the act that threw the top
    discard, ``None`` for the upcard. ``highest`` are the points of the highest opening so far, with jokers counted and
    without.
    """

    __slots__ = (
        "discards",
        "drew_unseen",
        "hand_sizes",
        "highest",
        "melds",
        "opened",
        "stock",
        "swapped_jokers",
        "thrown",
    )

    def __init__(self, hand_sizes: list[int], stock: list[str], discards: list[str]) -> None:
        self.hand_sizes = hand_sizes
        self.stock = stock
        self.discards = discards
        self.melds: list[Meld] = []
        self.opened = [False] * len(hand_sizes)
        self.swapped_jokers = [0] * len(hand_sizes)
        self.drew_unseen = [False] * len(hand_sizes)
        self.thrown: events.Discard | None = None
        self.highest = (0, 0)

    @property
    def stock_count(self) -> int:
        """How many cards lie in the stock, seen or not."""
        return len(self.stock)


class StockDeal(Stage):
    """Every seat is dealt ``hand_size`` cards of ``pack`` (in pack order), and the seat that starts may have one more.

    ``expected`` is the seat that usually deals, ``None`` for any; another is noted. ``spread`` is what lies on the
    table afterwards, ``starter`` the seat with the extra card, if there is one.
    """

    __slots__ = (
        "_trouble",
        "dealer",
        "expected",
        "hand_size",
        "is_broken",
        "is_done",
        "pack",
        "shuffle",
        "spread",
        "starter",
        "table",
    )

    hears: ClassVar[tuple[type, ...]] = (events.RamiDeal,)
    opens_deal: ClassVar[bool] = True

    def __init__(
        self, table: Table, pack: tuple[str, ...], hand_size: int, expected: int | None, shuffle: Shuffle | None
    ) -> None:
        self.table = table
        self.pack = pack
        self.hand_size = hand_size
        self.expected = expected
        self.shuffle = shuffle
        self.dealer: int | None = None
        self.starter: int | None = None
        self.spread = Spread([], [], [])
        self._trouble = ""

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take a deal that leans on nothing."""
        event = log[index]
        if type(event) is events.RamiDeal and is_plain(event):
            self.table.leanings.clear()
            has_unseen = any(UNSEEN_CARD in hand for hand in event.hands)
            if not has_unseen and self.judge(event) is None and not self.table.leanings:
                self.apply(event)
                return index + 1
            self.table.leanings.clear()
        return index

    def judge(self, event: events.RamiDeal) -> Fault | None:
        if self.expected is not None and event.dealer != self.expected:
            self.table.lean("open.next-dealer", dealer=event.dealer, due=self.expected)
        self._trouble = self._trouble_with(event)
        if self._trouble:
            return Fault("deal.cards", True, {"size": self.hand_size, "trouble": self._trouble})
        return None if self.shuffle is None else self._judge_shuffle(event, self.shuffle)

    def apply(self, event: events.RamiDeal) -> None:
        self.dealer = event.dealer
        self.is_done = True
        self.is_broken = bool(self._trouble)
        if self.is_broken:
            seats = self.table.seat_count
            self.table.begin_deal(event.dealer, [0] * seats, [0] * seats, 0)
            return
        sizes = [len(hand) for hand in event.hands]
        self.starter = self._starter(event)
        hands = [cards.counted(hand) for hand in event.hands]
        unseen = [countOf(hand, UNSEEN_CARD) for hand in event.hands]
        stock = self._stock(event)
        discards = _upcard(event)
        self.spread = Spread(sizes, list(reversed(stock)), discards)
        is_all_seen = UNSEEN_CARD not in stock and not any(unseen)
        hidden = 0 if is_all_seen else cards.counted(self.pack) - sum(hands) - cards.counted([*stock, *discards])
        self.table.begin_layout(event.dealer, hands, unseen, hidden, self.spread)

    def _stock(self, event: events.RamiDeal) -> Sequence[str]:
        """The stock, top first; where the log does not have it, as many unseen cards."""
        if event.stock is not UNSET:
            return event.stock
        return [UNSEEN_CARD] * (len(self.pack) - sum(map(len, event.hands)) - len(_upcard(event)))

    def _trouble_with(self, event: events.RamiDeal) -> str:
        """What is wrong with the cards, by code: counts of cards, then cards that are strangers or there too often."""
        sizes = [len(hand) for hand in event.hands]
        extra = [size - self.hand_size for size in sizes]
        if len(sizes) != self.table.seat_count or min(extra) < 0 or max(extra) > 1 or sum(extra) > 1:
            return " ".join(map(str, sizes)) or "0"
        stock = self._stock(event)
        everything: list[str] = [*chain(*event.hands), *_upcard(event), *stock]
        if len(everything) != len(self.pack):
            return f"{' '.join(map(str, sizes))} + {len(everything) - sum(sizes)}"
        seen, in_pack = Counter(everything), _counts(self.pack)
        if seen.items() == in_pack.items():
            return ""
        del seen[UNSEEN_CARD]
        return " ".join([card for card, times in seen.items() if times > in_pack[card]])

    def _judge_shuffle(self, event: events.RamiDeal, shuffle: Shuffle) -> Fault | None:
        """What can be seen of hands, upcard and stock is as the shuffle gives it; how a hand is sorted is free."""
        number = self.table.deal_count
        if number == 0 and not shuffle.commitment_holds:
            return Fault("deal.shuffle", True, {"deal": number, "trouble": "broken commitment"})
        fair_hands, rest = deal_out(
            shuffle.pack(self.pack, number), event.dealer, self.hand_size, self._starter(event), self.table.seat_count
        )
        shown = [*_upcard(event), *self._stock(event)]
        if any(map(_has_others, event.hands, fair_hands)) or any(map(_is_other, shown, rest)):
            return Fault("deal.shuffle", True, {"deal": number, "trouble": "other cards"})
        if any(UNSEEN_CARD in hand for hand in (*event.hands, [] if event.stock is UNSET else event.stock)):
            self.table.lean("note.unseen", deal=number)
        return None

    def _starter(self, event: events.RamiDeal) -> int | None:
        """The seat that is dealt one card more than the others."""
        return next((seat for seat, hand in enumerate(event.hands) if len(hand) > self.hand_size), None)


def deal_out(
    pack: Sequence[str], dealer: int, hand_size: int, starter: int | None, seat_count: int
) -> tuple[list[list[str]], list[str]]:
    """The hands and the rest, top first: one card at a time from the seat after the dealer, then the starter's."""
    dealt = hand_size * seat_count
    hands = [list(pack[(seat - dealer - 1) % seat_count : dealt : seat_count]) for seat in range(seat_count)]
    rest = list(pack[dealt:])
    if starter is not None:
        hands[starter].append(rest.pop(0))
    return hands, rest


@lru_cache(maxsize=8)
def _counts(pack: tuple[str, ...]) -> Counter[str]:
    """How many times each card is in a pack; a game has few of them."""
    return Counter(pack)


def _upcard(event: events.RamiDeal) -> list[str]:
    return [] if event.upcard is UNSET else [event.upcard]


def _has_others(hand: Sequence[str], fair: Sequence[str]) -> bool:
    """Whether a card can be seen in a hand that is not in the fair one."""
    return bool(Counter(card for card in hand if card != UNSEEN_CARD) - Counter(fair))


def _is_other(card: str, fair: str) -> bool:
    return card not in (UNSEEN_CARD, fair)
