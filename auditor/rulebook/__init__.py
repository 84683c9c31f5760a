"""The rulebook: every clause and every open point, in English and Arabic, with its source.

In: the TOML files beside this module, one a ruleset and ``common.toml`` for what all rulesets share; and those of
games that other packages bring. Out: entries in the order of the rules page, and the sentence that a clause says of
a case. Refuses to know code: no entry decides anything.
"""

from __future__ import annotations

import hashlib
import re
import string
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

from auditor import plugins
from auditor.jsontext import shortened, visible

Language: TypeAlias = Literal["en", "ar"]
LANGUAGES: tuple[Language, ...] = ("en", "ar")

_SHARED = ("common", "log")
_ARABIC_SIGNS = str.maketrans(",;", "،؛")
_SUIT_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
#: Marks that keep a card or a signed number from being turned round inside an Arabic sentence.
_ISOLATE, _END_ISOLATE = "\u2066", "\u2069"


@dataclass(frozen=True, slots=True)
class Entry:
    """One clause or open point.

    ``rule`` states it, ``case`` is the sentence for a log that meets it (a template over the facts of the case);
    both by language. ``source`` names the text it comes from; ``readings`` are an open point's readings, the
    default first.
    """

    id: str
    rule: Mapping[str, str]
    case: Mapping[str, str]
    source: str
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Book:
    """One ruleset's pages: its titles and its entries in the order of the rules page."""

    ruleset: str
    title: Mapping[str, str]
    entries: Mapping[str, Entry]


def isolated(text: str, language: Language) -> str:
    """A name as it stands in a line of a language: on an Arabic one it keeps its own direction."""
    return f"\u2068{text}\u2069" if language == "ar" and text else text


def seen(text: str, longest: int) -> str:
    """A text that may have sentences in it, as :func:`auditor.jsontext.visible` shows it: isolates stay, all closed."""
    shown, depth = [], 0
    for part in re.split("([\u2066\u2068\u2069])", shortened(text, longest)):
        step = {"\u2066": 1, "\u2068": 1, "\u2069": -1}.get(part, 0)
        is_mark = step > 0 or (step < 0 < depth)
        shown.append(part if is_mark else visible(part, longest))
        depth += step if is_mark else 0
    return "".join(shown) + _END_ISOLATE * depth


@cache
def book(ruleset: str) -> Book:
    """The book of a ruleset. Two books are shared by all: ``"common"`` for play, ``"log"`` for the form of a log.

    Raises ``KeyError`` for another id.
    """
    page = _page(ruleset)
    shared = {} if ruleset in _SHARED else book("common").entries
    with plugins.blaming(ruleset):
        own = {key: _entry(key, row) for key, row in page["entries"].items()}
        order = page.get("order", list(own))
        return Book(ruleset, page["title"], {key: own[key] if key in own else shared[key] for key in order})


def entry(ruleset: str | None, clause: str) -> Entry:
    """What the ruleset's book says under a clause id, or else the books that all rulesets share."""
    for name in (ruleset, *_SHARED):
        if name is not None and clause in book(name).entries:
            return book(name).entries[clause]
    raise KeyError(clause)


def sentence(ruleset: str | None, clause: str, facts: Mapping[str, Any], language: str = "en") -> str:
    """The clause's sentence for one case, with its facts filled in."""
    return _FACTS[language].fill(entry(ruleset, clause).case[language], facts)


def word(key: str, language: str) -> str:
    """A table word (``pass``, ``trump``, a suit's name) in a language; a word that has no translation is itself."""
    row: Mapping[str, str] = _words().get(key, {})
    return row.get(language, key)


@cache
def digest() -> str:
    """The SHA-256 of all books: which rules a verdict was given under."""
    pages = sorted(
        (page.name, page.read_bytes()) for page in resources.files(__name__).iterdir() if page.name.endswith(".toml")
    )
    pages += [(f"{ruleset}.toml", plugins.read(ruleset, ".toml", str.encode)) for ruleset in plugins.brought()]
    return "sha256:" + hashlib.sha256(repr(pages).encode()).hexdigest()


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return {key: row for name in (*plugins.brought(), *_SHARED) for key, row in _page(name).get("words", {}).items()}


