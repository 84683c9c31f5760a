"""Checking: whether an archive holds what it says, whoever made it.

In: the folder of an archive, perhaps a public key. Out: all that does not hold, each with the file that it is about.
Refuses to know how it was published.

What is asked, from the cheap to the dear: do files lie there that are none of ours; do the sums hold, the seal, the
signature; is the description true; is each log a match log, in its place; is the root theirs. Then, if asked for,
everything that follows from the logs is made once more and compared: verdicts, tables, database, counts.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from auditor import __version__, rulebook
from auditor.desks import archive, signing
from auditor.desks.signing import NotSigned, PublicKey
from auditor.errors import CannotAudit
from auditor.games import FORMS
from auditor.log import Log, Unreadable, read_stream
from auditor.publishing import bag, layout
from auditor.publishing.again import audited_again, said_again
from auditor.publishing.doubts import Doubt, Step
from auditor.publishing.layout import Seal
from auditor.publishing.merkle import Tree
from auditor.publishing.proof import seal_of
from auditor.publishing.tables import TABLES
from auditor.sources import unpacked
from auditor.store import Auditor, Store

_CHUNK = 2**20
#: What the payload holds, and nothing else.
_PAYLOAD = frozenset(
    f"{layout.PAYLOAD}/{name}"
    for name in (
        layout.DATABASE,
        layout.METADATA,
        layout.DIGESTS,
        layout.DESCRIPTION,
        layout.QUALITY,
        layout.QUALITY_SHEET,
        layout.CHANGES,
        layout.README,
        layout.CITATION,
        *(f"{layout.TABLES}/{table.name}{layout.TABLE_SUFFIX}" for table in TABLES),
    )
)
_LOG_FILE = re.compile(rf"{layout.PAYLOAD}/{layout.LOGS}/[^/]+{re.escape(layout.LOG_SUFFIX)}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of checking an archive.

    ``seal`` is ``None`` where there is none that can be read. ``signer`` is the id of the key that vouches for it, if
    the signature holds, and ``is_expected`` says that it is the one asked for. ``is_same_auditor``: the verdicts were
    given by the auditor at work now.
    """

    doubts: tuple[Doubt, ...]
    seal: Seal | None
    signer: str | None = None
    is_expected: bool = False
    log_count: int = 0
    was_audited: bool = False
    is_same_auditor: bool = False


def verified(
    folder: Path, audits: bool, key: PublicKey | None, step: Step, metadata: Callable[[str], str] | None = None
) -> Outcome:
    """The archive in a folder, checked; with ``audits`` also every verdict and all that rests on them.

    ``key`` must have signed it. Raises ``CannotAudit`` where there is no such folder, or nothing of an archive in it.
    """
    if not folder.is_dir():
        raise CannotAudit(f"{folder}: expected an archive, found no folder")
    if not any((folder / name).is_file() for name in (*layout.BAG_FILES, layout.SEAL)):
        raise CannotAudit(f"{folder}: expected an archive, found a folder with none of its files")
    doubts = [*_odd_files(folder)]
    if any(doubt.what == "link" for doubt in doubts):
        return Outcome(tuple(doubts), None)  # a pipe or a device would be read for ever
    doubts += _sums(folder)
    try:
        seal = seal_of(folder)
    except CannotAudit as error:
        return Outcome((*doubts, Doubt(layout.SEAL, _said(error))), None)
    signer, signature_doubts = _signature(folder, seal, key)
    is_same = (seal.auditor, seal.rules) == (__version__, rulebook.digest())
    doubts += [*_seal(folder, seal), *signature_doubts, *_description(folder, seal)]
    logs = _Logs(folder / layout.PAYLOAD, seal)
    entries = logs.checked(step)
    if is_same:
        doubts += said_again(folder / layout.PAYLOAD, seal, metadata)
    if audits:
        doubts += audited_again(folder / layout.PAYLOAD, entries, is_same, step)
    deque(entries, maxlen=0)  # what a table that cannot be read left over
    doubts += logs.doubts()
    # The sums say of a file that it was changed before anything else says in which way.
    is_expected = signer is not None and key is not None and signer == key.id
    return Outcome(tuple(dict.fromkeys(doubts)), seal, signer, is_expected, logs.count, audits, is_same)


