"""The events of a match log as typed values.

In: nothing; these are shapes. Out: one frozen struct per event type, and the match around them. Refuses to know
how bytes are read and what the rules of any game are: a shape says only which keys an event has and which
values they can take. What a clause judges (a bid of 14, a card dealt twice) is well-formed here.

A key that was left out is ``UNSET``; it is never filled in, so that a match can be written back as it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

#: Whole numbers that every JSON reader holds exactly.
LARGEST_INTEGER = 2**53 - 1
Whole = Annotated[int, Meta(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER)]

Seat4 = Annotated[int, Meta(ge=0, le=3)]
Seat2 = Annotated[int, Meta(ge=0, le=1)]
Team = Annotated[int, Meta(ge=0, le=1)]
SeatNumbers = Annotated[list[Whole], Meta(min_length=2, max_length=4)]
TeamNumbers = Annotated[list[Whole], Meta(min_length=2, max_length=2)]

Suit = Literal["C", "D", "H", "S"]
#: What may be named as trump; whether NT exists in a game is for its rules.
Trump = Literal["C", "D", "H", "S", "NT"]

# fmt: off
Card = Literal[
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC",
    "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD",
    "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH", "AH",
    "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS",
    "JK",
]
#: A card as it lies in a hand: "??" is one that the log's writer could not see.
DealtCard = Literal[
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC",
    "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD",
    "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH", "AH",
    "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS",
    "JK", "??",
]
#: A card in a meld: a joker may say which card it stands for.
MeldCard = Literal[
    "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AC",
    "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD",
    "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH", "AH",
    "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS",
    "JK:2C", "JK:3C", "JK:4C", "JK:5C", "JK:6C", "JK:7C", "JK:8C",
    "JK:9C", "JK:TC", "JK:JC", "JK:QC", "JK:KC", "JK:AC",
    "JK:2D", "JK:3D", "JK:4D", "JK:5D", "JK:6D", "JK:7D", "JK:8D",
    "JK:9D", "JK:TD", "JK:JD", "JK:QD", "JK:KD", "JK:AD",
    "JK:2H", "JK:3H", "JK:4H", "JK:5H", "JK:6H", "JK:7H", "JK:8H",
    "JK:9H", "JK:TH", "JK:JH", "JK:QH", "JK:KH", "JK:AH",
    "JK:2S", "JK:3S", "JK:4S", "JK:5S", "JK:6S", "JK:7S", "JK:8S",
    "JK:9S", "JK:TS", "JK:JS", "JK:QS", "JK:KS", "JK:AS",
    "JK",
]
# fmt: on

Index = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
#: A point of a board by its name; whether there is such a point is for the rules.
Point = Annotated[str, Meta(min_length=1, max_length=10)]

UNSEEN_CARD = "??"
JOKER = "JK"
NO_TRUMP = "NT"


class Act(
    msgspec.Struct,
    tag_field="type",
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
    kw_only=True,
    frozen=True,
):
    """What every event but a note may carry.

    ``at`` is an RFC 3339 time or milliseconds since the match began. ``refused`` is true for a move that the
    platform turned away.
    """

    at: Whole | str | UnsetType = UNSET
    by: Literal["player", "timeout", "bot"] | UnsetType = UNSET
    refused: bool | UnsetType = UNSET


class Note(msgspec.Struct, tag_field="type", tag="note", gc=False, frozen=True):
    """Chat, reconnects, emotes: carries anything, changes nothing."""


class Deal(Act, tag="deal", gc=False, frozen=True, kw_only=True):
    """``hands`` holds one list of cards a seat."""

    dealer: Seat4
    hands: list[list[DealtCard]]


class TricksBid(Act, tag="bid", gc=False, frozen=True, kw_only=True):
    """A bid of tricks; ``trump`` where the game's bids name it."""

    seat: Seat4
    tricks: Whole
    trump: Trump | UnsetType = UNSET


class Pass(Act, tag="pass", gc=False, frozen=True, kw_only=True):
    seat: Seat4


class NameTrump(Act, tag="trump", gc=False, frozen=True, kw_only=True):
    seat: Seat4
    suit: Trump


class Play(Act, tag="play", gc=False, frozen=True, kw_only=True):
    seat: Seat4
    card: Card


class PointsBid(Act, tag="bid", gc=False, frozen=True, kw_only=True):
    """A bid of card points, with the trump hidden until later."""

    seat: Seat4
    points: Whole


