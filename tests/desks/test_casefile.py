"""Case files: they hold all that is needed, are the same every time, and whatever is changed in them is named."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import click
import msgspec
import pytest

from auditor import rulebook
from auditor.audit import audited
from auditor.cli import main
from auditor.cli.casework import report_of
from auditor.desks import archive, casefile, signing, verification
from auditor.desks.verification import Doubt, verified
from auditor.verdict import to_pretty_json
from tests.desks import played, seats
from tests.desks.played import FIXTURES, run

REVOKE = FIXTURES / "tarneeb-classic" / "fault-revoke.json"
INVALID = FIXTURES / "tarneeb-classic" / "invalid.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key, another key, and one case in every form; nothing in it is changed."""
    top = tmp_path_factory.mktemp("cases")
    for name in ("key", "other"):
        assert run("key", "new", top / name).exit_code == 0
    for output in ("plain", "plain.zip"):
        assert run("case", REVOKE, "-o", top / output).exit_code == 0
    for output in ("signed", "signed.zip"):
        assert run("case", REVOKE, "-o", top / output, "--sign", top / "key").exit_code == 0
    return top


@pytest.fixture
def cases(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "cases"))


def doubts(path: Path, key: Path | None = None) -> list[tuple[str, str]]:
    outcome = verified(path, report_of, None if key is None else signing.public_key_of(key))
    return [(doubt.wrong, doubt.file) for doubt in outcome.doubts]


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def flipped(rng: random.Random, data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :]


# --- What is in it --------------------------------------------------------------------------------------------------


def test_a_case_holds_the_log_as_it_was_found_and_all_that_follows_from_it(made: Path) -> None:
    case = made / "plain"
    [(_, verdict)] = audited([str(REVOKE)])
    assert (case / "originals" / "001.json").read_bytes() == REVOKE.read_bytes()
    assert (case / "verdicts" / "001.json").read_bytes() == to_pretty_json(verdict)
    canonical = (case / "logs" / "001.json").read_bytes()
    assert "sha256:" + hashlib.sha256(canonical).hexdigest() == verdict.log_digest
    cited = json.loads((case / "clauses.json").read_bytes())["tarneeb-classic"]
    assert set(cited) >= {finding.clause for finding in verdict.findings}
    assert cited["play.follow-suit"]["rule"]["ar"] == rulebook.entry("tarneeb-classic", "play.follow-suit").rule["ar"]
    about = json.loads((case / "case.json").read_bytes())
    assert about["rules"] == rulebook.digest()
    [log] = about["logs"]
    assert log["origin"]["file_sha256"] == hashlib.sha256(REVOKE.read_bytes()).hexdigest()
    assert (log["origin"]["line"], log["origin"]["offset"]) == (1, 0)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="the program sha256sum is not installed")
def test_the_sums_are_such_as_other_programs_check(made: Path) -> None:
    result = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=made / "plain", capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    listed = [line.split(b": ")[0].decode() for line in result.stdout.splitlines()]
    assert sorted([*listed, "SHA256SUMS"]) == files_in(made / "plain")


@pytest.mark.parametrize("output", ["plain.zip", "signed.zip", "signed"])
def test_the_same_logs_and_key_give_the_same_bytes(made: Path, tmp_path: Path, output: str) -> None:
    again = tmp_path / output
    sign: list[str | Path] = ["--sign", made / "key"] if "signed" in output else []
    assert run("case", "make", REVOKE, "-o", again, *sign).exit_code == 0
    one, other = archive.read(made / output), archive.read(again)
    assert one == other
    if output.endswith(".zip"):
        assert again.read_bytes() == (made / output).read_bytes()


