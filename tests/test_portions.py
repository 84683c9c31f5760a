"""Whatever an input is cut into, all of it is there, and at its place."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from auditor import frames, portions, ranges, sources
from auditor.errors import Place
from auditor.portions import Lines
from auditor.sources import Found, Gap, documents


def framed(*texts: bytes) -> bytes:
    """Texts packed as one frame each."""
    return b"".join(map(zstandard.ZstdCompressor(write_checksum=True).compress, texts))


def pieces(data: bytes, size: int) -> Sequence[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


LINE = b'{"match": "m-%d"}\n'
MANY = b"".join(LINE % number for number in range(400))
LONG = MANY + b"x" * 5000 + b"\n" + MANY
#: A frame without text, as the seekable format has one at its end.
TABLE = b"\x5e\x2a\x4d\x18" + (17).to_bytes(4, "little") + b"x" * 17
FRAMES = framed(*pieces(MANY, 300))
#: Bytes of files, by the names that they have.
FILES = {
    "lines.ndjson": MANY,
    "mark.ndjson": sources.BYTE_ORDER_MARK + MANY,
    "marks-inside.ndjson": MANY + sources.BYTE_ORDER_MARK + MANY,
    "blank.jsonl": b"\n \r\n" * 300 + MANY + b"\n" * 2000,
    "windows.ndjson": MANY.replace(b"\n", b"\r\n"),
    "unended.ndjson": MANY + b'{"match": "',
    "long.ndjson": LONG,
    "magic-inside.ndjson": MANY + b"PK\x03\x04" + MANY,
    "archive.ndjson": b"PK\x03\x04" + MANY,
    "frames.ndjson.zst": FRAMES,
    "frames-of-lines.jsonl.zst": framed(*MANY.splitlines(keepends=True)),
    "frames-of-long.ndjson.zst": framed(*pieces(LONG, 300)),
    "frame-too-large.ndjson.zst": framed(*MANY.splitlines(keepends=True)[:200], MANY),
    "seekable.ndjson.zst": FRAMES + TABLE,
    "tables-inside.ndjson.zst": TABLE + (FRAMES + TABLE + framed(b"")) * 2,
    "no-checksum.ndjson.zst": b"".join(map(zstandard.compress, pieces(MANY, 300))),
    "repeated.ndjson.zst": framed(*pieces(MANY, 300), b" " * 1000 + b"\n") + FRAMES,
    "mark.ndjson.zst": framed(sources.BYTE_ORDER_MARK[:2], sources.BYTE_ORDER_MARK[2:], *pieces(MANY, 300)),
    "unended.ndjson.zst": framed(*pieces(MANY + b'{"match": "', 300)),
    "archive.ndjson.zst": framed(b"PK", b"\x03\x04", *pieces(MANY, 300)),
    "empty-frames.ndjson.zst": framed(b"") * 20,
    "zeros-between.ndjson.zst": FRAMES + b"\0" * 9 + FRAMES,
    "end-missing.ndjson.zst": FRAMES[:-5],
    "table-cut.ndjson.zst": FRAMES + TABLE[:-5],
    "no-frame-behind.ndjson.zst": FRAMES + b"none",
    "damaged.ndjson.zst": FRAMES[:900] + b"\xff" + FRAMES[901:],
    "one-frame.ndjson.zst": zstandard.compress(MANY),
    "packed.ndjson.gz": gzip.compress(MANY),
    "array.json": b"[" + MANY.rstrip().replace(b"\n", b",") + b"]",
    "untold": MANY,
    "empty.ndjson": b"",
}


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION_BYTES", 1000)
    monkeypatch.setattr(sources, "LARGEST_MATCH", 4000)
    monkeypatch.setattr(frames, "_LARGEST", 4000)
    monkeypatch.setattr(frames, "_LARGEST_RUN", 4000)


def written(folder: Path, name: str) -> str:
    (folder / name).write_bytes(FILES[name])
    return str(folder / name)


def in_portions(path: str, elsewhere: bool) -> Iterator[Found]:
    """All documents by portions; ``elsewhere``: as another process finds them."""
    for portion in portions.portions([path]):
        yield from portions.documents(pickle.loads(pickle.dumps(portion)) if elsewhere else portion)


def lines_of(path: str) -> list[Lines]:
    return [part for portion in portions.portions([path]) for part in portion if isinstance(part, Lines)]


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_portions_have_what_the_file_has(tmp_path: Path, name: str, elsewhere: bool) -> None:
    path = written(tmp_path, name)
    assert list(in_portions(path, elsewhere)) == list(documents([path]))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_folder_comes_in_its_order(tmp_path: Path, elsewhere: bool) -> None:
    for name in FILES:
        written(tmp_path, name)
    assert list(in_portions(str(tmp_path), elsewhere)) == list(documents([str(tmp_path)]))


@given(data=st.lists(st.sampled_from([b"\n", b" ", b"{}", b"x" * 30, b"\xef\xbb\xbf", b"\r"])), size=st.integers(1, 40))
def test_a_file_may_be_cut_anywhere(tmp_path_factory: pytest.TempPathFactory, data: list[bytes], size: int) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.ndjson"
    path.write_bytes(b"".join(data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portions, "PORTION_BYTES", size)
        assert list(in_portions(str(path), elsewhere=True)) == list(documents([str(path)]))


@given(
    texts=st.lists(st.sampled_from([b"\n", b" ", b"{}", b"x" * 30, b"\xef\xbb\xbf", b"\r", b"", b"{}\n\n"])),
    size=st.integers(16, 640),
    damage=st.none() | st.tuples(st.integers(0, 2**16), st.integers(1, 255)),
)
def test_frames_may_be_cut_and_damaged_anywhere(
    tmp_path_factory: pytest.TempPathFactory, texts: list[bytes], size: int, damage: tuple[int, int] | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.ndjson.zst"
    packed = bytearray(framed(*texts, b"\n" * 20))
    if damage is not None:
        packed[damage[0] % len(packed)] ^= damage[1]
    path.write_bytes(packed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(portions, "PORTION_BYTES", size)
        assert list(in_portions(str(path), elsewhere=True)) == list(documents([str(path)]))


def test_large_files_of_lines_are_cut_and_no_others(tmp_path: Path) -> None:
    cut = {name for name in FILES if lines_of(written(tmp_path, name))}
    not_cut = {"archive.ndjson", "archive.ndjson.zst", "empty.ndjson", "one-frame.ndjson.zst"}
    assert cut == {name for name in FILES if name.endswith((".ndjson", ".jsonl", ".zst"))} - not_cut


def test_frames_are_cut_as_far_as_they_are_sound_and_neither_too_large_nor_too_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def text_of(name: str) -> int:
        return sum(part.range.end - part.range.start for part in lines_of(written(tmp_path, name)))

    assert text_of("seekable.ndjson.zst") == text_of("frames.ndjson.zst") == len(MANY)
    assert text_of("tables-inside.ndjson.zst") == 2 * len(MANY)
    assert len(MANY) - 1500 < text_of("no-frame-behind.ndjson.zst") < len(MANY)
    assert 0 < text_of("damaged.ndjson.zst") < len(MANY)
    assert 0 < text_of("frame-too-large.ndjson.zst") < len(MANY) // 2
    monkeypatch.setattr(frames, "_MOST_FRAMES", 70)
    assert text_of("frames-of-lines.jsonl.zst") == len(MANY)
    monkeypatch.setattr(frames, "_MOST_FRAMES", 50)
    assert text_of("frames-of-lines.jsonl.zst") < len(MANY)


@pytest.mark.parametrize("instead", [b"{}\n", None])
def test_a_file_that_is_replaced_is_still_there_for_who_has_it_open(tmp_path: Path, instead: bytes | None) -> None:
    path = Path(written(tmp_path, "lines.ndjson"))
    expected = list(documents([str(path)]))
    parts = lines_of(str(path))
    path.rename(tmp_path / "old")
    if instead is not None:
        path.write_bytes(instead)
    for part in parts:
        with pytest.raises(FileNotFoundError):
            list(pickle.loads(pickle.dumps(part)).documents())
    assert [found for part in parts for found in part.documents()] == expected


def test_a_file_that_shrinks_ends_where_it_ends(tmp_path: Path) -> None:
    path = Path(written(tmp_path, "lines.ndjson"))
    parts = lines_of(str(path))
    path.write_bytes(MANY[:2010])
    assert [found for part in parts for found in part.documents()] == list(documents([str(path)]))


def test_frames_that_are_no_more_what_they_were_are_a_gap(tmp_path: Path) -> None:
    path = Path(written(tmp_path, "frames-of-lines.jsonl.zst"))
    first, second, *_ = lines_of(str(path))
    path.write_bytes(FILES["frames-of-lines.jsonl.zst"][: first.range.end] + b"x" * 10**5)
    with pytest.raises(OSError, match="no sound frame"):
        list(pickle.loads(pickle.dumps(second)).documents())
    path.write_bytes(b"")
    [gap] = second.documents()
    assert isinstance(gap, Gap)
    assert (gap.clause, gap.facts) == ("log.file", {"reason": "it cannot be read"})


def test_a_file_that_grows_is_read_to_its_end(tmp_path: Path) -> None:
    path = Path(written(tmp_path, "lines.ndjson"))
    found: list[Found] = []
    for portion in portions.portions([str(path)]):
        if not found:
            with path.open("ab") as file:
                file.write(MANY)
        found += portions.documents(portion)
    assert found == list(documents([str(path)]))


def test_what_cannot_be_read_here_either_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [first, second, *_] = lines_of(written(tmp_path, "lines.ndjson"))

    def fail(*_: object) -> Iterator[Found]:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(ranges, "documents", fail)
    [gap] = second.documents()
    assert isinstance(gap, Gap)
    assert (gap.clause, gap.facts) == ("log.file", {"reason": "it cannot be read"})
    assert gap.place == Place(str(tmp_path / "lines.ndjson"), 1 + MANY[:1000].count(b"\n"), 1000)
    with pytest.raises(OSError, match="Input/output error"):
        list(pickle.loads(pickle.dumps(first)).documents())


@pytest.mark.parametrize("failing", [0, 2])
def test_a_file_that_cannot_be_read_to_its_end_is_read_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    path = written(tmp_path, "lines.ndjson")
    counted = 0
    line_feeds = ranges.line_feeds

    def fail(*arguments: object) -> int:
        nonlocal counted
        if counted == failing:
            raise OSError(5, "Input/output error")
        counted += 1
        return line_feeds(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ranges, "line_feeds", fail)
    assert list(in_portions(path, elsewhere=False)) == list(documents([path]))
