"""The command line: what each command prints, on which stream, and with which exit code it ends."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from auditor import generate, rulebook, schema
from auditor.audit import verdict_on
from auditor.cli import main
from auditor.cli.program import ROOMS
from auditor.games import FORMS, GAMES
from auditor.log import read_bytes
from auditor.rulebook import LANGUAGES, Language, card_sign
from auditor.verdict import Verdict, to_json
from tests import golden
from tests.store import samples

Document = dict[str, Any]

ROOT = Path(__file__).parent.parent
CLASSIC = GAMES["tarneeb-classic"]
FIXTURES = golden.FIXTURES / CLASSIC.id

CLEAN = str(FIXTURES / "clean-to-31.json")
ILLEGAL = str(FIXTURES / "fault-revoke.json")
MISSCORED = str(FIXTURES / "fault-wrong-points.json")
INCOMPLETE = str(FIXTURES / "broken-off.json")
INVALID = str(FIXTURES / "invalid.json")
MISSING = "no-such-file.json"


def run(*arguments: str, text: bytes | None = None) -> Result:
    result = CliRunner(env={"FORCE_COLOR": None}).invoke(main, arguments, input=text, prog_name="auditor")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def complaint(result: Result) -> str:
    """The one line that says why the auditor could not act; nothing else was printed."""
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("auditor: ")
    return lines[0]


def process(*arguments: str, **keys: Any) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    command = [sys.executable, "-c", "from auditor.cli import main; main(prog_name='auditor')", *arguments]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | keys.pop("env", {})
    keys.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen(command, cwd=ROOT, env=environment, **keys)


def verdict_of(path: str) -> Verdict:
    return verdict_on(read_bytes(Path(path).read_bytes(), FORMS, path))


@cache
def made(count: int) -> Sequence[Document]:
    return list(generate.matches(CLASSIC, count, 5))


def lines_of(*matches: Document) -> bytes:
    return b"".join(msgspec.json.encode(match) + b"\n" for match in matches)


# --- audit: exit codes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "code"),
    [
        ([CLEAN], 0),
        ([ILLEGAL], 1),
        ([MISSCORED], 1),
        ([INVALID], 1),
        ([INCOMPLETE], 0),
        ([MISSING], 2),
        ([CLEAN, INCOMPLETE], 0),
        ([CLEAN, ILLEGAL, CLEAN], 1),
        ([INVALID, CLEAN], 1),
        ([CLEAN, MISSING], 2),
        ([MISSING, ILLEGAL], 2),
        ([str(FIXTURES)], 1),
        (["no-such-folder/*.json"], 2),
        ([], 2),
    ],
    ids=lambda value: " ".join(Path(path).stem for path in value) or "nothing" if isinstance(value, list) else None,
)
@pytest.mark.parametrize("form", ["text", "json", "ndjson"])
def test_audit_ends_with_0_for_clean_1_for_findings_2_for_what_could_not_be_audited(
    paths: list[str], code: int, form: str
) -> None:
    assert run("audit", *paths, "--format", form).exit_code == code


@pytest.mark.parametrize(
    ("fail_on", "paths", "code"),
    [
        ("incomplete", [INCOMPLETE], 1),
        ("incomplete", [CLEAN], 0),
        ("incomplete", [ILLEGAL, INVALID, MISSCORED], 0),
        ("illegal", [ILLEGAL], 1),
        ("illegal", [MISSCORED, INVALID], 0),
        ("misscored,invalid", [ILLEGAL], 0),
        ("misscored, invalid", [ILLEGAL, INVALID], 1),
        ("none", [ILLEGAL, MISSCORED, INVALID, INCOMPLETE], 0),
        ("none", [MISSING], 2),
        ("incomplete", [MISSING], 2),
        ("clean", [CLEAN], 2),
        ("nonsense", [CLEAN], 2),
        ("illegal,nonsense", [CLEAN], 2),
        ("illegal;invalid", [CLEAN], 2),
        ("Illegal", [CLEAN], 2),
        ("none,illegal", [CLEAN], 2),
        ("", [CLEAN], 2),
        ("illegal,", [CLEAN], 2),
    ],
    ids=lambda value: " ".join(Path(path).stem for path in value) if isinstance(value, list) else None,
)
def test_fail_on_says_which_statuses_end_with_1(fail_on: str, paths: list[str], code: int) -> None:
    result = run("audit", *paths, "--fail-on", fail_on, "--format", "ndjson")
    assert result.exit_code == code
    if code == 2 and paths == [CLEAN]:
        assert result.stdout == ""
        assert "--fail-on" in result.stderr
        assert "illegal" in result.stderr


def test_a_wrong_format_language_or_option_is_a_wrong_use() -> None:
    for wrong in (["--format", "xml"], ["--lang", "fr"], ["--no-such-option"]):
        result = run("audit", CLEAN, *wrong)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "Usage: auditor audit" in result.stderr


def test_an_argument_that_is_no_text_is_told_in_one_line(tmp_path: Path) -> None:
    baseline = str(tmp_path / "b.json")
    for arguments in (
        ["check", ILLEGAL, "--baseline", baseline, "--update-baseline", "--reason", os.fsdecode(b"caf\xe9")],
        ["adjudicate", CLEAN, "--option", os.fsdecode(b"\xff=1")],
        ["generate", CLASSIC.id, "--option", os.fsdecode(b"x\xff=1")],
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert result.stderr.splitlines()[-1].startswith("auditor: expected text in UTF-8, found other bytes in “")
    assert not Path(baseline).exists()


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("--summary goes with --format github", "audit LOG --summary FILE"),
        ("--summary goes with --format github", "check LOG --baseline FILE --summary FILE"),
        ("--prune goes with --update-baseline", "check LOG --baseline FILE --prune"),
        ("--reason goes with --update-baseline", "check LOG --baseline FILE --reason why"),
        ("--trick goes with --deal", "explain LOG --trick 1"),
    ],
)
def test_an_option_that_would_do_nothing_without_another_is_a_wrong_use(said: str, line: str, tmp_path: Path) -> None:
    result = run(*line.replace("LOG", CLEAN).replace("FILE", str(tmp_path / "file")).split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == f"Error: {said}"
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("line", ["audit LOG", "check LOG --baseline FILE"])
def test_a_summary_that_cannot_be_written_is_told_before_the_work_begins(line: str, tmp_path: Path) -> None:
    summary = str(tmp_path / "no-folder" / "summary.md")
    words = line.replace("LOG", CLEAN).replace("FILE", str(tmp_path / "file")).split()
    said = complaint(run(*words, "--format", "github", "--summary", summary))
    assert said.endswith(f"{summary}: expected a folder to make the summary in, found none")


# --- audit: ndjson and json -----------------------------------------------------------------------------------------


def test_ndjson_is_exactly_one_verdict_a_line_in_input_order_and_nothing_else() -> None:
    paths = [INVALID, CLEAN, ILLEGAL, INCOMPLETE, CLEAN, MISSCORED]
    result = run("audit", *paths, "--format", "ndjson")
    assert result.stdout_bytes == b"".join(to_json(verdict_of(path)) + b"\n" for path in paths)
    assert result.stderr == ""


def test_ndjson_of_a_folder_goes_by_name_and_leaves_expected_verdicts_out() -> None:
    result = run("audit", str(FIXTURES), "--format", "ndjson")
    logs = sorted(path for path in golden.logs() if path.parent == FIXTURES)
    assert result.stdout_bytes.splitlines() == [to_json(verdict_of(str(path))) for path in logs]


def test_ndjson_of_an_archive_has_a_line_for_what_is_no_match_too(tmp_path: Path) -> None:
    first, second, third = made(3)
    path = tmp_path / "archive.ndjson"
    path.write_bytes(lines_of(first) + b"\n{no match}\n" + lines_of(second) + b"  \n[]\n" + lines_of(third)[:-200])
    result = run("audit", str(path), MISSING, "--format", "ndjson")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["match"], row["status"]) for row in rows] == [
        (first["match"], "clean"),
        (None, "invalid"),
        (second["match"], "clean"),
        (None, "invalid"),
        (third["match"], "invalid"),
        (None, "invalid"),
    ]
    assert [row["findings"][0]["place"]["line"] for row in rows if row["status"] == "invalid"] == [3, 6, 7, 1]
    assert result.exit_code == 2


@pytest.mark.parametrize("as_array", [True, False])
def test_standard_input_is_read_for_a_dash(as_array: bool) -> None:
    text = msgspec.json.encode(made(3)) if as_array else lines_of(*made(3))
    result = run("audit", "-", "--format", "ndjson", text=text)
    assert [json.loads(line)["match"] for line in result.stdout.splitlines()] == [row["match"] for row in made(3)]
    assert (result.exit_code, result.stderr) == (0, "")


def test_nothing_on_standard_input_is_no_log() -> None:
    result = run("audit", "-", "--format", "ndjson", text=b"")
    assert result.exit_code != 0
    assert all(json.loads(line)["status"] == "invalid" for line in result.stdout.splitlines())


@pytest.mark.parametrize("count", [0, 1, 3])
def test_json_is_one_array_whatever_it_holds(count: int, tmp_path: Path) -> None:
    path = tmp_path / "matches.json"
    path.write_bytes(msgspec.json.encode(made(3)[:count]))
    result = run("audit", str(path), "--format", "json")
    array = json.loads(result.stdout)
    assert [row["match"] for row in array] == [row["match"] for row in made(3)[:count]]
    assert [msgspec.json.encode(row, order="sorted") for row in array] == [
        line.encode() for line in run("audit", str(path), "--format", "ndjson").stdout.splitlines()
    ]


def test_verdicts_are_printed_in_english_whatever_the_language() -> None:
    for form in ("json", "ndjson"):
        found = [run("audit", ILLEGAL, "--format", form, "--lang", language).stdout for language in LANGUAGES]
        assert found[0] == found[1]


# --- audit: text ----------------------------------------------------------------------------------------------------

FAULTY = sorted(str(path) for path in FIXTURES.glob("fault-*.json") if ".verdict." not in path.name)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", FAULTY, ids=lambda path: Path(path).stem)
def test_text_tells_the_first_fault_in_full(path: str, language: Language) -> None:
    verdict = verdict_of(path)
    fault = verdict.first_fault
    assert fault is not None
    said = run("audit", path, "--lang", language).stdout
    assert fault.message(verdict.ruleset, language) in said
    assert fault.clause in said
    assert f"{rulebook.word(fault.kind, language)}" in said
    assert re.search(rf"\b{fault.event}\b", said)
    assert rulebook.word(verdict.status, language) in said
    for code in fault.legal or ():
        assert card_sign(code) in said or rulebook.word(code, language) in said


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "en",
            [
                r"illegal +fault-revoke +tarneeb-classic +2 +9 / 9 +–",
                r" +event 22, seat 2 +play\.follow-suit +\(illegal\)",
                r" +Seat 2 plays 2♠ while it can follow suit in diamonds\.",
                r" +legal here: 8♦ J♦",
                r"matches: 1 \(illegal 1\)",
            ],
        ),
        (
            "ar",
            [
                r"مخالفة +fault-revoke +tarneeb-classic +2 +9 / 9 +–",
                r" +الحدث 22، المقعد 2 +play\.follow-suit +\(مخالفة\)",
                r" +لعب المقعد 2 الورقة 2♠ وفي يده من الشكل المقود \(ديناري\)\.",
                r" +القانوني هنا: 8♦ J♦",
                r"المباريات: 1 \(مخالفة 1\)",
            ],
        ),
    ],
)
def test_text_is_a_table_with_the_fault_below_its_match(language: str, lines: list[str]) -> None:
    said = iter(re.sub("[\u2066-\u2069]", "", run("audit", ILLEGAL, "--lang", language).stdout).splitlines())
    for line in lines:
        assert any(re.fullmatch(line, other.rstrip()) for other in said), line


def test_quiet_leaves_out_what_is_clean_and_counts_it() -> None:
    loud = run("audit", CLEAN, ILLEGAL, INCOMPLETE)
    quiet = run("audit", CLEAN, ILLEGAL, INCOMPLETE, "--quiet")
    left_out = set(loud.stdout.splitlines()) - set(quiet.stdout.splitlines())
    assert [line.split()[:2] for line in left_out] == [["clean", "clean-to-31"]]
    assert quiet.stdout.splitlines()[-1] == loud.stdout.splitlines()[-1]
    assert "clean 1" in quiet.stdout
    assert (quiet.exit_code, loud.exit_code) == (1, 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_cannot_be_read_is_told_with_its_place(language: Language) -> None:
    finding = verdict_of(INVALID).findings[0]
    assert finding.place is not None
    said = run("audit", INVALID, "--lang", language).stdout
    assert f"{INVALID}:{finding.place.line}" in said
    assert finding.place.pointer in said
    assert finding.message(CLASSIC.id, language) in said


# --- Text that a log brings -----------------------------------------------------------------------------------------

_UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]")
_NASTY = "a\x1b[31mb\nc\u202ed\re"
_SHOWN = r"a\u001b[31mb\u000ac\u202ed\u000de"


def nasty_match() -> Document:
    """A match that begins with an illegal event, with control characters wherever its text is free."""
    match = made(1)[0]
    events = [{"type": "pass", "seat": 1, "at": 3}, *match["events"]]
    players = [{"id": f"{_NASTY}{seat}", "name": f"{_NASTY}[bold]{seat}[/bold]"} for seat in range(4)]
    return {**match, "match": f"{_NASTY}[bold]x[/bold]:smile:", "players": players, "events": events}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", ["audit", "explain"])
def test_control_characters_of_a_log_are_shown_as_escapes(command: str, language: str) -> None:
    said = run(command, "-", "--lang", language, text=lines_of(nasty_match())).stdout
    assert f"{_SHOWN}[bold]x[/bold]:smile:" in said
    assert _UNSEEN.findall(said) == []
    if command == "explain":
        assert said.count(_SHOWN) == 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_control_characters_of_what_is_no_match_are_shown_as_escapes(language: str) -> None:
    wrong = {**nasty_match(), "ruleset": _NASTY, _NASTY: 1, "players": [{_NASTY: 1}], "events": [{"type": _NASTY}]}
    said = run("audit", "-", "--lang", language, text=lines_of(wrong, {_NASTY: 1})).stdout
    assert r"\u001b[31m" in said
    assert _UNSEEN.findall(said) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file names")
def test_control_characters_of_a_file_name_are_shown_as_escapes(tmp_path: Path) -> None:
    path = tmp_path / f"{_NASTY}.json"
    path.write_bytes(b"[")
    for arguments in (["audit", str(path)], ["audit", f"{path}.none.json"], ["explain", str(path)]):
        result = run(*arguments)
        assert _SHOWN in result.output
        assert _UNSEEN.findall(result.output) == []


def test_control_characters_of_an_argument_are_shown_as_escapes() -> None:
    said = complaint(run("explain", ILLEGAL, "--match", _NASTY))
    assert _UNSEEN.findall(said) == []


# --- explain --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", FAULTY, ids=lambda path: Path(path).stem)
def test_explain_shows_the_first_fault_the_table_before_it_and_the_clause(path: str, language: Language) -> None:
    verdict = verdict_of(path)
    fault = verdict.first_fault
    assert fault is not None
    result = run("explain", path, "--lang", language)
    entry = rulebook.entry(verdict.ruleset, fault.clause)
    for text in (fault.message(verdict.ruleset, language), fault.clause, entry.rule[language], entry.source):
        assert text in result.stdout
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == run("explain", path, "--event", str(fault.event), "--lang", language).stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_explain_shows_every_event_of_a_match_and_its_end(language: str) -> None:
    count = len(json.loads(Path(INCOMPLETE).read_bytes())["events"])
    for index in [*range(0, count, 17), count - 1, count]:
        result = run("explain", INCOMPLETE, "--event", str(index), "--lang", language)
        assert (result.exit_code, result.stderr) == (0, "")
        assert re.search(rf"\b{index}\b", result.stdout.splitlines()[0])


def test_explain_shows_hands_trick_contract_and_what_is_legal() -> None:
    said = run("explain", ILLEGAL, "--event", "22").stdout.splitlines()
    assert said[0] == "Match fault-revoke, before event 22"
    for line in (
        "contract: seat 0, 7",
        "trump: clubs",
        "tricks taken: 1 / 2 / 0 / 0",
        "trick: seat 1 Q♦",
        "  seat 2 (Idris): 6♣ 7♣ Q♣ A♣ 8♦ J♦ 6♥ 2♠ 9♠ A♠",
        "legal here: 8♦ J♦",
        "the log has: play: seat 2, card 2♠",
    ):
        assert line in said


WRONG_RESULT = str(golden.FIXTURES / "tarneeb-masrawi" / "fault-wrong-result.json")


@pytest.mark.parametrize(
    ("language", "line"), [("en", "the log has: result claim: winner none"), ("ar", "الفائز لا أحد")]
)
def test_a_claim_that_nobody_has_won_is_said_in_words(language: str, line: str) -> None:
    said = run("explain", WRONG_RESULT, "--lang", language).stdout
    assert line in said
    assert "None" not in said


BIDDERS_ALONE = str(golden.FIXTURES / "tarneeb-masrawi-dakak" / "doubled-claimed-for-bidders.json")


def test_explain_shows_a_score_where_it_is_left_open() -> None:
    assert "what deal 1 scored, line by line:" in run("explain", BIDDERS_ALONE, "--finding", "1").stdout
    assert "what deal 1 scored, line by line:" not in run("explain", BIDDERS_ALONE, "--finding", "0").stdout


BELOTE_FORGOTTEN = str(golden.FIXTURES / "belote-contree" / "fault-belote-left-out.json")


def test_explain_shows_a_score_line_by_line_where_it_is_claimed() -> None:
    said = run("explain", BELOTE_FORGOTTEN).stdout.splitlines()
    assert said[said.index("what deal 1 scored, line by line:") :] == [
        "what deal 1 scored, line by line:",
        "  [0] side 1, points: 500",
        "      Capot was bid (capot S) and made.  score.capot, events 1, 8, 12, 16, 20, 24, 28, 32, 36",
        "  [1] side 0, points: 0",
        "      Capot was bid (capot S) and made.  score.capot, events 1, 8, 12, 16, 20, 24, 28, 32, 36",
        "  [2] side 1, points: 20",
        "      King and queen of trump were dealt to one hand.  score.belote, events 0, 21, 25",
        "  side 0: computed 0, claimed 0",
        "  side 1: computed 520, claimed 500, difference −20 (as if line 2 were left out)",
    ]
    said = run("explain", BELOTE_FORGOTTEN, "--lang", "ar").stdout.splitlines()
    assert "  [2] الطرف 1، النقاط: \u206620\u2069" in said
    assert said[-1] == (
        "  الطرف 1: المحسوب \u2066520\u2069، المُعلَن \u2066500\u2069، الفرق \u2066−20\u2069 (كأن السطر 2 لم يُحسب)"
    )


@pytest.mark.parametrize(
    ("claimed", "guess"),
    [
        ([0, 540], ", difference 20 (as if line 2 counted twice)"),
        ([0, 20], ", difference −500 (as if line 0 were left out)"),
        ([0, 510], ", difference −10"),
        ([0, 520], ""),
    ],
)
def test_explain_names_the_one_line_that_a_wrong_score_may_have_left_out_or_doubled(
    claimed: list[int], guess: str
) -> None:
    document = json.loads(Path(BELOTE_FORGOTTEN).read_bytes())
    document["events"][-1] |= {"deal": claimed, "total": claimed}
    last = len(document["events"]) - 1
    said = run("explain", "-", "--event", str(last), text=lines_of(document)).stdout.splitlines()
    assert said[-1] == f"  side 1: computed 520, claimed {claimed[1]}{guess}"


def test_explain_shows_a_score_at_the_last_event_of_its_deal_and_nowhere_else() -> None:
    verdict = verdict_of(INCOMPLETE)
    for index in range(verdict.deals[-1].events[1] + 1):
        shown = "line by line" in run("explain", INCOMPLETE, "--event", str(index)).stdout
        assert shown == any(index == deal.events[1] and bool(deal.lines) for deal in verdict.deals), index


def test_explain_says_what_a_finding_follows_from() -> None:
    origin, last = verdict_of(ILLEGAL).findings[-2:]
    assert last.follows is not None
    said = run("explain", ILLEGAL, "--event", str(last.event)).stdout
    assert f"follows from what was found at event {origin.event}\n" in said


@pytest.mark.parametrize("index", ["99999", "145"])
def test_explain_refuses_an_event_outside_the_log(index: str) -> None:
    said = complaint(run("explain", ILLEGAL, "--event", index))
    last = len(json.loads(Path(ILLEGAL).read_bytes())["events"]) - 1
    assert ILLEGAL in said
    assert f"{last}" in said
    assert index in said


@pytest.mark.parametrize("index", ["-1", "x", "1.5", ""])
def test_explain_wants_a_whole_number_of_an_event(index: str) -> None:
    assert run("explain", ILLEGAL, "--event", index).exit_code == 2


def test_explain_needs_to_know_which_of_several_matches_is_meant() -> None:
    text = lines_of(*made(3))
    assert "--match" in complaint(run("explain", "-", "--event", "0", text=text))
    meant = made(3)[1]["match"]
    result = run("explain", "-", "--match", meant, "--event", "0", text=text)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, f"Match {meant}, before event 0")
    assert "no-such-match" in complaint(run("explain", "-", "--match", "no-such-match", text=text))


def test_explain_finds_a_match_beside_what_is_no_match() -> None:
    text = b"{}\n" + lines_of(*made(2)) + b"{\n"
    assert run("explain", "-", "--match", made(2)[1]["match"], "--event", "3", text=text).exit_code == 0


@pytest.mark.parametrize("path", [CLEAN, INVALID, MISSING, str(FIXTURES)], ids=lambda path: Path(path).stem)
def test_explain_says_in_one_line_why_there_is_nothing_to_explain(path: str) -> None:
    complaint(run("explain", path))


def test_explain_of_no_log_tells_what_is_wrong_with_it() -> None:
    assert verdict_of(INVALID).findings[0].message(CLASSIC.id) in complaint(run("explain", INVALID, "--event", "0"))


@pytest.mark.parametrize("hand_sizes", [[], [13, 13, 13], [13, 13, 13, 12], [14, 12, 13, 13], [13, 13, 13, 13, 0]])
def test_explain_shows_the_table_after_a_deal_of_wrong_cards(hand_sizes: list[int]) -> None:
    pack = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
    hands = [pack[13 * seat : 13 * seat + size] for seat, size in enumerate(hand_sizes)]
    match = {**made(1)[0], "events": [{"type": "deal", "dealer": 0, "hands": hands}, {"type": "pass", "seat": 1}]}
    for index in range(3):
        result = run("explain", "-", "--event", str(index), text=lines_of(match))
        assert result.exit_code == 0
        assert "-1 unseen" not in result.stdout


# --- rules and schema -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", GAMES)
def test_rules_prints_every_clause_with_its_rule_and_source(ruleset: str, language: Language) -> None:
    result = run("rules", ruleset, "--lang", language)
    book = rulebook.book(ruleset)
    lines = result.stdout.splitlines()
    assert lines[0] == book.title[language]
    for entry in book.entries.values():
        assert lines[lines.index(entry.id) + 1] == entry.rule[language]
        assert entry.source in result.stdout
    assert [line for line in lines if line in book.entries] == list(book.entries)
    assert (result.exit_code, result.stderr) == (0, "")


def test_rules_of_no_ruleset_are_those_of_all() -> None:
    each = [run("rules", ruleset).stdout for ruleset in GAMES]
    assert run("rules").stdout == "\n".join(each)


@pytest.mark.parametrize("arguments", [["rules", "bridge"], ["schema", "bridge"], ["generate", "bridge"], ["generate"]])
def test_a_ruleset_that_is_not_known_is_a_wrong_use_that_names_those_that_are(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert CLASSIC.id in result.stderr


@pytest.mark.parametrize("name", [None, *GAMES, *schema.outputs()])
def test_schema_prints_a_schema_that_needs_no_other_file(name: str | None) -> None:
    result = run("schema", *([name] if name else []))
    printed = json.loads(result.stdout)
    assert (result.exit_code, result.stderr) == (0, "")
    assert printed == (schema.output(name) if name in schema.outputs() else schema.bundle(name))
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(printed)


def test_printed_schemas_accept_fixtures_and_their_verdicts() -> None:
    log, wrong, verdict = (
        json.loads(Path(path).read_bytes()) for path in (CLEAN, INVALID, golden.expected_path(Path(CLEAN)))
    )
    for name in ([], [CLASSIC.id]):
        validator = Draft202012Validator(json.loads(run("schema", *name).stdout))
        assert validator.is_valid(log)
        assert not validator.is_valid(wrong)
    assert Draft202012Validator(json.loads(run("schema", "verdict").stdout)).is_valid(verdict)


# --- generate -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", GAMES)
def test_what_generate_writes_audit_finds_clean(ruleset: str) -> None:
    written = run("generate", ruleset, "-n", "5", "--seed", "7")
    assert (written.exit_code, written.stderr) == (0, "")
    assert written.stdout_bytes == lines_of(*generate.matches(GAMES[ruleset], 5, 7))
    result = run("audit", "-", "--format", "ndjson", text=written.stdout_bytes)
    assert [json.loads(line)["status"] for line in result.stdout.splitlines()] == ["clean"] * 5
    assert result.exit_code == 0


def test_generate_takes_options_and_proofs() -> None:
    arguments = ["--option", "target=61", "--option", "defender_sweep=13", "--shuffle-proof", "-n", "2"]
    matches = [json.loads(line) for line in run("generate", CLASSIC.id, *arguments).stdout.splitlines()]
    assert [match["options"] for match in matches] == [{"target": 61, "defender_sweep": 13}] * 2
    assert all(match["shuffle"]["commitment"] for match in matches)


@pytest.mark.parametrize("count", [0, 1])
def test_generate_writes_as_many_as_are_asked_for(count: int) -> None:
    assert len(run("generate", CLASSIC.id, "-n", str(count)).stdout.splitlines()) == count


@pytest.mark.parametrize(
    "option",
    ["target=30", "target=x", "target", "target=", "=31", "no_such_option=1", 'target="31"', "target=31.0", ""],
)
def test_generate_refuses_a_wrong_option_before_it_writes_anything(option: str) -> None:
    result = run("generate", CLASSIC.id, "--option", option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].strip()
    assert "Traceback" not in result.stderr


def test_generate_with_a_fault_says_beside_it_what_audit_must_find_first() -> None:
    written = run("generate", CLASSIC.id, "-n", "3", "--seed", "2", "--faults", "revoke")
    matches = [json.loads(line) for line in written.stdout.splitlines()]
    result = run("audit", "-", "--format", "ndjson", text=written.stdout_bytes)
    for match, line in zip(matches, result.stdout.splitlines(), strict=True):
        finding = next(row for row in json.loads(line)["findings"] if row["kind"] != "open")
        assert {key: finding[key] for key in ("kind", "clause", "event")} == match["extra"]["expected"]
    assert (len(matches), result.exit_code) == (3, 1)
    assert run("generate", CLASSIC.id, "--faults", "no-such-fault").exit_code == 2


# --- audit --db -----------------------------------------------------------------------------------------------------


def test_loading_the_same_twice_changes_nothing_and_says_so(tmp_path: Path) -> None:
    database = tmp_path / "audit.db"
    plain = run("audit", str(FIXTURES))
    first = run("audit", str(FIXTURES), "--db", str(database))
    before = samples.content(database)
    second = run("audit", str(FIXTURES), "--db", str(database))
    assert samples.content(database) == before
    assert plain.stdout == first.stdout == second.stdout
    assert (first.exit_code, second.exit_code) == (1, 1)
    count = len(before["matches"])
    assert count == sum(path.parent == FIXTURES and "invalid" not in path.name for path in golden.logs())
    no_logs = sum(path.parent == FIXTURES and "invalid" in path.name for path in golden.logs())
    told = f"{count} new matches, {count} new verdicts of {count + no_logs} read, {no_logs} of them no match logs\n"
    assert first.stderr.endswith(told)
    assert "0 new matches" in second.stderr


def test_the_database_holds_the_verdicts_that_were_printed(tmp_path: Path) -> None:
    database = tmp_path / "audit.db"
    printed = run("audit", "-", "--format", "ndjson", "--db", str(database), text=lines_of(*made(4)))
    stored = samples.rows(database, "select status, totals, winner, over from verdicts order by match")
    verdicts = [json.loads(line) for line in printed.stdout.splitlines()]
    assert [(status, json.loads(totals), winner, bool(over)) for status, totals, winner, over in stored] == [
        (row["status"], row["totals"], row["winner"], row["over"]) for row in verdicts
    ]


def test_another_match_of_the_same_id_is_told_of(tmp_path: Path) -> None:
    first, second = made(2)
    text = lines_of(first, {**second, "match": first["match"]})
    result = run("audit", "-", "--db", str(tmp_path / "audit.db"), text=text)
    assert "with other content" in result.stderr
    assert "with other content" not in run("audit", "-", "--db", str(tmp_path / "b.db"), text=lines_of(*made(2))).stderr


@pytest.mark.parametrize("target", ["folder", "text", "no-such-folder/audit.db"])
def test_what_is_no_database_is_refused_in_one_line_and_left_alone(target: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no database" * 100)
    before = sorted(tmp_path.rglob("*"))
    result = run("audit", CLEAN, "--db", str(tmp_path / target), "--format", "ndjson")
    assert target in complaint(result)
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "text").read_text() == "no database" * 100


@pytest.mark.parametrize("options", [[], ["--print-config"]], ids=str)
def test_serve_refuses_what_is_no_database_in_one_line(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    for name in ("nothing.db", "empty.db"):
        assert name in complaint(run("serve", str(tmp_path / name), *options))
    assert run("serve").exit_code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize(("blow", "code"), [("SIGKILL", -9), ("SIGINT", 130)])
def test_an_audit_that_was_stopped_and_is_run_again_leaves_the_database_of_one_run(
    blow: str, code: int, tmp_path: Path
) -> None:
    text = lines_of(*made(300))
    undisturbed, killed = tmp_path / "undisturbed.db", tmp_path / "killed.db"
    assert run("audit", "-", "--format", "ndjson", "--db", str(undisturbed), text=text).exit_code == 0

    victim = process("audit", "-", "--quiet", "--db", str(killed), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert victim.stdin is not None
    victim.stdin.write(text[: len(text) * 4 // 5])
    victim.stdin.flush()
    wait_for_matches(killed)
    victim.send_signal(signal.Signals[blow])
    victim.communicate()
    assert victim.returncode == code
    assert 0 < len(samples.rows(killed, "select id from matches")) < 300

    again = run("audit", "-", "--format", "ndjson", "--db", str(killed), text=text)
    assert again.exit_code == 0
    assert samples.content(killed) == samples.content(undisturbed)
    assert samples.rows(killed, "pragma integrity_check") == [("ok",)]
    assert samples.rows(killed, "select count(*), count(finished) from runs") == [(2, 1)]


def wait_for_matches(database: Path) -> None:
    """Returns as soon as some matches are stored."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                if connection.execute("select count(*) from matches").fetchone()[0]:
                    return
        except sqlite3.OperationalError:
            pass  # not made yet
        time.sleep(0.01)
    pytest.fail("nothing was stored")


