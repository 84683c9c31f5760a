"""What a person reads in a terminal of logs that part.

In: groups of divergences, counts. Out: styled lines, in English or Arabic. Refuses to know where they are printed and
who is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from rich.text import Text

from auditor import report
from auditor.desks.divergence import Divergence, Group, Side, Tally
from auditor.jsontext import visible
from auditor.rulebook import Language, isolated, word

_LONGEST_ID, _LONGEST_PATH = 200, 1000
_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "A": "A", "B": "B", "and": ", ", "group": "×{}: {}", "match": "match {}", "matches": "matches {} and {}",
        "side": "{}: {}:{}, event {}: {}", "end": "the log ends here", "broken": "the deal is broken",
        "kinds": "{} / {}", "facts": "{} ({})", "same table": "the table before it, in both",
        "one": "A is right by the rules", "other": "B is right by the rules", "both": "both are legal",
        "neither": "neither is right by the rules", "unjudged": "the deal is broken: nobody can say who is right",
        "table": "the table before it in {}",
        "summary": "matches compared: {} (the same {}, parted {}); only in A: {}; only in B: {}",
        "unreadable": "no match logs: {}", "type": "kind", "options": "options", "refused": "refused",
    },
    "ar": {
        "A": "أ", "B": "ب", "and": "، ", "group": "×{}: {}", "match": "المباراة {}",
        "matches": "المباراتان {} و{}",
        "side": "{}: {}:{}، الحدث {}: {}", "end": "ينتهي السجل هنا", "broken": "التوزيع معطوب",
        "kinds": "{} / {}", "facts": "{} ({})", "same table": "الطاولة قبله في السجلّين",
        "one": "أ على صواب حسب القواعد", "other": "ب على صواب حسب القواعد", "both": "كلاهما قانوني",
        "neither": "كلاهما مخالف للقواعد", "unjudged": "التوزيع معطوب، فلا يُعرف أيّهما على صواب",
        "table": "الطاولة قبله في {}",
        "summary": "المباريات المقارَنة: {} (المتطابقة {}، المتباينة {})؛ في أ وحده: {}؛ في ب وحده: {}",
        "unreadable": "ما ليس سجلّ مباراة: {}", "type": "النوع", "options": "الخيارات", "refused": "مرفوضة",
    },
}  # fmt: skip


def all_lines(groups: Iterable[Group], language: Language) -> Iterator[Text]:
    """All groups: how many matches part in this way, what differs, who is right; and one of them with both tables."""
    for group in groups:
        yield Text(cause_text(group, language), style="yellow")
        for line in _example_lines(group.example, language):
            yield Text("    ").append_text(line)


def cause_text(group: Group, language: Language) -> str:
    """What the matches of a group have in common, in one line."""
    say, cause = _PHRASES[language], group.cause
    kinds = [_kind(kind, language) for kind in dict.fromkeys(cause.kinds)]
    what = " / ".join(kinds)
    facts = say["and"].join(say.get(name) or word(name, language) for name in cause.facts)
    names = [isolated(cause.ruleset, language), say["facts"].format(what, facts), say[cause.right]]
    names += [isolated(clause, language) for clause in cause.clauses]
    return say["group"].format(group.count, say["and"].join(names))


def summary(tally: Tally, lonely: tuple[int, int], unreadable: int, language: Language) -> Text:
    """The last line: how many pairs tell the same, and what has no counterpart."""
    say = _PHRASES[language]
    line = say["summary"].format(tally.same + tally.parted, tally.same, tally.parted, *lonely)
    if unreadable:
        line += ("; " if language == "en" else "؛ ") + say["unreadable"].format(unreadable)
    return Text(line, style="bold")


def _example_lines(divergence: Divergence, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    one, other = divergence.one, divergence.other
    names = [isolated(visible(side.log.match.match, _LONGEST_ID), language) for side in (one, other)]
    yield Text(say["match"].format(names[0]) if names[0] == names[1] else say["matches"].format(*names))
    for label, side in (("A", one), ("B", other)):
        yield from _side_lines(say[label], side, language)
    if msgspec.structs.replace(one.table, event=0) == msgspec.structs.replace(other.table, event=0):
        yield Text(say["same table"], style="bold")
        yield from report.table_lines(one.table, one.log.match, language)
        return
    for label, side in (("A", one), ("B", other)):
        yield Text(say["table"].format(say[label]), style="bold")
        yield from report.table_lines(side.table, side.log.match, language)


def _side_lines(label: str, side: Side, language: Language) -> Iterator[Text]:
    say = _PHRASES[language]
    told = say["end"] if side.event is None else report.act(side.event, language)
    place = side.log.place
    yield Text(say["side"].format(label, visible(place.file, _LONGEST_PATH), place.line, side.index, told))
    for fault in side.faults:
        for line in report.fault_lines(fault, side.log.match.ruleset, language):
            yield Text("    ").append_text(line)


def _kind(kind: str, language: Language) -> str:
    return _PHRASES[language]["end"] if kind == "end" else word(kind, language)
