"""Several logs of one match: where they agree, where they differ, and which of them is damaged."""

from __future__ import annotations

import json
import random
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from auditor import generate
from auditor.desks import reconciliation, telling
from auditor.desks.alignment import aligned
from auditor.desks.reconciliation import Difference
from auditor.errors import CannotAudit
from auditor.games import GAMES
from tests import documents, golden
from tests.desks.played import run
from tests.documents import Document, inserted, replaced, without

from . import seats

WITH_HANDS = [ruleset for ruleset in GAMES if ruleset != "three-stones"]
#: Every seat's log and the server's; the clients' alone; the server's and that of one seat.
LOGS = {"server and all seats": (0, 1, 2, 3, 4), "all seats": (1, 2, 3, 4), "server and one seat": (0, 2)}


@cache
def server_log(ruleset: str) -> Document:
    """A match that is not too long.

    In rami a card may never be shown and never count: only the proof of the shuffle says which it was.
    """
    matches = generate.matches(GAMES[ruleset], 4, 11, proves_shuffle=ruleset == "rami-tounsi")
    return min(matches, key=lambda document: len(document["events"]))


def views(ruleset: str, which: str = "server and all seats") -> list[Document]:
    every = seats.all_views(server_log(ruleset))
    return [every[at] for at in LOGS[which] if at < len(every)]


def classic(*damaged: tuple[int, Document]) -> list[Document]:
    logs = views("tarneeb-classic")
    for at, document in damaged:
        logs[at] = document
    return logs


def only(documents: list[Document]) -> Difference:
    [difference] = seats.reconcile(documents).differences
    return difference


# --- Agreement ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", LOGS)
@pytest.mark.parametrize("ruleset", GAMES)
def test_the_views_of_one_match_agree(ruleset: str, which: str) -> None:
    found = seats.reconcile(views(ruleset, which))
    assert found.is_clean, found.differences
    assert found.damaged == ()


def test_times_notes_names_and_who_made_a_move_may_differ() -> None:
    server = server_log("tarneeb-classic")
    client = seats.seen_by(1, server)
    events = [event | {"by": "bot", "at": 5} for event in client["events"]]
    events.insert(7, {"type": "note", "text": "hello"})
    players = [{"id": player["id"], "name": "?", "bot": True} for player in client["players"]]
    client |= {"events": events, "players": players, "extra": {"a": 1}, "started": "2026-02-02T00:00:00Z"}
    assert seats.reconcile([server, client]).is_clean


def test_hands_may_be_sorted_in_any_way() -> None:
    server = server_log("tarneeb-classic")
    client = replaced(server, 0, hands=[sorted(hand) for hand in server["events"][0]["hands"]])
    assert seats.reconcile([server, client]).is_clean


def test_nobody_has_to_claim_or_to_keep_a_refused_move() -> None:
    server = server_log("tarneeb-classic")
    silent = without(server, *(at for at, event in enumerate(server["events"]) if event["type"] == "trick"))
    assert seats.reconcile([server, silent]).differences == ()
    at = documents.where(server, "play")
    refused = server["events"][at] | {"seat": (server["events"][at]["seat"] + 1) % 4, "refused": True}
    assert seats.reconcile([inserted(server, at, refused), server]).differences == ()


def test_a_claim_that_a_log_makes_elsewhere_is_missed() -> None:
    server = server_log("tarneeb-classic")
    gap = only([server, without(server, documents.where(server, "trick", 4))])
    assert (gap.kind, gap.damaged, gap.event_of(0)) == ("gap", (), documents.where(server, "trick", 4))


# --- Damage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", seats.DAMAGES)
@pytest.mark.parametrize("ruleset", WITH_HANDS)
def test_of_the_server_and_all_seats_the_damaged_log_is_named(ruleset: str, damage: str) -> None:
    """Whichever of them it is, with the event: the server's, and those of two seats."""
    rng = random.Random(f"{ruleset} {damage}")
    logs = views(ruleset)
    count = 0
    for who in (0, *sorted(rng.sample(range(1, len(logs)), 2))):
        try:
            made = seats.DAMAGES[damage](rng, logs[who])
        except IndexError:  # no such event in this game
            assert (ruleset, damage) == ("rami-tounsi", "another_number")
            continue
        if made is None:
            continue
        count += 1
        found = seats.reconcile([*logs[:who], made.document, *logs[who + 1 :]])
        assert found.damaged == (who,), (who, found.differences)
        first = found.differences[0]
        assert is_named(first, who, made), (who, first, made.there, made.elsewhere)
    assert count or damage in ("another_number", "exchanged")


def is_named(difference: Difference, who: int, damage: seats.Damage) -> bool:
    return any(
        row[who] in damage.there or any(at in damage.elsewhere for log, at in enumerate(row) if log != who)
        for row in difference.rows
    )


