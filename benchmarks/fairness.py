"""False alarms and misses of ``auditor fairness``: fair archives of every card game, and three unfair dealers.

The deals go straight into the counting, so that a thousand archives take minutes; seeds are 0, 1, 2 …, so the table is
the same every time. ``python benchmarks/fairness.py --help``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from auditor.fairness.account import Answer
from auditor.fairness.counting import Tally
from auditor.fairness.dealers import UNFAIR, Dealer, dealt, fair
from auditor.fairness.deck import Deck, deck_of
from auditor.fairness.examination import DEFAULT_ALPHA
from auditor.fairness.judging import judged
from auditor.games import GAMES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archives", type=int, default=1000, help="fair archives (default 1000)")
    parser.add_argument("--deals", type=int, default=500, help="deals of each ruleset in a fair archive (default 500)")
    parser.add_argument("--alpha", type=float, default=DEFAULT_ALPHA, help=f"rate of false alarms ({DEFAULT_ALPHA})")
    options = parser.parse_args()
    decks = list(card_games())

    alarms: Counter[str] = Counter()
    false = 0
    for seed in range(options.archives):
        unusual = [
            f"{ruleset}: {it.question}" for ruleset, it in answers(decks, fair, options.deals, seed, options.alpha)
        ]
        alarms.update(unusual)
        false += bool(unusual)
    print(f"fair archives: {options.archives} of {len(decks)} × {options.deals} deals")
    print(f"with a false alarm: {false} ({false / options.archives:.2%}; stated {options.alpha:.2%} at most)")
    for name, count in sorted(alarms.items()):
        print(f"  {name}: {count}")

    for name, dealer in UNFAIR.items():
        print(f"a dealer that {name}, 5000 deals:")
        for ruleset, deck, has_second in decks:
            found = answers([(ruleset, deck, has_second)], dealer, 5000, 0, options.alpha)
            print(f"  {ruleset:24} {', '.join(it.question for _, it in found) or 'not caught'}")


def card_games() -> Iterator[tuple[str, Deck, bool]]:
    """The rulesets with cards, each with its deck at a full table and whether it deals twice."""
    for ruleset, game in GAMES.items():
        deck = deck_of(game, max(game.seat_counts), {})
        if deck is not None:
            yield ruleset, deck, deck.hand_size * deck.seat_count * 2 == deck.size


def answers(
    decks: list[tuple[str, Deck, bool]], dealer: Dealer, count: int, seed: int, alpha: float
) -> list[tuple[str, Answer]]:
    """The unusual answers to one archive of so many deals of each deck."""
    tallies = {}
    for number, (ruleset, deck, has_second) in enumerate(decks):
        tallies[ruleset] = Tally()
        for deals in dealt(deck, dealer, count, seed * len(decks) + number, has_second):
            tallies[ruleset].add(deals)
    _, said = judged(tallies, alpha)
    return [(name, it) for name, part in said.items() for it in part.answers if it.standing == "unusual"]


if __name__ == "__main__":
    main()
