"""The table as it stood before an event: what a viewer, ``explain`` or a page shows of one moment.

In: a match, its game and an event's index. Out: a frozen position. Refuses to know rules: it asks the replay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from auditor import cards, events
from auditor.errors import CannotAudit
from auditor.game import Game
from auditor.replay import Replay
from auditor.stage import word_for
from auditor.table import Contract
from auditor.verdict import Verdict


class LaidCard(msgspec.Struct, frozen=True, gc=False):
    seat: int
    card: str


class Meld(msgspec.Struct, frozen=True, gc=False):
    """A meld on the table: who laid it, and its cards; a joker says what it stands for."""

    seat: int
    cards: Sequence[str]


class Position(msgspec.Struct, frozen=True, gc=False):
    """One moment of a match.

    ``event`` is the index of the event that comes next. ``hands`` and ``unseen`` hold one entry a seat: its cards in
    pack order, and how many more it has that the log does not show. ``board`` are all points of a board, and ``stones``
    those where a seat has one, one list a seat. ``awaited`` is the table word for what is due, by seat ``turn`` where
    one seat must act; ``legal`` lists what that may be, where it can be listed.
    """

    event: int
    deal: int | None
    dealer: int | None
    hands: Sequence[Sequence[str]]
    unseen: Sequence[int]
    contract: Contract | None
    trump: str | None
    trick: Sequence[LaidCard]
    tricks_taken: Sequence[int]
    board: Sequence[str]
    stones: Sequence[Sequence[str]]
    melds: Sequence[Meld]
    discards: Sequence[str]
    stock_count: int | None
    opened: Sequence[bool]
    totals: Sequence[int]
    awaited: str | None
    turn: int | None
    legal: Sequence[str] | None
    is_broken: bool
    is_over: bool


def before(game: Game, match: events.Match, index: int) -> Position:
    """The table before event ``index``; an index one past the last event gives the table at the end of the log.

    Raises ``IndexError`` for an index outside the log.
    """
    if not 0 <= index <= len(match.events):
        raise IndexError(index)
    return next(at(game, match, [index]))


def at(game: Game, match: events.Match, indexes: Iterable[int]) -> Iterator[Position]:
    """The table before each of several events, in one replay. Indexes rise, and go as far as in :func:`before`."""
    replay = Replay(game, match)
    for index in indexes:
        replay.run(until=index)
        yield _seen(replay, index)


def _seen(replay: Replay, index: int) -> Position:
    table = replay.table
    layout = table.layout
    stage = replay.stage
    return Position(
        event=index,
        deal=table.deal_count - 1 if table.deal_count else None,
        dealer=table.dealer,
        hands=[table.held(seat) for seat in range(table.seat_count)],
        unseen=tuple(table.unseen),
        contract=table.contract,
        trump=table.trump,
        trick=[
            LaidCard((table.leader + turn) % table.seat_count, cards.code(card))
            for turn, card in enumerate(table.trick)
            if table.leader is not None
        ],
        tricks_taken=tuple(table.tricks_taken),
        board=table.board,
        stones=[[point for at, point in enumerate(table.board) if stones >> at & 1] for stones in table.stones],
        melds=[] if layout is None else [Meld(meld.seat, tuple(meld.cards)) for meld in layout.melds],
        discards=[] if layout is None else tuple(layout.discards),
        stock_count=None if layout is None else layout.stock_count,
        opened=[] if layout is None else tuple(layout.opened),
        totals=table.totals,
        awaited=None if stage.awaited is None else word_for(stage.awaited),
        turn=getattr(stage, "turn", None),
        legal=stage.legal(),
        is_broken=replay.is_skipping,
        is_over=replay.is_over,
    )


def start_of(game: Game, match: events.Match, verdict: Verdict, deal: int, trick: int | None = None) -> int:
    """The index of the event that begins a deal or, with ``trick``, that leads to one of its tricks; both from 1.

    Raises ``CannotAudit`` where the match has no such deal or trick.
    """
    if deal > len(verdict.deals):
        raise CannotAudit(f"{match.match}: expected a deal from 1 to {len(verdict.deals)}, found {deal}")
    first, last = verdict.deals[deal - 1].events
    if trick is None:
        return first
    tricks = [index for index in leads(game, match) if first <= index <= last]
    if trick > len(tricks):
        raise CannotAudit(f"{match.match}: expected a trick from 1 to {len(tricks)} in deal {deal}, found {trick}")
    return tricks[trick - 1]


def leads(game: Game, match: events.Match) -> list[int]:
    """The indexes of the events that lead to a trick, in all deals; what was put aside leads to none."""
    replay = Replay(game, match)
    found: list[int] = []
    on_table = replay.table.trick
    for index in range(len(match.events)):
        replay.step()
        if replay.table.trick is not on_table:
            on_table = replay.table.trick
            if on_table:
                found.append(index)
    return found
