"""Every clause of tarneeb-classic: a log that breaks it, what stands after it, and near misses that do not break it."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from tests import tarneeb
from tests.documents import (
    Document,
    Event,
    Hands,
    deal,
    findings,
    hidden,
    inserted,
    passes,
    play,
    replaced,
    result,
    score,
    shuffle_proof,
    swapped,
    trick,
    verdict,
    where,
    without,
)
from tests.tarneeb import after, from_text, play_out

from . import builders
from .builders import auction, bid, deals, hands_for, match, played, scored, trump, void
from .oracle import shuffled_hands

#: Event indexes of a deal in which the seat after the dealer bids and three pass.
BID, TRUMP, FIRST_PLAY, LAST_PLAY, AFTER = 1, 5, 6, 57, 58

#: Seat 1 bids 7 and takes 8 tricks for team 1; seat 1 has eight spades from the top and five low clubs, seat 2 five
#: low spades and eight high clubs, seat 3 all diamonds, seat 0 all hearts.
PLAIN = match(scored(8, 7))

Row = tuple[str, str, int | None, int | None]


def illegal(clause: str, event: int, seat: int | None = None) -> Row:
    return ("illegal", clause, event, seat)


def wrong(clause: str, event: int) -> Row:
    return ("claim", clause, event, None)


def note(clause: str, event: int) -> Row:
    """A note is about a deal; whether it names a seat is left to the auditor."""
    return ("note", clause, event, None)


def said_of(document: Document) -> list[Row]:
    return [
        row if row[0] in ("illegal", "claim") else (*row[:3], None)
        for row in findings(verdict(document))
        if row[0] != "open"
    ]


def outcomes(document: Document) -> list[tuple[str, list[int] | None]]:
    return [(entry["outcome"], entry["points"]) for entry in verdict(document)["deals"]]


def expect(document: Document, *rows: Row, totals: list[int] | None = None) -> None:
    """Exactly these findings (open points aside); with ``totals``, these at the end."""
    assert said_of(document) == list(rows)
    if totals is not None:
        assert verdict(document)["totals"] == totals


def test_a_clean_deal() -> None:
    expect(PLAIN, totals=[0, 8])
    assert verdict(PLAIN)["status"] == "incomplete"
    assert outcomes(PLAIN) == [("scored", [0, 8])]


# --- deal.dealer ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
def test_deal_dealer_the_first_deal_may_have_any_dealer(dealer: int) -> None:
    expect(match(scored(8, 7, dealer=dealer)))


@pytest.mark.parametrize("dealer", [0, 2, 3])
def test_deal_dealer_after_a_scored_deal(dealer: int) -> None:
    document = match([*scored(8, 7), *scored(7, 7, dealer=dealer), *scored(7, 7, dealer=(dealer + 1) % 4)])
    expect(document, illegal("deal.dealer", AFTER))
    assert [outcome for outcome, _ in outcomes(document)] == ["scored"] * 3


def test_deal_dealer_after_a_scored_deal_the_next_seat_deals() -> None:
    expect(match([*scored(8, 7, dealer=3), *scored(7, 7, dealer=0), *scored(7, 7, dealer=1)]), totals=[15, 7])


@pytest.mark.parametrize("dealer", [0, 1, 3])
def test_deal_dealer_after_a_void_deal(dealer: int) -> None:
    document = match([*void(dealer=2), *scored(8, 7, dealer=dealer)])
    expect(document, illegal("deal.dealer", 5))
    assert outcomes(document) == [("void", None), ("scored", [8, 0] if dealer % 2 else [0, 8])]


def test_deal_dealer_after_void_deals_the_same_dealer_deals() -> None:
    expect(match([*void(2), *void(2), *scored(8, 7, dealer=2), *void(3), *scored(8, 7, dealer=3)]))


def test_deal_dealer_a_wrong_dealer_counts_for_the_next_deal() -> None:
    events = [*scored(8, 7), *void(dealer=3)]
    expect(match([*events, *void(dealer=3)]), illegal("deal.dealer", AFTER))
    expect(match([*events, *void(dealer=1)]), illegal("deal.dealer", AFTER), illegal("deal.dealer", AFTER + 5))


@pytest.mark.parametrize("dealer", range(4))
def test_deal_dealer_anybody_may_deal_after_a_broken_deal(dealer: int) -> None:
    broken = [deal(hands_for(8, 1)), passes(3), passes(3)]
    document = match([*scored(8, 7, dealer=3), *broken, *void(dealer), *void(dealer)])
    expect(document, illegal("auction.turn", AFTER + 1, 3), note("note.skipped", AFTER + 2))
    assert [outcome for outcome, _ in outcomes(document)] == ["scored", "broken", "void", "void"]


# --- deal.cards -----------------------------------------------------------------------------------------------------


def bad_hands(fault: str) -> Hands:
    hands = hands_for(8, 1)
    if fault == "a card too few":
        hands[2].pop()
    elif fault == "a card too many":
        hands[2].append("JK")
    elif fault == "thirteen and thirteen, moved":
        hands[2].append(hands[3].pop())
    elif fault == "a joker":
        hands[2][0] = "JK"
    elif fault == "twice in two hands":
        hands[2][0] = hands[3][0]
    elif fault == "twice in one hand":
        hands[2][0] = hands[2][1]
    elif fault == "three hands":
        hands.pop()
    elif fault == "five hands":
        hands.append([])
    elif fault == "no hands":
        hands = []
    elif fault == "a card too few and one unseen":
        hands[2] = ["??", *hands[2][:11]]
    return hands


@pytest.mark.parametrize(
    "fault",
    [
        "a card too few",
        "a card too many",
        "thirteen and thirteen, moved",
        "a joker",
        "twice in two hands",
        "twice in one hand",
        "three hands",
        "five hands",
        "no hands",
        "a card too few and one unseen",
    ],
)
def test_deal_cards_a_deal_with_wrong_cards_is_broken_from_the_start(fault: str) -> None:
    events = [deal(bad_hands(fault)), *scored(8, 7)[1:], trick(2), score([3, 4], [3, 4]), *scored(7, 7, dealer=2)]
    document = match(events)
    expect(document, illegal("deal.cards", 0), note("note.skipped", 1), totals=[3, 11])
    assert outcomes(document) == [("broken", None), ("scored", [0, 7])]


def test_deal_cards_the_order_in_a_hand_is_free() -> None:
    expect(match([deal([sorted(hand) for hand in hands_for(8, 1)]), *scored(8, 7)[1:]]))


def test_deal_cards_wrong_dealer_and_wrong_cards_are_one_finding() -> None:
    document = match([*scored(8, 7), deal(bad_hands("a joker"), 3), passes(0), *void(2)])
    expect(document, illegal("deal.dealer", AFTER), note("note.skipped", AFTER + 1))
    assert outcomes(document) == [("scored", [0, 8]), ("broken", None), ("void", None)]


# --- deal.shuffle ---------------------------------------------------------------------------------------------------

PROOF = shuffle_proof()

#: Deal 0 of PROOF by dealer 3, computed with a shell script around ``openssl dgst -mac HMAC``.
KNOWN_SHUFFLE = (
    "3C 5S AS JC KC 8H 3D TS AD 4H 7C 3H KH",
    "QH 2C AC 8D 6D 9C 6S 4S JS KS JH 5C TD",
    "6H TH KD 2H 7D 6C 9D QC 2D 2S 9H 4C 4D",
    "8C QD 3S TC 7H 5D QS JD 5H 9S AH 7S 8S",
)


def proven(number: int, dealer: int, proof: dict[str, str] = PROOF) -> list[Event]:
    """A deal from the shuffle proof, passed out by all."""
    return [deal(shuffled_hands(proof, number, dealer), dealer), *auction("pass pass pass pass", dealer)]


def test_deal_shuffle_a_pack_that_another_program_shuffled() -> None:
    hands = [hand.split() for hand in KNOWN_SHUFFLE]
    assert shuffled_hands(PROOF, 0, 3) == hands
    expect(match([deal(hands, 3), *auction("pass pass pass pass", 3)], shuffle=PROOF))


def test_deal_shuffle_hands_that_come_from_the_proof() -> None:
    played_out = played(shuffled_hands(PROOF, 2, 1), "8 pass pass pass", "H", 1)
    expect(match([*proven(0, 1), *proven(1, 1), *played_out, *proven(3, 2)], shuffle=PROOF))


def test_deal_shuffle_hands_are_compared_as_sets() -> None:
    first = proven(0, 2)
    expect(match([deal([sorted(hand) for hand in first[0]["hands"]], 2), *first[1:]], shuffle=PROOF))


def test_deal_shuffle_hexadecimal_digits_may_be_capitals() -> None:
    capitals = PROOF | {key: PROOF[key].upper() for key in ("commitment", "server_seed")}
    expect(match(proven(0, 2), shuffle=capitals))


def test_deal_shuffle_seeds_are_utf8() -> None:
    proof = shuffle_proof("ab", "نرد")
    expect(match(proven(0, 2, proof), shuffle=proof))


def test_deal_shuffle_a_deal_that_does_not_come_from_the_proof_stands() -> None:
    plain = scored(8, 7, dealer=2)
    document = match([*proven(0, 2), *plain, *proven(2, 3)], shuffle=PROOF)
    expect(document, illegal("deal.shuffle", 5), totals=[0, 8])
    assert [outcome for outcome, _ in outcomes(document)] == ["void", "scored", "void"]


def test_deal_shuffle_is_reported_once_a_deal() -> None:
    document = match([*proven(1, 2), *proven(1, 2), *proven(3, 2)], shuffle=PROOF)
    expect(document, illegal("deal.shuffle", 0), illegal("deal.shuffle", 10))


def test_deal_shuffle_two_cards_exchanged() -> None:
    events = proven(0, 2)
    hands = events[0]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    expect(match(events, shuffle=PROOF), illegal("deal.shuffle", 0))


def test_deal_shuffle_a_wrong_commitment_is_reported_once_at_the_first_deal() -> None:
    other = PROOF | {"commitment": "00" * 32}
    expect(match([*proven(0, 2), *proven(1, 2)], shuffle=other), illegal("deal.shuffle", 0))


def test_deal_shuffle_the_log_of_one_seat() -> None:
    whole = played(shuffled_hands(PROOF, 0, 1), "8 pass pass pass", "H", 1)
    whole[0] = deal(hidden(whole[0]["hands"], 0, 1, 3), 1)
    expect(match(whole, shuffle=PROOF))
    expect(match(whole, shuffle=shuffle_proof("0b")), illegal("deal.shuffle", 0))


# --- auction.turn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_auction_turn_the_seat_after_the_dealer_calls_first(seat: int) -> None:
    expect(inserted(PLAIN, BID, bid(seat, 9)), illegal("auction.turn", BID, seat), totals=[0, 8])
    expect(inserted(PLAIN, BID, passes(seat)), illegal("auction.turn", BID, seat), totals=[0, 8])


def test_auction_turn_who_passed_has_no_turn() -> None:
    calls = auction("pass 7 8 pass")  # 1 passes, 2 bids 7, 3 bids 8, 0 passes
    plays = played(hands_for(8, 3), "pass 7 8 pass pass", "S")[6:]
    expect(match([deal(hands_for(8, 3)), *calls, passes(2), *plays]), totals=[0, 8])
    document = match([deal(hands_for(8, 3)), *calls, bid(1, 9), passes(2), *plays])
    expect(document, illegal("auction.turn", 5, 1), totals=[0, 8])


def test_auction_turn_two_bidders_take_turns() -> None:
    calls = auction("7 pass pass 8 9 10 pass")
    assert [event["seat"] for event in calls] == [1, 2, 3, 0, 1, 0, 1]
    expect(match(played(hands_for(10, 0), "7 pass pass 8 9 10 pass", "S")), totals=[10, 0])


def test_auction_turn_the_last_seat_may_bid_after_three_passes_and_has_the_contract() -> None:
    expect(match(played(hands_for(7, 0), "pass pass pass 7", "S")), totals=[7, 0])


def test_auction_ends_at_once_on_a_bid_of_thirteen() -> None:
    expect(match(played(hands_for(13, 2), "7 13", "S")), totals=[26, 0])
    late = match([*played(hands_for(13, 2), "7 13", "S")[:3], passes(3), trump(2, "S")])
    expect(late, illegal("flow.kind", 3, 3))


# --- auction.range --------------------------------------------------------------------------------------------------


def one_bid(taken: int, **keys: Any) -> Document:
    """Seat 1 makes the only bid, and takes so many tricks."""
    return replaced(match(scored(taken, 7)), BID, **keys)


@pytest.mark.parametrize(("taken", "points"), [(5, [8, -6]), (6, [0, 6]), (7, [0, 7])])
def test_auction_range_a_bid_of_six_is_a_contract_at_its_number(taken: int, points: list[int]) -> None:
    expect(one_bid(taken, tricks=6), illegal("auction.range", BID, 1), totals=points)


@pytest.mark.parametrize("number", range(7, 13))
def test_auction_range_seven_to_thirteen(number: int) -> None:
    expect(one_bid(13, tricks=number))


@pytest.mark.parametrize("keys", [{"tricks": 14}, {"tricks": 20}, {"trump": "NT"}, {"tricks": 6, "trump": "NT"}])
def test_auction_range_a_bid_that_is_no_contract_breaks_the_deal_if_it_wins(keys: dict[str, Any]) -> None:
    document = one_bid(8, **keys)
    document = document | {"events": [*document["events"], score([1, 2], [1, 2]), *void(3)]}
    expect(document, illegal("auction.range", BID, 1), note("note.skipped", TRUMP), totals=[1, 2])
    assert outcomes(document) == [("broken", None), ("void", None)]


def test_auction_range_a_bid_that_is_no_contract_and_is_outbid() -> None:
    document = match(played(hands_for(9, 2), "8 9 pass pass pass", "S"))
    expect(replaced(document, 1, trump="NT"), illegal("auction.range", 1, 1), totals=[9, 0])


def test_auction_range_fourteen_counts_for_outbidding_by_its_tricks() -> None:
    document = match([deal(hands_for(8, 1)), bid(1, 14), bid(2, 12), passes(3), passes(0), passes(1), trump(2, "S")])
    expect(document, illegal("auction.range", 1, 1), illegal("auction.outbid", 2, 2))


@pytest.mark.parametrize("suit", ["C", "D", "H", "S"])
def test_auction_range_a_trump_named_in_a_bid_is_a_contract_and_trump_is_named_after_it(suit: str) -> None:
    expect(one_bid(8, trump=suit), illegal("auction.range", BID, 1), totals=[0, 8])


def test_auction_range_goes_before_outbid_and_timeout() -> None:
    document = match([deal(hands_for(8, 1)), bid(1, 8), bid(2, 6, by="timeout"), passes(3)])
    expect(document, illegal("auction.range", 2, 2))


# --- auction.outbid -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), [(7, 7), (8, 7), (12, 9), (12, 12)])
def test_auction_outbid_a_bid_that_does_not_outbid_stands(first: int, second: int) -> None:
    document = match(played(hands_for(10, 2), f"{first} {second} pass pass pass", "S"))
    points = [10, 0] if second <= 10 else [-second, 3]
    expect(document, illegal("auction.outbid", 2, 2), totals=points)


@pytest.mark.parametrize(("first", "second"), [(7, 8), (7, 12), (11, 12), (12, 13)])
def test_auction_outbid_more_tricks_outbid(first: int, second: int) -> None:
    calls = f"{first} {second}" + (" pass pass pass" if second < 13 else "")
    expect(match(played(hands_for(13, 2), calls, "S")))


# --- trump.declarer -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_trump_declarer_only_the_winner_of_the_auction_names_it(seat: int) -> None:
    expect(inserted(PLAIN, TRUMP, trump(seat, "H")), illegal("trump.declarer", TRUMP, seat), totals=[0, 8])


def test_trump_declarer_no_trump_is_not_one_of_the_four_suits() -> None:
    expect(inserted(PLAIN, TRUMP, trump(1, "NT")), illegal("trump.declarer", TRUMP, 1), totals=[0, 8])


@pytest.mark.parametrize("suit", ["C", "D", "H", "S"])
def test_trump_declarer_any_of_the_four_suits(suit: str) -> None:
    expect(match(scored(8, 7, suit=suit)), totals=[0, 8])


# --- play.turn ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_play_turn_the_winner_of_the_auction_leads_first(seat: int) -> None:
    card = PLAIN["events"][0]["hands"][seat][0]
    expect(inserted(PLAIN, FIRST_PLAY, play(seat, card)), illegal("play.turn", FIRST_PLAY, seat), totals=[0, 8])


def test_play_turn_then_upwards_from_the_leader() -> None:
    document = inserted(PLAIN, FIRST_PLAY + 1, play(3, "2D"))
    expect(document, illegal("play.turn", FIRST_PLAY + 1, 3), totals=[0, 8])


def test_play_turn_the_winner_of_a_trick_leads_next() -> None:
    """Trick nine goes to seat 2."""
    lead = FIRST_PLAY + 36
    assert PLAIN["events"][lead]["seat"] == 2
    card = PLAIN["events"][lead + 3]["card"]
    expect(inserted(PLAIN, lead, play(1, card)), illegal("play.turn", lead, 1), totals=[0, 8])


def test_play_turn_two_cards_in_the_wrong_order() -> None:
    """The early card does not count; its seat is missing afterwards, and the next two cannot both be out of turn."""
    document = swapped(PLAIN, FIRST_PLAY + 1, FIRST_PLAY + 2)
    expect(
        document,
        illegal("play.turn", FIRST_PLAY + 1, 3),
        illegal("play.turn", FIRST_PLAY + 3, 0),
        note("note.skipped", FIRST_PLAY + 4),
        totals=[0, 0],
    )


# --- play.in-hand ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", ["AS", "2D", "2H", "JK"])
def test_play_in_hand_a_card_that_the_seat_does_not_hold(card: str) -> None:
    document = inserted(PLAIN, FIRST_PLAY + 1, play(2, card))
    expect(document, illegal("play.in-hand", FIRST_PLAY + 1, 2), totals=[0, 8])


def test_play_in_hand_a_card_that_was_played_before() -> None:
    document = inserted(PLAIN, FIRST_PLAY + 4, play(1, "AS"))
    expect(document, illegal("play.in-hand", FIRST_PLAY + 4, 1), totals=[0, 8])


def test_play_in_hand_out_of_turn_goes_first() -> None:
    expect(inserted(PLAIN, FIRST_PLAY, play(2, "AS")), illegal("play.turn", FIRST_PLAY, 2), totals=[0, 8])


# --- play.follow-suit -----------------------------------------------------------------------------------------------

#: Seat 1 leads hearts; seat 0 has two of them and eleven spades; spades are trump.
REVOKER = from_text(
    "2H 3H 4S 5S 6S 7S 8S 9S TS JS QS KS AS",
    "4H 5H 6H 7H 8H 9H TH JH QH KH AH 2S 3S",
    "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD",
    "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC",
)


def revoke(card: str, taker: int) -> Document:
    """Seat 1 bids 7 and leads the ace of hearts, seat 0 plays ``card``, ``taker`` is claimed to have the trick."""
    first = [play(1, "AH"), play(2, "2D"), play(3, "2C"), play(0, card)]
    rest, _ = play_out(after(REVOKER, first), taker, "S")
    return match([deal(REVOKER), *auction("7 pass pass pass"), trump(1, "S"), *first, trick(taker), *rest])


def test_play_follow_suit_a_revoke_stands_and_takes_the_trick() -> None:
    """Seat 0 ruffs, draws both trumps, and loses no more than its two hearts."""
    document = revoke("4S", 0)
    expect(document, illegal("play.follow-suit", FIRST_PLAY + 3, 0))
    [finding] = verdict(document)["findings"]
    assert sorted(finding["legal"]) == ["2H", "3H"]
    # Spades 5 to A (ten) and the ruff are seat 0's; then seat 1 has a heart for each of 2H and 3H.
    assert outcomes(document) == [("scored", [11, -7])]


def test_play_follow_suit_following_is_no_fault() -> None:
    expect(revoke("2H", 1))
    expect(revoke("3H", 1))


def test_play_follow_suit_no_duty_to_trump_or_to_beat() -> None:
    """Seat 2 has no heart and keeps its trumps, seat 3 has the ace of hearts and keeps it, seat 0 discards a king."""
    hands = from_text(
        "KD AD 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS",
        "KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2C 3C",
        "AS KS 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD",
        "AH 2H 4C 5C 6C 7C 8C 9C TC JC QC KC AC",
    )
    start = [deal(hands), *auction("7 pass pass pass"), trump(1, "S")]
    first = [play(1, "KH"), play(2, "2D"), play(3, "2H"), play(0, "KD"), trick(1)]
    expect(match([*start, *first]))


def test_play_follow_suit_the_highest_trump_of_two_ruffs_takes_the_trick() -> None:
    hands = from_text(
        "3S 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC",
        "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",
        "2S 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD",
    )
    first = [play(1, "AH"), play(2, "2S"), play(3, "AC"), play(0, "3S")]
    start = [deal(hands), *auction("7 pass pass pass"), trump(1, "S"), *first]
    expect(match([*start, trick(0), play(0, "2C")]))
    expect(match([*start, trick(2), play(0, "2C")]), wrong("claim.trick", FIRST_PLAY + 4))


def test_play_follow_suit_a_card_of_another_plain_suit_never_wins() -> None:
    hands = tarneeb.ONE_SUIT_A_SEAT
    start = [deal(hands), *auction("7 pass pass pass"), trump(1, "H")]
    tricks = [play(1, "2H"), play(2, "AD"), play(3, "AC"), play(0, "AS")]
    expect(match([*start, *tricks, trick(1), play(1, "3H")]))


# --- timeout.policy -------------------------------------------------------------------------------------------------

#: Seat 1 to lead with spades as trump: the lowest plain cards are two threes.
TIMEOUT = from_text("4H 5H 6H", "3D 3C 4D 2S 8S AS KH 9H TH JH QH QD QC", "3H 7H 2C 2D 3S")


def timed_out(*cards: str) -> Document:
    """The first plays of the deal TIMEOUT, from seat 1 on; the last one is the system's."""
    plays = [play((1 + turn) % 4, card) for turn, card in enumerate(cards)]
    plays[-1] = plays[-1] | {"by": "timeout"}
    return match([deal(TIMEOUT), *auction("7 pass pass pass"), trump(1, "S"), *plays])


