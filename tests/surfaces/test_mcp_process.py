"""The MCP server as a process: what it writes, how it ends, and what it does for callers who do not wait (X4)."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_client import Answered, command, connected, environment, http_server, in_memory, reached

import forking
from cortex.errors import DeadlineExceeded, NotFound
from cortex.memory import Cortex
from cortex.surfaces.bounded_executor import BoundedExecutor
from cortex.surfaces.cli.app import run
from cortex.surfaces.mcp import prompts, resources, tools
from cortex.surfaces.mcp.hosts import HOSTS
from cortex.surfaces.mcp.progress import forwarded_progress
from cortex.surfaces.mcp.server import create_server
from cortex.surfaces.mcp.untrusted_text import writable
from cortex.testing import FakeEmbedder
from forking import PIPE, Forked
from sweeps import sweep

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "by hand", "version": "1"},
}


class ByHand:
    """A host that writes its lines itself."""

    def __init__(self, process: Forked) -> None:
        self.process = process
        self._id = 0

    def send(self, method: str, params: dict[str, Any] | None = None, *, notify: bool = False) -> int:
        self._id += 1
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})}
        self.write(json.dumps(message if notify else message | {"id": self._id}))
        return self._id

    def write(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        wanted = self.send(method, params)
        while (message := self.receive()).get("id") != wanted:
            pass
        return message

    def begin(self) -> dict[str, Any]:
        answer = self.ask("initialize", INITIALIZE)
        self.send("notifications/initialized", notify=True)
        return answer


@contextmanager
def by_hand(home: Path, *arguments: str, **variables: str) -> Iterator[ByHand]:
    process = Forked(command(home, *arguments), stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment(**variables))
    try:
        yield ByHand(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


# --- how it begins and ends -------------------------------------------------------------------------------------------


def test_stdout_has_nothing_but_the_protocol_and_the_end_of_stdin_is_the_end(tmp_path: Path) -> None:
    with by_hand(tmp_path) as host:
        assert host.begin()["result"]["serverInfo"]["name"] == "cortex"
        assert not host.ask("tools/call", call("remember", text="Mara is allergic to walnuts"))["result"]["isError"]
        host.write("this is no JSON")
        host.write('{"jsonrpc": "2.0", "id": 5}')
        assert host.ask("tools/call", call("stats"))["result"]["structuredContent"]["total"] == 1
        out, err = host.process.communicate(timeout=60)
    for line in out.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert (host.process.returncode, err) == (0, "")


@pytest.mark.slow
def test_stdin_that_ends_at_once_is_no_error(tmp_path: Path) -> None:
    said = forking.run(command(tmp_path), env=environment())
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


@pytest.mark.parametrize("number", sweep([signal.SIGINT, signal.SIGTERM], [signal.SIGTERM]))
def test_a_signal_ends_it_though_stdin_is_open(tmp_path: Path, number: signal.Signals) -> None:
    with by_hand(tmp_path) as host:
        host.begin()
        assert not host.ask("tools/call", call("remember", text="Kept before the end"))["result"]["isError"]
        host.process.send_signal(number)
        assert host.process.wait(timeout=60) == 128 + number
    with Cortex(tmp_path, settings={"embedding": {"provider": "none"}}) as engine:
        assert engine.stats().total == 1


def test_a_host_that_dies_takes_the_server_with_it(tmp_path: Path) -> None:
    with by_hand(tmp_path) as host:
        host.begin()
        assert host.process.stdin is not None
        assert host.process.stdout is not None
        host.process.stdout.close()
        host.send("tools/list")
        host.process.stdin.close()
        assert host.process.wait(timeout=60) == 0
        assert host.process.stderr is not None
        assert host.process.stderr.read() == ""


def test_settings_that_are_wrong_are_told_before_anything_is_served(tmp_path: Path) -> None:
    (tmp_path / "cortex.toml").write_text("[recall]\nrecipie = 'x'\n")
    said = forking.run(command(tmp_path), env=environment())
    assert said.returncode == 2
    assert said.stdout == ""
    assert "recipie" in said.stderr


def test_it_answers_before_the_model_does(tmp_path: Path) -> None:
    """A provider that accepts connections and says nothing: the host is served, and keywords find what is there."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Cortex(tmp_path, settings={"embedding": {"provider": "none"}}) as engine:
            engine.remember("Mara is allergic to walnuts")
        options = {"host": address, "model": "nomic-embed-text"}
        silent_model = {"provider": "ollama", "query_timeout_ms": 200, "options": options}
        with in_memory(tmp_path, settings={"embedding": silent_model}) as host:
            found = host.call("recall", query="walnuts allergic").plain
        assert [hit["trace"]["text"] for hit in found["hits"]] == ["Mara is allergic to walnuts"]
        assert found["degraded"] != []


