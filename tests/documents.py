"""Matches as the plain dicts of a log: what the tests of every game do with them, whatever is played.

In: events and documents. Out: other documents, and the verdict on one. Refuses to know any game.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from auditor import replay, rulebook
from auditor import verdict as verdicts
from auditor.games import FORMS, GAMES

Event = dict[str, Any]
Document = dict[str, Any]
Hands = list[list[str]]
#: Kind, clause, event and seat of a finding.
Row = tuple[str, str, int | None, int | None]


# --- The auditor, asked ---------------------------------------------------------------------------------------------


def verdict(document: Document) -> dict[str, Any]:
    """What the auditor says of a match, as a document of plain values."""
    match = msgspec.json.decode(msgspec.json.encode(document), type=FORMS[document["ruleset"]])
    said: dict[str, Any] = msgspec.json.decode(verdicts.to_json(replay.audit(GAMES[document["ruleset"]], match)))
    check_ledgers(said)
    check_links(said)
    return said


def check_ledgers(said: dict[str, Any]) -> None:
    """The lines of each deal add up to its points, cite the score of its rulebook, and come from events of the deal."""
    entries = rulebook.book(said["ruleset"]).entries
    for deal in said["deals"]:
        if deal["outcome"] != "scored":
            assert deal["lines"] == []
            continue
        counted = [line for line in deal["lines"] if line["unit"] == "points"]
        sides = range(len(deal["points"]))
        assert {line["side"] for line in counted} == set(sides)
        assert deal["points"] == [sum(line["points"] for line in counted if line["side"] == side) for side in sides]
        first, last = deal["events"]
        for line in deal["lines"]:
            assert line["clause"].startswith("score.")
            assert line["clause"] in entries
            assert line["events"] == sorted(set(line["events"])) != []
            assert first <= line["events"][0] <= line["events"][-1] <= last


def check_links(said: dict[str, Any]) -> None:
    """A finding follows from an earlier one that accuses; only a wrong score is against lines, and those count."""
    for number, finding in enumerate(said["findings"]):
        if "follows" in finding:
            origin = said["findings"][finding["follows"]]
            assert finding["follows"] < number
            assert origin["kind"] in ("illegal", "claim")
            assert origin["event"] < finding["event"]
        if "against" in finding:
            assert finding["clause"] == "claim.score"
            [deal] = [deal for deal in said["deals"] if deal["events"][0] <= finding["event"] <= deal["events"][1]]
            wrong = {side for side, points in enumerate(deal["points"]) if points != finding["found"][side]}
            lines = [(at, line) for at, line in enumerate(deal["lines"]) if line["unit"] == "points"]
            assert finding["against"] == [at for at, line in lines if line["side"] in wrong] != []


def findings(said: dict[str, Any]) -> list[Row]:
    """Kind, clause, event and seat of each finding, in the order of the verdict."""
    return [(row["kind"], row["clause"], row["event"], row.get("seat")) for row in said["findings"]]


# --- Documents ------------------------------------------------------------------------------------------------------


def match_of(ruleset: str, events: Iterable[Event], seats: int = 4, **keys: Any) -> Document:
    """A match around these events; ``keys`` are further keys of the match object."""
    return {
        "format": "match-log/1",
        "match": "m-1",
        "ruleset": ruleset,
        "players": [{"id": f"p{seat}"} for seat in range(seats)],
        "events": list(events),
        **keys,
    }


def replaced(document: Document, at: int, **fields: Any) -> Document:
    """The same match with other values in event ``at``; ``None`` takes a key out."""
    events = list(document["events"])
    kept = {key: value for key, value in events[at].items() if key not in fields}
    events[at] = kept | {key: value for key, value in fields.items() if value is not None}
    return document | {"events": events}


def inserted(document: Document, at: int, *new: Event) -> Document:
    """The same match with more events before event ``at``."""
    return document | {"events": [*document["events"][:at], *new, *document["events"][at:]]}


def without(document: Document, *gone: int) -> Document:
    """The same match without some of its events."""
    return document | {"events": [event for at, event in enumerate(document["events"]) if at not in gone]}


def swapped(document: Document, at: int, other: int) -> Document:
    """The same match with two of its events in each other's place."""
    events = list(document["events"])
    events[at], events[other] = events[other], events[at]
    return document | {"events": events}


