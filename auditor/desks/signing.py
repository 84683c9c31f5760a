"""Signing: keys, and the envelope that says who vouches for some bytes.

In: bytes, and the file of an Ed25519 key. Out: a DSSE envelope, or whose it is. Refuses to know what is signed. The
cryptography is that of the packages ``securesystemslib`` and ``cryptography``, which the extra ``sign`` brings.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from auditor.errors import CannotAudit

#: Values of the library, which does not export their types.
CryptoSigner: TypeAlias = Any
SSlibKey: TypeAlias = Any

#: What kind of bytes an envelope of ours holds: the sums of a case file, or the seal of an archive.
CASE, ARCHIVE = "application/vnd.auditor.case+sha256sums", "application/vnd.auditor.archive+json"
_PRIVATE_MODE, _PUBLIC_MODE = 0o600, 0o644
_PUBLIC_BYTES = 32


class NotSigned(Exception):
    """An envelope does not hold what it should; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key to check signatures with: its id, and its 32 bytes in hexadecimal digits."""

    id: str
    ed25519: str


def new_key(path: Path) -> tuple[PublicKey, Path]:
    """Writes a new private key to ``path`` (for its owner alone) and the public one beside it, as ``….pub``.

    Returns the public key and where it lies. Raises ``CannotAudit`` where one of the files exists.
    """
    library = _library()
    public_path = path.with_name(path.name + ".pub")
    for each in (path, public_path):
        if os.path.lexists(each):
            raise CannotAudit(f"{each}: expected no file here, found one; a key is never overwritten")
    signer = library.signer.CryptoSigner.generate_ed25519()
    _write_new(path, signer.private_bytes, _PRIVATE_MODE)
    _write_new(public_path, _pem(signer.public_key), _PUBLIC_MODE)
    return _described(signer.public_key), public_path


def public_key_of(path: Path) -> PublicKey:
    """The public key that lies in a file. Raises ``CannotAudit``, also for a private one."""
    return _described(_key(path))


def signer_of(path: Path) -> PublicKey:
    """The public key that belongs to the private one in a file. Raises ``CannotAudit``."""
    return _described(_signer(path).public_key)


def signed(payload: bytes, payload_type: str, path: Path) -> bytes:
    """The envelope of the payload, signed with the private key in a file: JSON, the same for the same payload and key.

    Raises ``CannotAudit`` for a file that holds no such key.
    """
    library = _library()
    envelope = library.dsse.Envelope(payload, payload_type, {})
    envelope.sign(_signer(path))
    return _written(envelope)


def check(envelope: bytes, payload: bytes, payload_type: str, key: PublicKey) -> None:
    """Passes if the envelope holds this payload, signed with this key and nothing else; else raises ``NotSigned``."""
    library = _library()
    try:
        found = library.dsse.Envelope.from_dict(msgspec.json.decode(envelope))
        is_as_written = _written(found) == envelope
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, library.exceptions.Error) as error:
        raise NotSigned("it is no envelope of a signature") from error
    if found.payload_type != payload_type or not is_as_written:
        raise NotSigned("it is no envelope as the auditor writes it")
    if found.payload != payload:
        raise NotSigned("something else was signed than what lies here")
    if list(found.signatures) != [key.id]:
        raise NotSigned(f"expected a signature by the key {key.id}, found {', '.join(found.signatures) or 'none'}")
    try:
        found.verify([_restored(key)], 1)
    except library.exceptions.Error as error:
        raise NotSigned("the signature does not fit") from error


def is_sound(key: PublicKey) -> bool:
    """Whether the id of a key is that of its bytes."""
    try:
        return bool(_restored(key).keyid == key.id and key.ed25519 == key.ed25519.lower())
    except ValueError:
        return False


class _Library:
    """What the extra brings."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
        from securesystemslib import dsse, exceptions, signer

        self.dsse: Any = dsse
        self.exceptions: Any = exceptions
        self.signer: Any = signer
        self.ed25519: Any = ed25519
        self.serialization: Any = serialization


def _library() -> _Library:
    try:
        return _Library()
    except ImportError as error:
        raise CannotAudit("signatures need the packages of the extra “sign”: pip install 'auditor[sign]'") from error


def _signer(path: Path) -> CryptoSigner:
    library = _library()
    try:
        private = library.serialization.load_pem_private_key(_read(path), password=None)
    except (ValueError, TypeError) as error:
        raise CannotAudit(f"{path}: expected a private Ed25519 key in PEM form, found something else") from error
    if not isinstance(private, library.ed25519.Ed25519PrivateKey):
        raise CannotAudit(f"{path}: expected a private Ed25519 key, found one of another kind")
    return library.signer.CryptoSigner(private)


def _key(path: Path) -> SSlibKey:
    library = _library()
    data = _read(path)
    if b"PRIVATE KEY" in data:
        raise CannotAudit(f"{path}: expected a public key, as {path.name}.pub beside it, found a private one")
    try:
        public = library.serialization.load_pem_public_key(data)
    except (ValueError, TypeError) as error:
        raise CannotAudit(f"{path}: expected an Ed25519 key in PEM form, found something else") from error
    if not isinstance(public, library.ed25519.Ed25519PublicKey):
        raise CannotAudit(f"{path}: expected an Ed25519 key, found one of another kind")
    return library.signer.SSlibKey.from_crypto(public)


def _described(key: SSlibKey) -> PublicKey:
    return PublicKey(key.keyid, key.keyval["public"])


def _pem(key: SSlibKey) -> bytes:
    """The key in PEM form; the library keeps the 32 bytes of an Ed25519 key in hexadecimal digits."""
    library = _library()
    public = library.ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.keyval["public"]))
    form = library.serialization
    return bytes(public.public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo))


def _restored(key: PublicKey) -> SSlibKey:
    """The key as the library has it. Raises ``ValueError`` for bytes that are no key."""
    library = _library()
    data = bytes.fromhex(key.ed25519)
    if len(data) != _PUBLIC_BYTES:
        raise ValueError(f"expected {_PUBLIC_BYTES} bytes, found {len(data)}")
    return library.signer.SSlibKey.from_crypto(library.ed25519.Ed25519PublicKey.from_public_bytes(data))


def _written(envelope: Any) -> bytes:
    return msgspec.json.encode(envelope.to_dict(), order="sorted") + b"\n"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CannotAudit(f"{path}: expected a key, found: {error.strerror}") from error


def _write_new(path: Path, data: bytes, mode: int) -> None:
    """Writes a file that must not be there yet, whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            file.write(data)
        os.link(part, path)  # which fails where the file exists
    except OSError as error:
        raise CannotAudit(f"{path}: expected to write a key here, found: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
