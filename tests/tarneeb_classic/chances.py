"""Random matches of tarneeb-classic: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from typing import Any

from . import builders, oracle
from .builders import Document, Hands
from .oracle import PACK, SUITS, Event


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
        keys["shuffle"] = builders.shuffle_proof(rng.randbytes(8).hex(), f"c{rng.randrange(99)}")
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
            one.append(builders.score(points, totals))
        else:
            totals = (totals[0] + points[0], totals[1] + points[1])
        events += _with_trick_claims(rng, one, claims_tricks)
    if rng.random() < 0.7:
        over = max(totals) >= options.get("target", 31)
        events.append(builders.result((0 if totals[0] > totals[1] else 1) if over else None, totals))
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
    hands = hands or builders.shuffled(rng)
    calls = _calls(rng)
    if not any(call.isdigit() for call in calls.split()):
        return _frilled(rng, [builders.deal(hands, dealer), *builders.auction(calls, dealer)], frills)
    policy = rng.choice([builders.plain_policy, builders.chance(rng)])
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
    plays: list[tuple[int, str]] = []
    suit = next((event["suit"] for event in events if event["type"] == "trump" and not event.get("refused")), "")
    claimed: list[Event] = []
    for event in events:
        claimed.append(event)
        if event["type"] == "play" and not event.get("refused"):
            plays.append((event["seat"], event["card"]))
            if len(plays) % 4 == 0 and rng.random() < share:
                claimed.append(builders.trick(oracle.winner_of(plays[-4:], suit)))
    return claimed


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
                frilled.append(builders.play(event["seat"], off, refused=True))
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
            builders.deal(builders.shuffled(rng), rng.randrange(4)),
            builders.play(event["seat"], "JK"),
            builders.trump(event["seat"], "NT"),
            builders.bid(event["seat"], rng.choice([6, 14])),
        ]
    )


# --- Damage ---------------------------------------------------------------------------------------------------------


def damaged(rng: random.Random, document: Document) -> Document:
    """The same match after one to three random changes. It is still well-formed."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if document["events"]:
            document = rng.choice(_DAMAGES)(rng, document)
    return document


def _any(rng: random.Random, document: Document, *kinds: str) -> int:
    """The index of a random event, of one of these types if there is one."""
    events = document["events"]
    return rng.choice([at for at, event in enumerate(events) if event["type"] in kinds] or range(len(events)))


def _drop(rng: random.Random, document: Document) -> Document:
    return builders.without(document, _any(rng, document, *rng.choice(_KINDS)))


def _double(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_KINDS))
    return builders.inserted(document, at, document["events"][at])


def _swap_neighbours(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_KINDS))
    return builders.swapped(document, at, max(0, at - 1))


def _swap_any(rng: random.Random, document: Document) -> Document:
    return builders.swapped(document, _any(rng, document), _any(rng, document))


def _swap_cards(rng: random.Random, document: Document) -> Document:
    """Two plays exchange their cards."""
    at, other = _any(rng, document, "play"), _any(rng, document, "play")
    cards = document["events"][at].get("card"), document["events"][other].get("card")
    if None in cards:
        return document
    return builders.replaced(builders.replaced(document, at, card=cards[1]), other, card=cards[0])


def _other_card_of_hand(rng: random.Random, document: Document) -> Document:
    """A seat plays a card first that it plays later: a revoke, or only another order."""
    at = _any(rng, document, "play")
    event = document["events"][at]
    for other in range(at + 1, min(at + 60, len(document["events"]))):
        later = document["events"][other]
        if later["type"] == "play" and later["seat"] == event.get("seat") and rng.random() < 0.3:
            return builders.replaced(builders.replaced(document, at, card=later["card"]), other, card=event.get("card"))
    return document


def _change_seat(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_KINDS))
    key = {"deal": "dealer", "trick": "winner", "result": "winner"}.get(document["events"][at]["type"], "seat")
    if document["events"][at]["type"] in ("score", "note"):
        return document
    most = 2 if document["events"][at]["type"] == "result" else 4
    return builders.replaced(document, at, **{key: rng.randrange(most)})


def _change_card(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "play")
    if document["events"][at]["type"] != "play":
        return document
    return builders.replaced(document, at, card=rng.choice([*PACK, "JK"]))


def _change_bid(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "bid")
    if document["events"][at]["type"] != "bid":
        return document
    changes: list[dict[str, Any]] = [{"tricks": number} for number in (1, 6, 7, 8, 9, 11, 13, 14, 20)]
    return builders.replaced(document, at, **rng.choice([*changes, {"trump": "NT"}, {"trump": rng.choice(SUITS)}]))


