"""The coding agents that Cortex can be installed in, and what each of them needs.

All of it is in one folder, `plugins/coding-agents`. A host gets a copy of its part, in which the command is the full
path of this `cortex` with the home of the memory: a host is started in any folder, with few variables.
"""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex import settings
from cortex._version import __version__
from cortex.errors import InvalidRequest, NotFound
from cortex.surfaces.hosts.config_file import ConfigEdit
from cortex.surfaces.hosts.versions import version_of

NAME = "cortex"
SKILL = "skills/cortex-memory/SKILL.md"
HOOK = "cortex hook event"
"""How the files of the folder start a hook."""

_EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
_PLUGIN = f'[plugins."{NAME}@{NAME}"]'


@dataclass(frozen=True, slots=True)
class Command:
    """How a host starts Cortex."""

    program: str
    home: Path
    agent: str | None = None
    user: str | None = None

    @property
    def words(self) -> list[str]:
        words = [self.program, "--home", str(self.home)]
        for option, value in (("--agent", self.agent), ("--user", self.user)):
            words += [option, value] if value else []
        return words

    @property
    def hook(self) -> str:
        """The line for a shell."""
        return shlex.join([*self.words, "hook", "event"])

    @property
    def server(self) -> dict[str, Any]:
        """The entry of the MCP server."""
        return {"command": self.program, "args": [*self.words[1:], "mcp", "--here"]}


@dataclass(frozen=True, slots=True)
class CodingAgent:
    """A program that runs hooks."""

    name: str
    title: str
    program: str
    folder: Callable[[], Path]
    """Where it keeps its configuration."""
    place: str
    """Where our files go, below that folder."""
    files: Mapping[str, str]
    """Our files, by their names in `place`, each with its name in the shipped folder."""
    events: tuple[str, ...] = _EVENTS
    tested: str = ""
    """The release that was tested."""
    edits: Callable[[Command], Mapping[str, Sequence[ConfigEdit]]] = lambda _: {}
    """What is added to its JSON files, by their names below the folder."""
    toml: str = ""
    """What is added to its `config.toml`."""
    next_step: str = "start a new session"

    @property
    def root(self) -> Path:
        return self.folder() / self.place

    @property
    def found(self) -> Path | None:
        """Its program."""
        there = shutil.which(self.program)
        return Path(there) if there else None

    def check_found(self) -> None:
        """Refuse if nothing shows that it is installed."""
        if self.found is None and not self.folder().is_dir():
            raise NotFound(f"{self.title} is neither on PATH nor in {self.folder()}", hint="install it first")

    @property
    def version(self) -> str:
        """Its version, as it says itself; empty if it does not."""
        return version_of(self.found) if self.found else ""

    def contents(self, command: Command) -> dict[Path, str]:
        """Our files as the host gets them."""
        folder = packaged()
        return {
            self.root / name: rendered((folder / source).read_text(encoding="utf-8"), source, command, self.events)
            for name, source in self.files.items()
        }


def packaged() -> Path:
    """The folder of this version of Cortex: beside this module, or in the checkout."""
    for folder in (Path(__file__).parent / "plugin", Path(__file__).parents[4] / "plugins" / "coding-agents"):
        if (folder / SKILL).is_file():
            return folder
    raise NotFound("the plugin is not part of this installation", hint="reinstall memory-cortex")


def rendered(text: str, source: str, command: Command, events: Sequence[str]) -> str:
    """A file of the folder with the command of this installation, and the events that the host knows."""
    if source.endswith(".js"):
        return text.replace('const COMMAND = ["cortex"];', f"const COMMAND = {json.dumps(command.words)};")
    if not source.endswith(".json"):
        return text
    content = json.loads(text)
    if isinstance(content.get("hooks"), dict):
        content["hooks"] = {name: _with_command(content["hooks"][name], command.hook) for name in events}
    if isinstance(content.get("mcpServers"), dict):
        content["mcpServers"] = {NAME: command.server}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _with_command(groups: Any, hook: str) -> Any:
    if isinstance(groups, list):
        return [_with_command(each, hook) for each in groups]
    if isinstance(groups, dict):
        return {key: hook if value == HOOK else _with_command(value, hook) for key, value in groups.items()}
    return groups


def _of_cursor(command: Command) -> dict[str, Sequence[ConfigEdit]]:
    shipped = json.loads((packaged() / "cursor" / "hooks.json").read_text(encoding="utf-8"))
    hooks = [
        ConfigEdit(("hooks", event), item, is_item=True)
        for event, items in shipped["hooks"].items()
        for item in _with_command(items, command.hook)
    ]
    return {
        "hooks.json": [ConfigEdit(("version",), shipped["version"]), *hooks],
        "mcp.json": [ConfigEdit(("mcpServers", NAME), command.server)],
    }


def _below(variable: str, *default: str) -> Callable[[], Path]:
    """A folder that a variable names, or one of the user's home."""

    def folder() -> Path:
        given = (settings.variable(variable) or "").strip()
        return Path(given).expanduser() if given else Path.home().joinpath(*default)

    return folder


def _of_gemini() -> Path:
    return _below("GEMINI_CLI_HOME")() / ".gemini"


def _of_opencode() -> Path:
    return _below("XDG_CONFIG_HOME", ".config")() / "opencode"


_SHARED = {"hooks/hooks.json": "hooks/hooks.json", SKILL: SKILL}

AGENTS = {
    agent.name: agent
    for agent in (
        CodingAgent(
            "claude-code", "Claude Code", "claude", _below("CLAUDE_CONFIG_DIR", ".claude"), "skills/cortex",
            {**_SHARED, ".claude-plugin/plugin.json": ".claude-plugin/plugin.json", ".mcp.json": ".mcp.json"},
            tested="2.1.326", next_step="start a new session; `/plugin` shows it as cortex@skills-dir",
        ),
        CodingAgent(
            "codex", "Codex", "codex", _below("CODEX_HOME", ".codex"), f"plugins/cache/{NAME}/{NAME}/{__version__}",
            {**_SHARED, ".codex-plugin/plugin.json": ".codex-plugin/plugin.json", ".mcp.json": ".mcp.json"},
            tested="0.169.0", toml=f"{_PLUGIN}\nenabled = true\n",
            next_step="start `codex`, enter `/hooks` and trust those of cortex: before that, Codex runs none of them",
        ),
        CodingAgent(
            "gemini", "Gemini CLI", "gemini", _of_gemini, f"extensions/{NAME}",
            {**_SHARED, "gemini-extension.json": "gemini-extension.json"},
            events=("SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"), tested="0.61.0",
        ),
        CodingAgent("cursor", "Cursor", "cursor", _below("CURSOR_CONFIG_DIR", ".cursor"), "", {SKILL: SKILL},
                    edits=_of_cursor, next_step="open a new chat; the Hooks tab of the settings shows each run"),
        CodingAgent("opencode", "OpenCode", "opencode", _of_opencode, "",
                    {f"plugins/{NAME}.js": "opencode/cortex.js", SKILL: SKILL}, tested="1.18.33"),
    )
}  # fmt: skip


def agent_named(name: str) -> CodingAgent:
    if name not in AGENTS:
        raise InvalidRequest(f"{name[:64]!r} is unknown", field="NAME", hint=f"one of {', '.join(AGENTS)}, openclaw")
    return AGENTS[name]
