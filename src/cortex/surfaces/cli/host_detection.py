"""MCP hosts and agent workspaces on this machine, and how the hosts are configured."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex import settings
from cortex.errors import InvalidRequest
from cortex.surfaces.cli.global_options import value_of
from cortex.surfaces.mcp import json_config
from cortex.surfaces.mcp.hosts import HOSTS, Host
from cortex.workspace.sources import IGNORED, MARKDOWN, WORKSPACE_FILES, WORKSPACE_FOLDER, Shape

NAME = "cortex"
"""The default name of our server in a host's file."""

_OWN_FOLDERS = {"claude-code": (".claude", ".claude.json")}
"""What shows that a host is installed, if the folder of its file does not: everybody has that folder."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Our server in a host's file."""

    command: str
    url: str
    home: Path

    @property
    def is_startable(self) -> bool:
        """Whether its command exists; one with a URL needs none."""
        return bool(self.url) or shutil.which(self.command) is not None


@dataclass(frozen=True, slots=True)
class DetectedHost:
    """A host on this machine; `entry` is None if it is not connected, or its file cannot be read."""

    host: Host
    file: Path
    entry: Entry | None
    problem: str = ""
    content: Any = None
    """The parsed file."""

    def is_connected(self, home: Path) -> bool:
        """Whether it would start a server for the memory in `home`."""
        return self.entry is not None and self.entry.is_startable and self.serves(home)

    def serves(self, home: Path) -> bool:
        """Whether its server uses the memory in `home`, as far as its file shows."""
        if self.entry is None or self.entry.url:
            return self.entry is not None
        return self.entry.home.absolute().resolve() == home.absolute().resolve()

    def fix(self, home: Path) -> str:
        """The command that connects it to the memory in `home`."""
        is_default = home.absolute() == settings.default_home().absolute()
        option = "" if is_default else f" --home {shlex.quote(str(home))}"
        return f"run `cortex mcp install --host {self.host.name} --write{option}`"


def found(user_home: Path) -> list[DetectedHost]:
    """The hosts installed for the user with this home."""
    return [inspect(host, user_home) for host in HOSTS.values() if _is_installed(host, user_home)]


def _is_installed(host: Host, user_home: Path) -> bool:
    if names := _OWN_FOLDERS.get(host.name):
        return any((user_home / name).exists() for name in names)
    folder = host.file(user_home).parent
    # VS Code has its file one level below its own folder.
    return (folder.parent if folder.name == "User" else folder).is_dir()


def inspect(host: Host, user_home: Path) -> DetectedHost:
    """The configuration of a host, whether it is installed or not."""
    file = host.file(user_home)
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        content = json_config.read(text, field=str(file)).plain
    except InvalidRequest as error:
        return DetectedHost(host, file, None, error.message)
    except (OSError, UnicodeDecodeError) as error:
        problem = f"cannot be read: {getattr(error, 'strerror', '') or 'it is not UTF-8'}"
        return DetectedHost(host, file, None, problem)
    return DetectedHost(host, file, _entry(value_at(content, host.keys), user_home / ".cortex"), content=content)


def _entry(servers: Any, default_home: Path) -> Entry | None:
    """Our server among these; the one with our default name first."""
    if not isinstance(servers, Mapping):
        return None
    ours = {name: server for name, server in servers.items() if isinstance(server, Mapping) and _is_ours(name, server)}
    if not ours:
        return None
    server = ours.get(NAME) or next(iter(ours.values()))
    variables = server.get("env") if isinstance(server.get("env"), Mapping) else {}
    home = value_of("--home", _arguments(server)) or (variables or {}).get("CORTEX_HOME") or default_home
    url = str(server.get("url") or server.get("serverUrl") or "")
    return Entry(str(server.get("command") or ""), url, Path(str(home)).expanduser())


def _is_ours(name: str, server: Mapping[str, Any]) -> bool:
    words = [Path(str(server.get("command") or "")).stem, *_arguments(server)]
    return name == NAME or (NAME in words and "mcp" in words)


def _arguments(server: Mapping[str, Any]) -> list[str]:
    return [str(each) for each in server.get("args") or ()]


def value_at(content: Any, keys: Sequence[str]) -> Any:
    """The value at a path of keys; None if it is missing."""
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


# --- workspaces -------------------------------------------------------------------------------------------------------

COUNTED = 500
"""The maximum number of files to count."""

AT_ONCE = 200_000
"""How many bytes to index while the user waits; more take minutes, and are left to the background."""


@dataclass(frozen=True, slots=True)
class Notes:
    """A folder or file of notes to index."""

    path: Path
    shape: Shape

    @classmethod
    def at(cls, path: Path) -> Notes:
        """The notes at a path: of an agent's workspace only its memory, of any other folder every note."""
        place = path.expanduser().resolve()
        is_workspace = any((place / name).is_file() for name in WORKSPACE_FILES)
        return cls(place, Shape.WORKSPACE if is_workspace else Shape.TREE)

    @property
    def description(self) -> str:
        """Which of its files are indexed."""
        if self.shape is Shape.WORKSPACE:
            folder = [f"{WORKSPACE_FOLDER}/"] if (self.path / WORKSPACE_FOLDER).is_dir() else []
            return " and ".join([name for name in WORKSPACE_FILES if (self.path / name).is_file()] + folder)
        return "every Markdown file" if self.path.is_dir() else "the file"

    def count(self) -> int:
        """The number of files, up to `COUNTED` plus one."""
        return len(list(zip(range(COUNTED + 1), self._files(), strict=False)))

    @property
    def is_large(self) -> bool:
        """Whether indexing it takes longer than people wait."""
        size = 0
        for number, file in enumerate(self._files()):
            with suppress(OSError):
                size += file.stat().st_size
            if size > AT_ONCE or number == COUNTED:
                return True
        return False

    def _files(self) -> Iterator[Path]:
        if self.path.is_file():
            yield self.path
        elif self.shape is Shape.TREE:
            yield from _markdown(self.path)
        else:
            yield from (self.path / name for name in WORKSPACE_FILES if (self.path / name).is_file())
            yield from _markdown(self.path / WORKSPACE_FOLDER)


def found_notes(user_home: Path, working_folder: Path) -> list[Notes]:
    """Agent workspaces: OpenClaw's default one, the one its file names, and the working folder."""
    content = inspect(HOSTS["openclaw"], user_home).content
    named = value_at(content, ("agents", "defaults", "workspace"))
    places = [user_home / ".openclaw" / "workspace", working_folder]
    if isinstance(named, str) and named and "${" not in named:
        places.insert(1, Path(named).expanduser())
    unique = dict.fromkeys(place.resolve() for place in places if place.is_dir())
    return [Notes(place, Shape.WORKSPACE) for place in unique if _is_workspace(place)]


def _is_workspace(place: Path) -> bool:
    return any((place / name).is_file() for name in WORKSPACE_FILES) or any(_markdown(place / WORKSPACE_FOLDER))


def _markdown(folder: Path) -> Iterator[Path]:
    """The Markdown files below a folder, in no order."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (Path(place) / name for name in files if name.lower().endswith(MARKDOWN))
