"""The clauses that both rulesets share: deals, plays, the end of a match, claims, refusals, broken deals."""

from __future__ import annotations

import random

import pytest

from tests import tarneeb
from tests.documents import (
    Document,
    Event,
    Hands,
    deal,
    inserted,
    passes,
    play,
    result,
    score,
    shuffle_proof,
    trick,
    verdict,
    where,
    without,
)
from tests.tarneeb import from_text, play_out

from . import builders
from .builders import (
    DAKAK,
    MASRAWI,
    auction,
    bid,
    deals,
    double,
    expect,
    hands_for,
    illegal,
    note,
    outcomes,
    scored,
    void,
    wrong,
)
from .oracle import shuffled_hands

both = pytest.mark.parametrize("ruleset", [MASRAWI, DAKAK])
FIRST_PLAY, LAST_PLAY, AFTER = 5, 56, 57


def plain(ruleset: str, tricks: int = 8, suit: str = "S") -> Document:
    return builders.match(scored(tricks, 7, suit=suit, ruleset=ruleset), ruleset)


# --- deal.dealer, deal.cards, deal.shuffle --------------------------------------------------------------------------


@both
@pytest.mark.parametrize("dealer", range(4))
def test_deal_dealer_first_anybody_then_the_next_seat(ruleset: str, dealer: int) -> None:
    start = scored(8, 7, dealer=dealer, ruleset=ruleset)
    expect(builders.match(start, ruleset))
    for other in range(4):
        document = builders.match([*start, *void(other)], ruleset)
        expect(document, *([] if other == (dealer + 1) % 4 else [illegal("deal.dealer", AFTER)]))
        assert [outcome for outcome, _ in outcomes(document)] == ["scored", "void"]


@both
@pytest.mark.parametrize("dealer", range(4))
def test_deal_dealer_anybody_may_deal_after_a_broken_deal(ruleset: str, dealer: int) -> None:
    broken = [deal(hands_for(8, 1)), passes(3), passes(3)]
    document = builders.match([*broken, *void(dealer)], ruleset)
    expect(document, illegal("auction.turn", 1, 3), note("note.skipped", 2))


def bad_hands(fault: str) -> Hands:
    hands = hands_for(8, 1)
    if fault == "a card too few":
        hands[2].pop()
    elif fault == "a joker":
        hands[2][0] = "JK"
    elif fault == "twice":
        hands[2][0] = hands[3][0]
    elif fault == "three hands":
        hands.pop()
    elif fault == "moved":
        hands[2].append(hands[3].pop())
    return hands


@both
@pytest.mark.parametrize("fault", ["a card too few", "a joker", "twice", "three hands", "moved"])
def test_deal_cards_a_deal_with_wrong_cards_is_broken_from_the_start(ruleset: str, fault: str) -> None:
    start = scored(8, 7, ruleset=ruleset)
    events = [deal(bad_hands(fault)), *start[1:], score([3, 4], [3, 4]), *scored(7, 7, dealer=2, ruleset=ruleset)]
    document = builders.match(events, ruleset)
    expect(document, illegal("deal.cards", 0), note("note.skipped", 1), totals=[3, 11])
    assert outcomes(document) == [("broken", None), ("scored", [0, 7])]


PROOF = shuffle_proof()
#: Deal 0 of PROOF by dealer 3, computed with a shell script around ``openssl dgst -mac HMAC``.
KNOWN_SHUFFLE = (
    "3C 5S AS JC KC 8H 3D TS AD 4H 7C 3H KH",
    "QH 2C AC 8D 6D 9C 6S 4S JS KS JH 5C TD",
    "6H TH KD 2H 7D 6C 9D QC 2D 2S 9H 4C 4D",
    "8C QD 3S TC 7H 5D QS JD 5H 9S AH 7S 8S",
)


@both
def test_deal_shuffle_hands_come_from_the_proof_or_not(ruleset: str) -> None:
    hands = [hand.split() for hand in KNOWN_SHUFFLE]
    assert shuffled_hands(PROOF, 0, 3) == hands
    good = [deal(hands, 3), *auction("pass pass pass pass", 3)]
    expect(builders.match(good, ruleset, shuffle=PROOF))
    expect(builders.match([deal([sorted(hand) for hand in hands], 3), *good[1:]], ruleset, shuffle=PROOF))
    expect(builders.match([*good, *void(3)], ruleset, shuffle=PROOF), illegal("deal.shuffle", 5))
    other = PROOF | {"commitment": "00" * 32}
    expect(builders.match(good, ruleset, shuffle=other), illegal("deal.shuffle", 0))


@both
def test_deal_shuffle_counts_void_deals(ruleset: str) -> None:
    events: list[Event] = []
    for number in range(3):
        events += [deal(shuffled_hands(PROOF, number, 2), 2), *auction("pass pass pass pass", 2)]
    expect(builders.match(events, ruleset, shuffle=PROOF))


