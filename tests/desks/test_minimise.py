"""``auditor minimise``: the smaller log shows the same finding, and nothing of it can go.

More faults per ruleset: ``AUDITOR_FAULTS=200 pytest tests/desks/test_minimise.py -n 2``.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import pytest

from auditor import faults, generate, position
from auditor.audit import verdict_on
from auditor.desks import testcase
from auditor.desks.baseline import accusing
from auditor.desks.reduction import Reduction, reduced
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.log import Log, Unreadable, read_bytes
from auditor.rulebook import LANGUAGES
from auditor.verdict import Finding
from tests.desks.played import CLASSIC, FIXTURES, Document, faulty, matches, named, run, write

FAULTS_PER_RULESET = int(os.environ.get("AUDITOR_FAULTS", "50"))
#: What these say rests on deals before: totals, who deals next, whether it is over, the number of a shuffle.
REST_ON_EARLIER_DEALS = ("claim.total", "claim.result", "deal.dealer", "round.first", "match.over", "deal.shuffle")
CASES = [(ruleset, fault) for ruleset in GAMES for fault in faults.faults_of(ruleset)]


def log_of(document: Document) -> Log:
    log = read_bytes(msgspec.json.encode(document), FORMS)
    assert not isinstance(log, Unreadable)
    return log


def first_finding(document: Document) -> Finding:
    fault = verdict_on(log_of(document)).first_fault
    assert fault is not None
    return fault


@cache
def short_matches(ruleset: str) -> Sequence[Document]:
    """Some matches of few events, with proofs of their shuffles."""
    made = generate.matches(GAMES[ruleset], 16, 21, None, True)
    return sorted(made, key=lambda match: len(match["events"]))[:8]


def planted(ruleset: str, fault: str) -> Iterator[faults.Planted]:
    """As many matches with this fault as it takes for all of a ruleset; one where earlier deals stay, which is slow."""
    known = faults.faults_of(ruleset)
    slow = sum(clause in REST_ON_EARLIER_DEALS for _, clause, _ in known.values())
    is_slow = known[fault][1] in REST_ON_EARLIER_DEALS
    wanted = 1 if is_slow else -(-(FAULTS_PER_RULESET - slow) // (len(known) - slow))
    for number in range(8 * wanted):
        document = short_matches(ruleset)[number % 8]
        found = faults.plant(GAMES[ruleset], document, fault, Random(f"{fault} {number}"))
        if found is not None:
            yield found
            wanted -= 1
        if not wanted:
            return


def without(document: Document, *gone: int) -> Document:
    return document | {"events": [event for at, event in enumerate(document["events"]) if at not in gone]}


def core(event: Document) -> Document:
    return {key: value for key, value in event.items() if key not in ("at", "by")}


def last_finding(document: Document) -> tuple[str, ...] | None:
    """What is said of the last event, and what was due there, if it is the first one that is accused."""
    log, last = log_of(document), len(document["events"]) - 1
    fault = verdict_on(log).first_fault
    if fault is None or fault.event != last:
        return None
    moment = position.before(GAMES[document["ruleset"]], log.match, last)
    return fault.kind, fault.clause, fault.message(document["ruleset"]), moment.awaited or ""


@pytest.mark.parametrize(("ruleset", "fault"), CASES)
def test_a_planted_fault_is_all_that_is_left(ruleset: str, fault: str) -> None:
    for match in planted(ruleset, fault):
        small = reduced(log_of(match.document))
        document = dict(small.document)
        log_of(document)
        found = first_finding(document)
        assert (found.kind, found.clause) == (match.kind, match.clause)
        assert core(document["events"][found.event or 0]) == core(match.document["events"][match.event])
        assert found.event == len(document["events"]) - 1
        if match.clause not in REST_ON_EARLIER_DEALS:
            assert len(small.verdict.deals) <= 1, f"{len(small.verdict.deals)} deals"
        if match.kind == "illegal" and small.event_count <= 80:
            said = last_finding(document)
            assert [at for at in range(small.event_count - 1) if last_finding(without(document, at)) == said] == []


def test_the_kept_events_are_events_of_the_log_in_their_order() -> None:
    document = faulty("wrong-points")
    rest = iter(map(core, document["events"]))
    assert all(core(event) in rest for event in reduced(log_of(document)).document["events"])


@pytest.mark.parametrize("fault", ["wrong-total", "wrong-result", "wrong-dealer", "deal-after-the-end"])
def test_earlier_deals_stay_where_the_finding_rests_on_them(fault: str) -> None:
    """A right claim becomes a wrong one when deals before it go: that is another finding."""
    document = next(planted(CLASSIC, fault)).document
    before, small = first_finding(document), reduced(log_of(document))
    assert small.finding.expected == before.expected
    assert small.finding.found == before.found
    if fault != "wrong-total":  # a total of the first deal rests on no other
        assert len(small.verdict.deals) >= 2


def test_a_proof_of_shuffles_stays_only_where_it_is_broken() -> None:
    made = matches(CLASSIC, 6, 11, True)[0]
    for fault, is_needed in (("revoke", False), ("unshuffled-deal", True)):
        found = faults.plant(GAMES[CLASSIC], made, fault, Random(3))
        assert found is not None
        assert ("shuffle" in reduced(log_of(found.document)).document) == is_needed


def test_the_head_is_lightened_and_the_match_gets_an_id_of_its_own() -> None:
    document = named(faulty("revoke"), "M" * 200) | {"extra": {"a": 1}, "options": {"target": 41, "defender_sweep": 13}}
    small = reduced(log_of(document)).document
    assert small["match"] == "M" * 192 + "-minimal"
    assert set(small) == {"format", "match", "ruleset", "producer", "players", "events"}
    assert all(set(event) <= {"type", "seat", "card", "dealer", "hands", "tricks", "suit"} for event in small["events"])


def test_an_act_by_the_clock_keeps_the_clock() -> None:
    small = reduced(log_of(faulty("bid-by-the-clock"))).document
    assert [event["by"] for event in small["events"] if "by" in event] == ["timeout"]


def test_an_option_that_matters_stays() -> None:
    game = GAMES["rami-tounsi"]
    options = {"opening": 71, "ace_penalty": 11}
    made = generate.matches(game, None, 5, options)
    found = next(faults.planted(game, made, "low-opening", 1))
    assert reduced(log_of(found.document)).document["options"] == {"opening": 71}


def test_the_same_log_is_reduced_the_same_way_and_no_further() -> None:
    document = faulty("wrong-trick")
    first = reduced(log_of(document)).document
    assert reduced(log_of(document)).document == first
    assert reduced(log_of(dict(first))).document["events"] == first["events"]


def test_every_replay_is_a_step() -> None:
    steps = []
    reduced(log_of(faulty("revoke")), lambda: steps.append(1))
    assert len(steps) > 10


def two_faults() -> Document:
    """A wrong trick in the first deal, and a wrong score in the last."""
    document: Document = msgspec.json.decode(msgspec.json.encode(matches()[0]))
    tricks = [event for event in document["events"] if event["type"] == "trick"]
    tricks[0]["winner"] = (tricks[0]["winner"] + 1) % 4
    scores = [event for event in document["events"] if event["type"] == "score"]
    scores[-1]["deal"][0] += 1
    return document


def test_the_finding_of_an_event_comes_down_to_its_own_deal() -> None:
    log = log_of(two_faults())
    first, last = verdict_on(log).findings[0], verdict_on(log).findings[-1]
    assert (first.clause, last.clause) == ("claim.trick", "claim.score")
    reduction = reduced(log, event=last.event)
    found = reduction.finding
    assert (found.clause, found.expected, found.found) == (last.clause, last.expected, last.found)
    assert reduction.verdict.findings == (found,)
    assert [event["type"] for event in reduction.document["events"]].count("deal") == 1
    assert reduced(log, event=first.event).document == reduced(log).document


def test_an_earlier_finding_stays_where_the_other_follows_from_it() -> None:
    log = log_of(json.loads((FIXTURES / CLASSIC / "fault-revoke.json").read_bytes()))
    revoke, later = verdict_on(log).findings[:2]
    reduction = reduced(log, event=later.event)
    assert [(found.clause, found.facts) for found in reduction.verdict.findings] == [
        (revoke.clause, revoke.facts),
        (later.clause, later.facts),
    ]
    only_test(load_test(testcase.source(reduction.document, reduction.finding)))()


def test_nothing_else_is_accused_before_the_finding_of_an_event() -> None:
    game = GAMES["rami-tounsi"]
    log = log_of(next(faults.planted(game, generate.matches(game, None, 9), "two-jokers", 9)).document)
    findings = accusing(verdict_on(log))
    assert len(findings) > 1
    for finding in findings:
        shown = accusing(reduced(log, event=finding.event).verdict)
        assert {(found.clause, found.seat) for found in shown} <= {(found.clause, found.seat) for found in findings}
        assert shown[-1].clause == finding.clause


def test_an_event_without_a_finding_that_accuses_has_nothing_to_reduce() -> None:
    with pytest.raises(CannotAudit, match="expected a finding that accuses at event 0, found none"):
        reduced(log_of(two_faults()), event=0)


def test_without_a_finding_there_is_nothing_to_reduce() -> None:
    with pytest.raises(CannotAudit, match="expected a match with a finding that accuses, found none"):
        reduced(log_of(matches()[0]))


# --- The command ----------------------------------------------------------------------------------------------------


def test_the_log_goes_to_standard_output_and_is_audited_the_same(tmp_path: Path) -> None:
    result = run("minimise", write(tmp_path / "log.ndjson", faulty("revoke")))
    document = json.loads(result.stdout)
    assert first_finding(document).clause == "play.follow-suit"
    assert len(result.stdout.splitlines()) < len(document["events"]) + 12  # one event a line
    assert result.stderr.startswith(f"{document['match']}: events {len(document['events'])} of ")
    assert result.exit_code == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_are_written_in_place_of_standard_output(language: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.ndjson", matches()[0], named(faulty("revoke"), "wanted"), matches()[1])
    small, test = tmp_path / "small.json", tmp_path / "test_small.py"
    result = run("minimise", log, "--match", "wanted", "-o", small, "--test", test, "--lang", language)
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads(small.read_text(encoding="utf-8"))["match"] == "wanted-minimal"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.ndjson", "small.json", "test_small.py"]
    assert ("events" in result.stderr) == (language == "en")


def test_what_cannot_be_reduced_is_told_in_one_line(tmp_path: Path) -> None:
    log = write(tmp_path / "log.ndjson", matches()[0], matches()[1])
    for arguments in ([log], [log, "--match", matches()[0]["match"]], [log, "--match", "none"], [tmp_path / "no.json"]):
        result = run("minimise", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert len(result.stderr.splitlines()) == 1


# --- The test case --------------------------------------------------------------------------------------------------


def load_test(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(source, "test_small.py", "exec"), names)
    return names


def only_test(names: dict[str, Any]) -> Callable[[], None]:
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    return cast("Callable[[], None]", test)


def small(document: Document) -> Reduction:
    return reduced(log_of(document))


@pytest.mark.parametrize("fault", ["revoke", "wrong-trick", "bid-of-14"])
def test_the_test_case_passes_as_it_is_and_fails_once_the_fault_is_mended(fault: str) -> None:
    reduction = small(faulty(fault))
    names = load_test(testcase.source(reduction.document, reduction.finding))
    test = only_test(names)
    test()
    names["LOG"]["events"].pop()
    with pytest.raises(AssertionError):
        test()


NASTY = ['"""', "'''", "\\", "{0}", "\u202e", "\x00\n", "سلمى", "😀", '"; import os; "', "\\N{BULLET}"]


