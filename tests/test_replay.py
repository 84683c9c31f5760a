"""What holds for every match, legal or damaged: nothing is lost, nothing depends on anything but the log.

Longer: ``AUDITOR_EXAMPLES=5000 pytest tests/test_replay.py -n 2``.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from auditor import faults, generate, position, replay, schema
from auditor import verdict as verdicts
from auditor.audit import verdict_on
from auditor.events import Match
from auditor.games import FORMS, GAMES
from auditor.log import read_bytes
from auditor.rulebook import LANGUAGES
from auditor.stage import word_for
from tests import documents, golden

Document = dict[str, Any]
Event = dict[str, Any]

ROOT = Path(__file__).parent.parent
CLASSIC = GAMES["tarneeb-classic"]
SUITS, RANKS = "CDHS", "23456789TJQKA"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
SEATS = range(4)
VERDICT_SCHEMA = Draft202012Validator(schema.output("verdict"))

EXAMPLES = int(os.environ.get("AUDITOR_EXAMPLES", "150"))
thorough = settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))


@cache
def matches() -> Sequence[Document]:
    """Legal matches of classic Tarneeb, some with a shuffle proof, some to a higher target."""
    return [
        *generate.matches(CLASSIC, 4, 31),
        *generate.matches(CLASSIC, 2, 32, proves_shuffle=True),
        *generate.matches(CLASSIC, 2, 33, {"target": 41, "defender_sweep": 13}),
    ]


each_match = pytest.mark.parametrize("number", range(8))


def typed(document: Document) -> Match:
    return msgspec.convert(document, FORMS[document["ruleset"]])


def audit(document: Document) -> verdicts.Verdict:
    return replay.audit(GAMES[document["ruleset"]], typed(document))


def plain(document: Document) -> Document:
    """The verdict as a document of plain values."""
    said: Document = msgspec.json.decode(verdicts.to_json(audit(document)))
    documents.check_ledgers(said)
    documents.check_links(said)
    return said


def accusations(said: Document) -> list[Document]:
    return [finding for finding in said["findings"] if finding["kind"] in ("illegal", "claim")]


# --- Nothing is lost ------------------------------------------------------------------------------------------------


class Flat:
    """A legal log counted up event by event, in the plainest way."""

    def __init__(self) -> None:
        self.hands: list[set[str]] = [set(), set(), set(), set()]
        self.played: list[str] = []
        self.tricks = [0, 0, 0, 0]
        self.totals = [0, 0]

    def take(self, event: Event) -> None:
        match event["type"]:
            case "deal":
                self.hands = [set(hand) for hand in event["hands"]]
                self.played, self.tricks = [], [0, 0, 0, 0]
            case "play":
                self.hands[event["seat"]].remove(event["card"])
                self.played.append(event["card"])
            case "trick":
                self.tricks[event["winner"]] += 1
            case "score":
                self.totals = [total + points for total, points in zip(self.totals, event["deal"], strict=True)]


@each_match
def test_after_every_event_cards_tricks_and_points_are_all_there(number: int) -> None:
    document = matches()[number]
    match = typed(document)
    flat = Flat()
    deals = 0
    for index, event in enumerate(document["events"]):
        moment = position.before(CLASSIC, match, index)
        held = [card for hand in moment.hands for card in hand]
        assert sorted(held + flat.played) == (sorted(PACK) if deals else [])
        assert [set(hand) for hand in moment.hands] == flat.hands
        assert [card.card for card in moment.trick] == current_or_last_trick(flat.played)
        assert sum(moment.tricks_taken) == len(flat.played) // 4
        if event["type"] != "trick":
            assert list(moment.tricks_taken) == flat.tricks
        assert list(moment.totals) == flat.totals
        assert list(moment.unseen) == [0, 0, 0, 0]
        assert moment.deal == (deals - 1 if deals else None)
        flat.take(event)
        if event["type"] == "deal":
            deals += 1
        if event["type"] == "score" and flat.played:
            assert (len(flat.played), sum(flat.tricks)) == (52, 13)
    end = position.before(CLASSIC, match, len(document["events"]))
    assert end.is_over
    assert list(end.totals) == flat.totals == document["events"][-1]["total"]


def current_or_last_trick(played: list[str]) -> list[str]:
    """The last trick stays in view until the next card is led."""
    return played[(len(played) - 1) // 4 * 4 :] if played else []


@each_match
def test_the_totals_are_the_sum_of_the_points_of_the_deals(number: int) -> None:
    said = plain(matches()[number])
    check_totals(said)
    assert said["over"]
    assert said["winner"] == (0 if said["totals"][0] > said["totals"][1] else 1)


def check_totals(said: Document) -> None:
    """Points of scored deals are added, and what a broken deal claims is carried."""
    totals = [0, 0]
    for deal in said["deals"]:
        assert (deal["points"] is None) == (deal["outcome"] != "scored")
        points = deal["claimed_points"] if deal["outcome"] == "broken" else deal["points"]
        totals = [total + more for total, more in zip(totals, points or (0, 0), strict=True)]
        assert deal["totals"] == totals
    assert said["totals"] == totals


@pytest.mark.parametrize("fault", faults.faults_of(CLASSIC.id))
def test_after_a_fault_too_a_card_leaves_a_hand_only_for_the_table(fault: str) -> None:
    planted = faults.plant(CLASSIC, matches()[4], fault, random.Random(fault))
    assert planted is not None
    match = typed(planted.document)
    start = max(0, planted.event - 10)
    end = min(len(match.events), planted.event + 70)
    moments = [position.before(CLASSIC, match, index) for index in range(start, end + 1)]
    for before, after in pairwise(moments):
        held = [card for hand in after.hands for card in hand]
        assert len(set(held)) == len(held)
        if after.deal != before.deal:
            continue
        lost = [set(old) - set(new) for old, new in zip(before.hands, after.hands, strict=True)]
        assert not any(set(new) - set(old) for old, new in zip(before.hands, after.hands, strict=True))
        assert sum(map(len, lost)) <= 1
        for seat in SEATS:
            if lost[seat]:
                assert after.trick[-1] == position.LaidCard(seat, *lost[seat])


# --- What is legal --------------------------------------------------------------------------------------------------


def possible_acts() -> list[Event]:
    """Every act that a seat could try between two deals: calls, namings of a trump, cards of the pack and a joker."""
    acts: list[Event] = []
    for seat in SEATS:
        acts += [{"type": "pass", "seat": seat}]
        acts += [{"type": "bid", "seat": seat, "tricks": tricks} for tricks in range(-1, 21)]
        acts += [{"type": "bid", "seat": seat, "tricks": 9, "trump": trump} for trump in ("C", "NT")]
        acts += [{"type": "trump", "seat": seat, "suit": suit} for suit in (*SUITS, "NT")]
        acts += [{"type": "play", "seat": seat, "card": card} for card in (*PACK, "JK")]
    return acts


def listed_acts(moment: position.Position) -> list[Event]:
    """The acts that a position lists as legal."""
    write: dict[str | None, Callable[[str], Event]] = {
        "bid": lambda code: {"type": "pass"} if code == "pass" else {"type": "bid", "tricks": int(code)},
        "trump": lambda code: {"type": "trump", "suit": code},
        "play": lambda code: {"type": "play", "card": code},
    }
    return [{"seat": moment.turn, **write[moment.awaited](code)} for code in moment.legal or ()]


@pytest.mark.parametrize("number", [0, 4, 6])
def test_exactly_the_acts_that_are_listed_are_judged_legal(number: int) -> None:
    document = matches()[number]
    match = typed(document)
    acts = possible_acts()
    pairs = list(zip(acts, typed({**document, "events": acts}).events, strict=True))
    for index in range(len(document["events"]) + 1):
        listed = listed_acts(position.before(CLASSIC, match, index))
        at = replay.Replay(CLASSIC, match)
        at.run(until=index)
        stage = at.stage
        legal = [act for act, event in pairs if type(event) in stage.hears and stage.judge(event) is None]
        assert legal == [act for act in acts if act in listed], index
        assert len(legal) == len(listed), index


@pytest.mark.parametrize("number", [1, 5])
def test_a_refused_act_is_accused_if_it_is_listed_as_legal_and_changes_nothing(number: int) -> None:
    """All acts that could be tried are refused before every third event, the listed ones before every event."""
    document = matches()[number]
    match = typed(document)
    acts = possible_acts()
    log: list[Event] = []
    places = []
    accused = []
    for index, event in enumerate([*document["events"], None]):
        listed = listed_acts(position.before(CLASSIC, match, index))
        for act in listed if index % 3 else acts:
            if act in listed:
                accused.append(len(log))
            log.append({**act, "refused": True})
        places.append(len(log))
        if event is not None:
            log.append(event)
    clean = plain(document)
    assert (clean["status"], clean["findings"]) == ("clean", [])
    move_events(clean, places)

    said = plain({**document, "events": log})
    assert [(row["clause"], row["event"]) for row in said["findings"]] == [("refusal.legal", at) for at in accused]
    assert {**said, "findings": [], "status": "clean"} == clean

    rightly_refused = [event for index, event in enumerate(log) if index not in set(accused)]
    said = plain({**document, "events": rightly_refused})
    assert (said["status"], said["totals"], said["winner"]) == ("clean", clean["totals"], clean["winner"])


def test_any_act_that_is_not_refused_is_accused_if_it_is_not_listed() -> None:
    chance = random.Random(17)
    acts = possible_acts()
    for _ in range(12 * EXAMPLES):
        document = chance.choice(matches())
        index = chance.randrange(len(document["events"]) + 1)
        listed = listed_acts(position.before(CLASSIC, typed(document), index))
        act = chance.choice(listed if listed and chance.random() < 0.5 else acts)
        said = plain({**document, "events": [*document["events"][:index], act]})
        assert [row["event"] for row in accusations(said)] == ([] if act in listed else [index]), (index, act)


# --- Positions ------------------------------------------------------------------------------------------------------


def damaged_matches() -> Iterator[Document]:
    """One match with each fault."""
    for fault in faults.faults_of(CLASSIC.id):
        planted = faults.plant(CLASSIC, matches()[4], fault, random.Random(fault))
        assert planted is not None
        yield planted.document


def test_a_position_is_that_of_a_replay_of_the_events_before_it() -> None:
    for document in [*matches()[3:6], *damaged_matches()]:
        match = typed(document)
        step = 1 if document is matches()[4] else 23
        for index in range(0, len(match.events) + 1, step):
            begun = typed({**document, "events": document["events"][:index]})
            moment = position.before(CLASSIC, match, index)
            assert moment == position.before(CLASSIC, begun, index)
            at = replay.Replay(CLASSIC, begun)
            at.run(until=index)
            assert (moment.totals, moment.legal) == (at.table.totals, at.stage.legal())
            assert (moment.is_over, moment.is_broken) == (at.is_over, at.is_skipping)
            assert moment.awaited == (word_for(at.stage.hears[0]) if at.stage.hears else None)


@pytest.mark.parametrize("seat", SEATS)
def test_what_one_seat_logged_shows_every_card_that_was_played(seat: int) -> None:
    """The deals are all played out, so that only the cards of void deals stay unseen."""
    document = matches()[2]
    whole = typed(document)
    seen = typed({**document, "events": [hidden(event, seat) for event in document["events"]]})
    for index in range(0, len(whole.events) + 1, 3):
        full, partly = position.before(CLASSIC, whole, index), position.before(CLASSIC, seen, index)
        for cards, known, unseen in zip(full.hands, partly.hands, partly.unseen, strict=True):
            assert set(known) <= set(cards)
            assert len(known) + unseen == len(cards)
        if full.contract is not None and index > 0:
            assert partly == full
    assert {row.kind for row in replay.audit(CLASSIC, seen).findings} <= {"open"}


def hidden(event: Event, seat: int) -> Event:
    """A deal as one seat's client logs it."""
    if event["type"] != "deal":
        return event
    return {**event, "hands": [hand if at == seat else ["??"] * 13 for at, hand in enumerate(event["hands"])]}


