"""What a deal is worth, and when a match is over: the whole table, the worked examples, the targets."""

from __future__ import annotations

from typing import Any

import pytest

from tests import documents, tarneeb
from tests.documents import Event, findings, result, score, verdict

from . import builders, oracle
from .builders import deals, match, scored

#: Bidding team / defenders, by tricks bid (row) and tricks of the bidding team, 0 to 13 (column).
TABLE = """
     7   -7/16  -7/12  -7/11  -7/10   -7/9   -7/8   -7/7    7/0    8/0    9/0   10/0   11/0   12/0   16/0
     8   -8/16  -8/12  -8/11  -8/10   -8/9   -8/8   -8/7   -8/6    8/0    9/0   10/0   11/0   12/0   16/0
     9   -9/16  -9/12  -9/11  -9/10   -9/9   -9/8   -9/7   -9/6   -9/5    9/0   10/0   11/0   12/0   16/0
    10  -10/16 -10/12 -10/11 -10/10  -10/9  -10/8  -10/7  -10/6  -10/5  -10/4   10/0   11/0   12/0   16/0
    11  -11/16 -11/12 -11/11 -11/10  -11/9  -11/8  -11/7  -11/6  -11/5  -11/4  -11/3   11/0   12/0   16/0
    12  -12/16 -12/12 -12/11 -12/10  -12/9  -12/8  -12/7  -12/6  -12/5  -12/4  -12/3  -12/2   12/0   16/0
    13  -16/26 -16/24 -16/22 -16/20 -16/18 -16/16 -16/14 -16/12 -16/10  -16/8  -16/6  -16/4  -16/2   26/0
"""
CASES = [
    (int(row.split()[0]), tricks, int(cell.split("/")[0]), int(cell.split("/")[1]))
    for row in TABLE.strip().splitlines()
    for tricks, cell in enumerate(row.split()[1:])
]


def test_the_table_is_whole() -> None:
    assert [(bid, tricks) for bid, tricks, *_ in CASES] == [(b, t) for b in range(7, 14) for t in range(14)]


@pytest.mark.parametrize("defender_sweep", [None, 16, 13])
@pytest.mark.parametrize(("bid", "tricks", "bidders", "defenders"), CASES)
def test_points_of_a_deal(bid: int, tricks: int, bidders: int, defenders: int, defender_sweep: int | None) -> None:
    options = {} if defender_sweep is None else {"defender_sweep": defender_sweep}
    readings: set[tuple[int, int]] = set()
    point = None
    if tricks == 0 and bid < 13:
        defenders = defender_sweep or defenders
        if defender_sweep is None:
            point, readings = "open.defender-sweep", {(bidders, 16), (bidders, 13)}
    if tricks == 13:
        point, readings = "open.capot", {(bidders, 0), (13, 0)}

    assert oracle.worth(bid, tricks, options)[0][0] == (bidders, defenders)
    for team in (0, 1):
        document = match(scored(tricks, bid, dealer=0, declarer=2 + team), options=options)
        said = verdict(document)
        wanted = [bidders, defenders] if team == 0 else [defenders, bidders]
        [deal] = said["deals"]
        assert (deal["outcome"], deal["points"], deal["totals"]) == ("scored", wanted, wanted)
        assert said["totals"] == wanted
        last = len(document["events"]) - 1
        assert [row[:3] for row in findings(said)] == ([("open", point, last)] if point else [])
        if point:
            given = {tuple(points) for points in said["findings"][0]["readings"].values()}
            assert given == {pair if team == 0 else (pair[1], pair[0]) for pair in readings}


@pytest.mark.parametrize(
    ("bid", "tricks", "points"),
    [(8, 10, [10, 0]), (8, 6, [-8, 7]), (13, 11, [-16, 4])],
)
def test_worked_examples(bid: int, tricks: int, points: list[int]) -> None:
    assert verdict(match(scored(tricks, bid, dealer=3)))["deals"][0]["points"] == points


def test_worked_example_one_suit_a_seat() -> None:
    events = builders.played(tarneeb.ONE_SUIT_A_SEAT, "7 pass pass pass", "S")
    said = verdict(match(events))
    assert said["deals"][0]["points"] == [16, -7]
    assert [row[1] for row in findings(said)] == ["open.defender-sweep"]


