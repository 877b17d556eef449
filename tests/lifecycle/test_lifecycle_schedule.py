"""When the lifecycle runs by itself, and how its thread behaves (S7)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tended import AT, DAY, HOUR

from cortex.errors import StoreBusy, StoreUnavailable
from cortex.lifecycle import schedule, upkeep
from cortex.lifecycle.schedule import BUSY, RETRY, Done, Last, Schedule, ScheduledTask
from cortex.lifecycle.upkeep import Anomaly
from cortex.runtime.scheduler import LEAST_SECONDS, Scheduler
from cortex.testing import FakeClock

DAILY = Schedule.of_hours(24, 24)
MINUTE = timedelta(minutes=1)


def test_what_was_never_done_is_due_and_the_backup_comes_first():
    """S7"""
    assert DAILY.due({}, AT) == (ScheduledTask.BACKUP, ScheduledTask.CONSOLIDATE)
    assert DAILY.next_at({}, AT) == AT


def test_a_task_is_due_again_after_its_time():
    """S7"""
    last = {ScheduledTask.CONSOLIDATE: Done(AT), ScheduledTask.BACKUP: Done(AT + HOUR)}
    assert DAILY.due(last, AT + DAY - MINUTE) == ()
    assert DAILY.due(last, AT + DAY) == (ScheduledTask.CONSOLIDATE,)
    assert DAILY.next_at(last, AT + HOUR) == AT + DAY


def test_without_backups_none_is_due():
    """E21"""
    assert Schedule.of_hours(24, 0).due({}, AT) == (ScheduledTask.CONSOLIDATE,)


def test_a_time_in_the_future_does_not_stop_the_lifecycle():
    assert DAILY.due({ScheduledTask.CONSOLIDATE: Done(AT + 900 * DAY), ScheduledTask.BACKUP: Done(AT)}, AT) == (
        ScheduledTask.CONSOLIDATE,
    )


def test_what_failed_is_tried_again_but_not_at_once():
    """S7"""
    last = {ScheduledTask.CONSOLIDATE: Done(AT), ScheduledTask.BACKUP: Done(None, failed_at=AT)}
    assert DAILY.due(last, AT + MINUTE) == ()
    assert DAILY.next_at(last, AT + MINUTE) == AT + RETRY
    assert DAILY.due(last, AT + RETRY) == (ScheduledTask.BACKUP,)


hours = st.none() | st.integers(-100, 100).map(lambda number: AT + number * HOUR)


@given(
    st.dictionaries(st.sampled_from(list(ScheduledTask)), st.builds(Done, hours, hours)),
    st.integers(1, 72),
    st.integers(0, 72),
)
def test_there_is_something_to_do_when_and_only_when_the_time_has_come(last: Last, every: int, backup_every: int):
    """S7"""
    plan = Schedule.of_hours(every, backup_every)
    assert (plan.next_at(last, AT) == AT) == bool(plan.due(last, AT))
    assert plan.next_at(last, AT) >= AT


class Round:
    """One look at what is due, with tasks that count, and what was noted of them."""

    def __init__(self, failing: dict[ScheduledTask, Exception] | None = None) -> None:
        self.clock = FakeClock(AT)
        self.ran: list[ScheduledTask] = []
        self.last: dict[ScheduledTask, Done] = {}
        self.failing = failing or {}
        self.noted: dict[ScheduledTask, Anomaly | None] = {}

    def run(self, task: ScheduledTask) -> None:
        self.ran.append(task)
        if task in self.failing:
            raise self.failing[task]

    def note(self, task: ScheduledTask, trouble: Anomaly | None) -> None:
        self.noted[task] = trouble
        before = self.last.get(task, Done())
        self.last[task] = Done(before.at, self.clock.now()) if trouble else Done(self.clock.now())

    def run_due(self) -> datetime:
        tasks: dict[ScheduledTask, Callable[[], object]] = {
            task: lambda task=task: self.run(task) for task in ScheduledTask
        }
        return schedule.run_due(DAILY, tasks, last=lambda: self.last, clock=self.clock, note=self.note)


def test_a_round_does_what_is_due_once_and_says_when_to_come_back(caplog: pytest.LogCaptureFixture):
    """S7: silent on success"""
    round_ = Round()
    assert round_.run_due() == AT + DAY
    assert round_.run_due() == AT + DAY
    assert round_.ran == [ScheduledTask.BACKUP, ScheduledTask.CONSOLIDATE]
    assert caplog.records == []


def test_a_task_that_fails_is_noted_and_keeps_no_other_from_running(caplog: pytest.LogCaptureFixture):
    """S7"""
    round_ = Round(
        {
            ScheduledTask.BACKUP: StoreUnavailable("no space is left", hint="free some"),
            ScheduledTask.CONSOLIDATE: ZeroDivisionError("secret"),
        }
    )
    assert round_.run_due() == AT + RETRY
    assert round_.ran == [ScheduledTask.BACKUP, ScheduledTask.CONSOLIDATE]
    assert round_.noted[ScheduledTask.BACKUP] == Anomaly(
        "backup_failed", "store_unavailable: no space is left", "free some"
    )
    trouble = round_.noted[ScheduledTask.CONSOLIDATE]
    assert trouble is not None
    assert (trouble.code, trouble.detail) == ("consolidate_failed", "ZeroDivisionError")
    assert {record.levelno for record in caplog.records} == {logging.WARNING, logging.ERROR}


def test_a_task_that_another_process_is_at_is_no_trouble(caplog: pytest.LogCaptureFixture):
    """S7"""
    round_ = Round({ScheduledTask.CONSOLIDATE: StoreBusy("another lifecycle run is under way")})
    assert round_.run_due() == AT + BUSY
    assert round_.noted == {ScheduledTask.BACKUP: None}
    assert [record for record in caplog.records if record.levelno >= logging.INFO] == []


PATIENCE = 30.0


def test_the_scheduler_runs_at_once_and_again_when_it_is_woken():
    """S7"""
    rounds: list[int] = []
    ran = threading.Semaphore(0)

    def run_due() -> datetime | None:
        rounds.append(len(rounds))
        ran.release()
        return None

    scheduler = Scheduler(run_due, now=FakeClock(AT).now, idle_seconds=3_600).start()
    assert ran.acquire(timeout=PATIENCE)
    scheduler.wake()
    assert ran.acquire(timeout=PATIENCE)
    assert scheduler.stop()
    assert len(rounds) == 2


def test_the_scheduler_survives_what_fails_and_tells_when_it_fails_again_and_again(caplog: pytest.LogCaptureFixture):
    """S7"""
    ran = threading.Semaphore(0)
    answers = iter([ZeroDivisionError("secret"), StoreBusy("busy"), None])

    def run_due() -> datetime | None:
        ran.release()
        if (answer := next(answers)) is not None:
            raise answer
        return None

    scheduler = Scheduler(run_due, now=FakeClock(AT).now, idle_seconds=3_600)
    # Round by round, as its thread does it: here nobody has to wait.
    assert scheduler._run_once() == 3_600
    assert upkeep.failing([scheduler]) == []
    assert scheduler._run_once() == 7_200
    assert [(each.code, "store_busy" in each.detail) for each in upkeep.failing([scheduler])] == [
        ("scheduler_failing", True)
    ]
    assert scheduler._run_once() == 3_600
    assert upkeep.failing([scheduler]) == []
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]


def test_the_scheduler_comes_back_when_it_was_asked_to_and_never_later_than_its_idle_time():
    clock = FakeClock(AT)
    waits = [
        Scheduler(lambda at=at: at, now=clock.now, idle_seconds=60)._run_once()  # type: ignore[misc]
        for at in (AT + timedelta(seconds=5), AT + HOUR, AT - HOUR, None)
    ]
    assert waits == [5, 60, LEAST_SECONDS, 60]


def test_a_scheduler_that_never_started_can_be_stopped():
    assert Scheduler(lambda: None, now=FakeClock(AT).now).stop()