@pytest.mark.parametrize("card", ["3D", "3C"])
def test_timeout_policy_any_of_the_lowest_rank_will_do(card: str) -> None:
    expect(timed_out(card))


@pytest.mark.parametrize("card", ["2S", "4D", "AS", "QC"])
def test_timeout_policy_a_card_that_is_not_a_weakest_stands(card: str) -> None:
    document = timed_out(card)
    expect(document, illegal("timeout.policy", FIRST_PLAY, 1))
    expect(
        document | {"events": [*document["events"], play(1, "3D")]},
        illegal("timeout.policy", FIRST_PLAY, 1),
        illegal("play.turn", FIRST_PLAY + 1, 1),
    )


def test_timeout_policy_a_player_may_play_any_legal_card() -> None:
    for by in ("player", "bot"):
        expect(replaced(timed_out("AS"), FIRST_PLAY, by=by))


def test_timeout_policy_only_legal_cards_count() -> None:
    """Seat 2 has to follow hearts: its two of clubs and of diamonds are lower, and not legal."""
    expect(timed_out("KH", "3H"))
    expect(timed_out("KH", "7H"), illegal("timeout.policy", FIRST_PLAY + 1, 2))
    expect(timed_out("KH", "2C"), illegal("play.follow-suit", FIRST_PLAY + 1, 2))
    expect(timed_out("AS", "3S"))