def test_a_zip_holds_what_the_folder_holds_and_any_program_opens_it(made: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(made / "plain.zip") as zipped:
        zipped.extractall(tmp_path)
    assert files_in(tmp_path) == files_in(made / "plain")
    assert doubts(tmp_path) == []


def test_of_an_archive_the_match_that_is_named_is_taken_as_it_stands_there(tmp_path: Path) -> None:
    first, second = played.matches(count=2)
    path = played.write(tmp_path / "archive.ndjson", first, second)
    assert run("case", path, "--match", second["match"], "-o", tmp_path / "case").exit_code == 0
    assert (tmp_path / "case" / "originals" / "001.json").read_bytes().strip() == msgspec.json.encode(second)
    about = json.loads((tmp_path / "case" / "case.json").read_bytes())
    assert [log["origin"]["line"] for log in about["logs"]] == [2]
    assert doubts(tmp_path / "case") == []


def test_what_is_no_log_can_be_evidence_too(tmp_path: Path) -> None:
    result = run("case", INVALID, REVOKE, "-o", tmp_path / "case")
    assert result.exit_code == 0
    assert files_in(tmp_path / "case" / "logs") == ["002.json"]
    verdict = json.loads((tmp_path / "case" / "verdicts" / "001.json").read_bytes())
    assert verdict["status"] == "invalid"
    assert verdict["findings"][0]["place"]["file"] == "originals/001.json"
    assert doubts(tmp_path / "case") == []


def test_logs_of_one_match_are_laid_side_by_side(tmp_path: Path) -> None:
    logs = seats.all_views(played.matches()[0])
    made = seats.another_card(random.Random(1), logs[2])
    assert made is not None
    logs[2] = made.document
    paths = [played.write(tmp_path / f"{number}.ndjson", log) for number, log in enumerate(logs)]
    assert run("case", *paths, "-o", tmp_path / "case").exit_code == 0
    assert json.loads((tmp_path / "case" / "reconciliation.json").read_bytes())["damaged"] == [2]
    report = (tmp_path / "case" / "report.html").read_text(encoding="utf-8")
    assert "Damaged: originals/003.json" in report
    assert doubts(tmp_path / "case") == []


@pytest.mark.parametrize("output", ["there", "there.zip", "no-folder/case", "no-folder/case.zip"])
def test_nothing_is_overwritten_and_nothing_is_left_behind(tmp_path: Path, output: str) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there.zip").write_bytes(b"x")
    before = sorted(os.listdir(tmp_path))
    result = run("case", REVOKE, "-o", tmp_path / output)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert sorted(os.listdir(tmp_path)) == before
    assert (tmp_path / "there.zip").read_bytes() == b"x"


def test_what_cannot_be_read_makes_no_case(tmp_path: Path) -> None:
    for wrong in (["no-such-file.json"], [str(REVOKE), "--match", "nobody"], [str(REVOKE), "--sign", str(REVOKE)]):
        assert run("case", *wrong, "-o", tmp_path / "case").exit_code == 2
    assert os.listdir(tmp_path) == []


# --- Changes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["plain", "signed"])
def test_a_case_that_nobody_touched_is_whole(made: Path, case: str) -> None:
    for name in (case, f"{case}.zip"):
        assert doubts(made / name) == []
        result = run("case", "verify", made / name)
        assert result.exit_code == 0
        assert result.output.splitlines()[-1].startswith("nothing was changed, added or taken away")


@pytest.mark.parametrize("case", ["plain", "signed"])
def test_of_200_changes_of_one_byte_in_a_folder_each_is_named(cases: Path, case: str) -> None:
    rng = random.Random(f"folder {case}")
    sizes = {name: (cases / case / name).stat().st_size for name in files_in(cases / case)}
    for number in range(200):
        # some in each file, and else at random among all bytes
        name = list(sizes)[number] if number < len(sizes) else rng.choices(list(sizes), list(sizes.values()))[0]
        path = cases / case / name
        whole = path.read_bytes()
        at = rng.randrange(len(whole))
        path.write_bytes(flipped(rng, whole, at))
        found = doubts(cases / case)
        if name == "SHA256SUMS":  # which of the two is wrong, the sum or what it is of, only a signature can say
            assert found, at
            assert case == "plain" or ("signature", "signature.json") in found, (at, found)
        else:
            assert name in [file for _, file in found], (name, at, found)
        path.write_bytes(whole)
    assert doubts(cases / case) == []


@pytest.mark.parametrize("case", ["plain.zip", "signed.zip"])
def test_of_200_changes_of_one_byte_in_a_zip_each_is_detected(cases: Path, case: str) -> None:
    rng = random.Random(f"zip {case}")
    path = cases / case
    whole = path.read_bytes()
    directory = whole.index(b"PK\x01\x02")
    anywhere = [rng.randrange(len(whole)) for _ in range(200)]
    structure = [*range(40), *rng.sample(range(directory, len(whole)), 160)]
    for at in anywhere + structure:
        path.write_bytes(flipped(rng, whole, at))
        assert doubts(path), at
    path.write_bytes(whole)
    assert doubts(path) == []


def test_a_changed_byte_of_a_file_in_a_zip_names_the_file(cases: Path) -> None:
    path = cases / "plain.zip"
    whole = path.read_bytes()
    for name in files_in(cases / "plain"):
        content = (cases / "plain" / name).read_bytes()
        at = whole.index(content) + len(content) // 2
        path.write_bytes(flipped(random.Random(1), whole, at))
        assert ("damaged", name) in doubts(path)


def rewritten(path: Path, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> None:
    """The ZIP as its forger would write it: well-formed, with other files."""
    path.write_bytes(archive.packed(change(dict(archive.read(path).files))))


def with_sums(files: dict[str, bytes]) -> dict[str, bytes]:
    return {**files, "SHA256SUMS": casefile.sums_of(files)}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda files: {**files, "extra.txt": b"x"}, [("added", "extra.txt")]),
        (lambda files: {k: v for k, v in files.items() if k != "README.txt"}, [("missing", "README.txt")]),
        (lambda files: {k: v for k, v in files.items() if k != "SHA256SUMS"}, [("missing", "SHA256SUMS")]),
        (lambda files: {**files, "signature.json": b"{}"}, [("added", "signature.json")]),
        (lambda files: {**files, "README.txt": b""}, [("changed", "README.txt")]),
        (lambda files: {**files, "SHA256SUMS": files["SHA256SUMS"] + b"\n"}, [("sums", "SHA256SUMS")]),
        (lambda files: {**files, "SHA256SUMS": files["SHA256SUMS"].replace(b"  ", b" *")}, None),
        (lambda files: with_sums({**files, "README.txt": b""}), [("made otherwise", "README.txt")]),
        (lambda files: with_sums({**files, "extra.txt": b""}), [("made otherwise", "extra.txt")]),
        (lambda files: with_sums({**files, "report.html": b"all is well"}), [("made otherwise", "report.html")]),
        (lambda files: with_sums({**files, "verdicts/001.json": b"{}"}), [("verdict", "verdicts/001.json")]),
        (lambda files: with_sums({**files, "case.json": b"{}"}), [("not ours", "case.json")]),
        (lambda files: {"case.json": b"{}"}, [("missing", "SHA256SUMS"), ("not ours", "case.json")]),
    ],
)
def test_what_a_forger_changes_is_named(
    cases: Path,
    change: Callable[[dict[str, bytes]], dict[str, bytes]],
    expected: list[tuple[str, str]] | None,
) -> None:
    """Also where he takes the sums anew: all files follow from the originals."""
    path = cases / "plain.zip"
    rewritten(path, change)
    found = doubts(path)
    assert found if expected is None else found == expected


