"""Tunisian belote with contrée: a bid of points and its trump, which the opponents may double.

Four seats, teams 0 and 2 against 1 and 3, 32 cards, eight each. The running order below is the rules page from top to
bottom; what has to be played, belote and the scoring table stand beneath it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from auditor import cards, events
from auditor.contree import SURCONTRE, ContreeAuction, bid_name
from auditor.deals import Deal, Shuffle, in_batches
from auditor.duties import GoOver, Ruff
from auditor.game import Game
from auditor.settlement import Choices, Line, Reading, Settlement, readings
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage, word_for
from auditor.table import Numbers, Table
from auditor.tricks import Order, Trick, card_points

ID = "belote-contree"
SEAT_COUNT = 4
TRICK_COUNT = 8
DEAL_ORDER = in_batches([8], SEAT_COUNT)

TRUMPS = Order("78QKTA9J", {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3})
PLAIN = Order("789JQKTA", {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2})
LAST_TRICK = 10
#: All card points of a deal, those of the last trick included.
ALL_POINTS = 162
#: What only explains a score: what counts towards the bid, before it is rounded.
CARD_POINTS = "card points"
BELOTE = 20


#: ``target``: the total that ends the match; ``undertrump``: whether who cannot go over a ruff must still trump.
Options = events.options_form(
    scoring=Literal["sahel", "contree"],
    target=Literal[1000, 2000],
    undertrump=Literal["required", "free"],
)


DEFAULTS = MappingProxyType({"scoring": "contree", "target": 1000, "undertrump": "required"})


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: deals until a team's total is at or over the target and the totals differ; the higher total wins."""
    target: int = table.options["target"]

    def ends(totals: Numbers) -> bool:
        return max(totals) >= target and totals[0] != totals[1]

    next_dealer = None  # the first deal may have any dealer
    while not ends(table.totals):
        try:
            deal = Deal(table, cards.PACK_32, TRICK_COUNT, DEAL_ORDER, None, shuffle, next_dealer)
            yield deal
            assert deal.dealer is not None
            first = next_dealer = table.after(deal.dealer)

            auction = ContreeAuction(table, first)
            yield auction
            if auction.is_void:
                yield Settlement(table, VOID, ends, is_void=True)
                continue
            assert table.trump is not None
            trump = cards.SUIT[table.trump]

            belote = Belote(table, table.trump, deal)
            taken = Taken(table, auction, belote)
            leader = first  # whoever won the auction
            falls = False
            while taken.tricks_left and not falls:
                duties = DUTIES[table.options["undertrump"]]
                tricks = Trick(table, leader, trump, PLAIN, TRUMPS, duties, belote, taken.tricks_left, taken.decides)
                yield tricks
                leader = tricks.winner
                falls = taken.has_fallen is True
                if taken.has_fallen is None:
                    doubt = PossibleFall()
                    yield doubt
                    falls = doubt.has_fallen
                    belote.learn(table.side(auction.declarer), not falls)

            yield Settlement(table, worth(table, auction, taken, belote), ends, cut_short=taken.tricks_left > 0)
        except BrokenDeal:
            next_dealer = None  # anybody may deal after a broken deal

    yield MatchOver(int(table.totals[0] < table.totals[1]))


# What has to be played beside following suit, by the option ``undertrump``.
DUTIES = {"required": (Ruff(always=True), GoOver()), "free": (Ruff(always=False), GoOver())}