def test_timeout_policy_the_lowest_trump_if_nothing_else_is_legal() -> None:
    hands = hands_for(13, 1)
    start = [deal(hands), *auction("7 pass pass pass"), trump(1, "S")]
    expect(match([*start, play(1, "2S", by="timeout")]))
    expect(match([*start, play(1, "3S", by="timeout")]), illegal("timeout.policy", FIRST_PLAY, 1))


def test_timeout_policy_a_pass_is_the_only_call() -> None:
    expect(match([deal(TIMEOUT), passes(1, by="timeout"), passes(2)]))
    expect(replaced(PLAIN, BID, by="timeout"), illegal("timeout.policy", BID, 1), totals=[0, 8])


def test_timeout_policy_a_naming_of_trump_is_free() -> None:
    expect(replaced(PLAIN, TRUMP, by="timeout"), totals=[0, 8])


def test_timeout_policy_a_pass_out_of_turn_is_out_of_turn() -> None:
    expect(inserted(PLAIN, BID, passes(2, by="timeout")), illegal("auction.turn", BID, 2), totals=[0, 8])


# --- match.over -----------------------------------------------------------------------------------------------------

ENDED = match(deals((1, 7, 11), (1, 7, 10), (1, 7, 10)))  # 0 / 31
END = len(ENDED["events"])


