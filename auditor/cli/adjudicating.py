"""``auditor adjudicate``: one log under several rulesets, options and readings.

In: a log, and what to judge it by. Out: the opinions, in words or as JSON, and the exit code. Refuses to know rules.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
import msgspec
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
    one_match,
    require_known,
)
from auditor.desks import adjudication
from auditor.desks.adjudication import OpenPoint, Opinion, adjudicated
from auditor.games import GAMES
from auditor.jsontext import visible
from auditor.log import Log
from auditor.report import fault_lines
from auditor.rulebook import Language, isolated, number_list, word

#: What takes the direction of its own writing on an Arabic line.
#: Between the options of one set: a comma with a key behind it, and not one inside a value.
_NEXT_OPTION = re.compile(r",(?=\w+=)")
_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "title": "Match {}, log {}", "own": "{} ({}, {}), as the log says", "other": "{} ({}, {})",
        "defaults": "default options", "and": ", ", "legal": "legal", "misscored": "legal, and wrongly scored",
        "illegal": "broken at event {}", "incomplete": "legal as far as it goes",
        "unreadable": "cannot be read under these rules, and is accused of nothing",
        "unread at": "event {}: {}", "unread": "{}: {}", "left out": "options that these rules do not have: {}",
        "score": "totals {}, winner {}", "nobody": "–", "faults": "findings: {}",
        "point": "{}: leaned on at {}; the score does not depend on it", "readings": "{}: leaned on at {}",
        "event": "event {}", "reading": "read as “{}”: {}; totals {}{}", "deal": "deal {} scores {}",
        "taken": " (taken)", "summary": "{}: {}", "sum": "In short",
    },
    "ar": {
        "title": "المباراة {}، السجل {}", "own": "{} ({}، {})، كما يقول السجل", "other": "{} ({}، {})",
        "defaults": "الخيارات المبدئية", "and": "، ", "legal": "قانونية", "misscored": "قانونية ونقاطها خاطئة",
        "illegal": "مخالفة عند الحدث {}", "incomplete": "قانونية إلى حيث بلغت",
        "unreadable": "لا تُقرأ بهذه القواعد، ولا تُتّهم بشيء",
        "unread at": "الحدث {}: {}", "unread": "{}: {}", "left out": "خيارات ليست في هذه القواعد: {}",
        "score": "المجموع {}، الفائز {}", "nobody": "–", "faults": "الملاحظات: {}",
        "point": "{}: استُند إليها عند {}، ولا تتوقّف عليها النقاط", "readings": "{}: استُند إليها عند {}",
        "event": "الحدث {}", "reading": "على القراءة «{}»: {}؛ المجموع {}{}", "deal": "التوزيع {} بنقاط {}",
        "taken": " (المأخوذ بها)", "summary": "{}: {}", "sum": "الخلاصة",
    },
}  # fmt: skip


@main.command(
    epilog=examples(
        "auditor adjudicate match.json --rulesets tarneeb-masrawi,tarneeb-masrawi-dakak",
        "auditor adjudicate match.json --option target=41 --option target=61,defender_sweep=13",
        "auditor adjudicate archive.ndjson --match M-2041 --lang ar",
    )
)
@click.argument("log", metavar="LOG")
@click.option("--match", "match_id", metavar="ID", help="The match, where the log holds several.")
@click.option("--rulesets", metavar="A,B,…", help="Rulesets to judge by; without them, the log's own.")
@click.option(
    "--option",
    "option_sets",
    multiple=True,
    metavar="KEY=VALUE[,KEY=VALUE…]",
    help="Options to judge by: one set (repeatable). Other options stay as the log has them.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="To read, or JSON."
)
@language_option
def adjudicate(
    log: str, match_id: str | None, rulesets: str | None, option_sets: Sequence[str], form: str, language: Language
) -> None:
    """Judge one LOG as it is, and under other rulesets and options: legal under one, broken at an event under another.

    For each open point that the log leaned on it is said what the score would be under each reading. Where a ruleset
    does not know what the log tells, that is said, and nobody is accused. The exit code is 1 if something is wrong
    under any of them.
    """
    entry = one_match(log, match_id)
    sets = [key_values(_NEXT_OPTION.split(text)) for text in option_sets]
    opinions = adjudicated(entry, _named(rulesets), sets)
    if form == "json":
        text = msgspec.json.encode(adjudication.document(entry, opinions), order="sorted")
        click.echo(msgspec.json.format(text, indent=2))
    else:
        console = Screen(highlight=False, soft_wrap=True)
        for line in _lines(entry, opinions, language):
            console.print(line)
    if any(opinion.fault for opinion in opinions):
        sys.exit(FINDINGS)
    sys.exit(CLEAN if any(opinion.is_readable for opinion in opinions) else COULD_NOT_AUDIT)


def _named(rulesets: str | None) -> list[str]:
    names = [name.strip() for name in rulesets.split(",")] if rulesets else []
    for name in names:
        require_known(name, GAMES, param_hint="--rulesets")
    return names


def _lines(log: Log, opinions: Sequence[Opinion], language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    title = say["title"].format(named(log.match.match, language), isolated(log.digest, language))
    yield Text(title, style="bold")
    for opinion in opinions:
        yield Text()
        yield Text(f"{_title(opinion, language)}: {_word(opinion, language)}", style="bold")
        for line in _opinion_lines(opinion, language):
            yield Text("  ").append_text(line)
    if len(opinions) > 1:
        yield Text()
        yield Text(say["sum"], style="bold")
        for opinion in opinions:
            yield Text("  " + say["summary"].format(_title(opinion, language), _word(opinion, language)))


def _title(opinion: Opinion, language: Language) -> str:
    say = _PHRASES[language]
    options = isolated(_options(opinion.options), language) if opinion.options else say["defaults"]
    title = rulebook.book(opinion.ruleset).title[language]
    return say["own" if opinion.is_own else "other"].format(title, isolated(opinion.ruleset, language), options)


def _word(opinion: Opinion, language: Language) -> str:
    say = _PHRASES[language]
    if not opinion.is_readable:
        return say["unreadable"]
    status = opinion.verdict.status
    if status == "illegal" and opinion.fault is not None:
        return say["illegal"].format(opinion.fault.event)
    return say["legal" if status == "clean" else status]


def _opinion_lines(opinion: Opinion, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    verdict = opinion.verdict
    if opinion.left_out:
        yield Text(say["left out"].format(isolated(", ".join(opinion.left_out), language)), style="dim")
    if not opinion.is_readable:
        unknown = verdict.findings[0]
        message = unknown.message(opinion.ruleset, language)
        if unknown.event is not None:
            yield Text(say["unread at"].format(unknown.event, message))
        else:
            pointer = unknown.place.pointer if unknown.place is not None else ""
            yield Text(say["unread"].format(isolated(visible(pointer), language), message))
        return
    if verdict.totals is not None:
        winner = say["nobody"] if verdict.winner is None else str(verdict.winner)
        yield Text(say["score"].format(isolated(number_list(verdict.totals), language), winner))
    if opinion.fault is not None:
        yield from fault_lines(opinion.fault, opinion.ruleset, language)
        accusing = sum(finding.kind in ("illegal", "claim") for finding in verdict.findings)
        if accusing > 1:
            yield Text(say["faults"].format(accusing), style="dim")
    for point in opinion.open_points:
        yield from _point_lines(point, language)


def _point_lines(point: OpenPoint, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    where = say["and"].join(say["event"].format(event) for event in point.events)
    if not point.readings:
        yield Text(say["point"].format(point.clause, where))
        return
    yield Text(say["readings"].format(point.clause, where))
    for reading in point.readings:
        deals = (
            say["deal"].format(deal.deal + 1, isolated(number_list(deal.points), language)) for deal in reading.deals
        )
        text = say["reading"].format(
            word(reading.reading, language),
            say["and"].join(deals),
            isolated(number_list(reading.totals), language),
            say["taken"] if reading.is_taken else "",
        )
        yield Text(f"  {text}")


def _options(options: Mapping[str, Any]) -> str:
    values = (value if isinstance(value, str) else msgspec.json.encode(value).decode() for value in options.values())
    return visible(", ".join(map("=".join, zip(options, values, strict=True))), LONGEST_NAME)
