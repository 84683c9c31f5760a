"""A second reading of the rules of rami-tounsi: slow, flat, and made only of lists, sets and strings.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what has to be said of it. It shares
nothing with the auditor, so that the two can disagree: legal melds are looked up in a list of all of them, and of all
clauses that an event breaks the one is taken that stands first in ``ORDER``. Refuses to know messages.

Where the rules do not settle what has to be said, and in logs of one seat, it writes the place down as a doubt: from
the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import combinations
from typing import Any, NamedTuple

from tests.oracles import UNSEEN, Event, Found, Row, proven_pack

Numbers = tuple[int, ...]

RANKS = "23456789TJQKA"
SUITS = "CDHS"
CLAIMS = ("score", "result")
ORDER = [
    "turn.order",
    "draw.card",
    "draw.used",
    "draw.return",
    "meld.held",
    "meld.shape",
    "meld.naturals",
    "meld.joker",
    "opening.value",
    "add.opened",
    "add.fit",
    "swap.fit",
    "discard.joker",
    "close.tierce",
]
DEFAULTS = {
    "variant": "classic",
    "target": 500,
    "opening": 51,
    "jokers": 4,
    "hand_size": 14,
    "ace_penalty": 10,
    "joker_penalty": 10,
}


def pack_of(jokers: int) -> list[str]:
    """Pack order: 2C to AC, diamonds, hearts, spades; the same again; the jokers."""
    return [rank + suit for suit in SUITS for rank in RANKS] * 2 + ["JK"] * jokers


# --- Melds ----------------------------------------------------------------------------------------------------------

_SEQUENCE = "A23456789TJQKA"
#: Every run and every set without a joker, as sets of cards.
RUNS = [
    frozenset(rank + suit for rank in _SEQUENCE[start : start + length])
    for suit in SUITS
    for length in range(3, 14)
    for start in range(15 - length)
]
SETS = [
    frozenset(rank + suit for suit in suits) for rank in RANKS for size in (3, 4) for suits in combinations(SUITS, size)
]
VALUE = {rank: 10 if rank in "TJQKA" else int(rank) for rank in RANKS}


def physical(cards: list[str]) -> list[str]:
    return ["JK" if card.startswith("JK") else card for card in cards]


def naturals_of(cards: list[str]) -> list[str]:
    return [card for card in cards if not card.startswith("JK")]


def could_be(cards: list[str], legal: list[frozenset[str]]) -> bool:
    """Whether the natural cards lie in one of these melds of the same size, each of them once."""
    naturals = naturals_of(cards)
    if len(set(naturals)) < len(naturals):
        return False
    return any(len(meld) == len(cards) and meld.issuperset(naturals) for meld in legal)


def unsaid(cards: list[str]) -> list[str]:
    """A meld that lies: the joker of a set may be any missing suit, though it was said to be one."""
    natural = [card for card in cards if not card.startswith("JK")]
    ranks, suits = {card[0] for card in natural}, {card[1] for card in natural}
    is_set = len(cards) in (3, 4) and len(ranks) <= 1 and len(suits) == len(natural)
    return ["JK" if card.startswith("JK") and is_set else card for card in cards]


def meld_faults(cards: list[str]) -> set[str]:
    """All the clauses that a meld breaks by its cards."""
    faults = set()
    naturals = naturals_of(cards)
    jokers = [card for card in cards if card.startswith("JK")]
    as_run, as_set = could_be(cards, RUNS), could_be(cards, SETS)
    if not as_run and not as_set:
        return {"meld.shape"}
    if len(naturals) < 2 or len(jokers) > 1:
        return {"meld.naturals"}
    for joker in jokers:
        card = joker[3:]
        if as_run and (not card or not any(meld == {*naturals, card} and card not in naturals for meld in RUNS)):
            faults.add("meld.joker")
        if as_set and card and (card[0] != naturals[0][0] or card in naturals):
            faults.add("meld.joker")
    return faults


def worth_laid(cards: list[str]) -> tuple[int, int]:
    """With the joker as what it stands for, and with nothing for it."""
    without = sum(VALUE[card[0]] for card in naturals_of(cards))
    with_jokers = without
    for card in cards:
        if card.startswith("JK:"):
            with_jokers += VALUE[card[3]]
        elif card == "JK" and could_be(cards, SETS) and naturals_of(cards):
            with_jokers += VALUE[naturals_of(cards)[0][0]]
        elif card == "JK":
            with_jokers += 10
    return with_jokers, without


def swap_place(cards: list[str], card: str) -> int | None:
    """Where the joker lies that a natural card may take the place of."""
    for place, other in enumerate(cards):
        if not other.startswith("JK"):
            continue
        if other == f"JK:{card}":
            return place
        if card == "JK" or not could_be(cards, SETS):
            continue
        if all(natural[0] == card[0] and natural[1] != card[1] for natural in naturals_of(cards)):
            return place
    return None


def is_tierce(cards: list[str], joker_allowed: bool) -> bool:
    naturals = naturals_of(cards)
    return len(naturals) >= 3 and could_be(cards, RUNS) and (joker_allowed or len(naturals) == len(cards))


# --- The shuffle proof ----------------------------------------------------------------------------------------------


def shuffled_pack(proof: dict[str, str], number: int, jokers: int) -> list[str]:
    return proven_pack(pack_of(jokers), proof, number)


def dealt(
    pack: list[str], dealer: int, seats: int, size: int, starter: int | None
) -> tuple[list[list[str]], list[str]]:
    """One card at a time from the seat after the dealer; then the starter's extra card; then the rest, top first."""
    pack = list(pack)
    hands: list[list[str]] = [[] for _ in range(seats)]
    for _ in range(size):
        for step in range(1, seats + 1):
            hands[(dealer + step) % seats].append(pack.pop(0))
    if starter is not None:
        hands[starter].append(pack.pop(0))
    return hands, pack


