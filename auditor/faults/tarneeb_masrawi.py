"""Faults of Egyptian Tarneeb: of its auction, its doubles and their answers."""

from __future__ import annotations

from auditor.faults import Faults, Site, tricks
from auditor.trick_contracts import has_long_suit

RULESETS = ("tarneeb-masrawi",)


def _call_out_of_turn(site: Site) -> int | None:
    return site.insert_out_of_turn("pass", {"type": "pass"})


def _call_by_a_seat_that_is_out(site: Site) -> int | None:
    for index in site.places("pass"):
        for seat, hand in enumerate(site.before(index).hands):
            if has_long_suit([hand]):
                site.log.insert(index, {"type": "pass", "seat": seat})
                return index
    return None


def bid_without_trump(site: Site) -> int | None:
    index = site.place("bid")
    if index is not None:
        del site.log[index]["trump"]
    return index


def _low_bid(site: Site) -> int | None:
    """A pass over a standing bid becomes a bid of the same number in the same suit."""
    for index in site.places("pass"):
        contract = site.before(index).contract
        if contract is not None:
            tricks, trump, *_ = contract.bid.split()
            seat = site.log[index]["seat"]
            site.log[index] = {"type": "bid", "seat": seat, "tricks": int(tricks), "trump": trump}
            return index
    return None


def _double_without_a_bid(site: Site) -> int | None:
    for index in site.places("pass"):
        if site.before(index).contract is None:
            site.log.insert(index, {"type": "double", "seat": site.log[index]["seat"]})
            return index
    return None


def _double_of_the_partner(site: Site) -> int | None:
    for index in site.places("pass"):
        contract = site.before(index).contract
        seat = site.log[index]["seat"]
        if contract is not None and contract.declarer % 2 == seat % 2:
            site.log.insert(index, {"type": "double", "seat": seat})
            return index
    return None


def _double_by_the_bidder(site: Site) -> int | None:
    """The bidder answers a double with one of his own."""
    index = _place_of_an_answer(site)
    if index is not None:
        site.log[index] = {"type": "double", "seat": site.log[index]["seat"]}
    return index


def _pass_as_an_answer(site: Site) -> int | None:
    index = _place_of_an_answer(site)
    if index is not None:
        site.log[index] = {"type": "pass", "seat": site.log[index]["seat"]}
    return index


def _place_of_an_answer(site: Site) -> int | None:
    double = site.place("double")
    return None if double is None else double + 1


def _answer_without_a_double(site: Site) -> int | None:
    index = site.place(site.pick(["pass", "play"]))
    if index is None:
        return None
    moment = site.before(index)
    if moment.legal is not None and "accept" in moment.legal:
        return None
    site.log.insert(index, {"type": site.pick(["accept", "redouble"]), "seat": site.log[index]["seat"]})
    return index


def wrong_kind(site: Site) -> int | None:
    """A pass in the middle of a trick."""
    for index in site.places("play"):
        if site.log[index - 1]["type"] == "play":
            site.log.insert(index, {"type": "pass", "seat": site.log[index]["seat"]})
            return index
    return None


#: Those faults of deals and tricks in which nothing is peculiar to the ruleset.
OF_TRICKS: Faults = {
    name: tricks.FAULTS[name]
    for name in (
        "missing-card",
        "card-twice",
        "strange-card",
        "unshuffled-deal",
        "play-out-of-turn",
        "card-not-held",
        "revoke",
        "wrong-trick",
        "trick-claimed-early",
    )
}

FAULTS: Faults = {
    "wrong-dealer": tricks.FAULTS["wrong-dealer"],
    "call-out-of-turn": ("illegal", "auction.turn", _call_out_of_turn),
    "call-by-a-seat-that-is-out": ("illegal", "auction.turn", _call_by_a_seat_that_is_out),
    "bid-without-trump": ("illegal", "auction.range", bid_without_trump),
    "low-bid": ("illegal", "auction.outbid", _low_bid),
    "double-without-a-bid": ("illegal", "auction.double", _double_without_a_bid),
    "double-of-the-partner": ("illegal", "auction.double", _double_of_the_partner),
    "double-by-the-bidder": ("illegal", "auction.double", _double_by_the_bidder),
    "pass-as-an-answer": ("illegal", "auction.answer", _pass_as_an_answer),
    "answer-without-a-double": ("illegal", "auction.answer", _answer_without_a_double),
    "wrong-kind": ("illegal", "flow.kind", wrong_kind),
    **OF_TRICKS,
}
