"""A strict JSON reader that keeps places: for texts that the fast reader refused or mistrusts.

In: the bytes of one JSON text. Out: its value, where each value stands, and everything that is wrong with the text
as text, not only the first fault. Refuses to know what the text is about: keys and types are for the schema.

The grammar is that of RFC 8259, and beyond it: a key stands once in its object, nesting goes ``DEEPEST`` levels deep
at most, a number written as an integer lies within ±(2^53 − 1), and none is too large for a double. No input makes
it recurse, and the time it takes grows with the length of the text only. What is kept of a text would fill the memory
if the text were nothing but small values: it ends after ``SEARCHED_VALUES``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

import msgspec

#: How many objects and arrays may stand inside one another, the outermost one counted.
DEEPEST = 100
#: After so many faults a text is not read further.
MOST_FAULTS = 1000
#: A text has no more values than this. A match of 100,000 events has 570,000 to 730,000.
MOST_VALUES = 800_000
#: After so many values a text is not read further here: some 250 bytes are kept of each.
SEARCHED_VALUES = 500_000
#: Whole numbers that every JSON reader holds exactly reach so far from 0.
LARGEST_INTEGER = 2**53 - 1

#: The keys and indexes that lead to a value, from the outermost one in.
Path: TypeAlias = tuple[str | int, ...]

#: What a value's place is kept as: its offset, and those of the values in it; in an array they stand behind its own.
_Places: TypeAlias = "int | list[_Places] | tuple[int, dict[str, _Places]]"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with the text: the clause that says so, and its facts. ``offset`` is in bytes from 0."""

    clause: str
    path: Path
    offset: int
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """What could be read of a text.

    ``complete``: it was read to its end; if not, ``value`` holds what came before the last fault, and that fault is
    the reason. ``ends_early``: the reason is that the text stops inside a value. A value that could not be read
    is ``None`` in ``value``; unreadable parts of a string are U+FFFD.
    """

    value: Any
    faults: tuple[Fault, ...]
    complete: bool
    ends_early: bool
    places: _Places = field(repr=False)

    def offset(self, path: Sequence[str | int]) -> int:
        """Where the value at a path starts. A path that leads nowhere ends at the last value on it."""
        places: Any = self.places
        for step in path:
            if isinstance(places, int):
                return places
            try:
                places = places[1][step] if isinstance(places, tuple) else places[int(step) + 1]
            except LookupError:
                break
        return int(places if isinstance(places, int) else places[0])


def parse(data: bytes) -> Text:
    """The value of a JSON text and all that is wrong with it."""
    parser = _Parser(data)
    complete = True
    try:
        parser.document()
    except _CannotGoOn:
        complete = False
    return Text(parser.value, tuple(parser.faults), complete, parser.ends_early, parser.places)


def is_short(data: bytes) -> bool:
    """Whether a text has no more values than it may. What is no JSON may seem so too."""
    if len(data) <= MOST_VALUES:
        return True
    bare = data.translate(None, b" \t\n\r")
    count, at = _inner_values(bare), 0
    while count >= MOST_VALUES and (string := _STRING_WITH_SIGNS.match(bare, at)):
        count -= _inner_values(string[1])  # what looks like values in it is none
        at = string.end()
    return count < MOST_VALUES


def _inner_values(bare: bytes) -> int:
    """How many values are inside of others, by the signs that they come after; the text has no spaces."""
    signs = bare.count(b",") + bare.count(b"[") + bare.count(b"{")
    return signs - bare.count(b"[]") - bare.count(b"{}")


def breaks_off(data: bytes) -> bool:
    """Whether a JSON text stops inside a value, so that it may go on behind these bytes."""
    try:
        msgspec.json.decode(data, type=msgspec.Raw)  # passes over the values, and makes none of them
    except (msgspec.DecodeError, RecursionError):
        return parse(data).ends_early
    return False


def no_more(offset: int) -> Fault:
    """What ends a list of ``MOST_FAULTS`` faults: what comes after the last of them is not listed."""
    return Fault("log.more", (), offset, {"most": MOST_FAULTS})


def pointer(path: Sequence[str | int]) -> str:
    """The path as a JSON pointer (RFC 6901). Keys are shortened and their control characters made visible."""
    return "".join("/" + visible(str(step), 80).replace("~", "~0").replace("/", "~1") for step in path)


def shown(value: Any, longest: int = 40) -> str:
    """A value in few characters, for a sentence: text in quotes, arrays and objects by their kind only."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{visible(value, longest)}"'
        case list():
            return "[…]" if value else "[]"
        case dict():
            return "{…}" if value else "{}"
    return shortened(repr(value), longest)


def shortened(text: str, longest: int = 40) -> str:
    """The text, cut to ``longest`` characters with the last one an ellipsis."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def visible(text: str, longest: int = 40) -> str:
    """The text shortened, with what cannot be seen, or turns a line round, written as escapes."""
    return _UNSEEN.sub(lambda found: rf"\u{ord(found[0]):04x}", shortened(text, longest))


