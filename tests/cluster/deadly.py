"""A storage that kills who writes to it: the process dies at a moment that a file in the folder names, once each.

In: ``deadly://`` and a path of this machine. Out: what lies there. Workers load this module when they start.
"""

from __future__ import annotations

import os
import signal
from typing import Any

from fsspec import register_implementation
from fsspec.implementations.local import LocalFileSystem

#: When the file is open and empty; when it is written and not in its place; when it is in its place and nobody knows.
MOMENTS = ("doom-open", "doom-before", "doom-after")


class Deadly(LocalFileSystem):  # type: ignore[misc]
    protocol = "deadly"

    @classmethod
    def _strip_protocol(cls, path: Any) -> str:
        return str(super()._strip_protocol(str(path).removeprefix("deadly://")))

    def open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        opened = super().open(path, mode, **options)
        if mode == "wb":
            die_once(path, "doom-open")
        return opened

    def mv(self, path1: str, path2: str, **options: Any) -> None:
        if path2.endswith(".parquet"):
            die_once(path1, "doom-before")
        super().mv(path1, path2, **options)
        if path2.endswith(".parquet"):
            die_once(path1, "doom-after")


def die_once(path: str, moment: str) -> None:
    try:
        os.unlink(os.path.join(os.path.dirname(Deadly._strip_protocol(path)), moment))
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


register_implementation("deadly", Deadly, clobber=True)
