"""One log under several rulesets, options and readings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from auditor.audit import verdict_on
from auditor.desks.adjudication import Opinion, adjudicated
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.verdict import to_json
from tests import golden
from tests.desks import played
from tests.desks.played import FIXTURES, run

SWEEP = FIXTURES / "tarneeb-classic" / "defender-sweep.json"
CONFIRMED = FIXTURES / "tarneeb-masrawi" / "confirmed.json"
REVOKE = FIXTURES / "tarneeb-classic" / "fault-revoke.json"


def log_of(path: Path) -> Log:
    entry = read_bytes(path.read_bytes(), FORMS, str(path))
    assert isinstance(entry, Log)
    return entry


def rewritten(log: Log, **keys: Any) -> Log:
    document = msgspec.json.decode(log.canonical) | keys
    entry = read_bytes(msgspec.json.encode(document), FORMS)
    assert isinstance(entry, Log)
    return entry


def totals_by_reading(opinion: Opinion, clause: str) -> dict[str, tuple[int, ...]]:
    [point] = [point for point in opinion.open_points if point.clause == clause]
    return {reading.reading: reading.totals for reading in point.readings}


def test_without_anything_else_it_is_the_log_as_it_says() -> None:
    log = log_of(REVOKE)
    [own] = adjudicated(log)
    assert to_json(own.verdict) == to_json(verdict_on(log))
    assert own.is_own
    assert own.fault == verdict_on(log).first_fault


def test_under_other_options_it_is_the_verdict_on_the_log_with_these_options() -> None:
    log = log_of(SWEEP)
    own, other = adjudicated(log, option_sets=[{"defender_sweep": 13}])
    again = verdict_on(rewritten(log, options={"defender_sweep": 13}))
    assert other.verdict.findings == again.findings
    assert other.verdict.totals == again.totals
    assert own.fault is None
    assert other.fault is not None
    assert other.fault.clause == "claim.score"


def test_the_digest_is_that_of_the_log_and_not_of_what_was_made_of_it() -> None:
    log = log_of(CONFIRMED)
    opinions = adjudicated(log, ["tarneeb-masrawi-dakak", "three-stones"], [])
    assert {opinion.verdict.log_digest for opinion in opinions} == {log.digest}


def test_what_another_ruleset_does_not_know_is_no_accusation() -> None:
    log = log_of(CONFIRMED)
    _, other = adjudicated(log, ["tarneeb-masrawi-dakak"])
    assert (other.is_readable, other.fault) == (False, None)
    first = other.verdict.findings[0]
    assert first.event is not None
    assert log.match.events[first.event].__struct_config__.tag == "accept"


def test_options_of_the_log_are_kept_where_the_ruleset_has_them_and_said_where_not() -> None:
    log = rewritten(log_of(SWEEP), options={"target": 41, "defender_sweep": 13})
    _, dakak, belote = adjudicated(log, ["tarneeb-masrawi-dakak", "belote-contree"])
    assert (dakak.options, dakak.left_out) == ({"target": 41}, ("defender_sweep",))
    assert (belote.options, belote.left_out) == ({}, ("target", "defender_sweep"))


def test_a_set_goes_before_the_options_of_the_log() -> None:
    log = rewritten(log_of(SWEEP), options={"target": 41})
    _, other = adjudicated(log, option_sets=[{"target": 61}])
    assert other.options == {"target": 61}
    assert adjudicated(log, option_sets=[{"target": 41}])[1:] == ()


def test_a_set_that_no_ruleset_has_is_a_wrong_use_and_one_that_some_have_is_passed_over() -> None:
    log = log_of(SWEEP)
    for chosen, said in (
        ({"target": 40}, r"^tarneeb-classic: /options/target: Expected 31, 41, 61; found 40\.$"),
        ({"target": 41, "goal": 40}, r"^tarneeb-classic: /options/goal: Expected only known keys .* “goal”\.$"),
    ):
        with pytest.raises(CannotAudit, match=said):
            adjudicated(log, option_sets=[chosen])
    with pytest.raises(CannotAudit, match=r"^rami-tounsi: /options/goal: .* belote-contree: /options/goal: "):
        adjudicated(log, ["rami-tounsi", "belote-contree"], [{"goal": 40}])
    opinions = adjudicated(log, ["tarneeb-classic", "belote-contree"], [{"defender_sweep": 13}])
    assert [opinion.ruleset for opinion in opinions] == ["tarneeb-classic", "tarneeb-classic"]


def test_each_reading_of_an_open_point_has_its_score() -> None:
    [own] = adjudicated(log_of(SWEEP))
    assert totals_by_reading(own, "open.defender-sweep") == {"16": (16, -7), "13": (13, -7)}
    [point] = own.open_points
    assert [reading.is_taken for reading in point.readings] == [True, False]


def test_a_reading_of_the_score_is_that_of_the_match_in_which_an_option_settles_it() -> None:
    """Where an option settles the point, the totals are those of a log that names it and claims nothing."""
    log = log_of(SWEEP)
    events = msgspec.json.decode(log.canonical)["events"]
    bare = rewritten(log, events=[event for event in events if event["type"] not in ("score", "result")])
    own, *settled = adjudicated(bare, option_sets=[{"defender_sweep": 16}, {"defender_sweep": 13}])
    by_option = {str(opinion.options["defender_sweep"]): opinion.verdict.totals for opinion in settled}
    assert totals_by_reading(own, "open.defender-sweep") == by_option
    assert all(opinion.open_points == () for opinion in settled)


@pytest.mark.parametrize("path", golden.logs()[::12], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_fixture_has_an_opinion_under_every_ruleset(path: Path) -> None:
    entry = read_bytes(path.read_bytes(), FORMS, str(path))
    if not isinstance(entry, Log):
        return
    opinions = adjudicated(entry, list(GAMES))
    assert len(opinions) == len(GAMES)
    for opinion in opinions:
        for point in opinion.open_points:
            taken = [reading.totals for reading in point.readings if reading.is_taken]
            assert all(totals == opinion.verdict.totals for totals in taken)


# --- The command ----------------------------------------------------------------------------------------------------


def test_adjudicate_says_where_the_rulesets_differ() -> None:
    result = run("adjudicate", SWEEP, "--option", "defender_sweep=13,target=41")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[-2].endswith("as the log says: legal as far as it goes")
    assert lines[-1].endswith("defender_sweep=13, target=41): legal, and wrongly scored")


def test_adjudicate_names_the_event_at_which_it_is_broken() -> None:
    path = FIXTURES / "rami-tounsi" / "clean-two-seats-13-cards.json"
    result = run("adjudicate", path, "--option", "opening=71")
    own, other = adjudicated(log_of(path), option_sets=[{"opening": 71}])
    assert own.fault is None
    assert other.fault is not None
    assert result.output.splitlines()[-1].endswith(f": broken at event {other.fault.event}")


def test_adjudicate_json_has_the_verdicts_and_the_readings() -> None:
    result = run("adjudicate", SWEEP, "--option", "defender_sweep=13", "--format", "json")
    document = json.loads(result.output)
    assert [row["own"] for row in document["opinions"]] == [True, False]
    assert document["opinions"][0]["verdict"]["log_digest"] == document["log_digest"]
    point = document["opinions"][0]["open_points"][0]
    assert [reading["totals"] for reading in point["readings"]] == [[16, -7], [13, -7]]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([CONFIRMED], 0),
        ([CONFIRMED, "--rulesets", "tarneeb-masrawi-dakak"], 0),
        ([REVOKE], 1),
        ([SWEEP, "--rulesets", "whist"], 2),
        ([SWEEP, "--option", "target"], 2),
        ([SWEEP, "--option", "target=7"], 2),
        (["no-such-file.json"], 2),
        ([FIXTURES / "tarneeb-classic" / "invalid.json"], 2),
    ],
)
def test_adjudicate_ends_with_1_for_findings_and_2_for_what_cannot_be_judged(arguments: list[Any], code: int) -> None:
    assert run("adjudicate", *arguments).exit_code == code


@pytest.mark.parametrize("fault", ["revoke", "wrong-points"])
def test_adjudicate_speaks_arabic(fault: str, tmp_path: Path) -> None:
    path = played.write(tmp_path / "a.ndjson", played.faulty(fault))
    lines = run("adjudicate", path, "--rulesets", "tarneeb-masrawi", "--lang", "ar").output.splitlines()
    assert "الخلاصة" in lines
    assert "cannot be read" not in "".join(lines)
