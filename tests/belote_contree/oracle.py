"""A second reading of the rules of belote-contree: slow, flat, and made only of lists, sets and strings.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what has to be said of it. It
shares nothing with the auditor, so that the two can disagree. Refuses to know messages and what would have
been legal.

Where the rules do not settle what has to be said, the oracle takes the reading that accuses nobody and writes the
place down as a doubt: from the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from tests.oracles import Event, Found, Pair, Row, TrickReading, proven_hands, read_twice

Trick = list[tuple[int, str]]

SUITS = "CDHS"
PACK = [rank + suit for suit in SUITS for rank in "789TJQKA"]
TRUMP_ORDER = "78QKTA9J"
PLAIN_ORDER = "789JQKTA"
TRUMP_POINTS = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3, "8": 0, "7": 0}
PLAIN_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}
BIDS = [90, 100, 110, 120, 130, 140, 150, 160, 170, 180]


# --- The laws, one by one -------------------------------------------------------------------------------------------


def rank_of(card: str, trump: str) -> int:
    return (TRUMP_ORDER if card[1] == trump else PLAIN_ORDER).index(card[0])


def points_of(card: str, trump: str) -> int:
    return (TRUMP_POINTS if card[1] == trump else PLAIN_POINTS)[card[0]]


def winner_of(trick: Trick, trump: str) -> int:
    """The highest trump takes the trick; without a trump, the highest card of the suit led."""
    trumps = [(rank_of(card, trump), seat) for seat, card in trick if card[1] == trump]
    followed = [(rank_of(card, trump), seat) for seat, card in trick if card[1] == trick[0][1][1]]
    return max(trumps or followed)[1]


def broken_by(card: str, hand: set[str], seat: int, trick: Trick, trump: str, undertrump: str) -> str | None:
    """The clause that a card of the hand breaks in a trick; the hand is known to its last card."""
    if not trick:
        return None
    led = trick[0][1][1]
    can_follow = any(other[1] == led for other in hand)
    if can_follow and card[1] != led:
        return "play.follow-suit"
    laid = [rank_of(other, trump) for _, other in trick if other[1] == trump]
    own = [rank_of(other, trump) for other in hand if other[1] == trump]
    is_low = bool(laid) and card[1] == trump and rank_of(card, trump) < max(laid) and any(r > max(laid) for r in own)
    if led == trump:
        return "play.overtrump" if is_low else None
    if can_follow or not own or winner_of(trick, trump) % 2 == seat % 2:
        return None
    can_beat = not laid or max(own) > max(laid)
    if undertrump == "free" and not can_beat:
        return None
    if card[1] != trump:
        return "play.must-trump"
    return "play.overtrump" if is_low else None


def legal_cards(hand: set[str], seat: int, trick: Trick, trump: str, undertrump: str) -> set[str]:
    return {card for card in hand if broken_by(card, hand, seat, trick, trump, undertrump) is None}


def rounded(points: int) -> int:
    """84 to 80, 85 to 90."""
    return points - points % 10 + (10 if points % 10 >= 5 else 0)


def scored(
    scoring: str, bid: int | str, factor: int, taken: Pair, tricks: Pair, belote: str | None, choice: dict[str, Any]
) -> Pair:
    """(bidding team, defenders); ``taken`` are their card points, ``belote`` is whose it is if it counts at all."""
    own, other = rounded(taken[0]), rounded(taken[1])
    if choice.get("open.belote-unannounced") == "no":
        belote = None
    every_trick = tricks == (8, 0)
    if bid == "capot":
        made = every_trick
    else:
        assert isinstance(bid, int)
        made = every_trick or own + (20 if belote == "bidders" else 0) >= bid
    if bid == "capot" and made:
        pair = (500, 0)
    elif bid == "capot":
        pair = (0, 410 if scoring == "contree" else choice.get("open.sahel-failed-capot", 160))
    elif scoring == "sahel":
        if not made:
            pair = (0, 160)
        elif factor > 1:
            pair = (choice.get("open.unbid-capot-doubled", 160) if every_trick else 160, 0)
        else:
            pair = (250, 0) if every_trick else (own, other)
    else:
        assert isinstance(bid, int)
        if not made:
            pair = (0, bid + 160)
        elif every_trick:
            pair = (bid + 250, 0)
        elif factor > 1:
            add = {"160": 160, "both": own + other, "own": own}[choice.get("open.contree-doubled-made", "160")]
            pair = (bid + add, 0)
        else:
            pair = (bid + own, other)
    pair = (pair[0] * factor, pair[1] * factor)
    if belote is None:
        return pair
    if made and (belote == "bidders" or (factor > 1 and choice.get("open.belote-doubled") == "winner")):
        return pair[0] + 20, pair[1]
    return pair[0], pair[1] + 20


READINGS: dict[str, list[Any]] = {
    "open.sahel-failed-capot": [160, 500],
    "open.unbid-capot-doubled": [160, 250],
    "open.contree-doubled-made": ["160", "both", "own"],
    "open.belote-unannounced": ["yes", "no"],
    "open.belote-doubled": ["theirs", "winner"],
}


def shuffled_hands(shuffle: dict[str, str], number: int, dealer: int) -> list[list[str]]:
    """Eight cards at a time to dealer+1, +2, +3 and the dealer."""
    return proven_hands(PACK, shuffle, number, dealer)


# --- A match --------------------------------------------------------------------------------------------------------


class Ruling(NamedTuple):
    """What is to be said of one move: nothing, or a clause; whether it stands; an open point; whether it is unsure."""

    clause: str | None = None
    stands: bool = True
    unsure: bool = False
    point: str | None = None


LEGAL = Ruling()


class Deal:
    """The deal on the table."""

    def __init__(self, at: int, dealer: int, hands: list[set[str]], unseen: list[int]) -> None:
        self.at = at
        self.dealer = dealer
        self.hands = hands
        self.dealt = [set(hand) for hand in hands]
        self.unseen = unseen
        self.phase = "auction"
        self.passes = 0
        self.bid: Event | None = None
        self.contred = False
        self.factor = 1
        self.turn = (dealer + 1) % 4
        self.trick: Trick = []
        self.points = [0, 0]
        self.tricks = [0, 0]
        self.trick_ends: list[list[int]] = [[], []]  # the last cards of the tricks of each team
        self.bid_at = self.contre_at = self.answer_at = at
        self.words_at: list[int] = []
        self.said: set[str] = set()
        self.known_belote: list[str | None] | None = None
        self.last_play = at
        self.noted_unseen = False

    @property
    def trump(self) -> str:
        assert self.bid is not None
        return str(self.bid["trump"])

    @property
    def height(self) -> int | str:
        assert self.bid is not None
        return "capot" if "capot" in self.bid else int(self.bid["points"])

    def hidden(self) -> set[str]:
        """The cards that nobody is known to have been dealt."""
        return set(PACK) - set().union(*self.dealt)

    def belote(self) -> list[str | None]:
        """Whose the king and queen of trump may be."""
        if self.known_belote is not None:
            return self.known_belote
        assert self.bid is not None
        places = []
        for rank in "KQ":
            known = [seat for seat in range(4) if rank + self.trump in self.dealt[seat]]
            places.append(known or [seat for seat in range(4) if self.unseen[seat]])
        both_hidden = {"K" + self.trump, "Q" + self.trump} <= self.hidden()
        found: set[str | None] = set()
        for king, queen in product(*places):
            if king != queen:
                found.add(None)
            elif not both_hidden or self.unseen[king] > 1:
                found.add("bidders" if king % 2 == self.bid["seat"] % 2 else "defenders")
        return sorted(found, key=lambda side: ["", "bidders", "defenders"].index(side or ""))


class Ended(NamedTuple):
    """The deal that ended last, for its score claim."""

    entry: dict[str, Any]
    at: int
    before: list[Pair]
    readings: list[tuple[dict[str, Any], Pair]]
    cut_short: bool


def judge(document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match. Cards that were not seen are filled in from a first reading."""
    return read_twice(Reading, document)


