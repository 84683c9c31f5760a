"""A test case: a log and a finding, as a file that pytest runs as it is.

In: a log as a document and its verdict. Out: the log one event a line, and the source of a test. Refuses to know how
the log came about. Nothing that a log says becomes code: every text is written as a literal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from auditor.jsontext import visible
from auditor.verdict import Finding

_LONGEST_SENTENCE = 1000
#: In this order the head of a log reads well.
_HEAD = ("format", "match", "ruleset", "options", "producer", "started", "ended", "players", "shuffle", "extra")
_SOURCE = '''\
"""The smallest log that shows {clause}, found by auditor in a longer one."""

import json

from auditor.audit import verdict_on
from auditor.games import FORMS
from auditor.log import read_bytes

LOG = {log}


def test_{name}() -> None:
    # {sentence}
    verdict = verdict_on(read_bytes(json.dumps(LOG).encode(), FORMS))
    found = [(finding.kind, finding.clause, finding.event) for finding in verdict.findings]
    assert ("{kind}", "{clause}", {event}) in found
'''


def log_text(document: Mapping[str, Any]) -> str:
    """The log as JSON with one key of its head and one event a line."""
    return _laid_out(document, lambda value: json.dumps(value, ensure_ascii=False), "  ") + "\n"


def source(document: Mapping[str, Any], finding: Finding) -> str:
    """The text of a Python module with the log and one test, which passes as long as the log shows the finding."""
    return _SOURCE.format(
        log=_laid_out(document, literal, "    ", ","),
        name=re.sub(r"\W", "_", finding.clause, flags=re.ASCII),
        sentence=visible(finding.message(document["ruleset"]), _LONGEST_SENTENCE),
        kind=finding.kind,
        clause=finding.clause,
        event=finding.event,
    )


def literal(value: Any) -> str:
    """A JSON value as Python writes it, in ASCII, on one line."""
    match value:
        case str():
            return json.dumps(value) if value.isascii() and value.isprintable() else ascii(value)
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case dict():
            return f"{{{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items())}}}"
    return repr(value)


def _laid_out(document: Mapping[str, Any], write: Callable[[Any], str], indent: str, last: str = "") -> str:
    """``last`` stands behind the last entry of a list, where the language allows it."""
    head = [f"{indent}{write(key)}: {write(document[key])},\n" for key in _HEAD if key in document]
    events = ",\n".join(f"{indent * 2}{write({'type': event['type'], **event})}" for event in document["events"])
    return f"{{\n{''.join(head)}{indent}{write('events')}: [\n{events}{last}\n{indent}]{last}\n}}"
