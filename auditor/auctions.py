"""The auction: calls in turn until somebody is bound to a contract, and what may be said after it.

In: ``bid``, ``pass``, ``double`` and the answers to it, ``trump``. Out: the standing bid, or a void deal. Refuses to
know what a bid is worth: which bids a game knows, and what outbids what, is handed in as :class:`Bids`. Who has no
call at all is handed in too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set
from typing import Any, ClassVar, Protocol

from msgspec.structs import replace
from mypy_extensions import mypyc_attr

from auditor import cards, events
from auditor.stage import Fault, Stage, is_plain, word_for
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


#: The words about a double.
_DOUBLES = (events.Double, events.Redouble, events.Accept)


@mypyc_attr(allow_interpreted_subclasses=True)
class Auction(Stage):
    """An auction in which a pass is final.

    ``first`` speaks first, then each seat upwards that has not passed and is not ``out``. It ends when one seat is left
    and has bid, at once on a bid that nobody may answer, or with a double (where the game has it), which the bidder has
    to answer; it is void when all are out or have passed. Seats in ``perhaps_out`` have cards that the log does not
    show, and may turn out to have no call.
    """

    __slots__ = (
        "_callers",
        "_perhaps_out",
        "bids",
        "declarer",
        "double",
        "has_double",
        "is_broken",
        "is_done",
        "standing",
        "table",
    )

    hears: ClassVar[tuple[type, ...]] = (events.TricksBid, events.Pass, *_DOUBLES)
    quick: ClassVar[tuple[type, ...]] = (events.TricksBid, events.Pass, events.Double)

    def __init__(
        self,
        table: Table,
        first: int,
        bids: Bids,
        out: Set[int] = frozenset(),
        perhaps_out: Set[int] = frozenset(),
        has_double: bool = False,
    ) -> None:
        self.table = table
        self.bids = bids
        self.has_double = has_double
        self.standing: Any | None = None
        self.declarer = first
        self.double: events.Double | None = None
        self.is_broken = False
        #: Who has not passed, in the order in which they will speak.
        self._callers = deque(range(table.seat_count))
        self._callers.rotate(-first)
        for seat in out:
            self._callers.remove(seat)
        self._perhaps_out = set(perhaps_out)
        self.is_done = not self._callers

    @property
    def turn(self) -> int:
        """The seat that speaks now."""
        return self._callers[0]

    @property
    def is_void(self) -> bool:
        """All are out or have passed."""
        return self.standing is None and not self._callers

    @property
    def is_doubled(self) -> bool:
        """Whether the bid has been doubled, which its bidder has to answer."""
        return self.double is not None

    @property
    def broken_by(self) -> Any:
        return self.standing

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take the calls that come in a row, up to one that leans on something."""
        if self._perhaps_out:
            return index
        leanings, quick, end = self.table.leanings, self.quick, len(log)
        leanings.clear()
        while index < end and not self.is_done:
            call = log[index]
            if type(call) not in quick or not is_plain(call) or self.judge(call) is not None or leanings:
                break
            self.apply(call)
            index += 1
        leanings.clear()
        return index

    def judge(self, call: Any) -> Fault | None:
        if call.seat != self._callers[0] and not self._may_be_next(call.seat):
            return Fault("auction.turn", False, {"seat": call.seat, "turn": self.turn})
        if self._perhaps_out and (call.seat in self._perhaps_out or call.seat != self._callers[0]):
            self._lean_on_unseen()
        kind = type(call)
        if kind is events.Pass:
            return None
        if kind is events.Double:
            return self._judge_double(call)
        if kind in events.ANSWERS:
            return Fault("auction.answer", False, {"kind": word_for(kind)})
        return self.bids.judge(call, self.standing)

    def apply(self, call: Any) -> None:
        callers, kind = self._callers, type(call)
        while callers[0] != call.seat:
            callers.popleft()
        self._perhaps_out.discard(call.seat)
        if kind is events.Pass:
            callers.popleft()
            self.is_done = len(callers) == (0 if self.standing is None else 1)
        elif kind is events.Double:
            self.double = call
            self.is_done = True
            self.is_broken = False  # the answer ends the auction
        else:
            callers.rotate(-1)
            self.standing = call
            self.is_broken = not self.bids.is_contract(call)
            self.declarer = call.seat
            self.table.contract = Contract(call.seat, self.bids.name(call))
            self.is_done = len(callers) == 1 or self.bids.ends_auction(call)

    def yields_to(self, event: Any) -> bool:
        """Whether all who have not called may turn out to be out of the auction, and what comes shows that they are."""
        if self.is_done or not self._perhaps_out or not self._perhaps_out.issuperset(self._others()):
            return False
        if self.standing is None:
            return isinstance(event, events.OPENERS + events.SCORE_CLAIMS)
        is_confirmed = isinstance(event, events.Accept) and event.seat == self.declarer
        return is_confirmed or may_lead(self.table, self.declarer, event)

    def pass_over(self, event: Any) -> None:
        self._lean_on_unseen()
        for seat in self._others():
            self._callers.remove(seat)
        self.is_done = True

    def legal(self) -> list[str]:
        may_double = self.has_double and self.standing is not None and not self._is_own(self.turn)
        return ["pass", *(["double"] if may_double else []), *self.bids.legal(self.standing)]

    def _others(self) -> list[int]:
        """Who may still speak, beside the standing bidder."""
        return [seat for seat in self._callers if self.standing is None or seat != self.declarer]

    def _may_be_next(self, seat: int) -> bool:
        """Whether all who would speak before this seat may be out, and the auction is not over without them."""
        if seat not in self._others():
            return False
        before = list(self._callers)[: self._callers.index(seat)]
        return self._perhaps_out.issuperset(before)

    def _is_own(self, seat: int) -> bool:
        return self.table.side(seat) == self.table.side(self.declarer)

    def _judge_double(self, call: events.Double) -> Fault | None:
        if self.standing is None or self._is_own(call.seat):
            return Fault("auction.double", False, {"seat": call.seat})
        return None

    def _lean_on_unseen(self) -> None:
        self.table.lean("note.unseen", deal=self.table.deal_count - 1)


