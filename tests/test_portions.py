"""Whatever an input is cut into, all of it is there, and at its place."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from auditor import portions, ranges, sources
from auditor.errors import Place
from auditor.portions import Lines
from auditor.sources import Found, Gap, documents

LINE = b'{"match": "m-%d"}\n'
MANY = b"".join(LINE % number for number in range(400))
#: Bytes of files, by the names that they have.
FILES = {
    "lines.ndjson": MANY,
    "mark.ndjson": sources.BYTE_ORDER_MARK + MANY,
    "marks-inside.ndjson": MANY + sources.BYTE_ORDER_MARK + MANY,
    "blank.jsonl": b"\n \r\n" * 300 + MANY + b"\n" * 2000,
    "windows.ndjson": MANY.replace(b"\n", b"\r\n"),
    "unended.ndjson": MANY + b'{"match": "',
    "long.ndjson": MANY + b"x" * 5000 + b"\n" + MANY,
    "magic-inside.ndjson": MANY + b"PK\x03\x04" + MANY,
    "archive.ndjson": b"PK\x03\x04" + MANY,
    "packed.ndjson.zst": zstandard.compress(MANY),
    "array.json": b"[" + MANY.rstrip().replace(b"\n", b",") + b"]",
    "untold": MANY,
    "empty.ndjson": b"",
}


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "PORTION_BYTES", 1000)
    monkeypatch.setattr(sources, "LARGEST_MATCH", 4000)


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


def test_large_plain_files_of_lines_are_cut_and_no_others(tmp_path: Path) -> None:
    cut = {name for name in FILES if lines_of(written(tmp_path, name))}
    assert cut == {name for name in FILES if name.endswith((".ndjson", ".jsonl"))} - {"archive.ndjson", "empty.ndjson"}


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