def test_without_the_sdk_the_command_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['mcp'] = sys.modules['mcp_types'] = None; from cortex.surfaces.cli import app;"
        f"sys.exit(app.run(['mcp', '--home', {str(tmp_path)!r}]))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, env=environment())
    assert said.returncode == 21
    assert "pip install 'memory-cortex[mcp]'" in said.stderr


def test_the_verbs_are_known_without_the_sdk_and_without_pydantic() -> None:
    script = (
        "import sys, cortex.surfaces.cli.mcp_commands, cortex.surfaces.mcp.hosts;"
        "print(sorted({'mcp', 'mcp_types', 'pydantic', 'starlette', 'uvicorn'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, env=environment())
    assert said.stdout == "[]\n", said.stderr


# --- callers who do not wait ------------------------------------------------------------------------------------------


def test_a_call_that_is_taken_back_gets_no_answer_and_the_next_one_does(tmp_path: Path) -> None:
    records = [
        {"type": "memory", "text": f"Bolt {number}", "id": f"01a1e124-5208-7180-9d7e-{number:012x}",
         "created_at": "2026-01-01"}
        for number in range(1_000)
    ]  # fmt: skip
    with by_hand(tmp_path, "--profile", "canonical") as host:
        host.begin()
        taken_back = host.send("tools/call", call("memory_import", records=records))
        host.send("notifications/cancelled", {"requestId": taken_back}, notify=True)
        last = host.send("tools/call", call("memory_stats"))
        answered = []
        while last not in answered:
            answered.append(host.receive().get("id"))
        out, err = host.process.communicate(timeout=60)
    assert taken_back not in answered
    assert (out, err, host.process.returncode) == ("", "", 0)


@pytest.fixture
def stalling(tmp_path: Path) -> Iterator[tuple[Cortex, threading.Event]]:
    """An engine whose embedder answers once it is let go on."""
    go_on = threading.Event()
    with Cortex(tmp_path, embedder=FakeEmbedder(stall=go_on)) as engine:
        yield engine, go_on
        go_on.set()


def test_a_cancelled_call_goes_on_beside_those_that_follow(stalling: tuple[Cortex, threading.Event]) -> None:
    engine, go_on = stalling

    async def scenario() -> None:
        async with Client(create_server(lambda _request, _writes, _chat: engine), mode="legacy") as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "remember", {"text": "Said by one who left"})
                await anyio.sleep(0.2)
                group.cancel_scope.cancel()
            assert not go_on.is_set()
            counted = await client.call_tool("stats", {})
            assert counted.structured_content is not None

    asyncio.run(scenario())
    go_on.set()
    assert reached(lambda: len(engine.receipts(op="remember")) == 1)
    assert engine.stats().total == 1


