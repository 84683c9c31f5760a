"""Where match logs lie: files, folders, compressed files, standard input.

In: paths as people write them, or a stream of bytes with its name. Out: the bytes of one match after another, each
with its place, and a gap for every stretch that cannot be had. Refuses to know what a match is: of JSON it knows only
where one value ends and the next begins.

Everything streams: no more is held than one match of at most ``LARGEST_MATCH`` bytes and what was last read.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol, TypeAlias

import zstandard

from auditor import jsontext
from auditor.errors import Place

#: So many bytes may one match take, unpacked; a long match takes a hundredth of them.
LARGEST_MATCH = 16 * 2**20

#: UTF-8 may begin with it.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

#: So much is read, or unpacked, at a time.
_CHUNK = 2**20
#: So much is given to an unpacker at a time. What it makes of it is held whole: at the worst 32 kB a byte.
_PACKED_PIECE = 256

#: How files begin that are no logs, whatever they are called.
_SIGNATURES = {
    b"SQLite format 3\x00": "it is a database",
    b"\x1f\x8b": "it is packed, and its name does not end in .gz",
    b"\x28\xb5\x2f\xfd": "it is packed, and its name does not end in .zst",
    b"PK\x03\x04": "it is a ZIP archive",
}
_LONGEST_SIGNATURE = max(map(len, _SIGNATURES))
#: So many bytes may one sign of a text take.
_LONGEST_SIGN = 4

_LINE_SUFFIXES = (".ndjson", ".jsonl")
_JSON_SUFFIX = ".json"
_VERDICT_SUFFIX = ".verdict.json"


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes that should be one match. ``at_end``: the stream ends with them, so that they may be cut short."""

    data: bytes
    place: Place
    at_end: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch that no match can be read from: the clause that says why, and its facts."""

    clause: str
    place: Place
    facts: Mapping[str, Any] = field(default_factory=dict)


Found: TypeAlias = Document | Gap


def documents(paths: Iterable[str]) -> Iterator[Found]:
    """The matches of files, folders and patterns, in the order given; ``-`` is standard input.

    A folder is read with all folders in it, in the order of names: its files that are called like logs, hidden ones
    and verdicts left out. A name with ``*``, ``?`` or ``[`` that is no file is a pattern, ``**`` for any folders.
    """
    for file in files(paths):
        if isinstance(file, Gap):
            yield file
        else:
            yield from documents_of(file)


def files(paths: Iterable[str]) -> Iterator[str | Gap]:
    """The files that :func:`documents` reads, one after another, and a gap for what cannot be had."""
    for path in paths:
        for file in _files(path):
            if isinstance(file, Gap) or not _is_output(file):
                yield file


def documents_of(file: str, in_lines: bool = False) -> Iterator[Found]:
    """The matches of one file, or of standard input; ``in_lines`` as in :func:`documents_in`."""
    return documents_in(unpacked(_read(file), file), shown(file), in_lines)


def unpacked(chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The bytes of a file, unpacked if its ``name`` says that they are packed; no chunk is empty.

    What cannot be unpacked ends the stream in a way that :func:`documents_in` makes a gap of.
    """
    if name.lower().endswith(".gz"):
        return _unpacked(chunks, lambda: zlib.decompressobj(wbits=31))
    if name.lower().endswith(".zst"):
        return _unpacked(chunks, lambda: zstandard.ZstdDecompressor().decompressobj())
    return chunks


def documents_in(chunks: Iterator[bytes], name: str, in_lines: bool = False) -> Iterator[Found]:
    """The matches in the unpacked bytes of one file, none of them an empty chunk.

    Places bear the ``name``. It says how the matches lie there, as in ``documents``; if not, the bytes are looked into.
    ``in_lines``: there is one a line, whatever the name says.
    """
    window = _Window(chunks, name)
    window.fill(_LONGEST_SIGNATURE - 1)
    start = window.rest(_LONGEST_SIGNATURE)
    for signature, kind in _SIGNATURES.items():
        if start.startswith(signature):
            yield Gap("log.file", window.place(), {"reason": kind})
            return
    if in_lines or holds_lines(name) or (not _unpacked_name(name).endswith(_JSON_SUFFIX) and _holds_lines(window)):
        yield from _lines(window)
    else:
        yield from _json(window)
    if window.trouble is not None:
        yield Gap(window.trouble.clause, window.place(), window.trouble.facts)


def holds_lines(name: str) -> bool:
    """Whether a file's name says that it holds one match a line, packed or not."""
    return _unpacked_name(name).endswith(_LINE_SUFFIXES)


def shown(path: str) -> str:
    """A path as text; bytes that are no UTF-8 are written as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


# --- Paths ------------------------------------------------------------------------------------------------------------


def _files(path: str) -> Iterator[str | Gap]:
    if path != "-" and os.path.isdir(path):
        yield from _folder(path)
    elif path == "-" or os.path.lexists(path) or not any(sign in path for sign in "*?["):
        yield path
    else:
        yield from _pattern(path)


def _folder(top: str) -> Iterator[str | Gap]:
    """Files by name, each folder once: a link that leads back up is not followed again."""
    seen = set()
    pending = [top]
    while pending:
        path = pending.pop()
        if os.path.isdir(path):
            try:
                identity = _identity(path)
                names = sorted(os.listdir(path), reverse=True)
            except OSError as error:
                yield Gap("log.file", _start(path), {"reason": reason(error)})
                continue
            if identity not in seen:
                seen.add(identity)
                pending.extend(os.path.join(path, name) for name in names if not name.startswith("."))
        elif _is_named_like_log(path) and (os.path.isfile(path) or not os.path.exists(path)):
            yield path


def _pattern(path: str) -> Iterator[str | Gap]:
    """What is called so, each file and folder once; verdicts are left out."""
    matching = sorted(set(_matching(path))) if "\0" not in path else []
    if not matching:
        yield Gap("log.file", _start(path), {"reason": "no file is called so"})
    seen: set[object] = set()
    for found in matching:
        if _unpacked_name(found).endswith(_VERDICT_SUFFIX):
            continue
        for file in _folder(found) if os.path.isdir(found) else [found]:
            identity = _identity_or_path(file) if isinstance(file, str) else file.place
            if identity not in seen:
                seen.add(identity)
                yield file


def _matching(pattern: str) -> Iterator[str]:
    """The paths that are called so. ``**`` goes into each folder once, so that links that lead back up end nowhere."""
    steps = pattern.split(os.sep)
    if "**" not in steps:
        yield from glob.iglob(pattern)
        return
    at = steps.index("**")
    top, below = os.sep.join(steps[:at]), os.sep.join(steps[at + 1 :])
    pending = sorted(glob.iglob(top + os.sep)) if top or at else [""]
    seen = set()
    while pending:
        folder = pending.pop()
        identity = _identity(folder or os.curdir)
        if identity not in seen:
            seen.add(identity)
            if below:
                yield from _matching(glob.escape(folder) + below)
            else:
                yield from filter(os.path.isfile, glob.iglob(glob.escape(folder) + "*"))
            pending += sorted(glob.iglob(os.path.join(glob.escape(folder), "*", "")), reverse=True)


def _is_output(path: str) -> bool:
    """Whether a file is the one that standard output goes to: it would be read while it is being written."""
    try:
        return path != "-" and os.path.samestat(os.stat(path), os.fstat(1)) and os.path.isfile(path)
    except (OSError, ValueError):
        return False


def _identity(path: str) -> tuple[int, int]:
    """What two paths of the same file or folder have in common."""
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _identity_or_path(path: str) -> object:
    try:
        return _identity(path)
    except OSError:  # a link that leads nowhere
        return path


def _unpacked_name(path: str) -> str:
    name = path.lower()
    return name.removesuffix(".gz").removesuffix(".zst")


def _is_named_like_log(path: str) -> bool:
    name = _unpacked_name(path)
    return name.endswith((_JSON_SUFFIX, *_LINE_SUFFIXES)) and not name.endswith(_VERDICT_SUFFIX)


def _start(path: str) -> Place:
    return Place(shown(path), 1, 0)


def reason(error: Exception) -> str:
    """Why a file cannot be had, as the clause ``log.file`` says it."""
    match error:
        case FileNotFoundError():
            return "no file is called so"
        case PermissionError():
            return "reading it is not allowed"
    return "it cannot be read"


# --- Matches in a stream ----------------------------------------------------------------------------------------------


def _holds_lines(window: _Window) -> bool:
    """Whether a stream without a telling name has one match a line.

    It has not if it begins with an array, or if its first line that is not blank could go on in the next.
    """
    match window.peek():
        case b"":
            return True
        case b"[":
            return False
    line = window.rest(window.line_length())
    return len(line) > LARGEST_MATCH or not jsontext.breaks_off(line)


def _lines(window: _Window) -> Iterator[Found]:
    while window.passes_over_blank_lines():
        place = window.place()
        length = window.line_length()
        if length > LARGEST_MATCH:
            window.pass_over_line()
            yield Gap("log.size", place, {"most": LARGEST_MATCH})
            continue
        line = window.take(length)
        if line.strip(b" \t\r\n"):
            yield Document(line, place, at_end=not line.endswith(b"\n"))


def _json(window: _Window) -> Iterator[Found]:
    match window.peek():
        case b"[":
            yield from _elements(window)
        case b"":
            if window.trouble is None:
                yield Gap("log.truncated", window.place())
        case _:
            place = window.place()
            if window.fill(LARGEST_MATCH):
                yield Gap("log.size", place, {"most": LARGEST_MATCH})
            else:
                yield Document(window.rest(), place, at_end=True)


def _elements(window: _Window) -> Iterator[Found]:
    """The elements of the array that begins here. After a comma or bracket that is missing, nothing is sure."""
    window.pass_over(1)
    if window.peek() == b"]":
        window.pass_over(1)
    else:
        while True:
            window.peek()
            place = window.place()
            length = window.element_length()
            if length is None:
                yield Gap("log.size", place, {"most": LARGEST_MATCH})
            elif length == 0:
                yield from _unexpected(window, "a value")
                return
            else:
                element = window.take(length)
                yield Document(element, place, at_end=not window.has_more())
            sign = window.peek()
            if sign not in (b",", b"]"):
                yield from _unexpected(window, "a comma or ]")
                return
            window.pass_over(1)
            if sign == b"]":
                break
    if window.peek():
        yield from _unexpected(window, "the end of the text")


def _unexpected(window: _Window, expected: str) -> Iterator[Gap]:
    if window.has_more():
        window.fill(_LONGEST_SIGN - 1)
        clause, facts = jsontext.unexpected(window.rest(_LONGEST_SIGN), 0, expected)
        yield Gap(clause, window.place(), facts)
    elif window.trouble is None:
        yield Gap("log.truncated", window.place())


_SPACE = re.compile(rb"[ \t\n\r]*+")
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
#: What stands in a string up to the quote that closes it.
_STRING_REST = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
#: What can be passed over in the outer array, and inside of an element of it: there, flat objects and arrays too.
_OUTSIDE = re.compile(rb'(?:[^"\[\]{},]++|%b)*+' % _STRING, re.DOTALL)
_INSIDE = re.compile(rb'(?:[^"\[\]{}]++|%b|[\[{](?:[^"\[\]{}]++|%b)*+[\]}])*+' % (_STRING, _STRING), re.DOTALL)
#: Brackets that open, or that close, one right after another.
_OPENING, _CLOSING = re.compile(rb"[\[{]*+"), re.compile(rb"[\]}]*+")


def _end(pattern: re.Pattern[bytes], data: bytes, start: int) -> int:
    """Where the longest match from ``start`` on ends."""
    match = pattern.match(data, start)
    return match.end() if match else start


class _Window:
    """The part of a stream that is looked at: bytes come in at its end and are passed over at its start.

    ``trouble`` is why the stream ended, if it did not end by itself.
    """

    def __init__(self, chunks: Iterator[bytes], file: str) -> None:
        self.trouble: _BrokenOff | None = None
        self._chunks = chunks
        self._file = file
        self._data = b""
        self._start = 0
        self._line = 1
        self._offset = 0
        while len(self._data) < len(BYTE_ORDER_MARK) and self._grow():
            pass
        if self._data.startswith(BYTE_ORDER_MARK):
            self.pass_over(len(BYTE_ORDER_MARK))

    def place(self) -> Place:
        return Place(self._file, self._line, self._offset)

    def has_more(self) -> bool:
        return self._start < len(self._data) or self._grow()

    def rest(self, length: int | None = None) -> bytes:
        """The next bytes of those that were read, or all of them."""
        return self._data[self._start : None if length is None else self._start + length]

    def take(self, length: int) -> bytes:
        data = self.rest(length)
        self.pass_over(length)
        return data

    def pass_over(self, length: int) -> None:
        end = self._start + length
        self._line += self._data.count(b"\n", self._start, end)
        self._offset += length
        self._start = end

    def peek(self) -> bytes:
        """The next byte that is no white space, which is passed over; nothing at the end."""
        while self.has_more():
            self.pass_over(_end(_SPACE, self._data, self._start) - self._start)
            if self._start < len(self._data):
                return self.rest(1)
        return b""

    def passes_over_blank_lines(self) -> bool:
        """Passes over the blank lines that begin here, as far as they were read; whether there is more."""
        while self.has_more():
            end = self._data.rfind(b"\n", self._start, _end(_SPACE, self._data, self._start)) + 1
            if end == 0:
                return True
            self.pass_over(end - self._start)
        return False

    def fill(self, length: int) -> bool:
        """Reads on until there is more than ``length``; whether there is."""
        while self._size() <= length:
            if not self._grow():
                return False
        return True

    def line_length(self) -> int:
        """How long the line that begins here is with its line feed; the search ends beyond ``LARGEST_MATCH``."""
        searched = 0
        while (end := self._data.find(b"\n", self._start + searched)) < 0:
            searched = self._size()
            if searched > LARGEST_MATCH or not self._grow():
                return searched
        return end + 1 - self._start

    def pass_over_line(self) -> None:
        while (end := self._data.find(b"\n", self._start)) < 0:
            self.pass_over(self._size())
            if not self._grow():
                return
        self.pass_over(end + 1 - self._start)

    def element_length(self) -> int | None:
        """How long the array's element that begins here is; ``None``: too long, and it was passed over."""
        depth, at, is_in_string, is_too_long = 0, 0, False, False
        while True:
            pattern = _STRING_REST if is_in_string else _INSIDE if depth else _OUTSIDE
            at = _end(pattern, self._data, self._start + at) - self._start
            sign = self._data[self._start + at : self._start + at + 1]
            if sign in (b"", b"\\"):
                if at > LARGEST_MATCH:
                    self.pass_over(at)
                    at, is_too_long = 0, True
                if self._grow():
                    continue
                at = self._size()
                break
            run = 1  # of signs that are taken together
            if sign == b'"':
                is_in_string = not is_in_string
            elif sign in (b"[", b"{"):
                run = _end(_OPENING, self._data, self._start + at) - self._start - at
                depth += run
            elif depth:
                run = min(depth, _end(_CLOSING, self._data, self._start + at) - self._start - at)
                depth -= run
            else:
                break
            at += run
            if depth == 0 and sign in (b"]", b"}"):
                break
        if is_too_long or at > LARGEST_MATCH:
            self.pass_over(at)
            return None
        return at

    def _size(self) -> int:
        return len(self._data) - self._start

    def _grow(self) -> bool:
        try:
            chunk = next(self._chunks, b"")
        except _BrokenOff as trouble:
            self.trouble, chunk = trouble, b""
        self._data = self._data[self._start :] + chunk
        self._start = 0
        return bool(chunk)


# --- Bytes ------------------------------------------------------------------------------------------------------------


class _BrokenOff(Exception):
    """The stream ends here, and not because it is at its end."""

    def __init__(self, clause: str, **facts: str) -> None:
        super().__init__(clause)
        self.clause, self.facts = clause, facts


class _Unpacker(Protocol):
    """What :mod:`zlib` and :mod:`zstandard` have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def _read(path: str) -> Iterator[bytes]:
    try:
        with contextlib.nullcontext(_standard_input()) if path == "-" else open(path, "rb") as stream:
            # What a pipe holds is handed on at once, where its kind of stream can do that.
            read = getattr(stream, "read1", stream.read)
            while chunk := read(_CHUNK):
                yield chunk
    except (OSError, ValueError) as error:
        raise _BrokenOff("log.file", reason=reason(error)) from error


def _standard_input() -> BinaryIO:
    if sys.stdin is None:  # it was closed before the program began
        raise FileNotFoundError
    return sys.stdin.buffer


def _unpacked(chunks: Iterator[bytes], unpacker_for: Callable[[], _Unpacker]) -> Iterator[bytes]:
    """The content of packed chunks: several packed files may stand one after another, with zero bytes between."""
    unpacker: _Unpacker | None = unpacker_for()
    ready = bytearray()
    trouble: _BrokenOff | None = None
    try:
        for piece in _pieces(chunks):
            while piece := piece if unpacker else piece.lstrip(b"\0"):
                unpacker = unpacker or unpacker_for()
                ready += unpacker.decompress(piece)
                piece = unpacker.unused_data if unpacker.eof else b""
                unpacker = None if unpacker.eof else unpacker
            if len(ready) >= _CHUNK:
                yield bytes(ready)
                ready.clear()
    except _BrokenOff as error:
        trouble = error
    except (zlib.error, zstandard.ZstdError):
        trouble = _BrokenOff("log.compression")
    if ready:
        yield bytes(ready)
    if trouble is None and unpacker is not None:
        trouble = _BrokenOff("log.truncated")
    if trouble is not None:
        raise trouble


def _pieces(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Packed chunks in pieces of one size, counted from the first byte on.

    Of a damaged piece nothing is unpacked: what can be had of a file must not depend on how its bytes come in.
    """
    rest = b""
    trouble: _BrokenOff | None = None
    try:
        for chunk in chunks:
            rest += chunk
            whole = len(rest) - len(rest) % _PACKED_PIECE
            for start in range(0, whole, _PACKED_PIECE):
                yield rest[start : start + _PACKED_PIECE]
            rest = rest[whole:]
    except _BrokenOff as error:
        trouble = error
    if rest:
        yield rest
    if trouble is not None:
        raise trouble