class Taken:
    """What each team has taken: its tricks, by the events with which they were closed, and its card points.

    ``has_fallen`` says whether the contract can not be made any more; ``None`` where only unseen cards could tell.
    """

    def __init__(self, table: Table, auction: ContreeAuction, belote: Belote) -> None:
        self.tricks: tuple[list[int], list[int]] = ([], [])
        self.points = [0, 0]
        self.tricks_left = TRICK_COUNT
        self.has_fallen: bool | None = False
        self._bidders = table.side(auction.declarer)
        self._standing = auction.standing
        self._belote = belote
        assert table.trump is not None
        self._points_of = card_points(PLAIN, TRUMPS, cards.SUIT[table.trump])
        self._last_taker: int | None = None

    def decides(self, trick: Trick) -> bool:
        """A team takes a trick. Whether the deal may be decided by it: the contract has fallen, or seems to have."""
        team = trick.winner % 2
        points_of = self._points_of
        self.tricks[team].append(trick.ends[-1])
        self.points[team] += sum([points_of[card.bit_length()] for card in trick.tricks[-1]])
        self.tricks_left -= 1
        if self.tricks_left:
            self.has_fallen = self._falls()
        else:
            self.has_fallen = False
            self._last_taker = team
            self.points[team] += LAST_TRICK
        return self.has_fallen is not False

    def _falls(self) -> bool | None:
        """Whether the best that the bidding team can still reach is less than its bid."""
        standing, bidders = self._standing, self._bidders
        assert standing is not None
        if standing.points is UNSET or standing.capot is True:
            return len(self.tricks[1 - bidders]) > 0
        best = rounded(ALL_POINTS - self.points[1 - bidders])
        if best >= standing.points or best + BELOTE < standing.points:
            return best < standing.points
        holders = self._belote.holders()
        return None if len(holders) > 1 and bidders in holders else bidders not in holders

    def lines(self) -> Iterator[Line]:
        """Where the card points come from."""
        for team, tricks in enumerate(self.tricks):
            extra = LAST_TRICK if team == self._last_taker else 0
            if tricks:
                facts = {"tricks": len(tricks)}
                yield Line(team, self.points[team] - extra, "score.cards", facts, tricks, CARD_POINTS)
            if extra:
                yield Line(team, extra, "score.last-trick", {}, tricks[-1:], CARD_POINTS)


# --- Belote: king and queen of trump in one hand ------------------------------------------------------------------


class Belote:
    """Who was dealt king and queen of trump, and whether both words were said: ``belote``, then ``rebelote``.

    ``causes`` are the deal, and the cards that were played with their word.
    """

    def __init__(self, table: Table, trump: str, deal: Deal) -> None:
        self.causes: list[Any] = [deal]
        self._table = table
        self._king, self._queen = cards.BIT["K" + trump], cards.BIT["Q" + trump]
        self._pair = self._king | self._queen
        self._dealt = list(table.hands)
        self._said = 0
        self._holders: Sequence[int | None] = ()
        self._ruled_out: int | None = None
        if not any(table.unseen):
            held = [seat for seat, hand in enumerate(table.hands) if hand & self._pair == self._pair]
            self._holders = [table.side(seat) for seat in held] or [None]

    @property
    def is_announced(self) -> bool:
        """Both cards were played, each with its word."""
        return self._said == self._pair

    def holders(self) -> Sequence[int | None]:
        """The teams that may hold the pair, ``None`` for neither. More than one only where cards are unseen."""
        if len(self._holders) != 1:
            may_hold = {
                self._table.side(one) if one == other else None
                for one, other in product(self._places(self._king), self._places(self._queen))
                if one != other or self._may_hold_both(one)
            }
            if self._ruled_out is not None:
                may_hold.discard(self._ruled_out)
            self._holders = [side for side in (None, 0, 1) if side in may_hold]
        return self._holders

    def learn(self, side: int, holds: bool) -> None:
        """The table has shown whether a team holds the pair."""
        if holds:
            self._holders = [side]
        else:
            self._ruled_out = side

    def due(self, seat: int, card: int) -> str | None:
        known = self._known(seat)
        if not card & self._pair or self._pair & ~known:
            return None
        return self._word(seat, card)

    def judge(self, play: events.BelotePlay) -> Fault | None:
        seat, card = play.seat, cards.BIT[play.card]
        if not card & self._pair or not self._may_hold_both(seat, card) or play.announce != self._word(seat, card):
            facts = {"seat": seat, "card": play.card, "word": play.announce}
            return Fault("belote.announce", True, facts, self.due(seat, card), play.announce)
        if self._pair & ~self._known(seat):
            self._table.lean("note.unseen", deal=self._table.deal_count - 1)
        return None

    def hear(self, play: events.BelotePlay) -> None:
        card = cards.BIT[play.card]
        if card & self._pair and play.announce == self._word(play.seat, card):
            self._said |= card
            self.causes.append(play)

    def _word(self, seat: int, card: int) -> str:
        """The first of the two that a seat plays is belote, the second rebelote."""
        other = self._pair & ~card
        is_first = self._table.hands[seat] & other or other & ~self._known(seat)
        return "belote" if is_first else "rebelote"

    def _known(self, seat: int) -> int:
        """What the seat was dealt, as far as it is known."""
        known = self._dealt[seat]
        for holder, code in self._table.shown:
            if holder == seat:
                known |= cards.BIT[code]
        return known

    def _places(self, card: int) -> list[int]:
        """The seats that may have been dealt a card."""
        seats = range(self._table.seat_count)
        known = [seat for seat in seats if self._known(seat) & card]
        return known or [seat for seat in seats if self._table.unseen[seat]]

    def _may_hold_both(self, seat: int, shown: int = 0) -> bool:
        """Whether a seat that has shown a card may have been dealt the pair."""
        missing = self._pair & ~(self._known(seat) | shown)
        return not missing & ~self._table.hidden and missing.bit_count() <= self._table.unseen[seat]


