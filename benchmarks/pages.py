"""Milliseconds per page of a large archive: the pages of the face, Datasette's tables and the ready queries.

The archive is built once, in a folder that is kept, and takes a quarter of an hour for 100,000 matches. Every page is
asked for in turn, round after round, once to warm up and then to measure. ``python benchmarks/pages.py --help``.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import archive

from auditor import serve
from auditor.games import GAMES
from auditor.web import description

#: What every page should keep under, warm.
TARGET_MS = 300.0
OK = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path, help="the folder in which the archive is kept")
    parser.add_argument("--matches", type=int, default=100_000, help="matches in the archive (default 100000)")
    parser.add_argument("--rounds", type=int, default=9, help="measured requests per page (default 9)")
    parser.add_argument("--only", default="", help="only pages whose address has this text in it")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    database = options.cache / f"pages-{options.matches}.db"
    archive.build(database, options.matches)
    addresses = [address for address in _addresses(database) if options.only in address]
    measured = asyncio.run(_measured(database, addresses, options.rounds))
    print(f"{'median':>8} {'worst':>8} {'busy':>8} {'kB':>6}  page")
    for address, page in measured.items():
        median_ms = statistics.median(page.times_ms)
        remark = f"  ANSWERS {page.status}" if page.status != OK else "  SLOW" if median_ms > TARGET_MS else ""
        times = f"{median_ms:8.0f} {max(page.times_ms):8.0f} {statistics.median(page.busy_ms):8.0f}"
        print(f"{times} {page.size_bytes / 1000:6.0f}  {address}{remark}")
    print(f"Milliseconds from request to whole answer; SLOW has a median of more than {TARGET_MS:.0f}.")
    print("Busy is what the process itself worked (median); the rest went to whatever else the machine did.")
    sys.exit(any(page.status != OK for page in measured.values()))


@dataclass
class Page:
    """What a page answered and how fast: one time a round, by the clock and of the processor."""

    status: int
    size_bytes: int
    times_ms: list[float]
    busy_ms: list[float]


async def _measured(database: Path, addresses: list[str], rounds: int) -> dict[str, Page]:
    datasette = serve.browser_of(database)
    found: dict[str, Page] = {}
    try:
        for number in range(rounds + 1):
            for address in addresses:
                start, start_busy = time.perf_counter(), time.process_time()
                answer = await datasette.client.get(address)
                spent, busy = time.perf_counter() - start, time.process_time() - start_busy
                page = found.setdefault(address, Page(answer.status_code, len(answer.content), [], []))
                if number > 0:
                    page.times_ms.append(spent * 1000)
                    page.busy_ms.append(busy * 1000)
    finally:
        datasette.close()
    return found


def _addresses(database: Path) -> Iterator[str]:
    """Every kind of page, each table also with a search and with filters by its facets."""
    face = "/-/auditor"
    yield from (face, f"{face}/builds", f"{face}/rules", f"{face}/players", f"{face}/runs", f"{face}/audit")
    yield from (f"{face}?q={text}" for text in (quote("أمل"), "player-00001", "three-stones-1:0", "Lina"))
    yield from (f"{face}/rules/{ruleset}" for ruleset in GAMES)
    with closing(sqlite3.connect(database)) as connection:
        busiest = "select player from seats group by player order by count(*) desc limit 1"
        yield from (f"{face}/players/{player}" for (player,) in connection.execute(busiest))
        for ruleset in GAMES:
            longest = "select id, digest from matches where ruleset = ? order by events desc limit 1"
            [(_, digest)] = connection.execute(longest, (ruleset,))
            match = f"{face}/match/{digest.removeprefix('sha256:')}"
            yield from (match, f"{match}/tables.json", f"{match}/log.json", f"{match}.json")
        shown = description.configuration(database.stem)["databases"][database.stem]
        yield from _of_datasette(connection, database.stem, shown["tables"], shown["queries"])


def _of_datasette(
    connection: sqlite3.Connection, name: str, tables: dict[str, dict[str, list[str]]], queries: dict[str, object]
) -> Iterator[str]:
    yield f"/{name}"
    for table, words in tables.items():
        yield f"/{name}/{table}"
        for column in words.get("facets", []):
            values = f"select {column}, count(*) from {table} where {column} is not null group by 1 order by 2"
            counted = connection.execute(values).fetchall()
            for value, _ in {counted[0], counted[-1]} if counted else ():
                yield f"/{name}/{table}?{column}={quote(str(value))}"
        if table in ("matches", "results", "players"):
            yield from (f"/{name}/{table}?_search={quote(text)}" for text in ("Lina", "أمل", "three"))
    for query in queries:
        yield f"/{name}/{query}" + ("?clause=play.follow-suit" if query == "by_clause" else "")
    others = [
        *("matches?_sort=events", "findings?_sort_desc=event", "claims?agrees=0", "claims?agrees=1"),
        *("results?status=clean", "results?producer=match-server", "results?clause=play.follow-suit"),
    ]
    yield from (f"/{name}/{page}" for page in others)
    yield from (f"/{name}/{row}/2" for row in ("matches", "auditors", "producers", "players", "clauses", "runs"))


if __name__ == "__main__":
    main()
