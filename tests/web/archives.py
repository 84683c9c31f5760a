"""Audit databases for the pages to show.

In: match logs, as files or as documents. Out: the path of a database that holds them with their verdicts. Refuses to
know what is shown of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from auditor import __version__, rulebook
from auditor.audit import Entry, audited, verdict_on
from auditor.games import FORMS
from auditor.log import Unreadable, read_bytes
from auditor.store import Auditor, Store
from auditor.verdict import Verdict
from tests.golden import FIXTURES

#: What somebody may write into a log: markup, quotes, templates, addresses, long words, signs that turn a line round.
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "' onmouseover='alert(3)' x='",
    "</script><script>alert(4)</script><!--",
    "javascript:alert(5)",
    "{{ 7 * 7 }}{% raise %}",
    "a/b/../c?d=e&f=g#h",
    "%2F%00%3Cscript%3E;--",
    "\u202egnp.cod\u2066",
    "two\nlines\tand\u0007more",
    "x" * 200,
    "طويل" * 50,
)
#: A point of a board has ten characters at most.
_HOSTILE_POINT = "<b>d1</b>"


def of_the_fixtures(path: Path) -> Path:
    """A new database at ``path`` with every fixture of every ruleset."""
    return _loaded(path, audited([str(FIXTURES)]))


def of_documents(path: Path, documents: Iterable[dict[str, Any]], file: str = "sent.json") -> Path:
    """A database at ``path`` with these matches, beside those that it has already."""
    entries = (read_bytes(msgspec.json.encode(document), FORMS, file) for document in documents)
    return _loaded(path, ((entry, verdict_on(entry)) for entry in entries))


def of_hostile_logs(path: Path) -> Path:
    """A database at ``path`` of matches, and of a log that is none, with such texts wherever a log has text."""
    return of_documents(path, _hostile_logs(), file="<svg onload=alert(6)>.json")


def hostile_lines() -> bytes:
    """The same logs, one a line."""
    return b"".join(msgspec.json.encode(document) + b"\n" for document in _hostile_logs())


def fixture(name: str) -> dict[str, Any]:
    """The log of a fixture, such as ``tarneeb-classic/fault-revoke``."""
    document: dict[str, Any] = msgspec.json.decode((FIXTURES / f"{name}.json").read_bytes())
    return document


def _hostile_logs() -> list[dict[str, Any]]:
    names = itertools.cycle(HOSTILE)
    rulesets = itertools.cycle(
        ["tarneeb-classic/fault-revoke", "rami-tounsi/fault-low-opening", "three-stones/fault-no-such-point"]
    )
    documents = []
    for text in HOSTILE:
        document = fixture(next(rulesets))
        for event in document["events"]:
            if event.get("to") == "d1":
                event["to"] = _HOSTILE_POINT
        for player in document["players"]:
            player |= {"id": next(names), "name": next(names)}
        document |= {
            "match": text,
            "producer": {key: next(names) for key in ("name", "version", "build", "platform")},
            "extra": {text: text},
            "events": [*document["events"], {"type": "note", "text": text, next(names): [text]}],
        }
        documents.append(document)
    documents.append({**documents[0], "events": [{"type": HOSTILE[0], HOSTILE[1]: HOSTILE[2]}]})
    return documents


def _loaded(path: Path, entries: Iterable[tuple[Entry, Verdict]]) -> Path:
    rows = ((None if isinstance(entry, Unreadable) else entry, verdict) for entry, verdict in entries)
    with Store.open(path) as store:
        store.load(rows, Auditor(__version__, rulebook.digest()), ["fixtures"])
    return path