#: What the points of a doubled contract are multiplied by.
DOUBLED, REDOUBLED = 2, 4


class Answer(Stage):
    """The bid is doubled: its bidder accepts, for twice the points, or redoubles, for four times.

    Either ends the auction. ``factor`` is what the points are multiplied by.
    """

    __slots__ = ("auction", "factor", "is_broken", "is_done", "turn")

    hears: ClassVar[tuple[type, ...]] = (events.Accept, events.Redouble, events.Double, events.TricksBid, events.Pass)
    quick: ClassVar[tuple[type, ...]] = (events.Accept, events.Redouble)

    def __init__(self, auction: Auction) -> None:
        self.auction = auction
        self.turn = auction.declarer
        self.factor = DOUBLED
        self.is_broken = self.is_done = False

    @property
    def broken_by(self) -> Any:
        return self.auction.standing

    def judge(self, event: Any) -> Fault | None:
        if event.seat != self.turn:
            return Fault("auction.turn", False, {"seat": event.seat, "turn": self.turn})
        match event:
            case events.Accept() | events.Redouble():
                return None
            case events.Double():
                return Fault("auction.double", False, {"seat": event.seat})
            case events.TricksBid() if fault := self.auction.bids.judge(event, self.auction.standing):
                return replace(fault, stands=False)
        return self.unheard(event)

    def unheard(self, event: Any) -> Fault:
        return Fault("auction.answer", False, {"kind": word_for(type(event))})

    def apply(self, event: events.Accept | events.Redouble) -> None:
        auction = self.auction
        self.factor = DOUBLED if isinstance(event, events.Accept) else REDOUBLED
        self.is_broken = not auction.bids.is_contract(auction.standing)
        bid = f"{auction.bids.name(auction.standing)} ×{self.factor}"
        auction.table.contract = Contract(self.turn, bid)
        self.is_done = True

    def legal(self) -> list[str]:
        return ["accept", "redouble"]


class Confirmation(Stage):
    """The contract stands. Its bidder may say so, or lead without a word."""

    __slots__ = ("is_done", "table", "turn")

    hears: ClassVar[tuple[type, ...]] = (events.Play, events.Accept)
    quick: ClassVar[tuple[type, ...]] = (events.Accept,)

    def __init__(self, table: Table, declarer: int) -> None:
        self.table = table
        self.turn = declarer
        self.is_done = False

    def judge(self, event: events.Play | events.Accept) -> Fault | None:
        if isinstance(event, events.Play):
            return cannot_lead(self.turn, event)
        if event.seat != self.turn:
            return Fault("auction.answer", False, {"kind": word_for(type(event))})
        return None

    def apply(self, event: events.Accept) -> None:
        self.is_done = True

    def yields_to(self, event: Any) -> bool:
        return not self.is_done and may_lead(self.table, self.turn, event)

    def pass_over(self, event: Any) -> None:
        self.is_done = True

    def legal(self) -> list[str]:
        return ["accept", *cards.codes(self.table.hands[self.turn])]


def may_lead(table: Table, declarer: int, event: Any) -> bool:
    """Whether an event is a lead by the winner of the auction, with a card that may be his."""
    if not isinstance(event, events.Play) or event.seat != declarer:
        return False
    card = cards.BIT[event.card]
    return bool(table.hands[declarer] & card) or table.may_be_unseen(declarer, card)


def cannot_lead(declarer: int, play: events.Play) -> Fault:
    """A lead by another seat than the winner of the auction, or with a card that he does not hold."""
    if play.seat != declarer:
        return Fault("play.turn", False, {"seat": play.seat, "turn": declarer})
    return Fault("play.in-hand", False, {"seat": play.seat, "card": play.card})


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
