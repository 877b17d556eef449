"""Settings: one TOML file under home, then the environment (`CORTEX_…`), then call arguments.

Only this module and `variables` read the environment. Unknown keys are errors that suggest the nearest known one. Every
command reads its settings before anything else, so what only an error or a file needs is imported when it is met.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex import registry, variables
from cortex.domain.modality import Modality
from cortex.domain.scope import DEFAULT_AGENT, DEFAULT_USER, is_agent_name
from cortex.domain.text import CLAMP_HEAD_CHARS, CLAMP_MAX_CHARS, DEFAULT_MAX_BYTES, PASSAGE_TOKENS
from cortex.errors import InvalidRequest, StoreUnavailable
from cortex.options import (
    SettingsSection,
    described,
    nearest,
    number,
    own_sections,
    read_section,
    setting,
    several,
    share,
    switch,
    text,
    variable_of,
)
from cortex.ports.store_url import SETTING, StoreUrl
from cortex.variables import DEBUG, HOME, INSIDE, MODELS, PREFIX

if TYPE_CHECKING:
    from cortex.domain.retention import RetentionRule

FILE_NAME = "cortex.toml"
_HOST_SECTIONS = frozenset({"memoryCortex", "memorySearch", "memory-lancedb"})


_STORES = "cortex.stores"


# --- settings that name secrets: `${NAME}` is a variable of the environment, `${file:PATH}` what is in a file (L6) ----


def table(meaning: str) -> Any:
    """A table that somebody else will read."""

    def check(value: Any) -> dict[str, Any] | None:
        return _expanded(value) if isinstance(value, Mapping) else None

    return setting(check, "a table", meaning, default_factory=dict)


def store_url(meaning: str) -> Any:
    """The URL of a store that there is."""

    def check(value: Any) -> StoreUrl | None:
        return _store_at(value, SETTING) if isinstance(value, str) else None

    return setting(check, "a URL", meaning, is_secret=True, default=StoreUrl(registry.DEFAULT_STORE))


def placements(meaning: str) -> Any:
    """URLs of stores, by the agents that are there; a `*` at the end of a name stands for any ending."""

    def check(value: Any) -> dict[str, StoreUrl] | None:
        if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value.values()):
            return None
        for agent in value:
            _refuse_unfit_agent(agent)
        return {agent: _store_at(url, f"{PLACEMENTS}.{agent}") for agent, url in value.items()}

    return setting(check, "a table of URLs", meaning, is_secret=True, default_factory=dict)


def web_address(name: str, meaning: str) -> Any:
    """An address of a web server, which may name secrets."""

    def check(value: Any) -> str | None:
        if not isinstance(value, str) or not (value == "" or value.startswith(("http://", "https://"))):
            return None
        return _expanded_url(value, name)

    return setting(check, "an address that begins with https:// or http://", meaning, is_secret=True, default="")


def retention_rules(meaning: str) -> Any:
    """An array of tables: what is kept for how long."""

    def check(value: Any) -> tuple[RetentionRule, ...] | None:
        if not isinstance(value, list | tuple) or not all(isinstance(each, Mapping) for each in value):
            return None
        from cortex.retention_settings import read_rules

        return read_rules(value)

    return setting(check, "an array of tables", meaning, default=())


PLACEMENTS = "store.agents"
ANY = "*"


def _refuse_unfit_agent(agent: str) -> None:
    """No agent could ever have such a name, so the line would be silently without effect."""
    # A bare `*` would be another store.url.
    if not is_agent_name(agent.removesuffix(ANY)):
        raise InvalidRequest(
            f"{agent[:64]!r} is not an agent name", field=PLACEMENTS,
            hint=f"name an agent, or write the beginning of several and a {ANY}; {SETTING} is for all others",
        )  # fmt: skip


def _store_at(text: str, setting: str) -> StoreUrl:
    return _known_store(StoreUrl(_expanded_url(text, setting), setting))


def _expanded(value: Any) -> Any:
    """`value` with the secrets it names; one that is not there stays as it is, for its reader to name."""
    if isinstance(value, Mapping):
        return {key: _expanded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_expanded(each) for each in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    import re

    return re.sub(_NAMED, lambda found: _held(found[1]) or found[0], value)


_NAMED = r"\$\{(file:[^}]+|\w+)\}"


def _held(name: str) -> str | None:
    """What the variable or the file of this name holds."""
    if not name.startswith("file:"):
        return os.environ.get(name)
    try:
        return Path(name.removeprefix("file:")).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _expanded_url(text: str, setting: str) -> str:
    """A URL with the secrets it names. A password may hold any character, so it is encoded where it is put in."""
    if "${" not in text:
        return text
    import re
    from urllib.parse import quote

    login = text.rfind("@")

    def held(found: re.Match[str]) -> str:
        if (value := _held(found[1])) is None:
            fault = "cannot be read" if found[1].startswith("file:") else "is not set"
            raise InvalidRequest(f"names {found[0]}, which {fault}", field=setting, hint="set it, or change the URL")
        return quote(value, safe="") if found.end() <= login else value

    return re.sub(_NAMED, held, text)


def _known_store(url: StoreUrl) -> StoreUrl:
    if not registry.has(_STORES, url.scheme):
        known = registry.names(_STORES)
        near = nearest(url.scheme, known)
        hint = (f"did you mean {near!r}? " if near else "") + f"known: {', '.join(known)}"
        raise url.refusal(f"{url.scheme[:40]!r} is not a known store", hint=hint)
    return url


# --- what can be set --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoreSettings(SettingsSection):
    url: StoreUrl = store_url("Where memory is stored; the scheme names the kind of store.")  # noqa: RUF009 - it is a field
    agents: Mapping[str, StoreUrl] = placements(
        "Agents whose memory is elsewhere: a URL for each name, or for all names that begin so, as in `team-*`."
    )
    sections: Mapping[str, Mapping[str, Any]] = own_sections()
    """What is set for each kind of store, by its scheme. The store that is opened checks its own."""

    def url_of(self, agent: str) -> StoreUrl:
        """Where an agent's memory is: the name itself decides, then the longest beginning of it, then `url`."""
        if agent in self.agents:
            return self.agents[agent]
        fitting = (each for each in self.agents if each.endswith(ANY) and agent.startswith(each.removesuffix(ANY)))
        longest = max(fitting, key=len, default=None)
        return self.url if longest is None else self.agents[longest]

    @property
    def urls(self) -> tuple[StoreUrl, ...]:
        """Every store that is in use, `url` first."""
        return tuple(dict.fromkeys((self.url, *self.agents.values())))


