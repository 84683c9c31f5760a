"""Names: who a player is called in an archive.

In: the ids that a platform uses, and a secret. Out: pseudonyms from which nobody gets back without the secret. Refuses
to know what else a log says.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import CannotAudit

#: A secret of fewer bytes could be guessed.
_FEWEST_BYTES = 16
_SECRET_BYTES = 32
#: What every key in PEM form begins with.
_KEY = b"-----BEGIN "
#: As many of the 52 signs of a code are kept: 80 bits, so that a billion players hardly ever share one.
_SIGNS = 16
_ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one edition.

    With a ``secret`` a player has one name in all matches and in all editions that are made with it. Without one,
    players are called by their seats, and nobody can be followed from match to match. ``erased`` are the ids of those
    who shall not be followed in any case.
    """

    secret: bytes | None = None
    erased: Collection[str] = frozenset()

    def player(self, player_id: str, seat: int) -> str:
        """The name of a player in a match in which he has this seat."""
        if player_id in self.erased:
            return f"{_ERASED}-{seat}"
        if self.secret is None:
            return f"seat-{seat}"
        return f"p-{_code(self.secret, 'player', player_id)}"

    def match(self, match_id: str, content: bytes) -> str:
        """The name of a match: from its id, or without a secret from what is in it."""
        return (
            f"m-{_code(self.secret or b'', 'match', match_id if self.secret else hashlib.sha256(content).hexdigest())}"
        )


def secret_in(path: Path) -> bytes:
    """The secret that lies in a file; white space around it does not count. Raises ``CannotAudit``."""
    try:
        secret = path.read_bytes().strip()
    except OSError as error:
        raise CannotAudit(f"{path}: expected a secret for pseudonyms, found: {error.strerror}") from error
    if secret.startswith(_KEY):
        made = "as “auditor key secret FILE” makes one"
        raise CannotAudit(f"{path}: expected a secret for pseudonyms, {made}, found a key for signatures")
    if len(secret) < _FEWEST_BYTES:
        raise CannotAudit(f"{path}: expected a secret of at least {_FEWEST_BYTES} bytes, found {len(secret)}")
    return secret


def new_secret(path: Path) -> None:
    """Writes a secret that nobody knows to a new file, for its owner alone. Raises ``CannotAudit``."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(_SECRET_BYTES) + "\n")
    except OSError as error:
        raise CannotAudit(f"{path}: expected to write a secret here, found: {error.strerror}") from error


def ids_in(path: Path) -> frozenset[str]:
    """The ids in a file, one a line, with the spaces that are part of them; empty lines do not count.

    Raises ``CannotAudit``.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise CannotAudit(f"{path}: expected ids of players, one a line, found: {reason}") from error
    return frozenset(line.removesuffix("\r") for line in lines if line.strip())


def _code(secret: bytes, kind: str, text: str) -> str:
    digest = hmac.digest(secret, f"{kind}\0{text}".encode("utf-8", "surrogatepass"), "sha256")
    return base64.b32encode(digest).decode("ascii").lower()[:_SIGNS]
