"""The one way from a request to the engine: in a worker thread, under a deadline."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

import anyio

from cortex.errors import DeadlineExceeded
from cortex.surfaces.http.errors import RETRY_SECONDS, Problem, Refused

T = TypeVar("T")


class Calling:
    """Runs calls of the engine beside the event loop, no more than so many at once.

    A call that is late is left to itself, and keeps its place until it is done: the engine cannot be interrupted, and
    calls that hang must not become ever more threads. The threads are daemons, so that none keeps the server from
    ending; the threads of anyio's pool would.
    """

    def __init__(self, most: int) -> None:
        self._places = threading.BoundedSemaphore(most)

    async def __call__(self, work: Callable[[], T], seconds: float) -> T:
        """What `work` gives; `DeadlineExceeded` where it takes longer."""
        if not self._places.acquire(blocking=False):
            raise Refused(busy())
        with anyio.move_on_after(seconds) as scope:
            return await asyncio.wrap_future(self._begun(work))
        assert scope.cancelled_caught  # nothing else ends the block without an answer
        raise DeadlineExceeded(
            f"no answer within {seconds:g} s", hint="what was to be changed may still be: look before you repeat it"
        )

    def _begun(self, work: Callable[[], T]) -> Future[T]:
        pending: Future[T] = Future()
        # From here on it cannot be taken back, only left alone.
        pending.set_running_or_notify_cancel()

        def run() -> None:
            try:
                pending.set_result(work())
            except BaseException as error:  # it belongs to whoever waits for the result
                pending.set_exception(error)
            finally:
                self._places.release()

        try:
            threading.Thread(target=run, name="cortex-call", daemon=True).start()
        except RuntimeError as error:  # the system gives no more threads
            self._places.release()
            raise Refused(busy()) from error
        return pending


def busy() -> Problem:
    """For a request that finds no place."""
    return Problem(
        status=503,
        code="busy",
        detail="too many requests are under way",
        hint="try again in a moment",
        headers={"Retry-After": str(RETRY_SECONDS)},
    )
