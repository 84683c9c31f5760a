"""``auditor audit`` and ``auditor explain``: what is to be said of logs.

In: paths. Out: verdicts on standard output, in a database, or one moment of a match. Refuses to know how a verdict
comes about.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from auditor import __version__, position, report, rulebook
from auditor.audit import Entry, audited, verdict_on
from auditor.cli.program import (
    CLEAN,
    COULD_NOT_AUDIT,
    FINDINGS,
    Screen,
    complain,
    examples,
    language_option,
    main,
    one_match,
    shown,
)
from auditor.errors import CannotAudit
from auditor.games import GAMES
from auditor.log import Log, Unreadable
from auditor.rulebook import Language
from auditor.store import Auditor, Store
from auditor.verdict import STATUSES, Verdict, to_json, to_pretty_json


@main.command(
    epilog=examples(
        "auditor audit match.json",
        "auditor audit logs/ more.ndjson.zst --db audit.db",
        "auditor audit 'logs/2026-*/*.json.gz' --format ndjson > verdicts.ndjson",
        "cat match.json | auditor audit - --lang ar",
        "auditor audit logs/ --quiet --fail-on illegal,misscored,invalid,incomplete",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--db", type=click.Path(path_type=Path), help="Also load logs and verdicts into this SQLite database.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "ndjson"]),
    default="text",
    show_default=True,
    help="A table to read; one JSON array of verdicts; or one verdict a line, in input order.",
)
@language_option
@click.option(
    "--fail-on",
    default="illegal,misscored,invalid",
    show_default=True,
    metavar="STATUS,…",
    help="Statuses that make the exit code 1: illegal, misscored, invalid, incomplete; or none.",
)
@click.option("-q", "--quiet", is_flag=True, help="Text: leave out matches that are clean.")
def audit(paths: Sequence[str], db: Path | None, form: str, language: Language, fail_on: str, quiet: bool) -> None:
    """Audit the match logs in PATHs: files, folders, patterns, or - for standard input.

    Logs are .json (a match or an array of them) or .ndjson/.jsonl (a match a line), each also as .gz or .zst. What
    cannot be read as a match log gets a verdict of status invalid with its diagnostics; the rest is still audited.
    """
    failing = _statuses(fail_on)
    statuses: Counter[str] = Counter()
    is_file_missing = False
    console = Screen(highlight=False, soft_wrap=True)

    def rows() -> Iterator[tuple[Log | None, Verdict]]:
        nonlocal is_file_missing
        write, close = _WRITERS[form](console, language, quiet)
        with _progress(console, form) as step:
            for entry, verdict in audited(paths):
                statuses[verdict.status] += 1
                write(entry, verdict)
                step()
                if isinstance(entry, Unreadable):
                    if entry.is_no_file:
                        is_file_missing = True
                        complain(f"{entry.place.file}: {verdict.findings[0].message(None, language)}")
                    yield None, verdict
                else:
                    yield entry, verdict
        close()

    if db is None:
        deque(rows(), maxlen=0)
        stored = None
    else:
        with Store.open(db) as store:
            stored = store.load(rows(), Auditor(__version__, rulebook.digest()), [shown(path) for path in paths])
    if form == "text":
        console.print(report.summary(statuses, language))
    if stored is not None:
        click.echo(
            f"{db}: {stored.matches} new matches, {stored.verdicts} new verdicts of {stored.read} read", err=True
        )
        if stored.same_id:
            click.echo(f"{db}: {stored.same_id} matches have the id of another match with other content", err=True)
    if not statuses:
        raise CannotAudit(f"{', '.join(paths)}: expected match logs, found none")
    if is_file_missing:
        sys.exit(COULD_NOT_AUDIT)
    sys.exit(FINDINGS if any(statuses[status] for status in failing) else CLEAN)


@main.command(
    epilog=examples(
        "auditor explain match.json --event 137",
        "auditor explain match.json --deal 2 --trick 5",
        "auditor explain archive.ndjson --match M-2041 --event 137 --lang ar",
        "auditor explain match.json",
    )
)
@click.argument("log", metavar="LOG")
@click.option("--match", "match_id", metavar="ID", help="The match, where the log holds several.")
@click.option("--event", "index", type=click.IntRange(min=0), metavar="N", help="The event, by its index from 0.")
@click.option("--deal", type=click.IntRange(min=1), metavar="N", help="Instead: the N-th deal, from 1.")
@click.option(
    "--trick", type=click.IntRange(min=1), metavar="N", help="With --deal: the lead to its N-th trick, from 1."
)
@language_option
def explain(
    log: str, match_id: str | None, index: int | None, deal: int | None, trick: int | None, language: Language
) -> None:
    """Show the table as it stood before an event of LOG, what was legal there, and the clause.

    Without an event it is that of the first fault or, where there is none, of the first thing that was noted.
    """
    entry = one_match(log, match_id)
    verdict = verdict_on(entry)
    if trick is not None and deal is None:
        raise click.UsageError("--trick goes with --deal")
    if deal is not None:
        index = position.start_of(entry.match, verdict, deal, trick)
    elif index is None:
        finding = verdict.first_fault or next(iter(verdict.findings), None)
        if finding is None or finding.event is None:
            raise CannotAudit(f"{log}: nothing is to be said of this match; name an event with --event")
        index = finding.event
    try:
        moment = position.before(GAMES[entry.match.ruleset], entry.match, index)
    except IndexError:
        last = len(entry.match.events) - 1
        raise CannotAudit(f"{log}: expected an event from 0 to {last}, found {index}") from None
    console = Screen(highlight=False, soft_wrap=True)
    for line in report.position_lines(moment, entry.match, verdict, language):
        console.print(line)


def _statuses(text: str) -> tuple[str, ...]:
    named = tuple(part.strip() for part in text.split(",") if part.strip() != "none")
    known = [status for status in STATUSES if status != "clean"]
    for name in named:
        if name not in known:
            raise click.BadParameter(f"expected {', '.join(known)} or none, found {name!r}", param_hint="--fail-on")
    return named


Writer: TypeAlias = tuple[Callable[[Entry, Verdict], None], Callable[[], None]]


def _text_writer(console: Console, language: Language, quiet: bool) -> Writer:
    console.print(report.heading(language))

    def write(entry: Entry, verdict: Verdict) -> None:
        if not quiet or verdict.status != "clean":
            for line in report.match_lines(verdict, entry.place, language):
                console.print(line)

    return write, lambda: None


def _ndjson_writer(console: Console, language: Language, quiet: bool) -> Writer:
    return lambda entry, verdict: click.echo(to_json(verdict)), lambda: None


def _json_writer(console: Console, language: Language, quiet: bool) -> Writer:
    separator = "["

    def write(entry: Entry, verdict: Verdict) -> None:
        nonlocal separator
        click.echo(separator)
        click.echo(to_pretty_json(verdict).rstrip(), nl=False)
        separator = ","

    return write, lambda: click.echo("[]" if separator == "[" else "\n]")


_WRITERS: dict[str, Callable[[Console, Language, bool], Writer]] = {
    "text": _text_writer,
    "ndjson": _ndjson_writer,
    "json": _json_writer,
}


@contextlib.contextmanager
def _progress(console: Console, form: str) -> Iterator[Callable[[], None]]:
    """Counts matches on a terminal while they are audited; says nothing into a pipe or a file."""
    screen = console if console.is_terminal and form == "text" else Console(stderr=True)
    if not screen.is_terminal or (console.is_terminal and form != "text"):
        yield lambda: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.completed} matches audited"), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda: bar.advance(task)
