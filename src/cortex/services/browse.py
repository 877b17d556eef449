"""Reading what is stored: single memories, lists, counts, the ledger, receipts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any

from cortex import exchange
from cortex.context import Context
from cortex.domain.events import Event
from cortex.domain.growth import Day, days_of
from cortex.domain.identity import ReceiptId, TraceId, checked_id
from cortex.domain.lanes import ANY_STATE, Lane
from cortex.domain.memory import Memory
from cortex.domain.query import MAX_LIMIT
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest, NotFound, RowDamaged
from cortex.ports.store import Counts, Filter, Version, View
from cortex.services.timeline import Timeline, look_back

MAX_DAYS = 3_660
"""How far `growth` looks back."""


@dataclass(frozen=True, slots=True)
class TraceHistory:
    """A trace with everything known about it."""

    trace: Trace
    versions: tuple[Version, ...]
    sources: tuple[Trace, ...]
    derived: tuple[Memory, ...] = ()
    """The memories extracted from it, where it is a turn."""

    @property
    def revision(self) -> str | None:
        """What an edit names as the version it read; None where it is no memory."""
        return exchange.revision_of(self.trace) if isinstance(self.trace, Memory) else None


@dataclass(frozen=True, slots=True)
class Alive:
    """Counts that show at a glance whether anything changed: `jobs` by state; `total` includes files."""

    position: int
    total: int
    jobs: Mapping[str, int]
    reindexing: bool


class BrowseService:
    """Reads the memory of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def get(self, id: str) -> Trace:
        wanted = checked_id(id)
        with self._context.view() as view:
            return found_trace(view, wanted)

    def show(self, id: str) -> TraceHistory:
        trace = self.get(id)
        with self._context.view() as view:
            sources = view.load(trace.source_turns) if isinstance(trace, Memory) else []
            derived = view.derived([trace.id]) if isinstance(trace, Turn) else []
            return TraceHistory(trace, tuple(view.history(trace.id)), tuple(sources), tuple(derived))

    def list(
        self, filter: Filter | None = None, *, after: str | None = None, limit: int = 50, newest: bool = False
    ) -> Sequence[Trace]:
        place = checked_id(after, field="after") if after else None
        if not isinstance(limit, int) or limit < 1:
            raise InvalidRequest("is not a number from 1 on", field="limit", hint="give how many at most")
        with self._context.view() as view:
            walk = view.latest if newest else view.scan
            return walk(filter or Filter(), place, limit)

    def stats(self, filter: Filter | None = None) -> Counts:
        with self._context.view() as view:
            return view.counts(filter or Filter(states=ANY_STATE))

    def events(self, *, after: int = 0, limit: int = 1_000) -> Sequence[Event]:
        with self._context.store_view() as view:
            return view.events(after, limit)

    def timeline(self, *, limit: int, id: str | None, **which: Any) -> Timeline:
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidRequest(f"{limit} is outside 1 to {MAX_LIMIT}", field="limit", hint="give another")
        subject = None if id is None else checked_id(id)
        with self._context.store_view() as view:
            return look_back(view, limit=limit, subject=subject, **which)

    def growth(self, *, days: int = 30, lane: Lane = Lane.MEMORIES) -> Sequence[Day]:
        if not 1 <= days <= MAX_DAYS:
            raise InvalidRequest(f"{days} is outside 1 to {MAX_DAYS}", field="days", hint="give another")
        last = self._context.clock.now().astimezone(UTC).date()
        first = last - timedelta(days=days - 1)
        with self._context.view() as view:
            return days_of(view.days(Filter(lanes=frozenset({lane}), states=ANY_STATE), first), first, last)

    def pulse(self) -> Alive:
        indexes = self._context.dependencies.indexes(self._context.tenant)
        with self._context.view() as view:
            now = view.pulse()
        return Alive(now.position, now.total, now.jobs, bool(indexes and indexes.is_building))

    def receipts(self, *, limit: int = 20, op: str | None = None, before: str | None = None) -> Sequence[Receipt]:
        self._context.flush()
        with self._context.store_view() as view:
            place = None if before is None else ReceiptId(checked_id(before, field="before"))
            if place is not None and view.receipt(place) is None:
                raise NotFound(f"no receipt {before}", hint="see `cortex admin receipts`")
            return view.receipts(limit, op, place)

    def receipt(self, id: str) -> Receipt:
        self._context.flush()
        with self._context.store_view() as view:
            found = view.receipt(ReceiptId(id.strip().lower()))
        if found is None:
            raise NotFound(f"no receipt {id}", hint="see `cortex admin receipts`")
        return found[0]


def found_trace(view: View, id: TraceId) -> Trace:
    if found := view.load([id]):
        return found[0]
    if why := view.damage(id):
        raise RowDamaged(f"{id} cannot be read: {why}", hint="run `cortex admin verify --repair`, or restore a backup")
    raise NotFound(f"no memory, turn or chunk {id}", hint="see `cortex list`")