@pytest.mark.parametrize("files", [{}, {"notes.txt": b"x"}])
def test_what_has_nothing_of_a_case_cannot_be_checked(tmp_path: Path, files: dict[str, bytes]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    result = run("case", "verify", folder)
    assert result.exit_code == 2
    assert "expected a case file, found neither SHA256SUMS nor case.json in it" in result.stderr


def test_an_original_that_is_changed_with_all_that_follows_is_another_case_and_only_a_signature_shows_it(
    cases: Path, tmp_path: Path
) -> None:
    other = FIXTURES / "tarneeb-classic" / "fault-low-bid.json"
    assert run("case", other, "-o", tmp_path / "other.zip").exit_code == 0
    assert doubts(tmp_path / "other.zip") == []
    assert doubts(tmp_path / "other.zip", cases / "key.pub") == [("unsigned", "")]


# --- Hostile archives -----------------------------------------------------------------------------------------------


def zip_of(path: Path, name: str, data: bytes, compression: int = zipfile.ZIP_STORED, times: int = 1) -> Path:
    with zipfile.ZipFile(path, "w", compression) as zipped:
        for _ in range(times):
            zipped.writestr(zipfile.ZipInfo(name), data, compression)
    return path


@pytest.mark.parametrize(
    "name", ["../outside", "/etc/passwd", "a/../../b", "c:\\x", "a//b", "con\u202efdp", ".hidden", "a/", "", "ä"]
)
def test_names_that_leave_the_folder_or_are_none_of_ours_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "case.zip"
    zip_of(path, name or "x" * 200, b"x")
    assert doubts(path)[0][0] == "name"


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = zip_of(tmp_path / "case.zip", "README.txt", b"a", times=2)
    assert ("name", "README.txt") in doubts(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "case.zip", "README.txt", bytes(10_000_000), compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 20_000
    contents = archive.read(path)
    assert contents.files == {}
    assert [trouble.oddity for trouble in contents.troubles] == ["packed"]


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_of_a_case_that_another_program_has_packed_only_that_is_said(
    made: Path, tmp_path: Path, compression: int
) -> None:
    path = tmp_path / "again.zip"
    with zipfile.ZipFile(path, "w", compression) as zipped:
        for each in sorted((made / "signed").rglob("*")):  # folders are entries of their own, as Info-ZIP writes them
            zipped.write(each, each.relative_to(made / "signed"))
    assert doubts(path) == [("packed", "")]
    result = run("case", "verify", path)
    assert result.exit_code == 1
    assert "another program has packed this ZIP" in result.output.splitlines()[-1]


@pytest.mark.parametrize("name", ["../outside", "a/../../b"])
def test_a_packed_file_with_a_name_that_leaves_the_folder_is_named(tmp_path: Path, name: str) -> None:
    assert doubts(zip_of(tmp_path / "case.zip", name, b"x", zipfile.ZIP_DEFLATED))[0] == ("name", name)


def test_bytes_before_after_and_beside_the_files_are_found(cases: Path) -> None:
    path = cases / "plain.zip"
    whole = path.read_bytes()
    for odd in (whole + b"x", b"x" + whole, whole + whole):
        path.write_bytes(odd)
        assert doubts(path) == [("structure", "")]
    path.write_bytes(whole)
    with zipfile.ZipFile(path, "a") as zipped:
        zipped.comment = b"hello"
    assert doubts(path) == [("structure", "")]
    for cut in (4, 21, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert doubts(path)[0][0] == "no zip"


@pytest.mark.parametrize("data", [b"", b"P", b"hello\n"])
def test_a_file_that_is_no_zip_cannot_be_checked(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "hello.txt").write_bytes(data)
    result = run("case", "verify", tmp_path / "hello.txt")
    assert result.exit_code == 2
    assert "hello.txt: expected a folder or a ZIP, found something else" in result.stderr


def test_entries_that_lie_on_one_another_are_not_read_again_and_again(tmp_path: Path) -> None:
    """Many names for the same stored bytes: all together may be no more than the archive."""
    path = tmp_path / "case.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr(zipfile.ZipInfo("a"), bytes(100_000))
        [entry] = zipped.infolist()
        for number in range(500):
            other = zipfile.ZipInfo(f"b{number}")
            for key in ("CRC", "compress_size", "file_size", "header_offset", "flag_bits"):
                setattr(other, key, getattr(entry, key))
            zipped.filelist.append(other)
    contents = archive.read(path)
    assert sum(map(len, contents.files.values())) <= path.stat().st_size
    assert contents.troubles


@pytest.mark.parametrize("name", ["case.json", "signature.json", "verdicts/001.json", "originals/001.json"])
@pytest.mark.parametrize("text", [b"", b"[" * 100_000, b"null", b'{"a": 1}', b"\xff", b'{"payload": 1}'])
def test_a_file_of_a_case_may_hold_anything(
    cases: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: bytes
) -> None:
    """Whatever it is ends in a doubt, with this auditor and with another."""
    rewritten(cases / "signed.zip", lambda files: with_sums({**files, name: text}))
    assert doubts(cases / "signed.zip")
    monkeypatch.setattr(verification, "__version__", "9.9")
    if name != "signature.json":
        rewritten(cases / "plain.zip", lambda files: with_sums({**files, name: text}))
        assert doubts(cases / "plain.zip")


def test_links_and_empty_folders_in_a_case_are_named(cases: Path) -> None:
    case = cases / "plain"
    (case / "empty").mkdir()
    (case / "away").symlink_to(cases)
    os.mkfifo(case / "pipe")
    (case / "README.txt").unlink()
    (case / "README.txt").symlink_to(REVOKE)
    found = doubts(case)
    assert {("empty", "empty"), ("link", "away"), ("link", "pipe"), ("link", "README.txt")} <= set(found)


@pytest.mark.parametrize("path", ["no-such-case", "no-such.zip", "/dev/null"])
def test_where_there_is_no_case_nothing_can_be_checked(path: str) -> None:
    assert run("case", "verify", path).exit_code == 2


# --- Another auditor ------------------------------------------------------------------------------------------------


def test_by_another_auditor_statuses_and_findings_are_compared(cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "__version__", "9.9")
    outcome = verified(cases / "plain.zip", report_of)
    assert (outcome.doubts, outcome.is_same_auditor) == ((), False)
    rewritten(cases / "plain.zip", lambda files: with_sums({**files, "report.html": b"as another auditor writes it"}))
    assert verified(cases / "plain.zip", report_of).doubts == ()
    result = run("case", "verify", cases / "plain.zip")
    assert "only statuses and findings are compared" in result.output


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        (b'"status": "illegal"', b'"status": "clean"', "status: clean ≠ illegal"),
        (b'"event": 22', b'"event": 23', "findings[0]: play.follow-suit @ 23 ≠ play.follow-suit @ 22"),
        (b'"log_digest": "sha256:3', b'"log_digest": "sha256:4', "log_digest: "),
    ],
)
def test_by_another_auditor_what_differs_is_told(
    cases: Path, monkeypatch: pytest.MonkeyPatch, old: bytes, new: bytes, detail: str
) -> None:
    monkeypatch.setattr(verification, "__version__", "9.9")
    name = "verdicts/001.json"
    rewritten(cases / "plain.zip", lambda files: with_sums({**files, name: files[name].replace(old, new, 1)}))
    [doubt] = verified(cases / "plain.zip", report_of).doubts
    assert isinstance(doubt, Doubt)
    assert (doubt.wrong, doubt.file) == ("verdict", name)
    assert doubt.detail.startswith(detail)


# --- Keys and signatures --------------------------------------------------------------------------------------------


def test_a_new_key_is_for_its_owner_alone_and_overwrites_nothing(tmp_path: Path) -> None:
    result = run("key", "new", tmp_path / "key")
    assert result.exit_code == 0
    private, public = tmp_path / "key", tmp_path / "key.pub"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert public.read_text() in result.output
    assert signing.signer_of(private) == signing.public_key_of(public)
    assert signing.public_key_of(public).id in result.output
    before = private.read_bytes(), public.read_bytes()
    assert run("key", "new", private).exit_code == 2
    private.unlink()
    assert run("key", "new", private).exit_code == 2
    assert sorted(os.listdir(tmp_path)) == ["key.pub"]
    assert public.read_bytes() == before[1]


@pytest.mark.parametrize("case", ["signed", "signed.zip"])
def test_a_signature_holds_for_its_key_alone(made: Path, case: str) -> None:
    key = signing.public_key_of(made / "key.pub")
    outcome = verified(made / case, report_of, key)
    assert (outcome.doubts, outcome.signer, outcome.is_expected) == ((), key.id, True)
    assert doubts(made / case, made / "other.pub") == [("key", "signature.json")]
    assert verified(made / case, report_of).is_expected is False


def test_a_case_without_the_signature_that_it_names_is_not_whole(cases: Path) -> None:
    (cases / "signed" / "signature.json").unlink()
    assert doubts(cases / "signed") == [("missing", "signature.json")]


def test_a_signature_of_another_case_does_not_hold(cases: Path, tmp_path: Path) -> None:
    assert run("case", INVALID, "-o", tmp_path / "other", "--sign", cases / "key").exit_code == 0
    shutil.copy(tmp_path / "other" / "signature.json", cases / "signed" / "signature.json")
    assert doubts(cases / "signed") == [("signature", "signature.json")]


def test_a_case_signed_anew_by_another_is_not_that_of_the_key(cases: Path, tmp_path: Path) -> None:
    assert run("case", REVOKE, "-o", tmp_path / "forged", "--sign", cases / "other").exit_code == 0
    assert doubts(tmp_path / "forged") == []
    assert doubts(tmp_path / "forged", cases / "key.pub") == [("key", "signature.json")]


@pytest.mark.parametrize("text", [b"", b"x", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
def test_what_is_no_key_is_one_line(made: Path, tmp_path: Path, text: bytes) -> None:
    (tmp_path / "key").write_bytes(text)
    ways: list[list[str | Path]] = [
        ["case", "verify", made / "signed", "--key"],
        ["case", REVOKE, "-o", tmp_path / "c", "--sign"],
    ]
    for words in ways:
        result = run(*words, tmp_path / "key")
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1


def test_a_private_key_is_refused_where_the_public_one_belongs_and_the_other_way_round(
    made: Path, tmp_path: Path
) -> None:
    result = run("case", "verify", made / "signed", "--key", made / "key")
    assert result.exit_code == 2
    assert "key: expected a public key, as key.pub beside it, found a private one" in result.stderr
    result = run("case", REVOKE, "-o", tmp_path / "c", "--sign", made / "key.pub")
    assert result.exit_code == 2
    assert "key.pub: expected a private Ed25519 key" in result.stderr


def test_without_the_extra_it_is_said_what_to_install(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "_Library", _missing)
    ways: list[list[str | Path]] = [["case", "verify", made / "signed"], ["key", "new", made / "third"]]
    for words in ways:
        result = run(*words)
        assert result.exit_code == 2
        assert "pip install 'auditor[sign]'" in result.stderr
    assert run("case", "verify", made / "plain").exit_code == 0


def _missing() -> None:
    raise ImportError


# --- The command ----------------------------------------------------------------------------------------------------


@cache
def lines_of_help(*words: str) -> str:
    return run(*words, "--help").output


def test_case_is_short_for_case_make() -> None:
    assert "make*" in lines_of_help("case")
    for name in ("make", "verify"):
        assert "Examples:" in lines_of_help("case", name)


@pytest.mark.parametrize("group", ["case", "key"])
def test_every_command_of_a_group_and_its_options_are_described(group: str) -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in (FIXTURES.parent / "docs").glob("*.md"))
    commands = main.get_command(click.Context(main), group)
    assert isinstance(commands, click.Group)
    for name, command in commands.commands.items():
        options = [max(option.opts, key=len) for option in command.params if isinstance(option, click.Option)]
        for wanted in (f"{group} {name}", *options):
            assert wanted in pages, (group, name, wanted)


@pytest.mark.parametrize("language", ["en", "ar"])
def test_verify_speaks_both_languages(cases: Path, language: str) -> None:
    (cases / "plain" / "README.txt").write_bytes(b"")
    result = run("case", "verify", cases / "plain", "--lang", language)
    assert result.exit_code == 1
    assert "README.txt" in result.output
    assert ("بصمتها" in result.output) == (language == "ar")