# Control characters, soft hyphen, Arabic letter mark, zero-width and direction marks, line ends, byte-order mark.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")

_SPACE = re.compile(rb"[ \t\n\r]*+")
_STRING = re.compile(rb'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
#: The next string that has signs in it which elsewhere stand before values, and what is passed over until then.
_STRING_WITH_SIGNS = re.compile(rb'(?:[^"]*+"[^"\\,\[{]*+")*+[^"]*+"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][-+]?[0-9]++)?+")
_WORD = re.compile(rb"true|false|null|NaN|-?Infinity")
_WORDS = {b"true": True, b"false": False, b"null": None}

#: The rest of a text that stops inside a number or a word.
_CUT_SHORT = re.compile(
    rb"-|\.|(?:\.[0-9]++)?[eE][-+]?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-?I(?:n(?:f(?:i(?:n(?:it?)?)?)?)?)?|Na?"
)
_CONTROL = re.compile(rb"[\x00-\x1f]")
#: A string's pieces: plain bytes, a surrogate pair, one half of such a pair, another escape, no escape at all.
_PIECE = re.compile(
    rb"(?P<plain>[^\\]++)"
    rb"|(?P<pair>\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|(?P<code>\\u[0-9a-fA-F]{4})"
    rb'|(?P<sign>\\["\\/bfnrt])'
    rb"|(?P<none>\\)"
)
_SIGNS = {b'"': '"', b"\\": "\\", b"/": "/", b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}


class _CannotGoOn(Exception):
    """The text cannot be read past the last fault."""


@dataclass(slots=True)
class _Open:
    """An object or array that is being read; ``step`` is the key or index of the value that comes next."""

    value: dict[str, Any] | list[Any]
    places: dict[str, _Places] | list[_Places]
    step: str | int = 0
    begun: bool = False


class _Parser:
    """Reads one text from the front, with a stack of its own instead of the interpreter's."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.open: list[_Open] = []
        self.value: Any = None
        self.places: _Places = 0
        self.value_count = 0
        self.faults: list[Fault] = []
        self.ends_early = False

    def document(self) -> None:
        self.skip_space()
        self.read_value()
        while self.open:
            self.skip_space()
            container = self.open[-1]
            if isinstance(container.value, dict):
                self.go_on_in_object(container, container.value)
            else:
                self.go_on_in_array(container)
        self.skip_space()
        if self.at < len(self.data):
            self.stop("the end of the text")

    def go_on_in_object(self, container: _Open, value: dict[str, Any]) -> None:
        if self.takes(b"}"):
            self.open.pop()
            return
        if container.begun:
            if not self.takes(b","):
                self.stop("a comma or }", between=True)
            self.skip_space()
        container.begun = True
        start = self.at
        if not self.data.startswith(b'"', start):
            self.stop("a key in quotes", between=True)
        key = self.read_string(of_key=True)
        container.step = key
        if key in value:
            self.note("log.duplicate-key", start, key=visible(key))
        self.skip_space()
        if not self.takes(b":"):
            self.stop("a colon", between=True)
        self.skip_space()
        self.read_value()

    def go_on_in_array(self, container: _Open) -> None:
        if self.takes(b"]"):
            self.open.pop()
            return
        if container.begun:
            if not self.takes(b","):
                self.stop("a comma or ]", between=True)
            self.skip_space()
        container.begun = True
        container.step = len(container.value)
        self.read_value()

    def read_value(self) -> None:
        """Reads a text, number or word whole; of an object or array, only that it begins."""
        start = self.at
        match self.data[start : start + 1]:
            case b"{":
                self.begin({})
            case b"[":
                self.begin([])
            case b'"':
                self.put(self.read_string(), start)
            case _:
                if number := _NUMBER.match(self.data, start):
                    self.at = number.end()
                    self.put(self.number(number), start)
                elif word := _WORD.match(self.data, start):
                    self.at = word.end()
                    if word[0] not in _WORDS:
                        self.note("log.number", start, found=word[0].decode())
                    self.put(_WORDS.get(word[0]), start)
                else:
                    self.stop("a value")

    def begin(self, value: dict[str, Any] | list[Any]) -> None:
        if len(self.open) == DEEPEST:
            self.note("log.depth", self.at, most=DEEPEST)
            raise _CannotGoOn
        places: dict[str, _Places] | list[_Places] = {} if isinstance(value, dict) else [self.at]
        self.put(value, (self.at, places) if isinstance(places, dict) else places)
        self.open.append(_Open(value, places))
        self.at += 1

    def put(self, value: Any, places: _Places) -> None:
        self.value_count += 1
        if self.value_count > SEARCHED_VALUES:
            self.add(Fault("log.long", (), self.at, {"searched": SEARCHED_VALUES, "most": MOST_VALUES}))
            raise _CannotGoOn
        if not self.open:
            self.value, self.places = value, places
            return
        container = self.open[-1]
        if isinstance(container.value, dict) and isinstance(container.places, dict):
            key = str(container.step)
            container.value[key], container.places[key] = value, places
        elif isinstance(container.value, list) and isinstance(container.places, list):
            container.value.append(value)
            container.places.append(places)

    def number(self, text: re.Match[bytes]) -> int | float | None:
        """The number, or ``None`` and a fault; never the value of a long run of digits."""
        if text[1] is None and text[2] is None:
            if len(text[0]) <= len(str(-LARGEST_INTEGER)) and abs(int(text[0])) <= LARGEST_INTEGER:
                return int(text[0])
        elif math.isfinite(value := float(text[0])):
            return value
        self.note("log.number", text.start(), found=shortened(text[0][:100].decode()))
        return None

    def read_string(self, of_key: bool = False) -> str:
        start = self.at
        string = _STRING.match(self.data, start)
        if string is None:
            self.at = len(self.data)
            self.stop("a closing quote")
        self.at = string.end()
        text, faults = _string(string[1], string.start(1))
        if faults and of_key:
            self.open[-1].step = text
        for clause, offset, facts in faults:
            if clause == "log.syntax":
                self.at = offset
                self.stop("an escape such as \\n")
            self.note(clause, offset, **facts)
        return text

    def skip_space(self) -> None:
        space = _SPACE.match(self.data, self.at)
        self.at = space.end() if space else self.at

    def takes(self, sign: bytes) -> bool:
        """Whether the sign stands here; if so it is passed over."""
        if not self.data.startswith(sign, self.at):
            return False
        self.at += 1
        return True

    def path(self) -> Path:
        return tuple(container.step for container in self.open)

    def note(self, clause: str, offset: int, **facts: Any) -> None:
        self.add(Fault(clause, self.path(), offset, facts))

    def add(self, fault: Fault) -> None:
        self.faults.append(fault)
        if len(self.faults) == MOST_FAULTS:
            self.faults.append(no_more(fault.offset))
            raise _CannotGoOn

    def stop(self, expected: str, between: bool = False) -> NoReturn:
        """What stands here is not what the grammar expects: the text is not read further.

        ``between`` values, the fault is the object's or array's own.
        """
        self.ends_early = self.at >= len(self.data) or _CUT_SHORT.fullmatch(self.data, self.at) is not None
        clause, facts = unexpected(self.data, self.at, expected)
        self.add(Fault(clause, self.path()[:-1] if between else self.path(), self.at, facts))
        raise _CannotGoOn


def unexpected(data: bytes, at: int, expected: str) -> tuple[str, dict[str, str]]:
    """The clause and facts for bytes that are not what the grammar expects at an offset."""
    if at >= len(data):
        return "log.syntax", {"expected": expected, "found": "the end of the text"}
    sign = data[at : at + 4].decode("utf-8", "ignore")[:1]
    if not sign.encode() or not data.startswith(sign.encode(), at):
        return "log.encoding", {"found": f"0x{data[at]:02X}"}
    return "log.syntax", {"expected": expected, "found": shown(sign)}


def _string(body: bytes, start: int) -> tuple[str, list[tuple[str, int, dict[str, str]]]]:
    """A string between its quotes as text, and its faults as clause, offset and facts; ``start`` is its offset."""
    faults: list[tuple[str, int, dict[str, str]]] = []
    if b"\\" not in body and not _CONTROL.search(body):
        return _plain(body, start, faults), faults
    text: list[str] = []
    for piece in _PIECE.finditer(body):
        at = start + piece.start()
        code = piece[0]
        match piece.lastgroup:
            case "plain":
                text.append(_plain(code, at, faults))
            case "pair":
                text.append(bytes.fromhex((code[2:6] + code[8:]).decode()).decode("utf-16-be"))
            case "code":
                text.append(chr(int(code[2:], 16)))
            case "sign":
                text.append(_SIGNS[code[1:]])
            case "half":
                text.append("\ufffd")
                faults.append(("log.surrogate", at, {"found": code.decode()}))
                if len(faults) == MOST_FAULTS:  # the text is not read further
                    break
            case _:
                faults.append(("log.syntax", at, {}))
                break
    return "".join(text), faults


def _plain(piece: bytes, start: int, faults: list[tuple[str, int, dict[str, str]]]) -> str:
    if control := _CONTROL.search(piece):
        faults.append(("log.control", start + control.start(), {"found": rf"\u{control[0][0]:04x}"}))
    try:
        return piece.decode()
    except UnicodeDecodeError as error:
        faults.append(("log.encoding", start + error.start, {"found": f"0x{piece[error.start]:02X}"}))
        return piece.decode(errors="replace")
