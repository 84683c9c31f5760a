"""A second reading of the rules of Egyptian Tarneeb, both rulesets: slow, flat, made only of lists, sets and strings.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what has to be said of it. It
shares nothing with the auditor, so that the two can disagree. Refuses to know messages and what would have
been legal.

Where the rules do not settle what has to be said, the oracle takes the reading that accuses nobody and writes the
place down as a doubt: from the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from tests.oracles import Ended, Event, Pair, Row, TrickReading, proven_hands, read_twice

RANKS = "23456789TJQKA"
SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
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


def shuffled_hands(shuffle: dict[str, str], number: int, dealer: int) -> list[list[str]]:
    """Thirteen cards at a time to dealer+1, +2, +3 and the dealer."""
    return proven_hands(PACK, shuffle, number, dealer)


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
        self.trick_ends: list[list[int]] = [[], []]  # the last cards of the tricks of each team
        self.bid_at = self.answer_at = at
        self.double_at: int | None = None  # of the bid that stands, the first one
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


# --- The score, line by line ----------------------------------------------------------------------------------------


def ledgers(deal: Deal, has_dakak: bool, options: dict[str, Any]) -> list[tuple[Pair, list[Row]]]:
    """What the deal scores under each reading, the default first, and the lines that it comes from."""
    assert deal.bid is not None
    bid, team = deal.bid["tricks"], deal.bid["seat"] % 2
    tricks = deal.taken[team]
    own, other = table_of_scores(bid, tricks)
    if tricks >= bid:
        clause = "score.made" if tricks < 13 else "score.capot-bid" if bid == 13 else "score.capot"
        defended = [(clause, 0)]
    else:
        clause = "score.failed-13" if bid == 13 else "score.failed"
        defended = [("score.defended", other) if tricks else ("score.defender-sweep", 16)]
        if has_dakak and bid == 13:
            defended.append(("score.defended-13", 2 * (13 - tricks)))
    applies = [options["double_applies"]] if "double_applies" in options else ["both", "bidders"]
    won = deal.trick_ends[team if tricks >= bid else 1 - team]
    found = []
    for (other_clause, other_points), whose in product(defended, applies):
        rows = [
            Row(team, "points", clause, own, [deal.bid_at, *won]),
            Row(1 - team, "points", other_clause, other_points, [deal.bid_at, *won]),
        ]
        if deal.double_at is not None:
            if own or not has_dakak:
                rows.append(Row(team, "points", "score.double", own, [deal.double_at]))
            if has_dakak and whose == "both" and other_points:
                rows.append(Row(1 - team, "points", "score.double", other_points, [deal.double_at]))
            if deal.factor == 4:
                rows.append(Row(team, "points", "score.redouble", 2 * own, [deal.answer_at]))
        first, second = (sum(row.points for row in rows if row.side == side) for side in (0, 1))
        found.append(((first, second), rows))
    return found


# --- A match --------------------------------------------------------------------------------------------------------


def judge(document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match. Cards that were not seen are filled in from a first reading."""
    return read_twice(Reading, document)


class Reading(TrickReading):
    """One reading of a match from its first event to its last."""

    pack = PACK

    def __init__(self, document: dict[str, Any], known_later: dict[int, list[list[str]]]) -> None:
        super().__init__(document, known_later)
        self.has_dakak = document["ruleset"] == DAKAK
        self.target: int = self.options.get("target", 31)
        self.deal: Deal | None = None
        self.next_dealers: list[int] = [0, 1, 2, 3]
        self.trick_taken: int | None = None  # by whom, until it is claimed or play goes on
        self.ended: Ended | None = None  # until its score is claimed or the next deal begins

    # --- what is said ---

    def ends(self, totals: Pair) -> bool:
        if "rounds" in self.options:
            return totals != (0, 0)
        return max(totals) >= self.target

    # --- one event after another ---

    def move(self, at: int, event: Event) -> None:
        ruling = self.rule(at, event)
        if event.get("refused"):
            self.between = self.strikes > 0
            self.trick_aged = True
            for point in ruling.opens if ruling.clause is None or ruling.stands else ():
                self.find("open", point, at)
            if ruling.unsure:
                self.note_unseen(at)
            elif ruling.clause is None and not ruling.opens and not self.is_score_open(event):
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

    def is_score_open(self, event: Event) -> bool:
        """Whether only some readings of the deal that is over allow an event: a next deal, a claim."""
        if self.ended is None:
            return False
        totals = [(x[0] + y[0], x[1] + y[1]) for x, y in product(self.ended.before, self.ended.readings)]
        return any(self.ends(pair) for pair in totals) if event["type"] == "deal" else len(totals) > 1

    def accept(self, at: int, event: Event, ruling: Ruling) -> None:
        if ruling.closes:
            self.close(at, event, ruling)
            if self.skips_to:
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
        self.skip_on()

    def goes_on_in(self, new_deal: tuple[int, Event], at: int, event: Event) -> bool:
        self.begin(*new_deal)
        ruling = self.rule(at, event)
        if ruling.clause is None or ruling.stands:
            self.move(at, event)
            return True
        self.doubt(at, "an event that fits neither the deal nor the one dealt in the middle of it")
        self.deal = None
        return False

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
            if self.unproven(at, event):
                return Ruling("deal.shuffle", opens=opens)
            _, unseen = self.filled(at, event)
            if any(unseen):
                return Ruling(unsure=True, opens=opens)
        return Ruling(opens=opens)

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
            self.skip_on()
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
        if event["type"] == "bid":
            deal.bid_at, deal.double_at = at, None
        elif event["type"] == "double" and deal.bid is not None and deal.double_at is None:
            deal.double_at = at
        elif event["type"] in ANSWERS:
            deal.answer_at = at
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
        deal.trick_ends[taker % 2].append(at)
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
            self.deals[-1]["ledgers"] = ledgers(deal, self.has_dakak, self.options)

    # --- how a deal ends ---

    def end_void(self) -> None:
        assert self.deal is not None
        dealer = self.deal.dealer
        self.next_dealers = [dealer, (dealer + 1) % 4] if self.has_dakak else [dealer]
        self.end("void", [(0, 0)])

    def break_deal(self) -> None:
        self.deal = None
        self.next_dealers = [0, 1, 2, 3]
        self.trick_taken = None
        self.ended = Ended(self.enter("broken", None), self.possible, [])

    # --- claims ---

    def score_claim(self, at: int, event: Event) -> None:
        if self.deal is not None and self.void_without_a_word(self.deal) is not None:
            if event.get("refused"):
                self.doubt(at, "a refused score where all others may have been passed over")
            self.strikes = 0
            self.end_void_without_a_word(at)
        if len(self.possible) > 256:
            self.doubt(at, "a score after very many readings")
        super().score_claim(at, event)

    def result_claim(self, at: int, event: Event) -> None:
        if len(self.possible) > 256:
            self.doubt(at, "a result after very many readings")
        total = (event["total"][0], event["total"][1])
        if total in self.possible[1:] and (self.deal is not None or not self.ended or not self.ended.readings):
            self.doubt(at, "a result shows the reading of a deal that is not the last")
        super().result_claim(at, event)
