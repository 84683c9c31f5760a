"""``auditor load``: results of a cluster, into a database.

In: folders of results and single ones, and a database. Out: what was new to it. Refuses to know how results are
written and what a database is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from auditor.cli.program import Screen, complain, examples, language_option, main, progress
from auditor.cli.telling import load_lines
from auditor.cluster import collecting, work
from auditor.errors import CannotAudit
from auditor.log import Log
from auditor.rulebook import Language
from auditor.sources import shown
from auditor.store import Store
from auditor.verdict import Verdict

#: So many results that are missing are told one by one.
_MOST_TOLD = 20
_PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "absent": "left out: {}", "more": "and {} more", "step": "matches loaded",
        "stopped": "{}; what was loaded before is in {}",
    },
    "ar": {
        "absent": "تُرك: {}", "more": "ومعها {}", "step": "مباريات حُمّلت",
        "stopped": "{}؛ وما حُمّل قبل ذلك محفوظ في {}",
    },
}  # fmt: skip


@main.command(
    epilog=examples(
        "auditor load results/ --db audit.db",
        "auditor load s3://club/results --db audit.db",
        "auditor load results/ --db audit.db --partial",
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="PARQUET|FOLDER...")
@click.option(
    "--db", required=True, type=click.Path(path_type=Path), help="The SQLite database; it is made if it is not there."
)
@click.option("--partial", is_flag=True, help="Load what is there of an audit that did not come to its end.")
@language_option
def load(paths: Sequence[str], db: Path, partial: bool, language: Language) -> None:
    """Load what "auditor audit --cluster" wrote into a database: FOLDERs in the order of their manifest, or files.

    Loading twice changes nothing, and a load that was stopped is completed by the next one. Paths may be URLs.
    """
    say = _PHRASES[language]
    by = work.who()
    collection = collecting.collected(paths, by, partial)
    for text in collection.absent[:_MOST_TOLD]:
        complain(say["absent"].format(text))
    if len(collection.absent) > _MOST_TOLD:
        complain(say["more"].format(len(collection.absent) - _MOST_TOLD))
    no_log_count = 0
    with progress(Screen(), "text", say["step"]) as step:

        def rows() -> Iterator[tuple[Log | None, Verdict]]:
            nonlocal no_log_count
            for log, verdict in collecting.rows(collection.urls, by):
                step()
                no_log_count += log is None
                yield log, verdict

        with Store.open(db) as store:
            try:
                stored = store.load(rows(), by, [shown(path) for path in paths])
            except CannotAudit as error:
                raise CannotAudit(say["stopped"].format(error, shown(str(db)))) from error
    for line in load_lines(db, stored, no_log_count, language):
        click.echo(line, err=True)
