"""The OpenAPI document says what the routes do: they are asked everything that it allows, and much that it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
import schemathesis
from datasette.app import Datasette
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from schemathesis import SerializationContext
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from auditor.web import openapi
from auditor.web.limits import Limits
from tests import golden
from tests.store.samples import rows

from . import serving, wire

#: An address with a percent sign in it that nobody knows is led on by Datasette, to where nothing is.
_NEGATIVE = {"expected-statuses": ["302", "400", "403", "404", "405", "413", "415"]}

#: What a log is refused for though it fits the schema: 2.0 as a whole number, half a pair of surrogates, a key twice.
BEYOND_SCHEMAS = {"log.integer", "log.surrogate", "log.duplicate-key"}


@schemathesis.serializer("application/x-ndjson")
def lines(ctx: SerializationContext, value: Any) -> bytes:
    """What is drawn as a text is sent as it is, and anything else as JSON on one line."""
    return value.encode(errors="surrogatepass") if isinstance(value, str) else msgspec.json.encode(value)


class Application:
    """Passes requests on to what ``serves``. Each comes from a client of its own, whose end is not the end of it."""

    serves: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await self.serves(scope, receive, send)


described = schemathesis.openapi.from_dict(
    openapi.document("/", Limits()),
    config=SchemathesisConfig.from_dict({"checks": {"negative_data_rejection": _NEGATIVE}}),
)
described.app = application = Application()


@pytest.fixture(scope="module")
def digests(audited_database: Path) -> list[str]:
    """Digests of stored matches, one of each ruleset."""
    found = rows(audited_database, "select min(digest) from matches where status <> 'clean' group by ruleset")
    return [digest.removeprefix("sha256:") for (digest,) in found]


@pytest.fixture(scope="module", autouse=True)
def _served(audited_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Serves what is described, with a copy of the fixtures into which everybody may store."""
    copy = serving.copied(audited_database, tmp_path_factory.mktemp("described") / "audit.db")
    permissions = {"auditor-store": True}
    datasette = Datasette([str(copy)], settings=serving.PATIENT, config={"permissions": permissions})
    application.serves = datasette.app()
    yield
    datasette.close()


@described.parametrize()
@settings(max_examples=30, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_every_route_does_what_is_described(case: schemathesis.Case, digests: list[str]) -> None:
    assert case.meta is not None
    if case.meta.generation.mode.is_positive:
        _lead_to_what_is_there(case, digests)
    response = case.call(allow_redirects=False)
    case.validate_response(response, excluded_checks=[positive_data_acceptance] if _is_strict(case, response) else [])


def _is_strict(case: schemathesis.Case, response: schemathesis.Response) -> bool:
    """Whether the reader may refuse what the document allows.

    It says of a text only that it is one. Of JSON it says all but what no schema can.
    """
    if case.method != "POST" or response.status_code != 400:
        return False
    clauses = {error.get("clause") for error in response.json()["errors"]}
    return case.media_type != "application/json" or clauses <= BEYOND_SCHEMAS


def _lead_to_what_is_there(case: schemathesis.Case, digests: list[str]) -> None:
    """What is drawn names nothing that is stored; three of four such requests are made to."""
    drawn = sum(map(ord, f"{case.path_parameters}{case.query}"))
    if drawn % 4 == 0:
        return
    if "key" in case.path_parameters:
        digest = digests[drawn % len(digests)]
        case.path_parameters["key"] = (str(drawn % 9 + 1), digest, f"sha256:{digest}")[drawn % 3]
    if "event" in case.path_parameters:
        case.path_parameters["event"] = int(case.path_parameters["event"]) % 12
    if "database" in case.query:
        case.query["database"] = "audit"


@pytest.mark.parametrize("path", [path for path in openapi.document("/", Limits())["paths"] if "{key}" in path])
def test_what_is_stored_is_as_described(path: str, digests: list[str]) -> None:
    operation = described[path]["GET"]
    for digest in digests:
        case = operation.Case(path_parameters={"key": digest, "event": 1}, query={})
        assert case.call_and_validate().status_code == 200


@pytest.mark.parametrize("path", [path for path in openapi.document("/", Limits())["paths"] if "{key}" in path])
def test_what_is_stored_is_only_read(path: str, digests: list[str]) -> None:
    methods: tuple[Literal["POST", "PUT", "DELETE", "OPTIONS"], ...] = ("POST", "PUT", "DELETE", "OPTIONS")
    for method in methods:
        case = described[path]["GET"].Case(path_parameters={"key": digests[0], "event": 1}, query={}, method=method)
        response = case.call()
        assert response.status_code == 405
        assert response.headers["allow"] == ["GET, HEAD"]


def test_the_document_is_the_one_that_is_served() -> None:
    served = wire.answer(path="/-/auditor/openapi.json", method="GET")
    assert served.json() == openapi.document("/", Limits())
    elsewhere = wire.answer(path="/-/auditor/openapi.json", method="GET", settings={"base_url": "/cards/"})
    assert elsewhere.json()["servers"] == [{"url": "/cards"}]


def test_every_schema_is_one() -> None:
    for schema in openapi.document("/", Limits())["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("log", golden.logs()[::7], ids=lambda log: f"{log.parent.name}/{log.stem}")
def test_the_schemas_say_of_fixtures_what_the_auditor_says(log: Path) -> None:
    document = openapi.document("/", Limits())
    registry: Any = Registry().with_resource("urn:described", DRAFT202012.create_resource(document))
    rules = {
        name: Draft202012Validator({"$ref": f"urn:described#/components/schemas/{name}"}, registry=registry)
        for name in ("MatchLog", "Verdict")
    }
    verdict = msgspec.json.decode(golden.expected_path(log).read_bytes())
    assert rules["Verdict"].is_valid(verdict)
    if not {finding["clause"] for finding in verdict["findings"]} & BEYOND_SCHEMAS:
        is_log = rules["MatchLog"].is_valid(msgspec.json.decode(log.read_bytes()))
        assert is_log == (verdict["status"] != "invalid")
