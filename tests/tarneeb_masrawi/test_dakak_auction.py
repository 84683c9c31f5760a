"""The auction of tarneeb-masrawi-dakak: every clause broken, every open point leaned on, and near misses."""

from __future__ import annotations

from typing import Any

import pytest

from tests import documents
from tests.documents import Document, Event, Hands, deal, hidden, inserted, passes, play, replaced, without
from tests.tarneeb import ONE_SUIT_A_SEAT, from_text, play_out

from . import builders, oracle
from .builders import (
    DAKAK,
    auction,
    bid,
    called,
    double,
    expect,
    hands_for,
    illegal,
    legal_at,
    note,
    opened,
    outcomes,
    plays_for,
    scored,
    void,
)

HANDS = hands_for(8, 1)
FIRST_PLAY, AFTER = 5, 57


def match(events: list[Event], **options: Any) -> Document:
    return builders.match(events, DAKAK, options=options)


#: Seat 1 bids 7 S, the others pass, and play begins.
PLAIN = match(scored(8, 7, ruleset=DAKAK))
CLOSED = opened("open.auction-close", FIRST_PLAY)


def calls(line: str, hands: Hands = HANDS, **options: Any) -> Document:
    """A deal by seat 0 with these calls and nothing more."""
    return match([deal(hands), *auction(line, ruleset=DAKAK)], **options)


def test_a_clean_deal() -> None:
    expect(PLAIN, CLOSED, totals=[0, 8])
    assert outcomes(PLAIN) == [("scored", [0, 8])]


# --- auction.turn: every seat keeps its turn ------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_auction_turn_the_seat_after_the_dealer_calls_first(seat: int) -> None:
    for call in (bid(seat, 9), passes(seat), double(seat)):
        expect(inserted(PLAIN, 1, call), illegal("auction.turn", 1, seat), totals=[0, 8])


def test_auction_turn_a_pass_is_not_final() -> None:
    document = match(called(8, "pass 7C 7D pass 7H pass 7S pass pass pass", ruleset=DAKAK))
    assert [event["seat"] for event in document["events"][1:8]] == [1, 2, 3, 0, 1, 2, 3]
    expect(document, totals=[0, 8])
    expect(without(document, 5), illegal("auction.turn", 5, 2), note("note.skipped", 6))


def test_auction_turn_a_seat_that_may_bid_is_not_passed_over() -> None:
    expect(calls("7C pass"), totals=[0, 0])
    expect(match([deal(HANDS), bid(1, 7), passes(3)]), illegal("auction.turn", 2, 3))


def test_four_passes_are_void_and_doubles_are_passes() -> None:
    for line in ("pass pass pass pass", "pass double pass double", "double double double double"):
        document = match([*calls(line)["events"], *void(1)])
        expect(document)
        assert outcomes(document) == [("void", None), ("void", None)]


def test_three_passes_do_not_close_an_auction_without_a_bid() -> None:
    expect(calls("pass pass pass 7S pass pass pass pass 8C"), illegal("flow.kind", 9, 1))


# --- deal.dealer and open.void-dealer -------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", [2, 3])
def test_open_void_dealer_the_same_or_the_next_seat_deals(dealer: int) -> None:
    expect(match([*void(2), *void(dealer)]), opened("open.void-dealer", 5))
    twice = match([*void(2), *void(dealer), *void((dealer + 1) % 4)])
    expect(twice, opened("open.void-dealer", 5), opened("open.void-dealer", 10))


@pytest.mark.parametrize("dealer", [0, 1])
def test_open_void_dealer_no_other_seat_deals(dealer: int) -> None:
    document = match([*void(2), *void(dealer)])
    expect(document, illegal("deal.dealer", 5))
    assert outcomes(document) == [("void", None), ("void", None)]


def test_open_void_dealer_not_after_a_scored_deal() -> None:
    expect(match([*scored(8, 7, ruleset=DAKAK), *void(1)]), CLOSED)
    expect(match([*scored(8, 7, ruleset=DAKAK), *void(0)]), illegal("deal.dealer", AFTER))


# --- auction.range, auction.outbid, open.suit-order -----------------------------------------------------------------


@pytest.mark.parametrize(("taken", "points"), [(5, [8, -6]), (6, [0, 6]), (7, [0, 7])])
def test_auction_range_a_bid_of_six_is_a_contract_at_its_number(taken: int, points: list[int]) -> None:
    document = replaced(match(scored(taken, 7, ruleset=DAKAK)), 1, tricks=6)
    expect(document, illegal("auction.range", 1, 1), totals=points)


