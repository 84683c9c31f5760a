"""What a deal is worth, and when a match is over: the whole table, doubles, the worked examples, targets, readings."""

from __future__ import annotations

from typing import Any

import pytest

from tests import documents
from tests.documents import findings, result, score, verdict

from . import builders, oracle
from .builders import DAKAK, MASRAWI, deals, match, scored

#: Bidding team / defenders, by tricks bid (row) and tricks of the bidding team, 0 to 13 (column).
TABLE = """
     7   -7/16  -7/12  -7/11  -7/10   -7/9   -7/8   -7/7    7/0    8/0    9/0   10/0   11/0   12/0   16/0
     8   -8/16  -8/12  -8/11  -8/10   -8/9   -8/8   -8/7   -8/6    8/0    9/0   10/0   11/0   12/0   16/0
     9   -9/16  -9/12  -9/11  -9/10   -9/9   -9/8   -9/7   -9/6   -9/5    9/0   10/0   11/0   12/0   16/0
    10  -10/16 -10/12 -10/11 -10/10  -10/9  -10/8  -10/7  -10/6  -10/5  -10/4   10/0   11/0   12/0   16/0
    11  -11/16 -11/12 -11/11 -11/10  -11/9  -11/8  -11/7  -11/6  -11/5  -11/4  -11/3   11/0   12/0   16/0
    12  -12/16 -12/12 -12/11 -12/10  -12/9  -12/8  -12/7  -12/6  -12/5  -12/4  -12/3  -12/2   12/0   16/0
    13  -16/16 -16/12 -16/11 -16/10  -16/9  -16/8  -16/7  -16/6  -16/5  -16/4  -16/3  -16/2  -16/1   26/0
"""
CASES = [
    (int(row.split()[0]), tricks, int(cell.split("/")[0]), int(cell.split("/")[1]))
    for row in TABLE.strip().splitlines()
    for tricks, cell in enumerate(row.split()[1:])
]


def test_the_table_is_whole() -> None:
    assert [(bid, tricks) for bid, tricks, *_ in CASES] == [(b, t) for b in range(7, 14) for t in range(14)]


@pytest.mark.parametrize(("bid", "tricks", "bidders", "defenders"), CASES)
def test_masrawi_points_of_a_deal(bid: int, tricks: int, bidders: int, defenders: int) -> None:
    """A double and a redouble are for the bidding team alone, gain or loss."""
    for factor in (1, 2, 4):
        team = tricks % 2
        said = verdict(match(scored(tricks, bid, dealer=(1 + team) % 4, factor=factor)))
        points = [bidders * factor, defenders] if team == 0 else [defenders, bidders * factor]
        [deal] = said["deals"]
        assert (deal["outcome"], deal["points"], deal["totals"]) == ("scored", points, points)
        assert said["findings"] == []


@pytest.mark.parametrize("suit", ["C", "D", "H", "S", "NT"])
def test_masrawi_points_do_not_depend_on_the_trump(suit: str) -> None:
    assert verdict(match(scored(9, 8, suit=suit)))["totals"] == [0, 9]


@pytest.mark.parametrize("applies", [None, "both", "bidders"])
@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize(("bid", "tricks", "bidders", "defenders"), CASES)
def test_dakak_points_of_a_deal(
    bid: int, tricks: int, bidders: int, defenders: int, factor: int, applies: str | None
) -> None:
    document = match(scored(tricks, bid, ruleset=DAKAK, factor=factor), DAKAK)
    if applies is not None:
        document["options"] = {"double_applies": applies}
    said = verdict(document)
    both = 1 if applies == "bidders" else factor
    assert said["deals"][0]["points"] == [defenders * both, bidders * factor]
    found = {row["clause"]: row["readings"] for row in said["findings"] if "readings" in row}
    wanted: dict[str, dict[str, list[int]]] = {}
    if bid == 13 and tricks < 13:
        twice = 2 * (13 - tricks)
        wanted["open.failed-13"] = {"d": [defenders * both, -16 * factor], "2 × d": [twice * both, -16 * factor]}
    if factor == 2 and defenders and applies is None:
        wanted["open.double-applies"] = {
            "both": [2 * defenders, 2 * bidders],
            "bidders": [defenders, 2 * bidders],
        }
    assert found == wanted


