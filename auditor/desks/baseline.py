"""The baseline: what is known of each match, and why it was accepted.

In: verdicts; a baseline file, or a database of audited matches. Out: what is known of one match, and the file, which
is sorted and has one match a line, so that a difference reads well. Refuses to know how verdicts are compared or shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from auditor.desks.outfile import write_whole
from auditor.errors import CannotAudit, Place
from auditor.jsontext import shown
from auditor.store import Store, UnreadableRow, require
from auditor.verdict import Finding, Kind, Status, Verdict

ACCUSING: tuple[Kind, ...] = ("schema", "illegal", "claim")
_DATABASE = b"SQLite format 3\0"
_Format: TypeAlias = Literal["baseline/1"]


class KnownFault(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One finding that accuses, without its wording: two are the same if they agree in all of this.

    ``expected`` and ``found`` are plain JSON values. A fault of form has a ``pointer`` in place of an event.
    """

    kind: Kind
    clause: str
    event: int | None = None
    seat: int | None = None
    expected: Any = None
    found: Any = None
    pointer: str | None = None


class KnownMatch(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a verdict says of a match, as far as it is compared; ``reason`` is why its faults were accepted.

    ``place`` (file and line) is there only for what has neither id nor digest.
    """

    match: str | None
    status: Status
    ruleset: str | None = None
    build: str | None = None
    digest: str | None = None
    place: str | None = None
    totals: tuple[int, ...] | None = None
    winner: int | None = None
    faults: tuple[KnownFault, ...] = ()
    reason: str | None = None

    @property
    def name(self) -> str:
        """What the match is known by: its id or, where that could not be read, its digest or its place."""
        return self.match or self.digest or self.place or ""

    @property
    def log(self) -> str | None:
        """What tells its log from all others; ``None`` where nothing does: broken texts may share the id of a match."""
        return self.digest or self.place or (None if self.status == "invalid" else self.match)

    @property
    def says(self) -> tuple[object, ...]:
        """What two verdicts on one and the same log agree in if nothing has changed."""
        return self.status, self.faults, self.totals, self.winner


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: _Format
    matches: list[KnownMatch]


class Baseline:
    """Matches that are known already. Each is found at most once, as far as there are enough of its name.

    ``of_builds``: a match has logs of several builds, in their order. Then the last build's are those to compare with,
    and if none of all has been met, one is missed.
    """

    def __init__(self, matches: Iterable[KnownMatch] = (), of_builds: bool = False) -> None:
        self._of_builds = of_builds
        self._last_build: dict[str, str | None] = {}
        self._unmet: dict[str, list[KnownMatch]] = defaultdict(list)
        self._met: dict[str, list[KnownMatch]] = defaultdict(list)
        for match in matches:
            self._unmet[match.name].append(match)
            self._last_build[match.name] = match.build

    def meet(self, now: KnownMatch) -> KnownMatch | None:
        """The match of the same name: the very same log, else one with the same faults, else the first of them.

        Of several logs of one match, those that were not met before go first.
        """
        unmet, met = self._unmet.get(now.name, []), self._met.get(now.name, [])
        known = _same_log([*unmet, *met], now)
        for logs in (unmet, met):
            if self._of_builds:
                logs = [log for log in logs if log.build == self._last_build[now.name]]
            known = known or _same_faults(logs, now) or next(iter(logs), None)
        if known is not None and known in unmet:
            unmet.remove(known)
            self._met[now.name].append(known)
        return known

    def unmet(self) -> Iterator[KnownMatch]:
        """The matches that are missed so far, sorted."""
        missed = self._unmet.items()
        if self._of_builds:
            missed = {name: logs[-1:] for name, logs in missed if name not in self._met}.items()
        return iter(sorted(chain.from_iterable(logs for _, logs in missed), key=_order))


def load(path: Path) -> Baseline:
    """The baseline in a file, or the newest verdicts in a database.

    Raises ``CannotAudit`` for a file that is neither.
    """
    if is_database(path):
        require(path)
        with Store.open(path) as store:
            matches = [*map(_of_document, store.verdicts()), *_of_unreadable(store.unreadable())]
            return Baseline(matches, of_builds=True)
    try:
        data = path.read_bytes()
    except OSError as error:
        advice = "; make one with --update-baseline" if isinstance(error, FileNotFoundError) else ""
        raise CannotAudit(f"{path}: expected a baseline, found: {error.strerror}{advice}") from error
    try:
        matches = _DECODER.decode(data).matches
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CannotAudit(f"{path}: expected a baseline (baseline/1), found: {error}") from error
    _require_one_word(path, matches)
    return Baseline({_ENCODER.encode(match): match for match in matches}.values())


def _require_one_word(path: Path, matches: Sequence[KnownMatch]) -> None:
    """Raises ``CannotAudit`` where two different things are said of one log: nobody could tell which is known."""
    said: dict[str | int, int] = {}
    for number, match in enumerate(matches):
        first = said.setdefault(match.log or number, number)
        if match != matches[first]:
            found = f"found {shown(match.name)} again, with something else said of the same log in /matches/{first}"
            raise CannotAudit(f"{path}: /matches/{number}: expected each log once, {found}")


def is_database(path: Path) -> bool:
    """Whether a file begins as a SQLite database does; a file that is not there does not."""
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def write(path: Path, matches: Iterable[KnownMatch]) -> None:
    """Writes the file whole, or leaves the old one. A log that stands there twice is written once."""
    lines: dict[str | bytes, bytes] = {}
    for match in sorted(matches, key=_order):
        line = _ENCODER.encode(match)
        lines.setdefault(match.log or line, line)
    rows = b"\n" + b",\n".join(lines.values()) + b"\n" if lines else b""
    write_whole(path, b'{"format":"baseline/1","matches":[' + rows + b"]}\n")


def known(verdict: Verdict, place: Place) -> KnownMatch:
    """What a baseline keeps of a verdict; ``place`` is where its log begins."""
    is_nameless = verdict.match is None and verdict.log_digest is None
    told = next((finding.place for finding in verdict.findings if finding.place is not None), place)
    return KnownMatch(
        match=verdict.match,
        status=verdict.status,
        ruleset=verdict.ruleset,
        build=build_of(verdict.producer),
        digest=verdict.log_digest,
        place=f"{told.file}:{told.line}" if is_nameless else None,
        totals=verdict.totals,
        winner=verdict.winner,
        faults=tuple(map(known_fault, accusing(verdict))),
    )


def accusing(verdict: Verdict) -> list[Finding]:
    """The findings that make a match not clean, in the order of the verdict."""
    return [finding for finding in verdict.findings if finding.kind in ACCUSING]


def known_fault(finding: Finding) -> KnownFault:
    """A finding without its wording."""
    if finding.place is not None:
        return KnownFault(finding.kind, finding.clause, pointer=finding.place.pointer)
    expected, found = msgspec.json.decode(msgspec.json.encode([finding.expected, finding.found]))
    return KnownFault(finding.kind, finding.clause, finding.event, finding.seat, expected, found)


def build_of(producer: Any) -> str | None:
    """A build as one line: name, version, build and platform, those that the log gives."""
    words = [producer.get(key) for key in ("name", "version", "build", "platform")] if producer else []
    return " ".join(word for word in words if word) or None


class _Document(msgspec.Struct, frozen=True):
    """What is read of a stored ``verdict/1``; the rest of it is not compared."""

    match: str | None
    ruleset: str | None
    producer: dict[str, str] | None
    log_digest: str | None
    status: Status
    findings: list[dict[str, Any]]
    totals: tuple[int, ...] | None
    winner: int | None


def _of_document(data: bytes) -> KnownMatch:
    verdict = _DOCUMENT.decode(data)
    keys = KnownFault.__struct_fields__
    return KnownMatch(
        match=verdict.match,
        status=verdict.status,
        ruleset=verdict.ruleset,
        build=build_of(verdict.producer),
        digest=verdict.log_digest,
        totals=verdict.totals,
        winner=verdict.winner,
        faults=tuple(
            KnownFault(**{key: finding[key] for key in keys if key in finding})
            for finding in verdict.findings
            if finding["kind"] in ACCUSING
        ),
    )


def _of_unreadable(rows: Iterable[UnreadableRow]) -> Iterator[KnownMatch]:
    """A database keeps what is no match log fault by fault: those of one text are put together."""
    texts: dict[tuple[object, ...], list[UnreadableRow]] = defaultdict(list)
    for row in rows:
        is_nameless = row.match_id is None and row.digest is None
        texts[row.file, row.match_id, row.digest, row.line if is_nameless else None].append(row)
    for (file, match_id, digest, line), faults in texts.items():
        yield KnownMatch(
            match=faults[0].match_id,
            status="invalid",
            ruleset=faults[0].ruleset,
            digest=faults[0].digest,
            place=f"{file}:{line}" if match_id is None and digest is None else None,
            faults=tuple(KnownFault("schema", fault.clause, pointer=fault.pointer) for fault in faults),
        )


def _same_log(matches: Iterable[KnownMatch], now: KnownMatch) -> KnownMatch | None:
    return next((match for match in matches if match.digest is not None and match.digest == now.digest), None)


def _same_faults(matches: Iterable[KnownMatch], now: KnownMatch) -> KnownMatch | None:
    return next((match for match in matches if match.faults == now.faults), None)


def _order(match: KnownMatch) -> tuple[str, ...]:
    return match.name, match.ruleset or "", match.digest or "", match.place or "", match.build or ""


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_File)
_DOCUMENT = msgspec.json.Decoder(_Document)
