"""The server as a process: how it starts, what it logs, how it ends, and what is left of it."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from serve_process import WITH_PROCESSES, Process, children
from served import serving

from cortex import Cortex
from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.ports.documents import TOKENS
from cortex.stores.file_documents import FileDocuments
from cortex.surfaces.cli.app import run
from sweeps import sweep

SECRET = "The heron sleeps at noon"
HISTORY = [{"role": "user", "content": "I live in Rome."}, {"role": "assistant", "content": "Noted."}]


def opened(home: Path, user: str | None = None) -> Cortex:
    return Cortex(home, user=user, settings={"embedding": {"provider": "none"}})


def test_a_server_is_ended_by_a_signal_and_ends_well(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Process(home, **WITH_PROCESSES) as server:
        assert server.client.get("/health").json() == {"status": "ok"}
        assert server.client.post("/v1/memories", json={"text": SECRET}).status_code == 201
        assert server.end(signal.SIGTERM) == 0
    with opened(home) as engine:
        assert engine.stats().total == 1
        assert engine.verify() == []


def test_a_request_that_is_under_way_is_answered_before_the_end(tmp_path: Path) -> None:
    with Process(tmp_path / "home") as server, closing(socket.create_connection(_address(server), timeout=30)) as one:
        one.sendall(
            b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 13\r\n\r\n"
        )
        for _ in range(200):  # until the request is there
            if "cortex_http_requests_in_progress 2.0" in server.client.get("/metrics").text:
                break
            time.sleep(0.02)
        server._process.send_signal(signal.SIGTERM)
        time.sleep(0.3)  # the server has begun to end
        one.sendall(b'{"text": "x"}')
        assert b" 201 " in one.recv(65_536)
        assert server.wait() == 0


def test_work_that_was_not_done_is_done_after_a_restart(tmp_path: Path) -> None:
    """C2: a restart of the service loses no pending ingest of any user"""
    home = tmp_path / "home"
    with Process(home, CORTEX_CAPTURE__DEBOUNCE_SECONDS="2") as server:
        body = {"session_id": "s1", "messages": HISTORY, "user_id": "oogley", "debounce": True}
        assert server.client.post("/ingest", json=body).json()["stored"] == 2
        server.end(signal.SIGKILL)
    with Process(home, CORTEX_CAPTURE__DEBOUNCE_SECONDS="2") as server:
        for _ in range(500):
            found = server.client.post("/hybrid-search", json={"query": "where do I live?", "user_id": "ann"}).json()
            assert found["count"] == 0
            with opened(home, "oogley") as engine:
                if engine.stats().by_lane.get("memories"):
                    break
            time.sleep(0.05)
        else:
            raise AssertionError
        assert server.end() == 0


def test_the_log_tells_of_each_request_and_of_nothing_that_was_said(tmp_path: Path) -> None:
    """One line for each: its id, its route, its status, how long it took, whose token"""
    home = tmp_path / "home"
    secret, token = Tokens(FileDocuments(home), SystemClock()).create(Tenant(), [Right.WRITE])
    headers = {"Authorization": f"Bearer {secret}"}
    with Process(home) as server:
        assert children(server.pid) == set()  # whoever wants none beside it has none
        made = server.client.post("/v1/memories", json={"text": SECRET}, headers=headers)
        server.client.post("/v1/search", json={"query": "what does the heron do?"}, headers=headers)
        server.client.get("/v1/files/lines", params={"path": "/heron.md"}, headers=headers)
        server.client.get("/heron", headers=headers)
        server.client.post("/v1/memories", json={"text": SECRET, "heron": 1}, headers=headers)
        server.client.post("/v1/memories", content=b'{"heron', headers=headers | {"Content-Type": "application/json"})
        server.client.post("/v1/turns/before", json={"session": "heron\n", "message": SECRET}, headers=headers)
        server.client.get("/v1/status", headers={"Authorization": "Bearer heron", "X-Request-ID": "heron"})
        assert server.end(signal.SIGINT) == 0
    items = [line for line in server.lines if line["message"] == "request"]
    assert [(line["method"], line["route"], line["status"]) for line in items] == [
        ("POST", "/v1/memories", 201),
        ("POST", "/v1/search", 200),
        ("GET", "/v1/files/lines", 422),
        ("GET", "unmatched", 404),
        ("POST", "/v1/memories", 422),
        ("POST", "/v1/memories", 400),
        ("POST", "/v1/turns/before", 200),
        ("GET", "/v1/status", 401),
    ]
    assert items[0]["id"] == made.headers["x-request-id"]
    assert [line["token"] for line in items] == [token.id] * 7 + [None]
    assert all(line["ms"] >= 0 for line in items)
    text = server.log.read_text("utf-8").lower()
    assert "heron" not in text
    assert secret.lower() not in text


@pytest.mark.slow
def test_a_hundred_megabytes_are_never_in_memory(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * (1 << 20)

    with Process(tmp_path / "home") as server:
        server.client.post("/v1/search", json={"query": "x"})
        before = server.peak()
        headers = {"Content-Type": "application/json"}
        for sent in ({"Content-Length": str(100 << 20)}, {}):  # declared, and in chunks
            try:
                answer = server.client.post("/v1/memories", content=pieces(), headers=headers | sent)
            except httpx.WriteError:  # it hung up while we were still sending
                continue
            assert answer.status_code == 413
        assert server.peak() - before < 20 << 20
        assert server.client.get("/health").status_code == 200
        assert server.end() == 0


def refused(home: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    """The error of a server that does not start, in this process: nothing else would be started."""
    assert run(["--home", str(home), "--json", "serve", *options]) == 2
    error: dict[str, Any] = json.loads(capsys.readouterr().err)["error"]
    return error


def test_a_server_that_others_could_reach_does_not_start_without_a_token(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(tmp_path / "home", capsys, "--host", "0.0.0.0", "--port", "0")
    assert (error["code"], error["field"]) == ("invalid_request", "serve.host")
    assert "cortex admin tokens create" in error["hint"]


@pytest.mark.slow
def test_with_a_token_it_starts_there_and_asks_for_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    secret, _ = Tokens(FileDocuments(home), SystemClock()).create(Tenant(), [Right.READ])
    with Process(home, "--host", "0.0.0.0") as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/v1/stats").status_code == 401
        assert httpx.get(f"{url}/v1/stats", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
        assert server.end() == 0


def test_a_server_whose_tokens_are_missing_says_so_at_its_start_and_lets_nobody_in(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Tokens(FileDocuments(home), SystemClock()).create(Tenant(), [Right.READ])
    (home / TOKENS).unlink()
    with Process(home) as server:
        items = [each["message"] for each in server.lines if each["level"] == "warning"]
        assert len(items) == 1
        assert "is missing although tokens were created" in items[0]
        assert "cortex admin tokens clear" in items[0]
        assert server.client.get("/v1/status").status_code == 401
        assert server.end() == 0


def test_a_port_that_is_taken_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        error = refused(tmp_path / "home", capsys, "--port", str(taken.getsockname()[1]))
    assert error["field"] == "serve.port"


def _address(server: Process) -> tuple[str, int]:
    url = httpx.URL(server.url)
    assert url.port is not None
    return url.host, url.port


@pytest.mark.parametrize("name", sweep(["fastapi", "uvicorn", "prometheus_client"], ["fastapi"]))
def test_what_is_not_installed_is_named_with_how_to_install_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / f"{name}.py").write_text(f"raise ModuleNotFoundError('gone', name='{name}')", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "absent"))
    server = Process(tmp_path / "home", imports_anew=True)
    assert server.wait() == 21
    error = server.lines[-1]["error"]
    assert name in error["message"]
    assert "memory-cortex[serve]" in error["hint"]


def test_a_store_that_cannot_be_opened_keeps_the_server_from_being_ready_and_not_from_starting(tmp_path: Path) -> None:
    agents = tmp_path / "home" / "agents"
    agents.mkdir(parents=True)
    (agents / "main.sqlite").write_bytes(b"this is no database" * 100)
    with serving(tmp_path / "home") as server:
        assert server.client.get("/health").status_code == 200
        answer = server.client.get("/ready")
        assert (answer.status_code, answer.json()["code"]) == (503, "store_foreign")
