"""A second reading of the rules of tarneeb-classic: slow, flat, and made only of lists, sets and strings.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what has to be said of it. It
shares nothing with the auditor, so that the two can disagree. Refuses to know messages and what would have
been legal.

Where the rules do not settle what has to be said, the oracle takes the reading that accuses nobody and writes the
place down as a doubt: from the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, NamedTuple

Event = dict[str, Any]
Pair = tuple[int, int]

RANKS = "23456789TJQKA"
SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
UNSEEN = "??"
CLAIMS = ("trick", "score", "result")


# --- The laws, one by one -------------------------------------------------------------------------------------------


def winner_of(trick: list[tuple[int, str]], trump: str) -> int:
    """The highest trump takes the trick; without a trump, the highest card of the suit led."""
    trumps = [(RANKS.index(card[0]), seat) for seat, card in trick if card[1] == trump]
    followed = [(RANKS.index(card[0]), seat) for seat, card in trick if card[1] == trick[0][1][1]]
    return max(trumps or followed)[1]


def worth(bid: int, tricks: int, options: dict[str, Any]) -> tuple[list[Pair], str | None]:
    """(bidding team, defenders) under each reading, the default first; and the open point, if one is leaned on."""
    defended = 13 - tricks
    if tricks >= bid:
        if bid == 13:
            return [(26, 0), (13, 0)], "open.capot"
        if tricks == 13:
            return [(16, 0), (13, 0)], "open.capot"
        return [(tricks, 0)], None
    if bid == 13:
        return [(-16, 2 * defended)], None
    if defended == 13:
        if "defender_sweep" in options:
            return [(-bid, options["defender_sweep"])], None
        return [(-bid, 16), (-bid, 13)], "open.defender-sweep"
    return [(-bid, defended)], None


def may_follow(hand: set[str], led: str | None) -> set[str]:
    """The suit led, if the hand has it; else anything."""
    same = {card for card in hand if card[1] == led}
    return same or set(hand)


def strength(card: str, trump: str) -> tuple[bool, int]:
    """For the timeout: a trump is stronger than any other suit; between other suits only the rank counts."""
    return card[1] == trump, RANKS.index(card[0])


def shuffled_pack(server_seed: str, client_seed: str, number: int) -> list[str]:
    """The pack of deal ``number`` as the shuffle proof lays it."""
    key = bytes.fromhex(server_seed)
    stream = b""
    block = 0
    pack = list(PACK)
    for i in range(51, 0, -1):
        limit = 2**32 // (i + 1) * (i + 1)
        while True:
            while len(stream) < 4:
                message = f"{client_seed}:{number}:{block}".encode()
                stream += hmac.new(key, message, hashlib.sha256).digest()
                block += 1
            drawn, stream = int.from_bytes(stream[:4], "big"), stream[4:]
            if drawn < limit:
                break
        j = drawn % (i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


def shuffled_hands(shuffle: dict[str, str], number: int, dealer: int) -> list[list[str]]:
    """Thirteen cards at a time to dealer+1, +2, +3 and the dealer."""
    pack = shuffled_pack(shuffle["server_seed"], shuffle["client_seed"], number)
    hands: list[list[str]] = [[], [], [], []]
    for turn in range(4):
        hands[(dealer + 1 + turn) % 4] = pack[13 * turn : 13 * turn + 13]
    return hands


# --- A match --------------------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """One finding: what an auditor has to say about one event."""

    kind: str
    clause: str
    event: int
    seat: int | None


class Ruling(NamedTuple):
    """What is to be said of one move: nothing, or a clause; and whether it stands all the same.

    ``unsure`` is a move that only an unseen card could judge.
    """

    clause: str | None = None
    stands: bool = True
    unsure: bool = False


LEGAL = Ruling()


class Deal:
    """The deal on the table."""

    def __init__(self, at: int, dealer: int, hands: list[set[str]], unseen: list[int]) -> None:
        self.at = at
        self.dealer = dealer
        self.hands = hands
        self.unseen = unseen
        self.ever_known = set().union(*hands)
        self.phase = "auction"
        self.passed: set[int] = set()
        self.bid: Event | None = None
        self.turn = (dealer + 1) % 4
        self.trump = ""
        self.trick: list[tuple[int, str]] = []
        self.taken = [0, 0]
        self.played = 0
        self.noted_unseen = False


class Ended(NamedTuple):
    """The deal that ended last, for its score claim."""

    entry: dict[str, Any]
    before: list[Pair]
    readings: list[Pair]


def judge(document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match. Cards that were not seen are filled in from a first reading."""
    first = Reading(document, {})
    first.read()
    second = Reading(document, first.shown)
    second.read()
    return second.said()


