"""The hidden trump: a card lies face down, its suit is no trump until somebody who cannot follow has it revealed.

In: ``play``, ``reveal`` and ``pair`` events. Out: who took a trick, under each reading of what the rules leave open.
Refuses to know the bidding, what a deal scores, and what a card is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from msgspec import UNSET

from auditor import cards, claims, events
from auditor.cards import BIT, SUIT, SUIT_OF
from auditor.claims import after_claim
from auditor.stage import Fault, Stage
from auditor.table import Numbers, Table
from auditor.tricks import Order, Trick

EARLIER_TRUMPS = "open.earlier-trumps"
LAST_CARD = "open.last-card-trump"
#: King and queen of each suit.
PAIRS = tuple(BIT["K" + suit] | BIT["Q" + suit] for suit in cards.SUITS)
#: The letter of a suit, by the mask of its cards.
LETTER = {suit: letter for letter, suit in SUIT.items()}


class HiddenTrump:
    """The trump of one deal.

    While it is hidden, the face-down card is in nobody's hand: ``card`` is its bit. Where the log does not show it,
    ``card`` is 0 and it is still among its holder's cards; ``suspects`` are those known cards that it may be. ``suit``
    is the mask of the trump suit, 0 as long as it is unknown. ``pairs`` are the declarations of the pair, ``revoke``
    is the first card with which a seat did not follow suit.
    """

    __slots__ = (
        "_reveal_trick_team",
        "_winners_since",
        "card",
        "holder",
        "is_open",
        "lies",
        "pairs",
        "revoke",
        "suit",
        "suspects",
        "table",
    )

    def __init__(self, table: Table, holder: int, card: int, suspects: int = 0) -> None:
        self.table = table
        self.holder = holder
        self.card = card
        self.suit = SUIT_OF[card] if card else 0
        self.suspects = suspects
        self.is_open = False
        self.lies = True
        self.pairs: list[events.Pair] = []
        self.revoke: events.Play | None = None
        #: Who took the tricks since the reveal, some at a time.
        self._winners_since: list[Sequence[int]] = []
        self._reveal_trick_team: int | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether a card lies face down, and the log does not say which."""
        return self.lies and not self.card

    @property
    def possible_suits(self) -> list[int]:
        """The suits that may be trump, as far as the log shows."""
        if self.suit:
            return [self.suit]
        suits = list(SUIT.values())
        if self.table.unseen[self.holder]:
            return suits
        return [suit for suit in suits if suit & self.suspects] or suits

    def suspect(self, choice: int) -> None:
        """The face-down card is one of these, as far as its holder's cards are known; the end of the log may tell."""
        foreseen = self.table.foreseen
        if foreseen is not None and foreseen.trump is not None:
            choice &= SUIT[foreseen.trump]
        self.suspects = choice

    def look(self) -> None:
        """An unknown card that has become the only one possible is known."""
        if self.is_unknown:
            self.suspects &= self.table.hands[self.holder]
            if self.suspects.bit_count() == 1 and not self.table.unseen[self.holder]:
                self.card = self.suspects
                self.suit = SUIT_OF[self.card]
                self.table.hands[self.holder] ^= self.card

    def is_last_of(self, seat: int) -> bool:
        """Whether the seat holds the face-down card and nothing else."""
        if seat != self.holder or not self.lies or self.is_open:
            return False
        count = self.table.hands[seat].bit_count() + self.table.unseen[seat]
        return count == (0 if self.card else 1)

    def may_be(self, seat: int, held: int) -> bool:
        """Whether all that a seat is known to hold of a suit may be the unknown card, which does not count as held."""
        return seat == self.holder and self.is_unknown and held.bit_count() == 1 and bool(held & self.suspects)

    def leave(self, card: int) -> None:
        """The face-down card is played while it is hidden."""
        self.card = card
        self.suit = SUIT_OF[card]
        self.lies = False

    def turn_up(self, suit: str | None) -> None:
        """The trump is opened, and the card goes back into its holder's hand; ``suit`` is what the log calls it."""
        self.is_open = True
        if self.lies:
            self.table.hands[self.holder] |= self.card
            self.lies = False
        if suit is not None and not self.suit:
            self.suit = SUIT[suit]
        self.show_suit()

    def show_suit(self) -> None:
        """All at the table see what is trump."""
        self.table.trump = LETTER.get(self.suit)

    def close(self, trick: HiddenTrumpTrick) -> None:
        """An eventful trick is over."""
        if trick.is_revealed_here:
            self._reveal_trick_team = self.table.side(trick.winner)
        elif self.is_open:
            self.count(trick.winners)

    def count(self, winners: Sequence[int]) -> None:
        """Tricks since the reveal count for the pair; the list of who took them may grow."""
        self._winners_since.append(winners)

    def judge_pair(self, event: events.Pair, perhaps: Collection[int] = ()) -> Fault | None:
        """King and queen of trump in hand, after a trick since the reveal; ``perhaps`` are seats that may have one."""
        seat, team = event.seat, self.table.side(event.seat)
        held, suits = self.table.hands[seat], sum(self.possible_suits)
        missing = [pair & ~held for pair in PAIRS if pair & suits]
        possible = [cards_missing for cards_missing in missing if self._may_have(seat, cards_missing)]
        if not possible:
            return Fault("pair.held", True, {"seat": seat})
        if not self.is_open:
            return Fault("pair.timing", True, {"seat": seat, "why": "the trump is not open"})
        if self.pairs:
            return Fault("pair.timing", True, {"seat": seat, "why": "the pair was declared before"})
        if not any(self.table.side(winner) == team for winners in self._winners_since for winner in winners):
            if team != self._reveal_trick_team and team not in map(self.table.side, perhaps):
                return Fault("pair.timing", True, {"seat": seat, "why": "its team has taken no trick since the reveal"})
            self.table.lean("open.reveal-trick", seat=seat)
        if len(possible) > 1 or possible[0]:
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        return None

    def declare_pair(self, event: events.Pair) -> None:
        self.pairs.append(event)

    def _may_have(self, seat: int, missing: int) -> bool:
        """Whether cards that a seat is not known to hold may be among its unseen ones."""
        return not missing & ~self.table.hidden and missing.bit_count() <= self.table.unseen[seat]


