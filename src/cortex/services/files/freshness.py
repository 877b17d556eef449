"""Whether a recall sees the current files (B12). It waits for them only a share of its time."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TYPE_CHECKING

from cortex.dependencies import log
from cortex.runtime import pool

if TYPE_CHECKING:
    # Imported on use: a process that recalls once starts faster without it.
    from cortex.context import Context
    from cortex.services.files.files import Files, Indexed

STALE = "files:stale"
"""The degradation of a recall whose index may be behind the files."""

AGAIN_SECONDS = 30.0
"""How long after a failed sync the next recall tries another."""


class FileFreshness:
    """Syncs the files of one tenant before a recall, in the background."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._clock = context.clock
        self._lock = threading.Lock()
        self._pending: Future[bool] | None = None
        self._failed_at: float | None = None

    def is_stale(self, seconds: float) -> bool:
        """Whether the index may still be behind the files after so many seconds; a sync goes on in the background."""
        if not self._context.settings.files.sync.on_search:
            return False
        with self._lock:
            if self._pending is None:
                if not self._is_due():
                    return False
                self._pending = pool.start(self._check, "cortex-fresh")
            pending = self._pending
        try:
            return pending.result(timeout=seconds)
        except FutureTimeout:
            return True

    def close(self) -> None:
        """Nothing to do: a running sync ends with the files."""

    def _is_due(self) -> bool:
        files: Files | None = self._context.dependencies.made("files", self._context.tenant)
        return files is None or files.dirty or files.is_syncing

    def _check(self) -> bool:
        """Whether the index is behind the files, after it was brought up to date if it may be."""
        behind = True
        try:
            files = self._files()
            behind = files.is_behind()
            # A recall does not wait for a rebuild: the old index serves meanwhile.
            if (behind or files.is_outdated) and self._may_follow and (pending := self._follow(files)) and behind:
                pending.result()
                files.refresh()
                behind = False
        except Exception as error:  # the recall uses the index as it is
            if not self._context.dependencies.closed:
                log.warning("the files could not be synced: %s", getattr(error, "code", type(error).__name__))
            behind = behind and self._is_still_behind()
        finally:
            with self._lock:
                self._pending = None
        return behind

    def _files(self) -> Files:
        from cortex.services.files.files import files_of

        return files_of(self._context)

    @property
    def _may_follow(self) -> bool:
        if self._context.dependencies.only_reads:
            return False
        return self._failed_at is None or self._clock.monotonic() - self._failed_at >= AGAIN_SECONDS

    def _follow(self, files: Files) -> Future[Indexed | None] | None:
        files.changed()
        pending = files.sync_soon("recall")
        if pending is not None:
            pending.add_done_callback(self._ended)
        return pending

    def _ended(self, synced: Future[Indexed | None]) -> None:
        self._failed_at = self._clock.monotonic() if synced.exception() else None

    def _is_still_behind(self) -> bool:
        """Edits may be synced although the index could not be rebuilt (B14)."""
        try:
            return self._files().is_behind()
        except Exception:  # logged already
            return True
