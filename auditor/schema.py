"""The JSON Schemas of logs and of what the auditor writes, and everything that they find wrong with a document.

In: the files under ``schemas/``, and plain documents. Out: self-contained schemas for others to use, and every
fault of a document as clause, path and facts. Refuses to know bytes, files of matches, and rules: it judges form.

A ruleset is known by its file ``schemas/events/RULESET.schema.json``, and what is written in the format ``NAME/1`` by
``schemas/NAME.schema.json``; nothing here names one. Games that other packages bring have theirs in those.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias

import msgspec
from jsonschema import Draft202012Validator, FormatChecker, ValidationError, validators
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from auditor import plugins
from auditor.errors import CannotAudit
from auditor.events import LARGEST_INTEGER
from auditor.jsontext import Path, shortened, shown, visible

Schema: TypeAlias = Mapping[str, Any]
#: Schemas made ready to find faults with.
Rules: TypeAlias = Validator

_SUFFIX = ".schema.json"
_LOGS = "match-log"
#: Where a schema refers to another one, or to a part of it.
_REFERENCE = re.compile(r'"\$ref": "urn:auditor:([a-z-]+):1[#"]')


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with the form of a document: the clause that says so, where, and its facts."""

    clause: str
    path: Path
    facts: Mapping[str, Any]


# --- The schemas ------------------------------------------------------------------------------------------------------


@cache
def shipped() -> Mapping[str, Schema]:
    """The schema of each ruleset that comes with the auditor or with another package, by the ruleset's id."""
    own = _files(_folder() / "events")
    return MappingProxyType(own | {ruleset: plugins.read(ruleset, _SUFFIX, _parsed) for ruleset in plugins.brought()})


def bundle(ruleset: str | None = None, rulesets: Mapping[str, Schema] | None = None) -> dict[str, Any]:
    """The schema of match logs as one document that needs no other: of one ruleset, or of all of them.

    ``rulesets`` are those to choose from, by default the shipped ones. Raises :class:`CannotAudit` for a ruleset
    that is not among them.
    """
    known = shipped() if rulesets is None else rulesets
    if ruleset is not None and ruleset not in known:
        raise CannotAudit(f"no schema for the ruleset {shown(ruleset)}; there is one for: {', '.join(known)}")
    chosen = list(known) if ruleset is None else [ruleset]
    base = _whole()[_LOGS]
    parts = {_LOGS: base, **{name: known[name] for name in chosen}}
    return {
        "$schema": base["$schema"],
        "title": base["title"] if ruleset is None else f"{base['title']}: {known[ruleset].get('title', ruleset)}",
        "$ref": base["$id"],
        "properties": {"ruleset": {"enum": chosen}},
        "allOf": [
            {
                "if": {"properties": {"ruleset": {"const": name}}, "required": ["ruleset"]},
                "then": {"$ref": known[name]["$id"]},
            }
            for name in chosen
        ],
        "$defs": {name: _without_dialect(part) for name, part in parts.items()},
    }


def outputs() -> list[str]:
    """The names of what the auditor writes for programs, sorted: ``NAME`` is written in the format ``NAME/1``."""
    return [name for name in _whole() if name != _LOGS]


def output(name: str) -> dict[str, Any]:
    """The schema of one of the :func:`outputs` as one document that needs no other."""
    own = _whole()[name]
    parts: dict[str, Schema] = {}
    _gather(own, parts)
    return {**own, "$defs": {**own.get("$defs", {}), **parts}}


def _gather(schema: Schema, parts: dict[str, Schema]) -> None:
    """Puts among the parts whatever a schema refers to, and whatever that refers to, by name."""
    for name in _REFERENCE.findall(json.dumps(schema)):
        if name not in parts:
            parts[name] = _without_dialect(_whole()[name])
            _gather(parts[name], parts)


@cache
def _whole() -> dict[str, Schema]:
    """The schemas of whole documents, by name."""
    return _files(_folder())


def _without_dialect(schema: Schema) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "$schema"}


def _folder() -> Traversable:
    """Inside the package once it is installed; beside it where the project is worked on."""
    package = resources.files("auditor")
    inside = package / "schemas"
    return inside if inside.is_dir() else package / ".." / "schemas"


def _files(folder: Traversable) -> dict[str, Schema]:
    """The schemas in a folder by the names of their files, sorted."""
    files = {file.name.removesuffix(_SUFFIX): file for file in folder.iterdir() if file.name.endswith(_SUFFIX)}
    return {name: _parsed(files[name].read_text(encoding="utf-8")) for name in sorted(files)}


def _parsed(text: str) -> Schema:
    """A schema from its text; others refer to it by its id, so it has one."""
    schema: Schema = json.loads(text)
    if "$id" not in schema:
        raise ValueError("the schema has no $id")
    return schema


# --- Times ------------------------------------------------------------------------------------------------------------

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})")
_TIMES = msgspec.json.Decoder(list[Annotated[datetime, msgspec.Meta(tz=True)]])