@pytest.mark.parametrize("keys", [{"tricks": 14}, {"trump": None}])
@pytest.mark.parametrize("closes", [False, True])
def test_auction_range_a_bid_that_is_no_contract_breaks_the_deal_if_it_wins(keys: dict[str, Any], closes: bool) -> None:
    """With his pass, or with his lead: the lead is no fault of its own."""
    document = replaced(PLAIN, 1, **keys)
    if closes:
        document = inserted(document, FIRST_PLAY, passes(1))
    document = match([*document["events"], *void(3)])
    expect(document, illegal("auction.range", 1, 1), note("note.skipped", FIRST_PLAY + closes))
    assert outcomes(document) == [("broken", None), ("void", None)]


def test_auction_range_a_bid_that_is_no_contract_and_is_raised_or_outbid() -> None:
    raised = calls("14S pass pass pass 14NT pass pass pass")
    expect(raised, illegal("auction.range", 1, 1), illegal("auction.range", 5, 1))
    document = replaced(match(called(8, "8S 9S pass pass pass", ruleset=DAKAK)), 1, trump=None)
    expect(document, illegal("auction.range", 1, 1))
    assert outcomes(document) == [("scored", [-9, 5])]


ORDER = ["C", "D", "H", "S", "NT"]


@pytest.mark.parametrize("first", ORDER)
@pytest.mark.parametrize("second", ORDER)
def test_auction_outbid_and_open_suit_order(first: str, second: str) -> None:
    """Higher in the order read; or in an order without NT on top, which is noted; or not at all."""
    rows = [opened("open.suit-order", 1)] if first == "NT" else []
    other_order = ["NT", "D", "H", "S", "C"]
    if ORDER.index(second) > ORDER.index(first):
        rows += [opened("open.suit-order", 2)] if second == "NT" else []
    elif other_order.index(second) > other_order.index(first):
        rows.append(opened("open.suit-order", 2))
    else:
        rows.append(illegal("auction.outbid", 2, 2))
    document = calls(f"8{first} 8{second}")
    assert builders.said_of(document, with_opens=True) == rows
    expect(calls(f"8{first} 9{second}"))
    expect(calls(f"8{first} 7{second}"), illegal("auction.outbid", 2, 2))


def test_auction_outbid_a_bid_that_does_not_outbid_stands() -> None:
    document = match(called(8, "9S 8S pass pass pass", ruleset=DAKAK))
    expect(document, illegal("auction.outbid", 2, 2), totals=[8, 0])
    assert legal_at(document, "auction.outbid")[:5] == ["pass", "double", "9 C", "9 NT", "10 C"]


# --- auction.out-of-call, open.call-skipped -------------------------------------------------------------------------

#: Seats 1 and 2 are out of call; nobody is dakak.
TWO_OUT = from_text(
    "AS KS QS 2C 3C 4C 5C 2D 3D 4D QD AC QH",
    "2H 3H 4H 5H 6H 7H 8H 9H TH AH KH AD 2S",
    "3S 4S 5S 6S 7S 8S 9S TS JS 6C KC QC JC",
)


@pytest.mark.parametrize("longest", [8, 9])
def test_auction_out_of_call_nine_of_a_suit_may_not_bid(longest: int) -> None:
    hearts = " ".join(rank + "H" for rank in "23456789T"[:longest])
    hands = from_text(
        "AS KS QS JS AC KC QC 4C 2D 3D TS 9S TC", hearts + " AD KD 8S 7S" + " 9C" * (longest == 8), "AH JC", "KH QH JH"
    )
    document = calls("9H pass pass pass pass", hands)
    expect(document, *([illegal("auction.out-of-call", 1, 1)] if longest == 9 else []))
    assert outcomes(document) == [("unfinished", None)]
    if longest == 9:
        assert legal_at(document, "auction.out-of-call") == ["pass", "double"]


def test_auction_out_of_call_a_bid_stands() -> None:
    document = match([deal(TWO_OUT), *auction("8H pass pass pass pass", ruleset=DAKAK), *play_out(TWO_OUT, 1, "H")[0]])
    expect(document, illegal("auction.out-of-call", 1, 1))
    assert outcomes(document)[0][0] == "scored"


