"""The rulebook in the browser: every clause at an anchor of its own, with what cites it.

In: the rulebook, and how often the newest verdicts cite each clause. Out: the list of rulesets, and a page for each.
Refuses to know what a clause means.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import NotFound, Request, Response

from auditor import rulebook
from auditor.games import GAMES
from auditor.rulebook import LANGUAGES, Language
from auditor.web import access, queries, rendering
from auditor.web.language import NAMES, chosen
from auditor.web.queries import Citation, ListedFinding, Tally

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette
    from datasette.database import Database

#: What counts come from is not to be seen in counts either.
_TABLES = ("tallies", "citations", "clauses", "matches", "findings")
#: The statuses of a match in which something is wrong.
FAULTY = ("illegal", "misscored")
#: So many of the newest findings stand at a clause.
_MOST_FINDINGS = 5
#: The books that all rulesets share, and how the database calls the owner of their clauses.
SHARED_BOOKS, _SHARED_OWNER = ("log", "common"), "common"


@dataclass(frozen=True, slots=True)
class ListedBook:
    """One ruleset in the list: its entries, the matches that were audited by it, and the findings that cite it."""

    ruleset: str
    entries: int
    matches: int
    faulty: int
    findings: int


@dataclass(frozen=True, slots=True)
class CitedEntry:
    """An entry of the rulebook with what cites it; ``clause`` is the number of its row, if it has one."""

    entry: rulebook.Entry
    clause: int | None
    findings: int
    matches: int
    newest: Sequence[ListedFinding]


async def books(datasette: Datasette, request: Request) -> Response:
    """The list of all rulesets, those of other packages included."""
    database = await access.database_for(datasette, request, *_TABLES)
    return await rendering.page(datasette, request, "rules.html", database, await list_of_books(database))


async def book(datasette: Datasette, request: Request) -> Response:
    """The pages of one ruleset, or what all share. Raises ``NotFound`` for a ruleset that nobody knows."""
    ruleset = request.url_vars["ruleset"]
    if ruleset not in GAMES and ruleset not in SHARED_BOOKS:
        raise NotFound(f"There is no ruleset {ruleset}")
    database = await access.database_for(datasette, request, *_TABLES)
    context = await book_in(chosen(request), database, ruleset)
    return await rendering.page(datasette, request, "rulebook.html", database, context)


async def list_of_books(database: Database) -> dict[str, Any]:
    """What the list says of each ruleset."""
    tallies, cited = await asyncio.gather(queries.tallies(database), queries.citations(database))
    known = [_listed(ruleset, tallies, cited) for ruleset in GAMES]
    foreign = sorted({tally.ruleset for tally in tallies} - set(GAMES))
    return {
        "books": known,
        "foreign": [(ruleset, _sum_of(tallies, ruleset)) for ruleset in foreign],
        "shared": [(name, len(rulebook.book(name).entries)) for name in SHARED_BOOKS],
        "title": title,
    }


async def book_in(language: Language, database: Database, ruleset: str) -> dict[str, Any]:
    """What the pages of one ruleset, or of what all share, say in a language."""
    pages = rulebook.book(ruleset)
    tallies, entries = await asyncio.gather(queries.tallies(database), _cited(database, pages))
    other: Language = next(each for each in LANGUAGES if each != language)
    return {
        "book": pages,
        "entries": entries,
        "other": other,
        "other_name": NAMES[other],
        "is_shared": ruleset in SHARED_BOOKS,
        "matches": _sum_of(tallies, ruleset),
        "faulty": _sum_of(tallies, ruleset, FAULTY),
    }


def title(ruleset: str, language: Language) -> str | None:
    """What a ruleset, or a book that all share, is called; ``None`` where no rulebook is there."""
    return rulebook.book(ruleset).title[language] if ruleset in GAMES or ruleset in SHARED_BOOKS else None


def _listed(ruleset: str, tallies: Sequence[Tally], cited: Sequence[Citation]) -> ListedBook:
    return ListedBook(
        ruleset,
        entries=len(rulebook.book(ruleset).entries),
        matches=_sum_of(tallies, ruleset),
        faulty=_sum_of(tallies, ruleset, FAULTY),
        findings=sum(citation.findings for citation in cited if citation.clause.ruleset == ruleset),
    )


def _sum_of(tallies: Iterable[Tally], ruleset: str, statuses: Sequence[str] | None = None) -> int:
    return sum(
        tally.matches
        for tally in tallies
        if tally.ruleset == ruleset and (statuses is None or tally.status in statuses)
    )


async def _cited(database: Database, book: rulebook.Book) -> list[CitedEntry]:
    owner = _SHARED_OWNER if book.ruleset in SHARED_BOOKS else book.ruleset
    rows, cited = await asyncio.gather(queries.clauses(database, owner), queries.citations(database, owner))
    findings: Counter[int] = Counter()
    matches: Counter[int] = Counter()
    for citation in cited:
        findings[citation.clause.number] += citation.findings
        matches[citation.clause.number] += citation.matches
    newest = await asyncio.gather(*(queries.newest_findings(database, number, _MOST_FINDINGS) for number in findings))
    newest_of = dict(zip(findings, newest, strict=True))
    numbers = {clause.id: number for number, clause in rows.items()}
    entries = [(entry, numbers.get(key)) for key, entry in book.entries.items()]
    return [
        CitedEntry(entry, number, findings[number or 0], matches[number or 0], newest_of.get(number or 0, ()))
        for entry, number in entries
    ]


ROUTES: Sequence[tuple[str, Callable[..., Any]]] = [
    (r"/-/auditor/rules$", books),
    (r"/-/auditor/rules/(?P<ruleset>[^/]+)$", book),
]
