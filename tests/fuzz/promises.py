"""What holds for any input whatever: it ends in a verdict or in a diagnostic with its place, and always in the same.

In: bytes, and the name of the file that they are taken for. Out: how it ended, in one word. Whatever does not hold is
an ``AssertionError``; any other exception is a fault of the auditor too. Refuses to know how the bytes came about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle
from random import Random
from types import MappingProxyType

import rfc8785

from auditor import jsontext, position, report, schema, sources
from auditor import verdict as verdicts
from auditor.audit import verdict_on
from auditor.errors import Place
from auditor.games import FORMS, GAMES
from auditor.log import Log, Reader, Unreadable, entries
from auditor.rulebook import LANGUAGES
from auditor.verdict import Verdict

#: A longer text that the fast reader accepts is not shown to the strict one: that takes too long.
_LONGEST = 3000
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e]")


def reader(data: bytes, name: str) -> str:
    """One match: the fast reader and the strict one agree on it, and faults stand in the order of the text."""
    entry = _read(data, name)
    if isinstance(entry, Unreadable):
        _check_diagnostics(entry, len(data))
    elif len(data) <= _LONGEST:
        text = jsontext.parse(data.removeprefix(sources.BYTE_ORDER_MARK))
        assert text.faults == ()
        assert next(schema.faults(text.value, _rules()), None) is None
        assert rfc8785.dumps(text.value) == entry.canonical
        again = _read(entry.canonical, name)
        assert isinstance(again, Log)
        assert (again.digest, again.canonical, again.match) == (entry.digest, entry.canonical, entry.match)
    return told(entry).status


def audit(data: bytes, name: str) -> str:
    """One match: its verdict is the same twice, comes back from its facts, and is told with the table of any moment."""
    entry = _read(data, name)
    verdict = told(entry)
    if isinstance(entry, Log):
        assert verdicts.to_json(verdict_on(_read(data, name))) == verdicts.to_json(verdict)
        _check_findings(verdict, len(entry.match.events))
        _check_moments(entry, verdict, Random(len(data)))
    return verdict.status


def stream(data: bytes, name: str) -> str:
    """A file: the same matches come out of it however it comes in, each in a verdict, in the order of the file."""
    whole = list(_entries(name, [data]))
    said = [verdicts.to_json(told(entry)) for entry in whole]
    offsets = [entry.place.offset for entry in whole]
    assert offsets == sorted(offsets)
    chance = Random(len(data))
    size = chance.choice((1, 7, 64, 1000))
    if len(data) // size < 20_000:
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        assert [verdicts.to_json(verdict_on(entry)) for entry in _entries(name, pieces)] == said
    statuses = {verdict_on(entry).status for entry in whole}
    return "nothing" if not statuses else statuses.pop() if len(statuses) == 1 else "several"


#: By name; what the promise is about.
PROMISES: Mapping[str, Callable[[bytes, str], str]] = MappingProxyType(
    {"reader": reader, "audit": audit, "stream": stream}
)


def _entries(name: str, chunks: Sequence[bytes]) -> Iterator[Log | Unreadable]:
    return entries(sources.documents_in(sources.unpacked(filter(None, chunks), name), name), _reader())


def _read(data: bytes, name: str) -> Log | Unreadable:
    mark = sources.BYTE_ORDER_MARK if data.startswith(sources.BYTE_ORDER_MARK) else b""
    return _reader().read(data.removeprefix(mark), Place(name, 1, len(mark)))


@cache
def _reader() -> Reader:
    """One for all: it takes longer to make than to use."""
    return Reader(FORMS)


@cache
def _rules() -> schema.Rules:
    return schema.rules({ruleset: schema.shipped()[ruleset] for ruleset in FORMS})


def _check_diagnostics(entry: Unreadable, length: int) -> None:
    offsets = [fault.offset for fault in entry.diagnostics]
    assert offsets == sorted(offsets) != []
    assert 0 <= offsets[0] <= offsets[-1] <= length
    assert all(fault.line >= 1 for fault in entry.diagnostics)


def told(entry: Log | Unreadable) -> Verdict:
    """The verdict, once it was written as JSON, kept and read back, and told in every language."""
    verdict = verdict_on(entry)
    kept = verdicts.from_facts(verdicts.to_facts(verdict))
    assert verdicts.to_json(kept) == verdicts.to_json(verdict)
    assert (verdict.status == "invalid") == isinstance(entry, Unreadable)
    for language in LANGUAGES:
        lines = [line.plain for line in report.match_lines(verdict, entry.place, language)]
        assert [line.plain for line in report.match_lines(kept, entry.place, language)] == lines
        _check_lines(lines)
    return verdict


def _check_findings(verdict: Verdict, event_count: int) -> None:
    assert verdict.status == verdicts.status(verdict.findings, verdict.over)
    events = [finding.event for finding in verdict.findings if finding.event is not None]
    assert events == sorted(events)
    assert all(0 <= event < event_count for event in events)
    for deal in verdict.deals:
        assert 0 <= deal.events[0] <= deal.events[1] < event_count
    for language in LANGUAGES:
        _check_lines([finding.message(verdict.ruleset, language) for finding in verdict.findings])


def _check_moments(entry: Log, verdict: Verdict, chance: Random) -> None:
    match = entry.match
    count = len(match.events)
    indexes = sorted({chance.randrange(count + 1), count})
    for moment, language in zip(position.at(GAMES[match.ruleset], match, indexes), cycle(LANGUAGES)):
        assert len(moment.hands) == len(moment.unseen) == len(match.players)
        _check_lines([line.plain for line in report.position_lines(moment, match, verdict, language)])


def _check_lines(lines: Sequence[str]) -> None:
    """Lines can be written, and nothing that a log brings turns or breaks them."""
    for line in lines:
        line.encode()
        found = _CONTROLS.search(line)
        assert found is None, f"{found[0]!r} in {line!r}"