@cache
def _page(name: str) -> Mapping[str, Any]:
    """A book as it is written. Raises ``KeyError`` where there is none."""
    file = resources.files(__name__) / f"{name}.toml"
    if not file.is_file():
        if name in plugins.brought():
            return plugins.read(name, ".toml", tomllib.loads)
        raise KeyError(name)
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _entry(key: str, row: Mapping[str, Any]) -> Entry:
    return Entry(key, row["rule"], row["case"], row.get("source", ""), tuple(row.get("readings", ())))


@cache
def _parts(template: str) -> Sequence[tuple[str, str | None, str | None]]:
    """Texts of a template, each with the field behind it, if there is one, and how that reads."""
    return [(text, field, form) for text, field, form, _ in string.Formatter().parse(template)]


#: Keeps the numbers of an isolate on one line: broken over two they would change places.
_NO_BREAK = "\u00a0"


class _Facts:
    """Fills a template. A field says how its fact reads: ``{card:card}``, ``{trump:word}``, ``{points:numbers}`` …"""

    def __init__(self, language: str) -> None:
        self._language = language
        self._reads: Mapping[str | None, Callable[[Any], str]] = {
            "card": lambda card: self._isolated(card_sign(card)),
            "cards": lambda cards: self._isolated(" ".join(map(card_sign, cards))),
            "word": lambda key: word(key, language),
            "code": lambda code: self._isolated(str(code)),
            "point": lambda point: self._isolated(visible(point)),
            "numbers": self._numbers,
            "any": self._any,
            "claim": self._claim,
            "basis": lambda claim: f" ({self._claim(claim)})" if claim else "",
            "readings": self._readings,
        }

    def fill(self, template: str, facts: Mapping[str, Any]) -> str:
        """The sentence with its facts."""
        parts = []
        for text, field, form in _parts(template):
            parts.append(text)
            if field is not None:
                parts.append(self._reads.get(form, str)(facts[field]))
        return "".join(parts)

    def _numbers(self, values: Sequence[int] | int | None) -> str:
        """A number, or one a side; nothing where no number is due."""
        if values is None:
            return word("not due", self._language)
        listed = number_list([values] if isinstance(values, int) else values)
        return self._isolated(listed.replace(" ", _NO_BREAK) if self._language == "ar" else listed)

    def _any(self, readings: Sequence[Sequence[int]]) -> str:
        """One number a side under each reading; nothing where no number is due."""
        if not readings:
            return word("not due", self._language)
        return f" {word('or', self._language)} ".join(self._numbers(points) for points in readings)

    def _claim(self, claim: Mapping[str, Any] | None) -> str:
        """A trick or result claim, key by key; nothing where no claim is due."""
        if claim is None:
            return word("not due", self._language)
        parts = []
        for key, value in claim.items():
            if value is None:
                text = word("none", self._language)
            else:
                text = self._isolated(value) if isinstance(value, str) else self._numbers(value)
            parts.append(f"{word(key, self._language)} {text}")
        return self._joined(", ", parts)

    def _readings(self, readings: Mapping[str, Sequence[int] | int | None]) -> str:
        parts = (f"{word(name, self._language)}: {self._numbers(points)}" for name, points in readings.items())
        return self._joined("; ", parts)

    def _joined(self, sign: str, parts: Iterable[str]) -> str:
        return (sign.translate(_ARABIC_SIGNS) if self._language == "ar" else sign).join(parts)

    def _isolated(self, text: str) -> str:
        return f"{_ISOLATE}{text}{_END_ISOLATE}" if self._language == "ar" else text


_FACTS: Mapping[str, _Facts] = {language: _Facts(language) for language in LANGUAGES}


def card_sign(card: str) -> str:
    """A card as people read it: ``TH`` is 10♥, also behind a joker. What is no card of a suit stays as it is."""
    if card.startswith("JK:"):
        return f"JK:{card_sign(card[3:])}"
    if len(card) == 2 and card[1] in _SUIT_SIGNS:
        return card[0].replace("T", "10") + _SUIT_SIGNS[card[1]]
    return card


def number_list(values: Sequence[int]) -> str:
    """One number a side, as people read it: ``−8 / 7``."""
    return " / ".join(_signed(value) for value in values)


def _signed(value: int) -> str:
    return f"−{-value}" if value < 0 else str(value)
