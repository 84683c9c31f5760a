"""``auditor check``: what is new, changed, fixed, unchanged or missing, and that nothing is accepted by itself."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from auditor.desks import baseline as baselines
from auditor.desks.baseline import Baseline, KnownFault, KnownMatch
from auditor.desks.comparison import state_of
from auditor.rulebook import LANGUAGES
from tests.desks.played import CLASSIC, FIXTURES, Document, by, faulty, matches, named, run, store, write

BEFORE: tuple[Document, ...] = (
    named(matches()[0], "always-clean"),
    named(faulty("revoke", 1), "known"),
    named(faulty("revoke", 2), "mended"),
    named(faulty("wrong-points", 3), "other-fault"),
    named(matches()[4], "breaks"),
    named(faulty("wrong-trick", 5), "goes-missing"),
)
AFTER: tuple[Document, ...] = (
    named(matches()[0], "always-clean"),
    named(faulty("revoke", 1), "known"),
    named(matches()[2], "mended"),
    named(faulty("wrong-total", 3), "other-fault"),
    named(faulty("low-bid", 4), "breaks"),
    named(matches()[1], "never-seen"),
    named(faulty("revoke", 0), "never-seen-and-wrong"),
)


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    """A baseline file that accepts all of BEFORE."""
    path = tmp_path / "baseline.json"
    logs = write(tmp_path / "before.ndjson", *BEFORE)
    assert run("check", logs, "--baseline", path, "--update-baseline", "--reason", "as it was").exit_code == 0
    return path


@pytest.fixture
def after(tmp_path: Path) -> Path:
    return write(tmp_path / "after.ndjson", *AFTER)


def heads(text: str) -> list[str]:
    """The lines that name a group."""
    return [line for line in text.splitlines() if line and not line.startswith((" ", "matches:"))]


def states(path: Path) -> dict[str, str]:
    rows = json.loads(path.read_text(encoding="utf-8"))["matches"]
    return {row["match"]: row["status"] for row in rows}


def reasons(path: Path) -> dict[str, str | None]:
    rows = json.loads(path.read_text(encoding="utf-8"))["matches"]
    return {row["match"]: row.get("reason") for row in rows}


# --- States ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["file", "database"])
def test_each_difference_is_told_with_its_group_and_one_example(
    kind: str, tmp_path: Path, baseline: Path, after: Path
) -> None:
    known = baseline if kind == "file" else store(tmp_path / "audit.db", tmp_path / "before.ndjson")
    result = run("check", after, "--baseline", known)
    build = "auditor generate 0.1.0"
    assert heads(result.stdout) == [
        f"new ×1: {CLASSIC}, auction.outbid, {build}",
        f"new ×1: {CLASSIC}, play.follow-suit, {build}",
        f"changed ×1: {CLASSIC}, claim.total, {build}",
        f"fixed ×1: {CLASSIC}, play.follow-suit, {build}",
        f"missing ×1: {CLASSIC}, claim.trick, {build}",
        f"unchanged ×1: {CLASSIC}, play.follow-suit, {build}",
    ]
    assert result.stdout.splitlines()[-1] == (
        "matches: 7 (new 2, changed 1, fixed 1, missing 1, unchanged 2, clean and not in the baseline 1)"
    )
    for name in ("breaks", "never-seen-and-wrong", "other-fault", "mended", "goes-missing", "known"):
        assert f"    match {name}\n" in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize("kind", ["file", "database"])
def test_the_same_logs_again_are_unchanged(kind: str, tmp_path: Path, baseline: Path) -> None:
    logs = [tmp_path / "before.ndjson", FIXTURES / CLASSIC]
    known = store(tmp_path / "audit.db", *logs)
    if kind == "file":
        run("check", *logs, "--baseline", baseline, "--update-baseline", "--reason", "all")
        known = baseline
    result = run("check", *logs, "--baseline", known, "--fail-on", "new,changed,fixed,missing")
    assert all(head.startswith("unchanged ") for head in heads(result.stdout))
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_database_may_hold_logs_of_other_builds(tmp_path: Path) -> None:
    builds = [write(tmp_path / f"{build}.ndjson", *(by(row, build) for row in BEFORE)) for build in ("41", "42")]
    database = store(tmp_path / "audit.db", *builds)
    result = run("check", builds[1], "--baseline", database, "--fail-on", "new,changed,missing")
    assert result.stdout.splitlines()[-1] == f"matches: {len(BEFORE)} (unchanged {len(BEFORE)})"
    assert result.exit_code == 0
    result = run("check", write(tmp_path / "one.ndjson", by(BEFORE[0], "42")), "--baseline", database)
    assert f"missing {len(BEFORE) - 1}," in result.stdout.splitlines()[-1]


def test_what_was_mended_in_the_last_build_of_a_database_and_comes_back_is_new(tmp_path: Path) -> None:
    wrong, right = (named(row, "one") for row in (faulty("revoke", 1), matches()[1]))
    logs = [write(tmp_path / f"{build}.json", by(row, build)) for build, row in (("41", wrong), ("42", right))]
    database = store(tmp_path / "audit.db", *logs)
    result = run("check", write(tmp_path / "43.json", by(wrong, "43")), "--baseline", database)
    assert result.stdout.splitlines()[-1] == "matches: 1 (new 1)"
    assert result.exit_code == 1
    assert run("check", logs[0], "--baseline", database).stdout.splitlines()[-1] == "matches: 1 (unchanged 1)"


def test_an_entry_that_stands_twice_counts_once(tmp_path: Path, baseline: Path) -> None:
    document = json.loads(baseline.read_bytes())
    document["matches"] *= 2
    baseline.write_text(json.dumps(document), encoding="utf-8")
    result = run("check", tmp_path / "before.ndjson", "--baseline", baseline, "--fail-on", "missing")
    assert result.exit_code == 0
    assert "missing " not in result.stdout.splitlines()[-1]


def test_matches_of_one_cause_make_one_group_and_another_build_another(tmp_path: Path, baseline: Path) -> None:
    rows = [named(by(faulty("revoke", number), "41"), f"a-{number}") for number in range(3)]
    rows.append(named(by(faulty("revoke", 3), "42"), "b"))
    result = run("check", write(tmp_path / "new.ndjson", *rows), "--baseline", baseline, "-q")
    assert [head for head in heads(result.stdout) if head.startswith("new")] == [
        f"new ×3: {CLASSIC}, play.follow-suit, club 1.0 41 linux",
        f"new ×1: {CLASSIC}, play.follow-suit, club 1.0 42 linux",
    ]
    assert "match a-0" in result.stdout
    assert "match a-1" not in result.stdout


def test_a_fault_beside_one_that_is_accepted_is_not_accepted(tmp_path: Path, baseline: Path) -> None:
    worse = json.loads(json.dumps(named(faulty("revoke", 1), "known")))
    last = [event for event in worse["events"] if event["type"] == "result"][-1]
    last["winner"] = 1 - last["winner"]
    result = run("check", write(tmp_path / "worse.ndjson", worse), "--baseline", baseline)
    assert heads(result.stdout)[0] == f"changed ×1: {CLASSIC}, claim.result, auditor generate 0.1.0"
    assert result.exit_code == 1


def test_another_log_of_the_match_with_the_same_faults_is_unchanged(tmp_path: Path, baseline: Path) -> None:
    rewritten = by(named(faulty("revoke", 1), "known"), "77") | {"extra": "another digest"}
    result = run("check", write(tmp_path / "other.ndjson", rewritten), "--baseline", baseline)
    assert "unchanged ×1" in result.stdout
    assert result.exit_code == 0


def test_the_very_same_log_with_other_totals_is_changed() -> None:
    """The auditor itself has changed its mind about a match without faults."""
    before = KnownMatch("m", "clean", digest="sha256:1", totals=(31, 0), winner=0)
    assert state_of(KnownMatch("m", "clean", digest="sha256:1", totals=(31, 2), winner=0), before) == "changed"
    assert state_of(KnownMatch("m", "clean", digest="sha256:2", totals=(31, 2), winner=0), before) == "unchanged"
    assert state_of(KnownMatch("m", "clean", digest="sha256:1", totals=(31, 0), winner=0), before) == "unchanged"


def test_several_logs_of_one_match_are_each_met_once() -> None:
    def log(digest: str, *clauses: str) -> KnownMatch:
        return KnownMatch(
            "m", "illegal", digest=digest, faults=tuple(KnownFault("illegal", name, 1) for name in clauses)
        )

    baseline = Baseline([log("1", "a"), log("2", "b"), log("3", "c")])
    assert baseline.meet(log("2", "x")) == log("2", "b")  # the same log, whatever is said of it now
    assert baseline.meet(log("9", "c")) == log("3", "c")  # another log with the same faults
    assert baseline.meet(log("8", "z")) == log("1", "a")  # whichever is left
    assert baseline.meet(log("7", "b")) == log("2", "b")  # one more than were known
    assert list(baseline.unmet()) == []
    assert baseline.meet(KnownMatch("other", "clean")) is None


def test_what_is_no_match_log_is_known_by_its_place(tmp_path: Path) -> None:
    logs = tmp_path / "logs.ndjson"
    logs.write_bytes(b'{"format"\n\nno json\n')
    for known in (tmp_path / "b.json", tmp_path / "audit.db"):
        if known.suffix == ".db":
            store(known, logs)
        else:
            run("check", logs, "--baseline", known, "--update-baseline", "--reason", "r")
        assert run("check", logs, "--baseline", known).exit_code == 0
    logs.write_bytes(b'{"format"\n\nno json\n[\n')
    for known in (tmp_path / "b.json", tmp_path / "audit.db"):
        assert run("check", logs, "--baseline", known).exit_code == 1


# --- Exit codes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fail_on", "rows", "code"),
    [
        ("new,changed", AFTER, 1),
        ("new,changed", BEFORE, 0),
        ("new", AFTER[3:4], 0),
        ("changed", AFTER[3:4], 1),
        ("changed", AFTER[4:5], 0),
        ("fixed", AFTER[2:3], 1),
        ("new,changed", AFTER[2:3], 0),
        ("missing", BEFORE[:5], 1),
        ("new,changed", BEFORE[:5], 0),
        ("missing", BEFORE, 0),
        ("none", AFTER, 0),
        ("unchanged", BEFORE, 2),
        ("nonsense", BEFORE, 2),
        ("none,new", BEFORE, 2),
        ("", BEFORE, 2),
    ],
)
def test_fail_on_says_which_states_end_with_1(
    fail_on: str, rows: tuple[Document, ...], code: int, tmp_path: Path, baseline: Path
) -> None:
    logs = write(tmp_path / "now.ndjson", *rows)
    assert run("check", logs, "--baseline", baseline, "--fail-on", fail_on).exit_code == code


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"format":"baseline/2","matches":[]}', b"\xff", b"[" * 5000])
def test_a_file_that_is_no_baseline_is_told_in_one_line(content: bytes, tmp_path: Path, after: Path) -> None:
    path = tmp_path / "b.json"
    path.write_bytes(content)
    result = run("check", after, "--baseline", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"auditor: {path}: expected a baseline")
    assert len(result.stderr.splitlines()) == 1


def test_without_a_baseline_nothing_is_checked(tmp_path: Path, after: Path) -> None:
    assert "--baseline" in run("check", after).stderr
    result = run("check", after, "--baseline", tmp_path / "none.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "make one with --update-baseline" in result.stderr


def test_a_log_that_cannot_be_opened_ends_with_2_and_accepts_nothing(tmp_path: Path, baseline: Path) -> None:
    before = baseline.read_bytes()
    for extra in ([], ["--update-baseline", "--reason", "r"]):
        result = run("check", tmp_path / "before.ndjson", tmp_path / "none.json", "--baseline", baseline, *extra)
        assert result.exit_code == 2
        assert "none.json" in result.stderr
    assert baseline.read_bytes() == before


def test_a_baseline_says_one_thing_of_a_log(baseline: Path, after: Path, tmp_path: Path) -> None:
    document = json.loads(baseline.read_text(encoding="utf-8"))
    first = document["matches"][0]
    path = tmp_path / "twice.json"
    for again in (first, first | {"digest": "sha256:another"}):
        path.write_text(json.dumps(document | {"matches": [*document["matches"], again]}), encoding="utf-8")
        assert run("check", after, "--baseline", path).exit_code == 1
    others = ({"status": "incomplete"}, {"reason": "another"}, {"totals": [1, 2]})
    by_id = [{key: value for key, value in match.items() if key != "digest"} for match in document["matches"]]
    for rows, other in itertools.product((document["matches"], by_id), others):
        path.write_text(json.dumps(document | {"matches": [*rows, rows[0] | other]}), encoding="utf-8")
        result = run("check", after, "--baseline", path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{path}: /matches/{len(rows)}: expected each log once, found " in result.stderr
        assert " in /matches/0\n" in result.stderr


def test_what_is_written_says_one_thing_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    one, other = (KnownMatch("m", "illegal", digest="sha256:1", reason=reason) for reason in ("one", "other"))
    broken = [KnownMatch("m", "invalid", faults=(KnownFault("schema", name),)) for name in ("log.type", "log.value")]
    baselines.write(path, [one, *broken, other])
    assert list(baselines.load(path).unmet()) == [*broken, one]


# --- Accepting ------------------------------------------------------------------------------------------------------


def test_a_check_never_writes_the_baseline(tmp_path: Path, baseline: Path, after: Path) -> None:
    before = baseline.read_bytes()
    run("check", after, "--baseline", baseline)
    assert baseline.read_bytes() == before


@pytest.mark.parametrize("arguments", [[], ["--reason", ""], ["--reason", "  "]])
def test_nothing_is_accepted_without_a_reason(arguments: list[str], baseline: Path, after: Path) -> None:
    before = baseline.read_bytes()
    result = run("check", after, "--baseline", baseline, "--update-baseline", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--reason" in result.stderr
    assert baseline.read_bytes() == before


@pytest.mark.parametrize("arguments", [["--reason", "r"], ["--prune"]])
def test_a_reason_alone_accepts_nothing(arguments: list[str], baseline: Path, after: Path) -> None:
    result = run("check", after, "--baseline", baseline, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--update-baseline" in result.stderr


def test_an_update_says_what_it_accepts_and_keeps_earlier_reasons(baseline: Path, after: Path) -> None:
    result = run("check", after, "--baseline", baseline, "--update-baseline", "--reason", "ticket 12")
    assert result.exit_code == 0
    assert len([head for head in heads(result.stdout) if head.startswith(("new", "changed"))]) == 3
    assert result.stderr.splitlines() == [
        f"{baseline}: accepted new 2, changed 1, fixed 1; reason: ticket 12",
        f"{baseline}: missing and kept 1",
    ]
    assert reasons(baseline) == {
        "always-clean": None,
        "breaks": "ticket 12",
        "goes-missing": "as it was",
        "known": "as it was",
        "mended": None,
        "never-seen": None,
        "never-seen-and-wrong": "ticket 12",
        "other-fault": "ticket 12",
    }
    assert run("check", after, "--baseline", baseline, "--fail-on", "new,changed,fixed").exit_code == 0


def test_prune_forgets_what_is_missing(baseline: Path, after: Path) -> None:
    result = run("check", after, "--baseline", baseline, "--update-baseline", "--prune", "--reason", "r")
    assert f"{baseline}: missing and dropped 1" in result.stderr
    assert "goes-missing" not in states(baseline)


def test_the_baseline_is_sorted_one_match_a_line_whatever_the_order_of_logs(tmp_path: Path, baseline: Path) -> None:
    other = tmp_path / "other.json"
    logs = write(tmp_path / "turned.ndjson", *reversed(BEFORE))
    run("check", logs, "--baseline", other, "--update-baseline", "--reason", "as it was")
    assert other.read_bytes() == baseline.read_bytes()
    lines = baseline.read_text(encoding="utf-8").splitlines()
    assert lines[0] == '{"format":"baseline/1","matches":['
    assert [json.loads(line.rstrip(","))["match"] for line in lines[1:-1]] == sorted(row["match"] for row in BEFORE)


def test_a_database_is_never_written(tmp_path: Path, baseline: Path, after: Path) -> None:
    database = store(tmp_path / "audit.db", tmp_path / "before.ndjson")
    before = database.read_bytes()
    result = run("check", after, "--baseline", database, "--update-baseline", "--reason", "r")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "database" in result.stderr
    assert database.read_bytes() == before


def test_a_baseline_among_the_logs_is_no_log(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "a.ndjson", *BEFORE)
    path = tmp_path / "logs" / "baseline.json"
    run("check", tmp_path / "logs", "--baseline", path, "--update-baseline", "--reason", "r")
    result = run("check", tmp_path / "logs", "--baseline", path)
    assert result.stdout.splitlines()[-1] == "matches: 6 (unchanged 6)"


def test_a_write_that_fails_leaves_the_old_baseline(baseline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = baseline.read_bytes()

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="No space"):
        baselines.write(baseline, [])
    assert baseline.read_bytes() == before
    assert [path.name for path in baseline.parent.iterdir() if path.name.startswith(".")] == []


# --- Text -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_faults_are_told_in_either_language(language: str, baseline: Path, after: Path) -> None:
    said = run("check", after, "--baseline", baseline, "--lang", language).stdout
    assert "claim.total" in said
    assert ("was:" in said) == (language == "en")
    assert ("كان:" in said) == (language == "ar")


def test_what_a_log_brings_is_made_visible(tmp_path: Path, baseline: Path) -> None:
    nasty = named(faulty("revoke", 0), "a\x1b[31m\u202eb\nc")
    said = run("check", write(tmp_path / "n.ndjson", nasty), "--baseline", baseline).stdout
    assert r"match a\u001b[31m\u202eb\u000ac" in said
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_quiet_leaves_out_what_is_unchanged(baseline: Path, after: Path) -> None:
    assert "unchanged ×" not in run("check", after, "--baseline", baseline, "--quiet").stdout
