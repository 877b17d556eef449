"""Turns: the two hooks of a host, histories of sessions, and the plan to write things down before a compaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Self

from pydantic import Field

from cortex.services.capture import Captured, Ingested
from cortex.services.turn_hooks import Injection
from cortex.surfaces.wire.fields import (
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
    Short,
    Trigger,
)
from cortex.surfaces.wire.model import Json, Request, Response, example
from cortex.workspace.flush import FlushPlan, FlushSettings, Reason, SessionState

_SAID = [
    {"role": "user", "content": "I prefer Rust for systems programming."},
    {"role": "assistant", "content": "Noted."},
]


class BeforeTurnRequest(Request):
    """A message that a model is about to answer."""

    session: Session
    message: str = Field(description="What the user just said.")
    scope: Short | None = Field(None, description="Only this scope, such as a project's name.")
    project: Project = None
    channel: Channel = ""
    trigger: Trigger = ""
    recipe: RecipeName = None

    model_config = example({
        "session": "agent:main:main", "message": "When does the deploy key rotate?", "channel": "telegram",
    })  # fmt: skip


class BeforeTurnResponse(Response):
    """What to put before the model. It is always an answer: what could not be done is named in `degraded`."""

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


class AfterTurnRequest(Request):
    """The whole history of a session after a turn; what was seen before is not stored again."""

    session: Session
    messages: Messages
    scope: Short | None = Field(None, description="The namespace it belongs to.")
    channel: Channel = ""
    trigger: Trigger = ""

    model_config = example({"session": "agent:main:main", "messages": _SAID})


class AfterTurnResponse(Response):
    """What is stored now, durably; where `degraded` names something, it comes again with the next turn."""

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
    # No turn is to wait until its models are built.
    _model.model_rebuild()


class CaptureRequest(Request):
    """The history of a session; what was seen before is not stored again."""

    session: Session
    messages: Messages
    scope: Short | None = Field(None, description="The namespace it belongs to.")
    channel: Channel = ""
    trigger: Trigger = ""
    follows: int | None = Field(
        None, ge=0, le=LARGEST, description="How many messages of the session were handed over before these."
    )

    model_config = example({"session": "agent:main:main", "messages": _SAID})

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        options = arguments.get("options", {})
        return super().payload_of({name: value for name, value in arguments.items() if name != "options"} | options)


class IngestRequest(CaptureRequest):
    """The history of a session, from which memories are extracted later."""

    debounce: bool = Field(True, description="Extract memories once the session has been quiet for a while.")


class IngestResponse(Response):
    """For each message the turn stored for it now; null where it was seen before, or skipped."""

    result = Ingested
    ids: tuple[str | None, ...]
    receipt: ReceiptField

    model_config = example({"ids": [ID, None], "receipt": {"id": ID, "op": "ingest", "stored": 1, "seen": 1}})


class CaptureResponse(Response):
    """The turns that are new, the memories extracted from them, and the receipt."""

    result = Captured
    turns: tuple[str, ...]
    memories: tuple[AnyMemory, ...]
    receipt: ReceiptField

    model_config = example({"turns": [ID], "memories": [], "receipt": {"id": ID, "op": "ingest", "stored": 1}})


class FlushPlanRequest(Request):
    """What a host knows of a session; without `context_window` only OpenClaw's plan is answered."""

    context_window: int | None = Field(None, description="How many tokens the model can read.")
    tokens_used: int | None = Field(None, description="How many tokens the session has by now.")
    messages: str | list[Any] | None = Field(None, description="What was said, oldest first.")
    incoming_tokens: int = Field(0, description="How many tokens the next message has.")
    transcript_bytes: int | None = Field(None, description="How long the transcript is.")
    compactions: int = Field(0, description="How often the session was compacted so far.")
    flushed_at_compaction: int | None = Field(
        None, description="What `compactions` was when the last flush was made."
    )
    read_only: bool = Field(False, description="Whether the agent cannot write to its workspace.")
    timezone: str | None = Field(None, max_length=64, description="Whose day it is, such as Europe/Berlin.")
    workspace_has: list[str] | None = Field(None, description="The files there are, relative to the workspace.")

    model_config = example({"context_window": 200_000, "tokens_used": 178_000, "timezone": "Europe/Berlin"})

    def state(self) -> SessionState:
        if self.context_window is None:
            # No session is meant: the least that is one.
            return SessionState(context_window=1, tokens_used=0)
        return SessionState(**{field.name: getattr(self, field.name) for field in fields(SessionState)})

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        state = arguments["state"]
        told = {field.name: getattr(state, field.name) for field in fields(state)}
        return super().payload_of(told | {name: value for name, value in arguments.items() if name != "state"})


class FlushPlanResponse(Response):
    """Whether a flush is due and what to say in it; and OpenClaw's plan, null where flushing is turned off."""

    plan: Json | None
    openclaw: Json | None
    settings: Json = Field(description="What both were made by.")

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
            settings=asdict(result.settings),
        )

    def value(self) -> FlushPlan:
        plan = self.plan or {}
        names = ("threshold", "tokens_used", "estimated", "transcript_bytes", "cycle", "target", "target_exists")
        told = {name: plan[name] for name in names}
        return FlushPlan(reason=Reason(plan["reason"]), settings=FlushSettings(**self.settings), **told)
