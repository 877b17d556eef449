"""Every known reason why a coding agent has no memory, or only half, each with its fix."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from cortex import settings as configuration
from cortex._version import __version__
from cortex.domain.health import Check, Group
from cortex.errors import EngineError
from cortex.surfaces.hosts import installer
from cortex.surfaces.hosts.coding_agents import NAME, CodingAgent, Command
from cortex.surfaces.hosts.config_file import current_text, value_at
from cortex.surfaces.hosts.versions import numbers, version_of
from cortex.surfaces.http.server_file import Untrusted, announced, running
from cortex.surfaces.mcp import json_config

_host = partial(Check, group=Group.HOSTS)
_serving = partial(Check, group=Group.SERVING)


class AgentChecks:
    """The checks of one coding agent, for the memory in one home."""

    def __init__(self, agent: CodingAgent, command: Command) -> None:
        self._agent, self._command = agent, command
        self._install = f"run `cortex hosts install {agent.name}`"

    def checks(self) -> list[Check]:
        found = [*self._program(), *self._files(), *self._switches(), home_check(self._command.home)]
        return [*found, *self._cortex(), self._server()]

    # --- the host -----------------------------------------------------------------------------------------------------

    def _program(self) -> Iterator[Check]:
        agent = self._agent
        if agent.found is None:
            ok = None if agent.folder().is_dir() else False
            yield _host(agent.name, ok, f"{agent.program} is not on PATH", f"install {agent.title}, or add it to PATH")
            return
        version = agent.version
        if agent.tested and version and numbers(version) < numbers(agent.tested):
            why = f"{version} is older than {agent.tested}, which was tested: it may lack a hook"
            yield _host(agent.name, None, why, f"update {agent.title}")
        else:
            yield _host(agent.name, True, f"{version or 'of unknown version'} at {agent.found}")

    def _files(self) -> Iterator[Check]:
        try:
            plan = installer.plan(self._agent, self._command)
        except EngineError as error:
            yield _host("plugin", False, str(error), error.hint)
            return
        if not plan.changes:
            yield _host("plugin", True, f"{__version__} at {self._agent.root}")
            return
        missing = [change.file for change in plan.changes if change.config.text is None or not change.is_own]
        if missing:
            which = f"{missing[0]} and {len(missing) - 1} more are" if len(missing) > 1 else f"{missing[0]} is"
            yield _host("plugin", False, f"{which} missing or incomplete", self._install)
        else:
            why = f"{plan.changes[0].file} is not that of Cortex {__version__} for {self._command.home}"
            yield _host("plugin", None, why, self._install)

    def _switches(self) -> Iterator[Check]:
        """What switches hooks or the plugin off, or doubles them."""
        look = {"claude-code": self._claude_code, "codex": self._codex, "gemini": self._gemini, "cursor": self._cursor,
                "opencode": self._opencode}[self._agent.name]  # fmt: skip
        yield from look(self._agent.folder())

    def _claude_code(self, folder: Path) -> Iterator[Check]:
        settings = folder / "settings.json"
        content = _json(settings)
        if value_at(content, ("disableAllHooks",)) is True:
            yield _host("hooks", False, f"disableAllHooks is true in {settings}", "remove it there")
        if value_at(content, ("enabledPlugins", f"{NAME}@skills-dir")) is False:
            yield _host("enabled", False, f"{settings} disables {NAME}@skills-dir", "enable it with `/plugin`")
        if "cortex hook" in json.dumps(value_at(content, ("hooks",)) or {}).replace(" -m cortex", " cortex"):
            yield _host("twice", None, f"{settings} runs `cortex hook` too", "remove those hooks there")
        mcp = Path.home() / ".claude.json"
        if value_at(_json(mcp), ("mcpServers", NAME)) is not None:
            yield _host("tools twice", None, f"{mcp} has the server too", f"run `claude mcp remove {NAME}`")

    def _codex(self, folder: Path) -> Iterator[Check]:
        config = folder / "config.toml"
        content: Any = {}
        with suppress(EngineError, tomllib.TOMLDecodeError):  # `plugin` reports it
            content = tomllib.loads(current_text(config) or "")
        if value_at(content, ("features", "hooks")) is False:
            yield _host("hooks", False, f"features.hooks is false in {config}", "remove it there")
        known = value_at(content, ("hooks", "state"))
        if not any(NAME in key for key in (known if isinstance(known, dict) else {})):
            why = "Codex runs no hook before you trust it, and none of cortex is trusted yet"
            yield _host("trust", None, why, "start `codex`, enter `/hooks` and trust those of cortex")

    def _gemini(self, folder: Path) -> Iterator[Check]:
        settings = folder / "settings.json"
        content = _json(settings)
        for path in (("hooksConfig", "enabled"), ("tools", "enableHooks"), ("hooks", "enabled")):
            if value_at(content, path) is False:
                yield _host("hooks", False, f"{'.'.join(path)} is false in {settings}", "set it to true")
        enablement = folder / "extensions" / "extension-enablement.json"
        rules = value_at(_json(enablement), (NAME, "overrides"))
        if isinstance(rules, list) and any(str(rule).startswith("!") for rule in rules):
            fix = f"run `gemini extensions enable {NAME}`"
            yield _host("enabled", None, f"the extension is disabled in some folders by {enablement}", fix)

    def _cursor(self, _folder: Path) -> Iterator[Check]:
        why = "Cursor may ignore what is recalled before a prompt, which it does not document; the model has the tools"
        yield _host("recall", True, why)

    def _opencode(self, folder: Path) -> Iterator[Check]:
        for name in ("opencode.json", "opencode.jsonc"):
            if value_at(_json(folder / name), ("mcp", NAME, "enabled")) is False:
                yield _host("tools", None, f"mcp.{NAME}.enabled is false in {folder / name}", "set it to true")

    # --- Cortex -------------------------------------------------------------------------------------------------------

    def _cortex(self) -> Iterator[Check]:
        program = shutil.which(self._command.program)
        if program is None:
            yield _serving("command", False, f"{self._command.program} does not exist", self._install)
        elif (version := version_of(program)) != __version__:
            yield _serving("command", None, f"{program} is version {version or '?'}, not {__version__}", self._install)
        else:
            yield _serving("command", True, f"{program} {version}")
        from cortex.surfaces.cli.environment import extras

        yield from extras()

    def _server(self) -> Check:
        home = str(self._command.home)
        try:
            if (info := running(home)) is not None:
                return _serving("server", True, f"{info.version} at {info.url}")
        except Untrusted as error:
            return _serving("server", False, f"{error}", f"run `chmod 600 {home}/server.json`")
        if announced(home) is not None:
            return _serving("server", None, "hooks do not use the server that runs", "run `cortex doctor`")
        starts = True
        with suppress(EngineError):  # `cortex doctor` reports settings that cannot be read
            starts = configuration.load(self._command.home).hooks.start_server
        if starts:
            return _serving("server", True, "not running; the next hook starts it")
        why = "hooks.start_server is false: hooks are slow, and memories are extracted by `cortex admin jobs run` alone"
        return _serving("server", None, why, "set hooks.start_server = true")


def home_check(home: Path) -> Check:
    """Whether the memory of a home can be written."""
    existing = next((folder for folder in (home, *home.absolute().parents) if folder.exists()), home)
    if not existing.is_dir():
        return Check("home", False, f"{existing} is not a folder", "choose another --home", Group.HOME)
    if not os.access(existing, os.W_OK):
        return Check("home", False, f"{existing} is not writable", f"run `chmod u+rwx {existing}`", Group.HOME)
    return Check("home", True, f"{home}" + ("" if home.exists() else " will be created"), group=Group.HOME)


def _json(file: Path) -> Any:
    """The content of a JSON file; nothing if it is missing or broken, which its program reports."""
    with suppress(EngineError):
        return json_config.read(current_text(file) or "", field=str(file)).plain
    return {}
