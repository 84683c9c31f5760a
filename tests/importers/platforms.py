"""What platforms write: match logs in the forms that importers read.

In: documents of the log format. Out: emitted lines, lines of a server with names of its own, tables. Refuses to know
importers.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from auditor import generate
from auditor.games import GAMES

Document = dict[str, Any]
Line = dict[str, Any]

MAPPINGS = Path(__file__).parent / "mappings"
SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def played(ruleset: str, count: int = 2, seed: int = 5, proves_shuffle: bool = False) -> list[Document]:
    return list(generate.matches(GAMES[ruleset], count, seed, None, proves_shuffle))


def head_of(document: Document) -> Document:
    return {key: value for key, value in document.items() if key not in ("format", "match", "events")}


def text_of(lines: Iterable[Any]) -> bytes:
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def emitted(document: Document) -> list[Line]:
    """As the importer reads it without a mapping."""
    match = document["match"]
    head = {"match": match, "seq": 0, "head": head_of(document)}
    return [head, *({"match": match, "seq": at, "event": event} for at, event in enumerate(document["events"], 1))]


def mixed(lines: Sequence[Line], seed: int, twice: int = 40) -> list[Line]:
    """Late, mixed, some twice."""
    rng = random.Random(seed)
    sent = [*lines, *rng.sample(list(lines), twice)]
    rng.shuffle(sent)
    return sent


# --- A server with names of its own ---------------------------------------------------------------------------------


def club_lines(document: Document) -> Iterator[Line]:
    """The match as ``mappings/club.toml`` describes it."""
    number = 0
    table = {"game": document["match"], "room": "blue"}

    def line(**rest: Any) -> Line:
        nonlocal number
        number += 1
        return {"table": table, "sequence": number, **rest}

    yield line(
        opened={
            "rules": {"tarneeb-classic": "TRN", "three-stones": "3ST"}[document["ruleset"]],
            "options": document["options"],
            "seats": [{"userId": player["id"], "nick": player["name"]} for player in document["players"]],
            "at": {"first": document["started"], "last": document["ended"]},
        }
    )
    for event in document["events"]:
        for payload in _club_payloads(event):
            yield line(payload=payload)


def _club_payloads(event: Document) -> Iterator[Document]:
    rest = {key: value for key, value in event.items() if key in ("at", "by")}
    seat: int = event["winner"] if event["type"] == "trick" else event.get("seat", 0)
    who = {"player": {"seat": seat + 1, "mood": "calm"}}
    match event["type"]:
        case "deal":
            for seat, hand in enumerate(event["hands"]):
                cards = [_suit_first(card) for card in hand]
                yield {"kind": "hand_dealt", "to": seat + 1, "cards": cards, "dealer": event["dealer"] + 1, **rest}
        case "play":
            yield {"kind": "heartbeat", "load": 3}
            yield {"kind": "card_played", "card": _suit_first(event["card"]), "animation": "spin", **rest, **who}
        case "pass":
            yield {"kind": "bid_made", "value": "pass", **rest, **who}
        case "bid":
            yield {"kind": "bid_made", "value": str(event["tricks"]), **rest, **who}
        case "trump":
            yield {"kind": "trump_named", "value": SIGNS[event["suit"]], **rest, **who}
        case "trick":
            yield {"kind": "trick_taken", **rest, **who}
        case "place":
            yield {"kind": "stone", "square": event["point"], **rest, **who}
        case "move":
            yield {"kind": "slide", "squares": f"{event['from']}>{event['to']}", **rest, **who}
        case "round":
            yield {"kind": "round", "first": event["first"] + 1, **rest}
        case kind:
            yield {"kind": kind, **{key: value for key, value in event.items() if key != "type"}}


def _suit_first(card: str) -> str:
    return SIGNS[card[1]] + card[0].replace("T", "10")


# --- Tables ---------------------------------------------------------------------------------------------------------

MOVES = (
    "game id", "no", "game", "target", "p0", "p1", "p2", "p3", "started", "ended", "action", "who", "what", "word",
    "us", "them", "ms", "how", "exported by",
)  # fmt: skip


def moves_table(documents: Iterable[Document]) -> bytes:
    """The matches as ``mappings/moves.toml`` describes them."""
    rows = [row for document in documents for row in _moves_rows(document)]
    return table(MOVES, rows)


def table(columns: Sequence[str], rows: Iterable[dict[str, Any]], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _moves_rows(document: Document) -> Iterator[dict[str, Any]]:
    ids = [player["id"] for player in document["players"]]
    same = {
        "game id": document["match"], "game": document["ruleset"], "started": document["started"],
        "ended": document["ended"], "exported by": "club", "target": document["options"].get("target", ""),
        **{f"p{seat}": name for seat, name in enumerate(ids)},
    }  # fmt: skip
    for number, event in enumerate(document["events"], 1):
        seat = event.get("seat", event.get("dealer"))
        seat = event["winner"] if event["type"] == "trick" else seat
        row = {
            **same, "no": number, "action": event["type"].upper(), "who": "" if seat is None else ids[seat],
            "ms": event["at"], "how": {"timeout": "C"}.get(event.get("by"), ""),
        }  # fmt: skip
        match event["type"]:
            case "deal":
                row["what"] = " | ".join(" ".join(map(_sign, hand)) for hand in event["hands"])
            case "pass":
                row |= {"action": "BID", "what": "PASS"}
            case "bid":
                amount = event.get("tricks", event.get("points", "capot"))
                row["what"] = f"{amount}{SIGNS.get(event.get('trump'), event.get('trump', ''))}"
            case "trump" | "reveal":
                row["what"] = _sign(event["card"]) if "card" in event else SIGNS.get(event.get("suit"), "")
            case "trick":
                row["what"] = event.get("points", "")
            case "play":
                row |= {"what": _sign(event["card"]), "word": event.get("announce", "")}
            case "score":
                row |= {"us": event["deal"][0], "them": event["deal"][1], "what": " ".join(map(str, event["total"]))}
            case "result":
                winner = "null" if event["winner"] is None else event["winner"]
                row |= {"us": winner, "what": " ".join(map(str, event["total"]))}
        yield row


def _sign(card: str) -> str:
    return card[0].replace("T", "10") + SIGNS[card[1]]