def one_seat(document: Document, seen: int) -> Document:
    """The log of one seat: what the others held was never seen."""
    events = [
        event | {"hands": [hand if seat == seen else ["??"] * len(hand) for seat, hand in enumerate(event["hands"])]}
        if event["type"] == "deal"
        else event
        for event in document["events"]
    ]
    return document | {"events": events}


def where(document: Document, kind: str, nth: int = 0) -> int:
    """The index of the ``nth`` event of a type; a negative ``nth`` counts from the end."""
    return [at for at, event in enumerate(document["events"]) if event["type"] == kind][nth]


def with_claims(document: Document, judge: Callable[[Document], dict[str, Any]]) -> Document:
    """The same match with a right score claim after every deal that is over, and a right result at the end."""
    events: list[Event] = []
    for event in [*document["events"], None]:
        if event is None or event["type"] == "deal":
            said = judge(document | {"events": events})
            if said["deals"] and said["deals"][-1]["outcome"] != "unfinished":
                events.append(score(said["deals"][-1]["points"] or (0, 0), said["totals"]))
        if event is not None:
            events.append(event)
    said = judge(document | {"events": events})
    return document | {"events": [*events, result(said["winner"], said["totals"])]}


# --- Hands ----------------------------------------------------------------------------------------------------------


def shuffled_out(rng: random.Random, pack: Sequence[str]) -> Hands:
    """The whole pack in four random hands."""
    left = list(pack)
    rng.shuffle(left)
    size = len(left) // 4
    return [left[size * seat : size * (seat + 1)] for seat in range(4)]


def filled_up(hands: Iterable[str], pack: Sequence[str]) -> Hands:
    """Four hands from texts such as ``"AS KS 7H"``; what is left out is dealt in pack order."""
    stated = [text.split() for text in hands]
    stated += [[] for _ in range(4 - len(stated))]
    rest = [card for card in pack if not any(card in hand for hand in stated)]
    for hand in stated:
        missing = len(pack) // 4 - len(hand)
        hand.extend(rest[:missing])
        del rest[:missing]
    return stated


def hidden(hands: Hands, *seats: int) -> Hands:
    """The same hands with the cards of some seats unseen."""
    return [["??"] * len(hand) if seat in seats else list(hand) for seat, hand in enumerate(hands)]


# --- Events ---------------------------------------------------------------------------------------------------------


def deal(hands: Sequence[Sequence[str]], dealer: int = 0) -> Event:
    return {"type": "deal", "dealer": dealer, "hands": [list(hand) for hand in hands]}


def passes(seat: int, **keys: Any) -> Event:
    return {"type": "pass", "seat": seat, **keys}


def play(seat: int, card: str, **keys: Any) -> Event:
    return {"type": "play", "seat": seat, "card": card, **keys}


def trick(winner: int, **keys: Any) -> Event:
    return {"type": "trick", "winner": winner, **keys}


def score(points: Iterable[int], total: Iterable[int]) -> Event:
    return {"type": "score", "deal": list(points), "total": list(total)}


def result(winner: int | None, total: Iterable[int]) -> Event:
    return {"type": "result", "winner": winner, "total": list(total)}


# --- Shuffle proofs -------------------------------------------------------------------------------------------------


def shuffle_proof(server_seed: str = "00ff10", client_seed: str = "dice") -> dict[str, str]:
    return {
        "scheme": "hmac-sha256-fisher-yates/1",
        "commitment": hashlib.sha256(bytes.fromhex(server_seed)).hexdigest(),
        "server_seed": server_seed,
        "client_seed": client_seed,
    }
