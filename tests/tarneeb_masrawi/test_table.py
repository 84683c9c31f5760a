"""What holds at every moment: cards and tricks are conserved, and the legal list and the judge agree."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from auditor import events
from auditor.games import FORMS, GAMES
from auditor.replay import Replay
from tests import documents, tarneeb
from tests.documents import Document

from . import builders, chances, oracle
from .builders import DAKAK, MASRAWI

both = pytest.mark.parametrize("ruleset", [MASRAWI, DAKAK])


def replay_of(document: Document) -> Replay:
    ruleset = document["ruleset"]
    return Replay(GAMES[ruleset], msgspec.json.decode(msgspec.json.encode(document), type=FORMS[ruleset]))


@both
@pytest.mark.parametrize("seed", range(4))
def test_cards_and_tricks_are_conserved_after_every_event(ruleset: str, seed: int) -> None:
    rng = random.Random(seed)
    document = builders.match(chances.deal_events(rng, ruleset, tarneeb.shuffled(rng), 0, {}, 0), ruleset)
    log = document["events"]
    for at in range(1, len(log) + 1):
        replay = replay_of(document)
        replay.run(until=at)
        table = replay.table
        played = sum(event["type"] == "play" for event in log[:at])
        assert sum(hand.bit_count() for hand in table.hands) + played == 52
        assert sum(table.hands).bit_count() == 52 - played
        assert sum(table.tricks_taken) == played // 4
        assert table.tricks_of(0) + table.tricks_of(1) == played // 4


def candidates(ruleset: str, seat: int) -> list[tuple[str, Any]]:
    """Every call of a seat, by the code that a legal list has for it."""
    bids = [
        (f"{number} {trump}", events.TricksBid(seat=seat, tricks=number, trump=trump))  # type: ignore[arg-type]
        for number in range(6, 15)
        for trump in oracle.ORDER
    ]
    calls: list[tuple[str, Any]] = [("pass", events.Pass(seat=seat)), ("double", events.Double(seat=seat)), *bids]
    if ruleset == MASRAWI:
        calls += [("accept", events.Accept(seat=seat)), ("redouble", events.Redouble(seat=seat))]
    return calls + [(card, events.Play(seat=seat, card=card)) for card in oracle.PACK]  # type: ignore[arg-type]


@both
@pytest.mark.parametrize("seed", range(12))
def test_the_legal_list_and_the_judge_agree(ruleset: str, seed: int) -> None:
    rng = random.Random(seed)
    options = {} if ruleset == MASRAWI else rng.choice([{}, {"dakak_floor": "5NT"}, {"dakak_floor": "6"}])
    hands = chances.some_hands(rng)
    calls, _ = chances.random_calls(rng, ruleset, hands, 0, options)
    document = builders.match([documents.deal(hands), *calls], ruleset, options=options)
    for at in range(1, len(calls) + 2):
        replay = replay_of(document)
        replay.run(until=at)
        stage = replay.stage
        turn = getattr(stage, "turn", None)
        if turn is None:
            continue
        may = [
            code
            for code, event in candidates(ruleset, turn)
            if stage.yields_to(event) or (type(event) in stage.hears and stage.judge(event) is None)
        ]
        assert sorted(stage.legal() or []) == sorted(may)


@both
def test_the_same_is_said_whether_events_are_taken_one_by_one_or_in_a_row(ruleset: str) -> None:
    """Notes between all events keep the auditor from taking several at once."""
    for seed in range(10):
        rng = random.Random(seed)
        document = chances.damaged(rng, chances.legal_match(rng, ruleset))
        noted = []
        for event in document["events"]:
            noted += [event, {"type": "note"}]
        once, spread = documents.verdict(document), documents.verdict(document | {"events": noted})
        rows = [(row[0], row[1], None if row[2] is None else row[2] // 2, row[3]) for row in documents.findings(spread)]
        skipped = [row for row in documents.findings(once) if row[1] == "note.skipped"]
        if not skipped:
            assert rows == documents.findings(once)
        assert spread["totals"] == once["totals"]