@dataclass(frozen=True)
class NearestSettings(SettingsSection):
    url: str = text(
        "",
        "An engine for the vectors of large memories: `qdrant://host:6333`, `lancedb:///folder` or `s3://bucket/prefix`.",
    )
    from_vectors: int = number(200_000, "Use it from this many vectors of a user on.", least=1)
    timeout_ms: int = number(1_000, "How long a search waits for it before the built-in codes are used.", least=1)
    options: Mapping[str, Any] = table("Passed to the engine unchanged, such as an API key.")


@dataclass(frozen=True)
class MediaSettings(SettingsSection):
    image: str = text(
        "", "The media embedder for pictures (entry point name); by default, only the text about them is embedded."
    )
    audio: str = text("", "The media embedder for recordings.")
    video: str = text("", "The media embedder for videos.")
    document: str = text("", "The media embedder for documents such as PDF.")
    max_bytes: int = number(8 << 20, "Larger media are not sent to an embedder.", least=1_024, most=64 << 20)
    max_files: int = number(1_000, "How many media of a user are embedded.", least=1, most=20_000)
    options: Mapping[str, Any] = table("Passed to each media embedder unchanged, in a table of its name.")

    @property
    def providers(self) -> dict[str, str]:
        """The media embedders that are named, by modality."""
        named = {each.value: getattr(self, each.value).strip() for each in Modality if each is not Modality.TEXT}
        return {modality: name for modality, name in named.items() if name}


