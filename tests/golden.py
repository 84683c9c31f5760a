"""The expected verdict beside each fixture log: ``NAME.json`` and ``NAME.verdict.json``.

``python tests/golden.py --write`` writes them anew; read the diff before it is committed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from auditor.audit import verdict_on
from auditor.games import FORMS
from auditor.log import read_bytes
from auditor.verdict import to_pretty_json

FIXTURES = Path(__file__).parent.parent / "fixtures"


def logs() -> list[Path]:
    return sorted(path for path in FIXTURES.rglob("*.json") if not path.name.endswith(".verdict.json"))


def expected_path(log: Path) -> Path:
    return log.with_name(f"{log.stem}.verdict.json")


def verdict_bytes(log: Path) -> bytes:
    return to_pretty_json(verdict_on(read_bytes(log.read_bytes(), FORMS, log.name)))


def main() -> None:
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/golden.py --write")
    for log in logs():
        expected_path(log).write_bytes(verdict_bytes(log))
    for path in FIXTURES.rglob("*.verdict.json"):
        if not path.with_name(path.name.replace(".verdict.json", ".json")).exists():
            path.unlink()


if __name__ == "__main__":
    main()
