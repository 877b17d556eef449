"""The one place where adapters meet the flows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex import registry
from cortex import settings as configuration
from cortex.clock import SystemClock
from cortex.dependencies import Dependencies
from cortex.domain.identity import IdSource, Uuid7Source
from cortex.domain.lanes import Lane
from cortex.domain.scope import DEFAULT_USER, Tenant
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import EngineError
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder, ManagedEmbedder
from cortex.ports.file_search import LineSearch, SourceName
from cortex.ports.hardware import Hardware
from cortex.ports.index import Indexes, IndexVectors
from cortex.ports.llm import LLM, ManagedLLM
from cortex.ports.reranker import Reranker
from cortex.ports.store import Replaced, Store
from cortex.providers.embedders.guard import GuardedEmbedder
from cortex.providers.embedders.vector_cache import CacheFile, CachingEmbedder
from cortex.providers.models import PINNED, ModelStore
from cortex.settings import Settings

if TYPE_CHECKING:
    from cortex.providers.own_models import OwnModel
    from cortex.workspace.sources import Source

AGENTS = "agents"
CACHE = "embeddings.sqlite"
SPENDING = "llm-spending.sqlite"


def build(
    home: Path,
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    llm: LLM | None = None,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    models: Path | None = None,
) -> Dependencies:
    """The dependencies of an engine under `home`; what is handed in is used as it stands."""
    clock = clock or SystemClock()
    models = models or configuration.models_home(home)
    wired = _embedder(home, settings, clock, models, embedder)
    hardware = _hardware(settings, clock)
    model = _llm(home, settings, clock, hardware, llm)
    if reranker is None:
        create = registry.find("cortex.rerankers", settings.rerank.provider, llm=model)
        reranker = create(settings.rerank.options, models)
    return Dependencies(
        home=home,
        settings=settings,
        clock=clock,
        ids=ids or Uuid7Source(),
        open_store=lambda agent: _store(home, agent, settings),
        embedder=wired,
        reranker=reranker,
        llm=model,
        hardware=hardware,
        open_indexes=lambda tenant: _indexes(home, tenant, settings),
        open_search=_searching(home, settings, clock),
        open_embedder=lambda made: _earlier_embedder(made, wired.space, home, settings, clock, models),
        replace_store=_replacing(home, settings),
        vector_cache=CacheFile(home / CACHE),
        check_backup=_checking(settings),
        sentence_embedder=_sentence_embedder(settings, models),
    )


def cached(embedder: Embedder, path: Path, entries: int, clock: Clock) -> CachingEmbedder:
    """`embedder` with a cache of its vectors in the file at `path`."""
    return CachingEmbedder(embedder, path, entries, clock)


def model_store(home: Path) -> ModelStore:
    """The models of this home."""
    from cortex.providers.own_models import registered

    models = configuration.models_home(home)
    own = {name: model.pinned for name, model in registered(models).items()}
    return ModelStore(models, pinned={**PINNED, **own})


def add_model(home: Path, source: Path, name: str, **speech: Any) -> OwnModel:
    """Copy a model of one's own into the models of this home; `speech` says how it is spoken to."""
    from cortex.providers.own_models import InputFormat, add

    return add(configuration.models_home(home), source, name, InputFormat.checked(**speech))


def agent_path(home: Path, agent: str) -> Path:
    """The file of an agent's memory."""
    return home / AGENTS / f"{agent}.sqlite"


def _sentence_embedder(settings: Settings, models: Path) -> Embedder | None:
    """The built-in model, which judges statements whatever embedder is configured; None where embedding is off."""
    if settings.embedding.provider == "none":
        return None
    from cortex.providers.embedders import local

    return local.create({}, models)


def _hardware(settings: Settings, clock: Clock) -> Hardware | None:
    """The monitor of the graphics card, if it is enabled (C15)."""
    watched = settings.hardware
    if not watched.enabled:
        return None
    from cortex.providers.hardware import HardwareMonitor

    return HardwareMonitor(watched.url, clock, max_load=watched.max_load, max_temperature=watched.max_temperature)


def _llm(
    home: Path, settings: Settings, clock: Clock, hardware: Hardware | None, given: LLM | None
) -> ManagedLLM | None:
    """The language model, within its budget; None where none is wanted, and then nothing of it is imported."""
    options = settings.llm
    if given is None and options.provider == "none":
        return None
    from cortex.providers.llms.budget import Budget, BudgetLimits
    from cortex.providers.llms.guard import GuardedLLM

    seconds = options.timeout_ms / 1000
    limits = BudgetLimits(
        calls_per_hour=options.calls_per_hour,
        calls_per_day=options.calls_per_day,
        tokens_per_hour=options.tokens_per_hour,
        tokens_per_day=options.tokens_per_day,
    )
    inner: LLM = given or registry.find("cortex.llms", options.provider)(options.options, seconds)
    spending = Budget(home / SPENDING, limits, clock, hold_seconds=max(300.0, 2 * seconds))
    return GuardedLLM(inner, spending, clock, timeout=seconds, hardware=hardware)


