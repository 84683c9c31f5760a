"""The score of a deal of twenty-nine, whole: made and failed, the pair, bounds, revokes, the last trick, the slam."""

from __future__ import annotations

from typing import Any

import pytest

from auditor import events
from auditor.batches import Redeal
from auditor.cards import BIT
from auditor.games import GAMES
from auditor.games.twenty_nine import ORDER, POINT_CARDS, Bidding, Play
from auditor.hidden_trump import HiddenTrump, HiddenTrumpTrick
from auditor.table import Contract
from tests.documents import Event, inserted, replaced, score, verdict

from . import oracle
from .builders import claims, from_text, lost, match, opened, pair, swept, tricks

GAME = GAMES["twenty-nine"]

#: Bid and card points of the bidding team, and whether the bid is made.
BIDS = [(bid, taken, taken >= bid) for bid in (15, 16, 17, 20, 21, 27, 28) for taken in range(30)]


def trick_taken(hidden: HiddenTrump, winner: int, card_points: int) -> HiddenTrumpTrick:
    """A trick of a seat with so many points in it, also more than a pack has."""
    trick = HiddenTrumpTrick(hidden, winner, ORDER, 1)
    trick.tricks.append([BIT["JC"]] * (card_points // 3) + [BIT["AC"]] * (card_points % 3))
    trick.winners.append(winner)
    trick.ends.append(0)
    return trick


def readings_of(
    bid: int,
    taken: int,
    pairs: tuple[int, ...] = (),
    revoker: int | None = None,
    declarer: int = 0,
    **options: Any,
) -> list[tuple[dict[str, Any], tuple[int, ...]]]:
    """Every reading of a deal in which seat ``declarer`` bid and its team took so many points, the last trick's too."""
    table = GAME.table(4, options)
    auction = Bidding(table, declarer, Redeal(table, False, POINT_CARDS))
    auction.apply(events.PointsBid(seat=declarer, points=bid))
    hidden = HiddenTrump(table, declarer, 0)
    hidden.pairs.extend(events.Pair(seat=seat) for seat in pairs)
    hidden.revoke = None if revoker is None else events.Play(seat=revoker, card="7C")
    play = Play(table, auction, hidden)
    play._tricks = [trick_taken(hidden, declarer, taken), trick_taken(hidden, (declarer + 1) % 4, 0)]
    assert table.contract == Contract(declarer, str(bid))
    return [(dict(reading.choices), reading.points) for reading in play.worth()]


@pytest.mark.parametrize("declarer", range(4))
def test_score_made_and_failed(declarer: int) -> None:
    for bid, taken, is_made in BIDS:
        result = 1 if is_made else -1
        points = (0, result) if declarer % 2 else (result, 0)
        assert readings_of(bid, taken, declarer=declarer) == [({}, points)]


#: Bid, team of the pair (0 bids), points taken, and the result without and with bounds of 16 and 28.
PAIRS = [
    (18, 0, 14, 1, -1),
    (18, 0, 13, -1, -1),
    (18, 0, 16, 1, 1),
    (18, 1, 21, -1, -1),
    (18, 1, 22, 1, 1),
    (16, 0, 12, 1, -1),
    (16, 0, 11, -1, -1),
    (20, 0, 16, 1, 1),
    (21, 0, 17, 1, 1),
    (24, 1, 28, 1, 1),
    (25, 1, 28, -1, 1),
    (26, 1, 29, -1, 1),
    (28, 1, 29, -1, 1),
    (28, 1, 28, -1, 1),
    (28, 1, 27, -1, -1),
    (28, 0, 24, 1, 1),
]


@pytest.mark.parametrize(("bid", "team", "taken", "free", "bounded"), PAIRS)
def test_score_pair_and_its_bounds(bid: int, team: int, taken: int, free: int, bounded: int) -> None:
    found = readings_of(bid, taken, (team,))
    assert found == [({"open.pair-bounds": "no"}, (free, 0)), ({"open.pair-bounds": "yes"}, (bounded, 0))]
    assert readings_of(bid, taken, (team,), pair_bounds=[16, 28]) == [({}, (bounded, 0))]
    assert readings_of(bid, taken, (team,), pair_bounds=[-99, 99]) == [({}, (free, 0))]


def test_score_bounds_begin_at_the_lowest_bid_of_the_table() -> None:
    assert [points for _, points in readings_of(17, 15, (0,), min_bid=15)] == [(1, 0), (1, 0)]
    assert [points for _, points in readings_of(17, 14, (0,), min_bid=15)] == [(1, 0), (-1, 0)]


def test_score_bounds_do_not_touch_a_bid_that_no_pair_has_moved() -> None:
    assert readings_of(16, 16, pair_bounds=[20, 28]) == [({}, (1, 0))]


@pytest.mark.parametrize(("bid", "taken"), [(16, 0), (16, 29), (28, 0), (28, 29)])
def test_score_a_revoke_decides_whatever_was_taken(bid: int, taken: int) -> None:
    for revoker, result in ((0, -1), (2, -1), (1, 1), (3, 1)):
        assert readings_of(bid, taken, revoker=revoker) == [({}, (result, 0))]
        assert {points for _, points in readings_of(bid, taken, (0, 1), revoker=revoker)} == {(result, 0)}


def test_score_card_points_and_the_order_of_ranks() -> None:
    points = {card: ORDER.points[1 << index] for index, card in enumerate(_all_cards()) if 1 << index in ORDER.points}
    assert {card: points[card] for card in oracle.PACK} == {card: oracle.POINTS[card[0]] for card in oracle.PACK}
    assert sum(points.values()) == 28
    ranked = sorted("789TJQKA", key=lambda rank: ORDER.rank[1 << _all_cards().index(rank + "H")])
    assert "".join(reversed(ranked)) == "J9ATKQ87"


def _all_cards() -> list[str]:
    return [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


# --- The page's examples ----------------------------------------------------------------------------------------------


def test_example_the_trick_of_the_source() -> None:
    """Leader JS; next is void, asks, hearts are trump and must be played: 9H; then AS, 7S: six points for the 9H."""
    full = from_text(
        "7S 8S QS KS 7C 8C 9C TC",
        "JS 9S TS 7D 8D 9D TD JD",
        "7H 9H JH QC 8H QH KC AC",
        "AS QD KD AD KH TH AH JC",
    )
    acts = opened(full, "pass 18 pass pass", "7H")
    acts += tricks("1: JS reveal 9H AS 7S trick2")
    document = replaced(match(acts), len(acts) - 1, points=6)
    assert verdict(document)["findings"] == []
    assert [row["clause"] for row in verdict(replaced(document, len(acts) - 1, points=7))["findings"]] == [
        "claim.trick"
    ]
    asked = replaced(document, len(acts) - 4, card="QC")
    assert verdict(asked)["findings"][0]["clause"] == "play.must-trump"


def test_example_bid_18_and_20_points_or_a_pair() -> None:
    assert readings_of(18, 20) == [({}, (1, 0))]
    assert [points for _, points in readings_of(18, 14, (0,))] == [(1, 0), (-1, 0)]
    assert [points for _, points in readings_of(18, 21, (1,))] == [(-1, 0), (-1, 0)]


# --- Matches ----------------------------------------------------------------------------------------------------------


def rounds(*deals: str) -> list[Event]:
    """Deals by their kind, one dealer after the other: ``+`` made by the seat after the dealer, ``-`` failed by it."""
    acts: list[Event] = []
    for dealer, kind in enumerate(deals):
        acts += swept(16, dealer % 4) if kind == "+" else lost(dealer % 4)
    return acts


def test_match_a_team_at_plus_six_wins() -> None:
    document = claims(match(rounds(*"+-+-+-+-+-+")))
    said = verdict(document)
    assert (said["status"], said["over"], said["winner"], said["totals"]) == ("clean", True, 1, [-5, 6])
    early = verdict(claims(match(rounds(*"+-+-+-+-+-"))))
    assert (early["status"], early["over"], early["winner"], early["totals"]) == ("incomplete", False, None, [-5, 5])


def test_match_a_team_at_minus_six_loses_and_the_other_wins() -> None:
    said = verdict(claims(match(rounds(*"-+-+-+-+-+-"))))
    assert (said["status"], said["winner"], said["totals"]) == ("clean", 0, [5, -6])


@pytest.mark.parametrize(("options", "over", "winner"), [({}, False, None), ({"slam": True}, True, 1)])
def test_match_a_slam_ends_it_where_the_table_plays_so(options: dict[str, Any], over: bool, winner: int | None) -> None:
    said = verdict(claims(match(swept(), options=options)))
    assert (said["over"], said["winner"], said["totals"]) == (over, winner, [0, 1])
    by_defenders = verdict(claims(match(lost(), options=options)))
    assert (by_defenders["over"], by_defenders["winner"]) == (over, None if winner is None else 0)
    assert by_defenders["totals"] == [0, -1]


def test_match_after_a_slam_nothing_follows() -> None:
    said = verdict(match([*swept(), score([0, 1], [0, 1]), *swept(16, 1)], options={"slam": True}))
    assert [row["clause"] for row in said["findings"]] == ["match.over", "note.skipped"]


def test_last_trick_counts_a_point_only_where_the_table_plays_so() -> None:
    """All eight tricks are 28 card points: a bid of 29 (out of range, but a contract) needs the last trick's."""
    for last_trick, result in ((True, 1), (False, -1)):
        document = match(swept(29), options={"last_trick": last_trick})
        said = verdict(document)
        assert [row["clause"] for row in said["findings"]] == ["auction.range", "open.auction-28"]
        assert said["totals"] == [0, result]


def test_a_second_pair_is_illegal_and_the_table_decides_whether_it_counts() -> None:
    found = [points for _, points in readings_of(20, 13, (0, 0))]
    assert found[0] == (1, 0)  # it stands: 20 − 4 − 4
    assert (-1, 0) in found  # once: 20 − 4
    document = inserted(match(swept()), 7, pair(1), pair(1))
    assert [row["clause"] for row in verdict(document)["findings"]] == ["pair.timing", "pair.timing"]
