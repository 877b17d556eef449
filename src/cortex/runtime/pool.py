"""Tasks in threads of their own, for work that may have to be left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

Result = TypeVar("Result")


def start(work: Callable[[], Result], name: str) -> Future[Result]:
    """Run `work` in a thread of its own. The thread is a daemon: unlike a pool's, it keeps no process from ending."""
    pending: Future[Result] = Future()
    begin(partial(_run, work, pending), name)
    return pending


def begin(work: Callable[[], object], name: str, *, daemon: bool = True) -> threading.Thread:
    """Run `work` in a thread of its own, for somebody who wants no result. Every thread of the package begins here."""
    thread = threading.Thread(target=work, name=name, daemon=daemon)
    thread.start()
    return thread


def _run(work: Callable[[], Result], pending: Future[Result]) -> None:
    try:
        pending.set_result(work())
    except BaseException as error:  # it belongs to the caller that waits for the result
        pending.set_exception(error)


class Threads:
    """Runs each task in a thread of its own, `most` at once."""

    def __init__(self, most: int) -> None:
        self._places = threading.BoundedSemaphore(most)

    def start(self, work: Callable[[], Result], name: str) -> Future[Result] | None:
        """Run `work` beside the caller; None if too many tasks are running already."""
        if not self._places.acquire(blocking=False):
            return None

        def run() -> Result:
            try:
                return work()
            finally:
                self._places.release()

        return start(run, name)
