"""The overview and the lists: their numbers are those of a plain count, their links lead to just that, and what must
not be seen is not."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from html import escape, unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from auditor import rulebook
from auditor.games import GAMES
from auditor.rulebook import LANGUAGES, Language
from auditor.store import Auditor, Store
from auditor.web import front, people
from auditor.web.builds import lines, version_key
from auditor.web.language import Speech, phrases
from auditor.web.queries import Build, FirstClause, Tally
from tests.toy_game.conftest import high_card as high_card
from tests.toy_game.conftest import install as install

from . import archives, serving, wire

Client = Callable[..., list[Any]]

FRONT, BUILDS, RULES, PLAYERS, RUNS = (f"/-/auditor{place}" for place in ("", "/builds", "/rules", "/players", "/runs"))
ALL: tuple[str, ...] = (
    "/",
    FRONT,
    f"{FRONT}?q=fault",
    BUILDS,
    RULES,
    f"{RULES}/tarneeb-classic",
    f"{RULES}/log",
    f"{RULES}/common",
    PLAYERS,
)
ALL += (f"{PLAYERS}?q=pl", RUNS)
#: Also what an empty database does not have.
FULL = (*ALL, f"{PLAYERS}/1", f"{BUILDS}?line=1")


def rows(path: Path, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, parameters).fetchall()


@dataclass
class Link:
    address: str
    text: str = ""


@dataclass
class Seen(HTMLParser):
    """A page as a reader has it: the text of each section by the id of its heading, its tables, and the links."""

    markup: str
    links: list[Link] = field(default_factory=list)
    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    html: dict[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._heading, self._cell = "", False
        self._open: list[Link] = []
        self.feed(self.markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "html":
            self.html = given
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag in ("h1", "h2"):
            self._heading = str(given.get("id") or tag)
        if tag == "a":
            self.links.append(Link(str(given.get("href"))))
            self._open.append(self.links[-1])
        if tag == "tr":
            self.tables.setdefault(self._heading, []).append([])
        if tag in ("td", "th"):
            self.tables[self._heading][-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._open.pop()
        if tag in ("td", "th"):
            row = self.tables[self._heading][-1]
            row[-1] = " ".join(row[-1].split())
            self._cell = False

    def handle_data(self, data: str) -> None:
        self.texts[self._heading] = self.texts.get(self._heading, "") + data
        if self._open:
            self._open[-1].text += data
        if self._cell:
            self.tables[self._heading][-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts.values()).split())


def seen(response: Any) -> Seen:
    assert response.status_code == 200, response.text
    return Seen(response.text)


def body(table: Sequence[Sequence[str]], heads: int = 1) -> dict[str, list[str]]:
    """The rows of a table by their first cell, without the row of heads."""
    return {row[0]: list(row[1:]) for row in table[heads:]}


# --- The overview ---------------------------------------------------------------------------------------------------


def test_the_overview_is_also_what_the_server_answers_with(client: Client) -> None:
    root, page = client("/", FRONT)
    assert seen(root).ids == seen(page).ids
    assert "by-status" in seen(root).ids


def test_statuses_are_counted_as_the_matches_have_them(audited_database: Path, client: Client) -> None:
    page = seen(client(FRONT)[0])
    counted = rows(audited_database, "select status, count(*) from matches group by 1 order by 2 desc")
    table = body(page.tables["by-status"])
    assert [(status, cells[1]) for status, cells in table.items()] == [(key, str(count)) for key, count in counted]
    total = sum(count for _, count in counted)
    assert f"{total} matches" in page.text
    assert [cells[2] for cells in table.values()] == [Speech("en").percent(count / total) for _, count in counted]


def test_rulesets_are_counted_as_the_matches_have_them(audited_database: Path, client: Client) -> None:
    table = seen(client(FRONT)[0]).tables["by-ruleset"]
    query = "select ruleset, count(*), avg(status in ('illegal', 'misscored')) from matches group by 1"
    expected = {
        rulebook.book(ruleset).title["en"]: ["", str(count), Speech("en").percent(share)]
        for ruleset, count, share in rows(audited_database, query)
    }
    bars = {row[0]: row[1:] for row in table[1 : 1 + len(expected)]}
    assert bars == expected
    numbers = body(table[1 + len(expected) :])
    for (ruleset,) in rows(audited_database, "select distinct ruleset from matches"):
        for column, status in enumerate(("illegal", "misscored", "incomplete", "clean")):
            query = "select count(*) from matches where ruleset = ? and status = ?"
            [(count,)] = rows(audited_database, query, ruleset, status)
            assert numbers[rulebook.book(ruleset).title["en"]][column] == str(count)


def test_builds_are_counted_as_the_matches_have_them(audited_database: Path, client: Client) -> None:
    table = seen(client(FRONT)[0]).tables["by-build"]
    query = """
        select ifnull(label, 'no build named'), count(*) from matches left join producers
        on producers.id = matches.producer group by 1"""
    counted = rows(audited_database, query)
    assert {row[0]: row[2] for row in table[1 : 1 + len(counted)]} == {label: str(count) for label, count in counted}


def test_days_are_counted_as_the_matches_have_them(audited_database: Path, client: Client) -> None:
    page = seen(client(FRONT)[0])
    query = "select substr(started, 1, 10), count(*) from matches where started is not null group by 1"
    table = body(page.tables["by-day"])
    expected = {Speech("en").day(day): count for day, count in rows(audited_database, query)}
    assert {day: sum(map(int, cells)) for day, cells in table.items()} == expected
    [(undated,)] = rows(audited_database, "select count(*) from matches where started is null")
    assert f"{undated} matches whose logs say no day" in page.text


@pytest.mark.parametrize("path", [FRONT, BUILDS, f"{BUILDS}?line=1", RULES, f"{RULES}/rami-tounsi", RUNS])
def test_a_number_leads_to_so_many_rows(client: Client, path: str) -> None:
    page = seen(client(path)[0])
    numbered = {
        link.address: int(found[1].replace(",", ""))
        for link in page.links
        if link.address.startswith("/audit/") and (found := re.match(r"([\d,]+)( |$)", link.text.strip()))
    }
    assert len(numbered) >= 2
    answers = client(*(_counting(address) for address in numbered))
    counts = {address: answer.json()["count"] for address, answer in zip(numbered, answers, strict=True)}
    assert counts == numbered


def _counting(address: str) -> str:
    place, _, query = address.partition("?")
    return f"{place}.json?_extra=count&_size=0&{query}"


def test_the_bars_lead_to_just_the_matches_that_they_count(audited_database: Path, client: Client) -> None:
    page = seen(client(FRONT)[0])
    for heading in ("by-status", "by-ruleset", "by-build"):
        counts = {row[0]: int(row[2]) for row in page.tables[heading] if len(row) == 4 and row[2].isdigit()}
        addresses = {link.text.strip(): link.address for link in page.links if link.text.strip() in counts}
        assert set(addresses) == set(counts)
        answers = client(*(_counting(addresses[key]) for key in counts))
        assert [answer.json()["count"] for answer in answers] == list(counts.values())


def test_the_clauses_broken_most_are_those_of_a_plain_count(audited_database: Path, client: Client) -> None:
    [response] = client(FRONT)
    query = """
        select clauses.ruleset, clauses.clause, rule_en, count(distinct match), count(*) from findings
        join clauses on clauses.id = findings.clause where kind in ('illegal', 'claim')
        group by clauses.id order by 4 desc, 5 desc, 1, 2 limit 10"""
    places = []
    for ruleset, clause, rule, matches, findings in rows(audited_database, query):
        found = re.search(
            rf'<li>\s*<p class="head"><a class="clause" href="/-/auditor/rules/{ruleset}#{re.escape(clause)}">.*?</li>',
            response.text,
            re.DOTALL,
        )
        assert found, clause
        assert escape(rule).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in found[0]
        assert f"{matches} match" in found[0]
        assert f"{findings} finding" in found[0]
        places.append(found.start())
    assert places == sorted(places)


def test_the_newest_matches_with_a_fault_are_linked_at_their_first_fault(
    audited_database: Path, client: Client
) -> None:
    page = seen(client(FRONT)[0])
    query = """
        select matches.id, findings.event, min(findings.number), message_en from matches
        join findings on findings.match = matches.id and kind in ('illegal', 'claim')
        where status in ('illegal', 'misscored') group by 1 order by 1 desc limit 10"""
    expected = rows(audited_database, query)
    addresses = [f"/-/auditor/match/{number}#e{event}" for number, event, *_ in expected]
    assert [link.address for link in page.links if link.address.startswith("/-/auditor/match/")] == addresses
    for *_, message in expected:
        assert " ".join(message.split()) in page.text


def test_a_log_can_be_sent_without_a_script(client: Client) -> None:
    [response] = client(FRONT)
    form = re.search(r"<form[^>]*enctype[^>]*>.*?</form>", response.text, re.DOTALL)
    assert form
    assert 'method="post" action="/-/auditor/audit" enctype="multipart/form-data"' in form[0]
    assert 'type="file" id="log" name="log"' in form[0]


def test_what_is_searched_for_is_found_on_the_same_page(audited_database: Path, client: Client) -> None:
    number, match, digest = rows(audited_database, "select id, match_id, digest from matches where id = 5")[0]
    player, name = rows(audited_database, "select id, name from players where id = 1")[0]
    by_id, by_digest, by_name, nothing = map(
        seen, client(*(f"{FRONT}?q={text}" for text in (match, digest, name, "zzzzzz")))
    )
    for page in (by_id, by_digest):
        assert f"/-/auditor/match/{number}" in [link.address for link in page.links]
        assert "by-status" in page.ids
    assert f"{PLAYERS}/{player}" in [link.address for link in by_name.links]
    assert "No match and no player fits." in nothing.text


def test_more_than_is_shown_is_said_so(client: Client) -> None:
    page = seen(client(f"{FRONT}?q=fault")[0])
    assert f"These are the newest {front._MOST_FOUND}; there are more." in page.text
    found = [link for link in page.links if re.fullmatch(r"/-/auditor/match/\d+", link.address)]
    assert len(found) == front._MOST_FOUND


@pytest.mark.parametrize("text", ['"', "a OR b*", "<script>alert(1)</script>", "\u202eabc", "x" * 3000, "%", "\x00"])
@pytest.mark.parametrize("path", [FRONT, PLAYERS])
def test_whatever_is_searched_for_comes_back_as_text(client: Client, path: str, text: str) -> None:
    [response] = client(path, params={"q": text})
    assert response.status_code == 200
    assert "<script>alert" not in response.text
    if text.startswith("\u202e"):
        assert r"Found for \u202eabc" in " ".join(seen(response).texts["found" if path == FRONT else "h2"].split())


# --- Databases with little in them ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "empty.db"
    Store.open(path).close()
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_database_has_every_page(empty: Path, language: str) -> None:
    headers = {"accept-language": language}
    for path, response in zip(ALL, serving.answers(empty, *ALL, headers=headers), strict=True):
        page = seen(response)
        assert not re.search(r"\b(None|nan|Undefined)\b", page.text), path
    [overview] = serving.answers(empty, FRONT, headers=headers)
    assert Speech(language).say("front.empty") in overview.text  # type: ignore[arg-type]
    assert 'name="log"' in overview.text
    assert "<rect" not in overview.text


def test_matches_without_build_and_day_are_shown(tmp_path: Path) -> None:
    document = archives.fixture("three-stones/clean-slide-3")
    for key in ("producer", "started", "ended"):
        document.pop(key, None)
    path = archives.of_documents(tmp_path / "audit.db", [document])
    overview, builds = map(seen, serving.answers(path, FRONT, BUILDS))
    assert "No log says when its match was played." in overview.text
    assert body(overview.tables["by-build"][:2]) == {"no build named": ["", "1", "0%"]}
    assert "Matches whose log names no build" in builds.text


def test_a_day_is_taken_as_the_log_writes_it(tmp_path: Path) -> None:
    document = archives.fixture("three-stones/clean-slide-3")
    times = ("2026-03-01T23:30:00-08:00", "2026-03-02T00:30:00+14:00", "2026-03-02T12:00:00Z")
    documents = [{**document, "match": f"m-{at}", "started": at} for at in times]
    path = archives.of_documents(tmp_path / "audit.db", documents)
    page = seen(serving.answers(path, FRONT)[0])
    assert body(page.tables["by-day"]) == {"Mar 1, 2026": ["0", "0", "0", "1"], "Mar 2, 2026": ["0", "0", "0", "2"]}
    [address] = [link.address for link in page.links if link.text == "Mar 2, 2026"]
    [answer] = serving.answers(path, _counting(address))
    assert answer.json()["count"] == 2


# --- Builds ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ordered",
    [
        ("", "1", "2", "10"),
        ("1.9", "1.10", "1.10.1", "2"),
        ("3.0-alpha", "3.0-beta", "3.0-beta2", "3.0-rc1", "3.0", "3.0.1"),
        ("v1.2", "1.3", "V1.4"),
        ("2025-12-31", "2026-01-02"),
        ("9" * 5000, "1" + "0" * 5000),
        ("007", "8"),
    ],
)
def test_versions_come_in_the_order_in_which_people_count(ordered: Sequence[str]) -> None:
    for version, later in pairwise(ordered):
        assert version_key(version) < version_key(later), (version, later)


@pytest.mark.parametrize("text", ["", "٣.١", "…", "-", "1..2", "é", "\u202e1"])
def test_any_version_has_a_place(text: str) -> None:
    assert sorted([text, "1"], key=version_key)


def _build(number: int, version: str, platform: str = "ios", name: str = "app") -> Build:
    return Build(number, f"{name} {version}", name, version, "", platform)


def test_a_build_is_held_against_the_one_before_it_of_its_name_and_platform() -> None:
    builds = [_build(1, "1.10"), _build(2, "1.9"), _build(3, "1.9", "web"), _build(4, "1.8"), _build(5, "2.0")]
    tallies = [Tally("g", number, "illegal", 5) for number in (1, 2, 3, 4)]
    first = [
        FirstClause(1, 7, 3),
        FirstClause(1, 8, 2),
        FirstClause(2, 8, 1),
        FirstClause(2, 9, 4),
        FirstClause(3, 6, 5),
    ]
    ios, web = lines(builds, tallies, first)
    assert [(each.build.version, each.new, each.gone) for each in ios] == [
        ("1.10", (7,), (9,)),
        ("1.9", (9, 8), ()),
        ("1.8", None, None),
    ]
    assert [(each.build.number, each.new) for each in web] == [(3, None)]


def test_matches_without_a_build_are_held_against_none() -> None:
    first = [FirstClause(0, 7, 3)]
    [line] = lines([], [Tally("g", 0, "illegal", 3), Tally("g", 0, "clean", 1)], first)
    [outcome] = line
    assert (outcome.build.number, outcome.matches, outcome.faulty, outcome.new) == (0, 4, 3, None)


def _of_version(version: str, number: int, fixture: str) -> dict[str, Any]:
    producer = {"name": "app", "version": version, "platform": "ios"}
    return {**archives.fixture(f"three-stones/{fixture}"), "match": f"m-{version}-{number}", "producer": producer}


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Version 1.9 breaks one clause and 1.10 another; they are loaded in the other order."""
    documents = [
        _of_version("1.10", 1, "fault-wrong-total"),
        _of_version("1.10", 2, "clean-slide-3"),
        _of_version("1.9", 1, "fault-slid-too-far"),
        _of_version("1.9", 2, "fault-slid-too-far"),
    ]
    return archives.of_documents(tmp_path_factory.mktemp("versions") / "audit.db", documents)


