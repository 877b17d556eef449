"""Decides when to sync the files: after edits, and at intervals (B12)."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from cortex.dependencies import log
from cortex.errors import EngineError, StoreBusy
from cortex.runtime.worker import Worker
from cortex.workspace.triggers import Triggers
from cortex.workspace.watch import Noticed, Watching

if TYPE_CHECKING:
    from cortex.services.files.files import Files, Indexed

RETRY_SECONDS = 30.0
"""How long after a failure the files are synced again, unless one changes before."""

_LONGEST_PAUSE = 1.0
_STOP_SECONDS = 5.0


class FileWatcher:
    """Syncs the files when the system reports a change, and at intervals."""

    def __init__(self, files: Files, on_sync: Callable[[Indexed], None] | None = None) -> None:
        self._files = files
        self._on_sync = on_sync
        self._clock = files.clock
        sync = files.settings.sync
        minutes = sync.interval_minutes
        self._triggers = {
            Noticed.FILES: Triggers(sync.watch_debounce_ms / 1000, minutes * 60.0 if minutes else None),
            Noticed.TRANSCRIPTS: Triggers(sync.transcript_debounce_ms / 1000),
        }
        self._lock = threading.Lock()
        self._worker = Worker(self._sync_due, "cortex-files")
        self._watching = Watching(files.sources, self.noticed) if sync.watch else None

    @property
    def is_in_place(self) -> bool:
        """Whether every change is noticed, by the system or by polling; if not, there are only the intervals."""
        return self._watching is not None and self._watching.is_in_place

    @property
    def trouble(self) -> str:
        """Why the system does not report changes; empty if it does."""
        return self._watching.trouble if self._watching else ""

    def start(self) -> FileWatcher:
        self._triggers[Noticed.FILES].looked(self._clock.monotonic())
        if self._watching is not None:
            self._watching.start()
        self._worker.start()
        return self

    def stop(self) -> None:
        """Stop, waiting a while for a running sync."""
        self._worker.is_stopping = True
        if self._watching is not None:
            self._watching.stop()
        self._worker.stop(_STOP_SECONDS)

    def noticed(self, what: Noticed) -> None:
        """Something in an indexed folder changed."""
        if what is Noticed.FILES:
            self._files.changed()
        self._notice(what, self._clock.monotonic())

    def _notice(self, what: Noticed, at: float) -> None:
        with self._lock:
            self._triggers[what].noticed(at)
        self._worker.wake()

    def _sync_due(self) -> float:
        """Sync what is due; returns the seconds until something may be due next."""
        now = self._clock.monotonic()
        with self._lock:
            due = {what: reason for what, each in self._triggers.items() if (reason := each.reason(now))}
            for what in due:
                self._triggers[what].looked(now)
        for what, reason in due.items():
            self._sync(what, reason)
        now = self._clock.monotonic()
        with self._lock:
            times = [at for each in self._triggers.values() if (at := each.next_at()) is not None]
        return min(max(min(times, default=now + _LONGEST_PAUSE) - now, 0.01), _LONGEST_PAUSE)

    def _sync(self, what: Noticed, reason: str) -> None:
        try:
            indexed = self._files.sync_all(reason=reason) if what is Noticed.FILES else self._files.sync_transcripts()
            if indexed is not None and self._on_sync is not None:
                self._on_sync(indexed)
        except StoreBusy:  # another process is syncing: try again afterwards
            self._notice(what, self._clock.monotonic())
        except Exception as error:  # one failure must not end the thread
            if not self._worker.is_stopping:
                log_failure(error)
                self._notice(what, self._clock.monotonic() + RETRY_SECONDS)


def log_failure(error: BaseException) -> None:
    """Log that the files could not be synced, and where it failed."""
    if isinstance(error, EngineError):
        log.warning("the files could not be synced: %s", error.code)
    else:
        # The places without the error's message, which may quote a file.
        places = "".join(traceback.format_tb(error.__traceback__))
        log.error("the files could not be synced: %s\n%s", type(error).__name__, places)
