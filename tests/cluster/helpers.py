"""Input to share out, and an engine that is this process.

In: folders and paths. Out: files of every kind, and audits of them. Refuses to know Dask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from auditor.cluster import running, work
from auditor.cluster.engine import Call, Engine
from auditor.cluster.running import Run
from auditor.games import GAMES
from tests.desks.played import matches


def mixed(folder: Path) -> Path:
    """Every kind of file: lines, packed lines, an array, what breaks off, rubbish, and what is no log at all."""
    folder.mkdir()
    documents = [document for ruleset in GAMES for document in matches(ruleset, 2)]
    lines = b"".join(msgspec.json.encode(document) + b"\n" for document in documents)
    (folder / "a.ndjson").write_bytes(
        b"\xef\xbb\xbf" + lines + b"rubbish\r\n\nPK\x03\x04\n\xef\xbb\xbf{}\n" + lines[:5000]
    )
    (folder / "b.ndjson.zst").write_bytes(zstandard.compress(lines)[:-200])
    (folder / "c.json").write_bytes(msgspec.json.encode(documents[:9]))
    (folder / "d.json").write_bytes(b"SQLite format 3\0 and more")
    (folder / "e").mkdir()
    (folder / "e" / "one.json").write_bytes(msgspec.json.encode({**documents[0], "match": "another"}))
    return folder


class Here(Engine):
    """Runs each call at once, in this process. ``fails`` says of a call that it ends in an exception."""

    def __init__(self, fails: Callable[[Call[Any]], bool] = lambda call: False) -> None:
        self.called: list[str] = []
        self._fails = fails

    def workers(self, function: Callable[[], object]) -> Mapping[str, object]:
        return {"here": function()}

    def scheduler(self, function: Callable[[], object]) -> object:
        return function()

    def answers(self, calls: Iterable[Call[Any]]) -> Iterator[tuple[int, Any]]:
        for number, call in enumerate(calls):
            self.called.append(call.name)
            try:
                if self._fails(call):
                    raise OSError("the storage has gone")
                answer = call.function(*call.arguments)
            except Exception as error:
                answer = error
            yield number, answer


def audited(paths: Iterable[str | Path], folder: str | Path, engine: Engine | None = None) -> Run:
    """The audit of paths into a folder, in this process."""
    texts = [str(path) for path in paths]
    shards = running.planned(texts, str(folder))
    return running.run(engine or Here(), shards, texts, str(folder), work.who(), lambda: None)
