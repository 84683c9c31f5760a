"""Faults of deals, tricks and trick claims, as games of tricks know them."""

from __future__ import annotations

from collections.abc import Callable

from auditor import cards
from auditor.faults import Faults, Site

RULESETS = ("tarneeb-classic",)


def _wrong_dealer(site: Site) -> int | None:
    for index in site.places("deal"):
        if index:
            site.log[index]["dealer"] = site.other_seat(site.log[index]["dealer"])
            return index
    return None


def _missing_card(site: Site) -> int | None:
    return _change_hand(site, lambda hand: hand[:-1])


def _card_twice(site: Site) -> int | None:
    return _change_hand(site, lambda hand: [hand[1], *hand[1:]])


def _strange_card(site: Site) -> int | None:
    return _change_hand(site, lambda hand: ["JK", *hand[1:]])


def _change_hand(site: Site, change: Callable[[list[str]], list[str]]) -> int | None:
    index = site.place("deal")
    if index is not None:
        hands = [list(hand) for hand in site.log[index]["hands"]]
        seat = int(site.chance.random() * len(hands))
        hands[seat] = change(hands[seat])
        site.log[index]["hands"] = hands
    return index


def _unshuffled_deal(site: Site) -> int | None:
    """Two seats change hands; only a match with a shuffle proof shows it."""
    index = site.place("deal") if "shuffle" in site.document else None
    if index is not None:
        first, second, *others = site.log[index]["hands"]
        site.log[index]["hands"] = [second, first, *others]
    return index


def _play_out_of_turn(site: Site) -> int | None:
    index = site.place("play")
    if index is None:
        return None
    seat = site.other_seat(site.log[index]["seat"])
    held = site.before(index).hands[seat]
    if not held:
        return None
    site.log.insert(index, {"type": "play", "seat": seat, "card": site.pick(list(held))})
    return index


def _card_not_held(site: Site) -> int | None:
    index = site.place("play")
    if index is not None:
        moment = site.before(index)
        seat = site.log[index]["seat"]
        others = [card for card in cards.PACK_52.codes if card not in moment.hands[seat]]
        site.log[index]["card"] = site.pick(others)
    return index


def _revoke(site: Site) -> int | None:
    for index in site.places("play"):
        moment = site.before(index)
        legal = moment.legal or ()
        others = [card for card in moment.hands[site.log[index]["seat"]] if card not in legal]
        if others:
            site.log[index]["card"] = site.pick(others)
            return index
    return None


def _strong_card_by_the_clock(site: Site) -> int | None:
    """The clock runs out on a card that is higher than another legal one of its suit."""
    for index in site.places("play"):
        card = site.log[index]["card"]
        same_suit = [other for other in site.before(index).legal or () if other[1] == card[1]]
        if same_suit and card != same_suit[0]:
            site.log[index]["by"] = "timeout"
            return index
    return None


def _wrong_trick(site: Site) -> int | None:
    index = site.place("trick")
    if index is not None:
        site.log[index]["winner"] = site.other_seat(site.log[index]["winner"])
    return index


def _trick_claimed_early(site: Site) -> int | None:
    """A trick is claimed before its last card."""
    for index in site.places("trick"):
        site.log.insert(index - 1, site.log.pop(index))
        return index - 1
    return None


def _wrong_kind(site: Site) -> int | None:
    """A trump is named in the middle of play."""
    index = site.place("play")
    if index is not None:
        site.log.insert(index, {"type": "trump", "seat": site.log[index]["seat"], "suit": "S"})
    return index


FAULTS: Faults = {
    "wrong-dealer": ("illegal", "deal.dealer", _wrong_dealer),
    "missing-card": ("illegal", "deal.cards", _missing_card),
    "card-twice": ("illegal", "deal.cards", _card_twice),
    "strange-card": ("illegal", "deal.cards", _strange_card),
    "unshuffled-deal": ("illegal", "deal.shuffle", _unshuffled_deal),
    "play-out-of-turn": ("illegal", "play.turn", _play_out_of_turn),
    "card-not-held": ("illegal", "play.in-hand", _card_not_held),
    "revoke": ("illegal", "play.follow-suit", _revoke),
    "strong-card-by-the-clock": ("illegal", "timeout.policy", _strong_card_by_the_clock),
    "wrong-kind": ("illegal", "flow.kind", _wrong_kind),
    "wrong-trick": ("claim", "claim.trick", _wrong_trick),
    "trick-claimed-early": ("claim", "claim.trick", _trick_claimed_early),
}
