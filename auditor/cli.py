"""The command line.

In: what a person or a script types. Out: lines on standard output, notices on standard error, and the exit code:
0 clean, 1 findings, 2 could not audit. Refuses to know everything else: each command hands over to one module.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from auditor import __version__, faults, generate, position, report, rulebook, schema
from auditor.audit import Entry, audited, verdict_on
from auditor.errors import CannotAudit
from auditor.game import Game
from auditor.games import FORMS, GAMES
from auditor.jsontext import visible
from auditor.log import Log, Unreadable, read
from auditor.rulebook import LANGUAGES, Language
from auditor.store import Auditor, Store, require
from auditor.verdict import STATUSES, Verdict, to_json, to_pretty_json

CLEAN, FINDINGS, COULD_NOT_AUDIT, INTERRUPTED = 0, 1, 2, 130

Command = TypeVar("Command", bound=Callable[..., Any])


def _examples(*lines: str) -> str:
    """Examples for the end of a command's help, kept as they are."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _language(command: Command) -> Command:
    return click.option(
        "--lang",
        "language",
        type=click.Choice(LANGUAGES),
        default="en",
        show_default=True,
        help="Language of what is said: English or Arabic.",
    )(command)


class _Main(click.Group):
    """Turns what stops the auditor into one line and exit code 2."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str = "auditor", **extra: Any
    ) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # Arabic and card signs, whatever the locale
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
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
            _complain("stopped")
            sys.exit(INTERRUPTED)
        except CannotAudit as error:
            _complain(str(error))
            sys.exit(COULD_NOT_AUDIT)
        except OSError as error:
            # When the reader of the output has gone, as `| head` does, nothing is left to say.
            if error.errno != errno.EPIPE:
                _complain(f"{error.filename or 'output'}: {error.strerror}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(COULD_NOT_AUDIT)


class _Name(click.ParamType):  # type: ignore[type-arg]
    """The id of a ruleset, or one of some other names. Which games there are is asked no sooner than a command runs."""

    name = "ruleset"

    def __init__(self, *others: str) -> None:
        self._others = others

    @property
    def _choice(self) -> click.Choice[str]:
        return click.Choice([*GAMES, *self._others])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name: str = self._choice.convert(value, param, ctx)
        return name

    def get_metavar(self, *args: Any, **kwargs: Any) -> str | None:
        return self._choice.get_metavar(*args, **kwargs)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return self._choice.shell_complete(ctx, param, incomplete)


def _shown(path: str) -> str:
    """A path as text; bytes that are no UTF-8 are written as escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


