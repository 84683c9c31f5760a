"""Random matches of rami-tounsi: legal ones from the players, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from auditor import generate
from auditor.games import GAMES
from tests import damage, documents
from tests.documents import Document, Event

from . import oracle

PACK = [*oracle.pack_of(0)[:52], "JK"]


def legal_matches(seed: int, whole: bool = False) -> Iterator[Document]:
    """Short matches of every kind; if they need not be ``whole``, some lack claims or stop early."""
    number = 0
    while True:
        rng = random.Random(f"{seed} {number}")
        options: dict[str, Any] = {"target": rng.choice([1, 60, 150, 300])}
        for key, values in (
            ("variant", ["classic", "simple"]),
            ("opening", [51, 51, 61, 71]),
            ("jokers", [4, 4, 3, 2, 1, 0]),
            ("hand_size", [13, 14]),
            ("ace_penalty", [1, 10, 11]),
            ("joker_penalty", [0, 25, -5]),
        ):
            if rng.random() < 0.5:
                options[key] = rng.choice(values)
        drawn = generate.matches(GAMES["rami-tounsi"], 3, rng.randrange(10**9), options, rng.random() < 0.15)
        document = rng.choice(list(drawn))  # with two, three and four players
        if whole:
            yield document
            number += 1
            continue
        events = [event for event in document["events"] if event["type"] != "score" or rng.random() < 0.8]
        if rng.random() < 0.3:
            events = events[: rng.randrange(len(events) + 1)]
        yield document | {"events": events}
        number += 1


def damaged(rng: random.Random, document: Document) -> Document:
    """The same match with one to three things wrong, or perhaps not."""
    return damage.damaged(rng, document, _DAMAGES, (1, 1, 2, 3))


def _any(rng: random.Random, document: Document, *kinds: str) -> int | None:
    places = [at for at, event in enumerate(document["events"]) if not kinds or event["type"] in kinds]
    return rng.choice(places) if places else None


_SEATED = ("draw", "discard", "meld", "add", "swap", "return")


def _drop(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_KINDS))
    return document if at is None else documents.without(document, at)


def _double(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_KINDS))
    return document if at is None else documents.inserted(document, at, document["events"][at])


def _swap_neighbours(rng: random.Random, document: Document) -> Document:
    events = list(document["events"])
    if len(events) < 2:
        return document
    at = rng.randrange(len(events) - 1)
    events[at], events[at + 1] = events[at + 1], events[at]
    return document | {"events": events}


def _change_seat(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *_SEATED, "deal")
    if at is None:
        return document
    key = "dealer" if document["events"][at]["type"] == "deal" else "seat"
    return documents.replaced(document, at, **{key: rng.randrange(len(document["players"]))})


def _change_card(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "draw", "discard", "swap")
    return document if at is None else documents.replaced(document, at, card=rng.choice(PACK))


def _change_cards(rng: random.Random, document: Document) -> Document:
    """A card of a meld or an add goes, comes twice, or becomes another one; a joker says something else."""
    at = _any(rng, document, "meld", "add")
    if at is None:
        return document
    cards = list(document["events"][at]["cards"])
    place = rng.randrange(len(cards)) if cards else 0
    change = rng.randrange(5)
    if change == 0:
        cards = cards[:place] + cards[place + 1 :]
    elif change == 1:
        cards = [*cards, rng.choice([*cards, *PACK])]
    elif cards and change == 2:
        cards[place] = rng.choice(["JK", f"JK:{rng.choice(PACK[:52])}"])
    elif cards and change == 3:
        cards[place] = rng.choice(PACK)
    elif cards and cards[place].startswith("JK:"):
        cards[place] = "JK"
    return documents.replaced(document, at, cards=cards)


def _change_meld(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "add", "swap")
    return document if at is None else documents.replaced(document, at, meld=rng.randrange(12))


def _change_pile(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "draw")
    if at is None:
        return document
    other = "stock" if document["events"][at]["from"] == "discard" else "discard"
    return documents.replaced(document, at, **{"from": other})


def _change_deal(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "deal")
    if at is None:
        return document
    event = document["events"][at]
    hands = [list(hand) for hand in event["hands"]]
    giver, taker = rng.sample(range(len(hands)), 2)
    change = rng.randrange(7)
    fields: dict[str, Any] = {}
    if change == 0 and hands[giver]:
        hands[taker].append(hands[giver].pop())
    elif change == 1 and hands[taker]:
        hands[taker][0] = rng.choice(PACK)
    elif change == 2 and hands[taker] and hands[giver]:
        hands[taker][0], hands[giver][0] = hands[giver][0], hands[taker][0]
    elif change == 3 and "stock" in event:
        fields["stock"] = event["stock"][1:]
    elif change == 4 and len(event.get("stock", ())) > 1:
        fields["stock"] = [event["stock"][1], event["stock"][0], *event["stock"][2:]]
    elif change == 5:
        fields["stock"] = None
    elif change == 6:
        fields["upcard"] = rng.choice(PACK)
    return documents.replaced(document, at, hands=hands, **fields)


def _change_claim(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "score", "result")
    if at is None:
        return document
    event = document["events"][at]
    key = rng.choice(["deal", "total"]) if event["type"] == "score" else "total"
    numbers = list(event[key])
    numbers[rng.randrange(len(numbers))] += rng.choice([-10, 5, 10, 15, 20, 50])
    return documents.replaced(document, at, **{key: numbers})


def _refuse(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *_SEATED, "reshuffle", "deal")
    return document if at is None else documents.replaced(document, at, refused=True)


def _time_out(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *_SEATED)
    return document if at is None else documents.replaced(document, at, by="timeout")


def _insert_acts(rng: random.Random, document: Document) -> Document:
    """Acts of the seat that acts there, with cards that it may hold; most of them refused, so that nothing changes."""
    refused = rng.random() < 0.8
    for _ in range(rng.choice([1, 5, 20]) if refused else 1):
        at = _any(rng, document, *_SEATED)
        if at is None:
            return document
        act = _some_act(rng, document, at)
        if refused:
            act["refused"] = True
        document = documents.inserted(document, at, act)
    return document


def _some_act(rng: random.Random, document: Document, at: int) -> Event:
    seat = document["events"][at]["seat"]
    near = _cards_of(document, at, seat)
    kind = rng.choice(["meld", "meld", "meld", "add", "add", "swap", "discard", "discard", "return", "draw"])
    if kind == "meld":
        return {"type": "meld", "seat": seat, "cards": _some_cards(rng, near, rng.choice([1, 3, 3, 3, 4, 4, 5]))}
    if kind == "add":
        cards = _some_cards(rng, near, rng.choice([1, 1, 1, 2]))
        return {"type": "add", "seat": seat, "meld": rng.randrange(6), "cards": cards}
    if kind == "swap":
        return {"type": "swap", "seat": seat, "meld": rng.randrange(6), "card": rng.choice(near)}
    if kind == "discard":
        return {"type": "discard", "seat": seat, "card": rng.choice(near)}
    if kind == "draw":
        return {"type": "draw", "seat": seat, "from": rng.choice(["stock", "discard"]), "card": rng.choice(near)}
    return {"type": "return", "seat": seat}


def _some_cards(rng: random.Random, near: list[str], count: int) -> list[str]:
    """Cards that may go together: of a rank, or of a suit side by side; jokers among them, saying something or not."""
    first = rng.choice(near)
    like = [card for card in near if card[0] == first[0]] if rng.random() < 0.5 else _neighbours(near, first)
    cards = like[:count] if rng.random() < 0.8 else rng.sample(near, min(count, len(near)))
    if rng.random() < 0.4:
        label = rng.choice(near)
        cards = [*cards[: count - 1], rng.choice(["JK", f"JK:{label}" if label != "JK" else "JK"])]
    rng.shuffle(cards)
    return cards


def _neighbours(near: list[str], first: str) -> list[str]:
    suit = sorted({card for card in near if card[1] == first[1]}, key=lambda card: "23456789TJQKA".find(card[0]))
    return suit[suit.index(first) :]


def _cards_of(document: Document, at: int, seat: int) -> list[str]:
    """Cards that passed through the hand of a seat in this round."""
    cards = ["JK"]
    for event in document["events"][:at]:
        if event["type"] == "deal":
            cards = ["JK", *event["hands"][seat]] if seat < len(event["hands"]) else cards
        elif event.get("seat") == seat and event["type"] == "draw":
            cards.append(event["card"])
    return cards


_KINDS = (_SEATED, ("meld", "add"), ("draw",), ("discard",), ("deal",), ("score", "result"))
_DAMAGES = (
    _drop,
    _drop,
    _double,
    _swap_neighbours,
    _change_seat,
    _change_card,
    _change_cards,
    _change_cards,
    _change_cards,
    _change_meld,
    _change_pile,
    _change_deal,
    _change_claim,
    _refuse,
    _time_out,
    damage.cut,
    _insert_acts,
    _insert_acts,
    _insert_acts,
)
