"""``auditor load``: results of a cluster, into a database.

In: folders of results and single ones, and a database. Out: what was new to it. Refuses to know how results are
written and what a database is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from auditor.cli.program import Screen, complain, examples, language_option, main, progress
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
        "loaded": "{}: {} new matches, {} new verdicts of {} read", "absent": "left out: {}", "more": "and {} more",
        "same id": "{}: {} matches have the id of another match with other content", "step": "matches loaded",
        "stopped": "{}; what was loaded before is in {}",
    },
    "ar": {
        "loaded": "{}: مباريات جديدة: {}، نتائج جديدة: {}، من مقروء: {}", "absent": "تُرك: {}", "more": "ومعها {}",
        "same id": "{}: مباريات لها معرّف مباراة أخرى بمحتوى آخر: {}", "step": "مباريات حُمّلت",
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
    with progress(Screen(), "text", say["step"]) as step:

        def rows() -> Iterator[tuple[Log | None, Verdict]]:
            for row in collecting.rows(collection.urls, by):
                step()
                yield row

        with Store.open(db) as store:
            try:
                stored = store.load(rows(), by, [shown(path) for path in paths])
            except CannotAudit as error:
                raise CannotAudit(say["stopped"].format(error, shown(str(db)))) from error
    click.echo(say["loaded"].format(shown(str(db)), stored.matches, stored.verdicts, stored.read), err=True)
    if stored.same_id:
        click.echo(say["same id"].format(shown(str(db)), stored.same_id), err=True)
