"""Pages of evidence: they stand alone, speak both languages, and nothing that a log says becomes markup."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from auditor import generate, position, rulebook
from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.pages import Exhibit, case_page, moment_page
from auditor.pages.phrases import PHRASES
from auditor.rulebook import LANGUAGES, Language, card_sign
from auditor.verdict import Verdict
from tests import golden

ROOT = Path(__file__).parent.parent.parent
HOSTILE = "<script>alert(1)</script>\"'&\u202e{{ 7 * 7 }}"
EMPTY = frozenset({"meta", "input", "br", "link", "img"})


class Page(HTMLParser):
    """A page as a tree of elements that are all closed; text by the language that it stands in."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.said: dict[str, list[str]] = {language: [] for language in LANGUAGES}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert len(dict(attributes)) == len(attributes), (tag, attributes)
        self.elements.append((tag, dict(attributes)))
        if tag not in EMPTY:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop()[0] == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        for tag, attributes in self.open:
            if tag == "section" and "tongue" in str(attributes.get("class")):
                self.said[str(attributes["lang"])].append(data)

    def text(self, language: str) -> str:
        return " ".join("".join(self.said[language]).split())


def log_of(path: Path) -> Log | None:
    entry = read_bytes(path.read_bytes(), FORMS, path.name)
    return entry if isinstance(entry, Log) else None


@cache
def logs() -> tuple[Log, ...]:
    return tuple(log for path in golden.logs() if (log := log_of(path)) is not None)


def moment(log: Log, verdict: Verdict, event: int) -> position.Position:
    return position.before(GAMES[log.match.ruleset], log.match, event)


def page_of(log: Log, event: int | None = None, language: Language = "en") -> str:
    verdict = verdict_on(log)
    first = verdict.first_fault or next(iter(verdict.findings), None)
    at = event if event is not None else (first.event if first is not None else None) or 0
    return moment_page(log, verdict, moment(log, verdict, at), language)


def report_of(*some: Log) -> str:
    exhibits = []
    for log in some:
        verdict = verdict_on(log)
        events = ((index, finding.event) for index, finding in enumerate(verdict.findings))
        moments = {index: moment(log, verdict, event) for index, event in events if event is not None}
        exhibits.append(Exhibit(verdict, log, moments, log.place, ["originals/001.json"]))
    return case_page(exhibits, "auditor case verify .")


def pages() -> Iterator[tuple[str, str]]:
    """Pages of every kind: of some fixtures, at their first finding and at their end, and reports."""
    for log in logs()[::5]:
        yield f"{log.match.match}: moment", page_of(log)
        yield f"{log.match.match}: end", page_of(log, len(log.match.events), "ar")
        yield f"{log.match.match}: report", report_of(log)


# --- They stand alone -----------------------------------------------------------------------------------------------


def test_a_page_is_well_formed_and_needs_nothing_from_elsewhere() -> None:
    for name, text in pages():
        page = Page(text)
        assert text.startswith("<!doctype html>"), name
        for tag, attributes in page.elements:
            assert tag not in ("script", "link", "img", "iframe", "object", "form"), name
            assert not {"src", "srcset", "action", "style"} & attributes.keys(), name
            assert not any(key.startswith("on") for key in attributes), name
            assert str(attributes.get("href", "#")).startswith("#"), name
        assert "url(" not in text, name
        assert "@import" not in text, name
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids)), name
        targets = {str(attributes["href"])[1:] for _, attributes in page.elements if "href" in attributes}
        assert targets <= set(ids), name


