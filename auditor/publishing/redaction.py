"""Redaction: a log without what tells who played it.

In: a log, and the terms under which it is published. Out: the same match as a log under other names, and which fields
were dropped or changed. Refuses to know what becomes of it.

What the rules look at stays as it is: deals, calls, cards, claims, who moved for a player whose clock ran out. Notes
go, and with them the events after them move up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote

import msgspec

from auditor.errors import Place
from auditor.games import FORMS
from auditor.log import Log, Reader
from auditor.publishing.names import Names

#: ``day`` keeps the day that the log names and no hour; ``exact`` all times, those of events too; ``none`` none.
Times: TypeAlias = Literal["day", "exact", "none"]
#: Whether matches keep the ids that the platform gave them.
MatchIds: TypeAlias = Literal["keep", "replace"]
Act: TypeAlias = Literal["dropped", "replaced", "cut to the day"]

_DAY = len("2026-01-01")
_MIDNIGHT = "T00:00:00Z"
#: A shorter id or name than this stands in other words by chance.
_SHORTEST_WORD, _SHORTEST_PART = 3, 5
#: The parts of a name that may stand alone.
_PART = re.compile(r"[^\W_]{3,}")
#: What serial numbers of devices look like: a UUID, a MAC address, fifteen digits, a long string of hexadecimal digits.
_DEVICE = re.compile(
    r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|\d{15}"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}",
    re.IGNORECASE,
)
#: The same without the digits that a build is called by as well: that of a commit.
_SERIAL = re.compile(_DEVICE.pattern.rpartition("|")[0], re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a field: its JSON pointer, with ``*`` for an index, and what became of it."""

    field: str
    act: Act
    reason: str


