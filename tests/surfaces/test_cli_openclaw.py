"""`cortex hosts … openclaw`: the plugin in OpenClaw and out again, and every known failure with its fix (E1, E2)."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from terminal import Cli, Said

from cortex._version import __version__
from cortex.errors import Conflict
from cortex.surfaces.hosts.versions import is_within
from cortex.surfaces.http.server_file import CONTRACT, Announcement, ServerInfo, acquire
from cortex.surfaces.mcp import json_config
from cortex.surfaces.openclaw import installer
from cortex.surfaces.openclaw.config_edits import Wishes
from cortex.surfaces.openclaw.host import NEWEST, OLDEST, HostConfig, OpenClaw
from cortex.surfaces.openclaw.imports import agent_name
from cortex.surfaces.openclaw.plugin_files import PluginFolder

BY_HAND = """\
// mine
{
  // the port is taken elsewhere
  gateway: { port: 18999, mode: "local" },
  plugins: {
    allow: ["telegram"], // only these
    entries: { telegram: { enabled: true } },
  },
}
"""


class Host:
    """OpenClaw of a person: its folder, its configuration, and a program that stands in for the real one."""

    def __init__(self, person: Path, programs: Path) -> None:
        self.state = person / ".openclaw"
        self.config = self.state / "openclaw.json"
        self.plugin = self.state / "extensions" / "cortex"
        self._programs = programs

    def configure(self, text: str) -> None:
        self.state.mkdir(exist_ok=True)
        self.config.write_text(text, encoding="utf-8", newline="")

    @property
    def content(self) -> Any:
        return json_config.read(self.config.read_text(encoding="utf-8"), field="").plain

    def program(self, version: str = OLDEST, *, engines: str = ">=24.16.0 <25 || >=26.1.0", refuses: str = "") -> None:
        """A package of this version; its program accepts every configuration, or refuses it with these words."""
        package = self._programs / "openclaw-package"
        package.mkdir()
        about = {"name": "openclaw", "version": version, "engines": {"node": engines}}
        (package / "package.json").write_text(json.dumps(about))
        script(package / "openclaw", f"echo '{refuses}'; exit {1 if refuses else 0}")
        (self._programs / "openclaw").symlink_to(package / "openclaw")

    def node(self, version: str) -> None:
        script(self._programs / "node", f"echo v{version}")


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    person, programs = tmp_path / "person", tmp_path / "programs"
    person.mkdir()
    programs.mkdir()
    monkeypatch.setenv("HOME", str(person))
    monkeypatch.setenv("PATH", str(programs))
    for name in [name for name in os.environ if name.startswith("OPENCLAW_")]:
        monkeypatch.delenv(name)
    return Host(person, programs)


@pytest.fixture
def install(cli: Cli) -> Callable[..., Said]:
    def run(*options: str) -> Said:
        said = cli("hosts", "install", "openclaw", "--yes", "--no-import", *options)
        assert said.code == 0, said.err
        return said

    return run


# --- install ----------------------------------------------------------------------------------------------------------


def test_an_installation_sets_what_the_host_needs_and_keeps_every_other_byte(
    cli: Cli, host: Host, install: Callable[..., Said]
) -> None:
    host.configure(BY_HAND)
    install()
    cortex = {
        "enabled": True,
        "hooks": {"allowConversationAccess": True},
        "config": {"command": str(Path(sys.executable).parent / "cortex"), "home": str(cli.home)},
    }
    assert host.content["plugins"] == {
        "allow": ["telegram", "cortex"],
        "entries": {"telegram": {"enabled": True}, "cortex": cortex},
        "slots": {"memory": "cortex"},
    }
    text = host.config.read_text()
    assert text.startswith(BY_HAND.partition("    allow")[0])
    assert "// only these" in text
    assert set(PluginFolder(host.plugin).files()) == set(PluginFolder.packaged().files())


def test_a_plan_is_shown_and_a_dry_run_changes_nothing(cli: Cli, host: Host) -> None:
    host.configure(BY_HAND)
    said = cli("hosts", "install", "openclaw", "--dry-run")
    assert "set plugins.entries.cortex.hooks.allowConversationAccess = true" in said.out
    assert 'add "cortex" to plugins.allow' in said.out
    assert f"copy the plugin {__version__} to {host.plugin}" in said.out
    assert host.config.read_text() == BY_HAND
    assert not host.plugin.exists()
    assert not (cli.home / "openclaw").exists()


def test_nothing_is_changed_without_consent(cli: Cli, host: Host) -> None:
    host.configure(BY_HAND)
    said = cli("hosts", "install", "openclaw")
    assert said.code == 2
    assert said.hint == "give --yes to confirm"
    assert host.config.read_text() == BY_HAND
    assert not host.plugin.exists()


def test_installing_twice_changes_nothing(cli: Cli, host: Host, install: Callable[..., Said]) -> None:
    host.configure(BY_HAND)
    install()
    before = {path: path.stat().st_mtime_ns for path in [host.config, *host.plugin.rglob("*")]}
    said = install("--json")
    assert said.json["changed"] is False
    assert said.json["changes"] == []
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_program_of_this_version_that_was_set_by_hand_is_kept(
    host: Host, tmp_path: Path, install: Callable[..., Said]
) -> None:
    script(tmp_path / "wrapper", f"echo cortex {__version__}")
    entry = {"config": {"command": str(tmp_path / "wrapper")}}
    host.configure(json.dumps({"plugins": {"entries": {"cortex": entry}}}))
    install()
    assert host.content["plugins"]["entries"]["cortex"]["config"]["command"] == str(tmp_path / "wrapper")


def test_the_tools_of_memory_core_are_silenced_only_if_asked(host: Host, install: Callable[..., Said]) -> None:
    host.configure("{}")
    install()
    assert "memory-core" not in host.content["plugins"]["entries"]
    install("--silence-memory-core")
    assert host.content["plugins"]["entries"]["memory-core"] == {"enabled": False}


def test_a_profile_has_its_own_folder(host: Host, tmp_path: Path, install: Callable[..., Said]) -> None:
    (tmp_path / "person" / ".openclaw-work").mkdir()
    install("--profile", "work")
    assert (tmp_path / "person" / ".openclaw-work" / "openclaw.json").exists()
    assert (tmp_path / "person" / ".openclaw-work" / "extensions" / "cortex" / "index.js").exists()
    assert not host.state.exists()


def test_the_variables_of_the_host_say_where_it_is(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Callable[..., Said]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", str(tmp_path / "config.json5"))
    install()
    assert (tmp_path / "config.json5").exists()
    assert (tmp_path / "elsewhere" / "extensions" / "cortex" / "index.js").exists()


def test_a_plugin_that_the_operator_links_is_used_and_not_copied(
    host: Host, tmp_path: Path, install: Callable[..., Said]
) -> None:
    shutil.copytree(PluginFolder.packaged().path, tmp_path / "linked")
    host.configure(json.dumps({"plugins": {"load": {"paths": [str(tmp_path / "linked")]}}}))
    assert install("--json").json["plugin"] == {
        "path": str(tmp_path / "linked"), "version": __version__, "copied": False,
    }  # fmt: skip
    assert not host.plugin.exists()


def test_an_older_copy_of_the_plugin_is_replaced(cli: Cli, host: Host, install: Callable[..., Said]) -> None:
    host.configure("{}")
    install()
    (host.plugin / "index.js").write_text("// older")
    (host.plugin / "gone.js").write_text("// a file that the plugin no longer has")
    assert failures(cli)["plugin"]["fix"] == "run `cortex hosts install openclaw`"
    install()
    assert PluginFolder(host.plugin).is_same(PluginFolder.packaged())
    assert [path.name for path in host.state.iterdir() if path.name.startswith(".cortex")] == []


def test_a_configuration_that_the_host_refuses_is_taken_back(cli: Cli, host: Host) -> None:
    host.configure(BY_HAND)
    host.program(refuses="plugins.slots.memory: no")
    said = cli("hosts", "install", "openclaw", "--yes", "--no-import")
    assert "OpenClaw refuses the configuration: plugins.slots.memory: no" in said.error
    assert host.config.read_text() == BY_HAND
    assert not host.plugin.exists()


# --- uninstall --------------------------------------------------------------------------------------------------------

TEXTS = {
    "by hand": BY_HAND,
    "windows": BY_HAND.replace("\n", "\r\n"),
    "byte order mark": "\ufeff{}",
    "empty": "",
    "comment only": "// nothing yet\n",
    "one line": '{"plugins":{"slots":{"memory":"memory-core"},"entries":{"cortex":{"enabled":false}}}}',
    "no end of line": "{ plugins: {}, }",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_uninstalling_restores_the_file_byte_for_byte(
    cli: Cli, host: Host, install: Callable[..., Said], text: str
) -> None:
    host.configure(text)
    install()
    install("--silence-memory-core")
    cli("remember", "The deploy key rotates on Mondays")
    said = cli("hosts", "uninstall", "openclaw", "--yes", "--json")
    assert said.json["is_exact"] is True
    assert host.config.read_bytes() == text.encode()
    assert not host.plugin.exists()
    assert not (cli.home / "openclaw").exists()
    assert "Mondays" in cli("list").out


def test_a_file_that_was_not_there_is_gone_again(cli: Cli, host: Host, install: Callable[..., Said]) -> None:
    host.state.mkdir()
    install()
    assert host.config.stat().st_mode & 0o077 == 0
    cli("hosts", "uninstall", "openclaw", "--yes")
    assert not host.config.exists()
    assert cli("hosts", "uninstall", "openclaw", "--yes").out == "nothing to uninstall\n"


def test_what_somebody_else_wrote_since_stays(cli: Cli, host: Host, install: Callable[..., Said]) -> None:
    host.configure(BY_HAND)
    install()
    entry = ("plugins", "entries", "cortex")
    edited = json_config.put(host.config.read_text(), ("logging", "level"), "debug", field="")
    edited = json_config.put(edited, (*entry, "config", "autoRecall"), False, field="")
    host.configure(json_config.put(edited, ("plugins", "slots", "memory"), "none", field=""))
    said = cli("hosts", "uninstall", "openclaw", "--yes")
    assert "without our values; it was edited since" in said.out
    assert "left alone: plugins.slots.memory" in said.out
    assert host.content == {
        "gateway": {"port": 18999, "mode": "local"},
        "plugins": {
            "allow": ["telegram"],
            "entries": {"telegram": {"enabled": True}, "cortex": {"config": {"autoRecall": False}}},
            "slots": {"memory": "none"},
        },
        "logging": {"level": "debug"},
    }
    assert "// only these" in host.config.read_text()


def test_a_file_edited_between_two_installations_keeps_that_edit(
    cli: Cli, host: Host, install: Callable[..., Said]
) -> None:
    host.configure("{ a: 1 }")
    install()
    host.configure(json_config.put(host.config.read_text(), ("b",), "2", field=""))
    install("--silence-memory-core")
    assert cli("hosts", "uninstall", "openclaw", "--yes", "--json").json["is_exact"] is False
    assert host.content == {"a": 1, "b": "2"}


def test_without_a_record_what_only_the_plugin_needs_is_removed(
    cli: Cli, host: Host, tmp_path: Path, install: Callable[..., Said]
) -> None:
    host.configure(BY_HAND)
    install()
    shutil.rmtree(cli.home / "openclaw")
    cli("hosts", "uninstall", "openclaw", "--yes")
    assert host.content == json_config.read(BY_HAND, field="").plain
    assert not host.plugin.exists()


# --- bad input --------------------------------------------------------------------------------------------------------

REFUSED = {
    "not closed": ('{\n  plugins: { entries: {\n', "line 3, column 1"),
    "a list": ("[]", "is not a JSON object"),
    "plugins is a list": ("{ plugins: [] }", "plugins is not an object"),
    "entries is a text": ("{ plugins: { entries: 'all' } }", "plugins.entries is not an object"),
    "our entry is a switch": ("{ plugins: { entries: { cortex: true } } }", "plugins.entries.cortex is not an object"),
    "slots is a list": ("{ plugins: { slots: [] } }", "plugins.slots is not an object"),
    "allow is a text": ("{ plugins: { allow: 'telegram' } }", "plugins.allow is not a list"),
    "denied": ("{ plugins: { deny: ['cortex'] } }", "plugins.deny names cortex"),
    "no plugins at all": ("{ plugins: { enabled: false } }", "plugins.enabled is false"),
    "split": ("{ plugins: { $include: './plugins.json5' } }", "split by $include"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_be_understood_is_refused_and_left_alone(cli: Cli, host: Host, text: str, why: str) -> None:
    host.configure(text)
    said = cli("hosts", "install", "openclaw", "--yes")
    assert said.code == 2
    assert str(host.config) in said.error
    assert why in said.error
    assert "nothing was changed" in said.hint
    assert host.config.read_text() == text
    assert not host.plugin.exists()


def test_a_file_of_another_encoding_is_refused(cli: Cli, host: Host) -> None:
    host.state.mkdir()
    host.config.write_bytes("{ a: 'ü' }".encode("latin-1"))
    assert "is not UTF-8" in cli("hosts", "install", "openclaw", "--yes").error
    assert host.config.read_bytes() == "{ a: 'ü' }".encode("latin-1")


def test_a_read_only_file_is_refused_with_the_command_that_opens_it(cli: Cli, host: Host) -> None:
    host.configure("{}")
    host.config.chmod(0o444)
    said = cli("hosts", "install", "openclaw", "--yes")
    assert "is read-only" in said.error
    assert f"chmod u+w {host.config}" in said.hint
    assert not host.plugin.exists()


def test_a_configuration_that_nix_manages_is_refused(cli: Cli, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.configure("{}")
    monkeypatch.setenv("OPENCLAW_NIX_MODE", "1")
    assert "is managed by Nix" in cli("hosts", "install", "openclaw", "--yes").error
    assert "set plugins.slots.memory" in cli("hosts", "install", "openclaw", "--dry-run").out


def test_a_link_stays_a_link(cli: Cli, host: Host, tmp_path: Path, install: Callable[..., Said]) -> None:
    (tmp_path / "dotfiles.json").write_text(BY_HAND)
    host.state.mkdir()
    host.config.symlink_to(tmp_path / "dotfiles.json")
    install()
    assert host.config.is_symlink()
    assert '"cortex"' in (tmp_path / "dotfiles.json").read_text()
    cli("hosts", "uninstall", "openclaw", "--yes")
    assert host.config.is_symlink()
    assert (tmp_path / "dotfiles.json").read_text() == BY_HAND


def test_an_edit_made_while_the_user_was_asked_is_not_overwritten(cli: Cli, host: Host) -> None:
    host.configure(BY_HAND)
    plan = installer.plan(OpenClaw.find(), Wishes("cortex", cli.home))
    host.configure("{ edited: true }")
    with pytest.raises(Conflict, match="was edited meanwhile"):
        installer.carry_out(plan, cli.home)
    assert host.config.read_text() == "{ edited: true }"
    assert not host.plugin.exists()


def test_a_folder_that_is_not_ours_is_not_replaced(cli: Cli, host: Host) -> None:
    host.configure("{}")
    host.plugin.mkdir(parents=True)
    (host.plugin / "openclaw.plugin.json").write_text('{"id": "another"}')
    assert "is not the Cortex plugin" in cli("hosts", "install", "openclaw", "--yes").error
    assert host.config.read_text() == "{}"


def test_a_host_that_is_nowhere_is_named_with_how_to_install_it(cli: Cli, host: Host) -> None:
    said = cli("hosts", "install", "openclaw", "--yes")
    assert said.code == 3
    assert "npm install -g openclaw" in said.hint
    assert cli("hosts", "doctor", "openclaw").code == 1


def test_an_older_host_is_refused_and_a_newer_one_is_named(cli: Cli, host: Host) -> None:
    host.configure("{}")
    host.program("2026.8.31")
    said = cli("hosts", "install", "openclaw", "--yes")
    assert f"OpenClaw 2026.8.31 is older than {OLDEST}" in said.error
    assert "openclaw update" in said.hint
    assert host.config.read_text() == "{}"
    assert "openclaw update" in failures(cli)["openclaw"]["fix"]
    shutil.rmtree(host.config.parent.parent.parent / "programs" / "openclaw-package")
    (host.config.parent.parent.parent / "programs" / "openclaw").unlink()
    host.program("2099.1.1")
    assert "newer than those that were tested" in cli("hosts", "install", "openclaw", "--yes", "--no-import").out
    newer = failures(cli)["openclaw"]
    assert newer["ok"] is None
    assert "pip install --upgrade" in newer["fix"]


def test_the_releases_are_those_that_the_plugin_names_and_the_end_to_end_tests_install() -> None:
    plugin = PluginFolder.packaged().path
    package = json.loads((plugin / "package.json").read_text())
    assert package["openclaw"]["install"]["minHostVersion"] == f">={OLDEST}"
    assert f'NEWEST = "{NEWEST}"' in (plugin / "setup_host.py").read_text()


# --- doctor -----------------------------------------------------------------------------------------------------------


def checks(cli: Cli, *options: str) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in cli("hosts", "doctor", "openclaw", "--json", *options).json["checks"]}


def failures(cli: Cli) -> dict[str, dict[str, Any]]:
    return {name: check for name, check in checks(cli).items() if check["ok"] is not True}


ENTRY = "plugins.entries.cortex"
BROKEN: tuple[tuple[str, Any, str, bool | None], ...] = (
    (f"{ENTRY}.hooks.allowConversationAccess", False, "grant", False),
    (f"{ENTRY}.hooks.allowPromptInjection", False, "injection", False),
    ("plugins.slots.memory", "memory-core", "slot", False),
    (f"{ENTRY}.enabled", False, "enabled", False),
    ("plugins.allow", ["telegram", "memory-core"], "allow list", False),
    ("plugins.entries.memory-core.enabled", True, "memory-core", None),
    (f"{ENTRY}.config.command", "/nowhere/cortex", "command", False),
    (f"{ENTRY}.config.home", "/nowhere", "home", None),
)
"""A value, the check that fails by it, and whether it is a failure or a warning."""


def test_the_doctor_names_everything_that_is_wrong_and_fixes_it_after_asking(
    cli: Cli, host: Host, install: Callable[..., Said]
) -> None:
    host.configure("{}")
    host.program()
    host.node("24.16.0")
    install("--silence-memory-core")
    assert set(failures(cli)) == {"server"}
    assert cli("hosts", "doctor", "openclaw").code == 0
    for path, value, _, _ in BROKEN:
        host.configure(json_config.put(host.config.read_text(), path.split("."), value, field=""))
    found = failures(cli)
    assert {name: check["ok"] for name, check in found.items() if name != "server"} == {
        name: ok for _, _, name, ok in BROKEN
    }
    assert all("cortex hosts install openclaw" in found[name]["fix"] for _, _, name, _ in BROKEN)
    broken = host.config.read_text()
    assert cli("hosts", "doctor", "openclaw", "--fix").code == 2, "without a terminal it needs --yes"
    assert host.config.read_text() == broken
    said = cli("hosts", "doctor", "openclaw", "--fix", "--yes", "--json")
    assert set(said.json["fixed"]) == {path for path, _, _, _ in BROKEN}
    assert said.code == 0
    assert set(failures(cli)) == {"server"}


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        ("autoRecall", {"recall"}),
        ("autoCapture", {"capture"}),
        ("autoIngest", {"capture"}),
        ("enabled", {"recall", "capture"}),
    ],
)
def test_the_doctor_names_what_the_operator_switched_off(
    cli: Cli, host: Host, install: Callable[..., Said], setting: str, names: set[str]
) -> None:
    host.configure("{}")
    install()
    path = (*ENTRY.split("."), "config", setting)
    host.configure(json_config.put(host.config.read_text(), path, False, field=""))
    found = {name: check for name, check in failures(cli).items() if name in ("recall", "capture")}
    assert set(found) == names
    for check in found.values():
        assert check["fix"] == f"run `openclaw config set {ENTRY}.config.{setting} true`"


def test_the_doctor_says_which_rules_of_the_operator_stop_the_plugin(
    cli: Cli, host: Host, install: Callable[..., Said]
) -> None:
    host.configure("{}")
    install()
    text = json_config.put(host.config.read_text(), ("plugins", "deny"), ["cortex"], field="")
    host.configure(json_config.put(text, ("plugins", "enabled"), False, field=""))
    found = failures(cli)
    assert "plugins.deny" in found["allow list"]["fix"]
    assert "plugins.enabled true" in found["enabled"]["fix"]


def test_one_session_for_all_senders_is_refused_where_each_has_a_memory(
    cli: Cli, host: Host, monkeypatch: pytest.MonkeyPatch, install: Callable[..., Said]
) -> None:
    host.configure("{}")
    install()
    assert "shared sessions" not in checks(cli)
    wanted = (*ENTRY.split("."), "config", "perSender")
    host.configure(json_config.put(host.config.read_text(), wanted, True, field=""))
    assert "session.dmScope per-channel-peer" in failures(cli)["shared sessions"]["fix"]
    host.configure(json_config.put(host.config.read_text(), wanted, False, field=""))
    monkeypatch.setenv("CORTEX_CHATS__PER_SENDER", "true")
    assert "session.dmScope per-channel-peer" in failures(cli)["shared sessions"]["fix"]
    cli("hosts", "doctor", "openclaw", "--fix", "--yes")
    assert host.content["session"] == {"dmScope": "per-channel-peer"}
    assert "shared sessions" not in checks(cli)


def test_a_node_that_the_host_does_not_run_on_is_named(cli: Cli, host: Host) -> None:
    host.configure("{}")
    host.program()
    assert failures(cli)["node"]["detail"] == "not found on PATH"
    host.node("20.19.0")
    assert "OpenClaw needs >=24.16.0 <25 || >=26.1.0" in failures(cli)["node"]["detail"]
    host.node("26.1.0")
    assert "node" not in failures(cli)


@pytest.mark.parametrize(
    ("version", "ok"), [("24.16.0", True), ("24.15.9", False), ("25.0.0", False), ("26.1.0", True), ("", False)]
)
def test_a_range_of_versions_is_read_as_npm_reads_it(version: str, ok: bool) -> None:
    assert is_within(version, ">=24.16.0 <25 || >=26.1.0") is ok


def test_a_plugin_of_another_contract_is_named_with_the_side_to_upgrade(
    cli: Cli, host: Host, install: Callable[..., Said]
) -> None:
    host.configure("{}")
    install()
    contract = next(path for path in host.plugin.glob("*.js") if f"CONTRACT = {CONTRACT}" in path.read_text())
    text = contract.read_text()
    contract.write_text(text.replace(f"CONTRACT = {CONTRACT}", f"CONTRACT = {CONTRACT + 1}"))
    assert failures(cli)["plugin"]["fix"] == "run `pip install --upgrade memory-cortex`"
    contract.write_text(text.replace(f"CONTRACT = {CONTRACT}", "CONTRACT = 0"))
    assert failures(cli)["plugin"]["fix"] == "run `cortex hosts install openclaw`"


class Listener:
    """Something that answers every request; or nothing, once it is closed."""

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def test_the_server_is_found_and_compared(cli: Cli, host: Host, install: Callable[..., Said]) -> None:
    listener = Listener()
    host.configure(f"{{ gateway: {{ port: {listener.port} }} }}")
    install()
    url = f"http://127.0.0.1:{listener.port}"

    def announce(*, version: str = __version__, contract: int = CONTRACT) -> dict[str, Any]:
        info = ServerInfo(
            url=url, pid=os.getpid(), token="secret", agent="main", user="owner", deadline_ms=1, ingest_timeout_ms=1,
            settings="", version=version, contract=contract,
        )  # fmt: skip
        with Announcement(str(cli.home), info, acquire(str(cli.home))) as announcement:
            announcement.publish()
            return checks(cli)["server"]

    try:
        assert checks(cli)["server"]["detail"] == "not running, though the gateway does"
        assert checks(cli)["server"]["ok"] is False
        assert announce()["ok"] is True
        older = announce(version="0.0.1")
        assert older["ok"] is None
        assert older["fix"] == "run `openclaw gateway restart`"
        assert announce(contract=CONTRACT + 1)["ok"] is False
    finally:
        listener.close()
    assert "does not answer" in announce()["detail"]


def test_a_server_elsewhere_is_asked_where_the_plugin_asks_it(
    cli: Cli, host: Host, install: Callable[..., Said]
) -> None:
    host.configure("{}")
    install()
    listener = Listener()
    path = (*ENTRY.split("."), "config", "baseUrl")
    host.configure(json_config.put(host.config.read_text(), path, f"http://127.0.0.1:{listener.port}/", field=""))
    assert checks(cli)["server"]["ok"] is True
    listener.close()
    assert checks(cli)["server"]["ok"] is False


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_named(cli: Cli, host: Host, install: Callable[..., Said]) -> None:
    host.configure("{}")
    install()
    cli.home.chmod(0o500)
    try:
        assert "is not writable" in failures(cli)["home"]["detail"]
    finally:
        cli.home.chmod(0o700)


def test_a_home_that_is_a_file_is_named_and_nothing_is_installed(cli: Cli, host: Host, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    host.configure(json.dumps({"plugins": {"entries": {"cortex": {"config": {"home": str(taken)}}}}}))
    before = host.config.read_text()
    found = {check["name"]: check for check in cli("hosts", "doctor", "openclaw", "--json", home=taken).json["checks"]}
    assert found["home"]["detail"] == f"{taken} is not a folder"
    assert cli("hosts", "install", "openclaw", "--yes", "--no-import", home=taken).code == 11
    assert host.config.read_text() == before
    assert not host.plugin.exists()


# --- what is there already --------------------------------------------------------------------------------------------


def test_notes_are_counted_first_and_indexed_once(cli: Cli, host: Host) -> None:
    """B2: MEMORY.md and memory/ of each agent's workspace."""
    host.configure("{ agents: { entries: { main: { default: true }, Ada: { workspace: '~/ada' } } } }")
    for workspace, text in ((host.state / "workspace", "tea"), (host.state.parent / "ada", "coffee")):
        (workspace / "memory").mkdir(parents=True)
        (workspace / "MEMORY.md").write_text(f"# Drinks\n\nThe user likes {text}.\n")
        (workspace / "memory" / "2026-11-01.md").write_text("# Day\n\nMet Ann about the harbor project.\n")
    said = cli("hosts", "install", "openclaw", "--dry-run")
    assert f"found 2 notes of agent main in {host.state / 'workspace'}" in said.out
    done = cli("hosts", "install", "openclaw", "--yes", "--json").json
    assert [(each["agent"], each["about"]) for each in done["imported"]] == [
        ("main", "2 notes indexed"), ("Ada", "2 notes indexed"),
    ]  # fmt: skip
    assert cli("admin", "receipts", done["imported"][0]["receipts"][0], "--agent", "main").code == 0
    assert "likes tea" in cli("search", "drinks", "--agent", "main").out
    assert "likes coffee" in cli("search", "drinks", "--agent", "ada").out


