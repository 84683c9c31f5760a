"""Players of three stones in a row: they make a line where they can, and seldom let the other make one."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from auditor import events
from auditor.games.three_stones import (
    ALL_POINTS,
    BIT,
    DRAWN,
    LINES,
    REACH,
    STONE_COUNT,
    LastMoves,
    Movement,
    Placement,
    Reach,
    RoundStart,
    Turns,
)
from auditor.players import Players

#: How often a player looks at what the other can do next, and how often a bot has to act for one.
CARE = 0.94
ACTS_PER_TIMEOUT = 200


def _start(stage: RoundStart, chance: Random) -> events.Round:
    first = int(chance.random() * 2) if stage.first is None else stage.first
    return events.Round(first=first)


def _act(stage: Turns, chance: Random) -> Any:
    """Three in a row; or else what does not let the other have it next, if there is such an act and he sees it."""
    other = stage.table.after(stage.turn)
    reach = REACH[stage.table.options["movement"]]
    acts = stage.moves()
    after = [(act, stage.table.stones[stage.turn] ^ stage.change(act)) for act in acts]
    winning = [act for act, own in after if own in LINES]
    safe = [act for act, own in after if not _can_win(stage.table.stones[other], own, reach)]
    best = winning or (chance.random() < CARE and safe) or acts
    act = best[int(chance.random() * len(best))]
    return msgspec.structs.replace(act, by="timeout") if chance.random() * ACTS_PER_TIMEOUT < 1 else act


def _can_win(stones: int, others: int, reach: Reach) -> bool:
    """Whether a seat with these stones has three in a row after one more act."""
    free = [bit for bit in BIT.values() if bit & (ALL_POINTS ^ stones ^ others)]
    if 2 * stones.bit_count() < STONE_COUNT:
        return any(stones | to in LINES for to in free)
    own = [bit for bit in BIT.values() if bit & stones]
    return any(to & reach[origin] and stones ^ origin ^ to in LINES for origin in own for to in free)


def _last_act(stage: LastMoves, chance: Random) -> Any:
    """Half of the tables call it a draw where placements count among the 20 moves."""
    if stage.count == 0 and chance.random() < 0.5:
        return events.TeamScoreClaim(deal=list(DRAWN), total=list(stage.table.totals))
    return _act(stage, chance)


PLAYERS: Players = {RoundStart: _start, Placement: _act, Movement: _act, LastMoves: _last_act}
