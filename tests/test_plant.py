"""A match with one planted fault gives that finding first, at that event, and nothing before it.

A big run: ``AUDITOR_MATCHES=1000 pytest tests/test_plant.py -n 2``.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest

from auditor import faults, generate, replay
from auditor.errors import CannotAudit
from auditor.games import GAMES

Document = dict[str, Any]

#: Each fault by ruleset, with the kind and the clause of the finding that it gives. The faults of a ruleset that is not
#: listed are held to what they themselves expect.
EXPECTED: dict[str, dict[str, tuple[str, str]]] = {
    "tarneeb-classic": {
        "wrong-dealer": ("illegal", "deal.dealer"),
        "missing-card": ("illegal", "deal.cards"),
        "card-twice": ("illegal", "deal.cards"),
        "strange-card": ("illegal", "deal.cards"),
        "unshuffled-deal": ("illegal", "deal.shuffle"),
        "call-out-of-turn": ("illegal", "auction.turn"),
        "bid-of-14": ("illegal", "auction.range"),
        "bid-of-6": ("illegal", "auction.range"),
        "bid-with-trump": ("illegal", "auction.range"),
        "low-bid": ("illegal", "auction.outbid"),
        "bid-by-the-clock": ("illegal", "timeout.policy"),
        "trump-by-another": ("illegal", "trump.declarer"),
        "no-trump": ("illegal", "trump.declarer"),
        "play-out-of-turn": ("illegal", "play.turn"),
        "card-not-held": ("illegal", "play.in-hand"),
        "revoke": ("illegal", "play.follow-suit"),
        "strong-card-by-the-clock": ("illegal", "timeout.policy"),
        "refused-though-legal": ("illegal", "refusal.legal"),
        "wrong-kind": ("illegal", "flow.kind"),
        "wrong-trick": ("claim", "claim.trick"),
        "trick-claimed-early": ("claim", "claim.trick"),
        "wrong-points": ("claim", "claim.score"),
        "wrong-total": ("claim", "claim.total"),
        "score-claimed-twice": ("claim", "claim.score"),
        "wrong-result": ("claim", "claim.result"),
        "deal-after-the-end": ("illegal", "match.over"),
    },
}
CASES = [(ruleset, fault) for ruleset in GAMES for fault in faults.faults_of(ruleset)]
#: The options under which the matches of a ruleset are generated, in turn; by default none are given.
OPTIONS: dict[str, Sequence[Document]] = {
    "tarneeb-classic": [{}, {"target": 41}, {"target": 61, "defender_sweep": 13}, {"defender_sweep": 16}],
}


def match_count(ruleset: str) -> int:
    return int(os.environ.get("AUDITOR_MATCHES", "60" if ruleset in EXPECTED else "20"))


@cache
def matches(ruleset: str) -> Sequence[Document]:
    """Legal matches with shuffle proofs, made once a process."""
    rows = OPTIONS.get(ruleset, [{}])
    made = [
        generate.matches(GAMES[ruleset], len(range(start, match_count(ruleset), len(rows))), start, options, True)
        for start, options in enumerate(rows)
    ]
    return [match for each in made for match in each]


def planted(ruleset: str, fault: str, number: int) -> faults.Planted | None:
    return faults.plant(GAMES[ruleset], matches(ruleset)[number], fault, Random(f"{fault} {number}"))


def accusations(ruleset: str, document: Document) -> list[tuple[str, str, int | None]]:
    """Kind, clause and event of all that makes a match not clean, in the order of the verdict."""
    game = GAMES[ruleset]
    verdict = replay.audit(game, msgspec.convert(document, game.form))
    return [(row.kind, row.clause, row.event) for row in verdict.findings if row.kind not in ("open", "note")]


@pytest.mark.parametrize("ruleset", EXPECTED)
def test_the_table_of_this_test_names_every_fault(ruleset: str) -> None:
    known = faults.faults_of(ruleset)
    assert EXPECTED[ruleset] == {name: (kind, clause) for name, (kind, clause, _) in known.items()}


@pytest.mark.parametrize(("ruleset", "fault"), CASES)
def test_a_planted_fault_is_the_first_finding_where_it_stands(ruleset: str, fault: str) -> None:
    found = 0
    expected = EXPECTED.get(ruleset, {}).get(fault)
    for number in range(match_count(ruleset)):
        match = planted(ruleset, fault, number)
        if match is None:
            continue
        found += 1
        said = accusations(ruleset, match.document)
        assert said, f"match {number}: the fault at event {match.event} is not found"
        assert (match.kind, match.clause) == (expected or (match.kind, match.clause))
        assert said[0] == (match.kind, match.clause, match.event), f"match {number}: {said[:3]}"
        assert all(event is not None and event >= match.event for _, _, event in said), f"match {number}: {said[:3]}"
    assert found >= (0.9 if expected else 0.05) * match_count(ruleset), "too few matches have a place for this fault"


@pytest.mark.parametrize(("ruleset", "fault"), CASES)
def test_nothing_but_one_event_differs_from_the_clean_match(ruleset: str, fault: str) -> None:
    for number in range(min(20, match_count(ruleset))):
        clean = matches(ruleset)[number]
        before = copy.deepcopy(clean)
        match = planted(ruleset, fault, number)
        assert clean == before, "the clean match was changed"
        if match is None:
            continue
        assert {**match.document, "events": ()} == {**clean, "events": ()}
        log, event = clean["events"], match.event
        rest = [*match.document["events"][:event], *match.document["events"][event + 1 :]]
        assert rest in (log, without(log, event), without(log, event + 1)), f"match {number}: inserted, changed, moved"


def without(log: list[Document], index: int) -> list[Document]:
    return [*log[:index], *log[index + 1 :]]


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_matches_are_clean_before_a_fault_is_planted(ruleset: str) -> None:
    assert [accusations(ruleset, match) for match in matches(ruleset)] == [[]] * match_count(ruleset)


@pytest.mark.parametrize(("ruleset", "fault"), CASES)
def test_the_same_chance_plants_the_same_fault(ruleset: str, fault: str) -> None:
    first, _, again = (planted(ruleset, fault, number) for number in (0, 1, 0))
    assert first == again


@pytest.mark.parametrize(("ruleset", "fault"), CASES)
def test_a_match_without_a_place_for_it_gets_no_fault(ruleset: str, fault: str) -> None:
    empty = {**matches(ruleset)[0], "events": []}
    assert faults.plant(GAMES[ruleset], empty, fault, Random(0)) is None


def test_an_unshuffled_deal_shows_only_with_a_proof() -> None:
    match = {key: value for key, value in matches("tarneeb-classic")[0].items() if key != "shuffle"}
    assert faults.plant(GAMES["tarneeb-classic"], match, "unshuffled-deal", Random(0)) is None


def test_a_fault_of_no_name_is_refused() -> None:
    with pytest.raises(KeyError):
        faults.plant(GAMES["tarneeb-classic"], matches("tarneeb-classic")[0], "no-such-fault", Random(0))


@pytest.mark.parametrize(("ruleset", "fault"), CASES)
def test_a_stream_of_matches_keeps_those_with_a_place_for_the_fault(ruleset: str, fault: str) -> None:
    game = GAMES[ruleset]
    empty = {**matches(ruleset)[0], "events": []}
    stream = [empty, *matches(ruleset)[:40], empty, empty]
    found = list(faults.planted(game, stream, fault, 7))
    assert 0 < len(found) <= 40
    assert found == list(faults.planted(game, stream, fault, 7))
    for match in found:
        assert accusations(ruleset, match.document)[0] == (match.kind, match.clause, match.event)


def test_a_stream_without_any_place_for_the_fault_ends_in_one_line() -> None:
    empty = {**matches("tarneeb-classic")[0], "events": []}
    with pytest.raises(CannotAudit, match="revoke"):
        list(faults.planted(GAMES["tarneeb-classic"], [empty] * (faults.PATIENCE + 1), "revoke", 0))
