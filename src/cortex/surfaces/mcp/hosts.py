"""MCP hosts: where each keeps its configuration file, and how to write our entry."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from cortex.errors import InvalidRequest, full_disk
from cortex.surfaces.mcp import json_config

_BACKUPS = 1_000


@dataclass(frozen=True, slots=True)
class Host:
    """A program that starts MCP servers from its configuration file."""

    name: str
    title: str
    keys: tuple[str, ...]
    """The path to the servers in the file."""
    path: str
    """The file relative to the user's home: the one that applies to all projects."""
    macos: str = ""
    windows: str = ""
    """Where it is elsewhere than on Linux."""
    is_typed: bool = False
    """Whether an entry needs `"type": "stdio"`."""
    next_step: str = ""
    profile: str = ""
    """The tool profile, if not the default."""

    def file(self, home: Path, platform: str = sys.platform) -> Path:
        """The configuration file of the user with this home."""
        return home / ({"darwin": self.macos, "win32": self.windows}.get(platform) or self.path)

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """The entry that starts our server."""
        typed = {"type": "stdio"} if self.is_typed else {}
        profile = ["--profile", self.profile] if self.profile else []
        return {**typed, "command": command[0], "args": [*command[1:], *profile]}

    def snippet(self, name: str, command: Sequence[str]) -> dict[str, Any]:
        """The smallest file with our entry."""
        payload: dict[str, Any] = {name: self.entry(command)}
        for key in reversed(self.keys):
            payload = {key: payload}
        return payload


HOSTS = {
    host.name: host
    for host in (
        Host("claude-code", "Claude Code", ("mcpServers",), ".claude.json", is_typed=True,
             next_step="restart Claude Code; `/mcp` shows the server"),
        Host("claude-desktop", "Claude Desktop", ("mcpServers",), ".config/Claude/claude_desktop_config.json",
             macos="Library/Application Support/Claude/claude_desktop_config.json",
             windows="AppData/Roaming/Claude/claude_desktop_config.json",
             next_step="quit Claude Desktop completely and open it again"),
        Host("cursor", "Cursor", ("mcpServers",), ".cursor/mcp.json",
             next_step="switch the server on in Cursor's settings, under MCP"),
        Host("vscode", "VS Code", ("servers",), ".config/Code/User/mcp.json",
             macos="Library/Application Support/Code/User/mcp.json", windows="AppData/Roaming/Code/User/mcp.json",
             is_typed=True, next_step="start the server with `MCP: List Servers` in the command palette"),
        Host("openclaw", "OpenClaw", ("mcp", "servers"), ".openclaw/openclaw.json", profile="canonical",
             next_step="check it: openclaw mcp doctor <name> --probe"),
    )
}  # fmt: skip


def command_for(python: str, home: PurePath, agent: str | None, user: str | None) -> list[str]:
    """The command line of the server. It is complete: hosts start it in any folder, with few variables."""
    command = [python, "-m", "cortex", "mcp", "--home", str(home)]
    for option, value in (("--agent", agent), ("--user", user)):
        command += [option, value] if value else []
    return command


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What was written to a host's file."""

    file: Path
    changed: bool
    backup: Path | None
    """The file as it was; None if there was none, or nothing changed."""


def write(host: Host, name: str, command: Sequence[str], file: Path) -> WriteResult:
    """Add our server to a host's file. Other entries stay, and so does what was added to ours by hand."""
    # A dotfile is often a symbolic link.
    real = Path(os.path.realpath(file))
    field = str(file)
    before = text_of(real, field)
    after = _named(before or "", host, name, command, field)
    if before == after:
        return WriteResult(file, changed=False, backup=None)
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        backup = None if before is None else _backed_up(real)
        replace_file(real, after, backup)
    except OSError as error:
        raise full_disk(error, file) or InvalidRequest(
            f"cannot be written: {error.strerror or error}", field=field, hint="check its permissions, or give --file"
        ) from error
    return WriteResult(file, changed=True, backup=backup)


def _named(text: str, host: Host, name: str, command: Sequence[str], field: str) -> str:
    entry = host.entry(command)
    there: Any = json_config.read(text, field=field).plain
    for key in (*host.keys, name):
        there = there.get(key) if isinstance(there, dict) else None
    if not isinstance(there, dict):
        return json_config.put(text, (*host.keys, name), entry, field=field)
    if "url" in there or "serverUrl" in there:
        raise InvalidRequest(
            f"has a server {name!r} with a URL",
            field=field,
            hint="choose another name with --name, or remove that server first",
        )
    for key, value in entry.items():
        if there.get(key) != value:
            text = json_config.put(text, (*host.keys, name, key), value, field=field)
    return text


def text_of(file: Path, field: str) -> str | None:
    """The text of the file with its own line ends; None if there is no file."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidRequest("is not UTF-8", field=field, hint="fix the file first; nothing was changed") from error
    except OSError as error:
        raise InvalidRequest(
            f"cannot be read: {error.strerror or error}", field=field, hint="check the path and permissions"
        ) from error


def _backed_up(file: Path) -> Path:
    """Copy the file to an unused name beside it."""
    for number in range(1, _BACKUPS):
        copy = file.with_name(f"{file.name}.bak{number}")
        # Another process may do the same at the same time.
        with suppress(FileExistsError):
            os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            try:
                shutil.copy2(file, copy)
            except OSError:
                copy.unlink(missing_ok=True)
                raise
            return copy
    raise InvalidRequest(f"has {_BACKUPS - 1} backups", field=str(file), hint="remove some of them")


def replace_file(file: Path, text: str, backup: Path | None = None) -> None:
    """Replace the file atomically, with its permissions; on failure remove the new files."""
    name = ""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "wb") as written:
            written.write(text.encode())
            written.flush()
            os.fsync(written.fileno())
        if file.exists():
            shutil.copymode(file, name)
        os.replace(name, file)
    except BaseException:
        for left in (name, backup):
            if left:
                with suppress(FileNotFoundError):
                    os.unlink(left)
        raise