def _odd_files(folder: Path) -> Iterator[Doubt]:
    """What no archive has: links, empty folders, files beside the bag's own; and what each has, if it is missing."""
    known = {*layout.BAG_FILES, layout.SEAL, layout.SIGNATURE}
    for path, oddity in archive.walk(folder):
        name = path.relative_to(folder).as_posix()
        if oddity is not None:
            yield Doubt(name, oddity)
        elif name not in known and name not in _PAYLOAD and not _LOG_FILE.fullmatch(name):
            yield Doubt(name, "added")
    for name in sorted({*layout.BAG_FILES, *_PAYLOAD}):
        if not (folder / name).is_file():
            yield Doubt(name, "missing")


def _sums(folder: Path) -> Iterator[Doubt]:
    """What the sums say. The library stops at a file of the bag that it cannot make out, and need not name it."""
    files = {path.relative_to(folder).as_posix(): path for path, oddity in archive.walk(folder) if oddity is None}
    for file, what in bag.troubles(folder, files):
        yield Doubt(file, what)
    listed = folder / layout.TAG_SUMS
    if not listed.is_file():
        return
    kept = set(listed.read_bytes().splitlines())
    for line in bag.tag_sums(folder).splitlines():
        if line not in kept:
            yield Doubt(line.decode().split()[1], "changed")


def _seal(folder: Path, seal: Seal) -> Iterator[Doubt]:
    """Whether the seal is written as we write it, and is that of these sums."""
    if (folder / layout.SEAL).read_bytes() != layout.sealed(seal):
        yield Doubt(layout.SEAL, "written otherwise")
    listed = folder / layout.TAG_SUMS
    if listed.is_file() and bag.sha256_of(listed) != seal.sums:
        is_sound = listed.read_bytes() == bag.tag_sums(folder)
        yield Doubt(layout.SEAL, "other sums") if is_sound else Doubt(layout.TAG_SUMS, "changed")
    if bag.edition_of(folder) != " ".join(seal.edition.split()):
        yield Doubt(layout.SEAL, "other edition")


def _signature(folder: Path, seal: Seal, key: PublicKey | None) -> tuple[str | None, list[Doubt]]:
    """The id of the key that vouches for the seal, and what is wrong with its signature."""
    path = folder / layout.SIGNATURE
    if seal.signer is None:
        doubts = [Doubt(layout.SIGNATURE, "added")] if path.exists() else []
        return None, [*doubts, Doubt("", "unsigned")] if key is not None else doubts
    if not path.is_file():
        return None, [Doubt(layout.SIGNATURE, "missing")]
    if not signing.is_sound(seal.signer.key):
        return None, [Doubt(layout.SEAL, "the key's id is not that of the key")]
    try:
        signing.check(path.read_bytes(), layout.sealed(seal), signing.ARCHIVE, seal.signer.key)
    except NotSigned as wrong:
        return None, [Doubt(layout.SIGNATURE, str(wrong))]
    if key is not None and key != seal.signer.key:
        return seal.signer.keyid, [Doubt(layout.SIGNATURE, "other key")]
    return seal.signer.keyid, []


