"""The OpenAPI document: the declared operations, and the problems that each may return."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from cortex.surfaces.http.access import OPEN_PATHS
from cortex.surfaces.http.errors import MEDIA_TYPE, ProblemDetail
from cortex.surfaces.operations import OPERATIONS, Operation
from cortex.surfaces.wire.fields import ID
from cortex.surfaces.wire.model import Json, schema_of
from cortex.surfaces.wire.upkeep import ProblemResponse

_ABOUT = "Long-term memory for AI agents. Errors are problem details (RFC 9457) with a stable `code`."

_ANY = {
    401: ("unauthorized", "a token is required"),
    403: ("forbidden", "the token does not have the right to write"),
    421: ("host_not_allowed", "the host name is not allowed"),
    429: ("rate_limited", "too many requests from this caller"),
    431: ("headers_too_large", "the headers are over 32,768 bytes"),
    500: ("unexpected", "a bug in Cortex"),
    502: ("llm_unavailable", "the language model does not respond"),
    503: ("busy", "too many requests at once"),
    504: ("deadline_exceeded", "took longer than 30 s"),
    507: ("disk_full", "no space is left to write the memory"),
}
_WITH_INPUT = {422: ("invalid_request", "limit: is outside 1 to 1000")}
_WITH_BODY = {
    400: ("malformed", "is not JSON: line 1, column 2"),
    408: ("request_timeout", "the body did not arrive within 10 s"),
    413: ("body_too_large", "the body is over 1,048,576 bytes"),
    415: ("media_type", "the body is not declared as JSON"),
}
_NOT_FOUND = {404: ("not_found", "no memory, turn or chunk")}
_CONFLICT = {409: ("conflict", "changed here since it was read")}
_PROBES = {
    421: _ANY[421],
    431: _ANY[431],
    500: _ANY[500],
    503: ("store_unavailable", "the store cannot be opened"),
    504: _ANY[504],
}


def install_openapi(app: FastAPI) -> None:
    """Make the application serve the complete document."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, description=_ABOUT, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = schema_of(ProblemResponse, "serialization")
    paths: Json = {}
    for declared in OPERATIONS:
        paths.setdefault(declared.path, {})[declared.method.lower()] = _operation(declared, schemas)
    document["paths"] = paths | document["paths"]
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, methods in document["paths"].items():
        for operation in methods.values():
            operation["responses"].pop("422", None)
            for status, (code, detail) in sorted(_problems(path, operation).items()):
                operation["responses"][str(status)] = _problem(status, code, detail)
            operation["responses"] = dict(sorted(operation["responses"].items()))
            if path not in OPEN_PATHS:
                operation["security"] = [{"token": []}, {}]
    return document


def _operation(declared: Operation, schemas: Json) -> Json:
    """An operation from its declaration and models."""
    request = schema_of(declared.request)
    fields = {name: field for name, field in request["properties"].items() if name not in declared.in_path}
    required = [name for name in request.get("required", ()) if name not in declared.in_path]
    payload: Json = {
        "operationId": declared.name,
        "summary": declared.name.replace("_", " ").capitalize(),
        "description": declared.about,
        "tags": [declared.tag],
        "parameters": [_parameter(name, "path", request["properties"][name], True) for name in declared.in_path],
    }
    if not declared.has_body:
        payload["parameters"] += [_parameter(name, "query", each, name in required) for name, each in fields.items()]
    else:
        body = {key: value for key, value in request.items() if key != "required"} | {"properties": fields}
        schema = _component(declared.request.__name__, body | ({"required": required} if required else {}), schemas)
        payload["requestBody"] = {"required": bool(required), "content": {"application/json": {"schema": schema}}}
    if declared.name == "edit":
        payload["parameters"].append(_parameter("If-Match", "header", _IF_MATCH, False))
    payload["responses"] = {str(declared.status): {"description": "Success.", "content": _content(declared, schemas)}}
    return payload


_IF_MATCH: Json = {"type": "string", "description": "The `ETag` of the version that was read; same as `if_revision`."}


def _parameter(name: str, place: str, schema: Json, required: bool) -> Json:
    about = schema.get("description", "")
    return {"name": name, "in": place, "required": required, "schema": schema, "description": about}


def _content(declared: Operation, schemas: Json) -> Json:
    if declared.media:
        kinds = (each.split(" ", 1) for each in declared.media)
        return {kind: {"schema": {"type": "string"}, "example": example} for kind, example in kinds}
    schema = schema_of(declared.response, "serialization")
    return {"application/json": {"schema": _component(declared.response.__name__, schema, schemas)}}


def _component(name: str, schema: Json, schemas: Json) -> Json:
    """Add a schema and those inside it to the components; returns a reference."""
    inner = schema.get("$defs", {})
    for each in (*inner.items(), (name, {key: value for key, value in schema.items() if key != "$defs"})):
        schemas[each[0]] = json.loads(json.dumps(each[1]).replace("#/$defs/", "#/components/schemas/"))
    return {"$ref": f"#/components/schemas/{name}"}


def _problems(path: str, operation: dict[str, Any]) -> dict[int, tuple[str, str]]:
    if path in OPEN_PATHS:
        return dict(_PROBES)
    # The gateway reads any body, also of routes that take none.
    found = {**_ANY, **_WITH_BODY}
    if operation.get("parameters") or "requestBody" in operation:
        found |= _WITH_INPUT | _NOT_FOUND
    if "requestBody" in operation:
        found |= _CONFLICT
    return found


def _problem(status: int, code: str, detail: str) -> dict[str, Any]:
    example = ProblemDetail(status=status, code=code, detail=detail, hint="what to do next").to_json(ID)
    payload: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }
    if status in {429, 503}:
        payload["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    return payload
