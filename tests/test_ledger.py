"""The score line by line, wrong claims against their lines, and what follows from an earlier finding.

That the lines of random matches are right line by line is for the oracles; that those of every verdict add up, cite the
rulebook and come from their deal is checked wherever a test asks for one (``documents.verdict``).
"""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from auditor import faults, generate, rulebook
from auditor.games import GAMES
from auditor.settlement import Line, Reading, points_of, readings
from auditor.verdict import POINTS
from tests import documents, golden
from tests.belote_contree import builders as belote
from tests.documents import Document, Event, replaced, result, score, trick, verdict, where
from tests.rami_tounsi.test_scoring import closed
from tests.tarneeb_classic import builders as classic
from tests.tarneeb_masrawi import builders as masrawi
from tests.three_stones import builders as stones
from tests.twenty_nine import builders as twenty_nine

#: Side, points and clause of a line.
Row = tuple[int, int, str]


def lines(said: dict[str, Any], deal: int = 0, unit: str = POINTS) -> list[Row]:
    return [
        (line["side"], line["points"], line["clause"]) for line in said["deals"][deal]["lines"] if line["unit"] == unit
    ]


def fixture(name: str) -> dict[str, Any]:
    said: dict[str, Any] = msgspec.json.decode((golden.FIXTURES / f"{name}.verdict.json").read_bytes())
    return said


# --- Lines and readings ---------------------------------------------------------------------------------------------


def test_points_are_the_sum_of_the_lines_that_count() -> None:
    rows = [Line(1, 7, "a"), Line(0, 30, "b", unit="card points"), Line(1, -2, "c"), Line(2, 0, "d")]
    assert points_of(rows, 3) == Reading({}, rows, 3).points == (0, 5, 0)
    assert points_of([], 2) == (0, 0)


def test_every_combination_of_choices_is_a_reading_the_default_first() -> None:
    found = readings(
        lambda choices: [Line(0, choices["x"], "a"), Line(1, choices["y"], "b")], {"x": [1, 2], "y": [3, 4]}, 2
    )
    assert [(reading.choices, reading.points) for reading in found] == [
        ({"x": 1, "y": 3}, (1, 3)),
        ({"x": 1, "y": 4}, (1, 4)),
        ({"x": 2, "y": 3}, (2, 3)),
        ({"x": 2, "y": 4}, (2, 4)),
    ]
    [only] = readings(lambda choices: [Line(0, 5, "a")], {}, 2)
    assert (only.choices, only.points) == ({}, (5, 0))


@pytest.mark.parametrize("ruleset", GAMES)
def test_lines_and_links_hold_in_generated_matches_and_with_every_planted_fault(ruleset: str) -> None:
    game = GAMES[ruleset]
    for number, match in enumerate(generate.matches(game, 3, 51, proves_shuffle=True)):
        verdict(match)
        for fault in faults.faults_of(ruleset):
            planted = faults.plant(game, match, fault, Random(f"{fault} {number}"))
            if planted is not None:
                verdict(dict(planted.document))


# --- What deals score, line by line -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bid", "tricks", "expected"),
    [
        (8, 10, [(0, 10, "score.made"), (1, 0, "score.made")]),
        (8, 13, [(0, 16, "score.capot"), (1, 0, "score.capot")]),
        (13, 13, [(0, 26, "score.capot-bid"), (1, 0, "score.capot-bid")]),
        (8, 6, [(0, -8, "score.failed"), (1, 7, "score.defended")]),
        (7, 0, [(0, -7, "score.failed"), (1, 16, "score.defender-sweep")]),
        (13, 11, [(0, -16, "score.failed-13"), (1, 4, "score.defended-13")]),
    ],
)
def test_tarneeb_classic_a_line_for_each_team(bid: int, tricks: int, expected: list[Row]) -> None:
    assert lines(verdict(classic.match(classic.scored(tricks, bid, dealer=3)))) == expected


def test_lines_name_the_bid_and_the_tricks_that_they_come_from() -> None:
    """Event 1 is the bid, and cards are laid from event 6 on: 6 tricks, then the 7 of the defenders."""
    [deal] = verdict(classic.match(classic.scored(8, 8, dealer=3)))["deals"]
    ends = [9 + 4 * number for number in range(13)]
    assert [line["events"] for line in deal["lines"]] == [[1, *ends[:8]]] * 2
    [deal] = verdict(classic.match(classic.scored(6, 8, dealer=3)))["deals"]
    assert [line["events"] for line in deal["lines"]] == [[1, *ends[6:]]] * 2