def test_what_is_new_in_a_build_and_what_is_gone_is_said(versions: Path) -> None:
    page = seen(serving.answers(versions, BUILDS)[0])
    table = page.tables["line-1"]
    newer, older = table[1:3]
    assert newer == ["1.10", "2", "0", "1", "0", "1", "50%"]
    assert older == ["1.9", "2", "2", "0", "0", "0", "100%"]
    assert "1.10 new claim.total Three stones in a row 1 gone move.adjacent Three stones in a row" in page.text
    assert body(table[3:]) == {
        "move.adjacent Three stones in a row": ["gone 0", "2"],
        "claim.total Three stones in a row": ["new 1", "0"],
    }


def test_a_long_line_is_cut_and_shown_whole_alone(tmp_path: Path) -> None:
    documents = [_of_version(f"1.{minor}", 1, "clean-slide-3") for minor in range(20)]
    path = archives.of_documents(tmp_path / "audit.db", documents)
    page = seen(serving.answers(path, BUILDS)[0])
    assert [row[0] for row in page.tables[page.ids[-1]][1:]] == [f"1.{minor}" for minor in range(19, 11, -1)]
    [more] = [link.address for link in page.links if "builds: 20" in link.text]
    alone = seen(serving.answers(path, more)[0])
    assert [row[0] for row in alone.tables[alone.ids[-1]][1:]] == [f"1.{minor}" for minor in range(19, -1, -1)]