def test_there_is_no_position_outside_the_log() -> None:
    match = typed(matches()[0])
    for index in (-1, len(match.events) + 1, 10**9):
        with pytest.raises(IndexError):
            position.before(CLASSIC, match, index)


@pytest.mark.parametrize(
    "hands",
    [
        [],
        [[]],
        [PACK[:13], PACK[13:26], PACK[26:39]],
        [PACK[:13], PACK[13:26], PACK[26:39], PACK[39:], []],
        [PACK[:14], PACK[14:26], PACK[26:39], PACK[39:]],
        [PACK[:12], PACK[13:26], PACK[26:39], PACK[39:]],
        [PACK, [], [], []],
        [["??"] * 14, *[["??"] * 13] * 3],
        [["JK", *PACK[1:13]], PACK[13:26], PACK[26:39], PACK[39:]],
    ],
    ids=lambda hands: " ".join(str(len(hand)) for hand in hands) or "none",
)
def test_in_a_deal_of_wrong_cards_too_a_position_has_one_hand_and_one_count_a_seat(hands: list[list[str]]) -> None:
    log = [{"type": "deal", "dealer": 0, "hands": hands}, {"type": "pass", "seat": 1}]
    document = {**matches()[0], "events": log}
    for index in (1, 2):
        moment = position.before(CLASSIC, typed(document), index)
        assert moment.is_broken
        assert (len(moment.hands), len(moment.unseen)) == (4, 4)
        assert all(count >= 0 for count in moment.unseen)


