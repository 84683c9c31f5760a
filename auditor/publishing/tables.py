"""The tables of an archive: matches, deals and findings, for tools that calculate.

In: logs with their verdicts. Out: rows with typed columns, and Parquet files of them. Refuses to know where the files
lie. Every column is described once, here; the archive's description says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.verdict import DealResult, Finding, Verdict

#: ``numbers`` holds one number a side, ``texts`` one text a seat.
Type: TypeAlias = Literal["text", "number", "truth", "numbers", "texts"]
Row: TypeAlias = tuple[Any, ...]

_ROWS_PER_GROUP = 20_000


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its type, and what it means."""

    name: str
    type: Type
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its name, its columns, and the rows that a log with its verdict gives."""

    name: str
    meaning: str
    columns: Sequence[Column]
    rows: Callable[[Log, Verdict], Iterator[Row]]


def _matches(log: Log, verdict: Verdict) -> Iterator[Row]:
    match = log.match
    producer = {} if match.producer is UNSET else msgspec.to_builtins(match.producer)
    first = verdict.first_fault
    yield (
        log.digest,
        match.match,
        match.ruleset,
        verdict.status,
        None if first is None else first.clause,
        None if first is None else first.event,
        _given(match.started),
        _given(match.ended),
        *(producer.get(key) for key in ("name", "version", "build", "platform")),
        [player.id for player in match.players],
        len(match.events),
        len(verdict.deals),
        verdict.totals,
        verdict.winner,
        verdict.over,
        match.shuffle is not UNSET,
        log.place.file,
        log.place.line,
    )


def _deals(log: Log, verdict: Verdict) -> Iterator[Row]:
    for deal in verdict.deals:
        yield _deal(log, deal)


def _deal(log: Log, deal: DealResult) -> Row:
    return (
        log.digest,
        log.match.ruleset,
        deal.index,
        deal.outcome,
        *deal.events,
        deal.points,
        deal.totals,
        deal.claimed_points,
        deal.claimed_totals,
    )


def _findings(log: Log, verdict: Verdict) -> Iterator[Row]:
    for number, finding in enumerate(verdict.findings):
        yield _finding(log, number, finding)


def _finding(log: Log, number: int, finding: Finding) -> Row:
    ruleset = log.match.ruleset
    return (
        log.digest,
        ruleset,
        number,
        finding.kind,
        finding.clause,
        finding.event,
        finding.seat,
        finding.message(ruleset, "en"),
        finding.message(ruleset, "ar"),
        _json(finding.expected),
        _json(finding.found),
        _json(finding.legal),
        finding.follows,
    )


_DIGEST = Column("digest", "text", "The log's digest: SHA-256 of the match object in the canonical form of RFC 8785")
_RULESET = Column("ruleset", "text", "The rules that it was audited by")

TABLES: Sequence[Table] = (
    Table(
        "matches",
        "One row a match",
        (
            _DIGEST,
            Column("match_id", "text", "The id of the match"),
            _RULESET,
            Column("status", "text", "illegal, misscored, incomplete or clean: the first that applies"),
            Column("clause", "text", "The clause that was broken first"),
            Column("event", "number", "The event that broke it, counted from 0"),
            Column("started", "text", "When the match began, as far as it is told"),
            Column("ended", "text", "When it ended, as far as it is told"),
            Column("producer", "text", "The program that wrote the log"),
            Column("version", "text", "Its version"),
            Column("build", "text", "Its build"),
            Column("platform", "text", "What it ran on"),
            Column("players", "texts", "Pseudonyms of the players, in the order of the seats"),
            Column("events", "number", "How many events the log has"),
            Column("deals", "number", "How many deals or rounds it has"),
            Column("totals", "numbers", "The recomputed totals, one number a side"),
            Column("winner", "number", "The side that won by the recomputed score; empty for none"),
            Column("over", "truth", "Whether the match came to its end"),
            Column("shuffle_proof", "truth", "Whether the log proves its shuffles"),
            Column("file", "text", "The file that holds the log, below data/"),
            Column("line", "number", "Its line there, counted from 1"),
        ),
        _matches,
    ),
    Table(
        "deals",
        "One row a deal or round",
        (
            _DIGEST,
            _RULESET,
            Column("deal", "number", "Which deal of the match, counted from 0"),
            Column("outcome", "text", "scored, void, broken or unfinished"),
            Column("first_event", "number", "The deal's first event, counted from 0"),
            Column("last_event", "number", "Its last event"),
            Column("points", "numbers", "What it scores by the rules, one number a side; empty unless scored"),
            Column("totals", "numbers", "The totals after it"),
            Column("claimed_points", "numbers", "What the log says that it scored"),
            Column("claimed_totals", "numbers", "The totals that the log says"),
        ),
        _deals,
    ),
    Table(
        "findings",
        "One row for each thing that there is to say of an event",
        (
            _DIGEST,
            _RULESET,
            Column("number", "number", "Which finding of the match, counted from 0"),
            Column("kind", "text", "illegal, claim, open (a point that the rules leave open) or note"),
            Column("clause", "text", "The clause or the open point"),
            Column("event", "number", "The event that it is about, counted from 0"),
            Column("seat", "number", "The seat that it is about"),
            Column("message_en", "text", "One sentence in English"),
            Column("message_ar", "text", "The same in Arabic"),
            Column("expected", "text", "For a wrong claim: what is right, as JSON"),
            Column("found", "text", "For a wrong claim: what was claimed, as JSON"),
            Column("legal", "text", "What would have been legal, as JSON"),
            Column("follows", "number", "The earlier finding that this one follows from"),
        ),
        _findings,
    ),
)


class TableFiles:
    """The Parquet files of all tables in a folder, which get the rows of match after match."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self._arrow, self._parquet = libraries()
        self._folder = folder
        self._suffix = suffix
        self._schemas = {table.name: schema(table) for table in TABLES}
        self._writers: dict[str, Any] = {}
        self._rows: dict[str, list[Row]] = {table.name: [] for table in TABLES}

    def __enter__(self) -> TableFiles:
        for name, columns in self._schemas.items():
            path = str(self._folder / f"{name}{self._suffix}")
            self._writers[name] = self._parquet.ParquetWriter(path, columns, compression="zstd")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, writer in self._writers.items():
            if kind is None:
                self._flush(name)
            writer.close()

    def add(self, log: Log, verdict: Verdict) -> None:
        """Adds the rows of one match to each table."""
        for table in TABLES:
            rows = self._rows[table.name]
            rows.extend(table.rows(log, verdict))
            if len(rows) >= _ROWS_PER_GROUP:
                self._flush(table.name)

    def _flush(self, name: str) -> None:
        if self._rows[name]:
            columns = zip(*self._rows[name], strict=True)
            types = self._schemas[name].types
            arrays = [self._arrow.array(column, type) for column, type in zip(columns, types, strict=True)]
            self._writers[name].write_table(self._arrow.Table.from_arrays(arrays, schema=self._schemas[name]))
            self._rows[name].clear()