@pytest.mark.parametrize("which", ["all seats", "server and one seat"])
@pytest.mark.parametrize("ruleset", WITH_HANDS)
def test_with_fewer_logs_never_the_wrong_one_is_named(ruleset: str, which: str) -> None:
    """It may be that nothing shows which of two is damaged; mostly the rules do."""
    named = count = 0
    logs = views(ruleset, which)
    for damage in seats.DAMAGES:
        rng = random.Random(zlib.crc32(f"{ruleset} {which} {damage}".encode()))
        who = rng.randrange(len(logs))
        try:
            made = seats.DAMAGES[damage](rng, logs[who])
        except IndexError:
            continue
        if made is None:
            continue
        found = seats.reconcile([*logs[:who], made.document, *logs[who + 1 :]])
        assert found.damaged in ((), (who,)), (damage, found.differences)
        count += 1
        named += found.damaged == (who,)
    assert named >= count - 2, (named, count)


def test_damage_in_two_logs_is_told_apart() -> None:
    logs = classic()
    plays = [at for at, event in enumerate(logs[0]["events"]) if event["type"] == "play"]
    logs[1] = without(logs[1], plays[3])
    logs[4] = replaced(logs[4], plays[60], seat=(logs[4]["events"][plays[60]]["seat"] + 1) % 4)
    found = seats.reconcile(logs)
    assert [difference.damaged for difference in found.differences] == [(1,), (4,)]
    assert found.damaged == (1, 4)


def test_a_log_that_breaks_off_lacks_one_stretch() -> None:
    logs = classic()
    logs[2] = logs[2] | {"events": logs[2]["events"][:200]}
    gap = only(logs)
    assert (gap.kind, gap.damaged, gap.evidence) == ("gap", (2,), ("majority",))
    assert len(gap.rows) == len(logs[0]["events"]) - 200
    assert gap.event_of(2) is None
    assert gap.event_of(0) == 200


def test_where_the_rules_are_against_most_logs_it_cannot_be_told() -> None:
    logs = classic()
    at = documents.where(logs[0], "score")
    event = logs[0]["events"][at]
    for number in range(3):
        logs[number] = replaced(logs[number], at, total=[event["total"][0] + 1, event["total"][1]])
    difference = only(logs)
    assert (difference.is_disputed, difference.damaged, difference.event_of(0)) == (True, (), at)
    [wrong, right] = difference.versions
    assert [finding.clause for finding in wrong.contradictions] == ["claim.total"]
    assert (right.logs, right.contradictions) == ((3, 4), ())


def test_what_is_wrong_in_all_logs_is_no_difference() -> None:
    server = server_log("tarneeb-classic")
    at = documents.where(server, "score")
    wrong = replaced(server, at, total=[1, 1])
    found = seats.reconcile(seats.all_views(wrong))
    assert found.differences == ()
    assert not found.is_clean


@pytest.mark.parametrize(
    ("key", "value", "is_damaged"),
    [("options", {"target": 61}, True), ("options", {"target": 31}, False), ("players", None, True)],
)
def test_what_stands_before_the_events_is_compared_too(key: str, value: Any, is_damaged: bool) -> None:
    logs = classic()
    logs[3] = logs[3] | {key: value or [{"id": f"x{seat}"} for seat in range(4)]}
    found = seats.reconcile(logs)
    assert found.damaged == ((3,) if is_damaged else ())
    assert [difference.kind for difference in found.differences] == ["head"] * is_damaged


def test_a_proof_of_the_shuffle_may_be_left_out_but_not_be_another() -> None:
    server, other = (documents.shuffle_proof(client_seed=seed) for seed in ("one", "two"))
    log = documents.match_of("tarneeb-classic", [{"type": "note"}])
    assert seats.reconcile([log | {"shuffle": server}, log]).is_clean
    assert only([log | {"shuffle": server}, log | {"shuffle": other}]).kind == "head"


@pytest.mark.parametrize(("key", "value"), [("match", "another"), ("ruleset", "tarneeb-masrawi")])
def test_logs_of_other_matches_are_not_compared(key: str, value: str) -> None:
    log = documents.match_of("tarneeb-classic", [{"type": "note"}])
    with pytest.raises(CannotAudit, match=f"expected logs of one match, found the {key}"):
        seats.reconcile([log, log | {key: value}])


def test_after_many_differences_the_rules_are_not_asked_any_more() -> None:
    server = server_log("tarneeb-classic")
    events = [event | {"seat": (event["seat"] + 1) % 4} if "seat" in event else event for event in server["events"]]
    found = seats.reconcile([server, server | {"events": events}])
    assert len(found.differences) > reconciliation.MOST_JUDGED
    assert [difference.is_judged for difference in found.differences] == [
        number < reconciliation.MOST_JUDGED for number in range(len(found.differences))
    ]


