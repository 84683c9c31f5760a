"""The fast reader and the strict one accept the same logs, and give them the same digest."""

from __future__ import annotations

import hashlib
import json

import msgspec
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
thorough = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=1000)


def strict_faults(text: jsontext.Text) -> list[str]:
    clauses = [fault.clause for fault in text.faults]
    return clauses or [fault.clause for fault in schema.faults(text.value, RULES)]


def written(document: drawn.Document) -> st.SearchStrategy[tuple[drawn.Document, bytes]]:
    return st.tuples(st.just(document), drawn.written(document))


@thorough
@given(st.sampled_from(RULESETS).flatmap(drawn.documents).flatmap(written))
def test_what_a_schema_draws_is_accepted_by_the_fast_reader_alone(pair: tuple[drawn.Document, bytes]) -> None:
    document, data = pair
    canonical = log._canonical(READER._decoder.decode(data), data)
    assert canonical == rfc8785.dumps(document) or (canonical is None and b"\\u003" in data)


@thorough
@given(st.sampled_from(RULESETS).flatmap(drawn.texts))
def test_both_readers_agree_on_damaged_logs(data: bytes) -> None:
    text = jsontext.parse(data)
    faults = strict_faults(text)
    canonical = None
    try:
        canonical = log._canonical(READER._decoder.decode(data), data)
    except (msgspec.DecodeError, rfc8785.CanonicalizationError, RecursionError):
        assert faults
    if canonical is not None:
        assert not faults
        assert canonical == rfc8785.dumps(text.value) == rfc8785.dumps(json.loads(data))
    entry = READER.read(data, Place("", 1, 0))
    assert isinstance(entry, log.Unreadable) == bool(faults)
    if isinstance(entry, log.Log):
        assert entry.digest == "sha256:" + hashlib.sha256(rfc8785.dumps(json.loads(data))).hexdigest()
    else:
        offsets = [fault.offset for fault in entry.diagnostics]
        assert offsets == sorted(offsets)
        assert 0 <= offsets[0] <= offsets[-1] <= len(data)
