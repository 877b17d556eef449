"""A thread that runs what is due."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from cortex.errors import EngineError
from cortex.runtime.worker import Worker

log = logging.getLogger("cortex")

ACTOR = "scheduler"
"""Who does what is due, as the ledger names it."""

IDLE_SECONDS = 60.0
"""The longest wait between two runs: another process may have left work."""

LEAST_SECONDS = 0.5
MOST_BACKOFF = 64
STOP_SECONDS = 10.0


class Scheduler(Worker):
    """Calls `run_due`, which returns when there is work next, at that time and when woken. It never raises."""

    def __init__(
        self,
        run_due: Callable[[], datetime | None],
        *,
        now: Callable[[], datetime],
        idle_seconds: float = IDLE_SECONDS,
        name: str = "cortex-scheduler",
    ) -> None:
        super().__init__(self._run_once, name)
        self._run_due = run_due
        self._now = now
        self._idle = idle_seconds
        self.failures = 0
        """How often it failed in a row."""
        self.last_error = ""

    def stop(self, seconds: float = STOP_SECONDS) -> bool:
        return super().stop(seconds)

    def _run_once(self) -> float:
        try:
            at = self._run_due()
            self.failures, self.last_error = 0, ""
        except Exception as error:  # one failed run must not end the thread
            self.failures += 1
            self.last_error = error.code if isinstance(error, EngineError) else type(error).__name__
            log.warning("background work failed: %s", self.last_error, exc_info=not isinstance(error, EngineError))
            return self._idle * min(1 << min(self.failures - 1, 32), MOST_BACKOFF)
        left = (at - self._now()).total_seconds() if at else self._idle
        return min(max(left, LEAST_SECONDS), self._idle)