def test_auction_out_of_call_goes_before_dakak_and_behind_outbid() -> None:
    rest = [card for card in oracle.PACK if card not in TWO_OUT[1]]
    poor = [card for card in rest if card[0] in "23456789T"][:13]
    others = [card for card in rest if card not in poor]
    hands = [others[:13], TWO_OUT[1], poor, others[13:]]
    expect(calls("7H", hands), illegal("auction.out-of-call", 1, 1))
    low = [deal(TWO_OUT), passes(1), passes(2), bid(3, 9), passes(0), bid(1, 8, "H")]
    expect(match(low), illegal("auction.outbid", 5, 1))


@pytest.mark.parametrize(
    ("spoken", "noted"),
    [
        ([passes(1), passes(2)], None),
        ([passes(1)], 2),
        ([passes(2)], 1),
        ([], 1),
    ],
)
def test_open_call_skipped_who_is_out_of_call_passes_or_is_passed_over(spoken: list[Event], noted: int | None) -> None:
    document = match([deal(TWO_OUT), *spoken, bid(3, 8, "C"), passes(0)])
    expect(document, *([] if noted is None else [opened("open.call-skipped", noted)]))
    assert outcomes(document) == [("unfinished", None)]


def test_open_call_skipped_counts_as_a_pass() -> None:
    """Seats 1 and 2 say nothing: seat 0's pass is the third, and play may begin at once, or the bidder may speak."""
    start = [deal(TWO_OUT), bid(3, 8, "C"), passes(0)]
    leads = match([*start, *play_out(TWO_OUT, 3, "C")[0]])
    expect(leads, opened("open.call-skipped", 1), opened("open.call-skipped", 3), opened("open.auction-close", 3))
    assert outcomes(leads)[0][0] == "scored"
    for call in (passes(3), bid(3, 9, "C")):
        rows = [opened("open.auction-close", 3)] if call["type"] == "pass" else []
        expect(match([*start, call]), opened("open.call-skipped", 1), opened("open.call-skipped", 3), *rows)
    expect(match([*start, passes(1)]), opened("open.call-skipped", 1))
    expect(match([*start, passes(0)]), illegal("auction.turn", 3, 0))


def test_open_call_skipped_at_the_end_of_a_void_deal() -> None:
    hands = [TWO_OUT[seat] for seat in (2, 3, 0, 1)]  # now seats 3 and 0 are out
    start = [deal(hands), passes(1), passes(2)]
    for more in ([], [passes(3)]):
        document = match([*start, *more, *void(0)])
        at = 3 + len(more)
        expect(document, opened("open.call-skipped", at), opened("open.void-dealer", at))
        assert outcomes(document) == [("void", None), ("void", None)]
        assert documents.verdict(document)["deals"][0]["events"] == [0, at - 1]
        claimed = inserted(document, at, documents.score([0, 0], [0, 0]))
        expect(claimed, opened("open.call-skipped", at), opened("open.void-dealer", at + 1))
    early = match([deal(hands), passes(1), *void(0)])
    expect(early, illegal("flow.kind", 2))
    assert outcomes(early) == [("broken", None), ("void", None)]


def test_open_call_skipped_all_four_out_of_call() -> None:
    document = match([deal(ONE_SUIT_A_SEAT), deal(ONE_SUIT_A_SEAT, 1), *auction("pass pass pass pass", 1)])
    expect(document, opened("open.call-skipped", 1), opened("open.void-dealer", 1))
    assert outcomes(document) == [("void", None), ("void", None)]


def test_open_call_skipped_names_the_seats() -> None:
    document = match([deal(TWO_OUT), bid(3, 8, "C")])
    assert "1 / 2" in documents.verdict(document)["findings"][0]["message"]


# --- auction.dakak and the floors -----------------------------------------------------------------------------------


def dakak_hands(*seats: int, points: int = 4) -> Hands:
    """Hands of two to ten with one honour worth ``points`` (4 or 5) for these seats; the others share all the rest."""
    low = [rank + suit for rank in "23456789T" for suit in "CDHS"]
    aces = ["AC", "AD", "AH", "AS"]
    hands: Hands = [[], [], [], []]
    for number, seat in enumerate(seats):
        hands[seat] = [aces[number], *low[number :: len(seats)][:12]]
        if points == 5:
            hands[seat] = [aces[number], "J" + "CDHS"[number], *low[number :: len(seats)][:11]]
    rest = [card for card in oracle.PACK if not any(card in hand for hand in hands)]
    others = [seat for seat in range(4) if seat not in seats]
    rest.sort(key=lambda card: (oracle.RANKS.index(card[0]), card[1]), reverse=True)
    for number, seat in enumerate(others):
        hands[seat] = rest[number :: len(others)]
    return hands


