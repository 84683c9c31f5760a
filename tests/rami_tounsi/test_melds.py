"""What a run and a set are, what a joker may stand for, and what melds are worth."""

from __future__ import annotations

import random

import pytest

from auditor import melds

from . import oracle


@pytest.mark.parametrize(
    ("cards", "clause"),
    [
        ("2H 3H 4H", None),
        ("4H 2H 3H", None),
        ("AH 2H 3H", None),
        ("QH KH AH", None),
        ("KH AH 2H", "meld.shape"),
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC", None),
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", "meld.shape"),
        ("2H 3H", "meld.shape"),
        ("2H 3H 3H 4H", "meld.shape"),
        ("2H 3H 4D", "meld.shape"),
        ("2H 3H 5H", "meld.shape"),
        ("9H 9D 9S", None),
        ("9H 9D 9S 9C", None),
        ("9H 9H 9S", "meld.shape"),
        ("9H 9D 9S 9C 9H", "meld.shape"),
        ("9H 9D", "meld.shape"),
        ("", "meld.shape"),
        ("JK", "meld.shape"),
        ("4H JK:5H 6H", None),
        ("4H 5H JK:6H", None),
        ("4H 5H JK:3H", None),
        ("QH KH JK:AH", None),
        ("2H 3H JK:AH", None),
        ("4H JK 6H", "meld.joker"),
        ("4H JK:5D 6H", "meld.joker"),
        ("4H JK:7H 6H", "meld.joker"),
        ("4H JK:4H 6H", "meld.joker"),
        ("4H JK:5H 7H", "meld.shape"),
        ("KH JK:AH 2H", "meld.shape"),
        ("9H 9D JK", None),
        ("9H 9D 9S JK", None),
        ("9H 9D JK:9C", None),
        ("9H 9D JK:9H", "meld.joker"),
        ("9H 9D JK:8C", "meld.joker"),
        ("9H 9D 9S 9C JK", "meld.shape"),
        ("9H JK JK", "meld.naturals"),
        ("9H JK:9D JK:9S", "meld.naturals"),
        ("9H 9D JK JK", "meld.naturals"),
        ("4H 5H JK:6H JK:7H", "meld.naturals"),
        ("JK JK JK", "meld.naturals"),
        ("JH JD JK", None),
    ],
)
def test_clauses_of_melds(cards: str, clause: str | None) -> None:
    assert melds.broken_clause(cards.split()) == clause
    assert min(oracle.meld_faults(cards.split()), key=oracle.ORDER.index, default=None) == clause


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("AH 2H 3H", (15, 15)),
        ("QH KH AH", (30, 30)),
        ("4H JK:5H 6H", (15, 10)),
        ("9H 9D JK", (27, 18)),
        ("9H 9D JK:9C", (27, 18)),
        ("AH AD JK", (30, 20)),
        ("TC JC QC KC", (40, 40)),
        ("2C 3C JK:AC", (15, 5)),
    ],
)
def test_points_of_melds(cards: str, points: tuple[int, int]) -> None:
    assert melds.points(cards.split()) == points == oracle.worth_laid(cards.split())


@pytest.mark.parametrize(
    ("cards", "card", "place"),
    [
        ("4H JK:5H 6H", "5H", 1),
        ("4H JK:5H 6H", "7H", None),
        ("4H JK:5H 6H", "5D", None),
        ("9H 9D JK", "9C", 2),
        ("9H 9D JK:9C", "9S", 2),
        ("9H 9D JK", "9H", None),
        ("9H 9D JK", "8C", None),
        ("9H 9D 9S JK", "9C", 3),
        ("9H 9D 9S", "9C", None),
        ("JH JD JK", "JK", None),
    ],
)
def test_which_joker_a_card_takes_the_place_of(cards: str, card: str, place: int | None) -> None:
    assert melds.place_of_joker(cards.split(), card) == place == oracle.swap_place(cards.split(), card)


def test_every_run_and_set_is_legal_and_the_lists_are_whole() -> None:
    for meld in (*oracle.RUNS, *oracle.SETS):
        assert melds.broken_clause(list(meld)) is None
    # In each suit 12 runs of three, 11 of four … 3 of twelve and the whole suit; of each rank five sets.
    assert len(set(oracle.RUNS)) == 4 * (sum(range(3, 13)) + 1)
    assert len(set(oracle.SETS)) == 13 * 5


def test_any_cards_are_judged_as_the_lists_say() -> None:
    rng = random.Random(5)
    pack = oracle.pack_of(4)
    for _ in range(4000):
        suit = rng.choice("CDHS")
        near = [card for card in pack if card[1] == suit and card[0] in "A23456"] if rng.random() < 0.7 else pack
        cards = rng.sample(near, rng.choice([2, 3, 3, 4, 5]))
        for _ in range(rng.choice([0, 1, 1, 2])):
            cards[rng.randrange(len(cards))] = rng.choice(["JK", f"JK:{rng.choice(near)}"])
        cards = [card if card != "JK:JK" else "JK" for card in cards]
        faults = oracle.meld_faults(cards)
        assert melds.broken_clause(cards) == min(faults, key=oracle.ORDER.index, default=None), cards
        assert melds.points(cards) == oracle.worth_laid(cards), cards


@pytest.mark.parametrize(
    ("laid", "added", "clause"),
    [
        ("9C 9D JK:9H", "9H", None),
        ("9C 9D JK:9H", "9S", None),
        ("9C 9D JK:9H", "9D", "meld.shape"),
        ("4H JK:5H 6H", "7H", None),
        ("4H JK:5H 6H", "5H", "meld.joker"),
    ],
)
def test_the_joker_of_a_set_that_lies_is_any_missing_suit(laid: str, added: str, clause: str | None) -> None:
    assert melds.broken_clause([*melds.as_laid(laid.split()), added]) == clause
