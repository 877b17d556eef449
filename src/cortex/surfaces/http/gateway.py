"""The middleware of every request: host name and origin, authentication, rate, body size, concurrency.

Every request is logged in one line and counted. Neither contains anything of its content.
"""

from __future__ import annotations

import asyncio
import logging
import re
import traceback
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from contextlib import nullcontext
from typing import Any, Protocol

from starlette.datastructures import Headers
from starlette.responses import Response

from cortex.domain.identity import IdSource
from cortex.errors import EngineError
from cortex.ports.clock import Clock
from cortex.surfaces.bounded_executor import Busy
from cortex.surfaces.http.access import AllowedHosts, Authenticator, Caller, is_open
from cortex.surfaces.http.errors import ProblemDetail, RequestRefused, unexpected
from cortex.surfaces.http.limits import (
    FAILURES_PER_MINUTE,
    BodyBudget,
    ClientDisconnected,
    ConcurrencyLimit,
    RateLimiter,
    Receive,
    check_headers,
    read_body,
)
from cortex.surfaces.http.metrics import Metrics
from cortex.surfaces.http.options import ServeOptions

log = logging.getLogger("cortex.http")

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

HISTORY_PATHS = frozenset({"/ingest", "/v1/ingest", "/v1/capture", "/v1/turns/after", "/v1/import", "/v1/flush-plan"})
TURN_PATHS = frozenset({"/v1/turns/before", "/v1/turns/after"})
"""On overload, and without the store that has the tokens, a turn gets an empty answer marked as degraded."""

STREAMS = frozenset({("GET", "/v1/changes"), ("GET", "/mcp")})
"""Long-lived streams do not count as concurrent requests."""

_LARGEST_BODIES = 16
"""How many bodies of the maximum size fit into memory at once."""

_DEGRADED_CODES = frozenset({"busy", "rate_limited", "store_unavailable", "store_busy"})
_UNLIMITED_PATHS = frozenset({"/metrics"})
_REQUEST_ID = re.compile(r"[0-9a-fA-F-]{8,64}")


class OverloadPolicy(Protocol):
    """How turns are answered on overload."""

    def delay(self, path: str) -> float | None:
        """How long to delay a turn that cannot be served in time; None if it can."""
        ...

    def response(self, path: str, code: str) -> Response: ...


