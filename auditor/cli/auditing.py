"""``auditor audit``: what is to be said of logs.

In: paths. Out: verdicts on standard output, and in a database. Refuses to know how a verdict comes about.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import click
from rich.console import Console

from auditor import __version__, report, rulebook
from auditor.cli.clustering import audit_on_cluster
from auditor.cli.exporting import EXPORTS, add_summary, require_summary, summary_option
from auditor.cli.program import (
    CLEAN,
    COULD_NOT_AUDIT,
    FINDINGS,
    Screen,
    complain,
    examples,
    language_option,
    main,
    progress,
    to_fail_on,
)
from auditor.cli.telling import Telling, Told, load_lines
from auditor.desks import comparison
from auditor.desks.comparison import Tally
from auditor.desks.export import Export
from auditor.errors import CannotAudit, Place
from auditor.rulebook import Language
from auditor.sources import shown
from auditor.store import Auditor, Prepared, Store
from auditor.verdict import STATUSES
from auditor.workers import Known, audited, available

_FAILING = tuple(status for status in STATUSES if status != "clean")


@main.command(
    epilog=examples(
        "auditor audit match.json",
        "auditor audit logs/ more.ndjson.zst --db audit.db",
        "auditor audit 'logs/2026-*/*.json.gz' --format ndjson > verdicts.ndjson",
        "cat match.json | auditor audit - --lang ar",
        "auditor audit logs/ --quiet --fail-on illegal,misscored,invalid,incomplete",
        "auditor audit s3://club/logs/ --cluster tcp://scheduler:8786 -o s3://club/results",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--db", type=click.Path(path_type=Path), help="Also load logs and verdicts into this SQLite database.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "ndjson", *EXPORTS]),
    default="text",
    show_default=True,
    help="A table to read; one JSON array of verdicts; one verdict a line, in input order; or for other tools: "
    "JUnit XML, SARIF 2.1.0, annotations for GitHub Actions, a row a finding.",
)
@summary_option
@language_option
@click.option(
    "--fail-on",
    default="illegal,misscored,invalid",
    show_default=True,
    metavar="STATUS,…",
    help="Statuses that make the exit code 1: illegal, misscored, invalid, incomplete; or none.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="How many processes audit side by side. By default as many as there are cores, and one for standard input.",
)
@click.option(
    "--again", is_flag=True, help="With --db: audit also the logs on which this auditor's verdict is in the database."
)
@click.option("-q", "--quiet", is_flag=True, help="Text: leave out matches that are clean.")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Audit on the workers of the Dask scheduler at this address; local:N is N processes here, for trying out. "
    "PATHs may be URLs, and verdicts go to -o.",
)
@click.option(
    "-o", "--output", metavar="FOLDER", help="With --cluster: the folder or URL for results, the same on all machines."
)
def audit(
    paths: Sequence[str],
    db: Path | None,
    form: str,
    summary_path: Path | None,
    language: Language,
    fail_on: str,
    workers: int | None,
    again: bool,
    quiet: bool,
    cluster: str | None,
    output: str | None,
) -> None:
    """Audit the match logs in PATHs: files, folders, patterns, or - for standard input.

    Logs are .json (a match or an array of them) or .ndjson/.jsonl (a match a line), each also as .gz or .zst. What
    cannot be read as a match log gets a verdict of status invalid with its diagnostics; the rest is still audited.

    With --db a log on which this auditor has given a verdict under the same rules is not audited again: the verdict is
    taken from the database.

    With --cluster each file, or part of a large one, is audited into one Parquet file in the folder of -o, and only
    the summary is printed. What is there already is not audited again. "auditor load" puts it into a database.
    """
    failing = to_fail_on(fail_on, _FAILING)
    console = Screen(highlight=False, soft_wrap=True)
    require_summary(form, summary_path)
    if (cluster is None) != (output is None):
        raise click.UsageError("--cluster and -o go together: where to audit, and where to put the results")
    if cluster is not None and output is not None:
        _require_plain(
            {"--db": db, "--format": form != "text", "--workers": workers, "--again": again, "--quiet": quiet}
        )
        found, is_whole = audit_on_cluster(paths, cluster, output, console, language)
        sys.exit(_exit_code(found, failing) if is_whole else COULD_NOT_AUDIT)
    statuses: Counter[str] = Counter()
    is_file_missing = False
    lost: list[Place] = []
    tally = Tally()
    by = Auditor(__version__, rulebook.digest())
    is_printed_here = form in EXPORTS or (form == "text" and console.is_terminal)
    telling = Telling(None if is_printed_here else form, language, quiet, db is not None)

    def rows(known: Known | None) -> Iterator[Prepared]:
        nonlocal is_file_missing
        write, close = _writer(form, console, language, quiet, failing, tally)
        with progress(console, form) as step:
            count = workers or (1 if "-" in paths else available())
            for told in audited(paths, count, lost.append, telling, known):
                statuses[told.status] += 1
                write(told)
                step()
                if told.complaint is not None:
                    is_file_missing = True
                    complain(told.complaint)
                if told.rows is not None:
                    yield told.rows
        close()

    lines: list[str] = []
    if db is None:
        deque(rows(None), maxlen=0)
    else:
        with Store.open(db) as store:
            known = None if again else Known(db, by, store)
            stored = store.load_prepared(rows(known), by, [shown(path) for path in paths])
        lines += load_lines(db, stored, statuses["invalid"], language)
    if form == "text":
        console.print(report.summary(statuses, language))
    if form == "github":
        add_summary(summary_path, report.summary(statuses, language).plain, tally.groups(), language)
    for line in lines:
        click.echo(line, err=True)
    if not statuses:
        raise CannotAudit(f"{', '.join(paths)}: expected match logs, found none")
    for place in lost:
        complain(
            f"{report.place_of(place, 'en')}: an auditing process died on this log, twice; there is no verdict on it"
        )
    if is_file_missing or lost:
        sys.exit(COULD_NOT_AUDIT)
    sys.exit(_exit_code(statuses, failing))


def _exit_code(statuses: Counter[str], failing: Sequence[str]) -> int:
    return FINDINGS if any(statuses[status] for status in failing) else CLEAN


def _require_plain(given: Mapping[str, object]) -> None:
    """Raises where an option was given that means nothing on a cluster."""
    for name, value in given.items():
        if value:
            raise click.UsageError(f"{name} does not go with --cluster: verdicts go to -o, see “auditor load”")


#: Prints what is told of one document, and what comes after the last one.
Writer: TypeAlias = tuple[Callable[[Told], None], Callable[[], None]]


def _writer(
    form: str, console: Console, language: Language, quiet: bool, failing: Sequence[str], tally: Tally
) -> Writer:
    if form in EXPORTS:
        return _export_writer(EXPORTS[form](lambda match: match.shown.status in failing, language), tally)
    if form == "json":
        return _array_writer()
    if form == "text":
        console.print(report.heading(language))
        if console.is_terminal:
            return _terminal_writer(console, language, quiet)
    return _line_writer()


def _terminal_writer(console: Console, language: Language, quiet: bool) -> Writer:
    def write(told: Told) -> None:
        assert told.verdict is not None
        if not quiet or told.status != "clean":
            for line in report.match_lines(told.verdict, told.place, language):
                console.print(line)

    return write, lambda: None


def _line_writer() -> Writer:
    def write(told: Told) -> None:
        if told.printed:
            click.echo(told.printed)

    return write, lambda: None


def _array_writer() -> Writer:
    separator = "["

    def write(told: Told) -> None:
        nonlocal separator
        click.echo(separator)
        click.echo(told.printed, nl=False)
        separator = ","

    return write, lambda: click.echo("[]" if separator == "[" else "\n]")


def _export_writer(export: Export, tally: Tally) -> Writer:
    def write(told: Told) -> None:
        assert told.verdict is not None
        match = comparison.uncompared(told.place, told.verdict)
        tally.add(match)
        export.add(match)

    return write, lambda: click.echo(export.end(), nl=False)
