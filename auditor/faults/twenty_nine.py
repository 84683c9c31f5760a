"""Faults of Twenty-Nine: of its two deals, its auction of points, its hidden trump, and the pair."""

from __future__ import annotations

from auditor import cards
from auditor.faults import Event, Faults, Site, tricks
from auditor.games.twenty_nine import HIGHEST_BID, POINT_CARDS

RULESETS = ("twenty-nine",)


def _laid(site: Site, index: int) -> Event:
    """The laying of the trump before an event of the play."""
    return next(event for event in reversed(site.log[:index]) if event["type"] == "trump")


def _led(site: Site, index: int) -> str | None:
    """The suit led in the trick that an event belongs to."""
    trick = site.before(index).trick
    return trick[0].card[1] if 0 < len(trick) < 4 else None


def _other_dealer_of_second_batch(site: Site) -> int | None:
    for index in site.places("deal"):
        if site.before(index).awaited == "deal" and site.before(index).contract is not None:
            following = site.log[index + 1]["type"]
            if following in ("play", "trump"):
                site.log[index]["dealer"] = site.other_seat(site.log[index]["dealer"])
                return index
    return None


def _redeal_without_right(site: Site) -> int | None:
    """A seat that holds a point asks for a new deal, or any seat where the table plays without that."""
    for index in site.places("bid"):
        moment = site.before(index)
        seat = int(site.chance.random() * 4)
        if cards.total(moment.hands[seat]) & POINT_CARDS:
            site.log.insert(index, {"type": "redeal", "seat": seat})
            return index
    return None


def _call_out_of_turn(site: Site) -> int | None:
    return site.insert_out_of_turn("pass", {"type": "pass"})


def _bid_of_29(site: Site) -> int | None:
    return site.change("bid", points=29)


def _bid_of_14(site: Site) -> int | None:
    return site.change("bid", points=14)


def _low_bid(site: Site) -> int | None:
    """A pass over a standing bid becomes a bid of the same number."""
    for index in site.places("pass"):
        contract = site.before(index).contract
        if contract is not None:
            site.log[index] = {"type": "bid", "seat": site.log[index]["seat"], "points": int(contract.bid)}
            return index
    return None


def _trump_by_another(site: Site) -> int | None:
    index = site.place("trump")
    if index is not None:
        seat = site.other_seat(site.log[index]["seat"])
        card = site.pick(list(site.before(index).hands[seat]))
        site.log.insert(index, {"type": "trump", "seat": seat, "card": card})
    return index


def _trump_not_in_hand(site: Site) -> int | None:
    index = site.place("trump")
    if index is not None:
        seat = site.other_seat(site.log[index]["seat"])
        site.log[index]["card"] = site.pick(list(site.before(index).hands[seat]))
    return index


def _card_not_held(site: Site) -> int | None:
    index = site.place("play")
    if index is not None:
        held = {*site.before(index).hands[site.log[index]["seat"]], _laid(site, index)["card"]}
        site.log[index]["card"] = site.pick([card for card in cards.PACK_52.codes if card not in held])
    return index


def _face_down_card_played(site: Site) -> int | None:
    for index in site.places("play"):
        moment, laid = site.before(index), _laid(site, index)
        seat = site.log[index]["seat"]
        if moment.trump is None and seat == laid["seat"] and moment.hands[seat]:
            site.log[index]["card"] = laid["card"]
            return index
    return None


def _revoke(site: Site) -> int | None:
    for index in site.places("play"):
        led, hand = _led(site, index), site.before(index).hands[site.log[index]["seat"]]
        others = [card for card in hand if card[1] != led]
        if led is not None and others and len(others) < len(hand):
            site.log[index]["card"] = site.pick(others)
            return index
    return None


def _reveal_out_of_turn(site: Site) -> int | None:
    return site.insert_out_of_turn("play", {"type": "reveal"})


def _reveal_by_leader(site: Site) -> int | None:
    for index in site.places("play"):
        if _led(site, index) is None:
            site.log.insert(index, {"type": "reveal", "seat": site.log[index]["seat"]})
            return index
    return None


def _reveal_while_following(site: Site) -> int | None:
    for index in site.places("play"):
        seat = site.log[index]["seat"]
        if any(card[1] == _led(site, index) for card in site.before(index).hands[seat]):
            site.log.insert(index, {"type": "reveal", "seat": seat})
            return index
    return None


def _reveal_twice(site: Site) -> int | None:
    index = site.place("reveal")
    if index is None:
        return None
    site.log.insert(index + 1, dict(site.log[index]))
    return index + 1


def _wrong_suit_revealed(site: Site) -> int | None:
    index = site.place("reveal")
    if index is not None:
        trump = _laid(site, index)["card"][1]
        site.log[index]["suit"] = site.pick([suit for suit in cards.SUITS if suit != trump])
    return index


