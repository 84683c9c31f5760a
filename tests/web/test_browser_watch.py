"""The watch over the pages sees what it is there to see."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from .browser import Watch

_INLINE = "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = true'}))"


@pytest.mark.parametrize(
    ("path", "act", "seen"),
    [
        ("/audit", "console.error('broken')", "console error: broken"),
        ("/audit", "console.warn('doubtful')", "console warning: doubtful"),
        ("/audit", "setTimeout(() => { throw new Error('thrown') })", "uncaught in a script: thrown"),
        ("/audit", "setTimeout(() => alert('hello'))", "dialog: hello"),
        ("/audit", _INLINE, "console error: policy: script-src-elem blocks inline"),
        ("about:blank", "fetch('http://elsewhere.example/').catch(() => 0)", "request to elsewhere: http://elsewhere"),
        ("/audit", "fetch('/nowhere')", "status 404: "),
    ],
)
def test_the_watch_sees(page: Page, watch: Watch, path: str, act: str, seen: str) -> None:
    page.goto(path)
    page.evaluate(act)
    watch.settle()
    assert any(fault.startswith(seen) for fault in watch.faults), watch.faults
    watch.faults.clear()


def test_a_status_that_was_announced_is_no_fault(page: Page, watch: Watch) -> None:
    watch.announce(404)
    page.goto("/nowhere")
    watch.settle()
    assert watch.faults == []
