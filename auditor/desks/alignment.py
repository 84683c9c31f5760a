"""Alignment: which events of several logs are one and the same event of the match.

In: the events of each log. Out: rows, each with the index that the event has in every log, in the order of the match.
Refuses to know rules, and who is right.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from auditor import events
from auditor.desks.telling import likeness
from auditor.stage import word_for

#: The index of one event in each log, ``None`` where a log does not have it.
Row: TypeAlias = tuple[int | None, ...]


class _Place:
    """A place in the order of the match, while logs are being laid side by side."""

    __slots__ = ("at", "kind", "likeness")

    def __init__(self, likeness: Hashable, kind: str, at: dict[int, int]) -> None:
        self.likeness = likeness
        self.kind = kind
        self.at = at


def aligned(logs: Sequence[Sequence[Any]], first: int = 0) -> list[Row]:
    """The rows of some logs. Notes are left out: each writer has his own.

    The log ``first`` is laid down, and the others beside it, one after another: as many events as possible keep their
    order. Where events changed, one by one, they share a row; what has no partner has a row of its own.
    """
    places: list[_Place] = []
    for number in [first, *(number for number in range(len(logs)) if number != first)]:
        coming = [
            _Place(likeness(event), word_for(type(event)), {number: index})
            for index, event in enumerate(logs[number])
            if not isinstance(event, events.Note)
        ]
        places = list(_laid_beside(places, coming))
    return [tuple(place.at.get(number) for number in range(len(logs))) for place in places]


def _laid_beside(places: Sequence[_Place], coming: Sequence[_Place]) -> Iterator[_Place]:
    for one, other in _pairs([place.likeness for place in places], [place.likeness for place in coming]):
        if len(one) == len(other):  # the same, or each changed into the other
            yield from map(_joined, places[one.start : one.stop], coming[other.start : other.stop])
            continue
        here, there = places[one.start : one.stop], coming[other.start : other.stop]
        for some, others in _pairs([place.kind for place in here], [place.kind for place in there]):
            if len(some) == len(others):
                yield from map(_joined, here[some.start : some.stop], there[others.start : others.stop])
            else:
                yield from here[some.start : some.stop]
                yield from there[others.start : others.stop]


def _pairs(one: Sequence[Hashable], other: Sequence[Hashable]) -> Iterator[tuple[range, range]]:
    """Stretches of two sequences that stand beside each other, in order, equal ones as long as can be."""
    shortest = min(len(one), len(other))
    start = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    end = next((at for at in range(shortest - start) if one[-1 - at] != other[-1 - at]), shortest - start)
    if start:
        yield range(start), range(start)
    inner = SequenceMatcher(None, one[start : len(one) - end], other[start : len(other) - end], autojunk=False)
    for _, begin, stop, begin_other, stop_other in inner.get_opcodes():
        yield range(start + begin, start + stop), range(start + begin_other, start + stop_other)
    if end:
        yield range(len(one) - end, len(one)), range(len(other) - end, len(other))


def _joined(place: _Place, coming: _Place) -> _Place:
    return _Place(place.likeness, place.kind, {**place.at, **coming.at})
