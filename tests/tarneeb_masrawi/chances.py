"""Random matches of Egyptian Tarneeb, both rulesets: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them: what is legal comes from the oracle.
"""

from __future__ import annotations

import random
from typing import Any

from tests import damage, documents, tarneeb
from tests.documents import Document, Event, Hands

from . import builders, oracle
from .builders import DAKAK, MASRAWI
from .oracle import PACK, SUITS


def legal_match(rng: random.Random, ruleset: str) -> Document:
    """A match in which nothing is wrong, with or without claims, refused moves, timeouts, notes and a shuffle proof.

    It is played to its end, or stops between two deals.
    """
    options: dict[str, Any] = {}
    if rng.random() < 0.6:
        options["target"] = rng.choice([31, 31, 41]) if ruleset == DAKAK else rng.choice([1, 20, 31, 61, 100])
    if ruleset == MASRAWI and rng.random() < 0.1:
        options["rounds"] = 1
    if ruleset == DAKAK and rng.random() < 0.6:
        options["dakak_floor"] = rng.choice(["5C", "5NT", "6"])
    if ruleset == DAKAK and rng.random() < 0.5:
        options["double_applies"] = rng.choice(["both", "bidders"])
    keys: dict[str, Any] = {"options": options} if options or rng.random() < 0.5 else {}
    if rng.random() < 0.15:
        keys["shuffle"] = documents.shuffle_proof(rng.randbytes(8).hex(), f"c{rng.randrange(99)}")
    most_deals = rng.choice([1, 2, 3, 30])
    claims_tricks, claims_scores = rng.choice([0, 0.5, 1]), rng.choice([0, 0.5, 1, 1])
    frills = rng.choice([0, 0, 0.03])
    if claims_scores < 1:  # what nobody claims leaves more and more readings
        most_deals = min(most_deals, 8)

    events: list[Event] = []
    totals = (0, 0)
    dealers = [0, 1, 2, 3]
    number = 0
    is_over = False
    while number < most_deals and not is_over:
        proof = keys.get("shuffle")
        dealer = rng.choice(dealers)
        hands = oracle.shuffled_hands(proof, number, dealer) if proof else some_hands(rng)
        one = deal_events(rng, ruleset, hands, dealer, options, frills)
        number += 1
        said = oracle.judge(builders.match(one, ruleset, options=options))
        [entry] = said["deals"]
        points = entry["points"] or (0, 0)
        dealers = [(dealer + 1) % 4]
        if entry["outcome"] == "void":
            dealers = [dealer, (dealer + 1) % 4] if ruleset == DAKAK else [dealer]
        claims_score = rng.random() < claims_scores
        if claims_score and rng.random() < 0.5:
            points = rng.choice(readings(one, points, options)) if ruleset == DAKAK else points
        totals = (totals[0] + points[0], totals[1] + points[1])
        if claims_score:
            one.append(documents.score(points, totals))
        events += _with_trick_claims(rng, one, claims_tricks)
        is_over = totals != (0, 0) if "rounds" in options else max(totals) >= options.get("target", 31)
    if rng.random() < 0.7:
        winner = (0 if totals[0] > totals[1] else 1) if is_over and totals[0] != totals[1] else None
        events.append(documents.result(winner, totals))
    return builders.match(events, ruleset, **keys)


def readings(events: list[Event], points: tuple[int, int], options: dict[str, Any]) -> list[tuple[int, int]]:
    """What a deal of masrawi-dakak may score, by the oracle's table."""
    bids = [at for at, event in enumerate(events) if event["type"] == "bid" and not event.get("refused")]
    if not bids:
        return [points]
    bid = events[bids[-1]]
    doubled = any(event["type"] == "double" and not event.get("refused") for event in events[bids[-1] :])
    plays = [(event["seat"], event["card"]) for event in events if event["type"] == "play" and not event.get("refused")]
    tricks = [plays[start : start + 4] for start in range(0, 52, 4)]
    taken = sum(oracle.winner_of(trick, bid["trump"]) % 2 == bid["seat"] % 2 for trick in tricks)
    pairs, _ = oracle.worth_dakak(bid["tricks"], taken, doubled, options)
    return [pair if bid["seat"] % 2 == 0 else (pair[1], pair[0]) for pair in pairs]


