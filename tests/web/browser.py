"""A browser that watches what a page does, and tells what it must not do.

In: the address of a served database. Out: pages of a real Chromium, and the list of what went wrong on them. Refuses
to know which page it looks at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    Response,
    Route,
    expect,
    sync_playwright,
)

#: The path of a Chromium, or ``required`` for the one on the PATH. Whoever sets it wants no test skipped.
VARIABLE = "AUDITOR_BROWSER"
_ON_THE_PATH = "required"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
#: It is told to stay at home; pages are watched for requests besides.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: Waits end when what is waited for is there; this is for what never comes.
_PATIENCE_MILLISECONDS = 15_000
#: A policy that a page breaks is written where all that goes wrong is written.
_TELL_OF_POLICIES = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.effectiveDirective} blocks ${event.blockedURI} ${event.sample}`);
});
"""
#: What Chromium says of a response that is no success; the response itself is looked at.
_A_RESPONSE = "Failed to load resource: the server responded with a status of"

DESKTOP = (1280, 900)
PHONE = (390, 844)

Open: TypeAlias = Callable[..., Page]


def chromium() -> str | None:
    """The path of the Chromium to use; ``None`` where there is none."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", _ON_THE_PATH):
        return shutil.which(wanted)
    return next((path for path in map(shutil.which, _NAMES) if path), None)


def is_required() -> bool:
    return bool(os.environ.get(VARIABLE))


@contextmanager
def launched(path: str) -> Iterator[Browser]:
    """A running Chromium, which waits as patiently for what is expected on a page as for the page."""
    expect.set_options(timeout=_PATIENCE_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """What went wrong on the pages of one test: in ``faults``, one line each.

    A status of 400 or more is a fault unless it was announced.
    """

    origin: str
    faults: list[str] = field(default_factory=list)
    announced: set[int] = field(default_factory=set)
    _contexts: list[BrowserContext] = field(default_factory=list)
    #: Pages on which scripts run.
    _running: list[Page] = field(default_factory=list)

    def announce(self, *statuses: int) -> None:
        """Says that responses with these statuses are meant to come."""
        self.announced |= {*statuses}

    def open(self, browser: Browser, viewport: tuple[int, int] = DESKTOP, **options: Any) -> Page:
        """A page in a context of its own, that is, without cookies; ``options`` are those of Playwright's contexts."""
        width, height = viewport
        context = browser.new_context(
            **{"base_url": self.origin, "viewport": {"width": width, "height": height}, "locale": "en-GB", **options}
        )
        self._contexts.append(context)
        context.set_default_timeout(_PATIENCE_MILLISECONDS)
        context.add_init_script(_TELL_OF_POLICIES)
        context.route("**/*", self._only_home)
        page = context.new_page()
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.faults.append(f"uncaught in a script: {error}"))
        page.on("dialog", self._asked)
        page.on("response", self._answered)
        page.on("requestfailed", self._failed)
        if options.get("java_script_enabled", True):
            self._running.append(page)
        return page

    def settle(self) -> None:
        """Waits until the pages have run what was already due, so that its faults are told."""
        for page in self._running:
            page.evaluate("new Promise((done) => setTimeout(done))")

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _only_home(self, route: Route) -> None:
        url = route.request.url
        if _origin(url) == self.origin:
            route.continue_()
        else:
            self.faults.append(f"request to elsewhere: {url}")
            route.abort()

    def _told(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(_A_RESPONSE):
            self.faults.append(f"console {message.type}: {message.text} ({message.location.get('url')})")

    def _asked(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.announced:
            self.faults.append(f"status {response.status}: {response.url}")

    def _failed(self, request: Request) -> None:
        # A page that is left breaks off what it still loads.
        if request.failure != "net::ERR_ABORTED" and _origin(request.url) == self.origin:
            self.faults.append(f"failed request: {request.url}: {request.failure}")


def watching(origin: str) -> Iterator[Watch]:
    """For a fixture: a watch over the pages of one test, which fails for what they must not do."""
    watch = Watch(origin)
    yield watch
    watch.settle()
    watch.close()
    assert not watch.faults, "\n".join(watch.faults)


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    return int(page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth"))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