@pytest.mark.parametrize(
    ("factor", "expected"),
    [
        (1, []),
        (2, [(1, -8, "score.double")]),
        (4, [(1, -8, "score.double"), (1, -16, "score.redouble")]),
    ],
)
def test_tarneeb_masrawi_doubles_are_lines_of_the_bidding_team(factor: int, expected: list[Row]) -> None:
    said = verdict(masrawi.match(masrawi.scored(7, 8, factor=factor)))
    assert lines(said) == [(1, -8, "score.failed"), (0, 6, "score.defended"), *expected]
    events = [line["events"] for line in said["deals"][0]["lines"][2:]]
    assert events == [[2], [3]][: len(expected)]


@pytest.mark.parametrize("applies", ["both", "bidders"])
def test_tarneeb_masrawi_dakak_a_double_is_a_line_of_those_that_it_is_for(applies: str) -> None:
    document = masrawi.match(masrawi.scored(7, 8, ruleset=masrawi.DAKAK, factor=2), masrawi.DAKAK)
    for_both = [(0, 6, "score.double")] if applies == "both" else []
    base = [(1, -8, "score.failed"), (0, 6, "score.defended"), (1, -8, "score.double")]
    assert lines(verdict(document | {"options": {"double_applies": applies}})) == [*base, *for_both]
    # Where the table has not said which, the claim shows it.
    events = [*document["events"], score([12 if for_both else 6, -16], [12 if for_both else 6, -16])]
    assert lines(verdict(document | {"events": events})) == [*base, *for_both]


def test_belote_contree_a_doubled_deal_from_its_base_to_the_belote() -> None:
    said = fixture("belote-contree/readings-of-a-doubled-contract")
    assert lines(said) == [
        (1, 160, "score.doubled"),
        (0, 0, "score.doubled"),
        (1, 90, "score.bid"),
        (1, 250, "score.contre"),
        (1, 500, "score.surcontre"),
        (0, 20, "score.belote"),
    ]
    assert lines(said, unit="card points") == [
        (0, 55, "score.cards"),
        (0, 10, "score.last-trick"),
        (1, 97, "score.cards"),
    ]


def test_twenty_nine_card_points_and_the_bid_explain_who_moves() -> None:
    said = verdict(twenty_nine.match(twenty_nine.swept(20)))
    assert lines(said, unit="card points") == [(1, 28, "score.cards"), (1, 1, "score.last-trick")]
    assert lines(said, unit="bid") == [(1, 20, "score.bid")]
    assert lines(said) == [(1, 1, "score.made"), (0, 0, "score.made")]


def test_rami_tounsi_a_line_for_each_seat_and_one_for_zal3a() -> None:
    said = verdict(closed("4C", taken=True))
    assert lines(said) == [(0, 4, "score.hand"), (0, 50, "score.zal3a"), (1, 0, "score.closed")]
    assert [line["message"] for line in said["deals"][0]["lines"]] == [
        "Seat 0 still held 4♣.",
        "Seat 0 threw the card with which the next seat closed.",
        "Seat 1 closed.",
    ]
    said = verdict(closed("4C", laid=False))
    assert lines(said) == [(0, 100, "score.nothing-laid"), (1, 0, "score.closed")]


def test_rami_tounsi_an_unseen_hand_counts_what_is_claimed() -> None:
    said = fixture("rami-tounsi/seen-from-one-seat")
    unseen = [line for deal in said["deals"] for line in deal["lines"] if line["clause"] == "score.unseen-hand"]
    assert unseen
    for deal in said["deals"]:
        if any(line in unseen for line in deal["lines"]):
            assert deal["points"] == deal["claimed_points"]


