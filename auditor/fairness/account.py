"""The account: what an archive's deals say, as frozen values and their one JSON form.

In: nothing; these are shapes. Out: an account with one part a ruleset. Refuses to know how it came about and how it is
shown.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

#: What can be said of one question. ``tiny``: it is there, but less than a hundredth of what is expected.
Standing: TypeAlias = Literal["usual", "tiny", "unusual"]
#: What can be said of a ruleset; ``too few`` deals would hide a tenth more honours for one seat.
Status: TypeAlias = Literal["unusual", "usual", "too few", "no cards"]
#: What a number counts: the share of deals, cards a deal, or pairs in the whole archive.
Unit: TypeAlias = Literal["share", "mean", "pairs"]


class Cell(msgspec.Struct, frozen=True, gc=False):
    """One subject of a question: what was observed and expected, and between which numbers the truth lies.

    ``p`` is the chance of something as far out in this subject alone, before any correction.
    """

    subject: tuple[str | int, ...]
    observed: float
    expected: float
    low: float
    high: float
    p: float


class Answer(msgspec.Struct, frozen=True, gc=False):
    """One question with all its subjects; ``worst`` is the index of the one that is furthest out.

    ``p`` is that of the worst subject, multiplied by the number of subjects and of questions, at most 1. The intervals
    of the cells are corrected alike.
    """

    question: str
    unit: Unit
    cells: tuple[Cell, ...]
    worst: int
    p: float
    standing: Standing


class RepeatedDeal(msgspec.Struct, frozen=True, gc=False):
    """A deal with the same hands as an earlier one; deals are counted from 0."""

    match: str
    deal: int
    earlier_match: str
    earlier_deal: int


class FirstToAct(msgspec.Struct, frozen=True, gc=False):
    """What the side that acts first comes to. An observation with its 95 % interval: skill and rules are in it.

    ``lead`` is the mean of its points of a deal less the mean of the other sides'. ``wins`` are the matches won by the
    side that acted first in their first deal, of ``matches`` that have a winner.
    """

    deals: int
    lead: float
    lead_low: float
    lead_high: float
    matches: int
    wins: int
    share: float
    share_low: float
    share_high: float
    even_share: float


class FailedProof(msgspec.Struct, frozen=True, gc=False):
    """A match whose shuffle proof does not hold: for these deals, counted from 0."""

    match: str
    deals: tuple[int, ...]


class Proofs(msgspec.Struct, frozen=True, gc=False):
    """Deals of matches with a shuffle proof: those that come from it, those that do not, those that nobody can check.

    A deal cannot be checked if a card of it is not in the log or if it is no deal by the rules.
    """

    verified: int
    failed: int
    unchecked: int
    failures: tuple[FailedProof, ...]


class Part(msgspec.Struct, frozen=True, gc=False):
    """One ruleset. ``unseen`` and ``misdealt`` count deals left out: a card is not in the log; not a deal of the pack.

    ``visible`` is the smallest part more honours than its share that a seat could have without being found, four times
    in five.
    """

    ruleset: str
    status: Status
    matches: int
    deals: int
    unseen: int
    misdealt: int
    visible: float | None
    answers: tuple[Answer, ...]
    repeated: tuple[RepeatedDeal, ...]
    first_to_act: FirstToAct | None
    proofs: Proofs

    @property
    def unusual(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if answer.standing == "unusual")


class Account(msgspec.Struct, frozen=True, gc=False):
    """The whole archive. ``alpha`` is the rate of false alarms of a fair archive, all ``questions`` together.

    ``unreadable`` texts were no match logs; ``seen_before`` logs were of a match that had been counted.
    """

    alpha: float
    questions: int
    logs: int
    unreadable: int
    seen_before: int
    parts: tuple[Part, ...]
    format: Literal["fairness/1"] = "fairness/1"

    @property
    def is_unusual(self) -> bool:
        """Whether anything in it should be looked into."""
        return any(part.status == "unusual" or part.proofs.failed for part in self.parts)


def to_json(account: Account) -> bytes:
    """The account as JSON, with sorted keys and six digits a number."""
    return msgspec.json.format(msgspec.json.encode(_rounded(msgspec.to_builtins(account)), order="sorted")) + b"\n"


def _rounded(value: object) -> object:
    """Six digits: the last ones of a probability are those of the machine."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