# --- The same log, the same verdict ---------------------------------------------------------------------------------


def verdict_lines(paths: Sequence[Path]) -> list[bytes]:
    """Each log's verdict, read from its bytes under the name that the command line gives it."""
    names = [str(path.relative_to(ROOT)) for path in paths]
    return [
        verdicts.to_json(verdict_on(read_bytes(path.read_bytes(), FORMS, name)))
        for path, name in zip(paths, names, strict=True)
    ]


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"},
        {"PYTHONHASHSEED": "31337", "LC_ALL": "C", "COLUMNS": "20", "NO_COLOR": "1"},
        {"PYTHONHASHSEED": "random", "PYTHONOPTIMIZE": "2", "FORCE_COLOR": "1", "TERM": "xterm"},
    ],
    ids=lambda environment: environment["PYTHONHASHSEED"],
)
def test_verdicts_are_the_same_bytes_in_another_process_and_environment(environment: dict[str, str]) -> None:
    program = "from auditor.cli import main; main(['audit', 'fixtures', '--format', 'ndjson'])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr.decode()
    assert done.stdout.splitlines() == verdict_lines(golden.logs())


def test_a_verdict_does_not_depend_on_what_was_audited_before() -> None:
    logs = golden.logs()
    alone = dict(zip(logs, verdict_lines(logs), strict=True))
    for seed in range(3):
        order = [*logs, *logs[::7]]
        random.Random(seed).shuffle(order)
        assert verdict_lines(order) == [alone[path] for path in order]


