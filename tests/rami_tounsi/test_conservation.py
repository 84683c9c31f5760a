"""After every event each card of the packs is in one place, and hands have as many cards as they should."""

from __future__ import annotations

import random

import msgspec
import pytest

from auditor import cards, melds
from auditor.games import GAMES
from auditor.replay import Replay
from auditor.stock import Spread
from tests.documents import Document

from . import chances, oracle
from .test_one_seat import seen_by

GAME = GAMES["rami-tounsi"]


def check(document: Document) -> None:
    """Replay event by event: hands, melds, discards, stock and what is placed nowhere make up the packs."""
    match = msgspec.convert(document, GAME.form)
    replay = Replay(GAME, match)
    pack = cards.counted(oracle.pack_of(replay.table.options["jokers"]))
    for index, event in enumerate(match.events):
        replay._hear(index, event)
        table = replay.table
        spread = table.layout
        if not isinstance(spread, Spread):
            continue
        laid = [melds.in_hand(card) for meld in spread.melds for card in meld.cards]
        placed = sum(table.hands) + cards.counted([*laid, *spread.discards, *spread.stock])
        assert placed + table.hidden == pack, index
        unseen_stock = spread.stock.count("??")
        assert len(cards.listed(table.hidden)) == sum(table.unseen) + unseen_stock, index
        for seat, size in enumerate(spread.hand_sizes):
            assert len(table.held(seat)) + table.unseen[seat] == size, index
            assert 0 <= spread.swapped_jokers[seat] <= table.held(seat).count("JK"), index


@pytest.mark.parametrize("batch", range(4))
def test_cards_are_conserved(batch: int) -> None:
    for number, document in zip(range(4), chances.legal_matches(500 + batch), strict=False):
        check(document)
        check(seen_by(0, document))
        for again in range(4):
            damaged = chances.damaged(random.Random(f"{batch} {number} {again}"), document)
            check(damaged)
            check(seen_by(0, damaged))