def test_lines_of_builds_come_page_after_page(tmp_path: Path) -> None:
    document = archives.fixture("three-stones/clean-slide-3")
    names = [f"app-{number:02}" for number in range(45)]
    documents = [{**document, "match": name, "producer": {"name": name}} for name in names]
    path = archives.of_documents(tmp_path / "audit.db", documents)
    assert _headings(path, BUILDS) == names


def _headings(path: Path, address: str) -> list[str]:
    """The second headings of a page and of all that follow it."""
    [response] = serving.answers(path, address)
    found = re.findall(r"<h2[^>]*>\s*<bdi>([^<]*)", response.text)
    onward = re.search(r'href="([^"]*)" rel="next"', response.text)
    return found + (_headings(path, onward[1].replace("&amp;", "&")) if onward else [])


# --- The rulebook ---------------------------------------------------------------------------------------------------


def test_every_ruleset_is_listed_with_its_counts(audited_database: Path, client: Client) -> None:
    table = body(seen(client(RULES)[0]).tables["h1"])
    assert len(table) == len(GAMES)
    for ruleset in GAMES:
        book = rulebook.book(ruleset)
        query = "select count(*), sum(status in ('illegal', 'misscored')) from matches where ruleset = ?"
        [(matches, faulty)] = rows(audited_database, query, ruleset)
        query = "select count(*) from findings join clauses on clauses.id = findings.clause where ruleset = ?"
        [(findings,)] = rows(audited_database, query, ruleset)
        numbers = [str(number) for number in (len(book.entries), matches, faulty, findings)]
        assert table[f"{book.title['en']} {ruleset}"] == numbers


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", [*GAMES, "log", "common"])
def test_every_entry_has_an_anchor_and_both_languages(client: Client, ruleset: str, language: str) -> None:
    [response] = client(f"{RULES}/{ruleset}", headers={"accept-language": language})
    page = seen(response)
    book = rulebook.book(ruleset)
    assert [key for key in page.ids if key in book.entries] == list(book.entries)
    for entry in book.entries.values():
        start = response.text.index(f'<article class="entry" id="{entry.id}">')
        article = response.text[start : response.text.index("</article>", start)]
        folded = article[article.index("<details>") : article.index("</details>")]
        open_text = " ".join(Seen(article.replace(folded, "")).text.split())
        [other] = [each for each in LANGUAGES if each != language]
        assert " ".join(entry.rule[language].split()) in open_text
        assert " ".join(entry.rule[other].split()) in Seen(folded).text
        assert entry.source in open_text
        for reading in entry.readings:
            assert rulebook.word(reading, language) in open_text