# --- play.turn, play.in-hand, play.follow-suit ----------------------------------------------------------------------


@both
@pytest.mark.parametrize("seat", [0, 2, 3])
def test_play_turn_the_winner_of_the_auction_leads_first(ruleset: str, seat: int) -> None:
    document = plain(ruleset)
    card = document["events"][0]["hands"][seat][0]
    expect(inserted(document, FIRST_PLAY, play(seat, card)), illegal("play.turn", FIRST_PLAY, seat), totals=[0, 8])


@both
def test_play_turn_then_upwards_and_the_winner_leads_next(ruleset: str) -> None:
    document = plain(ruleset)
    late = inserted(document, FIRST_PLAY + 4, play(0, document["events"][0]["hands"][0][0]))
    expect(late, illegal("play.turn", FIRST_PLAY + 4, 0), totals=[0, 8])


@both
def test_play_in_hand(ruleset: str) -> None:
    document = plain(ruleset)
    for at, seat in ((FIRST_PLAY, 1), (FIRST_PLAY + 1, 2)):
        for card in (document["events"][0]["hands"][3][0], "JK"):
            expect(inserted(document, at, play(seat, card)), illegal("play.in-hand", at, seat), totals=[0, 8])


#: Seat 1 leads the ace of hearts; seat 0 has two hearts and spades.
REVOKER = from_text(
    "2H 3H 4S 5S 6S 7S KC QC 2D 3D 4D 5D AD",
    "AH KH QH JH TH AC JC TC 9C 8S AS KS QS",
    "4H 5H 6H 7C 6C 5C 4C KD QD JD TD JS TS",
)


@both
@pytest.mark.parametrize("suit", ["S", "NT"])
def test_play_follow_suit(ruleset: str, suit: str) -> None:
    """A card that should have followed stands, and can take the trick if it is a trump."""
    calls = auction(f"12{suit} pass pass pass", ruleset=ruleset)
    first = [play(1, "AH"), play(2, "4H"), play(3, "7H"), play(0, "4S")]
    winner = 0 if suit == "S" else 1
    left = [[card for card in hand if card not in ("AH", "4H", "7H", "4S")] for hand in REVOKER]
    document = builders.match([deal(REVOKER), *calls, *first, trick(winner), *play_out(left, winner, suit)[0]], ruleset)
    expect(document, illegal("play.follow-suit", FIRST_PLAY + 3, 0))
    assert builders.legal_at(document, "play.follow-suit") == ["2H", "3H"]


@both
def test_play_without_a_card_of_the_suit_led_anything_goes(ruleset: str) -> None:
    for seed in range(6):
        rng = random.Random(seed)
        hands = tarneeb.shuffled(rng)
        calls = auction("12NT pass pass pass", ruleset=ruleset)
        plays, _ = play_out(hands, 1, "NT", tarneeb.chance(rng), claimed=True)
        expect(builders.match([deal(hands), *calls, *plays], ruleset))


@both
def test_in_no_trump_the_highest_card_of_the_suit_led_always_wins(ruleset: str) -> None:
    hands = tarneeb.ONE_SUIT_A_SEAT if ruleset == DAKAK else hands_for(13, 1, "NT")
    if ruleset == DAKAK:
        calls = [bid(1, 7, "NT"), passes(2), passes(3), passes(0)]
        document = builders.match([deal(hands), *calls, *play_out(hands, 1, "NT")[0]], ruleset)
        assert outcomes(document) == [("scored", [0, 16])]
    else:
        assert outcomes(plain(ruleset, 13, "NT")) == [("scored", [0, 16])]


# --- match.over -----------------------------------------------------------------------------------------------------


def ended(ruleset: str) -> Document:
    return builders.claims(builders.match(deals((1, 12, 12), (1, 12, 12), (1, 7, 7), ruleset=ruleset), ruleset))


@both
def test_match_over_only_claims_may_follow(ruleset: str) -> None:
    document = ended(ruleset)
    assert verdict(document)["status"] == "clean"
    assert verdict(document)["winner"] == 1
    end = where(document, "score", -1)
    moves: list[Event] = [deal(hands_for(8, 1), 3), passes(1), bid(1, 9), double(2), play(1, "AS")]
    if ruleset == MASRAWI:
        moves += [builders.accepts(1), builders.redouble(1)]
    for event in moves:
        for at in (end, end + 1, end + 2):
            expect(inserted(document, at, event), illegal("match.over", at, event.get("seat")))
    expect(inserted(document, end, {"type": "note", "text": "gg"}))
    expect(without(document, end))
    expect(without(document, end + 1))


# --- Claims ---------------------------------------------------------------------------------------------------------


