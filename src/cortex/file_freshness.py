"""Whether a recall knows what the files say by now (B12). It never waits for them longer than a share of its time."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TYPE_CHECKING

from cortex.parts import log

if TYPE_CHECKING:
    # Imported where files are looked at: a process that asks once has its answer sooner without.
    from cortex.engine import Engine
    from cortex.files import Files

SHARE = 0.1
"""How much of its time a recall may wait for files that changed."""

STALE = "files:stale"
"""What a recall is degraded by that may miss what files say by now."""

AGAIN_SECONDS = 30.0
"""How long after a look that failed the next recall tries another."""


class FileFreshness:
    """Has the files of one tenant looked at before they are recalled from, beside the recall."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._clock = engine._parts.clock
        self._lock = threading.Lock()
        self._pending: Future[bool] | None = None
        self._failed_at: float | None = None

    def is_stale(self, seconds: float) -> bool:
        """Whether the index may be behind the files, though it was waited for so long; then it follows them soon."""
        if not self._engine._parts.settings.files.sync.on_search:
            return False
        with self._lock:
            if self._failed_at is not None and self._clock.monotonic() - self._failed_at < AGAIN_SECONDS:
                return True
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
        files: Files | None = self._engine._parts.made("files", self._engine.tenant)
        return files is None or files.dirty or files.is_syncing

    def _look(self, done: Future[bool]) -> None:
        stale, failed_at = True, None
        try:
            stale = self._is_behind()
        except Exception as error:  # the recall answers from what is known
            if not self._engine._parts.closed:
                log.warning("the files could not be looked at: %s", getattr(error, "code", type(error).__name__))
            failed_at = self._clock.monotonic()
        finally:
            with self._lock:
                self._pending, self._failed_at = None, failed_at
            done.set_result(stale)

    def _is_behind(self) -> bool:
        """Whether the index is behind the files, once what could be done about it was."""
        files = self._engine.files
        if not files.is_syncing:
            if not files.is_behind():
                return False
            if self._engine._parts.only_reads:
                return True
        if (pending := files.sync_soon("recall")) is not None:
            pending.result()
        return False
