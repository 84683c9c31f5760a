"""Every clause and open point of rami-tounsi: a log that breaks it, what stands after it, and near misses."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from auditor import position
from auditor.games import GAMES
from tests import documents
from tests.documents import Document, Event, Row, findings, result, score, verdict

from . import oracle
from .builders import acts, deal, hands_of, match

#: Seat 1 holds 65 to open with (30 + 15 + 20) and a tierce; seat 0 holds 60, and 66 with a ten.
ONE = "QH KH AH 4S 5S 6S 9C 9D 2C"
NOUGHT = "TC TD TS JC JD JS 3H 3D TH"
SIMPLE = {"variant": "simple"}
THIRTEEN = {"hand_size": 13}


def illegal(clause: str, event: int, seat: int | None = None) -> Row:
    return ("illegal", clause, event, seat)


def wrong(clause: str, event: int) -> Row:
    return ("claim", clause, event, None)


def noted(clause: str, event: int, seat: int | None = None) -> Row:
    return ("open", clause, event, seat)


def table(
    *lines: str, hands: tuple[str, ...] = (NOUGHT, ONE), stock: str = "7C 8D", options: Any = THIRTEEN, **keys: Any
) -> Document:
    """A round of two seats (or more hands) with 13 cards each, dealt by seat 0: seat 1 draws first."""
    held = hands_of(*hands)
    return match([deal(held, 0, stock, **keys), *acts(*lines)], len(hands), options=options)


def expect(document: Document, *rows: Row) -> None:
    """Exactly these findings, from the auditor and from the oracle."""
    assert findings(verdict(document)) == list(rows)
    said = oracle.judge(document)
    assert not said["doubts"], said["doubts"]
    assert sorted((kind, clause, event) for kind, clause, event, _ in rows) == sorted(
        row[:3] for row in said["findings"]
    )


def last(document: Document) -> int:
    return len(document["events"]) - 1


# --- deal.cards -----------------------------------------------------------------------------------------------------


def dealt(change: str) -> Event:
    hands = hands_of(NOUGHT, ONE)
    event = deal(hands, 0, "")
    stock: list[str] = event["stock"]
    match change:
        case "a card too few":
            stock.append(event["hands"][0].pop())
        case "two more":
            event["hands"][0] += [stock.pop(), stock.pop()]
        case "both have one more":
            event["hands"][0].append(stock.pop())
            event["hands"][1].append(stock.pop())
        case "a hand too many":
            event["hands"].append([stock.pop() for _ in range(13)])
        case "one hand":
            stock += event["hands"].pop()
        case "no hands":
            stock += [card for hand in hands for card in hand]
            event["hands"] = []
        case "three of a kind":
            event["hands"][0] = ["TC", "TC", "TC", *event["hands"][0][3:]]
        case "five jokers":
            event["hands"][0] = ["JK"] * 5 + event["hands"][0][5:]
        case "a stock too short":
            stock.pop()
        case "a stock too long":
            stock.append("2C")
        case "another card in the stock":
            stock[stock.index("8H")] = "TC"
        case "an upcard that is in the stock too":
            event["upcard"] = stock[0]
        case "an upcard that is nowhere else":
            event["upcard"] = stock.pop()
        case "one seat has one more":
            event["hands"][0].append(stock.pop())
        case "no stock":
            del event["stock"]
        case "a stock in another order":
            stock.reverse()
    return event


@pytest.mark.parametrize(
    "change",
    [
        "a card too few",
        "two more",
        "both have one more",
        "a hand too many",
        "one hand",
        "no hands",
        "three of a kind",
        "five jokers",
        "a stock too short",
        "a stock too long",
        "another card in the stock",
        "an upcard that is in the stock too",
    ],
)
def test_deal_cards_a_deal_with_wrong_cards_is_broken_from_the_start(change: str) -> None:
    events = [dealt(change), *acts("1 draw 7C"), score([3, 4], [3, 4]), deal(hands_of(NOUGHT, ONE), 1, "")]
    document = match(events, options=THIRTEEN)
    expect(document, illegal("deal.cards", 0), ("note", "note.skipped", 1, None))
    said = verdict(document)
    assert [entry["outcome"] for entry in said["deals"]] == ["broken", "unfinished"]
    assert said["totals"] == [3, 4]


@pytest.mark.parametrize(
    "change",
    ["", "an upcard that is nowhere else", "one seat has one more", "no stock", "a stock in another order"],
)
def test_deal_cards_near_misses(change: str) -> None:
    expect(match([dealt(change)], options=THIRTEEN))


@pytest.mark.parametrize("jokers", range(5))
def test_deal_cards_as_many_jokers_as_the_option_says(jokers: int) -> None:
    hands = hands_of(NOUGHT, ONE, jokers=jokers)
    event = deal(hands, 0, "", jokers=jokers)
    assert event["stock"].count("JK") == jokers
    expect(match([event], options=THIRTEEN | {"jokers": jokers}))
    expect(match([event], options=THIRTEEN | {"jokers": (jokers + 1) % 5}), illegal("deal.cards", 0))


def test_deal_cards_fourteen_a_hand_by_default() -> None:
    expect(match([deal(hands_of(NOUGHT, ONE, size=14), 0, "")]))
    expect(match([deal(hands_of(NOUGHT, ONE), 0, "")]), illegal("deal.cards", 0))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_deal_cards_two_to_four_seats(seats: int) -> None:
    expect(match([deal(hands_of(*[""] * seats, size=14), 0, "")], seats))


# --- deal.shuffle ---------------------------------------------------------------------------------------------------

PROOF = documents.shuffle_proof("00ff", "lina")


def proven(
    number: int, dealer: int, seats: int, starter: int | None = None, upcard: bool = False, size: int = 14
) -> Event:
    hands, rest = oracle.dealt(oracle.shuffled_pack(PROOF, number, 4), dealer, seats, size, starter)
    event: Event = {"type": "deal", "dealer": dealer, "hands": hands}
    if upcard:
        event["upcard"] = rest.pop(0)
    return event | {"stock": rest}


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("starter", [None, 0, 1])
@pytest.mark.parametrize("upcard", [False, True])
def test_deal_shuffle_one_card_at_a_time_then_the_extra_card_then_the_upcard(
    seats: int, starter: int | None, upcard: bool
) -> None:
    for dealer in range(seats):
        event = proven(0, dealer, seats, starter, upcard)
        expect(match([event], seats, shuffle=PROOF))
        expect(match([event | {"dealer": (dealer + 1) % seats}], seats, shuffle=PROOF), illegal("deal.shuffle", 0))


def test_deal_shuffle_hands_are_compared_as_sets_and_the_stock_as_it_lies() -> None:
    event = proven(0, 1, 3)
    expect(match([event | {"hands": [sorted(hand) for hand in event["hands"]]}], 3, shuffle=PROOF))
    stock = [event["stock"][1], event["stock"][0], *event["stock"][2:]]
    expect(match([event | {"stock": stock}], 3, shuffle=PROOF), illegal("deal.shuffle", 0))
    expect(match([{key: value for key, value in event.items() if key != "stock"}], 3, shuffle=PROOF))


def test_deal_shuffle_another_upcard() -> None:
    event = proven(0, 1, 3, upcard=True)
    changed = event | {"upcard": event["stock"][0], "stock": [event["upcard"], *event["stock"][1:]]}
    if changed["upcard"] != event["upcard"]:
        expect(match([changed], 3, shuffle=PROOF), illegal("deal.shuffle", 0))


def test_deal_shuffle_a_deal_that_does_not_come_from_it_stands() -> None:
    event = proven(1, 1, 2)
    document = match([event, *acts(f"0 draw {event['stock'][0]}")], shuffle=PROOF)
    expect(document, illegal("deal.shuffle", 0))


def test_deal_shuffle_a_wrong_commitment_is_told_at_the_first_deal() -> None:
    expect(match([proven(0, 1, 2)], shuffle=PROOF | {"commitment": "00" * 32}), illegal("deal.shuffle", 0))


def test_deal_shuffle_what_can_be_seen_is_compared() -> None:
    event = proven(0, 1, 2)
    hidden = event | {"hands": [["??"] * 14, event["hands"][1]], "stock": ["??"] * len(event["stock"])}
    assert findings(verdict(match([hidden], shuffle=PROOF))) == [("note", "note.unseen", 0, None)]
    other = hidden | {"hands": [["??"] * 14, event["hands"][0]]}
    assert findings(verdict(match([other], shuffle=PROOF))) == [("illegal", "deal.shuffle", 0, None)]


# --- turn.order -----------------------------------------------------------------------------------------------------


def test_turn_order_the_seat_after_the_dealer_draws_first() -> None:
    expect(table("1 draw 7C", "1 throw 7C", "0 draw 8D", "0 throw 8D"))
    expect(table("0 draw 7C", "1 draw 7C"), illegal("turn.order", 1, 0))


def test_turn_order_the_seat_with_one_card_more_starts_without_a_draw() -> None:
    hands = hands_of(NOUGHT, ONE)
    hands[0].append("7C")
    events = [deal(hands, 0, "8D"), *acts("0 throw 7C", "1 draw 8D", "1 throw 8D")]
    expect(match(events, options=THIRTEEN))
    expect(match([events[0], *acts("0 draw 8D", "0 throw 7C")], options=THIRTEEN), illegal("turn.order", 1, 0))
    expect(match([events[0], *acts("1 throw 2C", "0 throw 7C")], options=THIRTEEN), illegal("turn.order", 1, 1))


@pytest.mark.parametrize("line", ["1 throw 2C", "1 meld QH KH AH", "1 add 0 2C", "1 swap 0 2C", "1 return"])
def test_turn_order_an_act_before_the_draw_is_ignored(line: str) -> None:
    expect(table(line, "1 draw 7C", "1 throw 2C"), illegal("turn.order", 1, 1))


@pytest.mark.parametrize("line", ["1 draw 8D", "1 take 8D", "0 throw TC", "0 meld TC TD TS"])
def test_turn_order_a_second_draw_and_another_seat_are_ignored(line: str) -> None:
    document = table("1 draw 7C", line, "1 throw 2C", "0 draw 8D")
    expect(document, illegal("turn.order", 2, document["events"][2]["seat"]))


# --- draw.card ------------------------------------------------------------------------------------------------------


def test_draw_card_the_top_of_the_stock() -> None:
    expect(table("1 draw 8D", "1 draw 7C", "1 throw 2C"), illegal("draw.card", 1, 1))


def test_draw_card_the_top_of_the_discard_pile() -> None:
    hands = (f"{NOUGHT} 2C", f"{ONE} 2D")
    legal = ("1 draw 7C", "1 throw 2C", "0 take 2C", "0 return", "0 draw 8D")
    expect(table(*legal, hands=hands))
    expect(table("1 take 7C", "1 draw 7C", hands=hands), illegal("draw.card", 1, 1))  # the pile is empty
    expect(table("1 take 8H", "1 draw 7C", upcard="7H", hands=hands), illegal("draw.card", 1, 1))
    expect(table("1 take 7H", "1 return", "1 draw 7C", upcard="7H", hands=hands))
    expect(table(*legal[:2], "0 take 2D", "0 draw 8D", hands=hands), illegal("draw.card", 3, 0))


def test_draw_card_of_an_unwritten_stock_one_that_is_not_placed_elsewhere() -> None:
    held = hands_of(NOUGHT, "AH AH KH")
    for card, rows in (("AH", [illegal("draw.card", 1, 1)]), ("KH", []), ("7C", []), ("JK", [])):
        expect(match([deal(held), *acts(f"1 draw {card}")], options=THIRTEEN), *rows)


# --- draw.used ------------------------------------------------------------------------------------------------------

#: Seat 1 throws 9S, which makes a set with 9C 9D of seat 0's next turn; seat 0 has not opened.
TAKES = ("TC TD TS JC JD JS 9C 9D 4H 5H 6H", "9S QH KH AH QS KS AS 2H 3H 4H 8S")


def test_draw_used_the_taken_card_lies_in_the_opening() -> None:
    lay = ("0 meld TC TD TS", "0 meld JC JD JS", "0 meld 9C 9D 9S")
    start = ("1 draw 7C", "1 throw 9S", "0 take 9S")
    expect(table(*start, *lay, "0 throw 2D", hands=TAKES))
    expect(table(*start, *lay[:2], "0 throw 2D", hands=TAKES), illegal("draw.used", 6, 0))
    expect(table(*start, "0 throw 2D", "1 draw 8D", hands=TAKES), illegal("draw.used", 4, 0))
    expect(table(*start, "0 throw 9S", "1 draw 8D", hands=TAKES), illegal("draw.used", 4, 0))


def test_draw_used_it_may_be_added_to_a_meld_that_opens() -> None:
    hands = ("TC TD TS JC JD JS 9C 9D 4H 5H 6H", "9S QH KH AH QS KS AS 7H 7D JK 8S")
    start = ("1 draw 7C", "1 meld QH KH AH", "1 meld QS KS AS", "1 throw 7H", "0 take 7H")
    opens = ("0 meld TC TD TS", "0 meld JC JD JS", "0 meld 4H 5H 6H")
    expect(table(*start, *opens, "0 add 4 7H", "0 throw 2D", hands=hands))


@pytest.mark.parametrize(
    ("line", "rows"),
    [("0 add 0 JH", []), ("0 swap 2 9S", []), ("0 meld JH TH 9H", []), ("0 throw 2D", None), ("0 add 0 JH TH", [])],
)
def test_draw_used_by_a_seat_that_had_opened_in_any_way(line: str, rows: list[Row] | None) -> None:
    hands = ("TC TD TS JC JD JS 9H TH JH", "QH KH AH QS KS AS 9C 9D JK")
    card = "9S" if "9S" in line else "JH"
    hands = (hands[0].replace("JH", "QD"), f"{hands[1]} {card}")
    lines = ["1 draw 7C", "1 meld QH KH AH", "1 meld QS KS AS", "1 meld 9C 9D JK", "1 throw 7C"]
    lines += ["0 draw 8D", "0 meld TC TD TS", "0 meld JC JD JS", "0 throw 8D", "1 draw 8C", f"1 throw {card}"]
    lines += [f"0 take {card}", line] + ([] if "throw" in line else ["0 throw 2C"])
    document = table(*lines, hands=hands, stock="7C 8D 8C", options=THIRTEEN | SIMPLE)
    expect(document, *([illegal("draw.used", last(document), 0)] if rows is None else rows))


def test_draw_used_a_seat_that_had_not_opened_must_open_with_it() -> None:
    hands = ("TC TD TS JC JD JS 9C 9D 4H 5H 6H", "9S QH KH AH QS KS AS JH TH 8S")
    start = ("1 draw 7C", "1 meld QH KH AH", "1 meld QS KS AS", "1 throw JH", "0 take JH")
    opens = ("0 meld TC TD TS", "0 meld JC JD JS", "0 meld 4H 5H 6H")
    # JH fits QH KH AH, but that is no meld with which seat 0 opens
    expect(table(*start, *opens, "0 add 0 JH", "0 throw 2D", hands=hands), illegal("draw.used", 10, 0))


def test_draw_used_equal_cards_cannot_be_told_apart() -> None:
    hands = ("TC TD TS JC JD JS 9C 9D 9S 4H 5H 6H", "9S QH KH AH QS KS AS 2H 3H 4H 8S")
    start = ("1 draw 7C", "1 throw 9S", "0 take 9S", "0 meld TC TD TS", "0 meld JC JD JS", "0 meld 9C 9D 9S")
    expect(table(*start, "0 throw 9S", "1 draw 8D", hands=hands))


# --- draw.return ----------------------------------------------------------------------------------------------------


def test_draw_return_only_a_card_just_taken_from_the_discard_pile() -> None:
    expect(table("1 draw 7C", "1 return", "1 throw 7C"), illegal("draw.return", 2, 1))
    expect(
        table("1 take 7H", "1 return", "1 draw 7C", "1 return", "1 throw 7C", upcard="7H"), illegal("draw.return", 4, 1)
    )


def test_draw_return_then_the_seat_draws_from_the_stock() -> None:
    expect(table("1 take 7H", "1 return", "1 take 7H", "1 draw 7C", upcard="7H"), illegal("draw.return", 3, 1))
    expect(table("1 take 7H", "1 return", "1 throw 2C", "1 draw 7C", upcard="7H"), illegal("turn.order", 3, 1))
    expect(table("1 take 7H", "1 return", "1 draw 7C", "1 throw 2C", "0 take 2C", upcard="7H"))


def test_draw_return_melds_that_fall_short_go_back_with_it() -> None:
    lines = ("1 take 7S", "1 meld 4S 5S 6S 7S", "1 return", "1 draw 7C", "1 meld 4S 5S 6S", "1 throw 2C")
    document = table(*lines, upcard="7S")
    expect(document, illegal("opening.value", last(document), 1))  # 4S 5S 6S are in the hand again, and worth 15
    expect(table(*lines[:4], "1 throw 7S", upcard="7S"), illegal("meld.held", 5, 1))


def test_draw_return_melds_that_open_stay() -> None:
    hands = (NOUGHT, "QH KH AH QS KS AS 9C 9D")
    lines = ("1 take 7S", "1 meld QH KH AH", "1 meld QS KS AS", "1 return", "1 draw 7C")
    expect(table(*lines, "1 throw 9C", upcard="7S", hands=hands))
    expect(table(*lines, "1 throw QH", upcard="7S", hands=hands), illegal("meld.held", 6, 1))
    laid = ("1 take JH", "1 meld JH QH KH AH", "1 meld QS KS AS", "1 return", "1 throw 9C")
    expect(table(*laid, upcard="JH", hands=hands), illegal("draw.return", 4, 1))


# --- meld.* ---------------------------------------------------------------------------------------------------------


def test_meld_held_is_ignored() -> None:
    expect(table("1 draw 7C", "1 meld QH KH AH JH", "1 throw 2C"), illegal("meld.held", 2, 1))
    expect(table("1 draw 7C", "1 meld 9C 9C 9D", "1 throw 2C"), illegal("meld.held", 2, 1))
    expect(table("1 draw 7C", "1 meld QH KH JK:AH", "1 throw 2C"), illegal("meld.held", 2, 1))
    expect(table("1 draw 7C", "1 throw 8H", "1 throw 2C"), illegal("meld.held", 2, 1))


@pytest.mark.parametrize(
    ("cards", "clause"),
    [
        ("QH KH 9C", "meld.shape"),
        ("9C 9D", "meld.shape"),
        ("", "meld.shape"),
        ("9C JK JK", "meld.naturals"),
        ("QH JK:KH JK:AH", "meld.naturals"),
        ("QH JK AH", "meld.joker"),
        ("QH KH JK:TH", "meld.joker"),
        ("9C 9D JK:8S", "meld.joker"),
        ("9C 9D JK:9D", "meld.joker"),
    ],
)
def test_meld_clauses_stand(cards: str, clause: str) -> None:
    hands = (NOUGHT, "QH KH AH 9C 9D JK JK")
    document = table("1 draw 7C", f"1 meld {cards}", hands=hands)
    expect(document, illegal(clause, 2, 1))
    left = 14 - len(cards.split())
    assert len(held(document, 1)) == left


@pytest.mark.parametrize("cards", ["QH JK:KH AH", "QH KH JK:JH", "9C 9D JK", "9C 9D JK:9S", "AH KH QH"])
def test_meld_near_misses(cards: str) -> None:
    expect(table("1 draw 7C", f"1 meld {cards}", hands=(NOUGHT, "QH KH AH 9C 9D JK JK")))


# --- opening.value --------------------------------------------------------------------------------------------------


def test_opening_value_51_in_one_turn() -> None:
    lines = ("1 draw 7C", "1 meld QH KH AH", "1 meld 4S 5S 6S")
    expect(table(*lines, "1 throw 2C"), illegal("opening.value", 4, 1))  # 45
    hands = (NOUGHT, ONE.replace("4S", "7S").replace("5S", "8S"))
    # 6S 7S 8S: 30 + 21 is 51 exactly
    expect(table(*lines[:2], "1 meld 6S 7S 8S", "1 throw 2C", hands=hands))


@pytest.mark.parametrize(("opening", "is_enough"), [(51, True), (61, False), (71, False)])
def test_opening_value_by_option(opening: int, is_enough: bool) -> None:
    hands = (NOUGHT, ONE.replace("4S", "7S").replace("5S", "8S"))
    lines = ("1 draw 7C", "1 meld QH KH AH", "1 meld 6S 7S 8S", "1 throw 2C")
    rows = [] if is_enough else [illegal("opening.value", 4, 1)]
    expect(table(*lines, hands=hands, options=THIRTEEN | {"opening": opening}), *rows)


@pytest.mark.parametrize(
    ("more", "variant", "is_enough"),
    [("", "classic", False), ("2H 3H JH", "classic", True), ("", "simple", True)],
)
def test_opening_value_rises_in_classic(more: str, variant: str, is_enough: bool) -> None:
    """Openings of 65; then 60 is refused and 66 the least."""
    hands = ("TC TD TS JC JD JS 2D 2H 2S", "QH KH AH QS KS AS 2H 3H")
    start = ("1 draw 7C", "1 meld QH KH AH", "1 meld QS KS AS", "1 throw 7C")
    second = ["0 draw 8D", "0 meld TC TD TS", "0 meld JC JD JS"]
    if more:
        second.append("0 meld 2D 2H 2S")
    document = table(*start, *second, "0 throw 8D", hands=hands, options=THIRTEEN | {"variant": variant})
    expect(document, *([] if is_enough else [illegal("opening.value", last(document), 0)]))


def rising(highest: str, next_one: str) -> Document:
    """Seat 1 opens with melds, then seat 0 does; melds are parted by ``/``."""
    hands = (next_one.replace("/", " "), highest.replace("/", " "))
    lines = ["1 draw 7C", *(f"1 meld {meld}" for meld in highest.split("/")), "1 throw 7C"]
    lines += ["0 draw 8D", *(f"0 meld {meld}" for meld in next_one.split("/")), "0 throw 8D"]
    return table(*lines, hands=hands)


@pytest.mark.parametrize(("last_meld", "is_enough"), [("", False), ("2D 2H 2S", True), ("AD 2D 3D", True)])
def test_opening_value_after_65_comes_66_at_least(last_meld: str, is_enough: bool) -> None:
    sixty_five = "QH KH AH/5D 5S 5H/2C 3C 4C 5C 6C"  # 30 + 15 + 20
    document = rising(sixty_five, "TC TD TS/JC JD JS" + (f"/{last_meld}" if last_meld else ""))  # 60, 66, 75
    expect(document, *([] if is_enough else [illegal("opening.value", last(document), 0)]))


def test_opening_value_all_new_melds_of_the_turn_count() -> None:
    """54 would have been enough; with the meld after it the next opening has to beat 69."""
    document = rising("QH KH AH/7S 8S 9S/5D 5S 5H", "TC TD TS/JC JD JS/2D 2H 2S")  # 69, then 66
    expect(document, illegal("opening.value", last(document), 0))


def test_opening_value_one_that_is_too_low_stands_and_is_none_to_beat() -> None:
    hands = ("QH KH AH 7S 8S 9S 2D", "QH KH AH 4S 5S 6S 2C")
    start = ("1 draw 7C", "1 meld QH KH AH", "1 meld 4S 5S 6S", "1 throw 2C")  # 45: too low
    document = table(*start, "0 draw 8D", "0 meld QH KH AH", "0 meld 7S 8S 9S", "0 throw 2D", hands=hands)  # 54
    expect(document, illegal("opening.value", 4, 1))
    # the seat has opened: it may add now
    adds = ("0 draw 8D", "0 throw 2D", "1 draw 8C", "1 add 1 7S", "1 throw 8C")
    document = table(*start, *adds, hands=(hands[0], f"{hands[1]} 7S"), stock="7C 8D 8C")
    expect(document, illegal("opening.value", 4, 1))


def test_opening_value_before_adding_and_swapping() -> None:
    hands = (NOUGHT, "QH KH AH 4S 5S 6S 7S 2C")
    lines = ("1 draw 7C", "1 meld 4S 5S 6S", "1 add 0 7S", "1 meld QH KH AH", "1 throw 2C")
    expect(table(*lines, hands=hands), illegal("opening.value", 3, 1))  # told once
    swaps = ("1 draw 7C", "1 meld 4S JK:5S 6S", "1 swap 0 5S", "1 throw 2C")
    expect(table(*swaps, hands=(NOUGHT, "4S 5S 6S JK 2C")), illegal("opening.value", 3, 1))


def test_opening_value_a_seat_is_open_as_soon_as_its_melds_reach_the_need() -> None:
    hands = (NOUGHT, "QH KH AH JH 7S 8S 9S 2C")
    lines = ("1 draw 7C", "1 meld QH KH AH", "1 meld 7S 8S 9S", "1 add 0 JH", "1 throw 2C")
    expect(table(*lines, hands=hands))


def test_opening_value_when_all_cards_are_laid() -> None:
    hands = hands_of("", "AH 2H 3H 4D 5D 6D 2S 3S 4S 2C 3C 4C", size=13)
    hands[1][12:] = ["5C"]
    lines = ("1 draw 6C", "1 meld AH 2H 3H", "1 meld 4D 5D 6D", "1 meld 2S 3S 4S", "1 meld 2C 3C 4C 5C 6C")
    events = [deal(hands, 0, "6C"), *acts(*lines)]  # 15 + 15 + 9 + 20 = 59
    expect(match(events, options=THIRTEEN))
    expect(match(events, options=THIRTEEN | {"opening": 61}), illegal("opening.value", 5, 1))


# --- add.opened, add.fit, swap.fit, discard.joker -------------------------------------------------------------------

#: Seat 1 opens with 60, a run and a set with a joker each beside it; seat 0 opens with 60.
HANDS = ("TC TD TS JC JD JS 7C 5C 9S 9H JK QD 2C", "QH KH AH QS KS AS 4C 6C 9C 9D JK JK 8S")
FIRST = ("1 draw 7S", "1 meld QH KH AH", "1 meld QS KS AS", "1 meld 4C JK:5C 6C", "1 meld 9C 9D JK", "1 throw 7S")
SECOND = ("0 draw 8D", "0 meld TC TD TS", "0 meld JC JD JS")
ACT = 1 + len(FIRST) + len(SECOND)


def acting(*lines: str, opens: bool = True) -> Document:
    """Seat 0, which has opened or not, acts on the melds of seat 1, and throws a card; seat 1 draws."""
    first = SECOND if opens else SECOND[:1]
    throws = () if any("throw" in line for line in lines) else ("0 throw 8D",)
    return table(*FIRST, *first, *lines, *throws, "1 draw 8C", hands=HANDS, stock="7S 8D 8C", options=THIRTEEN | SIMPLE)


def held(document: Document, seat: int) -> list[str]:
    """The hand of a seat at the end of the log."""
    game = GAMES["rami-tounsi"]
    return list(position.before(game, msgspec.convert(document, game.form), len(document["events"])).hands[seat])


@pytest.mark.parametrize("line", ["0 add 2 7C", "0 swap 2 5C"])
def test_add_opened_by_a_seat_that_has_not_opened_stands(line: str) -> None:
    document = acting(line, opens=False)
    expect(document, illegal("add.opened", 8, 0))
    assert len(held(document, 0)) == 13 - ("add" in line)


@pytest.mark.parametrize("line", ["0 add 2 7C", "0 add 3 9S", "0 add 4 JK", "0 add 0 JK:JH", "0 add 1 JK:JS"])
def test_add_near_misses(line: str) -> None:
    expect(acting(line))


@pytest.mark.parametrize(
    "line", ["0 add 2 5C", "0 add 0 7C", "0 add 3 9S 9H", "0 add 2 JK:7C", "0 add 1 9S", "0 add 0 JK"]
)
def test_add_fit_stands(line: str) -> None:
    document = acting(line)
    expect(document, illegal("add.fit", ACT, 0))
    assert len(held(document, 0)) == 7 - len(line.split()[3:])


def test_add_fit_a_meld_that_is_not_there_is_ignored() -> None:
    document = acting("0 add 7 7C")
    expect(document, illegal("add.fit", ACT, 0))
    assert len(held(document, 0)) == 7
    expect(acting("0 add 7 7C", opens=False), illegal("add.opened", 8, 0))


@pytest.mark.parametrize(
    ("line", "stands"), [("0 swap 2 7C", True), ("0 swap 3 5C", True), ("0 swap 0 7C", False), ("0 swap 9 7C", False)]
)
def test_swap_fit(line: str, stands: bool) -> None:
    document = acting(line)
    expect(document, illegal("swap.fit", ACT, 0))
    assert held(document, 0).count("JK") == 1 + stands


@pytest.mark.parametrize("card", ["9S", "9H"])
def test_swap_fit_a_set_takes_any_suit_that_it_lacks(card: str) -> None:
    document = acting(f"0 swap 3 {card}")
    expect(document)
    assert held(document, 0).count("JK") == 2


def test_open_swap_run_is_legal_and_noted() -> None:
    expect(acting("0 swap 2 5C"), noted("open.swap-run", ACT, 0))
    expect(acting("-0 swap 2 5C"), noted("open.swap-run", ACT, 0))
    expect(acting("-0 swap 3 9S"), illegal("refusal.legal", ACT, 0))


def test_discard_joker_that_was_taken_by_a_swap() -> None:
    # with a joker of its own the seat may throw one; then the swapped one is left
    own = ("0 swap 3 9S", "0 throw JK", "1 draw 8C", "1 throw 8S", "0 draw 8H", "0 throw JK")
    document = table(*FIRST, *SECOND, *own, hands=HANDS, stock="7S 8D 8C 8H", options=THIRTEEN | SIMPLE)
    expect(document, noted("open.discard-own-joker", ACT + 1, 0), illegal("discard.joker", ACT + 5, 0))


def test_discard_joker_a_swapped_one_may_be_laid_at_once_or_later() -> None:
    expect(acting("0 swap 3 9S", "0 add 0 JK:JH", "0 add 1 JK:JS"))
    later = ("0 swap 3 9S", "0 throw 8D", "1 draw 8C", "1 throw 8S", "0 draw 8H", "0 add 0 JK:JH", "0 add 1 JK:JS")
    expect(table(*FIRST, *SECOND, *later, hands=HANDS, stock="7S 8D 8C 8H", options=THIRTEEN | SIMPLE))
    # the joker that was laid may have been the swapped one
    document = acting("0 swap 3 9S", "0 add 0 JK:JH", "0 throw JK")
    expect(document, noted("open.discard-own-joker", ACT + 2, 0))


def test_open_discard_own_joker_is_legal_and_noted() -> None:
    hands = (NOUGHT, "JK")
    expect(table("1 draw 7C", "1 throw JK", hands=hands), noted("open.discard-own-joker", 2, 1))
    expect(table("1 draw 7C", "-1 throw JK", "1 throw 7C", hands=hands), noted("open.discard-own-joker", 2, 1))


# --- close.tierce ---------------------------------------------------------------------------------------------------

#: Closes when dealt to seat 1: the melds are parted by ``/``.
CLOSES = "TC TD TS TH/JC JD JS JH/4S 5S 6S/9C 9D 9H"


def closing(melds: str, *after: str, options: Any = THIRTEEN, other: str = "", throw: bool = False) -> Document:
    """Seat 1 lays its 14 cards, or all but the last, which it throws."""
    cards = oracle.physical(melds.replace("/", " ").split())
    assert len(cards) == 14
    laid = melds.split("/")
    lines = [f"1 draw {cards[-1]}", *(f"1 meld {meld}" for meld in (laid[:-1] if throw else laid))]
    lines += [f"1 throw {laid[-1]}"] if throw else []
    return table(*lines, *after, hands=(other, " ".join(cards[:-1])), stock=cards[-1], options=options)


@pytest.mark.parametrize(
    ("melds", "throw", "rows"),
    [
        (CLOSES, False, []),
        ("TC TD TS TH/JC JD JS JH/4S 5S 6S/9C 9D 9H".replace("4S 5S 6S", "4S 4D 4H"), False, None),
        ("TC TD TS/JC JD JS JH/4S 5S 6S/9C 9D 9H/2C", True, []),
        ("TC TD TS/JC JD JS JH/4S 4C 4D/9C 9D 9H/2C", True, None),
    ],
)
@pytest.mark.parametrize("variant", ["classic", "simple"])
def test_close_tierce(melds: str, throw: bool, rows: list[Row] | None, variant: str) -> None:
    document = closing(melds, throw=throw, options=THIRTEEN | {"variant": variant})
    if rows is None:
        rows = [illegal("close.tierce", last(document), 1)] if variant == "classic" else []
    expect(document, *rows)
    assert verdict(document)["deals"][0]["points"] == [100, 0]


def test_close_tierce_a_run_of_another_seat_is_none() -> None:
    hands = ("4S 5S 6S QH KH AH 2H 2D", "TC TD TS JC JD JS 9C 9D 9H 8C 8D 8H 7S")
    lines = ["1 draw 2C", "1 meld TC TD TS", "1 meld JC JD JS", "1 meld 9C 9D 9H", "1 meld 8C 8D 8H", "1 throw 2C"]
    lines = [*lines[:-1], "1 throw 7S", "0 draw 2S", "0 throw 2D", "1 draw 3S", "1 throw 2C"]
    document = table(*lines, hands=hands, stock="2C 2S 3S")
    expect(document)
    adds = [line.replace("0 throw 2D", "0 meld 4S 5S 6S") for line in lines[:-2]]
    adds += ["0 meld QH KH AH", "0 throw 2D", "1 draw 3S", "1 add 4 3S", "1 throw 2C"]
    document = table(*adds, hands=hands, stock="2C 2S 3S", options=THIRTEEN)
    expect(document, illegal("opening.value", 10, 0), illegal("close.tierce", last(document), 1))


@pytest.mark.parametrize(
    ("melds", "decides"),
    [
        ("4S JK:5S 6S 7S/TC TD TS/JC JD JS/9C 9D 9H 9S", True),  # a joker beside three naturals
        ("4S JK:5S 6S 7S/TC TD TS/JC JD JS/2H 3H 4H 5H", False),  # but another run without one
    ],
)
def test_open_tierce_with_a_joker(melds: str, decides: bool) -> None:
    document = closing(melds)
    expect(document, *([noted("open.tierce", last(document), 1)] if decides else []))


def test_close_tierce_two_naturals_and_a_joker_are_none() -> None:
    document = closing("4S JK:5S 6S/TC TD TS TH/JC JD JS/9C 9D 9H 9S")
    expect(document, illegal("close.tierce", last(document), 1))


def test_open_tierce_counted_when_laid_or_when_closing() -> None:
    """The third natural card comes later, by an add."""
    melds = ("1 meld 4S JK:5S 6S", "1 meld TC TD TS", "1 meld JC JD JS JH", "1 meld 9C 9D 9H")
    hands = ("", "4S JK 6S 7S TC TD TS JC JD JS JH 9C 9D")
    document = table("1 draw 9H", *melds, "1 add 0 7S", hands=hands, stock="9H")
    expect(document, noted("open.tierce", last(document), 1))


# --- stock.reshuffle, open.stock-out --------------------------------------------------------------------------------


def stock_out(*lines: str) -> Document:
    """The seats draw and throw what they draw until the stock has run out; then it is seat 1's turn."""
    hands = hands_of("JK JK", "JK JK")
    event = deal(hands, 0, "")
    drawn = [f"{(turn + 1) % 2} draw {card}" for turn, card in enumerate(event["stock"])]
    turns = [half for line in drawn for half in (line, line.replace("draw", "throw"))]
    return match([event, *acts(*turns), *acts(*lines)], options=THIRTEEN)