@pytest.mark.parametrize(
    "event",
    [deal(hands_for(8, 1), 3), bid(0, 7), passes(0), trump(1, "S"), play(1, "AS")],
    ids=lambda event: event["type"],
)
@pytest.mark.parametrize("claimed", [False, True])
def test_match_over_an_event_after_the_end(event: Event, claimed: bool) -> None:
    document = builders.claims(ENDED) if claimed else ENDED
    at = len(document["events"])
    document = inserted(document, at, event)
    expect(document, illegal("match.over", at, event.get("seat")), totals=[0, 31])
    assert len(outcomes(document)) == 3
    assert verdict(document)["status"] == "illegal"


def test_match_over_claims_and_notes_after_the_end_are_no_fault() -> None:
    chat = {"type": "note", "text": "gg"}
    document = inserted(ENDED, END, trick(2), chat, score([0, 10], [0, 31]), chat, result(1, [0, 31]), chat)
    expect(document)
    assert verdict(document)["status"] == "clean"


def test_match_over_one_point_below_the_target_play_goes_on() -> None:
    expect(match([*deals((1, 7, 10), (1, 7, 10), (1, 7, 10)), *void(3)]))


def test_match_over_a_refused_move_after_the_end_was_rightly_refused() -> None:
    expect(inserted(ENDED, END, passes(0) | {"refused": True}))


