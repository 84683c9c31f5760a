"""Small functions that lay out matches of rami-tounsi for tests, as the plain dicts of a log.

In: hands as text, acts in one line each. Out: events, and documents around them.
Refuses to know what the auditor knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tests.documents import Document, Event, Hands, match_of

from . import oracle

# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], seats: int = 2, **keys: Any) -> Document:
    """A match around these events; ``keys`` are further keys of the match object."""
    return match_of("rami-tounsi", events, seats, **keys)


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
