"""Claims: what a client or server said the outcome was, against what was computed.

In: a claim and the computed values. Out: a fault where they differ. Refuses to know when a claim is due: the driver
and the settlement say that, with ``None`` for the computed value where none is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from auditor import events
from auditor.stage import Fault
from auditor.table import ClosedTrick, Numbers, Table


def wrong(clause: str, computed: Any, claimed: Any, **facts: Any) -> Fault:
    """A claim differs from what was computed, or has no place where it stands (``computed`` is ``None``)."""
    return Fault(clause, True, {"computed": computed, "claimed": claimed, **facts}, computed, claimed)


def wrong_score(readings: Sequence[Numbers], claimed: Numbers, basis: Mapping[str, Any]) -> Fault:
    """A score claim that is none of the readings, the default first; ``basis`` tells what the points come from."""
    default = readings[0] if readings else None
    return wrong("claim.score", default, claimed, readings=list(dict.fromkeys(readings)), basis=basis)


def is_right(trick: ClosedTrick | None, claim: events.TrickClaim) -> bool:
    """Whether the claim is that of the trick that has just been closed, and was not refused."""
    return (
        trick is not None
        and claim.winner == trick.winner
        and claim.refused is not True
        and (claim.points is UNSET or claim.points == trick.card_points)
    )


def after_claim(table: Table, log: Sequence[Any], index: int) -> int:
    """Take the right claim of the trick that has just been closed, if it comes next; returns what comes after it."""
    claim = log[index]
    if type(claim) is events.TrickClaim and is_right(table.closed_trick, claim):
        table.closed_trick = None
        index += 1
    return index


def judge_trick(trick: ClosedTrick | None, claim: events.TrickClaim) -> Fault | None:
    """A trick claim names the seat that took the trick, and the card points printed on its cards if it gives any."""
    keys = ("winner",) if claim.points is UNSET else ("winner", "points")
    claimed = dict(zip(keys, (claim.winner, claim.points), strict=False))
    computed = trick and dict(zip(keys, (trick.winner, trick.card_points), strict=False))
    return None if claimed == computed else wrong("claim.trick", computed, claimed)


def judge_result(possible_totals: Sequence[Numbers], winner: int | None, claim: Any) -> Fault | None:
    """A result claim is compared as a whole with the totals, under any reading, and the winner so far."""
    if claim.winner == winner and tuple(claim.total) in possible_totals:
        return None
    computed = {"winner": winner, "total": list(possible_totals[0])}
    return wrong("claim.result", computed, {"winner": claim.winner, "total": claim.total})