def test_rami_tounsi_a_hand_of_which_nothing_is_known_has_no_lines_until_it_is_claimed() -> None:
    document = closed("4C KC")
    hands = [["??"] * len(hand) if seat == 0 else hand for seat, hand in enumerate(document["events"][0]["hands"])]
    document = replaced(document, 0, hands=hands)
    assert verdict(document)["deals"][0]["lines"] == []
    events = [*document["events"], score([14, 0], [14, 0])]
    assert lines(verdict(document | {"events": events})) == [(0, 14, "score.unseen-hand"), (1, 0, "score.closed")]
    zal3a = replaced(closed("4C KC", taken=True), 0, hands=hands)
    events = [*zal3a["events"], score([64, 0], [64, 0])]
    assert lines(verdict(zal3a | {"events": events}))[:2] == [(0, 14, "score.unseen-hand"), (0, 50, "score.zal3a")]


@pytest.mark.parametrize("moves", [34, 40])
def test_three_stones_a_draw_comes_from_the_last_move(moves: int) -> None:
    document = stones.match([*stones.shuffling(moves), score([0, 0], [0, 0])])
    said = verdict(document)
    assert lines(said) == [(0, 0, "score.drawn"), (1, 0, "score.drawn")]
    assert [line["events"] for line in said["deals"][0]["lines"]] == [[6 + moves]] * 2


def test_deals_that_score_nothing_have_no_lines() -> None:
    broken = replaced(classic.match(classic.scored(8, 7)), 0, hands=[["2C"]] * 4)
    for document in (classic.match(classic.void()), broken, classic.match(classic.scored(8, 7)[:-1])):
        [deal] = verdict(document)["deals"]
        assert (deal["outcome"] == "scored", deal["lines"]) == (False, [])


# --- A wrong score against its lines --------------------------------------------------------------------------------


@pytest.mark.parametrize(("claimed", "against"), [([-8, 6], [1]), ([-7, 7], [0]), ([8, 0], [0, 1]), ([7, -8], [0, 1])])
def test_a_wrong_score_is_against_the_lines_of_the_sides_that_it_is_wrong_about(
    claimed: list[int], against: list[int]
) -> None:
    document = classic.match([*classic.scored(6, 8, dealer=3), score(claimed, claimed)])
    [finding] = verdict(document)["findings"]
    assert (finding["clause"], finding["against"]) == ("claim.score", against)


def test_lines_that_only_explain_are_not_what_a_claim_is_against() -> None:
    document = twenty_nine.match([*twenty_nine.swept(20), score([0, -1], [0, -1])])
    said = verdict(document)
    [finding] = [finding for finding in said["findings"] if finding["kind"] == "claim"]
    assert finding["against"] == [3]
    assert said["deals"][0]["lines"][3]["clause"] == "score.made"


def test_a_claim_without_a_line_to_stand_against_has_none() -> None:
    right = [*classic.scored(6, 8, dealer=3), score([-8, 7], [-8, 7])]
    for events in (
        [*classic.void(), score([5, 0], [5, 0])],  # nobody scores
        [*right, score([-8, 7], [-8, 7])],  # a second claim
        [*right[:-1], score([-8, 7], [-8, 8])],  # the points are right
        [*right[:9], score([1, 0], [1, 0]), *right[9:]],  # too early
    ):
        found = verdict(classic.match(events))["findings"]
        assert [finding["kind"] for finding in found] == ["claim"]
        assert "against" not in found[0]


# --- What follows from what: impossible events ----------------------------------------------------------------------


def links(document: Document) -> list[tuple[str, int | None]]:
    """The clause of each finding, and the index of the one that it follows from."""
    return [(finding["clause"], finding.get("follows")) for finding in verdict(document)["findings"]]


def test_follows_what_is_skipped_follows_from_the_first_of_two_impossible_events() -> None:
    events = classic.scored(8, 7)
    lost = [*events[:20], documents.play(0, "2C"), documents.play(0, "2C"), *events[20:]]
    assert links(classic.match(lost)) == [("play.turn", None), ("note.skipped", 0)]


def test_follows_claims_and_refusals_between_the_two_were_compared_with_another_table() -> None:
    """The trick that the log goes on to claim has a card that was ignored."""
    events = classic.scored(8, 7)
    stray = [documents.play(0, "2C"), trick(3), documents.passes(0, refused=True), documents.play(0, "2C")]
    assert links(classic.match([*events[:20], *stray, *events[20:]])) == [
        ("play.turn", None),
        ("claim.trick", 0),
        ("note.skipped", 0),
    ]


