"""The words of the pages: which language a request is answered in, phrases, numbers and dates.

In: a request, or a language. Out: a speech, with which a page says everything that is not in a log. Refuses to know
which page asks: each page's phrases lie in a file under ``phrases/``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

from babel import Locale, dates, numbers
from datasette.utils.asgi import Request
from markupsafe import Markup

from auditor import rulebook
from auditor.jsontext import visible
from auditor.rulebook import LANGUAGES, Language

COOKIE = "auditor_language"
DIRECTIONS: Mapping[Language, Literal["ltr", "rtl"]] = {"en": "ltr", "ar": "rtl"}
#: What each language calls itself.
NAMES: Mapping[Language, str] = {"en": "English", "ar": "العربية"}

#: One text, or one for each plural category of the language (CLDR: zero, one, two, few, many, other).
Phrase: TypeAlias = str | Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Speech:
    """What a page says in one language. What it takes from a log goes through ``shown``."""

    language: Language

    @property
    def direction(self) -> str:
        return DIRECTIONS[self.language]

    def say(self, key: str, **values: object) -> str:
        """A phrase with its values filled in; ``count`` chooses the plural. Raises ``KeyError`` for an unknown key."""
        phrase = phrases()[key][self.language]
        if not isinstance(phrase, str):
            count = values["count"]
            assert isinstance(count, int)
            phrase = phrase.get(self._locale.plural_form(count), phrase["other"])
        return phrase.format_map({name: self._told(value) for name, value in values.items()})

    def word(self, key: str) -> str:
        """A word of the table, a status or a kind of finding, as the rulebook has it."""
        return rulebook.word(key, self.language)

    def number(self, value: int) -> str:
        """A whole number with its thousands apart, in the digits that cards and bids are written with."""
        return numbers.format_decimal(value, locale=self._locale, numbering_system="latn")

    def signed(self, value: int) -> Markup:
        """Points, with their sign on the left in either direction of writing."""
        return Markup('<bdi dir="ltr">{}</bdi>').format(rulebook.number_list([value]))

    def percent(self, share: float) -> str:
        """A share of 1, in per cent with one digit behind the point."""
        return numbers.format_percent(share, format="#,##0.#%", locale=self._locale, numbering_system="latn")

    def day(self, text: str) -> str:
        """A date, ``2026-03-02``, as people write it."""
        return dates.format_skeleton("yMMMd", date.fromisoformat(text), locale=self._locale)

    def month(self, text: str) -> str:
        """A month, ``2026-03``, as people write it."""
        return dates.format_skeleton("yMMM", date.fromisoformat(f"{text}-01"), locale=self._locale)

    def moment(self, text: str | None) -> str:
        """A time of a log or of a run (RFC 3339), with the offset that it was written with; a dash for none."""
        if text is None:
            return "–"
        moment = datetime.fromisoformat(text)
        offset = dates.format_datetime(moment, "xxx", locale=self._locale)
        time = f"{dates.format_skeleton('Hm', moment, locale=self._locale)} UTC{'' if offset == '+00:00' else offset}"
        day = dates.format_skeleton("yMMMd", moment, locale=self._locale)
        return str(dates.get_datetime_format("medium", locale=self._locale)).format(time, day)

    def shown(self, text: str, longest: int = 200) -> Markup:
        """Text of a log: escaped, shortened, with what cannot be seen made visible, and in a direction of its own."""
        return Markup("<bdi>{}</bdi>").format(visible(text, longest))

    def _told(self, value: object) -> object:
        return self.number(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @property
    def _locale(self) -> Locale:
        return Locale.parse(self.language)


def chosen(request: Request) -> Language:
    """The language of the answer: ``?lang=``, or the one chosen last, or what the browser asks for, or English."""
    wishes = [request.args.get("lang"), request.cookies.get(COOKIE)]
    wishes += _by_weight(request.headers.get("accept-language", ""))
    return next((known for wish in wishes for known in LANGUAGES if wish == known), "en")


def _by_weight(header: str) -> list[str]:
    """The languages of an Accept-Language header, the most wanted first, each also without its region."""
    weighted = []
    for part in header.split(","):
        tag, _, parameter = part.strip().partition(";")
        name, _, weight = parameter.strip().partition("=")
        try:
            quality = float(weight) if name == "q" else 1.0
        except ValueError:
            continue
        if quality > 0:
            weighted.append((quality, tag.strip().lower()))
    ordered = [tag for _, tag in sorted(weighted, key=lambda pair: -pair[0])]
    return [choice for tag in ordered for choice in (tag, tag.partition("-")[0])]


@cache
def phrases() -> Mapping[str, Mapping[str, Phrase]]:
    """Every phrase by its key: a file's name, a dot, and the key in that file."""
    found: dict[str, Any] = {}
    for file in (resources.files(__package__) / "phrases").iterdir():
        page = file.name.removesuffix(".toml")
        found |= {f"{page}.{key}": row for key, row in tomllib.loads(file.read_text(encoding="utf-8")).items()}
    return found