@dataclass(frozen=True)
class EmbeddingSettings(SettingsSection):
    provider: str = text("local", "Which embedder to use (entry point name); `none` for keywords only.")
    options: Mapping[str, Any] = table("Passed to the provider unchanged.")
    max_chars: int = number(CLAMP_MAX_CHARS, "Longer inputs are cut to head and tail.", least=16)
    head_chars: int = number(CLAMP_HEAD_CHARS, "How many characters of the head are kept.", least=0)
    max_bytes: int | None = number(None, "A further cap in UTF-8 bytes.", least=16)
    passage_tokens: int = number(
        PASSAGE_TOKENS, "Longer texts are embedded in passages of this size.", least=16, most=512
    )
    cache_entries: int = number(20_000, "Vectors kept in the embedding cache; 0 turns it off.", least=0)
    query_timeout_ms: int = number(2_000, "How long recall waits for the query's vector.", least=1)
    media: MediaSettings = field(default_factory=MediaSettings)


@dataclass(frozen=True)
class RerankSettings(SettingsSection):
    provider: str = text("local", "Which reranker `deep.v1` uses (entry point name); `llm` uses the language model.")
    options: Mapping[str, Any] = table("Passed to the provider unchanged.")


@dataclass(frozen=True)
class RecallSettings(SettingsSection):
    recipe: str = text("balanced.v1", "The default recipe.")
    deadline_ms: int = number(5_000, "How long a recall may take before late legs are left out.", least=1)


@dataclass(frozen=True)
class CaptureSettings(SettingsSection):
    policy: str = text("standard.v1", "Which capture policy decides what becomes a memory.")
    debounce_seconds: int = number(30, "How long a session must be quiet before memories are extracted.", least=0)
    max_wait_seconds: int = number(300, "The longest wait for a session that is never quiet.", least=0)
    keep_tool_output: bool = switch(False, "Also store tool output, as untrusted turns.")
    max_chars: int = number(0, "Nothing is extracted from longer turns; 0 for the limit of the policy.", least=0)


@dataclass(frozen=True)
class LlmSettings(SettingsSection):
    provider: str = text("none", "Which language model to use (entry point name).")
    options: Mapping[str, Any] = table("Passed to the provider unchanged.")
    timeout_ms: int = number(30_000, "The time limit of one answer.", least=1)
    calls_per_hour: int = number(60, "The most calls in an hour; 0 for no calls.", least=0)
    calls_per_day: int = number(500, "The most calls in a day; 0 for no calls.", least=0)
    tokens_per_hour: int = number(100_000, "The most tokens in an hour, input and output together.", least=0)
    tokens_per_day: int = number(500_000, "The most tokens in a day, input and output together.", least=0)
    cents_per_million_tokens: int | None = number(
        None, "What a million tokens costs, in hundredths of your money; the digest then says what was spent.", least=0
    )


@dataclass(frozen=True)
class HardwareSettings(SettingsSection):
    enabled: bool = switch(False, "Check a hardware monitor before a language model runs in the background.")
    url: str = text("http://localhost:8085/data.json", "The URL of LibreHardwareMonitor's JSON.")
    max_load: int = number(80, "Wait while the GPU load is higher, in percent.", least=1, most=100)
    max_temperature: int = number(85, "Wait while the GPU is hotter, in °C.", least=1)


@dataclass(frozen=True)
class HookSettings(SettingsSection):
    auto_recall: bool = switch(True, "Give turns their memories.")
    auto_ingest: bool = switch(True, "Store turns, and extract memories from them.")
    skip_heartbeat: bool = switch(True, "Leave heartbeats and cron jobs of a host alone.")
    deadline_ms: int = number(200, "How long a turn waits for its memories.", least=1)
    max_facts: int = number(15, "The most memories in the injected block.", least=1, most=100)
    max_tokens: int = number(500, "The most tokens in the injected block.", least=32)
    synthesis: bool = switch(True, "Prepare a synthesis for the next turn while the model answers.")
    synthesis_ttl_ms: int = number(300_000, "The longest age of a synthesis that is used.", least=1)
    ingest_timeout_ms: int = number(5_000, "The time limit for storing a finished turn.", least=1)
    start_server: bool = switch(True, "Let `cortex hook` start a server in the background where none runs.")


