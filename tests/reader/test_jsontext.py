"""The strict JSON reader: every fault of a text with its place, and no input that costs more than its length."""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import jsontext
from auditor.jsontext import DEEPEST, MOST_FAULTS, parse

from . import drawn


def found(data: bytes) -> list[tuple[str, str, int]]:
    return [(fault.clause, jsontext.pointer(fault.path), fault.offset) for fault in parse(data).faults]


@pytest.mark.parametrize(
    ("data", "faults"),
    [
        # The text goes on behind these: more than one can be found.
        (b'{"a":1,"b":2,"a":3,"b":4}', [("log.duplicate-key", "/a", 13), ("log.duplicate-key", "/b", 19)]),
        (b'{"a":1,"\\u0061":3}', [("log.duplicate-key", "/a", 7)]),
        (b'[{"a":1,"a":2}]', [("log.duplicate-key", "/0/a", 8)]),
        (b"[NaN,Infinity,-Infinity]", [("log.number", "/0", 1), ("log.number", "/1", 5), ("log.number", "/2", 14)]),
        (b"[9007199254740991,9007199254740992]", [("log.number", "/1", 18)]),
        (b"[-9007199254740991,-9007199254740992]", [("log.number", "/1", 19)]),
        (b"[1e308,1e309,-1e999]", [("log.number", "/1", 7), ("log.number", "/2", 13)]),
        (b'["\\ud800","\\udc00x","\\ud83d\\ude00"]', [("log.surrogate", "/0", 2), ("log.surrogate", "/1", 11)]),
        (b'["\\ud800\\ud83d\\ude00"]', [("log.surrogate", "/0", 2)]),
        (b'["\xff","\xed\xa0\x80","\xc0\xaf"]', [("log.encoding", f"/{i}", at) for i, at in enumerate((2, 6, 12))]),
        (b'["a\nb","\\n\x01"]', [("log.control", "/0", 3), ("log.control", "/1", 10)]),
        (b'{"\\ud800":1}', [("log.surrogate", "/\ufffd", 2)]),
        # These end it.
        (b"", [("log.syntax", "", 0)]),
        (b" \n", [("log.syntax", "", 2)]),
        (b"[1,]", [("log.syntax", "/1", 3)]),
        (b'{"a":1,}', [("log.syntax", "", 7)]),
        (b"[1 2]", [("log.syntax", "", 3)]),
        (b'{"a" 1}', [("log.syntax", "", 5)]),
        (b"{a:1}", [("log.syntax", "", 1)]),
        (b"{'a':1}", [("log.syntax", "", 1)]),
        (b"[01]", [("log.syntax", "", 2)]),
        (b"[+1]", [("log.syntax", "/0", 1)]),
        (b"[.5]", [("log.syntax", "/0", 1)]),
        (b"[1.]", [("log.syntax", "", 2)]),
        (b"[1_0]", [("log.syntax", "", 2)]),
        (b"[0x1]", [("log.syntax", "", 2)]),
        (b"[True]", [("log.syntax", "/0", 1)]),
        (b"[1]]", [("log.syntax", "", 3)]),
        (b"{} {}", [("log.syntax", "", 3)]),
        (b"[1\x0c]", [("log.syntax", "", 2)]),
        (b"[1]\x00", [("log.syntax", "", 3)]),
        (b"// note\n1", [("log.syntax", "", 0)]),
        (b'["\\x"]', [("log.syntax", "/0", 2)]),
        (b'["\\u12G4"]', [("log.syntax", "/0", 2)]),
        (b"\xef\xbb\xbf1", [("log.syntax", "", 0)]),
        (b"\xff\xfe{\x00", [("log.encoding", "", 0)]),
        (b"[\xe9]", [("log.encoding", "/0", 1)]),
        # A fault that ends the text does not hide those before it.
        (b'{"a":NaN,"a":1,]', [("log.number", "/a", 5), ("log.duplicate-key", "/a", 9), ("log.syntax", "", 15)]),
    ],
)
def test_every_fault_is_found_with_its_place(data: bytes, faults: list[tuple[str, str, int]]) -> None:
    assert found(data) == faults


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (b"[1 2]", {"expected": "a comma or ]", "found": '"2"'}),
        (b"[", {"expected": "a value", "found": "the end of the text"}),
        (b'["', {"expected": "a closing quote", "found": "the end of the text"}),
        ("[\u202e]".encode(), {"expected": "a value", "found": '"\\u202e"'}),
        ("[\U0001f600]".encode(), {"expected": "a value", "found": '"\U0001f600"'}),
        (b"[\x9f]", {"found": "0x9F"}),
        (b'["\x1b"]', {"found": "\\u001b"}),
        (b'["\\uD8aB"]', {"found": "\\uD8aB"}),
        (b"1" * 60, {"found": "1" * 39 + "…"}),
        (b'{"\\u0007":1,"\\u0007":2}', {"key": "\\u0007"}),
    ],
)
def test_facts_say_what_was_expected_and_found(data: bytes, facts: dict[str, str]) -> None:
    assert parse(data).faults[-1].facts == facts


def test_a_sound_text_is_read_as_the_standard_library_reads_it() -> None:
    data = ' {"a": [1, -0, 2.50, 1E-2, 1e999999999999999999999e0, {}], "é\\n\\/": "\\ud83d\\ude00:", "": [[], null]} '
    data = data.replace("1e999999999999999999999e0, ", "0e9999, ")
    text = parse(data.encode())
    assert text.value == json.loads(data)
    assert text.complete
    assert not text.faults
    assert not text.ends_early


