"""Reading what is stored: single memories, lists, counts, the ledger, receipts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cortex import exchange
from cortex.context import AsOf, Context
from cortex.domain.census import CENSUS, Censuses, censuses_in, with_labels_of_then
from cortex.domain.events import Event
from cortex.domain.growth import EARLIEST, Day, days_of, fitted_days
from cortex.domain.identity import ReceiptId, TraceId, checked_id
from cortex.domain.lanes import ANY_STATE, SEARCHABLE, Lane
from cortex.domain.memory import Memory
from cortex.domain.query import MAX_LIMIT
from cortex.domain.receipt import Receipt
from cortex.domain.scope import checked_label
from cortex.domain.sorting import Sort
from cortex.domain.trace import Trace, parse_time
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest, NotFound, RowDamaged
from cortex.ports.store import RESERVED, Counts, Filter, Version, View
from cortex.recall.synthesis import Cached
from cortex.services.listing import TracePage, page, with_extracted
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


@dataclass(frozen=True, slots=True)
class SessionState:
    """What is known of a session (C13): when it was ingested and recalled, its synthesis, what was injected."""

    session: str
    ingested_at: datetime | None = None
    recalled_at: datetime | None = None
    synthesis: Mapping[str, Any] | None = None
    """`{query, response, cachedAt}`; None where none is prepared."""
    facts_injected: int = 0

    @classmethod
    def of(cls, session: str, kept: Mapping[str, Any]) -> SessionState:
        """What a session's state holds; what cannot be read counts as missing."""
        cached = Cached.from_state(kept.get("synthesis"))
        facts = kept.get("facts_injected")
        return cls(
            session,
            _time(kept.get("ingested_at")),
            _time(kept.get("recalled_at")),
            {name: cached.to_state()[name] for name in ("query", "response", "cachedAt")} if cached else None,
            facts if isinstance(facts, int) else 0,
        )


def _time(text: object) -> datetime | None:
    try:
        return parse_time(text) if isinstance(text, str) else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class UserSummary:
    """One user of an agent: how far the ledger is, how much there is, and when it last changed."""

    user: str
    position: int
    traces: int
    changed_at: datetime | None
    jobs: Mapping[str, int]


def filter_facts(filter: Filter) -> dict[str, Any]:
    """The parts of a filter that narrow it, by name, for a receipt: names and numbers, never ids or text."""
    names = {"lanes": filter.lanes, "kinds": filter.kinds, "trusts": filter.trusts, "labels": filter.labels}
    facts: dict[str, Any] = {name: sorted(map(str, value)) for name, value in names.items() if value is not None}
    facts |= {"states": sorted(map(str, filter.states))} if filter.states != SEARCHABLE else {}
    facts |= {"scopes": len(filter.scopes)} if filter.scopes is not None else {}
    facts |= {"sessions": len(filter.sessions)} if filter.sessions is not None else {}
    facts |= {name: len(value) for name in ("topics", "tags") if (value := getattr(filter, name)) is not None}
    facts |= {"contains": len(filter.contains)} if filter.contains is not None else {}
    facts |= {name: at.isoformat() for name in ("since", "until") if (at := getattr(filter, name)) is not None}
    return facts