# --- A match --------------------------------------------------------------------------------------------------------


class Ruling(NamedTuple):
    """The first clause that a move breaks, whether it stands all the same, and the open points it leans on.

    ``unsure`` is a move that only an unseen card could judge.
    """

    clause: str | None = None
    stands: bool = True
    opens: tuple[str, ...] = ()
    unsure: bool = False


class Meld:
    def __init__(self, owner: int, cards: list[str]) -> None:
        self.owner = owner
        self.laid = list(cards)
        self.now = list(cards)


class Round:
    """The round on the table. The stock lies top first; a card of it that is not seen is ``??``."""

    def __init__(self, dealer: int, hands: list[list[str]], stock: list[str], pile: list[str], unplaced: Counter[str]):
        seats = len(hands)
        self.hands = hands
        self.stock = stock
        self.pile = pile
        self.unplaced = unplaced
        self.melds: list[Meld] = []
        self.opened = [False] * seats
        self.swapped = [0] * seats
        self.high = [0, 0]
        self.thrower: int | None = None
        self.thrown_at = self.taken_thrown_at = 0  # the discard on top, and the one that was taken
        self.noted_unseen = False
        longest = max(map(len, hands))
        longer = [seat for seat in range(seats) if len(hands[seat]) == longest]
        self.has_starter = len(longer) == 1
        self.begin_turn(longer[0] if self.has_starter else (dealer + 1) % seats, draws=not self.has_starter)

    def begin_turn(self, seat: int, draws: bool = True) -> None:
        self.turn = seat
        self.draws = draws
        self.stock_only = False
        self.taken: str | None = None
        self.taken_from: int | None = None
        self.taken_laid = False
        self.had_opened = self.opened[seat]
        self.new: list[Meld] = []
        self.opening_judged = False
        self.opening_low = False
        self.swapped_laid = 0


class Ended(NamedTuple):
    """The round that ended last, for its score claim."""

    entry: dict[str, Any]
    before: list[Numbers]
    readings: list[Numbers]