def test_an_audit_changes_nothing_of_the_match() -> None:
    for document in damaged_matches():
        match = typed(document)
        before = msgspec.json.encode(match)
        first = verdicts.to_json(replay.audit(CLASSIC, match))
        position.before(CLASSIC, match, len(match.events))
        assert verdicts.to_json(replay.audit(CLASSIC, match)) == first
        assert msgspec.json.encode(match) == before


def test_every_verdict_of_fixtures_generated_and_damaged_matches_fits_the_schema_of_verdicts() -> None:
    lines = verdict_lines(golden.logs())
    lines += [verdicts.to_json(audit(document)) for document in [*matches(), *damaged_matches()]]
    for line in lines:
        assert list(VERDICT_SCHEMA.iter_errors(msgspec.json.decode(line))) == []


# --- Any sequence of well-formed events -----------------------------------------------------------------------------

_seats = st.sampled_from(SEATS)
_small = st.integers(-20, 45)
_by = st.sampled_from(["player", "timeout", "bot"])


@st.composite
def _hands(draw: st.DrawFn) -> list[list[str]]:
    """Mostly a deal of the pack; sometimes with cards unseen, missing, strange or twice there, or too few hands."""
    pack = draw(st.permutations(PACK))
    hands = [pack[start : start + 13] for start in (0, 13, 26, 39)]
    match draw(st.sampled_from(["whole"] * 6 + ["unseen"] * 3 + ["short", "strange", "twice", "three", "none"])):
        case "unseen":
            seats = draw(st.sets(_seats, min_size=1))
            hands = [["??"] * draw(st.integers(0, 13)) if seat in seats else hand for seat, hand in enumerate(hands)]
            hands = [[*hand, *pack[13 * seat + len(hand) : 13 * seat + 13]] for seat, hand in enumerate(hands)]
        case "short":
            hands[draw(_seats)].pop()
        case "strange":
            hands[draw(_seats)][0] = "JK"
        case "twice":
            hands[0][0] = hands[1][0]
        case "three":
            hands.pop()
        case "none":
            hands = []
    return hands


