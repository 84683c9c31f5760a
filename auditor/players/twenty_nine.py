"""Players of Twenty-Nine: they bid on jacks and nines, hide a low trump, and reveal it when a trick is worth it."""

from __future__ import annotations

from random import Random
from typing import Any

from auditor import cards, events
from auditor.cards import BIT, SUIT
from auditor.games.twenty_nine import HIGHEST_BID, ORDER, Bidding, TrumpLaying
from auditor.hidden_trump import HiddenTrumpTrick, OpenTrick
from auditor.players import Players

#: One act in so many is made by the system because a clock ran out.
ACTS_PER_TIMEOUT = 200
#: One chance in so many is taken to bid 28 at once.
LEAPS = 12


def _call(stage: Bidding, chance: Random) -> Any:
    """Bid up to what four cards promise; ask for others without a point, where that may be."""
    seat, hand = stage.turn, stage.table.hands[stage.turn]
    if stage.table.options["redeal"] and chance.random() < 0.5:
        ask = events.Redeal(seat=seat if chance.random() < 0.8 else int(chance.random() * 4))
        if stage.redeal.judge(ask) is None:
            return ask
    if stage.is_at_top and stage.table.options["trump_card"] == "chosen" and chance.random() < 0.3:
        return _lay(stage.table.hands[stage.declarer], stage.declarer)
    hope = 8.5 + max(_promise(hand, suit) for suit in SUIT.values()) + 3 * chance.random()
    bids = [int(bid) for bid in stage.bids.legal(stage.standing)]
    if bids and hope > 20 and chance.random() * LEAPS < 1:
        return events.PointsBid(seat=seat, points=HIGHEST_BID)
    is_partners = stage.standing is not None and stage.table.side(stage.declarer) == stage.table.side(seat)
    if not bids or bids[0] > hope or (is_partners and bids[0] > hope - 3):
        return events.Pass(seat=seat)
    return events.PointsBid(seat=seat, points=bids[0] if chance.random() < 0.8 else min(int(hope), HIGHEST_BID))


def _promise(hand: int, suit: int) -> float:
    """About how many points a hand of four takes beyond a fair share with a suit as trump."""
    held = [BIT[code] for code in cards.codes(hand)]
    own = sum(1.2 + 1.1 * ORDER.points[card] for card in held if card & suit)
    return own + sum(0.7 * ORDER.points[card] for card in held if not card & suit)


def _lay_trump(stage: TrumpLaying, chance: Random) -> events.LayTrump:
    choice = sum(BIT[code] for code in stage.legal())
    return _lay(choice, stage.turn)


def _lay(choice: int, seat: int) -> events.LayTrump:
    """The lowest card of the best suit."""
    suit = max(SUIT.values(), key=lambda suit: _promise(choice, suit) if choice & suit else -1.0)
    card = min((BIT[code] for code in cards.codes(choice & suit)), key=ORDER.rank.__getitem__)
    return events.LayTrump(seat=seat, card=cards.code(card))  # type: ignore[arg-type]


def _play(stage: HiddenTrumpTrick, chance: Random) -> Any:
    """Declare the pair, have the trump revealed, or play a card."""
    by = {"by": "timeout"} if chance.random() * ACTS_PER_TIMEOUT < 1 else {}
    hidden, hands = stage.hidden, stage.table.hands
    if hidden.is_open and not hidden.pairs:
        pair = next((seat for seat in range(4) if hidden.judge_pair(events.Pair(seat=seat)) is None), None)
        if pair is not None and chance.random() < 0.3:
            return events.Pair(seat=pair)
    is_void = bool(stage.plays) and not hands[stage.turn] & stage.led
    if is_void and not hidden.is_open and hands[stage.turn]:
        lying = sum(ORDER.points[card] for card in stage.plays)
        if chance.random() < (0.15 if _is_partner_winning(stage) else 0.3 + 0.15 * lying):
            suit = {"suit": next(letter for letter, mask in SUIT.items() if mask == hidden.suit)}
            return events.Reveal(seat=stage.turn, **(suit if chance.random() < 0.9 else {}), **by)  # type: ignore[arg-type]
    card = _card(stage, chance)
    return events.Play(seat=stage.turn, card=cards.code(card), **by)  # type: ignore[arg-type]


def _card(stage: HiddenTrumpTrick, chance: Random) -> int:
    """Lead a jack, or low; load a trick that the partner is winning, and win others as cheaply as may be."""
    playable = [BIT[code] for code in cards.codes(stage.playable)]
    lowest = min(playable, key=lambda card: (ORDER.points[card], bool(card & stage.trump), ORDER.rank[card]))
    if not stage.plays:
        jacks = [card for card in playable if ORDER.points[card] == 3]
        return jacks[0] if jacks and chance.random() < 0.8 else lowest
    if _is_partner_winning(stage):
        return max(playable, key=lambda card: (ORDER.points[card], -ORDER.rank[card]))
    played = sum(stage.plays)
    winners = [card for card in playable if stage.best(played | card) == card]
    return min(winners, key=lambda card: (bool(card & stage.trump), ORDER.rank[card]), default=lowest)


def _is_partner_winning(stage: HiddenTrumpTrick) -> bool:
    winner = stage.leader + stage.plays.index(stage.best(sum(stage.plays)))
    return stage.table.side(winner) == stage.table.side(stage.turn)


def _say_who_took_it(stage: OpenTrick, chance: Random) -> events.TrickClaim:
    default, *others = stage.trick.possible
    winner = default if chance.random() < 0.7 else others[0]
    return events.TrickClaim(winner=winner, points=stage.trick.card_points)


PLAYERS: Players = {
    Bidding: _call,
    TrumpLaying: _lay_trump,
    HiddenTrumpTrick: _play,
    OpenTrick: _say_who_took_it,
}
