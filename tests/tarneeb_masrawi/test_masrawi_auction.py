"""The auction of tarneeb-masrawi: every clause broken, what stands after it, and near misses."""

from __future__ import annotations

from typing import Any

import pytest

from tests import documents
from tests.documents import Document, Event, Hands, deal, hidden, inserted, passes, play, replaced, without
from tests.tarneeb import ONE_SUIT_A_SEAT, from_text, play_out

from . import builders
from .builders import (
    accepts,
    auction,
    bid,
    double,
    expect,
    hands_for,
    illegal,
    legal_at,
    match,
    note,
    outcomes,
    redouble,
    scored,
    void,
)

#: Seat 1 bids 7 S and takes 8 tricks for team 1; the others pass.
PLAIN = match(scored(8, 7))
BID, FIRST_PLAY, AFTER = 1, 5, 57

#: Seat 1 holds ten hearts.
TEN_HEARTS = from_text("AS KS QS JS TS 9S 8S AC KC QC", "2H 3H 4H 5H 6H 7H 8H 9H TH JH AD", "2C 3C 4C 2D 3D 4D 5D")


def called(calls: str, tricks: int = 8) -> Document:
    """A deal by seat 0 with these calls; the team of the last bidder takes so many tricks."""
    return match(builders.called(tricks, calls))


def lead(document: Document) -> Event:
    return next(event for event in document["events"] if event["type"] == "play")


def test_a_clean_deal() -> None:
    expect(PLAIN, totals=[0, 8])
    assert outcomes(PLAIN) == [("scored", [0, 8])]


# --- auction.turn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_auction_turn_the_seat_after_the_dealer_calls_first(seat: int) -> None:
    for call in (bid(seat, 9), passes(seat), double(seat), accepts(seat), redouble(seat)):
        expect(inserted(PLAIN, BID, call), illegal("auction.turn", BID, seat), totals=[0, 8])


def test_auction_turn_who_passed_has_no_turn() -> None:
    document = called("pass 7S 8S pass pass")
    expect(document, totals=[0, 8])
    expect(inserted(document, 5, bid(1, 9)), illegal("auction.turn", 5, 1), totals=[0, 8])


def test_auction_turn_bidders_speak_again_when_their_turn_comes() -> None:
    calls = "7C 7D 7H 7S 7NT pass pass 8C pass"
    assert [event["seat"] for event in auction(calls)] == [1, 2, 3, 0, 1, 2, 3, 0, 1]
    expect(called(calls))


def test_auction_turn_a_seat_with_nine_of_a_suit_is_skipped_and_plays() -> None:
    """Seat 1 is out: seat 2 speaks first, and the auction is over when 3 and 0 have answered."""
    calls = [passes(2), bid(3, 7, "D"), passes(0)]
    document = match([deal(TEN_HEARTS), *calls, *play_out(TEN_HEARTS, 3, "D")[0]])
    expect(document)
    assert sum(event["type"] == "play" and event["seat"] == 1 for event in document["events"]) == 13
    for call in (passes(1), bid(1, 7, "H"), bid(1, 13, "NT")):
        expect(inserted(document, 1, call), illegal("auction.turn", 1, 1))
    expect(inserted(document, 3, double(1)), illegal("auction.turn", 3, 1))


@pytest.mark.parametrize(("longest", "is_out"), [(8, False), (9, True)])
def test_auction_turn_eight_of_a_suit_speak_nine_do_not(longest: int, is_out: bool) -> None:
    hearts = " ".join(rank + "H" for rank in "23456789T"[:longest])
    hands = from_text("AS KS QS JS AC KC QC AD KD QD TS 9S TC", hearts + " 8S 7S 9C 8C" + " 9D" * (longest == 8))
    document = match([deal(hands), passes(1), passes(2), passes(3), passes(0)])
    if is_out:
        expect(document, illegal("auction.turn", 1, 1))
    else:
        expect(document)
        assert outcomes(document) == [("void", None)]


