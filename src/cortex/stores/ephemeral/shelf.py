"""What one tenant has, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cortex.domain.events import GENESIS, Event, Lag
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace
from cortex.domain.vectors import Calibration, Vector
from cortex.ports.store import Job

Fields = Mapping[str, Any]

Scales = Mapping[str, tuple[tuple[int, Calibration], ...]]
"""How each space was calibrated, by its key: from which position on, and on what scale."""


@dataclass(frozen=True, slots=True)
class SaidVersion:
    """One version of a trace, how often each of its passages says which term, and the salt of its commitment."""

    trace: Trace
    since: int
    until: int | None
    salt: bytes
    passages: tuple[Counter[str], ...]

    def holds(self, position: int) -> bool:
        return _holds(self.since, self.until, position)


@dataclass(frozen=True, slots=True)
class Embedding:
    """The unit vectors a trace had in one space from `since` until `until`."""

    space: str
    vectors: tuple[Vector, ...]
    since: int
    until: int | None
    number: int
    """In which order they were made."""

    def holds(self, position: int) -> bool:
        return _holds(self.since, self.until, position)


@dataclass(frozen=True, slots=True)
class Use:
    position: int
    at: datetime


@dataclass(slots=True)
class Shelf:
    """All that one tenant has. The values are immutable, so that copying the dicts copies the shelf."""

    said: dict[TraceId, tuple[SaidVersion, ...]] = field(default_factory=dict)
    embeddings: dict[TraceId, tuple[Embedding, ...]] = field(default_factory=dict)
    uses: dict[TraceId, tuple[Use, ...]] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    receipts: dict[ReceiptId, tuple[Receipt, str | None]] = field(default_factory=dict)
    states: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    erased: frozenset[str] = frozenset()
    lag: Lag | None = None
    scales: Scales = field(default_factory=dict)
    spaces: Mapping[str, Fields] = field(default_factory=dict)
    start: tuple[int, str] = (0, GENESIS)
    """What the first event of the tenant's own chain follows: nothing, or the end of a chain that users shared."""
    quarantined: tuple[Fields, ...] = ()
    """Damaged rows that were carried here."""

    @property
    def position(self) -> int:
        """Of the tenant's last event."""
        return self.events[-1].position if self.events else 0

    @property
    def is_empty(self) -> bool:
        """Whether the tenant never did anything."""
        return not (self.events or self.receipts or self.states or self.jobs)

    @property
    def head(self) -> tuple[int, str]:
        """Position and seal of what the next event follows."""
        last = (self.events[-1].position, self.events[-1].seal) if self.events else self.start
        return max(last, self.start)

    def copied(self) -> Shelf:
        return Shelf(
            dict(self.said),
            dict(self.embeddings),
            dict(self.uses),
            list(self.events),
            dict(self.receipts),
            dict(self.states),
            dict(self.jobs),
            self.erased,
            self.lag,
            self.scales,
            self.spaces,
            self.start,
            self.quarantined,
        )


def _holds(since: int, until: int | None, position: int) -> bool:
    return since <= position and (until is None or position < until)
