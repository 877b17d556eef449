"""MCP within `cortex serve` (X4): the SDK's own client over HTTP, one tenant and its rights for each token."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp_client import Host, connected
from serve_process import Process
from served import Served, serving

from cortex.access.tokens import Right
from cortex.surfaces.mcp import tools

TEXT = "The deploy key rotates on Mondays"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a host", "version": "1"},
    },
}
ACCEPTS = {"Accept": "application/json, text/event-stream"}


@contextmanager
def host_of(url: str, headers: Mapping[str, str] | None = None, mode: str = "legacy") -> Iterator[Host]:
    """The SDK's client; `legacy` is the protocol with sessions."""

    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        async with (
            httpx2.AsyncClient(headers=dict(headers or {}), timeout=30) as client,
            streamable_http_client(f"{url}/mcp", http_client=client) as streams,
        ):
            yield streams

    with connected(transport(), mode=mode) as host:
        yield host


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_host_is_offered_every_tool_and_what_it_stores_is_found_over_http(served: Served, mode: str) -> None:
    with host_of(served.url, mode=mode) as host:
        assert list(host.tools) == list(tools.offered())
        host.call("remember", text=TEXT)
        assert TEXT in host.call("recall", query="when does the deploy key rotate?").text
    found = served.client.post("/v1/search", json={"query": "deploy key"}).json()
    assert [hit["trace"]["text"] for hit in found["hits"]] == [TEXT]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_each_token_acts_as_its_own_tenant(served: Served, mode: str) -> None:
    anna, bob = served.token(Right.WRITE, user="anna"), served.token(Right.WRITE, user="bob")
    with host_of(served.url, anna, mode) as host:
        host.call("remember", text=TEXT)
    with host_of(served.url, bob, mode) as host:
        assert TEXT not in host.call("recall", query="when does the deploy key rotate?").text
        assert TEXT not in host.call("list").text
    assert served.engine.bind(user="anna").stats().total == 1
    assert served.engine.bind(user="bob").stats().total == 0


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_token_to_read_cannot_write(served: Served, mode: str) -> None:
    id = served.remember(TEXT)
    with host_of(served.url, served.token(Right.READ), mode) as host:
        assert TEXT in host.call("recall", query="when does the deploy key rotate?").text
        for tool, arguments in (("remember", {"text": "Nobody asked for this"}), ("forget", {"id": id})):
            error = host.call(tool, arguments).error
            assert (error["code"], error["message"]) == ("forbidden", "the token does not have the right to write")
            assert error["hint"]
        writing = [name for name, tool in tools.offered().items() if tool.writes]
        assert {"remember", "forget"} <= set(writing)
    assert served.engine.stats().total == 1


def test_without_a_good_token_nobody_is_answered(served: Served) -> None:
    served.token(Right.WRITE)
    for headers in ({}, {"Authorization": "Bearer cortex_wrong"}):
        answer = served.client.post("/mcp", json=INITIALIZE, headers=ACCEPTS | headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


def test_a_token_that_is_revoked_is_out_at_once(served: Served) -> None:
    token = served.token(Right.WRITE)
    session = opened(served, token)
    (known,) = served.tokens.all()
    served.tokens.revoke(known.id)
    assert listed(served, token, session).status_code == 401


def test_a_session_belongs_to_the_token_that_opened_it(served: Served) -> None:
    mine, other = served.token(Right.WRITE, user="anna"), served.token(Right.WRITE, user="bob")
    same_tenant = served.token(Right.WRITE, user="anna")
    session = opened(served, mine)
    for token in (other, same_tenant):
        assert listed(served, token, session).status_code == 404
        ended = served.client.delete("/mcp", headers={**ACCEPTS, **token, "Mcp-Session-Id": session})
        assert ended.status_code == 404
    assert listed(served, mine, session).status_code == 200


def test_a_session_of_nobody_is_closed_to_tokens(served: Served) -> None:
    session = opened(served, {})
    token = served.token(Right.WRITE)
    assert listed(served, token, session).status_code == 404
    assert listed(served, {}, session).status_code == 401


def test_names_and_origins_are_looked_at_here_too(served: Served) -> None:
    foreign = served.client.post("/mcp", json=INITIALIZE, headers={**ACCEPTS, "Host": "evil.example"})
    assert foreign.status_code == 421
    page = served.client.post("/mcp", json=INITIALIZE, headers={**ACCEPTS, "Origin": "https://evil.example"})
    assert page.json()["code"] == "origin_not_allowed"


def test_streams_of_hosts_are_bounded_and_take_no_place_of_a_request(tmp_path: Path) -> None:
    with serving(tmp_path / "home", options={"max_streams": 1, "max_concurrent": 1}) as served:
        first, second = opened(served, {}), opened(served, {})
        with stream(served, first) as listening:
            assert listening.status_code == 200
            assert answered(lambda: served.client.get("/v1/stats")).status_code == 200
            with stream(served, second) as refused:
                assert refused.status_code == 503


def test_a_server_ends_at_once_though_hosts_listen(tmp_path: Path) -> None:
    """Each stream is closed in order, instead of being cut off at the timeout."""
    with serving(tmp_path / "home", options={"shutdown_seconds": 600}) as served:
        session = opened(served, {})
        listening = ExitStack()
        answer = listening.enter_context(stream(served, session))
        assert answer.status_code == 200
    with listening:
        answer.read()  # a stream that was broken off would raise


ABSENT = """
import sys
from pathlib import Path

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types"):
            Path(__file__).with_name("missed").touch()
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


def test_without_the_sdk_the_route_says_what_to_install_and_all_else_works(tmp_path: Path) -> None:
    """Nor is it imported where it is installed, before a host asks for it: that takes longer than the server's start"""
    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / "sitecustomize.py").write_text(ABSENT)
    path = ":".join([str(absent), *sys.path])
    with Process(tmp_path / "home", imports_anew=True, PYTHONPATH=path) as process:
        assert "memory_store" in [tool["name"] for tool in process.client.get("/v1/tools").json()["tools"]]
        assert not (absent / "missed").exists()
        answer = process.client.post("/mcp", json=INITIALIZE, headers=ACCEPTS)
        assert (answer.status_code, answer.json()["code"]) == (404, "no_such_route")
        assert "memory-cortex[mcp]" in answer.json()["hint"]
        assert (absent / "missed").exists()
        assert process.end() == 0


def opened(served: Served, token: Mapping[str, str]) -> str:
    """The id of a new session."""
    answer = answered(lambda: served.client.post("/mcp", json=INITIALIZE, headers=ACCEPTS | dict(token)))
    assert answer.status_code == 200, answer.text
    return str(answer.headers["mcp-session-id"])


def answered(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """The answer once there is a place: the one before may just be about to leave its own."""
    for _ in range(200):
        if (answer := ask()).status_code != 503:
            break
        time.sleep(0.02)
    return answer


def with_session(session: str) -> dict[str, str]:
    return {**ACCEPTS, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"}


def listed(served: Served, token: Mapping[str, str], session: str) -> httpx.Response:
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    return served.client.post("/mcp", json=request, headers={**with_session(session), **token})


@contextmanager
def stream(served: Served, session: str) -> Iterator[httpx.Response]:
    with httpx.stream("GET", f"{served.url}/mcp", headers=with_session(session), timeout=30) as answer:
        yield answer
