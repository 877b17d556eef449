"""Failed requests as problem details (RFC 9457): a stable code, the invalid field, and a hint."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from cortex.errors import EngineError, full_disk

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1

_CODES = {404: "no_such_route", 405: "method_not_allowed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemDetail:
    """A problem detail."""

    status: int
    code: str
    detail: str
    hint: str = ""
    field: str | None = None
    faults: Sequence[Mapping[str, str]] = ()
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, error: EngineError) -> ProblemDetail:
        named: str | None = getattr(error, "field", None)
        status = error.http_status
        headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}
        return cls(
            status=status,
            code=error.code,
            detail=error.message,
            hint=error.hint,
            field=named,
            faults=getattr(error, "faults", ()),
            headers=headers,
        )

    def to_json(self, request_id: str) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "type": f"urn:cortex:problem:{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "field": self.field,
            "hint": self.hint or None,
            "request_id": request_id,
        }
        if self.faults:
            payload["errors"] = [dict(each) for each in self.faults]
        return payload

    def response(self, request_id: str) -> Response:
        return JSONResponse(self.to_json(request_id), self.status, dict(self.headers), MEDIA_TYPE)


class RequestRefused(Exception):
    """A request that the server refuses itself, without the engine."""

    def __init__(self, problem: ProblemDetail) -> None:
        super().__init__(problem.code)
        self.problem = problem


class Malformed(HTTPException):
    """A body that is not valid JSON."""

    def __init__(self, detail: str, hint: str, *, status: int = 400, code: str = "malformed") -> None:
        super().__init__(status, detail)
        self.problem = ProblemDetail(status=status, code=code, detail=detail, hint=hint, field="body")


def handle_errors(app: FastAPI) -> None:
    """Return every error of a route as a problem detail."""
    app.add_exception_handler(EngineError, _engine_failed)
    app.add_exception_handler(RequestRefused, _refused)
    app.add_exception_handler(HTTPException, _http_failed)


def unexpected(error: Exception) -> ProblemDetail:
    """The problem for an unexpected error. Its message is left out: it may quote a memory."""
    if full := full_disk(error):
        return ProblemDetail.of(full)
    return ProblemDetail(status=500, code="unexpected", detail="a bug in Cortex", hint="report it with the request id")


def request_id_of(request: Request) -> str:
    return str(request.scope.get("cortex.request_id", ""))


async def _engine_failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, EngineError)
    return ProblemDetail.of(error).response(request_id_of(request))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRefused)
    return error.problem.response(request_id_of(request))


async def _http_failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    problem = getattr(error, "problem", None) or ProblemDetail(
        status=error.status_code,
        code=_CODES.get(error.status_code, "http_error"),
        detail=str(error.detail),
        hint="see /openapi.json for all routes",
        headers=dict(error.headers or {}),
    )
    response: Response = problem.response(request_id_of(request))
    return response
