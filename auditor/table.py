"""The table: the one thing that changes while a match is replayed.

In: what stages put on it. Out: hands, trick, contract, totals, to whoever asks. Refuses to know any rule: stages
judge, the table only holds. Nothing copies it when nobody asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add
from typing import Any, Protocol, TypeAlias

import msgspec

from auditor import cards
from auditor.events import LARGEST_INTEGER

Numbers: TypeAlias = tuple[int, ...]

#: So many totals under other readings are kept; a match that is claimed as it goes has one or two.
MOST_OTHER_TOTALS = 256


class Leaning(msgspec.Struct, frozen=True, gc=False):
    """A judgement leaned on something that is noted and accuses nobody.

    ``clause`` is an open point, or ``note.unseen`` for a check that would have needed a card the log does not show.
    """

    clause: str
    facts: Mapping[str, Any]


class ClosedTrick(Protocol):
    """A trick whose last card has been played: who took it, and the points printed on its cards."""

    winner: int

    @property
    def card_points(self) -> int: ...


class LaidMeld(Protocol):
    """A meld on the table: whose it is, and its cards as they were written, a joker with what it stands for."""

    @property
    def seat(self) -> int: ...

    @property
    def cards(self) -> Sequence[str]: ...


class Layout(Protocol):
    """What lies on the table in a game of melds: melds, discards (the top one last), a stock; and who has opened."""

    @property
    def melds(self) -> Sequence[LaidMeld]: ...

    @property
    def discards(self) -> Sequence[str]: ...

    @property
    def opened(self) -> Sequence[bool]: ...

    @property
    def stock_count(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Foresight:
    """What the rest of a log shows of a deal with unseen cards: seats with cards, in order; the trump, if seen."""

    shown: Sequence[tuple[int, str]]
    trump: str | None


class Contract(msgspec.Struct, frozen=True, gc=False):
    """What the winner of the auction has bound his side to; ``bid`` as people write it."""

    declarer: int
    bid: str


class Table:
    """Seats, cards and totals of one match.

    ``hands`` are masks (see ``cards``), and ``hidden`` is the mask of the cards that the log places nowhere;
    ``unseen`` counts, per seat, how many of them it has. ``totals`` hold one number a side; ``other_totals`` are the
    totals that would stand had an open point of a deal without a claim been read the other way. ``tricks_taken``
    counts by seat. ``foreseen`` is what the log will show of unseen cards, once it was looked through for that. Where
    cards have equals there is a ``layout``, and ``hands`` and ``hidden`` count cards instead of masking them. Where
    there is a board, ``board`` names its points and ``stones`` are masks of them, one a seat.
    """

    __slots__ = (
        "board",
        "closed_trick",
        "contract",
        "deal_count",
        "dealer",
        "foreseen",
        "given",
        "hands",
        "hidden",
        "is_cut_short",
        "layout",
        "leader",
        "leanings",
        "options",
        "other_totals",
        "seat_count",
        "shown",
        "side_count",
        "stones",
        "totals",
        "trick",
        "tricks_taken",
        "trump",
        "unseen",
    )

    def __init__(self, seat_count: int, side_count: int, options: Mapping[str, Any], given: frozenset[str]) -> None:
        self.seat_count = seat_count
        self.side_count = side_count
        self.options = options
        #: The options that the log named itself; the others were filled in.
        self.given = given
        self.totals: Numbers = (0,) * side_count
        self.other_totals: frozenset[Numbers] = frozenset()
        self.deal_count = 0
        self.leanings: list[Leaning] = []
        self.dealer: int | None = None
        self.hands = [0] * seat_count
        self.board: Sequence[str] = ()
        self.stones = [0] * seat_count
        self.clear()

    def clear(self) -> None:
        """Take everything of the last deal off the table."""
        self.unseen = [0] * self.seat_count
        self.shown: list[tuple[int, str]] = []
        self.foreseen: Foresight | None = None
        self.hidden = 0
        self.layout: Layout | None = None
        self.contract: Contract | None = None
        #: The deal came to its end with cards in hand.
        self.is_cut_short = False
        self.trump: str | None = None
        self.leader: int | None = None
        self.trick: list[int] = []
        self.tricks_taken = [0] * self.seat_count
        self.closed_trick: ClosedTrick | None = None

    def begin_deal(self, dealer: int, hands: list[int], unseen: list[int], pack: int) -> None:
        """Lay out a new deal of a pack: one mask and one count of unseen cards a seat."""
        self.clear()
        self.dealer = dealer
        self.hands = hands
        self.unseen = unseen
        self.hidden = pack & ~sum(hands)
        self.deal_count += 1

    def begin_layout(self, dealer: int, hands: list[int], unseen: list[int], hidden: int, layout: Layout) -> None:
        """Lay out a new deal with a stock, of cards that have equals: ``hands`` and ``hidden`` count them."""
        self.begin_deal(dealer, hands, unseen, 0)
        self.hidden = hidden
        self.layout = layout

    def begin_round(self, board: Sequence[str]) -> None:
        """Lay out an empty board of these points."""
        self.clear()
        self.board = board
        self.stones = [0] * self.seat_count
        self.deal_count += 1

    def held(self, seat: int) -> list[str]:
        """The cards that a seat is known to hold, by code, in pack order."""
        return cards.codes(self.hands[seat]) if self.layout is None else cards.listed(self.hands[seat])

    def begin_trick(self, leader: int, plays: list[int]) -> None:
        """A card is led; ``plays`` is the trick's own list, which grows. The last trick stays in view until then."""
        self.leader = leader
        self.trick = plays
        self.closed_trick = None

    def after(self, seat: int) -> int:
        """The seat that acts after this one."""
        return (seat + 1) % self.seat_count

    def side(self, seat: int) -> int:
        """The team of a seat, or the seat itself where each plays for itself."""
        return seat % self.side_count

    def set_totals(self, totals: Numbers, others: Sequence[Numbers] = ()) -> None:
        """The totals now, and what they would be under other readings; of very many others some are kept."""
        self.totals = totals
        self.other_totals = frozenset(sorted(set(others) - {totals})[:MOST_OTHER_TOTALS]) if others else frozenset()

    def possible_totals(self) -> tuple[Numbers, ...]:
        """The totals, and then those that would stand under another reading of an earlier deal."""
        return (self.totals, *sorted(self.other_totals)) if self.other_totals else (self.totals,)

    def tricks_of(self, side: int) -> int:
        """How many tricks a side has taken in this deal."""
        return sum(self.tricks_taken[side :: self.side_count])

    def may_be_unseen(self, seat: int, card: int) -> bool:
        """Whether a card that the seat is not known to hold may be one of its unseen cards."""
        return bool(self.unseen[seat] and self.hidden & card)

    def show(self, seat: int, card: int) -> None:
        """One of the seat's unseen cards turns out to be this one."""
        self.hands[seat] |= card
        self.unseen[seat] -= 1
        self.hidden ^= card
        self.shown.append((seat, cards.code(card)))

    def lean(self, clause: str, **facts: Any) -> None:
        """Note an open point, or a check that was not made, for the event that is being judged."""
        self.leanings.append(Leaning(clause, facts))


def added(totals: Numbers, points: Numbers) -> Numbers:
    """Totals after points, one number a side. They stop at ±``LARGEST_INTEGER``: no log could claim more."""
    sums = tuple(map(add, totals, points))
    if min(sums) >= -LARGEST_INTEGER and max(sums) <= LARGEST_INTEGER:
        return sums
    return tuple([max(-LARGEST_INTEGER, min(total, LARGEST_INTEGER)) for total in sums])