def _event(kind: str, seated: bool = True, **values: st.SearchStrategy[Any]) -> st.SearchStrategy[Event]:
    required = {"type": st.just(kind)} | ({"seat": _seats} if seated else {}) | values
    frills = {"refused": st.sampled_from([True, False]), "by": _by, "at": st.integers(0, 9)}
    return st.fixed_dictionaries(required) | st.fixed_dictionaries(required, optional=frills)


_pairs = st.lists(_small, min_size=2, max_size=2)
_bids = st.integers(-1, 20)
#: Every type of event of the ruleset.
EVENTS: dict[str, st.SearchStrategy[Event]] = {
    "deal": _event("deal", False, dealer=_seats, hands=_hands()),
    "bid": _event("bid", tricks=_bids) | _event("bid", tricks=_bids, trump=st.sampled_from([*SUITS, "NT"])),
    "pass": _event("pass"),
    "trump": _event("trump", suit=st.sampled_from([*SUITS, "NT"])),
    "play": _event("play", card=st.sampled_from([*PACK, "JK"])),
    "trick": _event("trick", False, winner=_seats) | _event("trick", False, winner=_seats, points=st.integers(-1, 2)),
    "score": _event("score", False, deal=_pairs, total=_pairs),
    "result": _event("result", False, winner=st.sampled_from([None, 0, 1]), total=_pairs),
    "note": st.fixed_dictionaries(
        {"type": st.just("note")}, optional={"seat": st.integers(), "text": st.text(max_size=3)}
    ),
}
_events = st.one_of(*EVENTS.values())


@st.composite
def any_match(draw: st.DrawFn, can_be_unseen: bool = True, can_be_proved: bool = True) -> Document:
    """Some deals of a legal match, changed here and there, or events that have nothing to do with each other."""
    known = [match for match in matches() if can_be_proved or "shuffle" not in match]
    document = draw(st.sampled_from(known))
    if draw(st.sampled_from([True, *[False] * 7])):
        log = draw(st.lists(_events, max_size=12))
    else:
        log = _changed(draw, _some_deals(draw, document["events"]))
    if not can_be_unseen:
        log = [event for event in log if not any("??" in hand for hand in event.get("hands", ()))]
    return {**document, "events": log}


