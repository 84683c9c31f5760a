"""Logs in which some cards are unseen accuse nobody falsely, and find what can be found; nothing is ever lost."""

from __future__ import annotations

import os
import random
from typing import Any

import msgspec
import pytest

from auditor import replay
from auditor.games import FORMS, GAMES
from tests import documents
from tests.documents import Document

from . import builders, chances

MATCHES = int(os.environ.get("AUDITOR_ORACLE_DEALS", "600")) // 60
SEATS = [(1, 2, 3), (0, 2, 3), (0, 1), (0, 1, 2, 3)]


def but_unseen(said: dict[str, Any]) -> list[tuple[str, str, int | None, int | None]]:
    return [row for row in documents.findings(said) if row[1] != "note.unseen"]


def accusations(said: dict[str, Any]) -> list[tuple[str, str, int | None, int | None]]:
    return [row for row in documents.findings(said) if row[0] in ("illegal", "claim")]


@pytest.mark.parametrize("seats", SEATS)
def test_a_match_that_is_played_out_gives_the_same_verdict(seats: tuple[int, ...]) -> None:
    for number in range(MATCHES):
        document = chances.legal_match(random.Random(f"whole {number}"))
        said = documents.verdict(document)
        unseen = documents.verdict(builders.hidden(document, *seats))
        assert but_unseen(unseen) == but_unseen(said), number
        assert [unseen[key] for key in ("deals", "totals", "winner", "over", "status")] == [
            said[key] for key in ("deals", "totals", "winner", "over", "status")
        ], number


@pytest.mark.parametrize("seats", SEATS)
def test_a_match_that_breaks_off_accuses_nobody(seats: tuple[int, ...]) -> None:
    for number in range(MATCHES):
        rng = random.Random(f"cut {number}")
        document = chances.legal_match(rng)
        document = builders.cut(document, rng.randrange(len(document["events"]) + 1))
        assert accusations(documents.verdict(builders.hidden(document, *seats))) == [], number


@pytest.mark.parametrize("seats", SEATS)
def test_a_trump_that_is_never_named_accuses_nobody(seats: tuple[int, ...]) -> None:
    for number in range(MATCHES):
        document = builders.hidden(chances.legal_match(random.Random(f"bare {number}")), *seats)
        events = [{key: value for key, value in event.items() if key != "suit"} for event in document["events"]]
        assert accusations(documents.verdict(document | {"events": events})) == [], number


@pytest.mark.parametrize("seats", SEATS)
def test_a_revoke_is_found_in_a_deal_that_is_played_out(seats: tuple[int, ...]) -> None:
    """Where nothing else is wrong: an ignored event shows no card, and nobody sees which card lies face down."""
    compared = 0
    for number in range(3 * MATCHES):
        rng = random.Random(f"revoke {number}")
        document = chances.other_card_of_hand(rng, chances.legal_match(rng))
        said = documents.verdict(document)
        unseen = documents.verdict(builders.hidden(document, *seats))
        if {clause for kind, clause, *_ in but_unseen(said) if kind == "illegal"} <= {"play.follow-suit"}:
            compared += 1
            assert but_unseen(unseen) == but_unseen(said), number
    assert compared > MATCHES


def tables(document: Document) -> Any:
    """The replay of a match, one event after another."""
    match = msgspec.json.decode(msgspec.json.encode(document), type=FORMS["twenty-nine"])
    run = replay.Replay(GAMES["twenty-nine"], match)
    for index, event in enumerate(match.events):
        run._hear(index, event)
        yield run


@pytest.mark.parametrize("number", range(6))
def test_conservation_of_cards_and_tricks(number: int) -> None:
    """After every event all cards that were dealt lie in hands, face down, or in tricks, each of them once."""
    document = chances.legal_match(random.Random(f"conserved {number}"))
    if number % 2:
        document = builders.hidden(document, *SEATS[number % 4])
    dealt = played = 0
    down = False
    for run, event in zip(tables(document), document["events"], strict=True):
        kind, table = event["type"], run.table
        if event.get("refused"):
            continue
        if kind == "deal" and (dealt != 16 or table.contract is None):
            dealt, played, down = 16, 0, False
        elif kind == "deal":
            dealt = 32
        elif kind == "trump":
            down = event["card"] != "??"
        elif kind == "play":
            played += 1
        hidden = getattr(run.stage, "hidden", None)
        if hidden is not None:
            down = hidden.lies and hidden.card != 0
        elif played:
            down = False
        held = sum(hand.bit_count() for hand in table.hands) + sum(table.unseen)
        assert held + played + down == dealt, event
        assert sum(table.hands).bit_count() + sum(table.unseen) == held
        assert sum(table.tricks_taken) == played // 4
