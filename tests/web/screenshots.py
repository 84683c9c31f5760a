"""Pictures of every page, in both languages, on a desktop and on a phone, for a person to look at.

In: the folder to write to. Out: PNG files. Refuses to judge: ``python -m tests.web.screenshots FOLDER``.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from auditor.rulebook import LANGUAGES

from . import archives, browser, pages, serving

#: The name of a picture's kind, the size of its window, and the colours that the browser asks for.
_KINDS = (("desktop", browser.DESKTOP, "light"), ("dark", browser.DESKTOP, "dark"), ("phone", browser.PHONE, "light"))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.web.screenshots FOLDER")
    path = browser.chromium()
    if path is None:
        sys.exit("there is no Chromium on the PATH; AUDITOR_BROWSER may name one")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        database = archives.of_the_fixtures(Path(scratch) / "audit.db")
        with serving.serving(database) as origin, browser.launched(path) as running:
            for kind, viewport, scheme in _KINDS:
                for language in LANGUAGES:
                    watch = browser.Watch(origin)
                    page = watch.open(running, viewport, color_scheme=scheme, reduced_motion="reduce", locale=language)
                    for name, address in _addresses():
                        _write(page, address, folder / f"{name}-{language}-{kind}.png")
                    watch.close()
                    for fault in watch.faults:
                        print(f"{kind}, {language}: {fault}", file=sys.stderr)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


def _addresses() -> Iterator[tuple[str, str]]:
    for path in pages.OURS:
        if "/match/" not in path:
            yield re.sub(r"\W+", "-", path.removeprefix("/-/auditor")).strip("-") or "front", path
    for fixture in pages.MATCHES:
        event = pages.first_fault(fixture)
        yield f"match-{fixture.partition('/')[0]}", pages.match_at(fixture, event)


def _write(page: Page, address: str, path: Path) -> None:
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=path, full_page=True)


if __name__ == "__main__":
    main()
