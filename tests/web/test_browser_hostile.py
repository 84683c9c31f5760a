"""Logs that were written to do harm, on every page: they are text, all of it can be seen, and nothing runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from auditor.rulebook import LANGUAGES

from . import archives, browser, serving

TABLES = ("matches", "results", "seats", "players", "producers", "findings", "unreadable", "deals", "claims", "runs")
#: Signs of those texts that turn a line round, or cannot be seen. Our own sentences hold the isolates of Arabic.
UNSEEN = "\u202e\u0007"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archives.of_hostile_logs(tmp_path_factory.mktemp("hostile") / "audit.db")


@pytest.fixture(scope="module")
def origin(hostile: Path) -> Iterator[str]:
    with serving.serving(hostile, {"auditor-store": True}) as url:
        yield url


@pytest.fixture
def watch(origin: str, chromium: Browser) -> Iterator[browser.Watch]:
    yield from browser.watching(origin)


@pytest.fixture
def open_page(watch: browser.Watch, chromium: Browser) -> browser.Open:
    return partial(watch.open, chromium)


def expect_harmless(page: Page) -> None:
    """Beside what the watch sees: no element came of a text."""
    for stray in (
        "img[src='x']",
        "[onerror]",
        "[onload]",
        "[onmouseover]",
        "b:text-is('d1')",
        "a[href^='javascript:']",
    ):
        expect(page.locator(stray)).to_have_count(0)


def expect_ours(page: Page) -> None:
    expect_harmless(page)
    text = page.locator("body").inner_text()
    assert not {*UNSEEN} & {*text}
    assert browser.overflow(page) <= 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewport", [browser.DESKTOP, browser.PHONE])
def test_our_pages_show_them_as_text(open_page: browser.Open, viewport: tuple[int, int], language: str) -> None:
    page = open_page(viewport=viewport)
    for path in ("/", "/-/auditor/builds", "/-/auditor/players", "/-/auditor/runs", "/-/auditor/rules/tarneeb-classic"):
        page.goto(f"{path}?lang={language}")
        expect_ours(page)
        if path in ("/", "/-/auditor/players"):
            expect(page.locator("body")).to_contain_text("</script><script>alert(4)</script>")


def test_the_page_of_each_player_shows_him(page: Page) -> None:
    for number in range(1, len(archives.HOSTILE) + 1):
        page.goto(f"/-/auditor/players/{number}")
        expect(page.locator("h1")).to_be_visible()
        expect_ours(page)


@pytest.mark.parametrize("number", range(1, len(archives.HOSTILE) + 1))
def test_a_match_shows_them_at_every_step(page: Page, number: int) -> None:
    page.goto(f"/-/auditor/match/{number}")
    expect(page.locator("#replay")).to_be_visible()
    for key in ("Home", "PageDown", "n", "n", "End", "ArrowLeft"):
        page.keyboard.press(key)
        expect_ours(page)
    shown = archives.HOSTILE[number - 1]
    if shown.isprintable() and len(shown) < 80:
        expect(page.locator("h1")).to_have_text(shown)


@pytest.mark.parametrize("path", ["/", "/-/auditor/players"])
def test_whatever_is_searched_for_stays_text(page: Page, path: str) -> None:
    page.goto(path)
    for text in archives.HOSTILE:
        page.get_by_role("searchbox").fill(text[:100])
        with page.expect_navigation():
            page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Found for")).to_be_visible()
        expect_ours(page)


def test_datasettes_pages_show_them_as_text(page: Page) -> None:
    for table in TABLES:
        page.goto(f"/audit/{table}?_size=max")
        expect(page.locator("h1")).to_be_visible()
        expect_harmless(page)
    for row in ("matches/1", "players/1", "producers/1", "unreadable/1", "findings/1,1,0"):
        page.goto(f"/audit/{row}")
        expect_harmless(page)


def test_a_hostile_log_is_sent_and_listed(page: Page, tmp_path: Path, watch: browser.Watch) -> None:
    page.goto("/-/auditor/audit")
    path = tmp_path / '"><img src=x onerror=alert(7)>.ndjson'.replace("/", "")
    path.write_bytes(archives.hostile_lines())
    page.locator("#log").set_input_files(path)
    expect(page.locator("#chosen")).to_contain_text("<img src=x")
    page.locator("form.upload button").click()
    expect(page.locator("ol.verdicts > li")).to_have_count(len(archives.HOSTILE) + 1)
    expect(page.locator("ol.verdicts")).to_contain_text("</script><script>alert(4)</script>")
    expect_ours(page)
