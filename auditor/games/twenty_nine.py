"""Twenty-Nine: a hidden trump, and card points bid before all cards are dealt.

Four seats, teams 0 and 2 against 1 and 3, anticlockwise, 32 cards from the seven up; jack and nine are the highest.
The running order below is the rules page from top to bottom; the numbers stand beneath it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from auditor import cards, events
from auditor.auctions import Auction
from auditor.batches import FirstBatch, Redeal, SecondBatch
from auditor.cards import BIT
from auditor.deals import Shuffle
from auditor.game import Game
from auditor.hidden_trump import HiddenTrump, HiddenTrumpTrick, OpenTrick
from auditor.settlement import Choices, Line, Reading, Settlement, points_of, readings
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage
from auditor.table import Numbers, Table
from auditor.tricks import Order, card_points

ID = "twenty-nine"
BATCH_SIZE = 4
#: Where the seventh card that a seat is dealt stands in its second batch.
SEVENTH = 2
TRICK_COUNT = 8
#: Weakest first.
ORDER = Order(("7", "8", "Q", "K", "T", "A", "9", "J"), {"J": 3, "9": 2, "A": 1, "T": 1})
POINTS_OF = card_points(ORDER, ORDER, 0)
POINT_CARDS = sum(card for card, points in ORDER.points.items() if points)
HIGHEST_BID = 28
LAST_TRICK = 1
PAIR_SHIFT = 4
MATCH_POINTS = 6
#: What only explains a score: what was taken, and what had to be.
CARD_POINTS, BID = "card points", "bid"


#: ``min_bid``: the lowest bid; ``last_trick``: whether the last trick adds a point; ``trump_card``: a card that the
#: bidder chooses, or his seventh; ``redeal``: whether a seat without a point in its first four cards may ask for
#: others; ``slam``: whether all eight tricks win the match; ``pair_bounds``: between which numbers a pair may move the
#: bid.
Options = events.options_form(
    min_bid=Literal[16, 15],
    last_trick=bool,
    trump_card=Literal["chosen", "seventh"],
    redeal=bool,
    slam=bool,
    pair_bounds=Annotated[list[events.Whole], Meta(min_length=2, max_length=2)],
)


DEFAULTS = MappingProxyType({"min_bid": 16, "last_trick": True, "trump_card": "chosen", "redeal": False, "slam": False})


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: deals until a team is at +6 and wins, or at −6 and loses."""
    is_chosen = table.options["trump_card"] == "chosen"
    slam: int | None = None

    def ends(totals: Numbers) -> bool:
        return slam is not None or max(map(abs, totals)) >= MATCH_POINTS

    usual_dealers: Sequence[int] = ()  # the first deal may have any dealer
    while not ends(table.totals):
        try:
            first = FirstBatch(table, cards.PACK_32, BATCH_SIZE, usual_dealers, shuffle)
            yield first
            dealer = table.dealer
            assert dealer is not None

            redeal = Redeal(table, table.options["redeal"], POINT_CARDS)
            auction = Bidding(table, table.after(dealer), redeal)
            yield auction
            if auction.is_void:
                yield Settlement(table, VOID, ends, is_void=True)
                usual_dealers = (dealer, table.after(dealer))
                continue

            second = SecondBatch(table, first, redeal, is_in_order=not is_chosen)
            laying = TrumpLaying(table, auction.declarer, redeal, None if is_chosen else second)
            for stage in (laying, second) if is_chosen else (second, laying):
                if not redeal.is_asked:
                    yield stage
            if redeal.is_asked:
                yield Settlement(table, VOID, ends, is_void=True)
                usual_dealers = ()  # any seat may deal next
                continue

            play = Play(table, auction, laying.hidden_trump(second))
            yield from play.tricks(table.after(dealer))
            slam = play.slam()
            yield Settlement(table, play.worth(), ends)
            usual_dealers = (table.after(dealer),)
        except BrokenDeal:
            usual_dealers = ()  # anybody may deal after a broken deal

    yield MatchOver(leader_of(table.totals) if slam is None else slam)


def leader_of(totals: Numbers) -> int | None:
    """The team that is ahead: at +6 it has won, and at −6 the other has lost."""
    first, second = totals
    return None if first == second else int(first < second)


VOID = (Reading({}, (), 2),)


# --- The deal and the auction ---------------------------------------------------------------------------------------


