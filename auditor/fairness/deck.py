"""The deck: which cards a deal hands out, to how many seats, and what is counted of them.

In: the record of a game, the number of players and the options of a match. Out: a frozen deck, or nothing where no
cards are dealt. Refuses to know logs, and which games there are: it asks the game's own deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.cards import RANKS, SUITS
from auditor.deals import Deal
from auditor.events import JOKER
from auditor.game import Game
from auditor.stock import StockDeal

#: The court cards and the ace, in whatever a game they count: those that a player is glad of or a dealer would favour.
HONOURS = ("A", "K", "Q", "J")


@dataclass(frozen=True, slots=True)
class Deck:
    """What is dealt to ``seat_count`` seats: ``hand_size`` cards each, to one perhaps one more (``may_have_extra``).

    ``kinds`` are the different cards in pack order, and ``copies`` says how many there are of each.
    """

    ruleset: str
    kinds: tuple[str, ...]
    copies: tuple[int, ...]
    hand_size: int
    may_have_extra: bool
    seat_count: int
    side_count: int

    @property
    def size(self) -> int:
        """How many cards the pack has."""
        return sum(self.copies)

    @property
    def has_partners(self) -> bool:
        """Whether some seats are one side."""
        return self.side_count < self.seat_count

    @property
    def ranks(self) -> tuple[str, ...]:
        """The ranks that the pack has, lowest first; a joker has none."""
        return tuple(rank for rank in RANKS if any(kind[0] == rank for kind in self.kinds if kind != JOKER))

    def of_rank(self, rank: str) -> tuple[str, ...]:
        return tuple(kind for kind in self.kinds if kind != JOKER and kind[0] == rank)

    def of_suit(self, suit: str) -> tuple[str, ...]:
        return tuple(kind for kind in self.kinds if kind != JOKER and kind[1] == suit)

    @property
    def suits(self) -> tuple[str, ...]:
        return tuple(suit for suit in SUITS if self.of_suit(suit))

    @property
    def honours(self) -> tuple[str, ...]:
        """Aces, kings, queens and jacks, as far as the pack has them."""
        return tuple(kind for rank in HONOURS for kind in self.of_rank(rank))

    def count_of(self, some: Sequence[str]) -> int:
        """How many cards of the pack are of some kinds."""
        return sum(copies for kind, copies in zip(self.kinds, self.copies, strict=True) if kind in some)


def deck_of(game: Game, seat_count: int, options: Mapping[str, Any]) -> Deck | None:
    """The deck of a match in which these options were named; ``None`` for a game whose matches begin without cards."""
    table = game.table(seat_count, options)
    stage = next(game.order(table, None))
    if isinstance(stage, Deal):
        pack: Sequence[str] = stage.pack.codes
    elif isinstance(stage, StockDeal):
        pack = stage.pack
    else:
        return None
    counted = Counter(pack)
    return Deck(
        ruleset=game.id,
        kinds=tuple(counted),
        copies=tuple(counted.values()),
        hand_size=stage.hand_size,
        may_have_extra=isinstance(stage, StockDeal),
        seat_count=seat_count,
        side_count=table.side_count,
    )
