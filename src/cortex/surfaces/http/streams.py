"""Answers that go on for as long as somebody listens, and end when the server does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from cortex.surfaces.http.limits import Crowd


class Streams:
    """How many streams are open, and whether they are to end. They take no place of a request, which is soon free."""

    def __init__(self, most: int) -> None:
        self._crowd = Crowd(most)
        self._end = asyncio.Event()

    @property
    def open(self) -> int:
        return self._crowd.now

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[None]:
        """While one more stream is open; refused as `busy` where there are too many."""
        with self._crowd.entered():
            yield

    async def ending(self, seconds: float | None = None) -> bool:
        """Wait so long, or for as long as it takes; gives whether the server is ending."""
        with anyio.move_on_after(seconds):
            await self._end.wait()
        return self._end.is_set()

    def end(self) -> None:
        """Have every stream end now; to be called in the event loop."""
        self._end.set()
