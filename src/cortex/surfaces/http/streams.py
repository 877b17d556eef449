"""Long-lived responses, which end when the client or the server does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cortex.surfaces.http.limits import ConcurrencyLimit


class Streams:
    """Counts open streams and ends them on shutdown. They have their own limit, apart from requests."""

    def __init__(self, most: int) -> None:
        self._concurrency = ConcurrencyLimit(most)
        self._end = asyncio.Event()

    @property
    def open(self) -> int:
        return self._concurrency.now

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[None]:
        """Open one more stream, or raise `Busy`."""
        with self._concurrency.entered():
            yield

    async def ending(self, seconds: float | None = None, or_else: asyncio.Event | None = None) -> bool:
        """Wait for shutdown, at most `seconds` and until `or_else`; returns whether the server is shutting down."""
        awaited = [asyncio.ensure_future(each.wait()) for each in (self._end, or_else) if each is not None]
        try:
            await asyncio.wait(awaited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in awaited:
                each.cancel()
        return self._end.is_set()

    def end(self) -> None:
        """End all streams; call it in the event loop."""
        self._end.set()