def test_follows_a_result_between_the_two_stands_alone() -> None:
    events = classic.scored(8, 7)
    stray = [documents.play(0, "2C"), result(0, [1, 0]), documents.play(0, "2C")]
    assert links(classic.match([*events[:20], *stray, *events[20:]])) == [
        ("play.turn", None),
        ("claim.result", None),
        ("note.skipped", 0),
    ]


def test_follows_after_an_ignored_event_that_the_log_went_on_without_every_finding_stands_alone() -> None:
    events = classic.scored(8, 7)
    once = [*events[:20], documents.play(0, "2C"), *events[20:24], documents.play(0, "2C"), *events[24:]]
    assert links(classic.match(once)) == [("play.turn", None), ("play.turn", None)]
    claimed = [*events[:20], documents.play(0, "2C"), trick(3), *events[20:]]
    assert links(classic.match(claimed)) == [("play.turn", None), ("claim.trick", None)]


def test_follows_what_stands_has_no_followers() -> None:
    said = fixture("tarneeb-classic/fault-revoke")
    assert [(finding["clause"], finding.get("follows")) for finding in said["findings"]] == [
        ("play.follow-suit", None),
        ("play.in-hand", None),
        ("note.skipped", 1),
    ]


def test_follows_the_rest_of_a_deal_of_wrong_cards_follows_from_the_deal() -> None:
    events = classic.scored(8, 7)
    short = [list(hand) for hand in events[0]["hands"]]
    short[2].pop()
    assert links(classic.match([documents.deal(short), *events[1:]])) == [("deal.cards", None), ("note.skipped", 0)]


def test_follows_the_rest_of_a_deal_that_no_bid_can_win_follows_from_that_bid() -> None:
    """Other findings stand in between."""
    events = classic.scored(13, 13)
    calls = [classic.bid(1, 7), classic.bid(2, 14), classic.bid(1, 8), *(documents.passes(seat) for seat in (3, 0, 1))]
    assert links(classic.match([events[0], *calls, *events[2:]])) == [
        ("auction.range", None),
        ("auction.turn", None),
        ("note.skipped", 0),
    ]
    said = fixture("tarneeb-masrawi/bid-of-14-doubled")
    assert said["findings"][-1]["follows"] == 0


def test_follows_what_is_played_after_a_contract_has_fallen_follows_from_the_first_such_card() -> None:
    said = fixture("belote-contree/played-on")
    assert [(finding["clause"], finding.get("follows")) for finding in said["findings"]] == [
        ("deal.over", None),
        ("note.skipped", 0),
    ]


def test_follows_a_deal_in_the_middle_of_a_deal_and_what_comes_after_it_stand_alone() -> None:
    events = classic.scored(8, 7)
    again = classic.scored(9, 7, dealer=1)
    again.insert(20, documents.play(0, "2C"))
    assert links(classic.match([*events[:20], *again])) == [("flow.kind", None), ("play.in-hand", None)]


def test_follows_the_next_deal_starts_afresh() -> None:
    events = classic.scored(8, 7)
    lost = [*events[:20], documents.play(0, "2C"), documents.play(0, "2C"), *events[20:]]
    following = classic.scored(8, 7, dealer=2)
    document = classic.match([*lost, *following, *classic.scored(8, 7, dealer=2)])
    assert links(document) == [("play.turn", None), ("note.skipped", 0), ("deal.dealer", None)]


# --- What follows from what: totals ---------------------------------------------------------------------------------


def claimed(*wanted: tuple[list[int], list[int]]) -> list[Event]:
    """Deals of 8 points each for team 0 or 1 in turn, with these claims of points and totals."""
    events: list[Event] = []
    for number, (points, totals) in enumerate(wanted):
        events += [*classic.scored(8, 7, dealer=number % 4), score(points, totals)]
    return events


RIGHT = ([0, 8], [0, 8])


def test_follows_totals_that_are_wrong_by_as_much_as_a_wrong_score_follow_from_it() -> None:
    events = claimed(([0, 9], [0, 9]), ([8, 0], [8, 9]), ([0, 8], [8, 17]))
    assert links(classic.match([*events, result(None, [8, 17])])) == [
        ("claim.score", None),
        ("claim.total", 0),
        ("claim.total", 0),
        ("claim.result", 0),
    ]