def is_second_batch(log: Sequence[Any], index: int) -> bool:
    """Whether a deal event gives the second four cards: what follows it, or else what came before it, shows that."""
    if not isinstance(log[index], events.Deal):
        return False
    following = next((log[at] for at in range(index + 1, len(log)) if _is_act(log[at])), None)
    if isinstance(following, events.PointsBid | events.Pass | events.Redeal):
        return False
    if isinstance(following, events.Play | events.Reveal | events.Pair | events.LayTrump):
        return True
    before = next((log[at] for at in range(index - 1, -1, -1) if _is_act(log[at])), None)
    return isinstance(before, events.LayTrump)


def _is_act(event: Any) -> bool:
    return not isinstance(event, (events.Note, *events.CLAIMS)) and event.refused is not True


class _Bids:
    """A bid names card points from the lowest to 28; more points outbid."""

    def __init__(self, lowest: int) -> None:
        self.lowest = lowest

    def judge(self, bid: events.PointsBid, standing: events.PointsBid | None) -> Fault | None:
        if not self.lowest <= bid.points <= HIGHEST_BID:
            return Fault("auction.range", True, {"seat": bid.seat, "bid": self.name(bid), "lowest": self.lowest})
        if standing is not None and bid.points <= standing.points:
            facts = {"seat": bid.seat, "bid": self.name(bid), "standing": self.name(standing)}
            return Fault("auction.outbid", True, facts)
        return None

    def is_contract(self, bid: events.PointsBid) -> bool:
        return True

    def ends_auction(self, bid: events.PointsBid) -> bool:
        return False

    def legal(self, standing: events.PointsBid | None) -> list[str]:
        lowest = self.lowest if standing is None else max(self.lowest, standing.points + 1)
        return [str(points) for points in range(lowest, HIGHEST_BID + 1)]

    def name(self, bid: events.PointsBid) -> str:
        return str(bid.points)


class Bidding(Auction):
    """A pass is final. After a bid of 28 the others may pass one by one, or the table goes on at once."""

    __slots__ = ("_is_noted", "is_at_top", "redeal")

    hears: ClassVar[tuple[type, ...]] = (events.PointsBid, events.Pass, events.Redeal)
    quick: ClassVar[tuple[type, ...]] = (events.PointsBid, events.Pass)

    def __init__(self, table: Table, first: int, redeal: Redeal) -> None:
        super().__init__(table, first, _Bids(table.options["min_bid"]))
        self.redeal = redeal
        #: Whether no bid is left, and whether that is noted.
        self.is_at_top = self._is_noted = False

    def judge(self, call: events.PointsBid | events.Pass | events.Redeal) -> Fault | None:
        if isinstance(call, events.Redeal):
            return self.redeal.judge(call)
        fault = super().judge(call)
        if self.is_at_top and fault is None:
            self._note()
        return fault

    def apply(self, call: events.PointsBid | events.Pass | events.Redeal) -> None:
        if isinstance(call, events.Redeal):
            self.is_done = self.redeal.is_asked = True
            return
        self._is_noted = self.is_at_top
        super().apply(call)
        self.is_at_top = self.standing is not None and self.standing.points >= HIGHEST_BID
        self.redeal.called.add(call.seat)

    def unheard(self, event: Any) -> Fault:
        if self.is_at_top and isinstance(event, events.LayTrump) and self._lays_trump_next:
            return self._laying.judge(event) or super().unheard(event)
        return super().unheard(event)

    def yields_to(self, event: Any) -> bool:
        if not self.is_at_top:
            return False
        if self._lays_trump_next:
            return isinstance(event, events.LayTrump) and self._laying.fault(event) is None
        return isinstance(event, events.Deal)

    def pass_over(self, event: Any) -> None:
        self._note()
        self.is_done = True

    @property
    def _lays_trump_next(self) -> bool:
        return bool(self.table.options["trump_card"] == "chosen")

    @property
    def _laying(self) -> TrumpLaying:
        return TrumpLaying(self.table, self.declarer, self.redeal, None)

    def _note(self) -> None:
        assert self.standing is not None
        if not self._is_noted:
            self.table.lean("open.auction-28", bid=self.bids.name(self.standing))