@pytest.mark.parametrize("ruleset", list(GAMES))
def test_a_clause_tells_how_often_it_is_cited_and_where_last(
    audited_database: Path, client: Client, ruleset: str
) -> None:
    [response] = client(f"{RULES}/{ruleset}")
    query = """
        select count(*), count(distinct match) from findings join clauses on clauses.id = findings.clause
        where ruleset = ? and clauses.clause = ?"""
    newest = """
        select match, event from findings join clauses on clauses.id = findings.clause
        where ruleset = ? and clauses.clause = ? order by findings.rowid desc limit 5"""
    for key in rulebook.book(ruleset).entries:
        start = response.text.index(f'<article class="entry" id="{key}">')
        article = Seen(response.text[start : response.text.index("</article>", start)])
        [(findings, matches)] = rows(audited_database, query, ruleset, key)
        if findings:
            speech = Speech("en")
            assert speech.say("rules.findings", count=findings) in article.text
            assert speech.say("rules.in-matches", count=matches) in article.text
        else:
            assert "No finding cites it." in article.text
        expected = [
            f"/-/auditor/match/{match}" + ("" if event is None else f"#e{event}")
            for match, event in rows(audited_database, newest, ruleset, key)
        ]
        assert [link.address for link in article.links if "/match/" in link.address] == expected