@dataclass(frozen=True)
class ChatSettings(SettingsSection):
    per_sender: bool = switch(False, "Give each sender of a direct chat a memory of their own.")
    personal_in_groups: bool = switch(False, "Use the owner's memory in groups too; by default a group has its own.")


@dataclass(frozen=True)
class LifecycleSettings(SettingsSection):
    every_hours: int = number(24, "How often consolidation runs.", least=1)
    backup_every_hours: int = number(24, "How often a backup is made; 0 for never.", least=0)
    backup_keep_daily: int = number(7, "How many daily backups are kept.", least=1)
    drill_every_days: int = number(7, "How often the newest backup is tried by restoring it; 0 for never.", least=0)
    backup_keep_weekly: int = number(4, "How many weekly backups are kept beyond those.", least=0)


@dataclass(frozen=True)
class AlertSettings(SettingsSection):
    webhook: str = web_address("alerts.webhook", "Where alerts are posted as JSON when they open and close.")
    headers: Mapping[str, Any] = table("Headers of these posts, such as Authorization.")


@dataclass(frozen=True)
class SyncSettings(SettingsSection):
    watch: bool = switch(True, "Index edits as they happen, while a process watches.")
    watch_debounce_ms: int = number(1_500, "How long the files must be quiet before they are read.", least=1)
    on_session_start: bool = switch(True, "Sync files when a session begins.")
    on_search: bool = switch(True, "Sync files that may have changed before a search or recall.")
    interval_minutes: int = number(0, "Sync files this often; 0 for never.", least=0)
    transcript_bytes: int = number(100_000, "Read a transcript when it has grown by this many bytes.", least=1)
    transcript_messages: int = number(50, "Read a transcript when it has grown by this many messages.", least=1)
    transcript_debounce_ms: int = number(5_000, "How long transcripts must be quiet before they are read.", least=1)


@dataclass(frozen=True)
class QmdSettings(SettingsSection):
    command: str = text("qmd", "The program: a name on the PATH, or a path.")
    mode: str = text(
        "search", "By keywords, by vectors, or by both with reranking.", one_of=("search", "vsearch", "query")
    )  # fmt: skip
    timeout_ms: int = number(4_000, "The time limit of one search.", least=1)
    max_results: int = number(6, "The most results.", least=1, most=100)
    max_snippet_chars: int = number(700, "The longest snippet.", least=1)
    max_injected_chars: int = number(4_000, "The longest total of all snippets.", least=1)


