"""The one place where adapters meet the flows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from cortex import registry, store_drivers
from cortex import settings as configuration
from cortex.clock import SystemClock
from cortex.dependencies import SCRATCH, Dependencies
from cortex.domain.backup_manifest import Figures
from cortex.domain.erasure import Erasure
from cortex.domain.health import Check, Group
from cortex.domain.identity import IdSource, Uuid7Source
from cortex.domain.lanes import Lane
from cortex.domain.modality import Modality, of_media_type
from cortex.domain.scope import DEFAULT_USER, Tenant
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import EngineError, InvalidRequest, NotFound, StoreUnavailable
from cortex.host_id import host_id
from cortex.ports.clock import Clock
from cortex.ports.documents import Documents
from cortex.ports.embedder import Embedder, ManagedEmbedder, ManagedMediaEmbedder, MediaEmbedder
from cortex.ports.file_search import LineSearch, SourceName
from cortex.ports.hardware import Hardware
from cortex.ports.index import Indexes, IndexVectors
from cortex.ports.llm import LLM, ManagedLLM
from cortex.ports.nearest import Accelerated, Acceleration, OpenNearest
from cortex.ports.reranker import Reranker
from cortex.ports.store import Abilities, Erase, Replaced, RestoreMark, Store
from cortex.ports.store_driver import RestoringDriver, RewritingDriver, SharedDriver
from cortex.ports.store_url import StoreUrl
from cortex.progress import Progress, silent
from cortex.providers.embedders import vector_cache
from cortex.providers.embedders.guard import GuardedEmbedder, GuardedMediaEmbedder
from cortex.providers.embedders.vector_cache import CacheFile, CachingEmbedder, CachingMediaEmbedder
from cortex.providers.models import PINNED, ModelStore
from cortex.settings import Settings

if TYPE_CHECKING:
    from cortex.providers.own_models import OwnModel
    from cortex.services.migration import MigratedTenant
    from cortex.workspace.sources import Source

AGENTS = "agents"
"""Where this host keeps what it has of agents' files by itself."""


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
    media_embedders: Mapping[Modality, MediaEmbedder] | None = None,
) -> Dependencies:
    """The dependencies of an engine under `home`; what is handed in is used as it stands."""
    clock = clock or SystemClock()
    models = models or configuration.models_home(home)
    stores = Stores(home, settings)
    wired = _embedder(home, settings, clock, models, embedder)
    hardware = _hardware(settings, clock)
    acceleration = _acceleration(settings, clock)
    documents = stores.home.documents(clock)
    model = _llm(documents, settings, clock, hardware, llm)
    if reranker is None:
        create = registry.find("cortex.rerankers", settings.rerank.provider, llm=model)
        reranker = create(settings.rerank.options, models)
    return Dependencies(
        home=home,
        settings=settings,
        clock=clock,
        ids=ids or Uuid7Source(),
        documents=documents,
        open_store=lambda agent: _accelerated(stores.open(agent), agent, acceleration),
        store_abilities=lambda agent: stores.of(agent).abilities,
        all_abilities=stores.abilities,
        store_checks=lambda: stores.checks(clock),
        embedder=wired,
        reranker=reranker,
        llm=model,
        hardware=hardware,
        open_indexes=lambda tenant: stores.of(tenant.agent).indexes(tenant),
        open_search=_searching(home, settings, clock),
        open_embedder=lambda made: _earlier_embedder(made, wired.space, home, settings, clock, models),
        replace_store=lambda agent, backup, keep_at, mark: stores.of(agent).restore(agent, backup, keep_at, mark),
        media_embedders=_media_embedders(home, settings, clock, models, given=media_embedders or {}),
        vector_cache=CacheFile(home / vector_cache.FILE_NAME),
        check_backup=lambda agent, backup: stores.of(agent).check_backup(backup),
        rehearse_restore=lambda agent, backup, scratch: stores.of(agent).rehearse(agent, backup, scratch),
        rewrite_backup=lambda agent, backup, erasures: stores.of(agent).rewrite_backup(agent, backup, erasures),
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


def open_documents(home: Path, settings: Settings, clock: Clock) -> Documents:
    """Where tokens and the budget are: in a store that several hosts share, or else in files under the home."""
    return Stores(home, settings).home.documents(clock)


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
    documents: Documents, settings: Settings, clock: Clock, hardware: Hardware | None, given: LLM | None
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
    spending = Budget(documents, limits, clock, hold_seconds=max(300.0, 2 * seconds))
    return GuardedLLM(inner, spending, clock, timeout=seconds, hardware=hardware)


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


class StorePlace:
    """A place where agents have their memory: a URL, and what is set for its kind of store."""

    def __init__(self, home: Path, settings: Settings, url: StoreUrl) -> None:
        self.url = url
        self._home = home
        self._driver = store_drivers.driver(url.scheme)
        self._options = store_drivers.options_of(settings, url.scheme, home)
        self._indexes: dict[str, Callable[[str], Indexes]] = {}
        with without_secrets(url):
            self._driver.check_url(url, home=home)

    @property
    def abilities(self) -> Abilities:
        return self._driver.ABILITIES

    def open(self, agent: str) -> Store:
        with without_secrets(self.url):
            return self._driver.create(self.url, agent=agent, home=self._home, options=self._options)

    def agents(self) -> list[str]:
        """The agents that have a store there."""
        with without_secrets(self.url):
            return self._driver.agents(self.url, home=self._home, options=self._options)

    def documents(self, clock: Clock) -> Documents:
        """The documents beside the memories: where hosts share the store, they share them too."""
        if not self.abilities.multi_host:
            from cortex.stores.file_documents import FileDocuments

            return FileDocuments(self._home)
        driver = cast(SharedDriver, self._driver)
        with without_secrets(self.url):
            return driver.documents(self.url, home=self._home, options=self._options, clock=clock)

    def indexes(self, tenant: Tenant) -> Indexes:
        """The index of a tenant's files: where hosts share the store, they share their indexes too."""
        if not self.abilities.multi_host:
            local: Indexes = registry.find("cortex.indexes", "local")(self._home / AGENTS, index_name(tenant))
            return local
        if tenant.agent not in self._indexes:
            driver = cast(SharedDriver, self._driver)
            host = host_id(self._home, Uuid7Source(), SystemClock().now())
            self._indexes[tenant.agent] = driver.indexes(
                self.url, agent=tenant.agent, home=self._home, options=self._options, host=host
            )
        return self._indexes[tenant.agent](tenant.user)

    def restore(self, agent: str, backup: Path, keep_at: Path, mark: RestoreMark) -> Replaced:
        with without_secrets(self.url):
            return self._restoring.restore(
                self.url,
                agent=agent,
                home=self._home,
                options=self._options,
                backup=backup,
                keep_at=keep_at,
                mark=mark,
            )

    def check_backup(self, backup: Path) -> None:
        self._restoring.check_backup(backup)

    def rehearse(self, agent: str, backup: Path, scratch: Path) -> Store:
        """A backup restored into a store of its own under `scratch`, whatever kind of store it was made of."""
        url = StoreUrl(registry.DEFAULT_STORE)
        driver = store_drivers.driver(url.scheme)
        if isinstance(self._driver, RewritingDriver):
            return self._driver.open_copy(agent=agent, home=scratch, options=self._options, backup=backup)
        options = driver.OPTIONS()
        from cortex.stores import archive

        store = driver.create(url, agent=agent, home=scratch, options=options)
        try:
            archive.load(backup, store, agent)
        except BaseException:
            store.close()
            raise
        return store

    def rewrite_backup(self, agent: str, backup: Path, erasures: Sequence[Erasure]) -> Mapping[str, Figures]:
        """Take what was erased out of a backup, all or nothing; returns what is left in it."""
        if isinstance(self._driver, RewritingDriver):
            with without_secrets(self.url):
                return self._driver.rewrite_backup(
                    self.url, agent=agent, home=self._home, options=self._options, backup=backup
                )
        from cortex.stores import archive

        with (
            TemporaryDirectory(prefix=SCRATCH, dir=self._home) as scratch,
            closing(self.rehearse(agent, backup, Path(scratch))) as store,
        ):
            for each in erasures:
                store.apply(Tenant(agent, each.user), [Erase(each, loosely=True)], at=each.at, actor="store")
            archive.write(store, agent, backup)
        return archive.figures(backup)

    def checks(self, clock: Clock) -> Sequence[Check]:
        with without_secrets(self.url):
            return self._driver.checks(self.url, home=self._home, clock=clock)

    @property
    def _restoring(self) -> RestoringDriver:
        store_drivers.require("restore", self.abilities, self.url)
        return cast(RestoringDriver, self._driver)


class Stores:
    """Where the memory of each agent is: at `store.url`, or where `store.agents` places it."""

    def __init__(self, home: Path, settings: Settings) -> None:
        self._url_of = settings.store.url_of
        self._places = {url: StorePlace(home, settings, url) for url in settings.store.urls}
        self.home = self._places[settings.store.url]
        """The place of all agents that are not placed elsewhere, and of what belongs to no agent."""

    def of(self, agent: str) -> StorePlace:
        return self._places[self._url_of(agent)]

    def open(self, agent: str) -> Store:
        return self.of(agent).open(agent)

    def agents(self) -> list[str]:
        """The agents that have a store where they are placed, in order."""
        return sorted(agent for place in self._places.values() for agent in place.agents() if self.of(agent) is place)

    @property
    def abilities(self) -> Sequence[Abilities]:
        """What each kind of store in use can do."""
        return [place.abilities for place in self._places.values()]

    def checks(self, clock: Clock | None = None) -> Sequence[Check]:
        """What the doctor checks of every place before it opens a store there."""
        clock = clock or SystemClock()
        if len(self._places) == 1:
            return self.home.checks(clock)
        found = [
            replace(check, detail=f"{place.url}: {check.detail}")
            for place in self._places.values()
            for check in place.checks(clock)
        ]
        return [*found, *self._misplaced()]

    def _misplaced(self) -> Iterator[Check]:
        """Agents whose memory is at one place while they are placed at another."""
        for old in self._places.values():
            with suppress(EngineError):  # a place that cannot be asked is reported by its own checks
                for agent in old.agents():
                    if (new := self.of(agent)) is not old:
                        yield from _left_behind(agent, old, new)


def _left_behind(agent: str, old: StorePlace, new: StorePlace) -> Iterator[Check]:
    """What an agent has at `old`, and not where it is placed now."""
    with ExitStack() as opened:
        there = opened.enter_context(closing(old.open(agent)))
        # Where the agent has nothing yet, nothing is made.
        here = opened.enter_context(closing(new.open(agent))) if agent in new.agents() else None
        tenants = [Tenant(agent, user) for user in there.users()]
        known = set(here.users() if here else ())
        absent = [each for each in tenants if each.user not in known]
        ahead = [each for each in tenants if here and each.user in known and _last(there, each) > _last(here, each)]
    if absent:
        why = f"agent {agent} has memories at {old.url} but is placed on {new.url}"
        fix = f"run `cortex admin migrate --agent {agent} --from '{old.url}' --to '{new.url}'`"
        yield Check("placement", None, why, fix, Group.MEMORY)
    if ahead:
        why = f"agent {agent} was written to at {old.url} after it was moved to {new.url}"
        yield Check("placement", None, why, "export it there, and import it here", Group.MEMORY)


def _last(store: Store, tenant: Tenant) -> int:
    with store.view(tenant) as view:
        return view.position


def migrate(
    home: Path,
    *,
    source: str | None,
    target: str,
    agent: str | None = None,
    user: str | None = None,
    dry_run: bool = False,
    progress: Progress = silent,
) -> list[MigratedTenant]:
    """Carry the memory of all agents and users, or of those that are named, from one store to another."""
    from cortex.services import migration

    stores = Stores(home, configuration.load(home) if source is None else _alone(home, source))
    there = Stores(home, _alone(home, target)).home
    names = stores.agents() if agent is None else [Tenant(agent).agent]
    moved = [name for name in names if stores.of(name).url != there.url]
    if not moved and (names or stores.home.url == there.url):
        hint = "name another one, or with --from the store to read"
        raise InvalidRequest("is the store to read", field="to", hint=hint)
    if agent is not None and agent not in (known := stores.of(agent).agents()):
        hint = f"agents there: {', '.join(known) or 'none'}"
        raise NotFound(f"agent {agent!r} has no memory at {stores.of(agent).url}", hint=hint)
    done: list[MigratedTenant] = []
    for name in moved:
        with closing(stores.open(name)) as one:
            users = [each for each in one.users() if user in (None, each)]
            if dry_run:
                done += [migration.planned(one, Tenant(name, each), progress) for each in users]
            elif users:
                with closing(there.open(name)) as other:
                    done += [migration.migrate_tenant(one, other, Tenant(name, each), progress) for each in users]
    return done


def _alone(home: Path, url: str) -> Settings:
    """The settings with all agents at one place."""
    found = configuration.load(home, {"store": {"url": url}})
    return replace(found, store=replace(found.store, agents={}))


def store_checks(home: Path, settings: Settings) -> Sequence[Check]:
    """What `cortex doctor` checks of the store before it opens one."""
    return Stores(home, settings).checks()


@contextmanager
def without_secrets(url: StoreUrl) -> Iterator[None]:
    """A store's errors, without the secrets of its URL: what drivers say may repeat it."""
    try:
        yield
    except EngineError as error:
        error.message, error.hint = url.without_secrets(error.message), url.without_secrets(error.hint)
        error.args = (error.message,)
        raise error from None
    except Exception as error:
        why = url.without_secrets(f"{type(error).__name__}: {error}")
        raise StoreUnavailable(f"the store {url} cannot be opened: {why}", hint="check store.url") from None


def _acceleration(settings: Settings, clock: Clock) -> Acceleration | None:
    """The engine for the vectors of large tenants, if one is set; it is imported and opened once it is needed."""
    wanted = settings.nearest
    if not wanted.url:
        return None
    from cortex.stores.nearest.guard import guarded, shown

    def create() -> OpenNearest:
        engine: OpenNearest = registry.find("cortex.nearest", _scheme(wanted.url))(wanted.url, wanted.options)
        return engine

    url = shown(wanted.url)
    opening = guarded(cache(create), url, wanted.options)
    return Acceleration(opening, url, wanted.from_vectors, wanted.timeout_ms / 1000, clock)


def _scheme(url: str) -> str:
    return url.partition(":")[0].partition("+")[0].lower()


def _accelerated(store: Store, agent: str, acceleration: Acceleration | None) -> Store:
    if acceleration is not None and isinstance(store, Accelerated):
        named = replace(acceleration, open=lambda name, dimension: acceleration.open(f"{agent}-{name}", dimension))
        store.accelerate(named)
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
        return cached(guarded, home / vector_cache.FILE_NAME, options.cache_entries, clock)
    return guarded


def _media_embedders(
    home: Path, settings: Settings, clock: Clock, models: Path, given: Mapping[Modality, MediaEmbedder]
) -> dict[Modality, ManagedMediaEmbedder]:
    """The embedders of media by modality: of each name there is one, whatever it is named for."""
    options, entries = settings.embedding.media, settings.embedding.cache_entries
    inner: dict[str, MediaEmbedder] = {}
    for name in options.providers.values():
        if name not in inner:
            inner[name] = registry.find("cortex.media_embedders", name)(_own_options(options.options, name), models)
    named = {Modality(modality): inner[name] for modality, name in options.providers.items()} | dict(given)
    ready: dict[int, ManagedMediaEmbedder] = {}
    for modality, each in named.items():
        takes = sorted(media_type for media_type in each.accepts if of_media_type(media_type) is modality)
        if not takes:
            raise InvalidRequest(
                f"{options.providers.get(modality, modality)!r} embeds no {modality}",
                field=f"embedding.media.{modality}", hint=f"it takes {', '.join(sorted(each.accepts)) or 'nothing'}",
            )  # fmt: skip
        guarded = GuardedMediaEmbedder(each, clock)
        path = home / vector_cache.FILE_NAME
        ready.setdefault(id(each), CachingMediaEmbedder(guarded, path, entries, clock) if entries else guarded)
    return {modality: ready[id(each)] for modality, each in named.items()}


def _own_options(options: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The options of one media embedder."""
    given = options.get(name, {})
    if not isinstance(given, Mapping):
        field = f"embedding.media.options.{name}"
        raise InvalidRequest("is not a table", field=field, hint=f"give the options of {name} under it")
    return given


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
