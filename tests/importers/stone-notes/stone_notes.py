"""Stone notes: three stones as a club writes them down, a line a match.

``K-7 amal basel: basel b2 a1 c3 c1 a3``: the match, its players by seat, then each round: who begins, and the moves in
turn. ``a1-b1`` slides a stone. ``/`` stands between rounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from auditor.importers.contract import Imported, Importer, Loss, Notice, Source, Yielded
from auditor.importers.reading import text_lines

LINE = re.compile(r"(?P<match>\S+) (?P<first>\S+) (?P<second>\S+): (?P<rounds>.+)")
MOVE = re.compile(r"(?P<point>[a-c][1-3])(-(?P<to>[a-c][1-3]))?")


def matches(source: Source) -> Iterator[Yielded]:
    """The matches of the notes. What stands in brackets is a remark, which no match log has a place for."""
    source.knows_only()
    for found in text_lines(source.paths):
        if isinstance(found, Loss):
            yield found
            continue
        place, text = found
        yield Notice("lines")
        line = LINE.fullmatch(text)
        if line is None:
            yield Loss("a line that is no note of a match", place)
            continue
        players = [line["first"], line["second"]]
        events: list[dict[str, Any]] = []
        for number, game in enumerate(line["rounds"].split("/"), 1):
            for remark in re.findall(r"\(.*?\)", game):
                yield Loss("a remark", place, match=line["match"], detail=remark)
            beginner, *moves = re.sub(r"\(.*?\)", " ", game).split() or [""]
            if beginner not in players:
                yield Loss("a round that no player begins", place, beginner, line["match"], f"round {number}")
                continue
            events += events_of(players.index(beginner), moves)
        document = {
            "format": "match-log/1",
            "match": line["match"],
            "ruleset": "three-stones",
            "players": [{"id": player} for player in players],
            "events": events,
        }
        yield Imported(document, place, [place] * len(events))


def events_of(first: int, moves: list[str]) -> Iterator[dict[str, Any]]:
    """A round. What is no move is left as it is: the reader says so, and where."""
    yield {"type": "round", "first": first}
    for number, text in enumerate(moves):
        seat = (first + number) % 2
        move = MOVE.fullmatch(text)
        if move is None:
            yield {"type": text, "seat": seat}
        elif move["to"] is None:
            yield {"type": "place", "seat": seat, "point": move["point"]}
        else:
            yield {"type": "move", "seat": seat, "from": move["point"], "to": move["to"]}


IMPORTER = Importer(
    "stone-notes",
    {
        "en": "three stones as our club writes them down, a line a match",
        "ar": "ثلاثة أحجار كما يدوّنها نادينا، سطر لكل مباراة",
    },
    matches,
)
