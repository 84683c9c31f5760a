"""The quality sheet: the counts of an edition to read, in both languages.

In: the counts. Out: Markdown. Refuses to know how they were counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from auditor import rulebook
from auditor.rulebook import LANGUAGES, Language, word
from auditor.verdict import STATUSES

_OPEN = ("open", "note")
_OUTCOMES = ("scored", "void", "broken", "unfinished")

_PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "title": "Quality sheet",
        "audited": "{} matches were audited with auditor {} and rulebook {}.",
        "left": "{} logs were read; {} are not here.",
        "left unreadable": "no match log ({})", "left twice": "the same log once more",
        "left ruleset": "of another ruleset",
        "left day": "before the first day asked for", "left no day": "no day in the log, and days were asked for",
        "left named": "a move names a player", "left status": "not clean, and only clean ones were asked for ({})",
        "left out": "Left out", "why": "Why", "logs": "Logs", "statuses": "What the audit says", "ruleset": "Ruleset",
        "all": "All", "deals": "Deals", "claims": "Scores claimed", "wrong": "Wrong",
        "proofs": "Matches with a proof of the shuffle",
        "findings": "What is wrong, by clause", "clause": "Clause", "rule": "Rule", "matches": "Matches",
        "count": "Findings", "open": "Points that the rules leave open, and notes",
        "same id": "{} ids stand for more than one log; all of these are here.",
        "changes": "What was changed in the logs", "field": "Field", "act": "What was done", "times": "Times",
        "reason": "Why", "none": "None.",
    },
    "ar": {
        "title": "ورقة الجودة",
        "audited": "دُقّقت {} مباراة بالمدقّق {} وكتاب القواعد {}.",
        "left": "قُرئ {} من السجلات؛ وما ليس هنا منها {}.",
        "left unreadable": "ليس سجل مباراة ({})", "left twice": "السجل نفسه مرة أخرى", "left ruleset": "من قواعد أخرى",
        "left day": "قبل أول يوم مطلوب", "left no day": "لا يوم في السجل، والمطلوب أيام",
        "left named": "حركة فيه تسمّي لاعبًا", "left status": "ليس سليمًا، والمطلوب السليم وحده ({})",
        "left out": "ما تُرك", "why": "السبب", "logs": "السجلات", "statuses": "ما يقوله التدقيق",
        "ruleset": "القواعد", "all": "الكل", "deals": "التوزيعات", "claims": "نتائج مُدّعاة", "wrong": "خاطئة",
        "proofs": "مباريات معها إثبات الخلط", "findings": "ما الخطأ، بحسب البند", "clause": "البند", "rule": "القاعدة",
        "matches": "المباريات", "count": "الملاحظات", "open": "ما تتركه القواعد مفتوحًا، وملاحظات",
        "same id": "{} من المعرّفات لأكثر من سجل؛ وكلها هنا.",
        "changes": "ما غُيّر في السجلات", "field": "الحقل", "act": "ما حدث له", "times": "المرات",
        "reason": "السبب", "none": "لا شيء.",
    },
}  # fmt: skip
#: What is said of changes, in Arabic.
_SAID: Mapping[str, str] = {
    "dropped": "حُذف",
    "replaced": "استُبدل",
    "cut to the day": "قُصر على اليوم",
    "it tells who played": "يدلّ على من لعب",
    "the player asked to be erased": "طلب اللاعب محوه",
    "as was asked for": "كما طُلب",
    "it holds the id or the name of a player": "فيه معرّف لاعب أو اسمه",
    "it may hold anything": "قد يكون فيه أي شيء",
    "a note may hold anything": "قد يكون في الملاحظة أي شيء",
    "the hour may tell who played": "قد تدلّ الساعة على من لعب",
    "the times of moves may tell who played": "قد تدلّ أوقات الحركات على من لعب",
    "its name holds the id or the name of a player, or the number of a device": "في اسمه معرّف لاعب أو اسمه أو رقم جهاز",
    "its client seed holds the id or the name of a player": "في بذرة العميل معرّف لاعب أو اسمه",
    "it holds the id or the name of a player, or the number of a device": "فيه معرّف لاعب أو اسمه أو رقم جهاز",
}


def sheet(counts: Mapping[str, Any], changes: Sequence[Mapping[str, Any]], auditor: str, rules: str) -> str:
    """The sheet: first in English, then in Arabic."""
    return "\n".join(
        line
        for language in LANGUAGES
        for line in _sheet(counts, changes, auditor, rules.removeprefix("sha256:")[:8], language)
    )


def _sheet(
    counts: Mapping[str, Any], changes: Sequence[Mapping[str, Any]], auditor: str, rules: str, language: Language
) -> Iterator[str]:
    say = _PHRASES[language]

    def heads(*keys: str) -> list[str]:
        return [say[key] for key in keys]

    if language == "ar":
        yield '<div dir="rtl" lang="ar">\n'
    yield f"# {say['title']}\n"
    yield say["audited"].format(counts["matches"], auditor, rules) + "\n"
    yield say["left"].format(counts["read"], sum(row["logs"] for row in counts["left_out"])) + "\n"
    if counts["ids_of_several_logs"]:
        yield say["same id"].format(counts["ids_of_several_logs"]) + "\n"
    yield f"## {say['left out']}\n"
    yield from _table(
        heads("why", "logs"),
        ([why(row["reason"], row["detail"], language), row["logs"]] for row in counts["left_out"]),
        say["none"],
    )
    yield f"## {say['statuses']}\n"
    yield from _table(
        [say["ruleset"], *(word(status, language) for status in STATUSES[1:]), say["all"]],
        (
            [_title(ruleset, language), *row["statuses"].values(), sum(row["statuses"].values())]
            for ruleset, row in counts["rulesets"].items()
        ),
        say["none"],
    )
    yield f"## {say['deals']}\n"
    yield from _table(
        [say["ruleset"], *(word(name, language) for name in _OUTCOMES), *heads("claims", "wrong", "proofs")],
        (
            [
                _title(ruleset, language),
                *(row["deals"][name] for name in _OUTCOMES),
                *(row[key] for key in ("claimed_scores", "wrong_scores", "shuffle_proofs")),
            ]
            for ruleset, row in counts["rulesets"].items()
        ),
        say["none"],
    )
    for title, is_open in (("findings", False), ("open", True)):
        yield f"## {say[title]}\n"
        yield from _table(
            heads("ruleset", "clause", "rule", "count", "matches"),
            (
                [
                    _title(row["ruleset"], language),
                    f"`{row['clause']}`",
                    rulebook.entry(row["ruleset"], row["clause"]).rule[language],
                    row["findings"],
                    row["matches"],
                ]
                for row in counts["findings"]
                if (row["kind"] in _OPEN) == is_open
            ),
            say["none"],
        )
    yield f"## {say['changes']}\n"
    yield from _table(
        heads("field", "act", "reason", "times"),
        (
            [f"`{row['field']}`", *(said(row[key], language) for key in ("act", "reason")), row["times"]]
            for row in changes
        ),
        say["none"],
    )
    if language == "ar":
        yield "</div>\n"


def why(reason: str, detail: str, language: Language) -> str:
    """Why logs were left out, in words."""
    if reason == "unreadable":
        detail = rulebook.entry(None, detail).rule[language]
    elif reason == "status":
        detail = word(detail, language)
    return _PHRASES[language][f"left {reason}"].format(detail)


def _title(ruleset: str, language: Language) -> str:
    return rulebook.book(ruleset).title[language]


def said(text: str, language: Language) -> str:
    """What is said of a change; it is written in English in the archive's own lists."""
    return text if language == "en" else _SAID[text]


def _table(heads: Sequence[object], rows: Iterable[Sequence[object]], nothing: str) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        yield nothing + "\n"
        return
    for row in (heads, ["---"] * len(heads), *listed):
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
    yield ""
