"""The written contract of an importer: what it is given, and what it hands on.

In: nothing; these are shapes. Out: the record that an importer exports, what it reads from, and the three things that
it yields. Refuses to know any format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from auditor.errors import CannotAudit
from auditor.rulebook import Language


class Where(NamedTuple):
    """A line of a file, counted from 1; ``-`` is standard input."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Source:
    """What an importer is asked to read.

    ``paths`` are files, folders and patterns as people write them. ``mapping`` is the content of the mapping file
    ``mapping_file``, empty where none is given. ``options`` are those of the command line, by key.
    """

    paths: Sequence[str]
    mapping: Mapping[str, Any] = field(default_factory=dict)
    mapping_file: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def option(self, key: str, known: Sequence[str]) -> str:
        """The value of an option, by default the first that is known. Raises ``CannotAudit`` for any other."""
        value = self.options.get(key, known[0])
        if value not in known:
            raise CannotAudit(f"--option {key}: expected {' or '.join(known)}, found {value!r}")
        return str(value)

    def knows_only(self, *options: str) -> None:
        """Raises ``CannotAudit`` where an option is given that is not among these."""
        for key in self.options:
            if key not in options:
                raise CannotAudit(f"--option: expected {' or '.join(options) or 'none'}, found {key!r}")


@dataclass(frozen=True, slots=True)
class Imported:
    """One match in the form of a match log, and where it begins in the source.

    ``event_places`` says of each event where it comes from; it may be empty. Whether the document is well-formed is
    not the importer's affair: whoever runs it asks the reader.
    """

    document: Mapping[str, Any]
    place: Where
    event_places: Sequence[Where] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """What could not be carried over, and where it stands.

    ``kind`` is one of the kinds that the auditor has words for, or a sentence in English. Losses of one kind and
    ``subject`` (a key, a column, a value) are counted together; ``detail`` is said of this one only. ``count`` is how
    many lines, rows or events it stands for. ``clause`` and ``facts`` are the reader's, where it gave the reason.
    """

    kind: str
    place: Where
    subject: str = ""
    match: str | None = None
    detail: str = ""
    count: int = 1
    clause: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notice:
    """What is only counted, because nothing was lost by it: lines read, duplicates dropped, late lines put in order."""

    kind: str
    count: int = 1


Yielded: TypeAlias = Imported | Loss | Notice


@dataclass(frozen=True, slots=True)
class Importer:
    """A platform's format: its name, what it is in one line, and the function that reads it.

    ``matches`` yields each match once, and a loss for whatever it leaves behind. It repairs nothing: no event is
    invented, and events change places only where the source numbers them. Raises ``CannotAudit`` for a mapping or an
    option that it does not understand.
    """

    name: str
    summary: Mapping[Language, str]
    matches: Callable[[Source], Iterator[Yielded]]
