"""A large archive to measure pages on: generated matches of every ruleset, audited and loaded.

In: a path and a number of matches. Out: a database with several builds over a season, a share of matches with a
planted fault, some that two auditors saw differently, some that share an id, and some lines that are no match log;
the same each time. Refuses to know what is measured on it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from auditor import __version__, faults, generate, rulebook
from auditor.audit import Entry, verdict_on
from auditor.errors import Place
from auditor.game import Game
from auditor.games import FORMS, GAMES
from auditor.log import Log, Reader
from auditor.store import Audited, Auditor, Store
from auditor.verdict import status

#: Of a hundred matches, how many are of each ruleset, and the options that keep them short.
_SHARES: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "tarneeb-masrawi": (20, {"rounds": 1}),
    "tarneeb-masrawi-dakak": (4, {}),
    "tarneeb-classic": (18, {}),
    "belote-contree": (20, {}),
    "rami-tounsi": (15, {"target": 1}),
    "three-stones": (21, {}),
    "twenty-nine": (2, {}),
}
_VERSIONS = ("2.3.0", "2.3.1", "2.4.0", "2.4.1", "2.5.0")
_BUILDS = [
    {"name": "table-app", "version": version, "build": str(700 + 10 * number), "platform": platform}
    for number, version in enumerate(_VERSIONS)
    for platform in ("android", "ios", "web")
] + [{"name": "match-server", "version": str(number)} for number in range(7, 10)]
_FIRST_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_DAY_COUNT, _PLAYER_COUNT = 120, 20_000
#: One match in so many has a fault, bears an id that came before, was first seen by an earlier auditor; one line in
#: so many is no match log.
_FAULTY, _SAME_ID, _SEEN_EARLIER, _UNREADABLE = 6, 500, 10, 400
_PORTION = 2000
EARLIER, NOW = Auditor("0.0.1", "sha256:0000000000000000"), Auditor(__version__, rulebook.digest())


def build(path: Path, match_count: int) -> None:
    """Makes the database at ``path`` if it is not there; it takes about ten milliseconds a match."""
    if path.exists():
        return
    half_done = path.with_name(f"{path.name}.part")
    half_done.unlink(missing_ok=True)
    with Store.open(half_done) as store:
        lines = _lines(match_count)
        for start in range(0, match_count, _PORTION):
            entries = [
                _read(start + at, line) for at, (_, line) in enumerate(zip(range(_PORTION), lines, strict=False))
            ]
            store.load(_earlier(entries), EARLIER, ["archive.ndjson"])
            store.load(((_log(entry), verdict_on(entry)) for entry in entries), NOW, ["archive.ndjson"])
            print(f"\r{path.name}: {start + len(entries)} of {match_count} matches", end="", file=sys.stderr)
    print(file=sys.stderr)
    half_done.rename(path)


_READER = Reader(FORMS)


def _read(number: int, line: bytes) -> Entry:
    return _READER.read(line, Place("archive.ndjson", number + 1, 0))


def _log(entry: Entry) -> Log | None:
    return entry if isinstance(entry, Log) else None


def _earlier(entries: list[Entry]) -> Iterator[Audited]:
    """What an auditor said who knew no rules: some of the matches have no fault."""
    for entry in entries[::_SEEN_EARLIER]:
        opinion = verdict_on(entry)
        if isinstance(entry, Log):
            yield entry, replace(opinion, findings=(), status=status((), opinion.over))


def _lines(match_count: int) -> Iterator[bytes]:
    """The lines of the archive, in no order of ruleset, build or day."""
    chance = Random(1)
    sources = {
        ruleset: (share, _faulty(GAMES[ruleset], generate.matches(GAMES[ruleset], None, 1, options)))
        for ruleset, (share, options) in _SHARES.items()
    }
    shares = [share for share, _ in sources.values()]
    for number in range(match_count):
        [(_, matches)] = chance.choices(list(sources.values()), shares)
        document = next(matches)
        start = _FIRST_DAY + timedelta(minutes=chance.randrange(_DAY_COUNT * 24 * 60))
        document |= {"players": _players(len(document["players"]), chance)}
        document |= {"started": start.isoformat().replace("+00:00", "Z")}
        document |= {"ended": (start + timedelta(minutes=25)).isoformat().replace("+00:00", "Z")}
        del document["producer"]
        if chance.random() < 0.95:
            document["producer"] = chance.choices(_BUILDS, range(1, len(_BUILDS) + 1))[0]
        if number % _SAME_ID == _SAME_ID - 1:
            document["match"] = "three-stones-1:0"
        if number % _UNREADABLE == _UNREADABLE - 1:
            document["events"][0] = {"type": "no such event"}
        yield msgspec.json.encode(document)


def _faulty(game: Game, matches: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The matches, some of them with a fault in place of none."""
    kinds = list(faults.faults_of(game.id))
    for number, document in enumerate(matches):
        found = None
        if number % _FAULTY == 0:
            found = faults.plant(game, document, kinds[number // _FAULTY % len(kinds)], Random(number))
        yield dict(document) if found is None else dict(found.document)


def _players(seat_count: int, chance: Random) -> list[dict[str, Any]]:
    """A few play much, most play little."""
    numbers: set[int] = set()
    while len(numbers) < seat_count:
        numbers.add(int(_PLAYER_COUNT * chance.random() ** 3))
    names = generate.PLAYERS
    return [{"id": f"player-{number:05}", "name": f"{names[number % len(names)]} {number}"} for number in numbers]