class _MustTrump:
    """Who had the trump revealed plays a trump in that trick, if it holds one."""

    clause = "play.must-trump"

    def narrow(self, trick: Trick, seat: int, choice: int) -> int:
        is_bound = isinstance(trick, HiddenTrumpTrick) and seat == trick.asker
        return choice & trick.trump or choice if is_bound else choice


MUST_TRUMP = (_MustTrump(),)


class HiddenTrumpTrick(Trick):
    """Tricks that begin with the trump hidden or open, ``count`` or fewer: an eventful one is the last of them.

    While it is hidden no card is a trump. Once it is open the highest trump wins, else the highest card of the suit
    led. A trick is eventful if the trump comes up in it, or if the log does not show what is trump. ``asker`` is
    the seat that had it revealed by right. ``scores`` says what the deal brings if a seat takes this trick; only
    the last one has it, if it begins with the trump hidden or unknown. ``possible`` are the seats that take an
    eventful trick, where the readings differ in that; the default first.
    """

    __slots__ = (
        "_early",
        "_last_card_at",
        "_opened_at",
        "asker",
        "hidden",
        "is_abandoned",
        "is_eventful",
        "is_revealed_here",
        "possible",
        "scores",
    )

    hears: ClassVar[tuple[type, ...]] = (events.Play, events.Reveal, events.Pair)
    quick: ClassVar[tuple[type, ...]] = ()

    def __init__(
        self,
        hidden: HiddenTrump,
        leader: int,
        order: Order,
        count: int,
        scores: Callable[[int], Numbers] | None = None,
    ) -> None:
        hidden.look()
        trump = hidden.suit if hidden.is_open else 0
        super().__init__(hidden.table, leader, trump, order, order, count=count)
        self.hidden = hidden
        self.scores = scores
        self.asker: int | None = None
        self.is_abandoned = self.is_revealed_here = self.is_eventful = False
        if not hidden.suit:
            self._end_with_this_trick()
        elif hidden.is_open:
            hidden.count(self.winners)
        self.possible: Sequence[int] = ()
        #: How many cards lay when the trump was opened, and when the face-down card was played as its holder's last.
        self._opened_at = 0 if hidden.is_open else None
        self._last_card_at: int | None = None
        #: Cards of the trump suit that lay before it was trump.
        self._early = 0
        self._offer()

    def take(self, log: Sequence[Any], index: int) -> int:
        is_last = self.scores is not None and not self.hidden.is_open
        taken = self._take_cards(log, index, 0) if self.hidden.suit and not is_last else index
        if taken == index and not self.plays:
            taken = after_claim(self.table, log, index)
        if self.is_done:
            self._compare_readings()
            return taken
        return self.take_one(self.table, log, taken) if taken < len(log) else taken

    def best(self, played: int) -> int:
        trumps = played & self.trump & ~self._early
        return self.plain.top(trumps or played & self.led)

    def judge(self, event: Any) -> Fault | None:
        if type(event) is events.Play:
            return self._judge_play(event)
        if type(event) is events.Reveal:
            return self._judge_reveal(event)
        return self.hidden.judge_pair(event)

    def apply(self, event: Any) -> None:
        if type(event) is events.Play:
            self._play(event)
        elif type(event) is events.Reveal:
            self._reveal(event)
        else:
            self.hidden.declare_pair(event)

    def yields_to(self, event: Any) -> bool:
        """After a revoke has decided the deal the table may stop at once."""
        return self.hidden.revoke is not None and may_stop_at(event)

    def pass_over(self, event: Any) -> None:
        self.is_done = self.is_abandoned = True

    def _end_with_this_trick(self) -> None:
        """The trick is eventful."""
        self.is_eventful = True
        self.count = len(self.ends) + 1

    # Plays

    def _judge_play(self, play: events.Play) -> Fault | None:
        hidden, seat, card = self.hidden, play.seat, BIT[play.card]
        if seat == self.turn == hidden.holder and hidden.lies and card == hidden.card:
            if hidden.is_last_of(seat):
                return None
            return Fault("play.hidden-trump", True, {"seat": seat, "card": play.card})
        fault = super().judge(play)
        if fault is not None and fault.clause == "play.follow-suit" and not self._is_revoke(seat, card):
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
            return None
        return fault

    def _is_revoke(self, seat: int, card: int) -> bool:
        """Whether the seat can follow suit and does not. A face-down card does not count as held."""
        held = self._hands[seat] & self.led
        return bool(held) and not card & self.led and not self.hidden.may_be(seat, held)

    def _play(self, play: events.Play) -> None:
        hidden, seat, card = self.hidden, play.seat, BIT[play.card]
        if hidden.revoke is None and self._is_revoke(seat, card):
            hidden.revoke = play
        is_last = hidden.is_last_of(seat)
        if hidden.lies and card == hidden.card:
            self._hands[seat] |= card
        elif not self._hands[seat] & card:
            self.table.show(seat, card)
        if is_last or (hidden.lies and card == hidden.card):
            hidden.leave(card)
        if is_last:
            self._last_card_at = len(self.plays)
            self._early = sum(self.plays) & ~self.led
            self.trump = hidden.suit
            hidden.show_suit()
            self._end_with_this_trick()
        self.playable |= card
        self._take_cards((events.Play(seat=play.seat, card=play.card),), 0, self.ended_at)
        if self.is_done:
            self._compare_readings()
        else:
            self._offer()

    def _offer(self) -> None:
        """The face-down card may be played as the last one."""
        if self.hidden.card and self.hidden.is_last_of(self.turn):
            self.playable = self.hidden.card

    # The reveal

    def _judge_reveal(self, event: events.Reveal) -> Fault | None:
        seat = event.seat
        if seat != self.turn:
            return Fault("reveal.turn", False, {"seat": seat, "why": "it is not on turn"})
        fault = self._reveal_fault(event)
        if fault is None and self._last_card_at is not None and event.refused is True:
            return self._no_right(seat, "the trump is open already")  # under one reading; it may be refused or not
        if fault is None and (self.table.unseen[seat] or self._hands[seat] & self.led):
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
        return fault

    def _reveal_fault(self, event: events.Reveal) -> Fault | None:
        """What is wrong with a reveal by the seat on turn, as far as its cards are known."""
        seat = event.seat
        held = self._hands[seat] & self.led
        if self.hidden.is_open:
            return self._no_right(seat, "the trump is open already")
        if not self.plays:
            return self._no_right(seat, "it leads")
        if held and not self.hidden.may_be(seat, held):
            return self._no_right(seat, "it can follow suit")
        if event.suit is not UNSET and SUIT[event.suit] not in self.hidden.possible_suits:
            suits = [letter for letter, suit in SUIT.items() if suit in self.hidden.possible_suits]
            return Fault("reveal.suit", True, {"seat": seat, "suit": event.suit, "trump": suits[0]})
        return None

    def _no_right(self, seat: int, why: str) -> Fault:
        return Fault("reveal.turn", True, {"seat": seat, "why": why})

    def _reveal(self, event: events.Reveal) -> None:
        hidden = self.hidden
        if hidden.is_open:
            return
        if self._reveal_fault(event) is None:
            self.asker = event.seat
            self.duties = MUST_TRUMP
        hidden.turn_up(None if event.suit is UNSET else event.suit)
        self.is_revealed_here = True
        self._end_with_this_trick()
        self._opened_at = len(self.plays)
        if self._last_card_at is None:
            self._early = sum(self.plays) & ~self.led
        self.trump = hidden.suit
        hand = self._hands[self.turn]
        self.playable = hand & self.led or (0 if self.table.unseen[self.turn] else hand)
        for duty in self.duties:
            self.playable = duty.narrow(self, self.turn, self.playable)

    # Who takes the trick

    def _compare_readings(self) -> None:
        """Note where the readings differ in who takes the trick. What comes next shows which one the table took."""
        if not self.is_eventful or (self.trump and self._last_card_at is None and not self._early & self.trump):
            return  # no card of the trump suit lay before it was trump
        suits = self.hidden.possible_suits if self.hidden.is_open else [self.trump]
        rows = [row for suit in suits for row in self._readings(suit)]
        self.possible = tuple(dict.fromkeys((self.winner, *(seat for _, seat in rows))))
        if len(self.possible) == 1:
            return
        self.table.closed_trick = None
        if len(suits) > 1:
            self.table.lean("note.unseen", deal=self.table.deal_count - 1)
            return
        for point in (EARLIER_TRUMPS, LAST_CARD):
            takers: dict[str, int] = {}
            for choices, seat in rows:
                if point in choices:
                    takers.setdefault(choices[point], seat)
            if len(set(takers.values())) > 1:
                self.table.lean(point, **takers, **self._scores_by_reading(takers))

    def _scores_by_reading(self, takers: Mapping[str, int]) -> dict[str, Any]:
        if self.scores is None:
            return {}
        points = {reading: self.scores(seat) for reading, seat in takers.items()}
        return {"readings": points} if len(set(points.values())) > 1 else {}

    def _readings(self, suit: int) -> list[tuple[dict[str, str], int]]:
        """The seat that takes the trick under each reading of the open points that it leans on, the default first."""
        openings: list[tuple[dict[str, str], int | None]] = [({}, self._opened_at)]
        if self._last_card_at is not None:
            openings = [({LAST_CARD: "trump"}, self._last_card_at), ({LAST_CARD: "plain"}, self._opened_at)]
        rows = []
        for choices, opened_at in openings:
            if opened_at:
                rows.append(({**choices, EARLIER_TRUMPS: "plain"}, self._taker(opened_at, suit)))
                rows.append(({**choices, EARLIER_TRUMPS: "trumps"}, self._taker(0, suit)))
            else:
                rows.append((choices, self._taker(opened_at, suit)))
        return rows

    def _taker(self, opened_at: int | None, suit: int) -> int:
        """Who takes the trick if the cards of a suit are trumps from the one at ``opened_at`` on."""
        trumps = 0 if opened_at is None or suit == self.led else sum(self.plays[opened_at:]) & suit
        best = self.plain.top(trumps or sum(self.plays) & self.led)
        return (self.leader + self.plays.index(best)) % self.table.seat_count