def test_a_page_is_in_both_languages_each_in_its_direction() -> None:
    for name, text in pages():
        assert r"\u20" not in text, f"{name}: a mark of direction is shown in place of a text in its direction"
        sections = [at for tag, at in Page(text).elements if tag == "section" and "tongue" in str(at.get("class"))]
        assert [(at["lang"], at["dir"]) for at in sections] == [("en", "ltr"), ("ar", "rtl")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_opens_in_the_language_that_was_asked_for(language: Language) -> None:
    page = Page(page_of(logs()[0], language=language))
    html = next(attributes for tag, attributes in page.elements if tag == "html")
    assert (html["lang"], html["dir"]) == (language, "rtl" if language == "ar" else "ltr")
    chosen = [attributes["id"] for tag, attributes in page.elements if tag == "input" and "checked" in attributes]
    assert chosen == [f"show-{language}"]


def test_every_switch_has_a_label() -> None:
    page = Page(page_of(logs()[0]))
    switches = {attributes["id"] for tag, attributes in page.elements if tag == "input"}
    assert switches == {attributes["for"] for tag, attributes in page.elements if tag == "label"}


def test_the_same_values_give_the_same_page() -> None:
    assert page_of(logs()[3]) == page_of(logs()[3])
    assert report_of(logs()[3], logs()[4]) == report_of(logs()[3], logs()[4])


# --- They say all there is to say -----------------------------------------------------------------------------------


def test_a_moment_tells_the_finding_its_rule_and_what_would_have_been_legal() -> None:
    for log in logs():
        verdict = verdict_on(log)
        fault = verdict.first_fault
        if fault is None or fault.event is None:
            continue
        page = Page(page_of(log))
        for language in LANGUAGES:
            said = page.text(language)
            assert " ".join(fault.message(log.match.ruleset, language).split()) in said, log.match.match
            assert " ".join(rulebook.entry(log.match.ruleset, fault.clause).rule[language].split()) in said
            assert fault.clause in said
            assert all(card_sign(code) in said for code in fault.legal or () if len(code) == 2 and code != "NT")


def test_a_bid_of_two_digits_is_no_card() -> None:
    log = log_of(ROOT / "fixtures" / "tarneeb-classic" / "fault-refused-though-legal.json")
    assert log is not None
    page = page_of(log)
    assert "<bdi>9</bdi> <bdi>10</bdi>" in page
    assert '<span class="card other">' not in page


def test_a_moment_shows_every_hand_stone_and_meld() -> None:
    for ruleset, game in GAMES.items():
        document = next(generate.matches(game, 1, 3))
        log = read_bytes(msgspec.json.encode(document), FORMS)
        assert isinstance(log, Log)
        verdict = verdict_on(log)
        for event in range(0, len(log.match.events), max(1, len(log.match.events) // 6)):
            now = moment(log, verdict, event)
            said = Page(moment_page(log, verdict, now)).text("en")
            for hand in (*now.hands, *(meld.cards for meld in now.melds)):
                assert " ".join(card_sign(card) for card in hand) in said, (ruleset, event)
            assert all(" ".join(points) in said for points in now.stones)


def test_the_end_of_a_log_is_a_moment_too() -> None:
    log = logs()[0]
    assert "The log ends here." in Page(page_of(log, len(log.match.events))).text("en")


def test_a_report_tells_every_finding_and_every_line_of_the_score() -> None:
    for log in logs()[::7]:
        verdict = verdict_on(log)
        page = Page(report_of(log))
        for language in LANGUAGES:
            said = page.text(language)
            for finding in verdict.findings:
                assert " ".join(finding.message(log.match.ruleset, language).split()) in said
            for deal in verdict.deals:
                for line in deal.lines:
                    assert " ".join(line.message(log.match.ruleset, language).split()) in said


# --- Nothing becomes markup -----------------------------------------------------------------------------------------


def hostile(document: dict[str, Any]) -> Log:
    players = [{"id": HOSTILE, "name": HOSTILE} for _ in document["players"]]
    keys = {"match": HOSTILE, "players": players, "producer": {"name": HOSTILE, "build": HOSTILE}}
    events = [{"type": "note", "text": HOSTILE, HOSTILE: 1}, *document["events"]]
    log = read_bytes(json.dumps({**document, **keys, "events": events}).encode(), FORMS, f"{HOSTILE}.json")
    assert isinstance(log, Log)
    return log


@pytest.mark.parametrize("ruleset", GAMES)
def test_what_a_log_says_is_text(ruleset: str) -> None:
    log = hostile(next(generate.matches(GAMES[ruleset], 1, 3)))
    verdict = verdict_on(log)
    texts = [moment_page(log, verdict, moment(log, verdict, event)) for event in (0, 2, 20)] + [report_of(log, log)]
    for text in texts:
        page = Page(text)
        assert all(tag != "script" for tag, _ in page.elements)
        assert "\u202e" not in text
        assert "{{ 7 * 7 }}" in page.text("en")
        assert "<script>alert(1)</script>" in page.text("en")  # as it is written, and not as it would act


def test_points_of_a_board_are_text() -> None:
    document = next(generate.matches(GAMES["three-stones"], 1, 3))
    at = next(at for at, event in enumerate(document["events"]) if event["type"] == "place")
    document["events"][at]["point"] = "<b>\u202e"
    log = read_bytes(msgspec.json.encode(document), FORMS)
    assert isinstance(log, Log)
    text = page_of(log, at)
    assert "<b>\u202e" not in text
    assert not any(tag == "b" and attributes for tag, attributes in Page(text).elements)


# --- Phrases --------------------------------------------------------------------------------------------------------


def test_every_phrase_is_in_both_languages_and_is_used() -> None:
    assert PHRASES["en"].keys() == PHRASES["ar"].keys()
    paths = (ROOT / "auditor" / "pages" / "templates").glob("*.html")
    templates = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    unused = [key for key in PHRASES["en"] if f'"{key}"' not in templates]
    assert unused == []
    for key, phrase in PHRASES["en"].items():
        assert phrase.count("{}") == PHRASES["ar"][key].count("{}"), key
