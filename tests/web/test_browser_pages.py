"""What holds on every page of ours in either language: it fits, it prints, a keyboard suffices, axe is content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from auditor.rulebook import LANGUAGES

from . import browser, pages

AXE = Axe()


def in_language(path: str, language: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}lang={language}"


@pytest.mark.parametrize("path", pages.OURS)
def test_a_page_is_no_wider_than_a_phone(open_page: browser.Open, path: str) -> None:
    page = open_page(viewport=browser.PHONE, is_mobile=True, has_touch=True)
    for language in LANGUAGES:
        page.goto(in_language(path, language))
        assert page.evaluate("window.innerWidth") == browser.PHONE[0]
        assert browser.overflow(page) == 0, language


@pytest.mark.parametrize("path", pages.OURS)
def test_a_page_is_written_in_the_direction_of_its_language(page: Page, path: str) -> None:
    for language, direction in (("en", "ltr"), ("ar", "rtl")):
        page.goto(in_language(path, language))
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("html")).to_have_attribute("dir", direction)
        expect(page.locator("h1")).to_have_css("text-align", "start")
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).direction") == direction


@pytest.mark.parametrize("path", pages.OURS)
@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("ar", "dark")])
def test_axe_has_no_complaint(open_page: browser.Open, path: str, language: str, scheme: str) -> None:
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    page.goto(in_language(path, language))
    assert list(_complaints(page)) == []


def _complaints(page: Page) -> Iterator[str]:
    found: dict[str, Any] = AXE.run(page, options={"resultTypes": ["violations"]}).response
    for violation in found["violations"]:
        for node in violation["nodes"]:
            detail = " ".join(node["failureSummary"].split())
            yield f"{violation['impact']} {violation['id']}: {node['html'][:200]}: {detail[:300]}"


_FOCUSABLE = """() => {
  window.reachable = [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable]"
  )].filter((element) => element.tabIndex >= 0 && !element.disabled && element.type !== "hidden"
      && element.checkVisibility({visibilityProperty: true}) && element.getClientRects().length > 0);
  return window.reachable.map((element) => element.outerHTML.slice(0, 150));
}"""
_FOCUSED = """() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return {
    index: window.reachable.indexOf(element),
    html: element.outerHTML.slice(0, 150),
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    in_view: box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
  };
}"""


@pytest.mark.parametrize("path", pages.OURS)
def test_a_keyboard_reaches_everything_and_shows_where_it_is(page: Page, path: str) -> None:
    page.goto(in_language(path, "en"))
    left = dict(enumerate(page.evaluate(_FOCUSABLE)))
    for _ in range(len(left)):
        page.keyboard.press("Tab")
        focused = page.evaluate(_FOCUSED)
        assert focused["outline"] >= 2, focused["html"]
        assert focused["in_view"], focused["html"]
        left.pop(focused["index"], None)
    assert left == {}


@pytest.mark.parametrize("path", pages.OURS)
def test_the_first_key_leads_past_the_navigation(page: Page, path: str) -> None:
    page.goto(in_language(path, "ar"))
    page.keyboard.press("Tab")
    skip = page.locator("a.skip")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


@pytest.mark.parametrize("path", pages.OURS)
def test_paper_shows_the_page_and_not_its_navigation(page: Page, path: str) -> None:
    page.goto(in_language(path, "en"))
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("header.site nav").first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("path", pages.OURS)
def test_nothing_moves_for_whoever_asks_for_that(open_page: browser.Open, path: str) -> None:
    page = open_page(reduced_motion="reduce")
    page.goto(in_language(path, "en"))
    moving = page.evaluate("document.getAnimations().map((each) => each.animationName ?? each.transitionProperty)")
    assert moving == []


#: Of each number with a sign that can be seen: the text around it, and whether its sign is on the left.
_SIGNS = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode;
    for (const match of text.data.matchAll(/−\\d/g)) {
      const [sign, digit] = [0, 1].map((at) => {
        const range = document.createRange();
        range.setStart(text, match.index + at);
        range.setEnd(text, match.index + at + 1);
        return range.getBoundingClientRect();
      });
      if (sign.width > 0) found.push([text.data.trim().slice(0, 100), sign.left < digit.left]);
    }
  }
  return found;
}"""


@pytest.mark.parametrize(
    "fixture",
    ["twenty-nine/clean-to-minus-6", "tarneeb-masrawi/fault-wrong-total", "tarneeb-masrawi-dakak/doubled-both"],
)
def test_numbers_keep_their_sign_on_the_left_in_arabic(page: Page, fixture: str) -> None:
    page.goto(in_language(pages.match_at(fixture), "ar"))
    page.keyboard.press("End")
    expect(page.locator('[data-role="scores"]')).to_be_visible()
    signs = page.evaluate(_SIGNS)
    assert signs
    assert [text for text, is_on_the_left in signs if not is_on_the_left] == []


# --- The language ---------------------------------------------------------------------------------------------------


def test_the_language_is_kept_once_it_is_chosen(page: Page) -> None:
    page.goto(pages.OURS[-1])
    html = page.locator("html")
    expect(html).to_have_attribute("lang", "en")
    page.get_by_role("link", name="العربية").click()
    expect(html).to_have_attribute("lang", "ar")
    page.goto(pages.OURS[-1])
    expect(html).to_have_attribute("lang", "ar")
    page.get_by_role("link", name="English").click()
    expect(html).to_have_attribute("lang", "en")
    page.goto(pages.OURS[-1])
    expect(html).to_have_attribute("lang", "en")


def test_a_browser_in_arabic_is_answered_in_arabic(open_page: browser.Open) -> None:
    page = open_page(locale="ar-TN")
    page.goto(pages.OURS[-1])
    expect(page.locator("html")).to_have_attribute("lang", "ar")