@dataclass(frozen=True)
class FileSettings(SettingsSection):
    enabled: bool = switch(True, "Index and search files.")
    workspace: str = text("", "The agent's workspace: its MEMORY.md, memory.md and memory/**/*.md are indexed.")
    extra_paths: tuple[str, ...] = several("Further folders or files of notes.")
    docs: tuple[str, ...] = several("Folders of documents, searched on request or when nothing else has an answer.")
    transcripts: tuple[str, ...] = several("Folders of session transcripts (JSONL), whose turns are captured.")
    chunker: str = text("sections", "How files are cut: by headings, or by lines.", one_of=("sections", "lines"))
    chunk_tokens: int = number(400, "The most tokens in a chunk.", least=32, most=4_000)
    chunk_overlap: int = number(80, "How many tokens of a chunk the next one repeats, with `lines`.", least=0)
    max_file_bytes: int = number(4 << 20, "Larger files are not indexed.", least=1)
    backend: str = text("builtin", "What searches the files: the built-in index or qmd.", one_of=("builtin", "qmd"))
    sources: tuple[str, ...] = several(
        "What `memory_search` searches: some of memory, sessions and docs; by default memory, and sessions if indexed.",
        one_of=("memory", "sessions", "docs"),
    )
    max_results: int = number(6, "The most results of `memory_search`.", least=1, most=100)
    min_score: float = share(0.35, "The lowest score of a result.")
    hybrid: bool = switch(True, "Compare words and vectors; otherwise vectors alone.")
    vector_weight: float = share(0.7, "The weight of the vectors. The two weights are scaled to a sum of 1.")
    text_weight: float = share(0.3, "The weight of the words.")
    candidate_multiplier: int = number(4, "How many candidates are compared per result.", least=1, most=20)
    temporal_decay: bool = switch(False, "Rank older dated notes lower.")
    half_life_days: int = number(30, "After how many days a dated note counts half.", least=1, most=36_500)
    mmr: bool = switch(False, "Prefer results that do not repeat each other.")
    mmr_lambda: float = share(0.7, "The weight of relevance against repetition; 1 for relevance alone.")
    citations: str = text(
        "auto", "Whether results are cited; `auto`: in direct chats, not in groups.", one_of=("auto", "on", "off")
    )  # fmt: skip
    sync: SyncSettings = field(default_factory=SyncSettings)
    qmd: QmdSettings = field(default_factory=QmdSettings)


@dataclass(frozen=True)
class FlushSettings(SettingsSection):
    enabled: bool = switch(True, "Ask the agent to write notes before its host compacts a session.")
    soft_threshold_tokens: int = number(4_000, "How many tokens before the compaction the flush is due.", least=0)
    reserve_tokens: int = number(20_000, "How many tokens the host keeps free.", least=0)
    force_transcript_bytes: int = number(
        2 << 20, "A transcript of this size also makes a flush due; 0 for never.", least=0
    )
    silent_token: str = text("NO_REPLY", "The agent's reply if there is nothing to write.")
    prompt: str = text("", "Replaces the default prompt.")
    system_prompt: str = text("", "Replaces the default system prompt.")
    model: str = text("", "The model for the flush, if not the session's own.")
    timezone: str = text("", "The time zone of the dated files, such as Europe/Berlin; by default the machine's.")


@dataclass(frozen=True)
class ServeSettings(SettingsSection):
    host: str = text("127.0.0.1", "The address the server listens on; any but loopback needs a token.")
    port: int = number(8_300, "The port; 0 takes a free one.", least=0, most=65_535)
    allowed_hosts: tuple[str, ...] = several("More host names of the server, such as a proxy's.")
    allowed_origins: tuple[str, ...] = several("Other origins whose web pages may send writes.")
    max_body_bytes: int = number(1 << 20, "The largest request.", least=1_024)
    max_history_bytes: int = number(16 << 20, "The largest history, import or flush plan.", least=1_024)
    max_keys: int = number(1_000, "The most keys in one JSON object.", least=1)
    max_header_bytes: int = number(32 << 10, "The largest total of a request's headers.", least=1_024)
    max_concurrent: int = number(64, "The most concurrent requests.", least=1)
    max_streams: int = number(64, "The most open change streams, in addition to the requests.", least=1)
    recall_processes: int = number(
        1, "How many processes recall for turns; 0 recalls in the server process.",
        least=0, most=32,
    )  # fmt: skip
    worker_process: bool = switch(
        True, "Run background jobs in a separate process, so that no text delays requests."
    )  # fmt: skip
    max_connections: int = number(1_000, "The most open connections.", least=1)
    rate_per_minute: int = number(6_000, "The most requests per token and minute; 0 for no limit.", least=0)
    request_timeout_ms: int = number(30_000, "The time limit of a request.", least=1)
    long_timeout_ms: int = number(300_000, "The time limit of an export, import or consolidation.", least=1)
    receive_timeout_ms: int = number(10_000, "The time limit for receiving a request.", least=1)
    shutdown_seconds: int = number(10, "How long a shutdown waits for running requests.", least=1)


