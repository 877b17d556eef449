"""When the lifecycle runs by itself, and the thread that sees to it: silent on success, telling on trouble (S7)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from cortex.errors import EngineError, StoreBusy
from cortex.lifecycle.upkeep import Anomaly, failure_of
from cortex.ports.clock import Clock

log = logging.getLogger("cortex.lifecycle")

RETRY = timedelta(minutes=10)
"""When a task that failed is tried again."""

BUSY = timedelta(minutes=1)
"""When a task that another process is at is looked at again."""

IDLE_SECONDS = 60.0
"""How long the keeper waits at most before it looks again: another process may have left work."""

LEAST_SECONDS = 0.5
MOST_BACKOFF = 64


class Task(StrEnum):
    """What is done by the clock."""

    CONSOLIDATE = "consolidate"
    BACKUP = "backup"


@dataclass(frozen=True, slots=True)
class Done:
    """When a task was last done, and when it last failed; None: never."""

    at: datetime | None = None
    failed_at: datetime | None = None


Last = Mapping[Task, Done]


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often each task is done; a task without a rhythm is not."""

    every: timedelta
    backup_every: timedelta | None = None

    @classmethod
    def of_hours(cls, every_hours: int, backup_every_hours: int) -> Schedule:
        """As the settings say it: 0 hours between backups means none."""
        return cls(timedelta(hours=every_hours), timedelta(hours=backup_every_hours) if backup_every_hours else None)

    def due(self, last: Last, now: datetime) -> tuple[Task, ...]:
        """What is to be done now; a backup before anything that changes much."""
        return tuple(task for task, at in self._times(last, now).items() if at <= now)

    def next_at(self, last: Last, now: datetime) -> datetime:
        """When there will be something to do; `now` where there is."""
        return max(now, min(self._times(last, now).values()))

    def _times(self, last: Last, now: datetime) -> dict[Task, datetime]:
        rhythm = {Task.BACKUP: self.backup_every, Task.CONSOLIDATE: self.every}
        return {task: _next(last.get(task, Done()), every, now) for task, every in rhythm.items() if every is not None}


def _next(done: Done, every: timedelta, now: datetime) -> datetime:
    # A time in the future was written by a clock that was wrong: waiting for it could mean never.
    at = now if done.at is None or done.at > now else done.at + every
    failed = done.failed_at
    return max(at, failed + RETRY) if failed is not None and failed <= now else at


def run_due(
    schedule: Schedule,
    tasks: Mapping[Task, Callable[[], object]],
    *,
    last: Callable[[], Last],
    clock: Clock,
    note: Callable[[Task, Anomaly | None], object],
) -> datetime:
    """Do what is due, each task on its own; gives when to look again. `note` is told of each how it ended."""
    busy = False
    for task in schedule.due(last(), clock.now()):
        try:
            trouble = _trouble(task, tasks[task])
        except StoreBusy:
            log.debug("%s: another process is at it", task.value)
            busy = True
            continue
        if trouble:
            log.warning("%s failed: %s", task.value, trouble.detail)
        note(task, trouble)
    now = clock.now()
    return max(schedule.next_at(last(), now), now + BUSY if busy else now)


def _trouble(task: Task, run: Callable[[], object]) -> Anomaly | None:
    try:
        run()
    except StoreBusy:
        raise
    except EngineError as error:
        return Anomaly(failure_of(task.value), f"{error.code}: {error.message}", error.hint)
    except Exception as error:  # a task of ours must not keep the others from running
        log.exception("%s failed", task.value)
        return Anomaly(failure_of(task.value), type(error).__name__, "run `cortex doctor`")
    return None


class Scheduler:
    """A thread that calls `run_due` at the times it asks for, and at once after a `nudge`. It never raises."""

    def __init__(
        self,
        run_due: Callable[[], datetime | None],
        *,
        clock: Clock,
        idle_seconds: float = IDLE_SECONDS,
        name: str = "cortex-keeper",
    ) -> None:
        self._run_due = run_due
        self._clock = clock
        self._idle = idle_seconds
        self._wake = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.failures = 0
        """How often it failed in a row."""
        self.last_error = ""

    def start(self) -> Scheduler:
        self._thread.start()
        return self

    def nudge(self) -> None:
        """There may be something to do now."""
        self._wake.set()

    def stop(self, seconds: float = 10.0) -> bool:
        """Let what is under way end, for so long; whether it did."""
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def anomalies(self) -> tuple[Anomaly, ...]:
        """What `status` should tell: that it fails again and again."""
        if self.failures < 2:
            return ()
        detail = f"background work failed {self.failures:,} times in a row: {self.last_error}"
        return (Anomaly("keeper_failing", detail, "run `cortex doctor`"),)

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            wait = self._round()
            if not self._stopping:
                self._wake.wait(wait)

    def _round(self) -> float:
        """Run what is due; gives how long to wait."""
        try:
            at = self._run_due()
            self.failures, self.last_error = 0, ""
        except Exception as error:  # the thread must outlive whatever goes wrong in it
            self.failures += 1
            self.last_error = error.code if isinstance(error, EngineError) else type(error).__name__
            log.warning("background work failed: %s", self.last_error, exc_info=not isinstance(error, EngineError))
            return self._idle * min(1 << min(self.failures - 1, 32), MOST_BACKOFF)
        left = (at - self._clock.now()).total_seconds() if at else self._idle
        return min(max(left, LEAST_SECONDS), self._idle)
