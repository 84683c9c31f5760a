"""A region: where in its file an event of a log stands.

In: places of matches, and which of their events. Out: line, column, byte and length of each. Refuses to know what an
event is. The files are read once more; what is not there any more has no region.
"""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from auditor import jsontext, sources
from auditor.errors import Place

#: The place of a match and the index of one of its events.
Spot: TypeAlias = tuple[Place, int]

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Region:
    """Where something stands in an unpacked file, lines and columns from 1, bytes from 0.

    Columns count characters. ``column``, and the ends, are ``None`` where they cannot be told.
    """

    line: int
    offset: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    length: int | None = None


def regions(spots: Iterable[Spot]) -> Mapping[Spot, Region]:
    """The regions of events, by the same spots; standard input cannot be read again and has none."""
    wanted: dict[str, dict[Place, set[int]]] = defaultdict(lambda: defaultdict(set))
    for place, index in spots:
        if place.file != STANDARD_INPUT:
            wanted[place.file][place].add(index)
    found: dict[Spot, Region] = {}
    for file, matches in wanted.items():
        for document in sources.documents([file]):
            if isinstance(document, sources.Document):
                for index in sorted(matches.pop(document.place, ())):
                    region = _region(document, index)
                    if region is not None:
                        found[document.place, index] = region
            if not matches:
                break
    return found


def _region(document: sources.Document, index: int) -> Region | None:
    data, place = document.data, document.place
    text = jsontext.parse(data)
    try:
        text.value["events"][index]
    except (TypeError, LookupError):
        return None
    start = text.offset(("events", index))
    end = _end(data, start)
    # A match that ends with a line feed is one of one match a line.
    is_line = data.endswith(b"\n")
    column = _column(data, place, start, is_line)
    line = place.line + data.count(b"\n", 0, start)
    if end is None:
        return Region(line, place.offset + start, column)
    return Region(
        line,
        place.offset + start,
        column,
        place.line + data.count(b"\n", 0, end),
        _column(data, place, end, is_line),
        end - start,
    )


def _end(data: bytes, start: int) -> int | None:
    """Where the JSON value that begins here ends."""
    text = data[start:].decode("utf-8", "replace")
    with contextlib.suppress(ValueError, RecursionError):
        return start + len(text[: json.JSONDecoder().raw_decode(text)[1]].encode())
    return None


def _column(data: bytes, place: Place, offset: int, begins_line: bool) -> int | None:
    """The column of an offset into a match; ``None`` where what stands before the match on its line is not known."""
    line_start = data.rfind(b"\n", 0, offset) + 1
    if line_start == 0 and place.offset != 0 and not begins_line:
        return None
    return len(data[line_start:offset].decode("utf-8", "replace")) + 1