# --- Processes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", GAMES)
def test_on_arabic_lines_cards_and_rows_of_numbers_keep_their_direction(ruleset: str) -> None:
    for log in sorted((ROOT / "fixtures" / ruleset).glob("*.json"))[::4]:
        said = run("explain", str(log), "--event", "20", "--lang", "ar").stdout
        outside = re.sub("[\u2066\u2068][^\u2066-\u2069]*\u2069", "", said)
        assert not re.search("[♣♦♥♠]|[0-9] / ", outside), log


@pytest.mark.parametrize("command", ["explain", "minimise", "adjudicate", "reconcile", "diff"])
def test_why_a_log_is_none_is_told_in_the_language_that_was_asked_for(command: str, tmp_path: Path) -> None:
    log = tmp_path / "سجل.json"
    log.write_text("[1]")
    others = [CLEAN] if command in ("reconcile", "diff") else []
    result = run(command, str(log), *others, "--lang", "ar")
    said = result.stdout + result.stderr
    assert f"\u2068{log}:1\u2069، البايت 1، \u2068/\u2069: " in said
    assert "Expected" not in said
    assert r"\u20" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is told otherwise")
@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", CLEAN],
        ["audit", CLEAN, "--format", "ndjson"],
        ["audit", CLEAN, "--format", "json"],
        ["explain", CLEAN, "--event", "9"],
        ["rules"],
        ["schema"],
        ["generate", "tarneeb-classic", "-n", "30"],
        ["--help"],
    ],
    ids=lambda arguments: " ".join(argument for argument in arguments if argument != CLEAN),
)
def test_when_the_reader_of_the_output_has_gone_nothing_more_is_said(arguments: list[str]) -> None:
    """It ends with 2, not with the 1 that stands for findings."""
    reading, writing = os.pipe()
    with process(*arguments, stdout=writing) as child:
        os.close(writing)
        os.close(reading)
        _, errors = child.communicate(timeout=60)
    assert errors.decode() == ""
    assert child.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_a_terminal_beside_the_output_is_shown_what_is_done(tmp_path: Path) -> None:
    case, archive, database = (str(tmp_path / name) for name in ("case", "archive", "audit.db"))
    run("audit", CLEAN, "--db", database)
    for what, other, arguments in (
        ("matches audited", None, ["audit", CLEAN, "--workers", "1"]),
        ("logs read", None, ["reconcile", CLEAN, ILLEGAL]),
        ("logs read", None, ["case", CLEAN, "-o", case]),
        ("matches audited", None, ["case", "verify", case]),
        ("matches made", None, ["generate", CLASSIC.id]),
        ("logs read", None, ["publish", CLEAN, "-o", archive]),
        ("matches audited", "logs read", ["verify", archive, "--audit"]),
        ("matches written", "matches audited", ["site", database, "-o", str(tmp_path / "site")]),
    ):
        reading, terminal = os.openpty()
        with process(*arguments, stdout=subprocess.PIPE, stderr=terminal, env={"TERM": "xterm"}) as child:
            os.close(terminal)
            output, _ = child.communicate(timeout=60)
        shown = os.read(reading, 2**16).decode(errors="replace")
        os.close(reading)
        assert what in shown, arguments
        assert other is None or other not in shown, arguments
        assert what not in output.decode()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_of_another_encoding_is_written_to_without_a_crash(encoding: str) -> None:
    for arguments in (["audit", ILLEGAL, "--lang", "ar"], ["explain", ILLEGAL]):
        with process(*arguments, stdout=subprocess.PIPE, env={"PYTHONIOENCODING": encoding}) as child:
            output, errors = child.communicate(timeout=60)
        assert errors.decode() == ""
        assert child.returncode in (0, 1)
        assert b"play.follow-suit" in output


