"""OpenClaw's plugin without OpenClaw: its generated files, and its modules under Node (E1, E2, B20, C14, L6)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from setup_agents import PROGRAMS, RELEASES
from setup_host import installed

HERE = Path(__file__).parent
PLUGIN = HERE.parents[1] / "plugins" / "openclaw"
HOST = os.environ.get("CORTEX_OPENCLAW")
OLDEST_NODE = 20


def node() -> str:
    """The host's Node, or one on the PATH that is new enough."""
    found = str(Path(HOST) / "bin" / "node") if HOST else shutil.which("node")
    if found is None:
        pytest.skip("needs Node")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"needs Node {OLDEST_NODE} or newer")
    return found


def run_node_tests(name: str) -> None:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CORTEX_EMBEDDING__PROVIDER": "none",
    }
    environment.pop("CORTEX_HOME", None)
    done = subprocess.run(
        [node(), "--test", HERE / name], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_the_modules_of_the_plugin_do_what_their_tests_say() -> None:
    run_node_tests("plugin.test.mjs")


@pytest.mark.slow
def test_the_plugin_finds_starts_and_shares_the_real_server() -> None:
    run_node_tests("plugin_server.test.mjs")


@pytest.mark.slow
@pytest.mark.skipif(not HOST, reason="needs OpenClaw: run `make e2e-openclaw`")
def test_the_plugin_has_the_types_of_the_host() -> None:
    done = subprocess.run(
        [sys.executable, PLUGIN / "check_release.py", "--host", str(HOST)],
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_manifest_and_the_tools_are_current() -> None:
    done = subprocess.run(
        [sys.executable, PLUGIN / "generate.py", "--check"], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("current", 0), done.stderr


def test_the_plugin_claims_the_memory_slot_and_declares_every_tool() -> None:
    manifest = json.loads((PLUGIN / "openclaw.plugin.json").read_text())
    tools = json.loads((PLUGIN / "tools.json").read_text())
    assert manifest["kind"] == "memory"
    assert manifest["contracts"]["tools"] == [tool["name"] for tool in tools]


def test_no_value_in_the_configuration_keeps_the_host_from_starting() -> None:
    def accepts_anything(schema: dict[str, object]) -> bool:
        properties = schema.get("properties", {})
        assert isinstance(properties, dict)
        is_open = "required" not in schema and schema.get("additionalProperties", True) is True and "enum" not in schema
        return is_open and all(accepts_anything(each) and len(each["type"]) >= 7 for each in properties.values())

    assert accepts_anything(json.loads((PLUGIN / "openclaw.plugin.json").read_text())["configSchema"])


def test_another_release_than_the_one_that_is_asked_for_counts_as_another(tmp_path: Path) -> None:
    """The end-to-end tests run against the release they name, whatever an earlier run has left."""
    for release, program in zip(("openclaw@2026.9.5", *RELEASES), ("openclaw", *PROGRAMS), strict=True):
        package, _, version = release.rpartition("@")
        assert installed(tmp_path, package, program) is None
        folder = tmp_path / "app" / "node_modules" / package
        folder.mkdir(parents=True)
        (folder / "package.json").write_text(json.dumps({"version": version}))
        assert installed(tmp_path, package, program) is None, "its program is linked last"
        link = tmp_path / "app" / "node_modules" / ".bin" / program
        link.parent.mkdir(exist_ok=True)
        link.touch()
        assert installed(tmp_path, package, program) == version
