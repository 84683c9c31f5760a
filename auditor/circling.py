"""The auction in which no pass is final: the turn goes round until a bid has been passed on by all others.

In: ``bid``, ``pass`` and ``double`` events, and the lead that may close it. Out: the standing bid and whether it is
doubled, or a void deal. Refuses to know what a bid is worth, and who may bid what: that is handed in as
:class:`SeatBids`.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any, ClassVar, Protocol

from auditor import cards, events
from auditor.auctions import cannot_lead, may_lead
from auditor.stage import Fault, Stage, is_plain
from auditor.table import Contract, Table


class SeatBids(Protocol):
    """The bids of a game in which not every seat may bid the same."""

    def judge(self, bid: Any, standing: Any | None) -> Fault | None:
        """The first clause that a bid by the seat on turn breaks. May lean on open points."""

    def is_contract(self, bid: Any) -> bool:
        """Whether a deal can be played to this bid at all."""

    def legal(self, seat: int, standing: Any | None) -> list[str]:
        """The legal bids of a seat over the standing one, lowest first, as ``name`` writes them."""

    def name(self, bid: Any) -> str:
        """A bid as people write it."""


class CirclingAuction(Stage):
    """An auction in which a pass is not final: the turn goes round until a bid has been passed on.

    ``first`` speaks first, then each seat upwards, every seat whenever its turn comes. A double is a pass that doubles
    the bid that stands when it is said. After a bid and three passes the bidder may raise himself; whether he passes to
    close the auction, or leads at once, is open (``open.auction-close``). Four passes without a bid make it void.

    Seats in ``out`` may not bid, and may be passed over without a call, which counts as a pass (``open.call-skipped``);
    so may those in ``perhaps_out``, whose cards the log does not show. Who may double is open (``open.double-own``).
    """

    __slots__ = (
        "_passes",
        "_perhaps_out",
        "bids",
        "declarer",
        "double",
        "is_broken",
        "is_done",
        "out",
        "standing",
        "table",
        "turn",
    )

    hears: ClassVar[tuple[type, ...]] = (events.TricksBid, events.Pass, events.Double, events.Play)
    quick: ClassVar[tuple[type, ...]] = (events.TricksBid, events.Pass)

    def __init__(
        self,
        table: Table,
        first: int,
        bids: SeatBids,
        out: Set[int] = frozenset(),
        perhaps_out: Set[int] = frozenset(),
    ) -> None:
        self.table = table
        self.bids = bids
        self.standing: Any | None = None
        self.declarer = self.turn = first
        self.is_broken = self.is_done = False
        #: The double of the bid that stands, the first one if there are more.
        self.double: events.Double | None = None
        self.out = out
        self._perhaps_out = set(perhaps_out)
        #: How many passes there have been in a row.
        self._passes = 0

    @property
    def is_void(self) -> bool:
        """All have passed, and nobody has bid."""
        return self.standing is None and self._passes == self.table.seat_count

    @property
    def is_doubled(self) -> bool:
        """Whether the bid that stands has been doubled."""
        return self.double is not None

    @property
    def broken_by(self) -> Any:
        return self.standing

    def take(self, log: Any, index: int) -> int:
        """Take calls that lean on nothing."""
        leanings, end = self.table.leanings, len(log)
        leanings.clear()
        while index < end and not self.is_done:
            call = log[index]
            if type(call) not in self.quick or not is_plain(call) or self.judge(call) is not None or leanings:
                break
            self.apply(call)
            index += 1
        leanings.clear()
        return index

    def judge(self, call: Any) -> Fault | None:
        kind = type(call)
        if kind is events.Play:
            return cannot_lead(self.declarer, call) if self._may_close_before(self.declarer) else self.unheard(call)
        if call.seat != self.turn:
            if not self._may_pass_over(call.seat):
                return Fault("auction.turn", False, {"seat": call.seat, "turn": self.turn})
            self._lean_on_skipped(call.seat)
        if kind is events.TricksBid:
            return self.bids.judge(call, self.standing)
        if self._may_close_before(call.seat):
            self.table.lean("open.auction-close", seat=call.seat)
        if kind is events.Double and self._is_doubtful(call.seat):
            self.table.lean("open.double-own", seat=call.seat)
        return None

    def apply(self, call: Any) -> None:
        kind = type(call)
        self._passes += self._steps_to(call.seat)
        self.turn = self.table.after(call.seat)
        if kind is events.TricksBid:
            self._perhaps_out.discard(call.seat)
            self._passes = 0
            self.standing = call
            self.double = None
            self.declarer = call.seat
            self.table.contract = Contract(call.seat, self.bids.name(call))
            return
        self._passes += 1
        if kind is events.Double and self.standing is not None:
            self.double = self.double or call
            self.table.contract = Contract(self.declarer, f"{self.bids.name(self.standing)} ×2")
        if self._passes == self.table.seat_count:
            self._close()

    def yields_to(self, event: Any) -> bool:
        """A lead after three passes; without a bid, the next deal or a score if all others may be passed over."""
        if self.is_done:
            return False
        if self.standing is None:
            is_next = isinstance(event, events.OPENERS + events.SCORE_CLAIMS)
            return is_next and self._may_skip(self.table.seat_count - self._passes)
        return self._may_close_before(self.declarer) and may_lead(self.table, self.declarer, event)

    def pass_over(self, event: Any) -> None:
        if self.standing is None:
            self._lean_on(self._next_seats(self.table.seat_count - self._passes))
            self._passes = self.table.seat_count
        else:
            self._lean_on_skipped(self.declarer)
            self.table.lean("open.auction-close", seat=self.declarer)
        self._close()

    def legal(self) -> list[str]:
        leads = cards.codes(self.table.hands[self.turn]) if self._may_close_before(self.turn) else []
        return ["pass", "double", *self.bids.legal(self.turn, self.standing), *leads]

    def _close(self) -> None:
        self.is_done = True
        self.is_broken = self.standing is not None and not self.bids.is_contract(self.standing)

    def _steps_to(self, seat: int) -> int:
        """How many seats have their turn before this one."""
        return (seat - self.turn) % self.table.seat_count

    def _next_seats(self, count: int) -> list[int]:
        return [(self.turn + step) % self.table.seat_count for step in range(count)]

    def _may_skip(self, count: int) -> bool:
        return all(seat in self.out or seat in self._perhaps_out for seat in self._next_seats(count))

    def _may_pass_over(self, seat: int) -> bool:
        """Whether all before this seat may be passed over, and the auction is not over then."""
        steps = self._steps_to(seat)
        return self._passes + steps < self.table.seat_count and self._may_skip(steps)

    def _may_close_before(self, seat: int) -> bool:
        """Whether it is the bidder's turn, all others having passed or been passed over."""
        if self.standing is None or seat != self.declarer:
            return False
        steps = self._steps_to(seat)
        return self._passes + steps == self.table.seat_count - 1 and self._may_skip(steps)

    def _is_doubtful(self, seat: int) -> bool:
        """Whether it is open that a seat may double: no bid, its own side's, doubled already, or it is out of call."""
        is_own = self.table.side(seat) == self.table.side(self.declarer)
        return self.standing is None or is_own or self.is_doubled or seat in self.out

    def _lean_on_skipped(self, seat: int) -> None:
        self._lean_on(self._next_seats(self._steps_to(seat)))

    def _lean_on(self, skipped: list[int]) -> None:
        out = tuple(seat for seat in skipped if seat in self.out)
        if out:
            self.table.lean("open.call-skipped", seats=out)
        if len(out) < len(skipped):
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
