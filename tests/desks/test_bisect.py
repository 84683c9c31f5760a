"""``auditor bisect``: the first build in the order of versions whose logs show a finding."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from auditor.desks.bisection import bisected, version_rank
from auditor.rulebook import LANGUAGES
from auditor.store import Auditor
from tests.desks.played import CLASSIC, Document, by, faulty, matches, named, run, store, write

#: Versions as clients are numbered; the fault comes in with the third and is gone in the last.
VERSIONS = ("3.9.0", "3.10.0-rc.1", "3.10.0", "3.10.1", "3.11.0")
FAULTY = {"3.10.0": 2, "3.10.1": 1}


def logs(platform: str = "android", faulty_versions: dict[str, int] = FAULTY) -> list[Document]:
    """Four matches by each version, some of them with the same fault."""
    rows = []
    for version in reversed(VERSIONS):
        for number in range(4):
            match = faulty("revoke", number) if number < faulty_versions.get(version, 0) else matches()[number]
            rows.append(by(named(match, f"M-{number}"), "", version, "app", platform))
    return [row | {"producer": {key: value for key, value in row["producer"].items() if value}} for row in rows]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return store(tmp_path / "audit.db", write(tmp_path / "logs.ndjson", *logs()))


@pytest.mark.parametrize(
    "rising",
    [
        ["1", "2", "10"],
        ["3.9", "3.10", "3.10.1", "3.11"],
        ["1.0-dev3", "1.0-alpha", "1.0-alpha.2", "1.0-beta", "1.0-rc.1", "1.0-rc.2", "1.0", "1.0-hotfix", "1.0.1"],
        ["v1.9", "1.10", "V1.11"],
        ["1.0+7", "1.0+12", "1.1+1"],
        ["2024.9.30", "2024.10.1"],
        ["", "1"],
        ["1.0a1", "1.0b1", "1.0rc1", "1.0"],
        ["9" * 5000, "1" + "0" * 5000],
        ["build 9", "build 10"],
    ],
)
def test_versions_rise_as_people_count(rising: list[str]) -> None:
    assert all(version_rank(one) < version_rank(other) for one, other in itertools.pairwise(rising))


def test_the_first_build_with_it_and_the_last_without(database: Path) -> None:
    [line], examples = bisected(database, "play.follow-suit", None)
    assert [build.version for build in line.builds] == list(VERSIONS)
    assert [(build.showing, build.matches) for build in line.builds] == [(0, 4), (0, 4), (2, 4), (1, 4), (0, 4)]
    assert line.first_with is not None
    assert line.last_without is not None
    assert (line.last_without.version, line.first_with.version) == ("3.10.0-rc.1", "3.10.0")
    assert examples[line].log.match.match == "M-0"
    assert examples[line].finding.clause == "play.follow-suit"


@pytest.mark.parametrize(
    ("match_id", "clause", "first", "last"),
    [
        ("M-0", None, "3.10.0", "3.10.0-rc.1"),
        ("M-1", "play.follow-suit", "3.10.0", "3.10.0-rc.1"),
        ("M-3", None, None, None),
        ("M-0", "claim.result", None, None),
        (None, "deal.shuffle", None, None),
    ],
)
def test_a_match_a_clause_or_both(
    match_id: str | None, clause: str | None, first: str | None, last: str | None, database: Path
) -> None:
    [line], _ = bisected(database, clause, match_id)
    assert (line.first_with and line.first_with.version) == first
    assert (line.last_without and line.last_without.version) == last


def test_where_the_first_build_shows_it_none_is_without(tmp_path: Path) -> None:
    path = store(tmp_path / "a.db", write(tmp_path / "l.ndjson", *logs(faulty_versions={"3.9.0": 1, "3.11.0": 1})))
    [line], _ = bisected(path, "play.follow-suit", None)
    assert line.first_with is not None
    assert (line.first_with.version, line.last_without) == ("3.9.0", None)


def test_each_platform_and_producer_is_a_line_of_its_own(tmp_path: Path) -> None:
    rows = [*logs("android"), *logs("ios", {"3.11.0": 1}), by(faulty("revoke", 5), "1", "0.1", "server")]
    lines, _ = bisected(store(tmp_path / "a.db", write(tmp_path / "l.ndjson", *rows)), "play.follow-suit", None)
    assert [(line.name, line.platform, line.first_with and line.first_with.version) for line in lines] == [
        ("app", "android", "3.10.0"),
        ("app", "ios", "3.11.0"),
        ("server", "linux", "0.1"),
    ]


def test_builds_of_one_version_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    rows = [by(named(matches()[0], "a"), "99", "1.0"), by(named(faulty("revoke"), "a"), "100", "1.0")]
    [line], _ = bisected(store(tmp_path / "a.db", write(tmp_path / "l.ndjson", *rows)), None, "a")
    assert line.first_with is not None
    assert line.last_without is not None
    assert (line.last_without.build, line.first_with.build) == ("99", "100")


def test_the_newest_verdict_counts(tmp_path: Path) -> None:
    path = tmp_path / "logs.ndjson"
    database = store(tmp_path / "a.db", write(path, *logs()))
    store(database, path, by=Auditor("10.0.0", "other rules"))
    [line], _ = bisected(database, "play.follow-suit", None)
    assert [build.showing for build in line.builds] == [0, 0, 2, 1, 0]


# --- The command ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_builds_are_listed_in_order_with_the_first_log(language: str, database: Path) -> None:
    result = run("bisect", database, "--clause", "play.follow-suit", "--lang", language)
    assert result.exit_code == 1
    if language == "en":
        assert result.stdout.splitlines()[:8] == [
            f"{CLASSIC}, app, android",
            "    3.9.0: 0 of 4",
            "    3.10.0-rc.1: 0 of 4, last without it",
            "    3.10.0: 2 of 4, first with it",
            "    3.10.1: 1 of 4",
            "    3.11.0: 0 of 4",
            "    match M-0",
            *[line for line in result.stdout.splitlines() if "play.follow-suit  (illegal)" in line],
        ]
    else:
        assert "أول إصدار فيه" in result.stdout


def test_where_no_build_shows_it_that_is_said(database: Path) -> None:
    result = run("bisect", database, "--clause", "claim.result")
    assert (result.exit_code, result.stdout) == (
        0,
        f"{CLASSIC}, app, android: no build shows it (builds 5, logs 20)\n",
    )


def test_wrong_uses_and_empty_databases_end_with_2(tmp_path: Path, database: Path) -> None:
    nameless = matches()[0] | {"match": "n"}
    del nameless["producer"]
    bare = store(tmp_path / "bare.db", write(tmp_path / "n.ndjson", nameless))
    uses: list[tuple[list[str | Path], str]] = [
        ([database], "--match, --clause or both"),
        ([database, "--clause", "no.such"], "expected a clause"),
        ([database, "--match", "nobody"], "expected logs of the match 'nobody'"),
        ([bare, "--match", "n"], "found none"),
        ([tmp_path / "no.db", "--match", "n"], "expected an audit database"),
        ([tmp_path / "n.ndjson", "--match", "n"], "expected an audit database"),
    ]
    for arguments, said in uses:
        result = run("bisect", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
