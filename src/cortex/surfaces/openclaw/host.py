"""OpenClaw on this machine: program, version, folders, configuration and agents."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex import settings
from cortex.errors import EngineError, InvalidRequest, NotFound
from cortex.surfaces.hosts.config_file import ConfigFile, value_at
from cortex.surfaces.hosts.versions import is_within, numbers, version_of

OLDEST, NEWEST = "2026.9.5", "2026.9.6"
"""The releases of OpenClaw that the plugin is tested with."""

UPDATE_HOST = "run `openclaw update`, or `npm install -g openclaw@latest`"
_PROFILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")
_INCLUDE = "$include"
_SECONDS = 300
"""How long a command of the host may take: it starts slowly on a busy machine."""


@dataclass(frozen=True, slots=True)
class OpenClaw:
    """One installation, or one profile of it."""

    state: Path
    config: Path
    profile: str = ""
    program: Path | None = None
    package: Mapping[str, Any] | None = None
    """The `package.json` of the program; None if it was not found."""

    @classmethod
    def find(cls, profile: str | None = None) -> OpenClaw:
        """Where OpenClaw is, as it decides itself by its variables and its profile."""
        name = (profile or settings.variable("OPENCLAW_PROFILE") or "").strip()
        if name and not _PROFILE.fullmatch(name):
            raise InvalidRequest("is not the name of a profile", field="--profile", hint="give letters and digits")
        name = "" if name.lower() == "default" else name
        home = _folder("OPENCLAW_HOME") or Path.home()
        state = _folder("OPENCLAW_STATE_DIR") or home / (f".openclaw-{name}" if name else ".openclaw")
        found = shutil.which("openclaw")
        program = Path(found) if found else None
        config = _folder("OPENCLAW_CONFIG_PATH") or state / "openclaw.json"
        return cls(state, config, name, program, _package_of(program))

    def check_found(self) -> None:
        """Refuse if nothing shows that OpenClaw is installed."""
        if self.program is None and not self.state.is_dir() and not self.config.exists():
            raise NotFound(
                f"OpenClaw is neither on PATH nor in {self.state}",
                hint="run `npm install -g openclaw`, or set OPENCLAW_STATE_DIR; --profile names a profile",
            )

    @property
    def version(self) -> str:
        return str((self.package or {}).get("version") or "")

    @property
    def is_older(self) -> bool:
        return bool(self.version) and numbers(self.version) < numbers(OLDEST)

    @property
    def is_newer(self) -> bool:
        return bool(self.version) and numbers(self.version) > numbers(NEWEST)

    @property
    def extensions(self) -> Path:
        """Where plugins are found without being named."""
        return self.state / "extensions"

    def command(self, *arguments: str) -> str:
        """A command line for people."""
        profile = ("--profile", self.profile) if self.profile else ()
        return " ".join(("openclaw", *profile, *arguments))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the host."""
        profile = ("--profile", self.profile) if self.profile else ()
        try:
            return subprocess.run(
                [str(self.program), *profile, *arguments],
                capture_output=True, text=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineError(f"openclaw {arguments[0]}: {type(error).__name__}", hint="run it by hand") from error

    # --- Node ---------------------------------------------------------------------------------------------------------

    @property
    def node_range(self) -> str:
        return str(((self.package or {}).get("engines") or {}).get("node") or "")

    def node(self) -> tuple[Path | None, str]:
        """A Node that the host accepts, as it looks for one itself; else the first one found and its version."""
        found: list[tuple[Path, str]] = []
        for program in _programs("node"):
            found.append((program, version_of(program)))
            if is_within(found[-1][1], self.node_range):
                return found[-1]
        return found[0] if found else (None, "")

    # --- agents -------------------------------------------------------------------------------------------------------

    def agents(self, content: Any) -> dict[str, Path]:
        """The workspace of each agent."""
        entries = value_at(content, ("agents", "entries"))
        entries = dict(entries) if isinstance(entries, Mapping) else {}
        with suppress(OSError):
            for folder in sorted((self.state / "agents").iterdir()):
                entries.setdefault(folder.name, {})
        default = next((name for name, entry in entries.items() if value_at(entry, ("default",)) is True), None)
        default = default or ("main" if "main" in entries or not entries else next(iter(entries)))
        entries.setdefault(default, {})
        shared = expanded(value_at(content, ("agents", "defaults", "workspace")))
        found = {}
        for name, entry in entries.items():
            own = expanded(value_at(entry, ("workspace",)))
            if own is None and name == default:
                own = shared or _folder("OPENCLAW_WORKSPACE_DIR") or self.state / "workspace"
            found[name] = own or (shared / name if shared else self.state / f"workspace-{name}")
        return found

    def sessions(self, agent: str, content: Any) -> Path:
        """The database with an agent's sessions."""
        own = expanded(value_at(content, ("agents", "entries", agent, "agentDir")))
        return (own or self.state / "agents" / agent / "agent") / "openclaw-agent.sqlite"


# --- configuration ----------------------------------------------------------------------------------------------------


class HostConfig(ConfigFile):
    """The configuration of OpenClaw."""

    __slots__ = ()

    def check_editable(self) -> None:
        """Refuse a file that is not ours to edit."""
        if settings.variable("OPENCLAW_NIX_MODE") == "1":
            raise self.refused("is managed by Nix", "set the values in the Nix source; --dry-run lists them")
        for path in ((), ("plugins",), ("plugins", "entries"), ("plugins", "entries", "cortex")):
            found = self.at(*path)
            if isinstance(found, Mapping) and _INCLUDE in found:
                where = ".".join(path) or "the file"
                raise self.refused(
                    f"{where} is split by {_INCLUDE}", "set the values in the included file; --dry-run lists them"
                )
        ConfigFile.check_editable(self)


def expanded(value: Any) -> Path | None:
    """A path of the host's configuration, with `~` and `${NAME}` replaced; None if it is none."""
    if not isinstance(value, str) or not value.strip():
        return None
    known = {name: settings.variable(name) for name in _VARIABLE.findall(value)}
    if None in known.values():
        return None
    return Path(_VARIABLE.sub(lambda found: known[found[1]] or "", value)).expanduser()


def _programs(name: str) -> Iterator[Path]:
    for folder in (settings.variable("PATH") or "").split(os.pathsep):
        if found := shutil.which(name, path=folder):
            yield Path(found)


def _package_of(program: Path | None) -> Mapping[str, Any] | None:
    if program is None:
        return None
    for folder in Path(os.path.realpath(program)).parents[:3]:
        with suppress(OSError, ValueError):
            package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
            if isinstance(package, dict) and package.get("name") == "openclaw":
                return package
    version = version_of(program)
    return {"version": version} if version else {}


def _folder(variable: str) -> Path | None:
    value = (settings.variable(variable) or "").strip()
    return Path(value).expanduser() if value else None
