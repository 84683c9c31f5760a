"""The phrases of the pages: both languages say the same, each is used, and none is missing."""

from __future__ import annotations

import ast
import re
import string
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel import Locale
from jinja2 import Environment, nodes

from auditor import web
from auditor.rulebook import LANGUAGES
from auditor.web.language import phrases

ROOM = Path(web.__file__).parent
PAGES = sorted(path.stem for path in (ROOM / "phrases").iterdir())


def _forms(phrase: Any) -> list[str]:
    return [phrase] if isinstance(phrase, str) else list(phrase.values())


def _names(text: str) -> set[str]:
    """The placeholders of a phrase; raises ``ValueError`` where a brace is not one."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


# --- What stands in the files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_every_phrase_is_said_in_both_languages(page: str) -> None:
    rows = tomllib.loads((ROOM / "phrases" / f"{page}.toml").read_text(encoding="utf-8"))
    assert rows
    for key, row in rows.items():
        assert re.fullmatch(r"[a-z0-9]+(-[A-Za-z0-9]+)*", key), key
        assert set(row) == set(LANGUAGES), key
        assert {isinstance(row[language], str) for language in LANGUAGES} in ({True}, {False}), key


@pytest.mark.parametrize("page", PAGES)
def test_phrases_have_words_in_the_right_script_and_no_loose_ends(page: str) -> None:
    for key, language, text in _texts(page):
        assert text.strip() == text != "", key
        assert "  " not in text, key
        plain = re.sub(r"\{\w+\}", "", text)
        if language == "en":
            assert not re.search("[\u0600-\u06ff]", plain), key
        elif re.search("[A-Za-z]{4,}", plain):
            assert re.search("[\u0600-\u06ff]", plain), f"{key} is not in Arabic: {text}"


@pytest.mark.parametrize("page", PAGES)
def test_phrases_are_filled_with_the_same_values_in_both_languages(page: str) -> None:
    for key in _keys(page):
        names = {language: [_names(text) for text in _forms(phrases()[key][language])] for language in LANGUAGES}
        english, arabic = (set.union(*each) for each in names.values())
        assert english == arabic, key
        for each in (*names["en"], *names["ar"]):
            assert all(name.isidentifier() for name in each), key
            # One and two may be said in words, so a plural form may leave out the count.
            assert english - each <= {"count"}, key


@pytest.mark.parametrize("page", PAGES)
def test_plurals_have_every_category_of_their_language(page: str) -> None:
    for key in _keys(page):
        for language in LANGUAGES:
            phrase = phrases()[key][language]
            if not isinstance(phrase, str):
                assert set(phrase) == {*Locale.parse(language).plural_form.tags, "other"}, (key, language)
                assert "count" in _names(phrase["other"]), (key, language)


def _keys(page: str) -> list[str]:
    return [key for key in phrases() if key.startswith(f"{page}.")]


def _texts(page: str) -> list[tuple[str, str, str]]:
    return [
        (key, language, text)
        for key in _keys(page)
        for language in LANGUAGES
        for text in _forms(phrases()[key][language])
    ]


# --- What the pages say ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Use:
    """A text that may be a key: the whole of it, or a pattern of one; ``given`` are the values, where they are told."""

    place: str
    key: str
    is_pattern: bool
    is_said: bool
    given: frozenset[str] | None = None

    def means(self, key: str) -> bool:
        return re.fullmatch(self.key, key) is not None if self.is_pattern else self.key == key


@cache
def _uses() -> list[Use]:
    found = [use for path in sorted(ROOM.glob("*.py")) for use in _in_python(path)]
    found += [use for path in sorted((ROOM / "templates").rglob("*.html")) for use in _in_template(path)]
    return found


def _in_python(path: Path) -> Iterator[Use]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node.func) == "say" and node.args:
            names = {keyword.arg for keyword in node.keywords}
            given = None if None in names else frozenset(name for name in names if name is not None)
            for key, is_pattern in _texts_of_python(node.args[0]):
                yield Use(f"{path.name}:{node.lineno}", key, is_pattern, True, given)
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            for key, is_pattern in _texts_of_python(node):
                yield Use(f"{path.name}:{node.lineno}", key, is_pattern, False)


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts_of_python(node: ast.expr) -> Iterator[tuple[str, bool]]:
    match node:
        case ast.Constant(value=str(text)):
            yield text, False
        case ast.JoinedStr(values=values):
            parts = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else "(.*)" for part in values]
            yield "".join(parts), True
        case ast.IfExp(body=body, orelse=otherwise):
            yield from _texts_of_python(body)
            yield from _texts_of_python(otherwise)


def _in_template(path: Path) -> Iterator[Use]:
    tree = Environment(extensions=["jinja2.ext.do"]).parse(path.read_text(encoding="utf-8"))
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "say":
            given = frozenset(keyword.key for keyword in call.kwargs) if call.dyn_kwargs is None else None
            for key, is_pattern in _texts_of_jinja(call.args[0]):
                yield Use(f"{path.name}:{call.lineno}", key, is_pattern, True, given)
    for text in tree.find_all(nodes.Const):
        if isinstance(text.value, str):
            yield Use(f"{path.name}:{text.lineno}", text.value, False, False)


def _texts_of_jinja(node: nodes.Node) -> Iterator[tuple[str, bool]]:
    match node:
        case nodes.Const(value=str(text)):
            yield text, False
        case nodes.Concat(nodes=parts):
            yield _pattern(parts), True
        case nodes.Add(left=left, right=right):
            yield _pattern([left, right]), True
        case nodes.CondExpr(expr1=first, expr2=second):
            yield from _texts_of_jinja(first)
            if second is not None:
                yield from _texts_of_jinja(second)


def _pattern(parts: Iterable[nodes.Node]) -> str:
    return "".join(re.escape(part.value) if isinstance(part, nodes.Const) else "(.*)" for part in parts)


def test_no_page_says_what_is_not_written() -> None:
    missing = [
        f"{use.place}: {use.key}" for use in _uses() if use.is_said and not any(use.means(key) for key in phrases())
    ]
    assert missing == []


def test_every_phrase_is_given_what_it_asks_for() -> None:
    wrong = []
    for use in _uses():
        if use.is_said and not use.is_pattern and use.given is not None and use.key in phrases():
            row = phrases()[use.key]
            asked = set.union(*(_names(text) for language in LANGUAGES for text in _forms(row[language])))
            asked |= set() if isinstance(row["en"], str) else {"count"}
            if asked != use.given:
                wrong.append(f"{use.place}: {use.key} asks for {sorted(asked)}, is given {sorted(use.given)}")
    assert wrong == []


def test_every_phrase_is_used() -> None:
    exact = {use.key for use in _uses() if not use.is_pattern}
    patterns = [use for use in _uses() if use.is_pattern and use.key.split("\\.")[0] in PAGES]
    scripts = "".join(path.read_text(encoding="utf-8") for path in (ROOM / "static").glob("*.js"))
    unused = []
    for key in phrases():
        page, _, name = key.partition(".")
        is_in_a_script = page in _told_to_scripts() and re.search(rf"""["'`.]{re.escape(name)}\b""", scripts)
        if key not in exact and not is_in_a_script and not any(use.means(key) for use in patterns):
            unused.append(key)
    assert unused == []


def _told_to_scripts() -> set[str]:
    """The files of phrases that are handed to a script whole: the Python asks for all that begin with their name."""
    return {use.key[:-1] for use in _uses() if not use.is_pattern and use.key[:-1] in PAGES and use.key[-1:] == "."}


def test_the_uses_are_found() -> None:
    """Else the tests above would pass whatever the pages say."""
    said = [use for use in _uses() if use.is_said]
    assert {"base.html", "nothing.html"} <= {use.place.split(":")[0] for use in said}
    assert any(use.is_pattern and use.means("site.builds") for use in said)
