"""What an engine is built from, shared by all its handles."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from cortex import store_drivers
from cortex.canary_arms import CanaryArms
from cortex.domain.backup_manifest import Figures
from cortex.domain.erasure import Erasure
from cortex.domain.health import Check
from cortex.domain.identity import IdSource
from cortex.domain.modality import Modality
from cortex.domain.scope import Tenant
from cortex.errors import StoreCorrupt, StoreForeign, StoreUnavailable
from cortex.operation_counters import OperationCounters
from cortex.ports.clock import Clock
from cortex.ports.documents import Documents
from cortex.ports.embedder import Embedder, ManagedEmbedder, ManagedMediaEmbedder, VectorCache
from cortex.ports.file_search import LineSearch
from cortex.ports.hardware import Hardware
from cortex.ports.index import Indexes, IndexVectors
from cortex.ports.llm import ManagedLLM
from cortex.ports.reranker import Reranker
from cortex.ports.signals import Topic
from cortex.ports.store import Abilities, Replaced, RestoreMark, Store
from cortex.ports.store_url import StoreUrl
from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.ladder import Ladder
from cortex.runtime.pool import Threads
from cortex.settings import Settings
from cortex.signals import Signals
from cortex.write_behind import WriteBehindQueue

if TYPE_CHECKING:
    from cortex.runtime.scheduler import Scheduler
    from cortex.workspace.sources import Source

log = logging.getLogger("cortex")

T = TypeVar("T")


SCRATCH = ".drill-"
"""What the folders under the home begin with in which backups are tried."""

MOST_READERS = 16
MOST_MEDIA_QUESTIONS = 4
"""How many rerankers may be at work at once; beyond, recalls keep their first order."""


class RemoteWorker(Protocol):
    """Another process that does the background work of this engine."""

    def ask(self, tenant: Tenant, what: str, **given: Any) -> Future[Any] | None:
        """Have it do `what` now; None if it is not reachable."""
        ...

    def run(self, tenant: Tenant, what: str, **given: Any) -> Any | None:
        """Its answer; None if it is not reachable, or ended meanwhile."""
        ...

    def status(self) -> dict[str, Any]: ...
    def anomalies(self) -> list[dict[str, Any]]: ...

    def watching(self, tenant: Tenant) -> Mapping[str, Any] | None:
        """How it follows the files of a tenant; None where it does not."""
        ...

    def troubles(self) -> Iterable[tuple[str, str]]:
        """What does not work as it should, each with what to do."""
        ...


MOST_POSITIONS = 10_000


class KnownPositions:
    """The last position of each tenant's ledger that was written or shown in this process: no reader goes back behind.

    Those that were met longest ago are forgotten; their next reader sees the present.
    """

    def __init__(self, most: int = MOST_POSITIONS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._positions: OrderedDict[Tenant, int] = OrderedDict()

    def learn(self, tenant: Tenant, position: int) -> None:
        with self._lock:
            self._positions[tenant] = max(position, self._positions.get(tenant, 0))
            self._positions.move_to_end(tenant)
            if len(self._positions) > self._most:
                self._positions.popitem(last=False)

    def of(self, tenant: Tenant) -> int | None:
        return self._positions.get(tenant)

    def forget(self, agent: str) -> None:
        """The ledgers of an agent may begin again: its store is replaced."""
        with self._lock:
            for tenant in [each for each in self._positions if each.agent == agent]:
                del self._positions[tenant]


@dataclass(slots=True)
class Dependencies:
    """Everything a handle needs; built once by `wiring`."""

    home: Path
    settings: Settings
    clock: Clock
    ids: IdSource
    documents: Documents
    """Access tokens and the budget of the language model: shared where the store is."""
    open_store: Callable[[str], Store]
    store_abilities: Callable[[str], Abilities]
    """What an agent's kind of store can do, known before it is opened."""
    all_abilities: Sequence[Abilities]
    """What each kind of store in use can do."""
    store_checks: Callable[[], Sequence[Check]]
    """What the doctor checks of the stores before they are opened."""
    replace_store: Callable[[str, Path, Path, RestoreMark], Replaced]
    """Puts a backup in the place of an agent's store, keeping what was there."""
    check_backup: Callable[[str, Path], None]
    """Refuses a backup of an agent that is not whole."""
    rehearse_restore: Callable[[str, Path, Path], Store]
    """Restores a backup of an agent into a store of its own under a scratch folder, and opens that."""
    rewrite_backup: Callable[[str, Path, Sequence[Erasure]], Mapping[str, Figures]]
    """Takes what was erased out of a backup of an agent; returns what is left in it."""
    embedder: ManagedEmbedder
    reranker: Reranker
    llm: ManagedLLM | None = None
    hardware: Hardware | None = None
    open_indexes: Callable[[Tenant], Indexes] | None = None
    """Opens the index of a tenant's files; None where files are not followed."""
    open_embedder: Callable[[IndexVectors], ManagedEmbedder | None] | None = None
    """Opens the embedder of an earlier model, if that needs no provider that is not configured."""
    media_embedders: Mapping[Modality, ManagedMediaEmbedder] = field(default_factory=dict)
    """What embeds media, by modality; none where the text about them is all that is embedded."""
    vector_cache: VectorCache | None = None
    """The cache of vectors, whichever embedder is in use; None where there is none."""
    on_open: Callable[[str], None] | None = None
    """Called with an agent when its store was opened."""
    sentence_embedder: Embedder | None = None
    """The built-in model, by which capture judges statements; None where embedding is off."""
    write_behind: WriteBehindQueue = field(init=False)
    ladder: Ladder = field(init=False)
    """How much of recall the turns of this process get."""
    arms: CanaryArms = field(init=False)
    """Which sessions try other settings."""
    positions: KnownPositions = field(default_factory=KnownPositions)
    failures: FailureCounters = field(default_factory=FailureCounters)
    counters: OperationCounters = field(default_factory=OperationCounters)
    """What operations did, for the metrics page."""
    workers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=4, thread_name_prefix="cortex-embed")
    )
    readers: Threads = field(default_factory=lambda: Threads(MOST_READERS))
    """Running rerankers, including late ones."""
    media_questions: Threads = field(default_factory=lambda: Threads(MOST_MEDIA_QUESTIONS))
    """Queries that media embedders are embedding: a stalled one takes no thread from the text embedder."""
    open_search: Callable[[Tenant, Sequence[Source]], LineSearch] | None = None
    """Opens a program that searches the files in the place of the index; None where none is wanted."""
    signals: Signals = field(default_factory=Signals)
    """Wakes the schedulers and streams of this process, and of others that share the store."""
    schedulers: list[Scheduler] = field(default_factory=list)
    """The threads that do the background work in this process."""
    worker: RemoteWorker | None = None
    """The worker process that does it, if there is one."""
    is_crowded: Callable[[], bool] = bool
    """Whether requests are waiting right now, so that background work can wait."""
    only_reads: bool = False
    """Whether another process does all writing, so that files are not synced here."""
    ending: bool = False
    """Whether the process is about to end: running work is finished, and no more is started."""
    closed: bool = False
    _stores: dict[str, Store] = field(default_factory=dict)
    _opening: dict[str, threading.Lock] = field(default_factory=dict)
    _indexes: dict[Tenant, Indexes] = field(default_factory=dict)
    _earlier: dict[IndexVectors, ManagedEmbedder | None] = field(default_factory=dict)
    _kept: dict[tuple[str, Tenant], Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _making: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.write_behind = WriteBehindQueue(self.clock.now)
        self.ladder = Ladder(self.clock)
        self.arms = CanaryArms(self.documents, self.clock, self.settings)
        self.arms.on_promoted = partial(setattr, self, "settings")
        self.write_behind.on_work = lambda store: self.signals.send(store, Topic.JOBS)

    def nudge(self, agent: str) -> None:
        """Wake the schedulers: there is work."""
        self.signals.send(self.store(agent), Topic.JOBS)

    def store(self, agent: str) -> Store:
        """The store of an agent, opened on first use."""
        with self._lock:
            self._refuse_closed()
            if (store := self._stores.get(agent)) is not None:
                return store
            opening = self._opening.setdefault(agent, threading.Lock())
        # Others do not wait: their stores may be in another database, and this one may not answer.
        with opening:
            if (store := self._stores.get(agent)) is not None:
                return store
            store = self._opened(agent)
            self.signals.follow(store)
        if self.on_open is not None:
            self.on_open(agent)
        return store

    def _opened(self, agent: str) -> Store:
        try:
            store = self.open_store(agent)
        except (StoreCorrupt, StoreForeign) as error:
            if way_out := self.way_out(agent, is_foreign=isinstance(error, StoreForeign)):
                error.hint = way_out
            raise
        with self._lock:
            if not self.closed:
                self._stores[agent] = store
                return store
        store.close()
        raise _closed()

    def _refuse_closed(self) -> None:
        if self.closed:
            raise _closed()

    def store_url(self, agent: str) -> StoreUrl:
        """Where an agent's memory is."""
        return self.settings.store.url_of(agent)

    def require(self, agent: str, ability: str, abilities: Abilities | None = None) -> None:
        """Refuse a call where an agent's store lacks the ability that it needs: an open one, or any of its kind."""
        store_drivers.require(ability, abilities or self.store_abilities(agent), self.store_url(agent))

    def way_out(self, agent: str, *, is_foreign: bool = False) -> str:
        """What to do where the store of an agent cannot be read: the newest good backup, and how to restore it.

        Empty where there is nothing to say: a file that is `is_foreign` was never ours if it was never backed up.
        """
        from cortex.lifecycle import backups

        abilities = self.store_abilities(agent)
        if not abilities.restore:
            return ""
        folder = self.home / backups.FOLDER
        if is_foreign and not backups.listed(folder, agent):
            return ""
        whose = "" if agent == self.settings.agent else f" --agent {agent}"
        good = backups.newest_good(folder, agent, lambda backup: self.check_backup(agent, backup))
        if good is not None:
            return f"run `cortex backup restore {good.path.name}{whose}`, the newest good one; the present file is kept"
        return (
            "there is no good backup: restore a copy with `cortex backup restore FILE`, or move the file away;"
            " `cortex import` takes in an export, and `cortex index` the files again"
        )

    def indexes(self, tenant: Tenant) -> Indexes | None:
        """The index of a tenant's files and whatever takes its place, opened on first use."""
        with self._lock:
            self._refuse_closed()
            if tenant not in self._indexes and self.open_indexes is not None:
                self._indexes[tenant] = self.open_indexes(tenant)
            return self._indexes.get(tenant)

    def embedder_of(self, made: IndexVectors) -> ManagedEmbedder | None:
        """The embedder that creates such vectors; None if it is not available any more."""
        with self._making:
            if made not in self._earlier and not self.closed:
                self._earlier[made] = self.open_embedder(made) if self.open_embedder else None
            return self._earlier.get(made)

    def one(self, what: str, tenant: Tenant, make: Callable[[], T]) -> T:
        """The one `what` there is for a tenant while the engine is open, made on first use; closed with the engine."""
        with self._making:
            key = (what, tenant)
            if key not in self._kept:
                self._kept[key] = make()
            made: T = self._kept[key]
            return made

    def made(self, what: str, tenant: Tenant) -> Any | None:
        """The one `what` of a tenant, where it was made already."""
        return self._kept.get((what, tenant))

    def release(self, agent: str) -> None:
        """Close the store of an agent; it is opened again on next use."""
        self.write_behind.flush(agent)
        with self._lock:
            store = self._stores.pop(agent, None)
        self.positions.forget(agent)
        if store is not None:
            self.signals.unfollow(store)
            store.close()

    def close(self) -> None:
        while self._kept:  # one that is closing may still ask for another
            self._kept.popitem()[1].close()
        self.write_behind.close()
        for provider in (
            self.llm,
            self.embedder,
            *self._earlier.values(),
            *dict.fromkeys(self.media_embedders.values()),
        ):
            if provider is not None:
                provider.close()
        # A stalled embedder must not keep the process from ending.
        self.workers.shutdown(wait=False, cancel_futures=True)
        self.documents.close()
        with self._lock:
            self.closed = True
            for store in self._stores.values():
                store.close()
            self._stores.clear()
            for indexes in self._indexes.values():
                indexes.close()
            self._indexes.clear()


def _closed() -> StoreUnavailable:
    return StoreUnavailable("the engine is closed", hint="open it again")
