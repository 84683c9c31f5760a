"""Form: where a value is not what its type asks for, and what that is in plain words.

In: a value as a TOML file gives it, and a type as msgspec describes it. Out: each fault with its path. Refuses to know
which file it is. A type that is described in words is told by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time
from typing import Any, NamedTuple

from msgspec import inspect

from auditor.jsontext import Path, shown

_WORDS = {inspect.StrType: "text", inspect.BoolType: "true or false", inspect.ListType: "a list"}


class Fault(NamedTuple):
    """One thing that is not as it should be: where, and in words what was expected there and what was found."""

    path: Path
    expected: str
    found: str


def faults(value: Any, form: inspect.Type, path: Path = ()) -> Iterator[Fault]:
    """Everything in the value that is not as its type asks for. TOML knows no null, so none is asked for."""
    match form:
        case inspect.Metadata():
            words = (form.extra_json_schema or {}).get("description")
            for fault in faults(value, form.type, path):
                yield fault._replace(expected=words) if words and fault.path == path else fault
        case inspect.UnionType():
            found = [list(faults(value, each, path)) for each in form.types if not isinstance(each, inspect.NoneType)]
            if all(found):
                deepest = max(found, key=lambda each: len(each[0].path))
                expected = " or ".join(each[0].expected for each in found)
                yield from deepest if deepest[0].path != path else [Fault(path, expected, _shown(value))]
        case inspect.StructType() if isinstance(value, dict):
            forms = {field.encode_name: field.type for field in form.fields}
            for key, inner in value.items():
                if key in forms:
                    yield from faults(inner, forms[key], (*path, key))
                else:
                    yield Fault((*path, key), f"one of the keys {', '.join(forms)}", shown(key))
        case inspect.DictType() if isinstance(value, dict):
            for key, inner in value.items():
                yield from faults(key, form.key_type, (*path, key))
                yield from faults(inner, form.value_type, (*path, key))
        case inspect.ListType() if isinstance(value, list) and len(value) >= (form.min_length or 0):
            for index, inner in enumerate(value):
                yield from faults(inner, form.item_type, (*path, index))
        case inspect.LiteralType():
            if not any(type(value) is type(one) and value == one for one in form.values):
                yield Fault(path, f"one of {', '.join(map(shown, form.values))}", _shown(value))
        case inspect.StrType() if isinstance(value, str) and _fits(value, form):
            return
        case inspect.BoolType() if isinstance(value, bool):
            return
        case inspect.AnyType():
            return
        case _:
            yield Fault(path, _WORDS.get(type(form), "a table"), _shown(value))


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, date | time) else shown(value)


def _fits(text: str, form: inspect.StrType) -> bool:
    least, most = form.min_length or 0, len(text) if form.max_length is None else form.max_length
    return least <= len(text) <= most and (form.pattern is None or re.search(form.pattern, text) is not None)
