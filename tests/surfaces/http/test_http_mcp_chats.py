"""An MCP host says in which chat it calls: with the request, when it connects, or in the URL (B11)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp_client import connected
from served import Served, serving
from test_http_mcp import ACCEPTS, INITIALIZE, host_of

from cortex import Cortex
from cortex.access.tokens import Right
from cortex.surfaces.mcp.server import CHAT, create_server, in_chat
from cortex.testing import FakeEmbedder

GROUP = {"chat": "group", "chat_id": "42", "sender": "7"}
CITATION = "MEMORY.md#L1-L3"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("# Deploys\n\nThe deploy key rotates on Mondays.\n")
    return folder


@pytest.fixture
def served(tmp_path: Path, notes: Path) -> Iterator[Served]:
    settings = {"files": {"workspace": str(notes)}, "chats": {"personal_in_groups": True}}
    with serving(tmp_path / "home", settings=settings) as running:
        running.engine.index()
        yield running


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_b11_a_group_named_with_the_request_is_shown_no_citations(served: Served, mode: str) -> None:
    """B11"""
    with host_of(served.url, mode=mode) as host:
        assert CITATION in host.call("search_files", query="deploy key").text
        host.meta = {CHAT: {"chat": "direct"}}
        assert CITATION in host.call("search_files", query="deploy key").text
        host.meta = {CHAT: GROUP}
        found = host.call("search_files", query="deploy key")
        assert CITATION not in found.text
        assert "Mondays" in found.text
        assert "citation" not in found.plain["results"][0]
        assert CITATION not in host.call("recall", query="When does the deploy key rotate?").text


def test_b11_a_host_may_name_its_chat_once_for_all_when_it_connects(served: Served) -> None:
    """B11"""
    experimental = {"experimental": {CHAT: GROUP}}
    begin = {**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": experimental}}  # type: ignore[dict-item]
    with httpx.Client(base_url=served.url, headers=ACCEPTS, timeout=30) as client:
        begun = client.post("/mcp", json=begin)
        client.headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
        client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        params = {"name": "search_files", "arguments": {"query": "deploy key"}}
        answer = client.post("/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
    assert "Mondays" in answer.text
    assert CITATION not in answer.text


def test_a_group_has_a_memory_of_its_own_over_mcp_too(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served, host_of(served.url, served.token(Right.HOST)) as host:
        host.call("remember", text="The owner's alarm code is 4711")
        host.meta = {CHAT: GROUP}
        host.call("remember", text="The group meets on Thursdays at the harbor")
        assert "4711" not in host.call("recall", query="What is the alarm code?").text
        assert "Thursdays" in host.call("recall", query="When does the group meet?").text
        host.meta = {}
        assert "Thursdays" not in host.call("recall", query="When does the group meet?").text


def test_a_token_without_the_right_is_refused_in_a_group(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served, host_of(served.url, served.token(Right.WRITE)) as host:
        host.meta = {CHAT: GROUP}
        assert host.call("recall", query="x").error["code"] == "forbidden"


@pytest.mark.parametrize("said", [{"chat": "party"}, {"chat": "group"}, {"chat": "group", "agent": "other"}, "group"])
def test_a_chat_that_cannot_be_is_refused(served: Served, said: Any) -> None:
    with host_of(served.url) as host:
        host.meta = {CHAT: said}
        assert host.call("recall", query="x").error["code"] == "invalid_request"


def test_a_host_over_stdio_names_its_chat_in_the_same_way(tmp_path: Path, notes: Path) -> None:
    """B11: the server of `cortex mcp`, without the pipe"""
    settings = {"files": {"workspace": str(notes)}, "chats": {"personal_in_groups": True}}
    with Cortex(tmp_path / "home", settings=settings, embedder=FakeEmbedder(256)) as engine:
        engine.index()
        server = create_server(lambda _request, _writes, chat: in_chat(engine, chat))
        with connected(server) as host:
            assert CITATION in host.call("search_files", query="deploy key").text
            host.meta = {CHAT: GROUP}
            assert CITATION not in host.call("search_files", query="deploy key").text
