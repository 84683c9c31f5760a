"""Every diagnostic has its entry in the rulebook, and a sentence in both languages for all facts that it brings."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from auditor import jsontext, log, rulebook, schema, sources

from .builders import PLAY, match, refused, text

MODULES = (jsontext, log, schema, sources)
ENTRIES = rulebook.book("log").entries

CASES = {
    "log.encoding": b"\xff",
    "log.syntax": b"[1 \xd9\x84]",
    "log.control": b'"\x1b"',
    "log.surrogate": b'"\\ud800"',
    "log.number": b"NaN",
    "log.duplicate-key": b'{"a\\u202e":1,"a\\u202e":2}',
    "log.depth": b"[" * 200,
    "log.truncated": b"[",
    "log.more": b"[" + b"NaN," * 2000,
    "log.ruleset": text(ruleset="whist"),
    "log.missing-key": text(events=[{}]),
    "log.unknown-key": text(x=1),
    "log.type": text(events=[{**PLAY, "at": None}]),
    "log.integer": text(events=[{**PLAY, "seat": 1.0}]),
    "log.value": text(events=[{**PLAY, "card": "1H"}]),
    "log.range": text(events=[{**PLAY, "at": -(2**53) + 1, "seat": -1}]),
    "log.length": text(""),
    "log.count": text(players=[]),
    "log.pattern": text(shuffle={"scheme": "", "commitment": "x", "server_seed": "x", "client_seed": ""}),
    "log.time": text(started="now"),
}
#: Those that need a file, or a schema that is not ours.
ELSEWHERE: dict[str, dict[str, object]] = {
    "log.file": {"reason": "no file is called so"},
    "log.size": {"most": sources.LARGEST_MATCH},
    "log.long": {"searched": jsontext.SEARCHED_VALUES, "most": jsontext.MOST_VALUES},
    "log.compression": {},
    "log.form": {"keyword": "oneOf", "found": "3"},
}


def test_the_rulebook_and_the_reader_know_the_same_clauses() -> None:
    told = {
        clause
        for module in MODULES
        for clause in re.findall(r'"(log\.[a-z-]+)"', Path(str(module.__file__)).read_text())
    }
    assert set(ENTRIES) == told == set(CASES) | set(ELSEWHERE)


@pytest.mark.parametrize("clause", sorted(CASES))
@pytest.mark.parametrize("language", rulebook.LANGUAGES)
def test_every_case_is_said_in_one_sentence(clause: str, language: rulebook.Language) -> None:
    fault = next(fault for fault in refused(CASES[clause]).diagnostics if fault.clause == clause)
    _check(clause, dict(fault.facts), language)


@pytest.mark.parametrize("clause", sorted(ELSEWHERE))
@pytest.mark.parametrize("language", rulebook.LANGUAGES)
def test_every_other_case_too(clause: str, language: rulebook.Language) -> None:
    _check(clause, ELSEWHERE[clause], language)


def _check(clause: str, facts: dict[str, object], language: rulebook.Language) -> None:
    entry = ENTRIES[clause]
    fields = {field for _, field, _, _ in string.Formatter().parse(entry.case[language]) if field}
    assert fields == set(facts)
    sentence = rulebook.sentence(None, clause, facts, language)
    for said in (sentence, entry.rule[language]):
        assert said.endswith(".")
        assert len(said) < 250
        assert not re.search("[\x00-\x1f\u202a-\u202e]", said)
        assert bool(re.search("[\u0621-\u064a]", said.replace("ل", "", 1))) is (language == "ar")
        assert all(said.count(opening) >= 0 for opening in "\u2066\u2068")
        assert len(re.findall("[\u2066\u2068]", said)) == said.count("\u2069")
    assert entry.source


def test_long_lists_are_told_by_an_example() -> None:
    faults = refused(
        text(events=[{**PLAY, "card": "1H"}, {"type": "deal", "dealer": 0, "hands": [["1H"]]}])
    ).diagnostics
    said = [rulebook.sentence(None, fault.clause, fault.facts) for fault in faults]
    assert said == [
        'Expected a card such as 7H; found "1H".',
        'Expected a card such as 7H, or ?? for one not seen; found "1H".',
    ]


def test_what_the_grammar_expects_is_translated() -> None:
    for data in (b"", b"[", b"[1 2]", b'{"a":1 2}', b"{1}", b'{"a" 1}', b'"', b'"\\x"', b"1 2", b"[1, 2"):
        facts = jsontext.parse(data).faults[-1].facts
        assert rulebook.word(facts["expected"], "ar") != facts["expected"]
        assert facts["found"][0] == '"' or rulebook.word(facts["found"], "ar") != facts["found"]


def test_types_are_translated() -> None:
    document = match(
        events=[{**PLAY, "at": None, "refused": 0, "seat": ""}, 7, {"type": "result", "winner": "x", "total": 0}]
    )
    document["match"] = 0
    for fault in schema.faults(document, schema.rules(schema.shipped())):
        if fault.clause == "log.type":
            assert rulebook.word(fault.facts["expected"], "ar") != fault.facts["expected"]
