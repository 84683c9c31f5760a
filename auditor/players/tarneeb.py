"""Players of trick games with an auction of tricks: they bid about what they can make, and play to win."""

from __future__ import annotations

from random import Random

from auditor import cards, events
from auditor.auctions import Auction, TrumpNaming
from auditor.players import Players
from auditor.tricks import NATURAL, Order, Trick


def _call(stage: Auction, chance: Random) -> events.TricksBid | events.Pass | events.Double:
    """Bid up to what the best suit of the hand promises, counting on a fair share of help from the partner."""
    if stage.has_double:  # and bids name their trump
        return _call_with_trump(stage, chance)
    hand = stage.table.hands[stage.turn]
    hope = max(tricks_in(hand, trump) for trump in cards.SUIT.values()) + 2.3 + chance.random()
    bids = [int(bid) for bid in stage.bids.legal(stage.standing)]
    partner_bids = stage.standing is not None and stage.table.side(stage.declarer) == stage.table.side(stage.turn)
    if not bids or bids[0] > hope or partner_bids:
        return events.Pass(seat=stage.turn)
    tricks = bids[0] if chance.random() < 0.7 else min(int(hope), bids[-1])
    return events.TricksBid(seat=stage.turn, tricks=tricks)


def _call_with_trump(stage: Auction, chance: Random) -> events.TricksBid | events.Pass | events.Double:
    """The same where a bid names its trump: the best bid, or a double of one that will hardly be made, or a pass."""
    seat, standing = stage.turn, stage.standing
    hand = stage.table.hands[seat]
    is_against = standing is not None and stage.table.side(stage.declarer) != stage.table.side(seat)
    if standing is not None and is_against and doubts(hand, standing, chance):
        return events.Double(seat=seat)
    if standing is None or is_against or chance.random() < 0.1:
        return best_bid(seat, hand, stage.bids.legal(standing), chance)
    return events.Pass(seat=seat)


def best_bid(seat: int, hand: int, legal: list[str], chance: Random) -> events.TricksBid | events.Pass:
    """The bid that leaves the most tricks to spare, perhaps raised a little; a pass where none can be made."""
    hopes = {trump: tricks_in(hand, suit) + 2.3 + chance.random() for trump, suit in cards.SUIT.items()}
    hopes[events.NO_TRUMP] = tricks_in(hand, 0) + 2.3 + chance.random()
    bids = [(int(tricks), trump) for tricks, trump in map(str.split, legal)]
    good = [bid for bid in bids if bid[0] <= hopes[bid[1]]]
    if not good:
        return events.Pass(seat=seat)
    tricks, trump = max(good, key=lambda bid: hopes[bid[1]] - bid[0])
    if (tricks + 1, trump) in good and chance.random() < 0.3:
        tricks += 1
    return events.TricksBid(seat=seat, tricks=tricks, trump=trump)  # type: ignore[arg-type]


def doubts(hand: int, bid: events.TricksBid, chance: Random) -> bool:
    """Whether the opponents' bid will hardly be made: so much stands in this hand, counting on the partner's share."""
    trump = cards.SUIT.get(str(bid.trump), 0)
    return tricks_in(hand, trump) + 2.2 + chance.random() > 14 - bid.tricks


def tricks_in(hand: int, trump: int) -> float:
    """A rough count of the tricks in a hand: honours that are likely to hold, and long trumps."""
    tricks = max(0, (hand & trump).bit_count() - 3) * 0.9
    for suit in cards.SUIT.values():
        held = [NATURAL.rank[cards.BIT[code]] for code in cards.codes(hand & suit)]
        tricks += (12 in held) + 0.7 * (11 in held and len(held) > 1) + 0.35 * (10 in held and len(held) > 2)
    return tricks


def _name_trump(stage: TrumpNaming, chance: Random) -> events.NameTrump:
    hand = stage.table.hands[stage.turn]
    best = max(cards.SUIT, key=lambda suit: tricks_in(hand, cards.SUIT[suit]))
    return events.NameTrump(seat=stage.turn, suit=best)  # type: ignore[arg-type]


def _play(stage: Trick, chance: Random) -> events.Play | events.BelotePlay:
    """Lead from the top of a suit or from the bottom; then win as cheaply as may be, unless the partner is winning."""
    playable = [cards.BIT[code] for code in cards.codes(stage.playable)]

    def order(card: int) -> Order:
        return stage.trumps if card & stage.trump else stage.plain

    def rank(card: int) -> int:
        return order(card).rank[card]

    lowest = min(playable, key=lambda card: (bool(card & stage.trump), rank(card)))
    if not stage.plays:
        highest = max(playable, key=rank)
        card = (
            highest if order(highest).above[highest.bit_length()].bit_count() <= 4 or chance.random() < 0.2 else lowest
        )
    elif _is_partner_winning(stage):
        card = lowest
    else:
        played = sum(stage.plays)
        winners = [card for card in playable if stage.best(played | card) == card]
        card = min(winners, key=lambda card: (bool(card & stage.trump), rank(card)), default=lowest)
    word = stage.words and stage.words.due(stage.turn, card)
    if word is not None and chance.random() < 0.9:
        return events.BelotePlay(seat=stage.turn, card=cards.code(card), announce=word)  # type: ignore[arg-type]
    return events.Play(seat=stage.turn, card=cards.code(card))  # type: ignore[arg-type]


def _is_partner_winning(stage: Trick) -> bool:
    winner = stage.leader + stage.plays.index(stage.best(sum(stage.plays)))
    return stage.table.side(winner) == stage.table.side(stage.turn)


PLAYERS: Players = {Auction: _call, TrumpNaming: _name_trump, Trick: _play}
