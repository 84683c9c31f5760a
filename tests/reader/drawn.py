"""Match logs drawn from the schemas, and ways to damage them.

In: a ruleset's schema. Out: Hypothesis strategies of documents that the schema accepts, and of texts that it may not
accept. Refuses to know any ruleset: a new schema is drawn from like the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from auditor import schema

Document = dict[str, Any]

_INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.sampled_from([0, 1, -1, 2**53 - 1, -(2**53) + 1])
#: Text with all that makes readers differ: quotes, escapes, colons, controls, wide characters and the odd key.
_TEXT = st.text(max_size=6) | st.sampled_from(
    [
        "a:b",
        'a"b',
        "\\",
        "\\u003a",
        ":",
        "\u003a",
        "لاعب",
        "\U0001f600",
        "\ufffd",
        "\x7f",
        "\u2028",
        "\x00",
        "at",
        "type",
    ]
)
_HEX = st.binary(min_size=1, max_size=4).map(bytes.hex)
_TIMES = st.sampled_from(["2024-05-01T20:15:00Z", "2024-02-29T00:00:00.123456789+03:00", "0001-01-01T23:59:59-23:59"])
#: What a platform may write where it is free to write anything.
ANYTHING: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)


@cache
def documents(ruleset: str) -> SearchStrategy[Document]:
    """Match logs that the ruleset's schema accepts."""
    return _Drawing(schema.bundle(ruleset)).matches(ruleset)


class _Drawing:
    def __init__(self, bundle: Mapping[str, Any]) -> None:
        self._schemas = {part["$id"]: part for part in bundle["$defs"].values()}

    def matches(self, ruleset: str) -> SearchStrategy[Document]:
        base, own = (next(part for key, part in self._schemas.items() if key.endswith(end)) for end in (":1", ruleset))
        properties = {key: (part, base["$id"]) for key, part in base["properties"].items()}
        properties["ruleset"] = ({"const": ruleset}, base["$id"])
        for key, part in own["properties"].items():
            properties[key] = ({**base["properties"][key], **part}, own["$id"])
        drawn = {key: self.values(part, home) for key, (part, home) in properties.items() if key != "players"}
        players, _ = properties["players"]
        player = self.values(base["$defs"]["player"], base["$id"])
        drawn["players"] = st.lists(player, min_size=players.get("minItems", 0), max_size=players.get("maxItems", 5))
        required = {key: drawn.pop(key) for key in base["required"]}
        matches = st.fixed_dictionaries(required, optional=drawn)
        return matches.map(_fitted) if "allOf" in own else matches

    def values(self, part: Any, home: str) -> SearchStrategy[Any]:
        """Values that a schema accepts; ``home`` is the schema that its references without a name point into."""
        if part is True or not set(part) - {"description"}:
            return ANYTHING
        if "$ref" in part:
            name, _, way = part["$ref"].partition("#")
            target: Any = self._schemas[name or home]
            for step in way.split("/")[1:]:
                target = target[step]
            return self.values(target, name or home)
        if "if" in part:
            return self.events(part, home)
        if "enum" in part:
            return st.sampled_from(part["enum"])
        if "const" in part:
            return st.just(part["const"])
        types = [part["type"]] if isinstance(part["type"], str) else part["type"]
        return st.one_of([self.of_type(name, part, home) for name in types])

    def of_type(self, name: str, part: Mapping[str, Any], home: str) -> SearchStrategy[Any]:
        match name:
            case "integer":
                least, most = part.get("minimum", -(2**53) + 1), part.get("maximum", 2**53 - 1)
                return st.integers(least, most)
            case "string" if "format" in part:
                return _TIMES
            case "string" if "pattern" in part:
                return _HEX
            case "string":
                return _TEXT.filter(bool) if "minLength" in part else _TEXT
            case "boolean":
                return st.booleans()
            case "null":
                return st.none()
            case "array":
                inner = self.values(part["items"], home)
                return st.lists(inner, min_size=part.get("minItems", 0), max_size=part.get("maxItems", 6))
        if part.get("additionalProperties", True) is True:
            return st.dictionaries(_TEXT, ANYTHING, max_size=3)
        drawn = {key: self.values(inner, home) for key, inner in part["properties"].items() if key != "type"}
        required = {key: drawn.pop(key) for key in part.get("required", ())}
        return st.fixed_dictionaries(required, optional=drawn)

    def events(self, chain: Mapping[str, Any], home: str) -> SearchStrategy[Any]:
        branches = []
        while "if" in chain:
            name = chain["if"]["properties"]["type"]["const"]
            branches.append(st.builds(_typed, self.values(chain["then"], home), st.just(name)))
            chain = chain["else"]
        return st.one_of(branches)


def _fitted(document: Document) -> Document:
    """Seats below the number of players, and one number a player: what a schema may ask for under conditions."""
    count = len(document["players"])
    for event in document["events"]:
        for key, value in event.items() if event["type"] != "note" else ():
            if key in ("seat", "dealer", "winner") and value is not None:
                event[key] = value % count
            elif key in ("deal", "total"):
                event[key] = (value * count)[:count]
    return document


def _typed(event: Document, name: str) -> Document:
    return {**event, "type": name}


