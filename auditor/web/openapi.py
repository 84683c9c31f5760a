"""The OpenAPI document of what answers programs.

In: the routes as ``openapi.yaml`` beside this module describes them, and the schemas of what they answer, from where
those stand. Out: one document that needs no other. Refuses to know how a request is answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec
from datasette.utils import parse_metadata

from auditor import __version__, schema
from auditor.position import Position
from auditor.web.frames import Stretch
from auditor.web.limits import Limits

_SCHEMAS = "#/components/schemas/"


def document(address: str, limits: Limits) -> dict[str, Any]:
    """The document for a server, with the path under which Datasette lies there, and its limits."""
    page = _written()
    return {
        **page,
        "info": {**page["info"], "version": __version__, "x-limits": msgspec.to_builtins(limits)},
        "servers": [{"url": address.rstrip("/") or "/"}],
        "components": {**page["components"], "schemas": {**page["components"]["schemas"], **_schemas()}},
    }


@cache
def _written() -> dict[str, Any]:
    page: dict[str, Any] = parse_metadata(resources.files(__package__).joinpath("openapi.yaml").read_text("utf-8"))
    return page


@cache
def _schemas() -> Mapping[str, Any]:
    _, tables = msgspec.json.schema_components([Position, Stretch], ref_template=_SCHEMAS + "{name}")
    whole = {"MatchLog": schema.bundle(), "Verdict": schema.output("verdict")}
    return {**tables, **{name: _placed(part, _SCHEMAS + name) for name, part in whole.items()}}


def _placed(whole: Mapping[str, Any], place: str) -> Any:
    """A schema as part of a document: what referred to its top, or to a part by its id, refers to its place there."""
    places = {part["$id"]: f"{place}/$defs/{name}" for name, part in whole["$defs"].items() if "$id" in part}

    def moved(value: Any, top: str) -> Any:
        match value:
            case list():
                return [moved(each, top) for each in value]
            case {"$id": str(name), **rest} if name in places:
                return moved(rest, places[name])
            case dict():
                return {key: reference(each, top) if key == "$ref" else moved(each, top) for key, each in value.items()}
        return value

    def reference(text: str, top: str) -> str:
        name, _, path = text.partition("#")
        return (places[name] if name else top) + path

    return moved({key: part for key, part in whole.items() if key not in ("$id", "$schema")}, place)
