"""The workflow on the page and the hook for pre-commit call commands that there are, with options that they have."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from auditor.cli import main

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "regression-desk.md").read_text(encoding="utf-8")
BLOCKS: list[Any] = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)]
[HOOK] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def parsed(line: str) -> click.Context:
    """The context of a command line; raises ``click.UsageError`` for one that the program would refuse."""
    program, name, *arguments = shlex.split(line.partition(" > ")[0])
    assert program == "auditor"
    command = main.get_command(click.Context(main), name)
    assert command is not None, name
    return command.make_context(name, arguments)


def steps() -> list[dict[str, Any]]:
    [workflow] = [block for block in BLOCKS if "jobs" in block]
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_each_step_of_the_workflow_is_a_command_that_there_is() -> None:
    lines = [step["run"] for step in steps() if step.get("run", "").startswith("auditor ")]
    assert [parsed(line).params["form"] for line in lines] == ["github", "sarif"]


def test_the_file_that_is_uploaded_is_the_one_that_is_written() -> None:
    [upload] = [step for step in steps() if "upload-sarif" in step.get("uses", "")]
    [written] = [step["run"] for step in steps() if "sarif" in step.get("run", "")]
    assert written.endswith(f"> {upload['with']['sarif_file']}")


def test_a_wrong_option_in_the_workflow_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parsed("auditor check tests/logs --baseline b.json --format xml")


def test_the_hook_audits_the_files_that_it_is_given() -> None:
    context = parsed(f"{HOOK['entry']} tests/logs/a.json")
    assert (context.params["paths"], context.params["quiet"]) == (("tests/logs/a.json",), True)
    [config] = [block for block in BLOCKS if "repos" in block]
    assert [hook["id"] for hook in config["repos"][0]["hooks"]] == [HOOK["id"]]


@pytest.mark.parametrize(
    ("path", "is_audited"),
    [
        ("tests/logs/a.json", True),
        ("tests/logs/a.ndjson.zst", True),
        ("tests/logs/a.jsonl.gz", True),
        ("tests/logs/a.verdict.json", False),
        ("tests/logs/readme.md", False),
        ("package.json5", False),
    ],
)
def test_the_hook_takes_what_is_called_like_a_log(path: str, is_audited: bool) -> None:
    taken = re.search(HOOK["files"], path) is not None and re.search(HOOK["exclude"], path) is None
    assert taken is is_audited
