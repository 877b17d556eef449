"""Which MCP hosts are on this machine, and what each of them has been told of Cortex."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex import settings
from cortex.errors import InvalidRequest
from cortex.surfaces.mcp import configuration
from cortex.surfaces.mcp.hosts import HOSTS, Host

NAME = "cortex"
"""What the server is called unless it is given another name."""

_OWN_FOLDERS = {"claude-code": (".claude", ".claude.json")}
"""Where a host's presence cannot be told by the folder of its file, which everybody has."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a host has been told of a server that is ours."""

    name: str
    command: str
    arguments: tuple[str, ...]
    url: str
    home: Path

    @property
    def is_startable(self) -> bool:
        """Whether what it starts is there; one that is reached by its address starts nothing."""
        return bool(self.url) or shutil.which(self.command) is not None

    @classmethod
    def of(cls, name: str, told: Mapping[str, Any], default_home: Path) -> Entry:
        arguments = tuple(str(each) for each in told.get("args") or ())
        environment = told.get("env") if isinstance(told.get("env"), Mapping) else {}
        home = _option("--home", arguments) or str((environment or {}).get("CORTEX_HOME") or default_home)
        url = str(told.get("url") or told.get("serverUrl") or "")
        return cls(name, str(told.get("command") or ""), arguments, url, Path(home).expanduser())


@dataclass(frozen=True, slots=True)
class HostHere:
    """A host on this machine; `entry` is None where it knows nothing of us, or its file cannot be read."""

    host: Host
    file: Path
    entry: Entry | None
    trouble: str = ""
    told: Any = None
    """All that its file says."""

    def is_connected(self, home: Path) -> bool:
        """Whether it would start a server over the memory under `home`."""
        return self.entry is not None and self.entry.is_startable and self.serves(home)

    def serves(self, home: Path) -> bool:
        """Whether its server is over the memory under `home`, as far as can be told."""
        if self.entry is None or self.entry.url:
            return self.entry is not None
        return self.entry.home.absolute().resolve() == home.absolute().resolve()

    def fix(self, home: Path) -> str:
        """What tells it of the memory under `home`."""
        usual = home.absolute() == settings.default_home().absolute()
        where = "" if usual else f" --home {shlex.quote(str(home))}"
        return f"run `cortex mcp install --host {self.host.name} --write{where}`"


def found(user_home: Path) -> list[HostHere]:
    """The hosts of the user with this home."""
    return [looked_at(host, user_home) for host in HOSTS.values() if _is_here(host, user_home)]


def _is_here(host: Host, user_home: Path) -> bool:
    if names := _OWN_FOLDERS.get(host.name):
        return any((user_home / name).exists() for name in names)
    file = host.file(user_home)
    # VS Code keeps the file one folder below that which tells of it.
    around = file.parent.parent if file.parent.name == "User" else file.parent
    return around.is_dir()


def looked_at(host: Host, user_home: Path) -> HostHere:
    """What a host has been told, whether it is here or not."""
    file = host.file(user_home)
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        told = configuration.read(text, field=str(file)).plain
    except InvalidRequest as error:
        return HostHere(host, file, None, error.message)
    except (OSError, UnicodeDecodeError) as error:
        return HostHere(host, file, None, f"cannot be read: {getattr(error, 'strerror', '') or 'it is not UTF-8'}")
    return HostHere(host, file, _entry(_below(told, host.keys), user_home / ".cortex"), told=told)


def _entry(servers: Any, default_home: Path) -> Entry | None:
    """The server among these that is ours; that of our usual name first."""
    if not isinstance(servers, Mapping):
        return None
    ours = [(name, told) for name, told in servers.items() if isinstance(told, Mapping) and _is_ours(name, told)]
    ours.sort(key=lambda pair: pair[0] != NAME)
    return Entry.of(*ours[0], default_home) if ours else None


def _is_ours(name: str, told: Mapping[str, Any]) -> bool:
    arguments = [str(each) for each in told.get("args") or ()]
    words = [Path(str(told.get("command") or "")).stem, *arguments]
    return name == NAME or (NAME in words and "mcp" in words)


def _below(told: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        told = told.get(key) if isinstance(told, Mapping) else None
    return told


def _option(name: str, arguments: Sequence[str]) -> str:
    """The value of an option among the arguments; empty where it is not."""
    for at, argument in enumerate(arguments):
        if argument == name:
            return arguments[at + 1] if at + 1 < len(arguments) else ""
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
    return ""
