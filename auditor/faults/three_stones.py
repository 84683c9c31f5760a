"""Faults of three stones in a row."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.faults import Event, Faults, Site
from auditor.games.three_stones import BIT, MOVES_AFTER_PLACEMENTS, POINTS, REACH

RULESETS = ("three-stones",)


def _acts(site: Site) -> Iterator[int]:
    """The stones laid and moved, by index, in random order."""
    kinds = ["place", "move"]
    if site.chance.random() < 0.5:
        kinds.reverse()
    for kind in kinds:
        yield from site.places(kind)


def _round_begun_by_the_other(site: Site) -> int | None:
    for index in site.places("round"):
        if index:
            site.log[index]["first"] = 1 - site.log[index]["first"]
            return index
    return None


def _stone_out_of_turn(site: Site) -> int | None:
    index = next(_acts(site), None)
    if index is not None:
        site.log.insert(index, {**site.log[index], "seat": 1 - site.log[index]["seat"]})
    return index


def _moved_while_placing(site: Site) -> int | None:
    index = site.place("place")
    if index is not None:
        site.log.insert(index, _move(site, site.log[index]["seat"]))
    return index


def _fourth_stone(site: Site) -> int | None:
    index = site.place("move")
    if index is not None:
        stone = {"type": "place", "seat": site.log[index]["seat"], "point": site.pick(list(POINTS))}
        site.log.insert(index, stone)
    return index


def _no_such_point(site: Site) -> int | None:
    index = next(_acts(site), None)
    if index is not None:
        keys = ["point"] if site.log[index]["type"] == "place" else ["from", "to"]
        site.log[index][site.pick(keys)] = site.pick(["a4", "d1", "A1", "b0", "1a"])
    return index


def _point_taken(site: Site) -> int | None:
    for index in _acts(site):
        taken = [point for stones in site.before(index).stones for point in stones]
        if taken:
            site.log[index]["point" if site.log[index]["type"] == "place" else "to"] = site.pick(taken)
            return index
    return None


def _stone_of_another(site: Site) -> int | None:
    """A move of the other's stone, or of one from a point where none lies."""
    index = site.place("move")
    if index is not None:
        own = site.before(index).stones[site.log[index]["seat"]]
        site.log[index]["from"] = site.pick([point for point in POINTS if point not in own])
    return index


def _slid_too_far(site: Site) -> int | None:
    """Only where stones slide."""
    if site.document["options"].get("movement") == "jump":
        return None
    for index in site.places("move"):
        moment = site.before(index)
        near = REACH["slide"][BIT[site.log[index]["from"]]]
        taken = [point for stones in moment.stones for point in stones]
        far = [point for point in POINTS if point not in taken and not BIT[point] & near]
        if far:
            site.log[index]["to"] = site.pick(far)
            return index
    return None


def _move_after_the_line(site: Site) -> int | None:
    return _move_after_the_end(site, claim_stands=False, is_drawn=False)


def _move_after_the_draw(site: Site) -> int | None:
    """After a claim of the draw, whether it came after 34 moves or after 40."""
    return _move_after_the_end(site, claim_stands=True, is_drawn=True)


def _move_after_the_end(site: Site, claim_stands: bool, is_drawn: bool) -> int | None:
    for index in site.places("score"):
        is_last = all(event["type"] != "round" for event in site.log[index:])
        if (site.log[index]["deal"] == [0, 0]) == is_drawn and not (claim_stands and is_last):
            at = index + 1 if claim_stands else index
            site.log.insert(at, _move(site, site.pick([0, 1])))
            return at
    return None


def _move(site: Site, seat: int) -> Event:
    return {"type": "move", "seat": seat, "from": site.pick(list(POINTS)), "to": site.pick(list(POINTS))}


def _round_in_a_round(site: Site) -> int | None:
    index = site.place("place")
    if index is not None:
        site.log.insert(index, {"type": "round", "first": site.pick([0, 1])})
    return index


def _refused_though_legal(site: Site) -> int | None:
    """An act is refused, and made again; after 34 moves it may be refused."""
    for index in _acts(site):
        start = max(at for at in range(index) if site.log[at]["type"] == "round")
        moves = [event for event in site.log[start:index] if event["type"] == "move"]
        if len(moves) < MOVES_AFTER_PLACEMENTS:
            site.log.insert(index, {**site.log[index], "refused": True})
            return index
    return None


FAULTS: Faults = {
    "round-begun-by-the-other": ("illegal", "round.first", _round_begun_by_the_other),
    "stone-out-of-turn": ("illegal", "turn.order", _stone_out_of_turn),
    "moved-while-placing": ("illegal", "turn.order", _moved_while_placing),
    "fourth-stone": ("illegal", "turn.order", _fourth_stone),
    "no-such-point": ("illegal", "board.point", _no_such_point),
    "point-taken": ("illegal", "board.point", _point_taken),
    "stone-of-another": ("illegal", "move.own", _stone_of_another),
    "slid-too-far": ("illegal", "move.adjacent", _slid_too_far),
    "move-after-the-line": ("illegal", "round.over", _move_after_the_line),
    "move-after-the-draw": ("illegal", "round.over", _move_after_the_draw),
    "round-in-a-round": ("illegal", "flow.kind", _round_in_a_round),
    "refused-though-legal": ("illegal", "refusal.legal", _refused_though_legal),
}
