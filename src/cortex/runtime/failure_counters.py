"""Counters of failures that no caller sees."""

from __future__ import annotations

import threading
from collections import Counter


class FailureCounters:
    """Counts what failed where no caller could be told: `before:deadline`, `after:store_busy`, …"""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1

    def counted(self) -> dict[str, int]:
        with self._lock:
            return dict(sorted(self._counts.items()))
