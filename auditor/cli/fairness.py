"""``auditor fairness``: whether the deals of an archive are what shuffled cards would give.

In: logs or databases. Out: plain sentences and a table, JSON, a page, and the exit code. Refuses to know how it is
found out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.text import Text

from auditor.cli.program import (
    CLEAN,
    FINDINGS,
    RulesetName,
    Screen,
    counted,
    examples,
    language_option,
    main,
    progress,
)
from auditor.desks.inputs import entries
from auditor.desks.outfile import write_whole
from auditor.errors import CannotAudit
from auditor.fairness import account, examination, words
from auditor.fairness.account import Account, Part
from auditor.rulebook import Language
from auditor.sources import shown

_STYLES = {"unusual": "red", "usual": "green", "too few": "yellow", "no cards": ""}
_STANDINGS = {"unusual": "red", "tiny": "yellow", "usual": ""}


@main.command(
    epilog=examples(
        "auditor fairness audit.db",
        "auditor fairness logs/ --ruleset tarneeb-classic --alpha 0.001",
        "auditor fairness audit.db -o fairness.html --lang ar",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="DB|LOGS...")
@click.option("--ruleset", type=RulesetName(), help="Only the matches of this ruleset.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=examination.DEFAULT_ALPHA,
    show_default=True,
    help="How often a fair archive may be called unusual, all questions together.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Plain words and a table, or the whole account for programs.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write a page with plots to this file as well.")
@language_option
def fairness(
    paths: Sequence[str], ruleset: str | None, alpha: float, form: str, output: Path | None, language: Language
) -> None:
    """Ask whether the deals in DB|LOGS are what shuffled cards would give.

    For each ruleset cards, honours, suits and repeats are compared with their exact laws, and the probabilities are
    corrected for all that was asked. The exit code is 1 if anything is unusual or a shuffle proof fails, and 0 if
    not or if there are too few deals to tell. It needs the extra "fairness".
    """
    console = Screen(highlight=False, soft_wrap=True)
    with progress(console, form, "logs read") as step:
        found = examination.examined(counted(entries(paths), step), alpha, ruleset)
    if not found.logs:
        raise CannotAudit(f"{' '.join(map(shown, paths))}: expected match logs{_of(ruleset)}, found none")
    if output is not None:
        write_whole(output, page_of(found, language).encode())
    if form == "json":
        click.echo(account.to_json(found), nl=False)
    else:
        for line in _lines(found, language):
            console.print(line)
    sys.exit(FINDINGS if found.is_unusual else CLEAN)


def _of(ruleset: str | None) -> str:
    return "" if ruleset is None else f" of {ruleset}"


def page_of(found: Account, language: Language) -> str:
    """The account as one page, in both languages."""
    from auditor.fairness import sheets  # templates take a moment to load; nothing else should wait for them

    return sheets.page_of(found, language)


def _lines(found: Account, language: Language) -> Iterator[Text]:
    for part in found.parts:
        yield from _part_lines(part, language)
        yield Text()
    for note in words.notes(found, language):
        yield Text(note)


def _part_lines(part: Part, language: Language) -> Iterator[Text]:
    yield Text(f"{part.ruleset}: {words.headline(part, language)}", style=f"bold {_STYLES[part.status]}".strip())
    for alarm in words.alarms(part, language):
        yield Text(f"  {alarm}", style="red")
    for remark in words.remarks(part, language):
        yield Text(f"  {remark}")
    rows = words.rows(part, language)
    if not rows:
        return
    names = words.columns(language)
    cells = [row.texts for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    for row, texts in zip([None, *rows], [names, *cells], strict=True):
        aligned = [text.rjust(width) for text, width in zip(texts[:-1], widths, strict=False)]
        style = "dim" if row is None else _STANDINGS[row.answer.standing]
        yield Text("  " + "  ".join([*aligned, texts[-1]]), style=style)
