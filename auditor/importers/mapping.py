"""The mapping file: which of a platform's names stands for which of ours.

In: the content of a TOML file. Out: typed values; a key that no mapping has is refused. Refuses to know how records
are read and what is done with them.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, field

from auditor.errors import CannotAudit
from auditor.importers.contract import Source

Numbering: TypeAlias = Literal["match", "server", "none"]
#: From which number seats are counted, or that players are named by their ids.
Counting: TypeAlias = Literal[0, 1, "players"]
Kind: TypeAlias = Literal[
    "seat", "side", "card", "cards", "hands", "suit", "number", "numbers", "flag", "time", "text", "any"
]
#: Where our value comes from: one key or column of theirs, or several that make a list.
Origin: TypeAlias = str | Annotated[list[str], Meta(min_length=1)]
Text = Annotated[str, Meta(min_length=1)]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What becomes of the records that have all the values of ``when`` (one, or any of a list)."""

    when: dict[str, Any] = {}
    type: str = ""
    keys: dict[str, Origin] = {}
    patterns: dict[str, str] = {}
    add: dict[str, Any] = {}
    ignore: list[str] = []
    drop: bool = False


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is said of a match beside its events; ``given`` is for what the source does not say."""

    key: str = "head"
    keys: dict[str, Origin] = {}
    player: dict[str, str] = {}
    given: dict[str, Any] = {}
    ignore: list[str] = []


class Cards(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How cards are spelled, beside the signs that everybody knows."""

    order: Literal["rank-suit", "suit-rank"] = "rank-suit"
    ranks: dict[Text, Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]] = {}
    suits: dict[Text, Literal["C", "D", "H", "S", "NT"]] = {}
    jokers: list[Text] = []
    unseen: list[Text] = []
    separator: Text | None = None
    hands_separator: Text = "|"


class Mapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What both formats have: names, numbering, spelling, and a rule for each kind of record."""

    match: str = "match"
    number: str = "seq"
    numbering: Numbering = "match"
    type: str = "type"
    seats: Counting = 0
    sides: Counting = 0
    null: str = "null"
    ignore: list[str] = []
    head: Head = field(default_factory=Head)
    cards: Cards = field(default_factory=Cards)
    values: dict[str, dict[str, Any]] = {}
    kinds: dict[str, Kind] = {}
    events: list[Rule] = []


class LineMapping(Mapping, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``event`` is the key of a line that the event lies under; empty: it is the line itself."""

    event: str = "event"


class TableMapping(Mapping, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the table is written."""

    delimiter: Annotated[str, Meta(max_length=1, pattern=r'[^"\r\n]')] = ","
    encoding: Literal["utf-8", "cp1256", "cp1252", "iso-8859-1", "iso-8859-6"] = "utf-8"


Form = TypeVar("Form", bound=Mapping)


def mapping_of(source: Source, form: type[Form]) -> Form:
    """The mapping of a source. Raises ``CannotAudit`` for one that does not have this form."""
    try:
        mapping = msgspec.convert(dict(source.mapping), form)
    except msgspec.ValidationError as error:
        raise CannotAudit(f"{source.mapping_file}: {error}") from error
    for number, rule in enumerate(mapping.events):
        where = f"{source.mapping_file}: events[{number}]"
        if bool(rule.type) == rule.drop:
            raise CannotAudit(f"{where}: expected either a type or drop = true")
        for pattern in rule.patterns.values():
            try:
                re.compile(pattern)
            except re.error as error:
                raise CannotAudit(f"{where}: expected a regular expression, found {pattern!r}: {error}") from error
    return mapping
