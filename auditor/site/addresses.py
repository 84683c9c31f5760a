"""Addresses: the file in which each page lies, and how one file is reached from another.

In: the place of a page, as ``auditor.web`` names it, and a language. Out: relative paths, so that a site works wherever
it lies. Refuses to know what is on a page.

No name comes from a log: matches are called by their digests.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.rulebook import LANGUAGES, Language
from auditor.web.language import NAMES

#: Where styles and scripts lie.
STATIC = "static"
#: English pages have the plain names.
_ENDINGS: Mapping[Language, str] = {"en": ".html", "ar": ".ar.html"}
#: Those of 256 folders, so that none of them holds too many files.
_SHARD_LETTERS = 2


@dataclass(frozen=True, slots=True)
class Page:
    """One page in one language. ``place`` begins with a slash, or is empty for the front page."""

    place: str
    language: Language

    @property
    def file(self) -> str:
        """Where it lies in the folder of the site."""
        match self.place.split("/"):
            case [_]:
                stem = "index"
            case ["", "rules"]:
                stem = "rules/index"
            case ["", "match", digest]:
                stem = f"match/{digest[:_SHARD_LETTERS]}/{digest}"
            case _:
                stem = self.place.removeprefix("/")
        return stem + _ENDINGS[self.language]

    def to(self, place: str, event: int | None = None) -> str:
        """The address of another page in the same language, and of an event on it."""
        fragment = "" if event is None else f"#e{event}"
        return self._to_file(Page(place, self.language).file) + fragment

    def static_plugins(self, plugin: str, name: str) -> str:
        """The address of a style or a script, by the name that Datasette has for this."""
        return self._to_file(f"{STATIC}/{name}")

    @property
    def languages(self) -> list[tuple[Language, str, str]]:
        """Each language with its name and the address of this page in it."""
        return [(each, NAMES[each], self._to_file(Page(self.place, each).file)) for each in LANGUAGES]

    def _to_file(self, file: str) -> str:
        return posixpath.relpath(file, posixpath.dirname(self.file) or ".")


def match_place(digest: str) -> str:
    """The place of a match; the digest is given without the name of its function."""
    return f"/match/{digest}"


def list_place(ruleset: str, status: str, number: int) -> str:
    """The place of one page of a list, counted from 1."""
    return f"/list/{ruleset}/{status}-{number}"