class Reading(TrickReading):
    """One reading of a match from its first event to its last."""

    pack = PACK

    def __init__(self, document: dict[str, Any], known_later: dict[int, list[list[str]]]) -> None:
        super().__init__(document, known_later)
        self.scoring: str = self.options.get("scoring", "contree")
        self.undertrump: str = self.options.get("undertrump", "required")
        self.target: int = self.options.get("target", 1000)
        self.deal: Deal | None = None
        self.next_dealer: int | None = None
        self.trick_taken: tuple[int, int] | None = None  # by whom and its points, until it is claimed or play goes on
        self.ended: Ended | None = None  # until its score is claimed or the next deal begins

    # --- what is said ---

    def ends(self, totals: Pair) -> bool:
        return max(totals) >= self.target and totals[0] != totals[1]

    # --- one event after another ---

    def read(self) -> None:
        for at, event in enumerate(self.document["events"]):
            if event["type"] == "note":
                if self.skips_to:
                    self.doubt(at, "a note among skipped events")
                continue
            if self.skips_to:
                if event["type"] not in self.skips_to:
                    self.skip(at, event)
                    continue
                if event.get("refused"):
                    self.doubt(at, "a refused event that would end skipped ones")
                self.skips_to = ()
            if self.result_claimed and not self.over:
                self.doubt(at, "an event after the result of a match that is not over")
            if self.deal is not None and self.deal.phase == "perhaps fallen" and event["type"] != "trick":
                self.see_whether_fallen(at, event)
            self.take(at, event)
        self.settle(None)
        if self.deal is not None:
            self.enter("unfinished", None)

    def see_whether_fallen(self, at: int, event: Event) -> None:
        """The contract has fallen if the bidding team does not hold a belote that cannot be seen."""
        deal = self.deal
        assert deal is not None
        if event.get("refused"):
            self.doubt(at, "a refused move where the contract may have fallen")
            return
        if event["type"] == "play":
            deal.phase = "play"
            deal.known_belote = ["bidders"]
        else:
            deal.known_belote = [side for side in deal.belote() if side != "bidders"]
            deal.last_play = max(i for i in range(at) if self.document["events"][i]["type"] != "note")
            self.finish(deal)

    def move(self, at: int, event: Event) -> None:
        ruling = self.rule(at, event)
        if event.get("refused"):
            self.between = self.strikes > 0
            self.trick_aged = True
            if ruling.unsure:
                self.note_unseen(at)
            if ruling.point:
                self.find("open", ruling.point, at)
            elif ruling.clause is None and not ruling.unsure:
                if self.deal is None and self.ended is not None and self.is_open(self.ended):
                    self.doubt(at, "a refused move where the last deal has more than one reading")
                self.find("illegal", "refusal.legal", at)
            return
        if ruling.clause == "deal.over":
            self.find("illegal", "deal.over", at)
            if self.strikes:
                self.doubt(at, "an impossible event and then a play on")
            self.skips_to, self.skip_noted = ("deal", "score", "result"), False
            return
        if ruling.clause is not None and not ruling.stands:
            self.impossible(at, event, ruling.clause)
            return
        self.strikes = 0
        self.between = False
        self.new_deal = None
        self.accept(at, event, ruling)

    def accept(self, at: int, event: Event, ruling: Ruling) -> None:
        if ruling.point:
            self.find("open", ruling.point, at)
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

    # --- what the clauses say of a move ---

    def rule(self, at: int, event: Event) -> Ruling:
        deal = self.deal
        if deal is None and self.ended is not None and self.ended.cut_short and event["type"] == "play":
            return Ruling("deal.over", stands=False)
        if self.over:
            goes_on = [totals for totals in self.possible if not self.ends(totals)]
            if goes_on and event["type"] == "deal" and not event.get("refused"):
                if len(goes_on) > 1 or len(self.possible) > len(goes_on) + 1:
                    self.doubt(at, "the match goes on under more than one reading")
                self.take_total(goes_on[0])
                self.possible = goes_on
                return self.rule(at, event)
            if goes_on:
                self.doubt(at, "no deal, where the match is over under one reading and goes on under another")
            return Ruling("match.over", stands=False)
        if deal is None and self.ended is not None and any(map(self.ends, self.possible)):
            if event["type"] != "deal" or event.get("refused"):
                self.doubt(at, "no deal, where the match is over under another reading than the default")
            self.possible = [totals for totals in self.possible if not self.ends(totals)]
        if deal is None and event["type"] == "deal":
            return self.rule_deal(at, event)
        if deal is not None and deal.phase == "auction":
            return rule_call(deal, event)
        if deal is not None and event["type"] == "play":
            return self.rule_play(at, deal, event)
        return Ruling("auction.answer" if event["type"] in ("accept", "redouble") else "flow.kind", stands=False)

    def rule_deal(self, at: int, event: Event) -> Ruling:
        point = None
        if self.next_dealer is not None and event["dealer"] != self.next_dealer:
            point = "open.next-dealer"
        if self.wrong_cards(event):
            return Ruling("deal.cards", point=point)
        if "shuffle" in self.document:
            if self.unproven(at, event):
                return Ruling("deal.shuffle", point=point)
            _, unseen = self.filled(at, event)
            if any(unseen):
                return Ruling(unsure=True, point=point)
        return Ruling(point=point)

    def rule_play(self, at: int, deal: Deal, event: Event) -> Ruling:
        seat, card = event["seat"], event["card"]
        if seat != deal.turn:
            return Ruling("play.turn", stands=False)
        hand, hidden = deal.hands[seat], deal.unseen[seat]
        unsure = False
        if card not in hand:
            if not hidden or card not in deal.hidden():
                if hidden:
                    self.doubt(at, "a card that may have been shown elsewhere")
                return Ruling("play.in-hand", stands=False)
            unsure = bool(event.get("refused"))  # if it stands, the seat has shown it
        held = hand | {card}
        led = deal.trick[0][1][1] if deal.trick else None
        if led is not None and card[1] != led and any(other[1] == led for other in hand):
            return Ruling("play.follow-suit")
        if led is not None and card[1] != led and hidden:
            unsure = True
        else:
            clause = broken_by(card, held, seat, deal.trick, deal.trump, self.undertrump)
            if clause is not None:
                return Ruling(clause)
            if hidden and led == deal.trump:
                possible = held | {other for other in deal.hidden() if other != card}
                unsure = unsure or broken_by(card, possible, seat, deal.trick, deal.trump, self.undertrump) is not None
        if "announce" in event:
            pair = {"K" + deal.trump, "Q" + deal.trump}
            [other] = pair - {card} if card in pair else [""]
            missing = pair - deal.dealt[seat] - {card}
            if card not in pair or (missing and not (hidden and missing <= deal.hidden())):
                return Ruling("belote.announce", unsure=unsure)
            is_second = other in deal.dealt[seat] and other not in hand
            if event["announce"] != ("rebelote" if is_second else "belote"):
                return Ruling("belote.announce", unsure=unsure)
            unsure = unsure or bool(missing)
        if event.get("by") == "timeout":
            if hidden:
                self.doubt(at, "a timeout play from a hand with unseen cards")
            legal = legal_cards(hand, seat, deal.trick, deal.trump, self.undertrump)
            mine = (card[1] == deal.trump, rank_of(card, deal.trump))
            if any((other[1] == deal.trump, rank_of(other, deal.trump)) < mine for other in legal):
                return Ruling("timeout.policy", unsure=unsure)
            unsure = unsure or hidden > 0
        return Ruling(unsure=unsure)

    # --- what a move changes ---

    def begin(self, at: int, event: Event) -> None:
        self.settle(None)
        self.dealt += 1
        self.ended = None
        self.trick_taken = None
        self.score_in_deal = False
        self.next_dealer = (event["dealer"] + 1) % 4
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
        deal.turn = (event["seat"] + 1) % 4
        if event["type"] == "pass":
            deal.passes += 1
            if deal.bid is None and deal.passes == 4:
                self.end_deal("void", deal.at, [({}, (0, 0))], cut_short=False)
            elif deal.bid is not None and deal.passes == 3:
                self.close(deal)
        elif event["type"] == "bid":
            deal.passes = 0
            deal.bid, deal.bid_at = event, at
        elif event["type"] == "double":
            assert deal.bid is not None
            deal.contred, deal.contre_at = True, at
            deal.turn = deal.bid["seat"]
        else:
            deal.factor = 2 if event["type"] == "accept" else 4
            deal.answer_at = at
            self.close(deal)

    def close(self, deal: Deal) -> None:
        assert deal.bid is not None
        if deal.bid["trump"] == "NT" or not {"points", "capot"} & set(deal.bid):
            if self.score_in_deal:
                self.doubt(deal.at, "a score that was claimed too early for a deal that turns out broken")
            self.break_deal()
            self.skip_on()
            return
        deal.phase = "play"
        deal.turn = (deal.dealer + 1) % 4

    def play(self, at: int, event: Event) -> None:
        deal = self.deal
        assert deal is not None
        seat, card = event["seat"], event["card"]
        if card in deal.hands[seat]:
            deal.hands[seat].remove(card)
        else:
            deal.unseen[seat] -= 1
            deal.dealt[seat].add(card)
        if card not in self.document["events"][deal.at]["hands"][seat]:
            self.shown[deal.at][seat].append(card)
        pair = {"K" + deal.trump, "Q" + deal.trump}
        if "announce" in event and card in pair:
            [other] = pair - {card}
            is_second = other in deal.dealt[seat] and other not in deal.hands[seat]
            if event["announce"] == ("rebelote" if is_second else "belote"):
                deal.said.add(card)
                deal.words_at.append(at)
        deal.trick.append((seat, card))
        deal.turn = (seat + 1) % 4
        if len(deal.trick) < 4:
            return
        taker = winner_of(deal.trick, deal.trump)
        worth = sum(points_of(other, deal.trump) for _, other in deal.trick)
        self.trick_taken = (taker, worth)
        deal.turn = taker
        deal.trick = []
        deal.tricks[taker % 2] += 1
        deal.trick_ends[taker % 2].append(at)
        deal.last_play = at
        deal.points[taker % 2] += worth + (10 if sum(deal.tricks) == 8 else 0)
        self.see_the_contract(deal)

    def see_the_contract(self, deal: Deal) -> None:
        """After a trick: are there more, or has the contract fallen?"""
        assert deal.bid is not None
        if sum(deal.tricks) == 8:
            self.finish(deal)
            return
        defenders = 1 - deal.bid["seat"] % 2
        height = deal.height
        if isinstance(height, str):
            if deal.tricks[defenders]:
                self.finish(deal)
            return
        best = rounded(162 - deal.points[defenders])
        if best >= height:
            return
        sides = deal.belote()
        if best + 20 < height or "bidders" not in sides:
            self.finish(deal)
        elif sides != ["bidders"]:
            deal.phase = "perhaps fallen"

    def finish(self, deal: Deal) -> None:
        """The deal is over: what it is worth under each reading."""
        assert deal.bid is not None
        team = deal.bid["seat"] % 2
        taken = (deal.points[team], deal.points[1 - team])
        tricks = (deal.tricks[team], deal.tricks[1 - team])
        sides = deal.belote()
        said = deal.said == {"K" + deal.trump, "Q" + deal.trump}
        height = deal.height
        points = []
        if height == "capot":
            points = ["open.sahel-failed-capot"] if self.scoring == "sahel" else []
        elif deal.factor > 1:
            points = [f"open.{'unbid-capot-doubled' if self.scoring == 'sahel' else 'contree-doubled-made'}"]
        points += [] if said else ["open.belote-unannounced"]
        points += ["open.belote-doubled"] if deal.factor > 1 else []
        readings = []
        for values in product(*(READINGS[point] for point in points), sides):
            choice: dict[str, Any] = dict(zip([*points, "note.unseen"], values, strict=True))
            own, other = scored(self.scoring, height, deal.factor, taken, tricks, choice["note.unseen"], choice)
            readings.append((choice, (own, other) if team == 0 else (other, own)))
        if deal.noted_unseen:
            readings = [({**choice, "noted": True}, pair) for choice, pair in readings]
        self.end_deal("scored", deal.last_play, readings, cut_short=sum(tricks) < 8)
        self.deals[-1]["ledgers"] = [(pair, lines(deal, self.scoring, choice)) for choice, pair in readings]

    # --- how a deal ends ---

    def end_deal(self, outcome: str, at: int, readings: list[tuple[dict[str, Any], Pair]], cut_short: bool) -> None:
        before = self.possible
        self.deal = None
        self.possible = sums(before, [points for _, points in readings])
        entry = self.enter(outcome, readings[0][1] if outcome == "scored" else None)
        self.ended = Ended(entry, at, before, readings, cut_short)

    def break_deal(self) -> None:
        self.deal = None
        self.next_dealer = None
        self.trick_taken = None
        self.ended = Ended(self.enter("broken", None), 0, self.possible, [], cut_short=False)

    def settle(self, points: Pair | None) -> None:
        """No claim can come any more, or it has come: the points that the deal leaned on are noted."""
        ended, self.ended = self.ended, None
        if ended is None or ended.entry["outcome"] != "scored":
            return
        if points is not None:
            ended.entry["points"] = points
        taken = next((choice for choice, pair in ended.readings if pair == ended.entry["points"]), None)
        if taken is None:  # doubted already
            return
        for point in [*READINGS, "note.unseen"]:
            others = {
                pair
                for choice, pair in ended.readings
                if all(choice[key] == taken[key] for key in taken if key != point)
            }
            if point in taken and len(others) > 1:
                if point != "note.unseen":
                    self.findings.append(Found("open", point, ended.at, None))
                elif "noted" not in taken:
                    self.findings.append(Found("note", point, ended.at, None))

    # --- claims ---

    def trick_claim(self, at: int, event: Event) -> None:
        if self.trick_aged and self.trick_taken is not None:
            self.doubt(at, "a trick claim after an event that did not count")
        if self.over and self.trick_taken is None:
            self.doubt(at, "a misplaced claim after the end")
        winner, points = self.trick_taken or (None, None)
        if event["winner"] != winner or event.get("points", points) != points:
            self.find("claim", "claim.trick", at)
        self.trick_taken = None

    def score_claim(self, at: int, event: Event) -> None:
        if self.result_claimed or (self.over and self.ended is None):
            self.doubt(at, "a misplaced claim after the end")
        ended = self.ended
        if self.deal is not None:
            self.score_in_deal = True
            self.trick_aged = True
        if ended is None or not ended.readings:
            self.ended = None
            self.wrong_claim("claim.score", at)
            return
        self.trick_taken = None
        points = (event["deal"][0], event["deal"][1])
        if points not in [pair for _, pair in ended.readings]:
            self.wrong_claim("claim.score", at)
            self.settle(None)
            return
        self.claim_total(at, event, sums(ended.before, [points]))
        ended.entry["totals"] = self.totals
        self.settle(points)

    def result_claim(self, at: int, event: Event) -> None:
        if self.result_claimed:
            self.doubt(at, "a second result")
        total = (event["total"][0], event["total"][1])
        self.result_claimed = True
        self.trick_taken = None
        if self.ended is None and len(self.possible) > 1:
            self.doubt(at, "a result where readings differ")
        if total in self.possible and event["winner"] == self.winner_with(total):
            self.take_total(total)
            self.possible = [total]
        else:
            self.wrong_claim("claim.result", at)

    @staticmethod
    def is_open(ended: Ended) -> bool:
        """Whether there is more than one reading of what the deal comes to, or of the totals before it."""
        return len(ended.readings) * len(ended.before) > 1

    def take_total(self, total: Pair) -> None:
        """What comes after a deal without a score claim says which reading of it the table used."""
        if self.ended is None:
            return
        if total != self.totals and self.ended.entry["outcome"] == "scored":
            if len(self.ended.before) > 1:
                self.doubt(self.ended.at, "another reading of one of several deals")
            before = self.ended.before[0]
            self.ended.entry["points"] = (total[0] - before[0], total[1] - before[1])
        self.ended.entry["totals"] = total
        if self.ended.readings:
            self.settle(None)


