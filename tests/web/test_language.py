"""The words of the pages: the language of an answer, plurals, numbers, dates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from datasette.utils.asgi import Request
from markupsafe import Markup

from auditor.web import language
from auditor.web.language import COOKIE, Speech, chosen

EN, AR = Speech("en"), Speech("ar")


def _request(query: str = "", accepted: str | None = None, cookie: str | None = None) -> Request:
    headers = {}
    if accepted is not None:
        headers["accept-language"] = accepted
    if cookie is not None:
        headers["cookie"] = f"{COOKIE}={cookie}"
    request = Request.fake(f"/-/auditor?{query}")
    request.scope["headers"] = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    return request


# --- Choosing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        (None, "en"),
        ("", "en"),
        ("ar", "ar"),
        ("AR", "ar"),
        ("ar-TN", "ar"),
        ("ar-EG-u-nu-latn", "ar"),
        ("fr", "en"),
        ("fr, ar", "ar"),
        ("fr;q=1.0, ar;q=0.2", "ar"),
        ("en, ar", "en"),
        ("ar, en", "ar"),
        ("en;q=0.3, ar;q=0.8", "ar"),
        ("ar;q=0.3, en;q=0.8", "en"),
        ("en;q=0.8,ar;q=0.8", "en"),
        ("ar;q=0, en;q=0.1", "en"),
        ("ar;q=0", "en"),
        ("*", "en"),
        ("*, ar;q=0.5", "ar"),
        (" ar ; q=0.9 , en ; q=0.1 ", "ar"),
        ("ar;q=none, en", "en"),
        ("arz", "en"),
        (";;;,,,=;q=", "en"),
        ("ar\xff", "en"),
    ],
)
def test_the_browser_is_asked_with_its_weights(accepted: str | None, expected: str) -> None:
    assert chosen(_request(accepted=accepted)) == expected


def test_the_address_counts_more_than_the_cookie_and_that_more_than_the_browser() -> None:
    assert chosen(_request("lang=ar", "en", "en")) == "ar"
    assert chosen(_request("", "en", "ar")) == "ar"
    assert chosen(_request("", "ar", "en")) == "en"


@pytest.mark.parametrize("wish", ["", "fr", "AR", "<script>", "ar "])
def test_a_language_that_is_not_spoken_here_is_passed_over(wish: str) -> None:
    assert chosen(_request(f"lang={wish}", "ar")) == "ar"
    assert chosen(_request("", "ar", "xx")) == "ar"


# --- Saying ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phrases of these tests in place of those of the pages."""
    categories = ("zero", "one", "two", "few", "many", "other")
    phrases: Mapping[str, Any] = {
        "page.matches": {
            "en": {"one": "{count} match", "other": "{count} matches"},
            "ar": {category: f"{category} {{count}}" for category in categories},
        },
        "page.sparse": {"en": {"other": "{count} things"}, "ar": {"other": "{count} أشياء"}},
        "page.hello": {"en": "Hello {name}, {points}", "ar": "أهلًا {name}، {points}"},
    }
    monkeypatch.setattr(language, "phrases", lambda: phrases)


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(
    ("count", "english", "category"),
    [
        (0, "matches", "zero"),
        (1, "match", "one"),
        (2, "matches", "two"),
        (3, "matches", "few"),
        (10, "matches", "few"),
        (11, "matches", "many"),
        (99, "matches", "many"),
        (100, "matches", "other"),
        (103, "matches", "few"),
        (111, "matches", "many"),
        (102, "matches", "other"),
    ],
)
def test_plurals(count: int, english: str, category: str) -> None:
    assert EN.say("page.matches", count=count) == f"{count} {english}"
    assert AR.say("page.matches", count=count) == f"{category} {count}"


@pytest.mark.usefixtures("made_up")
def test_a_plural_that_is_not_told_apart_is_the_other_one() -> None:
    assert EN.say("page.sparse", count=1) == "1 things"
    assert AR.say("page.sparse", count=2) == "2 أشياء"


@pytest.mark.usefixtures("made_up")
def test_numbers_in_a_phrase_have_their_thousands_apart_and_texts_stay() -> None:
    assert EN.say("page.hello", name="<b>", points=1234567) == "Hello <b>, 1,234,567"
    assert EN.say("page.matches", count=1234) == "1,234 matches"
    assert EN.say("page.hello", name="{points}", points=True) == "Hello {points}, True"


def test_a_phrase_that_is_not_there_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        EN.say("site.no-such-phrase")


# --- Numbers and dates ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speech", [EN, AR])
def test_numbers_are_written_in_the_digits_of_cards_and_bids(speech: Speech) -> None:
    assert speech.number(0) == "0"
    assert speech.number(1234567) == "1,234,567"
    assert speech.percent(0.4567) == "45.7%"
    assert speech.percent(1) == "100%"


@pytest.mark.parametrize("speech", [EN, AR])
@pytest.mark.parametrize(("points", "written"), [(-16, "−16"), (0, "0"), (9, "9")])
def test_points_keep_their_sign_on_the_left(speech: Speech, points: int, written: str) -> None:
    assert speech.signed(points) == Markup(f'<bdi dir="ltr">{written}</bdi>')


def test_dates_are_written_as_people_write_them() -> None:
    assert EN.day("2026-03-02") == "Mar 2, 2026"
    assert AR.day("2026-03-02") == "2 مارس 2026"


@pytest.mark.parametrize(
    ("text", "english", "arabic"),
    [
        ("2026-03-02T20:05:00Z", "Mar 2, 2026, 20:05 UTC", "2 مارس 2026، 20:05 UTC"),
        ("2026-03-02T20:05:00+00:00", "Mar 2, 2026, 20:05 UTC", "2 مارس 2026، 20:05 UTC"),
        ("2026-12-31T23:59:59.250+02:00", "Dec 31, 2026, 23:59 UTC+02:00", "31 ديسمبر 2026، 23:59 UTC+02:00"),
        ("2026-01-02T08:30:00-05:30", "Jan 2, 2026, 08:30 UTC-05:30", "2 يناير 2026، 08:30 UTC-05:30"),
        (None, "–", "–"),
    ],
)
def test_times_keep_the_offset_that_they_were_written_with(text: str | None, english: str, arabic: str) -> None:
    assert EN.moment(text) == english
    assert AR.moment(text) == arabic


# --- What comes from a log ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("سلمى", "<bdi>سلمى</bdi>"),
        ("<script>alert(1)</script>", "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>"),
        ('"><img src=x>', "<bdi>&#34;&gt;&lt;img src=x&gt;</bdi>"),
        ("a\u202eb\u2066c\u200fd", "<bdi>a\\u202eb\\u2066c\\u200fd</bdi>"),
        ("two\nlines\t", "<bdi>two\\u000alines\\u0009</bdi>"),
        ("{name} %s", "<bdi>{name} %s</bdi>"),
    ],
)
def test_text_of_a_log_is_shown_and_does_nothing(text: str, shown: str) -> None:
    assert EN.shown(text) == Markup(shown)


def test_long_text_is_shortened() -> None:
    assert len(str(EN.shown("x" * 500, 50))) < 70


# --- On a page ------------------------------------------------------------------------------------------------------


def test_the_menu_of_datasettes_pages_speaks_the_language_of_the_request(client: Callable[..., list[Any]]) -> None:
    english, arabic = client("/audit")[0].text, client("/audit", headers={"accept-language": "ar"})[0].text
    for page, speech in ((english, EN), (arabic, AR)):
        assert f">{speech.say('site.builds')}</a>" in page
