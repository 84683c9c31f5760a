"""Sending a log from a browser: by its field, by dropping it, as text; looked at only, or stored."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.golden import FIXTURES

from . import archives, browser, pages
from .test_browser_lists import drop

ADDRESS = "/-/auditor/audit"
REVOKE = FIXTURES / f"{pages.MATCHES[0]}.json"


def send(page: Page) -> None:
    page.locator("form.upload button").click()


def written(path: Path, *matches: object) -> Path:
    path.write_text("".join(json.dumps(match) + "\n" for match in matches), encoding="utf-8")
    return path


def test_one_match_is_shown_with_its_replay_and_not_stored(page: Page) -> None:
    page.goto(ADDRESS)
    page.get_by_label("A file").set_input_files(REVOKE)
    expect(page.locator("#chosen")).to_contain_text("fault-revoke.json")
    send(page)
    expect(page.locator("h1")).to_have_text("fault-revoke")
    expect(page.locator('[data-role="slider"]')).to_have_value("22")
    expect(page.locator(".notice").first).to_contain_text("nothing of it is stored")
    page.keyboard.press("End")
    expect(page.locator('[data-role="slider"]')).to_have_value("144")


def test_a_file_is_dropped(page: Page) -> None:
    page.goto(f"{ADDRESS}?lang=ar")
    drop(page, ".drop", "dropped.json", REVOKE.read_text(encoding="utf-8"))
    expect(page.locator("#chosen")).to_contain_text("dropped.json")
    send(page)
    expect(page.locator("h1")).to_have_text("fault-revoke")
    expect(page.locator("html")).to_have_attribute("lang", "ar")


def test_text_is_pasted_and_sent_by_keyboard_alone(page: Page) -> None:
    page.goto(ADDRESS)
    page.get_by_label("Or the text of a log").fill(REVOKE.read_text(encoding="utf-8"))
    page.keyboard.press("Tab")
    expect(page.get_by_label("Keep the log")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("form.upload button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("fault-revoke")


def test_a_match_is_stored_on_request_and_found_again(page: Page, tmp_path: Path) -> None:
    match = {**archives.fixture(pages.MATCHES[0]), "match": "sent-by-a-browser"}
    page.goto(ADDRESS)
    page.get_by_label("A file").set_input_files(written(tmp_path / "one.json", match))
    page.get_by_label("Keep the log").check()
    send(page)
    expect(page).to_have_url(re.compile(r"/-/auditor/match/[0-9a-f]{64}"))
    expect(page.locator("h1")).to_have_text("sent-by-a-browser")
    page.goto("/?q=sent-by-a-browser")
    expect(page.locator(".found").get_by_role("link", name="sent-by-a-browser")).to_be_visible()


def test_many_matches_are_listed_and_each_can_be_looked_at(page: Page, tmp_path: Path) -> None:
    names = pages.MATCHES[:3]
    page.goto(ADDRESS)
    page.get_by_label("A file").set_input_files(written(tmp_path / "many.ndjson", *map(archives.fixture, names)))
    send(page)
    expect(page.locator("ol.verdicts > li")).to_have_count(3)
    page.locator("ol.verdicts > li").nth(1).get_by_role("button").click()
    expect(page.locator('[data-role="slider"]')).to_have_value(str(pages.first_fault(names[1])))


def test_what_is_no_log_is_told_with_its_place(page: Page, watch: browser.Watch) -> None:
    watch.announce(400)
    page.goto(ADDRESS)
    page.get_by_label("Or the text of a log").fill('{"format": "match-log/1", "match": "<b>x</b>"}')
    send(page)
    expect(page.locator("ol.verdicts, .refusal").first).to_contain_text(re.compile("line 1, byte"))
    expect(page.locator("body")).to_contain_text("<b>x</b>")


def test_nothing_is_refused_as_nothing(page: Page, watch: browser.Watch) -> None:
    watch.announce(400)
    page.goto(ADDRESS)
    send(page)
    expect(page.get_by_role("alert")).to_contain_text("found nothing")


def test_a_page_of_another_site_cannot_send_a_log(page: Page, served: str) -> None:
    answer = page.request.post(
        ADDRESS,
        multipart={"text": REVOKE.read_text(encoding="utf-8"), "store": "1"},
        headers={"origin": "http://elsewhere.example", "sec-fetch-site": "cross-site", "accept": "text/html"},
    )
    assert answer.status == 403
