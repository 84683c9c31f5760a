"""What the database keeps of a load, and what a second load changes."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from auditor import verdict
from auditor.errors import CannotAudit
from auditor.store import Audited, Counts, Store

from . import samples
from .samples import FIRST, SECOND, rows


def test_the_counts_say_what_was_new(path: Path) -> None:
    with Store.open(path) as store:
        first = store.load(samples.archive(12), FIRST)
        again = store.load(samples.archive(12), FIRST)
        other = store.load(samples.archive(12), SECOND)
    assert first == Counts(read=13, matches=12, verdicts=12, same_id=0, unreadable=1)
    assert again == Counts(read=13)
    assert other == Counts(read=13, verdicts=12, unreadable=1)


def test_loading_the_same_again_changes_nothing(loaded: Path) -> None:
    before = samples.content(loaded)
    with Store.open(loaded) as store:
        store.load(samples.archive(12), FIRST)
        store.load(reversed(list(samples.archive(12))), FIRST)
    assert samples.content(loaded) == before


def test_the_same_match_twice_in_one_load_is_one_match(path: Path) -> None:
    with Store.open(path) as store:
        counts = store.load(
            [samples.audited(1), samples.audited(1), samples.unreadable(3), samples.unreadable(3)], FIRST
        )
    assert counts == Counts(read=4, matches=1, verdicts=1, unreadable=1)


def test_the_log_and_the_verdict_come_back_byte_for_byte(loaded: Path) -> None:
    with Store.open(loaded) as store:
        for number in range(12):
            log, opinion = samples.audited(number)
            assert store.log(log.digest) == log.canonical
            assert store.verdict(log.digest) == verdict.to_json(opinion)


def test_what_is_not_there_is_said_so(loaded: Path) -> None:
    with Store.open(loaded) as store:
        with pytest.raises(CannotAudit, match="expected the log sha256:0, found none"):
            store.log("sha256:0")
        with pytest.raises(CannotAudit, match=r"expected a verdict on sha256:.* by 0\.2\.0 \(bbbbbbbb\), found none"):
            store.verdict(samples.audited(1)[0].digest, SECOND)


def test_a_match_stands_with_its_verdict_its_build_its_players_and_its_place(loaded: Path) -> None:
    log, _ = samples.audited(1)
    assert rows(loaded, "select * from results where match_id = 'm-2026-00001'") == [
        (
            *(2, "m-2026-00001", "tarneeb-classic", "illegal", "play.follow", "[16,0]", 0, 1),
            *('أحمد, Noé, Sami, o\'Hara "x"', "tarneeb-app", "2.4.1", "780", "ios"),
            *("2026-03-02T20:00:00Z", "2026-03-02T20:40:00Z", 118, "0.1.0 (aaaaaaaa)"),
            *("archive/day-1.ndjson", 2, log.digest),
        )
    ]
    assert rows(loaded, 'select options, "offset" from matches where id = 2') == [('{"target":41}', 4000)]


def test_each_seat_names_its_player_and_its_side(loaded: Path) -> None:
    query = (
        "select seat, player_id, seats.name, side, bot from seats join players on players.id = player where match = 2"
    )
    assert rows(loaded, query) == [
        (0, "p002", "أحمد", 0, 0),
        (1, "p004", "Noé", 1, 0),
        (2, "p000", "Sami", 0, 0),
        (3, "p007", 'o\'Hara "x"', 1, 0),
    ]


def test_where_each_player_is_a_side_the_seat_is_the_side(path: Path) -> None:
    log, opinion = samples.audited(0)
    with Store.open(path) as store:
        store.load([(log, replace(opinion, totals=(1, 2, 3, 4)))], FIRST)
    assert rows(path, "select seat, side from seats") == [(seat, seat) for seat in range(4)]


def test_a_player_is_listed_once_and_keeps_the_name_of_each_match(path: Path) -> None:
    players = [{"id": f"p{seat}", "name": f"old {seat}", "bot": seat == 3} for seat in range(4)]
    renamed = [{"id": "p0", "name": "new 0"}, *players[1:3], {"id": "p3"}]
    with Store.open(path) as store:
        store.load([samples.audited(0, players=players), samples.audited(6, players=renamed)], FIRST)
    assert rows(path, "select player_id, name from players") == [(f"p{seat}", f"old {seat}") for seat in range(4)]
    assert rows(path, "select name, bot from seats where match = 2") == [
        ("new 0", 0),
        ("old 1", 0),
        ("old 2", 0),
        (None, 0),
    ]
    assert rows(path, "select players from matches where id = 2") == [("new 0, old 1, old 2, p3",)]


def test_a_build_is_listed_once_and_a_log_may_name_none(path: Path) -> None:
    bare = samples.document(30)
    del bare["producer"], bare["started"], bare["ended"], bare["options"]
    log = samples.log(bare)
    with Store.open(path) as store:
        store.load([*samples.archive(9), (log, samples.opinion(log, samples.CLEAN))], FIRST)
    assert rows(path, "select label from producers order by id") == [
        ("tarneeb-app 2.4.0 build 771 android",),
        ("tarneeb-app 2.4.1 build 780 ios",),
        ("table-server 9",),
    ]
    query = "select producer, started, ended, options from matches where match_id = 'm-2026-00030'"
    assert rows(path, query) == [(None, None, None, "{}")]


def test_a_finding_speaks_both_languages_and_names_its_clause(loaded: Path) -> None:
    query = """
        select number, kind, label, event, seat, message_en, message_ar, expected, found, legal, readings
        from findings join clauses on clauses.id = findings.clause where match = ? order by number"""
    assert rows(loaded, query, [2]) == [
        (
            *(0, "illegal", "play.follow (tarneeb-classic)", 9, 2),
            "seat 2 played 10♠ and held a card of the suit led",
            "المقعد 2 لعب \u206610♠\u2069 ومعه ورقة من نوع اللعبة.",
            *(None, None, '["2H","AH"]', None),
        ),
        (1, "note", "note.unseen (common)", 11, None, "3 checks", "3 فحوص", None, None, None, None),
    ]
    [claim] = rows(loaded, query, [3])
    assert claim[7:9] == ("[8,0]", "[9,0]")


def test_clauses_are_written_with_their_rule_and_source(loaded: Path) -> None:
    query = "select ruleset, clause, rule_en, rule_ar, source from clauses where id = 1"
    rule = ("Whoever holds a card of the suit led plays one.", "من معه ورقة من نوع اللعبة يلعبها.", "made up")
    assert rows(loaded, query) == [("tarneeb-classic", "play.follow", *rule)]


def test_claimed_and_computed_points_stand_side_by_side(loaded: Path) -> None:
    query = "select deal, claimed_points, points, claimed_totals, totals, agrees from deals where match = ?"
    assert rows(loaded, query, [3]) == [
        (0, "[8,0]", "[8,0]", "[8,0]", "[8,0]", 1),
        (1, "[9,0]", "[8,0]", "[16,0]", "[16,0]", 0),
    ]
    assert rows(loaded, query, [5])[1] == (1, "[-7,0]", "[-7,0]", "[-14,0]", "[-14,0]", 1)
    query = "select deal, side, claimed_points, points, claimed_total, total, agrees from claims where match = 3"
    query += " order by deal, side"
    assert rows(loaded, query) == [
        (0, 0, 8, 8, 8, 8, 1),
        (0, 1, 0, 0, 0, 0, 1),
        (1, 0, 9, 8, 16, 16, 0),
        (1, 1, 0, 0, 0, 0, 1),
    ]


@pytest.mark.parametrize(
    ("outcome", "points", "totals", "claimed_points", "claimed_totals", "agrees"),
    [
        ("scored", (8, 0), (8, 0), (8, 0), (9, 0), 0),
        ("scored", (8, 0), (8, 0), None, None, None),
        ("void", None, (8, 0), (0, 0), (8, 0), 1),
        ("void", None, (8, 0), (1, 0), (9, 0), 0),
        ("broken", None, (9, 0), (9, 0), (9, 0), None),
        ("unfinished", None, (0, 0), None, None, None),
    ],
)
def test_a_claim_agrees_only_with_what_could_be_computed(
    path: Path,
    outcome: verdict.Outcome,
    points: tuple[int, ...] | None,
    totals: tuple[int, ...],
    claimed_points: tuple[int, ...] | None,
    claimed_totals: tuple[int, ...] | None,
    agrees: int | None,
) -> None:
    log, opinion = samples.audited(0, 1)
    deal = verdict.DealResult(0, (0, 58), outcome, points, totals, claimed_points, claimed_totals)
    with Store.open(path) as store:
        store.load([(log, replace(opinion, deals=(deal,)))], FIRST)
    assert rows(path, "select agrees from deals") == [(agrees,)]
    by_side = [value for (value,) in rows(path, "select agrees from claims")]
    assert by_side == ([] if claimed_points is None else by_side)
    if agrees is None:
        assert set(by_side) <= {None}
    else:
        assert min(by_side) == agrees


def test_claims_are_found_by_what_a_browser_sends_as_text(loaded: Path) -> None:
    query = "select match, deal, side from claims where agrees = ? and side = ? and claimed_points = ?"
    assert rows(loaded, query, ["0", "0", "9"]) == [(3, 1, 0)]
    assert rows(loaded, query, ["1", "0", "9"]) == []


# ------------------------------------------------------------------------------------ same id, other content


def _twins(path: Path) -> list[tuple[str, int, int | None]]:
    return rows(path, "select match_id, id, same_id_as from matches order by id")


@pytest.mark.parametrize("in_one_load", [True, False])
@pytest.mark.parametrize("first_is_longer", [True, False])
def test_a_match_id_with_other_content_is_kept_and_both_are_flagged(
    path: Path, in_one_load: bool, first_is_longer: bool
) -> None:
    long, short = samples.audited(0, 2), samples.audited(0, 1)
    pair = [long, short] if first_is_longer else [short, long]
    other = samples.audited(6)
    with Store.open(path) as store:
        if in_one_load:
            counts = store.load([pair[0], other, pair[1]], FIRST)
        else:
            store.load([pair[0], other], FIRST)
            counts = store.load([pair[1]], FIRST)
        assert counts.same_id == 1
        assert [store.log(log.digest) for log, _ in pair] == [log.canonical for log, _ in pair]
    ids = dict(rows(path, "select digest, id from matches"))
    first, second = (ids[log.digest] for log, _ in pair)
    flags = dict(rows(path, "select id, same_id_as from matches"))
    assert flags == {first: second, second: first, ids[other[0].digest]: None}


def test_each_of_three_names_the_first_of_the_others(path: Path) -> None:
    with Store.open(path) as store:
        store.load([samples.audited(0, deal_count) for deal_count in (1, 2)], FIRST)
        store.load([samples.audited(0, 3)], FIRST)
    assert [twin for _, _, twin in _twins(path)] == [2, 1, 1]


# --------------------------------------------------------------------------------------------- another auditor


def _cleared(of: Iterator[Audited]) -> Iterator[Audited]:
    """As a later auditor might see it: nothing is wrong after all."""
    for log, opinion in of:
        if log is not None:
            yield log, replace(opinion, status="clean", findings=(), over=True, winner=0)


def test_another_auditor_adds_its_verdict_and_changes_no_earlier_one(loaded: Path) -> None:
    own_rows = {
        table: rows(loaded, f"select * from {table} where auditor = 1")
        for table in ("verdicts", "documents", "deals", "findings", "unreadable")
    }
    log, earlier = samples.audited(1)
    with Store.open(loaded) as store:
        store.load(_cleared(samples.archive(12)), SECOND)
        assert store.verdict(log.digest, FIRST) == verdict.to_json(earlier)
        assert json.loads(store.verdict(log.digest))["status"] == "clean"
        assert store.verdict(log.digest) == store.verdict(log.digest, SECOND)
    for table, before in own_rows.items():
        assert rows(loaded, f"select * from {table} where auditor = 1") == before
    assert rows(loaded, "select auditor, count(*) from verdicts group by auditor") == [(1, 12), (2, 12)]
    assert rows(loaded, "select distinct status, clause, auditor from matches") == [("clean", None, 2)]
    assert rows(loaded, "select distinct status, auditor from results") == [("clean", "0.2.0 (bbbbbbbb)")]
    assert rows(loaded, "select count(*) from claims where agrees = 0") == [(1,)]


def test_the_newest_auditor_counts_however_late_an_earlier_one_loads(path: Path) -> None:
    with Store.open(path) as store:
        store.load([samples.audited(0)], FIRST)
        store.load(_cleared(samples.archive(3)), SECOND)
        store.load(samples.archive(3), FIRST)
    assert rows(path, "select status, auditor from matches") == [("clean", 2)] * 3
    assert rows(path, "select count(*) from verdicts") == [(6,)]


def test_the_same_program_with_other_rules_is_another_auditor(path: Path) -> None:
    with Store.open(path) as store:
        store.load([samples.audited(0)], FIRST)
        store.load([samples.audited(0)], replace(FIRST, rules="sha256:cccccccccccccccc"))
    assert rows(path, "select name from auditors") == [("0.1.0 (aaaaaaaa)",), ("0.1.0 (cccccccc)",)]
    assert rows(path, "select match, auditor from verdicts") == [(1, 1), (1, 2)]


# ------------------------------------------------------------------------------------- runs and unreadable lines


def test_a_run_keeps_its_times_its_arguments_and_its_counts(path: Path) -> None:
    clock = iter(["2026-11-30T08:00:00Z", "2026-11-30T08:00:05Z"])
    with Store.open(path) as store:
        store.load(samples.archive(12), FIRST, ["archive", "--strict"], lambda: next(clock))
    assert rows(path, "select * from runs") == [
        (1, 1, "2026-11-30T08:00:00Z", "2026-11-30T08:00:05Z", '["archive","--strict"]', 13, 12, 12, 0, 1)
    ]


def test_a_run_that_breaks_off_has_no_end_and_counts_what_it_stored(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks_off() -> Iterator[Audited]:
        yield from samples.archive(6)
        raise ZeroDivisionError

    monkeypatch.setattr("auditor.store.loading._BATCH_EVENTS", 600)
    with Store.open(path) as store, pytest.raises(ZeroDivisionError):
        store.load(breaks_off(), FIRST)
    assert rows(path, "select finished, read, matches from runs") == [(None, 6, 6)]
    assert rows(path, "select count(*) from matches") == [(6,)]


def test_an_unreadable_line_is_kept_with_its_place_once_for_each_fault(path: Path) -> None:
    load = [samples.unreadable(7), samples.unreadable(7), samples.unreadable(7, found="1S"), samples.unreadable(9)]
    with Store.open(path) as store:
        assert store.load(load, FIRST).unreadable == 3
        assert store.load(load, FIRST).unreadable == 0
    query = """
        select file, line, "offset", pointer, clauses.clause, message_en, message_ar, match_id, run from unreadable
        join clauses on clauses.id = unreadable.clause order by unreadable.id"""
    assert rows(path, query)[0] == (
        *("archive/day-1.ndjson", 7, 24000, "/events/3/card", "schema.value"),
        *("found 1H", "وُجد 1H", None, 1),
    )
    assert rows(path, "select message_en from unreadable") == [("found 1H",), ("found 1S",), ("found 1H",)]


def test_a_broken_book_stops_the_load_and_leaves_no_part_of_its_batch(path: Path) -> None:
    log, opinion = samples.audited(1)
    unheard_of = replace(opinion, findings=(verdict.Finding("illegal", "no.such", 1),))
    with Store.open(path) as store:
        with pytest.raises(KeyError):
            store.load([samples.audited(0), (log, unheard_of)], FIRST)
        assert rows(path, "select count(*) from matches") == [(0,)]
        assert store.load(samples.archive(12), FIRST).matches == 12


# ------------------------------------------------------------------------------------------- search, odd names


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("أحمد", {1}),
        ("احمد", {1}),
        ("Noe", {1}),
        ("noé", {1}),
        ("script", {2}),
        ('"m-2026-00002"', {2}),
        ("nobody", set()),
    ],
)
def test_matches_are_found_by_id_and_by_players_with_or_without_marks(path: Path, search: str, found: set[int]) -> None:
    names = (["أحمد", "Noé", "a", "b"], ["<script>", "عبد الرحمن", "c", "d"])
    with Store.open(path) as store:
        for number, row in enumerate(names, 1):
            players = [{"id": name, "name": name} for name in row]
            store.load([samples.audited(number, players=players)], FIRST)
    query = "select rowid from matches_fts where matches_fts match ?"
    assert {number for (number,) in rows(path, query, [search])} == found


@pytest.mark.parametrize("name", ["", "\0", "a\0b", "'; drop table matches; --", "\u202eevil", "🂡", "x" * 5000])
def test_any_name_can_be_stored_and_found_again(path: Path, name: str) -> None:
    players = [{"id": f"{name}{seat}", "name": name} for seat in range(4)]
    with Store.open(path) as store:
        store.load([samples.audited(0, players=players, match=f"{name}m"[:200])], FIRST)
        assert store.load([samples.audited(6, players=players)], FIRST).matches == 1
    assert rows(path, "select count(*) from players") == [(4,)]
    assert rows(path, "select distinct name from seats") == [(name,)]


# ---------------------------------------------------------------------------------------------------- streaming


def test_matches_stream_in_and_are_let_go(path: Path) -> None:
    alive = most = 0

    def let_go() -> None:
        nonlocal alive
        alive -= 1

    def watched() -> Iterator[Audited]:
        nonlocal alive, most
        for number in range(3000):
            log, opinion = samples.audited(number, deal_count=0)
            weakref.finalize(log, let_go)
            alive += 1
            most = max(most, alive)
            yield log, opinion

    with Store.open(path) as store:
        assert store.load(watched(), FIRST).matches == 3000
    assert most < 700
