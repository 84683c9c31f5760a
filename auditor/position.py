"""The table as it stood before an event: what a viewer, ``explain`` or a page shows of one moment.

In: a match, its game and an event's index. Out: a frozen position. Refuses to know rules: it asks the replay.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from auditor import cards, events
from auditor.game import Game
from auditor.replay import Replay
from auditor.stage import word_for
from auditor.table import Contract


class LaidCard(msgspec.Struct, frozen=True, gc=False):
    seat: int
    card: str


class Position(msgspec.Struct, frozen=True, gc=False):
    """One moment of a match.

    ``event`` is the index of the event that comes next. ``hands`` and ``unseen`` hold one entry a seat: its cards in
    pack order, and how many more it has that the log does not show. ``awaited`` is the table word for what is due,
    by seat ``turn`` where one seat must act; ``legal`` lists what that may be, where it can be listed.
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
    replay = Replay(game, match)
    replay.run(until=index)
    table = replay.table
    stage = replay.stage
    return Position(
        event=index,
        deal=table.deal_count - 1 if table.deal_count else None,
        dealer=table.dealer,
        hands=[cards.codes(hand) for hand in table.hands],
        unseen=table.unseen,
        contract=table.contract,
        trump=table.trump,
        trick=[
            LaidCard((table.leader + turn) % table.seat_count, cards.code(card))
            for turn, card in enumerate(table.trick)
            if table.leader is not None
        ],
        tricks_taken=table.tricks_taken,
        totals=table.totals,
        awaited=word_for(stage.hears[0]) if stage.hears else None,
        turn=getattr(stage, "turn", None),
        legal=stage.legal(),
        is_broken=replay.is_skipping,
        is_over=replay.is_over,
    )
