"""``auditor import``: platforms' own formats as match logs.

In: the name of a format and files in it. Out: match logs, one a line, and on standard error what could not be carried
over. Refuses to know formats.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
from click.shell_completion import CompletionItem
from rich.text import Text

from auditor import rulebook
from auditor.cli.program import (
    CLEAN,
    COULD_NOT_AUDIT,
    FINDINGS,
    LONGEST_NAME,
    Screen,
    examples,
    key_values,
    language_option,
    main,
    named,
    progress,
)
from auditor.desks.outfile import write_whole
from auditor.errors import CannotAudit
from auditor.importers import importers
from auditor.importers.carrying import Group, Tally, carried
from auditor.importers.contract import Loss, Source
from auditor.importers.output import whole_file
from auditor.jsontext import visible
from auditor.rulebook import Language
from auditor.sources import shown

#: So many groups of losses are told; --report tells more of them.
_MOST_GROUPS = 40
_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "carried": "imported: {}", "matches": "matches {}", "events": "events {}", "lines": "read {}",
        "left_out": "left out {}", "late": "put in order {}",
        "duplicates": "duplicates dropped {}",
        "all": "nothing was left behind", "lost": "could not be carried over:", "and": ", ",
        "group": "  {} ×{}: {}", "match": "match {}", "more": "  … and {} more",
        "file": "a file that cannot be read", "text": "text that cannot be read",
        "invalid": "not the form of a match log",
        "no-object": "expected an object, found something else {}", "no-match": "no match id",
        "no-number": "no number to put it in order by", "no-event": "neither an event nor a head",
        "no-head": "events of a match that nothing else is said of; it is left out",
        "key": "a key or column that nothing is mapped to: {}", "value": "a value without a meaning: {}",
        "rule": "a row that no rule fits: {}", "type": "an event without a type",
        "gap": "numbers that are missing", "conflict": "two different events with one number; see the option conflicts",
        "head": "two different values of one key of the head: {}; see the option conflicts",
        "deal": "two different values of one key of a deal: {}",
        "row": "a row that is not CSV: {}", "cells": "a row with more or fewer cells than the first",
        "encoding": "a row with bytes that are not {}",
    },
    "ar": {
        "carried": "المستورَد: {}", "matches": "المباريات {}", "events": "الأحداث {}", "lines": "المقروء {}",
        "left_out": "المتروكة {}", "late": "رُدّت إلى مواضعها {}",
        "duplicates": "مكرّرات حُذفت {}",
        "all": "لم يُترك شيء", "lost": "ما لم يمكن نقله:", "and": "، ",
        "group": "  {} ×{}: {}", "match": "المباراة {}", "more": "  … ومعه {}",
        "file": "ملف لا يُقرأ", "text": "نص لا يُقرأ", "invalid": "ليس بصيغة سجل مباراة",
        "no-object": "المتوقّع كائن، والموجود غيره {}", "no-match": "بلا معرّف مباراة",
        "no-number": "بلا رقم يُرتَّب به", "no-event": "لا حدث فيه ولا رأس",
        "no-head": "أحداث مباراة لا يُقال عنها شيء آخر، فتُركت",
        "key": "مفتاح أو عمود لا مطابقة له: {}", "value": "قيمة بلا معنى: {}",
        "rule": "صف لا تنطبق عليه قاعدة: {}", "type": "حدث بلا نوع",
        "gap": "أرقام ناقصة", "conflict": "حدثان مختلفان برقم واحد؛ انظر الخيار ⁦conflicts⁩",
        "head": "قيمتان مختلفتان لمفتاح واحد من الرأس: {}؛ انظر الخيار ⁦conflicts⁩",
        "deal": "قيمتان مختلفتان لمفتاح واحد من التوزيع: {}",
        "row": "صف ليس ⁦CSV⁩: {}", "cells": "صف عدد خلاياه غير عدد خلايا الأول",
        "encoding": "صف فيه بايتات ليست {}",
    },
}  # fmt: skip


class FormatName(click.ParamType):  # type: ignore[type-arg]
    """The name of an importer. Which ones there are is asked no sooner than the command runs."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name: str = click.Choice([*importers()]).convert(value, param, ctx)
        return name

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in importers() if name.startswith(incomplete)]


