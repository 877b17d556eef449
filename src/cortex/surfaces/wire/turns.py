"""Turns: the hooks of a host, session histories, and the flush plan before a compaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, Self

from pydantic import Field

from cortex.domain.trace import parse_time
from cortex.services.capture import CaptureResult, Ingested
from cortex.services.events import MAX_EVENTS, EventsIngested, RejectedEvent
from cortex.services.turn_hooks import Injection
from cortex.surfaces.wire.fields import (
    AT,
    ID,
    LARGEST,
    AnyMemory,
    Channel,
    Degraded,
    Messages,
    Project,
    ReceiptField,
    RecipeName,
    Session,
    SharePersonal,
    Short,
    Trigger,
)
from cortex.surfaces.wire.model import ChatRequest, Json, Request, Response, example
from cortex.workspace.flush import FlushPlan, FlushPolicy, FlushReason, FlushSession

_SAID = [
    {"role": "user", "content": "I prefer Rust for systems programming."},
    {"role": "assistant", "content": "Noted."},
]


class BeforeTurnRequest(ChatRequest):
    """A message that a model is about to answer."""

    session: Session
    message: str = Field(description="The user's message.")
    scope: Short | None = Field(None, description="Only this scope, such as a project's name.")
    project: Project = None
    share_personal: SharePersonal = False
    channel: Channel = ""
    trigger: Trigger = ""
    recipe: RecipeName = None

    model_config = example({
        "session": "agent:main:main", "message": "When does the deploy key rotate?", "channel": "telegram",
    })  # fmt: skip


class BeforeTurnResponse(Response):
    """The context for the model. It always succeeds; `degraded` names what did not work."""

    result = Injection
    block: str
    tokens: int
    facts: int
    ids: tuple[str, ...]
    synthesis: bool
    skipped: str | None
    degraded: Degraded
    receipt_id: str | None
    milliseconds: float

    model_config = example({
        "block": "## Long-Term Memories\n- The deploy key rotates on Mondays", "tokens": 14, "facts": 1, "ids": [ID],
        "synthesis": False, "skipped": None, "degraded": [], "receipt_id": ID, "milliseconds": 12.5,
    })  # fmt: skip


class AfterTurnRequest(ChatRequest):
    """The whole history of a session after a turn; only new messages are stored."""

    session: Session
    messages: Messages
    scope: Short | None = Field(None, description="The namespace.")
    share_personal: SharePersonal = False
    channel: Channel = ""
    trigger: Trigger = ""
    end: bool = Field(
        False, description="The session is over: memories are extracted now. `messages` may be empty then."
    )
    partial_history: bool = Field(
        False, description="`messages` are only some of the session: what is missing was not taken back."
    )

    model_config = example({"session": "agent:main:main", "messages": _SAID})


class AfterTurnResponse(Response):
    """What was stored, durably. If `degraded` is not empty, the next turn sends it again."""

    stored: int = 0
    seen: int = 0
    skipped: str | None = None
    degraded: tuple[str, ...] = ()
    receipt_id: str | None = None
    milliseconds: float = 0.0

    model_config = example({
        "stored": 2, "seen": 0, "skipped": None, "degraded": [], "receipt_id": ID, "milliseconds": 8.1,
    })  # fmt: skip

    def to_json(self) -> Json:
        return self.model_dump(mode="json")


for _model in (BeforeTurnRequest, BeforeTurnResponse, AfterTurnRequest, AfterTurnResponse):
    # Build the models now, so that no turn waits for it.
    _model.model_rebuild()


class CaptureRequest(ChatRequest):
    """The history of a session; only new messages are stored."""

    session: Session
    messages: Messages
    scope: Short | None = Field(None, description="The namespace.")
    share_personal: SharePersonal = False
    channel: Channel = ""
    trigger: Trigger = ""
    follows: int | None = Field(
        None, ge=0, le=LARGEST, description="How many messages of the session were sent before these."
    )

    model_config = example({"session": "agent:main:main", "messages": _SAID})

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        options = arguments.get("options", {})
        return super().payload_of({name: value for name, value in arguments.items() if name != "options"} | options)


class IngestRequest(CaptureRequest):
    """The history of a session; memories are extracted later."""

    debounce: bool = Field(True, description="Wait until the session is quiet before extracting memories.")


class IngestEventsRequest(Request):
    """Events of agents and tools, as `cortex.event.v1` or rows of the capture sidecar."""

    events: list[Json] = Field(description="The events; see Events.", max_length=MAX_EVENTS)

    model_config = example({
        "events": [{
            "id": "call-17", "at": AT, "session": "agent:main:main", "type": "tool_result", "text": "3 tests failed",
            "tool": {"name": "pytest", "call_id": "call-17", "ok": False, "ms": 812.0},
        }],
    })  # fmt: skip


class RejectedEventResponse(Response):
    """An event that cannot be used."""

    result = RejectedEvent
    index: int
    field: str
    message: str
    hint: str


class IngestEventsResponse(Response):
    """What became of the events."""

    result = EventsIngested
    events: int = Field(description="How many were given.")
    outcomes: int = Field(description="New outcomes.")
    turns: int = Field(description="New turns.")
    repeated: int = Field(description="Events that were ingested before.")
    erased: int = Field(description="Events that were erased, and stay so.")
    rejected: int = Field(description="Events that cannot be used.")
    ids: tuple[str, ...] = Field(description="The new outcomes and turns.")
    problems: tuple[RejectedEventResponse, ...] = Field(description="The first of the rejected events, and the fix.")
    receipt: ReceiptField

    model_config = example({
        "events": 1, "outcomes": 1, "turns": 0, "repeated": 0, "erased": 0, "rejected": 0, "ids": [ID],
        "problems": [], "receipt": {"op": "ingest_events"},
    })  # fmt: skip

    def value(self) -> EventsIngested:
        found: EventsIngested = super().value()
        return replace(found, problems=tuple(each.value() for each in self.problems))


class IngestResponse(Response):
    """The id of the turn stored for each message; null if it was stored before, or skipped."""

    result = Ingested
    ids: tuple[str | None, ...]
    receipt: ReceiptField

    model_config = example({"ids": [ID, None], "receipt": {"id": ID, "op": "ingest", "stored": 1, "seen": 1}})


class CaptureResponse(Response):
    """The new turns, the memories extracted from them, and the receipt."""

    result = CaptureResult
    turns: tuple[str, ...]
    memories: tuple[AnyMemory, ...]
    receipt: ReceiptField

    model_config = example({"turns": [ID], "memories": [], "receipt": {"id": ID, "op": "ingest", "stored": 1}})


class FlushPlanRequest(ChatRequest):
    """The state of a session; without `context_window` only OpenClaw's plan is returned."""

    context_window: int | None = Field(None, description="The context window of the model in tokens.")
    tokens_used: int | None = Field(None, description="The tokens of the session so far.")
    messages: str | list[Any] | None = Field(None, description="The messages, oldest first.")
    incoming_tokens: int = Field(0, description="The tokens of the next message.")
    transcript_bytes: int | None = Field(None, description="The size of the transcript in bytes.")
    compactions: int = Field(0, description="How often the session was compacted.")
    flushed_at_compaction: int | None = Field(None, description="The value of `compactions` at the last flush.")
    read_only: bool = Field(False, description="The agent cannot write to its workspace.")
    timezone: str | None = Field(
        None, max_length=64, description="The time zone of today's date, such as Europe/Berlin."
    )
    workspace_has: list[str] | None = Field(None, description="Existing files, relative to the workspace.")

    model_config = example({"context_window": 200_000, "tokens_used": 178_000, "timezone": "Europe/Berlin"})

    def state(self) -> FlushSession:
        if self.context_window is None:
            # No session: the smallest valid state.
            return FlushSession(context_window=1, tokens_used=0)
        return FlushSession(**{field.name: getattr(self, field.name) for field in fields(FlushSession)})

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        state = arguments["state"]
        payload = {field.name: getattr(state, field.name) for field in fields(state)}
        return super().payload_of(payload | {name: value for name, value in arguments.items() if name != "state"})


