"""Players of trick games with an auction of tricks: they bid about what they can make, and play to win."""

from __future__ import annotations

from random import Random

from auditor import cards, events
from auditor.auctions import Auction, TrumpNaming
from auditor.players import Players
from auditor.tricks import NATURAL, Trick


def _call(stage: Auction, chance: Random) -> events.TricksBid | events.Pass:
    """Bid up to what the best suit of the hand promises, counting on a fair share of help from the partner."""
    hand = stage.table.hands[stage.turn]
    hope = max(_tricks_in(hand, trump) for trump in cards.SUIT.values()) + 2.3 + chance.random()
    bids = [int(bid) for bid in stage.bids.legal(stage.standing)]
    partner_bids = stage.standing is not None and stage.table.side(stage.declarer) == stage.table.side(stage.turn)
    if not bids or bids[0] > hope or partner_bids:
        return events.Pass(seat=stage.turn)
    tricks = bids[0] if chance.random() < 0.7 else min(int(hope), bids[-1])
    return events.TricksBid(seat=stage.turn, tricks=tricks)


def _tricks_in(hand: int, trump: int) -> float:
    """A rough count of the tricks in a hand: honours that are likely to hold, and long trumps."""
    tricks = max(0, (hand & trump).bit_count() - 3) * 0.9
    for suit in cards.SUIT.values():
        held = [NATURAL.rank[cards.BIT[code]] for code in cards.codes(hand & suit)]
        tricks += (12 in held) + 0.7 * (11 in held and len(held) > 1) + 0.35 * (10 in held and len(held) > 2)
    return tricks


def _name_trump(stage: TrumpNaming, chance: Random) -> events.NameTrump:
    hand = stage.table.hands[stage.turn]
    best = max(cards.SUIT, key=lambda suit: _tricks_in(hand, cards.SUIT[suit]))
    return events.NameTrump(seat=stage.turn, suit=best)  # type: ignore[arg-type]


def _play(stage: Trick, chance: Random) -> events.Play:
    """Lead from the top of a suit or from the bottom; then win as cheaply as may be, unless the partner is winning."""
    playable = [cards.BIT[code] for code in cards.codes(stage.playable)]
    lowest = min(playable, key=lambda card: (bool(card & stage.trump), NATURAL.rank[card]))
    if not stage.plays:
        highest = max(playable, key=lambda card: NATURAL.rank[card])
        card = highest if NATURAL.rank[highest] >= 11 or chance.random() < 0.2 else lowest
    elif _is_partner_winning(stage):
        card = lowest
    else:
        played = sum(stage.plays)
        winners = [card for card in playable if stage.best(played | card) == card]
        card = min(winners, key=lambda card: (bool(card & stage.trump), NATURAL.rank[card]), default=lowest)
    return events.Play(seat=stage.turn, card=cards.code(card))  # type: ignore[arg-type]


def _is_partner_winning(stage: Trick) -> bool:
    winner = stage.leader + stage.plays.index(stage.best(sum(stage.plays)))
    return stage.table.side(winner) == stage.table.side(stage.turn)


PLAYERS: Players = {Auction: _call, TrumpNaming: _name_trump, Trick: _play}