@pytest.mark.parametrize(
    ("bid", "tricks", "suit", "factor", "points"),
    [
        (8, 7, "S", 2, [6, -16]),
        (8, 9, "S", 4, [0, 36]),
        (13, 13, "NT", 1, [0, 26]),
        (13, 13, "NT", 2, [0, 52]),
        (9, 13, "S", 2, [0, 32]),
        (8, 10, "S", 1, [0, 10]),
        (8, 6, "S", 1, [7, -8]),
    ],
)
def test_masrawi_worked_examples(bid: int, tricks: int, suit: str, factor: int, points: list[int]) -> None:
    assert verdict(match(scored(tricks, bid, suit=suit, factor=factor)))["deals"][0]["points"] == points


# --- Claims under the readings of an open point ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bid", "tricks", "factor", "options", "claimed", "clause"),
    [
        (13, 11, 1, {}, [2, -16], None),
        (13, 11, 1, {}, [4, -16], None),
        (13, 11, 1, {}, [3, -16], "claim.score"),
        (13, 0, 1, {}, [16, -16], None),
        (13, 0, 1, {}, [26, -16], None),
        (13, 0, 1, {}, [13, -16], "claim.score"),
        (13, 11, 2, {}, [4, -32], None),
        (13, 11, 2, {}, [8, -32], None),
        (13, 11, 2, {}, [2, -32], None),
        (13, 11, 2, {"double_applies": "both"}, [2, -32], "claim.score"),
        (13, 11, 2, {"double_applies": "both"}, [8, -32], None),
        (8, 7, 2, {}, [12, -16], None),
        (8, 7, 2, {}, [6, -16], None),
        (8, 7, 2, {}, [6, -8], "claim.score"),
        (8, 7, 2, {"double_applies": "both"}, [6, -16], "claim.score"),
        (8, 7, 2, {"double_applies": "bidders"}, [6, -16], None),
        (8, 7, 2, {"double_applies": "bidders"}, [12, -16], "claim.score"),
        (8, 0, 1, {}, [13, -8], "claim.score"),
        (8, 13, 1, {}, [0, 13], "claim.score"),
    ],
)
def test_dakak_a_claim_may_take_any_listed_reading(
    bid: int, tricks: int, factor: int, options: dict[str, Any], claimed: list[int], clause: str | None
) -> None:
    events = scored(tricks, bid, ruleset=DAKAK, factor=factor)
    said = verdict(match([*events, score(claimed, claimed)], DAKAK, options=options))
    wrong = [row for row in findings(said) if row[0] != "open"]
    assert wrong == ([("claim", clause, len(events), None)] if clause else [])
    if clause is None:
        assert said["deals"][0]["points"] == said["totals"] == claimed
    else:
        own, other = oracle.worth_dakak(bid, tricks, factor == 2, options)[0][0]
        assert said["totals"] == [other, own]


def test_dakak_the_reading_that_was_claimed_is_carried_into_the_next_total() -> None:
    first, second = scored(11, 13, ruleset=DAKAK), scored(8, 7, dealer=1, ruleset=DAKAK)
    start = [*first, score([4, -16], [4, -16]), *second]
    assert verdict(match([*start, score([8, 0], [12, -16])], DAKAK))["status"] == "incomplete"
    wrong = verdict(match([*start, score([8, 0], [10, -16])], DAKAK))
    assert [row[:3] for row in findings(wrong) if row[0] == "claim"] == [("claim", "claim.total", len(start))]


def test_dakak_a_later_total_or_a_result_may_show_which_reading_was_used() -> None:
    start = [*scored(11, 13, ruleset=DAKAK)]
    later = [*start, *scored(8, 7, dealer=1, ruleset=DAKAK), score([8, 0], [12, -16])]
    for events, totals in ((later, [12, -16]), ([*start, result(None, [4, -16])], [4, -16])):
        said = verdict(match(events, DAKAK))
        assert {row[0] for row in findings(said)} == {"open"}
        assert said["totals"] == totals


def test_masrawi_no_other_reading_of_a_score() -> None:
    events = scored(11, 13)
    said = verdict(match([*events, score([4, -16], [4, -16])]))
    assert findings(said) == [("claim", "claim.score", len(events), None)]