def _asked_and_not_trumped(site: Site) -> int | None:
    for index in site.places("reveal"):
        play = next(at for at in range(index, len(site.log)) if site.log[at]["type"] == "play")
        trump = _laid(site, index)["card"][1]
        hand = site.before(play).hands[site.log[play]["seat"]]
        others = [card for card in hand if card[1] != trump]
        if others and len(others) < len(hand) and _led(site, play) != trump:
            site.log[play]["card"] = site.pick(others)
            return play
    return None


def _pair_not_held(site: Site) -> int | None:
    index = site.place("play")
    if index is None:
        return None
    trump = _laid(site, index)["card"][1]
    hands = site.before(index).hands
    seats = [seat for seat in range(4) if not {"K" + trump, "Q" + trump} <= set(hands[seat])]
    site.log.insert(index, {"type": "pair", "seat": site.pick(seats)})
    return index


def _early_pair(site: Site) -> int | None:
    """The pair is declared while the trump is hidden."""
    for index in site.places("play"):
        trump, moment = _laid(site, index)["card"][1], site.before(index)
        seats = [seat for seat in range(4) if {"K" + trump, "Q" + trump} <= set(moment.hands[seat])]
        if seats and moment.trump is None:
            site.log.insert(index, {"type": "pair", "seat": seats[0]})
            return index
    return None


def _pair_twice(site: Site) -> int | None:
    index = site.place("pair")
    if index is None:
        return None
    site.log.insert(index + 1, dict(site.log[index]))
    return index + 1


def _bid_in_play(site: Site) -> int | None:
    index = site.place("play")
    if index is not None:
        site.log.insert(index, {"type": "bid", "seat": site.log[index]["seat"], "points": HIGHEST_BID})
    return index


def _wrong_trick(site: Site) -> int | None:
    for index in site.places("trick"):
        if site.before(index).awaited != "trick":  # or else another seat may be right too
            site.log[index]["winner"] = site.other_seat(site.log[index]["winner"])
            return index
    return None


def _wrong_trick_points(site: Site) -> int | None:
    index = site.place("trick")
    if index is not None:
        site.log[index]["points"] = -1
    return index


def _refused_though_legal(site: Site) -> int | None:
    index = site.place("play")
    if index is not None:
        act = {key: value for key, value in site.log[index].items() if key != "by"}
        site.log.insert(index, {**act, "refused": True})
    return index


FAULTS: Faults = {
    "missing-card": tricks.FAULTS["missing-card"],
    "card-twice": tricks.FAULTS["card-twice"],
    "strange-card": tricks.FAULTS["strange-card"],
    "other-dealer-of-second-batch": ("illegal", "deal.dealer", _other_dealer_of_second_batch),
    "unshuffled-deal": tricks.FAULTS["unshuffled-deal"],
    "redeal-without-right": ("illegal", "deal.redeal", _redeal_without_right),
    "call-out-of-turn": ("illegal", "auction.turn", _call_out_of_turn),
    "bid-of-29": ("illegal", "auction.range", _bid_of_29),
    "bid-of-14": ("illegal", "auction.range", _bid_of_14),
    "low-bid": ("illegal", "auction.outbid", _low_bid),
    "trump-by-another": ("illegal", "trump.declarer", _trump_by_another),
    "trump-not-in-hand": ("illegal", "trump.in-hand", _trump_not_in_hand),
    "play-out-of-turn": tricks.FAULTS["play-out-of-turn"],
    "card-not-held": ("illegal", "play.in-hand", _card_not_held),
    "face-down-card-played": ("illegal", "play.hidden-trump", _face_down_card_played),
    "revoke": ("illegal", "play.follow-suit", _revoke),
    "reveal-out-of-turn": ("illegal", "reveal.turn", _reveal_out_of_turn),
    "reveal-by-leader": ("illegal", "reveal.turn", _reveal_by_leader),
    "reveal-while-following": ("illegal", "reveal.turn", _reveal_while_following),
    "reveal-twice": ("illegal", "reveal.turn", _reveal_twice),
    "wrong-suit-revealed": ("illegal", "reveal.suit", _wrong_suit_revealed),
    "asked-and-not-trumped": ("illegal", "play.must-trump", _asked_and_not_trumped),
    "pair-not-held": ("illegal", "pair.held", _pair_not_held),
    "early-pair": ("illegal", "pair.timing", _early_pair),
    "pair-twice": ("illegal", "pair.timing", _pair_twice),
    "bid-in-play": ("illegal", "flow.kind", _bid_in_play),
    "wrong-trick": ("claim", "claim.trick", _wrong_trick),
    "wrong-trick-points": ("claim", "claim.trick", _wrong_trick_points),
    "trick-claimed-early": tricks.FAULTS["trick-claimed-early"],
    "refused-though-legal": ("illegal", "refusal.legal", _refused_though_legal),
}
