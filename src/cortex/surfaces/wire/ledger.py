"""Counts, growth, the ledger, the timeline and receipts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal, Self

from pydantic import Field

from cortex.domain.events import Event
from cortex.domain.growth import Day
from cortex.domain.identity import is_id
from cortex.domain.lanes import Lane
from cortex.ports.store import Counts
from cortex.recall.flow import Answer
from cortex.recall.packing import Packed
from cortex.recall.replay import Replay
from cortex.services.browse import MAX_DAYS, SessionState, UserSummary
from cortex.services.timeline import Happened, Timeline
from cortex.surfaces.wire.fields import (
    AT,
    ID,
    LARGEST,
    AnyHit,
    AnyReceipt,
    AnyTrace,
    EventName,
    Id,
    LaneName,
    Moment,
    Next,
    ReceiptField,
    Total,
)
from cortex.surfaces.wire.filters import FilterRequest
from cortex.surfaces.wire.model import Json, Request, Response, SequenceResponse, example, plain


class MeResponse(Response):
    """The caller, as the server sees it."""

    agent: str
    user: str
    rights: list[Literal["read", "write", "host", "admin"]]
    token: str | None = Field(description="The id of the token; null without one.")
    version: str
    contract: int = Field(description="The version of what hosts and servers agree on.")
    turn_deadline_ms: int = Field(description="The deadline of `turns/before`.")

    model_config = example({
        "agent": "main", "user": "default", "rights": ["admin", "read", "write"], "token": None, "version": "0.1.0",
        "contract": 1, "turn_deadline_ms": 200,
    })  # fmt: skip


class StatsRequest(FilterRequest):
    """What to count; everything by default."""


class StatsResponse(Response):
    """Counts of memories, turns and chunks."""

    result = Counts
    total: Total
    by_lane: dict[str, int] = Field(description="By lane.")
    by_scope: dict[str, int] = Field(description="By scope.")
    by_kind: dict[str, int] = Field(description="By kind.")
    by_label: dict[str, int] = Field(description="By importance label.")
    by_trust: dict[str, int] = Field(description="By trust tier.")
    by_state: dict[str, int] = Field(description="By state.")
    oldest: Moment | None = Field(description="Creation time of the oldest.")
    newest: Moment | None = Field(description="Creation time of the newest.")
    text_bytes: int = Field(description="Total size of all texts in bytes (UTF-8).")

    model_config = example({
        "total": 1, "by_lane": {"memories": 1}, "by_scope": {"infra": 1}, "by_kind": {"fact": 1},
        "by_label": {"unknown": 1}, "by_trust": {"trusted": 1}, "by_state": {"active": 1}, "oldest": AT, "newest": AT,
        "text_bytes": 33,
    })  # fmt: skip


class EventsRequest(Request):
    """Which part of the ledger."""

    after: int = Field(0, ge=0, le=LARGEST, description="Only events after this ledger position.")
    limit: int = Field(1_000, ge=1, le=10_000, description="How many at most.")


class EventResponse(Response):
    """One event of the ledger."""

    result = Event
    position: int
    at: Moment
    kind: EventName
    subject: str = Field(description="The id of the trace, or what else was changed.")
    commitment: str
    seal: str
    actor: str = Field("", description="Who made the change; empty if unknown.")
    cause: str = Field("", description="The id of the receipt of the operation; empty if unknown.")


class EventsResponse(SequenceResponse):
    """The ledger: each event seals the one before. It has commitments to what was written, and no text."""

    items = "events"
    key = "position"
    events: tuple[EventResponse, ...]
    next: int | None = Field(description="Where to continue; null at the end.")

    model_config = example({
        "events": [{"position": 1, "at": AT, "kind": "remembered", "subject": ID, "commitment": "9f86…",
        "seal": "d081…", "actor": "cli", "cause": ID}], "next": None,
    })  # fmt: skip


class SessionsRequest(Request):
    """Which sessions."""

    after: str | None = Field(None, min_length=1, max_length=256, description="Continue after this session.")
    limit: int = Field(100, ge=1, le=1_000, description="How many at most.")


class SessionRequest(Request):
    """The session."""

    id: str = Field(min_length=1, max_length=256, description="The name of the session.")


class SessionResponse(Response):
    """The state of a session."""

    result = SessionState
    session: str
    ingested_at: Moment | None = Field(description="When it was last ingested.")
    recalled_at: Moment | None = Field(description="When memories were last recalled for it.")
    synthesis: Json | None = Field(description="The prepared synthesis: `query`, `response` and `cachedAt` (ms).")
    facts_injected: int = Field(description="How many facts the last turn was given.")

    model_config = example({
        "session": "agent:main:main", "ingested_at": AT, "recalled_at": AT, "facts_injected": 3,
        "synthesis": {"query": "deploy key", "response": "It rotates on Mondays.", "cachedAt": 1767606000000},
    })  # fmt: skip


class SessionsResponse(SequenceResponse):
    """Sessions by name."""

    items = "sessions"
    key = "session"
    sessions: tuple[SessionResponse, ...]
    next: Next

    model_config = example({
        "sessions": [{"session": "agent:main:main", "ingested_at": AT, "recalled_at": None, "synthesis": None,
        "facts_injected": 0}], "next": None,
    })  # fmt: skip


class UserResponse(Response):
    """One user of the agent."""

    result = UserSummary
    user: str
    position: int = Field(description="The last position of the ledger.")
    traces: int = Field(description="How many memories, turns and outcomes there are.")
    changed_at: Moment | None = Field(description="When the memory last changed.")
    jobs: dict[str, int] = Field(description="Background jobs, by state.")


class UsersResponse(SequenceResponse):
    """The users of the agent."""

    items = "users"
    users: tuple[UserResponse, ...]

    model_config = example({
        "users": [{"user": "default", "position": 12, "traces": 9, "changed_at": AT, "jobs": {"waiting": 1}}],
    })  # fmt: skip


class TimelineRequest(Request):
    """Which events; without embeddings and recalls unless `event` names them."""

    limit: int = Field(50, ge=1, le=1_000, description="How many at most.")
    before: int | None = Field(
        None, ge=1, le=LARGEST, description="Continue before this position, the `next` of the previous page."
    )
    event: list[EventName] | None = Field(
        None, description="Only these kinds of events; embeddings and recalls only if named."
    )
    id: Id | None = Field(None, description="Only events of this memory or turn.")
    lane: LaneName | None = Field(None, description="Only events in this lane; files leave none.")

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        payload = {name: value for name, value in arguments.items() if name != "kinds"}
        kinds = arguments.get("kinds")
        return super().payload_of(payload | ({} if kinds is None else {"event": sorted(map(plain, kinds))}))


class TimelineResponse(Response):
    """Events, newest first, each with its memory or turn."""

    events: list[Json]
    next: int | None = Field(description="Where to continue; null at the end.")

    model_config = example({
        "events": [{"position": 12, "at": AT, "event": "remembered", "id": ID, "subject": ID, "commitment": "9f86…",
        "seal": "d081…", "actor": "cli", "cause": ID, "trace": None}], "next": None,
    })  # fmt: skip

    @classmethod
    def of(cls, result: Timeline, request: Any = None) -> Self:  # noqa: ARG003
        return cls(events=[TimelineEventResponse.of(each).to_json() for each in result.happened], next=result.next)

    def value(self) -> Timeline:
        return Timeline(tuple(TimelineEventResponse.from_json(each).value() for each in self.events), self.next)


class TimelineEventResponse(Response):
    """One event with its trace as it is now; null if that is gone, or there is none."""

    position: int
    at: Moment
    event: EventName
    id: str | None
    subject: str
    commitment: str
    seal: str
    actor: str = ""
    cause: str = ""
    trace: AnyTrace | None

    @classmethod
    def of(cls, result: Happened, request: Any = None) -> Self:  # noqa: ARG003
        event = result.event
        payload = EventResponse.of(event).model_dump(exclude={"kind"})
        return cls(**payload, event=event.kind, id=event.subject if is_id(event.subject) else None, trace=result.trace)

    def value(self) -> Happened:
        about = (self.subject, self.commitment, self.seal, self.actor, self.cause)
        event = Event(self.position, self.at, self.event, *about)
        return Happened(event, self.trace)


class GrowthRequest(Request):
    """How many days, and which lane."""

    days: int = Field(30, ge=1, le=MAX_DAYS, description="The number of days, including today.")
    lane: LaneName = Field(Lane.MEMORIES, description="The lane: memories, sessions (turns), notes or docs.")
    fit: bool = Field(
        False, description="Cover all time, from the oldest to the newest, by day, week, month or year, not `days`."
    )


class DayResponse(Response):
    """What was created on a day (UTC), its current state, and the total at the end of the day."""

    result = Day
    day: date
    created: int
    total: int
    kinds: dict[str, int]
    labels: dict[str, int] = Field(description="As they were counted at the end of the day, if there was a census.")
    trusts: dict[str, int]
    states: dict[str, int]
    days: int = Field(1, description="How many days the entry covers; with `fit`, it may be a week, a month or a year.")


class GrowthResponse(Response):
    """One entry per day, oldest first; empty days are included."""

    days: tuple[DayResponse, ...]
    lane: LaneName

    model_config = example({
        "days": [{"day": "2026-01-05", "created": 1, "total": 42, "kinds": {"fact": 1}, "labels": {"unknown": 1},
        "trusts": {"trusted": 1}, "states": {"active": 1}}], "lane": "memories",
    })  # fmt: skip

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:
        return cls(days=tuple(map(DayResponse.of, result)), lane=Lane.MEMORIES if request is None else request.lane)

    def value(self) -> list[Day]:
        return [each.value() for each in self.days]


# --- receipts ---------------------------------------------------------------------------------------------------------


class ReceiptsRequest(Request):
    """Which receipts."""

    limit: int = Field(20, ge=1, le=1_000, description="How many at most.")
    op: str | None = Field(None, max_length=64, description="Only of this operation, such as `recall`.")
    before: str | None = Field(None, description="Continue before this receipt, the `next` of the previous page.")


class ReceiptsResponse(SequenceResponse):
    """Receipts, newest first: ids, counts, reasons and timings, never text."""

    items = "receipts"
    receipts: tuple[AnyReceipt, ...]
    next: Next

    model_config = example({
        "receipts": [{"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall", "at": AT}], "next": None,
    })  # fmt: skip


class ReceiptRequest(Request):
    """One receipt."""

    id: str = Field(min_length=1, description="The id of a receipt: a UUID.", examples=[ID])


class ReceiptResponse(Response):
    """What one operation did: ids, counts, reasons and timings, never text."""

    bare = "receipt"
    receipt: AnyReceipt

    model_config = example({"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall"})


class ReplayRequest(ReceiptRequest):
    """Replay a recorded recall; with `query` if the receipt does not contain it."""

    query: str | None = Field(None, description="A question or a message in plain words.")

    model_config = example({"query": "When does the deploy key rotate?"})


class ReplayResponse(Response):
    """Whether the replay gives the same answer, and that answer."""

    same: bool
    differences: tuple[str, ...]
    receipt: ReceiptField
    hits: tuple[AnyHit, ...]

    model_config = example({"same": True, "differences": [], "receipt": {"id": ID, "op": "recall"}, "hits": []})

    @classmethod
    def of(cls, result: Replay, request: Any = None) -> Self:  # noqa: ARG003
        return cls(
            same=result.same, differences=result.differences, receipt=result.receipt, hits=tuple(result.answer.hits)
        )

    def value(self) -> Replay:
        answer = Answer(packed=Packed("", 0, self.hits))
        return Replay(self.same, self.receipt, answer, self.differences)
