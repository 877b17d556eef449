"""A model on loopback for coding agents: it speaks the protocols of Anthropic, OpenAI and Google, and always answers
with the same words."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

REPLY = "Understood."
_USAGE = {"input_tokens": 10, "output_tokens": 5}


def _anthropic() -> Iterator[tuple[str, dict[str, Any]]]:
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [], "usage": _USAGE,
        "stop_reason": None, "stop_sequence": None,
    }  # fmt: skip
    yield "message_start", {"message": message}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": REPLY}}
    yield "content_block_stop", {"index": 0}
    yield "message_delta", {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": _USAGE}
    yield "message_stop", {}


def _responses() -> Iterator[tuple[str, dict[str, Any]]]:
    text = {"type": "output_text", "text": REPLY, "annotations": []}
    item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [text]}
    usage = {**_USAGE, "total_tokens": 15, "input_tokens_details": None, "output_tokens_details": None}
    yield "response.created", {"response": {"id": "r1"}}
    yield "response.output_item.added", {"output_index": 0, "item": {**item, "content": [], "status": "in_progress"}}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield "response.completed", {"response": {"id": "r1", "status": "completed", "output": [item], "usage": usage}}


def _chat() -> Iterator[dict[str, Any]]:
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    yield {**base, "choices": [{"index": 0, "delta": {"role": "assistant", "content": REPLY}, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**base, "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}


def _google() -> dict[str, Any]:
    return {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [{"text": REPLY}]}}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
    }


def _events(path: str) -> str | None:
    """What is streamed for a request to `path`; None where the protocol is not known."""
    if path.endswith("/messages"):
        return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in _anthropic())
    if path.endswith("/responses"):
        return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in _responses())
    if path.endswith("/chat/completions"):
        return "".join(f"data: {json.dumps(data)}\n\n" for data in _chat()) + "data: [DONE]\n\n"
    if ":streamGenerateContent" in path:
        return f"data: {json.dumps(_google())}\n\n"
    return None


class ScriptedApis:
    """Serves until `close`; `requests` holds the bodies of what was asked, oldest first."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.paths: list[str] = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                model.paths.append(f"GET {self.path}")
                self._answer(404, "application/json", "{}")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                path = self.path.partition("?")[0]
                model.paths.append(f"POST {path}")
                if (events := _events(path)) is not None:
                    model.requests.append(body.decode("utf-8", "replace"))
                    is_whole = path.endswith("/messages") and not json.loads(body).get("stream")
                    if is_whole:
                        self._answer(200, "application/json", json.dumps(_whole()))
                    else:
                        self._answer(200, "text/event-stream", events)
                elif ":generateContent" in path:
                    self._answer(200, "application/json", json.dumps(_google()))
                elif "countTokens" in path or "count_tokens" in path:
                    self._answer(200, "application/json", json.dumps({"totalTokens": 10, "input_tokens": 10}))
                else:
                    self._answer(404, "application/json", "{}")

            def _answer(self, status: int, kind: str, text: str) -> None:
                content = text.encode()
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def _whole() -> dict[str, Any]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "stop_reason": "end_turn",
        "stop_sequence": None, "content": [{"type": "text", "text": REPLY}], "usage": _USAGE,
    }  # fmt: skip
