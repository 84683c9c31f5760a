"""Spelling: a platform's seats, cards and numbers as the match log writes them.

In: a mapping, and values as they were read. Out: the value that a key of an event should have, or that it cannot be
told. Refuses to know which record a value comes from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Named
from collections.abc import Sequence
from typing import Any, Final

from auditor.cards import RANKS, SUITS
from auditor.events import JOKER, LARGEST_INTEGER, NO_TRUMP, UNSEEN_CARD
from auditor.importers.mapping import Cards, Counting, Kind, Mapping

#: What kind of value a key has. A key that is not listed has any value, and keeps it.
KINDS: Final[Named[str, Kind]] = {
    "seat": "seat", "dealer": "seat", "first": "seat",
    "card": "card", "upcard": "card", "cards": "cards", "stock": "cards", "hand": "cards", "hands": "hands",
    "suit": "suit", "trump": "suit",
    "tricks": "number", "points": "number", "meld": "number", "deal": "numbers", "total": "numbers",
    "capot": "flag", "refused": "flag", "at": "time",
    "by": "text", "announce": "text", "point": "text", "from": "text", "to": "text",
}  # fmt: skip
_RANKS: Final = {**{rank: rank for rank in RANKS}, "10": "T"}
_SUITS: Final = {**{suit: suit for suit in SUITS}, "♣": "C", "♦": "D", "♥": "H", "♠": "S"}
_INTEGER = re.compile(r"-?[0-9]{1,16}")
_FLAGS: Final = {"true": True, "false": False, "1": True, "0": False}


class Unknown(Exception):
    """The value is none of those that there are a word for."""


class Spelling:
    """How one platform writes values."""

    def __init__(self, mapping: Mapping) -> None:
        self._seats = mapping.seats
        self._sides = mapping.sides
        self._null = mapping.null
        self._values = mapping.values
        self._kinds = {**KINDS, **mapping.kinds}
        self._separator = mapping.cards.separator
        self._hands_separator = mapping.cards.hands_separator
        self._suits = {**_SUITS, NO_TRUMP: NO_TRUMP, **mapping.cards.suits}
        self._cards = _spelled(mapping.cards, self._suits)
        self._jokers = (JOKER, *mapping.cards.jokers)

    def value(self, event_type: str, key: str, value: Any, players: Sequence[str]) -> Any:
        """What a key of an event has for a value of theirs. Raises ``Unknown`` where that cannot be told.

        ``players`` are the ids of the players, by seat.
        """
        named = self._values.get(key)
        if named is not None and isinstance(value, str | int) and str(value) in named:
            return named[str(value)]
        kind = self._kinds.get(key, "any")
        if key == "winner" and key not in self._kinds:
            kind = "seat" if event_type == "trick" else "side"
        return self._of_kind(kind, value, players)

    def _of_kind(self, kind: Kind, value: Any, players: Sequence[str]) -> Any:
        match kind:
            case "seat":
                return _counted(value, self._seats, players)
            case "side":
                return None if value in (None, self._null) else _counted(value, self._sides, players)
            case "card":
                return self._card(value)
            case "cards":
                return [self._card(card) for card in self._parts(value, self._separator)]
            case "hands":
                return [
                    [self._card(card) for card in self._parts(hand, self._separator)]
                    for hand in self._parts(value, self._hands_separator)
                ]
            case "suit":
                return _one_of(self._suits, value)
            case "number":
                return _number(value)
            case "numbers":
                return [_number(part) for part in self._parts(value, self._separator)]
            case "flag":
                return value if isinstance(value, bool) else _one_of(_FLAGS, value)
            case "time":
                return int(value) if isinstance(value, str) and _INTEGER.fullmatch(value) else value
            case _:
                return value

    def _card(self, value: Any) -> str:
        if isinstance(value, str) and ":" in value:
            joker, _, card = value.partition(":")
            if joker in self._jokers:
                return f"{JOKER}:{_one_of(self._cards, card)}"
        return str(_one_of(self._cards, value))

    def _parts(self, value: Any, separator: str | None) -> list[Any]:
        """The parts of a list, whether it is one or is written in one text; spaces around a part do not count."""
        if isinstance(value, list):
            return value
        if not isinstance(value, str):
            raise Unknown
        return [part.strip() for part in value.split(separator)] if value.strip() else []


def _spelled(cards: Cards, suits: Named[str, str]) -> dict[str, str]:
    """Every card by each way of writing it."""
    ranks = {**_RANKS, **cards.ranks}
    spelled = {
        theirs_rank + theirs_suit if cards.order == "rank-suit" else theirs_suit + theirs_rank: rank + suit
        for theirs_rank, rank in ranks.items()
        for theirs_suit, suit in suits.items()
        if suit in SUITS
    }
    spelled |= dict.fromkeys((JOKER, *cards.jokers), JOKER)
    return spelled | dict.fromkeys((UNSEEN_CARD, *cards.unseen), UNSEEN_CARD)


def _counted(value: Any, counting: Counting, players: Sequence[str]) -> int:
    if counting == "players":
        if isinstance(value, str | int) and str(value) in players:
            return players.index(str(value))
        raise Unknown
    return _number(value) - counting


def _number(value: Any) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    if type(value) is not int or abs(value) > LARGEST_INTEGER:
        raise Unknown
    return value


def _one_of(known: Named[str, Any], value: Any) -> Any:
    if not isinstance(value, str) or value not in known:
        raise Unknown
    return known[value]