class _Screen(Console):
    """Leaves it to the program what to do when nobody reads its output."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "the reader has gone")


def _complain(text: str) -> None:
    click.echo(f"auditor: {visible(text, 2000)}", err=True)


@click.group(cls=_Main, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="auditor")
def main() -> None:
    """Replays match logs of card and board games, says whether every event was legal and what the score really is.

    Exit codes: 0 clean, 1 findings, 2 could not audit.
    """


@main.command(
    epilog=_examples(
        "auditor audit match.json",
        "auditor audit logs/ more.ndjson.zst --db audit.db",
        "auditor audit 'logs/2026-*/*.json.gz' --format ndjson > verdicts.ndjson",
        "cat match.json | auditor audit - --lang ar",
        "auditor audit logs/ --quiet --fail-on illegal,misscored,invalid,incomplete",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--db", type=click.Path(path_type=Path), help="Also load logs and verdicts into this SQLite database.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "ndjson"]),
    default="text",
    show_default=True,
    help="A table to read; one JSON array of verdicts; or one verdict a line, in input order.",
)
@_language
@click.option(
    "--fail-on",
    default="illegal,misscored,invalid",
    show_default=True,
    metavar="STATUS,…",
    help="Statuses that make the exit code 1: illegal, misscored, invalid, incomplete; or none.",
)
@click.option("-q", "--quiet", is_flag=True, help="Text: leave out matches that are clean.")
def audit(paths: Sequence[str], db: Path | None, form: str, language: Language, fail_on: str, quiet: bool) -> None:
    """Audit the match logs in PATHs: files, folders, patterns, or - for standard input.

    Logs are .json (a match or an array of them) or .ndjson/.jsonl (a match a line), each also as .gz or .zst. What
    cannot be read as a match log gets a verdict of status invalid with its diagnostics; the rest is still audited.
    """
    failing = _statuses(fail_on)
    statuses: Counter[str] = Counter()
    is_file_missing = False
    console = _Screen(highlight=False, soft_wrap=True)

    def rows() -> Iterator[tuple[Log | None, Verdict]]:
        nonlocal is_file_missing
        write, close = _WRITERS[form](console, language, quiet)
        with _progress(console, form) as step:
            for entry, verdict in audited(paths):
                statuses[verdict.status] += 1
                write(entry, verdict)
                step()
                if isinstance(entry, Unreadable):
                    if entry.is_no_file:
                        is_file_missing = True
                        _complain(f"{entry.place.file}: {verdict.findings[0].message(None, language)}")
                    yield None, verdict
                else:
                    yield entry, verdict
        close()

    if db is None:
        deque(rows(), maxlen=0)
        stored = None
    else:
        with Store.open(db) as store:
            stored = store.load(rows(), Auditor(__version__, rulebook.digest()), [_shown(path) for path in paths])
    if form == "text":
        console.print(report.summary(statuses, language))
    if stored is not None:
        click.echo(
            f"{db}: {stored.matches} new matches, {stored.verdicts} new verdicts of {stored.read} read", err=True
        )
        if stored.same_id:
            click.echo(f"{db}: {stored.same_id} matches have the id of another match with other content", err=True)
    if not statuses:
        raise CannotAudit(f"{', '.join(paths)}: expected match logs, found none")
    if is_file_missing:
        sys.exit(COULD_NOT_AUDIT)
    sys.exit(FINDINGS if any(statuses[status] for status in failing) else CLEAN)


@main.command(
    epilog=_examples(
        "auditor explain match.json --event 137",
        "auditor explain match.json --deal 2 --trick 5",
        "auditor explain archive.ndjson --match M-2041 --event 137 --lang ar",
        "auditor explain match.json",
    )
)
@click.argument("log", metavar="LOG")
@click.option("--match", "match_id", metavar="ID", help="The match, where the log holds several.")
@click.option("--event", "index", type=click.IntRange(min=0), metavar="N", help="The event, by its index from 0.")
@click.option("--deal", type=click.IntRange(min=1), metavar="N", help="Instead: the N-th deal, from 1.")
@click.option(
    "--trick", type=click.IntRange(min=1), metavar="N", help="With --deal: the lead to its N-th trick, from 1."
)
@_language
def explain(
    log: str, match_id: str | None, index: int | None, deal: int | None, trick: int | None, language: Language
) -> None:
    """Show the table as it stood before an event of LOG, what was legal there, and the clause.

    Without an event it is that of the first fault or, where there is none, of the first thing that was noted.
    """
    entry = _one_match(log, match_id)
    verdict = verdict_on(entry)
    if trick is not None and deal is None:
        raise click.UsageError("--trick goes with --deal")
    if deal is not None:
        index = position.start_of(entry.match, verdict, deal, trick)
    elif index is None:
        finding = verdict.first_fault or next(iter(verdict.findings), None)
        if finding is None or finding.event is None:
            raise CannotAudit(f"{log}: nothing is to be said of this match; name an event with --event")
        index = finding.event
    try:
        moment = position.before(GAMES[entry.match.ruleset], entry.match, index)
    except IndexError:
        last = len(entry.match.events) - 1
        raise CannotAudit(f"{log}: expected an event from 0 to {last}, found {index}") from None
    console = _Screen(highlight=False, soft_wrap=True)
    for line in report.position_lines(moment, entry.match, verdict, language):
        console.print(line)


@main.command(epilog=_examples("auditor rules", "auditor rules tarneeb-classic --lang ar"))
@click.argument("ruleset", required=False, type=_Name())
@_language
def rules(ruleset: str | None, language: Language) -> None:
    """Print the rulebook: every clause and open point of RULESET with its source, or of all rulesets."""
    console = _Screen(highlight=False, soft_wrap=True)
    for number, name in enumerate([ruleset] if ruleset else GAMES):
        if number:
            console.print()
        for line in report.rule_lines(rulebook.book(name), language):
            console.print(line)


@main.command(
    name="schema", epilog=_examples("auditor schema", "auditor schema tarneeb-classic", "auditor schema verdict")
)
@click.argument("name", required=False, metavar="[RULESET|verdict]", type=_Name("verdict"))
def print_schema(name: str | None) -> None:
    """Print a JSON Schema (2020-12): of match logs, of one ruleset's match logs, or of verdicts."""
    document = schema.verdict() if name == "verdict" else schema.bundle(name)
    click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))