def lines(deal: Deal, scoring: str, choice: dict[str, Any]) -> list[Row]:
    """The lines of one reading, from the page: what was taken, then the row of the table, contre, and belote."""
    assert deal.bid is not None
    team, height = deal.bid["seat"] % 2, deal.height
    rows = []
    for side in (0, 1) if height != "capot" else ():
        ends = deal.trick_ends[side]
        extra = 10 if sum(deal.tricks) == 8 and max(deal.trick_ends[0] + deal.trick_ends[1]) in ends else 0
        if ends:
            rows.append(Row(side, "card points", "score.cards", deal.points[side] - extra, ends))
        if extra:
            rows.append(Row(side, "card points", "score.last-trick", 10, [ends[-1]]))

    own, other = rounded(deal.points[team]), rounded(deal.points[1 - team])
    belote = None if choice.get("open.belote-unannounced") == "no" else choice["note.unseen"]
    every_trick = deal.tricks[team] == 8
    made = every_trick or (height != "capot" and own + (20 if belote == "bidders" else 0) >= int(height))
    winner = team if made else 1 - team
    winners = [deal.bid_at, *deal.trick_ends[winner]]
    if height == "capot":
        failed = choice.get("open.sahel-failed-capot", 160) if scoring == "sahel" else 410
        clause, points = ("score.capot", 500) if made else ("score.failed-capot", failed)
    elif not made:
        clause, points = "score.failed", 160
    elif every_trick:
        is_less = scoring == "sahel" and deal.factor > 1
        clause, points = "score.sweep", choice["open.unbid-capot-doubled"] if is_less else 250
    elif deal.factor == 1:
        clause, points = "score.made", own
    else:
        add = {"160": 160, "both": own + other, "own": own}[choice.get("open.contree-doubled-made", "160")]
        clause, points = "score.doubled", add
    rows.append(Row(winner, "points", clause, points, winners))
    if clause == "score.made":
        ends = deal.trick_ends[1 - team if other else team]
        rows.append(Row(1 - winner, "points", clause, other, [deal.bid_at, *ends]))
    else:
        rows.append(Row(1 - winner, "points", clause, 0, winners))
    if scoring == "contree" and height != "capot":
        rows.append(Row(winner, "points", "score.bid", int(height), [deal.bid_at]))
        points += int(height)
    if deal.factor > 1:
        rows.append(Row(winner, "points", "score.contre", points, [deal.contre_at]))
    if deal.factor > 2:
        rows.append(Row(winner, "points", "score.surcontre", 2 * points, [deal.answer_at]))
    if belote is not None:
        stays = belote == "bidders" or (deal.factor > 1 and choice.get("open.belote-doubled") == "winner")
        side = team if made and stays else 1 - team
        rows.append(Row(side, "points", "score.belote", 20, [deal.at, *deal.words_at]))
    return rows