def _some_deals(draw: st.DrawFn, log: list[Event]) -> list[Event]:
    starts = [*(index for index, event in enumerate(log) if event["type"] == "deal"), len(log)]
    first = draw(st.integers(0, len(starts) - 2))
    last = draw(st.integers(first + 1, len(starts) - 1))
    left_out = draw(st.sampled_from([(), (), ("score",), ("trick",), ("score", "trick", "result")]))
    log = [event for event in log[starts[first] : starts[last]] if event["type"] not in left_out]
    return log[: draw(st.integers(0, len(log)))] if draw(st.sampled_from([True, False, False])) else log


def _changed(draw: st.DrawFn, log: list[Event]) -> list[Event]:
    for change in draw(st.lists(st.sampled_from(_CHANGES), max_size=8)):
        turning_points = [index for index, event in enumerate(log) if event["type"] not in ("play", "trick")]
        at = draw(st.integers(0, len(log))) if draw(st.booleans()) else draw(st.sampled_from([0, *turning_points]))
        log = change(draw, log, at)
    return log


def _insert(draw: st.DrawFn, log: list[Event], at: int) -> list[Event]:
    return [*log[:at], draw(_events), *log[at:]]


def _repeat(draw: st.DrawFn, log: list[Event], at: int) -> list[Event]:
    return [*log[:at], *log[draw(st.integers(0, len(log))) :][:1], *log[at:]]


def _remove(draw: st.DrawFn, log: list[Event], at: int) -> list[Event]:
    return log[:at] + log[at + draw(st.sampled_from([1, 1, 1, 2, 5, 60])) :]


def _swap(draw: st.DrawFn, log: list[Event], at: int) -> list[Event]:
    return [*log[:at], *reversed(log[at : at + 2]), *log[at + 2 :]]


def _other_values(draw: st.DrawFn, log: list[Event], at: int) -> list[Event]:
    """One event has values of another event of its type."""
    if at == len(log):
        return log
    other = draw(EVENTS[log[at]["type"]])
    key = draw(st.sampled_from(sorted({*log[at], *other} - {"type", "at"} or {"type"})))
    return [*log[:at], {**log[at], **{name: other[name] for name in other if name == key}}, *log[at + 1 :]]


def _mark(draw: st.DrawFn, log: list[Event], at: int) -> list[Event]:
    marks: Event = draw(st.sampled_from([{"refused": True}, {"by": "timeout"}]))
    return [*log[:at], *({**event, **marks} for event in log[at : at + 1] if event["type"] != "note"), *log[at + 1 :]]


def _hide(draw: st.DrawFn, log: list[Event], at: int) -> list[Event]:
    seat = draw(_seats)
    return [hidden(event, seat) if len(event.get("hands", ())) == 4 else event for event in log]


_CHANGES: list[Callable[[st.DrawFn, list[Event], int], list[Event]]] = [
    _insert, _insert, _repeat, _remove, _swap, _other_values, _other_values, _mark, _hide,
]  # fmt: skip


@thorough
@given(any_match())
def test_any_events_end_in_a_verdict_in_log_order_with_one_accusation_an_event(document: Document) -> None:
    said = plain(document)
    places = [finding["event"] for finding in said["findings"]]
    assert places == sorted(places)
    assert all(0 <= place < len(document["events"]) for place in places)
    accused = [finding["event"] for finding in accusations(said)]
    assert len(set(accused)) == len(accused)
    assert not any(document["events"][place]["type"] == "note" for place in accused)
    assert said["status"] == expected_status(said)
    check_deals(said, document["events"])
    if all(is_in_a_deal(index, said) for index, event in enumerate(document["events"]) if event["type"] == "score"):
        check_totals(said)
    assert list(VERDICT_SCHEMA.iter_errors(said)) == []


