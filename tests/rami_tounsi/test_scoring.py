"""What a round scores: the whole table, the worked examples, zal3a, and each reading of what is open."""

from __future__ import annotations

from typing import Any

import pytest

from tests.documents import Document, Event, findings, result, score, verdict

from . import oracle
from .builders import acts, deal, match

#: Seat 1 closes with these melds, the last card of which it draws.
CLOSES = ("TC TD TS TH", "JC JD JS JH", "4S 5S 6S", "9C 9D 9H")
#: Seat 0 opens with some of these melds, so that few cards are left.
OPENS = ("QH KH AH", "QS KS AS", "5C 5D 5H 5S", "2H 3H 4H")


def closed(left: str, laid: bool = True, throws: str = "8D", taken: bool = False, **options: Any) -> Document:
    """Seat 0 draws a card, lays what it does not keep, and throws; seat 1 closes, perhaps with what seat 0 threw.

    Of thirteen cards seat 0 keeps those that are ``left``, if it lays anything; otherwise it lays nothing.
    """
    kept = left.split()
    melds = _melds_of(13 - len(kept)) if laid else []
    hand = [card for meld in melds for card in meld.split()] + kept
    hand += ["2C", "2D", "3C", "3D", "7C", "7D", "8C", "QC", "QD", "KC", "KD", "AC", "AD"][: 13 - len(hand)]
    last = "9H" if taken else throws
    lines = [f"0 draw {last}", *(f"0 meld {meld}" for meld in melds), f"0 throw {last}"]
    lines += ["1 take 9H" if taken else "1 draw 9H", *(f"1 meld {meld}" for meld in CLOSES)]
    hands = [hand, " ".join(CLOSES).split()[:13]]
    event = deal(hands, 1, [last] if taken else [last, "9H"])
    return match([event, *acts(*lines)], options={"hand_size": 13, "variant": "simple", **options})


def _melds_of(count: int) -> list[str]:
    """Melds of so many cards, worth 51 and more."""
    shapes = {
        9: ("QH KH AH", "QS KS AS", "2H 3H 4H"),
        10: ("QH KH AH", "QS KS AS", "5C 5D 5H 5S"),
        11: ("QH KH AH", "QS KS AS", "2H 3H 4H 5H 6H"),
        12: ("QH KH AH", "QS KS AS", "2H 3H 4H", "6C 6D 6H"),
        13: ("QH KH AH", "QS KS AS", "5C 5D 5H 5S", "2H 3H 4H"),
    }
    return list(shapes[count])


def points(document: Document) -> list[int]:
    said = verdict(document)
    assert {row[0] for row in findings(said)} <= {"open"}
    expected = oracle.judge(document)
    assert list(expected["deals"][0]["points"]) == said["deals"][0]["points"]
    return said["deals"][0]["points"]


@pytest.mark.parametrize(
    ("left", "penalty"),
    [
        ("2C", 2), ("3C", 3), ("4C", 4), ("5C 5D", 10), ("6C", 6), ("7C", 7), ("8C", 8), ("9S", 9), ("TH", 10),
        ("JD", 10), ("QC", 10), ("KC", 10), ("AC", 10), ("KC 9S", 19), ("JK 5C", 15), ("2C 3C 4C", 9),
        ("JK JK JK JK", 40),
    ],
)  # fmt: skip
def test_cards_left_in_a_hand(left: str, penalty: int) -> None:
    assert points(closed(left)) == [penalty, 0]


@pytest.mark.parametrize("left", ["3C", "JK JK AC", "2C 2D 3C 3D"])
def test_100_flat_for_a_seat_that_laid_nothing(left: str) -> None:
    assert points(closed(left, laid=False)) == [100, 0]


@pytest.mark.parametrize(("ace_penalty", "penalty"), [(1, 3), (10, 12), (11, 13)])
def test_ace_left_in_a_hand(ace_penalty: int, penalty: int) -> None:
    assert points(closed("AC 2C", ace_penalty=ace_penalty)) == [penalty, 0]


