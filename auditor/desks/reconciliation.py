"""Reconciliation: several logs of one match laid side by side, where they differ, and which of them is damaged.

In: logs of one match, each with its verdict. Out: their differences in the order of the match, what the rules and the
majority say of each, and the logs that this shows to be damaged. Refuses to know rules: it asks the replay, which
judges each version of an event in one and the same match, put together from what all logs say.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from auditor import events
from auditor.desks import telling
from auditor.desks.alignment import Row, aligned
from auditor.desks.common_match import Accusation, CommonMatch, accusations
from auditor.desks.versions import Version, by_voices, in_question, most_say, versions_of
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.verdict import Finding, Verdict

#: ``head``: options, players or proof of the shuffle differ; ``event``: one event is told differently; ``gap``: logs
#: lack events; ``order``: an event stands in another place; ``cards``: each log may be true, but not all of them.
Kind: TypeAlias = Literal["head", "event", "gap", "order", "cards"]
#: What shows that a log is damaged.
Evidence: TypeAlias = Literal["rules", "majority"]

#: So many differences are put to the rules; further ones are only listed.
MOST_JUDGED = 50


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which logs differ.

    ``rows`` are its events: one, or those of a gap, or the two places of an event that was moved; none for the head.
    ``versions`` stand with the most voices first; in ``cards`` there is one. ``damaged`` are the numbers of the logs
    that are shown to be wrong, and ``evidence`` says by what; without any it cannot be told. ``is_disputed``: the
    rules contradict what most logs say, and not what others say. ``is_judged``: the rules were asked.
    """

    kind: Kind
    rows: tuple[Row, ...]
    versions: tuple[Version, ...]
    damaged: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    is_disputed: bool = False
    is_judged: bool = False

    def event_of(self, log: int) -> int | None:
        """The index of the first event in question in a log; ``None`` where it has none of them."""
        return next((at for row in self.rows if (at := row[log]) is not None), None)


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What came of laying logs of one match side by side: one verdict and one count of events for each of them."""

    match: str
    ruleset: str
    verdicts: tuple[Verdict, ...]
    event_counts: tuple[int, ...]
    differences: tuple[Difference, ...]

    @property
    def damaged(self) -> tuple[int, ...]:
        """The logs that are shown to be damaged, by number from 0."""
        return tuple(sorted({log for difference in self.differences for log in difference.damaged}))

    @property
    def is_clean(self) -> bool:
        """Whether the logs agree and nothing is wrong with any of them."""
        return not self.differences and not any(verdict.first_fault for verdict in self.verdicts)


def reconciled(logs: Sequence[Log], verdicts: Sequence[Verdict]) -> Reconciliation:
    """Two logs or more of one match, laid side by side.

    Raises ``CannotAudit`` where they are of different matches: another id, another ruleset, another number of players.
    """
    matches = [log.match for log in logs]
    for what, values in (
        ("match", [match.match for match in matches]),
        ("ruleset", [match.ruleset for match in matches]),
        ("number of players", [len(match.players) for match in matches]),
    ):
        other = next((number for number, value in enumerate(values) if value != values[0]), None)
        if other is not None:
            raise CannotAudit(
                f"expected logs of one match, found the {what} {values[0]} in {logs[0].place.file}"
                f" and {values[other]} in {logs[other].place.file}"
            )
    return Reconciliation(
        matches[0].match,
        matches[0].ruleset,
        tuple(verdicts),
        tuple(len(match.events) for match in matches),
        tuple(_Comparison(matches, verdicts).differences()),
    )


class _Comparison:
    """The logs side by side."""

    def __init__(self, matches: Sequence[events.Match], verdicts: Sequence[Verdict]) -> None:
        self._matches = matches
        self._verdicts = verdicts
        self._numbers = range(len(matches))
        #: The logs by what speaks for them: nothing is wrong with them, much was seen, they were named first.
        self._ranked = sorted(self._numbers, key=lambda number: (_fault_count(verdicts[number]), -self._seen(number)))
        self._rows = aligned([match.events for match in matches], self._ranked[0])
        self._claimed = [{type(event) for event in match.events} for match in matches]
        told = {row: self._told(row) for row in self._rows}
        self._versions = {row: versions for row, versions in told.items() if versions}
        self._common = CommonMatch(matches, self._rows, self._versions, self._ranked)

    def differences(self) -> list[Difference]:
        """All of them, in the order of the match; the first ones with what the rules say."""
        found = [*self._of_heads(), *self._of_events()]
        if not found and len(self._numbers) > 1:
            return list(self._of_all_together())
        return [self._judged(one) if number < MOST_JUDGED else _decided(one) for number, one in enumerate(found)]

    def _seen(self, number: int) -> int:
        dealt = (event for event in self._matches[number].events if isinstance(event, events.CARD_DEALS))
        return sum(telling.knowledge(telling.facts_of(event)) for event in dealt)

    # What differs

    def _of_heads(self) -> Iterator[Difference]:
        heads = [_head(match, verdict) for match, verdict in zip(self._matches, self._verdicts, strict=True)]
        for name in in_question(heads):
            versions = versions_of(list(enumerate(heads)), [name])
            yield Difference("head", (), by_voices(versions))

    def _told(self, row: Row) -> tuple[Version, ...]:
        """The versions of a row's event; none where no two logs contradict each other."""
        bare = {log: telling.bare(self._matches[log].events[at]) for log, at in enumerate(row) if at is not None}
        one, *others = bare.values()
        lacking = [log for log in self._numbers if row[log] is None and self._would_tell(log, one)]
        if not lacking and all(other == one for other in others):
            return ()
        told = [(log, telling.facts_of(event)) for log, event in bare.items()]
        names = in_question([facts for _, facts in told])
        if not names and not lacking:
            return ()
        versions = versions_of(told, names) if names else [Version(tuple(bare), True, {})]
        return by_voices([*versions, Version(tuple(lacking), False, {})] if lacking else versions)

    def _would_tell(self, log: int, event: Any) -> bool:
        """Whether a log without such an event lacks it. Nobody has to claim, or to keep a move that was refused."""
        return event.refused is not True and (not isinstance(event, events.CLAIMS) or type(event) in self._claimed[log])

    def _of_events(self) -> list[Difference]:
        found: list[Difference] = []
        gaps: dict[int, Sequence[Version]] = {}
        for number, row in enumerate(self._rows):
            versions = self._versions.get(row, ())
            if len(versions) == 2 and not any(version.facts for version in versions):
                gaps[number] = versions
            elif versions:
                found.append(Difference("event", (row,), tuple(versions)))
        found += self._of_gaps(gaps)
        order = {row: number for number, row in enumerate(self._rows)}
        return sorted(found, key=lambda difference: order[difference.rows[0]])

    def _of_gaps(self, gaps: Mapping[int, Sequence[Version]]) -> Iterator[Difference]:
        """Events that stand in another place; then what is lacking, neighbours of the same logs put together."""
        left = dict(gaps)
        for number, place in self._moves(gaps):
            rows = (self._rows[number], self._rows[place])
            there = [next(version for version in left.pop(at) if version.is_there) for at in (number, place)]
            yield Difference("order", rows, by_voices(there))
        while left:
            first, versions = next(iter(left.items()))
            lacking = next(version.logs for version in versions if not version.is_there)
            last = first
            for number in range(first, len(self._rows)):
                if number in left and _who(left[number]) == _who(versions):
                    last = number
                    del left[number]
                elif number in left or any(self._rows[number][log] is not None for log in lacking):
                    break
            else:  # these logs end here, with what they need not have
                last = len(self._rows) - 1
            yield Difference("gap", tuple(self._rows[first : last + 1]), tuple(versions))

    def _moves(self, gaps: Mapping[int, Sequence[Version]]) -> Iterator[tuple[int, int]]:
        """The two places of each event that some logs have at the one, and the others at the other, of one deal."""
        waiting: dict[Hashable, int] = {}
        deal = 0
        for number, row in enumerate(self._rows):
            deal += isinstance(self._event(row), events.OPENERS)
            if number not in gaps:
                continue
            who = _who(gaps[number])
            event = telling.likeness(self._event(row))
            place = waiting.pop((deal, event, frozenset((logs, not is_there) for logs, is_there in who)), None)
            if place is None:
                waiting[deal, event, who] = number
            else:
                yield place, number

    def _event(self, row: Row) -> Any:
        return next(self._matches[log].events[at] for log, at in enumerate(row) if at is not None)

    # Who is right

    def _judged(self, difference: Difference) -> Difference:
        """The difference with what the rules say of each version, and what follows from that and from the voices."""
        said = [self._accused(difference, version) for version in difference.versions]
        shared = set.intersection(*map(set, said))
        new = [
            tuple(_placed(found, key[2], version.logs) for key, found in each.items() if key not in shared)
            for version, each in zip(difference.versions, said, strict=True)
        ]
        if all(new):  # the rules cannot choose
            return _decided(replace(difference, is_judged=True))
        versions = tuple(
            replace(version, contradictions=found) for version, found in zip(difference.versions, new, strict=True)
        )
        return _decided(replace(difference, versions=versions, is_judged=True))

    def _accused(self, difference: Difference, version: Version) -> dict[Accusation, Finding]:
        """What is wrong with the match if this version is true."""
        if difference.kind == "head":
            return self._common.accusations(head=version.logs[0])
        absent = Version((), False, {})
        if difference.kind == "order":
            is_there = {row: row[version.logs[0]] is not None for row in difference.rows}
            return self._common.accusations({row: version if is_there[row] else absent for row in difference.rows})
        return self._common.accusations(dict.fromkeys(difference.rows, version))

    def _of_all_together(self) -> Iterator[Difference]:
        """Where logs do not contradict each other in any event: whether the cards of all of them can be one pack."""
        together = self._common.accusations()
        rows_of = [{at: row for row in self._rows if (at := row[log]) is not None} for log in self._numbers]
        alone = [
            accusations(verdict, [rows_of[log].get(at, ()) for at in range(len(self._matches[log].events))])
            for log, verdict in enumerate(self._verdicts)
        ]
        shared = set.intersection(*map(set, alone))
        new = {key: found for key, found in together.items() if key not in shared}
        if not new:
            return
        (_, _, row), *_ = new
        suspects = [
            log
            for log in self._numbers
            if not self._without(log).keys() - shared
            and (alone[log].keys() - shared or (row and isinstance(self._event(row), events.OPENERS)))
        ]
        findings = tuple(_placed(found, key[2], self._numbers) for key, found in new.items())
        everybody = Version(tuple(self._numbers), True, {}, findings)
        damaged = tuple(suspects) if len(suspects) == 1 else ()
        evidence: tuple[Evidence, ...] = ("rules",) if damaged else ()
        yield Difference("cards", (row,) if row else (), (everybody,), damaged, evidence, is_judged=True)

    def _without(self, log: int) -> dict[Accusation, Finding]:
        """What is wrong with the match that all others tell together."""
        ranked = [number for number in self._ranked if number != log]
        return CommonMatch(self._matches, self._rows, {}, ranked).accusations()


