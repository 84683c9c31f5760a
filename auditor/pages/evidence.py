"""Evidence: the page of one moment of a match, and the report of a case file.

In: logs, verdicts and positions. Out: HTML. Refuses to know files, and how a verdict comes about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import jinja2
import msgspec
from markupsafe import Markup, escape
from msgspec import UNSET, UnsetType

from auditor import __version__, cards, events, rulebook
from auditor.errors import Place
from auditor.jsontext import visible
from auditor.log import Log
from auditor.pages.phrases import PHRASES
from auditor.position import Position
from auditor.report import act
from auditor.rulebook import LANGUAGES, Entry, Language, card_sign, number_list, seen, word
from auditor.verdict import POINTS, DealResult, Finding, Verdict

#: More of an id, a name or a path than this is not shown.
_LONGEST = 200
#: More of an event than this is not shown; a long one is a deal of several packs.
_LONGEST_EVENT = 4000

Say: TypeAlias = Callable[..., Markup]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One log of a case: its verdict, the table before some of its findings (by their index), and where it came from.

    ``log`` is missing where the text is no match log. ``files`` are the names that its files have in the case.
    """

    verdict: Verdict
    log: Log | None
    moments: Mapping[int, Position]
    origin: Place
    files: Sequence[str]


def moment_page(log: Log, verdict: Verdict, position: Position, language: Language = "en") -> str:
    """The table before one event, what was due, what the log has, and all that is said of it.

    ``language`` is the one that the page opens in; the other is on it as well.
    """
    deal = next((deal for deal in verdict.deals if _holds(deal, position.event)), None)
    return rendered(
        "moment.html",
        language,
        exhibit=Exhibit(verdict, log, {}, log.place, ()),
        position=position,
        findings=[(number, it) for number, it in enumerate(verdict.findings) if it.event == position.event],
        deal=deal if deal is not None and deal.lines else None,
        against=() if deal is None else _against(verdict, deal),
    )


def case_page(
    exhibits: Sequence[Exhibit],
    command: str,
    signer: str | None = None,
    comparison: Mapping[Language, Sequence[str]] | None = None,
    language: Language = "en",
) -> str:
    """The report of a case.

    ``command`` checks it again, ``signer`` is the id of the key that signs it, and ``comparison`` tells, in lines of
    text, where its logs differ.
    """
    return rendered("case.html", language, exhibits=exhibits, command=command, signer=signer, comparison=comparison)


def _against(verdict: Verdict, deal: DealResult) -> Sequence[int]:
    """The lines of a deal, by index, that a wrong claim contradicts."""
    wrong = (it.against or () for it in verdict.findings if it.event is not None and _holds(deal, it.event))
    return [line for lines in wrong for line in lines]


def _holds(deal: DealResult, event: int) -> bool:
    first, last = deal.events
    return first <= event <= last


def rendered(template: str, language: Language, **values: Any) -> str:
    """A page out of one of our templates, in both languages; ``language`` is the one that it opens in."""
    return _environment().get_template(template).render(first=language, languages=LANGUAGES, **values)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("auditor.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "say": {language: _phrases(language) for language in LANGUAGES},
        "version": __version__,
        "rules": rulebook.digest(),
        "POINTS": POINTS,
        "act": _act,
        "against_in": _against,
        "book": rulebook.book,
        "cards": _cards,
        "code": _code,
        "entry": _entry,
        "legal": _legal,
        "name": _name,
        "numbers": _numbers,
        "pairs": _pairs,
        "player": _player,
        "raw": _raw,
        "text": _text,
        "value": _value,
        "word": word,
    }
    return environment


def _phrases(language: Language) -> Say:
    """The phrases of a language; what fills one in is text, and keeps the direction of its own writing."""

    def say(key: str, *parts: object) -> Markup:
        return escape(PHRASES[language][key]).format(*(Markup("<bdi>{}</bdi>").format(part) for part in parts))

    return say


def _text(value: object, longest: int = _LONGEST) -> Markup:
    """Text out of a log."""
    return Markup("<bdi>{}</bdi>").format(visible(str(value), longest))


def _act(event: Any, language: Language) -> Markup:
    return Markup("<bdi>{}</bdi>").format(seen(act(event, language), _LONGEST_EVENT))


def _code(value: object) -> Markup:
    """What no language turns round: an id, a digest, a command."""
    return Markup('<code dir="ltr">{}</code>').format(visible(str(value), _LONGEST_EVENT))


def _name(value: object) -> str:
    """An id in a sentence."""
    return visible(str(value), _LONGEST)


def _card(code: str) -> Markup:
    suit = code[-1] if code[-1:] in ("C", "D", "H", "S") else "other"
    return Markup('<span class="card {}">{}</span>').format(suit, card_sign(visible(code)))


def _cards(codes: Sequence[str]) -> Markup:
    """Cards in a row that runs from left to right in every language."""
    return Markup('<span class="cards" dir="ltr">{}</span>').format(Markup(" ").join(map(_card, codes)))


def _legal(codes: Sequence[str], language: Language) -> Markup:
    """Cards by their signs, suits and passes by their words, bids as they are."""
    parts = (_card(code) if code in cards.BIT else _text(word(code, language)) for code in codes)
    return Markup('<span class="cards">{}</span>').format(Markup(" ").join(parts))


def _numbers(values: Sequence[int] | None) -> Markup:
    return Markup('<bdi dir="ltr" class="number">{}</bdi>').format("–" if values is None else number_list(values))


def _value(value: Any, language: Language) -> Markup:
    """What was computed or claimed: numbers, or a claim key by key."""
    match value:
        case None:
            return _text(word("none", language))
        case bool() | str():
            return _text(value)
        case int():
            return _numbers([value])
        case dict():
            parts = (Markup("{} {}").format(word(key, language), _value(it, language)) for key, it in value.items())
            return Markup("، " if language == "ar" else ", ").join(parts)
        case list() | tuple() if all(isinstance(it, int) for it in value):
            return _numbers(value)
    return _text(value)


def _pairs(values: Mapping[str, Any]) -> Markup:
    """Options or a producer, key by key."""
    shown = ", ".join(f"{key}: {value if isinstance(value, str) else _json(value)}" for key, value in values.items())
    return _code(shown)


def _player(match: events.Match, seat: int) -> Markup:
    player = match.players[seat]
    return _text(player.id if isinstance(player.name, UnsetType) else player.name)


def _raw(event: Any) -> str:
    """An event as the log has it; what a note carries is not kept."""
    return visible(_json(event), _LONGEST_EVENT)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode() if value is not UNSET else ""


def _entry(ruleset: str | None, finding: Finding) -> Entry:
    return rulebook.entry(ruleset, finding.clause)
