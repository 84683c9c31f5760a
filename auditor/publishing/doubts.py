"""Doubts: what does not hold of an archive.

In: nothing; these are shapes. Out: values. Refuses to know how anything is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

#: Told of each log that was read or audited.
Step: TypeAlias = Callable[[Literal["read", "audited"]], None]


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that does not hold: about which file (empty for the archive as a whole), and what.

    ``what`` is a key to a phrase, or what somebody else said in its own words.
    """

    file: str
    what: str
