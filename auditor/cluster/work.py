"""Work: what a worker does with one shard.

In: a shard, and what belongs to it. Out: its results in their place, and their summary. Refuses to know which engine
calls it: these are plain functions, which say the same wherever and however often they are run.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditor import __version__, rulebook
from auditor.audit import Entry, verdict_on
from auditor.cluster import results
from auditor.cluster.results import Summary
from auditor.cluster.shards import Shard, documents
from auditor.cluster.storage import package
from auditor.errors import CannotAudit
from auditor.games import FORMS
from auditor.log import Reader, entries
from auditor.store import Auditor
from auditor.verdict import Verdict

#: Further than the packages of the extra, nothing is needed but what every auditor has.
_PACKAGES = ("fsspec", "pyarrow")


def who() -> Auditor:
    """The auditor at work here. Raises ``CannotAudit`` where a package is missing."""
    for name in _PACKAGES:
        package(name)
    return Auditor(__version__, rulebook.digest())


def audit(shard: Shard, line_feeds_before: int, by: Auditor, folder: str) -> Summary:
    """Audits a shard into the folder, unless its results are there.

    Raises ``CannotAudit`` where another auditor is at work here, or there is something else in the place of the
    results, and what the storage raises.
    """
    if who() != by:
        raise CannotAudit(f"expected a worker with auditor {by}, found one with {who()}")
    there = results.head_of(results.place_of(folder, shard, by))
    return results.write(folder, shard, by, _audited(shard, line_feeds_before)) if there is None else there.summary


def _audited(shard: Shard, line_feeds_before: int) -> Iterator[tuple[Entry, Verdict]]:
    for entry in entries(documents(shard, line_feeds_before), Reader(FORMS)):
        yield entry, verdict_on(entry)
