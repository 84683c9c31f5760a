"""The bag: a folder with the sums of all that lies in it, as BagIt has it (RFC 8493).

In: a folder. Out: a bag, or what is wrong with one. Refuses to know what is in the files. The package ``bagit``, which
the extra ``publish`` brings, does the work.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auditor.errors import CannotAudit
from auditor.publishing import layout

_ALGORITHM = "sha256"
_EDITION = "External-Identifier"
#: The library calls it so.
_LOGGER = "bagit"


def make(folder: Path, edition: str, about: Mapping[str, str]) -> None:
    """Makes a bag of a folder where it lies: what is in it becomes the payload.

    ``about`` are labels of BagIt, and what they say.
    """
    # Without a value the library would write the day of today.
    labels: dict[str, Any] = {
        "Bagging-Date": [],
        **{label: " ".join(text.split()) for label, text in about.items()},
        _EDITION: edition,
    }
    _library().make_bag(str(folder), labels, checksums=[_ALGORITHM])
    # The library writes these in the order in which a folder happens to list them.
    (folder / layout.TAG_SUMS).write_bytes(tag_sums(folder))


def troubles(folder: Path, files: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """What the sums of a bag say: each file that is wrong (empty for the bag itself), and what is wrong with it.

    ``files`` are those that lie in the folder, by their names in it.
    """
    library = _library()
    try:
        bag = library.Bag(str(folder))
        missing, added = bag.compare_manifests_with_fs()
        sums = {name: sums[_ALGORITHM].lower() for name, sums in bag.entries.items()}
    except Exception as error:  # the library takes a bag's word for how it is to be read
        yield "", (str(error) or type(error).__name__).replace(f"{folder.absolute()}/", "")
        return
    yield from ((name, "missing") for name in sorted(missing))
    yield from ((name, "added") for name in sorted(added))
    for name, sha256 in sorted(sums.items()):
        if name in files and sha256_of(files[name]) != sha256:
            yield name, "changed"
    try:
        bag.validate(fast=True)  # what the bag says of itself: how many bytes and files there are
    except (library.BagError, OSError) as error:
        yield "", str(error).replace(f"{folder.absolute()}/", "")


def tag_sums(folder: Path) -> bytes:
    """What the file with the sums of the bag's own files must hold: one a line, by name, as ``sha256sum`` has it.

    A file that is missing has no line.
    """
    names = sorted(name for name in layout.BAG_FILES if name != layout.TAG_SUMS and (folder / name).is_file())
    return "".join(f"{sha256_of(folder / name)}  {name}\n" for name in names).encode()


def edition_of(folder: Path) -> str | None:
    """The edition that a bag says it is; ``None`` where it cannot be read."""
    library = _library()
    try:
        told = library.Bag(str(folder)).info.get(_EDITION)
    except Exception:  # see above
        return None
    return told if isinstance(told, str) else None


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _library() -> Any:
    try:
        import bagit
    except ImportError as error:
        raise CannotAudit(
            "archives need the packages of the extra “publish”: pip install 'auditor[publish]'"
        ) from error
    # What is wrong is told by the auditor.
    logging.getLogger(_LOGGER).setLevel(logging.CRITICAL + 1)
    return bagit