# --- claim.trick ----------------------------------------------------------------------------------------------------


def test_claim_trick_another_winner() -> None:
    document = inserted(PLAIN, FIRST_PLAY + 4, trick(2))
    expect(document, wrong("claim.trick", FIRST_PLAY + 4), totals=[0, 8])
    assert verdict(document)["status"] == "misscored"


def test_claim_trick_the_right_winner() -> None:
    plays, _ = play_out(hands_for(8, 1), 1, "S", claimed=True)
    expect(match([*PLAIN["events"][:FIRST_PLAY], *plays, score([0, 8], [0, 8])]))


def test_claim_trick_after_a_note() -> None:
    expect(inserted(PLAIN, FIRST_PLAY + 4, {"type": "note"}, trick(1)))


@pytest.mark.parametrize("at", [0, 1, 3, TRUMP, FIRST_PLAY, FIRST_PLAY + 1, FIRST_PLAY + 3, FIRST_PLAY + 5])
def test_claim_trick_where_none_belongs(at: int) -> None:
    expect(inserted(PLAIN, at, trick(1)), wrong("claim.trick", at), totals=[0, 8])


def test_claim_trick_twice() -> None:
    at = FIRST_PLAY + 5
    expect(inserted(PLAIN, FIRST_PLAY + 4, trick(1), trick(1)), wrong("claim.trick", at), totals=[0, 8])


def test_claim_trick_after_the_score() -> None:
    document = inserted(PLAIN, AFTER, score([0, 8], [0, 8]), trick(2))
    expect(document, wrong("claim.trick", AFTER + 1), totals=[0, 8])


# --- claim.score, claim.total ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [[0, 7], [8, 0], [0, 9], [1, 8], [0, 0]])
def test_claim_score_other_points(points: list[int]) -> None:
    document = inserted(PLAIN, AFTER, score(points, [0, 8]), *scored(7, 7, dealer=1), score([7, 0], [7, 8]))
    expect(document, wrong("claim.score", AFTER), totals=[7, 8])
    [finding] = verdict(document)["findings"]
    assert (finding["expected"], finding["found"]) == ([0, 8], points)
    assert verdict(document)["status"] == "misscored"


def test_claim_score_goes_before_claim_total() -> None:
    expect(inserted(PLAIN, AFTER, score([0, 9], [0, 9])), wrong("claim.score", AFTER), totals=[0, 8])


@pytest.mark.parametrize("total", [[0, 7], [8, 0], [1, 8], [-8, 8]])
def test_claim_total_another_total(total: list[int]) -> None:
    document = inserted(PLAIN, AFTER, score([0, 8], total), *scored(7, 7, dealer=1), score([7, 0], [7, 8]))
    expect(document, wrong("claim.total", AFTER), totals=[7, 8])
    [finding] = verdict(document)["findings"]
    assert (finding["expected"], finding["found"]) == ([0, 8], total)


def test_claim_total_right_claims_all_the_way() -> None:
    document = builders.claims(match([*deals((1, 8, 6), (3, 13, 11)), *void(2), *deals((2, 9, 12), dealer=2)]))
    expect(document, totals=[23, -24])
    assert [event["total"] for event in document["events"] if event["type"] == "score"] == [
        [7, -8],
        [11, -24],
        [11, -24],
        [23, -24],
    ]


@pytest.mark.parametrize(
    ("points", "total", "clause"),
    [
        ([0, 0], [0, 0], None),
        ([0, 0], [0, 1], "claim.total"),
        ([0, 7], [0, 7], "claim.score"),
        ([0, -7], [0, 0], "claim.score"),
    ],
)
def test_claim_score_of_a_void_deal(points: list[int], total: list[int], clause: str | None) -> None:
    document = match([*void(1), score(points, total), *void(1)])
    expect(document, *([wrong(clause, 5)] if clause else []), totals=[0, 0])


@pytest.mark.parametrize("at", [0, 1, 4, TRUMP, FIRST_PLAY, FIRST_PLAY + 9, LAST_PLAY])
def test_claim_score_where_none_belongs(at: int) -> None:
    expect(inserted(PLAIN, at, score([0, 0], [0, 0])), wrong("claim.score", at), totals=[0, 8])


