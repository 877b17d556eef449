"""A memory: one remembered statement, typed, with confidence, importance, trust, scope and retention."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.trust import SourceKind, TrustTier


class Kind(StrEnum):
    """What sort of statement it is."""

    RULE = "rule"
    PROCEDURE = "procedure"
    FACT = "fact"
    EPISODE = "episode"
    PREFERENCE = "preference"
    DECISION = "decision"
    ENTITY = "entity"
    OTHER = "other"


STANDING_KINDS = frozenset({Kind.RULE, Kind.PREFERENCE})
"""Kinds that apply by situation, not by sharing words with the query."""


class Retention(StrEnum):
    """How long a memory lives."""

    PERMANENT = "permanent"
    PROJECT = "project"
    SESSION = "session"
    TTL = "ttl"


SESSION_LIFE = timedelta(hours=24)
DEFAULT_TTL = timedelta(hours=720)


class ImportanceLabel(StrEnum):
    MUST_REMEMBER = "must_remember"
    NICE_TO_HAVE = "nice_to_have"
    UNKNOWN = "unknown"
    IGNORE = "ignore"

    @classmethod
    def of(cls, importance: float) -> ImportanceLabel:
        """The label a graded importance stands for. `unknown` is for what nobody graded."""
        if importance >= 0.8:
            return cls.MUST_REMEMBER
        return cls.NICE_TO_HAVE if importance >= 0.5 else cls.IGNORE


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered statement and everything recall, policy and the operator need to know of it."""

    id: TraceId
    text: str
    created_at: datetime
    kind: Kind = Kind.FACT
    topic: str = ""
    tags: tuple[str, ...] = ()
    scope: str = DEFAULT_SCOPE
    retention: Retention = Retention.PERMANENT
    ttl: timedelta | None = None
    confidence: float = 1.0
    importance: float = 0.5
    label: ImportanceLabel = ImportanceLabel.UNKNOWN
    trust: TrustTier = TrustTier.TRUSTED
    source_kind: SourceKind = SourceKind.OPERATOR
    source_ref: str = ""
    source_turns: tuple[TraceId, ...] = ()
    lang: str = ""
    subject: str = ""
    attribute: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    supersedes: TraceId | None = None
    superseded_by: TraceId | None = None
    media_refs: tuple[str, ...] = ()
    media_kind: str = ""
    state: State = State.ACTIVE
    # Counters of use: kept by the store, not part of what a version says.
    last_accessed_at: datetime | None = None
    access_count: int = 0

    @property
    def lane(self) -> Lane:
        return Lane.MEMORIES

    @property
    def used_at(self) -> datetime:
        """When it was last recalled, or else made."""
        return self.last_accessed_at or self.created_at

    @property
    def expires_at(self) -> datetime | None:
        """When it ceases to be recalled; None for what is kept until told otherwise."""
        if self.retention is Retention.SESSION:
            return self.used_at + SESSION_LIFE
        if self.retention is Retention.TTL:
            return self.created_at + (self.ttl or DEFAULT_TTL)
        return None

    def is_due(self, now: datetime) -> bool:
        """Whether it may be recalled at `now`: not expired, and within the time it is valid for."""
        expires = self.expires_at
        return (expires is None or now < expires) and (self.valid_to is None or now < self.valid_to)

    def revised(self, **changes: Any) -> Memory:
        return replace(self, **changes)