STOCK = [event["card"] for event in stock_out()["events"] if event["type"] == "draw"]
#: The index of what comes when the stock has run out.
OUT = 1 + 2 * len(STOCK)
UNDER = " ".join(STOCK[:-1])


def test_draw_card_from_a_stock_that_has_run_out() -> None:
    expect(stock_out("1 draw 9H", f"1 take {STOCK[-1]}"), illegal("draw.card", OUT, 1))


def test_open_stock_out_a_reshuffle_is_legal_and_noted() -> None:
    expect(stock_out(f"reshuffle {UNDER}", f"1 draw {STOCK[0]}"), noted("open.stock-out", OUT))
    backwards = " ".join(reversed(STOCK[:-1]))
    expect(stock_out(f"reshuffle {backwards}", f"1 draw {STOCK[-2]}"), noted("open.stock-out", OUT))
    expect(stock_out(f"-reshuffle {UNDER}", f"1 take {STOCK[-1]}"), noted("open.stock-out", OUT))


@pytest.mark.parametrize("stock", [f"{UNDER} {STOCK[-1]}", UNDER[3:], f"2C {UNDER[3:]}".replace("2C", STOCK[-1])])
def test_stock_reshuffle_with_other_cards(stock: str) -> None:
    expect(stock_out(f"reshuffle {stock}", f"1 take {STOCK[-1]}"), illegal("stock.reshuffle", OUT))


