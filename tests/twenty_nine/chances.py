"""Random matches of twenty-nine: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from typing import Any

from . import builders, oracle
from .builders import Document, Hands
from .oracle import PACK, SUITS, Event


def legal_match(rng: random.Random, with_proof: bool = True) -> Document:
    """A match in which nothing is wrong, with or without claims, refused moves, notes and a shuffle proof.

    It is played to its end, or stops between two deals.
    """
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        options["min_bid"] = rng.choice([15, 16])
    if rng.random() < 0.3:
        options["last_trick"] = rng.random() < 0.5
    if rng.random() < 0.4:
        options["trump_card"] = rng.choice(["chosen", "seventh"])
    if rng.random() < 0.4:
        options["redeal"] = True
    if rng.random() < 0.3:
        options["slam"] = True
    if rng.random() < 0.2:
        options["pair_bounds"] = rng.choice([[16, 28], [15, 29], [1, 99]])
    keys: dict[str, Any] = {"options": options} if options or rng.random() < 0.5 else {}
    if with_proof and rng.random() < 0.15:
        keys["shuffle"] = builders.shuffle_proof(rng.randbytes(8).hex(), f"c{rng.randrange(99)}")
    most_deals = rng.choice([1, 2, 3, 40])
    claims_scores = rng.choice([0, 0.5, 1, 1])
    habits = Habits(rng)
    if options.get("slam"):
        habits.claims_tricks = 1  # or else nothing may show whether the last trick made a slam

    events: list[Event] = []
    dealers = [0, 1, 2, 3]
    proof = keys.get("shuffle")
    number = 0
    while number < most_deals:
        dealer = rng.choice(dealers if rng.random() < 0.9 else [0, 1, 2, 3])
        fair = oracle.shuffled_hands(proof, number, dealer) if proof else None
        hands = [a + b for a, b in zip(*fair, strict=True)] if fair else _hands(rng)
        events += _deal(rng, hands, dealer, options, habits)
        number += 1
        reading = oracle.Reading(builders.match(events, options=options))
        reading.read()
        dealers = reading.dealers or [0, 1, 2, 3]
        if reading.ended is not None and rng.random() < claims_scores:
            points = rng.choice(reading.ended.readings)
            total = rng.choice(oracle.sums(reading.ended.before, [points]))
            events.append(builders.score(points, total))
            reading = oracle.Reading(builders.match(events, options=options))
            reading.read()
        if any(reading.ends(totals) for totals in reading.possible):
            break
    if rng.random() < 0.7:
        said = oracle.judge(builders.match(events, options=options))
        events.append(builders.result(said["winner"], said["totals"]))
    return builders.match(events, **keys)


class Habits:
    """How a table plays: how often it claims tricks, refuses moves, has the trump revealed, and stops for nothing."""

    def __init__(self, rng: random.Random) -> None:
        self.claims_tricks = rng.choice([0, 0.5, 1])
        self.frills = rng.choice([0, 0, 0.03])
        self.asks = rng.choice([0, 0.2, 0.6])
        self.boldness = rng.choice([0.1, 0.4, 0.8])
        self.asks_for_redeal = rng.choice([0, 0.3])


def _hands(rng: random.Random) -> Hands:
    """Random hands; sometimes long suits, so that seats are void and pairs are held."""
    hands = builders.shuffled(rng)
    if rng.random() < 0.5:
        pack = sorted(PACK, key=lambda card: (SUITS.index(card[1]), rng.random()))
        for _ in range(rng.choice([4, 8, 12])):
            a, b = rng.randrange(32), rng.randrange(32)
            pack[a], pack[b] = pack[b], pack[a]
        hands = [pack[start : start + 8] for start in (0, 8, 16, 24)]
        rng.shuffle(hands)
        for hand in hands:
            rng.shuffle(hand)
    return hands


def _deal(rng: random.Random, hands: Hands, dealer: int, options: dict[str, Any], habits: Habits) -> list[Event]:
    """One deal, legal in every event under some reading, played to its end."""
    first, second = builders.batches(hands, dealer)
    events = [first]
    passed: list[int] = []
    called: list[int] = []
    bid: Event | None = None
    lowest = options.get("min_bid", 16)
    seat = (dealer + 1) % 4
    while len(passed) < 4 and not (bid is not None and len(passed) == 3):
        if options.get("redeal") and rng.random() < habits.asks_for_redeal:
            asker = rng.randrange(4)
            if not oracle.points_in(first["hands"][asker]):
                return [*events, builders.redeal(asker)]
        at_top = bid is not None and bid["points"] >= 28
        if at_top and rng.random() < 0.3:
            break
        if not at_top and rng.random() < habits.boldness:
            bid = builders.bid(seat, min(28, lowest + rng.choice([0, 0, 1, 2, 5, 12])))
            lowest = bid["points"] + 1
            events.append(bid)
        else:
            events.append(builders.passes(seat))
            passed.append(seat)
        called.append(seat)
        seat = next((s % 4 for s in range(seat + 1, seat + 5) if s % 4 not in passed), seat)
    if bid is None:
        return events
    declarer = bid["seat"]
    if options.get("trump_card") == "seventh":
        card = hands[declarer][6]
        events += [second, builders.trump(declarer, card)]
    else:
        card = rng.choice(hands[declarer][:4])
        events += [builders.trump(declarer, card), second]
    plays = _play(rng, hands, (dealer + 1) % 4, declarer, card, habits)
    return _frilled(rng, events + plays, habits.frills)


def _play(rng: random.Random, dealt: Hands, leader: int, declarer: int, face_down: str, habits: Habits) -> list[Event]:
    hands = [set(hand) for hand in dealt]
    hands[declarer].remove(face_down)
    lies, is_open = True, False
    events: list[Event] = []
    suit = face_down[1]
    counted = [False, False]  # has the team taken a trick since the reveal
    declared = False
    for number in range(8):
        trick: list[tuple[int, str]] = []
        opened_at = 0 if is_open else None
        last_at = None
        asker = None
        for turn in range(4):
            seat = (leader + turn) % 4
            if is_open and not declared and rng.random() < 0.5:
                for holder in range(4):
                    if counted[holder % 2] and {"K" + suit, "Q" + suit} <= hands[holder]:
                        events.append(builders.pair(holder))
                        declared = True
            led = trick[0][1][1] if trick else None
            can_follow = any(card[1] == led for card in hands[seat])
            if trick and not is_open and not can_follow and rng.random() < habits.asks and last_at is None:
                events.append(builders.reveal(seat, rng.choice([suit, None])))
                is_open, opened_at, asker = True, len(trick), seat
                if lies:
                    hands[declarer].add(face_down)
                    lies = False
            choice = [card for card in sorted(hands[seat]) if card[1] == led] or sorted(hands[seat])
            if seat == asker:
                choice = [card for card in choice if card[1] == suit] or choice
            if not choice:
                choice = [face_down]
                lies = False
                last_at = len(trick)
            card = rng.choice(choice)
            hands[seat].discard(card)
            trick.append((seat, card))
            events.append(builders.play(seat, card))
        found = oracle.takers(trick, suit, opened_at, last_at)
        winner = rng.choice([found[0][1], *(seat for _, seat in found)])
        if rng.random() < habits.claims_tricks:
            points = oracle.points_in([card for _, card in trick])
            events.append(builders.trick(winner, **({"points": points} if rng.random() < 0.5 else {})))
        elif number == 7:
            break
        leader = winner
        if is_open:
            counted[winner % 2] = True
    return events


def _frilled(rng: random.Random, events: list[Event], share: float) -> list[Event]:
    """The same deal with illegal moves that were refused, moves on time-out, and notes."""
    frilled: list[Event] = []
    for event in events:
        if rng.random() < share:
            frilled.append({"type": "note", "text": "hello", "seat": 9})
        if rng.random() < share and event["type"] not in ("deal", "trick"):
            frilled.append(_wrong_move(rng, event) | {"refused": True})
        if event["type"] != "trick" and rng.random() < share * 5:
            event = event | {"by": "timeout"}
        frilled.append(event)
    return frilled


def _wrong_move(rng: random.Random, event: Event) -> Event:
    """A move that is illegal where ``event`` is legal, and under every reading."""
    return rng.choice(
        [
            builders.deal([["7H"]], rng.randrange(4)) if event["type"] != "trump" else builders.play(0, "JK"),
            builders.play(event["seat"], "JK"),
            builders.trump(event["seat"], "2C"),
            builders.bid(event["seat"], rng.choice([6, 29])),
            builders.redeal(event["seat"]) if event["type"] == "play" else builders.bid(event["seat"], 99),
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
    """A seat plays a card first that it plays later: a revoke, a face-down card, or only another order."""
    at = _any(rng, document, "play")
    event = document["events"][at]
    for other in range(at + 1, min(at + 60, len(document["events"]))):
        later = document["events"][other]
        if later["type"] == "play" and later["seat"] == event.get("seat") and rng.random() < 0.4:
            return builders.replaced(builders.replaced(document, at, card=later["card"]), other, card=event.get("card"))
    return document


def _stop_after(rng: random.Random, document: Document) -> Document:
    """The rest of a deal is left out from some play on, its score claim perhaps not."""
    at = _any(rng, document, "play")
    events = document["events"]
    ends = [n for n in range(at, len(events)) if events[n]["type"] in ("score", "result")] or [len(events)]
    return document | {"events": [*events[:at], *events[ends[0] :]]}


def _revoke_and_stop(rng: random.Random, document: Document) -> Document:
    document = _other_card_of_hand(rng, document)
    return _stop_after(rng, document) if rng.random() < 0.5 else document


def _change_seat(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, *rng.choice(_KINDS))
    key = {"deal": "dealer", "trick": "winner", "result": "winner"}.get(document["events"][at]["type"], "seat")
    if document["events"][at]["type"] in ("score", "note"):
        return document
    most = 2 if document["events"][at]["type"] == "result" else 4
    return builders.replaced(document, at, **{key: rng.randrange(most)})


def _change_card(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "play", *rng.choice([("trump",), ()]))
    if document["events"][at]["type"] not in ("play", "trump"):
        return document
    return builders.replaced(document, at, card=rng.choice([*PACK, "JK"]))


def _change_bid(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "bid")
    if document["events"][at]["type"] != "bid":
        return document
    return builders.replaced(document, at, points=rng.choice([-3, 0, 14, 15, 16, 17, 20, 27, 28, 28, 29, 40]))


def _change_reveal(rng: random.Random, document: Document) -> Document:
    at = _any(rng, document, "reveal")
    if document["events"][at]["type"] != "reveal":
        return document
    return builders.replaced(document, at, suit=rng.choice(SUITS))


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
    numbers[rng.randrange(2)] = rng.choice([-6, -1, 0, 1, 2, 6])
    return builders.replaced(document, at, **{key: numbers})


def _insert(rng: random.Random, document: Document) -> Document:
    seat = rng.randrange(4)
    numbers = [rng.choice([0, -1, 1]), rng.choice([0, -2, 6])]
    new = rng.choice(
        [
            builders.trick(seat),
            builders.score([0, 0], numbers),
            builders.score(numbers, numbers),
            builders.result(rng.choice([0, 1, None]), numbers),
            builders.passes(seat),
            builders.bid(seat, rng.randrange(13, 31)),
            builders.trump(seat, rng.choice(PACK)),
            builders.play(seat, rng.choice(PACK)),
            builders.redeal(seat),
            builders.reveal(seat, rng.choice([None, *SUITS])),
            builders.reveal(seat),
            builders.pair(seat),
            builders.pair(seat),
            builders.batches(builders.shuffled(rng), seat)[0],
            {"type": "note", "anything": 1},
        ]
    )
    return builders.inserted(document, rng.randrange(len(document["events"]) + 1), new)


def _act_by_the_next(rng: random.Random, document: Document) -> Document:
    """Before a play, its seat asks for the trump or declares the pair."""
    at = _any(rng, document, "play")
    seat = document["events"][at].get("seat", 0)
    new = rng.choice([builders.reveal(seat), builders.reveal(seat), builders.pair(seat), builders.pair((seat + 2) % 4)])
    return builders.inserted(document, at, new)


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


def _deal_in_the_middle(rng: random.Random, document: Document) -> Document:
    """From some event on, the log goes on with another deal."""
    start = _any(rng, document, "deal")
    at = rng.randrange(start, min(start + 40, len(document["events"])))
    options = document.get("options", {})
    other = _deal(rng, _hands(rng), rng.randrange(4), options, Habits(rng))
    return builders.inserted(document, at, *other[: rng.choice([1, 3, 30, 99])])


_MOVES = (("deal",), ("bid", "pass"), ("trump",), ("reveal",), ("pair", "redeal"), ("play",), ("play",))
_KINDS = (*_MOVES, ("play",), ("play",), oracle.CLAIMS)
_DAMAGES = (
    _drop,
    _double,
    _swap_neighbours,
    _swap_any,
    _swap_cards,
    _other_card_of_hand,
    _other_card_of_hand,
    _revoke_and_stop,
    _revoke_and_stop,
    _change_seat,
    _change_card,
    _change_bid,
    _change_reveal,
    _change_hands,
    _change_claim,
    _insert,
    _insert,
    _act_by_the_next,
    _refuse,
    _refuse_first,
    _time_out,
    _cut,
    _deal_in_the_middle,
)
