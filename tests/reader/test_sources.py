"""Where logs lie: one match after another from files, folders and streams, and a gap where none can be had."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import log, sources
from auditor.errors import Place
from auditor.games import FORMS

from .builders import gzipped, lines, match, summary, text, zstandardized


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, data: bytes) -> str:
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    Path(name).write_bytes(data)
    return name


def read(*paths: str) -> list[log.Log | log.Unreadable]:
    return list(log.read(paths, FORMS))


def read_as(name: str, data: bytes) -> list[str]:
    return summary(read(write(name, data)))


def places(entries: list[log.Log | log.Unreadable]) -> list[tuple[str, int, int]]:
    return [(entry.place.file, entry.place.line, entry.place.offset) for entry in entries]


# --- Lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.ndjson", "a.jsonl", "A.NDJSON"])
@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (b"", []),
        (b"\n \r\n", []),
        (lines("a", "b"), ["a", "b"]),
        (lines("a", "b")[:-1], ["a", "b"]),
        (b"\xef\xbb\xbf" + lines("a", "b"), ["a", "b"]),
        (lines("a", "b").replace(b"\n", b"\r\n"), ["a", "b"]),
        (b"\n\n" + text("a") + b"\n \t\r\n" + text("b") + b"\n\n", ["a", "b"]),
        (lines("a") + b"{}x\n" + lines("b"), ["a", "log.syntax", "b"]),
        (lines("a") + b"[]\n" + lines("b"), ["a", "log.type", "b"]),
        (lines("a") + text("x")[:50] + b"\n" + lines("b"), ["a", "log.syntax", "b"]),
        (lines("a") + b"\xff\xfe\x00\n" + lines("b"), ["a", "log.encoding", "b"]),
        (lines("a") + b"\xef\xbb\xbf" + lines("b"), ["a", "log.syntax"]),
        (lines("a") + text("b")[:-9], ["a", "log.truncated"]),
        (lines("a") + b"{", ["a", "log.truncated"]),
    ],
)
def test_one_match_a_line(folder: Path, name: str, data: bytes, ids: list[str]) -> None:
    assert read_as(name, data) == ids


def test_lines_and_offsets_are_those_of_the_file(folder: Path) -> None:
    data = b"\xef\xbb\xbf\n" + lines("a") + b"\r\n" + b'{"match": "b",\t"x": 1}\n' + text("c")[:-1]
    entries = read(write("a.ndjson", data))
    second, third = data.index(b'{"match": "b"'), data.index(text("c")[:-1])
    assert places(entries) == [("a.ndjson", 2, 4), ("a.ndjson", 4, second), ("a.ndjson", 5, third)]
    wrong, cut = entries[1:]
    assert isinstance(wrong, log.Unreadable)
    assert isinstance(cut, log.Unreadable)
    assert (wrong.match, cut.match) == ("b", "c")
    unknown = next(fault for fault in wrong.diagnostics if fault.clause == "log.unknown-key")
    assert (unknown.line, unknown.offset, unknown.pointer) == (4, data.index(b"1}"), "/x")
    assert (cut.diagnostics[0].line, cut.diagnostics[0].offset) == (5, len(data))


# --- Arrays and single matches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (text("a"), ["a"]),
        (b"\xef\xbb\xbf \r\n" + text("a") + b"\n\n", ["a"]),
        (json.dumps(match("a"), indent=1).encode(), ["a"]),
        (json.dumps([match("a"), match("b")], indent=1).encode(), ["a", "b"]),
        (b"[]", []),
        (b" [ ] ", []),
        (b"[" + text("a") + b"]", ["a"]),
        (b"[" + text('"}]\\') + b"," + text("{[,") + b"]", ['"}]\\', "{[,"]),
        (b"[1, null,\n " + text("a") + b', "x,]", [2, [3]] ]', ["log.type", "log.type", "a", "log.type", "log.type"]),
        # What is wrong inside an element leaves the others standing.
        (b"[" + text("a") + b', {"a": 01}, ' + text("b") + b"]", ["a", "log.syntax", "b"]),
        (b"[" + text("a") + b", [}, " + text("b") + b"]", ["a", "log.syntax", "b"]),
        (b"[" + text("a") + b", tru, " + text("b") + b"]", ["a", "log.syntax", "b"]),
        (b"[" + text("a") + b', "\x01\xff", ' + text("b") + b"]", ["a", "log.control log.encoding", "b"]),
        # After a comma or bracket that is wrong, nothing is sure.
        (b"[" + text("a") + b" " + text("b") + b"]", ["a", "log.syntax"]),
        (b"[" + text("a") + b",]", ["a", "log.syntax"]),
        (b"[," + text("a") + b"]", ["log.syntax"]),
        (b"[" + text("a") + b"}", ["a", "log.syntax"]),
        (b"[}", ["log.syntax"]),
        (b"[" + text("a") + b"] []", ["a", "log.syntax"]),
        (b"[" + text("a") + b"]\x9f", ["a", "log.encoding"]),
        (text("a") + b"\n" + text("b"), ["log.syntax"]),
        (b"null", ["log.type"]),
        # Broken off.
        (b"", ["log.truncated"]),
        (b" \n", ["log.truncated"]),
        (b"[", ["log.truncated"]),
        (text("a")[:-1], ["log.truncated"]),
        (b"[" + text("a"), ["a", "log.truncated"]),
        (b"[" + text("a") + b", ", ["a", "log.truncated"]),
        (b"[" + text("a") + b"," + text("b")[:-2], ["a", "log.truncated"]),
        (b"[" + text("a") + b"," + text("b")[:20], ["a", "log.truncated"]),
        (b"[" + text("a") + b', "\\', ["a", "log.truncated"]),
    ],
)
def test_a_match_or_an_array_of_them(folder: Path, data: bytes, ids: list[str]) -> None:
    assert read_as("a.json", data) == ids


def test_an_arrays_elements_have_their_own_places(folder: Path) -> None:
    data = b"\xef\xbb\xbf[\n" + text("a") + b",\r\n\n  " + text("b") + b"\n,7 x]"
    entries = read(write("a.json", data))
    assert places(entries) == [
        ("a.json", 2, 5),
        ("a.json", 4, data.index(text("b"))),
        ("a.json", 5, data.index(b"7 x")),
    ]
    last = entries[-1]
    assert isinstance(last, log.Unreadable)
    assert (last.diagnostics[0].line, last.diagnostics[0].offset) == (5, data.index(b"x]"))


@settings(deadline=None, max_examples=150)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(st.sampled_from('a"\\[]{},:\n'), max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\[]{},', max_size=3), inner, max_size=3),
        max_leaves=8,
    ).filter(lambda value: isinstance(value, list)),
    st.sampled_from([None, 1]),
    st.integers(1, 7),
)
def test_an_array_is_cut_where_its_elements_end_however_it_is_read(
    value: list[object], indent: int | None, size: int
) -> None:
    data = json.dumps(value, indent=indent).encode()
    window = sources._Window((data[at : at + size] for at in range(0, len(data), size)), "")
    found = list(sources._json(window))
    assert [json.loads(part.data) for part in found if isinstance(part, sources.Document)] == value
    for part in found:
        assert isinstance(part, sources.Document)
        assert data[part.place.offset :].startswith(part.data)
        assert part.place.line == 1 + data[: part.place.offset].count(b"\n")


# --- Packed files ----------------------------------------------------------------------------------------------------

PACKERS = [("gz", gzipped), ("zst", zstandardized)]


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_packed_files_are_read_like_others(folder: Path, suffix: str, pack: type[bytes]) -> None:
    assert read_as(f"a.ndjson.{suffix}", pack(b"\xef\xbb\xbf" + lines("a", "b"))) == ["a", "b"]
    assert read_as(f"a.JSON.{suffix.upper()}", pack(b"[" + text("a") + b"]")) == ["a"]
    assert read_as(f"b.jsonl.{suffix}", pack(lines("a")) + pack(b"") + pack(lines("b"))) == ["a", "b"]
    assert read_as(f"c.jsonl.{suffix}", pack(lines("a")) + b"\0" * 600) == ["a"]
    assert read_as(f"d.jsonl.{suffix}", pack(b"")) == []


def test_a_skippable_frame_is_skipped(folder: Path) -> None:
    frame = (0x184D2A50).to_bytes(4, "little") + (700).to_bytes(4, "little") + b"x" * 700
    assert read_as("a.jsonl.zst", frame + zstandardized(lines("a")) + frame) == ["a"]


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_of_a_packed_file_that_breaks_off_what_came_before_counts(folder: Path, suffix: str, pack: type[bytes]) -> None:
    chances = random.Random(1)
    names = [f"{number}-{chances.randbytes(40).hex()}" for number in range(3000)]
    packed = pack(lines(*names))
    for length in (len(packed) // 2, len(packed) - 1):
        entries = read(write(f"a.ndjson.{suffix}", packed[:length]))
        *before, last = summary(entries)
        assert before == names[: len(before)]
        # Zstandard unpacks blocks of 128 KiB, each of them whole or not at all.
        assert len(lines(*before)) > len(lines(*names)) * length / len(packed) - 150_000
        assert last == "log.truncated"
        assert entries[-1].place.offset == len(lines(*before))
    assert read_as(f"b.jsonl.{suffix}", b"") == ["log.truncated"]
    assert read_as(f"c.json.{suffix}", b"") == ["log.truncated"]
    assert read_as(f"d.jsonl.{suffix}", pack(text("a"))[:-2])[-1] == "log.truncated"


@pytest.mark.parametrize(("suffix", "pack"), PACKERS)
def test_of_a_packed_file_that_is_damaged_what_came_before_counts(folder: Path, suffix: str, pack: type[bytes]) -> None:
    assert read_as(f"a.jsonl.{suffix}", lines("a")) == ["log.compression"]
    assert read_as(f"b.jsonl.{suffix}", pack(lines("a", "b")) + b" " * 600 + b"garbage") == [
        "a",
        "b",
        "log.compression",
    ]
    assert read_as(f"c.json.{suffix}", b"garbage") == ["log.compression"]
    assert read_as(f"d.json.{suffix}", pack(b"[" + text("a") + b",") + b"garbage!!") == ["a", "log.compression"]


# --- Files that cannot be had ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["gone.json", "gone.jsonl.gz", "gone", "no*.json", "no*\0", "a\0b.json", "file/inside.json"]
)
def test_a_file_that_is_not_there_leaves_the_others_standing(folder: Path, path: str) -> None:
    write("file", b"")
    entries = read(path, write("a.json", text("a")))
    assert summary(entries) == ["log.file", "a"]
    gone = entries[0]
    assert isinstance(gone, log.Unreadable)
    assert gone.is_no_file
    assert gone.place == Place(path, 1, 0)
    reason = gone.diagnostics[0].facts["reason"]
    assert reason == ("it cannot be read" if path in ("a\0b.json", "file/inside.json") else "no file is called so")


def test_a_file_that_vanishes_while_the_folder_is_read(folder: Path) -> None:
    for name in "abc":
        write(f"logs/{name}.json", text(name))
    found = []
    for entry in log.read(["logs"], FORMS):
        found.append(entry)
        Path("logs/b.json").unlink(missing_ok=True)
    assert summary(found) == ["a", "log.file", "c"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_file_that_may_not_be_read(folder: Path) -> None:
    path = write("a.json", text())
    os.chmod(path, 0)
    entry = read(path)[0]
    assert isinstance(entry, log.Unreadable)
    assert entry.diagnostics[0].facts == {"reason": "reading it is not allowed"}


def test_an_error_in_the_middle_of_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            data = super().read1(len(lines("a")) + 10)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Failing(lines("a") + b"\n" * 10)))
    assert summary(read("-")) == ["a", "log.file"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_utf_8_can_be_written_down(folder: Path) -> None:
    with open(b"a\xff.json", "wb") as file:
        file.write(text("a"))
    entries = read(".")
    assert summary(entries) == ["a"]
    assert entries[0].place.file == "./a\\xff.json"


# --- Folders and patterns --------------------------------------------------------------------------------------------


def test_a_folder_is_read_in_the_order_of_names(folder: Path) -> None:
    for name in ("b.json", "a/z.ndjson", "a/y.jsonl.gz", "c/d/e.json.zst", "B.JSON"):
        data = lines(name)
        write(
            f"logs/{name}",
            gzipped(data) if name.endswith("gz") else zstandardized(data) if name.endswith("zst") else data,
        )
    for name in (
        "a.txt",
        ".hidden.json",
        ".git/x.json",
        "b.verdict.json",
        "b.verdict.json.gz",
        "c.gz",
        "json",
        "x.json5",
    ):
        write(f"logs/{name}", b"no log")
    entries = read("logs")
    assert summary(entries) == ["B.JSON", "a/y.jsonl.gz", "a/z.ndjson", "b.json", "c/d/e.json.zst"]
    assert [entry.place.file for entry in entries] == [f"logs/{name}" for name in summary(entries)]


def test_an_empty_folder_has_no_matches(folder: Path) -> None:
    assert read(".") == []


def test_links_that_lead_back_are_followed_once(folder: Path) -> None:
    write("logs/a/one.json", text("a"))
    write("elsewhere/two.json", text("b"))
    os.symlink("..", "logs/a/up")
    os.symlink("../elsewhere", "logs/more")
    os.symlink("self", "logs/self")
    os.symlink("gone.json", "logs/z.json")
    assert summary(read("logs")) == ["a", "b", "log.file"]


def test_patterns_are_for_names_that_are_no_file(folder: Path) -> None:
    for name in ("a1.json", "a2.json", "a2.verdict.json", "b/c/a3.json", "[x].json"):
        write(name, text(name))
    assert summary(read("a?.json")) == ["a1.json", "a2.json"]
    assert summary(read("a*.json")) == ["a1.json", "a2.json"]
    assert summary(read("**/a[13].json")) == ["a1.json", "b/c/a3.json"]
    assert summary(read("[x].json")) == ["[x].json"]
    assert summary(read("[ab]*")) == ["a1.json", "a2.json", "b/c/a3.json"]


def test_an_only_verdict_in_a_pattern_is_no_missing_file(folder: Path) -> None:
    write("a.verdict.json", b"{}")
    assert read("*.json") == []


def test_a_special_file_in_a_folder_is_not_waited_for(folder: Path) -> None:
    write("logs/a.json", text("a"))
    if hasattr(os, "mkfifo"):
        os.mkfifo("logs/b.json")
    assert summary(read("logs")) == ["a"]


# --- Standard input and names that say nothing -----------------------------------------------------------------------

PRETTY = json.dumps([match("a"), match("b")], indent=1).encode()


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (b"", []),
        (b"\n", []),
        (lines("a", "b"), ["a", "b"]),
        (b"\n\r\n" + lines("a", "b"), ["a", "b"]),
        (b"\xef\xbb\xbf" + lines("a"), ["a"]),
        (text("a"), ["a"]),
        (PRETTY, ["a", "b"]),
        (b"\n\n" + PRETTY, ["a", "b"]),
        (PRETTY.replace(b"\n", b" "), ["a", "b"]),
        (json.dumps(match("a"), indent=1).encode(), ["a"]),
        (b"{\n" + text("a")[1:], ["a"]),
        (b'{"format"\n' + text("a")[9:], ["a"]),
        (b"{} x\n" + lines("a"), ["log.syntax", "a"]),
        (b"7\n" + lines("a"), ["log.type", "a"]),
        (text("a")[:-3], ["log.truncated"]),
    ],
)
@pytest.mark.parametrize("path", ["-", "log", "log.txt"])
def test_without_a_telling_name_the_first_line_decides(
    folder: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, ids: list[str], path: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    if path != "-":
        write(path, data)
    entries = read(path)
    assert summary(entries) == ids
    assert {entry.place.file for entry in entries} <= {path}


def test_packed_without_a_telling_name(folder: Path) -> None:
    assert read_as("log.gz", gzipped(lines("a", "b"))) == ["a", "b"]


def test_what_a_pipe_holds_is_read_at_once(folder: Path) -> None:
    program = (
        "from auditor import log\nfrom auditor.games import FORMS\n"
        "for entry in log.read(['-'], FORMS): print(entry.match.match, flush=True)"
    )
    root = Path(log.__file__).parent.parent
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root
    ) as reader:
        assert reader.stdin
        assert reader.stdout
        for name in (b"a", b"b"):
            reader.stdin.write(lines(name.decode()))
            reader.stdin.flush()
            assert reader.stdout.readline() == name + b"\n"


# --- Size ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sources, "LARGEST_MATCH", 1000)
    monkeypatch.setattr(sources, "_CHUNK", 100)
    return 1000


LARGE = text("large", extra="x" * 1000)


@pytest.mark.parametrize(
    ("name", "data", "ids"),
    [
        ("a.ndjson", lines("a") + LARGE + b"\n" + lines("b"), ["a", "log.size", "b"]),
        ("a.ndjson", lines("a") + LARGE, ["a", "log.size"]),
        ("a.ndjson", lines("a") + b"[" * 5000 + b"\n" + lines("b"), ["a", "log.size", "b"]),
        ("a.json", LARGE, ["log.size"]),
        ("a.json", text("a", extra="x" * 600), ["a"]),
        ("a.json", b"[" + text("a") + b"," + LARGE + b" , " + text("b") + b"]", ["a", "log.size", "b"]),
        ("a.json", b'["' + b'\\"' * 3000 + b'",' + text("b") + b"]", ["log.size", "b"]),
        ("a.json", b"[" + b"[" * 3000 + b"]" * 3000 + b"," + text("b") + b"]", ["log.size", "b"]),
        ("a.json", b"[" + b"1" * 3000 + b"," + text("b") + b"]", ["log.size", "b"]),
        ("a.json", b"[" + text("a") + b"," + b"[" * 3000, ["a", "log.size", "log.truncated"]),
        ("a", b"{" + b" " * 3000 + b"\n" + lines("a"), ["log.size", "a"]),
        ("a", b"[" + b" " * 3000 + text("a") + b"]", ["a"]),
    ],
)
def test_a_match_that_is_too_large_is_passed_over(
    folder: Path, small_limit: int, name: str, data: bytes, ids: list[str]
) -> None:
    entries = read(write(name, data))
    assert summary(entries) == ids
    at = ids.index("log.size") if "log.size" in ids else None
    if at is not None:
        gap = entries[at]
        assert isinstance(gap, log.Unreadable)
        assert gap.diagnostics[0].facts == {"most": small_limit}
        assert not gap.is_no_file


MEASURED = """
import sys, tracemalloc
from auditor import log
from auditor.games import FORMS
def peak(path):
    tracemalloc.reset_peak()
    count = sum(1 for entry in log.read([path], FORMS))
    return count, tracemalloc.get_traced_memory()[1]
