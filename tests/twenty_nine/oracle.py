"""A second reading of the rules of twenty-nine: slow, flat, and made only of lists, sets and strings.

In: a match as a plain dict, as it stands in a log of well-formed events in which all cards are seen. Out: what has to
be said of it. It shares nothing with the auditor, so that the two can disagree. Refuses to know messages and what would
have been legal.

Where the rules do not settle what has to be said, the oracle takes the reading that accuses nobody and writes the place
down as a doubt: from the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from tests.oracles import CLAIMS, Ended, Event, Pair, Row, TrickReading, proven_pack

WEAKEST_FIRST = "78QKTA9J"
POINTS = {"J": 3, "9": 2, "A": 1, "T": 1, "K": 0, "Q": 0, "8": 0, "7": 0}
SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in "789TJQKA"]
CALLS = ("bid", "pass", "redeal")


# --- The laws, one by one -------------------------------------------------------------------------------------------


def points_in(cards: list[str]) -> int:
    return sum(POINTS[card[0]] for card in cards)


def best_of(trick: list[tuple[int, str]], trumps: list[bool]) -> int:
    """The seat with the highest of the cards marked as trumps; without one, with the highest of the suit led."""
    led = trick[0][1][1]
    rank = WEAKEST_FIRST.index
    marked = [(rank(card[0]), seat) for (seat, card), is_trump in zip(trick, trumps, strict=True) if is_trump]
    followed = [(rank(card[0]), seat) for seat, card in trick if card[1] == led]
    return max(marked or followed)[1]


def takers(
    trick: list[tuple[int, str]], trump: str, opened_at: int | None, last_at: int | None
) -> list[tuple[dict[str, str], int]]:
    """The readings of who takes a trick, the default first.

    ``opened_at``: how many cards lay when the trump was opened, 0 if that was before this trick, ``None`` if it is
    hidden. ``last_at``: which card was the face-down one, played as the last card while it was hidden.
    """

    def with_trumps_from(start: int | None) -> int:
        if trick[0][1][1] == trump:
            start = 0  # the suit led is the trump suit: its cards rank together
        return best_of(
            trick, [start is not None and n >= start and card[1] == trump for n, (_, card) in enumerate(trick)]
        )

    found: list[tuple[dict[str, str], int]] = []
    for last in ("trump", "plain") if last_at is not None else ("",):
        named = {"open.last-card-trump": last} if last else {}
        start = last_at if last == "trump" else opened_at
        if not start:
            found.append((named, with_trumps_from(start)))
        else:
            found.append(({**named, "open.earlier-trumps": "plain"}, with_trumps_from(start)))
            found.append(({**named, "open.earlier-trumps": "trumps"}, with_trumps_from(0)))
    return found


def points_noted(found: list[tuple[dict[str, str], int]]) -> list[str]:
    """The open points on which it depends who takes a trick."""
    noted = []
    for point in ("open.earlier-trumps", "open.last-card-trump"):
        by_reading: dict[str, int] = {}
        for named, seat in found:
            if point in named and named[point] not in by_reading:
                by_reading[named[point]] = seat
        if len(set(by_reading.values())) > 1:
            noted.append(point)
    return noted


def made(bid: int, pairs: list[bool], taken: int, bounds: list[int] | None) -> bool:
    """Whether a bid is made with so many points; ``pairs`` says of each pair whether the bidding team declared it."""
    if pairs:
        for is_own in pairs:
            bid += -4 if is_own else 4
        if bounds is not None:
            bid = max(bounds[0], min(bounds[1], bid))
    return taken >= bid


def shuffled_hands(shuffle: dict[str, str], number: int, dealer: int) -> tuple[list[list[str]], list[list[str]]]:
    """The first four cards of each seat and the second four: always four at a time from dealer+1 to the dealer."""
    pack = proven_pack(PACK, shuffle, number)
    batches: list[list[list[str]]] = []
    for start in (0, 16):
        hands: list[list[str]] = [[], [], [], []]
        for turn in range(4):
            hands[(dealer + 1 + turn) % 4] = pack[start + 4 * turn : start + 4 * turn + 4]
        batches.append(hands)
    return batches[0], batches[1]


def is_second_batch(events: list[Event], at: int) -> bool:
    """Whether a deal event gives the second four cards: a card laid face down goes before, or no call follows."""

    def is_act(event: Event) -> bool:
        return event["type"] not in (*CLAIMS, "note") and not event.get("refused")

    for event in events[at + 1 :]:
        if is_act(event) and event["type"] in CALLS:
            return False
        if is_act(event) and event["type"] != "deal":
            return True
        if is_act(event):
            break
    before = [event for event in events[:at] if is_act(event)]
    return bool(before) and before[-1]["type"] == "trump"


# --- A match --------------------------------------------------------------------------------------------------------


class Ruling(NamedTuple):
    """What is to be said of one move: nothing, or a clause; whether it stands all the same; what it leans on."""

    clause: str | None = None
    stands: bool = True
    leans: tuple[str, ...] = ()


LEGAL = Ruling()


class Deal:
    """The deal on the table."""

    def __init__(self, at: int, dealer: int, hands: list[list[str]]) -> None:
        self.at = at
        self.dealer = dealer
        self.first = [set(hand) for hand in hands]
        self.hands = [set(hand) for hand in hands]
        self.phase = "auction"
        self.is_proven = True
        self.passed: set[int] = set()
        self.called: set[int] = set()
        self.bid: Event | None = None
        self.top_noted = False
        self.turn = (dealer + 1) % 4
        self.sevenths = ["", "", "", ""]
        self.trump = ""  # the card
        self.lies = False
        self.is_open = False
        self.trick: list[tuple[int, str]] = []
        self.opened_at: int | None = None
        self.opened_in_trick = False
        self.last_at: int | None = None
        self.asker: int | None = None
        self.taken: list[tuple[int, list[str]]] = []  # winner and cards of each trick
        self.trick_ends: list[int] = []  # the last card of each trick
        self.bid_at = self.revoke_at = at
        self.pairs_at: list[int] = []
        self.since_reveal = [0, 0]  # tricks after that of the reveal, by team
        self.reveal_team: int | None = None
        self.pairs: list[int] = []
        self.revoker: int | None = None
        self.open_takers: list[int] = []  # who may have taken the last trick
        self.open_claimed = False

    @property
    def suit(self) -> str:
        return self.trump[1]

    @property
    def declarer(self) -> int:
        assert self.bid is not None
        return int(self.bid["seat"])


def judge(document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match."""
    reading = Reading(document)
    reading.read()
    return reading.said()