def test_auction_turn_all_four_out_void_before_any_call_and_the_same_dealer_deals_again() -> None:
    document = match([deal(ONE_SUIT_A_SEAT, 2), deal(ONE_SUIT_A_SEAT, 2), *scored(8, 7, dealer=2)])
    expect(document, totals=[0, 8])
    assert outcomes(document) == [("void", None), ("void", None), ("scored", [0, 8])]
    expect(match([deal(ONE_SUIT_A_SEAT, 2), *scored(8, 7, dealer=3)]), illegal("deal.dealer", 1))
    expect(match([deal(ONE_SUIT_A_SEAT, 2), documents.score([0, 0], [0, 0]), *void(2)]))
    expect(match([deal(ONE_SUIT_A_SEAT, 2), passes(3), *void(2)]), illegal("flow.kind", 1, 3))
    assert outcomes(match([deal(ONE_SUIT_A_SEAT)])) == [("void", None)]


def three_out() -> Hands:
    """Seat 3 alone is not out: it holds three or four cards of every suit."""
    hands = [[rank + suit for rank in "456789TJQKA"[1:]] for suit in "SHD"]
    clubs = [rank + "C" for rank in "23456789TJQKA"]
    rest = [rank + suit for suit in "SHD" for rank in "234"] + clubs[:4]
    for number, hand in enumerate(hands):
        hand += clubs[4 + 3 * number : 7 + 3 * number]
    return [*hands, rest]


def test_the_only_seat_that_is_not_out_has_the_contract_with_its_bid() -> None:
    hands = three_out()
    document = match([deal(hands), bid(3, 7, "C"), *play_out(hands, 3, "C")[0]])
    expect(document)
    assert outcomes(document)[0][0] == "scored"
    expect(match([deal(hands), bid(3, 7, "C"), passes(0), *play_out(hands, 3, "C")[0]]), illegal("flow.kind", 2, 0))
    expect(match([deal(hands), passes(3), *void(0)]))
    assert outcomes(match([deal(hands), passes(3), *void(0)])) == [("void", None), ("void", None)]


def test_a_last_seat_that_is_not_out_cannot_be_doubled() -> None:
    hands = three_out()
    expect(match([deal(hands), bid(3, 7, "C"), double(0), accepts(3)]), illegal("flow.kind", 2, 0))


def test_four_passes_are_void_and_the_same_dealer_deals_again() -> None:
    expect(match([*void(2), *void(2), *scored(8, 7, dealer=2), *void(3)]))
    expect(match([*void(2), *void(3)]), illegal("deal.dealer", 5))


# --- auction.range --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("taken", "points"), [(5, [8, -6]), (6, [0, 6]), (7, [0, 7])])
def test_auction_range_a_bid_of_six_is_a_contract_at_its_number(taken: int, points: list[int]) -> None:
    document = replaced(match(scored(taken, 7)), BID, tricks=6)
    expect(document, illegal("auction.range", BID, 1), totals=points)


@pytest.mark.parametrize("number", range(7, 14))
@pytest.mark.parametrize("suit", ["C", "D", "H", "S", "NT"])
def test_auction_range_seven_to_thirteen_in_any_suit_or_none(number: int, suit: str) -> None:
    expect(match(scored(9, number, suit=suit)))


@pytest.mark.parametrize("keys", [{"tricks": 14}, {"tricks": 20}, {"trump": None}, {"tricks": 6, "trump": None}])
def test_auction_range_a_bid_that_is_no_contract_breaks_the_deal_if_it_wins(keys: dict[str, Any]) -> None:
    document = replaced(PLAIN, BID, **keys)
    document = document | {"events": [*document["events"], documents.score([1, 2], [1, 2]), *void(3)]}
    expect(document, illegal("auction.range", BID, 1), note("note.skipped", FIRST_PLAY), totals=[1, 2])
    assert outcomes(document) == [("broken", None), ("void", None)]


def test_auction_range_a_bid_that_is_no_contract_and_is_doubled_breaks_the_deal_with_the_answer() -> None:
    document = match([deal(hands_for(8, 1)), bid(1, 14), double(2), accepts(1), play(1, "AS"), *void(2)])
    expect(document, illegal("auction.range", 1, 1), note("note.skipped", 4))
    unanswered = match([deal(hands_for(8, 1)), bid(1, 14), double(2), passes(1), accepts(1), *void(2)])
    expect(unanswered, illegal("auction.range", 1, 1), illegal("auction.answer", 3, 1))


def test_auction_range_a_bid_that_is_no_contract_and_is_outbid() -> None:
    document = replaced(called("8S 9S pass pass pass", 9), 1, trump=None)
    expect(document, illegal("auction.range", 1, 1), totals=[9, 0])


