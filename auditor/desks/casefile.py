"""A case file: logs with all that is needed to show somebody else what is wrong with them.

In: the texts of logs, and who signs. Out: the files of the case by name, each of them made from these texts alone, so
that whoever has them can make the others again. Refuses to know HTML: the report is made by whoever asks.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from auditor import __version__, position, rulebook
from auditor.audit import Entry, verdict_on
from auditor.desks import reconciliation
from auditor.desks.readme import README
from auditor.desks.reconciliation import Reconciliation, reconciled
from auditor.desks.signing import PublicKey
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.log import Log, Reader, read_bytes
from auditor.position import Position
from auditor.rulebook import LANGUAGES, Language
from auditor.sources import Document, documents
from auditor.verdict import Verdict, to_pretty_json

SUMS, SIGNATURE, ABOUT = "SHA256SUMS", "signature.json", "case.json"
REPORT, CLAUSES, DIFFERENCES, HOW_TO = "report.html", "clauses.json", "reconciliation.json", "README.txt"
FORMAT = "case/1"
#: Before so many faults of a log the table is shown.
MOST_MOMENTS = 10


class Origin(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Where a log was found: the file as it was named, the line (from 1) and byte (from 0, unpacked) in it.

    ``file_sha256`` is of the whole file, packed or not; standard input has none.
    """

    file: str
    line: int
    offset: int
    file_sha256: str | None


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of one log, byte for byte as it was found, and where."""

    text: bytes
    origin: Origin


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One log of a case: what it is read as, its verdict, and the table before its first faults, by finding.

    ``names`` are those of its files in the case: its own text, the same in canonical form, its verdict.
    """

    piece: Piece
    entry: Entry
    verdict: Verdict
    moments: Mapping[int, Position]
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Case:
    """All that a report tells. ``comparison`` is there where all the logs are of one match."""

    exhibits: Sequence[Exhibit]
    comparison: Reconciliation | None
    signer: PublicKey | None
    language: Language


#: Makes the report of a case.
Reporter: TypeAlias = Callable[[Case], str]


