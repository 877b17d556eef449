"""The one place where adapters meet the flows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex import registry
from cortex import settings as configuration
from cortex.clock import SystemClock
from cortex.domain.identity import IdSource, Uuid7Source
from cortex.domain.lanes import Lane
from cortex.domain.scope import DEFAULT_USER, Tenant
from cortex.domain.vectors import EmbeddingSpace
from cortex.engine import Engine
from cortex.errors import EngineError, ProviderMissing, install_command
from cortex.parts import Parts
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder
from cortex.ports.hardware import Hardware
from cortex.ports.index import Indexes, VectorsMade
from cortex.ports.llm import LLM
from cortex.ports.reranker import Reranker
from cortex.ports.searching import LineSearch, SourceName
from cortex.ports.store import Replaced, Store
from cortex.providers.embedders.caching import CacheFile, CachingEmbedder
from cortex.providers.embedders.guarded import GuardedEmbedder
from cortex.providers.models import PINNED, ModelStore
from cortex.settings import Settings

if TYPE_CHECKING:
    from cortex.client import RemoteCortex
    from cortex.providers.own_models import OwnModel
    from cortex.workspace.sources import Source

AGENTS = "agents"
CACHE = "embeddings.sqlite"
SPENDING = "llm-spending.sqlite"


class Cortex(Engine):
    """A memory on this machine: `Cortex(home)` opens it, and makes it on first use."""

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        agent: str | None = None,
        user: str | None = None,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        llm: LLM | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> None:
        root = configuration.default_home() if home is None else Path(home).expanduser()
        loaded = configuration.load(root, settings)
        super().__init__(
            build(root, loaded, embedder=embedder, reranker=reranker, llm=llm, clock=clock, ids=ids),
            Tenant(agent or loaded.agent, user or loaded.user),
        )

    @staticmethod
    def connect(
        url: str, *, token: str | None = None, agent: str | None = None, user: str | None = None, timeout: float = 30.0
    ) -> RemoteCortex:
        """A memory that a server keeps (`cortex serve`), with the same methods. `timeout` is in seconds, for an answer.

        Without `agent` and `user` it is the memory the token was made for.
        """
        try:
            from cortex.client import RemoteCortex
        except ModuleNotFoundError as error:
            if error.name != "httpx":
                raise
            raise ProviderMissing(
                "a server is reached by httpx, which is not installed", hint=install_command("client")
            ) from error
        return RemoteCortex(url, token=token, agent=agent, user=user, timeout=timeout)


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
) -> Parts:
    """The parts of an engine under `home`; what is handed in is used as it stands."""
    clock = clock or SystemClock()
    models = models or configuration.models_home(home)
    wired = _embedder(home, settings, clock, models, embedder)
    hardware = _hardware(settings, clock)
    llm = _llm(home, settings, clock, hardware, llm)
    if reranker is None:
        create = registry.find("cortex.rerankers", settings.rerank.provider, llm=llm)
        reranker = create(settings.rerank.options, models)
    return Parts(
        home=home,
        settings=settings,
        clock=clock,
        ids=ids or Uuid7Source(),
        open_store=lambda agent: _store(home, agent, settings),
        embedder=wired,
        reranker=reranker,
        llm=llm,
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
    from cortex.providers.own_models import Speech, add

    return add(configuration.models_home(home), source, name, Speech.checked(**speech))


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
    """The monitor of the card, where it is to be asked (C15)."""
    watched = settings.hardware
    if not watched.enabled:
        return None
    from cortex.providers.hardware import HardwareMonitor

    return HardwareMonitor(watched.url, clock, max_load=watched.max_load, max_temperature=watched.max_temperature)


def _llm(home: Path, settings: Settings, clock: Clock, hardware: Hardware | None, given: LLM | None) -> LLM | None:
    """The language model, within its budget; None where none is wanted, and then nothing of it is imported."""
    options = settings.llm
    if given is None and options.provider == "none":
        return None
    from cortex.providers.llms.guarded import GuardedLLM
    from cortex.providers.llms.spending import Limits, Spending

    seconds = options.timeout_ms / 1000
    limits = Limits(
        calls_per_hour=options.calls_per_hour,
        calls_per_day=options.calls_per_day,
        tokens_per_hour=options.tokens_per_hour,
        tokens_per_day=options.tokens_per_day,
    )
    inner: LLM = given or registry.find("cortex.llms", options.provider)(options.options, seconds)
    spending = Spending(home / SPENDING, limits, clock, hold_seconds=max(300.0, 2 * seconds))
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
        from cortex.providers.qmd import Collection, Limits, Mode, QmdSearch

        told = settings.files.qmd
        return QmdSearch(
            home / AGENTS / f"{index_name(tenant)}.qmd",
            [Collection(**wanted) for wanted in map(_collection, sources)],
            clock,
            command=told.command,
            mode=Mode(told.mode),
            limits=Limits(
                max_results=told.max_results,
                max_snippet_chars=told.max_snippet_chars,
                max_injected_chars=told.max_injected_chars,
                timeout_ms=told.timeout_ms,
            ),
            cache=home / "qmd-models",
        )

    return open_


def _collection(source: Source) -> dict[str, Any]:
    """A source as qmd takes folders: with a pattern of the files in it that are memory."""
    from cortex.workspace.sources import Shape

    lane: SourceName = "docs" if source.lane is Lane.DOCS else "memory"
    told: dict[str, Any] = {"name": source.name or "workspace", "cited": source.name, "source": lane}
    if source.root.is_file():
        return told | {"root": source.root.parent, "pattern": source.root.name}
    if source.shape is Shape.WORKSPACE:
        return told | {"root": source.root, "pattern": "{MEMORY.md,memory.md,memory/**/*.md}"}
    return told | {"root": source.root, "pattern": "**/*.{md,markdown,mdx}"}


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


def _embedder(home: Path, settings: Settings, clock: Clock, models: Path, given: Embedder | None) -> Embedder:
    options = settings.embedding
    inner: Embedder = given or registry.find("cortex.embedders", options.provider)(options.options, models)
    return _guarded(inner, home, settings, clock)


def _guarded(inner: Embedder, home: Path, settings: Settings, clock: Clock) -> Embedder:
    options = settings.embedding
    guarded = GuardedEmbedder(
        inner, clock, max_chars=options.max_chars, head_chars=options.head_chars, max_bytes=options.max_bytes
    )
    # The cache stands outside the guard, so that what is known is answered while a provider is out of order.
    if options.cache_entries and inner.space.dimension:
        return cached(guarded, home / CACHE, options.cache_entries, clock)
    return guarded


def _earlier_embedder(
    made: VectorsMade, now: EmbeddingSpace, home: Path, settings: Settings, clock: Clock, models: Path
) -> Embedder | None:
    """The embedder that made these vectors, where it can still be asked; None where it cannot.

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


def _earlier_options(made: VectorsMade, settings: Settings) -> Iterator[Mapping[str, Any]]:
    """What the provider may have been told, the likeliest first: as now, with the model that was used then."""
    told = settings.embedding.options
    if settings.embedding.provider == "auto":
        told = told.get(made.provider) or {}
    elif settings.embedding.provider != made.provider:
        told = {}
    then = {**told, "model": made.model}
    yield from (then, {**then, "dimensions": made.dimension}, told)
