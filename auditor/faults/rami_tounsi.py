"""Faults of rami: deals with a stock, turns, melds, openings and closings."""

from __future__ import annotations

from collections.abc import Iterator

from auditor import cards, melds
from auditor.events import JOKER
from auditor.faults import Event, Faults, Site
from auditor.position import Position

RULESETS = ("rami-tounsi",)


def _missing_card(site: Site) -> int | None:
    index = site.place("deal")
    if index is not None:
        site.log[index]["hands"] = [hand[1:] for hand in site.log[index]["hands"]]
    return index


def _fifth_joker(site: Site) -> int | None:
    """Jokers are dealt in the place of other cards, more than there are."""
    index = site.place("deal")
    if index is not None:
        first, *others = site.log[index]["hands"]
        site.log[index]["hands"] = [[JOKER] * len(first), *others]
    return index


def _short_stock(site: Site) -> int | None:
    for index in site.places("deal"):
        if site.log[index].get("stock"):
            site.log[index]["stock"] = site.log[index]["stock"][1:]
            return index
    return None


def _unshuffled_deal(site: Site) -> int | None:
    """Two seats change a card; only a match with a shuffle proof shows it."""
    for index in site.places("deal") if "shuffle" in site.document else ():
        hands = [list(hand) for hand in site.log[index]["hands"]]
        if hands[0][0] not in hands[1]:
            hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
            site.log[index]["hands"] = hands
            return index
    return None


def _discard_out_of_turn(site: Site) -> int | None:
    return site.insert_out_of_turn("discard", {"type": "discard", "card": "7H"})


def _second_draw(site: Site) -> int | None:
    index = site.place("draw")
    if index is None:
        return None
    site.log.insert(index + 1, dict(site.log[index]))
    return index + 1


def _discard_before_the_draw(site: Site) -> int | None:
    index = site.place("draw")
    if index is not None:
        seat = site.log[index]["seat"]
        site.log.insert(index, {"type": "discard", "seat": seat, "card": site.before(index).hands[seat][0]})
    return index


def _other_card_drawn(site: Site) -> int | None:
    """A card is taken from the discard pile that does not lie on top of it."""
    index = site.place("draw")
    if index is not None:
        top = [*site.before(index).discards][-1:]
        others = [card for card in cards.PACK_52.codes if card not in top]
        site.log[index] |= {"from": "discard", "card": site.pick(others)}
    return index


def _taken_card_unused(site: Site) -> int | None:
    """A seat takes a discard and throws a card before it lays anything."""
    for index in site.places("draw"):
        draw, following = site.log[index : index + 2]
        if draw["from"] == "discard" and following["type"] != "return":
            held = site.before(index + 1).hands[draw["seat"]]
            card = next((card for card in held if card not in (draw["card"], JOKER)), None)
            if card is not None and len(held) > 1:
                site.log.insert(index + 1, {"type": "discard", "seat": draw["seat"], "card": card})
                return index + 1
    return None


def _returned_without_taking(site: Site) -> int | None:
    for index in _plain_turns(site):
        site.log.insert(index + 1, {"type": "return", "seat": site.log[index]["seat"]})
        return index + 1
    return None


def _taken_again_after_the_return(site: Site) -> int | None:
    index = site.place("return")
    if index is None:
        return None
    site.log[index + 1] |= {"from": "discard", "card": site.before(index + 1).discards[-1]}
    return index + 1


def _card_not_held(site: Site) -> int | None:
    index = site.place("discard")
    if index is not None:
        held = site.before(index).hands[site.log[index]["seat"]]
        site.log[index]["card"] = site.pick([card for card in cards.PACK_52.codes if card not in held])
    return index


def _two_cards(site: Site) -> int | None:
    index = site.place("meld")
    if index is not None:
        site.log[index]["cards"] = site.log[index]["cards"][:2]
    return index


def _two_jokers(site: Site) -> int | None:
    """A natural card and two jokers are laid for a meld."""
    for index in site.places("meld"):
        natural = melds.naturals(site.log[index]["cards"])[0]
        if list(site.before(index).hands[site.log[index]["seat"]]).count(JOKER) >= 2:
            site.log[index]["cards"] = [natural, JOKER, JOKER]
            return index
    return None


def _silent_joker(site: Site) -> int | None:
    """A joker in a run does not say which card it is."""
    for index in site.places("meld"):
        laid = site.log[index]["cards"]
        if melds.is_run(laid) and melds.joker_of(laid) is not None:
            site.log[index]["cards"] = [melds.in_hand(card) for card in laid]
            return index
    return None


