"""The database of audited matches.

In: logs and their verdicts, one by one, as they come from a replay. Out: a SQLite file for browsing, and the bytes
of a stored log or verdict. Refuses to know rules, how a log is read and how a page looks.

What always holds:

- The digest of a log is its identity: loading it again changes nothing. A match id that comes with other content is
  kept beside the first, and both rows say so.
- A stored verdict is never changed. Another auditor (a program version with a rulebook) adds its own verdict,
  findings and deals; ``matches`` then shows the status that the newest auditor gave.
- Matches are written in batches, each whole or not at all, under SQLite's write lock: a killed load leaves whole
  matches, a second load completes them, and two processes can load at once.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

import msgspec
import sqlite_utils
import zstandard

from auditor.errors import CannotAudit
from auditor.store import answers
from auditor.store.answers import BuildCount, UnreadableRow
from auditor.store.loading import Auditor, Counts, Loading, batches, transaction
from auditor.store.preparing import Audited, AuditedLog, Prepared, Preparer, stored_before, unmarked
from auditor.store.tables import MIGRATIONS
from auditor.verdict import Verdict, from_facts

__all__ = [
    "APPLICATION_ID",
    "SCHEMA",
    "Audited",
    "AuditedLog",
    "Auditor",
    "BuildCount",
    "Counts",
    "Prepared",
    "Preparer",
    "Store",
    "UnreadableRow",
    "is_current",
    "is_database",
    "require",
    "stored_before",
    "unmarked",
]

_HEADER_BYTES = 100
_SIGNATURE = b"SQLite format 3\0"
#: The schema that this version makes and reads; an earlier one is brought up to it when a load opens the database.
SCHEMA = len(MIGRATIONS)
#: "Audt", in the place that SQLite keeps for telling its applications' files apart.
APPLICATION_ID = 0x41756474
#: How long to wait for another process that is writing.
_PATIENCE_SECONDS = 120.0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class Store:
    """One open database: a context manager, for the thread that opened it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path) -> Store:
        """Opens the audit database at ``path``, and makes it where there is no file or an empty one.

        Raises ``CannotAudit`` for a file that is something else, is damaged, comes from a later version or cannot be
        written; such a file is left as it is.
        """
        if path.exists() and (path.is_dir() or path.stat().st_size > 0):
            require(path)
        elif not path.absolute().parent.is_dir():
            raise CannotAudit(f"{path}: expected a folder to make the database in, found none")
        with _in_plain_words(path):
            connection = sqlite3.connect(path.absolute(), timeout=_PATIENCE_SECONDS, isolation_level=None)
            try:
                _prepare(connection)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection)

    @classmethod
    def reopen(cls, path: Path) -> Store:
        """Opens an audit database of this version's schema once more, in a process that has it open: see `is_current`.

        Raises ``CannotAudit`` where there is none, or none any more.
        """
        with _in_plain_words(path):
            uri = f"{path.absolute().as_uri()}?mode=rw"
            connection = sqlite3.connect(uri, timeout=_PATIENCE_SECONDS, isolation_level=None, uri=True)
            try:
                if not _is_of_this_schema(connection):
                    raise CannotAudit(f"{path}: expected an audit database of schema {SCHEMA}, found something else")
                _prepare(connection)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection)

    @classmethod
    def look(cls, path: Path) -> Store:
        """Opens an audit database of any schema for reading alone: the file stays as it is, byte for byte.

        Not for a process that has it open for writing: that would lose its locks on it, see :func:`is_current`.
        Raises ``CannotAudit`` for a file that is something else or cannot be read.
        """
        require(path)
        with _in_plain_words(path):
            uri = f"{path.absolute().as_uri()}?mode=ro"
            return cls(path, sqlite3.connect(uri, timeout=_PATIENCE_SECONDS, isolation_level=None, uri=True))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def load(
        self, rows: Iterable[Audited], by: Auditor, arguments: Sequence[str] = (), clock: Callable[[], str] = _now
    ) -> Counts:
        """Stores what ``rows`` yields, as :meth:`load_prepared` does."""
        preparer = Preparer()
        return self.load_prepared((preparer.prepared(*row) for row in rows), by, arguments, clock)

    def load_prepared(
        self, rows: Iterable[Prepared], by: Auditor, arguments: Sequence[str] = (), clock: Callable[[], str] = _now
    ) -> Counts:
        """Stores what ``rows`` yields, batch after batch, as one run of the auditor ``by``.

        ``arguments`` are kept with the run, to tell runs apart; ``clock`` gives the times of the run and of nothing
        else. Raises ``CannotAudit`` when the file cannot be written; what earlier batches stored stays.
        """
        with _in_plain_words(self._path):
            loading = Loading(self._connection, by, arguments, clock())
        counts = Counts()
        for batch in batches(rows):
            with _in_plain_words(self._path):
                counts += loading.write(batch)
            del batch  # or it would stay in memory while the next one fills
        with _in_plain_words(self._path):
            # What is reported as stored is on the disk, whatever else has the database open: this writes out all of it.
            self._connection.execute("pragma synchronous = full")
            loading.finish(clock())
            self._connection.execute("pragma synchronous = normal")
        return counts

    def log(self, digest: str) -> bytes:
        """The canonical JSON of the match with this digest. Raises ``CannotAudit`` where there is none."""
        query = "select logs.json from logs join matches on matches.id = logs.match where digest = ?"
        return self._unpacked(query, (digest,), f"the log {digest}")

    def digests(self) -> list[str]:
        """The digest of every match, in the order of loading."""
        with _in_plain_words(self._path):
            return [digest for (digest,) in self._connection.execute("select digest from matches order by id")]

    def auditors(self) -> list[Auditor]:
        """Who gave verdicts, the newest last."""
        with _in_plain_words(self._path):
            return [
                Auditor(*row) for row in self._connection.execute("select version, rules from auditors order by id")
            ]

    def statuses(self) -> dict[str, tuple[str, str | None]]:
        """Of each match, by digest, the status and the clause that was broken first, as the newest auditor has it."""
        query = """
            select digest, status, clauses.clause from matches left join clauses on clauses.id = matches.clause
            """
        with _in_plain_words(self._path):
            return {digest: (status, clause) for digest, status, clause in self._connection.execute(query)}

    def is_packed(self) -> bool:
        """Whether the file is as `pack` writes it: of this schema, without a gap, and with nothing beside it."""
        with _in_plain_words(self._path):
            pragmas = ("user_version", "freelist_count", "journal_mode")
            found = tuple(self._connection.execute(f"pragma {name}").fetchone()[0] for name in pragmas)
        return found == (SCHEMA, 0, "delete")

    def started(self) -> str:
        """When the first run began, as its clock said. Raises ``CannotAudit`` where there was none."""
        with _in_plain_words(self._path):
            row = self._connection.execute("select started from runs order by id").fetchone()
        if row is None:
            raise CannotAudit(f"{self._path}: expected a run of the auditor, found none")
        return str(row[0])

    def differing_tables(self, path: Path) -> list[str]:
        """The tables whose rows are not those of the same table in the database at ``path``, which is there."""
        with _in_plain_words(self._path):
            return answers.differing_tables(self._connection, path)

    def pack(self, path: Path) -> None:
        """Writes a copy to ``path`` that holds no gap and needs no file beside it: the same for the same loads.

        Raises ``CannotAudit`` where it cannot be written.
        """
        with _in_plain_words(path):
            self._connection.execute("vacuum into ?", (str(path.absolute()),))

    def all_logs(self) -> Iterator[bytes]:
        """The canonical JSON of every match, in the order of loading."""
        with _in_plain_words(self._path):
            yield from answers.logs(self._connection)

    def logs(self, match_id: str) -> list[bytes]:
        """The canonical JSON of every match with this id, in the order of loading; more than one is worth a look."""
        query = "select digest from matches where match_id = ? order by id"
        with _in_plain_words(self._path):
            digests = [digest for (digest,) in self._connection.execute(query, (match_id,))]
        return [self.log(digest) for digest in digests]

    def verdict(self, digest: str, by: Auditor | None = None) -> bytes:
        """The verdict on this digest as it was stored, byte for byte: the newest, or the one that ``by`` gave.

        Raises ``CannotAudit`` where there is none.
        """
        query = """
            select documents.json from documents
            join matches on matches.id = documents.match
            join auditors on auditors.id = documents.auditor
            where digest = ? and """
        what = f"a verdict on {digest}"
        if by is None:
            return self._unpacked(query + "documents.auditor = matches.auditor", (digest,), what)
        return self._unpacked(query + "version = ? and rules = ?", (digest, by.version, by.rules), f"{what} by {by}")

    def known(self, digest: str, by: Auditor) -> Verdict | None:
        """The verdict that ``by`` gave on this digest, with all facts; ``None`` where there is none."""
        query = """
            select facts from documents
            join matches on matches.id = documents.match
            join auditors on auditors.id = documents.auditor
            where digest = ? and version = ? and rules = ?
            """
        with _in_plain_words(self._path):
            row = self._connection.execute(query, (digest, by.version, by.rules)).fetchone()
            return None if row is None or row[0] is None else from_facts(answers.unpacked(row[0]))

    def verdicts(self, match_id: str | None = None) -> Iterator[bytes]:
        """The newest verdict on every match, or on those with this id, byte for byte, in the order of loading."""
        with _in_plain_words(self._path):
            yield from answers.verdicts(self._connection, match_id)

    def unreadable(self) -> Iterator[UnreadableRow]:
        """The faults of form of what is no match log, by the newest auditor that told them, in the order of loading."""
        with _in_plain_words(self._path):
            yield from answers.unreadable(self._connection)

    def builds(self, clause: str | None = None, match_id: str | None = None) -> list[BuildCount]:
        """Of each build and ruleset: how many logs there are, and how many of them break a clause, or any.

        With ``match_id`` only the logs of that match count. Sorted by ruleset and names; versions are texts here.
        """
        with _in_plain_words(self._path):
            return answers.builds(self._connection, clause, match_id)

    def _unpacked(self, query: str, parameters: Sequence[str], what: str) -> bytes:
        with _in_plain_words(self._path):
            row = self._connection.execute(query, parameters).fetchone()
            if row is None:
                raise CannotAudit(f"{self._path}: expected {what}, found none")
            return answers.unpacked(row[0])


