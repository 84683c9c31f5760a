"""Input that is made to be slow or to fill the memory is told of, and does neither."""

from __future__ import annotations

import gzip
import json
import sys
from collections import UserList
from pathlib import Path
from typing import Any

import pytest
import zstandard

from auditor import jsontext, log, sources
from auditor.errors import Place
from auditor.games import FORMS
from benchmarks.hostile import BOMBS
from tests.reader.builders import PLAY, match, text
from tests.trouble import processes


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to so much memory")
def test_bombs_are_told_of_in_little_memory(tmp_path: Path) -> None:
    for name, (made, _) in BOMBS.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(made(), 1))
    limit = ("prlimit", f"--data={300 * 2**20}")
    paths = [tmp_path / f"{name}.gz" for name in BOMBS]
    code, output, errors = processes.said("audit", *paths, "--format", "ndjson", "--workers", "1", before=limit)
    assert errors == ""
    assert code == 1
    told = {}
    for line in output.splitlines():
        finding = json.loads(line)["findings"][-1]
        told[Path(finding["place"]["file"]).name] = finding["clause"]
    assert told == {f"{name}.gz": clause for name, (_, clause) in BOMBS.items()}


def test_what_is_no_log_is_searched_so_far_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value before the last one that is looked at is still told of."""
    monkeypatch.setattr(jsontext, "SEARCHED_VALUES", 10)
    early = b'{"a":NaN,"b":[1,2,3,4,5,6,7,8,NaN]}'
    entry = log.read_bytes(early, FORMS)
    assert isinstance(entry, log.Unreadable)
    assert [(fault.clause, fault.pointer) for fault in entry.diagnostics] == [("log.number", "/a"), ("log.long", "")]
    assert entry.diagnostics[-1].facts == {"searched": 10, "most": jsontext.MOST_VALUES}
    assert [fault.clause for fault in jsontext.parse(b"[1,2,3,4,5,6,7,8,NaN]").faults] == ["log.number"]


@pytest.mark.parametrize(
    "free",
    [
        *(b"0,0", b"[[],[ ]]", b'{"b":1.5}', b'",,[[{{"', b'"\\",[",0', b"[[[]]]", b'["[]","[]"]', b'{"a":{"b":{}}}'),
        *(b'"[] {}","{","\\\\",[],"\\\\\\""', b'{"a,b":{"[":"c,"},"d":[ { } ]}', b'"","",""', b'"]","["'),
    ],
)
def test_a_match_has_so_many_values_and_no_more(free: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they are written: what looks like values inside of strings is none."""
    monkeypatch.setattr(jsontext, "SEARCHED_VALUES", 5)
    document = text(events=[{"type": "note", "a": "?"}, PLAY]).replace(b'"?"', b"[" + free + b"]")
    value_count = _values(json.loads(document))
    monkeypatch.setattr(jsontext, "MOST_VALUES", value_count)
    entry = log.read_bytes(document, FORMS)
    assert isinstance(entry, log.Log)
    assert entry.digest == log.read_bytes(json.dumps(json.loads(entry.canonical)).encode(), FORMS).digest
    monkeypatch.setattr(jsontext, "MOST_VALUES", value_count - 1)
    entry = log.read_bytes(document, FORMS)
    assert isinstance(entry, log.Unreadable)
    assert [fault.clause for fault in entry.diagnostics] == ["log.long"]


def _values(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_values, inner))


def test_a_match_is_too_long_where_its_canonical_form_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise what was stored could not be read again."""
    document = text(extra={"a": [-1e20] * 3})
    accepted = log.read_bytes(document, FORMS)
    assert isinstance(accepted, log.Log)
    assert len(accepted.canonical) > len(document)
    monkeypatch.setattr(sources, "LARGEST_MATCH", len(accepted.canonical))
    assert isinstance(log.read_bytes(document, FORMS), log.Log)
    monkeypatch.setattr(sources, "LARGEST_MATCH", len(accepted.canonical) - 1)
    entry = log.read_bytes(document, FORMS)
    assert isinstance(entry, log.Unreadable)
    assert [fault.clause for fault in entry.diagnostics] == ["log.size"]
    assert (entry.match, entry.ruleset) == (accepted.match.match, accepted.match.ruleset)


@pytest.mark.parametrize("name", [r"a\u003ab", r"\\\u003a\u003A", r"\\u003a", r"\":\u003a"])
def test_a_log_is_no_worse_for_its_escapes(name: str) -> None:
    document = text(events=[{"type": "note", "a": [[]] * 50}, PLAY], extra={"b": 1.5})
    entry = log.read_bytes(document.replace(b'"b"', b'"b%b"' % name.encode()), FORMS)
    assert isinstance(entry, log.Log)
    assert entry.digest == log.read_bytes(json.dumps(json.loads(entry.canonical)).encode(), FORMS).digest


def test_a_key_that_stands_twice_is_found_among_escaped_colons() -> None:
    document = text(match="a:b").replace(b"a:b", rb"a\u003ab")[:-1] + b',"match":"x"}'
    entry = log.read_bytes(document, FORMS)
    assert isinstance(entry, log.Unreadable)
    assert [fault.clause for fault in entry.diagnostics] == ["log.duplicate-key"]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 10_000])
def test_an_element_ends_where_its_brackets_do_however_it_is_read(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_CHUNK", chunk)
    elements = [b"[[[1]]]", b'[{"a":[]},[[]]]', b"[[[[]],[[]]]]", b'{"]":[[["}"]]]}', b"[[]][[]]"[:4]]
    data = b"[" + b",".join(elements) + b"]]]"
    chunks = (data[start : start + chunk] for start in range(0, len(data), chunk))
    found = list(sources.documents_in(chunks, "a.json"))
    assert [each.data for each in found if isinstance(each, sources.Document)] == elements
    assert isinstance(found[-1], sources.Gap)
    assert found[-1].place == Place("a.json", 1, len(data) - 2)


def test_blank_lines_are_counted() -> None:
    data = b"\n \r\n\t\n  1\n\n \n2 \n   "
    found = [each for each in sources.documents_in(iter([data]), "a.ndjson") if isinstance(each, sources.Document)]
    assert [(each.data, each.place.line, each.place.offset) for each in found] == [(b"  1\n", 4, 6), (b"2 \n", 7, 13)]


def test_a_packed_bomb_in_a_bomb_is_no_log(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson.zst"
    path.write_bytes(zstandard.compress(gzip.compress(b" " * 2**20)))
    (entry,) = log.read([str(path)], FORMS)
    assert isinstance(entry, log.Unreadable)
    assert entry.diagnostics[0].facts == {"reason": "it is packed, and its name does not end in .gz"}


def test_twenty_nine_looks_for_the_second_cards_without_copying_the_log() -> None:
    """A deal looks at the events around it. With a copy of all of them for each deal, a long log took minutes."""
    from auditor.games.twenty_nine import is_second_batch

    class Counted(UserList[Any]):
        def __getitem__(self, at: Any) -> Any:
            assert not isinstance(at, slice), "the log is copied"
            return super().__getitem__(at)

    document = match(ruleset="twenty-nine", events=[{"type": "deal", "dealer": 0, "hands": [[], [], [], []]}] * 3)
    entry = log.read_bytes(json.dumps(document).encode(), FORMS)
    assert isinstance(entry, log.Log)
    events = Counted(entry.match.events)
    assert [is_second_batch(events, at) for at in range(3)] == [False] * 3
