"""What the auditor writes for programs has the form that it publishes, and that form is no wider than it has to be."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from auditor import schema
from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from tests import golden
from tests.cluster import helpers as cluster
from tests.desks import played, seats
from tests.desks.played import run
from tests.documents import Document
from tests.importers.platforms import emitted, text_of
from tests.publishing.archives import publish

WRITERS: dict[str, Callable[[Path], Iterator[Document]]] = {}


def writer(function: Callable[[Path], Iterator[Document]]) -> Callable[[Path], Iterator[Document]]:
    """Writes documents of one output, with a folder to work in; it is called as the output is."""
    WRITERS[function.__name__.replace("_", "-")] = function
    return function


@cache
def validator(name: str) -> Draft202012Validator:
    document = schema.output(name)
    Draft202012Validator.check_schema(document)
    registry: Registry[Any] = Registry().with_resource("", DRAFT202012.create_resource(document)).crawl()
    return Draft202012Validator(document, registry=registry)


# --- Outputs --------------------------------------------------------------------------------------------------------


def printed(*arguments: str | Path, code: int | None = None) -> Document:
    result = run(*arguments, "--format", "json")
    assert result.exit_code in ([0, 1] if code is None else [code]), result.output
    document: Document = json.loads(result.stdout)
    return document


def parsed(path: Path) -> Document:
    document: Document = json.loads(path.read_bytes())
    return document


@cache
def damaged(ruleset: str) -> list[Document]:
    """A legal match, the same as one seat saw it, and damaged in every way that the game knows."""
    match = min(played.matches(ruleset, 4, 11, True), key=lambda document: len(document["events"]))
    made = [match, seats.seen_by(1, match)]
    for name, damage in seats.DAMAGES.items():
        try:
            wrong = damage(random.Random(f"{ruleset} {name}"), match)
        except IndexError:  # no such event in this game
            continue
        if wrong is not None:
            made.append(wrong.document)
    return made


def logs(folder: Path, step: int) -> Sequence[Path]:
    """One out of so many of the fixtures that are match logs, and of the damaged logs of every ruleset."""
    made = [
        played.write(folder / f"{ruleset}-{number}.json", document)
        for ruleset in GAMES
        for number, document in enumerate(damaged(ruleset))
    ]
    return [*(path for path in golden.logs() if not path.stem.startswith("invalid")), *made][::step]


INVALID = golden.FIXTURES / "tarneeb-classic" / "invalid.json"


@writer
def verdict(folder: Path) -> Iterator[Document]:
    yield from (parsed(golden.expected_path(path)) for path in golden.logs())


@writer
def adjudication(folder: Path) -> Iterator[Document]:
    for path in logs(folder, 12):
        yield printed("adjudicate", path, "--rulesets", "tarneeb-classic,tarneeb-masrawi-dakak")
    sweep = golden.FIXTURES / "tarneeb-classic" / "defender-sweep.json"
    yield printed("adjudicate", sweep, "--option", "defender_sweep=13", code=1)


@writer
def explanation(folder: Path) -> Iterator[Document]:
    for path in logs(folder, 9):
        log = read_bytes(path.read_bytes(), FORMS)
        assert isinstance(log, Log)
        accused = [finding.event for finding in verdict_on(log).findings if finding.event is not None]
        count = len(log.match.events)
        for event in {0, count // 2, count, *accused[:3]}:
            yield printed("explain", path, "--event", str(event), code=0)


@writer
def reconciliation(folder: Path) -> Iterator[Document]:
    for ruleset in GAMES:
        match, *others = damaged(ruleset)
        files = [played.write(folder / f"{number}.json", view) for number, view in enumerate(seats.all_views(match))]
        others.append(match | {"options": {}, "shuffle": match["shuffle"] | {"client_seed": "another"}})
        for other in others[1::2]:
            yield printed("reconcile", *files, played.write(folder / "other.json", other))
    yield printed("reconcile", golden.logs()[0], INVALID, code=1)
    yield printed("reconcile", INVALID, played.write(folder / "other.json", parsed(INVALID)), code=1)
    yield of_clients(folder)


def of_clients(folder: Path) -> Document:
    """Out of a case: two logs that may be true, but not both of them."""
    one, other = (seats.seen_by(seat, damaged("tarneeb-classic")[0]) for seat in (1, 2))
    wrong = seats.another_card_dealt(random.Random(0), one)
    assert wrong is not None
    files = [played.write(folder / "one.json", wrong.document), played.write(folder / "other.json", other)]
    assert run("case", *files, "-o", folder / "case").exit_code == 0
    return parsed(folder / "case" / "reconciliation.json")


@writer
def case(folder: Path) -> Iterator[Document]:
    assert run("key", "new", folder / "key").exit_code == 0
    everything = [*logs(folder, 12), INVALID]
    assert run("case", *everything, "-o", folder / "plain", "--lang", "ar").exit_code == 0
    assert run("case", *everything, "-o", folder / "signed", "--sign", folder / "key").exit_code == 0
    yield from (parsed(folder / name / "case.json") for name in ("plain", "signed"))


@writer
def baseline(folder: Path) -> Iterator[Document]:
    (folder / "no-log.json").write_text("rubbish")
    path = folder / "baseline.json"
    for found in ([*logs(folder, 10), INVALID, folder / "no-log.json"], [golden.FIXTURES]):
        run("check", *found, "--baseline", path, "--update-baseline", "--reason", "as it was")
        yield parsed(path)


@writer
def fairness(folder: Path) -> Iterator[Document]:
    """Every ruleset; a proof that fails, cards that are not seen, deals that come again, a deal that is none."""
    yield printed("fairness", *logs(folder, 4), INVALID, code=1)
    match = played.matches(count=1, proves_shuffle=True)[0]
    broken = match | {"match": "other", "shuffle": match["shuffle"] | {"server_seed": "00"}}
    more = played.write(folder / "more.ndjson", match, match | {"match": "again"}, broken)
    yield printed("fairness", more, code=1)


@writer
def import_report(folder: Path) -> Iterator[Document]:
    """A match whole, one with a gap, one that is no match log; lines that are none; a file that is not there."""
    match, wrong = folder / "match.ndjson", folder / "wrong.ndjson"
    lines = emitted(damaged("three-stones")[0])
    match.write_bytes(text_of(lines))
    wrong.write_bytes(text_of([*lines[:4], *lines[6:]]).replace(b'"a1"', b'"somewhere far away"') + b"nonsense\n")
    for number, paths in enumerate(([match], [wrong, golden.FIXTURES], [folder / "none.ndjson"])):
        report = folder / f"{number}.report"
        run("import", "events", *paths, "--report", report)
        yield parsed(report)


@cache
def archives(folder: Path) -> tuple[Path, Path]:
    """An archive that is not signed, and one that is."""
    assert run("key", "new", folder / "key").exit_code == 0
    found = golden.FIXTURES / "three-stones"
    return publish(found, folder / "plain"), publish(found, folder / "signed", "--sign", folder / "key")


@writer
def auditor_archive(folder: Path) -> Iterator[Document]:
    yield from (parsed(archive / "seal.json") for archive in archives(folder))


@writer
def auditor_proof(folder: Path) -> Iterator[Document]:
    for number, archive in enumerate(archives(folder)):
        for match in ("three-stones/clean-jump-10", "three-stones/broken-off"):
            path = folder / f"{number}-{match.replace('/', '-')}.json"
            assert run("prove", archive, "--match", match, "-o", path).exit_code == 0
            yield parsed(path)


@writer
def audited_shards(folder: Path) -> Iterator[Document]:
    """Whole files and ranges of one, results that are there and such that are missing."""
    files = cluster.mixed(folder / "logs")

    with pytest.MonkeyPatch.context() as patch:
        for number, engine in enumerate((cluster.Here(), cluster.Here(lambda call: True))):
            cluster.audited([files], folder / str(number), engine)
            yield parsed(folder / str(number) / "manifest.json")
            patch.setattr("auditor.cluster.shards.RANGE_BYTES", 100_000)


@pytest.fixture(scope="module", params=WRITERS)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Document]]:
    name = request.param
    return name, list(WRITERS[name](tmp_path_factory.mktemp(name)))


def test_what_is_written_has_the_published_form(written: tuple[str, list[Document]]) -> None:
    name, documents = written
    assert documents
    for document in documents:
        assert document["format"] == f"{name}/1"
        assert [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)] == []


def test_every_format_that_is_written_is_published() -> None:
    """The rows of a Parquet file have a form of their own, in its columns."""
    source = "".join(path.read_text(encoding="utf-8") for path in Path(schema.__file__).parent.rglob("*.py"))
    formats = set(re.findall(r'"([a-z-]+)/1"', source)) - {"audited-logs", "match-log"}
    assert sorted(formats) == schema.outputs() == sorted(WRITERS)
    for name in schema.outputs():
        assert schema.output(name)["$id"] == f"urn:auditor:{name}:1"
        assert schema.output(name)["properties"]["format"] == {"const": f"{name}/1"}


def test_the_help_names_every_output() -> None:
    named = re.findall(r"[a-z-]+", run("schema", "--help").stdout)
    assert set(schema.outputs()) <= set(named)


# --- What is not written --------------------------------------------------------------------------------------------


class Width(NamedTuple):
    """What a schema lets pass, each by the last two keys on the way to it.

    ``open`` are objects that take a key that nobody knows; what is in them is not looked at. ``optional`` are the keys
    that may be left out, and ``any`` those with which anything may stand.
    """

    open: set[str]
    optional: set[str]
    any: set[str]


#: What a claim was and should have been is of any form; readings have the names that the rulebook gives them.
_OPEN = {"findings.expected", "findings.found", "findings.readings"}
_OPTIONAL = {f"findings.{key}" for key in ("seat", "legal", "readings", "place", "against", "follows")}
_ANY = {"findings.expected", "findings.found"}
_PRODUCER = {"producer.version", "producer.build", "producer.platform"}
_KNOWN = ("ruleset", "build", "digest", "place", "totals", "winner", "faults", "reason")
_FAULT = ("event", "seat", "expected", "found", "pointer")
WIDTHS = {
    "verdict": Width(_OPEN | {"options"}, _OPTIONAL | _PRODUCER, _ANY),
    "adjudication": Width(_OPEN | {"opinions.options", "verdict.options"}, _OPTIONAL | _PRODUCER, _ANY),
    "explanation": Width(_OPEN | {"options", "act"}, _OPTIONAL, _ANY),
    "reconciliation": Width({"versions.facts"}, set(), set()),
    "case": Width(set(), set(), set()),
    "baseline": Width(
        open={"faults.expected", "faults.found"},
        optional={f"matches.{key}" for key in _KNOWN} | {f"faults.{key}" for key in _FAULT},
        any={"faults.expected", "faults.found"},
    ),
    "fairness": Width(set(), set(), set()),
    "import-report": Width({"counts"}, {"losses.subject", "first.match", "first.detail"}, set()),
    "auditor-archive": Width(set(), set(), set()),
    "auditor-proof": Width(
        open={"inclusion", "signature", "log.options", "log.events"},
        optional={"log.options", "log.producer", "log.started", "log.ended"} | _PRODUCER,
        any=set(),
    ),
    "audited-shards": Width(
        open=set(),
        optional={"shards.start", "shards.end", "summary.no_log", "statuses.clean", "statuses.invalid"},
        any=set(),
    ),
}

Where: TypeAlias = tuple[str | int, ...]


def changed(document: Any, where: Where, new: Any) -> Any:
    """The document with another value at one place; ``...`` takes the key out."""
    if not where:
        return new
    key, *rest = where
    copy = document.copy()
    copy[key] = changed(document[key], tuple(rest), new)
    if copy[key] is ...:
        del copy[key]
    return copy


def width_of(name: str, documents: list[Document]) -> Width:
    """Tried once at each place where a value of some type may stand; the indexes of lists make no other place."""
    found = Width(set(), set(), set())
    tried = set()

    def look(document: Document, value: Any, where: Where) -> None:
        kind = tuple("*" if isinstance(key, int) else key for key in where), type(value)
        key = ".".join([key for key in where if isinstance(key, str)][-2:])

        def passes(*others: Any) -> bool:
            return any(validator(name).is_valid(changed(document, where, other)) for other in others)

        if kind not in tried:
            tried.add(kind)
            if isinstance(value, dict) and passes(value | {"?": 0}, value | {"?": []}):
                found.open.add(key)
            if where and isinstance(where[-1], str) and passes(...):
                found.optional.add(key)
            if passes([{}]) if isinstance(value, dict) else passes({"?": {}}):
                found.any.add(key)
        if key not in found.open | found.any:
            for part, inner in (
                value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
            ):
                look(document, inner, (*where, part))

    for document in sorted(documents, key=lambda document: len(json.dumps(document))):
        look(document, document, ())
    return found


def test_what_is_not_written_has_not(written: tuple[str, list[Document]]) -> None:
    name, documents = written
    for found, allowed in zip(width_of(name, documents), WIDTHS[name], strict=True):
        assert found <= allowed
