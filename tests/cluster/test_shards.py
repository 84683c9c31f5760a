"""A file that is cut says what it says whole, wherever the cuts fall."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import fsspec
import pytest

from auditor import sources
from auditor.cluster import shards, storage
from auditor.cluster.shards import Shard, documents, line_feeds, shards_of
from auditor.cluster.storage import File, info, logs
from auditor.errors import CannotAudit
from auditor.sources import Found, documents_in
from auditor.store import Auditor

BY = Auditor("1", "sha256:1")
LINES = [
    b'{"first": 1}\n', b"\n", b'{"second": 2}\r\n', b"  \n", b"PK\x03\x04 in the middle\n", b"\xef\xbb\xbf{}\n",
    b"[1, 2]\n", b'{"a longer line": "%s"}\n' % (b"x" * 30), b"\x00\n", b"{}\n", b"\n", b"\n",
]  # fmt: skip
#: How a file may begin and end.
TEXTS = {
    "with a line feed at the end": b"".join(LINES),
    "without": b"".join(LINES) + b'{"last": 3}',
    "with a byte-order mark": b"\xef\xbb\xbf" + b"".join(LINES),
    "with blank lines first": b"\n\r\n\n" + b"".join(LINES),
    "of one line": b'{"only": 1}',
    "of line feeds": b"\n" * 9,
}


@pytest.fixture
def memory() -> Iterator[str]:
    """A folder in memory that nobody else has."""
    system = fsspec.filesystem("memory")
    yield "memory://shards"
    system.rm("/shards", recursive=True)


def put(url: str, data: bytes) -> File:
    fsspec.filesystem("memory").pipe_file(url, data)
    return info(url)


def in_parts(file: File, size: int) -> list[Found]:
    parts = shards_of(file, size)
    before = accumulate((line_feeds(part) for part in parts[:-1]), initial=0)
    return [found for part, count in zip(parts, before, strict=True) for found in documents(part, count)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 13, 40, 150])
@pytest.mark.parametrize("text", TEXTS)
def test_parts_together_say_what_the_whole_says(memory: str, text: str, size: int) -> None:
    data = TEXTS[text]
    file = put(f"{memory}/a.ndjson", data)
    whole = list(documents_in(iter([data]), file.name))
    assert in_parts(file, size) == whole
    assert len(shards_of(file, size)) == -(-len(data) // size)


@pytest.mark.parametrize("size", [1, 10, 25, 60])
def test_a_line_that_is_too_long_is_told_once(memory: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGEST_MATCH", 16)
    data = TEXTS["without"]
    whole = list(documents_in(iter([data]), f"{memory}/a.ndjson"))
    assert sum(getattr(found, "clause", "") == "log.size" for found in whole) == 2
    assert in_parts(put(f"{memory}/a.ndjson", data), size) == whole


@pytest.mark.parametrize("chunk", [1, 3, 50])
def test_it_does_not_matter_how_much_is_read_at_a_time(
    memory: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_CHUNK", chunk)
    data = TEXTS["with a byte-order mark"]
    whole = list(documents_in(iter([data]), f"{memory}/a.ndjson"))
    assert in_parts(put(f"{memory}/a.ndjson", data), 11) == whole


@pytest.mark.parametrize("name", ["a.json", "a.ndjson.gz", "a.jsonl.ZST", "a"])
def test_only_plain_lines_are_cut(memory: str, name: str) -> None:
    file = put(f"{memory}/{name}", b"{}\n" * 100)
    assert shards_of(file, 10) == [Shard(file)]


def test_what_begins_like_a_database_is_not_cut(memory: str) -> None:
    file = put(f"{memory}/a.ndjson", b"SQLite format 3\0" + b"{}\n" * 100)
    assert shards_of(file, 10) == [Shard(file)]
    assert [found.clause for found in documents(Shard(file), 0) if isinstance(found, sources.Gap)] == ["log.file"]


def test_the_name_of_a_shard_depends_on_all_that_its_results_follow_from() -> None:
    file = File("u", "n", 1, "t")
    shard = Shard(file, 0, 5)
    others = [
        Shard(replace(file, **change), 0, 5) for change in ({"url": "v"}, {"name": "m"}, {"size": 2}, {"tag": "s"})
    ]
    others += [Shard(file), Shard(file, 1, 5), Shard(file, 0, 6)]
    names = [shard.name(BY), shard.name(Auditor("2", BY.rules)), shard.name(Auditor(BY.version, "sha256:2"))]
    names += [other.name(BY) for other in others]
    assert len(set(names)) == len(names)
    assert shard.name(BY) == Shard(File("u", "n", 1, "t"), 0, 5).name(BY)


@pytest.mark.parametrize("change", [b"{}\n{}\n", b"{ }\n"])
def test_a_file_that_changes_meanwhile_is_not_audited(memory: str, change: bytes) -> None:
    file = put(f"{memory}/a.ndjson", b"{}\n\n")
    put(f"{memory}/a.ndjson", change)
    for attempt in (lambda: list(documents(Shard(file), 0)), lambda: line_feeds(Shard(file, 0, 2))):
        with pytest.raises(CannotAudit, match="found it changed"):
            attempt()


# --- Which files there are --------------------------------------------------------------------------------------------

NAMES = [
    "b.ndjson", "a/z.json", "a.json", "a/b/c.jsonl.gz", "B.NDJSON", "x.verdict.json", "a/.hidden/d.json", ".e.json",
    "notes.txt", "f.JSON.ZST", "a b/ج.json", "a-/1.json", "results/g.json",
]  # fmt: skip


@pytest.mark.parametrize("form", ["{}", "{}/", "{}/*", "{}/**/*.json", "{}/a/../a", "."])
def test_a_folder_has_the_files_that_it_has_on_one_machine(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}")
    monkeypatch.chdir(tmp_path)
    typed = form.format(tmp_path)
    alone = [found.place.file for found in sources.documents([typed])]
    assert len(alone) > 1
    assert [file.name for file in logs([typed], "elsewhere")] == alone


def test_a_folder_behind_a_url_is_read_in_the_same_order(memory: str, tmp_path: Path) -> None:
    for name in NAMES:
        put(f"{memory}/in/{name}", b"{}")
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}")
    alone = [file.name.removeprefix(f"{tmp_path}/") for file in logs([str(tmp_path)], "elsewhere")]
    assert [file.name for file in logs([f"{memory}/in"], "elsewhere")] == [f"{memory}/in/{name}" for name in alone]
    assert [file.name for file in logs([f"{memory}/in/a*/*.json"], "elsewhere")] == [
        f"{memory}/in/{name}" for name in ("a b/ج.json", "a-/1.json", "a/z.json")
    ]


def test_a_link_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "genuine.json").write_bytes(b"{}")
    (tmp_path / "in" / "link.json").symlink_to(tmp_path / "genuine.json")
    [file] = logs([str(tmp_path / "in")], "elsewhere")
    assert len(list(documents(Shard(file), 0))) == 1
    os.utime(tmp_path / "genuine.json", (1, 1))
    assert logs([str(tmp_path / "in")], "elsewhere") != [file]


def test_a_link_that_cannot_be_followed_everywhere_is_said(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.json").symlink_to("..")
    (tmp_path / "in" / ".hidden").symlink_to("..")
    with pytest.raises(CannotAudit, match="a link to a folder"):
        logs([str(tmp_path / "in")], "elsewhere")
    (tmp_path / "in" / "link.json").unlink()
    assert logs([str(tmp_path / "in")], "elsewhere") == []


def test_results_are_no_input(tmp_path: Path) -> None:
    for name in ("a.json", "results/manifest.json", "results-of-others/b.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    found = logs([str(tmp_path)], str(tmp_path / "results"))
    assert [os.path.relpath(file.name, tmp_path) for file in found] == ["a.json", "results-of-others/b.json"]


def test_a_file_that_is_named_twice_is_there_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    assert len(logs([str(tmp_path), str(tmp_path / "a.json")], "elsewhere")) == 1


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("-", "standard input"),
        ("no-such-folder", "FileNotFoundError"),
        ("no-such-*", "no file is called so"),
        ("memory://nothing/*.json", "no file is called so"),
        ("memory://nothing", "FileNotFoundError"),
        ("nosuch://a/b", "Protocol not known"),
        ("zip://a.json::memory://b.zip", "one storage"),
    ],
)
def test_what_is_not_there_is_said_before_anything_is_audited(path: str, what: str) -> None:
    with pytest.raises(CannotAudit, match=what):
        logs([path], "elsewhere")


def test_a_missing_package_is_told_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(storage, "import_module", missing)
    with pytest.raises(CannotAudit, match=r"pip install 'auditor\[cluster\]'"):
        storage.package("distributed")