def test_auction_range_without_trump_a_bid_counts_for_outbidding_by_its_tricks() -> None:
    start = [deal(hands_for(8, 1)), bid(1, 8, None)]
    expect(match([*start, bid(2, 7, "NT")]), illegal("auction.range", 1, 1), illegal("auction.outbid", 2, 2))
    expect(match([*start, bid(2, 9, "C")]), illegal("auction.range", 1, 1))


def test_auction_range_goes_before_outbid() -> None:
    expect(match([deal(hands_for(8, 1)), bid(1, 8), bid(2, 6)]), illegal("auction.range", 2, 2))


# --- auction.outbid -------------------------------------------------------------------------------------------------

ORDER = ["C", "D", "H", "S", "NT"]


@pytest.mark.parametrize("first", ORDER)
@pytest.mark.parametrize("second", ORDER)
def test_auction_outbid_as_many_in_a_higher_suit(first: str, second: str) -> None:
    document = called(f"8{first} 8{second} pass pass pass")
    if ORDER.index(second) > ORDER.index(first):
        expect(document)
    else:
        expect(document, illegal("auction.outbid", 2, 2))
        assert document["events"][6]["seat"] == 2  # it stands


@pytest.mark.parametrize(
    ("first", "second", "is_legal"),
    [
        ("8H", "8S", True),
        ("8H", "8D", False),
        ("8H", "9C", True),
        ("8NT", "9C", True),
        ("9C", "8NT", False),
        ("13S", "13NT", True),
        ("13NT", "13S", False),
        ("7C", "13NT", True),
    ],
)
def test_auction_outbid_worked_examples_and_ends_of_the_ladder(first: str, second: str, is_legal: bool) -> None:
    rows = [] if is_legal else [illegal("auction.outbid", 2, 2)]
    expect(called(f"{first} {second} pass pass pass"), *rows)


def test_auction_outbid_lists_what_would_be_legal() -> None:
    document = called("13H 12C pass pass pass")
    assert legal_at(document, "auction.outbid") == ["pass", "double", "13 S", "13 NT"]


def test_a_bid_of_thirteen_does_not_end_the_auction() -> None:
    document = match(scored(13, 13, suit="NT"))
    expect(document, totals=[0, 26])
    expect(without(document, 4), illegal("flow.kind", 4, 1), note("note.skipped", 5))


# --- auction.double -------------------------------------------------------------------------------------------------


def test_auction_double_before_any_bid() -> None:
    expect(inserted(PLAIN, BID, double(1)), illegal("auction.double", BID, 1), totals=[0, 8])


def test_auction_double_of_the_partner_or_of_oneself() -> None:
    document = called("7S pass pass pass")
    expect(inserted(document, 3, double(3)), illegal("auction.double", 3, 3), totals=[0, 8])
    expect(called("7S pass double accept"), illegal("auction.double", 3, 3), note("note.skipped", 4))


@pytest.mark.parametrize("calls", ["7S double accept", "7S pass pass double accept", "pass 7S pass pass"])
def test_auction_double_by_an_opponent_at_his_turn(calls: str) -> None:
    expect(called(calls))


def test_auction_double_out_of_turn() -> None:
    expect(inserted(PLAIN, 2, double(0)), illegal("auction.turn", 2, 0), totals=[0, 8])


def test_auction_double_twice() -> None:
    """The turn is the bidder's: another seat has none, and he himself cannot double."""
    document = called("7S double accept")
    expect(inserted(document, 3, double(0)), illegal("auction.turn", 3, 0), totals=[0, 16])
    expect(inserted(document, 3, double(1)), illegal("auction.double", 3, 1), totals=[0, 16])


def test_auction_double_of_a_later_bid_of_the_other_team() -> None:
    expect(called("7S 7NT double accept"))


def test_a_double_jumps_to_the_bidder_and_his_answer_ends_the_auction() -> None:
    for answer, total in (("accept", 16), ("redouble", 32)):
        document = called(f"7S double {answer}")
        assert [event["type"] for event in document["events"][:5]] == ["deal", "bid", "double", answer, "play"]
        expect(document, totals=[0, total])
        late = inserted(document, 4, passes(3))
        expect(late, illegal("flow.kind", 4, 3), totals=[0, total])


