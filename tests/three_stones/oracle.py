"""A second reading of the rules of three stones: slow, flat, and made only of dicts, lists and strings.

In: a match as a plain dict, as it stands in a log of well-formed events. Out: what has to be said of it, and the board
after each event. It shares nothing with the auditor, so that the two can disagree. Refuses to know messages.

Where the rules do not settle what has to be said, the oracle takes some reading and writes the place down as a doubt:
from the first doubt on, a comparison proves nothing.
"""

from __future__ import annotations

from typing import Any

from tests.oracles import Event, Found, Row

Pair = tuple[int, int]

FILES, RANKS = "abc", "123"
POINTS = [file + rank for file in FILES for rank in RANKS]
LINES = [
    *([file + rank for rank in RANKS] for file in FILES),
    *([file + rank for file in FILES] for rank in RANKS),
    ["a1", "b2", "c3"],
    ["a3", "b2", "c1"],
]
MAJORITY = {3: 2, 5: 3, 7: 4, 10: 6}
CLAIMS = ("score", "result")


def is_beside(one: str, other: str) -> bool:
    """Next to each other along one of the eight lines: sideways, up or down, and aslant only from or to the centre."""
    files, ranks = abs(ord(one[0]) - ord(other[0])), abs(ord(one[1]) - ord(other[1]))
    if files + ranks == 1:
        return True
    return files == ranks == 1 and "b2" in (one, other)


def has_line(board: dict[str, int], seat: int) -> bool:
    return any(all(board.get(point) == seat for point in line) for line in LINES)


class Round:
    """The round on the table."""

    def __init__(self, first: int) -> None:
        self.board: dict[str, int] = {}
        self.turn = first
        self.placed = 0
        self.moves = 0
        self.acted_at = 0

    def may_be_drawn(self) -> bool:
        """Both have used 20 moves if their placements are counted, and nobody has a line."""
        return self.moves == 34


def legal(round_: Round, movement: str) -> list[Event]:
    """All that the seat on turn may do."""
    seat, board = round_.turn, round_.board
    free = [point for point in POINTS if point not in board]
    if round_.placed < 6:
        return [{"type": "place", "seat": seat, "point": point} for point in free]
    own = [point for point in POINTS if board.get(point) == seat]
    return [
        {"type": "move", "seat": seat, "from": start, "to": to}
        for start in own
        for to in free
        if movement == "jump" or is_beside(start, to)
    ]


def judge(document: dict[str, Any]) -> dict[str, Any]:
    """Everything that has to be said of a match."""
    reading = Reading(document)
    reading.read()
    return reading.said()


