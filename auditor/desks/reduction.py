"""A reduction: the smallest log that still shows a finding of a longer one.

In: a log whose verdict accuses, and which event it is about, if not the first. Out: a log of the same events, fewer of
them, and what it still shows. Refuses to know rules: whether a shorter log still shows the finding is asked of the
replay.

A finding is still the same if it stands at the very same event at the same stage of a deal and says the same: the same
clause, seat, values and facts. So a claim of totals keeps the deals that they come from. Before it nothing is accused
that was not accused in the longer log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from auditor import events
from auditor.audit import verdict_on
from auditor.desks.baseline import accusing
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.jsontext import visible
from auditor.log import Log, read_bytes
from auditor.replay import Replay, audit
from auditor.settlement import Settlement
from auditor.stage import MatchOver, Stage, word_for
from auditor.verdict import Finding, Verdict

#: Stretches from any event on are tried only in logs of so many events: beyond that they take too long.
_SHORT_LOG = 120
_LONGEST_ID = 200
#: One id, one match: the shorter log is another one.
_SUFFIX = "-minimal"


@dataclass(frozen=True, slots=True)
class Reduction:
    """The shorter log as a document, its verdict, and how many events and deals the longer one had."""

    document: Mapping[str, Any]
    verdict: Verdict
    finding: Finding
    events_before: int
    deals_before: int

    @property
    def event_count(self) -> int:
        return len(self.document["events"])


def reduced(log: Log, step: Callable[[], None] = lambda: None, event: int | None = None) -> Reduction:
    """The log without all that a finding does not need: the one at the event of this index, or else the first.

    ``step`` is called after every replay. Deals go first, then stretches of events, then single ones, then what the
    rest carries along. No event is left without which the finding would be the same. Raises ``CannotAudit`` where
    nothing is found.
    """
    verdict = verdict_on(log)
    finding = _fault(verdict, event)
    if finding is None or finding.event is None:
        what = "a match with a finding that accuses" if event is None else f"a finding that accuses at event {event}"
        raise CannotAudit(f"{visible(log.match.match, _LONGEST_ID)}: expected {what}, found none")
    search = _Search(log, verdict, finding, step)
    search.drop_shuffle()
    search.keep(search.kept[: search.kept.index(finding.event) + 1])
    search.drop_kinds()
    search.drop_deals()
    search.drop_kinds()
    search.drop_events()
    at = search.kept.index(finding.event)
    document = _lightened(search.document(), at, step)
    shown = _verdict(document)
    found = _fault(shown, at)
    assert found is not None
    return Reduction(document, shown, found, len(log.match.events), len(verdict.deals))


class _Search:
    """Which events are kept so far, by their index in the log, and whether fewer would do."""

    def __init__(self, log: Log, verdict: Verdict, finding: Finding, step: Callable[[], None]) -> None:
        assert finding.event is not None
        self.kept: list[int] = list(range(len(log.match.events)))
        self._log = log
        self._match = log.match
        self._pinned = finding.event
        self._wanted = _essence(finding, log.match.shuffle is not UNSET)
        self._finding = finding
        self._accused = {(fault.event, fault.clause) for fault in accusing(verdict)}
        self._step = step
        self._heard_by = self._stage(log.match, finding.event)

    def keep(self, kept: Sequence[int]) -> bool:
        """Keeps these events only, if the finding is still the same."""
        if len(kept) == len(self.kept) or self._pinned not in kept:
            return False
        if not self._shows(self._match, kept):
            return False
        self.kept = list(kept)
        return True

    def drop_shuffle(self) -> None:
        """A proof of shuffles counts the deals, so that none could go; few findings need it."""
        if self._match.shuffle is not UNSET:
            bare = msgspec.structs.replace(self._match, shuffle=UNSET)
            self._wanted = _essence(self._finding, False)
            if self._shows(bare, self.kept):
                self._match = bare
            else:
                self._wanted = _essence(self._finding, True)

    def drop_kinds(self) -> None:
        """All claims of a kind, all notes, all refused moves."""
        events_of = self._match.events
        kinds = sorted({word_for(type(events_of[index])) for index in self.kept})
        for kind in kinds:
            self.keep([i for i in self.kept if i == self._pinned or word_for(type(events_of[i])) != kind])
        self.keep([i for i in self.kept if i == self._pinned or getattr(events_of[i], "refused", UNSET) is not True])

    def drop_deals(self) -> None:
        """Whole deals: all but that of the finding and the few before it, then half of the others, then fewer."""
        deals = list(self._deals())
        own = next(at for at, deal in enumerate(deals) if self._pinned in deal)
        if self.keep([self._pinned]):
            return
        for before in (0, 1, 2):
            if self.keep([index for deal in deals[max(own - before, 0) : own + 1] for index in deal]):
                deals = deals[max(own - before, 0) : own + 1]
                break
        size = len(deals) // 2
        while size >= 1:
            start = 0
            while start < len(deals):
                if self.keep([i for at, deal in enumerate(deals) if not start <= at < start + size for i in deal]):
                    del deals[start : start + size]
                else:
                    start += size
            size //= 2

    def drop_events(self) -> None:
        """Stretches, the longer ones first, then single events, until no event can go."""
        size = len(self.kept) // 2
        while size > 1:
            self._drop_stretches(size, size)
            size //= 2
        before = 0
        while len(self.kept) != before:
            before = len(self.kept)
            seats = len(self._match.players)
            if before <= _SHORT_LOG:
                for size in range(before // seats * seats, 1, -seats):
                    self._drop_stretches(size, 1)
            self._drop_stretches(1, 1)

    def _drop_stretches(self, size: int, stride: int) -> None:
        start = 0
        while start < len(self.kept):
            stretch = self.kept[start : start + size]
            rest = [index for index in stretch if index == self._pinned]
            if not self.keep(self.kept[:start] + rest + self.kept[start + size :]):
                start += stride
            else:
                start += len(rest)

    def _deals(self) -> Iterator[list[int]]:
        """The events that are kept, deal by deal; what stands before the first one is one too."""
        deal: list[int] = []
        for index in self.kept:
            event = self._match.events[index]
            is_opener = isinstance(event, events.OPENERS) and event.refused is not True
            if deal and is_opener and not GAMES[self._match.ruleset].is_later_batch(self._match.events, index):
                yield deal
                deal = []
            deal.append(index)
        yield deal

    def _shows(self, match: events.Match, kept: Sequence[int]) -> bool:
        self._step()
        shorter = msgspec.structs.replace(match, events=[match.events[index] for index in kept])
        at = kept.index(self._pinned)
        verdict = audit(GAMES[match.ruleset], shorter)
        fault = _fault(verdict, at)
        if fault is None or _essence(fault, match.shuffle is not UNSET) != self._wanted:
            return False
        if not all((kept[earlier.event or 0], earlier.clause) in self._accused for earlier in _until(verdict, at)):
            return False
        return self._stage(shorter, at) == self._heard_by

    def _stage(self, match: events.Match, index: int) -> type:
        """Which kind of stage an event is for.

        A score that nobody claimed does not come between it and its stage; to a claim it is all one whether another
        deal is due or none.
        """
        game = GAMES[match.ruleset]
        replay = Replay(game, match)
        first = type(replay.stage)
        replay.run(until=index)
        stage, event = replay.stage, match.events[index]
        if isinstance(stage, Settlement) and isinstance(event, events.OPENERS + events.RESULT_CLAIMS):
            return MatchOver if stage.ends_match else first
        if isinstance(event, events.CLAIMS) and (stage.opens_deal or isinstance(stage, MatchOver)):
            return Stage
        return type(stage)

    def document(self) -> dict[str, Any]:
        """The log with the events that are kept."""
        document: dict[str, Any] = msgspec.json.decode(self._log.canonical)
        if self._match.shuffle is UNSET:
            document.pop("shuffle", None)
        return {**document, "events": [document["events"][index] for index in self.kept]}


def _fault(verdict: Verdict, event: int | None) -> Finding | None:
    """The finding that accuses at an event, or the first of all."""
    if event is None:
        return verdict.first_fault
    return next((finding for finding in accusing(verdict) if finding.event == event), None)


def _until(verdict: Verdict, event: int) -> list[Finding]:
    """The findings that accuse, up to those at an event."""
    return [finding for finding in accusing(verdict) if finding.event is not None and finding.event <= event]


def _essence(finding: Finding, counts_deals: bool) -> tuple[Any, ...]:
    """What makes a finding the same in a shorter log; the number of its deal only where deals are counted."""
    facts = {key: value for key, value in finding.facts.items() if key != "deal" or counts_deals}
    return finding.kind, finding.clause, finding.seat, finding.expected, finding.found, facts


def _verdict(document: Mapping[str, Any]) -> Verdict:
    return verdict_on(read_bytes(msgspec.json.encode(document), FORMS))


def _lightened(document: dict[str, Any], at: int, step: Callable[[], None]) -> dict[str, Any]:
    """The document without what the findings up to an event do not need, under an id of its own."""

    def found(document: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return [_essence(finding, "shuffle" in document) for finding in _until(_verdict(document), at)]

    def tried(lighter: dict[str, Any]) -> dict[str, Any]:
        step()
        return lighter if found(lighter) == wanted else document

    wanted = found(document)
    document = {key: value for key, value in document.items() if key not in ("extra", "started", "ended")}
    document["players"] = [{"id": player["id"]} for player in document["players"]]
    for key in ("at", "by"):
        document = tried({**document, "events": [_without(event, key) for event in document["events"]]})
    for option in sorted(document.get("options", {})):
        document = tried({**document, "options": _without(document["options"], option)})
    if not document.get("options", True):
        del document["options"]
    return {**document, "match": document["match"][: _LONGEST_ID - len(_SUFFIX)] + _SUFFIX}


def _without(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != key}
