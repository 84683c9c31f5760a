"""Long lists, page after page.

In: the address of a page. Out: where its list begins, and the address of what follows. Refuses to know what is listed.
"""

from __future__ import annotations

from datasette.utils import path_with_replaced_args
from datasette.utils.asgi import NotFound, Request

#: SQLite has no greater numbers.
_MOST_DIGITS = 18


def number(request: Request, name: str) -> int | None:
    """A whole number that the address gives; ``None`` where it gives none. Raises ``NotFound`` for something else."""
    text = request.args.get(name)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        raise NotFound(f"expected a whole number as {name}")
    return int(text)


def following(request: Request, name: str, start: int | None) -> str | None:
    """The address of this page with the rows from ``start`` on; ``None`` where there are none."""
    return None if start is None else str(path_with_replaced_args(request, {name: str(start)}))


def first(request: Request, *names: str) -> str | None:
    """The address of this page with the list from its beginning; ``None`` where it is shown so."""
    if not any(request.args.get(name) for name in names):
        return None
    return str(path_with_replaced_args(request, dict.fromkeys(names)))
