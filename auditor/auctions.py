"""The auction: calls in turn until somebody is bound to a contract, and the naming of a trump after it.

In: ``bid``, ``pass`` and ``trump`` events. Out: the standing bid, or a void deal. Refuses to know what a bid is
worth: which bids a game knows, and what outbids what, is handed in as :class:`Bids`.
"""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar, Protocol

from auditor import cards, events
from auditor.stage import Fault, Stage
from auditor.table import Contract, Table


class Bids(Protocol):
    """The bids of a game."""

    def judge(self, bid: Any, standing: Any | None) -> Fault | None:
        """The first clause that a bid by the seat on turn breaks; ``standing`` is the bid to beat, if any."""

    def is_contract(self, bid: Any) -> bool:
        """Whether a deal can be played to this bid at all."""

    def ends_auction(self, bid: Any) -> bool:
        """Whether nobody can speak after this bid."""

    def legal(self, standing: Any | None) -> list[str]:
        """The legal bids over the standing one, lowest first, as ``name`` writes them."""

    def name(self, bid: Any) -> str:
        """A bid as people write it."""


class Auction(Stage):
    """An auction in which a pass is final.

    ``first`` speaks first, then each seat upwards that has not passed. It ends when one seat is left and has bid,
    or at once on a bid that nobody may answer; it is void when all have passed.
    """

    __slots__ = ("_callers", "bids", "declarer", "is_broken", "is_done", "standing", "table")

    hears: ClassVar[tuple[type, ...]] = (events.TricksBid, events.Pass)
    quick: ClassVar[tuple[type, ...]] = hears

    def __init__(self, table: Table, first: int, bids: Bids) -> None:
        self.table = table
        self.bids = bids
        self.standing: Any | None = None
        self.declarer = first
        self.is_broken = self.is_done = False
        #: Who has not passed, in the order in which they will speak.
        self._callers = deque((first + step) % table.seat_count for step in range(table.seat_count))

    @property
    def turn(self) -> int:
        """The seat that speaks now."""
        return self._callers[0]

    @property
    def is_void(self) -> bool:
        """All have passed."""
        return self.standing is None and not self._callers

    def judge(self, call: events.TricksBid | events.Pass) -> Fault | None:
        if call.seat != self._callers[0]:
            return Fault("auction.turn", False, {"seat": call.seat, "turn": self.turn})
        if type(call) is events.Pass:
            return None
        return self.bids.judge(call, self.standing)

    def apply(self, call: events.TricksBid | events.Pass) -> None:
        callers = self._callers
        if type(call) is events.Pass:
            callers.popleft()
        else:
            callers.rotate(-1)
            self.standing = call
            self.is_broken = not self.bids.is_contract(call)
            self.declarer = call.seat
            self.table.contract = Contract(call.seat, self.bids.name(call))
        if self.standing is None:
            self.is_done = not callers
        else:
            self.is_done = len(callers) == 1 or self.bids.ends_auction(self.standing)

    def legal(self) -> list[str]:
        return ["pass", *self.bids.legal(self.standing)]


class TrumpNaming(Stage):
    """The winner of the auction names one of the four suits as trump."""

    __slots__ = ("is_done", "table", "turn")

    hears: ClassVar[tuple[type, ...]] = (events.NameTrump,)
    quick: ClassVar[tuple[type, ...]] = hears

    def __init__(self, table: Table, declarer: int) -> None:
        self.table = table
        self.turn = declarer

    def judge(self, event: events.NameTrump) -> Fault | None:
        if event.seat != self.turn or event.suit not in cards.SUITS:
            return Fault("trump.declarer", False, {"seat": event.seat, "trump": event.suit, "declarer": self.turn})
        return None

    def apply(self, event: events.NameTrump) -> None:
        self.table.trump = event.suit
        self.is_done = True

    def legal(self) -> list[str]:
        return list(cards.SUITS)