def test_stock_reshuffle_while_the_stock_has_cards() -> None:
    expect(table("reshuffle", "1 draw 7C"), illegal("stock.reshuffle", 1))
    expect(table("1 draw 7C", "1 throw 2C", "reshuffle", "0 draw 8D"), illegal("stock.reshuffle", 3))


def test_open_stock_out_the_round_may_end_void() -> None:
    again = deal(hands_of("", ""), 1, "")
    document = match([*stock_out()["events"], again], options=THIRTEEN)
    expect(document, noted("open.stock-out", OUT))
    assert [entry["outcome"] for entry in verdict(document)["deals"]] == ["void", "unfinished"]
    claimed = match([*stock_out()["events"], score([0, 0], [0, 0]), again], options=THIRTEEN)
    expect(claimed, noted("open.stock-out", OUT))
    assert verdict(claimed)["deals"][0]["claimed_points"] == [0, 0]


def test_open_stock_out_only_where_a_seat_would_have_to_draw() -> None:
    lines = (f"1 take {STOCK[-1]}",)
    document = match([*stock_out(*lines)["events"], score([0, 0], [0, 0])], options=THIRTEEN)
    expect(document, wrong("claim.score", OUT + 1))
    other = match([*stock_out()["events"], score([100, 0], [100, 0])], options=THIRTEEN)
    expect(other, wrong("claim.score", OUT))


