"""Time is handed in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time of day for what is stored, and a steady counter for what is waited for."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only ever go forward."""
        ...


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which an answer is no longer wanted."""

    clock: Clock
    at: float

    @classmethod
    def after(cls, clock: Clock, seconds: float) -> Deadline:
        return cls(clock, clock.monotonic() + seconds)

    def left(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - self.clock.monotonic())

    @property
    def passed(self) -> bool:
        return self.clock.monotonic() >= self.at
