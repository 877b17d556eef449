"""Every known reason why the plugin does not work, or only half, each with its fix."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cortex import settings as configuration
from cortex._version import __version__
from cortex.domain.health import Check, Group
from cortex.errors import EngineError
from cortex.surfaces.hosts.checks import home_check
from cortex.surfaces.hosts.versions import is_within, numbers, version_of
from cortex.surfaces.http.server_file import CONTRACT, ServerInfo, announced
from cortex.surfaces.openclaw import plugin_files
from cortex.surfaces.openclaw.config_edits import ALLOW, ENTRY, GRANT, INJECTION, MEMORY_CORE, SEPARATE_CHATS, SLOT
from cortex.surfaces.openclaw.host import NEWEST, OLDEST, UPDATE_HOST, HostConfig, OpenClaw
from cortex.surfaces.openclaw.plugin_files import PLUGIN, PluginFolder

INSTALL = "run `cortex hosts install openclaw`"
UPGRADE = "run `pip install --upgrade memory-cortex`"
_SWITCHES = {"recall": ("enabled", "autoRecall"), "capture": ("enabled", "autoCapture", "autoIngest")}
"""The settings of the plugin that switch it off."""
_HOOKS = ("before_prompt_build", "agent_end")
_GATEWAY_PORT, _MIDDLEWARE_PORT = 18_789, 8300
_SECONDS = 5.0

_host = partial(Check, group=Group.HOSTS)
_serving = partial(Check, group=Group.SERVING)


class PluginChecks:
    """The checks of one installation, for the memory in one home."""

    def __init__(self, host: OpenClaw, home: Path) -> None:
        self._host, self._home = host, home
        self._config: HostConfig | None = None

    def checks(self, *, deep: bool = False) -> list[Check]:
        """All of them; `deep` also lets the host load the plugin, which takes a minute."""
        found = [*self._program()]
        try:
            self._host.check_found()
            self._config = HostConfig.read(self._host.config)
        except EngineError as error:
            return [*found, _host("configuration", False, error.message, error.hint)]
        config = self._config
        found += [_host("configuration", True, f"{config.file}"), *self._plugin(config), *self._policy(config)]
        found += [*self._behavior(config), *self._memory(config)]
        return [*found, *(self._runtime() if deep else ())]

    # --- the host -----------------------------------------------------------------------------------------------------

    def _program(self) -> Iterator[Check]:
        host = self._host
        if host.program is None:
            yield _host("openclaw", False, "not found on PATH", "run `npm install -g openclaw`, or add it to PATH")
            return
        if host.is_older:
            yield _host("openclaw", False, f"{host.version} is older than {OLDEST}", UPDATE_HOST)
        elif host.is_newer:
            yield _host("openclaw", None, f"{host.version} is newer than {NEWEST}, which was tested", UPGRADE)
        elif host.version:
            yield _host("openclaw", True, f"{host.version} at {host.program}")
        else:
            yield _host("openclaw", None, f"{host.program} does not tell its version", UPDATE_HOST)
        node, version = host.node()
        wanted = host.node_range
        if node is None:
            yield _host("node", False, "not found on PATH", f"install Node {wanted or '24 or newer'}")
        elif not is_within(version, wanted):
            yield _host("node", False, f"{version} at {node}; OpenClaw needs {wanted}", f"install Node {wanted}")
        else:
            yield _host("node", True, f"{version} at {node}")

    # --- the plugin ---------------------------------------------------------------------------------------------------

    def _plugin(self, config: HostConfig) -> Iterator[Check]:
        there = plugin_files.installed(self._host, config)
        if there is None:
            yield _host("plugin", False, f"not in {self._host.extensions}", INSTALL)
            return
        packaged = PluginFolder.packaged()
        if there.contract != CONTRACT:
            older = there.contract is None or there.contract < CONTRACT
            why = f"speaks contract {there.contract}, and this Cortex {CONTRACT}"
            yield _host("plugin", False, f"{there.path} {why}", INSTALL if older else UPGRADE)
        elif numbers(there.version) > numbers(packaged.version):
            yield _host("plugin", None, f"{there.version} is newer than Cortex {__version__}", UPGRADE)
        elif not there.is_same(packaged):
            yield _host("plugin", None, f"{there.path} ({there.version}) is not that of Cortex {__version__}", INSTALL)
        else:
            yield _host("plugin", True, f"{there.version} at {there.path}")

    def _policy(self, config: HostConfig) -> Iterator[Check]:
        """What the operator has to allow."""
        entry, allowed, denied = config.at(*ENTRY), config.at(*ALLOW), config.at("plugins", "deny")
        is_denied = isinstance(denied, list) and PLUGIN in denied
        if config.at("plugins", "enabled") is False:
            fix = f"run `{self._host.command('config', 'set', 'plugins.enabled', 'true')}`"
            yield _host("enabled", False, "plugins.enabled is false: OpenClaw loads no plugin", fix)
        elif not isinstance(entry, dict) or entry.get("enabled") is not True:
            yield _host("enabled", False, f"{'.'.join(ENTRY)}.enabled is not true", INSTALL)
        else:
            yield _host("enabled", True, f"{'.'.join(ENTRY)} is enabled")
        if is_denied:
            yield _host("allow list", False, f"plugins.deny names {PLUGIN}", "remove it from plugins.deny")
        elif isinstance(allowed, list) and PLUGIN not in allowed:
            yield _host("allow list", False, f"plugins.allow does not name {PLUGIN}", INSTALL)
        slot = config.at(*SLOT)
        if slot == PLUGIN:
            yield _host("slot", True, f"{PLUGIN} has the memory slot")
        else:
            owner = slot if isinstance(slot, str) else "memory-core, the default,"
            yield _host("slot", False, f"{owner} has the memory slot", INSTALL)
        if config.at(*GRANT) is True:
            yield _host("grant", True, "the plugin may read conversations")
        else:
            yield _host("grant", False, f"{'.'.join(GRANT)} is not true: no recall and no capture", INSTALL)
        if config.at(*INJECTION) is False:
            yield _host("injection", False, f"{'.'.join(INJECTION)} is false: no recall", INSTALL)
        if self._memory_core_answers(config, allowed, denied):
            why = "is enabled too, and may answer memory_search instead of Cortex"
            yield _host("memory-core", None, why, "run `cortex hosts install openclaw --silence-memory-core`")

    def _memory_core_answers(self, config: HostConfig, allowed: Any, denied: Any) -> bool:
        name = MEMORY_CORE[-2]
        is_off = config.at(*MEMORY_CORE) is False or (isinstance(denied, list) and name in denied)
        return not is_off and not (isinstance(allowed, list) and name not in allowed)

    def _behavior(self, config: HostConfig) -> Iterator[Check]:
        """What the operator switched off, or set so that memories would be mixed."""
        for what, names in _SWITCHES.items():
            if name := next((name for name in names if config.at(*ENTRY, "config", name) is False), None):
                setting = ".".join((*ENTRY, "config", name))
                fix = f"run `{self._host.command('config', 'set', setting, 'true')}`"
                yield _host(what, None, f"{setting} is false", fix)
        if self._per_sender(config) and config.at(*SEPARATE_CHATS) in (None, "main"):
            fix = f"run `{self._host.command('config', 'set', '.'.join(SEPARATE_CHATS), 'per-channel-peer')}`"
            why = f"{'.'.join(SEPARATE_CHATS)} is main, but each sender is to have a memory of their own"
            yield _host("shared sessions", False, why, fix)

    def _per_sender(self, config: HostConfig) -> bool:
        if config.at(*ENTRY, "config", "perSender") is True:
            return True
        with suppress(EngineError):  # `cortex doctor` reports settings that cannot be read
            return configuration.load(self._home).chats.per_sender
        return False

    # --- memory and server --------------------------------------------------------------------------------------------

    def _memory(self, config: HostConfig) -> Iterator[Check]:
        given = self._setting(config, "home", "dbPath")
        home = Path(given).expanduser() if given else configuration.default_home()
        if home.resolve() != self._home.resolve():
            fix = f"{INSTALL}, or give `--home {home}`"
            yield Check("home", None, f"the plugin uses {home}, and not {self._home}", fix, Group.HOME)
        else:
            yield home_check(home)
        yield from self._command(config)
        if address := self._setting(config, "baseUrl", "middlewareHost"):
            port = config.at(*ENTRY, "config", "middlewarePort") or _MIDDLEWARE_PORT
            yield _remote(address if "://" in address else f"http://{address}:{port}")
        else:
            yield self._server(config, home)

    def _setting(self, config: HostConfig, *names: str) -> str:
        """The first of these settings of the plugin that is a text."""
        values = (config.at(*ENTRY, "config", name) for name in names)
        return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")

    def _command(self, config: HostConfig) -> Iterator[Check]:
        """Whether the plugin can start a server, and of which version."""
        command = self._setting(config, "command") or "cortex"
        program = shutil.which(command)
        version = version_of(program) if program else ""
        if program is None:
            yield _serving("command", False, f"{command} does not exist", INSTALL)
        elif version != __version__:
            yield _serving("command", None, f"{program} is version {version or '?'}, not {__version__}", INSTALL)
        else:
            yield _serving("command", True, f"{program} {version}")
        if program is not None and Path(program).parent == Path(sys.executable).parent:
            from cortex.surfaces.cli.environment import extras

            yield from (replace(check, ok=check.ok is True) for check in extras() if check.name == "serve")

    def _server(self, config: HostConfig, home: Path) -> Check:
        info = announced(str(home))
        if info is None:
            if not _listens(self._gateway_port(config)):
                return _serving("server", None, "not running, and neither is the gateway", f"run `{self._start}`")
            why = "not running, though the gateway does"
            return _serving("server", False, why, f"run `{self._host.command('gateway', 'restart')}`, and see its log")
        if not _answers(info.url):
            return _serving("server", False, f"{info.url} (pid {info.pid}) does not answer", f"end it: kill {info.pid}")
        return self._compared(info, config)

    def _compared(self, info: ServerInfo, config: HostConfig) -> Check:
        restart = f"run `{self._host.command('gateway', 'restart')}`"
        there = plugin_files.installed(self._host, config)
        contract = there.contract if there is not None else None
        if contract is not None and contract != info.contract:
            why = f"speaks contract {info.contract}, and the plugin {contract}"
            return _serving("server", False, f"{info.version} at {info.url} {why}", f"{INSTALL}, then {restart}")
        if info.version != __version__:
            return _serving("server", None, f"{info.version} at {info.url} is not {__version__}", restart)
        return _serving("server", True, f"{info.version} at {info.url}")

    def _gateway_port(self, config: HostConfig) -> int:
        for given in (configuration.variable("OPENCLAW_GATEWAY_PORT"), config.at("gateway", "port")):
            with suppress(TypeError, ValueError):
                return int(given)  # type: ignore[arg-type]  # None and others are tried and passed over
        return _GATEWAY_PORT

    @property
    def _start(self) -> str:
        return self._host.command("gateway", "start")

    # --- by the host itself -------------------------------------------------------------------------------------------

    def _runtime(self) -> Iterator[Check]:
        """What the host says after it loaded the plugin."""
        if self._host.program is None:
            return
        doctor = f"run `{self._host.command('doctor')}`"
        try:
            valid = self._host.run("config", "validate")
            if valid.returncode:
                yield _host("validation", False, _first_line(valid.stderr or valid.stdout), doctor)
                return
            shown = self._host.run("plugins", "inspect", PLUGIN, "--runtime", "--json")
            found = json.loads(shown.stdout) if shown.returncode == 0 else {}
        except (EngineError, ValueError) as error:
            yield _host("runtime", False, f"the host does not answer: {error}", doctor)
            return
        yield _host("validation", True, "OpenClaw accepts its configuration")
        hooks = {hook.get("name") for hook in found.get("typedHooks", ())}
        errors = [each["message"] for each in found.get("diagnostics", ()) if each.get("level") == "error"]
        missing = [name for name in _HOOKS if name not in hooks]
        tools = [name for tool in found.get("tools", ()) for name in tool.get("names", ())]
        if shown.returncode or errors or not tools:
            why = errors[0] if errors else _first_line(shown.stderr) or "no tool is registered"
            yield _host("runtime", False, why, INSTALL)
        elif missing:
            yield _host("runtime", False, f"the host blocks {', '.join(missing)}", INSTALL)
        else:
            yield _host("runtime", True, f"{len(hooks)} hooks and {len(tools)} tools are registered")


def _remote(address: str) -> Check:
    if _answers(address):
        return _serving("server", True, f"{address} answers")
    return _serving(
        "server", False, f"{address}, which is set as baseUrl, does not answer", "start `cortex serve` there"
    )


def _answers(address: str) -> bool:
    """Whether a Cortex server answers there."""
    with suppress(OSError, http.client.HTTPException, ValueError):
        parts = urlsplit(address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=_SECONDS)
        try:
            connection.request("GET", f"{parts.path.rstrip('/')}/health")
            return connection.getresponse().status == 200
        finally:
            connection.close()
    return False


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
