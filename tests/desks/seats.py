"""The logs that the clients of a table would have written, and what may go wrong with one of them.

In: the server's log of a match. Out: the same match as each seat sees it, and a damaged one. Refuses to know rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from auditor.audit import verdict_on
from auditor.desks.reconciliation import Reconciliation, reconciled
from auditor.games import FORMS
from auditor.log import Log, read_bytes
from tests.documents import Document, Event, inserted, replaced, swapped, without

SUITS = "CDHS"
RANKS = "789TJQKA"


def seen_by(seat: int, document: Document) -> Document:
    """The match as the client of one seat logs it: by its own clock, with ``??`` for what it cannot see."""
    events = []
    for event in document["events"]:
        event = {key: value for key, value in event.items() if key not in ("at", "by")}
        match event["type"]:
            case "deal":
                event["hands"] = [
                    hand if other == seat else ["??"] * len(hand) for other, hand in enumerate(event["hands"])
                ]
                event.pop("stock", None)
            case "draw" if event["from"] == "stock" and event["seat"] != seat:
                event["card"] = "??"
            case "trump" if "card" in event and event["seat"] != seat:
                event["card"] = "??"
            case "reshuffle":
                event["stock"] = ["??"] * len(event["stock"])
        events.append(event)
    return document | {"events": events, "producer": {"name": "client", "build": str(seat)}}


def all_views(document: Document) -> list[Document]:
    """The server's log, and one of each seat."""
    return [document, *(seen_by(seat, document) for seat in range(len(document["players"])))]


def logs_of(documents: list[Document]) -> list[Log]:
    logs = [read_bytes(msgspec.json.encode(document), FORMS, f"log-{at}") for at, document in enumerate(documents)]
    assert all(isinstance(log, Log) for log in logs), logs
    return [log for log in logs if isinstance(log, Log)]


def reconcile(documents: list[Document]) -> Reconciliation:
    logs = logs_of(documents)
    return reconciled(logs, [verdict_on(log) for log in logs])


class Damage(NamedTuple):
    """A log with one thing wrong: the indexes at which it can show in the damaged log, and in the others."""

    document: Document
    there: set[int]
    elsewhere: set[int]


def dropped(rng: random.Random, document: Document) -> Damage | None:
    at = _somewhere(rng, document, lambda event: event["type"] not in ("result", "score"))
    return Damage(without(document, at), set(), {at})


def doubled(rng: random.Random, document: Document) -> Damage | None:
    at = _somewhere(rng, document)
    return Damage(inserted(document, at, document["events"][at]), {at, at + 1}, set())


def exchanged(rng: random.Random, document: Document) -> Damage | None:
    """Two neighbours in each other's place."""
    at = rng.randrange(len(document["events"]) - 1)
    one, other = document["events"][at : at + 2]
    if {**one, "at": 0} == {**other, "at": 0}:
        return None
    return Damage(swapped(document, at, at + 1), {at, at + 1}, {at, at + 1})


def by_another_seat(rng: random.Random, document: Document) -> Damage | None:
    at = _somewhere(rng, document, lambda event: "seat" in event)
    seats = len(document["players"])
    seat = (document["events"][at]["seat"] + rng.randrange(1, seats)) % seats
    return Damage(replaced(document, at, seat=seat), {at}, {at})


def another_card(rng: random.Random, document: Document) -> Damage | None:
    at = _somewhere(rng, document, lambda event: event.get("card", "??") not in ("??", "JK"))
    return Damage(replaced(document, at, card=_other(rng, document["events"][at]["card"])), {at}, {at})


def another_card_dealt(rng: random.Random, document: Document) -> Damage | None:
    """In a hand that the log shows, one card is another."""
    at = _somewhere(rng, document, lambda event: event["type"] == "deal")
    hands = [list(hand) for hand in document["events"][at]["hands"]]
    seat = rng.choice([seat for seat, hand in enumerate(hands) if "??" not in hand])
    card = rng.choice([card for card in hands[seat] if card != "JK"])
    hands[seat][hands[seat].index(card)] = _other(rng, card)
    return Damage(replaced(document, at, hands=hands), {at}, {at})


def another_claim(rng: random.Random, document: Document) -> Damage | None:
    at = _somewhere(rng, document, lambda event: event["type"] in ("score", "result"))
    event = document["events"][at]
    totals = [event["total"][0] + rng.choice((-10, 1, 8)), *event["total"][1:]]
    return Damage(replaced(document, at, total=totals), {at}, {at})


def another_number(rng: random.Random, document: Document) -> Damage | None:
    """A bid of more or less, or another winner of a trick."""
    at = _somewhere(rng, document, lambda event: event["type"] == "trick" or "tricks" in event or "points" in event)
    event = document["events"][at]
    if event["type"] == "trick":
        return Damage(replaced(document, at, winner=(event["winner"] + rng.randrange(1, 4)) % 4), {at}, {at})
    key = "tricks" if "tricks" in event else "points"
    return Damage(replaced(document, at, **{key: event[key] + rng.choice((-1, 1))}), {at}, {at})


DAMAGES: dict[str, Callable[[random.Random, Document], Damage | None]] = {
    damage.__name__: damage
    for damage in (
        dropped,
        doubled,
        exchanged,
        by_another_seat,
        another_card,
        another_card_dealt,
        another_claim,
        another_number,
    )
}


def _somewhere(rng: random.Random, document: Document, fits: Callable[[Event], Any] = bool) -> int:
    return rng.choice([at for at, event in enumerate(document["events"]) if fits(event)])


def _other(rng: random.Random, card: str) -> str:
    return rng.choice([rank + suit for rank in RANKS for suit in SUITS if rank + suit != card])
