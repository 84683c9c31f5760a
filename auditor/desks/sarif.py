"""SARIF 2.1.0: findings as tools for static analysis exchange them.

In: matches. Out: one JSON text: a rule a clause, a result a finding with its state since the baseline, the log as
artifact with the region of the event. Refuses to know who reads it. There are no times in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import msgspec

from auditor import __version__, rulebook
from auditor.desks.comparison import Compared
from auditor.desks.export import FindingState, Told, placed, told
from auditor.desks.region import STANDARD_INPUT, Region
from auditor.jsontext import visible
from auditor.rulebook import Language

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LONGEST_ID = 200
#: A part of the text, by the names that the format gives; what is ``None`` is left out.
_Part = dict[str, Any]


class Sarif:
    """One run. A finding that a baseline accepted is suppressed with its reason."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._told: list[Told] = []

    def add(self, match: Compared) -> None:
        self._told += told(match)

    def end(self) -> str:
        findings = placed(self._told)
        rules = sorted({_rule_id(finding) for finding, _ in findings})
        files = sorted({finding.match.place.file for finding, _ in findings if finding.match.place is not None})
        numbers = {rule: number for number, rule in enumerate(rules)}
        artifacts = {file: number for number, file in enumerate(files)}
        run = {
            "tool": {
                "driver": {
                    "name": "auditor",
                    "version": __version__,
                    "language": self._language,
                    "rules": [self._rule(*rule) for rule in rules],
                }
            },
            "columnKind": "unicodeCodePoints",
            "artifacts": [{"location": {"uri": uri(file)}, "roles": ["analysisTarget"]} for file in files],
            "results": [
                self._result(finding, region, numbers[_rule_id(finding)], artifacts) for finding, region in findings
            ],
        }
        text = msgspec.json.encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})
        return msgspec.json.format(text, indent=2).decode() + "\n"

    def _rule(self, ruleset: str, clause: str) -> _Part:
        entry = rulebook.entry(ruleset or None, clause)
        rule = {
            "id": _rule_name(ruleset, clause),
            "name": clause,
            "fullDescription": {"text": entry.rule[self._language]},
            "help": {"text": entry.source} if entry.source else None,
            "defaultConfiguration": {"level": "error"},
        }
        return _given(rule)

    def _result(self, told: Told, region: Region | None, rule: int, artifacts: Mapping[str, int]) -> _Part:
        match = told.match
        reason = None if match.before is None else match.before.reason
        result = {
            "ruleId": _rule_name(*_rule_id(told)),
            "ruleIndex": rule,
            "level": "warning" if told.follows else "error",
            "message": {"text": told.message(self._language)},
            "baselineState": told.state,
            "suppressions": _suppressions(told.state, reason),
            "locations": [_location(told, region, artifacts)],
            "partialFingerprints": {"finding/v1": _fingerprint(told)},
            "properties": _properties(told),
        }
        return _given(result)


def uri(file: str) -> str:
    """A path as a URI reference: one from the root as a file URI, another as it is; standard input has no place."""
    if file == STANDARD_INPUT:
        return "stdin:"
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _location(told: Told, region: Region | None, artifacts: Mapping[str, int]) -> _Part:
    match, fault = told.match, told.fault
    name = visible(match.shown.name, _LONGEST_ID)
    event = "" if fault.event is None else f"/events/{fault.event}"
    location: _Part = {
        "logicalLocations": [{"name": name, "fullyQualifiedName": f"{name}{event or fault.pointer or ''}"}]
    }
    if match.place is not None:
        file = match.place.file
        physical = {"artifactLocation": {"uri": uri(file), "index": artifacts[file]}, "region": _region(region)}
        location["physicalLocation"] = _given(physical)
    return location


def _region(region: Region | None) -> _Part | None:
    if region is None:
        return None
    part = {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column if region.column is not None else None,
        "byteOffset": region.offset,
        "byteLength": region.length,
    }
    return _given(part)


def _suppressions(state: FindingState | None, reason: str | None) -> list[_Part] | None:
    if state != "unchanged":
        return None
    return [_given({"kind": "external", "status": "accepted", "justification": reason})]


def _properties(told: Told) -> _Part:
    match, fault = told.match.shown, told.fault
    properties = {
        "match": match.name,
        "ruleset": match.ruleset,
        "build": match.build,
        "digest": match.digest,
        "kind": fault.kind,
        "event": fault.event,
        "seat": fault.seat,
        "legal": None if told.finding is None else told.finding.legal,
        "expected": fault.expected,
        "found": fault.found,
    }
    return _given(properties)


def _rule_id(told: Told) -> tuple[str, str]:
    """Clauses of one name may say something else in another ruleset."""
    return told.match.shown.ruleset or "", told.fault.clause


def _rule_name(ruleset: str, clause: str) -> str:
    return f"{ruleset}/{clause}" if ruleset else clause


def _fingerprint(told: Told) -> str:
    """What stays the same of a finding while logs move to other files and lines."""
    fault = told.fault
    parts: Iterable[object] = (told.match.shown.name, fault.kind, fault.clause, fault.event, fault.seat, fault.pointer)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _given(part: Mapping[str, Any]) -> _Part:
    return {key: value for key, value in part.items() if value is not None}
