"""Results: the Parquet file of a shard.

In: what the reader handed on in a shard, with the verdicts. Out: a file that is there whole or not at all, a summary
of it, and its rows as logs and verdicts again. Refuses to know how a verdict comes about and where a shard is worked
at. Every column is described once, here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from auditor.audit import Entry
from auditor.cluster.shards import Shard
from auditor.cluster.storage import asking, found, package, plain
from auditor.errors import CannotAudit, Place
from auditor.games import FORMS
from auditor.log import Log, Unreadable
from auditor.rulebook import LANGUAGES
from auditor.store import Auditor
from auditor.verdict import Verdict, from_facts, to_facts, to_json

SUFFIX = ".parquet"
#: How a file is called while it is written: a shard that was killed leaves one.
PART_SUFFIX = ".part"
_FORMAT = "audited-logs/1"
_KEY = b"auditor"
#: Rows are written in groups of so many bytes of text; a group is what a reader holds at a time.
_GROUP_BYTES = 16 * 2**20
_ROWS_AT_A_TIME = 100

#: Name, Arrow type, meaning.
COLUMNS = (
    ("digest", "string", "SHA-256 of the match object in the canonical form of RFC 8785, if it has one"),
    ("match_id", "string", "The id of the match, as far as it can be read"),
    ("ruleset", "string", "The rules that it was audited by"),
    ("status", "string", "invalid, illegal, misscored, incomplete or clean: the first that applies"),
    ("clause", "string", "The clause that was broken first"),
    ("event", "int64", "The event that broke it, counted from 0"),
    ("over", "bool", "Whether the match came to its end"),
    ("file", "string", "The file that the match was read from, as it was named"),
    ("line", "int64", "Its line there, counted from 1"),
    ("offset", "int64", "Its byte there, unpacked, counted from 0"),
    ("log", "string", "The match object in canonical form; none of what is no match log"),
    ("verdict", "string", "The verdict as JSON, byte for byte as it is stored anywhere else"),
    ("facts", "binary", "The verdict with the facts of its sentences, for an auditor of the same version"),
)  # fmt: skip
#: Columns of few different values.
_REPEATED = ["ruleset", "status", "clause", "file"]
#: What a database is loaded from; the rest follows from it.
_LOADED = ["digest", "ruleset", "file", "line", "offset", "log", "facts"]

Row: TypeAlias = tuple[Any, ...]


class Summary(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is in the results of a shard.

    ``statuses`` has the number of rows of each status. ``no_log`` says in each language why the file is none of logs
    at all, where it is none.
    """

    rows: int
    statuses: Mapping[str, int]
    no_log: Mapping[str, str] | None = None


class Head(msgspec.Struct, frozen=True):
    """What the end of a result file says of it: who wrote it about what, and its summary."""

    format: str
    version: str
    rules: str
    file: str
    start: int
    end: int | None
    summary: Summary


def write(folder: str, shard: Shard, by: Auditor, rows: Iterable[tuple[Entry, Verdict]]) -> Summary:
    """Writes the results of a shard under a name of their own, and puts them in their place when they are whole.

    The same rows give the same bytes. Raises what ``rows`` and the storage raise; then nothing is in the place.
    """
    system, path = found(place_of(folder, shard, by))
    # Two machines may be at the same shard, if one was taken for dead.
    part = f"{path}.{socket.gethostname()}-{os.getpid()}-{threading.get_ident()}{PART_SUFFIX}"
    try:
        with system.open(part, "wb") as stream:
            summary = _write(stream, shard, by, rows)
        system.mv(part, path)
    except BaseException:
        with contextlib.suppress(Exception):
            system.rm(part)
        raise
    return summary


def place_of(folder: str, shard: Shard, by: Auditor) -> str:
    """The URL of a shard's results."""
    return f"{folder}/{shard.name(by)}{SUFFIX}"


def head_of(url: str) -> Head | None:
    """What a result file says of itself; ``None`` where there is no file. Raises ``CannotAudit`` for any other file."""
    system, path = found(url)
    with asking(url):
        if not system.exists(path):
            return None
    with _reading(url) as file:
        return _head(url, file)


def rows_of(url: str, by: Auditor) -> Iterator[tuple[Log | None, Verdict]]:
    """The rows of a result file, as a database is loaded with them.

    Raises ``CannotAudit`` for what is none, is damaged, or holds verdicts of another auditor than ``by``: only the
    same one can tell again what its facts mean.
    """
    with _reading(url) as file:
        head = _head(url, file)
        require_auditor(url, Auditor(head.version, head.rules), by)
        for batch in file.iter_batches(_ROWS_AT_A_TIME, columns=_LOADED):
            for row in batch.to_pylist():
                yield _audited(url, row)


def require_auditor(url: str, theirs: Auditor, ours: Auditor) -> None:
    """Raises ``CannotAudit`` where the results are not of this auditor."""
    if theirs != ours:
        raise CannotAudit(f"{url}: expected results of this auditor, {ours}, found those of {theirs}")


