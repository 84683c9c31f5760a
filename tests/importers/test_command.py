"""``auditor import``: where matches go, what is said, and the exit codes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner, Result

from auditor.cli import importing, main
from auditor.errors import CannotAudit
from auditor.importers import carrying

from .platforms import MAPPINGS, emitted, moves_table, played, text_of

[STONES] = played("three-stones", 1)
LINES = emitted(STONES)


def run(*words: str | Path, code: int = 0, text: bytes | None = None) -> Result:
    result = CliRunner().invoke(main, ["import", *map(str, words)], input=text, prog_name="auditor")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


def stopped(*words: str | Path) -> str:
    """The line that is said where the system stops the program, which ends it with code 2."""
    program = "from auditor.cli import main; main(prog_name='auditor')"
    command = [sys.executable, "-c", program, "import", *map(str, words)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    [line] = result.stderr.splitlines()
    return line


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "server.log"
    path.write_bytes(text_of(LINES))
    return path


def test_matches_on_standard_output_and_the_rest_on_standard_error(log: Path) -> None:
    result = run("events", log)
    assert json.loads(result.stdout) == STONES
    count = len(STONES["events"])
    assert result.stderr.splitlines() == [
        f"imported: matches 1, events {count}, read {count + 1}",
        "nothing was left behind",
    ]


def test_what_is_imported_can_be_audited() -> None:
    imported = run("events", "-", text=text_of(LINES)).stdout_bytes
    result = CliRunner().invoke(main, ["audit", "-"], input=imported)
    assert result.exit_code == 0
    assert "matches: 1 (clean 1)" in result.output


@pytest.mark.parametrize(
    ("name", "unpack"),
    [("o.ndjson", bytes), ("o.ndjson.gz", gzip.decompress), ("o.ndjson.zst", None)],
)
def test_files_are_packed_as_they_are_called(
    name: str, unpack: Callable[[bytes], bytes] | None, log: Path, tmp_path: Path
) -> None:
    result = run("events", log, "-o", tmp_path / name)
    assert result.stdout == ""
    data = (tmp_path / name).read_bytes()
    if unpack is None:
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    else:
        data = unpack(data)
    assert json.loads(data) == STONES
    again = tmp_path / f"again-{name}"
    run("events", log, "-o", again)
    assert again.read_bytes() == (tmp_path / name).read_bytes()


def test_a_file_is_written_whole_or_not_at_all(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "o.ndjson"
    target.write_text("as it was")
    bad = tmp_path / "map.toml"
    bad.write_text("seats = 9\n")
    run("events", log, "-o", target, "--map", bad, code=2)
    assert target.read_text() == "as it was"

    def breaks_off(*_: object) -> Iterator[bytes]:
        yield b"{}"
        raise CannotAudit("it breaks off")

    monkeypatch.setattr(importing, "carried", breaks_off)
    assert run("events", log, "-o", target, code=2).stderr == "auditor: it breaks off\n"
    assert target.read_text() == "as it was"
    assert sorted(os.listdir(tmp_path)) == ["map.toml", "o.ndjson", "server.log"]


def test_a_file_may_be_written_over_its_own_source(log: Path) -> None:
    run("events", log, "-o", log)
    assert json.loads(log.read_bytes()) == STONES


def test_a_link_is_followed_and_permissions_stay(log: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "o.ndjson", tmp_path / "link.ndjson"
    target.touch(mode=0o600)
    link.symlink_to(target)
    run("events", log, "-o", link)
    assert link.is_symlink()
    assert json.loads(target.read_bytes()) == STONES
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["nowhere/o.ndjson", "folder"])
def test_where_nothing_can_be_written(name: str, log: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert stopped("events", log, "-o", tmp_path / name).startswith(f"auditor: {tmp_path / name}: ")


def test_losses_are_findings(log: Path, tmp_path: Path) -> None:
    log.write_bytes(text_of([*LINES[:4], *LINES[6:]]) + b"nonsense\n" * 3)
    report = tmp_path / "report.json"
    result = run("events", log, "--report", report, code=1)
    line = len(LINES) - 1
    assert result.stderr.splitlines()[1:] == [
        "could not be carried over:",
        f'  text that cannot be read ×3: {log}:{line}, This is not JSON: expected a value, found "n".',
        f"  numbers that are missing ×2: {log}:5, match three-stones-5:0, 4–5",
    ]
    told = json.loads(report.read_bytes())
    assert told["format"] == "import-report/1"
    assert told["importer"] == "events"
    assert told["paths"] == [str(log)]
    assert [(loss["kind"], loss["count"], len(loss["first"])) for loss in told["losses"]] == [
        ("text", 3, 3),
        ("gap", 2, 1),
    ]
    assert told["losses"][1]["first"] == [{"file": str(log), "line": 5, "match": "three-stones-5:0", "detail": "4–5"}]
    assert told["counts"]["matches"] == 1


def test_a_file_that_is_not_there_and_the_rest_is_imported(log: Path, tmp_path: Path) -> None:
    result = run("events", tmp_path / "none.log", log, code=2)
    assert json.loads(result.stdout) == STONES
    assert "a file that cannot be read ×1" in result.stderr


def test_invalid_matches_are_left_out_or_kept(log: Path) -> None:
    log.write_bytes(text_of([LINES[0], *LINES]).replace(b'"a1"', b'"somewhere far away"'))
    result = run("events", log, code=1)
    assert result.stdout == ""
    assert "left out 1" in result.stderr
    assert "/point" in result.stderr
    assert json.loads(run("events", log, "--keep-invalid", code=1).stdout)["match"] == STONES["match"]


def test_a_mapping_and_an_option(tmp_path: Path) -> None:
    path = tmp_path / "moves.csv"
    text = moves_table(played("tarneeb-classic", 1))
    path.write_bytes(text + text.splitlines(keepends=True)[-1].replace(b",0,", b",1,", 1))
    mapping = MAPPINGS / "moves.toml"
    run("table", path, "--map", mapping, code=0)
    path.write_bytes(text + text.splitlines(keepends=True)[-1].replace(b"RESULT", b"SCORE"))
    assert run("table", path, "--map", mapping, code=1).stdout == ""
    assert run("table", path, "--map", mapping, "--option", "conflicts=first", code=1).stdout != ""
    assert "--option" in run("table", path, "--map", mapping, "--option", "conflict=first", code=2).stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((text, "expected a mapping file in TOML, found none: ") for text in (b"= 1", b"a = [", b"[x]\n[x]\n")),
        (b"\xff", "expected a mapping file in UTF-8, found other bytes\n"),
        (b"a = " + b"[" * 9999, "expected a mapping file, found one that is nested too deep\n"),
    ],
)
def test_a_mapping_file_that_is_no_toml(content: bytes, said: str, log: Path, tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_bytes(content)
    assert f"auditor: {path}: {said}" in run("events", log, "--map", path, code=2).stderr


def test_a_mapping_file_that_is_not_there(log: Path, tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    assert stopped("events", log, "--map", path) == f"auditor: {path}: No such file or directory"


def test_what_has_to_be_given() -> None:
    assert "expected FORMAT and PATH" in run(code=2).output
    assert "expected FORMAT and PATH" in run("events", code=2).output
    assert "is not one of 'events', 'table'" in run("csv", "x", code=2).output


def test_the_list_of_formats() -> None:
    lines = run("--list").output.splitlines()
    assert [line.split()[0] for line in lines] == ["events", "table"]
    assert "كائن" in run("--list", "--lang", "ar").output


def test_both_languages_have_the_same_phrases() -> None:
    english, arabic = importing._PHRASES["en"], importing._PHRASES["ar"]
    assert english.keys() == arabic.keys()
    assert [key for key in english if english[key].count("{}") != arabic[key].count("{}")] == []


def test_in_arabic(log: Path) -> None:
    log.write_bytes(text_of([*LINES[:4], *LINES[6:]]))
    lines = run("events", log, "--lang", "ar", code=1).stderr.splitlines()
    assert lines[0].startswith("المستورَد: المباريات 1")
    assert "أرقام ناقصة ×2" in lines[2]


def test_many_groups_are_cut_on_the_screen_and_not_in_the_report(log: Path, tmp_path: Path) -> None:
    log.write_bytes(text_of([line | {f"k{number}": 1} for number, line in enumerate(LINES * 3)]))
    result = run("events", log, "--report", tmp_path / "r.json", code=1)
    count = len(LINES) * 3
    assert result.stderr.splitlines()[-1] == f"  … and {count - 40} more"
    assert len(json.loads((tmp_path / "r.json").read_bytes())["losses"]) == count <= carrying.MOST_GROUPS


def test_nobody_reads_the_output(log: Path) -> None:
    program = "from auditor.cli import main; main(prog_name='auditor')"
    with subprocess.Popen(
        [sys.executable, "-c", program, "import", "events", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert b"Traceback" not in told
