"""Replay and score logs of Arab and South Asian card and board games.

In: match logs. Out: one verdict a match, the clauses of the rulebook that it broke, and the points that the table
should have written down. The command line is :mod:`auditor.cli`; a program starts at :mod:`auditor.log` (reading) and
:mod:`auditor.replay` (judging).
"""

__version__ = "0.1.0"
