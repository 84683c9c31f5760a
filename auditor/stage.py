"""A stage: one step of a game's running order, such as a deal, an auction, a trick.

A stage says which events it hears and what would be legal, judges an event (which clause it breaks, if any) and
takes it. It changes the table and nothing else. Refuses to know who asks: the driver in ``replay`` decides what
follows from a fault.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import msgspec
from msgspec import UNSET
from mypy_extensions import mypyc_attr

from auditor import events
from auditor.table import Numbers, Table


class Fault(msgspec.Struct, frozen=True, gc=False):
    """An event breaks a clause.

    ``stands``: it could physically happen, so the table goes on from it; otherwise it is as if it had not been.
    ``facts`` fill the clause's sentence; ``expected`` and ``found`` are both values of a wrong claim or choice;
    ``legal`` says what would have been legal where that is less than the stage's own list. ``ends_replay``: what
    follows of the deal, up to the claim of its score, is not replayed, though the deal is scored.
    """

    clause: str
    stands: bool
    facts: Mapping[str, Any] = {}
    expected: Any = None
    found: Any = None
    legal: list[str] | None = None
    ends_replay: bool = False


@mypyc_attr(allow_interpreted_subclasses=True)  # a game that another package brings may have its own
class Stage:
    """What every stage answers. A stage overrides what it has to say.

    ``ended_at`` is set by the driver: the index of the event that it hands over, and in the end of that with which the
    stage was done.
    """

    __slots__ = ("ended_at",)

    ended_at: int

    #: Event types that this stage judges.
    hears: ClassVar[tuple[type, ...]] = ()
    #: Those among them that are taken as they come, as long as they are legal and lean on nothing.
    quick: ClassVar[tuple[type, ...]] = ()
    #: Whether the stage begins a deal (or round), or ends one.
    opens_deal: ClassVar[bool] = False
    closes_deal: ClassVar[bool] = False
    #: Whether its event deals a part of the cards only, so that it does not say what becomes of the unseen ones.
    deals_more_later: ClassVar[bool] = False
    #: Whether the stage has come to its end.
    is_done: bool = False
    #: Whether the deal cannot be played on from here, once the stage is done.
    is_broken: bool = False

    @property
    def awaited(self) -> type | None:
        """The type of event that is due; ``None`` where none is."""
        return self.hears[0] if self.hears else None

    @property
    def broken_by(self) -> Any:
        """The event that has broken the deal, where it is not the one with which the stage was done."""
        return None

    def judge(self, event: Any) -> Fault | None:
        """The first clause, in the order of the rules page, that the event breaks. Changes nothing."""
        raise AssertionError(f"{type(self).__name__} does not judge {type(event).__name__}")

    def unheard(self, event: Any) -> Fault:
        """The fault of an event of a type that the stage does not hear: the wrong kind of event at this point.

        An answer where no double is pending has a clause of its own.
        """
        clause = "auction.answer" if isinstance(event, events.ANSWERS) else "flow.kind"
        return Fault(clause, False, {"kind": word_for(type(event)), "awaited": word_for(self.awaited)})

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take what is plainly legal from ``log[index]`` on; returns the index of the first event not taken.

        It leans on nothing beforehand; what is open about the outcome of the last event taken is left on the table.
        """
        event = log[index]
        if type(event) in self.quick and is_plain(event) and self.judge(event) is None:
            self.apply(event)
            index += 1
        return index

    def take_one(self, table: Table, log: Sequence[Any], index: int) -> int:
        """The same for one event of a stage that may lean on something; what it leans on is not plain."""
        event = log[index]
        if type(event) in self.hears and is_plain(event):
            table.leanings.clear()
            if self.judge(event) is None and not table.leanings:
                self.ended_at = index
                self.apply(event)
                return index + 1
            table.leanings.clear()
        return index

    def apply(self, event: Any) -> None:
        """Take one event that was judged: it is legal, or it stands as played."""
        raise AssertionError(f"{type(self).__name__} does not take {type(event).__name__}")

    def yields_to(self, event: Any) -> bool:
        """Whether an event that is not for this stage shows that the table has gone on without another word."""
        return False

    def pass_over(self, event: Any) -> None:
        """Come to an end before an event that it yields to; ``None`` stands for the end of the log."""
        raise AssertionError(f"{type(self).__name__} cannot be passed over")

    def due(self) -> Numbers | None:
        """The points that a score claim may already name, though the stage waits for another act."""
        return None

    def moves(self) -> Sequence[Any]:
        """Every legal act here as an event, so that anybody can play; empty where nobody needs them listed."""
        return ()

    def legal(self) -> list[str] | None:
        """Every legal act here, by code, in pack order; ``None`` where it cannot be listed."""
        return None


class MatchOver(Stage):
    """The last stage of every match: ``winner`` is a side, or ``None`` for a draw. Only claims may follow."""

    __slots__ = ("winner",)

    def __init__(self, winner: int | None) -> None:
        self.winner = winner

    def unheard(self, event: Any) -> Fault:
        return Fault("match.over", False)

    def legal(self) -> list[str]:
        return []


class BrokenDeal(Exception):
    """Thrown into a running order when the deal on the table cannot be played on."""


#: A game's rules as straight-line code: yields one stage after the other, the last a ``MatchOver``.
RunningOrder: TypeAlias = Generator[Stage, None, None]


def deal_over(play: Any) -> Fault:
    """A card is played though the deal has ended with cards in hand: told once, and what follows is not replayed."""
    return Fault("deal.over", False, {"seat": play.seat}, legal=[], ends_replay=True)


def is_plain(event: Any) -> bool:
    """Whether an act was neither refused nor made by the clock."""
    return event.refused is UNSET and (event.by is UNSET or event.by != "timeout")


def word_for(event_type: Any) -> str:
    """The table word for a type of event, as its ``type`` key says it."""
    return str(event_type.__struct_config__.tag)