# --- When the contract falls early --------------------------------------------------------------------------------


class PossibleFall(Stage):
    """The contract has fallen unless the bidding team holds a belote that the log does not show.

    What comes next tells: the table plays on, or it does not.
    """

    __slots__ = ("has_fallen", "is_done")

    def __init__(self) -> None:
        self.has_fallen = self.is_done = False

    def yields_to(self, event: Any) -> bool:
        return not self.is_done and event is not None and not isinstance(event, events.TrickClaim)

    def pass_over(self, event: Any) -> None:
        self.has_fallen = not isinstance(event, events.PLAYS)
        self.is_done = True


# --- The score ----------------------------------------------------------------------------------------------------

VOID = (Reading({}, (), 2),)

FAILED = 160
SWEEP = 250
CAPOT = 500
FAILED_CAPOT = {"sahel": 160, "contree": 410}
#: What the source leaves open, each with its default first.
SAHEL_FAILED_CAPOT = (160, 500)
SAHEL_DOUBLED_SWEEP = (160, 250)
CONTREE_DOUBLED_MADE = ("B + 160", "B + rA + rD", "B + rA")
BELOTE_UNANNOUNCED = ("counts", "does not count")
#: A third reading where only the belote makes the contract.
BELOTE_FOR_THE_CONTRACT = "counts for the contract only"
BELOTE_DOUBLED = ("theirs", "the winner's")


class Played(msgspec.Struct, frozen=True, gc=False):
    """How a deal went: rounded points of the bidding team and of the defenders, and whether all eight tricks are its.

    ``bid`` is ``None`` for capot. ``holder`` is who holds the belote: 0 the bidding team, 1 the defenders.
    """

    bid: int | None
    factor: int
    own: int
    other: int
    is_sweep: bool
    holder: int | None


class Row(msgspec.Struct, frozen=True, gc=False):
    """What the scoring table gives a side, 0 the bidding team or 1 the defenders, and the clause that says so."""

    side: int
    points: int
    clause: str


def worth(table: Table, auction: ContreeAuction, taken: Taken, belote: Belote) -> list[Reading]:
    """What the deal scores, under each reading of what is open."""
    assert auction.standing is not None
    scoring: str = table.options["scoring"]
    bidders = table.side(auction.declarer)
    holders = [None if side is None else int(side != bidders) for side in belote.holders()]
    played = Played(
        bid=None if auction.standing.capot is True else bid_points(auction),
        factor=auction.factor,
        own=rounded(taken.points[bidders]),
        other=rounded(taken.points[1 - bidders]),
        is_sweep=table.tricks_of(bidders) == TRICK_COUNT,
        holder=holders[0],
    )

    open_points = open_in(scoring, played)
    if holders != [None] and not belote.is_announced:
        is_made_by_belote = played.bid is not None and played.own < played.bid <= played.own + BELOTE and 0 in holders
        open_points["open.belote-unannounced"] = (
            (*BELOTE_UNANNOUNCED, BELOTE_FOR_THE_CONTRACT) if is_made_by_belote else BELOTE_UNANNOUNCED
        )
    if played.factor > 1 and 1 in holders:
        open_points["open.belote-doubled"] = BELOTE_DOUBLED
    if len(holders) > 1:
        open_points["note.unseen"] = holders

    teams = (bidders, 1 - bidders)
    explained = () if played.bid is None else tuple(taken.lines())
    decisive = [(auction.standing, *tricks) for tricks in taken.tricks]
    facts = {"bid": bid_name(auction.standing), "own": played.own, "other": played.other}
    causes = {
        "score.bid": (auction.standing,),
        "score.contre": (auction.contre,),
        "score.surcontre": (auction,),
        "score.belote": belote.causes,
    }

    def line(row: Row) -> Line:
        winners = teams[row.side if row.points else 1 - row.side]
        because = causes.get(row.clause) or decisive[winners]
        return Line(teams[row.side], row.points, row.clause, facts, because)

    def lines(choices: Choices) -> list[Line]:
        return [*explained, *map(line, score(scoring, played, choices))]

    return readings(lines, open_points, table.side_count)