# --- auction.answer -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "clause"),
    [
        (passes(1), "auction.answer"),
        (bid(1, 8), "auction.answer"),
        (bid(1, 7, "NT"), "auction.answer"),
        (bid(1, 7), "auction.outbid"),
        (bid(1, 14), "auction.range"),
        (passes(3), "auction.turn"),
        (accepts(3), "auction.turn"),
        (redouble(2), "auction.turn"),
        (bid(3, 9), "auction.turn"),
        (play(1, "AS"), "auction.answer"),
        (play(2, "2S"), "auction.answer"),
        (deal(hands_for(8, 1)), "auction.answer"),
    ],
)
def test_auction_answer_nothing_else_answers_a_double(event: Event, clause: str) -> None:
    document = called("7S double accept")
    expect(inserted(document, 3, event), illegal(clause, 3, event.get("seat")), totals=[0, 16])


def test_auction_answer_lists_both_answers() -> None:
    document = inserted(called("7S double accept"), 3, passes(1))
    assert legal_at(document, "auction.answer") == ["accept", "redouble"]


@pytest.mark.parametrize("word", [accepts, redouble])
def test_auction_answer_without_a_double(word: Any) -> None:
    expect(inserted(PLAIN, BID, word(1)), illegal("auction.answer", BID, 1), totals=[0, 8])
    expect(inserted(PLAIN, 2, word(2)), illegal("auction.answer", 2, 2), totals=[0, 8])
    expect(inserted(PLAIN, FIRST_PLAY + 1, word(1)), illegal("auction.answer", FIRST_PLAY + 1, 1), totals=[0, 8])
    expect(inserted(PLAIN, 0, word(1)), illegal("auction.answer", 0, 1), totals=[0, 8])
    expect(inserted(PLAIN, AFTER, word(1)), illegal("auction.answer", AFTER, 1), totals=[0, 8])


@pytest.mark.parametrize("word", [accepts, redouble])
def test_auction_answer_twice(word: Any) -> None:
    document = called("7S double redouble")
    expect(inserted(document, 4, word(1)), illegal("auction.answer", 4, 1), totals=[0, 32])


def test_auction_answer_the_bidder_may_confirm_once_everybody_else_is_out() -> None:
    expect(inserted(PLAIN, FIRST_PLAY, accepts(1)), totals=[0, 8])
    expect(inserted(PLAIN, FIRST_PLAY, accepts(1), accepts(1)), illegal("auction.answer", FIRST_PLAY + 1, 1))
    expect(inserted(PLAIN, FIRST_PLAY, redouble(1)), illegal("auction.answer", FIRST_PLAY, 1), totals=[0, 8])
    expect(inserted(PLAIN, FIRST_PLAY, accepts(3)), illegal("auction.answer", FIRST_PLAY, 3), totals=[0, 8])
    expect(inserted(PLAIN, FIRST_PLAY - 1, accepts(1)), illegal("auction.turn", FIRST_PLAY - 1, 1), totals=[0, 8])
    expect(inserted(PLAIN, FIRST_PLAY, accepts(2), accepts(1)), illegal("auction.answer", FIRST_PLAY, 2))
    expect(inserted(PLAIN, FIRST_PLAY, play(2, "2S"), accepts(1)), illegal("play.turn", FIRST_PLAY, 2))


def test_auction_answer_a_confirmed_contract_of_the_only_seat_that_is_not_out() -> None:
    hands = three_out()
    expect(match([deal(hands), bid(3, 7, "C"), accepts(3), *play_out(hands, 3, "C")[0]]))


# --- Refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "event", "is_legal"),
    [
        (BID, bid(1, 9), True),
        (BID, bid(1, 14), False),
        (BID, double(1), False),
        (BID, accepts(1), False),
        (2, double(2), True),
        (2, bid(2, 7, "H"), False),
        (2, bid(2, 7, "NT"), True),
        (2, passes(2), True),
        (3, double(3), False),
        (FIRST_PLAY, accepts(1), True),
        (FIRST_PLAY, accepts(2), False),
        (FIRST_PLAY, lead(PLAIN), True),
        (FIRST_PLAY, lead(PLAIN) | {"seat": 2}, False),
        (FIRST_PLAY, passes(1), False),
    ],
)
def test_refusal_legal_in_and_around_the_auction(at: int, event: Event, is_legal: bool) -> None:
    rows = [illegal("refusal.legal", at, event["seat"])] if is_legal else []
    expect(inserted(PLAIN, at, event | {"refused": True}), *rows, totals=[0, 8])


