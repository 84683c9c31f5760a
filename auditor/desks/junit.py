"""JUnit XML: a test suite a ruleset, a test case a match.

In: matches. Out: an XML text that test reports show. Refuses to know what fails: it is told. There are no times in it,
so that the same logs give the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from xml.etree import ElementTree

from auditor import report
from auditor.desks.comparison import Compared
from auditor.desks.export import IsFailure, Told, placed, told
from auditor.desks.region import Region
from auditor.jsontext import visible
from auditor.rulebook import Language

_LONGEST_ID, _LONGEST_PATH = 200, 1000
#: What no XML text may hold, however it is written.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class _Case:
    """A test case; ``why`` is its state and the reason why it was accepted."""

    suite: str
    name: str
    why: str
    fails: bool
    is_skipped: bool
    faults: Sequence[Told]


class JUnit:
    """Test cases pass for what is clean; what has accepted faults, or is missing, is skipped unless it fails."""

    def __init__(self, is_failure: IsFailure, language: Language) -> None:
        self._is_failure = is_failure
        self._language = language
        self._cases: list[_Case] = []

    def add(self, match: Compared) -> None:
        fails, faults = self._is_failure(match), list(told(match))
        reason = None if match.before is None else match.before.reason
        why = ": ".join(filter(None, (match.state or match.shown.status, reason)))
        is_skipped = not fails and (bool(match.shown.faults) or match.state == "missing")
        name = match.shown.name
        self._cases.append(
            _Case(match.shown.ruleset or "no ruleset", name, why, fails, is_skipped, faults if fails else ())
        )

    def end(self) -> str:
        self._cases.sort(key=lambda case: case.suite)
        places = iter(placed(fault for case in self._cases for fault in case.faults))
        root = ElementTree.Element("testsuites", name="auditor")
        for suite, grouped in groupby(self._cases, key=lambda case: case.suite):
            cases = list(grouped)
            counts = {
                "tests": len(cases),
                "failures": sum(case.fails for case in cases),
                "errors": 0,
                "skipped": sum(case.is_skipped for case in cases),
            }
            element = ElementTree.SubElement(root, "testsuite", name=_clean(suite))
            element.attrib.update({key: str(count) for key, count in counts.items()})
            for case in cases:
                self._write(element, case, islice(places, len(case.faults)))
        ElementTree.indent(root)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'

    def _write(self, suite: ElementTree.Element, case: _Case, faults: Iterator[tuple[Told, Region | None]]) -> None:
        name = _clean(visible(case.name, _LONGEST_ID))
        element = ElementTree.SubElement(suite, "testcase", classname=_clean(case.suite), name=name)
        why = _clean(visible(case.why, _LONGEST_PATH))
        if case.is_skipped:
            ElementTree.SubElement(element, "skipped", message=why)
        if not case.fails:
            return
        texts = [self._text(*fault) for fault in faults]
        first = next(iter(case.faults), None)
        message = why if first is None else first.message(self._language)
        kind = why if first is None else first.fault.clause
        failure = ElementTree.SubElement(element, "failure", message=_clean(message), type=_clean(kind))
        failure.text = _clean("\n".join([why, *texts]))

    def _text(self, told: Told, region: Region | None) -> str:
        """A finding as the terminal shows it, behind its file and line."""
        state = "" if told.state is None else f" [{told.state}]"
        if told.finding is None:
            return f"{told.fault.clause}{state}"
        place = told.match.place
        where = (
            [] if place is None or region is None else [f"{visible(place.file, _LONGEST_PATH)}:{region.line}{state}"]
        )
        lines = report.fault_lines(told.finding, told.match.shown.ruleset, self._language)
        return "\n".join([*where, *(line.plain for line in lines)])


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