def test_what_takes_too_long_is_told_and_the_answer_dropped(
    stalling: tuple[Cortex, threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    """C8: a model never waits longer than promised"""
    engine, go_on = stalling
    monkeypatch.setattr(tools.offered(tools.MODEL)["remember"], "seconds", 0.1)
    with connected(create_server(lambda _request, _writes, _chat: engine)) as host:
        error = host.call("remember", text="Too late to be answered").error
    assert (error["code"], error["message"]) == ("deadline_exceeded", "no answer within 0.1 seconds")
    assert "may still take effect" in error["hint"]
    go_on.set()
    assert reached(lambda: len(engine.receipts(op="remember")) == 1)
    assert engine.stats().total == 1


def test_calls_beyond_those_under_way_wait_for_their_turn() -> None:
    go_on = threading.Event()

    async def scenario() -> None:
        calls = BoundedExecutor(most=1)
        with pytest.raises(DeadlineExceeded):
            await calls.run(go_on.wait, seconds=0.05)
        # The place is taken until the call ends, even if nobody waits.
        with pytest.raises(DeadlineExceeded):
            await calls.run(lambda: 1, seconds=0.05)
        go_on.set()
        assert await calls.run(lambda: 2, seconds=60) == 2

    asyncio.run(scenario())


def test_counts_are_told_in_rising_order_and_the_last_before_the_end() -> None:
    sent: list[tuple[float, float | None, str | None]] = []

    async def slowly(done: float, total: float | None, label: str | None) -> None:
        await asyncio.sleep(0.01)
        sent.append((done, total, label))

    async def scenario() -> None:
        async with forwarded_progress(slowly) as report:
            for done in (1, 3, 2, 3):
                report(done, 0, "stored")
                await asyncio.sleep(0)
            await asyncio.to_thread(report, 9, 9, "stored")
        report(10, 10, "nobody listens")

    asyncio.run(scenario())
    done = [each for each, _, _ in sent]
    assert done == sorted(set(done))
    assert sent[-1] == (9, 9, "stored")


def test_a_recall_is_waited_for_five_seconds() -> None:
    assert {tools.offered()[name].seconds for name in ("recall", "search", "search_files", "get")} == {5.0}


# --- what nobody foresaw ----------------------------------------------------------------------------------------------


def test_an_error_nobody_foresaw_is_told_by_its_type_alone(caplog: pytest.LogCaptureFixture) -> None:
    def engine_of(_request: object, _writes: bool, _chat: object) -> Cortex:
        raise RuntimeError("the walnuts are in the cellar")

    with caplog.at_level(logging.DEBUG), connected(create_server(engine_of)) as host:
        with pytest.raises(MCPError, match="RuntimeError: this is a bug in Cortex"):
            host.read("cortex://memories")
        error = host.call("recall", query="walnuts").error
    assert error["code"] == "unexpected"
    assert "RuntimeError" in error["message"]
    assert "walnuts are" not in json.dumps(error) + caplog.text
    assert "Traceback" not in caplog.text


def test_who_may_not_write_is_refused_by_whoever_knows_them(tmp_path: Path) -> None:
    """A web application decides by the request whose memory is used, and whether it may be written to."""
    with Cortex(tmp_path, embedder=FakeEmbedder()) as engine:

        def engine_of(_request: object, writes: bool, _chat: object) -> Cortex:
            if writes:
                raise NotFound("no such token", hint="make one")
            return engine

        with connected(create_server(engine_of)) as host:
            assert host.call("stats").plain["total"] == 0
            assert host.call("remember", text="x").error["code"] == "not_found"


def test_half_a_character_never_reaches_the_wire() -> None:
    assert writable("caf\udce9 é 🜁") == "caf? é 🜁"


# --- over HTTP --------------------------------------------------------------------------------------------------------


def post(url: str, body: bytes, **headers: str) -> int:
    given = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    sent = urllib.request.Request(url, body, given | {name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(sent, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        refused.close()
        return refused.code


def test_over_http_only_this_machine_is_served(tmp_path: Path) -> None:
    """A page in a browser can make it send requests to loopback: its name gives it away."""
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}).encode()
    with http_server(tmp_path) as url:
        assert url.startswith("http://127.0.0.1:")
        assert post(url, hello) == 200
        assert post(url, hello, host="memory.example:80") == 421
        assert post(url, hello, origin="http://memory.example") == 403
        assert post(url, hello, content_length="100000000") == 413
        assert post(url, b"\xff\xfe no JSON") == 400
        assert post(url.replace("/mcp", "/elsewhere"), hello) == 404
        with connected(url) as host:
            assert host.call("stats").plain["total"] == 0


def test_a_port_in_use_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["mcp", "--home", str(tmp_path), "--http", "--port", port]) == 2
    assert f"--port: {port} cannot be used" in capsys.readouterr().err


def test_a_port_without_http_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mcp", "--home", str(tmp_path), "--port", "1"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "give --http too" in said.err


def test_answers_are_told_whole(tmp_path: Path) -> None:
    """The text of an answer and its plain values say the same."""
    with Cortex(tmp_path, embedder=FakeEmbedder()) as engine, connected(create_server(lambda *_: engine)) as host:
        kept: Answered = host.call("remember", text="Mara is allergic to walnuts")
        assert kept.plain["memory"]["id"] in kept.text
        found = host.call("recall", query="Mara allergic walnuts")
        assert "Mara is allergic to walnuts" in found.text
        assert found.plain["hits"][0]["id"] in found.text


def test_every_tool_host_resource_and_prompt_is_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    uris = [resources.LISTING.uri, *(each.uri_template for each in resources.TEMPLATES[1:])]
    named = {*tools.offered(), *tools.offered(tools.CANONICAL)}
    assert [name for name in (*named, *HOSTS, *uris, prompts.FLUSH.name) if f"`{name}`" not in page] == []
