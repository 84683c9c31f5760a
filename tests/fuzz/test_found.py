"""Failures that fuzzing found, each as the smallest input that shows it."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from auditor import position, replay, schema, sources
from auditor import verdict as verdicts
from auditor.events import LARGEST_INTEGER
from auditor.games import FORMS, GAMES
from auditor.log import Unreadable, read_bytes, read_stream
from tests import documents

from . import promises

FARTHEST = -LARGEST_INTEGER
DEAL = documents.deal(documents.filled_up((), [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]))


def broken_deals(count: int) -> list[dict[str, Any]]:
    """Deals without hands, each claimed to have scored as little as can be claimed."""
    claim = documents.score((FARTHEST, FARTHEST), (FARTHEST, FARTHEST))
    return [{**DEAL, "hands": []}, claim] * count


def test_totals_stop_where_numbers_do() -> None:
    """What 1025 broken deals claimed was carried beyond 64 bits, and the verdict could not be written."""
    document = documents.match_of("tarneeb-classic", broken_deals(1025))
    assert promises.audit(msgspec.json.encode(document), "match.json") == "illegal"
    said = documents.verdict(document)
    assert said["totals"] == [FARTHEST, FARTHEST]
    assert said["deals"][-1]["totals"] == [FARTHEST, FARTHEST]


def test_totals_within_the_limit_are_carried_whole() -> None:
    halves = documents.score((FARTHEST // 2, -5), (FARTHEST // 2, -5))
    document = documents.match_of("tarneeb-classic", [{**DEAL, "hands": []}, halves])
    assert documents.verdict(document)["totals"] == [FARTHEST // 2, -5]


@pytest.mark.parametrize("size", [1, 7, 255, 256, 257, 1000])
def test_what_is_left_of_a_damaged_packed_file_does_not_depend_on_how_it_comes_in(size: int) -> None:
    """Of a damaged piece nothing is unpacked, and pieces were counted anew from each chunk on."""
    lines = b"".join(
        msgspec.json.encode(documents.match_of("three-stones", [], seats=2, match=f"m-{number * number * 7919}"))
        + b"\n"
        for number in range(200)
    )
    packed = bytearray(gzip.compress(lines, 1, mtime=0))
    packed[len(packed) // 2] ^= 0xFF

    def told(size: int) -> list[bytes]:
        chunks = (bytes(packed[start : start + size]) for start in range(0, len(packed), size))
        entries = read_stream(sources.unpacked(chunks, "a.ndjson.gz"), "a.ndjson.gz", FORMS)
        return [verdicts.to_json(promises.told(entry)) for entry in entries]

    whole = told(len(packed))
    assert len(whole) > 2
    assert told(size) == whole


def test_refused_deals_between_two_deals_are_not_each_judged_by_playing_the_last_deal_back() -> None:
    """That took a time that grew with the square of their number: thousands of them, minutes."""
    void = [DEAL, *(documents.passes(seat) for seat in (1, 2, 3, 0))]
    refused = [{**DEAL, "refused": True}] * 1000
    notes = [{"type": "note"}] * 400
    document = documents.match_of("tarneeb-classic", [*void, *notes, *refused])
    match = msgspec.convert(document, FORMS["tarneeb-classic"])
    played = replay.Replay(GAMES["tarneeb-classic"], match)
    played.run()
    accused = [finding.event for finding in played.verdict().findings if finding.clause == "refusal.legal"]
    assert accused[:3] == [405, 406, 407]
    assert 100 < len(accused) < 1000
    assert position.before(GAMES["tarneeb-classic"], match, len(match.events)).awaited == "score"


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("sign", ["د", "€", "🂡", "\udcff"])
def test_a_sign_that_comes_in_two_pieces_is_told_whole(sign: str, size: int) -> None:
    """The first half of it was taken for a byte that has no place in UTF-8."""
    data = b"[{}" + sign.encode(errors="surrogateescape") + b"]"
    whole, *pieces = [
        list(read_stream((data[start : start + step] for start in range(0, len(data), step)), "a.json", FORMS))
        for step in (len(data), size)
    ]
    assert pieces == [whole]


def test_a_database_that_comes_in_small_pieces_is_told_as_one() -> None:
    data = b"SQLite format 3\x00" + bytes(84)
    [entry] = read_stream((data[start : start + 5] for start in range(0, len(data), 5)), "a.log", FORMS)
    assert isinstance(entry, Unreadable)
    assert [(fault.clause, fault.facts) for fault in entry.diagnostics] == [
        ("log.file", {"reason": "it is a database"})
    ]


def test_of_a_long_log_with_too_few_players_too_only_events_with_faults_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every event of it was shown to the schema: ten seconds for 2 MB."""
    shown = []
    faults = schema.faults

    def watched(document: dict[str, Any], rules: schema.Rules) -> Iterator[schema.Fault]:
        shown.append(len(document["events"]))
        return faults(document, rules)

    monkeypatch.setattr(schema, "faults", watched)
    events = [documents.passes(0)] * 3000
    events[1234] = documents.passes(9)
    entry = read_bytes(msgspec.json.encode(documents.match_of("tarneeb-classic", events, seats=3)), FORMS)
    assert isinstance(entry, Unreadable)
    assert [fault.pointer for fault in entry.diagnostics] == ["/players", "/events/1234/seat"]
    assert shown == [1]


def test_of_thousands_of_players_only_the_first_are_looked_at_and_all_are_counted() -> None:
    """Each of them was looked at: half a minute for 16 MB."""
    document = documents.match_of("tarneeb-classic", [], seats=5000)
    document["players"][4] = document["players"][4000] = {"id": 0}
    entry = read_bytes(msgspec.json.encode(document), FORMS)
    assert isinstance(entry, Unreadable)
    assert [(fault.pointer, fault.facts.get("count")) for fault in entry.diagnostics] == [
        ("/players", 5000),
        ("/players/4/id", None),
    ]


@pytest.mark.parametrize("digits", ["a" * 10**6, "a" * (10**6 + 1), "a" * 10**6 + "z"])
def test_the_memory_for_a_seed_that_is_too_long_is_not_many_times_its_length(digits: str) -> None:
    """Its pairs of digits were each remembered: 1.2 GB for a match of 16 MB."""
    document = documents.match_of("tarneeb-classic", [], shuffle=documents.shuffle_proof() | {"server_seed": digits})
    data = msgspec.json.encode(document)
    tracemalloc.start()
    try:
        entry = read_bytes(data, FORMS)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(entry, Unreadable)
    assert [fault.clause for fault in entry.diagnostics] == ["log.length"]
    assert most < 30 * len(data)
