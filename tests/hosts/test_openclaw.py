"""OpenClaw with Cortex in its memory slot, end to end: the real gateway, the real plugin, the real server (E1, E2).

`make e2e-openclaw` installs the host and runs this.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from scripted_model import ScriptedModel, text_of

HOST = os.environ.get("CORTEX_OPENCLAW")
PLUGIN = Path(__file__).parents[2] / "plugins" / "openclaw"
TOKEN = "test-token"
READY_SECONDS = 300

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HOST, reason="needs OpenClaw: run `make e2e-openclaw`"),
]


class Gateway:
    """OpenClaw's gateway with a home of its own."""

    def __init__(self, root: Path, model: ScriptedModel, port: int) -> None:
        self.root, self.model, self.port = root, model, port
        self.home = root / "memory"
        self.process: subprocess.Popen[bytes] | None = None
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=180, headers={"authorization": f"Bearer {TOKEN}"}
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

    def configure(self, *, granted: bool = True, **config: Any) -> None:
        entry = {
            "enabled": True,
            "hooks": {"allowConversationAccess": granted},
            "config": {"home": str(self.home), **config},
        }
        cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        scripted = {
            "id": "scripted", "name": "Scripted", "reasoning": False, "input": ["text"], "cost": cost,
            "contextWindow": 128_000, "maxTokens": 4_096,
        }  # fmt: skip
        settings = {
            "gateway": {
                "mode": "local", "bind": "loopback", "auth": {"mode": "token", "token": TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "update": {"checkOnStart": False},
            "cron": {"enabled": False},
            "logging": {"file": str(self.root / "gateway.log")},
            "agents": {
                "defaults": {
                    "model": {"primary": "fake/scripted"},
                    "workspace": str(self.root / "ws"),
                    "skipBootstrap": True,
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
                "allow": ["cortex"], "load": {"paths": [str(PLUGIN)]}, "slots": {"memory": "cortex"},
                "entries": {"cortex": entry},
            },
        }  # fmt: skip
        for name in ("home", "state", "ws"):
            (self.root / name).mkdir(exist_ok=True)
        (self.root / "openclaw.json").write_text(json.dumps(settings))

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            ["openclaw", *arguments], env=self.variables, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    def start(self) -> None:
        with (self.root / "gateway.out").open("wb") as log:
            self.process = subprocess.Popen(
                ["openclaw", "gateway", "run", "--port", str(self.port)],
                env=self.variables, stdout=log, stderr=subprocess.STDOUT, cwd=self.root, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until:
            try:
                if self.client.get("/ready").status_code == 200 and (self.home / "server.json").exists():
                    return
            except httpx.HTTPError:
                pass
            assert self.process.poll() is None, (self.root / "gateway.out").read_text()[-2000:]
            time.sleep(1)
        raise AssertionError((self.root / "gateway.out").read_text()[-2000:])

    def say(self, message: str, *, user: str = "u1") -> list[dict[str, Any]]:
        """One turn; returns the messages of the first request that the model got for it."""
        before = len(self.model.requests)
        body = {"model": "openclaw/main", "user": user, "messages": [{"role": "user", "content": message}]}
        answer = self.client.post("/v1/chat/completions", json=body)
        assert answer.status_code == 200, answer.text
        messages: list[dict[str, Any]] = self.model.requests[before]["messages"]
        return messages

    @property
    def result(self) -> str:
        """The last tool result that the model received."""
        messages = self.model.requests[-1]["messages"]
        return text_of(next(message for message in reversed(messages) if message["role"] == "tool"))

    def kill(self, number: int = signal.SIGTERM) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(60)

    def close(self, number: int = signal.SIGTERM) -> None:
        self.kill(number)
        self.client.close()
        self.model.close()


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    model = ScriptedModel()
    gateway = Gateway(tmp_path_factory.mktemp("openclaw"), model, 18_790)
    gateway.configure(recallTimeoutMs=5_000)
    try:
        gateway.start()
        yield gateway
    finally:
        gateway.close()


def shown(messages: list[dict[str, Any]]) -> str:
    return "\n".join(map(text_of, messages))


def test_the_model_is_offered_every_tool_directly(gateway: Gateway) -> None:
    gateway.say("Hello there, how are you doing?")
    offered = {tool["function"]["name"] for tool in gateway.model.requests[-1]["tools"]}
    assert {tool["name"] for tool in json.loads((PLUGIN / "tools.json").read_text())} <= offered


def test_what_is_said_in_one_session_is_recalled_in_the_next(gateway: Gateway) -> None:
    gateway.say("My favorite editor is the Pineapple editor, please remember that.", user="first")
    messages = gateway.say("What is my favorite editor?", user="second")
    assert "Pineapple" in shown(messages)


def test_the_model_stores_recalls_and_forgets(gateway: Gateway) -> None:
    gateway.say('CALL:memory_store {"text": "The deploy day of the harbor project is Thursday"}')
    gateway.say('CALL:memory_recall {"query": "deploy day of the harbor project"}')
    assert "Thursday" in gateway.result
    gateway.say('CALL:memory_forget {"query": "deploy day of the harbor project"}')
    gateway.say("CALL:memory_stats {}")
    assert "memor" in gateway.result


def test_no_server_is_left_behind_when_the_gateway_is_killed(tmp_path: Path) -> None:
    model = ScriptedModel()
    gateway = Gateway(tmp_path, model, 18_791)
    gateway.configure(recallTimeoutMs=5_000)
    try:
        gateway.start()
        gateway.say("The spare key hangs behind the blue door, keep that in mind.")
        pid = json.loads((gateway.home / "server.json").read_text())["pid"]
        gateway.kill(signal.SIGKILL)
        until = time.monotonic() + 60
        while time.monotonic() < until and Path(f"/proc/{pid}").exists():
            time.sleep(0.5)
        assert not Path(f"/proc/{pid}").exists()
    finally:
        gateway.close(signal.SIGKILL)
