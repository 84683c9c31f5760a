"""Logs written from one seat: what is hidden makes nobody guilty or innocent."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from auditor import replay
from auditor.games import GAMES
from tests.documents import Document, findings, replaced, result, score, verdict

from . import chances, oracle
from .builders import acts, deal, hands_of, match

THIRTEEN = {"hand_size": 13}
GAME = GAMES["rami-tounsi"]
CLOSES = ("TC TD TS TH", "JC JD JS JH", "4S 5S 6S", "9C 9D 9H")


def seen_by(seat: int, document: Document) -> Document:
    """The same match as one seat sees it: its own cards, what is laid and thrown, nothing of the stock."""
    events = []
    for event in document["events"]:
        if event["type"] == "deal":
            hands = [hand if other == seat else ["??"] * len(hand) for other, hand in enumerate(event["hands"])]
            event = {key: value for key, value in event.items() if key != "stock"} | {"hands": hands}
        elif event["type"] == "draw" and event["seat"] != seat and event["from"] == "stock":
            event = event | {"card": "??"}
        elif event["type"] == "reshuffle":
            event = event | {"stock": ["??"] * len(event["stock"])}
        events.append(event)
    return document | {"events": events}


@pytest.mark.parametrize("batch", range(3))
def test_a_legal_match_is_legal_from_every_seat(batch: int) -> None:
    """With all scores claimed nothing is wrong, and the totals are the same."""
    for document in _legal(batch):
        whole = verdict(document)
        for seat in range(len(document["players"])):
            said = verdict(seen_by(seat, document))
            assert {row[0] for row in findings(said)} <= {"open", "note"}, (document["match"], seat)
            assert (said["totals"], said["winner"], said["status"]) == (
                whole["totals"],
                whole["winner"],
                whole["status"],
            )
            assert [entry["points"] for entry in said["deals"]] == [entry["points"] for entry in whole["deals"]]


@pytest.mark.parametrize("batch", range(3))
def test_without_claims_nobody_is_accused(batch: int) -> None:
    for document in _legal(10 + batch):
        for share in (0.0, 0.5):
            rng = random.Random(f"{batch} {share}")
            events = [event for event in document["events"] if event["type"] != "score" or rng.random() < share]
            for seat in range(len(document["players"])):
                said = verdict(seen_by(seat, document | {"events": events}))
                assert {row[0] for row in findings(said)} <= {"open", "note"}, (document["match"], seat, share)


def _legal(batch: int) -> Iterator[Document]:
    matches = chances.legal_matches(1000 + batch, whole=True)
    for _ in range(4):
        yield next(matches)


def hidden(*lines: str, own: str = "", stock: Any = None) -> Document:
    """Seat 0's log; seat 1, whose cards are hidden, draws first."""
    hands = [hands_of(own)[0], ["??"] * 13]
    event = {"type": "deal", "dealer": 0, "hands": hands}
    if stock is not None:
        event["stock"] = stock
    return match([event, *acts(*lines)], options=THIRTEEN)


def test_a_card_that_may_be_there_may_be_played() -> None:
    assert findings(verdict(hidden("1 draw ??", "1 throw 9S", "0 draw 7C", "0 throw 7C"))) == []


def test_a_card_that_is_known_to_lie_elsewhere_may_not() -> None:
    document = hidden("1 draw ??", "1 throw 9S", own="9S 9S")
    assert findings(verdict(document)) == [("illegal", "meld.held", 2, 1)]
    twice = hidden("1 draw ??", "1 throw 9S", "0 draw 7C", "0 throw 7C", "1 draw ??", "1 throw 9S", own="9S")
    assert findings(verdict(twice)) == [("illegal", "meld.held", 6, 1)]


def test_more_cards_than_there_are_unseen_may_not() -> None:
    melds = ("1 meld TC TD TS TH", "1 meld JC JD JS JH", "1 meld 4S 5S 6S", "1 meld 9C 9D 9H 9S")
    document = hidden("1 draw ??", *melds)
    assert findings(verdict(document)) == [("illegal", "meld.held", 5, 1)]


def test_a_draw_that_is_seen_may_not_be_a_card_of_another_hand() -> None:
    assert findings(verdict(hidden("1 draw 9S", own="9S 9S"))) == [("illegal", "draw.card", 1, 1)]
    assert findings(verdict(hidden("1 draw 9S", own="9S"))) == []


def test_a_known_stock_is_held_to_also_where_hands_are_hidden() -> None:
    own = hands_of("")[0]
    stock = ["9S", *["??"] * 80, "9H"]
    assert len(stock) == 108 - 26
    assert findings(verdict(hidden("1 draw 9S", stock=stock))) == []
    assert findings(verdict(hidden("1 draw ??", "1 throw 9S", stock=stock))) == []
    assert findings(verdict(hidden("1 draw 9H", stock=stock))) == [("illegal", "draw.card", 1, 1)]
    assert own[0] in oracle.pack_of(0)


def test_a_refused_move_with_unseen_cards_is_not_judged() -> None:
    document = hidden("1 draw ??", "-1 throw 9S", "1 throw 9H")
    assert findings(verdict(document)) == [("note", "note.unseen", 2, 1)]
    # shown later, and dealt: no stock card has come between
    shown = hidden("-1 draw ??", "1 draw 7H", "-1 throw 9S", "1 throw 9S")
    assert findings(verdict(shown)) == [("illegal", "refusal.legal", 1, 1), ("illegal", "refusal.legal", 3, 1)]


