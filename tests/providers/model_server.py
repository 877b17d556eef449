"""A loopback server that speaks like OpenAI and like Anthropic, and misbehaves as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the server sends: a body in the protocol's shape with `text`, or `body` as it stands."""

    text: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    stop: str = ""
    usage: bool = True
    hang: bool = False
    cut: bool = False
    """Break off in the middle of the body."""
    drip: bool = False
    """Send the body byte by byte, and never the last one."""


Behaviour = Callable[[dict[str, Any]], Reply]


class ModelServer:
    """Answers every request by `behave`; keeps the requests and their headers."""

    def __init__(self) -> None:
        self.behave: Behaviour = lambda request: Reply("hello")
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.over = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.requests.append(request)
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                try:
                    server._reply(self, request)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def replies(self, *replies: Reply) -> None:
        """Answer by these in turn; by the last one for ever after."""
        left = list(replies)
        self.behave = lambda request: left.pop(0) if len(left) > 1 else left[0]

    def close(self) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _reply(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        reply = self.behave(request)
        if reply.hang:
            self.over.wait()
            handler.close_connection = True
            return
        anthropic = handler.path.startswith("/v1/messages")
        body = reply.body if reply.body is not None else json.dumps(_shaped(reply, anthropic)).encode()
        handler.send_response_only(reply.status)  # without a date of its own
        for name, value in ({"content-type": "application/json"} | reply.headers).items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        if reply.drip:
            self._drip(handler, body)
        handler.wfile.write(body[: len(body) // 2] if reply.cut else body)
        handler.close_connection = reply.cut

    def _drip(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        while not self.over.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    server = ModelServer()
    try:
        yield server
    finally:
        server.close()


def _shaped(reply: Reply, anthropic: bool) -> dict[str, Any]:
    if reply.status != 200:
        # Vendors quote the request in their errors; what they quote must not reach ours.
        return {"type": "error", "error": {"type": "some_error", "message": "you said: my secret prompt"}}
    if anthropic:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": reply.text}] if reply.text else [],
            "stop_reason": reply.stop or "end_turn",
            "stop_sequence": None,
            **({"usage": {"input_tokens": 11, "output_tokens": 7}} if reply.usage else {}),
        }
    message = {"role": "assistant", "content": reply.text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reply.stop or "stop"}],
        **({"usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}} if reply.usage else {}),
    }