def test_open_stock_out_after_a_return_too() -> None:
    lines = (f"1 take {STOCK[-1]}", "1 return", f"reshuffle {UNDER}", f"1 draw {STOCK[0]}")
    expect(stock_out(*lines), noted("open.stock-out", OUT + 2))


# --- open.opening-refusal, open.joker-value, open.next-dealer -------------------------------------------------------


def test_open_opening_refusal_a_meld_that_is_short_may_be_refused() -> None:
    hands = (NOUGHT, "QH KH AH 7S 8S 9S 2C")
    lines = ("1 draw 7C", "-1 meld QH KH AH", "1 meld 7S 8S 9S", "-1 meld QH KH AH", "1 meld QH KH AH", "1 throw 2C")
    expect(table(*lines, hands=hands), noted("open.opening-refusal", 2, 1), illegal("refusal.legal", 4, 1))


def test_open_opening_refusal_not_for_what_is_illegal_anyway_nor_after_the_opening() -> None:
    hands = (NOUGHT, "QH KH AH 7S 8S 9S 5C 5D 5S 2C")
    lines = ("1 draw 7C", "-1 meld QH KH", "1 meld QH KH AH", "1 meld 7S 8S 9S", "-1 meld 5C 5D 5S", "1 throw 2C")
    expect(table(*lines, hands=hands), illegal("refusal.legal", 5, 1))