class ContreeBid(Act, tag="bid", gc=False, frozen=True, kw_only=True):
    """A bid of points, or of all eight tricks (``capot``), with its trump."""

    seat: Seat4
    trump: Trump
    points: Whole | UnsetType = UNSET
    capot: Literal[True] | UnsetType = UNSET


class Double(Act, tag="double", gc=False, frozen=True, kw_only=True):
    seat: Seat4


class Redouble(Act, tag="redouble", gc=False, frozen=True, kw_only=True):
    seat: Seat4


class Accept(Act, tag="accept", gc=False, frozen=True, kw_only=True):
    """The standing bidder lets a double stand, or confirms his bid."""

    seat: Seat4


#: What the standing bidder says to a double.
ANSWERS = (Accept, Redouble)


class LayTrump(Act, tag="trump", gc=False, frozen=True, kw_only=True):
    """A card is laid face down: its suit is the hidden trump."""

    seat: Seat4
    card: DealtCard


class Reveal(Act, tag="reveal", gc=False, frozen=True, kw_only=True):
    """A seat asks for the hidden trump to be opened; ``suit`` is what it turned out to be."""

    seat: Seat4
    suit: Suit | UnsetType = UNSET


class Pair(Act, tag="pair", gc=False, frozen=True, kw_only=True):
    """A seat shows king and queen of trump."""

    seat: Seat4


class Redeal(Act, tag="redeal", gc=False, frozen=True, kw_only=True):
    """A seat asks for other cards."""

    seat: Seat4


class BelotePlay(Act, tag="play", gc=False, frozen=True, kw_only=True):
    """A card, with the word that goes with king and queen of trump."""

    seat: Seat4
    card: Card
    announce: Literal["belote", "rebelote"] | UnsetType = UNSET


PLAYS = (Play, BelotePlay)


class RamiDeal(Act, tag="deal", gc=False, frozen=True, kw_only=True):
    """``stock`` lies face down, top first; ``upcard`` is the first card of the discard pile."""

    dealer: Seat4
    hands: list[list[DealtCard]]
    stock: list[DealtCard] | UnsetType = UNSET
    upcard: Card | UnsetType = UNSET


class Draw(Act, tag="draw", gc=False, frozen=True, kw_only=True):
    """A card is taken from the stock or from the discard pile (``from`` in the log)."""

    seat: Seat4
    pile: Literal["stock", "discard"] = msgspec.field(name="from")
    card: DealtCard


class Return(Act, tag="return", gc=False, frozen=True, kw_only=True):
    """The card taken from the discard pile goes back to it."""

    seat: Seat4


class LayMeld(Act, tag="meld", gc=False, frozen=True, kw_only=True):
    seat: Seat4
    cards: list[MeldCard]


class Add(Act, tag="add", gc=False, frozen=True, kw_only=True):
    """Cards are added to meld ``meld`` on the table, counted from 0."""

    seat: Seat4
    meld: Index
    cards: list[MeldCard]


class Swap(Act, tag="swap", gc=False, frozen=True, kw_only=True):
    """A natural card is put in the place of a meld's joker, which the seat takes."""

    seat: Seat4
    meld: Index
    card: Card


class Discard(Act, tag="discard", gc=False, frozen=True, kw_only=True):
    seat: Seat4
    card: Card


class Reshuffle(Act, tag="reshuffle", gc=False, frozen=True, kw_only=True):
    """The discard pile becomes the new stock, top first."""

    stock: list[DealtCard]


class Round(Act, tag="round", gc=False, frozen=True, kw_only=True):
    """A round of a board game begins; ``first`` is the seat that starts."""

    first: Seat2


class Place(Act, tag="place", gc=False, frozen=True, kw_only=True):
    seat: Seat2
    point: Point


class Move(Act, tag="move", gc=False, frozen=True, kw_only=True):
    """A stone goes from one point to another (``from`` in the log)."""

    seat: Seat2
    origin: Point = msgspec.field(name="from")
    to: Point


CARD_DEALS = (Deal, RamiDeal)
#: Events that begin a deal or a round.
OPENERS = (*CARD_DEALS, Round)


class TrickClaim(Act, tag="trick", gc=False, frozen=True, kw_only=True):
    """Who took the trick; ``points`` are the card points printed on its four cards."""

    winner: Seat4
    points: Whole | UnsetType = UNSET


class TeamScoreClaim(Act, tag="score", gc=False, frozen=True, kw_only=True):
    """Points of the deal and totals after it, one number a team."""

    deal: TeamNumbers
    total: TeamNumbers


class TeamResultClaim(Act, tag="result", gc=False, frozen=True, kw_only=True):
    """The end of the match: the winning team, or ``None`` for a draw, and the totals."""

    winner: Team | None
    total: TeamNumbers