@pytest.mark.parametrize("event", [passes(1), bid(2, 9), play(2, "AS"), trump(1, "S")], ids=lambda event: event["type"])
def test_claim_score_after_an_event_that_was_ignored(event: Event) -> None:
    """The deal is over and the next has not begun: the claim is in its place."""
    document = match([*void(1), event, score([0, 0], [0, 0]), *void(1)])
    expect(document, illegal("flow.kind", 5, event["seat"]), totals=[0, 0])


def test_claim_score_twice() -> None:
    once = score([0, 8], [0, 8])
    expect(inserted(PLAIN, AFTER, once, once, *void(1)), wrong("claim.score", AFTER + 1), totals=[0, 8])


# --- claim.result ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("winner", "total", "right"),
    [
        (1, [0, 31], True),
        (0, [0, 31], False),
        (None, [0, 31], False),
        (1, [0, 32], False),
        (1, [31, 0], False),
    ],
)
def test_claim_result_is_compared_as_a_whole(winner: int | None, total: list[int], right: bool) -> None:
    document = inserted(ENDED, END, result(winner, total))
    expect(document, *([] if right else [wrong("claim.result", END)]), totals=[0, 31])
    assert verdict(document)["status"] == ("clean" if right else "misscored")
    assert verdict(document)["winner"] == 1


@pytest.mark.parametrize(("winner", "right"), [(None, True), (1, False), (0, False)])
def test_claim_result_before_the_end_the_winner_is_nobody(winner: int | None, right: bool) -> None:
    document = inserted(PLAIN, AFTER, result(winner, [0, 8]))
    expect(document, *([] if right else [wrong("claim.result", AFTER)]))
    assert verdict(document)["status"] == ("incomplete" if right else "misscored")


def test_claim_result_in_the_middle_of_a_deal() -> None:
    document = match([*PLAIN["events"], *scored(7, 7, dealer=1)[:20], result(None, [0, 8])])
    expect(document, totals=[0, 8])
    assert outcomes(document) == [("scored", [0, 8]), ("unfinished", None)]


# --- flow.kind ------------------------------------------------------------------------------------------------------

MOVES = {
    "deal": deal(hands_for(8, 1), 1),
    "bid": bid(1, 8),
    "pass": passes(1),
    "trump": trump(1, "S"),
    "play": play(1, "AS"),
}


@pytest.mark.parametrize(
    ("at", "kinds"),
    [
        (0, "bid pass trump play"),
        (BID, "deal trump play"),
        (BID + 2, "deal trump play"),
        (TRUMP, "deal bid pass play"),
        (FIRST_PLAY, "deal bid pass trump"),
        (FIRST_PLAY + 3, "deal bid pass trump"),
        (LAST_PLAY, "deal bid pass trump"),
        (AFTER, "bid pass trump play"),
    ],
)
def test_flow_kind_the_wrong_kind_of_event_is_ignored(at: int, kinds: str) -> None:
    for kind in kinds.split():
        event = MOVES[kind]
        document = match([*PLAIN["events"], *void(1)])
        expect(inserted(document, at, event), illegal("flow.kind", at, event.get("seat")), totals=[0, 8])


def test_flow_kind_an_event_of_another_game_is_a_fault_of_form() -> None:
    with pytest.raises(msgspec.ValidationError):
        verdict(inserted(PLAIN, 2, {"type": "double", "seat": 2}))


def test_flow_kind_notes_may_stand_anywhere_and_carry_anything() -> None:
    noted: list[Event] = []
    for event in PLAIN["events"]:
        noted += [{"type": "note", "seat": 77, "refused": "x", "by": 3}, event]
    expect(match(noted), totals=[0, 8])


# --- refusal.legal --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [0, BID, BID + 1, TRUMP, FIRST_PLAY, FIRST_PLAY + 1, LAST_PLAY, AFTER, AFTER + 4])
def test_refusal_legal_a_legal_move_was_refused_and_does_not_count(at: int) -> None:
    document = match([*PLAIN["events"], *void(1)])
    event = document["events"][at]
    document = inserted(document, at, event | {"refused": True})
    expect(document, illegal("refusal.legal", at, event.get("seat")), totals=[0, 8])
    assert verdict(document)["status"] == "illegal"


@pytest.mark.parametrize(
    ("at", "event"),
    [
        (0, deal(bad_hands("a joker"))),
        (0, passes(1)),
        (BID, deal(hands_for(8, 1))),
        (BID, bid(2, 7)),
        (BID, bid(1, 6)),
        (BID, bid(1, 14)),
        (BID, bid(1, 7, trump="S")),
        (BID, bid(1, 7, by="timeout")),
        (BID + 1, bid(2, 7)),
        (BID + 1, passes(3)),
        (TRUMP, trump(2, "S")),
        (TRUMP, trump(1, "NT")),
        (TRUMP, play(1, "AS")),
        (FIRST_PLAY, play(2, "2S")),
        (FIRST_PLAY, play(1, "2D")),
        (FIRST_PLAY, play(1, "AS", by="timeout")),
        (FIRST_PLAY + 1, play(2, "AC")),
        (AFTER, deal(hands_for(8, 1), 0)),
        (AFTER, play(1, "AS")),
    ],
)
def test_refusal_legal_an_illegal_move_was_rightly_refused(at: int, event: Event) -> None:
    document = match([*PLAIN["events"], *void(1)])
    expect(inserted(document, at, event | {"refused": True}), totals=[0, 8])


def test_refusal_legal_refused_false_is_a_move_like_any_other() -> None:
    expect(match([event | {"refused": False} for event in PLAIN["events"]]), totals=[0, 8])


# --- Two impossible events: broken deals ----------------------------------------------------------------------------