def is_in_a_deal(index: int, said: Document) -> bool:
    """The claim of a deal that the log lacks may be carried too; no deal of the verdict shows it."""
    return any(deal["events"][0] <= index <= deal["events"][1] for deal in said["deals"])


def expected_status(said: Document) -> str:
    kinds = {finding["kind"] for finding in said["findings"]}
    if "illegal" in kinds:
        return "illegal"
    if "claim" in kinds:
        return "misscored"
    return "clean" if said["over"] else "incomplete"


def check_deals(said: Document, log: list[Event]) -> None:
    """Deals are numbered and follow one another; each begins with its deal, and none but the last is unfinished."""
    end = -1
    for number, deal in enumerate(said["deals"]):
        first, last = deal["events"]
        assert deal["index"] == number
        assert end < first <= last < len(log)
        assert log[first]["type"] == "deal"
        assert log[last]["type"] != "note"
        end = last
    assert all(deal["outcome"] != "unfinished" for deal in said["deals"][:-1])


@thorough
@given(any_match(), st.data())
def test_every_moment_of_any_events_has_its_hands_and_every_finding_its_sentences(
    document: Document, data: st.DataObject
) -> None:
    match, said = typed(document), audit(document)
    moment = position.before(CLASSIC, match, data.draw(st.integers(0, len(match.events))))
    assert (len(moment.hands), len(moment.unseen)) == (4, 4)
    for language in LANGUAGES:
        assert all(finding.message(CLASSIC.id, language) for finding in said.findings)


@thorough
@given(any_match())
def test_to_say_that_a_move_was_not_refused_changes_nothing(document: Document) -> None:
    log = [event if event["type"] == "note" else {"refused": False, **event} for event in document["events"]]
    assert plain({**document, "events": log}) == plain(document)


@thorough
@given(any_match(), st.sampled_from([1, 2, 3, 7]))
def test_notes_between_the_events_change_nothing(document: Document, step: int) -> None:
    log: list[Event] = []
    places = []
    for index, event in enumerate(document["events"]):
        if index % step == 0:
            log.append({"type": "note", "seat": "nobody"})
        places.append(len(log))
        log.append(event)
    expected = plain(document)
    move_events(expected, places)
    assert placed(plain({**document, "events": log})) == placed(expected)


def move_events(said: Document, places: Sequence[int]) -> None:
    """Each event of the log has another index."""
    for row in [*said["deals"], *(line for deal in said["deals"] for line in deal["lines"])]:
        row["events"] = [places[index] for index in row["events"]]
    for finding in said["findings"]:
        finding["event"] = places[finding["event"]]


def placed(said: Document) -> Document:
    """A verdict without the place where the count of skipped events stands: it may stand at a note."""
    for finding in said["findings"]:
        if "follows" in finding:
            finding["follows"] = said["findings"][finding["follows"]]["event"]
    rest = [finding for finding in said["findings"] if finding["clause"] != "note.skipped"]
    skipped = [finding["message"] for finding in said["findings"] if finding["clause"] == "note.skipped"]
    return {**said, "findings": rest, "skipped": skipped}


@thorough
@given(any_match(can_be_unseen=False), st.data())
def test_an_accusation_does_not_depend_on_what_comes_later(document: Document, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(document["events"])))
    whole, begun = plain(document), plain({**document, "events": document["events"][:end]})
    assert unlinked(begun) == [finding for finding in unlinked(whole) if finding["event"] < end]


def unlinked(said: Document) -> list[Document]:
    """The accusations without what is only known later: what they follow from, and the lines that they are against."""
    links = ("follows", "against")
    return [{key: value for key, value in row.items() if key not in links} for row in accusations(said)]


