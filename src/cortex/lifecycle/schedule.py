"""Which tasks of the lifecycle are due: silent on success, reporting failures (S7)."""

from __future__ import annotations

import logging
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


class ScheduledTask(StrEnum):
    """What is done by the clock."""

    CONSOLIDATE = "consolidate"
    BACKUP = "backup"


@dataclass(frozen=True, slots=True)
class Done:
    """When a task was last done, and when it last failed; None: never."""

    at: datetime | None = None
    failed_at: datetime | None = None


Last = Mapping[ScheduledTask, Done]


@dataclass(frozen=True, slots=True)
class Schedule:
    """How often each task is done; a task without a rhythm is not."""

    every: timedelta
    backup_every: timedelta | None = None

    @classmethod
    def of_hours(cls, every_hours: int, backup_every_hours: int) -> Schedule:
        """As the settings say it: 0 hours between backups means none."""
        return cls(timedelta(hours=every_hours), timedelta(hours=backup_every_hours) if backup_every_hours else None)

    def due(self, last: Last, now: datetime) -> tuple[ScheduledTask, ...]:
        """What is to be done now; a backup before anything that changes much."""
        return tuple(task for task, at in self._times(last, now).items() if at <= now)

    def next_at(self, last: Last, now: datetime) -> datetime:
        """When there will be something to do; `now` where there is."""
        return max(now, min(self._times(last, now).values()))

    def _times(self, last: Last, now: datetime) -> dict[ScheduledTask, datetime]:
        rhythm = {ScheduledTask.BACKUP: self.backup_every, ScheduledTask.CONSOLIDATE: self.every}
        return {task: _next(last.get(task, Done()), every, now) for task, every in rhythm.items() if every is not None}


def _next(done: Done, every: timedelta, now: datetime) -> datetime:
    # A time in the future was written by a clock that was wrong: waiting for it could mean never.
    at = now if done.at is None or done.at > now else done.at + every
    failed = done.failed_at
    return max(at, failed + RETRY) if failed is not None and failed <= now else at


def run_due(
    schedule: Schedule,
    tasks: Mapping[ScheduledTask, Callable[[], object]],
    *,
    last: Callable[[], Last],
    clock: Clock,
    note: Callable[[ScheduledTask, Anomaly | None], object],
) -> datetime:
    """Run what is due, each task on its own; returns when to run again. `note` gets the outcome of each."""
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


def _trouble(task: ScheduledTask, run: Callable[[], object]) -> Anomaly | None:
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