@pytest.mark.parametrize(("event", "is_legal"), [(accepts(1), True), (redouble(1), True), (passes(1), False)])
def test_refusal_legal_of_an_answer(event: Event, is_legal: bool) -> None:
    document = inserted(called("7S double accept"), 3, event | {"refused": True})
    expect(document, *([illegal("refusal.legal", 3, 1)] if is_legal else []), totals=[0, 16])


def test_the_clock_may_do_anything_legal() -> None:
    document = called("7S double redouble")
    expect(match([event | {"by": "timeout"} for event in document["events"]]), totals=[0, 32])
    expect(match([event | {"by": "timeout"} for event in inserted(PLAIN, FIRST_PLAY, accepts(1))["events"]]))


# --- Logs written from one seat -------------------------------------------------------------------------------------


def seen_by(seat: int, document: Document) -> Document:
    events = [
        event | {"hands": hidden(event["hands"], *(other for other in range(4) if other != seat))}
        if event["type"] == "deal"
        else event
        for event in document["events"]
    ]
    return document | {"events": events}


@pytest.mark.parametrize("seat", range(4))
def test_unseen_a_deal_that_is_all_in_the_log_is_audited_in_full(seat: int) -> None:
    expect(seen_by(seat, PLAIN), totals=[0, 8])
    hands = TEN_HEARTS
    skipping = match([deal(hands), passes(2), bid(3, 7, "D"), passes(0), *play_out(hands, 3, "D")[0]])
    expect(seen_by(seat, skipping))
    expect(seen_by(seat, inserted(skipping, 1, passes(1))), illegal("auction.turn", 1, 1))
    wrong = without(PLAIN, 2)  # seat 2 is not out, and says nothing: the deal breaks
    unsure = [note("note.unseen", 1)] if seat == 2 else []
    expect(seen_by(seat, wrong), *unsure, illegal("auction.turn", 2, 3), note("note.skipped", 3))


def test_unseen_who_may_be_out_may_be_skipped_or_speak() -> None:
    start = deal(hidden(hands_for(8, 1), 1, 2, 3))
    expect(match([start, passes(2)]), note("note.unseen", 1))
    expect(match([start, passes(1)]), note("note.unseen", 1))
    expect(match([start, passes(1), bid(0, 7, "C")]), note("note.unseen", 1))
    expect(match([start, bid(0, 7, "C"), passes(0)]), note("note.unseen", 1), illegal("flow.kind", 2, 0))
    expect(match([start, bid(1, 7, "C"), passes(0), passes(2)]), note("note.unseen", 1), illegal("flow.kind", 3, 2))


def test_unseen_who_is_seen_not_to_be_out_may_not_be_skipped() -> None:
    start = deal(hidden(hands_for(8, 1), 1, 2, 3), 3)
    expect(match([start, passes(1)]), illegal("auction.turn", 1, 1))


def test_unseen_who_is_seen_to_be_out_may_not_speak() -> None:
    start = deal(hidden(TEN_HEARTS, 0, 2, 3))
    expect(match([start, passes(1)]), illegal("auction.turn", 1, 1))


@pytest.mark.parametrize("confirms", [False, True])
def test_unseen_all_others_may_be_out(confirms: bool) -> None:
    """The log stops after the lead: nobody can say whether the others had to speak."""
    hands = hands_for(8, 0)
    words = [accepts(0)] if confirms else []
    start = [deal(hidden(hands, 1, 2, 3), 3), bid(0, 8, "S")]
    expect(match([*start, *words, play(0, hands[0][0])]), note("note.unseen", 2))
    expect(match([*start, play(0, hands[1][0])]), illegal("flow.kind", 2, 0))
    expect(match([*start, accepts(0), passes(1)]), note("note.unseen", 2), illegal("flow.kind", 3, 1))
    expect(match([*start, passes(1), accepts(0)]), note("note.unseen", 2))
    expect(match([*start, bid(0, 9)]), illegal("auction.turn", 2, 0))


def test_unseen_all_may_be_out_before_the_next_deal() -> None:
    document = match([deal(hidden(ONE_SUIT_A_SEAT, 0, 1, 2, 3)), *void(0)])
    expect(document, note("note.unseen", 1))
    assert outcomes(document) == [("void", None), ("void", None)]
    claimed = inserted(document, 1, documents.score([0, 0], [0, 0]))
    expect(claimed, note("note.unseen", 1))
