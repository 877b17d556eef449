"""`/mcp`: the tools of `cortex mcp` for hosts that speak streamable HTTP, each as the tenant of its token."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from cortex.access.tokens import Right
from cortex.errors import EngineError, install_command
from cortex.memory import Cortex
from cortex.surfaces.http.access import Caller
from cortex.surfaces.http.errors import Problem, Refused
from cortex.surfaces.http.limits import Receive
from cortex.surfaces.http.request_context import AppState
from cortex.surfaces.http.streams import Streams

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Forbidden(EngineError):
    """The token does not allow it."""

    code = "forbidden"
    http_status = 403


class McpHosting:
    """Answers at `/mcp`. The SDK is imported when the first host comes: most servers never see one."""

    def __init__(self, served: AppState) -> None:
        self._served = served
        self._lock = asyncio.Lock()
        self._sessions: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._end = asyncio.Event()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        sessions = await self._started()
        scope["user"] = _user(scope["cortex.caller"])
        if scope["method"] != "GET":
            await sessions.handle_request(scope, receive, send)
            return
        async with self._served.streams.entered():
            ended = _Ended(send)
            await sessions.handle_request(scope, _until_the_end(receive, self._served.streams), ended.send)
            await ended.close()

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """While hosts are answered; at the end their sessions are closed."""
        try:
            yield
        finally:
            self._end.set()
            if self._running is not None:
                await self._running

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._lock:
            if self._sessions is None:
                self._sessions = await anyio.to_thread.run_sync(_sessions, self._served)
                begun = asyncio.Event()
                # In a task of its own: what the SDK begins has to end in the task that began it.
                self._running = asyncio.create_task(self._run(self._sessions, begun))
                await begun.wait()
            return self._sessions

    async def _run(self, sessions: StreamableHTTPSessionManager, begun: asyncio.Event) -> None:
        try:
            async with sessions.run():
                begun.set()
                await self._end.wait()
        finally:
            begun.set()


def _sessions(served: AppState) -> StreamableHTTPSessionManager:
    try:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from cortex.surfaces.mcp.server import create_server
    except ImportError as error:
        raise Refused(
            Problem(
                status=404,
                code="no_such_route",
                detail="the MCP SDK is not installed here, or is too old",
                hint=f"{install_command('mcp')}, and start the server again",
            )
        ) from error
    # What the SDK logs is for its developers, and may repeat what was said.
    for name in ("mcp", "sse_starlette"):
        logging.getLogger(name).addHandler(logging.NullHandler())

    def engine_of(request: Any, writes: bool) -> Cortex:
        return _engine(served, request.scope["cortex.caller"], writes)

    # Names, origins and the length of bodies were looked at by the door.
    return StreamableHTTPSessionManager(
        create_server(engine_of),
        max_request_body_size=served.options.max_body_bytes,
        max_sessions=served.options.max_connections,
    )


def _engine(served: AppState, caller: Caller, writes: bool) -> Cortex:
    try:
        caller.require(Right.WRITE if writes else Right.READ)
    except Refused as refused:
        raise Forbidden(refused.problem.detail, hint=refused.problem.hint) from None
    if writes:
        served.caretaker.meet(caller.tenant)
    return served.engine.bind(agent=caller.tenant.agent, user=caller.tenant.user)


def _user(caller: Caller) -> Any:
    """Whom a session belongs to: the SDK answers nobody else in it."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    if caller.token_id is None:
        return None
    # The token itself stays at the door; the SDK tells sessions apart by the id.
    return AuthenticatedUser(AccessToken(token="", client_id=caller.token_id, scopes=[]))


# --- streams that end with the server ---------------------------------------------------------------------------------


def _until_the_end(receive: Receive, streams: Streams) -> Receive:
    """`receive`, which says that the client has left as soon as the server is to end."""

    async def heard() -> Message:
        hearing, ending = asyncio.ensure_future(receive()), asyncio.ensure_future(streams.ending())
        try:
            await asyncio.wait({hearing, ending}, return_when=asyncio.FIRST_COMPLETED)
            return hearing.result() if hearing.done() else {"type": "http.disconnect"}
        finally:
            hearing.cancel()
            ending.cancel()

    return heard


class _Ended:
    """An answer that is brought to its end whoever broke it off."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_open = False

    async def send(self, message: Message) -> None:
        self._is_open = message["type"] == "http.response.start" or bool(message.get("more_body"))
        await self._send(message)

    async def close(self) -> None:
        if self._is_open:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
