"""The page of one match, and its log, its verdict and its tables as JSON.

In: a digest, or the number of a row. Out: the replay with everything that the auditor says of it. Refuses to know
rules, and how a table is drawn: the browser does that.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from datasette.utils.asgi import Forbidden, NotFound, Request, Response
from msgspec import UNSET

from auditor import __version__, position, rulebook
from auditor.games import FORMS, GAMES
from auditor.log import Log, read_bytes
from auditor.replay import audit
from auditor.store import Auditor
from auditor.verdict import Verdict, to_json
from auditor.web import access, frames, paths, queries, rendering
from auditor.web.findings import Told, told_by, told_in
from auditor.web.language import Speech, chosen, phrases

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette
    from datasette.database import Database

#: What a match is read from.
_TABLES = ("matches", "logs", "documents", "auditors", "findings", "clauses", "seats")
#: So many findings of one match are told on its page; its verdict has them all.
MOST_FINDINGS = 200
#: So many of the findings that come later in a deal are linked to.
_MOST_LINKS = 12
#: The tables of a match that is not stored come with its page, before so many events.
_MOST_EMBEDDED = 5000
#: What is not stored goes with its page, to be sent again for the other language, if it is no longer than this.
_MOST_SENT_AGAIN_BYTES = 2_000_000


async def match(datasette: Datasette, request: Request) -> Response:
    """The page of a stored match."""
    database, stored = await _asked_for(datasette, request)
    verdict = msgspec.json.decode(stored.verdict)
    told = told_in(verdict, await queries.words_of_findings(database, stored.number, MOST_FINDINGS))
    address = paths.match(datasette, database, stored.digest)
    links = {
        "log_address": _beside(address, "/log.json"),
        "verdict_address": _beside(address, ".json"),
        "tables_url": _beside(address, "/tables.json"),
    }
    facts = {
        "auditor": stored.auditor,
        "file": stored.file,
        "line": stored.line,
        "is_stored": True,
        "same_id": stored.same_id,
    }
    log = _log(stored)
    return await _page(datasette, request, database, log, verdict, told, facts, links, stored.players)


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
    return await _page(datasette, request, None, log, as_stored, told_by(verdict)[:MOST_FINDINGS], facts, links, ())


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
    log: Log,
    verdict: Mapping[str, Any],
    told: Sequence[Told],
    facts: Mapping[str, Any],
    links: Mapping[str, str | None],
    players: Sequence[int],
) -> Response:
    speech = Speech(chosen(request))
    context = await asyncio.to_thread(_context, speech, log, verdict, told, links, players)
    context["match"] |= facts
    return await rendering.page(datasette, request, "replay.html", database, {**context, **links})


def _context(
    speech: Speech,
    log: Log,
    verdict: Mapping[str, Any],
    told: Sequence[Told],
    links: Mapping[str, str | None],
    players: Sequence[int],
) -> dict[str, Any]:
    """All that the page says of the match. Replays it, so that it takes a while."""
    match, game = log.match, GAMES[log.match.ruleset]
    side_count = len(verdict["totals"])
    names = [player.id if player.name is UNSET or not player.name else player.name for player in match.players]
    seats = [
        {
            "seat": seat,
            "name": names[seat],
            "player_id": player.id,
            "number": players[seat] if players else None,
            "bot": player.bot is True,
            "side": seat % side_count,
        }
        for seat, player in enumerate(match.players)
    ]
    findings = _findings(speech, log, verdict, told)
    start = next((row["event"] for row in findings if row["kind"] in ("illegal", "claim")), 0)
    count = len(match.events)
    if links["tables_url"] is None:
        first, end = 0, min(count, _MOST_EMBEDDED) + 1
        start = min(start, end - 1)
    else:
        first = start - start % _CHUNK
        end = min(first + _CHUNK, count + 1)
    viewer = {
        "count": count if links["tables_url"] else end - 1,
        "tables_url": links["tables_url"],
        "chunk": _CHUNK,
        "language": speech.language,
        "deals": [[*deal["events"], deal["outcome"]] for deal in verdict["deals"]],
        "tricks": position.leads(game, match),
        "findings": [{key: row[key] for key in ("number", "event", "kind", "clause")} for row in findings],
        "seats": [{"name": seat["name"], "side": seat["side"]} for seat in seats],
        "side_count": side_count,
        "start": start,
        "tables": frames.stretch(game, match, first, end, speech.language),
        "words": {
            key.removeprefix("viewer."): row[speech.language]
            for key, row in phrases().items()
            if key.startswith("viewer.")
        },
    }
    return {
        "match": _about(speech, log, verdict, told),
        "seats": seats,
        "sides": [
            {"index": side, "names": [seat["name"] for seat in seats if seat["side"] == side]}
            for side in range(side_count)
        ],
        "findings": findings,
        "more_findings": len(verdict["findings"]) - len(findings),
        "deals": [
            {**_deal(deal), "lines": lines}
            for deal, lines in zip(verdict["deals"], _lines(speech, log, verdict), strict=True)
        ],
        "viewer": msgspec.to_builtins(viewer),
    }


#: So many tables are fetched at once.
_CHUNK = 200


def _about(speech: Speech, log: Log, verdict: Mapping[str, Any], told: Sequence[Told]) -> dict[str, Any]:
    match = log.match
    producer = verdict["producer"] or {}
    return {
        "id": match.match,
        "digest": log.digest.removeprefix("sha256:"),
        "ruleset": match.ruleset,
        "ruleset_title": rulebook.book(match.ruleset).title[speech.language],
        "status": verdict["status"],
        "clause": next((row.clause for row in told if row.kind in ("illegal", "claim")), None),
        "events": len(match.events),
        "producer": " ".join(producer[key] for key in ("name", "version", "build", "platform") if key in producer),
        "started": None if match.started is UNSET else match.started,
        "ended": None if match.ended is UNSET else match.ended,
        "options": [(key, _plain(value)) for key, value in verdict["options"].items()],
        "over": verdict["over"],
        "winner": verdict["winner"],
        "totals": verdict["totals"],
    }


def _findings(speech: Speech, log: Log, verdict: Mapping[str, Any], told: Sequence[Told]) -> list[dict[str, Any]]:
    match = log.match
    became = frames.consequences(
        GAMES[match.ruleset], match, [row.event for row in told if row.event is not None and row.kind == "illegal"]
    )
    deals = [_deal_of(verdict["deals"], finding["event"]) for finding in verdict["findings"]]
    rows = []
    for row in told:
        deal = deals[row.number]
        later = (
            [] if deal is None else [number for number in range(row.number + 1, len(deals)) if deals[number] == deal]
        )
        rows.append(
            {
                "number": row.number,
                "kind": row.kind,
                "clause": row.clause,
                "event": row.event,
                "seat": row.seat,
                "message": row.message[speech.language],
                "rule": row.rule[speech.language],
                "source": row.source,
                "legal": row.legal,
                "expected": _claimed(speech, row, row.expected),
                "found": _claimed(speech, row, row.found),
                "readings": None if row.readings is None else [(n, _plain(p)) for n, p in row.readings.items()],
                "follows": _follows(speech, row, became, verdict["deals"], deal),
                "later": later[:_MOST_LINKS],
                "later_count": len(later),
            }
        )
    return rows


def _follows(
    speech: Speech,
    row: Told,
    became: Mapping[int, frames.Consequence],
    deals: Sequence[Mapping[str, Any]],
    deal: int | None,
) -> list[str]:
    """What came of a finding: for the event, and for the deal that it lies in."""
    sentences = []
    if row.follows is not None:
        sentences.append(speech.say("follows.from", number=row.follows + 1))
    if row.kind == "illegal" and row.event is not None:
        sentences.append(speech.say(f"follows.{became[row.event]}"))
    elif row.kind in ("claim", "open"):
        sentences.append(speech.say(f"follows.{row.kind}"))
    if deal is not None and row.kind in ("illegal", "claim"):
        outcome = deals[deal]["outcome"]
        carried = outcome == "broken" and deals[deal]["claimed_points"] is not None
        sentences.append(speech.say(f"follows.deal-{outcome}{'-carried' if carried else ''}", deal=deal + 1))
    return sentences


def _deal_of(deals: Sequence[Mapping[str, Any]], event: int | None) -> int | None:
    """The deal that an event lies in, notes and ignored events after its end included."""
    if event is None:
        return None
    begun = bisect_right(deals, event, key=lambda deal: deal["events"][0])
    return begun - 1 if begun else None


def _deal(deal: Mapping[str, Any]) -> dict[str, Any]:
    first, last = deal["events"]
    points = [0] * len(deal["totals"]) if deal["outcome"] == "void" else deal["points"]
    claimed = deal["claimed_points"]
    agrees = (
        None if claimed is None or points is None else (claimed, deal["claimed_totals"]) == (points, deal["totals"])
    )
    return {**deal, "points": points, "first": first, "last": last, "agrees": agrees}


def _lines(speech: Speech, log: Log, verdict: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """What each deal's points come from, deal by deal. The reasons are in the language of the page, if this auditor
    gives the same ones; another one's are told as they were stored, and earlier ones stored none."""
    stored: list[list[dict[str, Any]]] = [deal.get("lines", []) for deal in verdict["deals"]]
    given = audit(GAMES[log.match.ruleset], log.match, log.digest)
    if msgspec.json.decode(to_json(given))["deals"] != verdict["deals"]:
        return stored
    return [
        [
            {**row, "message": line.message(log.match.ruleset, speech.language)}
            for row, line in zip(rows, deal.lines, strict=True)
        ]
        for rows, deal in zip(stored, given.deals, strict=True)
    ]


def _claimed(speech: Speech, row: Told, value: Any) -> str | None:
    """What a claim says or should have said; ``None`` for findings that compare nothing."""
    if value is None:
        return speech.word("not due") if row.kind == "claim" else None
    if isinstance(value, Mapping):
        parts = [f"{speech.word(key)} {_part(speech, part)}" for key, part in value.items()]
        return f"{speech.say('lists.comma')} ".join(parts)
    return _plain(value)


def _part(speech: Speech, value: Any) -> str:
    """A part of a claim, whose numbers an Arabic sentence does not turn round."""
    return speech.word("none") if value is None else f"\u2066{_plain(value)}\u2069"


def _plain(value: Any) -> str:
    """A value of a verdict in few words: numbers one a side, and the rest as JSON."""
    if isinstance(value, list | tuple) and value and all(type(part) is int for part in value):
        return rulebook.number_list(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