def test_open_joker_value_is_noted_where_it_decides() -> None:
    hands = (NOUGHT, "QH KH JK 7S 8S 9S TS 5C 5D 5S 2C")
    lines = ("1 draw 7C", "1 meld QH KH JK:AH", "1 meld 7S 8S 9S")  # 54, and 44 without the joker
    document = table(*lines, "1 throw 2C", hands=hands)
    expect(document, noted("open.joker-value", 4, 1))
    expect(table(*lines, "1 meld 5C 5D 5S", "1 throw 2C", hands=hands))  # 59 without it
    expect(table(*lines, "1 add 1 TS", "1 throw 2C", hands=hands), noted("open.joker-value", 4, 1))  # once


def test_open_joker_value_neither_reading_is_accused() -> None:
    """60, of which 10 for a joker: under one reading 61 is needed next, under the other 51."""
    hands = ("TC TD TS 5C 5D 5H 2D 2H 2S", "QH KH JK QS KS AS 2C")
    first = ("1 draw 7C", "1 meld QH KH JK:AH", "1 meld QS KS AS", "1 throw 2C")
    second = ("0 draw 8D", "0 meld TC TD TS", "0 meld 5C 5D 5H", "0 meld 2D 2H 2S", "0 throw 8D")  # 51
    document = table(*first, *second, hands=hands)
    expect(document, noted("open.joker-value", 4, 1), noted("open.joker-value", last(document), 0))
    refused = table(*first, *second[:-1], "-0 throw 8D", hands=hands)
    expect(refused, noted("open.joker-value", 4, 1), noted("open.joker-value", last(refused), 0))


