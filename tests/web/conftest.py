from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from . import archives, browser, serving

#: What the pages are served with where they are looked at by a browser: everybody may store.
_PERMISSIONS = {"auditor-store": True}


@pytest.fixture(scope="session")
def audited_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixtures of all rulesets with their verdicts. To be looked at only; ``serving.copied`` makes a copy."""
    return archives.of_the_fixtures(tmp_path_factory.mktemp("archive") / "audit.db")


@pytest.fixture(scope="session")
def served(audited_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a copy of the audited fixtures, into which everybody may store."""
    copy = serving.copied(audited_database, tmp_path_factory.mktemp("served") / "audit.db")
    with serving.serving(copy, _PERMISSIONS) as url:
        yield url


@pytest.fixture
def client(audited_database: Path) -> Callable[..., list[Any]]:
    """Gets pages of the audited fixtures without a port: paths in, responses out. See ``serving.answers``."""
    return partial(serving.answers, audited_database)


# One browser a module, not one a session: while it runs, asyncio.run cannot be called in the same process.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A running Chromium. Without one the test is skipped, or fails where ``AUDITOR_BROWSER`` is set."""
    path = browser.chromium()
    if path is None:
        if browser.is_required():
            pytest.fail(f"{browser.VARIABLE} asks for a Chromium, and there is none")
        pytest.skip(f"no Chromium on the PATH, and {browser.VARIABLE} names none: pages are not looked at in a browser")
    with browser.launched(path) as running:
        yield running


@pytest.fixture
def watch(served: str, chromium: Browser) -> Iterator[browser.Watch]:
    """Fails the test for whatever a page must not do."""
    yield from browser.watching(served)


@pytest.fixture
def open_page(watch: browser.Watch, chromium: Browser) -> browser.Open:
    """Opens watched pages: ``open_page(viewport=browser.PHONE, color_scheme="dark", locale="ar")``."""
    return partial(watch.open, chromium)


@pytest.fixture
def page(open_page: browser.Open) -> Page:
    """A watched page in a window of the size of a desktop's."""
    return open_page()
