"""Games that other packages bring.

In: the entry points of the group ``auditor.games``. The name of one is the id of a ruleset; it stands for that
ruleset's record, and the rulebook and the schema lie beside the module that has it. Out: the record and these files.
Whatever is wrong with them is told in one line. Refuses to know what a game is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module, metadata, resources
from types import MappingProxyType
from typing import TypeVar

from auditor.errors import CannotAudit

GROUP = "auditor.games"

Value = TypeVar("Value")


@cache
def brought() -> Mapping[str, str]:
    """The rulesets that installed packages bring, in order of their ids, each with its module and the record in it."""
    found: dict[str, str] = {}
    for point in sorted(metadata.entry_points(group=GROUP)):
        if found.setdefault(point.name, point.value) != point.value:
            raise CannotAudit(f"two packages bring the game {point.name}: {found[point.name]} and {point.value}")
    return MappingProxyType(found)


def record(ruleset: str) -> object:
    """What the entry point of a ruleset stands for. Raises ``CannotAudit`` where there is no such thing."""
    with blaming(ruleset):
        return metadata.EntryPoint(ruleset, brought()[ruleset], GROUP).load()


def read(ruleset: str, suffix: str, made_from: Callable[[str], Value]) -> Value:
    """What is made from the file of a ruleset with this ending. Raises ``CannotAudit`` where that cannot be done."""
    with blaming(ruleset):
        module = import_module(brought()[ruleset].partition(":")[0])
        package = module.__spec__.parent if module.__spec__ else None
        file = resources.files(package or module.__name__) / f"{ruleset}{suffix}"
        return made_from(file.read_text(encoding="utf-8"))


@contextmanager
def blaming(ruleset: str) -> Iterator[None]:
    """Turns what stops the game of another package from being used into ``CannotAudit``. Our own games may crash."""
    try:
        yield
    except Exception as error:
        if ruleset not in brought():
            raise
        found = f"{type(error).__name__}: {error}"
        raise CannotAudit(f"the game {ruleset} ({brought()[ruleset]}) cannot be used: {found}") from error
