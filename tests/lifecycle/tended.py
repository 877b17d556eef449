"""Memories to look after, and one tenant's lifecycle on a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.lifecycle import flow, undo, upkeep
from cortex.ports.embedder import Embedder
from cortex.ports.store import Change, Filter, Put, Store
from cortex.testing import CountingIds, FakeClock

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
ANNA = Tenant(user="anna")
BORIS = Tenant(user="boris")


def id_(number: int) -> TraceId:
    """An id; greater numbers give greater ids."""
    return TraceId(format_uuid7(1_700_000_000_000 + number, number))


def memory(number: int, text: str = "The harbour opens at dawn", **fields: Any) -> Memory:
    return Memory(id=id_(number), text=text, **{"created_at": AT, **fields})


@dataclass
class Household:
    """One tenant's memories in one store, and the lifecycle that looks after them."""

    store: Store
    tenant: Tenant = ANNA
    embedder: Embedder | None = None
    clock: FakeClock = field(default_factory=lambda: FakeClock(AT))
    ids: CountingIds = field(default_factory=CountingIds)

    def apply(self, *changes: Change) -> int:
        return self.store.apply(self.tenant, changes, at=self.clock.now())

    def put(self, *memories: Memory, because: EventKind = EventKind.REMEMBERED) -> int:
        return self.apply(*(Put(each, because) for each in memories))

    def consolidate(
        self, *, dry_run: bool = False, secure: Callable[[], object] | None = None
    ) -> flow.ConsolidationOutcome:
        return flow.consolidate(
            tenant=self.tenant, store=self.store, embedder=self.embedder, clock=self.clock, ids=self.ids,
            dry_run=dry_run, secure=secure,
        )  # fmt: skip

    def undo(self, run: undo.Run | None) -> undo.Undone:
        assert run is not None
        return undo.undo(run, tenant=self.tenant, store=self.store, clock=self.clock)

    def get(self, id: TraceId) -> Memory:
        with self.store.view(self.tenant) as view:
            (found,) = view.load([id])
        assert isinstance(found, Memory)
        return found

    def states(self, *numbers: int) -> list[State]:
        return [self.get(id_(number)).state for number in numbers]

    def everything(self) -> Sequence[Any]:
        with self.store.view(self.tenant) as view:
            return view.scan(Filter(states=frozenset(State)), limit=100_000)

    @property
    def diary(self) -> upkeep.Diary:
        with self.store.view(self.tenant) as view:
            return upkeep.read(view)

    @property
    def position(self) -> int:
        with self.store.view(self.tenant) as view:
            return view.position