class GatewayMiddleware:
    """The middleware of the server."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        options: ServeOptions,
        access: Authenticator,
        metrics: Metrics,
        clock: Clock,
        ids: IdSource,
        overload: OverloadPolicy,
        paths: Collection[str],
    ) -> None:
        self._app = app
        self._options = options
        self._access = access
        self._metrics = metrics
        self._clock = clock
        self._ids = ids
        self._overload = overload
        self._paths = paths
        self._names = AllowedHosts(options)
        self._concurrency = ConcurrencyLimit(options.max_concurrent)
        self._bodies = BodyBudget(_LARGEST_BODIES * max(options.max_history_bytes, options.max_body_bytes))
        self._rate = RateLimiter(options.rate_per_minute, clock)
        self._failures = RateLimiter(FAILURES_PER_MINUTE, clock, burst_seconds=60)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = _InFlightRequest(scope, send, self._clock.monotonic())
        scope["cortex.request_id"] = request.id = self._request_id(request.headers)
        self._metrics.in_progress.inc()
        try:
            await self._admit(request, receive)
        except ClientDisconnected:
            request.status = 499  # as proxies log it; the client does not see it
        except RequestRefused as refused:
            await self._refuse(request, refused.problem)
        except EngineError as error:
            await self._refuse(request, ProblemDetail.of(error))
        except Exception as error:  # uvicorn must not log it: error messages may quote a body
            places = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s: %s\n%s", request.id, type(error).__name__, places)
            await self._refuse(request, unexpected(error))
        finally:
            self._metrics.in_progress.dec()
            self._log(request)

    async def _admit(self, request: _InFlightRequest, receive: Receive) -> None:
        scope, headers, path = request.scope, request.headers, request.scope["path"]
        check_headers(headers, self._options.max_header_bytes)
        self._names.check(scope["method"], headers)
        if is_open(path) or path in _UNLIMITED_PATHS:
            if not is_open(path):
                request.caller = self._authenticated(request)
            await self._app(scope, receive, request.send)
            return
        request.caller = scope["cortex.caller"] = self._authenticated(request)
        if request.caller.token_id is not None:
            self._rate.check(request.caller.token_id)
        with self._bodies.body() as take:
            # Counted only after the body has arrived, so that slow clients block nobody.
            received = await self._with_body(request, receive, take)
            with nullcontext() if (scope["method"], path) in STREAMS else self._concurrency.entered():
                if (wait := self._overload.delay(path)) is not None:
                    await asyncio.sleep(wait)
                    raise Busy
                await self._app(scope, received, request.send)

    def _authenticated(self, request: _InFlightRequest) -> Caller:
        try:
            return self._access.caller(request.headers)
        except RequestRefused:
            client = request.scope.get("client")
            self._failures.check(client[0] if client else "")
            raise

    async def _with_body(self, request: _InFlightRequest, receive: Receive, take: Callable[[int], None]) -> Receive:
        options, path = self._options, request.scope["path"]
        most = options.max_history_bytes if path in HISTORY_PATHS else options.max_body_bytes
        seconds = options.receive_timeout_ms / 1000
        body = await read_body(receive, request.headers, take, most=most, seconds=seconds)
        if body and not _is_json(request.headers.get("content-type", "")):
            raise RequestRefused(
                ProblemDetail(
                    status=415,
                    code="media_type",
                    detail="the body is not declared as JSON",
                    hint="send it with `Content-Type: application/json`",
                )
            )
        is_sent = False

        async def received() -> MutableMapping[str, Any]:
            nonlocal is_sent
            if is_sent:
                return await receive()
            is_sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        return received

    async def _refuse(self, request: _InFlightRequest, problem: ProblemDetail) -> None:
        self._metrics.refuse(problem.code)
        if request.status is not None:  # part of the response is sent already
            return
        if request.scope["path"] in TURN_PATHS and problem.code in _DEGRADED_CODES:
            response = self._overload.response(request.scope["path"], problem.code)
            response.headers.update(problem.headers)
        else:
            response = problem.response(request.id)
        await response(request.scope, _nothing, request.send)

    def _request_id(self, headers: Headers) -> str:
        given = headers.get("x-request-id", "")
        return given if _REQUEST_ID.fullmatch(given) else self._ids(self._clock.now())

    def _known_path(self, path: str) -> str:
        """The path of a request that reached no route; unknown paths are not logged."""
        return path if path in self._paths else "unmatched"

    def _log(self, request: _InFlightRequest) -> None:
        seconds = self._clock.monotonic() - request.began
        route = getattr(request.scope.get("route"), "path", None) or self._known_path(request.scope["path"])
        method = request.scope["method"] if request.scope["method"] in _METHODS else "other"
        status = request.status or 500
        self._metrics.count(method=method, route=route, status=status, seconds=seconds)
        payload = {
            "id": request.id,
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "token": request.caller.token_id if request.caller else None,
        }
        log.info("request", extra={"fields": payload})


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class _InFlightRequest:
    """One request and the status of its response."""

    def __init__(self, scope: Scope, send: Send, began: float) -> None:
        self.scope = scope
        self.headers = Headers(scope=scope)
        self.began = began
        self.id = ""
        self.status: int | None = None
        self.caller: Caller | None = None
        self._send = send

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = list(message.get("headers", ()))
            named = {name.lower() for name, _ in headers}
            defaults = [each for each in _HEADERS if each[0] not in named]
            message["headers"] = [*headers, *defaults, (b"x-request-id", self.id.encode())]
        await self._send(message)


_HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


async def _nothing() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}
