"""Random matches of three stones: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from typing import Any

from tests import damage, documents
from tests.documents import Document, Event

from . import builders, oracle
from .oracle import POINTS


def legal_match(rng: random.Random) -> Document:
    """A match in which nothing is wrong, with or without claims, refused acts and notes, to its end or broken off."""
    options: dict[str, Any] = {}
    if rng.random() < 0.7:
        options["rounds"] = rng.choice([3, 3, 3, 5, 7, 10])
    if rng.random() < 0.7:
        options["movement"] = rng.choice(["slide", "jump"])
    claims = rng.choice([0, 0.5, 1, 1])
    frills = rng.choice([0, 0, 0.05])
    most_rounds = rng.choice([1, 2, 3, 30])
    events: list[Event] = []
    first = rng.randrange(2)
    for _ in range(most_rounds):
        said = oracle.judge(builders.match(events, options=options))
        if said["over"]:
            break
        events += _round(rng, first, options.get("movement", "slide"), frills)
        first = 1 - first
        said = oracle.judge(builders.match(events, options=options))
        if said["deals"][-1]["outcome"] == "unfinished":
            if rng.random() < 0.7:
                events.append(documents.score((0, 0), said["totals"]))
            elif rng.random() < 0.3:
                return builders.match(events, options=options)
            elif _is_over(said["totals"], len(said["deals"]), options):
                break  # its result, if there is one, says that it was drawn
        elif rng.random() < claims:
            events.append(documents.score(said["deals"][-1]["points"], said["totals"]))
    said = oracle.judge(builders.match(events, options=options))
    if rng.random() < 0.7:
        totals = said["totals"]
        is_over = _is_over(totals, len(said["deals"]), options)
        events.append(documents.result(int(totals[0] < totals[1]) if is_over else None, totals))
    return builders.match(events, **({"options": options} if options else {}))


def _is_over(totals: tuple[int, int], played: int, options: dict[str, Any]) -> bool:
    rounds = options.get("rounds", 3)
    return totals[0] != totals[1] and (max(totals) >= oracle.MAJORITY[rounds] or played >= rounds)


def _round(rng: random.Random, first: int, movement: str, frills: float) -> list[Event]:
    """A round in which nobody makes a line before some number of acts; it may stop after 34 moves."""
    patience = rng.choice([0, 0, 0, 5, 10, 40, 41, 42, 46, 46])
    stops_early = rng.random() < 0.3
    round_ = oracle.Round(first)
    events = [builders.begin(first)]
    while round_.moves < 40 and not (stops_early and round_.moves == 34):
        acts = oracle.legal(round_, movement)
        quiet = [act for act in acts if not oracle.has_line(_after(round_.board, act), act["seat"])]
        is_patient = round_.placed + round_.moves < patience
        act = rng.choice(quiet if is_patient and quiet else acts)
        if rng.random() < frills:
            events.append(rng.choice([{"type": "note", "text": "hello"}, _wrong_act(rng, act) | {"refused": True}]))
        events.append(act | ({"by": rng.choice(["timeout", "bot", "player"])} if rng.random() < frills else {}))
        round_.board = _after(round_.board, act)
        round_.placed += act["type"] == "place"
        round_.moves += act["type"] == "move"
        round_.turn = 1 - round_.turn
        if oracle.has_line(round_.board, act["seat"]):
            break
    return events


def _after(board: dict[str, int], act: Event) -> dict[str, int]:
    after = {point: seat for point, seat in board.items() if point != act.get("from")}
    after[act["point" if act["type"] == "place" else "to"]] = act["seat"]
    return after


def _wrong_act(rng: random.Random, act: Event) -> Event:
    """An act that is illegal where ``act`` is legal."""
    key = "point" if act["type"] == "place" else "to"
    return rng.choice([act | {"seat": 1 - act["seat"]}, act | {key: "c4"}, builders.begin(rng.randrange(2))])


# --- Damage ---------------------------------------------------------------------------------------------------------


def damaged(rng: random.Random, document: Document) -> Document:
    """The same match after one to three random changes. It is still well-formed."""
    return damage.damaged(rng, document, _DAMAGES)


def _change(rng: random.Random, document: Document) -> Document:
    """Another value for one key of an event."""
    at = damage.any_of(rng, document, *rng.choice(_KINDS))
    event = document["events"][at]
    points = [*POINTS, *POINTS, "c4", "x", "A1"]
    values: dict[str, list[Any]] = {
        "seat": [1 - event.get("seat", 0)],
        "first": [0, 1],
        "point": points,
        "from": points,
        "to": points,
        "deal": [[0, 0], [1, 0], [0, 1], [1, 1]],
        "total": [[0, 0], [1, 0], [0, 2], [2, 1]],
        "winner": [0, 1, None],
    }
    key = rng.choice([key for key in event if key in values] or [""])
    return builders.replaced(document, at, **{key: rng.choice(values[key])}) if key else document


def _insert(rng: random.Random, document: Document) -> Document:
    seat = rng.randrange(2)
    new = rng.choice(
        [
            builders.begin(seat),
            builders.place(seat, rng.choice(POINTS)),
            builders.move(seat, rng.choice(POINTS), rng.choice(POINTS)),
            documents.score(rng.choice([(0, 0), (1, 0)]), rng.choice([(0, 0), (1, 0), (1, 1)])),
            documents.result(rng.choice([0, 1, None]), rng.choice([(0, 0), (2, 1)])),
            {"type": "note", "anything": 1},
        ]
    )
    return documents.inserted(document, rng.randrange(len(document["events"]) + 1), new)


def _round_in_the_middle(rng: random.Random, document: Document) -> Document:
    """From some event on, the log goes on with another round."""
    at = rng.randrange(len(document["events"]) + 1)
    new = _round(rng, rng.randrange(2), document.get("options", {}).get("movement", "slide"), 0)
    return documents.inserted(document, at, *new[: rng.choice([1, 2, 5, 99])])


_MOVES = (("round",), ("place",), ("move",), ("move",))
_KINDS = (*_MOVES, ("score",), ("result",))
_DAMAGES = (
    damage.drop(_KINDS),
    damage.twice(_KINDS),
    damage.swap_neighbours(_KINDS),
    _change,
    _change,
    _change,
    _insert,
    _insert,
    damage.refuse(_MOVES),
    damage.refuse_first(_MOVES),
    damage.cut,
    _round_in_the_middle,
)
