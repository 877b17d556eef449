"""Runs the server in its own process: over stdin and stdout, or over HTTP on this machine only."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Protocol

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from cortex.domain.chat import Chat
from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks
from cortex.settings import Settings
from cortex.surfaces.mcp.server import create_server, in_chat

LOOPBACK = "127.0.0.1"
PATH = "/mcp"


class MemorySource(Protocol):
    """Where the memory is: it may be in this process or on a server, and that may change between calls."""

    @property
    def settings(self) -> Settings: ...
    def engine(self, chat: Chat | None = None) -> Cortex: ...
    def close(self) -> None: ...


def serve_stdio(memory: MemorySource, profile: str, project: str | None = None) -> None:
    """Serve the host that started this process until it closes our stdin; `project` is as in `create_server`."""
    server = create_server(lambda _request, _writes, chat: memory.engine(chat), profile, memory.settings, project)
    with suppress(BrokenPipeError):
        try:
            asyncio.run(_over_stdio(server, memory))
        except BaseExceptionGroup as errors:
            # The host ended without closing our stdin first.
            if errors.split(BrokenPipeError)[1] is not None:
                raise


def serve_http(engine: Cortex, port: int, profile: str, on_ready: Callable[[str], None]) -> None:
    """Serve on this machine until a signal ends it; `on_ready` receives the address."""
    import uvicorn

    listening = _bound(port)
    url = f"http://{LOOPBACK}:{listening.getsockname()[1]}{PATH}"
    TurnHooks(engine).warm()
    server = create_server(lambda _request, _writes, chat: in_chat(engine, chat), profile)
    app = server.streamable_http_app(streamable_http_path=PATH, host=LOOPBACK)
    # Log lines on stdout would mix with the output of the command.
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=2)
    # Once it has shut down, uvicorn repeats the signal, which would end the process before the engine is closed.
    signal.signal(signal.SIGTERM, _exit)
    on_ready(url)
    uvicorn.Server(config).run(sockets=[listening])


async def _over_stdio(server: Server[None], memory: MemorySource) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, _leave, memory, number)
    # Inside of it, everything else that prints in this process goes to stderr.
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _leave(memory: MemorySource, number: int) -> None:
    """End at once: the thread that reads stdin cannot be woken, and an orderly end would wait for it."""
    memory.close()
    sys.stderr.flush()
    os._exit(128 + number)


def _exit(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        # A client that connects now waits in the backlog until the server runs.
        listening.listen()
    except OSError as error:
        listening.close()
        raise InvalidRequest(
            f"{port} cannot be used: {error.strerror or error}", field="--port", hint="name another; 0 takes a free one"
        ) from error
    return listening
