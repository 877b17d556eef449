"""Errors over a server are those of the engine, and an unreachable server is reported as that."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving

from cortex import Cortex
from cortex.access.tokens import Right
from cortex.client import RemoteCortex
from cortex.domain.identity import TraceId
from cortex.domain.memory import Draft
from cortex.errors import (
    Conflict,
    DeadlineExceeded,
    EngineError,
    InvalidRequest,
    NotFound,
    StoreBusy,
    StoreUnavailable,
)
from cortex.ports.store import Filter

NOBODY = "0198c1a2-7b3c-7def-8a01-23456789abcd"

MISTAKES: dict[str, Callable[[Any], Any]] = {
    "no text": lambda memory: memory.remember(""),
    "a strange kind": lambda memory: memory.remember("x", kind="rumour"),
    "an unknown field": lambda memory: memory.remember("x", colour="red"),
    "an importance of two": lambda memory: memory.remember("x", importance=2.0),
    "replaces nobody": lambda memory: memory.remember("x", supersedes=NOBODY),
    "a bad one among many": lambda memory: memory.remember_all([Draft(text="fine"), Draft(text="")]),
    "no id": lambda memory: memory.get("42"),
    "nobody": lambda memory: memory.get(NOBODY),
    "forget nobody": lambda memory: memory.forget(NOBODY),
    "no recipe": lambda memory: memory.recall("x", recipe="soup.v9"),
    "no option": lambda memory: memory.recall("x", colour="red"),
    "a limit of none": lambda memory: memory.recall("x", limit=0),
    "not of this ledger": lambda memory: memory.recall("x", as_of=-1),
    "no receipt": lambda memory: memory.receipt(NOBODY),
    "no receipt at all": lambda memory: memory.receipt("x"),
    "nothing to replay": lambda memory: memory.replay(NOBODY),
    "receipts before nobody": lambda memory: memory.receipts(before=NOBODY),
    "no session": lambda memory: memory.ingest([], session=""),
    "no messages": lambda memory: memory.ingest("hello", session="s1"),
    "a page too long": lambda memory: memory.timeline(limit=5_000),
    "no days": lambda memory: memory.growth(days=0),
    "no run": lambda memory: memory.undo_consolidation("soup"),
    "no folder": lambda memory: memory.index("/nowhere/at/all"),
    "no such file": lambda memory: memory.memory_get("nowhere.md"),
    "a bad line": lambda memory: memory.import_(['{"type": "memory"}']),
    "no page": lambda memory: memory.import_markdown("- no page of ours\n"),
    "another agent's name": lambda memory: memory.bind(agent="../main"),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_the_same_error_over_a_server(
    served: Served, remote: RemoteCortex, mistake: Callable[[Any], Any]
) -> None:
    raised = []
    for memory in (served.engine, remote):
        with pytest.raises(EngineError) as error:
            mistake(memory)
        raised.append(error.value)
    ours, theirs = raised[1], raised[0]
    assert (type(ours), ours.code) == (type(theirs), theirs.code)
    assert getattr(ours, "field", None) == getattr(theirs, "field", None)
    assert ours.message
    assert served.engine.stats().total == 0


def test_an_edit_that_comes_too_late_is_a_conflict(remote: RemoteCortex) -> None:
    remote.remember("I live in Rome")
    (page,) = remote.export_markdown()
    remote.import_markdown(page.text.replace("Rome", "Oslo"))
    with pytest.raises(Conflict) as late:
        remote.import_markdown(page.text.replace("Rome", "Bonn"))
    assert late.value.hint


@pytest.mark.parametrize("filter", [Filter(ids=frozenset({TraceId(NOBODY)})), Filter(scopes=frozenset())])
def test_a_filter_that_cannot_be_sent_is_refused_before_it_is(remote: RemoteCortex, filter: Filter) -> None:
    for ask in (remote.list, remote.stats):
        with pytest.raises(InvalidRequest, match="filter"):
            ask(filter)


def test_what_is_of_this_machine_alone_is_refused(remote: RemoteCortex, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="to:"):
        remote.backup(tmp_path)
    with pytest.raises(InvalidRequest, match="request"):
        remote.ingest([object()], session="s1")


# --- who may ----------------------------------------------------------------------------------------------------------


def test_a_token_that_is_missing_or_not_good_is_named(served: Served) -> None:
    served.token(Right.READ)
    for token in (None, "ctx_nobody"):
        with Cortex.connect(served.url, token=token) as stranger, pytest.raises(InvalidRequest) as refused:
            stranger.stats()
        assert (refused.value.field, refused.value.code) == ("token", "unauthorized")
        assert "token" in str(refused.value)


def test_a_token_that_does_not_allow_it_is_named(served: Served) -> None:
    secret = served.token(Right.READ)["Authorization"].removeprefix("Bearer ")
    with Cortex.connect(served.url, token=secret) as reader:
        assert reader.stats().total == 0
        for call in (lambda: reader.remember("x"), reader.backup, lambda: reader.bind(user="boris").stats()):
            with pytest.raises(InvalidRequest) as refused:
                call()
            assert (refused.value.field, refused.value.code) == ("token", "forbidden")
            assert refused.value.hint


def test_a_caller_who_is_too_quick_is_told_to_wait(tmp_path: Path) -> None:
    with serving(tmp_path / "home", options={"rate_per_minute": 1}) as served:
        secret = served.token(Right.READ)["Authorization"].removeprefix("Bearer ")
        with Cortex.connect(served.url, token=secret) as hasty, pytest.raises(StoreBusy) as refused:
            _ = [hasty.stats() for _ in range(30)]
        assert refused.value.code == "rate_limited"


# --- servers that are none --------------------------------------------------------------------------------------------


@contextmanager
def answering(handle: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """A server of somebody else's."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            handle(self)

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def said(status: int, body: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    return handle


def test_nobody_at_that_address_is_told_with_how_to_start_a_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with Cortex.connect(f"http://127.0.0.1:{port}") as nobody, pytest.raises(StoreUnavailable) as refused:
        nobody.recall("hello")
    assert f":{port}" in refused.value.message
    assert "cortex serve" in refused.value.hint


@pytest.mark.parametrize("url", ["", "127.0.0.1:8300", "ftp://127.0.0.1", "http://", "http://[::1", 8300])
def test_what_is_no_address_is_refused(url: Any) -> None:
    with pytest.raises(InvalidRequest, match="url"):
        Cortex.connect(url)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b"<html>hello</html>", StoreUnavailable),
        (200, b"[]", StoreUnavailable),
        (502, b"<html>bad gateway</html>", StoreUnavailable),
        (404, b"<html>not here</html>", InvalidRequest),
        (500, b'{"code": "unexpected", "detail": "a bug in Cortex", "hint": "report it"}', StoreUnavailable),
        (503, b'{"code": "busy", "detail": "too many", "hint": "try again"}', StoreBusy),
        (409, b'{"code": "conflict", "detail": "changed", "hint": "read again"}', Conflict),
        (404, b'{"code": "not_found", "detail": "nobody", "hint": "look"}', NotFound),
        (400, b'"?"', InvalidRequest),
    ],
)
def test_whatever_answers_there_is_an_error_of_ours(status: int, body: bytes, kind: type[EngineError]) -> None:
    with answering(said(status, body)) as url, Cortex.connect(url) as other, pytest.raises(kind) as error:
        other.status()
    assert type(error.value) is kind
    assert error.value.message


def test_an_answer_that_does_not_come_is_given_up() -> None:
    waits = threading.Event()
    with answering(lambda _: waits.wait(10) and None) as url:
        with Cortex.connect(url, timeout=0.1) as slow, pytest.raises(DeadlineExceeded, match=r"0\.1 s"):
            slow.status()
        waits.set()


def test_a_connection_that_breaks_off_is_told() -> None:
    def hang_up(request: BaseHTTPRequestHandler) -> None:
        request.connection.shutdown(socket.SHUT_RDWR)

    with (
        answering(hang_up) as url,
        Cortex.connect(url) as broken,
        pytest.raises(StoreUnavailable, match="was lost"),
    ):
        broken.status()


def test_without_httpx_it_is_said_what_to_install() -> None:
    script = (
        "import sys; sys.modules['httpx'] = None\n"
        "from cortex import Cortex\n"
        "try:\n    Cortex.connect('http://127.0.0.1:8300')\n"
        "except Exception as error:\n    print(type(error).__name__, error.hint)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
                         | {"PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert ran.stdout == "ProviderMissing pip install 'memory-cortex[client]'\n"


def test_a_client_that_was_closed_says_so(served: Served) -> None:
    memory = Cortex.connect(served.url)
    memory.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        memory.stats()