@both
def test_claim_trick(ruleset: str) -> None:
    document = plain(ruleset)
    plays = document["events"][FIRST_PLAY:]
    hands = [[event["card"] for event in plays if event["seat"] == seat] for seat in range(4)]
    assert all(len(hand) == 13 for hand in hands)
    after_first = FIRST_PLAY + 4
    winner = document["events"][after_first]["seat"]
    expect(inserted(document, after_first, trick(winner)), totals=[0, 8])
    expect(inserted(document, after_first, trick(winner, points=0)), totals=[0, 8])
    expect(inserted(document, after_first, trick((winner + 1) % 4)), wrong("claim.trick", after_first))
    expect(inserted(document, after_first, trick(winner, points=1)), wrong("claim.trick", after_first))
    expect(inserted(document, after_first - 1, trick(winner)), wrong("claim.trick", after_first - 1))
    expect(inserted(document, 2, trick(1)), wrong("claim.trick", 2))
    expect(inserted(document, after_first, trick(winner), trick(winner)), wrong("claim.trick", after_first + 1))


@both
def test_claim_score_and_total(ruleset: str) -> None:
    document = plain(ruleset)
    expect(inserted(document, AFTER, score([0, 8], [0, 8])), totals=[0, 8])
    expect(inserted(document, AFTER, score([0, 7], [0, 7])), wrong("claim.score", AFTER), totals=[0, 8])
    expect(inserted(document, AFTER, score([0, 8], [0, 9])), wrong("claim.total", AFTER), totals=[0, 8])
    expect(inserted(document, LAST_PLAY, score([0, 8], [0, 8])), wrong("claim.score", LAST_PLAY))
    twice = inserted(document, AFTER, score([0, 8], [0, 8]), score([0, 8], [0, 8]))
    expect(twice, wrong("claim.score", AFTER + 1))
    expect(builders.match([*void(0), score([0, 0], [0, 0])], ruleset))
    expect(builders.match([*void(0), score([0, 1], [0, 1])], ruleset), wrong("claim.score", 5))


@both
def test_claim_result(ruleset: str) -> None:
    document = ended(ruleset)
    at = where(document, "result")
    assert document["events"][at] == result(1, [0, 31])
    for claim in (result(0, [0, 31]), result(None, [0, 31]), result(1, [0, 30])):
        expect(document | {"events": [*document["events"][:at], claim]}, wrong("claim.result", at))
    expect(inserted(plain(ruleset), AFTER, result(None, [0, 8])))
    expect(inserted(plain(ruleset), AFTER, result(1, [0, 8])), wrong("claim.result", AFTER))


# --- flow.kind and broken deals -------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize(
    ("at", "kinds"),
    [
        (0, "bid pass double play"),
        (1, "deal play"),
        (2, "deal play"),
        (FIRST_PLAY + 1, "deal bid pass double"),
        (LAST_PLAY, "deal bid pass double"),
        (AFTER, "bid pass double play"),
    ],
)
def test_flow_kind_the_wrong_kind_of_event_is_ignored(ruleset: str, at: int, kinds: str) -> None:
    moves = {
        "deal": deal(hands_for(8, 1), 1),
        "bid": bid(1, 8),
        "pass": passes(1),
        "double": double(2),
        "play": play(1, "AS"),
    }
    document = builders.match([*plain(ruleset)["events"], *void(1)], ruleset)
    for kind in kinds.split():
        event = moves[kind]
        expect(inserted(document, at, event), illegal("flow.kind", at, event.get("seat")), totals=[0, 8])


@both
def test_broken_deal_two_impossible_events_in_a_row(ruleset: str) -> None:
    at = FIRST_PLAY + 10
    document = inserted(plain(ruleset), at, passes(0), passes(0))
    document = builders.match([*document["events"], score([0, 5], [0, 5]), *void(3)], ruleset)
    expect(document, illegal("flow.kind", at, 0), note("note.skipped", at + 1), totals=[0, 5])
    assert outcomes(document) == [("broken", None), ("void", None)]


@both
def test_broken_deal_a_deal_in_the_middle_of_a_deal(ruleset: str) -> None:
    for at in (1, 3, FIRST_PLAY, FIRST_PLAY + 30):
        new = scored(9, 7, dealer=3, ruleset=ruleset)  # seat 0 calls first
        document = builders.match([*plain(ruleset)["events"][:at], *new], ruleset)
        assert builders.said_of(document)[0] == illegal("flow.kind", at)
        assert outcomes(document) == [("broken", None), ("scored", [9, 0])]


@both
def test_status_says_the_first_that_applies(ruleset: str) -> None:
    document = ended(ruleset)
    wrong_score = inserted(document, len(document["events"]), score([0, 0], [0, 0]))
    assert verdict(document)["status"] == "clean"
    assert verdict(wrong_score)["status"] == "misscored"
    assert verdict(inserted(wrong_score, 1, passes(0)))["status"] == "illegal"
    assert verdict(plain(ruleset))["status"] == "incomplete"
