"""Events in (S1): messages become turns, everything else an outcome, each of them once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cortex.capture.events import IncomingEvent, read_event, read_line
from cortex.capture.outcomes import salt_of, store_outcomes
from cortex.context import Context
from cortex.domain.identity import TraceId
from cortex.domain.receipt import Receipt
from cortex.domain.turn import TurnDraft
from cortex.errors import InvalidRequest
from cortex.services.capture import CaptureService

MAX_EVENTS = 1_000
"""How many events one call takes."""

MOST_REJECTED = 100
"""How many refused events a result names."""


@dataclass(frozen=True, slots=True)
class RejectedEvent:
    """An event that cannot be used: its place among those given, from 0, and what is wrong with it."""

    index: int
    field: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class EventsIngested:
    """What became of some events, and the receipt."""

    events: int
    outcomes: int
    turns: int
    repeated: int
    erased: int
    rejected: int
    ids: tuple[TraceId, ...]
    """The outcomes and turns that were stored."""
    problems: tuple[RejectedEvent, ...]
    """The first of the rejected events."""
    receipt: Receipt


@dataclass(slots=True)
class _Counted:
    outcomes: int = 0
    turns: int = 0
    repeated: int = 0
    erased: int = 0
    clock_ahead: int = 0
    position: int = 0
    ids: list[TraceId] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def facts(self, events: int, rejected: Counter[str]) -> dict[str, Any]:
        return {
            "events": events,
            "outcomes": self.outcomes,
            "turns": self.turns,
            "repeated": self.repeated,
            "erased": self.erased,
            "rejected": dict(sorted(rejected.items())),
            "skipped": dict(sorted(self.skipped.items())),
            "clock_ahead": self.clock_ahead,
        }


class EventService:
    """Takes in the events of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def ingest(self, events: Sequence[object]) -> EventsIngested:
        """Store what is new among `events`: JSON objects, or lines of JSON as text or bytes."""
        if not isinstance(events, Sequence) or isinstance(events, str | bytes | bytearray):
            raise InvalidRequest("is not a list", field="events", hint="give a list of events")
        if len(events) > MAX_EVENTS:
            raise InvalidRequest(
                f"has {len(events):,} entries", field="events", hint=f"give at most {MAX_EVENTS:,} at a time"
            )
        context = self._context
        with context.recording("ingest_events") as record:
            accepted, problems = _read(events)
            counted = _Counted(position=context.position())
            if accepted:
                salt = salt_of(context.tenant, context.store, context.clock)
                self._store_outcomes([each for each in accepted if not each.is_message], salt, counted)
                self._store_messages([each for each in accepted if each.is_message], salt, counted)
            rejected = Counter(each.field for each in problems)
            record.close(counted.position, **counted.facts(len(events), rejected))
        return EventsIngested(
            events=len(events), outcomes=counted.outcomes, turns=counted.turns, repeated=counted.repeated,
            erased=counted.erased, rejected=len(problems), ids=tuple(counted.ids),
            problems=tuple(problems[:MOST_REJECTED]), receipt=record.receipt,
        )  # fmt: skip

    def _store_outcomes(self, events: Sequence[IncomingEvent], salt: bytes, counted: _Counted) -> None:
        if not events:
            return
        context = self._context
        done = store_outcomes(events, tenant=context.tenant, store=context.store, clock=context.clock, salt=salt)
        counted.outcomes += len(done.ids)
        counted.repeated += done.repeated
        counted.erased += done.erased
        counted.clock_ahead += done.clock_ahead
        counted.position = done.position
        counted.ids += done.ids

    def _store_messages(self, events: Sequence[IncomingEvent], salt: bytes, counted: _Counted) -> None:
        """Store messages as turns, those of one session and scope together, in their order."""
        sessions: dict[tuple[str, str], list[IncomingEvent]] = {}
        for event in events:
            sessions.setdefault((event.session, event.scope), []).append(event)
        for (session, scope), said in sessions.items():
            drafts = [TurnDraft(text=each.text, role=each.role, at=each.at) for each in said]
            keys = tuple(each.key(self._context.tenant.user, salt).hex() for each in said)
            taken = CaptureService(self._context).ingest(drafts, session=session, scope=scope, keys=keys)
            facts = taken.receipt.facts
            stored = [id for id in taken.ids if id is not None]
            counted.turns += len(stored)
            counted.repeated += facts.get("repeated", 0)
            counted.erased += facts["skipped"].get("erased", 0)
            counted.skipped.update(facts["skipped"])
            if reason := facts.get("reason"):
                counted.skipped[reason] += len(said)
            counted.position = taken.receipt.position
            counted.ids += stored


def _read(events: Sequence[object]) -> tuple[list[IncomingEvent], list[RejectedEvent]]:
    accepted: list[IncomingEvent] = []
    problems: list[RejectedEvent] = []
    for index, given in enumerate(events):
        try:
            accepted.append(read_line(given) if isinstance(given, str | bytes) else read_event(given))
        except InvalidRequest as error:
            problems.append(RejectedEvent(index, error.field or "event", error.message, error.hint))
    return accepted, problems