class Reading:
    """One reading of a match from its first event to its last."""

    def __init__(self, document: dict[str, Any], known_later: dict[int, list[list[str]]]) -> None:
        self.document = document
        self.options: dict[str, Any] = document.get("options", {})
        self.target: int = self.options.get("target", 31)
        self.known_later = known_later
        self.shown: dict[int, list[list[str]]] = {}
        self.findings: list[Found] = []
        self.deals: list[dict[str, Any]] = []
        self.doubts: list[tuple[int, str]] = []
        # Under each reading that the claims so far leave possible, that of the defaults first.
        self.possible: list[Pair] = [(0, 0)]
        self.deal: Deal | None = None
        self.dealt = 0
        self.next_dealer: int | None = None
        self.skipping = False
        self.skip_noted = False
        self.strikes = 0  # impossible events in a row: 0 or 1
        self.between = False  # something stood between the first impossible event and the next
        self.new_deal: tuple[int, Event] | None = None  # a deal in the middle of a deal, waiting for the next event
        self.trick_taken: int | None = None  # by whom, until it is claimed or play goes on
        self.trick_aged = False  # something that did not count came after its last card
        self.score_in_deal = False  # a score was claimed before the deal was over
        self.ended: Ended | None = None  # until its score is claimed or the next deal begins
        self.result_claimed = False

    # --- what is said ---

    def find(self, kind: str, clause: str, at: int) -> None:
        self.findings.append(Found(kind, clause, at, self.document["events"][at].get("seat")))

    def doubt(self, at: int, why: str) -> None:
        self.doubts.append((at, why))

    @property
    def totals(self) -> Pair:
        return self.possible[0]

    @property
    def over(self) -> bool:
        return self.deal is None and max(self.totals) >= self.target

    @property
    def winner(self) -> int | None:
        return self.winner_with(self.totals)

    def winner_with(self, totals: Pair) -> int | None:
        if self.deal is not None or max(totals) < self.target or totals[0] == totals[1]:
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
            "findings": self.findings,
            "deals": self.deals,
            "totals": self.totals,
            "winner": self.winner,
            "over": self.over,
            "status": status,
            "doubts": self.doubts,
        }

    # --- one event after another ---

    def read(self) -> None:
        for at, event in enumerate(self.document["events"]):
            if event["type"] == "note" and not self.skipping:
                continue
            if self.skipping:
                if event["type"] not in ("deal", "result"):
                    self.skip(at, event)
                    continue
                if event.get("refused"):
                    self.doubt(at, "a refused deal or result among skipped events")
                self.skipping = False
            if self.result_claimed and not self.over:
                self.doubt(at, "an event after the result of a match that is not over")
            if event["type"] in CLAIMS:
                self.between = self.strikes > 0
                if event.get("refused"):
                    self.doubt(at, "a refused claim")
                {"trick": self.trick_claim, "score": self.score_claim, "result": self.result_claim}[event["type"]](
                    at, event
                )
            else:
                self.move(at, event)
        if self.deal is not None:
            self.enter("unfinished", None)

    def skip(self, at: int, event: Event) -> None:
        if not self.skip_noted:
            self.find("note", "note.skipped", at)
            self.skip_noted = True
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

    def move(self, at: int, event: Event) -> None:
        ruling = self.rule(at, event)
        if event.get("refused"):
            self.between = self.strikes > 0
            self.trick_aged = True
            if ruling.unsure:
                self.note_unseen(at)
            elif ruling.clause is None:
                self.find("illegal", "refusal.legal", at)
            return
        if ruling.clause is not None and not ruling.stands:
            self.impossible(at, event, ruling.clause)
            return
        self.strikes = 0
        self.between = False
        self.new_deal = None
        self.accept(at, event, ruling)

    def accept(self, at: int, event: Event, ruling: Ruling) -> None:
        if ruling.clause is not None:
            self.find("illegal", ruling.clause, at)
        if ruling.unsure and event["type"] != "deal":
            self.note_unseen(at)
        self.trick_taken, self.trick_aged = None, False
        if event["type"] == "deal":
            self.begin(at, event)
            if ruling.unsure:
                self.note_unseen(at)
        elif event["type"] in ("bid", "pass"):
            self.call(at, event)
        elif event["type"] == "trump":
            self.name(event)
        else:
            self.play(at, event)

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
            self.skipping, self.skip_noted = True, False
            self.skip(at, event)
            return
        new_deal, self.new_deal = self.new_deal, None
        self.break_deal()
        if event["type"] == "deal":
            self.doubt(at, "a deal is the second impossible event")
            self.move(at, event)
            return
        if new_deal is not None:
            if "shuffle" in self.document or self.wrong_cards(new_deal[1]):
                self.doubt(new_deal[0], "a deal in the middle of a deal, with wrong cards or a shuffle proof")
            if event["type"] in ("bid", "pass") and event["seat"] == (new_deal[1]["dealer"] + 1) % 4:
                self.begin(*new_deal)
                self.move(at, event)
                return
            self.doubt(at, "an event that fits neither the deal nor the one dealt in the middle of it")
        self.skipping, self.skip_noted = True, False
        self.skip(at, event)

    def note_unseen(self, at: int) -> None:
        if self.deal is None:
            self.doubt(at, "a refused deal that only unseen cards could judge")
        if self.deal is not None and not self.deal.noted_unseen:
            self.find("note", "note.unseen", at)
            self.deal.noted_unseen = True

    # --- what the clauses say of a move ---

    def rule(self, at: int, event: Event) -> Ruling:
        if self.over:
            goes_on = [totals for totals in self.possible if max(totals) < self.target]
            if goes_on and event["type"] == "deal" and not event.get("refused"):
                if len(goes_on) > 1:
                    self.doubt(at, "the match goes on under more than one reading")
                self.take_reading(at, goes_on[0])
                self.possible = goes_on
                return self.rule(at, event)
            if goes_on:
                self.doubt(at, "no deal, where the match is over under one reading and goes on under another")
            return Ruling("match.over", stands=False)
        deal = self.deal
        if deal is None:
            if event["type"] == "deal":
                return self.rule_deal(at, event)
            return Ruling("flow.kind", stands=False)
        if deal.phase == "auction" and event["type"] in ("bid", "pass"):
            return rule_call(deal, event)
        if deal.phase == "trump" and event["type"] == "trump":
            if event["seat"] != deal.turn or event["suit"] not in SUITS:
                return Ruling("trump.declarer", stands=False)
            return LEGAL
        if deal.phase == "play" and event["type"] == "play":
            return self.rule_play(at, deal, event)
        return Ruling("flow.kind", stands=False)

    def rule_deal(self, at: int, event: Event) -> Ruling:
        if self.next_dealer is not None and event["dealer"] != self.next_dealer:
            return Ruling("deal.dealer")
        if self.wrong_cards(event):
            return Ruling("deal.cards")
        if "shuffle" in self.document:
            shuffle = self.document["shuffle"]
            hashed = hashlib.sha256(bytes.fromhex(shuffle["server_seed"])).hexdigest()
            if self.dealt == 0 and hashed != shuffle["commitment"].lower():
                return Ruling("deal.shuffle")
            hands, unseen = self.filled(at, event)
            for hand, proven in zip(hands, shuffled_hands(shuffle, self.dealt, event["dealer"]), strict=True):
                if not hand <= set(proven):
                    return Ruling("deal.shuffle")
            if any(unseen):
                return Ruling(unsure=True)
        return LEGAL

    @staticmethod
    def wrong_cards(event: Event) -> bool:
        seen = [card for hand in event["hands"] for card in hand if card != UNSEEN]
        return (
            [len(hand) for hand in event["hands"]] != [13, 13, 13, 13]
            or len(set(seen)) != len(seen)
            or not set(seen) <= set(PACK)
        )

    def filled(self, at: int, event: Event) -> tuple[list[set[str]], list[int]]:
        """The hands with what the seats show later in the deal; and how many cards of each stay unseen."""
        later = self.known_later.get(at, [[], [], [], []])
        hands = [{card for card in event["hands"][seat] if card != UNSEEN} | set(later[seat]) for seat in range(4)]
        return hands, [13 - len(hand) for hand in hands]

    def rule_play(self, at: int, deal: Deal, event: Event) -> Ruling:
        seat, card = event["seat"], event["card"]
        if seat != deal.turn:
            return Ruling("play.turn", stands=False)
        hand, hidden = deal.hands[seat], deal.unseen[seat]
        unsure = False
        if card not in hand:
            if not hidden or card in self.held_first(deal, seat):
                return Ruling("play.in-hand", stands=False)
            if card not in PACK:
                self.doubt(deal.at, "a joker from an unseen hand")
                return Ruling("play.in-hand", stands=False)
            if card in deal.ever_known:
                self.doubt(at, "an unseen card that is known to lie elsewhere")
                return Ruling("play.in-hand", stands=False)
            unsure = bool(event.get("refused"))  # if it stands, the seat has shown it
        led = deal.trick[0][1][1] if deal.trick else None
        if led is not None and card[1] != led:
            if any(other[1] == led for other in hand):
                return Ruling("play.follow-suit")
            if hidden:
                return Ruling(unsure=True)
        if event.get("by") == "timeout":
            legal = may_follow(hand, led)
            if hidden:
                self.doubt(at, "a timeout play from a hand with unseen cards")
            if any(strength(other, deal.trump) < strength(card, deal.trump) for other in legal):
                return Ruling("timeout.policy")
            if hidden:
                return Ruling(unsure=True)
        return Ruling(unsure=unsure)

    def held_first(self, deal: Deal, seat: int) -> set[str]:
        """What the seat held when the deal began, as far as it is known by now."""
        return {*self.document["events"][deal.at]["hands"][seat], *self.shown[deal.at][seat]}

    # --- what a move changes ---

    def begin(self, at: int, event: Event) -> None:
        self.dealt += 1
        self.ended = None
        self.trick_taken = None
        self.score_in_deal = False
        if self.wrong_cards(event):
            self.break_deal()
            self.skipping, self.skip_noted = True, False
            return
        hands, unseen = self.filled(at, event)
        if sum(len(hand) for hand in hands) != len(set().union(*hands)):
            self.doubt(at, "a card shown by one seat and known in the hand of another")
        self.deal = Deal(at, event["dealer"], hands, unseen)
        self.shown[at] = [[], [], [], []]

    def call(self, at: int, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        if event["type"] == "pass":
            deal.passed.add(event["seat"])
        else:
            deal.bid = event
        if len(deal.passed) == 4:
            self.next_dealer = deal.dealer
            self.end("void", [(0, 0)])
            return
        if deal.bid is not None and (deal.bid["tricks"] == 13 or len(deal.passed) == 3):
            if deal.bid["tricks"] >= 14 or deal.bid.get("trump") == "NT":
                if self.score_in_deal:
                    self.doubt(at, "a score that was claimed too early for a deal that turns out broken")
                self.break_deal()
                self.skipping, self.skip_noted = True, False
                return
            deal.phase = "trump"
            deal.turn = deal.bid["seat"]
            return
        deal.turn = next_caller(deal, event["seat"])

    def name(self, event: Event) -> None:
        assert self.deal is not None
        self.deal.trump = event["suit"]
        self.deal.phase = "play"

    def play(self, at: int, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        assert deal.bid is not None
        seat, card = event["seat"], event["card"]
        if card in deal.hands[seat]:
            deal.hands[seat].remove(card)
        else:
            deal.unseen[seat] -= 1
            deal.ever_known.add(card)
        if card not in self.document["events"][deal.at]["hands"][seat]:
            self.shown[deal.at][seat].append(card)
        deal.trick.append((seat, card))
        deal.played += 1
        deal.turn = (seat + 1) % 4
        if len(deal.trick) < 4:
            return
        taker = winner_of(deal.trick, deal.trump)
        deal.taken[taker % 2] += 1
        deal.trick = []
        deal.turn = taker
        self.trick_taken = taker
        if deal.played == 52:
            team = deal.bid["seat"] % 2
            readings, point = worth(deal.bid["tricks"], deal.taken[team], self.options)
            if point is not None:
                self.find("open", point, at)
            self.next_dealer = (deal.dealer + 1) % 4
            self.end("scored", [pair if team == 0 else (pair[1], pair[0]) for pair in readings])

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

    def break_deal(self) -> None:
        self.deal = None
        self.next_dealer = None
        self.trick_taken = None
        self.ended = Ended(self.enter("broken", None), self.possible, [])

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
            self.find("claim", "claim.score", at)
            if len(self.possible) > 1:
                self.doubt(at, "a wrong claim where readings differ")
            return
        self.trick_taken = None
        points = (event["deal"][0], event["deal"][1])
        if points not in ended.readings:
            self.find("claim", "claim.score", at)
            if len(self.possible) > 1:
                self.doubt(at, "a wrong claim where readings differ")
            return
        self.possible = sums(ended.before, [points])
        total = (event["total"][0], event["total"][1])
        if total in self.possible:
            self.possible = [total]
        else:
            self.find("claim", "claim.total", at)
            if len(self.possible) > 1:
                self.doubt(at, "a wrong claim where readings differ")
        ended.entry["totals"] = self.totals
        if ended.entry["outcome"] == "scored":
            ended.entry["points"] = points

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


def sums(totals: list[Pair], points: list[Pair]) -> list[Pair]:
    """Every total with every reading added, each once, the default of both first."""
    return list(dict.fromkeys((total[0] + gain[0], total[1] + gain[1]) for total in totals for gain in points))


def next_caller(deal: Deal, seat: int) -> int:
    """The next seat upwards that has not passed."""
    for step in (1, 2, 3, 4):
        if (seat + step) % 4 not in deal.passed:
            return (seat + step) % 4
    raise AssertionError("somebody is left")


def rule_call(deal: Deal, event: Event) -> Ruling:
    if event["seat"] != deal.turn:
        return Ruling("auction.turn", stands=False)
    if event["type"] == "pass":
        return LEGAL
    if not 7 <= event["tricks"] <= 13 or "trump" in event:
        return Ruling("auction.range")
    if deal.bid is not None and event["tricks"] <= deal.bid["tricks"]:
        return Ruling("auction.outbid")
    if event.get("by") == "timeout":
        return Ruling("timeout.policy")
    return LEGAL
