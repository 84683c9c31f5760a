"""Archives: what is in them, that they tell nobody's name, and that the same logs give the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import bagit
import msgspec
import pytest
import yaml
from frictionless import Package
from pyarrow import parquet

from auditor.games import GAMES
from auditor.publishing.checking import verified
from auditor.store import Store
from auditor.web.description import configuration_json
from tests.desks.played import FIXTURES, faulty, matches, run
from tests.publishing.archives import SECRETS, files, logs_in, publish, telling, texts, written

_PROGRAM = "from auditor.cli import main; main(prog_name='auditor')"


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with logs of all rulesets that tell who played, a secret, another one, and an archive."""
    top = tmp_path_factory.mktemp("published")
    documents = [telling(number, ruleset) for ruleset in GAMES for number in range(2)]
    written(top / "logs.ndjson", [*documents, faulty("revoke")])
    for name in ("secret", "other"):
        assert run("key", "secret", top / name).exit_code == 0
    publish(top / "logs.ndjson", top / "archive", "--pseudonyms", top / "secret", "--licence", "CC-BY-4.0")
    return top


def read_json(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def pseudonyms(folder: Path) -> dict[str, list[str]]:
    return {document["match"]: [player["id"] for player in document["players"]] for document in logs_in(folder)}


def test_no_id_name_or_extra_value_is_in_any_file(top: Path) -> None:
    secret = (top / "secret").read_bytes().strip()
    needles = [*(text.encode() for text in SECRETS), *(msgspec.json.encode(text)[1:-1] for text in SECRETS), secret]
    looked_at = set()
    for name, text in texts(top / "archive"):
        looked_at.add(name)
        assert [needle for needle in needles if needle.lower() in text.lower()] == [], name
    assert looked_at == set(files(top / "archive"))


def test_the_search_finds_what_is_there(top: Path) -> None:
    """Else the test above could not fail: a pseudonym, of which it looks in the same way, is in all three forms."""
    name = next(iter(pseudonyms(top / "archive").values()))[0].encode()
    found = {path.rpartition(".")[2] for path, text in texts(top / "archive") if name in text}
    assert found == {"zst", "parquet", "db"}


def test_the_same_logs_and_secret_give_the_same_bytes(top: Path, tmp_path: Path) -> None:
    again = publish(top / "logs.ndjson", tmp_path / "again", "--pseudonyms", top / "secret", "--licence", "CC-BY-4.0")
    assert files(again) == files(top / "archive")


def test_neither_the_order_of_the_logs_nor_the_process_matters(top: Path, tmp_path: Path) -> None:
    lines = (top / "logs.ndjson").read_bytes().splitlines(keepends=True)
    (tmp_path / "turned.ndjson").write_bytes(b"".join(reversed(lines)))
    arguments = ["publish", tmp_path / "turned.ndjson", "-o", tmp_path / "again", "--pseudonyms", top / "secret"]
    program = [sys.executable, "-c", _PROGRAM, *map(str, arguments), "--licence", "CC-BY-4.0"]
    subprocess.run(
        program, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"}
    )
    assert files(tmp_path / "again") == files(top / "archive")


def test_two_editions_with_one_secret_agree_and_with_another_do_not(top: Path, tmp_path: Path) -> None:
    lines = (top / "logs.ndjson").read_bytes().splitlines(keepends=True)
    (tmp_path / "next.ndjson").write_bytes(b"".join(lines[5:]))
    first = pseudonyms(top / "archive")
    same = pseudonyms(publish(tmp_path / "next.ndjson", tmp_path / "same", "--pseudonyms", top / "secret"))
    other = pseudonyms(publish(tmp_path / "next.ndjson", tmp_path / "different", "--pseudonyms", top / "other"))
    assert same.items() <= first.items()
    assert same.keys() == other.keys()
    assert not {name for names in same.values() for name in names} & {
        name for names in other.values() for name in names
    }


def test_who_is_erased_is_gone_and_all_else_stays(top: Path, tmp_path: Path) -> None:
    (tmp_path / "erased").write_text("user-7742\n\nnobody\n", encoding="utf-8")
    before = pseudonyms(top / "archive")
    after = pseudonyms(
        publish(top / "logs.ndjson", tmp_path / "a", "--pseudonyms", top / "secret", "--erase", tmp_path / "erased")
    )
    assert before.keys() == after.keys()
    gone = before["tarneeb-classic-23:0"][1]
    for match, names in before.items():
        for seat, (was, now) in enumerate(zip(names, after[match], strict=True)):
            assert now == (f"erased-{seat}" if was == gone else was)
    assert not any(gone.encode() in text for _, text in texts(tmp_path / "a"))


def test_what_was_changed_is_reported(top: Path) -> None:
    rows = {row["field"]: (row["act"], row["times"]) for row in read_json(top / "archive/data/changes.json")}
    assert rows["/extra"] == ("dropped", 14)
    assert rows["/events/*"] == ("dropped", 14)
    assert rows["/players/*/name"][0] == "dropped"
    sheet = (top / "archive/data/QUALITY.md").read_text(encoding="utf-8")
    assert all(f"`{field}`" in sheet for field in rows)


def test_the_quality_sheet_counts_what_is_there_and_what_is_not(top: Path, tmp_path: Path) -> None:
    lines = (top / "logs.ndjson").read_bytes()
    (tmp_path / "logs.ndjson").write_bytes(lines + lines.splitlines(keepends=True)[0] + b'{"format": 1}\nrubbish\n')
    counts = read_json(publish(tmp_path / "logs.ndjson", tmp_path / "a") / "data/quality.json")
    assert (counts["read"], counts["matches"]) == (18, 15)
    assert sorted((row["reason"], row["logs"]) for row in counts["left_out"]) == [
        ("twice", 1),
        ("unreadable", 1),
        ("unreadable", 1),
    ]
    assert counts["rulesets"]["tarneeb-classic"]["statuses"] == {
        "illegal": 1,
        "misscored": 0,
        "incomplete": 0,
        "clean": 2,
    }
    assert any(row["clause"] == "play.follow-suit" and row["matches"] == 1 for row in counts["findings"])


@pytest.mark.parametrize(
    ("options", "matches_left", "reason"),
    [
        (("--only", "clean"), 14, "status"),
        (("--ruleset", "rami-tounsi", "--ruleset", "three-stones"), 4, "ruleset"),
        (("--since", "2026-01-02"), 0, "day"),
        (("--since", "2026-01-01"), 15, None),
    ],
)
def test_choices(top: Path, tmp_path: Path, options: tuple[str, ...], matches_left: int, reason: str | None) -> None:
    result = run("publish", top / "logs.ndjson", "-o", tmp_path / "a", *options)
    if matches_left == 0:
        assert result.exit_code == 2
        assert "found none (15 before the first day asked for)" in result.output
        assert not (tmp_path / "a").exists()
        return
    counts = read_json(tmp_path / "a/data/quality.json")
    assert counts["matches"] == matches_left == len(logs_in(tmp_path / "a"))
    assert {row["reason"] for row in counts["left_out"]} == ({reason} if reason else set())


def test_files_by_month_and_by_ruleset(tmp_path: Path) -> None:
    days = ["2026-01-31T23:00:00Z", "2026-02-01T00:00:00+02:00", None, "2025-12-05T10:00:00Z"]
    documents = []
    for number, day in enumerate(days):
        document = dict(matches()[number])
        document.pop("started")
        document.pop("ended")
        documents.append(document | ({} if day is None else {"started": day}))
    logs = written(tmp_path / "logs.ndjson", [*documents, *matches("rami-tounsi", 1)])
    by_month = publish(logs, tmp_path / "m", "--split", "month")
    names = ["2025-12", "2026-01", "2026-02", "undated"]
    assert sorted(path.name for path in (by_month / "data/logs").iterdir()) == [f"{name}.ndjson.zst" for name in names]
    by_ruleset = publish(logs, tmp_path / "r", "--split", "ruleset")
    assert sorted(path.name for path in (by_ruleset / "data/logs").iterdir()) == [
        "rami-tounsi.ndjson.zst",
        "tarneeb-classic.ndjson.zst",
    ]
    assert read_json(by_month / "seal.json")["root"] == read_json(by_ruleset / "seal.json")["root"]
    refused = run("publish", logs, "-o", tmp_path / "x", "--split", "month", "--keep-times", "none")
    assert refused.exit_code == 2
    assert not (tmp_path / "x").exists()


def test_a_database_gives_the_same_archive_as_its_logs(top: Path, tmp_path: Path) -> None:
    run("audit", top / "logs.ndjson", "--db", tmp_path / "audit.db")
    again = publish(tmp_path / "audit.db", tmp_path / "a", "--pseudonyms", top / "secret", "--licence", "CC-BY-4.0")
    assert files(again) == files(top / "archive")


def test_an_archive_can_be_published_again(top: Path, tmp_path: Path) -> None:
    before = files(top / "archive")
    publish(top / "archive/data/archive.db", tmp_path / "again", "--keep-times", "exact")
    assert files(top / "archive") == before  # reading its database changed nothing
    assert pseudonyms(tmp_path / "again").keys() == pseudonyms(top / "archive").keys()


def test_all_fixtures_can_be_published(tmp_path: Path) -> None:
    archive = publish(FIXTURES, tmp_path / "a")
    outcome = verified(archive, True, None, lambda what: None)
    assert (outcome.doubts, outcome.was_audited, outcome.is_same_auditor) == ((), True, True)
    assert outcome.log_count > 300


def test_the_tables_say_what_the_logs_say(top: Path) -> None:
    rows = parquet.read_table(top / "archive/data/tables/matches.parquet").to_pylist()
    logs = logs_in(top / "archive")
    assert [(row["match_id"], row["ruleset"], row["players"], row["line"]) for row in rows] == [
        (log["match"], log["ruleset"], [player["id"] for player in log["players"]], number)
        for number, log in enumerate(logs, 1)
    ]
    findings = parquet.read_table(top / "archive/data/tables/findings.parquet").to_pylist()
    illegal = next(row for row in findings if row["kind"] == "illegal")
    assert (illegal["clause"], illegal["ruleset"]) == ("play.follow-suit", "tarneeb-classic")
    log = next(log for log, row in zip(logs, rows, strict=True) if row["digest"] == illegal["digest"])
    assert log["events"][illegal["event"]]["seat"] == illegal["seat"]


def test_others_tools_accept_the_archive(top: Path) -> None:
    archive = top / "archive"
    assert bagit.Bag(str(archive)).is_valid()
    package = Package(str(archive / "data/datapackage.json"))
    assert package.to_descriptor()["licenses"] == [{"name": "CC-BY-4.0"}]
    assert list(Package.metadata_validate(read_json(archive / "data/datapackage.json"))) == []
    for resource in package.resources:
        if str(resource.path).endswith(".parquet"):
            names = parquet.read_schema(archive / "data" / str(resource.path)).names
            assert [field.name for field in resource.schema.fields] == names
    citation = yaml.safe_load((archive / "data/CITATION.cff").read_text(encoding="utf-8"))
    assert citation["license"] == "CC-BY-4.0"
    assert str(citation["date-released"]) == "2026-01-01"
    sums = subprocess.run(["sha256sum", "-c", "manifest-sha256.txt"], cwd=archive, capture_output=True, check=False)
    assert sums.returncode == 0


def test_the_database_of_an_archive_is_whole_and_needs_nothing_beside_it(top: Path) -> None:
    with Store.look(top / "archive/data/archive.db") as store:
        assert len(store.digests()) == 15
    assert sorted(path.name for path in (top / "archive/data").iterdir() if "archive.db" in path.name) == ["archive.db"]


def test_logs_that_become_one_give_the_same_bytes_in_either_order(tmp_path: Path) -> None:
    with_note, without = telling(), telling()
    del without["extra"]
    one, two = written(tmp_path / "1.ndjson", [with_note]), written(tmp_path / "2.ndjson", [without])
    for name, order in (("a", (one, two)), ("b", (two, one))):
        assert run("publish", *order, "-o", tmp_path / name).exit_code == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_an_edition_may_be_called_anything(top: Path, tmp_path: Path) -> None:
    publish(top / "logs.ndjson", tmp_path / "a", "--edition", " spring \n  2026 ", "--title", 'A "title": {x} | y')
    assert verified(tmp_path / "a", True, None, lambda what: None, configuration_json).doubts == ()
    assert run("publish", top / "logs.ndjson", "-o", tmp_path / "b", "--title", "\udcff").exit_code == 2


def test_ids_to_erase_that_nobody_has_are_told(top: Path, tmp_path: Path) -> None:
    (tmp_path / "erase").write_text("user-7742\r\nUser-7743\n", encoding="utf-8")
    result = run("publish", top / "logs.ndjson", "-o", tmp_path / "a", "--erase", tmp_path / "erase")
    assert "User-7743" in result.output
    assert "user-7742" not in result.output
    assert result.output.count("/players/*/id replaced") == 1


# --- Refusals ---------------------------------------------------------------------------------------------------------


def test_nothing_is_overwritten_and_nothing_is_left_of_what_failed(top: Path, tmp_path: Path) -> None:
    before = files(top / "archive")
    assert run("publish", top / "logs.ndjson", "-o", top / "archive").exit_code == 2
    assert files(top / "archive") == before
    for arguments in (
        (tmp_path / "nothing.ndjson",),
        (top / "logs.ndjson", "--pseudonyms", tmp_path / "nothing"),
        (top / "logs.ndjson", "--sign", top / "secret"),
    ):
        assert run("publish", *arguments, "-o", tmp_path / "a").exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_ids_of_matches_are_replaced_with_a_secret_only(top: Path, tmp_path: Path) -> None:
    arguments = (top / "logs.ndjson", "-o", tmp_path / "a", "--match-ids", "replace")
    assert run("publish", *arguments).exit_code == 2
    assert run("publish", *arguments, "--pseudonyms", top / "secret").exit_code == 0
    assert all(match.startswith("m-") for match in pseudonyms(tmp_path / "a"))


def test_a_secret_must_be_long(top: Path, tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"  15 bytes long.\n")
    result = run("publish", top / "logs.ndjson", "-o", tmp_path / "a", "--pseudonyms", tmp_path / "short")
    assert result.exit_code == 2
    assert "at least 16 bytes" in result.output


def test_a_key_for_signatures_is_no_secret(top: Path, tmp_path: Path) -> None:
    assert run("key", "new", tmp_path / "key").exit_code == 0
    for name in ("key", "key.pub"):
        result = run("publish", top / "logs.ndjson", "-o", tmp_path / "a", "--pseudonyms", tmp_path / name)
        assert result.exit_code == 2
        assert "as “auditor key secret FILE” makes one, found a key for signatures" in result.output


def test_a_killed_run_can_be_run_again(top: Path, tmp_path: Path) -> None:
    (tmp_path / ".a.part" / "logs").mkdir(parents=True)
    (tmp_path / ".a.part" / "spool").write_bytes(b"half")
    (tmp_path / ".a.lock").write_bytes(b"")
    publish(top / "logs.ndjson", tmp_path / "a", "--pseudonyms", top / "secret", "--licence", "CC-BY-4.0")
    assert files(tmp_path / "a") == files(top / "archive")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
