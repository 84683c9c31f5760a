"""What a browser may do on a page: a Content-Security-Policy for each.

In: Datasette's application and its templates. Out: the same, with a policy on every page. Our own pages hold no
script and no style of their own; Datasette's hold both, so there each script that stands in a template bears the
number of the request. What a log or a database brings into a page bears none, and is not run.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import re
import secrets
from contextvars import ContextVar
from typing import Any

from jinja2 import Environment
from jinja2.ext import Extension

HEADER = "content-security-policy"
_EVERYWHERE = "default-src 'none'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'"
_EVERYWHERE += "; base-uri 'none'; frame-ancestors 'none'"
#: Of pages that hold no script and no style.
STRICT = f"{_EVERYWHERE}; script-src 'self'; style-src 'self'"
_BESIDE = {"x-content-type-options": "nosniff", "referrer-policy": "same-origin"}
#: The one handler that Datasette writes into an element.
_HANDLER = "openColumnChooser()"
_HANDLER_HASH = base64.b64encode(hashlib.sha256(_HANDLER.encode()).digest()).decode()
#: The number of the request that is being answered. Not all of Datasette's templates are told of the request.
_NUMBER: ContextVar[str] = ContextVar("auditor_nonce", default="")


class MarkedScripts(Extension):
    """Gives each script that stands in a template the number of its request."""

    _SCRIPT = re.compile(r"<script\b(?![^>]*\bsrc=)(?=[ >{])")

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return self._SCRIPT.sub('<script nonce="{{ auditor_nonce() }}"', source)


def mark_scripts(environment: Environment) -> None:
    environment.add_extension(MarkedScripts)
    environment.globals["auditor_nonce"] = _NUMBER.get


def with_policies(app: Any) -> Any:
    """The application with a policy on each page that bears none."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        number = secrets.token_urlsafe(16)
        _NUMBER.set(number)

        async def send_with_policy(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                names = {name.lower() for name, _ in headers}
                wanted = {HEADER: _datasettes_own(number), **_BESIDE}
                headers += [
                    (name.encode(), text.encode()) for name, text in wanted.items() if name.encode() not in names
                ]
                message = {**message, "headers": headers}
            await send(message)

        await app(scope, receive, send_with_policy)

    return wrapped


def keep_refusals_quiet() -> None:
    """Lets Datasette answer what it refuses, and print nothing of it, also where Rich is installed.

    With Rich it prints the local variables of everything that was asked for and is not there, and fails where it has
    no exception to print: at an address that nobody knows.
    """
    importlib.import_module("datasette.handle_exception").rich = None  # type: ignore[attr-defined]


def _datasettes_own(number: str) -> str:
    scripts = f"script-src 'self' 'nonce-{number}' 'unsafe-hashes' 'sha256-{_HANDLER_HASH}'"
    return f"{_EVERYWHERE}; {scripts}; style-src 'self' 'unsafe-inline' data:"