def _who(versions: Sequence[Version]) -> frozenset[tuple[tuple[int, ...], bool]]:
    """Which logs have an event, and which have not."""
    return frozenset((version.logs, version.is_there) for version in versions)


def _placed(finding: Finding, row: Row | None, logs: Sequence[int]) -> Finding:
    """The finding at the event as the first of these logs counts it that has it."""
    return msgspec.structs.replace(
        finding, event=next((row[log] for log in logs if row[log] is not None), None) if row else None
    )


def _fault_count(verdict: Verdict) -> int:
    return sum(finding.kind in ("illegal", "claim") for finding in verdict.findings)


def _head(match: events.Match, verdict: Verdict) -> dict[str, Any]:
    """What has to be the same in every log of a match; a proof of the shuffle may be left out."""
    return {
        "type": match.ruleset,
        "options": dict(verdict.options),
        "players": tuple(player.id for player in match.players),
        "shuffle": None if match.shuffle is UNSET else match.shuffle,
    }


def document(found: Reconciliation | None) -> dict[str, Any]:
    """The reconciliation as a plain document; logs go by number from 0, and so do the events of each of them.

    Where no log could be read there is none, and nothing is said of the match.
    """
    return {
        "format": "reconciliation/1",
        "match": found and found.match,
        "ruleset": found and found.ruleset,
        "differences": [_row(difference, found.ruleset) for difference in found.differences] if found else [],
        "damaged": found.damaged if found else [],
    }