def judge(document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match."""
    reading = Reading(document)
    reading.read()
    return reading.said()


class Reading:
    """One reading of a match from its first event to its last."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.given: dict[str, Any] = document.get("options", {})
        self.options = {**DEFAULTS, **self.given}
        self.seats = len(document["players"])
        self.findings: list[Found] = []
        self.deals: list[dict[str, Any]] = []
        self.doubts: list[tuple[int, str]] = []
        self.possible: list[Numbers] = [(0,) * self.seats]
        self.round: Round | None = None
        self.dealt = 0
        self.expected_dealer: int | None = None
        self.skipping = False
        self.skip_noted = False
        self.strikes = 0
        self.between = False
        self.new_deal: tuple[int, Event] | None = None
        self.early_score = False
        self.ended: Ended | None = None
        self.result_claimed = False

    def find(self, kind: str, clause: str, at: int) -> None:
        self.findings.append(Found(kind, clause, at, self.document["events"][at].get("seat")))

    def doubt(self, at: int, why: str) -> None:
        self.doubts.append((at, why))

    @property
    def totals(self) -> Numbers:
        return self.possible[0]

    def ends(self, totals: Numbers) -> bool:
        return max(totals) >= self.options["target"] and sorted(totals)[0] != sorted(totals)[1]

    @property
    def over(self) -> bool:
        return self.round is None and self.ends(self.totals)

    def winner_with(self, totals: Numbers) -> int | None:
        return totals.index(min(totals)) if self.round is None and self.ends(totals) else None

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
            "winner": self.winner_with(self.totals),
            "over": self.over,
            "status": status,
            "doubts": self.doubts,
        }

    # --- one event after another ---

    def read(self) -> None:
        for at, event in enumerate(self.document["events"]):
            if event["type"] == "note":
                if self.skipping:
                    self.doubt(at, "a note among skipped events")
                continue
            if event["type"] == "deal" and any(UNSEEN in hand for hand in event["hands"]):
                self.doubt(at, "hands that are not seen")
            if event["type"] == "draw" and event["card"] == UNSEEN:
                self.doubt(at, "a draw that is not seen")
            if self.skipping:
                if event["type"] not in ("deal", "result"):
                    self.skip(at, event)
                    continue
                if event.get("refused"):
                    self.doubt(at, "a refused deal or result among skipped events")
                self.skipping = False
            if self.result_claimed and not self.over:
                self.doubt(at, "an event after the result of a match that is not over")
            self.end_void(at, event)
            if event["type"] in CLAIMS:
                self.between = self.strikes > 0
                if event.get("refused"):
                    self.doubt(at, "a refused claim")
                {"score": self.score_claim, "result": self.result_claim}[event["type"]](at, event)
            else:
                self.move(at, event)
        if self.round is not None:
            self.enter("unfinished", None)

    def end_void(self, at: int, event: Event) -> None:
        """A deal or a claim of nothing, where nothing is left to draw from: the round was void."""
        table = self.round
        if table is None or not table.draws or table.stock:
            return
        if event["type"] == "deal" or (event["type"] == "score" and not any(event["deal"])):
            if event.get("refused") or self.strikes:
                self.doubt(at, "a void round that is refused, or after an impossible event")
                return
            self.find("open", "open.stock-out", at)
            self.end("void", [(0,) * self.seats])

    def skip(self, at: int, event: Event) -> None:
        if not self.skip_noted:
            self.find("note", "note.skipped", at)
            self.skip_noted = True
        if event["type"] == "score":
            if event.get("refused"):
                self.doubt(at, "a refused claim")
            if self.ended is None:
                self.doubt(at, "points claimed twice for a broken round, or for none")
                return
            self.possible = sums(self.possible, [tuple(event["deal"])])
            self.ended.entry["totals"] = self.totals
            if [tuple(event["total"])] != self.possible:
                self.doubt(at, "a carried claim whose total is not its points added")
            self.ended = None

    def move(self, at: int, event: Event) -> None:
        ruling = self.rule(at, event)
        for point in ruling.opens:
            self.find("open", point, at)
        if event.get("refused"):
            self.between = self.strikes > 0
            if ruling.unsure and self.round is not None and not self.round.noted_unseen:
                self.round.noted_unseen = True
                self.find("note", "note.unseen", at)
            if ruling.clause is None and not ruling.opens and not ruling.unsure:
                self.find("illegal", "refusal.legal", at)
            return
        if ruling.clause is not None and not ruling.stands:
            self.impossible(at, event, ruling.clause)
            return
        self.strikes, self.between, self.new_deal = 0, False, None
        if ruling.clause is not None:
            self.find("illegal", ruling.clause, at)
        if event["type"] == "deal":
            self.begin(event)
        else:
            self.act(at, event)

    def impossible(self, at: int, event: Event, clause: str) -> None:
        if self.strikes == 0:
            self.find("illegal", clause, at)
            self.strikes = 1
            if event["type"] == "deal" and self.round is not None:
                self.new_deal = (at, event)
            return
        if self.between:
            self.doubt(at, "two impossible events with a refused event or a claim between them")
        if self.early_score:
            self.doubt(at, "a score that was claimed too early for a round that turns out broken")
        self.strikes, self.between = 0, False
        if self.round is None:
            self.doubt(at, "two impossible events where no round is on the table")
            self.skipping, self.skip_noted = True, False
            self.skip(at, event)
            return
        new_deal, self.new_deal = self.new_deal, None
        self.break_round()
        if event["type"] == "deal":
            self.doubt(at, "a deal is the second impossible event")
            self.move(at, event)
            return
        if new_deal is not None:
            self.doubt(new_deal[0], "a deal in the middle of a round")
        self.skipping, self.skip_noted = True, False
        self.skip(at, event)

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
        if self.round is None:
            return self.rule_deal(event) if event["type"] == "deal" else Ruling("flow.kind", stands=False)
        if any(self.ends(totals) for totals in self.possible):
            self.doubt(at, "a round that is not played under every reading")
        if event["type"] == "deal":
            return Ruling("flow.kind", stands=False)
        if event["type"] == "reshuffle":
            return self.rule_reshuffle(self.round, event)
        return self.rule_act(self.round, event)

    def rule_deal(self, event: Event) -> Ruling:
        opens = () if self.expected_dealer in (None, event["dealer"]) else ("open.next-dealer",)
        if self.wrong_cards(event):
            return Ruling("deal.cards", opens=opens)
        if "shuffle" in self.document:
            proof = self.document["shuffle"]
            hashed = hashlib.sha256(bytes.fromhex(proof["server_seed"])).hexdigest()
            if self.dealt == 0 and hashed != proof["commitment"].lower():
                return Ruling("deal.shuffle", opens=opens)
            size = self.options["hand_size"]
            starter = next((seat for seat, hand in enumerate(event["hands"]) if len(hand) > size), None)
            pack = shuffled_pack(proof, self.dealt, self.options["jokers"])
            hands, rest = dealt(pack, event["dealer"], self.seats, size, starter)
            if [sorted(hand) for hand in hands] != [sorted(hand) for hand in event["hands"]]:
                return Ruling("deal.shuffle", opens=opens)
            if "upcard" in event and event["upcard"] != rest.pop(0):
                return Ruling("deal.shuffle", opens=opens)
            if "stock" in event and event["stock"] != rest:
                return Ruling("deal.shuffle", opens=opens)
        return Ruling(opens=opens)

    def wrong_cards(self, event: Event) -> bool:
        size = self.options["hand_size"]
        if len(event["hands"]) != self.seats or sorted(map(len, event["hands"])) not in (
            [size] * self.seats,
            [size] * (self.seats - 1) + [size + 1],
        ):
            return True
        pack = Counter(pack_of(self.options["jokers"]))
        placed = Counter(card for hand in event["hands"] for card in hand)
        if "upcard" in event:
            placed[event["upcard"]] += 1
        if placed - pack:
            return True
        return "stock" in event and Counter(event["stock"]) != pack - placed

    def rule_reshuffle(self, table: Round, event: Event) -> Ruling:
        if table.stock or Counter(event["stock"]) != Counter(table.pile[:-1]):
            return Ruling("stock.reshuffle", stands=False)
        return Ruling(opens=("open.stock-out",))

    def rule_act(self, table: Round, event: Event) -> Ruling:
        seat, kind = event["seat"], event["type"]
        if seat != table.turn or (kind == "draw") != table.draws:
            return Ruling("turn.order", stands=False)
        if kind == "draw":
            return self.rule_draw(table, event)
        if kind == "return":
            return self.rule_return(table)
        written: list[str] = event["cards"] if kind in ("meld", "add") else [event["card"]]
        cards = physical(written)
        hand = table.hands[seat]
        if Counter(cards) - Counter(hand):
            return Ruling("meld.held", stands=False)
        meld = None
        if kind in ("add", "swap") and event["meld"] < len(table.melds):
            meld = table.melds[event["meld"]]
        stands = kind in ("discard", "meld") or meld is not None
        if kind == "swap" and meld is not None:
            stands = any(card.startswith("JK") for card in meld.now)

        broken: set[str] = set()
        opens: dict[str, str] = {}  # open point: the clause at whose place it is asked
        empties = kind in ("meld", "add", "discard") and len(cards) == len(hand) and stands
        ends_turn = kind == "discard" or empties

        new_worth = [worth_laid(other.laid) for other in table.new]
        if kind == "meld":
            broken |= meld_faults(written)
            new_worth.append(worth_laid(written))
        if ends_turn and table.taken is not None and not table.taken_laid:
            laid_now = table.taken in cards and (
                kind == "meld" or (kind == "add" and (table.had_opened or meld in table.new))
            )
            if not laid_now:
                broken.add("draw.used")
        reaches = self.reaches(table, new_worth)
        if not table.had_opened and not table.opening_judged:
            if kind in ("add", "swap") and not table.new:
                broken.add("add.opened")
            elif new_worth and (ends_turn or kind in ("add", "swap")):
                if not any(reaches):
                    broken.add("opening.value")
                elif not all(reaches):
                    opens["open.joker-value"] = "opening.value"
        if kind == "add" and (meld is None or meld_faults([*unsaid(meld.now), *written])):
            broken.add("add.fit")
        if kind == "swap" and (meld is None or swap_place(meld.now, event["card"]) is None):
            broken.add("swap.fit")
        if kind == "discard" and event["card"] == "JK":
            if hand.count("JK") <= table.swapped[seat]:
                broken.add("discard.joker")
            else:
                opens["open.discard-own-joker"] = "discard.joker"
        if empties and self.options["variant"] == "classic":
            own = [
                (other.laid, [*other.now, *written] if other is meld else other.now)
                for other in table.melds
                if other.owner == seat
            ]
            if kind == "meld":
                own.append((written, written))
            answers = [
                any(is_tierce(pair[moment], allowed) for pair in own) for moment in (0, 1) for allowed in (False, True)
            ]
            if not any(answers):
                broken.add("close.tierce")
            elif not all(answers):
                opens["open.tierce"] = "close.tierce"

        first = min(broken, key=ORDER.index, default=None)
        # An open point is asked in its place; once a clause before it is broken, it is not asked.
        noted = [point for point, place in opens.items() if first is None or ORDER.index(place) < ORDER.index(first)]
        if first is None and kind == "swap" and meld is not None and could_be(meld.now, RUNS):
            noted.append("open.swap-run")
        is_refused_opening = kind == "meld" and event.get("refused") and not table.had_opened and not ends_turn
        if first is None and is_refused_opening and not table.opening_judged and not all(reaches):
            noted.append("open.joker-value" if any(reaches) else "open.opening-refusal")
        return Ruling(first, stands, tuple(noted))

    def reaches(self, table: Round, worth: list[tuple[int, int]]) -> list[bool]:
        """Whether new melds open: with jokers counted, and without."""
        answers = []
        for reading in (0, 1):
            need = self.options["opening"]
            if self.options["variant"] == "classic":
                need = max(need, table.high[reading] + 1)
            answers.append(sum(pair[reading] for pair in worth) >= need)
        return answers

    def rule_draw(self, table: Round, event: Event) -> Ruling:
        card = event["card"]
        if event["from"] == "discard":
            if not table.pile or table.pile[-1] != card:
                return Ruling("draw.card", stands=False)
            return Ruling("draw.return", stands=False) if table.stock_only else Ruling()
        if not table.stock or table.stock[0] not in (card, UNSEEN):
            return Ruling("draw.card", stands=False)
        if table.stock[0] == UNSEEN and not table.unplaced[card]:
            return Ruling("draw.card", stands=False)
        return Ruling(unsure=table.stock[0] == UNSEEN and card != UNSEEN)

    def rule_return(self, table: Round) -> Ruling:
        if table.taken is None:
            return Ruling("draw.return", stands=False)
        reach = list(table.hands[table.turn])
        if table.new and not table.opened[table.turn]:
            reach += [card for meld in table.new for card in physical(meld.now)]
        return Ruling() if table.taken in reach else Ruling("draw.return", stands=False)

    # --- what a move changes ---

    def begin(self, event: Event) -> None:
        self.dealt += 1
        self.ended = None
        self.early_score = False
        if self.wrong_cards(event):
            self.break_round()
            self.skipping, self.skip_noted = True, False
            return
        pile = [event["upcard"]] if "upcard" in event else []
        unplaced = Counter(pack_of(self.options["jokers"])) - Counter(pile)
        for hand in event["hands"]:
            unplaced -= Counter(hand)
        stock = list(event["stock"]) if "stock" in event else [UNSEEN] * unplaced.total()
        if "stock" in event:
            unplaced = Counter()
        self.round = Round(event["dealer"], [list(hand) for hand in event["hands"]], stock, pile, unplaced)
        self.dealer = event["dealer"]

    def act(self, at: int, event: Event) -> None:
        table = self.round
        assert table is not None
        kind = event["type"]
        if kind == "reshuffle":
            table.stock = list(event["stock"])
            table.pile = table.pile[-1:]
            return
        seat = event["seat"]
        hand = table.hands[seat]
        if kind == "draw":
            if event["from"] == "discard":
                table.taken = table.pile.pop()
                table.taken_thrown_at = table.thrown_at
                table.taken_from, table.thrower = table.thrower, None
            elif table.stock.pop(0) == UNSEEN:
                table.unplaced[event["card"]] -= 1
            hand.append(event["card"])
            table.draws = False
            return
        if kind == "return":
            self.give_back(table)
            return
        written = event["cards"] if kind in ("meld", "add") else [event["card"]]
        cards = physical(written)
        if kind in ("add", "swap", "discard"):
            self.settle_opening(table)
        for card in cards:
            hand.remove(card)
        if kind == "meld":
            meld = Meld(seat, written)
            table.melds.append(meld)
            table.new.append(meld)
            self.use_jokers(table, cards, new=True)
            table.taken_laid = table.taken_laid or table.taken in cards
            if any(self.reaches(table, [worth_laid(other.laid) for other in table.new])):
                table.opened[seat] = True
        elif kind == "add":
            meld = table.melds[event["meld"]]
            meld.now += written
            self.use_jokers(table, cards, new=False)
            if table.taken in cards and (table.had_opened or meld in table.new):
                table.taken_laid = True
        elif kind == "swap":
            meld = table.melds[event["meld"]]
            place = swap_place(meld.now, event["card"])
            if place is None:
                place = next(index for index, card in enumerate(meld.now) if card.startswith("JK"))
            meld.now[place] = event["card"]
            self.use_jokers(table, cards, new=False)
            hand.append("JK")
            table.swapped[seat] += 1
            if table.taken == event["card"] and (table.had_opened or meld in table.new):
                table.taken_laid = True
        else:
            table.pile.append(event["card"])
            table.thrower, table.thrown_at = seat, at
            table.swapped[seat] = min(table.swapped[seat], hand.count("JK"))
        if not hand:
            self.settle_opening(table)
            self.score(at, table)
        elif kind == "discard":
            if table.new and not table.had_opened and not table.opening_low:
                for reading in (0, 1):
                    worth = sum(worth_laid(meld.laid)[reading] for meld in table.new)
                    table.high[reading] = max(table.high[reading], worth)
            table.begin_turn((seat + 1) % self.seats)

    def settle_opening(self, table: Round) -> None:
        if table.new and not table.had_opened and not table.opening_judged:
            table.opening_judged = True
            table.opening_low = not any(self.reaches(table, [worth_laid(meld.laid) for meld in table.new]))
            table.opened[table.turn] = True

    @staticmethod
    def use_jokers(table: Round, cards: list[str], new: bool) -> None:
        for card in cards:
            if card == "JK" and table.swapped[table.turn]:
                table.swapped[table.turn] -= 1
                table.swapped_laid += new

    @staticmethod
    def give_back(table: Round) -> None:
        hand = table.hands[table.turn]
        if table.new and not table.opened[table.turn]:
            for meld in table.new:
                hand += physical(meld.now)
                table.melds.remove(meld)
            table.new = []
            table.swapped[table.turn] += table.swapped_laid
            table.swapped_laid = 0
        assert table.taken is not None
        hand.remove(table.taken)
        table.pile.append(table.taken)
        table.thrower, table.taken_from = table.taken_from, None
        table.taken, table.taken_laid = None, False
        table.draws = table.stock_only = True

    # --- how a round ends ---

    def score(self, at: int, table: Round) -> None:
        laid = {meld.owner for meld in table.melds}
        readings = []
        ledgers: list[tuple[Numbers, list[Row]]] = []
        jokers = any("JK" in table.hands[seat] for seat in laid)
        penalties = (
            [10, 20, 25, 30] if jokers and "joker_penalty" not in self.given else [self.options["joker_penalty"]]
        )
        for penalty in penalties:
            points = []
            rows = []
            for seat in range(self.seats):
                if seat == table.turn:
                    points.append(0)
                    rows.append(Row(seat, "points", "score.closed", 0, [at]))
                    continue
                worth = {**VALUE, "A": self.options["ace_penalty"]}
                left = sum(penalty if card == "JK" else worth[card[0]] for card in table.hands[seat])
                points.append((left if seat in laid else 100) + (50 if seat == table.taken_from else 0))
                if seat in laid:
                    rows.append(Row(seat, "points", "score.hand", left, [at]))
                else:
                    rows.append(Row(seat, "points", "score.nothing-laid", 100, [at]))
                if seat == table.taken_from:
                    rows.append(Row(seat, "points", "score.zal3a", 50, [table.taken_thrown_at, at]))
            readings.append(tuple(points))
            ledgers.append((readings[-1], rows))
        if len(set(readings)) > 1:
            self.find("open", "open.joker-penalty", at)
        self.end("scored", readings)
        self.deals[-1]["ledgers"] = ledgers

    def enter(self, outcome: str, points: Numbers | None) -> dict[str, Any]:
        entry = {"outcome": outcome, "points": points, "totals": self.totals}
        self.deals.append(entry)
        return entry

    def end(self, outcome: str, readings: list[Numbers]) -> None:
        before = self.possible
        self.round = None
        self.expected_dealer = (self.dealer + 1) % self.seats
        self.possible = sums(before, readings)
        entry = self.enter(outcome, readings[0] if outcome == "scored" else None)
        self.ended = Ended(entry, before, readings)

    def break_round(self) -> None:
        self.round = None
        self.expected_dealer = None
        self.ended = Ended(self.enter("broken", None), self.possible, [])

    # --- claims ---

    def score_claim(self, at: int, event: Event) -> None:
        if self.result_claimed or (self.over and self.ended is None):
            self.doubt(at, "a misplaced claim after the end")
        ended, self.ended = self.ended, None
        if self.round is not None:
            self.early_score = True
        points, total = tuple(event["deal"]), tuple(event["total"])
        if ended is None or points not in ended.readings:
            self.find("claim", "claim.score", at)
            if len(self.possible) > 1:
                self.doubt(at, "a wrong claim where readings differ")
            return
        self.possible = sums(ended.before, [points])
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
        total = tuple(event["total"])
        self.result_claimed = True
        if total in self.possible and event["winner"] == self.winner_with(total):
            self.take_reading(at, total)
            self.possible = [total]
        else:
            self.find("claim", "claim.result", at)
            if len(self.possible) > 1:
                self.doubt(at, "a wrong claim where readings differ")

    def take_reading(self, at: int, total: Numbers) -> None:
        """What comes after a round without a score claim says which reading of it the table used."""
        if self.ended is None or total == self.totals:
            return
        if len(self.ended.readings) > 1:
            if len(self.ended.before) > 1:
                self.doubt(at, "another reading of one of several rounds")
            base = self.ended.before[0]
            self.ended.entry["points"] = tuple(now - then for now, then in zip(total, base, strict=True))
        self.ended.entry["totals"] = total


def sums(totals: list[Numbers], points: list[Numbers]) -> list[Numbers]:
    """Every total with every reading added, each once, the default of both first."""
    return list(
        dict.fromkeys(
            tuple(one + other for one, other in zip(total, gain, strict=True)) for total in totals for gain in points
        )
    )
