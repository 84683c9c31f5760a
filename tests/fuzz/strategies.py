"""Hypothesis strategies of logs: the beginning of a legal match, then damage to what it says and how it is written.

In: the starts and the ways of damage. Out: strategies, which shrink towards short matches with little damage. Refuses
to know what is to hold for what they draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from . import byte_damage, cases, event_damage, starts

Document = dict[str, Any]
_Way = TypeVar("_Way")

_CHANCE = st.randoms(use_true_random=False)


def _ways(known: Mapping[str, _Way], most: int) -> SearchStrategy[Sequence[_Way]]:
    return st.lists(st.sampled_from(list(known.values())), max_size=most)


@st.composite
def prefixes(draw: DrawFn, longest: int = 60) -> Document:
    """The first events of a legal match of any ruleset, some with a planted fault."""
    document = draw(st.sampled_from(starts.matches()[draw(st.sampled_from(list(starts.matches())))]))
    return {**document, "events": document["events"][: draw(st.integers(1, longest))]}


@st.composite
def documents(draw: DrawFn, longest: int = 60) -> Document:
    """Such beginnings with up to four ways of damage to what they say; now and then one more, to their form."""
    document = draw(prefixes(longest))
    ways = [*draw(_ways(event_damage.WELL_FORMED, 4))]
    if draw(st.sampled_from([False] * 5 + [True])):
        ways += draw(_ways(event_damage.ILL_FORMED, 1))
    return event_damage.damaged(draw(_CHANCE), document, cases.documents(), ways)


@st.composite
def texts(draw: DrawFn, longest: int = cases.SHORT) -> bytes:
    """Such documents written out, or texts of the corpus, with up to three ways of damage to their bytes."""
    written = documents(longest).map(cases.written)
    text = draw(written | st.sampled_from(starts.corpus()))
    return byte_damage.damaged(draw(_CHANCE), text, cases.texts(), draw(_ways(byte_damage.WAYS, 3)))


@st.composite
def files(draw: DrawFn) -> tuple[str, bytes]:
    """A file's name and its bytes: up to three such texts in a container, perhaps packed, perhaps damaged whole."""
    container = draw(st.sampled_from(list(byte_damage.CONTAINERS)))
    packing = draw(st.sampled_from(list(byte_damage.PACKINGS)))
    data = byte_damage.CONTAINERS[container](draw(st.lists(texts(3), max_size=3)))
    for pack in (bytes, byte_damage.PACKINGS[packing]):
        data = byte_damage.damaged(draw(_CHANCE), pack(data), cases.texts(), draw(_ways(byte_damage.WAYS, 1)))
    return f"matches{container}{packing}", data