def three_seats() -> list[Event]:
    """A round of three seats, dealt by seat 0, that seat 1 closes at once."""
    events = closing(CLOSES)["events"]
    held = hands_of("", " ".join(events[0]["hands"][1]), "")
    return [deal(held, 0, "9H"), *events[1:]]


@pytest.mark.parametrize("dealer", [0, 1, 2])
def test_open_next_dealer(dealer: int) -> None:
    document = match([*three_seats(), deal(hands_of("", "", ""), dealer, "")], 3, options=THIRTEEN)
    expect(document, *([] if dealer == 1 else [noted("open.next-dealer", last(document))]))


def test_open_next_dealer_anybody_after_a_broken_round() -> None:
    for dealer in (0, 1):
        broken = [deal(hands_of("", ""), 0, ""), *acts("0 throw 2C", "0 throw 2C")]
        document = match([*broken, deal(hands_of("", ""), dealer, "")], options=THIRTEEN)
        expect(document, illegal("turn.order", 1, 0), ("note", "note.skipped", 2, None))


# --- flow.kind, match.over, refusals, timeouts, broken rounds -------------------------------------------------------


def test_flow_kind_between_rounds_and_a_deal_in_a_round() -> None:
    again = deal(hands_of("", ""), 1, "")
    expect(match(acts("1 draw 7C"), options=THIRTEEN), illegal("flow.kind", 0, 1))
    document = closing(CLOSES)
    events = document["events"]
    expect(match([*events, *acts("0 draw 7C"), again], options=THIRTEEN), illegal("flow.kind", len(events), 0))
    expect(match([*events, *acts("reshuffle"), again], options=THIRTEEN), illegal("flow.kind", len(events)))
    in_between = [*table("1 draw 7C")["events"], again, *acts("1 throw 2C")]
    expect(match(in_between[:3], options=THIRTEEN), illegal("flow.kind", 2))
    assert findings(verdict(match(in_between, options=THIRTEEN))) == [illegal("flow.kind", 2)]


