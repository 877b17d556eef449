"""A model on loopback that speaks OpenAI's protocol and answers by script.

A message `CALL:tool {"json": "arguments"}` makes it call that tool. A flush prompt makes it write the file that it
names. Every other message is answered with `ok`.
"""

from __future__ import annotations

import http.server
import json
import re
import threading
import time
from typing import Any

INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
_FLUSH = re.compile(r"Before this conversation is shortened.*?(memory/\d{4}-\d\d-\d\d\.md)", re.DOTALL)
_CALL = re.compile(r"CALL:(\w+) (\{.*\})\s*$", re.MULTILINE)


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def reply(messages: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    """The next message of the model, and why it ends."""
    last = [message for message in messages if INTERNAL not in text_of(message)][-1]
    if last["role"] == "tool":
        return {"role": "assistant", "content": "RESULT " + text_of(last)}, "stop"
    if flush := _FLUSH.search(text_of(last)):
        function = {"name": "write", "arguments": json.dumps({"path": flush[1], "content": "- The windmill"})}
    elif call := _CALL.search(text_of(last)):
        function = {"name": call[1], "arguments": call[2]}
    else:
        return {"role": "assistant", "content": "ok"}, "stop"
    return {
        "role": "assistant",
        "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}],
    }, "tool_calls"


class ScriptedModel:
    """Serves until `close`; `requests` holds what the host sent, oldest first."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.tokens = 10
        """How many tokens each request is said to have."""
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.requests.append(request)
                delta, finish = reply(request["messages"])
                usage = {"prompt_tokens": model.tokens, "completion_tokens": 5, "total_tokens": model.tokens + 5}
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                for chunk in (
                    {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                    {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
                    {"choices": [], "usage": usage},
                ):
                    self.wfile.write(b"data: " + json.dumps({**_BASE, "created": int(time.time()), **chunk}).encode())
                    self.wfile.write(b"\n\n")
                self.wfile.write(b"data: [DONE]\n\n")

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


_BASE = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "scripted"}
