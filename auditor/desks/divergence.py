"""A divergence: the first event in which two logs of one match part, and who is right there by the rules.

In: the logs of two builds. Out: pairs of logs of the same match; of each pair that parts, both events with the tables
before them; groups of divergences with the same cause. Refuses to know rules: who is right is asked of the replay.

When an event happened and whether a player, a bot or the clock made it is no difference. Neither are notes, nor claims
that only one of the logs makes.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import IO, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from auditor import events
from auditor.audit import verdict_on
from auditor.desks.baseline import accusing
from auditor.desks.telling import agree, facts_of
from auditor.errors import Place
from auditor.games import FORMS, GAMES
from auditor.log import Log, Reader
from auditor.position import Position, before
from auditor.stage import word_for
from auditor.verdict import Finding, Verdict

#: Who is right: the first log, the second, both, neither; or nobody can say, since the deal is broken there.
Right: TypeAlias = Literal["one", "other", "both", "neither", "unjudged"]

#: A claim that one log makes and the other does not comes before those behind it here.
_CLAIMS = (events.TrickClaim, *events.SCORE_CLAIMS, *events.RESULT_CLAIMS)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two logs where they part: the event's index (one past the last where the log ends), and the table."""

    log: Log
    verdict: Verdict
    index: int
    table: Position

    @property
    def event(self) -> Any:
        """The event, or ``None`` where the log ends."""
        found = self.log.match.events
        return found[self.index] if self.index < len(found) else None

    @property
    def kind(self) -> str:
        """What kind of event it is; ``end`` where the log ends."""
        return "end" if self.event is None else word_for(type(self.event))

    @property
    def faults(self) -> list[Finding]:
        """What the event is accused of."""
        return [finding for finding in accusing(self.verdict) if finding.event == self.index]