@dataclass(slots=True)
class _Taken:
    """A trick with one of the seats that may have taken it."""

    winner: int
    card_points: int


class OpenTrick(Stage):
    """Who took a trick depends on how the table reads the rules: its claim shows it, or the next lead.

    Where neither does, the default stands, and ``is_settled`` is false.
    """

    __slots__ = ("_is_claimed", "is_abandoned", "is_done", "is_settled", "trick")

    hears: ClassVar[tuple[type, ...]] = (events.TrickClaim, events.Reveal, events.Pair)

    def __init__(self, trick: HiddenTrumpTrick) -> None:
        self.trick = trick
        self.is_done = self.is_settled = self.is_abandoned = False
        self._is_claimed = False

    @property
    def turn(self) -> int:
        """The seat that leads next, under the default reading."""
        return self.trick.winner

    @property
    def is_last(self) -> bool:
        return self.trick.scores is not None

    def judge(self, event: Any) -> Fault | None:
        if isinstance(event, events.TrickClaim):
            return self._judge_claim(event)
        if self.is_last:
            return self.unheard(event)
        if isinstance(event, events.Pair):
            return self.trick.hidden.judge_pair(event, self.trick.possible)
        if event.seat not in self.trick.possible:
            return Fault("reveal.turn", False, {"seat": event.seat, "why": "it is not on turn"})
        return Fault("reveal.turn", True, {"seat": event.seat, "why": "the trump is open already"})

    def apply(self, event: Any) -> None:
        match event:
            case events.Pair():
                self.trick.hidden.declare_pair(event)
            case events.TrickClaim() if not self._is_claimed:
                self._is_claimed = True
                if event.winner in self.trick.possible:
                    self._settle(event.winner)

    def unheard(self, event: Any) -> Fault:
        if isinstance(event, events.Play) and not self.is_last:
            return Fault("play.turn", False, {"seat": event.seat, "turn": self.turn})
        return super().unheard(event)

    def yields_to(self, event: Any) -> bool:
        if isinstance(event, events.Play):
            return not self.is_last and event.seat in self.trick.possible and event.refused is not True
        return (self.is_last or self.trick.hidden.revoke is not None) and may_stop_at(event)

    def pass_over(self, event: Any) -> None:
        if isinstance(event, events.Play):
            self._settle(event.seat)
        self.is_abandoned = not self.is_last and not self.is_settled
        self.is_done = True

    def legal(self) -> list[str] | None:
        return None

    def _judge_claim(self, claim: events.TrickClaim) -> Fault | None:
        if self._is_claimed:
            return claims.judge_trick(None, claim)
        winner = claim.winner if claim.winner in self.trick.possible else self.trick.winner
        return claims.judge_trick(_Taken(winner, self.trick.card_points), claim)

    def _settle(self, winner: int) -> None:
        taken = self.trick.table.tricks_taken
        taken[self.trick.winner] -= 1
        taken[winner] += 1
        self.trick.winner = self.trick.winners[-1] = winner
        self.is_settled = self.is_done = True


def may_stop_at(event: Any) -> bool:
    """Whether an event, or the end of the log (``None``), shows that the table plays this deal no further."""
    ends = events.SCORE_CLAIMS + events.RESULT_CLAIMS + events.OPENERS
    return event is None or (isinstance(event, ends) and event.refused is not True)
