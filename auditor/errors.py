"""Where a fault stands, and what stops the auditor itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in its file something stands. ``line`` counts from 1; ``offset`` is in bytes from 0, unpacked.

    ``pointer`` is the JSON pointer inside the match, empty for the match itself.
    """

    file: str
    line: int
    offset: int
    pointer: str = ""


class CannotAudit(Exception):
    """The auditor cannot act: exit code 2. The message is one line: what was expected, what was found, and where."""
