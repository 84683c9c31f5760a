"""Dealing: the order of a deal, and shuffle proofs against a flat implementation that shares no code with them."""

from __future__ import annotations

import hashlib
import hmac
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import cards, deals, events, generate, replay
from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import read_bytes

CLASSIC = GAMES["tarneeb-classic"]
PACK = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


# --- The flat implementation ----------------------------------------------------------------------------------------


def stream(server_seed: str, client_seed: str, deal: int, blocks: int = 30) -> bytes:
    """The bytes that decide a shuffle: one HMAC-SHA256 a block, written out by its definition (RFC 2104)."""
    key = bytes.fromhex(server_seed)
    key = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner, outer = bytes(byte ^ 0x36 for byte in key), bytes(byte ^ 0x5C for byte in key)
    found = b""
    for block in range(blocks):
        message = client_seed.encode() + b":" + str(deal).encode() + b":" + str(block).encode()
        found += hashlib.sha256(outer + hashlib.sha256(inner + message).digest()).digest()
    return found


def fisher_yates(pack: list[str], words: bytes, *, is_fair: bool = True) -> tuple[list[str], list[int]]:
    """The pack as these bytes shuffle it, and which words were thrown away (``is_fair=False``: none of them is)."""
    left = list(pack)
    thrown_away = []
    at = 0
    i = len(left) - 1
    while i >= 1:
        u = 0
        for byte in words[at : at + 4]:
            u = u * 256 + byte
        at += 4
        count = i + 1
        if is_fair and u >= 4294967296 - 4294967296 % count:
            thrown_away.append(at // 4 - 1)
            continue
        j = u - u // count * count
        card = left[i]
        left[i] = left[j]
        left[j] = card
        i -= 1
    return left, thrown_away


def flat(server_seed: str, client_seed: str, deal: int, pack: list[str] = PACK) -> list[str]:
    return fisher_yates(pack, stream(server_seed, client_seed, deal))[0]


def flat_hands(server_seed: str, client_seed: str, deal: int, dealer: int) -> list[list[str]]:
    """Thirteen cards at a time to the seats after the dealer, the dealer last."""
    pack = flat(server_seed, client_seed, deal)
    hands: list[list[str]] = [[], [], [], []]
    for batch, seat in enumerate([dealer + 1, dealer + 2, dealer + 3, dealer]):
        hands[seat % 4] = pack[13 * batch : 13 * batch + 13]
    return hands


# --- The shuffle ----------------------------------------------------------------------------------------------------


def proof(server_seed: str, client_seed: str, commitment: str | None = None) -> events.ShuffleProof:
    committed = commitment or hashlib.sha256(bytes.fromhex(server_seed)).hexdigest()
    scheme: Any = "hmac-sha256-fisher-yates/1"
    return events.ShuffleProof(scheme=scheme, commitment=committed, server_seed=server_seed, client_seed=client_seed)


def shuffled(server_seed: str, client_seed: str, deal: int, pack: list[str] = PACK) -> list[str]:
    return deals.Shuffle(proof(server_seed, client_seed)).pack(pack, deal)


@given(
    server_seed=st.binary(min_size=1, max_size=100).map(bytes.hex),
    client_seed=st.text(max_size=20).filter(lambda text: text.isprintable()),
    deal=st.integers(0, 200),
    size=st.integers(0, 52),
)
@settings(deadline=None, max_examples=200)
def test_every_shuffle_is_that_of_the_flat_implementation(
    server_seed: str, client_seed: str, deal: int, size: int
) -> None:
    pack = PACK[:size]
    found = shuffled(server_seed, client_seed, deal, pack)
    assert found == flat(server_seed, client_seed, deal, pack)
    assert sorted(found) == sorted(pack)
    assert pack == PACK[:size], "the pack that was given is left as it is"


@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
def test_a_server_seed_of_any_length_is_a_key(size: int) -> None:
    seed = bytes(range(size)).hex()
    assert shuffled(seed, "c", 0) == flat(seed, "c", 0)


@pytest.mark.parametrize("client_seed", ["", ":", "1:2", "زهر", "\U0001f3b2", "a b", "\\", "0"])
def test_the_client_seed_is_any_text_in_utf8(client_seed: str) -> None:
    assert shuffled("00ff", client_seed, 3) == flat("00ff", client_seed, 3)


def test_the_number_of_the_deal_is_written_in_decimal() -> None:
    found = [shuffled("00ff", "c", deal) for deal in (0, 1, 9, 10, 11, 100)]
    assert found == [flat("00ff", "c", deal) for deal in (0, 1, 9, 10, 11, 100)]
    assert len({tuple(pack) for pack in found}) == len(found)


def test_a_pack_that_needs_more_than_ten_blocks_counts_them_in_decimal() -> None:
    pack = PACK + [card.lower() for card in PACK]
    assert len(pack) > 10 * 8, "eight words a block"
    assert shuffled("00ff", "c", 0, pack) == flat("00ff", "c", 0, pack)


#: Real shuffles in which a word was thrown away, found by trying some 20 million: client seed, and which word.
THROWN_AWAY = [
    ("dice-8003702", 23),
    ("dice-18919625", 12),
    ("dice-19069859", 17),
    ("dice-20684884", 26),
]


@pytest.mark.parametrize(("client_seed", "word"), THROWN_AWAY)
def test_a_word_that_would_favour_some_cards_is_thrown_away(client_seed: str, word: int) -> None:
    server_seed = "00ff10a7"
    words = stream(server_seed, client_seed, 0)
    expected, thrown_away = fisher_yates(PACK, words)
    assert thrown_away == [word]
    biased, _ = fisher_yates(PACK, words, is_fair=False)
    assert shuffled(server_seed, client_seed, 0) == expected != biased
    hands = deals.in_batches([13], 4)(expected, 1)
    log = match([deal(1, hands)], proof(server_seed, client_seed))
    assert clauses(log) == []
    assert clauses({**log, "events": [deal(1, deals.in_batches([13], 4)(biased, 1))]}) == [("deal.shuffle", 0)]


#: The highest words, whose last few are thrown away unless the number of places is a power of two.
_HIGH = st.integers(0xFFFFFFFF - 60, 0xFFFFFFFF)
_WORDS = st.lists(_HIGH | st.integers(0, 0xFFFFFFFF) | st.sampled_from([0, 1, 51, 52]), max_size=120)


def compare_on(words: list[int], pack: list[str]) -> list[int]:
    """Both implementations on words that no seed need give; they go on with sevens. Returns which are thrown away."""
    drawn = b"".join(word.to_bytes(4, "big") for word in [*words, *[7] * 60])
    blocks = (drawn[start : start + 32].ljust(32, b"\0") for start in range(0, len(drawn), 32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hmac, "digest", lambda key, message, name: next(blocks))
        found = shuffled("00", "c", 0, pack)
    expected, thrown_away = fisher_yates(pack, drawn)
    assert found == expected
    return thrown_away


@given(words=_WORDS, size=st.integers(0, 52))
@settings(deadline=None, max_examples=200)
def test_any_words_are_used_and_thrown_away_as_in_the_flat_implementation(words: list[int], size: int) -> None:
    compare_on(words, PACK[:size])


@pytest.mark.parametrize("places", range(2, 53))
def test_words_are_thrown_away_from_where_a_whole_round_of_places_no_longer_fits(places: int) -> None:
    limit = 2**32 - 2**32 % places
    assert compare_on([limit - 1], PACK[:places]) == []
    if limit < 2**32:
        assert compare_on([limit, limit - 1], PACK[:places]) == [0]
        assert compare_on([limit, 0xFFFFFFFF], PACK[:places]) == [0, 1]


# --- The commitment -------------------------------------------------------------------------------------------------

_COMMITMENT = hashlib.sha256(bytes.fromhex("00ff10")).hexdigest()


@pytest.mark.parametrize(
    ("server_seed", "commitment", "holds"),
    [
        ("00ff10", _COMMITMENT, True),
        ("00FF10", _COMMITMENT, True),
        ("00Ff10", _COMMITMENT.upper(), True),
        ("00ff10", _COMMITMENT.upper(), True),
        ("00ff10", _COMMITMENT[:40].upper() + _COMMITMENT[40:], True),
        ("00ff11", _COMMITMENT, False),
        ("00ff1000", _COMMITMENT, False),
        ("00ff10", hashlib.sha256(b"00ff10").hexdigest(), False),
        ("00ff10", _COMMITMENT[:-2], False),
        ("00ff10", _COMMITMENT + "00", False),
        ("00ff10", "00ff10", False),
    ],
)
def test_a_commitment_is_the_hash_of_the_seeds_bytes_in_digits_of_either_case(
    server_seed: str, commitment: str, holds: bool
) -> None:
    assert deals.Shuffle(proof(server_seed, "c", commitment)).commitment_holds is holds
    hands = flat_hands(server_seed, "c", 0, 2)
    found = clauses(match([deal(2, hands)], proof(server_seed, "c", commitment)))
    assert found == ([] if holds else [("deal.shuffle", 0)])


def test_seeds_in_capitals_shuffle_like_others() -> None:
    assert shuffled("00FFABCDEF", "Ab", 1) == shuffled("00ffabcdef", "Ab", 1) == flat("00ffabcdef", "Ab", 1)
    assert shuffled("00ffabcdef", "AB", 1) != shuffled("00ffabcdef", "ab", 1), "the client seed is no hexadecimal"


# --- Proofs in matches ----------------------------------------------------------------------------------------------


def deal(dealer: int, hands: list[list[str]]) -> dict[str, Any]:
    return {"type": "deal", "dealer": dealer, "hands": hands}


def match(log: list[dict[str, Any]], shuffle: events.ShuffleProof) -> dict[str, Any]:
    return {
        "format": "match-log/1",
        "match": "m-1",
        "ruleset": "tarneeb-classic",
        "players": [{"id": f"p{seat}"} for seat in range(4)],
        "shuffle": msgspec.to_builtins(shuffle),
        "events": log,
    }


def clauses(document: dict[str, Any]) -> list[tuple[str, int | None]]:
    """What the log is accused of, read from its bytes as any other."""
    said = verdict_on(read_bytes(msgspec.json.encode(document), FORMS))
    assert said.status != "invalid", said.findings
    return [(row.clause, row.event) for row in said.findings if row.kind in ("illegal", "claim")]


def test_every_deal_of_generated_matches_comes_from_the_flat_shuffle_void_deals_counted() -> None:
    void_deals = 0
    for document in generate.matches(CLASSIC, 40, 8, proves_shuffle=True):
        shuffle = document["shuffle"]
        dealt = [event for event in document["events"] if event["type"] == "deal"]
        for number, event in enumerate(dealt):
            expected = flat_hands(shuffle["server_seed"], shuffle["client_seed"], number, event["dealer"])
            assert event["hands"] == expected
        said = replay.audit(CLASSIC, msgspec.convert(document, CLASSIC.form))
        void_deals += sum(each.outcome == "void" for each in said.deals[:-1])
    assert void_deals, "no void deal with another after it among them"


def test_after_a_void_deal_the_next_number_is_used() -> None:
    passes = [{"type": "pass", "seat": seat} for seat in (1, 2, 3, 0)]
    first, second = (deal(0, flat_hands("00ff", "c", number, 0)) for number in (0, 1))
    assert clauses(match([first, *passes, second], proof("00ff", "c"))) == []
    assert clauses(match([first, *passes, first], proof("00ff", "c"))) == [("deal.shuffle", 5)]


@pytest.mark.parametrize("number", [0, 1])
def test_a_refused_deal_is_not_counted_and_was_rightly_refused_if_it_is_none_of_the_shuffle(number: int) -> None:
    passes = [{"type": "pass", "seat": seat} for seat in (1, 2, 3, 0)]
    fair = [deal(0, flat_hands("00ff", "c", each, 0)) for each in (0, 1)]
    other = {**deal(0, flat_hands("00ff", "other", 0, 0)), "refused": True}
    log = [fair[0], *passes, fair[1]]
    at = 5 * number
    assert clauses(match([*log[:at], other, *log[at:]], proof("00ff", "c"))) == []


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("sizes", [[13], [5, 4, 4], [3, 2, 3], [1] * 13])
def test_cards_go_round_in_batches_from_the_seat_after_the_dealer(sizes: list[int], dealer: int) -> None:
    hands: list[list[str]] = [[], [], [], []]
    top = 0
    for size in sizes:
        for seat in (dealer + 1, dealer + 2, dealer + 3, dealer + 4):
            for _ in range(size):
                hands[seat % 4].append(PACK[top])
                top += 1
    assert deals.in_batches(sizes, 4)(PACK, dealer) == hands


def test_any_order_of_a_hand_is_the_same_deal_and_one_card_in_another_hand_is_not() -> None:
    chance = random.Random(5)
    hands = flat_hands("00ff", "c", 0, 3)
    for hand in hands:
        chance.shuffle(hand)
    assert clauses(match([deal(3, hands)], proof("00ff", "c"))) == []
    for seat in range(3):
        moved = [list(hand) for hand in hands]
        moved[seat][0], moved[seat + 1][0] = moved[seat + 1][0], moved[seat][0]
        assert clauses(match([deal(3, moved)], proof("00ff", "c"))) == [("deal.shuffle", 0)]
    for dealer in range(3):
        assert clauses(match([deal(dealer, hands)], proof("00ff", "c"))) == [("deal.shuffle", 0)]


def test_the_pack_stands_in_pack_order() -> None:
    assert list(cards.PACK_52.codes) == PACK
