"""What is found is said: on a terminal, as JSON, as a page that stands alone; in both languages."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from auditor.audit import verdict_on
from auditor.cli import main
from auditor.fairness import account, words
from auditor.fairness.dealers import UNFAIR, fair
from auditor.fairness.judging import QUESTIONS, REPEATED_DEALS, REPEATED_HANDS
from auditor.fairness.sheets import page_of
from auditor.pages.fairness import Point, bars
from auditor.rulebook import LANGUAGES, Language
from auditor.store import Auditor, Store
from tests.fairness import archives
from tests.pages.test_evidence import Page

LEVEL, ACES, REPEAT = (UNFAIR[name] for name in UNFAIR)
HOSTILE = "<script>alert(1)</script>\"'&\u202e{{ 7 * 7 }}"


def write(path: Path, documents: Iterable[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(it) + "\n" for it in documents), encoding="utf-8")
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["fairness", *words], prog_name="auditor")


@pytest.fixture(scope="module")
def level(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Logs of a dealer that deals again until each hand has two honours."""
    return write(tmp_path_factory.mktemp("level") / "level.ndjson", archives.logs_of("tarneeb-classic", LEVEL, 1500, 2))


# --- On a terminal --------------------------------------------------------------------------------------------------


def test_plain_words_come_first_when_nothing_is_unusual(tmp_path: Path) -> None:
    result = run(write(tmp_path / "fair.ndjson", archives.logs_of("tarneeb-classic", fair, 1500, 2)))
    first, second, heads, *_ = result.stdout.splitlines()
    assert result.exit_code == 0, result.output
    assert first == "tarneeb-classic: nothing unusual in 1,500 deals"
    assert re.fullmatch(
        r"  A seat with \d\.\d% more honours than its share would have been found, four times in five\.", second
    )
    assert heads.split() == ["observed", "expected", "difference", "p", "what"]
    assert "Fair cards would be called unusual in at most 1.0% of such examinations; questions: 12." in result.stdout


def test_what_is_unusual_is_said_with_what_was_expected(level: str) -> None:
    result = run(level)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "tarneeb-classic: something unusual in 1,500 deals"
    assert "  deals with 2 or more honours in every hand: 100.0% of deals against 86.0% expected" in lines


def test_too_few_deals_are_no_finding(tmp_path: Path) -> None:
    result = run(write(tmp_path / "few.ndjson", archives.logs_of("tarneeb-classic", fair, 50, 2)))
    assert result.exit_code == 0
    assert result.stdout.startswith("tarneeb-classic: too few deals to tell: 50\n")


def test_a_tiny_difference_is_worded_so() -> None:
    cell = account.Cell((0,), 4.01, 4.0, 4.005, 4.015, 1e-9)
    answer = account.Answer("honour-seat", "mean", (cell,), 0, 1e-7, "tiny")
    proofs = account.Proofs(0, 0, 0, ())
    part = account.Part("tarneeb-classic", "usual", 9, 9, 0, 0, 0.001, (answer,), (), None, proofs)
    assert words.alarms(part, "en") == []
    assert words.remarks(part, "en")[0] == (
        "there, but tiny: honours in the hand of seat 0: 4.010 a deal against 4.000 expected"
    )


def test_many_repeated_deals_are_not_all_listed(tmp_path: Path) -> None:
    result = run(write(tmp_path / "again.ndjson", archives.logs_of("belote-contree", REPEAT, 3000, 2)))
    listed = [line for line in result.stdout.splitlines() if " is deal 1 of match M" in line]
    assert result.exit_code == 1
    assert len(listed) == 10
    assert re.search(r"^  and \d+ more$", result.stdout, re.MULTILINE)


def test_a_database_is_examined_like_the_logs_in_it(tmp_path: Path) -> None:
    documents = archives.logs_of("tarneeb-classic", LEVEL, 300, 2)
    database = tmp_path / "audit.db"
    with Store.open(database) as store:
        store.load(((log, verdict_on(log)) for log in archives.entries(documents)), Auditor("0", "sha256:0"))
    assert run(str(database)).stdout == run(write(tmp_path / "logs.ndjson", documents)).stdout


