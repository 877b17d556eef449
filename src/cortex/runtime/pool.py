"""Threads for work that may have to be left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


class Threads:
    """Threads that keep no process from ending, and no more than so many at once."""

    def __init__(self, most: int) -> None:
        self._places = threading.BoundedSemaphore(most)

    def start(self, work: Callable[[], Result], name: str) -> Future[Result] | None:
        """Carry out `work` beside the caller; None where too much is under way already."""
        if not self._places.acquire(blocking=False):
            return None
        pending: Future[Result] = Future()
        threading.Thread(target=self._run, args=(work, pending), name=name, daemon=True).start()
        return pending

    def _run(self, work: Callable[[], Result], pending: Future[Result]) -> None:
        try:
            pending.set_result(work())
        except BaseException as error:  # it belongs to whoever waits for the result
            pending.set_exception(error)
        finally:
            self._places.release()
