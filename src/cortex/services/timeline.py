"""Looking back at the ledger: what happened, newest first, each with the trace it is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cortex.domain.events import Event, EventKind
from cortex.domain.identity import TraceId, is_id
from cortex.domain.lanes import Lane
from cortex.domain.trace import Trace
from cortex.ports.store import View

NOISE = frozenset({EventKind.EMBEDDED, EventKind.RECALLED, EventKind.GRADED})
"""Frequent events, which are left out unless requested by name."""

_NEVER = {
    Lane.MEMORIES: frozenset({EventKind.SAID, EventKind.OBSERVED}),
    Lane.SESSIONS: frozenset({EventKind.REMEMBERED, EventKind.OBSERVED}),
    Lane.OUTCOMES: frozenset({EventKind.SAID, EventKind.REMEMBERED}),
    Lane.NOTES: frozenset(EventKind),
    Lane.DOCS: frozenset(EventKind),
}
"""What never happens in a lane; to files nothing does, as they are their own history."""

_AT_ONCE = 500
_MOST_LOOKS = 20
"""A lane in which nothing happened for very long is looked for no further than this; the page then ends early."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One event, and the trace it is about as that is now; None where it is gone, or there is none."""

    event: Event
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """What happened, newest first, and the position to go on before; None where there is no more."""

    happened: tuple[Happened, ...]
    next: int | None


def look_back(
    view: View,
    *,
    limit: int,
    before: int | None = None,
    kinds: Collection[EventKind] | None = None,
    subject: TraceId | None = None,
    lane: Lane | None = None,
) -> Timeline:
    """The latest events of these kinds, about this subject, of traces of this lane."""
    wanted = frozenset(EventKind) - NOISE if kinds is None else frozenset(kinds)
    if lane is not None:
        wanted -= _NEVER[lane]
    # The lane of an event is known only from its trace, so more are read than are wanted.
    at_once = limit if lane is None else max(limit, _AT_ONCE)
    found: list[Happened] = []
    for _ in range(_MOST_LOOKS):
        events = view.latest_events(at_once, before=before, kinds=wanted, subject=subject)
        found += [each for each in _entries(view, events) if lane is None or (each.trace and each.trace.lane is lane)]
        if len(found) >= limit:
            return Timeline(tuple(found[:limit]), found[limit - 1].event.position)
        if len(events) < at_once:
            return Timeline(tuple(found), None)
        before = events[-1].position
    return Timeline(tuple(found), before)


def _entries(view: View, events: Sequence[Event]) -> list[Happened]:
    about = dict.fromkeys(TraceId(event.subject) for event in events if is_id(event.subject))
    traces = {str(trace.id): trace for trace in view.load(list(about))}
    return [Happened(event, traces.get(event.subject)) for event in events]
