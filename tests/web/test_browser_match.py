"""The page of a match in a browser: every step shows the table that the auditor has, by keys, buttons and addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from auditor import position
from auditor.audit import verdict_on
from auditor.games import GAMES
from auditor.position import Position
from auditor.verdict import Finding, Verdict

from . import browser, pages

REVOKE = pages.MATCHES[0]

#: What is on the table, as codes: the hands that are open, how many cards are not, the trick, stones, melds, totals.
_SHOWN = """() => {
  const code = (card) => {
    if (card.classList.contains("unseen")) return "??";
    const suit = [...card.classList].find((name) => /^suit-[CDHS]$/.test(name))?.slice(5) ?? "";
    const rank = card.querySelector(".index b").textContent;
    const plain = suit ? (rank === "10" ? "T" : rank) + suit : "";
    return card.classList.contains("joker") ? (plain ? `JK:${plain}` : "JK") : plain;
  };
  const table = document.querySelector('[data-role="table"]');
  const seats = [...table.querySelectorAll(":scope > section")];
  const codes = (selector, root = table) => [...root.querySelectorAll(selector)].map(code);
  const stones = [...table.querySelectorAll(".board .stone:not(.coming) text")].map((sign) => sign.textContent);
  return {
    step: Number(document.querySelector('[data-role="slider"]').value),
    hands: seats.map((seat) => codes(".hand li:not(.down) .playing-card", seat)),
    backs: seats.map((seat) => seat.querySelectorAll(".hand li.down").length),
    legal: codes(".hand li.legal .playing-card"),
    moved: codes(".hand li.moved .playing-card"),
    trick: codes(".trick li:not(.coming) .playing-card"),
    coming: codes(".trick li.coming .playing-card"),
    melds: [...table.querySelectorAll(".melds .meld")].map((meld) => codes(".playing-card", meld)),
    stones: stones.sort(),
    totals: [...document.querySelectorAll('[data-role="scores"] .total bdi')].map((total) => total.textContent),
  };
}"""


class Match:
    """A match of the fixtures: what the page of it should show."""

    def __init__(self, fixture: str) -> None:
        log = pages.log_of(fixture)
        self.fixture = fixture
        self.match = log.match
        self.game = GAMES[log.match.ruleset]
        self.verdict: Verdict = verdict_on(log)
        self.count = len(log.match.events)

    def at(self, step: int) -> Position:
        return position.before(self.game, self.match, step)

    def message(self, finding: Finding, language: str = "en") -> str:
        return finding.message(self.match.ruleset, "ar" if language == "ar" else "en")


def go(page: Page, fixture: str, event: int | None = None, language: str = "en") -> Match:
    address = pages.match_at(fixture)
    page.goto(f"{address}?lang={language}" + ("" if event is None else f"#e{event}"))
    expect(page.locator("#replay")).to_be_visible()
    return Match(fixture)


def slider(page: Page) -> Any:
    return page.locator('[data-role="slider"]')


def expect_step(page: Page, step: int) -> None:
    expect(slider(page)).to_have_value(str(step))
    expect(page.locator('[data-role="caption"]')).to_contain_text(re.compile(rf"\b{step}\b"))


def expect_table(page: Page, match: Match, step: int) -> None:
    """Every card, stone and total on the page is where the auditor has it."""
    expect_step(page, step)
    table, shown = match.at(step), page.evaluate(_SHOWN)
    assert [sorted(hand) for hand in shown["hands"]] == [sorted(hand) for hand in table.hands], step
    assert shown["backs"] == list(table.unseen), step
    assert shown["trick"] == [laid.card for laid in table.trick], step
    assert shown["melds"] == [list(meld.cards) for meld in table.melds], step
    assert shown["stones"] == sorted(str(seat) for seat, points in enumerate(table.stones) for _ in points), step
    assert [int(total.replace("−", "-")) for total in shown["totals"]] == list(table.totals), step


# --- Stepping -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fixture", pages.MATCHES)
def test_arrow_keys_lead_from_the_start_to_the_end(page: Page, fixture: str) -> None:
    match = go(page, fixture, 0)
    expect_table(page, match, 0)
    for step in range(1, match.count + 1):
        page.keyboard.press("ArrowRight")
        if step % 5 == 0 or step > match.count - 3:
            expect_table(page, match, step)
    page.keyboard.press("ArrowRight")
    expect_table(page, match, match.count)
    page.keyboard.press("ArrowLeft")
    expect_table(page, match, match.count - 1)
    page.keyboard.press("Home")
    expect_table(page, match, 0)
    page.keyboard.press("ArrowLeft")
    expect_table(page, match, 0)
    page.keyboard.press("End")
    expect_table(page, match, match.count)


@pytest.mark.parametrize("fixture", pages.MATCHES)
def test_buttons_lead_from_the_start_to_the_end(page: Page, fixture: str) -> None:
    match = go(page, fixture, 0)
    forward, back = page.locator('[data-command="step-on"]'), page.locator('[data-command="step-back"]')
    expect(back).to_have_attribute("aria-disabled", "true")
    forward.click()
    expect_table(page, match, 1)
    expect(back).to_have_attribute("aria-disabled", "false")
    forward.evaluate("(button, count) => { for (let step = 2; step < count; step += 1) button.click() }", match.count)
    expect_table(page, match, match.count - 1)
    forward.click()
    expect_table(page, match, match.count)
    expect(forward).to_have_attribute("aria-disabled", "true")
    back.click()
    expect_table(page, match, match.count - 1)


def test_the_slider_leads_to_every_event(page: Page) -> None:
    match = go(page, REVOKE, 0)
    for step in (57, 3, match.count):
        slider(page).fill(str(step))
        expect_table(page, match, step)
    slider(page).focus()
    page.keyboard.press("ArrowLeft")
    expect_table(page, match, match.count - 1)


def test_in_arabic_the_other_arrow_leads_on(page: Page) -> None:
    match = go(page, REVOKE, 10, "ar")
    page.keyboard.press("ArrowLeft")
    expect_table(page, match, 11)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect_table(page, match, 9)


def test_each_step_is_announced(page: Page) -> None:
    go(page, REVOKE, 21)
    caption = page.locator('[data-role="caption"]')
    expect(caption).to_have_attribute("aria-live", "polite")
    page.keyboard.press("ArrowRight")
    expect(caption).to_contain_text("Event 22")
    expect(caption).to_contain_text("2♠")
    expect(caption).to_contain_text("play.follow-suit")
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(r"Event 22.*2♠"))


@pytest.mark.parametrize("name", ["belote-contree/clean-to-2000", "rami-tounsi/clean-opening-71"])
def test_a_long_match_is_fetched_as_it_is_needed(page: Page, name: str) -> None:
    match = go(page, name, 0)
    page.keyboard.press("End")
    expect_table(page, match, match.count)
    middle = match.count // 2
    slider(page).fill(str(middle))
    expect_table(page, match, middle)
    for step in range(middle + 1, middle + 8):
        page.keyboard.press("ArrowRight")
        expect_table(page, match, step)


def test_tables_that_cannot_be_fetched_are_asked_for_again(page: Page, watch: browser.Watch) -> None:
    watch.announce(503)
    page.route("**/tables.json*", lambda route: route.fulfill(status=503))
    match = go(page, "belote-contree/clean-to-2000", 0)
    page.keyboard.press("End")
    failure = page.locator('[data-role="failure"]')
    expect(failure).to_be_visible()
    page.unroute("**/tables.json*")
    failure.get_by_role("button").click()
    expect_table(page, match, match.count)
    expect(failure).to_be_hidden()


# --- Addresses ------------------------------------------------------------------------------------------------------


def test_an_address_leads_to_its_event(page: Page) -> None:
    match = go(page, REVOKE, 22)
    expect_table(page, match, 22)
    page.evaluate("location.hash = '#e100'")
    expect_table(page, match, 100)
    page.go_back()
    expect_table(page, match, 22)


@pytest.mark.parametrize("fragment", ["#e999999", "#e", "#e-1", "#e1x", "#<img src=x>", "#finding-99"])
def test_an_address_of_no_event_shows_the_match_all_the_same(page: Page, fragment: str) -> None:
    page.goto(pages.match_at(REVOKE) + fragment)
    expect_step(page, Match(REVOKE).count if fragment == "#e999999" else 22)


def test_the_address_follows_the_step(page: Page) -> None:
    go(page, REVOKE, 22)
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("#e23$"))


def test_a_match_opens_at_its_first_fault(page: Page) -> None:
    match = go(page, REVOKE)
    expect_table(page, match, 22)


def test_the_link_of_an_event_is_copied(open_page: browser.Open) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    go(page, REVOKE, 30)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator('[data-role="copied"]')).to_contain_text("#e30")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"{pages.match_at(REVOKE)}?lang=en#e30")


def test_the_number_of_a_match_leads_to_its_digest(page: Page) -> None:
    page.goto("/-/auditor/match/1#e5")
    expect(page).to_have_url(re.compile(r"/match/[0-9a-f]{64}#e5$"))
    expect_step(page, 5)


# --- Findings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("fixture", pages.MATCHES)
def test_jumps_lead_from_finding_to_finding_and_tell_each(page: Page, fixture: str, language: str) -> None:
    match = go(page, fixture, 0, language)
    found = [finding for finding in match.verdict.findings if finding.event is not None]
    panel = page.locator('[data-role="at-event"]')
    for event in sorted({finding.event for finding in found if finding.event is not None}):
        page.keyboard.press("n")
        expect_step(page, event)
        for finding in found:
            if finding.event == event:
                expect(panel).to_contain_text(_plain(match.message(finding, language)))
                expect(panel.locator("code", has_text=finding.clause).first).to_be_visible()
                if finding.kind == "illegal":
                    _expect_lit(page, match, event, finding.legal)
    page.keyboard.press("n")
    expect_step(page, max(finding.event for finding in found if finding.event is not None))


def _plain(sentence: str) -> re.Pattern[str]:
    """A sentence whatever the page does to keep each part in its direction."""
    words = re.sub("[\u2066-\u2069]", " ", sentence).split()
    return re.compile(r"[\s\u2066-\u2069]*".join(map(re.escape, words)))


def _expect_lit(page: Page, match: Match, event: int, legal: Sequence[str] | None) -> None:
    """Of what is legal, the cards in the hand of the seat are lit, and the ways on a board; no others are."""
    shown, table = page.evaluate(_SHOWN), match.at(event)
    held = {card for hand in table.hands for card in hand}
    assert set(shown["legal"]) == held & {*(legal or ())}
    if table.board:
        ways = [code for code in legal or () if "-" in code]
        expect(page.locator(".board .way.legal")).to_have_count(len(ways))


def test_the_finding_buttons_go_there_and_back(page: Page) -> None:
    go(page, REVOKE, 0)
    page.locator('[data-command="finding-on"]').click()
    expect_step(page, 22)
    page.locator('[data-command="finding-on"]').click()
    expect_step(page, 28)
    page.locator('[data-command="finding-back"]').click()
    expect_step(page, 22)
    page.keyboard.press("p")
    expect_step(page, 22)


def test_a_finding_names_the_clause_with_its_source_and_what_follows(page: Page) -> None:
    go(page, REVOKE, 22)
    panel = page.locator('[data-role="at-event"]')
    expect(panel).to_contain_text("Who holds a card of the suit led plays one.")
    expect(panel).to_contain_text("Iram Cards")
    expect(panel.locator(".legal")).to_contain_text(re.compile(r"8.*J", re.DOTALL))
    expect(panel).to_contain_text("it stands")
    panel.locator("a.clause").click()
    expect(page).to_have_url(re.compile(r"/-/auditor/rules/tarneeb-classic#play\.follow-suit$"))


def test_marks_on_the_timeline_lead_to_the_findings(page: Page) -> None:
    go(page, REVOKE, 0)
    page.locator('[data-role="marks"] a[href="#e22"]').click()
    expect_step(page, 22)


def test_findings_below_the_table_lead_up_to_it(page: Page) -> None:
    go(page, REVOKE, 0)
    page.locator("#finding-1").get_by_role("link", name="event 28", exact=False).click()
    expect_step(page, 28)
    expect(page.locator('[data-role="table"]')).to_be_in_viewport()


# --- Deals, tricks, playing -----------------------------------------------------------------------------------------


def test_jumps_lead_from_trick_to_trick(page: Page) -> None:
    match = go(page, "tarneeb-classic/clean-to-31", 0)
    for trick in range(1, 14):
        page.keyboard.press("]")
        expect_step(page, position.start_of(GAMES[match.match.ruleset], match.match, match.verdict, 1, trick))
    page.locator('[data-command="trick-on"]').click()
    expect_step(page, position.start_of(GAMES[match.match.ruleset], match.match, match.verdict, 2, 1))
    page.keyboard.press("[")
    expect_table(page, match, position.start_of(GAMES[match.match.ruleset], match.match, match.verdict, 1, 13))


def test_jumps_lead_from_deal_to_deal(page: Page) -> None:
    match = go(page, "tarneeb-classic/clean-to-31", 0)
    seen = []
    for deal in match.verdict.deals:
        page.keyboard.press("PageDown")
        step = int(slider(page).input_value())
        assert deal.events[0] <= step <= deal.events[0] + 1
        expect_table(page, match, step)
        seen.append(step)
    page.keyboard.press("PageUp")
    expect_step(page, seen[-2])
    page.locator('[data-command="deal-back"]').click()
    expect_step(page, seen[-3])


def test_the_ledger_leads_to_the_deals(page: Page) -> None:
    match = go(page, "tarneeb-classic/fault-wrong-points", 0)
    ledger = page.locator("table.ledger")
    [wrong] = [deal for deal in match.verdict.deals if deal.claimed_points not in (None, deal.points)]
    row = ledger.locator("tr.wrong")
    expect(row).to_have_count(1)
    expect(row.locator("td.differs")).not_to_have_count(0)
    row.get_by_role("link").click()
    step = int(slider(page).input_value())
    assert wrong.events[0] <= step <= wrong.events[0] + 1
    expect(row).to_have_class(re.compile("here"))


def test_playing_goes_on_until_the_fault_or_until_it_is_stopped(page: Page) -> None:
    page.clock.install()
    go(page, REVOKE, 10)
    button = page.locator('[data-command="play"]')
    expect(button).to_have_accessible_name("Play")
    page.keyboard.press(" ")
    expect(button).to_have_accessible_name("Pause")
    page.clock.run_for(3000)
    page.keyboard.press(" ")
    expect(button).to_have_accessible_name("Play")
    stopped = int(slider(page).input_value())
    assert 10 < stopped < 20
    page.clock.run_for(5000)
    expect_step(page, stopped)
    button.click()
    for _ in range(15):
        page.clock.run_for(1000)
    expect(button).to_have_accessible_name("Play")
    expect_step(page, 22)


# --- How one looks --------------------------------------------------------------------------------------------------


def test_seen_from_one_seat_the_other_hands_are_covered(page: Page) -> None:
    match = go(page, REVOKE, 10)
    page.get_by_role("button", name="All hands open").click()
    for seat in (0, 2):
        page.get_by_label("Seen from").select_option(str(seat))
        shown, table = page.evaluate(_SHOWN), match.at(10)
        assert [sorted(hand) for hand in shown["hands"]] == [
            sorted(hand) if owner == seat else [] for owner, hand in enumerate(table.hands)
        ]
        assert shown["backs"] == [0 if owner == seat else len(hand) for owner, hand in enumerate(table.hands)]
        hidden = {card for owner, hand in enumerate(table.hands) if owner != seat for card in hand}
        assert not hidden & {*shown["trick"]}
    page.keyboard.press("o")
    expect_table(page, match, 10)


def test_a_log_of_one_seat_shows_that_hand_and_backs(page: Page) -> None:
    match = go(page, "tarneeb-masrawi/one-seat-broken-off", 1)
    assert any(match.at(1).unseen)
    expect_table(page, match, 1)


def test_four_colours_tell_the_suits_apart(page: Page) -> None:
    go(page, REVOKE, 5)

    def colours() -> set[str]:
        suits = [f".hand .suit-{suit} .index" for suit in "CDHS"]
        return {page.locator(suit).first.evaluate("(card) => getComputedStyle(card).color") for suit in suits}

    assert len(colours()) == 2
    page.keyboard.press("4")
    assert len(colours()) == 4
    page.reload()
    assert len(colours()) == 4
    page.get_by_role("button", name="Four colours").click()
    assert len(colours()) == 2


def test_what_is_legal_is_shown_on_request(page: Page) -> None:
    match = go(page, REVOKE, 12)
    assert page.evaluate(_SHOWN)["legal"] == []
    page.get_by_role("button", name="Show what is legal").click()
    legal = match.at(12).legal
    assert legal
    assert sorted(page.evaluate(_SHOWN)["legal"]) == sorted(legal)


def test_the_keys_are_told_and_the_window_of_them_closes(page: Page) -> None:
    go(page, REVOKE, 5)
    page.keyboard.press("?")
    window = page.get_by_role("dialog")
    expect(window).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(window).to_be_hidden()
    expect_step(page, 5)


def test_keys_belong_to_the_field_that_has_the_focus(page: Page) -> None:
    go(page, REVOKE, 5)
    page.get_by_label("Speed").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("n")
    expect_step(page, 5)


@pytest.mark.parametrize("fixture", pages.MATCHES)
@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_table_fits_a_phone(open_page: browser.Open, fixture: str, language: str) -> None:
    page = open_page(viewport=browser.PHONE, is_mobile=True, has_touch=True)
    match = go(page, fixture, language=language)
    for step in (1, pages.first_fault(fixture), match.count):
        slider(page).fill(str(step))
        expect_step(page, step)
        assert browser.overflow(page) == 0
        outside = page.evaluate(
            """() => [...document.querySelectorAll('[data-role="table"] .playing-card, [data-role="table"] .plate')]
              .map((part) => part.getBoundingClientRect())
              .filter((box) => box.width > 0 && (box.left < -1 || box.right > innerWidth + 1)).length"""
        )
        assert outside == 0, step


def test_paper_shows_the_table_and_what_was_found(page: Page) -> None:
    go(page, REVOKE, 22)
    page.get_by_role("button", name="All hands open").click()
    page.emulate_media(media="print")
    for part in ('[data-role="table"]', '[data-role="caption"]', "table.ledger", "#finding-0", ".evidence"):
        expect(page.locator(part)).to_be_visible()
    for part in (".controls", ".acts", "header.site nav"):
        expect(page.locator(part).first).to_be_hidden()
    expect(page.locator('[data-role="permalink"]')).to_contain_text("#e22")
    assert len(page.evaluate(_SHOWN)["hands"][0]) > 0
    assert browser.overflow(page) <= 0


def test_without_scripts_the_findings_and_the_ledger_are_there(open_page: browser.Open) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(pages.match_at(REVOKE))
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("#finding-0 .message")).to_have_text("Seat 2 plays 2♠ while it can follow suit in diamonds.")
    expect(page.locator("table.ledger")).to_be_visible()
    expect(page.locator("#replay")).to_be_hidden()
