"""What the page of one match says.

In: a log, the verdict on it and what is told of each finding. Out: plain values for the template. Refuses to know
where they were stored, and which addresses there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from auditor import position, rulebook
from auditor.games import GAMES
from auditor.log import Log
from auditor.replay import audit
from auditor.verdict import to_json
from auditor.web import frames
from auditor.web.findings import Told
from auditor.web.language import Speech, phrases

#: So many of the findings that come later in a deal are linked to.
_MOST_LINKS = 12
#: So many tables are fetched at once.
_CHUNK = 200


def contents(
    speech: Speech,
    log: Log,
    verdict: Mapping[str, Any],
    told: Sequence[Told],
    facts: Mapping[str, Any],
    links: Mapping[str, str | None],
    players: Sequence[int],
    most_embedded: int,
) -> dict[str, Any]:
    """All that the page says of the match. Replays it, so that it takes a while.

    ``facts`` are what the log does not know of itself. Where ``links`` names no address for tables, those before the
    first ``most_embedded`` events come with the page.
    """
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
        first, end = 0, min(count, most_embedded) + 1
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
        **links,
        "match": {**_about(speech, log, verdict, told), **facts},
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
