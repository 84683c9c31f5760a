"""Sites to look at, and what their pages hold.

In: the path of a database. Out: a folder of pages; the links and the names on a page. Refuses to know what it shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from auditor.site import writing
from tests.web import archives, pages


def database_at(path: Path) -> Path:
    """A match of every ruleset, what a hostile client would write, two logs with one id, and what is no match log."""
    first = archives.fixture("three-stones/fault-slid-too-far")
    second = {**first, "events": first["events"][:5]}
    archives.of_documents(path, [*(archives.fixture(name) for name in pages.MATCHES), second])
    return archives.of_hostile_logs(path)


def written(database: Path, folder: Path, title: str | None = None, data: str | None = None) -> Path:
    """The site of a database, in a new folder."""
    folder.mkdir(parents=True)
    writing.write(database, folder, lambda: None, title, data)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """What lies in a folder, by name."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass
class Content(HTMLParser):
    """The addresses on a page, the names that an address can lead to, and the elements with their attributes."""

    text: str
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.elements.append((tag, found))
        if found.get("id"):
            self.names.add(str(found["id"]))
        for key in ("href", "src", "action", "formaction", "data", "poster"):
            if (address := found.get(key)) is not None:
                (self.links if tag == "a" else self.loads).append(address)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
