"""Reports the progress of a long call to its host, at a limited rate."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from cortex.progress import Progress

EVERY_SECONDS = 0.1

Send = Callable[[float, float | None, str | None], Awaitable[None]]


@asynccontextmanager
async def forwarded_progress(send: Send) -> AsyncIterator[Progress]:
    """A `Progress` that any thread may call; it is sent from here while the call runs."""
    loop = asyncio.get_running_loop()
    feed = _ProgressFeed(send)

    def report(done: int, total: int, label: str) -> None:
        # The call may outlive its caller, and the loop.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(feed.put, done, total, label)

    following = asyncio.create_task(feed.follow())
    try:
        yield report
        # The last count has to be sent before the answer.
        feed.end()
        await following
    finally:
        following.cancel()


class _ProgressFeed:
    """The newest count that was not sent yet. Counts that do not rise are left out, as the protocol demands."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_there = asyncio.Event()
        self._is_over = asyncio.Event()
        self._newest: tuple[int, int, str] | None = None
        self._sent = -1

    def put(self, done: int, total: int, label: str) -> None:
        self._newest = (done, total, label)
        self._is_there.set()

    def end(self) -> None:
        """Send the last count, then stop."""
        self._is_over.set()
        self._is_there.set()

    async def follow(self) -> None:
        while self._newest is not None or not self._is_over.is_set():
            await self._is_there.wait()
            self._is_there.clear()
            newest, self._newest = self._newest, None
            if newest is not None and newest[0] > self._sent:
                self._sent = newest[0]
                await self._send(newest[0], newest[1] or None, newest[2])
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), EVERY_SECONDS)