@main.command(
    name="generate",
    epilog=_examples(
        "auditor generate tarneeb-classic -n 1000 --seed 7 > matches.ndjson",
        "auditor generate tarneeb-classic --option target=61 --shuffle-proof",
        "auditor generate tarneeb-classic -n 100 --faults revoke",
    ),
)
@click.argument("ruleset", type=_Name())
@click.option("-n", "count", type=click.IntRange(min=0), default=1, show_default=True, help="How many matches.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same matches, everywhere.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the ruleset (repeatable).")
@click.option("--shuffle-proof", is_flag=True, help="Add to each match the proof of its shuffles.")
@click.option(
    "--faults", "fault", metavar="KIND", help="Plant one fault of this kind in each match; '?' lists the kinds."
)
def generate_matches(
    ruleset: str, count: int, seed: int, options: Sequence[str], shuffle_proof: bool, fault: str | None
) -> None:
    """Write sensible random matches of RULESET, legal and rightly scored, one a line.

    With --faults each match has one fault, and under "extra" the finding that an auditor must give first: a
    conformance kit for any client.
    """
    game = GAMES[ruleset]
    kinds = faults.faults_of(ruleset)
    if fault == "?":
        for name, (kind, clause, _) in kinds.items():
            click.echo(f"{name:26}{kind:9}{clause}")
        return
    if fault is not None and fault not in kinds:
        raise click.BadParameter(f"expected one of {', '.join(kinds)}, found {fault!r}", param_hint="--faults")
    matches = generate.matches(game, count if fault is None else None, seed, _options(options), shuffle_proof)
    for match in matches if fault is None else itertools.islice(_faulty(game, matches, fault, seed), count):
        click.echo(msgspec.json.encode(match))


def _faulty(game: Game, matches: Iterator[dict[str, Any]], fault: str, seed: int) -> Iterator[dict[str, Any]]:
    for found in faults.planted(game, matches, fault, seed):
        expected = {"kind": found.kind, "clause": found.clause, "event": found.event}
        name = f"{found.document['match']}-{fault}"
        yield {**found.document, "match": name, "extra": {"fault": fault, "expected": expected}}


@main.command(
    epilog=_examples(
        "auditor extract audit.db M-2041 > match.json", "auditor extract audit.db M-2041 | auditor explain -"
    )
)
@click.argument("database", type=click.Path(path_type=Path))
@click.argument("match_id", metavar="ID")
def extract(database: Path, match_id: str) -> None:
    """Write the log of the match ID out of a DATABASE, in canonical form; of several with this id, one a line."""
    require(database)
    with Store.open(database) as store:
        found = store.logs(match_id)
    if not found:
        raise CannotAudit(f"{database}: expected a match with the id {match_id!r}, found none")
    for log in found:
        click.echo(log)


