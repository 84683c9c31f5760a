"""Every clause of belote-contree: a log that breaks it, what stands after it, and near misses that do not break it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from auditor import cards, events
from auditor.games.belote_contree import DUTIES, PLAIN, TRUMPS
from auditor.table import Table
from auditor.tricks import Trick
from tests import documents
from tests.documents import (
    Document,
    Event,
    deal,
    findings,
    inserted,
    passes,
    play,
    score,
    shuffle_proof,
    trick,
    verdict,
)

from . import builders, chances, oracle
from .builders import accept, auction, bid, double, from_text, match, redouble, void

Row = tuple[str, str, int | None, int | None]

#: Dealer 0. Seat 1: J 9 A K Q of spades, aces. Seat 2: 8 7 T of spades and hearts. Seats 3 and 0: no spades.
HANDS = from_text(
    "7H 8H 9H 7D 8D 7C 8C 9C",
    "JS 9S AS KS QS AH AD AC",
    "TS 8S 7S TH JH QH KH TD",
    "9D JD QD KD TC JC QC KC",
)
FIRST_PLAY = 5


def contract(*plays: Event, calls: str = "90S pass pass pass", hands: list[list[str]] = HANDS, **keys: Any) -> Document:
    return match([deal(hands), *auction(calls), *plays], **keys)


def illegal(clause: str, event: int, seat: int | None = None) -> Row:
    return ("illegal", clause, event, seat)


def wrong(clause: str, event: int) -> Row:
    return ("claim", clause, event, None)


def noted(clause: str, event: int, seat: int | None = None) -> Row:
    return ("open", clause, event, seat)


def expect(document: Document, *rows: Row) -> dict[str, Any]:
    """Exactly these findings, by the auditor and (where it has no doubt) by the oracle."""
    said = verdict(document)
    assert findings(said) == list(rows)
    second = oracle.judge(document)
    if not second["doubts"]:
        assert [tuple(row[:3]) for row in second["findings"]] == [row[:3] for row in rows]
    return said


# --- The deal -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["few", "many", "moved", "joker", "low", "twice", "three hands"])
def test_deal_cards(fault: str) -> None:
    hands = [list(hand) for hand in HANDS]
    if fault == "few":
        hands[2].pop()
    elif fault == "many":
        hands[2].append("JK")
    elif fault == "moved":
        hands[2].append(hands[3].pop())
    elif fault == "joker":
        hands[2][0] = "JK"
    elif fault == "low":
        hands[2][0] = "6S"
    elif fault == "twice":
        hands[2][0] = hands[3][0]
    else:
        hands.pop()
    said = expect(match([deal(hands), passes(1)]), illegal("deal.cards", 0), ("note", "note.skipped", 1, None))
    assert said["deals"][0]["outcome"] == "broken"


def test_deal_cards_in_any_order_and_by_any_first_dealer() -> None:
    for dealer in range(4):
        expect(match([deal([sorted(hand) for hand in HANDS], dealer)]))


@pytest.mark.parametrize("dealer", range(4))
def test_deal_shuffle(dealer: int) -> None:
    proof = shuffle_proof()
    hands = oracle.shuffled_hands(proof, 0, dealer)
    expect(match([deal(hands, dealer)], shuffle=proof))
    expect(match([deal([sorted(hand) for hand in hands], dealer)], shuffle=proof))
    swapped = [hands[1], hands[0], *hands[2:]]
    expect(match([deal(swapped, dealer)], shuffle=proof), illegal("deal.shuffle", 0))
    other = proof | {"commitment": "00" * 32}
    expect(match([deal(hands, dealer)], shuffle=other), illegal("deal.shuffle", 0))
    second = oracle.shuffled_hands(proof, 1, (dealer + 1) % 4)
    calls = [*auction("pass pass pass pass", dealer), deal(second, (dealer + 1) % 4)]
    expect(match([deal(hands, dealer), *calls], shuffle=proof))


@pytest.mark.parametrize("dealer", range(4))
def test_open_next_dealer(dealer: int) -> None:
    document = match([*void(0), deal(HANDS, dealer), passes((dealer + 1) % 4)])
    expect(document, *([] if dealer == 1 else [noted("open.next-dealer", 5)]))
    refused = match([*void(0), deal(HANDS, dealer) | {"refused": True}])
    expect(refused, illegal("refusal.legal", 5) if dealer == 1 else noted("open.next-dealer", 5))


def test_open_next_dealer_anybody_deals_after_a_broken_deal() -> None:
    broken = [deal(HANDS, 0), passes(3), passes(3)]
    for dealer in range(4):
        expect(match([*broken, deal(HANDS, dealer)]), illegal("auction.turn", 1, 3), ("note", "note.skipped", 2, None))


# --- The auction ----------------------------------------------------------------------------------------------------


def calls(*events: Event, hands: list[list[str]] = HANDS) -> Document:
    return match([deal(hands), *events])


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_auction_turn(seat: int) -> None:
    expect(calls(passes(seat)), illegal("auction.turn", 1, seat))
    expect(calls(bid(seat, 90, "H")), illegal("auction.turn", 1, seat))
    expect(calls(accept(seat)), illegal("auction.turn", 1, seat))


def test_auction_turn_a_pass_is_not_final() -> None:
    document = calls(
        passes(1), bid(2, 90, "H"), passes(3), passes(0), bid(1, 100, "S"), passes(2), passes(3), passes(0)
    )
    said = expect(match([*document["events"], play(1, "JS")]))
    assert said["deals"][0]["outcome"] == "unfinished"


def test_auction_turn_four_passes_are_void() -> None:
    said = expect(match([*void(2), score([0, 0], [0, 0]), deal(HANDS, 3)]))
    assert said["deals"][0]["outcome"] == "void"


def test_auction_turn_after_a_contre_it_is_the_bidders() -> None:
    expect(calls(bid(1, 90, "S"), double(2), passes(3)), illegal("auction.turn", 3, 3))
    expect(calls(bid(1, 90, "S"), double(2), accept(2)), illegal("auction.turn", 3, 2))


@pytest.mark.parametrize("points", [0, 80, 85, 95, 175, 190, 250, -90])
def test_auction_range(points: int) -> None:
    expect(calls(bid(1, points, "H")), illegal("auction.range", 1, 1))


def test_auction_range_a_bid_names_a_suit_and_points_or_capot() -> None:
    expect(calls(bid(1, 90, "NT")), illegal("auction.range", 1, 1))
    expect(calls({"type": "bid", "seat": 1, "trump": "S"}), illegal("auction.range", 1, 1))
    for points in range(90, 190, 10):
        expect(calls(bid(1, points, "S")))
    expect(calls(bid(1, "capot", "H")))


def test_auction_range_a_bid_that_stands_is_a_contract_at_its_number() -> None:
    events = tricks_of("JS", "9S", "AS", "KS:belote", "QS:rebelote", "AH", "AD", "AC")
    said = expect(contract(*events, calls="95S pass pass pass"), illegal("auction.range", 1, 1))
    assert said["deals"][0]["points"] == [0, 95 + 250 + 20]


def test_auction_range_no_trump_cannot_be_played() -> None:
    document = calls(bid(1, 90, "NT"), passes(2), passes(3), passes(0), play(1, "JS"))
    said = expect(document, illegal("auction.range", 1, 1), ("note", "note.skipped", 5, None))
    assert said["deals"][0]["outcome"] == "broken"
    expect(calls(bid(1, 90, "NT"), bid(2, 100, "H"), passes(3)), illegal("auction.range", 1, 1))


@pytest.mark.parametrize(
    ("standing", "over", "is_legal"),
    [(90, 100, True), (90, 90, False), (100, 90, False), (160, "capot", True), ("capot", 180, False)],
)
def test_auction_outbid(standing: int | str, over: int | str, is_legal: bool) -> None:
    document = calls(bid(1, standing, "S"), bid(2, over, "H"))
    expect(document, *([] if is_legal else [illegal("auction.outbid", 2, 2)]))
    expect(calls(bid(1, "capot", "C"), bid(2, "capot", "S")), illegal("auction.outbid", 2, 2))


def test_auction_outbid_stands_and_is_the_one_to_beat() -> None:
    expect(calls(bid(1, 120, "S"), bid(2, 90, "H"), bid(3, 100, "H")), illegal("auction.outbid", 2, 2))


@pytest.mark.parametrize("points", [160, 170, 180])
@pytest.mark.parametrize(("trump", "has_pair"), [("S", True), ("H", False)])
def test_auction_needs_pair(points: int, trump: str, has_pair: bool) -> None:
    is_legal = has_pair or points == 160
    expect(calls(bid(1, points, trump)), *([] if is_legal else [illegal("auction.needs-pair", 1, 1)]))


def test_auction_needs_pair_not_for_capot() -> None:
    expect(calls(bid(1, "capot", "H")))


def test_auction_needs_pair_unseen() -> None:
    hands = documents.hidden(HANDS, 1, 2, 3)
    expect(calls(bid(1, 180, "S"), hands=hands), ("note", "note.unseen", 1, 1))
    hands = documents.hidden(HANDS, 0, 1, 3)  # seat 2 has king and queen of hearts
    expect(calls(bid(1, 180, "H"), hands=hands), illegal("auction.needs-pair", 1, 1))


def test_auction_double() -> None:
    expect(calls(double(1)), illegal("auction.double", 1, 1))
    expect(calls(bid(1, 90, "S"), passes(2), double(3)), illegal("auction.double", 3, 3))
    expect(calls(bid(1, 90, "S"), double(2), double(0)), illegal("auction.double", 3, 0))
    expect(calls(bid(1, 90, "S"), double(2), double(1)), illegal("auction.double", 3, 1))
    expect(calls(bid(1, 90, "S"), double(2)))


def test_open_contre_turn() -> None:
    expect(calls(bid(1, 90, "S"), double(0)), noted("open.contre-turn", 2, 0))
    expect(calls(bid(1, 90, "S"), passes(2), double(2), accept(1)), noted("open.contre-turn", 3, 2))
    expect(calls(bid(1, 90, "S"), double(3)), illegal("auction.turn", 2, 3))
    expect(calls(bid(1, 90, "S"), double(0, refused=True)), noted("open.contre-turn", 2, 0))


@pytest.mark.parametrize("event", [passes(1), bid(1, 100, "S"), play(1, "JS"), play(3, "9D"), deal(HANDS, 1)])
def test_auction_answer(event: Event) -> None:
    said = verdict(calls(bid(1, 90, "S"), double(2), event))
    assert findings(said) == [illegal("auction.answer", 3, event.get("seat"))]
    assert said["findings"][0]["legal"] == ["accept", "redouble"]


def test_auction_answer_of_several_clauses_the_first_counts() -> None:
    expect(calls(bid(1, 90, "S"), double(2), bid(1, 95, "S"), accept(1)), illegal("auction.range", 3, 1))


@pytest.mark.parametrize("answer", [accept, redouble])
def test_auction_answer_starts_the_play(answer: Any) -> None:
    expect(calls(bid(1, 90, "S"), double(2), answer(1), play(1, "JS")))
    expect(calls(passes(1), bid(2, 90, "S"), double(3), answer(2), play(1, "JS")))
    expect(calls(answer(1)), illegal("auction.answer", 1, 1))
    expect(calls(bid(1, 90, "S"), passes(2), passes(3), passes(0), answer(1)), illegal("auction.answer", 5, 1))
    expect(calls(bid(1, 90, "S"), double(2), answer(1), answer(1)), illegal("auction.answer", 4, 1))
    expect(match([answer(1)]), illegal("auction.answer", 0, 1))


def test_flow_kind() -> None:
    expect(contract(double(2)), illegal("flow.kind", FIRST_PLAY, 2))
    expect(contract(passes(1)), illegal("flow.kind", FIRST_PLAY, 1))
    expect(calls(play(1, "JS")), illegal("flow.kind", 1, 1))
    expect(match([passes(1)]), illegal("flow.kind", 0, 1))


# --- What has to be played ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
def test_play_turn_the_seat_after_the_dealer_leads(dealer: int) -> None:
    first = (dealer + 1) % 4
    for bidder in range(4):
        before = [passes((first + step) % 4) for step in range((bidder - first) % 4)]
        events = [deal(HANDS, dealer), *before, bid(bidder, 90, "S"), *[passes((bidder + n) % 4) for n in (1, 2, 3)]]
        expect(match([*events, play(first, HANDS[first][0])]))
        other = (first + 1) % 4
        expect(match([*events, play(other, HANDS[other][0])]), illegal("play.turn", len(events), other))


def test_play_turn_the_winner_leads() -> None:
    plays = [play(1, "KS"), play(2, "TS"), play(3, "9D"), play(0, "7H")]
    expect(contract(*plays, play(2, "TH")))
    expect(contract(*plays, play(1, "AH")), illegal("play.turn", FIRST_PLAY + 4, 1))


def test_play_in_hand() -> None:
    expect(contract(play(1, "7H")), illegal("play.in-hand", FIRST_PLAY, 1))
    expect(contract(play(1, "JK")), illegal("play.in-hand", FIRST_PLAY, 1))
    expect(contract(play(2, "7H")), illegal("play.turn", FIRST_PLAY, 2))


#: The trick so far (leader first), the hand of the next seat, and by card what it breaks; the others are legal.
#: Hearts are trump; the leader is seat 1, and the seat before the last is the partner of the last but two.
TRICKS: list[tuple[str, str, dict[str, str], dict[str, str]]] = [
    # following a plain suit: no duty to beat
    ("7S", "8S AS JH KD", {"JH": "play.follow-suit", "KD": "play.follow-suit"}, {}),
    # a trump is led: go over if you can
    ("QH", "8H KH 9S", {"8H": "play.overtrump", "9S": "play.follow-suit"}, {}),
    ("9H", "AH TH 7H", {}, {}),
    ("9H", "JH TH 7H", {"TH": "play.overtrump", "7H": "play.overtrump"}, {}),
    # over the partner too
    ("TH 7H", "AH KH 8H", {"KH": "play.overtrump", "8H": "play.overtrump"}, {}),
    # no trump left on a trump lead
    ("9H", "AS KD 7C", {}, {}),
    # void, an opponent winning: ruff
    ("7S", "8H KD AD", {"KD": "play.must-trump", "AD": "play.must-trump"}, {}),
    ("7S", "8H JH", {}, {}),
    ("AS", "KD AD 7C", {}, {}),
    # void, the partner winning: free, also under a ruff
    ("AS 7S", "8H KD AD", {}, {}),
    ("7S 9H", "8H JH KD", {"8H": "play.overtrump", "KD": "play.must-trump"}, {}),
    ("7S TH 8S", "8H JH KD", {}, {}),
    # an opponent has gone over the partner's ruff
    ("7S QH KH", "8H JH KD", {"8H": "play.overtrump", "KD": "play.must-trump"}, {}),
    # his ruff cannot be beaten: under it all the same, or free by option
    ("7S 9H", "8H TH KD", {"KD": "play.must-trump"}, {"KD": "legal"}),
    ("7S 9H", "8H TH", {}, {}),
    # he leads and ruffs are behind the partner's
    ("7S 8S AS", "8H KD", {"KD": "play.must-trump"}, {}),
    ("7S AS 8S", "8H KD", {}, {}),
]


@pytest.mark.parametrize("undertrump", ["required", "free"])
@pytest.mark.parametrize(("laid", "hand", "breaks", "free"), TRICKS)
def test_duties(laid: str, hand: str, breaks: dict[str, str], free: dict[str, str], undertrump: str) -> None:
    cards = laid.split()
    seat = (1 + len(cards)) % 4
    own = hand.split()
    # The others hold what they played, and nothing that would have been due before it.
    hands: list[list[str]] = [[], [], [], []]
    hands[seat] = own
    for place, card in enumerate(cards):
        hands[(1 + place) % 4] = [card]
    said = _trick_findings(hands, seat, cards, undertrump)
    for card in own:
        clause = breaks.get(card)
        if undertrump == "free" and free.get(card) == "legal":
            clause = None
        assert said[card] == clause, (card, undertrump)


def _trick_findings(hands: list[list[str]], seat: int, laid: list[str], undertrump: str) -> dict[str, str | None]:
    """By card of the seat on turn: the clause that it breaks, asked of the stage itself."""
    table = Table(4, 2, {}, frozenset())
    table.begin_deal(0, [cards.total(hand) for hand in hands], [0] * 4, cards.PACK_32.mask)
    stage = Trick(table, 1, cards.SUIT["H"], PLAIN, TRUMPS, DUTIES[undertrump])
    for place, card in enumerate(laid):
        stage.apply(events.Play(seat=(1 + place) % 4, card=card))  # type: ignore[arg-type]
    faults = {card: stage.judge(events.Play(seat=seat, card=card)) for card in hands[seat]}  # type: ignore[arg-type]
    legal = {card for card, fault in faults.items() if fault is None}
    assert set(stage.legal() or ()) == legal
    table_cards = [((1 + place) % 4, card) for place, card in enumerate(laid)]
    assert legal == oracle.legal_cards(set(hands[seat]), seat, table_cards, "H", undertrump)
    return {card: None if fault is None else fault.clause for card, fault in faults.items()}


@pytest.mark.parametrize("undertrump", ["required", "free"])
def test_duties_agree_with_the_oracle_in_any_trick(undertrump: str) -> None:
    rng = random.Random(f"duties {undertrump}")
    for _ in range(1500):
        pack = list(oracle.PACK)
        rng.shuffle(pack)
        count = rng.randrange(4)
        laid, own = pack[:count], pack[count : count + rng.randrange(1, 9)]
        hands: list[list[str]] = [[], [], [], []]
        for place, card in enumerate(laid):
            hands[(1 + place) % 4] = [card]
        seat = (1 + count) % 4
        hands[seat] = own
        said = _trick_findings(hands, seat, laid, undertrump)
        table_cards = [((1 + place) % 4, card) for place, card in enumerate(laid)]
        for card in own:
            assert said[card] == oracle.broken_by(card, set(own), seat, table_cards, "H", undertrump)


def test_play_clauses_in_a_log() -> None:
    expect(contract(play(1, "JS"), play(2, "TH")), illegal("play.follow-suit", FIRST_PLAY + 1, 2))
    expect(contract(play(1, "QS"), play(2, "7S")), illegal("play.overtrump", FIRST_PLAY + 1, 2))
    # Seat 3 has no trump, seat 0 none either; seat 2 is void in clubs.
    expect(contract(play(1, "AC"), play(2, "TH")), illegal("play.must-trump", FIRST_PLAY + 1, 2))
    expect(contract(play(1, "AC"), play(2, "7S"), play(3, "TC"), play(0, "7C"), play(2, "TD")))


# --- Belote ---------------------------------------------------------------------------------------------------------


def tricks_of(*cards: str) -> list[Event]:
    """Tricks led by seat 1, who takes them all: its card and its word, with what the others can play."""
    hands = [list(hand) for hand in HANDS]
    events = []
    for text in cards:
        card, _, word = text.partition(":")
        table: oracle.Trick = []
        for seat in (1, 2, 3, 0):
            legal = sorted(oracle.legal_cards(set(hands[seat]), seat, table, "S", "required"))
            chosen = card if seat == 1 else legal[0]
            hands[seat].remove(chosen)
            table.append((seat, chosen))
            events.append(play(seat, chosen, **({"announce": word} if seat == 1 and word else {})))
    return events


@pytest.mark.parametrize(
    ("cards", "broken"),
    [
        (["JS", "9S", "AS", "KS:belote", "QS:rebelote"], []),
        (["JS", "9S", "AS", "QS:belote", "KS:rebelote"], []),
        (["JS", "9S", "AS", "KS", "QS:rebelote"], []),
        (["JS", "9S", "AS", "KS:rebelote", "QS:belote"], [12, 16]),
        (["JS", "9S", "AS", "KS:belote", "QS:belote"], [16]),
        (["JS", "9S", "AS", "KS:rebelote", "QS:rebelote"], [12]),
        (["JS:belote"], [0]),
        (["JS", "9S", "AS", "KS:belote", "QS:rebelote", "AH:rebelote"], [20]),
    ],
)
def test_belote_announce(cards: list[str], broken: list[int]) -> None:
    document = contract(*tricks_of(*cards))
    expect(document, *[illegal("belote.announce", FIRST_PLAY + at, 1) for at in broken])


def test_belote_announce_by_a_seat_that_did_not_hold_both() -> None:
    hands = [list(hand) for hand in HANDS]
    hands[1][4], hands[2][0] = "TS", "QS"
    expect(contract(play(1, "KS", announce="belote"), hands=hands), illegal("belote.announce", FIRST_PLAY, 1))
    expect(contract(play(1, "KS"), play(2, "QS", announce="belote"), hands=hands), illegal("belote.announce", 6, 2))


def test_belote_announce_comes_after_the_duties() -> None:
    document = contract(play(1, "QS"), play(2, "7S", announce="belote"))
    expect(document, illegal("play.overtrump", FIRST_PLAY + 1, 2))


def test_belote_announce_unseen() -> None:
    hands = documents.hidden(HANDS, 1, 2, 3)
    expect(contract(play(1, "KS", announce="belote"), hands=hands), ("note", "note.unseen", FIRST_PLAY, 1))
    expect(contract(play(1, "KS", announce="rebelote"), hands=hands), illegal("belote.announce", FIRST_PLAY, 1))


def test_open_belote_unannounced() -> None:
    silent = ["JS", "9S", "AS", "KS", "QS", "AH", "AD", "AC"]
    said = verdict(contract(*tricks_of(*silent)))
    assert findings(said) == [noted("open.belote-unannounced", FIRST_PLAY + 31)]
    assert said["findings"][0]["readings"] == {"counts": [0, 360], "does not count": [0, 340]}
    half = ["JS", "9S", "AS", "KS:belote", *silent[4:]]
    assert [row[1] for row in findings(verdict(contract(*tricks_of(*half))))] == ["open.belote-unannounced"]
    full = ["JS", "9S", "AS", "KS:belote", "QS:rebelote", *silent[5:]]
    expect(contract(*tricks_of(*full), score([0, 360], [0, 360])))
    expect(contract(*tricks_of(*full), score([0, 340], [0, 340])), wrong("claim.score", FIRST_PLAY + 32))
    document = contract(*tricks_of(*silent), score([0, 340], [0, 340]))
    assert verdict(document)["deals"][0]["points"] == [0, 340]
    expect(document, noted("open.belote-unannounced", FIRST_PLAY + 31))


# --- The contract falls ---------------------------------------------------------------------------------------------


def fallen(**options: Any) -> Document:
    """Seat 1 bids capot and loses the first trick."""
    hands = from_text("", "7S 8S 9S TS JS AS 7H 8H", "9H TH JH QH KH AH QS 7C", "7D 8D 9D TD JD QD KD AD")
    plays = [play(1, "7H"), play(2, "AH"), play(3, "7D"), play(0, hands[0][0])]
    return contract(*plays, hands=hands, calls="capotS pass pass pass", options=options)


def test_deal_over() -> None:
    clean = fallen()
    end = len(clean["events"])
    said = expect(clean)
    assert said["deals"][0]["points"] == [410, 0]
    one_more = inserted(clean, end, play(2, "TH"))
    said = expect(one_more, illegal("deal.over", end, 2))
    assert said["deals"][0]["points"] == [410, 0]
    more = inserted(clean, end, trick(2, points=11), *[play(seat, "7C") for seat in (2, 3, 0, 1)], trick(2, points=0))
    claimed = inserted(more, len(more["events"]), score([410, 0], [410, 0]), deal(HANDS, 1))
    said = expect(claimed, illegal("deal.over", end + 1, 2), ("note", "note.skipped", end + 2, None))
    assert said["deals"][0].pop("lines")
    assert said["deals"][0] == {
        "index": 0,
        "events": [0, len(more["events"])],
        "outcome": "scored",
        "points": [410, 0],
        "totals": [410, 0],
        "claimed_points": [410, 0],
        "claimed_totals": [410, 0],
    }


def test_deal_over_also_after_the_score_is_claimed() -> None:
    clean = fallen()
    scored = inserted(clean, len(clean["events"]), score([410, 0], [410, 0]))
    end = len(scored["events"])
    document = inserted(scored, end, play(2, "TH"), play(3, "8D"), deal(HANDS, 1))
    expect(document, illegal("deal.over", end, 2), ("note", "note.skipped", end + 1, None))


def test_deal_over_a_refused_play_is_rightly_refused() -> None:
    clean = fallen()
    expect(inserted(clean, len(clean["events"]), play(2, "TH", refused=True), score([410, 0], [410, 0])))


def test_deal_over_goes_before_the_end_of_the_match() -> None:
    level = [deal(HANDS, 3), passes(3), passes(3), score([900, 0], [900, 0])]
    document = match([*level, *fallen()["events"], play(2, "TH")])
    rows = findings(verdict(document))
    assert rows[-1] == illegal("deal.over", len(document["events"]) - 1, 2)
    assert verdict(document)["over"]
    other = match([*level, *fallen()["events"], passes(2)])
    assert findings(verdict(other))[-1][1] == "match.over"


def test_deal_over_not_after_the_last_trick() -> None:
    document = contract(*tricks_of("JS", "9S", "AS", "KS:belote", "QS:rebelote", "AH", "AD", "AC"))
    end = len(document["events"])
    expect(inserted(document, end, play(1, "JS")), illegal("flow.kind", end, 1))


# --- The clock ------------------------------------------------------------------------------------------------------


def test_timeout_policy_in_the_auction() -> None:
    expect(calls(passes(1, by="timeout")))
    expect(calls(bid(1, 90, "S", by="timeout")), illegal("timeout.policy", 1, 1))
    expect(calls(bid(1, 90, "S"), double(2, by="timeout")), illegal("timeout.policy", 2, 2))
    expect(calls(bid(1, 90, "S"), double(2), accept(1, by="timeout")))
    expect(calls(bid(1, 90, "S"), double(2), redouble(1, by="timeout")), illegal("timeout.policy", 3, 1))
    expect(calls(bid(1, 90, "S"), double(2), passes(1, by="timeout")), illegal("auction.answer", 3, 1))
    expect(calls(bid(1, 90, "S", by="bot"), double(2, by="bot"), redouble(1, by="bot")))


@pytest.mark.parametrize(
    ("plays", "seat", "weakest"),
    [
        ([], 1, ["AH", "AD", "AC"]),
        ([("JS", 1)], 2, ["7S"]),
        ([("QS", 1)], 2, ["TS"]),
        ([("AC", 1)], 2, ["7S"]),
        ([("JS", 1), ("7S", 2)], 3, ["9D"]),
        ([("AH", 1), ("JH", 2)], 3, ["9D"]),
        ([("JS", 1), ("7S", 2), ("9D", 3)], 0, ["7H", "7D", "7C"]),
    ],
)
def test_timeout_policy_in_play(plays: list[tuple[str, int]], seat: int, weakest: list[str]) -> None:
    before = [play(who, card) for card, who in plays]
    for card in HANDS[seat]:
        rows = findings(verdict(contract(*before, play(seat, card, by="timeout"))))
        clauses = [clause for _, clause, *_ in rows]
        table = [(who, other) for other, who in plays]
        clause = oracle.broken_by(card, set(HANDS[seat]), seat, table, "S", "required")
        assert clauses == ([clause] if clause else [] if card in weakest else ["timeout.policy"]), card


# --- Claims, refusals, the end --------------------------------------------------------------------------------------


def test_claim_trick() -> None:
    plays = [play(1, "JS"), play(2, "7S"), play(3, "9D"), play(0, "7H")]
    at = FIRST_PLAY + 4
    expect(contract(*plays, trick(1)))
    expect(contract(*plays, trick(1, points=20)))
    expect(contract(*plays, trick(1, points=22)), wrong("claim.trick", at))
    expect(contract(*plays, trick(2)), wrong("claim.trick", at))
    expect(contract(*plays[:2], trick(1), *plays[2:]), wrong("claim.trick", FIRST_PLAY + 2))


def test_claim_trick_points_are_those_on_the_cards() -> None:
    events = tricks_of("JS", "9S", "AS", "KS:belote", "QS:rebelote", "AH", "AD", "AC")
    last = sum(oracle.points_of(event["card"], "S") for event in events[-4:])
    expect(contract(*events, trick(1, points=last)))
    expect(contract(*events, trick(1, points=last + 10)), wrong("claim.trick", FIRST_PLAY + 32))


def test_claim_score_total_and_result() -> None:
    document = fallen()
    end = len(document["events"])
    expect(inserted(document, end, score([410, 0], [410, 0])))
    expect(inserted(document, end, score([400, 0], [400, 0])), wrong("claim.score", end))
    expect(inserted(document, end, score([410, 0], [420, 0])), wrong("claim.total", end))
    expect(inserted(document, end, score([410, 0], [410, 0]), score([0, 0], [410, 0])), wrong("claim.score", end + 1))
    expect(inserted(document, end, documents.result(None, [410, 0])))
    expect(inserted(document, end, documents.result(0, [410, 0])), wrong("claim.result", end))


def test_refusal_legal() -> None:
    expect(calls(passes(1, refused=True)), illegal("refusal.legal", 1, 1))
    expect(calls(passes(2, refused=True)))
    expect(contract(play(1, "JS", announce="belote", refused=True)))
    expect(contract(play(1, "JS", refused=True)), illegal("refusal.legal", FIRST_PLAY, 1))


def test_match_over() -> None:
    hands = from_text("", "7S 8S 9S TS JS QS KS AS")
    events = builders.played(hands, "90S contre surcontre")
    document = builders.claims(match(events))
    expect(document)
    expect(match([*document["events"], deal(HANDS, 1)]), illegal("match.over", len(document["events"])))
    expect(match([*events, deal(HANDS, 1)]), illegal("match.over", len(events)))


# --- Logs of one seat -----------------------------------------------------------------------------------------------


def test_a_log_of_one_seat_accuses_nobody_of_what_is_legal() -> None:
    rng = random.Random("one seat")
    doubtful = unseen = 0
    for _ in range(60):
        document = chances.legal_match(rng)
        for seat in range(4):
            hidden = documents.one_seat(document, seat)
            said = verdict(hidden)
            assert {row[0] for row in findings(said)} <= {"open", "note"}
            unseen += any(row[1] == "note.unseen" for row in findings(said))
            second = oracle.judge(hidden)
            doubtful += bool(second["doubts"])
            if not second["doubts"]:
                assert [row[:3] for row in findings(said)] == [tuple(row[:3]) for row in second["findings"]]
    assert unseen > 20
    assert doubtful < 120


def test_unseen_belote_may_be_claimed_or_not() -> None:
    """The contract falls with king and queen of trump unseen: the twenty may be the defenders', or nobody's."""
    document = fallen()
    end = len(document["events"])
    hidden = documents.one_seat(document, 1)
    for points in ([410, 0], [430, 0]):
        rows = findings(verdict(inserted(hidden, end, score(points, points))))
        assert rows[0] == ("note", "note.unseen", rows[0][2], rows[0][3])
        assert {row[0] for row in rows} <= {"note", "open"}
    said = verdict(inserted(hidden, end, score([420, 0], [420, 0])))
    assert "claim.score" in [row[1] for row in findings(said)]
