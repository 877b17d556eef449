"""Time limits: a deadline that is handed down, and how a turn divides its time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class _Counter(Protocol):
    def monotonic(self) -> float:
        """Seconds that only ever go forward."""
        ...


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which an answer is no longer wanted."""

    clock: _Counter
    at: float

    @classmethod
    def after(cls, clock: _Counter, seconds: float) -> Deadline:
        return cls(clock, clock.monotonic() + seconds)

    def left(self, share: float = 1.0) -> float:
        """A share of the seconds left, never negative."""
        return share * max(0.0, self.at - self.clock.monotonic())

    def part(self, share: float) -> Deadline:
        """The deadline of a step that may use a share of the time left."""
        return Deadline.after(self.clock, self.left(share))

    @property
    def passed(self) -> bool:
        return self.clock.monotonic() >= self.at


@dataclass(frozen=True, slots=True)
class TurnShares:
    """How a turn divides its time (`hooks.deadline_ms`): each is a share of the time left when its step begins."""

    answer: float = 0.75
    """A server answers by then: the answer has to travel as well."""
    queue: float = 0.65
    """Of a served turn, waiting for a free worker: what starts later would be late."""
    recall: float = 0.7
    """The recall; the rest is for reading and writing the session's state."""
    topic: float = 0.5
    """Comparing the message with the synthesis of the turn before."""
    files: float = 0.1
    """Of a recall, waiting for files that changed."""
    query_vector: float = 0.7
    """Of a recall, waiting for the vector of the query: the other legs need time too."""
    rerank: float = 0.9
    """Of a recall, the reranker: its result must still be packed."""


SHARES = TurnShares()
