"""Threads: a task beside the caller, a step that repeats, tasks in order, and items written in batches.

All of them are daemons: none keeps a process from ending.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.pool import Threads, begin

log = logging.getLogger("cortex")

Item = TypeVar("Item")


class Worker:
    """A thread that repeats `step` until it is stopped. `step` returns how many seconds to wait before the next one."""

    def __init__(self, step: Callable[[], float], name: str) -> None:
        self._step = step
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.is_stopping = False

    def start(self) -> Self:
        self._thread.start()
        return self

    def wake(self) -> None:
        """Run the next step now."""
        self._wake.set()

    def stop(self, seconds: float) -> bool:
        """Stop after the current step; returns whether it ended within `seconds`."""
        self.is_stopping = True
        self._wake.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self.is_stopping:
            self._wake.clear()
            seconds = self._step()
            if not self.is_stopping:
                self._wake.wait(seconds)


@dataclass(frozen=True, slots=True)
class Task:
    """Work that no caller waits for, and how many seconds the tasks after it wait for it."""

    name: str
    work: Callable[[], object]
    seconds: float | None = None


class BackgroundQueue:
    """Runs tasks in order, one at a time. It never raises: failures are logged, and counted as `name:code`.

    A task that takes longer than its time runs on beside the next ones; `most_late` such tasks may run at once.
    """

    def __init__(self, failures: FailureCounters, *, most: int, most_late: int = 1) -> None:
        self._failures = failures
        self._most = most
        self._threads = Threads(most_late)
        self._waiting: deque[Task] = deque()
        self._changed = threading.Condition()
        self._is_running = False

    def add(self, task: Task) -> None:
        """Queue a task; beyond `most` waiting tasks it is dropped and counted."""
        with self._changed:
            if len(self._waiting) >= self._most:
                self._failures.count(f"{task.name}:queue_full")
                return
            self._waiting.append(task)
            if not self._is_running:
                self._is_running = True
                begin(self._run, "cortex-background")

    def flush(self, timeout: float) -> bool:
        """Wait until every task has ended or is left behind; returns whether that took less than `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_running, timeout)

    def _run(self) -> None:
        while (task := self._next()) is not None:
            with self._failures.caught(task.name) as codes:
                codes += self._run_task(task)

    def _next(self) -> Task | None:
        with self._changed:
            if self._waiting:
                return self._waiting.popleft()
            self._is_running = False
            self._changed.notify_all()
            return None

    def _run_task(self, task: Task) -> list[str]:
        """Run a task; returns the code of what kept it from ending in time, if anything did."""
        if task.seconds is None:
            task.work()
            return []
        pending = self._threads.start(task.work, f"cortex-{task.name}")
        if pending is None:
            log.warning("%s: skipped, too many tasks are late", task.name)
            return ["busy"]
        try:
            pending.result(timeout=task.seconds)
        except FutureTimeout:
            if pending.done():
                raise
            log.warning("%s: takes longer than %d ms", task.name, round(task.seconds * 1000))
            return ["deadline"]
        return []


class BatchQueue(Generic[Item]):
    """Calls `write` with the items that were added, in order and in batches, in a thread of its own.

    `write` must not raise. Items wait for `gather_seconds`, so that those added in quick succession go together.
    """

    def __init__(self, write: Callable[[Sequence[Item]], None], *, gather_seconds: float, name: str) -> None:
        self._write = write
        self._gather_seconds = gather_seconds
        self._name = name
        self._lock = threading.Lock()
        self._filled = threading.Condition(self._lock)
        self._hurried = threading.Condition(self._lock)
        self._written = threading.Condition(self._lock)
        self._items: list[Item] = []
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._added = self._done = self._awaited = 0

    def add(self, item: Item) -> None:
        with self._lock:
            if not self._is_closed:
                if self._thread is None:
                    self._thread = begin(self._run, self._name)
                self._items.append(item)
                self._added += 1
                self._filled.notify()
                return
        # A call that outlived `close` writes its own item: there is no thread any more.
        self._write([item])

    def flush(self) -> None:
        """Wait until every item added so far is written; later ones are not waited for."""
        with self._lock:
            awaited = self._awaited = self._added
            self._hurried.notify()
            self._written.wait_for(lambda: self._done >= awaited)

    def close(self) -> None:
        """Write what was added and end the thread. Closing twice is fine."""
        with self._lock:
            self._is_closed = True
            thread, self._thread = self._thread, None
            self._awaited = self._added
            self._filled.notify()
            self._hurried.notify()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while items := self._gathered():
            self._write(items)
            with self._lock:
                self._done += len(items)
                self._written.notify_all()

    def _gathered(self) -> Sequence[Item]:
        """The next batch; empty once the queue is closed and everything is written."""
        with self._lock:
            self._filled.wait_for(lambda: self._items or self._is_closed)
            self._hurried.wait_for(lambda: self._is_closed or self._awaited > self._done, self._gather_seconds)
            items, self._items = self._items, []
            return items
