"""What the server bears: large, slow, strange and many requests are refused clearly, and hinder nobody else."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from served import Served, serving

from cortex.access.tokens import Right
from cortex.testing import FakeClock

JSON = {"Content-Type": "application/json"}


def post(served: Served, content: bytes, path: str = "/v1/memories", **headers: str) -> httpx.Response:
    return served.client.post(path, content=content, headers=JSON | headers)


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_a_body_at_the_limit_is_read_and_one_beyond_it_is_not(tmp_path: Path) -> None:
    with serving(tmp_path / "home", options={"max_body_bytes": 100}) as served:
        fits = b'{"text": "' + b"x" * 88 + b'"}'
        assert post(served, fits).status_code == 201
        answer = post(served, fits[:-2] + b'x"}')
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_a_body_that_does_not_tell_its_length_is_counted_as_it_comes(tmp_path: Path) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(200):
            sent += 1 << 16
            yield b"x" * (1 << 16)

    with serving(tmp_path / "home", options={"max_body_bytes": 1_000}) as served:
        answer = served.client.post("/v1/memories", content=endless(), headers=JSON)
        assert answer.status_code == 413
        assert served.client.get("/health").status_code == 200


def test_a_hundred_megabytes_are_refused_before_they_are_sent(unchanged: Served) -> None:
    with closing(socket.create_connection(unchanged.address, timeout=10)) as client:
        client.sendall(
            b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Expect: 100-continue\r\nContent-Length: 104857600\r\n\r\n"
        )
        answer = b""
        while piece := client.recv(65_536):  # until the server hangs up
            answer += piece
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"100 Continue" not in answer


def test_histories_may_be_longer_than_other_bodies(tmp_path: Path) -> None:
    options = {"max_body_bytes": 1_000, "max_history_bytes": 5_000}
    with serving(tmp_path / "home", options=options) as served:
        messages = [{"role": "user", "content": "x" * 3_000}]
        body = {"session_id": "s1", "messages": messages}
        assert served.client.post("/ingest", json=body).status_code == 200
        assert served.client.post("/ingest", json=body | {"messages": messages * 2}).status_code == 413
        assert served.client.post("/v1/search", json={"query": "x" * 3_000}).status_code == 413


@pytest.mark.parametrize(
    "content",
    [
        b"{", b"", b"\xff\xfe", b'{"text": "\xff"}', b'{"text": "\\ud800"}', b'{"text": NaN}',
        b'{"text": 1e999, "x": -Infinity}', b"[" * 100_000, b'{"a":' * 100_000,
        b'{"text": ' + b"9" * 10_000 + b"}", b"\xef\xbb\xbf{}", b"null x",
        b'{"text": "x"} {"text": "y"}', b"{'text': 'x'}", b'{"text": "x",}',
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_as_a_problem(unchanged: Served, content: bytes) -> None:
    answer = post(unchanged, content)
    assert answer.status_code in {400, 422}, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"]


@pytest.mark.parametrize("content", [b"\xff\xfe", b'{"text": "\xff"}', b"{", b'{"text": NaN}', b'{"text": "\\udc00"}'])
def test_what_cannot_be_read_at_all_is_a_400(unchanged: Served, content: bytes) -> None:
    answer = post(unchanged, content)
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "malformed", "body")


def test_whole_characters_may_be_written_as_pairs(served: Served) -> None:
    assert post(served, b'{"text": "a cat: \\ud83d\\udc31"}').json()["memory"]["text"] == "a cat: 🐱"


@pytest.mark.parametrize(
    "body",
    [
        {f"key{number}": number for number in range(10_000)},
        {"text": "x", **{f"key{number}": number for number in range(900)}},
        {"session": "s1", "messages": [{f"key{number}": "x" for number in range(10_000)}]},
    ],
)
def test_ten_thousand_keys_are_one_mistake(unchanged: Served, body: dict[str, object]) -> None:
    path = "/v1/turns/after" if "messages" in body else "/v1/memories"
    answer = unchanged.client.post(path, json=body)
    assert answer.status_code == 422
    assert len(answer.content) < 2_000


def test_ten_thousand_query_parameters_are_refused(unchanged: Served) -> None:
    answer = unchanged.client.get("/v1/memories?" + "&".join(f"k{number}=1" for number in range(2_000)))
    assert answer.status_code == 422
    assert len(answer.content) < 2_000


def test_headers_without_end_are_refused(unchanged: Served) -> None:
    answer = unchanged.client.get("/health", headers={f"X-{number}": "y" * 100 for number in range(1_000)})
    # 400 where the server gave up before it had them all
    assert answer.status_code in {400, 431}
    assert unchanged.client.get("/health").status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 50,
        b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_and_the_server_goes_on(unchanged: Served, sent: bytes) -> None:
    with closing(socket.create_connection(unchanged.address, timeout=10)) as client:
        client.sendall(sent)
        assert b" 400 " in client.recv(65_536).split(b"\r\n")[0]
    assert unchanged.client.get("/health").status_code == 200


# --- slow clients -----------------------------------------------------------------------------------------------------


def until_closed(client: socket.socket) -> bytes:
    found = b""
    while piece := client.recv(65_536):
        found += piece
    return found


def test_slow_clients_hinder_nobody_and_are_given_up(tmp_path: Path) -> None:
    """Slow-loris: headers that never end, and bodies that never come"""
    with serving(tmp_path / "home", options={"receive_timeout_ms": 600, "max_concurrent": 4}) as served:
        slow = [socket.create_connection(served.address, timeout=10) for _ in range(40)]
        for number, client in enumerate(slow):
            if number % 2:
                client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            else:
                client.sendall(
                    b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    b"Content-Length: 50\r\n\r\n{"
                )
        assert served.client.post("/v1/search", json={"query": "x"}).status_code == 200
        for number, client in enumerate(slow):
            answer = until_closed(client)
            assert (b" 408 " in answer) == (number % 2 == 0)
            client.close()
        assert served.client.get("/health").status_code == 200


def test_a_client_that_dribbles_is_given_up_too(tmp_path: Path) -> None:
    """A byte now and then keeps nothing open"""
    with (
        serving(tmp_path / "home", options={"receive_timeout_ms": 400}) as served,
        closing(socket.create_connection(served.address, timeout=10)) as client,
    ):
        client.sendall(b"GET /health HTTP/1.1\r\n")
        given_up = False
        for _ in range(500):
            try:
                client.sendall(b"X")
            except OSError:
                given_up = True
                break
            time.sleep(0.02)
        assert given_up


def test_a_connection_serves_one_request_after_the_other(unchanged: Served) -> None:
    """The limit on slow headers does not cut off who is merely quiet"""
    with closing(socket.create_connection(unchanged.address, timeout=10)) as client:
        for _ in range(3):
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b'{"status":"ok"}'):
                answer += client.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 200 ")


def test_a_client_that_leaves_while_it_sends_is_no_error(unchanged: Served) -> None:
    with closing(socket.create_connection(unchanged.address, timeout=10)) as client:
        client.sendall(
            b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 50\r\n\r\n{"
        )
    assert unchanged.client.get("/health").status_code == 200


# --- many requests, late answers --------------------------------------------------------------------------------------


def test_more_requests_than_there_are_places_are_told_to_come_again(tmp_path: Path) -> None:
    settings = {"embedding": {"query_timeout_ms": 60_000}, "recall": {"deadline_ms": 60_000}}
    with serving(tmp_path / "home", options={"max_concurrent": 2}, settings=settings) as served:
        served.remember("The deploy key rotates on Mondays")
        served.embedder.stall = stall = threading.Event()
        codes: list[int] = []

        def ask() -> None:
            codes.append(httpx.post(f"{served.url}/v1/search", json={"query": "deploy key"}, timeout=30).status_code)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(500):
            if "cortex_http_requests_in_progress 3.0" in served.client.get("/metrics").text:
                break
            time.sleep(0.02)
        answer = served.client.get("/v1/stats")
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "busy", "1")
        turn = served.client.post("/v1/turns/before", json={"session": "s1", "message": "when does it rotate?"})
        assert (turn.status_code, turn.json()["degraded"]) == (200, ["busy"])
        assert served.client.get("/health").status_code == 200
        stall.set()
        for thread in threads:
            thread.join()
        assert codes == [200, 200]
        assert served.client.get("/v1/stats").status_code == 200


def test_bodies_that_are_held_at_once_are_bounded(tmp_path: Path) -> None:
    """What many slow clients have sent so far must not fill the memory"""
    options = {"max_body_bytes": 1_000, "max_history_bytes": 1_000, "receive_timeout_ms": 5_000}
    with serving(tmp_path / "home", options=options) as served:
        slow = [socket.create_connection(served.address, timeout=10) for _ in range(16)]
        for client in slow:
            client.sendall(
                b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: 1000\r\n\r\n" + b" " * 999
            )
        body = {"query": "x" * 500}
        for _ in range(200):
            answer = served.client.post("/v1/search", json=body)
            if answer.status_code == 503:
                break
            time.sleep(0.02)
        assert answer.json()["code"] == "busy"
        for client in slow:
            client.close()
        for _ in range(200):
            answer = served.client.post("/v1/search", json=body)
            if answer.status_code == 200:
                break
            time.sleep(0.02)
        assert answer.status_code == 200


def test_a_call_that_takes_too_long_is_a_504_and_its_place_is_kept_until_it_is_done(tmp_path: Path) -> None:
    options = {"request_timeout_ms": 100, "max_concurrent": 1}
    settings = {"embedding": {"query_timeout_ms": 60_000}, "recall": {"deadline_ms": 60_000}}
    with serving(tmp_path / "home", options=options, settings=settings) as served:
        served.remember("The deploy key rotates on Mondays")
        served.embedder.stall = stall = threading.Event()
        late = served.client.post("/v1/search", json={"query": "deploy key"})
        assert (late.status_code, late.json()["code"]) == (504, "deadline_exceeded")
        assert served.client.get("/v1/stats").status_code == 503
        stall.set()
        for _ in range(200):
            if (answer := served.client.get("/v1/stats")).status_code == 200:
                break
            time.sleep(0.02)
        assert answer.status_code == 200


def test_a_server_ends_though_a_call_hangs(tmp_path: Path) -> None:
    settings = {"embedding": {"query_timeout_ms": 60_000}, "recall": {"deadline_ms": 60_000}}
    stall = threading.Event()
    options = {"request_timeout_ms": 100, "shutdown_seconds": 2}
    with serving(tmp_path / "home", options=options, settings=settings) as served:
        served.remember("The deploy key rotates on Mondays")
        served.embedder.stall = stall
        assert served.client.post("/v1/search", json={"query": "deploy key"}).status_code == 504
    stall.set()


def test_each_token_has_a_pace_of_its_own(tmp_path: Path) -> None:
    clock = FakeClock()
    with serving(tmp_path / "home", options={"rate_per_minute": 12}, clock=clock) as served:
        quick, calm = served.token(Right.READ), served.token(Right.READ)
        codes = [served.client.get("/v1/stats", headers=quick).status_code for _ in range(4)]
        assert codes == [200, 200, 429, 429]
        answer = served.client.get("/v1/stats", headers=quick)
        assert (answer.json()["code"], answer.headers["retry-after"]) == ("rate_limited", "5")
        turn = {"session": "s1", "message": "hello there"}
        response = served.client.post("/v1/turns/before", json=turn, headers=quick)
        assert (response.status_code, response.json()["degraded"]) == (200, ["rate_limited"])
        assert served.client.get("/v1/stats", headers=calm).status_code == 200
        clock.advance(5)
        assert served.client.get("/v1/stats", headers=quick).status_code == 200


def test_guessing_tokens_is_slowed_down_and_good_ones_are_not(tmp_path: Path) -> None:
    with serving(tmp_path / "home", clock=FakeClock()) as served:
        good = served.token(Right.READ)
        guess = {"Authorization": "Bearer ctx_0123456789ab_" + "A" * 43}
        codes = [served.client.get("/v1/stats", headers=guess).status_code for _ in range(62)]
        assert codes == [401] * 60 + [429] * 2
        assert served.client.get("/v1/stats", headers=good).status_code == 200


def test_many_clients_at_once_are_all_answered(served: Served) -> None:
    served.remember("The deploy key rotates on Mondays")
    body = json.dumps({"session": "s1", "message": "when does the deploy key rotate?"}).encode()
    codes: list[int] = []

    def ask() -> None:
        with httpx.Client(base_url=served.url, timeout=30) as client:
            codes.extend(client.post("/v1/turns/before", content=body, headers=JSON).status_code for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [200] * 40
