"""The games that the auditor knows. This list is the only place that names them all."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from auditor import events
from auditor.game import Game
from auditor.games import tarneeb_classic

GAMES: Mapping[str, Game] = MappingProxyType({game.id: game for game in (tarneeb_classic.GAME,)})

#: The shape of each ruleset's logs, as the reader wants them.
FORMS: Mapping[str, type[events.Match]] = MappingProxyType({game.id: game.form for game in GAMES.values()})