def _change_trump(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "trump")
    if document["events"][at]["type"] != "trump":
        return document
    return builders.replaced(document, at, suit=rng.choice([*SUITS, "NT"]))


def _change_hands(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "deal")
    if document["events"][at]["type"] != "deal":
        return document
    hands = [list(hand) for hand in document["events"][at]["hands"]]
    giver, taker = rng.sample(range(4), 2)
    if len(hands) != 4 or not hands[giver] or not hands[taker]:
        return document
    change = rng.randrange(6)
    if change == 0:
        hands[taker].append(hands[giver].pop())
    elif change == 1:
        hands[taker][0] = hands[giver][0]
    elif change == 2:
        hands.pop()
    elif change == 3:
        hands[taker][0] = "JK"
    elif change == 4:
        hands[giver].sort()
    else:
        hands[taker][0], hands[giver][0] = hands[giver][0], hands[taker][0]
    return builders.replaced(document, at, hands=hands)


def _change_claim(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "score", "result")
    event = document["events"][at]
    if event["type"] not in ("score", "result"):
        return document
    key = rng.choice(["deal", "total"]) if event["type"] == "score" else "total"
    numbers = list(event[key])
    numbers[rng.randrange(2)] = rng.choice([0, 7, 13, 16, 26, 40])
    return builders.replaced(document, at, **{key: numbers})


def _insert(rng: random.Random, document: Document) -> Document:
    seat = rng.randrange(4)
    numbers = [rng.choice([0, -7, 9, 16]), rng.choice([0, 13, 31])]
    new = rng.choice(
        [
            builders.trick(seat),
            builders.score([0, 0], numbers),
            builders.score(numbers, numbers),
            builders.result(rng.choice([0, 1, None]), numbers),
            builders.passes(seat),
            builders.bid(seat, rng.randrange(5, 16)),
            builders.trump(seat, rng.choice([*SUITS, "NT"])),
            builders.play(seat, rng.choice(PACK)),
            builders.deal(builders.shuffled(rng), seat),
            {"type": "note", "anything": 1},
        ]
    )
    return builders.inserted(document, rng.randrange(len(document["events"]) + 1), new)


def _refuse(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_MOVES))
    if document["events"][at]["type"] in ("note", *oracle.CLAIMS):
        return document
    return builders.replaced(document, at, refused=True)


def _refuse_first(rng: random.Random, document: Document) -> Document:
    """A move is refused and made again."""
    at = _any(rng, document, *rng.choice(_MOVES))
    if document["events"][at]["type"] in ("note", *oracle.CLAIMS):
        return document
    return builders.inserted(document, at, document["events"][at] | {"refused": True})


def _time_out(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_MOVES))
    return builders.replaced(document, at, by="timeout")


def _cut(rng: random.Random, document: Document) -> Document:
    return document | {"events": document["events"][: rng.randrange(len(document["events"]) + 1)]}


def _hide(rng: random.Random, document: Document) -> Document:
    """The log of one seat: what the others held was never seen."""
    seen = rng.randrange(4)
    events = [
        event | {"hands": [hand if seat == seen else ["??"] * len(hand) for seat, hand in enumerate(event["hands"])]}
        if event["type"] == "deal"
        else event
        for event in document["events"]
    ]
    return document | {"events": events}


def _deal_in_the_middle(rng: random.Random, document: Document) -> Document:
    """From some event on, the log goes on with another deal."""
    start = _any(rng, document, "deal")
    at = rng.randrange(start, min(start + 60, len(document["events"])))
    dealer = rng.randrange(4)
    return builders.inserted(document, at, *_deal(rng, dealer, 0, None)[: rng.choice([1, 3, 30, 99])])


_MOVES = (("deal",), ("bid", "pass"), ("trump",), ("play",))
_KINDS = (*_MOVES, ("play",), ("play",), oracle.CLAIMS)
_DAMAGES = (
    _drop,
    _double,
    _swap_neighbours,
    _swap_any,
    _swap_cards,
    _other_card_of_hand,
    _other_card_of_hand,
    _change_seat,
    _change_card,
    _change_bid,
    _change_trump,
    _change_hands,
    _change_claim,
    _insert,
    _refuse,
    _refuse_first,
    _time_out,
    _cut,
    _hide,
    _deal_in_the_middle,
)
