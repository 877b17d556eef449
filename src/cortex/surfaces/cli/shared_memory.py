"""A memory that is on the server of the home while one runs, and in this process otherwise."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from cortex.domain.scope import Tenant
from cortex.settings import Settings, load
from cortex.surfaces.cli.context import Surface
from cortex.surfaces.http.server_file import ServerInfo, Untrusted, running

if TYPE_CHECKING:
    from cortex.domain.chat import Chat
    from cortex.memory import Cortex


class SharedMemory:
    """The memory that the global options name. Ask for it before every call: the server may come and go."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._home = str(surface.root.absolute())
        self._settings = load(surface.root)
        self._own: Cortex | None = None
        self._remote: Cortex | None = None
        self._server: ServerInfo | None = None

    @property
    def settings(self) -> Settings:
        return self._settings

    def engine(self, chat: Chat | None = None) -> Cortex:
        """The memory for the next call; that of a chat is always opened here, where the rules for chats are applied."""
        server = self._running() if chat is None else None
        if server is None:
            from cortex.surfaces.mcp.server import in_chat

            return in_chat(self._in_this_process(), chat)
        if server != self._server or self._remote is None:
            self._server, self._remote = server, self._connected(server)
        return self._remote

    def close(self) -> None:
        """Close what was opened."""
        for engine in (self._remote, self._own):
            if engine is not None:
                engine.close()

    def _running(self) -> ServerInfo | None:
        if self._surface.connect is None:
            return None
        with suppress(Untrusted):
            return running(self._home)
        return None

    def _connected(self, server: ServerInfo) -> Cortex:
        assert self._surface.connect is not None
        if self._remote is not None:
            self._remote.close()
        own = Tenant(self._settings.agent, self._settings.user).named(self._surface.agent, self._surface.user)
        return self._surface.connect(server.url, server.token, own.agent, own.user)

    def _in_this_process(self) -> Cortex:
        if self._own is None:
            from cortex.services.turn_hooks import TurnHooks

            self._own = self._surface.engine()
            TurnHooks(self._own).warm()
        return self._own
