"""Archives as logs: deals of a dealer written down, one a match, and what the examination says of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from auditor.errors import Place
from auditor.fairness.account import Account, Part
from auditor.fairness.counting import Deals
from auditor.fairness.dealers import Dealer, dealt
from auditor.fairness.deck import Deck, deck_of
from auditor.fairness.examination import examined
from auditor.games import FORMS, GAMES
from auditor.log import Log, Reader, Unreadable


def deck(ruleset: str, seat_count: int | None = None, **options: Any) -> Deck:
    game = GAMES[ruleset]
    found = deck_of(game, seat_count or max(game.seat_counts), options)
    assert found is not None
    return found


def document(ruleset: str, match: str, events: Sequence[dict[str, Any]], seats: int = 4, **keys: Any) -> dict[str, Any]:
    players = [{"id": f"p{seat}"} for seat in range(seats)]
    head = {"format": "match-log/1", "match": match, "ruleset": ruleset, "players": players}
    return {**head, "events": list(events), **keys}


def deal_event(dealer: int, hands: Sequence[Sequence[str]], **keys: Any) -> dict[str, Any]:
    return {"type": "deal", "dealer": dealer, "hands": [list(hand) for hand in hands], **keys}


def logs_of(ruleset: str, dealer: Dealer, count: int, seed: int) -> list[dict[str, Any]]:
    """``count`` matches that stop after their first deal."""
    [deals] = dealt(deck(ruleset), dealer, count, seed)
    return [
        document(ruleset, f"M{row}", [deal_event(int(deals.dealers[row]), hands_of(deals, row))])
        for row in range(count)
    ]


def hands_of(deals: Deals, row: int) -> list[list[str]]:
    return [[deals.deck.kinds[kind] for kind in np.repeat(np.arange(len(hand)), hand)] for hand in deals.hands[row]]


def read(documents: Iterable[dict[str, Any]]) -> list[Log | Unreadable]:
    reader = Reader(FORMS)
    return [reader.read(json.dumps(it).encode(), Place("test", 1, 0)) for it in documents]


def entries(documents: Iterable[dict[str, Any]]) -> list[Log]:
    """The logs that the documents are."""
    return [entry for entry in read(documents) if isinstance(entry, Log)]


def account(documents: Iterable[dict[str, Any]], **options: Any) -> Account:
    return examined(read(documents), **options)


def part(documents: Iterable[dict[str, Any]], **options: Any) -> Part:
    """What is said of the one ruleset that the documents are of."""
    [found] = account(documents, **options).parts
    return found


def unusual(found: Part) -> list[str]:
    return [answer.question for answer in found.unusual]
