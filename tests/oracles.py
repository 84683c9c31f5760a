"""What the oracles have in common: their findings, the shuffle proof, and the parts of a reading that no game changes.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what an ``oracle.py`` builds on. Like the
oracles it is slow and flat and shares nothing with the auditor. Refuses to know any game's own rules.
"""

from __future__ import annotations

import hashlib
import hmac
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

Event = dict[str, Any]
Pair = tuple[int, int]

UNSEEN = "??"
CLAIMS = ("trick", "score", "result")


class Row(NamedTuple):
    """One line of what a deal scores, and the events that it comes from."""

    side: int
    unit: str
    clause: str
    points: int
    events: list[int]


#: What a deal scores under each reading, the default first, and the lines that it comes from.
Ledgers = list[tuple[tuple[int, ...], list[Row]]]


class Found(NamedTuple):
    """One finding: what an auditor has to say about one event."""

    kind: str
    clause: str
    event: int
    seat: int | None


class Ended(NamedTuple):
    """The deal that ended last, for its score claim."""

    entry: dict[str, Any]
    before: list[Pair]
    readings: list[Pair]


def sums(totals: list[Pair], points: list[Pair]) -> list[Pair]:
    """Every total with every reading added, each once, the default of both first."""
    return list(dict.fromkeys((total[0] + gain[0], total[1] + gain[1]) for total in totals for gain in points))


def proven_pack(pack: Sequence[str], shuffle: dict[str, str], number: int) -> list[str]:
    """The pack of deal ``number`` as the shuffle proof lays it."""
    key = bytes.fromhex(shuffle["server_seed"])
    stream = b""
    block = 0
    laid = list(pack)
    for i in range(len(laid) - 1, 0, -1):
        limit = 2**32 // (i + 1) * (i + 1)
        while True:
            while len(stream) < 4:
                message = f"{shuffle['client_seed']}:{number}:{block}".encode()
                stream += hmac.new(key, message, hashlib.sha256).digest()
                block += 1
            drawn, stream = int.from_bytes(stream[:4], "big"), stream[4:]
            if drawn < limit:
                break
        j = drawn % (i + 1)
        laid[i], laid[j] = laid[j], laid[i]
    return laid


def proven_hands(pack: Sequence[str], shuffle: dict[str, str], number: int, dealer: int) -> list[list[str]]:
    """A whole hand at a time to dealer+1, +2, +3 and the dealer."""
    laid = proven_pack(pack, shuffle, number)
    size = len(laid) // 4
    hands: list[list[str]] = [[], [], [], []]
    for turn in range(4):
        hands[(dealer + 1 + turn) % 4] = laid[size * turn : size * (turn + 1)]
    return hands