def open_in(scoring: str, played: Played) -> dict[str, Sequence[Any]]:
    """The open points of the scoring table that a deal may lean on, beside those of belote."""
    if scoring == "sahel" and played.bid is None and not played.is_sweep:
        return {"open.sahel-failed-capot": SAHEL_FAILED_CAPOT}
    if played.factor == 1 or played.bid is None:
        return {}
    if played.is_sweep:
        return {"open.unbid-capot-doubled": SAHEL_DOUBLED_SWEEP} if scoring == "sahel" else {}
    return {"open.contree-doubled-made": CONTREE_DOUBLED_MADE} if scoring == "contree" else {}


def score(scoring: str, played: Played, choices: Choices) -> list[Row]:
    """The scoring table, what a contre makes of it, and the belote on top."""
    unannounced = choices.get("open.belote-unannounced")
    holder = None if unannounced == "does not count" else choices.get("note.unseen", played.holder)
    is_made = played.is_sweep or (played.bid is not None and played.own + (BELOTE if holder == 0 else 0) >= played.bid)
    rows = table_rows(scoring, played, is_made, choices)
    if played.factor > 1:  # one team has it all
        winners, once = rows[0].side, sum([row.points for row in rows])
        rows.append(Row(winners, once, "score.contre"))
        if played.factor == SURCONTRE:
            rows.append(Row(winners, 2 * once, "score.surcontre"))
    if holder is None or (is_made and unannounced == BELOTE_FOR_THE_CONTRACT):
        return rows
    goes_to_bidders = is_made and (holder == 0 or choices.get("open.belote-doubled") == "the winner's")
    return [*rows, Row(0 if goes_to_bidders else 1, BELOTE, "score.belote")]


def table_rows(scoring: str, played: Played, is_made: bool, choices: Choices) -> list[Row]:
    """The scoring table, case by case."""
    if played.bid is None:
        if is_made:
            return all_to(0, CAPOT, "score.capot")
        return all_to(1, choices.get("open.sahel-failed-capot", FAILED_CAPOT[scoring]), "score.failed-capot")

    if not is_made:
        rows = all_to(1, FAILED, "score.failed")
    elif played.is_sweep:
        is_full = scoring == "contree" or played.factor == 1
        rows = all_to(0, SWEEP if is_full else choices["open.unbid-capot-doubled"], "score.sweep")
    elif played.factor == 1:
        rows = [Row(0, played.own, "score.made"), Row(1, played.other, "score.made")]
    else:
        doubled = {"B + 160": 160, "B + rA + rD": played.own + played.other, "B + rA": played.own}
        rows = all_to(0, doubled[choices.get("open.contree-doubled-made", "B + 160")], "score.doubled")
    if scoring == "contree":  # in sahel the bid itself counts for nothing
        rows.append(Row(rows[0].side, played.bid, "score.bid"))
    return rows


def all_to(side: int, points: int, clause: str) -> list[Row]:
    """One side gets points, and the other none."""
    return [Row(side, points, clause), Row(1 - side, 0, clause)]


def bid_points(auction: ContreeAuction) -> int:
    """The points that the standing bid names."""
    assert auction.standing is not None
    assert auction.standing.points is not UNSET
    return auction.standing.points


def rounded(points: int) -> int:
    """To the nearest ten, five up."""
    return (points + 5) // 10 * 10


# --- When a clock runs out ----------------------------------------------------------------------------------------


def timeout(stage: Stage, act: Any) -> Fault | None:
    """When a clock runs out the system passes, accepts a contre that waits, or plays a weakest legal card."""
    if isinstance(stage, ContreeAuction) and not isinstance(act, events.Pass | events.Accept):
        said = bid_name(act) if isinstance(act, events.ContreeBid) else word_for(type(act))
        legal = ["accept"] if stage.is_contred else ["pass"]
        return Fault("timeout.policy", True, {"seat": act.seat, "act": said}, legal=legal)
    if isinstance(stage, Trick):
        return stage.judge_clock(act)
    return None


GAME = Game(
    ID,
    events.match_form(
        ID,
        events.Deal
        | events.ContreeBid
        | events.Pass
        | events.Double
        | events.Redouble
        | events.Accept
        | events.BelotePlay
        | events.TrickClaim
        | events.TeamScoreClaim
        | events.TeamResultClaim
        | events.Note,
        Options,
    ),
    DEFAULTS,
    running_order,
    timeout,
)