def _row(difference: Difference, ruleset: str) -> dict[str, Any]:
    return {
        "kind": difference.kind,
        "events": difference.rows,
        "versions": [
            {
                "logs": version.logs,
                "has_event": version.is_there,
                "facts": {name: None if value is UNSET else value for name, value in version.facts.items()},
                "contradictions": [
                    {"clause": it.clause, "event": it.event, "seat": it.seat, "message": it.message(ruleset)}
                    for it in version.contradictions
                ],
            }
            for version in difference.versions
        ],
        "damaged": difference.damaged,
        "evidence": difference.evidence,
        "disputed": difference.is_disputed,
        "judged": difference.is_judged,
    }


def _decided(difference: Difference) -> Difference:
    """The difference with the logs that are shown to be damaged: by the rules, by the majority, or by both.

    Where the two are against each other, it cannot be told.
    """
    most = most_say(difference.versions)
    contradicted = [version for version in difference.versions if version.contradictions]
    if most is not None and most in contradicted:
        return replace(difference, is_disputed=True)
    wrong = [version for version in difference.versions if version is not most] if most is not None else contradicted
    evidence: list[Evidence] = []
    if contradicted:
        evidence.append("rules")
    if most is not None:
        evidence.append("majority")
    damaged = tuple(sorted(log for version in wrong for log in version.logs))
    return replace(difference, damaged=damaged, evidence=tuple(evidence))
