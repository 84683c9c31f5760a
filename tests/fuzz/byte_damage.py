"""Damage to how a log is written: its bytes, packed or not.

In: a source of chance, a text, other texts to take stretches from. Out: another text. Refuses to know what a text says;
of JSON it knows the tokens.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

import zstandard

Damage = Callable[[Random, bytes, Sequence[bytes]], bytes]

#: Nothing grows beyond this.
LARGEST = 2**18

# fmt: off
_TOKENS = (
    b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xef\xbb\xbf", b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\u003a",
    b"\\u003A", b"\\u0000", b"\\", b"\\x", b'"', b":", b",", b"{", b"}", b"[", b"]", b"\x00", b"\x01", b"\t", b"\n",
    b"\r\n", b"\x0c", b"0", b"1", b"-", b"-0", b"00", b".", b".0", b"e1", b"e999", b"1e999", b"1e-999", b"NaN",
    b"Infinity", b"-Infinity", b"null", b"true", b"false", b"9" * 20, b"9" * 5000, b'"a":1,', b'"type":"note",',
    b'"extra":0,', b'"extra":' + b"[" * 120, b"[" * 200, b'{"a":' * 60, b"}]" * 5, b'"match":"',
    b'"\\u0074ype":"play",',
    b"//", b"\xe2\x80\xae", b"\xd8\xa7", b"\xf0\x9f\x82\xa1",
)
_NUMBERS = (
    b"0", b"-0", b"1.0", b"1e0", b"9007199254740992", b"-9007199254740991", b"18446744073709551616", b"1e308", b"1e309",
)
# fmt: on


def _place(chance: Random, text: bytes) -> int:
    return chance.randrange(len(text) + 1)


def flip(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """Some bits are others."""
    changed = bytearray(text)
    for _ in range(chance.choice((1, 1, 2, 8)) if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def put(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """A few bytes more, or other ones."""
    at = _place(chance, text)
    new = bytes(chance.randrange(256) for _ in range(chance.choice((1, 1, 2, 6))))
    return text[:at] + new + text[at + chance.choice((0, len(new))) :]


def take(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """A stretch is gone."""
    at = _place(chance, text)
    return text[:at] + text[at + chance.choice((1, 1, 2, 10, 100)) :]


def token(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """A piece of JSON more, or in the place of a few bytes."""
    at = _place(chance, text)
    return text[:at] + chance.choice(_TOKENS) + text[at + chance.choice((0, 0, 1, 3)) :]


def figure(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """A number written otherwise, or another one."""
    numbers = list(re.finditer(rb"(?<=[:,\[])-?[0-9]++(?=[,}\]])", text))
    if not numbers:
        return text
    found = chance.choice(numbers)
    new = found[0] + chance.choice((b".0", b"e0", b"0" * 20)) if chance.randrange(2) else chance.choice(_NUMBERS)
    return text[: found.start()] + new + text[found.end() :]


def again(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """A stretch stands there many times."""
    at = _place(chance, text)
    stretch = text[at : at + chance.choice((1, 3, 10, 100, 1000))]
    return text[:at] + stretch * chance.choice((1, 1, 2, 5, 100)) + text[at:]


def member_again(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """One member of an object stands there twice, the second time perhaps with its key in escapes."""
    members = list(re.finditer(rb'"([a-z]++)":("[^"\\]*+"|-?[0-9]++|true|false|null)', text))
    if not members:
        return text
    member = chance.choice(members)
    name = member[1] if chance.randrange(2) else b"\\u%04x" % member[1][0] + member[1][1:]
    return text[: member.end()] + b',"%b":%b' % (name, member[2]) + text[member.end() :]


def cut(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    at = _place(chance, text)
    return text[:at] if chance.randrange(4) else text[at:]


def splice(chance: Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """The beginning of this text and the end of another, or a stretch of that one in between."""
    other = chance.choice(others)
    at, start = _place(chance, text), _place(chance, other)
    if chance.randrange(2):
        return text[:at] + other[start:]
    return text[:at] + other[start : start + chance.choice((1, 10, 100))] + text[at:]


#: By name.
WAYS: Mapping[str, Damage] = MappingProxyType(
    {way.__name__: way for way in (flip, put, take, token, figure, again, member_again, cut, splice)}
)


def damaged(chance: Random, text: bytes, others: Sequence[bytes], ways: Sequence[Damage]) -> bytes:
    """The text after all these ways of damage, one after another."""
    for way in ways:
        text = way(chance, text, others)[:LARGEST]
    return text


# --- Containers -------------------------------------------------------------------------------------------------------


def lines(texts: Sequence[bytes]) -> bytes:
    return b"".join(text + b"\n" for text in texts)


def array(texts: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(texts) + b"]"


#: How matches lie in a file, by the end of its name.
CONTAINERS: Mapping[str, Callable[[Sequence[bytes]], bytes]] = MappingProxyType(
    {".ndjson": lines, ".jsonl": lines, ".json": array, ".log": lines}
)
#: How a file is packed, by what its name ends in after that.
PACKINGS: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType(
    {
        "": bytes,
        ".gz": lambda data: gzip.compress(data, 1, mtime=0),
        ".zst": lambda data: zstandard.ZstdCompressor(level=1).compress(data),
    }
)
