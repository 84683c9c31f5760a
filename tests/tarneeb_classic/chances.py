"""Random matches of tarneeb-classic: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from typing import Any

from tests import damage, documents, tarneeb
from tests.documents import Document, Event, Hands

from . import builders, oracle
from .oracle import PACK, SUITS


def legal_match(rng: random.Random) -> Document:
    """A match in which nothing is wrong, with or without claims, refused moves, timeouts, notes and a shuffle proof.

    It is played to its end, or stops between two deals.
    """
    options: dict[str, Any] = {}
    if rng.random() < 0.6:
        options["target"] = rng.choice([31, 31, 41, 61])
    if rng.random() < 0.3:
        options["defender_sweep"] = rng.choice([16, 13])
    keys: dict[str, Any] = {"options": options} if options or rng.random() < 0.5 else {}
    if rng.random() < 0.15:
        keys["shuffle"] = documents.shuffle_proof(rng.randbytes(8).hex(), f"c{rng.randrange(99)}")
    most_deals = rng.choice([1, 2, 3, 30])
    claims_tricks, claims_scores = rng.choice([0, 0.5, 1]), rng.choice([0, 0.5, 1, 1])
    frills = rng.choice([0, 0, 0.03])

    events: list[Event] = []
    totals = (0, 0)
    dealer = rng.randrange(4)
    number = 0
    while number < most_deals and max(totals) < options.get("target", 31):
        proof = keys.get("shuffle")
        one = _deal(rng, dealer, frills, oracle.shuffled_hands(proof, number, dealer) if proof else None)
        number += 1
        said = oracle.judge(builders.match(one, options=options))
        [entry] = said["deals"]
        points = entry["points"] or (0, 0)
        if entry["outcome"] == "scored":
            dealer = (dealer + 1) % 4
        if rng.random() < claims_scores:
            point = next((found.clause for found in said["findings"] if found.kind == "open"), None)
            if point and rng.random() < 0.5:
                points = (points[0] and _other_reading(points[0]), points[1] and _other_reading(points[1]))
            totals = (totals[0] + points[0], totals[1] + points[1])
            one.append(documents.score(points, totals))
        else:
            totals = (totals[0] + points[0], totals[1] + points[1])
        events += _with_trick_claims(rng, one, claims_tricks)
    if rng.random() < 0.7:
        over = max(totals) >= options.get("target", 31)
        events.append(documents.result((0 if totals[0] > totals[1] else 1) if over else None, totals))
    return builders.match(events, **keys)


def _other_reading(points: int) -> int:
    return 13 if points in (16, 26) else points


def _deal(rng: random.Random, dealer: int, frills: float, hands: Hands | None) -> list[Event]:
    if hands is None and rng.random() < 0.4:
        tricks = rng.choice([0, 0, 13, 13, *range(14)])
        calls = rng.choice(["13", "13", *(f"{b} pass pass pass" for b in range(7, 13))])
        suit = rng.choice(SUITS)
        hands = builders.hands_for(tricks, (dealer + 1) % 4, suit)
        return _frilled(rng, builders.played(hands, calls, suit, dealer), frills)
    hands = hands or tarneeb.shuffled(rng)
    calls = _calls(rng)
    if not any(call.isdigit() for call in calls.split()):
        return _frilled(rng, [documents.deal(hands, dealer), *builders.auction(calls, dealer)], frills)
    policy = rng.choice([tarneeb.plain_policy, tarneeb.chance(rng)])
    return _frilled(rng, builders.played(hands, calls, rng.choice(SUITS), dealer, policy), frills)


def _calls(rng: random.Random) -> str:
    """An auction that closes, in the words of :func:`builders.auction`."""
    calls: list[str] = []
    passed, lowest = 0, 7
    boldness = rng.choice([0.05, 0.4, 0.8])
    while passed < 3 or (passed == 3 and lowest == 7):
        if lowest <= 13 and rng.random() < boldness:
            number = min(13, lowest + rng.choice([0, 0, 0, 1, 2, 6]))
            calls.append(str(number))
            lowest = number + 1
            if number == 13 or passed == 3:
                break
        else:
            calls.append("pass")
            passed += 1
    return " ".join(calls)


def _with_trick_claims(rng: random.Random, events: list[Event], share: float) -> list[Event]:
    suit = next((event["suit"] for event in events if event["type"] == "trump" and not event.get("refused")), "")
    return tarneeb.with_trick_claims(rng, events, share, suit)


def _frilled(rng: random.Random, events: list[Event], share: float) -> list[Event]:
    """The same deal with illegal moves that were refused, moves on time-out that keep to the policy, and notes."""
    hands = [set(hand) for hand in events[0]["hands"]]
    suit = next((event["suit"] for event in events if event["type"] == "trump"), "")
    frilled: list[Event] = []
    table: list[str] = []
    for event in events:
        if rng.random() < share:
            frilled.append({"type": "note", "text": "hello", "seat": 9})
        if rng.random() < share and event["type"] != "deal":
            frilled.append(_wrong_move(rng, event) | {"refused": True})
        if event["type"] == "pass" and rng.random() < share * 5:
            event = event | {"by": "timeout"}
        if event["type"] == "play":
            hand = hands[event["seat"]]
            legal = oracle.may_follow(hand, table[0][1] if table else None)
            if legal != hand and rng.random() < share:
                off = rng.choice(sorted(hand - legal))
                frilled.append(documents.play(event["seat"], off, refused=True))
            weakest = min(oracle.strength(card, suit) for card in legal)
            if oracle.strength(event["card"], suit) == weakest and rng.random() < share * 5:
                event = event | {"by": "timeout"}
            hand.remove(event["card"])
            table = [*table, event["card"]] if len(table) < 3 else []
        frilled.append(event)
    return frilled


def _wrong_move(rng: random.Random, event: Event) -> Event:
    """A move that is illegal where ``event`` is legal."""
    return rng.choice(
        [
            event | {"seat": (event["seat"] + rng.randrange(1, 4)) % 4},
            documents.deal(tarneeb.shuffled(rng), rng.randrange(4)),
            documents.play(event["seat"], "JK"),
            builders.trump(event["seat"], "NT"),
            builders.bid(event["seat"], rng.choice([6, 14])),
        ]
    )


# --- Damage ---------------------------------------------------------------------------------------------------------


def damaged(rng: random.Random, document: Document) -> Document:
    """The same match after one to three random changes. It is still well-formed."""
    return damage.damaged(rng, document, _DAMAGES)


def _change_bid(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "bid")
    if document["events"][at]["type"] != "bid":
        return document
    changes: list[dict[str, Any]] = [{"tricks": number} for number in (1, 6, 7, 8, 9, 11, 13, 14, 20)]
    return documents.replaced(document, at, **rng.choice([*changes, {"trump": "NT"}, {"trump": rng.choice(SUITS)}]))


def _change_trump(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "trump")
    if document["events"][at]["type"] != "trump":
        return document
    return documents.replaced(document, at, suit=rng.choice([*SUITS, "NT"]))


def _insert(rng: random.Random, document: Document) -> Document:
    seat = rng.randrange(4)
    numbers = [rng.choice([0, -7, 9, 16]), rng.choice([0, 13, 31])]
    new = rng.choice(
        [
            documents.trick(seat),
            documents.score([0, 0], numbers),
            documents.score(numbers, numbers),
            documents.result(rng.choice([0, 1, None]), numbers),
            documents.passes(seat),
            builders.bid(seat, rng.randrange(5, 16)),
            builders.trump(seat, rng.choice([*SUITS, "NT"])),
            documents.play(seat, rng.choice(PACK)),
            documents.deal(tarneeb.shuffled(rng), seat),
            {"type": "note", "anything": 1},
        ]
    )
    return documents.inserted(document, rng.randrange(len(document["events"]) + 1), new)


def _other_deal(rng: random.Random, document: Document) -> list[Event]:
    return _deal(rng, rng.randrange(4), 0, None)


_MOVES = (("deal",), ("bid", "pass"), ("trump",), ("play",))
_KINDS = (*_MOVES, ("play",), ("play",), damage.CLAIMS)
_DAMAGES = (
    damage.drop(_KINDS),
    damage.twice(_KINDS),
    damage.swap_neighbours(_KINDS),
    damage.swap_any,
    damage.swap_cards,
    damage.other_card_of_hand(60, 0.3),
    damage.other_card_of_hand(60, 0.3),
    damage.change_seat(_KINDS),
    damage.change_card([*PACK, "JK"]),
    _change_bid,
    _change_trump,
    damage.change_hands("JK"),
    damage.change_claim([0, 7, 13, 16, 26, 40]),
    _insert,
    damage.refuse(_MOVES),
    damage.refuse_first(_MOVES),
    damage.time_out(_MOVES),
    damage.cut,
    damage.hide,
    damage.deal_in_the_middle(_other_deal, 60, [1, 3, 30, 99]),
)
