"""Calling the engine from an event loop: in a thread of its own, for so long and no longer (C8).

The engine knows nothing of deadlines and cancellation by a caller. Whoever waits for it stops waiting; the call goes on
in its thread, and what it brings is dropped. Threads are daemons: a call that stalls keeps no process from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

import anyio

from cortex.errors import DeadlineExceeded

MOST_AT_ONCE = 16
"""How many calls may be under way, those included that nobody waits for any more; others wait for their turn."""

Result = TypeVar("Result")


class Calls:
    """Carries out calls of the engine beside the event loop that asks for them."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._places = asyncio.Semaphore(most)

    async def run(self, work: Callable[[], Result], *, seconds: float, writes: bool = False) -> Result:
        """What `work` gives, or DeadlineExceeded; `writes` says that it may be carried out all the same."""
        with anyio.move_on_after(seconds):
            await self._places.acquire()
            return await asyncio.wrap_future(self._begun(work))
        raise DeadlineExceeded(
            f"no answer within {seconds:g} seconds",
            hint="it may still be carried out: look before you repeat it" if writes else "try again, or ask for less",
        )

    def _begun(self, work: Callable[[], Result]) -> Future[Result]:
        loop = asyncio.get_running_loop()
        pending: Future[Result] = Future()
        # From here on it cannot be taken back, only left alone.
        pending.set_running_or_notify_cancel()

        def carry_out() -> None:
            try:
                pending.set_result(work())
            except BaseException as error:  # it belongs to whoever waits for the result
                pending.set_exception(error)
            finally:
                self._free(loop)

        try:
            threading.Thread(target=carry_out, name="cortex-call", daemon=True).start()
        except RuntimeError:
            self._places.release()
            raise
        return pending

    def _free(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.call_soon_threadsafe(self._places.release)
        except RuntimeError:
            return  # the loop has ended before the call did