class AboutLog(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What the case says of one log beside its files."""

    number: int
    match: str | None
    ruleset: str | None
    status: str
    log_digest: str | None
    origin: Origin
    files: list[str]


class Signer(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The public key of whoever signs: its id, and its 32 bytes in hexadecimal digits."""

    keyid: str
    ed25519: str


class About(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What a case says of itself: which auditor made it, from what, and whose signature it bears."""

    format: str
    auditor: str
    rules: str
    language: Language
    logs: list[AboutLog]
    signer: Signer | None


def gathered(paths: Sequence[str], match_id: str | None = None, step: Callable[[], None] = lambda: None) -> list[Piece]:
    """The logs under some paths, those with this match id if one is given; ``step`` is called for each that is read.

    Raises ``CannotAudit`` for a file that cannot be read, or where there is no log.
    """
    reader = Reader(FORMS)
    found: list[Piece] = []
    sums: dict[str, str | None] = {}
    for document in documents(paths):
        step()
        if not isinstance(document, Document):
            if match_id is None or document.clause == "log.file":
                said = rulebook.sentence(None, document.clause, document.facts)
                raise CannotAudit(f"{document.place.file}:{document.place.line}: {said}")
            continue
        if match_id is not None:
            entry = reader.read(document.data, document.place, document.at_end)
            if (entry.match.match if isinstance(entry, Log) else entry.match) != match_id:
                continue
        place = document.place
        if place.file not in sums:
            sums[place.file] = _sum_of_file(place.file)
        found.append(Piece(document.data, Origin(place.file, place.line, place.offset, sums[place.file])))
    if not found:
        what = "match logs" if match_id is None else f"a match with the id {match_id!r}"
        raise CannotAudit(f"{', '.join(paths)}: expected {what}, found none")
    return found


def case_of(
    pieces: Sequence[Piece],
    signer: PublicKey | None = None,
    language: Language = "en",
    step: Callable[[], None] = lambda: None,
) -> Case:
    """The case: each log audited, and compared with the others where they are of one match.

    ``step`` is called after every audit.
    """
    exhibits = []
    for number, piece in enumerate(pieces, 1):
        exhibits.append(_exhibit(number, piece))
        step()
    logs = [exhibit.entry for exhibit in exhibits if isinstance(exhibit.entry, Log)]
    heads = {(log.match.match, log.match.ruleset, len(log.match.players)) for log in logs}
    comparison = None
    if len(logs) > 1 and len(heads) == 1:
        comparison = reconciled(logs, [exhibit.verdict for exhibit in exhibits if isinstance(exhibit.entry, Log)])
    return Case(exhibits, comparison, signer, language)


def files_of(case: Case, reporter: Reporter) -> dict[str, bytes]:
    """The files of a case by name, with their sums; the signature is not among them."""
    files: dict[str, bytes] = {
        REPORT: reporter(case).encode(),
        HOW_TO: README.format(version=__version__).encode(),
        ABOUT: _json(_about(case)),
        CLAUSES: _json(_clauses(case)),
    }
    if case.comparison is not None:
        files[DIFFERENCES] = _json(reconciliation.document(case.comparison))
    for exhibit in case.exhibits:
        contents = [exhibit.piece.text, to_pretty_json(exhibit.verdict)]
        if isinstance(exhibit.entry, Log):
            contents.insert(1, exhibit.entry.canonical)
        files.update(zip(exhibit.names, contents, strict=True))
    return {**files, SUMS: sums_of(files)}


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """The SHA-256 of each file but the sums and the signature, as ``sha256sum`` writes and checks them."""
    lines = (
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n"
        for name in sorted(files)
        if name not in (SUMS, SIGNATURE)
    )
    return "".join(lines).encode()


def pieces_of(about: About, files: Mapping[str, bytes]) -> list[Piece]:
    """The texts that a case was made from. Raises ``KeyError`` where one is missing."""
    return [Piece(files[_names(log.number)[0]], log.origin) for log in about.logs]


def signer_of(about: About) -> PublicKey | None:
    """The key that a case says it is signed with."""
    return None if about.signer is None else PublicKey(about.signer.keyid, about.signer.ed25519)


def _exhibit(number: int, piece: Piece) -> Exhibit:
    text, canonical, verdict_name = _names(number)
    entry = read_bytes(piece.text, FORMS, text)
    verdict = verdict_on(entry)
    if not isinstance(entry, Log):
        return Exhibit(piece, entry, verdict, {}, (text, verdict_name))
    faults = (
        (index, finding.event)
        for index, finding in enumerate(verdict.findings)
        if finding.kind in ("illegal", "claim") and finding.event is not None
    )
    game = GAMES[entry.match.ruleset]
    moments = {
        index: position.before(game, entry.match, event) for index, event in itertools.islice(faults, MOST_MOMENTS)
    }
    return Exhibit(piece, entry, verdict, moments, (text, canonical, verdict_name))


def _names(number: int) -> tuple[str, str, str]:
    return f"originals/{number:03}.json", f"logs/{number:03}.json", f"verdicts/{number:03}.json"


def _about(case: Case) -> About:
    return About(
        FORMAT,
        __version__,
        rulebook.digest(),
        case.language,
        [
            AboutLog(
                number,
                exhibit.verdict.match,
                exhibit.verdict.ruleset,
                exhibit.verdict.status,
                exhibit.verdict.log_digest,
                exhibit.piece.origin,
                list(exhibit.names),
            )
            for number, exhibit in enumerate(case.exhibits, 1)
        ],
        None if case.signer is None else Signer(case.signer.id, case.signer.ed25519),
    )


def _clauses(case: Case) -> dict[str, Any]:
    """The clauses that the verdicts cite, by ruleset, in both languages and with their source."""
    cited: dict[str, dict[str, Any]] = {}
    for ruleset, clause in _citations(case):
        entry = rulebook.entry(ruleset, clause)
        row = {"rule": {language: entry.rule[language] for language in LANGUAGES}, "source": entry.source}
        if entry.readings:
            row["readings"] = list(entry.readings)
        cited.setdefault(ruleset or "log", {})[clause] = row
    return cited


def _citations(case: Case) -> Iterator[tuple[str | None, str]]:
    for exhibit in case.exhibits:
        verdict = exhibit.verdict
        yield from ((verdict.ruleset, finding.clause) for finding in verdict.findings)
        yield from ((verdict.ruleset, line.clause) for deal in verdict.deals for line in deal.lines)


def _json(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2) + b"\n"


def _sum_of_file(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:  # standard input, or a name that is shown with escapes
        return None
