"""Every verb is declared once, and every surface refuses by that declaration what it does not take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from cortex import Cortex
from cortex.client.remote import RemoteCortex
from cortex.errors import InvalidRequest
from cortex.surfaces.http.app import create_app
from cortex.surfaces.mcp.tools import PROFILES, offered
from cortex.surfaces.operations import BY_NAME, OPERATIONS, Operation
from cortex.surfaces.wire.fields import ID
from cortex.surfaces.wire.model import schema_of
from sweeps import for_each

OFFERED = [tool for profile in PROFILES for tool in offered(profile).values()]
NEARLY = "zzz_nobody_knows"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = tmp_path_factory.mktemp("operations")
    nowhere = {"store": {"url": "ephemeral:"}, "embedding": {"provider": "none"}}
    with Cortex(home, settings=nowhere) as engine:
        app = create_app(engine)
        with TestClient(app, base_url="http://127.0.0.1") as client:
            yield client


def refused(call: Any, *arguments: Any) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as found:
        call(*arguments)
    return found.value


def sent(server: TestClient, operation: Operation, payload: dict[str, Any]) -> httpx.Response:
    path = operation.path.replace("{id}", ID)
    if operation.has_body:
        return server.request(operation.method, path, json=payload)
    return server.request(operation.method, path, params=payload)


def required(operation: Operation) -> dict[str, Any]:
    """A request that is taken, as its example has it."""
    (example,) = schema_of(operation.request).get("examples", [{}])
    whole = dict(example) | dict.fromkeys(operation.in_path, ID)
    for name in schema_of(operation.request).get("required", ()):
        whole.setdefault(name, "x")
    return whole


def test_no_two_operations_have_the_same_name_or_route() -> None:
    assert len(BY_NAME) == len(OPERATIONS)
    assert len({(each.method, each.path) for each in OPERATIONS}) == len(OPERATIONS)


@pytest.mark.parametrize("profile", PROFILES)
def test_each_operation_is_at_most_one_tool_of_a_profile(profile: str) -> None:
    tools = offered(profile).values()
    assert len({tool.operation.name for tool in tools}) == len(tools)


@for_each("operation", OPERATIONS)
def test_the_models_of_an_operation_are_named_for_what_they_are(operation: Operation) -> None:
    assert operation.request.__name__.endswith("Request")
    assert operation.response.__name__.endswith("Response")


@for_each("operation", OPERATIONS)
def test_what_an_operation_calls_is_a_verb_of_the_engine_and_of_the_client(operation: Operation) -> None:
    if hasattr(Cortex, operation.name):
        assert hasattr(RemoteCortex, operation.name)


@for_each("operation", OPERATIONS)
def test_an_example_of_a_request_is_one(operation: Operation) -> None:
    assert operation.request.read(required(operation))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_an_unknown_field_is_refused_in_the_same_words_everywhere(server: TestClient, operation: Operation) -> None:
    """The client reads its own requests by the model itself."""
    payload = required(operation) | {NEARLY: "1"}
    error = refused(operation.request.read, payload)
    assert (error.field, error.code) == (NEARLY, "invalid_request")
    over_http = {name: value for name, value in payload.items() if name not in operation.in_path}
    problem = sent(server, operation, over_http).json()
    expected = (error.code, error.field, error.message, error.hint)
    assert (problem["code"], problem["field"], problem["detail"], problem["hint"]) == expected


@for_each("tool", OFFERED)
def test_an_unknown_argument_of_a_tool_is_refused_in_the_same_words(tool: Any) -> None:
    error = refused(tool.read, {NEARLY: 1})
    model = refused(tool.operation.request.read, {NEARLY: 1})
    assert (error.code, error.field, error.message) == (model.code, model.field, model.message)
    assert all(name in error.hint for name in tool.schema(65_536)["properties"])


@for_each("tool", OFFERED)
def test_a_field_that_is_there_but_not_for_models_is_unknown_to_them(tool: Any) -> None:
    """Whose memory it is, and how far something is trusted, is never a model's to say."""
    others = set(tool.operation.request.names()) - set(tool.tool.fields)
    assert {"agent", "user"} <= others
    for name in others:
        assert refused(tool.read, {name: "x"}).message == f"{name}: is unknown"


@for_each(
    ("tool", "name"), [(tool, name) for tool in OFFERED for name in tool.schema(65_536)["properties"]],
)  # fmt: skip
def test_a_value_that_cannot_be_is_refused_by_the_name_it_was_given_under(tool: Any, name: str) -> None:
    error = refused(tool.read, {name: {"an": "object"}})
    assert error.field.split(".")[0] in {name, *tool.schema(65_536).get("required", ())}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_a_number_where_a_text_belongs_is_refused_by_http_as_by_the_model(
    server: TestClient, operation: Operation
) -> None:
    if not operation.has_body:
        return  # in a query everything is text
    for name, field in schema_of(operation.request)["properties"].items():
        kinds = {each.get("type") for each in field.get("anyOf", [field])}
        if "string" not in kinds or kinds & {"integer", "number"} or name in operation.in_path:
            continue
        payload = required(operation) | {name: 7}
        error = refused(operation.request.read, payload)
        body = {key: value for key, value in payload.items() if key not in operation.in_path}
        problem = sent(server, operation, body).json()
        assert (problem["field"], problem["detail"]) == (error.field, error.message), (operation.name, name)


def test_an_unknown_operation_is_refused_by_name(server: TestClient) -> None:
    answer = server.post("/v1/nobody-knows", json={})
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_route")
    assert not hasattr(RemoteCortex, "nobody_knows")
    assert all("nobody_knows" not in offered(profile) for profile in PROFILES)


def test_a_profile_that_is_not_known_is_refused() -> None:
    assert refused(offered, "soup").field == "profile"


def test_a_response_is_the_engines_value_again() -> None:
    """What is sent over the wire is what the engine gave, for a response of each shape."""
    with Cortex(settings={"store": {"url": "ephemeral:"}, "embedding": {"provider": "none"}}) as engine:
        kept = engine.remember("The deploy key rotates on Mondays", tags=["ops"], scope="infra")
        calls = {
            "show": {"id": kept.memory.id}, "list": {}, "stats": {}, "timeline": {}, "events": {},
            "growth": {"days": 2}, "usage": {"days": 2}, "activity": {"days": 2}, "jobs": {},
            "receipt_log": {"op": "remember"}, "contradictions": {}, "next_due": {}, "backups": {},
            "last_drill": {}, "verify": {},
        }  # fmt: skip
        for name, payload in calls.items():
            operation = BY_NAME[name]
            request = operation.request.read(payload)
            result = operation.result(engine, request)
            body = json.loads(json.dumps(operation.response.of(result, request).to_json()))
            assert operation.response.from_json(body).value() == result, name
