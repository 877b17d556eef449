"""What every request passes: its name and origin, a free place, who asks, their pace, the size of the body.

A request is told of in one line of the log and counted, whatever becomes of it; neither holds anything of what it says.
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
from cortex.surfaces.calling import Busy
from cortex.surfaces.http.access import Access, Caller, Names, is_open
from cortex.surfaces.http.errors import Problem, Refused, unexpected
from cortex.surfaces.http.limits import FAILURES_PER_MINUTE, Crowd, Gone, Pace, Receive, Room, check_headers, read_body
from cortex.surfaces.http.metrics import Metrics
from cortex.surfaces.http.options import ServeOptions

log = logging.getLogger("cortex.http")

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

HISTORY_PATHS = frozenset(
    {"/ingest", "/v1/ingest", "/v1/capture", "/v1/turns/after", "/v1/import", "/v1/flush-plan"}
)
TURN_PATHS = frozenset({"/v1/turns/before", "/v1/turns/after"})
"""A turn that finds the server overloaded goes on without memory: it is told so, and gets no error."""

STREAMS = frozenset({("GET", "/v1/changes"), ("GET", "/mcp")})
"""What is answered for as long as the client listens takes no place of a request."""

_LONGEST_AT_ONCE = 16
"""How many bodies of the greatest length are held at once, or as many more as are shorter."""

_BORNE_BY_TURNS = frozenset({"busy", "rate_limited"})
_WATCHERS = frozenset({"/metrics"})
_GIVEN_ID = re.compile(r"[0-9a-fA-F-]{8,64}")


class Overflow(Protocol):
    """What becomes of turns that find the server full."""

    def wait(self, path: str) -> float | None:
        """How long one waits that has no chance; None where it has one."""
        ...

    def told(self, path: str, code: str) -> Response: ...


class Door:
    """The one middleware of the server."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        options: ServeOptions,
        access: Access,
        metrics: Metrics,
        clock: Clock,
        ids: IdSource,
        overflow: Overflow,
        paths: Collection[str],
    ) -> None:
        self._app = app
        self._options = options
        self._access = access
        self._metrics = metrics
        self._clock = clock
        self._ids = ids
        self._overflow = overflow
        self._paths = paths
        self._names = Names(options)
        self._crowd = Crowd(options.max_concurrent)
        self._room = Room(_LONGEST_AT_ONCE * max(options.max_history_bytes, options.max_body_bytes))
        self._pace = Pace(options.rate_per_minute, clock)
        self._failures = Pace(FAILURES_PER_MINUTE, clock, burst_seconds=60)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        passing = _Passing(scope, send, self._clock.monotonic())
        scope["cortex.request_id"] = passing.id = self._request_id(passing.headers)
        self._metrics.under_way.inc()
        try:
            await self._admit(passing, receive)
        except Gone:
            passing.status = 499  # what proxies write for it; nobody reads it as an answer
        except Refused as refused:
            await self._refuse(passing, refused.problem)
        except EngineError as error:
            await self._refuse(passing, Problem.of(error))
        except Exception as error:  # nothing may reach the server's own log: messages of errors may repeat a body
            places = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s: %s\n%s", passing.id, type(error).__name__, places)
            await self._refuse(passing, unexpected(error))
        finally:
            self._metrics.under_way.dec()
            self._tell(passing)

    async def _admit(self, passing: _Passing, receive: Receive) -> None:
        scope, headers, path = passing.scope, passing.headers, passing.scope["path"]
        check_headers(headers, self._options.max_header_bytes)
        self._names.check(scope["method"], headers)
        if is_open(path) or path in _WATCHERS:
            if not is_open(path):
                passing.caller = self._known(passing)
            await self._app(scope, receive, passing.send)
            return
        passing.caller = scope["cortex.caller"] = self._known(passing)
        if passing.caller.token_id is not None:
            self._pace.check(passing.caller.token_id)
        with self._room.body() as take:
            # A place is taken once the body is there, so that slow clients keep none from others.
            received = await self._with_body(passing, receive, take)
            with nullcontext() if (scope["method"], path) in STREAMS else self._crowd.entered():
                if (wait := self._overflow.wait(path)) is not None:
                    await asyncio.sleep(wait)
                    raise Busy
                await self._app(scope, received, passing.send)

    def _known(self, passing: _Passing) -> Caller:
        try:
            return self._access.caller(passing.headers)
        except Refused:
            client = passing.scope.get("client")
            self._failures.check(client[0] if client else "")
            raise

    async def _with_body(self, passing: _Passing, receive: Receive, take: Callable[[int], None]) -> Receive:
        options, path = self._options, passing.scope["path"]
        most = options.max_history_bytes if path in HISTORY_PATHS else options.max_body_bytes
        seconds = options.receive_timeout_ms / 1000
        body = await read_body(receive, passing.headers, take, most=most, seconds=seconds)
        if body and not _is_json(passing.headers.get("content-type", "")):
            raise Refused(
                Problem(
                    status=415,
                    code="media_type",
                    detail="the body is not said to be JSON",
                    hint="send it with `Content-Type: application/json`",
                )
            )
        told = False

        async def received() -> MutableMapping[str, Any]:
            nonlocal told
            if told:
                return await receive()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        return received

    async def _refuse(self, passing: _Passing, problem: Problem) -> None:
        self._metrics.refuse(problem.code)
        if passing.status is not None:  # half an answer is out: all that is left is to break off
            return
        if passing.scope["path"] in TURN_PATHS and problem.code in _BORNE_BY_TURNS:
            response = self._overflow.told(passing.scope["path"], problem.code)
            response.headers.update(problem.headers)
        else:
            response = problem.response(passing.id)
        await response(passing.scope, _nothing, passing.send)

    def _request_id(self, headers: Headers) -> str:
        given = headers.get("x-request-id", "")
        return given if _GIVEN_ID.fullmatch(given) else self._ids(self._clock.now())

    def _plain_route(self, path: str) -> str:
        """The route of a request that never came to one; any other path may say anything, so it is not told."""
        return path if path in self._paths else "unmatched"

    def _tell(self, passing: _Passing) -> None:
        seconds = self._clock.monotonic() - passing.began
        route = getattr(passing.scope.get("route"), "path", None) or self._plain_route(passing.scope["path"])
        method = passing.scope["method"] if passing.scope["method"] in _METHODS else "other"
        status = passing.status or 500
        self._metrics.count(method=method, route=route, status=status, seconds=seconds)
        told = {
            "id": passing.id,
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "token": passing.caller.token_id if passing.caller else None,
        }
        log.info("request", extra={"told": told})


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class _Passing:
    """One request on its way."""

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
            told = list(message.get("headers", ()))
            named = {name.lower() for name, _ in told}
            usual = [each for each in _HEADERS if each[0] not in named]
            message["headers"] = [*told, *usual, (b"x-request-id", self.id.encode())]
        await self._send(message)


_HEADERS = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


async def _nothing() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}
