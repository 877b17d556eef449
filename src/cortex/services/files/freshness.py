"""Whether a recall knows what the files say by now (B12). It never waits for them longer than a share of its time."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TYPE_CHECKING

from cortex.dependencies import log

if TYPE_CHECKING:
    # Imported where files are looked at: a process that asks once has its answer sooner without.
    from cortex.context import Context
    from cortex.services.files.files import Files, Indexed

SHARE = 0.1
"""How much of its time a recall may wait for files that changed."""

STALE = "files:stale"
"""What a recall is degraded by that may miss what files say by now."""

AGAIN_SECONDS = 30.0
"""How long after a look that failed the next recall tries another."""


class FileFreshness:
    """Has the files of one tenant looked at before they are recalled from, beside the recall."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._clock = context.clock
        self._lock = threading.Lock()
        self._pending: Future[bool] | None = None
        self._failed_at: float | None = None

    def is_stale(self, seconds: float) -> bool:
        """Whether the index may be behind the files, though it was waited for so long; then it follows them soon."""
        if not self._context.settings.files.sync.on_search:
            return False
        with self._lock:
            if self._pending is None:
                if not self._is_due():
                    return False
                self._pending = Future()
                threading.Thread(target=self._look, args=(self._pending,), name="cortex-fresh", daemon=True).start()
            pending = self._pending
        try:
            return pending.result(timeout=seconds)
        except FutureTimeout:
            return True

    def close(self) -> None:
        """Nothing is held: what is under way ends with the files."""

    def _is_due(self) -> bool:
        files: Files | None = self._context.dependencies.made("files", self._context.tenant)
        return files is None or files.dirty or files.is_syncing

    def _look(self, done: Future[bool]) -> None:
        behind = True
        try:
            files = self._files()
            behind = files.is_behind()
            # Nobody waits for an index that is merely to be made anew: the one there is serves.
            if (behind or files.is_outdated) and self._may_follow and (pending := self._follow(files)) and behind:
                pending.result()
                behind = False
        except Exception as error:  # the recall answers from what is known
            if not self._context.dependencies.closed:
                log.warning("the files could not be looked at: %s", getattr(error, "code", type(error).__name__))
            behind = behind and self._is_still_behind()
        finally:
            with self._lock:
                self._pending = None
            done.set_result(behind)

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

    def _ended(self, looked: Future[Indexed | None]) -> None:
        self._failed_at = self._clock.monotonic() if looked.exception() else None

    def _is_still_behind(self) -> bool:
        """Edits may have been followed in an index that could not be made anew (B14)."""
        try:
            return self._files().is_behind()
        except Exception:  # told already
            return True