# --- Alignment and tellings -----------------------------------------------------------------------------------------


def test_every_event_stands_in_one_row_in_the_order_of_its_log() -> None:
    rng = random.Random(3)
    logs = views("tarneeb-classic")
    for who, log in enumerate(logs):
        gone = rng.sample(range(len(log["events"])), 40)
        logs[who] = without(log, *gone)
    matches = [log.match for log in seats.logs_of(logs)]
    rows = aligned([match.events for match in matches])
    for who, match in enumerate(matches):
        assert [row[who] for row in rows if row[who] is not None] == list(range(len(match.events)))


@pytest.mark.parametrize(
    ("name", "one", "other", "expected"),
    [
        ("hands.0", ("7H", "8H"), ("8H", "7H"), True),
        ("hands.0", ("7H", "8H"), ("7H", "9H"), False),
        ("hands.0", ("??", "??"), ("7H", "9H"), True),
        ("hands.0", ("??", "8H"), ("7H", "??"), True),
        ("hands.0", ("??", "??"), ("7H",), False),
        ("hands.0", ("7H", "7H", "??"), ("7H", "8H", "9H"), False),
        ("stock", ("7H", "??"), ("7H", "9H"), True),
        ("stock", ("7H", "??"), ("9H", "7H"), False),
        ("stock", None, ("9H", "7H"), True),
        ("card", None, "7H", True),
        ("card", "8H", "7H", False),
    ],
)
def test_what_is_unseen_agrees_with_what_it_may_be(name: str, one: Any, other: Any, expected: bool) -> None:
    assert telling.agree(name, one, other) is expected
    assert telling.agree(name, other, one) is expected
    if expected:
        both = telling.together(name, one, other)
        assert telling.agree(name, both, one)
        assert telling.agree(name, both, other)


# --- The command ----------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The server's log and those of all seats, on disk."""
    monkeypatch.chdir(tmp_path)
    names = ["server.json", *(f"client-{seat}.json" for seat in range(4))]
    for name, document in zip(names, views("tarneeb-classic"), strict=True):
        Path(name).write_bytes(msgspec.json.encode(document))
    return names


def spoil(name: str) -> int:
    document = json.loads(Path(name).read_bytes())
    at = documents.where(document, "play", 30)
    card = "9C" if document["events"][at]["card"] != "9C" else "8C"
    Path(name).write_text(json.dumps(replaced(document, at, card=card)))
    return at


def test_reconcile_says_that_logs_agree(files: list[str]) -> None:
    result = run("reconcile", *files)
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == "The logs agree."
    assert json.loads(run("reconcile", *files, "--format", "json").output)["differences"] == []


@pytest.mark.parametrize("language", ["en", "ar"])
def test_reconcile_names_the_damaged_log_and_the_event(files: list[str], language: str) -> None:
    at = spoil(files[2])
    result = run("reconcile", *files, "--lang", language)
    assert result.exit_code == 1
    assert "client-1.json" in result.output.splitlines()[-1]
    assert str(at) in result.output
    document = json.loads(run("reconcile", *files, "--format", "json").output)
    assert document["damaged"] == [2]
    assert document["differences"][0]["events"] == [[at] * 5]
    assert document["differences"][0]["evidence"] == ["rules", "majority"]


def test_reconcile_names_a_log_that_is_none(files: list[str]) -> None:
    Path(files[1]).write_bytes(Path(files[1]).read_bytes()[:-9])
    result = run("reconcile", *files)
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == "Damaged: client-0.json"
    assert "The log breaks off here" in result.output
    assert json.loads(run("reconcile", *files, "--format", "json").output)["unreadable"][0]["file"] == files[1]


@pytest.mark.parametrize("wrong", [["server.json"], ["server.json", "no-such-file.json"], []])
def test_reconcile_cannot_compare_one_log_or_one_that_is_not_there(files: list[str], wrong: list[str]) -> None:
    assert run("reconcile", *wrong).exit_code == 2


def test_reconcile_makes_hostile_names_visible(files: list[str]) -> None:
    name = "evil\x1b[31m\u202e.json"
    Path(name).write_bytes(Path(files[1]).read_bytes())
    spoil(name)
    output = run("reconcile", *files, name).output
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert r"evil\u001b[31m\u202e.json" in output


def test_one_file_is_no_two_witnesses(tmp_path: Path) -> None:
    log, link = tmp_path / "log.json", tmp_path / "link.json"
    log.write_bytes((golden.FIXTURES / "tarneeb-classic" / "fault-revoke.json").read_bytes())
    link.symlink_to(log)
    result = run("reconcile", log, link)
    assert result.exit_code == 2
    assert "the same file again" in result.output
