"""The command line.

In: what a person or a script types. Out: lines on standard output, notices on standard error, and the exit code:
0 clean, 1 findings, 2 could not audit. Refuses to know everything else: each command hands over to one module.
"""

from __future__ import annotations

from auditor.cli import (
    adjudicating,
    auditing,
    casework,
    explaining,
    fairness,
    importing,
    loading,
    publishing,
    reconciling,
    reference,
    regression,
    serving,
    site,
)
from auditor.cli.program import main

#: Whose commands the program has.
COMMANDS = (
    adjudicating,
    auditing,
    casework,
    explaining,
    fairness,
    importing,
    loading,
    publishing,
    reconciling,
    reference,
    regression,
    serving,
    site,
)

__all__ = ["COMMANDS", "main"]
