"""OpenClaw's gateway with Cortex in its memory slot, a scripted model and a scripted Telegram, all on loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from scripted_model import ScriptedModel, text_of
from scripted_telegram import TOKEN as BOT_TOKEN
from scripted_telegram import ScriptedTelegram

HOST = os.environ.get("CORTEX_OPENCLAW")
PLUGIN = Path(__file__).parents[2] / "plugins" / "openclaw"
TOKEN = "test-token"
SECONDS = 300
"""A busy machine is slow; nothing here measures time."""

STARTS = 3

OWNER, FRIEND, STRANGER, FORBIDDEN = 42, 43, 44, 55
HOUSEMATES = (77, 78)
"""Their direct chats share the agent's main session."""
GROUP = -100_200_300

Messages = list[dict[str, Any]]


class Gateway:
    """One gateway with a state of its own."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root, self.home = root, home
        self.model, self.telegram = ScriptedModel(), ScriptedTelegram()
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", timeout=SECONDS, headers={"authorization": f"Bearer {TOKEN}"}
        )

    @property
    def variables(self) -> dict[str, str]:
        app = Path(str(HOST))
        cortex = Path(sys.executable).parent
        return {
            **os.environ,
            "PATH": f"{app / 'bin'}:{app / 'app' / 'node_modules' / '.bin'}:{cortex}:{os.environ['PATH']}",
            "HOME": str(self.root / "home"),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
            "OPENCLAW_HOME": str(self.root / "home"),
            "OPENCLAW_STATE_DIR": str(self.root / "state"),
            "OPENCLAW_CONFIG_PATH": str(self.root / "openclaw.json"),
            "OPENCLAW_OFFLINE": "1",
            "CI": "true",
            "NO_COLOR": "1",
        }

    def configure(self, *, granted: bool = True, telegram: bool = True, **config: Any) -> None:
        hooks = {"allowConversationAccess": True} if granted else {}
        entry = {"enabled": True, "hooks": hooks, "config": {"home": str(self.home), **config}}
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        scripted = {
            "id": "scripted", "name": "Scripted", "reasoning": False, "input": ["text"], "cost": cost,
            "contextWindow": 128_000, "maxTokens": 4_096,
        }  # fmt: skip
        everybody = {
            "enabled": telegram, "botToken": BOT_TOKEN, "apiRoot": f"http://127.0.0.1:{self.telegram.port}",
            "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open", "groups": {"*": {"requireMention": False}},
            "streaming": {"mode": "off"}, "network": {"dangerouslyAllowPrivateNetwork": True},
            "direct": {str(FORBIDDEN): {"tools": {"deny": ["memory_recall", "memory_search", "memory_get"]}}},
        }  # fmt: skip
        settings = {
            "gateway": {
                "mode": "local", "bind": "loopback", "auth": {"mode": "token", "token": TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "update": {"checkOnStart": False},
            "cron": {"enabled": False},
            "logging": {"file": str(self.log)},
            "commands": {"ownerAllowFrom": [f"telegram:{OWNER}"]},
            "session": {"dmScope": "per-channel-peer"},
            "messages": {"inbound": {"debounceMs": 0}},
            "channels": {"telegram": everybody},
            "bindings": [
                {"agentId": "main", "match": {"channel": "telegram", "accountId": "default",
                 "peer": {"kind": "direct", "id": str(id)}}, "session": {"dmScope": "main"}}
                for id in HOUSEMATES
            ] + [{"agentId": "main", "match": {"channel": "telegram", "accountId": "default"}}],
            "agents": {
                "defaults": {
                    "model": {"primary": "fake/scripted"},
                    "workspace": str(self.workspace),
                    "skipBootstrap": True,
                    "heartbeat": {"every": "0m"},
                }
            },
            "models": {
                "mode": "replace", "catalogRefresh": {"enabled": False},
                "providers": {"fake": {
                    "baseUrl": f"http://127.0.0.1:{self.model.port}/v1", "apiKey": "none", "api": "openai-completions",
                    "models": [scripted],
                }},
            },
            "plugins": {
                "allow": ["cortex", "telegram"], "load": {"paths": [str(PLUGIN)]}, "slots": {"memory": "cortex"},
                "entries": {"cortex": entry},
            },
        }  # fmt: skip
        for name in ("home", "state", "ws"):
            (self.root / name).mkdir(exist_ok=True)
        (self.root / "openclaw.json").write_text(json.dumps(settings))

    @property
    def log(self) -> Path:
        return self.root / "gateway.log"

    @property
    def workspace(self) -> Path:
        return self.root / "ws"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of the host's own program."""
        return subprocess.run(
            ["openclaw", *arguments], env=self.variables, capture_output=True, text=True, timeout=SECONDS, check=False
        )

    def start(self) -> None:
        """Start the gateway and wait until it can be used. On a busy machine OpenClaw's own start may time out."""
        for _ in range(STARTS):
            with (self.root / "gateway.out").open("wb") as log:
                self.process = subprocess.Popen(
                    ["openclaw", "gateway", "run", "--port", str(self.port)],
                    env=self.variables, stdout=log, stderr=subprocess.STDOUT, cwd=self.root, start_new_session=True,
                )  # fmt: skip
            eventually(lambda: self._is_ready() or self._has_ended(), "the gateway did not start", self.output)
            if not self._has_ended():
                return
        raise AssertionError(self.output())

    def _has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def _is_ready(self) -> bool:
        try:
            return self.client.get("/ready").status_code == 200 and (self.home / "server.json").exists()
        except httpx.HTTPError:
            return False

    def output(self) -> str:
        return (self.root / "gateway.out").read_text()[-4000:]

    # --- turns --------------------------------------------------------------------------------------------------------

    def say(self, message: str, *, user: str = "u1") -> Messages:
        """One turn of the owner over HTTP; returns the messages of the model's first request for it."""
        before = len(self.model.requests)
        body = {"model": "openclaw/main", "user": user, "messages": [{"role": "user", "content": message}]}
        answer = self.client.post("/v1/chat/completions", json=body)
        assert answer.status_code == 200, answer.text
        messages: Messages = self.model.requests[before]["messages"]
        return messages

    def tell(self, text: str, *, sender: int, group: int | None = None, name: str = "Somebody") -> Messages:
        """One turn over Telegram; returns the messages of the model's first request for it."""
        before, sent = len(self.model.requests), len(self.telegram.sent)
        self.telegram.receive(text, sender=sender, group=group, name=name)
        eventually(lambda: len(self.model.requests) > before, "the model was not asked", self.output)
        eventually(lambda: len(self.telegram.sent) > sent, "nobody was answered", self.output)
        messages: Messages = self.model.requests[before]["messages"]
        return messages

    @property
    def tools(self) -> set[str]:
        """The tools that the last request offered the model."""
        return {tool["function"]["name"] for tool in self.model.requests[-1].get("tools", [])}

    @property
    def result(self) -> str:
        """The last tool result that the model received."""
        messages = self.model.requests[-1]["messages"]
        return text_of(next(message for message in reversed(messages) if message["role"] == "tool"))

    # --- the memory ---------------------------------------------------------------------------------------------------

    @property
    def server(self) -> dict[str, Any]:
        info: dict[str, Any] = json.loads((self.home / "server.json").read_text())
        return info

    def ask(self, method: str, path: str, **given: Any) -> Any:
        """A request to the memory server."""
        info = self.server
        headers = {"authorization": f"Bearer {info['token']}"}
        answer = httpx.request(method, info["url"] + path, headers=headers, timeout=SECONDS, **given)
        assert answer.is_success, answer.text
        return answer.json()

    def stored(self, user: str = "default", lane: str = "sessions") -> str:
        """What the memory of a user has, as one text."""
        params = {"user": user, "lane": lane, "limit": 1000}
        return "\n".join(item["text"] for item in self.ask("GET", "/v1/memories", params=params)["memories"])

    def wait_until_stored(self, word: str, user: str = "default") -> None:
        eventually(lambda: word in self.stored(user), f"{word} was not stored for {user}", self.output)

    # --- the end ------------------------------------------------------------------------------------------------------

    def kill(self, number: int = signal.SIGTERM) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(SECONDS)

    def close(self) -> None:
        self.kill(signal.SIGTERM)
        self.client.close()
        self.model.close()
        self.telegram.close()


def eventually(check: Callable[[], bool], failure: str, more: Callable[[], str] = str) -> None:
    """Wait until `check` holds."""
    until = time.monotonic() + SECONDS
    while not check():
        assert time.monotonic() < until, f"{failure}\n{more()}"
        time.sleep(0.2)


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


def shown(messages: Messages) -> str:
    return "\n".join(map(text_of, messages))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
