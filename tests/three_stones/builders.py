"""Small functions that lay out matches of three stones for tests, as the plain dicts of a log.

In: rounds in one line of text. Out: events, and documents around them. Refuses to know
what the auditor knows: what is legal and who has won comes from the oracle.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.documents import Document, Event, match_of

# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], **keys: Any) -> Document:
    """A match of two players around these events; ``keys`` are further keys of the match object."""
    return match_of("three-stones", events, 2, **keys)


def replaced(document: Document, at: int, **fields: Any) -> Document:
    """The same match with other values in event ``at``."""
    events = list(document["events"])
    events[at] = events[at] | fields
    return document | {"events": events}


# --- Events ---------------------------------------------------------------------------------------------------------


def begin(first: int) -> Event:
    return {"type": "round", "first": first}


def place(seat: int, point: str) -> Event:
    return {"type": "place", "seat": seat, "point": point}


def move(seat: int, start: str, to: str) -> Event:
    return {"type": "move", "seat": seat, "from": start, "to": to}


def played(text: str, first: int = 0) -> list[Event]:
    """A round from a text such as ``"a1 b1 a2 b2 c1 c3 a1-b1"``: points placed and moves made, in turn."""
    events = [begin(first)]
    for number, act in enumerate(text.split()):
        seat = (first + number) % 2
        start, _, to = act.partition("-")
        events.append(move(seat, start, to) if to else place(seat, start))
    return events


#: The seat that starts has three in a row with its third stone; the other with its third.
FIRST_WINS = "a1 b1 a2 b2 a3"
SECOND_WINS = "a1 b1 a2 b2 c1 b3"
#: Six stones without a line, and moves that go on without one for as long as they are repeated.
SIX = "a1 b1 a2 a3 c3 c1"
THERE_AND_BACK = "c3-c2 c1-b2 c2-c3 b2-c1"


def shuffling(moves: int, first: int = 0) -> list[Event]:
    """A round without a line in so many moves; after an even number it is the turn of the seat that started."""
    acts = (THERE_AND_BACK.split() * 10)[:moves]
    return played(" ".join([SIX, *acts]), first)


def won(seat: int, first: int) -> list[Event]:
    """A round that the seat wins while stones are still being placed."""
    return played(FIRST_WINS if seat == first else SECOND_WINS, first)


def rounds(winners: str, first: int = 0) -> list[Event]:
    """Rounds without claims, from a text of their winners such as ``"01-"``; ``-`` is a draw after 40 moves."""
    events: list[Event] = []
    for number, winner in enumerate(winners):
        start = (first + number) % 2
        events += shuffling(40, start) if winner == "-" else won(int(winner), start)
    return events
