"""A second reading of the rules of tarneeb-classic: slow, flat, and made only of lists, sets and strings.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what has to be said of it. It
shares nothing with the auditor, so that the two can disagree. Refuses to know messages and what would have
been legal.

Where the rules do not settle what has to be said, the oracle takes the reading that accuses nobody and writes the
place down as a doubt: from the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.oracles import Ended, Event, Pair, Row, TrickReading, proven_hands, read_twice

RANKS = "23456789TJQKA"
SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in RANKS]


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


def clauses(bid: int, tricks: int) -> tuple[str, str]:
    """The rows of the scoring table: of the bidding team, and of the defenders."""
    if tricks < bid:
        lost = "score.failed-13" if bid == 13 else "score.failed"
        if bid == 13:
            return lost, "score.defended-13"
        return lost, "score.defender-sweep" if tricks == 0 else "score.defended"
    if tricks < 13:
        return "score.made", "score.made"
    return ("score.capot-bid", "score.capot-bid") if bid == 13 else ("score.capot", "score.capot")


def may_follow(hand: set[str], led: str | None) -> set[str]:
    """The suit led, if the hand has it; else anything."""
    same = {card for card in hand if card[1] == led}
    return same or set(hand)


def strength(card: str, trump: str) -> tuple[bool, int]:
    """For the timeout: a trump is stronger than any other suit; between other suits only the rank counts."""
    return card[1] == trump, RANKS.index(card[0])


def shuffled_hands(shuffle: dict[str, str], number: int, dealer: int) -> list[list[str]]:
    """Thirteen cards at a time to dealer+1, +2, +3 and the dealer."""
    return proven_hands(PACK, shuffle, number, dealer)


# --- A match --------------------------------------------------------------------------------------------------------


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
        self.bid_at = at
        self.trick_ends: list[list[int]] = [[], []]  # the last cards of the tricks of each team
        self.played = 0
        self.noted_unseen = False


def judge(document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match. Cards that were not seen are filled in from a first reading."""
    return read_twice(Reading, document)


class Reading(TrickReading):
    """One reading of a match from its first event to its last."""

    pack = PACK

    def __init__(self, document: dict[str, Any], known_later: dict[int, list[list[str]]]) -> None:
        super().__init__(document, known_later)
        self.target: int = self.options.get("target", 31)
        self.deal: Deal | None = None
        self.next_dealer: int | None = None
        self.trick_taken: int | None = None  # by whom, until it is claimed or play goes on
        self.ended: Ended | None = None  # until its score is claimed or the next deal begins

    # --- one event after another ---

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
            if self.unproven(at, event):
                return Ruling("deal.shuffle")
            _, unseen = self.filled(at, event)
            if any(unseen):
                return Ruling(unsure=True)
        return LEGAL

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
            self.skip_on()
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
            deal.bid, deal.bid_at = event, at
        if len(deal.passed) == 4:
            self.next_dealer = deal.dealer
            self.end("void", [(0, 0)])
            return
        if deal.bid is not None and (deal.bid["tricks"] == 13 or len(deal.passed) == 3):
            if deal.bid["tricks"] >= 14 or deal.bid.get("trump") == "NT":
                if self.score_in_deal:
                    self.doubt(at, "a score that was claimed too early for a deal that turns out broken")
                self.break_deal()
                self.skip_on()
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
        deal.trick_ends[taker % 2].append(at)
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
            self.deals[-1]["ledgers"] = ledgers(deal, readings)

    # --- how a deal ends ---

    def break_deal(self) -> None:
        self.deal = None
        self.next_dealer = None
        self.trick_taken = None
        self.ended = Ended(self.enter("broken", None), self.possible, [])


def ledgers(deal: Deal, readings: list[Pair]) -> list[tuple[Pair, list[Row]]]:
    """The lines of each reading: what the bidding team scores, and the defenders."""
    assert deal.bid is not None
    team = deal.bid["seat"] % 2
    is_made = deal.taken[team] >= deal.bid["tricks"]
    events = [deal.bid_at, *deal.trick_ends[team if is_made else 1 - team]]
    clause, other_clause = clauses(deal.bid["tricks"], deal.taken[team])
    found = []
    for own, other in readings:
        rows = [Row(team, "points", clause, own, events), Row(1 - team, "points", other_clause, other, events)]
        found.append(((own, other) if team == 0 else (other, own), rows))
    return found


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