def test_follows_totals_that_are_wrong_by_as_much_as_wrong_totals_follow_from_these() -> None:
    events = claimed(([0, 8], [2, 8]), ([8, 0], [10, 8]))
    assert links(classic.match(events)) == [("claim.total", None), ("claim.total", 0)]


def test_follows_totals_that_are_wrong_by_another_number_stand_alone() -> None:
    for totals in ([8, 10], [9, 8], [7, 9]):
        events = claimed(([0, 9], [0, 9]), ([8, 0], totals))
        assert links(classic.match(events)) == [("claim.score", None), ("claim.total", None)]
    # What the totals were wrong by is what counts, and here they were right.
    events = claimed(([0, 9], [0, 8]), ([8, 0], [8, 9]))
    assert links(classic.match(events)) == [("claim.score", None), ("claim.total", None)]


def test_follows_a_second_wrong_score_stands_alone_and_later_totals_follow_from_it() -> None:
    events = claimed(([0, 9], [0, 9]), ([9, 0], [9, 9]), ([0, 8], [9, 17]))
    assert links(classic.match(events)) == [("claim.score", None), ("claim.score", None), ("claim.total", 1)]


def test_follows_totals_that_have_been_right_in_between_stand_alone() -> None:
    events = claimed(([0, 9], [0, 9]), ([8, 0], [8, 8]), ([0, 8], [8, 17]))
    assert links(classic.match(events)) == [("claim.score", None), ("claim.total", None)]


def test_follows_over_a_deal_without_a_claim_and_over_a_broken_one() -> None:
    first = claimed(([0, 9], [0, 9]))
    silent = classic.scored(8, 7, dealer=1)
    last = [*classic.scored(8, 7, dealer=2), score([0, 8], [8, 17])]
    assert links(classic.match([*first, *silent, *last])) == [("claim.score", None), ("claim.total", 0)]
    broken = [documents.deal([["2C"]] * 4, 1), documents.passes(2), score([8, 0], [8, 9])]
    assert links(classic.match([*first, *broken, *last])) == [
        ("claim.score", None),
        ("deal.cards", None),
        ("note.skipped", 1),
        ("claim.total", 0),
        ("claim.total", 0),
    ]


def test_follows_totals_of_a_broken_deal_that_do_not_fit_its_points_stand_alone() -> None:
    broken = [documents.deal([["2C"]] * 4, 1), documents.passes(2), score([8, 0], [9, 8])]
    assert links(classic.match([*claimed(RIGHT), *broken])) == [
        ("deal.cards", None),
        ("note.skipped", 0),
        ("claim.total", None),
    ]


def test_follows_a_result_with_another_winner_stands_alone() -> None:
    events = claimed(([0, 39], [0, 39]))
    assert links(classic.match([*events, result(1, [0, 39])])) == [("claim.score", None), ("claim.result", None)]


# --- What people are told -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", golden.logs(), ids=lambda log: f"{log.parent.name}/{log.stem}")
def test_expected_verdicts_hold_what_every_verdict_holds(log: Any) -> None:
    said = msgspec.json.decode(golden.expected_path(log).read_bytes())
    if said["status"] != "invalid":
        documents.check_ledgers(said)
        documents.check_links(said)


def test_entries_of_the_score_accuse_nobody() -> None:
    """No finding cites one, and no fault can be planted for one."""
    for ruleset in GAMES:
        cited = {clause for _, clause, _ in faults.faults_of(ruleset).values()}
        assert not [clause for clause in cited if clause.startswith("score.")]
        assert [entry for entry in rulebook.book(ruleset).entries if entry.startswith("score.")]
    for log in golden.logs():
        said = msgspec.json.decode(golden.expected_path(log).read_bytes())
        assert not [finding for finding in said["findings"] if finding["clause"].startswith("score.")]


def test_a_belote_that_an_app_forgot() -> None:
    hands = belote.from_text("", "7S 8S 9S TS JS QS KS AS")
    events = belote.played(hands, "90S pass pass pass")
    document = belote.match([*events, score([0, 340], [0, 340])])
    said = verdict(document)
    [finding] = said["findings"]
    against = [said["deals"][0]["lines"][number]["clause"] for number in finding["against"]]
    assert against == ["score.sweep", "score.bid", "score.belote"]
    assert where(document, "score") == finding["event"]
