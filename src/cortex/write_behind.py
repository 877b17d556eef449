"""The write-behind queue: receipts and counters are stored after the answer was given."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.ports.store import Change, PutJob, Store
from cortex.runtime.worker import BatchQueue

log = logging.getLogger("cortex")

GATHER_SECONDS = 0.02
"""Receipts of quick successive calls are written together: each waits this long for the next."""


Deferred = Callable[[], Sequence[Change]]
"""Changes that are worked out when they are written, because no answer should wait for that."""


@dataclass(frozen=True, slots=True)
class _Entry:
    store: Store
    tenant: Tenant
    changes: Sequence[Change] | Deferred
    actor: str

    def worked_out(self) -> Sequence[Change]:
        return self.changes() if callable(self.changes) else self.changes


class WriteBehindQueue:
    """Stores receipts and access counts in the background.

    A recall never waits for it, and never fails because of it; what could not be written is counted.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._queues: dict[str, BatchQueue[_Entry]] = {}
        """One for each agent: a database that does not answer holds up no other."""
        self._is_closed = False
        self.lost = 0
        self.why: EngineError | None = None
        """Why the last one was lost."""
        self.on_work: Callable[[Store], None] | None = None
        """Called when a job was written."""

    def add(self, store: Store, tenant: Tenant, changes: Sequence[Change] | Deferred, actor: str = "") -> None:
        self._queue(tenant.agent).add(_Entry(store, tenant, changes, actor))

    def flush(self, agent: str | None = None) -> None:
        """Wait until everything that was added so far is written, of one agent or of all; later additions may wait."""
        for queue in self._all() if agent is None else [self._queue(agent)]:
            queue.flush()

    def close(self) -> None:
        """Write what was added and end the threads. Closing twice is fine."""
        with self._lock:
            self._is_closed = True
        for queue in self._all():
            queue.close()

    def _all(self) -> list[BatchQueue[_Entry]]:
        with self._lock:
            return list(self._queues.values())

    def _queue(self, agent: str) -> BatchQueue[_Entry]:
        with self._lock:
            if agent not in self._queues:
                made = BatchQueue(self._write, gather_seconds=GATHER_SECONDS, name=f"cortex-write-behind-{agent}")
                if self._is_closed:  # for a call that outlived it
                    made.close()
                self._queues[agent] = made
            return self._queues[agent]

    def _write(self, entries: Sequence[_Entry]) -> None:
        """Write the entries of a tenant together; if that fails, each alone, so that one cannot spoil the others.

        Together they have no single operation that caused them.
        """
        for _, group in groupby(entries, key=lambda entry: (id(entry.store), entry.tenant, entry.actor)):
            some = [(entry, changes) for entry in group if (changes := self._changes_of(entry)) is not None]
            together = [change for _, changes in some for change in changes]
            if len(some) == 1 or (some and not self._is_written(some[-1][0], together)):
                for entry, changes in some:
                    if not self._is_written(entry, changes):
                        self._lose()

    def _changes_of(self, entry: _Entry) -> Sequence[Change] | None:
        """The changes of an entry, worked out once; None where that fails."""
        try:
            return entry.worked_out()
        except Exception:
            log.exception("receipt not kept")
            self._lose()
            return None

    def _lose(self) -> None:
        with self._lock:
            self.lost += 1

    def _is_written(self, entry: _Entry, changes: Sequence[Change]) -> bool:
        try:
            # The time of writing: an event that is written after others must not claim an earlier time.
            entry.store.apply(entry.tenant, changes, at=self._now(), actor=entry.actor)
        except EngineError as error:
            log.warning("receipt not kept: %s", error.code)
            self.why = error
            return False
        except Exception:
            log.exception("receipt not kept")
            return False
        if self.on_work is not None and any(isinstance(change, PutJob) for change in changes):
            self.on_work(entry.store)
        return True
