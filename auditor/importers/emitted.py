"""The importer ``events``: what a server emits, one JSON object a line, the lines of all matches mixed.

In: lines with the id of a match, a number, and an event or something about the match. Out: its matches. Refuses to know
how events are named: the mapping says that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditor.events import LARGEST_INTEGER
from auditor.importers.assembly import CONFLICTS, Assembly
from auditor.importers.contract import Importer, Loss, Notice, Source, Where, Yielded
from auditor.importers.mapping import LineMapping, mapping_of
from auditor.importers.reading import json_values
from auditor.importers.records import ABSENT, text_of, unused, value_at, whole_number
from auditor.importers.translation import Translator


def matches(source: Source) -> Iterator[Yielded]:
    """The matches of emitted lines, in the order in which they first appear."""
    source.knows_only("conflicts")
    mapping = mapping_of(source, LineMapping)
    names = (mapping.match, mapping.number, mapping.head.key)
    if mapping.event:
        translator = Translator(mapping, is_table=False, outer=f"{mapping.event}.")
    else:
        translator = Translator(mapping, is_table=False, known=names)
    line_count = 0
    with Assembly(mapping.numbering, source.option("conflicts", CONFLICTS)) as assembly:
        for found in json_values(source.paths):
            line_count += 1
            if isinstance(found, Loss):
                yield found
            else:
                yield from _add(assembly, mapping, *found)
        yield Notice("lines", line_count)
        yield from assembly.matches(translator)


def _add(assembly: Assembly, mapping: LineMapping, place: Where, line: Any) -> Iterator[Loss]:
    """Puts one line where it belongs."""
    if not isinstance(line, dict):
        yield Loss("no-object", place)
        return
    match = text_of(value_at(line, mapping.match))
    if match is None:
        yield Loss("no-match", place)
        return
    names = {mapping.match, mapping.number, mapping.head.key}
    number = whole_number(value_at(line, mapping.number), LARGEST_INTEGER)
    head = value_at(line, mapping.head.key)
    if mapping.event:
        event = value_at(line, mapping.event)
        for name in unused(line, {*names, mapping.event, *mapping.ignore}):
            yield Loss("key", place, name, match)
    else:
        event = line if any(key not in names and key not in mapping.ignore for key in line) else ABSENT
    if head is ABSENT and event is ABSENT:
        yield Loss("no-event", place, match=match)
        assembly.add_number(match, number)
    if isinstance(head, dict):
        assembly.add_head(match, number, head, place)
    elif head is not ABSENT:
        yield Loss("no-object", place, mapping.head.key, match)
    if isinstance(event, dict):
        if number is None and mapping.numbering != "none":
            yield Loss("no-number", place, match=match)
        else:
            assembly.add_event(match, number, event, place)
    elif event is not ABSENT:
        yield Loss("no-object", place, mapping.event, match)


IMPORTER = Importer(
    "events",
    {
        "en": "one JSON object a line as servers emit them: match id, number, event; lines of all matches mixed",
        "ar": "كائن ⁦JSON⁩ في كل سطر كما ترسله الخوادم: معرّف المباراة ورقم وحدث، وسطور المباريات مختلطة",
    },
    matches,
)
