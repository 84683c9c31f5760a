"""The command in processes of its own, which can be killed, starved, or given a full disk.

In: arguments. Out: the process, or what it said. Refuses to know what is tried with it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
COMMAND = (sys.executable, "-c", "from auditor.cli import main; main(prog_name='auditor')")


def started(*arguments: str | Path, before: Sequence[str] = (), **keys: Any) -> subprocess.Popen[bytes]:
    """``before`` is another program that is to run it."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | keys.pop("env", {})
    return subprocess.Popen([*before, *COMMAND, *map(str, arguments)], env=environment, stderr=subprocess.PIPE, **keys)


def said(*arguments: str | Path, **keys: Any) -> tuple[int, str, str]:
    """The exit code, the output and the complaints of a command that comes to its end."""
    run = started(*arguments, stdout=subprocess.PIPE, **keys)
    output, errors = run.communicate(timeout=120)
    return run.returncode, output.decode(), errors.decode()
