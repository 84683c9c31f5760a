"""What is told of one finding, in both languages.

In: a verdict, or a stored one with its sentences. Out: the same in either case. Refuses to know pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor import rulebook
from auditor.rulebook import LANGUAGES, Language
from auditor.verdict import Verdict, document


@dataclass(frozen=True, slots=True)
class Told:
    """One finding. ``message`` is the sentence of the case and ``rule`` that of the clause, by language."""

    number: int
    kind: str
    clause: str
    event: int | None
    seat: int | None
    message: Mapping[Language, str]
    rule: Mapping[Language, str]
    source: str
    legal: Sequence[str] | None
    expected: Any
    found: Any
    readings: Mapping[str, Any] | None
    #: The number of the earlier finding that it follows from.
    follows: int | None


@dataclass(frozen=True, slots=True)
class Words:
    """The sentences of one finding: that of the case and that of the clause, by language, and the clause's source."""

    message: Mapping[Language, str]
    rule: Mapping[Language, str]
    source: str


def told_by(verdict: Verdict) -> list[Told]:
    """The findings of a verdict that was just given."""
    words = []
    for finding in verdict.findings:
        entry = rulebook.entry(verdict.ruleset, finding.clause)
        message: dict[Language, str] = {each: finding.message(verdict.ruleset, each) for each in LANGUAGES}
        words.append(Words(message, {each: entry.rule[each] for each in LANGUAGES}, entry.source))
    return told_in(document(verdict), words)


def told_in(verdict: Mapping[str, Any], words: Sequence[Words]) -> list[Told]:
    """The findings of a ``verdict/1`` document, from the first on, as many as there are words for."""
    return [
        Told(
            number=number,
            kind=row["kind"],
            clause=row["clause"],
            event=row["event"],
            seat=row.get("seat"),
            message=said.message,
            rule=said.rule,
            source=said.source,
            legal=row.get("legal"),
            expected=row.get("expected"),
            found=row.get("found"),
            readings=row.get("readings"),
            follows=row.get("follows"),
        )
        for number, (row, said) in enumerate(zip(verdict["findings"], words, strict=False))
    ]
