"""What is damaged: short legal matches of every ruleset, some with a planted fault, and the corpus.

In: the generator and the files under ``corpus/``. Out: documents and texts, the same on every machine. Refuses to
know how they are damaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from auditor import faults, generate
from auditor.game import Game
from auditor.games import GAMES

Document = dict[str, Any]

CORPUS = Path(__file__).parent / "corpus"
#: Longer matches are cut here: two or three deals.
LONGEST = 240
#: So many legal matches a ruleset; every other one with a shuffle proof.
COUNT = 4

#: Options with which a match is soon over, or follows other rules.
_OPTIONS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "belote-contree": ({"scoring": "sahel"}, {"target": 2000, "undertrump": "free"}),
    "rami-tounsi": (
        {"target": 1},
        {"variant": "simple", "jokers": 2, "hand_size": 13, "target": 100},
        {"opening": 71, "ace_penalty": 1, "joker_penalty": 0, "jokers": 0, "target": 100},
    ),
    "tarneeb-classic": ({"target": 41, "defender_sweep": 13},),
    "tarneeb-masrawi": ({"rounds": 1}, {"target": 1}),
    "tarneeb-masrawi-dakak": ({"dakak_floor": "6", "double_applies": "bidders"}, {"dakak_floor": "5NT", "target": 41}),
    "three-stones": ({"movement": "jump"}, {"rounds": 5}),
    "twenty-nine": (
        {"slam": True, "redeal": False, "min_bid": 15},
        {"trump_card": "seventh", "last_trick": True, "redeal": True, "pair_bounds": [15, 29]},
    ),
}


@cache
def matches() -> Mapping[str, Sequence[Document]]:
    """By ruleset: legal matches, whole or from their beginning, and for each kind of fault one that has it."""
    return {ruleset: tuple(_matches(game)) for ruleset, game in GAMES.items()}


def _matches(game: Game) -> Iterator[Document]:
    for number in range(COUNT):
        yield from map(_cut, generate.matches(game, 1, 70 + number, proves_shuffle=number % 2 == 1))
    for number, options in enumerate(_OPTIONS.get(game.id, ())):
        yield from map(_cut, generate.matches(game, 1, 80 + number, options))
    [sound] = generate.matches(game, 1, 90, proves_shuffle=True)
    for name in faults.faults_of(game.id):
        planted = faults.plant(game, _cut(sound), name, Random(name))
        if planted is not None:
            yield planted.document


def _cut(document: Document) -> Document:
    return {**document, "events": document["events"][:LONGEST]}


@cache
def corpus() -> Sequence[bytes]:
    """The texts under ``corpus/``, in the order of their names."""
    return tuple(path.read_bytes() for path in sorted(CORPUS.glob("*.json")))
