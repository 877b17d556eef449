"""Telegram's Bot API on loopback, so that a host's own channel brings senders, direct chats and groups into a test."""

from __future__ import annotations

import http.server
import itertools
import json
import queue
import threading
import time
from typing import Any
from urllib.parse import parse_qsl

TOKEN = "123456:AAscriptedscriptedscriptedscriptedscri"
BOT = {
    "id": 123_456, "is_bot": True, "first_name": "Cortex", "username": "cortex_test_bot", "can_join_groups": True,
    "can_read_all_group_messages": True, "supports_inline_queries": False,
}  # fmt: skip
POLL_SECONDS = 2.0


class ScriptedTelegram:
    """Serves until `close`; `sent` holds what the bot sent, oldest first."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self._updates: queue.Queue[dict[str, Any]] = queue.Queue()
        self._numbers = itertools.count(1)
        telegram = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.answer(b"")

            def do_POST(self) -> None:
                self.answer(self.rfile.read(int(self.headers.get("content-length") or 0)))

            def answer(self, body: bytes) -> None:
                result = telegram.result(self.path.rpartition("/")[2].partition("?")[0], _read(body))
                reply = json.dumps({"ok": True, "result": result}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def result(self, method: str, given: dict[str, Any]) -> Any:
        if method == "getMe":
            return BOT
        if method == "getUpdates":
            return self._next_updates()
        if method == "getChat":
            return {"id": given.get("chat_id"), "type": "private"}
        if method in {"sendMessage", "sendRichMessage", "editMessageText"}:
            self.sent.append({"method": method, **given})
            return {"message_id": next(self._numbers), "date": int(time.time()), "chat": {"id": given.get("chat_id")}}
        return [] if method.startswith("getMy") else True

    def _next_updates(self) -> list[dict[str, Any]]:
        try:
            return [self._updates.get(timeout=POLL_SECONDS)]
        except queue.Empty:
            return []

    def receive(self, text: str, *, sender: int, group: int | None = None, name: str = "Somebody") -> None:
        """A message of `sender`, in their direct chat or in a group."""
        person = {"id": sender, "is_bot": False, "first_name": name}
        chat = {"id": sender, "type": "private", "first_name": name}
        if group is not None:
            chat = {"id": group, "type": "supergroup", "title": "The group"}
        number = next(self._numbers)
        message = {"message_id": number, "date": int(time.time()), "chat": chat, "from": person, "text": text}
        self._updates.put({"update_id": number, "message": message})

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _read(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body) if body else {}
    except ValueError:
        given = dict(parse_qsl(body.decode("utf-8", "replace")))
    return given if isinstance(given, dict) else {}
