"""What a person reads in a terminal of comparisons, smaller logs and builds.

In: groups of matches, counts, lines of builds. Out: styled lines, in English or Arabic. Refuses to know where they are
printed and how they came about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from auditor import report
from auditor.desks.baseline import KnownFault, KnownMatch
from auditor.desks.bisection import Example, Line
from auditor.desks.comparison import STATES, Compared, Group, State, Tally
from auditor.desks.reduction import Reduction
from auditor.jsontext import visible
from auditor.rulebook import Language, isolated, number_list, word
from auditor.verdict import Finding

_STYLES: dict[State | None, str] = {"new": "red", "changed": "yellow", "fixed": "green", "missing": "cyan"}
#: So many faults of one match are told.
_MOST_FAULTS = 3
_LONGEST_ID, _LONGEST_PATH = 200, 1000
_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "new": "new", "changed": "changed", "fixed": "fixed", "missing": "missing", "unchanged": "unchanged",
        "unlisted": "clean and not in the baseline",
        "and": ", ", "group": "{} ×{}: {}", "match": "match {}", "was": "was: {}", "other": "was: {}; now: {}",
        "accepted": "accepted: {}", "was accepted": "it was accepted: {}",
        "more": "further faults: {}", "says": "{}, totals {}",
        "summary": "matches: {} ({})", "no build": "no build named", "no fault": "no fault", "none": "none",
        "written": "{}: accepted new {}, changed {}, fixed {}; reason: {}", "kept": "{}: missing and kept {}",
        "dropped": "{}: missing and dropped {}", "event": "event {}",
        "reduced": "{}: events {} of {}, deals {} of {}; {}, {}",
        "build": "{}: {} of {}{}", "first with": "first with it", "last without": "last without it",
        "never": "{}: no build shows it (builds {}, logs {})",
    },
    "ar": {
        "new": "جديدة", "changed": "متغيّرة", "fixed": "زال خطؤها", "missing": "غائبة", "unchanged": "كما كانت",
        "unlisted": "سليمة وليست في خط الأساس",
        "and": "، ", "group": "{} ×{}: {}", "match": "المباراة {}", "was": "كان: {}", "other": "كان: {}؛ والآن: {}",
        "accepted": "سبب القبول: {}", "was accepted": "سبب القبول سابقًا: {}",
        "more": "ومعها أخطاء أخرى: {}", "says": "{}، المجموع {}",
        "summary": "المباريات: {} ({})", "no build": "بلا إصدار مسمّى", "no fault": "بلا خطأ", "none": "لا شيء",
        "written": "{}: قُبل الجديد {}، والمتغيّر {}، وما زال خطؤه {}؛ السبب: {}",
        "kept": "{}: غائب أُبقي عليه {}", "dropped": "{}: غائب حُذف {}", "event": "الحدث {}",
        "reduced": "{}: الأحداث {} من {}، والتوزيعات {} من {}؛ {}، {}",
        "build": "{}: {} من {}{}", "first with": "أول إصدار فيه", "last without": "آخر إصدار بدونه",
        "never": "{}: لا يظهر في أي إصدار (الإصدارات {}، السجلات {})",
    },
}  # fmt: skip


def group_lines(group: Group, language: Language) -> Iterator[Text]:
    """A group: its state, how many matches, ruleset, clause, build; and one of them."""
    say = _PHRASES[language]
    cause = group.cause
    named = _names((cause.ruleset, cause.clause or say["no fault"], cause.build or say["no build"]), language)
    yield Text(
        say["group"].format(say[cause.state or "none"], group.count, named), style=_STYLES.get(cause.state, "dim")
    )
    for line in _example_lines(group.example, language):
        yield Text("    ").append_text(line)


def summary(tally: Tally, language: Language) -> Text:
    """The last line: how many matches are in which state. Those that are missing are none of the matches read."""
    say = _PHRASES[language]
    count = tally.states.total() - tally.states["missing"]
    parts = say["and"].join(f"{say[state]} {tally.states[state]}" for state in STATES if tally.states[state])
    return Text(say["summary"].format(count, parts or say["none"]), style="bold")


def state_word(state: State | None, language: Language) -> str:
    """A state in words; nothing where there was no baseline."""
    return "" if state is None else _PHRASES[language][state]


def written_lines(path: str, tally: Tally, reason: str, prunes: bool, language: Language) -> Iterator[str]:
    """What a new baseline accepts that the old one did not, and why; and what became of what is missing."""
    say = _PHRASES[language]
    path = isolated(visible(path, _LONGEST_PATH), language)
    counts = (tally.states[state] for state in STATES[:3])
    yield say["written"].format(path, *counts, visible(reason, _LONGEST_PATH))
    if tally.states["missing"]:
        yield say["dropped" if prunes else "kept"].format(path, tally.states["missing"])


def reduced_line(reduction: Reduction, language: Language) -> str:
    """How small a log has become, and where it shows the finding."""
    say = _PHRASES[language]
    finding = reduction.finding
    counts = (reduction.event_count, reduction.events_before, len(reduction.verdict.deals), reduction.deals_before)
    name = isolated(visible(reduction.document["match"], _LONGEST_ID), language)
    return say["reduced"].format(name, *counts, say["event"].format(finding.event), finding.clause)


def line_lines(line: Line, example: Example | None, language: Language) -> Iterator[Text]:
    """The builds of a line with how many of their logs show the finding, and the first of these logs."""
    say = _PHRASES[language]
    named = _names((line.ruleset, line.name, line.platform), language)
    if line.first_with is None:
        yield Text(say["never"].format(named, len(line.builds), sum(build.matches for build in line.builds)))
        return
    yield Text(named, style="bold")
    marks = {line.first_with: "first with", line.last_without: "last without"}
    for build in line.builds:
        name = _names(filter(None, (build.version, build.build)), language) or say["no build"]
        mark = say["and"] + say[marks[build]] if build in marks else ""
        style = "yellow" if build is line.first_with else ""
        yield Text(f"    {say['build'].format(name, build.showing, build.matches, mark)}", style=style)
    if example is not None:
        match = example.log.match
        yield Text(f"    {say['match'].format(isolated(visible(match.match, _LONGEST_ID), language))}")
        for text in report.fault_lines(example.finding, match.ruleset, language):
            yield Text("    ").append_text(text)


def _names(names: Iterable[str | None], language: Language) -> str:
    return _PHRASES[language]["and"].join(isolated(visible(name, _LONGEST_ID), language) for name in names if name)


def _example_lines(compared: Compared, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    shown, verdict, place = compared.shown, compared.verdict, compared.place
    yield Text(say["match"].format(isolated(visible(shown.name, _LONGEST_ID), language)))
    if place is not None and verdict is not None:
        yield Text(f"{visible(place.file, _LONGEST_PATH)}:{place.line}", style="dim")
    if compared.state == "unchanged":
        for fault in shown.faults[:_MOST_FAULTS]:
            yield known_line(fault, language)
    else:
        yield from _difference_lines(compared, language)
    reason = None if compared.before is None else compared.before.reason
    if reason:
        say_why = say["accepted" if compared.state == "unchanged" else "was accepted"]
        yield Text(say_why.format(visible(reason, _LONGEST_PATH)), style="dim")


def _difference_lines(compared: Compared, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    gone, came = compared.gone(), compared.came()
    for fault in gone[:_MOST_FAULTS]:
        yield Text(say["was"].format("")).append_text(known_line(fault, language))
    for finding in came[:_MOST_FAULTS]:
        yield from report.fault_lines(finding, compared.shown.ruleset, language)
    left_out = max(len(gone) - _MOST_FAULTS, 0) + max(len(came) - _MOST_FAULTS, 0)
    if left_out:
        yield Text(say["more"].format(left_out), style="dim")
    if compared.now is not None and compared.before is not None and not gone and not came:
        yield Text(say["other"].format(_said(compared.before, language), _said(compared.now, language)))


def known_line(fault: KnownFault, language: Language) -> Text:
    """Where a known fault stands and which clause it breaks, in one line."""
    place = "" if fault.pointer is None else visible(fault.pointer, _LONGEST_PATH) or "/"
    finding = Finding(fault.kind, fault.clause, fault.event, fault.seat)
    return Text(place).append_text(next(iter(report.fault_lines(finding, None, language))))


def _said(match: KnownMatch, language: Language) -> str:
    totals = number_list(match.totals) if match.totals else "–"
    return _PHRASES[language]["says"].format(word(match.status, language), totals)


def all_lines(groups: Iterable[Group], language: Language, quiet: bool) -> Iterator[Text]:
    """All groups, one after the other; ``quiet`` leaves out what is as it was."""
    for group in groups:
        if not (quiet and group.cause.state == "unchanged"):
            yield from group_lines(group, language)
