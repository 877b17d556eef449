"""The OpenAPI document and docs/http.md name every route, with examples and every answer (X3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Served

from cortex.surfaces.http.options import ServeOptions

PAGE = Path(__file__).parents[3] / "docs" / "http.md"
ROUTES = {
    "GET /v1/index/files", "GET /v1/index/files/{path}", "GET /v1/conversations", "GET /v1/conversations/{id}",
    "POST /v1/bulk", "POST /v1/bulk/undo", "POST /v1/views", "GET /v1/views", "DELETE /v1/views/{name}",
    "POST /ingest", "POST /hybrid-search", "POST /recall", "POST /v1/turns/before", "POST /v1/turns/after",
    "POST /v1/memories", "GET /v1/memories", "GET /v1/memories/{id}", "PATCH /v1/memories/{id}",
    "DELETE /v1/memories/{id}", "POST /v1/recall", "POST /v1/search", "GET /v1/files",
    "GET /v1/files/lines", "GET /v1/files/status",
    "POST /v1/flush-plan",
    "GET /v1/backups/drill",
    "GET /v1/status", "GET /v1/stats", "GET /v1/receipts/{id}", "POST /v1/export", "POST /v1/import",
    "POST /v1/consolidate", "POST /v1/consolidate/undo",
    "GET /health", "GET /ready", "GET /metrics", "GET /v1/me", "GET /v1/timeline",
    "POST /v1/erase", "GET /v1/erasures", "GET /v1/erasures/{id}", "POST /v1/erasures/finish",
    "GET /v1/events", "POST /v1/events", "GET /v1/sessions", "GET /v1/sessions/{id}", "GET /v1/users",
    "GET /v1/growth", "GET /v1/changes", "GET /v1/receipts", "GET /v1/activity", "GET /v1/usage",
    "GET /v1/receipts/log",
    "GET /v1/receipts/{id}/compare/{other}", "GET /v1/jobs", "POST /v1/jobs/{id}/retry", "POST /v1/jobs/{id}/cancel",
    "POST /v1/receipts/{id}/replay", "GET /v1/tools", "POST /v1/tools/{name}",
    "POST /v1/memories/{id}/restore", "POST /v1/forget", "POST /v1/ingest", "POST /v1/capture", "POST /v1/synthesize",
    "GET /v1/recipes", "GET /v1/index", "POST /v1/index", "GET /v1/jobs/next", "POST /v1/jobs/run", "POST /v1/backfill",
    "GET /v1/contradictions", "POST /v1/memories/{id}/resolve",
    "GET /v1/alerts", "GET /v1/drift", "GET /v1/tags", "POST /v1/tags", "DELETE /v1/tags/{name}", "GET /v1/diff",
    "POST /v1/retention", "GET /v1/holds", "POST /v1/holds", "DELETE /v1/holds/{name}",
    "POST /v1/subjects/find", "POST /v1/subjects/export", "POST /v1/subjects/erase", "GET /v1/subjects/{id}",
    "POST /v1/rollback", "POST /v1/grade", "POST /v1/writeback", "POST /v1/backups/drill",
    "GET /v1/golden", "POST /v1/golden", "POST /v1/golden/{receipt_id}",
    "GET /v1/canary", "POST /v1/canary", "POST /v1/canary/promote", "POST /v1/canary/stop",
    "POST /v1/rehearse", "GET /v1/gaps", "GET /v1/digest",
    "GET /v1/inbox", "POST /v1/inbox/decide", "POST /v1/inbox/undo", "GET /v1/inbox/decisions",
    "GET /v1/thresholds", "POST /v1/thresholds/revoke",
    "POST /v1/verify", "POST /v1/optimize", "GET /v1/backups", "POST /v1/backups", "GET /v1/doctor",
}  # fmt: skip

CHANGING = {"POST /v1/memories", "POST /ingest", "POST /v1/turns/after", "POST /v1/ingest", "POST /v1/capture",
            "POST /v1/erase", "POST /v1/consolidate/undo", "POST /v1/bulk/undo", "POST /v1/events"}  # fmt: skip

NEEDING_A_HISTORY = {
    "POST /v1/golden", "POST /v1/golden/{receipt_id}",
    "POST /v1/canary", "POST /v1/canary/promote", "POST /v1/canary/stop",
    "POST /v1/inbox/decide", "POST /v1/inbox/undo", "POST /v1/thresholds/revoke",
}  # fmt: skip


@pytest.fixture(scope="module")
def document(unchanged: Served) -> dict[str, Any]:
    found: dict[str, Any] = unchanged.client.get("/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        found: dict[str, Any] = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return found
    return schema


def has_example(document: dict[str, Any], content: dict[str, Any]) -> bool:
    schema = resolved(document, content.get("schema", {}))
    some = [resolved(document, each) for each in schema.get("anyOf", [schema])]
    return "example" in content or all("examples" in each for each in some)


def test_the_document_names_every_route(document: dict[str, Any]) -> None:
    assert {name for name, _ in operations(document)} == ROUTES


def test_every_route_says_what_it_does(document: dict[str, Any]) -> None:
    assert [name for name, operation in operations(document) if not operation.get("description")] == []


def test_every_route_has_an_example_of_what_it_takes_and_gives(document: dict[str, Any]) -> None:
    lacking = []
    for name, operation in operations(document):
        contents = list(operation.get("requestBody", {}).get("content", {}).values())
        for status, answer in operation["responses"].items():
            assert status != "default"
            contents += answer.get("content", {}).values()
        lacking += [name for content in contents if not has_example(document, content)]
    assert lacking == []


def test_every_error_is_documented_as_a_problem(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        errors = {status: problem for status, problem in operation["responses"].items() if int(status) >= 400}
        expected = {"421", "431", "500", "503", "504"}
        if name not in {"GET /health", "GET /ready"}:
            expected |= {"400", "401", "403", "408", "413", "415", "429", "502"}
        if "{id}" in name or "requestBody" in operation:
            expected |= {"404", "422"}
        assert expected <= errors.keys(), name
        for problem in errors.values():
            content = problem["content"]["application/problem+json"]
            assert content["schema"]["$ref"] == "#/components/schemas/Problem"
            assert content["example"]["code"]
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_an_example_is_a_request_that_is_taken(unchanged: Served, document: dict[str, Any]) -> None:
    """Those of routes that change nothing, or cannot here."""
    for name, operation in operations(document):
        if "requestBody" not in operation or name in CHANGING | NEEDING_A_HISTORY:
            continue
        schema = resolved(document, operation["requestBody"]["content"]["application/json"]["schema"])
        method, path = name.split()
        path = path.replace("{id}", "0198c1a2-7b3c-7def-8a01-23456789abcd").replace("{name}", "memory_recall")
        answer = unchanged.client.request(method, path, json=schema["examples"][0])
        assert answer.status_code in ({404} if "{id}" in name else {200, 201}), (name, answer.text)


def test_the_page_names_every_route_and_setting() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in ROUTES if f"`{name}`" not in page] == []
    assert [name for name in ServeOptions.__dataclass_fields__ if f"`serve.{name}`" not in page] == []