def test_broken_deal_two_impossible_events_in_a_row() -> None:
    """The second is not judged; it and all that follows is skipped, and counted by one note."""
    at = FIRST_PLAY + 10
    document = inserted(PLAIN, at, passes(0), passes(0))
    events = [*document["events"], score([0, 5], [0, 5]), *void(3)]
    document = match(events)
    expect(document, illegal("flow.kind", at, 0), note("note.skipped", at + 1), totals=[0, 5])
    assert outcomes(document) == [("broken", None), ("void", None)]
    [first, _] = verdict(document)["deals"]
    assert (first["claimed_points"], first["claimed_totals"]) == ([0, 5], [0, 5])


def test_broken_deal_one_impossible_event_at_a_time_breaks_nothing() -> None:
    at = FIRST_PLAY + 10
    document = inserted(inserted(PLAIN, at, passes(0)), at + 2, passes(0))
    expect(document, illegal("flow.kind", at, 0), illegal("flow.kind", at + 2, 0), totals=[0, 8])


def test_broken_deal_an_illegal_event_that_stands_comes_between() -> None:
    """Seat 1 plays a card it does not hold, then one it holds; seat 2 revokes, which stands; seat 3 likewise."""
    at = FIRST_PLAY
    document = inserted(replaced(PLAIN, at + 1, card="AC"), at, play(1, "2D"))
    document = inserted(document, at + 3, play(3, "2H"))
    rows = [
        illegal("play.in-hand", at, 1),
        illegal("play.follow-suit", at + 2, 2),
        illegal("play.in-hand", at + 3, 3),
    ]
    assert said_of(document | {"events": document["events"][: at + 5]}) == rows


def test_broken_deal_notes_do_not_come_between() -> None:
    document = inserted(PLAIN, FIRST_PLAY, passes(0), {"type": "note"}, passes(0))
    expect(document, illegal("flow.kind", FIRST_PLAY, 0), note("note.skipped", FIRST_PLAY + 2), totals=[0, 0])


def test_broken_deal_without_a_claim_carries_nothing() -> None:
    document = match([*scored(8, 7), *inserted(PLAIN, 1, passes(0), passes(0))["events"], *void(2)])
    document = replaced(document, AFTER, dealer=1)
    expect(document, illegal("auction.turn", AFTER + 1, 0), note("note.skipped", AFTER + 2), totals=[0, 8])


def test_broken_deal_what_is_skipped_is_not_judged() -> None:
    """Wrong claims, refused moves and impossible events among what is skipped are no findings."""
    rest = [trick(3), passes(0) | {"refused": True}, play(1, "JK"), trump(0, "NT"), bid(3, 99), {"type": "note"}]
    document = inserted(PLAIN, FIRST_PLAY, passes(0), passes(0), *rest)
    expect(document, illegal("flow.kind", FIRST_PLAY, 0), note("note.skipped", FIRST_PLAY + 1))


def test_broken_deal_a_result_ends_what_is_skipped() -> None:
    start = [*PLAIN["events"][:20], passes(0), passes(0), score([2, 3], [2, 3])]
    rows = illegal("flow.kind", 20, 0), note("note.skipped", 21)
    expect(match([*start, result(None, [2, 3])]), *rows)
    expect(match([*start, result(None, [0, 0])]), *rows, wrong("claim.result", 23))


def test_broken_deal_in_the_last_deal_of_a_log() -> None:
    document = match([*PLAIN["events"][:20], passes(0), passes(0)])
    assert outcomes(document) == [("broken", None)]
    assert verdict(document)["over"] is False


def test_broken_deal_a_lost_card_breaks_the_deal() -> None:
    """Without seat 2's first card, seats 3 and 0 are both out of turn."""
    document = without(PLAIN, FIRST_PLAY + 1)
    expect(document, illegal("play.turn", FIRST_PLAY + 1, 3), note("note.skipped", FIRST_PLAY + 2))


# --- A deal in the middle of a deal ---------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [BID + 1, TRUMP, FIRST_PLAY, FIRST_PLAY + 30])
def test_mid_deal_the_next_event_fits_the_old_deal(at: int) -> None:
    stray = deal(tarneeb.shuffled(random.Random(5)), 2)
    document = inserted(PLAIN, at, stray)
    expect(document, illegal("flow.kind", at), totals=[0, 8])
    assert outcomes(document) == [("scored", [0, 8])]


@pytest.mark.parametrize("at", [BID + 1, BID + 2, TRUMP, FIRST_PLAY, FIRST_PLAY + 30, LAST_PLAY])
def test_mid_deal_the_next_event_fits_the_new_deal_and_not_the_old(at: int) -> None:
    """The new dealer is chosen so that the first call of the new deal is not one of the old."""
    new = scored(9, 7, dealer=3)  # seat 0 calls first
    document = match([*PLAIN["events"][:at], *new, *void(0)])
    rows = said_of(document)
    assert rows[0] == illegal("flow.kind", at)
    assert [row for row in rows[1:] if row[1] != "note.skipped"] == []
    assert outcomes(document) == [("broken", None), ("scored", [9, 0]), ("void", None)]


def test_mid_deal_the_only_bid_of_the_new_deal_is_no_contract() -> None:
    """It closes the auction at once, and breaks the new deal as well."""
    new = deal(hands_for(8, 0), 3)
    document = match([*PLAIN["events"][:FIRST_PLAY], new, bid(0, 13, trump="NT"), trump(0, "S")])
    expect(
        document,
        illegal("flow.kind", FIRST_PLAY),
        illegal("auction.range", FIRST_PLAY + 1, 0),
        note("note.skipped", FIRST_PLAY + 2),
    )
    assert [outcome for outcome, _ in outcomes(document)] == ["broken", "broken"]


def test_mid_deal_the_next_event_fits_both() -> None:
    """Then the old deal goes on: it is not true that the event does not fit it."""
    document = match([*PLAIN["events"][:BID], deal(hands_for(8, 1)), *PLAIN["events"][BID:]])
    expect(document, illegal("flow.kind", BID), totals=[0, 8])


# --- Logs written from one seat -------------------------------------------------------------------------------------


def seen_by(seat: int, document: Document) -> Document:
    """The match as one seat saw it."""
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
    document = revoke("4S", 0)
    expect(seen_by(seat, document), illegal("play.follow-suit", FIRST_PLAY + 3, 0), totals=[11, -7])
    [finding] = verdict(seen_by(seat, document))["findings"]
    assert sorted(finding["legal"]) == ["2H", "3H"]


