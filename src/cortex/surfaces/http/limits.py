"""What the server bears: how many requests at once, how many of each caller, how long and how large a body."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import anyio
from starlette.datastructures import Headers

from cortex.ports.clock import Clock
from cortex.surfaces.calling import Busy
from cortex.surfaces.http.errors import Problem, Refused

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

FAILURES_PER_MINUTE = 60
"""How often one address may come with a token that is not good."""

_DRAIN_SECONDS = 1.0
_MOST_CALLERS = 10_000
_MOST_DIGITS = 15


class Crowd:
    """How many requests are under way."""

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


class Room:
    """How many bytes of bodies are held at once: those of slow clients take no place of a request, but they add up."""

    def __init__(self, most: int) -> None:
        self._left = most

    @contextmanager
    def body(self) -> Iterator[Callable[[int], None]]:
        """Gives what takes so many more bytes; they are given back at the end."""
        taken = 0

        def take(size: int) -> None:
            nonlocal taken
            if size > self._left:
                raise Busy
            self._left -= size
            taken += size

        try:
            yield take
        finally:
            self._left += taken


class Pace:
    """So many requests a minute for each name, with a little more at once; used by the event loop alone."""

    def __init__(self, per_minute: int, clock: Clock, *, burst_seconds: float = 10.0) -> None:
        self._per_second = per_minute / 60
        self._most = max(1.0, self._per_second * burst_seconds)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, name: str) -> None:
        """Count a request of `name`, or refuse it."""
        if self._per_second and (wait := self.taken(name)):
            raise Refused(
                Problem(
                    status=429,
                    code="rate_limited",
                    detail="too many requests of this caller",
                    hint=f"try again in {wait} s",
                    headers={"Retry-After": str(wait)},
                )
            )

    def taken(self, name: str) -> int:
        """0 where there was one left to take, else how many seconds there will be none."""
        now = self._clock.monotonic()
        left, at = self._left.pop(name, (self._most, now))
        left = min(self._most, left + (now - at) * self._per_second)
        self._left[name] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _MOST_CALLERS:
            self._left.popitem(last=False)
        return 0 if left >= 1 else math.ceil((1 - left) / self._per_second)


def check_headers(headers: Headers, most: int) -> None:
    """Refuse headers that are too long: the server's own limit holds only for those that come in pieces."""
    if sum(len(name) + len(value) for name, value in headers.raw) > most:
        raise Refused(
            Problem(
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
    """The whole body, or a refusal: before it is read where its length says enough, else as soon as it is too long."""
    declared = headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and (len(declared) > _MOST_DIGITS or int(declared) > most):
        if "expect" not in headers:
            await _drain(receive)
        raise Refused(_too_large(most))
    parts: list[bytes] = []
    size = 0
    with anyio.move_on_after(seconds) as scope:
        async for part in _parts(receive):
            size += len(part)
            if size > most:
                parts.clear()
                await _drain(receive)
                raise Refused(_too_large(most))
            take(len(part))
            parts.append(part)
    if scope.cancelled_caught:
        raise Refused(
            Problem(
                status=408,
                code="request_timeout",
                detail=f"the body did not come within {seconds:g} s",
                hint="send it at once",
                headers={"Connection": "close"},
            )
        )
    return b"".join(parts)


async def _parts(receive: Receive) -> Any:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        yield message.get("body", b"")
        more = message.get("more_body", False)


class Gone(Exception):
    """The client has left."""


async def _drain(receive: Receive) -> None:
    """Let the client finish for a moment, keeping nothing: many read no answer before they have sent all."""
    with anyio.move_on_after(_DRAIN_SECONDS):
        try:
            async for _ in _parts(receive):
                pass
        except Gone:
            return


def _too_large(most: int) -> Problem:
    return Problem(
        status=413,
        code="body_too_large",
        detail=f"the body is over {most:,} bytes",
        hint="send less at once, or raise serve.max_body_bytes (serve.max_history_bytes for histories and imports)",
        headers={"Connection": "close"},
    )