# --- Claims under the readings of an open point ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bid", "tricks", "options", "claimed", "clause"),
    [
        (7, 0, {}, [16, -7], None),
        (7, 0, {}, [13, -7], None),
        (7, 0, {}, [14, -7], "claim.score"),
        (7, 0, {}, [13, -8], "claim.score"),
        (7, 0, {"defender_sweep": 16}, [16, -7], None),
        (7, 0, {"defender_sweep": 16}, [13, -7], "claim.score"),
        (7, 0, {"defender_sweep": 13}, [13, -7], None),
        (7, 0, {"defender_sweep": 13}, [16, -7], "claim.score"),
        (7, 13, {}, [0, 16], None),
        (7, 13, {}, [0, 13], None),
        (7, 13, {}, [0, 26], "claim.score"),
        (12, 13, {"defender_sweep": 16}, [0, 13], None),
        (13, 13, {}, [0, 26], None),
        (13, 13, {}, [0, 13], None),
        (13, 13, {}, [0, 16], "claim.score"),
        (13, 0, {}, [26, -16], None),
        (13, 0, {}, [13, -16], "claim.score"),
        (13, 0, {}, [16, -16], "claim.score"),
        (8, 12, {}, [0, 12], None),
        (8, 12, {}, [0, 16], "claim.score"),
    ],
)
def test_a_claim_may_take_any_listed_reading(
    bid: int, tricks: int, options: dict[str, Any], claimed: list[int], clause: str | None
) -> None:
    events = scored(tricks, bid)
    said = verdict(match([*events, score(claimed, claimed)], options=options))
    wrong = [row for row in findings(said) if row[0] != "open"]
    assert wrong == ([("claim", clause, len(events), None)] if clause else [])
    if clause is None:
        assert said["deals"][0]["points"] == claimed
        assert said["totals"] == claimed
    else:
        computed = oracle.worth(bid, tricks, options)[0][0]
        assert said["totals"] == [computed[1], computed[0]]


def test_the_reading_that_was_claimed_is_carried_into_the_next_total() -> None:
    first, second = scored(0, 7), scored(8, 7, dealer=1)
    claimed = [*first, score([13, -7], [13, -7]), *second]
    right, wrong = score([8, 0], [21, -7]), score([8, 0], [24, -7])
    assert verdict(match([*claimed, right]))["status"] == "incomplete"
    assert verdict(match([*claimed, right]))["totals"] == [21, -7]
    assert [row[:3] for row in findings(verdict(match([*claimed, wrong])))][1:] == [
        ("claim", "claim.total", len(claimed))
    ]


def test_a_claim_that_takes_another_reading_with_the_total_of_the_default_is_a_wrong_total() -> None:
    events = scored(0, 7)
    said = verdict(match([*events, score([13, -7], [16, -7])]))
    assert [row[:3] for row in findings(said)][1:] == [("claim", "claim.total", len(events))]
    assert said["totals"] == [13, -7]


def test_a_claim_that_takes_another_reading_can_keep_a_match_open() -> None:
    start = deals((2, 7, 10), (2, 7, 8))  # 18 / 0
    sweep = scored(13, 7, dealer=2, declarer=2)  # 16 or 13 more
    ended = match([*start, *sweep])
    assert (verdict(ended)["over"], verdict(ended)["totals"]) == (True, [34, 0])
    reached = match([*start, *sweep, score([13, 0], [31, 0]), result(0, [31, 0])])
    assert (verdict(reached)["over"], verdict(reached)["status"]) == (True, "clean")

    start = deals((2, 7, 8), (2, 7, 8))  # 16 / 0
    more = match([*start, *sweep, score([13, 0], [29, 0]), *scored(7, 7, dealer=3, declarer=2), score([7, 0], [36, 0])])
    said = verdict(more)
    assert (said["over"], said["status"], said["totals"]) == (True, "clean", [36, 0])


def test_a_later_total_may_show_which_reading_was_used() -> None:
    """The sweep has no score claim of its own; the next total counts 13 for it."""
    document = match([*scored(0, 7), *scored(8, 7, dealer=1), score([8, 0], [21, -7])])
    said = verdict(document)
    assert [row[1] for row in findings(said)] == ["open.defender-sweep"]
    assert said["totals"] == [21, -7]


def test_a_result_may_show_which_reading_was_used() -> None:
    said = verdict(match([*scored(0, 7), result(None, [13, -7])]))
    assert [row[1] for row in findings(said)] == ["open.defender-sweep"]
    assert said["totals"] == [13, -7]


