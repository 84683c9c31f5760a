"""The program ``auditor``: its commands hang on it, and it turns what stops one into a line and an exit code.

In: what a person or a script types. Out: the exit code: 0 clean, 1 findings, 2 could not audit, 130 stopped; and
what several commands share. Refuses to know what a command does.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn, TypeVar

import click
import msgspec
from click import ParameterSource
from click.shell_completion import CompletionItem, shell_complete
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from auditor import __version__, report
from auditor.audit import verdict_on
from auditor.errors import CannotAudit
from auditor.games import FORMS, GAMES
from auditor.jsontext import visible
from auditor.log import Log, Unreadable, read
from auditor.rulebook import LANGUAGES, Language, isolated, seen

CLEAN, FINDINGS, COULD_NOT_AUDIT, INTERRUPTED = 0, 1, 2, 130
#: So many characters of a name are shown.
LONGEST_NAME = 300
#: From 0 to 1: “tarneb” is like “tarneeb-classic”.
_LIKENESS = 0.5

#: What is counted on a terminal, in Arabic.
_STEPS = {
    "matches audited": "مباراة دُقّقت",
    "logs read": "سجلًا قُرئ",
    "matches imported": "مباراة نُقلت",
    "pairs compared": "زوجًا قورن",
    "shorter logs tried": "سجلًا أقصر جُرّب",
    "matches made": "مباراة وُلّدت",
    "matches written": "مباراة كُتبت",
}

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")
Name = TypeVar("Name", bound=str)


def examples(*lines: str) -> str:
    """Examples for the end of a command's help, kept as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def language_option(command: Command) -> Command:
    return click.option(
        "--lang",
        "language",
        type=click.Choice(LANGUAGES),
        default="en",
        show_default=True,
        help="Language of what is said: English or Arabic.",
    )(command)


def require_companion(companion: str, is_there: bool, *names: str) -> None:
    """Raises a usage error where one of the named parameters was typed that means nothing without its companion.

    What comes out of the environment is only an offer, and is passed over.
    """
    context = click.get_current_context()
    for option in context.command.params:
        is_typed = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        if option.name in names and is_typed and not is_there:
            raise click.UsageError(f"{option.opts[-1]} goes with {companion}")


def spoken() -> Language:
    """The language that the command was asked for."""
    language: Language = click.get_current_context().params.get("language", "en")
    return language


def to_fail_on(text: str, known: Sequence[Name]) -> list[Name]:
    """What ``--fail-on`` names: some of what is known, or none of it. Raises a usage error for anything else."""
    names = [part.strip() for part in text.split(",")]
    if names == ["none"]:
        return []
    for name in names:
        if name not in known:
            found = "none beside others" if name == "none" else repr(name)
            raise click.BadParameter(f"expected {', '.join(known)} or none, found {found}", param_hint="--fail-on")
    return [each for each in known if each in names]


def require_known(name: str, known: Iterable[str], **where: Any) -> None:
    """Raises a usage error for a name that is not known, with those that are called much like it."""
    names = list(known)
    if name not in names:
        close = " or ".join(map(repr, get_close_matches(name, names, cutoff=_LIKENESS)))
        advice = f"; did you mean {close}?" if close else ""
        raise click.BadParameter(f"expected one of {', '.join(names)}, found {name!r}{advice}", **where)


def named(name: object, language: Language) -> str:
    """A name as it stands in a line of a language: not too long, with nothing in it that is not seen."""
    return isolated(visible(str(name), LONGEST_NAME), language)


#: In which module each command stands: it is not loaded before somebody asks for the command.
ROOMS = {
    "adjudicate": "adjudicating",
    "audit": "auditing",
    "bisect": "regression",
    "case": "casework",
    "check": "regression",
    "diff": "regression",
    "explain": "explaining",
    "extract": "reference",
    "fairness": "fairness",
    "generate": "reference",
    "import": "importing",
    "key": "casework",
    "load": "loading",
    "minimise": "regression",
    "prove": "publishing",
    "publish": "publishing",
    "reconcile": "reconciling",
    "rules": "reference",
    "schema": "reference",
    "serve": "serving",
    "site": "site",
    "verify": "publishing",
}


