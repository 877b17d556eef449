"""The SDK's own client, to be driven from tests that know nothing of event loops; and the processes it talks to."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import mcp_types as types
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import forking
from cortex.memory import Cortex
from cortex.surfaces.mcp import tools
from cortex.surfaces.mcp.errors import ERROR_META
from cortex.surfaces.mcp.server import create_server
from forking import PIPE, Forked

PATIENCE = 60.0
"""So long an answer may take on a machine that has much else to do."""


def reached(is_so: Callable[[], bool]) -> bool:
    """Whether it comes to that, within our patience."""
    until = time.monotonic() + PATIENCE
    while not is_so() and time.monotonic() < until:
        time.sleep(0.01)
    return is_so()


def environment(**variables: str) -> dict[str, str]:
    base = {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"}
    return dict(os.environ) | base | variables


def command(home: Path, *arguments: str) -> list[str]:
    """What `python` is started with."""
    return ["-m", "cortex", "mcp", "--home", str(home), *arguments]


@dataclass
class Answered:
    """The answer to a call of a tool."""

    result: types.CallToolResult

    @property
    def text(self) -> str:
        (block,) = self.result.content
        assert isinstance(block, types.TextContent)
        return block.text

    @property
    def plain(self) -> dict[str, Any]:
        assert not self.result.is_error, self.text
        assert self.result.structured_content is not None
        return self.result.structured_content

    @property
    def error(self) -> dict[str, Any]:
        assert self.result.is_error, self.text
        assert self.result.structured_content is None
        payload: dict[str, Any] = (self.result.meta or {})[ERROR_META]
        return payload


@dataclass
class Host:
    """A host with one open connection."""

    portal: BlockingPortal
    client: Client
    progress_counts: list[tuple[float, float | None]] = field(default_factory=list)
    """The progress of its calls."""

    @cached_property
    def tools(self) -> dict[str, types.Tool]:
        return {tool.name: tool for tool in self.run("list_tools").tools}

    meta: dict[str, Any] = field(default_factory=dict)
    """What it says with each of its calls."""

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, **given: Any) -> Answered:
        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            self.progress_counts.append((progress, total))

        merged = {**(arguments or {}), **given}
        called = partial(self.client.call_tool, tool, merged, progress_callback=on_progress, meta=dict(self.meta))
        return Answered(self.portal.call(called))

    def read(self, uri: str) -> Any:
        (content,) = self.portal.call(self.client.read_resource, uri).contents
        assert isinstance(content, types.TextResourceContents)
        return json.loads(content.text)

    def run(self, method: str, *arguments: Any) -> Any:
        return self.portal.call(getattr(self.client, method), *arguments)


@contextmanager
def connected(server: Any, *, mode: str = "auto") -> Iterator[Host]:
    """A connection to a server, an address, or whatever else carries one."""
    client = Client(server, mode=mode, read_timeout_seconds=PATIENCE)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Host(portal, client)


@contextmanager
def over_stdio(
    home: Path, *arguments: str, mode: str = "auto", fresh: bool = False, **variables: str
) -> Iterator[Host]:
    """A host and the process it started: `fresh`, with nothing imported before."""
    asked = command(home, *arguments)
    program, *rest = [sys.executable, *asked] if fresh else forking.command(asked)
    started = StdioServerParameters(command=program, args=rest, env=environment(**variables))
    with connected(stdio_client(started), mode=mode) as host:
        yield host


@contextmanager
def in_memory(
    home: Path, profile: str = tools.MODEL, settings: Mapping[str, Any] | None = None, project: str | None = None
) -> Iterator[Host]:
    """A host of a server in this process: the same protocol and the same handlers, without what starts them."""
    with (
        Cortex(home, settings={"embedding": {"provider": "none"}, **(settings or {})}) as engine,
        connected(create_server(lambda _request, _writes, _chat: engine, profile, project=project)) as host,
    ):
        yield host


@contextmanager
def http_server(home: Path, *arguments: str, **variables: str) -> Iterator[str]:
    """The address of a server on this machine."""
    process = Forked(
        command(home, "--http", "--port", "0", "--json", *arguments),
        stdout=PIPE,
        stderr=PIPE,
        env=environment(**variables),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        first = process.stdout.readline()
        assert first, process.stderr.read()
        yield json.loads(first)["url"]
    finally:
        process.terminate()
        out, err = process.communicate(timeout=PATIENCE)
    assert (out, err, process.returncode) == ("", "", 128 + signal.SIGTERM)
