"""Quality: what was audited, what was wrong, what was left out and why, what was changed.

In: logs with their verdicts, one by one, and what was left out. Out: counts as documents. Refuses to know files and
how the counts are told to people.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import UNSET

from auditor.games import GAMES
from auditor.log import Log
from auditor.publishing.redaction import Change
from auditor.verdict import STATUSES, Verdict

#: Why a log is not in the archive: it is no match log; it is there already; its ruleset or its day was not asked for;
#: it names no day; a move in it names a player; its verdict was not asked for.
Reason: TypeAlias = Literal["unreadable", "twice", "ruleset", "day", "no day", "named", "status"]
REASONS: tuple[Reason, ...] = ("unreadable", "twice", "ruleset", "day", "no day", "named", "status")


class Quality:
    """Counts of one edition."""

    def __init__(self) -> None:
        self.read = 0
        self.matches = 0
        self.first_day = self.last_day = ""
        self._left: Counter[tuple[Reason, str]] = Counter()
        self._statuses: dict[str, Counter[str]] = {}
        self._outcomes: dict[str, Counter[str]] = {}
        self._findings: Counter[tuple[str, str, str]] = Counter()
        self._finding_matches: Counter[tuple[str, str, str]] = Counter()
        self._proofs: Counter[str] = Counter()
        self._ids: dict[bytes, int] = {}
        self._changes: Counter[Change] = Counter()

    def leave_out(self, reason: Reason, detail: str = "") -> None:
        """Counts a log that is not in the archive."""
        self._left[reason, detail] += 1

    def change(self, changes: Mapping[Change, int]) -> None:
        """Counts what was changed in a log that is in the archive."""
        self._changes.update(changes)

    def add(self, log: Log, verdict: Verdict) -> None:
        """Counts a log of the archive."""
        ruleset = log.match.ruleset
        self.matches += 1
        self._statuses.setdefault(ruleset, Counter())[verdict.status] += 1
        outcomes = self._outcomes.setdefault(ruleset, Counter())
        for deal in verdict.deals:
            outcomes[deal.outcome] += 1
            if deal.claimed_points is not None and deal.points is not None:
                outcomes["claimed"] += 1
                outcomes["wrong"] += (deal.claimed_points, deal.claimed_totals) != (deal.points, deal.totals)
        keys = [(ruleset, finding.kind, finding.clause) for finding in verdict.findings]
        self._findings.update(keys)
        self._finding_matches.update(set(keys))
        self._proofs[ruleset] += log.match.shuffle is not UNSET
        key = hashlib.blake2b(log.match.match.encode(), digest_size=8).digest()
        self._ids[key] = self._ids.get(key, 0) + 1
        day = day_of(log)
        if day:
            self.first_day = min(self.first_day or day, day)
            self.last_day = max(self.last_day, day)

    def document(self) -> dict[str, Any]:
        """The counts, sorted, for programs."""
        return {
            "read": self.read,
            "matches": self.matches,
            "first_day": self.first_day or None,
            "last_day": self.last_day or None,
            "left_out": [
                {"reason": reason, "detail": detail, "logs": self._left[reason, detail]}
                for reason, detail in sorted(self._left)
            ],
            "rulesets": {
                ruleset: {
                    "statuses": {status: self._statuses[ruleset][status] for status in STATUSES[1:]},
                    "deals": {
                        name: self._outcomes[ruleset][name] for name in ("scored", "void", "broken", "unfinished")
                    },
                    "claimed_scores": self._outcomes[ruleset]["claimed"],
                    "wrong_scores": self._outcomes[ruleset]["wrong"],
                    "shuffle_proofs": self._proofs[ruleset],
                }
                for ruleset in GAMES
                if ruleset in self._statuses
            },
            "findings": [
                {
                    "ruleset": ruleset,
                    "kind": kind,
                    "clause": clause,
                    "findings": self._findings[ruleset, kind, clause],
                    "matches": self._finding_matches[ruleset, kind, clause],
                }
                for ruleset, kind, clause in sorted(self._findings)
            ],
            "ids_of_several_logs": sum(count > 1 for count in self._ids.values()),
        }

    def changes(self) -> list[dict[str, Any]]:
        """What was changed, for programs: fields by their JSON pointers, with ``*`` for an index."""
        return [
            {"field": change.field, "act": change.act, "reason": change.reason, "times": self._changes[change]}
            for change in sorted(self._changes, key=lambda change: (change.field, change.act, change.reason))
        ]


def day_of(log: Log) -> str:
    """The day of a match as its log tells it (``2026-11-30``); empty where it tells none."""
    match = log.match
    moment = match.started if match.started is not UNSET else match.ended
    return "" if moment is UNSET else moment[:10]