@pytest.mark.parametrize(
    "name", ["chess", "tarneeb", "..%2Fcommon", "tarneeb-classic%2F..%2Fcommon", "%3Cscript%3E", "words", "__init__"]
)
def test_a_ruleset_that_nobody_knows_is_not_found(client: Client, name: str) -> None:
    assert client(f"{RULES}/{name}")[0].status_code == 404


@pytest.mark.usefixtures("high_card")
def test_the_game_of_another_package_is_in_the_rulebook(audited_database: Path) -> None:
    table, book = serving.answers(audited_database, RULES, f"{RULES}/high-card")
    title = rulebook.book("high-card").title["en"]
    assert f"{title} high-card" in body(seen(table).tables["h1"])
    assert set(rulebook.book("high-card").entries) <= set(seen(book).ids)


# --- Players --------------------------------------------------------------------------------------------------------


def test_the_pages_of_players_lead_through_all_of_them(audited_database: Path) -> None:
    found = _through(audited_database, PLAYERS, r'<a href="/-/auditor/players/(\d+)">')
    assert found == [str(number) for (number,) in rows(audited_database, "select id from players order by name, id")]


def _through(path: Path, address: str, pattern: str) -> list[str]:
    """What the pattern finds on a page and on all that follow it."""
    [response] = serving.answers(path, address)
    assert response.status_code == 200
    found = re.findall(pattern, response.text)
    onward = re.findall(r'href="([^"]*)" rel="next"', response.text)
    assert len(onward) <= 1
    return found + (_through(path, onward[0].replace("&amp;", "&"), pattern) if onward else [])