def _low_opening(site: Site) -> int | None:
    """A seat throws a card after the first meld of its opening, which alone is not worth enough."""
    for index in site.places("meld"):
        laid = site.log[index]["cards"]
        draw = site.log[index - 1]
        has_taken_other = draw.get("from") == "discard" and draw["card"] not in map(melds.in_hand, laid)
        if draw["type"] not in ("draw", "deal") or has_taken_other or melds.points(laid)[0] > 50:
            continue
        seat = site.log[index]["seat"]
        moment = site.before(index)
        if not moment.opened[seat]:
            used = list(map(melds.in_hand, laid))
            card = next(card for card in moment.hands[seat] if card not in used and card != JOKER)
            site.log.insert(index + 1, {"type": "discard", "seat": seat, "card": card})
            return index + 1
    return None


def _added_before_opening(site: Site) -> int | None:
    for index in _plain_turns(site):
        seat = site.log[index]["seat"]
        moment = site.before(index + 1)
        if moment.melds and not moment.opened[seat]:
            card = melds.naturals(moment.hands[seat])[0]
            site.log.insert(index + 1, {"type": "add", "seat": seat, "meld": 0, "cards": [card]})
            return index + 1
    return None


def _unfitting_add(site: Site) -> int | None:
    for index in site.places("add"):
        event = site.log[index]
        moment = site.before(index)
        meld = moment.melds[event["meld"]].cards
        held = moment.hands[event["seat"]]
        others = [card for card in melds.naturals(held) if melds.broken_clause([*meld, card]) is not None]
        if others and len(held) > 1:
            event["cards"] = [site.pick(others)]
            return index
    return None


def _swap_without_joker(site: Site) -> int | None:
    for index in site.places("add"):
        event = site.log[index]
        moment = site.before(index)
        natural = melds.naturals(moment.hands[event["seat"]])
        if natural and melds.joker_of(moment.melds[event["meld"]].cards) is None:
            swap = {"type": "swap", "seat": event["seat"], "meld": event["meld"], "card": natural[0]}
            site.log.insert(index, swap)
            return index
    return None


def _swapped_joker_thrown(site: Site) -> int | None:
    for index in site.places("swap"):
        seat = site.log[index]["seat"]
        if JOKER not in site.before(index).hands[seat] and _drew_from_stock(site, index):
            site.log.insert(index + 1, {"type": "discard", "seat": seat, "card": JOKER})
            return index + 1
    return None


def _closed_without_tierce(site: Site) -> int | None:
    """A seat without a tierce lays all its cards for a set, or adds them to another seat's meld."""
    sizes = list(_hand_sizes(site.log))
    for index in site.places("discard"):
        seat = site.log[index]["seat"]
        laid = _laid_before(site, index)
        if not 2 <= sizes[index][seat] <= 4 or not _drew_from_stock(site, index) or not laid:
            continue
        if any(melds.is_tierce(meld) for meld in laid):
            continue
        moment = site.before(index)
        own = [meld.cards for meld in moment.melds if meld.seat == seat]
        held = list(moment.hands[seat])
        if any(melds.is_tierce(meld) for meld in (*own, held)):
            continue
        target = _taken_by(moment, seat, held)
        if melds.broken_clause(held) is None:
            site.log.insert(index, {"type": "meld", "seat": seat, "cards": held})
            return index
        if target is not None:
            site.log.insert(index, {"type": "add", "seat": seat, "meld": target, "cards": held})
            return index
    return None


def _early_reshuffle(site: Site) -> int | None:
    for index in site.places("draw"):
        moment = site.before(index)
        if moment.stock_count:
            site.log.insert(index, {"type": "reshuffle", "stock": list(moment.discards[:-1])})
            return index
    return None


def _dealt_in_the_middle(site: Site) -> int | None:
    for index in _plain_turns(site):
        deal = next(event for event in site.log if event["type"] == "deal")
        site.log.insert(index + 1, dict(deal))
        return index + 1
    return None


def _refused_though_legal(site: Site) -> int | None:
    for index in _plain_turns(site):
        if site.log[index + 1]["card"] != JOKER:
            act = {key: value for key, value in site.log[index + 1].items() if key != "by"}
            site.log.insert(index + 1, {**act, "refused": True})
            return index + 1
    return None


