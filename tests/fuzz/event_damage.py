"""Damage to what a log says: events, seats, cards, numbers, claims, options, players.

In: a source of chance, a document, other documents to take things from. Out: another document; the one given is left as
it was. Refuses to know any ruleset. Most of what comes out is well-formed, so that it goes on to the rules.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

Document = dict[str, Any]
Event = dict[str, Any]
Damage = Callable[[Random, Document, Sequence[Document]], Document]

_FARTHEST = 2**53 - 1
_SEAT_KEYS = ("seat", "dealer", "winner", "first")
_CARD_KEYS = ("card", "upcard", "suit", "trump", "point", "from", "to", "announce")
_NUMBER_KEYS = ("tricks", "points", "meld", "at")
# fmt: off
_NUMBERS = (0, 1, -1, 2, 5, 7, 13, 14, 16, 28, 29, 80, 95, 162, 250, 1000, -1000, _FARTHEST, -_FARTHEST)
_STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 4, 2.0, -0.0, 1e16, 2**53, 10**30, "", "7h", "??", "JK", "JK:8H", "NT", [], {}, [[]],
    "2024-05-01", "\x00", "\u202e", "\ud800", "a" * 300, [1, 2, 3], {"id": "x"},
)
# fmt: on


def _some(chance: Random, log: Sequence[Any]) -> int:
    """The index of one event; every third time of one that is no card played and no trick, if there is one."""
    turning = [at for at, event in enumerate(log) if event.get("type") not in ("play", "trick")]
    return chance.choice(turning) if turning and chance.randrange(3) == 0 else chance.randrange(len(log))


def _with(document: Document, log: Sequence[Any]) -> Document:
    return {**document, "events": list(log)}


def _changed(document: Document, at: int, event: Event) -> Document:
    log = document["events"]
    return _with(document, [*log[:at], event, *log[at + 1 :]])


def _one_of(chance: Random, others: Sequence[Document]) -> Event:
    log = chance.choice(others)["events"]
    return dict(log[_some(chance, log)]) if log else {"type": "note"}


# --- Events go, come, and change places -----------------------------------------------------------------------------


def drop(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    log = document["events"]
    at = _some(chance, log)
    return _with(document, log[:at] + log[at + chance.choice((1, 1, 1, 2, 5, 60)) :])


def double(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    log = document["events"]
    at = _some(chance, log)
    stretch = log[at : at + chance.choice((1, 1, 1, 2, 8, 60))]
    return _with(document, log[:at] + stretch + log[at:])


def swap(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    log = list(document["events"])
    at = _some(chance, log)
    other = chance.choice((max(0, at - 1), _some(chance, log)))
    log[at], log[other] = log[other], log[at]
    return _with(document, log)


def move(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    log = list(document["events"])
    event = log.pop(_some(chance, log))
    log.insert(chance.randrange(len(log) + 1), event)
    return _with(document, log)


def cut(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    log = document["events"]
    at = chance.randrange(len(log) + 1)
    return _with(document, log[:at] if chance.randrange(3) else log[at:])


def insert(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """An event of another place, or of another match of the same ruleset."""
    return strange(chance, document, [other for other in others if other["ruleset"] == document["ruleset"]])


def repeat(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """The whole log, or a stretch of it, many times; seldom thousands of events."""
    log = document["events"]
    at = _some(chance, log)
    stretch = log[at : at + chance.choice((1, 2, 10, 100))]
    most = 10 if chance.randrange(20) else chance.choice((100, 100, 100, 2200))
    return _with(document, (log[:at] + stretch * (1 + most // len(stretch)) + log[at:])[:2400])


# --- What one event says ----------------------------------------------------------------------------------------------


def seat(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    at = _some(chance, document["events"])
    event = document["events"][at]
    keys = [key for key in _SEAT_KEYS if key in event]
    if not keys:
        return document
    return _changed(document, at, {**event, chance.choice(keys): _seat(chance, len(document["players"]))})


def _seat(chance: Random, count: int) -> int | None:
    return chance.randrange(count) if chance.randrange(20) else chance.choice((None, 4, -1))


def card(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """Another card, suit or point, out of the same log or out of another."""
    at = _some(chance, document["events"])
    event = document["events"][at]
    if isinstance(event.get("cards"), list) and event["cards"]:
        return _changed(document, at, {**event, "cards": _cards(chance, event["cards"])})
    keys = [key for key in _CARD_KEYS if key in event]
    if not keys:
        return document
    key = chance.choice(keys)
    log = document["events"] if chance.randrange(4) else chance.choice(others)["events"]
    values = [other[key] for other in log if key in other]
    return _changed(document, at, {**event, key: chance.choice(values)}) if values else document


def _cards(chance: Random, cards: Sequence[Any]) -> list[Any]:
    """The cards with one gone, twice, as a joker, unseen, or in another place."""
    at = chance.randrange(len(cards))
    kept = [*cards[:at], *cards[at + 1 :]]
    match chance.randrange(6):
        case 0:
            return kept
        case 1:
            return [*cards, cards[at]]
        case 2:
            return [*kept, "JK"]
        case 3:
            return [*kept, f"JK:{cards[at]}"]
        case 4:
            return [*kept, "??"]
    return [cards[at], *kept]


def hands(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """A deal in which cards lie elsewhere, are gone, there twice or unseen, or a hand is missing."""
    deals = [at for at, event in enumerate(document["events"]) if isinstance(event.get("hands"), list)]
    if not deals:
        return document
    at = chance.choice(deals)
    event = document["events"][at]
    dealt = [list(hand) for hand in event["hands"]]
    if not dealt or chance.randrange(8) == 0:
        key = chance.choice(("stock", "upcard"))
        return _changed(document, at, {name: value for name, value in event.items() if name != key})
    giver, taker = chance.randrange(len(dealt)), chance.randrange(len(dealt))
    match chance.randrange(6):
        case 0:
            dealt[taker] += dealt[giver][:1]
        case 1:
            dealt[taker] += dealt[giver][:1]
            dealt[giver] = dealt[giver][1:]
        case 2:
            dealt.pop(taker)
        case 3:
            dealt[taker] = ["??"] * len(dealt[taker])
        case 4:
            dealt = [hand if number == taker else ["??"] * len(hand) for number, hand in enumerate(dealt)]
        case _:
            dealt[taker] = _cards(chance, dealt[taker]) if dealt[taker] else ["JK"]
    return _changed(document, at, {**event, "hands": dealt})


def number(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    at = _some(chance, document["events"])
    event = document["events"][at]
    keys = [key for key in _NUMBER_KEYS if key in event]
    return _changed(document, at, {**event, chance.choice(keys): chance.choice(_NUMBERS)}) if keys else document


def claim(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """A trick, score or result that claims something else; or a score where perhaps none belongs."""
    log = document["events"]
    claims = [at for at, event in enumerate(log) if event.get("type") in ("trick", "score", "result")]
    if not claims or chance.randrange(6) == 0:
        at = chance.randrange(len(log) + 1)
        sides = _side_count(document, others)
        claimed = {key: [chance.choice(_NUMBERS) for _ in range(sides)] for key in ("deal", "total")}
        return _with(document, [*log[:at], {"type": "score", **claimed}, *log[at:]])
    at = chance.choice(claims)
    event = dict(log[at])
    for key, value in event.items():
        if isinstance(value, list) and value and chance.randrange(2):
            changed = list(value)
            changed[chance.randrange(len(changed))] = chance.choice(_NUMBERS)
            event[key] = changed
        elif key == "winner" and chance.randrange(2):
            event[key] = chance.choice((None, 0, 1, 2, 3))
    return _changed(document, at, event)


def _side_count(document: Document, others: Sequence[Document]) -> int:
    """How many numbers a score has, going by other matches of as many players."""
    alike = [
        other
        for other in others
        if (other["ruleset"], len(other["players"])) == (document["ruleset"], len(document["players"]))
    ]
    return next((len(event["total"]) for other in alike for event in other["events"] if "total" in event), 2)


def mark(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """Refused, or by the clock; perhaps before the same once more."""
    log = document["events"]
    at = _some(chance, log)
    marks: Event = chance.choice(
        ({"refused": True}, {"by": "timeout"}, {"by": "bot"}, {"refused": True, "by": "timeout"})
    )
    marked = {**log[at], **marks}
    kept = log[at:] if chance.randrange(2) else log[at + 1 :]
    return _with(document, [*log[:at], marked, *kept])


# --- The match around the events --------------------------------------------------------------------------------------


def options(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """One option less, one more as another match of the ruleset has it, or an odd number for one."""
    given = dict(document.get("options") or {})
    known = [
        item for other in others if other["ruleset"] == document["ruleset"] for item in other.get("options", {}).items()
    ]
    match chance.randrange(5):
        case 0 if given:
            del given[chance.choice(list(given))]
        case 1 if known:
            given[chance.choice(known)[0]] = chance.choice(_NUMBERS)
        case _ if known:
            given |= [chance.choice(known)]
    return {**document, "options": given}


def players(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    seated = list(document.get("players") or ())
    match chance.randrange(4):
        case 0:
            seated = seated[:-1]
        case 1:
            seated = [*seated, {"id": "one more"}]
        case 2:
            seated = list(chance.choice(others).get("players") or ())
        case _:
            seated = [*seated[1:], {"id": seated[0]["id"] if seated else "", "name": "\u202eاسم\x07"}]
    return {**document, "players": seated}


def ruleset(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """The events of one ruleset under the name of another."""
    other = chance.choice(others)
    return {**document, "ruleset": other.get("ruleset"), "options": other.get("options", {})}


def shuffle(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """No proof, the proof of another match, or one with other digits."""
    proofs = [other["shuffle"] for other in (document, *others) if isinstance(other.get("shuffle"), dict)]
    if not proofs or chance.randrange(4) == 0:
        return {key: value for key, value in document.items() if key != "shuffle"}
    proof = dict(chance.choice(proofs))
    key = chance.choice(("commitment", "server_seed", "client_seed", "client_seed", *proof))
    digits = chance.choice((proof[key], proof[key][2:], "00", "AB" * 512, "AB" * 512, "zz"))
    return {**document, "shuffle": {**proof, key: digits}}


def strange(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """An event of a match of any ruleset."""
    log = document["events"]
    at = chance.randrange(len(log) + 1)
    return _with(document, [*log[:at], _one_of(chance, others), *log[at:]])


# --- Form -------------------------------------------------------------------------------------------------------------


def key(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """A key less, one more, or one under another name, anywhere."""
    changed = copy.deepcopy(document)
    containers = [part for part in _containers(changed) if isinstance(part, dict)]
    container = chance.choice(containers)
    name = chance.choice(list(container) or ["x"])
    match chance.randrange(3):
        case 0:
            container.pop(name, None)
        case 1:
            container[chance.choice(("extra", "seat", "type", "at", "by", "ruleset", "card", "", "ا", "\x00"))] = 0
        case _:
            container[name.upper()] = container.pop(name, 0)
    return changed


def value(chance: Random, document: Document, others: Sequence[Document]) -> Document:
    """A value of another kind, anywhere."""
    changed = copy.deepcopy(document)
    container = chance.choice([part for part in _containers(changed) if part])
    place: Any = chance.choice(list(container)) if isinstance(container, dict) else chance.randrange(len(container))
    container[place] = copy.deepcopy(chance.choice(_STRANGE))
    return changed


def _containers(value: Any) -> list[Any]:
    if not isinstance(value, (dict, list)):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [value, *(found for part in inner for found in _containers(part))]


#: By name; what the rules get to see.
WELL_FORMED: Mapping[str, Damage] = MappingProxyType(
    {
        way.__name__: way
        for way in (
            drop,
            double,
            swap,
            move,
            cut,
            insert,
            repeat,
            seat,
            card,
            hands,
            number,
            claim,
            mark,
            options,
            shuffle,
        )
    }
)
#: By name; what seldom gets past the reader.
ILL_FORMED: Mapping[str, Damage] = MappingProxyType(
    {way.__name__: way for way in (strange, players, ruleset, key, value)}
)


def damaged(chance: Random, document: Document, others: Sequence[Document], ways: Sequence[Damage]) -> Document:
    """The document after all these ways of damage, one after another, as long as it has events."""
    for way in ways:
        if document.get("events") and all(isinstance(event, dict) for event in document["events"]):
            document = way(chance, document, others)
    return document
