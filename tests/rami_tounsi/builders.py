"""Small functions that lay out matches of rami-tounsi for tests, as the plain dicts of a log.

In: hands as text, acts in one line each. Out: events, and documents around them; the verdict on such a document.
Refuses to know what the auditor knows.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from auditor import replay
from auditor import verdict as verdicts
from auditor.games import FORMS, GAMES

from . import oracle
from .oracle import Event

Document = dict[str, Any]
Hands = list[list[str]]
Row = tuple[str, str, int | None, int | None]


# --- The auditor, asked ---------------------------------------------------------------------------------------------


def verdict(document: Document) -> dict[str, Any]:
    """What the auditor says of a match, as a document of plain values."""
    match = msgspec.json.decode(msgspec.json.encode(document), type=FORMS["rami-tounsi"])
    said: dict[str, Any] = msgspec.json.decode(verdicts.to_json(replay.audit(GAMES["rami-tounsi"], match)))
    return said


def findings(said: dict[str, Any]) -> list[Row]:
    """Kind, clause, event and seat of each finding, in the order of the verdict."""
    return [(row["kind"], row["clause"], row["event"], row.get("seat")) for row in said["findings"]]


# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], seats: int = 2, **keys: Any) -> Document:
    """A match around these events; ``keys`` are further keys of the match object."""
    return {
        "format": "match-log/1",
        "match": "m-1",
        "ruleset": "rami-tounsi",
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


# --- Deals ----------------------------------------------------------------------------------------------------------


def rest_of(hands: Sequence[Sequence[str]], *others: str, jokers: int = 4) -> list[str]:
    """What is left of the packs, in pack order."""
    left = list(oracle.pack_of(jokers))
    for card in [card for hand in hands for card in hand] + list(others):
        left.remove(card)
    return left


def hands_of(*texts: str, size: int = 13, jokers: int = 4) -> Hands:
    """Hands from texts such as ``"AS KS 2H"``, filled up to ``size`` with whatever is left, low cards first."""
    stated = [text.split() for text in texts]
    left = Counter(oracle.pack_of(jokers)) - Counter(card for hand in stated for card in hand)
    filler = [card for card in FILLER if card in left]
    for hand in stated:
        for card in list(filler):
            if len(hand) >= size:
                break
            if left[card] and card not in hand:
                hand.append(card)
                left[card] -= 1
    return stated


#: What hands are filled up with, in this order.
FILLER = [rank + suit for ranks in ("2", "5", "8", "J", "3", "6", "9", "Q") for rank in ranks for suit in "CDHS"]


def deal(
    hands: Hands, dealer: int = 0, stock: str | Sequence[str] | None = None, upcard: str | None = None, jokers: int = 4
) -> Event:
    """A deal with its whole stock; ``stock`` are the cards on top of it, ``None`` leaves it out of the log."""
    event: Event = {"type": "deal", "dealer": dealer, "hands": [list(hand) for hand in hands]}
    if upcard is not None:
        event["upcard"] = upcard
    if stock is not None:
        top = stock.split() if isinstance(stock, str) else list(stock)
        event["stock"] = top + rest_of(hands, *top, *([upcard] if upcard else []), jokers=jokers)
    return event


def acts(*lines: str) -> list[Event]:
    """Acts of a round from lines such as ``"0 draw 7H"``, ``"0 take 7H"``, ``"0 meld 4H JK:5H 6H"``, ``"1 add 0 7H"``,
    ``"1 swap 0 5H"``, ``"0 return"``, ``"0 throw KS"``, ``"reshuffle 7H 8H"``; a ``-`` in front: refused.
    """
    return [_act(line) for line in lines]


def _act(line: str) -> Event:
    words = line.lstrip("-").split()
    if words[0] == "reshuffle":
        event: Event = {"type": "reshuffle", "stock": words[1:]}
    else:
        seat, verb, *rest = words
        event = {"seat": int(seat)}
        match verb:
            case "draw" | "take":
                event |= {"type": "draw", "from": "stock" if verb == "draw" else "discard", "card": rest[0]}
            case "meld":
                event |= {"type": "meld", "cards": rest}
            case "add":
                event |= {"type": "add", "meld": int(rest[0]), "cards": rest[1:]}
            case "swap":
                event |= {"type": "swap", "meld": int(rest[0]), "card": rest[1]}
            case "return":
                event |= {"type": "return"}
            case "throw":
                event |= {"type": "discard", "card": rest[0]}
            case _:
                raise ValueError(line)
    return event | ({"refused": True} if line.startswith("-") else {})


def score(points: Iterable[int], total: Iterable[int]) -> Event:
    return {"type": "score", "deal": list(points), "total": list(total)}


def result(winner: int | None, total: Iterable[int]) -> Event:
    return {"type": "result", "winner": winner, "total": list(total)}


def shuffle_proof(server_seed: str = "00ff", client_seed: str = "c") -> dict[str, str]:
    return {
        "scheme": "hmac-sha256-fisher-yates/1",
        "commitment": hashlib.sha256(bytes.fromhex(server_seed)).hexdigest(),
        "server_seed": server_seed,
        "client_seed": client_seed,
    }
