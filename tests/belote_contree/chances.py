"""Random matches of belote-contree: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from typing import Any

from tests import damage, documents
from tests.documents import Document, Event, Hands

from . import builders, oracle
from .oracle import BIDS, PACK, SUITS


def legal_match(rng: random.Random) -> Document:
    """A match in which nothing is wrong, with or without claims, refused moves, timeouts, notes and a shuffle proof.

    It is played to its end, or stops between two deals.
    """
    options: dict[str, Any] = {}
    if rng.random() < 0.6:
        options["scoring"] = rng.choice(["sahel", "contree"])
    if rng.random() < 0.3:
        options["undertrump"] = rng.choice(["required", "free"])
    if rng.random() < 0.2:
        options["target"] = rng.choice([1000, 2000])
    keys: dict[str, Any] = {"options": options} if options or rng.random() < 0.5 else {}
    if rng.random() < 0.15:
        keys["shuffle"] = documents.shuffle_proof(rng.randbytes(8).hex(), f"c{rng.randrange(99)}")
    most_deals = rng.choice([1, 1, 2, 3, 12])
    claims_tricks, claims_scores = rng.choice([0, 0.5, 1]), rng.choice([0, 0.5, 1, 1])
    frills = rng.choice([0, 0, 0.03])
    says = rng.choice([0, 1, 1])

    events: list[Event] = []
    totals = (0, 0)
    dealer = rng.randrange(4)
    number = 0
    while number < most_deals and not is_over(totals, options):
        proof = keys.get("shuffle")
        hands = oracle.shuffled_hands(proof, number, dealer) if proof else None
        one = _deal(rng, dealer, frills, hands, options, says)
        number += 1
        said = oracle.judge(builders.match(one, options=options))
        [entry] = said["deals"]
        points = entry["points"] or (0, 0)
        dealer = (dealer + (1 if rng.random() < 0.95 else rng.randrange(4))) % 4
        totals = (totals[0] + points[0], totals[1] + points[1])
        if rng.random() < claims_scores:
            one.append(documents.score(points, totals))
        events += builders.with_trick_claims(one, claims_tricks, rng)
    if rng.random() < 0.7:
        winner = int(totals[0] < totals[1]) if is_over(totals, options) else None
        events.append(documents.result(winner, totals))
    return builders.match(events, **keys)


def is_over(totals: tuple[int, int], options: dict[str, Any]) -> bool:
    return max(totals) >= options.get("target", 1000) and totals[0] != totals[1]


def _deal(
    rng: random.Random, dealer: int, frills: float, hands: Hands | None, options: dict[str, Any], says: int
) -> list[Event]:
    calls = _calls(rng)
    is_void = calls == "pass pass pass pass"
    trump = "" if is_void else next(call for call in reversed(calls.split()) if call[0] in "1c9" and call[-1] in SUITS)
    if hands is None:
        hands = _leaning(rng, trump[-1]) if trump and rng.random() < 0.5 else builders.shuffled(rng)
    if any(call[:3] in ("170", "180") and not _has_pair(hands, calls, call, dealer) for call in calls.split()):
        calls = f"90{trump[-1]} pass pass pass"
    if is_void:
        return _frilled(rng, [documents.deal(hands, dealer), *builders.auction(calls, dealer)], frills, options)
    policy = rng.choice([builders.plain_policy, builders.chance(rng), builders.helpful(rng.randrange(2))])
    one = builders.played(hands, calls, dealer, policy, says=bool(says), options=options)
    if says and rng.random() < 0.2:
        one = [{key: value for key, value in event.items() if key != "announce"} for event in one]
    return _frilled(rng, one, frills, options)


def _has_pair(hands: Hands, calls: str, call: str, dealer: int) -> bool:
    seat = (dealer + 1 + calls.split().index(call)) % 4
    return {"K" + call[-1], "Q" + call[-1]} <= set(hands[seat])


def _leaning(rng: random.Random, trump: str) -> Hands:
    """Hands in which one seat has most of a suit."""
    hands = builders.shuffled(rng)
    taker = rng.randrange(4)
    for seat in range(4):
        for place, card in enumerate(hands[seat]):
            if seat != taker and card[1] == trump and rng.random() < 0.7:
                away = next((own for own, other in enumerate(hands[taker]) if other[1] != trump), None)
                if away is not None:
                    hands[seat][place], hands[taker][away] = hands[taker][away], card
    return hands


def _calls(rng: random.Random) -> str:
    """An auction that closes, in the words of :func:`builders.auction`."""
    calls: list[str] = []
    passed, standing = 0, 80
    boldness = rng.choice([0.1, 0.4, 0.8])
    seats = 0
    bidder = 0
    while passed < 3 or (passed == 3 and standing == 80):
        if standing > 80 and seats % 2 != bidder % 2 and rng.random() < 0.25:
            return " ".join([*calls, "contre", rng.choice(["accept", "accept", "surcontre"])])
        if standing < 190 and rng.random() < boldness:
            standing = min(190, standing + rng.choice([10, 10, 10, 20, 30, 60, 110]))
            calls.append(("capot" if standing == 190 else str(standing)) + rng.choice(SUITS))
            passed = 0
            bidder = seats
        else:
            calls.append("pass")
            passed += 1
        seats += 1
    return " ".join(calls)


def _frilled(rng: random.Random, events: list[Event], share: float, options: dict[str, Any]) -> list[Event]:
    """The same deal with illegal moves that were refused, moves on time-out that keep to the policy, and notes."""
    hands = [set(hand) for hand in events[0]["hands"]]
    trump = next((event["trump"] for event in reversed(events) if event["type"] == "bid"), "")
    frilled: list[Event] = []
    table: oracle.Trick = []
    for event in events:
        if rng.random() < share:
            frilled.append({"type": "note", "text": "hello", "seat": 9})
        if rng.random() < share and event["type"] != "deal":
            frilled.append(_wrong_move(rng, event) | {"refused": True})
        if event["type"] in ("pass", "accept") and rng.random() < share * 5:
            event = event | {"by": "timeout"}
        if event["type"] == "play":
            seat, hand = event["seat"], hands[event["seat"]]
            legal = oracle.legal_cards(hand, seat, table, trump, options.get("undertrump", "required"))
            if legal != hand and rng.random() < share:
                off = rng.choice(sorted(hand - legal))
                frilled.append(documents.play(event["seat"], off, refused=True))
            weakest = min((card[1] == trump, oracle.rank_of(card, trump)) for card in legal)
            own = (event["card"][1] == trump, oracle.rank_of(event["card"], trump))
            if own == weakest and rng.random() < share * 5:
                event = event | {"by": "timeout"}
            hand.remove(event["card"])
            table = [*table, (seat, event["card"])] if len(table) < 3 else []
        frilled.append(event)
    return frilled


def _wrong_move(rng: random.Random, event: Event) -> Event:
    """A move that is illegal where ``event`` is legal."""
    wrong = [
        documents.deal(builders.shuffled(rng), rng.randrange(4)),
        documents.play(event["seat"], "JK"),
        builders.bid(event["seat"], rng.choice([80, 85, 190, 90]), "NT"),
    ]
    if event["type"] != "double":
        wrong.append({**event, "seat": (event["seat"] + rng.randrange(1, 4)) % 4})
    return rng.choice(wrong)


# --- Damage ---------------------------------------------------------------------------------------------------------


def damaged(rng: random.Random, document: Document) -> Document:
    """The same match after one to three random changes. It is still well-formed."""
    return damage.damaged(rng, document, _DAMAGES)


def _announce(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "play")
    plays = [at for at, event in enumerate(document["events"]) if event["type"] == "play"]
    spoken = [at for at in plays if "announce" in document["events"][at] or document["events"][at]["card"][0] in "KQ"]
    at = rng.choice(spoken or plays or [0])
    if document["events"][at]["type"] != "play":
        return document
    return documents.replaced(document, at, announce=rng.choice(["belote", "rebelote", None]))


def _change_bid(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "bid")
    if document["events"][at]["type"] != "bid":
        return document
    changes: list[dict[str, Any]] = [{"points": number} for number in (*BIDS, 80, 95, 190, 300, 0)]
    changes += [{"trump": suit} for suit in (*SUITS, "NT")] * 2
    changes += [{"points": None, "capot": True}, {"points": None}, {"capot": True}]
    return documents.replaced(document, at, **rng.choice(changes))


def _change_call(rng: random.Random, document: Document) -> Document:
    """A call becomes another one by the same seat."""
    at = damage.any_of(rng, document, "pass", "bid", "double", "accept", "redouble")
    seat = document["events"][at].get("seat")
    if seat is None:
        return document
    calls = [documents.passes(seat), builders.double(seat), builders.accept(seat), builders.redouble(seat)]
    new = rng.choice([*calls, builders.bid(seat, rng.choice(BIDS), rng.choice(SUITS))])
    return document | {"events": [*document["events"][:at], new, *document["events"][at + 1 :]]}


def _change_claim(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "score", "result", "trick")
    event = document["events"][at]
    if event["type"] == "trick":
        return documents.replaced(document, at, points=rng.choice([None, 0, 11, 20]))
    if event["type"] not in ("score", "result"):
        return document
    key = rng.choice(["deal", "total"]) if event["type"] == "score" else "total"
    numbers = list(event[key])
    numbers[rng.randrange(2)] += rng.choice([-20, 20, -10, 160, 1, -340])
    return documents.replaced(document, at, **{key: numbers})


def _insert(rng: random.Random, document: Document) -> Document:
    seat = rng.randrange(4)
    numbers = [rng.choice([0, 160, 90, 250]), rng.choice([0, 80, 410])]
    new = rng.choice(
        [
            documents.trick(seat),
            documents.score([0, 0], numbers),
            documents.score(numbers, numbers),
            documents.result(rng.choice([0, 1, None]), numbers),
            documents.passes(seat),
            builders.double(seat),
            builders.double(seat),
            builders.accept(seat),
            builders.redouble(seat),
            builders.bid(seat, rng.choice(_HEIGHTS), rng.choice(SUITS)),
            documents.play(seat, rng.choice(PACK)),
            documents.deal(builders.shuffled(rng), seat),
            {"type": "note", "anything": 1},
        ]
    )
    return documents.inserted(document, rng.randrange(len(document["events"]) + 1), new)


def _play_on(rng: random.Random, document: Document) -> Document:
    """After a contract has fallen, the log plays on."""
    starts = [at for at, event in enumerate(document["events"]) if event["type"] == "deal"] or [0]
    start = rng.choice(starts)
    end = next((at for at in starts if at > start), len(document["events"]))
    hands = document["events"][start].get("hands", [])
    gone = [event.get("card") for event in document["events"][start:end]]
    left = [(seat, card) for seat, hand in enumerate(hands) for card in hand if card not in [*gone, "??"]]
    last = max((at for at in range(start, end) if document["events"][at]["type"] in ("play", "trick")), default=None)
    if last is None or not left:
        return document
    more = [documents.play(*rng.choice(left)) for _ in range(rng.choice([1, 2, 5]))]
    return documents.inserted(document, last + 1, *more)


def _other_deal(rng: random.Random, document: Document) -> list[Event]:
    return _deal(rng, rng.randrange(4), 0, None, {}, 1)


_HEIGHTS: list[int | str] = [*BIDS, "capot"]
_MOVES = (("deal",), ("bid", "pass"), ("double", "accept", "redouble"), ("play",))
_KINDS = (*_MOVES, ("play",), ("play",), damage.CLAIMS)
_DAMAGES = (
    damage.drop(_KINDS),
    damage.twice(_KINDS),
    damage.swap_neighbours(_KINDS),
    damage.swap_any,
    damage.swap_cards,
    damage.other_card_of_hand(32, 0.3),
    damage.other_card_of_hand(32, 0.3),
    damage.other_card_of_hand(32, 0.3),
    damage.change_seat(_KINDS),
    damage.change_card([*PACK, "JK", "2C"]),
    _announce,
    _announce,
    _change_bid,
    _change_call,
    damage.change_hands("JK", "6C"),
    _change_claim,
    _insert,
    damage.refuse(_MOVES),
    damage.refuse_first(_MOVES),
    damage.time_out(_MOVES),
    damage.cut,
    damage.hide,
    _play_on,
    damage.deal_in_the_middle(_other_deal, 40, [1, 3, 20, 99]),
)
