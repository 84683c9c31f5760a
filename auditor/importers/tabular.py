"""The importer ``table``: a CSV file with a row for each move.

In: rows under a line of names, and a mapping that says what each column is. Out: its matches. Refuses to know how moves
are named: the mapping says that.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.errors import CannotAudit
from auditor.events import LARGEST_INTEGER
from auditor.importers.assembly import CONFLICTS, Assembly
from auditor.importers.contract import Importer, Loss, Notice, Source, Where, Yielded
from auditor.importers.mapping import Mapping, Origin, TableMapping, mapping_of
from auditor.importers.reading import files, lines_of, loss_of
from auditor.importers.records import text_of, whole_number
from auditor.importers.translation import Translator
from auditor.jsontext import shown
from auditor.sources import Document, Found

_SUFFIXES = (".csv", ".tsv", ".txt")
_BYTE_ORDER_MARK = "\ufeff"


def matches(source: Source) -> Iterator[Yielded]:
    """The matches of tables, in the order in which they first appear."""
    source.knows_only("conflicts")
    mapping = mapping_of(source, TableMapping)
    head_columns = _columns(mapping.head.keys.values())
    translator = Translator(mapping, is_table=True, known={mapping.match, mapping.number, *head_columns})
    row_count = 0
    with Assembly(mapping.numbering, source.option("conflicts", CONFLICTS)) as assembly:
        for file, found in files(_with_folders(source.paths), _is_called_table):
            for row in _rows(file, found, mapping):
                row_count += 1
                if isinstance(row, Loss):
                    yield row
                else:
                    yield from _add(assembly, mapping, head_columns, *row)
        yield Notice("lines", row_count)
        yield from assembly.matches(translator)


def _add(
    assembly: Assembly, mapping: TableMapping, head_columns: set[str], place: Where, cells: dict[str, str]
) -> Iterator[Loss]:
    """Puts one row where it belongs."""
    match = text_of(cells.get(mapping.match))
    if match is None:
        yield Loss("no-match", place)
        return
    assembly.add_head(match, None, {name: cells[name] for name in cells if name in head_columns}, place)
    number = whole_number(cells.get(mapping.number), LARGEST_INTEGER)
    if number is None and mapping.numbering != "none":
        yield Loss("no-number", place, match=match)
    else:
        assembly.add_event(match, number, cells, place)


# --- Rows -------------------------------------------------------------------------------------------------------------


def _rows(file: str, found: Iterable[Found], mapping: TableMapping) -> Iterator[tuple[Where, dict[str, str]] | Loss]:
    """The rows of one file: what stands in each column, but for cells that are empty."""
    troubles: list[Loss] = []
    reader = csv.reader(_text(found, mapping.encoding, troubles), delimiter=mapping.delimiter, strict=True)
    names: list[str] | None = None
    while True:
        place = Where(file, reader.line_num + 1)
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            yield Loss("row", place, str(error))
            continue
        if not row:
            continue
        if names is None:
            names = [name.strip() for name in row]
            _require(names, mapping, place)
        elif len(row) != len(names):
            yield Loss("cells", place, detail=f"{len(row)} / {len(names)}")
        elif not all(map(_is_decoded, row)):
            yield Loss("encoding", place, mapping.encoding)
        else:
            yield place, {name: cell.strip() for name, cell in zip(names, row, strict=True) if cell.strip()}
    yield from troubles


def _text(found: Iterable[Found], encoding: str, troubles: list[Loss]) -> Iterator[str]:
    """The lines of a file. Blank lines, which were passed over, are there again: they may belong to a cell."""
    due = 1
    for stretch in found:
        if not isinstance(stretch, Document):
            troubles.append(loss_of(stretch))
            continue
        for number, line in lines_of(stretch):
            yield from ["\n"] * (number - due)
            text = line.decode(encoding, "surrogateescape")
            yield text.removeprefix(_BYTE_ORDER_MARK) if number == 1 else text
            due = number + 1


def _is_decoded(cell: str) -> bool:
    """Whether every byte of a cell has a meaning in its encoding; one without was kept as half a surrogate pair."""
    return not any("\ud800" <= sign <= "\udfff" for sign in cell)


def _with_folders(paths: Iterable[str]) -> Iterator[str]:
    """The paths, and for a folder the tables in it and in its folders, in the order of names."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for file in sorted(Path(path).rglob("*")):
            if _is_called_table(file.name) and file.is_file() and not file.name.startswith("."):
                yield str(file)


def _is_called_table(name: str) -> bool:
    """Whether a name says that there is a table in the file, packed or not."""
    return name.lower().removesuffix(".gz").removesuffix(".zst").endswith(_SUFFIXES)


# --- Columns ----------------------------------------------------------------------------------------------------------


def _columns(origins: Iterable[Origin]) -> set[str]:
    return {name for origin in origins for name in ([origin] if isinstance(origin, str) else origin)}


def _needed(mapping: Mapping) -> Iterator[str]:
    """Every column that the mapping names, but for those that it only ignores."""
    yield mapping.match
    if mapping.numbering != "none":
        yield mapping.number
    yield from sorted(_columns(mapping.head.keys.values()))
    for rule in mapping.events:
        yield from (*rule.when, *sorted(_columns(rule.keys.values())), *rule.patterns)


def _require(names: list[str], mapping: TableMapping, place: Where) -> None:
    """Raises ``CannotAudit`` where a column has no name of its own, or one that the mapping names is not there."""
    where = f"{place.file}:{place.line}"
    if not all(map(_is_decoded, names)):
        raise CannotAudit(f"{where}: expected names of columns in {mapping.encoding}, found other bytes")
    for name in names:
        if names.count(name) > 1:
            raise CannotAudit(f"{where}: expected each column once, found {shown(name)} twice")
    for name in _needed(mapping):
        if name not in names:
            listed = ", ".join(shown(other) for other in names[:20])
            raise CannotAudit(f"{where}: expected a column {shown(name)}, found {listed}")


IMPORTER = Importer(
    "table",
    {
        "en": "a CSV file with a row for each move, and a mapping file (--map) that says what each column is",
        "ar": "ملف ⁦CSV⁩ فيه صف لكل حركة، وملف مطابقة ⁦(--map)⁩ يقول ما معنى كل عمود",
    },
    matches,
)
