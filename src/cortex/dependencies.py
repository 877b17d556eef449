"""What an engine is built from, shared by all its handles."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from cortex.domain.identity import IdSource
from cortex.domain.scope import Tenant
from cortex.errors import StoreCorrupt, StoreForeign, StoreUnavailable
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder, ManagedEmbedder, VectorCache
from cortex.ports.file_search import LineSearch
from cortex.ports.hardware import Hardware
from cortex.ports.index import Indexes, IndexVectors
from cortex.ports.llm import ManagedLLM
from cortex.ports.reranker import Reranker
from cortex.ports.store import Replaced, Store
from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.pool import Threads
from cortex.settings import Settings
from cortex.write_behind import WriteBehindQueue

if TYPE_CHECKING:
    from cortex.runtime.scheduler import Scheduler
    from cortex.workspace.sources import Source

log = logging.getLogger("cortex")

T = TypeVar("T")


MOST_READERS = 16
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


@dataclass(slots=True)
class Dependencies:
    """Everything a handle needs; built once by `wiring`."""

    home: Path
    settings: Settings
    clock: Clock
    ids: IdSource
    open_store: Callable[[str], Store]
    embedder: ManagedEmbedder
    reranker: Reranker
    llm: ManagedLLM | None = None
    hardware: Hardware | None = None
    open_indexes: Callable[[Tenant], Indexes] | None = None
    """Opens the index of a tenant's files; None where files are not followed."""
    open_embedder: Callable[[IndexVectors], ManagedEmbedder | None] | None = None
    """Opens the embedder of an earlier model, if that needs no provider that is not configured."""
    replace_store: Callable[[str, Path, Path], Replaced] | None = None
    """Puts a backup in the place of an agent's store, keeping what was there; None where a store has no files."""
    vector_cache: VectorCache | None = None
    """The cache of vectors, whichever embedder is in use; None where there is none."""
    on_open: Callable[[str], None] | None = None
    """Called with an agent when its store was opened."""
    check_backup: Callable[[Path], None] | None = None
    """Refuses a backup that is not whole; None where a store has no files."""
    sentence_embedder: Embedder | None = None
    """The built-in model, by which capture judges statements; None where embedding is off."""
    write_behind: WriteBehindQueue = field(init=False)
    failures: FailureCounters = field(default_factory=FailureCounters)
    workers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=4, thread_name_prefix="cortex-embed")
    )
    readers: Threads = field(default_factory=lambda: Threads(MOST_READERS))
    """Running rerankers, including late ones."""
    open_search: Callable[[Tenant, Sequence[Source]], LineSearch] | None = None
    """Opens a program that searches the files in the place of the index; None where none is wanted."""
    wake: Callable[[], None] | None = None
    """Wakes the scheduler of this process, if there is one."""
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
    _indexes: dict[Tenant, Indexes] = field(default_factory=dict)
    _earlier: dict[IndexVectors, ManagedEmbedder | None] = field(default_factory=dict)
    _kept: dict[tuple[str, Tenant], Any] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _making: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.write_behind = WriteBehindQueue(self.clock.now)
        self.write_behind.on_work = self.nudge

    def nudge(self) -> None:
        """Wake the scheduler: there is work."""
        if self.wake is not None:
            self.wake()

    def store(self, agent: str) -> Store:
        """The store of an agent, opened on first use."""
        with self._lock:
            if self.closed:
                raise StoreUnavailable("the engine is closed", hint="open it again")
            is_new = agent not in self._stores
            if is_new:
                try:
                    self._stores[agent] = self.open_store(agent)
                except (StoreCorrupt, StoreForeign) as error:
                    if way_out := self.way_out(agent, is_foreign=isinstance(error, StoreForeign)):
                        error.hint = way_out
                    raise
            store = self._stores[agent]
        if is_new and self.on_open is not None:
            self.on_open(agent)
        return store

    def way_out(self, agent: str, *, is_foreign: bool = False) -> str:
        """What to do where the store of an agent cannot be read: the newest good backup, and how to restore it.

        Empty where there is nothing to say: a file that is `is_foreign` was never ours if it was never backed up.
        """
        from cortex.lifecycle import backups

        if self.check_backup is None:
            return ""
        folder = self.home / backups.FOLDER
        if is_foreign and not backups.listed(folder, agent):
            return ""
        whose = "" if agent == self.settings.agent else f" --agent {agent}"
        if (good := backups.newest_good(folder, agent, self.check_backup)) is not None:
            return f"run `cortex backup restore {good.path.name}{whose}`, the newest good one; the present file is kept"
        return (
            "there is no good backup: restore a copy with `cortex backup restore FILE`, or move the file away;"
            " `cortex import` takes in an export, and `cortex index` the files again"
        )

    def indexes(self, tenant: Tenant) -> Indexes | None:
        """The index of a tenant's files and whatever takes its place, opened on first use."""
        with self._lock:
            if self.closed:
                raise StoreUnavailable("the engine is closed", hint="open it again")
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
        self.write_behind.flush()
        with self._lock:
            store = self._stores.pop(agent, None)
        if store is not None:
            store.close()

    def close(self) -> None:
        while self._kept:  # one that is closing may still ask for another
            self._kept.popitem()[1].close()
        self.write_behind.close()
        for provider in (self.llm, self.embedder, *self._earlier.values()):
            if provider is not None:
                provider.close()
        # A stalled embedder must not keep the process from ending.
        self.workers.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self.closed = True
            for store in self._stores.values():
                store.close()
            self._stores.clear()
            for indexes in self._indexes.values():
                indexes.close()
            self._indexes.clear()
