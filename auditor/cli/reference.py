"""``auditor rules``, ``schema``, ``generate`` and ``extract``: what there is to read and to try the auditor with.

In: the name of a ruleset, or a match in a database. Out: its rulebook, its schema, matches. Refuses to know rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from auditor import faults, generate, report, rulebook, schema
from auditor.cli.program import (
    RulesetName,
    Screen,
    examples,
    key_values,
    language_option,
    main,
    progress,
    require_known,
)
from auditor.errors import CannotAudit
from auditor.game import Game
from auditor.games import GAMES
from auditor.rulebook import Language
from auditor.store import Store, require


@main.command(epilog=examples("auditor rules", "auditor rules tarneeb-classic --lang ar"))
@click.argument("ruleset", required=False, type=RulesetName())
@language_option
def rules(ruleset: str | None, language: Language) -> None:
    """Print the rulebook: every clause and open point of RULESET with its source, or of all rulesets."""
    console = Screen(highlight=False, soft_wrap=True)
    for number, name in enumerate([ruleset] if ruleset else GAMES):
        if number:
            console.print()
        for line in report.rule_lines(rulebook.book(name), language):
            console.print(line)


@main.command(
    name="schema", epilog=examples("auditor schema", "auditor schema tarneeb-classic", "auditor schema verdict")
)
@click.argument("name", required=False, metavar="[RULESET|OUTPUT]", type=RulesetName(schema.outputs))
def print_schema(name: str | None) -> None:
    """Print a JSON Schema (2020-12): of match logs, of one ruleset's match logs, or of an OUTPUT of the auditor.

    Outputs go by the names of their formats: verdict, adjudication, explanation, reconciliation, case, baseline,
    fairness, import-report, auditor-archive, auditor-proof, audited-shards.
    """
    document = schema.output(name) if name in schema.outputs() else schema.bundle(name)
    click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))


@main.command(
    name="generate",
    epilog=examples(
        "auditor generate tarneeb-classic -n 1000 --seed 7 > matches.ndjson",
        "auditor generate tarneeb-classic --option target=61 --shuffle-proof",
        "auditor generate tarneeb-classic -n 100 --faults revoke",
    ),
)
@click.argument("ruleset", type=RulesetName())
@click.option("-n", "count", type=click.IntRange(min=0), default=1, show_default=True, help="How many matches.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same matches, everywhere.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the ruleset (repeatable).")
@click.option("--shuffle-proof", is_flag=True, help="Add to each match the proof of its shuffles.")
@click.option(
    "--faults", "fault", metavar="KIND", help="Plant one fault of this kind in each match; '?' lists those of RULESET."
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
        width = max(map(len, kinds))
        for name, (kind, clause, _) in kinds.items():
            click.echo(f"{name:{width}}  {kind:9}{clause}")
        return
    if fault is not None:
        require_known(fault, kinds, param_hint="--faults")
    matches = generate.matches(game, count if fault is None else None, seed, key_values(options), shuffle_proof)
    with progress(Screen(), "ndjson", "matches made") as step:
        for match in matches if fault is None else itertools.islice(_faulty(game, matches, fault, seed), count):
            click.echo(msgspec.json.encode(match))
            step()


def _faulty(game: Game, matches: Iterator[dict[str, Any]], fault: str, seed: int) -> Iterator[dict[str, Any]]:
    for found in faults.planted(game, matches, fault, seed):
        expected = {"kind": found.kind, "clause": found.clause, "event": found.event}
        name = f"{found.document['match']}-{fault}"
        yield {**found.document, "match": name, "extra": {"fault": fault, "expected": expected}}


@main.command(
    epilog=examples(
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