class _Main(click.Group):
    """Loads a command when it is asked for, and turns what stops the auditor into one line and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(ROOMS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # For a name that there is not, all are loaded: it may be a slip, and they say which.
        for room in {ROOMS[cmd_name]} if cmd_name in ROOMS else set(ROOMS.values()):
            import_module(f"auditor.cli.{room}")
        return super().get_command(ctx, cmd_name)

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str = "auditor", **extra: Any
    ) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # Arabic and card signs, whatever the locale
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        instruction = os.environ.get("_AUDITOR_COMPLETE")
        if instruction:
            sys.exit(shell_complete(self, {}, prog_name, "_AUDITOR_COMPLETE", instruction))
        try:
            # Click's own `main` would end a program whose output nobody reads with the exit code of a finding.
            with self.make_context(prog_name, list(sys.argv[1:] if args is None else args), **extra) as context:
                self.invoke(context)
            sys.stdout.flush()
            sys.exit(CLEAN)
        except click.exceptions.Exit as end:
            sys.exit(end.exit_code)
        except click.ClickException as error:
            error.show()
            sys.exit(error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            complain("stopped")
            sys.exit(INTERRUPTED)
        except CannotAudit as error:
            complain(str(error))
            sys.exit(COULD_NOT_AUDIT)
        except UnicodeEncodeError as error:  # an argument with bytes that are no text
            around = error.object[max(error.start - LONGEST_NAME, 0) : error.end + LONGEST_NAME]
            complain(f"expected text in UTF-8, found other bytes in “{around}”")
            sys.exit(COULD_NOT_AUDIT)
        except MemoryError:
            complain("expected more memory than this process may have")
            sys.exit(COULD_NOT_AUDIT)
        except OSError as error:
            # When the reader of the output has gone, as `| head` does, nothing is left to say.
            if error.errno != errno.EPIPE:
                complain(f"{error.filename or 'output'}: {error.strerror}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(COULD_NOT_AUDIT)


class RulesetName(click.ParamType):  # type: ignore[type-arg]
    """The id of a ruleset, or one of some other names. Which there are is asked no sooner than a command runs."""

    name = "ruleset"

    def __init__(self, others: Callable[[], Sequence[str]] = tuple) -> None:
        self._others = others

    @property
    def _known(self) -> list[str]:
        return [*GAMES, *self._others()]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        require_known(value, self._known, param=param, ctx=ctx)
        return value

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        return f"Expected one of {', '.join(self._known)}."

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return click.Choice(self._known).shell_complete(ctx, param, incomplete)


class Screen(Console):
    """Leaves it to the program what to do when nobody reads its output."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "the reader has gone")


def complain(text: str) -> None:
    click.echo(f"auditor: {seen(text, 2000)}", err=True)


@click.group(cls=_Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="auditor")
def main() -> None:
    """Replays match logs of card and board games, says whether every event was legal and what the score really is.

    Exit codes: 0 clean, 1 findings, 2 could not audit, 130 stopped by Ctrl-C.
    """


def complaint(entry: Unreadable, language: Language) -> str:
    """The first reason why something is no match log, behind its place."""
    finding = verdict_on(entry).findings[0]
    assert finding.place is not None
    return f"{report.place_of(finding.place, language)}: {finding.message(entry.ruleset, language)}"


def one_match(log: str, match_id: str | None) -> Log:
    """The match of a log that is meant. Raises ``CannotAudit`` where there is none, or more than one without an id."""
    found = []
    for entry in read([log], FORMS):
        if isinstance(entry, Unreadable):
            if match_id in (None, entry.match):
                raise CannotAudit(complaint(entry, spoken()))
        elif match_id in (None, entry.match.match):
            found.append(entry)
            if len(found) == 2:
                break
    wanted = "one match" if match_id is None else f"one match with the id {match_id!r}"
    if not found:
        raise CannotAudit(f"{log}: expected {wanted}, found none")
    if len(found) > 1:
        advice = "; name one with --match" if match_id is None else ""
        raise CannotAudit(f"{log}: expected {wanted}, found more{advice}")
    return found[0]


@contextlib.contextmanager
def progress(console: Console, form: str, what: str = "matches audited") -> Iterator[Callable[[], None]]:
    """Counts on a terminal what is done; says nothing into a pipe or a file, nor between lines for programs."""
    screen = console if console.is_terminal and form == "text" else Console(stderr=True)
    if not screen.is_terminal or (console.is_terminal and form != "text"):
        yield lambda: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.completed} {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task(_STEPS.get(what, what) if spoken() == "ar" else what, total=None)
        yield lambda: bar.advance(task)


def counted(found: Iterable[Item], step: Callable[[], None]) -> Iterator[Item]:
    """What was found, as it is; ``step`` is called for each."""
    for each in found:
        step()
        yield each


def key_values(pairs: Sequence[str]) -> dict[str, Any]:
    """``KEY=VALUE`` pairs of ``--option``; a value is JSON where it reads as JSON, and else text."""
    options: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign:
            raise click.BadParameter(f"expected KEY=VALUE, found {pair!r}", param_hint="--option")
        try:
            options[key] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            options[key] = text
    return options
