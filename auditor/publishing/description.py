"""The description of an archive: what it is, who may use it, how it is cited, checked and read.

In: the terms of an edition and its counts. Out: the text of each describing file. Refuses to know where they lie.

The machine-readable one is a Data Package (version 1 of the Frictionless specifications).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from auditor import __version__
from auditor.publishing import layout
from auditor.publishing.readme import README
from auditor.publishing.tables import TABLES, Column

_TYPES: Mapping[str, str] = {
    "text": "string",
    "number": "integer",
    "truth": "boolean",
    "numbers": "array",
    "texts": "array",
}


@dataclass(frozen=True, slots=True)
class Terms:
    """What a publisher says of an edition; what is empty is not said.

    ``licence`` is an SPDX identifier or a name; ``date`` a day (``2026-11-30``).
    """

    title: str = "Audited matches"
    publisher: str = ""
    licence: str = ""
    edition: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file of the payload: its name, how many bytes it has, and their SHA-256 in hexadecimal digits."""

    name: str
    size: int
    sha256: str


def readme(terms: Terms, root: str, counts: Mapping[str, Any]) -> str:
    """What a stranger reads first, in English and in Arabic."""
    return README.format(
        title=terms.title,
        publisher=terms.publisher or "–",
        licence=terms.licence or "–",
        edition=terms.edition,
        matches=counts["matches"],
        days=" – ".join(sorted({day for day in (counts["first_day"], counts["last_day"]) if day})) or "–",
        root=root,
        version=__version__,
    )


def citation(terms: Terms) -> str:
    """A citation file (CFF 1.2.0)."""
    document = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": terms.title,
        "version": terms.edition,
        "authors": [{"name": terms.publisher or "anonymous"}],
        **({"date-released": terms.date} if terms.date else {}),
        **({"license": terms.licence} if terms.licence else {}),
    }
    return str(yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=1000))


def bag_info(terms: Terms, matches: int, root: str) -> dict[str, str]:
    """What the bag says of itself."""
    told = {
        "Source-Organization": terms.publisher,
        "External-Description": f"{terms.title}: {matches} audited match logs",
        "Internal-Sender-Identifier": f"merkle-root:{root}",
        "Bagging-Date": terms.date,
        "Bag-Software-Agent": f"auditor {__version__}",
    }
    return {label: text for label, text in told.items() if text}


def data_package(
    terms: Terms, root: str, counts: Mapping[str, Any], logs: list[Piece], tables: list[Piece], others: list[Piece]
) -> dict[str, Any]:
    """The description for machines. Logs and tables come with their columns; the rest as files."""
    package: dict[str, Any] = {
        "profile": "data-package",
        "name": "auditor-archive",
        "title": terms.title,
        "version": terms.edition,
        "description": f"{counts['matches']} audited match logs of card and board games",
        "merkleRoot": root,
        "matches": counts["matches"],
        "rulesets": {ruleset: sum(row["statuses"].values()) for ruleset, row in counts["rulesets"].items()},
        "resources": [
            *(_resource(piece, "Match logs, one a line (match-log/1)", mediatype="application/zstd") for piece in logs),
            *(
                _resource(piece, table.meaning, format="parquet", schema={"fields": [*map(_field, table.columns)]})
                for piece, table in zip(tables, TABLES, strict=True)
            ),
            *(_resource(piece, _MEANINGS[piece.name]) for piece in others),
        ],
    }
    if terms.publisher:
        package["contributors"] = [{"title": terms.publisher, "role": "publisher"}]
    if terms.date:
        package["created"] = f"{terms.date}T00:00:00Z"
    if terms.licence:
        package["licenses"] = [{"name": terms.licence}]
    return package


_MEANINGS: Mapping[str, str] = {
    layout.DATABASE: "All of it as an SQLite database, with the verdicts, to browse",
    layout.METADATA: "What Datasette is told of the database",
    layout.DIGESTS: "The digest of each log, in ascending order: the leaves of the Merkle tree",
    layout.QUALITY: "What was audited, what was wrong, what was left out and why: counts",
    layout.QUALITY_SHEET: "The same to read",
    layout.CHANGES: "Each field of the logs that was dropped or changed",
    layout.README: "What this is and how to check it",
    layout.CITATION: "How to cite it",
}


def _resource(piece: Piece, meaning: str, **more: Any) -> dict[str, Any]:
    name = "".join(sign if sign.isalnum() else "-" for sign in piece.name.lower()).strip("-")
    return {
        "name": name,
        "path": piece.name,
        "description": meaning,
        "bytes": piece.size,
        "hash": f"sha256:{piece.sha256}",
        **more,
    }


def _field(column: Column) -> dict[str, str]:
    return {"name": column.name, "type": _TYPES[column.type], "description": column.meaning}
