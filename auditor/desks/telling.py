"""A telling: what one log says of one event, and what it leaves unsaid because its writer could not see it.

In: typed events. Out: their facts by name, whether the facts of two logs can be true together, and an event that says
more than one log alone. Refuses to know rules: which values may be unseen is a matter of the form of a log. When an
event happened, and whether a player, a bot or the clock made it, is no fact of the match: two logs may differ in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from auditor import events
from auditor.events import UNSEEN_CARD
from auditor.stage import word_for

#: A fact by its name: a key of the event, ``hands.2`` for the cards of seat 2, ``type`` for its kind.
Facts: TypeAlias = Mapping[str, Any]

#: The keys that a writer leaves out when he could not see them.
_MAY_BE_UNSEEN: Mapping[type, frozenset[str]] = {
    events.RamiDeal: frozenset({"stock", "upcard"}),
    events.Reveal: frozenset({"suit"}),
    events.TrickClaim: frozenset({"points"}),
}
#: What is no fact of the match.
_CIRCUMSTANCES = ("at", "by")
_HANDS = "hands"
#: Lists in which the order of the cards does not count.
_HEAPS = ("hands", "cards")


def facts_of(event: Any) -> Facts:
    """What a log says of an event, by name; ``None`` for what its writer could not see.

    Cards of a list are a tuple, ``??`` among them; the order of those in a hand or a meld means nothing.
    """
    told: dict[str, Any] = {"type": word_for(type(event)), "refused": event.refused is True}
    unseen = _MAY_BE_UNSEEN.get(type(event), frozenset())
    for key in event.__struct_fields__:
        value = getattr(event, key)
        if key in _CIRCUMSTANCES or key in told:
            continue
        if key == _HANDS:
            told.update((f"{_HANDS}.{seat}", tuple(hand)) for seat, hand in enumerate(value))
        elif value == UNSEEN_CARD or (value is UNSET and key in unseen):
            told[key] = None
        else:
            told[key] = tuple(value) if isinstance(value, list) else value
    return told


def bare(event: Any) -> Any:
    """The event without what is no fact of the match; equal ones tell the same."""
    refused = UNSET if event.refused is False else event.refused
    return msgspec.structs.replace(event, at=UNSET, by=UNSET, refused=refused)


def likeness(event: Any) -> Hashable:
    """What two tellings of one event have in common for sure: its kind, and the keys that every writer can see."""
    told = facts_of(event)
    always = (key for key in told if not key.startswith(("hands", "stock", "upcard")))
    match event:
        case events.Draw() | events.LayTrump():
            always = (key for key in always if key != "card")
        case events.Reveal():
            always = (key for key in always if key != "suit")
        case events.TrickClaim():
            always = (key for key in always if key != "points")
    return tuple((key, _in_any_order(key, told[key])) for key in always)


def agree(name: str, one: Any, other: Any) -> bool:
    """Whether two values of a fact can both be true: what is not seen agrees with whatever it may be."""
    if one is None or other is None or one == other:
        return True
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other):
        return False
    if _is_heap(name):
        return (_seen(one) | _seen(other)).total() <= len(one)
    return all(UNSEEN_CARD in pair or pair[0] == pair[1] for pair in zip(one, other, strict=True))


def together(name: str, one: Any, other: Any) -> Any:
    """What two values that agree say together."""
    if one is None or other is None:
        return other if one is None else one
    if not isinstance(one, tuple) or UNSEEN_CARD not in one:
        return one
    if UNSEEN_CARD not in other:
        return other
    if _is_heap(name):
        seen = sorted((_seen(one) | _seen(other)).elements())
        return (*seen, *[UNSEEN_CARD] * (len(one) - len(seen)))
    return tuple(b if a == UNSEEN_CARD else a for a, b in zip(one, other, strict=True))


def knowledge(told: Facts) -> int:
    """How much of an event a log has seen: what is told counts one, and so does each card of a list."""
    return sum(
        sum(card != UNSEEN_CARD for card in value) if isinstance(value, tuple) else value is not None
        for value in told.values()
    )


def is_seen(value: Any) -> bool:
    """Whether a log says anything of a fact."""
    return any(card != UNSEEN_CARD for card in value) if isinstance(value, tuple) and value else value is not None


def retold(event: Any, told: Facts) -> Any:
    """The event with the facts that are told; what is told nowhere stays as it is."""
    changed: dict[str, Any] = {}
    hands = list(getattr(event, _HANDS, ()))
    for name, value in told.items():
        key, _, seat = name.partition(".")
        if value is None or key in ("type", "refused"):
            continue
        if key == _HANDS:
            hands[int(seat)] = list(value)
        else:
            changed[key] = list(value) if isinstance(value, tuple) else value
    if hands:
        changed[_HANDS] = hands
    return msgspec.structs.replace(event, **changed)


def _is_heap(name: str) -> bool:
    return name.partition(".")[0] in _HEAPS


def _in_any_order(name: str, value: Any) -> Hashable:
    kept: Hashable = tuple(sorted(value)) if _is_heap(name) and isinstance(value, tuple) else value
    return kept


def _seen(cards: Iterable[str]) -> Counter[str]:
    return Counter(card for card in cards if card != UNSEEN_CARD)
