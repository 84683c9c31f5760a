"""The command line.

In: what a person or a script types. Out: lines on standard output, notices on standard error, and the exit code:
0 clean, 1 findings, 2 could not audit. Refuses to know everything else: each command hands over to one module.
"""

from __future__ import annotations

from auditor.cli.program import main

__all__ = ["main"]
