"""Writes what the plugin repeats of the engine: `tools.json` and the manifest. `--check` reports stale files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cortex._version import __version__
from cortex.settings import Settings
from cortex.surfaces.mcp.tools import CANONICAL, offered

HERE = Path(__file__).parent

SETTINGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "baseUrl": ({"type": "string"}, "Server", "Where a Cortex server listens. Empty: find or start one."),
    "token": ({"type": "string"}, "Token", "A token with the right `host`, for the server above."),
    "home": ({"type": "string"}, "Home", "Where memory is kept ($CORTEX_HOME, or ~/.cortex)."),
    "command": ({"type": "string", "default": "cortex"}, "Command", "The cortex program."),
    "autoRecall": ({"type": "boolean", "default": True}, "Recall", "Put what is remembered before the model."),
    "autoCapture": ({"type": "boolean", "default": True}, "Capture", "Store what was said after each turn."),
    "recallTimeoutMs": (
        {"type": "integer", "minimum": 1, "maximum": 10000, "default": 200},
        "Deadline of recall",
        "How many milliseconds a turn waits for its memories.",
    ),
    "inject": (
        {"type": "string", "enum": ["append", "prepend", "system"], "default": "append"},
        "Place of memories",
        "After the user's message, before it, or in the system prompt. After it, prompt caches stay valid.",
    ),
}


def tools() -> list[dict[str, Any]]:
    most = Settings().limits.max_text_bytes
    return [
        {
            "name": tool.name,
            "title": tool.tool.title,
            "description": tool.listed(most).description,
            "owner_only": tool.tool.owner_only,
            "input_schema": tool.schema(most),
        }
        for tool in offered(CANONICAL).values()
    ]


def manifest() -> dict[str, Any]:
    return {
        "id": "cortex",
        "name": "Cortex",
        "description": "Long-term memory: recalls before each turn, remembers after it.",
        "version": __version__,
        "kind": "memory",
        "categories": ["memory"],
        "activation": {"onStartup": True},
        "contracts": {"tools": [tool["name"] for tool in tools()]},
        "uiHints": {
            name: {"label": label, "help": about, **({"sensitive": True} if name == "token" else {})}
            for name, (_, label, about) in SETTINGS.items()
        },
        "configSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: schema for name, (schema, _, _) in SETTINGS.items()},
        },
    }


def files() -> dict[Path, str]:
    return {
        HERE / "tools.json": json.dumps(tools(), indent=2, ensure_ascii=False) + "\n",
        HERE / "openclaw.plugin.json": json.dumps(manifest(), indent=2, ensure_ascii=False) + "\n",
    }


def main() -> int:
    stale = [path for path, content in files().items() if not path.exists() or path.read_text("utf-8") != content]
    if "--check" in sys.argv:
        print("\n".join(f"{path.name} is stale" for path in stale) or "current")
        return bool(stale)
    for path, content in files().items():
        path.write_text(content, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
