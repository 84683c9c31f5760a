"""Assembly: matches put together from records that come in any order.

In: records, each with the id of its match, its number and its place; in the end, what translates them. Out: one
document a match, in the order in which matches first appeared, and what could not be carried over. Refuses to know how
a source is written.

Records lie in a temporary file until all have come, because the last line may belong to the first match. What stays in
memory is about 45 bytes a record and 600 a match.
"""

from __future__ import annotations

import hashlib
import itertools
from array import array
from collections.abc import Generator, Iterator, Mapping, Sequence
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Any, NamedTuple

import msgspec

from auditor.importers.contract import Imported, Loss, Notice, Where, Yielded
from auditor.importers.mapping import Numbering
from auditor.importers.translation import FORMAT, Translator, ids_of

#: What a platform may do where two different records have the same number.
CONFLICTS = ("leave-out", "first")
#: So many bytes of records are held in memory before they go to a file.
_IN_MEMORY = 2**24
_UNNUMBERED = -1
#: RFC 8785 for nearly all values: equal records are equal bytes.
_ENCODER = msgspec.json.Encoder(order="sorted")


class _Kept(NamedTuple):
    """A record that was put aside: its number, where it lies in the spool, and where it came from."""

    number: int
    offset: int
    length: int
    file: int
    line: int


_WIDTH = len(_Kept._fields)


class _Pending:
    """One match that records are still coming for."""

    __slots__ = ("events", "heads", "highest", "last_head", "numbers")

    def __init__(self) -> None:
        self.events = array("q")
        self.heads = array("q")
        self.last_head = b""
        self.highest = _UNNUMBERED
        #: The numbers of lines that bring no event.
        self.numbers = array("q")


class _Conflict(Exception):
    """A match has two records that cannot both be true."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.kind)
        self.loss = loss


class Assembly:
    """Matches in the making. To be used in a ``with`` statement, which ends with the temporary file."""

    def __init__(self, numbering: Numbering, conflicts: str) -> None:
        self._numbering = numbering
        self._keeps_first = conflicts == "first"
        self._spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - it is closed by this object's own exit
        self._end = 0
        self._files: dict[str, int] = {}
        self._matches: dict[str, _Pending] = {}
        self._late_count = 0
        self._duplicate_count = 0

    def __enter__(self) -> Assembly:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spool.close()

    # --- Records come in ----------------------------------------------------------------------------------------------

    def add_event(self, match: str, number: int | None, record: Mapping[str, Any], place: Where) -> None:
        """An event of a match. Without numbering, events stand in the order in which they come."""
        pending = self._pending(match)
        if number is None or self._numbering == "none":
            number = len(pending.events) // _WIDTH
        self._late_count += number < pending.highest
        pending.highest = max(pending.highest, number)
        pending.events.extend(self._put(number, _ENCODER.encode(record), place))

    def add_head(self, match: str, number: int | None, record: Mapping[str, Any], place: Where) -> None:
        """Something about a match. Said again in the same words, it is kept once."""
        pending = self._pending(match)
        if number is not None:
            pending.numbers.append(number)
        text = _ENCODER.encode(record)
        digest = hashlib.blake2b(text, digest_size=16).digest()
        if digest != pending.last_head:
            pending.last_head = digest
            pending.heads.extend(self._put(_UNNUMBERED if number is None else number, text, place))

    def add_number(self, match: str, number: int | None) -> None:
        """A record that says nothing of its match: with its number, nothing is missing there."""
        if number is not None and match in self._matches:
            self._matches[match].numbers.append(number)

    def _pending(self, match: str) -> _Pending:
        pending = self._matches.get(match)
        if pending is None:
            pending = self._matches[match] = _Pending()
        return pending

    def _put(self, number: int, text: bytes, place: Where) -> _Kept:
        self._spool.write(text)
        kept = _Kept(number, self._end, len(text), self._files.setdefault(place.file, len(self._files)), place.line)
        self._end += len(text)
        return kept

    # --- Matches come out ---------------------------------------------------------------------------------------------

    def matches(self, translator: Translator) -> Iterator[Yielded]:
        """All matches that were put together, and what could not be carried over of them."""
        names = list(self._files)
        for match, pending in self._matches.items():
            try:
                yield from self._match(match, pending, translator, names)
            except _Conflict as conflict:
                yield conflict.loss
                yield Notice("left_out")
        yield Notice("late", self._late_count)
        yield Notice("duplicates", self._duplicate_count)

    def _match(self, match: str, pending: _Pending, translator: Translator, names: list[str]) -> Iterator[Yielded]:
        heads, events = _listed(pending.heads), _listed(pending.events)
        first = min((*heads, *events), key=lambda kept: (kept.file, kept.line))
        start = Where(names[first.file], first.line)
        head = yield from self._head(match, heads, translator, names)
        if not head:
            yield Loss("no-head", start, match=match, count=len(events))
            yield Notice("left_out")
            return
        kept_events = yield from self._without_duplicates(match, events, names)
        if self._numbering == "match":
            yield from _gaps(match, kept_events, pending.numbers, names)
        players = ids_of(head)
        made: list[tuple[dict[str, Any], Where]] = []
        for kept in kept_events:
            place = Where(names[kept.file], kept.line)
            event, troubles = translator.event(msgspec.json.decode(self._text(kept)), players)
            for trouble in troubles:
                yield Loss(trouble.kind, place, trouble.subject, match)
            if event is not None:
                made.append((event, place))
        joined = yield from _joined(match, made, len(players))
        document = {"format": FORMAT, "match": match, **head, "events": [event for event, _ in joined]}
        yield Imported(document, start, [place for _, place in joined])

    def _head(
        self, match: str, heads: list[_Kept], translator: Translator, names: list[str]
    ) -> Generator[Loss, None, dict[str, Any]]:
        """Everything that is said of a match, in the order of numbers; what has none comes last."""
        said: dict[str, tuple[Any, Where]] = {}
        for kept in sorted(heads, key=lambda kept: (kept.number == _UNNUMBERED, kept.number)):
            place = Where(names[kept.file], kept.line)
            head, troubles = translator.head(msgspec.json.decode(self._text(kept)))
            for trouble in troubles:
                yield Loss(trouble.kind, place, trouble.subject, match)
            for key, value in head.items():
                before, where = said.setdefault(key, (value, place))
                if _ENCODER.encode(before) != _ENCODER.encode(value):
                    yield from self._conflict(Loss("head", place, key, match, f"{where.file}:{where.line}"))
        return translator.with_given({key: value for key, (value, _) in said.items()})

    def _without_duplicates(
        self, match: str, events: list[_Kept], names: list[str]
    ) -> Generator[Loss, None, list[_Kept]]:
        """The events in the order of their numbers, each once."""
        kept: list[_Kept] = []
        for _, same in itertools.groupby(sorted(events, key=lambda kept: kept.number), key=lambda kept: kept.number):
            first, *others = same
            kept.append(first)
            for other in others:
                if self._text(other) == self._text(first):
                    self._duplicate_count += 1
                    continue
                where = f"{names[first.file]}:{first.line}"
                place = Where(names[other.file], other.line)
                yield from self._conflict(Loss("conflict", place, match=match, detail=f"{first.number} ({where})"))
        return kept

    def _conflict(self, loss: Loss) -> Iterator[Loss]:
        """Either only reports it, or gives the match up with it."""
        if not self._keeps_first:
            raise _Conflict(loss)
        yield loss

    def _text(self, kept: _Kept) -> bytes:
        self._spool.seek(kept.offset)
        return self._spool.read(kept.length)


def _listed(numbers: array[int]) -> list[_Kept]:
    return [_Kept(*numbers[at : at + _WIDTH]) for at in range(0, len(numbers), _WIDTH)]


def _gaps(match: str, events: Sequence[_Kept], others: array[int], names: Sequence[str]) -> Iterator[Loss]:
    """The numbers that no record has, from 0 or 1 up to the highest; each gap at the event that comes after it."""
    places = {kept.number: Where(names[kept.file], kept.line) for kept in events}
    due = 1
    place = None
    for number in sorted({*places, *others}):
        place = places.get(number, place)
        if number > due:
            missing = str(due) if number == due + 1 else f"{due}–{number - 1}"
            yield Loss("gap", place or Where("", 0), match=match, detail=missing, count=number - due)
        due = number + 1


def _joined(
    match: str, events: Sequence[tuple[dict[str, Any], Where]], seat_count: int
) -> Generator[Loss, None, list[tuple[dict[str, Any], Where]]]:
    """The events with each deal whole: records with the ``hand`` of one ``seat`` that come in a row are one deal.

    They come one a seat or one a card. Where a whole hand comes again for a seat that has one, a new deal begins.
    """
    joined: list[tuple[dict[str, Any], Where]] = []
    deal: dict[str, Any] | None = None
    for event, place in events:
        seat, hand = event.get("seat"), event.get("hand")
        if event["type"] != "deal" or not isinstance(hand, list) or type(seat) is not int or not 0 <= seat < seat_count:
            joined.append((event, place))
            deal = deal if event["type"] == "note" else None
            continue
        part = {key: value for key, value in event.items() if key not in ("seat", "hand")}
        if deal is None or (len(hand) > 1 and len(deal["hands"][seat]) > 1):
            deal = {**part, "hands": [[] for _ in range(seat_count)]}
            joined.append((deal, place))
        deal["hands"][seat] += hand
        for key, value in part.items():
            if deal.setdefault(key, value) != value:
                yield Loss("deal", place, key, match)
    return joined