class TrickReading(ABC):
    """One reading of a match of two teams in tricks, from its first event to its last.

    Here stands what is said whatever is played: of skipped and impossible events, of claims, and of unseen cards. What
    the clauses say of a move, and what it changes, stands with each game: ``move``, ``begin`` and ``break_deal``.
    """

    pack: ClassVar[list[str]]
    target: int

    def __init__(self, document: dict[str, Any], known_later: dict[int, list[list[str]]]) -> None:
        self.document = document
        self.options: dict[str, Any] = document.get("options", {})
        self.known_later = known_later
        self.shown: dict[int, list[list[str]]] = {}
        self.findings: list[Found] = []
        self.deals: list[dict[str, Any]] = []
        self.doubts: list[tuple[int, str]] = []
        # Under each reading that the claims so far leave possible, that of the defaults first.
        self.possible: list[Pair] = [(0, 0)]
        self.deal: Any = None  # the deal on the table
        self.dealt = 0
        self.skips_to: tuple[str, ...] = ()  # the events that end a stretch which is not replayed
        self.skip_noted = False
        self.strikes = 0  # impossible events in a row: 0 or 1
        self.between = False  # something stood between the first impossible event and the next
        self.new_deal: tuple[int, Event] | None = None  # a deal in the middle of a deal, waiting for the next event
        self.trick_taken: Any = None  # by whom, until it is claimed or play goes on
        self.trick_aged = False  # something that did not count came after its last card
        self.score_in_deal = False  # a score was claimed before the deal was over
        self.ended: Any = None  # the deal that ended last, until its score is claimed or the next one begins
        self.result_claimed = False

    # --- what stands with each game ---

    @abstractmethod
    def move(self, at: int, event: Event) -> None: ...

    @abstractmethod
    def begin(self, at: int, event: Event) -> None: ...

    @abstractmethod
    def break_deal(self) -> None: ...

    # --- what is said ---

    def find(self, kind: str, clause: str, at: int) -> None:
        self.findings.append(Found(kind, clause, at, self.document["events"][at].get("seat")))

    def doubt(self, at: int, why: str) -> None:
        self.doubts.append((at, why))

    @property
    def totals(self) -> Pair:
        return self.possible[0]

    def ends(self, totals: Pair) -> bool:
        return max(totals) >= self.target

    @property
    def over(self) -> bool:
        return self.deal is None and self.ends(self.totals)

    def winner_with(self, totals: Pair) -> int | None:
        if self.deal is not None or not self.ends(totals) or totals[0] == totals[1]:
            return None
        return 0 if totals[0] > totals[1] else 1

    def said(self) -> dict[str, Any]:
        kinds = {finding.kind for finding in self.findings}
        if "illegal" in kinds:
            status = "illegal"
        elif "claim" in kinds:
            status = "misscored"
        else:
            status = "clean" if self.over else "incomplete"
        return {
            "findings": sorted(self.findings, key=lambda found: found.event),
            "deals": self.deals,
            "totals": self.totals,
            "winner": self.winner_with(self.totals),
            "over": self.over,
            "status": status,
            "doubts": self.doubts,
        }

    def note_unseen(self, at: int) -> None:
        if self.deal is None:
            self.doubt(at, "a refused deal that only unseen cards could judge")
        elif not self.deal.noted_unseen:
            self.find("note", "note.unseen", at)
            self.deal.noted_unseen = True

    # --- one event after another ---

    def read(self) -> None:
        for at, event in enumerate(self.document["events"]):
            if event["type"] == "note" and not self.skips_to:
                continue
            if self.skips_to:
                if event["type"] not in self.skips_to:
                    self.skip(at, event)
                    continue
                if event.get("refused"):
                    self.doubt(at, "a refused deal or result among skipped events")
                self.skips_to = ()
            if self.result_claimed and not self.over:
                self.doubt(at, "an event after the result of a match that is not over")
            self.take(at, event)
        if self.deal is not None:
            self.enter("unfinished", None)

    def take(self, at: int, event: Event) -> None:
        if event["type"] not in CLAIMS:
            self.move(at, event)
            return
        self.between = self.strikes > 0
        if event.get("refused"):
            self.doubt(at, "a refused claim")
        {"trick": self.trick_claim, "score": self.score_claim, "result": self.result_claim}[event["type"]](at, event)

    def skip_on(self) -> None:
        """Up to the next deal or result, nothing is replayed."""
        self.skips_to, self.skip_noted = ("deal", "result"), False

    def skip(self, at: int, event: Event) -> None:
        if not self.skip_noted:
            self.find("note", "note.skipped", at)
            self.skip_noted = True
        if "score" in self.skips_to:
            return
        if event["type"] == "score":
            if event.get("refused"):
                self.doubt(at, "a refused claim")
            if self.ended is None:
                self.doubt(at, "points claimed twice for a broken deal, or for none")
                return
            self.possible = sums(self.possible, [(event["deal"][0], event["deal"][1])])
            self.ended.entry["totals"] = self.totals
            if [tuple(event["total"])] != self.possible:
                self.doubt(at, "a carried claim whose total is not its points added")
            self.ended = None

    def impossible(self, at: int, event: Event, clause: str) -> None:
        if self.strikes == 0:
            self.find("illegal", clause, at)
            self.strikes = 1
            self.trick_aged = True
            if event["type"] == "deal" and self.deal is not None:
                self.new_deal = (at, event)
            return
        if self.between:
            self.doubt(at, "two impossible events with a refused event or a claim between them")
        if self.score_in_deal:
            self.doubt(at, "a score that was claimed too early for a deal that turns out broken")
        self.strikes = 0
        self.between = False
        if self.deal is None:
            self.doubt(at, "two impossible events where no deal is on the table")
            self.skip_on()
            self.skip(at, event)
            return
        new_deal, self.new_deal = self.new_deal, None
        self.break_deal()
        if self.opens_a_deal(at, event):
            self.doubt(at, "a deal is the second impossible event")
            self.move(at, event)
            return
        if new_deal is not None:
            if "shuffle" in self.document or self.wrong_cards(new_deal[1]):
                self.doubt(new_deal[0], "a deal in the middle of a deal, with wrong cards or a shuffle proof")
            if self.goes_on_in(new_deal, at, event):
                return
        self.skip_on()
        self.skip(at, event)

    def opens_a_deal(self, at: int, event: Event) -> bool:
        return bool(event["type"] == "deal")

    def goes_on_in(self, new_deal: tuple[int, Event], at: int, event: Event) -> bool:
        """Whether this event is the first of the deal that came in the middle of another; then both are taken."""
        if event["type"] in ("bid", "pass") and event["seat"] == (new_deal[1]["dealer"] + 1) % 4:
            self.begin(*new_deal)
            self.move(at, event)
            return True
        self.doubt(at, "an event that fits neither the deal nor the one dealt in the middle of it")
        return False

    # --- the cards of a deal ---

    def wrong_cards(self, event: Event) -> bool:
        seen = [card for hand in event["hands"] for card in hand if card != UNSEEN]
        return (
            [len(hand) for hand in event["hands"]] != [len(self.pack) // 4] * 4
            or len(set(seen)) != len(seen)
            or not set(seen) <= set(self.pack)
        )

    def filled(self, at: int, event: Event) -> tuple[list[set[str]], list[int]]:
        """The hands with what the seats show later in the deal; and how many cards of each stay unseen."""
        later = self.known_later.get(at, [[], [], [], []])
        hands = [{card for card in event["hands"][seat] if card != UNSEEN} | set(later[seat]) for seat in range(4)]
        return hands, [len(self.pack) // 4 - len(hand) for hand in hands]

    def unproven(self, at: int, event: Event) -> bool:
        """Whether the hands, as far as they are seen, are not those of the shuffle proof."""
        shuffle = self.document["shuffle"]
        hashed = hashlib.sha256(bytes.fromhex(shuffle["server_seed"])).hexdigest()
        if self.dealt == 0 and hashed != shuffle["commitment"].lower():
            return True
        hands, _ = self.filled(at, event)
        proven = proven_hands(self.pack, shuffle, self.dealt, event["dealer"])
        return any(not hand <= set(whole) for hand, whole in zip(hands, proven, strict=True))

    # --- how a deal ends ---

    def enter(self, outcome: str, points: Pair | None) -> dict[str, Any]:
        entry = {"outcome": outcome, "points": points, "totals": self.totals}
        self.deals.append(entry)
        return entry

    def end(self, outcome: str, readings: list[Pair]) -> None:
        before = self.possible
        self.deal = None
        self.possible = sums(before, readings)
        entry = self.enter(outcome, readings[0] if outcome == "scored" else None)
        self.ended = Ended(entry, before, readings)

    # --- claims ---

    def trick_claim(self, at: int, event: Event) -> None:
        if self.trick_aged and self.trick_taken is not None:
            self.doubt(at, "a trick claim after an event that did not count")
        if event.get("points", 0):
            self.doubt(at, "card points where cards have none")
        if self.over and self.trick_taken is None:
            self.doubt(at, "a misplaced claim after the end")
        if event["winner"] != self.trick_taken:
            self.find("claim", "claim.trick", at)
        self.trick_taken = None

    def score_claim(self, at: int, event: Event) -> None:
        if self.result_claimed or (self.over and self.ended is None):
            self.doubt(at, "a misplaced claim after the end")
        ended, self.ended = self.ended, None
        if self.deal is not None:
            self.score_in_deal = True
            self.trick_aged = True
        if ended is None:
            self.wrong_claim("claim.score", at)
            return
        self.trick_taken = None
        points = (event["deal"][0], event["deal"][1])
        if points not in ended.readings:
            self.wrong_claim("claim.score", at)
            return
        self.claim_total(at, event, sums(ended.before, [points]))
        ended.entry["totals"] = self.totals
        if ended.entry["outcome"] == "scored":
            ended.entry["points"] = points

    def claim_total(self, at: int, event: Event, possible: list[Pair]) -> None:
        self.possible = possible
        total = (event["total"][0], event["total"][1])
        if total in self.possible:
            self.possible = [total]
        else:
            self.wrong_claim("claim.total", at)

    def wrong_claim(self, clause: str, at: int) -> None:
        self.find("claim", clause, at)
        if len(self.possible) > 1:
            self.doubt(at, "a wrong claim where readings differ")

    def result_claim(self, at: int, event: Event) -> None:
        if self.result_claimed:
            self.doubt(at, "a second result")
        total = (event["total"][0], event["total"][1])
        self.result_claimed = True
        self.trick_taken = None
        if total in self.possible and event["winner"] == self.winner_with(total):
            self.take_reading(at, total)
            self.possible = [total]
        else:
            self.find("claim", "claim.result", at)

    def take_reading(self, at: int, total: Pair) -> None:
        """What comes after a deal without a score claim says which reading of it the table used."""
        if self.ended is None or total == self.totals:
            return
        if len(self.ended.readings) > 1:
            if len(self.ended.before) > 1:
                self.doubt(at, "another reading of one of several deals")
            before = self.ended.before[0]
            self.ended.entry["points"] = (total[0] - before[0], total[1] - before[1])
        self.ended.entry["totals"] = total


def read_twice(reading: type[TrickReading], document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match. Cards that were not seen are filled in from a first reading."""
    first = reading(document, {})
    first.read()
    second = reading(document, first.shown)
    second.read()
    return second.said()
