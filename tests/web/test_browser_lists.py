"""The pages around the matches in a browser: the search and the drop zone of the first one, and where links lead."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from auditor.rulebook import LANGUAGES
from tests.golden import FIXTURES

from . import browser, pages


def drop(page: Page, zone: str, name: str, text: str) -> None:
    """Lets go of a file over a part of the page."""
    held = page.evaluate_handle(
        """([name, text]) => {
          const held = new DataTransfer();
          held.items.add(new File([text], name, {type: "application/json"}));
          return held;
        }""",
        [name, text],
    )
    for kind in ("dragover", "drop"):
        page.dispatch_event(zone, kind, {"dataTransfer": held})


# --- The first page -------------------------------------------------------------------------------------------------


def test_a_match_is_found_by_its_id(page: Page) -> None:
    page.goto("/")
    page.get_by_role("searchbox").fill("fault-revoke")
    page.keyboard.press("Enter")
    expect(page.get_by_role("searchbox")).to_have_value("fault-revoke")
    page.locator(".found").get_by_role("link", name="fault-revoke", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"/-/auditor/match/[0-9a-f]{64}"))
    expect(page.locator("h1")).to_have_text("fault-revoke")


def test_a_player_is_found_by_name_in_arabic(page: Page) -> None:
    page.goto("/?lang=ar")
    page.get_by_role("searchbox").fill("أمل")
    page.keyboard.press("Enter")
    page.locator(".found").get_by_role("link", name="أمل", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"/-/auditor/players/\d+"))
    expect(page.locator("h1")).to_have_text("أمل")
    expect(page.locator("html")).to_have_attribute("lang", "ar")


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"', "'", "*", "nobody AND", "x" * 300, "\u202e", "a/b%2F"]
)
def test_whatever_is_searched_for_is_answered(page: Page, text: str) -> None:
    page.goto("/")
    page.get_by_role("searchbox").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".found")).to_be_visible()
    assert "\u202e" not in page.locator("body").inner_text()


def test_charts_say_in_words_what_they_draw(page: Page) -> None:
    page.goto("/")
    for chart in page.locator(".card").all():
        expect(chart.get_by_role("heading")).to_be_visible()
        for drawing in chart.locator("svg").all():
            expect(drawing).to_have_attribute("aria-hidden", "true")
    page.locator(".card details summary").first.click()
    expect(page.locator(".card details table").first).to_be_visible()


def test_a_count_leads_to_the_rows_that_it_counts(page: Page) -> None:
    page.goto("/")
    row = page.locator("table.bars").first.locator("tbody tr").filter(has_text="misscored")
    count = row.locator("td.number").first.inner_text()
    row.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/audit/matches.*status=misscored"))
    expect(page.locator("h3", has_text="rows").first).to_contain_text(f"{count} rows")


def test_a_log_dropped_on_the_first_page_is_audited(page: Page) -> None:
    page.goto("/")
    drop(page, "form.drop", "mine.json", (FIXTURES / f"{pages.MATCHES[0]}.json").read_text(encoding="utf-8"))
    expect(page.locator("form.drop .chosen")).to_contain_text("mine.json")
    expect(page.locator("form.drop button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("fault-revoke")
    expect(page.locator('[data-role="slider"]')).to_have_value("22")


# --- The others -----------------------------------------------------------------------------------------------------


def test_a_clause_of_the_rulebook_has_an_anchor_and_its_findings(page: Page) -> None:
    page.goto("/-/auditor/rules/tarneeb-classic#play.follow-suit")
    clause = page.locator("[id='play.follow-suit']")
    expect(clause).to_be_in_viewport()
    expect(clause).to_contain_text("Who holds a card of the suit led plays one.")
    page.goto("/-/auditor/rules/tarneeb-classic?lang=ar#play.follow-suit")
    expect(clause).to_be_in_viewport()
    expect(clause).to_contain_text(re.compile("[\u0600-\u06ff]{3}"))


@pytest.fixture(scope="module")
def answered() -> set[str]:
    """Addresses that are known to be answered, so that none is asked twice."""
    return set()


@pytest.mark.parametrize("path", pages.OURS)
def test_every_link_of_a_page_leads_somewhere(page: Page, path: str, answered: set[str]) -> None:
    for language in LANGUAGES:
        page.goto(f"{path}?lang={language}")
        found = page.eval_on_selector_all(
            "a[href]", "(links) => links.map((link) => new URL(link.getAttribute('href'), location).href)"
        )
        addresses = {address.partition("#")[0] for address in found}
        assert addresses
        for address in sorted(addresses - answered):
            assert page.request.get(address).status == 200, address
        answered |= addresses


@pytest.mark.parametrize("path", pages.OURS)
def test_an_address_inside_a_page_is_there(page: Page, path: str) -> None:
    page.goto(path)
    missing = page.eval_on_selector_all(
        "a[href^='#']",
        """(links) => links.map((link) => decodeURIComponent(link.hash.slice(1)))
          .filter((id) => !/^e\\d+$/.test(id) && document.getElementById(id) === null)""",
    )
    assert missing == []


def test_the_table_scrolls_where_it_is_too_wide_and_a_keyboard_can_do_that(open_page: browser.Open) -> None:
    page = open_page(viewport=browser.PHONE)
    for path in pages.OURS:
        page.goto(path)
        stuck = page.eval_on_selector_all(
            ".scroll",
            """(frames) => frames.filter((frame) => frame.scrollWidth > frame.clientWidth + 1)
              .filter((frame) => frame.tabIndex < 0 && frame.querySelector("a, button, input") === null)
              .map((frame) => frame.outerHTML.slice(0, 100))""",
        )
        assert stuck == [], path
