"""Whom to wake when something was done that they wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable


class Subscribers:
    """Those of this process who wait, each for one topic. They are called in the thread of the signaler."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[object, tuple[Hashable, Callable[[], None]]] = {}

    def add(self, topic: Hashable, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake`, which must be quick, with every signal of a topic; returns what ends that."""
        key = object()
        with self._lock:
            self._waiting[key] = (topic, wake)

        def end() -> None:
            with self._lock:
                self._waiting.pop(key, None)

        return end

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def wake(self, *topics: Hashable) -> None:
        with self._lock:
            waiting = [wake for topic, wake in self._waiting.values() if topic in topics]
        for wake in waiting:
            wake()