# --- Writing ----------------------------------------------------------------------------------------------------------


def _write(stream: Any, shard: Shard, by: Auditor, rows: Iterable[tuple[Entry, Verdict]]) -> Summary:
    arrow, parquet = package("pyarrow"), package("pyarrow.parquet")
    schema = _schema(arrow)
    statuses: Counter[str] = Counter()
    no_log: dict[str, str] | None = None
    group: list[Row] = []
    size = 0
    with parquet.ParquetWriter(
        stream, schema, compression="zstd", use_dictionary=_REPEATED, write_page_checksum=True
    ) as writer:
        for entry, verdict in rows:
            statuses[verdict.status] += 1
            if isinstance(entry, Unreadable) and entry.is_no_file:
                no_log = {language: verdict.findings[0].message(None, language) for language in LANGUAGES}
            row = _row(entry, verdict)
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            group.append(row)
            if size >= _GROUP_BYTES:
                writer.write_table(_table(arrow, schema, group))
                group, size = [], 0
        if group:
            writer.write_table(_table(arrow, schema, group))
        summary = Summary(statuses.total(), dict(sorted(statuses.items())), no_log)
        head = Head(_FORMAT, by.version, by.rules, shard.file.name, shard.start, shard.end, summary)
        writer.add_key_value_metadata({_KEY: msgspec.json.encode(head)})
    return summary


def _row(entry: Entry, verdict: Verdict) -> Row:
    fault = verdict.first_fault
    return (
        entry.digest,
        verdict.match,
        verdict.ruleset,
        verdict.status,
        None if fault is None else fault.clause,
        None if fault is None else fault.event,
        verdict.over,
        entry.place.file,
        entry.place.line,
        entry.place.offset,
        entry.canonical.decode() if isinstance(entry, Log) else None,
        to_json(verdict).decode(),
        to_facts(verdict),
    )


def _table(arrow: Any, schema: Any, rows: list[Row]) -> Any:
    columns = zip(*rows, strict=True)
    return arrow.Table.from_arrays(
        [arrow.array(column, type) for column, type in zip(columns, schema.types, strict=True)], schema=schema
    )


def _schema(arrow: Any) -> Any:
    types = {
        "string": arrow.string(), "int64": arrow.int64(), "bool": arrow.bool_(), "binary": arrow.binary(),
    }  # fmt: skip
    return arrow.schema(
        [arrow.field(name, types[type], metadata={"description": meaning}) for name, type, meaning in COLUMNS],
        metadata={"description": "One row a match, or stretch that is none, in the order of the file"},
    )


# --- Reading ----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _reading(url: str) -> Iterator[Any]:
    """A result file, opened. What Arrow cannot read of it is told in one line."""
    arrow, parquet = package("pyarrow"), package("pyarrow.parquet")
    system, path = found(url)
    try:
        with system.open(path, "rb") as stream, parquet.ParquetFile(stream, page_checksum_verification=True) as file:
            yield file
    except FileNotFoundError as error:
        raise CannotAudit(f"{url}: expected results of an audit, no file is called so") from error
    except (arrow.ArrowException, OSError, ValueError) as error:
        what = f"a file that is none or is damaged ({plain(error)})"
        advice = "once it is removed, the audit makes it again"
        raise CannotAudit(f"{url}: expected results of an audit, found {what}; {advice}") from error


def _head(url: str, file: Any) -> Head:
    text = (file.schema_arrow.metadata or {}).get(_KEY) or (file.metadata.metadata or {}).get(_KEY)
    try:
        head = msgspec.json.decode(text or b"", type=Head)
    except msgspec.DecodeError as error:
        raise CannotAudit(f"{url}: expected results of an audit, found another Parquet file") from error
    names = [name for name, _, _ in COLUMNS]
    if head.format != _FORMAT or file.schema_arrow.names != names or file.metadata.num_rows != head.summary.rows:
        raise CannotAudit(f"{url}: expected results in the format {_FORMAT}, found others")
    return head


def _audited(url: str, row: Mapping[str, Any]) -> tuple[Log | None, Verdict]:
    """A log with its verdict. What it says of itself is looked at again: a digest is what a database knows it by."""
    try:
        verdict = from_facts(row["facts"])
        if row["log"] is None:
            return None, verdict
        canonical = row["log"].encode()
        digest = "sha256:" + hashlib.sha256(canonical).hexdigest()
        match = msgspec.json.decode(canonical, type=FORMS[row["ruleset"]])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CannotAudit(f"{url}: expected results of an audit, found a damaged row") from error
    if not digest == row["digest"] == verdict.log_digest:
        raise CannotAudit(f"{url}: expected the log {row['digest']}, found {digest}, verdict on {verdict.log_digest}")
    return Log(match, digest, canonical, Place(row["file"], row["line"], row["offset"])), verdict
