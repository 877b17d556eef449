"""The thread primitives: a repeating worker, tasks in order, batches, and threads that may be left behind."""

from __future__ import annotations

import threading
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import asdict

import pytest

from cortex.errors import StoreBusy
from cortex.runtime import pool
from cortex.runtime.deadline import SHARES, Deadline
from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.pool import Threads
from cortex.runtime.worker import BackgroundQueue, BatchQueue, Task, Worker
from cortex.testing import FakeClock

SOON = 60.0


# --- threads of their own --------------------------------------------------------------------------------------------


def test_a_started_task_gives_its_result_or_its_error():
    assert pool.start(lambda: 7, "cortex-test").result(SOON) == 7
    with pytest.raises(ZeroDivisionError):
        pool.start(lambda: 1 // 0, "cortex-test").result(SOON)


def test_no_more_threads_than_places_and_a_finished_task_frees_its_place():
    threads, go_on = Threads(1), threading.Event()
    first = threads.start(lambda: go_on.wait(SOON), "cortex-test")
    assert threads.start(lambda: None, "cortex-test") is None
    go_on.set()
    assert first is not None
    assert first.result(SOON)
    assert threads.start(lambda: 2, "cortex-test").result(SOON) == 2


# --- a worker --------------------------------------------------------------------------------------------------------


def test_a_worker_repeats_its_step_when_woken_and_ends_when_stopped():
    steps = threading.Semaphore(0)

    def step() -> float:
        steps.release()
        return SOON

    worker = Worker(step, "cortex-test")
    worker.start()
    assert steps.acquire(timeout=SOON)
    worker.wake()
    assert steps.acquire(timeout=SOON)
    assert worker.stop(SOON)
    assert worker.is_stopping
    assert not steps.acquire(blocking=False)


def test_a_worker_waits_no_longer_than_its_step_asks_for():
    steps = threading.Semaphore(0)

    def step() -> float:
        steps.release()
        return 0.0

    worker = Worker(step, "cortex-test")
    worker.start()
    assert all(steps.acquire(timeout=SOON) for _ in range(3))
    assert worker.stop(SOON)


def test_stopping_does_not_wait_for_a_step_that_hangs():
    begun, go_on = threading.Event(), threading.Event()

    def step() -> float:
        begun.set()
        go_on.wait(SOON)
        return SOON

    worker = Worker(step, "cortex-test")
    worker.start()
    assert begun.wait(SOON)
    assert not worker.stop(0.01)
    go_on.set()
    assert worker.stop(SOON)


# --- tasks in order --------------------------------------------------------------------------------------------------


def test_tasks_run_in_order_and_flush_waits_for_them():
    ran: list[int] = []
    queue = BackgroundQueue(FailureCounters(), most=100)
    for number in range(50):
        queue.add(Task("after", lambda number=number: ran.append(number)))
    assert queue.flush(SOON)
    assert ran == list(range(50))


def test_a_task_that_fails_is_counted_by_its_code_and_the_next_one_runs():
    failures, ran = FailureCounters(), []
    queue = BackgroundQueue(failures, most=100)

    def busy() -> None:
        raise StoreBusy("is busy")

    for work in (busy, lambda: 1 // 0, lambda: ran.append(True)):
        queue.add(Task("after", work))
    assert queue.flush(SOON)
    assert ran == [True]
    assert failures.counted() == {"after:store_busy": 1, "after:unexpected": 1}


def test_a_task_beyond_the_limit_is_dropped_and_counted():
    failures, begun, go_on = FailureCounters(), threading.Event(), threading.Event()
    queue = BackgroundQueue(failures, most=1)

    def hang() -> None:
        begun.set()
        go_on.wait(SOON)

    queue.add(Task("after", hang))
    assert begun.wait(SOON)
    queue.add(Task("after", lambda: None))
    queue.add(Task("after", lambda: None))
    assert failures.counted() == {"after:queue_full": 1}
    assert not queue.flush(0.0)
    go_on.set()
    assert queue.flush(SOON)


def test_a_task_that_is_late_is_left_behind_until_too_many_are():
    failures, go_on, ran = FailureCounters(), threading.Event(), []
    queue = BackgroundQueue(failures, most=100, most_late=1)
    queue.add(Task("after", lambda: go_on.wait(SOON), seconds=0.01))
    queue.add(Task("warm", lambda: ran.append("warm"), seconds=SOON))
    assert queue.flush(SOON)
    assert failures.counted() == {"after:deadline": 1, "warm:busy": 1}
    assert ran == []
    go_on.set()


def test_a_timeout_of_the_task_itself_is_its_failure_and_not_its_deadline():
    failures = FailureCounters()
    queue = BackgroundQueue(failures, most=100)

    def times_out() -> None:
        raise FutureTimeout

    queue.add(Task("after", times_out, seconds=SOON))
    assert queue.flush(SOON)
    assert failures.counted() == {"after:unexpected": 1}


# --- batches ---------------------------------------------------------------------------------------------------------


def test_items_are_written_in_order_and_those_added_meanwhile_go_together():
    batches: list[list[int]] = []
    begun, go_on = threading.Event(), threading.Event()

    def write(items: list[int]) -> None:
        batches.append(list(items))
        begun.set()
        go_on.wait(SOON)

    queue = BatchQueue(write, gather_seconds=0.0, name="cortex-test")
    queue.add(1)
    assert begun.wait(SOON)
    queue.add(2)
    queue.add(3)
    go_on.set()
    queue.flush()
    assert batches == [[1], [2, 3]]
    queue.close()


def test_closing_writes_what_is_left_and_what_comes_later_is_written_by_its_caller():
    written: list[int] = []
    queue = BatchQueue(written.extend, gather_seconds=SOON, name="cortex-test-batches")
    queue.add(1)
    queue.close()
    queue.close()
    assert written == [1]
    queue.add(2)
    queue.flush()
    assert written == [1, 2]
    assert not [thread for thread in threading.enumerate() if thread.name == "cortex-test-batches"]


# --- deadlines -------------------------------------------------------------------------------------------------------


def test_a_step_gets_a_share_of_the_time_that_is_left():
    clock = FakeClock()
    deadline = Deadline.after(clock, 10.0)
    clock.advance(2.0)
    assert deadline.left() == pytest.approx(8.0)
    assert deadline.left(0.5) == pytest.approx(4.0)
    step = deadline.part(0.5)
    clock.advance(5.0)
    assert step.passed
    assert step.left() == 0.0
    assert deadline.left() == pytest.approx(3.0)


def test_every_share_of_a_turn_leaves_time_for_what_follows():
    shares = asdict(SHARES)
    assert all(0.0 < share < 1.0 for share in shares.values()), shares
