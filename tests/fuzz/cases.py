"""One damaged input after another, each made of two numbers alone: of a seed and of its place in the run.

In: a seed and a number. Out: a case, the same on every machine. Refuses to know what is to hold for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from . import byte_damage, event_damage, starts

Target = Literal["reader", "audit", "stream"]
#: In turns.
TARGETS: Sequence[Target] = ("audit", "reader", "audit", "stream", "audit", "reader")

Document = dict[str, Any]
#: Whether there is damage to what a log says, and to how it is written.
KINDS: Mapping[str, tuple[bool, bool]] = MappingProxyType(
    {"events": (True, False), "bytes": (False, True), "both": (True, True)}
)
#: Events of a match in a file, or before its form is damaged: to say what is wrong with a long one takes time.
SHORT = 6


@dataclass(frozen=True, slots=True)
class Case:
    """An input: what it is for, the kind of damage and the ways in their order, and the file that it is taken for."""

    target: Target
    kind: str
    damage: tuple[str, ...]
    name: str
    data: bytes


def case(seed: int, number: int) -> Case:
    """The input of that number in the run with that seed."""
    chance = Random(f"{seed}:{number}")
    target = TARGETS[number % len(TARGETS)]
    kind = chance.choice(("events",) * 8 + ("bytes", "both") if target == "audit" else tuple(KINDS))
    match target:
        case "audit":
            damage, data = _text(chance, kind, chance.choice((20, 60, 60, starts.LONGEST)) if kind == "events" else 20)
            return Case(target, kind, damage, "match.json", data)
        case "reader":
            damage, data = _text(chance, kind, SHORT)
            return Case(target, kind, damage, "match.json", data)
    return _file(chance, kind)


def _text(chance: Random, kind: str, longest: int) -> tuple[tuple[str, ...], bytes]:
    """One match, damaged."""
    has_events, has_bytes = KINDS[kind]
    names: tuple[str, ...] = ()
    if not has_events and starts.corpus() and chance.randrange(2):
        text = chance.choice(starts.corpus())
    else:
        matches = starts.matches()
        document = prefix(chance, chance.choice(matches[chance.choice(tuple(matches))]), longest)
        if has_events:
            names, document = _damaged(chance, document, longest)
        text = written(document)
    if has_bytes:
        ways = [chance.choice(tuple(byte_damage.WAYS)) for _ in range(chance.choice((1, 1, 1, 2, 4)))]
        text = byte_damage.damaged(chance, text, texts(), [byte_damage.WAYS[way] for way in ways])
        names += tuple(ways)
    return names, text


def _damaged(chance: Random, document: Document, longest: int) -> tuple[tuple[str, ...], Document]:
    """Damage to the form comes last: nothing else can be done with what is left then."""
    is_short = longest <= SHORT
    well_formed = [name for name in event_damage.WELL_FORMED if not (is_short and name == "repeat")]
    ill_formed = tuple(event_damage.ILL_FORMED)
    names = tuple(chance.choice(well_formed) for _ in range(chance.choice((1, 1, 1, 2, 3, 6))))
    if len(document["events"]) <= SHORT and chance.randrange(2 if is_short else 8) == 0:
        names = (*names[1:], chance.choice(ill_formed))
    ways = {**event_damage.WELL_FORMED, **event_damage.ILL_FORMED}
    return names, event_damage.damaged(chance, document, documents(), [ways[name] for name in names])


def _file(chance: Random, kind: str) -> Case:
    """One match or two in a container, which may be packed, and may be damaged once more as a whole."""
    _, has_bytes = KINDS[kind]
    names: tuple[str, ...] = ()
    matches = []
    for _ in range(chance.choice((1, 1, 2))):
        damage, text = _text(chance, kind if chance.randrange(2) else "events", 3)
        names += damage
        matches.append(text)
    container, packing = chance.choice(tuple(byte_damage.CONTAINERS)), chance.choice(tuple(byte_damage.PACKINGS))
    data = byte_damage.CONTAINERS[container](matches)
    for pack in (bytes, byte_damage.PACKINGS[packing]):
        data = pack(data)
        if has_bytes and chance.randrange(2):
            way = chance.choice(tuple(byte_damage.WAYS))
            data = byte_damage.damaged(chance, data, texts(), [byte_damage.WAYS[way]])
            names += (way,)
    return Case("stream", kind, names, f"matches{container}{packing}", data)


def prefix(chance: Random, document: Document, longest: int) -> Document:
    """The beginning of a match, of so many events at most; sometimes what comes after a later deal."""
    log = document["events"]
    if len(log) > longest and chance.randrange(4) == 0:
        later = [at for at, event in enumerate(log) if event["type"] in ("deal", "round")]
        log = log[chance.choice(later or [0]) :]
    return {**document, "events": log[: chance.randrange(1, 1 + min(longest, len(log)))]}


def written(document: Document) -> bytes:
    """The document as a log; what UTF-8 cannot say is written as an escape."""
    try:
        return msgspec.json.encode(document)
    except UnicodeEncodeError:
        return json.dumps(document, separators=(",", ":")).encode()


@cache
def documents() -> Sequence[Document]:
    """What is there to take events from: all starts, of every ruleset."""
    return tuple(match for matches in starts.matches().values() for match in matches)


@cache
def texts() -> Sequence[bytes]:
    """What is there to take stretches from: the first events of all starts, and the corpus."""
    short = (written({**match, "events": match["events"][:SHORT]}) for match in documents())
    return (*short, *starts.corpus())
