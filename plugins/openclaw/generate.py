"""Writes what the plugin repeats of the engine: tools, settings, flush plan, manifest, and the table in the docs.

`--check` reports stale files.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from cortex import settings
from cortex._version import __version__
from cortex.surfaces.mcp.tools import CANONICAL, offered
from cortex.workspace import flush

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs" / "openclaw.md"
BEGIN, END = "<!-- settings:begin -->", "<!-- settings:end -->"

ANY_TYPE = ("string", "integer", "number", "boolean", "array", "object", "null")
"""The host refuses its whole configuration for one wrong value, so the schema allows any. The plugin warns instead."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A setting of the plugin, under `plugins.entries.cortex.config`."""

    name: str
    type: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    engine: str = ""
    """The engine's setting it stands for, which the plugin passes to the server it starts."""
    option: str = ""
    """The key in the engine's setting, if that is a table."""
    sensitive: bool = False
    advanced: bool = False

    def to_json(self) -> dict[str, Any]:
        """What the plugin needs to read the setting."""
        variable = f"CORTEX_{self.engine.upper().replace('.', '__')}" if self.engine else None
        known = {
            "name": self.name, "type": self.type, "default": self.default, "choices": list(self.choices),
            "variable": variable, "option": self.option,
        }  # fmt: skip
        return {key: value for key, value in known.items() if value not in (None, "", []) or key == "default"}

    @property
    def hint(self) -> dict[str, Any]:
        flags = {"sensitive": self.sensitive, "advanced": self.advanced}
        return {"label": _label(self.name), "help": self.help, **{name: True for name, on in flags.items() if on}}

    @property
    def schema(self) -> dict[str, Any]:
        """The type for forms comes first. The host fills in defaults, so a setting of the engine has none here."""
        default = {} if self.default is None or self.engine else {"default": self.default}
        return {"type": [self.type, *(each for each in ANY_TYPE if each != self.type)], **default}


def _label(name: str) -> str:
    words = "".join(f" {each.lower()}" if each.isupper() else each for each in name.replace(".", ": "))
    return words[:1].upper() + words[1:]


OWN = (
    Setting(name="enabled", type="boolean", default=True, help="Recall and capture. If false, only the tools work."),
    Setting(name="baseUrl", type="string", help="Where a Cortex server listens. Empty: find or start one."),
    Setting(name="token", type="string", help="A token with the right `host`, for that server.", sensitive=True),
    Setting(name="middlewareHost", type="string", help="The host of that server, instead of `baseUrl`.", advanced=True),
    Setting(name="middlewarePort", type="integer", help="The port of that server (8300).", advanced=True),
    Setting(name="home", type="string", help="Where memory is kept: `$CORTEX_HOME` or `~/.cortex`."),
    Setting(name="dbPath", type="string", help="The same as `home`.", advanced=True),
    Setting(name="command", type="string", default="cortex", help="The cortex program."),
    Setting(name="autoRecall", type="boolean", default=True, help="Put memories before the model."),
    Setting(name="autoCapture", type="boolean", default=True, help="Store what was said."),
    Setting(name="autoIngest", type="boolean", help="The same as `autoCapture`.", advanced=True),
    Setting(
        name="inject", type="string", default="append", choices=("append", "prepend", "system"),
        help="Where memories are put: `append` or `prepend` to the user's message, or `system`. After the user's "
        "message, prompt caches stay valid.",
    ),
)  # fmt: skip

_ENGINE = (
    ("recallTimeoutMs", "hooks.deadline_ms", {}),
    ("recallMaxTokens", "hooks.max_tokens", {}),
    ("recallMaxFacts", "hooks.max_facts", {}),
    ("synthesisCacheTtlMs", "hooks.synthesis_ttl_ms", {}),
    ("skipHeartbeat", "hooks.skip_heartbeat", {}),
    ("captureMaxChars", "capture.max_chars", {}),
    ("perSender", "chats.per_sender", {}),
    ("personalInGroups", "chats.personal_in_groups", {}),
    ("receipts.enabled", "receipts.enabled", {}),
    ("receipts.verbosity", "receipts.verbosity", {}),
    ("receipts.maxItems", "receipts.max_items", {}),
    ("embedding.provider", "embedding.provider", {}),
    ("embedding.maxChars", "embedding.max_chars", {}),
    ("embedding.headChars", "embedding.head_chars", {}),
    ("embedding.maxBytes", "embedding.max_bytes", {"type": "integer"}),
    ("hwMonitorEnabled", "hardware.enabled", {}),
    ("memorySearch.chunking.tokens", "files.chunk_tokens", {}),
    ("memorySearch.chunking.overlap", "files.chunk_overlap", {}),
    ("memorySearch.query.maxResults", "files.max_results", {}),
    ("memorySearch.query.minScore", "files.min_score", {}),
    ("memorySearch.query.hybrid.enabled", "files.hybrid", {}),
    ("memorySearch.query.hybrid.vectorWeight", "files.vector_weight", {}),
    ("memorySearch.query.hybrid.textWeight", "files.text_weight", {}),
    ("memorySearch.query.hybrid.candidateMultiplier", "files.candidate_multiplier", {}),
    ("memorySearch.mmr.enabled", "files.mmr", {}),
    ("memorySearch.mmr.lambda", "files.mmr_lambda", {}),
    ("memorySearch.temporalDecay.enabled", "files.temporal_decay", {}),
    ("memorySearch.temporalDecay.halfLifeDays", "files.half_life_days", {}),
    ("memorySearch.extraPaths", "files.extra_paths", {}),
    ("memorySearch.sync.watch", "files.sync.watch", {}),
    ("memorySearch.sync.watchDebounceMs", "files.sync.watch_debounce_ms", {}),
    ("memorySearch.sync.onSessionStart", "files.sync.on_session_start", {}),
    ("memorySearch.sync.onSearch", "files.sync.on_search", {}),
)

