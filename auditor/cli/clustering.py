"""What ``auditor audit --cluster`` says: an audit on many machines, told on one.

In: paths, the address of a scheduler, a folder for results. Out: the summary on standard output, and what could not be
audited on standard error. Refuses to know how shards are made and which engine it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import click
from rich.console import Console

from auditor import report
from auditor.cli.program import complain, progress
from auditor.cluster import running, storage, work
from auditor.cluster.engine import engine
from auditor.rulebook import Language
from auditor.sources import shown

#: So many shards that are missing are told one by one.
_MOST_TOLD = 20
_PHRASES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "done": "{}: {} shards, {} of them audited now", "missing": "{}: {} shards are missing; run it once more",
        "more": "and {} more", "others": "{}: {} files of results belong to no shard of this input",
        "step": "shards done", "waiting": "{}: no worker is there yet; waiting for one",
    },
    "ar": {
        "done": "{}: الأجزاء: {}، ودُقّق منها الآن: {}", "missing": "{}: أجزاء ناقصة: {}؛ أعِد التشغيل",
        "more": "ومعها {}", "others": "{}: ملفات نتائج ليست لأي جزء من هذا الإدخال: {}",
        "step": "أجزاء تمّت", "waiting": "{}: لا عامل بعد؛ في انتظار واحد",
    },
}  # fmt: skip


def audit_on_cluster(
    paths: Sequence[str], address: str, output: str, console: Console, language: Language
) -> tuple[Counter[str], bool]:
    """Audits on the cluster; how many matches have each status, and whether all there is was audited."""
    say = _PHRASES[language]
    folder = storage.absolute(output)
    by = work.who()
    shards = running.planned(paths, folder)
    with engine(address) as there:
        if not running.require_same(there, address, by):
            click.echo(say["waiting"].format(address), err=True)
        with progress(console, "text", say["step"]) as step:
            run = running.run(there, shards, paths, folder, by, step)
    made = run.manifest
    statuses = Counter(made.statuses)
    console.print(report.summary(statuses, language))
    click.echo(say["done"].format(shown(output), len(made.shards), run.new_count), err=True)
    if run.others:
        click.echo(say["others"].format(shown(output), len(run.others)), err=True)
    no_logs = [part.summary.no_log for part in made.shards if part.summary is not None and part.summary.no_log]
    for part in made.shards:
        if part.summary is not None and part.summary.no_log is not None:
            complain(f"{part.file}: {part.summary.no_log[language]}")
    for part in made.missing[:_MOST_TOLD]:
        complain(f"{part.title}: {part.missing}")
    if len(made.missing) > _MOST_TOLD:
        complain(say["more"].format(len(made.missing) - _MOST_TOLD))
    if made.missing:
        complain(say["missing"].format(shown(output), len(made.missing)))
    return statuses, not made.missing and not no_logs
