"""The OpenAPI document: what the routes say of themselves, and the problems that any of them may answer with."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from cortex.surfaces.http.access import OPEN_PATHS
from cortex.surfaces.http.errors import MEDIA_TYPE, Problem
from cortex.surfaces.schemas import ID, ProblemAnswer

_ABOUT = "Long-term memory for AI agents. Errors are problem details (RFC 9457) with a stable `code`."

_ANY = {
    401: ("unauthorized", "a token is needed"),
    403: ("forbidden", "the token does not allow to write"),
    421: ("host_not_allowed", "the server is not known by this name"),
    429: ("rate_limited", "too many requests of this caller"),
    431: ("headers_too_large", "the headers are over 32,768 bytes"),
    500: ("unexpected", "a mistake in Cortex"),
    502: ("llm_unavailable", "the language model does not answer"),
    503: ("busy", "too many requests are under way"),
    504: ("deadline_exceeded", "took longer than 30 s"),
    507: ("disk_full", "no space is left to write the memory"),
}
_WITH_INPUT = {422: ("invalid_request", "limit: is outside 1 to 1000")}
_WITH_BODY = {
    400: ("malformed", "is not JSON: line 1, column 2"),
    408: ("request_timeout", "the body did not come within 10 s"),
    413: ("body_too_large", "the body is over 1,048,576 bytes"),
    415: ("media_type", "the body is not said to be JSON"),
}
_NOT_FOUND = {404: ("not_found", "no memory, turn or chunk")}
_CONFLICT = {409: ("conflict", "changed here since it was read")}
_WATCHED = {
    421: _ANY[421],
    431: _ANY[431],
    500: _ANY[500],
    503: ("store_unavailable", "the store cannot be opened"),
    504: _ANY[504],
}


def document(app: FastAPI) -> None:
    """Have the application describe itself whole."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    told = get_openapi(title=app.title, version=app.version, description=_ABOUT, routes=app.routes)
    schemas = told.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = ProblemAnswer.model_json_schema()
    told["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, methods in told["paths"].items():
        for operation in methods.values():
            operation["responses"].pop("422", None)
            for status, (code, detail) in sorted(_problems(path, operation).items()):
                operation["responses"][str(status)] = _problem(status, code, detail)
            operation["responses"] = dict(sorted(operation["responses"].items()))
            if path not in OPEN_PATHS:
                operation["security"] = [{"token": []}, {}]
    return told


def _problems(path: str, operation: dict[str, Any]) -> dict[int, tuple[str, str]]:
    if path in OPEN_PATHS:
        return dict(_WATCHED)
    # A body is read whatever the route: one that has none may be sent one all the same.
    found = {**_ANY, **_WITH_BODY}
    if operation.get("parameters") or "requestBody" in operation:
        found |= _WITH_INPUT | _NOT_FOUND
    if "requestBody" in operation:
        found |= _CONFLICT
    return found


def _problem(status: int, code: str, detail: str) -> dict[str, Any]:
    example = Problem(status=status, code=code, detail=detail, hint="what to do next").to_json(ID)
    told: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }
    if status in {429, 503}:
        told["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    return told
