"""The addresses at which something is shown, in a database of the fixtures.

In: the name of a fixture, or nothing. Out: paths. Refuses to know what is there.
"""

from __future__ import annotations

from auditor.audit import verdict_on
from auditor.games import FORMS
from auditor.log import Log, read_bytes
from tests.golden import FIXTURES

#: A fixture of each ruleset with something to see on its table.
MATCHES: tuple[str, ...] = (
    "tarneeb-classic/fault-revoke",
    "tarneeb-masrawi/fault-revoke",
    "tarneeb-masrawi-dakak/fault-revoke",
    "twenty-nine/fault-revoke",
    "belote-contree/fault-no-ruff",
    "rami-tounsi/fault-taken-card-unused",
    "three-stones/fault-slid-too-far",
)


def log_of(fixture: str) -> Log:
    """The log of a fixture, such as ``tarneeb-classic/fault-revoke``."""
    entry = read_bytes((FIXTURES / f"{fixture}.json").read_bytes(), FORMS, f"{fixture}.json")
    assert isinstance(entry, Log)
    return entry


def match_at(fixture: str, event: int | None = None) -> str:
    """The address of its match, and of one of its events."""
    fragment = "" if event is None else f"#e{event}"
    return f"/-/auditor/match/{log_of(fixture).digest.removeprefix('sha256:')}{fragment}"


def first_fault(fixture: str) -> int:
    """The event that its verdict reports first."""
    fault = verdict_on(log_of(fixture)).first_fault
    assert fault is not None
    assert fault.event is not None
    return fault.event


#: One for each kind of page, and for the matches of two rulesets that look different.
OURS: tuple[str, ...] = (
    "/",
    "/-/auditor/builds",
    "/-/auditor/rules",
    "/-/auditor/rules/tarneeb-classic",
    "/-/auditor/players",
    "/-/auditor/players/1",
    "/-/auditor/runs",
    "/-/auditor/audit",
    match_at(MATCHES[0]),
    match_at(MATCHES[-1]),
)
DATASETTES: tuple[str, ...] = (
    "/audit",
    "/audit/matches",
    "/audit/matches?_search=fault&_facet=status",
    "/audit/matches/1",
    "/audit/findings?_sort_desc=event",
    "/audit/results",
    "/audit/worst_clauses",
    "/audit/-/query?sql=select+*+from+seats",
    "/-/databases",
    "/-/plugins",
    "/-/settings",
    "/-/allow-debug",
)
JSON: tuple[str, ...] = (
    "/audit/matches.json",
    "/audit.json",
    "/-/auditor/openapi.json",
    f"{match_at(MATCHES[0])}.json",
    f"{match_at(MATCHES[0])}/log.json",
    f"{match_at(MATCHES[0])}/tables.json",
    f"{match_at(MATCHES[0])}/table/0.json",
)
