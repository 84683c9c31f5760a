"""What of a log is counted, and what is left out."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from auditor import fairness, generate
from auditor.errors import CannotAudit
from auditor.fairness.account import Answer, Part, to_json
from auditor.fairness.dealers import UNFAIR, fair
from auditor.fairness.deck import Deck
from auditor.fairness.examination import Examination
from auditor.fairness.intake import Intake
from auditor.games import GAMES
from tests.fairness.archives import account, deal_event, deck, document, entries, logs_of, part, unusual
from tests.toy_game.conftest import high_card as high_card  # the fixtures
from tests.toy_game.conftest import install as install

Document = dict[str, Any]


def generated(ruleset: str, count: int, seed: int = 1, **options: Any) -> list[Document]:
    proves = options.pop("proves_shuffle", False)
    made = generate.matches(GAMES[ruleset], count, seed, options, proves)
    return [json.loads(msgspec.json.encode(it)) for it in made]


def deals_in(documents: Sequence[Document]) -> list[Document]:
    return [event for it in documents for event in it["events"] if event["type"] == "deal"]


def answer(found: Part, question: str) -> Answer:
    [wanted] = [it for it in found.answers if it.question == question]
    return wanted


# --- Decks ----------------------------------------------------------------------------------------------------------


def test_a_deck_is_that_of_the_games_own_deal() -> None:
    tarneeb, rami = deck("tarneeb-classic"), deck("rami-tounsi", 3, jokers=2, hand_size=13)
    assert (tarneeb.size, tarneeb.hand_size, len(tarneeb.honours), tarneeb.has_partners) == (52, 13, 16, True)
    assert (rami.size, rami.hand_size, rami.seat_count, rami.side_count) == (106, 13, 3, 3)
    assert rami.count_of(["JK"]) == 2
    assert deck("twenty-nine").hand_size == 4
    assert deck("belote-contree").ranks == ("7", "8", "9", "T", "J", "Q", "K", "A")


def test_another_packages_game_is_examined_without_a_line_for_it(high_card: Path) -> None:
    documents = generated("high-card", 40)
    found = part(documents)
    assert found.ruleset == "high-card"
    assert found.deals == len(deals_in(documents))
    assert answer(found, "card-seat").cells[0].expected == pytest.approx(1 / 52)


def test_honours_are_as_far_as_the_pack_has_them() -> None:
    small = Deck("small", ("7C", "8C", "9C", "JC"), (1,) * 4, 1, False, 4, 2)
    assert small.honours == ("JC",)
    assert small.suits == ("C",)


# --- What counts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", ["tarneeb-classic", "belote-contree", "rami-tounsi"])
def test_every_deal_counts_void_ones_too(ruleset: str) -> None:
    documents = generated(ruleset, 3)
    found = part(documents)
    assert (found.matches, found.deals) == (3, len(deals_in(documents)))
    assert (found.unseen, found.misdealt) == (0, 0)


def test_an_extra_card_of_the_first_player_is_expected_there() -> None:
    documents = generated("rami-tounsi", 4)
    sizes = [sum(len(hand) for hand in event["hands"]) for event in deals_in(documents)]
    found = answer(part(documents), "suit-seat")
    expected = sum(cell.expected for cell in found.cells if cell.subject[1] in (0, 1)) / 2
    assert set(sizes) & {29, 43, 57}  # somebody has one more
    assert 14 * 104 / 108 < expected < 15 * 104 / 108


def test_a_second_batch_is_counted_against_the_cards_that_are_left() -> None:
    """It is dealt where somebody has bid, which says much of the first batch and nothing of the second."""
    documents = generated("twenty-nine", 3)
    intake = Intake()
    taken = [intake.take(entry) for entry in entries(documents)]
    batches = [deal.batches for one in taken for deal in one.deals]
    assert {len(it) for it in batches} == {1, 2}
    for first, second in (it for it in batches if len(it) == 2):
        assert first.pool is None
        assert second.pool is not None
        assert sum(second.pool) == sum(second.hands) == sum(first.hands) == 16
        seen = [sum(first.hands[seat * 32 + kind] for seat in range(4)) for kind in range(32)]
        assert [1 - it for it in seen] == list(second.pool)


def test_after_a_redeal_both_deals_count() -> None:
    documents = generated("twenty-nine", 4, redeal=True)
    assert any(event["type"] == "redeal" for it in documents for event in it["events"])
    intake = Intake()
    taken = [intake.take(entry) for entry in entries(documents)]
    assert sum(len(deal.batches) for it in taken for deal in it.deals) == len(deals_in(documents))
    assert part(documents).status != "unusual"


def test_of_a_game_without_cards_only_who_acts_first_is_told() -> None:
    found = part(generated("three-stones", 30))
    assert (found.status, found.deals, found.answers) == ("no cards", 0, ())
    assert found.first_to_act is not None
    assert found.first_to_act.matches == 30
    assert not account(generated("three-stones", 3)).is_unusual


def test_who_acts_first_is_who_speaks_first_and_the_lead_is_the_mean_of_what_the_side_scored_more() -> None:
    documents = generated("tarneeb-classic", 12)
    leads, wins = [], 0
    for it in documents:
        events = it["events"]
        openers: list[int] = []
        for at, event in enumerate(events):
            if event["type"] == "deal":
                openers.append(next(later["seat"] for later in events[at + 1 :] if "seat" in later) % 2)
            elif event["type"] == "score" and event["deal"] != [0, 0]:
                first = openers[-1]
                leads.append(event["deal"][first] - event["deal"][1 - first])
            elif event["type"] == "result":
                wins += event["winner"] == openers[0]
    found = part(documents).first_to_act
    assert found is not None
    assert found.deals == len(leads)
    assert found.lead == pytest.approx(sum(leads) / len(leads))
    assert (found.wins, found.matches, found.even_share) == (wins, 12, 0.5)


# --- What is left out -----------------------------------------------------------------------------------------------


def test_a_deal_with_an_unseen_card_is_left_out_and_counted() -> None:
    documents = generated("tarneeb-classic", 2)
    whole = len(deals_in(documents))
    deals_in(documents)[1]["hands"][3][:2] = ["??", "??"]
    found = part(documents)
    assert (found.deals, found.unseen) == (whole - 1, 1)


@pytest.mark.parametrize("change", ["twice", "short", "stranger"])
def test_what_is_no_deal_of_the_pack_is_left_out_and_counted(change: str) -> None:
    documents = generated("belote-contree", 2)
    whole = len(deals_in(documents))
    hands = deals_in(documents)[1]["hands"]
    if change == "twice":
        hands[0][0] = hands[1][0]
    elif change == "short":
        hands[0].pop()
    else:
        hands[0][0] = "2C"
    found = part(documents)
    assert (found.deals, found.misdealt) == (whole - 1, 1)


def test_a_deal_that_was_refused_was_not_dealt() -> None:
    documents = generated("tarneeb-classic", 1)
    events = documents[0]["events"]
    events.insert(1, {**copy.deepcopy(events[0]), "refused": True})
    assert part(documents).deals == len(deals_in(documents)) - 1


@pytest.mark.parametrize("change", ["nothing", "another log"])
def test_a_match_counts_once_however_many_logs_it_has(change: str) -> None:
    documents = generated("tarneeb-classic", 3)
    again = copy.deepcopy(documents[0])
    if change == "another log":
        again["producer"] = {"name": "another client"}
    once, twice = account(documents), account([*documents, again])
    assert twice.seen_before == 1
    assert twice.parts == once.parts


def test_a_log_that_shows_no_deal_whole_leaves_the_match_to_another() -> None:
    documents = generated("tarneeb-classic", 1)
    blind = copy.deepcopy(documents[0])
    for event in deals_in([blind]):
        event["hands"][1] = ["??"] * 13
    found = account([blind, *documents])
    assert found.seen_before == 0
    [told] = found.parts
    assert (told.matches, told.deals, told.unseen) == (1, len(deals_in(documents)), len(deals_in(documents)))


def test_only_one_ruleset_is_asked_for() -> None:
    documents = [*generated("tarneeb-classic", 1), *generated("three-stones", 1)]
    assert [it.ruleset for it in account(documents, ruleset="three-stones").parts] == ["three-stones"]


def test_what_is_no_match_log_is_counted() -> None:
    assert account([{"format": "match-log/1"}, *generated("three-stones", 1)]).unreadable == 1


def test_the_order_of_the_logs_changes_nothing() -> None:
    documents = [*generated("tarneeb-classic", 3), *generated("twenty-nine", 2), *generated("rami-tounsi", 2)]
    assert to_json(account(documents)) == to_json(account(documents[::-1]))


def test_counting_in_portions_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [*generated("tarneeb-classic", 4), *generated("twenty-nine", 3)]
    at_once = account(documents)
    monkeypatch.setattr("auditor.fairness.examination._PORTION", 2)
    assert account(documents) == at_once


# --- What stands out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("redeals until each hand has two honours", "honour-deal"),
        ("favours seat 0 with aces", "rank-seat"),
        ("repeats deals", "repeated-deals"),
    ],
)
def test_logs_of_an_unfair_dealer_are_caught_at_5000_deals(name: str, question: str) -> None:
    found = part(logs_of("belote-contree", UNFAIR[name], 5000, 2))
    assert (found.status, found.deals) == ("unusual", 5000)
    assert question in unusual(found)


def test_logs_of_a_fair_dealer_are_not() -> None:
    found = account(logs_of("belote-contree", fair, 1000, 2))
    assert [it.status for it in found.parts] == ["usual"]
    assert not found.is_unusual


def test_a_few_fair_deals_are_too_few_to_tell() -> None:
    found = part(logs_of("tarneeb-classic", fair, 100, 2))
    assert found.status == "too few"
    assert found.visible is not None
    assert 0.1 < found.visible < 0.3


def test_a_repeated_deal_is_named_by_both_matches_whichever_seats_have_the_hands() -> None:
    documents = logs_of("tarneeb-classic", fair, 30, 1)
    hands = documents[3]["events"][0]["hands"]
    documents[20]["events"].insert(0, {**documents[20]["events"][0]})
    documents[20]["events"][0] = deal_event(1, [*hands[1:], hands[0]])
    del documents[20]["events"][1]
    found = part(documents)
    assert [(it.match, it.deal, it.earlier_match, it.earlier_deal) for it in found.repeated] == [("M20", 0, "M3", 0)]
    assert set(unusual(found)) == {"repeated-deals", "repeated-hands"}


def test_generated_matches_that_begin_with_rare_hands_are_noticed() -> None:
    """Some generated matches of this ruleset begin with a hand of nine of a suit, on purpose."""
    found = part(generated("tarneeb-masrawi", 60, rounds=1))
    assert "suit-hand" in unusual(found)


# --- Shuffle proofs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", ["tarneeb-classic", "twenty-nine", "rami-tounsi"])
def test_every_deal_with_a_proof_is_verified(ruleset: str) -> None:
    documents = generated(ruleset, 3, proves_shuffle=True)
    found = part(documents).proofs
    assert (found.verified, found.failed, found.unchecked) == (part(documents).deals, 0, 0)


def test_a_deal_that_does_not_come_from_its_proof_is_named() -> None:
    documents = generated("tarneeb-classic", 2, proves_shuffle=True)
    hands = deals_in(documents[1:])[1]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    found = account(documents)
    [told] = found.parts
    assert [(it.match, it.deals) for it in told.proofs.failures] == [(documents[1]["match"], (1,))]
    assert told.proofs.failed == 1
    assert found.is_unusual


def test_a_commitment_that_does_not_fit_fails_every_deal_of_its_match() -> None:
    documents = generated("tarneeb-classic", 1, proves_shuffle=True)
    documents[0]["shuffle"]["commitment"] = "00" * 32
    found = part(documents).proofs
    assert (found.verified, found.failed) == (0, len(deals_in(documents)))


def test_a_proof_is_not_called_verified_where_it_was_not_looked_at() -> None:
    """A deal by the wrong dealer breaks another clause, and unseen cards cannot be compared."""
    documents = generated("tarneeb-classic", 1, proves_shuffle=True)
    events = deals_in(documents)
    events[1]["dealer"] = (events[1]["dealer"] + 2) % 4
    events[2]["hands"][0][0] = "??"
    found = part(documents).proofs
    assert found.unchecked == 2
    assert found.verified + found.failed == len(events) - 2


# --- What stops it --------------------------------------------------------------------------------------------------


def test_a_missing_library_is_told_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("counting", "judging", "laws", "repeats"):
        monkeypatch.delitem(sys.modules, f"auditor.fairness.{name}")
        monkeypatch.delattr(fairness, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(CannotAudit, match=r"pip install 'auditor\[fairness\]'"):
        Examination()


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2])
def test_a_rate_that_is_none_is_refused(alpha: float) -> None:
    with pytest.raises(CannotAudit, match="between 0 and 1"):
        Examination(alpha)


def test_a_match_of_one_deal_may_be_all_there_is() -> None:
    [log] = logs_of("tarneeb-classic", fair, 1, 1)
    assert part([log]).status == "too few"
    assert part([document("tarneeb-classic", "M", [])]).deals == 0
