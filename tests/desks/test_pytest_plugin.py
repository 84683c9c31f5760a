"""The pytest plugin: match logs are items, and other projects do not notice it."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from tests.desks.played import Document, faulty, matches, named

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project that has only this plugin, however the auditor is installed here."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p auditor.pytest_plugin")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return pytester


def configure(project: pytest.Pytester, logs: str = '["tests/logs/**/*.json"]', more: str = "") -> None:
    project.makepyprojecttoml(f"[tool.pytest.ini_options]\nauditor_logs = {logs}\n{more}\n")


def put(project: pytest.Pytester, name: str, *documents: Document) -> None:
    """A log of one match as indented JSON, of several as one match a line."""
    path = project.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps(documents[0], indent=1, ensure_ascii=False), encoding="utf-8")
    else:
        path.write_bytes(b"".join(msgspec.json.encode(document) + b"\n" for document in documents))


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line and not line.startswith(("FAILED", "___"))]


def test_each_match_is_an_item_that_passes_or_fails_with_what_was_found(project: pytest.Pytester) -> None:
    configure(project)
    put(project, "tests/logs/clean.json", named(matches()[0], "M-1"))
    put(project, "tests/logs/deep/down/revoke.json", named(faulty("revoke"), "M-2"))
    result = project.runpytest()
    result.assert_outcomes(passed=1, failed=1)
    text = result.stdout.str()
    lines = (project.path / "tests/logs/deep/down/revoke.json").read_text(encoding="utf-8").splitlines()
    result.stdout.fnmatch_lines(["*M-2: illegal*", "tests/logs/deep/down/revoke.json:*"])
    result.stdout.re_match_lines(
        [
            r"    event \d+, seat \d  play\.follow-suit  \(illegal\)",
            r"    Seat \d plays .* while it can follow suit in \w+\.",
            r"    legal here: .*",
        ]
    )
    number = int(text.split("deep/down/revoke.json:")[1].split()[0])
    assert '"type": "play"' in "".join(lines[number - 1 : number + 5])
    assert "Traceback" not in text
    assert "verdict_on" not in text


def test_a_file_of_several_matches_gives_an_item_each(project: pytest.Pytester) -> None:
    configure(project, '["*.ndjson"]')
    rows = [named(matches()[0], "a"), named(faulty("wrong-points"), "b"), named(matches()[1], "a")]
    put(project, "logs.ndjson", *rows)
    with (project.path / "logs.ndjson").open("ab") as file:
        file.write(b"{no log}\n")
    result = project.runpytest("-v", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=2)
    assert [line.split(" ", 1)[0] for line in ids(result)] == [
        "logs.ndjson::a",
        "logs.ndjson::b",
        "logs.ndjson::a",
        "logs.ndjson::line",
    ]
    result.stdout.fnmatch_lines(
        ["logs.ndjson:2", "*event *claim.score  (claim)", "logs.ndjson:4", "*log.syntax  (schema)"]
    )
    project.runpytest("logs.ndjson::b").assert_outcomes(failed=1)


def test_logs_run_beside_other_tests_and_only_where_pytest_looks(project: pytest.Pytester) -> None:
    configure(project, '["tests/logs/*.json", "elsewhere/*.json"]', 'testpaths = ["tests"]')
    put(project, "tests/logs/a.json", matches()[0])
    put(project, "elsewhere/b.json", matches()[1])
    project.mkdir("tests/unit")
    (project.path / "tests/unit/test_x.py").write_text("def test_x(): pass\n", encoding="utf-8")
    project.runpytest().assert_outcomes(passed=2)
    project.runpytest("tests/unit").assert_outcomes(passed=1)
    project.runpytest("elsewhere").assert_outcomes(passed=1)
    project.runpytest("tests/logs/a.json", "elsewhere/b.json").assert_outcomes(passed=2)


def test_other_json_and_expected_verdicts_are_no_logs(project: pytest.Pytester) -> None:
    configure(project)
    put(project, "tests/logs/a.json", matches()[0])
    (project.path / "tests/logs/a.verdict.json").write_text("{}", encoding="utf-8")
    (project.path / "tests/package.json").write_text("{}", encoding="utf-8")
    project.runpytest().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("fail_on", "failed"),
    [("", 1), ('auditor_fail_on = ["incomplete"]', 1), ('auditor_fail_on = ["illegal", "incomplete"]', 2)],
)
def test_the_statuses_that_fail_can_be_named(fail_on: str, failed: int, project: pytest.Pytester) -> None:
    configure(project, more=fail_on)
    put(project, "tests/logs/illegal.json", faulty("revoke"))
    put(project, "tests/logs/short.json", matches()[0] | {"events": matches()[0]["events"][:9]})
    project.runpytest().assert_outcomes(passed=2 - failed, failed=failed)


def test_the_settings_are_those_of_pytest_wherever_they_stand(project: pytest.Pytester) -> None:
    project.makeini("[pytest]\nauditor_logs = logs/*.json 'more logs/*.json'\n")
    put(project, "logs/a.json", matches()[0])
    put(project, "more logs/b.json", matches()[1])
    project.runpytest("--strict-config").assert_outcomes(passed=2)
    project.runpytest("-o", "auditor_logs=logs/*.json").assert_outcomes(passed=1)


def test_what_a_log_brings_is_made_visible(project: pytest.Pytester) -> None:
    configure(project)
    put(project, "tests/logs/a.json", named(faulty("revoke"), "x\x1b[31m\u202e\ny"))
    text = project.runpytest("--color=no").stdout.str()
    assert r"x\u001b[31m\u202e\u000ay: illegal" in text
    assert "\x1b" not in text


def test_a_long_list_of_findings_is_cut(project: pytest.Pytester) -> None:
    configure(project)
    events = [{"type": "pass", "seat": 9}] * 30
    put(project, "tests/logs/a.json", matches()[0] | {"events": events})
    project.runpytest().stdout.fnmatch_lines(["further findings: 20"])


# --- Other projects -------------------------------------------------------------------------------------------------


def test_without_logs_named_it_does_nothing(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.pytest.ini_options]\nminversion = '9.0'\n")
    put(project, "tests/logs/a.json", faulty("revoke"))
    project.makepyfile("def test_x(): pass")
    project.runpytest().assert_outcomes(passed=1)


def test_without_logs_named_nothing_else_is_loaded(project: pytest.Pytester) -> None:
    """So that pytest starts as fast as ever where the auditor happens to be installed."""
    project.makepyfile(
        """
        import sys

        def test_nothing():
            heavy = {"msgspec", "click", "rich", "datasette", "jsonschema"}
            assert heavy.isdisjoint(sys.modules)
            own = {name for name in sys.modules if name.startswith("auditor")}
            assert own == {"auditor", "auditor.pytest_plugin"}
        """
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=1)


def test_it_is_an_entry_point_of_pytest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"auditor": "auditor.pytest_plugin"}
    assert import_module("auditor.pytest_plugin").pytest_collect_file


def test_the_plugin_is_loaded_by_its_module_alone() -> None:
    code = "import auditor.pytest_plugin, sys; sys.exit('msgspec' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
