"""The pytest plugin: match logs as tests, one item a match.

In: the pytest settings ``auditor_logs`` and ``auditor_fail_on``. Out: items that fail with what was found. Refuses to
know rules. Where no logs are named it does nothing, and nothing else of the auditor is loaded.
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from auditor.audit import Entry
    from auditor.verdict import Verdict

_LOGS, _FAIL_ON = "auditor_logs", "auditor_fail_on"
_FAILING = ("illegal", "misscored", "invalid")
#: So many findings of a match are told; further ones are counted.
_MOST_FINDINGS = 10
_LONGEST_ID = 200
_NAMED = pytest.StashKey[frozenset[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        _LOGS, "auditor: patterns of match logs, from the root folder; ** stands for any folders", "args", default=[]
    )
    parser.addini(_FAIL_ON, "auditor: statuses that fail a match (illegal misscored invalid)", "args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Logs are collected where pytest comes past them, and if they are named as arguments."""
    if file_path not in _named(parent.config):
        return None
    file: MatchFile = MatchFile.from_parent(parent, path=file_path)
    return file


def _named(config: pytest.Config) -> frozenset[Path]:
    """The files that the patterns name, looked up once; expected verdicts are no logs."""
    if _NAMED not in config.stash:
        root = config.rootpath
        found = {
            Path(os.path.normpath(root / name))
            for pattern in config.getini(_LOGS)
            for name in glob.glob(pattern, root_dir=root, recursive=True)
            if not name.endswith(".verdict.json")
        }
        config.stash[_NAMED] = frozenset(path for path in found if path.is_file())
    return config.stash[_NAMED]


class MatchFile(pytest.File):
    """A file of match logs."""

    def collect(self) -> Iterator[pytest.Item]:
        from auditor.games import FORMS
        from auditor.log import Log, read

        names: Counter[str] = Counter()
        for entry in read([str(self.path)], FORMS):
            match = entry.match.match if isinstance(entry, Log) else entry.match
            name = match or f"line {entry.place.line}"
            names[name] += 1
            told = name if names[name] == 1 else f"{name} (line {entry.place.line})"
            yield MatchItem.from_parent(self, name=_visible(told), entry=entry)


class MatchItem(pytest.Item):
    """One match, or a stretch that is none."""

    def __init__(self, *, entry: Entry, **keys: Any) -> None:
        super().__init__(**keys)
        self.entry = entry

    def runtest(self) -> None:
        from auditor.audit import verdict_on

        verdict = verdict_on(self.entry)
        if verdict.status in (self.config.getini(_FAIL_ON) or _FAILING):
            raise FaultyMatch(verdict)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, FaultyMatch):
            return "\n".join(self._lines(excinfo.value.verdict))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.entry.place.line - 1, self.name

    def _lines(self, verdict: Verdict) -> Iterator[str]:
        """Each finding with its file and line, the clause, the sentence, and what would have been legal."""
        from auditor import report
        from auditor.desks.comparison import uncompared
        from auditor.desks.export import placed, told

        yield f"{self.name}: {verdict.status}"
        findings = list(told(uncompared(self.entry.place, verdict)))
        file = os.path.relpath(self.path, self.config.rootpath)
        for finding, region in placed(findings[:_MOST_FINDINGS]):
            assert finding.finding is not None
            yield f"{_visible(file)}:{self.entry.place.line if region is None else region.line}"
            for line in report.fault_lines(finding.finding, verdict.ruleset, "en"):
                yield f"    {line.plain}"
        if len(findings) > _MOST_FINDINGS:
            yield f"further findings: {len(findings) - _MOST_FINDINGS}"


class FaultyMatch(Exception):
    """The verdict on a match fails its item."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.match, verdict.status)
        self.verdict = verdict


def _visible(text: str) -> str:
    from auditor.jsontext import visible

    return visible(text, _LONGEST_ID)