# --- Ways of writing a document --------------------------------------------------------------------------------------


@st.composite
def written(draw: DrawFn, document: Any) -> bytes:
    """The document as some platform may write it: with or without spaces and escapes."""
    indent = draw(st.sampled_from([None, None, 1]))
    escapes = draw(st.booleans())
    separators = draw(st.sampled_from([None, (",", ":"), (" , ", "\t:\r\n")]))
    return json.dumps(document, indent=indent, ensure_ascii=escapes, separators=separators).encode()


@st.composite
def texts(draw: DrawFn, ruleset: str) -> bytes:
    """Match logs, some of them damaged once or twice."""
    document = draw(documents(ruleset))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        draw(st.sampled_from(_DOCUMENT_DAMAGES))(draw, document)
    text = draw(written(document))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        text = draw(st.sampled_from(_TEXT_DAMAGES))(draw, text)
    return text


# --- Damage to a document --------------------------------------------------------------------------------------------


def _containers(value: Any) -> list[Any]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    own = [value] if inner else []
    return own + [found for part in inner for found in _containers(part)]


# fmt: off
_WRONG: SearchStrategy[Any] = ANYTHING | st.sampled_from([
    None, True, 0, -1, 9, 2.0, -0.0, 1e16, 2**53, -(2**53), 10**30, "", "7h", "??", "JK", "NT", [], {}, [[]],
    "2024-05-01",
])
# fmt: on


def _change(draw: DrawFn, document: Document) -> None:
    container = draw(st.sampled_from(_containers(document)))
    key = draw(st.sampled_from(list(container) if isinstance(container, dict) else list(range(len(container)))))
    container[key] = draw(_WRONG)


def _remove(draw: DrawFn, document: Document) -> None:
    container = draw(st.sampled_from(_containers(document)))
    key = draw(st.sampled_from(list(container) if isinstance(container, dict) else list(range(len(container)))))
    del container[key]


def _add(draw: DrawFn, document: Document) -> None:
    container = draw(st.sampled_from([part for part in _containers(document) if isinstance(part, dict)] or [document]))
    container[draw(_TEXT | st.sampled_from(["at", "by", "refused", "seat", "type", "ruleset", "extra"]))] = draw(_WRONG)


def _nest(draw: DrawFn, document: Document) -> None:
    value: Any = draw(ANYTHING)
    for _ in range(draw(st.sampled_from([90, 96, 97, 98, 99, 100, 101]))):
        value = draw(st.sampled_from([[value], {"a": value}])) if draw(st.booleans()) else [value]
    document["extra"] = value


_DOCUMENT_DAMAGES: list[Callable[[DrawFn, Document], None]] = [_change, _change, _remove, _add, _nest]


# --- Damage to a text ------------------------------------------------------------------------------------------------

# fmt: off
_BITS = st.sampled_from([
    b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\u003a", b"\\u003A",
    b"\\u0000", b"\\", b"\\x", b'"', b":", b",", b"{", b"}", b"[", b"]", b"\x00", b"\x01", b"\t", b"\n", b"\x0c",
    b"\xef\xbb\xbf",
    b"0", b"1", b"-", b"-0", b"00", b".", b".0", b"e1", b"e999", b"1e999", b"NaN", b"Infinity", b"null", b"true",
    b"9" * 20, b"9" * 5000, b'"a":1,', b'"type":"note",', b'"extra":0,',
])
# fmt: on


def _insert(draw: DrawFn, text: bytes) -> bytes:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(_BITS) + text[at:]


def _overwrite(draw: DrawFn, text: bytes) -> bytes:
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(_BITS | st.binary(min_size=1, max_size=2)) + text[at + draw(st.integers(0, 3)) :]


def _cut(draw: DrawFn, text: bytes) -> bytes:
    return text[: draw(st.integers(0, len(text)))]


def _repeat_key(draw: DrawFn, text: bytes) -> bytes:
    """Writes one member of an object twice, the second time perhaps with its key in escapes."""
    members = list(re.finditer(rb'("(?:[^"\\]|\\.)*")(\s*:\s*)("(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+|true|false|null)', text))
    if not members:
        return text
    member = draw(st.sampled_from(members))
    key = member[1]
    if draw(st.booleans()) and len(key) > 2 and key[1:2].isalnum():
        key = b'"\\u%04x' % key[1] + key[2:]
    value = draw(st.sampled_from([member[3], b'"\\u003a"', b'"a\\u003A:"', b"1"]))
    return text[: member.end()] + b"," + key + b":" + value + text[member.end() :]


def _write_as_float(draw: DrawFn, text: bytes) -> bytes:
    numbers = list(re.finditer(rb"(?<=[:\s,\[])-?[0-9]+(?=[,\s}\]])", text))
    if not numbers:
        return text
    at = draw(st.sampled_from(numbers)).end()
    return text[:at] + draw(st.sampled_from([b".0", b"e0", b"E-0", b".00", b"0" * 20])) + text[at:]


_TEXT_DAMAGES: list[Callable[[DrawFn, bytes], bytes]] = [
    _insert,
    _overwrite,
    _cut,
    _repeat_key,
    _repeat_key,
    _write_as_float,
]
