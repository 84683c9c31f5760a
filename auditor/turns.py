"""The turns of a round in a game of melds: draw, lay melds, add to them, take jokers out of them, discard.

In: the acts of the seats, from the first draw to the last card of one of them, and ``reshuffle``. Out: what lies on the
table after them, and who has closed. Refuses to know what a round scores. What a run or a set is stands in ``melds``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec import UNSET
from msgspec.structs import replace

from auditor import cards, events, melds
from auditor.cards import ONE, PLACE
from auditor.events import JOKER, UNSEEN_CARD
from auditor.melds import IN_HAND
from auditor.openings import Opening
from auditor.stage import Fault, Stage, word_for
from auditor.stock import Meld, Spread
from auditor.table import Numbers, Table


class Turns(Stage):
    """The seats take turns, upwards from ``first``, until one has no card left: it has closed.

    A turn begins with a draw, the first one only if ``must_draw``, and ends with a discard, or with the seat's last
    card. A seat's first melds of the round must be worth ``least`` points together; if openings rise (``rises``), also
    more than the highest so far, and a seat that closes needs a tierce. The round is void if the table leaves it when
    no stock is left. ``lost`` is the discard with which another seat closed, if it took one.
    """

    __slots__ = (
        "_draws_from_stock",
        "_is_taken_laid",
        "_swapped_jokers_laid",
        "_taken",
        "_thrown",
        "has_closed",
        "is_done",
        "is_void",
        "must_draw",
        "needs_tierce",
        "opening",
        "spread",
        "table",
        "turn",
    )

    hears: ClassVar[tuple[type, ...]] = (
        events.Draw,
        events.Discard,
        events.LayMeld,
        events.Add,
        events.Swap,
        events.Return,
        events.Reshuffle,
    )

    def __init__(self, table: Table, spread: Spread, first: int, must_draw: bool, least: int, rises: bool) -> None:
        self.table = table
        self.spread = spread
        self.opening = Opening(spread, least, rises)
        self.needs_tierce = rises
        self.is_done = self.has_closed = self.is_void = False
        self._begin_turn(first, must_draw)

    def _begin_turn(self, seat: int, must_draw: bool = True) -> None:
        self.turn = seat
        self.must_draw = must_draw
        self.opening.begin(seat)
        self._draws_from_stock = False
        #: The card taken from the discard pile, and the act that had thrown it.
        self._taken: str | None = None
        self._thrown: events.Discard | None = None
        self._is_taken_laid = False
        self._swapped_jokers_laid = 0

    @property
    def lost(self) -> events.Discard | None:
        return self._thrown if self.has_closed else None

    @property
    def must_lay(self) -> str | None:
        """The card taken from the discard pile, until it lies where it should."""
        return None if self._is_taken_laid else self._taken

    @property
    def awaited(self) -> type:
        return events.Draw if self.must_draw else events.Discard

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take the acts that come in a row, up to one that leans on something. The clock may do anything legal."""
        leanings = self.table.leanings
        leanings.clear()
        end = len(log)
        while index < end and not self.is_done and not leanings:
            if self.must_draw and not self._draws_from_stock:
                index = self._take_usual(log, index)
                if index == end:
                    break
            event = log[index]
            if type(event) not in self.hears or event.refused is not UNSET:
                break
            if self.judge(event):
                leanings.clear()
                break
            self.apply(event)
            index += 1
        return index

    def _take_usual(self, log: Sequence[Any], index: int) -> int:
        """Take whole turns that are a draw from the stock and a discard of a card in the hand, no joker.

        Of the last one it may be the draw alone.
        """
        table, spread, seat = self.table, self.spread, self.turn
        hands, stock = table.hands, spread.stock
        must_draw, start, end = True, index, len(log)
        while index < end:
            act = log[index]
            due: Any = events.Draw if must_draw else events.Discard
            if type(act) is not due or act.seat != seat or act.refused is not UNSET:
                break
            card = act.card
            if must_draw:
                if act.pile != "stock" or not stock or card == UNSEEN_CARD or not self._may_be(card, stock[-1]):
                    break
                if stock.pop() == UNSEEN_CARD:
                    table.hidden -= ONE[card]
                hands[seat] += ONE[card]
            else:
                if card == JOKER or not hands[seat] & PLACE[card]:
                    break
                hands[seat] -= ONE[card]
                spread.discards.append(card)
                spread.thrown = act
                seat = table.after(seat)
            must_draw = not must_draw
            index += 1
        if index > start:
            self._begin_turn(seat, must_draw)
        if not must_draw:
            spread.hand_sizes[seat] += 1
        return index

    def judge(self, event: Any) -> Fault | None:
        kind = type(event)
        if kind is events.Reshuffle:
            return self._judge_reshuffle(event)
        if event.seat != self.turn or (kind is events.Draw) != self.must_draw:
            kinds = {"kind": word_for(kind), "awaited": word_for(self.awaited)}
            return Fault("turn.order", False, {"seat": event.seat, "turn": self.turn, **kinds})
        if kind is events.Draw:
            return self._judge_draw(event)
        if kind is events.Discard:
            return self._judge_discard(event)
        if kind is events.LayMeld:
            return self._judge_meld(event)
        if kind is events.Add:
            return self._judge_add(event)
        if kind is events.Swap:
            return self._judge_swap(event)
        return self._judge_return(event)

    def apply(self, event: Any) -> None:
        kind = type(event)
        if kind is events.Draw:
            self._draw(event)
        elif kind is events.Discard:
            self._discard(event)
        elif kind is events.LayMeld:
            self._lay(event)
        elif kind is events.Add:
            self._add(event)
        elif kind is events.Swap:
            self._swap(event)
        elif kind is events.Return:
            self._return()
        else:
            self._reshuffle(event)
        self.is_done = self.has_closed = not self.must_draw and not self.spread.hand_sizes[self.turn]
        if self.is_done or kind is events.Discard:
            self.opening.close()
        if kind is events.Discard and not self.is_done:
            self._begin_turn(self.table.after(self.turn))

    def yields_to(self, event: Any) -> bool:
        """Where no stock is left to draw from, the next deal or a claim of no points shows that the round is void."""
        if not self._is_stock_out:
            return False
        return type(event) is events.RamiDeal or (type(event) is events.SeatScoreClaim and not any(event.deal))

    def pass_over(self, event: Any) -> None:
        self.table.lean("open.stock-out", taken="void")
        self.is_done = self.is_void = True

    def due(self) -> Numbers | None:
        return (0,) * self.table.seat_count if self._is_stock_out else None

    def legal(self) -> list[str] | None:
        """Where the seat may draw from; what it may lay or throw is not listed."""
        if not self.must_draw:
            return None
        piles = ["reshuffle"] if self._is_stock_out else ["stock"]
        return piles if self._draws_from_stock or not self.spread.discards else [*piles, "discard"]

    @property
    def _is_stock_out(self) -> bool:
        return self.must_draw and not self.spread.stock

    # What the clauses say of an act, in the order of the rules page

    def _judge_draw(self, draw: events.Draw) -> Fault | None:
        """The top card of the stock or of the discard pile is drawn; after a ``return``, that of the stock."""
        pile = self.spread.stock if draw.pile == "stock" else self.spread.discards
        top = pile[-1] if pile else None
        if top is None or not self._may_be(draw.card, top):
            facts = {"seat": draw.seat, "card": draw.card, "pile": draw.pile, "top": top or "–"}
            return Fault("draw.card", False, facts, legal=None if top in (None, UNSEEN_CARD) else [top])
        if draw.pile == "discard" and self._draws_from_stock:
            return Fault("draw.return", False, {"seat": draw.seat})
        if draw.refused is True and draw.card != top == UNSEEN_CARD:
            self._lean_on_unseen()
        return None

    def _may_be(self, card: str, top: str) -> bool:
        """Whether the card that is drawn may be the top one; either may be unseen."""
        if card in (top, UNSEEN_CARD):
            return True
        return top == UNSEEN_CARD and self.table.hidden & PLACE[card] != 0

    def _judge_discard(self, discard: events.Discard) -> Fault | None:
        """A seat throws a card that it holds, and its turn is over."""
        return (
            self._judge_held(discard, (discard.card,))
            or self._judge_taken()
            or self._judge_opening()
            or self._judge_joker(discard)
            or (self._judge_tierce() if self.spread.hand_sizes[self.turn] == 1 else None)
        )

    def _judge_meld(self, event: events.LayMeld) -> Fault | None:
        """A seat lays a run or a set of cards that it holds. If these are its last, its turn is over."""
        closes = self._closes_with(event.cards)
        fault = (
            self._judge_held(event, event.cards)
            or (self._judge_taken(event.cards) if closes else None)
            or self._judge_cards(event)
            or (self._judge_opening(event.cards) if closes else None)
            or (self._judge_tierce(more=event.cards) if closes else None)
        )
        if event.refused is True and fault is None and not closes:
            self._lean_on_refused_opening(event.cards)
        return fault

    def _judge_add(self, event: events.Add) -> Fault | None:
        """A seat that has opened adds cards to a meld, whose ever it is, and leaves it a legal one."""
        target = self._meld(event.meld)
        closes = target is not None and self._closes_with(event.cards)
        laid = event.cards if target is not None and self._lays_taken_on(target) else ()
        return (
            self._judge_held(event, event.cards)
            or (self._judge_taken(laid) if closes else None)
            or self._judge_opened(event, target is not None)
            or self._judge_fit(event, target)
            or (self._judge_tierce(target, event.cards) if closes else None)
        )

    def _judge_swap(self, event: events.Swap) -> Fault | None:
        """A seat that has opened puts a natural card in the place of a joker and takes the joker."""
        target = self._meld(event.meld)
        has_joker = target is not None and melds.joker_of(target.cards) is not None
        fault = self._judge_held(event, (event.card,)) or self._judge_opened(event, has_joker)
        if fault is not None:
            return fault
        if target is None or melds.place_of_joker(target.cards, event.card) is None:
            return Fault("swap.fit", has_joker, {"seat": event.seat, "card": event.card, "meld": event.meld})
        if melds.is_run(target.cards):
            self.table.lean("open.swap-run", seat=event.seat, card=event.card)
        return None

    def _judge_return(self, event: events.Return) -> Fault | None:
        """The card that was taken goes back: from the hand, or with melds that fall short of the opening."""
        taken = self._taken
        if taken is not None:
            if self.opening.falls_short and taken in self._new_cards():
                return None
            if self.table.hands[self.turn] & PLACE[taken] or self._may_be_unseen(taken):
                return None
        return Fault("draw.return", False, {"seat": event.seat})

    def _judge_reshuffle(self, event: events.Reshuffle) -> Fault | None:
        """When the stock has run out, the discards but for the top one become the new stock."""
        if self.spread.stock:
            return Fault("stock.reshuffle", False, {"trouble": "stock left"})
        under = self.spread.discards[:-1]
        if len(event.stock) != len(under) or Counter(_seen(event.stock)) - Counter(under):
            return Fault("stock.reshuffle", False, {"trouble": "other discards"})
        self.table.lean("open.stock-out", taken="reshuffle")
        return None

    def _judge_held(self, event: Any, laid: Sequence[str]) -> Fault | None:
        """The cards are in the hand, or may be its unseen ones."""
        hand = self.table.hands[self.turn]
        if _holds(hand, laid):
            return None
        unseen = 0
        for card, times in Counter(_in_hand(laid)).items():
            missing = times - cards.count(hand, card)
            if missing > 0:
                unseen += missing
                if missing > cards.count(self.table.hidden, card) or unseen > self.table.unseen[self.turn]:
                    return Fault("meld.held", False, {"seat": self.turn, "card": card})
        if unseen and event.refused is True:
            self._lean_on_unseen()
        return None

    def _judge_taken(self, laid: Sequence[str] = ()) -> Fault | None:
        """A card taken from the discard pile lies in a meld at the end of the turn, with these that are being laid."""
        if self.must_lay is None or self.must_lay in _in_hand(laid):
            return None
        return Fault("draw.used", True, {"seat": self.turn, "card": self._taken})

    def _judge_cards(self, event: events.LayMeld) -> Fault | None:
        clause = melds.broken_clause(event.cards)
        return None if clause is None else Fault(clause, True, {"seat": self.turn, "cards": event.cards})

    def _judge_opening(self, more: Sequence[str] | None = None) -> Fault | None:
        """The first melds of a seat are worth enough when it ends its turn, adds or swaps."""
        opening = self.opening
        if opening.is_judged or not (opening.new_melds or more):
            return None
        enough = opening.is_enough(more)
        if not any(enough):
            facts = {"seat": self.turn, "points": opening.points(more)[0], "need": opening.needs[0]}
            return Fault("opening.value", True, facts)
        if not all(enough):
            self._lean_on_joker_value(more)
        return None

    def _judge_opened(self, event: events.Add | events.Swap, can_happen: bool) -> Fault | None:
        """Adding and swapping are for seats that have opened, if only with melds of this turn."""
        if self.opening.is_judged:
            return None
        if not self.opening.new_melds:
            return Fault("add.opened", can_happen, {"seat": self.turn})
        fault = self._judge_opening()
        return fault and replace(fault, stands=can_happen)

    def _judge_fit(self, event: events.Add, target: Meld | None) -> Fault | None:
        if target is not None and melds.broken_clause([*melds.as_laid(target.cards), *event.cards]) is None:
            return None
        facts = {"seat": self.turn, "cards": event.cards, "meld": event.meld}
        return Fault("add.fit", target is not None, facts)

    def _judge_joker(self, discard: events.Discard) -> Fault | None:
        """A joker is thrown only as long as it may be one that was dealt or drawn."""
        if discard.card != JOKER:
            return None
        held = cards.count(self.table.hands[self.turn], JOKER)
        if held and held <= self.spread.swapped_jokers[self.turn]:
            if not self._may_be_unseen(JOKER):
                return Fault("discard.joker", True, {"seat": self.turn})
            self._lean_on_unseen()
            return None
        self.table.lean("open.discard-own-joker", seat=self.turn)
        return None

    def _judge_tierce(
        self, target: Meld | None = None, added: Sequence[str] = (), more: Sequence[str] = ()
    ) -> Fault | None:
        """Where a tierce is needed, the seat that closes has laid one: a run of its own with three natural cards."""
        if not self.needs_tierce:
            return None
        own = [meld for meld in self.spread.melds if meld.seat == self.turn]
        lying = [more, *([*meld.cards, *added] if meld is target else meld.cards for meld in own)]
        laid = [more, *_laid(own)]
        if any(map(melds.is_pure_tierce, lying)) and any(map(melds.is_pure_tierce, laid)):
            return None
        if not any(map(melds.is_tierce, [*lying, *laid])):
            return Fault("close.tierce", True, {"seat": self.turn})
        self.table.lean("open.tierce", seat=self.turn)
        return None

    # What an act changes

    def _draw(self, draw: events.Draw) -> None:
        table, spread, seat = self.table, self.spread, self.turn
        if draw.pile == "stock":
            top = spread.stock.pop()
            card = top if draw.card == UNSEEN_CARD else draw.card
            if card == UNSEEN_CARD:
                table.unseen[seat] += 1
                spread.drew_unseen[seat] = True
            elif top == UNSEEN_CARD:
                table.hidden -= ONE[card]
        else:
            card = spread.discards.pop()
            self._taken, self._thrown, spread.thrown = card, spread.thrown, None
        table.hands[seat] += ONE[card]
        spread.hand_sizes[seat] += 1
        self.must_draw = False

    def _discard(self, discard: events.Discard) -> None:
        spread = self.spread
        self._let_go_one(discard.card)
        spread.discards.append(discard.card)
        spread.thrown = discard
        if discard.card == JOKER:
            held = cards.count(self.table.hands[self.turn], JOKER)
            spread.swapped_jokers[self.turn] = min(spread.swapped_jokers[self.turn], held)

    def _lay(self, event: events.LayMeld) -> None:
        meld = Meld(self.turn, event.cards)
        self._let_go(event.cards)
        self._swapped_jokers_laid += self._use_jokers(event.cards)
        self.spread.melds.append(meld)
        self.opening.add(meld)
        self._is_taken_laid |= self._taken is not None and self._taken in _in_hand(event.cards)

    def _add(self, event: events.Add) -> None:
        self.opening.settle()
        target = self.spread.melds[event.meld]
        self._let_go(event.cards)
        self._use_jokers(event.cards)
        target.cards += event.cards
        if self._taken is not None and self._taken in _in_hand(event.cards):
            self._is_taken_laid |= self._lays_taken_on(target)

    def _swap(self, event: events.Swap) -> None:
        self.opening.settle()
        target = self.spread.melds[event.meld]
        place = melds.place_of_joker(target.cards, event.card)
        if place is None:
            place = melds.joker_of(target.cards)
            assert place is not None
        self._let_go_one(event.card)
        self._use_jokers((event.card,))
        target.cards[place] = event.card
        self.table.hands[self.turn] += ONE[JOKER]
        self.spread.hand_sizes[self.turn] += 1
        self.spread.swapped_jokers[self.turn] += 1
        self._is_taken_laid |= self._lays_taken_on(target) and self._taken == event.card

    def _return(self) -> None:
        assert self._taken is not None
        spread, seat = self.spread, self.turn
        if self.opening.falls_short:
            back = self._new_cards()
            del spread.melds[-len(self.opening.new_melds) :]
            self.opening.take_back()
            self.table.hands[seat] += cards.counted(back)
            spread.hand_sizes[seat] += len(back)
            spread.swapped_jokers[seat] += self._swapped_jokers_laid
            self._swapped_jokers_laid = 0
        self._let_go_one(self._taken)
        spread.discards.append(self._taken)
        spread.thrown = self._thrown
        self._taken = self._thrown = None
        self._is_taken_laid = False
        self.must_draw = self._draws_from_stock = True

    def _reshuffle(self, event: events.Reshuffle) -> None:
        spread = self.spread
        under, spread.discards = spread.discards[:-1], spread.discards[-1:]
        spread.stock = list(reversed(event.stock))
        self.table.hidden += cards.counted(under) - cards.counted(event.stock)

    def _let_go(self, laid: Sequence[str]) -> None:
        """Cards leave the hand, which holds them where it has no unseen ones."""
        table, seat = self.table, self.turn
        if table.unseen[seat]:
            for card in laid:
                self._let_go_one(IN_HAND[card])
        else:
            table.hands[seat] -= melds.counted_in_hand(laid)
            self.spread.hand_sizes[seat] -= len(laid)

    def _let_go_one(self, card: str) -> None:
        """A card leaves the hand; one that it was not known to hold has been among its unseen ones."""
        table, seat = self.table, self.turn
        self.spread.hand_sizes[seat] -= 1
        if table.hands[seat] & PLACE[card]:
            table.hands[seat] -= ONE[card]
            return
        table.unseen[seat] -= 1
        table.hidden -= ONE[card]
        if not self.spread.drew_unseen[seat]:
            table.shown.append((seat, card))

    def _use_jokers(self, laid: Sequence[str]) -> int:
        """How many of the jokers laid were taken by a swap: as many as there are, so that the others may be left."""
        swapped = self.spread.swapped_jokers
        if not swapped[self.turn]:
            return 0
        used = min(swapped[self.turn], sum(map(melds.is_joker, laid)))
        swapped[self.turn] -= used
        return used

    # What the turn has come to

    def _lays_taken_on(self, target: Meld) -> bool:
        """Whether the card that was taken may be put to this meld: by a seat that had not opened, to a new one only."""
        return self.opening.had_opened or target in self.opening.new_melds

    def _new_cards(self) -> list[str]:
        """The cards of the new melds, as they lay in the hand."""
        return [card for meld in self.opening.new_melds for card in _in_hand(meld.cards)]

    def _closes_with(self, laid: Sequence[str]) -> bool:
        return len(laid) == self.spread.hand_sizes[self.turn]

    def _meld(self, index: int) -> Meld | None:
        return self.spread.melds[index] if index < len(self.spread.melds) else None

    def _may_be_unseen(self, card: str) -> bool:
        return bool(self.table.unseen[self.turn] and self.table.hidden & PLACE[card])

    def _lean_on_unseen(self) -> None:
        self.table.lean("note.unseen", deal=self.table.deal_count - 1)

    def _lean_on_refused_opening(self, more: Sequence[str]) -> None:
        """A seat whose melds do not reach the opening yet may be turned away, or else be let go on."""
        enough = [True] if self.opening.is_judged else self.opening.is_enough(more)
        if not any(enough):
            self.table.lean("open.opening-refusal", seat=self.turn, points=self.opening.points(more)[0])
        elif not all(enough):
            self._lean_on_joker_value(more)

    def _lean_on_joker_value(self, more: Sequence[str] | None) -> None:
        points, without = self.opening.points(more)
        self.table.lean("open.joker-value", seat=self.turn, points=points, without=without)


#: In the place of each card a bit beyond any count of it, for a hand has fewer cards.
_BEYOND = sum(0x80 * one for one in ONE.values())


def _holds(hand: int, laid: Sequence[str]) -> bool:
    """Whether cards are among those that a hand is known to hold."""
    if len(laid) == 1:
        return hand & PLACE[IN_HAND[laid[0]]] != 0
    return len(laid) < 0x80 and (hand | _BEYOND) - melds.counted_in_hand(laid) & _BEYOND == _BEYOND


def _in_hand(laid: Sequence[str]) -> list[str]:
    return [IN_HAND[card] for card in laid]


def _laid(own: Sequence[Meld]) -> list[Sequence[str]]:
    return [meld.laid for meld in own]


def _seen(stock: Sequence[str]) -> list[str]:
    return [card for card in stock if card != UNSEEN_CARD]