#: Every change that there can be, in the order of a log.
_ID = Change("/players/*/id", "replaced", "it tells who played")
_ERASURE = Change("/players/*/id", "replaced", "the player asked to be erased")
_NAME = Change("/players/*/name", "dropped", "it tells who played")
_MATCH = Change("/match", "replaced", "as was asked for")
_MATCH_NAMES = Change("/match", "replaced", "it holds the id or the name of a player")
_EXTRA = Change("/extra", "dropped", "it may hold anything")
_NOTE = Change("/events/*", "dropped", "a note may hold anything")
_START_DAY = Change("/started", "cut to the day", "the hour may tell who played")
_END_DAY = Change("/ended", "cut to the day", "the hour may tell who played")
_START = Change("/started", "dropped", "as was asked for")
_END = Change("/ended", "dropped", "as was asked for")
_AT = Change("/events/*/at", "dropped", "the times of moves may tell who played")
_SHUFFLE = Change("/shuffle", "dropped", "its client seed holds the id or the name of a player")
_PRODUCER = {
    key: Change(f"/producer/{key}", "dropped", "it holds the id or the name of a player, or the number of a device")
    for key in ("version", "build", "platform")
}
_PRODUCER_WHOLE = Change(
    "/producer", "dropped", "its name holds the id or the name of a player, or the number of a device"
)
#: Keys of events with words of the log format, and such words elsewhere.
_FIXED = ("type", "by", "at")
_WORDS = ("stock", "discard", "belote", "rebelote")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A log as it is published, and each change with how often it was made."""

    log: Log
    changes: Mapping[Change, int]


class Redaction:
    """The terms of one edition, applied to log after log."""

    def __init__(self, names: Names, times: Times = "day", match_ids: MatchIds = "keep") -> None:
        self._names = names
        self._times = times
        self._match_ids = match_ids
        self._erased = _Telling(names.erased)
        #: Those of the erased who played in a log.
        self.erased: set[str] = set()
        self._reader = Reader(FORMS)

    def __call__(self, log: Log) -> Redacted | None:
        """The log as it is published; ``None`` where a move itself names a player, so that no log would be left."""
        document: dict[str, Any] = msgspec.json.decode(log.canonical)
        telling = _Told(_of_players(document["players"]), self._erased)
        if any(telling.is_in(text) for text in _free_texts(document)):
            return None
        self.erased.update(player["id"] for player in document["players"] if player["id"] in self._names.erased)
        changes: dict[Change, int] = {}
        for change in self._redact(document, telling):
            changes[change] = changes.get(change, 0) + 1
        entry = self._reader.read(_ENCODER.encode(document), Place("", 1, 0))
        assert isinstance(entry, Log), "what is left of a log is a log"
        return Redacted(entry, changes)

    def _redact(self, document: dict[str, Any], telling: _Told) -> Iterator[Change]:
        """Changes a match object where it stands, and tells each change."""
        yield from self._players(document["players"])
        if document.pop("extra", None) is not None:
            yield _EXTRA
        yield from self._producer(document, telling)
        if "shuffle" in document and telling.is_in(document["shuffle"]["client_seed"]):
            del document["shuffle"]
            yield _SHUFFLE
        yield from self._moments(document)
        yield from self._events(document)
        is_named = telling.is_in(document["match"])
        if is_named or self._match_ids == "replace":
            match_id = document.pop("match")
            document["match"] = self._names.match(match_id, _ENCODER.encode(document))
            yield _MATCH_NAMES if is_named else _MATCH

    def _players(self, players: list[dict[str, Any]]) -> Iterator[Change]:
        for seat, player in enumerate(players):
            yield _ERASURE if player["id"] in self._names.erased else _ID
            player["id"] = self._names.player(player["id"], seat)
            if player.pop("name", None) is not None:
                yield _NAME

    def _producer(self, document: dict[str, Any], telling: _Told) -> Iterator[Change]:
        producer = document.get("producer")
        if producer is None:
            return
        if telling.is_in(producer["name"]) or _SERIAL.search(producer["name"]):
            del document["producer"]
            yield _PRODUCER_WHOLE
            return
        for key, change in _PRODUCER.items():
            text = producer.get(key, "")
            if telling.is_in(text) or (_DEVICE if key == "platform" else _SERIAL).search(text):
                del producer[key]
                yield change

    def _moments(self, document: dict[str, Any]) -> Iterator[Change]:
        for key, dropped, cut in (("started", _START, _START_DAY), ("ended", _END, _END_DAY)):
            moment = document.get(key)
            if moment is None or self._times == "exact":
                continue
            if self._times == "none":
                del document[key]
                yield dropped
            elif moment != moment[:_DAY] + _MIDNIGHT:
                document[key] = moment[:_DAY] + _MIDNIGHT
                yield cut

    def _events(self, document: dict[str, Any]) -> Iterator[Change]:
        events = document["events"]
        document["events"] = [event for event in events if event["type"] != "note"]
        for _ in range(len(events) - len(document["events"])):
            yield _NOTE
        if self._times != "exact":
            for event in document["events"]:
                if event.pop("at", None) is not None:
                    yield _AT


class _Telling:
    """Ids, names and parts of names: what must not stand in a text that is kept."""

    def __init__(self, texts: Iterable[str]) -> None:
        told = {_bare(text) for text in texts}
        words = [re.escape(text) for text in sorted(told) if len(text) >= _SHORTEST_WORD]
        parts = [re.escape(text) for text in sorted(told) if len(text) >= _SHORTEST_PART]
        patterns = [*parts, *(rf"(?<![^\W_]){word}(?![^\W_])" for word in words)]
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def is_in(self, text: str) -> bool:
        """Whether one of them stands in a text, as a word or, if it is long, as a part of one."""
        return self._pattern is not None and self._pattern.search(_bare(text)) is not None


class _Told:
    """What tells of the players of one match, and of those who shall not be told of anywhere."""

    def __init__(self, players: Iterable[str], erased: _Telling) -> None:
        self._of_players = _Telling(players)
        self._erased = erased

    def is_in(self, text: str) -> bool:
        return self._of_players.is_in(text) or self._erased.is_in(text)


def _of_players(players: list[dict[str, Any]]) -> Iterator[str]:
    """The ids and names of players, and what a device or a table may be called after: a part of a name, a mailbox."""
    for player in players:
        name = player.get("name", "")
        mailbox, at, _ = player["id"].partition("@")
        yield from (player["id"], name)
        for text in (name, mailbox if at else ""):
            yield from (part for part in _PART.findall(_bare(text)) if not part.isdigit())


def _bare(text: str) -> str:
    """A text without what spellings of one name differ in: case, width, marks, what cannot be seen, URL escapes."""
    signs = unicodedata.normalize("NFKD", unquote(text)).casefold().replace("\u0640", "")
    return "".join(sign for sign in signs if unicodedata.category(sign) not in ("Mn", "Me", "Cf"))


def _free_texts(document: dict[str, Any]) -> Iterator[str]:
    """The texts that the rules look at and that are no word of the log format; other packages' games have some too."""
    pending: list[object] = [document.get("options")]
    for event in document["events"]:
        if event["type"] != "note":
            pending.extend(value for key, value in event.items() if key not in _FIXED)
    while pending:
        match pending.pop():
            case str(text) if len(text) >= _SHORTEST_WORD and text not in _WORDS:
                yield text
            case list(values):
                pending.extend(values)
            case dict(values):
                pending.extend(values.values())


_ENCODER = msgspec.json.Encoder(order="sorted")
