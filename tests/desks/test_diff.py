"""``auditor diff``: where the logs of two builds part, and who is right there."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from auditor.desks.divergence import Divergence, Pairs, Right, Tally, divergence
from auditor.desks.spreadsheet import PARTING_TITLES
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.rulebook import LANGUAGES
from tests.desks.played import CLASSIC, FIXTURES, Document, by, faulty, matches, named, run, write
from tests.documents import one_seat


def log(document: Document) -> Log:
    found = read_bytes(msgspec.json.encode(document), FORMS)
    assert isinstance(found, Log)
    return found


def parted(one: Document, other: Document) -> Divergence:
    found = divergence(log(one), log(other))
    assert found is not None
    return found


def changed(document: Document, change: Callable[[list[Document]], Any]) -> Document:
    """The same match after a change of its events."""
    events = json.loads(json.dumps(document["events"]))
    change(events)
    return document | {"events": events}


def without(*kinds: str) -> Callable[[list[Document]], None]:
    """A change: all events of these types are left out."""

    def change(events: list[Document]) -> None:
        events[:] = [event for event in events if event["type"] not in kinds]

    return change


def first(document: Document, kind: str) -> int:
    return next(at for at, event in enumerate(document["events"]) if event["type"] == kind)


MATCH = matches()[0]


# --- Nothing parts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda events: None,
        lambda events: [event.update(at=7) for event in events],
        lambda events: [event.update(by="bot") for event in events],
        lambda events: [event.update(refused=False) for event in events],
        lambda events: events.insert(3, {"type": "note", "text": "hello"}),
        lambda events: events.append({"type": "note"}),
        without("trick"),
        without("score"),
        lambda events: [
            events.remove(event) for event in list(events) if event["type"] in ("trick", "score", "result")
        ],
        lambda events: [hand.reverse() for event in events for hand in event.get("hands", [])],
    ],
)
def test_times_notes_and_left_out_claims_are_no_difference(change: Callable[[list[Document]], Any]) -> None:
    assert divergence(log(MATCH), log(changed(MATCH, change))) is None
    assert divergence(log(changed(MATCH, change)), log(MATCH)) is None


def test_claims_that_only_the_one_makes_beside_those_that_only_the_other_makes_are_no_difference() -> None:
    tricks = changed(MATCH, without("score", "result"))
    scores = changed(MATCH, without("trick"))
    assert divergence(log(tricks), log(scores)) is None


def test_a_log_of_one_seat_agrees_with_that_of_the_server() -> None:
    assert divergence(log(MATCH), log(one_seat(MATCH, 2))) is None


@pytest.mark.parametrize("ruleset", GAMES)
def test_a_match_of_any_game_agrees_with_itself(ruleset: str) -> None:
    assert divergence(log(matches(ruleset)[0]), log(by(matches(ruleset)[0], "9"))) is None


# --- Where they part, and who is right ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "facts", "clause"),
    [
        ("revoke", ("card",), "play.follow-suit"),
        ("card-not-held", ("card",), "play.in-hand"),
        ("wrong-points", ("deal",), "claim.score"),
        ("wrong-total", ("total",), "claim.total"),
        ("wrong-trick", ("winner",), "claim.trick"),
        ("wrong-result", ("winner",), "claim.result"),
        ("missing-card", ("hands",), "deal.cards"),
        ("bid-of-14", ("tricks",), "auction.range"),
        ("wrong-dealer", ("dealer",), "deal.dealer"),
    ],
)
def test_a_planted_fault_is_where_they_part_and_the_other_log_is_right(
    fault: str, facts: tuple[str, ...], clause: str
) -> None:
    wrong = faulty(fault, 1)
    found, back = parted(matches()[1], wrong), parted(wrong, matches()[1])
    assert (found.right, back.right) == ("one", "other")
    assert found.cause.clauses == back.cause.clauses == (clause,)
    assert found.facts == facts
    assert found.one.index == found.other.index == found.other.faults[0].event


def test_two_legal_choices_are_both_right() -> None:
    at = first(MATCH, "pass")
    seat = MATCH["events"][at]["seat"]

    def bids_instead(events: list[Document]) -> None:
        events[at] = {"type": "bid", "seat": seat, "tricks": 13}

    found = parted(MATCH, changed(MATCH, bids_instead))
    assert (found.right, found.cause.kinds, found.facts) == ("both", ("pass", "bid"), ("type",))


def test_two_faults_leave_neither_right() -> None:
    at = first(MATCH, "bid")

    def bids(tricks: int) -> Document:
        return changed(MATCH, lambda events: events[at].update(tricks=tricks))

    found = parted(bids(2), bids(3))
    assert (found.right, found.cause.clauses) == ("neither", ("auction.range",))


def test_a_log_that_stops_parts_from_one_that_goes_on() -> None:
    at = first(MATCH, "play")
    found = parted(MATCH, MATCH | {"events": MATCH["events"][:at]})
    assert (found.cause.kinds, found.right, found.other.event) == (("play", "end"), "both", None)


def test_a_refused_move_parts_from_one_that_was_taken() -> None:
    at = first(MATCH, "play")
    found = parted(MATCH, changed(MATCH, lambda events: events[at].update(refused=True)))
    assert (found.facts, found.right, found.cause.clauses) == (("refused",), "one", ("refusal.legal",))


def test_other_options_part_before_the_first_event() -> None:
    found = parted(MATCH, MATCH | {"options": {"target": 41}})
    assert (found.facts, found.one.index) == (("options",), 0)
    assert divergence(log(MATCH), log(MATCH | {"options": {"target": 31}})) is None  # that is the default


def test_in_a_broken_deal_nobody_can_say_who_is_right() -> None:
    """Both logs break off from the table at the same place, and part only later."""
    broken = json.loads((FIXTURES / CLASSIC / "fault-revoke.json").read_text(encoding="utf-8"))
    at = 42
    assert broken["events"][at]["type"] == "play"
    found = parted(broken, changed(broken, lambda events: events[at].update(card="2C")))
    assert (found.one.index, found.right) == (at, "unjudged")


def test_claims_before_the_parting_are_passed_over_on_the_side_that_has_them() -> None:
    wrong = faulty("revoke", 1)
    bare = changed(matches()[1], without("trick"))
    found = parted(bare, wrong)
    assert found.right == "one"
    assert found.one.index < found.other.index
    assert found.one.table.hands == found.other.table.hands


# --- Groups ---------------------------------------------------------------------------------------------------------


def test_the_same_cause_makes_one_group_and_another_cause_another() -> None:
    tally = Tally()
    for number in range(4):
        tally.add(divergence(log(matches()[number]), log(faulty("revoke", number))))
    tally.add(divergence(log(matches()[4]), log(faulty("wrong-trick", 4))))
    tally.add(divergence(log(faulty("revoke", 5)), log(matches()[5])))
    tally.add(divergence(log(MATCH), log(MATCH)))
    assert [(group.count, group.cause.right, group.cause.clauses) for group in tally.groups()] == [
        (4, "one", ("play.follow-suit",)),
        (1, "other", ("play.follow-suit",)),
        (1, "one", ("claim.trick",)),
    ]
    assert (tally.same, tally.parted) == (1, 6)


# --- Pairs ----------------------------------------------------------------------------------------------------------


def pairs(ours: list[Document], theirs: list[Document]) -> tuple[list[tuple[str, str]], tuple[int, int]]:
    found = Pairs(map(log, ours), map(log, theirs))
    return [(one.match.match, other.match.match) for one, other in found], found.lonely


def test_logs_of_one_id_belong_together_whatever_their_order() -> None:
    ours = [named(match, f"m{number}") for number, match in enumerate(matches())]
    theirs = [named(match, f"m{number}") for number, match in reversed(list(enumerate(matches()[:4])))]
    assert pairs(ours, [*theirs, named(MATCH, "other")]) == (
        [("m3", "m3"), ("m2", "m2"), ("m1", "m1"), ("m0", "m0")],
        (2, 1),
    )


def test_several_logs_of_one_id_are_paired_one_by_one() -> None:
    twice = [named(MATCH, "m"), named(matches()[1], "m")]
    assert pairs(twice, twice[:1]) == ([("m", "m")], (1, 0))
    assert pairs(twice, twice) == ([("m", "m"), ("m", "m")], (0, 0))


def test_logs_of_one_shuffle_and_the_same_options_belong_together() -> None:
    proven = matches(CLASSIC, 2, 11, True)
    ours = [named(match, f"a{number}") for number, match in enumerate(proven)]
    theirs = [named(match, f"b{number}") for number, match in enumerate(proven)]
    assert pairs(ours, theirs) == ([("a0", "b0"), ("a1", "b1")], (0, 0))
    others = [theirs[0] | {"options": {"target": 41}}, theirs[1] | {"options": {"target": 31}}]
    assert pairs(ours, others) == ([("a1", "b1")], (1, 1))


def test_another_ruleset_is_another_match() -> None:
    masrawi = named(matches("tarneeb-masrawi")[0], "m")
    assert pairs([named(MATCH, "m")], [masrawi]) == ([], (1, 1))


# --- The command ----------------------------------------------------------------------------------------------------


def two_builds(folder: Path) -> tuple[Path, Path]:
    ours = [by(match, "41") for match in matches()]
    theirs = [by(match, "42") for match in matches()]
    theirs[1] = by(faulty("revoke", 1), "42")
    theirs[2] = by(faulty("revoke", 2), "42")
    theirs[4] = by(named(faulty("revoke", 4), "elsewhere"), "42")
    return write(folder / "a.ndjson", *ours), write(folder / "b.ndjson", *theirs)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_group_shows_one_match_with_both_events_and_the_table(language: str, tmp_path: Path) -> None:
    ours, theirs = two_builds(tmp_path)
    result = run("diff", ours, theirs, "--lang", language)
    text = result.stdout
    assert result.exit_code == 1
    if language == "en":
        assert text.startswith(f"×2: {CLASSIC}, play (card), A is right by the rules, play.follow-suit\n")
        assert f"    A: {ours}:2, event " in text
        assert f"    B: {theirs}:2, event " in text
        assert "    the table before it, in both\n" in text
        assert text.endswith("matches compared: 5 (the same 3, parted 2); only in A: 1; only in B: 1\n")
    else:
        assert "أ على صواب حسب القواعد" in text
        assert "الطاولة قبله في السجلّين" in text


def test_both_tables_are_shown_where_they_differ(tmp_path: Path) -> None:
    other = write(tmp_path / "b.ndjson", MATCH | {"options": {"target": 41}, "players": [{"id": "x"}] * 4})
    short = write(tmp_path / "a.ndjson", one_seat(MATCH, 0) | {"events": one_seat(MATCH, 0)["events"][:6]})
    full = write(tmp_path / "c.ndjson", MATCH)
    assert "in both" in run("diff", full, other).stdout
    text = run("diff", full, short).stdout
    assert "the table before it in A" in text
    assert "the table before it in B" in text


def test_exit_codes(tmp_path: Path) -> None:
    ours, theirs = two_builds(tmp_path)
    assert run("diff", ours, ours).exit_code == 0
    assert run("diff", ours, theirs).exit_code == 1
    assert run("diff", ours, tmp_path / "none.json").exit_code == 2
    nothing = run("diff", ours, write(tmp_path / "c.ndjson", named(MATCH, "c")))
    assert nothing.exit_code == 2
    assert "expected logs of the same matches, found none" in nothing.stderr


def test_what_is_no_match_log_is_told_and_counted(tmp_path: Path) -> None:
    ours, _ = two_builds(tmp_path)
    theirs = tmp_path / "d.ndjson"
    theirs.write_bytes(ours.read_bytes() + b"{}\n")
    result = run("diff", ours, theirs)
    assert result.stdout.endswith("only in B: 0; no match logs: 1\n")
    assert f"{theirs}:7" in result.stderr
    assert result.exit_code == 1


def test_each_pair_that_parts_is_a_row(tmp_path: Path) -> None:
    ours, theirs = two_builds(tmp_path)
    result = run("diff", ours, theirs, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["right"], row["facts"], row["clauses"], row["line_a"], row["line_b"]) for row in rows] == [
        ("one", "card", "play.follow-suit", "2", "2"),
        ("one", "card", "play.follow-suit", "3", "3"),
    ]
    assert rows[0]["match_a"] == rows[0]["match_b"] == matches()[1]["match"]
    assert result.exit_code == 1


def test_each_column_and_who_may_be_right_is_on_the_page() -> None:
    page = (FIXTURES.parent / "docs" / "regression-desk.md").read_text(encoding="utf-8")
    table = page[page.index("| column | what it says |") :].partition("\n\n")[0]
    told = re.findall("`([a-z_]+)`", "".join(line.split("|")[1] for line in table.splitlines()))
    assert sorted(told) == sorted(PARTING_TITLES)
    [right] = [line for line in table.splitlines() if line.startswith("| `right` |")]
    assert re.findall("`([a-z]+)`", right) == ["right", *get_args(Right)]


def test_the_rows_of_hostile_names_begin_no_formula(tmp_path: Path) -> None:
    ours = write(tmp_path / "a.ndjson", named(matches()[1], "=1+1"))
    theirs = write(tmp_path / "b.ndjson", named(faulty("revoke", 1), "=1+1"))
    [row] = csv.DictReader(io.StringIO(run("diff", ours, theirs, "--format", "csv").stdout))
    assert row["match_a"] == row["match_b"] == "'=1+1"
