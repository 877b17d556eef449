"""`cortex hosts` with the real OpenClaw: installed, accepted, checked, removed (E1). `make e2e-openclaw` runs this."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ScriptedModel

HOST = os.environ.get("CORTEX_OPENCLAW")
PORT = 18_795
READY_SECONDS = 300
LONG = "The harbor project ships on Thursdays. " + "It is a long story about cranes and ships. " * 60

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HOST, reason="needs OpenClaw: run `make e2e-openclaw`"),
]


class Person:
    """Somebody who uses OpenClaw and has Cortex installed."""

    def __init__(self, root: Path, model: ScriptedModel) -> None:
        self.root, self.home, self.config = root, root / "memory", root / "openclaw.json"
        for name in ("person", "state", "ws"):
            (root / name).mkdir()
        app = Path(str(HOST))
        self.variables = {
            **os.environ,
            "PATH": f"{app / 'bin'}:{app / 'app' / 'node_modules' / '.bin'}:{os.environ['PATH']}",
            "HOME": str(root / "person"),
            "OPENCLAW_HOME": str(root / "person"),
            "OPENCLAW_STATE_DIR": str(root / "state"),
            "OPENCLAW_CONFIG_PATH": str(self.config),
            "OPENCLAW_OFFLINE": "1",
            "CI": "true",
            "NO_COLOR": "1",
            "CORTEX_EMBEDDING__PROVIDER": "none",
        }
        self.configure(model)

    def configure(self, model: ScriptedModel) -> None:
        """A configuration as people write it: with comments, without quotes, with commas at the end."""
        provider = {
            "baseUrl": f"http://127.0.0.1:{model.port}/v1", "apiKey": "none", "api": "openai-completions",
            "models": [{
                "id": "scripted", "name": "Scripted", "reasoning": False, "input": ["text"],
                "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
                "contextWindow": 128_000, "maxTokens": 4_096,
            }],
        }  # fmt: skip
        self.config.write_text(f"""\