def are_times(texts: Sequence[str]) -> bool:
    """Whether every text is an RFC 3339 time: capital T and Z, an offset with a colon, a day and hour that exist."""
    if not all(map(_TIME.fullmatch, texts)):
        return False
    try:
        _TIMES.decode(msgspec.json.encode(texts))
    except msgspec.ValidationError:
        return False
    return True


# --- Faults -----------------------------------------------------------------------------------------------------------


def rules(rulesets: Mapping[str, Schema]) -> Rules:
    """What finds the faults of match logs of these rulesets. To make it takes longer than to use it."""
    # A schema that names its dialect would be judged by the library's own idea of integers.
    whole = _without_dialect(bundle(rulesets=rulesets))
    # Of a registry that is not told where its parts are, the library looks for them anew for every document.
    registry: Registry[Any] = Registry().with_resource("", DRAFT202012.create_resource(whole)).crawl()
    made: Rules = _LogValidator(whole, format_checker=_FORMATS, registry=registry)
    return made


def faults(document: Any, rules: Rules) -> Iterator[Fault]:
    """Everything wrong with the form of a document: all faults, at most one of each value."""
    seen: set[tuple[Path, str | None]] = set()
    for error in rules.iter_errors(document):
        for fault in _faults(error):
            about = fault.path, fault.facts.get("key")
            if about not in seen:
                seen.add(about)
                yield fault


def _pattern(validator: Validator, pattern: str, found: Any, schema: Schema) -> Iterator[ValidationError]:
    """A text that is too long is not looked at: repeated groups take a hundred bytes for each of its signs."""
    if not isinstance(found, str) or len(found) <= schema.get("maxLength", len(found)):
        yield from Draft202012Validator.VALIDATORS["pattern"](validator, pattern, found, schema)


# 2.0 is no integer, whatever its value: the next reader may not think so.
_LogValidator: Any = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
    validators={"pattern": _pattern},
)

_FORMATS = FormatChecker(())
_FORMATS.checks("date-time")(lambda value: not isinstance(value, str) or are_times([value]))


def _faults(error: ValidationError) -> list[Fault]:
    """An error of the library as faults. What a value should have been is told by its schema's title, if it has one."""
    path = tuple(error.absolute_path)
    schema: Schema = error.schema if isinstance(error.schema, Mapping) else {}
    rule: Any = error.validator_value
    found: Any = error.instance
    match error.validator:
        case "required":
            return [Fault("log.missing-key", path, {"key": visible(key)}) for key in rule if key not in found]
        case "additionalProperties":
            return [Fault("log.unknown-key", (*path, key), {"key": visible(key)}) for key in _unknown(found, schema)]
        case "type":
            types = [rule] if isinstance(rule, str) else list(rule)
            if "integer" in types and isinstance(found, float) and found.is_integer():
                return [Fault("log.integer", path, {"found": shown(found)})]
            return [Fault("log.type", path, {"expected": " or ".join(types), "found": shown(found)})]
        case "enum" | "const":
            choices = rule if error.validator == "enum" else [rule]
            listed = ", ".join(choice if isinstance(choice, str) else shown(choice) for choice in choices)
            facts = {"expected": schema.get("title", shortened(listed, 400)), "found": shown(found)}
            return [Fault("log.ruleset" if path == ("ruleset",) else "log.value", path, facts)]
        case "minimum" | "maximum":
            least, most = schema.get("minimum", -LARGEST_INTEGER), schema.get("maximum", LARGEST_INTEGER)
            return [Fault("log.range", path, {"least": least, "most": most, "found": shown(found)})]
        case "minLength" | "maxLength":
            expected = _span(schema.get("minLength"), schema.get("maxLength"))
            return [Fault("log.length", path, {"expected": expected, "count": len(found)})]
        case "minItems" | "maxItems":
            expected = _span(schema.get("minItems"), schema.get("maxItems"))
            return [Fault("log.count", path, {"expected": expected, "count": len(found)})]
        case "pattern" if "format" not in schema:
            return [Fault("log.pattern", path, {"expected": schema.get("title", rule), "found": shown(found)})]
        case "pattern" | "format":
            return [Fault("log.time", path, {"found": shown(found)})]
    return [Fault("log.form", path, {"keyword": str(error.validator), "found": shown(found)})]


def _unknown(found: Mapping[str, Any], schema: Schema) -> list[str]:
    patterns = schema.get("patternProperties", ())
    known = schema.get("properties", ())
    return [key for key in found if key not in known and not any(re.search(pattern, key) for pattern in patterns)]


def _span(least: int | None, most: int | None) -> str:
    """How many there may be: ``4``, ``1–200``, ``≥ 1`` or ``≤ 9``."""
    if least == most:
        return str(least)
    if most is None:
        return f"≥ {least}"
    return f"≤ {most}" if least is None else f"{least}–{most}"
