"""Settings as hosts and the original plugins spell them, and what they are called here (C14, B22, L6).

`[memoryCortex]`, `[memorySearch]` and `[memory-lancedb]` are read as they stand, from our own file or from a host's.
Only what is given counts: the default of a key that is left out is ours. Milliseconds stay milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cortex.errors import InvalidRequest

SECTIONS = ("memoryCortex", "memorySearch", "memory-lancedb")
"""The sections that our own file may have."""

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NoEffect:
    """A key that is known and changes nothing here."""

    because: str


@dataclass(frozen=True, slots=True)
class Renamed:
    """A key with a setting of ours for it."""

    name: str
    convert: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True, slots=True)
class GivenSetting:
    """A setting of ours, with the key it comes from."""

    name: str
    value: Any
    origin: str
    implied: bool = False
    """Whether it only follows from another key, and gives way to whatever is said elsewhere."""


@dataclass(slots=True)
class HostSettings:
    """What a host's settings mean here."""

    settings: dict[str, GivenSetting] = field(default_factory=dict)
    no_effect: list[tuple[str, str]] = field(default_factory=list)
    """Keys that change nothing, each with the reason."""

    def add(self, given: GivenSetting) -> None:
        """Add a setting; one that was given elsewhere with another value is refused."""
        known = self.settings.get(given.name)
        if known is None or (known.implied and not given.implied):
            self.settings[given.name] = given
        elif not given.implied and not is_same(known.value, given.value):
            # Without the values: one of them may be a key.
            raise differing(known.origin, given.origin)

    def nested(self) -> dict[str, Any]:
        """The settings as our own file would have them."""
        tree: dict[str, Any] = {}
        for name, given in self.settings.items():
            *path, last = name.split(".")
            at = tree
            for key in path:
                at = at.setdefault(key, {})
            at[last] = given.value
        return tree

    @property
    def origins(self) -> dict[str, str]:
        return {name: given.origin for name, given in self.settings.items()}