@dataclass(frozen=True)
class ReceiptSettings(SettingsSection):
    enabled: bool = switch(True, "Keep a receipt of every operation.")
    verbosity: str = text("low", "`high` also lists dropped candidates, with reasons.", one_of=("low", "high"))
    max_items: int = number(3, "How many top ids of each leg a receipt lists.", least=1, most=10)
    keep_queries: bool = switch(True, "Keep the query with the receipt, for replay.")
    days: int = number(365, "How many days receipts are kept; 0 for forever.", least=0)
    query_days: int = number(90, "How many days the queries in them are kept; 0 for as long as the receipts.", least=0)


@dataclass(frozen=True)
class LimitSettings(SettingsSection):
    max_text_bytes: int = number(DEFAULT_MAX_BYTES, "The longest text of a memory.", least=1)
    max_messages: int = number(20_000, "The most messages in one history.", least=1)
    max_message_bytes: int = number(8 << 20, "The longest message of a conversation; it is stored in parts.", least=1)


@dataclass(frozen=True)
class Settings(SettingsSection):
    """Everything an operator can set."""

    agent: str = text(DEFAULT_AGENT, "The default agent.")
    user: str = text(DEFAULT_USER, "The default user.")
    retention: tuple[RetentionRule, ...] = retention_rules(
        "How long memories, turns and outcomes are kept: one `[[retention]]` table for each rule."
    )
    store: StoreSettings = field(default_factory=StoreSettings)
    nearest: NearestSettings = field(default_factory=NearestSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    hardware: HardwareSettings = field(default_factory=HardwareSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    chats: ChatSettings = field(default_factory=ChatSettings)
    lifecycle: LifecycleSettings = field(default_factory=LifecycleSettings)
    alerts: AlertSettings = field(default_factory=AlertSettings)
    files: FileSettings = field(default_factory=FileSettings)
    flush: FlushSettings = field(default_factory=FlushSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    receipts: ReceiptSettings = field(default_factory=ReceiptSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)


# --- what is set ------------------------------------------------------------------------------------------------------


def default_home() -> Path:
    """`$CORTEX_HOME`, or `~/.cortex`."""
    return Path(variables.home())


def models_home(home: Path) -> Path:
    """Where models are kept: `$CORTEX_MODELS`, else `models` in home if it exists, else the cache of the user."""
    if named := variables.value(MODELS):
        return Path(named).expanduser()
    own = home.expanduser() / "models"
    return own if own.is_dir() else user_models()


def user_models() -> Path:
    """The cache of models that all homes of a user share."""
    from platformdirs import user_cache_path

    return user_cache_path("cortex", appauthor=False) / "models"


def variable(name: str) -> str | None:
    """What a variable of the environment holds, for a provider that looks for its key; None where it is not set."""
    return variables.value(name)


def is_inside() -> bool:
    """Whether Cortex itself started the agent that this process belongs to."""
    return variables.is_on(INSIDE)


def debug_wanted() -> bool:
    """Whether `$CORTEX_DEBUG` asks for unexpected errors whole."""
    return variables.is_on(DEBUG)


def load(
    home: Path,
    overrides: Mapping[str, Any] | None = None,
    origins: Mapping[str, str] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings in force under `home`, with another environment where one is given.

    `origins` says where overrides come from, for messages.
    """
    file = home / FILE_NAME
    merged: dict[str, Any] = {}
    places: dict[str, str] = {}
    variables_set = _from_environment(os.environ if environment is None else environment)
    for layer in (_from_file(file), variables_set, overrides or {}):
        own, known_as = _own_names(layer)
        merged, places = _merge(merged, own), places | known_as
    try:
        found = read_section(Settings, merged, (), file, places | dict(origins or {}), also=_HOST_SECTIONS)
    except InvalidRequest as error:
        raise _with_its_file(error, file) from None
    for scheme in found.store.sections:
        _refuse_unknown_store(scheme)
    sections = {scheme: _expanded(given) for scheme, given in found.store.sections.items() if given}
    return replace(found, store=replace(found.store, sections=sections))


def _with_its_file(error: InvalidRequest, file: Path) -> InvalidRequest:
    """An error that names the settings file, if what is wrong is in there."""
    at: Any = _from_file(file)
    for name in error.field.partition("[")[0].split("."):
        if not isinstance(at, Mapping) or name not in at:
            return error
        at = at[name]
    if str(file) not in error.hint:
        error.hint = f"{error.hint}; fix it in {file}"
    return error


def _refuse_unknown_store(scheme: str) -> None:
    """A section that belongs to no store would be silently without effect."""
    if not registry.has(_STORES, scheme):
        known = registry.names(_STORES)
        near = nearest(scheme, known)
        hint = f"did you mean {near!r}?" if near else f"sections of stores: {', '.join(known)}"
        raise InvalidRequest("is not a setting", field=f"store.{scheme}", hint=hint)


def given_in(file: Path) -> dict[str, Any]:
    """What a settings file sets, in our own names."""
    return _own_names(_from_file(file))[0]


def _own_names(layer: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A layer with the sections of hosts in our own names; and where each of these settings was given."""
    if not layer.keys() & _HOST_SECTIONS:
        return dict(layer), {}
    from cortex import host_settings

    found = host_settings.in_sections(layer)
    own = {key: value for key, value in layer.items() if key not in _HOST_SECTIONS}
    for name, value in _named_values(own):
        if (given := found.settings.get(name)) is None:
            continue
        if not given.implied and not host_settings.is_same(given.value, value):
            raise host_settings.differing(name, given.origin)
        del found.settings[name]
    return _merge(found.nested(), own), found.origins


def _named_values(given: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested tables by their dotted names; a table has a name too."""
    for key, value in given.items():
        yield f"{path}{key}", value
        if isinstance(value, Mapping):
            yield from _named_values(value, f"{path}{key}.")


def describe() -> Iterator[tuple[str, str, Any, str]]:
    """Every setting: dotted name, environment variable, default, meaning."""
    for name, variable, default, meaning in described(Settings()):
        yield name, variable, str(default) if isinstance(default, StoreUrl) else default, meaning


def _from_file(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoreUnavailable(f"cannot read {path}: {error.strerror}", hint="check its permissions") from error
    import tomllib

    try:
        return tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"is not valid TOML: {error}", field=str(path), hint="fix or remove the file") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    ours = {variable: value for variable, value in environment.items() if variable.startswith(PREFIX)}
    if not ours:
        return {}
    known = {variable: (name.split("."), default) for name, variable, default, _ in describe()}
    # A host gives a section of its own as a whole: CORTEX_MEMORYCORTEX='{ embedHost = "localhost" }'.
    known |= {variable_of(section.replace("-", "_")): ([section], None) for section in _HOST_SECTIONS}
    found: dict[str, Any] = {}
    for variable, value in ours.items():
        if variable in known:
            (*path, last), default = known[variable]
        elif len(parts := variable.removeprefix(PREFIX).lower().split("__")) == 3 and parts[0] == "store":
            (*path, last), default = parts, ""  # of a store, which reads it as what its option is
        else:
            _refuse_misspelled(variable, known)
            continue
        at = found
        for key in path:
            at = at.setdefault(key, {})
        at[last] = value if isinstance(default, str) else _value(value)
    return found


def _refuse_misspelled(variable: str, known: Mapping[str, Any]) -> None:
    """A variable that means a setting and misses it would be silently without effect."""
    if variable not in (HOME, MODELS, DEBUG, INSIDE) and (near := nearest(variable, known, 0.85)):
        raise InvalidRequest("is not a setting", field=variable, hint=f"did you mean {near}?")


def _value(text: str) -> Any:
    """An environment value as TOML would read it; plain text where it is not TOML."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _merge(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(low)
    for key, value in high.items():
        below = merged.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merge(below, value) if both else value  # type: ignore[arg-type]
    return merged
