"""Layout: what lies where in an archive.

In: nothing. Out: names of files, and the seal. Refuses to know what is in the files.

An archive is a BagIt bag: what is published lies under ``data/``, and the sums of it beside that. The seal stands
outside of the bag's own sums, since it holds the sum of the sums.
"""

from __future__ import annotations

import msgspec

from auditor.desks.signing import PublicKey

FORMAT = "auditor-archive/1"
PAYLOAD = "data"
#: What a bag has beside its payload.
BAG_FILES = ("bagit.txt", "bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt")
TAG_SUMS = "tagmanifest-sha256.txt"
SEAL, SIGNATURE = "seal.json", "signature.json"

#: Within the payload.
LOGS, LOG_SUFFIX = "logs", ".ndjson.zst"
TABLES, TABLE_SUFFIX = "tables", ".parquet"
DATABASE, METADATA = "archive.db", "metadata.json"
DIGESTS, DESCRIPTION = "digests.txt", "datapackage.json"
QUALITY, QUALITY_SHEET, CHANGES = "quality.json", "QUALITY.md", "changes.json"
README, CITATION = "README.md", "CITATION.cff"


class Signer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key that signs the seal: its id, and its 32 bytes in hexadecimal digits."""

    keyid: str
    ed25519: str

    @property
    def key(self) -> PublicKey:
        return PublicKey(self.keyid, self.ed25519)


class Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands for the whole archive, to be quoted, signed and compared.

    ``root`` is the Merkle root over the digests of the ``matches`` logs, in hexadecimal digits; ``sums`` the SHA-256 of
    the file with the sums of the sums; ``auditor`` and ``rules`` say who gave the verdicts.
    """

    format: str
    edition: str
    matches: int
    root: str
    sums: str
    auditor: str
    rules: str
    signer: Signer | None = None


def sealed(seal: Seal) -> bytes:
    """The seal as it is written: JSON with sorted keys, indented, with a line feed at the end."""
    return msgspec.json.format(msgspec.json.encode(seal, order="sorted"), indent=2) + b"\n"
