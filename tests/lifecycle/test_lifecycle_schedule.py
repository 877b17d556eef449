"""When the lifecycle runs by itself, and how its thread behaves (S7)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tended import AT, DAY, HOUR

from cortex.errors import StoreBusy, StoreUnavailable
from cortex.lifecycle import schedule, upkeep
from cortex.lifecycle.schedule import BUSY, RETRY, Done, Last, ScheduledTask
from cortex.lifecycle.upkeep import Anomaly
from cortex.runtime.scheduler import LEAST_SECONDS, Scheduler
from cortex.services.upkeep import SUNDAY_NIGHT
from cortex.testing import FakeClock

MINUTE = timedelta(minutes=1)
WEEK = timedelta(weeks=1)
BACKUP, CONSOLIDATE = "backup", "consolidate"


def tasks(**every: timedelta) -> list[ScheduledTask]:
    return [ScheduledTask(name, each, lambda: None) for name, each in every.items()]


def names(found: Sequence[ScheduledTask]) -> list[str]:
    return [task.name for task in found]


DAILY = tasks(backup=DAY, consolidate=DAY)


def test_what_was_never_done_is_due_in_the_order_of_the_table():
    """S7"""
    assert names(schedule.due(DAILY, {}, AT)) == [BACKUP, CONSOLIDATE]
    assert schedule.next_at(DAILY, {}, AT) == AT


def test_a_task_is_due_again_after_its_time():
    """S7"""
    last = {CONSOLIDATE: Done(AT), BACKUP: Done(AT + HOUR)}
    assert schedule.due(DAILY, last, AT + DAY - MINUTE) == []
    assert names(schedule.due(DAILY, last, AT + DAY)) == [CONSOLIDATE]
    assert schedule.next_at(DAILY, last, AT + HOUR) == AT + DAY


def test_a_task_with_an_offset_follows_another_by_that_much():
    """S7: grades every four hours, and what they are written back by, twenty minutes later"""
    midnight = datetime(2026, 1, 5, tzinfo=UTC)
    plan = [
        ScheduledTask("grade", 4 * HOUR, lambda: None, timedelta(0)),
        ScheduledTask("write_back", 4 * HOUR, lambda: None, 20 * MINUTE),
    ]
    last = {"grade": Done(midnight + MINUTE), "write_back": Done(midnight + 21 * MINUTE)}
    times = [each.next_at(last[each.name], midnight + HOUR) - midnight for each in plan]
    assert times == [4 * HOUR, 4 * HOUR + 20 * MINUTE]


def test_times_that_passed_while_nothing_ran_are_caught_up_once():
    """S7"""
    task = ScheduledTask("grade", 4 * HOUR, lambda: None, timedelta(0))
    round_ = Round(plan=[task], last={"grade": Done(AT)})
    round_.clock.advance(10 * DAY + MINUTE)
    back = round_.run_due()
    assert round_.ran == ["grade"]
    assert round_.clock.now() < back <= round_.clock.now() + 4 * HOUR
    round_.run_due()
    assert round_.ran == ["grade"]


def test_a_weekly_task_has_its_time_on_a_sunday_night():
    """E21, S7"""
    task = ScheduledTask("drill", WEEK, lambda: None, SUNDAY_NIGHT)
    at = task.next_at(Done(AT), AT)
    assert (at.isoweekday(), at.hour, at.minute) == (7, 4, 0)
    assert AT < at <= AT + WEEK


def test_a_time_in_the_future_does_not_stop_the_lifecycle():
    last = {CONSOLIDATE: Done(AT + 900 * DAY), BACKUP: Done(AT)}
    assert names(schedule.due(DAILY, last, AT)) == [CONSOLIDATE]


def test_what_failed_is_tried_again_but_not_at_once():
    """S7"""
    last = {CONSOLIDATE: Done(AT), BACKUP: Done(None, failed_at=AT)}
    assert schedule.due(DAILY, last, AT + MINUTE) == []
    assert schedule.next_at(DAILY, last, AT + MINUTE) == AT + RETRY
    assert names(schedule.due(DAILY, last, AT + RETRY)) == [BACKUP]


hours = st.none() | st.integers(-100, 100).map(lambda number: AT + number * HOUR)


@given(
    st.dictionaries(st.sampled_from([BACKUP, CONSOLIDATE]), st.builds(Done, hours, hours)),
    st.integers(1, 72),
    st.integers(0, 72) | st.none(),
)
def test_there_is_something_to_do_when_and_only_when_the_time_has_come(last: Last, every: int, offset: int | None):
    """S7"""
    at = None if offset is None else offset * HOUR
    plan = [ScheduledTask(name, every * HOUR, lambda: None, at) for name in (BACKUP, CONSOLIDATE)]
    assert (schedule.next_at(plan, last, AT) == AT) == bool(schedule.due(plan, last, AT))
    assert schedule.next_at(plan, last, AT) >= AT


class Round:
    """One look at what is due, with tasks that count, and what was noted of them."""

    def __init__(
        self,
        failing: dict[str, Exception] | None = None,
        plan: Sequence[ScheduledTask] = DAILY,
        last: dict[str, Done] | None = None,
    ) -> None:
        self.clock = FakeClock(AT)
        self.ran: list[str] = []
        self.known: dict[str, Done] = last or {}
        self.failing = failing or {}
        self.noted: dict[str, Anomaly | None] = {}
        self.released: list[str] = []
        self.plan = [replace(task, call=lambda name=task.name: self.run(name)) for task in plan]

    def run(self, task: str) -> None:
        self.ran.append(task)
        if task in self.failing:
            raise self.failing[task]

    def last(self) -> Last:
        return self.known

    def claim(self, task: ScheduledTask) -> bool:
        return task.next_at(self.known.get(task.name, Done()), self.clock.now()) <= self.clock.now()

    def release(self, task: ScheduledTask) -> None:
        self.released.append(task.name)

    def note(self, task: ScheduledTask, trouble: Anomaly | None) -> None:
        self.noted[task.name] = trouble
        before = self.known.get(task.name, Done())
        self.known[task.name] = Done(before.at, self.clock.now()) if trouble else Done(self.clock.now())

    def run_due(self) -> datetime:
        return schedule.run_due(self.plan, self, clock=self.clock)


def test_a_round_does_what_is_due_once_and_says_when_to_come_back(caplog: pytest.LogCaptureFixture):
    """S7: silent on success"""
    round_ = Round()
    assert round_.run_due() == AT + DAY
    assert round_.run_due() == AT + DAY
    assert round_.ran == [BACKUP, CONSOLIDATE]
    assert caplog.records == []


def test_a_task_that_fails_is_noted_and_keeps_no_other_from_running(caplog: pytest.LogCaptureFixture):
    """S7"""
    failing = {BACKUP: StoreUnavailable("no space is left", hint="free some"), CONSOLIDATE: ZeroDivisionError("secret")}
    round_ = Round(failing)
    assert round_.run_due() == AT + RETRY
    assert round_.ran == [BACKUP, CONSOLIDATE]
    assert round_.noted[BACKUP] == Anomaly("backup_failed", "store_unavailable: no space is left", "free some")
    trouble = round_.noted[CONSOLIDATE]
    assert trouble is not None
    assert (trouble.code, trouble.detail) == ("consolidate_failed", "ZeroDivisionError")
    assert {record.levelno for record in caplog.records} == {logging.WARNING, logging.ERROR}


def test_a_task_that_another_process_is_at_is_no_trouble(caplog: pytest.LogCaptureFixture):
    """S7"""
    round_ = Round({CONSOLIDATE: StoreBusy("another lifecycle run is under way")})
    assert round_.run_due() == AT + BUSY
    assert round_.noted == {BACKUP: None}
    assert round_.released == [CONSOLIDATE]
    assert [record for record in caplog.records if record.levelno >= logging.INFO] == []


def test_a_process_that_is_about_to_end_begins_nothing():
    """S7"""
    round_ = Round()
    schedule.run_due(round_.plan, round_, clock=round_.clock, ending=lambda: True)
    assert round_.ran == []


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
