"""Which tasks are due: silent on success, reporting failures (S7)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from cortex.errors import EngineError, StoreBusy
from cortex.lifecycle.upkeep import Anomaly, failure_of
from cortex.ports.clock import Clock

log = logging.getLogger("cortex.lifecycle")

RETRY = timedelta(minutes=10)
"""When a task that failed is tried again."""

BUSY = timedelta(minutes=1)
"""When a task that another process is at is looked at again."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Done:
    """When a task was last done, and when it last failed; None: never."""

    at: datetime | None = None
    failed_at: datetime | None = None


Last = Mapping[str, Done]


@dataclass(frozen=True, slots=True)
class ScheduledTask:
    """One line of the schedule: what is done, how often, and when."""

    name: str
    every: timedelta
    call: Callable[[], object]
    offset: timedelta | None = None
    """With it, the task has fixed times: each `every` since 1970-01-01 UTC, and so much later. Those that passed while
    nothing ran are caught up once. Without it, the task is due `every` after it was last done."""

    def next_at(self, done: Done, now: datetime) -> datetime:
        """When it is due; not after `now` where it is due now."""
        # A time in the future was written by a clock that was wrong: waiting for it could mean never.
        if done.at is None or done.at > now:
            at = now
        elif self.offset is None:
            at = done.at + self.every
        else:
            at = self._time_after(done.at, self.offset)
        failed = done.failed_at
        return max(at, failed + RETRY) if failed is not None and failed <= now else at

    def _time_after(self, moment: datetime, offset: timedelta) -> datetime:
        """The first of its times after a moment."""
        first = _EPOCH + offset
        return first + ((moment - first) // self.every + 1) * self.every


Schedule = Sequence[ScheduledTask]
"""In the order in which tasks are done that are due at once."""


def due(schedule: Schedule, last: Last, now: datetime) -> list[ScheduledTask]:
    """What is to be done now."""
    return [task for task in schedule if task.next_at(last.get(task.name, Done()), now) <= now]


def next_at(schedule: Schedule, last: Last, now: datetime) -> datetime:
    """When there will be something to do; `now` where there is."""
    return max(now, min(task.next_at(last.get(task.name, Done()), now) for task in schedule))


class TaskLog(Protocol):
    """What is known of the tasks, shared by all processes that run them."""

    def last(self) -> Last: ...

    def claim(self, task: ScheduledTask) -> bool:
        """Take a task for this process; False where it is not due any more, or another process has it."""

    def release(self, task: ScheduledTask) -> None:
        """Give a task back that was not done."""

    def note(self, task: ScheduledTask, trouble: Anomaly | None) -> None:
        """Keep how a task ended."""


def run_due(schedule: Schedule, runs: TaskLog, *, clock: Clock, ending: Callable[[], bool] = bool) -> datetime:
    """Run what is due, each task on its own; returns when to run again. Once the process is `ending`, begin nothing."""
    busy = False
    for task in due(schedule, runs.last(), clock.now()):
        if ending():
            break
        if not runs.claim(task):
            busy = True
            continue
        try:
            trouble = _trouble(task)
        except StoreBusy:
            log.debug("%s: another process is at it", task.name)
            runs.release(task)
            busy = True
            continue
        runs.note(task, trouble)
    now = clock.now()
    return max(next_at(schedule, runs.last(), now), now + BUSY if busy else now)


def _trouble(task: ScheduledTask) -> Anomaly | None:
    try:
        task.call()
    except StoreBusy:
        raise
    except EngineError as error:
        log.warning("%s failed: %s", task.name, error.code)
        return Anomaly(failure_of(task.name), f"{error.code}: {error.message}", error.hint)
    except Exception as error:  # a task of ours must not keep the others from running
        log.exception("%s failed", task.name)
        return Anomaly(failure_of(task.name), type(error).__name__, "run `cortex doctor`")
    return None
