"""The driver: plays a match back through its game's running order and says what was wrong.

In: a typed match and a game. Out: a verdict, or the table as it stood before an event. It owns what is the same
for all games: refused moves, claims, what stands and what is ignored, broken deals, one-seat logs, the order of
findings. Refuses to know which game it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from msgspec import UNSET

from auditor import claims, events
from auditor.deals import Shuffle
from auditor.game import Game
from auditor.settlement import Settlement
from auditor.stage import BrokenDeal, Fault, MatchOver, Stage, word_for
from auditor.table import Numbers, added
from auditor.verdict import DealResult, Finding, Outcome, Verdict, status


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
class _Skip:
    """A stretch of events that is not replayed because its deal is broken."""

    first: int
    count: int = 0


class Replay:
    """One match being played back."""

    def __init__(self, game: Game, match: events.Match, fills_unseen: bool = True) -> None:
        given = {} if match.options is UNSET else _given(match.options)
        self.table = game.table(len(match.players), given)
        self.findings: list[Finding] = []
        self.deals: list[DealResult] = []
        self._game = game
        self._match = match
        self._fills_unseen = fills_unseen
        self._deal: _OpenDeal | None = None
        self._skip: _Skip | None = None
        #: The event just before, if it could not happen: one more and the table went another way.
        self._stray: tuple[int, Any] | None = None
        self._unseen_noted_in_deal = -1
        self._result_claimed = False
        #: The event with which the last stage but this one was done.
        self._done_at = 0
        self._order = game.order(self.table, None if match.shuffle is UNSET else Shuffle(match.shuffle))
        self.stage: Stage = next(self._order)

    def run(self, until: int | None = None) -> None:
        """Play the events back, all of them or those before index ``until``."""
        log: Sequence[Any] = self._match.events if until is None else self._match.events[:until]
        index, end = 0, len(log)
        is_calm = True
        while index < end:
            stage = self.stage
            # The usual events: legal, and nothing out of the ordinary before them.
            taken = stage.take(log, index) if is_calm else index
            if taken > index:
                index = taken
                if stage.is_done:
                    self._leave(stage, index - 1)
            else:
                self._hear(index, log[index])
                index += 1
                is_calm = self._stray is None and self._skip is None
        if until is None:
            self._end()

    def verdict(self, digest: str | None = None) -> Verdict:
        """What there is to say once all events are played back."""
        match = self._match
        findings = tuple(sorted(self.findings, key=lambda finding: -1 if finding.event is None else finding.event))
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
        return self._skip is not None

    # One event

    def _hear(self, index: int, event: Any) -> None:
        if isinstance(event, events.Note):
            return
        if self._skip is not None:
            if event.refused is True or not isinstance(event, events.OPENERS + events.RESULT_CLAIMS):
                self._skip_over(index, event)
                return
            self._resume(index)
        if event.refused is True:
            self._check_refusal(index, event)
            return
        self._pass_over(event)
        if isinstance(event, events.CLAIMS) and type(event) not in self.stage.hears:
            self._claim(index, event)
        else:
            self._act(index, event)

    def _pass_over(self, event: Any) -> None:
        """Leave a stage that only waited for a word which now cannot come."""
        while self.stage.yields_to(event):
            self.stage.pass_over(event)
            self._leave(self.stage, self._done_at)

    def _act(self, index: int, event: Any) -> None:
        """Judge a move, report it if it is illegal, and take it if it could happen."""
        event = self._filled(index, event)
        fault = self._judge(event)
        if fault is None or fault.stands:
            self._report(index, event, fault)
            self._take(index, event)
        elif self._stray is None:
            self._report(index, event, fault)
            self._stray = (index, event)
        else:
            self._go_another_way(index, event)

    def _judge(self, event: Any) -> Fault | None:
        self.table.leanings.clear()
        stage = self.stage
        if type(event) not in stage.hears:
            return stage.unheard(event)
        fault = stage.judge(event)
        if fault is None and event.by == "timeout":
            fault = self._game.timeout(stage, event)
        return fault

    def _take(self, index: int, event: Any) -> None:
        stage = self.stage
        stage.apply(event)
        self._stray = None
        if stage.is_done:
            self._leave(stage, index)

    def _leave(self, stage: Stage, index: int) -> None:
        """A stage is done with this event: on to the next one, if the deal can be played on."""
        if stage.opens_deal:
            self._deal = _OpenDeal(index)
        elif stage.closes_deal:
            self._close(cast("Settlement", stage), index)
        if stage.is_broken:
            self._skip = _Skip(index + 1)
        else:
            self._done_at = index
            self.stage = next(self._order)

    def _check_refusal(self, index: int, event: Any) -> None:
        """A refused move must be illegal; it changes nothing. Where the rules leave it open, either will do."""
        stage = self.stage
        if isinstance(event, events.CLAIMS) and type(event) not in stage.hears:
            fault = self._judge_claim(event)
        elif stage.yields_to(event):
            fault = self._after_this_stage(index, event)._judge(event)
        else:
            fault = self._judge(event)
        if fault is None and not self.table.leanings:
            self._report(index, event, Fault("refusal.legal", False, {"kind": word_for(type(event))}))
        else:
            self._report(index, event, None)

    def _after_this_stage(self, index: int, event: Any) -> Replay:
        """A replay of this deal alone that has passed over the present stage, which itself still waits for its word."""
        assert self._deal is not None
        deal = self._match.events[self._deal.first : index]
        trial = Replay(self._game, msgspec.structs.replace(self._match, events=deal, shuffle=UNSET))
        trial.run(until=len(deal))
        trial._pass_over(event)
        return trial

    # Claims that may stand anywhere

    def _claim(self, index: int, claim: Any) -> None:
        fault = self._judge_claim(claim)
        self._report(index, claim, fault)
        if isinstance(claim, events.RESULT_CLAIMS):
            self._result_claimed = True
        elif isinstance(claim, events.SCORE_CLAIMS):
            self._keep_claim(claim)
        elif self.table.closed_trick is not None:
            self._pass_trick(index)

    def _judge_claim(self, claim: Any) -> Fault | None:
        self.table.leanings.clear()
        if isinstance(claim, events.TrickClaim):
            return claims.judge_trick(self.table.closed_trick, claim)
        if isinstance(claim, events.SCORE_CLAIMS):
            return claims.wrong("claim.score", None, tuple(claim.deal))
        if self.is_over and self._result_claimed:
            return self.stage.unheard(claim)
        return claims.judge_result(self.table.totals, self.winner, claim)

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
        stray_index, stray = self._stray
        self._stray = None
        if isinstance(self.stage, Settlement):  # the deal that came to its end is not the one that is broken
            self.stage.pass_over(None)
            self._leave(self.stage, self._done_at)
        if isinstance(stray, events.OPENERS) and not self.is_over and self._fits(stray, event):
            self._skip = _Skip(stray_index)
            self._resume(stray_index)
            if not self.is_over:
                stray = self._filled(stray_index, stray)
                self._judge(stray)  # it has had its finding: a deal in the middle of a deal
                self._report(stray_index, stray, None)
                self._take(stray_index, stray)
            self._act(index, event)
        elif isinstance(event, events.OPENERS):
            self._skip = _Skip(index)
            self._resume(index)
            self._act(index, event)
        else:
            self._skip = _Skip(index)
            self._skip_over(index, event)

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
        if not isinstance(event, events.SCORE_CLAIMS) or self.is_over:
            return
        possible = [added(totals, tuple(event.deal)) for totals in self.table.possible_totals()]
        is_sum = tuple(event.total) in possible
        if deal is None and is_sum:  # of a deal whose beginning the log lacks
            self._carry(tuple(event.deal))
        elif deal is not None and deal.claimed_points is None:
            self._keep_claim(event)
            if not is_sum:
                self._report(index, event, claims.wrong("claim.total", possible[0], tuple(event.total)))

    def _carry(self, points: Numbers) -> None:
        self.table.other_totals = frozenset(added(totals, points) for totals in self.table.other_totals)
        self.table.totals = added(self.table.totals, points)

    def _resume(self, index: int) -> None:
        """The skipped stretch ends before this event: its deal is closed, with the points that it claimed.

        Anybody may deal next.
        """
        assert self._skip is not None
        skip, self._skip = self._skip, None
        if skip.count:
            self.findings.append(Finding("note", "note.skipped", skip.first, facts={"count": skip.count}))
        if self._deal is not None:
            if self._deal.claimed_points is not None:
                self._carry(self._deal.claimed_points)
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
            facts = {"taken": taken, "readings": by_choice}
            self.findings.append(Finding("open", point, self._done_at, facts=facts, readings=by_choice))
        if settlement.claimed_points is not None:
            self._deal.claimed_points = settlement.claimed_points
            self._deal.claimed_totals = settlement.claimed_totals
        if settlement.is_void:
            self._close_deal("void")
        else:
            self._close_deal("scored", settlement.points)

    def _close_deal(self, outcome: Outcome, points: Numbers | None = None) -> None:
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
            )
        )

    def _end(self) -> None:
        """The log is at its end, wherever the match is."""
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
        if not self._fills_unseen or not isinstance(event, events.CARD_DEALS):
            return event
        if not any(events.UNSEEN_CARD in hand for hand in event.hands):
            return event
        shown = self._shown_after(index, event)
        hands = []
        for seat, hand in enumerate(event.hands):
            later = (card for holder, card in shown if holder == seat)
            hands.append([next(later, card) if card == events.UNSEEN_CARD else card for card in hand])
        return msgspec.structs.replace(event, hands=hands)

    def _shown_after(self, index: int, deal: Any) -> list[tuple[int, str]]:
        """Which unseen cards the seats show in the rest of the deal, by playing it back with the cards unseen."""
        rest = [deal, *self._match.events[index + 1 :]]
        trial = Replay(self._game, msgspec.structs.replace(self._match, events=rest, shuffle=UNSET), fills_unseen=False)
        trial._hear(0, deal)
        shown = trial.table.shown
        for position, event in enumerate(rest[1:], 1):
            if trial.deals or trial.is_skipping or isinstance(trial.stage, Settlement):
                break
            trial._hear(position, event)
        return shown

    # Findings

    def _report(self, index: int, event: Any, fault: Fault | None) -> None:
        """Add what was leaned on in judging an event, and the clause that it breaks, if any."""
        for leaning in self.table.leanings:
            if leaning.clause != "note.unseen":
                self.findings.append(Finding("open", leaning.clause, index, _seat(event), facts=leaning.facts))
            elif self._unseen_noted_in_deal != len(self.deals):
                self._unseen_noted_in_deal = len(self.deals)
                self.findings.append(Finding("note", leaning.clause, index, _seat(event), facts=leaning.facts))
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


def _seat(event: Any) -> int | None:
    return getattr(event, "seat", None)


def _given(struct: msgspec.Struct) -> dict[str, Any]:
    """The keys of a struct that the log gave."""
    return {name: value for name, value in msgspec.structs.asdict(struct).items() if value is not UNSET}
