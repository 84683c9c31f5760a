"""Records: objects with values under names, where a dot in a name leads inwards.

In: a record as it was decoded. Out: the value under a name, what no name was asked for, the same with a value more.
Refuses to know what the names mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

#: Where nothing stands under a name.
ABSENT: Final = object()


def value_at(record: Mapping[str, Any], name: str) -> Any:
    """The value under a name, or ``ABSENT``. A name that stands there as it is goes before one that leads inwards."""
    if name in record:
        return record[name]
    first, dot, rest = name.partition(".")
    inner = record.get(first)
    return value_at(inner, rest) if dot and isinstance(inner, Mapping) else ABSENT


def unused(record: Mapping[str, Any], used: Collection[str], outer: str = "") -> Iterator[str]:
    """The names of what is in a record and was not asked for, the widest that holds nothing that was."""
    for key, value in record.items():
        name = outer + key
        if name in used:
            continue
        if isinstance(value, Mapping) and any(other.startswith(f"{name}.") for other in used):
            yield from unused(value, used, f"{name}.")
        else:
            yield name


def put(record: dict[str, Any], name: str, value: Any) -> bool:
    """Puts a value under a name, and objects around it where the name leads inwards; whether there was room for it."""
    *outer, last = name.split(".")
    for key in outer:
        inner = record.setdefault(key, {})
        if not isinstance(inner, dict):
            return False
        record = inner
    record[last] = value
    return True


def text_of(value: Any) -> str | None:
    """A value as an id: text that is not empty, or a whole number."""
    if isinstance(value, str):
        return value or None
    return str(value) if type(value) is int else None


def whole_number(value: Any, most: int) -> int | None:
    """A value as a number from 0 to ``most``, also where it is written as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(most)):
        value = int(value)
    return value if type(value) is int and 0 <= value <= most else None