def test_a_player_has_matches_with_partner_and_opponents(tmp_path: Path) -> None:
    document = archives.fixture("tarneeb-classic/fault-revoke")
    document["players"] = [{"id": f"p{seat}", "name": f"Player {seat}"} for seat in range(4)]
    path = archives.of_documents(tmp_path / "audit.db", [document])
    page = seen(serving.answers(path, f"{PLAYERS}/3")[0])
    assert page.tables["matches"][1:] == [
        ["fault-revoke", "illegal", "Tarneeb, classic", "Player 0", "Player 1, Player 3", "Jan 1, 2026"]
    ]
    assert "sat in 1 match" in page.text
    assert "Seat 2 plays 2♠ while it can follow suit in diamonds." in page.text
    assert "/-/auditor/match/1#e22" in [link.address for link in page.links]
    others = seen(serving.answers(path, f"{PLAYERS}/1")[0])
    assert "Nothing." in others.texts["findings"]


def test_every_match_of_a_player_is_reached_beside_the_findings(audited_database: Path) -> None:
    [(matches,)] = rows(audited_database, "select count(*) from seats where player = 1")
    assert matches > people._MATCHES_A_PAGE
    [response] = serving.answers(audited_database, f"{PLAYERS}/1")
    found = []
    while True:
        table = response.text[response.text.index('<h2 id="matches">') :]
        found += [int(number) for number in re.findall(r'<th scope="row"><a href="/-/auditor/match/(\d+)">', table)]
        onward = re.search(r'href="([^"]*)" rel="next"', table)
        if onward is None:
            break
        [response] = serving.answers(audited_database, onward[1].replace("&amp;", "&"))
    query = "select match from seats where player = 1 order by match desc"
    assert found == [match for (match,) in rows(audited_database, query)]


@pytest.mark.parametrize(
    "path",
    [
        *(f"{PLAYERS}/{number}" for number in ("0", "99999", "999999999999999999", "9" * 30, "-1", "x", "1x", "1/2")),
        *(f"{PLAYERS}?after={text}" for text in ("x", "-1", "9" * 30, "1.5", "١")),
        *(f"{PLAYERS}/1?matches=x", f"{PLAYERS}/1?findings=x", f"{RUNS}?before=x", f"{BUILDS}?line=x"),
        *(f"{BUILDS}?line=99999", f"{BUILDS}?from=x", f"{FRONT}/nothing"),
    ],
)
def test_what_is_not_there_is_not_found(client: Client, path: str) -> None:
    assert client(path)[0].status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_database_that_is_too_slow_is_said_and_when_to_come_again(audited_database: Path, language: Language) -> None:
    async def hurried() -> list[Any]:
        async with wire.served(audited_database) as datasette:
            await datasette.invoke_startup()
            datasette.sql_time_limit_ms = 0
            paths = (f"{FRONT}?lang={language}", f"{FRONT}/match/{'0' * 64}.json")
            return [await datasette.client.get(path) for path in paths]

    page, answer = wire.run(hurried)
    for response in (page, answer):
        assert response.status_code == 503
        assert response.headers["retry-after"] == "5"
    assert Speech(language).say("site.late-why") in unescape(page.text)
    assert answer.json() == {"ok": False, "status": 503, "error": "The database took too long to answer."}