class TrumpLaying(Stage):
    """The winner of the auction lays a card face down: one of his first four, or the seventh that he was dealt.

    ``second`` is given where it is the seventh.
    """

    __slots__ = ("_card", "is_done", "redeal", "second", "table", "turn")

    hears: ClassVar[tuple[type, ...]] = (events.LayTrump, events.Redeal)

    def __init__(self, table: Table, declarer: int, redeal: Redeal, second: SecondBatch | None) -> None:
        self.table = table
        self.turn = declarer
        self.redeal = redeal
        self.second = second
        self.is_done = False
        self._card = 0

    def take(self, log: Sequence[Any], index: int) -> int:
        return self.take_one(self.table, log, index)

    def judge(self, event: events.LayTrump | events.Redeal) -> Fault | None:
        if isinstance(event, events.Redeal):
            return self.redeal.judge(event)
        fault = self.fault(event)
        if fault is None and not BIT[event.card] & self._choice()[0]:
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        return fault

    def fault(self, event: events.LayTrump) -> Fault | None:
        """What is wrong with laying a card, as far as the cards are known."""
        if event.seat != self.turn:
            return Fault("trump.declarer", False, {"seat": event.seat, "declarer": self.turn})
        if event.card != events.UNSEEN_CARD and not BIT[event.card] & sum(self._choice()):
            return Fault("trump.in-hand", False, {"seat": event.seat, "card": event.card}, legal=self.legal())
        return None

    def apply(self, event: events.LayTrump | events.Redeal) -> None:
        self.is_done = True
        if isinstance(event, events.Redeal):
            self.redeal.is_asked = True
            return
        sure, perhaps = self._choice()
        self._card = BIT[event.card] or (sure if self.second is not None and not perhaps else 0)
        if self._card:
            if not self.table.hands[self.turn] & self._card:
                self.table.show(self.turn, self._card)
            self.table.hands[self.turn] ^= self._card

    def legal(self) -> list[str]:
        return cards.codes(self._choice()[0])

    def hidden_trump(self, second: SecondBatch) -> HiddenTrump:
        """The trump, once all cards are dealt and one lies face down."""
        hidden = HiddenTrump(self.table, self.turn, self._card)
        if hidden.is_unknown:
            elsewhere = second.known[self.turn] | (0 if self.second is None else second.known_before[self.turn])
            hidden.suspect(self.table.hands[self.turn] & ~elsewhere)
        return hidden

    def _choice(self) -> tuple[int, int]:
        """The cards that he may lay, and those that he may have and lay, as far as the log shows."""
        hand = self.table.hands[self.turn]
        unseen = self.table.hidden if self.table.unseen[self.turn] else 0
        if self.second is None:
            return hand, unseen
        if seventh := BIT[self.second.dealt[self.turn][SEVENTH]]:
            return seventh, 0
        return 0, hand & ~self.second.known[self.turn] & ~self.second.known_before[self.turn] | unseen


# --- Play and score -----------------------------------------------------------------------------------------------


