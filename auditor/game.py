"""The record that a game exports: all that the rest of the house needs to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor import events
from auditor.deals import Shuffle
from auditor.stage import Fault, RunningOrder, Stage
from auditor.table import Table


def _never(log: Sequence[Any], index: int) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Game:
    """One ruleset.

    ``form`` is the shape of its logs, ``options`` the defaults of its options, ``order`` its running order, and
    ``timeout`` judges an otherwise legal act that the system made because a clock ran out. Sides are teams of
    partners, or else single seats.
    """

    id: str
    form: type[events.Match]
    options: Mapping[str, Any]
    order: Callable[[Table, Shuffle | None], RunningOrder]
    timeout: Callable[[Stage, Any], Fault | None]
    #: Whether an event of a log deals further cards to a deal that was begun before it.
    is_later_batch: Callable[[Sequence[Any], int], bool] = _never
    #: Whether hands are such as the rules speak about and are seldom dealt: some generated matches begin with them.
    is_rare: Callable[[Sequence[Sequence[str]]], bool] | None = None
    has_partners: bool = True
    seat_counts: tuple[int, ...] = (4,)

    def table(self, seat_count: int, given: Mapping[str, Any]) -> Table:
        """An empty table for a match in which these options were named; the others take their defaults."""
        side_count = 2 if self.has_partners else seat_count
        return Table(seat_count, side_count, {**self.options, **given}, frozenset(given))
