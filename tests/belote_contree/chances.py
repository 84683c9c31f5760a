"""Random matches of belote-contree: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from typing import Any

from . import builders, oracle
from .builders import Document, Hands
from .oracle import BIDS, PACK, SUITS, Event


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
        keys["shuffle"] = builders.shuffle_proof(rng.randbytes(8).hex(), f"c{rng.randrange(99)}")
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
            one.append(builders.score(points, totals))
        events += builders.with_trick_claims(one, claims_tricks, rng)
    if rng.random() < 0.7:
        winner = int(totals[0] < totals[1]) if is_over(totals, options) else None
        events.append(builders.result(winner, totals))
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
        return _frilled(rng, [builders.deal(hands, dealer), *builders.auction(calls, dealer)], frills, options)
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
                frilled.append(builders.play(event["seat"], off, refused=True))
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
        builders.deal(builders.shuffled(rng), rng.randrange(4)),
        builders.play(event["seat"], "JK"),
        builders.bid(event["seat"], rng.choice([80, 85, 190, 90]), "NT"),
    ]
    if event["type"] != "double":
        wrong.append({**event, "seat": (event["seat"] + rng.randrange(1, 4)) % 4})
    return rng.choice(wrong)


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


def _twice(rng: random.Random, document: Document) -> Document:
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
    for other in range(at + 1, min(at + 32, len(document["events"]))):
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
    return builders.replaced(document, at, card=rng.choice([*PACK, "JK", "2C"]))


def _announce(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "play")
    plays = [at for at, event in enumerate(document["events"]) if event["type"] == "play"]
    spoken = [at for at in plays if "announce" in document["events"][at] or document["events"][at]["card"][0] in "KQ"]
    at = rng.choice(spoken or plays or [0])
    if document["events"][at]["type"] != "play":
        return document
    return builders.replaced(document, at, announce=rng.choice(["belote", "rebelote", None]))


def _change_bid(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "bid")
    if document["events"][at]["type"] != "bid":
        return document
    changes: list[dict[str, Any]] = [{"points": number} for number in (*BIDS, 80, 95, 190, 300, 0)]
    changes += [{"trump": suit} for suit in (*SUITS, "NT")] * 2
    changes += [{"points": None, "capot": True}, {"points": None}, {"capot": True}]
    return builders.replaced(document, at, **rng.choice(changes))


def _change_call(rng: random.Random, document: Document) -> Document:
    """A call becomes another one by the same seat."""
    at = _any(rng, document, "pass", "bid", "double", "accept", "redouble")
    seat = document["events"][at].get("seat")
    if seat is None:
        return document
    calls = [builders.passes(seat), builders.double(seat), builders.accept(seat), builders.redouble(seat)]
    new = rng.choice([*calls, builders.bid(seat, rng.choice(BIDS), rng.choice(SUITS))])
    return document | {"events": [*document["events"][:at], new, *document["events"][at + 1 :]]}


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
        hands[taker][0] = rng.choice(["JK", "6C"])
    elif change == 4:
        hands[giver].sort()
    else:
        hands[taker][0], hands[giver][0] = hands[giver][0], hands[taker][0]
    return builders.replaced(document, at, hands=hands)


def _change_claim(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "score", "result", "trick")
    event = document["events"][at]
    if event["type"] == "trick":
        return builders.replaced(document, at, points=rng.choice([None, 0, 11, 20]))
    if event["type"] not in ("score", "result"):
        return document
    key = rng.choice(["deal", "total"]) if event["type"] == "score" else "total"
    numbers = list(event[key])
    numbers[rng.randrange(2)] += rng.choice([-20, 20, -10, 160, 1, -340])
    return builders.replaced(document, at, **{key: numbers})


def _insert(rng: random.Random, document: Document) -> Document:
    seat = rng.randrange(4)
    numbers = [rng.choice([0, 160, 90, 250]), rng.choice([0, 80, 410])]
    new = rng.choice(
        [
            builders.trick(seat),
            builders.score([0, 0], numbers),
            builders.score(numbers, numbers),
            builders.result(rng.choice([0, 1, None]), numbers),
            builders.passes(seat),
            builders.double(seat),
            builders.double(seat),
            builders.accept(seat),
            builders.redouble(seat),
            builders.bid(seat, rng.choice(_HEIGHTS), rng.choice(SUITS)),
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
    return one_seat(document, rng.randrange(4))


def one_seat(document: Document, seen: int) -> Document:
    """The log of one seat: what the others held was never seen."""
    events = [
        event | {"hands": [hand if seat == seen else ["??"] * len(hand) for seat, hand in enumerate(event["hands"])]}
        if event["type"] == "deal"
        else event
        for event in document["events"]
    ]
    return document | {"events": events}


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
    more = [builders.play(*rng.choice(left)) for _ in range(rng.choice([1, 2, 5]))]
    return builders.inserted(document, last + 1, *more)


def _deal_in_the_middle(rng: random.Random, document: Document) -> Document:
    """From some event on, the log goes on with another deal."""
    start = _any(rng, document, "deal")
    at = rng.randrange(start, min(start + 40, len(document["events"])))
    dealer = rng.randrange(4)
    return builders.inserted(document, at, *_deal(rng, dealer, 0, None, {}, 1)[: rng.choice([1, 3, 20, 99])])


_HEIGHTS: list[int | str] = [*BIDS, "capot"]
_MOVES = (("deal",), ("bid", "pass"), ("double", "accept", "redouble"), ("play",))
_KINDS = (*_MOVES, ("play",), ("play",), oracle.CLAIMS)
_DAMAGES = (
    _drop,
    _twice,
    _swap_neighbours,
    _swap_any,
    _swap_cards,
    _other_card_of_hand,
    _other_card_of_hand,
    _other_card_of_hand,
    _change_seat,
    _change_card,
    _announce,
    _announce,
    _change_bid,
    _change_call,
    _change_hands,
    _change_claim,
    _insert,
    _refuse,
    _refuse_first,
    _time_out,
    _cut,
    _hide,
    _play_on,
    _deal_in_the_middle,
)
