"""The opening: the first melds of a seat in a round must together be worth enough.

In: the melds that a seat lays in its turn. Out: whether they open, under each reading of what a joker counts, and the
highest opening of the round. Refuses to know events and clauses.
"""

from __future__ import annotations

from collections.abc import Sequence

from auditor import melds
from auditor.stock import Meld, Spread


class Opening:
    """What a seat lays in its turn towards its opening.

    ``least`` points are needed, and, if openings ``rise``, more than the highest so far. ``had_opened`` says whether
    the seat had opened before this turn. Once ``is_judged`` the seat has opened, be it with enough or ``is_too_low``.
    Of two values or two answers the first counts a joker as the card it stands for, the second as nothing.
    """

    __slots__ = ("_points", "_seat", "_spread", "had_opened", "is_judged", "is_too_low", "least", "new_melds", "rises")

    def __init__(self, spread: Spread, least: int, rises: bool) -> None:
        self._spread = spread
        self.least = least
        self.rises = rises

    def begin(self, seat: int) -> None:
        """It is the turn of this seat, which has laid nothing in it yet."""
        self._seat = seat
        self.had_opened = self._spread.opened[seat]
        self.is_judged = self.had_opened
        self.is_too_low = False
        self.new_melds: list[Meld] = []
        self._points = (0, 0)

    @property
    def needs(self) -> tuple[int, int]:
        """The fewest points to open with."""
        if not self.rises:
            return self.least, self.least
        highest, without = self._spread.highest
        return max(self.least, highest + 1), max(self.least, without + 1)

    def points(self, more: Sequence[str] | None = None) -> tuple[int, int]:
        """What the new melds are worth to a seat that had not opened, together with one more."""
        if more is None:
            return self._points
        points, without = melds.points(more)
        return self._points[0] + points, self._points[1] + without

    def is_enough(self, more: Sequence[str] | None = None) -> tuple[bool, bool]:
        """Whether the new melds, together with one more, open."""
        (points, without), (need, need_without) = self.points(more), self.needs
        return points >= need, without >= need_without

    @property
    def falls_short(self) -> bool:
        """Whether there are new melds that do not open yet."""
        return bool(self.new_melds) and not self._spread.opened[self._seat]

    def add(self, meld: Meld) -> None:
        """A meld is laid. The seat has opened as soon as its new melds are worth enough under either reading."""
        self.new_melds.append(meld)
        if self.had_opened:
            return
        self._points = self.points(meld.laid)
        if not self._spread.opened[self._seat]:
            self._spread.opened[self._seat] = any(self.is_enough())

    def take_back(self) -> None:
        """The new melds go back to the hand."""
        self.new_melds.clear()
        self._points = (0, 0)

    def settle(self) -> None:
        """The seat goes on as one that has opened: adds, swaps or ends its turn."""
        if self.new_melds and not self.is_judged:
            self.is_judged = True
            self.is_too_low = not any(self.is_enough())
            self._spread.opened[self._seat] = True

    def close(self) -> None:
        """The turn is over. An opening that was high enough may be the one to beat; it is worth all new melds."""
        self.settle()
        if self.new_melds and not self.had_opened and not self.is_too_low:
            highest, without = self._spread.highest
            points = self.points()
            self._spread.highest = max(highest, points[0]), max(without, points[1])