@settings(deadline=None, max_examples=300)
@given(drawn.ANYTHING, st.booleans(), st.sampled_from([None, 1]))
def test_values_are_those_of_the_standard_library_and_stand_where_it_says(
    value: Any, escapes: bool, indent: int | None
) -> None:
    data = json.dumps(value, ensure_ascii=escapes, indent=indent)
    text = parse(data.encode())
    assert (text.value, text.faults) == (value, ())
    assert math.copysign(1, text.value) == math.copysign(1, value) if isinstance(value, float) else True
    for path, inner in _all_values(value, ()):
        at = len(data.encode()[: text.offset(path)].decode())
        assert json.JSONDecoder().raw_decode(data, at)[0] == inner


def _all_values(value: Any, path: jsontext.Path) -> list[tuple[jsontext.Path, Any]]:
    steps: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        steps = list(value.items())
    elif isinstance(value, list):
        steps = list(enumerate(value))
    return [(path, value)] + [pair for step, inner in steps for pair in _all_values(inner, (*path, step))]


# fmt: off
TOKENS = [
    b"[", b"]", b"{", b"}", b",", b":", b'"', b'"a"', b"1", b"-", b".", b"e", b"E+", b"0", b" ", b"\n", b"true",
    b"null", b"\\", b"u", b"\\ud83d", b"\\ude00", b"\xc3", b"\xa9",
]
# fmt: on


@settings(deadline=None, max_examples=400)
@given(st.lists(st.sampled_from(TOKENS), max_size=9).map(b"".join))
def test_the_grammar_is_that_of_the_fast_reader(data: bytes) -> None:
    text = parse(data)
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        assert text.faults
    else:
        assert text.value == value or text.faults
        assert {fault.clause for fault in text.faults} <= {"log.duplicate-key", "log.number"}


@settings(deadline=None, max_examples=200)
@given(
    st.floats(allow_nan=False, allow_infinity=False)
    | st.from_regex(r"-?[1-9][0-9]{0,40}\.[0-9]{1,40}(e-?[0-9]{1,2})?", fullmatch=True)
)
def test_both_readers_read_the_same_numbers(number: float | str) -> None:
    data = str(number).encode()
    assert parse(data).value == msgspec.json.decode(data) == float(number)


def test_a_text_cut_anywhere_ends_early() -> None:
    data = '{"a": [1.5e-7, -2, true, false, null], "é\\n\\ud83d\\ude00": {"b": "x"}}'.encode()
    for length in range(len(data)):
        text = parse(data[:length])
        assert text.ends_early, data[:length]
        assert not text.complete
    assert not parse(data).ends_early


@pytest.mark.parametrize("data", [b"[1,}", b"[tru]", b"{]", b"[1]x", b"nul "])
def test_a_text_that_is_wrong_does_not_end_early(data: bytes) -> None:
    assert not parse(data).ends_early


def test_nesting_is_counted_with_the_outermost() -> None:
    assert not parse(b"[" * DEEPEST + b"]" * DEEPEST).faults
    assert found(b'{"a":' * DEEPEST + b"[1]" + b"}" * DEEPEST) == [("log.depth", "/a" * DEEPEST, 5 * DEEPEST)]


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_nesting_without_end_needs_no_recursion(opening: bytes) -> None:
    limit = sys.getrecursionlimit()
    depth = 0
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        depth += 1
    sys.setrecursionlimit(depth + 40)
    try:
        clauses = [fault.clause for fault in parse(opening * 300_000).faults]
    finally:
        sys.setrecursionlimit(limit)
    assert clauses == ["log.depth"]


@pytest.mark.parametrize(
    "data",
    [
        b"1" * 10_000,
        b"1" * 2_000_000,
        b"-" + b"9" * 2_000_000 + b".5",
        b"0." + b"0" * 2_000_000 + b"1",
        b"1e" + b"9" * 2_000_000,
        b'"' + b"\\" * 2_000_000 + b'"',
        b'"' + b"a" * 2_000_000,
        b"[" + b'"' * 2_000_000,
        b" " * 2_000_000,
        b'"' + b"\xff" * 2_000_000 + b'"',
    ],
)
def test_long_runs_take_no_longer_than_their_length(data: bytes) -> None:
    start = time.process_time()
    parse(data)
    assert time.process_time() - start < 2


def test_the_list_of_faults_ends() -> None:
    text = parse(b"[" + b"NaN," * (MOST_FAULTS + 5) + b"1]")
    assert len(text.faults) == MOST_FAULTS + 1
    assert text.faults[-1].clause == "log.more"
    assert not text.complete


def test_what_came_before_the_fault_is_kept() -> None:
    assert parse(b'{"match":"m","events":[{"a":1},{"b"').value == {"match": "m", "events": [{"a": 1}, {}]}


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ((), ""),
        (("events", 3, "seat"), "/events/3/seat"),
        (("a/b", "m~n", ""), "/a~1b/m~0n/"),
        (("\x1b[31m\u202e",), "/\\u001b[31m\\u202e"),
        (("k" * 200,), "/" + "k" * 79 + "…"),
    ],
)
def test_pointers_are_escaped_and_can_be_printed(path: jsontext.Path, pointer: str) -> None:
    assert jsontext.pointer(path) == pointer


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (2.0, "2.0"),
        (-3, "-3"),
        ('a"b', '"a"b"'),
        ("لاعب", '"لاعب"'),
        ("a\n\x00\u200b", '"a\\u000a\\u0000\\u200b"'),
        ("x" * 99, '"' + "x" * 39 + '…"'),
        ([], "[]"),
        ([1], "[…]"),
        ({}, "{}"),
        ({"a": 1}, "{…}"),
    ],
)
def test_values_are_shown_in_few_characters(value: Any, shown: str) -> None:
    assert jsontext.shown(value) == shown
