"""The page of one match, and its log, its verdict and its tables as JSON.

In: a digest, or the number of a row. Out: the replay with everything that the auditor says of it. Refuses to know
rules, and how a table is drawn: the browser does that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from datasette.utils.asgi import Forbidden, NotFound, Request, Response

from auditor import __version__, position, rulebook
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.store import Auditor
from auditor.verdict import Verdict, to_json
from auditor.web import access, frames, paths, queries, rendering
from auditor.web.contents import contents
from auditor.web.findings import Told, told_by, told_in
from auditor.web.language import Speech, chosen

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette
    from datasette.database import Database

#: What a match is read from.
_TABLES = ("matches", "logs", "documents", "auditors", "findings", "clauses", "seats")
#: So many findings of one match are told on its page; its verdict has them all.
MOST_FINDINGS = 200
#: The tables of a match that is not stored come with its page, before so many events.
_MOST_EMBEDDED = 5000
#: What is not stored goes with its page, to be sent again for the other language, if it is no longer than this.
_MOST_SENT_AGAIN_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A stored match: its typed log, the verdict, what is told of it, and ``facts`` that the log does not hold."""

    log: Log
    verdict: Mapping[str, Any]
    told: Sequence[Told]
    facts: Mapping[str, Any]


async def opened(database: Database, stored: queries.StoredMatch) -> Opened:
    """What the page of a stored match is made of. Raises ``NotFound`` where the rules of its game are not installed."""
    verdict = msgspec.json.decode(stored.verdict)
    told = told_in(verdict, await queries.words_of_findings(database, stored.number, MOST_FINDINGS))
    facts = {
        "auditor": stored.auditor,
        "file": stored.file,
        "line": stored.line,
        "is_stored": True,
        "same_id": stored.same_id,
    }
    return Opened(_log(stored), verdict, told, facts)


async def match(datasette: Datasette, request: Request) -> Response:
    """The page of a stored match."""
    database, stored = await _asked_for(datasette, request)
    found = await opened(database, stored)
    address = paths.match(datasette, database, stored.digest)
    links = {
        "log_address": _beside(address, "/log.json"),
        "verdict_address": _beside(address, ".json"),
        "tables_url": _beside(address, "/tables.json"),
    }
    return await _page(datasette, request, database, found, links, stored.players)


async def sent_page(datasette: Datasette, request: Request, log: Log, verdict: Verdict) -> Response:
    """The page of a match that was sent to the service and is not stored: everything comes with it."""
    facts = {
        "auditor": str(Auditor(__version__, rulebook.digest())),
        "file": log.place.file,
        "line": log.place.line,
        "is_stored": False,
        "same_id": (),
    }
    links: dict[str, str | None] = {"log_address": None, "verdict_address": None, "tables_url": None}
    links["stored_address"] = await _stored_address(datasette, request, log.digest)
    links["resend"] = log.canonical.decode() if len(log.canonical) <= _MOST_SENT_AGAIN_BYTES else None
    as_stored = msgspec.json.decode(to_json(verdict))
    sent = Opened(log, as_stored, told_by(verdict)[:MOST_FINDINGS], facts)
    return await _page(datasette, request, None, sent, links, ())


async def _stored_address(datasette: Datasette, request: Request, digest: str) -> str | None:
    """Where the same log is shown, if it is stored in a database that may be seen."""
    try:
        database = await access.database_for(datasette, request, *_TABLES)
    except (NotFound, Forbidden):
        return None
    return None if await queries.stored_match(database, digest) is None else paths.match(datasette, database, digest)


async def verdict_json(datasette: Datasette, request: Request) -> Response:
    """The newest verdict on a match, byte for byte as it was stored."""
    _, stored = await _asked_for(datasette, request)
    return Response(stored.verdict, content_type="application/json; charset=utf-8")


async def log_json(datasette: Datasette, request: Request) -> Response:
    """The log of a match in canonical form: the bytes that the digest is of."""
    _, stored = await _asked_for(datasette, request)
    return Response(stored.log, content_type="application/json; charset=utf-8")


