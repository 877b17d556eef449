"""Runs the application with uvicorn: connection limits, graceful shutdown, and a log without texts."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from types import FrameType
from typing import Any

import anyio.to_thread
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from cortex.access.tokens import Tokens
from cortex.errors import InvalidRequest
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.streams import Streams

_LOGGERS = ("cortex", "uvicorn.error")
_BACKLOG = 256
_SWITCH_SECONDS = 0.0005
"""The switch interval of the interpreter. The event loop needs it many times per request; Python's default of five
milliseconds would dominate the latency of a turn."""

_TICKS_PER_SECOND = 10
_ENDING = (signal.SIGINT, signal.SIGTERM)


def check_exposure(tokens: Tokens, options: ServeOptions, now: datetime) -> None:
    """Refuse to listen on other than local addresses without a token."""
    if options.is_local or any(token.state(now) == "active" for token in tokens.all()):
        return
    raise InvalidRequest(
        f"{options.host} is reachable from other machines, and there is no token",
        field="serve.host",
        hint="create one with `cortex admin tokens create`, or listen on 127.0.0.1",
    )


def listen(options: ServeOptions) -> socket.socket:
    """Bind the socket; port 0 takes a free port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with ExitStack() as if_refused:
            bound = if_refused.enter_context(socket.socket(family, kind, protocol))
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            if_refused.pop_all()
    except OSError as error:
        raise InvalidRequest(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}",
            field="serve.port",
            hint="choose another with --port, or stop the program that uses it",
        ) from error
    return bound


def address_of(bound: socket.socket) -> str:
    """The URL of the server."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(frozen=True, slots=True)
class IdleLimit:
    """When a server that nobody stops ends by itself."""

    seconds: float
    """How long without a request or an open connection."""
    has_work: Callable[[], bool]
    """Whether jobs are due, which are done first."""
    is_outdated: Callable[[], bool]
    """Whether a new server would behave differently, so that this one makes room at once."""


class HttpServer(uvicorn.Server):
    """uvicorn, without raising the signal again after shutdown: the caller has things to close."""

    def __init__(
        self,
        app: FastAPI,
        options: ServeOptions,
        ready: Callable[[], None] | None = None,
        idle: IdleLimit | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_protocol(options.receive_timeout_ms / 1000),
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=_BACKLOG,
                limit_concurrency=options.max_connections,
                timeout_keep_alive=5,
                timeout_graceful_shutdown=options.shutdown_seconds,
                h11_max_incomplete_event_size=options.max_header_bytes,
            )
        )
        self._ready = ready
        self._idle = idle
        self._last_requests = 0
        self._idle_since = monotonic()
        self._streams: Streams = app.state.cortex.streams

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._ready is not None and not self.should_exit:
            self._ready()

    async def on_tick(self, counter: int) -> bool:
        if self._idle is not None and counter % _TICKS_PER_SECOND == 0 and not self.should_exit:
            self.should_exit = await self._is_past(self._idle)
        return await super().on_tick(counter)

    async def _is_past(self, limit: IdleLimit) -> bool:
        state, now = self.server_state, monotonic()
        if state.connections or state.total_requests != self._last_requests:
            self._last_requests, self._idle_since = state.total_requests, now
        if limit.is_outdated():
            return True
        if now - self._idle_since < limit.seconds:
            return False
        return not await anyio.to_thread.run_sync(limit.has_work)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Streams do not end by themselves; shutdown would wait for them.
        self._streams.end()
        await super().shutdown(sockets)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        gc.freeze()  # these objects stay: collecting them would only delay requests
        try:
            await super().serve(sockets)
        finally:
            gc.unfreeze()
            sys.setswitchinterval(before)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Not uvicorn's own method: the MCP SDK looks for it behind the handler, and would cut off responses.
        def handle_signal(number: int, _frame: FrameType | None) -> None:
            self.force_exit |= self.should_exit and number == signal.SIGINT
            self.should_exit = True

        try:
            before = {each: signal.signal(each, handle_signal) for each in _ENDING}
        except ValueError:  # not in the main thread: the caller sets `should_exit`
            yield
            return
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def _protocol(seconds: float) -> type[asyncio.Protocol]:
    """HTTP with a timeout for headers, which uvicorn does not have."""

    class Bounded(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._expect()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_answering:
                self._cease()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self._is_answering:
                self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cease()
            super().connection_lost(exc)

        @property
        def _is_answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _expect(self) -> None:
            self._cease()
            self._late = self.loop.call_later(seconds, self._give_up)

        def _cease(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _give_up(self) -> None:
            if not self._is_answering and not self.transport.is_closing():
                self.transport.close()

    return Bounded


# --- the log ----------------------------------------------------------------------------------------------------------


class JsonLines(logging.Formatter):
    """One JSON object per line. Errors by type and location, never by message."""

    def format(self, record: logging.LogRecord) -> str:
        payload: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        payload |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[0] is not None:
            payload["error"] = record.exc_info[0].__name__
        return json.dumps(payload, ensure_ascii=False)


@contextmanager
def logged(level: int = logging.INFO) -> Iterator[None]:
    """Write the log to stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    before = {}
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        before[logger] = (logger.level, logger.propagate)
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, (old, propagates) in before.items():
            logger.removeHandler(handler)
            logger.setLevel(old)
            logger.propagate = propagates
