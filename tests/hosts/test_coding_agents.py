"""Cortex in the real coding agents, with a scripted model: `make e2e-hosts` runs this (E1, X2, X4)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from scripted_apis import REPLY, ScriptedApis
from setup_agents import OPENCODE_FILES

from cortex.surfaces.http.server_file import is_locked, running

HOSTS = os.environ.get("CORTEX_HOSTS")
SECONDS = 1_200
"""A busy machine is slow; nothing here measures time."""
SETTINGS = """
[hooks]
deadline_ms = 60000
ingest_timeout_ms = 60000
[capture]
debounce_seconds = 0
[embedding]
provider = "none"
"""
PORT, EDITOR = "8443", "Helix"
WHICH_PORT = "Which port does the staging server run on?"
WHICH_EDITOR = "What is my favorite editor?"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not HOSTS, reason="needs the coding agents: make e2e-hosts")]


class Person:
    """Somebody with one coding agent, two projects and a memory."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.name = root, name
        self.model = ScriptedApis()
        self.home, self.memory = root / "home", root / "memory"
        self.projects = {each: root / "work" / each for each in ("atlas", "bluefin")}
        for folder in (self.home, self.memory, *self.projects.values()):
            folder.mkdir(parents=True)
        self.memory.chmod(0o700)
        (self.memory / "cortex.toml").write_text(SETTINGS)
        for project in self.projects.values():
            subprocess.run(["git", "init", "-q", str(project)], check=True)
        for file, content in self._configuration().items():
            (self.home / file).parent.mkdir(parents=True, exist_ok=True)
            (self.home / file).write_text(content)
        if name == "opencode":
            # What OpenCode has after its first start with any plugin.
            shutil.copytree(Path(str(HOSTS)) / OPENCODE_FILES, self.home / ".config" / "opencode", dirs_exist_ok=True)

    def _configuration(self) -> dict[str, str]:
        """What the agent needs to use the scripted model, written as people write it."""
        url = self.model.url
        if self.name == "claude-code":
            return {".claude/settings.json": '{\n  // mine\n  "includeCoAuthoredBy": false\n}\n'}
        if self.name == "codex":
            provider = f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
            return {".codex/config.toml": f'model = "scripted"\nmodel_provider = "scripted" # mine\n\n{provider}'}
        if self.name == "gemini":
            auth = '"security": {"auth": {"selectedType": "gemini-api-key"}}'
            return {".gemini/settings.json": f'{{{auth},\n "general": {{"enableAutoUpdate": false}}}}'}
        options = {"baseURL": f"{url}/v1", "apiKey": "x"}
        models = {"scripted": {"name": "Scripted"}}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": options, "models": models}
        config = {
            # OpenCode adds this line to a file that lacks it.
            "$schema": "https://opencode.ai/config.json",
            "model": "s/scripted", "small_model": "s/scripted", "share": "disabled", "provider": {"s": provider},
        }  # fmt: skip
        return {".config/opencode/opencode.json": json.dumps(config)}

    @property
    def variables(self) -> dict[str, str]:
        hosts, url = Path(str(HOSTS)), self.model.url
        own = {name: value for name, value in os.environ.items() if not name.startswith(("CORTEX_", "XDG_", "CLAUDE"))}
        programs = f"{hosts / 'bin'}:{hosts / 'app' / 'node_modules' / '.bin'}:{Path(sys.executable).parent}"
        return own | {
            "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(self.home), "PYTHONPATH": os.pathsep.join(sys.path),
            "CORTEX_HOOKS__START_SERVER": "true",
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "x",
            "OPENCODE_MODELS_URL": url, "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }  # fmt: skip

    def cortex(self, *arguments: str) -> Any:
        command = [sys.executable, "-m", "cortex", "--home", str(self.memory), *arguments, "--json"]
        ran = subprocess.run(command, env=self.variables, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout)

    def say(self, project: str, prompt: str) -> str:
        """Start the agent in a project with a prompt; what it sent to the model."""
        command = {
            "claude-code": ["claude", "-p", prompt],
            "codex": ["codex", "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", prompt],
            "gemini": ["gemini", "--skip-trust", "-m", "gemini-2.5-flash", "-p", prompt],
            "opencode": ["opencode", "run", prompt],
        }[self.name]
        before, folder = len(self.model.requests), self.projects[project]
        ran = subprocess.run(
            command, cwd=folder, env={**self.variables, "PWD": str(folder)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert REPLY in ran.stdout, ran.stdout + ran.stderr
        return "\n".join(self.model.requests[before:])

    def remembered(self) -> dict[str, str]:
        """The memories of the person, with their scopes, as the server has them."""
        if (server := running(str(self.memory))) is None:
            return {}
        headers = {"Authorization": f"Bearer {server.token}"}
        found = httpx.get(f"{server.url}/v1/memories", params={"lane": "memories"}, headers=headers, timeout=SECONDS)
        return {memory["text"]: memory["scope"] for memory in found.json()["memories"]}

    def end_server(self, number: int) -> None:
        def has_ended() -> bool:
            # A hook may just have started another one, which is not to be found yet.
            if (server := running(str(self.memory))) is not None:
                with suppress(ProcessLookupError):
                    os.kill(server.pid, number)
            return not is_locked(str(self.memory))

        assert until(has_ended)

    def close(self) -> None:
        self.model.close()
        if self.memory.is_dir():
            self.end_server(signal.SIGTERM)


def until(is_so: Callable[[], bool]) -> bool:
    end = time.monotonic() + SECONDS
    while not is_so() and time.monotonic() < end:
        time.sleep(0.2)
    return is_so()


def tree(folder: Path) -> dict[str, bytes]:
    """The files that people write and agents change, with their content: not the packages of an agent."""
    files = (file for file in folder.rglob("*") if file.is_file() and "node_modules" not in file.parts)
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture(params=["claude-code", "codex", "gemini", "opencode"])
def person(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Person]:
    person = Person(tmp_path, request.param)
    yield person
    person.close()


def test_an_agent_has_a_memory_for_each_project_and_one_for_the_person(person: Person) -> None:
    """E1, E5, X2, C16"""
    configured = tree(person.home)
    assert person.cortex("hosts", "install", person.name, "--yes")["changed"]
    checks = person.cortex("hosts", "doctor", person.name)["checks"]
    assert [check for check in checks if check["ok"] is False] == []

    # What is said in one session is recalled in the next.
    person.say("atlas", f"The staging server runs on port {PORT}.")
    person.say("atlas", f"My favorite editor is {EDITOR}.")
    assert until(lambda: any(PORT in text for text in person.remembered()))
    assert until(lambda: any(EDITOR in text for text in person.remembered()))
    scopes = person.remembered()
    assert next(scope for text, scope in scopes.items() if EDITOR in text) == "personal"
    assert next(scope for text, scope in scopes.items() if PORT in text).endswith("/work/atlas")
    assert PORT in person.say("atlas", WHICH_PORT)

    # What is of one project does not show in another; what is of the person does.
    asked = person.say("bluefin", WHICH_PORT)
    assert "staging server run on?" in asked
    assert PORT not in asked
    assert EDITOR in person.say("bluefin", WHICH_EDITOR)

    # Without a server the hooks answer themselves; with a broken memory the prompt goes on.
    person.end_server(signal.SIGKILL)
    assert EDITOR in person.say("bluefin", WHICH_EDITOR)
    person.end_server(signal.SIGTERM)
    kept = person.memory.rename(person.root / "kept")
    person.memory.write_text("not a folder")
    assert EDITOR not in person.say("bluefin", WHICH_EDITOR)
    person.memory.unlink()
    kept.rename(person.memory)

    removed = person.cortex("hosts", "uninstall", person.name, "--yes")
    assert (removed["changed"], removed["kept"]) == (True, [])
    now = tree(person.home)
    assert {file: now.get(file) for file in configured} == configured
    assert [file for file in now if "cortex" in file.lower() and "/cortex" in f"/{file}"] == []