def test_a_refused_draw_of_a_stock_that_is_not_seen_is_not_judged() -> None:
    document = match([deal(hands_of("", "")), *acts("-1 draw 9S", "1 draw 7H")], options=THIRTEEN)
    assert findings(verdict(document)) == [("note", "note.unseen", 1, 1)]


def test_a_joker_may_be_one_of_the_unseen_cards() -> None:
    """Seat 1 takes a joker by a swap and throws one: it may have held another."""
    melds = ("1 meld QH KH AH", "1 meld QS KS AS", "1 meld 9C 9D JK")
    lines = ("1 draw ??", *melds, "1 swap 2 9S", "1 throw JK", "0 draw 7C")
    assert findings(verdict(hidden(*lines))) == [("note", "note.unseen", 6, 1)]
    all_seen = hidden(*lines, own="JK JK JK")
    assert [row[1] for row in findings(verdict(all_seen))] == ["discard.joker"]


# --- The score where hands that count are not seen -----------------------------------------------------------------


def closed(*after: Any, own: str = "TC TD TS TH JC JD JS JH 4S 5S 6S 9C 9D", **options: Any) -> Document:
    """Seat 1 opens with hidden cards and is left with 8 of them; seat 0 closes."""
    lines = ("1 draw ??", "1 meld QH KH AH", "1 meld QS KS AS", "1 throw 8D", "0 draw 9H")
    document = hidden(*lines, *(f"0 meld {meld}" for meld in CLOSES), own=own)
    return document | {"events": [*document["events"], *after], "options": {**THIRTEEN, **options}}


CLOSED_AT = 9


@pytest.mark.parametrize(
    ("penalty", "is_possible"),
    [(0, False), (13, False), (14, True), (15, True), (60, True), (150, True), (151, False)],
)
def test_a_claim_of_unseen_cards_may_be_what_they_can_be(penalty: int, is_possible: bool) -> None:
    """Seven cards: seven of the eight twos are the least, four jokers of 30 and three tens the most."""
    document = closed(score([0, penalty], [0, penalty]))
    seven = verdict(document)
    rows = [row for row in findings(seven) if row[0] == "claim"]
    least, most = bounds(document)
    assert (rows == []) == (least <= penalty <= most)
    assert ("note", "note.unseen", CLOSED_AT, None) in findings(seven)
    if not rows:
        assert (seven["deals"][0]["outcome"], seven["deals"][0]["points"]) == ("scored", [0, penalty])
        assert seven["totals"] == [0, penalty]
    assert is_possible == (least <= penalty <= most)


def bounds(document: Document) -> tuple[int, int]:
    """The least and the most that seat 1's unseen cards can count, by trying all that are not placed."""
    left = oracle.pack_of(4)
    for event in document["events"]:
        for card in event.get("cards", [event["card"]] if event["type"] == "discard" else []):
            left.remove(card)
    count = 13 + 1 - 6 - 1
    worth = {**oracle.VALUE, "A": 10}
    low = sorted(10 if card == "JK" else worth[card[0]] for card in left)
    high = sorted(30 if card == "JK" else worth[card[0]] for card in left)
    return sum(low[:count]), sum(high[-count:])


def test_the_seats_that_are_seen_are_held_to_their_points() -> None:
    wrong = closed(score([1, 60], [1, 60]))
    assert [row[1] for row in findings(verdict(wrong))] == ["note.unseen", "claim.score"]
    total = closed(score([0, 60], [0, 61]))
    assert [row[1] for row in findings(verdict(total))] == ["note.unseen", "claim.total"]
    assert verdict(total)["totals"] == [0, 60]


def test_without_a_claim_the_round_is_not_scored_and_a_later_total_shows_what_it_was() -> None:
    again = deal(hands_of("", ""), 1, "")
    said = verdict(closed(again))
    assert [entry["outcome"] for entry in said["deals"]] == ["broken", "unfinished"]
    assert [row[0] for row in findings(said)] == ["note"]
    shown = verdict(closed(result(None, [0, 60])))
    assert (shown["deals"][0]["outcome"], shown["deals"][0]["points"]) == ("scored", [0, 60])
    assert [row[0] for row in findings(shown)] == ["note"]
    won = verdict(closed(result(0, [0, 60]), target=50))
    assert (won["status"], won["winner"], won["totals"]) == ("clean", 0, [0, 60])
    assert [row[1] for row in findings(verdict(closed(result(0, [0, 500]), target=50)))] == [
        "note.unseen",
        "claim.result",
    ]


def test_the_hands_are_filled_with_what_was_surely_dealt() -> None:
    """A card thrown after an unseen draw may be the one drawn: the proof of the shuffle is not held against it."""
    document = hidden("1 draw ??", "1 throw 9S", "0 draw 7C", "0 throw 7C")
    match_ = msgspec.convert(document, GAME.form)
    played = replay.Replay(GAME, match_)
    played.run()
    assert played.table.unseen == [0, 13]
    dealt = replaced(document, 1, card="7H")
    played = replay.Replay(GAME, msgspec.convert(dealt, GAME.form))
    played.run()
    assert played.table.unseen == [0, 12]
