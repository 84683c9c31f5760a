"""The formats that other tools read: what ``audit`` and ``check`` share of writing them.

In: the name of a format. Out: the export that writes it, and the file of a summary. Refuses to know what is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from auditor.cli.program import require_companion
from auditor.desks import workflow
from auditor.desks.comparison import Group
from auditor.desks.export import Export, IsFailure
from auditor.desks.junit import JUnit
from auditor.desks.sarif import Sarif
from auditor.desks.spreadsheet import Spreadsheet
from auditor.errors import CannotAudit
from auditor.rulebook import Language

Command = TypeVar("Command", bound=Callable[..., Any])

EXPORTS: dict[str, Callable[[IsFailure, Language], Export]] = {
    "junit": JUnit,
    "sarif": lambda is_failure, language: Sarif(language),
    "github": workflow.Annotations,
    "csv": lambda is_failure, language: Spreadsheet(language),
}


def summary_option(command: Command) -> Command:
    return click.option(
        "--summary",
        "summary_path",
        type=click.Path(path_type=Path),
        envvar="GITHUB_STEP_SUMMARY",
        help="With --format github: add the Markdown summary to this file (in a workflow: that of the step).",
    )(command)


def require_summary(form: str, path: Path | None) -> None:
    """Raises where no summary can be added to the file in the end: in another format, or in no folder."""
    require_companion("--format github", form == "github", "summary_path")
    if form == "github" and path is not None and not path.absolute().parent.is_dir():
        raise CannotAudit(f"{path}: expected a folder to make the summary in, found none")


def add_summary(path: Path | None, counts: str, groups: Sequence[Group], language: Language) -> None:
    """Adds the summary in one write to what other steps have written there."""
    if path is not None:
        with path.open("ab", buffering=0) as file:
            file.write(workflow.markdown(counts, groups, language).encode())