def test_unseen_a_revoke_that_a_later_card_shows() -> None:
    """The log ends after the trick in which seat 0 shows a heart."""
    first = [play(1, "AH"), play(2, "2D"), play(3, "2C"), play(0, "4S")]
    second = [play(0, "2H"), play(1, "4H"), play(2, "3D"), play(3, "3C")]
    start = [deal(hidden(REVOKER, 0, 2, 3)), *auction("7 pass pass pass"), trump(1, "S"), *first]
    expect(match([*start, *second]), note("note.unseen", 7), illegal("play.follow-suit", FIRST_PLAY + 3, 0))
    expect(match(start), note("note.unseen", 7))


def test_unseen_is_noted_once_a_deal() -> None:
    """Seats 2, 3 and 0 all discard; nobody can say whether they had to follow."""
    start = [deal(hidden(tarneeb.ONE_SUIT_A_SEAT, 0, 2, 3)), *auction("7 pass pass pass"), trump(1, "S")]
    discards = [play(1, "AH"), play(2, "2D"), play(3, "2C"), play(0, "2S")]
    expect(match([*start, *discards]), note("note.unseen", FIRST_PLAY + 1))


def test_unseen_a_card_of_the_suit_led_needs_no_unseen_card() -> None:
    start = PLAIN["events"][: FIRST_PLAY + 2]  # seat 1 leads spades, seat 2 follows
    expect(seen_by(1, match(start)))


def test_unseen_known_cards_still_accuse() -> None:
    """One card of seat 0 was seen, and it is of the suit led."""
    hands = hidden(REVOKER, 2, 3)
    hands[0] = ["2H"] + ["??"] * 12
    plays = [play(1, "AH"), play(2, "2D"), play(3, "2C"), play(0, "4S")]
    document = match([deal(hands), *auction("7 pass pass pass"), trump(1, "S"), *plays])
    expect(document, note("note.unseen", 7), illegal("play.follow-suit", FIRST_PLAY + 3, 0))


def test_unseen_refused_plays_fill_nothing_and_accuse_nobody() -> None:
    """Whether seat 2 holds the three of spades is not known: its refusal is neither right nor wrong."""
    document = match([*PLAIN["events"][: FIRST_PLAY + 1], play(2, "3S", refused=True), play(2, "2S")])
    expect(document, illegal("refusal.legal", FIRST_PLAY + 1, 2))
    expect(seen_by(1, document), note("note.unseen", FIRST_PLAY + 1))


def test_unseen_a_revoke_is_rightly_refused_when_the_suit_is_shown_later() -> None:
    document = match([*PLAIN["events"][: FIRST_PLAY + 1], play(2, "QC", refused=True), play(2, "2S")])
    expect(document)
    expect(seen_by(1, document))


def test_unseen_a_refused_play_of_a_card_that_is_shown_later_is_judged() -> None:
    """Seat 2 follows with the three instead of the two, which it plays one trick later: both were legal."""
    document = inserted(PLAIN, FIRST_PLAY + 1, play(2, "3S", refused=True))
    expect(seen_by(1, document), illegal("refusal.legal", FIRST_PLAY + 1, 2), totals=[0, 8])


def test_unseen_all_that_was_played_before_the_next_deal_fills_the_hands() -> None:
    """The log lost the very last card: seats 1, 2 and 3 have shown all they had, and only seat 0 keeps a card."""
    whole = revoke("4S", 0)["events"]
    document = match([deal(hidden(REVOKER, 1, 2, 3)), *whole[1:-1], *scored(9, 7, dealer=3)])
    at = len(whole) - 1
    expect(document, illegal("play.follow-suit", FIRST_PLAY + 3, 0), illegal("flow.kind", at), totals=[9, 0])
    assert verdict(document)["deals"][0]["events"] == [0, at - 1]


def test_unseen_a_joker_is_in_no_hand() -> None:
    """Whether the deal or the play is blamed, it is one finding, and the log is read to its end."""
    start = [deal(hidden(hands_for(8, 1), 1, 2, 3)), *auction("7 pass pass pass"), trump(1, "S")]
    for plays in ([play(1, "JK")], [play(1, "AS"), play(2, "JK")]):
        assert [row[0] for row in said_of(match([*start, *plays])) if row[0] != "note"] == ["illegal"]


def test_unseen_ignored_plays_fill_nothing() -> None:
    """Seat 3's card out of turn does not count, so its seat is not known to hold it."""
    start = [deal(hidden(tarneeb.ONE_SUIT_A_SEAT, 0, 2, 3)), *auction("7 pass pass pass"), trump(1, "S")]
    out_of_turn = [*start, play(3, "5H"), play(1, "AH"), play(2, "2D"), play(3, "2C")]
    expect(match(out_of_turn), illegal("play.turn", FIRST_PLAY, 3), note("note.unseen", FIRST_PLAY + 2))


# --- Bare logs ------------------------------------------------------------------------------------------------------


def test_an_empty_log() -> None:
    document = match([])
    expect(document, totals=[0, 0])
    assert verdict(document)["deals"] == []
    assert verdict(document)["status"] == "incomplete"


@pytest.mark.parametrize("cut", [1, 2, TRUMP, FIRST_PLAY, FIRST_PLAY + 1, LAST_PLAY])
def test_a_log_that_stops_in_a_deal(cut: int) -> None:
    document = match(PLAIN["events"][:cut])
    expect(document, totals=[0, 0])
    assert outcomes(document) == [("unfinished", None)]
    assert verdict(document)["status"] == "incomplete"


def test_status_says_the_first_that_applies() -> None:
    wrong_score = inserted(ENDED, END, score([0, 0], [0, 0]))
    assert verdict(ENDED)["status"] == "clean"
    assert verdict(wrong_score)["status"] == "misscored"
    assert verdict(inserted(wrong_score, BID, passes(0)))["status"] == "illegal"


def test_positions_of_events_by_kind() -> None:
    """The builders lay out what the tests above count on."""
    assert where(PLAIN, "deal") == 0
    assert where(PLAIN, "trump") == TRUMP
    assert (where(PLAIN, "play"), where(PLAIN, "play", -1)) == (FIRST_PLAY, LAST_PLAY)
