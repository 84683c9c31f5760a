"""Other rule engines on their own games: microseconds per event, each checked for legality as it is played back.

In: how many events, and then a line on standard input for each round. Out: for each round a line of JSON with the
microseconds of every peer, after a first line with their versions. Events are counted as a match log counts them: what
is dealt at once is one event. It runs in an environment of its own, in which
python-chess, PokerKit and OpenSpiel are installed and auditor is not; ``benchmarks/bench.py --peers`` asks it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from random import Random

import chess
import pyspiel
from pokerkit import Automation, NoLimitTexasHoldem

#: Plays games back, and how many events they have.
Replay = tuple[Callable[[], None], int]


def main() -> None:
    fewest = int(sys.argv[1])
    peers: dict[str, tuple[str, Replay]] = {
        "python-chess": ("chess", _chess(fewest)),
        "PokerKit, hold'em": ("pokerkit", _poker(fewest)),
        "OpenSpiel, bridge": ("open_spiel", _bridge(fewest)),
    }
    print(json.dumps({name: version(package) for name, (package, _) in peers.items()}), flush=True)
    for _ in sys.stdin:
        print(json.dumps({name: _microseconds(*replay) for name, (_, replay) in peers.items()}), flush=True)


def _microseconds(replay: Callable[[], None], event_count: int) -> float:
    start = time.perf_counter()
    replay()
    return (time.perf_counter() - start) / event_count * 1e6


def _chess(fewest: int) -> Replay:
    """Random games, their moves as a log writes them (``e2e4``)."""
    chance = Random(1)
    games: list[list[str]] = []
    event_count = 0
    while event_count < fewest:
        board, moves = chess.Board(), []
        while not board.is_game_over():
            move = chance.choice(list(board.legal_moves))
            board.push(move)
            moves.append(move.uci())
        games.append(moves)
        event_count += len(moves)

    def replay() -> None:
        for moves in games:
            board = chess.Board()
            for move in moves:
                board.push_uci(move)  # raises if it is illegal

    return replay, event_count


def _bridge(fewest: int) -> Replay:
    """Random deals, bid and played out."""
    game = pyspiel.load_game("bridge(use_double_dummy_result=false)")
    chance = Random(1)
    deals: list[list[int]] = []
    event_count = 0
    while event_count < fewest:
        state, acts = game.new_initial_state(), []
        while not state.is_terminal():
            acts.append(chance.choice(state.legal_actions()))
            state.apply_action(acts[-1])
        deals.append(acts)
        event_count += len(acts) - 51  # 52 of them deal one card each

    def replay() -> None:
        for acts in deals:
            state = game.new_initial_state()
            for act in acts:
                state.apply_action_with_legality_check(act)

    return replay, event_count


#: Whatever is nobody's choice happens by itself.
_AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
_PACK = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA"]


def _poker(fewest: int) -> Replay:
    """Random hands of four players."""
    chance = Random(1)
    hands: list[list[tuple[str, str]]] = []
    event_count = 0
    while event_count < fewest:
        pack = chance.sample(_PACK, len(_PACK))
        state, acts = _new_hand(), []
        while state.status:
            act = _some_act(state, pack, chance)
            _take(state, *act)
            acts.append(act)
        hands.append(acts)
        event_count += 1 + sum(verb not in ("hole", "burn") for verb, _ in acts)

    def replay() -> None:
        for acts in hands:
            state = _new_hand()
            for verb, cards in acts:
                _take(state, verb, cards)  # raises if it is illegal

    return replay, event_count


def _new_hand():  # type: ignore[no-untyped-def]  # PokerKit's state
    return NoLimitTexasHoldem.create_state(_AUTOMATIONS, True, 0, (1, 2), 2, 200, 4)


def _some_act(state, pack: list[str], chance: Random) -> tuple[str, str]:  # type: ignore[no-untyped-def]
    if state.can_deal_hole():
        return "hole", pack.pop()
    if state.can_burn_card():
        return "burn", "??"
    if state.can_deal_board():
        return "board", "".join(pack.pop() for _ in range(state.board_dealing_counts[0]))
    drawn = chance.random()
    if drawn < 0.15 and state.can_fold():
        return "fold", ""
    if drawn < 0.3 and state.can_complete_bet_or_raise_to():
        return "raise", ""
    return "call", ""


def _take(state, verb: str, cards: str) -> None:  # type: ignore[no-untyped-def]
    match verb:
        case "hole":
            state.deal_hole(cards)
        case "burn":
            state.burn_card(cards)
        case "board":
            state.deal_board(cards)
        case "fold":
            state.fold()
        case "raise":
            state.complete_bet_or_raise_to()
        case _:
            state.check_or_call()


if __name__ == "__main__":
    main()
