"""Proofs: one match out of an archive, with what shows that it is in there.

In: an archive and the id of a match, or a proof. Out: a proof as bytes, or what it shows. Refuses to know command
lines. Who checks a proof needs no archive: the log is in it, and the path from the log to the root. What the root is
must be known from elsewhere, or from the signature in the proof.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from auditor.desks import signing
from auditor.desks.signing import NotSigned, PublicKey
from auditor.errors import CannotAudit
from auditor.games import FORMS
from auditor.log import Log, read_bytes
from auditor.publishing import layout, merkle
from auditor.publishing.layout import Seal
from auditor.publishing.merkle import ProofFails, Tree
from auditor.store import Store

FORMAT = "auditor-proof/1"
_PREFIX = "sha256:"
_ROOT = re.compile(r"[0-9a-f]{64}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``log`` is the match object; ``inclusion`` is the path in the form of the package ``pymerkle``; ``seal`` is that
    of the archive, and ``signature`` its envelope, where it is signed."""

    format: str
    digest: str
    inclusion: dict[str, Any]
    seal: Seal
    log: msgspec.Raw
    signature: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What a proof shows: this log is one of those under the seal. ``signer`` is the id of the key that vouches."""

    log: Log
    seal: Seal
    signer: str | None


def prove(archive: Path, match: str) -> bytes:
    """The proof for the match with this id, or with this digest (``sha256:…``): JSON on one line.

    Raises ``CannotAudit`` where the archive has no such match or more than one, or cannot be read.
    """
    seal = seal_of(archive)
    payload = archive / layout.PAYLOAD
    with Store.look(payload / layout.DATABASE) as store:
        logs = [store.log(match)] if match.startswith(_PREFIX) else store.logs(match)
    if not logs:
        raise CannotAudit(f"{archive}: expected a match {match!r}, found none")
    digests = _digests(payload / layout.DIGESTS)
    entry = read_bytes(logs[0], FORMS)
    if not isinstance(entry, Log) or entry.digest not in digests:
        raise CannotAudit(
            f"{archive}: expected the log of {match!r} among its digests, found it not; verify the archive"
        )
    if len(logs) > 1:
        raise CannotAudit(
            f"{archive}: expected one log of the match {match!r}, found {len(logs)}; name one by its digest"
        )
    tree = Tree(digests)
    if (tree.root, tree.size) != (seal.root, seal.matches):
        raise CannotAudit(f"{archive}: expected the root {seal.root}, found {tree.root}; verify the archive")
    signature = _signature(archive) if seal.signer is not None else None
    proof = Proof(
        FORMAT, entry.digest, tree.proof(digests.index(entry.digest)), seal, msgspec.Raw(entry.canonical), signature
    )
    return msgspec.json.encode(proof) + b"\n"


def is_root(text: str) -> bool:
    """Whether a text is the root of a tree, as it may be quoted."""
    return _ROOT.fullmatch(_quoted(text)) is not None


def check(path: Path, root: str | None = None, key: PublicKey | None = None) -> Shown:
    """What a proof shows, if it holds, and if it is of the archive with this root and signed with this key.

    Raises ``ProofFails`` where it does not, and ``CannotAudit`` for a file that does not even say that it is a proof.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CannotAudit(f"{path}: expected a proof, found: {error.strerror}") from error
    if FORMAT.encode() not in data:
        raise CannotAudit(f"{path}: expected a proof ({FORMAT}), found something else")
    try:
        proof = msgspec.json.decode(data, type=Proof)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ProofFails("no proof", str(error)) from error
    if (proof.format, proof.seal.format) != (FORMAT, layout.FORMAT):
        raise ProofFails("other form", FORMAT)
    if not _ROOT.fullmatch(proof.seal.root):
        raise ProofFails("no root")
    if msgspec.json.encode(proof) + b"\n" != data or (proof.signature is not None and proof.seal.signer is None):
        raise ProofFails("written otherwise")
    entry = read_bytes(bytes(proof.log), FORMS)
    if not isinstance(entry, Log):
        raise ProofFails("no log")
    if entry.digest != proof.digest:
        raise ProofFails("other log", entry.digest, proof.digest)
    merkle.check(entry.digest, proof.inclusion, proof.seal.root, proof.seal.matches)
    if root is not None and _quoted(root) != proof.seal.root:
        raise ProofFails("other archive", proof.seal.root, root)
    return Shown(entry, proof.seal, _signer(proof, key))


def seal_of(archive: Path) -> Seal:
    """The seal of an archive, as it is written. Raises ``CannotAudit`` where there is none."""
    path = archive / layout.SEAL
    try:
        seal = msgspec.json.decode(path.read_bytes(), type=Seal)
    except OSError as error:
        raise CannotAudit(f"{path}: expected an archive with its seal, found: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise CannotAudit(f"{path}: expected the seal of an archive, found something else: {error}") from error
    if seal.format != layout.FORMAT:
        raise CannotAudit(f"{path}: expected an archive of the form {layout.FORMAT}, found {seal.format!r}")
    return seal


def _quoted(root: str) -> str:
    return root.removeprefix(_PREFIX).lower()


def _signer(proof: Proof, key: PublicKey | None) -> str | None:
    signer = proof.seal.signer
    if signer is None:
        if key is not None:
            raise ProofFails("archive unsigned")
        return None
    envelope = msgspec.json.encode(proof.signature, order="sorted") + b"\n"
    try:
        signing.check(envelope, layout.sealed(proof.seal), signing.ARCHIVE, signer.key)
    except (NotSigned, ValueError) as error:
        raise ProofFails("no signature", str(error)) from error
    if key is not None and key != signer.key:
        raise ProofFails("other signer", signer.keyid, key.id)
    return signer.keyid


def _signature(archive: Path) -> dict[str, Any]:
    path = archive / layout.SIGNATURE
    try:
        envelope: dict[str, Any] = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except OSError as error:
        raise CannotAudit(f"{path}: expected the signature of the seal, found: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise CannotAudit(f"{path}: expected the signature of the seal, found something else") from error
    return envelope


def _digests(path: Path) -> list[str]:
    try:
        digests = path.read_text(encoding="ascii").split()
        if not all(map(_DIGEST.fullmatch, digests)):
            raise CannotAudit(f"{path}: expected the digests of an archive, found something else")
        return digests
    except (OSError, UnicodeDecodeError) as error:
        raise CannotAudit(f"{path}: expected the digests of an archive, found something else") from error
