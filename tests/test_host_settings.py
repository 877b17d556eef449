"""Settings as hosts and the original plugins spell them, read as they stand (C14, B22, L6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cortex import host_settings
from cortex.errors import InvalidRequest
from cortex.host_settings import MEMORY_CORTEX, MEMORY_LANCEDB, MEMORY_SEARCH, in_openclaw
from cortex.settings import Settings, describe, load

pytestmark = pytest.mark.usefixtures("no_variables")

OURS = {name for name, *_ in describe()}

THE_DOCUMENTED_CORTEX = """
[memoryCortex]
enabled = true
middlewareHost = "localhost"
middlewarePort = 8300
autoIngest = true
autoRecall = true
recallTimeoutMs = 200
recallMaxTokens = 500
recallMaxFacts = 15
synthesisCacheTtlMs = 300000
skipHeartbeat = true
embedHost = "localhost"
embedPort = 8105
llmHost = "172.17.96.1"
llmPort = 8301
hwMonitorHost = "172.17.96.1"
hwMonitorPort = 8085
hwMonitorEnabled = true
"""

THE_DOCUMENTED_SEARCH: dict[str, Any] = {
    "provider": "auto", "fallback": "none", "sources": ["memory"],
    "chunking": {"tokens": 400, "overlap": 80},
    "query": {"maxResults": 6, "minScore": 0.35},
    "hybrid": {"enabled": True, "vectorWeight": 0.7, "textWeight": 0.3, "candidateMultiplier": 4},
    "mmr": {"enabled": False, "lambda": 0.7},
    "temporalDecay": {"enabled": False, "halfLifeDays": 30},
    "cache": {"enabled": True},
    "sync": {"watch": True, "watchDebounceMs": 1500, "onSessionStart": True, "onSearch": True},
    "store": {"vector": {"enabled": True}},
}  # fmt: skip


def written(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    (home / "cortex.toml").write_text(text, encoding="utf-8")
    return home


def refused(home: Path, text: str = "", **overrides: Any) -> InvalidRequest:
    with pytest.raises(InvalidRequest) as error:
        load(written(home, text), overrides)
    return error.value


def test_every_key_names_a_setting_that_exists() -> None:
    """C14, B22, L6"""
    for table in (MEMORY_CORTEX, MEMORY_SEARCH, MEMORY_LANCEDB):
        for key, to in table.items():
            if isinstance(to, host_settings.Renamed) and key != "enabled":
                section = next((each for each in OURS if to.name == each or to.name.startswith(f"{each}.")), None)
                assert section is not None, key


def test_c14_the_documented_section_is_read_as_it_stands(tmp_path: Path) -> None:
    """C14: every key of the document, and milliseconds stay milliseconds"""
    found, ours = load(written(tmp_path, THE_DOCUMENTED_CORTEX)), Settings()
    assert found.hooks == ours.hooks
    assert (found.hooks.deadline_ms, found.hooks.synthesis_ttl_ms) == (200, 300_000)
    assert (found.serve.host, found.serve.port) == ("127.0.0.1", 8300)
    assert (found.embedding.provider, found.embedding.options["base_url"]) == ("openai", "http://localhost:8105/v1")
    assert found.embedding.options["model"] == "nomic-embed-text"
    assert (found.llm.provider, found.llm.options["base_url"]) == ("openai", "http://172.17.96.1:8301/v1")
    assert (found.hardware.enabled, found.hardware.url) == (True, "http://172.17.96.1:8085/data.json")


def test_c14_other_values_than_the_defaults_hold_too(tmp_path: Path) -> None:
    """C14"""
    text = "recallTimeoutMs = 150\nrecallMaxTokens = 300\nrecallMaxFacts = 5\nsynthesisCacheTtlMs = 1500\n"
    text += "skipHeartbeat = false\nautoIngest = false\nmiddlewarePort = 9000"
    found = load(written(tmp_path, f"[memoryCortex]\n{text}"))
    assert (found.hooks.deadline_ms, found.hooks.max_tokens, found.hooks.max_facts) == (150, 300, 5)
    assert (found.hooks.synthesis_ttl_ms, found.hooks.skip_heartbeat, found.serve.port) == (1500, False, 9000)
    assert (found.hooks.auto_ingest, found.hooks.auto_recall) == (False, True)


def test_c14_what_is_not_enabled_neither_recalls_nor_ingests(tmp_path: Path) -> None:
    """C14"""
    found = load(written(tmp_path, "[memoryCortex]\nenabled = false\nautoRecall = true"))
    assert (found.hooks.auto_ingest, found.hooks.auto_recall) == (False, False)


def test_c14_a_key_that_is_left_out_changes_nothing(tmp_path: Path) -> None:
    """C14: naming the section does not move anybody to another embedder"""
    assert load(written(tmp_path, "[memoryCortex]\nenabled = true")) == Settings()


def test_b22_the_documented_defaults_are_the_defaults(tmp_path: Path) -> None:
    """B22"""
    found, ours = load(tmp_path, {"memorySearch": THE_DOCUMENTED_SEARCH}), Settings()
    assert found.files == load(tmp_path, {"files": {"sources": ["memory"]}}).files
    assert found.embedding.cache_entries == ours.embedding.cache_entries
    assert found.embedding.provider == "auto"


@pytest.mark.parametrize("place", ["hybrid", "query.hybrid"])
def test_b22_weights_may_stand_at_either_place(tmp_path: Path, place: str) -> None:
    """B22"""
    text = f"[memorySearch.{place}]\nenabled = true\nvectorWeight = 0.6\ntextWeight = 0.4\ncandidateMultiplier = 6\n"
    text += f"[memorySearch.{place}.mmr]\nenabled = true\nlambda = 0.5\n"
    text += f"[memorySearch.{place}.temporalDecay]\nenabled = true\nhalfLifeDays = 10\n"
    files = load(written(tmp_path, text)).files
    assert (files.vector_weight, files.text_weight, files.candidate_multiplier) == (0.6, 0.4, 6)
    assert (files.mmr, files.mmr_lambda, files.temporal_decay, files.half_life_days) == (True, 0.5, True, 10)


def test_b22_every_other_key_of_the_section(tmp_path: Path) -> None:
    """B22"""
    search = {
        "enabled": False, "provider": "gemini", "model": "gemini-embedding-001", "sources": ["memory", "sessions"],
        "extraPaths": ["/a", {"path": "/b", "pattern": "*.md"}], "chunking": {"tokens": 200, "overlap": 40},
        "query": {"maxResults": 9, "minScore": 0.2}, "cache": {"maxEntries": 50},
        "sync": {"watch": False, "watchDebounceMs": 99, "onSessionStart": False, "onSearch": False,
                 "intervalMinutes": 7, "sessions": {"deltaBytes": 5, "deltaMessages": 6}},
        "remote": {"apiKey": "k", "headers": {"x": "y"}, "batch": {"enabled": True}}, "citations": "off",
    }  # fmt: skip
    found = load(tmp_path, {"memorySearch": search})
    files, embedding = found.files, found.embedding
    assert (files.enabled, files.sources, files.extra_paths) == (False, ("memory", "sessions"), ("/a", "/b"))
    assert (files.chunk_tokens, files.chunk_overlap, files.max_results, files.min_score) == (200, 40, 9, 0.2)
    assert (files.sync.watch, files.sync.watch_debounce_ms, files.sync.interval_minutes) == (False, 99, 7)
    assert (files.sync.transcript_bytes, files.sync.transcript_messages, files.citations) == (5, 6, "off")
    assert (embedding.provider, embedding.cache_entries) == ("gemini", 50)
    options = {"model": "gemini-embedding-001", "api_key": "k", "headers": {"x": "y"}, "batch": {"enabled": True}}
    assert embedding.options == options
    assert load(tmp_path, {"memorySearch": {"cache": {"enabled": False, "maxEntries": 9}}}).embedding.cache_entries == 0


def test_b22_for_auto_the_options_are_those_of_the_vendor(tmp_path: Path) -> None:
    """B22, B16"""
    search = {"provider": "auto", "model": "voyage-4-large", "remote": {"apiKey": "k"}}
    options = load(tmp_path, {"memorySearch": search}).embedding.options
    assert options == {"voyage": {"model": "voyage-4-large", "api_key": "k"}}


def test_l6_the_keys_of_the_plugin_are_read_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """L6"""
    monkeypatch.setenv("MY_KEY", "from the environment")
    text = '[memory-lancedb]\nautoCapture = false\nautoRecall = false\ncaptureMaxChars = 300\ndbPath = "~/x"\n'
    text += '[memory-lancedb.embedding]\napiKey = "${MY_KEY}"\nmodel = "text-embedding-3-large"\n'
    found = load(written(tmp_path, text))
    assert (found.hooks.auto_ingest, found.hooks.auto_recall, found.capture.max_chars) == (False, False, 300)
    assert found.embedding.provider == "openai"
    assert found.embedding.options == {"api_key": "from the environment", "model": "text-embedding-3-large"}


# --- refused ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[memoryCortex]\nrecallTimeoutMs = 150\n[hooks]\ndeadline_ms = 200",
         ("memoryCortex.recallTimeoutMs", "hooks.deadline_ms")),
        ("[memorySearch.hybrid]\nvectorWeight = 0.5\n[memorySearch.query.hybrid]\nvectorWeight = 0.6",
         ("memorySearch.hybrid.vectorWeight", "memorySearch.query.hybrid.vectorWeight")),
        ("[memoryCortex]\nautoRecall = true\n[memory-lancedb]\nautoRecall = false",
         ("memoryCortex.autoRecall", "memory-lancedb.autoRecall")),
    ],
)  # fmt: skip
def test_a_value_given_in_two_places_that_differ_is_refused_naming_both(
    tmp_path: Path, text: str, names: tuple[str, str]
) -> None:
    """C14, B22, L6"""
    error = refused(tmp_path, text)
    assert all(name in str(error) for name in names)


def test_the_same_value_in_two_places_is_no_matter(tmp_path: Path) -> None:
    text = "[memoryCortex]\nrecallTimeoutMs = 150\n[hooks]\ndeadline_ms = 150"
    assert load(written(tmp_path, text)).hooks.deadline_ms == 150


def test_what_only_follows_from_a_key_gives_way_to_what_is_said(tmp_path: Path) -> None:
    text = '[memoryCortex]\nembedPort = 8105\n[embedding.options]\nmodel = "bge-m3"\n'
    assert load(written(tmp_path, text)).embedding.options["model"] == "bge-m3"


def test_c14_a_host_may_give_its_section_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_MEMORYCORTEX", '{ embedHost = "10.0.0.2", hwMonitorPort = 8086 }')
    settings = load(tmp_path)
    assert settings.embedding.provider == "openai"
    assert settings.embedding.options["base_url"] == "http://10.0.0.2:8105/v1"
    assert settings.hardware.url == "http://172.17.96.1:8086/data.json"
    monkeypatch.setenv("CORTEX_MEMORYCORTEX", '{ embedHots = "10.0.0.2" }')
    assert refused(tmp_path).field == "memoryCortex.embedHots"
    monkeypatch.setenv("CORTEX_MEMORYCORTEX", "yes")
    assert refused(tmp_path).field == "memoryCortex"


def test_the_environment_goes_before_a_section_of_a_host_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORTEX_HOOKS__DEADLINE_MS", "90")
    assert load(written(tmp_path, "[memoryCortex]\nrecallTimeoutMs = 150")).hooks.deadline_ms == 90


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ("[memoryCortex]\nrecallTimeoutMS = 1", "memoryCortex.recallTimeoutMS", "did you mean 'recallTimeoutMs'"),
        ("[memorySearch.chunking]\ntoken = 1", "memorySearch.chunking.token", "did you mean 'tokens'"),
        ("[memorySearch.query.hybrid]\nweight = 1", "memorySearch.query.hybrid.weight", "did you mean"),
        ("[memory-lancedb]\nautocapture = true", "memory-lancedb.autocapture", "did you mean 'autoCapture'"),
        ("[memorycortex]\nenabled = true", "memorycortex", "did you mean 'memoryCortex'"),
    ],
)
def test_an_unknown_key_is_an_error_that_suggests_the_nearest(tmp_path: Path, text: str, field: str, hint: str) -> None:
    error = refused(tmp_path, text)
    assert error.field == field
    assert hint in error.hint


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[memoryCortex]\nrecallTimeoutMs = 'soon'", "memoryCortex.recallTimeoutMs"),
        ("[memoryCortex]\nenabled = 'perhaps'", "memoryCortex.enabled"),
        ("[memorySearch.query]\nminScore = 7", "memorySearch.query.minScore"),
        ("[memorySearch]\nsources = ['web']", "memorySearch.sources"),
        ("memorySearch = 3", "memorySearch"),
        ("[memory-lancedb]\ncaptureMaxChars = -1", "memory-lancedb.captureMaxChars"),
    ],
)
def test_a_value_that_cannot_be_is_refused_under_its_own_name(tmp_path: Path, text: str, field: str) -> None:
    assert refused(tmp_path, text).field == field


def test_two_keys_that_differ_are_named_without_their_values(tmp_path: Path) -> None:
    search = {"remote": {"apiKey": "sk-one"}, "provider": "openai"}
    error = refused(tmp_path, memorySearch=search, embedding={"options": {"api_key": "sk-two"}})
    assert "sk-" not in str(error) + error.hint


# --- a host's file ---------------------------------------------------------------------------------------------------


def test_b22_older_and_newer_places_of_the_host_are_read_alike() -> None:
    """B22"""
    search = {"query": {"maxResults": 9}}
    older = in_openclaw({"agents": {"defaults": {"memorySearch": search}}})
    newer = in_openclaw({"memory": {"search": search, "citations": "off"}})
    assert older.settings["files.max_results"].value == newer.settings["files.max_results"].value == 9
    assert newer.settings["files.citations"].value == "off"


def test_the_two_places_of_a_host_may_not_differ() -> None:
    config = {
        "agents": {"defaults": {"memorySearch": {"provider": "openai"}}},
        "memory": {"search": {"provider": "local"}},
    }
    with pytest.raises(InvalidRequest, match=r"agents\.defaults\.memorySearch\.provider") as error:
        in_openclaw(config)
    assert error.value.field == "memory.search.provider"


def test_what_has_no_effect_is_named_with_the_reason() -> None:
    found = in_openclaw({
        "plugins": {"entries": {"memory-lancedb": {"config": {"dbPath": "~/.openclaw/memory/lancedb"}}}},
        "agents": {"entries": {"work": {"memory": {"search": {"enabled": False}}}}},
    })  # fmt: skip
    assert [key for key, _ in found.no_effect] == [
        "plugins.entries.memory-lancedb.config.dbPath", "agents.entries.work.memory.search",
    ]  # fmt: skip
    assert all(because for _, because in found.no_effect)


def test_the_flush_of_a_host_is_taken_over() -> None:
    """B20"""
    flush = {"enabled": True, "softThresholdTokens": 3000, "forceFlushTranscriptBytes": "2mb"}
    found = in_openclaw({"agents": {"defaults": {"compaction": {"memoryFlush": flush}}}}).nested()
    assert found["flush"] == {"enabled": True, "soft_threshold_tokens": 3000, "force_transcript_bytes": 2 << 20}


def test_a_host_without_any_of_it_has_nothing_to_take_over() -> None:
    found = in_openclaw({"gateway": {"port": 1}, "agents": {"list": []}, "memory": {}})
    assert (found.settings, found.no_effect) == ({}, [])
    assert json.loads(json.dumps(found.nested())) == {}
