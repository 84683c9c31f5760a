"""Random matches of twenty-nine: legal ones of every kind, and ways to damage them.

In: a source of chance. Out: documents. Refuses to know what is said of them.
"""

from __future__ import annotations

import random
from typing import Any

from tests import damage, documents, oracles
from tests.documents import Document, Event, Hands

from . import builders, oracle
from .oracle import PACK, SUITS


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
        keys["shuffle"] = documents.shuffle_proof(rng.randbytes(8).hex(), f"c{rng.randrange(99)}")
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
            total = rng.choice(oracles.sums(reading.ended.before, [points]))
            events.append(documents.score(points, total))
            reading = oracle.Reading(builders.match(events, options=options))
            reading.read()
        if any(reading.ends(totals) for totals in reading.possible):
            break
    if rng.random() < 0.7:
        said = oracle.judge(builders.match(events, options=options))
        events.append(documents.result(said["winner"], said["totals"]))
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
            events.append(documents.passes(seat))
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
            events.append(documents.play(seat, card))
        found = oracle.takers(trick, suit, opened_at, last_at)
        winner = rng.choice([found[0][1], *(seat for _, seat in found)])
        if rng.random() < habits.claims_tricks:
            points = oracle.points_in([card for _, card in trick])
            events.append(documents.trick(winner, **({"points": points} if rng.random() < 0.5 else {})))
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
            documents.deal([["7H"]], rng.randrange(4)) if event["type"] != "trump" else documents.play(0, "JK"),
            documents.play(event["seat"], "JK"),
            builders.trump(event["seat"], "2C"),
            builders.bid(event["seat"], rng.choice([6, 29])),
            builders.redeal(event["seat"]) if event["type"] == "play" else builders.bid(event["seat"], 99),
        ]
    )


# --- Damage ---------------------------------------------------------------------------------------------------------


def damaged(rng: random.Random, document: Document) -> Document:
    """The same match after one to three random changes. It is still well-formed."""
    return damage.damaged(rng, document, _DAMAGES)


#: A seat plays a card first that it plays later: a revoke, a face-down card, or only another order.
other_card_of_hand = damage.other_card_of_hand(60, 0.4)


def _stop_after(rng: random.Random, document: Document) -> Document:
    """The rest of a deal is left out from some play on, its score claim perhaps not."""
    at = damage.any_of(rng, document, "play")
    events = document["events"]
    ends = [n for n in range(at, len(events)) if events[n]["type"] in ("score", "result")] or [len(events)]
    return document | {"events": [*events[:at], *events[ends[0] :]]}


def _revoke_and_stop(rng: random.Random, document: Document) -> Document:
    document = other_card_of_hand(rng, document)
    return _stop_after(rng, document) if rng.random() < 0.5 else document


def _change_card(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "play", *rng.choice([("trump",), ()]))
    if document["events"][at]["type"] not in ("play", "trump"):
        return document
    return documents.replaced(document, at, card=rng.choice([*PACK, "JK"]))


def _change_bid(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "bid")
    if document["events"][at]["type"] != "bid":
        return document
    return documents.replaced(document, at, points=rng.choice([-3, 0, 14, 15, 16, 17, 20, 27, 28, 28, 29, 40]))


def _change_reveal(rng: random.Random, document: Document) -> Document:
    at = damage.any_of(rng, document, "reveal")
    if document["events"][at]["type"] != "reveal":
        return document
    return documents.replaced(document, at, suit=rng.choice(SUITS))


def _insert(rng: random.Random, document: Document) -> Document:
    seat = rng.randrange(4)
    numbers = [rng.choice([0, -1, 1]), rng.choice([0, -2, 6])]
    new = rng.choice(
        [
            documents.trick(seat),
            documents.score([0, 0], numbers),
            documents.score(numbers, numbers),
            documents.result(rng.choice([0, 1, None]), numbers),
            documents.passes(seat),
            builders.bid(seat, rng.randrange(13, 31)),
            builders.trump(seat, rng.choice(PACK)),
            documents.play(seat, rng.choice(PACK)),
            builders.redeal(seat),
            builders.reveal(seat, rng.choice([None, *SUITS])),
            builders.reveal(seat),
            builders.pair(seat),
            builders.pair(seat),
            builders.batches(builders.shuffled(rng), seat)[0],
            {"type": "note", "anything": 1},
        ]
    )
    return documents.inserted(document, rng.randrange(len(document["events"]) + 1), new)


def _act_by_the_next(rng: random.Random, document: Document) -> Document:
    """Before a play, its seat asks for the trump or declares the pair."""
    at = damage.any_of(rng, document, "play")
    seat = document["events"][at].get("seat", 0)
    new = rng.choice([builders.reveal(seat), builders.reveal(seat), builders.pair(seat), builders.pair((seat + 2) % 4)])
    return documents.inserted(document, at, new)


def _other_deal(rng: random.Random, document: Document) -> list[Event]:
    return _deal(rng, _hands(rng), rng.randrange(4), document.get("options", {}), Habits(rng))


_MOVES = (("deal",), ("bid", "pass"), ("trump",), ("reveal",), ("pair", "redeal"), ("play",), ("play",))
_KINDS = (*_MOVES, ("play",), ("play",), damage.CLAIMS)
_DAMAGES = (
    damage.drop(_KINDS),
    damage.twice(_KINDS),
    damage.swap_neighbours(_KINDS),
    damage.swap_any,
    damage.swap_cards,
    other_card_of_hand,
    other_card_of_hand,
    _revoke_and_stop,
    _revoke_and_stop,
    damage.change_seat(_KINDS),
    _change_card,
    _change_bid,
    _change_reveal,
    damage.change_hands("JK"),
    damage.change_claim([-6, -1, 0, 1, 2, 6]),
    _insert,
    _insert,
    _act_by_the_next,
    damage.refuse(_MOVES),
    damage.refuse_first(_MOVES),
    damage.time_out(_MOVES),
    damage.cut,
    damage.deal_in_the_middle(_other_deal, 40, [1, 3, 30, 99]),
)