@main.command(name="serve", epilog=_examples("auditor serve audit.db", "auditor serve audit.db --port 9000 --open"))
@click.argument("database", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="0 takes a free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--immutable", is_flag=True, help="The file does not change while it is served: quicker pages.")
@click.option(
    "--accept-uploads", is_flag=True, help="Let whoever reaches the pages add logs that he sends to be audited."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the front page in a browser.")
@click.option("--print-config", is_flag=True, help="Print what a plain Datasette needs to show the same, and stop.")
def serve_database(
    database: Path,
    port: int,
    host: str,
    immutable: bool,
    accept_uploads: bool,
    open_browser: bool,
    print_config: bool,
) -> None:
    """Browse a DATABASE of audited matches with Datasette."""
    # Datasette takes a second to import; no other command should wait for it.
    from auditor import serve
    from auditor.web.description import configuration_json

    if print_config:
        click.echo(configuration_json(database.stem), nl=False)
        return
    serve.serve(
        database,
        port,
        host=host,
        immutable=immutable,
        accept_uploads=accept_uploads,
        open_browser=open_browser,
        announce=lambda url: click.echo(f"{database}: {url} (stop with Ctrl-C)"),
    )


def _one_match(log: str, match_id: str | None) -> Log:
    """The match of a log that is meant. Raises ``CannotAudit`` where there is none, or more than one without an id."""
    found = []
    for entry in read([log], FORMS):
        if isinstance(entry, Unreadable):
            if match_id in (None, entry.match):
                finding = verdict_on(entry).findings[0]
                assert finding.place is not None
                raise CannotAudit(f"{report.place_of(finding.place)}: {finding.message(entry.ruleset)}")
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


def _statuses(text: str) -> tuple[str, ...]:
    named = tuple(part.strip() for part in text.split(",") if part.strip() != "none")
    known = [status for status in STATUSES if status != "clean"]
    for name in named:
        if name not in known:
            raise click.BadParameter(f"expected {', '.join(known)} or none, found {name!r}", param_hint="--fail-on")
    return named


def _options(pairs: Sequence[str]) -> dict[str, Any]:
    """``KEY=VALUE`` pairs; a value is JSON where it reads as JSON, and else text."""
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


Writer: TypeAlias = tuple[Callable[[Entry, Verdict], None], Callable[[], None]]


def _text_writer(console: Console, language: Language, quiet: bool) -> Writer:
    console.print(report.heading(language))

    def write(entry: Entry, verdict: Verdict) -> None:
        if not quiet or verdict.status != "clean":
            for line in report.match_lines(verdict, entry.place, language):
                console.print(line)

    return write, lambda: None


def _ndjson_writer(console: Console, language: Language, quiet: bool) -> Writer:
    return lambda entry, verdict: click.echo(to_json(verdict)), lambda: None


def _json_writer(console: Console, language: Language, quiet: bool) -> Writer:
    separator = "["

    def write(entry: Entry, verdict: Verdict) -> None:
        nonlocal separator
        click.echo(separator)
        click.echo(to_pretty_json(verdict).rstrip(), nl=False)
        separator = ","

    return write, lambda: click.echo("[]" if separator == "[" else "\n]")


_WRITERS: dict[str, Callable[[Console, Language, bool], Writer]] = {
    "text": _text_writer,
    "ndjson": _ndjson_writer,
    "json": _json_writer,
}


@contextlib.contextmanager
def _progress(console: Console, form: str) -> Iterator[Callable[[], None]]:
    """Counts matches on a terminal while they are audited; says nothing into a pipe or a file."""
    screen = console if console.is_terminal and form == "text" else Console(stderr=True)
    if not screen.is_terminal or (console.is_terminal and form != "text"):
        yield lambda: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.completed} matches audited"), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda: bar.advance(task)
