"""The files of OpenClaw's plugin say what the engine says (E1, E2)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PLUGIN = Path(__file__).parents[2] / "plugins" / "openclaw"


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


def test_the_host_starts_with_no_setting_at_all() -> None:
    schema = json.loads((PLUGIN / "openclaw.plugin.json").read_text())["configSchema"]
    assert "required" not in schema
    assert schema["additionalProperties"] is False