def sums(totals: list[Pair], points: list[Pair]) -> list[Pair]:
    """Every total with every reading added, each once, the default of both first."""
    return list(dict.fromkeys((total[0] + gain[0], total[1] + gain[1]) for gain in points for total in totals))


def height_of(bid: Event) -> int:
    """What counts for outbidding."""
    return 10**20 if "capot" in bid else int(bid.get("points", 0))


def rule_call(deal: Deal, event: Event) -> Ruling:
    kind = event["type"]
    if kind not in ("bid", "pass", "double", "redouble", "accept"):
        answer = deal.contred or kind in ("accept", "redouble")
        return Ruling("auction.answer" if answer else "flow.kind", stands=False)
    seat = event["seat"]
    opposes = deal.bid is not None and deal.bid["seat"] % 2 != seat % 2
    is_out_of_turn = seat != deal.turn
    if is_out_of_turn and not (kind == "double" and opposes):
        return Ruling("auction.turn", stands=False)
    unsure = False
    if kind == "bid":
        bad_points = "points" in event and event["points"] not in BIDS
        if bad_points or event["trump"] == "NT" or ("points" not in event and "capot" not in event):
            return Ruling("auction.range", stands=not deal.contred)
        if deal.bid is not None and height_of(event) <= height_of(deal.bid):
            return Ruling("auction.outbid", stands=not deal.contred)
        if event.get("points") in (170, 180):
            missing = {"K" + event["trump"], "Q" + event["trump"]} - deal.hands[seat]
            if not missing <= deal.hidden() or len(missing) > deal.unseen[seat]:
                return Ruling("auction.needs-pair", stands=not deal.contred)
            unsure = bool(missing)
    if kind == "double" and (not opposes or deal.contred):
        return Ruling("auction.double", stands=False)
    if deal.contred != (kind in ("accept", "redouble")):
        return Ruling("auction.answer", stands=False, unsure=unsure)
    if event.get("by") == "timeout" and kind not in ("pass", "accept"):
        return Ruling("timeout.policy", unsure=unsure, point="open.contre-turn" if is_out_of_turn else None)
    return Ruling(unsure=unsure, point="open.contre-turn" if is_out_of_turn else None)
