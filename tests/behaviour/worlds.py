"""A home with a followed workspace, what serves it, and the surfaces it is reached by."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from behaving import EMBEDDED, HTTP, STDIO, Engines, Surface, Tools
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp_client import PATIENCE, Host, connected, over_stdio
from serve_process import Process

from cortex import Cortex
from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import DEFAULT_AGENT, DEFAULT_USER, Tenant
from cortex.stores.file_documents import FileDocuments

OURS = Tenant(DEFAULT_AGENT, DEFAULT_USER)
ANOTHER_USER = Tenant(DEFAULT_AGENT, "kim")
ANOTHER_AGENT = Tenant("ada", DEFAULT_USER)

QUICK: Mapping[str, Any] = {
    "embedding": {"provider": "none"},
    "hooks": {"deadline_ms": 10_000},
    "files": {"sync": {"watch_debounce_ms": 50}},
}
"""A machine that has much else to do fails nothing here."""


@dataclass
class World:
    """A home, what serves it, and the surfaces that were asked for so far."""

    folder: Path
    settings: Mapping[str, Any] = field(default_factory=lambda: QUICK)
    _open: ExitStack = field(default_factory=ExitStack)
    _made: dict[tuple[str, Tenant], Callable[[str], Surface]] = field(default_factory=dict)
    _server: Process | None = None

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def surface(self, name: str, scope: str, tenant: Tenant = OURS) -> Surface:
        """The memory of a tenant over a surface, for a test that keeps to `scope`."""
        if (name, tenant) not in self._made:
            self._made[name, tenant] = self._reached(name, tenant)
        return self._made[name, tenant](scope)

    def _reached(self, name: str, tenant: Tenant) -> Callable[[str], Surface]:
        if name == EMBEDDED:
            engine = self._open.enter_context(
                Cortex(self.home, agent=tenant.agent, user=tenant.user, settings=self.settings)
            )
            return lambda scope: Engines(engine, scope)
        if name == HTTP:
            client = self._open.enter_context(
                Cortex.connect(self.server.url, token=self._token(tenant), timeout=PATIENCE)
            )
            return lambda scope: Engines(client, scope)
        host = self._open.enter_context(self._hosted(name, tenant))
        return lambda scope: Tools(host, scope)

    def _hosted(self, name: str, tenant: Tenant) -> AbstractContextManager[Host]:
        """A host of MCP: over a process of its own, or over the server that answers everybody."""
        if name == STDIO:
            whose = ("--agent", tenant.agent, "--user", tenant.user)
            return over_stdio(self.home, *whose, **variables(self.settings))
        return connected(_streamed(f"{self.server.url}/mcp", self._token(tenant)))

    @property
    def server(self) -> Process:
        if self._server is None:
            self._token(OURS)  # there is a token before the server is asked for the first time
            self._server = self._open.enter_context(Process(self.home, **variables(self.settings)))
        return self._server

    def _token(self, tenant: Tenant) -> str:
        secret, _ = Tokens(FileDocuments(self.home), SystemClock()).create(tenant, [Right.WRITE])
        return secret

    def close(self) -> None:
        self._open.close()


@asynccontextmanager
async def _streamed(url: str, token: str) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        create_mcp_http_client(headers=headers) as client,
        streamable_http_client(url, http_client=client) as both,
    ):
        yield both


def variables(settings: Mapping[str, Any], prefix: str = "CORTEX") -> dict[str, str]:
    """Settings as a process takes them from its environment."""
    payload: dict[str, str] = {}
    for name, value in settings.items():
        key = f"{prefix}_{name.upper()}"
        payload |= variables(value, f"{key}_") if isinstance(value, Mapping) else {key: str(value)}
    return payload


@contextmanager
def world_in(folder: Path, **options: Any) -> Iterator[World]:
    workspace = folder / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text(
        "# Team\n\nThe studio of Mara is in Porto.\n\n## Keys\n\nThe spare keys hang by the green door.\n"
    )
    (workspace / "memory" / "2026-01-05.md").write_text("# Monday\n\nThe lantern festival was moved to Thursday.\n")
    (folder / "outside.md").write_text("The wine cellar code is 4711")
    (workspace / "memory" / "linked.md").symlink_to(folder / "outside.md")
    world = World(folder, **options)
    with Cortex(world.home, settings=world.settings) as engine:
        engine.index(workspace, shape="workspace")
    try:
        yield world
    finally:
        world.close()
