"""The form by which a person sends a log, and the page that tells what came of it.

In: a request, or verdicts as they are given. Out: pages. Refuses to know how a log is audited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from babel import units
from datasette.database import Database
from datasette.utils.asgi import Request, Response

from auditor import rulebook
from auditor.log import Log
from auditor.verdict import STATUSES, Finding
from auditor.web import matches, paths, rendering
from auditor.web.auditing import Heard
from auditor.web.language import Speech, chosen
from auditor.web.limits import Limits, Refused
from auditor.web.storing import may_store

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

#: So many matches are told of one by one, and so many faults of what is no match log.
MOST_MATCHES, MOST_FAULTS = 200, 20
#: So much of the logs comes with the page, to look at single matches that are not stored.
MOST_LOG_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Fault:
    """One finding of form or of play, with its sentence."""

    finding: Finding
    sentence: str


@dataclass(frozen=True, slots=True)
class Row:
    """One of several matches that were sent, or a stretch of what was sent that is none.

    ``faults`` are those of form, or else the first one of play. ``address`` leads to a stored match; of another one
    ``log`` is what has to be sent again to look at it.
    """

    status: str
    match: str | None
    ruleset: str | None
    title: str | None
    line: int
    faults: Sequence[Fault]
    more_faults: int
    address: str | None
    log: str | None


async def form(
    datasette: Datasette, request: Request, shown: Database | None, limits: Limits, refused: Refused | None = None
) -> Response:
    """The form; after a request that was refused, with the reason. ``shown`` is what the other pages show."""
    speech = Speech(chosen(request))
    context = {
        "here": "audit",
        "may_store": await may_store(datasette, request),
        "limits": limits,
        "body_size": _size(limits.body_bytes, speech),
        "unpacked_size": _size(limits.unpacked_bytes, speech),
        "refusal": None if refused is None else refused.sentence(speech),
        "place": None if refused is None else refused.place,
    }
    status = 200 if refused is None else refused.status
    page = await rendering.page(datasette, request, "audit.html", shown, context, status)
    page.headers |= {} if refused is None else refused.headers
    return page


async def verdicts(
    datasette: Datasette,
    request: Request,
    shown: Database | None,
    stored_in: Database | None,
    heard: AsyncIterator[Heard],
) -> Response:
    """What came of one sending: the page of the match, or a list where there are several or what is none."""
    speech = Speech(chosen(request))
    counts: Counter[str] = Counter()
    rows: list[Row] = []
    room = MOST_LOG_BYTES
    only: Heard | None = None
    async for each in heard:
        counts[each.verdict.status] += 1
        only = each if counts.total() == 1 else None
        if len(rows) < MOST_MATCHES:
            rows.append(_row(datasette, stored_in, speech, each, room))
            room -= len(rows[-1].log or "")
    if only is not None and isinstance(only.entry, Log):
        if stored_in is None:
            return await matches.sent_page(datasette, request, only.entry, only.verdict)
        return Response.redirect(paths.match(datasette, stored_in, only.entry.digest), status=303)
    context = {
        "here": "audit",
        "rows": rows,
        "counts": [(status, counts[status]) for status in STATUSES if counts[status]],
        "more": counts.total() - len(rows),
        "stored_in": None if stored_in is None else stored_in.name,
    }
    status = 400 if counts["invalid"] == counts.total() > 0 else 200
    return await rendering.page(datasette, request, "verdicts.html", shown, context, status)


def _row(datasette: Datasette, stored_in: Database | None, speech: Speech, heard: Heard, room: int) -> Row:
    verdict, log = heard.verdict, heard.entry if isinstance(heard.entry, Log) else None
    wrong = [finding for finding in verdict.findings if finding.kind in ("schema", "illegal", "claim")]
    told = wrong[: MOST_FAULTS if log is None else 1]
    title = None if verdict.ruleset is None else rulebook.book(verdict.ruleset).title[speech.language]
    is_at_hand = log is not None and stored_in is None and len(log.canonical) <= room
    return Row(
        verdict.status,
        verdict.match,
        verdict.ruleset,
        title,
        heard.entry.place.line,
        [Fault(finding, finding.message(verdict.ruleset, speech.language)) for finding in told],
        len(wrong) - len(told),
        None if log is None or stored_in is None else paths.match(datasette, stored_in, log.digest),
        log.canonical.decode() if log is not None and is_at_hand else None,
    )


def _size(count: int, speech: Speech) -> str:
    """A number of bytes as people say it."""
    sizes = (("gigabyte", 10**9), ("megabyte", 10**6), ("kilobyte", 10**3), ("byte", 1))
    unit, size = next(pair for pair in sizes if count >= pair[1])
    told: str = units.format_unit(
        count // size if count % size == 0 else round(count / size, 1),
        f"digital-{unit}",
        locale=speech.language,
        numbering_system="latn",
    )
    return told
