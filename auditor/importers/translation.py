"""Translation: a platform's records as the events and the head of a match log.

In: a mapping, and one record after another. Out: the event or the head that it says, and the kind and subject of what
could not be carried over from it. What cannot be told is left as it is, so that the reader says what is wrong with it.
Refuses to know where records come from and in which order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Named
from typing import Any, NamedTuple

from auditor.importers.mapping import Mapping, Origin, Rule
from auditor.importers.records import ABSENT, put, text_of, unused, value_at
from auditor.importers.spelling import KINDS, Spelling, Unknown
from auditor.jsontext import shown

_EVENT_KEYS = frozenset({*KINDS, "winner"})
#: The format of what is made. A head that names it says nothing more.
FORMAT = "match-log/1"
_HEAD_KEYS = ("ruleset", "options", "players", "producer", "started", "ended", "shuffle", "extra")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,15})")


class Trouble(NamedTuple):
    """What was not carried over: a kind of loss, and the key, column or value that it is about."""

    kind: str
    subject: str


class Translator:
    """Translates the records of one source.

    ``is_table``: records are rows. Then a row that no rule fits is not carried over, where there are rules, and of the
    others only known columns are; a line that no rule fits is an event as it is. ``known`` are names that somebody
    else looks after. ``outer`` is put before names that are told.
    """

    def __init__(self, mapping: Mapping, is_table: bool, known: Iterable[str] = (), outer: str = "") -> None:
        self._mapping = mapping
        self._is_table = is_table
        self._outer = outer
        self._known = {*known, *_inside(outer, mapping.ignore)}
        self._head_outer = "" if is_table else f"{mapping.head.key}."
        self._head_known = {*mapping.head.ignore, *_inside(self._head_outer, mapping.ignore)}
        self._spelling = Spelling(mapping)
        self._rules = [
            (rule, [(re.compile(pattern), name) for name, pattern in rule.patterns.items()]) for rule in mapping.events
        ]

    # --- Events -------------------------------------------------------------------------------------------------------

    def event(self, record: Named[str, Any], players: Sequence[str]) -> tuple[dict[str, Any] | None, list[Trouble]]:
        """The event that a record says, ``None`` where it says none; ``players`` are their ids, by seat."""
        found = next(((rule, patterns) for rule, patterns in self._rules if _fits(rule, record)), None)
        if found is not None:
            return self._by_rule(*found, record, players)
        name = value_at(record, self._mapping.type)
        if self._is_table and self._rules:
            return None, [Trouble("rule", "" if name is ABSENT else shown(name))]
        if name is ABSENT:
            return None, [Trouble("type", "")]
        if name == "note" and not self._is_table:
            return {**record, "type": name}, []
        used = {*self._known, self._mapping.type}
        return self._with_rest({"type": name}, record, used, players, keeps_all=not self._is_table)

    def _by_rule(
        self,
        rule: Rule,
        patterns: Iterable[tuple[re.Pattern[str], str]],
        record: Named[str, Any],
        players: Sequence[str],
    ) -> tuple[dict[str, Any] | None, list[Trouble]]:
        if rule.drop:
            return None, []
        event: dict[str, Any] = {"type": rule.type}
        troubles: list[Trouble] = []
        used = {*self._known, *rule.when, *rule.ignore, self._mapping.type}
        for key, origin in rule.keys.items():
            used.update([origin] if isinstance(origin, str) else origin)
            value = _value_from(record, origin)
            if value is not ABSENT:
                event[key] = self._spelled(rule.type, key, value, players, troubles)
        for pattern, name in patterns:
            used.add(name)
            value = value_at(record, name)
            match = pattern.fullmatch(value) if isinstance(value, str) else None
            if match is not None:
                for key, part in match.groupdict().items():
                    if part is not None:
                        event[key] = self._spelled(rule.type, key, part, players, troubles)
            elif value is not ABSENT:
                troubles.append(Trouble("value", f"{self._outer}{name}: {shown(value)}"))
        event.update(rule.add)
        if rule.type == "note" and not self._is_table:
            return {**{key: value for key, value in record.items() if key not in used}, **event}, troubles
        event, more = self._with_rest(event, record, used, players, keeps_all=False)
        return event, troubles + more

    def _with_rest(
        self, event: dict[str, Any], record: Named[str, Any], used: set[str], players: Sequence[str], keeps_all: bool
    ) -> tuple[dict[str, Any], list[Trouble]]:
        """The event with what else the record has under names that events know (or all of it)."""
        troubles: list[Trouble] = []
        for key, value in record.items():
            if key not in used and key not in event and (keeps_all or key in _EVENT_KEYS):
                event[key] = self._spelled(event["type"], key, value, players, troubles)
                used.add(key)
        troubles += [Trouble("key", self._outer + name) for name in unused(record, used)]
        return event, troubles

    def _spelled(self, event_type: Any, key: str, value: Any, players: Sequence[str], troubles: list[Trouble]) -> Any:
        try:
            return self._spelling.value(event_type, key, value, players)
        except Unknown:
            troubles.append(Trouble("value", f"{key}: {shown(value)}"))
            return value

    # --- The head -----------------------------------------------------------------------------------------------------

    def head(self, record: Named[str, Any]) -> tuple[dict[str, Any], list[Trouble]]:
        """What a record says of its match, under the keys of match logs."""
        head: dict[str, Any] = {}
        troubles: list[Trouble] = []
        used = set(self._head_known)
        if record.get("format") == FORMAT:
            used.add("format")
        for key, origin in self._mapping.head.keys.items():
            used.update([origin] if isinstance(origin, str) else origin)
            value = _value_from(record, origin)
            if value is not ABSENT and not put(head, key, self._of_head(key, value)):
                troubles.append(Trouble("value", f"{key}: {shown(value)}"))
        for key in () if self._is_table else _HEAD_KEYS:
            if key in record and key not in used and key not in head:
                head[key] = self._of_head(key, record[key])
                used.add(key)
        troubles += [Trouble("key", self._head_outer + name) for name in unused(record, used)]
        head, more = self._with_players(head)
        return head, troubles + more

    def with_given(self, head: dict[str, Any]) -> dict[str, Any]:
        """The head with what the mapping gives for all matches, where the source does not say it itself."""
        given, _ = self._with_players(dict(self._mapping.head.given))
        return {**given, **head}

    def _of_head(self, key: str, value: Any) -> Any:
        named = self._mapping.values.get(key)
        if named is not None and isinstance(value, str | int) and str(value) in named:
            return named[str(value)]
        if self._is_table and key.startswith("options.") and isinstance(value, str):
            return _plain(value)
        return value

    def _with_players(self, head: dict[str, Any]) -> tuple[dict[str, Any], list[Trouble]]:
        """The head with players as objects: they may be ids, or objects with other keys."""
        players = head.get("players")
        if not isinstance(players, list):
            return head, []
        names = {theirs: ours for ours, theirs in self._mapping.head.player.items()}
        made: list[Any] = []
        troubles: list[Trouble] = []
        for player in players:
            if not isinstance(player, dict):
                made.append(player if text_of(player) is None else {"id": text_of(player)})
                continue
            ours: dict[str, Any] = {}
            for key, value in player.items():
                name = names.get(key, key)
                if name in ("id", "name", "bot"):
                    ours[name] = (text_of(value) or value) if name == "id" else value
                elif f"players.{key}" not in self._head_known:
                    troubles.append(Trouble("key", f"{self._head_outer}players.{key}"))
            made.append(ours)
        return {**head, "players": made}, troubles


def _inside(outer: str, names: Iterable[str]) -> Iterator[str]:
    """Those of some names that lead into an object, as they are there."""
    return (name.removeprefix(outer) for name in names if name.startswith(outer))


def ids_of(head: Named[str, Any]) -> list[str]:
    """The ids of a head's players, by seat; nobody where they cannot be told."""
    players = head.get("players")
    listed = players if isinstance(players, list) else []
    return [str(player.get("id")) if isinstance(player, dict) else "" for player in listed]


def _fits(rule: Rule, record: Named[str, Any]) -> bool:
    for name, wanted in rule.when.items():
        value = value_at(record, name)
        found = "" if value is ABSENT else value
        if not any(
            type(found) is type(one) and found == one for one in (wanted if isinstance(wanted, list) else [wanted])
        ):
            return False
    return True


def _value_from(record: Named[str, Any], origin: Origin) -> Any:
    """The value under a name, or the list of those under several.

    Where the last of several are not there, the list is shorter; one that is missing before them is ``None``, because
    the others would move to its place.
    """
    if isinstance(origin, str):
        return value_at(record, origin)
    values = [value_at(record, name) for name in origin]
    while values and values[-1] is ABSENT:
        values.pop()
    return [None if value is ABSENT else value for value in values] or ABSENT


def _plain(text: str) -> Any:
    """An option out of a cell: a number or a truth value where it reads as one."""
    if _INTEGER.fullmatch(text):
        return int(text)
    return {"true": True, "false": False}.get(text, text)
