"""Writing: every page of a site, one after another.

In: the path of an audit database, and an empty folder. Out: the folder with all pages in it, and how many there are.
Refuses to know rules, what a page looks like, and how the folder comes to its place.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import zstandard
from datasette.app import Datasette
from datasette.database import Database, Results
from datasette.utils.asgi import NotFound
from datasette.utils.sqlite import sqlite3

from auditor.errors import CannotAudit
from auditor.games import GAMES
from auditor.rulebook import LANGUAGES, Language
from auditor.site.addresses import STATIC, Page, list_place, match_place
from auditor.site.scripts import bundled, static
from auditor.verdict import STATUSES
from auditor.web import frames, matches, queries, rendering, rules
from auditor.web.contents import contents
from auditor.web.language import Speech
from auditor.web.queries import ListedMatch

#: What a browser may do on a page, as far as a page can say it of itself.
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
#: So many matches stand on one page of a list.
MATCHES_A_PAGE = 200
_STYLES = ("site", "lists", "cards", "replay", "match")
#: Modules, each with all that it imports.
_SCRIPTS = ("replay", "filter")
#: What is no match log has no page.
_STATUSES = tuple(status for status in STATUSES if status != "invalid")
#: The top of each page leads there.
_PAGES = ("rules",)
#: Nobody waits for a page here.
_SETTINGS = {"sql_time_limit_ms": 10_000_000, "num_sql_threads": 0}
_LONGEST_TITLE = 120
#: What reading a damaged database raises: of the file, of its texts, and of logs and verdicts, which are packed.
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError, zstandard.ZstdError, msgspec.DecodeError, NotFound)
#: A list of very many pages shows some of them, about so many apart.
_MOST_NUMBERS = 20
_NO_LINKS: Mapping[str, str | None] = {"log_address": None, "verdict_address": None, "tables_url": None}


@dataclass(frozen=True, slots=True)
class Made:
    """How many pages there are, and of how many matches. ``foreign`` ones have none: their rules are not installed."""

    pages: int
    matches: int
    foreign: int


def write(
    database: Path, folder: Path, step: Callable[[], None], title: str | None = None, data: str | None = None
) -> Made:
    """Writes the pages of all matches in the database, of the rulebook, and lists that lead to them.

    ``title`` is what the site is called, and ``data`` the address of the files that it was made from. ``step`` is
    called for each match. Nothing may be loaded into the database meanwhile. Raises ``CannotAudit`` for a database
    that is damaged or holds no match, and ``OSError`` where the folder cannot be written.
    """
    log = database.with_name(f"{database.name}-wal")
    is_pending = log.exists() and log.stat().st_size > 0
    # What lies in a log beside the file is not seen in a file that is said not to change.
    datasette = Datasette([], settings=_SETTINGS)
    source = datasette.add_database(_Source(datasette, str(database), is_mutable=is_pending))
    try:
        return asyncio.run(_written(source, folder, step, title, data))
    except _DAMAGE as error:
        raise CannotAudit(f"{database}: expected an audit database that can be read, found: {error}") from error
    finally:
        datasette.close()


class _Source(Database):  # type: ignore[misc]
    """A database that leaves it to us to say what is wrong with it."""

    async def execute(self, *arguments: Any, **keys: Any) -> Results:
        return await super().execute(*arguments, **keys, log_sql_errors=False)


class _Writer:
    """Makes files of templates; counts them."""

    def __init__(self, source: str, folder: Path, digests: Mapping[int, str], title: str | None) -> None:
        """``digests`` are those of the matches that have a page, by their numbers in the database, the ``source``."""
        self._source = source
        self._folder = folder
        self._digests = digests
        self._title = title
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("auditor.web"), autoescape=True, undefined=jinja2.ChainableUndefined
        )
        self.count = 0

    def page(self, template: str, place: str, language: Language, context: Mapping[str, Any]) -> None:
        page, speech = Page(place, language), Speech(language)

        def match_at(number: int, event: int | None = None) -> str:
            if number not in self._digests:
                expected = "expected that nobody loads into it meanwhile"
                raise CannotAudit(f"{self._source}: {expected}, found one more match, {number}")
            return page.to(match_place(self._digests[number]), event)

        always = rendering.surroundings(
            speech, page_at=lambda place="": page.to(place), match_at=match_at, languages=page.languages, pages=_PAGES
        )
        site = {
            "urls": page,
            "policy": POLICY,
            "site_title": None if self._title is None else speech.shown(self._title, _LONGEST_TITLE),
        }
        text = self._templates.get_template(f"auditor/{template}").render({**always, **site, **context})
        self.file(page.file, text)
        self.count += 1

    def file(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


async def _written(
    database: Database, folder: Path, step: Callable[[], None], title: str | None, data: str | None
) -> Made:
    stored = await queries.digests(database)
    digests = {row.number: row.digest.removeprefix("sha256:") for row in stored if row.ruleset in GAMES}
    if not digests:
        raise CannotAudit(f"{database.path}: expected matches of known rulesets, found none")
    writer = _Writer(str(database.path), folder, digests, title)
    for name in _STYLES:
        writer.file(f"{STATIC}/{name}.css", static(f"{name}.css"))
    for name in _SCRIPTS:
        writer.file(f"{STATIC}/{name}.js", bundled(name))
    counts = Counter[tuple[str, str]]()
    for tally in await queries.tallies(database):
        counts[tally.ruleset, tally.status] += tally.matches
    foreign = len(stored) - len(digests)
    await _write_front(writer, database, counts, foreign, data)
    for ruleset, status in counts:
        if ruleset in GAMES:
            await _write_list(writer, database, ruleset, status, counts[ruleset, status])
    await _write_rules(writer, database, digests)
    for number, digest in digests.items():
        await _write_match(writer, database, number, digest, digests)
        step()
    return Made(writer.count, len(digests), foreign)


async def _write_front(
    writer: _Writer, database: Database, counts: Mapping[tuple[str, str], int], foreign: int, data: str | None
) -> None:
    known = {key: count for key, count in counts.items() if key[0] in GAMES}
    context = {
        "total": sum(known.values()),
        "faulty": sum(count for (_, status), count in known.items() if status in rules.FAULTY),
        "unreadable": await queries.unreadable_count(database),
        "foreign": foreign,
        "rulesets": [ruleset for ruleset in GAMES if any(ruleset == key[0] for key in known)],
        "statuses": _STATUSES,
        "counts": known,
        "list_place": list_place,
        "data": data,
        "title": rules.title,
    }
    for language in LANGUAGES:
        writer.page("archive_front.html", "", language, context)


async def _write_list(writer: _Writer, database: Database, ruleset: str, status: str, count: int) -> None:
    pages = -(-count // MATCHES_A_PAGE)
    last: ListedMatch | None = None
    for number in range(1, pages + 1):
        rows = await queries.listed_matches(database, ruleset, status, MATCHES_A_PAGE, last)
        last = rows[-1]
        context = {
            "ruleset": ruleset,
            "name": status,
            "count_of_all": count,
            "matches": rows,
            "number": number,
            "numbers": list(offered(number, pages)),
            "list_place": list_place,
            "title": rules.title,
        }
        for language in LANGUAGES:
            writer.page("archive_list.html", list_place(ruleset, status, number), language, context)


def offered(number: int, pages: int) -> Iterator[int | None]:
    """The pages that one of them leads to: the first and last, its neighbours, some between; ``None`` for a gap."""
    apart = -(-pages // _MOST_NUMBERS)
    before = 0
    for each in range(1, pages + 1):
        if each in (1, pages) or abs(each - number) <= 1 or each % apart == 0:
            if each > before + 1:
                yield None
            yield each
            before = each


async def _write_rules(writer: _Writer, database: Database, digests: Mapping[int, str]) -> None:
    listed = await rules.list_of_books(database)
    for language in LANGUAGES:
        writer.page("rules.html", "/rules", language, listed)
        for ruleset in (*GAMES, *rules.SHARED_BOOKS):
            book = await rules.book_in(language, database, ruleset)
            book["entries"] = [_led_to(row, digests) for row in book["entries"]]
            writer.page("rulebook.html", f"/rules/{ruleset}", language, book)


def _led_to(row: rules.CitedEntry, digests: Mapping[int, str]) -> rules.CitedEntry:
    """Without the findings of matches that have no page."""
    return replace(row, newest=[finding for finding in row.newest if finding.match.number in digests])


async def _write_match(
    writer: _Writer, database: Database, number: int, digest: str, digests: Mapping[int, str]
) -> None:
    stored = await queries.stored_match(database, f"sha256:{digest}")
    assert stored is not None, digest
    stored = replace(stored, same_id=tuple(other for other in stored.same_id if other in digests))
    match = await matches.opened(database, stored)
    given = (match.log, match.verdict, match.told, match.facts)
    for language in LANGUAGES:
        context = contents(Speech(language), *given, _NO_LINKS, (), len(match.log.match.events))
        context["viewer"]["packed"] = frames.packed(context["viewer"].pop("tables"))
        writer.page("replay.html", match_place(digest), language, context)
