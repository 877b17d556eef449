"""The hosts that can be told of the server: where each keeps its configuration, and what an entry in it looks like."""

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
from cortex.surfaces.mcp import configuration

_BACKUPS = 1_000


@dataclass(frozen=True, slots=True)
class Host:
    """A program that starts MCP servers by a file of its own."""

    name: str
    title: str
    keys: tuple[str, ...]
    """Where in the file servers are named."""
    linux: str
    macos: str
    windows: str
    """The file, from the user's home on; of all its files, the one that holds for every project."""
    is_typed: bool = False
    """Whether an entry says that it is of stdio."""
    afterwards: str = ""
    profile: str = ""
    """The tools it knows, where these are not the usual ones."""

    def file(self, home: Path, platform: str = sys.platform) -> Path:
        """Its configuration, for the user with this home."""
        return home / {"darwin": self.macos, "win32": self.windows}.get(platform, self.linux)

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """How it starts a server."""
        typed = {"type": "stdio"} if self.is_typed else {}
        profile = ["--profile", self.profile] if self.profile else []
        return {**typed, "command": command[0], "args": [*command[1:], *profile]}

    def snippet(self, name: str, command: Sequence[str]) -> dict[str, Any]:
        """What its file has to say, were there nothing else in it."""
        told: dict[str, Any] = {name: self.entry(command)}
        for key in reversed(self.keys):
            told = {key: told}
        return told


HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            ("mcpServers",),
            linux=".claude.json",
            macos=".claude.json",
            windows=".claude.json",
            is_typed=True,
            afterwards="start Claude Code anew; `/mcp` shows the server",
        ),
        Host(
            "claude-desktop",
            "Claude Desktop",
            ("mcpServers",),
            linux=".config/Claude/claude_desktop_config.json",
            macos="Library/Application Support/Claude/claude_desktop_config.json",
            windows="AppData/Roaming/Claude/claude_desktop_config.json",
            afterwards="quit Claude Desktop wholly and open it again",
        ),
        Host(
            "cursor",
            "Cursor",
            ("mcpServers",),
            linux=".cursor/mcp.json",
            macos=".cursor/mcp.json",
            windows=".cursor/mcp.json",
            afterwards="switch the server on in Cursor's settings, under MCP",
        ),
        Host(
            "vscode",
            "VS Code",
            ("servers",),
            linux=".config/Code/User/mcp.json",
            macos="Library/Application Support/Code/User/mcp.json",
            windows="AppData/Roaming/Code/User/mcp.json",
            is_typed=True,
            afterwards="start the server by `MCP: List Servers` in the command palette",
        ),
        Host(
            "openclaw",
            "OpenClaw",
            ("mcp", "servers"),
            linux=".openclaw/openclaw.json",
            macos=".openclaw/openclaw.json",
            windows=".openclaw/openclaw.json",
            afterwards="see that it answers: openclaw mcp doctor <name> --probe",
            profile="canonical",
        ),
    )
}


def command_for(python: str, home: PurePath, agent: str | None, user: str | None) -> list[str]:
    """What starts the server. Hosts start it anywhere and with few variables, so nothing is left to be found out."""
    command = [python, "-m", "cortex", "mcp", "--home", str(home)]
    for option, value in (("--agent", agent), ("--user", user)):
        command += [option, value] if value else []
    return command


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a host's file."""

    file: Path
    changed: bool
    backup: Path | None
    """The file as it was before; None where there was none, or nothing was changed."""


def write(host: Host, name: str, command: Sequence[str], file: Path) -> Written:
    """Name the server in a host's file. Every other entry stays as it is, and of ours what was added by hand."""
    # A file of dots is often a link to where people keep such files.
    real = Path(os.path.realpath(file))
    field = str(file)
    before = _text_of(real, field)
    after = _named(before or "", host, name, command, field)
    if before == after:
        return Written(file, changed=False, backup=None)
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        backup = None if before is None else _backed_up(real)
        _replace(real, after, backup)
    except OSError as error:
        raise full_disk(error, file) or InvalidRequest(
            f"cannot be written: {error.strerror or error}", field=field, hint="check its permissions, or give --file"
        ) from error
    return Written(file, changed=True, backup=backup)


def _named(text: str, host: Host, name: str, command: Sequence[str], field: str) -> str:
    entry = host.entry(command)
    there: Any = configuration.read(text, field=field).plain
    for key in (*host.keys, name):
        there = there.get(key) if isinstance(there, dict) else None
    if not isinstance(there, dict):
        return configuration.put(text, (*host.keys, name), entry, field=field)
    if "url" in there or "serverUrl" in there:
        raise InvalidRequest(
            f"has a server {name!r} that is reached by its address",
            field=field,
            hint="give ours another name by --name, or remove that one first",
        )
    for key, value in entry.items():
        if there.get(key) != value:
            text = configuration.put(text, (*host.keys, name, key), value, field=field)
    return text


def _text_of(file: Path, field: str) -> str | None:
    """What the file says, its line ends as they are; None where there is none."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidRequest("is not UTF-8", field=field, hint="mend it first; nothing was changed") from error
    except OSError as error:
        raise InvalidRequest(
            f"cannot be read: {error.strerror or error}", field=field, hint="check the path and permissions"
        ) from error


def _backed_up(file: Path) -> Path:
    """A copy beside the file, under a name that is not in use."""
    for number in range(1, _BACKUPS):
        copy = file.with_name(f"{file.name}.bak{number}")
        # Not to be lost to whoever does the same at the same time.
        with suppress(FileExistsError):
            os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            try:
                shutil.copy2(file, copy)
            except OSError:
                copy.unlink(missing_ok=True)
                raise
            return copy
    raise InvalidRequest(f"has {_BACKUPS - 1} backups", field=str(file), hint="remove some of them")


def _replace(file: Path, text: str, backup: Path | None) -> None:
    """All of it at once, and with the permissions it had; where that fails, there is nothing to go back from."""
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
