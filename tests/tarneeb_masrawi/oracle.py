"""A second reading of the rules of Egyptian Tarneeb, both rulesets: slow, flat, made only of lists, sets and strings.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what has to be said of it. It
shares nothing with the auditor, so that the two can disagree. Refuses to know messages and what would have
been legal.

Where the rules do not settle what has to be said, the oracle takes the reading that accuses nobody and writes the
place down as a doubt: from the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from itertools import product
from typing import Any, NamedTuple

Event = dict[str, Any]
Pair = tuple[int, int]

RANKS = "23456789TJQKA"
SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
UNSEEN = "??"
CLAIMS = ("trick", "score", "result")
ANSWERS = ("accept", "redouble")
DAKAK = "tarneeb-masrawi-dakak"
ORDER = ["C", "D", "H", "S", "NT"]
OTHER_ORDER = ["NT", "D", "H", "S", "C"]


# --- The laws, one by one -------------------------------------------------------------------------------------------


def winner_of(trick: list[tuple[int, str]], trump: str) -> int:
    """The highest trump takes the trick; without a trump, the highest card of the suit led."""
    trumps = [(RANKS.index(card[0]), seat) for seat, card in trick if card[1] == trump]
    followed = [(RANKS.index(card[0]), seat) for seat, card in trick if card[1] == trick[0][1][1]]
    return max(trumps or followed)[1]


def table_of_scores(bid: int, tricks: int) -> Pair:
    """Bidding team, defenders, before any double."""
    defended = 13 - tricks
    if tricks >= bid:
        if bid == 13:
            return 26, 0
        if tricks == 13:
            return 16, 0
        return tricks, 0
    if bid == 13:
        return -16, 16 if defended == 13 else defended
    return -bid, 16 if defended == 13 else defended


def worth_masrawi(bid: int, tricks: int, factor: int) -> Pair:
    """The factor is for the bidding team."""
    own, other = table_of_scores(bid, tricks)
    return own * factor, other


def worth_dakak(bid: int, tricks: int, doubled: bool, options: dict[str, Any]) -> tuple[list[Pair], list[str]]:
    """The points under each reading, the default first, and the open points that change them."""
    own, other = table_of_scores(bid, tricks)
    defended = [other]
    points = []
    if bid == 13 and tricks < 13:
        defended.append(2 * (13 - tricks))
        points.append("open.failed-13")
    if not doubled:
        return [(own, value) for value in defended], points
    if "double_applies" in options:
        factors = [2 if options["double_applies"] == "both" else 1]
    else:
        factors = [2, 1]
        if other:
            points.append("open.double-applies")
    return list(dict.fromkeys((2 * own, value * factor) for value in defended for factor in factors)), points


def may_follow(hand: set[str], led: str | None) -> set[str]:
    """The suit led, if the hand has it; else anything."""
    same = {card for card in hand if card[1] == led}
    return same or set(hand)


def honours(hand: set[str]) -> int:
    return sum({"A": 4, "K": 3, "Q": 2, "J": 1}.get(card[0], 0) for card in hand)


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


# --- A deal and its auction -----------------------------------------------------------------------------------------


class Ruling(NamedTuple):
    """What is to be said of one move: nothing, or a clause; and whether it stands all the same.

    ``unsure`` is a move that only an unseen card could judge; ``opens`` are the open points that it leans on.
    ``closes``: the auction was over before it, without another word.
    """

    clause: str | None = None
    stands: bool = True
    unsure: bool = False
    opens: tuple[str, ...] = ()
    closes: bool = False


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
        self.turn = (dealer + 1) % 4
        self.passed: set[int] = set()
        self.passes = 0
        self.bid: Event | None = None
        self.doubled = False
        self.factor = 1
        self.trump = ""
        self.trick: list[tuple[int, str]] = []
        self.taken = [0, 0]
        self.played = 0
        self.noted_unseen = False
        self.out = [self.is_out(seat) for seat in range(4)]
        self.dakak = [self.is_dakak(seat) for seat in range(4)]

    def is_out(self, seat: int) -> str:
        """Whether the seat was dealt nine or more cards of a suit: yes, no, maybe."""
        nowhere = set(PACK) - self.ever_known
        answer = "no"
        for suit in SUITS:
            held = sum(card[1] == suit for card in self.hands[seat])
            more = min(self.unseen[seat], sum(card[1] == suit for card in nowhere))
            if held >= 9:
                return "yes"
            if held + more >= 9:
                answer = "maybe"
        return answer

    def is_dakak(self, seat: int) -> list[bool]:
        """What may be true."""
        if honours(self.hands[seat]) > 4:
            return [False]
        return [True, False] if self.unseen[seat] else [True]


def is_contract(bid: Event) -> bool:
    return bid["tricks"] <= 13 and "trump" in bid


def outbids(bid: Event, standing: Event, order: list[str]) -> bool:
    if bid["tricks"] != standing["tricks"] or "trump" not in standing:
        return bool(bid["tricks"] >= standing["tricks"])
    return order.index(bid["trump"]) > order.index(standing["trump"])


def in_range(bid: Event) -> bool:
    return 7 <= bid["tricks"] <= 13 and "trump" in bid


def waiting(deal: Deal) -> list[int]:
    """Masrawi: who may speak yet, in turn."""
    seats = [(deal.turn + step) % 4 for step in range(4)]
    return [seat for seat in seats if seat not in deal.passed and deal.out[seat] != "yes"]


def rule_masrawi_call(deal: Deal, event: Event) -> Ruling:
    """A call in the auction, before any double."""
    line = waiting(deal)
    seat = event["seat"]
    if seat not in line:
        return Ruling("auction.turn", stands=False)
    before = line[: line.index(seat)]
    if any(deal.out[other] != "maybe" for other in before) or (deal.bid and seat == deal.bid["seat"]):
        return Ruling("auction.turn", stands=False)
    unsure = bool(before) or deal.out[seat] == "maybe"
    if event["type"] in ANSWERS:
        return Ruling("auction.answer", stands=False, unsure=unsure)
    if event["type"] == "double":
        if deal.bid is None or deal.bid["seat"] % 2 == seat % 2:
            return Ruling("auction.double", stands=False, unsure=unsure)
        return Ruling(unsure=unsure)
    if event["type"] == "bid":
        if not in_range(event):
            return Ruling("auction.range", unsure=unsure)
        if deal.bid is not None and not outbids(event, deal.bid, ORDER):
            return Ruling("auction.outbid", unsure=unsure)
    return Ruling(unsure=unsure)


def rule_masrawi_answer(deal: Deal, event: Event) -> Ruling:
    """Any event but a claim, while a double waits for its answer."""
    assert deal.bid is not None
    clause = "auction.answer"
    if event["type"] in ("bid", "pass", "double", *ANSWERS):
        if event["seat"] != deal.bid["seat"]:
            clause = "auction.turn"
        elif event["type"] in ANSWERS:
            return LEGAL
        elif event["type"] == "double":
            clause = "auction.double"
        elif event["type"] == "bid" and not in_range(event):
            clause = "auction.range"
        elif event["type"] == "bid" and not outbids(event, deal.bid, ORDER):
            clause = "auction.outbid"
    return Ruling(clause, stands=False)


def take_masrawi_call(deal: Deal, event: Event) -> None:
    line = waiting(deal)
    seat = event["seat"]
    deal.passed.update(line[: line.index(seat)])
    deal.out[seat] = "no"
    deal.turn = (seat + 1) % 4
    if event["type"] == "pass":
        deal.passed.add(seat)
    elif event["type"] == "bid":
        deal.bid = event
    else:
        deal.phase = "answer"
        return
    end_masrawi_auction(deal)


def end_masrawi_auction(deal: Deal) -> None:
    left = [seat for seat in waiting(deal) if deal.bid is None or seat != deal.bid["seat"]]
    if not left:
        deal.phase = "void" if deal.bid is None else "lead"


def skipped(deal: Deal, seat: int) -> list[int] | None:
    """Dakak: whom the turn passes over to come to this seat; nothing where it may not."""
    steps = (seat - deal.turn) % 4
    seats = [(deal.turn + step) % 4 for step in range(steps)]
    if deal.passes + steps > 3 or any(deal.out[other] == "no" for other in seats):
        return None
    return seats


def skipping(deal: Deal, seats: list[int]) -> Ruling:
    opens = ("open.call-skipped",) if any(deal.out[seat] == "yes" for seat in seats) else ()
    return Ruling(opens=opens, unsure=any(deal.out[seat] == "maybe" for seat in seats))


def rule_dakak_call(deal: Deal, event: Event, options: dict[str, Any]) -> Ruling:
    seat = event["seat"]
    seats = skipped(deal, seat)
    if seats is None:
        return Ruling("auction.turn", stands=False)
    ruling = skipping(deal, seats)
    if event["type"] == "bid":
        return rule_dakak_bid(deal, event, options, ruling)
    opens = ruling.opens
    if deal.bid is not None and seat == deal.bid["seat"] and deal.passes + len(seats) == 3:
        opens += ("open.auction-close",)
    if event["type"] == "double":
        own = deal.bid is None or deal.bid["seat"] % 2 == seat % 2
        if own or deal.doubled or deal.out[seat] == "yes":
            opens += ("open.double-own",)
    return ruling._replace(opens=opens)


def rule_dakak_bid(deal: Deal, bid: Event, options: dict[str, Any], ruling: Ruling) -> Ruling:
    if not in_range(bid):
        return ruling._replace(clause="auction.range")
    above = deal.bid is None or outbids(bid, deal.bid, ORDER)
    if deal.bid is not None and not above and not outbids(bid, deal.bid, OTHER_ORDER):
        return ruling._replace(clause="auction.outbid")
    opens = ruling.opens
    if bid["trump"] == "NT" or not above:
        opens += ("open.suit-order",)
    if deal.out[bid["seat"]] == "yes":
        return ruling._replace(clause="auction.out-of-call", opens=opens)
    unsure = ruling.unsure or deal.out[bid["seat"]] == "maybe"
    # Whatever the unseen cards may be: is the bid too low, and which points does it lean on.
    answers = set()
    for dakak in product(*deal.dakak):
        own = dakak[bid["seat"]] or dakak[(bid["seat"] + 2) % 4]
        other = dakak[(bid["seat"] + 1) % 4] or dakak[(bid["seat"] + 3) % 4]
        answers.add(too_low(bid, own, other, options))
    if answers == {"too low"}:
        return ruling._replace(clause="auction.dakak", opens=opens, unsure=unsure)
    if len(answers) > 1:
        return ruling._replace(opens=opens, unsure=True)
    [points] = answers
    return ruling._replace(opens=opens + tuple(points.split()), unsure=unsure)


def too_low(bid: Event, own: bool, other: bool, options: dict[str, Any]) -> str:
    """``"too low"``, or the open points that the bid leans on."""
    number, no_trump = bid["tricks"], bid["trump"] == "NT"
    reaches = {"5C": number >= 11, "5NT": number >= 12 or (number == 11 and no_trump), "6": number >= 12}
    floors = [options["dakak_floor"]] if "dakak_floor" in options else ["5C", "5NT", "6"]
    if own and number < 8:
        return "too low"
    if not other or all(reaches[floor] for floor in floors):
        return ""
    if own:  # eight will do, and the other floor would not
        return "open.dakak-both" + (" open.dakak-floor" if any(reaches[floor] for floor in floors) else "")
    if not any(reaches[floor] for floor in floors):
        return "too low"
    return "open.dakak-floor"


def take_dakak_call(deal: Deal, event: Event) -> None:
    seats = skipped(deal, event["seat"])
    assert seats is not None
    deal.passes += len(seats)
    deal.turn = (event["seat"] + 1) % 4
    if event["type"] == "bid":
        deal.bid = event
        deal.passes = 0
        deal.doubled = False
        if deal.out[event["seat"]] == "maybe":
            deal.out[event["seat"]] = "no"
        return
    deal.passes += 1
    if event["type"] == "double" and deal.bid is not None:
        deal.doubled = True
    if deal.passes == 4:
        deal.phase = "void" if deal.bid is None else "lead"


# --- A match --------------------------------------------------------------------------------------------------------


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
        self.has_dakak = document["ruleset"] == DAKAK
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
        self.next_dealers: list[int] = [0, 1, 2, 3]
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

    def ends(self, totals: Pair) -> bool:
        if "rounds" in self.options:
            return totals != (0, 0)
        return max(totals) >= self.target

    @property
    def over(self) -> bool:
        return self.deal is None and self.ends(self.totals)

    @property
    def winner(self) -> int | None:
        return self.winner_with(self.totals)

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
            for point in ruling.opens if ruling.clause is None or ruling.stands else ():
                self.find("open", point, at)
            if ruling.unsure:
                self.note_unseen(at)
            elif ruling.clause is None and not ruling.opens and not self.is_score_open():
                self.find("illegal", "refusal.legal", at)
            return
        if ruling.clause is not None and not ruling.stands:
            if ruling.unsure:
                self.note_unseen(at)
            self.impossible(at, event, ruling.clause)
            return
        self.strikes = 0
        self.between = False
        self.new_deal = None
        self.accept(at, event, ruling)

    def is_score_open(self) -> bool:
        """Whether a deal is over whose points nobody has claimed, and there is more than one reading of the totals."""
        return self.ended is not None and len(self.ended.before) * len(self.ended.readings) > 1

    def accept(self, at: int, event: Event, ruling: Ruling) -> None:
        if ruling.closes:
            self.close(at, event, ruling)
            if self.skipping:
                return
        for point in ruling.opens:
            self.find("open", point, at)
        if ruling.clause is not None:
            self.find("illegal", ruling.clause, at)
        if ruling.unsure and event["type"] != "deal":
            self.note_unseen(at)
        self.trick_taken, self.trick_aged = None, False
        if event["type"] == "deal":
            self.begin(at, event)
            if ruling.unsure:
                self.note_unseen(at)
        elif event["type"] == "play":
            self.play(at, event)
        else:
            self.call(at, event)

    def close(self, at: int, event: Event, ruling: Ruling) -> None:
        """The auction was over before this lead or answer; if its bid is no contract, the deal is broken."""
        deal = self.deal
        assert deal is not None
        assert deal.bid is not None
        if not is_contract(deal.bid):
            self.broken_by_its_bid(at)
            self.skip(at, event)
            return
        deal.phase, deal.turn, deal.trump = "lead", deal.bid["seat"], deal.bid["trump"]

    def broken_by_its_bid(self, at: int) -> None:
        if self.score_in_deal:
            self.doubt(at, "a score that was claimed too early for a deal that turns out broken")
        self.break_deal()
        self.skipping, self.skip_noted = True, False

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
            self.begin(*new_deal)
            ruling = self.rule(at, event)
            if ruling.clause is None or ruling.stands:
                self.move(at, event)
                return
            self.doubt(at, "an event that fits neither the deal nor the one dealt in the middle of it")
            self.deal = None
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
            goes_on = [totals for totals in self.possible if not self.ends(totals)]
            if goes_on and event["type"] == "deal" and not event.get("refused"):
                if len(goes_on) > 1:
                    self.doubt(at, "the match goes on under more than one reading")
                self.take_reading(at, goes_on[0])
                self.possible = goes_on
                return self.rule(at, event)
            if goes_on:
                self.doubt(at, "no deal, where the match is over under one reading and goes on under another")
            return Ruling("match.over", stands=False)
        if event["type"] == "deal" and self.deal is None and not event.get("refused"):
            self.possible = [totals for totals in self.possible if not self.ends(totals)]  # the match has gone on
        misplaced = Ruling("auction.answer" if event["type"] in ANSWERS else "flow.kind", stands=False)
        deal = self.deal
        if deal is None:
            if event["type"] == "deal":
                return self.rule_deal(at, event)
            return misplaced
        if deal.phase == "auction":
            return self.rule_in_auction(at, deal, event) or misplaced
        if deal.phase == "answer":
            return rule_masrawi_answer(deal, event)
        if deal.phase == "lead" and event["type"] == "accept" and not self.has_dakak:
            assert deal.bid is not None
            if event["seat"] == deal.bid["seat"]:
                return LEGAL
        if deal.phase in ("lead", "play") and event["type"] == "play":
            return self.rule_play(at, deal, event)
        return misplaced

    def rule_in_auction(self, at: int, deal: Deal, event: Event) -> Ruling | None:
        if event["type"] == "deal" and self.void_without_a_word(deal) is not None:
            if event.get("refused"):
                self.doubt(at, "a refused deal where all others may have been passed over")
                return None
            self.end_void_without_a_word(at)
            return self.rule_deal(at, event)
        closing = self.closing(deal)
        if closing is not None and (event["type"] == "play" or (not self.has_dakak and event["type"] == "accept")):
            assert deal.bid is not None
            if event["seat"] == deal.bid["seat"]:
                if not is_contract(deal.bid):
                    if event.get("refused"):
                        self.doubt(at, "a refused lead after a bid that is no contract")
                    return closing
                if event["type"] == "accept":
                    return closing
                before = deal.turn, deal.phase
                deal.turn, deal.phase = deal.bid["seat"], "lead"
                ruling = self.rule_play(at, deal, event)
                deal.turn, deal.phase = before
                if ruling.clause is not None:
                    return ruling
                return closing._replace(unsure=closing.unsure or ruling.unsure)
            if event["type"] == "play" and self.has_dakak:
                return Ruling("play.turn", stands=False)
        if self.has_dakak:
            if event["type"] in ("bid", "pass", "double"):
                return rule_dakak_call(deal, event, self.options)
            return None
        if event["type"] in ("bid", "pass", "double", *ANSWERS):
            return rule_masrawi_call(deal, event)
        return None

    def closing(self, deal: Deal) -> Ruling | None:
        """What a lead leans on that comes without another call, where it may come."""
        if deal.bid is None:
            return None
        if self.has_dakak:
            seats = skipped(deal, deal.bid["seat"])
            if seats is None or deal.passes + len(seats) != 3:
                return None
            ruling = skipping(deal, seats)
            return ruling._replace(opens=(*ruling.opens, "open.auction-close"), closes=True)
        left = [seat for seat in waiting(deal) if seat != deal.bid["seat"]]
        if all(deal.out[seat] == "maybe" for seat in left):
            return Ruling(unsure=True, closes=True)
        return None

    def void_without_a_word(self, deal: Deal) -> Ruling | None:
        """What a next deal or a score leans on, where nobody has bid and all others may have been passed over."""
        if deal.phase != "auction" or deal.bid is not None:
            return None
        if self.has_dakak:
            seats = [(deal.turn + step) % 4 for step in range(4 - deal.passes)]
            return None if any(deal.out[seat] == "no" for seat in seats) else skipping(deal, seats)
        return Ruling(unsure=True) if all(deal.out[seat] == "maybe" for seat in waiting(deal)) else None

    def end_void_without_a_word(self, at: int) -> None:
        assert self.deal is not None
        ruling = self.void_without_a_word(self.deal)
        assert ruling is not None
        for point in ruling.opens:
            self.find("open", point, at)
        if ruling.unsure:
            self.doubt(at, "which deal the note of an unseen card counts for")
        self.end_void()

    def rule_deal(self, at: int, event: Event) -> Ruling:
        opens = ("open.void-dealer",) if len(self.next_dealers) == 2 else ()
        if event["dealer"] not in self.next_dealers:
            return Ruling("deal.dealer")
        if self.wrong_cards(event):
            return Ruling("deal.cards", opens=opens)
        if "shuffle" in self.document:
            shuffle = self.document["shuffle"]
            hashed = hashlib.sha256(bytes.fromhex(shuffle["server_seed"])).hexdigest()
            if self.dealt == 0 and hashed != shuffle["commitment"].lower():
                return Ruling("deal.shuffle", opens=opens)
            hands, unseen = self.filled(at, event)
            for hand, proven in zip(hands, shuffled_hands(shuffle, self.dealt, event["dealer"]), strict=True):
                if not hand <= set(proven):
                    return Ruling("deal.shuffle", opens=opens)
            if any(unseen):
                return Ruling(unsure=True, opens=opens)
        return Ruling(opens=opens)

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
        self.next_dealers = [event["dealer"]]
        if self.wrong_cards(event):
            self.break_deal()
            self.skipping, self.skip_noted = True, False
            return
        hands, unseen = self.filled(at, event)
        if sum(len(hand) for hand in hands) != len(set().union(*hands)):
            self.doubt(at, "a card shown by one seat and known in the hand of another")
        self.deal = Deal(at, event["dealer"], hands, unseen)
        self.shown[at] = [[], [], [], []]
        if not self.has_dakak:
            end_masrawi_auction(self.deal)
            if self.deal.phase == "void":
                self.end_void()

    def call(self, at: int, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        if deal.phase == "lead":  # the bidder has confirmed
            deal.phase = "play"
            return
        if deal.phase == "answer":
            assert deal.bid is not None
            deal.factor = 2 if event["type"] == "accept" else 4
            deal.phase = "play"
        elif self.has_dakak:
            take_dakak_call(deal, event)
        else:
            take_masrawi_call(deal, event)
        if deal.phase == "void":
            self.end_void()
        elif deal.phase in ("lead", "play"):
            assert deal.bid is not None
            if not is_contract(deal.bid):
                self.broken_by_its_bid(at)
                return
            deal.turn, deal.trump = deal.bid["seat"], deal.bid["trump"]

    def play(self, at: int, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        assert deal.bid is not None
        deal.phase = "play"
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
            if self.has_dakak:
                readings, points = worth_dakak(deal.bid["tricks"], deal.taken[team], deal.doubled, self.options)
            else:
                readings, points = [worth_masrawi(deal.bid["tricks"], deal.taken[team], deal.factor)], []
            for point in points:
                self.find("open", point, at)
            self.next_dealers = [(deal.dealer + 1) % 4]
            self.end("scored", [pair if team == 0 else (pair[1], pair[0]) for pair in readings])

    # --- how a deal ends ---

    def enter(self, outcome: str, points: Pair | None) -> dict[str, Any]:
        entry = {"outcome": outcome, "points": points, "totals": self.totals}
        self.deals.append(entry)
        return entry

    def end_void(self) -> None:
        assert self.deal is not None
        dealer = self.deal.dealer
        self.next_dealers = [dealer, (dealer + 1) % 4] if self.has_dakak else [dealer]
        self.end("void", [(0, 0)])

    def end(self, outcome: str, readings: list[Pair]) -> None:
        before = self.possible
        self.deal = None
        self.possible = sums(before, readings)
        entry = self.enter(outcome, readings[0] if outcome == "scored" else None)
        self.ended = Ended(entry, before, readings)

    def break_deal(self) -> None:
        self.deal = None
        self.next_dealers = [0, 1, 2, 3]
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
        if self.deal is not None and self.void_without_a_word(self.deal) is not None:
            if event.get("refused"):
                self.doubt(at, "a refused score where all others may have been passed over")
            self.strikes = 0
            self.end_void_without_a_word(at)
        if self.result_claimed or (self.over and self.ended is None):
            self.doubt(at, "a misplaced claim after the end")
        if len(self.possible) > 256:
            self.doubt(at, "a score after very many readings")
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
        if len(self.possible) > 256:
            self.doubt(at, "a result after very many readings")
        if total in self.possible[1:] and (self.deal is not None or not self.ended or not self.ended.readings):
            self.doubt(at, "a result shows the reading of a deal that is not the last")
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
