"""Bad input on every route there is, `/mcp` included: refused clearly, logged without secrets, and nothing changes."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from serve_process import Process
from served import Served, serving

from cortex import Cortex
from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.stores.file_documents import FileDocuments
from cortex.testing import FakeClock
from sweeps import sweep

JSON = {"Content-Type": "application/json"}
MCP = {**JSON, "Accept": "application/json, text/event-stream"}
OPEN = {"/health", "/ready"}
SECRET = "The heron sleeps at noon"
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "1"},
}


def operations(served: Served, headers: dict[str, str] | None = None, *, bodies: bool = False) -> list[tuple[str, str]]:
    """Every method and path there is; with `bodies`, those that take one."""
    paths = served.client.get("/openapi.json", headers=headers).json()["paths"]
    found = [
        (method.upper(), path.replace("{id}", "0198c1a2-7b3c-7def-8a01-23456789abcd"))
        for path, methods in paths.items()
        for method, described in methods.items()
        if path not in OPEN and (not bodies or "requestBody" in described)
    ]
    return [*found, ("POST", "/mcp")]


def is_problem(answer: httpx.Response) -> bool:
    payload = answer.json()
    return answer.headers["content-type"] == "application/problem+json" and {"code", "detail", "request_id"} <= set(
        payload
    )


# --- tokens -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["revoked", "expired", "unknown"])
def test_no_route_answers_a_token_that_is_no_longer_good(tmp_path: Path, how: str) -> None:
    clock = FakeClock()
    with serving(tmp_path / "home", clock=clock, options={"rate_per_minute": 0}) as served:
        headers = served.token(Right.ADMIN, expires_in=timedelta(hours=1))
        assert served.client.get("/v1/status", headers=headers).status_code == 200
        everything = operations(served, headers)
        if how == "revoked":
            served.tokens.revoke(next(each.id for each in served.tokens.all() if each.expires_at is not None))
        elif how == "expired":
            clock.advance(timedelta(hours=2))
        else:
            headers = {"Authorization": "Bearer ctx_0123456789ab_" + "A" * 43}
        for method, path in everything:
            clock.advance(5)  # so many guesses at once would be slowed down
            answer = served.client.request(method, path, headers=MCP | headers, content=b"{}")
            assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized"), (method, path)
            assert is_problem(answer)
        assert served.engine.stats().total == 0


def test_two_tenants_with_each_others_tokens_get_nowhere(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as served:
        tokens = {user: served.token(Right.WRITE, user=user) for user in ("ann", "bob")}
        ids, receipts = {}, {}
        for user, headers in tokens.items():
            kept = served.client.post("/v1/memories", json={"text": f"{SECRET} for {user}"}, headers=headers).json()
            ids[user], receipts[user] = kept["memory"]["id"], kept["receipt"]["id"]
        served.engine.flush()
        for mine, theirs in (("ann", "bob"), ("bob", "ann")):
            headers, id, receipt = tokens[mine], ids[theirs], receipts[theirs]
            for method, path, body in (
                ("GET", f"/v1/memories/{id}", None),
                ("PATCH", f"/v1/memories/{id}", {"text": "gone"}),
                ("DELETE", f"/v1/memories/{id}", None),
                ("POST", f"/v1/memories/{id}/restore", {}),
                ("GET", f"/v1/receipts/{receipt}", None),
                ("POST", f"/v1/receipts/{receipt}/replay", {}),
                ("POST", "/v1/memories", {"text": "instead", "supersedes": id}),
            ):
                answer = served.client.request(method, path, json=body, headers=headers)
                assert answer.status_code in {404, 422}, (method, path, answer.text)
                assert SECRET not in answer.text
            for method, path, body in (
                ("POST", "/v1/search", {"query": "heron", "user": theirs}),
                ("POST", "/v1/forget", {"query": SECRET, "user": theirs}),
                ("POST", "/hybrid-search", {"query": "heron", "user_id": theirs}),
                ("GET", f"/v1/timeline?user={theirs}", None),
                ("GET", f"/v1/changes?user={theirs}", None),
                ("GET", f"/v1/memories?user={theirs}", None),
            ):
                answer = served.client.request(method, path, json=body, headers=headers)
                assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), (method, path)
            found = served.client.post("/v1/search", json={"query": "heron"}, headers=headers).json()
            assert [hit["id"] for hit in found["hits"]] == [ids[mine]]
        for user, id in ids.items():
            assert served.engine.bind(user=user).get(id).text == f"{SECRET} for {user}"
            assert served.engine.bind(user=user).stats().by_state == {"active": 1}


# --- what is no text, no path, no body --------------------------------------------------------------------------------


_BAD = ["%ff", "%c0%ae%c0%ae/", "%00", "a%00b", "%ed%a0%80", "%", "%zz"]
_PATHS = [
    "/v1/files/lines?path={}", "/v1/files/lines?path=memory/{}", "/v1/memories/{}", "/v1/receipts/{}",
    "/v1/memories?after={}", "/v1/receipts?before={}", "/v1/timeline?id={}",
    "/v1/memories?kind={}", "/{}", "/assets/{}", "/assets/../{}",
]  # fmt: skip


@pytest.mark.parametrize("bad", sweep(_BAD, ["%ff", "%00", "%zz"]))
@pytest.mark.parametrize(
    "path", sweep(_PATHS, ["/v1/files/lines?path={}", "/v1/memories/{}", "/v1/timeline?id={}", "/{}"])
)
def test_what_is_no_text_in_an_address_is_refused(unchanged: Served, path: str, bad: str) -> None:
    with closing(socket.create_connection(unchanged.address, timeout=30)) as client:
        # By hand: a client library would fix it.
        wanted = path.format(bad).encode("ascii")
        client.sendall(b"GET " + wanted + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b""
        while piece := client.recv(65_536):
            answer += piece
    status = int(answer.split(b" ", 2)[1])
    assert 400 <= status < 500, answer
    assert b"Traceback" not in answer


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00",
        b'{"text": "\xc3\x28"}',
        b"[" * 50_000,
        b'{"a":' * 50_000,
        json.dumps({f"key{number}": number for number in range(10_000)}).encode(),
        b'"text"',
        b"[]",
        b"null",
    ],
    ids=["no utf-8", "broken utf-8", "deep list", "deep object", "keys", "string", "list", "null"],
)
def test_no_route_takes_a_body_that_is_none(unchanged: Served, content: bytes) -> None:
    for method, path in operations(unchanged, bodies=True):
        answer = unchanged.client.request(method, path, content=content, headers=MCP)
        assert 400 <= answer.status_code < 500, (method, path, answer.text)
        assert len(answer.content) < 4_000
        assert "Traceback" not in answer.text
    assert unchanged.client.get("/health").status_code == 200


def test_a_hundred_megabytes_are_refused_on_every_route_before_they_are_sent(unchanged: Served) -> None:
    for method, path in operations(unchanged, bodies=True):
        with closing(socket.create_connection(unchanged.address, timeout=30)) as client:
            client.sendall(
                f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Accept: application/json, text/event-stream\r\n"
                "Expect: 100-continue\r\nContent-Length: 104857600\r\n\r\n".encode()
            )
            answer = b""
            while piece := client.recv(65_536):
                answer += piece
        assert answer.startswith(b"HTTP/1.1 413 "), (method, path, answer)


@pytest.mark.parametrize(
    "body",
    [
        {"path": ""}, {"path": "a\x00b"}, {"path": "/nowhere/at/all"}, {"path": "x" * 5_000}, {"path": 7},
        {"path": "/etc/passwd\x00.md"}, {"path": ".", "shape": "strange"}, {"path": ".", "lane": "memories"},
        {"path": ".", "scope": ""}, {"path": ".", "trust": "holy"}, {"shape": "tree"}, {"path": ".", "nmae": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_followed_is_refused(unchanged: Served, body: dict[str, Any]) -> None:
    answer = unchanged.client.post("/v1/index", json=body)
    assert 400 <= answer.status_code < 500, answer.text
    assert is_problem(answer)
    assert not unchanged.engine.files.followed()


# --- MCP over HTTP ----------------------------------------------------------------------------------------------------


def rpc(method: Any, params: Any = None, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {} if params is None else params}


def begun(served: Served, **headers: str) -> dict[str, str]:
    """The headers of a session that was begun."""
    answer = served.client.post("/mcp", json=rpc("initialize", INITIALIZE), headers=MCP | headers)
    assert answer.status_code == 200, answer.text
    session = answer.headers.get("mcp-session-id")
    return MCP | headers | ({"Mcp-Session-Id": session} if session else {})


def test_whatever_a_host_sends_to_mcp_the_server_goes_on(served: Served) -> None:
    """A fuzzed client: bodies that are no messages, messages that are none of ours, in and out of a session."""
    chance = random.Random(20_260_105)
    session = begun(served)
    served.client.post(
        "/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session
    ).raise_for_status()
    codes = set()
    for _ in range(120):
        headers = dict(session if chance.random() < 0.7 else MCP)
        if chance.random() < 0.2:
            headers["Mcp-Session-Id"] = chance.choice(["", "nobody", "x" * 3_000, "../..", "%00"])
        if chance.random() < 0.1:
            headers["Mcp-Protocol-Version"] = chance.choice(["", "1", "9999-99-99"])
        content = chance.choice([_noise(chance), json.dumps(_message(chance)).encode()])
        answer = served.client.post("/mcp", content=content, headers=headers)
        codes.add(answer.status_code)
        assert answer.status_code < 500, (content[:200], answer.text)
        assert "Traceback" not in answer.text
    assert 200 in codes
    assert codes & {400, 404, 422}
    result = served.client.post("/mcp", json=rpc("tools/call", {"name": "stats", "arguments": {}}), headers=session)
    assert '"isError":true' not in result.text.replace(" ", "")
    assert served.client.get("/health").status_code == 200


def _message(chance: random.Random) -> Any:
    method = chance.choice(
        ["tools/call", "tools/list", "resources/read", "prompts/get", "initialize", "ping", "strange", "", 7, None]
    )
    params = chance.choice(
        [
            None, [], "x", 7, {}, {"name": "recall"}, {"name": "recall", "arguments": [1]}, {"name": "\x00"},
            {"name": "recall", "arguments": {"query": "a" * chance.randint(0, 70_000)}},
            {"name": "remember", "arguments": {"text": ""}}, {"name": "get", "arguments": {"path": "../../etc/passwd"}},
            {"uri": "cortex://files/../../etc/passwd"}, {"uri": "file:///etc/passwd"}, {"uri": 7}, {"cursor": "x"},
            {"_meta": {"progressToken": [1]}, "name": "stats"}, {"name": "flush", "arguments": {"timezone": "Mars"}},
        ]
    )  # fmt: skip
    message = {
        "jsonrpc": "2.0",
        "id": chance.choice([1, "a", None, 1.5, [], 2**70]),
        "method": method,
        "params": params,
    }
    for name in chance.sample(sorted(message), k=chance.randrange(2)):
        del message[name]
    return [message, message] if chance.random() < 0.1 else message


def _noise(chance: random.Random) -> bytes:
    return chance.choice(
        [
            b"", b"{", b"null", b"7", b'"x"', b"\xff\xfe", b"[" * 5_000, b'{"jsonrpc": "1.0"}', b"{}", b"[]",
            bytes(chance.randrange(256) for _ in range(chance.randrange(200))),
        ]
    )  # fmt: skip


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path / "home") as served:
        served.token(Right.READ, user="nobody")
        yield served


def call(served: Served, headers: dict[str, str], tool: str, **arguments: Any) -> httpx.Response:
    return served.client.post("/mcp", json=rpc("tools/call", {"name": tool, "arguments": arguments}), headers=headers)


def test_a_host_needs_a_token_as_everybody_does(guarded: Served) -> None:
    answer = guarded.client.post("/mcp", json=rpc("initialize", INITIALIZE), headers=MCP)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    reading = begun(guarded, **guarded.token(Right.READ))
    assert "forbidden" in call(guarded, reading, "remember", text=SECRET).text
    assert guarded.engine.stats().total == 0
    writing = begun(guarded, **guarded.token(Right.WRITE))
    assert "forbidden" not in call(guarded, writing, "remember", text=SECRET).text
    assert guarded.engine.stats().total == 1


def test_a_session_ends_with_its_token_and_is_nobody_elses(guarded: Served) -> None:
    ann, bob = (guarded.token(Right.WRITE, user=user, label=user) for user in ("ann", "bob"))
    session = begun(guarded, **ann)
    assert "Remembered" in call(guarded, session, "remember", text=SECRET).text
    stolen = call(guarded, session | bob, "search", query="heron")
    assert SECRET not in stolen.text
    assert SECRET in call(guarded, session, "search", query="heron").text
    guarded.tokens.revoke(next(each.id for each in guarded.tokens.all() if each.label == "ann"))
    assert call(guarded, session, "search", query="heron").status_code == 401


# --- the log ----------------------------------------------------------------------------------------------------------


def test_nothing_that_was_refused_stands_in_the_log(tmp_path: Path) -> None:
    """Tokens, texts, paths and queries: of none of them anything but whose token it was."""
    home = tmp_path / "home"
    tokens = Tokens(FileDocuments(home), SystemClock())
    good, token = tokens.create(Tenant(), [Right.WRITE])
    revoked, gone = tokens.create(Tenant(), [Right.ADMIN])
    tokens.revoke(gone.id)
    expired, _ = Tokens(FileDocuments(home), FakeClock()).create(
        Tenant(), [Right.ADMIN], expires_in=timedelta(seconds=1)
    )
    guess = "ctx_0123456789ab_" + "Heron" * 8 + "Her"
    with Process(home) as server:
        for secret in (revoked, expired, guess, good):
            headers = MCP | {"Authorization": f"Bearer {secret}"}
            for method, path, content in (
                ("POST", "/v1/memories", json.dumps({"text": SECRET, "kind": "heron"}).encode()),
                ("POST", "/v1/capture", json.dumps({"session": "heron\x00", "messages": SECRET}).encode()),
                ("POST", "/v1/forget", json.dumps({"query": "heron", "user": "heron"}).encode()),
                ("POST", "/mcp", json.dumps(rpc("heron", {"name": "heron", "arguments": {"heron": SECRET}})).encode()),
                ("POST", "/mcp", b"heron \xff"),
                ("GET", "/v1/files/lines?path=../../heron.md", b""),
                ("GET", "/v1/memories/heron?user=heron", b""),
                ("GET", f"/heron?token={good}", b""),
                ("POST", "/v1/search", b'{"query": "heron' + b"\xff" + b'"}'),
            ):
                answer = server.client.request(method, path, content=content, headers=headers)
                assert 400 <= answer.status_code < 500 or path == "/mcp", (path, answer.text)
                assert secret not in answer.text
        assert server.end() == 0
    items = [line for line in server.lines if line["message"] == "request"]
    assert len(items) == 36
    assert [line["token"] for line in items] == [None] * 27 + [token.id] * 9
    text = server.log.read_text("utf-8")
    assert "heron" not in text.lower()
    for secret in (good, revoked, expired, guess):
        assert secret not in text
        assert secret.split("_", 2)[2] not in text
    with Cortex(home, settings={"embedding": {"provider": "none"}}) as engine:
        assert engine.stats().total == 0