def test_only_one_ruleset(tmp_path: Path, level: str) -> None:
    other = write(tmp_path / "other.ndjson", archives.logs_of("belote-contree", fair, 20, 2))
    result = run(level, other, "--ruleset", "belote-contree")
    assert result.exit_code == 0
    assert "tarneeb" not in result.stdout


def test_the_rate_of_false_alarms_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "aces.ndjson", archives.logs_of("belote-contree", ACES, 2000, 2))
    assert run(path, "--alpha", "0.5").exit_code == 1
    assert run(path, "--alpha", "0.0000000001").exit_code == 0
    assert run(path, "--alpha", "1").exit_code == 2


@pytest.mark.parametrize("text", ["", '{"format": "match-log/1"}\n'])
def test_where_there_is_no_match_log_nothing_was_examined(tmp_path: Path, text: str) -> None:
    path = tmp_path / "none.ndjson"
    path.write_text(text, encoding="utf-8")
    result = run(str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"auditor: {path}: expected match logs, found none\n"


def test_a_file_that_is_not_there_stops_it(tmp_path: Path) -> None:
    assert run(str(tmp_path / "missing.ndjson")).exit_code == 2


def test_a_log_in_a_packed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "logs.ndjson.gz"
    path.write_bytes(gzip.compress(json.dumps(archives.logs_of("tarneeb-classic", fair, 1, 2)[0]).encode() + b"\n"))
    assert run(str(path)).exit_code == 0


def test_arabic_says_the_same(level: str) -> None:
    result = run(level, "--lang", "ar")
    assert result.exit_code == 1
    assert result.stdout.startswith("tarneeb-classic: أمر غير مألوف؛ التوزيعات: \u20661,500\u2069\n")
    assert len(result.stdout.splitlines()) == len(run(level).stdout.splitlines())
    latin = re.sub(r"\u2066.*?\u2069|\u2068.*?\u2069|tarneeb-classic", "", result.stdout)
    assert set(re.findall(r"[A-Za-z]+", latin)) <= {"e"}  # of a very small number


def test_every_question_has_its_words_in_both_languages() -> None:
    for language in LANGUAGES:
        assert (
            set(words._LABELS[language]) == set(words._NAMES[language]) == {*QUESTIONS, REPEATED_DEALS, REPEATED_HANDS}
        )
        assert words._PHRASES[language].keys() == words._PHRASES["en"].keys()
    for question, label in words._LABELS["en"].items():
        assert set(re.findall(r"\{.\}", label)) == set(re.findall(r"\{.\}", words._LABELS["ar"][question]))


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.8604, "share", "86.0%"), (0.0037, "share", "0.370%"), (0.9951, "share", "99.510%"), (1.0, "share", "100.0%"),
        (0.0, "share", "0.0%"), (4.0, "mean", "4.000"), (43.0, "pairs", "43"), (1e-21, "pairs", "< 0.001"),
        (0.47, "pairs", "0.47"), (0.0, "pairs", "0"), (1234.5, "pairs", "1,234"),
    ],
)  # fmt: skip
def test_amounts(value: float, unit: account.Unit, text: str) -> None:
    assert words.amount(value, unit) == text


# --- JSON -----------------------------------------------------------------------------------------------------------