def some_hands(rng: random.Random) -> Hands:
    """Random hands, often with long suits or with all honours in one team or hand."""
    chance = rng.random()
    if chance < 0.4:
        return tarneeb.shuffled(rng)
    if chance < 0.6:  # suits stay together
        pack = [card for suit in rng.sample(SUITS, 4) for card in rng.sample([c for c in PACK if c[1] == suit], 13)]
        for _ in range(rng.choice([0, 1, 3, 6, 10])):
            at, other = rng.randrange(52), rng.randrange(52)
            pack[at], pack[other] = pack[other], pack[at]
        hands = [pack[start : start + 13] for start in (0, 13, 26, 39)]
    else:  # ranks stay together
        pack = sorted(PACK, key=lambda card: oracle.RANKS.index(card[0]) + rng.random() * rng.choice([2, 5, 9]))
        if chance < 0.8:
            hands = [pack[start : start + 13] for start in (0, 13, 26, 39)]
        else:
            hands = [pack[0:26:2], pack[26:52:2], pack[1:26:2], pack[27:52:2]]
    if chance < 0.8:
        rng.shuffle(hands)
    return hands


def deal_events(
    rng: random.Random, ruleset: str, hands: Hands, dealer: int, options: dict[str, Any], frills: float
) -> list[Event]:
    """One deal, played legally to its end."""
    calls, deal = random_calls(rng, ruleset, hands, dealer, options)
    events = [documents.deal(hands, dealer), *calls]
    if deal.bid is not None:
        if ruleset == MASRAWI and calls[-1]["type"] not in oracle.ANSWERS and rng.random() < 0.4:
            events.append(builders.accepts(deal.bid["seat"]))
        policy = rng.choice([tarneeb.plain_policy, tarneeb.chance(rng)])
        events += tarneeb.play_out(hands, deal.bid["seat"], deal.bid["trump"], policy)[0]
    return _frilled(rng, events, frills)


def random_calls(
    rng: random.Random, ruleset: str, hands: Hands, dealer: int, options: dict[str, Any]
) -> tuple[list[Event], oracle.Deal]:
    """An auction that closes or is void, and the deal after it."""
    deal = oracle.Deal(0, dealer, [set(hand) for hand in hands], [0] * 4)
    calls: list[Event] = []
    boldness, doubling, skipping = rng.choice([0.1, 0.4, 0.8]), rng.choice([0, 0.1, 0.4]), rng.choice([0, 0.5, 1])
    if ruleset == MASRAWI:
        oracle.end_masrawi_auction(deal)
    while deal.phase not in ("lead", "void", "play"):
        if deal.phase == "answer":
            assert deal.bid is not None
            calls.append({"type": rng.choice(oracle.ANSWERS), "seat": deal.bid["seat"]})
            deal.phase = "play"
            break
        seat = deal.turn if ruleset == DAKAK else oracle.waiting(deal)[0]
        if ruleset == DAKAK:
            if deal.bid is not None and deal.passes == 3 and rng.random() < 0.6:
                break  # and the bidder leads
            if deal.out[seat] == "yes" and rng.random() < skipping:
                if deal.bid is not None and deal.passes == 2:
                    break
                if deal.bid is None and deal.passes == 3:
                    deal.phase = "void"
                    break
                if oracle.skipped(deal, (seat + 1) % 4) is not None:
                    seat = (seat + 1) % 4
        call = documents.passes(seat)
        if rng.random() < boldness:
            lowest = deal.bid["tricks"] if deal.bid else 7
            number = min(13, lowest + rng.choice([0, 0, 0, 1, 2, 4, 6]))
            call = builders.bid(seat, number, rng.choice(oracle.ORDER))
        elif rng.random() < doubling:
            call = builders.double(seat)
        if ruleset == DAKAK:
            ruling = oracle.rule_dakak_call(deal, call, options)
        else:
            ruling = oracle.rule_masrawi_call(deal, call)
        if ruling.clause is not None:
            call = documents.passes(seat)
        calls.append(call)
        (oracle.take_dakak_call if ruleset == DAKAK else oracle.take_masrawi_call)(deal, call)
    return calls, deal


