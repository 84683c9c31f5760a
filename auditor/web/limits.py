"""What the audit service takes on, and how it says no.

In: the configuration of Datasette. Out: the limits, and the exception that a request beyond them ends with. Refuses
to know how a request is read, and what is done with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec
from datasette.utils import StartupError

from auditor.errors import Place
from auditor.web.language import Speech

if TYPE_CHECKING:  # Datasette loads its plugins before its application is there
    from datasette.app import Datasette

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The most that one request may ask for, and how many are served at once.

    ``body_bytes`` are counted as they are sent, ``unpacked_bytes`` as they are audited; ``seconds`` run from the
    first byte of the request to the last of the answer.
    """

    body_bytes: _Count = 32_000_000
    unpacked_bytes: _Count = 256_000_000
    matches: _Count = 10_000
    seconds: Annotated[float, msgspec.Meta(gt=0)] = 120
    at_once: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4


def limits_of(datasette: Datasette) -> Limits:
    """The limits that ``plugins: auditor: limits:`` sets; a key that is left out has its default.

    Raises ``StartupError`` where the configuration says something else.
    """
    settings = datasette.plugin_config("auditor")
    given = settings.get("limits") if isinstance(settings, Mapping) else settings
    try:
        return Limits() if given is None else msgspec.convert(given, Limits)
    except msgspec.ValidationError as error:
        raise StartupError(f"plugins: auditor: limits: {error}") from error


class Refused(Exception):
    """The service does not do what a request asks.

    ``phrase`` is the key of the sentence that says why, and ``values`` are what stands in it; ``place`` is where in
    what was sent, if it is said of one place; ``headers`` belong to an answer of this status.
    """

    def __init__(
        self,
        status: int,
        phrase: str,
        *,
        place: Place | None = None,
        headers: Mapping[str, str] | None = None,
        **values: object,
    ) -> None:
        super().__init__(status, phrase)
        self.status = status
        self.phrase = phrase
        self.values = values
        self.place = place
        self.headers = dict(headers or {})

    def sentence(self, speech: Speech) -> str:
        return speech.say(f"audit.refused-{self.phrase}", **self.values)

    def document(self) -> dict[str, Any]:
        """The answer to a program."""
        sentence = self.sentence(Speech("en"))
        error: dict[str, Any] = {"message": sentence}
        if self.place is not None:
            error |= {"line": self.place.line, "offset": self.place.offset, "pointer": self.place.pointer}
        return {"ok": False, "status": self.status, "error": sentence, "errors": [error]}
