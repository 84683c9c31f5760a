"""Players of rami: they open when they can, lay and add what they hold, and keep a card to close with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec
from msgspec import UNSET

from auditor import cards, events, melds
from auditor.events import JOKER
from auditor.players import Players
from auditor.stock import Meld, StockDeal, deal_out
from auditor.turns import Turns

_HEIGHT = {rank: height for height, rank in enumerate(cards.RANKS, 2)}
_RANK = {height: rank for rank, height in _HEIGHT.items()} | {1: "A"}
#: One act in so many is made by the system because a clock ran out.
_ACTS_PER_TIMEOUT = 200
#: How often a discard is taken or a joker thrown for nothing, a joker is taken out of a meld or added to one, and the
#: discards are shuffled once the stock has run out.
_WHIM, _SWAPS, _JOKERS_ADDED, _RESHUFFLES = 0.01, 0.7, 0.1, 0.7


def _deal(stage: StockDeal, chance: Random) -> events.RamiDeal:
    """The next seat deals. One with an extra card starts, or an upcard is turned; the stock may stay unwritten."""
    assert stage.shuffle is not None
    seats = stage.table.seat_count
    dealer = int(chance.random() * seats) if stage.expected is None else stage.expected
    starter = stage.table.after(dealer) if chance.random() < 0.5 else None
    pack = stage.shuffle.pack(stage.pack, stage.table.deal_count)
    hands, rest = deal_out(pack, dealer, stage.hand_size, starter, seats)
    upcard: Any = rest.pop(0) if starter is None and chance.random() < 0.7 else UNSET
    stock: Any = rest if chance.random() < 0.8 else UNSET
    return events.RamiDeal(dealer=dealer, hands=hands, stock=stock, upcard=upcard)  # type: ignore[arg-type]


def _act(stage: Turns, chance: Random) -> Any:
    act = _drawn(stage, chance) if stage.must_draw else _laid(stage, chance)
    if isinstance(act, (events.Draw, events.Discard)) and chance.random() * _ACTS_PER_TIMEOUT < 1:
        return msgspec.structs.replace(act, by="timeout")
    return act


def _drawn(stage: Turns, chance: Random) -> Any:
    """Take the discard if it can be laid, now and then for nothing; or else the top of the stock, if there is one."""
    spread, seat = stage.spread, stage.turn
    legal = stage.legal() or []
    top: Any = spread.discards[-1] if "discard" in legal else None
    if top is not None and (_wants(stage, top) or chance.random() < _WHIM):
        return events.Draw(seat=seat, pile="discard", card=top)
    if not spread.stock:
        if len(spread.discards) > 1 and chance.random() < _RESHUFFLES:
            stock: list[Any] = sorted(spread.discards[:-1], key=lambda _: chance.random())
            return events.Reshuffle(stock=stock)
        return events.SeatScoreClaim(deal=[0] * stage.table.seat_count, total=list(stage.table.totals))
    card: Any = spread.stock[-1]
    if card == events.UNSEEN_CARD:
        hidden = cards.listed(stage.table.hidden)
        card = hidden[int(chance.random() * len(hidden))]
    return events.Draw(seat=seat, pile="stock", card=card)


def _wants(stage: Turns, card: str) -> bool:
    """Whether a card from the discard pile can be laid: with the opening, or by a seat that has opened."""
    plan = _plan([*stage.table.held(stage.turn), card])
    if stage.opening.had_opened:
        return any(card in meld for meld in plan) or any(card in _takes(meld) for meld in stage.spread.melds)
    return bool(_opening(stage, plan, card))


def _opening(stage: Turns, plan: Sequence[list[Any]], taken: str | None) -> Sequence[list[Any]]:
    """The first melds of a plan with which the seat opens, with the card taken among them; none if it cannot."""
    points = stage.opening.points()[0]
    for count, meld in enumerate(plan, 1):
        points += melds.points(meld)[0]
        taken = None if taken in [melds.in_hand(card) for card in meld] else taken
        if points >= stage.opening.needs[0] and taken is None:
            return plan[:count]
    return ()


def _laid(stage: Turns, chance: Random) -> Any:
    """Lay, add and swap what can be, with enough left to close rightly; then discard, or give back what has no use."""
    seat = stage.turn
    plan = _plan(stage.table.held(seat))
    if stage.spread.opened[seat]:
        for meld in plan:
            if _may_go_on(stage, meld):
                return events.LayMeld(seat=seat, cards=meld)
        for act in _additions(stage, chance):
            if _is_legal(stage, act):
                return act
    else:
        opening = _opening(stage, plan, stage.must_lay)
        if opening and _may_go_on(stage, *opening):
            return events.LayMeld(seat=seat, cards=opening[0])
    discards = (events.Discard(seat=seat, card=card) for card in _least_wanted(stage, chance))
    return next((act for act in discards if _is_legal(stage, act)), events.Return(seat=seat))


def _is_legal(stage: Turns, act: Any) -> bool:
    stage.table.leanings.clear()
    return stage.judge(act) is None


def _may_go_on(stage: Turns, *laid: Sequence[str], gets_joker: bool = False) -> bool:
    """Whether the seat can still end its turn after these cards: with a card to throw, or by closing rightly."""
    left = stage.table.held(stage.turn)
    for meld in laid:
        for card in map(melds.in_hand, meld):
            if card not in left:
                return False
            left.remove(card)
    own = [meld.cards for meld in stage.spread.melds if meld.seat == stage.turn]
    may_close = not stage.needs_tierce or any(melds.is_tierce(meld) for meld in (*own, *laid))
    naturals = len(melds.naturals(left))
    return naturals >= (1 if may_close else 2) or (may_close and not left and not gets_joker)


def _additions(stage: Turns, chance: Random) -> Iterator[Any]:
    """Cards for melds on the table, and jokers out of them."""
    seat = stage.turn
    held: list[Any] = list(dict.fromkeys(stage.table.held(seat)))
    barred = None if stage.opening.had_opened else stage.must_lay
    for index, meld in enumerate(stage.spread.melds):
        for card in held:
            if melds.place_of_joker(meld.cards, card) is not None:
                if card != barred and chance.random() < _SWAPS and _may_go_on(stage, [card], gets_joker=True):
                    yield events.Swap(seat=seat, meld=index, card=card)
            elif card in _takes(meld) and card != barred and _may_go_on(stage, [card]):
                yield events.Add(seat=seat, meld=index, cards=[card])
        if JOKER in held and len(melds.naturals(meld.cards)) == len(meld.cards) and chance.random() < _JOKERS_ADDED:
            for card in _takes(meld)[:1]:
                if _may_go_on(stage, [JOKER]):
                    yield events.Add(seat=seat, meld=index, cards=[f"{JOKER}:{card}"])  # type: ignore[list-item]


def _takes(meld: Meld) -> list[str]:
    """The natural cards that a meld may be made longer with, if it is a legal one."""
    shown = [melds.stands_for(card) if melds.is_joker(card) else card for card in meld.cards]
    first = melds.naturals(meld.cards)[0]
    if melds.is_set(meld.cards):
        suits = [card[1] for card in melds.naturals(meld.cards)]
        return [first[0] + suit for suit in cards.SUITS if suit not in suits] if len(meld.cards) < 4 else []
    heights = sorted(_HEIGHT[card[0]] for card in shown)
    if heights[-1] == 14 and heights[0] == 2 and len(heights) < 13:
        heights = [1, *heights[:-1]]
    return [_RANK[height] + first[1] for height in (heights[0] - 1, heights[-1] + 1) if 1 <= height <= 14]


def _least_wanted(stage: Turns, chance: Random) -> list[Any]:
    """The cards of the hand, the one that goes least well with the others first; jokers last."""
    held = stage.table.held(stage.turn)
    whim = chance.random() < _WHIM

    def use(card: str) -> tuple[bool, int, int]:
        if card == JOKER:
            return not whim, 0, 0
        others = [other for other in held if other not in (card, JOKER)]
        near = sum(other[1] == card[1] and abs(_HEIGHT[other[0]] - _HEIGHT[card[0]]) <= 2 for other in others)
        return False, near + sum(other[0] == card[0] and other[1] != card[1] for other in others), -_HEIGHT[card[0]]

    return sorted(dict.fromkeys(held), key=use)


def _plan(held: Sequence[str]) -> list[list[Any]]:
    """Melds that can be laid out of these cards together, chosen one by one for their points."""
    left = list(held)
    plan: list[list[Any]] = []
    while True:
        best = max(_candidates(left), key=lambda meld: melds.points(meld)[0] - 12 * _joker_count(meld), default=None)
        if best is None:
            return plan
        for card in map(melds.in_hand, best):
            left.remove(card)
        plan.append(best)


def _candidates(held: Sequence[str]) -> Iterator[list[str]]:
    """Runs and sets among some cards; with a joker, also those that lack one card."""
    has_joker = JOKER in held
    naturals = set(held) - {JOKER}
    for suit in cards.SUITS:
        heights = [_HEIGHT[rank] for rank in cards.RANKS if rank + suit in naturals]
        heights = [1, *heights] if 14 in heights else heights
        yield from _runs(suit, heights, has_joker)
    for rank in cards.RANKS:
        same = [rank + suit for suit in cards.SUITS if rank + suit in naturals]
        if len(same) >= 3:
            yield same
        elif len(same) == 2 and has_joker:
            yield [*same, JOKER]


def _runs(suit: str, heights: Sequence[int], has_joker: bool) -> Iterator[list[str]]:
    for start, low in enumerate(heights):
        for end in range(start + 1, len(heights)):
            chosen = heights[start : end + 1]
            span = heights[end] - low + 1
            run = [_RANK[height] + suit for height in chosen]
            if span > 13 or span > len(chosen) + 1:
                break
            if span == len(chosen) and span >= 3:
                yield run
            elif span == len(chosen) + 1 and has_joker:
                missing = next(height for height in range(low, heights[end]) if height not in chosen)
                yield [*run, f"{JOKER}:{_RANK[missing]}{suit}"]
            elif span == 2 and has_joker:
                beyond = heights[end] + 1 if heights[end] < 14 else low - 1
                yield [*run, f"{JOKER}:{_RANK[beyond]}{suit}"]


def _joker_count(meld: Sequence[str]) -> int:
    return len(meld) - len(melds.naturals(meld))


PLAYERS: Players = {StockDeal: _deal, Turns: _act}
