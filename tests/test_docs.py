"""The pages for people say what is true: examples are run, links lead somewhere, nothing is left out."""

from __future__ import annotations

import difflib
import json
import re
import shlex
import shutil
import sqlite3
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner
from sqlite_utils.cli import cli as sqlite_utils

from auditor import rulebook
from auditor.cli import main as auditor
from auditor.games import FORMS, GAMES
from auditor.log import Unreadable, read_bytes

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

COMMANDS: dict[str, click.Command] = {"auditor": auditor, "sqlite-utils": sqlite_utils}
#: Where the output may be anything: a whole line of it, any lines; within a line, any text.
ANYTHING = "…"


class Block(NamedTuple):
    """A fenced block: its language, the name behind that (the file that it is the content of), and its lines."""

    language: str
    name: str
    lines: list[str]


def page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(path: Path) -> Iterator[Block]:
    for language, name, text in re.findall(r"^```(\w+)[ ]*([^\n]*)\n(.*?)^```$", page(path), re.MULTILINE | re.DOTALL):
        yield Block(language, name, text.splitlines())


def pages_with(*languages: str) -> list[Path]:
    return [path for path in PAGES if any(block.language in languages for block in blocks(path))]


def name_of(path: Path) -> str:
    return path.name


# --- Examples -------------------------------------------------------------------------------------------------------


class Shell:
    """Runs the commands of one page in process, in one folder, as a reader would who works through the page."""

    def __init__(self) -> None:
        self.exit_code = 0

    def check(self, lines: Sequence[str]) -> None:
        """Commands stand behind ``$``, each with what it prints below it. Those of other programs are not run."""
        starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
        assert starts[:1] == [0], f"a console block begins with a command: {lines[:1]}"
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            words = shlex.split(lines[start][2:], comments=True)
            if words == ["echo", "$?"]:
                assert lines[start + 1 : end] == [str(self.exit_code)]
            elif words[0] in COMMANDS and not _goes_on_for_ever(words):
                found = self.run(words)
                wanted = lines[start + 1 : end]
                difference = "\n".join(difflib.unified_diff(wanted, found, "the page", "the program", lineterm=""))
                assert fits(wanted, found), f"{lines[start]}\n{difference}"

    def run(self, words: Sequence[str]) -> list[str]:
        """What a command prints, both streams; ``> FILE`` takes the first of them away."""
        arguments, target = list(words[1:]), None
        if ">" in arguments:
            at = arguments.index(">")
            target = Path(arguments[at + 1])
            del arguments[at : at + 2]
        result = CliRunner(env={"FORCE_COLOR": None}).invoke(COMMANDS[words[0]], arguments, prog_name=words[0])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        self.exit_code = result.exit_code
        if target is None:
            return result.output.splitlines()
        target.write_bytes(result.stdout_bytes)
        return result.stderr.splitlines()


def _goes_on_for_ever(words: Sequence[str]) -> bool:
    return words[:2] == ["auditor", "serve"] and "--print-config" not in words


def fits(wanted: Sequence[str], found: Sequence[str]) -> bool:
    pattern = "".join(
        "(?:.*\n)*" if line.strip() == ANYTHING else ".*".join(map(re.escape, line.split(ANYTHING))) + "\n"
        for line in wanted
    )
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in found)) is not None


@pytest.mark.parametrize(
    ("wanted", "found", "expected"),
    [
        (["a", "b"], ["a", "b  "], True),
        (["a", "b"], ["a"], False),
        (["a"], ["a", "b"], False),
        (["a", "…"], ["a", "b", "c"], True),
        (["a", "…", "d"], ["a", "d"], True),
        (["a", "…", "d"], ["a", "c"], False),
        (["a … c"], ["a b c"], True),
        (["a … c"], ["a b d"], False),
    ],
)
def test_an_ellipsis_stands_for_anything(wanted: list[str], found: list[str], expected: bool) -> None:
    assert fits(wanted, found) is expected


@pytest.mark.parametrize("path", pages_with("console", "python", "sql"), ids=name_of)
def test_examples_do_what_the_page_shows(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    monkeypatch.chdir(tmp_path)
    shell = Shell()
    for block in blocks(path):
        text = "\n".join(block.lines) + "\n"
        if block.name:
            Path(block.name).write_text(text, encoding="utf-8")
        elif block.language == "console":
            shell.check(block.lines)
        elif block.language == "python":
            exec(compile(text, path.name, "exec"), {})
        elif block.language == "sql":
            with closing(sqlite3.connect("file:audit.db?mode=ro", uri=True)) as database:
                database.execute(text).fetchall()


def test_examples_of_logs_are_well_formed() -> None:
    """A whole log is one of its own ruleset; events that stand alone are those of some ruleset."""
    kinds = set()
    for block in blocks(ROOT / "docs" / "match-log.md"):
        if block.language != "json":
            continue
        if block.name:
            document = json.loads("\n".join(block.lines))
            assert well_formed(document)
            kinds |= {event["type"] for event in document["events"]}
        else:
            for event in map(json.loads, block.lines):
                assert any(well_formed(of_ruleset(ruleset, event)) for ruleset in GAMES), event
                kinds.add(event["type"])
    assert kinds >= {"deal", "bid", "pass", "trump", "play", "note", "trick", "score", "result"}


def of_ruleset(ruleset: str, event: dict[str, Any]) -> dict[str, Any]:
    players = [{"id": str(seat)} for seat in range(max(GAMES[ruleset].seat_counts))]
    return {"format": "match-log/1", "match": "M", "ruleset": ruleset, "players": players, "events": [event]}


def well_formed(document: dict[str, Any]) -> bool:
    return not isinstance(read_bytes(json.dumps(document).encode(), FORMS), Unreadable)


# --- Links ----------------------------------------------------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """The names that its headings have on a page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", page(path), flags=re.MULTILINE | re.DOTALL), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page(path)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


# --- Nothing is left out --------------------------------------------------------------------------------------------

EVERY_PAGE = "\n".join(map(page, PAGES))


WAYS_TO_CALL: dict[str, click.Command] = {"auditor": auditor} | {
    f"auditor {name}": command for name, command in auditor.commands.items()
}


@pytest.mark.parametrize("name", WAYS_TO_CALL)
def test_every_command_and_option_is_described(name: str) -> None:
    names = [max(option.opts, key=len) for option in WAYS_TO_CALL[name].params if isinstance(option, click.Option)]
    assert [name for name in [name, *names] if not re.search(rf"(?<![\w-]){name}(?![\w-])", EVERY_PAGE)] == []


def books() -> list[str]:
    return sorted(file.stem for file in (ROOT / "auditor" / "rulebook").glob("*.toml"))


@pytest.mark.parametrize("name", books())
def test_every_clause_is_described(name: str) -> None:
    described = page(ROOT / "docs" / "match-log.md") + page(ROOT / "docs" / "verdict.md")
    if name in GAMES:
        described += page(ROOT / "docs" / f"{name}.md")
    assert [clause for clause in rulebook.book(name).entries if f"`{clause}`" not in described] == []


def test_every_room_is_described_in_the_order_of_imports() -> None:
    project = tomllib.loads(page(ROOT / "pyproject.toml"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    floor = {name: number for number, layer in enumerate(layers) for name in re.findall(r"\w+", layer)}
    table = page(ROOT / "docs" / "architecture.md").split("## Rooms")[1].split("\n## ")[0]
    rooms = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert [floor[name] for name in rooms] == sorted(floor[name] for name in rooms)
    built = {path.stem for path in (ROOT / "auditor").iterdir() if path.stem in floor}
    assert set(rooms) == built
