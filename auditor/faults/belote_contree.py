"""Faults of belote with contrée: of its auction, its duties, its words and its early end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from auditor import cards, events
from auditor.contree import NEED_PAIR, PAIR, POINTS
from auditor.faults import Event, Faults, Site, tricks
from auditor.replay import Replay
from auditor.tricks import Trick

RULESETS = ("belote-contree",)

#: Calls before which a seat is on turn, and nothing waits for an answer.
_CALLS = ("pass", "bid")


def _call_out_of_turn(site: Site) -> int | None:
    return site.insert_out_of_turn("pass", {"type": "pass"})


def _bid_of_95(site: Site) -> int | None:
    return _change_points(site, 95)


def _bid_of_80(site: Site) -> int | None:
    return _change_points(site, 80)


def _change_points(site: Site, points: int) -> int | None:
    index = site.place("bid")
    if index is not None:
        site.log[index].pop("capot", None)
        site.log[index]["points"] = points
    return index


def _bid_without_trump(site: Site) -> int | None:
    return site.change("bid", trump="NT")


def _low_bid(site: Site) -> int | None:
    """A pass over a standing bid becomes a bid of the same points in another suit."""
    for index in site.places("pass"):
        contract = site.before(index).contract
        if contract is not None:
            height, suit = contract.bid.split()
            named = {"capot": True} if height == "capot" else {"points": int(height)}
            other = site.pick([trump for trump in cards.SUITS if trump != suit])
            site.log[index] = {"type": "bid", "seat": site.log[index]["seat"], "trump": other, **named}
            return index
    return None


def _bid_without_pair(site: Site) -> int | None:
    """A call becomes a bid of 170 or 180 in a suit of which the seat lacks king or queen."""
    for index in site.places(site.pick(list(_CALLS))):
        moment = site.before(index)
        height = moment.contract.bid.split()[0] if moment.contract else str(POINTS[0])
        seat = site.log[index]["seat"]
        lacking = [suit for suit in cards.SUITS if PAIR[suit] & ~cards.total(moment.hands[seat])]
        if lacking and height != "capot" and int(height) < NEED_PAIR[0]:
            bid = {"type": "bid", "seat": seat, "points": site.pick(list(NEED_PAIR)), "trump": site.pick(lacking)}
            site.log[index] = bid
            return index
    return None


def _contre_of_nothing(site: Site) -> int | None:
    """Contre is said by the seat that speaks first in a deal."""
    index = site.place("deal")
    if index is None:
        return None
    site.log.insert(index + 1, {"type": "double", "seat": site.log[index + 1]["seat"]})
    return index + 1


def _contre_of_the_partner(site: Site) -> int | None:
    for index in site.places("pass"):
        contract = site.before(index).contract
        if contract is not None and (contract.declarer - site.log[index]["seat"]) % 2 == 0:
            site.log[index] = {"type": "double", "seat": site.log[index]["seat"]}
            return index
    return None


def _contre_twice(site: Site) -> int | None:
    index = site.place("double")
    if index is None:
        return None
    seat = site.log[index]["seat"]
    site.log.insert(index + 1, {"type": "double", "seat": site.pick([seat, (seat + 2) % 4])})
    return index + 1


def _contre_not_answered(site: Site) -> int | None:
    """After a contre the bidder passes."""
    for index in site.places(site.pick(["accept", "redouble"])):
        site.log.insert(index, {"type": "pass", "seat": site.log[index]["seat"]})
        return index
    return None


def _answer_to_nothing(site: Site) -> int | None:
    index = site.place(site.pick([*_CALLS, "play"]))
    if index is not None:
        answer = site.pick(["accept", "redouble"])
        site.log.insert(index, {"type": answer, "seat": site.log[index]["seat"]})
    return index


def _breach(site: Site, clause: str) -> int | None:
    """A seat plays a card of its hand that breaks one clause of play."""
    for index in site.places("play"):
        stage = _trick(site, index)
        seat = site.log[index]["seat"]
        legal = stage.legal() or []
        others = [card for card in cards.codes(stage.table.hands[seat]) if card not in legal]
        plays = [events.Play(seat=seat, card=card) for card in others]  # type: ignore[arg-type]
        faults = {play.card: stage.judge(play) for play in plays}
        breaches = [card for card, fault in faults.items() if fault is not None and fault.clause == clause]
        if breaches:
            site.log[index] = {"type": "play", "seat": seat, "card": site.pick(breaches)}
            return index
    return None


def _trick(site: Site, index: int) -> Trick:
    """The trick that a card of the match is played to."""
    replay = Replay(site.game, msgspec.convert(site.document, site.game.form))
    replay.run(until=index)
    assert isinstance(replay.stage, Trick)
    return replay.stage


def _word_on_another_card(site: Site) -> int | None:
    return _say(site, lambda due: None if due else site.pick(["belote", "rebelote"]))


def _wrong_word(site: Site) -> int | None:
    return _say(site, lambda due: {"belote": "rebelote", "rebelote": "belote"}.get(due or ""))


def _say(site: Site, word: Callable[[str | None], str | None]) -> int | None:
    """A card gets another word than the one that is due with it."""
    for index in site.places("play"):
        stage = _trick(site, index)
        assert stage.words is not None
        play = site.log[index]
        said = word(stage.words.due(play["seat"], cards.BIT[play["card"]]))
        if said is not None:
            site.log[index] = {**play, "announce": said}
            return index
    return None


def _played_on(site: Site) -> int | None:
    """After the contract has fallen one more card is played."""
    for index in site.places("score"):
        start = max(at for at in range(index) if site.log[at]["type"] == "deal")
        deal = site.log[start:index]
        gone = [event["card"] for event in deal if event["type"] == "play"]
        if gone and len(gone) < len(cards.PACK_32.codes):
            left = [(seat, card) for seat, hand in enumerate(deal[0]["hands"]) for card in hand if card not in gone]
            seat, card = site.pick(left)
            site.log.insert(index, {"type": "play", "seat": seat, "card": card})
            return index
    return None


def _bid_by_the_clock(site: Site) -> int | None:
    return site.change("bid", by="timeout")


def _contre_by_the_clock(site: Site) -> int | None:
    return site.change("double", by="timeout")


def _surcontre_by_the_clock(site: Site) -> int | None:
    index = site.place(site.pick(["accept", "redouble"]))
    if index is not None:
        site.log[index] = {**site.log[index], "type": "redouble", "by": "timeout"}
    return index


def _strong_card_by_the_clock(site: Site) -> int | None:
    """The clock runs out on a card that is not a weakest legal one."""
    for index in site.places("play"):
        play: Event = {key: value for key, value in site.log[index].items() if key != "announce"}
        typed = msgspec.convert(play, events.BelotePlay)
        if _trick(site, index).judge_clock(typed) is not None:
            site.log[index] = {**play, "by": "timeout"}
            return index
    return None


def _wrong_kind(site: Site) -> int | None:
    """A seat passes in the middle of play."""
    index = site.place("play")
    if index is not None:
        site.log.insert(index, {"type": "pass", "seat": site.log[index]["seat"]})
    return index


def _wrong_points(site: Site) -> int | None:
    """Points that no reading gives: all of them are tens."""
    index = site.place("score")
    if index is not None:
        numbers = list(site.log[index]["deal"])
        numbers[int(site.chance.random() * 2)] += site.pick([-5, -2, -1, 1, 2, 5])
        site.log[index]["deal"] = numbers
    return index


_OF_TRICKS = (
    "missing-card",
    "card-twice",
    "strange-card",
    "unshuffled-deal",
    "play-out-of-turn",
    "card-not-held",
    "wrong-trick",
    "trick-claimed-early",
)

FAULTS: Faults = {
    **{name: tricks.FAULTS[name] for name in _OF_TRICKS},
    "call-out-of-turn": ("illegal", "auction.turn", _call_out_of_turn),
    "bid-of-95": ("illegal", "auction.range", _bid_of_95),
    "bid-of-80": ("illegal", "auction.range", _bid_of_80),
    "bid-without-trump": ("illegal", "auction.range", _bid_without_trump),
    "low-bid": ("illegal", "auction.outbid", _low_bid),
    "bid-without-pair": ("illegal", "auction.needs-pair", _bid_without_pair),
    "contre-of-nothing": ("illegal", "auction.double", _contre_of_nothing),
    "contre-of-the-partner": ("illegal", "auction.double", _contre_of_the_partner),
    "contre-twice": ("illegal", "auction.double", _contre_twice),
    "contre-not-answered": ("illegal", "auction.answer", _contre_not_answered),
    "answer-to-nothing": ("illegal", "auction.answer", _answer_to_nothing),
    "revoke": ("illegal", "play.follow-suit", partial(_breach, clause="play.follow-suit")),
    "stayed-under": ("illegal", "play.overtrump", partial(_breach, clause="play.overtrump")),
    "no-ruff": ("illegal", "play.must-trump", partial(_breach, clause="play.must-trump")),
    "word-on-another-card": ("illegal", "belote.announce", _word_on_another_card),
    "wrong-word": ("illegal", "belote.announce", _wrong_word),
    "played-on": ("illegal", "deal.over", _played_on),
    "bid-by-the-clock": ("illegal", "timeout.policy", _bid_by_the_clock),
    "contre-by-the-clock": ("illegal", "timeout.policy", _contre_by_the_clock),
    "surcontre-by-the-clock": ("illegal", "timeout.policy", _surcontre_by_the_clock),
    "strong-card-by-the-clock": ("illegal", "timeout.policy", _strong_card_by_the_clock),
    "wrong-kind": ("illegal", "flow.kind", _wrong_kind),
    "wrong-points": ("claim", "claim.score", _wrong_points),
}