def test_a_match_that_goes_on_under_another_reading_is_not_over() -> None:
    """16 and a sweep: 32 or 29. The log goes on, so the table counted 13."""
    document = match([*deals((2, 7, 8), (2, 7, 8)), *scored(13, 7, dealer=2, declarer=2), *scored(9, 7, dealer=3)])
    said = verdict(document)
    assert [row[1] for row in findings(said)] == ["open.capot"]
    assert (said["totals"], said["over"], said["winner"]) == ([38, 0], True, 0)


# --- Totals and the end ---------------------------------------------------------------------------------------------


def test_totals_go_below_zero() -> None:
    said = verdict(match(deals((1, 8, 6), (3, 13, 11), (1, 7, 6))))
    assert [deal["totals"] for deal in said["deals"]] == [[7, -8], [11, -24], [18, -31]]
    assert (said["over"], said["winner"], said["status"]) == (False, None, "incomplete")


@pytest.mark.parametrize(
    ("target", "tricks", "over"),
    [
        (31, (10, 10, 10), False),
        (31, (10, 10, 11), True),
        (31, (10, 10, 12), True),
        (41, (10, 10, 10, 10), False),
        (41, (10, 10, 10, 11), True),
        (61, (12, 12, 12, 12, 12), False),
        (61, (12, 12, 12, 12, 12, 7), True),
        (61, (12, 12, 12, 9, 9, 7), True),
        (None, (10, 10, 10), False),
        (None, (10, 10, 11), True),
    ],
)
@pytest.mark.parametrize("team", [0, 1])
def test_match_end_at_the_target(target: int | None, tricks: tuple[int, ...], over: bool, team: int) -> None:
    events = deals(*((2 + team, 7, taken) for taken in tricks))
    said = verdict(match(events, options={} if target is None else {"target": target}))
    total = [sum(tricks), 0] if team == 0 else [0, sum(tricks)]
    assert said["findings"] == []
    assert (said["totals"], said["over"], said["winner"]) == (total, over, team if over else None)
    assert said["status"] == ("clean" if over else "incomplete")
    assert said["options"]["target"] == (target or 31)


def test_match_end_by_the_defenders_points() -> None:
    said = verdict(match(deals((1, 13, 3), (3, 13, 7))))
    assert (said["totals"], said["over"], said["winner"]) == ([32, -32], True, 0)


def test_defaults_of_the_options_are_filled_in() -> None:
    assert verdict(match([]))["options"] == {"target": 31, "defender_sweep": 16}
    assert verdict(match([], options={"target": 61, "defender_sweep": 13}))["options"] == {
        "target": 61,
        "defender_sweep": 13,
    }


def broken(dealer: int, points: list[int], total: list[int]) -> list[Event]:
    """A deal with thirteen and twelve cards, and the points that were claimed for it."""
    hands = builders.hands_for(8, 1)
    hands[0].pop()
    return [documents.deal(hands, dealer), documents.passes((dealer + 1) % 4), score(points, total)]


@pytest.mark.parametrize(
    ("points", "winner"),
    [([31, 31], None), ([31, 40], 1), ([32, 31], 0), ([31, 0], 0), ([-5, 31], 1)],
)
def test_match_end_by_carried_claims_an_exact_tie_is_a_draw(points: list[int], winner: int | None) -> None:
    said = verdict(match([*broken(0, points, points), result(winner, points)]))
    assert [row[:2] for row in findings(said)] == [("illegal", "deal.cards"), ("note", "note.skipped")]
    assert (said["totals"], said["over"], said["winner"]) == (points, True, winner)
    after = verdict(match([*broken(0, points, points), documents.deal(builders.hands_for(8, 1))]))
    assert findings(after)[-1] == ("illegal", "match.over", 3, None)


def test_carried_claims_add_to_the_totals_before_them() -> None:
    events = [*scored(8, 7), *broken(1, [10, -3], [10, 5]), *scored(9, 7, dealer=2)]
    said = verdict(match(events))
    assert [(deal["outcome"], deal["points"], deal["totals"]) for deal in said["deals"]] == [
        ("scored", [0, 8], [0, 8]),
        ("broken", None, [10, 5]),
        ("scored", [0, 9], [10, 14]),
    ]
    assert (said["deals"][1]["claimed_points"], said["deals"][1]["claimed_totals"]) == ([10, -3], [10, 5])
