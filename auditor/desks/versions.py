"""Versions: the different things that logs say of one event, and which logs say each.

In: what logs tell of an event. Out: versions, each with its logs. Refuses to know which of them is true.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from auditor.desks import telling
from auditor.verdict import Finding


@dataclass(frozen=True, slots=True)
class Version:
    """One of the things that logs say.

    ``logs`` are the numbers of those that say so, from 0. ``is_there``: they have the event. ``facts`` are what is in
    question of it, by name; none where it is only in question whether it happened. ``contradictions`` are the findings
    that this version brings into the match and another does not.
    """

    logs: tuple[int, ...]
    is_there: bool
    facts: telling.Facts
    contradictions: tuple[Finding, ...] = ()


def in_question(told: Sequence[telling.Facts]) -> list[str]:
    """The names of the facts in which tellings of one event contradict each other; all of them if its kind does."""
    names = list(dict.fromkeys(name for facts in told for name in facts))
    if any(facts["type"] != told[0]["type"] for facts in told):
        return names
    return [name for name in names if _is_in_question(name, [facts.get(name) for facts in told])]


def versions_of(told: Sequence[tuple[int, telling.Facts]], names: Collection[str]) -> list[Version]:
    """The versions of the facts of these names, each of them what its logs say together.

    ``told`` has each log's number with what it tells. A log that saw none of it, or whose telling fits more than one
    version, has no voice.
    """
    groups: list[tuple[list[int], dict[str, object]]] = []
    for number, facts in sorted(told, key=lambda row: -telling.knowledge(_only(row[1], names))):
        own = _only(facts, names)
        if not any(map(telling.is_seen, own.values())):
            continue
        fitting = [group for group in groups if _fits(own, group[1])]
        if not fitting:
            groups.append(([number], own))
        elif len(fitting) == 1:
            logs, known = fitting[0]
            logs.append(number)
            known.update((name, telling.together(name, known.get(name), own.get(name))) for name in {**known, **own})
    return [Version(tuple(sorted(logs)), True, known) for logs, known in groups]


def by_voices(versions: Iterable[Version]) -> tuple[Version, ...]:
    """The version of most logs first; of equals, that of the log that was named first."""
    return tuple(sorted(versions, key=lambda version: (-len(version.logs), version.logs)))


def most_say(versions: Sequence[Version]) -> Version | None:
    """The version that more than half of those say who say anything."""
    voices = sum(len(version.logs) for version in versions)
    return next((version for version in versions if 2 * len(version.logs) > voices), None)


def _only(facts: telling.Facts, names: Collection[str]) -> dict[str, object]:
    return {name: value for name, value in facts.items() if name in names}


def _fits(one: telling.Facts, other: telling.Facts) -> bool:
    return all(telling.agree(name, one.get(name), other.get(name)) for name in {**one, **other})


def _is_in_question(name: str, values: Sequence[object]) -> bool:
    return any(not telling.agree(name, value, other) for at, value in enumerate(values) for other in values[:at])
