"""Where the pages of a site lie, and how one leads to another."""

from __future__ import annotations

import pytest

from auditor.rulebook import Language
from auditor.site.addresses import Page, list_place, match_place

DIGEST = "ab12" * 16


@pytest.mark.parametrize(
    ("place", "language", "file"),
    [
        ("", "en", "index.html"),
        ("", "ar", "index.ar.html"),
        ("/rules", "en", "rules/index.html"),
        ("/rules/log", "ar", "rules/log.ar.html"),
        (match_place(DIGEST), "en", f"match/ab/{DIGEST}.html"),
        (match_place(DIGEST), "ar", f"match/ab/{DIGEST}.ar.html"),
        (list_place("rami-tounsi", "clean", 3), "en", "list/rami-tounsi/clean-3.html"),
    ],
)
def test_each_page_has_its_file(place: str, language: Language, file: str) -> None:
    assert Page(place, language).file == file


@pytest.mark.parametrize(
    ("here", "there", "address"),
    [
        ("", "/rules/log", "rules/log.html"),
        ("/rules/log", "", "../index.html"),
        ("/rules/log", "/rules", "index.html"),
        (match_place(DIGEST), "/rules/log", "../../rules/log.html"),
        (match_place(DIGEST), match_place("cd" + DIGEST), f"../cd/cd{DIGEST}.html"),
    ],
)
def test_addresses_are_relative(here: str, there: str, address: str) -> None:
    assert Page(here, "en").to(there) == address


def test_an_address_leads_to_an_event() -> None:
    assert Page("", "ar").to(match_place(DIGEST), 12) == f"match/ab/{DIGEST}.ar.html#e12"


def test_each_page_leads_to_itself_in_both_languages() -> None:
    assert Page("/rules/log", "ar").languages == [("en", "English", "log.html"), ("ar", "العربية", "log.ar.html")]
