"""Duties of a trick beside following suit: to ruff, and to go over the best trump.

In: a trick, and the cards that its other duties leave a seat. Out: those of them that may be played. Refuses to know
which game is played.
"""

from __future__ import annotations

from auditor.tricks import Trick


class Ruff:
    """Who is void in the suit led while an opponent is winning plays a trump, if he holds one.

    ``always``: also when none of his trumps can beat the one that wins.
    """

    clause = "play.must-trump"

    def __init__(self, always: bool) -> None:
        self._always = always

    def narrow(self, trick: Trick, seat: int, choice: int) -> int:
        trumps = choice & trick.trump
        if not trumps or choice & trick.led or is_partner_winning(trick):
            return choice
        return trumps if self._always or trick.best(sum(trick.plays) | trumps) & trumps else choice


class GoOver:
    """Who plays a trump on a trump lead, or ruffs against an opponent, goes over the best trump in the trick if he can.

    On a trump lead this holds over the partner too.
    """

    clause = "play.overtrump"

    def narrow(self, trick: Trick, seat: int, choice: int) -> int:
        laid = sum(trick.plays) & trick.trump
        if not laid or not choice & trick.trump:
            return choice
        if not trick.led & trick.trump and (choice & trick.led or is_partner_winning(trick)):
            return choice
        higher = trick.trump & trick.trumps.above[trick.trumps.top(laid).bit_length()]
        if choice & higher:
            return choice & higher
        might_be_higher = trick.table.unseen[seat] and trick.table.hidden & higher
        return 0 if might_be_higher else choice


def is_partner_winning(trick: Trick) -> bool:
    """Whether the best card so far is that of the partner of the seat on turn, the last but one that was laid."""
    plays = trick.plays
    return len(plays) > 1 and plays[-2] == trick.best(sum(plays))