class Reading:
    """One reading of a match from its first event to its last."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        options = document.get("options", {})
        self.movement: str = options.get("movement", "slide")
        self.rounds: int = options.get("rounds", 3)
        self.findings: list[Found] = []
        self.deals: list[dict[str, Any]] = []
        self.doubts: list[tuple[int, str]] = []
        self.boards: list[dict[str, int]] = []
        self.totals: Pair = (0, 0)
        self.played = 0
        self.round: Round | None = None
        self.last_board: dict[str, int] = {}
        self.due_first: int | None = None
        self.unclaimed: Pair | None = None  # the points of the round that has ended, until something else follows
        self.is_broken_unclaimed = False
        self.has_ended_round = False  # a round has been played to its end, and no other has begun or broken since
        self.strike: tuple[int, Event] | None = None  # the impossible event just before
        self.between = False
        self.claimed_early = False
        self.skipping = False
        self.skipped_at: int | None = None
        self.result_claimed = False

    # --- what is said ---

    def find(self, kind: str, clause: str, at: int, seat: int | None = None) -> None:
        self.findings.append(Found(kind, clause, at, seat))

    def doubt(self, at: int, why: str) -> None:
        self.doubts.append((at, why))

    @property
    def over(self) -> bool:
        one, other = self.totals
        if self.round is not None or one == other:
            return False
        return max(one, other) >= MAJORITY[self.rounds] or self.played >= self.rounds

    @property
    def winner(self) -> int | None:
        return None if not self.over else 0 if self.totals[0] > self.totals[1] else 1

    def said(self) -> dict[str, Any]:
        kinds = {finding.kind for finding in self.findings}
        if "illegal" in kinds:
            status = "illegal"
        elif "claim" in kinds:
            status = "misscored"
        else:
            status = "clean" if self.over else "incomplete"
        return {
            "findings": sorted(self.findings, key=lambda finding: finding.event),
            "deals": self.deals,
            "totals": self.totals,
            "winner": self.winner,
            "over": self.over,
            "status": status,
            "doubts": self.doubts,
            "boards": self.boards,
        }

    # --- one event after another ---

    def read(self) -> None:
        for at, event in enumerate(self.document["events"]):
            self.boards.append(dict(self.last_board))
            if event["type"] != "note":
                self.event(at, event)
        self.boards.append(dict(self.last_board))
        if self.round is not None:
            self.enter("unfinished", None)

    def event(self, at: int, event: Event) -> None:
        if self.skipping:
            if event["type"] not in ("round", "result"):
                self.skip(at, event)
                return
            if event.get("refused"):
                self.doubt(at, "a refused round or result among skipped events")
            self.skipping = False
        if self.result_claimed and not self.over:
            self.doubt(at, "an event after the result of a match that is not over")
        if event["type"] in CLAIMS:
            self.between = self.strike is not None
            if event.get("refused"):
                self.doubt(at, "a refused claim")
            elif event["type"] == "score":
                self.score(at, event)
            else:
                self.result(at, event)
        elif event.get("refused"):
            self.between = self.strike is not None
            self.refusal(at, event)
        else:
            self.act(at, event)

    def refusal(self, at: int, event: Event) -> None:
        """A refused act must be illegal, at least under some reading of the twenty moves."""
        round_ = self.round
        if event["type"] == "round" and round_ is not None:
            return
        if self.fault(event)[0] is not None:
            return
        if round_ is not None and round_.moves >= 34:
            self.find("open", "open.twenty-moves", at, event["seat"])
        else:
            self.find("illegal", "refusal.legal", at, event.get("seat"))

    def act(self, at: int, event: Event) -> None:
        if event["type"] == "round" and self.round is not None and self.round.may_be_drawn():
            self.draw_before(at)
        clause, stands = self.fault(event)
        if clause is not None and not stands:
            self.impossible(at, event, clause)
            return
        if clause is not None:
            self.find("illegal", clause, at, event.get("seat"))
        self.strike, self.between = None, False
        self.take(at, event)

    # --- the clauses, in the order of the page ---

    def fault(self, event: Event) -> tuple[str | None, bool]:
        if event["type"] == "round":
            if self.round is not None:
                return "flow.kind", False
            if self.over:
                return "match.over", False
            if self.due_first is not None and event["first"] != self.due_first:
                return "round.first", True
            return None, True
        round_ = self.round
        if round_ is None:
            if self.unclaimed is not None:
                return "round.over", False
            if self.over:
                return "match.over", False
            return ("round.over" if self.has_ended_round else "flow.kind"), False
        if event["seat"] != round_.turn or (event["type"] == "place") != (round_.placed < 6):
            return "turn.order", False
        to = event["point" if event["type"] == "place" else "to"]
        if event.get("from", "a1") not in POINTS or to not in POINTS or to in round_.board:
            return "board.point", False
        if event["type"] == "move":
            if round_.board.get(event["from"]) != event["seat"]:
                return "move.own", False
            if self.movement == "slide" and not is_beside(event["from"], to):
                return "move.adjacent", True
        return None, True

    # --- what happens ---

    def take(self, at: int, event: Event) -> None:
        if event["type"] == "round":
            self.begin(event)
            return
        round_ = self.round
        assert round_ is not None
        seat = event["seat"]
        if event["type"] == "place":
            round_.board[event["point"]] = seat
            round_.placed += 1
        else:
            del round_.board[event["from"]]
            round_.board[event["to"]] = seat
            round_.moves += 1
        round_.turn = 1 - seat
        round_.acted_at = at
        self.last_board = dict(round_.board)
        if has_line(round_.board, seat):
            self.end_round((1, 0) if seat == 0 else (0, 1), at)
        elif round_.moves == 40:
            self.end_round((0, 0), at)

    def begin(self, event: Event) -> None:
        self.round = Round(event["first"])
        self.last_board = {}
        self.due_first = 1 - event["first"]
        self.played += 1
        self.unclaimed = None
        self.has_ended_round = self.is_broken_unclaimed = self.claimed_early = False

    def draw_before(self, at: int) -> None:
        """What comes shows that the round was drawn with the event before it."""
        last = max(before for before in range(at) if self.document["events"][before]["type"] != "note")
        self.end_round((0, 0), last)

    def end_round(self, points: Pair, at: int) -> None:
        round_, self.round = self.round, None
        assert round_ is not None
        if round_.moves > 34 or (round_.moves == 34 and points == (0, 0)):
            self.find("open", "open.twenty-moves", at)
        self.totals = (self.totals[0] + points[0], self.totals[1] + points[1])
        self.unclaimed = points
        self.has_ended_round = True
        self.enter("scored", points)
        clause = "score.line" if 1 in points else "score.drawn"
        rows = [Row(seat, "points", clause, points[seat], [round_.acted_at]) for seat in (0, 1)]
        self.deals[-1]["ledgers"] = [(points, rows)]

    def enter(self, outcome: str, points: Pair | None) -> None:
        self.deals.append({"outcome": outcome, "points": points, "totals": self.totals})

    # --- broken rounds ---

    def impossible(self, at: int, event: Event, clause: str) -> None:
        if self.strike is None:
            self.find("illegal", clause, at, event.get("seat"))
            self.strike = (at, event)
            return
        if self.between:
            self.doubt(at, "two impossible events with a refused event or a claim between them")
        if self.round is None:
            self.doubt(at, "two impossible events where no round is on the table")
            return
        if self.claimed_early:
            self.doubt(at, "a score that was claimed too early for a round that turns out broken")
        _, before = self.strike
        self.strike, self.between = None, False
        if event["type"] == "round":
            self.doubt(at, "a round is the second impossible event")
        self.break_round()
        if before["type"] == "round":
            if self.over:
                self.doubt(at, "a round begun in the middle of one that, being broken, was the last")
            place = event["type"] == "place" and event["seat"] == before["first"] and event["point"] in POINTS
            if place:
                self.begin(before)
                self.take(at, event)
                return
            self.doubt(at, "an event that fits neither the round nor the one begun in the middle of it")
        self.skipping, self.skipped_at = True, None
        self.skip(at, event)

    def break_round(self) -> None:
        self.round = None
        self.due_first = None
        self.is_broken_unclaimed = True
        self.has_ended_round = False
        self.enter("broken", None)

    def skip(self, at: int, event: Event) -> None:
        if self.skipped_at is None:
            self.skipped_at = at
            self.find("note", "note.skipped", at)
        if event["type"] != "score":
            return
        if event.get("refused"):
            self.doubt(at, "a refused claim")
        if not self.is_broken_unclaimed:
            self.doubt(at, "a second claim for a broken round")
            return
        self.is_broken_unclaimed = False
        self.totals = (self.totals[0] + event["deal"][0], self.totals[1] + event["deal"][1])
        self.deals[-1]["totals"] = self.totals
        if tuple(event["total"]) != self.totals:
            self.find("claim", "claim.total", at)

    # --- claims ---

    def score(self, at: int, event: Event) -> None:
        points, total = tuple(event["deal"]), tuple(event["total"])
        if self.round is not None and self.round.may_be_drawn() and points == (0, 0):
            self.draw_before(at)
        if self.unclaimed is None or self.round is not None:
            self.claimed_early = self.round is not None
            self.find("claim", "claim.score", at)
            return
        if points != self.unclaimed:
            self.find("claim", "claim.score", at)
        elif total != self.totals:
            self.find("claim", "claim.total", at)
        self.unclaimed = None
        self.strike, self.between = None, False

    def result(self, at: int, event: Event) -> None:
        if self.result_claimed:
            self.doubt(at, "a second result")
        if self.round is not None and self.round.may_be_drawn() and event["winner"] is not None:
            one, other = self.totals
            if one != other and self.played >= self.rounds:
                self.draw_before(at)
        self.result_claimed = True
        self.unclaimed = None
        if event["winner"] != self.winner or tuple(event["total"]) != self.totals:
            self.find("claim", "claim.result", at)