def test_one_command_reads_what_another_writes() -> None:
    with (
        process("generate", "tarneeb-classic", "-n", "8", stdout=subprocess.PIPE) as writer,
        process("audit", "-", "--format", "ndjson", stdin=writer.stdout, stdout=subprocess.PIPE) as reader,
    ):
        output, errors = reader.communicate(timeout=60)
        assert (reader.returncode, errors) == (0, b"")
        assert len(output.splitlines()) == 8


# --- Help -----------------------------------------------------------------------------------------------------------


def test_a_slip_is_told_what_may_have_been_meant() -> None:
    result = run("audi")
    assert result.exit_code == 2
    assert "No such command 'audi'. Did you mean 'audit'?" in result.stderr


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("rules tarneb", "did you mean 'tarneeb-masrawi' or 'tarneeb-classic'?"),
        ("generate three-stone", "did you mean 'three-stones'?"),
        ("generate tarneeb-classic --faults revok", "did you mean 'revoke'?"),
        (f"adjudicate {CLEAN} --rulesets tarneeb-clasic", "did you mean 'tarneeb-classic'"),
        ("schema verdic", "did you mean 'verdict'?"),
        ("rules xyz", "found 'xyz'"),
    ],
)
def test_a_name_that_is_nearly_right_is_asked_back(line: str, advice: str) -> None:
    result = run(*line.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert advice in result.stderr.splitlines()[-1]
    assert ("did you mean" in result.stderr) == ("xyz" not in line)


def test_help_names_a_ruleset_once_and_not_all_of_them() -> None:
    assert run("rules", "--help").stdout.startswith("Usage: auditor rules [OPTIONS] [RULESET]\n")
    assert CLASSIC.id not in run("publish", "--help").stdout.partition("Examples:")[0]


def test_shells_complete_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_AUDITOR_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "auditor a")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run().stdout.splitlines() == ["plain,adjudicate", "plain,audit"]


