"""Faults of Egyptian Tarneeb with dakak: of its auction, its floors and its dealers."""

from __future__ import annotations

from auditor.faults import Event, Faults, Site
from auditor.faults.tarneeb_masrawi import OF_TRICKS, bid_without_trump, wrong_kind
from auditor.trick_contracts import LOWEST_BID, TRICK_COUNT, has_long_suit

RULESETS = ("tarneeb-masrawi-dakak",)


def _wrong_dealer(site: Site) -> int | None:
    """Neither the next seat nor, after a void deal, the same one deals."""
    later = [index for index, event in enumerate(site.log) if event["type"] == "deal"][1:]
    if not later:
        return None
    index: int = site.pick(later)
    dealt = [event["dealer"] for event in site.log[:index] if event["type"] == "deal"][-1]
    site.log[index]["dealer"] = (dealt + site.pick([2, 3])) % 4
    return index


def _call_out_of_turn(site: Site) -> int | None:
    """Before a bid: who may bid is not passed over."""
    for index in site.places("bid"):
        seat = site.log[index]["seat"]
        if site.before(index).turn == seat:
            site.log.insert(index, {"type": "pass", "seat": site.other_seat(seat)})
            return index
    return None


def _low_bid(site: Site) -> int | None:
    """A pass over a standing bid becomes a bid of the same number in the same suit."""
    for index in site.places("pass"):
        standing = _standing(site, index)
        if standing is not None:
            site.log[index] = {"type": "bid", "seat": site.log[index]["seat"], **standing}
            return index
    return None


def _bid_out_of_call(site: Site) -> int | None:
    """A seat with nine cards of a suit bids one more than what stands, whether it said something else or nothing."""
    for index in site.places("pass"):
        moment = site.before(index)
        bid = _next_bid(site, index)
        if moment.turn is None or bid is None or not has_long_suit([moment.hands[moment.turn]]):
            continue
        if site.log[index]["seat"] == moment.turn:
            site.log[index] = bid
        else:
            site.log.insert(index, bid)
        return index
    return None


def _bid_under_the_floor(site: Site) -> int | None:
    """A pass becomes a bid that would be high enough, were nobody dakak."""
    for index in site.places("pass"):
        moment = site.before(index)
        seat = site.log[index]["seat"]
        bid = _next_bid(site, index)
        if moment.turn != seat or bid is None or has_long_suit([moment.hands[seat]]):
            continue
        if f"{bid['tricks']} S" not in (moment.legal or ()):
            site.log[index] = bid
            return index
    return None


def _next_bid(site: Site, index: int) -> Event | None:
    """A bid of one trick more than stands, by the seat on turn."""
    standing = _standing(site, index)
    number = LOWEST_BID if standing is None else standing["tricks"] + 1
    if number > TRICK_COUNT:
        return None
    return {"type": "bid", "seat": site.before(index).turn, "tricks": number, "trump": "S"}


def _standing(site: Site, index: int) -> Event | None:
    contract = site.before(index).contract
    if contract is None:
        return None
    number, trump, *_ = contract.bid.split()
    return {"tricks": int(number), "trump": trump}


def _refused_though_legal(site: Site) -> int | None:
    """A card that nothing open stands behind: the auction is over, with or without its last pass."""
    for index in site.places("play"):
        if site.before(index).awaited == "play":
            act = {key: value for key, value in site.log[index].items() if key != "by"}
            site.log.insert(index, {**act, "refused": True})
            return index
    return None


FAULTS: Faults = {
    "wrong-dealer": ("illegal", "deal.dealer", _wrong_dealer),
    "call-out-of-turn": ("illegal", "auction.turn", _call_out_of_turn),
    "bid-without-trump": ("illegal", "auction.range", bid_without_trump),
    "low-bid": ("illegal", "auction.outbid", _low_bid),
    "bid-out-of-call": ("illegal", "auction.out-of-call", _bid_out_of_call),
    "bid-under-the-floor": ("illegal", "auction.dakak", _bid_under_the_floor),
    "refused-though-legal": ("illegal", "refusal.legal", _refused_though_legal),
    "wrong-kind": ("illegal", "flow.kind", wrong_kind),
    **OF_TRICKS,
}
