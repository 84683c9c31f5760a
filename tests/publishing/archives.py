"""Logs that tell who played, archives made of them, and all texts that an archive holds, packed or not.

In: seeds and options. Out: documents, folders, bytes. Refuses to know how an archive is made.
"""

from __future__ import annotations

import copy
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from pyarrow import parquet

from auditor import generate
from auditor.games import GAMES
from tests.desks.played import CLASSIC, Document, run

#: What must not be found in an archive, whoever looks: each stands in the logs of :func:`telling`.
SECRETS = (
    "user-7741", "user-7742", "user-7743", "user-7744", "أبو_سليم_السري", "Zenobia-Quick", "Ωmega the Third",
    "device-5f1e77", "salam ya Zenobia", "+216 55 501 776", "free-extra-value", "note-key-9000",
)  # fmt: skip
_IDS = SECRETS[:4]
_NAMES = SECRETS[4:7]


def telling(number: int = 0, ruleset: str = CLASSIC, **changed: Any) -> Document:
    """A legal match whose log tells who played wherever a log can."""
    document = copy.deepcopy(list(generate.matches(GAMES[ruleset], number + 1, 23, None, True))[number])
    for seat, player in enumerate(document["players"]):
        player["id"] = _IDS[seat]
        player["name"] = _NAMES[seat % len(_NAMES)]
    document["extra"] = {"device": "device-5f1e77", "phone": ["+216 55 501 776"], "free-extra-value": True}
    note = {"type": "note", "text": "salam ya Zenobia", "note-key-9000": 1}
    document["events"].insert(3, note)
    document["producer"] = {"name": "Club Server", "version": "3.2", "platform": "android device-5f1e77-user-7741"}
    document["shuffle"]["client_seed"] += "/user-7742"
    return document | changed


def written(path: Path, documents: list[Document]) -> Path:
    path.write_bytes(b"".join(msgspec.json.encode(document) + b"\n" for document in documents))
    return path


def publish(logs: Path, folder: Path, *options: str | Path) -> Path:
    result = run("publish", logs, "-o", folder, *options)
    assert result.exit_code == 0, result.output
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def logs_in(folder: Path) -> list[Document]:
    """The logs of an archive, in the order of its files."""
    lines = [
        line
        for path in sorted((folder / "data" / "logs").iterdir())
        for line in _unpacked(path.read_bytes()).splitlines()
    ]
    return [msgspec.json.decode(line) for line in lines]


def texts(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All that can be read in an archive: its bytes, what they unpack to, each cell of each table."""
    for name, data in files(folder).items():
        yield name, data
        if name.endswith(".zst"):
            yield name, _unpacked(data)
        elif name.endswith(".parquet"):
            yield name, msgspec.json.encode(parquet.read_table(folder / name).to_pylist())
        elif name.endswith(".db"):
            with closing(sqlite3.connect(f"file:{folder / name}?mode=ro", uri=True)) as connection:
                for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall():
                    for row in connection.execute(f"select * from [{table}]"):
                        for cell in row:
                            yield name, _cell(cell)


def _cell(cell: object) -> bytes:
    if isinstance(cell, bytes):
        return zstandard.decompress(cell) if cell.startswith(b"\x28\xb5\x2f\xfd") else cell
    return str(cell).encode()


def _unpacked(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
