"""Checks that run side by side, each with a time limit."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Generic, TypeVar

from cortex.runtime import pool

T = TypeVar("T")

NETWORK_SECONDS = 6.0
"""How long a check waits for a server."""


class BackgroundProbe(Generic[T]):
    """A check that runs in the background; one that never ends is left behind."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._pending = pool.start(work, "cortex-check")

    def result(self, seconds: float | None, late: Callable[[], T]) -> T:
        """The result, or that of `late` after so many seconds; None waits until the check ends."""
        try:
            return self._pending.result(seconds)
        except FutureTimeout:
            return late()