@dataclass(frozen=True, slots=True)
class Cause:
    """What divergences of a group have in common.

    ``kinds`` are those of both events, ``facts`` the names of what differs, ``clauses`` what is broken by either.
    """

    ruleset: str
    kinds: tuple[str, str]
    facts: tuple[str, ...]
    right: Right
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two logs of a match part; ``facts`` names what differs of the event, or of the head."""

    one: Side
    other: Side
    facts: tuple[str, ...]

    @property
    def right(self) -> Right:
        """Who is right by the rules."""
        if self.one.table.is_broken or self.other.table.is_broken:
            return "unjudged"
        is_wrong = bool(self.one.faults), bool(self.other.faults)
        by_fault: dict[tuple[bool, bool], Right] = {
            (False, False): "both",
            (True, True): "neither",
            (False, True): "one",
            (True, False): "other",
        }
        return by_fault[is_wrong]

    @property
    def cause(self) -> Cause:
        clauses = sorted({fault.clause for side in (self.one, self.other) for fault in side.faults})
        kinds = self.one.kind, self.other.kind
        return Cause(self.one.log.match.ruleset, kinds, self.facts, self.right, tuple(clauses))


@dataclass(frozen=True, slots=True)
class Group:
    """Divergences with one cause: how many, and the first of them."""

    cause: Cause
    count: int
    example: Divergence


@dataclass(slots=True)
class Tally:
    """Counts pairs and forms groups, pair by pair."""

    same: int = 0
    parted: int = 0
    _groups: dict[Cause, Group] = field(default_factory=dict)

    def add(self, divergence: Divergence | None) -> None:
        if divergence is None:
            self.same += 1
            return
        self.parted += 1
        group = self._groups.get(divergence.cause, Group(divergence.cause, 0, divergence))
        self._groups[divergence.cause] = replace(group, count=group.count + 1)

    def groups(self) -> list[Group]:
        """The larger ones first, and then by name."""
        return sorted(self._groups.values(), key=lambda group: (-group.count, msgspec.json.encode(group.cause)))


def divergence(one: Log, other: Log) -> Divergence | None:
    """Where two logs of a match part, or ``None`` where they tell the same."""
    verdicts = verdict_on(one), verdict_on(other)
    if verdicts[0].options != verdicts[1].options:
        return _divergence((one, other), verdicts, (0, 0), ("options",))
    ours, theirs = one.match.events, other.match.events
    at, there = 0, 0
    while True:
        at, there = _past_notes(ours, at), _past_notes(theirs, there)
        event = ours[at] if at < len(ours) else None
        counterpart = theirs[there] if there < len(theirs) else None
        if event is None and counterpart is None:
            return None
        facts = _differing(event, counterpart)
        if not facts:
            at, there = at + 1, there + 1
        elif _rank(event) < _rank(counterpart):
            at += 1
        elif _rank(counterpart) < _rank(event):
            there += 1
        else:
            return _divergence((one, other), verdicts, (at, there), facts)


def _divergence(
    logs: tuple[Log, Log], verdicts: tuple[Verdict, Verdict], indexes: tuple[int, int], facts: tuple[str, ...]
) -> Divergence:
    one, other = (
        Side(log, verdict, index, before(GAMES[log.match.ruleset], log.match, index))
        for log, verdict, index in zip(logs, verdicts, indexes, strict=True)
    )
    return Divergence(one, other, facts)


def _past_notes(log: Any, index: int) -> int:
    while index < len(log) and isinstance(log[index], events.Note):
        index += 1
    return index


def _differing(one: Any, other: Any) -> tuple[str, ...]:
    """The names of what two events do not agree in; nothing but their kind where that differs."""
    if one is None or other is None or type(one) is not type(other):
        return ("type",)
    told, heard = facts_of(one), facts_of(other)
    names = (name for name in {**told, **heard} if not agree(name, told.get(name), heard.get(name)))
    return tuple(dict.fromkeys(name.partition(".")[0] for name in names))


def _rank(event: Any) -> int:
    """Claims may be left out, the trick's sooner than the match's; nothing else may."""
    return _CLAIMS.index(type(event)) if isinstance(event, _CLAIMS) else len(_CLAIMS)


# --- Pairs ------------------------------------------------------------------------------------------------------------


class Pairs:
    """Pairs the logs of the same match out of two heaps: those of one id, or else of one shuffle and its options.

    Logs lie in files that are gone with the process, so that only their names are held. ``lonely`` counts, once the
    pairs are all told, what is in one heap only.
    """

    def __init__(self, ours: Iterable[Log], theirs: Iterable[Log]) -> None:
        self.lonely = (0, 0)
        self._ours, self._theirs = ours, theirs

    def __iter__(self) -> Iterator[tuple[Log, Log]]:
        with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as other_file:
            ours, left = _Shelf(_name, file), _Shelf(_shuffle, other_file)
            for log in self._ours:
                ours.put(log)
            for log in self._theirs:
                found = ours.take(log)
                if found is not None:
                    yield found, log
                else:
                    left.put(log)
            lonely = 0
            for log in ours:
                found = left.take(log)
                if found is not None:
                    yield log, found
                else:
                    lonely += 1
            self.lonely = lonely, sum(1 for _ in left)


class _Shelf:
    """Logs, each to be taken once by something that it has in common with another one."""

    def __init__(self, label: Callable[[Log], Hashable], file: IO[bytes]) -> None:
        self._label = label
        self._file = file
        self._reader = Reader(FORMS)
        self._spots: dict[Hashable, list[tuple[int, int, Place]]] = defaultdict(list)

    def put(self, log: Log) -> None:
        start = self._file.seek(0, 2)
        self._file.write(log.canonical)
        self._spots[self._label(log)].append((start, len(log.canonical), log.place))

    def take(self, like: Log) -> Log | None:
        """The first log with the label of this one that was not taken."""
        spots = self._spots.get(self._label(like))
        return self._read(*spots.pop(0)) if spots else None

    def __iter__(self) -> Iterator[Log]:
        """What was not taken, in the order in which it came."""
        for spot in sorted((spot for spots in self._spots.values() for spot in spots), key=lambda spot: spot[0]):
            yield self._read(*spot)

    def _read(self, start: int, length: int, place: Place) -> Log:
        self._file.seek(start)
        log = self._reader.read(self._file.read(length), place)
        assert isinstance(log, Log)
        return log


def _name(log: Log) -> Hashable:
    return log.match.ruleset, log.match.match


def _shuffle(log: Log) -> Hashable:
    """What decides the cards, and what is played for; a log without a proof is like itself only."""
    match = log.match
    if match.shuffle is UNSET:
        return log.digest, log.place.file, log.place.offset
    given = {} if match.options is UNSET else msgspec.to_builtins(match.options)
    options = msgspec.json.encode({**GAMES[match.ruleset].options, **given}, order="sorted")
    return match.ruleset, len(match.players), match.shuffle.server_seed.lower(), match.shuffle.client_seed, options
