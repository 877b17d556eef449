"""One look at everything a tenant has: what was said and remembered, and the files, whose index is its own."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from cortex.domain.conversations import Before, Conversation
from cortex.domain.events import Event, EventCount, EventKind
from cortex.domain.growth import DayCount
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.lanes import Lane
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.sorting import Place, Placed, Sort
from cortex.domain.terms import QueryTerm
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector
from cortex.ports.store import Counts, Filter, Job, JobState, Match, Pulse, Skipped, Version, View
from cortex.runtime.deadline import Deadline

FILE_LANES = frozenset({Lane.NOTES, Lane.DOCS})
"""The lanes of chunks. All others are the store's."""


class CompositeView:
    """A store's view and those of indexes as one: each lane is read where it is stored."""

    def __init__(self, store: View, *indexes: View) -> None:
        self._store = store
        self._indexes = indexes
        self._all = (store, *indexes)

    @property
    def position(self) -> int:
        return self._store.position

    @property
    def at(self) -> datetime | None:
        return self._store.at

    @property
    def skipped(self) -> Sequence[Skipped]:
        return [each for view in self._all for each in view.skipped]

    @property
    def degraded(self) -> Sequence[str]:
        return [each for view in self._all for each in view.degraded]

    def damage(self, id: TraceId) -> str | None:
        return next(filter(None, (view.damage(id) for view in self._all)), None)

    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        found: dict[TraceId, Trace] = {}
        for view in self._all:
            if missing := [id for id in ids if id not in found]:
                found |= {trace.id: trace for trace in view.load(missing)}
        return [found[id] for id in ids if id in found]

    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        return _best([view.keywords(terms, only, limit, deadline) for view, only in self._parts(filter)], limit)

    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        return _best([view.nearest(vector, space, only, limit, deadline) for view, only in self._parts(filter)], limit)

    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        return self._store.calibration(space)

    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        scans = [view.scan(only, after, limit) for view, only in self._parts(filter)]
        return list(heapq.merge(*scans, key=lambda trace: trace.id))[:limit]

    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        found = [view.latest(only, before, limit) for view, only in self._parts(filter)]
        return list(heapq.merge(*found, key=lambda trace: trace.id, reverse=True))[:limit]

    def sorted(self, filter: Filter, sort: Sort, after: Place | None = None, limit: int = 1_000) -> list[Placed]:
        found = [view.sorted(only, sort, after, limit) for view, only in self._parts(filter)]
        key = lambda each: (each.place.value, each.place.id)  # noqa: E731 - of both, the value decides first
        return list(heapq.merge(*found, key=key, reverse=sort.descending))[:limit]

    def days(self, filter: Filter, first: date) -> list[DayCount]:
        return [day for view, only in self._parts(filter) for day in view.days(only, first)]

    def pulse(self) -> Pulse:
        said = self._store.pulse()
        return replace(said, total=said.total + sum(view.pulse().total for view in self._indexes))

    def counts(self, filter: Filter) -> Counts:
        return _summed([view.counts(only) for view, only in self._parts(filter)])

    def event_days(self, first: date) -> list[EventCount]:
        return self._store.event_days(first)

    def changed_by(self, ids: Sequence[TraceId]) -> dict[TraceId, Event]:
        return self._store.changed_by(ids)

    def sessions(self, after: str = "", limit: int = 100) -> list[str]:
        return self._store.sessions(after, limit)

    def history(self, id: TraceId) -> list[Version]:
        return next(filter(None, (view.history(id) for view in self._all)), [])

    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        return self._store.derived(turns)

    def speakers(self, filter: Filter) -> frozenset[str]:
        return self._store.speakers(filter)

    def scopes(self, filter: Filter) -> frozenset[str]:
        return frozenset[str]().union(*(view.scopes(only) for view, only in self._parts(filter)))

    def turn_at(self, session: str, seq: int) -> Turn | None:
        return self._store.turn_at(session, seq)

    def last_seq(self, session: str) -> int:
        return self._store.last_seq(session)

    def turns(self, session: str, after: int = -1, limit: int = 1_000) -> list[Turn]:
        return self._store.turns(session, after, limit)

    def conversations(self, before: Before | None = None, limit: int = 50, named: str = "") -> list[Conversation]:
        return self._store.conversations(before, limit, named)

    def events(self, after: int = 0, limit: int = 1_000) -> list[Event]:
        return self._store.events(after, limit)

    def latest_events(
        self,
        limit: int = 50,
        *,
        before: int | None = None,
        kinds: Collection[EventKind] | None = None,
        subject: str | None = None,
    ) -> list[Event]:
        return self._store.latest_events(limit, before=before, kinds=kinds, subject=subject)

    def receipt(self, id: ReceiptId) -> tuple[Receipt, str | None] | None:
        return self._store.receipt(id)

    def receipts(self, limit: int = 20, op: str | None = None, before: ReceiptId | None = None) -> list[Receipt]:
        return self._store.receipts(limit, op, before)

    def receipt_counts(self, before: datetime) -> tuple[int, int]:
        return self._store.receipt_counts(before)

    def queries(self, after: ReceiptId | None = None, limit: int = 1_000) -> list[tuple[ReceiptId, str]]:
        return self._store.queries(after, limit)

    def state(self, session: str) -> Mapping[str, Any] | None:
        return self._store.state(session)

    def jobs(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        return self._store.jobs(state, limit)

    def _parts(self, filter: Filter) -> list[tuple[View, Filter]]:
        """The views a filter concerns, each with its own lanes."""
        lanes = frozenset(Lane) if filter.lanes is None else filter.lanes
        items = [(self._store, lanes - FILE_LANES), *((view, lanes & FILE_LANES) for view in self._indexes)]
        return [(view, replace(filter, lanes=own)) for view, own in items if own]


def _best(found: Sequence[Sequence[Match]], limit: int) -> list[Match]:
    if len(found) == 1:
        return list(found[0])
    return sorted((match for some in found for match in some), key=lambda match: (-match.score, match.id))[:limit]


def _summed(counts: Sequence[Counts]) -> Counts:
    def together(name: str) -> dict[str, int]:
        return dict(sum((Counter(getattr(each, name)) for each in counts), Counter[str]()))

    facets = ("by_lane", "by_scope", "by_kind", "by_label", "by_trust", "by_state")
    return Counts(
        **{name: together(name) for name in facets},
        total=sum(each.total for each in counts),
        oldest=min((each.oldest for each in counts if each.oldest), default=None),
        newest=max((each.newest for each in counts if each.newest), default=None),
        text_bytes=sum(each.text_bytes for each in counts),
    )