@thorough
@given(any_match(can_be_proved=False), st.sampled_from([1, 2, 3]))
def test_turned_round_the_table_a_match_gets_the_same_verdict(document: Document, step: int) -> None:
    def turned(event: Event) -> Event:
        new = dict(event)
        if event["type"] == "note":
            return new
        for key in {"seat", "dealer"} & set(event):
            new[key] = (event[key] + step) % 4
        if event["type"] in ("trick", "result") and event["winner"] is not None:
            new["winner"] = (event["winner"] + step) % (4 if event["type"] == "trick" else 2)
        if event["type"] in ("score", "result"):
            new |= {key: event[key][::-1] for key in ("deal", "total") if key in event and step % 2}
        if len(event.get("hands", ())) == 4:
            new["hands"] = [event["hands"][(seat - step) % 4] for seat in SEATS]
        return new

    said, there = plain(document), plain({**document, "events": [turned(event) for event in document["events"]]})
    assert [summary(row, (row.get("seat", -step) + step) % 4) for row in said["findings"]] == [
        summary(row, row.get("seat", 0)) for row in there["findings"]
    ]
    assert [(deal["events"], deal["outcome"], lines_of(deal, step)) for deal in said["deals"]] == [
        (deal["events"], deal["outcome"], lines_of(deal)) for deal in there["deals"]
    ]
    assert said["totals"] == there["totals"][:: -1 if step % 2 else 1]
    assert (said["status"], said["over"]) == (there["status"], there["over"])


def lines_of(deal: Document, step: int = 0) -> list[tuple[Any, ...]]:
    """The lines of a deal, by sides that lie so many seats further round."""
    return [((row["side"] + step) % 2, row["points"], row["clause"], row["events"]) for row in deal["lines"]]


@thorough
@given(any_match(can_be_proved=False), st.permutations(SUITS))
def test_with_other_names_for_the_suits_a_match_gets_the_same_verdict(document: Document, names: list[str]) -> None:
    other = dict(zip(SUITS, names, strict=True))

    def renamed(card: str) -> str:
        return card[0] + other[card[1]] if card[1] in other else card

    def with_other_suits(event: Event) -> Event:
        new = dict(event)
        if event["type"] == "note":
            return new
        if "card" in event:
            new["card"] = renamed(event["card"])
        if "hands" in event:
            new["hands"] = [[renamed(card) for card in hand] for hand in event["hands"]]
        for key in {"suit", "trump"} & set(event):
            new[key] = other.get(event[key], event[key])
        return new

    said = plain(document)
    there = plain({**document, "events": [with_other_suits(event) for event in document["events"]]})
    assert [summary(row, row.get("seat")) for row in said["findings"]] == [
        summary(row, row.get("seat")) for row in there["findings"]
    ]
    for line in [line for verdict in (said, there) for deal in verdict["deals"] for line in deal["lines"]]:
        del line["message"]  # a bid in it may name a suit
    assert {**said, "findings": []} == {**there, "findings": []}


def summary(row: Document, seat: int | None) -> tuple[Any, ...]:
    return row["kind"], row["clause"], row["event"], seat, len(row.get("legal", ()))


@thorough
@given(st.data())
def test_a_refused_event_is_accused_if_it_would_have_been_right(data: st.DataObject) -> None:
    """In a legal log, where no earlier fault has to be remembered."""
    document = data.draw(st.sampled_from(matches()))
    kinds = [index for index, event in enumerate(document["events"]) if event["type"] not in ("play", "trick")]
    at = data.draw(st.sampled_from(kinds) | st.integers(0, len(document["events"])))
    event = data.draw(_events.filter(lambda event: event["type"] != "note") | st.sampled_from(document["events"]))
    event = {key: value for key, value in event.items() if key != "refused"}
    log = document["events"][:at]
    said = plain({**document, "events": [*log, event]})
    if any(finding["event"] == at and finding["kind"] in ("open", "note") for finding in said["findings"]):
        return
    refused = plain({**document, "events": [*log, {**event, "refused": True}]})
    was_right = accusations(said) == []
    assert [finding["clause"] for finding in accusations(refused)] == (["refusal.legal"] if was_right else [])
