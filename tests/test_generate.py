"""Generated matches are legal, rightly scored, various, and the same for a seed everywhere.

A big run: ``AUDITOR_MATCHES=10000 pytest tests/test_generate.py -n 2``.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from auditor import generate, replay, schema
from auditor.audit import verdict_on
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.verdict import Verdict

Document = dict[str, Any]

CLASSIC = GAMES["tarneeb-classic"]


def kept(ruleset: str) -> int:
    """So many are made for all tests together: what holds for classic Tarneeb is sampled for the others."""
    return 150 if ruleset == CLASSIC.id else 20


def audited(ruleset: str) -> int:
    """So many are audited."""
    return int(os.environ.get("AUDITOR_MATCHES", kept(ruleset)))


@cache
def matches(ruleset: str) -> Sequence[Document]:
    return list(generate.matches(GAMES[ruleset], kept(ruleset), 1, proves_shuffle=True))


@cache
def verdicts(ruleset: str) -> Sequence[Verdict]:
    game = GAMES[ruleset]
    return [replay.audit(game, msgspec.convert(match, game.form)) for match in matches(ruleset)]


def some(options: Document, count: int = 12, seed: int = 3) -> list[Document]:
    return list(generate.matches(CLASSIC, count, seed, options))


def verdict(match: Document) -> Verdict:
    return replay.audit(CLASSIC, msgspec.convert(match, CLASSIC.form))


# --- Clean ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("proves_shuffle", [True, False])
@pytest.mark.parametrize("ruleset", GAMES)
def test_generated_matches_audit_clean(ruleset: str, proves_shuffle: bool) -> None:
    """Half of them with a proof of their shuffles."""
    for match in generate.matches(
        GAMES[ruleset], audited(ruleset) // 2, 11 + proves_shuffle, proves_shuffle=proves_shuffle
    ):
        entry = read_bytes(msgspec.json.encode(match), FORMS)
        assert isinstance(entry, Log), match["match"]
        said = verdict_on(entry)
        assert said.status == "clean", (match["match"], said.first_fault)
        assert {finding.kind for finding in said.findings} <= {"open"}, match["match"]


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_schema_accepts_generated_matches(ruleset: str) -> None:
    validator = Draft202012Validator(schema.bundle(ruleset), format_checker=Draft202012Validator.FORMAT_CHECKER)
    for match in [*generate.matches(GAMES[ruleset], 3, 4, {}, True), *generate.matches(GAMES[ruleset], 2, 5)]:
        assert list(validator.iter_errors(msgspec.json.decode(msgspec.json.encode(match)))) == []


# --- Various --------------------------------------------------------------------------------------------------------


def contracts() -> Iterator[tuple[int, int]]:
    """The bid and the points of the bidding team of every scored deal."""
    for match, said in zip(matches(CLASSIC.id), verdicts(CLASSIC.id), strict=True):
        for deal in said.deals:
            events = match["events"][deal.events[0] : deal.events[1] + 1]
            bids = [event for event in events if event["type"] == "bid"]
            if deal.points is not None:
                yield bids[-1]["tricks"], deal.points[bids[-1]["seat"] % 2]


def test_contracts_are_made_and_failed_in_fair_numbers() -> None:
    made = Counter(points > 0 for _, points in contracts())
    assert min(made[True], made[False]) > 0.1 * made.total(), made
    assert all(points >= bid or points == -bid or (bid, points) == (13, -16) for bid, points in contracts())


def test_deals_are_bid_at_several_heights_and_some_are_void() -> None:
    heights = Counter(bid for bid, _ in contracts())
    outcomes = Counter(deal.outcome for said in verdicts(CLASSIC.id) for deal in said.deals)
    assert len(heights) >= 3
    assert outcomes["void"] > 0
    assert set(outcomes) == {"scored", "void"}


def test_either_side_wins_and_any_seat_deals_first_and_declares() -> None:
    events = [event for match in matches(CLASSIC.id) for event in match["events"]]
    assert {said.winner for said in verdicts(CLASSIC.id)} == {0, 1}
    assert {match["events"][0]["dealer"] for match in matches(CLASSIC.id)} == {0, 1, 2, 3}
    named = {(event["seat"], event["suit"]) for event in events if event["type"] == "trump"}
    assert named == {(seat, suit) for seat in range(4) for suit in "CDHS"}


def test_a_clock_runs_out_now_and_then_in_the_auction_and_in_play() -> None:
    late = Counter(
        event["type"] for match in matches(CLASSIC.id) for event in match["events"] if event.get("by") == "timeout"
    )
    assert set(late) == {"pass", "play"}


def test_all_is_claimed_and_each_trick_once() -> None:
    for match, said in zip(matches(CLASSIC.id), verdicts(CLASSIC.id), strict=True):
        kinds = Counter(event["type"] for event in match["events"])
        assert kinds["play"] == 4 * kinds["trick"] == 52 * kinds["trump"]
        assert kinds["score"] == kinds["deal"] == len(said.deals)
        assert (kinds["result"], match["events"][-1]["type"]) == (1, "result")
        assert all(deal.claimed_totals == deal.totals for deal in said.deals)


@pytest.mark.parametrize("ruleset", GAMES)
def test_each_match_has_its_id_its_players_and_times_that_go_on(ruleset: str) -> None:
    assert len({match["match"] for match in matches(ruleset)}) == kept(ruleset)
    for match in matches(ruleset):
        assert len(match["players"]) in GAMES[ruleset].seat_counts
        times = [event["at"] for event in match["events"]]
        assert all(0 < before < after for before, after in pairwise(times))
        started, ended = (datetime.fromisoformat(match[key]) for key in ("started", "ended"))
        assert ended - started == timedelta(milliseconds=times[-1])


@pytest.mark.parametrize("ruleset", GAMES)
def test_nobody_sits_on_two_seats(ruleset: str) -> None:
    for match in matches(ruleset):
        ids = [player["id"] for player in match["players"]]
        assert len(set(ids)) == len(ids), f"{match['match']}: {ids}"


# --- The same for a seed --------------------------------------------------------------------------------------------

_PROGRAM = """
import sys, msgspec
from auditor import generate
from auditor.games import GAMES
for game in GAMES.values():
    for match in generate.matches(game, 12, 42, proves_shuffle=True):
        sys.stdout.buffer.write(msgspec.json.encode(match) + b"\\n")
