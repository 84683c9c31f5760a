"""Small functions that lay out matches of tarneeb-classic for tests, as the plain dicts of a log.

In: seeds, hands, an auction in one line. Out: events, and documents around them; the verdict on such a document.
Refuses to know what the auditor knows: what is legal and what is won comes from the oracle.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from auditor import replay
from auditor import verdict as verdicts
from auditor.games import FORMS, GAMES

from . import oracle
from .oracle import PACK, RANKS, SUITS, Event

Document = dict[str, Any]
Hands = list[list[str]]


# --- The auditor, asked ---------------------------------------------------------------------------------------------


def verdict(document: Document) -> dict[str, Any]:
    """What the auditor says of a match, as a document of plain values."""
    match = msgspec.json.decode(msgspec.json.encode(document), type=FORMS[document["ruleset"]])
    said: dict[str, Any] = msgspec.json.decode(verdicts.to_json(replay.audit(GAMES[document["ruleset"]], match)))
    return said


def findings(said: dict[str, Any]) -> list[tuple[str, str, int | None, int | None]]:
    """Kind, clause, event and seat of each finding, in the order of the verdict."""
    return [(row["kind"], row["clause"], row["event"], row.get("seat")) for row in said["findings"]]


# --- Documents ------------------------------------------------------------------------------------------------------


def match(events: Iterable[Event], **keys: Any) -> Document:
    """A match of four players around these events; ``keys`` are further keys of the match object."""
    return {
        "format": "match-log/1",
        "match": "m-1",
        "ruleset": "tarneeb-classic",
        "players": [{"id": f"p{seat}"} for seat in range(4)],
        "events": list(events),
        **keys,
    }


def replaced(document: Document, at: int, **fields: Any) -> Document:
    """The same match with other values in event ``at``; ``None`` takes a key out."""
    events = list(document["events"])
    kept = {key: value for key, value in events[at].items() if key not in fields}
    events[at] = kept | {key: value for key, value in fields.items() if value is not None}
    return document | {"events": events}


def inserted(document: Document, at: int, *new: Event) -> Document:
    """The same match with more events before event ``at``."""
    return document | {"events": [*document["events"][:at], *new, *document["events"][at:]]}


def without(document: Document, *gone: int) -> Document:
    """The same match without some of its events."""
    return document | {"events": [event for at, event in enumerate(document["events"]) if at not in gone]}


def swapped(document: Document, at: int, other: int) -> Document:
    """The same match with two of its events in each other's place."""
    events = list(document["events"])
    events[at], events[other] = events[other], events[at]
    return document | {"events": events}


def where(document: Document, kind: str, nth: int = 0) -> int:
    """The index of the ``nth`` event of a type; a negative ``nth`` counts from the end."""
    return [at for at, event in enumerate(document["events"]) if event["type"] == kind][nth]


# --- Hands ----------------------------------------------------------------------------------------------------------

#: Seat 0 all spades, 1 all hearts, 2 all diamonds, 3 all clubs.
ONE_SUIT_A_SEAT: Hands = [[rank + suit for rank in RANKS] for suit in "SHDC"]


def shuffled(rng: random.Random) -> Hands:
    """Thirteen random cards a seat."""
    pack = list(PACK)
    rng.shuffle(pack)
    return [pack[start : start + 13] for start in (0, 13, 26, 39)]


def from_text(*hands: str) -> Hands:
    """Hands from texts such as ``"AS KS 2H"``; what the last seats leave out is dealt in pack order."""
    stated = [text.split() for text in hands] + [[] for _ in range(4 - len(hands))]
    rest = [card for card in PACK if not any(card in hand for hand in stated)]
    for hand in stated:
        missing = 13 - len(hand)
        hand.extend(rest[:missing])
        del rest[:missing]
    return stated


def hands_for(tricks: int, declarer: int, trump: str = "S") -> Hands:
    """Hands with which the declarer's team takes exactly ``tricks`` if he leads his trumps first.

    He holds the highest trumps, one a trick, and the lowest cards of a side suit; the next seat holds the rest of both,
    so that it wins all that is left; the other two hold one suit each and never win.
    """
    side, third, fourth = (suit for suit in SUITS if suit != trump)
    cut = 13 - tricks
    high = [rank + trump for rank in RANKS[cut:]]
    low = [rank + side for rank in RANKS[:cut]]
    hands: Hands = [[], [], [], []]
    hands[declarer] = high + low
    hands[(declarer + 1) % 4] = [rank + trump for rank in RANKS[:cut]] + [rank + side for rank in RANKS[cut:]]
    hands[(declarer + 2) % 4] = [rank + third for rank in RANKS]
    hands[(declarer + 3) % 4] = [rank + fourth for rank in RANKS]
    return hands


def hidden(hands: Hands, *seats: int) -> Hands:
    """The same hands with the cards of some seats unseen."""
    return [["??"] * len(hand) if seat in seats else list(hand) for seat, hand in enumerate(hands)]


# --- Events ---------------------------------------------------------------------------------------------------------


def deal(hands: Hands, dealer: int = 0) -> Event:
    return {"type": "deal", "dealer": dealer, "hands": [list(hand) for hand in hands]}


def bid(seat: int, tricks: int, **keys: Any) -> Event:
    return {"type": "bid", "seat": seat, "tricks": tricks, **keys}


def passes(seat: int, **keys: Any) -> Event:
    return {"type": "pass", "seat": seat, **keys}


def trump(seat: int, suit: str, **keys: Any) -> Event:
    return {"type": "trump", "seat": seat, "suit": suit, **keys}


