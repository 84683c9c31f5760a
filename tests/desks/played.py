"""Logs to try the regression desk with: generated matches, the same with planted faults, and files of them.

In: a ruleset, a seed. Out: documents, files, and what the command line prints for them. Refuses to know any rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from click.testing import CliRunner, Result

from auditor import faults, generate, rulebook
from auditor.audit import audited
from auditor.cli import main
from auditor.games import GAMES
from auditor.log import Unreadable
from auditor.store import Auditor, Store

Document = dict[str, Any]

CLASSIC = "tarneeb-classic"
FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
NEWEST = Auditor("9.9.9", rulebook.digest())


def run(*arguments: str | Path, env: dict[str, str | None] | None = None) -> Result:
    result = CliRunner(env={"FORCE_COLOR": None, "GITHUB_STEP_SUMMARY": None, **(env or {})}).invoke(
        main, [str(argument) for argument in arguments], prog_name="auditor"
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@cache
def matches(ruleset: str = CLASSIC, count: int = 6, seed: int = 11, proves_shuffle: bool = False) -> Sequence[Document]:
    """Legal matches, rightly scored."""
    return list(generate.matches(GAMES[ruleset], count, seed, None, proves_shuffle))


@cache
def faulty(fault: str, number: int = 0, ruleset: str = CLASSIC) -> Document:
    """A match with one planted fault."""
    made = faults.plant(GAMES[ruleset], matches(ruleset)[number], fault, Random(number))
    assert made is not None
    return made.document


def by(document: Document, build: str, version: str = "1.0", name: str = "club", platform: str = "linux") -> Document:
    """The same match, written by another build."""
    producer = {"name": name, "version": version, "build": build, "platform": platform}
    return document | {"producer": producer}


def named(document: Document, match: str) -> Document:
    return document | {"match": match}


def write(path: Path, *documents: Document) -> Path:
    """A file of one match a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(msgspec.json.encode(document) + b"\n" for document in documents))
    return path


def store(path: Path, *logs: str | Path, by: Auditor = NEWEST) -> Path:
    """A database with the verdicts on some logs."""
    rows = ((None if isinstance(entry, Unreadable) else entry, verdict) for entry, verdict in audited(map(str, logs)))
    with Store.open(path) as database:
        database.load(rows, by)
    return path
