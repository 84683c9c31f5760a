"""What a browser may do on a page: the policies, and that the pages need no more than they allow."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from auditor import serve, web
from auditor.web import security

from . import archives, pages, serving

Client = Callable[..., list[Any]]


class _Markup(HTMLParser):
    """What the policies are about: scripts, with the text of those without an address, styles, and handlers."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.handlers: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag == "style" or "style" in dict(attrs):
            self.styles.append(self.get_starttag_text() or "")
        self.handlers += [f"{name}={value}" for name, value in attrs if name.startswith("on")]
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action", "formaction")]

    def handle_data(self, data: str) -> None:
        if self.scripts and self.cdata_elem == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = attributes, text + data

    @property
    def inline(self) -> list[tuple[dict[str, str | None], str]]:
        """Scripts that a browser would run, without an address."""
        return [
            (attributes, text)
            for attributes, text in self.scripts
            if "src" not in attributes and attributes.get("type") != "application/json"
        ]


def _policy(response: Any) -> Mapping[str, list[str]]:
    """The words of each directive. Two policies in one response would both apply; there is one."""
    [text] = response.headers.get_list(security.HEADER)
    parts = [part.split() for part in text.split(";")]
    assert len(parts) == len({name for name, *_ in parts})
    return {name: words for name, *words in parts}


def _number(response: Any) -> str | None:
    """What a script must bear to be run; ``None`` where none is."""
    numbers = [word[7:-1] for word in _policy(response)["script-src"] if word.startswith("'nonce-")]
    return numbers[0] if numbers else None


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archives.of_hostile_logs(tmp_path_factory.mktemp("hostile") / "audit.db")


# --- On every response ----------------------------------------------------------------------------------------------


def test_every_response_bears_a_policy(client: Client) -> None:
    static = ("/-/static-plugins/auditor/site.css", "/-/static/app.css")
    paths = (*pages.OURS, *pages.DATASETTES, *pages.JSON, *static, "/nowhere", "/-/auditor/nowhere", "/-/permissions")
    for path, response in zip(paths, client(*paths), strict=True):
        policy = _policy(response)
        assert policy["default-src"] == ["'none'"], path
        assert policy["base-uri"] == ["'none'"], path
        assert policy["frame-ancestors"] == ["'none'"], path
        assert policy["form-action"] == ["'self'"], path
        assert "'unsafe-inline'" not in policy["script-src"], path
        assert "'unsafe-eval'" not in policy["script-src"], path
        assert response.headers["x-content-type-options"] == "nosniff", path
        assert response.headers["referrer-policy"] in ("same-origin", "no-referrer"), path
        for words in policy.values():
            assert not [word for word in words if not word.startswith("'") and word != "data:"], path


# --- Our own pages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_our_pages_hold_no_script_and_no_style_and_may_run_none(client: Client, lang: str) -> None:
    paths = (*pages.OURS, "/-/auditor/match/0")
    for path, response in zip(
        paths, client(*paths, cookies={"auditor_language": lang}, follow_redirects=True), strict=True
    ):
        policy = _policy(response)
        assert policy["script-src"] == policy["style-src"] == ["'self'"], path
        markup = _Markup(response.text)
        assert markup.inline == [], path
        assert markup.styles == [], path
        assert markup.handlers == [], path
        elsewhere = [address for address in markup.addresses if re.match(r"\w+:|//", address)]
        assert elsewhere == [], path


#: Addresses that show what another address shows.
_BESIDE = ("/-/auditor", "/-/auditor/match/1")


def test_every_route_is_looked_at(audited_database: Path) -> None:
    """A page that is added is added to the lists of ``pages`` too."""
    datasette = serve.browser_of(audited_database)
    try:
        routes = [route for route, _ in web.register_routes(datasette)]
    finally:
        datasette.close()
    paths = [path.partition("?")[0] for path in (*_BESIDE, *pages.OURS, *pages.JSON)]
    assert [route for route in routes if not any(re.match(route, path) for path in paths)] == []