def _description(folder: Path, seal: Seal) -> Iterator[Doubt]:
    """Whether the description names the files that are there, and the seal's matches and root."""
    name = f"{layout.PAYLOAD}/{layout.DESCRIPTION}"
    payload = folder / layout.PAYLOAD
    try:
        package = msgspec.json.decode((folder / name).read_bytes(), type=dict[str, Any])
        told = {row["path"]: (row["bytes"], row["hash"]) for row in package["resources"]}
        if (package["merkleRoot"], package["matches"]) != (seal.root, seal.matches):
            yield Doubt(name, "other root")
    except (OSError, msgspec.DecodeError, KeyError, TypeError, RecursionError):
        yield Doubt(name, "unreadable")
        return
    if len(told) != len(package["resources"]):
        yield Doubt(name, "written otherwise")
    found = {
        path.relative_to(payload).as_posix(): path
        for path, oddity in archive.walk(payload)
        if oddity is None and path != folder / name
    }
    for path in sorted(told.keys() ^ found.keys()):
        yield Doubt(name, f"does not fit: {path}")
    for file in sorted(told.keys() & found.keys()):
        if told[file] != (found[file].stat().st_size, f"sha256:{bag.sha256_of(found[file])}"):
            yield Doubt(name, f"does not fit: {file}")


class _Logs:
    """The logs of an archive, read one by one, and what is wrong with them."""

    def __init__(self, payload: Path, seal: Seal) -> None:
        self._payload = payload
        self._seal = seal
        self._digests: list[str] = []
        self._doubts: list[Doubt] = []
        self._canonical_bytes = 0

    @property
    def count(self) -> int:
        return len(self._digests)

    def checked(self, step: Step) -> Iterator[Log]:
        """Every log that can be read; its place is its file below the payload, and its line."""
        for path in sorted((self._payload / layout.LOGS).glob(f"*{layout.LOG_SUFFIX}"), key=_part_of):
            if not path.is_file():
                continue  # what lies in such a folder has been told
            name = path.relative_to(self._payload).as_posix()
            before = ""
            unpacked_bytes = _Counted(unpacked(_chunks(path), name))
            self._canonical_bytes = 0
            for entry in read_stream(iter(unpacked_bytes), name, FORMS):
                step("read")
                if isinstance(entry, Unreadable):
                    fault = entry.diagnostics[0]
                    where = f"line {fault.line}{fault.pointer and f', {fault.pointer}'}"
                    said = rulebook.sentence(entry.ruleset, fault.clause, fault.facts)
                    self._doubts.append(Doubt(f"{layout.PAYLOAD}/{name}", f"{where}: {said}"))
                    continue
                if entry.digest <= before:
                    self._doubts.append(Doubt(f"{layout.PAYLOAD}/{name}", f"line {entry.place.line}: out of order"))
                before = entry.digest
                self._canonical_bytes += len(entry.canonical) + 1
                self._digests.append(entry.digest)
                yield entry
            if unpacked_bytes.count != self._canonical_bytes:
                self._doubts.append(Doubt(f"{layout.PAYLOAD}/{name}", "written otherwise"))

    def doubts(self) -> Iterator[Doubt]:
        """What is wrong with the logs that were read, and with what is said of all of them."""
        yield from self._doubts
        digests = sorted(self._digests)
        tree = Tree(digests)
        if (tree.root, tree.size) != (self._seal.root, self._seal.matches):
            yield Doubt(layout.SEAL, "other root")
        listed = self._payload / layout.DIGESTS
        if not listed.is_file() or listed.read_bytes() != "".join(f"{digest}\n" for digest in digests).encode():
            yield Doubt(f"{layout.PAYLOAD}/{layout.DIGESTS}", "other logs")
        name = f"{layout.PAYLOAD}/{layout.DATABASE}"
        try:
            with Store.look(self._payload / layout.DATABASE) as store:
                if sorted(store.digests()) != digests:
                    yield Doubt(name, "other logs")
                if not store.is_packed():
                    yield Doubt(name, "written otherwise")
                if store.auditors() != [Auditor(self._seal.auditor, self._seal.rules)]:
                    yield Doubt(layout.SEAL, "other auditor")
        except CannotAudit as error:
            yield Doubt(name, _said(error))


class _Counted:
    """Chunks that are counted while they pass."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self.count += len(chunk)
            yield chunk


def _said(error: CannotAudit) -> str:
    """What an error says, without the path, which is told before it."""
    return str(error).partition(": ")[2]


def _part_of(path: Path) -> str:
    """What the file of a part is sorted by."""
    return path.name.removesuffix(layout.LOG_SUFFIX)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk
