"""The reader: from bytes to typed matches.

In: paths, streams or bytes, and the form of each ruleset's matches. Out: for each match either the typed match with
its digest, or everything that is wrong with it, each fault with its place. Refuses to know rules, and which
rulesets there are.

A log is read twice at most. The usual one is decoded into its typed form and written out again in canonical form
(RFC 8785), which costs little. What the decoder refuses, or what is lost on the way, goes through the strict reader
(:mod:`auditor.jsontext`) and the schema (:mod:`auditor.schema`), which accept the same logs and say more.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_
from typing import Annotated, Any, TypeAlias

import msgspec
import rfc8785
from msgspec import UNSET

from auditor import jsontext, schema, sources
from auditor.errors import Place
from auditor.events import LARGEST_INTEGER, Match, Note

Forms: TypeAlias = Mapping[str, type[Match]]


@dataclass(frozen=True, slots=True)
class Log:
    """One match as it was read. ``digest`` is the SHA-256 of ``canonical``, the match object in RFC 8785 form."""

    match: Match
    digest: str
    canonical: bytes
    place: Place


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault of form: the rulebook's clause and the facts for its sentence.

    ``pointer`` is the JSON pointer inside the match; ``line`` counts from 1 and ``offset`` is in bytes from 0, both
    in the unpacked file.
    """

    clause: str
    pointer: str
    line: int
    offset: int
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What is no match log, and why: at least one diagnostic, in the order of the text.

    ``match`` and ``ruleset`` are given where they could be read and ``ruleset`` is known; ``digest`` where the text
    has a canonical form.
    """

    place: Place
    diagnostics: tuple[Diagnostic, ...]
    match: str | None = None
    ruleset: str | None = None
    digest: str | None = None

    @property
    def is_no_file(self) -> bool:
        """Whether it is the file that cannot be opened or read, and not its content that is wrong."""
        return self.diagnostics[0].clause == "log.file"

    @property
    def is_cut_short(self) -> bool:
        """Whether the text breaks off."""
        return self.diagnostics[-1].clause == "log.truncated"


def read(
    paths: Iterable[str], forms: Forms, schemas: Mapping[str, schema.Schema] | None = None
) -> Iterator[Log | Unreadable]:
    """The matches of files, folders and patterns (``-``: standard input), one after another as they are read.

    ``schemas`` describe the same rulesets as ``forms``; by default they are those that come with the auditor.
    """
    return entries(sources.documents(paths), Reader(forms, schemas))


def read_stream(
    chunks: Iterator[bytes], name: str, forms: Forms, schemas: Mapping[str, schema.Schema] | None = None
) -> Iterator[Log | Unreadable]:
    """The matches in the unpacked bytes of one file that is called ``name``, one after another as they come in.

    :func:`auditor.sources.unpacked` gives such bytes.
    """
    return entries(sources.documents_in(chunks, name), Reader(forms, schemas))


def entries(documents: Iterable[sources.Found], reader: Reader) -> Iterator[Log | Unreadable]:
    """What a reader makes of documents and gaps, one after another. Where a text breaks off, that is said once."""
    cut_short = None
    for found in documents:
        if isinstance(found, sources.Document):
            entry = reader.read(found.data, found.place, found.at_end)
        elif found.clause == "log.truncated" and cut_short == found.place.file:
            continue
        else:
            place = found.place
            diagnostic = Diagnostic(found.clause, place.pointer, place.line, place.offset, found.facts)
            entry = Unreadable(place, (diagnostic,))
        cut_short = entry.place.file if isinstance(entry, Unreadable) and entry.is_cut_short else None
        yield entry


def read_bytes(
    data: bytes, forms: Forms, file: str = "", schemas: Mapping[str, schema.Schema] | None = None
) -> Log | Unreadable:
    """The match that the bytes are; ``file`` is the name to report. For many, a :class:`Reader` is faster."""
    mark = len(sources.BYTE_ORDER_MARK) if data.startswith(sources.BYTE_ORDER_MARK) else 0
    return Reader(forms, schemas).read(data[mark:], Place(file, 1, mark))


#: As many players as any form may ask for.
_ANYBODY = tuple([{"id": ""}] * count for count in range(4, 0, -1))
#: From so many events on, looking at each with the schema takes too long.
_LONG_LOG = 2000
#: Players beyond these are counted and not looked at: so many are wrong in any game.
_MOST_PLAYERS = 1000
#: RFC 8785, as long as keys are ASCII and numbers are integers: same order of keys, same escapes, no spaces.
_ENCODER = msgspec.json.Encoder(order="sorted")


class _NoMatch(Match, tag_field="ruleset", tag="", frozen=True, kw_only=True):
    """The form that no match has. With it the forms are a union, in which the ruleset must be given, even if one."""

    events: Annotated[list[Any], msgspec.Meta(min_length=1, max_length=0)]


class Reader:
    """Reads matches of the rulesets whose forms it is given."""

    def __init__(self, forms: Forms, schemas: Mapping[str, schema.Schema] | None = None) -> None:
        self._forms = forms
        self._schemas = schemas
        self._decoder: msgspec.json.Decoder[Match] = msgspec.json.Decoder(reduce(or_, forms.values(), _NoMatch))

    def read(self, data: bytes, place: Place, at_end: bool = True) -> Log | Unreadable:
        """The match that the bytes are. ``at_end``: the file ends with them, so that they may be cut short."""
        match: Match | None = None
        canonical: bytes | None = None
        if jsontext.is_short(data):
            try:
                match = self._decoder.decode(data)
                canonical = _canonical(match, data)
            except (msgspec.DecodeError, rfc8785.CanonicalizationError, RecursionError):
                pass
        if canonical is None:
            text = jsontext.parse(data)
            faults = self._faults(text, len(data), at_end)
            if faults:
                return self._unreadable(data, place, text, faults)
            canonical = rfc8785.dumps(text.value)
        assert match is not None, f"the typed reader refuses what the schema accepts: {place}"
        if len(canonical) > sources.LARGEST_MATCH:  # written out, some numbers are longer
            too_long = Diagnostic("log.size", "", place.line, place.offset, {"most": sources.LARGEST_MATCH})
            return Unreadable(place, (too_long,), match.match, match.ruleset)
        return Log(match, _digest(canonical), canonical, place)

    def _faults(self, text: jsontext.Text, length: int, at_end: bool) -> list[jsontext.Fault]:
        """All that is wrong with a text, in its order: the faults of the text, and of form where it is sound."""
        faults = list(text.faults)
        if text.ends_early and at_end:
            faults[-1] = jsontext.Fault("log.truncated", (), faults[-1].offset, {})
        unsound = {fault.path for fault in faults if fault.clause != "log.duplicate-key"}
        for fault in self._schema_faults(text.value) if text.complete else ():
            if fault.path not in unsound:
                faults.append(jsontext.Fault(fault.clause, fault.path, text.offset(fault.path), fault.facts))
            if len(faults) == jsontext.MOST_FAULTS:
                faults.append(jsontext.no_more(length))
                break
        return sorted(faults, key=lambda fault: fault.offset)

    def _schema_faults(self, document: Any) -> Iterator[schema.Fault]:
        """The schema's faults. Of a long log it is shown only the events that the typed reader refuses as well."""
        suspects = self._suspects(document)
        shown = document
        if suspects is not None:
            shown = {**shown, "events": [document["events"][index] for index in suspects]}
        crowd = _crowd(document)
        if crowd is not None:
            shown = {**shown, "players": document["players"][:_MOST_PLAYERS]}
        for fault in schema.faults(shown, self._rules):
            match fault.path:
                case ("events", int(position), *rest) if suspects is not None:
                    yield replace(fault, path=("events", suspects[position], *rest))
                case ("players",) if crowd is not None and "count" in fault.facts:
                    yield replace(fault, facts={**fault.facts, "count": crowd})
                case _:
                    yield fault

    def _suspects(self, document: Any) -> list[int] | None:
        """The events of a long log that may have faults; ``None`` where all have to be looked at."""
        if not isinstance(document, dict) or not isinstance(document.get("events"), list):
            return None
        events = document["events"]
        ruleset = document.get("ruleset")
        form = self._forms.get(ruleset) if isinstance(ruleset, str) else None
        if form is None or len(events) < _LONG_LOG:
            return None
        match: dict[str, Any] = {"format": "match-log/1", "match": "x", "ruleset": form.ruleset, "events": []}
        # Where the players are no players, others sit in for them.
        seated = [{**match, "players": players} for players in (document.get("players"), *_ANYBODY)]
        head = next((head for head in seated if _fits(head, form)), None)
        if head is None:
            return None
        refused = (index for index, event in enumerate(events) if not _fits({**head, "events": [event]}, form))
        return list(itertools.islice(refused, jsontext.MOST_FAULTS))

    def _unreadable(self, data: bytes, place: Place, text: jsontext.Text, faults: list[jsontext.Fault]) -> Unreadable:
        diagnostics = []
        line, offset = place.line, 0
        for fault in faults:
            line += data.count(b"\n", offset, fault.offset)
            offset = fault.offset
            pointer = jsontext.pointer(fault.path)
            diagnostics.append(Diagnostic(fault.clause, pointer, line, place.offset + offset, fault.facts))
        return Unreadable(
            place,
            tuple(diagnostics),
            _head(text, faults, "match"),
            ruleset if (ruleset := _head(text, faults, "ruleset")) in self._forms else None,
            None if text.faults else _digest(rfc8785.dumps(text.value)),
        )

    @cached_property
    def _rules(self) -> schema.Rules:
        known = schema.shipped() if self._schemas is None else self._schemas
        return schema.rules({ruleset: known[ruleset] for ruleset in self._forms})


def _crowd(document: Any) -> int | None:
    """How many players there are, where there are far too many to look at each."""
    players = document.get("players") if isinstance(document, dict) else None
    return len(players) if isinstance(players, list) and len(players) > _MOST_PLAYERS else None


def _head(text: jsontext.Text, faults: list[jsontext.Fault], key: str) -> str | None:
    """The text of a key of the match object, if nothing is wrong with it."""
    value = text.value.get(key) if isinstance(text.value, dict) else None
    is_sound = isinstance(value, str) and len(value) <= 200 and all(fault.path != (key,) for fault in faults)
    return value if is_sound else None


def _fits(document: Mapping[str, Any], form: type[Match]) -> bool:
    """Whether a match of few events is well-formed, its times included."""
    try:
        match = msgspec.convert(document, form)
    except msgspec.ValidationError:
        return False
    return all(
        type(event) is Note or type(event.at) is not str or schema.are_times([event.at]) for event in match.events
    )


def _digest(canonical: bytes) -> str:
    return "sha256:" + hashlib.sha256(canonical).hexdigest()


def _canonical(match: Match, data: bytes) -> bytes | None:
    """The canonical form of what the bytes say, or ``None``: to be looked at more closely.

    Nothing can be said in fewer bytes than the canonical ones, so if there are as many, nothing was lost on the way.
    Otherwise, whatever is lost between the bytes and their canonical form takes a colon with it: a key that stands
    twice, what a note carries. No colon comes in on the way but one that was written as an escape. So equal counts say
    that nothing was lost.
    """
    canonical = _ENCODER.encode(match)
    if not _has_proper_times(match, canonical):
        return None
    if len(canonical) == len(data) and match.extra is UNSET:
        return canonical
    colons = data.count(b":") + _escaped_colons(data)
    if colons == canonical.count(b":") and (match.extra is UNSET or _is_plain(match.extra, 2)):
        return canonical
    value = msgspec.json.decode(data)
    events = value["events"]
    for index, event in enumerate(events):
        if event["type"] == "note":
            events[index] = _free(event, 3)
    if "extra" in value:
        value["extra"] = _free(value["extra"], 2)
    canonical = _ENCODER.encode(value)
    return canonical if colons == canonical.count(b":") else None


#: An escape; of a colon, with the code of one.
_ESCAPE = re.compile(rb"\\(u003[aA]|.)", re.DOTALL)


def _escaped_colons(data: bytes) -> int:
    """How many colons of a JSON text are written as escapes."""
    if b"\\u003a" not in data and b"\\u003A" not in data:
        return 0
    return sum(len(escape[1]) > 1 for escape in _ESCAPE.finditer(data))


def _has_proper_times(match: Match, canonical: bytes) -> bool:
    times = [time for time in (match.started, match.ended) if time is not UNSET]
    if b'"at":"' in canonical:
        times += [event.at for event in match.events if type(event) is not Note and type(event.at) is str]
    return not times or schema.are_times(times)


def _free(value: Any, depth: int) -> Any:
    """A value that no form describes, so that the encoder writes it rightly; ``depth`` is the one it stands at."""
    return value if _is_plain(value, depth) else msgspec.Raw(rfc8785.dumps(value))


def _is_plain(value: Any, depth: int) -> bool:
    """Whether the fast encoder writes the value in canonical form: no number with a point, all keys in ASCII.

    Integers that are too large are not plain either: the library refuses them. Raises :class:`RecursionError` for a
    value that is nested too deeply.
    """
    is_plain = True
    inner = [iter((value,))]
    while inner:
        for value in inner[-1]:
            kind = type(value)
            if kind is dict or kind is list:
                if depth + len(inner) > jsontext.DEEPEST + 1:
                    raise RecursionError
                is_plain = is_plain and (kind is list or all(map(str.isascii, value)))
                inner.append(iter(value.values() if kind is dict else value))
                break
            if kind is float or (kind is int and not -LARGEST_INTEGER <= value <= LARGEST_INTEGER):
                is_plain = False
        else:
            inner.pop()
    return is_plain
