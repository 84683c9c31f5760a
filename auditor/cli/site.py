"""``auditor site``: an archive as pages for any web host.

In: a database or logs, and the name of a new folder. Out: the folder, and a line that says what is in it. Refuses to
know what the pages show.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import click

from auditor.cli.program import Screen, examples, language_option, main, named, progress
from auditor.desks.outfile import new_folder
from auditor.rulebook import Language

_PHRASES: dict[Language, dict[str, str]] = {
    "en": {
        "made": "{}: matches: {}, pages: {}",
        "open": "to be opened or put on a web host: {}",
        "foreign": "left out, since their rules are not installed here: {}",
    },
    "ar": {
        "made": "{}: المباريات: {}، الصفحات: {}",
        "open": "لتُفتح أو توضع على مضيف ويب: {}",
        "foreign": "تُركت لأن قواعدها غير مثبّتة هنا: {}",
    },
}


@main.command(
    epilog=examples(
        "auditor site audit.db -o pages",
        'auditor site logs/ -o pages --title "The club, 2026" --data https://example.org/archive/',
    )
)
@click.argument("paths", nargs=-1, required=True, metavar="DB|LOG...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to make. It must not be there yet.",
)
@click.option("--title", help="What the site is called.")
@click.option("--data", metavar="ADDRESS", help="Where the files lie that it is made from: the front page leads there.")
@language_option
def site(paths: Sequence[str], output: Path, title: str | None, data: str | None, language: Language) -> None:
    """Write the matches of a database, or of LOGs, as a folder of pages that need no server.

    Every match has its page with the replay, in English and in Arabic, and the rulebook is there as well. The folder
    works under any address of a web host and also when it is opened as a file. The exit code is 0 if it was made,
    whatever the verdicts say.
    """
    if data is not None and urlsplit(data).scheme not in ("", "http", "https"):
        raise click.BadParameter(
            f"expected an address of the web or a relative one, found {data!r}", param_hint="--data"
        )
    # Datasette takes a second to import; no other command should wait for it.
    from auditor.site import gathering, writing

    console = Screen(highlight=False, soft_wrap=True)
    with new_folder(output, "a site") as folder, contextlib.ExitStack() as stack:
        with progress(console, "text", "matches written" if gathering.is_ready(paths) else "matches audited") as step:
            database = stack.enter_context(gathering.gathered(paths, step))
        with progress(console, "text", "matches written") as step:
            made = writing.write(database, folder, step, title, data)
    say = _PHRASES[language]
    click.echo(say["made"].format(named(output, language), made.matches, made.pages))
    if made.foreign:
        click.echo(say["foreign"].format(made.foreign))
    click.echo(say["open"].format(named(output / "index.html", language)))