class Play:
    """The tricks of a deal, and what they are worth."""

    def __init__(self, table: Table, auction: Bidding, hidden: HiddenTrump) -> None:
        assert auction.standing is not None
        self.table = table
        self.hidden = hidden
        self.bid: events.PointsBid = auction.standing
        self.bidders = table.side(auction.declarer)
        #: The tricks, some at a time, the last one too while it is played.
        self._tricks: list[HiddenTrumpTrick] = []
        #: Who may have taken the last trick, where nothing shows who has.
        self._last_winners: Sequence[int] = ()

    def tricks(self, leader: int) -> RunningOrder:
        """Eight tricks, or fewer where the table stops after a revoke."""
        tricks_left = TRICK_COUNT
        while tricks_left:
            # Once the trump is open, the last one is like the others.
            count = tricks_left if self.hidden.is_open else max(1, tricks_left - 1)
            scores = self._score_if_taken_by if tricks_left == 1 else None
            trick = HiddenTrumpTrick(self.hidden, leader, ORDER, count, scores)
            self._tricks.append(trick)
            yield trick
            tricks_left -= len(trick.ends)
            is_abandoned = trick.is_abandoned
            if len(trick.possible) > 1:
                taking = OpenTrick(trick)
                yield taking
                is_abandoned = taking.is_abandoned
                self._last_winners = () if taking.is_settled else trick.possible
            if is_abandoned:
                return
            if trick.is_eventful:
                self.hidden.close(trick)
            leader = trick.winner

    def slam(self) -> int | None:
        """The team that wins the match with all eight tricks, if the table plays so. A revoke forfeits that."""
        if not self.table.options["slam"]:
            return None
        takers = [team for team in (0, 1) if self.table.tricks_of(team) == TRICK_COUNT]
        return takers[0] if takers and takers != [self._revoking_team] else None

    def worth(self) -> list[Reading]:
        """What the deal scores, under each reading of what is open."""
        pairs = self.hidden.pairs
        open_points: dict[str, Sequence[Any]] = {}
        if self._last_winners:
            open_points["taker"] = self._last_winners
        if len(pairs) > 1:  # the second was illegal; how far it moves the bid is for the table
            open_points["pairs"] = (len(pairs), 1)
        if pairs and "pair_bounds" not in self.table.given:
            open_points["open.pair-bounds"] = ("no", "yes")
        return readings(self._score, open_points, self.table.side_count)

    @property
    def _revoking_team(self) -> int | None:
        return None if self.hidden.revoke is None else self.table.side(self.hidden.revoke.seat)

    def _score_if_taken_by(self, winner: int) -> Numbers:
        return points_of(self._score({"taker": winner}), self.table.side_count)

    def _score(self, choices: Choices) -> list[Line]:
        """The bidding team's number moves by one; a revoke decides against the team that made it."""
        revoke = self.hidden.revoke
        if revoke is not None:
            is_made = self._revoking_team != self.bidders
            return self._moved(is_made, "score.revoke", {"seat": revoke.seat, "card": revoke.card}, (revoke,))
        ends = [end for tricks in self._tricks for end in tricks.ends]
        taken, bid = self._taken(choices, ends), self._adjusted_bid(choices)
        points, needed = _sum_of(taken), _sum_of(bid)
        is_made = points >= needed
        clause = "score.made" if is_made else "score.failed"
        return [*taken, *bid, *self._moved(is_made, clause, {"points": points, "bid": needed}, (self.bid, *ends))]

    def _moved(self, is_made: bool, clause: str, facts: Mapping[str, Any], causes: Sequence[Any]) -> list[Line]:
        return [
            Line(self.bidders, 1 if is_made else -1, clause, facts, causes),
            Line(1 - self.bidders, 0, clause, facts, causes),
        ]

    def _taken(self, choices: Choices, ends: Sequence[int]) -> list[Line]:
        """The card points that the bidding team took, and the last trick's point; ``ends`` closed the tricks."""
        takers: list[int] = []
        tricks: list[list[int]] = []
        for some in self._tricks:
            takers += some.winners
            tricks += some.tricks
        takers[-1] = choices.get("taker", takers[-1])
        own = [number for number, taker in enumerate(takers) if taker % 2 == self.bidders]
        lines = []
        if own:
            points = sum([POINTS_OF[card.bit_length()] for number in own for card in tricks[number]])
            causes = [ends[number] for number in own]
            lines.append(Line(self.bidders, points, "score.cards", {"tricks": len(own)}, causes, CARD_POINTS))
            if own[-1] == len(takers) - 1 and self.table.options["last_trick"]:
                lines.append(Line(self.bidders, LAST_TRICK, "score.last-trick", {}, ends[-1:], CARD_POINTS))
        return lines

    def _adjusted_bid(self, choices: Choices) -> list[Line]:
        """A pair lowers the bid of the team that bid by 4, and raises it where the other team declares it."""
        lines = [Line(self.bidders, self.bid.points, "score.bid", {"bid": self.bid.points}, (self.bid,), BID)]
        pairs = self.hidden.pairs[: choices.get("pairs", 1)]
        if not pairs:
            return lines
        for pair in pairs:
            shift = -PAIR_SHIFT if self.table.side(pair.seat) == self.bidders else PAIR_SHIFT
            lines.append(Line(self.bidders, shift, "score.pair", {"seat": pair.seat}, (pair,), BID))
        bounds = self.table.options.get("pair_bounds")
        if bounds is None and choices.get("open.pair-bounds") == "yes":
            bounds = (self.table.options["min_bid"], HIGHEST_BID)
        if bounds is None:
            return lines
        lowest, highest = bounds
        bid = _sum_of(lines)
        kept = max(lowest, min(highest, bid))
        if kept != bid:
            lines.append(Line(self.bidders, kept - bid, "score.pair-bounds", {"bid": kept}, pairs, BID))
        return lines


def _sum_of(lines: Sequence[Line]) -> int:
    return sum([line.points for line in lines])


def timeout(stage: Stage, act: Any) -> Fault | None:
    """When a clock runs out the system makes any legal move."""
    return None


GAME = Game(
    ID,
    events.match_form(
        ID,
        events.Deal
        | events.Redeal
        | events.PointsBid
        | events.Pass
        | events.LayTrump
        | events.Play
        | events.Reveal
        | events.Pair
        | events.TrickClaim
        | events.TeamScoreClaim
        | events.TeamResultClaim
        | events.Note,
        Options,
    ),
    DEFAULTS,
    running_order,
    timeout,
    is_second_batch,
)
