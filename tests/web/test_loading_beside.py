"""A database that is loaded while it is served: pages show what was loaded, and what is stored stays."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from auditor.errors import CannotAudit
from auditor.store import Store
from tests.golden import FIXTURES

from . import archives, serving

_PROGRAM = "from auditor.cli import main; main()"


def _load(database: Path, log: Path) -> None:
    command = [sys.executable, "-c", _PROGRAM, "audit", str(log), "--db", str(database), "--fail-on", "none", "-q"]
    subprocess.run(command, check=True, capture_output=True)


def _count(address: str) -> int:
    with urllib.request.urlopen(f"{address}/audit/matches.json?_extra=count&_size=0") as answer:
        return int(json.load(answer)["count"])


def test_loads_of_other_processes_are_seen_again_and_again(tmp_path: Path) -> None:
    database = archives.of_documents(tmp_path / "audit.db", [archives.fixture("tarneeb-classic/fault-revoke")])
    logs = sorted(path for path in (FIXTURES / "three-stones").glob("*.json") if ".verdict" not in path.name)[:4]
    with serving.serving(database) as address:
        for number, log in enumerate(logs):
            assert _count(address) == 1 + number
            with urllib.request.urlopen(f"{address}/-/auditor") as page:
                assert page.status == 200
            _load(database, log)
        assert _count(address) == 1 + len(logs)


def test_a_file_that_is_gone_is_not_made_anew_to_store_in(tmp_path: Path) -> None:
    with pytest.raises(CannotAudit):
        Store.reopen(tmp_path / "gone.db")
    assert list(tmp_path.iterdir()) == []


def test_another_programs_file_is_not_stored_in(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(b"")
    with pytest.raises(CannotAudit):
        Store.reopen(other)
    assert other.read_bytes() == b""
