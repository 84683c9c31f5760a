"""The fast reader and the strict one accept the same logs, and give them the same digest."""

from __future__ import annotations

import hashlib
import json

import msgspec
import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor import jsontext, log, schema
from auditor.errors import Place
from auditor.games import FORMS

from . import drawn

RULESETS = sorted(FORMS)
READER = log.Reader(FORMS)
RULES = schema.rules({ruleset: schema.shipped()[ruleset] for ruleset in RULESETS})
thorough = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=400)


def strict_faults(text: jsontext.Text) -> list[str]:
    clauses = [fault.clause for fault in text.faults]
    return clauses or [fault.clause for fault in schema.faults(text.value, RULES)]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_a_schema_draws_is_accepted_by_the_fast_reader_alone(ruleset: str) -> None:
    @thorough
    @given(st.data())
    def check(data: st.DataObject) -> None:
        document = data.draw(drawn.documents(ruleset))
        text = drawn.written(document, data.draw)
        match = READER._decoder.decode(text)
        canonical = log._canonical(match, text)
        assert canonical == rfc8785.dumps(document) or (canonical is None and b"\\u003" in text)

    check()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_both_readers_agree_on_damaged_logs(ruleset: str) -> None:
    @thorough
    @given(drawn.texts(ruleset))
    def check(data: bytes) -> None:
        text = jsontext.parse(data)
        faults = strict_faults(text)
        canonical = None
        try:
            canonical = log._canonical(READER._decoder.decode(data), data)
            refused = False
        except (msgspec.DecodeError, rfc8785.CanonicalizationError, RecursionError):
            refused = True
        if refused:
            assert faults
        if canonical is not None:
            assert not faults
            assert canonical == rfc8785.dumps(text.value) == rfc8785.dumps(json.loads(data))
        entry = READER.read(data, Place("", 1, 0))
        assert isinstance(entry, log.Unreadable) == bool(faults)
        if isinstance(entry, log.Log):
            assert entry.digest == "sha256:" + hashlib.sha256(rfc8785.dumps(json.loads(data))).hexdigest()

    check()