def test_the_hands_of_these_tests() -> None:
    for seats in ((2,), (1, 2), (0, 2), (2, 3)):
        for points in (4, 5):
            honours = [oracle.honours(set(hand)) for hand in dakak_hands(*seats, points=points)]
            lengths = [sum(card[1] == suit for card in hand) for hand in dakak_hands(*seats) for suit in "CDHS"]
            assert max(lengths) < 9
            assert [honour == points for honour in honours] == [seat in seats for seat in range(4)]
            assert all(honour > 4 for seat, honour in enumerate(honours) if seat not in seats)


@pytest.mark.parametrize("points", [4, 5])
@pytest.mark.parametrize("bidder", [0, 2])
@pytest.mark.parametrize("number", [7, 8])
def test_auction_dakak_a_team_with_a_dakak_seat_bids_from_eight(points: int, bidder: int, number: int) -> None:
    hands = dakak_hands(2, points=points)
    document = match([deal(hands, (bidder + 3) % 4), bid(bidder, number, "C")])
    rows = [illegal("auction.dakak", 1, bidder)] if points == 4 and number == 7 else []
    expect(document, *rows)
    if rows:
        assert legal_at(document, "auction.dakak")[:4] == ["pass", "double", "8 C", "8 D"]


#: By the option: which bids against a dakak team are legal.
AGAINST = {
    "5C": lambda number, suit: number >= 11,
    "5NT": lambda number, suit: number >= 12 or (number == 11 and suit == "NT"),
    "6": lambda number, suit: number >= 12,
}


@pytest.mark.parametrize("floor", ["5C", "5NT", "6"])
@pytest.mark.parametrize("number", range(7, 14))
@pytest.mark.parametrize("suit", ORDER)
def test_auction_dakak_the_floor_of_the_other_team(floor: str, number: int, suit: str) -> None:
    document = match([deal(dakak_hands(2)), bid(1, number, suit)], dakak_floor=floor)
    expect(document, *([] if AGAINST[floor](number, suit) else [illegal("auction.dakak", 1, 1)]))
    assert "open.dakak-floor" not in [row[1] for row in builders.said_of(document, with_opens=True)]


@pytest.mark.parametrize("number", range(7, 14))
@pytest.mark.parametrize("suit", ORDER)
def test_open_dakak_floor_without_the_option_bids_from_eleven_are_accepted(number: int, suit: str) -> None:
    document = match([deal(dakak_hands(2)), bid(1, number, suit)])
    rows = [opened("open.suit-order", 1)] if suit == "NT" else []
    if number < 11:
        rows.append(illegal("auction.dakak", 1, 1))
    elif number == 11:
        rows.append(opened("open.dakak-floor", 1))
    assert builders.said_of(document, with_opens=True) == rows


def test_auction_dakak_the_floor_binds_every_bid_of_the_team_and_a_bid_under_it_stands() -> None:
    hands = dakak_hands(2)
    document = match([deal(hands, 2), bid(3, 11, "S"), passes(0), passes(1), passes(2), bid(3, 12, "C")])
    expect(document)
    low = match([deal(hands, 2), bid(3, 9, "S"), passes(0), bid(1, 10, "S"), bid(2, 11, "C")])
    expect(low, illegal("auction.dakak", 1, 3), illegal("auction.dakak", 3, 1))
    played = match([deal(hands, 2), bid(3, 9, "S"), passes(0), passes(1), passes(2), *play_out(hands, 3, "S")[0]])
    expect(played, illegal("auction.dakak", 1, 3))
    assert outcomes(played)[0][0] == "scored"


@pytest.mark.parametrize("seats", [(2, 3), (0, 1)])
@pytest.mark.parametrize("bidder", [1, 2])
@pytest.mark.parametrize(
    ("floor", "number", "suit", "clauses"),
    [
        (None, 7, "S", ["auction.dakak"]),
        (None, 8, "S", ["open.dakak-both"]),
        (None, 10, "S", ["open.dakak-both"]),
        (None, 11, "S", ["open.dakak-both", "open.dakak-floor"]),
        (None, 12, "C", []),
        ("5C", 8, "S", ["open.dakak-both"]),
        ("5C", 11, "C", []),
        ("5NT", 11, "S", ["open.dakak-both"]),
        ("5NT", 12, "C", []),
        ("6", 11, "S", ["open.dakak-both"]),
        ("6", 7, "S", ["auction.dakak"]),
    ],
)
def test_open_dakak_both(
    seats: tuple[int, int], bidder: int, floor: str | None, number: int, suit: str, clauses: list[str]
) -> None:
    options = {} if floor is None else {"dakak_floor": floor}
    document = match([deal(dakak_hands(*seats), (bidder + 3) % 4), bid(bidder, number, suit)], **options)
    assert [row[1] for row in builders.said_of(document, with_opens=True)] == clauses