@pytest.mark.parametrize("text", NASTY)
def test_no_text_of_a_log_becomes_code(text: str) -> None:
    document = named(faulty("revoke"), text) | {"players": [{"id": text}] * 4}
    document["producer"] = {"name": text, "build": text}
    reduction = small(document)
    source = testcase.source(reduction.document, reduction.finding)
    assert source.isascii() or all(char.isascii() or char in "♣♦♥♠" for char in source)
    names = load_test(source)
    assert names["LOG"] == reduction.document
    assert [type(node).__name__ for node in ast.parse(source).body] == [
        *("Expr", "Import", "ImportFrom", "ImportFrom", "ImportFrom", "Assign", "FunctionDef")
    ]


@pytest.mark.parametrize("value", [*NASTY, None, True, 1, -1, ["a", 1], {"a": [None, {"b": False}]}])
def test_a_literal_is_read_back_as_it_was(value: Any) -> None:
    assert ast.literal_eval(testcase.literal(value)) == value


def test_no_file_that_is_there_is_overwritten(tmp_path: Path) -> None:
    log = write(tmp_path / "log.json", faulty("revoke"))
    before = log.read_bytes()
    same = tmp_path / "new"
    tries: list[list[str | Path]] = [["-o", log], ["--test", log], ["-o", same, "--test", same]]
    for arguments in tries:
        assert run("minimise", log, *arguments).exit_code == 2
    assert log.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["log.json"]