def differing(one: str, other: str) -> InvalidRequest:
    return InvalidRequest(f"differs from {one}", field=other, hint="keep one of the two")


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same; a list and a tuple may be."""
    plain = [list(each) if isinstance(each, list | tuple) else each for each in (one, other)]
    return bool(plain[0] == plain[1])


# --- what each key is called here ------------------------------------------------------------------------------------


def _address(host: str) -> str:
    # By name it may be an address of the other family, where nobody looks.
    return "127.0.0.1" if host == "localhost" else host


def _paths(given: Any) -> Any:
    """The paths of a list; newer hosts also take objects with a pattern."""
    if not isinstance(given, list | tuple):
        return given
    return [each.get("path") if isinstance(each, Mapping) else each for each in given]


def _bytes(given: Any) -> Any:
    """A size such as `2mb` in bytes."""
    units = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?b?)", str(given).strip().lower())
    return int(float(found[1]) * units[found[2]]) if found and found[2] in units else given


def _provider(given: Any) -> Any:
    return "openai" if given == "openai-compatible" else given


_KEPT_HERE = NoEffect("Cortex keeps its own index under its home")
_IN_PROCESS = NoEffect("vectors are compared in the process: no extension is needed")
_NOT_HERE = NoEffect("Cortex has no such option")

MEMORY_CORTEX: Mapping[str, Renamed | NoEffect] = {
    "enabled": Renamed("hooks"),
    "autoIngest": Renamed("hooks.auto_ingest"),
    "autoRecall": Renamed("hooks.auto_recall"),
    "middlewareHost": Renamed("serve.host", _address),
    "middlewarePort": Renamed("serve.port"),
    "recallTimeoutMs": Renamed("hooks.deadline_ms"),
    "recallMaxTokens": Renamed("hooks.max_tokens"),
    "recallMaxFacts": Renamed("hooks.max_facts"),
    "synthesisCacheTtlMs": Renamed("hooks.synthesis_ttl_ms"),
    "skipHeartbeat": Renamed("hooks.skip_heartbeat"),
    "embedHost": Renamed("embedding.options.base_url"),
    "embedPort": Renamed("embedding.options.base_url"),
    "llmHost": Renamed("llm.options.base_url"),
    "llmPort": Renamed("llm.options.base_url"),
    "hwMonitorHost": Renamed("hardware.url"),
    "hwMonitorPort": Renamed("hardware.url"),
    "hwMonitorEnabled": Renamed("hardware.enabled"),
}

_SERVERS = {
    "embed": (
        "localhost",
        8105,
        "/v1",
        {"embedding.provider": "openai", "embedding.options.model": "nomic-embed-text"},
    ),
    "llm": ("172.17.96.1", 8301, "/v1", {"llm.provider": "openai", "llm.options.model": "qwen3-8b"}),
    "hwMonitor": ("172.17.96.1", 8085, "/data.json", {}),
}
"""The servers of the original middleware: default host and port, path, and what follows from naming one."""

_HYBRID: Mapping[str, Renamed | NoEffect] = {
    "enabled": Renamed("files.hybrid"),
    "vectorWeight": Renamed("files.vector_weight"),
    "textWeight": Renamed("files.text_weight"),
    "candidateMultiplier": Renamed("files.candidate_multiplier"),
}
_RANKING: Mapping[str, Renamed | NoEffect] = {
    "mmr.enabled": Renamed("files.mmr"),
    "mmr.lambda": Renamed("files.mmr_lambda"),
    "temporalDecay.enabled": Renamed("files.temporal_decay"),
    "temporalDecay.halfLifeDays": Renamed("files.half_life_days"),
}

MEMORY_SEARCH: Mapping[str, Renamed | NoEffect] = {
    "enabled": Renamed("files.enabled"),
    "provider": Renamed("embedding.provider", _provider),
    "model": Renamed("embedding.options.model"),
    "fallback": NoEffect("keywords answer when the embedder does not"),
    "sources": Renamed("files.sources"),
    "experimental.sessionMemory": Renamed("files.sources"),
    "extraPaths": Renamed("files.extra_paths", _paths),
    "chunking.tokens": Renamed("files.chunk_tokens"),
    "chunking.overlap": Renamed("files.chunk_overlap"),
    "query.maxResults": Renamed("files.max_results"),
    "query.minScore": Renamed("files.min_score"),
    **{f"{prefix}hybrid.{key}": to for prefix in ("", "query.") for key, to in _HYBRID.items()},
    **{f"{prefix}{key}": to for prefix in ("", "hybrid.", "query.", "query.hybrid.") for key, to in _RANKING.items()},
    "cache.enabled": Renamed("embedding.cache_entries"),
    "cache.maxEntries": Renamed("embedding.cache_entries"),
    "sync.watch": Renamed("files.sync.watch"),
    "sync.watchDebounceMs": Renamed("files.sync.watch_debounce_ms"),
    "sync.onSessionStart": Renamed("files.sync.on_session_start"),
    "sync.onSearch": Renamed("files.sync.on_search"),
    "sync.intervalMinutes": Renamed("files.sync.interval_minutes"),
    "sync.sessions.deltaBytes": Renamed("files.sync.transcript_bytes"),
    "sync.sessions.deltaMessages": Renamed("files.sync.transcript_messages"),
    "remote.baseUrl": Renamed("embedding.options.base_url"),
    "remote.apiKey": Renamed("embedding.options.api_key"),
    "remote.headers": Renamed("embedding.options.headers"),
    "remote.batch.enabled": Renamed("embedding.options.batch.enabled"),
    "remote.batch.wait": _NOT_HERE,
    "remote.batch.concurrency": _NOT_HERE,
    "remote.batch.pollIntervalMs": _NOT_HERE,
    "remote.batch.timeoutMinutes": _NOT_HERE,
    "outputDimensionality": Renamed("embedding.options.dimensions"),
    "citations": Renamed("files.citations"),
    "store.driver": _KEPT_HERE,
    "store.path": _KEPT_HERE,
    "store.vector.enabled": _IN_PROCESS,
    "store.vector.extensionPath": _IN_PROCESS,
    "store.fts.tokenizer": NoEffect("Cortex splits every script into words"),
    "local.modelPath": NoEffect("add a model of your own with `cortex models add`"),
    "local.modelCacheDir": NoEffect("models are kept in the cache of the user"),
    "inputType": _NOT_HERE,
    "queryInputType": _NOT_HERE,
    "documentInputType": _NOT_HERE,
    "rememberAcrossConversations": NoEffect("recall always covers earlier conversations"),
    "multimodal.enabled": _NOT_HERE,
    "multimodal.modalities": _NOT_HERE,
    "multimodal.maxFileBytes": _NOT_HERE,
}

MEMORY_LANCEDB: Mapping[str, Renamed | NoEffect] = {
    "autoCapture": Renamed("hooks.auto_ingest"),
    "autoRecall": Renamed("hooks.auto_recall"),
    "captureMaxChars": Renamed("capture.max_chars"),
    "dbPath": NoEffect("Cortex keeps its memory under its home; import the table to take it over"),
    "embedding.provider": Renamed("embedding.provider", _provider),
    "embedding.model": Renamed("embedding.options.model"),
    "embedding.apiKey": Renamed("embedding.options.api_key"),
    "embedding.baseUrl": Renamed("embedding.options.base_url"),
    "embedding.dimensions": Renamed("embedding.options.dimensions"),
    "recallMaxChars": _NOT_HERE,
    "customTriggers": _NOT_HERE,
    "storageOptions": _KEPT_HERE,
}

_MEMORY: Mapping[str, Renamed | NoEffect] = {
    "citations": Renamed("files.citations"),
    "backend": Renamed("files.backend"),
    "qmd.command": Renamed("files.qmd.command"),
    "qmd.searchMode": Renamed("files.qmd.mode"),
    "qmd.limits.maxResults": Renamed("files.qmd.max_results"),
    "qmd.limits.maxSnippetChars": Renamed("files.qmd.max_snippet_chars"),
    "qmd.limits.maxInjectedChars": Renamed("files.qmd.max_injected_chars"),
    "qmd.limits.timeoutMs": Renamed("files.qmd.timeout_ms"),
}

_MEMORY_FLUSH: Mapping[str, Renamed | NoEffect] = {
    "enabled": Renamed("flush.enabled"),
    "softThresholdTokens": Renamed("flush.soft_threshold_tokens"),
    "forceFlushTranscriptBytes": Renamed("flush.force_transcript_bytes", _bytes),
    "prompt": Renamed("flush.prompt"),
    "systemPrompt": Renamed("flush.system_prompt"),
    "model": Renamed("flush.model"),
}

_VENDORS = (("text-embedding-", "openai"), ("gemini-", "gemini"), ("voyage-", "voyage"))
"""Whose a model is, by how its name begins."""


# --- reading ---------------------------------------------------------------------------------------------------------


def in_sections(given: Table) -> HostSettings:
    """The settings of the sections that our own file may have."""
    found = HostSettings()
    for section in SECTIONS:
        if section in given:
            _read(found, section, given[section], section)
    return found


def in_openclaw(config: Table) -> HostSettings:
    """The settings in the configuration of OpenClaw, at their older and newer places."""
    found = HostSettings()
    for place, section in (
        (("memoryCortex",), "memoryCortex"),
        (("agents", "defaults", "memorySearch"), "memorySearch"),
        (("memory", "search"), "memorySearch"),
        (("plugins", "entries", "memory-lancedb", "config"), "memory-lancedb"),
        (("memory",), "memory"),
        (("agents", "defaults", "compaction", "memoryFlush"), "memoryFlush"),
    ):
        if (table := _at(config, place)) is not None:
            table = {key: value for key, value in table.items() if (place, key) != (("memory",), "search")}
            _read(found, section, table, ".".join(place))
    found.no_effect += [(place, "settings apply to all agents") for place in _of_single_agents(config)]
    return found


def _at(config: Any, place: tuple[str, ...]) -> Any:
    for key in place:
        config = config.get(key) if isinstance(config, Mapping) else None
    return config


def _of_single_agents(config: Table) -> Iterator[str]:
    listed, entries = _at(config, ("agents", "list")), _at(config, ("agents", "entries"))
    for number, agent in enumerate(listed if isinstance(listed, list) else ()):
        if _at(agent, ("memorySearch",)):
            yield f"agents.list.{number}.memorySearch"
    for name, agent in entries.items() if isinstance(entries, Mapping) else ():
        if _at(agent, ("memory", "search")):
            yield f"agents.entries.{name}.memory.search"


_TABLES: Mapping[str, Mapping[str, Renamed | NoEffect]] = {
    "memoryCortex": MEMORY_CORTEX,
    "memorySearch": MEMORY_SEARCH,
    "memory-lancedb": MEMORY_LANCEDB,
    "memory": _MEMORY,
    "memoryFlush": _MEMORY_FLUSH,
}


def _read(found: HostSettings, section: str, given: Any, origin: str) -> None:
    if not isinstance(given, Mapping):
        raise InvalidRequest(
            "is a section, not a setting", field=origin, hint=f"give what belongs to it under [{origin}]"
        )
    known = _TABLES[section]
    flat = dict(_flat(given, known, origin))
    combine = _COMBINED.get(section)
    rest = combine(found, flat, origin) if combine is not None else flat
    for key, value in rest.items():
        to = known[key]
        if isinstance(to, NoEffect):
            found.no_effect.append((f"{origin}.{key}", to.because))
        else:
            found.add(GivenSetting(to.name, to.convert(value), f"{origin}.{key}"))


def _flat(given: Table, known: Mapping[str, Any], origin: str, path: str = "") -> Iterator[tuple[str, Any]]:
    """The keys with dots; a key that nobody knows is refused."""
    for key, value in given.items():
        name = f"{path}{key}"
        if name in known:
            yield name, value
        elif isinstance(value, Mapping) and any(each.startswith(f"{name}.") for each in known):
            yield from _flat(value, known, origin, f"{name}.")
        else:
            raise _unknown(str(key), path, known, origin)


def _unknown(key: str, path: str, known: Mapping[str, Any], origin: str) -> InvalidRequest:
    from difflib import get_close_matches

    here = list(dict.fromkeys(each.removeprefix(path).partition(".")[0] for each in known if each.startswith(path)))
    near = get_close_matches(key, here, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(here)}"
    return InvalidRequest("is not a setting", field=f"{origin}.{path}{key}", hint=hint)


# --- keys that belong together ---------------------------------------------------------------------------------------


def _cortex(found: HostSettings, flat: dict[str, Any], origin: str) -> dict[str, Any]:
    """`enabled` switches both hooks; a host and a port are one address."""
    rest = dict(flat)
    is_on = _flag(rest, "enabled", origin)
    for key in ("autoIngest", "autoRecall"):
        if is_on is False:
            to = MEMORY_CORTEX[key]
            assert isinstance(to, Renamed)
            found.add(GivenSetting(to.name, False, f"{origin}.enabled"))
            rest.pop(key, None)
    for name, (host, port, path, follows) in _SERVERS.items():
        keys = [key for key in (f"{name}Host", f"{name}Port") if key in rest]
        if not keys:
            continue
        to = MEMORY_CORTEX[keys[0]]
        assert isinstance(to, Renamed)
        url = f"http://{rest.pop(f'{name}Host', host)}:{rest.pop(f'{name}Port', port)}{path}"
        found.add(GivenSetting(to.name, url, f"{origin}.{keys[0]}"))
        for each, value in follows.items():
            found.add(GivenSetting(each, value, f"{origin}.{keys[0]}", implied=True))
    return rest


def _search(found: HostSettings, flat: dict[str, Any], origin: str) -> dict[str, Any]:
    """A cache that is off has no entries, session memory is a source, and a model names its provider."""
    rest = dict(flat)
    if _flag(rest, "cache.enabled", origin) is False:
        rest.pop("cache.maxEntries", None)
        found.add(GivenSetting("embedding.cache_entries", 0, f"{origin}.cache.enabled"))
    if (sessions := _flag(rest, "experimental.sessionMemory", origin)) is not None:
        sources = ["memory", "sessions"] if sessions else ["memory"]
        found.add(GivenSetting("files.sources", sources, f"{origin}.experimental.sessionMemory", implied=True))
    if rest.get("remote.batch.enabled") is False:  # as it is without it, also for providers that have no batches
        del rest["remote.batch.enabled"]
    _imply_provider(found, rest, origin, "provider", "model", ("remote.baseUrl", "remote.apiKey"))
    if rest.get("provider") == "auto":
        # For `auto` every provider has options of its own.
        for key in [key for key, to in MEMORY_SEARCH.items() if key in rest and _is_option(to)]:
            vendor = _vendor_of(rest.get("model") or flat.get("model")) or "openai"
            to = MEMORY_SEARCH[key]
            assert isinstance(to, Renamed)
            name = to.name.replace("embedding.options.", f"embedding.options.{vendor}.")
            found.add(GivenSetting(name, rest.pop(key), f"{origin}.{key}"))
    return rest


def _flag(given: dict[str, Any], key: str, origin: str) -> bool | None:
    """Take a switch out of `given`; None if it is not there."""
    value = given.pop(key, None)
    if value is not None and not isinstance(value, bool):
        raise InvalidRequest(f"{value!r} is not true or false", field=f"{origin}.{key}", hint="give one of them")
    return value


def _lancedb(found: HostSettings, flat: dict[str, Any], origin: str) -> dict[str, Any]:
    """The embeddings of the plugin are OpenAI's unless it says otherwise."""
    keys = ("embedding.apiKey", "embedding.baseUrl", "embedding.dimensions")
    _imply_provider(found, flat, origin, "embedding.provider", "embedding.model", keys)
    return flat


def _imply_provider(
    found: HostSettings, flat: Table, origin: str, provider: str, model: str, keys: tuple[str, ...]
) -> None:
    if provider in flat:
        return
    vendor = _vendor_of(flat.get(model)) or ("openai" if any(key in flat for key in keys) else None)
    if vendor is not None:
        key = model if model in flat else next(key for key in keys if key in flat)
        found.add(GivenSetting("embedding.provider", vendor, f"{origin}.{key}", implied=True))


def _vendor_of(model: Any) -> str | None:
    return next((name for start, name in _VENDORS if isinstance(model, str) and model.startswith(start)), None)


def _is_option(to: Renamed | NoEffect) -> bool:
    return isinstance(to, Renamed) and to.name.startswith("embedding.options.")


_COMBINED: Mapping[str, Callable[[HostSettings, dict[str, Any], str], dict[str, Any]]] = {
    "memoryCortex": _cortex,
    "memorySearch": _search,
    "memory-lancedb": _lancedb,
}