# --- Datasette's own ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", pages.DATASETTES)
def test_each_script_of_a_template_bears_the_number_of_the_request(client: Client, path: str) -> None:
    [response] = client(path)
    scripts = _Markup(response.text).inline
    assert scripts
    assert {attributes.get("nonce") for attributes, _ in scripts} == {_number(response)}


@pytest.mark.parametrize("path", pages.DATASETTES)
def test_the_one_handler_of_a_template_is_the_one_that_the_policy_names(client: Client, path: str) -> None:
    [response] = client(path)
    assert {*_Markup(response.text).handlers} <= {"onclick=openColumnChooser()"}


def test_the_number_is_another_one_each_time(client: Client) -> None:
    numbers = [_number(response) for response in client(*["/audit"] * 5, "/nowhere")]
    assert len({*numbers}) == 6
    assert all(number is not None and len(number) >= 22 for number in numbers)  # 128 bits


def test_requests_that_are_answered_at_once_have_each_their_number(audited_database: Path) -> None:
    async def fetched() -> list[Any]:
        datasette = serve.browser_of(audited_database)
        try:
            return await asyncio.gather(*(datasette.client.get("/audit/matches") for _ in range(8)))
        finally:
            datasette.close()

    responses = asyncio.run(fetched())
    assert len({_number(response) for response in responses}) == 8
    for response in responses:
        scripts = _Markup(response.text).inline
        assert {attributes.get("nonce") for attributes, _ in scripts} == {_number(response)}


# --- What comes from a log ------------------------------------------------------------------------------------------

_TABLES = ("matches", "seats", "players", "producers", "findings", "unreadable", "results", "deals")


@pytest.mark.parametrize(
    "path",
    [
        *(f"/audit/{table}?_size=max" for table in _TABLES),
        "/audit/matches/1",
        "/audit/players/1",
        "/audit/unreadable/1",
        "/audit/-/query?sql=select+*+from+matches",
        "/audit/by_player",
        "/audit/matches?_search=%3Cscript%3Ealert(1)%3C/script%3E",
        "/audit/matches?match_id=%3Cscript%3Ealert(1)%3C/script%3E",
        "/audit/-/query?sql=select+%27%3Cscript%3Ealert(1)%3C/script%3E%27",
        "/audit/%3Cscript%3Ealert(1)%3C/script%3E",
        "/?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/?database=%3Cscript%3Ealert(1)%3C/script%3E",
        "/-/auditor/players?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/-/auditor/players?q=%22onfocus=alert(1)%20autofocus=%22",
        "/-/auditor/rules/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/-/auditor/match/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "/-/auditor/match/1?lang=%3Cscript%3Ealert(1)%3C/script%3E",
        "/-/auditor/match/1?x=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    ],
)
def test_a_script_from_a_log_or_an_address_does_not_become_one(hostile: Path, path: str) -> None:
    [response] = serving.answers(hostile, path, follow_redirects=True)
    markup = _Markup(response.text)
    assert {attributes.get("nonce", "none") for attributes, _ in markup.inline} <= {_number(response)}
    assert {*markup.handlers} <= {"onclick=openColumnChooser()"}
    assert not [address for address in markup.addresses if address.startswith("javascript:")]


def test_a_script_that_the_database_brings_into_a_page_unescaped_bears_no_number(audited_database: Path) -> None:
    """Datasette shows ``description_html`` as it is."""

    async def fetched() -> Any:
        datasette = serve.browser_of(audited_database)
        try:
            await datasette.invoke_startup()
            await datasette.set_resource_metadata("audit", "matches", "description_html", "<script>alert(1)</script>")
            return await datasette.client.get("/audit/matches")
        finally:
            datasette.close()

    response = asyncio.run(fetched())
    [(attributes, text)] = [pair for pair in _Markup(response.text).inline if "alert(1)" in pair[1]]
    assert text == "alert(1)"
    assert "nonce" not in attributes
