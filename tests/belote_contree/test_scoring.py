"""The whole scoring table of belote-contree, belote in all its places, rounding, early falls and the match end."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import msgspec
import pytest

from auditor.games import FORMS, GAMES, belote_contree
from auditor.games.belote_contree import Played, rounded
from auditor.replay import Replay
from auditor.settlement import Choices
from tests import documents
from tests.documents import findings, verdict

from . import builders, chances, oracle
from .builders import from_text, match

B, RA, RD = 120, 130, 30
FAIL_RA, FAIL_RD = 90, 70


def played(case: str, factor: int, holder: int | None = None) -> Played:
    bid = None if "capot bid" in case else B
    sweep = case in ("all eight", "capot bid, made")
    own, other = (160, 0) if sweep else (RA, RD) if case == "made" else (FAIL_RA, FAIL_RD)
    return Played(bid, factor, own, other, sweep, holder)


#: (case, factor): sahel bidders, sahel defenders, contree bidders, contree defenders.
TABLE = {
    ("made", 1): (RA, RD, B + RA, RD),
    ("failed", 1): (0, 160, 0, B + 160),
    ("all eight", 1): (250, 0, B + 250, 0),
    ("capot bid, made", 1): (500, 0, 500, 0),
    ("capot bid, failed", 1): (0, 160, 0, 410),
    ("made", 2): (320, 0, (B + 160) * 2, 0),
    ("failed", 2): (0, 320, 0, (B + 160) * 2),
    ("all eight", 2): (320, 0, (B + 250) * 2, 0),
    ("capot bid, made", 2): (1000, 0, 1000, 0),
    ("capot bid, failed", 2): (0, 320, 0, 820),
    ("made", 4): (640, 0, (B + 160) * 4, 0),
    ("failed", 4): (0, 640, 0, (B + 160) * 4),
    ("all eight", 4): (640, 0, (B + 250) * 4, 0),
    ("capot bid, made", 4): (2000, 0, 2000, 0),
    ("capot bid, failed", 4): (0, 640, 0, 1640),
}
DEFAULTS: Choices = {"open.unbid-capot-doubled": 160}


def score(scoring: str, deal: Played, choices: Choices) -> tuple[int, int]:
    """Bidding team's and defenders' points."""
    rows = belote_contree.score(scoring, deal, choices)
    own, other = (sum(row.points for row in rows if row.side == side) for side in (0, 1))
    return own, other


@pytest.mark.parametrize(("case", "factor"), TABLE)
@pytest.mark.parametrize("scoring", ["sahel", "contree"])
def test_the_scoring_table(scoring: str, case: str, factor: int) -> None:
    row = TABLE[case, factor]
    expected = row[:2] if scoring == "sahel" else row[2:]
    assert score(scoring, played(case, factor), DEFAULTS) == expected


@pytest.mark.parametrize(("case", "factor"), TABLE)
@pytest.mark.parametrize("scoring", ["sahel", "contree"])
@pytest.mark.parametrize("holder", [0, 1])
def test_belote_is_added_after_the_score_and_never_multiplied(
    scoring: str, case: str, factor: int, holder: int
) -> None:
    own, other = score(scoring, played(case, factor), DEFAULTS)
    made = case in ("made", "all eight", "capot bid, made")
    goes_to = 0 if made and holder == 0 else 1  # a failed bidder's belote goes to the defenders; theirs stay theirs
    expected = (own + 20, other) if goes_to == 0 else (own, other + 20)
    assert score(scoring, played(case, factor, holder), DEFAULTS) == expected
    uncounted = {**DEFAULTS, "open.belote-unannounced": "does not count"}
    assert score(scoring, played(case, factor, holder), uncounted) == (own, other)
    if holder == 1 and made and factor > 1:
        winners = {**DEFAULTS, "open.belote-doubled": "the winner's"}
        assert score(scoring, played(case, factor, holder), winners) == (own + 20, other)


def test_an_unannounced_belote_may_make_the_contract_and_not_count() -> None:
    only_by_it = Played(bid=130, factor=1, own=120, other=50, is_sweep=False, holder=0)
    taken = {"counts": (140, 50), "does not count": (0, 160), "counts for the contract only": (120, 50)}
    for reading, points in taken.items():
        assert score("sahel", only_by_it, {"open.belote-unannounced": reading}) == points


@pytest.mark.parametrize("factor", [2, 4])
def test_the_other_readings(factor: int) -> None:
    made = played("made", factor)
    readings = {"B + 160": B + 160, "B + rA + rD": B + RA + RD, "B + rA": B + RA}
    for name, points in readings.items():
        assert score("contree", made, {"open.contree-doubled-made": name}) == (points * factor, 0)
    sweep = played("all eight", factor)
    assert score("sahel", sweep, {"open.unbid-capot-doubled": 250}) == (250 * factor, 0)
    for times in (1, factor):
        failed = played("capot bid, failed", times)
        assert score("sahel", failed, {"open.sahel-failed-capot": 500}) == (0, 500 * times)


@pytest.mark.parametrize(
    ("points", "to"), [(0, 0), (4, 0), (5, 10), (76, 80), (84, 80), (85, 90), (94, 90), (95, 100), (162, 160)]
)
def test_points_are_rounded_to_tens_five_up(points: int, to: int) -> None:
    assert rounded(points) == oracle.rounded(points) == to


# --- The worked examples of the rules -------------------------------------------------------------------------------


def worth(bid: int, own: int, scoring: str, holder: int | None = None, factor: int = 1) -> tuple[int, int]:
    return score(scoring, Played(bid, factor, rounded(own), rounded(162 - own), False, holder), {})


@pytest.mark.parametrize(
    ("bid", "own", "holder", "factor", "sahel", "contree"),
    [
        (120, 130, None, 1, (130, 30), (250, 30)),
        (90, 84, None, 1, (0, 160), (0, 250)),
        (90, 85, None, 1, (90, 80), (180, 80)),
        (100, 76, 0, 1, (100, 90), (200, 90)),
        (100, 76, None, 1, (0, 160), (0, 260)),
        (90, 84, 0, 2, (180 + 160 - 20 + 20, 0), None),
        (90, 60, 0, 2, (0, 340), (0, 520)),
    ],
)
def test_worked_examples(
    bid: int, own: int, holder: int | None, factor: int, sahel: tuple[int, int], contree: tuple[int, int] | None
) -> None:
    assert worth(bid, own, "sahel", holder, factor) == sahel
    if contree is not None:
        assert worth(bid, own, "contree", holder, factor) == contree


# --- A deal as it is played -----------------------------------------------------------------------------------------

#: Seat 1 holds eight trumps: all tricks are its. Seat 0 deals.
ALL_TRUMPS = from_text("", "7S 8S 9S TS JS QS KS AS")


def said_of(events: list[Any], **options: Any) -> dict[str, Any]:
    return verdict(match(events, options=options))


@pytest.mark.parametrize(
    ("calls", "scoring", "points"),
    [
        ("90S pass pass pass", "sahel", [0, 270]),
        ("90S pass pass pass", "contree", [0, 360]),
        ("capotS pass pass pass", "sahel", [0, 520]),
        ("capotS pass pass pass", "contree", [0, 520]),
        ("180S pass pass pass", "contree", [0, 450]),
        ("90S contre accept", "sahel", [0, 340]),
        ("90S contre accept", "contree", [0, 700]),
        ("90S contre surcontre", "contree", [0, 1380]),
        ("capotS contre surcontre", "sahel", [0, 2020]),
    ],
)
def test_all_eight_tricks(calls: str, scoring: str, points: list[int]) -> None:
    said = said_of(builders.played(ALL_TRUMPS, calls), scoring=scoring)
    assert said["deals"][0]["points"] == points
    assert said["status"] in ("incomplete", "clean")


def test_a_capot_bid_falls_with_the_first_trick_of_the_defenders() -> None:
    hands = from_text("KS", "7S 8S 9S TS JS AS 7H 8H", "9H TH JH QH KH AH QS 7C")
    events = builders.played(hands, "capotS pass pass pass", policy=builders.helpful(0))
    assert [event["type"] for event in events].count("play") == 4
    said = said_of(events)
    assert said["deals"][0]["outcome"] == "scored"
    assert said["deals"][0]["points"] == [410, 0]


def test_the_contract_falls_when_the_best_that_is_left_is_less() -> None:
    """Bid 100, defenders at 68: round(94) is 90. With a belote of the bidders the deal goes on."""
    for seed in range(300):
        rng = random.Random(f"fall {seed}")
        hands = builders.shuffled(rng)
        calls = "100S pass pass pass"
        plays = builders.play_out(hands, 1, "S", builders.helpful(0))
        table: list[tuple[int, str]] = []
        taken = [0, 0]
        count = 0
        holder = {seat % 2 for seat in range(4) if {"KS", "QS"} <= set(hands[seat])}
        for number, event in enumerate(plays):
            table.append((event["seat"], event["card"]))
            if len(table) == 4:
                taken[oracle.winner_of(table, "S") % 2] += sum(oracle.points_of(card, "S") for _, card in table)
                table = []
                best = oracle.rounded(162 - taken[0]) + (20 if holder == {1} else 0)
                if best < 100 and number < 31:
                    count = number + 1
                    break
        events = [documents.deal(hands), *builders.auction(calls), *plays[: count or 32]]
        said = said_of(events)
        assert said["deals"][0]["outcome"] == "scored", seed
        assert {row[0] for row in findings(said)} <= {"open"}
        if count:
            late = verdict(match(events[:-1]))
            assert late["deals"][0]["outcome"] == "unfinished"
            bonus = 20 if holder else 0
            assert said["deals"][0]["points"] == [260 + bonus, 0]


# --- Readings and claims --------------------------------------------------------------------------------------------


def claim_of(events: list[Any], points: list[int], **options: Any) -> list[str]:
    said = said_of([*events, documents.score(points, points)], **options)
    return [clause for _, clause, *_ in findings(said)]


def test_every_reading_of_a_doubled_contract_may_be_claimed() -> None:
    for seed in range(200):
        rng = random.Random(f"readings {seed}")
        scoring = rng.choice(["sahel", "contree"])
        events = builders.played(
            builders.shuffled(rng),
            f"{rng.choice(['90', '100', '90', 'capot'])}S contre {rng.choice(['accept', 'surcontre'])}",
            policy=builders.helpful(rng.randrange(2)),
            says=rng.random() < 0.5,
        )
        reading = oracle.Reading(match(events, options={"scoring": scoring}), {})
        reading.read()
        possible = set(reading.possible)
        for points in possible:
            assert not {"claim.score", "claim.total"} & set(claim_of(events, list(points), scoring=scoring))
        for own, other in product([0, 20, 160, 180, 340, 430], [0, 20, 160, 320]):
            if (own, other) not in possible:
                assert "claim.score" in claim_of(events, [own, other], scoring=scoring)


# --- The end of the match -------------------------------------------------------------------------------------------


def sweeps(*teams: int) -> list[Any]:
    """Redoubled sweeps, 1380 each, by the seat after the dealer; the dealer moves on by one, so teams take turns."""
    events: list[Any] = []
    for dealer, team in enumerate(teams):
        seat = (dealer + 1) % 4
        assert seat % 2 == team
        hands = [ALL_TRUMPS[(place - seat + 1) % 4] for place in range(4)]
        events += builders.played(hands, "90S contre surcontre", dealer % 4)
    return events


def test_the_match_ends_with_the_target() -> None:
    said = said_of(sweeps(1))
    assert (said["over"], said["winner"], said["totals"]) == (True, 1, [0, 1380])
    assert not said_of(sweeps(1), target=2000)["over"]


def test_both_over_with_equal_totals_play_on() -> None:
    said = said_of(sweeps(1, 0), target=2000)
    assert (said["over"], said["totals"]) == (False, [1380, 1380])
    said = said_of(sweeps(1, 0, 1, 0), target=2000)
    assert "match.over" in [clause for _, clause, *_ in findings(said)]
    # Both reach 1000 in one deal only together with points of earlier ones: totals are claimed to get there.
    level = [
        documents.deal(builders.ONE_SUIT_A_SEAT, 0),
        *builders.auction("90H pass pass pass"),
        documents.play(0, "7S"),
        documents.play(0, "7S"),
        documents.score([1380, 1380], [1380, 1380]),
    ]
    said = said_of(level)
    assert (said["over"], said["winner"]) == (False, None)
    said = said_of([*level, *sweeps(1)])
    assert (said["over"], said["winner"]) == (True, 1)


def test_cards_are_conserved() -> None:
    """After every event: 32 cards in hands and tricks."""
    for seed in range(6):
        document = chances.legal_match(random.Random(f"conserved {seed}"))
        log = msgspec.convert(document, FORMS["belote-contree"])
        for until in range(0, len(document["events"]) + 1, 3):
            replay = Replay(GAMES["belote-contree"], log)
            replay.run(until=until)
            table = replay.table
            if table.deal_count and not replay.is_skipping:
                laid = len(table.trick) % 4 if table.closed_trick is None else 0
                held = sum(hand.bit_count() for hand in table.hands)
                assert held + 4 * sum(table.tricks_taken) + laid == 32