def rows_in(path: Path, table: Table) -> Iterator[Row]:
    """The rows of a Parquet file, as they were written. Raises ``ValueError`` for a file with other columns."""
    arrow, parquet = libraries()
    try:
        with parquet.ParquetFile(str(path)) as file:
            if not file.schema_arrow.equals(schema(table)):
                raise ValueError("its columns are others")
            for batch in file.iter_batches(_ROWS_PER_GROUP):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(str(error)) from error


def as_read(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows as a Parquet file gives them back: lists for all sequences."""
    for row in rows:
        yield tuple(list(value) if isinstance(value, tuple) else value for value in row)


def schema(table: Table) -> Any:
    """The columns of a table for Arrow, each with its meaning."""
    arrow, _ = libraries()
    types = {
        "text": arrow.string(),
        "number": arrow.int64(),
        "truth": arrow.bool_(),
        "numbers": arrow.list_(arrow.int64()),
        "texts": arrow.list_(arrow.string()),
    }
    meanings: Mapping[str, Mapping[str, str]] = {
        column.name: {"description": column.meaning} for column in table.columns
    }
    return arrow.schema(
        [arrow.field(column.name, types[column.type], metadata=meanings[column.name]) for column in table.columns],
        metadata={"description": table.meaning},
    )


def libraries() -> tuple[Any, Any]:
    """Arrow and its Parquet. Raises ``CannotAudit`` where they are not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise CannotAudit(
            "Parquet needs the packages of the extra “publish”: pip install 'auditor[publish]'"
        ) from error
    return pyarrow, parquet


def _given(text: str | UnsetType) -> str | None:
    return None if text is UNSET else text


def _json(value: object) -> str | None:
    return None if value is None else _ENCODER.encode(value).decode()


_ENCODER = msgspec.json.Encoder(order="sorted")