def test_json_has_every_count(level: str) -> None:
    result = run(level, "--format", "json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["format"], found["alpha"], found["questions"], found["logs"]) == ("fairness/1", 0.01, 12, 1500)
    [part] = found["parts"]
    assert (part["ruleset"], part["status"], part["deals"]) == ("tarneeb-classic", "unusual", 1500)
    by_question = {answer["question"]: answer for answer in part["answers"]}
    assert len(by_question["card-seat"]["cells"]) == 208
    [two] = [cell for cell in by_question["honour-deal"]["cells"] if cell["subject"] == [2]]
    assert two["observed"] == 1.0
    assert two["expected"] == 0.860358


def test_json_is_the_same_each_time_and_its_keys_are_sorted(level: str) -> None:
    first, second = (run(level, "--format", "json").stdout for _ in range(2))
    assert first == second
    json.loads(first, object_pairs_hook=in_order)


def in_order(pairs: list[tuple[str, Any]]) -> None:
    assert pairs == sorted(pairs, key=lambda pair: pair[0])


# --- The page -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def repeating() -> account.Account:
    """Of two rulesets, one with a match of a hostile name among repeated deals."""
    documents = archives.logs_of("belote-contree", REPEAT, 400, 2)
    for row, it in enumerate(documents):
        it["match"] = f"{HOSTILE}{row}"
    return archives.account([*documents, *archives.logs_of("tarneeb-classic", fair, 30, 2)])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_stands_alone(repeating: account.Account, language: Language) -> None:
    text = page_of(repeating, language)
    page = Page(text)
    for tag, attributes in page.elements:
        assert tag not in ("script", "link", "img", "iframe", "object", "form")
        assert not {"src", "srcset", "action", "style"} & attributes.keys()
        assert not any(key.startswith("on") for key in attributes)
        assert str(attributes.get("href", "#")).startswith("#")
    assert "url(" not in text
    assert "@import" not in text
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {str(it["href"])[1:] for _, it in page.elements if "href" in it} <= set(ids)
    [shown] = [it["id"] for tag, it in page.elements if tag == "input" and "checked" in it]
    assert shown == f"show-{language}"


def test_the_page_says_what_the_terminal_says(repeating: account.Account) -> None:
    page = Page(page_of(repeating, "en"))
    for language in LANGUAGES:
        said = page.text(language)
        for part in repeating.parts:
            for line in (words.headline(part, language), *words.remarks(part, language)):
                assert " ".join(line.split()) in said
            for row in words.rows(part, language):
                assert row.label in said
                assert row.difference in said


def test_what_a_log_says_never_becomes_markup(repeating: account.Account) -> None:
    text = page_of(repeating, "en")
    assert "<script" not in text
    assert "49" not in re.findall(r"alert\(1\).{40}", text)
    assert "\u202e" not in text
    assert "\\u202e" in text


def test_a_page_is_written_and_the_text_is_printed_as_well(level: str, tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    result = run(level, "-o", str(output), "--lang", "ar")
    assert result.exit_code == 1
    assert result.stdout.startswith("tarneeb-classic")
    assert output.read_text(encoding="utf-8").startswith('<!doctype html>\n<html lang="ar" dir="rtl">')


def test_a_plot_has_every_subject_and_marks_what_is_out(level: str) -> None:
    found = archives.account(json.loads(line) for line in Path(level).read_text(encoding="utf-8").splitlines())
    page = Page(page_of(found, "en"))
    paths = [attributes for tag, attributes in page.elements if tag == "path"]
    [part] = found.parts
    cells = [cell for answer in part.answers for cell in answer.cells]
    assert sum(it.get("class") == "point" for it in paths) == len(LANGUAGES) * len(cells)
    out = [cell for cell in cells if not cell.low <= cell.expected <= cell.high]
    assert out
    assert sum(it.get("class") == "out" for tag, it in page.elements if tag == "g") == len(LANGUAGES) * len(out)


def test_more_is_up_and_what_is_expected_lies_in_the_middle() -> None:
    one, two = bars([Point("a", -1.0, 0.0, 1.0, False), Point("b", 1.0, 1.5, 2.0, True)])
    assert (one.x, one.at) == (25, 50)
    assert (two.x, two.top) == (75, 6)
    assert two.top < two.at < two.bottom < 50
    assert one.bottom - one.at == pytest.approx(one.at - one.top)


def test_a_plot_of_many_names_only_what_is_out() -> None:
    points = [Point(str(at), 0.0, 0.0, 0.0, at == 7) for at in range(61)]
    assert [bar.label for bar in bars(points) if bar.label] == ["7"]
    assert len({bar.label for bar in bars(points[:60])}) == 60


# --- What it costs those who do not ask -----------------------------------------------------------------------------


def test_the_library_of_statistics_is_loaded_only_for_an_examination() -> None:
    code = "import sys, auditor.cli; print(*sorted({'scipy', 'auditor.fairness.counting'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == ""
