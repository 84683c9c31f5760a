"""An edition: logs become an archive.

In: logs, in whatever order they are read, and the terms under which they are published. Out: a folder that strangers
can check and browse, the same for the same logs and terms, and the counts of it. Refuses to know command lines.

Two passes: the first takes out what tells who played and keeps the rest on disk; the second reads it back sorted,
audits it, and writes every file of the archive. Memory holds some 500 bytes a match, and no log for long.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from auditor import __version__, rulebook
from auditor.audit import verdict_on
from auditor.desks import signing
from auditor.desks.outfile import new_folder
from auditor.errors import CannotAudit, Place
from auditor.games import FORMS
from auditor.log import Log, Reader, Unreadable
from auditor.publishing import bag, description, layout
from auditor.publishing.description import Piece, Terms
from auditor.publishing.frames import Frames
from auditor.publishing.layout import Seal, Signer
from auditor.publishing.merkle import Tree
from auditor.publishing.names import Names
from auditor.publishing.quality import Quality, Reason, day_of
from auditor.publishing.redaction import MatchIds, Redaction, Times
from auditor.publishing.sheet import sheet, why
from auditor.publishing.spool import Spool
from auditor.publishing.tables import TABLES, TableFiles
from auditor.store import Auditor, Store
from auditor.verdict import Verdict

#: By what the logs are shared out among files.
Split: TypeAlias = Literal["month", "ruleset"]
#: What a file of undated logs is called, and the one of all logs.
_UNDATED, _ALL = "undated", "matches"
_MONTH = len("2026-01")
#: When the audit was made, as far as the database of an edition without a date says.
_NO_MOMENT = "1970-01-01T00:00:00Z"

#: Told what is being done and of which log it is done.
Step: TypeAlias = Callable[[Literal["read", "audited"]], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which logs are published, and how: what an edition takes in, leaves out and changes.

    ``rulesets`` are empty for all; ``since`` is the first day (``2026-01-31``), or empty.
    """

    only_clean: bool = False
    rulesets: Sequence[str] = ()
    since: str = ""
    split: Split | None = None
    names: Names = field(default_factory=Names)
    times: Times = "day"
    match_ids: MatchIds = "keep"


@dataclass(frozen=True, slots=True)
class Edition:
    """What came of publishing: the seal, the counts, and the ids to erase that nobody in the logs has."""

    seal: Seal
    quality: Quality
    not_found: tuple[str, ...]


def publish(
    entries: Iterable[Log | Unreadable],
    folder: Path,
    choice: Choice,
    terms: Terms,
    metadata: Callable[[str], str],
    key: Path | None,
    step: Step,
) -> Edition:
    """Makes the archive at ``folder``: whole, or not at all.

    ``metadata`` gives what Datasette is to be told of a database by its name; ``key`` is the file of the private key
    that signs the seal. Raises ``CannotAudit`` where nothing is left to publish or the folder cannot be made.
    """
    if choice.split == "month" and choice.times == "none":
        raise CannotAudit("files by month would tell the times that are to be left out: keep days, or split otherwise")
    if choice.match_ids == "replace" and choice.names.secret is None:
        raise CannotAudit("ids of matches are replaced with the secret of the pseudonyms: expected one, found none")
    quality = Quality()
    redact = Redaction(choice.names, choice.times, choice.match_ids)
    with new_folder(folder, "an archive") as part:
        for inner in (layout.LOGS, layout.TABLES):
            (part / inner).mkdir()
        with Spool(part / "spool") as spool:
            _gather(entries, choice, redact, quality, spool, step)
            if not len(spool):
                raise CannotAudit(_nothing_left(quality))
            moment = f"{terms.date}T00:00:00Z" if terms.date else _NO_MOMENT
            digests = _write_matches(spool, part, quality, moment, step)
        terms = _dated(terms, quality)
        tree = Tree(digests)
        _write_words(part, digests, tree.root, terms, quality, metadata)
        bag.make(part, terms.edition, description.bag_info(terms, tree.size, tree.root))
        seal = Seal(
            layout.FORMAT,
            terms.edition,
            tree.size,
            tree.root,
            bag.sha256_of(part / layout.TAG_SUMS),
            __version__,
            rulebook.digest(),
            None if key is None else _signer(key),
        )
        (part / layout.SEAL).write_bytes(layout.sealed(seal))
        if key is not None:
            (part / layout.SIGNATURE).write_bytes(signing.signed(layout.sealed(seal), signing.ARCHIVE, key))
    return Edition(seal, quality, tuple(sorted({*choice.names.erased} - redact.erased)))