@pytest.mark.parametrize("joker_penalty", [-5, 0, 10, 25, 77])
def test_joker_left_in_a_hand_when_the_table_has_said_what_it_counts(joker_penalty: int) -> None:
    document = closed("JK 2C", joker_penalty=joker_penalty)
    assert points(document) == [joker_penalty + 2, 0]
    assert findings(verdict(document)) == []


@pytest.mark.parametrize(("laid", "penalty"), [(True, 54), (False, 150)])
def test_zal3a_for_the_seat_whose_discard_let_the_next_one_close(laid: bool, penalty: int) -> None:
    assert points(closed("4C", laid=laid, taken=True)) == [penalty, 0]


def test_no_zal3a_for_the_upcard_nor_after_a_return() -> None:
    hands = [
        ["2C", "2D", "3C", "3D", "7C", "7D", "8C", "QC", "QD", "KC", "KD", "AC", "AD"],
        " ".join(CLOSES).split()[:13],
    ]
    melds = [f"1 meld {meld}" for meld in CLOSES]
    options = {"hand_size": 13}
    document = match([deal(hands, 0, "", "9H"), *acts("1 take 9H", *melds)], options=options)
    assert points(document) == [100, 0]
    lines = ("0 draw 9H", "0 throw 9H", "1 take 9H", "1 return", "1 draw 9H", *melds)
    document = match([deal(hands, 1, "9H 9H"), *acts(*lines)], options=options)
    assert points(document) == [100, 0]


def test_zal3a_also_with_a_last_discard_and_for_the_previous_seat_only() -> None:
    hands = [
        ["2C", "2D", "3C", "3D", "7C", "7D", "8C", "QC", "QD", "KC", "KD", "AC", "AD"],
        ["2C", "2D", "3C", "3D", "7C", "7D", "8C", "QC", "QD", "KC", "KD", "AC", "9H"],
        ["TC", "TD", "TS", "TH", "JC", "JD", "JS", "4S", "5S", "6S", "9C", "JK", "8S"],
    ]
    lines = ("1 draw 8D", "1 throw 9H", "2 take 9H")
    melds = [f"2 meld {meld}" for meld in ("TC TD TS TH", "JC JD JS", "4S 5S 6S", "9C 9H JK")]
    document = match([deal(hands, 0, "8D"), *acts(*lines, *melds, "2 throw 8S")], 3, options={"hand_size": 13})
    said = verdict(document)
    assert said["deals"][0]["points"] == [100, 150, 0]
    assert list(oracle.judge(document)["deals"][0]["points"]) == [100, 150, 0]


def test_each_reading_of_a_joker_left_in_a_hand_is_right() -> None:
    document = closed("JK 5C")
    at = len(document["events"])
    readings = {"10": [15, 0], "20": [25, 0], "25": [30, 0], "30": [35, 0]}
    [finding] = verdict(document)["findings"]
    assert (finding["clause"], finding["event"], finding["readings"]) == ("open.joker-penalty", at - 1, readings)
    for claimed in readings.values():
        said = verdict(document | {"events": [*document["events"], score(claimed, claimed)]})
        assert [row[1] for row in findings(said)] == ["open.joker-penalty"]
        assert (said["deals"][0]["points"], said["totals"]) == (claimed, claimed)
    wrong = verdict(document | {"events": [*document["events"], score([20, 0], [20, 0])]})
    assert [row[1] for row in findings(wrong)] == ["open.joker-penalty", "claim.score"]
    total = verdict(document | {"events": [*document["events"], score([25, 0], [15, 0])]})
    assert [row[1] for row in findings(total)] == ["open.joker-penalty", "claim.total"]


def test_what_comes_next_shows_which_reading_was_taken() -> None:
    document = closed("JK 5C", target=20)
    ended: list[Event] = [*document["events"], result(1, [25, 0])]
    assert verdict(document | {"events": ended})["status"] == "clean"
    goes_on = verdict(document | {"events": [*document["events"], deal([], 0)]})  # 15: another round
    assert [row[1] for row in findings(goes_on)] == ["open.joker-penalty", "deal.cards"]


def test_the_joker_penalty_is_not_open_for_a_hand_that_does_not_count() -> None:
    assert findings(verdict(closed("JK 2C", laid=False))) == []
