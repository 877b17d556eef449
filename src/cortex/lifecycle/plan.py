"""A plan of the lifecycle: what would change, why, and what it was decided on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.trace import Trace
from cortex.ports.store import Put, View

T = TypeVar("T")

HeldIn = Callable[[View, Sequence[Trace]], Collection[TraceId]]
"""Which of some traces are on hold: they stay as they are."""


def nothing_held(view: View, traces: Sequence[Trace]) -> Collection[TraceId]:  # noqa: ARG001
    """Where there are no holds."""
    return ()


@dataclass(frozen=True, slots=True)
class Planned:
    """Changes that belong together: all of them are carried out, or none."""

    changes: tuple[Put, ...]
    reason: str
    decided_on: tuple[Trace, ...]
    """The traces as they were when this was decided; where one has changed since, the plan no longer holds."""

    @property
    def ids(self) -> tuple[TraceId, ...]:
        """The memories that would change, the one that is kept first."""
        return tuple(change.trace.id for change in self.changes)


def batched(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Items of about `most` changes together, by the `size` of each; none is split."""
    batch: list[T] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if total >= most:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def same_but_use(one: Trace | None, other: Trace) -> bool:
    """Whether two readings of a trace say the same; neither its use nor its grade is part of what it says."""
    if not isinstance(one, Memory) or not isinstance(other, Memory):
        return one == other
    return _bare(one) == _bare(other)


def _bare(memory: Memory) -> Memory:
    return memory.revised(last_accessed_at=None, access_count=0, grade=None)
