"""The parts an engine is made of, shared by all its handles."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from cortex.domain.identity import IdSource
from cortex.domain.scope import Tenant
from cortex.errors import EngineError, StoreUnavailable
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder
from cortex.ports.reranker import Reranker
from cortex.ports.store import Change, Store
from cortex.settings import Settings

log = logging.getLogger("cortex")


class Aftermath:
    """Writes what may be written after the answer: receipts and counters of use.

    A recall never waits for it, and never fails because of it; what could not be written is counted.
    """

    def __init__(self) -> None:
        self._queue: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.lost = 0

    def add(self, store: Store, tenant: Tenant, changes: Sequence[Change], at: datetime) -> None:
        def write() -> None:
            try:
                store.apply(tenant, changes, at=at)
            except EngineError as error:
                self.lost += 1
                log.warning("receipt not kept: %s", error.code)

        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="cortex-aftermath", daemon=True)
                self._thread.start()
        self._queue.put(write)

    def settle(self) -> None:
        """Wait until everything added so far is written."""
        self._queue.join()

    def close(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (write := self._queue.get()) is not None:
            try:
                write()
            except Exception:
                self.lost += 1
                log.exception("receipt not kept")
            finally:
                self._queue.task_done()
        self._queue.task_done()


@dataclass(slots=True)
class Parts:
    """Everything a handle needs; built once by `wiring`."""

    home: Path
    settings: Settings
    clock: Clock
    ids: IdSource
    open_store: Callable[[str], Store]
    embedder: Embedder
    reranker: Reranker
    aftermath: Aftermath = field(default_factory=Aftermath)
    workers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=4, thread_name_prefix="cortex-embed")
    )
    closed: bool = False
    _stores: dict[str, Store] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def store(self, agent: str) -> Store:
        """The store of an agent, opened on first use."""
        with self._lock:
            if self.closed:
                raise StoreUnavailable("the engine is closed", hint="open it again")
            if agent not in self._stores:
                self._stores[agent] = self.open_store(agent)
            return self._stores[agent]

    def close(self) -> None:
        self.aftermath.close()
        # A stalled embedder must not keep the process from ending.
        self.workers.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self.closed = True
            for store in self._stores.values():
                store.close()
            self._stores.clear()
