"""The rulebook: two languages with the same facts, an entry for every clause in use, the order of the rules page."""

from __future__ import annotations

import ast
import re
import string
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import msgspec
import pytest

from auditor import faults, generate, rulebook
from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import Unreadable, read_bytes
from auditor.rulebook import LANGUAGES, Entry, Language
from auditor.verdict import Finding, LedgerLine
from tests import golden

ROOT = Path(__file__).parent.parent
BOOKS = sorted(path.stem for path in (ROOT / "auditor" / "rulebook").glob("*.toml"))
SHARED = ("common", "log")
ENTRIES = [(name, entry) for name in BOOKS for entry in rulebook.book(name).entries.values()]
each_entry = pytest.mark.parametrize(("book", "entry"), ENTRIES, ids=[f"{name}:{entry.id}" for name, entry in ENTRIES])


# --- Entries --------------------------------------------------------------------------------------------------------


def test_every_game_has_its_book_and_every_book_its_game() -> None:
    assert sorted([*GAMES, *SHARED]) == BOOKS


@pytest.mark.parametrize("name", ["", "no-such-game", "__init__"])
def test_there_is_no_other_book(name: str) -> None:
    with pytest.raises(KeyError):
        rulebook.book(name)
    assert rulebook.entry(None, "flow.kind").id == "flow.kind"


def test_a_clause_that_no_book_has_is_refused() -> None:
    with pytest.raises(KeyError):
        rulebook.entry("tarneeb-classic", "no.such-clause")


@pytest.mark.parametrize("name", BOOKS)
def test_every_book_has_a_title_in_both_languages(name: str) -> None:
    title = rulebook.book(name).title
    assert set(title) == set(LANGUAGES)
    assert has_arabic_letters(title["ar"])
    assert not has_arabic_letters(title["en"])


@each_entry
def test_every_entry_says_its_rule_and_its_case_in_both_languages_and_names_its_source(book: str, entry: Entry) -> None:
    assert set(entry.rule) == set(entry.case) == set(LANGUAGES)
    for text in (*entry.rule.values(), *entry.case.values(), entry.source):
        assert text == text.strip() != ""
    for text in (entry.rule["en"], entry.case["en"]):
        assert text.endswith("."), text
        assert not has_arabic_letters(text)
    for text in (entry.rule["ar"], entry.case["ar"]):
        assert text.endswith("."), text
        assert has_arabic_letters(text)


@each_entry
def test_both_sentences_of_an_entry_use_the_same_facts(book: str, entry: Entry) -> None:
    assert facts_of(entry.case["en"]) == facts_of(entry.case["ar"])


@each_entry
def test_a_rule_has_no_facts(book: str, entry: Entry) -> None:
    assert [facts_of(text) for text in entry.rule.values()] == [set(), set()]


@each_entry
def test_what_turns_the_writing_direction_is_closed_again(book: str, entry: Entry) -> None:
    for text in (*entry.rule.values(), *entry.case.values()):
        depth = 0
        for sign in text:
            depth += (sign in "\u2066\u2067\u2068") - (sign == "\u2069")
            assert 0 <= depth <= 1, text
            assert sign not in "\u200e\u200f\u202a\u202b\u202c\u202d\u202e", text
        assert depth == 0, text


@each_entry
def test_only_open_points_list_readings(book: str, entry: Entry) -> None:
    assert entry.readings == () or entry.id.startswith("open.")


def has_arabic_letters(text: str) -> bool:
    return any(unicodedata.name(sign, "").startswith("ARABIC LETTER") for sign in text)


def facts_of(template: str) -> set[str]:
    """The names of the facts that a sentence is filled with."""
    fields = {field for _, field, _, _ in string.Formatter().parse(template) if field is not None}
    assert all(re.fullmatch(r"[a-z_]+", field) for field in fields), template
    return fields


# --- Clauses in use -------------------------------------------------------------------------------------------------

#: The first part of a clause's id.
SUBJECTS = sorted({entry.id.split(".")[0] for _, entry in ENTRIES})
CLAUSE = re.compile(rf"(?:{'|'.join(SUBJECTS)})\.[a-z0-9]+(?:-[a-z0-9]+)*")
#: Texts that look like a clause and are the name of something else.
NO_CLAUSES = {"log.json"}


