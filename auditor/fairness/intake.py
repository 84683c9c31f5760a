"""The intake: what a match log says of dealing, and nothing else of it.

In: a log and its verdict. Out: the deals with their cards, who acted first and what came of it, and how the shuffle
proof fared. Refuses to know how anything is counted; no number is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from auditor import events
from auditor.audit import verdict_on
from auditor.fairness.deck import Deck, deck_of
from auditor.game import Game
from auditor.games import GAMES
from auditor.log import Log
from auditor.verdict import DealResult, Verdict


@dataclass(frozen=True, slots=True)
class Batch:
    """Cards dealt at once. ``hands`` counts them by seat and kind, one byte each; ``pool`` what they were taken from.

    ``pool`` is ``None`` for the whole pack.
    """

    dealer: int
    hands: bytes
    pool: bytes | None


@dataclass(frozen=True, slots=True)
class Dealt:
    """One deal that counts: its number in the match, from 0, and its batches in order."""

    number: int
    batches: Sequence[Batch]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which side acted first in a deal that was scored, and the points of each side."""

    first_side: int
    points: Sequence[int]


@dataclass(frozen=True, slots=True)
class Taken:
    """What one match says. ``deck`` is ``None`` where no cards are dealt.

    ``unseen`` and ``misdealt`` count the deals that are left out. ``opener`` is the side that acted first in the first
    deal, and ``winner`` the side that won. ``verified``, ``failed`` and ``unchecked`` are deals with a shuffle proof.
    """

    deck: Deck | None
    side_count: int
    deals: Sequence[Dealt]
    unseen: int
    misdealt: int
    outcomes: Sequence[Outcome]
    opener: int | None
    winner: int | None
    verified: int
    failed: Sequence[int]
    unchecked: int


class Intake:
    """Takes matches one after another; it remembers the decks that it has met."""

    def __init__(self) -> None:
        self._decks: dict[tuple[str, int, bytes], Deck | None] = {}

    def take(self, log: Log) -> Taken:
        """What the log says of dealing; it is replayed for that."""
        match = log.match
        game = GAMES[match.ruleset]
        verdict = verdict_on(log)
        options = {} if match.options is UNSET else msgspec.to_builtins(match.options)
        deck = self._deck(game, len(match.players), options)
        side_count = game.table(len(match.players), options).side_count

        dealt: list[Dealt] = []
        outcomes: list[Outcome] = []
        unseen = misdealt = verified = unchecked = 0
        failed: list[int] = []
        opener = None
        broken_proofs = _broken_proofs(match, verdict)
        for result in verdict.deals:
            shown = _shown(game, match.events, result)
            is_whole = not any(events.UNSEEN_CARD in hand for event in shown for hand in event.hands)
            batches = None if deck is None or not is_whole else _batches(deck, shown)
            if deck is not None and not is_whole:
                unseen += 1
            elif deck is not None and batches is None:
                misdealt += 1
            elif batches:
                dealt.append(Dealt(result.index, batches))
            if match.shuffle is not UNSET and deck is not None:
                if result.index in broken_proofs:
                    failed.append(result.index)
                elif is_whole and batches is not None and _is_judged(verdict, result):
                    verified += 1
                else:
                    unchecked += 1
            first = _first_to_act(match.events, result)
            if first is not None:
                first_side = first % side_count
                if result.index == 0:
                    opener = first_side
                if result.outcome == "scored" and result.points is not None:
                    outcomes.append(Outcome(first_side, result.points))
        winner = verdict.winner if verdict.over else None
        return Taken(
            deck=deck,
            side_count=side_count,
            deals=dealt,
            unseen=unseen,
            misdealt=misdealt,
            outcomes=outcomes,
            opener=opener,
            winner=winner,
            verified=verified,
            failed=failed,
            unchecked=unchecked,
        )

    def _deck(self, game: Game, seat_count: int, options: Mapping[str, Any]) -> Deck | None:
        key = (game.id, seat_count, msgspec.json.encode(options, order="sorted"))
        if key not in self._decks:
            self._decks[key] = deck_of(game, seat_count, options)
        return self._decks[key]


def _shown(game: Game, log: Sequence[Any], result: DealResult) -> list[Any]:
    """The events that dealt the cards of a deal: the one that began it, and later batches."""
    first, last = result.events
    later = (
        log[at]
        for at in range(first + 1, last + 1)
        if isinstance(log[at], events.CARD_DEALS) and log[at].refused is not True and game.is_later_batch(log, at)
    )
    return [event for event in (log[first], *later) if isinstance(event, events.CARD_DEALS)]


def _batches(deck: Deck, shown: Sequence[Any]) -> list[Batch] | None:
    """The cards of a deal; ``None`` where they are not a deal of the pack."""
    place = {kind: at for at, kind in enumerate(deck.kinds)}
    width = len(deck.kinds)
    left = list(deck.copies)
    batches: list[Batch] = []
    for event in shown:
        sizes = [len(hand) for hand in event.hands]
        fits = len(set(sizes)) == 1 if batches else _are_sizes(deck, sizes)
        if len(sizes) != deck.seat_count or not fits:
            return None
        pool = bytes(left) if batches else None
        hands = bytearray(width * deck.seat_count)
        for seat, hand in enumerate(event.hands):
            for card in hand:
                at = place.get(card)
                if at is None or left[at] == 0:
                    return None
                left[at] -= 1
                hands[seat * width + at] += 1
        batches.append(Batch(event.dealer, bytes(hands), pool))
        if not _is_rest(event, place, left):
            return None
    return batches


def _is_rest(event: Any, place: Mapping[str, int], left: Sequence[int]) -> bool:
    """Whether the stock, where the log has it, holds just what is left of the pack."""
    stock = getattr(event, "stock", UNSET)
    if stock is UNSET or events.UNSEEN_CARD in stock:
        return True
    upcard = getattr(event, "upcard", UNSET)
    rest = [*stock, *(() if upcard is UNSET else (upcard,))]
    counts = [0] * len(left)
    for card in rest:
        at = place.get(card)
        if at is None:
            return False
        counts[at] += 1
    return counts == list(left)


def _are_sizes(deck: Deck, sizes: Sequence[int]) -> bool:
    extra = sum(sizes) - deck.hand_size * deck.seat_count
    return min(sizes) == deck.hand_size and 0 <= extra <= int(deck.may_have_extra)


def _first_to_act(log: Sequence[Any], result: DealResult) -> int | None:
    """The seat that begins: as the opening event says or, where it does not, the first that does something."""
    first, last = result.events
    if isinstance(log[first], events.Round):
        return int(log[first].first)
    acts: Iterator[Any] = (log[at] for at in range(first + 1, last + 1))
    return next((act.seat for act in acts if hasattr(act, "seat") and act.refused is not True), None)


def _broken_proofs(match: events.Match, verdict: Verdict) -> set[int]:
    """The deals whose shuffle proof fails; all of them where the commitment does not fit the seed."""
    found = [finding for finding in verdict.findings if finding.clause == "deal.shuffle"]
    if any(finding.facts["trouble"] == "broken commitment" for finding in found):
        return {result.index for result in verdict.deals}
    return {finding.facts["deal"] for finding in found}


def _is_judged(verdict: Verdict, result: DealResult) -> bool:
    """Whether the replay came to the shuffle: a deal by the wrong dealer breaks a clause that stands before it."""
    return all(finding.clause != "deal.dealer" or finding.event != result.events[0] for finding in verdict.findings)