def _with_trick_claims(rng: random.Random, events: list[Event], share: float) -> list[Event]:
    bids = [event["trump"] for event in events if event["type"] == "bid" and not event.get("refused")]
    suit = bids[-1] if bids else ""
    return tarneeb.with_trick_claims(rng, events, share, suit)


def _frilled(rng: random.Random, events: list[Event], share: float) -> list[Event]:
    """The same deal with illegal moves that were refused, moves by the clock, and notes."""
    hands = [set(hand) for hand in events[0]["hands"]]
    frilled: list[Event] = []
    table: list[str] = []
    for event in events:
        if rng.random() < share:
            frilled.append({"type": "note", "text": "hello", "seat": 9})
        if rng.random() < share and event["type"] != "deal":
            frilled.append(_wrong_move(rng, event) | {"refused": True})
        if rng.random() < share * 5:
            event = event | {"by": "timeout"}
        if event["type"] == "play":
            hand = hands[event["seat"]]
            legal = oracle.may_follow(hand, table[0][1] if table else None)
            if legal != hand and rng.random() < share:
                off = rng.choice(sorted(hand - legal))
                frilled.append(documents.play(event["seat"], off, refused=True))
            hand.remove(event["card"])
            table = [*table, event["card"]] if len(table) < 3 else []
        frilled.append(event)
    return frilled


def _wrong_move(rng: random.Random, event: Event) -> Event:
    """A move that is illegal where ``event`` is legal."""
    return rng.choice(
        [
            documents.play(event["seat"], "JK"),
            builders.bid(event["seat"], rng.choice([6, 14])),
            builders.bid(event["seat"], 9, None),
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
    return documents.replaced(document, at, **rng.choice([*changes, {"trump": rng.choice([*oracle.ORDER, None])}]))


def _change_call(rng: random.Random, document: Document) -> Document:
    """A call becomes another one of the same seat."""
    at = damage.any_of(rng, document, *CALLS)
    event = document["events"][at]
    if event["type"] not in CALLS:
        return document
    kind = rng.choice(["pass", "double", "bid", *([] if document["ruleset"] == DAKAK else oracle.ANSWERS)])
    if kind == "bid":
        return documents.replaced(document, at, type=kind, tricks=rng.randrange(7, 14), trump=rng.choice(oracle.ORDER))
    changed = documents.replaced(document, at, tricks=None, trump=None)
    return documents.replaced(changed, at, type=kind)


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
            builders.bid(seat, rng.randrange(5, 16), rng.choice([*oracle.ORDER, None])),
            builders.double(seat),
            {"type": "double" if document["ruleset"] == DAKAK else rng.choice(oracle.ANSWERS), "seat": seat},
            documents.play(seat, rng.choice(PACK)),
            documents.deal(tarneeb.shuffled(rng), seat),
            {"type": "note", "anything": 1},
        ]
    )
    return documents.inserted(document, rng.randrange(len(document["events"]) + 1), new)


def _other_deal(rng: random.Random, document: Document) -> list[Event]:
    dealer = rng.randrange(4)
    return deal_events(rng, document["ruleset"], some_hands(rng), dealer, {}, 0)


CALLS = ("bid", "pass", "double", *oracle.ANSWERS)
_MOVES = (("deal",), CALLS, ("double", *oracle.ANSWERS), ("play",))
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
    _change_call,
    _change_call,
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
