"""Three stones in a row: two seats, a board of nine points, three stones each.

The running order below is the rules page from top to bottom; the board and the stages of a round stand beneath it.
No cards are in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET

from auditor import events
from auditor.deals import Shuffle
from auditor.game import Game
from auditor.settlement import Line, Reading, Settlement
from auditor.stage import BrokenDeal, Fault, MatchOver, RunningOrder, Stage, word_for
from auditor.table import Numbers, Table

ID = "three-stones"
SEAT_COUNT = 2
STONE_COUNT = 3 * SEAT_COUNT
#: A round is drawn when both seats have used 20 moves. The source does not say whether a placement is one.
MOVES = 20 * SEAT_COUNT
MOVES_AFTER_PLACEMENTS = MOVES - STONE_COUNT


#: ``movement``: to a neighbour along a line, or to any free point; ``rounds``: how many are to be played.
Options = events.options_form(
    movement=Literal["slide", "jump"],
    rounds=Literal[3, 5, 7, 10],
)


DEFAULTS = MappingProxyType({"movement": "slide", "rounds": 3})


def running_order(table: Table, shuffle: Shuffle | None) -> RunningOrder:
    """A match: rounds until a seat has won most of them; after the last one the higher score, or deciding rounds."""
    rounds: int = table.options["rounds"]
    reach = REACH[table.options["movement"]]
    played = 0

    def ends(totals: Numbers) -> bool:
        return totals[0] != totals[1] and (2 * max(totals) > rounds or played >= rounds)

    first = None  # the first round may have either seat first
    while not ends(table.totals):
        start = RoundStart(table, first)
        totals = table.totals
        try:
            yield start
            played += 1
            assert start.first is not None
            first = start.first

            last: Turns = Placement(table, first)
            yield last
            move_count = 0

            # No seat is ever blocked: all points beside its three stones can only be taken by a line.
            if winner(table) is None:
                last = Movement(table, first, reach)
                yield last
                move_count = last.count
            if winner(table) is None:
                last_moves = LastMoves(table, first, reach, ends)
                yield last_moves
                move_count += last_moves.count
                last = last_moves if last_moves.count else last

            yield RoundScore(table, last, move_count, ends)
            first = table.after(first)
        except BrokenDeal:
            first = None  # either seat may be first after a broken round
            if not start.is_done and table.totals != totals:
                played += 1  # a round whose beginning the log lacks; only its score is known

    yield MatchOver(int(table.totals[0] < table.totals[1]))


# The board: points and stones are bits

POINTS = ("a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3")
BIT: Mapping[str, int] = {point: 1 << index for index, point in enumerate(POINTS)}
ALL_POINTS = sum(BIT.values())
#: The eight lines, along which stones also slide.
DRAWN_LINES = ("a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 b2 c3", "a3 b2 c1")
LINES = frozenset(sum(BIT[point] for point in line.split()) for line in DRAWN_LINES)

#: Where a stone may go from a point, by the point's bit, if nothing lies there.
Reach: TypeAlias = Mapping[int, int]


def _neighbours(point: str) -> int:
    """The points beside this one on a line."""
    found = 0
    for line in DRAWN_LINES:
        one, middle, other = line.split()
        if point in (one, other):
            found |= BIT[middle]
        elif point == middle:
            found |= BIT[one] | BIT[other]
    return found


REACH: Mapping[str, Reach] = {
    "slide": {BIT[point]: _neighbours(point) for point in POINTS},
    "jump": dict.fromkeys(BIT.values(), ALL_POINTS),
}


def free(table: Table) -> int:
    """The points without a stone."""
    return ALL_POINTS ^ sum(table.stones)


def winner(table: Table) -> int | None:
    """The seat that has three in a row."""
    for seat, stones in enumerate(table.stones):
        if stones in LINES:
            return seat
    return None


def over(table: Table) -> Fault:
    """The fault of an act after the round has ended."""
    return Fault("round.over", False, {"end": "drawn" if winner(table) is None else "line"})


# A round


class RoundStart(Stage):
    """A round begins; ``first`` is the seat that should start it, or ``None`` for either."""

    __slots__ = ("first", "is_done", "table")

    hears: ClassVar[tuple[type, ...]] = (events.Round,)
    quick: ClassVar[tuple[type, ...]] = hears
    opens_deal: ClassVar[bool] = True

    def __init__(self, table: Table, first: int | None) -> None:
        self.table = table
        self.first = first
        self.is_done = False

    def judge(self, event: events.Round) -> Fault | None:
        if self.first is not None and event.first != self.first:
            return Fault("round.first", True, {"first": event.first, "due": self.first}, self.first, event.first)
        return None

    def apply(self, event: events.Round) -> None:
        self.first = event.first
        self.table.begin_round(POINTS)
        self.is_done = True

    def unheard(self, event: Any) -> Fault:
        """A stone is laid or moved: the round before this one is over, if there was one."""
        return super().unheard(event) if self.first is None else over(self.table)


class Turns(Stage, ABC):
    """The seats act in turn, ``limit`` times in all or until one of them has three in a row.

    They place stones or move them, whichever comes first in ``hears``; it is not the turn of the other.
    """

    __slots__ = ("count", "is_done", "table", "turn")

    limit: ClassVar[int]

    def __init__(self, table: Table, first: int) -> None:
        self.table = table
        self.turn = first
        self.count = 0
        self.is_done = False

    def take(self, log: Sequence[Any], index: int) -> int:
        """Take the acts that come in a row. The clock may do anything legal, so who acted does not matter."""
        due: Any = self.hears[0]
        stones = self.table.stones
        seat, empty = self.turn, free(self.table)
        start = index
        for act in log[index : index + self.limit - self.count]:
            if type(act) is not due or act.seat != seat or act.refused is not UNSET:
                break
            change = self.open_change(act, stones[seat], empty)
            if not change:
                break
            index += 1
            empty ^= change
            stones[seat] = own = stones[seat] ^ change
            seat = 1 - seat
            if own in LINES:
                self.is_done = True
                break
        self.turn = seat
        self.count += index - start
        self.is_done = self.is_done or self.count == self.limit
        return index

    def judge(self, act: Any) -> Fault | None:
        if act.seat != self.turn or type(act) is not self.hears[0]:
            kinds = {"kind": word_for(type(act)), "awaited": word_for(self.hears[0])}
            return Fault("turn.order", False, {"seat": act.seat, "turn": self.turn, **kinds})
        return None if self.is_open(act) else self.broken(act)

    def apply(self, act: Any) -> None:
        stones = self.table.stones
        stones[act.seat] ^= self.change(act)
        self.count += 1
        self.turn = self.table.after(act.seat)
        self.is_done = self.count == self.limit or stones[act.seat] in LINES

    def is_open(self, act: Any) -> bool:
        """Whether the seat on turn may do this."""
        return self.open_change(act, self.table.stones[act.seat], free(self.table)) != 0

    @abstractmethod
    def open_change(self, act: Any, own: int, empty: int) -> int:
        """The points at which a seat with these stones has others after a legal act; 0 if it is not legal."""

    @abstractmethod
    def change(self, act: Any) -> int:
        """The same for an act that was judged: one that is legal, or that stands."""

    @abstractmethod
    def broken(self, act: Any) -> Fault:
        """The clause that an act of the seat on turn breaks, which is not legal."""

    @abstractmethod
    def moves(self) -> Sequence[Any]:
        """Every legal act, in the order of the board."""

    def judge_point(self, seat: int, point: str) -> Fault | None:
        """There is such a point, and no stone lies on it."""
        if point in BIT and BIT[point] & free(self.table):
            return None
        trouble = "taken" if point in BIT else "no such point"
        return Fault("board.point", False, {"seat": seat, "point": point, "trouble": trouble})


class Placement(Turns):
    """Each seat places a stone in its turn, until both have three on the board."""

    __slots__ = ()

    hears: ClassVar[tuple[type, ...]] = (events.Place, events.Move)
    limit: ClassVar[int] = STONE_COUNT

    def open_change(self, act: events.Place, own: int, empty: int) -> int:
        return BIT.get(act.point, 0) & empty

    def change(self, act: events.Place) -> int:
        return BIT[act.point]

    def broken(self, act: events.Place) -> Fault:
        fault = self.judge_point(act.seat, act.point)
        assert fault is not None
        return fault

    def legal(self) -> list[str]:
        return [act.point for act in self.moves()]

    def moves(self) -> list[events.Place]:
        return [events.Place(seat=self.turn, point=point) for point in POINTS if BIT[point] & free(self.table)]


class Movement(Turns):
    """Each seat moves a stone in its turn, to a free point in reach."""

    __slots__ = ("reach",)

    hears: ClassVar[tuple[type, ...]] = (events.Move, events.Place)
    limit: ClassVar[int] = MOVES_AFTER_PLACEMENTS

    def __init__(self, table: Table, first: int, reach: Reach) -> None:
        super().__init__(table, first)
        self.reach = reach

    def open_change(self, act: events.Move, own: int, empty: int) -> int:
        origin = BIT.get(act.origin, 0) & own
        to = BIT.get(act.to, 0) & self.reach.get(origin, 0) & empty
        return to and origin | to

    def change(self, act: events.Move) -> int:
        return BIT[act.origin] | BIT[act.to]

    def broken(self, act: events.Move) -> Fault:
        if act.origin not in BIT:
            return Fault("board.point", False, {"seat": act.seat, "point": act.origin, "trouble": "no such point"})
        if fault := self.judge_point(act.seat, act.to):
            return fault
        if not BIT[act.origin] & self.table.stones[act.seat]:
            return Fault("move.own", False, {"seat": act.seat, "from": act.origin})
        return Fault("move.adjacent", True, {"seat": act.seat, "from": act.origin, "to": act.to})

    def legal(self) -> list[str]:
        return [f"{act.origin}-{act.to}" for act in self.moves()]

    def moves(self) -> list[events.Move]:
        every = (
            events.Move(seat=self.turn, origin=origin, to=to) for origin in POINTS for to in POINTS if origin != to
        )
        return [act for act in every if self.is_open(act)]


class LastMoves(Movement):
    """The moves that are left where placements do not count among the 20.

    Where they count, the round is drawn already. A claim of that, the next round, or a result that only a draw gives
    shows that the table reads it so; a move shows that it does not.
    """

    __slots__ = ("_ends",)

    limit: ClassVar[int] = MOVES - MOVES_AFTER_PLACEMENTS

    def __init__(self, table: Table, first: int, reach: Reach, ends: Callable[[Numbers], bool]) -> None:
        super().__init__(table, first, reach)
        self._ends = ends

    def judge(self, act: Any) -> Fault | None:
        fault = super().judge(act)
        if fault is None and act.refused is True:  # rightly so where the round is drawn
            self.table.lean(TWENTY_MOVES, taken=PLACEMENTS_TOO, readings={PLACEMENTS_TOO: DRAWN})
        return fault

    def due(self) -> Numbers | None:
        return None if self.count else DRAWN

    def yields_to(self, event: Any) -> bool:
        if self.count or event is None or event.refused is True:
            return False
        if isinstance(event, events.TeamScoreClaim):
            return tuple(event.deal) == DRAWN
        if isinstance(event, events.TeamResultClaim):
            return event.winner is not None and self._ends(self.table.totals)
        return isinstance(event, events.Round)

    def pass_over(self, event: Any) -> None:
        self.is_done = True


# The score of a round

DRAWN: Numbers = (0, 0)

TWENTY_MOVES, ONLY_MOVES, PLACEMENTS_TOO = "open.twenty-moves", "only moves", "placements too"


class RoundScore(Settlement):
    """Three in a row is worth a point. ``last`` is the last turns that were taken, after ``move_count`` moves."""

    __slots__ = ("_move_count",)

    def __init__(self, table: Table, last: Turns, move_count: int, ends: Callable[[Numbers], bool]) -> None:
        won = winner(table)
        if won is None:
            clause, facts = "score.drawn", {"moves": move_count}
        else:
            clause, facts = "score.line", {"seat": won}
        causes = (last,)
        lines = [Line(seat, int(seat == won), clause, facts, causes) for seat in range(SEAT_COUNT)]
        super().__init__(table, [Reading({}, lines, SEAT_COUNT)], ends)
        self._move_count = move_count

    def unheard(self, event: Any) -> Fault:
        return super().unheard(event) if isinstance(event, events.Round) else over(self.table)

    def leaned_on(self) -> Iterator[tuple[str, Any, dict[str, Numbers]]]:
        if self._move_count > MOVES_AFTER_PLACEMENTS:
            yield TWENTY_MOVES, ONLY_MOVES, {ONLY_MOVES: self.points, PLACEMENTS_TOO: DRAWN}
        elif self._move_count == MOVES_AFTER_PLACEMENTS and self.points == DRAWN:
            yield TWENTY_MOVES, PLACEMENTS_TOO, {PLACEMENTS_TOO: DRAWN}


def timeout(stage: Stage, act: Any) -> Fault | None:
    """A bot takes the seat of a player whose time is up, and may make any legal move."""
    return None


GAME = Game(
    ID,
    events.match_form(
        ID,
        events.Place | events.Move | events.Round | events.TeamScoreClaim | events.TeamResultClaim | events.Note,
        Options,
        SEAT_COUNT,
        SEAT_COUNT,
    ),
    DEFAULTS,
    running_order,
    timeout,
    has_partners=False,
    seat_counts=(SEAT_COUNT,),
)
