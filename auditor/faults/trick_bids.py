"""Faults of bids of tricks, as all Tarneeb rulesets know them."""

from __future__ import annotations

from auditor.faults import Faults, Site

RULESETS = ("tarneeb-classic", "tarneeb-masrawi", "tarneeb-masrawi-dakak")


def _bid_of_14(site: Site) -> int | None:
    return site.change("bid", tricks=14)


def _bid_of_6(site: Site) -> int | None:
    return site.change("bid", tricks=6)


FAULTS: Faults = {
    "bid-of-14": ("illegal", "auction.range", _bid_of_14),
    "bid-of-6": ("illegal", "auction.range", _bid_of_6),
}
