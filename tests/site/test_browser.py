"""A site in a browser: opened as a file, and handed out by a plain web server under another address than its root."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from auditor import position
from auditor.games import GAMES
from tests.web import browser, pages

REVOKE, STONES = pages.MATCHES[0], pages.MATCHES[-1]
#: Presses the button as often as that, and says after each time at which step the page is and what lies on its table.
_STEPS = """async (count) => {
  const [button, slider, table] = ['[data-command="step-on"]', '[data-role="slider"]', '[data-role="table"]']
    .map((selector) => document.querySelector(selector));
  const found = [];
  for (let step = 0; step < count; step += 1) {
    button.click();
    await new Promise((done) => setTimeout(done));
    found.push([Number(slider.value), table.innerHTML]);
  }
  return found;
}"""
ENDS = {".html": "The log ends here.", ".ar.html": "ينتهي السجل هنا."}


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def hosted(site: Path) -> Iterator[str]:
    """The address of the site on a plain web server, two folders below its root."""
    handler = partial(_Quiet, directory=str(site.parent.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/some/where"
        server.shutdown()
        thread.join()


@pytest.fixture(params=["file", "http"])
def address(request: pytest.FixtureRequest, site: Path, hosted: str) -> str:
    return site.as_uri() if request.param == "file" else hosted


@pytest.fixture
def watch(address: str) -> Iterator[browser.Watch]:
    """Fails the test for whatever a page must not do."""
    scheme, _, rest = address.partition("://")
    yield from browser.watching(f"{scheme}://{rest.partition('/')[0]}")


@pytest.fixture
def open_page(watch: browser.Watch, chromium: Browser, address: str) -> Callable[..., Page]:
    return partial(watch.open, chromium, base_url=address)


def file_of(fixture: str, ending: str = ".html") -> str:
    digest = pages.log_of(fixture).digest.removeprefix("sha256:")
    return f"match/{digest[:2]}/{digest}{ending}"


@pytest.mark.parametrize(("fixture", "ending"), [(REVOKE, ".html"), (STONES, ".ar.html")])
def test_a_match_is_stepped_through_to_its_end(
    open_page: Callable[..., Page], address: str, fixture: str, ending: str
) -> None:
    page, log = open_page(), pages.log_of(fixture)
    page.goto(f"{address}/{file_of(fixture, ending)}#e0")
    expect(page.locator('[data-role="slider"]')).to_have_value("0")
    count = len(log.match.events)
    steps = page.evaluate(_STEPS, count)
    assert [step for step, _ in steps] == list(range(1, count + 1))
    assert len({table for _, table in steps}) > count / 2
    expect(page.locator('[data-role="caption"]')).to_contain_text(ENDS[ending])
    last = position.before(GAMES[log.match.ruleset], log.match, count)
    totals = page.locator('[data-role="scores"] .total bdi').all_inner_texts()
    assert [int(text.replace("\u2212", "-")) for text in totals] == list(last.totals)


def test_a_deep_link_opens_at_its_event(open_page: Callable[..., Page], address: str) -> None:
    page, fault = open_page(), pages.first_fault(REVOKE)
    page.goto(f"{address}/{file_of(REVOKE)}#e{fault}")
    expect(page.locator('[data-role="slider"]')).to_have_value(str(fault))
    expect(page.locator('[data-role="at-event"]')).to_contain_text("play.follow-suit")
    page.locator('[data-command="help"]').click()
    page.locator("dialog button.main").click()
    expect(page.locator("dialog")).to_be_hidden()


def test_one_walks_from_the_first_page_to_a_clause(open_page: Callable[..., Page], address: str) -> None:
    page = open_page()
    page.goto(f"{address}/index.html")
    page.locator("nav.languages a[lang=ar]").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.locator('a[href="list/tarneeb-classic/illegal-1.ar.html"]').click()
    page.locator("table a", has_text="fault-revoke").first.click()
    expect(page.locator("#replay")).to_be_visible()
    page.locator(".finding a.clause").first.click()
    expect(page.locator("article.entry:target")).to_be_visible()
    page.locator("header a.home").click()
    expect(page.locator("h1")).to_have_text("The club <2026>")
    assert page.url == f"{address}/index.ar.html"


def test_the_filter_shows_the_rows_that_fit(open_page: Callable[..., Page], address: str) -> None:
    page = open_page()
    page.goto(f"{address}/list/tarneeb-classic/illegal-1.html")
    rows = page.locator('[data-role="filtered"] tbody tr')
    assert rows.count() > 2
    page.locator("#filter").fill("FAULT-REV")
    expect(rows.filter(visible=True)).to_have_count(1)
    page.locator("#filter").press("Enter")
    page.locator("#filter").fill("nobody at all")
    expect(rows.filter(visible=True)).to_have_count(0)
    expect(page.get_by_role("status")).to_have_text("No match on this page fits.")
    page.locator("#filter").fill("")
    expect(rows.filter(visible=True)).to_have_count(rows.count())


def test_lists_and_findings_are_there_without_scripts(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(f"{address}/list/tarneeb-classic/illegal-1.html")
    expect(page.locator("#filter")).to_be_hidden()
    page.locator("table a", has_text="fault-revoke").first.click()
    expect(page.locator("article.finding").first).to_be_visible()
    expect(page.locator("noscript .notice")).to_be_visible()


@pytest.mark.parametrize("address", ["file"], indirect=True)
@pytest.mark.parametrize("ending", ENDS)
@pytest.mark.parametrize("name", ["index", "list/tarneeb-classic/illegal-1", "rules/index", "rules/tarneeb-classic"])
def test_pages_fit_a_phone_and_axe_has_no_complaint(
    open_page: Callable[..., Page], address: str, name: str, ending: str
) -> None:
    page = open_page(viewport=browser.PHONE, is_mobile=True, color_scheme="dark", reduced_motion="reduce")
    page.goto(f"{address}/{name}{ending}")
    assert browser.overflow(page) == 0
    assert page.evaluate("window.innerWidth") == browser.PHONE[0]
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    assert [(violation["id"], violation["nodes"][0]["html"][:200]) for violation in found] == []