async def table_json(datasette: Datasette, request: Request) -> Response:
    """The table as it stood before one event."""
    index = int(request.url_vars["index"])

    def table(log: Log) -> bytes:
        return msgspec.json.encode(position.before(GAMES[log.match.ruleset], log.match, index))

    return await _replayed(datasette, request, table)


async def tables_json(datasette: Datasette, request: Request) -> Response:
    """The tables before the events from ``?from=`` to one before ``?to=``, at most 256 of them."""
    language = chosen(request)
    try:
        first = _index(request.args.get("from") or "0")
        end = _index(request.args.get("to") or str(first + frames.MOST_TABLES))
    except ValueError:
        return rendering.refusal(400, "expected whole numbers as from and to")

    def tables(log: Log) -> bytes:
        last = min(end, first + frames.MOST_TABLES, len(log.match.events) + 1)
        return msgspec.json.encode(frames.stretch(GAMES[log.match.ruleset], log.match, first, last, language))

    return await _replayed(datasette, request, tables)


async def moved(datasette: Datasette, request: Request) -> Response:
    """From the number of a row, which holds in one database only, to the digest, with all that the address asks for."""
    database = await access.database_for(datasette, request, "matches")
    digest = await queries.digest_of(database, int(request.url_vars["number"]))
    if digest is None:
        raise NotFound("There is no such match here")
    path = datasette.urls.path(f"/-/auditor/match/{digest.removeprefix('sha256:')}{request.url_vars['ending']}")
    return Response.redirect(f"{path}?{request.query_string}" if request.query_string else path)


_MATCH = r"/-/auditor/match/(?:sha256(?::|%3A|%3a))?(?P<digest>[0-9a-f]{64})"
ROUTES: Sequence[tuple[str, Callable[..., Any]]] = [
    (r"/-/auditor/match/(?P<number>[0-9]{1,18})(?P<ending>|\.json|/.*)$", moved),
    (_MATCH + r"/log\.json$", log_json),
    (_MATCH + r"/tables\.json$", tables_json),
    (_MATCH + r"/table/(?P<index>[0-9]{1,9})\.json$", table_json),
    (_MATCH + r"\.json$", verdict_json),
    (_MATCH + r"$", match),
]


async def _asked_for(datasette: Datasette, request: Request) -> tuple[Database, queries.StoredMatch]:
    """The match whose digest the address names. Raises ``NotFound`` where there is none."""
    database = await access.database_for(datasette, request, *_TABLES)
    stored = await queries.stored_match(database, f"sha256:{request.url_vars['digest']}")
    if stored is None:
        raise NotFound("There is no such match here")
    return database, stored


async def _replayed(datasette: Datasette, request: Request, made_from: Callable[[Log], bytes]) -> Response:
    """What is made from the log of a match, in a thread of its own; not found where the log has no such event."""
    _, stored = await _asked_for(datasette, request)
    try:
        text = await asyncio.to_thread(lambda: made_from(_log(stored)))
    except IndexError:
        return rendering.refusal(404, "the log has no such event")
    return Response(text, content_type="application/json; charset=utf-8")


def _index(text: str) -> int:
    """A whole number that is not negative. Raises ``ValueError`` for anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ValueError(text)
    return int(text)


def _log(stored: queries.StoredMatch) -> Log:
    """The typed log. Raises ``NotFound`` where the rules of its game are not installed here."""
    log = read_bytes(stored.log, FORMS, stored.file)
    if not isinstance(log, Log):
        raise NotFound("The rules of this match are not installed here")
    return log


def _beside(address: str, ending: str) -> str:
    path, sign, query = address.partition("?")
    return f"{path}{ending}{sign}{query}"


async def _page(
    datasette: Datasette,
    request: Request,
    database: Database | None,
    match: Opened,
    links: Mapping[str, str | None],
    players: Sequence[int],
) -> Response:
    speech = Speech(chosen(request))
    given = (match.log, match.verdict, match.told, match.facts)
    context = await asyncio.to_thread(contents, speech, *given, links, players, _MOST_EMBEDDED)
    return await rendering.page(datasette, request, "replay.html", database, context)
