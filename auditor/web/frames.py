"""What the viewer of a match is given: the table before each event, and what each event says.

In: a match and its game. Out: plain documents, ready for JSON, and what became of single events. Refuses to know how
they are drawn, and any rule: it asks the replay.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from auditor import events, position, report
from auditor.game import Game
from auditor.jsontext import visible
from auditor.rulebook import Language
from auditor.stage import word_for

#: So many tables are handed out at once.
MOST_TABLES = 256

#: How hard zlib tries: such a page is written once.
_PACKED_AT = 9
#: Keys of an event that are no codes.
_UNSAID = ("seat", "at", "by", "refused", "hands", "stock")
_LONGEST_CODE = 20
#: What became of an event that broke a clause: the table took it, went on without it, or could not go on.
Consequence: TypeAlias = Literal["stands", "ignored", "broken", "refused"]


class Act(msgspec.Struct, frozen=True, gc=False):
    """One event as a person would say it.

    ``card`` is the code of the one card that it moves, if there is one; ``codes`` is all that it says without who and
    when: bids, cards, points of a board, in the order of its keys. Hands and stocks are left out.
    """

    kind: str
    seat: int | None
    text: str
    card: str | None
    codes: Sequence[str]
    refused: bool
    at: int | str | None


class Stretch(msgspec.Struct, frozen=True, gc=False, rename={"first": "from", "end": "to"}):
    """The tables before the events from ``first`` to one before ``end``, and these events.

    The first of ``tables`` is a whole :class:`~auditor.position.Position`; each later one holds the keys that differ
    from the one before it. Behind the last event comes the table at the end of the log, with no act.
    """

    first: int
    end: int
    tables: Sequence[dict[str, Any]]
    acts: Sequence[Act | None]


def stretch(game: Game, match: events.Match, first: int, end: int, language: Language) -> Stretch:
    """Part of a match, from the table before event ``first`` to the one before event ``end - 1``.

    Raises ``IndexError`` where the log has no such events.
    """
    if not 0 <= first < end <= len(match.events) + 1:
        raise IndexError((first, end))
    tables: list[dict[str, Any]] = []
    before: dict[str, Any] = {}
    for table in position.at(game, match, range(first, end)):
        now = msgspec.to_builtins(table)
        tables.append({key: value for key, value in now.items() if key not in before or before[key] != value})
        before = now
    acts = [_act(event, language) for event in match.events[first:end]]
    return Stretch(first, end, tables, [*acts, None] if len(acts) < len(tables) else acts)


def packed(stretch: Stretch) -> str:
    """A stretch for a page that no server stands behind, at a tenth of its length: JSON, by zlib, in base64."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(stretch), _PACKED_AT)).decode()


def consequences(game: Game, match: events.Match, indexes: Iterable[int]) -> dict[int, Consequence]:
    """What became of each of these events, in one replay."""
    found: dict[int, Consequence] = {}
    wanted = sorted(set(indexes))
    tables = position.at(game, match, [step for index in wanted for step in (index, index + 1)])
    for index, before, after in zip(wanted, tables, tables, strict=True):
        if match.events[index].refused is True:
            found[index] = "refused"
        elif after.is_broken and not before.is_broken:
            found[index] = "broken"
        elif msgspec.structs.replace(after, event=index) == before:
            found[index] = "ignored"
        else:
            found[index] = "stands"
    return found


def _act(event: Any, language: Language) -> Act:
    if isinstance(event, events.Note):
        return Act("note", None, report.act(event, language), None, (), False, None)
    card = getattr(event, "card", None)
    return Act(
        kind=word_for(type(event)),
        seat=getattr(event, "seat", None),
        text=report.act(event, language),
        card=card if isinstance(card, str) else None,
        codes=_codes(event),
        refused=event.refused is True,
        at=None if event.at is UNSET else event.at,
    )


def _codes(event: Any) -> list[str]:
    """What an event says, as codes; a key that is only true says its own name."""
    keys = zip(event.__struct_fields__, event.__struct_encode_fields__, strict=True)
    said = {key: getattr(event, field) for field, key in keys if key not in _UNSAID}
    return [
        key if part is True else visible(str(part), _LONGEST_CODE)
        for key, value in said.items()
        if value is not UNSET
        for part in (value if isinstance(value, list) else [value])
    ]