@cache
def cited() -> dict[str, set[str]]:
    """Every clause that the code names, with the files that name it."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "auditor").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CLAUSE.fullmatch(node.value):
                found.setdefault(node.value, set()).add(path.name)
    return {clause: files for clause, files in found.items() if clause not in NO_CLAUSES}


def called_with_a_clause() -> Iterator[tuple[str, str]]:
    """The first argument of each ``Fault("…")``, ``Diagnostic("…")``, ``wrong("…")`` and ``lean("…")`` in the code."""
    for path in sorted((ROOT / "auditor").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            first = node.args[0]
            is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
            if name in ("Fault", "Diagnostic", "Gap", "wrong", "lean") and is_text:
                yield path.name, str(ast.literal_eval(first))


def test_every_clause_that_the_code_names_is_in_a_book() -> None:
    known = {entry.id for _, entry in ENTRIES}
    assert {clause: files for clause, files in cited().items() if clause not in known} == {}
    calls = list(called_with_a_clause())
    assert len(calls) > 20
    assert [(file, clause) for file, clause in calls if clause not in known] == []


def test_every_clause_in_a_book_is_named_in_the_code() -> None:
    assert [f"{book}: {entry.id}" for book, entry in ENTRIES if entry.id not in cited()] == []


# --- The order of the rules page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", GAMES)
def test_the_clauses_of_a_book_stand_in_the_order_of_its_page(ruleset: str) -> None:
    page = (ROOT / "docs" / f"{ruleset}.md").read_text(encoding="utf-8")
    order = list(rulebook.book(ruleset).entries)
    clauses = re.findall(r"^(?:\*\*|\| )`([a-z]+\.[a-z0-9-]+)`", page, re.MULTILINE)
    for group in (
        [clause for clause in clauses if not clause.startswith(("open.", "note."))],
        [clause for clause in clauses if clause.startswith("open.")],
        [clause for clause in clauses if clause.startswith("note.")],
    ):
        assert list(dict.fromkeys(group)) == sorted(set(group), key=order.index)
    assert set(clauses) == set(order)


# --- Sentences ------------------------------------------------------------------------------------------------------


@cache
def told() -> list[tuple[str | None, Finding | LedgerLine]]:
    """What is found in the fixtures and in matches with a fault of every kind, and the lines of their scores."""
    verdicts = [verdict_on(read_bytes(path.read_bytes(), FORMS, path.name)) for path in golden.logs()]
    for game in GAMES.values():
        for number, match in enumerate(generate.matches(game, 12, 21, proves_shuffle=True)):
            for fault in faults.faults_of(game.id):
                planted = faults.plant(game, match, fault, Random(f"{fault} {number}"))
                if planted is not None:
                    entry = read_bytes(msgspec.json.encode(planted.document), FORMS)
                    assert not isinstance(entry, Unreadable), (fault, entry.diagnostics)
                    verdicts.append(verdict_on(entry))
    lines = [(verdict.ruleset, line) for verdict in verdicts for deal in verdict.deals for line in deal.lines]
    return [*((verdict.ruleset, finding) for verdict in verdicts for finding in verdict.findings), *lines]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_and_line_of_fixtures_and_planted_faults_is_one_whole_sentence(language: Language) -> None:
    for ruleset, saying in told():
        said = saying.message(ruleset, language)
        assert said.endswith("."), said
        assert not re.search(r"[{}\x00-\x1f]|None|True|False|UNSET|<class|\[", said), said
        assert has_arabic_letters(said) == (language == "ar"), said


def test_words_of_the_table_that_a_sentence_uses_are_translated() -> None:
    untranslated = set()
    for ruleset, saying in told():
        if isinstance(saying, Finding) and saying.kind == "schema":
            continue
        template = rulebook.entry(ruleset, saying.clause).case["ar"]
        facts = [
            saying.facts[field] for _, field, form, _ in string.Formatter().parse(template) if form == "word" and field
        ]
        facts += [saying.unit] if isinstance(saying, LedgerLine) else []
        for fact in map(str, facts):
            is_code = any(sign in "♣♦♥♠" or sign.isdigit() for sign in fact)  # a card or a bid
            if not is_code and not has_arabic_letters(rulebook.word(fact, "ar")):
                untranslated.add((saying.clause, fact))
    assert untranslated == set()


@pytest.mark.parametrize(
    ("template", "fact", "english", "arabic"),
    [
        ("{x:card}", "TH", "10♥", "\u206610♥\u2069"),
        ("{x:card}", "2C", "2♣", "\u20662♣\u2069"),
        ("{x:card}", "JK", "JK", "\u2066JK\u2069"),
        ("{x:word}", "S", "spades", "بستوني"),
        ("{x:word}", "no such word", "no such word", "no such word"),
        ("{x:code}", "7 NT", "7 NT", "\u20667 NT\u2069"),
        ("{x:numbers}", (-8, 7), "−8 / 7", "\u2066−8\u00a0/\u00a07\u2069"),
        ("{x:numbers}", None, "not due here", "لا محلّ له هنا"),
        ("{x:claim}", {"winner": 2}, "winner 2", "الفائز \u20662\u2069"),
        ("{x:claim}", {"winner": None}, "winner none", "الفائز لا أحد"),
        ("{x:claim}", {"total": [-1, 31]}, "total −1 / 31", "المجموع \u2066−1\u00a0/\u00a031\u2069"),
        ("{x:claim}", None, "not due here", "لا محلّ له هنا"),
        ("{x:readings}", {"16": (16, -7)}, "16: 16 / −7", "16: \u206616\u00a0/\u00a0−7\u2069"),
        ("{x}", 3, "3", "3"),
    ],
)
def test_a_fact_reads_as_its_field_says(
    monkeypatch: pytest.MonkeyPatch, template: str, fact: object, english: str, arabic: str
) -> None:
    made_up = Entry("x.x", {}, {"en": template, "ar": template}, "")
    monkeypatch.setattr(rulebook, "entry", lambda ruleset, clause: made_up)
    assert rulebook.sentence(None, "x.x", {"x": fact}, "en") == english
    assert rulebook.sentence(None, "x.x", {"x": fact}, "ar") == arabic


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("المقعد \u20661\u2069، \u2068a\u2069", "المقعد \u20661\u2069، \u2068a\u2069"),
        ("a\u202eb\u2067c\u2069", r"a\u202eb\u2067c\u2069"),
        ("\u2069a\u2066b", "\\u2069a\u2066b\u2069"),
        ("\u2066a\u2069\u2069b", "\u2066a\u2069\\u2069b"),
        ("\u2066" + "a" * 40, "\u2066" + "a" * 18 + "…\u2069"),
    ],
)
def test_where_sentences_are_shown_isolates_stay_and_are_closed(text: str, shown: str) -> None:
    assert rulebook.seen(text, 20) == shown


def test_the_digest_names_the_content_of_the_books() -> None:
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", rulebook.digest())
