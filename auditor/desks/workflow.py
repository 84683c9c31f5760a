"""A workflow of GitHub Actions: findings as annotations beside the files, and a summary in Markdown.

In: matches, groups of them. Out: workflow commands, one a line, and a Markdown text. Refuses to know where they go.
Nothing that a log says becomes a command or markup.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence

from auditor.desks.comparison import Compared, Group
from auditor.desks.export import IsFailure, Told, placed, told
from auditor.desks.region import STANDARD_INPUT, Region
from auditor.desks.regression_report import state_word
from auditor.jsontext import visible
from auditor.rulebook import Language, seen

_LONGEST_ID, _LONGEST_PATH, _LONGEST_SENTENCE = 200, 1000, 2000
#: GitHub takes a summary of a megabyte; the rest of the groups is counted.
MOST_GROUPS = 100
_HEADINGS: Mapping[Language, Sequence[str]] = {
    "en": ("state", "matches", "ruleset", "clause", "build", "example", "finding"),
    "ar": ("الحالة", "المباريات", "القواعد", "البند", "الإصدار", "مثال", "الملاحظة"),
}
#: What means something to Markdown, or makes a mention or a reference of a name, in the middle of a line.
_MARKUP = "|`*_~[]\\#@"
_FURTHER: Mapping[Language, str] = {"en": "further groups: {}", "ar": "مجموعات أخرى: {}"}


class Annotations:
    """An error for each finding that makes a match fail, a warning for what follows from one, or is absent."""

    def __init__(self, is_failure: IsFailure, language: Language) -> None:
        self._is_failure = is_failure
        self._language = language
        self._failing: list[Compared] = []

    def add(self, match: Compared) -> None:
        if self._is_failure(match):
            self._failing.append(match)

    def end(self) -> str:
        findings = placed(finding for match in self._failing for finding in told(match) if finding.state != "unchanged")
        lines = [self._line(finding, region) for finding, region in findings]
        plain = (match for match in self._failing if not any(True for _ in told(match)))
        lines += [
            _command("warning", {"title": match.state or match.shown.status}, visible(match.shown.name, 200))
            for match in plain
        ]
        return "".join(f"{line}\n" for line in lines)

    def _line(self, told: Told, region: Region | None) -> str:
        match, fault = told.match, told.fault
        keys: dict[str, str | int | None] = {}
        if match.place is not None and match.place.file != STANDARD_INPUT and region is not None:
            keys = {"file": match.place.file, "line": region.line, "endLine": region.end_line, "col": region.column}
            if region.end_line == region.line:
                keys["endColumn"] = region.end_column
        keys["title"] = " ".join(filter(None, (told.state, fault.clause)))
        where = [visible(match.shown.name, _LONGEST_ID)]
        if fault.event is not None:
            where.append(f"event {fault.event}")
        said = seen(told.message(self._language), _LONGEST_SENTENCE)
        is_error = told.finding is not None and not told.follows
        return _command("error" if is_error else "warning", keys, f"{', '.join(where)}: {said}")


def markdown(counts: str, groups: Sequence[Group], language: Language) -> str:
    """The counts as a line, and a table of groups with an example each."""
    lines = ["## auditor", "", _text(counts), ""]
    if groups:
        lines += [_row(_HEADINGS[language]), _row(["---"] * len(_HEADINGS[language]))]
        lines += (_row(_cells(group, language)) for group in groups[:MOST_GROUPS])
    if len(groups) > MOST_GROUPS:
        lines += ["", _FURTHER[language].format(len(groups) - MOST_GROUPS)]
    return "".join(f"{line}\n" for line in lines)


def _cells(group: Group, language: Language) -> Iterator[str]:
    cause, example = group.cause, group.example
    yield _text(state_word(cause.state, language))
    yield str(group.count)
    for name in (cause.ruleset, cause.clause, cause.build, example.shown.name):
        yield _code(name)
    yield _text(next((finding.message(language) for finding in told(example) if finding.finding is not None), ""))


def _command(name: str, keys: Mapping[str, str | int | None], message: str) -> str:
    """A workflow command. Its keys and its message cannot end it or begin another one."""
    told = ",".join(f"{key}={_escaped_key(str(value))}" for key, value in keys.items() if value is not None)
    return f"::{name} {told}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_key(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str | None) -> str:
    """A name as code, in which nothing is a link, a mention or markup."""
    return f"<code>{_text(visible(text, _LONGEST_ID))}</code>" if text else ""


def _text(text: str) -> str:
    """Text in a cell: every sign that could mean something is written by its number."""
    shown = seen(text, _LONGEST_SENTENCE)
    return "".join(f"&#{ord(sign)};" if sign in _MARKUP else html.escape(sign) for sign in shown)
