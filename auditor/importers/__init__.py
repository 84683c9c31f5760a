"""Importers: formats of platforms, read into match logs. This list is the only place that names the auditor's own.

In: the name of a format. Out: the record of its importer, from here or from a package that brings it by an entry point
of the group ``auditor.importers``. Refuses to know what any format looks like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from types import MappingProxyType

from auditor.errors import CannotAudit
from auditor.importers import emitted, tabular
from auditor.importers.contract import Importer

GROUP = "auditor.importers"
OWN = (emitted.IMPORTER, tabular.IMPORTER)


@cache
def brought() -> Mapping[str, str]:
    """The formats that installed packages bring, in order of their names, each with its module and the record in it."""
    found: dict[str, str] = {}
    for point in sorted(metadata.entry_points(group=GROUP)):
        if found.setdefault(point.name, point.value) != point.value:
            raise CannotAudit(f"two packages bring the importer {point.name}: {found[point.name]} and {point.value}")
    return MappingProxyType(found)


@cache
def importers() -> Mapping[str, Importer]:
    """All importers by name, the auditor's own first.

    Raises ``CannotAudit`` where one that a package brings cannot be used.
    """
    found = {importer.name: importer for importer in OWN}
    for name, place in brought().items():
        if name in found:
            raise CannotAudit(f"the importer {name} ({place}) has the name of one that the auditor has itself")
        with blaming(name):
            record = metadata.EntryPoint(name, place, GROUP).load()
        if not isinstance(record, Importer) or record.name != name:
            raise CannotAudit(f"expected the record of the importer {name} at {place}, found {record!r}")
        found[name] = record
    return MappingProxyType(found)


@contextmanager
def blaming(name: str) -> Iterator[None]:
    """Turns what stops the importer of another package into ``CannotAudit``. Our own may crash."""
    try:
        yield
    except (CannotAudit, OSError):
        raise
    except Exception as error:
        if name not in brought():
            raise
        found = f"{type(error).__name__}: {error}"
        raise CannotAudit(f"the importer {name} ({brought()[name]}) cannot be used: {found}") from error
