"""``auditor check``, ``diff``, ``minimise`` and ``bisect``: what has changed, and what it comes down to.

In: paths of logs, a baseline, a database. Out: groups of differences, in the form that a person or a tool wants, a
smaller log, and the exit code. Refuses to know how matches are compared.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from auditor import rulebook
from auditor.audit import Entry, audited
from auditor.cli.exporting import EXPORTS, add_summary, require_summary, summary_option
from auditor.cli.program import (
    CLEAN,
    COULD_NOT_AUDIT,
    FINDINGS,
    Screen,
    complain,
    complaint,
    examples,
    language_option,
    main,
    one_match,
    progress,
    require_companion,
    spoken,
    to_fail_on,
)
from auditor.desks import baseline as baselines
from auditor.desks import bisection, comparison, divergence_report, regression_report, spreadsheet, testcase
from auditor.desks import divergence as divergences
from auditor.desks import reduction as reductions
from auditor.desks.baseline import Baseline
from auditor.desks.comparison import State, Tally
from auditor.desks.outfile import require_new, write_whole
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.log import Log, Unreadable, read
from auditor.rulebook import Language
from auditor.verdict import Verdict

_FAILING: tuple[State, ...] = ("new", "changed", "fixed", "missing")


@main.command(
    epilog=examples(
        "auditor check logs/ --baseline baseline.json",
        "auditor check logs/ --baseline baseline.json --update-baseline --reason 'known in 3.2, to be mended in 3.3'",
        "auditor check nightly/ --baseline audit.db --fail-on new,changed,missing",
        "auditor check logs/ --baseline baseline.json --format sarif > auditor.sarif",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--baseline",
    "path",
    required=True,
    type=click.Path(path_type=Path),
    help="What is known already: a baseline file, or a database of audited matches.",
)
@click.option("--update-baseline", is_flag=True, help="Accept what is there now: write the baseline file anew.")
@click.option("--reason", metavar="TEXT", help="With --update-baseline: why. It is kept beside what is accepted.")
@click.option("--prune", is_flag=True, help="With --update-baseline: forget the matches that are missing.")
@language_option
@click.option(
    "--fail-on",
    default="new,changed",
    show_default=True,
    metavar="STATE,…",
    help="States that make the exit code 1: new, changed, fixed, missing; or none.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *EXPORTS]),
    default="text",
    show_default=True,
    help="To read; JUnit XML; SARIF 2.1.0; annotations for GitHub Actions; or a row a finding.",
)
@summary_option
@click.option("-q", "--quiet", is_flag=True, help="Text: leave out what is unchanged.")
def check(
    paths: Sequence[str],
    path: Path,
    update_baseline: bool,
    reason: str | None,
    prune: bool,
    language: Language,
    fail_on: str,
    form: str,
    summary_path: Path | None,
    quiet: bool,
) -> None:
    """Audit the match logs in PATHs and say what differs from a baseline.

    A match is new (it has faults, and none were known), changed (it has others), fixed (faults are gone and none
    came), unchanged, or missing (it is known and not among the logs). Nothing is accepted unless --update-baseline
    says so, with a reason.
    """
    failing = to_fail_on(fail_on, _FAILING)
    require_summary(form, summary_path)
    require_companion("--update-baseline", update_baseline, "reason", "prune")
    known = _known(path, update_baseline, reason)
    console = Screen(highlight=False, soft_wrap=True)
    tally, kept = Tally(), []
    files_missing: list[str] = []
    export = EXPORTS[form](lambda match: match.state in failing, language) if form in EXPORTS else None
    with progress(console, form) as step:
        for compared in comparison.compared(_rows(paths, path, files_missing), known):
            tally.add(compared)
            if export is not None:
                export.add(compared)
            if update_baseline:
                kept.append(compared)
            step()
    if export is None:
        for line in regression_report.all_lines(tally.groups(), language, quiet):
            console.print(line)
        console.print(regression_report.summary(tally, language))
    else:
        click.echo(export.end(), nl=False)
    if form == "github":
        add_summary(summary_path, regression_report.summary(tally, language).plain, tally.groups(), language)
    if not tally.states.total() - tally.states["missing"] and not files_missing:
        raise CannotAudit(f"{', '.join(paths)}: expected match logs, found none")
    if files_missing:
        sys.exit(COULD_NOT_AUDIT)
    if update_baseline and reason is not None:
        baselines.write(path, comparison.accepted(kept, reason, prune))
        for said in regression_report.written_lines(str(path), tally, reason, prune, language):
            click.echo(said, err=True)
        sys.exit(CLEAN)
    sys.exit(FINDINGS if any(tally.states[state] for state in failing) else CLEAN)


def _rows(paths: Sequence[str], baseline: Path, missing: list[str]) -> Iterator[tuple[Entry, Verdict]]:
    """The verdicts on what the paths hold, the baseline left out; what cannot be opened is complained of."""
    for entry, verdict in audited(paths):
        if isinstance(entry, Unreadable) and entry.is_no_file:
            missing.append(entry.place.file)
            complain(f"{entry.place.file}: {verdict.findings[0].message(None, spoken())}")
        elif not (isinstance(entry, Unreadable) and _is_same_file(entry.place.file, baseline)):
            yield entry, verdict


def _is_same_file(file: str, path: Path) -> bool:
    try:
        return path.samefile(file)
    except OSError:
        return False


def _known(path: Path, updates: bool, reason: str | None) -> Baseline:
    if not updates:
        return baselines.load(path)
    if reason is None or not reason.strip():
        raise click.UsageError("--update-baseline needs a --reason: nothing is accepted without one")
    if baselines.is_database(path):
        raise CannotAudit(f"{path}: expected a baseline file to write, found a database, whose verdicts never change")
    return baselines.load(path) if path.exists() else Baseline()


@main.command(epilog=examples("auditor diff build-41/ build-42/", "auditor diff old.ndjson new.ndjson.zst --lang ar"))
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv"]),
    default="text",
    show_default=True,
    help="Groups to read; or a row for each pair of logs that part.",
)
@language_option
def diff(one: str, other: str, form: str, language: Language) -> None:
    """Compare the logs that two builds wrote of the same matches: in A, and in B.

    Logs belong together if they have the same match id or else the same shuffle and options. Of each pair the first
    event in which they part is told, with the table there and who is right by the rules; pairs that part in the same
    way are one group. Times, notes and claims that only one of them makes are no difference.
    """
    console = Screen(highlight=False, soft_wrap=True)
    trouble = _Trouble()
    tally = divergences.Tally()
    pairs = divergences.Pairs(_logs(one, trouble), _logs(other, trouble))
    if form == "csv":
        click.echo(spreadsheet.sheet([spreadsheet.PARTING_TITLES]), nl=False)
    with progress(console, form, "pairs compared") as step:
        for pair in pairs:
            parted = divergences.divergence(*pair)
            tally.add(parted)
            if form == "csv" and parted is not None:
                click.echo(spreadsheet.sheet([spreadsheet.parting(parted)]), nl=False)
            step()
    if form == "text":
        for line in divergence_report.all_lines(tally.groups(), language):
            console.print(line)
        console.print(divergence_report.summary(tally, pairs.lonely, trouble.unreadable, language))
    if not tally.same + tally.parted and not trouble.files:
        raise CannotAudit(f"{one}, {other}: expected logs of the same matches, found none")
    if trouble.files:
        sys.exit(COULD_NOT_AUDIT)
    sys.exit(FINDINGS if tally.parted or trouble.unreadable else CLEAN)


@dataclass(slots=True)
class _Trouble:
    """What could not be compared: files that cannot be opened, and what is no match log."""

    files: int = 0
    unreadable: int = 0


def _logs(path: str, trouble: _Trouble) -> Iterator[Log]:
    """The match logs under a path; what is none is complained of, and counted."""
    for entry in read([path], FORMS):
        if isinstance(entry, Log):
            yield entry
            continue
        complain(complaint(entry, spoken()))
        trouble.files += entry.is_no_file
        trouble.unreadable += not entry.is_no_file


@main.command(
    epilog=examples(
        "auditor minimise match.json",
        "auditor minimise archive.ndjson --match M-2041 -o small.json",
        "auditor minimise match.json --test tests/test_revoke.py",
        "auditor minimise match.json --event 215",
    )
)
@click.argument("log", metavar="LOG")
@click.option("--match", "match_id", metavar="ID", help="The match, where the log holds several.")
@click.option(
    "--event", type=click.IntRange(min=0), metavar="N", help="The finding at this event, by its index, not the first."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the smaller log to this file.")
@click.option("--test", type=click.Path(path_type=Path), help="Write it to this file as a test for pytest.")
@language_option
def minimise(
    log: str, match_id: str | None, event: int | None, output: Path | None, test: Path | None, language: Language
) -> None:
    """Find the smallest log that still shows a finding of LOG that accuses: the first one, or that at --event.

    Deals are dropped first, then events; the rest is replayed each time. It goes to standard output, unless it is
    written to a file.
    """
    if output is not None and output == test:
        raise click.UsageError("--output and --test name the same file")
    for path in (output, test):
        if path is not None:
            require_new(path)
    entry = one_match(log, match_id)
    with progress(Screen(stderr=True), "text", "shorter logs tried") as step:
        reduction = reductions.reduced(entry, step, event)
    if output is not None:
        write_whole(output, testcase.log_text(reduction.document).encode())
    if test is not None:
        write_whole(test, testcase.source(reduction.document, reduction.finding).encode())
    if output is None and test is None:
        click.echo(testcase.log_text(reduction.document), nl=False)
    click.echo(regression_report.reduced_line(reduction, language), err=True)


@main.command(
    epilog=examples(
        "auditor bisect audit.db --clause play.follow-suit",
        "auditor bisect audit.db --match M-2041",
        "auditor bisect audit.db --match M-2041 --clause claim.score --lang ar",
    )
)
@click.argument("database", metavar="DB", type=click.Path(path_type=Path))
@click.option("--match", "match_id", metavar="ID", help="Only the logs of this match.")
@click.option("--clause", metavar="C", help="Only findings that break this clause.")
@language_option
def bisect(database: Path, match_id: str | None, clause: str | None, language: Language) -> None:
    """Find the first build whose logs in DB show a finding, and the last one without it.

    The builds of one producer for one platform are put in the order of their versions.
    """
    if match_id is None and clause is None:
        raise click.UsageError("name the finding with --match, --clause or both")
    if clause is not None and not any(clause in rulebook.book(ruleset).entries for ruleset in GAMES):
        raise click.BadParameter(
            f"expected a clause (`auditor rules` lists them), found {clause!r}", param_hint="--clause"
        )
    lines, firsts = bisection.bisected(database, clause, match_id)
    console = Screen(highlight=False, soft_wrap=True)
    for line in lines:
        for text in regression_report.line_lines(line, firsts.get(line), language):
            console.print(text)
    sys.exit(FINDINGS if any(line.first_with for line in lines) else CLEAN)