def test_auction_dakak_both_seats_of_one_team_are_like_one() -> None:
    hands = dakak_hands(0, 2)
    expect(match([deal(hands), bid(1, 10)]), illegal("auction.dakak", 1, 1))
    expect(match([deal(hands), bid(1, 12), bid(2, 13)]))
    expect(match([deal(hands, 1), bid(2, 8)]))


# --- Doubles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "doubt", "points"),
    [
        ("7S pass pass pass", None, [0, 8]),
        ("7S double pass pass", None, [0, 16]),
        ("7S pass pass double", None, [0, 16]),
        ("7S double pass double", 4, [0, 16]),  # a second double
        ("7S pass double pass", 3, [0, 16]),  # the partner's
        ("double 7S pass pass pass", 1, [8, 0]),  # before any bid: only a pass
        ("7S double pass pass 8S pass pass pass", None, [0, 8]),  # another bid won
        ("7S double 8S pass pass pass", None, [0, 8]),
        ("7S double 8S double pass pass", None, [0, 16]),
    ],
)
def test_a_double_counts_if_the_bid_that_stood_wins(line: str, doubt: int | None, points: list[int]) -> None:
    document = match(called(8, line, ruleset=DAKAK))
    assert outcomes(document) == [("scored", points)]
    rows = [row for row in builders.said_of(document, with_opens=True) if row[1] == "open.double-own"]
    assert rows == ([opened("open.double-own", doubt)] if doubt else [])


def test_open_double_own_by_the_bidder_himself_closes_the_auction() -> None:
    document = match(called(8, "7S pass pass pass double", ruleset=DAKAK))
    assert outcomes(document) == [("scored", [0, 16])]
    assert builders.said_of(document, with_opens=True)[:2] == [
        opened("open.auction-close", 5),
        opened("open.double-own", 5),
    ]


def test_open_double_own_by_a_seat_that_is_out_of_call() -> None:
    expect(match([deal(TWO_OUT, 3), bid(0, 8, "S"), double(1)]), opened("open.double-own", 2))
    expect(match([deal(TWO_OUT, 3), bid(0, 8, "S"), passes(1), passes(2), double(3)]))


# --- open.auction-close ---------------------------------------------------------------------------------------------


def test_open_auction_close_a_pass_or_a_lead() -> None:
    expect(PLAIN, CLOSED)
    expect(inserted(PLAIN, FIRST_PLAY, passes(1)), CLOSED, totals=[0, 8])


def test_open_auction_close_the_bidder_may_raise_himself_and_the_others_speak_again() -> None:
    document = match(called(8, "7C pass pass pass 7S 8C 8S pass pass pass", ruleset=DAKAK))
    expect(document, opened("open.auction-close", 11))
    expect(match(called(8, "7C pass pass pass 7S pass pass pass pass", ruleset=DAKAK)), opened("open.auction-close", 9))
    expect(calls("7S pass pass pass 7H"), illegal("auction.outbid", 5, 1))


def test_open_auction_close_nobody_else_leads_or_speaks() -> None:
    first = PLAIN["events"][FIRST_PLAY]
    expect(inserted(PLAIN, FIRST_PLAY, passes(2)), illegal("auction.turn", FIRST_PLAY, 2), totals=[0, 8])
    expect(inserted(PLAIN, FIRST_PLAY, first | {"seat": 2}), illegal("play.turn", FIRST_PLAY, 2), totals=[0, 8])
    not_his = HANDS[2][0]
    expect(inserted(PLAIN, FIRST_PLAY, play(1, not_his)), illegal("play.in-hand", FIRST_PLAY, 1), totals=[0, 8])
    raised = inserted(PLAIN, FIRST_PLAY, play(1, not_his), bid(1, 8))
    expect(match(raised["events"][: FIRST_PLAY + 2]), illegal("play.in-hand", FIRST_PLAY, 1))