def test_the_memories_of_memory_lancedb_need_its_package(cli: Cli, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)  # as if it were not installed
    host.configure("{}")
    (host.state / "memory" / "lancedb" / "memories.lance").mkdir(parents=True)
    said = cli("hosts", "install", "openclaw", "--yes", "--json")
    assert said.json["changed"] is True
    assert "pip install lancedb" in said.json["problems"][0]["hint"]


def test_a_workspace_follows_the_rules_of_the_host(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORK", "/srv")
    text = (
        "{ agents: { defaults: { workspace: '${WORK}/ws' }, entries: { main: {}, b: {}, c: { workspace: '~/c' } } } }"
    )
    host.configure(text)
    found = OpenClaw.find().agents(HostConfig.read(host.config).content)
    assert found == {"main": Path("/srv/ws"), "b": Path("/srv/ws/b"), "c": host.state.parent / "c"}


@pytest.mark.parametrize(("id", "name"), [("main", "main"), ("Ada Löv", "ada-l-v"), ("__x", "x"), ("***", "main")])
def test_an_agent_has_the_name_that_the_plugin_gives_it(id: str, name: str) -> None:
    assert agent_name(id) == name


# --- the file ---------------------------------------------------------------------------------------------------------

PLAIN = st.recursive(
    st.booleans() | st.text("ab ", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    content=st.dictionaries(st.text("abc", min_size=1, max_size=2), PLAIN, max_size=4),
    indent=st.sampled_from([None, 2]),
    value=PLAIN,
    trailing=st.booleans(),
)
def test_what_was_put_can_be_removed_again(
    content: dict[str, Any], indent: int | None, value: Any, trailing: bool
) -> None:
    text = json.dumps(content, indent=indent)
    if trailing and content:
        text = text[:-1].rstrip() + ",}"
    put = json_config.put(text, ("new", "inner"), value, field="")
    assert json_config.read(json_config.remove(put, ("new",), field=""), field="").plain == content
    for key in content:
        without = {name: inner for name, inner in content.items() if name != key}
        assert json_config.read(json_config.remove(text, (key,), field=""), field="").plain == without
    appended = json_config.append(text, ("list",), "x", field="")
    more = json_config.append(appended, ("list",), "y", field="")
    assert json_config.read(more, field="").plain["list"] == ["x", "y"]
    assert json_config.read(json_config.remove_item(more, ("list",), "x", field=""), field="").plain["list"] == ["y"]
