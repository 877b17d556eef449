"""`/mcp`: the tools of `cortex mcp` over streamable HTTP, for the tenant of the token."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from cortex.access.tokens import Right
from cortex.domain.chat import Chat
from cortex.errors import EngineError, install_command
from cortex.memory import Cortex
from cortex.surfaces.http.access import Caller
from cortex.surfaces.http.errors import ProblemDetail, RequestRefused
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


class McpEndpoint:
    """The endpoint at `/mcp`. The SDK is imported on the first request: most servers never need it."""

    def __init__(self, state: AppState) -> None:
        self._state = state
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
        async with self._state.streams.entered():
            ended = _ClosedResponse(send)
            await sessions.handle_request(scope, _until_the_end(receive, self._state.streams), ended.send)
            await ended.close()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve hosts; at the end close their sessions."""
        try:
            yield
        finally:
            self._end.set()
            if self._running is not None:
                await self._running

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._lock:
            if self._sessions is None:
                self._sessions = await anyio.to_thread.run_sync(_sessions, self._state)
                begun = asyncio.Event()
                # In its own task: the SDK has to start and stop in the same task.
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


def _sessions(state: AppState) -> StreamableHTTPSessionManager:
    try:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from cortex.surfaces.mcp.server import create_server
    except ImportError as error:
        raise RequestRefused(
            ProblemDetail(
                status=404,
                code="no_such_route",
                detail="the MCP SDK is not installed, or too old",
                hint=f"{install_command('mcp')}, then restart the server",
            )
        ) from error
    # Log lines of the SDK may quote messages.
    for name in ("mcp", "sse_starlette"):
        logging.getLogger(name).addHandler(logging.NullHandler())

    def engine_of(request: Any, writes: bool, chat: Chat | None) -> Cortex:
        return _engine(state, request.scope["cortex.caller"], writes, chat)

    # The gateway has checked host, origin and body size.
    return StreamableHTTPSessionManager(
        create_server(engine_of),
        max_request_body_size=state.options.max_body_bytes,
        max_sessions=state.options.max_connections,
    )


def _engine(state: AppState, caller: Caller, writes: bool, chat: Chat | None) -> Cortex:
    context = state.engine.context.bind(agent=caller.tenant.agent, user=caller.tenant.user).by(caller.token_id or "mcp")
    try:
        caller.require(Right.WRITE if writes else Right.READ)
        if chat is not None:
            context = context.in_chat(chat)
            caller.acting_for(context.tenant.agent, context.tenant.user)
    except RequestRefused as refused:
        raise Forbidden(refused.problem.detail, hint=refused.problem.hint) from None
    if writes:
        state.scheduler.add_tenant(context.tenant)
    return Cortex.over(context)


def _user(caller: Caller) -> Any:
    """The owner of a session: the SDK accepts nobody else in it."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    if caller.token_id is None:
        return None
    # The secret is not passed on; the SDK compares the id.
    return AuthenticatedUser(AccessToken(token="", client_id=caller.token_id, scopes=[]))


# --- streams that end with the server ---------------------------------------------------------------------------------


def _until_the_end(receive: Receive, streams: Streams) -> Receive:
    """`receive` that reports a disconnect when the server shuts down."""

    async def received() -> Message:
        message, ending = asyncio.ensure_future(receive()), asyncio.ensure_future(streams.ending())
        try:
            await asyncio.wait({message, ending}, return_when=asyncio.FIRST_COMPLETED)
            return message.result() if message.done() else {"type": "http.disconnect"}
        finally:
            message.cancel()
            ending.cancel()

    return received


class _ClosedResponse:
    """A response that is always completed, even if it was interrupted."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_open = False

    async def send(self, message: Message) -> None:
        self._is_open = message["type"] == "http.response.start" or bool(message.get("more_body"))
        await self._send(message)

    async def close(self) -> None:
        if self._is_open:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
