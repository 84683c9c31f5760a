"""The games that the auditor knows. This list is the only place that names its own; packages may bring others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeVar

from auditor import events, plugins, rulebook
from auditor.errors import CannotAudit
from auditor.game import Game
from auditor.games import (
    belote_contree,
    rami_tounsi,
    tarneeb_classic,
    tarneeb_masrawi,
    tarneeb_masrawi_dakak,
    three_stones,
    twenty_nine,
)

OWN = (
    tarneeb_classic.GAME,
    tarneeb_masrawi.GAME,
    tarneeb_masrawi_dakak.GAME,
    belote_contree.GAME,
    rami_tounsi.GAME,
    three_stones.GAME,
    twenty_nine.GAME,
)

Value = TypeVar("Value")


class _Found(Mapping[str, Value]):
    """A mapping that is put together when somebody first looks into it."""

    def __init__(self, find: Callable[[], Mapping[str, Value]]) -> None:
        self._find = find

    def __getitem__(self, ruleset: str) -> Value:
        return self._find()[ruleset]

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(self._find())


@cache
def _games() -> dict[str, Game]:
    games = {game.id: game for game in OWN}
    for ruleset, place in plugins.brought().items():
        if ruleset in games:
            raise CannotAudit(f"the game {ruleset} ({place}) has the id of a game that the auditor has itself")
        game = plugins.record(ruleset)
        if not isinstance(game, Game) or game.id != ruleset:
            raise CannotAudit(f"expected the record of the game {ruleset} at {place}, found {game!r}")
        rulebook.book(ruleset)
        games[ruleset] = game
    return games


@cache
def _forms() -> dict[str, type[events.Match]]:
    return {game.id: game.form for game in GAMES.values()}


#: By the ruleset's id. Raises ``CannotAudit`` where a game that a package brings cannot be used.
GAMES: Mapping[str, Game] = _Found(_games)

#: The shape of each ruleset's logs, as the reader wants them.
FORMS: Mapping[str, type[events.Match]] = _Found(_forms)