# --- Totals and the end ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "target", "tricks", "over"),
    [
        (MASRAWI, 31, (10, 10, 10), False),
        (MASRAWI, 31, (10, 10, 11), True),
        (MASRAWI, None, (10, 10, 11), True),
        (MASRAWI, None, (10, 10, 10), False),
        (MASRAWI, 1, (7,), True),
        (MASRAWI, 7, (7,), True),
        (MASRAWI, 8, (7,), False),
        (MASRAWI, 20, (10, 9), False),
        (MASRAWI, 20, (10, 10), True),
        (MASRAWI, 100, (12, 12, 12, 12), False),
        (DAKAK, 31, (10, 10, 10), False),
        (DAKAK, 31, (10, 10, 11), True),
        (DAKAK, 41, (10, 10, 10, 10), False),
        (DAKAK, 41, (10, 10, 10, 11), True),
        (DAKAK, None, (10, 10, 11), True),
    ],
)
@pytest.mark.parametrize("team", [0, 1])
def test_match_end_at_the_target(
    ruleset: str, target: int | None, tricks: tuple[int, ...], over: bool, team: int
) -> None:
    events = deals(*((2 + team, 7, taken) for taken in tricks), ruleset=ruleset)
    said = verdict(match(events, ruleset, options={} if target is None else {"target": target}))
    total = [sum(tricks), 0] if team == 0 else [0, sum(tricks)]
    assert {row[0] for row in findings(said)} <= {"open"}
    assert (said["totals"], said["over"], said["winner"]) == (total, over, team if over else None)
    assert said["status"] == ("clean" if over else "incomplete")


@pytest.mark.parametrize(("factor", "over"), [(1, False), (2, False), (4, True)])
def test_masrawi_a_redoubled_deal_can_end_the_match_alone(factor: int, over: bool) -> None:
    assert verdict(match(scored(8, 8, factor=factor)))["over"] is over


def test_totals_go_below_zero() -> None:
    said = verdict(match([*scored(6, 8, factor=4), *scored(0, 7, dealer=1)]))
    assert [deal["totals"] for deal in said["deals"]] == [[7, -32], [0, -16]]
    assert said["over"] is False


@pytest.mark.parametrize(
    ("tricks", "bid", "totals", "winner"), [(8, 7, [0, 8], 1), (6, 8, [7, -8], 0), (13, 13, [0, 26], 1)]
)
def test_masrawi_a_quick_match_is_one_scored_deal(tricks: int, bid: int, totals: list[int], winner: int) -> None:
    quick = {"rounds": 1}
    events = [*builders.void(0), *builders.void(0), *scored(tricks, bid)]
    said = verdict(match([*events, score(totals, totals), result(winner, totals)], options=quick))
    assert (said["status"], said["over"], said["winner"], said["totals"]) == ("clean", True, winner, totals)
    assert said["options"] == {"rounds": 1, "target": 31}
    late = verdict(match([*events, *builders.void(1)], options=quick))
    assert findings(late)[0] == ("illegal", "match.over", len(events), None)


def test_masrawi_a_void_deal_does_not_end_a_quick_match() -> None:
    said = verdict(match([*builders.void(0), score([0, 0], [0, 0])], options={"rounds": 1, "target": 5}))
    assert (said["over"], said["status"]) == (False, "incomplete")


def test_masrawi_the_target_does_not_count_in_a_quick_match() -> None:
    said = verdict(match(scored(8, 8, factor=1), options={"rounds": 1, "target": 100}))
    assert said["over"] is True


@pytest.mark.parametrize("claimed", [[5, -9], [0, 0]])
def test_masrawi_a_quick_match_with_a_broken_deal_is_over_if_its_points_are_claimed(claimed: list[int]) -> None:
    events = [documents.deal([["JK"]], 0), score(claimed, claimed)]
    assert verdict(match(events, options={"rounds": 1}))["over"] is any(claimed)


@pytest.mark.parametrize("ruleset", [MASRAWI, DAKAK])
@pytest.mark.parametrize(("points", "winner"), [([31, 31], None), ([31, 40], 1), ([32, 31], 0), ([-5, 31], 1)])
def test_match_end_by_carried_claims_an_exact_tie_is_a_draw(
    ruleset: str, points: list[int], winner: int | None
) -> None:
    events = [documents.deal([["JK"]], 0), score(points, points), result(winner, points)]
    said = verdict(match(events, ruleset))
    assert (said["totals"], said["over"], said["winner"]) == (points, True, winner)
    assert findings(said) == [("illegal", "deal.cards", 0, None), ("note", "note.skipped", 1, None)]


def test_defaults_of_the_options_are_filled_in() -> None:
    assert verdict(match([]))["options"] == {"target": 31}
    filled = {"target": 31, "dakak_floor": "5C", "double_applies": "both"}
    assert verdict(match([], DAKAK))["options"] == filled
    given = {"target": 41, "dakak_floor": "6", "double_applies": "bidders"}
    assert verdict(match([], DAKAK, options=given))["options"] == given