@pytest.mark.parametrize("form", ["text", "json", "ndjson"])
def test_what_is_printed_can_be_caught_by_a_program(form: str) -> None:
    path = str(FIXTURES)
    caught = io.StringIO()
    with contextlib.redirect_stdout(caught), pytest.raises(SystemExit):
        main(["audit", path, "--format", form, "--workers", "1"])
    assert caught.getvalue() == run("audit", path, "--format", form, "--workers", "1").stdout


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command by the words that call it; a group of commands, and those in it."""
    yield "", main
    for name in ROOMS:
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        yield name, command
        if isinstance(command, click.Group):
            for inner, inner_command in command.commands.items():
                assert not isinstance(inner_command, click.Group), (
                    f"{name} {inner}: groups in groups are not looked into"
                )
                yield f"{name} {inner}", inner_command


each_command = pytest.mark.parametrize(
    ("name", "command"), list(commands()), ids=[name or "-" for name, _ in commands()]
)


@each_command
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_says_what_a_command_does_and_describes_every_option(name: str, command: click.Command, flag: str) -> None:
    result = run(*name.split(), flag)
    assert (result.exit_code, result.stderr) == (0, "")
    assert command.help
    assert command.help.split("\n")[0].split()[0] in result.stdout
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]} has no help"
            assert parameter.opts[0] in result.stdout
        else:
            names = re.findall("[A-Z]+", parameter.make_metavar(click.Context(command)))
            assert (names or [str(parameter.name).upper()])[0] in result.stdout


@pytest.mark.parametrize(
    ("name", "command"),
    [pytest.param(*row, id=row[0]) for row in commands() if row[0]],
)
def test_help_of_every_command_has_examples_that_are_right_uses(name: str, command: click.Command) -> None:
    result = run(*name.split(), "--help")
    assert "Examples:" in result.stdout
    examples = [line.strip() for line in result.stdout.split("Examples:")[1].splitlines() if line.strip()]
    assert examples
    for example in examples:
        words = shlex.split(example, comments=True)
        own = list(takewhile(lambda word: word not in (">", "|", "<", "2>"), words[words.index("auditor") + 1 :]))
        calls = [called for called in (name.split(), name.split()[:1]) if own[: len(called)] == called]
        assert calls, example
        command.make_context(name, own[len(calls[0]) :])


def test_the_version_is_told() -> None:
    from auditor import __version__

    assert __version__ in run("--version").stdout


@pytest.mark.parametrize("arguments", [["no-such-command"], []])
def test_without_a_known_command_the_use_is_told(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage: auditor" in result.output
