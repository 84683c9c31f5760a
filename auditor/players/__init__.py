"""Who plays in generated matches: for a type of stage, a function that chooses what is done there.

In: a stage that waits for an act, and a source of chance. Out: a legal act. Refuses to know the rules: what may be
done is asked of the stage. Every module of this package brings the players of its own stages.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, TypeAlias

from auditor.errors import CannotAudit
from auditor.stage import Stage

Player: TypeAlias = Callable[[Any, Random], Any]
Players: TypeAlias = Mapping[type[Stage], Player]


def anybody(stage: Stage, chance: Random) -> Any:
    """Any legal act, where nobody plays at a type of stage. Raises ``CannotAudit`` if the stage does not list them."""
    acts = stage.moves()
    if not acts:
        raise CannotAudit(f"nobody can play at {type(stage).__name__}: it has no players and lists no moves")
    return acts[int(chance.random() * len(acts))]


@cache
def players() -> Players:
    """All players that the modules of this package bring, by the stage that they play at."""
    found: dict[type[Stage], Player] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        found.update(import_module(module.name).PLAYERS)
    return found