tracemalloc.start()
log.read_bytes(b"5", FORMS)
for path in sys.argv[1:]:
    print(*peak(path))
"""


def test_memory_does_not_grow_with_the_archive(folder: Path) -> None:
    played = match("m", events=[{"type": "play", "seat": 3, "card": "AS"}] * 1200)
    line = json.dumps(played).encode() + b"\n"
    count = 60 * 2**20 // len(line)
    write("a.ndjson", line * count)
    write("a.json", b"[" + (line + b",") * 200 + line + b"]")
    write("a.ndjson.gz", gzipped(line * 200))
    write("a.ndjson.zst", zstandardized(line * 200))
    write("line.ndjson", b"[" * (40 * 2**20) + b"\n" + line)
    write("bomb.ndjson.gz", gzipped(b" " * (80 * 2**20)))
    write("bomb.json.zst", zstandardized(b'["' + b"x" * (160 * 2**20)))
    names = ["a.ndjson", "a.json", "a.ndjson.gz", "a.ndjson.zst", "line.ndjson", "bomb.ndjson.gz", "bomb.json.zst"]
    root = Path(log.__file__).parent.parent
    told = subprocess.run(
        [sys.executable, "-c", MEASURED, *(str(folder / name) for name in names)],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    counts, peaks = zip(*((int(part) for part in line.split()) for line in told), strict=True)
    assert counts == (count, 201, 200, 200, 2, 1, 2)
    assert max(peaks[:4]) < 8 * 2**20
    assert max(peaks[4:]) < 60 * 2**20
