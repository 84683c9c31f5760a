"""The auction of belote with contrée: bids of points with their trump, and the contre that may be said to them.

In: ``bid``, ``pass``, ``double``, ``redouble`` and ``accept`` events. Out: the standing bid and what its points are
multiplied by, or a void deal. Refuses to know what a bid is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, ClassVar

from msgspec import UNSET
from msgspec.structs import replace

from auditor import events
from auditor.cards import BIT, SUITS
from auditor.stage import Fault, Stage, is_plain, word_for
from auditor.table import Contract, Table

POINTS = range(90, 190, 10)
#: Bids that need king and queen of their trump in the bidder's own hand.
NEED_PAIR = (170, 180)
#: King and queen of a suit, by its letter.
PAIR = {suit: BIT["K" + suit] | BIT["Q" + suit] for suit in SUITS}
CONTRE, SURCONTRE = 2, 4


class ContreeAuction(Stage):
    """``first`` speaks first, then each seat upwards; a pass is not final.

    Three passes after a bid close the auction; four passes without one make the deal void. An opponent of the bidder
    may say contre; the bidder then accepts it, or answers surcontre, and either closes the auction. ``factor`` is what
    the points of the deal are multiplied by.
    """

    __slots__ = (
        "_passes",
        "contre",
        "declarer",
        "factor",
        "is_broken",
        "is_done",
        "standing",
        "table",
        "turn",
    )

    hears: ClassVar[tuple[type, ...]] = (
        events.ContreeBid,
        events.Pass,
        events.Double,
        events.Redouble,
        events.Accept,
    )

    def __init__(self, table: Table, first: int) -> None:
        self.table = table
        self.turn = self.declarer = first
        self.standing: events.ContreeBid | None = None
        self.factor = 1
        self.contre: events.Double | None = None
        self.is_broken = self.is_done = False
        #: How many passes there have been in a row.
        self._passes = 0

    @property
    def is_void(self) -> bool:
        """All have passed, and nobody has bid."""
        return self.standing is None and self._passes == self.table.seat_count

    @property
    def is_contred(self) -> bool:
        """Whether a contre has been said, which the bidder has to answer."""
        return self.contre is not None

    @property
    def broken_by(self) -> Any:
        return self.standing

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take calls that lean on nothing."""
        leanings, end = self.table.leanings, len(log)
        leanings.clear()
        while index < end and not self.is_done:
            call = log[index]
            if type(call) not in self.hears or not is_plain(call) or self.judge(call) is not None or leanings:
                break
            self.apply(call)
            index += 1
        leanings.clear()
        return index

    def judge(self, call: Any) -> Fault | None:
        kind = type(call)
        if kind is events.Pass and call.seat == self.turn and self.contre is None:
            return None
        is_contre_by_opponent = kind is events.Double and self._is_opponent(call.seat)
        if call.seat != self.turn and not is_contre_by_opponent:
            return Fault("auction.turn", False, {"seat": call.seat, "turn": self.turn})
        match call:
            case events.ContreeBid() if fault := self._judge_bid(call):
                return replace(fault, stands=not self.is_contred)
            case events.Double() if not is_contre_by_opponent or self.is_contred:
                return Fault("auction.double", False, {"seat": call.seat})
        if isinstance(call, events.ANSWERS) != self.is_contred:
            return Fault("auction.answer", False, {"kind": word_for(kind)})
        if call.seat != self.turn:
            self.table.lean("open.contre-turn", seat=call.seat, turn=self.turn)
        return None

    def unheard(self, event: Any) -> Fault:
        if self.is_contred:
            return Fault("auction.answer", False, {"kind": word_for(type(event))})
        return super().unheard(event)

    def apply(self, call: Any) -> None:
        kind = type(call)
        self.turn = self.table.after(call.seat)
        if kind is events.Pass:
            self._passes += 1
            if self._passes == self.table.seat_count - (self.standing is not None):
                self._close()
        elif kind is events.ContreeBid:
            self._passes = 0
            self.standing = call
            self.declarer = call.seat
            self.table.contract = Contract(call.seat, bid_name(call))
        elif kind is events.Double:
            self.contre = call
            self.turn = self.declarer
        else:
            self.factor = SURCONTRE if kind is events.Redouble else CONTRE
            self._close()

    def legal(self) -> list[str]:
        if self.is_contred:
            return ["accept", "redouble"]
        heights: list[dict[str, Any]] = [*({"points": points} for points in POINTS), {"capot": True}]
        names: list[dict[str, Any]] = [{"trump": suit, **height} for height in heights for suit in SUITS]
        bids = [events.ContreeBid(seat=self.turn, **name) for name in names]
        open_bids = [bid_name(bid) for bid in bids if self._outbids(bid) and self._may_have_pair(bid)]
        return ["pass", *open_bids, *(["double"] if self._is_opponent(self.turn) else [])]

    def _is_opponent(self, seat: int) -> bool:
        """Whether there is a bid, and it is the other team's."""
        return self.standing is not None and self.table.side(seat) != self.table.side(self.declarer)

    def _judge_bid(self, bid: events.ContreeBid) -> Fault | None:
        if not is_contract(bid) or (bid.points is not UNSET and bid.points not in POINTS):
            return Fault("auction.range", True, {"seat": bid.seat, "bid": bid_name(bid)})
        if not self._outbids(bid):
            assert self.standing is not None
            facts = {"seat": bid.seat, "bid": bid_name(bid), "standing": bid_name(self.standing)}
            return Fault("auction.outbid", True, facts)
        if bid.points in NEED_PAIR and PAIR[bid.trump] & ~self.table.hands[bid.seat]:
            if not self._may_have_pair(bid):
                return Fault("auction.needs-pair", True, {"seat": bid.seat, "bid": bid_name(bid)})
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        return None

    def _outbids(self, bid: events.ContreeBid) -> bool:
        return self.standing is None or _height(bid) > _height(self.standing)

    def _may_have_pair(self, bid: events.ContreeBid) -> bool:
        """Whether a bid needs no king and queen, or the bidder has them, as far as can be seen."""
        missing = PAIR[bid.trump] & ~self.table.hands[bid.seat] if bid.points in NEED_PAIR else 0
        return not missing & ~self.table.hidden and missing.bit_count() <= self.table.unseen[bid.seat]

    def _close(self) -> None:
        self.is_done = True
        if self.standing is not None:
            self.is_broken = not is_contract(self.standing)
            self.table.trump = self.standing.trump
            if self.factor > 1:
                self.table.contract = Contract(self.declarer, f"{bid_name(self.standing)} ×{self.factor}")


def bid_name(bid: events.ContreeBid) -> str:
    """A bid as people write it: ``90 H``, ``capot S``."""
    height = "capot" if bid.capot is True else "?" if bid.points is UNSET else str(bid.points)
    return f"{height} {bid.trump}"


def is_contract(bid: events.ContreeBid) -> bool:
    """Whether a deal can be played to a bid: it names a suit, and points or capot."""
    return bid.trump in SUITS and (bid.capot is True or bid.points is not UNSET)


def _height(bid: events.ContreeBid) -> float:
    """What counts for outbidding: the points; capot is above all of them."""
    return inf if bid.capot is True else 0 if bid.points is UNSET else bid.points
