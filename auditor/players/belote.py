"""Players of belote with contrée: they bid about what they can make, and double what they think cannot be made."""

from __future__ import annotations

from random import Random
from typing import Any

from auditor import cards, events
from auditor.contree import PAIR, ContreeAuction
from auditor.players import Players

#: One call in so many is made by the system because a clock ran out.
CALLS_PER_TIMEOUT = 200
#: One contre in so many is said out of turn.
CONTRES_PER_INTERRUPTION = 8


def _call(stage: ContreeAuction, chance: Random) -> Any:
    """Bid up to what the best suit promises with a fair share of help; contre a bid that the hand speaks against."""
    seat = stage.turn
    if chance.random() * CALLS_PER_TIMEOUT < 1:
        return (events.Accept if stage.is_contred else events.Pass)(seat=seat, by="timeout")
    hands = stage.table.hands
    if stage.is_contred:
        assert stage.standing is not None
        is_sure = _promise(hands[seat], stage.standing.trump) + 25 * chance.random() > _height(stage.standing) - 12
        return (events.Redouble if is_sure else events.Accept)(seat=seat)
    for opponent in (seat, stage.table.after(seat)):
        is_to_double = stage.standing is not None and _doubts(stage, opponent, chance)
        if is_to_double and (opponent == seat or chance.random() * CONTRES_PER_INTERRUPTION < 1):
            return events.Double(seat=opponent)
    return _bid(stage, chance) or events.Pass(seat=seat)


def _doubts(stage: ContreeAuction, seat: int, chance: Random) -> bool:
    """Whether a seat thinks that the opponents cannot make their bid."""
    assert stage.standing is not None
    if stage.table.side(seat) == stage.table.side(stage.declarer):
        return False
    against = _promise(stage.table.hands[seat], stage.standing.trump) + 30 * chance.random()
    return against + _height(stage.standing) > 178


def _bid(stage: ContreeAuction, chance: Random) -> events.ContreeBid | None:
    hand = stage.table.hands[stage.turn]
    suit = max(cards.SUITS, key=lambda suit: _promise(hand, suit))
    hope = _promise(hand, suit) + 38 + 15 * chance.random()
    standing = 80 if stage.standing is None else _height(stage.standing)
    is_partners = stage.standing is not None and stage.table.side(stage.declarer) == stage.table.side(stage.turn)
    if hope > 162 and standing <= 180:
        return events.ContreeBid(seat=stage.turn, capot=True, trump=suit)  # type: ignore[arg-type]
    highest = 180 if PAIR[suit] & ~hand == 0 else 160
    points = min(int(hope // 10) * 10, highest)
    if points <= standing or (is_partners and points < standing + 30):
        return None
    if chance.random() < 0.6:
        points = int(standing) + 10
    return events.ContreeBid(seat=stage.turn, points=points, trump=suit)  # type: ignore[arg-type]


def _height(bid: events.ContreeBid) -> int:
    return 250 if not isinstance(bid.points, int) else bid.points


def _promise(hand: int, suit: str) -> float:
    """About how many card points a hand takes by itself with a suit as trump."""
    held = set(cards.codes(hand))
    trumps = [card[0] for card in held if card[1] == suit]
    promise = 12.0 * max(0, len(trumps) - 2)
    promise += 24 * ("J" in trumps) + (18 if "J" in trumps or len(trumps) > 2 else 4) * ("9" in trumps)
    promise += 6 * ("A" in trumps) + 20 * ({"K", "Q"} <= set(trumps))
    for other in cards.SUITS:
        if other != suit and "A" + other in held:
            promise += 15 + 10 * ("T" + other in held)
    return promise


PLAYERS: Players = {ContreeAuction: _call}