def _gather(
    entries: Iterable[Log | Unreadable], choice: Choice, redact: Redaction, quality: Quality, spool: Spool, step: Step
) -> None:
    """The first pass: what is to be published lies in the spool, without what tells who played."""
    for entry in entries:
        quality.read += 1
        step("read")
        if isinstance(entry, Unreadable):
            if entry.is_no_file:
                raise CannotAudit(f"{entry.place.file}: expected match logs, found no file that can be read")
            quality.leave_out("unreadable", entry.diagnostics[0].clause)
        elif (reason := _unwanted(entry, choice)) is not None:
            quality.leave_out(reason)
        elif (redacted := redact(entry)) is None:
            quality.leave_out("named")
        elif choice.only_clean and (status := verdict_on(redacted.log).status) != "clean":
            quality.leave_out("status", status)
        else:
            # Logs that are one in the archive were not changed alike: which came first must not be told.
            quality.change(redacted.changes)
            if not spool.add(_part_of(redacted.log, choice.split), redacted.log.digest, redacted.log.canonical):
                quality.leave_out("twice")


def _unwanted(log: Log, choice: Choice) -> Reason | None:
    """Why a log is not asked for; ``None`` if it is."""
    if choice.rulesets and log.match.ruleset not in choice.rulesets:
        return "ruleset"
    if choice.since:
        day = day_of(log)
        return "no day" if not day else "day" if day < choice.since else None
    return None


def _part_of(log: Log, split: Split | None) -> str:
    """What the file is called that a log goes to."""
    if split == "month":
        return day_of(log)[:_MONTH] or _UNDATED
    return log.match.ruleset if split == "ruleset" else _ALL


def _write_matches(spool: Spool, folder: Path, quality: Quality, moment: str, step: Step) -> list[str]:
    """The second pass: logs, tables and database lie in the folder, all in one order. Gives the digests, sorted."""
    digests: list[str] = []

    def audited(tables: TableFiles) -> Iterator[tuple[Log, Verdict]]:
        for log in _logs(spool, folder):
            verdict = verdict_on(log)
            digests.append(log.digest)
            quality.add(log, verdict)
            tables.add(log, verdict)
            step("audited")
            yield log, verdict

    loading = folder / "loading.db"
    with TableFiles(folder / layout.TABLES, layout.TABLE_SUFFIX) as tables, Store.open(loading) as store:
        store.load(audited(tables), Auditor(__version__, rulebook.digest()), clock=lambda: moment)
        store.pack(folder / layout.DATABASE)
    loading.unlink()
    return sorted(digests)


def _logs(spool: Spool, folder: Path) -> Iterator[Log]:
    """The logs of the spool, each as it lies in the packed file that it is written to."""
    reader = Reader(FORMS)
    for part, texts in itertools.groupby(spool.sorted(), lambda item: item[0]):
        name = f"{layout.LOGS}/{part}{layout.LOG_SUFFIX}"
        with Frames(folder / name) as frames:
            for _, text in texts:
                log = reader.read(text, Place(name, frames.line_count + 1, frames.offset))
                assert isinstance(log, Log), "what was published is read again"
                frames.write(text)
                yield log


def _write_words(
    folder: Path,
    digests: Sequence[str],
    root: str,
    terms: Terms,
    quality: Quality,
    metadata: Callable[[str], str],
) -> None:
    """All that describes the matches."""
    counts = quality.document()
    texts = {
        layout.METADATA: metadata(Path(layout.DATABASE).stem),
        layout.DIGESTS: "".join(f"{digest}\n" for digest in digests),
        layout.QUALITY: _json(counts),
        layout.QUALITY_SHEET: sheet(counts, quality.changes(), __version__, rulebook.digest()),
        layout.CHANGES: _json(quality.changes()),
        layout.README: description.readme(terms, root, counts),
        layout.CITATION: description.citation(terms),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    pieces = {
        path.relative_to(folder).as_posix(): Piece(
            path.relative_to(folder).as_posix(), path.stat().st_size, bag.sha256_of(path)
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    package = description.data_package(
        terms,
        root,
        counts,
        [piece for name, piece in pieces.items() if name.startswith(f"{layout.LOGS}/")],
        [pieces[f"{layout.TABLES}/{table.name}{layout.TABLE_SUFFIX}"] for table in TABLES],
        [pieces[name] for name in (layout.DATABASE, *texts)],
    )
    (folder / layout.DESCRIPTION).write_text(_json(package), encoding="utf-8", newline="\n")


def _dated(terms: Terms, quality: Quality) -> Terms:
    """The terms, with the day of the last match where they have no date, and named after their date."""
    date = terms.date or quality.last_day
    return replace(terms, date=date, edition=" ".join(terms.edition.split()) or date or "1")


def _signer(key: Path) -> Signer:
    public = signing.signer_of(key)
    return Signer(public.id, public.ed25519)


def _nothing_left(quality: Quality) -> str:
    left = "; ".join(
        f"{row['logs']} {why(row['reason'], row['detail'], 'en')}" for row in quality.document()["left_out"]
    )
    return f"expected match logs to publish, found none{f' ({left})' if left else ''}"


def _json(document: object) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
