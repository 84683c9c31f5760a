"""``auditor explain``: one moment of a match.

In: a log, and which moment. Out: the table there and what is said of it, in words, as JSON or as a page. Refuses to
know how a table comes about.
"""

from __future__ import annotations

import click
import msgspec

from auditor import position, report
from auditor.audit import verdict_on
from auditor.cli.program import Screen, examples, language_option, main, one_match, require_companion
from auditor.desks import explanation
from auditor.errors import CannotAudit
from auditor.games import GAMES
from auditor.rulebook import Language


@main.command(
    epilog=examples(
        "auditor explain match.json --event 137",
        "auditor explain match.json --finding 0 --format html > finding.html",
        "auditor explain match.json --deal 2 --trick 5",
        "auditor explain archive.ndjson --match M-2041 --event 137 --lang ar",
        "auditor explain match.json --format json",
    )
)
@click.argument("log", metavar="LOG")
@click.option("--match", "match_id", metavar="ID", help="The match, where the log holds several.")
@click.option("--event", "index", type=click.IntRange(min=0), metavar="N", help="The event, by its index from 0.")
@click.option("--finding", type=click.IntRange(min=0), metavar="K", help="Instead: that of a finding, by index.")
@click.option("--deal", type=click.IntRange(min=1), metavar="N", help="Instead: the N-th deal, from 1.")
@click.option(
    "--trick", type=click.IntRange(min=1), metavar="N", help="With --deal: the lead to its N-th trick, from 1."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="To read; JSON; or one page in both languages that needs nothing else.",
)
@language_option
def explain(
    log: str,
    match_id: str | None,
    index: int | None,
    finding: int | None,
    deal: int | None,
    trick: int | None,
    form: str,
    language: Language,
) -> None:
    """Show the table as it stood before an event of LOG, what was legal there, and the clause.

    Without an event it is that of the first fault or, where there is none, of the first thing that was noted.
    """
    if sum(given is not None for given in (index, finding, deal)) > 1:
        raise click.UsageError("--event, --finding and --deal each name the event: give one of them")
    require_companion("--deal", deal is not None, "trick")
    entry = one_match(log, match_id)
    verdict = verdict_on(entry)
    if deal is not None:
        index = position.start_of(GAMES[entry.match.ruleset], entry.match, verdict, deal, trick)
    elif finding is not None:
        index = explanation.event_of(verdict, finding)
    elif index is None:
        first = verdict.first_fault or next(iter(verdict.findings), None)
        if first is None or first.event is None:
            raise CannotAudit(f"{log}: nothing is to be said of this match; name an event with --event")
        index = first.event
    try:
        moment = position.before(GAMES[entry.match.ruleset], entry.match, index)
    except IndexError:
        last = len(entry.match.events) - 1
        raise CannotAudit(f"{log}: expected an event from 0 to {last}, found {index}") from None
    if form == "json":
        text = msgspec.json.encode(explanation.document(entry, verdict, moment), order="sorted")
        click.echo(msgspec.json.format(text, indent=2))
    elif form == "html":
        from auditor.pages import moment_page  # templates take a moment to load; nothing else should wait for them

        click.echo(moment_page(entry, verdict, moment, language), nl=False)
    else:
        console = Screen(highlight=False, soft_wrap=True)
        for line in report.position_lines(moment, entry.match, verdict, language):
            console.print(line)