@main.command(
    name="import",
    epilog=examples(
        "auditor import events server.log | auditor audit -",
        "auditor import events logs/ --map server.toml -o matches.ndjson.zst --report losses.json",
        "auditor import table moves.csv --map moves.toml --option conflicts=first",
        "auditor import --list",
    ),
)
@click.argument("form", required=False, metavar="FORMAT", type=FormatName())
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option("--list", "lists", is_flag=True, help="List the formats, those of other packages as well.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write here: ….ndjson, ….ndjson.gz or ….ndjson.zst."
)
@click.option(
    "--map", "mapping_path", type=click.Path(path_type=Path), help="The mapping file (TOML): which name is which."
)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the format (repeatable).")
@click.option("--keep-invalid", is_flag=True, help="Also write matches that do not have the form of a match log.")
@click.option(
    "--report", type=click.Path(path_type=Path), help="Write what was and was not carried over here, as JSON."
)
@language_option
def import_logs(
    form: str | None,
    paths: Sequence[str],
    lists: bool,
    output: Path | None,
    mapping_path: Path | None,
    options: Sequence[str],
    keep_invalid: bool,
    report: Path | None,
    language: Language,
) -> None:
    """Turn files in a platform's own FORMAT into match logs, one a line: files, folders, patterns, or -.

    Nothing is repaired. Whatever could not be carried over is told with its place on standard error. The exit code is
    0 if everything was carried over, 1 if something was not, 2 if a file could not be read.
    """
    if lists:
        for name, importer in importers().items():
            click.echo(f"{name:12}{importer.summary[language]}")
        return
    if form is None or not paths:
        raise click.UsageError("expected FORMAT and PATH...; --list tells which formats there are")
    source = Source(paths, *_mapping(mapping_path), key_values(options))
    tally = Tally()
    # Lines go to a terminal that a bar would disturb, or to a file that it would not.
    with (
        _writer(output) as write,
        progress(Screen(), "ndjson" if output is None else "text", "matches imported") as step,
    ):
        for line in carried(importers()[form], source, tally, keep_invalid):
            write(line)
            step()
    if report is not None:
        document = msgspec.json.encode(tally.document(form, [shown(path) for path in paths]), order="sorted")
        write_whole(report, msgspec.json.format(document, indent=2) + b"\n")
    console = Screen(stderr=True, highlight=False, soft_wrap=True)
    for told in _lines(tally, language):
        console.print(told)
    sys.exit(COULD_NOT_AUDIT if tally.is_file_missing else FINDINGS if tally.groups else CLEAN)


def _mapping(path: Path | None) -> tuple[dict[str, Any], str]:
    """The content of a mapping file and its name. Raises ``CannotAudit`` for what is no TOML."""
    if path is None:
        return {}, ""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig")), str(path)
    except UnicodeDecodeError as error:
        raise CannotAudit(f"{path}: expected a mapping file in UTF-8, found other bytes") from error
    except RecursionError as error:
        raise CannotAudit(f"{path}: expected a mapping file, found one that is nested too deep") from error
    except tomllib.TOMLDecodeError as error:
        raise CannotAudit(f"{path}: expected a mapping file in TOML, found none: {error}") from error


@contextmanager
def _writer(output: Path | None) -> Iterator[Any]:
    if output is None:
        yield click.echo
    else:
        with whole_file(output) as write:
            yield write


def _lines(tally: Tally, language: Language) -> Iterator[Text]:
    """What was carried over, and what was not, each kind with the first place of it."""
    say = _PHRASES[language]
    counts = {"matches": 0, "events": 0, **tally.counts}
    parts = [
        say.get(kind, f"{visible(kind)} {{}}").format(count)
        for kind, count in counts.items()
        if count or kind == "matches"
    ]
    yield Text(say["carried"].format(say["and"].join(parts)), style="bold")
    if not tally.groups:
        yield Text(say["all"], style="green")
        return
    yield Text(say["lost"], style="bold")
    for group in tally.groups[:_MOST_GROUPS]:
        yield Text(_group_line(group, language), style="yellow")
    if len(tally.groups) > _MOST_GROUPS:
        yield Text(say["more"].format(len(tally.groups) - _MOST_GROUPS))


def _group_line(group: Group, language: Language) -> str:
    say = _PHRASES[language]
    loss = group.first[0]
    subject = named(group.subject, language) if loss.subject else ""
    phrase = say.get(group.kind, visible(group.kind, LONGEST_NAME).replace("{", "{{").replace("}", "}}"))
    return say["group"].format(phrase.format(subject).rstrip(), group.count, say["and"].join(_where(loss, language)))


def _where(loss: Loss, language: Language) -> Iterator[str]:
    """Where a loss stands, and what more is said of it."""
    yield named(f"{loss.place.file}:{loss.place.line}", language)
    if loss.match is not None:
        yield _PHRASES[language]["match"].format(named(loss.match, language))
    if loss.detail:
        yield named(loss.detail, language)
    if loss.clause is not None:
        yield rulebook.sentence(None, loss.clause, loss.facts, language)
