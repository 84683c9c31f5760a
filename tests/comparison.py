"""What the auditor and an oracle say of the same match, side by side.

In: documents, and the oracle of their game. Out: nothing, or a failed assertion. Refuses to know who of the two is
right.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .documents import Document, findings, verdict
from .oracles import Row

#: What an oracle does: see ``judge`` in each ``oracle.py``.
Judge = Callable[[Document], dict[str, Any]]
#: True if all could be compared, false if only what comes before a doubt.
Compare = Callable[[Document, str], bool]
#: A label, the source of chance that the match was drawn from, and the match.
Drawn = tuple[str, random.Random, Document]


def compare(judge: Judge, document: Document, label: str, *, in_order: bool = True, open_before: bool = True) -> bool:
    """Compare all that is said; where the rules do not settle it, only what comes before. True if all was compared.

    ``in_order``: whether findings have to come in the same order. ``open_before``: whether open points are compared
    before a doubt; where they are said only after what showed them, they are not.
    """
    expected = judge(document)
    said = verdict(document)
    found = [row[:3] for row in findings(said)]
    wanted: list[tuple[str, str, int | None]] = [(row.kind, row.clause, row.event) for row in expected["findings"]]
    if not in_order:
        found.sort()
        wanted.sort()
    if expected["doubts"]:
        first = min(at for at, _ in expected["doubts"])
        found = [row for row in found if row[2] is not None and row[2] < first]
        wanted = [row for row in wanted if row[2] is not None and row[2] < first]
        if not open_before:
            found = [row for row in found if row[0] != "open"]
            wanted = [row for row in wanted if row[0] != "open"]
        assert found == wanted, f"{label}: findings before event {first}"
        return False
    assert found == wanted, f"{label}: findings"
    seats = [seat for kind, *_, seat in findings(said) if kind == "illegal"]
    assert seats == [row.seat for row in expected["findings"] if row.kind == "illegal"], f"{label}: seats"
    compare_outcome(said, expected, label)
    return True


def compare_outcome(said: dict[str, Any], expected: dict[str, Any], label: str) -> None:
    """Compare what is said beside the findings."""
    deals = [(row["outcome"], row["points"] and tuple(row["points"]), tuple(row["totals"])) for row in said["deals"]]
    assert deals == [(row["outcome"], row["points"], row["totals"]) for row in expected["deals"]], f"{label}: deals"
    for key in ("winner", "over", "status"):
        assert said[key] == expected[key], f"{label}: {key}"
    assert tuple(said["totals"]) == expected["totals"], f"{label}: totals"
    for row, wanted in zip(said["deals"], expected["deals"], strict=True):
        lines = [tuple(line[key] for key in Row._fields) for line in row["lines"]]
        ledgers = wanted["ledgers"] if wanted["outcome"] == "scored" else [(wanted["points"], [])]
        assert lines == next(rows for points, rows in ledgers if points == wanted["points"]), f"{label}: lines"


def draw(
    word: str, legal_match: Callable[[random.Random], Document], share: float, begins: str = "deal"
) -> Iterator[Drawn]:
    """Random legal matches, until there are so many deals; ``begins`` is the type of the event that begins one."""
    deals = number = 0
    while deals < share:
        label = f"{word} {number}"
        rng = random.Random(label)
        document = legal_match(rng)
        deals += max(1, sum(event["type"] == begins for event in document["events"]))
        number += 1
        yield label, rng, document


def compare_legal(drawn: Iterable[Drawn], judge: Judge, compare: Compare) -> None:
    """Neither finds anything in a legal match but open points."""
    for label, _, document in drawn:
        assert not judge(document)["doubts"], label
        assert {row[0] for row in findings(verdict(document))} <= {"open"}, label
        assert compare(document, label)


def compare_damaged(
    drawn: Iterable[Drawn],
    damaged: Callable[[random.Random, Document], Document],
    compare: Compare,
    least_settled: float = 1 / 2,
) -> None:
    """Both say the same of each match, damaged in four ways; the rules settle more than this share of them."""
    whole = count = 0
    for label, rng, document in drawn:
        for again in range(4):
            count += 1
            whole += compare(damaged(rng, document), f"{label} {again}")
    assert whole > count * least_settled, "too few of the damaged matches are settled by the rules"