def _replacing(home: Path, settings: Settings) -> Callable[[str, Path, Path], Replaced] | None:
    """How a backup is put back, for stores that have files of their own."""
    if settings.store.backend != "sqlite":
        return None

    def replace(agent: str, backup: Path, keep_at: Path) -> Replaced:
        from cortex.stores.sqlite import copies

        return copies.replace(agent_path(home, agent), backup, keep_at, busy_timeout_ms=settings.store.busy_timeout_ms)

    return replace


def _checking(settings: Settings) -> Callable[[Path], None] | None:
    """How a backup is checked, for stores that have files of their own."""
    if settings.store.backend != "sqlite":
        return None

    def check(backup: Path) -> None:
        from cortex.stores.sqlite import copies

        copies.check(backup)

    return check


def _indexes(home: Path, tenant: Tenant, settings: Settings) -> Indexes:
    """The index of a tenant's files: always a local file, as the files are, whichever store keeps the rest."""
    from cortex.stores.sqlite.generations import SqliteIndexes

    return SqliteIndexes(home / AGENTS, index_name(tenant), busy_timeout_ms=settings.store.busy_timeout_ms)


def _searching(home: Path, settings: Settings, clock: Clock) -> Callable[[Tenant, Sequence[Source]], LineSearch] | None:
    """The program that searches files in the place of the index, where one is wanted (Q1)."""
    if settings.files.backend == "builtin":
        return None

    def open_(tenant: Tenant, sources: Sequence[Source]) -> LineSearch:
        from cortex.providers.qmd import Collection, QmdLimits, QmdMode, QmdSearch

        qmd = settings.files.qmd
        return QmdSearch(
            home / AGENTS / f"{index_name(tenant)}.qmd",
            [Collection(**wanted) for wanted in map(_collection, sources)],
            clock,
            command=qmd.command,
            mode=QmdMode(qmd.mode),
            limits=QmdLimits(
                max_results=qmd.max_results,
                max_snippet_chars=qmd.max_snippet_chars,
                max_injected_chars=qmd.max_injected_chars,
                timeout_ms=qmd.timeout_ms,
            ),
            cache=home / "qmd-models",
        )

    return open_


def _collection(source: Source) -> dict[str, Any]:
    """A source as qmd takes folders: with a pattern of the files in it that are memory."""
    from cortex.workspace.sources import Shape

    lane: SourceName = "docs" if source.lane is Lane.DOCS else "memory"
    payload: dict[str, Any] = {"name": source.name or "workspace", "cited": source.name, "source": lane}
    if source.root.is_file():
        return payload | {"root": source.root.parent, "pattern": source.root.name}
    if source.shape is Shape.WORKSPACE:
        return payload | {"root": source.root, "pattern": "{MEMORY.md,memory.md,memory/**/*.md}"}
    return payload | {"root": source.root, "pattern": "**/*.{md,markdown,mdx}"}


def index_name(tenant: Tenant) -> str:
    """What the index files of a tenant begin with; names of users may be anything, so theirs is a digest."""
    if tenant.user == DEFAULT_USER:
        return tenant.agent
    # No agent's name has an "@" in it.
    return f"{tenant.agent}@{hashlib.sha256(tenant.user.encode()).hexdigest()[:16]}"


def _store(home: Path, agent: str, settings: Settings) -> Store:
    store: Store = registry.find("cortex.stores", settings.store.backend)(
        agent_path(home, agent),
        synchronous=settings.store.synchronous,
        busy_timeout_ms=settings.store.busy_timeout_ms,
    )
    return store


def _embedder(home: Path, settings: Settings, clock: Clock, models: Path, given: Embedder | None) -> ManagedEmbedder:
    options = settings.embedding
    inner: Embedder = given or registry.find("cortex.embedders", options.provider)(options.options, models)
    return _guarded(inner, home, settings, clock)


def _guarded(inner: Embedder, home: Path, settings: Settings, clock: Clock) -> ManagedEmbedder:
    options = settings.embedding
    guarded = GuardedEmbedder(
        inner, clock, max_chars=options.max_chars, head_chars=options.head_chars, max_bytes=options.max_bytes
    )
    # The cache stands outside the guard, so that what is known is answered while a provider is out of order.
    if options.cache_entries and inner.space.dimension:
        return cached(guarded, home / CACHE, options.cache_entries, clock)
    return guarded


def _earlier_embedder(
    made: IndexVectors, now: EmbeddingSpace, home: Path, settings: Settings, clock: Clock, models: Path
) -> ManagedEmbedder | None:
    """The embedder that made these vectors, if it is still available; else None.

    It runs on this machine, or on the server that is in use: whom the settings no longer name is sent nothing.
    """
    for options in _earlier_options(made, settings):
        try:
            found: Embedder = registry.find("cortex.embedders", made.provider)(options, models)
        except EngineError:  # gone, or it takes no such options
            continue
        if found.space.key == made.space and found.space.endpoint in ("", now.endpoint):
            return _guarded(found, home, settings, clock)
    return None


def _earlier_options(made: IndexVectors, settings: Settings) -> Iterator[Mapping[str, Any]]:
    """The options it may have had, the likeliest first: those of now, with the model of then."""
    payload = settings.embedding.options
    if settings.embedding.provider == "auto":
        payload = payload.get(made.provider) or {}
    elif settings.embedding.provider != made.provider:
        payload = {}
    then = {**payload, "model": made.model}
    yield from (then, {**then, "dimensions": made.dimension}, payload)
