"""Players of Egyptian Tarneeb: what is said after a double, and the auction in which no pass is final."""

from __future__ import annotations

from random import Random

from auditor import cards, events
from auditor.auctions import Answer, Confirmation
from auditor.circling import CirclingAuction
from auditor.players import Players
from auditor.players.tarneeb import best_bid, doubts, tricks_in


def _answer(stage: Answer, chance: Random) -> events.Accept | events.Redouble:
    """Redouble what looks safe, or as a bluff now and then."""
    bid = stage.auction.standing
    assert bid is not None
    hope = tricks_in(stage.auction.table.hands[stage.turn], cards.SUIT.get(bid.trump, 0)) + 3.3
    if hope > bid.tricks + 1 or chance.random() < 0.1:
        return events.Redouble(seat=stage.turn)
    return events.Accept(seat=stage.turn)


def _confirm(stage: Confirmation, chance: Random) -> events.Accept | events.Play:
    return events.Accept(seat=stage.turn) if chance.random() < 0.3 else _lead(stage, chance)


def _lead(stage: Confirmation | CirclingAuction, chance: Random) -> events.Play:
    held = cards.codes(stage.table.hands[stage.turn])
    aces = [card for card in held if card[0] == "A"]
    among = aces or held
    card = among[int(chance.random() * len(among))]
    return events.Play(seat=stage.turn, card=card)  # type: ignore[arg-type]


Call = events.TricksBid | events.Pass | events.Double


def _call(stage: CirclingAuction, chance: Random) -> Call | events.Play:
    """Bid, double or pass; close the auction with a pass or with a lead; sometimes pass over who is out of call."""
    seat = stage.turn
    if stage.standing is not None and seat == stage.declarer:
        if chance.random() < 0.7:
            return _lead(stage, chance)
        return _raise_or_pass(stage, seat, chance)
    if seat in stage.out and chance.random() < 0.5:
        call = _call_of(stage, stage.table.after(seat), chance)
        if stage.judge(call) is None:
            return call
    return _call_of(stage, seat, chance)


def _raise_or_pass(stage: CirclingAuction, seat: int, chance: Random) -> Call:
    if chance.random() < 0.2:
        return best_bid(seat, stage.table.hands[seat], stage.bids.legal(seat, stage.standing), chance)
    return events.Pass(seat=seat)


def _call_of(stage: CirclingAuction, seat: int, chance: Random) -> Call:
    standing = stage.standing
    hand = stage.table.hands[seat]
    is_against = standing is not None and stage.table.side(stage.declarer) != stage.table.side(seat)
    if standing is not None and (doubts(hand, standing, chance) if is_against else chance.random() < 0.01):
        return events.Double(seat=seat)
    if standing is None or is_against or chance.random() < 0.1:
        return best_bid(seat, hand, stage.bids.legal(seat, standing), chance)
    return events.Pass(seat=seat)


PLAYERS: Players = {Answer: _answer, Confirmation: _confirm, CirclingAuction: _call}