_SERVERS = (
    ("embed", "an embedding server that speaks OpenAI's protocol"),
    ("llm", "a language model's server that speaks OpenAI's protocol"),
    ("hwMonitor", "the hardware monitor"),
)

_EMBEDDING_OPTIONS = (
    ("model", "model", "string", "The embedding model; the provider's own by default."),
    ("apiKey", "api_key", "string", "The provider's key; `${NAME}` stands for a variable of the environment."),
    ("baseUrl", "base_url", "string", "Where the provider listens."),
    ("dimensions", "dimensions", "integer", "The dimensions of a model that the provider does not list."),
)


def _plugin_settings() -> tuple[Setting, ...]:
    known = {name: (default, meaning) for name, _, default, meaning in settings.describe()}

    def of_engine(name: str, engine: str, more: dict[str, Any]) -> Setting:
        default, meaning = known[engine]
        default = list(default) if isinstance(default, tuple) else default
        return Setting(
            name=name, type=more.get("type") or _type(default), help=meaning, default=default, engine=engine,
            advanced="." in name,
        )  # fmt: skip

    options = [
        Setting(
            name=f"embedding.{name}",
            type=kind,
            help=about,
            engine="embedding.options",
            option=option,
            sensitive=name == "apiKey",
            advanced=True,
        )
        for name, option, kind, about in _EMBEDDING_OPTIONS
    ]
    servers = [
        Setting(name=name, type=kind, help=about, engine="memoryCortex", option=name, advanced=True)
        for server, what in _SERVERS
        for name, kind, about in (
            (f"{server}Host", "string", f"The host of {what}."),
            (f"{server}Port", "integer", f"The port of {what}."),
        )
    ]
    return (*OWN, *(of_engine(*each) for each in _ENGINE), *options, *servers)


def _type(default: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds[type(default)]


def config_schema() -> dict[str, Any]:
    root: dict[str, Any] = {"type": "object", "additionalProperties": True, "properties": {}}
    for setting in _plugin_settings():
        *path, last = setting.name.split(".")
        at = root
        for part in path:
            section = {"type": ["object", *ANY_TYPE[:-2], "null"], "properties": {}}
            at = at["properties"].setdefault(part, section)
        at["properties"][last] = setting.schema
    return root


def tools() -> list[dict[str, Any]]:
    most = settings.Settings().limits.max_text_bytes
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


def flush_plan() -> dict[str, Any] | None:
    """The default plan, for as long as no server has answered."""
    state = flush.FlushSession(context_window=1, tokens_used=0)
    return flush.plan(state, today=date(2026, 1, 1)).template()


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
        "cliCommands": [
            {"name": "cortex", "description": "Run the cortex program on this memory", "hasSubcommands": True},
            {"name": "ltm", "description": "List, search, export and import memories", "hasSubcommands": True},
        ],
        "uiHints": {setting.name: setting.hint for setting in _plugin_settings()},
        "configSchema": config_schema(),
    }


def table() -> str:
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for setting in _plugin_settings():
        default = "" if setting.default is None or setting.default in ("", []) else f"`{json.dumps(setting.default)}`"
        rows.append(f"| `{setting.name}` | {default} | {setting.help} |")
    return "\n".join(rows)


def files() -> dict[Path, str]:
    docs = DOCS.read_text("utf-8")
    before, _, rest = docs.partition(BEGIN)
    _, _, after = rest.partition(END)
    written = {
        "tools.json": tools(),
        "settings.json": [setting.to_json() for setting in _plugin_settings()],
        "flush-plan.json": flush_plan(),
        "openclaw.plugin.json": manifest(),
    }
    return {
        **{HERE / name: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for name, value in written.items()},
        DOCS: f"{before}{BEGIN}\n{table()}\n{END}{after}",
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
