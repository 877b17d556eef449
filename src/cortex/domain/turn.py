"""A turn: one message of a conversation, verbatim, as it was said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Kind
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.trust import SourceKind, TrustTier

MOST_OF = 0.6
"""A turn ends with what has this share of its characters: what else it says lives on."""


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


SOURCE_OF_ROLE = {
    Role.USER: SourceKind.USER,
    Role.ASSISTANT: SourceKind.ASSISTANT,
    Role.SYSTEM: SourceKind.SYSTEM,
    Role.TOOL: SourceKind.TOOL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDraft:
    """One message as it comes in, before it has a place in a session."""

    text: str
    role: Role | None = None
    """None where the source does not tell; such a turn counts as a user's."""
    speaker: str = ""
    at: datetime | None = None

    @property
    def effective_role(self) -> Role:
        return self.role or Role.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one speaker said at one place of one session."""

    id: TraceId
    text: str
    session: str
    seq: int
    created_at: datetime
    role: Role = Role.USER
    speaker: str = ""
    channel: str = ""
    kind: Kind = Kind.EPISODE
    scope: str = DEFAULT_SCOPE
    trust: TrustTier = TrustTier.TRUSTED
    state: State = State.ACTIVE
    outdated_by: TraceId | None = None
    """A later turn that gives another value for what this one said; it is still evidence of what was said then."""
    expires_at: datetime | None = None
    """When all it says is over, as with "for today, answer in French": it stays evidence, and leaves recall."""

    @property
    def lane(self) -> Lane:
        return Lane.SESSIONS

    @property
    def source_kind(self) -> SourceKind:
        return SOURCE_OF_ROLE[self.role]

    def is_alive(self, now: datetime) -> bool:
        """Whether what it says is not over at `now`."""
        return self.expires_at is None or now < self.expires_at

    def revised(self, **changes: Any) -> Turn:
        return replace(self, **changes)