def play(seat: int, card: str, **keys: Any) -> Event:
    return {"type": "play", "seat": seat, "card": card, **keys}


def trick(winner: int, **keys: Any) -> Event:
    return {"type": "trick", "winner": winner, **keys}


def score(points: Iterable[int], total: Iterable[int]) -> Event:
    return {"type": "score", "deal": list(points), "total": list(total)}


def result(winner: int | None, total: Iterable[int]) -> Event:
    return {"type": "result", "winner": winner, "total": list(total)}


def auction(calls: str, dealer: int = 0) -> list[Event]:
    """Calls in turn from a line such as ``"pass 7 8 pass pass"``: from the seat after the dealer, passed seats out."""
    events: list[Event] = []
    passed: set[int] = set()
    seat = (dealer + 1) % 4
    for call in calls.split():
        if call == "pass":
            events.append(passes(seat))
            passed.add(seat)
        else:
            events.append(bid(seat, int(call)))
        seat = next((s % 4 for s in range(seat + 1, seat + 5) if s % 4 not in passed), seat)
    return events


Policy = Callable[[list[str], str, str | None], str]


def plain_policy(hand: list[str], trump: str, led: str | None) -> str:
    """Lead the highest trump, or else the highest card; follow with the lowest card of the suit, discard the lowest."""
    legal = [card for card in hand if card[1] == led] or hand
    weakest_first = sorted(legal, key=lambda card: (card[1] == trump, RANKS.index(card[0]), SUITS.index(card[1])))
    return weakest_first[-1] if led is None else weakest_first[0]


def chance(rng: random.Random) -> Policy:
    """Any legal card."""

    def choose(hand: list[str], trump: str, led: str | None) -> str:
        return rng.choice([card for card in hand if card[1] == led] or hand)

    return choose


def play_out(
    hands: Hands, leader: int, trump: str, policy: Policy = plain_policy, *, claimed: bool = False
) -> tuple[list[Event], list[int]]:
    """All that is left in these hands, played legally, with trick claims if wanted; and the tricks of each team."""
    left = [list(hand) for hand in hands]
    events: list[Event] = []
    taken = [0, 0]
    for _ in range(len(hands[0])):
        table: list[tuple[int, str]] = []
        for seat in (leader, (leader + 1) % 4, (leader + 2) % 4, (leader + 3) % 4):
            card = policy(left[seat], trump, table[0][1][1] if table else None)
            left[seat].remove(card)
            table.append((seat, card))
            events.append(play(seat, card))
        leader = oracle.winner_of(table, trump)
        taken[leader % 2] += 1
        if claimed:
            events.append(trick(leader))
    return events, taken


def after(hands: Hands, plays: Iterable[Event]) -> Hands:
    """What is left in the hands after these plays."""
    gone = [event["card"] for event in plays]
    return [[card for card in hand if card not in gone] for hand in hands]


# --- Deals and matches of known worth -------------------------------------------------------------------------------


def played(hands: Hands, calls: str, suit: str, dealer: int = 0, policy: Policy = plain_policy) -> list[Event]:
    """A deal without claims that is played out after this auction."""
    call_events = auction(calls, dealer)
    declarer = next(event["seat"] for event in reversed(call_events) if event["type"] == "bid")
    return [
        deal(hands, dealer),
        *call_events,
        trump(declarer, suit),
        *play_out(hands, declarer, suit, policy)[0],
    ]


def scored(tricks: int, bid_tricks: int, dealer: int = 0, declarer: int | None = None, suit: str = "S") -> list[Event]:
    """A deal without claims: one seat bids, the others pass, and its team takes exactly ``tricks``.

    The declarer is the seat after the dealer unless another is named.
    """
    if declarer is None:
        declarer = (dealer + 1) % 4
    before = (declarer - dealer - 1) % 4
    calls = ["pass"] * before + [str(bid_tricks)] + ["pass"] * (0 if bid_tricks == 13 else 3 - before)
    return played(hands_for(tricks, declarer, suit), " ".join(calls), suit, dealer)


def deals(*wanted: tuple[int, int, int], dealer: int = 0) -> list[Event]:
    """One deal after another, each with its (declarer, bid, tricks of his team); the dealer moves on by one."""
    events: list[Event] = []
    for number, (declarer, bid_tricks, tricks) in enumerate(wanted):
        events += scored(tricks, bid_tricks, (dealer + number) % 4, declarer)
    return events


def void(dealer: int = 0, seed: int = 1) -> list[Event]:
    """Four passes."""
    return [deal(shuffled(random.Random(seed)), dealer), *auction("pass pass pass pass", dealer)]


def claims(document: Document) -> Document:
    """The same match with a right score claim after every deal that is over, and a right result at the end."""
    events: list[Event] = []
    for event in [*document["events"], None]:
        if event is None or event["type"] == "deal":
            said = oracle.judge(document | {"events": events})
            if said["deals"] and said["deals"][-1]["outcome"] != "unfinished":
                events.append(score(said["deals"][-1]["points"] or (0, 0), said["totals"]))
        if event is not None:
            events.append(event)
    said = oracle.judge(document | {"events": events})
    return document | {"events": [*events, result(said["winner"], said["totals"])]}


# --- Shuffle proofs -------------------------------------------------------------------------------------------------


def shuffle_proof(server_seed: str = "00ff10", client_seed: str = "dice") -> dict[str, str]:
    return {
        "scheme": "hmac-sha256-fisher-yates/1",
        "commitment": hashlib.sha256(bytes.fromhex(server_seed)).hexdigest(),
        "server_seed": server_seed,
        "client_seed": client_seed,
    }
