"""Planted faults: one fault of a named kind in a legal match, and what an auditor has to say of it.

In: a legal, rightly scored match, the name of a fault, a source of chance. Out: the match with that fault, and the
first finding that it must give. Refuses to know rules: what would be legal at a point is asked of the replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

import msgspec

from auditor import cards, position
from auditor.game import Game
from auditor.verdict import Kind

Event: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planted:
    """A match with one fault: the first finding must be of this kind, cite this clause and stand at this event."""

    document: dict[str, Any]
    kind: Kind
    clause: str
    event: int


def plant(game: Game, document: Mapping[str, Any], fault: str, chance: Random) -> Planted | None:
    """The match with a fault of that name, or ``None`` where it has no place for one. Raises ``KeyError``."""
    kind, clause, planter = FAULTS[fault]
    log = [dict(event) for event in document["events"]]
    event = planter(_Site(game, document, log, chance))
    return None if event is None else Planted({**document, "events": log}, kind, clause, event)


@dataclass(frozen=True, slots=True)
class _Site:
    """A match in which a fault is to be planted: ``log`` is a copy of its events, to be changed."""

    game: Game
    document: Mapping[str, Any]
    log: list[Event]
    chance: Random

    def places(self, kind: str) -> Iterator[int]:
        """The events of a type, by index, in random order."""
        indexes = [index for index, event in enumerate(self.log) if event["type"] == kind]
        while indexes:
            yield indexes.pop(int(self.chance.random() * len(indexes)))

    def place(self, kind: str) -> int | None:
        return next(self.places(kind), None)

    def before(self, index: int) -> position.Position:
        return position.before(self.game, msgspec.convert(self.document, self.game.form), index)

    def pick(self, choices: list[Any]) -> Any:
        return choices[int(self.chance.random() * len(choices))]


def _wrong_dealer(site: _Site) -> int | None:
    for index in site.places("deal"):
        if index:
            site.log[index]["dealer"] = (site.log[index]["dealer"] + 1 + int(site.chance.random() * 3)) % 4
            return index
    return None


def _missing_card(site: _Site) -> int | None:
    return _change_hand(site, lambda hand: hand[:-1])


def _card_twice(site: _Site) -> int | None:
    return _change_hand(site, lambda hand: [hand[1], *hand[1:]])


def _strange_card(site: _Site) -> int | None:
    return _change_hand(site, lambda hand: ["JK", *hand[1:]])


def _change_hand(site: _Site, change: Callable[[list[str]], list[str]]) -> int | None:
    index = site.place("deal")
    if index is not None:
        hands = [list(hand) for hand in site.log[index]["hands"]]
        seat = int(site.chance.random() * len(hands))
        hands[seat] = change(hands[seat])
        site.log[index]["hands"] = hands
    return index


def _unshuffled_deal(site: _Site) -> int | None:
    """Two seats change hands; only a match with a shuffle proof shows it."""
    index = site.place("deal") if "shuffle" in site.document else None
    if index is not None:
        first, second, *others = site.log[index]["hands"]
        site.log[index]["hands"] = [second, first, *others]
    return index


def _call_out_of_turn(site: _Site) -> int | None:
    return _insert_out_of_turn(site, "pass", {"type": "pass"})


def _play_out_of_turn(site: _Site) -> int | None:
    index = site.place("play")
    if index is None:
        return None
    seat = (site.log[index]["seat"] + 1 + int(site.chance.random() * 3)) % 4
    held = site.before(index).hands[seat]
    if not held:
        return None
    site.log.insert(index, {"type": "play", "seat": seat, "card": site.pick(list(held))})
    return index


def _insert_out_of_turn(site: _Site, kind: str, act: Event) -> int | None:
    index = site.place(kind)
    if index is not None:
        seat = (site.log[index]["seat"] + 1 + int(site.chance.random() * 3)) % 4
        site.log.insert(index, {**act, "seat": seat})
    return index


def _bid_of_14(site: _Site) -> int | None:
    return _change(site, "bid", tricks=14)


def _bid_of_6(site: _Site) -> int | None:
    return _change(site, "bid", tricks=6)


def _bid_with_trump(site: _Site) -> int | None:
    return _change(site, "bid", trump=site.pick(["C", "D", "H", "S", "NT"]))


def _low_bid(site: _Site) -> int | None:
    """A pass over a standing bid becomes a bid of the same number."""
    for index in site.places("pass"):
        contract = site.before(index).contract
        if contract is not None:
            site.log[index] = {"type": "bid", "seat": site.log[index]["seat"], "tricks": int(contract.bid)}
            return index
    return None


def _bid_by_the_clock(site: _Site) -> int | None:
    return _change(site, "bid", by="timeout")


def _trump_by_another(site: _Site) -> int | None:
    return _insert_out_of_turn(site, "trump", {"type": "trump", "suit": site.pick(list(cards.SUITS))})


def _no_trump(site: _Site) -> int | None:
    return _change(site, "trump", suit="NT")


def _change(site: _Site, kind: str, **keys: Any) -> int | None:
    index = site.place(kind)
    if index is not None:
        site.log[index].update(keys)
    return index


def _card_not_held(site: _Site) -> int | None:
    index = site.place("play")
    if index is not None:
        moment = site.before(index)
        seat = site.log[index]["seat"]
        others = [card for card in cards.PACK_52.codes if card not in moment.hands[seat]]
        site.log[index]["card"] = site.pick(others)
    return index


def _revoke(site: _Site) -> int | None:
    for index in site.places("play"):
        moment = site.before(index)
        legal = moment.legal or ()
        others = [card for card in moment.hands[site.log[index]["seat"]] if card not in legal]
        if others:
            site.log[index]["card"] = site.pick(others)
            return index
    return None


def _strong_card_by_the_clock(site: _Site) -> int | None:
    """The clock runs out on a card that is higher than another legal one of its suit."""
    for index in site.places("play"):
        card = site.log[index]["card"]
        same_suit = [other for other in site.before(index).legal or () if other[1] == card[1]]
        if same_suit and card != same_suit[0]:
            site.log[index]["by"] = "timeout"
            return index
    return None


def _refused_though_legal(site: _Site) -> int | None:
    index = site.place(site.pick(["play", "bid", "pass", "trump"]))
    if index is not None:
        act = {key: value for key, value in site.log[index].items() if key != "by"}
        site.log.insert(index, {**act, "refused": True})
    return index


def _wrong_kind(site: _Site) -> int | None:
    """A trump is named in the middle of play."""
    index = site.place("play")
    if index is not None:
        site.log.insert(index, {"type": "trump", "seat": site.log[index]["seat"], "suit": "S"})
    return index


def _wrong_trick(site: _Site) -> int | None:
    index = site.place("trick")
    if index is not None:
        site.log[index]["winner"] = (site.log[index]["winner"] + 1 + int(site.chance.random() * 3)) % 4
    return index


def _trick_claimed_early(site: _Site) -> int | None:
    """A trick is claimed before its last card."""
    for index in site.places("trick"):
        site.log.insert(index - 1, site.log.pop(index))
        return index - 1
    return None


def _wrong_points(site: _Site) -> int | None:
    return _change_score(site, "deal")


def _wrong_total(site: _Site) -> int | None:
    return _change_score(site, "total")


def _change_score(site: _Site, key: str) -> int | None:
    index = site.place("score")
    if index is not None:
        numbers = list(site.log[index][key])
        numbers[int(site.chance.random() * len(numbers))] += site.pick([-20, -2, -1, 1, 2, 40])
        site.log[index][key] = numbers
    return index


def _score_claimed_twice(site: _Site) -> int | None:
    index = site.place("score")
    if index is None:
        return None
    site.log.insert(index + 1, dict(site.log[index]))
    return index + 1


def _wrong_result(site: _Site) -> int | None:
    index = site.place("result")
    if index is not None:
        site.log[index]["winner"] = site.pick([None, 1 - (site.log[index]["winner"] or 0)])
    return index


def _deal_after_the_end(site: _Site) -> int | None:
    index = site.place("deal")
    if index is None:
        return None
    site.log.append(dict(site.log[index]))
    return len(site.log) - 1


#: By name: the kind and the clause of the finding that a fault must give first, and how it is planted.
FAULTS: Mapping[str, tuple[Kind, str, Callable[[_Site], int | None]]] = {
    "wrong-dealer": ("illegal", "deal.dealer", _wrong_dealer),
    "missing-card": ("illegal", "deal.cards", _missing_card),
    "card-twice": ("illegal", "deal.cards", _card_twice),
    "strange-card": ("illegal", "deal.cards", _strange_card),
    "unshuffled-deal": ("illegal", "deal.shuffle", _unshuffled_deal),
    "call-out-of-turn": ("illegal", "auction.turn", _call_out_of_turn),
    "bid-of-14": ("illegal", "auction.range", _bid_of_14),
    "bid-of-6": ("illegal", "auction.range", _bid_of_6),
    "bid-with-trump": ("illegal", "auction.range", _bid_with_trump),
    "low-bid": ("illegal", "auction.outbid", _low_bid),
    "bid-by-the-clock": ("illegal", "timeout.policy", _bid_by_the_clock),
    "trump-by-another": ("illegal", "trump.declarer", _trump_by_another),
    "no-trump": ("illegal", "trump.declarer", _no_trump),
    "play-out-of-turn": ("illegal", "play.turn", _play_out_of_turn),
    "card-not-held": ("illegal", "play.in-hand", _card_not_held),
    "revoke": ("illegal", "play.follow-suit", _revoke),
    "strong-card-by-the-clock": ("illegal", "timeout.policy", _strong_card_by_the_clock),
    "refused-though-legal": ("illegal", "refusal.legal", _refused_though_legal),
    "wrong-kind": ("illegal", "flow.kind", _wrong_kind),
    "wrong-trick": ("claim", "claim.trick", _wrong_trick),
    "trick-claimed-early": ("claim", "claim.trick", _trick_claimed_early),
    "wrong-points": ("claim", "claim.score", _wrong_points),
    "wrong-total": ("claim", "claim.total", _wrong_total),
    "score-claimed-twice": ("claim", "claim.score", _score_claimed_twice),
    "wrong-result": ("claim", "claim.result", _wrong_result),
    "deal-after-the-end": ("illegal", "match.over", _deal_after_the_end),
}
