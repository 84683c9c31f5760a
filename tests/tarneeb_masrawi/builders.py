"""Small functions that lay out matches of Egyptian Tarneeb for tests, as the plain dicts of a log.

In: seeds, hands, an auction in one line. Out: events, and documents around them; the verdict on such a document.
Refuses to know what the auditor knows: what is legal and what is won comes from the oracle.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Callable, Iterable
from functools import cache
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


MASRAWI, DAKAK = "tarneeb-masrawi", "tarneeb-masrawi-dakak"


def match(events: Iterable[Event], ruleset: str = MASRAWI, **keys: Any) -> Document:
    """A match of four players around these events; ``keys`` are further keys of the match object."""
    return {
        "format": "match-log/1",
        "match": "m-1",
        "ruleset": ruleset,
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


def hidden(hands: Hands, *seats: int) -> Hands:
    """The same hands with the cards of some seats unseen."""
    return [["??"] * len(hand) if seat in seats else list(hand) for seat, hand in enumerate(hands)]


# --- Events ---------------------------------------------------------------------------------------------------------


def deal(hands: Hands, dealer: int = 0) -> Event:
    return {"type": "deal", "dealer": dealer, "hands": [list(hand) for hand in hands]}


def bid(seat: int, tricks: int, trump: str | None = "S", **keys: Any) -> Event:
    named = {} if trump is None else {"trump": trump}
    return {"type": "bid", "seat": seat, "tricks": tricks, **named, **keys}


def passes(seat: int, **keys: Any) -> Event:
    return {"type": "pass", "seat": seat, **keys}


def double(seat: int, **keys: Any) -> Event:
    return {"type": "double", "seat": seat, **keys}


def redouble(seat: int, **keys: Any) -> Event:
    return {"type": "redouble", "seat": seat, **keys}


def accepts(seat: int, **keys: Any) -> Event:
    return {"type": "accept", "seat": seat, **keys}


def play(seat: int, card: str, **keys: Any) -> Event:
    return {"type": "play", "seat": seat, "card": card, **keys}


def trick(winner: int, **keys: Any) -> Event:
    return {"type": "trick", "winner": winner, **keys}


def score(points: Iterable[int], total: Iterable[int]) -> Event:
    return {"type": "score", "deal": list(points), "total": list(total)}


def result(winner: int | None, total: Iterable[int]) -> Event:
    return {"type": "result", "winner": winner, "total": list(total)}


def auction(calls: str, dealer: int = 0, ruleset: str = MASRAWI) -> list[Event]:
    """Calls in turn from a line such as ``"pass 7S 8NT double accept"``, from the seat after the dealer.

    In masrawi those who passed are skipped, and ``accept`` and ``redouble`` are the standing bidder's.
    """
    events: list[Event] = []
    passed: set[int] = set()
    seat, bidder = (dealer + 1) % 4, 0
    for call in calls.split():
        if call in ("accept", "redouble"):
            events.append({"type": call, "seat": bidder})
            continue
        if call[0].isdigit():
            number = call.rstrip("CDHSNT")
            events.append(bid(seat, int(number), call[len(number) :] or None))
            bidder = seat
        else:
            events.append({"type": call, "seat": seat})
        if call == "pass" and ruleset == MASRAWI:
            passed.add(seat)
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


def played(
    hands: Hands, calls: str, dealer: int = 0, policy: Policy = plain_policy, ruleset: str = MASRAWI
) -> list[Event]:
    """A deal without claims that is played out after this auction."""
    call_events = auction(calls, dealer, ruleset)
    last = next(event for event in reversed(call_events) if event["type"] == "bid")
    return [deal(hands, dealer), *call_events, *play_out(hands, last["seat"], last["trump"], policy)[0]]


def calls_for(
    bid_tricks: int, dealer: int, declarer: int, suit: str = "S", ruleset: str = MASRAWI, factor: int = 1
) -> list[Event]:
    """Calls after which this seat has this contract; a double is said by the seat after it."""
    before = "pass " * ((declarer - dealer - 1) % 4)
    if ruleset == DAKAK:
        after_it = "pass pass pass" if factor == 1 else "double pass pass"
    elif factor == 1:
        after_it = "pass " * (3 - (declarer - dealer - 1) % 4)
    else:
        after_it = "double accept" if factor == 2 else "double redouble"
    return auction(f"{before} {bid_tricks}{suit} {after_it}", dealer, ruleset)


def scored(
    tricks: int,
    bid_tricks: int,
    dealer: int = 0,
    declarer: int | None = None,
    suit: str = "S",
    ruleset: str = MASRAWI,
    factor: int = 1,
) -> list[Event]:
    """A deal without claims: one seat bids, the others pass or double, and its team takes exactly ``tricks``.

    The declarer is the seat after the dealer unless another is named. Nobody is out of call or dakak.
    """
    if declarer is None:
        declarer = (dealer + 1) % 4
    calls = calls_for(bid_tricks, dealer, declarer, suit, ruleset, factor)
    return [deal(hands_for(tricks, declarer, suit), dealer), *calls, *plays_for(tricks, declarer, suit)]


def called(tricks: int, calls: str, dealer: int = 0, ruleset: str = MASRAWI) -> list[Event]:
    """A deal without claims after an auction in one line; the team that has the last bid takes exactly ``tricks``."""
    events = auction(calls, dealer, ruleset)
    last = next(event for event in reversed(events) if event["type"] == "bid")
    declarer, suit = last["seat"], last["trump"]
    return [deal(hands_for(tricks, declarer, suit), dealer), *events, *plays_for(tricks, declarer, suit)]


def hands_for(tricks: int, declarer: int, suit: str = "S") -> Hands:
    """The hands of :func:`scored`."""
    hands, _ = _steered_deal(tricks, suit)
    return [list(hands[(seat - declarer) % 4]) for seat in range(4)]


def plays_for(tricks: int, declarer: int, suit: str = "S") -> list[Event]:
    """The plays of :func:`scored`."""
    _, plays = _steered_deal(tricks, suit)
    return [event | {"seat": (event["seat"] + declarer) % 4} for event in plays]


@cache
def _steered_deal(tricks: int, suit: str) -> tuple[Hands, list[Event]]:
    """Hands without long suits and poor hands, and plays in which seat 0, who leads, and seat 2 take so many tricks."""
    for seed in itertools.count():
        hands = shuffled(random.Random(f"{tricks} {suit} {seed}"))
        lengths = [sum(card[1] == one for card in hand) for hand in hands for one in SUITS]
        if max(lengths) < 8 and min(oracle.honours(set(hand)) for hand in hands) > 5:
            plays = _steered(hands, tricks, suit)
            if plays is not None:
                return hands, plays
    raise AssertionError("some hands will do")


def _steered(hands: Hands, tricks: int, trump: str) -> list[Event] | None:
    """Plays in which team 0 takes the first ``tricks`` tricks and team 1 the rest; nothing if it does not come out."""
    left = [list(hand) for hand in hands]
    events: list[Event] = []
    leader = 0
    for number in range(13):
        team = 0 if number < tricks else 1
        tries = (_steered_trick(left, leader, lead, trump, team) for lead in left[leader])
        table = next((cards for cards in tries if oracle.winner_of(cards, trump) % 2 == team), None)
        if table is None:
            return None
        for seat, card in table:
            left[seat].remove(card)
            events.append(play(seat, card))
        leader = oracle.winner_of(table, trump)
    return events


def _steered_trick(left: Hands, leader: int, lead: str, trump: str, team: int) -> list[tuple[int, str]]:
    """One side plays its best cards, the other its worst."""
    table = [(leader, lead)]
    for step in (1, 2, 3):
        seat = (leader + step) % 4
        legal = [card for card in left[seat] if card[1] == lead[1]] or left[seat]
        legal = sorted(legal, key=lambda card: (card[1] == trump, RANKS.index(card[0])))
        table.append((seat, legal[-1] if seat % 2 == team else legal[0]))
    return table


def deals(*wanted: tuple[int, int, int], dealer: int = 0, ruleset: str = MASRAWI) -> list[Event]:
    """One deal after another, each with its (declarer, bid, tricks of his team); the dealer moves on by one."""
    events: list[Event] = []
    for number, (declarer, bid_tricks, tricks) in enumerate(wanted):
        events += scored(tricks, bid_tricks, (dealer + number) % 4, declarer, ruleset=ruleset)
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


# --- What is said, in the shape of a table of findings ---------------------------------------------------------------

Row = tuple[str, str, int | None, int | None]


def illegal(clause: str, event: int, seat: int | None = None) -> Row:
    return ("illegal", clause, event, seat)


def wrong(clause: str, event: int) -> Row:
    return ("claim", clause, event, None)


def note(clause: str, event: int) -> Row:
    """A note is about a deal; whether it names a seat is left to the auditor."""
    return ("note", clause, event, None)


def opened(clause: str, event: int) -> Row:
    """So is an open point."""
    return ("open", clause, event, None)


def said_of(document: Document, with_opens: bool = False) -> list[Row]:
    return [
        row if row[0] in ("illegal", "claim") else (*row[:3], None)
        for row in findings(verdict(document))
        if with_opens or row[0] != "open"
    ]


def expect(document: Document, *rows: Row, totals: list[int] | None = None) -> None:
    """Exactly these findings (open points only if one is among them); with ``totals``, these at the end."""
    assert said_of(document, any(row[0] == "open" for row in rows)) == list(rows)
    if totals is not None:
        assert verdict(document)["totals"] == totals


def outcomes(document: Document) -> list[tuple[str, list[int] | None]]:
    return [(entry["outcome"], entry["points"]) for entry in verdict(document)["deals"]]


def legal_at(document: Document, clause: str) -> list[str]:
    """What would have been legal, as the first finding of this clause lists it."""
    listed: list[str] = next(row for row in verdict(document)["findings"] if row["clause"] == clause)["legal"]
    return listed
