"""A write-behind queue: receipts and counters are stored after the answer was given."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.ports.store import Change, PutJob, Store

log = logging.getLogger("cortex")

GATHER_SECONDS = 0.02
"""How long receipts wait for company: those of quick successive calls are written together."""


@dataclass(frozen=True, slots=True)
class _Entry:
    store: Store
    tenant: Tenant
    changes: Sequence[Change]


class WriteBehindQueue:
    """Stores receipts and access counts after the answer was given.

    A recall never waits for it, and never fails because of it; what could not be written is counted.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._filled = threading.Condition(self._lock)
        self._hurried = threading.Condition(self._lock)
        self._written = threading.Condition(self._lock)
        self._entries: list[_Entry | None] = []
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._added = self._done = self._awaited = 0
        self.lost = 0
        self.why: EngineError | None = None
        """Why the last one was lost."""
        self.on_work: Callable[[], None] | None = None
        """Called when a job was written."""

    def add(self, store: Store, tenant: Tenant, changes: Sequence[Change]) -> None:
        entry = _Entry(store, tenant, changes)
        with self._lock:
            if not self._is_closed:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="cortex-write-behind", daemon=True)
                    self._thread.start()
                self._put(entry)
                return
        # A call that outlived `close` writes its own: a second thread would take the end meant for the first.
        self._write([entry])

    def flush(self) -> None:
        """Wait until everything added so far is written; what others add meanwhile is not waited for."""
        with self._lock:
            awaited = self._added
            self._hurry()
            self._written.wait_for(lambda: self._done >= awaited)

    def close(self) -> None:
        """Write what was added and end the thread. Closing twice is fine."""
        with self._lock:
            self._is_closed = True
            thread, self._thread = self._thread, None
            if thread is None:
                return
            self._put(None)
            self._hurry()
        thread.join()

    def _put(self, entry: _Entry | None) -> None:
        self._entries.append(entry)
        self._added += 1
        self._filled.notify()

    def _hurry(self) -> None:
        self._awaited = self._added
        self._hurried.notify()

    def _run(self) -> None:
        ended = False
        while not ended:
            with self._lock:
                self._filled.wait_for(lambda: self._entries)
                self._hurried.wait_for(lambda: self._awaited > self._done, GATHER_SECONDS)
                entries, self._entries = self._entries, []
            ended = None in entries
            self._write([entry for entry in entries if entry is not None])
            with self._lock:
                self._done += len(entries)
                self._written.notify_all()

    def _write(self, entries: Sequence[_Entry]) -> None:
        """Everything for one tenant in one go; where that fails, each by itself, so that one cannot spoil the rest."""
        for _, group in groupby(entries, key=lambda entry: (id(entry.store), entry.tenant)):
            some = list(group)
            together = replace(some[-1], changes=[change for entry in some for change in entry.changes])
            if len(some) == 1 or not self._is_written(together):
                for entry in some:
                    self.lost += not self._is_written(entry)

    def _is_written(self, entry: _Entry) -> bool:
        try:
            # As of now: an event that is written after others must not say that it came before them.
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
