"""``auditor serve``: a database in the browser.

In: the path of a database, and where to listen. Out: a running server. Refuses to know what the pages show.
"""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli.program import examples, main
from auditor.sources import shown
from auditor.store import require


@main.command(name="serve", epilog=examples("auditor serve audit.db", "auditor serve audit.db --port 9000 --open"))
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
        require(database)
        click.echo(configuration_json(shown(database.stem)), nl=False)
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
