"""The Merkle tree over the digests of all logs, and proofs that one of them is in it.

In: digests of logs. Out: the root, a proof of inclusion, or whether one holds. Refuses to know logs.

The tree is that of RFC 6962 with SHA-256. Its leaves are the 32 bytes of each digest, in ascending order: the root
depends on which logs there are, and on nothing else. The package ``pymerkle``, which the extra ``publish`` brings,
does the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from auditor.errors import CannotAudit


class ProofFails(Exception):
    """A proof does not show what it should: a key to the phrase that says why, and what fills it."""

    def __init__(self, why: str, *details: str) -> None:
        super().__init__(why, *details)
        self.why, self.details = why, details


class Tree:
    """The tree over digests (``sha256:`` and hexadecimal digits), which come in ascending order."""

    def __init__(self, digests: Iterable[str]) -> None:
        self._tree = _library().InmemoryTree(algorithm="sha256")
        self.size = 0
        for digest in digests:
            self._tree.append_entry(_bytes(digest))
            self.size += 1

    @property
    def root(self) -> str:
        """The root, in hexadecimal digits."""
        return str(self._tree.get_root().hex())

    def proof(self, index: int) -> dict[str, Any]:
        """A proof that the digest with this index (from 0) is in the tree: JSON, in the library's own form."""
        proof: dict[str, Any] = self._tree.prove_inclusion(index + 1, self.size).serialize()
        return proof


def check(digest: str, proof: Mapping[str, Any], root: str, size: int) -> None:
    """Passes if the proof leads from the digest to the root of a tree with so many leaves; else ``ProofFails``."""
    library = _library()
    try:
        base = library.InmemoryTree(algorithm="sha256").hash_buff(_bytes(digest))
        parsed = library.InclusionProof.deserialize(proof)
        parsed.verify(base, bytes.fromhex(root), size=size, algorithm="sha256")
    except (library.InvalidProof, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise ProofFails("no path") from error


def _bytes(digest: str) -> bytes:
    return bytes.fromhex(digest.removeprefix("sha256:"))


def _library() -> Any:
    try:
        import pymerkle
    except ImportError as error:
        raise CannotAudit(
            "Merkle trees need the packages of the extra “publish”: pip install 'auditor[publish]'"
        ) from error
    return pymerkle