# --- Runs -----------------------------------------------------------------------------------------------------------


def test_runs_say_what_was_read_and_what_never_finished(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    archives.of_documents(path, [archives.fixture("three-stones/clean-slide-3"), {"format": "match-log/1"}])
    with Store.open(path) as store:

        def broken() -> Any:
            yield from ()
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.load(
                broken(),
                Auditor("9", "x"),
                ["<b>&", "\u202e.json", *map(str, range(20))],
                lambda: "2026-01-02T03:04:05Z",
            )
    page = seen(serving.answers(path, RUNS)[0])
    assert [key for key in page.ids if key.startswith("run-")] == ["run-2", "run-1"]
    newest, oldest = (" ".join(page.texts[key].split()) for key in ("run-2", "run-1"))
    assert "Not finished: it was stopped, or it still goes on." in newest
    assert r"Asked to read: <b>& \u202e.json 0 1" in newest
    assert "and 12 more" in newest
    assert "Read0 New matches0 New verdicts0" in newest
    assert "Auditor9 (x)" in newest
    [(faults,)] = rows(path, "select count(*) from unreadable")
    assert faults > 0
    assert "Not finished" not in oldest
    assert "Read2 New matches1 New verdicts1" in oldest
    assert f"Faults of form{faults}" in oldest
    assert "/audit/unreadable?run=1" in [link.address for link in page.links]


# --- Languages ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_is_in_one_language_and_says_no_key(client: Client, language: str) -> None:
    names = "|".join({key.partition(".")[0] for key in phrases()} - {"match"})
    for path, response in zip(FULL, client(*FULL, headers={"accept-language": language}), strict=True):
        page = seen(response)
        assert page.html == {"lang": language, "dir": Speech(language).direction}, path  # type: ignore[arg-type]
        assert not re.search(rf"\b({names})\.[a-z][a-z-]+\b", page.text), path
        assert not re.search(r"\{\w*\}", page.text), path


# --- What a log brings ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archives.of_hostile_logs(tmp_path_factory.mktemp("hostile") / "audit.db")


def test_names_and_ids_of_any_kind_appear_as_text(hostile: Path) -> None:
    [(players,)] = rows(hostile, "select count(*) from players")
    paths = (*ALL, *(f"{PLAYERS}/{number}" for number in range(1, players + 1)))
    responses = dict(zip(paths, serving.answers(hostile, *paths), strict=True))
    for path, response in responses.items():
        assert response.status_code == 200, path
        assert not re.search(r"<(script>|img|svg onload)", response.text), path
        assert not re.search(
            "[\u202a-\u202e\u2066-\u2069\u0007]", Seen(response.text).text.replace("\u2066", "").replace("\u2069", "")
        ), path
    listed = seen(responses[PLAYERS]).text
    for text in (
        "<script>alert(1)</script>",
        r"\u202egnp.cod\u2066",
        "{{ 7 * 7 }}",
        r"two\u000alines",
        "a/b/../c?d=e&f=g#h",
    ):
        assert text in listed
    assert "{{ 7 * 7 }}" in seen(responses[FRONT]).text


def test_every_player_and_match_of_any_name_is_reached_by_its_link(hostile: Path) -> None:
    [response] = serving.answers(hostile, PLAYERS)
    links = re.findall(r'<a href="(/-/auditor/players/\d+)">', response.text)
    assert len(links) == rows(hostile, "select count(*) from players")[0][0]
    for answer in serving.answers(hostile, *links):
        page = seen(answer)
        matches = [link.address.partition("#")[0] for link in page.links if "/match/" in link.address]
        assert matches
        assert {match.status_code for match in serving.answers(hostile, matches[0], follow_redirects=True)} == {200}


@pytest.mark.parametrize("text", archives.HOSTILE)
def test_a_match_is_found_by_an_id_of_any_kind(hostile: Path, text: str) -> None:
    [response] = serving.answers(hostile, FRONT, params={"q": text})
    query = "select id from matches where match_id = ?"
    [(number,)] = rows(hostile, query, text)
    if text == text.strip() and text.isprintable():
        assert f"/-/auditor/match/{number}" in [link.address for link in seen(response).links]
    assert response.status_code == 200


# --- Who may see it -------------------------------------------------------------------------------------------------

#: What each page counts, lists or tells.
READ: Mapping[str, Sequence[str]] = {
    FRONT: (
        "tallies",
        "citations",
        "matches",
        "findings",
        "clauses",
        "producers",
        "players",
        "seats",
        "runs",
        "auditors",
    ),
    BUILDS: ("tallies", "producers", "clauses", "matches"),
    RULES: ("tallies", "citations", "clauses", "matches", "findings"),
    f"{RULES}/tarneeb-classic": ("tallies", "citations", "clauses", "matches", "findings"),
    PLAYERS: ("players", "seats"),
    f"{PLAYERS}/1": ("players", "seats", "matches", "findings", "clauses"),
    RUNS: ("runs", "auditors"),
}


@pytest.mark.parametrize(("path", "table"), [(path, table) for path, tables in READ.items() for table in tables])
def test_a_page_is_forbidden_to_whoever_may_not_see_a_table_of_it(
    audited_database: Path, path: str, table: str
) -> None:
    config = {"databases": {"audit": {"tables": {table: {"allow": {"id": "root"}}}}}}
    [refused] = serving.answers(audited_database, path, config=config)
    assert refused.status_code == 403
    assert not re.search("tarneeb|fault-|player-|club-server", refused.text.replace("tarneeb-classic</title>", ""))
    [allowed] = serving.answers(audited_database, path, config=config, actor={"id": "root"})
    assert allowed.status_code == 200


def test_a_database_that_may_not_be_seen_has_no_pages(audited_database: Path) -> None:
    config = {"databases": {"audit": {"allow": False}}}
    pages = [path for path in FULL if path != "/"]
    for response in serving.answers(audited_database, *pages, config=config):
        assert response.status_code == 403
    (root,) = serving.answers(audited_database, "/", config=config)
    assert (root.status_code, root.headers["location"]) == (302, "/-/")


# --- Several databases ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("two")
    document = archives.fixture("three-stones/clean-slide-3")
    paths = []
    for name, count in (("one", 1), ("saison d’été", 2)):
        documents = [{**document, "match": f"{name}-{number}"} for number in range(count)]
        paths.append(archives.of_documents(folder / f"{name}.db", documents))
    return paths


def test_each_database_has_its_own_pages(two: list[Path]) -> None:
    first, named, other = map(
        seen, serving.answers(two, FRONT, f"{FRONT}?database=one", f"{FRONT}?database=saison+d%E2%80%99%C3%A9t%C3%A9")
    )
    assert "1 match" in first.text
    assert "1 match" in named.text
    assert "2 matches" in other.text
    assert "/-/auditor?database=saison+d%E2%80%99%C3%A9t%C3%A9" in [link.address for link in first.links]


def test_every_link_of_a_page_stays_in_its_database(two: list[Path]) -> None:
    paths = [f"{path}{'&' if '?' in path else '?'}database=saison+d%E2%80%99%C3%A9t%C3%A9" for path in FULL]
    for path, response in zip(paths, serving.answers(two, *paths), strict=True):
        page = seen(response)
        for link in page.links:
            if link.address.startswith("/-/auditor") and "lang=" not in link.address:
                assert "database=saison" in link.address or link.address.endswith("database=one"), (path, link)
            assert not link.address.startswith("/one/"), (path, link)
        if 'role="search"' in response.text:
            assert '<input type="hidden" name="database" value="saison d’été">' in response.text


def test_a_database_that_is_not_served_is_not_found(two: list[Path]) -> None:
    for response in serving.answers(two, *(f"{path.partition('?')[0]}?database=third" for path in FULL)):
        assert response.status_code == 404
