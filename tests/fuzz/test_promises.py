"""Whatever the input: a verdict or a diagnostic, always the same, and sentences in every language.

Longer: ``AUDITOR_EXAMPLES=5000 pytest tests/fuzz``; much longer: ``python benchmarks/fuzz.py``.
"""

from __future__ import annotations

import os

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from auditor import replay, schema
from auditor import verdict as verdicts
from auditor.games import FORMS, GAMES

from . import cases, promises, starts, strategies

EXAMPLES = int(os.environ.get("AUDITOR_EXAMPLES", "200"))
thorough = settings(
    deadline=None,
    max_examples=EXAMPLES,
    derandomize="AUDITOR_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
VERDICTS = Draft202012Validator(schema.output("verdict"))


@thorough
@given(strategies.texts())
def test_both_readers_say_the_same_of_any_text(data: bytes) -> None:
    promises.reader(data, "match.json")


@thorough
@given(strategies.documents().map(cases.written))
def test_any_log_has_one_verdict_that_can_be_kept_and_told(data: bytes) -> None:
    promises.audit(data, "match.json")


@thorough
@given(strategies.files())
def test_any_file_gives_the_same_matches_however_it_comes_in(file: tuple[str, bytes]) -> None:
    name, data = file
    promises.stream(data, name)


@thorough
@given(strategies.documents())
def test_the_verdict_on_any_log_that_can_be_read_fits_its_schema(document: cases.Document) -> None:
    try:
        match = msgspec.json.decode(cases.written(document), type=FORMS[document["ruleset"]])
    except (msgspec.ValidationError, KeyError, TypeError):
        return
    said = msgspec.json.decode(verdicts.to_json(replay.audit(GAMES[document["ruleset"]], match)))
    assert list(VERDICTS.iter_errors(said)) == []


@pytest.mark.parametrize("text", starts.corpus(), ids=lambda text: f"{len(text)} bytes")
def test_the_promises_hold_for_the_corpus(text: bytes) -> None:
    promises.reader(text, "match.json")
    promises.audit(text, "match.json")
    promises.stream(text, "match.json")


def test_most_damage_to_what_a_log_says_gets_past_the_reader() -> None:
    """What the reader refuses is never shown to the rules."""
    drawn = [cases.case(4, number) for number in range(0, 300, 2)]
    read = [promises.audit(case.data, case.name) for case in drawn if case.kind == "events"]
    assert sum(status != "invalid" for status in read) > 0.8 * len(read)
    assert {"illegal", "misscored", "incomplete", "invalid"} <= set(read)
