"""The write-behind queue: receipts and counters are stored after the answer was given."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.ports.store import Change, PutJob, Store
from cortex.runtime.worker import BatchQueue

log = logging.getLogger("cortex")

GATHER_SECONDS = 0.02
"""Receipts of quick successive calls are written together: each waits this long for the next."""


@dataclass(frozen=True, slots=True)
class _Entry:
    store: Store
    tenant: Tenant
    changes: Sequence[Change]


class WriteBehindQueue:
    """Stores receipts and access counts in the background.

    A recall never waits for it, and never fails because of it; what could not be written is counted.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._queue = BatchQueue(self._write, gather_seconds=GATHER_SECONDS, name="cortex-write-behind")
        self.lost = 0
        self.why: EngineError | None = None
        """Why the last one was lost."""
        self.on_work: Callable[[], None] | None = None
        """Called when a job was written."""

    def add(self, store: Store, tenant: Tenant, changes: Sequence[Change]) -> None:
        self._queue.add(_Entry(store, tenant, changes))

    def flush(self) -> None:
        """Wait until everything added so far is written; what others add meanwhile is not waited for."""
        self._queue.flush()

    def close(self) -> None:
        """Write what was added and end the thread. Closing twice is fine."""
        self._queue.close()

    def _write(self, entries: Sequence[_Entry]) -> None:
        """Write the entries of a tenant together; if that fails, each alone, so that one cannot spoil the others."""
        for _, group in groupby(entries, key=lambda entry: (id(entry.store), entry.tenant)):
            some = list(group)
            together = replace(some[-1], changes=[change for entry in some for change in entry.changes])
            if len(some) == 1 or not self._is_written(together):
                for entry in some:
                    self.lost += not self._is_written(entry)

    def _is_written(self, entry: _Entry) -> bool:
        try:
            # The time of writing: an event that is written after others must not claim an earlier time.
            entry.store.apply(entry.tenant, entry.changes, at=self._now())
        except EngineError as error:
            log.warning("receipt not kept: %s", error.code)
            self.why = error
            return False
        except Exception:
            log.exception("receipt not kept")
            return False
        if self.on_work is not None and any(isinstance(change, PutJob) for change in entry.changes):
            self.on_work()
        return True
