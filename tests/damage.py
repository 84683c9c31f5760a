"""Ways to damage a match at random, whatever is played. What comes out is still well-formed.

In: a source of chance and a document. Out: the document with something wrong in it, or perhaps not. Refuses to know any
game: what a way of damage needs of one, it is told when it is made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from .documents import Document, Event, inserted, one_seat, replaced, swapped, without

Damage = Callable[[random.Random, Document], Document]
#: Groups of event types: first a group is drawn, then an event of one of its types.
Kinds = Sequence[Sequence[str]]

CLAIMS = ("trick", "score", "result")
NEVER_REFUSED = ("note", *CLAIMS)


def damaged(
    rng: random.Random, document: Document, ways: Sequence[Damage], times: Sequence[int] = (1, 1, 1, 2, 3)
) -> Document:
    """The same match after some random changes."""
    for _ in range(rng.choice(times)):
        if document["events"]:
            document = rng.choice(ways)(rng, document)
    return document


def any_of(rng: random.Random, document: Document, *kinds: str) -> int:
    """The index of a random event, of one of these types if there is one."""
    events = document["events"]
    return rng.choice([at for at, event in enumerate(events) if event["type"] in kinds] or range(len(events)))


# --- Events go, come twice, or change places ------------------------------------------------------------------------


def drop(kinds: Kinds) -> Damage:
    def way(rng: random.Random, document: Document) -> Document:
        return without(document, any_of(rng, document, *rng.choice(kinds)))

    return way


def twice(kinds: Kinds) -> Damage:
    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, *rng.choice(kinds))
        return inserted(document, at, document["events"][at])

    return way


def swap_neighbours(kinds: Kinds) -> Damage:
    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, *rng.choice(kinds))
        return swapped(document, at, max(0, at - 1))

    return way


def swap_any(rng: random.Random, document: Document) -> Document:
    return swapped(document, any_of(rng, document), any_of(rng, document))


def cut(rng: random.Random, document: Document) -> Document:
    return document | {"events": document["events"][: rng.randrange(len(document["events"]) + 1)]}


def deal_in_the_middle(
    one_deal: Callable[[random.Random, Document], list[Event]], reach: int, lengths: Sequence[int]
) -> Damage:
    """From some event on, the log goes on with another deal, or its first events."""

    def way(rng: random.Random, document: Document) -> Document:
        start = any_of(rng, document, "deal")
        at = rng.randrange(start, min(start + reach, len(document["events"])))
        return inserted(document, at, *one_deal(rng, document)[: rng.choice(lengths)])

    return way


# --- Cards and seats ------------------------------------------------------------------------------------------------


def swap_cards(rng: random.Random, document: Document) -> Document:
    """Two plays exchange their cards."""
    at, other = any_of(rng, document, "play"), any_of(rng, document, "play")
    cards = document["events"][at].get("card"), document["events"][other].get("card")
    if None in cards:
        return document
    return replaced(replaced(document, at, card=cards[1]), other, card=cards[0])


def other_card_of_hand(reach: int, share: float) -> Damage:
    """A seat plays a card first that it plays later: a revoke, or only another order."""

    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, "play")
        event = document["events"][at]
        for other in range(at + 1, min(at + reach, len(document["events"]))):
            later = document["events"][other]
            if later["type"] == "play" and later["seat"] == event.get("seat") and rng.random() < share:
                return replaced(replaced(document, at, card=later["card"]), other, card=event.get("card"))
        return document

    return way


def change_seat(kinds: Kinds) -> Damage:
    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, *rng.choice(kinds))
        key = {"deal": "dealer", "trick": "winner", "result": "winner"}.get(document["events"][at]["type"], "seat")
        if document["events"][at]["type"] in ("score", "note"):
            return document
        most = 2 if document["events"][at]["type"] == "result" else 4
        return replaced(document, at, **{key: rng.randrange(most)})

    return way


def change_card(cards: Sequence[str]) -> Damage:
    """A play of another of these cards."""

    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, "play")
        if document["events"][at]["type"] != "play":
            return document
        return replaced(document, at, card=rng.choice(cards))

    return way


def change_hands(*foreign: str) -> Damage:
    """A card of a deal lies in another hand, twice, or is not of the pack; a hand is missing; or only another order."""

    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, "deal")
        if document["events"][at]["type"] != "deal":
            return document
        hands = [list(hand) for hand in document["events"][at]["hands"]]
        giver, taker = rng.sample(range(4), 2)
        if len(hands) != 4 or not hands[giver] or not hands[taker]:
            return document
        change = rng.randrange(6)
        if change == 0:
            hands[taker].append(hands[giver].pop())
        elif change == 1:
            hands[taker][0] = hands[giver][0]
        elif change == 2:
            hands.pop()
        elif change == 3:
            hands[taker][0] = rng.choice(foreign) if len(foreign) > 1 else foreign[0]
        elif change == 4:
            hands[giver].sort()
        else:
            hands[taker][0], hands[giver][0] = hands[giver][0], hands[taker][0]
        return replaced(document, at, hands=hands)

    return way


def hide(rng: random.Random, document: Document) -> Document:
    """The log of one seat."""
    return one_seat(document, rng.randrange(4))


# --- Claims, refusals, the clock ------------------------------------------------------------------------------------


def change_claim(numbers: Sequence[int]) -> Damage:
    """A score or a result with one of these numbers in it."""

    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, "score", "result")
        event = document["events"][at]
        if event["type"] not in ("score", "result"):
            return document
        key = rng.choice(["deal", "total"]) if event["type"] == "score" else "total"
        pair = list(event[key])
        pair[rng.randrange(2)] = rng.choice(numbers)
        return replaced(document, at, **{key: pair})

    return way


def refuse(moves: Kinds) -> Damage:
    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, *rng.choice(moves))
        if document["events"][at]["type"] in NEVER_REFUSED:
            return document
        return replaced(document, at, refused=True)

    return way


def refuse_first(moves: Kinds) -> Damage:
    """A move is refused and made again."""

    def way(rng: random.Random, document: Document) -> Document:
        at = any_of(rng, document, *rng.choice(moves))
        if document["events"][at]["type"] in NEVER_REFUSED:
            return document
        return inserted(document, at, document["events"][at] | {"refused": True})

    return way


def time_out(moves: Kinds) -> Damage:
    def way(rng: random.Random, document: Document) -> Document:
        return replaced(document, any_of(rng, document, *rng.choice(moves)), by="timeout")

    return way
