"""The driver: plays a match back through its game's running order and says what was wrong.

In: a typed match and a game. Out: a verdict, or the table as it stood before an event. It owns what is the same
for all games: refused moves, claims, what stands and what is ignored, broken deals, one-seat logs, the order of
findings. Refuses to know which game it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from auditor import claims, events
from auditor.deals import Shuffle
from auditor.game import Game
from auditor.settlement import Line, Settlement
from auditor.stage import BrokenDeal, Fault, MatchOver, Stage, word_for
from auditor.table import Foresight, Numbers, Table, added
from auditor.verdict import DealResult, Finding, LedgerLine, Outcome, Verdict, linked, status

#: Findings about totals; what becomes of one deal says nothing of them.
_OF_TOTALS = ("claim.total", "claim.result")
#: No more than these are played back to judge refused moves between deals: hundreds of them. Others accuse nobody.
_MOST_TRIAL_EVENTS = 100_000


def audit(game: Game, match: events.Match, digest: str | None = None) -> Verdict:
    """The verdict on a match of a game; ``digest`` is that of its log."""
    replay = Replay(game, match)
    replay.run()
    return replay.verdict(digest)


@dataclass(slots=True)
class _OpenDeal:
    """The deal on the table, while it has not come to its end."""

    first: int
    last: int = 0
    claimed_points: Numbers | None = None
    claimed_totals: Numbers | None = None


@dataclass(slots=True)
class _Stray:
    """An event that could not happen, and what was found of it. ``mark`` counts the findings up to that one."""

    index: int
    event: Any
    finding: Finding
    mark: int


@dataclass(slots=True)
class _Skip:
    """A stretch of events that is not replayed because its deal is broken, or was over and is scored as it is.

    ``origin`` is what was found of the event that led to this.
    """

    first: int
    origin: Finding
    count: int = 0
    is_scored: bool = False
    is_claimed: bool = False


class Replay:
    """One match being played back."""

    def __init__(self, game: Game, match: events.Match, fills_unseen: bool = True, like: Table | None = None) -> None:
        """With ``like`` it begins where the deal on that table began: with its totals, and that deal's number."""
        given = {} if match.options is UNSET else _given(match.options)
        self.table = game.table(len(match.players), given)
        if like is not None:
            self.table.set_totals(like.totals, tuple(like.other_totals))
            self.table.deal_count = like.deal_count - 1
        self.findings: list[Finding] = []
        self.deals: list[DealResult] = []
        self._game = game
        self._match = match
        self._fills_unseen = fills_unseen
        self._deal: _OpenDeal | None = None
        self._skip: _Skip | None = None
        #: The event just before, if it could not happen: one more and the table went another way.
        self._stray: _Stray | None = None
        #: What follows from an earlier finding: the two of them.
        self._consequences: list[tuple[Finding, Finding]] = []
        self._unseen_noted_in_deal = -1
        self._result_claimed = False
        #: So many events were played back to judge refused ones.
        self._trial_events = 0
        #: The event that comes next.
        self._reached = 0
        #: The event with which the last stage but this one was done.
        self._done_at = 0
        self._order = game.order(self.table, None if match.shuffle is UNSET else Shuffle(match.shuffle))
        self.stage: Stage = next(self._order)

    def run(self, until: int | None = None) -> None:
        """Play the events back from where it stands, all of them or those before index ``until``."""
        log: Sequence[Any] = self._match.events if until is None else self._match.events[:until]
        index, end = self._reached, len(log)
        leanings = self.table.leanings
        leanings.clear()
        is_calm = self._stray is None and self._skip is None
        while index < end:
            stage = self.stage
            # The usual events: legal, and nothing out of the ordinary before them.
            taken = stage.take(log, index) if is_calm else index
            if taken > index:
                index = taken
                if leanings:  # what came of the last event is open
                    self._report(index - 1, log[index - 1], None)
                if stage.is_done:
                    self._leave(stage, index - 1)
                elif self._deal is not None:
                    self._deal.last = index - 1
            else:
                self._hear(index, log[index])
                index += 1
                is_calm = self._stray is None and self._skip is None
        self._reached = index
        if until is None:
            self._end()

    def step(self) -> None:
        """Play back one event more."""
        self._hear(self._reached, self._match.events[self._reached])
        self._reached += 1

    def verdict(self, digest: str | None = None) -> Verdict:
        """What there is to say once all events are played back."""
        match = self._match
        findings = linked(self._in_order(), self.deals)
        return Verdict(
            match=match.match,
            ruleset=match.ruleset,
            options=self.table.options,
            producer=None if match.producer is UNSET else _given(match.producer),
            log_digest=digest,
            status=status(findings, self.is_over),
            findings=findings,
            deals=tuple(self.deals),
            totals=self.table.totals,
            winner=self.winner,
            over=self.is_over,
        )

    def _in_order(self) -> list[Finding]:
        """The findings in the order of the log, each with the earlier one that it follows from."""
        findings = self.findings
        if len(findings) > 1:
            findings = sorted(findings, key=lambda finding: -1 if finding.event is None else finding.event)
        if self._consequences:
            number_of = {id(finding): number for number, finding in enumerate(findings)}
            for finding, origin in self._consequences:
                number = number_of[id(finding)]
                findings[number] = replace(finding, follows=number_of[id(origin)])
        return findings

    @property
    def is_over(self) -> bool:
        """Whether the match has come to its end."""
        return isinstance(self.stage, MatchOver)

    @property
    def winner(self) -> int | None:
        """The winning side; ``None`` for a draw and as long as the match is not over."""
        return self.stage.winner if isinstance(self.stage, MatchOver) else None

    @property
    def is_skipping(self) -> bool:
        """Whether the deal on the table is broken, so that its events are not replayed."""
        return self._skip is not None and not self._skip.is_scored

    # One event

    def _hear(self, index: int, event: Any) -> None:
        if isinstance(event, events.Note):
            return
        self.table.leanings.clear()
        if self._skip is not None:
            ends = events.OPENERS + events.RESULT_CLAIMS + (events.SCORE_CLAIMS if self._skip.is_scored else ())
            if event.refused is True or not isinstance(event, ends) or self._is_later_batch(index):
                self._skip_over(index, event)
                return
            self._resume(index)
        if event.refused is True:
            self._check_refusal(index, event)
            return
        self._pass_over(index, event)
        if self._skip is not None:
            self._skip_over(index, event)
        elif isinstance(event, events.CLAIMS) and type(event) not in self.stage.hears:
            self._claim(index, event)
        else:
            self._act(index, event)

    def _pass_over(self, index: int, event: Any) -> None:
        """Leave a stage that only waited for a word which now cannot come."""
        while self._skip is None and self.stage.yields_to(event):
            self.stage.pass_over(event)
            self._leave(self.stage, self._done_at if self.stage.closes_deal else self._last_before(index))

    def _act(self, index: int, event: Any) -> None:
        """Judge a move, report it if it is illegal, and take it if it could happen."""
        event = self._filled(index, event)
        fault = self._judge(event)
        if fault is None or fault.stands:
            self._report(index, event, fault)
            self._take(index, event)
        elif fault.ends_replay:
            self._report(index, event, fault)
            self._stray = None
            self._skip = _Skip(index + 1, self.findings[-1], is_scored=True)
        elif self._stray is None:
            self._report(index, event, fault)
            self._stray = _Stray(index, event, self.findings[-1], len(self.findings))
        else:
            self._go_another_way(index, event)

    def _judge(self, event: Any) -> Fault | None:
        stage = self.stage
        if type(event) not in stage.hears:
            return stage.unheard(event)
        fault = stage.judge(event)
        if fault is None and event.by == "timeout":
            fault = self._game.timeout(stage, event)
        return fault

    def _take(self, index: int, event: Any) -> None:
        stage = self.stage
        stage.ended_at = index
        stage.apply(event)
        if self.table.leanings:  # what came of the event is open
            self._report(index, event, None)
        self._stray = None
        if stage.is_done:
            self._leave(stage, index)
        elif self._deal is not None:
            self._deal.last = index

    def _leave(self, stage: Stage, index: int) -> None:
        """A stage is done with this event: on to the next one, if the deal can be played on."""
        stage.ended_at = index
        if stage.opens_deal:
            self._deal = _OpenDeal(index)
        elif stage.closes_deal:
            self._close(cast("Settlement", stage), index)
        if stage.is_broken:
            broken_at = index if stage.broken_by is None else self._place_of(stage.broken_by)
            self._skip = _Skip(index + 1, self._fault_at(broken_at))
        else:
            self._done_at = index
            self.stage = next(self._order)

    def _check_refusal(self, index: int, event: Any) -> None:
        """A refused move must be illegal; it changes nothing. Where the rules leave it open, either will do."""
        stage = self.stage
        replay = self._after_this_stage(index, event) if stage.yields_to(event) else self
        if replay is None:
            self._report(index, event, None)
            return
        if isinstance(event, events.CLAIMS) and type(event) not in replay.stage.hears:
            fault = replay._judge_claim(event)
        else:
            fault = replay._judge(event)
        if replay is not self:
            self.table.leanings += replay.table.leanings
        is_open = isinstance(stage, Settlement) and stage.leaves_open(event)
        if fault is None and not self.table.leanings and not is_open:
            self._report(index, event, Fault("refusal.legal", False, {"kind": word_for(type(event))}))
        else:
            self._report(index, event, None)

    def _after_this_stage(self, index: int, event: Any) -> Replay | None:
        """A replay of this deal alone that has passed over the present stage, which itself still waits for its word.

        ``None`` after very many events were played back for that: each refused one plays its whole deal back.
        """
        assert self._deal is not None
        self._trial_events += index - self._deal.first
        if self._trial_events > _MOST_TRIAL_EVENTS:
            return None
        opener, *rest = self._match.events[self._deal.first : index]
        deal = [self._filled(self._deal.first, opener)]
        deal += (event for event in rest if isinstance(event, events.Note) or event.refused is not True)
        trial = Replay(self._game, msgspec.structs.replace(self._match, events=deal), like=self.table)
        trial.run(until=len(deal))
        trial._pass_over(len(deal), event)
        return trial

    # Claims that may stand anywhere

    def _claim(self, index: int, claim: Any) -> None:
        fault = self._judge_claim(claim)
        self._report(index, claim, fault)
        if isinstance(claim, events.RESULT_CLAIMS):
            self._result_claimed = self.is_over
            self.table.closed_trick = None
            if fault is None and tuple(claim.total) in self.table.other_totals:
                self.table.set_totals(tuple(claim.total))
        elif isinstance(claim, events.SCORE_CLAIMS):
            self._keep_claim(claim)
        elif self.table.closed_trick is not None:
            self._pass_trick(index)

    def _judge_claim(self, claim: Any) -> Fault | None:
        if isinstance(claim, events.TrickClaim):
            return claims.judge_trick(self.table.closed_trick, claim)
        if isinstance(claim, events.SCORE_CLAIMS):
            due = self.stage.due()
            return claims.wrong_score([] if due is None else [due], tuple(claim.deal), {})
        if self.is_over and self._result_claimed:
            return self.stage.unheard(claim)
        return claims.judge_result(self.table.possible_totals(), self.winner, claim)

    def _pass_trick(self, index: int) -> None:
        """The trick has had its claim; there is no place for another."""
        self.table.closed_trick = None
        if self._deal is not None:
            self._deal.last = index

    def _keep_claim(self, claim: Any) -> None:
        if self._deal is not None and self._deal.claimed_points is None:
            self._deal.claimed_points = tuple(claim.deal)
            self._deal.claimed_totals = tuple(claim.total)

    # Broken deals

    def _go_another_way(self, index: int, event: Any) -> None:
        """A second event in a row that could not happen: the table went another way, and its deal is broken."""
        assert self._stray is not None
        stray_index, stray, origin = self._stray.index, self._stray.event, self._stray.finding
        # The table that claims and refusals since then were compared with was not that of the log.
        for finding in self.findings[self._stray.mark :]:
            if finding.event is not None and finding.event > stray_index and finding.clause not in _OF_TOTALS:
                self._consequences.append((finding, origin))
        self._stray = None
        self.table.leanings.clear()
        if isinstance(self.stage, Settlement):  # the deal that came to its end is not the one that is broken
            self.stage.pass_over(None)
            self._leave(self.stage, self._done_at)
        if isinstance(stray, events.OPENERS) and not self.is_over and self._fits(stray, event):
            self._skip = _Skip(stray_index, origin)
            self._resume(stray_index)
            if not self.is_over:
                stray = self._filled(stray_index, stray)
                self._judge(stray)  # it has had its finding: a deal in the middle of a deal
                self._report(stray_index, stray, None)
                self._take(stray_index, stray)
            self._act(index, event)
        elif isinstance(event, events.OPENERS) and not self._is_later_batch(index):
            self._skip = _Skip(index, origin)
            self._resume(index)
            self._act(index, event)
        else:
            self._skip = _Skip(index, origin)
            self._skip_over(index, event)

    def _is_later_batch(self, index: int) -> bool:
        """Whether an event deals further cards to a deal that was begun before it."""
        return self._game.is_later_batch(self._match.events, index)

    def _fits(self, opener: Any, event: Any) -> bool:
        """Whether an event could follow on a deal that the log began in the middle of another."""
        trial = Replay(self._game, msgspec.structs.replace(self._match, events=[opener, event], shuffle=UNSET))
        trial.run(until=1)
        if trial.is_skipping:
            return False
        trial._hear(1, event)
        return trial._stray is None

    def _skip_over(self, index: int, event: Any) -> None:
        """Count an event that is not replayed. What it claims to score cannot be verified; it is carried."""
        assert self._skip is not None
        self._skip.count += 1
        deal = self._deal
        if not isinstance(event, events.SCORE_CLAIMS) or self.is_over or self._skip.is_scored:
            return
        possible = [added(totals, tuple(event.deal)) for totals in self.table.possible_totals()]
        is_sum = tuple(event.total) in possible
        if deal is None and is_sum:  # of a deal whose beginning the log lacks
            self._carry(tuple(event.deal), tuple(event.total))
        elif deal is not None and not self._skip.is_claimed:
            self._skip.is_claimed = True
            deal.claimed_points, deal.claimed_totals = tuple(event.deal), tuple(event.total)
            if not is_sum:
                self._report(index, event, claims.wrong("claim.total", possible[0], tuple(event.total)))

    def _carry(self, points: Numbers, claimed_totals: Numbers | None) -> None:
        """Add points that cannot be verified; the totals claimed with them may show a reading of an earlier deal."""
        first, *others = [added(totals, points) for totals in self.table.possible_totals()]
        if claimed_totals is not None and claimed_totals in others:
            first, others = claimed_totals, []
        self.table.set_totals(first, others)

    def _resume(self, index: int) -> None:
        """The skipped stretch ends before this event: its deal is closed, with the points that it claimed.

        Anybody may deal next.
        """
        assert self._skip is not None
        skip, self._skip = self._skip, None
        if skip.count:
            self.findings.append(Finding("note", "note.skipped", skip.first, facts={"count": skip.count}))
            self._consequences.append((self.findings[-1], skip.origin))
        if skip.is_scored:
            return
        if self._deal is not None:
            if self._deal.claimed_points is not None:
                self._carry(self._deal.claimed_points, self._deal.claimed_totals)
            self._deal.last = self._last_before(index)
            self._close_deal("broken")
        if not self.is_over:
            self.stage = self._order.throw(BrokenDeal())

    # The end of a deal

    def _close(self, settlement: Settlement, index: int) -> None:
        """The points of a deal are settled; ``index`` is that of their claim, or else of the deal's last move."""
        assert self._deal is not None
        self._deal.last = max(self._deal.last, index)
        for point, taken, by_choice in settlement.leaned_on():
            if point == "note.unseen":
                self._note_unseen(self._done_at, None, {"deal": self.table.deal_count - 1})
                continue
            if not point.startswith("open."):  # it was noted where it came up
                continue
            facts = {"taken": taken, "readings": by_choice}
            self.findings.append(Finding("open", point, self._done_at, facts=facts, readings=by_choice))
        if settlement.claimed_points is not None:
            self._deal.claimed_points = settlement.claimed_points
            self._deal.claimed_totals = settlement.claimed_totals
        if settlement.outcome == "scored":
            self._close_deal("scored", settlement.points, self._ledger(settlement.lines))
        else:
            self._close_deal(settlement.outcome)

    def _ledger(self, lines: Sequence[Line]) -> tuple[LedgerLine, ...]:
        """The lines of the deal on the table, with the events that brought them about. Several share their causes."""
        known: dict[int, tuple[int, ...]] = {}
        ledger = []
        for line in lines:
            at = known.get(id(line.causes))
            if at is None:
                at = tuple([cause if type(cause) is int else self._place_of(cause) for cause in line.causes])
                known[id(line.causes)] = at
            ledger.append(LedgerLine(line.side, line.points, line.unit, line.clause, line.facts, at))
        return tuple(ledger)

    def _place_of(self, event: Any) -> int:
        """The index of an event of the deal on the table, or of that with which a stage of it was done."""
        if isinstance(event, Stage):
            return event.ended_at
        assert self._deal is not None
        log = self._match.events
        index = self._deal.first
        while log[index] is not event:
            index += 1
        return index

    def _close_deal(self, outcome: Outcome, points: Numbers | None = None, lines: tuple[LedgerLine, ...] = ()) -> None:
        deal, self._deal = self._deal, None
        assert deal is not None
        self.deals.append(
            DealResult(
                index=len(self.deals),
                events=(deal.first, deal.last),
                outcome=outcome,
                points=points,
                totals=self.table.totals,
                claimed_points=deal.claimed_points,
                claimed_totals=deal.claimed_totals,
                lines=lines,
            )
        )

    def _end(self) -> None:
        """The log is at its end, wherever the match is."""
        if not isinstance(self.stage, Settlement):
            self._pass_over(len(self._match.events), None)
        if isinstance(self.stage, Settlement):
            self.stage.pass_over(None)
            self._leave(self.stage, self._done_at)
        end = len(self._match.events)
        if self._skip is not None:
            self._resume(end)
        elif self._deal is not None:
            self._deal.last = self._last_before(end)
            self._close_deal("unfinished")

    def _last_before(self, index: int) -> int:
        """The last event before this one that is no note."""
        index -= 1
        while isinstance(self._match.events[index], events.Note):
            index -= 1
        return index

    # Cards that the log's writer could not see

    def _filled(self, index: int, event: Any) -> Any:
        """A deal with each unseen card of a seat replaced by one that the seat is later seen to play."""
        if not self._fills_unseen or not isinstance(event, events.CARD_DEALS) or self.stage.deals_more_later:
            return event
        has_unseen = any(events.UNSEEN_CARD in hand for hand in event.hands)
        if self._deal is not None and type(event) in self.stage.hears and (has_unseen or any(self.table.unseen)):
            self.table.foreseen = self._foresight(self._near(self._deal.first))  # the deal's last batch
            return event
        if not has_unseen:
            return event
        shown = self._foresight([event, *self._near(index)[1:]]).shown
        hands = []
        for seat, hand in enumerate(event.hands):
            later = (card for holder, card in shown if holder == seat)
            hands.append([next(later, card) if card == events.UNSEEN_CARD else card for card in hand])
        return msgspec.structs.replace(event, hands=hands)

    def _near(self, index: int) -> Sequence[Any]:
        """The log from an opener on, as far as its deal can reach: two more may be strays, or a later batch."""
        log = self._match.events
        later = range(index + 1, len(log))
        openers = (at for at in later if isinstance(log[at], events.OPENERS) and log[at].refused is not True)
        return log[index : next(itertools.islice(openers, 2, None), len(log))]

    def _foresight(self, rest: Sequence[Any]) -> Foresight:
        """What a deal shows until it ends, by playing it back with the cards unseen."""
        trial = Replay(self._game, msgspec.structs.replace(self._match, events=rest, shuffle=UNSET), fills_unseen=False)
        trial._hear(0, rest[0])
        shown = trial.table.shown
        trump = None
        for position, event in enumerate(rest[1:], 1):
            if trial.deals or trial.is_skipping or isinstance(trial.stage, Settlement):
                break
            trial._hear(position, event)
            if trial.table.shown is shown:  # no other deal has come
                trump = trial.table.trump
        return Foresight(shown, trump)

    # Findings

    def _report(self, index: int, event: Any, fault: Fault | None) -> None:
        """Add what was leaned on in judging an event, and the clause that it breaks, if any."""
        for leaning in self.table.leanings:
            if leaning.clause == "note.unseen":
                self._note_unseen(index, _seat(event), leaning.facts)
            else:
                readings = leaning.facts.get("readings")
                self.findings.append(
                    Finding("open", leaning.clause, index, _seat(event), facts=leaning.facts, readings=readings)
                )
        self.table.leanings.clear()
        if fault is None:
            return
        is_claim = fault.clause.startswith("claim.")
        legal = fault.legal if is_claim or fault.legal is not None else self.stage.legal()
        self.findings.append(
            Finding(
                "claim" if is_claim else "illegal",
                fault.clause,
                index,
                _seat(event),
                facts=fault.facts,
                legal=legal,
                expected=fault.expected,
                found=fault.found,
            )
        )

    def _fault_at(self, index: int) -> Finding:
        """What an event was found to break."""
        faults = (finding for finding in reversed(self.findings) if finding.kind == "illegal")
        return next(fault for fault in faults if fault.event == index)

    def _note_unseen(self, index: int, seat: int | None, facts: Mapping[str, Any]) -> None:
        """A check was not made: said once a deal."""
        if self._unseen_noted_in_deal != len(self.deals):
            self._unseen_noted_in_deal = len(self.deals)
            self.findings.append(Finding("note", "note.unseen", index, seat, facts=facts))


def _seat(event: Any) -> int | None:
    return getattr(event, "seat", None)


def _given(struct: msgspec.Struct) -> dict[str, Any]:
    """The keys of a struct that the log gave."""
    return {name: value for name, value in msgspec.structs.asdict(struct).items() if value is not UNSET}
