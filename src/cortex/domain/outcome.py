"""An outcome: what a tool did, what was decided, or an alert, as an event reported it (S1)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Kind
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.trust import SourceKind, TrustTier

MAX_SUMMARY_CHARS = 220
MAX_PAYLOAD_BYTES = 2_048


class OutcomeType(StrEnum):
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    DECISION = "decision"
    ALERT = "alert"


class Outcome(NamedTuple):
    """One event that is not a message. It is a record of what happened, and recalled only if its lane is requested.

    There are many, and a named tuple is made in a quarter of the time that a frozen dataclass takes.
    """

    id: TraceId
    text: str
    """A summary, redacted, of at most 220 characters."""
    created_at: datetime
    outcome: OutcomeType = OutcomeType.TOOL_RESULT
    session: str = ""
    tool: str = ""
    call_id: str = ""
    ok: bool | None = None
    ms: float | None = None
    error: str = ""
    payload: str = ""
    """JSON, redacted, of at most 2,048 bytes; the beginning of a longer one."""
    payload_bytes: int = 0
    """The size of a payload that was cut."""
    refs: tuple[str, ...] = ()
    kind: Kind = Kind.EPISODE
    scope: str = DEFAULT_SCOPE
    trust: TrustTier = TrustTier.UNTRUSTED
    state: State = State.ACTIVE

    @property
    def lane(self) -> Lane:
        return Lane.OUTCOMES

    @property
    def source_kind(self) -> SourceKind:
        return SourceKind.TOOL

    def revised(self, **changes: Any) -> Outcome:
        return self._replace(**changes)