// Written by hand.
{{
  gateway: {{ mode: "local", bind: "loopback", port: {PORT}, auth: {{ mode: "token", token: "test-token" }} }},
  update: {{ checkOnStart: false }}, cron: {{ enabled: false }},
  logging: {{ file: {json.dumps(str(self.root / "gateway.log"))} }}, // in the folder of the test
  agents: {{ defaults: {{
    model: {{ primary: "fake/scripted" }}, workspace: {json.dumps(str(self.root / "ws"))}, skipBootstrap: true,
  }} }},
  models: {{ mode: "replace", catalogRefresh: {{ enabled: false }}, providers: {{ fake: {json.dumps(provider)} }} }},
  plugins: {{
    allow: ["memory-core"], // no others
  }},
}}
""")

    def openclaw(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["openclaw", *arguments], env=self.variables, capture_output=True, text=True, timeout=400, check=False
        )

    def cortex(self, *arguments: str, code: int = 0) -> Any:
        ran = subprocess.run(
            [sys.executable, "-m", "cortex", "--home", str(self.home), "--json", *arguments],
            env=self.variables, capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        assert ran.returncode == code, ran.stderr
        return json.loads(ran.stdout or ran.stderr)

    def checks(self, *options: str, code: int = 0) -> dict[str, Any]:
        found = self.cortex("hosts", "doctor", "openclaw", *options, code=code)["checks"]
        return {check["name"]: check["ok"] for check in found}

    @contextmanager
    def gateway(self) -> Iterator[None]:
        """The gateway, from when its memory server is there until it is gone again."""
        process = self._start_gateway()
        try:
            until = time.monotonic() + READY_SECONDS
            while not (self.home / "server.json").exists():
                said = (self.root / "gateway.out").read_text()
                assert time.monotonic() < until, said[-2000:]
                if process.poll() is not None:
                    # On a busy machine the host gives up its own start after five seconds.
                    assert "heartbeat did not become ready" in said, said[-2000:]
                    process = self._start_gateway()
                time.sleep(1)
            yield
        finally:
            process.terminate()
            process.wait(60)
            until = time.monotonic() + READY_SECONDS
            while (self.home / "server.json").exists() and time.monotonic() < until:
                time.sleep(0.2)

    def _start_gateway(self) -> subprocess.Popen[bytes]:
        with (self.root / "gateway.out").open("wb") as log:
            return subprocess.Popen(
                ["openclaw", "gateway", "run"], env=self.variables, stdout=log, stderr=subprocess.STDOUT, cwd=self.root
            )


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    model = ScriptedModel()
    yield Person(tmp_path, model)
    model.close()


def test_the_host_accepts_what_is_installed_and_has_its_file_back_afterwards(person: Person) -> None:
    before = person.config.read_bytes()
    assert person.checks(code=1)["grant"] is False
    done = person.cortex("hosts", "install", "openclaw", "--yes", "--silence-memory-core")
    assert done["changed"] is True
    assert "// no others" in person.config.read_text()
    valid = person.openclaw("config", "validate")
    assert valid.returncode == 0, valid.stderr
    shown = json.loads(person.openclaw("plugins", "inspect", "cortex", "--runtime", "--json").stdout)
    assert {"before_prompt_build", "agent_end"} <= {hook["name"] for hook in shown["typedHooks"]}
    assert {"memory_store", "memory_recall", "memory_search"} <= set(shown["plugin"]["toolNames"])
    assert [each for each in shown["diagnostics"] if each["level"] == "error"] == []
    with person.gateway():
        found = person.checks("--deep")
        assert found["runtime"] is True
        assert [name for name, ok in found.items() if ok is not True] == []
        assert person.cortex("hosts", "install", "openclaw", "--yes", "--silence-memory-core")["changed"] is False
    assert person.checks()["server"] is None
    removed = person.cortex("hosts", "uninstall", "openclaw", "--yes")
    assert removed["is_exact"] is True
    assert person.config.read_bytes() == before
    assert not (person.root / "state" / "extensions" / "cortex").exists()
    assert person.openclaw("config", "validate").returncode == 0


def test_a_host_without_the_grant_blocks_the_hooks_and_the_doctor_says_so_and_fixes_it(person: Person) -> None:
    person.cortex("hosts", "install", "openclaw", "--yes", "--silence-memory-core")
    granted = person.config.read_text()
    person.config.write_text(granted.replace('"allowConversationAccess": true', '"allowConversationAccess": false'))
    found = person.checks("--deep", code=1)
    assert found["grant"] is False
    assert found["runtime"] is False
    found = person.checks("--deep", "--fix", "--yes")
    assert found["grant"] is True
    assert found["runtime"] is True


def test_a_file_that_the_host_refuses_is_left_as_it_was(person: Person) -> None:
    person.config.write_text(person.config.read_text().replace("{\n", "{\n  nonsense: true,\n", 1))
    before = person.config.read_bytes()
    refused = person.cortex("hosts", "install", "openclaw", "--yes", code=1)
    assert "nonsense" in refused["error"]["message"]
    assert person.config.read_bytes() == before
    assert not (person.root / "state" / "extensions" / "cortex").exists()


def test_sessions_and_notes_of_the_host_are_imported_once(person: Person) -> None:
    (person.root / "ws" / "MEMORY.md").write_text("# Drinks\n\nThe user likes green tea.\n")
    for message in ("My favorite editor is the Pineapple editor, please remember that.", LONG):
        ran = person.openclaw("agent", "--local", "--agent", "main", "--message", message, "--json")
        assert ran.returncode == 0, ran.stderr[-2000:]
    done = person.cortex("hosts", "install", "openclaw", "--yes")
    assert {each["kind"]: each["about"] for each in done["imported"]} == {
        "notes": "1 note indexed", "sessions": "4 turns stored of 1 session",
    }  # fmt: skip
    again = person.cortex("hosts", "install", "openclaw", "--yes")
    assert {each["kind"]: each["about"] for each in again["imported"]}["sessions"] == "0 turns stored of 1 session"
    hits = json.dumps(person.cortex("--agent", "main", "recall", "When does the harbor project ship?"))
    assert "Thursdays" in hits
    assert "Pineapple" in json.dumps(person.cortex("--agent", "main", "recall", "favorite editor"))


def test_the_table_of_memory_lancedb_is_imported_for_each_agent_once(person: Person) -> None:
    lancedb = pytest.importorskip("lancedb")
    row = {"vector": [0.0] * 8, "importance": 0.8, "category": "preference", "createdAt": 1_790_000_000_000.0}
    table = lancedb.connect(str(person.root / "state" / "memory" / "lancedb")).create_table(
        "memories",
        [
            {**row, "id": "__schema__", "text": "", "agentId": "__schema__"},
            {**row, "id": "11111111-1111-4111-8111-111111111111", "text": "Likes green tea", "agentId": "main"},
            {**row, "id": "22222222-2222-4222-8222-222222222222", "text": "Likes coffee", "agentId": "work"},
        ],
    )
    table.delete("id = '__schema__'")
    done = person.cortex("hosts", "install", "openclaw", "--yes")
    found = {each["agent"]: each["about"] for each in done["imported"]}
    assert found == {
        "main": "1 memories imported, 0 known already, 0 unusable",
        "work": "1 memories imported, 0 known already, 0 unusable",
    }
    (memory,) = person.cortex("--agent", "work", "list")["memories"]
    assert (memory["text"], memory["kind"], memory["importance"]) == ("Likes coffee", "preference", 0.8)
    again = person.cortex("hosts", "install", "openclaw", "--yes")
    assert "0 memories imported, 1 known already" in again["imported"][0]["about"]
