"""What is sent to the audit service, taken in.

In: a request with a body or a form. Out: an upload: bytes under a name, and whether they are to be stored. Refuses to
know what a match is, and how it is audited.

Bodies are read as they come, and counted; what is longer than a megabyte lies in a file without a name.
"""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from datasette.utils.asgi import BadRequest, Request
from datasette.utils.multipart import UploadedFile, parse_content_type

from auditor import sources
from auditor.jsontext import visible
from auditor.web.limits import Limits, Refused

#: The name of what came as a body, and of what was pasted.
NAME = "upload"
#: What a body may be, and the ending of a file's name that says how matches lie in it.
BODY_TYPES: Mapping[str, str] = {
    "": "",
    "application/json": "",
    "application/x-ndjson": ".ndjson",
    "application/ndjson": ".ndjson",
    "application/jsonl": ".ndjson",
}
FORM_TYPE = "multipart/form-data"
#: How a body may be packed, and the ending of a file's name that says so.
ENCODINGS: Mapping[str, str] = {"": "", "identity": "", "gzip": ".gz", "x-gzip": ".gz", "zstd": ".zst"}
#: The field of a form that is a file, the one that is text, and the one that asks to store.
FILE, TEXT, STORE = "log", "text", "store"

_CHUNK_BYTES = 2**18
_LONGEST_NAME = 80
#: How many times more than he may send somebody is listened to before he is cut short.
_PATIENCE = 4


class Gone(Exception):
    """Whoever sent the request is no longer there."""


@dataclass(frozen=True, slots=True)
class Upload:
    """What was sent: ``file`` holds it as it came, packed or not.

    Places bear the ``name``, which says how matches lie in it; ``packed_name`` ends as the name of a file does that is
    packed as this is. ``is_ndjson``: it was said to hold one match a line.
    """

    file: IO[bytes]
    name: str
    packed_name: str
    is_ndjson: bool
    is_to_be_stored: bool

    def unpacked(self, tick: Callable[[], object]) -> Iterator[bytes]:
        """The bytes, unpacked, from the first one on. ``tick`` is called every so many bytes, and may raise."""
        self.file.seek(0)
        for chunk in sources.unpacked(self._read(tick), self.packed_name):
            tick()
            yield chunk

    def _read(self, tick: Callable[[], object]) -> Iterator[bytes]:
        while chunk := self.file.read(_CHUNK_BYTES):
            tick()
            yield chunk


def content_type(request: Request) -> str:
    kind: str = parse_content_type(request.headers.get("content-type", ""))[0]
    return kind


class Body:
    """The body of a request as it comes, counted. ``is_text`` as long as all of it has been UTF-8."""

    def __init__(self, request: Request, limits: Limits) -> None:
        self.request = request
        self._most = limits.body_bytes
        self._size = 0
        self._is_over = False
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.is_text = True

    async def message(self) -> Mapping[str, Any]:
        """The next message, with its part of the body. Raises ``Refused`` when there are too many, and ``Gone``."""
        message = await self._next()
        if self._size > self._most:
            raise Refused(413, "body", most=self._most)
        return message

    async def parts(self) -> AsyncIterator[bytes]:
        while not self._is_over:
            yield (await self.message()).get("body", b"")

    async def let_pass(self) -> None:
        """Takes what still comes and forgets it: many a sender listens only when he has said all.

        One who asked whether to go on is not waited for, nor one who says some times more than he may.
        """
        if self._size == 0 and "expect" in self.request.headers:
            return
        with contextlib.suppress(Gone):
            while not self._is_over and self._size <= _PATIENCE * self._most:
                await self._next()

    async def _next(self) -> Mapping[str, Any]:
        message: Mapping[str, Any] = await self.request.receive()
        if message["type"] == "http.disconnect":
            self._is_over = True
            raise Gone
        self._size += len(message.get("body", b""))
        if self.is_text:
            try:
                self._decoder.decode(message.get("body", b""))
            except UnicodeDecodeError:
                self.is_text = False
        self._is_over = not message.get("more_body")
        return message


async def taken_in(body: Body, limits: Limits, file: IO[bytes]) -> Upload:
    """What was sent, written into ``file``. Raises ``Refused`` for what is too large or of no known kind, ``Gone``."""
    request = body.request
    kind = content_type(request)
    if kind != FORM_TYPE and kind not in BODY_TYPES:
        raise Refused(415, "type", headers={"accept": ", ".join([*filter(None, BODY_TYPES), FORM_TYPE])})
    packing = ENCODINGS.get(request.headers.get("content-encoding", "").strip().lower())
    if packing is None or (packing and kind == FORM_TYPE):
        raise Refused(415, "encoding", headers={"accept-encoding": "gzip, zstd"})
    if _declared_length(request) > limits.body_bytes:
        raise Refused(413, "body", most=limits.body_bytes)
    is_to_be_stored = _flag(request.args.get(STORE))
    if kind == FORM_TYPE:
        return await _form(body, limits, file, is_to_be_stored)
    async for part in body.parts():
        file.write(part)
    if not file.tell():
        raise Refused(400, "empty")
    name = NAME + BODY_TYPES[kind]
    return Upload(file, name, name + packing, name != NAME, is_to_be_stored)


async def _form(body: Body, limits: Limits, file: IO[bytes], is_to_be_stored: bool) -> Upload:
    """The one file of a form, or else its text."""
    # Only one part is of use, and the whole is counted, so that no part needs a limit of its own.
    most = {"max_files": 1, "max_fields": 10}
    sizes = dict.fromkeys(("max_file_size", "max_request_size", "max_field_size"), limits.body_bytes)
    try:
        form = await Request(body.request.scope, body.message).form(files=True, **most, **sizes)
    except BadRequest as error:
        raise Refused(400, "form", reason=visible(str(error), 200)) from error
    async with form:
        is_to_be_stored = is_to_be_stored or _flag(_text(form.get(STORE)))
        sent, text = form.get(FILE), _text(form.get(TEXT))
        name = NAME
        if isinstance(sent, UploadedFile) and sent.size:
            if text.strip():
                raise Refused(400, "both")
            name = sent.filename
            while chunk := await sent.read(_CHUNK_BYTES):
                file.write(chunk)
        elif not body.is_text:  # Datasette would take the bytes for those of another alphabet
            raise Refused(400, "form", reason="the text is not UTF-8")
        else:
            file.write((_text(sent) or text).encode())
    if not file.tell():
        raise Refused(400, "empty")
    return Upload(file, _shown(name), name, sources.holds_lines(name), is_to_be_stored)


def _declared_length(request: Request) -> int:
    """What the sender says that the body is long; what comes is counted all the same."""
    length = request.headers.get("content-length", "")
    return int(length[:20]) if length.isascii() and length.isdecimal() else 0


def _flag(value: str | None) -> bool:
    if value not in (None, "", "0", "1"):
        raise Refused(400, "flag")
    return value == "1"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _shown(name: str) -> str:
    """The last part of a file's name, with its ending; what cannot be seen in it is written as escapes."""
    name = name.replace("\\", "/").rpartition("/")[2] or NAME
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME // 2]}…{name[-_LONGEST_NAME // 3 :]}"
    return visible(name, _LONGEST_NAME)