class SeatScoreClaim(Act, tag="score", gc=False, frozen=True, kw_only=True):
    """Points of the round and totals after it, one number a seat."""

    deal: SeatNumbers
    total: SeatNumbers


class SeatResultClaim(Act, tag="result", gc=False, frozen=True, kw_only=True):
    """The end of the match: the winning seat, and the totals."""

    winner: Seat4 | None
    total: SeatNumbers


SCORE_CLAIMS = (TeamScoreClaim, SeatScoreClaim)
RESULT_CLAIMS = (TeamResultClaim, SeatResultClaim)
CLAIMS = (TrickClaim, *SCORE_CLAIMS, *RESULT_CLAIMS)


class Player(msgspec.Struct, forbid_unknown_fields=True, gc=False, kw_only=True, frozen=True):
    id: str
    name: str | UnsetType = UNSET
    bot: bool | UnsetType = UNSET


class Producer(msgspec.Struct, forbid_unknown_fields=True, gc=False, kw_only=True, frozen=True):
    """The client or server build that wrote the log."""

    name: str
    version: str | UnsetType = UNSET
    build: str | UnsetType = UNSET
    platform: str | UnsetType = UNSET


#: Pairs of hexadecimal digits to the very end of the text, 512 bytes at most.
Hex = Annotated[str, Meta(max_length=1024, pattern=r"^([0-9a-fA-F]{2})+(?![\s\S])")]


class ShuffleProof(msgspec.Struct, forbid_unknown_fields=True, gc=False, kw_only=True, frozen=True):
    scheme: Literal["hmac-sha256-fisher-yates/1"]
    commitment: Hex
    server_seed: Hex
    client_seed: str


class Match(msgspec.Struct, forbid_unknown_fields=True, gc=False, kw_only=True, frozen=True):
    """One match of any ruleset. Each ruleset's own form, made by :func:`match_form`, narrows the last three keys."""

    ruleset: ClassVar[str]

    format: Literal["match-log/1"]
    match: Annotated[str, Meta(min_length=1, max_length=200)]
    producer: Producer | UnsetType = UNSET
    started: str | UnsetType = UNSET
    ended: str | UnsetType = UNSET
    shuffle: ShuffleProof | UnsetType = UNSET
    extra: Any = UNSET
    players: list[Player]
    options: Any = UNSET
    events: Sequence[Any]


def options_form(**keys: Any) -> type[msgspec.Struct]:
    """The shape of a ruleset's options: the type of each key's values. Every key may be left out."""
    return msgspec.defstruct(
        "Options",
        [(key, form | UnsetType, UNSET) for key, form in keys.items()],
        forbid_unknown_fields=True,
        gc=False,
        kw_only=True,
        frozen=True,
    )


def match_form(
    ruleset: str, event: object, options: type[msgspec.Struct], fewest_players: int = 4, most_players: int = 4
) -> type[Match]:
    """The shape of one ruleset's matches: ``event`` is the union of its event types, ``options`` its options.

    Where the number of players may differ, seats and lists of numbers must fit it.
    """
    players = Annotated[list[Player], Meta(min_length=fewest_players, max_length=most_players)]
    namespace: dict[str, Any] = {"ruleset": ruleset}
    if fewest_players != most_players:
        namespace["__post_init__"] = _fit_players
    form = msgspec.defstruct(
        f"Match[{ruleset}]",
        [("players", players), ("options", options | UnsetType, UNSET), ("events", list[event])],  # type: ignore[valid-type]
        bases=(Match,),
        namespace=namespace,
        tag_field="ruleset",
        tag=ruleset,
        forbid_unknown_fields=True,
        gc=False,
        kw_only=True,
        frozen=True,
    )
    return cast("type[Match]", form)


def _fit_players(match: Match) -> None:
    """Raise ``ValueError`` where an event names a seat that nobody has, or has not one number a player."""
    count = len(match.players)
    kinds: set[Any] = set(map(type, match.events))
    seated = {kind for kind in kinds if "seat" in kind.__struct_fields__}
    fits = max([event.seat for event in match.events if type(event) in seated], default=0) < count
    for event in [event for event in match.events if type(event) not in seated] if fits else ():
        if type(event) is RamiDeal:
            fits &= event.dealer < count
        elif type(event) is SeatScoreClaim:
            fits &= len(event.deal) == len(event.total) == count
        elif type(event) is SeatResultClaim:
            fits &= len(event.total) == count and (event.winner is None or event.winner < count)
    if not fits:
        raise ValueError(f"an event does not fit {count} players")
