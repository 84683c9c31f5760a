"""The common match: what several logs of one match tell together, and what the rules say of it.

In: logs laid side by side, and for some events the version to take. Out: the accusations against the match in which
everybody agrees. Refuses to know rules (it asks the replay), and who is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from auditor import events
from auditor.desks import telling
from auditor.desks.alignment import Row
from auditor.desks.versions import Version, most_say
from auditor.games import GAMES
from auditor.replay import audit
from auditor.verdict import Finding, Verdict

#: A finding by what it says, whichever log it is found in: its kind, its clause, and the event's row.
Accusation: TypeAlias = tuple[str, str, Row | None]

_ACCUSING = ("illegal", "claim", "schema")


def accusations(verdict: Verdict, rows: Sequence[Row]) -> dict[Accusation, Finding]:
    """The accusing findings of a verdict; ``rows`` are those of the events of its log."""
    return {
        (finding.kind, finding.clause, None if finding.event is None else rows[finding.event]): finding
        for finding in verdict.findings
        if finding.kind in _ACCUSING
    }


class CommonMatch:
    """One match out of the ``rows`` of several logs; ``versions`` are those of the rows in which they differ.

    ``ranked`` are the numbers of the logs, the one to be trusted first where nothing else speaks. Where they differ,
    what most logs say is taken or, if there is no such version, what the first of them says.
    """

    def __init__(
        self,
        matches: Sequence[events.Match],
        rows: Sequence[Row],
        versions: Mapping[Row, Sequence[Version]],
        ranked: Sequence[int],
    ) -> None:
        self._matches = matches
        self._ranked = ranked
        self._acts = {row: self._act(row, self._taken(versions.get(row, ()))) for row in rows}

    def accusations(
        self, chosen: Mapping[Row, Version] | None = None, head: int | None = None
    ) -> dict[Accusation, Finding]:
        """What is wrong with the match if, of some rows, the versions given are true.

        ``head`` is the log whose options and proof of the shuffle are taken.
        """
        acts = dict(self._acts)
        acts.update((row, self._act(row, version)) for row, version in (chosen or {}).items())
        rows = [row for row, act in acts.items() if act is not None]
        first = self._matches[self._ranked[0] if head is None else head]
        match = msgspec.structs.replace(first, events=[acts[row] for row in rows])
        return accusations(audit(GAMES[match.ruleset], match), rows)

    def _taken(self, versions: Sequence[Version]) -> Version | None:
        if not versions:
            return None
        voices = [number for number in self._ranked if any(number in version.logs for version in versions)]
        return most_say(versions) or next(version for version in versions if voices[0] in version.logs)

    def _act(self, row: Row, version: Version | None) -> Any:
        """The event of a row, the unseen filled in with what other logs saw; ``None`` where it did not happen."""
        tellers = [number for number in self._ranked if row[number] is not None]
        if not tellers or (version is not None and not version.is_there):
            return None
        settled = {} if version is None else version.facts
        own = [number for number in tellers if version is None or number in version.logs]
        best = self._event(row, (own or tellers)[0])
        told = {**telling.facts_of(best), **settled}
        for number in tellers:
            other = telling.facts_of(self._event(row, number))
            if other["type"] != told["type"]:
                continue
            for name in other.keys() & told.keys() - settled.keys():
                if telling.agree(name, told[name], other[name]):
                    told[name] = telling.together(name, told[name], other[name])
        return telling.retold(best, told)

    def _event(self, row: Row, number: int) -> Any:
        at = row[number]
        assert at is not None
        return self._matches[number].events[at]
