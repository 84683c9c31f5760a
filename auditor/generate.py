"""Sensible random matches: players who bid about what they can make and play to win.

In: a game, options, a seed. Out: matches in the log format, legal and rightly scored, the same for a seed on every
machine. Refuses to know the rules: what may be done is asked of the game's own stages.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import msgspec

from auditor import __version__, cards, events, rulebook
from auditor.auctions import Auction
from auditor.circling import CirclingAuction
from auditor.deals import Deal, Shuffle
from auditor.errors import CannotAudit
from auditor.game import Game
from auditor.games import FORMS
from auditor.log import Unreadable, read_bytes
from auditor.players import Player, anybody, players
from auditor.settlement import Settlement
from auditor.stage import MatchOver, Stage
from auditor.table import Table, added
from auditor.tricks import Trick, weakest

FIRST_MATCH = datetime(2026, 1, 1, 18, 0, tzinfo=UTC)
PLAYERS = (
    "أمل", "بسام", "تالا", "جهاد", "حنان", "خالد", "دانا", "رامي", "زينة", "سامر", "شادي", "عبير",
    "Amal", "Basel", "Dina", "Fares", "Hala", "Idris", "Karim", "Lina", "Mourad", "Nour", "Salma", "Yasin",
)  # fmt: skip
#: One act in so many is made by the system because a clock ran out.
ACTS_PER_TIMEOUT = 200
#: Where a game has rare hands, one match in so many begins with them, if they come up in so many shuffles.
MATCHES_PER_RARE_HAND = 6
SHUFFLES_FOR_A_RARE_HAND = 2000


def matches(
    game: Game, count: int | None, seed: int, options: Mapping[str, Any] | None = None, proves_shuffle: bool = False
) -> Iterator[dict[str, Any]]:
    """``count`` matches (``None``: no end of them) as documents of the log format.

    ``proves_shuffle`` adds the shuffle proof to each.
    Raises ``CannotAudit`` for options that the game does not have.
    """
    for number in itertools.count() if count is None else range(count):
        yield _match(game, number, f"{seed}:{number}", dict(options or {}), proves_shuffle)


def _match(game: Game, number: int, name: str, options: dict[str, Any], proves_shuffle: bool) -> dict[str, Any]:
    chance = Random(name)
    seats = game.seat_counts[number % len(game.seat_counts)]
    proof = _proof(name, name)
    if game.is_rare is not None and number % MATCHES_PER_RARE_HAND == MATCHES_PER_RARE_HAND - 1:
        proof = _proof_of_rare_hands(game, name) or proof
    start = FIRST_MATCH + timedelta(minutes=7 * number)
    document: dict[str, Any] = {
        "format": "match-log/1",
        "match": f"{game.id}-{name}",
        "ruleset": game.id,
        "options": options,
        "players": _players(seats, chance),
        "producer": {"name": "auditor generate", "version": __version__},
        "started": start.isoformat().replace("+00:00", "Z"),
        "events": [],
    }
    if proves_shuffle:
        document["shuffle"] = msgspec.to_builtins(proof)
    _check(document)
    table = game.table(seats, options)
    clock = 0
    for event in _acts(game, table, Shuffle(proof), chance):
        clock += 400 + int(chance.random() * 4000)
        document["events"].append(msgspec.to_builtins(msgspec.structs.replace(event, at=clock)))
    document["ended"] = (
        (start + timedelta(milliseconds=clock)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )
    return document


def _check(document: dict[str, Any]) -> None:
    entry = read_bytes(msgspec.json.encode(document), FORMS)
    if isinstance(entry, Unreadable):
        fault = entry.diagnostics[0]
        said = rulebook.sentence(document["ruleset"], fault.clause, fault.facts)
        raise CannotAudit(f"{fault.pointer}: {said}")


def _proof_of_rare_hands(game: Game, name: str) -> events.ShuffleProof | None:
    """A proof whose first deal is of a kind that seldom comes up."""
    assert game.is_rare is not None
    deal = next(game.order(game.table(game.seat_counts[0], {}), None))
    assert isinstance(deal, Deal)
    for number in range(SHUFFLES_FOR_A_RARE_HAND):
        proof = _proof(name, f"{name}:{number}")
        if game.is_rare(deal.deal_order(Shuffle(proof).pack(deal.pack.codes, 0), 0)):
            return proof
    return None


def _proof(name: str, client_seed: str) -> events.ShuffleProof:
    server_seed = hashlib.sha256(name.encode()).digest()
    return events.ShuffleProof(
        scheme="hmac-sha256-fisher-yates/1",
        commitment=hashlib.sha256(server_seed).hexdigest(),
        server_seed=server_seed.hex(),
        client_seed=client_seed,
    )


def _players(seat_count: int, chance: Random) -> list[dict[str, Any]]:
    """Some of five hundred players, each on one seat."""
    numbers: list[int] = []
    while len(numbers) < seat_count:
        number = int(chance.random() * 500)
        if number not in numbers:
            numbers.append(number)
    return [{"id": f"player-{number:03d}", "name": PLAYERS[number % len(PLAYERS)]} for number in numbers]


def _acts(game: Game, table: Table, shuffle: Shuffle, chance: Random) -> Iterator[Any]:
    """All events of one match, claims included."""
    order = game.order(table, shuffle)
    stage = next(order)
    while not isinstance(stage, MatchOver):
        act = _act(game, stage, chance)
        while stage.yields_to(act):
            stage.pass_over(act)
            stage = next(order)
        assert stage.judge(act) is None
        stage.apply(act)
        yield act
        if isinstance(stage, Trick) and stage.table.closed_trick is stage:
            yield events.TrickClaim(winner=stage.winner)
            stage.table.closed_trick = None
        if stage.is_done:
            stage = next(order)
    result = events.SeatResultClaim if _has_seat_claims(game) else events.TeamResultClaim
    yield result(winner=stage.winner, total=list(table.totals))


def _act(game: Game, stage: Stage, chance: Random) -> Any:
    if chance.random() * ACTS_PER_TIMEOUT < 1:
        if isinstance(stage, (Auction, CirclingAuction)):
            return events.Pass(seat=stage.turn, by="timeout")
        if isinstance(stage, Trick):
            weak = cards.codes(weakest(stage.playable, stage.trump, stage.plain, stage.trumps))
            return events.Play(seat=stage.turn, card=weak[0], by="timeout")  # type: ignore[arg-type]
    if isinstance(stage, Deal):
        return _deal(stage, chance)
    if isinstance(stage, Settlement):
        return _claim(game, stage)
    player: Player = players().get(type(stage), anybody)
    return player(stage, chance)


def _deal(stage: Deal, chance: Random) -> events.Deal:
    assert stage.shuffle is not None
    dealer = stage.expected if stage.dealer is None else stage.dealer
    if dealer is None:
        dealer = int(chance.random() * stage.table.seat_count)
    pack = stage.shuffle.pack(stage.pack.codes, stage.number)
    return events.Deal(dealer=dealer, hands=stage.deal_order(pack, dealer))  # type: ignore[arg-type]


def _claim(game: Game, stage: Settlement) -> events.TeamScoreClaim | events.SeatScoreClaim:
    claim = events.SeatScoreClaim if _has_seat_claims(game) else events.TeamScoreClaim
    return claim(deal=list(stage.points), total=list(added(stage.table.totals, stage.points)))


def _has_seat_claims(game: Game) -> bool:
    """Whether claims have one number a seat: where there may be more or fewer of them."""
    return len(game.seat_counts) > 1
