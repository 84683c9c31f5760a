"""Loads made-up matches in a process of its own: ``python -m tests.store.writer PATH FIRST LAST STEP [KILL_AT]``.

With ``KILL_AT`` it dies by SIGKILL inside the second batch, when that table's rows are about to be written.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import mock

from auditor import rulebook
from auditor.store import Audited, Store, loading
from auditor.store.preparing import Row

from . import samples


def main(path: str, first: str, last: str, step: str, kill_at: str = "") -> None:
    numbers = range(int(first), int(last), int(step))
    with (
        mock.patch.object(rulebook, "book", samples.book),
        mock.patch.object(loading, "_BATCH_EVENTS", 1000),
        mock.patch.object(loading.Loading, "_add_all", _dying(kill_at)),
        Store.open(Path(path)) as store,
    ):
        store.load((row for number in numbers for row in both(number)), samples.FIRST)


def both(number: int) -> Sequence[Audited]:
    """A match, and after some a line that cannot be read: the same whatever the order of numbers."""
    match = samples.audited(number)
    return [match, samples.unreadable(number)] if number % 10 == 9 else [match]


def _dying(kill_at: str) -> Callable[..., int]:
    """What adds rows as ever, until those of the table ``kill_at`` come the second time."""
    add_all = loading.Loading._add_all
    seen = 0

    def dying(self: loading.Loading, table: str, rows: Sequence[Row], conflict: str = "") -> int:
        nonlocal seen
        seen += table == kill_at
        if seen == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return add_all(self, table, rows, conflict)

    return dying


if __name__ == "__main__":
    main(*sys.argv[1:])
