"""`cortex hosts` for coding agents: installed, out again byte for byte, and every known failure with its fix (E1)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli

from cortex._version import __version__
from cortex.surfaces.hosts import coding_agents
from cortex.surfaces.hosts.coding_agents import AGENTS, Command, agent_named, packaged, rendered
from cortex.surfaces.hosts.versions import version_of

ROOT = Path(__file__).parents[2]
FOLDERS = {"claude-code": ".claude", "codex": ".codex", "gemini": ".gemini", "cursor": ".cursor",
           "opencode": ".config/opencode"}  # fmt: skip
CONFIGURED = {
    ".claude/settings.json": '{\n  // mine\n  "model": "opus",\n}\n',
    ".codex/config.toml": 'model = "x" # mine',
    ".gemini/settings.json": "{}",
    ".cursor/hooks.json": '{\n\t// mine\n\t"version": 1,\n\t"hooks": {"sessionStart": [{"command": "./mine.sh"}]}\n}',
    ".cursor/mcp.json": '{"mcpServers": {"other": {"command": "x"}}}\r\n',
    ".config/opencode/opencode.json": '{"theme": "x"}',
}
PROGRAM = str(Path(sys.executable).parent / "cortex")


class Machine:
    """The home of a user with all five programs."""

    def __init__(self, home: Path) -> None:
        self.home = home
        for file, text in CONFIGURED.items():
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            (home / file).write_bytes(text.encode())

    def tree(self) -> dict[str, bytes | None]:
        """Every file, and every folder, which has no content."""
        return {
            str(path.relative_to(self.home)): path.read_bytes() if path.is_file() else None
            for path in self.home.rglob("*")
        }

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.home / file
        text = path.read_bytes().decode()
        assert old in text
        path.write_bytes(text.replace(old, new).encode())


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "CURSOR_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    return Machine(tmp_path / "person")


# --- install and uninstall --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_an_installation_is_taken_back_byte_for_byte(cli: Cli, machine: Machine, name: str) -> None:
    """E1"""
    before = machine.tree()
    planned = cli("hosts", "install", name, "--dry-run")
    assert machine.tree() == before
    assert not cli.home.exists()
    done = cli("hosts", "install", name, "--yes")
    assert (done.code, done.err) == (0, "")
    changed = [file for file, content in machine.tree().items() if before.get(file, b"") != content and content]
    assert changed
    assert all(str(machine.home / file) in planned.out for file in changed)
    assert cli("hosts", "install", name, "--yes", "--json").json["changed"] is False
    assert machine.tree().keys() > before.keys()
    removed = cli("hosts", "uninstall", name, "--yes", "--json").json
    assert (removed["changed"], removed["is_exact"], removed["kept"]) == (True, True, [])
    assert machine.tree() == before
    assert cli("hosts", "uninstall", name, "--yes").out == "nothing to uninstall\n"
    assert list(cli.home.iterdir()) == []


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_the_command_is_complete_and_the_events_are_those_of_the_host(cli: Cli, machine: Machine, name: str) -> None:
    """X2: a host is started in any folder, with few variables"""
    cli("hosts", "install", name, "--yes", "--user", "kim")
    base = [PROGRAM, "--home", str(cli.home), "--user", "kim"]
    hook, server = " ".join([*base, "hook", "event"]), {"command": PROGRAM, "args": [*base[1:], "mcp", "--here"]}
    texts = {file: content.decode() for file, content in machine.tree().items() if content is not None}
    if name == "opencode":
        assert f"const COMMAND = {json.dumps(base)};" in texts[".config/opencode/plugins/cortex.js"]
        return
    root = str(AGENTS[name].root.relative_to(machine.home))
    hooks = {"cursor": ".cursor/hooks.json"}.get(name, f"{root}/hooks/hooks.json")
    servers = {"cursor": ".cursor/mcp.json", "gemini": f"{root}/gemini-extension.json"}.get(name, f"{root}/.mcp.json")
    text = texts[hooks].replace("// mine", "")
    assert {event for event, groups in json.loads(text)["hooks"].items() if hook in json.dumps(groups)} == (
        {"sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "sessionEnd"}
        if name == "cursor"
        else set(AGENTS[name].events)
    )
    assert json.loads(texts[servers])["mcpServers"]["cortex"] == server


def test_what_others_wrote_since_stays(cli: Cli, machine: Machine) -> None:
    """E1: a host writes to its own configuration too"""
    for name in ("codex", "cursor"):
        cli("hosts", "install", name, "--yes")
    trusted = '[projects."/w"]\ntrust_level = "trusted"\n'
    machine.edit(".codex/config.toml", "enabled = true\n", f"enabled = true\n\n{trusted}")
    machine.edit(".cursor/hooks.json", '"./mine.sh"', '"./other.sh"')
    machine.edit(".cursor/mcp.json", '"x"', '"y"')
    for name in ("codex", "cursor"):
        removed = cli("hosts", "uninstall", name, "--yes", "--json").json
        assert (removed["is_exact"], removed["kept"]) == (False, [])
    assert (machine.home / ".codex/config.toml").read_text() == f'model = "x" # mine\n{trusted}'
    now = {file: (machine.home / file).read_bytes().decode() for file in (".cursor/hooks.json", ".cursor/mcp.json")}
    for file, text in now.items():
        was = CONFIGURED[file].replace("./mine.sh", "./other.sh").replace('"x"', '"y"')
        assert "".join(text.split()) == "".join(was.split())


def test_what_somebody_changed_in_ours_is_left_and_told(cli: Cli, machine: Machine) -> None:
    cli("hosts", "install", "codex", "--yes")
    machine.edit(".codex/config.toml", "enabled = true", "enabled = true # yes")
    said = cli("hosts", "uninstall", "codex", "--yes")
    assert '[plugins."cortex@cortex"]' in said.out
    assert "# yes" in (machine.home / ".codex/config.toml").read_text()


def test_without_its_record_what_is_ours_beyond_doubt_goes(cli: Cli, machine: Machine) -> None:
    before = machine.tree()
    cli("hosts", "install", "claude-code", "--yes")
    (cli.home / "hosts" / "claude-code.json").write_text("{")
    assert cli("hosts", "uninstall", "claude-code", "--yes", "--json").json["is_exact"] is False
    assert {file for file, content in machine.tree().items() if content is not None} == {
        file for file, content in before.items() if content is not None
    }


def test_an_upgrade_replaces_the_files_of_the_earlier_version(
    cli: Cli, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = machine.tree()
    cli("hosts", "install", "codex", "--yes")
    older = agent_named("codex")
    newer = coding_agents.CodingAgent(
        "codex", "Codex", "codex", older.folder, "plugins/cache/cortex/cortex/9.9.9", older.files, toml=older.toml
    )
    monkeypatch.setitem(AGENTS, "codex", newer)
    assert cli("hosts", "install", "codex", "--yes").code == 0
    files = [file for file, content in machine.tree().items() if content is not None and "/cache/" in file]
    assert files
    assert all("9.9.9" in file for file in files)
    cli("hosts", "uninstall", "codex", "--yes")
    assert machine.tree() == before


def test_it_asks_first_and_does_nothing_where_nobody_can_answer(cli: Cli, machine: Machine) -> None:
    before = machine.tree()
    said = cli("hosts", "install", "cursor")
    assert "needs confirmation" in said.err
    assert "add to hooks.sessionStart" in said.out
    assert machine.tree() == before


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file", "content", "expected"),
    [
        ("cursor", ".cursor/hooks.json", "{", "line 1"),
        ("cursor", ".cursor/hooks.json", "\ufeff[]", "is not"),
        ("cursor", ".cursor/hooks.json", '{"hooks": []}', "hooks is not an object"),
        ("cursor", ".cursor/hooks.json", '{"hooks": {"sessionStart": {}}}', "hooks.sessionStart is not a list"),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": 1}', "mcpServers is not an object"),
        ("codex", ".codex/config.toml", "model = ", "is not TOML"),
        ("codex", ".codex/config.toml", "plugins = {}", "written so that nothing can be added"),
        ("codex", ".codex/config.toml", '[plugins."cortex@cortex"]\nenabled = false', "is disabled there"),
        ("opencode", ".config/opencode/plugins/cortex.js", "export const Mine = 1", "is not a file of Cortex"),
    ],
)
def test_a_configuration_that_would_break_is_refused_as_a_whole(
    cli: Cli, machine: Machine, name: str, file: str, content: str, expected: str
) -> None:
    """E1: nothing is changed, and the line says what to do"""
    (machine.home / file).parent.mkdir(parents=True, exist_ok=True)
    (machine.home / file).write_text(content)
    before = machine.tree()
    said = cli("hosts", "install", name, "--yes")
    assert (said.code != 0, expected in said.err) == (True, True), said.err
    assert machine.tree() == before
    assert cli("hosts", "doctor", name).code == 1


def test_a_file_that_cannot_be_written_leaves_none_behind(
    cli: Cli, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = machine.tree()
    (machine.home / ".cursor/mcp.json").chmod(0o400)
    said = cli("hosts", "install", "cursor", "--yes")
    assert "is read-only" in said.err
    assert machine.tree() == before


def test_a_program_that_is_not_here_or_unknown_is_told(cli: Cli, machine: Machine, tmp_path: Path) -> None:
    for path in sorted((machine.home / ".cursor").rglob("*"), reverse=True):
        path.unlink()
    (machine.home / ".cursor").rmdir()
    assert "Cursor is neither on PATH" in cli("hosts", "install", "cursor", "--yes").err
    assert "one of claude-code" in cli("hosts", "install", "emacs", "--yes").err
    assert "is for OpenClaw" in cli("hosts", "install", "codex", "--profile", "x").err


# --- doctor -----------------------------------------------------------------------------------------------------------


def checks(cli: Cli, name: str) -> dict[str, Any]:
    return {check["name"]: check for check in cli("hosts", "doctor", name, "--json").json["checks"]}


def test_the_doctor_says_what_is_missing_and_fixes_it(cli: Cli, machine: Machine) -> None:
    """E2"""
    found = checks(cli, "gemini")
    assert (found["plugin"]["ok"], found["gemini"]["ok"]) == (False, None)
    assert found["plugin"]["fix"] == "run `cortex hosts install gemini`"
    assert cli("hosts", "doctor", "gemini", "--fix", "--yes").code == 0
    assert checks(cli, "gemini")["plugin"]["ok"] is True


@pytest.mark.parametrize(
    ("name", "file", "content", "check"),
    [
        ("claude-code", ".claude/settings.json", {"disableAllHooks": True}, "hooks"),
        ("claude-code", ".claude/settings.json", {"enabledPlugins": {"cortex@skills-dir": False}}, "enabled"),
        ("claude-code", ".claude/settings.json",
         {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "cortex hook after"}]}]}}, "twice"),
        ("claude-code", ".claude.json", {"mcpServers": {"cortex": {"command": "x"}}}, "tools twice"),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}, "hooks"),
        ("gemini", ".gemini/extensions/extension-enablement.json", {"cortex": {"overrides": ["!/w/*"]}}, "enabled"),
        ("opencode", ".config/opencode/opencode.json", {"mcp": {"cortex": {"enabled": False}}}, "tools"),
    ],
)  # fmt: skip
def test_what_switches_hooks_off_or_doubles_them_is_found(
    cli: Cli, machine: Machine, name: str, file: str, content: dict[str, Any], check: str
) -> None:
    """E2"""
    cli("hosts", "install", name, "--yes")
    assert check not in checks(cli, name)
    (machine.home / file).write_text(json.dumps(content))
    assert checks(cli, name)[check]["ok"] is not True


def test_codex_is_checked_for_its_switch_and_for_trust(cli: Cli, machine: Machine) -> None:
    """E2: Codex runs no hook that nobody trusted, and says nothing"""
    cli("hosts", "install", "codex", "--yes")
    assert checks(cli, "codex")["trust"]["ok"] is None
    config = machine.home / ".codex/config.toml"
    trusted = '\n[hooks.state."cortex@cortex:hooks/hooks.json:stop:0:0"]\ntrusted_hash = "x"\n'
    config.write_text(config.read_text() + trusted + "\n[features]\nhooks = false\n")
    found = checks(cli, "codex")
    assert "trust" not in found
    assert found["hooks"]["ok"] is False


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("2.1.326 (Claude Code)", "2.1.326"), ("codex-cli 0.169.0", "0.169.0"), ("v24.16.0", "24.16.0"), ("soon", ""),
        ("OpenClaw 2026.9.6 (1a2b3c4)", "2026.9.6"), ("cortex 0.2.0rc1", "0.2.0rc1"), ("0.62.0-nightly.1",) * 2,
    ],
)  # fmt: skip
def test_the_version_of_a_program_is_found_in_what_it_prints(tmp_path: Path, printed: str, version: str) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    program.chmod(0o755)
    assert version_of(program) == version
    assert version_of(tmp_path / "absent") == ""


def test_a_copy_of_another_version_or_for_another_memory_is_told(cli: Cli, machine: Machine, tmp_path: Path) -> None:
    """E2"""
    cli("hosts", "install", "gemini", "--yes")
    said = cli("hosts", "doctor", "gemini", "--json", home=tmp_path / "other").json
    found = {check["name"]: check for check in said["checks"]}
    assert found["plugin"]["ok"] is None
    assert f"not that of Cortex {__version__}" in found["plugin"]["detail"]


# --- the folder -------------------------------------------------------------------------------------------------------


def test_the_folder_is_a_plugin_of_each_program() -> None:
    folder = packaged()
    assert folder == ROOT / "plugins" / "coding-agents"
    for name in (".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json"):
        manifest = json.loads((folder / name).read_text())
        assert (manifest["name"], manifest["version"]) == ("cortex", __version__)
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    assert [ROOT / each["source"] for each in market["plugins"]] == [folder]
    hooks = json.loads((folder / "hooks/hooks.json").read_text())["hooks"]
    assert set(hooks) == {event for agent in AGENTS.values() if "hooks/hooks.json" in agent.files
                          for event in agent.events}  # fmt: skip
    assert {hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]} == {
        coding_agents.HOOK
    }


def test_every_program_gets_only_files_that_are_shipped() -> None:
    for agent in AGENTS.values():
        assert all((packaged() / source).is_file() for source in agent.files.values())


def test_a_path_with_a_space_is_quoted_for_the_shell() -> None:
    command = Command("/opt/my tools/cortex", Path("/home/x/it's"))
    text = rendered((packaged() / "hooks/hooks.json").read_text(), "hooks/hooks.json", command, ["Stop"])
    assert list(json.loads(text)["hooks"]) == ["Stop"]
    assert "'/opt/my tools/cortex' --home '/home/x/it'" in text
