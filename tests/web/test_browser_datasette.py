"""Datasette's own pages under our policy: their scripts run, and nothing is held back that they need."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from . import browser, pages


@pytest.mark.parametrize("path", pages.DATASETTES)
def test_a_page_keeps_to_its_policy(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("h1").first).to_be_visible()


def test_a_page_that_is_not_there_keeps_to_it_too(page: Page, watch: browser.Watch) -> None:
    watch.announce(404, 403)
    for path in ("/nowhere", "/audit/nowhere", "/audit/matches/999999", "/-/permissions"):
        page.goto(path)
        expect(page.locator("h1")).to_be_visible()


def test_a_faulty_query_is_answered_with_its_error(page: Page, watch: browser.Watch) -> None:
    watch.announce(400)
    page.goto("/audit/-/query?sql=select+x+from+nowhere")
    expect(page.locator("body")).to_contain_text("no such table: nowhere")


def test_the_menu_opens_and_closes(page: Page) -> None:
    page.goto("/audit/matches")
    menu = page.locator("details.nav-menu")
    menu.locator("summary").click()
    expect(menu.get_by_role("link", name="Builds")).to_be_visible()
    expect(menu.locator("summary")).to_have_attribute("aria-expanded", "true")
    page.locator("h1").click()
    expect(menu.get_by_role("link", name="Builds")).to_be_hidden()


def test_the_menu_leads_to_our_pages(page: Page) -> None:
    page.goto("/audit/matches")
    page.locator("details.nav-menu summary").click()
    page.locator("details.nav-menu").get_by_role("link", name="Builds").click()
    expect(page).to_have_url(re.compile(r"/-/auditor/builds$"))


def test_the_menu_of_a_column_sorts_by_it(page: Page) -> None:
    page.goto("/audit/matches")
    page.locator("th[data-column='match_id'] .dropdown-menu-icon").click()
    page.get_by_role("link", name="Sort descending").click()
    expect(page).to_have_url(re.compile("_sort_desc=match_id"))


def test_columns_are_chosen(page: Page) -> None:
    page.goto("/audit/matches")
    page.locator("th[data-column='match_id'] .dropdown-menu-icon").click()
    page.get_by_role("link", name="Choose columns").click()
    chooser = page.locator("column-chooser")
    chooser.get_by_text("players", exact=True).click()
    chooser.get_by_role("button", name="Apply").click()
    expect(page.locator("th[data-column='players']")).to_have_count(0)
    expect(page.locator("th[data-column='status']")).to_have_count(1)


def test_columns_are_chosen_on_a_phone_where_a_handler_stands_in_the_element(open_page: browser.Open) -> None:
    page = open_page(viewport=browser.PHONE)
    page.goto("/audit/matches")
    page.get_by_role("button", name="Choose columns").click()
    expect(page.locator("column-chooser").get_by_role("button", name="Apply")).to_be_visible()


def test_a_facet_narrows_the_rows_and_opens_again(page: Page) -> None:
    page.goto("/audit/matches")
    facet = page.locator("#facet-status")
    facet.get_by_role("link", name="misscored").click()
    expect(page).to_have_url(re.compile("status=misscored"))
    page.locator("#facet-status").get_by_role("link", name="✖").last.click()
    expect(page).not_to_have_url(re.compile("status=misscored"))


def test_a_filter_is_added(page: Page) -> None:
    page.goto("/audit/matches")
    page.locator("select[name='_filter_column']").last.select_option("status")
    page.locator("input[name='_filter_value']").last.fill("clean")
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("status__exact=clean|status=clean"))


def test_the_query_editor_is_there_and_runs_a_query(page: Page) -> None:
    page.goto("/audit/-/query?sql=select+1+as+one")
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text("select 1 as one")
    page.get_by_role("button", name="Format SQL").click()
    editor.press("Control+End")
    editor.press_sequentially(", 2 as two")
    page.get_by_role("button", name="Run SQL").click()
    expect(page.locator("th").get_by_text("two")).to_be_visible()


def test_a_page_is_jumped_to_by_its_name(page: Page) -> None:
    page.goto("/audit")
    page.locator("h1").press("/")
    page.keyboard.type("findings")
    expect(page.locator("navigation-search").get_by_text("findings").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/audit/\w*findings"))


def test_a_cell_leads_to_the_replay_at_its_event(page: Page) -> None:
    page.goto("/audit/findings?_sort=match&kind=illegal")
    page.locator("td.col-event a").first.click()
    expect(page).to_have_url(re.compile(r"/-/auditor/match/[0-9a-f]{64}#e\d+$"))