def test_match_over_after_the_round_that_reaches_the_target() -> None:
    options = THIRTEEN | {"target": 100}
    events = closing(CLOSES, options=options)["events"]
    ended = [*events, score([100, 0], [100, 0]), result(1, [100, 0])]
    expect(match(ended, options=options))
    assert verdict(match(ended, options=options))["status"] == "clean"
    expect(match([*ended, *acts("0 draw 7C")], options=options), illegal("match.over", len(ended), 0))
    expect(match([*events, deal(hands_of("", ""), 1, "")], options=options), illegal("match.over", len(events)))


def test_match_goes_on_while_the_lowest_total_is_shared() -> None:
    options = THIRTEEN | {"target": 200}
    first = three_seats()
    won_by_0 = [deal([first[0]["hands"][seat] for seat in (1, 0, 2)], 2, "9H"), *first[1:]]
    won_by_0 = [won_by_0[0], *({**event, "seat": 0} for event in won_by_0[1:])]
    events = [*first, score([100, 0, 100], [100, 0, 100])]
    again = deal(first[0]["hands"], 1, "9H")
    # seat 0 closes the second round: it and seat 1 share the lowest total, and seat 2 has reached the target
    second = [won_by_0[0] | {"dealer": 2}, *won_by_0[1:], score([0, 100, 100], [100, 100, 200])]
    document = match([*events, *second, result(None, [100, 100, 200])], 3, options=options)
    expect(document, noted("open.next-dealer", len(events)))
    assert not verdict(document)["over"]
    # then seat 1 closes alone
    third = [again | {"dealer": 0}, *first[1:], score([100, 0, 100], [200, 100, 300]), result(1, [200, 100, 300])]
    document = match([*events, *second, *third], 3, options=options)
    expect(document, noted("open.next-dealer", len(events)))
    assert verdict(document)["status"] == "clean"
    assert verdict(document)["winner"] == 1


