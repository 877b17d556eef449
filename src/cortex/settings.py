"""Settings: one TOML file under home, then the environment (`CORTEX_…`), then call arguments.

Only this module and `variables` read the environment. Unknown keys are errors that suggest the nearest known one. Every
command reads its settings before anything else, so what only an error or a file needs is imported when it is met.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from cortex import variables
from cortex.domain.scope import DEFAULT_AGENT, DEFAULT_USER
from cortex.domain.text import CLAMP_HEAD_CHARS, CLAMP_MAX_CHARS, DEFAULT_MAX_BYTES, PASSAGE_TOKENS
from cortex.errors import InvalidRequest, StoreUnavailable
from cortex.variables import DEBUG, HOME, INSIDE, MODELS, NO, PREFIX, YES

FILE_NAME = "cortex.toml"
_HOST_MARKS = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"})
"""By these a coding agent knows that it runs inside another, and refuses to."""

_HOST_SECTIONS = frozenset({"memoryCortex", "memorySearch", "memory-lancedb"})

_TOLD_CHARS = 60

S = TypeVar("S", bound="SettingsSection")


# --- the sorts of settings: each a field that knows its meaning, and checks what it is given --------------------------


def text(default: str, meaning: str, *, one_of: tuple[str, ...] = ()) -> Any:
    """A text; one of a few where they are named."""

    def check(value: Any) -> str | None:
        return value if isinstance(value, str) and (not one_of or value in one_of) else None

    return _setting(check, " or ".join(one_of) or "a text", meaning, default=default)


def number(default: int | None, meaning: str, *, least: int, most: int | None = None) -> Any:
    """A whole number within bounds; where it is unset by default, it may be left unset."""

    def check(value: Any) -> int | None:
        whole = _whole(value)
        return whole if whole is not None and least <= whole and (most is None or whole <= most) else None

    bounds = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
    return _setting(check, f"a whole number {bounds}", meaning, default=default)


def share(default: float, meaning: str) -> Any:
    """A number from 0 to 1."""

    def check(value: Any) -> float | None:
        try:
            given = None if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            return None
        return given if given is not None and 0.0 <= given <= 1.0 else None

    return _setting(check, "a number from 0 to 1", meaning, default=default)


def several(meaning: str, *, one_of: tuple[str, ...] = ()) -> Any:
    """Some texts; each one of a few where they are named."""

    def check(value: Any) -> tuple[str, ...] | None:
        given = [value] if isinstance(value, str) else value
        is_one = isinstance(given, list | tuple) and all(isinstance(each, str) and each.strip() for each in given)
        return tuple(given) if is_one and (not one_of or set(given) <= set(one_of)) else None

    return _setting(check, f"a list of {', '.join(one_of) or 'texts'}", meaning, default=())


def switch(default: bool, meaning: str) -> Any:
    """On or off."""
    return _setting(_on, "true or false", meaning, default=default)


def table(meaning: str) -> Any:
    """A table that somebody else will read; `${NAME}` in its texts stands for a variable of the environment (L6)."""

    def check(value: Any) -> dict[str, Any] | None:
        return _expanded(value) if isinstance(value, Mapping) else None

    return _setting(check, "a table", meaning, default_factory=dict)


def _expanded(value: Any) -> Any:
    """`value` with the variables it names; one that is not set stays as it is, for its reader to name."""
    if isinstance(value, Mapping):
        return {key: _expanded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_expanded(each) for each in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    import re

    return re.sub(r"\$\{(\w+)\}", lambda found: os.environ.get(found[1], found[0]), value)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return int(value) if not isinstance(value, float) or value.is_integer() else None
    except ValueError:
        return None


def _on(value: Any) -> bool | None:
    word = str(value).lower()
    return True if word in YES else False if word in NO else None


def _setting(check: Callable[[Any], Any], what: str, meaning: str, **default: Any) -> Any:
    """A field whose `check` returns the value, or None if it is not a `what`."""
    return field(metadata={"check": check, "what": what, "meaning": meaning}, **default)


# --- what can be set --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SettingsSection:
    """Settings that belong together."""


@dataclass(frozen=True)
class StoreSettings(SettingsSection):
    backend: str = text("sqlite", "Which store to use (entry point name).")
    synchronous: str = text(
        "full", "`full` survives power loss; `normal` survives a crash.", one_of=("full", "normal")
    )  # fmt: skip
    busy_timeout_ms: int = number(5_000, "How long a writer waits for another writer.", least=1, most=600_000)


@dataclass(frozen=True)
class MediaSettings(SettingsSection):
    image: str = text(
        "", "The media embedder for pictures (entry point name); by default, the text about them is embedded."
    )
    audio: str = text("", "The same for recordings.")
    video: str = text("", "The same for videos.")
    document: str = text("", "The same for documents such as PDF.")


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
    calls_per_hour: int = number(60, "A hard limit; 0 allows none.", least=0)
    calls_per_day: int = number(500, "A hard limit; 0 allows none.", least=0)
    tokens_per_hour: int = number(100_000, "A hard limit, input and output together.", least=0)
    tokens_per_day: int = number(500_000, "A hard limit, input and output together.", least=0)


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
    backup_keep_weekly: int = number(4, "How many weekly backups are kept beyond those.", least=0)


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
    backend: str = text("builtin", "What searches the files.", one_of=("builtin", "qmd"))
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
    store: StoreSettings = field(default_factory=StoreSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    hardware: HardwareSettings = field(default_factory=HardwareSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    chats: ChatSettings = field(default_factory=ChatSettings)
    lifecycle: LifecycleSettings = field(default_factory=LifecycleSettings)
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
    return os.environ.get(name)


def environment_inside() -> dict[str, str]:
    """The environment of a program that Cortex asks: ours, and the mark that its hooks do nothing."""
    kept = {name: value for name, value in os.environ.items() if name not in _HOST_MARKS}
    return {**kept, INSIDE: "1"}


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
    return _read(Settings, merged, (), file, places | dict(origins or {}))


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
    for name, setting, default in _leaves(Settings(), ()):
        yield name, _variable(name), default, setting.metadata["meaning"]


def _variable(name: str) -> str:
    return PREFIX + name.upper().replace(".", "__")


def _leaves(section: SettingsSection, path: tuple[str, ...]) -> Iterator[tuple[str, Field[Any], Any]]:
    for each in fields(section):
        value = getattr(section, each.name)
        if isinstance(value, SettingsSection):
            yield from _leaves(value, (*path, each.name))
        else:
            yield ".".join((*path, each.name)), each, value


def _read(kind: type[S], given: Mapping[str, Any], path: tuple[str, ...], file: Path, origins: Mapping[str, str]) -> S:
    """A section as it is given; the rest of it as it is by default."""
    known = {each.name: each for each in fields(kind)}
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = ".".join((*path, str(key)))
        if key not in known:
            sections = {} if path else dict.fromkeys(_HOST_SECTIONS)
            hint = (
                f"did you mean {near!r}?"
                if (near := _nearest(key, {**known, **sections}))
                else f"known here: {', '.join(known)}"
            )
            raise InvalidRequest("is not a setting", field=name, hint=hint)
        inner = known[key].default_factory
        if not (isinstance(inner, type) and issubclass(inner, SettingsSection)):
            found[key] = _checked(known[key], value, name, file, origins.get(name, name))
        elif isinstance(value, Mapping):
            found[key] = _read(inner, value, (*path, key), file, origins)
        else:
            hint = f"give what belongs to it under [{name}] in {file}, or as {_variable(name)}__…"
            raise InvalidRequest("is a section, not a setting", field=name, hint=hint)
    return kind(**found)


def _checked(setting: Field[Any], value: Any, name: str, file: Path, origin: str) -> Any:
    taken = setting.metadata["check"](value)
    if taken is None and not (value is None and setting.default is None):
        message = repr(value)
        message = message if len(message) <= _TOLD_CHARS else f"{message[: _TOLD_CHARS - 1]}…"
        raise InvalidRequest(
            f"{message} is not {setting.metadata['what']}", field=origin, hint=f"set it in {file} or {_variable(name)}"
        )
    return taken


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
    known |= {_variable(section.replace("-", "_")): ([section], None) for section in _HOST_SECTIONS}
    found: dict[str, Any] = {}
    for variable, value in ours.items():
        if variable not in known:
            _refuse_misspelt(variable, known)
            continue
        (*path, last), default = known[variable]
        at = found
        for key in path:
            at = at.setdefault(key, {})
        at[last] = value if isinstance(default, str) else _value(value)
    return found


def _refuse_misspelt(variable: str, known: Mapping[str, Any]) -> None:
    """A variable that means a setting and misses it would be silently without effect."""
    if variable not in (HOME, MODELS, DEBUG, INSIDE) and (near := _nearest(variable, known, 0.85)):
        raise InvalidRequest("is not a setting", field=variable, hint=f"did you mean {near}?")


def _nearest(word: str, known: Mapping[str, Any], likeness: float = 0.6) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, n=1, cutoff=likeness)), None)


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
