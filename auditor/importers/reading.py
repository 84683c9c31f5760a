"""Reading: the lines and JSON values of files, with their places.

In: paths as people write them. Out: one value or line after another, or a loss where nothing could be read. Refuses to
know what they are about. Files are found, unpacked and cut up as the auditor does it with match logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from auditor import jsontext, sources
from auditor.importers.contract import Loss, Where
from auditor.sources import Document, Found, Gap, documents, documents_of, shown

_ENCODER = msgspec.json.Encoder()


def json_values(paths: Iterable[str]) -> Iterator[tuple[Where, Any] | Loss]:
    """The JSON values of files, folders and patterns: one a line, or the elements of an array.

    A text that is not sound JSON is a loss as a whole; so is one in which a key stands twice.
    """
    for found in documents(paths):
        if isinstance(found, Gap):
            yield loss_of(found)
            continue
        place = Where(found.place.file, found.place.line)
        value = _sound(found.data)
        if value is None:
            text = jsontext.parse(found.data)
            if text.faults:
                fault = text.faults[0]
                cut_short = text.ends_early and found.at_end
                clause, facts = ("log.truncated", {}) if cut_short else (fault.clause, fault.facts)
                line = place.line + found.data.count(b"\n", 0, fault.offset)
                yield Loss("text", Where(place.file, line), clause=clause, facts=facts)
                continue
            value = text.value
        yield place, value


def text_lines(paths: Iterable[str]) -> Iterator[tuple[Where, str] | Loss]:
    """The lines of text files, without what ends them; blank ones are left out. What is no UTF-8 is a loss."""
    for found in documents(paths):
        if isinstance(found, Gap):
            yield loss_of(found)
            continue
        for number, line in enumerate(found.data.splitlines(), found.place.line):
            place = Where(found.place.file, number)
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                yield Loss("text", place, clause="log.encoding", facts={"found": f"0x{line[error.start]:02X}"})
                continue
            if text.strip():
                yield place, text


def files(paths: Iterable[str], is_text: Callable[[str], bool]) -> Iterator[tuple[str, Iterator[Found]]]:
    """The files under some paths, each with the stretches of bytes that it has; to be read one after another.

    One whose name ``is_text`` is read line by line, also where it begins as JSON does.
    """
    for file in sources.files(paths):
        if isinstance(file, Gap):
            yield file.place.file, iter([file])
        else:
            yield shown(file), documents_of(file, in_lines=is_text(file))


def lines_of(document: Document) -> Iterator[tuple[int, bytes]]:
    """The lines of a stretch of bytes with their numbers, each with what ends it."""
    lines = document.data.split(b"\n")
    for number, line in enumerate(lines[:-1], document.place.line):
        yield number, line + b"\n"
    if lines[-1]:
        yield document.place.line + len(lines) - 1, lines[-1]


def loss_of(gap: Gap) -> Loss:
    """A stretch that could not be read as a loss."""
    kind = "file" if gap.clause == "log.file" else "text"
    return Loss(kind, Where(gap.place.file, gap.place.line), clause=gap.clause, facts=gap.facts)


def _sound(data: bytes) -> Any:
    """The value of a text if the fast decoder is sure to have lost nothing of it, as equal counts of colons say."""
    if b"\\" in data and (b"\\u003a" in data or b"\\u003A" in data):
        return None
    try:
        value = msgspec.json.decode(data)
        return value if data.count(b":") == _ENCODER.encode(value).count(b":") else None
    except (msgspec.DecodeError, ValueError, OverflowError, RecursionError):
        return None
