"""What is reported as stored is on the disk, not only with the system."""

from __future__ import annotations

from pathlib import Path

from auditor.audit import audited
from auditor.log import Log
from auditor.store import Store
from tests.desks.played import FIXTURES, NEWEST


def test_a_load_writes_everything_out_before_it_is_reported(tmp_path: Path) -> None:
    """Even while somebody else has the database open, so that closing it writes out nothing.

    The commit that marks the run as finished is synchronous, and it comes after all others in the same file.
    """
    path = tmp_path / "audit.db"
    with Store.open(path) as other, Store.open(path) as store:
        statements: list[str] = []
        store._connection.set_trace_callback(statements.append)
        found = audited([str(FIXTURES / "tarneeb-classic")])
        rows = [(entry, verdict) for entry, verdict in found if isinstance(entry, Log)]
        store.load(rows, NEWEST)
        assert other.digests() == store.digests()
    full = statements.index("pragma synchronous = full")
    finished = next(at for at, statement in enumerate(statements) if statement.startswith("update runs set finished"))
    committed = statements.index("commit", finished)
    normal = statements.index("pragma synchronous = normal")
    assert full < finished < committed < normal
    assert not any(statement.lower().startswith("insert") for statement in statements[full:])