def test_two_impossible_events_break_the_round() -> None:
    lines = ("1 draw 7C", "1 throw 8H", "1 throw 8H", "1 throw 2C", "0 draw 8D")
    events = [*table(*lines)["events"], score([20, 0], [20, 0]), deal(hands_of("", ""), 0, "")]
    document = match(events, options=THIRTEEN)
    expect(document, illegal("meld.held", 2, 1), ("note", "note.skipped", 3, None))
    said = verdict(document)
    assert (said["deals"][0]["outcome"], said["deals"][0]["points"], said["totals"]) == ("broken", None, [20, 0])


def test_timeouts_may_do_anything_legal() -> None:
    document = table("1 draw 7C", "1 meld QH KH AH", "1 throw 2C", hands=(NOUGHT, "QH KH AH"), options=THIRTEEN)
    events = [event | {"by": "timeout"} for event in document["events"]]
    expect(document | {"events": events}, illegal("opening.value", 3, 1))
    expect(document | {"events": [events[0], events[1], events[3]]})


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("-1 draw 7C", [illegal("refusal.legal", 1, 1)]),
        ("-1 draw 8D", []),
        ("-0 draw 7C", []),
        ("-1 throw 2C", []),
        ("-reshuffle", []),
        ("-1 return", []),
    ],
)
def test_refusals(line: str, rows: list[Row]) -> None:
    expect(table(line, "1 draw 7C", "1 throw 2C"), *rows)


def test_a_note_changes_nothing() -> None:
    document = table("1 draw 7C", "1 throw 2C")
    expect(documents.inserted(document, 2, {"type": "note", "seat": 9, "total": [1]}))


# --- Claims ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claims", "rows"),
    [
        ([score([100, 0], [100, 0])], []),
        ([score([0, 0], [0, 0])], ["claim.score"]),
        ([score([100, 0], [100, 1])], ["claim.total"]),
        ([score([100, 0], [100, 0])] * 2, [None, "claim.score"]),
        ([result(None, [100, 0])], []),
        ([result(1, [100, 0])], ["claim.result"]),
        ([result(None, [100, 1])], ["claim.result"]),
    ],
)
def test_claims(claims: list[Event], rows: list[str | None]) -> None:
    document = closing(CLOSES)
    at = len(document["events"])
    events = [*document["events"], *claims]
    expect(match(events, options=THIRTEEN), *(wrong(row, at + nth) for nth, row in enumerate(rows) if row))


def test_a_claim_in_a_round_is_out_of_place() -> None:
    events = [*table("1 draw 7C")["events"], score([0, 0], [0, 0])]
    expect(match(events, options=THIRTEEN), wrong("claim.score", 2))
