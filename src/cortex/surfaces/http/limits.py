"""Limits: concurrent requests, rate per caller, size and duration of bodies."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import anyio
from starlette.datastructures import Headers

from cortex.ports.clock import Clock
from cortex.surfaces.bounded_executor import Busy
from cortex.surfaces.http.errors import ProblemDetail, RequestRefused

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

FAILURES_PER_MINUTE = 60
"""How many failed authentications one address may make."""

_DRAIN_SECONDS = 1.0
_MOST_CALLERS = 10_000
_MOST_DIGITS = 15


class ConcurrencyLimit:
    """Limits how many requests run at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.now = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        if self.now >= self._most:
            raise Busy
        self.now += 1
        try:
            yield
        finally:
            self.now -= 1


class BodyBudget:
    """Limits the bytes of all bodies in memory. Slow clients are no concurrent requests, but their bodies add up."""

    def __init__(self, most: int) -> None:
        self._left = most

    @contextmanager
    def body(self) -> Iterator[Callable[[int], None]]:
        """Yields a function that reserves bytes; they are released at the end."""
        reserved = 0

        def reserve(size: int) -> None:
            nonlocal reserved
            if size > self._left:
                raise Busy
            self._left -= size
            reserved += size

        try:
            yield reserve
        finally:
            self._left += reserved


class RateLimiter:
    """A token bucket per name, with a small burst; only for the event loop."""

    def __init__(self, per_minute: int, clock: Clock, *, burst_seconds: float = 10.0) -> None:
        self._per_second = per_minute / 60
        self._most = max(1.0, self._per_second * burst_seconds)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, name: str) -> None:
        """Count a request of `name`, or refuse it."""
        if self._per_second and (wait := self.take(name)):
            raise RequestRefused(
                ProblemDetail(
                    status=429,
                    code="rate_limited",
                    detail="too many requests from this caller",
                    hint=f"try again in {wait} s",
                    headers={"Retry-After": str(wait)},
                )
            )

    def take(self, name: str) -> int:
        """Take one request; returns 0, or the seconds to wait if none is left."""
        now = self._clock.monotonic()
        left, at = self._left.pop(name, (self._most, now))
        left = min(self._most, left + (now - at) * self._per_second)
        self._left[name] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        return 0 if left >= 1 else math.ceil((1 - left) / self._per_second)


def check_headers(headers: Headers, most: int) -> None:
    """Refuse headers that are too large: uvicorn only limits those that arrive in several parts."""
    if sum(len(name) + len(value) for name, value in headers.raw) > most:
        raise RequestRefused(
            ProblemDetail(
                status=431,
                code="headers_too_large",
                detail=f"the headers are over {most:,} bytes",
                hint="send fewer, or raise serve.max_header_bytes",
                headers={"Connection": "close"},
            )
        )


async def read_body(
    receive: Receive, headers: Headers, take: Callable[[int], None], *, most: int, seconds: float
) -> bytes:
    """Read the whole body. One that is too large is refused by its declared length, or as soon as it is too long."""
    declared = headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and (len(declared) > _MOST_DIGITS or int(declared) > most):
        if "expect" not in headers:
            await _drain(receive)
        raise RequestRefused(_too_large(most))
    parts: list[bytes] = []
    size = 0
    with anyio.move_on_after(seconds) as scope:
        async for part in _parts(receive):
            size += len(part)
            if size > most:
                parts.clear()
                await _drain(receive)
                raise RequestRefused(_too_large(most))
            take(len(part))
            parts.append(part)
    if scope.cancelled_caught:
        raise RequestRefused(
            ProblemDetail(
                status=408,
                code="request_timeout",
                detail=f"the body did not arrive within {seconds:g} s",
                hint="send it faster",
                headers={"Connection": "close"},
            )
        )
    return b"".join(parts)


async def _parts(receive: Receive) -> Any:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        yield message.get("body", b"")
        more = message.get("more_body", False)


class ClientDisconnected(Exception):
    """The client closed the connection."""


async def _drain(receive: Receive) -> None:
    """Read and discard the rest for a moment: many clients read no response before they have sent everything."""
    with anyio.move_on_after(_DRAIN_SECONDS):
        try:
            async for _ in _parts(receive):
                pass
        except ClientDisconnected:
            return


def _too_large(most: int) -> ProblemDetail:
    return ProblemDetail(
        status=413,
        code="body_too_large",
        detail=f"the body is over {most:,} bytes",
        hint="send less, or raise serve.max_body_bytes (serve.max_history_bytes for histories and imports)",
        headers={"Connection": "close"},
    )