"""


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_a_seed_gives_the_same_bytes_in_another_process(hash_seed: str) -> None:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "TZ": "Asia/Damascus", "PYTHONDONTWRITEBYTECODE": "1"}
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", _PROGRAM], cwd=root, env=environment, capture_output=True, check=True)
    made = [match for game in GAMES.values() for match in generate.matches(game, 12, 42, proves_shuffle=True)]
    assert done.stdout.splitlines() == [msgspec.json.encode(match) for match in made]


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_longer_run_begins_with_the_shorter_one(ruleset: str) -> None:
    game = GAMES[ruleset]
    five = list(generate.matches(game, 5, 9))
    assert list(generate.matches(game, 8, 9))[:5] == five
    assert list(islice(generate.matches(game, None, 9), 5)) == five
    assert list(generate.matches(game, 0, 9)) == []


@pytest.mark.parametrize("ruleset", GAMES)
def test_another_seed_gives_other_matches(ruleset: str) -> None:
    first, second = (list(generate.matches(GAMES[ruleset], 5, seed)) for seed in (9, 10))
    assert all(one["events"] != other["events"] for one in first for other in second)


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_proof_is_the_only_difference_that_it_makes(ruleset: str) -> None:
    game = GAMES[ruleset]
    for plain, proved in zip(
        generate.matches(game, 3, 9), generate.matches(game, 3, 9, proves_shuffle=True), strict=True
    ):
        assert {key: value for key, value in proved.items() if key != "shuffle"} == plain


# --- Shuffle proofs -------------------------------------------------------------------------------------------------


def test_the_commitment_is_the_hash_of_the_seed_and_no_two_matches_share_one() -> None:
    proofs = [match["shuffle"] for match in matches(CLASSIC.id)]
    for proof in proofs:
        assert proof["commitment"] == hashlib.sha256(bytes.fromhex(proof["server_seed"])).hexdigest()
    assert len({proof["server_seed"] for proof in proofs}) == len(proofs)


@pytest.mark.parametrize("key", ["server_seed", "client_seed"])
def test_under_another_seed_no_deal_of_a_match_comes_from_the_shuffle(key: str) -> None:
    match = matches(CLASSIC.id)[0]
    seed = "00" * 32
    proof = match["shuffle"] | {key: seed, "commitment": hashlib.sha256(bytes.fromhex(seed)).hexdigest()}
    if key == "client_seed":
        proof["commitment"] = match["shuffle"]["commitment"]
    said = verdict({**match, "shuffle": proof})
    deals = [index for index, event in enumerate(match["events"]) if event["type"] == "deal"]
    assert [(row.clause, row.event) for row in said.findings if row.kind == "illegal"] == [
        ("deal.shuffle", index) for index in deals
    ]


# --- Options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [31, 41, 61])
def test_the_target_is_played_to_and_not_beyond(target: int) -> None:
    for match in some({"target": target}):
        said = verdict(match)
        assert match["options"] == {"target": target}
        assert said.options == {"target": target, "defender_sweep": 16}
        before = said.deals[-2].totals if len(said.deals) > 1 else (0, 0)
        assert max(before) < target <= max(said.deals[-1].totals)


@pytest.mark.parametrize("options", [{}, {"defender_sweep": 13}, {"target": 61, "defender_sweep": 16}])
def test_the_options_stand_in_the_log_as_they_were_given(options: Document) -> None:
    for match in some(options, 3):
        said = verdict(match)
        assert match["options"] == options
        assert said.options == {"target": 31, "defender_sweep": 16} | options


@pytest.mark.parametrize(
    "options",
    [
        {"target": 30},
        {"target": 0},
        {"target": "31"},
        {"target": 31.0},
        {"target": True},
        {"target": None},
        {"target": [31]},
        {"defender_sweep": 14},
        {"defender-sweep": 16},
        {"Target": 31},
        {"target": 31, "rounds": 1},
    ],
)
def test_a_wrong_option_is_refused_in_one_line(options: Document) -> None:
    with pytest.raises(CannotAudit) as refusal:
        some(options, 1)
    assert "\n" not in str(refusal.value)
    assert "/options" in str(refusal.value)