def is_database(path: Path) -> bool:
    """Whether there is a file at ``path`` that is a SQLite database, whoever made it."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SIGNATURE)) == _SIGNATURE
    except (OSError, ValueError):
        return False


def require(path: Path) -> int:
    """The schema of the audit database at ``path``; raises ``CannotAudit`` for what this version cannot read.

    Reads the file's first bytes and nothing more: SQLite can write to a database that it only looks at.
    """
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise CannotAudit(f"{path}: expected an audit database, found: {error.strerror}") from error
    if len(header) < _HEADER_BYTES or not header.startswith(_SIGNATURE):
        raise CannotAudit(f"{path}: expected an audit database, found a file that is no SQLite database")
    schema, application = int.from_bytes(header[60:64], "big"), int.from_bytes(header[68:72], "big")
    if application != APPLICATION_ID:
        raise CannotAudit(f"{path}: expected an audit database, found another program's SQLite database")
    if schema > SCHEMA:
        raise CannotAudit(f"{path}: expected schema {SCHEMA} or an earlier one, found a later one, {schema}")
    return schema


def is_current(path: Path, immutable: bool = False) -> bool:
    """Whether the file is an audit database of this version's schema, in a process that has it open.

    ``immutable`` promises that nobody writes to it; it may then lie where nothing can be written.

    SQLite is asked: to open the file aside from it and to close it again would let go of the locks that the process
    holds, and another one would take away the log that pages are being read from.
    """
    try:
        uri = f"{path.absolute().as_uri()}?{'immutable=1' if immutable else 'mode=ro'}"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            return _is_of_this_schema(connection)
    except sqlite3.DatabaseError:
        return False


def _is_of_this_schema(connection: sqlite3.Connection) -> bool:
    application, schema = (
        connection.execute(f"pragma {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    return bool(application == APPLICATION_ID and schema == SCHEMA)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("pragma foreign_keys = on")
    with transaction(connection):
        schema = connection.execute("pragma user_version").fetchone()[0]
        if schema < len(MIGRATIONS):
            db = sqlite_utils.Database(connection, execute_plugins=False)
            for migrate in MIGRATIONS[schema:]:
                migrate(db)
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            connection.execute(f"pragma user_version = {len(MIGRATIONS)}")
    # Only now, so that the file itself, and not its log, says from the first moment whose it is.
    _use_write_ahead_log(connection)
    connection.execute("pragma synchronous = normal")


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Lets others read while a load writes. The change needs the file alone, and SQLite does not wait for that."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while connection.execute("pragma journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextmanager
def _in_plain_words(path: Path) -> Iterator[None]:
    """Makes one line for the user of what the file or the disk refuses; a broken constraint is our fault and stays."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
            raise CannotAudit(f"{path}: expected a database to read and write, found: {error}") from error
        raise
    except (zstandard.ZstdError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CannotAudit(f"{path}: expected a whole database, found damaged logs, verdicts or texts in it") from error