class FlushPlanResponse(Response):
    """Whether a flush is due and its prompt; and OpenClaw's plan, null if flushing is turned off."""

    plan: Json | None
    openclaw: Json | None
    template: Json | None = Field(
        None,
        description=(
            "OpenClaw's plan for any day until `validUntil`: `{date}` stands for the day, in the zone `timezone`."
        ),
    )
    settings: Json = Field(description="The settings behind both plans.")

    model_config = example({
        "plan": {"due": True, "reason": "due_tokens", "threshold": 176_000, "target": "memory/2026-01-05.md"},
        "openclaw": {"softThresholdTokens": 4_000, "relativePath": "memory/2026-01-05.md"},
        "settings": {"enabled": True, "soft_threshold_tokens": 4_000, "reserve_tokens": 20_000},
    })  # fmt: skip

    @classmethod
    def of(cls, result: FlushPlan, request: Any = None) -> Self:
        is_wanted = request is None or request.context_window is not None
        return cls(
            plan=result.to_json() | {"target_exists": result.target_exists} if is_wanted else None,
            openclaw=result.for_openclaw(),
            template=result.template(),
            settings=asdict(result.settings),
        )

    def value(self) -> FlushPlan:
        plan = self.plan or {}
        names = ("threshold", "tokens_used", "estimated", "transcript_bytes", "cycle", "target", "target_exists")
        payload = {name: plan[name] for name in names}
        zone, until = (self.template or {}).get("timezone"), (self.template or {}).get("validUntil")
        return FlushPlan(
            reason=FlushReason(plan["reason"]),
            settings=FlushPolicy(**self.settings),
            timezone=zone,
            valid_until=parse_time(until) if until else None,
            **payload,
        )
