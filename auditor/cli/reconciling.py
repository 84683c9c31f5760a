"""``auditor reconcile``: several logs of one match, where they differ, and which of them is damaged.

In: paths of logs. Out: the differences, in words or as JSON, and the exit code. Refuses to know how logs are compared.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click
import msgspec
from msgspec import UNSET
from rich.text import Text

from auditor import report
from auditor.audit import verdict_on
from auditor.cli.program import (
    CLEAN,
    FINDINGS,
    Screen,
    complaint,
    counted,
    examples,
    language_option,
    main,
    named,
    one_match,
    progress,
)
from auditor.desks import reconciliation, telling
from auditor.desks.reconciliation import Difference, Reconciliation, reconciled
from auditor.desks.versions import Version
from auditor.errors import CannotAudit
from auditor.events import UNSEEN_CARD
from auditor.games import FORMS
from auditor.jsontext import visible
from auditor.log import Log, Unreadable, read
from auditor.rulebook import Language, card_sign, isolated, word
from auditor.verdict import Finding

#: A name between these keeps the direction of its own writing.
#: Of one version so many contradictions are shown.
_MOST_FINDINGS = 3
_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "title": "Match {}: {} logs", "log": "  {}: {}, events: {}", "no log": "  {}: {}", "and": ", ",
        "agree": "The logs agree.", "count": "Differences: {}",
        "head": "what stands before the events differs", "event": "an event is told differently",
        "gap": "events are lacking: {}", "order": "an event stands in another place",
        "cards": "no two logs contradict each other, but all of them together cannot be true",
        "at": "{} (event {})", "lacks": "not in the log", "more": "{} … and {} more",
        "contradicted": "the rules contradict this: {}", "found": "{}{}: {}", "where": "event {}, ",
        "hand": "hand of seat {}: {}", "unseen": "not seen", "nothing": "not given",
        "damaged": "damaged: {} ({})", "rules": "by the rules", "majority": "by the majority",
        "cannot tell": "which of them is damaged cannot be told",
        "disputed": "which of them is damaged cannot be told: the rules contradict what most logs say",
        "unjudged": "the rules were not asked: there are more than {} differences before",
        "all damaged": "Damaged: {}", "none damaged": "Which log is damaged cannot be told.",
        "options": "options", "players": "players", "shuffle": "shuffle proof",
    },
    "ar": {
        "title": "المباراة {}: السجلات: {}", "log": "  {}: {}، الأحداث: {}", "no log": "  {}: {}", "and": "، ",
        "agree": "السجلات متّفقة.", "count": "الاختلافات: {}",
        "head": "اختلاف في ما يسبق الأحداث", "event": "حدث يُروى على غير وجه واحد",
        "gap": "أحداث ناقصة: {}", "order": "حدث في غير موضعه",
        "cards": "لا يناقض سجلٌّ سجلًّا، لكنها لا تصحّ كلها معًا",
        "at": "{} (الحدث {})", "lacks": "ليس في السجل", "more": "{} … ومعه {}",
        "contradicted": "القواعد تنقض هذا: {}", "found": "{}{}: {}", "where": "الحدث {}، ",
        "hand": "يد المقعد {}: {}", "unseen": "غير مرئي", "nothing": "غير مذكور",
        "damaged": "السجل التالف: {} ({})", "rules": "بحكم القواعد", "majority": "بشهادة الأكثرية",
        "cannot tell": "لا يمكن القول أيّها التالف",
        "disputed": "لا يمكن القول أيّها التالف: فالقواعد تنقض ما تقوله أكثر السجلات",
        "unjudged": "لم تُسأل القواعد: قبله أكثر من {} اختلافًا",
        "all damaged": "السجلات التالفة: {}", "none damaged": "لا يمكن القول أيّ السجلات هو التالف.",
        "options": "الخيارات", "players": "اللاعبون", "shuffle": "إثبات الخلط",
    },
}  # fmt: skip


@main.command(
    epilog=examples(
        "auditor reconcile server.json client-0.json client-1.json client-2.json client-3.json",
        "auditor reconcile server.ndjson client.ndjson --match M-2041 --lang ar",
        "auditor reconcile server.json client.json --format json",
    )
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG LOG...")
@click.option("--match", "match_id", metavar="ID", help="The match, where a log holds several.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="To read, or JSON."
)
@language_option
def reconcile(logs: Sequence[str], match_id: str | None, form: str, language: Language) -> None:
    """Lay several LOGs of one match side by side: a server's, and those of clients that saw one hand each.

    Times, notes, names and who made a move may differ; what a log could not see (??) agrees with whatever it may be.
    For each difference it is said which log the rules or the majority show to be damaged. The exit code is 1 if logs
    differ or something is wrong with one of them.
    """
    if len(logs) < 2:
        raise click.UsageError("two logs or more are needed to compare")
    files = [log for log in logs if os.path.exists(log)]
    for number, log in enumerate(files):
        if any(os.path.samefile(log, other) for other in files[:number]):
            raise CannotAudit(f"{log}: expected each log once, found the same file again")
    console = Screen(highlight=False, soft_wrap=True)
    with progress(console, form, "logs read") as step:
        entries = [_entry(log, match_id, step) for log in logs]
        readable = [entry for entry in entries if isinstance(entry, Log)]
        unreadable = [entry for entry in entries if isinstance(entry, Unreadable)]
        verdicts = [verdict_on(entry) for entry in readable]
        found = reconciled(readable, verdicts) if readable else None
    if form == "json":
        document = _document(found, readable, unreadable)
        click.echo(msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=2))
    else:
        for line in comparison_lines(found, readable, unreadable, language):
            console.print(line)
    sys.exit(CLEAN if found is not None and found.is_clean and not unreadable else FINDINGS)


def _entry(path: str, match_id: str | None, step: Callable[[], None]) -> Log | Unreadable:
    """The one match of a log, or what stands in its place; raises ``CannotAudit`` where there is not one.

    ``step`` is called for each that is read on the way.
    """
    entries = (
        entry
        for entry in counted(read([path], FORMS), step)
        if match_id in (None, entry.match.match if isinstance(entry, Log) else entry.match)
    )
    found = list(itertools.islice(entries, 2))
    if len(found) == 1 and not (isinstance(found[0], Unreadable) and found[0].is_no_file):
        return found[0]
    return one_match(path, match_id)


def _document(
    found: Reconciliation | None, readable: Sequence[Log], unreadable: Sequence[Unreadable]
) -> dict[str, Any]:
    verdicts = () if found is None else found.verdicts
    return {
        **reconciliation.document(found),
        "logs": [
            {"file": log.place.file, "digest": log.digest, "status": verdict.status, "events": len(log.match.events)}
            for log, verdict in zip(readable, verdicts, strict=True)
        ],
        "unreadable": [{"file": entry.place.file, "message": complaint(entry, "en")} for entry in unreadable],
    }


def comparison_lines(
    found: Reconciliation | None, readable: Sequence[Log], unreadable: Sequence[Unreadable], language: Language
) -> Iterator[Text]:
    """What came of the comparison, line by line; logs go by the names of their files."""
    say = _PHRASES[language]
    names = [named(log.place.file, language) for log in readable]
    if found is not None:
        yield Text(say["title"].format(named(found.match, language), len(readable)), style="bold")
        for name, verdict, count in zip(names, found.verdicts, found.event_counts, strict=True):
            yield Text(say["log"].format(name, word(verdict.status, language), count))
    for entry in unreadable:
        yield Text(say["no log"].format(named(entry.place.file, language), word("invalid", language)))
        yield Text(f"    {complaint(entry, language)}")
    if found is not None:
        if not found.differences and len(readable) > 1:
            yield Text(say["agree"], style="green")
        for log, verdict in zip(readable, found.verdicts, strict=True):
            if verdict.first_fault is not None and not found.differences:
                yield from report.match_lines(verdict, log.place, language)
        if found.differences:
            yield Text(say["count"].format(len(found.differences)), style="bold")
        for number, difference in enumerate(found.differences, 1):
            yield from _difference_lines(number, difference, found, readable, names, language)
    damaged = [names[log] for log in found.damaged] if found is not None else []
    damaged += [named(entry.place.file, language) for entry in unreadable]
    if damaged:
        yield Text()
        yield Text(say["all damaged"].format(say["and"].join(damaged)), style="bold")
    elif found is not None and found.differences:
        yield Text()
        yield Text(say["none damaged"], style="bold")


def _difference_lines(
    number: int,
    difference: Difference,
    found: Reconciliation,
    logs: Sequence[Log],
    names: Sequence[str],
    language: Language,
) -> Iterator[Text]:
    say = _PHRASES[language]
    yield Text()
    yield Text(f"{number}. {say[difference.kind].format(len(difference.rows))}", style="bold")
    for version in difference.versions:
        tellers = []
        for log in version.logs:
            event = difference.event_of(log)
            tellers.append(names[log] if event is None else say["at"].format(names[log], event))
        yield Text(f"   {say['and'].join(tellers)}:")
        if difference.kind != "cards":
            yield Text(f"     {_told(difference, version, logs, language)}")
        for finding in version.contradictions[:_MOST_FINDINGS]:
            yield Text(f"     {say['contradicted'].format(_found(finding, found.ruleset, language))}", style="red")
    if difference.damaged:
        damaged = say["and"].join(names[log] for log in difference.damaged)
        evidence = say["and"].join(say[kind] for kind in difference.evidence)
        yield Text(f"   {say['damaged'].format(damaged, evidence)}", style="bold")
    else:
        yield Text(f"   {say['disputed' if difference.is_disputed else 'cannot tell']}", style="bold")
    if not difference.is_judged:
        yield Text(f"   {say['unjudged'].format(reconciliation.MOST_JUDGED)}", style="dim")


def _told(difference: Difference, version: Version, logs: Sequence[Log], language: Language) -> str:
    """What some logs say: the facts in question, or the event that others lack."""
    say = _PHRASES[language]
    if not version.is_there:
        return say["lacks"]
    log = version.logs[0]
    event = difference.event_of(log)
    if event is None:
        return say["and"].join(_fact(name, value, language) for name, value in version.facts.items())
    facts = telling.facts_of(logs[log].match.events[event])
    kind = word(str(facts["type"]), language)
    told = version.facts or {name: value for name, value in facts.items() if not name.startswith(("hands", "stock"))}
    if "seat" in facts:
        told = {"seat": facts["seat"], **told}
    shown = [_fact(name, value, language) for name, value in told.items() if name != "type" and value is not UNSET]
    text = f"{kind}: {say['and'].join(part for part in shown if part)}"
    others = sum(row[log] is not None for row in difference.rows) - 1
    return say["more"].format(text, others) if others > 0 else text


def _fact(name: str, value: Any, language: Language) -> str:
    say = _PHRASES[language]
    key, _, seat = name.partition(".")
    if name == "refused":
        return word("refused", language) if value else ""
    shown = isolated(_value(value, language), language)
    if key == "hands":
        return say["hand"].format(seat, shown)
    return f"{say.get(name) or word(name, language)} {shown}"


def _value(value: Any, language: Language) -> str:
    say = _PHRASES[language]
    match value:
        case None:
            return say["unseen"]
        case bool():
            return word("true" if value else "false", language)
        case str():
            return UNSEEN_CARD if value == UNSEEN_CARD else card_sign(visible(value))
        case tuple():
            return " ".join(_value(part, language) for part in value)
        case dict():
            return say["and"].join(f"{key} {_value(part, language)}" for key, part in value.items())
        case msgspec.Struct():
            return _value(msgspec.to_builtins(value), language)
    return say["nothing"] if value is UNSET else str(value)


def _found(finding: Finding, ruleset: str, language: Language) -> str:
    say = _PHRASES[language]
    where = "" if finding.event is None else say["where"].format(finding.event)
    return say["found"].format(where, finding.clause, finding.message(ruleset, language))
