"""Faults of the auction and of naming the trump in classic Tarneeb."""

from __future__ import annotations

from auditor import cards
from auditor.faults import Faults, Site

RULESETS = ("tarneeb-classic",)


def _call_out_of_turn(site: Site) -> int | None:
    return site.insert_out_of_turn("pass", {"type": "pass"})


def _bid_with_trump(site: Site) -> int | None:
    return site.change("bid", trump=site.pick(["C", "D", "H", "S", "NT"]))


def _low_bid(site: Site) -> int | None:
    """A pass over a standing bid becomes a bid of the same number."""
    for index in site.places("pass"):
        contract = site.before(index).contract
        if contract is not None:
            site.log[index] = {"type": "bid", "seat": site.log[index]["seat"], "tricks": int(contract.bid)}
            return index
    return None


def _bid_by_the_clock(site: Site) -> int | None:
    return site.change("bid", by="timeout")


def _trump_by_another(site: Site) -> int | None:
    return site.insert_out_of_turn("trump", {"type": "trump", "suit": site.pick(list(cards.SUITS))})


def _no_trump(site: Site) -> int | None:
    return site.change("trump", suit="NT")


FAULTS: Faults = {
    "call-out-of-turn": ("illegal", "auction.turn", _call_out_of_turn),
    "bid-with-trump": ("illegal", "auction.range", _bid_with_trump),
    "low-bid": ("illegal", "auction.outbid", _low_bid),
    "bid-by-the-clock": ("illegal", "timeout.policy", _bid_by_the_clock),
    "trump-by-another": ("illegal", "trump.declarer", _trump_by_another),
    "no-trump": ("illegal", "trump.declarer", _no_trump),
}