def test_open_auction_close_not_before_three_passes() -> None:
    expect(match([deal(HANDS), *auction("7S pass pass"), *plays_for(8, 1)[:1]]), illegal("flow.kind", 4, 1))
    expect(calls("7S pass pass pass pass pass"), illegal("flow.kind", 6, 2))


def test_a_bid_of_thirteen_without_trump_still_goes_round() -> None:
    document = match(scored(13, 13, suit="NT", ruleset=DAKAK))
    expect(document, totals=[0, 26])
    assert legal_at(replaced(document, 2, type="bid", tricks=7, trump="C"), "auction.outbid") == [
        "pass", "double", "13 C", "13 D", "13 H", "13 S",
    ]  # fmt: skip


# --- Refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "event", "clause"),
    [
        (1, bid(1, 9), "refusal.legal"),
        (1, bid(1, 14), None),
        (1, bid(2, 9), None),
        (1, double(1), "open.double-own"),
        (2, double(2), "refusal.legal"),
        (2, bid(2, 7, "C"), "open.suit-order"),
        (2, bid(2, 7, "H"), None),
        (FIRST_PLAY, passes(1), "open.auction-close"),
        (FIRST_PLAY, plays_for(8, 1)[0], "open.auction-close"),
        (FIRST_PLAY, bid(1, 8), "refusal.legal"),
        (FIRST_PLAY, plays_for(8, 1)[0] | {"seat": 2}, None),
        (FIRST_PLAY, passes(2), None),
        (FIRST_PLAY + 1, plays_for(8, 1)[1], "refusal.legal"),
    ],
)
def test_refusal_legal_an_open_move_may_be_refused_or_not(at: int, event: Event, clause: str | None) -> None:
    """A refused move that only some readings forbid is noted, and nobody is accused."""
    document = inserted(PLAIN, at, event | {"refused": True})
    rows = [row for row in builders.said_of(document, with_opens=True) if row[2] == at]
    kind = "illegal" if clause == "refusal.legal" else "open"
    seat = event["seat"] if clause == "refusal.legal" else None
    assert rows == ([(kind, clause, at, seat)] if clause else [])
    assert documents.verdict(document)["totals"] == [0, 8]


def test_refusal_legal_after_a_void_deal_by_either_dealer() -> None:
    document = match([*void(2), deal(HANDS, 3) | {"refused": True}, *void(2)])
    expect(document, opened("open.void-dealer", 5), opened("open.void-dealer", 6))


def test_the_clock_may_do_anything_legal() -> None:
    document = match(called(8, "7C double 7S pass pass double", ruleset=DAKAK))
    expect(match([event | {"by": "timeout"} for event in document["events"]]), totals=[0, 16])


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
    skipping = match([deal(TWO_OUT), bid(3, 8, "C"), passes(0), *play_out(TWO_OUT, 3, "C")[0]])
    hands = dakak_hands(2)
    low = match([deal(hands, 2), bid(3, 9, "S"), passes(0), passes(1), passes(2), *play_out(hands, 3, "S")[0]])
    long = match([deal(TWO_OUT), *auction("8H pass pass pass pass", ruleset=DAKAK), *play_out(TWO_OUT, 1, "H")[0]])
    for document in (PLAIN, skipping, low, long):
        wanted = builders.said_of(document, with_opens=True)
        assert builders.said_of(seen_by(seat, document), with_opens=True) == wanted


def test_unseen_floors_and_long_suits_are_not_judged() -> None:
    for line, unsure in (("7C", True), ("10C", True), ("12C", True), ("pass", False), ("double", False)):
        document = seen_by(0, calls(line))
        expect(document, *([note("note.unseen", 1)] if unsure else []))


def test_unseen_known_cards_still_accuse() -> None:
    hands = dakak_hands(2)
    own = seen_by(2, match([deal(hands, 1), bid(2, 7)]))
    expect(own, illegal("auction.dakak", 1, 2))
    expect(seen_by(1, calls("9H", TWO_OUT)), illegal("auction.out-of-call", 1, 1))
    rich = seen_by(1, match([deal(HANDS), bid(1, 12)]))
    expect(rich)


def test_unseen_who_may_be_out_of_call_may_be_passed_over() -> None:
    document = seen_by(1, match([deal(HANDS), passes(1), passes(0)]))
    expect(document, note("note.unseen", 2))
    expect(seen_by(1, match([deal(HANDS), passes(2)])), illegal("auction.turn", 1, 2))
    expect(seen_by(1, match([deal(HANDS), passes(1), *void(0)])), note("note.unseen", 2))
