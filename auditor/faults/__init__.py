"""Planted faults: one fault of a named kind in a legal match, and what an auditor has to say of it.

In: a legal, rightly scored match, the name of a fault, a source of chance. Out: the match with that fault, and the
first finding that it must give. Refuses to know rules: what would be legal at a point is asked of the replay. Every
module of this package brings the faults of some rulesets (``RULESETS``), or of all.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, TypeAlias

import msgspec

from auditor import position
from auditor.errors import CannotAudit
from auditor.game import Game
from auditor.verdict import Kind

Event: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planted:
    """A match with one fault: the first finding must be of this kind, cite this clause and stand at this event."""

    document: dict[str, Any]
    kind: Kind
    clause: str
    event: int


@dataclass(frozen=True, slots=True)
class Site:
    """A match in which a fault is to be planted: ``log`` is a copy of its events, to be changed."""

    game: Game
    document: Mapping[str, Any]
    log: list[Event]
    chance: Random

    def places(self, kind: str) -> Iterator[int]:
        """The events of a type, by index, in random order."""
        indexes = [index for index, event in enumerate(self.log) if event["type"] == kind]
        while indexes:
            yield indexes.pop(int(self.chance.random() * len(indexes)))

    def place(self, kind: str) -> int | None:
        """A random event of a type."""
        return next(self.places(kind), None)

    def before(self, index: int) -> position.Position:
        """The table before an event of the match as it was."""
        return position.before(self.game, msgspec.convert(self.document, self.game.form), index)

    def pick(self, choices: list[Any]) -> Any:
        """One of some things."""
        return choices[int(self.chance.random() * len(choices))]

    def other_seat(self, seat: int) -> int:
        """Any seat but this one."""
        seats = len(self.document["players"])
        return (seat + 1 + int(self.chance.random() * (seats - 1))) % seats

    def insert_out_of_turn(self, kind: str, act: Event) -> int | None:
        """Before an event of a type, the act by a seat that is not on turn."""
        index = self.place(kind)
        if index is not None:
            self.log.insert(index, {**act, "seat": self.other_seat(self.log[index]["seat"])})
        return index

    def change(self, kind: str, **keys: Any) -> int | None:
        """An event of a type with other values."""
        index = self.place(kind)
        if index is not None:
            self.log[index].update(keys)
        return index


#: Plants one fault and returns the index of the event that shows it, or ``None`` where there is no place for it.
Planter: TypeAlias = Callable[[Site], int | None]
#: By name: the kind and the clause of the finding that a fault must give first, and how it is planted.
Faults: TypeAlias = Mapping[str, tuple[Kind, str, Planter]]


#: After so many matches in a row without a place for a fault, there is none to be found.
PATIENCE = 200


def plant(game: Game, document: Mapping[str, Any], fault: str, chance: Random) -> Planted | None:
    """The match with a fault of that name, or ``None`` where it has no place for one. Raises ``KeyError``."""
    kind, clause, planter = faults_of(game.id)[fault]
    log = [dict(event) for event in document["events"]]
    event = planter(Site(game, document, log, chance))
    return None if event is None else Planted({**document, "events": log}, kind, clause, event)


def planted(game: Game, documents: Iterable[Mapping[str, Any]], fault: str, seed: int) -> Iterator[Planted]:
    """Those of the matches that have a place for the fault, with it. Raises ``CannotAudit`` after too many others."""
    without = 0
    for number, document in enumerate(documents):
        found = plant(game, document, fault, Random(f"{seed}:{number}:{fault}"))
        without = 0 if found else without + 1
        if found:
            yield found
        elif without == PATIENCE:
            raise CannotAudit(
                f"{fault}: {PATIENCE} matches in a row have no place for it (does it need a shuffle proof?)"
            )


@cache
def faults_of(ruleset: str) -> Faults:
    """The faults that can be planted in matches of a ruleset; its own stand before general ones of the same name."""
    found: dict[str, tuple[Kind, str, Planter]] = {}
    modules = [import_module(info.name) for info in pkgutil.iter_modules(__path__, f"{__name__}.")]
    for module in sorted(modules, key=lambda module: hasattr(module, "RULESETS")):
        if ruleset in getattr(module, "RULESETS", (ruleset,)):
            found.update(module.FAULTS)
    return dict(sorted(found.items()))