class BrowseService:
    """Reads the memory of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def get(self, id: str) -> Trace:
        wanted = checked_id(id)
        with self._context.recording("get") as record, self._context.reading() as view:
            trace = found_trace(view, wanted)
            record.touch([trace.id])
            record.close(view.position)
            return trace

    def show(self, id: str, *, as_of: AsOf | None = None) -> TraceHistory:
        wanted = checked_id(id)
        with self._context.recording("show") as record, self._then(as_of) as view:
            trace = found_trace(view, wanted)
            sources = view.load(trace.source_turns) if isinstance(trace, Memory) else []
            derived = view.derived([trace.id]) if isinstance(trace, Turn) else []
            found = TraceHistory(trace, tuple(view.history(trace.id)), tuple(sources), tuple(derived))
            record.touch([trace.id])
            record.close(view.position, versions=len(found.versions), sources=len(sources), derived=len(derived))
            return found

    def list(
        self,
        filter: Filter | None = None,
        *,
        after: str | None = None,
        limit: int = 50,
        newest: bool = False,
        sort: str | Sort | None = None,
        as_of: AsOf | None = None,
    ) -> TracePage:
        if not isinstance(limit, int) or limit < 1:
            raise InvalidRequest("is not a number from 1 on", field="limit", hint="give how many at most")
        wanted = filter or Filter()
        with self._context.recording("list") as record, self._then(as_of) as view:
            found = page(view, wanted, after=after, limit=limit, newest=newest, sort=sort)
            record.touch(trace.id for trace in found)
            facts = {"sort": str(Sort.parse(sort))} if sort is not None else {}
            record.close(view.position, filters=filter_facts(wanted), limit=limit, returned=len(found), **facts)
            return found

    def _then(self, as_of: AsOf | None) -> AbstractContextManager[View]:
        """The present for a reader, or an earlier state."""
        return self._context.reading() if as_of is None else self._context.view(as_of)

    def stats(self, filter: Filter | None = None) -> Counts:
        wanted = filter or Filter(states=ANY_STATE)
        with self._context.recording("stats") as record, self._context.reading() as view:
            counted = view.counts(with_extracted(view, wanted))
            by_lane = dict(counted.by_lane)
            record.close(view.position, filters=filter_facts(wanted), total=counted.total, by_lane=by_lane)
            return counted

    def session(self, id: str) -> SessionState:
        checked_label(id, "id")
        self._context.flush()
        with self._context.store_view() as view:
            kept = view.state(id)
        if kept is None or id.startswith(RESERVED):
            raise NotFound(f"no session {id[:80]!r}", hint="see `GET /v1/sessions`")
        return SessionState.of(id, kept)

    def sessions(self, *, after: str | None = None, limit: int = 100) -> Sequence[SessionState]:
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidRequest(f"{limit} is outside 1 to {MAX_LIMIT}", field="limit", hint="give another")
        self._context.flush()
        with self._context.store_view() as view:
            names = view.sessions(after or "", limit)
            return [SessionState.of(name, view.state(name) or {}) for name in names]

    def users(self) -> Sequence[UserSummary]:
        store = self._context.dependencies.store(self._context.tenant.agent)
        found = []
        for user in store.users():
            with store.view(replace(self._context.tenant, user=user)) as view:
                pulse = view.pulse()
                found.append(UserSummary(user, pulse.position, pulse.total, view.at, dict(pulse.jobs)))
        return found

    def events(self, *, after: int = 0, limit: int = 1_000) -> Sequence[Event]:
        with self._context.store_view() as view:
            return view.events(after, limit)

    def timeline(self, *, limit: int, id: str | None, **which: Any) -> Timeline:
        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidRequest(f"{limit} is outside 1 to {MAX_LIMIT}", field="limit", hint="give another")
        subject = None if id is None else checked_id(id)
        with self._context.store_view() as view:
            return look_back(view, limit=limit, subject=subject, **which)

    def growth(self, *, days: int = 30, lane: Lane = Lane.MEMORIES, fit: bool = False) -> Sequence[Day]:
        if not 1 <= days <= MAX_DAYS:
            raise InvalidRequest(f"{days} is outside 1 to {MAX_DAYS}", field="days", hint="give another")
        last = self._context.clock.now().astimezone(UTC).date()
        first = last - timedelta(days=days - 1)
        if fit:
            with self._context.reading() as view:
                return fitted_days(view.days(Filter(lanes=frozenset({lane}), states=ANY_STATE), EARLIEST), last)
        with self._context.reading() as view:
            found = days_of(view.days(Filter(lanes=frozenset({lane}), states=ANY_STATE), first), first, last)
            known = censuses_in(view.state(CENSUS)) if lane is Lane.MEMORIES else Censuses()
        return with_labels_of_then(found, known)

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