def _wrong_points(site: Site) -> int | None:
    index = site.place("score")
    if index is not None:
        points = list(site.log[index]["deal"])
        points[int(site.chance.random() * len(points))] += site.pick([-2, -1, 1, 2])
        site.log[index]["deal"] = points
    return index


def _wrong_result(site: Site) -> int | None:
    index = site.place("result")
    if index is not None:
        site.log[index]["winner"] = site.pick([None, site.other_seat(site.log[index]["winner"])])
    return index


def _plain_turns(site: Site) -> Iterator[int]:
    """Draws from the stock that a discard follows, but for a last card, in random order."""
    sizes = list(_hand_sizes(site.log))
    for index in site.places("draw"):
        draw, following = site.log[index : index + 2]
        if following["type"] == "discard" and draw["from"] == "stock" and sizes[index][draw["seat"]] > 1:
            yield index


def _hand_sizes(log: list[Event]) -> Iterator[list[int]]:
    """How many cards each seat holds before each event of a legal match in which no melds went back."""
    sizes: list[int] = []
    for event in log:
        yield list(sizes)
        match event["type"]:
            case "deal":
                sizes = [len(hand) for hand in event["hands"]]
            case "draw":
                sizes[event["seat"]] += 1
            case "discard" | "return":
                sizes[event["seat"]] -= 1
            case "meld" | "add":
                sizes[event["seat"]] -= len(event["cards"])


def _laid_before(site: Site, index: int) -> list[list[str]]:
    """The melds that the seat of an event has laid in the round before it."""
    seat = site.log[index]["seat"]
    laid = []
    for event in site.log[index::-1]:
        if event["type"] == "deal":
            break
        if event["type"] == "meld" and event["seat"] == seat:
            laid.append(event["cards"])
    return laid


def _drew_from_stock(site: Site, index: int) -> bool:
    """Whether the turn in which an event stands began with a draw from the stock."""
    draws = (event["from"] for event in site.log[index::-1] if event["type"] == "draw")
    return next(draws, None) == "stock"


def _taken_by(moment: Position, seat: int, laid: list[str]) -> int | None:
    """A meld of another seat that takes these cards."""
    for index, meld in enumerate(moment.melds):
        if meld.seat != seat and melds.broken_clause([*meld.cards, *laid]) is None:
            return index
    return None


FAULTS: Faults = {
    "missing-card": ("illegal", "deal.cards", _missing_card),
    "fifth-joker": ("illegal", "deal.cards", _fifth_joker),
    "short-stock": ("illegal", "deal.cards", _short_stock),
    "unshuffled-deal": ("illegal", "deal.shuffle", _unshuffled_deal),
    "discard-out-of-turn": ("illegal", "turn.order", _discard_out_of_turn),
    "second-draw": ("illegal", "turn.order", _second_draw),
    "discard-before-the-draw": ("illegal", "turn.order", _discard_before_the_draw),
    "other-card-drawn": ("illegal", "draw.card", _other_card_drawn),
    "taken-card-unused": ("illegal", "draw.used", _taken_card_unused),
    "returned-without-taking": ("illegal", "draw.return", _returned_without_taking),
    "taken-again-after-the-return": ("illegal", "draw.return", _taken_again_after_the_return),
    "card-not-held": ("illegal", "meld.held", _card_not_held),
    "two-cards-for-a-meld": ("illegal", "meld.shape", _two_cards),
    "two-jokers": ("illegal", "meld.naturals", _two_jokers),
    "silent-joker": ("illegal", "meld.joker", _silent_joker),
    "low-opening": ("illegal", "opening.value", _low_opening),
    "added-before-opening": ("illegal", "add.opened", _added_before_opening),
    "unfitting-add": ("illegal", "add.fit", _unfitting_add),
    "swap-without-joker": ("illegal", "swap.fit", _swap_without_joker),
    "swapped-joker-thrown": ("illegal", "discard.joker", _swapped_joker_thrown),
    "closed-without-tierce": ("illegal", "close.tierce", _closed_without_tierce),
    "early-reshuffle": ("illegal", "stock.reshuffle", _early_reshuffle),
    "dealt-in-the-middle": ("illegal", "flow.kind", _dealt_in_the_middle),
    "refused-though-legal": ("illegal", "refusal.legal", _refused_though_legal),
    "wrong-points": ("claim", "claim.score", _wrong_points),
    "wrong-result": ("claim", "claim.result", _wrong_result),
}
