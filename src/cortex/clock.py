"""The machine's own time: the one place that asks for it. Everything else is handed a clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
