"""Small logs for tests, as documents and as bytes, and the faults that the reader finds in them.

In: what differs from a sound match. Out: documents, bytes, files; what was read of them in few words. Refuses to know
what is legal in a game.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from typing import Any

import zstandard

from auditor import log
from auditor.errors import Place
from auditor.games import FORMS

Document = dict[str, Any]
PLAY = {"type": "play", "seat": 0, "card": "7H"}
READER = log.Reader(FORMS)


def match(name: str = "m-1", **keys: Any) -> Document:
    """A sound match of four players; ``keys`` are further keys, or other values, of the match object."""
    return {
        "format": "match-log/1",
        "match": name,
        "ruleset": "tarneeb-classic",
        "players": [{"id": f"p{seat}"} for seat in range(4)],
        "events": [PLAY],
        **keys,
    }


def text(name: str = "m-1", **keys: Any) -> bytes:
    return json.dumps(match(name, **keys), ensure_ascii=False).encode()


def lines(*names: str) -> bytes:
    return b"".join(text(name) + b"\n" for name in names)


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zstandardized(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def read(data: bytes) -> log.Log | log.Unreadable:
    return READER.read(data, Place("a.json", 1, 0))


def accepted(data: bytes) -> log.Log:
    entry = read(data)
    assert isinstance(entry, log.Log), entry
    return entry


def refused(data: bytes) -> log.Unreadable:
    entry = read(data)
    assert isinstance(entry, log.Unreadable), entry
    return entry


def faults(data: bytes) -> list[tuple[str, str]]:
    """Clause and pointer of every diagnostic."""
    return [(fault.clause, fault.pointer) for fault in refused(data).diagnostics]


def summary(entries: Iterable[log.Log | log.Unreadable]) -> list[str]:
    """The id of each match that was read; for the others their clauses."""
    return [
        entry.match.match if isinstance(entry, log.Log) else " ".join(fault.clause for fault in entry.diagnostics)
        for entry in entries
    ]
