"""Carrying over: an importer is run, and each match that it hands on is shown to the reader of match logs.

In: an importer and its source. Out: the matches that are match logs, in canonical form, and a tally of everything that
could not be carried over. Refuses to know formats, and where matches are written to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from auditor import rulebook
from auditor.errors import CannotAudit, Place
from auditor.games import FORMS
from auditor.importers import blaming
from auditor.importers.contract import Imported, Importer, Loss, Notice, Source, Where
from auditor.log import Log, Reader, Unreadable
from auditor.sources import LARGEST_MATCH

FORMAT = "import-report/1"
#: So many places of one group of losses are told; further ones are counted.
MOST_PLACES = 100
#: So many groups are told apart; further ones of a kind are counted together.
MOST_GROUPS = 1000
_MORE = "…"
_EVENT = re.compile(r"/events/([0-9]+)(/|$)")


@dataclass(slots=True)
class Group:
    """The losses of one kind that are about the same: how many, and the first of them."""

    kind: str
    subject: str
    count: int = 0
    first: list[Loss] = field(default_factory=list)


class Tally:
    """What was carried over and what was not."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._groups: dict[tuple[str, str], Group] = {}

    @property
    def groups(self) -> Sequence[Group]:
        """The losses, in the order in which the first of each group was found."""
        return list(self._groups.values())

    @property
    def is_file_missing(self) -> bool:
        """Whether there is a file that could not be opened or read."""
        return any(group.kind == "file" for group in self.groups)

    def lose(self, loss: Loss) -> None:
        subject = loss.subject or loss.clause or ""
        if (loss.kind, subject) not in self._groups and len(self._groups) >= MOST_GROUPS:
            subject = _MORE
        group = self._groups.setdefault((loss.kind, subject), Group(loss.kind, subject))
        group.count += loss.count
        if len(group.first) < MOST_PLACES:
            group.first.append(loss)

    def document(self, importer: str, paths: Sequence[str]) -> dict[str, Any]:
        """The tally for programs."""
        return {
            "format": FORMAT,
            "importer": importer,
            "paths": list(paths),
            "counts": dict(sorted(self.counts.items())),
            "losses": [
                {
                    "kind": group.kind,
                    **({"subject": group.subject} if group.subject else {}),
                    "count": group.count,
                    "first": [_place_document(loss) for loss in group.first],
                }
                for group in self.groups
            ],
        }


def carried(importer: Importer, source: Source, tally: Tally, keeps_invalid: bool = False) -> Iterator[bytes]:
    """The matches that an importer reads, each as one line of JSON without its end, in canonical form.

    What is no match log is left out and told with every fault of its form; ``keeps_invalid`` hands it on as well.
    Raises ``CannotAudit`` where the importer cannot do its work.
    """
    reader = Reader(FORMS)
    with blaming(importer.name):
        for found in importer.matches(source):
            match found:
                case Loss():
                    tally.lose(found)
                case Notice():
                    tally.counts[found.kind] += found.count
                case Imported():
                    text, is_log = _checked(found, reader, tally)
                    if is_log or keeps_invalid:
                        tally.counts["matches"] += 1
                        tally.counts["events"] += _event_count(found.document)
                        yield text
                    else:
                        tally.counts["left_out"] += 1
                case _:
                    raise CannotAudit(f"the importer {importer.name} gave {found!r}: expected a match or a loss")


def _checked(found: Imported, reader: Reader, tally: Tally) -> tuple[bytes, bool]:
    """The text of a match, and whether it is a match log; what is wrong with it is told with its places."""
    text = msgspec.json.encode(found.document, order="sorted")
    entry = reader.read(text, Place(found.place.file, found.place.line, 0))
    if len(text) > LARGEST_MATCH:  # the reader would not take it out of a file
        tally.lose(Loss("invalid", found.place, clause="log.size", facts={"most": LARGEST_MATCH}))
        return text, False
    if isinstance(entry, Log):
        return entry.canonical, True
    for loss in _faults(found, entry):
        tally.lose(loss)
    return text, False


def _faults(found: Imported, entry: Unreadable) -> Iterator[Loss]:
    name = found.document.get("match")
    for diagnostic in entry.diagnostics:
        event = _EVENT.match(diagnostic.pointer)
        place = found.place
        if event is not None and int(event[1]) < len(found.event_places):
            place = found.event_places[int(event[1])]
        yield Loss(
            "invalid",
            place,
            match=name if isinstance(name, str) else None,
            detail=diagnostic.pointer or "/",
            clause=diagnostic.clause,
            facts=diagnostic.facts,
        )


def _event_count(document: Mapping[str, Any]) -> int:
    events = document.get("events")
    return len(events) if isinstance(events, list) else 0


def _place_document(loss: Loss) -> dict[str, Any]:
    file, line = Where(*loss.place)
    told: dict[str, Any] = {"file": file, "line": line}
    if loss.match is not None:
        told["match"] = loss.match
    if loss.detail:
        told["detail"] = loss.detail
    if loss.clause is not None:
        told["clause"] = loss.clause
        told["message"] = rulebook.sentence(None, loss.clause, loss.facts)
    return told
