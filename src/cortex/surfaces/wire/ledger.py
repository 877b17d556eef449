"""Looking at what there is and what happened: counts, growth, the ledger, the timeline, receipts."""

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
from cortex.recall.replaying import Replay
from cortex.services.browse import MAX_DAYS
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
    """Who asks, as the server sees them."""

    agent: str
    user: str
    rights: list[Literal["read", "write", "admin"]]
    token: str | None = Field(description="The id of the token; null where none is needed.")
    version: str
    turn_deadline_ms: int = Field(description="How long `turns/before` takes at most.")

    model_config = example({
        "agent": "main", "user": "default", "rights": ["admin", "read", "write"], "token": None, "version": "0.1.0",
        "turn_deadline_ms": 200,
    })  # fmt: skip


class StatsRequest(FilterRequest):
    """What is counted; everything unless narrowed."""


class StatsResponse(Response):
    """How many memories, turns and lines of files there are, and of what sort."""

    result = Counts
    total: Total
    by_lane: dict[str, int] = Field(description="How many in each lane.")
    by_scope: dict[str, int] = Field(description="How many in each scope.")
    by_kind: dict[str, int] = Field(description="How many of each kind.")
    by_label: dict[str, int] = Field(description="How many of each importance label.")
    by_trust: dict[str, int] = Field(description="How many in each trust tier.")
    by_state: dict[str, int] = Field(description="How many in each state.")
    oldest: Moment | None = Field(description="When the oldest was created.")
    newest: Moment | None = Field(description="When the newest was created.")
    text_bytes: int = Field(description="How long all texts are together, in bytes of UTF-8.")

    model_config = example({
        "total": 1, "by_lane": {"memories": 1}, "by_scope": {"infra": 1}, "by_kind": {"fact": 1},
        "by_label": {"unknown": 1}, "by_trust": {"trusted": 1}, "by_state": {"active": 1}, "oldest": AT, "newest": AT,
        "text_bytes": 33,
    })  # fmt: skip


class EventsRequest(Request):
    """Which part of the ledger, oldest first."""

    after: int = Field(0, ge=0, le=LARGEST, description="Only those after this position of the ledger.")
    limit: int = Field(1_000, ge=1, le=10_000, description="How many at most.")


class EventResponse(Response):
    """One event of the ledger."""

    result = Event
    position: int
    at: Moment
    kind: EventName
    subject: str = Field(description="As the ledger has it: an id, or what else was changed.")
    commitment: str
    seal: str


class EventsResponse(SequenceResponse):
    """The ledger: each event seals the one before it. It holds commitments to what was written, and no text."""

    items = "events"
    key = "position"
    events: tuple[EventResponse, ...]
    next: int | None = Field(description="Continue from here; null at the end.")

    model_config = example({
        "events": [{"position": 1, "at": AT, "kind": "remembered", "subject": ID, "commitment": "9f86…",
        "seal": "d081…"}], "next": None,
    })  # fmt: skip


class TimelineRequest(Request):
    """What happened; without vectors and uses unless `event` names them."""

    limit: int = Field(50, ge=1, le=1_000, description="How many at most.")
    before: int | None = Field(None, ge=1, le=LARGEST, description="Continue before this position: the `next` given.")
    event: list[EventName] | None = Field(
        None, description="Only events of these kinds; embeddings and recalls are shown only where they are named."
    )
    id: Id | None = Field(None, description="Only what happened to this memory or turn.")
    lane: LaneName | None = Field(None, description="Only what happened in this lane; files leave no events.")

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        told = {name: value for name, value in arguments.items() if name != "kinds"}
        kinds = arguments.get("kinds")
        return super().payload_of(told | ({} if kinds is None else {"event": sorted(map(plain, kinds))}))


class TimelineResponse(Response):
    """What happened, newest first, each event with the memory or turn it is about."""

    events: list[Json]
    next: int | None = Field(description="Continue from here; null at the end.")

    model_config = example({
        "events": [{"position": 12, "at": AT, "event": "remembered", "id": ID, "subject": ID, "commitment": "9f86…",
        "seal": "d081…", "trace": None}], "next": None,
    })  # fmt: skip

    @classmethod
    def of(cls, result: Timeline, request: Any = None) -> Self:  # noqa: ARG003
        return cls(events=[HappenedResponse.of(each).to_json() for each in result.happened], next=result.next)

    def value(self) -> Timeline:
        return Timeline(tuple(HappenedResponse.from_json(each).value() for each in self.events), self.next)


class HappenedResponse(Response):
    """One event, and what it is about as that is now; null where that is gone, or there is nothing."""

    position: int
    at: Moment
    event: EventName
    id: str | None
    subject: str
    commitment: str
    seal: str
    trace: AnyTrace | None

    @classmethod
    def of(cls, result: Happened, request: Any = None) -> Self:  # noqa: ARG003
        event = result.event
        told = EventResponse.of(event).model_dump(exclude={"kind"})
        return cls(**told, event=event.kind, id=event.subject if is_id(event.subject) else None, trace=result.trace)

    def value(self) -> Happened:
        event = Event(self.position, self.at, self.event, self.subject, self.commitment, self.seal)
        return Happened(event, self.trace)


class GrowthRequest(Request):
    """How many days back, and of what."""

    days: int = Field(30, ge=1, le=MAX_DAYS, description="How many days, today included.")
    lane: LaneName = Field(Lane.MEMORIES, description="Of what: memories, sessions (turns), notes, docs.")


class DayResponse(Response):
    """What was created on a day (UTC) and what became of it since, and how much there was at its end."""

    result = Day
    day: date
    made: int
    total: int
    kinds: dict[str, int]
    labels: dict[str, int]
    trusts: dict[str, int]
    states: dict[str, int]


class GrowthResponse(Response):
    """One entry for every day, the empty ones too, the oldest first."""

    days: tuple[DayResponse, ...]
    lane: LaneName

    model_config = example({
        "days": [{"day": "2026-01-05", "made": 1, "total": 42, "kinds": {"fact": 1}, "labels": {"unknown": 1},
        "trusts": {"trusted": 1}, "states": {"active": 1}}], "lane": "memories",
    })  # fmt: skip

    @classmethod
    def of(cls, result: Any, request: Any = None) -> Self:
        return cls(days=tuple(map(DayResponse.of, result)), lane=Lane.MEMORIES if request is None else request.lane)

    def value(self) -> list[Day]:
        return [each.value() for each in self.days]


# --- receipts ---------------------------------------------------------------------------------------------------------


class ReceiptsRequest(Request):
    """Which receipts, newest first."""

    limit: int = Field(20, ge=1, le=1_000, description="How many at most.")
    op: str | None = Field(None, max_length=64, description="Of this operation alone, such as `recall`.")
    before: str | None = Field(None, description="Continue before this receipt: `next` of the page before.")


class ReceiptsResponse(SequenceResponse):
    """Receipts, newest first: ids, counts, reasons and milliseconds, never text."""

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
    """What one operation did: ids, counts, reasons and milliseconds, never text."""

    bare = "receipt"
    receipt: AnyReceipt

    model_config = example({"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall"})


class ReplayRequest(ReceiptRequest):
    """Run a recorded recall again; `query` where it was not kept with the receipt."""

    query: str | None = Field(None, description="A question or a message in plain words.")

    model_config = example({"query": "When does the deploy key rotate?"})


class ReplayResponse(Response):
    """Whether the state the recall saw gives the same answer now, and that answer."""

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
