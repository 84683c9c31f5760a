"""The mapping file: which of a platform's names stands for which of ours.

In: the content of a TOML file. Out: typed values; a key that no mapping has is refused. Refuses to know how records
are read and what is done with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, field

from auditor.errors import CannotAudit
from auditor.importers.contract import Source
from auditor.importers.form import Fault, faults
from auditor.jsontext import pointer, shown

Numbering: TypeAlias = Literal["match", "server", "none"]
#: From which number seats are counted, or that players are named by their ids.
Counting: TypeAlias = Literal[0, 1, "players"]
Kind: TypeAlias = Literal[
    "seat", "side", "card", "cards", "hands", "suit", "number", "numbers", "flag", "time", "text", "any"
]
#: Where our value comes from: one key or column of theirs, or several that make a list.
Origin: TypeAlias = str | Annotated[list[str], Meta(min_length=1, description="a list that is not empty")]
Text = Annotated[str, Meta(min_length=1, description="text that is not empty")]
Delimiter = Annotated[str, Meta(max_length=1, pattern=r'[^"\r\n]', description="one sign, no quote and no line end")]
#: What the import writes itself: no mapping says it.
_OWN = ("format", "match", "events")


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

    delimiter: Delimiter = ","
    encoding: Literal["utf-8", "cp1256", "cp1252", "iso-8859-1", "iso-8859-6"] = "utf-8"


Form = TypeVar("Form", bound=Mapping)


def mapping_of(source: Source, form: type[Form]) -> Form:
    """The mapping of a source. Raises ``CannotAudit`` for one that does not have this form."""
    content = dict(source.mapping)
    _require_none(source, faults(content, msgspec.inspect.type_info(form)))
    mapping = msgspec.convert(content, form)
    _require_none(source, _senseless(mapping))
    return mapping


def _require_none(source: Source, found: Iterator[Fault]) -> None:
    fault = next(found, None)
    if fault is not None:
        where = f"{source.mapping_file}: {pointer(fault.path)}"
        raise CannotAudit(f"{where}: expected {fault.expected}, found {fault.found}")


def _senseless(mapping: Mapping) -> Iterator[Fault]:
    """What has the form of a mapping and makes no sense."""
    for table, names in (("keys", mapping.head.keys), ("given", mapping.head.given)):
        for name in names:
            if name.partition(".")[0] in _OWN:
                yield Fault(("head", table, name), "a key that the import does not write itself", shown(name))
    for number, rule in enumerate(mapping.events):
        if bool(rule.type) == rule.drop:
            yield Fault(("events", number), "either a type or drop = true", "both" if rule.drop else "neither")
        for name, pattern in rule.patterns.items():
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                yield Fault(("events", number, "patterns", name), f"a regular expression ({error})", shown(pattern))
