"""Every clause of three stones: a log that breaks it, what stands after it, and near misses that do not break it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests import documents
from tests.documents import Document, Event, findings, inserted, result, score, verdict, without

from .builders import FIRST_WINS, SECOND_WINS, SIX, begin, match, move, place, played, rounds, shuffling, won
from .oracle import POINTS

Row = tuple[str, str, int | None, int | None]
JUMP = {"movement": "jump"}


def illegal(clause: str, event: int, seat: int | None = None) -> Row:
    return ("illegal", clause, event, seat)


def wrong(clause: str, event: int) -> Row:
    return ("claim", clause, event, None)


def skipped(event: int) -> Row:
    return ("note", "note.skipped", event, None)


def noted(event: int, seat: int | None = None) -> Row:
    return ("open", "open.twenty-moves", event, seat)


def expect(document: Document, *rows: Row, totals: list[int] | None = None) -> None:
    """Exactly these findings; with ``totals``, these at the end."""
    said = verdict(document)
    assert findings(said) == list(rows)
    if totals is not None:
        assert said["totals"] == totals


def outcomes(document: Document) -> list[tuple[str, list[int] | None]]:
    return [(entry["outcome"], entry["points"]) for entry in verdict(document)["deals"]]


# --- round.first ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_round_first_either_seat_may_start_the_first_round(first: int) -> None:
    expect(match(won(0, first)), totals=[1, 0])


@pytest.mark.parametrize("winner", ["0", "1", "-"])
@pytest.mark.parametrize("first", [0, 1])
def test_round_first_the_start_alternates_drawn_rounds_included(winner: str, first: int) -> None:
    events = rounds(winner, first)
    notes = [noted(len(events) - 1)] if winner == "-" else []
    expect(match([*events, begin(1 - first)]), *notes)
    expect(match([*events, begin(first)]), *notes, illegal("round.first", len(events)))


def test_round_first_a_draw_at_34_alternates_too() -> None:
    events = shuffling(34)
    expect(match([*events, begin(1)]), noted(40))
    expect(match([*events, begin(0)]), noted(40), illegal("round.first", 41))


def test_round_first_a_wrong_start_stands_and_the_next_goes_by_it() -> None:
    events = [*won(0, 0), *won(0, 0)]
    expect(match([*events, begin(1)], options={"rounds": 7}), illegal("round.first", 6), totals=[2, 0])
    again = match([*events, begin(0)], options={"rounds": 7})
    expect(again, illegal("round.first", 6), illegal("round.first", 12))
    said = verdict(again)["findings"][0]
    assert (said["expected"], said["found"]) == (1, 0)


@pytest.mark.parametrize("first", [0, 1])
def test_round_first_either_seat_may_start_after_a_broken_round(first: int) -> None:
    broken = [begin(0), place(1, "a1"), place(1, "a2"), place(0, "a3")]
    document = match([*broken, *won(0, first), begin(1 - first)], options={"rounds": 5})
    expect(document, illegal("turn.order", 1, 1), skipped(2), totals=[1, 0])
    assert outcomes(document) == [("broken", None), ("scored", [1, 0]), ("unfinished", None)]


# --- turn.order -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(1, 6))
def test_turn_order_a_stone_out_of_turn_is_ignored(at: int) -> None:
    document = match(played(FIRST_WINS))
    turn = document["events"][at]["seat"]
    expect(inserted(document, at, place(1 - turn, "c3")), illegal("turn.order", at, 1 - turn), totals=[1, 0])


def test_turn_order_a_move_out_of_turn_is_ignored() -> None:
    document = match(shuffling(8))
    expect(inserted(document, 8, move(0, "a2", "b3")), illegal("turn.order", 8, 0))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("at", range(1, 7))
def test_turn_order_a_move_while_a_stone_is_still_to_be_placed(at: int, seat: int) -> None:
    document = match(shuffling(2))
    expect(inserted(document, at, move(seat, "a1", "b2")), illegal("turn.order", at, seat))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("at", [7, 8, 9])
def test_turn_order_a_fourth_stone(at: int, seat: int) -> None:
    expect(inserted(match(shuffling(2)), at, place(seat, "b3")), illegal("turn.order", at, seat))


def test_turn_order_says_what_is_due() -> None:
    said = verdict(match([begin(1), move(0, "a1", "a2")]))["findings"][0]
    assert said["message"] == "This is “moving a stone” by seat 0, where “placing a stone” by seat 1 is due."
    assert said["legal"] == POINTS


# --- board.point ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", ["a4", "d1", "A1", "a", "1a", "a10", "b2 ", "\u202e", "ب٢"])
def test_board_point_there_is_no_such_point(point: str) -> None:
    expect(inserted(match(played(FIRST_WINS)), 3, place(0, point)), illegal("board.point", 3, 0), totals=[1, 0])
    document = match(shuffling(2))
    expect(inserted(document, 7, move(0, "c3", point)), illegal("board.point", 7, 0))
    expect(inserted(document, 7, move(0, point, "c2")), illegal("board.point", 7, 0))


@pytest.mark.parametrize("at", range(2, 6))
def test_board_point_a_point_with_a_stone_is_taken(at: int) -> None:
    document = match(played(FIRST_WINS))
    seat = document["events"][at]["seat"]
    for taken in document["events"][1:at]:
        expect(inserted(document, at, place(seat, taken["point"])), illegal("board.point", at, seat))


@pytest.mark.parametrize("to", ["a1", "b1", "c3"])
@pytest.mark.parametrize("options", [{}, JUMP])
def test_board_point_no_move_goes_to_a_point_with_a_stone(to: str, options: dict[str, Any]) -> None:
    document = inserted(match(shuffling(2), options=options), 7, move(0, "c3", to))
    expect(document, illegal("board.point", 7, 0))


def test_board_point_says_what_is_wrong_in_visible_signs() -> None:
    messages = [
        verdict(match([begin(0), place(0, "a1"), place(1, point)]))["findings"][0]["message"]
        for point in ("a1", "\u202ez")
    ]
    assert messages == [
        "Seat 1 named the point a1: a stone lies there.",
        "Seat 1 named the point \\u202ez: the board has no such point.",
    ]


# --- move.own -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["b1", "a3", "c1", "b2", "b3"])
@pytest.mark.parametrize("options", [{}, JUMP])
def test_move_own_no_stone_of_the_seat_lies_there(start: str, options: dict[str, Any]) -> None:
    document = inserted(match(shuffling(2), options=options), 7, move(0, start, "c2"))
    expect(document, illegal("move.own", 7, 0))


def test_move_own_any_own_stone_may_move() -> None:
    for start, to in (("a1", "b2"), ("a2", "b2"), ("c3", "b2"), ("c3", "b3"), ("c3", "c2")):
        expect(match(played(f"{SIX} {start}-{to}")), totals=[int((start, to) == ("a2", "b2")), 0])


# --- move.adjacent --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "to"), [("a1", "c2"), ("a1", "b3"), ("a2", "c2"), ("a2", "b3")])
def test_move_adjacent_a_stone_that_slides_too_far_stands(start: str, to: str) -> None:
    back = f"{to}-{start}"
    acts = f"{SIX} {start}-{to} c1-b2 {back} b2-c1"
    expect(match(played(acts)), illegal("move.adjacent", 7, 0), illegal("move.adjacent", 9, 0))
    expect(match(played(acts), options=JUMP))


def test_move_adjacent_a_line_made_by_sliding_too_far_wins_the_round() -> None:
    acts = "a1 b1 a2 b2 c3 c1 c3-a3"
    expect(match(played(acts)), illegal("move.adjacent", 7, 0), totals=[1, 0])


@pytest.mark.parametrize("start", ["a2", "b1", "b3", "c2"])
def test_move_adjacent_there_are_no_lines_between_the_sides(start: str) -> None:
    """A slide between two side points is aslant past the centre: no line is drawn there."""
    to = {"a2": "b3", "b1": "a2", "b3": "c2", "c2": "b1"}[start]
    acts = f"{start} a1 c3 a3 b2 c1 {start}-{to}"
    expect(match(played(acts)), illegal("move.adjacent", 7, 0))


# --- round.over -----------------------------------------------------------------------------------------------------

AFTER_LINE = [place(1, "c3"), place(0, "c3"), move(1, "b1", "c1"), move(0, "a1", "c1")]


@pytest.mark.parametrize("act", AFTER_LINE)
def test_round_over_after_a_line_made_while_placing(act: Event) -> None:
    document = match([*won(0, 0), act, score((1, 0), (1, 0)), *won(1, 1)])
    expect(document, illegal("round.over", 6, act["seat"]), totals=[1, 1])
    assert verdict(document)["findings"][0]["message"] == "The round was over before this event: three in a row."


@pytest.mark.parametrize("act", AFTER_LINE)
def test_round_over_also_after_the_claim_of_its_score(act: Event) -> None:
    document = match([*won(0, 0), score((1, 0), (1, 0)), act, *won(1, 1)])
    expect(document, illegal("round.over", 7, act["seat"]), totals=[1, 1])


def test_round_over_after_a_line_made_by_a_move() -> None:
    line = played(f"{SIX} a2-b2")
    expect(match(line), totals=[1, 0])
    expect(match([*line, move(1, "c1", "c2")]), illegal("round.over", 8, 1), totals=[1, 0])


def test_round_over_after_forty_moves() -> None:
    draw = shuffling(40)
    document = match([*draw, move(0, "c3", "c2")])
    expect(document, noted(46), illegal("round.over", 47, 0), totals=[0, 0])
    assert verdict(document)["findings"][1]["message"] == "The round was over before this event: drawn."
    expect(match(shuffling(39)), totals=[0, 0])


def test_round_over_after_the_line_that_ends_the_match() -> None:
    events = rounds("00")
    expect(match([*events, place(1, "c3")]), illegal("round.over", len(events), 1), totals=[2, 0])


def test_round_over_while_a_round_goes_on_there_is_room_for_more() -> None:
    expect(match(played(f"{SIX} c3-c2 c1-b2")))


def test_round_over_a_blocked_seat_has_lost_already() -> None:
    """Seat 1 bars all ways of seat 0 by a line, and has won with it."""
    events = played("a1 a3 a2 b2 b1 c1")
    expect(match(events), totals=[0, 1])
    expect(match([*events, move(0, "a1", "a2")]), illegal("round.over", 7, 0))
    expect(match([*events, score((0, 1), (0, 1))]))


# --- match.over -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "majority"), [({}, 2), ({"rounds": 3}, 2), ({"rounds": 5}, 3), ({"rounds": 7}, 4), ({"rounds": 10}, 6)]
)
@pytest.mark.parametrize("seat", [0, 1])
def test_match_over_with_a_majority(options: dict[str, int], majority: int, seat: int) -> None:
    almost = rounds(str(seat) * (majority - 1))
    assert verdict(match(almost, options=options))["over"] is False
    events = rounds(str(seat) * majority)
    said = verdict(match(events, options=options))
    assert (said["over"], said["winner"], said["status"]) == (True, seat, "clean")
    expect(match([*events, begin(majority % 2)], options=options), illegal("match.over", len(events)))


@pytest.mark.parametrize(
    ("winners", "number_of_rounds", "winner"),
    [
        ("0--", 3, 0),
        ("-1-", 3, 1),
        ("1--0-", 5, None),
        ("01-0-", 5, 0),
        ("0011---0--", 10, 0),
        ("0101010101", 10, None),
        ("0011---", 7, None),
        ("01-", 3, None),
        ("---", 3, None),
        ("---1", 3, 1),
        ("01--0", 3, 0),
        ("01-1", 3, 1),
        ("0101010101-1", 10, 1),
        ("0000111110", 10, None),
        ("0000111111", 10, 1),
    ],
)
def test_match_over_after_the_last_round_or_a_deciding_one(
    winners: str, number_of_rounds: int, winner: int | None
) -> None:
    events = rounds(winners)
    said = verdict(match(events, options={"rounds": number_of_rounds}))
    assert (said["over"], said["winner"]) == (winner is not None, winner)
    assert said["status"] == ("incomplete" if winner is None else "clean")
    assert said["totals"] == [winners.count("0"), winners.count("1")]
    more = match([*events, begin(len(winners) % 2)], options={"rounds": number_of_rounds})
    found = [row for row in findings(verdict(more)) if row[0] == "illegal"]
    assert found == ([] if winner is None else [illegal("match.over", len(events))])


def test_match_over_nothing_but_claims_and_notes_may_follow() -> None:
    events = rounds("00")
    claims = [score((1, 0), (2, 0)), {"type": "note"}, result(0, (2, 0)), {"type": "note"}]
    expect(match([*events, *claims]))
    for act in (begin(0), place(0, "a1"), move(1, "a1", "a2"), result(0, (2, 0))):
        expect(match([*events, *claims, act]), illegal("match.over", len(events) + 4, act.get("seat")))


# --- claims ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("winner", "points"), [("0", (1, 0)), ("1", (0, 1)), ("-", (0, 0))])
@pytest.mark.parametrize("claimed", [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)])
def test_claim_score_is_a_point_for_the_line(winner: str, points: tuple[int, int], claimed: tuple[int, int]) -> None:
    events = rounds(winner)
    notes = [noted(len(events) - 1)] if winner == "-" else []
    bad = [] if claimed == points else [wrong("claim.score", len(events))]
    expect(match([*events, score(claimed, claimed), begin(1)]), *notes, *bad, totals=list(points))


def test_claim_score_has_its_place_after_the_round() -> None:
    events = [*won(0, 0), score((1, 0), (1, 0))]
    expect(match([*events, score((1, 0), (1, 0))]), wrong("claim.score", 7))
    for at in range(6):
        expect(inserted(match(events), at, score((0, 0), (0, 0))), wrong("claim.score", at))


def test_claim_total_is_what_each_has_now() -> None:
    events = [*won(0, 0), score((1, 0), (1, 0)), *won(1, 1)]
    expect(match([*events, score((0, 1), (1, 1))]), totals=[1, 1])
    document = match([*events, score((0, 1), (0, 1))])
    expect(document, wrong("claim.total", len(events)), totals=[1, 1])
    said = verdict(document)["findings"][0]
    assert (said["expected"], said["found"]) == ([1, 1], [0, 1])


@pytest.mark.parametrize("total", [(2, 0), (1, 1)])
@pytest.mark.parametrize("winner", [0, 1, None])
def test_claim_result_names_winner_and_totals(winner: int | None, total: tuple[int, int]) -> None:
    events = rounds("00")
    is_right = (winner, total) == (0, (2, 0))
    bad = [] if is_right else [wrong("claim.result", len(events))]
    expect(match([*events, result(winner, total)]), *bad)


@pytest.mark.parametrize("winner", [0, None])
def test_claim_result_names_nobody_before_the_match_is_over(winner: int | None) -> None:
    events = rounds("0")
    expect(match([*events, result(winner, (1, 0))]), *([] if winner is None else [wrong("claim.result", len(events))]))


# --- flow.kind ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("act", [place(0, "a1"), move(0, "a1", "a2")])
def test_flow_kind_no_stone_before_the_first_round(act: Event) -> None:
    expect(match([act, *won(0, 0)]), illegal("flow.kind", 0, 0), totals=[1, 0])


@pytest.mark.parametrize("at", [1, 4, 6, 7, 20])
def test_flow_kind_no_round_in_the_middle_of_a_round(at: int) -> None:
    expect(inserted(match(shuffling(20)), at, begin(0)), illegal("flow.kind", at))


def test_flow_kind_not_at_the_end_of_a_round() -> None:
    expect(match([*won(0, 0), begin(1)]))


@pytest.mark.parametrize("first", [0, 1])
def test_flow_kind_a_round_in_the_middle_that_goes_on_is_the_round(first: int) -> None:
    """The old round is broken, for the next event fits the new one and not the old one."""
    document = match([*shuffling(6), *won(1, first)])
    expect(document, illegal("flow.kind", 13), totals=[0, 1])
    assert outcomes(document) == [("broken", None), ("scored", [0, 1])]


# --- refusal.legal --------------------------------------------------------------------------------------------------


def refused(event: Event) -> Event:
    return event | {"refused": True}


def test_refusal_legal_what_is_legal_must_not_be_refused() -> None:
    document = match([*shuffling(2), move(0, "c2", "c3")])
    for at, event in enumerate(document["events"]):
        expect(inserted(document, at, refused(event)), illegal("refusal.legal", at, event.get("seat")))


@pytest.mark.parametrize(
    ("at", "act"),
    [
        (1, place(1, "a1")),
        (2, place(1, "a1")),
        (2, begin(1)),
        (4, move(1, "b1", "b2")),
        (7, place(0, "b2")),
        (7, move(0, "a1", "c2")),
        (7, move(0, "b1", "b2")),
        (7, move(0, "a1", "a4")),
    ],
)
def test_refusal_legal_what_is_illegal_may_be_refused(at: int, act: Event) -> None:
    expect(inserted(match(shuffling(4)), at, refused(act)))


def test_refusal_legal_at_the_end_of_a_round() -> None:
    events = won(0, 0)
    expect(match([*events, refused(place(1, "c3")), begin(1)]))
    expect(match([*events, refused(begin(0)), begin(1)]))
    expect(match([*events, refused(begin(1)), begin(1)]), illegal("refusal.legal", 6))
    over = rounds("00")
    expect(match([*over, refused(begin(0))]), totals=[2, 0])


# --- open.twenty-moves ----------------------------------------------------------------------------------------------


def readings(document: Document) -> dict[str, list[int]]:
    [said] = [row for row in verdict(document)["findings"] if row["kind"] == "open"]
    found: dict[str, list[int]] = said["readings"]
    return found


def test_open_twenty_moves_a_draw_after_40_is_noted() -> None:
    document = match([*shuffling(40), score((0, 0), (0, 0)), begin(1)])
    expect(document, noted(46), totals=[0, 0])
    assert outcomes(document)[0] == ("scored", [0, 0])
    assert readings(document) == {"only moves": [0, 0], "placements too": [0, 0]}
    expect(match(shuffling(40)), noted(46))


def test_open_twenty_moves_a_draw_after_34_is_noted() -> None:
    """Its claim shows it, or the next round."""
    for after in ([score((0, 0), (0, 0))], [begin(1)], [score((0, 0), (0, 0)), begin(1)]):
        document = match([*shuffling(34), *after])
        expect(document, noted(40), totals=[0, 0])
        assert outcomes(document)[0] == ("scored", [0, 0])
        assert readings(document) == {"placements too": [0, 0]}


def test_open_twenty_moves_a_log_that_stops_at_34_is_unfinished() -> None:
    document = match(shuffling(34))
    expect(document)
    assert verdict(document)["status"] == "incomplete"
    assert outcomes(document) == [("unfinished", None)]


@pytest.mark.parametrize("moves", [33, 35, 36, 37, 38, 39])
def test_open_twenty_moves_there_is_no_draw_at_other_counts(moves: int) -> None:
    events = shuffling(moves)
    expect(match([*events, score((0, 0), (0, 0))]), wrong("claim.score", len(events)))
    expect(match([*events, begin(1)]), illegal("flow.kind", len(events)))
    assert outcomes(match([*events, score((0, 0), (0, 0))])) == [("unfinished", None)]


def test_open_twenty_moves_a_move_after_a_draw_claimed_at_34() -> None:
    events = [*shuffling(34), score((0, 0), (0, 0))]
    expect(match([*events, move(0, "c3", "b3")]), noted(40), illegal("round.over", 42, 0))


def test_open_twenty_moves_a_line_between_the_counts_wins() -> None:
    events = [*shuffling(36), move(0, "a2", "b2")]
    document = match([*events, score((1, 0), (1, 0)), begin(1)])
    expect(document, noted(43), totals=[1, 0])
    assert readings(document) == {"only moves": [1, 0], "placements too": [0, 0]}
    assert "only moves count" in verdict(document)["findings"][0]["message"]
    expect(match([*events, score((0, 0), (0, 0))]), noted(43), wrong("claim.score", 44))


def test_open_twenty_moves_a_line_with_the_34th_move_leans_on_nothing() -> None:
    events = [*shuffling(32), move(0, "c3", "b3"), move(1, "b1", "b2")]
    expect(match(events), totals=[0, 1])


def test_open_twenty_moves_a_wrong_claim_at_34_is_told_by_the_draw() -> None:
    document = match([*shuffling(34), score((1, 0), (1, 0)), begin(1)])
    assert [row[:3] for row in findings(verdict(document)) if row[0] == "claim"] == [("claim", "claim.score", 41)]
    assert outcomes(document)[0] == ("scored", [0, 0])
    [said] = [row for row in verdict(document)["findings"] if row["kind"] == "claim"]
    assert (said["expected"], said["found"]) == ([0, 0], [1, 0])
    goes_on = match([*shuffling(34), score((1, 0), (1, 0)), *shuffling(36)[-2:]])
    expect(goes_on, wrong("claim.score", 41))


@pytest.mark.parametrize(("winners", "winner", "over"), [("0-", 0, True), ("-1", 1, True), ("0", None, False)])
def test_open_twenty_moves_a_result_may_show_the_draw(winners: str, winner: int | None, over: bool) -> None:
    before = rounds(winners)
    totals = [winners.count("0"), winners.count("1")]
    document = match([*before, *shuffling(34, len(winners) % 2), result(winner, totals)])
    said = verdict(document)
    assert [row for row in findings(said) if row[0] != "open"] == []
    assert (said["over"], said["winner"]) == (over, winner)
    assert outcomes(document)[-1] == (("scored", [0, 0]) if over else ("unfinished", None))


def test_open_twenty_moves_what_one_reading_forbids_may_be_refused() -> None:
    at_34, act = shuffling(34), move(0, "c2", "c3")
    expect(match([*at_34, refused(act)]), noted(41, 0))
    expect(match([*at_34, refused(act), score((0, 0), (0, 0))]), noted(41, 0), noted(41))
    expect(match([*at_34, refused(begin(1))]))
    expect(match([*at_34, refused(begin(1)), act]))
    expect(match([*shuffling(38), refused(act)]), noted(45, 0))
    expect(match([*shuffling(33), refused(move(1, "c1", "b2"))]), illegal("refusal.legal", 40, 1))


# --- Broken rounds --------------------------------------------------------------------------------------------------

#: Two stones on taken points in a row.
BREAK = [place(1, "a1"), place(1, "a1")]


def test_broken_two_impossible_events_in_a_row() -> None:
    document = match([begin(0), place(0, "a1"), *BREAK, place(1, "b2"), *won(0, 1)])
    expect(document, illegal("board.point", 2, 1), skipped(3), totals=[1, 0])
    assert outcomes(document) == [("broken", None), ("scored", [1, 0])]


def test_broken_one_impossible_event_breaks_nothing() -> None:
    document = match([begin(0), place(0, "a1"), BREAK[0], place(1, "b1"), *played(FIRST_WINS)[3:]])
    expect(document, illegal("board.point", 2, 1), totals=[1, 0])


def test_broken_its_claim_is_carried_and_can_end_the_match() -> None:
    events = [*won(0, 0), begin(1), place(1, "a1"), place(0, "a1"), place(0, "a1"), score((1, 0), (2, 0))]
    document = match([*events, result(0, (2, 0))])
    expect(document, illegal("board.point", 8, 0), skipped(9), totals=[2, 0])
    said = verdict(document)
    assert (said["over"], said["winner"], said["deals"][1]["points"]) == (True, 0, None)
    assert said["deals"][1]["claimed_points"] == [1, 0]


def test_broken_rounds_count_among_the_rounds() -> None:
    broken = [begin(1), place(1, "a1"), place(0, "a1"), place(0, "a1")]
    document = match([*won(0, 0), *broken, *shuffling(40), result(0, (1, 0))])
    said = verdict(document)
    assert (said["over"], said["winner"], said["totals"]) == (True, 0, [1, 0])
    assert [row[1] for row in findings(said) if row[0] in ("illegal", "claim")] == ["board.point"]


def test_broken_stones_after_the_end_are_no_round_of_their_own() -> None:
    """A table that plays on after a line: the round is scored, and no other has been played."""
    stray = [place(1, "c3"), place(0, "c2"), place(1, "c1")]
    document = match([*won(0, 0), *stray, score((1, 0), (1, 0)), *shuffling(40, 1), begin(0)])
    said = verdict(document)
    assert [row[:3] for row in findings(said)] == [illegal("round.over", 6, 1)[:3], skipped(7)[:3], noted(56)[:3]]
    assert [deal["outcome"] for deal in said["deals"]] == ["scored", "scored", "unfinished"]


def test_broken_a_round_whose_beginning_the_log_lacks_counts_with_its_claim() -> None:
    lost = won(0, 1)[1:]
    events = [*won(0, 0), score((1, 0), (1, 0)), *lost, score((1, 0), (2, 0)), result(0, (2, 0))]
    said = verdict(match(events))
    assert (said["over"], said["winner"], said["totals"]) == (True, 0, [2, 0])
    third = [*won(0, 0), *won(1, 1), score((0, 1), (1, 1)), *lost, score((1, 0), (2, 1)), begin(0)]
    said = verdict(match(third, options={"rounds": 3}))
    assert findings(said)[-1][:3] == ("illegal", "match.over", len(third) - 1)


# --- What a client may do -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["timeout", "bot", "player"])
def test_a_bot_or_the_clock_may_do_anything_legal(by: str) -> None:
    events = [event | {"by": by} for event in shuffling(20)]
    expect(match(events))
    expect(match([*events, move(0, "a1", "c2") | {"by": by}]), illegal("move.adjacent", 27, 0))


def test_every_event_may_be_missing_its_claims() -> None:
    expect(match(rounds("0-1-0")), noted(52), noted(106), totals=[2, 1])


def test_a_log_without_its_first_round_event() -> None:
    document = without(match([*won(0, 0), *won(1, 1)]), 0)
    expect(document, illegal("flow.kind", 0, 0), skipped(1), totals=[0, 1])


@pytest.mark.parametrize(
    "change",
    [
        {"players": [{"id": "p"}]},
        {"players": [{"id": "p"}] * 3},
        {"options": {"rounds": 4}},
        {"options": {"movement": "fly"}},
        {"options": {"target": 3}},
        {"events": [{"type": "round", "first": 2}]},
        {"events": [{"type": "place", "seat": 0, "point": ""}]},
        {"events": [{"type": "place", "seat": 0, "point": "a1a1a1a1a1a"}]},
        {"events": [{"type": "move", "seat": 0, "origin": "a1", "to": "a2"}]},
        {"events": [{"type": "trick", "winner": 0}]},
        {"events": [{"type": "pass", "seat": 0}]},
        {"events": [{"type": "score", "deal": [1], "total": [1]}]},
        {"events": [{"type": "score", "deal": [1, 0, 0], "total": [1, 0, 0]}]},
        {"events": [{"type": "result", "winner": 2, "total": [1, 0]}]},
    ],
)
def test_what_is_no_log_of_this_game_is_not_replayed(change: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        documents.verdict(match([]) | change)


def test_the_rounds_of_the_builders_are_what_their_names_say() -> None:
    expect(match(played(FIRST_WINS)), totals=[1, 0])
    expect(match(played(SECOND_WINS)), totals=[0, 1])
    expect(match(played(SIX)), totals=[0, 0])