class Reading(TrickReading):
    """One reading of a match from its first event to its last."""

    pack = PACK

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document, {})
        self.events: list[Event] = document["events"]
        given = document.get("options", {})
        self.min_bid: int = given.get("min_bid", 16)
        self.last_trick: bool = given.get("last_trick", True)
        self.is_chosen: bool = given.get("trump_card", "chosen") == "chosen"
        self.has_redeal: bool = given.get("redeal", False)
        self.has_slam: bool = given.get("slam", False)
        self.bounds: list[int] | None = given.get("pair_bounds")
        self.deal: Deal | None = None
        self.dealers: list[int] = []  # who usually deals next: after four passes there are two of them
        self.slam: int | None = None
        self.trick_taken: tuple[int, int] | None = None  # seat and points, until it is claimed or play goes on
        self.ended: Ended | None = None  # until its score is claimed or the next deal begins
        self.now = 0
        self.moved_at = 0
        self.at_end = False

    # --- what is said ---

    def ends(self, totals: Pair) -> bool:
        return self.slam is not None or max(abs(totals[0]), abs(totals[1])) >= 6

    def winner_with(self, totals: Pair) -> int | None:
        if self.deal is not None or not self.ends(totals):
            return None
        if self.slam is not None:
            return self.slam
        return None if totals[0] == totals[1] else (0 if totals[0] > totals[1] else 1)

    # --- one event after another ---

    def read(self) -> None:
        for at, event in enumerate(self.events):
            self.now = at
            if event["type"] == "note":
                if self.skips_to and not self.skip_noted:
                    self.doubt(at, "notes among skipped events")
                continue
            if self.skips_to:
                if not self.opens_a_deal(at, event) and event["type"] != "result":
                    self.skip(at, event)
                    continue
                if event.get("refused"):
                    self.doubt(at, "a refused deal or result among skipped events")
                self.skips_to = ()
            if self.result_claimed and not self.over:
                self.doubt(at, "an event after the result of a match that is not over")
            self.take(at, event)
        self.at_end = True
        if self.deal is not None:
            if self.deal.revoker is not None or len(self.deal.taken) == 8:
                self.settle()
            else:
                self.enter("unfinished", None)

    def move(self, at: int, event: Event) -> None:
        self.leave_play(at, event)
        ruling = self.rule(at, event)
        if event.get("refused"):
            self.between = self.strikes > 0
            for point in ruling.leans:
                self.find("open", point, at)
            if ruling.clause is None and not ruling.leans:
                self.find("illegal", "refusal.legal", at)
                if self.ended is not None and len(self.ended.readings) > 1:
                    self.doubt(at, "a refused deal while the one before may be read in two ways")
            return
        if ruling.clause is not None and not ruling.stands:
            self.impossible(at, event, ruling.clause)
            return
        self.strikes = 0
        self.between = False
        self.new_deal = None
        for point in ruling.leans:
            self.find("open", point, at)
        if ruling.clause is not None:
            self.find("illegal", ruling.clause, at)
        self.accept(at, event)

    def leave_play(self, at: int, event: Event) -> None:
        """A lead shows who took the trick before; a deal shows that the table has stopped after a revoke."""
        deal = self.deal
        if deal is None or event.get("refused"):
            return
        if event["type"] == "deal" and deal.phase == "play" and (deal.revoker is not None or len(deal.taken) == 8):
            self.settle()
        elif event["type"] == "play" and event["seat"] in deal.open_takers and len(deal.taken) < 8:
            self.take_trick(event["seat"])

    def accept(self, at: int, event: Event) -> None:
        kind = event["type"]
        if kind == "deal" and self.deal is not None:
            self.trick_taken = None
            self.deal_on(event)
        elif kind == "deal":
            self.trick_taken = None
            self.begin(at, event)
        elif kind == "redeal":
            self.end("void", [(0, 0)])
            self.dealers = []
        elif kind in ("bid", "pass"):
            self.call(at, event)
        elif kind == "trump":
            self.lay(event)
        elif kind == "reveal":
            self.reveal(event)
        elif kind == "pair":
            assert self.deal is not None
            self.deal.pairs.append(event["seat"] % 2)
            self.deal.pairs_at.append(at)
        else:
            self.play(at, event)

    def impossible(self, at: int, event: Event, clause: str) -> None:
        if self.strikes and self.deal is not None and (self.deal.revoker is not None or len(self.deal.taken) == 8):
            self.doubt(at, "two impossible events after a revoke, or after the last trick")
        super().impossible(at, event, clause)

    def opens_a_deal(self, at: int, event: Event) -> bool:
        return event["type"] == "deal" and not is_second_batch(self.events, at)

    def goes_on_in(self, new_deal: tuple[int, Event], at: int, event: Event) -> bool:
        if event["type"] not in CALLS:
            return False
        return super().goes_on_in(new_deal, at, event)

    def wrong_cards(self, event: Event) -> bool:
        return wrong_cards(event)

    # --- what the clauses say of a move ---

    def rule(self, at: int, event: Event) -> Ruling:
        kind = event["type"]
        deal = self.deal
        if self.deal is None and len({self.ends(totals) for totals in self.possible}) > 1:
            self.doubt(at, "the match is over under one reading and goes on under another")
        if self.over:
            return Ruling("match.over", stands=False)
        if deal is None:
            return self.rule_first_deal(event) if kind == "deal" else Ruling("flow.kind", stands=False)
        if deal.phase in ("auction", "trump", "second") and kind == "redeal":
            return self.rule_redeal(deal, event)
        if deal.phase == "auction" and kind in ("bid", "pass"):
            return self.rule_call(deal, event)
        if deal.phase == "auction" and deal.bid is not None and deal.bid["points"] >= 28:
            lean = () if deal.top_noted else ("open.auction-28",)
            if self.is_chosen and kind == "trump":
                ruling = self.rule_trump(deal, event)
                return ruling if ruling.clause else Ruling(leans=lean)
            if not self.is_chosen and kind == "deal":
                ruling = self.rule_second_deal(deal, event)
                return ruling._replace(leans=lean)
        if deal.phase == "trump" and kind == "trump":
            return self.rule_trump(deal, event)
        if deal.phase == "second" and kind == "deal":
            return self.rule_second_deal(deal, event)
        if deal.phase == "play" and len(deal.taken) < 8:
            if kind == "play":
                return rule_play(deal, event)
            if kind == "reveal":
                return self.rule_reveal(at, deal, event)
            if kind == "pair":
                return self.rule_pair(deal, event)
        return Ruling("flow.kind", stands=False)

    def rule_first_deal(self, event: Event) -> Ruling:
        leans: tuple[str, ...] = ()
        if len(self.dealers) == 2 and event["dealer"] in self.dealers:
            leans = ("open.all-pass",)
        elif self.dealers and event["dealer"] not in self.dealers:
            leans = ("open.next-dealer",)
        if wrong_cards(event):
            return Ruling("deal.cards", leans=leans)
        if "shuffle" in self.document and not self.is_proven(event, self.dealt, 0):
            return Ruling("deal.shuffle", leans=leans)
        return Ruling(leans=leans)

    def rule_second_deal(self, deal: Deal, event: Event) -> Ruling:
        before = set().union(*deal.first)
        if wrong_cards(event) or before & {card for hand in event["hands"] for card in hand}:
            return Ruling("deal.cards")
        if event["dealer"] != deal.dealer:
            return Ruling("deal.dealer")
        if "shuffle" in self.document and deal.is_proven and not self.is_proven(event, self.dealt - 1, 1):
            return Ruling("deal.shuffle")
        return LEGAL

    def is_proven(self, event: Event, number: int, batch: int) -> bool:
        shuffle = self.document["shuffle"]
        hashed = hashlib.sha256(bytes.fromhex(shuffle["server_seed"])).hexdigest()
        if number == 0 and batch == 0 and hashed != shuffle["commitment"].lower():
            return False
        dealt = shuffled_hands(shuffle, number, event["dealer"])[batch]
        if batch == 1 and not self.is_chosen:
            return bool(event["hands"] == dealt)
        return [set(hand) for hand in event["hands"]] == [set(hand) for hand in dealt]

    def rule_redeal(self, deal: Deal, event: Event) -> Ruling:
        if not self.has_redeal or points_in(list(deal.first[event["seat"]])):
            return Ruling("deal.redeal", stands=False)
        return Ruling(leans=("open.redeal-late",) if event["seat"] in deal.called else ())

    def rule_call(self, deal: Deal, event: Event) -> Ruling:
        if event["seat"] != deal.turn:
            return Ruling("auction.turn", stands=False)
        if event["type"] == "pass":
            at_top = deal.bid is not None and deal.bid["points"] >= 28
            return Ruling(leans=("open.auction-28",) if at_top and not deal.top_noted else ())
        if not self.min_bid <= event["points"] <= 28:
            return Ruling("auction.range")
        if deal.bid is not None and event["points"] <= deal.bid["points"]:
            return Ruling("auction.outbid")
        return LEGAL

    def rule_trump(self, deal: Deal, event: Event) -> Ruling:
        if event["seat"] != deal.declarer:
            return Ruling("trump.declarer", stands=False)
        allowed = deal.first[deal.declarer] if self.is_chosen else {deal.sevenths[deal.declarer]}
        return LEGAL if event["card"] in allowed else Ruling("trump.in-hand", stands=False)

    def rule_reveal(self, at: int, deal: Deal, event: Event) -> Ruling:
        seat = event["seat"]
        if deal.open_takers:
            return Ruling("reveal.turn", stands=seat in deal.open_takers)
        if seat != deal.turn:
            return Ruling("reveal.turn", stands=False)
        if deal.is_open or not deal.trick or can_follow(deal, seat):
            return Ruling("reveal.turn")
        if deal.last_at is not None and event.get("refused"):
            self.doubt(at, "a refused reveal after the face-down card was played")
        if event.get("suit", deal.suit) != deal.suit:
            return Ruling("reveal.suit")
        return LEGAL

    def rule_pair(self, deal: Deal, event: Event) -> Ruling:
        seat = event["seat"]
        if not {"K" + deal.suit, "Q" + deal.suit} <= deal.hands[seat]:
            return Ruling("pair.held")
        if not deal.is_open or deal.pairs:
            return Ruling("pair.timing")
        team = seat % 2
        if deal.since_reveal[team]:
            return LEGAL
        if team == deal.reveal_team or team in {taker % 2 for taker in deal.open_takers}:
            return Ruling(leans=("open.reveal-trick",))
        return Ruling("pair.timing")

    # --- what a move changes ---

    def begin(self, at: int, event: Event) -> None:
        proven = "shuffle" not in self.document or self.is_proven(event, self.dealt, 0)
        self.dealt += 1
        self.ended = None
        self.trick_taken = None
        self.score_in_deal = False
        if wrong_cards(event):
            self.break_deal()
            self.skip_on()
            return
        self.deal = Deal(at, event["dealer"], event["hands"])
        self.deal.is_proven = proven

    def deal_on(self, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        before = set().union(*deal.first)
        if wrong_cards(event) or before & {card for hand in event["hands"] for card in hand}:
            if self.score_in_deal:
                self.doubt(self.events.index(event), "a score that was claimed too early for a broken deal")
            self.break_deal()
            self.skip_on()
            return
        for seat in range(4):
            deal.hands[seat] |= set(event["hands"][seat])
        deal.sevenths = [hand[2] for hand in event["hands"]]
        if self.is_chosen:
            self.begin_play()
        else:
            deal.phase = "trump"

    def call(self, at: int, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        deal.top_noted = deal.bid is not None and deal.bid["points"] >= 28
        deal.called.add(event["seat"])
        if event["type"] == "pass":
            deal.passed.add(event["seat"])
        else:
            deal.bid, deal.bid_at = event, at
        if len(deal.passed) == 4:
            self.end("void", [(0, 0)])
            self.dealers = [deal.dealer, (deal.dealer + 1) % 4]
        elif deal.bid is not None and len(deal.passed) == 3:
            deal.phase = "trump" if self.is_chosen else "second"
        else:
            deal.turn = next(
                (event["seat"] + step) % 4 for step in (1, 2, 3, 4) if (event["seat"] + step) % 4 not in deal.passed
            )

    def lay(self, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        deal.trump = event["card"]
        deal.lies = True
        deal.hands[event["seat"]].remove(event["card"])
        if self.is_chosen:
            deal.phase = "second"
        else:
            self.begin_play()

    def begin_play(self) -> None:
        assert self.deal is not None
        self.deal.phase = "play"
        self.deal.turn = (self.deal.dealer + 1) % 4

    def reveal(self, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        if deal.is_open:
            return
        is_right = deal.trick and not can_follow(deal, event["seat"]) and event.get("suit", deal.suit) == deal.suit
        deal.asker = event["seat"] if is_right else None
        deal.is_open = deal.opened_in_trick = True
        deal.opened_at = len(deal.trick)
        if deal.lies:
            deal.hands[deal.declarer].add(deal.trump)
            deal.lies = False

    def play(self, at: int, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        seat, card = event["seat"], event["card"]
        self.trick_taken = None
        if deal.revoker is None and can_follow(deal, seat) and card[1] != deal.trick[0][1][1]:
            deal.revoker, deal.revoke_at = seat, at
        if deal.lies and seat == deal.declarer and card == deal.trump:
            deal.lies = False
            if not deal.hands[seat]:
                deal.last_at = len(deal.trick)
        else:
            deal.hands[seat].remove(card)
        self.moved_at = at
        deal.trick.append((seat, card))
        deal.turn = (seat + 1) % 4
        if len(deal.trick) == 4:
            found = takers(deal.trick, deal.suit, deal.opened_at, deal.last_at)
            for point in points_noted(found):
                self.find("open", point, at)
            deal.taken.append((found[0][1], [card for _, card in deal.trick]))
            deal.trick_ends.append(at)
            possible = list(dict.fromkeys(seat for _, seat in found))
            if len(possible) > 1:
                deal.open_takers, deal.open_claimed = possible, False
                deal.turn = possible[0]
            else:
                self.take_trick(possible[0])
                if self.deal is not None or self.ended is not None:
                    self.trick_taken = (possible[0], points_in(deal.taken[-1][1]))

    def take_trick(self, seat: int) -> None:
        deal = self.deal
        assert deal is not None
        deal.open_takers = []
        deal.taken[-1] = (seat, deal.taken[-1][1])
        if deal.is_open:
            if deal.opened_in_trick:
                deal.reveal_team = seat % 2
            else:
                deal.since_reveal[seat % 2] += 1
        if len(deal.taken) == 8:
            self.settle()
            return
        deal.trick = []
        deal.opened_at = 0 if deal.is_open else None
        deal.opened_in_trick = False
        deal.asker = None
        deal.turn = seat

    # --- how a deal ends ---

    def settle(self) -> None:
        """The deal is decided: by its eight tricks, or by a revoke."""
        deal = self.deal
        assert deal is not None
        assert deal.bid is not None
        team = deal.declarer % 2
        possible = deal.open_takers or [deal.taken[-1][0] if deal.taken else 0]
        own_pairs = [pair == team for pair in deal.pairs]
        possible_bounds = [None, [self.min_bid, 28]] if self.bounds is None else [self.bounds]
        readings: list[Pair] = []
        ledgers: list[tuple[Pair, list[Row]]] = []
        by_bounds: dict[int, list[Pair]] = {}
        for last_taker in possible:
            for pairs in [own_pairs, own_pairs[:1]]:
                for number, bounds in enumerate(possible_bounds):
                    if deal.revoker is not None:
                        is_made = deal.revoker % 2 != team
                    else:
                        won = [*deal.taken[:-1], (last_taker, deal.taken[-1][1])]
                        taken = sum(points_in(cards) for seat, cards in won if seat % 2 == team)
                        taken += int(self.last_trick and last_taker % 2 == team)
                        is_made = made(deal.bid["points"], pairs, taken, bounds)
                    result = 1 if is_made else -1
                    readings.append((result, 0) if team == 0 else (0, result))
                    ledgers.append((readings[-1], self.lines(deal, last_taker, pairs, bounds, result)))
                    by_bounds.setdefault(number, []).append(readings[-1])
        teams = {seat % 2 for seat, _ in deal.taken}
        if self.has_slam and len(deal.taken) == 8 and len(teams) == 1:
            [winner] = teams
            if deal.revoker is None or deal.revoker % 2 != winner:
                self.slam = winner
        if deal.open_takers:  # nothing showed who took the last trick
            self.moved_at = self.now if self.at_end else self.now - 1
        at = self.moved_at
        others = {seat % 2 for seat, _ in deal.taken[:-1]}
        if self.has_slam and len(others) == 1 and len({seat % 2 for seat in possible}) > 1:
            self.doubt(at, "a slam under one reading")
        if len(by_bounds) == 2 and by_bounds[0] != by_bounds[1]:
            if len(set(map(tuple, zip(*by_bounds.values(), strict=True)))) > 1:
                self.doubt(at, "bounds, where something else is open too")
            self.find("open", "open.pair-bounds", at)
        dealer = deal.dealer
        self.end("scored", list(dict.fromkeys(readings)))
        self.deals[-1]["ledgers"] = ledgers
        self.dealers = [(dealer + 1) % 4]

    def lines(self, deal: Deal, last_taker: int, pairs: list[bool], bounds: list[int] | None, result: int) -> list[Row]:
        """The lines of one reading: what the bidding team took, what it had to take, and what comes of it."""
        assert deal.bid is not None
        team = deal.declarer % 2
        rows = []
        if deal.revoker is not None:
            clause, events = "score.revoke", [deal.revoke_at]
        else:
            takers = [seat for seat, _ in deal.taken[:-1]] + [last_taker]
            own = [number for number, seat in enumerate(takers) if seat % 2 == team]
            if own:
                points = sum(points_in(deal.taken[number][1]) for number in own)
                rows.append(
                    Row(team, "card points", "score.cards", points, [deal.trick_ends[number] for number in own])
                )
            if self.last_trick and 7 in own:
                rows.append(Row(team, "card points", "score.last-trick", 1, [deal.trick_ends[7]]))
            rows.append(Row(team, "bid", "score.bid", deal.bid["points"], [deal.bid_at]))
            for is_own, at in zip(pairs, deal.pairs_at, strict=False):
                rows.append(Row(team, "bid", "score.pair", -4 if is_own else 4, [at]))
            bid = sum(row.points for row in rows if row.unit == "bid")
            if pairs and bounds is not None and not bounds[0] <= bid <= bounds[1]:
                moved = max(bounds[0], min(bounds[1], bid)) - bid
                rows.append(Row(team, "bid", "score.pair-bounds", moved, deal.pairs_at[: len(pairs)]))
            clause = "score.made" if result == 1 else "score.failed"
            events = [deal.bid_at, *deal.trick_ends]
        return [*rows, Row(team, "points", clause, result, events), Row(1 - team, "points", clause, 0, events)]

    def break_deal(self) -> None:
        self.deal = None
        self.dealers = []
        self.trick_taken = None
        self.ended = Ended(self.enter("broken", None), self.possible, [])

    # --- claims ---

    def trick_claim(self, at: int, event: Event) -> None:
        deal = self.deal
        if self.over and self.trick_taken is None:
            self.doubt(at, "a misplaced claim after the end")
        if deal is not None and deal.open_takers:
            points = points_in(deal.taken[-1][1])
            is_right = event["winner"] in deal.open_takers and event.get("points", points) == points
            if deal.open_claimed or not is_right:
                self.find("claim", "claim.trick", at)
            if not deal.open_claimed and event["winner"] in deal.open_takers:
                self.moved_at = at
                self.take_trick(event["winner"])
            deal.open_claimed = True
            return
        if self.trick_taken is None:
            self.find("claim", "claim.trick", at)
            return
        winner, points = self.trick_taken
        if event["winner"] != winner or event.get("points", points) != points:
            self.find("claim", "claim.trick", at)
        self.trick_taken = None

    def score_claim(self, at: int, event: Event) -> None:
        deal = self.deal
        if deal is not None and deal.phase == "play" and (deal.revoker is not None or len(deal.taken) == 8):
            self.settle()
        super().score_claim(at, event)

    def result_claim(self, at: int, event: Event) -> None:
        deal = self.deal
        if deal is not None and deal.phase == "play" and (deal.revoker is not None or len(deal.taken) == 8):
            self.settle()
        if self.result_claimed:
            self.doubt(at, "a second result")
        total = (event["total"][0], event["total"][1])
        self.result_claimed = True
        self.trick_taken = None
        if len(self.possible) > 1 and total != self.totals:
            self.doubt(at, "a result under another reading")
        if total != self.totals or event["winner"] != self.winner_with(total):
            self.find("claim", "claim.result", at)


def wrong_cards(event: Event) -> bool:
    dealt = [card for hand in event["hands"] for card in hand]
    return (
        [len(hand) for hand in event["hands"]] != [4, 4, 4, 4] or len(set(dealt)) != 16 or not set(dealt) <= set(PACK)
    )


def can_follow(deal: Deal, seat: int) -> bool:
    """Whether a seat holds a card of the suit led. A card that lies face down is in no hand."""
    return bool(deal.trick) and any(card[1] == deal.trick[0][1][1] for card in deal.hands[seat])


def rule_play(deal: Deal, event: Event) -> Ruling:
    seat, card = event["seat"], event["card"]
    if seat != deal.turn or deal.open_takers:
        return Ruling("play.turn", stands=False)
    hand = deal.hands[seat]
    is_face_down = deal.lies and seat == deal.declarer and card == deal.trump
    if is_face_down:
        return Ruling("play.hidden-trump") if hand else LEGAL
    if card not in hand:
        return Ruling("play.in-hand", stands=False)
    if can_follow(deal, seat) and card[1] != deal.trick[0][1][1]:
        return Ruling("play.follow-suit")
    if seat == deal.asker and card[1] != deal.suit and any(other[1] == deal.suit for other in hand):
        return Ruling("play.must-trump")
    return LEGAL
